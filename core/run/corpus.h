/* A folder of files in DynamicMCPBench's formats: task specifications, traces, evaluation results (JSON lines), goals,
 * server manifest, catalogue. */
#ifndef AS_CORPUS_H
#define AS_CORPUS_H

#include "core/run/lines.h"

typedef struct as_corpus_counts {
	uint64_t tasks, traces, results, goals, servers, others; /* others: files of none of the formats */
} as_corpus_counts;

enum as_corpus_kind {
	AS_CORPUS_TASK,
	AS_CORPUS_RESULT,
	AS_CORPUS_TRACE,
	AS_CORPUS_GOALS, /* a whole file, and so are the next two */
	AS_CORPUS_MANIFEST,
	AS_CORPUS_CATALOGUE
};

/* A document as its model has it, which take may take away (*made NULL then); text: as the reference's dump writes it,
 * without the line feed of a line. */
typedef struct as_corpus_item {
	enum as_corpus_kind kind;
	const as_line *line;
	const char *file; /* relative to the folder */
	assay_str text;
	assay_json **made;
} as_corpus_item;

typedef struct as_corpus_options {
	const char *folder;
	/* Where the files are written again, under the same names, as the reference's dumps would be; NULL: nowhere.
	 * Not in the folder that is read (ASSAY_EINVAL). */
	const char *into;
	uint32_t passed_over; /* a bit AS_CORPUS_...: such lines are not looked at; they are known from an earlier
				 reading */
	/* Gets every document that its model takes; NULL: nobody does. Its error is the line's, as in as_lines_each. */
	int (*take)(void *payload, const as_corpus_item *item, assay_error *what);
	void *payload;
} as_corpus_options;

/* Read every *.json and *.jsonl file below folder by its model, in the order of their names; what a file is, its keys
 * tell, not its name. Noted as defects: tasks that can never be met, results that contradict themselves. A file's error
 * is like a line's. */
int as_corpus_read(const as_corpus_options *options, as_lines *lines, as_corpus_counts *counts, assay_error *err);

#endif
