#include "core/plugin/registry.h"

#include "core/base/called.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/plugin/loader.h"
#include "core/plugin/registry_private.h"
#include "core/plugin/role.h"
#include <stdlib.h>
#include <string.h>

#ifndef AS_PKGLIBDIR
#define AS_PKGLIBDIR "/usr/lib/assay"
#endif
#define PLUGIN_FOLDER "plugins-1"
#define NEAR_MAX 64u /* names offered for choice when one is unknown */

static void add_dir(as_registry *r, size_t *cap, const char *dir)
{
	if (!dir || !as_grow(&r->dirs, cap, r->n_dirs + 1, sizeof *r->dirs)) {
		r->arena.failed = true;
		return;
	}
	r->dirs[r->n_dirs++] = dir;
}

static int note_dirs(as_registry *r, const as_registry_options *o, assay_error *err)
{
	size_t cap = 0;
	for (const char *const *dir = o->shipped_only ? NULL : o->dirs; dir && *dir; dir++) {
		add_dir(r, &cap, as_arena_cstr(&r->arena, as_str(*dir)));
	}
	for (const char *at = o->shipped_only ? NULL : o->path; at && *at;) {
		size_t len = strcspn(at, ":");
		if (len > 0) { /* an empty part would be the current folder, which nobody means */
			add_dir(r, &cap, as_arena_cstr(&r->arena, (assay_str){at, len}));
		}
		at += len + (at[len] == ':');
	}
	r->lib_dir = as_arena_cstr(&r->arena, as_str(o->lib_dir && *o->lib_dir ? o->lib_dir : AS_PKGLIBDIR));
	add_dir(r, &cap, as_arena_printf(&r->arena, "%s/" PLUGIN_FOLDER, r->lib_dir ? r->lib_dir : ""));
	return r->arena.failed ? as_fail_memory(err) : 0;
}

int as_registry_new(const as_registry_options *options, as_registry **out, assay_error *err)
{
	as_registry *r = as_new(1, sizeof *r);
	if (!r) {
		return as_fail_memory(err);
	}
	r->log = options->log;
	int rc = note_dirs(r, options, err);
	if (rc == 0) {
		rc = as_loader_start(err);
	}
	if (rc == 0 && pthread_mutex_init(&r->lock, NULL) != 0) {
		as_loader_stop();
		rc = as_fail_memory(err);
	}
	if (rc < 0) {
		free(r->dirs);
		as_arena_free(&r->arena);
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void as_registry_free(as_registry *r)
{
	if (!r) {
		return;
	}
	as_called_forget();
	for (size_t i = 0; i < r->n_modules; i++) {
		as_module_free(&r->modules[i]);
	}
	as_loader_stop();
	pthread_mutex_destroy(&r->lock);
	free(r->modules);
	free(r->used);
	free(r->dirs);
	as_arena_free(&r->arena);
	free(r);
}

/* ROLE/NAME, taken apart. */
typedef struct request {
	const char *use;
	uint32_t role;
	assay_str role_name, name;
	char stem[160]; /* ROLE_NAME */
} request;

static int refuse_use(const char *use, uint32_t role, assay_error *err)
{
	as_fail(err, ASSAY_EINVAL, "\"%.100s\" names no plugin", use ? use : "");
	as_error_hint(err, "write ROLE/NAME, such as %s/NAME", role ? as_role_name(role) : "sampler");
	return ASSAY_EINVAL;
}

static int refuse_role(const char *use, assay_str name, assay_error *err)
{
	const char *names[ASSAY_ROLE_COUNT];
	size_t n = 0;
	as_buf all = {0};
	for (uint32_t role = 1; role <= ASSAY_ROLE_COUNT; role++) {
		if (as_role_get(role)->size > 0) {
			as_buf_printf(&all, "%s%s", n > 0 ? " " : "", as_role_name(role));
			names[n++] = as_role_name(role);
		}
	}
	const char *best = as_nearest(name, names, n);
	as_fail(err, ASSAY_EINVAL, "\"%.100s\" begins with no role", use);
	as_error_hint(err, best ? "did you mean %s?" : "roles are %s", best ? best : as_buf_str(&all).ptr);
	as_buf_free(&all);
	return ASSAY_EINVAL;
}

static int parse_use(const char *use, uint32_t role, request *q, assay_error *err)
{
	const char *slash = use ? strchr(use, '/') : NULL;
	*q = (request){.use = use};
	if (!slash || !as_module_name_ok(as_str(slash + 1), true)) {
		return refuse_use(use, role, err);
	}
	q->role_name = (assay_str){use, (size_t)(slash - use)};
	q->name = as_str(slash + 1);
	q->role = as_role_from_name(q->role_name);
	if (q->role == 0) {
		return refuse_role(use, q->role_name, err);
	}
	if (role != 0 && role != q->role) {
		return as_fail(err, ASSAY_EINVAL, "\"%s\" is of the role %s, expected one of the role %s", use,
			       as_role_name(q->role), as_role_name(role));
	}
	size_t n = 0;
	for (const char *c = use; *c && n + 1 < sizeof q->stem; c++) {
		q->stem[n++] = *c == '/' || *c == '-' ? '_' : *c;
	}
	return 0;
}

as_module_impl *as_module_find(as_module *m, uint32_t role, assay_str name)
{
	for (size_t i = 0; i < m->n_impls; i++) {
		const assay_impl *impl = m->impls[i].impl;
		if (impl->role == role && as_str_is(name, impl->name)) {
			return &m->impls[i];
		}
	}
	return NULL;
}

/* Opening a module by accident must not fail the run: it is logged, and listed by the survey. */
static as_module_impl *try_module(as_registry *r, as_module *m, const request *q)
{
	bool first = m->state == AS_MODULE_UNSEEN;
	if (as_module_load(m, NULL) < 0) {
		if (first) {
			char line[1024];
			as_error_format(&m->reason, line, sizeof line);
			as_log_put(r->log, "loader", ASSAY_LOG_WARN, "%s", line);
		}
		return NULL;
	}
	if (first) {
		as_log_put(r->log, "loader", ASSAY_LOG_DEBUG, "opened %s", as_module_label(m));
	}
	return as_module_find(m, q->role, q->name);
}

static as_module *module_named(as_registry *r, const char *stem)
{
	for (size_t i = 0; i < r->n_modules; i++) {
		if (r->modules[i].state != AS_MODULE_SHADOWED && strcmp(r->modules[i].stem, stem) == 0) {
			return &r->modules[i];
		}
	}
	return NULL;
}

/* The name of the module that a survey says has it, or NULL. */
static const char *surveyed(const assay_json *survey, const request *q)
{
	for (const assay_json *m = as_json_first(survey); m; m = as_json_next(m)) {
		if (!as_str_is(as_json_str(as_json_get(m, "state")), "ok")) {
			continue;
		}
		for (const assay_json *i = as_json_first(as_json_get(m, "implementations")); i; i = as_json_next(i)) {
			if (as_str_eq(as_json_str(as_json_get(i, "role")), q->role_name) &&
			    as_str_eq(as_json_str(as_json_get(i, "name")), q->name)) {
				return as_json_cstr(as_json_get(m, "module"), NULL);
			}
		}
	}
	return NULL;
}

static int report_unknown(as_registry *r, const request *q, const assay_json *survey, assay_error *err)
{
	const char *near[NEAR_MAX];
	size_t n = 0;
	bool broken = false;
	as_buf where = {0}, names = {0};
	for (const assay_json *m = as_json_first(survey); m; m = as_json_next(m)) {
		broken = broken || as_str_is(as_json_str(as_json_get(m, "state")), "broken");
		for (const assay_json *i = as_json_first(as_json_get(m, "implementations")); i; i = as_json_next(i)) {
			if (n < NEAR_MAX && as_str_eq(as_json_str(as_json_get(i, "role")), q->role_name)) {
				near[n] = as_json_cstr(as_json_get(i, "name"), "");
				as_buf_printf(&names, "%s%s/%s", n ? ", " : "", as_role_name(q->role), near[n]);
				n++;
			}
		}
	}
	for (size_t i = 0; i < r->n_dirs; i++) {
		as_buf_printf(&where, "%s%s", i ? ", " : "", r->dirs[i]);
	}
	const char *best = as_nearest(q->name, near, n);
	as_fail(err, ASSAY_EPLUGIN, "there is no %s in %s or the program", q->use, where.ptr ? where.ptr : "");
	if (best) {
		as_error_hint(err, "did you mean %.*s/%s?", ASSAY_FMT(q->role_name), best);
	} else if (broken) {
		as_error_hint(err, "some plugins are broken: \"assay plugins list\" says which and why");
	} else if (n > 0 && !names.failed) {
		as_error_hint(err, "there are %s", names.ptr);
	} else {
		as_error_hint(err, "install a plugin that has it, or point --plugin-dir at its folder");
	}
	as_buf_free(&where);
	as_buf_free(&names);
	return ASSAY_EPLUGIN;
}

/* Modules whose name promises nothing are looked at in a child first, so that none but the right one is let in. */
static int search_all(as_registry *r, const request *q, as_module **module, as_module_impl **found, assay_error *err)
{
	assay_json *survey = NULL;
	int rc = as_registry_survey_locked(r, 0, &survey, err);
	if (rc < 0) {
		return rc;
	}
	const char *stem = surveyed(survey, q);
	*module = stem ? module_named(r, stem) : NULL;
	if (*module) {
		rc = as_module_load(*module, err);
		*found = rc < 0 ? NULL : as_module_find(*module, q->role, q->name);
	}
	if (rc == 0 && !*found) {
		rc = report_unknown(r, q, survey, err);
	}
	as_json_free(survey);
	return rc;
}

/* The module of that very name. One that is broken is the answer, even if another has the implementation too. */
static int search_named(as_registry *r, const request *q, as_module **module, as_module_impl **found, assay_error *err)
{
	*module = module_named(r, q->stem);
	if (!*module) {
		return 0;
	}
	int rc = as_registry_screen(module, 1, err);
	rc = rc < 0 ? rc : as_module_load(*module, err);
	*found = rc < 0 ? NULL : as_module_find(*module, q->role, q->name);
	return rc;
}

/* The modules whose name begins with the role. */
static int search_role(as_registry *r, const request *q, as_module **module, as_module_impl **found, assay_error *err)
{
	size_t n = 0, prefix = q->role_name.len + 1;
	as_module **list = as_new(r->n_modules, sizeof(as_module *));
	int rc = list ? 0 : as_fail_memory(err);
	for (size_t i = 0; rc == 0 && i < r->n_modules; i++) {
		as_module *m = &r->modules[i];
		if (m->state != AS_MODULE_SHADOWED && strncmp(m->stem, q->stem, prefix) == 0) {
			list[n++] = m;
		}
	}
	rc = rc < 0 ? rc : as_registry_screen(list, n, err);
	for (size_t i = 0; rc == 0 && !*found && i < n; i++) {
		*module = list[i];
		*found = try_module(r, list[i], q);
	}
	free(list);
	return rc;
}

static int search(as_registry *r, const request *q, as_module **module, as_module_impl **found, assay_error *err)
{
	int rc = search_named(r, q, module, found, err);
	if (rc == 0 && !*found) {
		rc = search_role(r, q, module, found, err);
	}
	if (rc == 0 && !*found) {
		rc = search_all(r, q, module, found, err);
	}
	return rc;
}

static int digest_of(const as_module *m, char out[65], assay_error *err)
{
	if (m->path[0]) {
		return as_sha256_file(m->path, out, err);
	}
	const assay_str parts[] = {as_str(m->stem), as_str(m->plugin->version)};
	as_hash_parts("plugin", parts, 2, out);
	return 0;
}

static int by_use(const void *a, const void *b)
{
	const as_impl_info *const *x = a;
	const as_impl_info *const *y = b;
	return strcmp((*x)->use, (*y)->use);
}

static int remember(as_registry *r, const request *q, const as_module *m, as_module_impl *found, assay_error *err)
{
	if (found->info) {
		return 0;
	}
	as_impl_info *info = as_arena_alloc(&r->arena, sizeof *info);
	const char *use = as_arena_cstr(&r->arena, as_str(q->use));
	if (!info || !use || !as_grow(&r->used, &r->cap_used, r->n_used + 1, sizeof *r->used)) {
		return as_fail_memory(err);
	}
	*info = (as_impl_info){.impl = found->impl,
			       .use = use,
			       .module = m->stem,
			       .version = m->plugin->version,
			       .path = m->path,
			       .shipped = m->shipped};
	int rc = digest_of(m, info->digest, err);
	if (rc < 0) {
		return rc;
	}
	r->used[r->n_used++] = info;
	qsort(r->used, r->n_used, sizeof *r->used, by_use);
	found->info = info;
	return 0;
}

static const as_impl_info *find_used(const as_registry *r, const char *use)
{
	const as_impl_info key = {.use = use};
	const as_impl_info *pointer = &key;
	const as_impl_info *const *hit =
		r->n_used ? bsearch(&pointer, r->used, r->n_used, sizeof *r->used, by_use) : NULL;
	return hit ? *hit : NULL;
}

int as_registry_find(as_registry *r, const char *use, uint32_t role, const as_impl_info **out, assay_error *err)
{
	request q;
	as_module *module = NULL;
	as_module_impl *found = NULL;
	int rc = parse_use(use, role, &q, err);
	if (rc < 0) {
		return rc;
	}
	pthread_mutex_lock(&r->lock);
	const as_impl_info *info = find_used(r, use);
	if (!info) {
		rc = as_registry_scan(r, err);
		rc = rc < 0 ? rc : search(r, &q, &module, &found, err);
		rc = rc < 0 ? rc : remember(r, &q, module, found, err);
		info = rc < 0 ? NULL : found->info;
	}
	pthread_mutex_unlock(&r->lock);
	if (info) {
		*out = info;
	}
	return rc;
}

as_module_impl *as_registry_impl(as_registry *r, const as_impl_info *info)
{
	as_module_impl *found = NULL;
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; !found && i < r->n_modules; i++) {
		for (size_t k = 0; !found && k < r->modules[i].n_impls; k++) {
			found = r->modules[i].impls[k].info == info ? &r->modules[i].impls[k] : NULL;
		}
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

size_t as_registry_used(as_registry *r, const as_impl_info *const **out)
{
	/* A copy in the arena: another thread's find may add to the list while the caller reads it. */
	pthread_mutex_lock(&r->lock);
	size_t n = r->n_used;
	const as_impl_info **copy = as_arena_alloc(&r->arena, n * sizeof *copy);
	if (copy && n > 0) {
		memcpy(copy, r->used, n * sizeof *copy);
	}
	pthread_mutex_unlock(&r->lock);
	*out = copy;
	return copy ? n : 0;
}
