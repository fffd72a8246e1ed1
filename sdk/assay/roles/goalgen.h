/* Assay SDK, role goalgen: from seed tools to goals that a user might have. */
#ifndef ASSAY_ROLES_GOALGEN_H
#define ASSAY_ROLES_GOALGEN_H

#include <assay/plugin.h>

typedef struct assay_goal_request {
	uint32_t size;
	uint32_t index;            /* number of this goal within its category, from 0 */
	assay_tools seeds;         /* the seed set, anchor first */
	assay_tools surface;       /* all tools of the servers of the seed set, in catalogue order */
	assay_str category;        /* its name */
	assay_str framing;         /* words of the manifest that stand in the goal, may be empty */
	assay_str complexity;      /* "simple", "medium", "hard" or empty */
	const assay_json *servers; /* object: server id -> {"class", "description", "resources": [{"kind","value"}]} */
	assay_str challenge;       /* what the category wants goals to demand, for an author that reads; may be empty */
	const assay_json *expect;  /* object: what a task of it must have, as in the manifest; NULL: nothing */
	assay_tools catalogue;     /* every tool there is, for telling namesakes apart */
} assay_goal_request;

typedef struct assay_goalgen_ops {
	ASSAY_OPS_HEAD;
	/* Emit one goal, or none when these seeds lend themselves to none, or {"rejected": reason}:
	 * {"goal": text, "servers": [id], "tags": [text], "persona": text or null, "notes": any}.
	 * host->world reaches live servers for discovery. Values in the goal come from resources or from what a server
	 * answered, never out of thin air. Required operation. */
	int (*generate)(void *self, assay_call *call, const assay_goal_request *request, assay_sink *goals,
			assay_error *err);
} assay_goalgen_ops;

#endif
