/* Assay SDK, role exposure: which tools an agent is offered, and what becomes of its calls. */
#ifndef ASSAY_ROLES_EXPOSURE_H
#define ASSAY_ROLES_EXPOSURE_H

#include <assay/plugin.h>

typedef struct assay_exposure_request {
	uint32_t size;
	uint32_t seed; /* of the task: its 128-bit id modulo 2^31; 0 when exploring */
	assay_str prompt;
	assay_tools required;  /* union of the task's equivalence sets, first occurrence order; empty when exploring */
	assay_tools surface;   /* the tools of the goal's or the reference trace's servers */
	assay_tools catalogue; /* every tool there is */
} assay_exposure_request;

/* Where offered tools go. description and parameters override the tool's own when given. tool NULL: a tool of the
 * exposure's own making, called `name`, whose calls come to route. */
typedef struct assay_offer_sink assay_offer_sink;
struct assay_offer_sink {
	uint32_t size;
	uint32_t reserved;
	int (*add)(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		   const assay_json *parameters, assay_error *err);
};

#define ASSAY_ROUTE_WORLD 0u  /* call (server, tool) with arguments */
#define ASSAY_ROUTE_ANSWER 1u /* the exposure answers itself */
#define ASSAY_ROUTE_REFUSE 2u /* no such thing on offer */

typedef struct assay_route {
	uint32_t size;
	uint32_t kind;
	assay_text server; /* allocated by the host's alloc; the host frees all of these */
	assay_text tool;
	assay_json *arguments; /* NULL: as the agent gave them */
	assay_text answer;
} assay_route;

typedef struct assay_exposure_ops {
	ASSAY_OPS_HEAD;
	int (*offer)(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		     assay_error *err);
	/* Optional: what to do with a call of a tool of the exposure's own. Calls of catalogue tools by their offered
	 * name go to the world without asking. */
	int (*route)(void *self, assay_call *call, assay_str name, const assay_json *arguments, assay_route *route,
		     assay_error *err);
} assay_exposure_ops; /* required: offer */

#endif
