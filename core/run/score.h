/* Scoring one trace with one scorer. */
#ifndef AS_SCORE_H
#define AS_SCORE_H

#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "core/trace/trace.h"

/* Run an opened scorer on a finished trace and check the shape of its verdict (ASSAY_EPLUGIN otherwise). server_tags
 * may be NULL. The caller frees *verdict. */
int as_score_trace(const as_instance *scorer, as_call *call, const assay_json *task, const as_trace *trace,
		   const assay_json *server_tags, assay_json **verdict, assay_error *err);

#endif
