#include "tests/mcp/fixture.h"
#include "core/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int echo(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str text = as_json_str(as_json_get(arguments, "text"));
	as_buf b = {0};

	(void)payload;
	for (int64_t i = as_json_i64(as_json_get(arguments, "times"), 0); i > 0; i--) {
		as_buf_add(&b, text);
	}
	return as_buf_take(&b, &answer->text, err);
}

static int add(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t *calls = payload;
	double sum = as_json_f64(as_json_get(arguments, "a"), 0) + as_json_f64(as_json_get(arguments, "b"), 0);

	answer->structured = as_json_object();
	if (as_json_set(answer->structured, "sum", as_json_real(sum)) ||
	    as_json_set(answer->structured, "calls", as_json_integer(++*calls))) {
		return as_fail_memory(err);
	}
	return 0;
}

static int find(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	(void)payload;
	(void)err;
	return as_mcp_refuse(answer, "no note called \"%.*s\"", ASSAY_FMT(as_json_str(as_json_get(arguments, "name"))));
}

static int defect(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	(void)payload;
	if (as_json_boolean(as_json_get(arguments, "promise"), 0)) {
		answer->structured = as_json_object();
		return 0;
	}
	return as_fail(err, ASSAY_EIO, "the disk is on fire");
}

static int big(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t n = as_json_i64(as_json_get(arguments, "bytes"), 0);
	as_buf b = {0};

	(void)payload;
	if (as_buf_reserve(&b, (size_t)n + 1)) {
		memset(b.ptr, 'x', (size_t)n);
		b.len = (size_t)n;
		b.ptr[n] = '\0';
	}
	return as_buf_take(&b, &answer->text, err);
}

static int raw(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	as_buf b = {0};

	(void)payload;
	(void)arguments;
	as_buf_puts(&b, "a\xFF"
			"b\nc\x01");
	return as_buf_take(&b, &answer->text, err);
}

static int nap(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t ms = as_json_i64(as_json_get(arguments, "ms"), 0);
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	(void)payload;
	(void)answer;
	(void)err;
	nanosleep(&t, NULL);
	return 0;
}

static int die(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	(void)payload;
	(void)arguments;
	(void)answer;
	(void)err;
	fputs("first line\nfixture: told to \033[31mdie\033[0m\n", stderr);
	_exit(7);
}

static const as_mcp_tool tools[] = {
	{.name = "echo",
	 .title = "Echo",
	 .description = "Say it again.",
	 .input_schema = "{\"type\":\"object\",\"required\":[\"text\"],\"additionalProperties\":false,\"properties\":{"
			 "\"text\":{\"type\":\"string\"},"
			 "\"times\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,\"default\":1},"
			 "\"mode\":{\"enum\":[\"plain\",\"loud\"]}}}",
	 .hints = AS_MCP_READ_ONLY | AS_MCP_IDEMPOTENT | AS_MCP_CLOSED_WORLD,
	 .call = echo},
	{.name = "add",
	 .description = "Add two numbers.",
	 .input_schema = "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{\"a\":{\"type\":\"number\"},"
			 "\"b\":{\"type\":\"number\"}}}",
	 .output_schema = "{\"type\":\"object\",\"required\":[\"sum\"],\"properties\":{\"sum\":{\"type\":\"number\"}}}",
	 .call = add},
	{.name = "find_note",
	 .input_schema =
		 "{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{\"name\":{\"type\":\"string\"}}}",
	 .call = find},
	{.name = "defect",
	 .input_schema = "{\"type\":\"object\",\"properties\":{\"promise\":{\"type\":\"boolean\"}}}",
	 .output_schema = "{\"type\":\"object\",\"required\":[\"kept\"]}",
	 .hints = AS_MCP_DESTRUCTIVE,
	 .call = defect},
	{.name = "big",
	 .input_schema =
		 "{\"type\":\"object\",\"required\":[\"bytes\"],\"properties\":{\"bytes\":{\"type\":\"integer\","
		 "\"minimum\":0,\"maximum\":4000000}}}",
	 .call = big},
	{.name = "raw", .input_schema = "{\"type\":\"object\"}", .call = raw},
	{.name = "nap",
	 .input_schema = "{\"type\":\"object\",\"properties\":{\"ms\":{\"type\":\"integer\",\"maximum\":60000}}}",
	 .call = nap},
	{.name = "die", .input_schema = "{\"type\":\"object\"}", .call = die},
};

const as_mcp_server *fixture_server(void)
{
	static const as_mcp_server server = {.name = "fixture",
					     .title = "Fixture",
					     .version = "1.2.3",
					     .instructions = "For tests only.",
					     .tools = tools,
					     .n_tools = sizeof tools / sizeof *tools};

	return &server;
}
