/* The world: what answers a tool call. Live (MCP sessions on prepared environments) or replay (a tape). Thread: a world
 * belongs to one attempt and so to one thread at a time. */
#ifndef AS_WORLD_H
#define AS_WORLD_H

#include "core/plugin/call.h"
#include "core/trace/tape.h"

/* The answer to one call. */
typedef struct as_answer {
	assay_json
		*result; /* MCP result object as it goes into the trace, NULL when there is none; the taker frees it */
	assay_json *asked; /* as_mcp_take_asked; NULL: nothing; the taker frees it */
	assay_json *unfit; /* how it breaks its tool's outputSchema, a string; NULL: it does not; the taker frees it */
	assay_json *error; /* StepError {"code","message","raw"} or NULL; the taker frees it */
	uint32_t status;   /* ASSAY_STEP_... */
	uint32_t served;   /* ASSAY_SERVED_... */
	char version[AS_VERSION_SIZE]; /* of the server's group before the call */
	char next[AS_VERSION_SIZE];    /* and after it */
} as_answer;
void as_answer_clear(as_answer *a);

/* The StepError of a result that says isError (reference page 1.1). NULL: no memory. */
assay_json *as_tool_error(const assay_json *result);

typedef struct as_world as_world;
typedef struct as_world_ops {
	/* A tool's failure is an answer. The function fails when the attempt cannot go on: ASSAY_EUNREACH (server
	 * gone), ASSAY_ETIMEOUT (the attempt's deadline), ASSAY_ECANCELED, ASSAY_ENOMEM. */
	int (*call)(as_world *w, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		    as_answer *out, assay_error *err);
	int (*reset)(as_world *w, as_call *call, assay_error *err); /* back to the initial state; NULL: not offered */
	void (*close)(as_world *w, as_call *call);
} as_world_ops;
struct as_world {
	const as_world_ops *ops;
};

static inline int as_world_call(as_world *w, as_call *call, assay_str server, assay_str tool,
				const assay_json *arguments, as_answer *out, assay_error *err)
{
	return w->ops->call(w, call, server, tool, arguments, out, err);
}
void as_world_close(as_world *w, as_call *call); /* NULL is fine */

#endif
