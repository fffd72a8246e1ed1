/* $ref, $id and $anchor: places of the same document under their names. URIs are joined in the simple way of RFC 3986,
 * section 5.2, without dot segments; nothing is ever fetched. */
#include "core/base/error.h"
#include "core/base/schema_compile.h"
#include <stdlib.h>
#include <string.h>

/* The table of nodes. */

static size_t slot_of(const struct as_schema_compiler *c, const assay_json *source)
{
	size_t mask = c->cap_nodes - 1;
	size_t slot = (size_t)(((uint64_t)(uintptr_t)source * 0x9E3779B97F4A7C15u) >> 32) & mask;
	while (c->nodes[slot] && c->nodes[slot]->source != source) {
		slot = (slot + 1) & mask;
	}
	return slot;
}

struct as_schema_node *as_schema_find_node(const struct as_schema_compiler *c, const assay_json *source)
{
	return c->cap_nodes ? c->nodes[slot_of(c, source)] : NULL;
}

int as_schema_add_node(struct as_schema_compiler *c, struct as_schema_node *node)
{
	if (c->n_nodes * 2 >= c->cap_nodes) {
		struct as_schema_node **old = c->nodes;
		size_t old_cap = c->cap_nodes;
		size_t cap = old_cap ? old_cap * 2 : 64;
		struct as_schema_node **nodes = as_new(cap, sizeof *nodes);
		if (!nodes) {
			return as_fail_memory(c->err);
		}
		c->nodes = nodes;
		c->cap_nodes = cap;
		for (size_t i = 0; i < old_cap; i++) {
			if (old[i]) {
				c->nodes[slot_of(c, old[i]->source)] = old[i];
			}
		}
		free(old);
	}
	c->nodes[slot_of(c, node->source)] = node;
	c->n_nodes++;
	return 0;
}

/* Names. */

static bool has_scheme(const char *uri)
{
	return strcspn(uri, ":") < strcspn(uri, "/?#");
}

/* Length of the part of base that ref is put behind. */
static size_t kept_of_base(const char *base, const char *ref)
{
	if (ref[0] == '\0') {
		return strlen(base);
	}
	const char *authority = strstr(base, "://");
	const char *path = authority ? authority + 3 + strcspn(authority + 3, "/") : base;
	if (ref[0] == '/' && ref[1] == '/') {
		return authority ? (size_t)(authority + 1 - base) : 0;
	}
	if (ref[0] == '/') {
		return (size_t)(path - base);
	}
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash + 1 - base) : (size_t)(path - base);
}

/* Both without fragment. */
static const char *join(struct as_schema_compiler *c, const char *base, const char *ref)
{
	if (has_scheme(ref)) {
		return as_arena_cstr(&c->schema->arena, as_str(ref));
	}
	return as_arena_printf(&c->schema->arena, "%.*s%s", (int)kept_of_base(base, ref), base, ref);
}

struct as_schema_resource *as_schema_add_resource(struct as_schema_compiler *c, const assay_json *root, const char *uri)
{
	struct as_schema_resource *r = as_arena_alloc(&c->schema->arena, sizeof *r);
	if (r) {
		*r = (struct as_schema_resource){c->resources, root, uri};
		c->resources = r;
	}
	return r;
}

int as_schema_note_anchor(struct as_schema_compiler *c, struct as_schema_node *node, const char *name)
{
	struct as_schema_anchor *a = as_arena_alloc(&c->schema->arena, sizeof *a);
	if (!a) {
		return as_fail_memory(c->err);
	}
	*a = (struct as_schema_anchor){c->anchors, name, node};
	c->anchors = a;
	return 0;
}

int as_schema_note_id(struct as_schema_compiler *c, struct as_schema_node *node)
{
	const char *id = as_json_cstr(as_json_get(node->source, "$id"), NULL);
	if (!id || (c->draft7 && as_json_get(node->source, "$ref"))) {
		return 0;
	}
	if (id[0] == '#') {
		return as_schema_note_anchor(c, node, id + 1);
	}
	const char *plain = as_arena_cstr(&c->schema->arena, (assay_str){id, strcspn(id, "#")});
	const char *uri = plain ? join(c, node->resource->uri, plain) : NULL;
	node->resource = uri ? as_schema_add_resource(c, node->source, uri) : NULL;
	return node->resource ? 0 : as_fail_memory(c->err);
}

int as_schema_note_ref(struct as_schema_compiler *c, struct as_schema_node *node, const assay_json *text,
		       const struct as_place *at)
{
	assay_error place = {0};
	if (!as_grow(&c->refs, &c->cap_refs, c->n_refs + 1, sizeof *c->refs)) {
		return as_fail_memory(c->err);
	}
	as_place_report(at, &place);
	const char *pointer = as_arena_cstr(&c->schema->arena, as_str(place.pointer));
	c->refs[c->n_refs++] = (struct as_schema_ref){node, text, pointer};
	return pointer ? 0 : as_fail_memory(c->err);
}

/* Resolving. */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *percent_decode(struct as_schema_compiler *c, const char *text)
{
	char *out = as_arena_cstr(&c->schema->arena, as_str(text));
	size_t n = 0;
	for (const char *p = text; out && *p; p++) {
		int high = *p == '%' ? hex_digit(p[1]) : -1;
		int low = high >= 0 ? hex_digit(p[2]) : -1;
		if (low >= 0) {
			out[n++] = (char)(high * 16 + low);
			p += 2;
		} else {
			out[n++] = *p;
		}
	}
	if (out) {
		out[n] = '\0';
	}
	return out;
}

static const struct as_schema_resource *find_resource(struct as_schema_compiler *c, const struct as_schema_ref *ref,
						      assay_str uri)
{
	const struct as_schema_resource *base = ref->node->resource;
	const char *plain = as_arena_cstr(&c->schema->arena, uri);
	const char *full = plain ? join(c, base->uri, plain) : NULL;
	if (!full || uri.len == 0) {
		return base;
	}
	for (const struct as_schema_resource *r = c->resources; r; r = r->next) {
		if (strcmp(r->uri, full) == 0) {
			return r;
		}
	}
	return NULL;
}

static struct as_schema_node *find_anchor(const struct as_schema_compiler *c, const struct as_schema_resource *r,
					  const char *name)
{
	for (const struct as_schema_anchor *a = c->anchors; a; a = a->next) {
		if (a->node->resource == r && strcmp(a->name, name) == 0) {
			return a->node;
		}
	}
	return NULL;
}

static int unresolved(struct as_schema_compiler *c, const struct as_schema_ref *ref, int code, const char *why)
{
	if (c->err && c->err->code == 0) {
		as_fail(c->err, code, "$ref \"%.200s\" %s", as_json_cstr(ref->text, ""), why);
		c->err->line = as_json_line(ref->text);
		as_error_pointer(c->err, "%s", ref->pointer);
	}
	return code;
}

static int resolve(struct as_schema_compiler *c, const struct as_schema_ref *ref)
{
	const char *text = as_json_cstr(ref->text, "");
	size_t n = strcspn(text, "#");
	const struct as_schema_resource *resource = find_resource(c, ref, (assay_str){text, n});
	const char *fragment = percent_decode(c, text[n] ? text + n + 1 : "");
	const assay_json *target = NULL;
	struct as_place root = {0};
	if (c->schema->arena.failed) {
		return as_fail_memory(c->err);
	}
	if (!resource) {
		return unresolved(c, ref, ASSAY_ENOTSUP, "leaves the document, which is not supported");
	}
	if (fragment[0] == '\0' || fragment[0] == '/') {
		target = as_json_pointer(resource->root, fragment);
	} else {
		ref->node->ref = find_anchor(c, resource, fragment);
	}
	if (ref->node->ref) {
		return 0;
	}
	if (as_json_type(target) != ASSAY_JSON_OBJECT && as_json_type(target) != ASSAY_JSON_BOOL) {
		return unresolved(c, ref, ASSAY_EDATA,
				  target ? "leads to something that is no schema" : "leads nowhere");
	}
	return as_schema_compile_node(c, target, resource, &root, &ref->node->ref);
}

int as_schema_resolve_refs(struct as_schema_compiler *c)
{
	/* Compiling a target may find more references; they line up at the end. */
	for (size_t i = 0; i < c->n_refs; i++) {
		struct as_schema_ref ref = c->refs[i];
		int rc = resolve(c, &ref);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}
