#include "core/run/vet.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/vet_private.h"
#include <stdlib.h>
#include <string.h>

#define CALL_MS 20000    /* for one tool (reference page 7.6) */
#define MORE_TRIES 3     /* with other values, for a tool that failed */
#define MAX_GONE 3       /* failures of the server itself, one after the other, before the rest is left alone */
#define REASON_CHARS 160 /* of an answer that are kept as a reason */

typedef enum trial_state { TRIAL_WAITING, TRIAL_OK, TRIAL_ERROR, TRIAL_TIMEOUT, TRIAL_SKIPPED } trial_state;
static const char *const state_names[] = {"waiting", "ok", "error", "timeout", "skipped"};

typedef struct trial {
	const assay_tool *tool;
	trial_state state;
	assay_json *arguments; /* of the last call */
	as_buf reason;
	int64_t us;
	bool recovered;
	bool gone; /* the last call had no answer, or none that is one */
} trial;

typedef struct vetting {
	const as_vetting *v;
	as_catalogue *catalogue;
	assay_tools tools;
	trial *trials;
	vet_pool pool;
	assay_json *smells, *missing, *class_, *dependencies; /* moved into the record at the end */
	int gone;
} vetting;

static bool is_harmless(const assay_tool *t)
{
	return !(t->flags & (ASSAY_TOOL_WRITES | ASSAY_TOOL_DESTRUCTIVE));
}

/* Why it is not to be called: it may write, and nothing holds what it does. What neither says that it writes nor that
 * it reads ("calculate") is believed to be what the manifest says of its server. NULL: it may be called. */
static const char *refusal(const as_vetting *v, const assay_tool *t)
{
	bool writes = v->server->server_class == AS_CLASS_STATEFUL_WRITE && !is_harmless(t);
	if (v->allow_writes || (!writes && vet_class_of(t) != AS_CLASS_STATEFUL_WRITE)) {
		return NULL;
	}
	return as_manifest_unheld(v->context->engine->manifest, v->server);
}

/* The tools with their effects by annotation and name: whatever the manifest's class says of all of them, a tool that
 * its own name betrays is not called where nothing holds what it does. */
static int open_tools(const as_vetting *v, as_catalogue **out, assay_tools *tools, assay_error *err)
{
	assay_json *record = as_json_object(), *records = as_json_array();
	const as_catalogue_server *server;
	int rc = as_json_set(record, "server_id", as_json_cstring(v->server->id));
	rc |= as_json_set(record, "class", as_json_cstring("stateful_write"));
	rc |= as_json_set(record, "tools", as_json_clone(v->tools));
	rc |= as_json_append(records, record);
	rc = rc < 0 ? (as_json_free(records), as_fail_memory(err)) : as_catalogue_new(records, out, err);
	if (rc == 0) {
		server = as_catalogue_server_of(*out, as_str(v->server->id));
		*tools = server ? server->tools : (assay_tools){NULL, 0};
	}
	return rc;
}

/* One call with a time limit of its own. ASSAY_ECANCELED and ASSAY_ENOMEM fail; all else is an outcome. */
static int call_tool(const as_vetting *v, const assay_tool *tool, const assay_json *arguments, as_answer *answer,
		     trial_state *state, as_buf *reason, int64_t *us, bool *gone, assay_error *err)
{
	as_call call = v->context->call;
	assay_error why = {0};
	char line[600];
	int64_t begun = as_now_us();
	call.deadline_ms = as_deadline(CALL_MS);
	int rc = as_world_call(v->context->world, &call, as_str(v->server->id), tool->name, arguments, answer, &why);
	*us = as_now_us() - begun;
	*gone = rc < 0;
	as_buf_clear(reason);
	if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM) {
		*err = why;
		return rc;
	}
	if (rc < 0) {
		as_error_format(&why, line, sizeof line);
		as_buf_puts(reason, line);
		*state = rc == ASSAY_ETIMEOUT ? TRIAL_TIMEOUT : TRIAL_ERROR;
		return 0;
	}
	*state = answer->status == ASSAY_STEP_SUCCESS ? TRIAL_OK : TRIAL_ERROR;
	as_render_result(answer->result, reason);
	return as_buf_check(reason, err);
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static int rank(const assay_tool *t, bool ready)
{
	int base = t->flags & ASSAY_TOOL_DESTRUCTIVE ? 4
		   : t->flags & ASSAY_TOOL_WRITES    ? 2
						     : as_json_count(as_json_get(t->input_schema, "required")) > 0;
	return base + (ready ? 0 : 10);
}

/* The next tool to try: those that can be given what they want before the others, reads before writes, what destroys
 * last. */
static int next_trial(vetting *x, trial **out, assay_error *err)
{
	int best = 100, rc = 0;
	*out = NULL;
	for (size_t i = 0; i < x->tools.count && rc == 0; i++) {
		assay_json *arguments = NULL;
		bool ready = false;
		int r;
		if (x->trials[i].state != TRIAL_WAITING) {
			continue;
		}
		rc = vet_arguments(&x->pool, x->trials[i].tool, 0, (assay_str){NULL, 0}, &arguments, &ready, err);
		as_json_free(arguments);
		r = rank(x->trials[i].tool, ready);
		if (rc == 0 && r < best) {
			best = r;
			*out = &x->trials[i];
		}
	}
	return rc;
}

/* --- trying ------------------------------------------------------------------------------------------------------- */

static int note_missing(vetting *x, assay_str tool, assay_str text)
{
	const char *what = vet_missing(text);
	assay_json *o;
	int rc;
	if (!what) {
		return 0;
	}
	o = as_json_object();
	rc = as_json_set(o, "tool", as_json_string(tool));
	rc |= as_json_set(o, "what", as_json_cstring(what));
	rc |= as_json_set(o, "text", as_json_string((assay_str){text.ptr, as_utf8_prefix(text, REASON_CHARS)}));
	return as_json_append(x->missing, o) < 0 || rc < 0 ? ASSAY_ENOMEM : 0;
}

/* A server that seems to compute is asked the same twice. */
static int ask_again(vetting *x, trial *t, const assay_json *first, assay_error *err)
{
	as_answer again = {0};
	as_buf reason = {0};
	trial_state state;
	int64_t us;
	bool gone;
	char why[240];
	int rc;
	if (!as_str_is(as_json_str(as_json_get(x->class_, "proposed")), "static")) {
		return 0;
	}
	rc = call_tool(x->v, t->tool, t->arguments, &again, &state, &reason, &us, &gone, err);
	if (rc == 0 && state == TRIAL_OK && !as_json_equal(first, again.result)) {
		snprintf(why, sizeof why, "%.*s: two equal calls gave different answers", ASSAY_FMT(t->tool->name));
		rc = as_json_set(x->class_, "proposed", as_json_cstring("live_read"));
		rc |= as_json_set(x->class_, "reason", as_json_cstring(why));
		rc = rc < 0 ? as_fail_memory(err) : 0;
	}
	as_answer_clear(&again);
	as_buf_free(&reason);
	return rc;
}

/* What a successful call took from others counts as a dependency. */
static int keep_dependencies(vetting *x, bool good)
{
	assay_json *d;
	int rc = 0;
	while ((d = as_json_take_first(x->pool.dependencies)) != NULL) {
		if (good && rc == 0) {
			rc = as_json_append(x->dependencies, d);
		} else {
			as_json_free(d);
		}
	}
	return rc;
}

static int try_tool(vetting *x, trial *t, size_t try, assay_error *err)
{
	as_answer answer = {0};
	assay_json *arguments = NULL;
	bool ready;
	int rc = vet_arguments(&x->pool, t->tool, try, t->tool->name, &arguments, &ready, err);
	if (rc == 0 && try > 0 && as_json_equal(arguments, t->arguments)) {
		as_json_free(arguments); /* nothing new to say */
		return keep_dependencies(x, false);
	}
	as_json_free(t->arguments);
	t->arguments = arguments;
	rc = rc < 0 ? rc : call_tool(x->v, t->tool, arguments, &answer, &t->state, &t->reason, &t->us, &t->gone, err);
	x->gone = t->gone ? x->gone + 1 : 0;
	if (rc == 0 && keep_dependencies(x, t->state == TRIAL_OK) < 0) {
		rc = as_fail_memory(err);
	}
	if (rc == 0 && t->state == TRIAL_OK) {
		t->recovered = try > 0;
		rc |= vet_harvest(&x->pool, t->tool->name, arguments, answer.result);
		rc |= vet_check_output(t->tool, answer.result, x->smells);
		rc = rc < 0 ? as_fail_memory(err) : ask_again(x, t, answer.result, err);
		as_buf_clear(&t->reason);
	}
	as_answer_clear(&answer);
	return rc;
}

static void skip(trial *t, const char *why)
{
	t->state = TRIAL_SKIPPED;
	as_buf_clear(&t->reason);
	as_buf_puts(&t->reason, why);
}

static int try_all(vetting *x, assay_error *err)
{
	trial *t = NULL;
	int rc = 0;
	for (size_t i = 0; i < x->tools.count; i++) {
		const char *why = refusal(x->v, x->tools.list[i]);
		x->trials[i].tool = x->tools.list[i];
		if (why) {
			skip(&x->trials[i], "it may write, and ");
			as_buf_printf(&x->trials[i].reason, "%s; --allow-writes tries it", why);
		}
	}
	while (rc == 0) {
		rc = next_trial(x, &t, err);
		if (rc < 0 || !t) {
			break;
		}
		if (x->gone >= MAX_GONE) {
			skip(t, "the server is gone");
		} else {
			rc = try_tool(x, t, 0, err);
		}
	}
	for (size_t i = 0; i < x->tools.count && rc == 0; i++) {
		t = &x->trials[i];
		for (size_t k = 1; k <= MORE_TRIES && t->state == TRIAL_ERROR && x->gone < MAX_GONE && rc == 0; k++) {
			rc = try_tool(x, t, k, err);
		}
		if (rc == 0 && t->state == TRIAL_ERROR && note_missing(x, t->tool->name, as_buf_str(&t->reason)) < 0) {
			rc = as_fail_memory(err);
		}
	}
	return rc;
}

/* --- what came of it ---------------------------------------------------------------------------------------------- */

static assay_json *trial_record(const trial *t)
{
	assay_json *o = as_json_object();
	assay_str reason = as_buf_str(&t->reason);
	int rc = as_json_set(o, "name", as_json_string(t->tool->name));
	reason.len = as_utf8_prefix(reason, REASON_CHARS);
	rc |= as_json_set(o, "status", as_json_cstring(state_names[t->state]));
	rc |= as_json_set(o, "reason", reason.len > 0 ? as_json_string(reason) : as_json_null());
	rc |= as_json_set(o, "arguments", t->arguments ? as_json_clone(t->arguments) : as_json_null());
	rc |= as_json_set(o, "ms", as_json_real(as_us_to_ms(t->us)));
	rc |= as_json_set(o, "recovered", as_json_truth(t->recovered));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static int conclude(vetting *x, bool *broken, assay_json **out, assay_error *err)
{
	assay_json *o = as_json_object(), *tools = as_json_array();
	int64_t exercised = 0, passed = 0, gone = 0;
	int rc = 0;
	for (size_t i = 0; i < x->tools.count && rc == 0; i++) {
		exercised += x->trials[i].state != TRIAL_SKIPPED;
		passed += x->trials[i].state == TRIAL_OK;
		gone += x->trials[i].gone;
		rc = as_json_append(tools, trial_record(&x->trials[i]));
	}
	rc |= as_json_set(o, "tools", tools);
	rc |= as_json_set(o, "dependencies", x->dependencies);
	rc |= as_json_set(o, "class", x->class_);
	rc |= as_json_set(o, "missing", x->missing);
	rc |= as_json_set(o, "smells", x->smells);
	x->dependencies = x->class_ = x->missing = x->smells = NULL;
	rc |= as_json_set(o, "exercised", as_json_integer(exercised));
	rc |= as_json_set(o, "passed", as_json_integer(passed));
	rc |= as_json_set(o, "pass_rate",
			  exercised ? as_json_real((double)passed / (double)exercised) : as_json_null());
	rc |= as_json_set(o, "ok", as_json_truth(exercised ? 2 * passed >= exercised : x->tools.count > 0));
	if (rc < 0) {
		as_json_free(o);
		return as_fail_memory(err);
	}
	*broken = exercised > 0 && gone == exercised;
	*out = o;
	return 0;
}

int as_vet_server(const as_vetting *v, bool *broken, assay_json **out, assay_error *err)
{
	vetting x = {.v = v};
	int rc = open_tools(v, &x.catalogue, &x.tools, err);
	*out = NULL;
	*broken = false;
	x.pool = (vet_pool){as_json_array(), as_json_array()};
	x.smells = as_json_array();
	x.dependencies = as_json_array();
	x.missing = as_json_array();
	if (rc == 0) {
		x.trials = as_new(x.tools.count + 1, sizeof *x.trials);
		x.class_ = vet_class(v->server, x.tools);
		if (!x.trials || !x.class_ || !x.smells || !x.missing || !x.dependencies || !x.pool.seen ||
		    !x.pool.dependencies) {
			rc = as_fail_memory(err);
		}
	}
	if (rc == 0 && vet_smells(x.tools, v->tools, x.smells) < 0) {
		rc = as_fail_memory(err);
	}
	rc = rc < 0 ? rc : try_all(&x, err);
	rc = rc < 0 ? rc : conclude(&x, broken, out, err);
	for (size_t i = 0; x.trials && i < x.tools.count; i++) {
		as_json_free(x.trials[i].arguments);
		as_buf_free(&x.trials[i].reason);
	}
	free(x.trials);
	as_json_free(x.pool.seen);
	as_json_free(x.pool.dependencies);
	as_json_free(x.dependencies);
	as_json_free(x.class_);
	as_json_free(x.smells);
	as_json_free(x.missing);
	as_catalogue_free(x.catalogue);
	return rc;
}

int as_vet_probe(const as_vetting *v, bool *broken, assay_json **out, assay_error *err)
{
	as_catalogue *catalogue = NULL;
	assay_tools tools;
	const assay_tool *chosen = NULL;
	as_answer answer = {0};
	trial t = {0};
	int rc = open_tools(v, &catalogue, &tools, err);
	*out = NULL;
	*broken = false;
	for (size_t i = 0; rc == 0 && i < tools.count && !chosen; i++) {
		if (is_harmless(tools.list[i]) &&
		    as_json_count(as_json_get(tools.list[i]->input_schema, "required")) == 0) {
			chosen = tools.list[i];
		}
	}
	if (rc == 0 && chosen) {
		t.tool = chosen;
		rc = call_tool(v, chosen, NULL, &answer, &t.state, &t.reason, &t.us, broken, err);
		if (t.state == TRIAL_OK) {
			as_buf_clear(&t.reason);
		}
		*out = rc == 0 ? trial_record(&t) : NULL;
	} else if (rc == 0) {
		*out = as_json_null();
	}
	if (rc == 0 && !*out) {
		rc = as_fail_memory(err);
	}
	as_answer_clear(&answer);
	as_buf_free(&t.reason);
	as_catalogue_free(catalogue);
	return rc;
}
