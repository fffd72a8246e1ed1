#include "core/run/voids.h"

#include "core/base/error.h"

#define MAX_CAUSES 20 /* different ones; errors may hold numbers of requests */

int as_voids_note(as_engine *e, assay_str end, const assay_error *cause, assay_error *err)
{
	char words[900], line[1000];
	int n;
	if (!e->void_causes) {
		e->void_causes = as_json_object();
	}
	n = snprintf(line, sizeof line, "%.*s", ASSAY_FMT(end));
	if (cause && cause->code != 0 && n > 0) {
		assay_error copy = *cause;
		as_redact_error(e->redactor, &copy);
		as_error_format(&copy, words, sizeof words);
		snprintf(line + n, sizeof line - (size_t)n, ": %s", words);
	}
	if (!as_json_get(e->void_causes, line) && as_json_count(e->void_causes) >= MAX_CAUSES) {
		snprintf(line, sizeof line, "other causes (--log info tells each)");
	}
	int64_t before = as_json_i64(as_json_get(e->void_causes, line), 0);
	return as_json_set(e->void_causes, line, as_json_integer(before + 1)) < 0 ? as_fail_memory(err) : 0;
}

/* A total order: in that of the threads, each run would tell them in another one. */
static bool is_before(const assay_json *a, const assay_json *b)
{
	int64_t of_a = as_json_i64(a, 0), of_b = as_json_i64(b, 0);
	return of_a > of_b || (of_a == of_b && as_str_cmp(as_json_key(a), as_json_key(b)) < 0);
}

static const assay_json *next_cause(const assay_json *causes, const assay_json *last)
{
	const assay_json *next = NULL;
	for (const assay_json *c = as_json_first(causes); c; c = as_json_next(c)) {
		if ((!last || is_before(last, c)) && (!next || is_before(c, next))) {
			next = c;
		}
	}
	return next;
}

int as_voids_list(const as_engine *e, assay_json **out, assay_error *err)
{
	int rc = 0;
	*out = as_json_array();
	for (const assay_json *c = next_cause(e->void_causes, NULL); c && rc == 0; c = next_cause(e->void_causes, c)) {
		assay_json *o = as_json_object();
		rc = as_json_set(o, "cause", as_json_string(as_json_key(c)));
		rc |= as_json_set(o, "tries", as_json_clone(c));
		rc |= as_json_append(*out, o);
	}
	if (!*out || rc < 0) {
		as_json_free(*out);
		*out = NULL;
		return as_fail_memory(err);
	}
	return 0;
}

int as_voids_tell(const as_engine *e, assay_error *err)
{
	assay_json *list = NULL;
	int rc = as_voids_list(e, &list, err);
	for (const assay_json *o = as_json_first(list); o; o = as_json_next(o)) {
		long long tries = (long long)as_json_i64(as_json_get(o, "tries"), 0);
		as_log_put(e->log, "run", ASSAY_LOG_WARN, "%lld void %s: %s", tries, tries == 1 ? "try" : "tries",
			   as_json_cstr(as_json_get(o, "cause"), ""));
	}
	as_json_free(list);
	return rc;
}
