#include "core/task/task.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION "0.2.0"
#define DISTILLER_VERSION "0.2.0"
#define CREATED_AT "1970-01-01T00:00:00Z" /* the wall clock has no place in a task */

/* A copy of one member, or `otherwise` (taken over) when it is absent or null. */
static assay_json *copy_or(const assay_json *object, const char *key, assay_json *otherwise)
{
	const assay_json *v = as_json_get(object, key);
	if (!v || as_json_type(v) == ASSAY_JSON_NULL) {
		return otherwise;
	}
	as_json_free(otherwise);
	return as_json_clone(v);
}

static assay_json *full_matcher(const assay_json *m)
{
	static const char *const keys[] = {"equals", "starts_with", "contains", "regex"};
	assay_json *out = as_json_object();
	int rc = 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		rc |= as_json_set(out, keys[i], copy_or(m, keys[i], as_json_null()));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* Every field written out, as the reference's dumps do. */
static assay_json *full_args_predicate(const assay_json *p)
{
	assay_json *out, *match;
	int rc = 0;
	if (as_json_type(p) != ASSAY_JSON_OBJECT) {
		return as_json_null();
	}
	out = as_json_object();
	match = as_json_object();
	for (const assay_json *m = as_json_first(as_json_get(p, "must_match")); m; m = as_json_next(m)) {
		rc |= as_json_set_n(match, as_json_key(m), full_matcher(m));
	}
	rc |= as_json_set(out, "must_include", copy_or(p, "must_include", as_json_object()));
	rc |= as_json_set(out, "must_match", match);
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *full_value_predicate(const assay_json *p)
{
	assay_json *out = as_json_object();
	int rc = as_json_set(out, "contains_any", copy_or(p, "contains_any", as_json_null()));
	rc |= as_json_set(out, "contains_all", copy_or(p, "contains_all", as_json_null()));
	rc |= as_json_set(out, "regex", copy_or(p, "regex", as_json_null()));
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *full_list(const assay_json *list, assay_json *(*full)(const assay_json *))
{
	assay_json *out = as_json_array();
	int rc = 0;
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		rc |= as_json_append(out, full(v));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* The members of a closed model, others left out. Both are texts that have been checked. */
static assay_json *pair_of(const assay_json *v, const char *first, const char *second)
{
	assay_json *out = as_json_object();
	int rc = as_json_set(out, first, as_json_clone(as_json_get(v, first)));
	rc |= as_json_set(out, second, as_json_clone(as_json_get(v, second)));
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *full_tool(const assay_json *tool)
{
	return as_json_type(tool) == ASSAY_JSON_OBJECT ? pair_of(tool, "server_id", "tool_name") : as_json_null();
}

static assay_json *full_constraint(const assay_json *constraint)
{
	return pair_of(constraint, "before_id", "after_id");
}

static assay_json *full_checkpoint(const assay_json *c)
{
	assay_str kind = as_json_str(as_json_get(c, "kind"));
	assay_json *out = as_json_object();
	int rc = as_json_set(out, "kind", as_json_string(kind));
	rc |= as_json_set(out, "checkpoint_id", as_json_clone(as_json_get(c, "checkpoint_id")));
	rc |= as_json_set(out, "description", copy_or(c, "description", as_json_cstring("")));
	if (as_str_is(kind, "tool_effect")) {
		rc |= as_json_set(out, "equivalence_set", full_list(as_json_get(c, "equivalence_set"), full_tool));
		rc |= as_json_set(out, "arg_predicate", full_args_predicate(as_json_get(c, "arg_predicate")));
		rc |= as_json_set(out, "must_succeed", copy_or(c, "must_succeed", as_json_truth(1)));
	} else if (as_str_is(kind, "value_produced")) {
		rc |= as_json_set(out, "predicate", full_value_predicate(as_json_get(c, "predicate")));
		rc |= as_json_set(out, "scope", copy_or(c, "scope", as_json_cstring("any_tool_result")));
	} else {
		rc |= as_json_set(out, "probe", copy_or(c, "probe", as_json_object()));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static assay_json *full_minefield(const assay_json *m)
{
	assay_json *out = as_json_object();
	int rc = as_json_set(out, "minefield_id", as_json_clone(as_json_get(m, "minefield_id")));
	rc |= as_json_set(out, "description", copy_or(m, "description", as_json_cstring("")));
	rc |= as_json_set(out, "forbidden_tool", full_tool(as_json_get(m, "forbidden_tool")));
	rc |= as_json_set(out, "forbidden_arg_predicate",
			  full_args_predicate(as_json_get(m, "forbidden_arg_predicate")));
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static int compare_text(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

/* Sorted, distinct servers of the successful calls. */
static assay_json *servers_used(const assay_step *steps, size_t n)
{
	assay_str *ids = as_new(n + 1, sizeof *ids);
	assay_json *out = as_json_array();
	size_t count = 0;
	int rc = ids && out ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (steps[i].status == ASSAY_STEP_SUCCESS) {
			ids[count++] = steps[i].server;
		}
	}
	if (rc == 0) {
		qsort(ids, count, sizeof *ids, compare_text);
	}
	for (size_t i = 0; i < count && rc == 0; i++) {
		if (i == 0 || !as_str_eq(ids[i], ids[i - 1])) {
			rc = as_json_append(out, as_json_string(ids[i]));
		}
	}
	free(ids);
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* The highest class among the servers that the catalogue knows; live_read when it knows none. */
static int dynamism_of(const assay_json *servers, const as_catalogue *catalogue)
{
	int highest = -1;
	for (const assay_json *id = as_json_first(servers); id; id = as_json_next(id)) {
		const as_catalogue_server *s = as_catalogue_server_of(catalogue, as_json_str(id));
		if (s && s->server_class > highest) {
			highest = s->server_class;
		}
	}
	return highest < 0 ? AS_CLASS_LIVE_READ : highest;
}

/* Everything but the id, in the order of reference page 1.2. */
static assay_json *assemble(const assay_json *body, const as_task_frame *frame, const as_catalogue *catalogue)
{
	assay_json *used = servers_used(frame->steps, frame->n_steps), *complexity = NULL, *task = as_json_object();
	const char *dynamism = used ? as_class_name(dynamism_of(used, catalogue)) : "";
	int rc = as_task_complexity(frame->steps, frame->n_steps, catalogue, &complexity, NULL);
	rc |= as_json_set(task, "task_id", as_json_cstring(""));
	rc |= as_json_set(task, "schema_version", as_json_cstring(SCHEMA_VERSION));
	rc |= as_json_set(task, "distiller_version", as_json_cstring(DISTILLER_VERSION));
	rc |= as_json_set(task, "source_trace_id", as_json_string(frame->trace_id));
	rc |= as_json_set(task, "prompt", as_json_clone(as_json_get(body, "prompt")));
	rc |= as_json_set(task, "dynamism", as_json_cstring(dynamism));
	rc |= as_json_set(task, "servers_used", used);
	rc |= as_json_set(task, "complexity", complexity);
	rc |= as_json_set(task, "checkpoints", full_list(as_json_get(body, "checkpoints"), full_checkpoint));
	rc |= as_json_set(task, "minefields", full_list(as_json_get(body, "minefields"), full_minefield));
	rc |= as_json_set(task, "ordering", full_list(as_json_get(body, "ordering"), full_constraint));
	rc |= as_json_set(task, "notes", copy_or(body, "notes", as_json_null()));
	if (rc < 0) {
		as_json_free(task);
		return NULL;
	}
	return task;
}

/* The caller's provenance, with the category under "assay" unless it is there. */
static assay_json *full_provenance(const as_task_frame *frame)
{
	assay_json *p = frame->provenance ? as_json_clone(frame->provenance) : as_json_object();
	assay_json *ours;
	int rc = p ? 0 : ASSAY_ENOMEM;
	if (rc == 0 && frame->category.len > 0 && !as_json_get(p, "assay")) {
		rc = as_json_set(p, "assay", as_json_object());
	}
	ours = as_json_edit(as_json_get(p, "assay"));
	if (rc == 0 && frame->category.len > 0 && !as_json_get(ours, "category")) {
		rc = as_json_set(ours, "category", as_json_string(frame->category));
	}
	if (rc < 0) {
		as_json_free(p);
		return NULL;
	}
	return p;
}

int as_task_make(const assay_json *body, const as_task_frame *frame, const as_catalogue *catalogue, assay_json **task,
		 assay_error *err)
{
	assay_json *t = NULL;
	assay_text text = {0};
	char id[37];
	int rc = as_task_check(body, catalogue, err);
	*task = NULL;
	if (rc < 0) {
		return rc;
	}
	t = assemble(body, frame, catalogue);
	rc = t ? as_json_dump(t, ASSAY_JSON_CANONICAL, &text, err) : as_fail_memory(err);
	if (rc == 0) {
		assay_str parts[] = {as_text_str(text)};
		as_uuid_parts("task", parts, 1, id);
		rc = as_json_set(t, "task_id", as_json_cstring(id));
		rc |= as_json_set(t, "provenance", full_provenance(frame));
		rc |= as_json_set(t, "created_at", as_json_cstring(CREATED_AT));
		rc = rc < 0 ? as_fail_memory(err) : 0;
	}
	as_text_free(&text);
	if (rc < 0) {
		as_json_free(t);
		return rc;
	}
	*task = t;
	return 0;
}

const assay_json *as_task_servers(const assay_json *task)
{
	const assay_json *ours = as_json_pointer(task, "/provenance/assay/servers");
	return as_json_type(ours) == ASSAY_JSON_ARRAY ? ours : as_json_get(task, "servers_used");
}

int as_task_required(const assay_json *task, const as_catalogue *catalogue, as_arena *a, assay_tools *out,
		     assay_error *err)
{
	const assay_json *checkpoints = as_json_get(task, "checkpoints");
	size_t cap = 1, n = 0;
	const assay_tool **list;
	for (const assay_json *c = as_json_first(checkpoints); c; c = as_json_next(c)) {
		cap += as_json_count(as_json_get(c, "equivalence_set"));
	}
	list = as_arena_alloc(a, cap * sizeof(const assay_tool *));
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *c = as_json_first(checkpoints); c; c = as_json_next(c)) {
		for (const assay_json *t = as_json_first(as_json_get(c, "equivalence_set")); t; t = as_json_next(t)) {
			const assay_tool *tool = as_catalogue_find(catalogue, as_json_str(as_json_get(t, "server_id")),
								   as_json_str(as_json_get(t, "tool_name")));
			bool known = !tool;
			for (size_t i = 0; i < n && !known; i++) {
				known = list[i] == tool;
			}
			if (!known) {
				list[n++] = tool;
			}
		}
	}
	*out = (assay_tools){list, n};
	return 0;
}
