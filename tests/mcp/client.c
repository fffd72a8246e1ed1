/* client COMMAND [ARGUMENT]... or client URL or client sse+URL: start an MCP server or go to one, print what it says of
 * itself and its tools, call a tool for each line "TOOL {ARGUMENTS}" of standard input and print its result, one line
 * of JSON each, and what the server asked meanwhile. A line "." lists the tools once more. For trying real servers, and
 * bad ones: CLIENT_MS is the limit of each step, CLIENT_ELICIT=1 accepts forms with their defaults. CLIENT_TIMES=n does
 * it n times (the calls once), and prints after each time what this program holds: descriptors, children, bytes in use,
 * KiB of private memory. */
#include "core/base/error.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "tests/mcp/private_memory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int print(const char *label, const assay_json *v, assay_error *err)
{
	assay_text text = {0};
	int rc = as_json_dump(v, ASSAY_JSON_COMPACT, &text, err);

	if (!rc) {
		printf("%s %s\n", label, text.ptr);
	}
	as_text_free(&text);
	return rc;
}

static int print_tools(as_mcp_session *s, as_call *call, assay_error *err)
{
	assay_json *tools = NULL;
	char hash[17] = "";
	int rc = as_mcp_list_tools(s, &call->pub, &tools, err);

	if (!rc) {
		rc = as_tool_surface_hash(tools, hash, err);
	}
	if (!rc) {
		printf("tools %zu surface %s:", as_json_count(tools), hash);
		for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
			printf(" %s", as_json_cstr(as_json_get(t, "name"), "?"));
		}
		putchar('\n');
	}
	as_json_free(tools);
	return rc;
}

static int call_line(as_mcp_session *s, as_call *call, char *line, assay_error *err)
{
	size_t n = strcspn(line, " \n");
	assay_json *arguments = NULL, *result = NULL;
	int64_t begin = as_now_ms();
	assay_json *asked = NULL;
	bool rpc_error = false;
	int rc = 0;

	if (strcmp(line, ".\n") == 0) {
		return print_tools(s, call, err);
	}
	if (line[n] == ' ') {
		rc = as_json_parse(as_str(line + n), ASSAY_JSON_STRICT, &arguments, err);
	}
	if (!rc) {
		rc = as_mcp_call_tool(s, &call->pub, (assay_str){line, n}, arguments, 0, &result, &rpc_error, err);
	}
	if (!rc) {
		printf("%" PRId64 " ms ", as_now_ms() - begin);
		rc = print(rpc_error ? "rpc-error" : "result", result, err);
		asked = as_mcp_take_asked(s);
	}
	if (!rc && asked) {
		rc = print("asked", asked, err);
	}
	as_json_free(asked);
	as_json_free(arguments);
	as_json_free(result);
	return rc;
}

/* The one HTTP client of this program, for its one thread. */
typedef struct web {
	as_registry *registry;
	const as_http_ops *ops;
	as_http_client *client;
} web;

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	web *w = context;
	int rc = w->client ? 0 : as_service_http(w->registry, &w->ops, err);

	if (!rc && !w->client) {
		rc = w->ops->open(&w->client, err);
	}
	*ops = w->ops;
	*client = w->client;
	return rc;
}

static int run(as_registry *registry, const char *use, const assay_json *options, as_call *call, assay_error *err)
{
	static char line[1 << 20];
	const char *ms = getenv("CLIENT_MS");
	int64_t limit = ms ? (int64_t)strtol(ms, NULL, 10) : 0;
	const as_mcp_limits limits = {.start_ms = limit, .list_ms = limit, .call_ms = limit};
	const as_mcp_options session = {.elicitation =
						getenv("CLIENT_ELICIT") ? AS_MCP_ELICIT_DEFAULTS : AS_MCP_ELICIT_NONE};
	as_instance *transport = NULL;
	as_mcp_session *s = NULL;
	int rc = as_instance_open(registry, use, ASSAY_ROLE_TRANSPORT, options, NULL, &transport, err);

	if (!rc) {
		rc = as_mcp_open_with("server", as_instance_ops(transport), as_instance_self(transport), &limits,
				      &session, &call->pub, &s, err);
	}
	if (!rc) {
		rc = print("info", as_mcp_info(s), err);
	}
	if (!rc) {
		rc = print_tools(s, call, err);
	}
	while (!rc && fgets(line, sizeof line, stdin)) {
		rc = call_line(s, call, line, err);
	}
	if (s) {
		printf("noise %u, tools changed: %s\n", as_mcp_noise(s), as_mcp_tools_changed(s) ? "yes" : "no");
	}
	as_mcp_close(s);
	as_instance_close(transport);
	return rc;
}

static void print_holdings(void)
{
	int descriptors = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && readdir(dir)) {
		descriptors++;
	}
	if (dir) {
		closedir(dir);
	}
	errno = 0;
	printf("holds descriptors %d children %d bytes %zu private %ld\n", descriptors,
	       waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD, mallinfo2().uordblks, private_kib());
}

/* The launch record of what the command line names, and the transport for it. */
static int read_target(int argc, char **argv, const char **use, assay_json *options, assay_error *err)
{
	assay_json *args = as_json_array();
	bool older = argc == 2 && !strncmp(argv[1], "sse+", 4);
	int rc = 0;

	if (older || (argc == 2 && !strncmp(argv[1], "http", 4))) {
		as_json_free(args);
		*use = older ? "transport/sse" : "transport/streamable-http";
		rc = as_json_set(options, "url", as_json_cstring(argv[1] + (older ? 4 : 0)));
	} else {
		for (int i = 2; !rc && i < argc; i++) {
			rc = as_json_append(args, as_json_cstring(argv[i]));
		}
		rc = as_json_set(options, "args", args) || rc;
		rc = as_json_set(options, "command", as_json_cstring(argv[1])) || rc;
	}
	return rc ? as_fail_memory(err) : 0;
}

int main(int argc, char **argv)
{
	static const as_call_hooks hooks = {.http = hook_http};
	const as_registry_options where = {.lib_dir = getenv("ASSAY_LIB_DIR")};
	const char *use = "transport/stdio";
	assay_json *options = as_json_object();
	web w = {0};
	assay_error err = {0};
	as_call call;
	char text[1024];
	const char *times = getenv("CLIENT_TIMES");
	int rc = argc < 2 ? as_fail(&err, ASSAY_EINVAL, "usage: client COMMAND [ARGUMENT]... | URL | sse+URL") : 0;

	as_call_init(&call);
	call.hooks = &hooks;
	call.context = &w;
	rc = rc ? rc : read_target(argc, argv, &use, options, &err);
	if (!rc) {
		rc = as_registry_new(&where, &w.registry, &err);
	}
	for (long n = times ? strtol(times, NULL, 10) : 1; !rc && n > 0; n--) {
		rc = run(w.registry, use, options, &call, &err);
		if (times) {
			print_holdings();
		}
	}
	as_json_free(options);
	if (w.client) {
		w.ops->close(w.client);
	}
	as_registry_free(w.registry);
	if (rc) {
		as_error_format(&err, text, sizeof text);
		fprintf(stderr, "client: %s\n", text);
	}
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
