/* The core's side of assay_call: what stands behind the host services during one operation. The layers to the right
 * fill in hooks; a NULL hook makes its service answer ASSAY_ENOTSUP. Thread: one call, one thread. */
#ifndef AS_CALL_H
#define AS_CALL_H

#include "core/base/clock.h"
#include "core/base/http.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/task/catalogue.h"
#include "core/task/checks.h"
#include <assay/embed.h>
#include <assay/host.h>

typedef struct as_call_hooks {
	int (*offers)(void *context, const assay_json **tools, assay_error *err);
	int (*act)(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		   assay_error *err);
	int (*world_call)(void *context, assay_str server, assay_str tool, const assay_json *arguments,
			  assay_json **result, int *is_error, assay_error *err);
	int (*world_reset)(void *context, assay_error *err);
	int (*chat)(void *context, const assay_json *request, assay_json **reply, assay_error *err);
	int (*score)(void *context, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		     assay_error *err);
	int (*body)(void *context, const assay_json *body, assay_error *err);
	int (*draw)(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		    uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err);
	int (*embed)(void *context, const char *embedder, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		     assay_error *err);
	/* The thread's HTTP client, opened on first use. */
	int (*http)(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err);
	/* What ${NAME} stands for in what a plugin sends out; borrowed until the operation returns. NULL hook: such
	 * text is left as it is. NULL value: not set. taking: it is used now, so that the next of several keys comes
	 * next. */
	const char *(*variable)(void *context, const char *name, bool taking);
	/* The same for the variables of a program of the command protocol alone, where `variable` is NULL: what a
	 * transport sends may be a server's own words, and must not be filled in. */
	const char *(*program_variable)(void *context, const char *name, bool taking);
} as_call_hooks;

typedef struct as_call {
	assay_call pub;             /* first: plugins hold a pointer to it */
	const as_call_hooks *hooks; /* NULL: no services beside the plain ones */
	void *context;              /* handed to every hook */
	int64_t deadline_ms;        /* monotonic; AS_FOREVER: none */
	const as_cancel *cancel;    /* NULL: never */
	as_rng *rng;                /* NULL: rng services answer 0 */
	as_log *log;                /* NULL: silent */
	const char *component;      /* for log lines: "explorer/loop" */
	const char *cwd;            /* where children start; NULL: ours */
	as_catalogue *catalogue;    /* for comparing its tools; NULL: none */
	as_checks *checks;          /* of tasks that outlive it; NULL: predicates are read each time */
} as_call;

/* A call with no hooks, no deadline, no cancellation. */
void as_call_init(as_call *call);

/* The one host table. Constant. */
const assay_host *as_host(void);

#endif
