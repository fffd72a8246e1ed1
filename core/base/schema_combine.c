/* allOf, anyOf, oneOf, not, if: schemas about one value together. */
#include "core/base/error.h"
#include "core/base/schema_check.h"
#include <stdlib.h>
#include <string.h>

static int pointer_depth(const assay_error *err)
{
	int n = 0;
	for (const char *p = err->pointer; *p; p++) {
		n += *p == '/';
	}
	return n;
}

/* When every alternative already fails by its type, the union of the types says it best. */
static unsigned union_of_types(const struct as_schema_list *list, const assay_json *v)
{
	unsigned types = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct as_schema_node *node = list->items[i];
		for (int hops = 0; node->ref && node->types == 0 && hops < 16; hops++) {
			node = node->ref;
		}
		if (node->types == 0 || as_schema_type_fits(node->types, v)) {
			return 0;
		}
		types |= node->types;
	}
	return types;
}

/* No alternative fits: describe the misfit of the one that got furthest. */
static int explain(struct as_schema_check *c, const struct as_schema_list *list, const char *keyword,
		   const assay_json *v, const struct as_place *at)
{
	as_buf names = {0};
	int best = -1;
	int rc = 0;
	unsigned types = union_of_types(list, v);
	if (types) {
		as_schema_type_names(&names, types);
		as_schema_found(c, v, at, "expected %s", names.ptr ? names.ptr : "another type");
		as_buf_free(&names);
		return AS_MISFIT;
	}
	/* On the heap: alternatives nest, and an error is large for the stack. */
	assay_error *errors = as_new(2, sizeof *errors);
	assay_error *caller = c->err;
	if (!errors) {
		return as_fail_memory(c->failure);
	}
	for (size_t i = 0; i < list->n && rc >= 0; i++) {
		as_error_clear(&errors[1]);
		c->err = &errors[1];
		rc = as_schema_check(c, list->items[i], v, at);
		int score = 2 * pointer_depth(&errors[1]) + (c->kind == AS_MISFIT_DETAIL);
		if (score > best) {
			best = score;
			errors[0] = errors[1];
		}
	}
	c->err = caller;
	if (rc > 0) {
		*c->err = errors[0];
		as_error_hint(c->err, "none of %zu alternatives (%s) fits, this is the nearest", list->n, keyword);
	}
	free(errors);
	return rc;
}

static int check_any(struct as_schema_check *c, const struct as_schema_list *list, const assay_json *v,
		     const struct as_place *at)
{
	for (size_t i = 0; i < list->n; i++) {
		int rc = as_schema_try(c, list->items[i], v, at);
		if (rc <= 0) {
			return rc;
		}
	}
	return c->err && c->err->code == 0 ? explain(c, list, "anyOf", v, at) : AS_MISFIT;
}

static int check_one(struct as_schema_check *c, const struct as_schema_list *list, const assay_json *v,
		     const struct as_place *at)
{
	size_t first = list->n;
	for (size_t i = 0; i < list->n; i++) {
		int rc = as_schema_try(c, list->items[i], v, at);
		if (rc < 0) {
			return rc;
		}
		if (rc == 0 && first < list->n) {
			return as_schema_found(
				c, v, at, "expected exactly one of the alternatives, fits both %zu and %zu (oneOf)",
				first, i);
		}
		first = rc == 0 ? i : first;
	}
	if (first < list->n) {
		return 0;
	}
	return c->err && c->err->code == 0 ? explain(c, list, "oneOf", v, at) : AS_MISFIT;
}

static int check_condition(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			   const struct as_place *at)
{
	int rc = as_schema_try(c, node->condition, v, at);
	if (rc < 0) {
		return rc;
	}
	const struct as_schema_node *next = rc == 0 ? node->then : node->otherwise;
	return next ? as_schema_check(c, next, v, at) : 0;
}

static int check_not(struct as_schema_check *c, const struct as_schema_node *excluded, const assay_json *v,
		     const struct as_place *at)
{
	assay_str why = as_json_str(as_json_get(excluded->source, "description"));
	int rc = as_schema_try(c, excluded, v, at);
	if (rc != 0) {
		return rc < 0 ? rc : 0;
	}
	return why.len > 0 ? as_schema_found(c, v, at, "but %.*s", ASSAY_FMT(why))
			   : as_schema_found(c, v, at, "which the schema excludes (not)");
}

int as_schema_check_combined(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			     const struct as_place *at)
{
	int rc = 0;
	for (size_t i = 0; i < node->all.n && rc == 0; i++) {
		rc = as_schema_check(c, node->all.items[i], v, at);
	}
	if (rc == 0 && node->any.n) {
		rc = check_any(c, &node->any, v, at);
	}
	if (rc == 0 && node->one.n) {
		rc = check_one(c, &node->one, v, at);
	}
	if (rc == 0 && node->negation) {
		rc = check_not(c, node->negation, v, at);
	}
	if (rc == 0 && node->condition) {
		rc = check_condition(c, node, v, at);
	}
	return rc;
}
