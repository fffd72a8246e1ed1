/* A goal slot: the n-th goal of a category on its way from seed tools to a gated task. Private to generation. */
#ifndef AS_GENERATE_H
#define AS_GENERATE_H

#include "core/run/context.h"

/* Goal rows that the store held before this stage began. */
typedef struct as_goal_memory as_goal_memory;
int as_goal_memory_load(as_engine *e, as_goal_memory **out, assay_error *err);
void as_goal_memory_free(as_goal_memory *m);

typedef struct as_slot {
	uint32_t category, index;
	char key[160]; /* "goal/CATEGORY/INDEX": subject of stored replies, item of seeds */
	char state[16], reason[240];
	assay_json *goal; /* NULL: none yet */
	assay_json *task; /* NULL: none yet */
	assay_json *certificate;
	char trace_id[40], task_id[40], tape_id[80];
} as_slot;

/* From what the memory knows of it. */
int as_slot_init(as_slot *s, as_engine *e, uint32_t category, uint32_t index, const as_goal_memory *memory,
		 assay_error *err);
void as_slot_clear(as_slot *s);
/* Take every step that is still to take, each committed before the next begins, up to and including `upto`. */
int as_slot_advance(as_worker *w, as_slot *s, int upto, assay_error *err);
/* Did its task pass the required gates (accepted already or not)? */
bool as_slot_passed(const as_slot *s);
/* The last word: "certified", "surplus" or "rejected". A no-op when that is what the store holds. */
int as_slot_settle(as_slot *s, as_engine *e, const char *state, const char *reason, assay_error *err);

#endif
