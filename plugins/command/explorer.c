/* explorer/command: any program that is an agent. It asks for offers, calls and chats; sdk/command.md has the shapes.
 */
#include "program.h"
#include <assay/roles/explorer.h>
#include <stdio.h>
#include <string.h>

/* What became of the questions of one run. */
struct run {
	struct program *program;
	int failed; /* the code of a service that ends the run; 0: none */
	assay_error why;
};

static int ask_offers(struct run *r, assay_call *call, assay_json **result, assay_error *err)
{
	const assay_json *tools = NULL;
	int rc = r->program->host->agent->offers(call, &tools, err);
	if (rc == 0) {
		*result = r->program->json->clone(tools);
		rc = *result ? 0 : r->program->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	return rc;
}

static int ask_act(struct run *r, assay_call *call, const assay_json *params, assay_json **result, assay_error *err)
{
	const assay_json_api *J = r->program->json;
	const assay_json *arguments = J->get(params, "arguments");
	assay_text text = {NULL, 0};
	int is_error = 0;
	arguments = J->type(arguments) == ASSAY_JSON_OBJECT ? arguments : NULL;
	int rc = r->program->host->agent->act(call, J->str(J->get(params, "name")), arguments, &text, &is_error, err);
	if (rc == 0) {
		assay_json *answer = J->object();
		int bad = J->set(answer, "text", J->string(assay_text_of(text.ptr, text.len)));
		bad |= J->set(answer, "is_error", J->truth(is_error));
		if (bad) {
			J->free(answer);
			rc = r->program->host->fail(err, ASSAY_ENOMEM, "out of memory");
		} else {
			*result = answer;
		}
	}
	J->text_free(&text);
	return rc;
}

static int question(void *payload, assay_call *call, assay_str op, const assay_json *params, assay_json **result,
		    assay_error *err)
{
	struct run *r = payload;
	assay_error why = {0};
	int rc;
	if (assay_text_is(op, "offers")) {
		rc = ask_offers(r, call, result, &why);
	} else if (assay_text_is(op, "act")) {
		rc = ask_act(r, call, params, result, &why);
	} else if (assay_text_is(op, "chat")) {
		rc = r->program->host->llm->chat(call, params, result, &why);
	} else {
		return r->program->host->fail(err, ASSAY_EINVAL, "an explorer may ask for offers, act and chat");
	}
	if (rc < 0) {
		if (r->failed == 0) {
			r->failed = rc;
			r->why = why;
		}
		return r->program->host->fail(err, rc, "%s", why.message);
	}
	return 0;
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return program_open(host, options, "explorer", question, self, err);
}

static assay_json *describe(const assay_json_api *J, const assay_assignment *a)
{
	char seed[24]; /* as text: it may be larger than JSON's readers take */
	assay_json *params = J->object();
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)a->seed);
	int bad = J->set(params, "turns", J->integer(a->turns));
	bad |= J->set(params, "prompt", J->string(a->prompt));
	bad |= J->set(params, "persona", J->string(a->persona));
	bad |= J->set(params, "seed", J->string(assay_text_of_cstr(seed)));
	if (bad) {
		J->free(params);
		return NULL;
	}
	return params;
}

static int run(void *self, assay_call *call, const assay_assignment *assignment, assay_sink *result, assay_error *err)
{
	struct program *p = self;
	struct run r = {.program = p};
	assay_json *said = NULL, *params = describe(p->json, assignment);
	if (!params) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = program_must(p, call, "run", params, &r, &said, err);
	p->json->free(params);
	/* What a service answered counts, whatever the program makes of it: the core names the end from it. */
	if (r.failed < 0) {
		p->json->free(said);
		if (err) {
			*err = r.why;
		}
		return r.failed;
	}
	if (rc == 0 && p->json->type(said) != ASSAY_JSON_OBJECT) {
		p->json->free(said);
		return program_give_up(p, p->host->fail(err, ASSAY_EPROTO, "the program's result is no object"));
	}
	rc = rc < 0 ? rc : result->emit(result, said, err);
	return rc < 0 ? rc : 0;
}

static const assay_explorer_ops ops = {.size = sizeof ops, .open = open, .close = program_close, .run = run};
ASSAY_IMPL(command, EXPLORER, "command", 0, "Any program, by JSON lines on its standard input and output",
	   program_options, &ops);
ASSAY_PLUGIN(explorer_command, "0.1.0", "Agents behind a program of one's own", "Apache-2.0", &command)
