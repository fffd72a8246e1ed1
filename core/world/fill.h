/* The fill: what the reference never asked, asked of the live world, so that an agent that goes another way finds an
 * answer on the tape (design page "replay", rule 5). Thread: the world's. */
#ifndef AS_FILL_H
#define AS_FILL_H

#include "core/world/taping.h"

#define AS_FILL_WALKS 1u  /* the reference's writes again, whole and each with one left out; reads at each version */
#define AS_FILL_COPIES 2u /* and each write from a copy of each of these states */

typedef struct as_fill_options {
	uint32_t parts;     /* AS_FILL_...; 0: nothing */
	uint32_t max_calls; /* resets and copies count as calls; what is left undone then stays undone */
	/* Its probes are asked, too, and what may stand in for the reference's calls; NULL: none. */
	const assay_json *task;
} as_fill_options;

/* Only servers whose state a reset brings back are asked, or that have none that calls change. A world that does not
 * come back to the state that the reference started from is left alone; one that breaks down ends the fill, and what
 * was learnt until then stays. The world is left in any state. Fails only when cancelled or out of memory. */
int as_tape_fill(as_taping *t, const as_trace *trace, as_world *live, as_call *call, const as_fill_options *options,
		 assay_error *err);

#endif
