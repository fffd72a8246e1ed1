#include "core/plugin/host_private.h"

#include "config.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/task/predicate.h"
#include <assay/table.h>
#include <stdlib.h>
#include <string.h>

void as_call_init(as_call *call)
{
	*call = (as_call){.pub = {sizeof(assay_call), 0, as_host()}, .deadline_ms = AS_FOREVER};
}

int as_host_no_service(const char *service, assay_error *err)
{
	return as_fail(err, ASSAY_ENOTSUP, "%s is not offered here: this operation has no use for it", service);
}

int as_host_may_go_on(const as_call *call, assay_error *err)
{
	if (as_cancel_is_set(call->cancel)) {
		return as_fail(err, ASSAY_ECANCELED, "cancelled");
	}
	if (as_remaining(call->deadline_ms) == 0) {
		return as_fail(err, ASSAY_ETIMEOUT, "out of time");
	}
	return 0;
}

int64_t as_host_deadline(const as_call *call, int64_t timeout_ms)
{
	int64_t own = as_deadline(timeout_ms < 0 ? 0 : timeout_ms);
	return own < call->deadline_ms ? own : call->deadline_ms;
}

/* Memory, errors, log */

static void *host_alloc(size_t size)
{
	return as_new(1, size);
}

static void *host_resize(void *p, size_t size)
{
	return realloc(p, size ? size : 1); /* realloc(p, 0) may free p or not */
}

static int host_fail(assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(3, 4);
static int host_fail(assay_error *err, int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_failv(err, code, format, args);
	va_end(args);
	return code;
}

static void host_log(const assay_call *call, int level, const char *format, ...) ASSAY_PRINTF(3, 4);
static void host_log(const assay_call *call, int level, const char *format, ...)
{
	const as_call *c = call ? as_call_of_const(call) : NULL;
	va_list args;
	if (!c || !c->log) {
		return;
	}
	va_start(args, format);
	(level == ASSAY_LOG_WARN ? as_log_put_once : as_log_putv)(c->log, c->component ? c->component : "plugin", level,
								  format, args);
	va_end(args);
}

static int64_t host_remaining(const assay_call *call)
{
	return as_remaining(as_call_of_const(call)->deadline_ms);
}

static int host_cancelled(const assay_call *call)
{
	return as_host_may_go_on(as_call_of_const(call), NULL) < 0;
}

static int table_render(const assay_json *table, uint32_t style, assay_text *out, assay_error *err)
{
	as_buf text = {0};
	int rc = as_table_render(table, style, &text, err);
	if (rc == 0) {
		rc = as_buf_take(&text, out, err);
	}
	as_buf_free(&text);
	return rc;
}

/* What was added after the table was first published. */
static const void *host_service(const char *name, uint32_t version)
{
	static const assay_table_api table = {.size = sizeof table, .render = table_render};
	if (strcmp(name, "command") == 0 && version <= 1) {
		return &as_host_command;
	}
	if (strcmp(name, "structured") == 0 && version <= 1) {
		return &as_host_structured;
	}
	if (strcmp(name, "variables") == 0 && version <= 1) {
		return &as_host_variables;
	}
	if (strcmp(name, "embed") == 0 && version <= 1) {
		return &as_host_embed;
	}
	return strcmp(name, "table") == 0 && version <= 1 ? &table : NULL;
}

/* Random numbers */

static uint32_t rng_below(assay_call *call, uint32_t n)
{
	as_rng *rng = as_call_of(call)->rng;
	return rng ? as_rng_below(rng, n) : 0;
}

static void rng_shuffle(assay_call *call, uint32_t *items, size_t n)
{
	as_rng *rng = as_call_of(call)->rng;
	if (rng) {
		as_rng_shuffle(rng, items, n);
	}
}

static const assay_rng_api rng_api = {sizeof rng_api, 0, rng_below, rng_shuffle};

/* What the layers to the right lend to a call */

static int agent_offers(assay_call *call, const assay_json **tools, assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->offers) {
		return as_host_no_service("agent->offers", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->offers(c->context, tools, err);
}

static int agent_act(assay_call *call, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		     assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->act) {
		return as_host_no_service("agent->act", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->act(c->context, name, arguments, text, is_error, err);
}

static const assay_agent_api agent_api = {sizeof agent_api, 0, agent_offers, agent_act};

static int world_call(assay_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		      assay_json **result, int *is_error, assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->world_call) {
		return as_host_no_service("world->call", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->world_call(c->context, server, tool, arguments, result, is_error, err);
}

static int world_reset(assay_call *call, assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->world_reset) {
		return as_host_no_service("world->reset", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->world_reset(c->context, err);
}

static const assay_world_api world_api = {sizeof world_api, 0, world_call, world_reset};

static int llm_chat(assay_call *call, const assay_json *request, assay_json **reply, assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->chat) {
		return as_host_no_service("llm->chat", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->chat(c->context, request, reply, err);
}

static const assay_llm_api llm_api = {sizeof llm_api, 0, llm_chat};

static int check_score(assay_call *call, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		       assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->score) {
		return as_host_no_service("check->score", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->score(c->context, task, trace, without, passed, err);
}

static int check_args_of(assay_call *call, const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	as_call *c = as_call_of(call);
	return c->checks ? as_checks_args(c->checks, predicate, arguments, err)
			 : as_args_match(predicate, arguments, err);
}

static int check_value_of(assay_call *call, const assay_json *predicate, assay_str text, assay_error *err)
{
	as_call *c = as_call_of(call);
	return c->checks ? as_checks_value(c->checks, predicate, text, err) : as_value_match(predicate, text, err);
}

static int check_body(assay_call *call, const assay_json *body, assay_error *err)
{
	as_call *c = as_call_of(call);
	return c->hooks && c->hooks->body ? c->hooks->body(c->context, body, err)
					  : as_host_no_service("check->body", err);
}

static const assay_check_api check_api = {sizeof check_api, 0,           as_args_match,
					  as_value_match,   check_score, check_args_of,
					  check_value_of,   check_body};

static int sampler_draw(assay_call *call, const char *name, assay_tools required, assay_tools candidates, size_t n,
			uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	as_call *c = as_call_of(call);
	if (!c->hooks || !c->hooks->draw) {
		return as_host_no_service("sampler->draw", err);
	}
	int rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->draw(c->context, name, required, candidates, n, seed, picked, n_picked, err);
}

static int sampler_rate(assay_call *call, uint32_t by, double least, assay_tools required, assay_tools candidates,
			double *scores, uint32_t *places, assay_error *err)
{
	const as_likeness *likeness;
	as_call *c = as_call_of(call);
	int rc = c->catalogue ? as_catalogue_likeness(c->catalogue, &likeness, err) : 0;
	return !c->catalogue || rc < 0
		       ? rc
		       : as_likeness_rate(likeness, by, least, required, candidates, scores, places, err);
}

static const assay_sampler_api sampler_api = {sizeof sampler_api, 0, sampler_draw, sampler_rate};

const assay_host *as_host(void)
{
	static const assay_host host = {
		.size = sizeof host,
		.abi_major = ASSAY_ABI_MAJOR,
		.abi_minor = ASSAY_ABI_MINOR,
		.version = PACKAGE_VERSION,
		.alloc = host_alloc,
		.resize = host_resize,
		.free = free,
		.fail = host_fail,
		.log = host_log,
		.remaining_ms = host_remaining,
		.cancelled = host_cancelled,
		.service = host_service,
		.json = &as_json_table,
		.text = &as_host_text,
		.rng = &rng_api,
		.agent = &agent_api,
		.world = &world_api,
		.llm = &llm_api,
		.check = &check_api,
		.sampler = &sampler_api,
		.process = &as_host_process,
		.file = &as_host_file,
		.http = &as_host_http,
	};
	return &host;
}
