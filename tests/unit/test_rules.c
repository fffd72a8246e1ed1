#include "tests/unit/unit.h"

#include "core/task/catalogue.h"
#include "core/task/rules.h"

#include <string.h>

START_TEST(splitting)
{
	static const struct {
		const char *name, *server, *tool;
		bool is;
	} cases[] = {
		{"time__get", "time", "get", true},
		{"a__b__c", "a__b", "c", true},
		{"a___b", "a_", "b", true},
		{"__", "", "", true},
		{"x__", "x", "", true},
		{"plain_name", "", "plain_name", false},
		{"", "", "", false},
		{"_", "", "_", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_str server, tool;

		ck_assert_int_eq(as_qualified_split(as_str(cases[i].name), &server, &tool), cases[i].is);
		ck_assert_msg(as_str_is(server, cases[i].server) && as_str_is(tool, cases[i].tool), "%s",
			      cases[i].name);
	}
}
END_TEST

static void check_goal(const char *raw, const char *prefix, const char *expected)
{
	as_buf out = {0};

	as_buf_puts(&out, "=");
	as_goal_slug(&out, as_str(raw), as_str(prefix));
	ck_assert_str_eq(out.ptr + 1, expected);
	as_buf_free(&out);
}

START_TEST(goal_ids)
{
	check_goal("Find Pharmacies", "auto-osm-", "auto-osm-find-pharmacies");
	check_goal("", "p-", "p-auto");
	check_goal("   ", "p-", "p-goal");
	check_goal("p-done", "p-", "p-done");
	check_goal("a\tb", "", "ab");
	check_goal("\xc3\x89t\xc3\xa9 2!", "", "\xc3\xa9t\xc3\xa9-2");
	check_goal("0123456789012345678901234567890123456789012345678901234567890123456789012345678901234", "p-",
		   "p-012345678901234567890123456789012345678901234567890123456789012345678901234567");
}
END_TEST

static bool is_taken(void *payload, assay_str id)
{
	unsigned *tries = payload;

	return ++*tries <= 2 || as_str_is(id, "goal-4");
}

START_TEST(unique_ids)
{
	as_buf out = {0};
	unsigned tries = 0;

	as_goal_unique(&out, ASSAY_STR("goal"), is_taken, &tries);
	ck_assert_str_eq(out.ptr, "goal-3");
	as_buf_clear(&out);
	tries = 10;
	as_goal_unique(&out, ASSAY_STR("goal"), is_taken, &tries);
	ck_assert_str_eq(out.ptr, "goal");
	as_buf_free(&out);
}
END_TEST

START_TEST(server_ids)
{
	static const char *const cases[][2] = {{"io.github.User/My-Server", "io_github_user__my_server"},
					       {"___", "server"},
					       {"", "server"},
					       {"x//y", "x____y"},
					       {"/lead", "lead"},
					       {"a -- b", "a_b"},
					       {"\xc3\xa9", "server"},
					       {"\xe2\x84\xaa", "k"},
					       {"..a..", "a"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		as_buf out = {0};

		as_buf_puts(&out, "_=");
		as_server_slug(&out, as_str(cases[i][0]));
		ck_assert_str_eq(out.ptr + 2, cases[i][1]);
		as_buf_free(&out);
	}
}
END_TEST

static int guess(const char *a, const char *b)
{
	const assay_str names[] = {as_str(a), as_str(b)};

	return as_guess_class(names, 2);
}

START_TEST(classes)
{
	ck_assert_int_eq(as_guess_class(NULL, 0), AS_CLASS_LIVE_READ);
	ck_assert_int_eq(guess("create_issue", "list_issues"), AS_CLASS_STATEFUL_WRITE);
	ck_assert_int_eq(guess("convert", "parse_date"), AS_CLASS_STATIC);
	ck_assert_int_eq(guess("123", "--"), AS_CLASS_STATIC);
	ck_assert_int_eq(guess("convert", "get_rate"), AS_CLASS_LIVE_READ);
	ck_assert_int_eq(guess("convert", "foo"), AS_CLASS_LIVE_READ);
	ck_assert_int_eq(guess("createIssue", "x"), AS_CLASS_LIVE_READ); /* camelCase is one word here */
	ck_assert_int_eq(guess("CREATE", "x"), AS_CLASS_STATEFUL_WRITE);
	ck_assert_int_eq(guess("averyveryverylongwordindeed", "convert"), AS_CLASS_LIVE_READ);
}
END_TEST

START_TEST(names)
{
	static const char *const destructive[] = {"delete_file", "deleteFile", "v2Delete",
						  "drop-table",  "REMOVE",     "x.wipe"};
	static const char *const harmless[] = {"undelete", "HTTPDelete", "dropdown_list", "", "deleted", "cleared"};
	static const char *const reads[] = {"read_file", "getUser",    "list",      "search.web", "_get_x",
					    "GET",       "get_commit", "list_runs", "get_address"};
	static const char *const others[] = {
		"create", "file_read",     "get_and_delete", "getReset",         "reads",   "", "readfile",
		"__",     "get_or_create", "findOrInsert",   "fetch_and_update", "read_set"};

	for (size_t i = 0; i < sizeof destructive / sizeof *destructive; i++) {
		ck_assert_msg(as_is_destructive_name(as_str(destructive[i])), "%s", destructive[i]);
	}
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
		ck_assert_msg(!as_is_destructive_name(as_str(harmless[i])), "%s", harmless[i]);
	}
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		ck_assert_msg(as_is_read_name(as_str(reads[i])), "%s", reads[i]);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		ck_assert_msg(!as_is_read_name(as_str(others[i])), "%s", others[i]);
	}
}
END_TEST

START_TEST(families)
{
	ck_assert(as_str_is(as_model_family(ASSAY_STR("moonshotai/kimi-k2.6")), "moonshot"));
	ck_assert(as_str_is(as_model_family(ASSAY_STR("meta-llama/x")), "meta"));
	ck_assert(as_str_is(as_model_family(ASSAY_STR("z-ai/glm")), "z-ai"));
	ck_assert(as_str_is(as_model_family(ASSAY_STR("gpt-5")), "unknown"));
	ck_assert(as_str_is(as_model_family(ASSAY_STR("openai")), "unknown"));
	ck_assert(as_str_is(as_model_family(ASSAY_STR("")), "unknown"));
}
END_TEST

UNIT_SUITE(suite, "rules", splitting, goal_ids, unique_ids, server_ids, classes, names, families)
UNIT_MAIN(suite)
