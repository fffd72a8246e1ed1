/* What a scorer's model said, as part of its verdict: whoever verifies the verdict runs the scorer again on these
 * replies and needs no model.
 *
 * "evidence" of a verdict: array of {"request": digest, "reply": the reply} or {"request": digest, "failed": {"code",
 * "reason", "flags", "message"}}, in the order in which they were asked for. */
#ifndef AS_EVIDENCE_H
#define AS_EVIDENCE_H

#include "core/run/context.h"
#include "core/trace/trace.h"

/* as_score_trace, with what the model says kept under "evidence". heard: a verdict's evidence of before, which is all
 * that the model says now (ASSAY_EDATA where it is about something else); NULL: the context's model is asked. */
int as_score_with_evidence(as_context *c, const as_instance *scorer, const assay_json *task, const as_trace *trace,
			   const assay_json *heard, assay_json **verdict, assay_error *err);

/* Was the judge out of reach when this verdict was made? */
bool as_evidence_failed(const assay_json *verdict);
/* What it said then; code 0: nothing. */
void as_evidence_failure(const assay_json *verdict, assay_error *out);

/* For the context: remember what was said (rc, reply, why) in c->evidence; answer from c->heard. */
int as_evidence_note(as_context *c, const assay_json *request, int said, const assay_json *reply,
		     const assay_error *why, assay_error *err);
int as_evidence_answer(as_context *c, const assay_json *request, assay_json **reply, assay_error *err);

#endif
