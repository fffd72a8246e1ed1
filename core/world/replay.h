/* The replay world: a cursor on a tape. Design page "replay" (stateful mode), reference page part 3 (reference mode).
 */
#ifndef AS_REPLAY_H
#define AS_REPLAY_H

#include "core/task/catalogue.h"
#include "core/world/world.h"

#define AS_REPLAY_STATEFUL 0
#define AS_REPLAY_REFERENCE 1

/* Answer a call that the tape does not know: out->result stays NULL where that cannot be done, which is a miss. The
 * error of as_world_ops.call where the attempt cannot go on. */
typedef int as_simulate_fn(void *payload, const as_tape *tape, as_call *call, assay_str server, assay_str tool,
			   const assay_json *arguments, as_answer *out, assay_error *err);

typedef struct as_replay_options {
	int mode;
	double near_threshold;  /* 0.75; 1.0 and above switch the level off */
	const assay_json *task; /* for the equivalent level; NULL: off */
	/* The simulated level, in stateful mode and for reads: a write that nobody made has no state after it. */
	as_simulate_fn *simulate; /* NULL: off */
	void *simulator;
} as_replay_options;

/* The tape is borrowed and must outlive the world. */
int as_replay_open(const as_tape *tape, const as_replay_options *options, as_world **out, assay_error *err);

#endif
