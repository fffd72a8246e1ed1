/* The recorder between an exposure and a world: what is offered, what comes of a call, and that nothing gets lost. */
#include "core/world/recorder.h"
#include "tests/unit/catalogue_kit.h"

#include <stdio.h>

/* A world that answers by the tool's name. */
typedef struct toy_world {
	as_world base;
	unsigned calls;
	bool asks;
	char last[512]; /* "server.tool arguments" */
} toy_world;

static int toy_call(as_world *base, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		    as_answer *out, assay_error *err)
{
	toy_world *w = (toy_world *)base;
	(void)call;
	*out = (as_answer){.served = ASSAY_SERVED_EXACT, .version = "v"};
	snprintf(w->last, sizeof w->last, "%.*s.%.*s %s", ASSAY_FMT(server), ASSAY_FMT(tool),
		 arguments ? text_of(arguments) : "none");
	w->calls++;
	out->asked = w->asks ? json("[{'method':'roots/list'}]") : NULL;
	if (as_str_is(tool, "peek")) {
		return as_fail(err, ASSAY_EUNREACH, "the server is gone");
	}
	if (as_str_is(tool, "look")) {
		out->status = ASSAY_STEP_ERROR;
		out->error = json("{'code':'McpError','message':'no such method','raw':null}");
		return 0;
	}
	out->result = json("{'content':[{'type':'text','text':'0123456789'}],'isError':false}");
	if (as_str_is(tool, "poke")) {
		out->status = ASSAY_STEP_ERROR;
		out->error = as_tool_error(out->result);
	}
	return 0;
}

static void toy_close(as_world *base, as_call *call)
{
	(void)base;
	(void)call;
}

static const as_world_ops toy_ops = {toy_call, NULL, toy_close};

typedef struct stage {
	toy_world world;
	as_registry *registry;
	as_instance *exposure;
	as_catalogue *catalogue;
	assay_json *ids;
	as_arena arena;
	as_call call;
	as_cancel *cancel;
	as_recorder_options options;
	as_recorder *recorder;
	assay_text text; /* of the last act */
	int is_error;
} stage;

static void set_up(stage *s, const char *use, const char *options)
{
	static const char *const dirs[] = {TEST_BUILDDIR "/tests/sdk", NULL};
	const as_registry_options where = {.dirs = dirs, .lib_dir = TEST_BUILDDIR "/lib"};
	assay_error err = {0};
	assay_json *o = json(options);
	*s = (stage){.world = {.base = {&toy_ops}}, .catalogue = kit_catalogue(), .ids = json("['notes']")};
	ck_ok(as_registry_new(&where, &s->registry, &err));
	ck_ok(as_instance_open(s->registry, use, ASSAY_ROLE_EXPOSURE, o, NULL, &s->exposure, &err));
	as_call_init(&s->call);
	s->options =
		(as_recorder_options){.world = &s->world.base,
				      .catalogue = s->catalogue,
				      .exposure = s->exposure,
				      .request = {.size = sizeof s->options.request, .prompt = ASSAY_STR("note it")},
				      .seed_metadata = json("{'task_id':'t'}"),
				      .trace_servers = s->ids,
				      .text_cut = 8,
				      .max_calls = 20};
	ck_ok(as_catalogue_surface(s->catalogue, s->ids, &s->arena, &s->options.request.surface, &err));
	as_json_free(o);
}

static void tear_down(stage *s)
{
	as_text_free(&s->text);
	as_recorder_close(s->recorder);
	as_instance_close(s->exposure);
	as_registry_free(s->registry);
	as_catalogue_free(s->catalogue);
	as_json_free(s->ids);
	as_cancel_free(s->cancel);
	as_arena_free(&s->arena);
}

static void start(stage *s, const char *use)
{
	assay_error err = {0};
	set_up(s, use, "{}");
	ck_ok(as_recorder_open(&s->options, &s->recorder, &err));
	ck_ok(as_recorder_offer(s->recorder, &s->call, &err));
}

static int act(stage *s, const char *name, const char *arguments, assay_error *err)
{
	assay_json *a = arguments ? json(arguments) : NULL;
	int rc;
	as_text_free(&s->text);
	s->text = (assay_text){NULL, 0};
	rc = as_recorder_act(s->recorder, &s->call, as_str(name), a, &s->text, &s->is_error, err);
	as_json_free(a);
	return rc;
}

static void reads(stage *s, const char *name, const char *arguments, int is_error, const char *text)
{
	assay_error err = {0};
	ck_ok(act(s, name, arguments, &err));
	ck_str_is(as_text_str(s->text), text);
	ck_assert_int_eq(s->is_error, is_error);
}

static as_trace *finished(stage *s, const char *exploration)
{
	assay_error err = {0};
	as_trace *t = NULL;
	ck_ok(as_recorder_finish(s->recorder, exploration ? json(exploration) : NULL, &t, &err));
	return t;
}

START_TEST(test_offers)
{
	assay_error err = {0};
	const assay_json *tools;
	stage s;
	start(&s, "exposure/toy");
	ck_ok(as_recorder_offers(s.recorder, &tools, &err));
	ck_assert_uint_eq(as_json_count(tools),
			  12); /* six of the server, one again, five own; the second "find" is no more */
	ck_assert_str_eq(member_text(tools, "/5"),
			 "{'name':'notes__save','description':'Save a note','parameters':{'type':'object'}}");
	ck_assert_str_eq(member_text(tools, "/0"),
			 "{'name':'notes__delete_note','description':'','parameters':{'type':'object'}}");
	ck_assert_str_eq(member_text(tools, "/6"), "{'name':'alias','description':'another name','parameters':{}}");
	ck_assert_str_eq(member_text(tools, "/7"), "{'name':'find','description':'','parameters':{'type':'object'}}");
	tear_down(&s);
}
END_TEST

START_TEST(test_flat)
{
	assay_error err = {0};
	const assay_json *tools;
	as_trace *t;
	stage s;
	start(&s, "exposure/flat");
	ck_ok(as_recorder_offers(s.recorder, &tools, &err));
	ck_assert_uint_eq(as_json_count(tools), 6);
	reads(&s, "notes__save", "{}", 0, "01234567\n[... 2 more characters cut]");
	t = finished(&s, NULL);
	ck_assert_str_eq(member_text(as_trace_document(t), "/seed_metadata"), "{'task_id':'t','exploration':null}");
	as_trace_free(t);
	tear_down(&s);
}
END_TEST

/* Calls of the world: by name, by another name, through the exposure; results whole in the trace, cut for the model. */
START_TEST(test_world_calls)
{
	stage s;
	as_trace *t;
	size_t n, n_times;
	const assay_step *steps;
	const as_call_time *times;
	start(&s, "exposure/toy");
	reads(&s, "notes__save", "{'b':1,'a':2}", 0, "01234567\n[... 2 more characters cut]");
	ck_assert_str_eq(s.world.last, "notes.save {'b':1,'a':2}");
	reads(&s, "alias", NULL, 0, "01234567\n[... 2 more characters cut]");
	ck_assert_str_eq(s.world.last, "notes.delete_note none");
	reads(&s, "via", "{'x':1}", 0, "01234567\n[... 2 more characters cut]");
	ck_assert_str_eq(s.world.last, "notes.save {'routed':true}");
	s.world.asks = true;
	reads(&s, "notes__poke", "{}", 1, "[tool er\n[... 15 more characters cut]");
	s.world.asks = false;
	reads(&s, "notes__look", "{}", 1, "[exception] McpError: no such method");
	t = finished(&s, "{'final_message':'done','turns':2}");
	steps = as_trace_steps(t, &n);
	ck_assert_uint_eq(n, 5);
	ck_str_is(steps[0].text, "0123456789");
	ck_assert_uint_eq(steps[0].served, ASSAY_SERVED_EXACT);
	ck_assert_str_eq(text_of(steps[2].arguments), "{'routed':true}");
	ck_assert_uint_eq(steps[3].status, ASSAY_STEP_ERROR);
	ck_assert_ptr_null(steps[4].result);
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/4/error/code"), "'McpError'");
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/0/assay"), "{'served':'exact','version':'v'}");
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/3/assay"),
			 "{'served':'exact','version':'v','asked':[{'method':'roots/list'}]}");
	ck_assert_str_eq(member_text(as_trace_document(t), "/goal"), "'note it'");
	ck_assert_str_eq(member_text(as_trace_document(t), "/servers/0/server_name"), "'Notes'");
	ck_assert_uint_eq(as_json_count(as_json_pointer(as_trace_document(t), "/tool_specs/notes")), 6);
	ck_str_is(as_trace_final_message(t), "done");
	n_times = as_recorder_times(s.recorder, &times);
	ck_assert_uint_eq(n_times, 5);
	ck_assert(times[0].start_us > 0 && times[0].length_us >= 0);
	as_trace_free(t);
	tear_down(&s);
}
END_TEST

/* What never reaches the world is no step, and not lost either. */
START_TEST(test_beside_the_world)
{
	stage s;
	as_trace *t;
	size_t n, n_steps;
	const assay_step *aside;
	start(&s, "exposure/toy");
	reads(&s, "nothing", "{'x':1}", 1,
	      "[tool error] there is no tool called \"nothing\". Tools on offer: alias, array, broken, find, never, "
	      "notes__delete_note, notes__look, notes__peek, notes__poke, notes__read_note, notes__save, via");
	reads(&s, "find", NULL, 0, "found: save");
	ck_assert_uint_eq(s.world.calls, 0);
	reads(&s, "notes__save", "[1]", 1, "[tool error] the arguments of a call are a JSON object");
	ck_assert_uint_eq(s.world.calls, 0);
	reads(&s, "notes__save", "null", 0, "01234567\n[... 2 more characters cut]");
	reads(&s, "never", "{}", 1,
	      "[tool error] there is no tool called \"never\". Tools on offer: alias, array, broken, find, never, "
	      "notes__delete_note, notes__look, notes__peek, notes__poke, notes__read_note, notes__save, via");
	t = finished(&s, NULL);
	as_trace_steps(t, &n_steps);
	ck_assert_uint_eq(n_steps, 1);
	aside = as_trace_refused(t, &n);
	ck_assert_uint_eq(n, 4);
	ck_str_is(aside[0].tool, "nothing");
	ck_assert_uint_eq(aside[0].status, ASSAY_STEP_ERROR);
	ck_assert_uint_eq(aside[1].status, ASSAY_STEP_SUCCESS);
	ck_str_is(aside[1].text, "found: save");
	ck_assert_int_eq(aside[3].id, 1);
	ck_assert_str_eq(member_text(as_trace_document(t), "/seed_metadata/assay/refused/2/arguments"), "[1]");
	as_trace_free(t);
	tear_down(&s);
}
END_TEST

/* Names that a model thinks up are cut where they are shown. */
START_TEST(test_long_name)
{
	assay_error err = {0};
	stage s;
	char name[4000];
	start(&s, "exposure/flat");
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ck_ok(act(&s, name, "{}", &err));
	ck_assert_uint_lt(s.text.len, 400);
	ck_assert_int_eq(s.is_error, 1);
	tear_down(&s);
}
END_TEST

/* With the reference a server that breaks down is an exception that the agent reads. */
START_TEST(test_exceptions)
{
	assay_error err = {0};
	as_trace *t;
	stage s;
	set_up(&s, "exposure/toy", "{}");
	s.options.exceptions = true;
	ck_ok(as_recorder_open(&s.options, &s.recorder, &err));
	ck_ok(as_recorder_offer(s.recorder, &s.call, &err));
	reads(&s, "notes__peek", "{}", 1, "[exception] ConnectionError: the server is gone");
	ck_ok(act(&s, "notes__save", "{}", &err));
	ck_assert_int_eq(act(&s, "broken", "{}", &err), ASSAY_EDATA); /* a plugin's failure is no server's */
	t = finished(&s, NULL);
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/0/error"),
			 "{'code':'ConnectionError','message':'the server is gone','raw':null}");
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/0/result"), "null");
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/0/status"), "'error'");
	ck_assert_str_eq(member_text(as_trace_document(t), "/steps/1/status"), "'success'");
	as_trace_free(t);
	tear_down(&s);
}
END_TEST

/* What ends an attempt: a server that is gone, a plugin's failure, cancellation, too many calls. */
START_TEST(test_ends)
{
	assay_error err = {0};
	stage s;
	start(&s, "exposure/toy");
	ck_assert_int_eq(act(&s, "notes__peek", "{}", &err), ASSAY_EUNREACH);
	ck_assert_str_eq(err.message, "the server is gone");
	err = (assay_error){0};
	ck_assert_int_eq(act(&s, "broken", "{}", &err), ASSAY_EDATA);
	ck_assert_str_eq(error_line(&err), "exposure/toy: lost the way");
	err = (assay_error){0};
	ck_assert_int_eq(act(&s, "array", "{}", &err), ASSAY_EPLUGIN);
	ck_assert_str_eq(error_line(&err), "exposure/toy: an exposure made arguments that are no object");
	err = (assay_error){0};
	for (int i = 0; i < 17; i++) {
		ck_ok(act(&s, "notes__save", NULL, &err));
	}
	ck_assert_int_eq(act(&s, "notes__save", NULL, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "more than 20 calls in one attempt");
	err = (assay_error){0};
	ck_ok(as_cancel_new(&s.cancel, &err));
	as_cancel_set(s.cancel);
	s.call.cancel = s.cancel;
	ck_assert_int_eq(act(&s, "notes__save", NULL, &err), ASSAY_ECANCELED);
	tear_down(&s);
}
END_TEST

START_TEST(test_bad_exposures)
{
	assay_error err = {0};
	stage s;
	set_up(&s, "exposure/toy", "{'nameless':true}");
	ck_ok(as_recorder_open(&s.options, &s.recorder, &err));
	ck_assert_int_eq(as_recorder_offer(s.recorder, &s.call, &err), ASSAY_EPLUGIN);
	ck_assert_str_eq(error_line(&err), "exposure/toy: an exposure offered a tool without a name");
	tear_down(&s);
	err = (assay_error){0};
	set_up(&s, "exposure/toy", "{'fails':true}");
	ck_ok(as_recorder_open(&s.options, &s.recorder, &err));
	ck_assert_int_eq(as_recorder_offer(s.recorder, &s.call, &err), ASSAY_EDATA);
	ck_assert_str_eq(error_line(&err), "exposure/toy: no tools today");
	tear_down(&s);
}
END_TEST

/* The same calls give the same trace. */
START_TEST(test_same_bytes)
{
	as_trace *t[2];
	for (int i = 0; i < 2; i++) {
		stage s;
		start(&s, "exposure/toy");
		reads(&s, "notes__save", "{'a':1}", 0, "01234567\n[... 2 more characters cut]");
		reads(&s, "find", NULL, 0, "found: save");
		t[i] = finished(&s, "{'turns':1}");
		tear_down(&s);
	}
	ck_assert(as_str_eq(as_trace_id(t[0]), as_trace_id(t[1])));
	ck_assert_str_eq(text_of(as_trace_document(t[0])), text_of(as_trace_document(t[1])));
	as_trace_free(t[0]);
	as_trace_free(t[1]);
}
END_TEST

UNIT_SUITE(suite, "recorder", test_offers, test_flat, test_world_calls, test_beside_the_world, test_long_name,
	   test_exceptions, test_ends, test_bad_exposures, test_same_bytes)
UNIT_MAIN(suite)
