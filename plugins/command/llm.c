/* llm/command: any program that answers a request. Protocol: assay/command.h, sdk/command.md. */
#include "program.h"
#include <assay/roles/llm.h>
#include <stdbool.h>
#include <string.h>

static int open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	return program_open(host, options, "llm", NULL, self, err);
}

/* The program's own error, in the words of assay/roles/llm.h. */
static int refuse(const struct program *c, const assay_json *refusal, assay_error *err)
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

/* The program was given up, and the next request starts another. */
static int blame_program(int rc, assay_error *err)
{
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
	struct program *c = self;
	assay_json *result = NULL, *refusal = NULL;
	int rc = program_start(c, call, err);
	if (rc < 0) {
		return rc;
	}
	rc = program_ask(c, call, "complete", request, NULL, &result, &refusal, err);
	if (rc < 0) {
		rc = refusal ? refuse(c, refusal, err) : blame_program(rc, err);
	}
	if (rc == 0 && c->json->type(c->json->get(result, "message")) != ASSAY_JSON_OBJECT) {
		rc = c->host->fail(err, ASSAY_EPROTO, "the program's result has no object \"message\"");
		rc = blame_program(program_give_up(c, rc), err);
	}
	if (rc == 0) {
		rc = reply->emit(reply, result, err);
		result = NULL;
	}
	c->json->free(result);
	c->json->free(refusal);
	return rc > 0 ? 0 : rc;
}

static const assay_llm_ops ops = {.size = sizeof ops, .open = open, .close = program_close, .complete = complete};

ASSAY_IMPL(command, LLM, "command", 0, "Any program, by JSON lines on its standard input and output", program_options,
	   &ops);
ASSAY_PLUGIN(llm_command, "0.1.0", "Models behind a program of one's own", "Apache-2.0", &command)
