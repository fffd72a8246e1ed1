#include "core/base/schema_check.h"

#include "core/base/error.h"
#include "core/base/secret.h"
#include "core/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int as_schema_spend(struct as_schema_check *c, uint64_t steps)
{
	c->steps += steps;
	if (c->steps > AS_SCHEMA_MAX_STEPS) {
		return as_fail(c->failure, ASSAY_ELIMIT, "checking against the schema takes too long");
	}
	return 0;
}

static int misfit(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *prefix,
		  const char *format, va_list args) ASSAY_PRINTF(5, 0);

static int misfit(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *prefix,
		  const char *format, va_list args)
{
	char rest[sizeof c->err->message];
	assay_error tail = {0};
	if (c->err && c->err->code == 0) {
		as_failv(&tail, ASSAY_EDATA, format, args);
		memcpy(rest, tail.message, sizeof rest);
		as_fail(c->err, ASSAY_EDATA, "%s%s", prefix, rest);
		c->err->line = as_json_line(v);
		as_place_report(at, c->err);
	}
	c->kind = AS_MISFIT_DETAIL;
	return AS_MISFIT;
}

int as_schema_misfit(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int rc = misfit(c, v, at, "", format, args);
	va_end(args);
	return rc;
}

int as_schema_found(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *format, ...)
{
	as_buf prefix = {0};
	va_list args;
	if (c->err) {
		as_buf_puts(&prefix, "found ");
		as_schema_describe(&prefix, v);
		as_buf_puts(&prefix, ", ");
	}
	va_start(args, format);
	int rc = misfit(c, v, at, prefix.ptr ? prefix.ptr : "", format, args);
	va_end(args);
	as_buf_free(&prefix);
	return rc;
}

bool as_schema_type_fits(unsigned types, const assay_json *v)
{
	int type = as_json_type(v);
	if (types == 0 || (types & 1u << type)) {
		return true;
	}
	if (type != ASSAY_JSON_NUMBER || !(types & AS_SCHEMA_INTEGER)) {
		return false;
	}
	double d = as_json_f64(v, 0.5);
	return as_json_is_integer(v) || floor(d) == d;
}

static int check_type(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		      const struct as_place *at)
{
	as_buf names = {0};
	int rc = 0;
	if (!as_schema_type_fits(node->types, v)) {
		as_schema_type_names(&names, node->types);
		rc = as_schema_found(c, v, at, "expected %s", names.ptr ? names.ptr : "another type");
		c->kind = AS_MISFIT_SORT;
	}
	as_buf_free(&names);
	return rc;
}

/* "one of "a", "b", 3": as much as a line holds. A near string goes to the hint. */
static int enum_misfit(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		       const struct as_place *at)
{
	as_buf known = {0};
	const char *near = NULL;
	if (c->err && c->err->code == 0) {
		for (const assay_json *e = as_json_first(node->values); e && known.len < 300; e = as_json_next(e)) {
			const char *text = as_json_cstr(e, NULL);
			as_buf_puts(&known, known.len ? ", " : "");
			as_json_write(&known, e, ASSAY_JSON_COMPACT);
			if (text && !near && as_json_type(v) == ASSAY_JSON_STRING) {
				near = as_nearest(as_json_str(v), &text, 1);
			}
		}
		as_schema_found(c, v, at, "expected one of %s", known.ptr ? known.ptr : "no values");
		if (near) {
			as_error_hint(c->err, "did you mean \"%s\"?", near);
		}
	}
	as_buf_free(&known);
	c->kind = AS_MISFIT_SORT;
	return AS_MISFIT;
}

static int check_values(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			const struct as_place *at)
{
	as_buf text = {0};
	int rc = 0;
	if (node->constant && !as_json_same(node->constant, v)) {
		as_json_write(&text, c->err ? node->constant : NULL, ASSAY_JSON_COMPACT);
		rc = as_schema_found(c, v, at, "expected %s", text.ptr ? text.ptr : "another value");
		c->kind = AS_MISFIT_SORT;
		as_buf_free(&text);
		return rc;
	}
	if (!node->values) {
		return 0;
	}
	for (const assay_json *e = as_json_first(node->values); e; e = as_json_next(e)) {
		rc = as_schema_spend(c, 1);
		if (rc < 0 || as_json_same(e, v)) {
			return rc;
		}
	}
	return enum_misfit(c, node, v, at);
}

static int check_number(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			const struct as_place *at)
{
	const assay_json *const *b = node->bounds;
	if (b[AS_MINIMUM] && as_json_number_cmp(v, b[AS_MINIMUM]) < 0) {
		return as_schema_found(c, v, at, "expected at least %s", as_json_spelling(b[AS_MINIMUM]).ptr);
	}
	if (b[AS_MAXIMUM] && as_json_number_cmp(v, b[AS_MAXIMUM]) > 0) {
		return as_schema_found(c, v, at, "expected at most %s", as_json_spelling(b[AS_MAXIMUM]).ptr);
	}
	if (b[AS_EXCLUSIVE_MINIMUM] && as_json_number_cmp(v, b[AS_EXCLUSIVE_MINIMUM]) <= 0) {
		return as_schema_found(c, v, at, "expected more than %s",
				       as_json_spelling(b[AS_EXCLUSIVE_MINIMUM]).ptr);
	}
	if (b[AS_EXCLUSIVE_MAXIMUM] && as_json_number_cmp(v, b[AS_EXCLUSIVE_MAXIMUM]) >= 0) {
		return as_schema_found(c, v, at, "expected less than %s",
				       as_json_spelling(b[AS_EXCLUSIVE_MAXIMUM]).ptr);
	}
	if (node->multiple_of && !as_schema_is_multiple(v, node->multiple_of)) {
		return as_schema_found(c, v, at, "expected a multiple of %s", as_json_spelling(node->multiple_of).ptr);
	}
	return 0;
}

static int check_string(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			const struct as_place *at)
{
	assay_str text = as_json_str(v);
	int64_t least = node->sizes[AS_MIN_LENGTH];
	int64_t most = node->sizes[AS_MAX_LENGTH];
	if (least >= 0 || most >= 0) {
		int64_t n = (int64_t)as_utf8_length(text);
		if (n < least) {
			return as_schema_found(c, v, at, "expected at least %lld character%s", (long long)least,
					       least == 1 ? "" : "s");
		}
		if (most >= 0 && n > most) {
			return as_schema_found(c, v, at, "expected at most %lld character%s", (long long)most,
					       most == 1 ? "" : "s");
		}
	}
	if (!node->pattern) {
		return 0;
	}
	int rc = as_schema_spend(c, 10);
	if (rc == 0) {
		rc = as_regex_search(node->pattern, text, c->failure);
	}
	if (rc != 0) {
		return rc < 0 ? rc : 0;
	}
	as_secret_scan scan = {.text = text, .key = as_json_key(v)};
	as_secret secret;
	if (as_secret_next(&scan, &secret)) { /* at the place of a variable's name, often */
		return as_schema_misfit(c, v, at, "found what looks like a secret, expected a match of %s",
					node->pattern_text);
	}
	return as_schema_found(c, v, at, "expected a match of %s", node->pattern_text);
}

static int check_node(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		      const struct as_place *at)
{
	int rc = node->never ? as_schema_found(c, v, at, "expected nothing here") : 0;
	rc = rc ? rc : check_type(c, node, v, at);
	rc = rc ? rc : check_values(c, node, v, at);
	if (rc) {
		return rc;
	}
	switch (as_json_type(v)) {
	case ASSAY_JSON_NUMBER:
		rc = check_number(c, node, v, at);
		break;
	case ASSAY_JSON_STRING:
		rc = check_string(c, node, v, at);
		break;
	case ASSAY_JSON_ARRAY:
		rc = as_schema_check_array(c, node, v, at);
		break;
	case ASSAY_JSON_OBJECT:
		rc = as_schema_check_object(c, node, v, at);
		break;
	default:
		break;
	}
	rc = rc ? rc : as_schema_check_combined(c, node, v, at);
	return rc || !node->ref ? rc : as_schema_check(c, node->ref, v, at);
}

int as_schema_check(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		    const struct as_place *at)
{
	int rc = as_schema_spend(c, 1);
	if (rc < 0) {
		return rc;
	}
	if (c->depth >= AS_SCHEMA_MAX_DEPTH) {
		return as_fail(c->failure, ASSAY_ELIMIT, "the schema refers to itself too deeply");
	}
	c->depth++;
	rc = check_node(c, node, v, at);
	c->depth--;
	return rc;
}

int as_schema_try(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		  const struct as_place *at)
{
	assay_error *err = c->err;
	c->err = NULL;
	int rc = as_schema_check(c, node, v, at);
	c->err = err;
	return rc;
}

int as_schema_validate(const as_schema *s, const assay_json *value, assay_error *err)
{
	struct as_place root = {0};
	struct as_schema_check c = {.err = err, .failure = err};
	if (!value) {
		return as_fail(err, ASSAY_EINVAL, "no value to check");
	}
	int rc = as_schema_check(&c, s->root, value, &root);
	return rc > 0 ? ASSAY_EDATA : rc;
}
