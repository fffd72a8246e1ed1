/* The effect scorer: its bounds (design page "replay", rule 8), and the edges of the rules that the golden vectors
 * leave out. */
#include "tests/unit/effects_kit.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

/* A step: "server.tool" arguments status served text. */
typedef struct play {
	const char *server, *tool, *arguments, *text;
	uint32_t status, served;
} play;

#define OK ASSAY_STEP_SUCCESS, ASSAY_SERVED_LIVE
#define FAILED ASSAY_STEP_ERROR, ASSAY_SERVED_LIVE
#define MISSED ASSAY_STEP_ERROR, ASSAY_SERVED_MISS

static assay_json *text_result(const char *text)
{
	assay_json *part = as_json_object(), *content = as_json_array(), *result = as_json_object();
	int rc = as_json_set(part, "type", as_json_cstring("text"));
	rc |= as_json_set(part, "text", as_json_cstring(text));
	rc |= as_json_append(content, part);
	rc |= as_json_set(result, "content", content);
	ck_assert_int_eq(rc, 0);
	return result;
}

static as_trace *trace_of(const play *plays, size_t n, const char *final_message)
{
	assay_error err = {0};
	as_trace *t = NULL;
	assay_json *exploration = as_json_object();
	ck_ok(as_trace_new(ASSAY_STR("p"), NULL, &t, &err));
	for (size_t i = 0; i < n; i++) {
		as_call_record r = {.server = as_str(plays[i].server),
				    .tool = as_str(plays[i].tool),
				    .arguments = plays[i].arguments ? json(plays[i].arguments) : NULL,
				    .result = plays[i].text ? text_result(plays[i].text) : NULL,
				    .status = plays[i].status,
				    .served = plays[i].served};
		ck_ok(as_trace_add_call(t, &r, NULL, &err));
	}
	ck_ok(as_trace_add_refused(t, ASSAY_STR("x"), NULL, ASSAY_STR("?"), &err));
	ck_ok(as_trace_add_answered(t, ASSAY_STR("y"), NULL, ASSAY_STR("!"), &err));
	ck_assert_int_eq(as_json_set(exploration, "final_message", as_json_cstring(final_message)), 0);
	ck_ok(as_trace_set_metadata(t, "exploration", exploration, &err));
	ck_ok(as_trace_finish(t, &err));
	return t;
}

static assay_json *verdict_on(const char *task, const play *plays, size_t n, const char *final_message,
			      const char *tags)
{
	assay_error err = {0};
	as_trace *t = trace_of(plays, n, final_message);
	assay_json *spec = json(task), *server_tags = tags ? json(tags) : NULL, *v = NULL;
	double lo, hi;
	ck_ok(effects_verdict(spec, t, server_tags, &v, &err));
	lo = as_json_f64(as_json_get(v, "lo"), -1);
	hi = as_json_f64(as_json_get(v, "hi"), -1);
	ck_assert(lo >= 0 && lo <= hi && hi <= 1); /* always */
	ck_assert_str_eq(member_text(v, "/verdict"), lo > 0 ? "'pass'" : "'fail'");
	as_json_free(spec);
	as_json_free(server_tags);
	as_trace_free(t);
	return v;
}

/* "lo hi" of the verdict, then "p" or "f" at either bound for each check. */
static void bounds(const char *task, const play *plays, size_t n, const char *final_message, const char *expected)
{
	char got[128];
	assay_json *v = verdict_on(task, plays, n, final_message, NULL);
	size_t used = (size_t)snprintf(got, sizeof got, "%d %d", (int)as_json_i64(as_json_get(v, "lo"), -1),
				       (int)as_json_i64(as_json_get(v, "hi"), -1));
	for (const assay_json *c = as_json_first(as_json_get(v, "checks")); c; c = as_json_next(c)) {
		used += (size_t)snprintf(got + used, sizeof got - used, " %c%c",
					 as_json_boolean(as_json_get(c, "passed"), 0) ? 'p' : 'f',
					 as_json_boolean(as_json_get(c, "hi"), 0) ? 'p' : 'f');
	}
	ck_assert_str_eq(got, expected);
	as_json_free(v);
}

#define PLAYS(list) list, sizeof list / sizeof *list
#define EFFECT(id, tool, rest)                                                                                         \
	"{'kind':'tool_effect','checkpoint_id':'" id "','equivalence_set':[{'server_id':'s','tool_name':'" tool        \
	"'}]" rest "}"
#define VALUE(id, text) "{'kind':'value_produced','checkpoint_id':'" id "','predicate':{'contains_all':['" text "']}}"
#define FINAL(id, text)                                                                                                \
	"{'kind':'value_produced','checkpoint_id':'" id                                                                \
	"','scope':'final_assistant_message','predicate':{'contains_all':['" text "']}}"
#define TASK(checkpoints) "{'checkpoints':[" checkpoints "]}"

/* Rule 8: a missed call is an error at the lower bound, and a success at the upper one if its own arguments are right.
 */
START_TEST(test_missed_effect)
{
	static const char task[] = TASK(EFFECT("a", "put", ",'arg_predicate':{'must_include':{'v':1}}"));
	static const play right[] = {{"s", "put", "{'v':1}", "no", MISSED}};
	static const play wrong[] = {{"s", "put", "{'v':2}", "no", MISSED}};
	static const play other[] = {{"s", "get", "{'v':1}", "no", MISSED}, {"t", "put", "{'v':1}", "no", MISSED}};
	static const play error[] = {{"s", "put", "{'v':1}", "no", FAILED}};
	static const play later[] = {{"s", "put", "{'v':1}", "no", MISSED}, {"s", "put", "{'v':1}", "ok", OK}};
	bounds(task, PLAYS(right), NULL, "0 1 fp");
	bounds(task, PLAYS(wrong), NULL, "0 0 ff");
	bounds(task, PLAYS(other), NULL, "0 0 ff");
	bounds(task, PLAYS(error), NULL, "0 0 ff"); /* a real error is one at both ends */
	bounds(task, PLAYS(later), NULL, "1 1 pp");
}
END_TEST

/* A missed call meets any value predicate, and opens the final message. */
START_TEST(test_missed_value)
{
	static const char value[] = TASK(VALUE("v", "sun")), final[] = TASK(FINAL("f", "sun"));
	static const play missed[] = {{"s", "get", "{}", "no", MISSED}}, failed[] = {{"s", "get", "{}", "sun", FAILED}};
	static const play had[] = {{"s", "get", "{}", "the sun", OK}};
	bounds(value, PLAYS(missed), NULL, "0 1 fp");
	bounds(value, PLAYS(failed), NULL, "0 0 ff");
	bounds(value, PLAYS(had), NULL, "1 1 pp");
	bounds(final, PLAYS(missed), "moon", "0 1 fp");
	bounds(final, PLAYS(missed), NULL, "0 1 fp");
	bounds(final, PLAYS(had), "moon", "0 0 ff");
	bounds(final, PLAYS(had), "sun", "1 1 pp");
	bounds(final, PLAYS(failed), "sun", "0 0 ff"); /* not grounded: no call succeeded */
	bounds(final, NULL, 0, "sun", "0 0 ff");
	bounds(final, PLAYS(had), NULL, "0 0 ff");
}
END_TEST

/* Minefields bite at both bounds, failed and missed calls included, and leave other calls alone. */
START_TEST(test_minefields)
{
	static const char task[] =
		"{'checkpoints':[],'minefields':[{'minefield_id':'m','forbidden_tool':{'server_id':'s','tool_name':'del'},"
		"'forbidden_arg_predicate':{'must_include':{'id':1}}},{'minefield_id':'n','forbidden_tool':null}]}";
	static const play failed[] = {{"s", "del", "{'id':2}", "ok", OK}, {"s", "del", "{'id':1}", "no", FAILED}};
	static const play missed[] = {{"s", "del", "{'id':1}", "no", MISSED}};
	static const play none[] = {{"s", "del", "{'id':2}", "ok", OK},
				    {"t", "del", "{'id':1}", "ok", OK},
				    {"s", "del", NULL, "ok", OK}};
	assay_json *v;
	bounds(task, PLAYS(failed), NULL, "0 0");
	bounds(task, PLAYS(missed), NULL, "0 0");
	bounds(task, PLAYS(none), NULL, "1 1");
	v = verdict_on(task, PLAYS(failed), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/minefields"),
			 "[{'id':'m','hit':true,'reason':'forbidden call in step #1','step':1},"
			 "{'id':'n','hit':false,'reason':'not touched','step':null}]");
	ck_assert_str_eq(member_text(v, "/summary/minefields_hit"), "1");
	as_json_free(v);
}
END_TEST

#define ORDERED(checkpoints, before, after)                                                                            \
	"{'checkpoints':[" checkpoints "],'ordering':[{'before_id':'" before "','after_id':'" after "'}]}"

START_TEST(test_ordering)
{
	static const char task[] = ORDERED(EFFECT("a", "one", "") "," EFFECT("b", "two", ""), "a", "b");
	static const play right[] = {{"s", "one", "{}", "x", OK}, {"s", "two", "{}", "x", OK}};
	static const play wrong[] = {{"s", "two", "{}", "x", OK},
				     {"s", "one", "{}", "x", OK},
				     {"s", "two", "{}", "x", OK}};
	static const play hidden[] = {{"s", "one", "{}", "x", MISSED},
				      {"s", "two", "{}", "x", OK},
				      {"s", "one", "{}", "x", OK}};
	static const play hides[] = {{"s", "two", "{}", "x", MISSED},
				     {"s", "one", "{}", "x", OK},
				     {"s", "two", "{}", "x", OK}};
	static const play half[] = {{"s", "one", "{}", "x", OK}};
	assay_json *v;
	bounds(task, PLAYS(right), NULL, "1 1 pp pp");
	bounds(task, PLAYS(wrong), NULL, "0 0 pp pp"); /* a later compliant repetition does not help */
	bounds(task, PLAYS(hidden), NULL, "0 1 pp pp");
	bounds(task, PLAYS(hides), NULL, "1 1 pp pp"); /* what is right at lo stays right at hi */
	bounds(task, PLAYS(half), NULL, "0 0 pp ff");
	v = verdict_on(task, PLAYS(wrong), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/ordering"),
			 "{'ok':false,'hi':false,'failures':['a before b: it came later']}");
	ck_assert_str_eq(member_text(v, "/summary/error_taxonomy/counts/E5"), "1");
	as_json_free(v);
	v = verdict_on(task, PLAYS(half), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/ordering/failures"), "['a before b: one of them was not reached']");
	as_json_free(v);
	v = verdict_on(ORDERED(EFFECT("a", "one", "") "," EFFECT("b", "one", ""), "a", "b"), PLAYS(right), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/ordering/failures"), "['a before b: one call meets both']");
	as_json_free(v);
	/* A final message has no place in any order, at no bound. */
	bounds(ORDERED(EFFECT("a", "one", "") "," FINAL("f", "sun"), "a", "f"), PLAYS(right), "sun", "0 0 pp pp");
}
END_TEST

/* With one id twice the last definition that was reached decides the order. */
START_TEST(test_duplicate_ids)
{
	static const char task[] =
		ORDERED(EFFECT("a", "two", "") "," EFFECT("a", "one", "") "," EFFECT("b", "three", ""), "a", "b");
	static const char fails[] =
		ORDERED(EFFECT("a", "one", "") "," EFFECT("a", "never", "") "," EFFECT("b", "three", ""), "a", "b");
	static const play plays[] = {{"s", "one", "{}", "x", OK},
				     {"s", "three", "{}", "x", OK},
				     {"s", "two", "{}", "x", OK}};
	assay_json *v;
	bounds(task, PLAYS(plays), NULL, "1 1 pp pp pp");
	v = verdict_on(fails, PLAYS(plays), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/ordering/ok"), "true");
	ck_assert_str_eq(member_text(v, "/summary/error_taxonomy/counts/E1"), "1"); /* "a" stands before something */
	as_json_free(v);
}
END_TEST

START_TEST(test_reasons)
{
	static const char task[] =
		TASK("{'kind':'tool_effect','checkpoint_id':'a','equivalence_set':[{'server_id':'s','tool_name':'x'},"
		     "{'server_id':'t','tool_name':'y'}]}," EFFECT("b", "one", "") "," VALUE("v", "moon") "," FINAL(
			     "f", "moon") ",{'kind':'state_condition','checkpoint_id':'z'},{'kind':'new'}");
	static const play plays[] = {{"s", "one", "{}", "sun", OK}};
	static const char *const reasons[] = {"'no successful call with the wanted arguments of any of {s.x, t.y}'",
					      "'matched step #0 s.one'", "'no successful result has the value'",
					      "'the final message lacks the value'",
					      "'a state condition needs a probe of the live state, and there is none'"};
	assay_json *v = verdict_on(task, PLAYS(plays), "sun", NULL);
	const assay_json *c = as_json_first(as_json_get(v, "checks"));
	for (size_t i = 0; i < 5; i++, c = as_json_next(c)) {
		ck_assert_str_eq(member_text(c, "/reason"), reasons[i]);
		ck_assert_str_eq(member_text(c, "/tier"), "1");
	}
	ck_assert_str_eq(member_text(c, "/id"), "null");
	ck_assert_str_eq(member_text(c, "/passed"), "false");
	ck_assert_str_eq(member_text(v, "/metrics"), "{'checkpoints_passed':0.16666666666666666,'defects':0}");
	as_json_free(v);
}
END_TEST

/* Attribution: the reference's counts successful calls, ours all attempts; refusals are apart. */
START_TEST(test_attribution)
{
	static const char task[] = TASK(EFFECT("a", "one", "") "," EFFECT("b", "two", ""));
	static const play plays[] = {{"t", "one", "{}", "x", OK},
				     {"u", "one", "{}", "x", OK},
				     {"t", "two", "{}", "x", FAILED},
				     {"s", "one", "{}", "x", OK},
				     {"t", "three", "{}", "x", OK}};
	assay_json *v = verdict_on(task, PLAYS(plays), NULL, "{'s':['k','l'],'t':['m','l'],'u':[]}");
	ck_assert_str_eq(
		member_text(v, "/summary/sae"),
		"{'total':2,'expected':1,'random':1,'correct_type_calls':1,'conditional_rate':0.6667,'events':["
		"{'tool_name':'one','called_server':'t','correct_servers':['s'],'subtype':'expected'},"
		"{'tool_name':'one','called_server':'u','correct_servers':['s'],'subtype':'random'}]}");
	ck_assert_str_eq(member_text(v, "/summary/assay/attempted_sae/total"), "3");
	ck_assert_str_eq(member_text(v, "/summary/assay/refused_calls"), "1"); /* what the exposure answered is none */
	ck_assert_str_eq(member_text(v, "/summary/agent_call_count"), "5");
	ck_assert_str_eq(member_text(v, "/summary/agent_call_success_count"), "4");
	as_json_free(v);
}
END_TEST

/* "trust": what was answered at another level is as good as a miss, for effects, values and messages alike. */
START_TEST(test_trust)
{
	static const struct {
		const char *trust, *near, *simulated;
	} cases[] = {{NULL, "1 1", "0 1"},
		     {"{}", "1 1", "0 1"},
		     {"{'trust':['live','exact']}", "0 1", "0 1"},
		     {"{'trust':['near']}", "1 1", "0 1"},
		     {"{'trust':['simulated']}", "0 1", "1 1"},
		     {"{'trust':[]}", "0 1", "0 1"}};
	static const char *const tasks[] = {TASK(EFFECT("a", "put", "")), TASK(VALUE("v", "sun")),
					    TASK(FINAL("f", "sun"))};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t k = 0; k < 6; k++) {
			assay_error err = {0};
			assay_json *spec = json(tasks[k / 2]), *options = cases[i].trust ? json(cases[i].trust) : NULL;
			assay_json *v = NULL, *said = json("{'final_message':'the sun'}");
			as_trace *t = NULL;
			as_call_record r = {.server = ASSAY_STR("s"),
					    .tool = ASSAY_STR("put"),
					    .result = text_result("the sun"),
					    .served = k % 2 ? ASSAY_SERVED_SIMULATED : ASSAY_SERVED_NEAR};
			char got[16];
			ck_ok(as_trace_new(ASSAY_STR("p"), NULL, &t, &err));
			ck_ok(as_trace_add_call(t, &r, NULL, &err));
			ck_ok(as_trace_set_metadata(t, "exploration", said, &err));
			ck_ok(as_trace_finish(t, &err));
			ck_ok(effects_verdict_with(options, spec, t, NULL, &v, &err));
			snprintf(got, sizeof got, "%d %d", (int)as_json_i64(as_json_get(v, "lo"), -1),
				 (int)as_json_i64(as_json_get(v, "hi"), -1));
			ck_assert_str_eq(got, k % 2 ? cases[i].simulated : cases[i].near);
			as_json_free(v);
			as_json_free(spec);
			as_json_free(options);
			as_trace_free(t);
		}
	}
}
END_TEST

/* A search without end is a defect of the check, told apart, and the check is not met. */
START_TEST(test_defects)
{
	static const char task[] = TASK(
		"{'kind':'value_produced','checkpoint_id':'v','predicate':{'regex':'^(a|aa|aaa)*$'}}," EFFECT("b",
													      "one",
													      ""));
	static const play plays[] = {
		{"s", "one", "{}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", OK}};
	assay_json *v = verdict_on(task, PLAYS(plays), NULL, NULL);
	ck_assert_str_eq(member_text(v, "/metrics"), "{'checkpoints_passed':0.5,'defects':1}");
	ck_assert_str_eq(member_text(v, "/checks/0/reason"), "'a regular expression ran out of its match limit'");
	as_json_free(v);
}
END_TEST

/* Tasks that nobody checked: nothing but a verdict comes of them. */
START_TEST(test_hostile_tasks)
{
	static const play plays[] = {{"s", "one", NULL, NULL, OK}, {"s", "one", "{'a':{'b':[1]}}", "x", MISSED}};
	static const char *const tasks[] = {
		"{}",
		"[]",
		"{'checkpoints':5,'minefields':'x','ordering':{}}",
		"{'checkpoints':[null,5,'x',[]],'minefields':[null,7]}",
		"{'checkpoints':[{'kind':'tool_effect'}],'ordering':[null,{}]}",
		TASK("{'kind':'tool_effect','checkpoint_id':{},'equivalence_set':{'a':{'server_id':'s','tool_name':'one'}}}"),
		TASK(EFFECT("a", "one", ",'arg_predicate':'x','must_succeed':'?'")),
		"{'checkpoints':[{'kind':'value_produced','predicate':[1]}],'minefields':[{'forbidden_tool':'s.one'}]}",
	};
	for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
		assay_json *v = verdict_on(tasks[i], PLAYS(plays), NULL, NULL);
		ck_assert_int_eq(as_json_type(as_json_get(v, "summary")), ASSAY_JSON_OBJECT);
		as_json_free(v);
	}
}
END_TEST

/* A state condition is what the world shows in the end: its probe's answer, which a miss may keep back. */
START_TEST(test_states)
{
	static const char task[] =
		"{'checkpoints':[{'kind':'state_condition','checkpoint_id':'z','probe':{'server_id':'s',"
		"'tool_name':'look','predicate':{'contains_all':['moon']}}}]}";
	static const struct {
		const char *probes, *lo, *hi, *reason;
		bool missed;
	} cases[] = {
		{"['success','exact','the moon']", "true", "true", "'the state shows the value'", false},
		{"['success','exact','the sun']", "false", "false", "'the state does not show the value'", false},
		{"['success','exact','the sun']", "false", "true", "'the state does not show the value'", true},
		{"['error','live','the moon']", "false", "false", "'the probe failed'", false},
		{"['error','miss','the moon']", "false", "true", "'the tape does not know what the state shows'",
		 false},
		{NULL, "false", "false", "'a state condition needs a probe of the live state, and there is none'",
		 false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_error err = {0};
		as_trace *t = NULL;
		assay_json *v = NULL, *spec = json(task), *said = cases[i].probes ? json(cases[i].probes) : NULL;
		ck_ok(as_trace_new(ASSAY_STR("p"), NULL, &t, &err));
		if (cases[i].missed) {
			as_call_record r = {.server = ASSAY_STR("s"),
					    .tool = ASSAY_STR("put"),
					    .status = ASSAY_STEP_ERROR,
					    .served = ASSAY_SERVED_MISS};
			ck_ok(as_trace_add_call(t, &r, NULL, &err));
		}
		if (said) {
			assay_json *list = as_json_array(), *e = json("{'checkpoint_id':'z','server_id':'s'}");
			int rc = as_json_set(e, "status", as_json_clone(as_json_at(said, 0)));
			rc |= as_json_set(e, "served", as_json_clone(as_json_at(said, 1)));
			rc |= as_json_set(e, "result", text_result(as_json_cstr(as_json_at(said, 2), "")));
			rc |= as_json_append(list, e);
			ck_assert_int_eq(rc, 0);
			ck_ok(as_trace_set_ours(t, "probes", list, &err));
		}
		ck_ok(as_trace_finish(t, &err));
		ck_ok(effects_verdict(spec, t, NULL, &v, &err));
		ck_assert_str_eq(member_text(v, "/checks/0/passed"), cases[i].lo);
		ck_assert_str_eq(member_text(v, "/checks/0/hi"), cases[i].hi);
		ck_assert_str_eq(member_text(v, "/checks/0/reason"), cases[i].reason);
		as_json_free(v);
		as_json_free(spec);
		as_json_free(said);
		as_trace_free(t);
	}
}
END_TEST

UNIT_SUITE(suite, "scorer", test_states, test_missed_effect, test_missed_value, test_minefields, test_ordering,
	   test_duplicate_ids, test_reasons, test_attribution, test_trust, test_defects, test_hostile_tasks)
UNIT_MAIN(suite)
