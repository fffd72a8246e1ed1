/* server [PORT]: the server that the official conformance suite tests. It prints its address and serves until its input
 * ends. The tools are those that the suite asks for; everything on the wire is core/mcp's. */
#include "core/base/error.h"
#include "core/mcp/server_http.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NO_ARGUMENTS "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
#define WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
#define SCHEMA_2020                                                                                                    \
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","                           \
	"\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"                      \
	"\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"                                          \
	"\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"                   \
	"\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"                                      \
	"\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"                                            \
	"\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"                             \
	"\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},"          \
	"\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

static int say(as_mcp_answer *answer, const char *text, assay_error *err)
{
	as_buf b = {0};

	as_buf_puts(&b, text);
	return as_buf_take(&b, &answer->text, err);
}

static int show(as_mcp_answer *answer, const char *content, assay_error *err)
{
	return as_json_parse(as_str(content), ASSAY_JSON_STRICT, &answer->content, err);
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

#define CALL(name) static int name(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
#define RUN(name)                                                                                                      \
	static int name(void *payload, as_mcp_exchange *x, const assay_json *arguments, as_mcp_answer *answer,         \
			assay_error *err)
#define UNUSED ((void)payload, (void)arguments)

CALL(simple_text)
{
	UNUSED;
	return say(answer, "This is a simple text response for testing.", err);
}

CALL(image)
{
	UNUSED;
	return show(answer, "[{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}]", err);
}

CALL(audio)
{
	UNUSED;
	return show(answer, "[{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}]", err);
}

CALL(embedded)
{
	UNUSED;
	return show(
		answer,
		"[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
		"\"text\":\"This is an embedded resource content.\"}}]",
		err);
}

CALL(mixed)
{
	UNUSED;
	return show(answer,
		    "[{\"type\":\"text\",\"text\":\"Multiple content types test:\"},"
		    "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"},"
		    "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
		    "\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]",
		    err);
}

CALL(fails)
{
	UNUSED;
	(void)err;
	return as_mcp_refuse(answer, "This tool intentionally returns an error for testing");
}

RUN(logs)
{
	int rc = as_mcp_log(x, "info", "Tool execution started", err);

	UNUSED;
	pause_ms(50);
	rc = rc ? rc : as_mcp_log(x, "info", "Tool processing data", err);
	pause_ms(50);
	rc = rc ? rc : as_mcp_log(x, "info", "Tool execution completed", err);
	return rc ? rc : say(answer, "Tool with logging executed successfully", err);
}

RUN(progresses)
{
	int rc = as_mcp_progress(x, 0, 100, err);

	UNUSED;
	pause_ms(50);
	rc = rc ? rc : as_mcp_progress(x, 50, 100, err);
	pause_ms(50);
	rc = rc ? rc : as_mcp_progress(x, 100, 100, err);
	return rc ? rc : say(answer, "Tool with progress executed successfully", err);
}

/* The client's answer as text behind a label. */
static int ask(as_mcp_exchange *x, const char *method, const char *params, const char *label, as_mcp_answer *answer,
	       assay_error *err)
{
	assay_json *p = NULL, *result = NULL;
	assay_text text = {0};
	as_buf b = {0};
	int rc = as_json_parse(as_str(params), ASSAY_JSON_STRICT, &p, err);

	rc = rc ? rc : as_mcp_ask(x, method, p, &result, err);
	rc = rc ? rc : as_json_dump(result, ASSAY_JSON_COMPACT, &text, err);
	if (!rc) {
		as_buf_printf(&b, "%s%s", label, text.ptr);
		rc = as_buf_take(&b, &answer->text, err);
	}
	as_buf_free(&b);
	as_text_free(&text);
	as_json_free(result);
	as_json_free(p);
	return rc;
}

RUN(samples)
{
	UNUSED;
	return ask(
		x, "sampling/createMessage",
		"{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"a test\"}}],\"maxTokens\":100}",
		"LLM response: ", answer, err);
}

RUN(elicits)
{
	UNUSED;
	return ask(x, "elicitation/create",
		   "{\"message\":\"Who are you?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		   "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
		   "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
		   "\"required\":[\"username\",\"email\"]}}",
		   "User response: ", answer, err);
}

RUN(elicits_in_rounds)
{
	UNUSED;
	if (as_mcp_input(x, "who")) {
		return say(answer, "thank you", err);
	}
	answer->state = "round-1";
	return as_json_parse(
		ASSAY_STR("{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\","
			  "\"message\":\"Who are you?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
			  "\"name\":{\"type\":\"string\",\"default\":\"nobody\"}}}}}}"),
		ASSAY_JSON_STRICT, &answer->input_requests, err);
}

RUN(reconnects)
{
	UNUSED;
	as_mcp_interrupt(x);
	pause_ms(150);
	return say(answer, "Reconnection test completed successfully", err);
}

#define TOOL(n, d) .name = n, .description = d, .hints = AS_MCP_READ_ONLY | AS_MCP_CLOSED_WORLD
static const as_mcp_tool tools[] = {
	{TOOL("test_simple_text", "answers a text"), .input_schema = NO_ARGUMENTS, .call = simple_text},
	{TOOL("test_image_content", "answers an image"), .input_schema = NO_ARGUMENTS, .call = image},
	{TOOL("test_audio_content", "answers a sound"), .input_schema = NO_ARGUMENTS, .call = audio},
	{TOOL("test_embedded_resource", "answers a resource"), .input_schema = NO_ARGUMENTS, .call = embedded},
	{TOOL("test_multiple_content_types", "answers three blocks"), .input_schema = NO_ARGUMENTS, .call = mixed},
	{TOOL("test_error_handling", "always fails"), .input_schema = NO_ARGUMENTS, .call = fails},
	{TOOL("test_tool_with_logging", "writes log lines"), .input_schema = NO_ARGUMENTS, .run = logs},
	{TOOL("test_logging_tool", "writes log lines"), .input_schema = NO_ARGUMENTS, .run = logs},
	{TOOL("test_tool_with_progress", "tells its progress"), .input_schema = NO_ARGUMENTS, .run = progresses},
	{TOOL("test_sampling", "asks the client's model"),
	 .input_schema =
		 "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}},\"required\":[\"prompt\"]}",
	 .run = samples, .needs = "sampling"},
	{TOOL("test_elicitation", "asks the client's user"),
	 .input_schema =
		 "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}",
	 .run = elicits, .needs = "elicitation"},
	{TOOL("test_streaming_elicitation", "asks the client's user in a second round"), .input_schema = NO_ARGUMENTS,
	 .run = elicits_in_rounds, .needs = "elicitation"},
	{TOOL("test_missing_capability", "needs sampling"), .input_schema = NO_ARGUMENTS, .call = simple_text,
	 .needs = "sampling"},
	{TOOL("test_reconnection", "breaks its stream off"), .input_schema = NO_ARGUMENTS, .run = reconnects},
	{TOOL("json_schema_2020_12_tool", "has a schema of many keywords"), .input_schema = SCHEMA_2020,
	 .call = simple_text},
	{TOOL("test_header", "wants an argument in a header"),
	 .input_schema =
		 "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}",
	 .call = simple_text},
};

int main(int argc, char **argv)
{
	const as_mcp_server server = {.name = "conformance",
				      .title = "Conformance fixture",
				      .version = "1.0.0",
				      .tools = tools,
				      .n_tools = sizeof tools / sizeof *tools};
	as_mcp_http *http = NULL;
	assay_error err = {0};
	uint16_t port = 0;
	char byte;

	if (as_mcp_http_start(&server, argc > 1 ? (uint16_t)strtoul(argv[1], NULL, 10) : 0, &http, &port, &err)) {
		fprintf(stderr, "server: %s\n", err.message);
		return EXIT_FAILURE;
	}
	printf("http://127.0.0.1:%u/mcp\n", (unsigned)port);
	fflush(stdout);
	while (read(0, &byte, 1) > 0) {
	}
	as_mcp_http_stop(http);
	return EXIT_SUCCESS;
}
