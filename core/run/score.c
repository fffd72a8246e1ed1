#include "core/run/score.h"

#include "core/base/error.h"
#include <string.h>

static bool is_unit(const assay_json *v)
{
	double d = as_json_f64(v, -1.0);
	return as_json_type(v) == ASSAY_JSON_NUMBER && d >= 0.0 && d <= 1.0;
}

/* A verdict that the rest of the program can rely on. */
static int check_verdict(const assay_json *v, const char *who, assay_error *err)
{
	assay_str word = as_json_str(as_json_get(v, "verdict"));
	if (!as_str_is(word, "pass") && !as_str_is(word, "fail") && !as_str_is(word, "unknown")) {
		as_fail(err, ASSAY_EPLUGIN, "the verdict is neither \"pass\" nor \"fail\" nor \"unknown\"");
		return as_error_where(err, who, 0);
	}
	if (!is_unit(as_json_get(v, "lo")) || !is_unit(as_json_get(v, "hi")) ||
	    as_json_f64(as_json_get(v, "lo"), 0) > as_json_f64(as_json_get(v, "hi"), 0)) {
		as_fail(err, ASSAY_EPLUGIN, "the verdict's \"lo\" and \"hi\" are no bounds within 0 and 1");
		return as_error_where(err, who, 0);
	}
	return 0;
}

int as_score_trace(const as_instance *scorer, as_call *call, const assay_json *task, const as_trace *trace,
                   const assay_json *server_tags, assay_json **verdict, assay_error *err)
{
	const assay_scorer_ops *ops = as_instance_ops(scorer);
	const char *who = as_instance_info(scorer)->use;
	assay_subject subject;
	as_collect got;
	assay_json *v = NULL;
	int rc;
	as_collect_init(&got, 1, 0);
	as_trace_subject(trace, task, server_tags, &subject);
	rc = ops->score(as_instance_self(scorer), &call->pub, &subject, &got.sink, err);
	if (rc == 0) {
		rc = as_collect_one(&got, who, &v, err);
	}
	if (rc == 0) {
		rc = check_verdict(v, who, err);
	}
	if (rc < 0) {
		as_json_free(v);
		v = NULL;
		as_error_where(err, who, 0);
	}
	*verdict = v;
	as_collect_free(&got);
	return rc;
}
