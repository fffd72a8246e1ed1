#include "core/run/score.h"

#include "core/base/error.h"
#include "core/plugin/role.h"

int as_score_trace(const as_instance *scorer, as_call *call, const assay_json *task, const as_trace *trace,
		   const assay_json *server_tags, assay_json **verdict, assay_error *err)
{
	const assay_scorer_ops *ops = as_instance_ops(scorer);
	const char *who = as_instance_info(scorer)->use;
	as_called before;
	assay_subject subject;
	as_checks own = {0}, *given = call->checks;
	as_collect got;
	assay_json *v = NULL;
	int rc;
	call->checks = given ? given : &own;
	as_checks_begin(call->checks);
	as_collect_init(&got, 2, 0); /* one too many is told apart below */
	as_trace_subject(trace, task, server_tags, &subject);
	before = as_instance_enter(scorer, "score");
	rc = ops->score(as_instance_self(scorer), &call->pub, &subject, &got.sink, err);
	rc = as_called_end(before, rc, err);
	if (rc == 0) {
		rc = as_collect_one(&got, who, &v, err);
	}
	if (rc == 0 && as_role_verdict(v)) {
		rc = as_fail(err, ASSAY_EPLUGIN, "%s", as_role_verdict(v));
	}
	if (rc < 0) {
		as_json_free(v);
		v = NULL;
		as_error_where(err, who, 0);
	}
	*verdict = v;
	as_collect_free(&got);
	call->checks = given;
	as_checks_free(&own);
	return rc;
}
