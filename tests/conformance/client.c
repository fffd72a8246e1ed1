/* client URL: the client that the official conformance suite drives. What it is to do stands in
 * MCP_CONFORMANCE_SCENARIO, the revision in MCP_CONFORMANCE_PROTOCOL_VERSION, further data in MCP_CONFORMANCE_CONTEXT.
 * Everything on the wire is the program's own: core/mcp over the HTTP transport. */
#include "core/base/error.h"
#include "core/mcp/session.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
	as_registry *registry;
	const as_http_ops *http;
	as_http_client *client;
	as_instance *transport;
	as_mcp_session *session;
	assay_json *tools;
	as_call call;
	assay_error err;
} run;

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	run *r = context;
	int rc = r->client ? 0 : as_service_http(r->registry, &r->http, err);

	if (!rc && !r->client) {
		rc = r->http->open(&r->client, err);
	}
	*ops = r->http;
	*client = r->client;
	return rc;
}

static int call_tool(run *r, const char *name, const assay_json *arguments)
{
	assay_json *result = NULL;
	assay_text text = {0};
	bool rpc_error = false;
	int rc = as_mcp_call_tool(r->session, &r->call.pub, as_str(name), arguments, 0, &result, &rpc_error, &r->err);

	if (!rc) {
		rc = as_json_dump(result, ASSAY_JSON_COMPACT, &text, &r->err);
		printf("%s: %s\n", name, text.ptr ? text.ptr : "?");
	}
	as_text_free(&text);
	as_json_free(result);
	return rc;
}

static int call_text(run *r, const char *name, const char *arguments)
{
	assay_json *args = NULL;
	int rc = as_json_parse(as_str(arguments), ASSAY_JSON_STRICT, &args, &r->err);

	rc = rc ? rc : call_tool(r, name, args);
	as_json_free(args);
	return rc;
}

/* --- scenarios --------------------------------------------------------------------------------------------------- */

static int do_list(run *r)
{
	(void)r; /* everybody lists the tools */
	return 0;
}

static int do_add(run *r)
{
	return call_text(r, "add_numbers", "{\"a\":5,\"b\":3}");
}

/* Each tool that is there, without arguments; those of the state scenario in an order that mixes them. */
static int do_all(run *r)
{
	int rc = 0;

	for (const assay_json *t = as_json_first(r->tools); t && !rc; t = as_json_next(t)) {
		rc = call_tool(r, as_json_cstr(as_json_get(t, "name"), ""), NULL);
	}
	return rc;
}

static int request(run *r, const char *method, const char *params)
{
	assay_json *p = NULL, *answer = NULL;
	int rc = as_json_parse(as_str(params), ASSAY_JSON_STRICT, &p, &r->err);

	rc = rc ? rc : as_mcp_request(r->session, &r->call.pub, method, p, &answer, &r->err);
	as_json_free(answer);
	as_json_free(p);
	return rc;
}

/* The first entry of a list, read or got by its key. */
static int list_and_get(run *r, const char *list, const char *member, const char *get, const char *key)
{
	assay_json *answer = NULL, *params = as_json_object(), *got = NULL;
	const assay_json *first;
	int rc = as_mcp_request(r->session, &r->call.pub, list, NULL, &answer, &r->err);

	first = as_json_at(as_json_get(answer, member), 0);
	if (!rc && first) {
		rc = as_json_set(params, key, as_json_clone(as_json_get(first, key)));
		rc = rc ? rc : as_mcp_request(r->session, &r->call.pub, get, params, &got, &r->err);
	}
	as_json_free(got);
	as_json_free(params);
	as_json_free(answer);
	return rc;
}

static int do_standard_headers(run *r)
{
	int rc = do_all(r);

	rc = rc ? rc : list_and_get(r, "resources/list", "resources", "resources/read", "uri");
	rc = rc ? rc : list_and_get(r, "prompts/list", "prompts", "prompts/get", "name");
	return rc ? rc : request(r, "resources/templates/list", "{}");
}

static int do_context_calls(run *r)
{
	const char *text = getenv("MCP_CONFORMANCE_CONTEXT");
	assay_json *context = NULL;
	int rc = as_json_parse(as_str(text ? text : ""), ASSAY_JSON_STRICT, &context, &r->err);

	for (const assay_json *c = as_json_first(as_json_get(context, "toolCalls")); c && !rc; c = as_json_next(c)) {
		rc = call_tool(r, as_json_cstr(as_json_get(c, "name"), ""), as_json_get(c, "arguments"));
	}
	as_json_free(context);
	return rc;
}

static int do_valid_tool(run *r)
{
	return do_all(r);
}

static int do_schema_echo(run *r)
{
	assay_json *args = as_json_object();
	int rc = 0;

	for (const assay_json *t = as_json_first(r->tools); t && !rc; t = as_json_next(t)) {
		const char *name = as_json_cstr(as_json_get(t, "name"), "");

		if (strcmp(name, "json_schema_echo")) {
			rc = as_json_set(args, "schema", as_json_clone(as_json_get(t, "inputSchema")));
			break;
		}
	}
	rc = rc ? rc : call_tool(r, "json_schema_echo", args);
	as_json_free(args);
	return rc;
}

static const struct scenario {
	const char *name;
	int (*run)(run *r);
	as_mcp_elicitation elicitation;
} scenarios[] = {
	{"initialize", do_list, AS_MCP_ELICIT_NONE},
	{"tools_call", do_add, AS_MCP_ELICIT_NONE},
	{"elicitation-sep1034-client-defaults", do_all, AS_MCP_ELICIT_DEFAULTS},
	{"sse-retry", do_all, AS_MCP_ELICIT_NONE},
	{"request-metadata", do_all, AS_MCP_ELICIT_NONE},
	{"http-standard-headers", do_standard_headers, AS_MCP_ELICIT_NONE},
	{"http-custom-headers", do_context_calls, AS_MCP_ELICIT_NONE},
	{"http-invalid-tool-headers", do_valid_tool, AS_MCP_ELICIT_NONE},
	{"sep-2322-client-request-state", do_all, AS_MCP_ELICIT_DEFAULTS},
	{"json-schema-ref-no-deref", do_list, AS_MCP_ELICIT_NONE},
	{"json-schema-2020-12-preservation", do_schema_echo, AS_MCP_ELICIT_NONE},
};

/* --- the session ------------------------------------------------------------------------------------------------- */

static int open_session(run *r, const char *url, const as_mcp_options *options)
{
	assay_json *launch = as_json_object();
	int rc = as_json_set(launch, "url", as_json_cstring(url)) ? as_fail_memory(&r->err) : 0;

	if (!rc) {
		rc = as_instance_open(r->registry, "transport/streamable-http", ASSAY_ROLE_TRANSPORT, launch, NULL,
				      &r->transport, &r->err);
	}
	if (!rc) {
		rc = as_mcp_open_with("conformance", as_instance_ops(r->transport), as_instance_self(r->transport),
				      NULL, options, &r->call.pub, &r->session, &r->err);
	}
	as_json_free(launch);
	return rc;
}

static int run_scenario(run *r, const struct scenario *s, const char *url)
{
	const char *version = getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
	const as_mcp_options options = {.era = version && !strcmp(version, "2026-07-28") ? AS_MCP_ERA_STATELESS
											 : AS_MCP_ERA_HANDSHAKE,
					.elicitation = s->elicitation};
	int rc = open_session(r, url, &options);

	rc = rc ? rc : as_mcp_list_tools(r->session, &r->call.pub, &r->tools, &r->err);
	return rc ? rc : s->run(r);
}

static const struct scenario *find(const char *name)
{
	for (size_t i = 0; name && i < sizeof scenarios / sizeof *scenarios; i++) {
		if (!strcmp(name, scenarios[i].name)) {
			return &scenarios[i];
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const as_call_hooks hooks = {.http = hook_http};
	const as_registry_options where = {.lib_dir = getenv("ASSAY_LIB_DIR")};
	const char *name = getenv("MCP_CONFORMANCE_SCENARIO");
	const struct scenario *scenario = find(name);
	run r = {0};
	char text[1024];
	int rc;

	as_call_init(&r.call);
	r.call.hooks = &hooks;
	r.call.context = &r;
	r.call.deadline_ms = as_deadline(25000);
	rc = argc != 2   ? as_fail(&r.err, ASSAY_EINVAL, "usage: client URL")
	     : !scenario ? as_fail(&r.err, ASSAY_EINVAL, "no scenario \"%s\"", name ? name : "")
			 : as_registry_new(&where, &r.registry, &r.err);
	rc = rc ? rc : run_scenario(&r, scenario, argv[1]);
	as_mcp_close(r.session);
	as_instance_close(r.transport);
	as_json_free(r.tools);
	if (r.client) {
		r.http->close(r.client);
	}
	as_registry_free(r.registry);
	if (rc) {
		as_error_format(&r.err, text, sizeof text);
		fprintf(stderr, "client: %s\n", text);
	}
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
