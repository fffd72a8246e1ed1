#include "core/trace/trace.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/trace/canonical.h"
#include "core/trace/document.h"
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION "0.1.0"
#define RECORDER_VERSION "assay"

struct as_trace {
	assay_json *document;
	assay_step *steps, *refused;
	size_t n_steps, n_refused, cap_refused;
	assay_step *own_steps; /* NULL: they lie with the document */
	assay_probe *probes;
	size_t n_probes, cap_probes;
	as_arena texts; /* rendered results */
	int64_t next_id;
	bool rendered_whole; /* some result has no text part: its text shows all of it */
	bool finished;
};

static const char *const served_names[] = {"live", "exact", "equivalent", "near", "simulated", "miss", "refused"};

const char *as_served_name(uint32_t served)
{
	return served < sizeof served_names / sizeof *served_names ? served_names[served] : "live";
}

uint32_t as_served_from_name(assay_str name)
{
	for (uint32_t i = 0; i < sizeof served_names / sizeof *served_names; i++) {
		if (as_str_is(name, served_names[i])) {
			return i;
		}
	}
	return ASSAY_SERVED_LIVE;
}

enum { STEP_ID, KIND, SERVER_ID, TOOL_NAME, ARGUMENTS, RESULT, STATUS, ERROR, OURS, STEP_MEMBERS };

/* How the reference would have said that a step of its own replay was served. */
static uint32_t served_of(const assay_json *ours, const assay_json *result)
{
	static const as_member_rule marks[] = {AS_MEMBER("replay_cache_miss", ASSAY_JSON_NONE, false),
					       AS_MEMBER("replay_tier", ASSAY_JSON_NONE, false)};
	const assay_json *served = as_json_get(ours, "served"), *found[2];
	if (served) {
		return as_served_from_name(as_json_str(served));
	}
	as_json_find(result, marks, 2, found);
	if (as_json_boolean(found[0], 0)) {
		return ASSAY_SERVED_MISS;
	}
	switch (as_json_i64(found[1], 0)) {
	case 1:
		return ASSAY_SERVED_EXACT;
	case 2:
		return ASSAY_SERVED_NEAR;
	case 3:
		return ASSAY_SERVED_SIMULATED;
	default:
		return ASSAY_SERVED_LIVE;
	}
}

/* The text of a result: where it is one part's, that one. */
static int text_of(as_trace *t, const assay_json *result, assay_str *out, assay_error *err)
{
	as_buf text = {0};
	if (as_render_is_part(result, out)) {
		return 0;
	}
	t->rendered_whole = t->rendered_whole || (result && !as_has_text_part(result));
	if (as_render_result(result, &text) == 0) {
		*out = as_arena_str(&t->texts, as_buf_str(&text));
	}
	as_buf_free(&text);
	return t->texts.failed || !out->ptr ? as_fail_memory(err) : 0;
}

static int view_step(as_trace *t, const assay_json *const *found, uint32_t status, assay_error *err)
{
	assay_step *s = &t->steps[t->n_steps++];
	*s = (assay_step){.size = sizeof *s,
			  .status = status,
			  .id = as_json_i64(found[STEP_ID], -1),
			  .served = served_of(found[OURS], found[RESULT]),
			  .server = as_json_str(found[SERVER_ID]),
			  .tool = as_json_str(found[TOOL_NAME]),
			  .arguments = as_object_or_null(found[ARGUMENTS]),
			  .result = as_object_or_null(found[RESULT])};
	return text_of(t, s->result, &s->text, err);
}

static bool is_kind(assay_str kind)
{
	return as_str_is(kind, "call_tool_agent") || as_str_is(kind, "list_tools") ||
	       as_str_is(kind, "call_tool_server_internal");
}

static int check_step(const assay_json *step, const assay_json **found, uint32_t *status, assay_error *err)
{
	static const as_member_rule rules[STEP_MEMBERS] = {
		AS_MEMBER("step_id", ASSAY_JSON_NUMBER, true),    AS_MEMBER("kind", ASSAY_JSON_STRING, true),
		AS_MEMBER("server_id", ASSAY_JSON_STRING, true),  AS_MEMBER("tool_name", ASSAY_JSON_STRING, false),
		AS_MEMBER("arguments", ASSAY_JSON_OBJECT, false), AS_MEMBER("result", ASSAY_JSON_OBJECT, false),
		AS_MEMBER("status", ASSAY_JSON_STRING, true),     AS_MEMBER("error", ASSAY_JSON_OBJECT, false),
		AS_MEMBER("assay", ASSAY_JSON_NONE, false),
	};
	if (as_json_type(step) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a step is not an object");
	}
	if (as_check_members(step, rules, STEP_MEMBERS, found, err) < 0) {
		return ASSAY_EDATA;
	}
	if (!is_kind(as_json_str(found[KIND]))) {
		as_fail(err, ASSAY_EDATA, "\"kind\" is none of list_tools, call_tool_agent, call_tool_server_internal");
		as_error_pointer(err, "/kind");
		return ASSAY_EDATA;
	}
	if (as_json_i64(found[STEP_ID], INT64_MIN) == INT64_MIN) {
		as_fail(err, ASSAY_EDATA, "\"step_id\" is not an integer of 64 bits");
		as_error_pointer(err, "/step_id");
		return ASSAY_EDATA;
	}
	return as_read_status(found[STATUS], status, err);
}

static int view_refused(as_trace *t, const assay_json *entry, assay_error *err)
{
	assay_step *s;
	if (!as_grow(&t->refused, &t->cap_refused, t->n_refused + 1, sizeof *t->refused)) {
		return as_fail_memory(err);
	}
	s = &t->refused[t->n_refused++];
	*s = (assay_step){.size = sizeof *s,
			  .status = as_json_boolean(as_json_get(entry, "answered"), 0) ? ASSAY_STEP_SUCCESS
										       : ASSAY_STEP_ERROR,
			  .id = as_json_i64(as_json_get(entry, "before_step"), -1),
			  .served = ASSAY_SERVED_REFUSED,
			  .tool = as_json_str(as_json_get(entry, "name")),
			  .arguments = as_object_or_null(as_json_get(entry, "arguments")),
			  .text = as_json_str(as_json_get(entry, "text"))};
	return 0;
}

static int view_probe(as_trace *t, const assay_json *entry, assay_error *err)
{
	assay_probe *p;
	uint32_t status;
	int rc = as_read_status(as_json_get(entry, "status"), &status, err);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&t->probes, &t->cap_probes, t->n_probes + 1, sizeof *t->probes)) {
		return as_fail_memory(err);
	}
	p = &t->probes[t->n_probes++];
	*p = (assay_probe){.size = sizeof *p,
			   .checkpoint_id = as_json_str(as_json_get(entry, "checkpoint_id")),
			   .answer = {.size = sizeof p->answer,
				      .status = status,
				      .id = -1,
				      .served = as_served_from_name(as_json_str(as_json_get(entry, "served"))),
				      .server = as_json_str(as_json_get(entry, "server_id")),
				      .tool = as_json_str(as_json_get(entry, "tool_name")),
				      .arguments = as_object_or_null(as_json_get(entry, "arguments")),
				      .result = as_object_or_null(as_json_get(entry, "result"))}};
	return text_of(t, p->answer.result, &p->answer.text, err);
}

static int view_probes(as_trace *t, const assay_json *probes, assay_error *err)
{
	size_t index = 0;
	for (const assay_json *p = as_json_first(probes); p; p = as_json_next(p), index++) {
		int rc = view_probe(t, p, err);
		if (rc < 0) {
			as_error_pointer(err, "/seed_metadata/assay/probes/%zu", index);
			return rc;
		}
	}
	return 0;
}

/* For all steps at once. */
static int make_room(as_trace *t, size_t n, assay_error *err)
{
	t->steps = as_json_with(t->document, (n + 1) * sizeof *t->steps);
	if (!t->steps) {
		t->steps = t->own_steps = as_new(n + 1, sizeof *t->steps);
	}
	return t->steps ? 0 : as_fail_memory(err);
}

/* The typed view of a document that will not change any more. */
static int make_view(as_trace *t, assay_error *err)
{
	const assay_json *ours = as_json_get(as_json_get(t->document, "seed_metadata"), "assay");
	const assay_json *steps = as_json_get(t->document, "steps");
	size_t index = 0;
	int rc = make_room(t, as_json_count(steps), err);
	for (const assay_json *s = as_json_first(steps); s && rc == 0; s = as_json_next(s)) {
		const assay_json *found[STEP_MEMBERS];
		uint32_t status;
		rc = check_step(s, found, &status, err);
		if (rc < 0) {
			as_error_pointer(err, "/steps/%zu", index);
		} else if (as_str_is(as_json_str(found[KIND]), "call_tool_agent")) {
			rc = view_step(t, found, status, err);
		}
		index++;
	}
	for (const assay_json *r = as_json_first(as_json_get(ours, "refused")); r && rc == 0; r = as_json_next(r)) {
		rc = view_refused(t, r, err);
	}
	rc = rc < 0 ? rc : view_probes(t, as_json_get(ours, "probes"), err);
	t->finished = rc == 0;
	return rc;
}

int as_trace_from_json(assay_json *document, as_trace **out, assay_error *err)
{
	static const as_member_rule rules[] = {
		AS_MEMBER("trace_id", ASSAY_JSON_STRING, true), AS_MEMBER("seed_metadata", ASSAY_JSON_OBJECT, false),
		AS_MEMBER("servers", ASSAY_JSON_ARRAY, false),  AS_MEMBER("tool_specs", ASSAY_JSON_OBJECT, false),
		AS_MEMBER("steps", ASSAY_JSON_ARRAY, false),
	};
	const assay_json *found[sizeof rules / sizeof *rules];
	as_trace *t = as_new(1, sizeof *t);
	int rc;
	*out = NULL;
	if (!t) {
		as_json_free(document);
		return as_fail_memory(err);
	}
	t->document = document;
	if (as_json_type(document) != ASSAY_JSON_OBJECT) {
		rc = as_fail(err, ASSAY_EDATA, "a trace is an object");
	} else {
		rc = as_check_members(document, rules, sizeof rules / sizeof *rules, found, err) < 0
			     ? ASSAY_EDATA
			     : make_view(t, err);
	}
	if (rc < 0) {
		as_trace_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

int as_trace_parse(assay_str text, as_trace **out, assay_error *err)
{
	assay_json *document = NULL;
	int rc = as_json_parse(text, ASSAY_JSON_PEER, &document, err);
	*out = NULL;
	return rc < 0 ? rc : as_trace_from_json(document, out, err);
}

/* Members that no scoring rule reads. */
static const as_json_without exploration[] = {AS_JSON_WITHOUT("messages", NULL), AS_JSON_WITHOUT_END};
static const as_json_without metadata[] = {AS_JSON_WITHOUT("exploration", exploration), AS_JSON_WITHOUT_END};
static const as_json_without error[] = {AS_JSON_WITHOUT("raw", NULL), AS_JSON_WITHOUT_END};
static const as_json_without part_of_result[] = {AS_JSON_WITHOUT("annotations", NULL), AS_JSON_WITHOUT("meta", NULL),
						 AS_JSON_WITHOUT_END};
static const as_json_without content[] = {AS_JSON_WITHOUT("*", part_of_result), AS_JSON_WITHOUT_END};
static const as_json_without result[] = {AS_JSON_WITHOUT("meta", NULL), AS_JSON_WITHOUT("content", content),
					 AS_JSON_WITHOUT("structuredContent", NULL), AS_JSON_WITHOUT_END};
static const as_json_without step[] = {AS_JSON_WITHOUT("parent_step_id", NULL),
				       AS_JSON_WITHOUT("arguments_canonical", NULL),
				       AS_JSON_WITHOUT("result", result),
				       AS_JSON_WITHOUT("result_truncated", NULL),
				       AS_JSON_WITHOUT("started_at", NULL),
				       AS_JSON_WITHOUT("ended_at", NULL),
				       AS_JSON_WITHOUT("latency_ms", NULL),
				       AS_JSON_WITHOUT("error", error),
				       AS_JSON_WITHOUT_END};
static const as_json_without steps[] = {AS_JSON_WITHOUT("*", step), AS_JSON_WITHOUT_END};
static const as_json_without unread[] = {AS_JSON_WITHOUT("tool_specs", NULL), AS_JSON_WITHOUT("servers", NULL),
					 AS_JSON_WITHOUT("seed_metadata", metadata), AS_JSON_WITHOUT("steps", steps),
					 AS_JSON_WITHOUT_END};
/* A result without a text part is rendered whole, so steps stay as they are. */
static const as_json_without never_read[] = {AS_JSON_WITHOUT("tool_specs", NULL), AS_JSON_WITHOUT("servers", NULL),
					     AS_JSON_WITHOUT("seed_metadata", metadata), AS_JSON_WITHOUT_END};

static int parse_without(assay_str text, const as_json_limits *limits, const as_json_without *without,
			 as_json_notes *notes, as_trace **out, assay_error *err)
{
	as_json_limits own = limits ? *limits : (as_json_limits){0};
	assay_json *document = NULL;
	int rc;
	own.without = without;
	*out = NULL;
	rc = as_json_parse_with(text, AS_JSON_PYDANTIC, &own, notes, &document, err);
	return rc < 0 ? rc : as_trace_from_json(document, out, err);
}

int as_trace_parse_lean(assay_str text, const as_json_limits *limits, as_json_notes *notes, as_trace **out,
			assay_error *err)
{
	int rc = parse_without(text, limits, unread, notes, out, err);
	if (rc == 0 && (*out)->rendered_whole) {
		as_trace_free(*out);
		rc = parse_without(text, limits, never_read, notes, out, err);
	}
	return rc;
}

void as_trace_free(as_trace *t)
{
	if (t) {
		as_json_free(t->document);
		free(t->own_steps);
		free(t->refused);
		free(t->probes);
		as_arena_free(&t->texts);
		free(t);
	}
}

/* The virtual clock: one second a step, from the epoch on. */
static assay_json *virtual_time(int64_t seconds)
{
	char text[32];
	as_format_time(seconds * 1000000, text);
	return as_json_cstring(text);
}

int as_trace_new(assay_str goal, assay_json *seed_metadata, as_trace **out, assay_error *err)
{
	as_trace *t = as_new(1, sizeof *t);
	assay_json *d = as_json_object();
	int rc = as_json_set(d, "trace_id", as_json_cstring(""));
	rc |= as_json_set(d, "schema_version", as_json_cstring(SCHEMA_VERSION));
	rc |= as_json_set(d, "recorder_version", as_json_cstring(RECORDER_VERSION));
	rc |= as_json_set(d, "goal", as_json_string(goal));
	rc |= as_json_set(d, "seed_metadata", seed_metadata ? seed_metadata : as_json_object());
	rc |= as_json_set(d, "servers", as_json_array());
	rc |= as_json_set(d, "tool_specs", as_json_object());
	rc |= as_json_set(d, "steps", as_json_array());
	rc |= as_json_set(d, "started_at", virtual_time(0));
	rc |= as_json_set(d, "ended_at", as_json_null());
	*out = NULL;
	if (!t || rc < 0) {
		as_json_free(d);
		free(t);
		return as_fail_memory(err);
	}
	t->document = d;
	*out = t;
	return 0;
}

static assay_json *part(as_trace *t, const char *key)
{
	return as_json_edit(as_json_get(t->document, key));
}

/* A part of the record, moved out of it. */
static assay_json *take(assay_json **value)
{
	assay_json *taken = *value;
	*value = NULL;
	return taken ? taken : as_json_null();
}

static assay_json *step_of(const as_trace *t, as_call_record *r, assay_str canonical)
{
	assay_json *s = as_json_object(), *ours = as_json_object();
	int rc = as_json_set(s, "step_id", as_json_integer(t->next_id));
	rc |= as_json_set(s, "parent_step_id", as_json_null());
	rc |= as_json_set(s, "kind", as_json_cstring("call_tool_agent"));
	rc |= as_json_set(s, "server_id", as_json_string(r->server));
	rc |= as_json_set(s, "tool_name", as_json_string(r->tool));
	rc |= as_json_set(s, "arguments", take(&r->arguments));
	rc |= as_json_set(s, "arguments_canonical", as_json_string(canonical));
	rc |= as_json_set(s, "result", take(&r->result));
	rc |= as_json_set(s, "result_truncated", as_json_truth(0));
	rc |= as_json_set(s, "started_at", virtual_time(t->next_id));
	rc |= as_json_set(s, "ended_at", virtual_time(t->next_id + 1));
	rc |= as_json_set(s, "latency_ms", as_json_real(1000.0));
	rc |= as_json_set(s, "status", as_json_cstring(as_status_name(r->status)));
	rc |= as_json_set(s, "error", take(&r->error));
	rc |= as_json_set(ours, "served", as_json_cstring(as_served_name(r->served)));
	rc |= as_json_set(ours, "version", as_json_string(r->version));
	if (r->next.len > 0 && !as_str_eq(r->next, r->version)) {
		rc |= as_json_set(ours, "next", as_json_string(r->next));
	}
	if (r->unfit) {
		rc |= as_json_set(ours, "unfit", take(&r->unfit));
	}
	if (r->asked) {
		rc |= as_json_set(ours, "asked", take(&r->asked));
	}
	rc |= as_json_set(s, "assay", ours);
	if (rc < 0) {
		as_json_free(s);
		return NULL;
	}
	return s;
}

/* Changes come before the end; a defect of the caller otherwise. */
static int check_open(const as_trace *t, assay_error *err)
{
	return t->finished ? as_fail(err, ASSAY_EINTERNAL, "the trace is finished already") : 0;
}

int as_trace_add_call(as_trace *t, as_call_record *record, int64_t *step_id, assay_error *err)
{
	as_buf canonical = {0};
	int rc = check_open(t, err);
	if (rc == 0 && as_canonical_arguments(record->arguments, &canonical) < 0) {
		rc = as_fail_memory(err);
	}
	if (rc == 0 && as_json_append(part(t, "steps"), step_of(t, record, as_buf_str(&canonical))) < 0) {
		rc = as_fail_memory(err);
	}
	if (rc == 0) {
		if (step_id) {
			*step_id = t->next_id;
		}
		t->next_id++;
	}
	as_buf_free(&canonical);
	as_json_free(record->arguments);
	as_json_free(record->result);
	as_json_free(record->error);
	as_json_free(record->asked);
	as_json_free(record->unfit);
	record->arguments = record->result = record->error = record->asked = record->unfit = NULL;
	return rc;
}

/* seed_metadata.assay, made on first use. */
static assay_json *ours_of(as_trace *t)
{
	assay_json *meta = part(t, "seed_metadata");
	if (!as_json_get(meta, "assay") && as_json_set(meta, "assay", as_json_object()) < 0) {
		return NULL;
	}
	return as_json_edit(as_json_get(meta, "assay"));
}

/* A call beside the world. */
static int add_aside(as_trace *t, assay_str name, const assay_json *arguments, assay_str text, bool answered,
		     assay_error *err)
{
	assay_json *ours = NULL, *entry = NULL;
	int rc = check_open(t, err);
	if (rc < 0) {
		return rc;
	}
	ours = ours_of(t);
	entry = as_json_object();
	if (ours && !as_json_get(ours, "refused")) {
		rc = as_json_set(ours, "refused", as_json_array());
	}
	rc |= as_json_set(entry, "name", as_json_string(name));
	rc |= as_json_set(entry, "arguments", arguments ? as_json_clone(arguments) : as_json_null());
	rc |= as_json_set(entry, "text", as_json_string(text));
	rc |= as_json_set(entry, "before_step", as_json_integer(t->next_id));
	rc |= answered ? as_json_set(entry, "answered", as_json_truth(1)) : 0;
	if (rc < 0 || !ours) {
		as_json_free(entry);
		return as_fail_memory(err);
	}
	rc = as_json_append(as_json_edit(as_json_get(ours, "refused")), entry);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_trace_add_refused(as_trace *t, assay_str name, const assay_json *arguments, assay_str text, assay_error *err)
{
	return add_aside(t, name, arguments, text, false, err);
}

int as_trace_add_answered(as_trace *t, assay_str name, const assay_json *arguments, assay_str text, assay_error *err)
{
	return add_aside(t, name, arguments, text, true, err);
}

int as_trace_add_server(as_trace *t, assay_str server, assay_json *fingerprint, assay_json *tools, assay_error *err)
{
	int rc = check_open(t, err);
	if (rc < 0 || as_json_get_n(part(t, "tool_specs"), server)) {
		as_json_free(fingerprint);
		as_json_free(tools);
		return rc;
	}
	/* The format wants a time of observation; the wall clock has no place in a trace. */
	rc = fingerprint ? as_json_set(fingerprint, "observed_at", virtual_time(0)) : ASSAY_ENOMEM;
	rc |= as_json_append(part(t, "servers"), fingerprint);
	rc |= as_json_set_n(part(t, "tool_specs"), server, tools);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_trace_set_metadata(as_trace *t, const char *key, assay_json *value, assay_error *err)
{
	int rc = check_open(t, err);
	if (rc < 0) {
		as_json_free(value);
		return rc;
	}
	return as_json_set(part(t, "seed_metadata"), key, value) < 0 ? as_fail_memory(err) : 0;
}

int as_trace_set_ours(as_trace *t, const char *key, assay_json *value, assay_error *err)
{
	assay_json *ours = NULL;
	int rc = check_open(t, err);
	if (rc == 0) {
		ours = ours_of(t);
	}
	if (!ours) {
		as_json_free(value);
		return rc < 0 ? rc : as_fail_memory(err);
	}
	return as_json_set(ours, key, value) < 0 ? as_fail_memory(err) : 0;
}

int as_trace_content_id(const assay_json *document, char out[37], assay_error *err)
{
	assay_text text = {0};
	int rc = as_json_dump(document, ASSAY_JSON_CANONICAL, &text, err);
	if (rc == 0) {
		assay_str parts[] = {as_text_str(text)};
		as_uuid_parts("trace", parts, 1, out);
	}
	as_text_free(&text);
	return rc;
}

int as_trace_finish(as_trace *t, assay_error *err)
{
	char id[37];
	int rc = check_open(t, err);
	if (rc == 0 && as_json_set(t->document, "ended_at", virtual_time(t->next_id)) < 0) {
		rc = as_fail_memory(err);
	}
	rc = rc < 0 ? rc : as_trace_content_id(t->document, id, err);
	if (rc == 0) {
		rc = as_json_set(t->document, "trace_id", as_json_cstring(id)) < 0 ? as_fail_memory(err) : 0;
	}
	return rc < 0 ? rc : make_view(t, err);
}

const assay_json *as_trace_document(const as_trace *t)
{
	return t->document;
}

assay_str as_trace_id(const as_trace *t)
{
	return as_json_str(as_json_get(t->document, "trace_id"));
}

const assay_step *as_trace_steps(const as_trace *t, size_t *n)
{
	*n = t->n_steps;
	return t->steps;
}

const assay_step *as_trace_refused(const as_trace *t, size_t *n)
{
	*n = t->n_refused;
	return t->refused;
}

assay_str as_trace_final_message(const as_trace *t)
{
	return as_json_str(as_json_pointer(t->document, "/seed_metadata/exploration/final_message"));
}

void as_trace_subject(const as_trace *t, const assay_json *task, const assay_json *server_tags, assay_subject *out)
{
	*out = (assay_subject){.size = sizeof *out,
			       .task = task,
			       .trace = t->document,
			       .steps = t->steps,
			       .n_steps = t->n_steps,
			       .refused = t->refused,
			       .n_refused = t->n_refused,
			       .final_message = as_trace_final_message(t),
			       .server_tags = server_tags,
			       .probes = t->probes,
			       .n_probes = t->n_probes};
}
