/* The replay world: a cursor on a tape. Design page "replay" (stateful mode), reference page part 3 (reference mode).
 */
#ifndef AS_REPLAY_H
#define AS_REPLAY_H

#include "core/task/catalogue.h"
#include "core/world/world.h"

#define AS_REPLAY_STATEFUL 0
#define AS_REPLAY_REFERENCE 1

typedef struct as_replay_options {
	int mode;
	double near_threshold;  /* 0.75; 1.0 and above switch the level off */
	const assay_json *task; /* for the equivalent level; NULL: off */
} as_replay_options;

/* The tape is borrowed and must outlive the world. */
int as_replay_open(const as_tape *tape, const as_replay_options *options, as_world **out, assay_error *err);

#endif
