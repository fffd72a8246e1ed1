/* environment/folder: a template folder, copied for every attempt. Modification times are kept, since servers list by
 * them. Binding: "dir", the copy's path. */
#include <assay/roles/environment.h>
#include <string.h>

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
	(void)state;
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

/* The core removes the work folder with everything in it. */
static int folder_cleanup(void *self, assay_call *call, void *state, assay_error *err)
{
	(void)self;
	(void)call;
	(void)state;
	(void)err;
	return 0;
}

static const assay_environment_ops ops = {.size = sizeof ops,
					  .open = folder_open,
					  .close = folder_close,
					  .prepare = folder_prepare,
					  .cleanup = folder_cleanup};

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
