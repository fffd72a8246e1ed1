/* One caller for each operation of each role: a document of inputs.h becomes the request of sdk/assay/roles, what comes
 * back is checked and written down. */
#include "core/contract/trial.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/contract/fence.h"
#include "core/plugin/role.h"
#include <assay/roles/distiller.h>
#include <assay/roles/embedder.h>
#include <assay/roles/environment.h>
#include <assay/roles/explorer.h>
#include <assay/roles/exposure.h>
#include <assay/roles/goalgen.h>
#include <assay/roles/llm.h>
#include <assay/roles/reporter.h>
#include <assay/roles/sampler.h>
#include <assay/roles/scorer.h>
#include <assay/roles/transport.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED UINT32_MAX
#define RECEIVE_MS 2000

static const assay_json *member(const as_trial *t, const char *key)
{
	return as_json_get(t->input, key);
}

static assay_str text_of(as_trial *t, const char *key)
{
	return as_region_str(t->lent, as_json_str(member(t, key)));
}

static const assay_json *json_of(as_trial *t, const char *key)
{
	return as_region_json(t->lent, member(t, key));
}

static assay_tools tools_of(as_trial *t, const char *key)
{
	return as_region_tools(t->lent, member(t, key));
}

/* A request struct within what is lent, so that it is sealed too. NULL: no room, which cannot happen. */
static void *lend(as_trial *t, const void *request, size_t size)
{
	void *at = as_region_alloc(t->lent, size);
	if (at) {
		memcpy(at, request, size);
	}
	as_region_seal(t->lent);
	if (!at || t->lent->failed) {
		abort(); /* the region is far larger than any input */
	}
	return at;
}

/* --- sampler --- */

static int run_draw(as_trial *t, as_buf *out)
{
	const assay_sampler_ops *ops = t->ops;
	assay_tools required = tools_of(t, "required"), candidates = tools_of(t, "candidates");
	assay_error why = {0};
	int64_t wanted = as_json_i64(member(t, "n"), 0);
	size_t n = wanted > 0 ? (size_t)wanted : 0, n_picked = SIZE_MAX;
	uint32_t *picked = malloc((n + 1) * sizeof *picked);
	if (!picked) {
		return as_fail_memory(t->err);
	}
	memset(picked, 0xFF, (n + 1) * sizeof *picked);
	as_region_seal(t->lent);
	int rc = ops->draw(t->self, &t->call.pub, required, candidates, n, picked, &n_picked, t->err);
	if (rc == 0 && n_picked == SIZE_MAX) {
		as_trial_wrong(t, "returns success without output: n_picked is not set");
	} else if (rc == 0 && as_role_picks(picked, n_picked, n, candidates.count, &why) < 0) {
		as_trial_wrong(t, "%s", why.message);
	}
	if (picked[n] != UNTOUCHED) {
		as_trial_wrong(t, "writes behind the end of picked");
	}
	for (size_t i = 0; rc == 0 && i < n_picked && i < n; i++) {
		as_buf_printf(out, "%u ", picked[i]);
	}
	free(picked);
	return rc;
}

static int run_seed_sets(as_trial *t, as_buf *out)
{
	const assay_sampler_ops *ops = t->ops;
	assay_tools catalogue = tools_of(t, "catalogue");
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	as_region_seal(t->lent);
	int rc = ops->seed_sets(t->self, &t->call.pub, catalogue, &sink.got.sink, t->err);
	as_trial_sink_done(&sink, rc, 0, AS_ROLE_SETS_MAX, out);
	return rc;
}

/* --- goalgen, explorer, distiller --- */

static int run_generate(as_trial *t, as_buf *out)
{
	const assay_goalgen_ops *ops = t->ops;
	const assay_goal_request request = {.size = sizeof request,
					    .index = (uint32_t)as_json_i64(member(t, "index"), 0),
					    .seeds = tools_of(t, "seeds"),
					    .surface = tools_of(t, "surface"),
					    .category = text_of(t, "category"),
					    .framing = text_of(t, "framing"),
					    .complexity = text_of(t, "complexity"),
					    .servers = json_of(t, "servers")};
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	int rc = ops->generate(t->self, &t->call.pub, lend(t, &request, sizeof request), &sink.got.sink, t->err);
	as_trial_sink_done(&sink, rc, 0, 1, out);
	return rc;
}

/* The numbers that an explorer gives are about calls that we have seen. */
static void check_counts(as_trial *t, const as_trial_sink *sink)
{
	const assay_json *result = as_json_first(sink->got.values);
	int64_t said = as_json_i64(as_json_get(result, "tool_call_count"), 0);
	if (said != (int64_t)t->n_acts && !(t->mode & AS_TRIAL_LENIENT)) {
		as_trial_wrong(t, "says that it made %lld calls, and made %zu", (long long)said, t->n_acts);
	}
}

static int run_explore(as_trial *t, as_buf *out)
{
	const assay_explorer_ops *ops = t->ops;
	int64_t turns = as_json_i64(member(t, "turns"), 1);
	const assay_assignment assignment = {.size = sizeof assignment,
					     .turns = turns > 0 && turns < 1000 ? (uint32_t)turns : 1,
					     .prompt = text_of(t, "prompt"),
					     .persona = text_of(t, "persona"),
					     .seed = t->seed};
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	int rc = ops->run(t->self, &t->call.pub, lend(t, &assignment, sizeof assignment), &sink.got.sink, t->err);
	if (rc == 0) {
		check_counts(t, &sink);
	}
	as_trial_sink_done(&sink, rc, 1, 1, out);
	return rc;
}

static int run_distil(as_trial *t, as_buf *out)
{
	const assay_distiller_ops *ops = t->ops;
	const assay_distil_request request = {.size = sizeof request,
					      .goal = json_of(t, "goal"),
					      .trace = json_of(t, "trace"),
					      .surface = tools_of(t, "surface"),
					      .catalogue = tools_of(t, "catalogue")};
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	int rc = ops->distil(t->self, &t->call.pub, lend(t, &request, sizeof request), &sink.got.sink, t->err);
	as_trial_sink_done(&sink, rc, 1, 1, out);
	return rc;
}

/* --- scorer --- */

static const assay_step *steps_of(as_trial *t, const char *key, size_t *n)
{
	const assay_json *list = member(t, key);
	size_t count = as_json_type(list) == ASSAY_JSON_ARRAY ? as_json_count(list) : 0;
	assay_step *steps = count ? as_region_alloc(t->lent, count * sizeof *steps) : NULL;
	for (const assay_json *s = as_json_first(list); s && steps; s = as_json_next(s)) {
		assay_step *step = &steps[(*n)++];
		*step = (assay_step){.size = sizeof *step,
				     .status = (uint32_t)as_json_i64(as_json_get(s, "status"), 0),
				     .id = as_json_i64(as_json_get(s, "id"), 0),
				     .served = (uint32_t)as_json_i64(as_json_get(s, "served"), 0),
				     .server = as_region_str(t->lent, as_json_str(as_json_get(s, "server"))),
				     .tool = as_region_str(t->lent, as_json_str(as_json_get(s, "tool"))),
				     .arguments = as_region_json(t->lent, as_json_get(s, "arguments")),
				     .result = as_region_json(t->lent, as_json_get(s, "result")),
				     .text = as_region_str(t->lent, as_json_str(as_json_get(s, "text")))};
	}
	return steps;
}

static int run_score(as_trial *t, as_buf *out)
{
	const assay_scorer_ops *ops = t->ops;
	assay_subject subject = {.size = sizeof subject,
				 .task = json_of(t, "task"),
				 .trace = json_of(t, "trace"),
				 .final_message = text_of(t, "final_message"),
				 .server_tags = json_of(t, "server_tags")};
	as_trial_sink sink;
	subject.steps = steps_of(t, "steps", &subject.n_steps);
	subject.refused = steps_of(t, "refused", &subject.n_refused);
	as_trial_sink_init(&sink, t);
	int rc = ops->score(t->self, &t->call.pub, lend(t, &subject, sizeof subject), &sink.got.sink, t->err);
	as_trial_sink_done(&sink, rc, 1, 1, out);
	return rc;
}

/* --- llm, transport --- */

static int run_complete(as_trial *t, as_buf *out)
{
	const assay_llm_ops *ops = t->ops;
	const assay_json *request = json_of(t, "request");
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	as_region_seal(t->lent);
	int rc = ops->complete(t->self, &t->call.pub, request, &sink.got.sink, t->err);
	as_trial_sink_done(&sink, rc, 1, 1, out);
	return rc;
}

static int receive(as_trial *t, as_buf *out)
{
	const assay_transport_ops *ops = t->ops;
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	as_trial_enter(t, "receive");
	int rc = ops->receive(t->self, &t->call.pub, RECEIVE_MS, &sink.got.sink, t->err);
	if (rc == 0 && sink.got.text.len == 0) {
		as_trial_wrong(t, "returns success without output: no message was written");
	}
	as_trial_sink_done(&sink, rc, 0, 0, out);
	return rc;
}

/* As the core says it: by the one of two operations that the transport has. */
static int say(as_trial *t, assay_str message)
{
	const assay_transport_ops *ops = t->ops;
	const assay_message request = {.size = sizeof request,
				       .kind = ASSAY_MESSAGE_REQUEST,
				       .text = message,
				       .revision = "2025-06-18"};
	if (!ops->send_message) {
		as_trial_enter(t, "send");
		return ops->send(t->self, &t->call.pub, message, t->err);
	}
	as_trial_enter(t, "send_message");
	return ops->send_message(t->self, &t->call.pub, &request, t->err);
}

/* Connect once, say something, hear something: the peer of the check echoes. */
static int run_exchange(as_trial *t, as_buf *out)
{
	const assay_transport_ops *ops = t->ops;
	assay_str message = text_of(t, "message");
	as_region_seal(t->lent);
	int rc = ops->connect(t->self, &t->call.pub, t->err);
	if (rc == 0) {
		rc = say(t, message);
	}
	if (rc == 0) {
		rc = receive(t, out);
	}
	if (rc == 0 && ops->abandon) {
		as_trial_enter(t, "abandon");
		ops->abandon(t->self);
	}
	if (rc == 0 && ops->diagnostics) {
		assay_text said = {0};
		as_trial_enter(t, "diagnostics");
		rc = ops->diagnostics(t->self, &said, t->err);
		as_fence_free(said.ptr);
	}
	return rc;
}

/* --- exposure --- */

typedef struct offers {
	assay_offer_sink sink;
	as_trial *t;
	as_buf *out;
	size_t n;
} offers;

static int add_offer(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		     const assay_json *parameters, assay_error *err)
{
	offers *o = (offers *)sink;
	if (!tool && name.len == 0) {
		as_trial_wrong(o->t, "offers a tool of its own without a name");
	}
	if (tool && !as_region_holds(o->t->lent, tool)) {
		as_trial_wrong(o->t, "offers a tool that is not from the catalogue: give the address it was given");
		return as_fail(err, ASSAY_EPLUGIN, "not a tool of the catalogue");
	}
	if (o->t->mode & AS_TRIAL_SINK_FAILS) {
		return as_fail(err, ASSAY_ELIMIT, "the sink takes no more (the check said so)");
	}
	as_buf_printf(o->out, "%.*s %.*s %zu ", ASSAY_FMT(tool ? tool->name : name), ASSAY_FMT(name), description.len);
	if (parameters) {
		as_json_write(o->out, parameters, ASSAY_JSON_CANONICAL);
	}
	o->n++;
	return 0;
}

static void take_route(as_trial *t, assay_route *route, as_buf *out)
{
	as_buf_printf(out, "%u %.*s %.*s %.*s", route->kind, ASSAY_FMT(as_text_str(route->server)),
		      ASSAY_FMT(as_text_str(route->tool)), ASSAY_FMT(as_text_str(route->answer)));
	if (route->kind > ASSAY_ROUTE_REFUSE) {
		as_trial_wrong(t, "answers a route of the unknown kind %u", route->kind);
	}
	if (route->arguments && as_json_type(route->arguments) != ASSAY_JSON_OBJECT) {
		as_trial_wrong(t, "answers a route whose arguments are no object");
	}
	as_fence_free(route->server.ptr);
	as_fence_free(route->tool.ptr);
	as_fence_free(route->answer.ptr);
	as_json_free(route->arguments);
}

static int run_offer(as_trial *t, as_buf *out)
{
	const assay_exposure_ops *ops = t->ops;
	const assay_exposure_request request = {.size = sizeof request,
						.seed = (uint32_t)as_json_i64(member(t, "seed"), 0),
						.prompt = text_of(t, "prompt"),
						.required = tools_of(t, "required"),
						.surface = tools_of(t, "surface"),
						.catalogue = tools_of(t, "catalogue")};
	offers to = {.sink = {sizeof to.sink, 0, add_offer}, .t = t, .out = out};
	assay_str name = text_of(t, "name");
	const assay_json *arguments = json_of(t, "arguments");
	int rc = ops->offer(t->self, &t->call.pub, lend(t, &request, sizeof request), &to.sink, t->err);
	if (rc == 0 && (t->mode & AS_TRIAL_SINK_FAILS) && (request.surface.count || request.required.count)) {
		as_trial_wrong(t, "answers 0 although the sink failed: pass the code on");
	}
	if (rc == 0 && to.n == 0 && request.surface.count > 0 && request.required.count > 0 &&
	    !(t->mode & AS_TRIAL_LENIENT)) {
		as_trial_wrong(t, "returns success without output: no tool is offered");
	}
	if (rc == 0 && ops->route) {
		assay_route route = {.size = sizeof route};
		as_trial_enter(t, "route");
		rc = ops->route(t->self, &t->call.pub, name, arguments, &route, t->err);
		take_route(t, &route, out);
	}
	return rc;
}

/* --- environment --- */

/* A state may have none of an optional operation. */
static int or_none(as_trial *t, int rc, bool *has)
{
	*has = *has && rc != ASSAY_ENOTSUP;
	if (rc != ASSAY_ENOTSUP) {
		return rc;
	}
	as_error_clear(t->err);
	return 0;
}

static int take_digest(as_trial *t, void *state, char digest[66], bool *has)
{
	const assay_environment_ops *ops = t->ops;
	int rc;
	as_trial_enter(t, "digest");
	rc = or_none(t, ops->digest(t->self, &t->call.pub, state, digest, t->err), has);
	digest[64] = digest[64] ? '?' : '\0';
	if (rc == 0 && *has && (digest[0] == '\0' || digest[strspn(digest, "0123456789abcdef")])) {
		as_trial_wrong(t, "answers no digest of 1 to 64 small hex digits");
	}
	digest[64] = '\0';
	return rc;
}

/* The optional part: a state that was put back has the digest it had. */
static int save_and_restore(as_trial *t, void *state, as_buf *out)
{
	const assay_environment_ops *ops = t->ops;
	char before[66] = "", after[66] = "";
	bool digests = ops->digest, copies = ops->snapshot && ops->restore;
	int rc = digests ? take_digest(t, state, before, &digests) : 0;
	if (rc == 0 && copies) {
		as_trial_enter(t, "snapshot");
		rc = or_none(t, ops->snapshot(t->self, &t->call.pub, state, "before", t->err), &copies);
	}
	if (rc == 0 && copies) {
		as_trial_enter(t, "restore");
		rc = or_none(t, ops->restore(t->self, &t->call.pub, state, "before", t->err), &copies);
	}
	if (rc == 0 && digests) {
		rc = take_digest(t, state, after, &digests);
		if (rc == 0 && strcmp(before, after) != 0) {
			as_trial_wrong(t, "the digest of a state that was saved and put back is another one");
		}
	}
	as_buf_printf(out, "%s", before);
	return rc;
}

static int run_prepare(as_trial *t, as_buf *out)
{
	const assay_environment_ops *ops = t->ops;
	const char *workdir = as_region_cstr(t->lent, as_str(t->workdir));
	assay_error later = {0};
	void *state = NULL;
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	as_region_seal(t->lent);
	int rc = ops->prepare(t->self, &t->call.pub, workdir, &state, &sink.got.sink, t->err);
	bool stops = (t->mode & (AS_TRIAL_STOP | AS_TRIAL_SINK_FAILS)) != 0;
	as_trial_sink_done(&sink, rc, 1, 1, out);
	if (rc == 0 && !stops) {
		rc = save_and_restore(t, state, out);
	}
	const char *failed = t->operation;
	as_trial_enter(t, "cleanup");
	int cleaned = ops->cleanup(t->self, &t->call.pub, state, t->err ? &later : NULL);
	if (cleaned != 0 &&
	    !(t->mode & (AS_TRIAL_LENIENT | AS_TRIAL_CANCELLED | AS_TRIAL_CANCEL | AS_TRIAL_DEADLINE))) {
		as_trial_wrong(t, "cannot clean up: %s", later.message[0] ? later.message : "it does not say why");
	}
	if (rc < 0) {
		as_trial_enter(t, failed); /* whose code it is */
	}
	return rc;
}

/* --- embedder --- */

typedef struct vectors {
	assay_vector_sink sink;
	as_trial *t;
	as_buf *out;
	size_t n, length;
} vectors;

static int add_vector(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	vectors *v = (vectors *)sink;
	if (n == 0 || (v->n > 0 && n != v->length)) {
		as_trial_wrong(v->t, "gives a vector of %zu numbers after one of %zu", n, v->length);
	}
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(vector[i])) {
			as_trial_wrong(v->t, "gives a vector with a number that is not finite");
			break;
		}
		as_buf_printf(v->out, "%a ", (double)vector[i]);
	}
	v->n++;
	v->length = n;
	return v->t->mode & AS_TRIAL_SINK_FAILS
		       ? as_fail(err, ASSAY_ELIMIT, "the sink takes no more (the check said so)")
		       : 0;
}

static int run_embed(as_trial *t, as_buf *out)
{
	const assay_embedder_ops *ops = t->ops;
	const assay_json *list = member(t, "texts");
	size_t n = as_json_type(list) == ASSAY_JSON_ARRAY ? as_json_count(list) : 0, i = 0;
	assay_str *texts = as_region_alloc(t->lent, (n + 1) * sizeof *texts);
	vectors to = {.sink = {sizeof to.sink, 0, add_vector}, .t = t, .out = out};
	for (const assay_json *e = as_json_first(list); e && i < n && texts; e = as_json_next(e)) {
		texts[i++] = as_region_str(t->lent, as_json_str(e));
	}
	as_region_seal(t->lent);
	int rc = ops->embed(t->self, &t->call.pub, texts, n, &to.sink, t->err);
	if (rc == 0 && to.n != n) {
		as_trial_wrong(t, "returns success without output: %zu vectors for %zu texts", to.n, n);
	}
	if (rc == 0 && (t->mode & AS_TRIAL_SINK_FAILS) && n > 0) {
		as_trial_wrong(t, "answers 0 although the sink failed: pass the code on");
	}
	return rc;
}

/* --- reporter --- */

static int run_render(as_trial *t, as_buf *out)
{
	const assay_reporter_ops *ops = t->ops;
	const assay_json *model = as_region_json(t->lent, t->input);
	as_trial_sink sink;
	as_trial_sink_init(&sink, t);
	as_region_seal(t->lent);
	int rc = ops->render(t->self, &t->call.pub, model, &sink.got.sink, t->err);
	if (rc == 0 && sink.got.text.len == 0) {
		as_trial_wrong(t, "returns success without output: nothing was written");
	}
	if (as_utf8_check(as_buf_str(&sink.got.text)) != sink.got.text.len) {
		as_trial_wrong(t, "writes what is not UTF-8");
	}
	if (rc == 0 && (t->mode & AS_TRIAL_SINK_FAILS) && sink.got.text.len > 0) {
		as_trial_wrong(t, "answers 0 although the sink failed: pass the code on");
	}
	as_trial_sink_done(&sink, rc, 0, 0, out);
	const char *wrong = as_role_file_name(ops->file_name);
	if (wrong) {
		as_trial_wrong(t, "its file_name %s", wrong);
	}
	return rc;
}

/* clang-format off */
#define OP(role, ROLE, member, plain_only, run) \
	{ASSAY_ROLE_##ROLE, #member, offsetof(assay_##role##_ops, member), plain_only, run}

const as_trial_operation as_trial_operations[] = {
	OP(sampler, SAMPLER, draw, false, run_draw),
	OP(sampler, SAMPLER, seed_sets, false, run_seed_sets),
	OP(goalgen, GOALGEN, generate, false, run_generate),
	OP(explorer, EXPLORER, run, false, run_explore),
	OP(distiller, DISTILLER, distil, false, run_distil),
	OP(scorer, SCORER, score, false, run_score),
	OP(llm, LLM, complete, false, run_complete),
	OP(transport, TRANSPORT, connect, true, run_exchange),
	OP(exposure, EXPOSURE, offer, false, run_offer),
	OP(embedder, EMBEDDER, embed, false, run_embed),
	OP(environment, ENVIRONMENT, prepare, true, run_prepare),
	OP(reporter, REPORTER, render, false, run_render),
	{0, NULL, 0, false, NULL},
};
/* clang-format on */
