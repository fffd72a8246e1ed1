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
	int met =
		leaf_text(leaf, &text) < 0 ? as_fail_memory(err) : search(as_json_str(wanted), as_buf_str(&text), err);
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

/* A member that is meant to be a text: 1 set, 0 not set, -1 something else. */
static int set_text(const assay_json *object, const char *key, const assay_json **out)
{
	int type = as_json_type(as_json_get(object, key));
	*out = as_json_get(object, key);
	return type == ASSAY_JSON_STRING ? 1 : type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL ? 0 : -1;
}

/* All set members of one matcher on one value. */
static int match_value(const assay_json *matcher, const assay_json *value, assay_error *err)
{
	const assay_json *equals = as_json_get(matcher, "equals"), *starts, *contains, *regex;
	int has_start = set_text(matcher, "starts_with", &starts),
	    has_contains = set_text(matcher, "contains", &contains);
	int has_regex = set_text(matcher, "regex", &regex);
	bool text = as_json_type(value) == ASSAY_JSON_STRING;
	int met = 1;
	if (as_json_type(matcher) != ASSAY_JSON_OBJECT || has_start < 0 || has_contains < 0 || has_regex < 0) {
		return 0;
	}
	if (equals && as_json_type(equals) != ASSAY_JSON_NULL && !as_json_equal(value, equals)) {
		return 0;
	}
	if (has_start) {
		met = some_leaf(value, leaf_starts_with, starts, err);
	}
	if (met == 1 && has_contains) {
		met = text ? as_str_contains(as_json_str(value), as_json_str(contains))
			   : some_leaf(value, leaf_contains, contains, err);
	}
	if (met == 1 && has_regex) {
		met = text ? search(as_json_str(regex), as_json_str(value), err)
			   : some_leaf(value, leaf_regex, regex, err);
	}
	return met;
}

/* An object, or null or nothing for an empty one. */
static bool is_map(const assay_json *v)
{
	int type = as_json_type(v);
	return type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_OBJECT;
}

int as_args_match(const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	const assay_json *include = as_json_get(predicate, "must_include"),
			 *match = as_json_get(predicate, "must_match");
	if (!is_map(predicate) || !is_map(include) || !is_map(match)) {
		return 0;
	}
	if (!as_json_first(include) && !as_json_first(match)) {
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

/* A list of texts, or null or nothing for an empty one. */
static bool is_text_list(const assay_json *list)
{
	int type = as_json_type(list);
	bool good = type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_ARRAY;
	for (const assay_json *v = as_json_first(list); v && good; v = as_json_next(v)) {
		good = as_json_type(v) == ASSAY_JSON_STRING;
	}
	return good;
}

int as_value_match(const assay_json *predicate, assay_str text, assay_error *err)
{
	const assay_json *any = as_json_get(predicate, "contains_any"), *all = as_json_get(predicate, "contains_all");
	const assay_json *regex;
	bool found = !as_json_first(any);
	if (set_text(predicate, "regex", &regex) < 0 || !is_text_list(any) || !is_text_list(all)) {
		return 0;
	}
	if (!as_json_first(any) && !as_json_first(all) && as_json_str(regex).len == 0) {
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
	if (!found) {
		return 0;
	}
	return as_json_str(regex).len > 0 ? search(as_json_str(regex), text, err) : 1;
}

static int check_pattern(const assay_json *object, assay_error *err)
{
	const assay_json *pattern;
	as_regex *re = NULL;
	int set = set_text(object, "regex", &pattern), rc = 0;
	if (set < 0) {
		rc = as_fail(err, ASSAY_EDATA, "a regular expression is a text or null");
	} else if (set) {
		rc = as_regex_compile(as_json_str(pattern), &re, err);
	}
	as_regex_free(re);
	if (rc < 0) {
		as_error_pointer(err, "/regex");
	}
	return rc == ASSAY_ELIMIT ? ASSAY_EDATA : rc; /* too large for us is no good predicate either */
}

static int check_text(const assay_json *object, const char *key, assay_error *err)
{
	const assay_json *text;
	if (set_text(object, key, &text) >= 0) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is a text or null", key);
	as_error_pointer(err, "/%s", key);
	return ASSAY_EDATA;
}

static int check_matcher(const assay_json *matcher, assay_error *err)
{
	int rc;
	if (as_json_type(matcher) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a matcher is an object with equals, starts_with, contains or regex");
	}
	rc = check_text(matcher, "starts_with", err);
	rc = rc < 0 ? rc : check_text(matcher, "contains", err);
	return rc < 0 ? rc : check_pattern(matcher, err);
}

static int check_map(const assay_json *predicate, const char *key, assay_error *err)
{
	if (is_map(as_json_get(predicate, key))) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is an object", key);
	as_error_pointer(err, "/%s", key);
	return ASSAY_EDATA;
}

int as_args_predicate_check(const assay_json *predicate, assay_error *err)
{
	int rc;
	if (!is_map(predicate)) {
		return as_fail(err, ASSAY_EDATA, "an argument predicate is an object with must_include and must_match");
	}
	rc = check_map(predicate, "must_include", err);
	rc = rc < 0 ? rc : check_map(predicate, "must_match", err);
	for (const assay_json *m = as_json_first(as_json_get(predicate, "must_match")); m && rc == 0;
	     m = as_json_next(m)) {
		rc = check_matcher(m, err);
		if (rc < 0) {
			as_error_pointer(err, "/must_match/%.*s", ASSAY_FMT(as_json_key(m)));
		}
	}
	return rc;
}

static int check_texts(const assay_json *predicate, const char *key, assay_error *err)
{
	if (is_text_list(as_json_get(predicate, key))) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is an array of texts or null", key);
	as_error_pointer(err, "/%s", key);
	return ASSAY_EDATA;
}

int as_value_predicate_check(const assay_json *predicate, assay_error *err)
{
	int rc;
	if (as_json_type(predicate) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA,
			       "a value predicate is an object with contains_any, contains_all or regex");
	}
	rc = check_texts(predicate, "contains_any", err);
	rc = rc < 0 ? rc : check_texts(predicate, "contains_all", err);
	rc = rc < 0 ? rc : check_pattern(predicate, err);
	if (rc == 0 && !as_json_first(as_json_get(predicate, "contains_any")) &&
	    !as_json_first(as_json_get(predicate, "contains_all")) &&
	    as_json_str(as_json_get(predicate, "regex")).len == 0) {
		rc = as_fail(err, ASSAY_EDATA, "a value predicate without any condition never matches");
	}
	return rc;
}
