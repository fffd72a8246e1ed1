/* What stateless revisions repeat in HTTP headers: values, rules of x-mcp-header, whole sets of headers. */
#include "core/mcp/mirror.h"
#include "core/mcp/policy.h"
#include "tests/unit/unit.h"

#include <string.h>

static assay_json *parse(const char *text)
{
	assay_json *v = NULL;

	ck_assert_int_eq(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &v, NULL), 0);
	return v;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static void check_value(assay_str value, const char *expected)
{
	as_buf coded = {0}, back = {0};

	as_mirror_encode(&coded, value);
	ck_assert_str_eq(coded.len ? coded.ptr : "", expected);
	ck_assert(as_mirror_decode(as_buf_str(&coded), &back));
	ck_assert(as_str_eq(as_buf_str(&back), value));
	as_buf_free(&coded);
	as_buf_free(&back);
}

START_TEST(test_values)
{
	check_value(ASSAY_STR(""), "");
	check_value(ASSAY_STR("us west 1"), "us west 1");
	check_value(ASSAY_STR(" us"), "=?base64?IHVz?=");
	check_value(ASSAY_STR("us "), "=?base64?dXMg?=");
	check_value(ASSAY_STR("\ta"), "=?base64?CWE=?=");
	check_value(ASSAY_STR("a\r\nb"), "=?base64?YQ0KYg==?=");
	check_value(ASSAY_STR("\xE4\xB8\x96\xE7\x95\x8C"), "=?base64?5LiW55WM?=");
	check_value(ASSAY_STR("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
	check_value(ASSAY_STR("=?base64?x"), "=?base64?x");
	check_value(ASSAY_STR("x?="), "x?=");
}
END_TEST

START_TEST(test_bad_values)
{
	static const char *const bad[] = {"=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?=AAA?=",
					  "=?base64?AA=A?="};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		as_buf out = {0};

		ck_assert_msg(!as_mirror_decode(as_str(bad[i]), &out), "%s", bad[i]);
		as_buf_free(&out);
	}
}
END_TEST

/* --- rules ------------------------------------------------------------------------------------------------------- */

static int scan(const char *schema, assay_json **map, assay_error *err)
{
	assay_json *s = parse(schema);
	int rc = as_mirror_scan_schema(s, map, err);

	as_json_free(s);
	return rc;
}

static void check_refused(const char *schema, const char *says)
{
	assay_json *map = NULL;
	assay_error err = {0};

	ck_assert_int_eq(scan(schema, &map, &err), ASSAY_EDATA);
	ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
	ck_assert_ptr_null(map);
}

START_TEST(test_rules)
{
	check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
		      "not the name of a header");
	check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":7}}}", "not the name of a header");
	check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a b\"}}}", "not the name");
	check_refused("{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}", "no string, integer");
	check_refused("{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],\"x-mcp-header\":\"A\"}}}", "no string");
	check_refused("{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}", "no string, integer or boolean");
	check_refused("{\"type\":\"string\",\"x-mcp-header\":\"A\"}", "where properties alone do not lead");
	check_refused(
		"{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}",
		"where properties alone do not lead");
	check_refused("{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}",
		      "where properties alone do not lead");
	check_refused("{\"$defs\":{\"d\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}", "where properties alone");
	check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"Id\"},"
		      "\"b\":{\"type\":\"string\",\"x-mcp-header\":\"iD\"}}}",
		      "is there twice");
}
END_TEST

START_TEST(test_allowed)
{
	assay_json *map = NULL;

	ck_assert_int_eq(scan("{\"type\":\"object\"}", &map, NULL), 0);
	ck_assert_ptr_null(map);
	/* A property may be called so, and data may hold the word. */
	ck_assert_int_eq(
		scan("{\"properties\":{\"x-mcp-header\":{\"type\":\"number\",\"default\":{\"x-mcp-header\":1}}}}", &map,
		     NULL),
		0);
	ck_assert_ptr_null(map);
	ck_assert_int_eq(scan("{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\","
			      "\"x-mcp-header\":\"B\"}}}}}",
			      &map, NULL),
			 0);
	ck_assert_uint_eq(as_json_count(map), 1);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(map, "/0/path/1"), ""), "b");
	as_json_free(map);
}
END_TEST

START_TEST(test_deep_schema)
{
	as_buf text = {0};

	for (int i = 0; i < 100; i++) {
		as_buf_puts(&text, "{\"not\":");
	}
	as_buf_puts(&text, "{}");
	for (int i = 0; i < 100; i++) {
		as_buf_puts(&text, "}");
	}
	check_refused(text.ptr, "nested more than");
	as_buf_free(&text);
}
END_TEST

/* --- headers ----------------------------------------------------------------------------------------------------- */

static void check_headers(const char *method, const char *schema, const char *params, const char *expected)
{
	assay_json *map = NULL, *p = parse(params);
	as_arena arena = {0};
	as_buf all = {0};
	const char *const *lines = NULL;

	ck_assert_int_eq(schema ? scan(schema, &map, NULL) : 0, 0);
	ck_assert_int_eq(as_mirror_headers(&arena, method, p, map, &lines, NULL), 0);
	for (; *lines; lines++) {
		as_buf_printf(&all, "%s\n", *lines);
	}
	ck_assert_str_eq(all.ptr, expected);
	as_buf_free(&all);
	as_arena_free(&arena);
	as_json_free(map);
	as_json_free(p);
}

START_TEST(test_headers)
{
	const char *schema = "{\"properties\":{\"s\":{\"type\":\"string\",\"x-mcp-header\":\"S\"},"
			     "\"i\":{\"type\":\"integer\",\"x-mcp-header\":\"I\"},"
			     "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},\"n\":{\"type\":\"number\"}}}";

	check_headers("tools/list", NULL, "{}", "Mcp-Method: tools/list\n");
	check_headers("resources/read", NULL, "{\"uri\":\"a:b\"}", "Mcp-Method: resources/read\nMcp-Name: a:b\n");
	check_headers("tasks/get", NULL, "{\"taskId\":\"7\"}", "Mcp-Method: tasks/get\nMcp-Name: 7\n");
	check_headers("tools/call", schema,
		      "{\"name\":\"t\",\"arguments\":{\"s\":\"\",\"i\":42,\"b\":false,\"n\":1.5}}",
		      "Mcp-Method: tools/call\nMcp-Name: t\nMcp-Param-S: \nMcp-Param-I: 42\nMcp-Param-B: false\n");
	/* Null, absent, and beyond what a double holds: no header. */
	check_headers("tools/call", schema, "{\"name\":\"t\",\"arguments\":{\"s\":null,\"i\":9007199254740993}}",
		      "Mcp-Method: tools/call\nMcp-Name: t\n");
}
END_TEST

/* --- questions of servers ---------------------------------------------------------------------------------------- */

static void check_served(as_mcp_elicitation policy, const char *method, const char *params, const char *expected,
			 int code)
{
	assay_json *p = parse(params);
	as_buf text = {0};
	as_served served;

	as_policy_serve(policy, as_str(method), p, &served);
	if (served.result) {
		as_json_write(&text, served.result, ASSAY_JSON_COMPACT);
		ck_assert_str_eq(text.ptr, expected);
	} else {
		ck_assert_str_eq("", expected);
		ck_assert_int_eq(served.code, code);
	}
	as_buf_free(&text);
	as_json_free(served.result);
	as_json_free(p);
}

START_TEST(test_policy)
{
	const char *form =
		"{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		"\"a\":{\"type\":\"string\",\"default\":\"x\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\"]}}";
	const char *lacking = "{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
			      "\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}}";
	const char *wrong = "{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
			    "\"a\":{\"type\":\"integer\",\"default\":\"x\"}}}}";

	check_served(AS_MCP_ELICIT_NONE, "ping", "{}", "{}", 0);
	check_served(AS_MCP_ELICIT_NONE, "elicitation/create", form, "{\"action\":\"decline\"}", 0);
	check_served(AS_MCP_ELICIT_DECLINE, "elicitation/create", form, "{\"action\":\"decline\"}", 0);
	check_served(AS_MCP_ELICIT_DEFAULTS, "elicitation/create", form,
		     "{\"action\":\"accept\",\"content\":{\"a\":\"x\"}}", 0);
	check_served(AS_MCP_ELICIT_DEFAULTS, "elicitation/create", lacking, "{\"action\":\"decline\"}", 0);
	check_served(AS_MCP_ELICIT_DEFAULTS, "elicitation/create", wrong, "{\"action\":\"decline\"}", 0);
	check_served(AS_MCP_ELICIT_DEFAULTS, "elicitation/create", "{\"mode\":\"url\",\"url\":\"http://x\"}", "",
		     -32602);
	check_served(AS_MCP_ELICIT_DEFAULTS, "sampling/createMessage", "{}", "", -32601);
	check_served(AS_MCP_ELICIT_DEFAULTS, "roots/list", "{}", "", -32601);
}
END_TEST

UNIT_SUITE(make_suite, "mcp mirror", test_values, test_bad_values, test_rules, test_allowed, test_deep_schema,
	   test_headers, test_policy)

UNIT_MAIN(make_suite)
