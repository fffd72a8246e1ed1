/* From a recorded session to its tape. */
#include "core/base/error.h"
#include "core/trace/canonical.h"
#include "core/world/replay.h"
#include <stdlib.h>
#include <string.h>

/* A group of servers and the version it has got to. */
typedef struct group_version {
	assay_str group;
	char version[AS_VERSION_SIZE];
} group_version;

typedef struct group_list {
	group_version *items;
	size_t n, cap;
} group_list;

static bool was_called(const as_trace *trace, assay_str server)
{
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	for (size_t i = 0; i < n; i++) {
		if (as_str_eq(steps[i].server, server)) {
			return true;
		}
	}
	return false;
}

/* Only the servers that the session saw or called: a tape stays small beside a large catalogue. */
static int add_surface(as_tape *tape, const as_trace *trace, const as_catalogue *catalogue, assay_error *err)
{
	const as_catalogue_server *servers;
	const assay_json *seen = as_json_get(as_trace_document(trace), "tool_specs");
	size_t n = as_catalogue_servers(catalogue, &servers);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (!as_json_get_n(seen, servers[i].id) && !was_called(trace, servers[i].id)) {
			continue;
		}
		rc = as_tape_add_server(tape, servers[i].id, servers[i].group, ASSAY_STR("0"), err);
		for (size_t k = 0; k < servers[i].tools.count && rc == 0; k++) {
			const assay_tool *tool = servers[i].tools.list[k];
			rc = as_tape_add_tool(tape, tool->server, tool->name, (tool->flags & ASSAY_TOOL_WRITES) != 0,
					      err);
		}
	}
	return rc;
}

/* NULL when memory is out. */
static group_version *version_of(group_list *list, assay_str group, assay_str initial)
{
	group_version *g;
	for (size_t i = 0; i < list->n; i++) {
		if (as_str_eq(list->items[i].group, group)) {
			return &list->items[i];
		}
	}
	if (initial.len >= AS_VERSION_SIZE || !as_grow(&list->items, &list->cap, list->n + 1, sizeof *list->items)) {
		return NULL;
	}
	g = &list->items[list->n++];
	*g = (group_version){.group = group};
	memcpy(g->version, initial.ptr, initial.len);
	return g;
}

/* What the tape keeps of a step's error: nothing when a replay makes the same one out of the result. */
static const assay_json *error_to_keep(const assay_json *step)
{
	const assay_json *error = as_json_get(step, "error");
	bool made = as_str_is(as_json_str(as_json_get(error, "code")), "ToolError") &&
		    as_json_type(as_json_get(step, "result")) == ASSAY_JSON_OBJECT;
	return as_json_type(error) == ASSAY_JSON_OBJECT && !made ? error : NULL;
}

/* One step as a row; the group's version moves as the live world moved it. */
static int add_step(as_tape *tape, group_version *g, const assay_step *s, const assay_json *document, assay_error *err)
{
	as_tape_row row = {.server = s->server,
			   .tool = s->tool,
			   .arguments = s->arguments,
			   .result = s->result,
			   .error = error_to_keep(document),
			   .status = s->status};
	char before[AS_VERSION_SIZE];
	as_buf canonical = {0};
	int rc = as_canonical_arguments(s->arguments, &canonical) < 0 ? as_fail_memory(err) : 0;
	memcpy(before, g->version, sizeof before);
	if (rc == 0 && s->status == ASSAY_STEP_SUCCESS && as_tape_writes(tape, s->server, s->tool)) {
		as_next_version(as_str(before), s->server, s->tool, as_buf_str(&canonical), g->version);
	}
	row.version = as_str(before);
	row.next = as_str(g->version);
	as_buf_free(&canonical);
	return rc < 0 ? rc : as_tape_add_row(tape, &row, err);
}

/* The document of the next agent call, from `step` on. */
static const assay_json *agent_call(const assay_json *step)
{
	while (step && !as_str_is(as_json_str(as_json_get(step, "kind")), "call_tool_agent")) {
		step = as_json_next(step);
	}
	return step;
}

static int add_steps(as_tape *tape, const as_trace *trace, assay_error *err)
{
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	const assay_json *document = as_json_first(as_json_get(as_trace_document(trace), "steps"));
	group_list groups = {0};
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		assay_str group, initial;
		document = agent_call(document);
		if (as_tape_server(tape, steps[i].server, &group,
				   &initial)) { /* else it is not ours and has no state */
			group_version *g = version_of(&groups, group, initial);
			rc = g ? add_step(tape, g, &steps[i], document, err) : as_fail_memory(err);
		}
		document = as_json_next(document);
	}
	free(groups.items);
	return rc;
}

/* The versions are stepped through again with the live world's rule, so a tape needs the trace only. */
int as_tape_of_trace(const as_trace *trace, const as_catalogue *catalogue, as_tape **out, assay_error *err)
{
	as_tape *tape = NULL;
	int rc = as_tape_new(&tape, err);
	if (rc == 0) {
		rc = add_surface(tape, trace, catalogue, err);
	}
	if (rc == 0) {
		rc = add_steps(tape, trace, err);
	}
	if (rc == 0) {
		rc = as_tape_finish(tape, err);
	}
	if (rc < 0) {
		as_tape_free(tape);
		tape = NULL;
	}
	*out = tape;
	return rc;
}
