/* The recorder: sits around exposure and world, so that nothing an agent does can escape the trace. It serves the
 * explorer's host services (offers, act) and builds the trace. Thread: belongs to one attempt. */
#ifndef AS_RECORDER_H
#define AS_RECORDER_H

#include "core/base/json_pool.h"
#include "core/plugin/registry.h"
#include "core/task/catalogue.h"
#include "core/trace/trace.h"
#include "core/world/wording.h"
#include "core/world/world.h"
#include <assay/roles/exposure.h>

typedef struct as_recorder_options {
	as_world *world;                 /* borrowed */
	const as_catalogue *catalogue;   /* borrowed */
	const as_instance *exposure;     /* borrowed */
	assay_exposure_request request;  /* its parts are borrowed until close */
	assay_json *seed_metadata;       /* taken over */
	const assay_json *trace_servers; /* array of server ids whose surface goes into the trace */
	size_t text_cut;                 /* characters of a result shown to the model; 8000 */
	uint32_t max_calls;              /* agent calls of any kind; 0: 1000 */
	/* A server that breaks down during a call is an error that the agent reads, as with the reference (page 1.1 and
	 * 7.1), and not the end of the session. */
	bool exceptions;
	as_json_pool *pool;       /* borrowed: sessions that are offered the same share it; NULL: none */
	as_describe_fn *describe; /* NULL: tools are offered as their servers describe them */
	void *describer;
} as_recorder_options;

typedef struct as_recorder as_recorder;
int as_recorder_open(const as_recorder_options *options, as_recorder **out, assay_error *err);
/* Ask the exposure what is offered; once, before anything else. After a failure nothing is offered, and the session can
 * still be finished. */
int as_recorder_offer(as_recorder *r, as_call *call, assay_error *err);
int as_recorder_offers(as_recorder *r, const assay_json **tools, assay_error *err);
int as_recorder_act(as_recorder *r, as_call *call, assay_str name, const assay_json *arguments, assay_text *text,
		    int *is_error, assay_error *err);
/* Was a failed call the server's doing (gone, hung, against the protocol, too much), and not the attempt's own end? */
bool as_is_servers_fault(const as_call *call, int rc, const assay_error *why);
/* Is a catalogue tool on offer, and how many are? */
bool as_recorder_has(const as_recorder *r, assay_str server, assay_str tool);
size_t as_recorder_count(const as_recorder *r);
/* Set seed_metadata[key] of the trace; value is taken over. */
int as_recorder_note(as_recorder *r, const char *key, assay_json *value, assay_error *err);
/* Ask the world about a task's state conditions, now that the agent has stopped. NULL: none. */
int as_recorder_probe(as_recorder *r, as_call *call, const assay_json *task, assay_error *err);
/* Put the explorer's result under seed_metadata.exploration (taken over, NULL: null) and finish the trace. */
int as_recorder_finish(as_recorder *r, assay_json *exploration, as_trace **out, assay_error *err);

/* Wall-clock start and length (µs) of every world call so far, in step order. */
typedef struct as_call_time {
	int64_t start_us, length_us;
} as_call_time;
size_t as_recorder_times(const as_recorder *r, const as_call_time **out);
void as_recorder_close(as_recorder *r);

#endif
