/* The server side, in this process: bytes in, bytes out. */
#include "core/base/error.h"
#include "core/mcp/jsonrpc.h"
#include "tests/mcp/fixture.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INIT_AS(version)                                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"" version "\","     \
	"\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"
#define INIT INIT_AS("2025-11-25")
#define INIT_ANSWER_AS(version)                                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"" version                                     \
	"\",\"capabilities\":{\"tools\":{}},"                                                                          \
	"\"serverInfo\":{\"name\":\"fixture\",\"title\":\"Fixture\",\"version\":\"1.2.3\"},"                           \
	"\"instructions\":\"For tests only.\"}}\n"
#define INIT_ANSWER INIT_ANSWER_AS("2025-11-25")
#define CALL(id, name, arguments)                                                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name                    \
	"\",\"arguments\":" arguments "}}\n"
#define ERROR(id, code, message)                                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" message "\"}}\n"
#define TEXT(id, text)                                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"
#define REFUSAL(id, text)                                                                                              \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text              \
	"\"}],\"isError\":true}}\n"

/* What the fixture answers to these bytes; free it. */
static char *converse(const char *bytes, size_t n)
{
	int64_t calls = 0;
	as_mcp_server server = *fixture_server();
	assay_error err = {0};
	FILE *in = tmpfile(), *out = tmpfile();
	char *text;
	long size;

	server.payload = &calls;
	ck_assert(in && out);
	ck_assert_uint_eq(fwrite(bytes, 1, n, in), n);
	rewind(in);
	ck_assert_msg(as_mcp_serve(&server, fileno(in), fileno(out), &err) == 0, "%s", err.message);
	size = lseek(fileno(out), 0, SEEK_END);
	ck_assert_int_ge(size, 0);
	rewind(out);
	text = calloc(1, (size_t)size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, out), (size_t)size);
	fclose(in);
	fclose(out);
	return text;
}

static void check_bytes(const char *bytes, size_t n, const char *expected)
{
	char *text = converse(bytes, n);

	ck_assert_str_eq(text, expected);
	free(text);
}

static void check(const char *input, const char *expected)
{
	check_bytes(input, strlen(input), expected);
}

START_TEST(test_versions)
{
	static const char *const known[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

	check(INIT_AS("2024-11-05"), INIT_ANSWER_AS("2024-11-05"));
	check(INIT_AS("2025-03-26"), INIT_ANSWER_AS("2025-03-26"));
	check(INIT_AS("2025-06-18"), INIT_ANSWER_AS("2025-06-18"));
	check(INIT_AS("2025-11-25"), INIT_ANSWER_AS("2025-11-25"));
	check(INIT_AS("2026-07-28"), INIT_ANSWER_AS("2025-11-25"));
	check(INIT_AS("nonsense"), INIT_ANSWER_AS("2025-11-25"));
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		ck_assert_str_eq(as_mcp_revision_find(as_str(known[i]))->name, known[i]);
		ck_assert_ptr_nonnull(strstr(as_mcp_revision_list(), known[i]));
	}
	ck_assert_ptr_null(as_mcp_revision_find(ASSAY_STR("2025-11-2")));
}
END_TEST

START_TEST(test_before_initialize)
{
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n",
	      ERROR("1", "-32600", "send initialize before tools/list"));
	check(CALL("1", "echo", "{}"), ERROR("1", "-32600", "send initialize before tools/call"));
	check("{\"jsonrpc\":\"2.0\",\"id\":\"probe\",\"method\":\"server/discover\",\"params\":{}}\n" INIT,
	      ERROR("\"probe\"", "-32602", "_meta needs io.modelcontextprotocol/protocolVersion, a string")
		      INIT_ANSWER);
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n",
	      ERROR("1", "-32602", "initialize needs protocolVersion, a string"));
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":[]}\n",
	      ERROR("1", "-32602", "params of initialize must be an object"));
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"x\"}}\n",
	      INIT_ANSWER ERROR("1", "-32600", "initialize was already done"));
}
END_TEST

START_TEST(test_list)
{
	char *first = converse(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n",
			       strlen(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"));
	const char *line = strchr(first, '\n') + 1;
	assay_json *v = NULL;
	const assay_json *echo;

	ck_assert_int_eq(as_json_parse(as_str(line), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_uint_eq(as_json_count(as_json_pointer(v, "/result/tools")), fixture_server()->n_tools);
	echo = as_json_pointer(v, "/result/tools/0");
	ck_assert_str_eq(as_json_cstr(as_json_get(echo, "name"), ""), "echo");
	ck_assert_str_eq(as_json_cstr(as_json_get(echo, "title"), ""), "Echo");
	ck_assert_str_eq(as_json_cstr(as_json_get(echo, "description"), ""), "Say it again.");
	ck_assert_int_eq(as_json_i64(as_json_pointer(echo, "/inputSchema/properties/times/maximum"), 0), 9);
	ck_assert_int_eq(as_json_boolean(as_json_pointer(echo, "/annotations/readOnlyHint"), -1), 1);
	ck_assert_int_eq(as_json_boolean(as_json_pointer(echo, "/annotations/destructiveHint"), -1), 0);
	ck_assert_int_eq(as_json_boolean(as_json_pointer(echo, "/annotations/idempotentHint"), -1), 1);
	ck_assert_int_eq(as_json_boolean(as_json_pointer(echo, "/annotations/openWorldHint"), -1), 0);
	ck_assert_int_eq(as_json_boolean(as_json_pointer(v, "/result/tools/3/annotations/destructiveHint"), -1), 1);
	ck_assert_ptr_nonnull(as_json_pointer(v, "/result/tools/1/outputSchema/properties/sum"));
	ck_assert_ptr_null(as_json_pointer(v, "/result/tools/0/outputSchema"));
	as_json_free(v);

	/* The same bytes each time. */
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n", first);
	free(first);
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}}\n",
	      INIT_ANSWER ERROR("1", "-32602", "no such cursor; the list has one page"));
}
END_TEST

START_TEST(test_call)
{
	check(INIT CALL("1", "echo", "{\"text\":\"\\u00e9\\n\",\"times\":2}"),
	      INIT_ANSWER TEXT("1", "\xC3\xA9\\n\xC3\xA9\\n"));
	check(INIT CALL("\"a\\u0000b\"", "echo", "{\"text\":\"x\"}"), INIT_ANSWER TEXT("\"a\\u0000b\"", "x"));
	check(INIT CALL("1", "add", "{\"a\":0.5,\"b\":1}") CALL("1", "add", "{\"a\":1e3,\"b\":-1}"), INIT_ANSWER
	      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	      "\"{\\\"sum\\\":1.5,\\\"calls\\\":1}\"}],\"structuredContent\":{\"sum\":1.5,\"calls\":1}}}\n"
	      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	      "\"{\\\"sum\\\":999.0,\\\"calls\\\":2}\"}],\"structuredContent\":{\"sum\":999.0,\"calls\":2}}}\n");
	check(INIT CALL("1", "find_note", "{\"name\":\"q\"}"), INIT_ANSWER REFUSAL("1", "no note called \\\"q\\\""));
	check(INIT CALL("1", "nap", "{}"), INIT_ANSWER "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n");
	check(INIT CALL("1", "nap", "null"),
	      INIT_ANSWER "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n");
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nap\"}}\n",
	      INIT_ANSWER "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n");
	check(INIT CALL("1", "raw", "{}"), INIT_ANSWER TEXT("1", "a\xEF\xBF\xBD"
								 "b\\nc\\u0001"));
}
END_TEST

START_TEST(test_call_fails)
{
	check(INIT CALL("1", "ecko", "{}"), INIT_ANSWER ERROR("1", "-32602", "Unknown tool: ecko; did you mean echo?"));
	check(INIT CALL("1", "%s%n", "{}"), INIT_ANSWER ERROR("1", "-32602", "Unknown tool: %s%n"));
	check(INIT CALL("1", "echo", "[]"),
	      INIT_ANSWER ERROR("1", "-32602", "arguments of tools/call must be an object"));
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}\n",
	      INIT_ANSWER ERROR("1", "-32602", "tools/call needs name, a string"));
	check(INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}\n",
	      INIT_ANSWER ERROR("1", "-32602", "tools/call needs name, a string"));
	check(INIT CALL("1", "defect", "{}"), INIT_ANSWER ERROR("1", "-32603", "defect: the disk is on fire"));
}
END_TEST

/* The text of the refusal of a call. */
static char *complaint(const char *request)
{
	char *all = converse(request, strlen(request)), *text;
	assay_json *v = NULL;

	ck_assert_int_eq(as_json_parse(as_str(strchr(all, '\n') + 1), ASSAY_JSON_STRICT, &v, NULL), 0);
	ck_assert_msg(as_json_boolean(as_json_pointer(v, "/result/isError"), 0) == 1, "%s", all);
	text = as_strdup(as_json_cstr(as_json_pointer(v, "/result/content/0/text"), ""));
	ck_assert_ptr_nonnull(text);
	as_json_free(v);
	free(all);
	return text;
}

static void check_complaint(const char *request, const char *const *parts)
{
	char *text = complaint(request);

	for (; *parts; parts++) {
		ck_assert_msg(strstr(text, *parts) != NULL, "\"%s\" is missing in: %s", *parts, text);
	}
	free(text);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_invalid_arguments)
{
	const char *all = "Parameters: text (string, required); times (integer, default 1); mode (one of "
			  "\"plain\", \"loud\").";

	check_complaint(INIT CALL("1", "echo", "{}"), PARTS("Invalid arguments for echo: ", "text", all));
	check_complaint(INIT CALL("1", "echo", "{\"text\":7}"), PARTS("/text", "string", all));
	check_complaint(INIT CALL("1", "echo", "{\"text\":\"x\",\"times\":10}"), PARTS("/times", "9", all));
	check_complaint(INIT CALL("1", "echo", "{\"text\":\"x\",\"mode\":\"quiet\"}"), PARTS("/mode", "loud", all));
	check_complaint(INIT CALL("1", "echo", "{\"txt\":\"x\"}"),
			PARTS("There is no parameter \"txt\"; did you mean \"text\"?", all));
	/* Extra arguments are named only when something is wrong anyway. */
	check_complaint(INIT CALL("1", "find_note", "{\"nam\":\"x\",\"zzzzzz\":1}"),
			PARTS("There is no parameter \"nam\"; did you mean \"name\"?",
			      "There is no parameter \"zzzzzz\"."));
	check(INIT CALL("1", "find_note", "{\"name\":\"q\",\"zzzzzz\":1}"),
	      INIT_ANSWER REFUSAL("1", "no note called \\\"q\\\""));
}
END_TEST

/* However large the arguments are, the complaint is one that a model can read. */
START_TEST(test_complaint_is_bounded)
{
	as_buf b = {0};
	char *text;

	as_buf_puts(&b,
		    INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"find_note\","
			 "\"arguments\":{\"k\":0");
	for (int i = 0; i < 5000; i++) {
		as_buf_printf(&b, ",\"key%d\":\"%d\"", i, i);
	}
	as_buf_puts(&b, ",\"");
	for (int i = 0; i < 5000; i++) {
		as_buf_puts(&b, "long");
	}
	as_buf_puts(&b, "\":1}}}\n");
	text = complaint(b.ptr);
	ck_assert_uint_lt(strlen(text), 4000);
	free(text);
	as_buf_free(&b);
}
END_TEST

START_TEST(test_output_schema_is_a_promise)
{
	char *text = converse(INIT CALL("1", "defect", "{\"promise\":true}"),
			      strlen(INIT CALL("1", "defect", "{\"promise\":true}")));

	ck_assert_ptr_nonnull(strstr(text, "\"code\":-32603,\"message\":\"defect: "));
	ck_assert_ptr_nonnull(strstr(text, "kept"));
	free(text);
}
END_TEST

START_TEST(test_malformed_messages)
{
	char *text;

	check("\n  \n\r\n\t\r\n", "");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
	      "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}\n"
	      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
	      "");
	check("{\"id\":1,\"method\":\"ping\"}\n", ERROR("1", "-32600", "not a JSON-RPC 2.0 message"));
	check("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
	      ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
	check("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n",
	      ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
	check("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n",
	      ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
	check("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":4}\n", ERROR("4", "-32600", "not a JSON-RPC 2.0 message"));
	check("7\n[]\n", ERROR("null", "-32600", "not a JSON-RPC 2.0 message")
				 ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
	check("{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"method\":\"ping\"}\n",
	      "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"result\":{}}\n");
	check("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/list\"}\n",
	      ERROR("3", "-32601", "Method not found: resources/list"));

	text = converse("{\"a\":\n{\"b\":\"\xFF\"}\n", strlen("{\"a\":\n{\"b\":\"\xFF\"}\n"));
	ck_assert_ptr_eq(
		strstr(text, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error: "),
		text);
	ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "-32700"));
	free(text);
}
END_TEST

/* The last line may lack its newline, lines may end in CR LF, and a NUL is a byte like any other. */
START_TEST(test_lines)
{
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}",
	      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
	check_bytes("", 0, "");
	char *text = converse("\0\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
			      sizeof "\0\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n" - 1);

	ck_assert_ptr_nonnull(strstr(text, "-32700"));
	ck_assert_ptr_nonnull(strstr(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"));
	free(text);
}
END_TEST

/* A line over the limit is answered and skipped, and the next one is served. */
START_TEST(test_overlong_line)
{
	static const char ping[] = "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
	size_t n = AS_MCP_MAX_MESSAGE + 1;
	char *bytes = malloc(n + sizeof ping);

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, ' ', n);
	memcpy(bytes + n, ping, sizeof ping);
	check_bytes(
		bytes, n + sizeof ping - 1,
		ERROR("null", "-32600",
		      "a message may have at most 16777216 bytes") "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	/* Just within the limit it is a blank line. */
	check_bytes(bytes + 1, n - 1 + sizeof ping - 1, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	/* And at the end of the input. */
	check_bytes(bytes, n, ERROR("null", "-32600", "a message may have at most 16777216 bytes"));
	free(bytes);
}
END_TEST

START_TEST(test_deep_nesting)
{
	char bytes[2000] = INIT;
	size_t n = strlen(bytes);
	char *text;

	memset(bytes + n, '[', 1000);
	bytes[n + 1000] = '\n';
	text = converse(bytes, n + 1001);
	ck_assert_ptr_nonnull(strstr(strchr(text, '\n'), "\"code\":-32700"));
	free(text);
}
END_TEST

START_TEST(test_batches)
{
	static const char batch[] =
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"x\"},7,"
		"{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"method\":\"ping\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"x\"}}]\n"
		"[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]\n[[]]\n";
	char text[1000];

	snprintf(text, sizeof text, "%s%s", INIT_AS("2025-03-26"), batch);
	check(text,
	      INIT_ANSWER_AS("2025-03-26") "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
					   "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
					   "\"not a JSON-RPC 2.0 message\"}},"
					   "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}},"
					   "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32600,\"message\":"
					   "\"initialize must not be part of a batch\"}}]\n"
					   "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
					   "\"not a JSON-RPC 2.0 message\"}}]\n");
	check(INIT "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
	      INIT_ANSWER ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
	check("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
	      ERROR("null", "-32600", "not a JSON-RPC 2.0 message"));
}
END_TEST

typedef struct served {
	int in, out, rc;
	assay_error err;
} served;

static void *serve_thread(void *payload)
{
	served *s = payload;

	s->rc = as_mcp_serve(fixture_server(), s->in, s->out, &s->err);
	return NULL;
}

/* A socket that keeps the borders of writes shows that each message is one, and that requests are served as they come.
 */
START_TEST(test_one_write_a_message)
{
	static const char first[] = INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
	static const char *const expected[] = {INIT_ANSWER, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"};
	static const char halves[2][20] = {"{\"jsonrpc\":\"2.0\",", "\"method\":\"x\"}\n"};
	int fds[2];
	char buf[4096];
	pthread_t thread;
	served s;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	s = (served){.in = fds[1], .out = fds[1]};
	ck_assert_int_eq(pthread_create(&thread, NULL, serve_thread, &s), 0);
	ck_assert_int_eq(write(fds[0], first, sizeof first - 1), sizeof first - 1);
	for (int i = 0; i < 2; i++) {
		ssize_t n = read(fds[0], buf, sizeof buf - 1);

		ck_assert_int_gt(n, 0);
		buf[n] = '\0';
		ck_assert_str_eq(buf, expected[i]);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(write(fds[0], halves[i], strlen(halves[i])), (ssize_t)strlen(halves[i]));
	}
	shutdown(fds[0], SHUT_WR);
	pthread_join(thread, NULL);
	ck_assert_int_eq(s.rc, 0);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* A client that left is an error, not a signal. */
START_TEST(test_client_leaves)
{
	static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
	int in[2], out[2];
	assay_error err = {0};

	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	ck_assert_int_eq(write(in[1], ping, sizeof ping - 1), sizeof ping - 1);
	close(out[0]);
	ck_assert(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
	ck_assert_int_eq(as_mcp_serve(fixture_server(), in[0], out[1], &err), ASSAY_EUNREACH);
	ck_assert_str_eq(err.message, "the reader is gone");
	close(in[0]);
	close(in[1]);
	close(out[1]);
}
END_TEST

/* Non-blocking descriptors, a slow reader, and an answer that is larger than the pipe. */
START_TEST(test_slow_reader)
{
	static const char request[] = INIT CALL("1", "big", "{\"bytes\":1000000}");
	int in[2], out[2];
	char buf[65536];
	size_t total = 0;
	pthread_t thread;
	served s;
	ssize_t n;

	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	ck_assert_int_eq(fcntl(out[1], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(fcntl(in[0], F_SETFL, O_NONBLOCK), 0);
	s = (served){.in = in[0], .out = out[1]};
	ck_assert_int_eq(pthread_create(&thread, NULL, serve_thread, &s), 0);
	ck_assert_int_eq(write(in[1], request, sizeof request - 1), sizeof request - 1);
	close(in[1]);
	while (total < strlen(INIT_ANSWER) + 1000000 && (n = read(out[0], buf, sizeof buf)) > 0) {
		total += (size_t)n;
	}
	pthread_join(thread, NULL);
	ck_assert_int_eq(s.rc, 0);
	ck_assert_uint_ge(total, strlen(INIT_ANSWER) + 1000000);
	close(in[0]);
	close(out[0]);
	close(out[1]);
}
END_TEST

START_TEST(test_bad_schema_of_a_tool)
{
	const as_mcp_tool tool = {.name = "t", .input_schema = "{\"type\":7}", .call = fixture_server()->tools[0].call};
	const as_mcp_tool broken = {.name = "t", .input_schema = "{", .call = tool.call};
	as_mcp_server server = {.name = "s", .version = "1", .tools = &tool, .n_tools = 1};
	assay_error err = {0};
	int null = open("/dev/null", O_RDWR);

	ck_assert_int_eq(as_mcp_serve(&server, null, null, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.hint, "this is the input schema of tool t");
	as_error_clear(&err);
	server.tools = &broken;
	ck_assert_int_eq(as_mcp_serve(&server, null, null, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.hint, "this is the input schema of tool t");
	close(null);
}
END_TEST

UNIT_SUITE(make_suite, "mcp server", test_versions, test_before_initialize, test_list, test_call, test_call_fails,
	   test_invalid_arguments, test_complaint_is_bounded, test_output_schema_is_a_promise, test_malformed_messages,
	   test_lines, test_overlong_line, test_deep_nesting, test_batches, test_one_write_a_message,
	   test_client_leaves, test_slow_reader, test_bad_schema_of_a_tool)

UNIT_MAIN(make_suite)
