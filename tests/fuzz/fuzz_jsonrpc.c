/* libFuzzer target: hostile bytes on either side of MCP. The first byte chooses: even, they are what a client sends to
 * our server; odd, they are what a server answers to our client, which shakes hands, lists tools and calls one. */
#include "core/mcp/server.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INPUT 60000u /* what a pipe holds without a reader */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- the server side --------------------------------------------------------------------------------------------- */

static int echo(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	(void)payload;
	(void)err;
	answer->structured = as_json_clone(arguments);
	return answer->structured ? 0 : ASSAY_ENOMEM;
}

static const as_mcp_tool tool = {
	.name = "echo",
	.input_schema = "{\"type\":\"object\",\"required\":[\"text\"],\"properties\":{\"text\":{\"type\":\"string\"},"
			"\"n\":{\"type\":\"integer\",\"default\":1},\"mode\":{\"enum\":[\"a\",\"b\"]}}}",
	.output_schema = "{\"type\":\"object\"}",
	.call = echo};

static void feed_server(const char *bytes, size_t n)
{
	const as_mcp_server server = {.name = "fuzz", .version = "0", .tools = &tool, .n_tools = 1};
	int in[2], out = open("/dev/null", O_WRONLY);

	if (out < 0 || pipe(in) != 0) {
		abort();
	}
	if (write(in[1], bytes, n) != (ssize_t)n) {
		abort();
	}
	close(in[1]);
	if (as_mcp_serve(&server, in[0], out, NULL) != 0) {
		abort();
	}
	close(in[0]);
	close(out);
}

/* --- the client side --------------------------------------------------------------------------------------------- */

typedef struct script {
	assay_str left;
} script;

static int fake_connect(void *self, assay_call *call, assay_error *err)
{
	(void)self;
	(void)call;
	(void)err;
	return 0;
}

static int fake_send(void *self, assay_call *call, assay_str message, assay_error *err)
{
	assay_json *doc = NULL;

	(void)self;
	(void)call;
	/* Whatever came in, what goes out is one line of JSON. */
	if (memchr(message.ptr, '\n', message.len) ||
	    as_json_parse(message, ASSAY_JSON_STRICT, &doc, err) == ASSAY_EDATA) {
		abort();
	}
	as_json_free(doc);
	return 0;
}

static int fake_receive(void *self, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	script *s = self;
	const char *newline = s->left.len ? memchr(s->left.ptr, '\n', s->left.len) : NULL;
	assay_str line = {s->left.ptr, newline ? (size_t)(newline - s->left.ptr) : s->left.len};
	int rc;

	(void)call;
	(void)timeout_ms;
	if (s->left.len == 0) {
		return ASSAY_EUNREACH;
	}
	s->left.ptr += line.len + (newline != NULL);
	s->left.len -= line.len + (newline != NULL);
	rc = messages->write(messages, line, err);
	return rc < 0 ? rc : 0;
}

static void fake_close(void *self)
{
	(void)self;
}

static const assay_transport_ops ops = {
	.size = sizeof ops, .close = fake_close, .connect = fake_connect, .send = fake_send, .receive = fake_receive};

static void feed_client(const char *bytes, size_t n, as_mcp_era era)
{
	const as_mcp_options options = {.era = era, .elicitation = AS_MCP_ELICIT_DEFAULTS};
	const as_mcp_limits limits = {.call_ms = 12}; /* tasks are asked after when some of it has gone by */
	script s = {.left = {bytes, n}};
	as_call call = {.pub = {.size = sizeof call.pub}, .deadline_ms = AS_FOREVER};
	as_mcp_session *session = NULL;
	assay_json *tools = NULL, *result = NULL;
	char hash[17];
	bool rpc_error;

	if (as_mcp_open_with("fuzz", &ops, &s, &limits, &options, &call.pub, &session, NULL)) {
		return;
	}
	if (as_mcp_list_tools(session, &call.pub, &tools, NULL) == 0) {
		as_tool_surface_hash(tools, hash, NULL);
	}
	as_mcp_call_tool(session, &call.pub, ASSAY_STR("echo"), tools, 0, &result, &rpc_error, NULL);
	as_json_free(tools);
	as_json_free(result);
	as_json_free(as_mcp_take_asked(session));
	as_mcp_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > MAX_INPUT) {
		return 0;
	}
	if (data[0] % 2 == 0) {
		feed_server((const char *)data + 1, size - 1);
	} else {
		static const as_mcp_era eras[] = {AS_MCP_ERA_HANDSHAKE, AS_MCP_ERA_AUTO, AS_MCP_ERA_STATELESS};

		feed_client((const char *)data + 1, size - 1, eras[data[0] / 2 % 3]);
	}
	return 0;
}
