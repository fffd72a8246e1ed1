/* Tasks as documents (reference page 1.2, closed model; ours goes under "provenance"/"assay"). Thread: any. */
#ifndef AS_TASK_H
#define AS_TASK_H

#include "core/task/catalogue.h"
#include <assay/roles/scorer.h>

/* What the core adds to a distilled body. */
typedef struct as_task_frame {
	const assay_step *steps; /* agent calls of the source trace */
	size_t n_steps;
	assay_str trace_id;
	assay_str category;
	const assay_json *provenance; /* object, copied; NULL: {} */
} as_task_frame;

/* Make a whole task out of a distiller's body {prompt, checkpoints, minefields, ordering, notes}: checks its shape
 * (ASSAY_EDATA with pointer: wrong kinds, empty equivalence set, tools that are not in the catalogue, invalid
 * predicates, duplicate or unknown ids, cyclic ordering), adds complexity, dynamism, servers_used and provenance, and
 * fixes task_id (UUID from the content without certificate and provenance). */
int as_task_make(const assay_json *body, const as_task_frame *frame, const as_catalogue *catalogue, assay_json **task,
		 assay_error *err);

/* Is a task, or the body of one, as the rules for new ones want it? ASSAY_EDATA with pointer: its first defect. Tasks
 * of others are scored all the same: what is defective in them counts as not met. catalogue: its tools must be in
 * there; NULL: any tools. */
int as_task_check(const assay_json *body, const as_catalogue *catalogue, assay_error *err);

/* Has it no more checkpoints, minefields and constraints than as_task_check takes? Rules of our own, which look at each
 * of them many times, leave others alone. */
bool as_task_is_bounded(const assay_json *body);

/* Complexity profile and dynamism of a trace (reference page 7.3). */
int as_task_complexity(const assay_step *steps, size_t n, const as_catalogue *catalogue, assay_json **out,
		       assay_error *err);

/* The servers (array of ids) that a task is about: its goal's; of a task of others those of its reference. */
const assay_json *as_task_servers(const assay_json *task);

/* Union of the equivalence sets, first occurrence order, as far as the catalogue knows them. The list is the arena's.
 */
int as_task_required(const assay_json *task, const as_catalogue *catalogue, as_arena *a, assay_tools *out,
		     assay_error *err);

#endif
