/* environment/command: any program that makes a state and cleans up after it. sdk/command.md has the shapes. */
#include "program.h"
#include <assay/roles/environment.h>

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return program_open(host, options, "environment", NULL, self, err);
}

static assay_json *describe(const assay_json_api *J, const char *key, assay_json *value)
{
	assay_json *params = J->object();
	if (J->set(params, key, value) < 0) {
		J->free(params);
		return NULL;
	}
	return params;
}

static int prepare(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
		   assay_error *err)
{
	struct program *p = self;
	const assay_json_api *J = p->json;
	assay_json *result = NULL, *params = describe(J, "workdir", J->string(assay_text_of_cstr(workdir)));
	if (!params) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = program_must(p, call, "prepare", params, NULL, &result, err);
	J->free(params);
	if (rc < 0) {
		return rc;
	}
	*state = J->detach(result, "state"); /* freed by cleanup, which follows in any case */
	assay_json *bound = J->detach(result, "bindings");
	J->free(result);
	if (J->type(bound) != ASSAY_JSON_OBJECT) {
		J->free(bound);
		rc = p->host->fail(err, ASSAY_EPROTO, "the program's result has no object \"bindings\"");
		return program_give_up(p, rc);
	}
	rc = bindings->emit(bindings, bound, err);
	return rc < 0 ? rc : 0;
}

static int cleanup(void *self, assay_call *call, void *state, assay_error *err)
{
	struct program *p = self;
	assay_json *result = NULL, *params;
	if (!state) {
		return 0; /* it has nothing to clean up */
	}
	params = describe(p->json, "state", state); /* takes it over */
	if (!params) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = program_must(p, call, "cleanup", params, NULL, &result, err);
	p->json->free(params);
	p->json->free(result);
	return rc;
}

static const assay_environment_ops ops = {
	.size = sizeof ops, .open = open, .close = program_close, .prepare = prepare, .cleanup = cleanup};
ASSAY_IMPL(command, ENVIRONMENT, "command", 0, "Any program, by JSON lines on its standard input and output",
	   program_options, &ops);
ASSAY_PLUGIN(environment_command, "0.1.0", "States made by a program of one's own", "Apache-2.0", &command)
