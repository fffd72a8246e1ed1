#include "core/task/predicate.h"

#include "core/base/error.h"
#include "core/base/regex.h"
#include <stdlib.h>

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

/* A regular expression, compiled when it is first asked for. */
struct pattern {
	assay_str text;
	as_regex *re;
	bool tried;
	int rc; /* why there is none: ASSAY_EDATA, it matches nothing; ASSAY_ELIMIT, too large for us */
};

/* What one member of must_match asks of an argument. */
struct matcher {
	const assay_json *member; /* with its key */
	const assay_json *equals, *starts, *contains;
	struct pattern regex;
	bool has_regex, never;
};

struct as_predicate {
	bool never; /* of the wrong shape */
	const assay_json *include;
	struct matcher *matchers;
	size_t n_matchers;
	const assay_json *any, *all;
	struct pattern regex;
	as_arena arena; /* of the matchers */
};

/* A member that is meant to be a text: 1 set, 0 not set, -1 something else. */
static int set_text(const assay_json *object, const char *key, const assay_json **out)
{
	int type;
	*out = as_json_get(object, key);
	type = as_json_type(*out);
	return type == ASSAY_JSON_STRING ? 1 : type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL ? 0 : -1;
}

/* An object, or null or nothing for an empty one. */
static bool is_map(const assay_json *v)
{
	int type = as_json_type(v);
	return type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_OBJECT;
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

static void read_matcher(const assay_json *member, struct matcher *out)
{
	const assay_json *regex;
	int start = set_text(member, "starts_with", &out->starts);
	int contains = set_text(member, "contains", &out->contains);
	int has_regex = set_text(member, "regex", &regex);
	out->member = member;
	out->never = as_json_type(member) != ASSAY_JSON_OBJECT || start < 0 || contains < 0 || has_regex < 0;
	out->equals = as_json_get(member, "equals");
	out->equals = as_json_type(out->equals) == ASSAY_JSON_NULL ? NULL : out->equals;
	out->starts = start > 0 ? out->starts : NULL;
	out->contains = contains > 0 ? out->contains : NULL;
	out->has_regex = has_regex > 0;
	out->regex.text = as_json_str(regex);
}

int as_args_compile(const assay_json *predicate, as_predicate **out, assay_error *err)
{
	const assay_json *include = as_json_get(predicate, "must_include"),
			 *match = as_json_get(predicate, "must_match");
	as_predicate *p = as_new(1, sizeof *p);
	*out = p;
	if (!p) {
		return as_fail_memory(err);
	}
	if (!is_map(predicate) || !is_map(include) || !is_map(match)) {
		p->never = true;
		return 0;
	}
	p->include = as_json_first(include);
	if (as_json_first(match)) {
		p->matchers = as_arena_alloc(&p->arena, as_json_count(match) * sizeof *p->matchers);
		if (!p->matchers) {
			as_predicate_free(p);
			*out = NULL;
			return as_fail_memory(err);
		}
	}
	for (const assay_json *m = as_json_first(match); m; m = as_json_next(m)) {
		read_matcher(m, &p->matchers[p->n_matchers++]);
	}
	return 0;
}

int as_value_compile(const assay_json *predicate, as_predicate **out, assay_error *err)
{
	const assay_json *any = as_json_get(predicate, "contains_any"), *all = as_json_get(predicate, "contains_all");
	const assay_json *regex;
	as_predicate *p = as_new(1, sizeof *p);
	*out = p;
	if (!p) {
		return as_fail_memory(err);
	}
	p->never = set_text(predicate, "regex", &regex) < 0 || !is_text_list(any) || !is_text_list(all);
	p->any = as_json_first(any);
	p->all = as_json_first(all);
	p->regex.text = as_json_str(regex);
	p->never = p->never || (!p->any && !p->all && p->regex.text.len == 0);
	return 0;
}

void as_predicate_free(as_predicate *p)
{
	if (p) {
		for (size_t i = 0; i < p->n_matchers; i++) {
			as_regex_free(p->matchers[i].regex.re);
		}
		as_regex_free(p->regex.re);
		as_arena_free(&p->arena);
		free(p);
	}
}

/* Asking. */

/* Take from the work that is left, a step for each piece of text that is looked through. */
static int spend(uint64_t *work, size_t bytes, assay_error *err)
{
	uint64_t cost = 1 + bytes / 64;
	if (*work >= cost) {
		*work -= cost;
		return 0;
	}
	*work = 0;
	as_fail(err, ASSAY_ELIMIT, "the work allowed for the checks of one attempt is used up");
	if (err) {
		err->detail = AS_REGEX_STOCK;
	}
	return ASSAY_ELIMIT;
}

/* A pattern that does not compile matches nothing; running out of limits is told. */
static int search(struct pattern *p, assay_str subject, uint64_t *work, assay_error *err)
{
	if (!p->tried) {
		p->rc = as_regex_compile(p->text, &p->re, NULL);
		p->tried = p->rc != ASSAY_ENOMEM;
	}
	if (p->rc < 0) {
		return p->rc == ASSAY_EDATA ? 0 : as_fail(err, p->rc, "the pattern cannot be compiled here");
	}
	return as_regex_search_within(p->re, subject, work, err);
}

static int contains(assay_str text, assay_str needle, uint64_t *work, assay_error *err)
{
	int rc = spend(work, text.len, err);
	return rc < 0 ? rc : as_str_contains(text, needle);
}

/* A matcher's question to one leaf: 1, 0 or negative. */
typedef int (*leaf_test)(const assay_json *leaf, struct matcher *m, uint64_t *work, assay_error *err);

static int leaf_starts_with(const assay_json *leaf, struct matcher *m, uint64_t *work, assay_error *err)
{
	int rc = spend(work, 0, err);
	return rc < 0 ? rc
		      : as_json_type(leaf) == ASSAY_JSON_STRING &&
				as_str_starts(as_json_str(leaf), as_json_str(m->starts));
}

static int leaf_contains(const assay_json *leaf, struct matcher *m, uint64_t *work, assay_error *err)
{
	as_buf text = {0};
	int met = spend(work, 0, err);
	if (met == 0) {
		met = leaf_text(leaf, &text) < 0 ? as_fail_memory(err)
						 : as_str_eq(as_buf_str(&text), as_json_str(m->contains));
	}
	as_buf_free(&text);
	return met;
}

static int leaf_regex(const assay_json *leaf, struct matcher *m, uint64_t *work, assay_error *err)
{
	as_buf text = {0};
	int met = spend(work, 0, err);
	if (met == 0) {
		met = leaf_text(leaf, &text) < 0 ? as_fail_memory(err)
						 : search(&m->regex, as_buf_str(&text), work, err);
	}
	as_buf_free(&text);
	return met;
}

/* Does some leaf of `value` pass? Depth-first; object keys are not leaves. */
static int some_leaf(const assay_json *value, leaf_test test, struct matcher *m, uint64_t *work, assay_error *err)
{
	int type = as_json_type(value);
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return test(value, m, work, err);
	}
	for (const assay_json *v = as_json_first(value); v; v = as_json_next(v)) {
		int met = some_leaf(v, test, m, work, err);
		if (met != 0) {
			return met;
		}
	}
	return 0;
}

/* All set members of one matcher on one value. */
static int match_value(struct matcher *m, const assay_json *value, uint64_t *work, assay_error *err)
{
	bool text = as_json_type(value) == ASSAY_JSON_STRING;
	int met = 1;
	if (m->never || (m->equals && !as_json_equal(value, m->equals))) {
		return 0;
	}
	if (m->starts) {
		met = some_leaf(value, leaf_starts_with, m, work, err);
	}
	if (met == 1 && m->contains) {
		met = text ? contains(as_json_str(value), as_json_str(m->contains), work, err)
			   : some_leaf(value, leaf_contains, m, work, err);
	}
	if (met == 1 && m->has_regex) {
		met = text ? search(&m->regex, as_json_str(value), work, err)
			   : some_leaf(value, leaf_regex, m, work, err);
	}
	return met;
}

int as_args_met(as_predicate *p, const assay_json *arguments, uint64_t *work, assay_error *err)
{
	if (p->never) {
		return 0;
	}
	if (!p->include && p->n_matchers == 0) {
		return 1;
	}
	if (as_json_type(arguments) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *want = p->include; want; want = as_json_next(want)) {
		const assay_json *have = as_json_get_n(arguments, as_json_key(want));
		int rc = spend(work, 0, err);
		if (rc < 0 || !have || !as_json_equal(have, want)) {
			return rc;
		}
	}
	for (size_t i = 0; i < p->n_matchers; i++) {
		const assay_json *have = as_json_get_n(arguments, as_json_key(p->matchers[i].member));
		int met = spend(work, 0, err);
		met = met < 0 || !have ? met : match_value(&p->matchers[i], have, work, err);
		if (met != 1) {
			return met;
		}
	}
	return 1;
}

int as_value_met(as_predicate *p, assay_str text, uint64_t *work, assay_error *err)
{
	int met = p->any == NULL;
	if (p->never) {
		return 0;
	}
	for (const assay_json *needle = p->all; needle; needle = as_json_next(needle)) {
		int found = contains(text, as_json_str(needle), work, err);
		if (found != 1) {
			return found;
		}
	}
	for (const assay_json *needle = p->any; needle && met == 0; needle = as_json_next(needle)) {
		met = contains(text, as_json_str(needle), work, err);
	}
	return met == 1 && p->regex.text.len > 0 ? search(&p->regex, text, work, err) : met;
}

int as_args_match(const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	uint64_t work = AS_CHECK_WORK;
	as_predicate *p;
	int met = as_args_compile(predicate, &p, err);
	met = met < 0 ? met : as_args_met(p, arguments, &work, err);
	as_predicate_free(p);
	return met;
}

int as_value_match(const assay_json *predicate, assay_str text, assay_error *err)
{
	uint64_t work = AS_CHECK_WORK;
	as_predicate *p;
	int met = as_value_compile(predicate, &p, err);
	met = met < 0 ? met : as_value_met(p, text, &work, err);
	as_predicate_free(p);
	return met;
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
