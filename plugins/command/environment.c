/* environment/command: any program that makes a state and cleans up after it. sdk/command.md has the shapes. */
#include "program.h"
#include <assay/roles/environment.h>
#include <string.h>

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return program_open(host, options, "environment", NULL, self, err);
}

enum { DIGEST = 1, SNAPSHOT = 2, RESTORE = 4 };
static const char *const optional[] = {"digest", "snapshot", "restore"};
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* What a program made, and what it can do with it. */
typedef struct made_state {
	assay_json *state; /* NULL: there is nothing to clean up */
	uint32_t can;
} made_state;

/* One request about a state, of one more member or none. */
static int ask(struct program *p, assay_call *call, const char *op, const assay_member *members, size_t n,
	       assay_json **result, assay_error *err)
{
	assay_json *params = p->json->record(members, n);
	if (!params) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = program_must(p, call, op, params, NULL, result, err);
	p->json->free(params);
	return rc;
}

static uint32_t abilities(const assay_json_api *J, const assay_json *list)
{
	uint32_t can = 0;
	for (const assay_json *v = J->first(list); v; v = J->next(v)) {
		for (size_t i = 0; i < N_OF(optional); i++) {
			can |= assay_text_is(J->str(v), optional[i]) ? 1u << i : 0;
		}
	}
	return can;
}

static int prepare(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
		   assay_error *err)
{
	struct program *p = self;
	const assay_json_api *J = p->json;
	const assay_member about[] = {assay_with_text("workdir", assay_text_of_cstr(workdir))};
	made_state *m = p->host->alloc(sizeof *m);
	assay_json *result = NULL;
	if (!m) {
		return p->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*state = m; /* freed by cleanup, which follows in any case */
	int rc = ask(p, call, "prepare", about, N_OF(about), &result, err);
	if (rc < 0) {
		return rc;
	}
	m->state = J->detach(result, "state");
	m->can = abilities(J, J->get(result, "can"));
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
	made_state *m = state;
	assay_json *result = NULL;
	int rc = 0;
	if (m && m->state) {
		const assay_member about[] = {assay_with_value("state", m->state)};
		rc = ask(p, call, "cleanup", about, N_OF(about), &result, err);
	}
	p->json->free(result);
	p->host->free(m);
	return rc;
}

/* Only some programs can, and each says so of the states that it makes. */
static int check_can(const struct program *p, const made_state *m, uint32_t what, assay_error *err)
{
	return (m->can & what) == what ? 0 : p->host->fail(err, ASSAY_ENOTSUP, "the program does not offer it");
}

static int digest(void *self, assay_call *call, void *state, char out[65], assay_error *err)
{
	struct program *p = self;
	const made_state *m = state;
	const assay_member about[] = {assay_with_copy("state", m->state)};
	assay_json *result = NULL;
	int rc = check_can(p, m, DIGEST, err);
	rc = rc < 0 ? rc : ask(p, call, "digest", about, N_OF(about), &result, err);
	if (rc < 0) {
		return rc;
	}
	assay_str said = p->json->str(p->json->get(result, "digest"));
	size_t n = 0;
	while (n < said.len && n < 64 && strchr("0123456789abcdef", said.ptr[n]) && said.ptr[n]) {
		out[n] = said.ptr[n];
		n++;
	}
	out[n] = '\0';
	if (n == 0 || n != said.len) {
		rc = p->host->fail(err, ASSAY_EPROTO,
				   "the program's result has no \"digest\" of 1 to 64 small hex digits");
		program_give_up(p, rc);
	}
	p->json->free(result);
	return rc;
}

static int with_name(void *self, assay_call *call, const char *op, void *state, const char *name, assay_error *err)
{
	struct program *p = self;
	const made_state *m = state;
	const assay_member about[] = {assay_with_copy("state", m->state),
				      assay_with_text("name", assay_text_of_cstr(name))};
	assay_json *result = NULL;
	int rc = check_can(p, m, SNAPSHOT | RESTORE, err);
	rc = rc < 0 ? rc : ask(p, call, op, about, N_OF(about), &result, err);
	p->json->free(result);
	return rc;
}

static int snapshot(void *self, assay_call *call, void *state, const char *name, assay_error *err)
{
	return with_name(self, call, "snapshot", state, name, err);
}

static int restore(void *self, assay_call *call, void *state, const char *name, assay_error *err)
{
	return with_name(self, call, "restore", state, name, err);
}

static const assay_environment_ops ops = {.size = sizeof ops,
					  .open = open,
					  .close = program_close,
					  .prepare = prepare,
					  .cleanup = cleanup,
					  .digest = digest,
					  .snapshot = snapshot,
					  .restore = restore};
ASSAY_IMPL(command, ENVIRONMENT, "command", 0, "Any program, by JSON lines on its standard input and output",
	   program_options, &ops);
ASSAY_PLUGIN(environment_command, "0.1.0", "States made by a program of one's own", "Apache-2.0", &command)
