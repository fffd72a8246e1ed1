/* bench_wire CALLS SERVERS SERVER [ARGUMENT]...: what a tool call costs over pipes, in microseconds at the median, in
 * three ways that take turns, so that what disturbs one disturbs all:
 *
 *     bare     a line to a child that sends one back, of the sizes of a call and its answer, nothing read or made
 *     raw      the same lines with the server in the place of that child: what the server itself costs
 *     client   the call through session, transport plugin and host
 *
 * and what private memory this program has with one session, and with SERVERS of them open at once. */
#include "core/base/error.h"
#include "core/mcp/jsonrpc.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "tests/bench/clock.h"
#include "tests/mcp/private_memory.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURNS 20
#define TOOL "add_days"
#define ARGUMENTS "{\"date\":\"2026-05-14\",\"days\":30}"
#define MAX_LINE 4096

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- without a client -------------------------------------------------------------------------------------------- */

typedef struct child {
	pid_t pid;
	int to, from;
} child;

static size_t read_line(int fd, char line[MAX_LINE])
{
	size_t n = 0;

	while (n == 0 || line[n - 1] != '\n') {
		ssize_t got = n < MAX_LINE ? read(fd, line + n, MAX_LINE - n) : 0;

		if (got <= 0) {
			return 0;
		}
		n += (size_t)got;
	}
	return n;
}

static void write_line(int fd, const char *line, size_t n)
{
	bench_must(write(fd, line, n) == (ssize_t)n ? 0 : -1, "writing a line");
}

/* The other end of a bare exchange. */
static _Noreturn void pong(int in, int out, size_t size)
{
	char line[MAX_LINE], reply[MAX_LINE];

	memset(reply, 'x', size);
	reply[size - 1] = '\n';
	while (read_line(in, line) > 0) {
		write_line(out, reply, size);
	}
	_exit(0);
}

/* argv NULL: a child that answers with lines of `size`. */
static child start(char **argv, size_t size)
{
	int in[2], out[2];
	child c;

	bench_must(pipe(in) || pipe(out) ? -1 : 0, "pipe");
	c = (child){.pid = fork(), .to = in[1], .from = out[0]};
	bench_must(c.pid, "fork");
	if (c.pid > 0) {
		close(in[0]);
		close(out[1]);
		return c;
	}
	close(in[1]);
	close(out[0]);
	if (!argv) {
		pong(in[0], out[1], size);
	}
	dup2(in[0], 0);
	dup2(out[1], 1);
	execv(argv[0], argv);
	_exit(127);
}

static void stop(const child *c)
{
	close(c->to);
	close(c->from);
	waitpid(c->pid, NULL, 0);
}

static void exchange(const child *c, const char *request, size_t n, double *us)
{
	char line[MAX_LINE];
	int64_t begun = now_ns();

	write_line(c->to, request, n);
	bench_must(read_line(c->from, line) ? 0 : -1, "reading an answer");
	*us = (double)(now_ns() - begun) / 1000.0;
}

/* --- with it ----------------------------------------------------------------------------------------------------- */

typedef struct client {
	as_instance *transport;
	as_mcp_session *session;
} client;

static void say_and_die(const assay_error *err)
{
	char text[1024];

	as_error_format(err, text, sizeof text);
	fprintf(stderr, "bench_wire: %s\n", text);
	exit(EXIT_FAILURE);
}

static client connect_to(as_registry *registry, as_call *call, const assay_json *record)
{
	const as_mcp_options options = {.era = AS_MCP_ERA_HANDSHAKE}; /* as its peers speak */
	client c = {0};
	assay_error err = {0};

	if (as_instance_open(registry, "transport/stdio", ASSAY_ROLE_TRANSPORT, record, NULL, &c.transport, &err) ||
	    as_mcp_open_with("server", as_instance_ops(c.transport), as_instance_self(c.transport), NULL, &options,
			     &call->pub, &c.session, &err)) {
		say_and_die(&err);
	}
	return c;
}

static void close_client(client *c)
{
	as_mcp_close(c->session);
	as_instance_close(c->transport);
}

static void call_tool(client *c, as_call *call, const assay_json *arguments, double *us)
{
	assay_json *result = NULL;
	assay_error err = {0};
	bool rpc_error = false;
	int64_t begun = now_ns();

	if (as_mcp_call_tool(c->session, &call->pub, ASSAY_STR(TOOL), arguments, 0, &result, &rpc_error, &err) ||
	    rpc_error || as_json_get(result, "isError")) {
		say_and_die(&err);
	}
	*us = (double)(now_ns() - begun) / 1000.0;
	as_json_free(result);
}

/* --- figures ----------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(const char *name, double *us, size_t n)
{
	qsort(us, n, sizeof *us, compare);
	printf("%s %.2f us\n", name, us[n / 2]);
}

static void print_memory(const char *name)
{
	long kib = private_kib();

	bench_must(kib > 0 ? 0 : -1, "reading smaps_rollup");
	printf("%s %ld KiB\n", name, kib);
}

/* A call as a line, and how long its answer is, by asking a server of one's own. */
static size_t prepare(const child *server, char request[MAX_LINE])
{
	static const char hello[] =
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
		"\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"0\"}}}\n";
	static const char ready[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
	char line[MAX_LINE];
	int n = snprintf(request, MAX_LINE,
			 "{\"jsonrpc\":\"2.0\",\"id\":1234,\"method\":\"tools/call\",\"params\":{\"name\":\"" TOOL
			 "\",\"arguments\":" ARGUMENTS ",\"_meta\":{\"progressToken\":1234}}}\n");

	write_line(server->to, hello, sizeof hello - 1);
	bench_must(read_line(server->from, line) ? 0 : -1, "initialize");
	write_line(server->to, ready, sizeof ready - 1);
	write_line(server->to, request, (size_t)n);
	return read_line(server->from, line);
}

static void time_calls(as_registry *registry, as_call *call, const assay_json *record, char **argv, size_t n)
{
	double *bare = as_new(n, sizeof *bare), *raw = as_new(n, sizeof *raw), *us = as_new(n, sizeof *us);
	assay_json *arguments = NULL;
	char request[MAX_LINE];
	child server = start(argv, 0), echo;
	size_t answer = prepare(&server, request), length = strlen(request);
	client c = connect_to(registry, call, record);

	bench_must(bare && raw && us && answer ? 0 : -1, "preparing");
	bench_must(as_json_parse(ASSAY_STR(ARGUMENTS), ASSAY_JSON_STRICT, &arguments, NULL), "arguments");
	echo = start(NULL, answer);
	for (size_t turn = 0; turn < TURNS; turn++) {
		for (size_t i = turn * n / TURNS; i < (turn + 1) * n / TURNS; i++) {
			exchange(&echo, request, length, &bare[i]);
		}
		for (size_t i = turn * n / TURNS; i < (turn + 1) * n / TURNS; i++) {
			exchange(&server, request, length, &raw[i]);
		}
		for (size_t i = turn * n / TURNS; i < (turn + 1) * n / TURNS; i++) {
			call_tool(&c, call, arguments, &us[i]);
		}
	}
	print_memory("one");
	print_median("bare", bare, n);
	print_median("raw", raw, n);
	print_median("client", us, n);
	close_client(&c);
	stop(&echo);
	stop(&server);
	as_json_free(arguments);
	free(bare);
	free(raw);
	free(us);
}

static void open_many(as_registry *registry, as_call *call, const assay_json *record, size_t n)
{
	client *all = as_new(n, sizeof *all);
	assay_json *arguments = NULL;
	double us;

	bench_must(all ? 0 : -1, "preparing");
	bench_must(as_json_parse(ASSAY_STR(ARGUMENTS), ASSAY_JSON_STRICT, &arguments, NULL), "arguments");
	for (size_t i = 0; i < n; i++) {
		assay_json *tools = NULL;

		all[i] = connect_to(registry, call, record);
		bench_must(as_mcp_list_tools(all[i].session, &call->pub, &tools, NULL), "listing tools");
		as_json_free(tools);
		call_tool(&all[i], call, arguments, &us);
	}
	print_memory("many");
	for (size_t i = 0; i < n; i++) {
		close_client(&all[i]);
	}
	as_json_free(arguments);
	free(all);
}

int main(int argc, char **argv)
{
	const as_registry_options where = {.lib_dir = getenv("ASSAY_LIB_DIR")};
	assay_json *record = as_json_object(), *args = as_json_array();
	as_registry *registry = NULL;
	as_call call;

	if (argc < 4) {
		fprintf(stderr, "usage: bench_wire CALLS SERVERS SERVER [ARGUMENT]...\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	as_call_init(&call);
	for (int i = 4; i < argc; i++) {
		bench_must(as_json_append(args, as_json_cstring(argv[i])), "options");
	}
	bench_must(as_json_set(record, "command", as_json_cstring(argv[3])), "options");
	bench_must(as_json_set(record, "args", args), "options");
	bench_must(as_registry_new(&where, &registry, NULL), "the registry");
	time_calls(registry, &call, record, argv + 3, (size_t)strtoul(argv[1], NULL, 10));
	open_many(registry, &call, record, (size_t)strtoul(argv[2], NULL, 10));
	as_registry_free(registry);
	as_json_free(record);
	return EXIT_SUCCESS;
}
