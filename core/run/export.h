/* A run's tasks, traces and results as files for DynamicMCPBench's loaders. */
#ifndef AS_EXPORT_H
#define AS_EXPORT_H

#include "core/run/engine.h"

typedef struct as_export_counts {
	uint64_t tasks, references, attempts, files; /* files: single documents that an import brought */
} as_export_counts;

/* Write specs.jsonl, traces.jsonl, candidates.jsonl and eval.jsonl into folder, each whole or not at all. Certified
 * tasks; attempts that are not void, with the headline scorer's verdict. Of an import all tasks, whatever results it
 * brought, and its goals, server manifests and catalogues under the names that they had. Every document passes the
 * reference's models (core/task/model.h) on the way. */
int as_export(as_engine *e, const char *folder, as_export_counts *counts, assay_error *err);

#endif
