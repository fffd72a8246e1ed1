/* Figures worked out by hand: three tasks, two conditions, a handful of attempts (design page "replay", rule 9). */
#include "core/base/hash.h"
#include "core/run/figures.h"
#include "core/stats/stats.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

#define BENCH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char manifest_text[] =
	"{'name':'toy','version':'1','seed':7,'profile':'full','caption':'mind the gap',"
	"'generation':{'categories':[{'name':'easy','count':2},{'name':'hard','count':3}]},"
	"'evaluation':{'candidates':[{'name':'alpha'},{'name':'beta','listed':false},{'name':'delta'},{'name':'gamma'}],"
	"'conditions':[{'name':'main'},{'name':'bare'}]}}";

/* One attempt: how its calls were served (L ive, E xact, e Q uivalent, N ear, M iss; R efused, A nswered), its bounds.
 */
typedef struct attempt {
	const char *condition, *candidate, *task, *calls;
	double lo, hi;
	const char *end;
	bool voided;
	const char *verdict;
	int64_t turns;
	int mines;
	const char *sae; /* NULL: the summary has none */
} attempt;

/* alpha: t1 2 of 3 (3 of 3 at hi), t2 none (1 at hi) and a void one, t3 all. beta: one each of two tasks. */
static const attempt attempts[] = {
	{"main", "alpha", "t1", "EE", 1, 1, "finished", false, "pass", 2, 0,
	 "{'sae':{'total':1,'expected':1,'correct_type_calls':2},'assay':{'attempted_sae':{'total':3,'expected':1,"
	 "'correct_type_calls':2}}}"},
	{"main", "alpha", "t1", "EM", 1, 1, "finished", false, "pass", 2, 0,
	 "{'sae':{'total':0,'expected':0,'correct_type_calls':1},'assay':{'attempted_sae':{'total':2,'expected':7,"
	 "'correct_type_calls':1}}}"},
	{"main", "alpha", "t1", "M", 0, 1, "finished", false, "fail", 1, 1, NULL},
	{"main", "alpha", "t2", "", 0, 0, "budget", false, "unknown", 0, 0, NULL},
	{"main", "alpha", "t2", "NQR", 0, 1, "finished", false, "fail", 3, 2, NULL},
	{"main", "alpha", "t2", "A", 0, 0, "finished", false, "fail", 1, 0, NULL},
	{"main", "alpha", "t2", "LLLL", 1, 1, "unreachable", true, "pass", 9, 5, NULL},
	{"main", "alpha", "t3", "EE", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "alpha", "t3", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "alpha", "t3", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "beta", "t1", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "beta", "t2", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "delta", "t1", "E", 0, 0, "finished", false, "fail", 1, 0, NULL},
	{"main", "delta", "gone", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"main", "gamma", "t1", "E", 0.5, 0.9, "finished", false, "fail", 1, 0, NULL}, /* no pass, though half a one */
	{"main", "gamma", "t1", "E", 0.5, 0.5, "finished", false, "pass", 1, 0, NULL}, /* enough, its scorer says */
	{"bare", "alpha", "t3", "L", 1, 1, "finished", false, "pass", 1, 0, NULL},
	{"bare", "beta", "t1", "L", 1, 1, "unreachable", true, "pass", 1, 0, NULL},
	{"other", "alpha", "t1", "L", 1, 1, "finished", false, "pass", 1, 0, NULL},
};
#define N_ATTEMPTS (sizeof attempts / sizeof *attempts)

static as_trace *trace_of(const attempt *a)
{
	static const char letters[] = "LEQNSM";
	assay_error err = {0};
	as_trace *t = NULL;
	assay_json *exploration = as_json_object();
	ck_assert_int_eq(as_json_set(exploration, "turns", as_json_integer(a->turns)), 0);
	ck_ok(as_trace_new(ASSAY_STR(""), NULL, &t, &err));
	for (const char *c = a->calls; *c; c++) {
		as_call_record r = {.server = ASSAY_STR("s"), .tool = ASSAY_STR("t")};
		if (*c == 'R') {
			ck_ok(as_trace_add_refused(t, ASSAY_STR("x"), NULL, ASSAY_STR(""), &err));
		} else if (*c == 'A') {
			ck_ok(as_trace_add_answered(t, ASSAY_STR("x"), NULL, ASSAY_STR(""), &err));
		} else {
			r.served = (uint32_t)(strchr(letters, *c) - letters);
			ck_ok(as_trace_add_call(t, &r, NULL, &err));
		}
	}
	ck_ok(as_trace_set_metadata(t, "exploration", exploration, &err));
	ck_ok(as_trace_finish(t, &err));
	return t;
}

static void add_attempt(as_figures *f, const char *id, const attempt *a)
{
	assay_error err = {0};
	as_trace *trace = trace_of(a);
	assay_json *verdict = as_json_object(), *mines = as_json_array();
	as_figure_attempt row = {
		as_str(id), as_str(a->task), as_str(a->candidate), as_str(a->condition), as_str(a->end), a->voided,
		trace,      verdict};
	for (int i = 0; i < a->mines; i++) {
		ck_assert_int_eq(as_json_append(mines, json("{'hit':true}")), 0);
	}
	ck_assert_int_eq(as_json_append(mines, json("{'hit':false}")), 0);
	ck_assert_int_eq(as_json_set(verdict, "verdict", as_json_cstring(a->verdict)), 0);
	ck_assert_int_eq(as_json_set(verdict, "lo", as_json_real(a->lo)), 0);
	ck_assert_int_eq(as_json_set(verdict, "hi", as_json_real(a->hi)), 0);
	ck_assert_int_eq(as_json_set(verdict, "minefields", mines), 0);
	if (a->sae) {
		ck_assert_int_eq(as_json_set(verdict, "summary", json(a->sae)), 0);
	}
	ck_ok(as_figures_add_attempt(f, &row, &err));
	as_json_free(verdict);
	as_trace_free(trace);
}

static void add_task(as_figures *f, const char *id, const char *category, int64_t index, const char *certificate)
{
	assay_error err = {0};
	char text[512];
	assay_json *task, *gates = json(certificate);
	snprintf(
		text, sizeof text,
		"{'task_id':'%s','prompt':'do %s','servers_used':['s'],'checkpoints':[1,2],'minefields':[1],'complexity':{'trace_depth':3}}",
		id, id);
	task = json(text);
	ck_ok(as_figures_add_task(f, as_str(category), index, task, gates, &err));
	as_json_free(task);
	as_json_free(gates);
}

static void add_goals(as_figures *f)
{
	static const char *const goals[][3] = {{"easy", "certified", ""},
					       {"easy", "certified", ""},
					       {"easy", "rejected", "no_tool_fails"},
					       {"easy", "rejected", "duplicate"},
					       {"hard", "certified", ""},
					       {"hard", "empty", ""},
					       {"hard", "unexplored", "budget"},
					       {"hard", "undistilled", "no calls"},
					       {"hard", "surplus", ""},
					       {"hard", "written", ""}};
	assay_error err = {0};
	for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
		assay_json *gates = i == 2 ? json("{'tight':true,'replays':false}") : NULL;
		ck_ok(as_figures_add_goal(f, as_str(goals[i][0]), as_str(goals[i][1]), as_str(goals[i][2]), gates,
					  &err));
		as_json_free(gates);
	}
}

static assay_json *model(void)
{
	assay_error err = {0};
	as_figures *f = NULL;
	assay_json *manifest = json(manifest_text), *out = NULL;
	assay_json *record = json("{'server_id':'s','class':'static','tools':[1,2],'fingerprint':{'server_name':'S',"
				  "'server_version':null,'protocol_version':'p','tool_surface_hash':'h'}}");
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	ck_ok(as_figures_add_server(f, record, &err));
	ck_ok(as_figures_add_plugin(f, ASSAY_STR("scorer/effects"), ASSAY_STR("0.1.0"), NULL, &err));
	add_goals(f);
	add_task(f, "t1", "easy", 0,
		 "[{'gate':'replays','required':true,'passed':true},{'gate':'tight','required':false,'passed':false}]");
	add_task(f, "t2", "easy", 1, "[{'gate':'replays','required':true,'passed':true}]");
	add_task(f, "t3", "hard", 0, "[]");
	for (size_t i = 0; i < N_ATTEMPTS; i++) {
		add_attempt(f, "", &attempts[i]);
	}
	ck_ok(as_figures_finish(f, &out, &err));
	as_figures_free(f);
	as_json_free(manifest);
	as_json_free(record);
	return out;
}

static const assay_json *row_of(const assay_json *list, const char *condition, const char *candidate)
{
	for (const assay_json *r = as_json_first(list); r; r = as_json_next(r)) {
		if (as_str_is(as_json_str(as_json_get(r, "condition")), condition) &&
		    as_str_is(as_json_str(as_json_get(r, "candidate")), candidate)) {
			return r;
		}
	}
	ck_abort_msg("no row %s %s", condition, candidate);
	return NULL;
}

static void is_near(const assay_json *row, const char *pointer, double expected)
{
	double got = as_json_f64(as_json_pointer(row, pointer), -9);
	ck_assert_msg(got > expected - 1e-9 && got < expected + 1e-9, "%s: got %.9f, expected %.9f", pointer, got,
		      expected);
}

/* Of a rate: with calls that were not answered counted as errors, and as successes. */
static void are_bounds(const assay_json *doc, const char *rate, double lo, double hi)
{
	char pointer[64];
	snprintf(pointer, sizeof pointer, "%s/lo", rate);
	is_near(doc, pointer, lo);
	snprintf(pointer, sizeof pointer, "%s/hi", rate);
	is_near(doc, pointer, hi);
}

START_TEST(test_head)
{
	assay_json *m = model();
	ck_assert_str_eq(member_text(m, "/name"), "'toy'");
	ck_assert_str_eq(member_text(m, "/seed"), "7");
	ck_assert_str_eq(member_text(m, "/bench_id"), "'" BENCH "'");
	ck_assert_str_eq(member_text(m, "/captions/0"), "'mind the gap'");
	ck_assert_str_eq(
		member_text(m, "/servers"),
		"[{'server_id':'s','class':'static','name':'S','version':null,'protocol':'p','tools':2,'tool_surface_hash':'h'}]");
	ck_assert_str_eq(member_text(m, "/plugins"), "[{'use':'scorer/effects','version':'0.1.0'}]");
	ck_assert_str_eq(
		member_text(m, "/gates"),
		"[{'gate':'replays','required':true,'passed':2,'failed':1,'pass_rate':"
		"{'lo':0.666667,'hi':0.666667,'interval_lo':[0.207655,0.93851],'interval_hi':[0.207655,0.93851]}},"
		"{'gate':'tight','required':false,'passed':1,'failed':1,'pass_rate':"
		"{'lo':0.5,'hi':0.5,'interval_lo':[0.094529,0.905471],'interval_hi':[0.094529,0.905471]}}]");
	as_json_free(m);
}
END_TEST

START_TEST(test_funnel)
{
	assay_json *m = model();
	ck_assert_str_eq(
		member_text(m, "/funnel/0"),
		"{'category':'easy','wanted':2,'slots':4,'goals':4,'traces':4,'successful':4,'distilled':4,'valid':3,"
		"'certified':2,'mean_depth':3.0,'mean_servers':1.0,'pending':0,'reasons':{'goals':{},'traces':{},'successful':{},'distilled':{},"
		"'valid':{'no_tool_fails':1},'certified':{'duplicate':1}}}");
	ck_assert_str_eq(
		member_text(m, "/funnel/1"),
		"{'category':'hard','wanted':3,'slots':6,'goals':5,'traces':4,'successful':3,'distilled':2,'valid':2,"
		"'certified':1,'mean_depth':3.0,'mean_servers':1.0,'pending':1,'reasons':{'goals':{'empty':1},'traces':{},'successful':{'budget':1},"
		"'distilled':{'no calls':1},'valid':{},'certified':{'surplus':1}}}");
	as_json_free(m);
}
END_TEST

/* 5 of 9 at lo, 7 of 9 at hi; k = 3: one task of three passes whole (two at hi), two pass once (all at hi). */
START_TEST(test_rates)
{
	assay_json *m = model();
	const assay_json *r = row_of(as_json_get(m, "leaderboard"), "main", "alpha");
	ck_assert_str_eq(member_text(r, "/k"), "3");
	ck_assert_str_eq(member_text(r, "/tasks"), "3");
	ck_assert_str_eq(member_text(r, "/attempts"), "9"); /* the void one is no attempt */
	ck_assert_str_eq(member_text(r, "/void"), "1");
	ck_assert_str_eq(member_text(r, "/unknown"), "1");
	are_bounds(r, "/pass_rate", 0.555556, 0.777778);
	is_near(r, "/pass_rate/interval_lo/0", 0.266647);
	is_near(r, "/pass_rate/interval_lo/1", 0.811225);
	is_near(r, "/pass_rate/interval_hi/0", 0.452583);
	is_near(r, "/pass_rate/interval_hi/1", 0.936776);
	are_bounds(r, "/pass_hat_k", 0.333333, 0.666667);
	are_bounds(r, "/pass_at_k", 0.666667, 1.0);
	ck_assert_str_eq(member_text(r, "/listed"), "true");
	r = row_of(as_json_get(m, "leaderboard"), "main", "beta");
	ck_assert_str_eq(member_text(r, "/listed"), "false");
	ck_assert_str_eq(member_text(r, "/k"), "1");
	is_near(r, "/pass_hat_k/lo", 1.0);
	/* A graded attempt that does not pass is no part of a pass: rate and interval count the same. */
	r = row_of(as_json_get(m, "leaderboard"), "main", "gamma");
	are_bounds(r, "/pass_rate", 0.5, 0.5);
	is_near(r, "/pass_rate/interval_hi/0", 0.094529);
	is_near(r, "/pass_rate/interval_hi/1", 0.905471);
	as_json_free(m);
}
END_TEST

/* Each end of a k figure has a bootstrap interval over tasks of its own, seeded by the benchmark. */
START_TEST(test_intervals)
{
	static const double lo[] = {0, 0, 1}, hi[] = {1, 0, 1};
	as_interval a, b;
	assay_json *m = model();
	const assay_json *r = row_of(as_json_get(m, "leaderboard"), "main", "alpha");
	ck_assert_int_eq(as_bootstrap_mean(lo, 3, 2000, as_hash_u64(BENCH), 0.95, &a, NULL), 0);
	ck_assert_int_eq(as_bootstrap_mean(hi, 3, 2000, as_hash_u64(BENCH), 0.95, &b, NULL), 0);
	is_near(r, "/pass_hat_k/interval_lo/0", as_round(a.lo, 6));
	is_near(r, "/pass_hat_k/interval_lo/1", as_round(a.hi, 6));
	is_near(r, "/pass_hat_k/interval_hi/0", as_round(b.lo, 6));
	is_near(r, "/pass_hat_k/interval_hi/1", as_round(b.hi, 6));
	as_json_free(m);
}
END_TEST

/* Eleven calls of alpha's nine attempts, and one refused; what the exposure answered is neither. */
START_TEST(test_served)
{
	assay_json *m = model();
	const assay_json *r = row_of(as_json_get(m, "leaderboard"), "main", "alpha");
	is_near(r, "/served/live", 0.0); /* the void attempt's do not count */
	is_near(r, "/served/exact", 0.583333);
	is_near(r, "/served/equivalent", 0.083333);
	is_near(r, "/served/near", 0.083333);
	is_near(r, "/served/simulated", 0.0);
	is_near(r, "/served/miss", 0.166667);
	is_near(r, "/served/refused", 0.083333);
	ck_assert_str_eq(member_text(r, "/ends"), "{'budget':1,'finished':8,'unreachable':1}");
	is_near(r, "/mean_calls", 1.222222);
	is_near(r, "/mean_turns", 1.333333);
	ck_assert_str_eq(member_text(r, "/tool_hallucinations"), "1");
	ck_assert_str_eq(member_text(r, "/minefields_hit"), "3");
	ck_assert_str_eq(member_text(r, "/wrong_server_calls"), "5");
	ck_assert_str_eq(member_text(r, "/sae"), "{'attempts':1,'share':0.111111,'calls':1,'expected':1,'random':0,"
						 "'conditional_rate':0.25}");
	ck_assert_str_eq(member_text(r, "/attempted_sae"), "{'attempts':2,'share':0.222222,'calls':5,'expected':3,"
							   "'random':2,'conditional_rate':0.625}");
	as_json_free(m);
}
END_TEST

/* By condition as in the manifest, then pass^k, then pass rate, then name. */
START_TEST(test_ordering)
{
	static const char *const rows[][2] = {{"main", "beta"},  {"main", "alpha"}, {"main", "gamma"},
					      {"main", "delta"}, {"bare", "alpha"}, {"bare", "beta"},
					      {"other", "alpha"}};
	assay_json *m = model();
	const assay_json *r = as_json_first(as_json_get(m, "leaderboard"));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, r = as_json_next(r)) {
		ck_str_is(as_json_str(as_json_get(r, "condition")), rows[i][0]);
		ck_str_is(as_json_str(as_json_get(r, "candidate")), rows[i][1]);
	}
	ck_assert_ptr_null(r);
	r = row_of(as_json_get(m, "leaderboard"), "bare", "beta"); /* nothing but a void attempt */
	ck_assert_str_eq(member_text(r, "/attempts"), "0");
	ck_assert_str_eq(member_text(r, "/k"), "0");
	ck_assert_str_eq(member_text(r, "/pass_hat_k"),
			 "{'lo':0.0,'hi':0.0,'interval_lo':[0.0,0.0],'interval_hi':[0.0,0.0]}");
	r = row_of(as_json_get(m, "leaderboard"), "main",
		   "delta"); /* the attempt of a task that is gone does not count */
	ck_assert_str_eq(member_text(r, "/attempts"), "1");
	as_json_free(m);
}
END_TEST

START_TEST(test_tables)
{
	assay_json *m = model();
	const assay_json *first = as_json_first(as_json_get(m, "categories"));
	ck_assert_str_eq(member_text(first, "/category"), "'easy'");
	ck_assert_str_eq(member_text(first, "/attempts"), "6");
	are_bounds(first, "/pass_rate", 0.333333, 0.666667);
	ck_assert_str_eq(member_text(as_json_next(first), "/category"), "'hard'");
	is_near(as_json_next(first), "/pass_rate/lo", 1.0);
	ck_assert_uint_eq(as_json_count(as_json_get(m, "tasks")), 3);
	ck_assert_str_eq(member_text(m, "/tasks/1/prompt"), "'do t2'");
	ck_assert_str_eq(member_text(m, "/tasks/1/checkpoints"), "2");
	ck_assert_str_eq(member_text(m, "/tasks/1/trace_depth"), "3");
	ck_assert_str_eq(
		member_text(m, "/tasks/1/passes/0"),
		"{'condition':'main','candidate':'alpha','passed':0,'passed_hi':1,'attempts':3,'served':{'live':0.0,"
		"'exact':0.0,'equivalent':0.333333,'near':0.333333,'simulated':0.0,'miss':0.0,'refused':0.333333}}");
	is_near(first, "/served/exact", 0.375); /* 3 of 8 in "easy": E E M, E M, M, N Q R */
	as_json_free(m);
}
END_TEST

START_TEST(test_same_bytes)
{
	assay_json *a = model(), *b = model();
	assay_text x, y;
	ck_assert_int_eq(as_json_dump(a, ASSAY_JSON_PRETTY, &x, NULL), 0);
	ck_assert_int_eq(as_json_dump(b, ASSAY_JSON_PRETTY, &y, NULL), 0);
	ck_assert_str_eq(x.ptr, y.ptr);
	as_text_free(&x);
	as_text_free(&y);
	as_json_free(a);
	as_json_free(b);
}
END_TEST

static void add_verdict(as_figures *f, const char *condition, const char *candidate, const char *task, bool voided,
			size_t scorer, const char *text)
{
	assay_error err = {0};
	assay_json *verdict = json(text);
	as_figure_attempt row = {
		ASSAY_STR(""), as_str(task), as_str(candidate), as_str(condition), ASSAY_STR("finished"), voided,
		NULL,          NULL};
	ck_ok(as_figures_add_verdict(f, &row, scorer, verdict, &err));
	as_json_free(verdict);
}

/* Scorers beside the headline: counts, means over the attempts that are not void, each metric over those that tell it.
 */
START_TEST(test_other_scorers)
{
	assay_error err = {0};
	as_figures *f = NULL;
	assay_json *m = NULL, *manifest = json("{'evaluation':{'conditions':[{'name':'z'},{'name':'a'}],'scorers':["
					       "{'use':'scorer/one'},{'use':'scorer/head'},{'use':'scorer/two'}]}}");
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	add_task(f, "t", "easy", 0, "[]");
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_ptr_null(as_json_get(m, "scorers"));
	as_json_free(m);
	add_verdict(f, "a", "c", "t", false, 2, "{'verdict':'pass','lo':1,'hi':1}");
	add_verdict(f, "z", "d", "t", false, 0, "{'verdict':'fail','lo':0,'hi':1,'metrics':{'n':1,'b':null,'x':'3'}}");
	add_verdict(f, "z", "c", "t", false, 0, "{'verdict':'pass','lo':0.5,'hi':1,'metrics':{'n':3,'b':0.25}}");
	add_verdict(f, "z", "c", "t", false, 0, "{'verdict':'unknown','lo':0.25,'hi':1,'metrics':{'n':1,'a':7}}");
	add_verdict(f, "z", "c", "t", false, 0, "{'verdict':'fail','lo':0.25,'hi':0.25}");
	add_verdict(f, "z", "c", "t", true, 0, "{'verdict':'pass','lo':1,'hi':1,'metrics':{'n':100}}");
	add_verdict(f, "z", "c", "gone", false, 0, "{'verdict':'pass','lo':1,'hi':1,'metrics':{'n':100}}");
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_str_eq(member_text(m, "/scorers"),
			 "[{'scorer':'scorer/one','condition':'z','candidate':'c','attempts':3,'unknown':1,'passed':1,"
			 "'lo':0.333333,'hi':0.75,'metrics':{'a':7.0,'b':0.25,'n':2.0}},"
			 "{'scorer':'scorer/one','condition':'z','candidate':'d','attempts':1,'unknown':0,'passed':0,"
			 "'lo':0.0,'hi':1.0,'metrics':{'n':1.0}},"
			 "{'scorer':'scorer/two','condition':'a','candidate':'c','attempts':1,'unknown':0,'passed':1,"
			 "'lo':1.0,'hi':1.0,'metrics':{}}]");
	as_json_free(m);
	/* A scorer that makes up a metric a step stays within bounds. */
	for (int i = 0; i < 200; i++) {
		char text[100];
		snprintf(text, sizeof text, "{'verdict':'pass','lo':1,'hi':1,'metrics':{'m%d':1}}", i);
		add_verdict(f, "a", "c", "t", false, 2, text);
	}
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_uint_eq(as_json_count(as_json_pointer(m, "/scorers/2/metrics")), 64);
	as_json_free(m);
	as_figures_free(f);
	as_json_free(manifest);
	/* Of one implementation, but two scorers. */
	manifest = json("{'evaluation':{'conditions':[{'name':'a'}],'scorers':["
			"{'use':'scorer/head'},{'use':'scorer/one'},{'use':'scorer/two'},{'use':'scorer/one'}]}}");
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	add_task(f, "t", "easy", 0, "[]");
	for (size_t i = 1; i < 4; i++) {
		add_verdict(f, "a", "c", "t", false, i, "{'verdict':'pass','lo':1,'hi':1}");
	}
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_str_eq(member_text(m, "/scorers/0/scorer"), "'scorer/one (no. 1)'");
	ck_assert_str_eq(member_text(m, "/scorers/1/scorer"), "'scorer/two'");
	ck_assert_str_eq(member_text(m, "/scorers/2/scorer"), "'scorer/one (no. 2)'");
	as_json_free(m);
	as_figures_free(f);
	as_json_free(manifest);
}
END_TEST

/* The figures of a manifest with these conditions, of which each has one attempt. */
static assay_json *model_with(const char *evaluation)
{
	char text[1200];
	assay_error err = {0};
	as_figures *f = NULL;
	assay_json *m = NULL, *manifest;
	snprintf(text, sizeof text, "{'evaluation':{%s}}", evaluation);
	manifest = json(text);
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	add_task(f, "t", "easy", 0, "[]");
	for (const assay_json *c = as_json_first(as_json_pointer(manifest, "/evaluation/conditions")); c;
	     c = as_json_next(c)) {
		const char *name = as_json_cstr(as_json_get(c, "name"), "");
		add_attempt(f, name, &(attempt){name, "x", "t", "E", 1, 1, "finished", false, "pass", 1, 0, NULL});
	}
	ck_ok(as_figures_finish(f, &m, &err));
	as_figures_free(f);
	as_json_free(manifest);
	return m;
}

#define WORLD(near, more) "'world':{'replay':'stateful','near':" near more "}"
#define SCRIBE "'descriptions':{'use':'world/describe','model':'scribe'}"
#define ACTOR ",'simulate':{'use':'world/simulate','model':'actor'}"

/* What makes a condition beside its exposure, and a model that judges, are told. */
START_TEST(test_settings)
{
	assay_json *m = model_with("'conditions':[{'name':'a'," WORLD(
		"0.75", "") ",'budget':{'turns':9}}],"
			    "'scorers':[{'use':'scorer/equivalence','model':'judge'},{'use':'scorer/effects',"
			    "'headline':true}]");
	ck_assert_ptr_null(as_json_pointer(m, "/leaderboard/0/setting"));
	ck_assert_uint_eq(as_json_count(as_json_get(m, "captions")), 1);
	as_json_free(m);
	m = model_with("'conditions':[{'name':'a'," WORLD(
		"0.75",
		"") "," SCRIBE ",'budget':{'turns':9}},"
		    "{'name':'b'," WORLD(
			    "0.5",
			    ACTOR) ",'budget':{'turns':9}},"
				   "{'name':'c'," WORLD(
					   "0.75",
					   "") ",'budget':{'turns':3}}],"
					       "'scorers':[{'use':'scorer/effects'},{'use':'scorer/equivalence','model':'judge',"
					       "'headline':true}]");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(m, "/leaderboard/0/setting"), ""),
			 "descriptions by world/describe with model scribe; near recordings from 0.75; "
			 "budget {\"turns\":9}");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(m, "/leaderboard/1/setting"), ""),
			 "replies that the tape lacks by world/simulate with model actor; near recordings from 0.5; "
			 "budget {\"turns\":9}");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(m, "/leaderboard/2/setting"), ""),
			 "near recordings from 0.75; budget {\"turns\":3}");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(m, "/captions/1"), ""),
			 "What passes is decided by scorer/equivalence with model judge.");
	as_json_free(m);
}
END_TEST

/* An attempt that waits for its judge or for made-up replies is in the bounds of a rate: left out, it would raise the
 * rate, since only failing attempts ask. Tries before its last, and attempts that got over it, count as ever. */
START_TEST(test_pending)
{
	static const attempt made[] = {
		{"z", "c", "t", "E", 1, 1, "finished", false, "pass", 1, 0, NULL},
		{"z", "c", "t", "E", 0, 1, "judge_unreachable", true, "unknown", 1, 0, NULL},
		{"z", "c", "u", "E", 0, 0, "simulator_unreachable", true, "fail", 1, 0, NULL},
		{"z", "c", "u", "E", 0, 0, "simulator_unreachable", true, "fail", 1, 0, NULL},
		{"z", "c", "u", "E", 0, 0, "simulator_unreachable", true, "fail", 1, 0, NULL},
		{"z", "c", "u", "E", 0, 0, "finished", false, "fail", 1, 0, NULL},
		{"z", "c", "u", "E", 0, 0, "model_unreachable", true, "fail", 1, 0, NULL},
	};
	static const char *const ids[] = {"1", "2", "3", "3", "4", "4", "5"};
	assay_error err = {0};
	as_figures *f = NULL;
	assay_json *m = NULL, *manifest = json("{'evaluation':{'conditions':[{'name':'z'}],'scorers':["
					       "{'use':'scorer/one'},{'use':'scorer/head'}]}}");
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	add_task(f, "t", "easy", 0, "[]");
	add_task(f, "u", "easy", 1, "[]");
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		assay_json *verdict = json("{'verdict':'fail','lo':0,'hi':0}");
		const as_figure_attempt row = {.task_id = as_str(made[i].task),
					       .candidate = as_str(made[i].candidate),
					       .condition = as_str(made[i].condition),
					       .end = as_str(made[i].end),
					       .voided = made[i].voided};
		add_attempt(f, ids[i], &made[i]);
		ck_ok(as_figures_add_verdict(f, &row, 0, verdict, &err));
		as_json_free(verdict);
	}
	ck_ok(as_figures_finish(f, &m, &err));
	const assay_json *r = row_of(as_json_get(m, "leaderboard"), "z", "c");
	ck_assert_str_eq(member_text(r, "/attempts"), "4"); /* 1, 2, 3, and the good try of 4 */
	ck_assert_str_eq(member_text(r, "/pending"), "2");
	ck_assert_str_eq(member_text(r, "/void"), "3");
	ck_assert_str_eq(member_text(r, "/voids"),
			 "{'judge_unreachable':1,'model_unreachable':1,'simulator_unreachable':3}");
	ck_assert_ptr_null(as_json_get(r, "setting"));
	ck_assert_uint_eq(as_json_count(as_json_get(m, "captions")), 2); /* one of them tells what pending means */
	are_bounds(r, "/pass_rate", 0.25, 0.75);
	are_bounds(r, "/pass_hat_k", 0.0, 0.5);
	are_bounds(r, "/pass_at_k", 0.5, 1.0);
	ck_assert_str_eq(member_text(m, "/tasks/1/passes/0/attempts"), "2");
	ck_assert_str_eq(member_text(m, "/tasks/1/passes/0/passed_hi"), "1");
	/* The other scorers have spoken of what waits for the headline's judge. */
	ck_assert_str_eq(member_text(m, "/scorers/0/attempts"), "3");
	as_json_free(m);
	as_figures_free(f);
	as_json_free(manifest);
}
END_TEST

/* Nothing at all, and attempts without trace and verdict. */
START_TEST(test_empty)
{
	assay_error err = {0};
	as_figures *f = NULL;
	assay_json *manifest = json("{}"), *m = NULL;
	as_figure_attempt bare = {ASSAY_STR("a"),           ASSAY_STR("t"), ASSAY_STR("c"), ASSAY_STR("d"),
				  ASSAY_STR("unreachable"), true,           NULL,           NULL};
	ck_ok(as_figures_new(manifest, BENCH, &f, &err));
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_str_eq(member_text(m, "/leaderboard"), "[]");
	ck_assert_str_eq(member_text(m, "/name"), "null");
	as_json_free(m);
	add_task(f, "t", "easy", 0, "[]");
	ck_ok(as_figures_add_attempt(f, &bare, &err));
	ck_ok(as_figures_finish(f, &m, &err));
	ck_assert_str_eq(member_text(m, "/leaderboard/0/void"), "1");
	ck_assert_str_eq(member_text(m, "/leaderboard/0/ends"), "{'unreachable':1}");
	as_json_free(m);
	as_figures_free(f);
	as_figures_free(NULL);
	as_json_free(manifest);
}
END_TEST

UNIT_SUITE(suite, "figures", test_head, test_funnel, test_rates, test_intervals, test_served, test_ordering,
	   test_tables, test_same_bytes, test_other_scorers, test_pending, test_settings, test_empty)
UNIT_MAIN(suite)
