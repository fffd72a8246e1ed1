/* The steps of a verification. Private to verify. */
#ifndef AS_RELEASE_VERIFY_PRIVATE_H
#define AS_RELEASE_VERIFY_PRIVATE_H

#include "core/release/read.h"
#include "core/release/verify.h"
#include "core/release/wanted.h"
#include "core/run/context.h"
#include "core/run/figures.h"

/* A task with what its attempts need. */
typedef struct checked_task {
	assay_json *document;         /* NULL: the row cannot be used */
	as_tape *tape;                /* NULL: likewise */
	assay_str id, category, goal; /* the verification's arena's */
	int64_t index;
} checked_task;

typedef struct verification {
	const as_release_verify_options *options;
	as_release_findings *out;
	as_release *release;
	as_manifest *manifest;
	as_engine engine; /* made by hand: no store, no variables, no work folder */
	as_worker *worker;
	as_figures *figures;
	as_arena arena;
	checked_task *tasks;
	size_t n_tasks, cap_tasks;
	as_instance **scorers; /* one per scorer of the manifest; NULL: its verdicts cannot be worked out again */
	bool broken; /* a row could not be used: figures will not follow, and saying so would say nothing new */
} verification;

/* Every listed file is there as listed, nothing else is. */
int as_verify_files(verification *v, assay_error *err);
/* Plugins, servers and funnel into the figures. */
int as_verify_parts(verification *v, assay_error *err);
int as_verify_tasks(verification *v, assay_error *err);
int as_verify_attempts(verification *v, assay_error *err);
/* Figures, reports, card. */
int as_verify_figures(verification *v, assay_error *err);

/* Rows of one file. Zero-initialise. */
typedef struct rows {
	verification *v;
	const char *file;
	as_jsonl *lines;
	uint32_t line; /* of the row read last */
	bool foreign;  /* it holds a trace that was recorded elsewhere: an import's */
} rows;
/* A file that cannot be opened is a finding, and has no rows. */
int as_rows_open(verification *v, const char *file, rows *r, assay_error *err);
void as_rows_close(rows *r);
/* 1: a row; 0: no more; negative. A line that is no JSON is a finding and gives a row with *value NULL. */
int as_rows_text(rows *r, assay_str *text, assay_error *err); /* borrowed until the next; empty when it is too long */
int as_rows_value(rows *r, assay_json **value, assay_error *err);
/* Say so when rows are left over. */
int as_rows_end(rows *r, assay_error *err);

/* A finding when what a file says differs from what follows; `whose` ends the sentence "X follows from ...". line 0:
 * the file is one document, and the line is that of the value. */
bool as_verify_same(verification *v, const char *file, uint32_t line, const char *prefix, const char *whose,
		    const assay_json *expected, const assay_json *found);
/* Has the manifest such a category? */
bool as_verify_category(const verification *v, assay_str name);
/* Is the trace's id the hash of its content? The document is left as it was. */
int as_verify_trace_id(verification *v, const rows *r, assay_json *document, assay_error *err);

#endif
