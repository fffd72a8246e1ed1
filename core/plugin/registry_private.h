/* What registry.c, survey.c and services.c share. */
#ifndef AS_REGISTRY_PRIVATE_H
#define AS_REGISTRY_PRIVATE_H

#include "core/plugin/module.h"
#include <pthread.h>

struct as_registry {
	pthread_mutex_t lock; /* over all that follows */
	as_arena arena;       /* paths, names, infos */
	as_log *log;
	const char **dirs; /* folders of modules, in search order */
	size_t n_dirs;
	const char *lib_dir; /* of service modules */
	bool scanned;
	as_module *modules; /* in search order; never moved after the scan */
	size_t n_modules, cap_modules;
	const as_impl_info **used; /* sorted by use */
	size_t n_used, cap_used;
	const as_http_ops *http;
	const as_archive_ops *archive;
};

/* List the modules, once. Call with the lock held. */
int as_registry_scan(as_registry *r, assay_error *err);

/* As as_registry_survey, with the lock held and the scan done. */
int as_registry_survey_locked(as_registry *r, uint32_t role, assay_json **out, assay_error *err);

/* Who stands before whom: into the descriptions of the open modules, sorted by name, goes "shadows", the files of later
 * modules of their name; into those of their implementations "shadowed_by" when another module's of the same name is
 * the one that as_registry_find finds, and into that one's "shadows". */
int as_shadows_mark(const as_registry *r, as_module *const *open, size_t n, assay_json *descriptions, assay_error *err);

/* Open, in a child process, those of the n modules that are neither open nor trusted: what crashes or hangs there is
 * BROKEN from now on, the rest trusted. Call with the lock held. */
int as_registry_screen(as_module *const *list, size_t n, assay_error *err);

/* The implementation within an opened module, or NULL. */
as_module_impl *as_module_find(as_module *m, uint32_t role, assay_str name);
as_module_impl *as_registry_impl(as_registry *r, const as_impl_info *info);

#endif
