/* Gate: a model finds the task fit to measure agents with. What it said is the gate's evidence, so that the gate can be
 * run again by anybody. A model that gives no usable answer rejects nothing. */
#include "core/base/error.h"
#include "core/run/evidence.h"
#include "core/run/gates_private.h"

static int judge(const gate_input *in, const assay_json *heard, assay_json **verdict, assay_error *err)
{
	as_context *c = in->context;
	const as_manifest *m = c->engine->manifest;
	const as_model_spec *before = c->model;
	as_instance *scorer;
	int rc = as_worker_instance(c->worker, &m->validator, ASSAY_ROLE_SCORER, &scorer, err);
	c->model = as_manifest_model(m, m->validator.model);
	rc = rc < 0 ? rc : as_score_with_evidence(c, scorer, in->task, in->trace, heard, verdict, err);
	c->model = before;
	return rc;
}

int as_gate_valid(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_json *verdict = NULL;
	const assay_json *heard = as_json_get(as_gate_known(in, AS_GATE_VALID), "replies"), *said;
	/* There was an earlier time, and nothing was said. */
	int rc = in->known && as_json_count(heard) == 0 ? 0 : judge(in, heard, &verdict, err);
	if (rc < 0) {
		return rc;
	}
	said = as_json_get(verdict, "verdict");
	*passed = verdict && !as_str_is(as_json_str(said), "fail");
	rc = as_json_set(evidence, "verdict", said ? as_json_clone(said) : as_json_cstring("unknown"));
	rc |= as_json_set(evidence, "reason", as_json_string(as_json_str(as_json_pointer(verdict, "/summary/reason"))));
	said = as_json_get(verdict, "evidence");
	rc |= as_json_set(evidence, "replies", said ? as_json_clone(said) : as_json_array());
	as_json_free(verdict);
	return rc < 0 ? as_fail_memory(err) : 0;
}
