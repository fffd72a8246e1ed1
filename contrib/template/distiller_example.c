/* distiller/example: every call that succeeded in the trace becomes a checkpoint, whatever its arguments were. */
#include <assay/plugin.h>
#include <assay/roles/distiller.h>
#include <assay/text.h>

static int add_checkpoint(const assay_json_api *J, const assay_json *step, assay_json *checkpoints)
{
	static const char digits[] = "0123456789";
	size_t n = J->count(checkpoints) + 1;
	char id[3] = {'c', digits[n / 10 % 10], digits[n % 10]};
	assay_json *c = J->object(), *set = J->array(), *pair = J->object();
	int bad = J->set(pair, "server_id", J->clone(J->get(step, "server_id")));
	bad |= J->set(pair, "tool_name", J->clone(J->get(step, "tool_name")));
	bad |= J->append(set, pair);
	bad |= J->set(c, "checkpoint_id", J->string(assay_text_of(id, sizeof id)));
	bad |= J->set(c, "description", J->string(ASSAY_STR("what the reference did")));
	bad |= J->set(c, "kind", J->string(ASSAY_STR("tool_effect")));
	bad |= J->set(c, "equivalence_set", set);
	bad |= J->set(c, "arg_predicate", J->null());
	bad |= J->set(c, "must_succeed", J->truth(1));
	return J->append(checkpoints, c) | bad;
}

static int distil(void *self, assay_call *call, const assay_distil_request *request, assay_sink *task, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	assay_json *body = J->object(), *checkpoints = J->array();
	const assay_json *step, *goal = J->get(request->goal, "goal");
	int bad = 0, rc;
	(void)self;
	for (step = J->first(J->get(request->trace, "steps")); step; step = J->next(step)) {
		if (assay_text_is(J->str(J->get(step, "kind")), "call_tool_agent") && J->count(checkpoints) < 99 &&
		    assay_text_is(J->str(J->get(step, "status")), "success")) {
			bad |= add_checkpoint(J, step, checkpoints);
		}
	}
	if (J->count(checkpoints) == 0 || J->str(goal).len == 0) {
		J->free(checkpoints);
		bad |= J->set(body, "rejected", J->string(ASSAY_STR("no call succeeded")));
	} else {
		bad |= J->set(body, "prompt", J->clone(goal));
		bad |= J->set(body, "checkpoints", checkpoints);
		bad |= J->set(body, "minefields", J->array());
		bad |= J->set(body, "ordering", J->array());
		bad |= J->set(body, "notes", J->null());
	}
	if (bad) {
		J->free(body);
		return call->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = task->emit(task, body, err);
	return rc < 0 ? rc : 0;
}

static const assay_distiller_ops ops = {.size = sizeof ops, .distil = distil};

ASSAY_IMPL(impl, DISTILLER, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "each successful call is a checkpoint",
	   NULL, &ops);
ASSAY_PLUGIN(distiller_example, "0.1.0", "A distiller", "Apache-2.0", &impl)
