/* The table writer. */
#include "core/base/table.h"
#include "tests/unit/model_kit.h"

static void renders(const char *table, uint32_t style, const char *expected)
{
	assay_error err = {0};
	as_buf out = {0};
	assay_json *t = json(table);
	ck_ok(as_table_render(t, style, &out, &err));
	ck_str_is(as_buf_str(&out), expected);
	as_buf_free(&out);
	as_json_free(t);
}

#define TABLE(rows)                                                                                                    \
	"{'columns':[{'title':'Name'},{'title':'N','align':'right'},{'title':'Note','align':'left'}],'rows':" rows "}"

START_TEST(test_terminal)
{
	renders(TABLE("[['a','1','x'],['longer name','1000','']]"), AS_TABLE_TERMINAL,
		"Name            N  Note\n"
		"-----------  ----  ----\n"
		"a               1  x\n"
		"longer name  1000\n");
	renders(TABLE("[]"), AS_TABLE_TERMINAL, "Name  N  Note\n----  -  ----\n");
	/* Short rows are filled up, long ones cut, what is no text is empty; widths are characters. */
	renders(TABLE("[['\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9'],['a','b','c','d'],[5,null,'x'],'row']"),
		AS_TABLE_TERMINAL,
		"Name   N  Note\n"
		"-----  -  ----\n"
		"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n"
		"a      b  c\n"
		"          x\n"
		"\n");
}
END_TEST

START_TEST(test_markdown)
{
	renders(TABLE("[['a|b','1','<i>'],['c\\\\d','22','x']]"), AS_TABLE_MARKDOWN,
		"| Name |  N | Note   |\n"
		"|------|---:|--------|\n"
		"| a\\|b |  1 | &lt;i> |\n"
		"| c\\\\d | 22 | x      |\n");
}
END_TEST

/* Cells cannot break out of their line, nor talk to the terminal. */
START_TEST(test_hostile)
{
	renders("{'columns':[{'title':'a\\nb'}],'rows':[['x\\ty\\r\\n\\u001b[31mred']]}", AS_TABLE_TERMINAL,
		"a b\n"
		"-------------\n"
		"x y  \xef\xbf\xbd[31mred\n");
}
END_TEST

START_TEST(test_refusals)
{
	static const char *const bad[] = {"{}", "[]", "{'columns':[],'rows':[]}",
					  "{'columns':[{'title':'a'}],'rows':{}}", "{'columns':'a','rows':[]}"};
	as_buf out = {0}, many = {0};
	assay_error err = {0};
	assay_json *t;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		t = json(bad[i]);
		ck_assert_int_eq(as_table_render(t, AS_TABLE_TERMINAL, &out, NULL), ASSAY_EINVAL);
		as_json_free(t);
	}
	as_buf_puts(&many, "{'rows':[],'columns':[{}");
	for (int i = 0; i < 64; i++) {
		as_buf_puts(&many, ",{}");
	}
	as_buf_puts(&many, "]}");
	t = json(many.ptr);
	ck_assert_int_eq(as_table_render(t, AS_TABLE_TERMINAL, &out, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "a table has 1 to 64 \"columns\" and an array \"rows\"");
	ck_assert_int_eq(as_table_render(NULL, AS_TABLE_TERMINAL, &out, NULL), ASSAY_EINVAL);
	ck_assert_uint_eq(out.len, 0);
	as_json_free(t);
	as_buf_free(&many);
	as_buf_free(&out);
}
END_TEST

START_TEST(test_building)
{
	static const char *const cells[] = {"a", NULL};
	assay_json *t = as_table_new();
	ck_assert_int_eq(as_table_column(t, "A", false), 0);
	ck_assert_int_eq(as_table_column(t, "B", true), 0);
	ck_assert_int_eq(as_table_row(t, cells, 2), 0);
	ck_assert_str_eq(text_of(t),
			 "{'columns':[{'title':'A','align':'left'},{'title':'B','align':'right'}],'rows':[['a','']]}");
	ck_assert_int_eq(as_table_column(NULL, "A", false), ASSAY_ENOMEM);
	ck_assert_int_eq(as_table_row(NULL, cells, 2), ASSAY_ENOMEM);
	as_json_free(t);
}
END_TEST

UNIT_SUITE(suite, "table", test_terminal, test_markdown, test_hostile, test_refusals, test_building)
UNIT_MAIN(suite)
