#include "core/run/reach.h"

#include "core/base/error.h"
#include "core/run/describe.h"
#include "core/world/wording.h"
#include <assay/roles/exposure.h>
#include <stdlib.h>

as_reach as_reach_count(const assay_json *task, as_on_offer_fn on_offer, const void *context)
{
	as_reach r = {0};
	for (const assay_json *c = as_json_first(as_json_get(task, "checkpoints")); c; c = as_json_next(c)) {
		bool found = false;
		if (!as_str_is(as_json_str(as_json_get(c, "kind")), "tool_effect")) {
			continue;
		}
		for (const assay_json *m = as_json_first(as_json_get(c, "equivalence_set")); m && !found;
		     m = as_json_next(m)) {
			found = on_offer(context, as_json_str(as_json_get(m, "server_id")),
					 as_json_str(as_json_get(m, "tool_name")));
		}
		r.checkpoints++;
		r.reachable += found;
	}
	return r;
}

/* Keeps the tools that an exposure offers. */
typedef struct keeper {
	assay_offer_sink sink;
	const assay_tool **list;
	size_t n, cap;
} keeper;

static int keep_offer(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		      const assay_json *parameters, assay_error *err)
{
	keeper *k = (keeper *)sink;
	(void)name;
	(void)description;
	(void)parameters;
	if (!tool) {
		return 0;
	}
	if (!as_grow(&k->list, &k->cap, k->n + 1, sizeof(const assay_tool *))) {
		return as_fail_memory(err);
	}
	k->list[k->n++] = tool;
	return 0;
}

static bool is_kept(const void *context, assay_str server, assay_str tool)
{
	const keeper *k = context;
	for (size_t i = 0; i < k->n; i++) {
		if (as_str_eq(k->list[i]->name, tool) && as_str_eq(k->list[i]->server, server)) {
			return true;
		}
	}
	return false;
}

int as_reach_offline(as_context *c, const as_condition_spec *condition, const assay_exposure_request *request,
		     const assay_json *task, as_reach *out, assay_error *err)
{
	const as_use *exposure = &condition->exposure;
	keeper k = {.sink = {sizeof k.sink, 0, keep_offer}};
	as_wording words = {0};
	as_instance *instance;
	int rc = as_worker_instance(c->worker, exposure, ASSAY_ROLE_EXPOSURE, &instance, err);
	*out = (as_reach){0};
	if (rc == 0 && condition->describer.use) {
		rc = as_wording_make(request, as_describe, (void *)(uintptr_t)condition, &c->call, &words, err);
		request = &words.request;
	}
	if (rc == 0) {
		const assay_exposure_ops *ops = as_instance_ops(instance);
		c->model = as_manifest_model(c->engine->manifest, exposure->model);
		as_called before = as_instance_enter(instance, "offer");
		rc = ops->offer(as_instance_self(instance), &c->call.pub, request, &k.sink, err);
		rc = as_called_end(before, rc, err);
		as_error_where(rc < 0 ? err : NULL, exposure->use, 0);
	}
	if (rc == 0) {
		*out = as_reach_count(task, is_kept, &k);
		out->tools = (uint32_t)k.n;
	}
	as_wording_free(&words);
	free(k.list);
	return rc;
}
