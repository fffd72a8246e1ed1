/* Assay SDK, role llm: one request to a model, one reply.
 *
 * Request: {"messages": [{"role": "system"|"user"|"assistant"|"tool", "content": text, "tool_calls"?: [{"id","name",
 *   "arguments": text}], "tool_call_id"?: text, ...}], "tools": [{"name","description","parameters"}],
 *   "tool_choice": "auto"|"none"|{"name"}, "temperature"?: n, "max_tokens"?: n, "seed"?: n, "extra"?: {...}}.
 * Reply: {"message": {"role": "assistant", "content": text, "tool_calls"?: [...], further fields kept verbatim},
 *   "finish_reason": "stop"|"tool_calls"|"length"|"content_filter", "model": text,
 *   "usage": {"prompt_tokens","completion_tokens"} or null}. */
#ifndef ASSAY_ROLES_LLM_H
#define ASSAY_ROLES_LLM_H

#include <assay/plugin.h>

typedef struct assay_llm_ops {
	ASSAY_OPS_HEAD;
	/* Make ONE request and emit one reply. No retries here: set ASSAY_ERR_RETRYABLE and detail (a delay in ms) in
	 * the error instead. Required operation. */
	int (*complete)(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err);
} assay_llm_ops;

#endif
