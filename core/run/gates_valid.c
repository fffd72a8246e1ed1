/* Gate: a model finds the task fit to measure agents with. What it said is the gate's evidence, so that the gate can be
 * run again by anybody. A model that gives no usable answer rejects nothing. */
#include "core/base/error.h"
#include "core/run/evidence.h"
#include "core/run/gates_private.h"

static int judge(const gate_input *in, const assay_json *heard, assay_json **verdict, assay_error *err)
{
	const as_manifest *m = in->context->engine->manifest;
	assay_str task_id = as_json_str(as_json_get(in->task, "task_id"));
	as_worker *w = in->context->worker;
	as_instance *scorer;
	char subject[96]; /* its own: what a gate asks is no part of what the goal cost */
	as_context c;
	int rc = as_worker_instance(w, &m->validator, ASSAY_ROLE_SCORER, &scorer, err);
	snprintf(subject, sizeof subject, "valid:%.*s", (int)(task_id.len < 80 ? task_id.len : 80), task_id.ptr);
	as_context_init(&c, w, m->validator.use, subject, 0, 0);
	c.model = as_manifest_model(m, m->validator.model);
	return rc < 0 ? rc : as_score_with_evidence(&c, scorer, in->task, in->trace, heard, verdict, err);
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
