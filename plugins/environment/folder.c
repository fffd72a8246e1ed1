/* environment/folder: a template folder, copied for every attempt. Modification times are kept, since servers list by
 * them. Binding: "dir", the copy's path. Snapshots lie beside the copy, as "DIR~NAME". */
#include "folder.h"
#include <stdio.h>
#include <string.h>

#define MAX_NAME 32u

typedef struct folder {
	const assay_host *host;
	char *template_dir; /* NULL: an empty folder each time */
} folder;

static void folder_close(void *self)
{
	folder *f = self;
	if (f) {
		f->host->free(f->template_dir);
		f->host->free(f);
	}
}

static int folder_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	assay_str template_dir = host->json->str(host->json->get(options, "template"));
	folder *f = host->alloc(sizeof *f);
	if (!f) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	f->host = host;
	if (template_dir.len > 0) {
		f->template_dir = host->alloc(template_dir.len + 1);
		if (!f->template_dir) {
			folder_close(f);
			return host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		memcpy(f->template_dir, template_dir.ptr, template_dir.len);
	}
	*self = f;
	return 0;
}

static int folder_prepare(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
			  assay_error *err)
{
	folder *f = self;
	const assay_json_api *J = f->host->json;
	assay_json *bound;
	int rc = 0;
	char *dir = f->host->alloc(strlen(workdir) + 1);
	if (!dir) {
		return f->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	memcpy(dir, workdir, strlen(workdir) + 1);
	*state = dir;
	if (f->template_dir) {
		rc = f->host->file->copy_tree(call, f->template_dir, workdir, err);
	}
	if (rc < 0) {
		return rc;
	}
	bound = J->object();
	if (J->set(bound, "dir", J->string((assay_str){workdir, strlen(workdir)})) < 0) {
		J->free(bound);
		return f->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = bindings->emit(bindings, bound, err);
	return rc < 0 ? rc : 0;
}

/* The core removes the work folder and what lies beside it. */
static int folder_cleanup(void *self, assay_call *call, void *state, assay_error *err)
{
	folder *f = self;
	(void)call;
	(void)err;
	f->host->free(state);
	return 0;
}

static int folder_digest(void *self, assay_call *call, void *state, char out[65], assay_error *err)
{
	folder *f = self;
	return folder_digest_of(f->host, call, state, out, err);
}

static int is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	return n > 0 && n <= MAX_NAME && n == strlen(name);
}

/* Where the snapshot of that name lies; free it. */
static int place_of(folder *f, const char *dir, const char *name, char **out, assay_error *err)
{
	size_t size = strlen(dir) + MAX_NAME + 2;
	*out = NULL;
	if (!is_name(name)) {
		return f->host->fail(err, ASSAY_EINVAL, "a snapshot's name has 1 to %u of a-z, 0-9, _ and -", MAX_NAME);
	}
	*out = f->host->alloc(size);
	if (!*out) {
		return f->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	snprintf(*out, size, "%s~%s", dir, name);
	return 0;
}

/* Files are copied as they are, logs of databases with them: together they are the database. */
static int folder_snapshot(void *self, assay_call *call, void *state, const char *name, assay_error *err)
{
	folder *f = self;
	const assay_file_api *file = f->host->file;
	char *place;
	int rc = place_of(f, state, name, &place, err);
	rc = rc < 0 ? rc : file->remove_tree(call, place, err);
	rc = rc < 0 ? rc : file->copy_tree(call, state, place, err);
	f->host->free(place);
	return rc;
}

/* The copy must be there before the state goes. */
static int folder_restore(void *self, assay_call *call, void *state, const char *name, assay_error *err)
{
	folder *f = self;
	const assay_file_api *file = f->host->file;
	char *place, *fresh = NULL;
	int rc = place_of(f, state, name, &place, err);
	rc = rc < 0 ? rc : place_of(f, state, "restored", &fresh, err);
	rc = rc < 0 ? rc : file->remove_tree(call, fresh, err);
	rc = rc < 0 ? rc : file->copy_tree(call, place, fresh, err);
	rc = rc < 0 ? rc : file->remove_tree(call, state, err);
	if (rc == 0 && rename(fresh, state) < 0) {
		rc = f->host->fail(err, ASSAY_EIO, "cannot put back the snapshot \"%s\"", name);
	}
	f->host->free(place);
	f->host->free(fresh);
	return rc;
}

static const assay_environment_ops ops = {.size = sizeof ops,
					  .open = folder_open,
					  .close = folder_close,
					  .prepare = folder_prepare,
					  .cleanup = folder_cleanup,
					  .digest = folder_digest,
					  .snapshot = folder_snapshot,
					  .restore = folder_restore};

static const assay_impl impl = {.size = sizeof impl,
				.role = ASSAY_ROLE_ENVIRONMENT,
				.role_version = 1,
				.name = "folder",
				.summary = "a template folder, copied for every attempt",
				.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
					   "\"template\":{\"type\":\"string\",\"format\":\"path\",\"must-exist\":true,"
					   "\"description\":\"folder to copy; none: start empty\"}}}",
				.ops = &ops};

ASSAY_PLUGIN(environment_folder, "0.1.0", "File-system states from a template folder", "Apache-2.0", &impl)
