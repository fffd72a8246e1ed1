#include "core/task/predicate.h"

#include "core/base/error.h"
#include "core/base/regex.h"
#include <string.h>

/* str(x) of a scalar leaf (reference page 4.1). Collections are no leaves. */
static int leaf_text(const assay_json *leaf, as_buf *out)
{
	switch (as_json_type(leaf)) {
	case ASSAY_JSON_STRING:
		as_buf_add(out, as_json_str(leaf));
		break;
	case ASSAY_JSON_BOOL:
		as_buf_puts(out, as_json_boolean(leaf, 0) ? "True" : "False");
		break;
	case ASSAY_JSON_NULL:
		as_buf_puts(out, "None");
		break;
	default:
		as_json_write(out, leaf, ASSAY_JSON_CANONICAL);
		break;
	}
	return out->failed ? ASSAY_ENOMEM : 0;
}

/* One matcher on one leaf: 1, 0 or negative. */
typedef int (*leaf_test)(const assay_json *leaf, const assay_json *wanted, assay_error *err);

static int leaf_starts_with(const assay_json *leaf, const assay_json *wanted, assay_error *err)
{
	(void)err;
	return as_json_type(leaf) == ASSAY_JSON_STRING && as_str_starts(as_json_str(leaf), as_json_str(wanted));
}

static int leaf_contains(const assay_json *leaf, const assay_json *wanted, assay_error *err)
{
	as_buf text = {0};
	int met;
	if (leaf_text(leaf, &text) < 0) {
		as_buf_free(&text);
		return as_fail_memory(err);
	}
	met = as_str_eq(as_buf_str(&text), as_json_str(wanted));
	as_buf_free(&text);
	return met;
}

/* A pattern that does not compile matches nothing; running out of limits is told. */
static int search(assay_str pattern, assay_str subject, assay_error *err)
{
	assay_error local = {0};
	int rc = as_regex_once(pattern, subject, &local);
	if (rc >= 0 || rc == ASSAY_EDATA) {
		return rc == 1;
	}
	if (err) {
		*err = local;
	}
	return rc;
}

static int leaf_regex(const assay_json *leaf, const assay_json *wanted, assay_error *err)
{
	as_buf text = {0};
	int met = leaf_text(leaf, &text) < 0 ? as_fail_memory(err) : search(as_json_str(wanted), as_buf_str(&text), err);
	as_buf_free(&text);
	return met;
}

/* Does some leaf of `value` pass? Depth-first; object keys are not leaves. */
static int some_leaf(const assay_json *value, leaf_test test, const assay_json *wanted, assay_error *err)
{
	int type = as_json_type(value);
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return test(value, wanted, err);
	}
	for (const assay_json *v = as_json_first(value); v; v = as_json_next(v)) {
		int met = some_leaf(v, test, wanted, err);
		if (met != 0) {
			return met;
		}
	}
	return 0;
}

/* All set members of one matcher on one value. */
static int match_value(const assay_json *matcher, const assay_json *value, assay_error *err)
{
	const assay_json *equals = as_json_get(matcher, "equals");
	const assay_json *starts = as_json_get(matcher, "starts_with");
	const assay_json *contains = as_json_get(matcher, "contains");
	const assay_json *regex = as_json_get(matcher, "regex");
	bool text = as_json_type(value) == ASSAY_JSON_STRING;
	int met = 1;
	if (as_json_type(matcher) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	if (equals && as_json_type(equals) != ASSAY_JSON_NULL && !as_json_equal(value, equals)) {
		return 0;
	}
	if (as_json_type(starts) == ASSAY_JSON_STRING) {
		met = some_leaf(value, leaf_starts_with, starts, err);
	}
	if (met == 1 && as_json_type(contains) == ASSAY_JSON_STRING) {
		met = text ? as_str_contains(as_json_str(value), as_json_str(contains))
		           : some_leaf(value, leaf_contains, contains, err);
	}
	if (met == 1 && as_json_type(regex) == ASSAY_JSON_STRING) {
		met = text ? search(as_json_str(regex), as_json_str(value), err) : some_leaf(value, leaf_regex, regex, err);
	}
	return met;
}

int as_args_match(const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	const assay_json *include = as_json_get(predicate, "must_include"), *match = as_json_get(predicate, "must_match");
	if (as_json_count(include) == 0 && as_json_count(match) == 0) {
		return 1;
	}
	if (as_json_type(arguments) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *want = as_json_first(include); want; want = as_json_next(want)) {
		const assay_json *have = as_json_get_n(arguments, as_json_key(want));
		if (!have || !as_json_equal(have, want)) {
			return 0;
		}
	}
	for (const assay_json *matcher = as_json_first(match); matcher; matcher = as_json_next(matcher)) {
		const assay_json *have = as_json_get_n(arguments, as_json_key(matcher));
		int met = have ? match_value(matcher, have, err) : 0;
		if (met != 1) {
			return met;
		}
	}
	return 1;
}

int as_value_match(const assay_json *predicate, assay_str text, assay_error *err)
{
	const assay_json *any = as_json_get(predicate, "contains_any"), *all = as_json_get(predicate, "contains_all");
	assay_str pattern = as_json_str(as_json_get(predicate, "regex"));
	bool found = false;
	if (as_json_count(any) == 0 && as_json_count(all) == 0 && pattern.len == 0) {
		return 0;
	}
	for (const assay_json *needle = as_json_first(all); needle; needle = as_json_next(needle)) {
		if (!as_str_contains(text, as_json_str(needle))) {
			return 0;
		}
	}
	for (const assay_json *needle = as_json_first(any); needle && !found; needle = as_json_next(needle)) {
		found = as_str_contains(text, as_json_str(needle));
	}
	if (as_json_count(any) > 0 && !found) {
		return 0;
	}
	return pattern.len > 0 ? search(pattern, text, err) : 1;
}

static int check_pattern(const assay_json *pattern, assay_error *err)
{
	as_regex *re = NULL;
	int rc;
	if (!pattern || as_json_type(pattern) == ASSAY_JSON_NULL) {
		return 0;
	}
	if (as_json_type(pattern) != ASSAY_JSON_STRING) {
		as_fail(err, ASSAY_EDATA, "a regular expression is a text");
		return as_error_pointer(err, "/regex");
	}
	rc = as_regex_compile(as_json_str(pattern), &re, err);
	as_regex_free(re);
	return rc < 0 ? as_error_pointer(err, "/regex") : 0;
}

static int check_text(const assay_json *object, const char *key, assay_error *err)
{
	int type = as_json_type(as_json_get(object, key));
	if (type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_STRING) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is a text or null", key);
	return as_error_pointer(err, "/%s", key);
}

static int check_matcher(const assay_json *matcher, assay_error *err)
{
	int rc;
	if (as_json_type(matcher) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a matcher is an object with equals, starts_with, contains or regex");
	}
	rc = check_text(matcher, "starts_with", err);
	rc = rc < 0 ? rc : check_text(matcher, "contains", err);
	return rc < 0 ? rc : check_pattern(as_json_get(matcher, "regex"), err);
}

static int check_object(const assay_json *predicate, const char *key, assay_error *err)
{
	int type = as_json_type(as_json_get(predicate, key));
	if (type == ASSAY_JSON_NONE || type == ASSAY_JSON_OBJECT) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is an object", key);
	return as_error_pointer(err, "/%s", key);
}

int as_args_predicate_check(const assay_json *predicate, assay_error *err)
{
	int rc;
	if (!predicate || as_json_type(predicate) == ASSAY_JSON_NULL) {
		return 0;
	}
	if (as_json_type(predicate) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "an argument predicate is an object with must_include and must_match");
	}
	rc = check_object(predicate, "must_include", err);
	rc = rc < 0 ? rc : check_object(predicate, "must_match", err);
	for (const assay_json *m = as_json_first(as_json_get(predicate, "must_match")); m && rc == 0; m = as_json_next(m)) {
		rc = check_matcher(m, err);
		if (rc < 0) {
			as_error_pointer(err, "/must_match/%.*s", ASSAY_FMT(as_json_key(m)));
		}
	}
	return rc;
}

static int check_texts(const assay_json *predicate, const char *key, assay_error *err)
{
	const assay_json *list = as_json_get(predicate, key);
	int type = as_json_type(list);
	bool good = type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_ARRAY;
	for (const assay_json *v = type == ASSAY_JSON_ARRAY ? as_json_first(list) : NULL; v && good; v = as_json_next(v)) {
		good = as_json_type(v) == ASSAY_JSON_STRING;
	}
	if (good) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is an array of texts or null", key);
	return as_error_pointer(err, "/%s", key);
}

int as_value_predicate_check(const assay_json *predicate, assay_error *err)
{
	int rc;
	if (as_json_type(predicate) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a value predicate is an object with contains_any, contains_all or regex");
	}
	rc = check_texts(predicate, "contains_any", err);
	rc = rc < 0 ? rc : check_texts(predicate, "contains_all", err);
	rc = rc < 0 ? rc : check_pattern(as_json_get(predicate, "regex"), err);
	if (rc == 0 && as_json_count(as_json_get(predicate, "contains_any")) == 0 &&
	    as_json_count(as_json_get(predicate, "contains_all")) == 0 &&
	    as_json_str(as_json_get(predicate, "regex")).len == 0) {
		rc = as_fail(err, ASSAY_EDATA, "a value predicate without any condition never matches");
	}
	return rc;
}
