/* Assay SDK: a tool as samplers, goal generators, exposures and distillers see it. */
#ifndef ASSAY_CATALOGUE_H
#define ASSAY_CATALOGUE_H

#include <assay/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of assay_tool.flags, decided by the core when the catalogue is taken. On a server of class stateful_write a tool
 * writes unless the manifest says otherwise, it is annotated readOnlyHint, or its name begins with a reading verb; on
 * the others none does. */
#define ASSAY_TOOL_WRITES 1u      /* calling it may change the server's state */
#define ASSAY_TOOL_DESTRUCTIVE 2u /* its name says that it deletes, drops, cancels ... */

/* One tool of one server. Borrowed, constant, lives as long as the run. */
typedef struct assay_tool {
	uint32_t size;
	uint32_t flags;
	assay_str server;
	assay_str name;
	assay_str description;
	const assay_json *input_schema;  /* NULL when the server gave none */
	const assay_json *output_schema; /* NULL when the server gave none */
	const assay_json *annotations;   /* NULL when the server gave none */
	const assay_str *tags;           /* of its server */
	size_t n_tags;
} assay_tool;

/* A list of tools; the order means something only where an operation says so. */
typedef struct assay_tools {
	const assay_tool *const *list;
	size_t count;
} assay_tools;

#ifdef __cplusplus
}
#endif
#endif
