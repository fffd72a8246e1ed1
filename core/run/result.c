#include "core/run/result.h"

#include <string.h>

/* Straight to text: results are written by the ten thousand. */

static void put_key(as_buf *out, const char *key)
{
	size_t n = strlen(key);
	char *p;
	if (!as_buf_reserve(out, n + 4)) {
		return;
	}
	p = out->ptr + out->len;
	if (out->len > 0 && p[-1] != '{' && p[-1] != '[') {
		*p++ = ',';
	}
	*p++ = '"';
	memcpy(p, key, n);
	memcpy(p + n, "\":", 3);
	out->len = (size_t)(p - out->ptr) + n + 2;
}

static void put_value(as_buf *out, const char *key, const assay_json *v)
{
	put_key(out, key);
	as_json_write(out, v, ASSAY_JSON_COMPACT);
}

static void put_text(as_buf *out, const char *key, assay_str text)
{
	put_key(out, key);
	as_json_write_string(out, text, false);
}

static void put_truth(as_buf *out, const char *key, bool truth)
{
	put_key(out, key);
	as_buf_puts(out, truth ? "true" : "false");
}

/* The members of a model that is closed: of a verdict's own ones only those, under their names there. */
typedef struct renamed {
	const char *ours, *theirs;
} renamed;

static void put_list(as_buf *out, const char *key, const assay_json *list, const renamed *members)
{
	put_key(out, key);
	as_buf_byte(out, '[');
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		const assay_json *next = as_json_first(v); /* they mostly come in this order */
		as_buf_puts(out, v == as_json_first(list) ? "{" : ",{");
		for (const renamed *m = members; m->ours; m++) {
			const assay_json *found =
				as_str_is(as_json_key(next), m->ours) ? next : as_json_get(v, m->ours);
			put_value(out, m->theirs, found);
			next = found ? as_json_next(found) : next;
		}
		as_buf_byte(out, '}');
	}
	as_buf_byte(out, ']');
}

static void put_ours(as_buf *out, const as_result_frame *f, const assay_json *ours)
{
	const assay_json *verdict = f->verdict;
	put_key(out, "assay");
	as_buf_byte(out, '{');
	put_value(out, "lo", as_json_get(verdict, "lo"));
	put_value(out, "hi", as_json_get(verdict, "hi"));
	put_value(out, "metrics", as_json_get(verdict, "metrics"));
	if (f->candidate.len > 0) {
		put_value(out, "model", as_json_pointer(as_trace_document(f->trace), "/seed_metadata/llm_model"));
	}
	for (const assay_json *m = as_json_first(ours); m; m = as_json_next(m)) {
		put_value(out, as_json_key(m).ptr, m);
	}
	as_buf_byte(out, '}');
}

static const assay_json *metadata_of(const as_result_frame *f)
{
	return as_json_get(as_trace_document(f->trace), "seed_metadata");
}

/* The reference's order: its own counts, the cost when there is one, and what is ours behind it. */
static void put_summary(as_buf *out, const as_result_frame *f)
{
	const assay_json *cost = as_json_get(metadata_of(f), "cost");
	const assay_json *summary = as_json_get(f->verdict, "summary");
	put_key(out, "summary");
	as_buf_byte(out, '{');
	for (const assay_json *m = as_json_first(summary); m; m = as_json_next(m)) {
		if (!as_str_is(as_json_key(m), "assay")) {
			put_value(out, as_json_key(m).ptr, m);
		}
	}
	if (as_json_type(cost) == ASSAY_JSON_OBJECT && as_json_count(cost) > 0) {
		put_value(out, "cost", cost);
	}
	put_ours(out, f, as_json_get(summary, "assay"));
	as_buf_byte(out, '}');
}

void as_result_write(const as_result_frame *f, as_buf *out)
{
	static const renamed checks[] = {
		{"id", "checkpoint_id"},     {"kind", "kind"}, {"passed", "passed"}, {"reason", "reason"},
		{"step", "matched_step_id"}, {"tier", "tier"}, {NULL, NULL}};
	static const renamed mines[] = {{"id", "minefield_id"},
					{"hit", "hit"},
					{"reason", "reason"},
					{"step", "tripped_step_id"},
					{NULL, NULL}};
	const assay_json *v = f->verdict, *ordering = as_json_get(v, "ordering");
	assay_json *repeat = as_json_integer(f->repeat);
	const assay_json *model = as_json_get(metadata_of(f), "llm_model");
	as_buf_byte(out, '{');
	put_text(out, "schema_version", ASSAY_STR("0.1.0"));
	put_text(out, "evaluator_version", ASSAY_STR("0.1.0"));
	put_text(out, "task_id", f->task_id);
	put_text(out, "candidate_trace_id", as_trace_id(f->trace));
	if (f->candidate.len > 0) {
		put_text(out, "candidate_model", f->candidate);
	} else {
		put_value(out, "candidate_model", as_json_type(model) == ASSAY_JSON_STRING ? model : NULL);
	}
	put_text(out, "evaluation_mode", as_str(f->mode));
	put_value(out, "repeat_index", repeat);
	put_truth(out, "had_sae", as_json_i64(as_json_pointer(v, "/summary/sae/total"), 0) > 0);
	put_truth(out, "passed", as_str_is(as_json_str(as_json_get(v, "verdict")), "pass"));
	put_list(out, "checkpoint_results", as_json_get(v, "checks"), checks);
	put_list(out, "minefield_results", as_json_get(v, "minefields"), mines);
	put_truth(out, "ordering_ok", as_json_boolean(as_json_get(ordering, "ok"), 1));
	put_value(out, "ordering_failures", as_json_get(ordering, "failures"));
	put_summary(out, f);
	put_text(out, "evaluated_at", ASSAY_STR("1970-01-01T00:00:00Z"));
	as_buf_puts(out, "}\n");
	out->failed = out->failed || !repeat;
	as_json_free(repeat);
}
