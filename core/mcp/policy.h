/* What a server is told that asks something of its client. Nobody sits at the other end, so nothing ever waits for a
 * person. Thread: any. Source: mcp-protocol reference, section 9. */
#ifndef AS_MCP_POLICY_H
#define AS_MCP_POLICY_H

#include "core/base/json.h"
#include "core/mcp/session.h"

/* An answer: a result, or an error's code; said is the error's message, or what was done, for the log. */
typedef struct as_served {
	assay_json *result; /* the caller frees it; NULL: an error */
	int code;
	const char *said;
} as_served;

void as_policy_serve(as_mcp_elicitation elicitation, assay_str method, const assay_json *params, as_served *out);

/* The capabilities to announce: an object, or NULL when memory is out. */
assay_json *as_policy_capabilities(as_mcp_elicitation elicitation);

/* The responses to the inputRequests of an "input_required" result: an object with the same keys. ASSAY_EPROTO with a
 * message: a request of a kind that was not announced, or none. */
int as_policy_respond(as_mcp_elicitation elicitation, const assay_json *requests, assay_json **responses,
		      assay_error *err);

#endif
