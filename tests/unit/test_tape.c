/* Tapes: rows, look-ups, the stored form, and tapes that somebody tampered with. */
#include "core/base/clock.h"
#include "core/trace/tape.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>
#include <string.h>

#define S(text) as_str(text)

static void add(as_tape *t, const char *version, const char *tool, const char *arguments, const char *result,
		const char *next)
{
	assay_error err = {0};
	assay_json *a = arguments ? json(arguments) : NULL, *r = result ? json(result) : NULL;
	as_tape_row row = {
		.version = S(version), .server = S("s"), .tool = S(tool), .arguments = a, .result = r, .next = S(next)};
	ck_ok(as_tape_add_row(t, &row, &err));
	as_json_free(a);
	as_json_free(r);
}

static as_tape *unfinished(void)
{
	assay_error err = {0};
	as_tape *t = NULL;
	ck_ok(as_tape_new(&t, &err));
	ck_ok(as_tape_add_server(t, S("s"), S("g"), S("0"), &err));
	ck_ok(as_tape_add_server(t, S("empty"), S("g"), S("0"), &err));
	ck_ok(as_tape_add_tool(t, S("s"), S("read"), false, &err));
	ck_ok(as_tape_add_tool(t, S("s"), S("put"), true, &err));
	add(t, "0", "read", "{'b':1,'a':2}", "{'n':1}", "0");
	add(t, "0", "put", NULL, "{'n':2}", "1");
	add(t, "1", "read", "{'a':2,'b':1}", "{'n':3}", "1");
	add(t, "0", "read", "{'a':2,'b':1}", "{'n':4}", "0");
	add(t, "0", "read", "{}", NULL, "0");
	return t;
}

static as_tape *example(void)
{
	assay_error err = {0};
	as_tape *t = unfinished();
	ck_ok(as_tape_finish(t, &err));
	return t;
}

START_TEST(test_rows)
{
	as_tape *t = example();
	const as_tape_row *row = as_tape_row_at(t, 0);
	ck_assert_uint_eq(as_tape_count(t), 5);
	ck_str_is(row->group, "g");
	ck_str_is(row->canonical, "{\"a\":2,\"b\":1}");
	ck_str_is(row->next, "0");
	ck_assert(!row->write && !row->filled);
	ck_assert_uint_eq(row->status, ASSAY_STEP_SUCCESS);
	row = as_tape_row_at(t, 1);
	ck_assert(row->write);
	ck_str_is(row->next, "1");
	ck_str_is(row->canonical, "{}");
	ck_assert_ptr_null(row->arguments);
	ck_assert_ptr_null(as_tape_row_at(t, 4)->result);
	ck_assert_ptr_null(as_tape_row_at(t, 5));
	as_tape_free(t);
	as_tape_free(NULL);
}
END_TEST

static void finds(size_t n, const uint32_t *const *found, const char *expected)
{
	const uint32_t *rows = *found;
	char text[64] = "";
	for (size_t i = 0; i < n; i++) {
		snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", (unsigned)rows[i]);
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(test_looking_up)
{
	as_tape *t = example();
	const uint32_t *rows;
	const char *args = "{\"a\":2,\"b\":1}";
	finds(as_tape_of_tool(t, S("s"), S("read"), &rows), &rows, "0 2 3 4 ");
	finds(as_tape_of_tool(t, S("s"), S("put"), &rows), &rows, "1 ");
	finds(as_tape_of_tool(t, S("s"), S("none"), &rows), &rows, "");
	finds(as_tape_of_tool(t, S("empty"), S("read"), &rows), &rows, "");
	finds(as_tape_of_call(t, S("s"), S("read"), S(args), &rows), &rows, "0 2 3 ");
	finds(as_tape_of_call(t, S("s"), S("read"), S("{}"), &rows), &rows, "4 ");
	finds(as_tape_of_call_at(t, S("0"), S("s"), S("read"), S(args), &rows), &rows, "0 3 ");
	finds(as_tape_of_call_at(t, S("1"), S("s"), S("read"), S(args), &rows), &rows, "2 ");
	finds(as_tape_of_call_at(t, S("2"), S("s"), S("read"), S(args), &rows), &rows, "");
	as_tape_free(t);
}
END_TEST

/* The same answers before and after the end of building. */
START_TEST(test_servers)
{
	for (int finished = 0; finished < 2; finished++) {
		as_tape *t = finished ? example() : unfinished();
		assay_str group, initial;
		ck_assert(as_tape_server(t, S("empty"), &group, &initial));
		ck_str_is(group, "g");
		ck_str_is(initial, "0");
		ck_assert(!as_tape_server(t, S("x"), &group, &initial));
		ck_assert_uint_eq(group.len, 0);
		ck_assert(!as_tape_writes(t, S("s"), S("read")));
		ck_assert(as_tape_writes(t, S("s"), S("put")));
		ck_assert(as_tape_writes(t, S("s"), S("unknown")));
		as_tape_free(t);
	}
}
END_TEST

START_TEST(test_stored_form)
{
	assay_error err = {0};
	assay_text text;
	as_tape *t = example(), *again = NULL, *other = unfinished();
	ck_ok(as_json_dump(as_tape_document(t), ASSAY_JSON_COMPACT, &text, &err));
	ck_ok(as_tape_parse(as_text_str(text), &again, &err));
	ck_assert(as_str_eq(as_tape_id(t), as_tape_id(again)));
	ck_assert_uint_eq(as_tape_id(t).len, 64);
	ck_assert_uint_eq(as_tape_count(again), 5);
	ck_assert_str_eq(
		member_text(as_tape_document(again), "/rows/1"),
		"{'version':'0','server':'s','tool':'put','arguments':null,'result':{'n':2},'status':'success','next':'1'}");
	add(other, "0", "read", NULL, NULL, "0");
	ck_ok(as_tape_finish(other, &err));
	ck_assert(!as_str_eq(as_tape_id(t), as_tape_id(other)));
	as_text_free(&text);
	as_tape_free(t);
	as_tape_free(again);
	as_tape_free(other);
}
END_TEST

/* The reference looks calls up by what their recorder has stored, stateful replay by what they were. */
START_TEST(test_as_stored)
{
	as_tape *tape = NULL, *again = NULL;
	assay_json *arguments = NULL;
	assay_text text = {0};
	const uint32_t *rows;
	ck_assert_int_eq(as_json_parse(ASSAY_STR("{\"x\":1}"), ASSAY_JSON_STRICT, &arguments, NULL), 0);
	ck_assert_int_eq(as_tape_new(&tape, NULL), 0);
	ck_assert_int_eq(as_tape_add_server(tape, ASSAY_STR("s"), ASSAY_STR("g"), ASSAY_STR("0"), NULL), 0);
	const char *stored[] = {"{\"x\":1}", "", "{\"x\":2}", NULL};
	for (size_t i = 0; i < 4; i++) {
		as_tape_row row = {.version = ASSAY_STR("0"),
				   .next = ASSAY_STR("0"),
				   .server = ASSAY_STR("s"),
				   .tool = ASSAY_STR("t"),
				   .arguments = arguments,
				   .stored = {stored[i], stored[i] ? strlen(stored[i]) : 0}};
		ck_assert_int_eq(as_tape_add_row(tape, &row, NULL), 0);
	}
	ck_assert_int_eq(as_tape_finish(tape, NULL), 0);
	ck_assert_int_eq(as_json_dump(as_tape_document(tape), ASSAY_JSON_COMPACT, &text, NULL), 0);
	ck_assert_int_eq(as_tape_parse((assay_str){text.ptr, text.len}, &again, NULL), 0);
	ck_assert_str_eq(as_tape_id(again).ptr, as_tape_id(tape).ptr);
	const as_tape *theirs = as_tape_as_stored(again);
	ck_assert_uint_eq(as_tape_of_call(again, ASSAY_STR("s"), ASSAY_STR("t"), ASSAY_STR("{\"x\":1}"), &rows), 4);
	ck_assert_uint_eq(as_tape_of_call(theirs, ASSAY_STR("s"), ASSAY_STR("t"), ASSAY_STR("{\"x\":1}"), &rows), 2);
	ck_assert(rows[0] == 0 && rows[1] == 3);
	ck_assert_uint_eq(as_tape_of_call(theirs, ASSAY_STR("s"), ASSAY_STR("t"), ASSAY_STR("{}"), &rows), 1);
	ck_assert_uint_eq(rows[0], 1);
	ck_assert_uint_eq(as_tape_of_call(theirs, ASSAY_STR("s"), ASSAY_STR("t"), ASSAY_STR("{\"x\":2}"), &rows), 1);
	ck_assert_uint_eq(rows[0], 2);
	as_text_free(&text);
	as_tape_free(again);
	as_tape_free(tape);
	as_json_free(arguments);
}
END_TEST

START_TEST(test_no_change_afterwards)
{
	assay_error err = {0};
	as_tape *t = example();
	as_tape_row row = {.server = S("s")};
	ck_assert_int_eq(as_tape_add_row(t, &row, &err), ASSAY_EINTERNAL);
	ck_assert_str_eq(err.message, "the tape is finished already");
	ck_assert_int_eq(as_tape_add_server(t, S("t"), S("t"), S("0"), NULL), ASSAY_EINTERNAL);
	ck_assert_int_eq(as_tape_add_tool(t, S("s"), S("t"), true, NULL), ASSAY_EINTERNAL);
	ck_assert_int_eq(as_tape_finish(t, NULL), ASSAY_EINTERNAL);
	as_tape_free(t);
	t = unfinished();
	ck_assert_int_eq(as_tape_add_tool(t, S("x"), S("t"), true, NULL), ASSAY_EINVAL);
	as_tape_free(t);
}
END_TEST

START_TEST(test_next_version)
{
	char a[AS_VERSION_SIZE], b[AS_VERSION_SIZE], c[AS_VERSION_SIZE];
	as_next_version(S("0"), S("s"), S("put"), S("{}"), a);
	as_next_version(S("0"), S("s"), S("put"), S("{}"), b);
	ck_assert_str_eq(a, b);
	ck_assert_uint_eq(strlen(a), 64);
	as_next_version(S("0s"), S(""), S("put"), S("{}"), c);
	ck_assert_str_ne(a, c); /* parts do not run into each other */
	as_next_version(S(a), S("s"), S("put"), S("{}"), c);
	ck_assert_str_ne(a, c);
}
END_TEST

static void refused(const char *text, const char *line)
{
	assay_error err = {0};
	as_tape *t = NULL;
	assay_text plain;
	assay_json *v = json(text);
	ck_ok(as_json_dump(v, ASSAY_JSON_COMPACT, &plain, &err));
	ck_assert_int_eq(as_tape_parse(as_text_str(plain), &t, &err), ASSAY_EDATA);
	ck_assert_str_eq(error_line(&err), line);
	ck_assert_ptr_null(t);
	ck_assert_int_eq(as_tape_parse(as_text_str(plain), &t, NULL), ASSAY_EDATA);
	as_text_free(&plain);
	as_json_free(v);
}

#define HEAD "{'assay_tape':1,'servers':{'s':{'group':'g','initial':'0','tools':{}}},'rows':["
#define ROW HEAD "{'version':'0','server':'s','tool':'t','arguments':null,'result':null,"
#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

START_TEST(test_refusals)
{
	as_tape *t = NULL;
	ck_assert_int_eq(as_tape_parse(S("{"), &t, NULL), ASSAY_EDATA);
	refused("[]", "/assay_tape: not a tape of version 1");
	refused("{'assay_tape':2}", "/assay_tape: not a tape of version 1");
	refused("{'assay_tape':1,'servers':{}}", "a tape has an object \"servers\" and an array \"rows\"");
	refused("{'assay_tape':1,'servers':[],'rows':[]}", "a tape has an object \"servers\" and an array \"rows\"");
	refused("{'assay_tape':1,'servers':{'s':{'group':'g','initial':0,'tools':{}}},'rows':[]}",
		"/servers/s: a server has texts \"group\" and \"initial\" and an object \"tools\"");
	refused("{'assay_tape':1,'servers':{'s':{'group':'g','initial':'0','tools':[]}},'rows':[]}",
		"/servers/s: a server has texts \"group\" and \"initial\" and an object \"tools\"");
	refused("{'assay_tape':1,'servers':{'s':{'group':'g','initial':'0','tools':{'t':true}}},'rows':[]}",
		"/servers/s: a tool's effect is \"read\" or \"write\"");
	refused("{'assay_tape':1,'servers':{'s':{'group':'g','initial':'" LONG "','tools':{}}},'rows':[]}",
		"/servers/s: a version has at most 64 bytes");
	refused("{'assay_tape':1,'servers':{'s':{'group':'g','initial':'0','tools':{}},'r':{'group':'g','initial':'1',"
		"'tools':{}}},'rows':[]}",
		"/servers: servers of one group start at different versions");
	refused(HEAD "5]}", "/rows/0: a row is not an object");
	refused(HEAD "{}]}", "/rows/0/version: \"version\" is missing: expected a text");
	refused(HEAD "{'version':0}]}", "/rows/0/version: \"version\" is not a text");
	refused(HEAD "{'version':'0','server':'x','tool':'t','status':'error'}]}",
		"/rows/0/server: a row of a server that is not listed under \"servers\"");
	refused(ROW "'status':'well'}]}",
		"/rows/0/status: \"status\" is neither \"success\" nor \"error\" nor \"timeout\"");
	refused(ROW "'status':'success','next':5}]}", "/rows/0/next: \"next\" is not a text");
	refused(ROW "'status':'success','next':'" LONG "'}]}", "/rows/0: a version has at most 64 bytes");
	refused(ROW "'status':'success','filled':'yes'}]}", "/rows/0/filled: \"filled\" is not true or false");
	refused(ROW "'status':'error','error':'x'}]}", "/rows/0/error: \"error\" is not an object");
	refused(HEAD "{'version':'0','server':'s','tool':'t','arguments':[],'status':'error'}]}",
		"/rows/0/arguments: \"arguments\" is not an object");
	refused(HEAD "{'version':'0','server':'s','tool':'t','result':'x','status':'error'}]}",
		"/rows/0/result: \"result\" is not an object");
}
END_TEST

/* What is missing has its default, what is unknown does no harm. */
START_TEST(test_lenient)
{
	assay_error err = {0};
	as_tape *t = NULL;
	assay_text text;
	assay_json *v =
		json(HEAD "{'version':'v','server':'s','tool':'t','status':'timeout','filled':true,'more':1}]}");
	ck_ok(as_json_dump(v, ASSAY_JSON_COMPACT, &text, &err));
	ck_ok(as_tape_parse(as_text_str(text), &t, &err));
	ck_str_is(as_tape_row_at(t, 0)->next, "v");
	ck_assert(as_tape_row_at(t, 0)->filled);
	ck_assert_uint_eq(as_tape_row_at(t, 0)->status, ASSAY_STEP_TIMEOUT);
	as_tape_free(t);
	as_text_free(&text);
	as_json_free(v);
}
END_TEST

/* Many servers and many rows: no look-up may be a walk. */
START_TEST(test_large)
{
	assay_error err = {0};
	as_tape *t = NULL;
	as_buf text = {0};
	const uint32_t *rows;
	int64_t begun;
	as_buf_puts(&text, "{\"assay_tape\":1,\"servers\":{");
	for (int i = 0; i < 20000; i++) {
		as_buf_printf(&text, "%s\"s%d\":{\"group\":\"g\",\"initial\":\"0\",\"tools\":{\"t\":\"read\"}}",
			      i ? "," : "", i);
	}
	as_buf_puts(&text, "},\"rows\":[");
	for (int i = 0; i < 100000; i++) {
		as_buf_printf(
			&text,
			"%s{\"version\":\"%d\",\"server\":\"s%d\",\"tool\":\"t\",\"arguments\":{\"n\":%d},\"status\":\"success\"}",
			i ? "," : "", i % 7, i % 20000, i % 13);
	}
	as_buf_puts(&text, "]}");
	begun = as_now_ms();
	ck_ok(as_tape_parse(as_buf_str(&text), &t, &err));
	ck_assert_int_lt(as_now_ms() - begun,
			 20000 * unit_slow()); /* a second or so; a walk for each row would take minutes */
	ck_assert_uint_eq(as_tape_of_tool(t, S("s19999"), S("t"), &rows), 5);
	ck_assert_uint_eq(rows[4], 99999);
	as_tape_free(t);
	as_buf_free(&text);
}
END_TEST

UNIT_SUITE(suite, "tape", test_rows, test_looking_up, test_servers, test_stored_form, test_as_stored,
	   test_no_change_afterwards, test_next_version, test_refusals, test_lenient, test_large)
UNIT_MAIN(suite)
