/* Assay SDK, service "structured" (host->service("structured", 1)): an answer of a given shape from the model that the
 * manifest gave this implementation, for authors and judges.
 *
 * The model is made to call a function (or, where the manifest says that it cannot be made to, to answer in JSON). What
 * it answers is held against a JSON Schema and then against a check of yours; what does not pass is told to the model,
 * which is asked again, a few times. So what comes back is in order, or there is a reason to give. */
#ifndef ASSAY_STRUCTURED_H
#define ASSAY_STRUCTURED_H

#include <assay/json.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_question {
	uint32_t size;
	uint32_t replies;         /* so many of them may be unusable before it is given up; 0: 3 */
	assay_str prompt;         /* what is to be done: the system's message */
	assay_str input;          /* what it is to be done with: the user's message */
	const char *name;         /* of the function: letters, digits and _ */
	const char *description;  /* of the function */
	const assay_json *schema; /* of the answer, which is an object */
	double temperature;
	int64_t max_tokens; /* of one reply; 0: the model decides */
	/* What no schema can say. 0: usable. ASSAY_EDATA: not, and the message (and pointer) says why in words for the
	 * model. Anything else ends the question. NULL: no check. */
	int (*check)(void *payload, const assay_json *answer, assay_error *why);
	void *payload;
} assay_question;

typedef struct assay_structured_api {
	uint32_t size;
	uint32_t reserved;
	/* *answer (owned by the caller): an object that the schema and the check let pass. ASSAY_EDATA with reason
	 * ASSAY_LLM_MALFORMED (roles/llm.h): no reply was usable; the message tells about the last one. Otherwise what
	 * host->llm->chat answers, to be passed on. */
	int (*ask)(assay_call *call, const assay_question *question, assay_json **answer, assay_error *err);
} assay_structured_api;

#ifdef __cplusplus
}
#endif
#endif
