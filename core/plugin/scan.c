/* Listing the modules there are, without opening any. */
#include "core/plugin/registry_private.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/plugin/loader.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES_MAX 4096u

static int add_module(as_registry *r, const char *stem, const char *path, bool shipped, assay_error *err)
{
	if (r->n_modules >= MODULES_MAX) {
		return as_fail(err, ASSAY_ELIMIT, "more than %u plugins", MODULES_MAX);
	}
	if (!as_grow(&r->modules, &r->cap_modules, r->n_modules + 1, sizeof *r->modules) || !stem || !path) {
		return as_fail_memory(err);
	}
	as_module *m = &r->modules[r->n_modules++];
	*m = (as_module){.stem = stem, .path = path, .shipped = shipped, .trusted = shipped};
	for (size_t i = 0; i + 1 < r->n_modules; i++) {
		if (strcmp(r->modules[i].stem, stem) == 0) {
			m->state = AS_MODULE_SHADOWED;
			m->shadow = as_module_label(&r->modules[i]);
			break;
		}
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;
	return strcmp(*x, *y);
}

/* The names of the *.so in an open folder, in the arena. */
static int read_names(as_registry *r, DIR *dir, const char ***names, size_t *n, assay_error *err)
{
	size_t cap = 0;
	const struct dirent *entry;
	while ((entry = readdir(dir)) != NULL) {
		size_t len = strlen(entry->d_name);
		if (len <= 3 || entry->d_name[0] == '.' || strcmp(entry->d_name + len - 3, ".so") != 0) {
			continue;
		}
		if (*n >= MODULES_MAX) {
			return as_fail(err, ASSAY_ELIMIT, "more than %u plugins in one folder", MODULES_MAX);
		}
		const char *name = as_arena_cstr(&r->arena, as_str(entry->d_name));
		if (!name || !as_grow(names, &cap, *n + 1, sizeof **names)) {
			return as_fail_memory(err);
		}
		(*names)[(*n)++] = name;
	}
	return 0;
}

static int scan_folder(as_registry *r, const char *folder, bool shipped, assay_error *err)
{
	const char **names = NULL;
	size_t n = 0;
	DIR *dir = opendir(folder);
	if (!dir) {
		if (errno != ENOENT && errno != ENOTDIR) { /* the others may have all that is asked for */
			as_log_put(r->log, "loader", ASSAY_LOG_WARN, "cannot read the plugin folder %s: %s", folder,
				   strerror(errno));
		}
		return 0;
	}
	int rc = read_names(r, dir, &names, &n, err);
	closedir(dir);
	if (n > 1) {
		qsort(names, n, sizeof *names, by_name);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = add_module(r, as_arena_cstr(&r->arena, (assay_str){names[i], strlen(names[i]) - 3}),
				as_arena_printf(&r->arena, "%s/%s", folder, names[i]), shipped, err);
	}
	free(names);
	return rc;
}

/* A folder, then, for a libtool build tree, its .libs. A folder given twice counts once. */
static int scan_dir(as_registry *r, size_t index, assay_error *err)
{
	as_buf path = {0};
	bool shipped = index + 1 == r->n_dirs; /* the program's own folder comes last */
	int rc = as_path_absolute(r->dirs[index], &path, err);
	if (rc < 0) {
		as_buf_free(&path);
		return rc;
	}
	const char *absolute = as_arena_cstr(&r->arena, as_buf_str(&path));
	const char *libs = as_arena_printf(&r->arena, "%s/.libs", path.ptr ? path.ptr : "");
	rc = as_buf_check(&path, err);
	as_buf_free(&path);
	if (rc < 0 || !absolute || !libs) {
		return as_fail_memory(err);
	}
	r->dirs[index] = absolute;
	for (size_t i = 0; i < index; i++) {
		if (strcmp(r->dirs[i], absolute) == 0) {
			return 0;
		}
	}
	if (!as_dir_exists(absolute)) {
		/* The program's own may be absent: everything can be linked in. */
		as_log_put(r->log, "loader", shipped ? ASSAY_LOG_DEBUG : ASSAY_LOG_WARN, "there is no plugin folder %s",
			   absolute);
		return 0;
	}
	rc = scan_folder(r, absolute, shipped, err);
	return rc < 0 ? rc : scan_folder(r, libs, shipped, err);
}

typedef struct linked {
	as_registry *r;
	assay_error *err;
} linked;

static int add_linked(void *payload, assay_str stem)
{
	linked *l = payload;
	return add_module(l->r, as_arena_cstr(&l->r->arena, stem), "", true, l->err);
}

/* A pipe, a folder, a link to nothing: whoever asks for it is told, and it is in nobody else's way. */
static bool is_readable(as_registry *r, as_module *m)
{
	struct stat st;
	if (m->state != AS_MODULE_UNSEEN || m->path[0] == '\0') {
		return m->state != AS_MODULE_BROKEN;
	}
	if (stat(m->path, &st) != 0 || (S_ISREG(st.st_mode) && access(m->path, R_OK) != 0)) {
		as_fail_errno(&m->reason, errno, NULL, "open");
	} else if (!S_ISREG(st.st_mode)) {
		as_fail(&m->reason, ASSAY_EPLUGIN, "is not a regular file");
	} else {
		return true;
	}
	m->state = AS_MODULE_BROKEN;
	m->reason.code = ASSAY_EPLUGIN;
	as_log_put(r->log, "loader", ASSAY_LOG_WARN, "the plugin %s is passed over: %s", m->path, m->reason.message);
	as_error_where(&m->reason, as_module_label(m), 0);
	return false;
}

int as_registry_foreign(as_registry *r, assay_json **out, assay_error *err)
{
	assay_json *paths = as_json_array();
	(void)pthread_mutex_lock(&r->lock);
	int rc = paths ? as_registry_scan(r, err) : as_fail_memory(err);
	for (size_t i = 0; rc == 0 && i < r->n_modules; i++) {
		as_module *m = &r->modules[i];
		if (!m->shipped && m->state != AS_MODULE_SHADOWED && is_readable(r, m) &&
		    as_json_append(paths, as_json_cstring(m->path)) < 0) {
			rc = as_fail_memory(err);
		}
	}
	(void)pthread_mutex_unlock(&r->lock);
	if (rc < 0) {
		as_json_free(paths);
		paths = NULL;
	}
	*out = paths;
	return rc;
}

int as_registry_scan(as_registry *r, assay_error *err)
{
	if (r->scanned) {
		return 0;
	}
	int rc = 0;
	linked payload = {r, err};
	for (size_t i = 0; rc == 0 && i < r->n_dirs; i++) {
		rc = scan_dir(r, i, err);
	}
	if (rc == 0) {
		rc = as_loader_linked(AS_PLUGIN_SYMBOL, add_linked, &payload);
	}
	r->scanned = rc == 0;
	if (rc < 0) {
		r->n_modules = 0; /* none was opened yet */
	}
	return rc;
}
