/* From a verdict to an evaluation result in DynamicMCPBench's format (reference page 1.3 and 4.8, a closed model). */
#ifndef AS_RESULT_H
#define AS_RESULT_H

#include "core/trace/trace.h"

typedef struct as_result_frame {
	assay_str task_id;
	const as_trace *trace;
	const assay_json *verdict; /* sdk/assay/roles/scorer.h */
	assay_str candidate;       /* who it is called; empty: the model of its trace */
	const char *mode;          /* "ingested", "replay", "live" */
	int64_t repeat;
} as_result_frame;

/* Append the result as one line of JSON with its line feed. What is ours stands under "summary"/"assay": the bounds,
 * the metrics, attempted attribution errors, and the model where the candidate is called something else. The time is
 * the epoch: equal input gives equal bytes. Sticky. */
void as_result_write(const as_result_frame *frame, as_buf *out);

#endif
