#include "core/run/attempt.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/describe.h"
#include "core/run/reach.h"
#include <assay/roles/explorer.h>
#include <string.h>

#define TEXT_CUT 8000 /* characters of a result that a model gets to read; reference page 7.1 */

const as_use as_flat_exposure = {.use = "exposure/flat"};

/* What the explorer said of its end, as one of our own words. */
static int end_of_result(const assay_json *exploration, const char **end, assay_error *err)
{
	const assay_json *said = as_json_get(exploration, "end");
	*end = !said || as_json_type(said) == ASSAY_JSON_NULL ? "finished" : as_declared_end(as_json_str(said));
	return *end ? 0
		    : as_fail(err, ASSAY_EPLUGIN,
			      "it says \"%.40s\" of its end, expected finished, gave_up, turn_limit, malformed_call or "
			      "context_overflow",
			      as_json_cstr(said, "?"));
}

/* The end of a session that a service cut short. NULL: not an end but a failure of the run itself. */
static const char *end_of_error(const as_context *c, int rc)
{
	if (c->fault == AS_FAULT_MODEL) {
		return c->dialogue.end;
	}
	if (rc == ASSAY_ETIMEOUT && as_remaining(c->call.deadline_ms) == 0) {
		return "time_limit";
	}
	if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM || rc == ASSAY_EPLUGIN || rc == ASSAY_ENOTSUP ||
	    rc == ASSAY_EINVAL) {
		return NULL;
	}
	if (c->fault == AS_FAULT_SERVER) {
		return "server_unreachable";
	}
	return rc == ASSAY_ELIMIT ? "turn_limit" : NULL;
}

/* A router or an embedder that is out of reach ends the session before it began; the attempt is none of the agent's. */
static int offer(as_context *c, as_session_result *out, assay_error *err)
{
	int rc;
	const as_model_spec *agent = c->model;
	c->model = c->exposure_model; /* a router asks its own model, and the attempt pays */
	c->for_exposure = true;
	rc = as_recorder_offer(c->recorder, &c->call, &out->cause);
	c->model = agent;
	c->for_exposure = false;
	if (rc < 0) {
		const char *end = c->fault == AS_FAULT_MODEL ? c->dialogue.end : NULL;
		out->cause.code = rc;
		if (!end) {
			if (err) {
				*err = out->cause;
			}
			return rc;
		}
		out->end = end;
	}
	return 0;
}

/* The end of a session says which of our words it was; only the log says which server, and what it did. */
static void tell_fault(const as_context *c, const as_session_result *result)
{
	char line[900];
	if (c->fault == AS_FAULT_SERVER && result->end) {
		as_error_format(&result->cause, line, sizeof line);
		as_log_put(c->call.log, "run", ASSAY_LOG_WARN, "%s: %s: %s", c->subject, result->end, line);
	}
}

static int explore(as_context *c, const as_session_spec *spec, const as_instance *explorer, as_session_result *out,
		   assay_json **exploration, assay_error *err)
{
	const assay_explorer_ops *ops = as_instance_ops(explorer);
	assay_assignment assignment = {.size = sizeof assignment,
				       .turns = spec->budget.turns,
				       .prompt = spec->request.prompt,
				       .persona = spec->persona,
				       .seed = spec->seed};
	as_called before = as_instance_enter(explorer, "run");
	as_collect got;
	int rc;
	as_collect_init(&got, 1, 0);
	rc = ops->run(as_instance_self(explorer), &c->call.pub, &assignment, &got.sink, &out->cause);
	rc = as_called_end(before, rc, &out->cause);
	if (rc == 0) {
		rc = as_collect_one(&got, spec->explorer->use, exploration, err);
		rc = rc < 0 ? rc : end_of_result(*exploration, &out->end, err);
	} else {
		out->cause.code = rc;
		out->end = end_of_error(c, rc);
		tell_fault(c, out);
		as_collect_one(&got, spec->explorer->use, exploration,
			       NULL); /* what was said until then, if anything */
		if (out->end) {
			rc = 0;
		} else if (err) {
			*err = out->cause;
		}
	}
	if (rc == 0 && *exploration) { /* programs are given secrets, and may say them */
		rc = as_redact_json(c->engine->redactor, exploration, err);
	}
	as_redact_error(c->engine->redactor, &out->cause);
	as_redact_error(c->engine->redactor, rc < 0 ? err : NULL);
	as_collect_free(&got);
	as_error_where(rc < 0 ? err : NULL, spec->explorer->use, 0);
	return rc;
}

static int note_times(as_engine *e, const as_recorder *r, const as_session_spec *spec, int64_t wall, int64_t begun,
		      assay_error *err)
{
	const as_call_time *times;
	size_t n = as_recorder_times(r, &times);
	int64_t total = 0;
	assay_str run = as_str(e->manifest->bench_id);
	int rc;
	for (size_t i = 0; i < n; i++) {
		total += times[i].length_us;
	}
	rc = as_store_put_timing(e->store, run, as_str(spec->subject), "session", wall, as_now_us() - begun, err);
	if (rc == 0 && n > 0) {
		rc = as_store_put_timing(e->store, run, as_str(spec->subject), "world", times[0].start_us, total, err);
	}
	return rc;
}

static bool is_offered(const void *context, assay_str server, assay_str tool)
{
	return as_recorder_has(context, server, tool);
}

/* What the exposure offered for the task, as part of the trace: seed_metadata.exposure; and what the world's simulator
 * was asked and said, by which a release is verified: seed_metadata.simulated. */
static int note_condition(as_context *c, const as_session_spec *spec, assay_error *err)
{
	assay_json *o;
	as_reach reach;
	int rc;
	if (!spec->task) {
		return 0;
	}
	reach = as_reach_count(spec->task, is_offered, c->recorder);
	o = as_json_object();
	rc = as_json_set(o, "use", as_json_cstring(spec->exposure->use));
	rc |= as_json_set(o, "tools", as_json_integer((int64_t)as_recorder_count(c->recorder)));
	rc |= as_json_set(o, "checkpoints", as_json_integer(reach.checkpoints));
	rc |= as_json_set(o, "reachable", as_json_integer(reach.reachable));
	if (spec->described) {
		rc |= as_json_set(o, "descriptions", as_json_cstring(spec->described->describer.use));
	}
	rc |= as_json_set(o, "embedded_texts", as_json_integer((int64_t)c->embedded));
	if (rc < 0) {
		as_json_free(o);
		return as_fail_memory(err);
	}
	rc = as_recorder_note(c->recorder, "exposure", o, err);
	if (rc == 0 && c->simulated) {
		rc = as_recorder_note(c->recorder, "simulated", c->simulated, err);
		c->simulated = NULL;
	}
	return rc;
}

static void open_context(as_context *c, as_worker *w, const as_session_spec *spec)
{
	as_context_init(c, w, spec->explorer->use, spec->subject, spec->seed, spec->budget.seconds);
	c->model = spec->model;
	c->world = spec->world;
	c->try_number = spec->try_number;
	c->sampling = spec->sampling;
	c->max_tokens = spec->budget.tokens;
	c->max_usd = spec->budget.usd;
}

int as_session_run(as_worker *w, const as_session_spec *spec, as_session_result *out, assay_error *err)
{
	as_context c;
	as_instance *explorer, *exposure;
	as_recorder_options options = {.world = spec->world,
				       .request = spec->request,
				       .seed_metadata = spec->seed_metadata,
				       .trace_servers = spec->trace_servers,
				       .text_cut = TEXT_CUT};
	assay_json *exploration = NULL;
	int64_t wall = as_wall_us(), begun = as_now_us();
	int rc;
	*out = (as_session_result){.end = "setup_failed"};
	open_context(&c, w, spec);
	options.catalogue = c.engine->catalogue;
	options.exceptions = as_manifest_is_reference(c.engine->manifest);
	options.pool = c.engine->pool;
	options.describe = spec->described ? as_describe : NULL;
	options.describer = (void *)(uintptr_t)spec->described;
	rc = as_worker_instance(w, spec->explorer, ASSAY_ROLE_EXPLORER, &explorer, err);
	rc = rc < 0 ? rc : as_worker_instance(w, spec->exposure, ASSAY_ROLE_EXPOSURE, &exposure, err);
	if (rc < 0) {
		as_json_free(spec->seed_metadata);
		return rc;
	}
	options.exposure = exposure;
	c.exposure_model = as_manifest_model(c.engine->manifest, spec->exposure->model);
	rc = as_recorder_open(&options, &c.recorder, err);
	if (rc < 0) {
		return rc;
	}
	rc = offer(&c, out, err);
	if (rc == 0 && out->cause.code == 0) {
		rc = explore(&c, spec, explorer, out, &exploration, err);
	}
	if (rc == 0 && spec->probed) {
		rc = as_recorder_probe(c.recorder, &c.call, spec->task, err);
	}
	if (rc == 0) {
		out->end_class = as_end_class(out->end);
		rc = note_condition(&c, spec, err);
	}
	if (rc == 0) {
		rc = as_recorder_finish(c.recorder, exploration, &out->trace, err);
		exploration = NULL;
	}
	if (rc == 0) {
		out->ran = true;
		rc = spec->untimed ? 0 : note_times(c.engine, c.recorder, spec, wall, begun, err);
	}
	if (rc < 0) {
		as_trace_free(out->trace);
		out->trace = NULL;
		as_json_free(exploration);
	}
	as_json_free(c.simulated);
	as_recorder_close(c.recorder);
	return rc;
}

int as_attempt_id(assay_str task_id, const as_candidate_spec *candidate, const as_condition_spec *condition,
		  uint32_t repeat, char out[65], assay_error *err)
{
	assay_text who = {0}, how = {0};
	char number[16];
	int n = snprintf(number, sizeof number, "%u", repeat);
	int rc = as_json_dump(candidate->record, ASSAY_JSON_CANONICAL, &who, err);
	if (rc == 0) {
		rc = as_json_dump(condition->record, ASSAY_JSON_CANONICAL, &how, err);
	}
	if (rc == 0) {
		assay_str parts[] = {
			task_id, as_text_str(who), as_text_str(how), {number, (size_t)n}, as_str(candidate->module)};
		as_hash_parts("attempt", parts, candidate->module ? 5 : 4, out);
	}
	as_text_free(&who);
	as_text_free(&how);
	return rc;
}
