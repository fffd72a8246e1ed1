/* Scoring files of traces against a file of tasks: no store, no manifest, nothing is run. */
#ifndef AS_BULK_H
#define AS_BULK_H

#include "core/plugin/registry.h"
#include "core/run/lines.h"
#include "core/trace/trace.h"

typedef struct as_bulk_counts {
	uint64_t tasks, traces, scored, passed;
	uint64_t unmatched;                        /* traces of no task that is known */
	uint64_t bytes;                            /* of traces */
	uint64_t passed_hi;                        /* at the upper bound */
	uint64_t served[ASSAY_SERVED_REFUSED + 1]; /* calls of what was scored, by how they were answered */
} as_bulk_counts;

typedef struct as_bulk_options {
	as_registry *registry;
	const char *scorer; /* "scorer/effects" */
	const char *specs, *traces;
	const char *servers; /* a server manifest, for its tags; NULL: none */
	/* Takes over nothing; a line with its line feed. */
	int (*result)(void *payload, assay_str line, assay_error *err);
	void *payload;
} as_bulk_options;

/* Traces are matched by seed_metadata.task_id, else as the task's own reference by trace_id, else by goal and prompt
 * (reference page part 6, ingestion); several of one task count as its repeats. */
int as_bulk_score(const as_bulk_options *options, as_lines *lines, as_bulk_counts *counts, assay_error *err);

#endif
