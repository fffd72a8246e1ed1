/* llm/command: any program that answers a request. Protocol: assay/command.h, sdk/command.md. */
#include <assay/command.h>
#include <assay/roles/llm.h>
#include <stdbool.h>
#include <string.h>

struct command {
	const assay_host *host;
	const assay_json_api *json;
	assay_json *options;
	const char **argv;      /* NULL-terminated; the texts are the options' */
	char **env;             /* NULL-terminated, owned; NULL: none */
	assay_command *program; /* NULL: not running */
};

static void close(void *self)
{
	struct command *c = self;
	const assay_command_api *api;
	if (!c) {
		return;
	}
	api = c->host->service("command", 1);
	if (api) {
		api->close(c->program);
	}
	for (size_t i = 0; c->env && c->env[i]; i++) {
		c->host->free(c->env[i]);
	}
	c->host->free(c->env);
	c->host->free(c->argv);
	c->json->free(c->options);
	c->host->free(c);
}

static int read_argv(struct command *c)
{
	const assay_json *list = c->json->get(c->options, "argv");
	size_t n = 0;
	c->argv = c->host->alloc((c->json->count(list) + 1) * sizeof *c->argv);
	for (const assay_json *a = c->json->first(list); a && c->argv; a = c->json->next(a)) {
		c->argv[n++] = c->json->str(a).ptr;
	}
	return c->argv ? 0 : ASSAY_ENOMEM;
}

static int read_env(struct command *c)
{
	const assay_json *given = c->json->get(c->options, "env");
	size_t n = 0;
	c->env = c->host->alloc((c->json->count(given) + 1) * sizeof *c->env);
	for (const assay_json *v = c->json->first(given); v && c->env; v = c->json->next(v)) {
		assay_str name = c->json->key(v), value = c->json->str(v);
		char *entry = c->host->alloc(name.len + value.len + 2);
		if (!entry) {
			return ASSAY_ENOMEM;
		}
		memcpy(entry, name.ptr, name.len);
		entry[name.len] = '=';
		if (value.len > 0) {
			memcpy(entry + name.len + 1, value.ptr, value.len);
		}
		c->env[n++] = entry;
	}
	return c->env ? 0 : ASSAY_ENOMEM;
}

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct command *c = host->alloc(sizeof *c);
	if (!c) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	c->host = host;
	c->json = host->json;
	c->options = host->json->clone(options);
	if (!c->options || read_argv(c) != 0 || read_env(c) != 0) {
		close(c);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*self = c;
	return 0;
}

static int start(struct command *c, assay_call *call, const assay_command_api *api, assay_error *err)
{
	assay_command_spec spec = {.size = sizeof spec,
				   .argv = c->argv,
				   .env = (const char *const *)c->env,
				   .role = "llm",
				   .options = c->json->get(c->options, "options"),
				   .start_ms = c->json->i64(c->json->get(c->options, "start_seconds"), 30) * 1000};
	return api->open(call, &spec, &c->program, err);
}

/* The program's own error, in the words of assay/roles/llm.h. */
static int refuse(const struct command *c, const assay_json *refusal, assay_error *err)
{
	static const struct {
		const char *word;
		uint32_t reason;
		int code;
	} kinds[] = {{"auth", ASSAY_LLM_AUTH, ASSAY_EAUTH},
		     {"quota", ASSAY_LLM_QUOTA, ASSAY_ELIMIT},
		     {"rate", ASSAY_LLM_RATE, ASSAY_EAGAIN},
		     {"overload", ASSAY_LLM_OVERLOAD, ASSAY_EUNREACH},
		     {"unreachable", ASSAY_LLM_UNREACHABLE, ASSAY_EUNREACH},
		     {"malformed", ASSAY_LLM_MALFORMED, ASSAY_EPROTO},
		     {"empty", ASSAY_LLM_EMPTY, ASSAY_EPROTO},
		     {"context", ASSAY_LLM_CONTEXT, ASSAY_ELIMIT},
		     {"filter", ASSAY_LLM_FILTER, ASSAY_EINVAL}};
	assay_str said = c->json->str(c->json->get(refusal, "reason"));
	int code = ASSAY_EINVAL;
	uint32_t reason = ASSAY_LLM_REFUSED;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (said.len == strlen(kinds[i].word) && memcmp(said.ptr, kinds[i].word, said.len) == 0) {
			reason = kinds[i].reason;
			code = kinds[i].code;
		}
	}
	if (err) {
		bool again = c->json->boolean(c->json->get(refusal, "retryable"), 0);
		err->code = code;
		err->reason = reason;
		err->flags |= ASSAY_ERR_PEER | (again ? ASSAY_ERR_RETRYABLE : 0);
		err->detail = c->json->i64(c->json->get(refusal, "retry_after_ms"), 0);
	}
	return code;
}

/* The program is of no use any more: the next request starts another. */
static int give_up(struct command *c, const assay_command_api *api, int rc, assay_error *err)
{
	api->close(c->program);
	c->program = NULL;
	if (err && (rc == ASSAY_EUNREACH || rc == ASSAY_ETIMEOUT || rc == ASSAY_EPROTO || rc == ASSAY_EDATA ||
		    rc == ASSAY_ELIMIT || rc == ASSAY_EIO)) {
		bool lost = rc == ASSAY_EUNREACH || rc == ASSAY_ETIMEOUT || rc == ASSAY_EIO;
		err->reason = lost ? ASSAY_LLM_UNREACHABLE : ASSAY_LLM_MALFORMED;
		err->flags |= ASSAY_ERR_PEER | ASSAY_ERR_RETRYABLE;
		err->detail = 0;
	}
	return rc;
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	struct command *c = self;
	const assay_command_api *api = c->host->service("command", 1);
	assay_json *result = NULL, *refusal = NULL;
	int rc = api ? 0 : c->host->fail(err, ASSAY_ENOTSUP, "this program cannot start others");
	if (rc == 0 && !c->program) {
		rc = start(c, call, api, err);
	}
	if (rc == 0) {
		rc = api->ask(call, c->program, "complete", request, &result, &refusal, err);
		if (rc < 0 && refusal) {
			rc = refuse(c, refusal, err);
		} else if (rc < 0) {
			rc = give_up(c, api, rc, err);
		}
	}
	if (rc == 0 && c->json->type(c->json->get(result, "message")) != ASSAY_JSON_OBJECT) {
		rc = give_up(c, api, c->host->fail(err, ASSAY_EPROTO, "the program's result has no object \"message\""),
			     err);
	}
	if (rc == 0) {
		rc = reply->emit(reply, result, err);
		result = NULL;
	}
	c->json->free(result);
	c->json->free(refusal);
	return rc > 0 ? 0 : rc;
}

static const assay_llm_ops ops = {.size = sizeof ops, .open = open, .close = close, .complete = complete};

static const assay_impl command = {
	.size = sizeof command,
	.role = ASSAY_ROLE_LLM,
	.role_version = 1,
	.name = "command",
	.summary = "Any program, by JSON lines on its standard input and output",
	.options =
		"{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"argv\"], \"properties\": {"
		"\"argv\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}, \"description\": "
		"\"the program and its arguments; it starts in the manifest's folder\"},"
		"\"env\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}, \"description\": "
		"\"further variables; ${NAME} stands for one of ours\"},"
		"\"options\": {\"type\": \"object\", \"description\": \"told to the program in the greeting\"},"
		"\"start_seconds\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 3600, \"default\": 30, "
		"\"description\": \"for the greeting\"}}}",
	.ops = &ops,
};

ASSAY_PLUGIN(llm_command, "0.1.0", "Models behind a program of one's own", "Apache-2.0", &command)
