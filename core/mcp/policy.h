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

/* The capabilities to announce: an object, or NULL when memory is out. Stateless revisions have extensions. */
assay_json *as_policy_capabilities(as_mcp_elicitation elicitation, bool stateless);

/* Append {"method","params","result"} or {"method","params","error":{"code","message"}} to an array of such notes,
 * which is made when it is NULL; the first AS_POLICY_NOTES are kept. `bytes` is the length of the message that it came
 * in: of one longer than AS_POLICY_NOTED, "bytes" is kept instead of "params". */
#define AS_POLICY_NOTES 32u
#define AS_POLICY_NOTED ((size_t)16 << 10)
int as_policy_note(assay_json **notes, assay_str method, const assay_json *params, const as_served *served,
		   size_t bytes);

/* The responses to inputRequests of a stateless server: an object with the same keys, without those that `answered`
 * (NULL: none) has. Each is noted, see above. ASSAY_EPROTO with a message: a request of a kind that was not announced,
 * or none. */
int as_policy_respond(as_mcp_elicitation elicitation, const assay_json *requests, const assay_json *answered,
		      assay_json **notes, size_t bytes, assay_json **responses, assay_error *err);

#endif
