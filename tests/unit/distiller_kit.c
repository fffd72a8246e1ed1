/* What stands behind the toy traces of test_distiller. */
#include "tests/unit/distiller_kit.h"
#include "core/base/error.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "core/task/task.h"
#include "core/trace/trace.h"
#include "core/world/probe.h"
#include "tests/unit/unit.h"
#include <assay/roles/distiller.h>
#include <stdio.h>
#include <string.h>

extern const assay_plugin *distiller_provenance_LTX_assay_plugin_v1(void);
extern const assay_plugin *scorer_effects_LTX_assay_plugin_v1(void);

#define T(name, required, properties)                                                                                  \
	"{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\",\"required\":[" required                          \
	"],\"properties\":{" properties "}}}"
#define S(name) "\"" name "\":{\"type\":\"string\"}"
#define I(name) "\"" name "\":{\"type\":\"integer\"}"
#define STRINGS(name) "\"" name "\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define SERVER(id, kind, tools) "{\"server_id\":\"" id "\",\"class\":\"" kind "\",\"tools\":[" tools "]}"
#define UNIT(name) "\"" name "\":{\"type\":\"string\",\"enum\":[\"nautical_miles\",\"miles\",\"kilometres\"]}"

/* One text; by lines, as a formatter would not leave them. */
/* clang-format off */
static const char records[] =
	"["
	SERVER("notes", "stateful_write",
	       T("list_notes", "", S("tag")) ","
	       T("read_note", "\"title\"", S("title")) ","
	       T("search", "\"query\"", S("query") ",\"limit\":{\"type\":\"integer\",\"default\":10}") ","
	       T("create_note", "\"title\",\"content\"", S("title") "," S("content") "," STRINGS("tags")) ","
	       T("append_note", "\"title\",\"content\"", S("title") "," S("content")) ","
	       T("delete_note", "\"title\"", S("title"))) ","
	SERVER("shop", "stateful_write",
	       T("search", "\"query\"", S("query")) ","
	       T("get_product", "\"product_id\"", S("product_id")) ","
	       T("list_orders", "",
		 S("customer_id") ",\"status\":{\"type\":\"string\",\"enum\":[\"open\",\"packed\",\"shipped\"]}") ","
	       T("get_order", "\"order_id\"", I("order_id")) ","
	       T("place_order", "\"customer_id\",\"items\"",
		 S("customer_id") ",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
				  S("product_id") "," I("quantity") "}}}") ","
	       T("delete_customer", "\"customer_id\"", S("customer_id")) ","
	       "{\"name\":\"cancel_order\",\"annotations\":{\"destructiveHint\":true},\"inputSchema\":"
	       "{\"type\":\"object\",\"properties\":{" I("order_id") "}}}") ","
	SERVER("mirror", "live_read",
	       T("search", "\"query\"", S("query")) ","
	       T("get_product", "\"product_id\"", S("product_id")) ","
	       T("list_orders", "\"day\"", S("day")) ","
	       T("delete_mirror", "", S("x"))) ","
	SERVER("almanac", "static",
	       T("get_details", "\"city\"", S("city")) ","
	       T("daily_figures", "\"city\"", S("city")) ","
	       T("convert_units", "\"value\",\"from_unit\",\"to_unit\"",
		 "\"value\":{\"type\":\"number\"}," UNIT("from_unit") "," UNIT("to_unit")
		 ",\"decimals\":{\"type\":\"integer\",\"default\":4}") ","
	       T("weekday", "\"date\"", S("date")))
	"]";
/* clang-format on */

static assay_json *parse(const char *text)
{
	assay_json *v = NULL;
	assay_error err = {0};
	if (as_json_parse(as_str(text), ASSAY_JSON_PEER, &v, &err) != 0) {
		ck_abort_msg("test data: %s: %s", err.message, text);
	}
	return v;
}

/* --- The hooks --------------------------------------------------------------------------------------------------- */

typedef struct kit_world {
	const kit_case *c;
	kit_run *run;
	char called[1024]; /* " shop.search notes.create_note " since the last reset */
} kit_world;

static assay_json *make_result(const assay_json *structured, assay_str text, bool is_error)
{
	assay_json *result = as_json_object(), *content = as_json_array(), *part = as_json_object();
	assay_text dumped = {0};
	int bad = 0;
	if (structured) {
		bad |= as_json_dump(structured, ASSAY_JSON_COMPACT, &dumped, NULL);
		text = as_text_str(dumped);
	}
	bad |= as_json_set(part, "type", as_json_cstring("text"));
	bad |= as_json_set(part, "text", as_json_string(text));
	bad |= as_json_append(content, part);
	bad |= as_json_set(result, "content", content);
	if (structured) {
		bad |= as_json_set(result, "structuredContent", as_json_clone(structured));
	}
	bad |= as_json_set(result, "isError", as_json_truth(is_error));
	as_text_free(&dumped);
	ck_assert_int_eq(bad, 0);
	return result;
}

static int world_call(void *context, assay_str server, assay_str tool, const assay_json *arguments, assay_json **result,
		      int *is_error, assay_error *err)
{
	kit_world *w = context;
	char name[120];
	ck_assert(arguments != NULL);
	w->run->calls++;
	ck_assert_msg(w->c->options || w->run->calls <= w->run->resets, "a call in an environment that is not fresh");
	if (w->c->world_fails) {
		return as_fail(err, w->c->world_fails, "the toy world fails");
	}
	snprintf(name, sizeof name, "%.*s.%.*s", ASSAY_FMT(server), ASSAY_FMT(tool));
	snprintf(w->called + strlen(w->called), sizeof w->called - strlen(w->called), "%s ", name);
	for (const kit_reply *r = w->c->world; r->tool; r++) {
		if (strcmp(r->tool, name) == 0 && (!r->after || strstr(w->called, r->after))) {
			assay_json *structured = r->result ? parse(r->result) : NULL;
			*is_error = r->result == NULL;
			*result = make_result(structured, ASSAY_STR("no"), *is_error);
			as_json_free(structured);
			return 0;
		}
	}
	ck_abort_msg("nobody may call %s", name);
	return ASSAY_EINTERNAL;
}

static int world_reset(void *context, assay_error *err)
{
	kit_world *w = context;
	(void)err;
	w->run->resets++;
	w->called[0] = '\0';
	return w->c->world ? 0 : as_fail(err, ASSAY_ENOTSUP, "there is no live world in this operation");
}

static assay_json *leave_out(const assay_json *trace, int64_t step)
{
	assay_json *copy = as_json_clone(trace), *kept = as_json_array();
	for (const assay_json *s = as_json_first(as_json_get(trace, "steps")); s; s = as_json_next(s)) {
		if (as_json_i64(as_json_get(s, "step_id"), -1) != step) {
			ck_assert_int_eq(as_json_append(kept, as_json_clone(s)), 0);
		}
	}
	ck_assert_int_eq(as_json_set(copy, "steps", kept), 0);
	return copy;
}

static int score(void *context, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		 assay_error *err)
{
	kit_world *w = context;
	const assay_scorer_ops *ops = scorer_effects_LTX_assay_plugin_v1()->impls[0]->ops;
	void *self = NULL;
	as_trace *t = NULL;
	assay_subject subject;
	as_collect got;
	assay_json *verdict = NULL, *steps_only = NULL;
	as_call call;
	w->run->scores++;
	if (w->c->fail_score) {
		return as_fail(err, w->c->fail_score, "the toy scorer fails");
	}
	if (w->c->score_says) {
		*passed = w->c->score_says > 0;
		return 0;
	}
	as_call_init(&call);
	as_collect_init(&got, 1, 0);
	ck_assert_int_eq(as_trace_from_json(leave_out(trace, without), &t, err), 0);
	ck_assert_int_eq(as_task_without_states(task, &steps_only, err), 0);
	as_trace_subject(t, steps_only, NULL, &subject);
	ck_assert_int_eq(ops->open(as_host(), NULL, &self, err), 0);
	ck_assert_int_eq(ops->score(self, &call.pub, &subject, &got.sink, err), 0);
	ops->close(self);
	ck_assert_int_eq(as_collect_one(&got, "scorer/effects", &verdict, err), 0);
	*passed = as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass");
	as_json_free(verdict);
	as_json_free(steps_only);
	as_collect_free(&got);
	as_trace_free(t);
	return 0;
}

static const as_call_hooks hooks = {.world_call = world_call, .world_reset = world_reset, .score = score};

/* --- A host that runs out of memory ------------------------------------------------------------------------------ */

static long countdown; /* the host's makers take no context */

static bool runs_out(void)
{
	return countdown > 0 && --countdown == 0;
}

static void *poor_alloc(size_t size)
{
	return runs_out() ? NULL : as_host()->alloc(size);
}

static assay_json *poor_object(void)
{
	return runs_out() ? NULL : as_json_object();
}

static assay_json *poor_array(void)
{
	return runs_out() ? NULL : as_json_array();
}

static assay_json *poor_string(assay_str s)
{
	return runs_out() ? NULL : as_json_string(s);
}

static assay_json *poor_clone(const assay_json *v)
{
	return runs_out() ? NULL : as_json_clone(v);
}

static int poor_dump(const assay_json *v, uint32_t style, assay_text *out, assay_error *err)
{
	return runs_out() ? as_fail_memory(err) : as_json_dump(v, style, out, err);
}

static void make_poor(assay_host *host, assay_json_api *json, long fail_alloc)
{
	*host = *as_host();
	*json = *host->json;
	countdown = fail_alloc;
	host->json = json;
	host->alloc = poor_alloc;
	json->object = poor_object;
	json->array = poor_array;
	json->string = poor_string;
	json->clone = poor_clone;
	json->dump = poor_dump;
}

/* --- The trace --------------------------------------------------------------------------------------------------- */

static void add_step(as_trace *t, const assay_json *step)
{
	assay_str name = as_json_str(as_json_get(step, "t"));
	const char *dot = memchr(name.ptr, '.', name.len);
	bool failed = as_json_get(step, "e") != NULL;
	as_call_record record = {0};
	assay_error err = {0};
	int64_t id;
	assay_str text = as_json_str(as_json_get(step, failed ? "e" : "x"));
	ck_assert(dot != NULL);
	record.server = (assay_str){name.ptr, (size_t)(dot - name.ptr)};
	record.tool = (assay_str){dot + 1, name.len - record.server.len - 1};
	record.arguments = as_json_get(step, "a") ? as_json_clone(as_json_get(step, "a")) : as_json_object();
	record.result = make_result(as_json_get(step, "r"), text, failed);
	record.status = failed ? ASSAY_STEP_ERROR : ASSAY_STEP_SUCCESS;
	ck_assert_int_eq(as_trace_add_call(t, &record, &id, &err), 0);
}

static as_trace *make_trace(const kit_case *c)
{
	as_trace *t = NULL;
	assay_error err = {0};
	assay_json *steps, *meta = as_json_object(), *exploration = as_json_object();
	if (c->answer) {
		ck_assert_int_eq(as_json_set(exploration, "final_message", as_json_cstring(c->answer)), 0);
	}
	ck_assert_int_eq(as_json_set(meta, "exploration", exploration), 0);
	ck_assert_int_eq(as_trace_new(as_str(c->goal), meta, &t, &err), 0);
	steps = parse(c->steps);
	for (const assay_json *s = as_json_first(steps); s; s = as_json_next(s)) {
		add_step(t, s);
	}
	as_json_free(steps);
	ck_assert_int_eq(as_trace_finish(t, &err), 0);
	return t;
}

/* --- Showing ----------------------------------------------------------------------------------------------------- */

static void show_value(as_buf *out, const assay_json *v)
{
	assay_text text = {0};
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_COMPACT, &text, NULL), 0);
	as_buf_add(out, as_text_str(text));
	as_text_free(&text);
}

/* " notes.read_note {"title":"x"} shows x", or " matches REGEX". */
static void show_probe(as_buf *out, const assay_json *probe)
{
	as_buf_printf(out, " %s.%s ", as_json_cstr(as_json_get(probe, "server_id"), "?"),
		      as_json_cstr(as_json_get(probe, "tool_name"), "?"));
	show_value(out, as_json_get(probe, "arguments"));
	for (const assay_json *v = as_json_first(as_json_pointer(probe, "/predicate/contains_all")); v;
	     v = as_json_next(v)) {
		as_buf_printf(out, " shows %.*s", ASSAY_FMT(as_json_str(v)));
	}
	if (as_json_pointer(probe, "/predicate/regex")) {
		as_buf_printf(out, " matches %s", as_json_cstr(as_json_pointer(probe, "/predicate/regex"), "?"));
	}
}

static void show_check(as_buf *out, const assay_json *c)
{
	const assay_json *predicate = as_json_get(c, "arg_predicate");
	as_buf_add(out, as_json_str(as_json_get(c, "checkpoint_id")));
	for (const assay_json *pair = as_json_first(as_json_get(c, "equivalence_set")); pair;
	     pair = as_json_next(pair)) {
		as_buf_printf(out, " %s.%s", as_json_cstr(as_json_get(pair, "server_id"), "?"),
			      as_json_cstr(as_json_get(pair, "tool_name"), "?"));
	}
	for (const assay_json *v = as_json_first(as_json_get(predicate, "must_include")); v; v = as_json_next(v)) {
		as_buf_printf(out, " %.*s=", ASSAY_FMT(as_json_key(v)));
		show_value(out, v);
	}
	for (const assay_json *v = as_json_first(as_json_get(predicate, "must_match")); v; v = as_json_next(v)) {
		as_buf_printf(out, " %.*s~", ASSAY_FMT(as_json_key(v)));
		show_value(out, as_json_get(v, "contains"));
	}
	for (const assay_json *v = as_json_first(as_json_pointer(c, "/predicate/contains_all")); v;
	     v = as_json_next(v)) {
		as_buf_printf(out, " shows %.*s", ASSAY_FMT(as_json_str(v)));
	}
	if (as_json_get(c, "probe")) {
		show_probe(out, as_json_get(c, "probe"));
	}
	as_buf_puts(out, "\n");
}

static char *show(const assay_json *body)
{
	as_buf out = {0};
	as_buf_puts(&out, "");
	if (as_json_get(body, "rejected")) {
		as_buf_printf(&out, "rejected: %s\n", as_json_cstr(as_json_get(body, "rejected"), "?"));
	}
	for (const assay_json *c = as_json_first(as_json_get(body, "checkpoints")); c; c = as_json_next(c)) {
		show_check(&out, c);
	}
	for (const assay_json *o = as_json_first(as_json_get(body, "ordering")); o; o = as_json_next(o)) {
		as_buf_printf(&out, "%s < %s\n", as_json_cstr(as_json_get(o, "before_id"), "?"),
			      as_json_cstr(as_json_get(o, "after_id"), "?"));
	}
	for (const assay_json *m = as_json_first(as_json_get(body, "minefields")); m; m = as_json_next(m)) {
		as_buf_printf(&out, "! %s.%s\n", as_json_cstr(as_json_pointer(m, "/forbidden_tool/server_id"), "?"),
			      as_json_cstr(as_json_pointer(m, "/forbidden_tool/tool_name"), "?"));
	}
	if (as_json_type(as_json_get(body, "notes")) == ASSAY_JSON_STRING) {
		as_buf_printf(&out, "# %s\n", as_json_cstr(as_json_get(body, "notes"), "?"));
	}
	ck_assert(!out.failed);
	return out.ptr;
}

/* --- The run ----------------------------------------------------------------------------------------------------- */

static void check_body(const kit_run *run, const as_trace *t, const as_catalogue *catalogue)
{
	as_task_frame frame = {.trace_id = ASSAY_STR("5f0c2f6e-0000-4000-8000-000000000000"),
			       .category = ASSAY_STR("random")};
	assay_json *task = NULL;
	assay_error err = {0};
	if (!run->body || as_json_get(run->body, "rejected")) {
		return;
	}
	frame.steps = as_trace_steps(t, &frame.n_steps);
	if (as_task_make(run->body, &frame, catalogue, &task, &err) != 0) {
		ck_abort_msg("the core refuses the body: %s: %s", err.pointer, err.message);
	}
	as_json_free(task);
}

static assay_json *goal_of(const kit_case *c)
{
	assay_json *goal = as_json_object();
	int bad = as_json_set(goal, "goal_id", as_json_cstring("auto-random-1"));
	bad |= as_json_set(goal, "goal", as_json_cstring(c->goal));
	bad |= as_json_set(goal, "servers", parse("[\"notes\",\"shop\",\"mirror\",\"almanac\"]"));
	bad |= as_json_set(goal, "tags", parse(c->tags ? c->tags : "[]"));
	ck_assert_int_eq(bad, 0);
	return goal;
}

static void run_plugin(const kit_case *c, const assay_distil_request *request, kit_run *out)
{
	const assay_distiller_ops *ops = distiller_provenance_LTX_assay_plugin_v1()->impls[0]->ops;
	assay_json *options = parse(c->options ? c->options : "{\"state_conditions\":false}");
	kit_world world = {.c = c, .run = out};
	assay_error err = {0};
	void *self = NULL;
	as_cancel *cancel = NULL;
	assay_host host;
	assay_json_api json;
	as_call call;
	as_collect got;
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = &world;
	if (c->cancelled) {
		ck_assert_int_eq(as_cancel_new(&cancel, &err), 0);
		as_cancel_set(cancel);
		call.cancel = cancel;
	}
	call.deadline_ms = c->no_time ? 1 : call.deadline_ms;
	as_collect_init(&got, 1, 0);
	make_poor(&host, &json, 0);
	ck_assert_int_eq(ops->open(&host, options, &self, &err), 0);
	countdown = c->fail_alloc;
	out->rc = ops->distil(self, &call.pub, request, &got.sink, &err);
	out->memory_ran_out = c->fail_alloc > 0 && countdown == 0;
	countdown = 0;
	if (out->rc == 0) {
		ck_assert_int_eq(as_collect_one(&got, "distiller/provenance", &out->body, &err), 0);
	} else {
		ck_assert_int_lt(out->rc, 0);
		snprintf(out->error, sizeof out->error, "%s", err.message);
	}
	ops->close(self);
	ops->close(NULL);
	as_cancel_free(cancel);
	as_collect_free(&got);
	as_json_free(options);
}

void kit_distil(const kit_case *c, kit_run *out)
{
	as_catalogue *catalogue = NULL;
	as_arena arena = {0};
	assay_error err = {0};
	assay_json *goal = goal_of(c), *garbage = c->trace ? parse(c->trace) : NULL;
	as_trace *t = c->trace ? NULL : make_trace(c);
	assay_distil_request request = {.size = sizeof request, .goal = goal};
	*out = (kit_run){0};
	ck_assert_int_eq(as_catalogue_new(parse(records), &catalogue, &err), 0);
	request.trace = t ? as_trace_document(t) : garbage;
	request.catalogue = as_catalogue_tools(catalogue);
	ck_assert_int_eq(as_catalogue_surface(catalogue, as_json_get(goal, "servers"), &arena, &request.surface, &err),
			 0);
	run_plugin(c, &request, out);
	if (t) {
		check_body(out, t, catalogue);
	}
	out->text = show(out->body);
	as_trace_free(t);
	as_json_free(garbage);
	as_json_free(goal);
	as_arena_free(&arena);
	as_catalogue_free(catalogue);
}

void kit_free(kit_run *run)
{
	as_json_free(run->body);
	free(run->text);
}

void kit_expect(const kit_case *c, const char *lines)
{
	kit_run run;
	kit_distil(c, &run);
	ck_assert_msg(run.rc == 0, "failed: %s", run.error);
	ck_assert_str_eq(run.text, lines);
	kit_free(&run);
}

void kit_expect_part(const kit_case *c, const char *part)
{
	kit_run run;
	kit_distil(c, &run);
	ck_assert_msg(run.rc == 0, "failed: %s", run.error);
	ck_assert_msg(strstr(run.text, part) != NULL, "no \"%s\" in\n%s", part, run.text);
	kit_free(&run);
}

void kit_expect_rejected(const kit_case *c, const char *part)
{
	kit_run run;
	kit_distil(c, &run);
	ck_assert_msg(run.rc == 0, "failed: %s", run.error);
	ck_assert_msg(strncmp(run.text, "rejected: ", 10) == 0, "not rejected:\n%s", run.text);
	ck_assert_msg(strstr(run.text, part) != NULL, "no \"%s\" in\n%s", part, run.text);
	kit_free(&run);
}

void kit_run_out_of_memory(kit_case c)
{
	bool ran_out = true;
	for (c.fail_alloc = 1; ran_out; c.fail_alloc++) {
		kit_run run;
		kit_distil(&c, &run);
		ran_out = run.memory_ran_out;
		ck_assert_int_eq(run.rc, ran_out ? ASSAY_ENOMEM : 0);
		ck_assert_str_eq(run.error, ran_out ? "out of memory" : "");
		kit_free(&run);
	}
	ck_assert_int_gt(c.fail_alloc, 100);
}
