/* Taking another benchmark's corpus in: its documents become rows of a store, its results attempts that were recorded
 * elsewhere, so that it can be evaluated, scored, gated, reported and packed as one of our own. Two steps: the survey
 * reads the folder and says what the manifest has to be; storing reads it again and fills the store of that manifest.
 * Thread: one. */
#ifndef AS_ADOPT_H
#define AS_ADOPT_H

#include "core/run/corpus.h"
#include "core/run/engine.h"

#define AS_ADOPT_CATEGORY "imported" /* of all tasks */

/* Kinds of parts (core/store/store.h) in which the store keeps what came along: a result's line by its number, the text
 * of a file that is one document by its name. */
#define AS_ADOPT_RESULT "result"
#define AS_ADOPT_FILE "file"

typedef struct as_adoption as_adoption;

/* Read all of a folder, telling errors and defects. Nothing is written. */
int as_adopt_survey(const char *folder, as_lines *lines, as_corpus_counts *counts, as_adoption **out, assay_error *err);
void as_adopt_free(as_adoption *a);

/* The manifest for it: `old` brought up to date, which an earlier import has made (taken over), or a new one of that
 * name (NULL). Candidates of its own keep their names in an old one; in a new one they give way to those that came
 * along. ASSAY_EDATA: old is not an import's. */
int as_adopt_manifest(as_adoption *a, assay_json *old, const char *name, assay_json **out, assay_error *err);

typedef struct as_adopt_counts {
	uint64_t stored;    /* tasks */
	uint64_t grounded;  /* of them with a reference, so that there is a tape */
	uint64_t attempts;  /* recorded elsewhere */
	uint64_t scorable;  /* of them with a trace */
	uint64_t unmatched; /* results and candidates' traces of no task that is there */
} as_adopt_counts;

/* Fill the store, with all or, on failure, with nothing. The engine's manifest is the one above; its catalogue is taken
 * on the way. */
int as_adopt_store(as_adoption *a, as_engine *e, as_adopt_counts *counts, assay_error *err);

#endif
