#include "core/run/score.h"

#include "core/base/error.h"
#include <string.h>

static bool is_unit(const assay_json *v)
{
	double d = as_json_f64(v, -1.0);
	return as_json_type(v) == ASSAY_JSON_NUMBER && d >= 0.0 && d <= 1.0;
}

static bool is_of_type(const assay_json *v, int type)
{
	return !v || as_json_type(v) == ASSAY_JSON_NULL || as_json_type(v) == type;
}

static bool has_good_metrics(const assay_json *verdict)
{
	const assay_json *metrics = as_json_get(verdict, "metrics");
	bool good = is_of_type(metrics, ASSAY_JSON_OBJECT);
	for (const assay_json *m = as_json_first(metrics); m && good; m = as_json_next(m)) {
		good = is_of_type(m, ASSAY_JSON_NUMBER);
	}
	return good;
}

/* What is wrong with a verdict; NULL: the rest of the program can rely on it. */
static const char *complaint_about(const assay_json *v)
{
	assay_str word = as_json_str(as_json_get(v, "verdict"));
	if (!as_str_is(word, "pass") && !as_str_is(word, "fail") && !as_str_is(word, "unknown")) {
		return "the verdict is neither \"pass\" nor \"fail\" nor \"unknown\"";
	}
	if (!is_unit(as_json_get(v, "lo")) || !is_unit(as_json_get(v, "hi")) ||
	    as_json_f64(as_json_get(v, "lo"), 0) > as_json_f64(as_json_get(v, "hi"), 0)) {
		return "the verdict's \"lo\" and \"hi\" are no bounds within 0 and 1";
	}
	if (!is_of_type(as_json_get(v, "checks"), ASSAY_JSON_ARRAY) ||
	    !is_of_type(as_json_get(v, "minefields"), ASSAY_JSON_ARRAY)) {
		return "the verdict's \"checks\" and \"minefields\" are no arrays";
	}
	if (!is_of_type(as_json_get(v, "ordering"), ASSAY_JSON_OBJECT) ||
	    !is_of_type(as_json_get(v, "summary"), ASSAY_JSON_OBJECT)) {
		return "the verdict's \"ordering\" and \"summary\" are no objects";
	}
	return has_good_metrics(v) ? NULL : "the verdict's \"metrics\" is no object of numbers";
}

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
	if (rc == 0 && complaint_about(v)) {
		rc = as_fail(err, ASSAY_EPLUGIN, "%s", complaint_about(v));
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
