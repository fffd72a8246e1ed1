/* One module: a file or a linked-in module, and what its descriptor says once it was opened and found in order. */
#ifndef AS_MODULE_H
#define AS_MODULE_H

#include "core/base/json.h"
#include "core/base/schema.h"
#include "core/plugin/registry.h"

#define AS_PLUGIN_SYMBOL "assay_plugin_v1"
#define AS_MODULE_NAME_MAX 64u /* bytes of the name of a module or an implementation */

typedef enum as_module_state {
	AS_MODULE_UNSEEN, /* not opened yet */
	AS_MODULE_OK,
	AS_MODULE_BROKEN,  /* reason says why */
	AS_MODULE_SHADOWED /* another of its name comes first */
} as_module_state;

typedef struct as_module_impl {
	const assay_impl *impl;
	assay_json *options; /* the schema's document */
	as_schema *schema;   /* compiled */
	as_impl_info *info;  /* NULL until it was asked for; the registry's */
} as_module_impl;

typedef struct as_module {
	const char *stem;
	const char *path;   /* absolute; "" when linked in */
	const char *shadow; /* path of the one that comes first, when shadowed */
	bool shipped;       /* lies in the installed folder, or is linked in */
	bool trusted;       /* shipped, or a child process has opened it without harm */
	as_module_state state;
	const assay_plugin *plugin;
	as_module_impl *impls;
	size_t n_impls;
	assay_error reason;
} as_module;

/* Open it and check all that can be checked without running anything but its getter. Sets state, and reason when it is
 * BROKEN: file, what is wrong, what to do. Once: later calls answer the same. ASSAY_EPLUGIN when broken. */
int as_module_load(as_module *m, assay_error *err);
void as_module_free(as_module *m);

/* What open gets: the given options (NULL: none), checked, with defaults and paths. base_dir may be NULL. */
int as_module_options(const as_module_impl *mi, const assay_json *given, const char *base_dir, assay_json **out,
		      assay_error *err);

/* [a-z][a-z0-9_]*, at most AS_MODULE_NAME_MAX bytes; `dash` allows "-" too. */
bool as_module_name_ok(assay_str name, bool dash);

/* "sampler_base.so" for messages. */
const char *as_module_label(const as_module *m);

#endif
