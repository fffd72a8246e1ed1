/* Descriptions of tools that a model has cleaned up, as a condition of an evaluation: agents are offered them in place
 * of the servers' own, which stay in catalogue and traces. Each tool is asked about once in a run. */
#ifndef AS_DESCRIBE_H
#define AS_DESCRIBE_H

#include "core/run/context.h"

/* as_describe_fn; payload is the condition (const as_condition_spec *), the call's context an as_context. */
int as_describe(void *payload, as_call *call, const assay_tool *tool, assay_text *out, assay_error *err);
/* What a condition calls a tool is known from elsewhere (a release): nobody is asked about it. */
int as_describe_known(as_engine *e, const as_condition_spec *condition, const assay_tool *tool, assay_str text,
		      assay_error *err);

#endif
