#include "core/release/descriptions.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/describe.h"
#include "core/run/reach.h"
#include "core/task/task.h"
#include <stdio.h>
#include <string.h>

#define MAX_DESCRIPTIONS ((size_t)256 << 20)

static bool any_describer(const as_manifest *m)
{
	for (size_t i = 0; i < m->n_conditions; i++) {
		if (m->conditions[i].describer.use) {
			return true;
		}
	}
	return false;
}

/* --- Packing --- */

static assay_json *entry_of(const as_condition_spec *condition, const assay_tool *tool, assay_str text)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "condition", as_json_cstring(condition->name));
	rc |= as_json_set(o, "server_id", as_json_string(tool->server));
	rc |= as_json_set(o, "tool_name", as_json_string(tool->name));
	rc |= as_json_set(o, "description", as_json_string(text));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static int add_condition(as_worker *w, as_engine *e, const as_condition_spec *condition, assay_json *list,
			 assay_error *err)
{
	const assay_tools all = as_catalogue_tools(e->catalogue);
	int rc = 0;
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		assay_text text = {0};
		as_context c;
		as_context_init(&c, w, condition->describer.use, "pack", 0, 0);
		rc = as_describe((void *)(uintptr_t)condition, &c.call, all.list[i], &text, err);
		if (rc == 0 && as_json_append(list, entry_of(condition, all.list[i], as_text_str(text))) < 0) {
			rc = as_fail_memory(err);
		}
		as_text_free(&text);
	}
	return rc;
}

int as_pack_descriptions(as_engine *e, as_release_writer *w, assay_error *err)
{
	const as_manifest *m = e->manifest;
	assay_json *list;
	as_worker *worker = NULL;
	int rc;
	if (!any_describer(m)) {
		return 0;
	}
	list = as_json_array();
	rc = list ? 0 : as_fail_memory(err);
	rc = rc < 0 || e->catalogue ? rc : as_stage_catalogue(e, err); /* it stands in the store */
	rc = rc < 0 ? rc : as_worker_new(e, &worker, err);
	for (size_t i = 0; i < m->n_conditions && rc == 0; i++) {
		rc = m->conditions[i].describer.use ? add_condition(worker, e, &m->conditions[i], list, err) : 0;
	}
	rc = rc < 0 ? rc : as_release_put_json(w, AS_DESCRIPTIONS, list, err);
	as_worker_free(worker);
	as_json_free(list);
	return rc;
}

/* --- Verifying --- */

static void entry_finding(verification *v, const assay_json *entry, size_t index, const char *message)
{
	char pointer[32];
	snprintf(pointer, sizeof pointer, "/%zu", index);
	as_finding(v->out, AS_DESCRIPTIONS, as_json_line(entry), pointer, "%s", message);
	v->broken = true;
}

/* Takes the entry that has to come next; false: it is another one, or none, which is a finding. */
static int take_entry(verification *v, const as_condition_spec *condition, const assay_tool *tool,
		      const assay_json *entry, size_t index, bool *good, assay_error *err)
{
	const assay_json *text = as_json_get(entry, "description");
	*good = as_json_count(entry) == 4 && as_str_is(as_json_str(as_json_get(entry, "condition")), condition->name) &&
		as_str_eq(as_json_str(as_json_get(entry, "server_id")), tool->server) &&
		as_str_eq(as_json_str(as_json_get(entry, "tool_name")), tool->name) &&
		as_json_type(text) == ASSAY_JSON_STRING;
	if (!*good) {
		entry_finding(v, entry, index,
			      "expected the description of the next tool of servers.json, and nothing else");
		return 0;
	}
	return as_describe_known(&v->engine, condition, tool, as_json_str(text), err);
}

static int take_all(verification *v, const assay_json *list, assay_error *err)
{
	const as_manifest *m = v->manifest;
	const assay_tools all = as_catalogue_tools(v->engine.catalogue);
	const assay_json *entry = as_json_first(list);
	size_t index = 0;
	bool good = true;
	int rc = 0;
	for (size_t i = 0; i < m->n_conditions; i++) {
		for (size_t k = 0; k < all.count && m->conditions[i].describer.use && good && rc == 0; k++, index++) {
			rc = take_entry(v, &m->conditions[i], all.list[k], entry, index, &good, err);
			entry = entry ? as_json_next(entry) : NULL;
		}
	}
	if (rc == 0 && good && entry) {
		entry_finding(v, entry, index, "is one more than there are tools");
	}
	return rc;
}

int as_verify_descriptions(verification *v, assay_error *err)
{
	assay_json *list = NULL;
	assay_error found = {0};
	int rc;
	if (!any_describer(v->manifest)) {
		return 0;
	}
	rc = as_release_json(v->release, AS_DESCRIPTIONS, MAX_DESCRIPTIONS, &list, &found);
	if (rc < 0) {
		v->broken = true;
		return as_finding_of(v->out, AS_DESCRIPTIONS, found.line, NULL, &found, err);
	}
	rc = take_all(v, list, err);
	as_json_free(list);
	return rc;
}

/* Could it be worked out here: without a model, and without an embedder that is one? */
static bool is_offline(const as_use *exposure)
{
	const assay_json *embedder = as_json_get(exposure->options, "embedder");
	return !exposure->model && (!embedder || as_str_is(as_json_str(embedder), "embedder/lexical"));
}

static int reach_of(verification *v, const as_condition_spec *condition, const as_candidate_spec *candidate,
		    const checked_task *task, assay_str attempt_id, as_reach *out, assay_error *err)
{
	assay_exposure_request request = {.size = sizeof request,
					  .prompt = as_json_str(as_json_get(task->document, "prompt")),
					  .catalogue = as_catalogue_tools(v->engine.catalogue)};
	as_arena arena = {0};
	as_context c;
	int rc = as_task_required(task->document, v->engine.catalogue, &arena, &request.required, err);
	rc = rc < 0 ? rc
		    : as_catalogue_surface(v->engine.catalogue, as_task_servers(task->document), &arena,
					   &request.surface, err);
	as_uuid_seed(task->id, &request.seed);
	if (rc == 0) {
		as_context_init(&c, v->worker, candidate->explorer.use, attempt_id.ptr, as_hash_u64(attempt_id.ptr), 0);
		rc = as_reach_offline(&c, condition, &request, task->document, out, err);
	}
	as_arena_free(&arena);
	return rc;
}

int as_verify_offer(verification *v, const rows *at, const as_condition_spec *condition,
		    const as_candidate_spec *candidate, const checked_task *task, const assay_json *document,
		    assay_str attempt_id, assay_error *err)
{
	const assay_json *said = as_json_pointer(document, "/seed_metadata/exposure");
	assay_error found = {0};
	as_reach reach;
	int rc;
	if (!condition->describer.use || !is_offline(&condition->exposure) || v->broken) {
		return 0;
	}
	rc = reach_of(v, condition, candidate, task, attempt_id, &reach, &found);
	if (rc == ASSAY_EPLUGIN) {
		return 0; /* an exposure that is not shipped */
	}
	if (rc < 0) {
		return as_finding_of(v->out, at->file, at->line, "/seed_metadata/exposure", &found, err);
	}
	if (as_json_i64(as_json_get(said, "tools"), -1) != (int64_t)reach.tools ||
	    as_json_i64(as_json_get(said, "reachable"), -1) != (int64_t)reach.reachable) {
		as_finding(v->out, at->file, at->line, "/seed_metadata/exposure",
			   "%u tools, by which %u checkpoints can be reached, follow from %s", reach.tools,
			   reach.reachable, AS_DESCRIPTIONS);
	}
	return 0;
}
