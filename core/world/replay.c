/* The replay world. Stateful mode follows the rules of the design page "replay"; reference mode does what
 * DynamicMCPBench does (reference page part 3). */
#include "core/world/replay.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/stats/stats.h"
#include "core/task/predicate.h"
#include "core/trace/canonical.h"
#include <stdlib.h>
#include <string.h>

/* How often the calls that start with tape row `first` were asked for. */
typedef struct ask_count {
	uint32_t first, asks;
} ask_count;

typedef struct group_state {
	assay_str group; /* the tape's */
	char version[AS_VERSION_SIZE];
} group_state;

typedef struct replay_world {
	as_world base;
	const as_tape *tape;
	as_replay_options options;
	group_state *groups;
	size_t n_groups, cap_groups;
	ask_count *counts;
	size_t n_counts, cap_counts;
} replay_world;

/* One question to the tape. */
typedef struct question {
	assay_str server, tool, canonical;
	const assay_json *arguments;
	group_state *group; /* NULL: the tape does not know the server */
} question;

static const char miss_text[] = "There is no recorded answer to this call. Nothing was changed. Try other arguments or "
                                "another tool.";

static group_state *group_of(replay_world *w, assay_str server, assay_error *err)
{
	assay_str group, initial;
	if (!as_tape_server(w->tape, server, &group, &initial)) {
		return NULL;
	}
	for (size_t i = 0; i < w->n_groups; i++) {
		if (as_str_eq(w->groups[i].group, group)) {
			return &w->groups[i];
		}
	}
	if (initial.len >= AS_VERSION_SIZE || !as_grow(&w->groups, &w->cap_groups, w->n_groups + 1, sizeof *w->groups)) {
		as_fail_memory(err);
		return NULL;
	}
	w->groups[w->n_groups] = (group_state){.group = group};
	memcpy(w->groups[w->n_groups].version, initial.ptr, initial.len);
	return &w->groups[w->n_groups++];
}

/* Which recording of the same call it is this time: the n-th ask gets the n-th, the last one repeats. */
static int nth_ask(replay_world *w, uint32_t first, size_t available, size_t *nth, assay_error *err)
{
	for (size_t i = 0; i < w->n_counts; i++) {
		if (w->counts[i].first == first) {
			uint32_t asked = w->counts[i].asks++;
			*nth = asked < available ? asked : available - 1;
			return 0;
		}
	}
	if (!as_grow(&w->counts, &w->cap_counts, w->n_counts + 1, sizeof *w->counts)) {
		return as_fail_memory(err);
	}
	w->counts[w->n_counts++] = (ask_count){first, 1};
	*nth = 0;
	return 0;
}

/* Exact: the rows of this very call at this version; filled ones serve only where nothing was recorded. */
static int find_exact(replay_world *w, const question *q, const as_tape_row **row, assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_call_at(w->tape, as_str(q->group->version), q->server, q->tool, q->canonical, &rows);
	size_t recorded = 0, nth = 0, seen = 0;
	int rc;
	*row = NULL;
	if (n == 0) {
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		recorded += !as_tape_row_at(w->tape, rows[i])->filled;
	}
	if (recorded == 0) {
		*row = as_tape_row_at(w->tape, rows[0]);
		return 0;
	}
	rc = nth_ask(w, rows[0], recorded, &nth, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const as_tape_row *candidate = as_tape_row_at(w->tape, rows[i]);
		if (!candidate->filled && seen++ == nth) {
			*row = candidate;
		}
	}
	return rc;
}

static bool predicate_is_empty(const assay_json *p)
{
	return as_json_count(as_json_get(p, "must_include")) == 0 && as_json_count(as_json_get(p, "must_match")) == 0;
}

static bool in_set(const assay_json *set, assay_str server, assay_str tool)
{
	for (const assay_json *t = as_json_first(set); t; t = as_json_next(t)) {
		if (as_str_eq(as_json_str(as_json_get(t, "server_id")), server) &&
		    as_str_eq(as_json_str(as_json_get(t, "tool_name")), tool)) {
			return true;
		}
	}
	return false;
}

/* Equivalent: asked and recorded call both satisfy the same non-empty predicate of one tool_effect. */
static int find_equivalent(replay_world *w, const question *q, const as_tape_row **row, assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows);
	*row = NULL;
	for (const assay_json *c = as_json_first(as_json_get(w->options.task, "checkpoints")); c; c = as_json_next(c)) {
		const assay_json *predicate = as_json_get(c, "arg_predicate");
		int met;
		if (!as_str_is(as_json_str(as_json_get(c, "kind")), "tool_effect") || predicate_is_empty(predicate) ||
		    !in_set(as_json_get(c, "equivalence_set"), q->server, q->tool)) {
			continue;
		}
		met = as_args_match(predicate, q->arguments, err);
		for (size_t i = 0; i < n && met == 1; i++) {
			const as_tape_row *candidate = as_tape_row_at(w->tape, rows[i]);
			if (candidate->status != ASSAY_STEP_SUCCESS || !as_str_is(candidate->version, q->group->version)) {
				continue;
			}
			if (as_args_match(predicate, candidate->arguments, err) == 1) {
				*row = candidate;
				return 0;
			}
		}
		if (met < 0 && met != ASSAY_ELIMIT) {
			return met;
		}
	}
	return 0;
}

/* Near: the first row with strictly the greatest field score; `any_version` and writes too in reference mode. */
static const as_tape_row *find_near(replay_world *w, const question *q, bool reference, double *score)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows);
	const as_tape_row *best = NULL;
	*score = 0.0;
	if (w->options.near_threshold >= 1.0 || (!reference && as_tape_writes(w->tape, q->server, q->tool))) {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		double s;
		if (r->status != ASSAY_STEP_SUCCESS || (reference && (!r->result || r->filled)) ||
		    (!reference && !as_str_is(r->version, q->group->version))) {
			continue;
		}
		s = as_near_score(q->canonical, r->canonical);
		if (s > *score) {
			*score = s;
			best = r;
		}
	}
	return *score >= w->options.near_threshold ? best : NULL;
}

/* {"meta": null, "content": [text], "structuredContent": null, "isError": true} */
static assay_json *error_result(const char *text)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *part = as_json_object();
	int rc = as_json_set(part, "type", as_json_cstring("text"));
	rc |= as_json_set(part, "text", as_json_cstring(text));
	rc |= as_json_append(content, part);
	rc |= as_json_set(result, "meta", as_json_null());
	rc |= as_json_set(result, "content", content);
	rc |= as_json_set(result, "structuredContent", as_json_null());
	rc |= as_json_set(result, "isError", as_json_truth(1));
	rc |= as_json_set(result, "replay_cache_miss", as_json_truth(1));
	if (rc < 0) {
		as_json_free(result);
		return NULL;
	}
	return result;
}

static assay_json *miss_error(const question *q, const char *text)
{
	assay_json *e = as_json_object(), *raw = as_json_object(), *key = as_json_array();
	int rc = as_json_append(key, as_json_string(q->server));
	rc |= as_json_append(key, as_json_string(q->tool));
	rc |= as_json_append(key, as_json_string(q->canonical));
	rc |= as_json_set(raw, "cache_key", key);
	rc |= as_json_set(e, "code", as_json_cstring("ReplayCacheMiss"));
	rc |= as_json_set(e, "message", as_json_cstring(text));
	rc |= as_json_set(e, "raw", raw);
	if (rc < 0) {
		as_json_free(e);
		return NULL;
	}
	return e;
}

static int answer_miss(const question *q, const char *text, as_answer *out, assay_error *err)
{
	out->status = ASSAY_STEP_ERROR;
	out->served = ASSAY_SERVED_MISS;
	out->result = error_result(text);
	out->error = miss_error(q, text);
	return out->result && out->error ? 0 : as_fail_memory(err);
}

static int answer_row(const as_tape_row *row, uint32_t served, as_answer *out, assay_error *err)
{
	out->status = row->status;
	out->served = served;
	out->result = row->result ? as_json_clone(row->result) : NULL;
	if (row->error || row->status != ASSAY_STEP_SUCCESS) {
		out->error = row->error ? as_json_clone(row->error) : as_tool_error(row->result);
	}
	if ((row->result && !out->result) || (!out->error && row->status != ASSAY_STEP_SUCCESS)) {
		return as_fail_memory(err);
	}
	return 0;
}

static int stateful_answer(replay_world *w, const question *q, as_answer *out, assay_error *err)
{
	const as_tape_row *row = NULL;
	uint32_t served = ASSAY_SERVED_EXACT;
	double score;
	int rc;
	if (!q->group) {
		return answer_miss(q, miss_text, out, err);
	}
	memcpy(out->version, q->group->version, AS_VERSION_SIZE);
	rc = find_exact(w, q, &row, err);
	if (rc == 0 && !row) {
		served = ASSAY_SERVED_EQUIVALENT;
		rc = find_equivalent(w, q, &row, err);
	}
	if (rc == 0 && !row) {
		served = ASSAY_SERVED_NEAR;
		row = find_near(w, q, false, &score);
	}
	if (rc == 0 && row && row->write && row->status == ASSAY_STEP_SUCCESS && row->next.len < AS_VERSION_SIZE) {
		memset(q->group->version, 0, AS_VERSION_SIZE);
		memcpy(q->group->version, row->next.ptr, row->next.len);
	}
	if (rc == 0) {
		rc = row ? answer_row(row, served, out, err) : answer_miss(q, miss_text, out, err);
	}
	memcpy(out->next, q->group->version, AS_VERSION_SIZE);
	return rc;
}

/* The reference's miss names the argument shapes it knows, up to five of them. */
static int reference_miss(replay_world *w, const question *q, as_answer *out, assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows), listed = 0;
	as_buf text = {0};
	int rc;
	as_buf_puts(&text, miss_text);
	for (size_t i = 0; i < n && listed < 5; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		const uint32_t *same;
		bool first = as_tape_of_call(w->tape, q->server, q->tool, r->canonical, &same) > 0 && same[0] == rows[i];
		if (r->status == ASSAY_STEP_SUCCESS && r->result && !r->filled && first) {
			if (listed++ == 0) {
				as_buf_printf(&text, "\nRecorded arguments of %.*s.%.*s:", ASSAY_FMT(q->server), ASSAY_FMT(q->tool));
			}
			as_buf_puts(&text, "\n  - ");
			as_buf_add(&text, r->canonical);
		}
	}
	rc = as_buf_check(&text, err);
	if (rc == 0) {
		rc = answer_miss(q, text.ptr, out, err);
	}
	as_buf_free(&text);
	return rc;
}

static int reference_answer(replay_world *w, const question *q, as_answer *out, assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_call(w->tape, q->server, q->tool, q->canonical, &rows);
	double score;
	const as_tape_row *row = NULL;
	int rc = 0;
	for (size_t i = 0; i < n && !row; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		row = r->status == ASSAY_STEP_SUCCESS && r->result && !r->filled ? r : NULL;
	}
	if (row) {
		rc = answer_row(row, ASSAY_SERVED_EXACT, out, err);
		return rc < 0 ? rc : as_json_set(out->result, "replay_tier", as_json_integer(1));
	}
	row = find_near(w, q, true, &score);
	if (!row) {
		return reference_miss(w, q, out, err);
	}
	rc = answer_row(row, ASSAY_SERVED_NEAR, out, err);
	if (rc == 0 && (as_json_set(out->result, "replay_tier", as_json_integer(2)) < 0 ||
	                as_json_set(out->result, "replay_tier2_source_args", as_json_string(row->canonical)) < 0 ||
	                as_json_set(out->result, "replay_tier2_score", as_json_real(as_round(score, 4))) < 0)) {
		rc = as_fail_memory(err);
	}
	return rc;
}

static int replay_call(as_world *base, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
                       as_answer *out, assay_error *err)
{
	replay_world *w = (replay_world *)base;
	question q = {server, tool, {NULL, 0}, arguments, NULL};
	as_buf canonical = {0};
	assay_error local = {0};
	int rc;
	(void)call;
	*out = (as_answer){0};
	rc = as_canonical_arguments(arguments, &canonical);
	if (rc == 0) {
		rc = as_buf_check(&canonical, err);
	}
	if (rc == 0) {
		q.canonical = as_buf_str(&canonical);
		if (w->options.mode == AS_REPLAY_REFERENCE) {
			rc = reference_answer(w, &q, out, err);
		} else {
			q.group = group_of(w, server, &local);
			rc = local.code < 0 ? as_fail_memory(err) : stateful_answer(w, &q, out, err);
		}
	}
	as_buf_free(&canonical);
	return rc;
}

static int replay_reset(as_world *base, as_call *call, assay_error *err)
{
	replay_world *w = (replay_world *)base;
	(void)call;
	(void)err;
	w->n_groups = 0;
	w->n_counts = 0;
	return 0;
}

static void replay_close(as_world *base, as_call *call)
{
	replay_world *w = (replay_world *)base;
	(void)call;
	free(w->groups);
	free(w->counts);
	free(w);
}

static const as_world_ops replay_ops = {replay_call, replay_reset, replay_close};

int as_replay_open(const as_tape *tape, const as_replay_options *options, as_world **out, assay_error *err)
{
	replay_world *w = as_new(1, sizeof *w);
	if (!w) {
		return as_fail_memory(err);
	}
	w->base.ops = &replay_ops;
	w->tape = tape;
	w->options = *options;
	*out = &w->base;
	return 0;
}

/* Only the servers that the session saw: a tape stays small beside a large catalogue. */
static int add_surface(as_tape *tape, const as_trace *trace, const as_catalogue *catalogue, assay_error *err)
{
	const as_catalogue_server *servers;
	const assay_json *seen = as_json_get(as_trace_document(trace), "tool_specs");
	size_t n = as_catalogue_servers(catalogue, &servers);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (!as_json_get_n(seen, servers[i].id)) {
			continue;
		}
		rc = as_tape_add_server(tape, servers[i].id, servers[i].group, ASSAY_STR("0"), err);
		for (size_t k = 0; k < servers[i].tools.count && rc == 0; k++) {
			const assay_tool *tool = servers[i].tools.list[k];
			rc = as_tape_add_tool(tape, tool->server, tool->name, (tool->flags & ASSAY_TOOL_WRITES) != 0, err);
		}
	}
	return rc;
}

/* The versions are stepped through again with the live world's rule, so a tape needs the trace only. */
int as_tape_of_trace(const as_trace *trace, const as_catalogue *catalogue, as_tape **out, assay_error *err)
{
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	as_tape *tape = NULL;
	replay_world w = {0};
	as_buf canonical = {0};
	int rc = as_tape_new(&tape, err);
	if (rc == 0) {
		rc = add_surface(tape, trace, catalogue, err);
	}
	w.tape = tape;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_step *s = &steps[i];
		assay_error local = {0};
		group_state *g = group_of(&w, s->server, &local);
		as_tape_row row = {.server = s->server, .tool = s->tool, .arguments = s->arguments, .result = s->result,
		                   .status = s->status};
		char before[AS_VERSION_SIZE];
		if (!g) {
			rc = local.code < 0 ? as_fail_memory(err) : 0; /* a server that is not ours has no state */
			continue;
		}
		memcpy(before, g->version, sizeof before);
		as_buf_clear(&canonical);
		rc = as_canonical_arguments(s->arguments, &canonical);
		if (rc == 0 && s->status == ASSAY_STEP_SUCCESS && as_tape_writes(tape, s->server, s->tool)) {
			as_next_version(as_str(before), s->server, s->tool, as_buf_str(&canonical), g->version);
		}
		row.version = as_str(before);
		row.next = as_str(g->version);
		if (rc == 0) {
			rc = as_tape_add_row(tape, &row, err);
		}
	}
	if (rc == 0) {
		rc = as_tape_finish(tape, err);
	}
	if (rc < 0) {
		as_tape_free(tape);
		tape = NULL;
	}
	*out = tape;
	free(w.groups);
	as_buf_free(&canonical);
	return rc;
}
