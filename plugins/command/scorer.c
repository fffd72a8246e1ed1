/* scorer/command: any program that judges an attempt. sdk/command.md has the shapes. */
#include "program.h"
#include <assay/roles/scorer.h>

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return program_open(host, options, "scorer", NULL, self, err);
}

static int put_copy(const assay_json_api *J, assay_json *object, const char *key, const assay_json *value)
{
	return J->set(object, key, value ? J->clone(value) : J->null());
}

static int add_step(const assay_json_api *J, assay_json *list, const assay_step *s)
{
	static const char *const statuses[] = {"success", "error", "timeout"};
	static const char *const served[] = {"live", "exact", "equivalent", "near", "simulated", "miss", "refused"};
	const char *status = s->status < 3 ? statuses[s->status] : "error";
	assay_json *step = J->object();
	int bad = J->set(step, "id", J->integer(s->id));
	bad |= J->set(step, "server", J->string(s->server));
	bad |= J->set(step, "tool", J->string(s->tool));
	bad |= put_copy(J, step, "arguments", s->arguments);
	bad |= put_copy(J, step, "result", s->result);
	bad |= J->set(step, "text", J->string(s->text));
	bad |= J->set(step, "status", J->string(assay_text_of_cstr(status)));
	bad |= J->set(step, "served", J->string(assay_text_of_cstr(s->served < 7 ? served[s->served] : "live")));
	return J->append(list, step) | bad;
}

static assay_json *describe(const assay_json_api *J, const assay_subject *subject)
{
	assay_json *params = J->object(), *steps = J->array(), *refused = J->array();
	int bad = put_copy(J, params, "task", subject->task);
	bad |= put_copy(J, params, "trace", subject->trace);
	for (size_t i = 0; i < subject->n_steps; i++) {
		bad |= add_step(J, steps, &subject->steps[i]);
	}
	for (size_t i = 0; i < subject->n_refused; i++) {
		bad |= add_step(J, refused, &subject->refused[i]);
	}
	bad |= J->set(params, "steps", steps);
	bad |= J->set(params, "refused", refused);
	bad |= J->set(params, "final_message", J->string(subject->final_message));
	bad |= put_copy(J, params, "server_tags", subject->server_tags);
	if (bad) {
		J->free(params);
		return NULL;
	}
	return params;
}

static int score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	struct program *p = self;
	assay_json *result = NULL, *params = describe(p->json, subject);
	if (!params) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = program_must(p, call, "score", params, NULL, &result, err);
	p->json->free(params);
	if (rc == 0 && p->json->str(p->json->get(result, "verdict")).len == 0) {
		p->json->free(result);
		rc = p->host->fail(err, ASSAY_EPROTO, "the program's result has no \"verdict\"");
		return program_give_up(p, rc);
	}
	rc = rc < 0 ? rc : verdict->emit(verdict, result, err); /* its shape is checked by the core */
	return rc < 0 ? rc : 0;
}

static const assay_scorer_ops ops = {.size = sizeof ops, .open = open, .close = program_close, .score = score};
ASSAY_IMPL(command, SCORER, "command", 0, "Any program, by JSON lines on its standard input and output",
	   program_options, &ops);
ASSAY_PLUGIN(scorer_command, "0.1.0", "Scorers behind a program of one's own", "Apache-2.0", &command)
