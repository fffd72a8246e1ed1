#include "core/task/task.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/task/predicate.h"

/* More than anybody writes, few enough for the loops in loops below. */
#define MAX_ITEMS 256u
#define MAX_CONSTRAINTS 1024u

/* Absent, null, or of this type? */
static int check_optional(const assay_json *object, const char *key, int type, const char *expected, assay_error *err)
{
	int found = as_json_type(as_json_get(object, key));
	if (found == ASSAY_JSON_NONE || found == ASSAY_JSON_NULL || found == type) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "\"%s\" is not %s", key, expected);
	return as_error_pointer(err, "/%s", key);
}

/* A pair {"server_id", "tool_name"} that the catalogue has. No catalogue: any. */
static int check_pair(const assay_json *pair, const as_catalogue *catalogue, assay_error *err)
{
	assay_str server = as_json_str(as_json_get(pair, "server_id")),
		  tool = as_json_str(as_json_get(pair, "tool_name"));
	if (server.len == 0 || tool.len == 0) {
		return as_fail(err, ASSAY_EDATA, "expected {\"server_id\", \"tool_name\"}");
	}
	if (catalogue && !as_catalogue_find(catalogue, server, tool)) {
		return as_fail(err, ASSAY_EDATA, "there is no tool %.*s on server %.*s", ASSAY_FMT(tool),
			       ASSAY_FMT(server));
	}
	return 0;
}

static int check_effect(const assay_json *c, const as_catalogue *catalogue, assay_error *err)
{
	const assay_json *set = as_json_get(c, "equivalence_set");
	size_t index = 0;
	int rc;
	if (as_json_type(set) != ASSAY_JSON_ARRAY || as_json_count(set) == 0) {
		as_fail(err, ASSAY_EDATA, "an equivalence set is a non-empty array");
		return as_error_pointer(err, "/equivalence_set");
	}
	for (const assay_json *pair = as_json_first(set); pair; pair = as_json_next(pair), index++) {
		rc = check_pair(pair, catalogue, err);
		if (rc < 0) {
			return as_error_pointer(err, "/equivalence_set/%zu", index);
		}
	}
	rc = as_args_predicate_check(as_json_get(c, "arg_predicate"), err);
	if (rc < 0) {
		return as_error_pointer(err, "/arg_predicate");
	}
	return check_optional(c, "must_succeed", ASSAY_JSON_BOOL, "true or false", err);
}

static int check_value(const assay_json *c, assay_error *err)
{
	assay_str scope = as_json_str(as_json_get(c, "scope"));
	int rc = as_value_predicate_check(as_json_get(c, "predicate"), err);
	if (rc < 0) {
		return as_error_pointer(err, "/predicate");
	}
	rc = check_optional(c, "scope", ASSAY_JSON_STRING, "a text", err);
	if (rc < 0) {
		return rc;
	}
	if (scope.len > 0 && !as_str_is(scope, "any_tool_result") && !as_str_is(scope, "final_assistant_message")) {
		as_fail(err, ASSAY_EDATA, "a scope is \"any_tool_result\" or \"final_assistant_message\"");
		return as_error_pointer(err, "/scope");
	}
	return 0;
}

/* An empty probe asks nothing, as the reference has it. */
static int check_probe(const assay_json *c, const as_catalogue *catalogue, assay_error *err)
{
	const assay_json *probe = as_json_get(c, "probe");
	const assay_tool *tool;
	int rc = check_optional(c, "probe", ASSAY_JSON_OBJECT, "an object", err);
	if (rc < 0 || !as_json_first(probe)) {
		return rc;
	}
	rc = check_pair(probe, catalogue, err);
	tool = catalogue ? as_catalogue_find(catalogue, as_json_str(as_json_get(probe, "server_id")),
					     as_json_str(as_json_get(probe, "tool_name")))
			 : NULL; /* of a corpus of others */
	if (rc == 0 && tool && (tool->flags & ASSAY_TOOL_WRITES)) {
		rc = as_fail(err, ASSAY_EDATA, "a probe reads; %.*s writes", ASSAY_FMT(tool->name));
	}
	rc = rc < 0 ? rc : check_optional(probe, "arguments", ASSAY_JSON_OBJECT, "an object", err);
	if (rc == 0) {
		rc = as_value_predicate_check(as_json_get(probe, "predicate"), err);
		rc = rc < 0 ? as_error_pointer(err, "/predicate") : 0;
	}
	return rc < 0 ? as_error_pointer(err, "/probe") : 0;
}

static bool is_listed_before(const assay_json *item, const assay_json *list, const char *key)
{
	assay_str id = as_json_str(as_json_get(item, key));
	for (const assay_json *v = as_json_first(list); v && v != item; v = as_json_next(v)) {
		if (as_str_eq(as_json_str(as_json_get(v, key)), id)) {
			return true;
		}
	}
	return false;
}

static int check_id(const assay_json *item, const assay_json *list, const char *key, assay_error *err)
{
	if (as_json_str(as_json_get(item, key)).len == 0) {
		return as_fail(err, ASSAY_EDATA, "\"%s\" is missing or not a text", key);
	}
	if (is_listed_before(item, list, key)) {
		return as_fail(err, ASSAY_EDATA, "\"%s\" stands twice", as_json_cstr(as_json_get(item, key), ""));
	}
	return 0;
}

static int check_checkpoint(const assay_json *c, const assay_json *list, const as_catalogue *catalogue,
			    assay_error *err)
{
	assay_str kind = as_json_str(as_json_get(c, "kind"));
	int rc = check_id(c, list, "checkpoint_id", err);
	rc = rc < 0 ? rc : check_optional(c, "description", ASSAY_JSON_STRING, "a text", err);
	if (rc < 0) {
		return rc;
	}
	if (as_str_is(kind, "tool_effect")) {
		return check_effect(c, catalogue, err);
	}
	if (as_str_is(kind, "value_produced")) {
		return check_value(c, err);
	}
	if (as_str_is(kind, "state_condition")) {
		return check_probe(c, catalogue, err);
	}
	as_fail(err, ASSAY_EDATA, "a checkpoint's kind is tool_effect, value_produced or state_condition, not \"%.*s\"",
		ASSAY_FMT(kind));
	return as_error_pointer(err, "/kind");
}

static int check_minefield(const assay_json *m, const assay_json *list, const as_catalogue *catalogue, assay_error *err)
{
	const assay_json *tool = as_json_get(m, "forbidden_tool");
	int rc = check_id(m, list, "minefield_id", err);
	rc = rc < 0 ? rc : check_optional(m, "description", ASSAY_JSON_STRING, "a text", err);
	rc = rc < 0 ? rc : check_optional(m, "forbidden_tool", ASSAY_JSON_OBJECT, "an object", err);
	if (rc == 0 && as_json_type(tool) == ASSAY_JSON_OBJECT) {
		rc = check_pair(tool, catalogue, err);
		if (rc < 0) {
			return as_error_pointer(err, "/forbidden_tool");
		}
	}
	if (rc == 0) {
		rc = as_args_predicate_check(as_json_get(m, "forbidden_arg_predicate"), err);
		if (rc < 0) {
			return as_error_pointer(err, "/forbidden_arg_predicate");
		}
	}
	return rc;
}

/* Number of the checkpoint of that id, or -1. */
static int64_t position(const assay_json *checkpoints, assay_str id)
{
	int64_t i = 0;
	for (const assay_json *c = as_json_first(checkpoints); c; c = as_json_next(c), i++) {
		if (as_str_eq(as_json_str(as_json_get(c, "checkpoint_id")), id)) {
			return i;
		}
	}
	return -1;
}

typedef struct constraint {
	size_t before, after; /* numbers of checkpoints */
} constraint;

/* Take away, round after round, what nothing has to come before; what is left over is a cycle. */
static int check_acyclic(const constraint *list, size_t n_list, size_t n, assay_error *err)
{
	bool gone[MAX_ITEMS] = {false}, progress = true;
	size_t left = n;
	while (progress) {
		progress = false;
		for (size_t i = 0; i < n; i++) {
			bool blocked = gone[i];
			for (size_t k = 0; k < n_list && !blocked; k++) {
				blocked = list[k].after == i && !gone[list[k].before];
			}
			if (!blocked) {
				gone[i] = true;
				left--;
				progress = true;
			}
		}
	}
	return left == 0 ? 0 : as_fail(err, ASSAY_EDATA, "the order of the checkpoints runs in a circle");
}

static int check_ordering(const assay_json *body, assay_error *err)
{
	const assay_json *ordering = as_json_get(body, "ordering"), *checkpoints = as_json_get(body, "checkpoints");
	constraint list[MAX_CONSTRAINTS];
	size_t n = 0;
	for (const assay_json *o = as_json_first(ordering); o; o = as_json_next(o)) {
		int64_t before = position(checkpoints, as_json_str(as_json_get(o, "before_id")));
		int64_t after = position(checkpoints, as_json_str(as_json_get(o, "after_id")));
		if (before < 0 || after < 0) {
			as_fail(err, ASSAY_EDATA, "\"before_id\" and \"after_id\" name checkpoints of this task");
			return as_error_pointer(err, "/%zu", n);
		}
		list[n++] = (constraint){(size_t)before, (size_t)after};
	}
	return check_acyclic(list, n, as_json_count(checkpoints), err);
}

static int check_list(const assay_json *body, const char *key, size_t least, size_t most, assay_error *err)
{
	const assay_json *list = as_json_get(body, key);
	int type = as_json_type(list);
	size_t n = as_json_count(list);
	if (type == ASSAY_JSON_ARRAY ? n >= least && n <= most : least == 0 && type <= ASSAY_JSON_NULL) {
		return 0;
	}
	if (type == ASSAY_JSON_ARRAY) {
		as_fail(err, ASSAY_EDATA, "\"%s\" has %zu entries: expected %zu to %zu", key, n, least, most);
	} else {
		as_fail(err, ASSAY_EDATA, "\"%s\" is not an array", key);
	}
	return as_error_pointer(err, "/%s", key);
}

static int check_shape(const assay_json *body, assay_error *err)
{
	int rc;
	if (as_json_type(body) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a task body is an object");
	}
	if (as_trim(as_json_str(as_json_get(body, "prompt"))).len == 0) {
		as_fail(err, ASSAY_EDATA, "\"prompt\" is missing or empty");
		return as_error_pointer(err, "/prompt");
	}
	rc = check_list(body, "checkpoints", 1, MAX_ITEMS, err);
	rc = rc < 0 ? rc : check_list(body, "minefields", 0, MAX_ITEMS, err);
	rc = rc < 0 ? rc : check_list(body, "ordering", 0, MAX_CONSTRAINTS, err);
	return rc < 0 ? rc : check_optional(body, "notes", ASSAY_JSON_STRING, "a text", err);
}

bool as_task_is_bounded(const assay_json *body)
{
	return as_json_count(as_json_get(body, "checkpoints")) <= MAX_ITEMS &&
	       as_json_count(as_json_get(body, "minefields")) <= MAX_ITEMS &&
	       as_json_count(as_json_get(body, "ordering")) <= MAX_CONSTRAINTS;
}

int as_task_check(const assay_json *body, const as_catalogue *catalogue, assay_error *err)
{
	const assay_json *checkpoints = as_json_get(body, "checkpoints"), *minefields = as_json_get(body, "minefields");
	assay_error local = {0};
	size_t index = 0;
	int rc;
	err = err ? err : &local; /* its code goes through as_error_pointer */
	rc = check_shape(body, err);
	for (const assay_json *c = as_json_first(checkpoints); c && rc == 0; c = as_json_next(c), index++) {
		rc = check_checkpoint(c, checkpoints, catalogue, err);
		if (rc < 0) {
			as_error_pointer(err, "/checkpoints/%zu", index);
		}
	}
	index = 0;
	for (const assay_json *m = as_json_first(minefields); m && rc == 0; m = as_json_next(m), index++) {
		rc = check_minefield(m, minefields, catalogue, err);
		if (rc < 0) {
			as_error_pointer(err, "/minefields/%zu", index);
		}
	}
	if (rc == 0) {
		rc = check_ordering(body, err);
		if (rc < 0) {
			as_error_pointer(err, "/ordering");
		}
	}
	return rc;
}
