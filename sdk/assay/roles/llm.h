/* Assay SDK, role llm: one request to a model, one reply.
 *
 * Request: {"messages": [{"role": "system"|"user"|"assistant"|"tool", "content": text, "tool_calls"?: [{"id","name",
 *   "arguments": text}], "tool_call_id"?: text, ...}], "tools"?: [{"name","description","parameters"}],
 *   "tool_choice"?: "auto"|"none"|"required"|{"name"}, "response_format"?: {"name","schema"} (the content is to be a
 *   JSON text of that schema), "temperature"?: n, "top_p"?: n, "max_tokens"?: n, "seed"?: n, "reasoning_effort"?:
 *   "minimal"|"low"|"medium"|"high", "extra"?: {...} (for implementations that know it)}.
 * Reply: {"message": {"role": "assistant", "content": text, "tool_calls"?: [...], further fields}, "finish_reason":
 *   "stop"|"tool_calls"|"length"|"content_filter", "model": text, "usage": {"prompt_tokens", "completion_tokens",
 *   "cached_tokens"?, "reasoning_tokens"?} or null}. cached_tokens are part of prompt_tokens, reasoning_tokens part of
 *   completion_tokens.
 *
 * Whatever else a message or one of its calls carries comes back as it was in the requests that follow: what a provider
 * wants to see again (thinking blocks and their signatures) belongs there. By custom it stands under "native": {"api":
 * NAME, ...}, which only the implementation of that name reads.
 *
 * What comes to `complete` has been made fit for the implementation's dialect, and what it answers is turned back: tool
 * names, schemas, and calls without an id or with one that another call has. */
#ifndef ASSAY_ROLES_LLM_H
#define ASSAY_ROLES_LLM_H

#include <assay/plugin.h>

/* Why there was no reply: `reason` of the error. The host decides by it whether to ask again, how the attempt ends and
 * whether it counts. 0 is taken as ASSAY_LLM_UNREACHABLE for ASSAY_EUNREACH and ASSAY_ETIMEOUT, else as REFUSED. */
#define ASSAY_LLM_AUTH 1u        /* no key, or one that is refused */
#define ASSAY_LLM_QUOTA 2u       /* nothing left to spend */
#define ASSAY_LLM_RATE 3u        /* too many requests; detail: ms to wait, 0 when not told */
#define ASSAY_LLM_OVERLOAD 4u    /* the provider is in trouble; detail as for RATE */
#define ASSAY_LLM_UNREACHABLE 5u /* no connection, or one that broke off, or no answer in time */
#define ASSAY_LLM_MALFORMED 6u   /* an answer that is none of the API's */
#define ASSAY_LLM_EMPTY 7u       /* success without a body */
#define ASSAY_LLM_REFUSED 8u     /* the request is one that this model does not take */
#define ASSAY_LLM_CONTEXT 9u     /* the messages are longer than the model can read: the agent's doing */
#define ASSAY_LLM_FILTER 10u /* the provider will not have this prompt; the agent gets an empty reply that says so */

/* What a provider takes for tool names and schemas. */
#define ASSAY_LLM_NAME_LETTER_FIRST 1u /* the first character is a letter or _ */

#define ASSAY_LLM_SCHEMA_OBJECT 1u       /* top level: "type": "object" with properties, no anyOf and the like */
#define ASSAY_LLM_SCHEMA_NO_REF 2u       /* no $ref: definitions are put in their place */
#define ASSAY_LLM_SCHEMA_NO_CONST 4u     /* "enum" of one value instead */
#define ASSAY_LLM_SCHEMA_NULLABLE 8u     /* one type and "nullable", no list of types, no type null */
#define ASSAY_LLM_SCHEMA_OPENAPI 16u     /* only the keywords of OpenAPI 3.0 that Gemini knows; enums of texts only */
#define ASSAY_LLM_SCHEMA_NO_EMPTY 32u    /* a tool without arguments has no "parameters" at all */
#define ASSAY_LLM_SCHEMA_ANY_OF_ONLY 64u /* anyOf for oneOf; allOf merged */

typedef struct assay_llm_dialect {
	uint32_t size;
	uint32_t schema;        /* ASSAY_LLM_SCHEMA_... */
	const char *name_marks; /* what a name may hold beside ASCII letters and digits; NULL: anything */
	uint32_t name_max;      /* bytes; 0: any length */
	uint32_t name_rules;    /* ASSAY_LLM_NAME_... */
} assay_llm_dialect;

typedef struct assay_llm_ops {
	ASSAY_OPS_HEAD;
	/* Make ONE request and emit one reply. No retries here: set reason, ASSAY_ERR_RETRYABLE and detail (a delay in
	 * ms) in the error instead. Required operation. */
	int (*complete)(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err);
	const assay_llm_dialect *dialect; /* NULL: takes names and schemas as they are */
	/* Could a request be made as things are (is a key set)? Sends nothing. NULL: always. */
	int (*ready)(void *self, assay_call *call, assay_error *err);
} assay_llm_ops;

#endif
