/* Verdicts and complexity profiles for oracle_score.py. */
#include "tests/golden/golden.h"

#include "core/task/task.h"
#include "tests/unit/effects_kit.h"

static void put(as_buf *out, const char *key, const assay_json *v)
{
	as_buf_printf(out, "%s\"%s\":", out->len > 0 && out->ptr[out->len - 1] != '{' ? "," : "", key);
	as_json_write(out, v, ASSAY_JSON_COMPACT);
}

static void put_list(as_buf *out, const char *key, const assay_json *list, const char *first, const char *second)
{
	as_buf_printf(out, ",\"%s\":[", key);
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		as_buf_puts(out, v == as_json_first(list) ? "" : ",");
		if (first) {
			as_buf_byte(out, '[');
			as_json_write(out, as_json_get(v, first), ASSAY_JSON_COMPACT);
			as_buf_byte(out, ',');
		}
		as_json_write(out, as_json_get(v, second), ASSAY_JSON_COMPACT);
		as_buf_puts(out, first ? "]" : "");
	}
	as_buf_byte(out, ']');
}

static void put_summary(as_buf *out, const assay_json *summary)
{
	as_buf_puts(out, ",\"summary\":{");
	for (const assay_json *m = as_json_first(summary); m; m = as_json_next(m)) {
		const char *key = as_json_key(m).ptr;
		if (as_str_is(as_json_key(m), "iae")) {
			as_buf_puts(out, ",\"iae\":{");
			put(out, "total", as_json_get(m, "total"));
			put(out, "opportunities", as_json_get(m, "opportunities"));
			put(out, "rate", as_json_get(m, "rate"));
			put_list(out, "events", as_json_get(m, "events"), NULL, "checkpoint_id");
			as_buf_byte(out, '}');
		} else if (as_str_is(as_json_key(m), "error_taxonomy")) {
			as_buf_puts(out, ",\"error_taxonomy\":{");
			put(out, "counts", as_json_get(m, "counts"));
			put(out, "weighted_score", as_json_get(m, "weighted_score"));
			as_buf_byte(out, '}');
		} else if (!as_str_is(as_json_key(m), "assay")) {
			put(out, key, m);
		}
	}
	as_buf_byte(out, '}');
}

static as_catalogue *catalogue_of(const assay_json *classes)
{
	assay_json *records = as_json_array();
	as_catalogue *catalogue = NULL;
	for (const assay_json *c = as_json_first(classes); c; c = as_json_next(c)) {
		assay_json *record = as_json_object();
		as_json_set(record, "server_id", as_json_string(as_json_key(c)));
		as_json_set(record, "class", as_json_clone(c));
		as_json_append(records, record);
	}
	return as_catalogue_new(records, &catalogue, NULL) == 0 ? catalogue : NULL;
}

static void put_complexity(as_buf *out, const as_trace *trace, const assay_json *classes)
{
	as_catalogue *catalogue = catalogue_of(classes);
	assay_json *complexity = NULL;
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	if (catalogue && as_task_complexity(steps, n, catalogue, &complexity, NULL) == 0) {
		put(out, "complexity", complexity);
	}
	as_json_free(complexity);
	as_catalogue_free(catalogue);
}

void golden_answer_score(as_buf *out, const assay_json *question)
{
	assay_text text = {0};
	as_trace *trace = NULL, *full = NULL; /* what is scored needs less than the profile */
	assay_json *verdict = NULL;
	assay_error err = {0};
	int rc = as_json_dump(as_json_at(question, 1), ASSAY_JSON_COMPACT, &text, &err);
	rc = rc < 0 ? rc : as_trace_parse_lean(as_text_str(text), NULL, NULL, &trace, &err);
	rc = rc < 0 ? rc : as_trace_parse(as_text_str(text), &full, &err);
	rc = rc < 0 ? rc : effects_verdict(as_json_at(question, 0), trace, as_json_at(question, 2), &verdict, &err);
	if (rc < 0) {
		as_json_write_string(out, as_str(err.message), true);
	} else {
		const assay_json *ordering = as_json_get(verdict, "ordering");
		as_buf_printf(out, "{\"passed\":%s",
			      as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass") ? "true" : "false");
		put_list(out, "checks", as_json_get(verdict, "checks"), "passed", "step");
		put_list(out, "mines", as_json_get(verdict, "minefields"), NULL, "step");
		put(out, "ordering_ok", as_json_get(ordering, "ok"));
		as_buf_printf(out, ",\"disorder\":%zu", as_json_count(as_json_get(ordering, "failures")));
		put_summary(out, as_json_get(verdict, "summary"));
		put_complexity(out, full, as_json_at(question, 3));
		as_buf_byte(out, '}');
	}
	as_json_free(verdict);
	as_trace_free(trace);
	as_trace_free(full);
	as_text_free(&text);
}
