#include "core/world/taping.h"

#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/trace/canonical.h"
#include <stdlib.h>
#include <string.h>

#define NO_STATE UINT32_MAX

/* A state of a group. Two states of one version are told apart here and become one on the tape. */
typedef struct state {
	uint32_t parent;        /* NO_STATE: the initial one */
	assay_str server, tool; /* the write that led here */
	assay_str canonical;
	assay_str seen; /* version as the world told it; empty: it told none */
	assay_str path; /* version by the path */
} state;

typedef struct group {
	assay_str name;
	uint32_t initial, at, marked;
} group;

typedef struct taped_call {
	uint32_t group, before, after;
	assay_str server, tool, canonical;
	assay_str stored; /* the recorder's text of the arguments; ptr NULL: none */
	assay_json *arguments, *result, *error;
	uint32_t status;
	bool write, filled, restored;
} taped_call;

struct as_taping {
	as_arena arena;
	const as_trace *trace;
	const as_catalogue *catalogue;
	group *groups;
	size_t n_groups, cap_groups;
	state *states;
	size_t n_states, cap_states;
	taped_call *calls;
	size_t n_calls, cap_calls;
};

void as_taping_free(as_taping *t)
{
	if (!t) {
		return;
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		as_json_free(t->calls[i].arguments);
		as_json_free(t->calls[i].result);
		as_json_free(t->calls[i].error);
	}
	free(t->groups);
	free(t->states);
	free(t->calls);
	as_arena_free(&t->arena);
	free(t);
}

static group *find_group(const as_taping *t, assay_str name)
{
	for (size_t i = 0; i < t->n_groups; i++) {
		if (as_str_eq(t->groups[i].name, name)) {
			return &t->groups[i];
		}
	}
	return NULL;
}

static int add_state(as_taping *t, const state *s, uint32_t *number, assay_error *err)
{
	if (t->arena.failed || !as_grow(&t->states, &t->cap_states, t->n_states + 1, sizeof *t->states)) {
		return as_fail_memory(err);
	}
	*number = (uint32_t)t->n_states;
	t->states[t->n_states++] = *s;
	return 0;
}

/* The group of that name, begun when it is new. seen: the version that it starts at. */
static int group_of(as_taping *t, assay_str name, assay_str seen, group **out, assay_error *err)
{
	state first = {.parent = NO_STATE, .path = ASSAY_STR("0")};
	uint32_t number;
	int rc;
	*out = find_group(t, name);
	if (*out) {
		return 0;
	}
	first.seen = as_arena_str(&t->arena, seen);
	rc = add_state(t, &first, &number, err);
	if (rc < 0 || !as_grow(&t->groups, &t->cap_groups, t->n_groups + 1, sizeof *t->groups)) {
		return rc < 0 ? rc : as_fail_memory(err);
	}
	*out = &t->groups[t->n_groups++];
	**out = (group){.name = name, .initial = number, .at = number, .marked = number};
	return 0;
}

bool as_taping_writes(const as_taping *t, assay_str server, assay_str tool)
{
	const assay_tool *known = as_catalogue_find(t->catalogue, server, tool);
	return !known || (known->flags & ASSAY_TOOL_WRITES);
}

bool as_taping_can_read(const as_taping *t, assay_str server, assay_str tool, const assay_json *arguments)
{
	const assay_tool *known = as_catalogue_find(t->catalogue, server, tool);
	as_schema *schema = NULL;
	bool admitted;
	if (!known || (known->flags & ASSAY_TOOL_WRITES)) {
		return false;
	}
	admitted = as_schema_compile(known->input_schema, &schema, NULL) == 0 &&
		   as_schema_validate(schema, arguments, NULL) == 0;
	as_schema_free(schema);
	return admitted;
}

/* A call is noted at the state that its group is at; a successful write moves the group. */
typedef struct noted {
	assay_str server, tool;
	assay_str stored; /* ptr NULL: nothing is */
	const assay_json *arguments, *result, *error;
	uint32_t status;
	assay_str version, next; /* empty: not told */
	bool filled, restored;
} noted;

/* The state that a write led to. */
static int follow(as_taping *t, group *g, const taped_call *c, assay_str next, assay_error *err)
{
	char path[AS_VERSION_SIZE];
	state s = {.parent = c->before, .server = c->server, .tool = c->tool, .canonical = c->canonical};
	as_next_version(t->states[c->before].path, c->server, c->tool, c->canonical, path);
	s.path = as_arena_str(&t->arena, as_str(path));
	/* Where the state before has no version of its own, neither has this one. */
	s.seen = t->states[c->before].seen.len > 0 ? as_arena_str(&t->arena, next) : (assay_str){"", 0};
	return add_state(t, &s, &g->at, err);
}

static int clone(const assay_json *v, assay_json **out)
{
	*out = v ? as_json_clone(v) : NULL;
	return v && !*out ? ASSAY_ENOMEM : 0;
}

static int note(as_taping *t, const noted *n, assay_error *err)
{
	const as_catalogue_server *server = as_catalogue_server_of(t->catalogue, n->server);
	as_buf canonical = {0};
	taped_call *c;
	group *g;
	int rc;
	if (!server) { /* not ours: it has no state */
		return 0;
	}
	rc = group_of(t, server->group, n->version, &g, err);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&t->calls, &t->cap_calls, t->n_calls + 1, sizeof *t->calls)) {
		return as_fail_memory(err);
	}
	c = &t->calls[t->n_calls++];
	*c = (taped_call){.group = (uint32_t)(g - t->groups),
			  .before = g->at,
			  .server = server->id,
			  .tool = as_arena_str(&t->arena, n->tool),
			  .status = n->status,
			  .write = as_taping_writes(t, n->server, n->tool),
			  .filled = n->filled,
			  .restored = n->restored};
	rc = as_canonical_arguments(n->arguments, &canonical);
	c->canonical = as_arena_str(&t->arena, as_buf_str(&canonical));
	as_buf_free(&canonical);
	if (n->stored.ptr) {
		c->stored = as_arena_str(&t->arena, n->stored);
	}
	rc |= clone(n->arguments, &c->arguments);
	rc |= clone(n->result, &c->result);
	rc |= clone(n->error, &c->error);
	if (rc < 0 || t->arena.failed) {
		return as_fail_memory(err);
	}
	if (c->write && c->status == ASSAY_STEP_SUCCESS) {
		rc = follow(t, g, c, n->next, err);
	}
	c->after = g->at;
	return rc;
}

/* What the tape keeps of a step's error: nothing when a replay makes the same one out of the result. */
static const assay_json *error_to_keep(const assay_json *error, const assay_json *result)
{
	bool made = as_str_is(as_json_str(as_json_get(error, "code")), "ToolError") &&
		    as_json_type(result) == ASSAY_JSON_OBJECT;
	return as_json_type(error) == ASSAY_JSON_OBJECT && !made ? error : NULL;
}

/* The document of the next agent call, from `step` on. */
static const assay_json *agent_call(const assay_json *step)
{
	while (step && !as_str_is(as_json_str(as_json_get(step, "kind")), "call_tool_agent")) {
		step = as_json_next(step);
	}
	return step;
}

static int note_trace(as_taping *t, assay_error *err)
{
	size_t n;
	const assay_step *steps = as_trace_steps(t->trace, &n);
	const assay_json *document = as_json_first(as_json_get(as_trace_document(t->trace), "steps"));
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_json *ours, *stored;
		document = agent_call(document);
		ours = as_json_get(document, "assay");
		stored = as_json_get(document, "arguments_canonical");
		noted call = {.server = steps[i].server,
			      .tool = steps[i].tool,
			      .arguments = steps[i].arguments,
			      .result = steps[i].result,
			      .error = error_to_keep(as_json_get(document, "error"), steps[i].result),
			      .status = steps[i].status,
			      .version = as_json_str(as_json_get(ours, "version")),
			      .next = as_json_str(as_json_get(ours, "next"))};
		if (as_json_type(stored) == ASSAY_JSON_STRING) {
			call.stored = as_json_str(stored);
		}
		if (call.next.len == 0) {
			call.next = call.version;
		}
		rc = note(t, &call, err);
		document = as_json_next(document);
	}
	return rc;
}

int as_taping_new(const as_trace *trace, const as_catalogue *catalogue, as_taping **out, assay_error *err)
{
	as_taping *t = as_new(1, sizeof *t);
	int rc;
	*out = NULL;
	if (!t) {
		return as_fail_memory(err);
	}
	t->trace = trace;
	t->catalogue = catalogue;
	rc = note_trace(t, err);
	if (rc < 0) {
		as_taping_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void as_taping_rewind(as_taping *t)
{
	for (size_t i = 0; i < t->n_groups; i++) {
		t->groups[i].at = t->groups[i].initial;
	}
}

void as_taping_mark(as_taping *t)
{
	for (size_t i = 0; i < t->n_groups; i++) {
		t->groups[i].marked = t->groups[i].at;
	}
}

void as_taping_return(as_taping *t)
{
	for (size_t i = 0; i < t->n_groups; i++) {
		t->groups[i].at = t->groups[i].marked;
	}
}

int as_taping_fill(as_taping *t, assay_str server, assay_str tool, const assay_json *arguments, const as_answer *answer,
		   bool restored, assay_error *err)
{
	noted call = {.server = server,
		      .tool = tool,
		      .arguments = arguments,
		      .result = answer->result,
		      .error = error_to_keep(answer->error, answer->result),
		      .status = answer->status,
		      .version = as_str(answer->version),
		      .next = as_str(answer->next),
		      .filled = true,
		      .restored = restored};
	return note(t, &call, err);
}

bool as_taping_knows(const as_taping *t, const char *version, assay_str server, assay_str tool, assay_str canonical)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		const taped_call *c = &t->calls[i];
		if (as_str_is(t->states[c->before].seen, version) && as_str_eq(c->canonical, canonical) &&
		    as_str_eq(c->tool, tool) && as_str_eq(c->server, server)) {
			return true;
		}
	}
	return false;
}

assay_str as_taping_initial(const as_taping *t, assay_str server)
{
	const as_catalogue_server *s = as_catalogue_server_of(t->catalogue, server);
	const group *g = s ? find_group(t, s->group) : NULL;
	return g ? t->states[g->initial].seen : (assay_str){"", 0};
}

/* --- the tape --- */

/* Does the second call contradict the first: the same read at the same version, answered otherwise? */
static bool contradicts(const as_taping *t, const taped_call *a, const taped_call *b)
{
	return a->group == b->group && !a->write && as_str_eq(a->canonical, b->canonical) &&
	       as_str_eq(a->tool, b->tool) && as_str_eq(a->server, b->server) &&
	       as_str_eq(t->states[a->before].seen, t->states[b->before].seen) &&
	       (a->status != b->status || !as_json_equal(a->result, b->result));
}

/* Rule 3: does the group's digest miss something? Only a digest can: a path never leads to one version twice. */
static bool digest_misses(const as_taping *t, uint32_t number)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		for (size_t k = i + 1; k < t->n_calls && t->calls[i].group == number; k++) {
			if (contradicts(t, &t->calls[i], &t->calls[k])) {
				return true;
			}
		}
	}
	return false;
}

static assay_str version_of(const as_taping *t, const group *g, const bool *by_path, uint32_t number)
{
	const state *s = &t->states[number];
	return by_path[g - t->groups] || s->seen.len == 0 ? s->path : s->seen;
}

static bool was_called(const as_taping *t, assay_str server)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		if (as_str_eq(t->calls[i].server, server)) {
			return true;
		}
	}
	return false;
}

static int add_server(const as_taping *t, const as_catalogue_server *s, const bool *by_path, as_tape *tape,
		      assay_error *err)
{
	const group *g = find_group(t, s->group);
	assay_str initial = g ? version_of(t, g, by_path, g->initial) : ASSAY_STR("0");
	int rc = as_tape_add_server(tape, s->id, s->group, initial, err);
	for (size_t k = 0; k < s->tools.count && rc == 0; k++) {
		const assay_tool *tool = s->tools.list[k];
		rc = as_tape_add_tool(tape, tool->server, tool->name, (tool->flags & ASSAY_TOOL_WRITES) != 0, err);
	}
	return rc;
}

/* Only the servers that the session saw or called: a tape stays small beside a large catalogue. */
static int add_surface(const as_taping *t, const bool *by_path, as_tape *tape, assay_error *err)
{
	const as_catalogue_server *servers;
	const assay_json *seen = as_json_get(as_trace_document(t->trace), "tool_specs");
	size_t n = as_catalogue_servers(t->catalogue, &servers);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (as_json_get_n(seen, servers[i].id) || was_called(t, servers[i].id)) {
			rc = add_server(t, &servers[i], by_path, tape, err);
		}
	}
	return rc;
}

/* A filled call serves only where there is no other of its kind before it. */
static bool is_of_use(const as_taping *t, const bool *by_path, const taped_call *c)
{
	const group *g = &t->groups[c->group];
	if (c->restored && by_path[c->group]) {
		return false;
	}
	for (const taped_call *o = t->calls; c->filled && o < c; o++) {
		if (o->group == c->group && as_str_eq(o->canonical, c->canonical) && as_str_eq(o->tool, c->tool) &&
		    as_str_eq(o->server, c->server) &&
		    as_str_eq(version_of(t, g, by_path, o->before), version_of(t, g, by_path, c->before))) {
			return false;
		}
	}
	return true;
}

static int add_calls(const as_taping *t, const bool *by_path, as_tape *tape, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < t->n_calls && rc == 0; i++) {
		const taped_call *c = &t->calls[i];
		const group *g = &t->groups[c->group];
		as_tape_row row = {.server = c->server,
				   .tool = c->tool,
				   .stored = c->stored,
				   .arguments = c->arguments,
				   .result = c->result,
				   .error = c->error,
				   .status = c->status,
				   .filled = c->filled,
				   .version = version_of(t, g, by_path, c->before),
				   .next = version_of(t, g, by_path, c->after)};
		if (is_of_use(t, by_path, c)) {
			rc = as_tape_add_row(tape, &row, err);
		}
	}
	return rc;
}

int as_taping_finish(const as_taping *t, as_tape **out, assay_error *err)
{
	as_tape *tape = NULL;
	bool *by_path = as_new(t->n_groups + 1, sizeof *by_path);
	int rc = by_path ? as_tape_new(&tape, err) : as_fail_memory(err);
	for (size_t i = 0; i < t->n_groups && rc == 0; i++) {
		by_path[i] = digest_misses(t, (uint32_t)i);
	}
	if (rc == 0) {
		rc = add_surface(t, by_path, tape, err);
	}
	if (rc == 0) {
		rc = add_calls(t, by_path, tape, err);
	}
	if (rc == 0) {
		rc = as_tape_finish(tape, err);
	}
	if (rc < 0) {
		as_tape_free(tape);
		tape = NULL;
	}
	free(by_path);
	*out = tape;
	return rc;
}

int as_tape_of_trace(const as_trace *trace, const as_catalogue *catalogue, as_tape **out, assay_error *err)
{
	as_taping *t;
	int rc = as_taping_new(trace, catalogue, &t, err);
	*out = NULL;
	if (rc == 0) {
		rc = as_taping_finish(t, out, err);
		as_taping_free(t);
	}
	return rc;
}
