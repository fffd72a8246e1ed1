#include "program.h"
#include <string.h>

const char program_options[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"argv\"], \"properties\": {"
	"\"argv\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}, \"description\": "
	"\"the program and its arguments; it starts in the manifest's folder\"},"
	"\"env\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}, \"description\": "
	"\"further variables; ${NAME} stands for one of ours\"},"
	"\"options\": {\"type\": \"object\", \"description\": \"told to the program in the greeting\"},"
	"\"start_seconds\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 3600, \"default\": 30, "
	"\"description\": \"for the greeting\"},"
	"\"answer_seconds\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 86400, \"default\": 300, "
	"\"description\": \"for an answer, where no budget bounds it\"}}}";

static const assay_command_api *service(const struct program *p)
{
	return p->host->service("command", 1);
}

void program_close(void *self)
{
	struct program *p = self;
	if (!p) {
		return;
	}
	program_give_up(p, 0);
	for (size_t i = 0; p->env && p->env[i]; i++) {
		p->host->free(p->env[i]);
	}
	p->host->free(p->env);
	p->host->free(p->argv);
	p->json->free(p->options);
	p->host->free(p);
}

static int read_argv(struct program *p)
{
	const assay_json *list = p->json->get(p->options, "argv");
	size_t n = 0;
	p->argv = p->host->alloc((p->json->count(list) + 1) * sizeof *p->argv);
	for (const assay_json *a = p->json->first(list); a && p->argv; a = p->json->next(a)) {
		p->argv[n++] = p->json->str(a).ptr;
	}
	return p->argv ? 0 : ASSAY_ENOMEM;
}

static int read_env(struct program *p)
{
	const assay_json *given = p->json->get(p->options, "env");
	size_t n = 0;
	p->env = p->host->alloc((p->json->count(given) + 1) * sizeof *p->env);
	for (const assay_json *v = p->json->first(given); v && p->env; v = p->json->next(v)) {
		assay_str name = p->json->key(v), value = p->json->str(v);
		char *entry = p->host->alloc(name.len + value.len + 2);
		if (!entry) {
			return ASSAY_ENOMEM;
		}
		memcpy(entry, name.ptr, name.len);
		entry[name.len] = '=';
		if (value.len > 0) {
			memcpy(entry + name.len + 1, value.ptr, value.len);
		}
		p->env[n++] = entry;
	}
	return p->env ? 0 : ASSAY_ENOMEM;
}

int program_open(const assay_host *host, const assay_json *options, const char *role, program_question *question,
		 void **self, assay_error *err)
{
	struct program *p = host->alloc(sizeof *p);
	if (!p) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	p->host = host;
	p->json = host->json;
	p->role = role;
	p->question = question;
	p->options = host->json->clone(options);
	if (!p->options || read_argv(p) != 0 || read_env(p) != 0) {
		program_close(p);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*self = p;
	return 0;
}

static int answer_question(void *payload, assay_call *call, assay_str op, const assay_json *params, assay_json **result,
			   assay_error *err)
{
	const struct program *p = payload;
	return p->question(p->payload, call, op, params, result, err);
}

int program_start(struct program *p, assay_call *call, assay_error *err)
{
	const assay_command_api *api = service(p);
	assay_command_spec spec = {.size = sizeof spec,
				   .argv = p->argv,
				   .env = (const char *const *)p->env,
				   .role = p->role,
				   .options = p->json->get(p->options, "options"),
				   .start_ms = p->json->i64(p->json->get(p->options, "start_seconds"), 30) * 1000,
				   .question = p->question ? answer_question : NULL,
				   .payload = p,
				   .answer_ms = p->json->i64(p->json->get(p->options, "answer_seconds"), 300) * 1000};
	if (!api) {
		return p->host->fail(err, ASSAY_ENOTSUP, "this program cannot start others");
	}
	return p->running ? 0 : api->open(call, &spec, &p->running, err);
}

int program_give_up(struct program *p, int rc)
{
	const assay_command_api *api = service(p);
	if (api) {
		api->close(p->running);
	}
	p->running = NULL;
	return rc;
}

int program_ask(struct program *p, assay_call *call, const char *op, const assay_json *params, void *payload,
		assay_json **result, assay_json **refusal, assay_error *err)
{
	int rc = program_start(p, call, err);
	p->payload = payload;
	if (rc == 0) {
		rc = service(p)->ask(call, p->running, op, params, result, refusal, err);
	}
	p->payload = NULL;
	return rc < 0 && !*refusal ? program_give_up(p, rc) : rc;
}

int program_must(struct program *p, assay_call *call, const char *op, const assay_json *params, void *payload,
		 assay_json **result, assay_error *err)
{
	assay_json *refusal = NULL;
	int rc = program_ask(p, call, op, params, payload, result, &refusal, err);
	p->json->free(refusal);
	return rc;
}
