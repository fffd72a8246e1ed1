/* distiller/provenance: a task out of a trace without a language model. The rules stand in design page "without-llm".
 */
#include "provenance.h"
#include <assay/plugin.h>
#include <stdarg.h>
#include <stdio.h>

struct instance {
	const assay_host *host;
	bool try_alternatives, find_states;
};

int prov_fail_memory(const struct prov *p, assay_error *err)
{
	return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

int prov_reject(struct prov *p, const char *format, ...)
{
	char line[400];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	for (char *c = line; *c; c++) {
		*c = (unsigned char)*c < 0x20 ? ' ' : *c; /* one line, whatever servers call their tools */
	}
	p->rejected = text_format(&p->arena, "%s", line);
	return PROV_REJECTED;
}

int prov_check_time(struct prov *p, assay_error *err)
{
	if (p->host->remaining_ms(p->call) <= 0) { /* asked first: out of time counts as cancelled, too */
		return prov_reject(p, "there was not enough time to check the task");
	}
	return p->host->cancelled(p->call) ? p->host->fail(err, ASSAY_ECANCELED, "cancelled") : 0;
}

static int open_instance(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct instance *i = host->alloc(sizeof *i);
	if (!i) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	i->host = host;
	i->try_alternatives = host->json->boolean(host->json->get(options, "try_alternatives"), 1);
	i->find_states = host->json->boolean(host->json->get(options, "state_conditions"), 1);
	*self = i;
	return 0;
}

static void close_instance(void *self)
{
	struct instance *i = self;
	if (i) {
		i->host->free(i);
	}
}

/* The goal's text and the answer, ready to be looked into. */
static int read_texts(struct prov *p, assay_error *err)
{
	const assay_json_api *J = p->J;
	assay_text low = {0};
	int rc;
	p->goal = text_trim(J->str(J->get(p->request->goal, "goal")));
	if (p->goal.len == 0) {
		p->goal = text_trim(J->str(J->get(p->request->trace, "goal")));
	}
	if (p->goal.len == 0) {
		return prov_reject(p, "the goal has no text");
	}
	if (p->goal.len > PROV_MAX_GOAL) {
		return prov_reject(p, "the goal has %zu bytes; at most %d make a task", p->goal.len, PROV_MAX_GOAL);
	}
	p->prompt = prov_make_prompt(p, p->goal);
	p->answer = text_head(J->str(J->pointer(p->request->trace, "/seed_metadata/exploration/final_message")),
			      PROV_MAX_ANSWER);
	rc = p->host->text->lower(p->prompt, &low, err);
	if (rc < 0) {
		return rc;
	}
	p->folded = text_copy(&p->arena, (assay_str){low.ptr, low.len});
	J->text_free(&low);
	rc = prov_numbers(p, p->prompt, &p->goal_numbers);
	rc = rc < 0 ? rc : prov_number_words(p, p->folded, &p->goal_words);
	rc = rc < 0 ? rc : prov_numbers(p, p->answer, &p->answer_numbers);
	return rc < 0 || p->arena.failed ? prov_fail_memory(p, err) : 0;
}

static int run(struct prov *p, assay_json **body, assay_error *err)
{
	int (*const steps[])(struct prov *, assay_error *) = {read_texts,      prov_read_trace,  prov_find_origins,
							      prov_keep_calls, prov_make_checks, prov_try_same,
							      prov_find_states};
	int rc = 0;
	for (size_t i = 0; i < sizeof steps / sizeof *steps && rc == 0; i++) {
		rc = prov_check_time(p, err);
		rc = rc == 0 ? steps[i](p, err) : rc;
	}
	return rc == 0 ? prov_verify(p, body, err) : rc;
}

static int distil(void *self, assay_call *call, const assay_distil_request *request, assay_sink *task, assay_error *err)
{
	const struct instance *instance = self;
	const assay_host *host = instance->host;
	struct prov p = {.host = host,
			 .J = host->json,
			 .call = call,
			 .request = request,
			 .arena = {.host = host},
			 .try_alternatives = instance->try_alternatives,
			 .find_states = instance->find_states,
			 .text_left = PROV_MAX_TEXTS};
	assay_json *body = NULL;
	int rc = run(&p, &body, err);
	if (rc == PROV_REJECTED) {
		body = host->json->object();
		rc = p.arena.failed || prov_set_str(&p, body, "rejected", p.rejected) < 0 ? prov_fail_memory(&p, err)
											  : 0;
	}
	if (rc == 0) {
		rc = task->emit(task, body, err);
		rc = rc == ASSAY_STOP ? 0 : rc;
	} else {
		host->json->free(body);
	}
	for (size_t i = 0; i < p.n_checks; i++) {
		host->json->free(p.checks[i].predicate);
	}
	for (size_t i = 0; i < p.n_states; i++) {
		host->json->free(p.states[i].arguments);
	}
	text_arena_free(&p.arena);
	return rc;
}

static const assay_distiller_ops ops = {
	.size = sizeof ops,
	.open = open_instance,
	.close = close_instance,
	.distil = distil,
};

static const char options_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"try_alternatives\":{\"type\":\"boolean\","
	"\"default\":true,\"description\":\"Call other reading tools that take the arguments to see whether they tell the same "
	"of the same thing.\"},\"state_conditions\":{\"type\":\"boolean\",\"default\":true,\"description\":\"Make the reference's "
	"writes again in fresh environments to find reads that show in the end what was written.\"}}}";

static const assay_impl provenance = {
	.size = sizeof provenance,
	.role = ASSAY_ROLE_DISTILLER,
	.role_version = 1,
	.name = "provenance",
	.summary = "Checkpoints from where each value came from, without a language model",
	.options = options_schema,
	.ops = &ops,
};

ASSAY_PLUGIN(distiller_provenance, "0.1.0", "Distils tasks by the origin of values", "Apache-2.0", &provenance)
