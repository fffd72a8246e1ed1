/* The effect scorer, compiled into a test: no module has to be found for it. The program lists plugins/scorer/effects.c
 * and effects_summary.c among its sources. */
#ifndef TESTS_EFFECTS_KIT_H
#define TESTS_EFFECTS_KIT_H

#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "core/trace/trace.h"
#include <assay/roles/scorer.h>

const assay_plugin *scorer_effects_LTX_assay_plugin_v1(void);

/* The verdict on a trace; server_tags and options may be NULL. The caller frees it. */
static inline int effects_verdict_with(const assay_json *options, const assay_json *task, const as_trace *trace,
				       const assay_json *server_tags, assay_json **verdict, assay_error *err)
{
	const assay_scorer_ops *ops = scorer_effects_LTX_assay_plugin_v1()->impls[0]->ops;
	as_call call;
	as_collect got;
	assay_subject subject;
	void *self = NULL;
	int rc = ops->open(as_host(), options, &self, err);

	*verdict = NULL;
	as_call_init(&call);
	as_collect_init(&got, 1, 0);
	as_trace_subject(trace, task, server_tags, &subject);
	if (rc == 0) {
		rc = ops->score(self, &call.pub, &subject, &got.sink, err);
	}
	if (rc == 0) {
		rc = as_collect_one(&got, "scorer/effects", verdict, err);
	}
	as_collect_free(&got);
	ops->close(self);
	return rc;
}

static inline int effects_verdict(const assay_json *task, const as_trace *trace, const assay_json *server_tags,
				  assay_json **verdict, assay_error *err)
{
	return effects_verdict_with(NULL, task, trace, server_tags, verdict, err);
}

#endif
