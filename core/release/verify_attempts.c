/* Attempts, with their traces and verdicts: line by line they belong together. */
#include "core/base/error.h"
#include "core/release/descriptions.h"
#include "core/release/difference.h"
#include "core/release/verify_private.h"
#include "core/run/attempt.h"
#include "core/run/evidence.h"
#include "core/run/simulate.h"
#include "core/world/probe.h"
#include "core/world/replay.h"
#include <stdlib.h>
#include <string.h>

#define MISSING_COUNTED 100000u /* so many missing attempts are still told one from the other */

typedef struct attempt_rows {
	verification *v;
	rows attempts, traces, verdicts;
	as_wanted wanted;
	checked_task *sorted; /* by id */
} attempt_rows;

/* One line of attempts.jsonl while it is checked. */
typedef struct attempt_case {
	verification *v;
	attempt_rows *at;
	as_attempt_line line; /* borrowed from row */
	assay_json *row;
	as_trace *trace; /* NULL: it cannot be used */
	const checked_task *task;
	const as_condition_spec *condition;
	const as_candidate_spec *candidate;
	assay_json *verdicts;       /* rows, in the order of the manifest's scorers; fewer when one cannot be used */
	const assay_json *headline; /* the one that counts, of these */
} attempt_case;

static void attempt_finding(const attempt_case *c, const char *pointer, const char *message)
{
	as_finding(c->v->out, c->at->attempts.file, c->at->attempts.line, pointer, "%s", message);
}

/* ---- who, how, which ---- */

static int compare_tasks(const void *a, const void *b)
{
	return as_str_cmp(((const checked_task *)a)->id, ((const checked_task *)b)->id);
}

static void find_parts(attempt_case *c)
{
	const as_manifest *m = c->v->manifest;
	const checked_task key = {.id = c->line.task_id};
	if (c->v->n_tasks > 0) {
		c->task = bsearch(&key, c->at->sorted, c->v->n_tasks, sizeof key, compare_tasks);
	}
	for (size_t i = 0; i < m->n_conditions && !c->condition; i++) {
		c->condition = as_str_is(c->line.condition, m->conditions[i].name) ? &m->conditions[i] : NULL;
	}
	for (size_t i = 0; i < m->n_candidates && !c->candidate; i++) {
		c->candidate = as_str_is(c->line.candidate, m->candidates[i].name) ? &m->candidates[i] : NULL;
	}
	if (!c->task && !c->v->broken) {
		attempt_finding(c, "/task_id", "there is no such task");
	}
	if (!c->condition) {
		attempt_finding(c, "/condition", "the manifest has no such condition");
	}
	if (!c->candidate) {
		attempt_finding(c, "/candidate", "the manifest has no such candidate");
	}
}

static int check_id(attempt_case *c, assay_error *err)
{
	as_wanted_attempt *wanted;
	assay_error found = {0};
	char id[65];
	int rc;
	if (!c->task || !c->condition || !c->candidate) {
		return 0;
	}
	if (c->line.repeat >= c->condition->attempts) {
		attempt_finding(c, "/repeat", "the manifest asks for fewer repeats");
		return 0;
	}
	rc = as_attempt_id(c->line.task_id, c->candidate, c->condition, (uint32_t)c->line.repeat, id, err);
	if (rc < 0) {
		return rc;
	}
	if (!as_str_is(c->line.attempt_id, id)) {
		as_finding(c->v->out, c->at->attempts.file, c->at->attempts.line, "/attempt_id",
			   "%.16s... follows from task, candidate, condition and repeat", id);
		return 0;
	}
	wanted = as_wanted_find(&c->at->wanted, as_str(id));
	rc = wanted ? as_wanted_note(wanted, c->line.try_number, c->line.voided, &found) : 0;
	return rc < 0 ? as_finding_of(c->v->out, c->at->attempts.file, c->at->attempts.line, "/try", &found, err) : 0;
}

/* ---- the trace ---- */

static void check_metadata(const attempt_case *c)
{
	const rows *at = &c->at->traces;
	const assay_json *document = as_trace_document(c->trace);
	const assay_json *meta = as_json_get(document, "seed_metadata"), *ours = as_json_get(meta, "assay");
	const struct {
		const char *pointer;
		assay_str said, is;
	} checks[] = {
		{"/trace_id", as_trace_id(c->trace), c->line.trace_id},
		{"/seed_metadata/task_id", as_json_str(as_json_get(meta, "task_id")), c->line.task_id},
		{"/seed_metadata/assay/candidate", as_json_str(as_json_get(ours, "candidate")), c->line.candidate},
		{"/seed_metadata/assay/condition", as_json_str(as_json_get(ours, "condition")), c->line.condition},
	};
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		if (!as_str_eq(checks[i].said, checks[i].is)) {
			as_finding(c->v->out, at->file, at->line, checks[i].pointer, "is not what line %u of %s says",
				   c->at->attempts.line, c->at->attempts.file);
		}
	}
	if (as_json_i64(as_json_get(ours, "repeat"), -1) != c->line.repeat) {
		as_finding(c->v->out, at->file, at->line, "/seed_metadata/assay/repeat",
			   "is not what line %u of %s says", c->at->attempts.line, c->at->attempts.file);
	}
	if (c->task && c->task->document &&
	    !as_str_eq(as_json_str(as_json_get(document, "goal")),
		       as_json_str(as_json_get(c->task->document, "prompt")))) {
		as_finding(c->v->out, at->file, at->line, "/goal", "is not the task's prompt");
	}
}

static int read_trace(attempt_case *c, assay_error *err)
{
	rows *at = &c->at->traces;
	assay_json *document = NULL;
	assay_error found = {0};
	uint32_t before = at->line;
	int rc = as_rows_value(at, &document, err);
	at->foreign = c->condition && c->condition->recorded;
	if (rc == 0 && at->lines) {
		as_finding(c->v->out, at->file, before, NULL, "ends here, but there are more attempts");
		as_rows_close(at); /* said once */
	}
	if (rc <= 0 || !document) {
		return rc < 0 ? rc : 0;
	}
	c->v->out->traces++;
	rc = as_verify_trace_id(c->v, at, document, err);
	if (rc < 0) {
		as_json_free(document);
		return rc;
	}
	rc = as_trace_from_json(document, &c->trace, &found);
	if (rc < 0) {
		return as_finding_of(c->v->out, at->file, at->line, NULL, &found, err);
	}
	if (c->row && !at->foreign) {
		check_metadata(c);
	} else if (c->row && !as_str_eq(as_trace_id(c->trace), c->line.trace_id)) {
		as_finding(c->v->out, at->file, at->line, "/trace_id", "is not what line %u of %s says",
			   c->at->attempts.line, c->at->attempts.file);
	}
	return 0;
}

/* ---- the replay ---- */

/* What the tape answers, as a step of a trace says it. */
static int answer_json(const as_answer *a, assay_json **out, assay_error *err)
{
	static const char *const status[] = {"success", "error", "timeout"};
	assay_json *o = as_json_object(), *ours = as_json_object();
	int rc = as_json_set(o, "result", a->result ? as_json_clone(a->result) : as_json_null());
	rc |= as_json_set(o, "status", as_json_cstring(a->status < 3 ? status[a->status] : "error"));
	rc |= as_json_set(o, "error", a->error ? as_json_clone(a->error) : as_json_null());
	rc |= as_json_set(ours, "served", as_json_cstring(as_served_name(a->served)));
	rc |= as_json_set(ours, "version", as_json_cstring(a->version));
	if (a->next[0] && strcmp(a->next, a->version) != 0) {
		rc |= as_json_set(ours, "next", as_json_cstring(a->next));
	}
	rc |= as_json_set(o, "assay", ours);
	if (rc < 0) {
		as_json_free(o);
		return as_fail_memory(err);
	}
	*out = o;
	return 0;
}

/* The same members of the recorded step. */
static int step_json(const assay_json *step, assay_json **out, assay_error *err)
{
	static const char *const keys[] = {"result", "status", "error", "assay"};
	assay_json *o = as_json_object();
	int rc = o ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && rc == 0; i++) {
		const assay_json *v = as_json_get(step, keys[i]);
		rc = as_json_set(o, keys[i], v ? as_json_clone(v) : as_json_null());
	}
	if (rc < 0) {
		as_json_free(o);
		return as_fail_memory(err);
	}
	*out = o;
	return 0;
}

/* *same: did the tape answer this step as the trace says? */
static int replay_step(const attempt_case *c, as_world *world, as_call *call, const assay_step *step,
		       const assay_json *recorded, size_t index, bool *same, assay_error *err)
{
	const rows *at = &c->at->traces;
	as_answer answer = {0};
	assay_json *expected = NULL, *found = NULL;
	char prefix[40];
	int rc = as_world_call(world, call, step->server, step->tool, step->arguments, &answer, err);
	rc = rc < 0 ? rc : answer_json(&answer, &expected, err);
	rc = rc < 0 ? rc : step_json(recorded, &found, err);
	if (rc == 0) {
		snprintf(prefix, sizeof prefix, "/steps/%zu", index);
		*same = as_verify_same(c->v, at->file, at->line, prefix, "the tape", expected, found);
	}
	as_json_free(expected);
	as_json_free(found);
	as_answer_clear(&answer);
	return rc;
}

/* What the trace says of the state in the end is what the tape says. */
static int check_probes(const attempt_case *c, as_world *world, as_call *call, assay_error *err)
{
	const rows *at = &c->at->traces;
	const assay_json *said = as_json_pointer(as_trace_document(c->trace), "/seed_metadata/assay/probes");
	assay_json *expected = NULL;
	int rc = as_probes_ask(world, call, c->task->document, &expected, err);
	if (rc == 0 && (expected || said)) {
		as_verify_same(c->v, at->file, at->line, "/seed_metadata/assay/probes", "the tape", expected, said);
	}
	as_json_free(expected);
	return rc;
}

/* Every call of the trace is put to the tape again, in order, and to what a simulator said when it did not know it: an
 * attempt cannot have seen anything else. */
static int check_replay(const attempt_case *c, assay_error *err)
{
	as_replay_options options;
	as_world *world = NULL;
	as_context context;
	const assay_step *steps;
	assay_error found = {0};
	size_t n, next = 0, index = 0;
	assay_json *heard;
	bool same = true;
	int rc;
	if (!c->trace || !c->condition || !c->task || !c->task->tape || !c->task->document) {
		return 0;
	}
	as_context_init(&context, c->v->worker, "verify", "verify", 0, 0);
	heard = as_json_array(); /* replies that are left out are not made good by asking */
	if (!heard) {
		return as_fail_memory(err);
	}
	context.acting = true;
	context.heard = as_json_pointer(as_trace_document(c->trace), "/seed_metadata/simulated");
	context.heard = context.heard ? context.heard : heard;
	options = c->condition->replay;
	options.task = c->task->document;
	options.simulate = c->condition->simulator.use ? as_simulate : NULL;
	options.simulator = (void *)(uintptr_t)&c->condition->simulator;
	steps = as_trace_steps(c->trace, &n);
	rc = as_replay_open(c->task->tape, &options, &world, err);
	for (const assay_json *s = as_json_first(as_json_get(as_trace_document(c->trace), "steps"));
	     s && rc == 0 && same; s = as_json_next(s), index++) {
		if (next >= n || as_json_i64(as_json_get(s, "step_id"), -1) != steps[next].id ||
		    !as_str_is(as_json_str(as_json_get(s, "kind")), "call_tool_agent")) {
			as_finding(c->v->out, c->at->traces.file, c->at->traces.line, NULL,
				   "step %zu is no call of the agent", index);
			break;
		}
		rc = replay_step(c, world, &context.call, &steps[next++], s, index, &same, &found);
	}
	context.acting = false;
	if (rc == 0 && same && options.mode == AS_REPLAY_STATEFUL) {
		rc = check_probes(c, world, &context.call, &found);
	}
	if (rc == 0 && same && context.n_heard != as_json_count(context.heard)) {
		as_finding(c->v->out, c->at->traces.file, c->at->traces.line, "/seed_metadata/simulated",
			   "holds %zu replies, of which its calls use %zu", as_json_count(context.heard),
			   context.n_heard);
	}
	as_world_close(world, NULL);
	as_json_free(context.simulated);
	as_json_free(heard);
	c->v->out->replays++;
	return rc < 0 ? as_finding_of(c->v->out, c->at->traces.file, c->at->traces.line, NULL, &found, err) : 0;
}

/* ---- the verdicts ---- */

static int score_again(const attempt_case *c, size_t scorer, const as_verdict_line *line, assay_error *err)
{
	verification *v = c->v;
	const rows *at = &c->at->verdicts;
	const assay_json *heard = as_json_get(line->verdict, "evidence");
	assay_json *again = NULL, *none;
	assay_error found = {0};
	as_context context;
	char whose[96];
	int rc;
	if (!v->scorers[scorer]) {
		v->out->verdicts_stored++;
		return 0;
	}
	if (!c->trace || !c->task || !c->task->document) {
		return 0;
	}
	as_context_init(&context, v->worker, v->manifest->scorers[scorer].use, "verify", 0, 0);
	none = as_json_array(); /* evidence that is left out is not made good by asking */
	if (!none) {
		return as_fail_memory(err);
	}
	rc = as_score_with_evidence(&context, v->scorers[scorer], c->task->document, c->trace, heard ? heard : none,
				    &again, &found);
	as_json_free(none);
	if (rc < 0) {
		return as_finding_of(v->out, at->file, at->line, NULL, &found, err);
	}
	snprintf(whose, sizeof whose, "the trace of attempt %.12s..., try %lld", c->line.attempt_id.ptr,
		 (long long)c->line.try_number);
	as_verify_same(v, at->file, at->line, "/verdict", whose, again, line->verdict);
	v->out->verdicts++;
	as_json_free(again);
	return 0;
}

static int check_verdict(attempt_case *c, size_t scorer, assay_error *err)
{
	rows *at = &c->at->verdicts;
	const char *use = c->v->manifest->scorers[scorer].use;
	assay_json *row = NULL;
	as_verdict_line line;
	assay_error found = {0};
	uint32_t before = at->line;
	int rc = as_rows_value(at, &row, err);
	if (rc == 0 && at->lines) {
		as_finding(c->v->out, at->file, before, NULL, "ends here, but there are more attempts");
		as_rows_close(at); /* said once */
	}
	if (rc <= 0 || !row) {
		return rc < 0 ? rc : 0;
	}
	rc = as_verdict_line_read(row, &line, &found);
	if (rc < 0) {
		c->v->broken = true;
		rc = as_finding_of(c->v->out, at->file, at->line, NULL, &found, err);
	} else if (c->row && (!as_str_eq(line.attempt_id, c->line.attempt_id) ||
			      line.try_number != c->line.try_number || !as_str_is(line.scorer, use))) {
		as_finding(c->v->out, at->file, at->line, NULL, "expected the verdict of %s on line %u of %s", use,
			   c->at->attempts.line, c->at->attempts.file);
		c->v->broken = true;
	} else if (c->row) {
		rc = score_again(c, scorer, &line, err);
		if (scorer == c->v->manifest->headline) {
			c->headline = row;
		}
		if (as_json_append(c->verdicts, row) < 0) {
			c->headline = NULL;
			rc = as_fail_memory(err);
		}
		row = NULL;
	}
	as_json_free(row);
	return rc;
}

/* A failure must not be talked away: its end is the one that the trace tells, its class that of the end. */
static void check_end(const attempt_case *c)
{
	assay_str said = as_json_str(as_json_pointer(as_trace_document(c->trace), "/seed_metadata/exploration/end"));
	bool agent = as_str_is(c->line.end_class, "agent");
	bool unjudged =
		as_str_is(c->line.end, "judge_unreachable") && as_evidence_failed(as_json_get(c->headline, "verdict"));
	if (as_declared_end(said) && !as_str_eq(said, c->line.end) && !unjudged) {
		as_finding(c->v->out, c->at->attempts.file, c->at->attempts.line, "/end",
			   "\"%.40s\" follows from its trace", said.ptr);
	}
	if (!agent && !as_str_is(c->line.end_class, "infra") && !as_str_is(c->line.end_class, "harness")) {
		attempt_finding(c, "/class", "expected \"agent\", \"infra\" or \"harness\"");
	} else if (!agent && as_declared_end(c->line.end)) {
		attempt_finding(c, "/class", "such an end is the agent's");
	}
}

/* A fail whose end is not the agent's is void; nothing else is. */
static void check_void(const attempt_case *c)
{
	const assay_json *verdict = as_json_get(c->headline, "verdict");
	bool passed = as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass");
	if (c->line.voided != (!passed && as_manifest_voids(c->v->manifest, c->line.end_class))) {
		attempt_finding(c, "/void", "does not follow from the verdict and the class of the end");
	}
}

static int count_others(const attempt_case *c, const as_figure_attempt *a, assay_error *err)
{
	const as_manifest *m = c->v->manifest;
	const assay_json *row = as_json_first(c->verdicts);
	int rc = 0;
	for (size_t i = 0; as_json_count(c->verdicts) == m->n_scorers && i < m->n_scorers && rc == 0; i++) {
		if (i != m->headline) {
			rc = as_figures_add_verdict(c->v->figures, a, i, as_json_get(row, "verdict"), err);
		}
		row = as_json_next(row);
	}
	return rc;
}

static int count_attempt(const attempt_case *c, assay_error *err)
{
	const as_figure_attempt a = {c->line.attempt_id, c->line.task_id,
				     c->line.candidate,  c->line.condition,
				     c->line.end,        c->line.voided,
				     c->trace,           as_json_get(c->headline, "verdict")};
	if (!c->row || !c->trace || !c->headline || !c->task) {
		c->v->broken = true;
		return 0;
	}
	check_end(c);
	check_void(c);
	int rc = as_figures_add_attempt(c->v->figures, &a, err);
	return rc < 0 ? rc : count_others(c, &a, err);
}

/* What was on offer, where that hangs on descriptions that are part of the release. */
static int check_offer(const attempt_case *c, assay_error *err)
{
	if (!c->trace || !c->condition || !c->candidate || !c->task || !c->task->document ||
	    !as_str_is(c->line.end_class, "agent")) {
		return 0; /* others may have ended before anything was offered */
	}
	return as_verify_offer(c->v, &c->at->traces, c->condition, c->candidate, c->task, as_trace_document(c->trace),
			       c->line.attempt_id, err);
}

static int check_attempt(attempt_case *c, assay_error *err)
{
	assay_error found = {0};
	int rc = 0;
	if (c->row && as_attempt_line_read(c->row, &c->line, &found) < 0) {
		rc = as_finding_of(c->v->out, c->at->attempts.file, c->at->attempts.line, NULL, &found, err);
		as_json_free(c->row);
		c->row = NULL;
	}
	if (rc == 0 && c->row) {
		find_parts(c);
		rc = check_id(c, err);
	}
	rc = rc < 0 ? rc : read_trace(c, err);
	if (rc == 0 && c->row && !c->at->traces.foreign) {
		rc = check_replay(c, err);
		rc = rc < 0 ? rc : check_offer(c, err);
	}
	for (size_t i = 0; i < c->v->manifest->n_scorers && rc == 0; i++) {
		rc = check_verdict(c, i, err);
	}
	return rc < 0 ? rc : count_attempt(c, err);
}

static int check_rows(attempt_rows *at, assay_error *err)
{
	verification *v = at->v;
	int rc = 0;
	while (rc == 0) {
		attempt_case c = {.v = v, .at = at};
		rc = as_rows_value(&at->attempts, &c.row, err);
		if (rc <= 0) {
			return rc;
		}
		c.verdicts = as_json_array();
		rc = c.verdicts ? check_attempt(&c, err) : as_fail_memory(err);
		as_json_free(c.row);
		as_json_free(c.verdicts);
		as_trace_free(c.trace);
		as_progress_step(v->options->progress, 1);
		v->out->attempts++;
	}
	return rc;
}

/* ---- all of them ---- */

static int list_wanted(attempt_rows *at, size_t lines, assay_error *err)
{
	verification *v = at->v;
	assay_str *ids = as_new(v->n_tasks + 1, sizeof *ids);
	assay_error found = {0};
	int rc;
	at->sorted = as_new(v->n_tasks + 1, sizeof *at->sorted);
	if (!ids || !at->sorted) {
		free(ids);
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < v->n_tasks; i++) {
		ids[i] = v->tasks[i].id;
		at->sorted[i] = v->tasks[i];
	}
	if (v->n_tasks > 0) {
		qsort(at->sorted, v->n_tasks, sizeof *at->sorted, compare_tasks);
	}
	rc = as_wanted_list(v->manifest, ids, v->n_tasks, (uint64_t)lines + MISSING_COUNTED, &at->wanted, &found);
	free(ids);
	return rc < 0 ? as_finding_of(v->out, "manifest.json", 0, NULL, &found, err) : 0;
}

/* Leaving attempts out would be choosing the figures. */
static void check_missing(const attempt_rows *at)
{
	const verification *v = at->v;
	const as_wanted_attempt *first;
	size_t n = as_wanted_missing(&at->wanted, v->manifest, &first);
	if (n > 0 && !v->broken) {
		as_finding(
			v->out, at->attempts.file, 0, NULL,
			"%zu attempts are missing or were not tried again when void, the first: %.60s under condition %.40s, task %.40s, repeat %u",
			n, v->manifest->candidates[first->candidate].name,
			v->manifest->conditions[first->condition].name, v->tasks[first->task].id.ptr, first->repeat);
	}
}

int as_verify_attempts(verification *v, assay_error *err)
{
	attempt_rows at = {.v = v};
	const as_release_file *file = as_release_find(v->release, "attempts.jsonl");
	size_t lines = file ? as_json_count(file->lines) : 0;
	int rc = list_wanted(&at, lines, err);
	rc = rc < 0 ? rc : as_rows_open(v, "attempts.jsonl", &at.attempts, err);
	rc = rc < 0 ? rc : as_rows_open(v, "traces.jsonl", &at.traces, err);
	rc = rc < 0 ? rc : as_rows_open(v, "verdicts.jsonl", &at.verdicts, err);
	as_progress_begin(v->options->progress, "attempts", lines);
	rc = rc < 0 ? rc : check_rows(&at, err);
	as_progress_end(v->options->progress);
	rc = rc < 0 ? rc : as_rows_end(&at.traces, err);
	rc = rc < 0 ? rc : as_rows_end(&at.verdicts, err);
	if (rc == 0) {
		check_missing(&at);
	}
	as_rows_close(&at.attempts);
	as_rows_close(&at.traces);
	as_rows_close(&at.verdicts);
	as_wanted_free(&at.wanted);
	free(at.sorted);
	return rc;
}
