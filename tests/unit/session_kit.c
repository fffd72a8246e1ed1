#include "tests/unit/session_kit.h"

#include "core/base/error.h"
#include "tests/unit/unit.h"
#include <stdio.h>

const assay_transport_ops *peer_ops(void)
{
	return fake_load("transport_stdio", ASSAY_ROLE_TRANSPORT, "stdio")->ops;
}

assay_json *peer_launch(const char *program, const char *argument)
{
	char text[4096];
	assay_json *options = NULL;

	snprintf(text, sizeof text, "{\"command\":\"%s/tests/mcp/%s\",\"args\":[\"%s\"]}", TEST_BUILDDIR, program,
		 argument);
	ck_assert_int_eq(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &options, NULL), 0);
	return options;
}

int peer_start_with(peer *p, const char *program, const char *argument, const as_mcp_limits *limits,
		    const as_mcp_options *options)
{
	static const as_mcp_options handshake = {.era = AS_MCP_ERA_HANDSHAKE};
	assay_json *record = peer_launch(program, argument);
	int rc;

	*p = (peer){.ops = peer_ops()};
	fake_call(&p->call, AS_FOREVER);
	ck_assert_int_eq(p->ops->open(fake_host(), record, &p->transport, &p->err), 0);
	as_json_free(record);
	rc = as_mcp_open_with("srv", p->ops, p->transport, limits, options ? options : &handshake, &p->call.pub,
			      &p->session, &p->err);
	p->pid = fake_last_pid();
	return rc;
}

int peer_start(peer *p, const char *program, const char *argument, const as_mcp_limits *limits)
{
	return peer_start_with(p, program, argument, limits, NULL);
}

void peer_start_well(peer *p, const char *program, const char *argument, const as_mcp_limits *limits)
{
	int rc = peer_start(p, program, argument, limits);

	ck_assert_msg(rc == 0, "%s: %s", argument, p->err.message);
	ck_assert_ptr_nonnull(p->session);
}

void peer_end(peer *p)
{
	as_mcp_close(p->session);
	p->ops->close(p->transport);
	ck_assert_msg(fake_group_gone(p->pid), "a process was left behind");
	ck_assert_int_eq(fake_live_blocks(), 0);
}

int peer_call(peer *p, const char *tool, const char *arguments, int64_t timeout_ms, assay_json **result,
	      bool *rpc_error)
{
	assay_json *args = NULL;
	int rc;

	if (arguments) {
		ck_assert_int_eq(as_json_parse(as_str(arguments), ASSAY_JSON_STRICT, &args, NULL), 0);
	}
	as_error_clear(&p->err);
	rc = as_mcp_call_tool(p->session, &p->call.pub, as_str(tool), args, timeout_ms, result, rpc_error, &p->err);
	as_json_free(args);
	ck_assert((rc == 0) == (*result != NULL));
	return rc;
}

void peer_check_call(peer *p, const char *tool, const char *arguments, const char *expected)
{
	assay_json *result = NULL;
	assay_text text = {0};
	bool rpc_error = true;
	int rc = peer_call(p, tool, arguments, AMPLE, &result, &rpc_error);

	ck_assert_msg(rc == 0, "%s: %s", tool, p->err.message);
	ck_assert(!rpc_error);
	ck_assert_int_eq(as_json_dump(result, ASSAY_JSON_COMPACT, &text, NULL), 0);
	ck_assert_str_eq(text.ptr, expected);
	as_text_free(&text);
	as_json_free(result);
}
