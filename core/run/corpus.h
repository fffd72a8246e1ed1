/* A folder of files in DynamicMCPBench's formats: task specifications, traces, evaluation results (JSON lines), goals,
 * server manifest, catalogue. */
#ifndef AS_CORPUS_H
#define AS_CORPUS_H

#include "core/run/lines.h"

typedef struct as_corpus_counts {
	uint64_t tasks, traces, results, goals, servers, others; /* others: files of none of the formats */
} as_corpus_counts;

/* Read every *.json and *.jsonl file below folder by its model, in the order of their names; what a file is, its keys
 * tell, not its name. Noted as defects: tasks that can never be met, results that contradict themselves. into: where
 * the files are written again, under the same names, as the reference's dumps would be; NULL: nowhere. A file's error
 * is like a line's. */
int as_corpus_read(const char *folder, const char *into, as_lines *lines, as_corpus_counts *counts, assay_error *err);

#endif
