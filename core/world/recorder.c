/* The recorder: what an agent is offered, what it does, and what came of it. */
#include "core/world/recorder.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/world/probe.h"
#include <stdlib.h>
#include <string.h>

#define MAX_NAME_SHOWN 100 /* characters of a name that a model thought up */

/* One tool on offer. tool NULL: the exposure's own. */
typedef struct offer {
	assay_str name; /* as offered; the arena's */
	const assay_tool *tool;
} offer;

struct as_recorder {
	as_recorder_options options;
	as_arena arena;
	offer *offers;
	size_t n_offers, cap_offers;
	as_wording wording; /* where descriptions are worded anew */
	assay_json *tools;  /* what explorers see */
	as_trace *trace;
	as_call_time *times;
	size_t n_times, cap_times;
	uint32_t calls;
};

typedef struct offer_sink {
	assay_offer_sink pub;
	as_recorder *recorder;
} offer_sink;

static const offer *find_offer(const as_recorder *r, assay_str name)
{
	for (size_t i = 0; i < r->n_offers; i++) {
		if (as_str_eq(r->offers[i].name, name)) {
			return &r->offers[i];
		}
	}
	return NULL;
}

static assay_json *offered_parameters(const assay_tool *tool, const assay_json *parameters)
{
	assay_json *made;
	if (parameters || (tool && tool->input_schema)) {
		return as_json_clone(parameters ? parameters : tool->input_schema);
	}
	made = as_json_object();
	if (as_json_set(made, "type", as_json_cstring("object")) < 0) {
		as_json_free(made);
		return NULL;
	}
	return made;
}

/* The tool as explorers see it, which hangs on its name as long as the exposure says nothing of its own. */
static assay_json *offered_function(as_recorder *r, const assay_tool *tool, assay_str shown, assay_str description,
				    const assay_json *parameters, bool own)
{
	assay_json *function = own ? NULL : as_json_pool_get(r->options.pool, shown);
	if (function) {
		return function;
	}
	if (tool && description.len == 0) {
		description = tool->description;
	}
	function = as_json_object();
	if (as_json_set(function, "name", as_json_string(shown)) < 0 ||
	    as_json_set(function, "description", as_json_string(description)) < 0 ||
	    as_json_set(function, "parameters", offered_parameters(tool, parameters)) < 0) {
		as_json_free(function);
		return NULL;
	}
	return as_json_pool_put(r->options.pool, own ? (assay_str){NULL, 0} : shown, function);
}

static int add_offer(assay_offer_sink *pub, const assay_tool *tool, assay_str name, assay_str description,
		     const assay_json *parameters, assay_error *err)
{
	as_recorder *r = ((offer_sink *)pub)->recorder;
	const assay_tool *original = tool ? as_wording_original(&r->wording, tool) : NULL;
	bool own = !tool || name.len > 0 || description.len > 0 || parameters;
	assay_str shown = name;
	int rc = 0;
	if (tool && name.len == 0) {
		shown = as_str(
			as_arena_printf(&r->arena, "%.*s__%.*s", ASSAY_FMT(tool->server), ASSAY_FMT(tool->name)));
	} else {
		shown = as_arena_str(&r->arena, name);
	}
	if (r->arena.failed || !as_grow(&r->offers, &r->cap_offers, r->n_offers + 1, sizeof *r->offers)) {
		return as_fail_memory(err);
	}
	if (shown.len == 0) {
		return as_fail(err, ASSAY_EPLUGIN, "an exposure offered a tool without a name");
	}
	if (find_offer(r, shown)) {
		return 0; /* the first of a name stays, as in a set */
	}
	own = own || original != tool;
	if (as_json_append(r->tools, offered_function(r, tool, shown, description, parameters, own)) < 0) {
		rc = as_fail_memory(err);
	}
	if (rc == 0) {
		r->offers[r->n_offers++] = (offer){shown, original};
	}
	return rc;
}

static int ask_exposure(as_recorder *r, as_call *call, assay_error *err)
{
	const assay_exposure_ops *ops = as_instance_ops(r->options.exposure);
	offer_sink sink = {{sizeof sink.pub, 0, add_offer}, r};
	const assay_exposure_request *request = &r->options.request;
	int rc = 0;
	if (r->options.describe) {
		int64_t begun = as_now_ms();
		rc = as_wording_make(request, r->options.describe, r->options.describer, call, &r->wording, err);
		request = &r->wording.request;
		if (call->deadline_ms != AS_FOREVER) {
			call->deadline_ms += as_now_ms() - begun; /* the words are for all attempts */
		}
	}
	if (rc == 0) {
		as_called before = as_instance_enter(r->options.exposure, "offer");
		rc = ops->offer(as_instance_self(r->options.exposure), &call->pub, request, &sink.pub, err);
		rc = as_called_end(before, rc, err);
	}
	if (rc < 0) {
		as_error_where(err, as_instance_info(r->options.exposure)->use, 0);
		return rc;
	}
	r->tools = as_json_pool_put(r->options.pool, (assay_str){NULL, 0}, r->tools);
	return r->tools ? 0 : as_fail_memory(err);
}

/* A record that tells nothing of the server still names it. */
static assay_json *fingerprint_of(const as_catalogue_server *s)
{
	const assay_json *known = as_json_get(s->record, "fingerprint");
	assay_json *f;
	if (as_json_type(known) == ASSAY_JSON_OBJECT) {
		return as_json_clone(known);
	}
	f = as_json_object();
	if (as_json_set(f, "server_id", as_json_string(s->id)) < 0) {
		as_json_free(f);
		return NULL;
	}
	return f;
}

static assay_json *tool_specs_of(const as_recorder *r, const as_catalogue_server *s)
{
	as_buf key = {0};
	assay_json *specs = NULL;
	as_buf_puts(&key, "specs of ");
	as_buf_add(&key, s->id);
	if (!key.failed) {
		specs = as_json_pool_get(r->options.pool, as_buf_str(&key));
		specs = specs ? specs : as_json_pool_put(r->options.pool, as_buf_str(&key), as_catalogue_tool_specs(s));
	}
	as_buf_free(&key);
	return specs;
}

/* Surfaces and fingerprints of the servers that the trace is about. */
static int describe_servers(as_recorder *r, assay_error *err)
{
	int rc = 0;
	for (const assay_json *id = as_json_first(r->options.trace_servers); id && rc == 0; id = as_json_next(id)) {
		const as_catalogue_server *s = as_catalogue_server_of(r->options.catalogue, as_json_str(id));
		if (s) {
			rc = as_trace_add_server(r->trace, s->id, fingerprint_of(s), tool_specs_of(r, s), err);
		}
	}
	return rc;
}

int as_recorder_open(const as_recorder_options *options, as_recorder **out, assay_error *err)
{
	as_recorder *r = as_new(1, sizeof *r);
	int rc;
	*out = NULL;
	if (!r) {
		as_json_free(options->seed_metadata);
		return as_fail_memory(err);
	}
	r->options = *options;
	r->options.seed_metadata = NULL; /* the trace's from here on */
	if (r->options.max_calls == 0) {
		r->options.max_calls = 1000;
	}
	rc = as_trace_new(options->request.prompt, options->seed_metadata, &r->trace, err);
	if (rc == 0) {
		r->tools = as_json_array();
		rc = r->tools ? describe_servers(r, err) : as_fail_memory(err);
	}
	if (rc < 0) {
		as_recorder_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

int as_recorder_offer(as_recorder *r, as_call *call, assay_error *err)
{
	return ask_exposure(r, call, err);
}

int as_recorder_offers(as_recorder *r, const assay_json **tools, assay_error *err)
{
	(void)err;
	*tools = r->tools;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return as_str_cmp(((const offer *)a)->name, ((const offer *)b)->name);
}

/* What an agent reads when it asks for something that is not there: up to 20 valid names, sorted. */
static int refusal_text(as_recorder *r, assay_str name, as_buf *text, assay_error *err)
{
	size_t shown = r->n_offers < 20 ? r->n_offers : 20;
	offer *sorted = as_new(r->n_offers + 1, sizeof *sorted);
	if (!sorted) {
		return as_fail_memory(err);
	}
	if (r->n_offers > 0) {
		memcpy(sorted, r->offers, r->n_offers * sizeof *sorted);
	}
	qsort(sorted, r->n_offers, sizeof *sorted, compare_names);
	name.len = as_utf8_prefix(name, MAX_NAME_SHOWN);
	as_buf_puts(text, "[tool error] there is no tool called \"");
	as_buf_add(text, name);
	as_buf_puts(text, "\". Tools on offer: ");
	for (size_t i = 0; i < shown; i++) {
		as_buf_puts(text, i ? ", " : "");
		as_buf_add(text, sorted[i].name);
	}
	free(sorted);
	return as_buf_check(text, err);
}

/* No protocol takes anything but an object for arguments. */
static bool is_call(const assay_json *arguments)
{
	int type = as_json_type(arguments);
	return type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL || type == ASSAY_JSON_OBJECT;
}

static int refuse(as_recorder *r, assay_str name, const assay_json *arguments, assay_text *out, int *is_error,
		  assay_error *err)
{
	as_buf text = {0};
	int rc = 0;
	if (is_call(arguments)) {
		rc = refusal_text(r, name, &text, err);
	} else {
		as_buf_puts(&text, "[tool error] the arguments of a call are a JSON object");
	}
	if (rc == 0) {
		rc = as_buf_check(&text, err);
	}
	if (rc == 0) {
		rc = as_trace_add_refused(r->trace, name, arguments, as_buf_str(&text), err);
	}
	if (rc == 0) {
		rc = as_buf_take(&text, out, err);
	}
	*is_error = 1;
	as_buf_free(&text);
	return rc;
}

static int note_time(as_recorder *r, int64_t wall_us, int64_t begun_us, assay_error *err)
{
	if (!as_grow(&r->times, &r->cap_times, r->n_times + 1, sizeof *r->times)) {
		return as_fail_memory(err);
	}
	r->times[r->n_times++] = (as_call_time){wall_us, as_now_us() - begun_us};
	return 0;
}

/* What the model reads of an answer: its text, or what went wrong when there is no result at all. */
static int text_of(const as_recorder *r, const as_answer *answer, as_buf *text)
{
	if (answer->result || !answer->error) {
		return as_render_for_model(answer->result, answer->status != ASSAY_STEP_SUCCESS, r->options.text_cut,
					   text);
	}
	as_buf_printf(text, "[exception] %.*s: ", ASSAY_FMT(as_json_str(as_json_get(answer->error, "code"))));
	as_buf_add(text, as_json_str(as_json_get(answer->error, "message")));
	return as_buf_check(text, NULL);
}

bool as_is_servers_fault(const as_call *call, int rc, const assay_error *why)
{
	/* A result that is too large is the server's; too many calls are not. */
	return rc == ASSAY_EUNREACH || rc == ASSAY_EPROTO || (rc == ASSAY_ELIMIT && (why->flags & ASSAY_ERR_PEER)) ||
	       (rc == ASSAY_ETIMEOUT && as_remaining(call->deadline_ms) > 0);
}

/* A failure of the server as an exception that the agent sees. */
static int make_exception(int rc, const assay_error *why, as_answer *answer, assay_error *err)
{
	const char *code = rc == ASSAY_ETIMEOUT   ? "TimeoutError"
			   : rc == ASSAY_EUNREACH ? "ConnectionError"
						  : "McpError";
	as_json_free(answer->error);
	answer->status = ASSAY_STEP_ERROR;
	answer->error = as_json_object();
	if (as_json_set(answer->error, "code", as_json_cstring(code)) < 0 ||
	    as_json_set(answer->error, "message", as_json_cstring(why->message)) < 0 ||
	    as_json_set(answer->error, "raw", as_json_null()) < 0) {
		return as_fail_memory(err);
	}
	return 0;
}

static int ask_world(const as_recorder *r, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		     as_answer *answer, assay_error *err)
{
	assay_error why = {0};
	int rc = as_world_call(r->options.world, call, server, tool, arguments, answer, &why);
	if (rc < 0 && r->options.exceptions && as_is_servers_fault(call, rc, &why)) {
		return make_exception(rc, &why, answer, err);
	}
	if (rc < 0 && err) {
		*err = why;
	}
	return rc;
}

/* Call the world and record it. */
static int act_in_world(as_recorder *r, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
			assay_text *out, int *is_error, assay_error *err)
{
	as_answer answer = {0};
	as_call_record record = {.server = server, .tool = tool};
	as_buf text = {0};
	int64_t wall = as_wall_us(), begun = as_now_us();
	int rc = ask_world(r, call, server, tool, arguments, &answer, err);
	if (rc == 0) {
		rc = note_time(r, wall, begun, err);
	}
	if (rc == 0) {
		record.arguments = as_json_clone(arguments);
		rc = (arguments && !record.arguments) || text_of(r, &answer, &text) < 0 ? as_fail_memory(err) : 0;
	}
	if (rc == 0) {
		record.status = answer.status;
		record.served = answer.served;
		record.version = as_str(answer.version);
		record.next = as_str(answer.next);
		record.result = answer.result;
		record.error = answer.error;
		record.asked = answer.asked;
		record.unfit = answer.unfit;
		answer.result = answer.error = answer.asked = answer.unfit = NULL;
		*is_error = answer.status != ASSAY_STEP_SUCCESS;
		rc = as_trace_add_call(r->trace, &record, NULL, err);
	}
	if (rc == 0) {
		rc = as_buf_take(&text, out, err);
	}
	as_json_free(record.arguments);
	as_answer_clear(&answer);
	as_buf_free(&text);
	return rc;
}

static void route_clear(assay_route *route)
{
	as_text_free(&route->server);
	as_text_free(&route->tool);
	as_text_free(&route->answer);
	as_json_free(route->arguments);
}

/* A call of a tool that the exposure made up itself. */
static int act_by_route(as_recorder *r, as_call *call, assay_str name, const assay_json *arguments, assay_text *out,
			int *is_error, assay_error *err)
{
	const assay_exposure_ops *ops = as_instance_ops(r->options.exposure);
	assay_route route = {.size = sizeof route, .kind = ASSAY_ROUTE_REFUSE};
	int rc;
	if (!ops->route) {
		return refuse(r, name, arguments, out, is_error, err);
	}
	as_called before = as_instance_enter(r->options.exposure, "route");
	rc = ops->route(as_instance_self(r->options.exposure), &call->pub, name, arguments, &route, err);
	rc = as_called_end(before, rc, err);
	if (rc < 0) {
		as_error_where(err, as_instance_info(r->options.exposure)->use, 0);
	} else if (!is_call(route.arguments)) {
		rc = as_fail(err, ASSAY_EPLUGIN, "an exposure made arguments that are no object");
		as_error_where(err, as_instance_info(r->options.exposure)->use, 0);
	} else if (route.kind == ASSAY_ROUTE_WORLD) {
		rc = act_in_world(r, call, as_text_str(route.server), as_text_str(route.tool),
				  route.arguments ? route.arguments : arguments, out, is_error, err);
	} else if (route.kind == ASSAY_ROUTE_ANSWER) {
		rc = as_trace_add_answered(r->trace, name, arguments, as_text_str(route.answer), err);
		if (rc == 0) {
			*out = route.answer;
			route.answer = (assay_text){NULL, 0};
		}
	} else {
		rc = refuse(r, name, arguments, out, is_error, err);
	}
	route_clear(&route);
	return rc;
}

int as_recorder_act(as_recorder *r, as_call *call, assay_str name, const assay_json *arguments, assay_text *text,
		    int *is_error, assay_error *err)
{
	const offer *o = find_offer(r, name);
	*is_error = 0;
	if (as_cancel_is_set(call->cancel)) {
		return as_fail(err, ASSAY_ECANCELED, "interrupted");
	}
	if (++r->calls > r->options.max_calls) {
		return as_fail(err, ASSAY_ELIMIT, "more than %u calls in one attempt", r->options.max_calls);
	}
	if (!o || !is_call(arguments)) {
		return refuse(r, name, arguments, text, is_error, err);
	}
	if (!o->tool) {
		return act_by_route(r, call, name, arguments, text, is_error, err);
	}
	return act_in_world(r, call, o->tool->server, o->tool->name, arguments, text, is_error, err);
}

bool as_recorder_has(const as_recorder *r, assay_str server, assay_str tool)
{
	for (size_t i = 0; i < r->n_offers; i++) {
		const assay_tool *t = r->offers[i].tool;
		if (t && as_str_eq(t->name, tool) && as_str_eq(t->server, server)) {
			return true;
		}
	}
	return false;
}

size_t as_recorder_count(const as_recorder *r)
{
	return r->n_offers;
}

int as_recorder_note(as_recorder *r, const char *key, assay_json *value, assay_error *err)
{
	return as_trace_set_metadata(r->trace, key, value, err);
}

int as_recorder_probe(as_recorder *r, as_call *call, const assay_json *task, assay_error *err)
{
	assay_json *probes;
	int rc = as_probes_ask(r->options.world, call, task, &probes, err);
	return rc == 0 && probes ? as_trace_set_ours(r->trace, "probes", probes, err) : rc;
}

int as_recorder_finish(as_recorder *r, assay_json *exploration, as_trace **out, assay_error *err)
{
	int rc = as_trace_set_metadata(r->trace, "exploration", exploration ? exploration : as_json_null(), err);
	if (rc == 0) {
		rc = as_trace_finish(r->trace, err);
	}
	if (rc == 0) {
		*out = r->trace;
		r->trace = NULL;
	}
	return rc;
}

size_t as_recorder_times(const as_recorder *r, const as_call_time **out)
{
	*out = r->times;
	return r->n_times;
}

void as_recorder_close(as_recorder *r)
{
	if (!r) {
		return;
	}
	as_trace_free(r->trace);
	as_json_free(r->tools);
	free(r->offers);
	free(r->times);
	as_wording_free(&r->wording);
	as_arena_free(&r->arena);
	free(r);
}
