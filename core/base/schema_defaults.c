#include "core/base/error.h"
#include "core/base/schema_check.h"

#define MAX_STEPS 1000000u

struct filling {
	assay_error *err;
	size_t steps; /* a schema that refers to itself could add for ever */
	unsigned depth;
};

static int fill(struct filling *f, const struct as_schema_node *node, assay_json *v);

static const assay_json *default_of(const struct as_schema_node *node)
{
	for (int hops = 0; node && hops < 16; hops++) {
		if (node->default_value) {
			return node->default_value;
		}
		node = node->ref;
	}
	return NULL;
}

static bool is_excluded(const struct as_schema_node *node, const assay_json *v)
{
	struct as_schema_check c = {0};
	struct as_place root = {0};
	return node->negation && as_schema_try(&c, node->negation, v, &root) == 0;
}

/* An option that another one excludes has no default beside it. */
static int fill_missing(struct filling *f, const struct as_schema_node *node, const struct as_schema_entry *e,
			assay_json *object)
{
	const assay_json *value = as_json_get(object, e->key) ? NULL : default_of(e->schema);
	if (!value || is_excluded(node, object)) {
		return 0;
	}
	assay_json *copy = as_json_clone(value);
	as_json_forget_lines(copy); /* its place is in the schema, not in what is being filled up */
	if (as_json_set(object, e->key, copy) < 0) {
		return as_fail_memory(f->err);
	}
	if (is_excluded(node, object)) {
		as_json_free(as_json_detach(object, e->key));
	}
	return 0;
}

static int fill_object(struct filling *f, const struct as_schema_node *node, assay_json *object)
{
	int rc = 0;
	/* In the order of the document, so that the same options always come out the same way. */
	const assay_json *p = as_json_first(as_json_get(node->source, "properties"));
	for (; p && rc == 0; p = as_json_next(p)) {
		const struct as_schema_entry *e = as_schema_lookup(&node->properties, as_json_key(p).ptr);
		if (!e) {
			continue;
		}
		rc = fill_missing(f, node, e, object);
		assay_json *member = as_json_edit(as_json_get(object, e->key));
		if (rc == 0 && member) {
			rc = fill(f, e->schema, member);
		}
	}
	return rc;
}

static int fill_array(struct filling *f, const struct as_schema_node *node, const assay_json *array)
{
	size_t i = 0;
	for (const assay_json *v = as_json_first(array); v; v = as_json_next(v), i++) {
		const struct as_schema_node *item = i < node->prefix.n ? node->prefix.items[i] : node->rest_items;
		int rc = item ? fill(f, item, as_json_edit(v)) : 0;
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static int fill(struct filling *f, const struct as_schema_node *node, assay_json *v)
{
	int rc = 0;
	if (f->depth >= AS_SCHEMA_MAX_DEPTH || ++f->steps > MAX_STEPS) {
		return as_fail(f->err, ASSAY_ELIMIT, "the schema's defaults have no end");
	}
	f->depth++;
	if (as_json_type(v) == ASSAY_JSON_OBJECT) {
		rc = fill_object(f, node, v);
	} else if (as_json_type(v) == ASSAY_JSON_ARRAY) {
		rc = fill_array(f, node, v);
	}
	for (size_t i = 0; i < node->all.n && rc == 0; i++) {
		rc = fill(f, node->all.items[i], v);
	}
	if (rc == 0 && node->ref) {
		rc = fill(f, node->ref, v);
	}
	f->depth--;
	return rc;
}

int as_schema_fill_defaults(const as_schema *s, assay_json *value, assay_error *err)
{
	struct filling f = {.err = err};
	if (!value) {
		return as_fail(err, ASSAY_EINVAL, "no value to fill");
	}
	return s->has_defaults ? fill(&f, s->root, value) : 0;
}
