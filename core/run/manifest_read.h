/* From the expanded document to structs. Private to the manifest. */
#ifndef AS_MANIFEST_READ_H
#define AS_MANIFEST_READ_H

#include "core/run/manifest.h"

typedef struct as_manifest_build {
	as_manifest m; /* first: this is what the public pointer points to */
	as_arena arena;
	assay_json **owned; /* option objects made while reading */
	size_t n_owned, cap_owned;
} as_manifest_build;

/* Give the categories that ship what their entries leave out, and every category its count. */
int as_expand_categories(assay_json *document, assay_error *err);

int as_read_base_dir(as_manifest_build *b, assay_error *err); /* of b->m.path */

/* Put the texts of prompts, those that ship and those that the manifest names, into the document. */
int as_expand_prompts(assay_json *document, const char *base_dir, assay_error *err);

/* Read b->m.document. ASSAY_EDATA with line and pointer. */
int as_manifest_read(as_manifest_build *b, assay_error *err);

/* Fail at a value: line and pointer (made from the arguments) filled in. */
int as_manifest_fail(const assay_json *at, assay_error *err, const char *pointer, const char *format, ...)
	ASSAY_PRINTF(4, 5);

/* A copy of an object without the keys in `reserved` (NULL-terminated); owned by the build. */
int as_take_options(as_manifest_build *b, const assay_json *object, const char *const *reserved, const assay_json **out,
		    assay_error *err);

/* "use" object to as_use: options are what is left when the keys in `reserved` (NULL-terminated) are taken out.
 * `fallback`: its use when the object is NULL. */
/* {"turns","seconds","tokens","usd"}; seconds: when it says nothing. */
as_budget as_read_budget(const assay_json *budget, uint32_t seconds);
int as_read_use(as_manifest_build *b, const assay_json *object, const char *role, const char *fallback,
		const char *const *reserved, const char *pointer, as_use *out, assay_error *err);

int as_read_servers(as_manifest_build *b, assay_error *err);    /* environments and servers */
int as_read_generation(as_manifest_build *b, assay_error *err); /* authors, categories, gates */
int as_read_categories(as_manifest_build *b, assay_error *err);
int as_read_evaluation(as_manifest_build *b, assay_error *err); /* candidates, conditions, scorers */

#endif
