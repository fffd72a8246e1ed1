/* client COMMAND [ARGUMENT]...: start an MCP server, print what it says of itself and its tools, call a tool for each
 * line "TOOL {ARGUMENTS}" of standard input and print its result, one line of JSON each. For trying real servers. */
#include "core/base/error.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	bool rpc_error = false;
	int rc = 0;

	if (line[n] == ' ') {
		rc = as_json_parse(as_str(line + n), ASSAY_JSON_STRICT, &arguments, err);
	}
	if (!rc) {
		rc = as_mcp_call_tool(s, &call->pub, (assay_str){line, n}, arguments, 0, &result, &rpc_error, err);
	}
	if (!rc) {
		printf("%" PRId64 " ms ", as_now_ms() - begin);
		rc = print(rpc_error ? "rpc-error" : "result", result, err);
	}
	as_json_free(arguments);
	as_json_free(result);
	return rc;
}

static int run(as_registry *registry, const assay_json *options, as_call *call, assay_error *err)
{
	static char line[1 << 20];
	as_instance *transport = NULL;
	as_mcp_session *s = NULL;
	int rc = as_instance_open(registry, "transport/stdio", ASSAY_ROLE_TRANSPORT, options, NULL, &transport, err);

	if (!rc) {
		rc = as_mcp_open("server", as_instance_ops(transport), as_instance_self(transport), NULL, &call->pub,
				 &s, err);
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

int main(int argc, char **argv)
{
	const as_registry_options where = {.lib_dir = getenv("ASSAY_LIB_DIR")};
	assay_json *options = as_json_object(), *args = as_json_array();
	as_registry *registry = NULL;
	assay_error err = {0};
	as_call call;
	char text[1024];
	int rc = argc < 2 ? as_fail(&err, ASSAY_EINVAL, "usage: client COMMAND [ARGUMENT]...") : 0;

	as_call_init(&call);
	for (int i = 2; !rc && i < argc; i++) {
		rc = as_json_append(args, as_json_cstring(argv[i]));
	}
	rc = as_json_set(options, "args", args) || rc;
	rc = as_json_set(options, "command", as_json_cstring(argc > 1 ? argv[1] : "")) || rc;
	if (!rc) {
		rc = as_registry_new(&where, &registry, &err);
	}
	if (!rc) {
		rc = run(registry, options, &call, &err);
	}
	as_json_free(options);
	as_registry_free(registry);
	if (rc) {
		as_error_format(&err, text, sizeof text);
		fprintf(stderr, "client: %s\n", text);
	}
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
