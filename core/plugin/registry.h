/* Finding, loading and opening plugins: the only code that sees ltdl.h is behind this header.
 *
 * Search order: the folders of --plugin-dir, ASSAY_PLUGIN_PATH (colon-separated), ASSAY_LIB_DIR/plugins-1 (build tree;
 * else the installed $(pkglibdir)/plugins-1), then modules linked into the program. In each folder FOLDER/X.so and, for
 * a libtool build tree, FOLDER/.libs/X.so. "ROLE/NAME" is looked for in the module ROLE_NAME first, then in the modules
 * whose name starts with ROLE_, then in all others; only as many modules are opened as that takes, and only their
 * constant data is looked at. Two modules of one name: the first wins, the other is listed as shadowed.
 *
 * Thread: a registry may be used by several threads; loading is serialised inside. */
#ifndef AS_REGISTRY_H
#define AS_REGISTRY_H

#include "core/base/archive.h"
#include "core/base/called.h"
#include "core/base/http.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include <assay/plugin.h>

typedef struct as_registry as_registry;

typedef struct as_registry_options {
	const char *const *dirs; /* --plugin-dir, NULL-terminated; NULL: none */
	const char *path;        /* ASSAY_PLUGIN_PATH; NULL: none */
	const char *lib_dir;     /* ASSAY_LIB_DIR; NULL: the installed one */
	bool shipped_only;       /* look only in lib_dir and the linked-in modules (verify) */
	as_log *log;
} as_registry_options;

int as_registry_new(const as_registry_options *options, as_registry **out, assay_error *err);
/* Only after every instance is closed. The last act before the end of main: modules stay resident until then. */
void as_registry_free(as_registry *r);

/* A found implementation; lives as long as the registry. */
typedef struct as_impl_info {
	const assay_impl *impl;
	const char *use;     /* "sampler/random" */
	const char *module;  /* "sampler_base" */
	const char *version; /* of the plugin */
	const char *path;    /* of its file; "" when linked in */
	bool shipped;        /* its module lies in the installed folder, or is linked in */
	char digest[65];     /* SHA-256 of its file; of its name and version when linked in */
} as_impl_info;

/* `use` is "ROLE/NAME". ASSAY_EPLUGIN: unknown or broken; the message names the near misses and where it looked, and
 * for a broken module the loader's real reason. ASSAY_EINVAL: not of the form, or of another role than `role` (0: any).
 */
int as_registry_find(as_registry *r, const char *use, uint32_t role, const as_impl_info **out, assay_error *err);

/* Everything there is, as an array sorted by module of {"module","version","summary","license","file","abi","state":
 * "ok"|"broken"|"shadowed","reason"?,"shadows":[file],"implementations":[{"role","name","summary","options",
 * "flags":[...],"operations":[...],"shadows":[file],"shadowed_by"?:file}]}. Each file is opened in a child process with
 * a time limit first, so that a module that crashes or hangs is listed, not suffered. role 0: all. */
int as_registry_survey(as_registry *r, uint32_t role, assay_json **out, assay_error *err);

/* The files of modules that would be looked at first and do not ship, as an array of paths; nothing is opened. */
int as_registry_foreign(as_registry *r, assay_json **out, assay_error *err);

/* Implementations found so far, sorted by use: what a run records. */
size_t as_registry_used(as_registry *r, const as_impl_info *const **out);

/* An opened implementation. */
typedef struct as_instance as_instance;
/* Validates options against the implementation's schema (pointer and line in the error), fills defaults, resolves
 * string options with "format": "path" against base_dir ("must-exist": true beside it makes a missing one an error),
 * opens it. options NULL: {}. They are not changed. What open says of them with ASSAY_EINVAL is ASSAY_EDATA here: they
 * stand in a file. */
int as_instance_open(as_registry *r, const char *use, uint32_t role, const assay_json *options, const char *base_dir,
		     as_instance **out, assay_error *err);
void as_instance_close(as_instance *i);
void *as_instance_self(const as_instance *i);
/* The role's table, zero-extended to the size this program knows: cast to const assay_ROLE_ops *. Required operations
 * are never NULL. */
const void *as_instance_ops(const as_instance *i);
const as_impl_info *as_instance_info(const as_instance *i);
/* The thread enters an operation of it; as_called_end or as_called_leave follows it. */
as_called as_instance_enter(const as_instance *i, const char *operation);

const char *as_role_name(uint32_t role);    /* "sampler"; NULL when unknown */
uint32_t as_role_from_name(assay_str name); /* 0 when unknown, or without operations yet */

/* Service modules (core/base/http.h, archive.h): opened on first use from ASSAY_LIB_DIR or $(pkglibdir), or linked in.
 */
int as_service_http(as_registry *r, const as_http_ops **out, assay_error *err);
int as_service_archive(as_registry *r, const as_archive_ops **out, assay_error *err);

/* A sink that collects: emit appends to `values` (an array made on first use), write to `text`. Zero-initialise, then
 * as_collect_init; as_collect_free releases what is left. limit: most values and bytes accepted (0: no limit). */
typedef struct as_collect {
	assay_sink sink; /* pass &collect.sink */
	assay_json *values;
	size_t n_values, n_refused; /* refused: more than max_values */
	as_buf text;
	size_t max_values, max_bytes;
} as_collect;
void as_collect_init(as_collect *c, size_t max_values, size_t max_bytes);
/* The only value emitted, taken out; ASSAY_EPLUGIN "NAME: emitted N values, expected 1" otherwise. */
int as_collect_one(as_collect *c, const char *who, assay_json **out, assay_error *err);
void as_collect_free(as_collect *c);

#endif
