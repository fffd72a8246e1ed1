/* goalgen/llm: goals that a model writes. What it may build upon is shown to it, and what it writes is held against
 * that by code: rules 2, 4, 5 and 9 of its prompt (llm.md) are checked, not only asked for. */
#ifndef PLUGINS_GOALGEN_LLM_H
#define PLUGINS_GOALGEN_LLM_H

#include "../common/text.h"
#include <assay/json.h>
#include <assay/roles/goalgen.h>

enum {
	GOAL_MAX_BYTES = 2000,    /* of a goal */
	GOAL_MAX_TOOLS = 20,      /* shown of a server, seed tools first */
	GOAL_TOOL_WORDS = 240,    /* characters of a tool's description */
	GOAL_MAX_SCHEMA = 6000,   /* bytes of a tool's schema; a larger one is not shown */
	GOAL_MAX_RESULT = 1500,   /* characters of an observed result */
	GOAL_MAX_KNOWN = 1 << 20, /* bytes of texts that goals may draw from */
	GOAL_PERSONAS = 10
};

struct goal_persona {
	const char *id, *label, *intent;
};
extern const struct goal_persona goal_personas[GOAL_PERSONAS];

struct goal_run {
	struct text_arena arena;
	const assay_host *host;
	const assay_json_api *J;
	assay_call *call;
	const assay_goal_request *request;
	const struct goal_persona *persona;
	struct text_buf known; /* what really exists: resources, observed values, closed lists; a line each */
};

/* Call reading tools that need no arguments, `most` of them, and note what they answer: an array of {"server_id",
 * "tool", "result"}. */
int goal_look_around(struct goal_run *r, uint32_t most, assay_json **observed, assay_error *err);
/* Everything that the model gets to see, as text. Takes `observed` over. */
int goal_view(struct goal_run *r, assay_json *observed, assay_text *out, assay_error *err);
/* May this text be a goal? 0, or ASSAY_EDATA with words for the model. */
int goal_check(struct goal_run *r, assay_str goal, assay_error *why);

#endif
