/* reporter/markdown: what it makes of a report model, and of what models and servers put into one. */
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "tests/unit/model_kit.h"
#include <assay/roles/reporter.h>
#include <stdio.h>

static as_registry *registry;

static void setup(void)
{
	const as_registry_options options = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
	ck_assert_int_eq(as_registry_new(&options, &registry, NULL), 0);
}

static void teardown(void)
{
	as_registry_free(registry);
}

/* The report as text; the caller frees it. */
static char *render(const assay_json *model, const char *options)
{
	assay_error err = {0};
	as_instance *reporter = NULL;
	assay_json *chosen = options ? json(options) : NULL;
	const assay_reporter_ops *ops;
	as_collect got;
	as_call call;
	char *text;
	ck_ok(as_instance_open(registry, "reporter/markdown", ASSAY_ROLE_REPORTER, chosen, NULL, &reporter, &err));
	ops = as_instance_ops(reporter);
	ck_assert_str_eq(ops->file_name, "report.md");
	ck_assert(as_instance_info(reporter)->impl->flags & ASSAY_IMPL_PURE);
	as_collect_init(&got, 0, 0);
	as_call_init(&call);
	ck_ok(ops->render(as_instance_self(reporter), &call.pub, model, &got.sink, &err));
	text = as_strndup(as_buf_str(&got.text));
	as_collect_free(&got);
	as_instance_close(reporter);
	as_json_free(chosen);
	return text;
}

#define RATE(lo, hi) "{'lo':" lo ",'hi':" hi ",'interval_lo':[0.1,0.8],'interval_hi':[0.2,0.9]}"
#define BOARD(condition, candidate, listed, attempts)                                                                           \
	"{'condition':'" condition "','candidate':'" candidate "','listed':" listed                                             \
	",'k':2,'tasks':3,'attempts':" attempts                                                                                 \
	",'void':1,'unknown':0,'pass_rate':" RATE("0.5", "0.5") ",'pass_hat_k':" RATE("0.25", "0.75") ",'pass_at_k':" RATE(     \
		"1.0",                                                                                                          \
		"1.0") ",'served':{'exact':0.75,'miss':0.25},'ends':{'finished':5,'turn_limit':1},"                             \
		       "'mean_calls':2.25,'mean_turns':3.5,'tool_hallucinations':4,'minefields_hit':7,'wrong_server_calls':5,"  \
		       "'sae':{'attempts':1,'share':0.125,'calls':2,'expected':2,'random':0,'conditional_rate':0.5},"           \
		       "'attempted_sae':{'attempts':3,'share':0.5,'calls':5,'expected':3,'random':2,'conditional_rate':0.625}," \
		       "'exposure':{'use':'exposure/rag','k':8},'reachability':{'checkpoints':0.5,'tasks':0.25,'mean_tools':8}}"

static const char model_text[] =
	"{'name':'toy','version':'1.0.0','seed':7,'bench_id':'0123456789abcdef0123','profile':'assay',"
	"'captions':['First.','Second.'],"
	"'servers':[{'server_id':'files','class':'stateful_write','name':'toy-files','version':'1','protocol':'2025-06-18',"
	"'tools':3,'tool_surface_hash':'00ff'}],"
	"'plugins':[{'use':'scorer/effects','version':'0.1.0'}],"
	"'funnel':[{'category':'random','wanted':2,'slots':5,'goals':4,'traces':4,'successful':3,'distilled':3,'valid':2,"
	"'certified':2,'pending':0,'reasons':{'goals':{'no goal fits':1},'successful':{'no successful call':1},"
	"'valid':{'echo_fails':1}}}],"
	"'gates':[{'gate':'grounded','required':true,'passed':2,'failed':0,'pass_rate':" RATE(
		"1.0",
		"1.0") "},"
		       "{'gate':'extra','required':false,'passed':1,'failed':1,'pass_rate':" RATE(
			       "0.5",
			       "0.5") "}],"
				      "'leaderboard':[" BOARD("main", "good", "true", "6") "," BOARD("main", "floor", "false", "6") "," BOARD(
					      "second", "good", "true",
					      "0") "],"
						   "'categories':[{'condition':'main','candidate':'good','category':'hard_neg','tasks':1,"
						   "'attempts':2,'pass_rate':" RATE(
							   "0.5",
							   "0.5") "}],"
								  "'tasks':[{'task_id':'t','category':'random','index':4,"
								  "'prompt':'Do it.','servers':['files','mail'],'checkpoints':2,"
								  "'minefields':1,'trace_depth':3,'passes':[{'condition':'main',"
								  "'candidate':'good','passed':1,'passed_hi':2,'attempts':2},{'condition':"
								  "'second','candidate':'good','passed':0,'attempts':0}]}]}";

static void expect(const char *report, const char *text)
{
	ck_assert_msg(strstr(report, text) != NULL, "expected %s in:\n%.3000s", text, report);
}

START_TEST(test_parts)
{
	assay_json *model = json(model_text);
	char *report = render(model, NULL), *again = render(model, NULL);
	expect(report, "# toy 1.0.0\n\n> First.\n>\n> Second.\n\n1 tasks, 1 servers. Seed 7, profile assay, benchmark "
		       "0123456789abcdef.\n");
	expect(report, "### Condition main\n");
	expect(report, "### Condition second\n");
	expect(report, "Beside the board, for comparison:\n");
	expect(report, "| good      | [0.250, 0.750] (0.100–0.900) | 0.500 (0.100–0.900) |");
	expect(report,
	       "| 2 |     3 |        6 |    1 |       0 |   3.5 |   2.2 |       4 |            5 |          7 | exact 75.0 %, "
	       "miss 25.0 % |");
	expect(report,
	       "Calls answered: good exact 75.0 %, miss 25.0 %; floor exact 75.0 %, miss 25.0 %.\n\n| category");
	expect(report,
	       "| main      | good      | succeeded |        1 | 12.5 % |     2 |        2 |      0 |          50.0 % |");
	expect(report,
	       "| main      | good      | attempted |        3 | 50.0 % |     5 |        3 |      2 |          62.5 % |");
	expect(report,
	       "Exposure: exposure/rag, k 8; 8.0 tools on offer; the needed tools of 50.0 % of the checkpoints are "
	       "among them, and all that the task needs in 25.0 % of the attempts.");
	expect(report, "| – "); /* no attempts, no rate */
	expect(report, "| category | good                | floor |");
	expect(report, "| hard_neg | 0.500 (0.100–0.900) | –     |");
	expect(report, "75.0 %");
	expect(report, "| main      | good      | turn_limit |        1 |");
	expect(report, "| random   |      2 |     5 |     4 |      4 |          3 |         3 |     2 |         2 |");
	expect(report, "| random   | successful | no successful call |     1 |");
	expect(report, "| extra    | no       |            1 |            1 |");
	expect(report, "Do it.");
	expect(report, "files, mail");
	expect(report, "good in main 1–2/2, good in second 0/0");
	expect(report, "| files  | stateful_write | toy-files | 1       | 2025-06-18 |     3 | 00ff");
	expect(report, "| scorer/effects | 0.1.0   |");
	ck_assert_str_eq(report, again);
	free(report);
	free(again);
	as_json_free(model);
}
END_TEST

START_TEST(test_other_scorers)
{
	assay_json *model = json(model_text);
	char *report = render(model, NULL);
	ck_assert_ptr_null(strstr(report, "Other scorers"));
	free(report);
	ck_assert_int_eq(
		as_json_set(
			model, "scorers",
			json("[{'scorer':'scorer/<b>','condition':'main','candidate':'good','attempts':6,'unknown':1,"
			     "'passed':3,'lo':0.5,'hi':0.75,'metrics':{'repeats':0.5,'t|k':8125}},"
			     "{'scorer':'scorer/plain','condition':'main','candidate':'floor','attempts':6,'unknown':0,"
			     "'passed':6,'lo':1.0,'hi':1.0,'metrics':{}}]")),
		0);
	report = render(model, NULL);
	expect(report, "## Other scorers\n");
	expect(report, " | good      |        6 |      3 |       1 | 0.500–0.750 | repeats 0.5, t");
	expect(report, " 8125 |");
	expect(report, " | floor     |        6 |      6 |       0 |       1.000 | –");
	ck_assert_ptr_null(strstr(report, "<b>"));
	ck_assert_ptr_null(strstr(report, "t|k"));
	free(report);
	as_json_free(model);
}
END_TEST

START_TEST(test_without_tasks)
{
	assay_json *model = json(model_text);
	char *report = render(model, "{'tasks':false}");
	ck_assert_ptr_null(strstr(report, "## Tasks"));
	ck_assert_ptr_null(strstr(report, "Do it."));
	free(report);
	as_json_free(model);
}
END_TEST

START_TEST(test_nothing)
{
	assay_json *model = json("{}"),
		   *odd = json("{'leaderboard':7,'tasks':{'a':1},'funnel':[null,3],'servers':['x'],'captions':[9]}");
	char *report = render(model, NULL);
	expect(report, "Nobody has attempted the tasks yet.\n");
	free(report);
	free(render(odd, NULL)); /* no model of ours; it only must not break */
	as_json_free(model);
	as_json_free(odd);
}
END_TEST

/* What is text stays text. */
START_TEST(test_escaping)
{
	static const struct {
		const char *prompt, *shown;
	} cases[] = {
		{"<script>alert(1)</script>", "&#60;script>alert(1)&#60;/script>"},
		{"[click](https://evil.example)", "&#91;click&#93;(https&#58;//evil.example)"},
		{"see www.evil.example", "see www&#46;evil.example"},
		{"mail me@evil.example now, pass@3", "mail me&#64;evil.example now, pass@3"},
		{"*bold* _em_ a_b `code` ~~x~~",
		 "&#42;bold&#42; &#95;em&#95; a_b &#96;code&#96; &#126;&#126;x&#126;&#126;"},
		{"a|b", "a\\|b"},
		{"one\ntwo\tthree\033[2J\177", "one two three [2J "},
		{"&lt; & &#60;", "&#38;lt; & &#38;#60;"},
		{"$x$ \\(y\\)", "&#36;x&#36; &#92;(y&#92;)"},
		{"turned \xE2\x80\xAE round \xD8\x9C", "turned  round "},
		{"- a list", "&#45; a list"},
		{"1. a list", "1&#46; a list"},
		{"# no heading", "&#35; no heading"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_json *model = json(model_text);
		char *report;
		ck_assert_int_eq(as_json_set(as_json_edit(as_json_pointer(model, "/tasks/0")), "prompt",
					     as_json_cstring(cases[i].prompt)),
				 0);
		report = render(model, NULL);
		expect(report, cases[i].shown);
		free(report);
		as_json_free(model);
	}
}
END_TEST

/* Every text of the model, wherever it stands: no raw "<", no link, no line of its own. */
START_TEST(test_hostile_everywhere)
{
	static const char *const pointers[] = {"/name",
					       "/version",
					       "/profile",
					       "/captions/0",
					       "/servers/0/server_id",
					       "/servers/0/name",
					       "/servers/0/version",
					       "/servers/0/tool_surface_hash",
					       "/plugins/0/use",
					       "/funnel/0/category",
					       "/gates/0/gate",
					       "/leaderboard/0/condition",
					       "/leaderboard/0/candidate",
					       "/categories/0/category",
					       "/tasks/0/prompt",
					       "/tasks/0/servers/0",
					       "/tasks/0/passes/0/candidate"};
	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		assay_json *model = json(model_text);
		const assay_json *old = as_json_pointer(model, pointers[i]);
		char parent[64], *slash, *report;
		snprintf(parent, sizeof parent, "%s", pointers[i]);
		slash = strrchr(parent, '/');
		*slash = '\0';
		assay_json *holder = as_json_edit(as_json_pointer(model, parent));
		ck_assert_ptr_nonnull(old);
		if (as_json_type(holder) == ASSAY_JSON_OBJECT) {
			ck_assert_int_eq(as_json_set(holder, slash + 1, as_json_cstring("<i>\n# x [y](z)")), 0);
		} else {
			assay_json *outer =
				as_json_edit(as_json_pointer(model, strcmp(parent, "/captions") ? "/tasks/0" : ""));
			assay_json *list = json("['<i>\\n# x [y](z)']");
			ck_assert_int_eq(as_json_set(outer, strrchr(parent, '/') + 1, list), 0);
		}
		report = render(model, NULL);
		ck_assert_msg(strstr(report, "&#60;i> # x [y&#93;(z)") || strstr(report, "&#60;i> # x"), "%s: %s",
			      pointers[i], report);
		ck_assert_ptr_null(strstr(report, "<i>"));
		ck_assert_ptr_null(strstr(report, "](z)"));
		ck_assert_ptr_null(strstr(report, "\n# x"));
		free(report);
		as_json_free(model);
	}
}
END_TEST

START_TEST(test_cut)
{
	assay_json *model = json(model_text);
	char prompt[601], *report;
	for (size_t i = 0; i < 600; i += 2) {
		memcpy(prompt + i, "é", 2);
	}
	prompt[600] = '\0';
	ck_assert_int_eq(as_json_set(as_json_edit(as_json_pointer(model, "/tasks/0")), "prompt",
				     as_json_cstring(prompt)),
			 0);
	report = render(model, NULL);
	prompt[240] = '\0'; /* 120 characters */
	memcpy(prompt + 240, "…", sizeof "…");
	expect(report, prompt);
	free(report);
	as_json_free(model);
}
END_TEST

/* More candidates than a table has room for. */
START_TEST(test_many_candidates)
{
	assay_json *model = json(model_text), *board = as_json_array();
	char *report;
	for (int i = 0; i < 23; i++) {
		assay_json *row = as_json_clone(as_json_pointer(model, "/leaderboard/0"));
		char name[8];
		snprintf(name, sizeof name, "c%02d", i);
		ck_assert_int_eq(as_json_set(row, "candidate", as_json_cstring(name)), 0);
		ck_assert_int_eq(as_json_append(board, row), 0);
	}
	ck_assert_int_eq(as_json_set(model, "leaderboard", board), 0);
	report = render(model, NULL);
	expect(report, "| category | c00 ");
	expect(report, "| category | c10 ");
	expect(report, "| category | c20 ");
	free(report);
	as_json_free(model);
}
END_TEST

START_TEST(test_options)
{
	assay_error err = {0};
	as_instance *reporter = NULL;
	assay_json *wrong = json("{'task':true}");
	ck_assert_int_lt(as_instance_open(registry, "reporter/markdown", ASSAY_ROLE_REPORTER, wrong, NULL, &reporter,
					  &err),
			 0);
	ck_assert_msg(strstr(error_line(&err), "task") != NULL, "%s", error_line(&err));
	as_json_free(wrong);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {test_parts,   test_other_scorers, test_without_tasks,
				      test_nothing, test_escaping,      test_hostile_everywhere,
				      test_cut,     test_options,       test_many_candidates};
	Suite *s = suite_create("reporter");
	TCase *t = tcase_create("reporter");
	tcase_add_checked_fixture(t, setup, teardown);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		tcase_add_test(t, tests[i]);
	}
	suite_add_tcase(s, t);
	return s;
}
UNIT_MAIN(suite)
