#include "core/world/probe.h"

#include "core/base/error.h"
#include <string.h>

static bool is_probe(const assay_json *checkpoint)
{
	return as_str_is(as_json_str(as_json_get(checkpoint, "kind")), "state_condition") &&
	       as_json_type(as_json_pointer(checkpoint, "/probe/tool_name")) == ASSAY_JSON_STRING;
}

bool as_task_has_probes(const assay_json *task)
{
	for (const assay_json *c = as_json_first(as_json_get(task, "checkpoints")); c; c = as_json_next(c)) {
		if (is_probe(c)) {
			return true;
		}
	}
	return false;
}

int as_task_without_states(const assay_json *task, assay_json **out, assay_error *err)
{
	assay_json *copy = as_json_clone(task), *kept = as_json_array();
	int rc = copy && kept ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = as_json_first(as_json_get(task, "checkpoints")); c && rc == 0; c = as_json_next(c)) {
		if (!as_str_is(as_json_str(as_json_get(c, "kind")), "state_condition")) {
			rc = as_json_append(kept, as_json_clone(c));
		}
	}
	if (rc == 0) {
		rc = as_json_set(copy, "checkpoints", kept);
		kept = NULL;
	}
	as_json_free(kept);
	if (rc < 0) {
		as_json_free(copy);
		return as_fail_memory(err);
	}
	*out = copy;
	return 0;
}

static assay_json *copy_or_null(const assay_json *v)
{
	return v ? as_json_clone(v) : as_json_null();
}

/* What the trace keeps of an answer. */
static assay_json *entry_of(const assay_json *checkpoint, const as_answer *a)
{
	static const char *const status[] = {"success", "error", "timeout"};
	const assay_json *probe = as_json_get(checkpoint, "probe");
	assay_json *e = as_json_object();
	int rc = as_json_set(e, "checkpoint_id", copy_or_null(as_json_get(checkpoint, "checkpoint_id")));
	rc |= as_json_set(e, "server_id", copy_or_null(as_json_get(probe, "server_id")));
	rc |= as_json_set(e, "tool_name", copy_or_null(as_json_get(probe, "tool_name")));
	rc |= as_json_set(e, "arguments", copy_or_null(as_json_get(probe, "arguments")));
	rc |= as_json_set(e, "result", copy_or_null(a->result));
	rc |= as_json_set(e, "status", as_json_cstring(status[a->status <= ASSAY_STEP_TIMEOUT ? a->status : 1]));
	rc |= as_json_set(e, "served", as_json_cstring(as_served_name(a->served)));
	rc |= as_json_set(e, "version", as_json_cstring(a->version));
	if (rc < 0) {
		as_json_free(e);
		return NULL;
	}
	return e;
}

static int ask(as_world *w, as_call *call, const assay_json *checkpoint, assay_json *list, assay_error *err)
{
	const assay_json *probe = as_json_get(checkpoint, "probe"), *arguments = as_json_get(probe, "arguments");
	as_answer answer = {0};
	assay_error why = {0};
	int rc = as_world_call(w, call, as_json_str(as_json_get(probe, "server_id")),
			       as_json_str(as_json_get(probe, "tool_name")),
			       as_json_type(arguments) == ASSAY_JSON_OBJECT ? arguments : NULL, &answer, &why);
	if (rc == ASSAY_ENOMEM || rc == ASSAY_ECANCELED) {
		if (err) {
			*err = why;
		}
		as_answer_clear(&answer);
		return rc;
	}
	if (rc < 0) {
		as_answer_clear(&answer);
		answer.status = rc == ASSAY_ETIMEOUT ? ASSAY_STEP_TIMEOUT : ASSAY_STEP_ERROR;
	}
	rc = as_json_append(list, entry_of(checkpoint, &answer));
	as_answer_clear(&answer);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_probes_ask(as_world *w, as_call *call, const assay_json *task, assay_json **out, assay_error *err)
{
	assay_json *list = NULL;
	int rc = 0;
	*out = NULL;
	if (!as_task_has_probes(task)) {
		return 0;
	}
	list = as_json_array();
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *c = as_json_first(as_json_get(task, "checkpoints")); c && rc == 0; c = as_json_next(c)) {
		rc = is_probe(c) ? ask(w, call, c, list, err) : 0;
	}
	if (rc < 0) {
		as_json_free(list);
		list = NULL;
	}
	*out = list;
	return rc;
}

int as_trace_with_probes(const as_trace *trace, assay_json *probes, as_trace **out, assay_error *err)
{
	assay_json *document = as_json_clone(as_trace_document(trace)), *meta, *ours;
	int rc = document ? 0 : ASSAY_ENOMEM;
	*out = NULL;
	if (rc == 0 && as_json_type(as_json_get(document, "seed_metadata")) != ASSAY_JSON_OBJECT) {
		rc = as_json_set(document, "seed_metadata", as_json_object());
	}
	meta = as_json_edit(as_json_get(document, "seed_metadata"));
	if (rc == 0 && as_json_type(as_json_get(meta, "assay")) != ASSAY_JSON_OBJECT) {
		rc = as_json_set(meta, "assay", as_json_object());
	}
	ours = as_json_edit(as_json_get(meta, "assay"));
	if (rc == 0 && probes) {
		rc = as_json_set(ours, "probes", probes);
		probes = NULL;
	}
	as_json_free(probes);
	if (rc < 0) {
		as_json_free(document);
		return as_fail_memory(err);
	}
	return as_trace_from_json(document, out, err);
}
