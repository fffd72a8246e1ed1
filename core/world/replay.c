/* The replay world. Stateful mode follows the rules of the design page "replay"; reference mode does what
 * DynamicMCPBench does (reference page part 3). */
#include "core/world/replay.h"

#include "core/base/error.h"
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

#define MAX_HINTS 5 /* argument shapes in a miss of reference mode */

static const char miss_text[] = "There is no recorded answer to this call. Nothing was changed. Try other arguments or "
				"another tool.";

/* The tape has checked the length. */
static void set_version(char out[AS_VERSION_SIZE], assay_str version)
{
	memset(out, 0, AS_VERSION_SIZE);
	if (version.len > 0 && version.len < AS_VERSION_SIZE) {
		memcpy(out, version.ptr, version.len);
	}
}

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
	if (!as_grow(&w->groups, &w->cap_groups, w->n_groups + 1, sizeof *w->groups)) {
		as_fail_memory(err);
		return NULL;
	}
	w->groups[w->n_groups] = (group_state){.group = group};
	set_version(w->groups[w->n_groups].version, initial);
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

/* 1, 0 or ASSAY_ENOMEM: a regular expression that runs out of its limits matches nothing here. */
static int matches(const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	assay_error local = {0};
	int met = as_args_match(predicate, arguments, &local);
	if (met < 0 && met != ASSAY_ELIMIT) {
		return as_fail_memory(err);
	}
	return met == 1;
}

/* Does row a serve before row b: recorded ones before filled ones, then the earlier one? */
static bool serves_before(const as_tape *tape, uint32_t a, uint32_t b)
{
	bool x = as_tape_row_at(tape, a)->filled, y = as_tape_row_at(tape, b)->filled;
	return x != y ? y : a < b;
}

/* The first row at this version that satisfies the predicate, if it serves before the best so far. */
static int best_of_predicate(replay_world *w, const question *q, const assay_json *predicate, int64_t *best,
			     assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows);
	int met = 0;
	for (size_t i = 0; i < n && met >= 0; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		if (r->status != ASSAY_STEP_SUCCESS || !as_str_is(r->version, q->group->version) ||
		    (*best >= 0 && !serves_before(w->tape, rows[i], (uint32_t)*best))) {
			continue;
		}
		met = matches(predicate, r->arguments, err);
		if (met == 1) {
			*best = rows[i];
		}
	}
	return met < 0 ? met : 0;
}

/* Equivalent: asked and recorded call both satisfy the same non-empty predicate of one tool_effect. Of several recorded
 * calls the first one serves, whatever the order of the checkpoints. */
static int find_equivalent(replay_world *w, const question *q, const as_tape_row **row, assay_error *err)
{
	int64_t best = -1;
	int rc = 0;
	for (const assay_json *c = as_json_first(as_json_get(w->options.task, "checkpoints")); c && rc == 0;
	     c = as_json_next(c)) {
		const assay_json *predicate = as_json_get(c, "arg_predicate");
		if (!as_str_is(as_json_str(as_json_get(c, "kind")), "tool_effect") || predicate_is_empty(predicate) ||
		    !in_set(as_json_get(c, "equivalence_set"), q->server, q->tool)) {
			continue;
		}
		rc = matches(predicate, q->arguments, err);
		if (rc == 1) {
			rc = best_of_predicate(w, q, predicate, &best, err);
		}
	}
	*row = best >= 0 ? as_tape_row_at(w->tape, (size_t)best) : NULL;
	return rc;
}

/* May this row answer a near ask? In reference mode there are no versions, but what it would not have cached is out. */
static bool can_be_near(const as_tape_row *r, const question *q, bool reference)
{
	return r->status == ASSAY_STEP_SUCCESS &&
	       (reference ? r->result && !r->filled : as_str_is(r->version, q->group->version));
}

/* Near: the first row with strictly the greatest field score; any version and writes too in reference mode. */
static int find_near(replay_world *w, const question *q, bool reference, const as_tape_row **row, double *score,
		     assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows);
	as_near *asked;
	int rc = 0;
	*score = 0.0;
	*row = NULL;
	if (n == 0 || w->options.near_threshold >= 1.0 || (!reference && as_tape_writes(w->tape, q->server, q->tool))) {
		return 0;
	}
	asked = as_near_new(q->canonical);
	rc = asked ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		double s;
		if (!can_be_near(r, q, reference)) {
			continue;
		}
		s = as_near_score_prepared(asked, r->near);
		rc = s < 0.0 ? as_fail_memory(err) : 0;
		if (s > *score) {
			*score = s;
			*row = r;
		}
	}
	as_near_free(asked);
	*row = *score >= w->options.near_threshold ? *row : NULL;
	return rc;
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

/* The row's StepError; one that fits its status when none was recorded. */
static assay_json *error_of(const as_tape_row *row)
{
	assay_json *e;
	if (row->error) {
		return as_json_clone(row->error);
	}
	e = as_tool_error(row->result);
	if (row->status == ASSAY_STEP_TIMEOUT &&
	    (as_json_set(e, "code", as_json_cstring("Timeout")) < 0 ||
	     as_json_set(e, "message", as_json_cstring("the call timed out")) < 0)) {
		as_json_free(e);
		return NULL;
	}
	return e;
}

static int answer_row(const as_tape_row *row, uint32_t served, as_answer *out, assay_error *err)
{
	bool failed = row->status != ASSAY_STEP_SUCCESS;
	out->status = row->status;
	out->served = served;
	out->result = as_json_clone(row->result);
	out->error = failed ? error_of(row) : NULL;
	return (row->result && !out->result) || (failed && !out->error) ? as_fail_memory(err) : 0;
}

static int find_row(replay_world *w, const question *q, const as_tape_row **row, uint32_t *served, assay_error *err)
{
	double score;
	int rc = find_exact(w, q, row, err);
	*served = ASSAY_SERVED_EXACT;
	if (rc == 0 && !*row) {
		*served = ASSAY_SERVED_EQUIVALENT;
		rc = find_equivalent(w, q, row, err);
	}
	if (rc == 0 && !*row) {
		*served = ASSAY_SERVED_NEAR;
		rc = find_near(w, q, false, row, &score, err);
	}
	return rc;
}

/* The last level before a miss. */
static int answer_unknown(replay_world *w, const question *q, as_call *call, as_answer *out, assay_error *err)
{
	const as_replay_options *o = &w->options;
	int rc = 0;
	if (o->simulate && !as_tape_writes(w->tape, q->server, q->tool)) {
		rc = o->simulate(o->simulator, w->tape, call, q->server, q->tool, q->arguments, out, err);
	}
	return rc < 0 || out->result ? rc : answer_miss(q, miss_text, out, err);
}

static int stateful_answer(replay_world *w, const question *q, as_call *call, as_answer *out, assay_error *err)
{
	const as_tape_row *row = NULL;
	uint32_t served;
	int rc;
	if (!q->group) {
		return answer_miss(q, miss_text, out, err);
	}
	memcpy(out->version, q->group->version, AS_VERSION_SIZE);
	rc = find_row(w, q, &row, &served, err);
	if (rc == 0 && row && row->write && row->status == ASSAY_STEP_SUCCESS) {
		set_version(q->group->version, row->next);
	}
	if (rc == 0) {
		rc = row ? answer_row(row, served, out, err) : answer_unknown(w, q, call, out, err);
	}
	memcpy(out->next, q->group->version, AS_VERSION_SIZE);
	return rc;
}

/* What the reference keeps of a recording: the first success with a result. */
static const as_tape_row *first_kept(const replay_world *w, const question *q, assay_str canonical)
{
	const uint32_t *rows;
	size_t n = as_tape_of_call(w->tape, q->server, q->tool, canonical, &rows);
	for (size_t i = 0; i < n; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		if (r->status == ASSAY_STEP_SUCCESS && r->result && !r->filled) {
			return r;
		}
	}
	return NULL;
}

/* The reference's miss names the argument shapes it knows, up to five of them. */
static int reference_miss(replay_world *w, const question *q, as_answer *out, assay_error *err)
{
	const uint32_t *rows;
	size_t n = as_tape_of_tool(w->tape, q->server, q->tool, &rows), listed = 0;
	as_buf text = {0};
	int rc;
	as_buf_puts(&text, miss_text);
	for (size_t i = 0; i < n && listed < MAX_HINTS; i++) {
		const as_tape_row *r = as_tape_row_at(w->tape, rows[i]);
		if (first_kept(w, q, r->canonical) != r) {
			continue;
		}
		if (listed++ == 0) {
			as_buf_printf(&text, "\nRecorded arguments of %.*s.%.*s:", ASSAY_FMT(q->server),
				      ASSAY_FMT(q->tool));
		}
		as_buf_puts(&text, "\n  - ");
		as_buf_add(&text, r->canonical);
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
	const as_tape_row *row = first_kept(w, q, q->canonical);
	uint32_t served = ASSAY_SERVED_EXACT;
	double score = 1.0;
	int rc = 0;
	set_version(out->version, ASSAY_STR("0")); /* the only one there is */
	set_version(out->next, ASSAY_STR("0"));
	if (!row) {
		served = ASSAY_SERVED_NEAR;
		rc = find_near(w, q, true, &row, &score, err);
	}
	if (rc == 0 && !row) {
		return reference_miss(w, q, out, err);
	}
	rc = rc < 0 ? rc : answer_row(row, served, out, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_json_set(out->result, "replay_tier", as_json_integer(served == ASSAY_SERVED_EXACT ? 1 : 2));
	if (served == ASSAY_SERVED_NEAR) {
		rc |= as_json_set(out->result, "replay_tier2_source_args", as_json_string(row->canonical));
		rc |= as_json_set(out->result, "replay_tier2_score", as_json_real(as_round(score, 4)));
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int replay_call(as_world *base, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		       as_answer *out, assay_error *err)
{
	replay_world *w = (replay_world *)base;
	question q = {server, tool, {NULL, 0}, arguments, NULL};
	as_buf canonical = {0};
	assay_error local = {0};
	int rc;
	*out = (as_answer){0};
	rc = as_canonical_arguments(arguments, &canonical) < 0 ? as_fail_memory(err) : 0;
	if (rc == 0) {
		q.canonical = as_buf_str(&canonical);
		if (w->options.mode == AS_REPLAY_REFERENCE) {
			rc = reference_answer(w, &q, out, err);
		} else {
			q.group = group_of(w, server, &local);
			rc = local.code < 0 ? as_fail_memory(err) : stateful_answer(w, &q, call, out, err);
		}
	}
	if (rc < 0) {
		as_answer_clear(out);
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
	*out = NULL;
	if (!w) {
		return as_fail_memory(err);
	}
	w->base.ops = &replay_ops;
	w->tape = options->mode == AS_REPLAY_REFERENCE ? as_tape_as_stored(tape) : tape;
	w->options = *options;
	*out = &w->base;
	return 0;
}
