/* Compiling a schema: keywords in schema_compile.c, references in schema_ref.c. */
#ifndef AS_SCHEMA_COMPILE_H
#define AS_SCHEMA_COMPILE_H

#include "core/base/schema_node.h"

struct as_schema_ref {
	struct as_schema_node *node;
	const assay_json *text;
	const char *pointer; /* of the $ref, for messages */
};

struct as_schema_anchor {
	const struct as_schema_anchor *next;
	const char *name;
	struct as_schema_node *node;
};

struct as_schema_compiler {
	struct as_schema *schema;
	assay_error *err;
	bool draft7;
	unsigned depth;
	/* Open addressing by the address of the source: a part of the document is compiled once. */
	struct as_schema_node **nodes;
	size_t n_nodes, cap_nodes;
	struct as_schema_ref *refs; /* resolved when everything is compiled */
	size_t n_refs, cap_refs;
	const struct as_schema_resource *resources;
	const struct as_schema_anchor *anchors;
};

int as_schema_compile_node(struct as_schema_compiler *c, const assay_json *v, const struct as_schema_resource *resource,
			   const struct as_place *at, struct as_schema_node **out);

struct as_schema_node *as_schema_find_node(const struct as_schema_compiler *c, const assay_json *source);
int as_schema_add_node(struct as_schema_compiler *c, struct as_schema_node *node);

struct as_schema_resource *as_schema_add_resource(struct as_schema_compiler *c, const assay_json *root,
						  const char *uri);
int as_schema_note_id(struct as_schema_compiler *c, struct as_schema_node *node);
int as_schema_note_anchor(struct as_schema_compiler *c, struct as_schema_node *node, const char *name);
int as_schema_note_ref(struct as_schema_compiler *c, struct as_schema_node *node, const assay_json *text,
		       const struct as_place *at);
int as_schema_resolve_refs(struct as_schema_compiler *c);

#endif
