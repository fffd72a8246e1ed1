/* A tape: what the world answered, as rows of an automaton (design page "replay"). Immutable once built; many attempts
 * share one, each with a cursor of its own (core/world/replay.h). Thread: constant after as_tape_finish. */
#ifndef AS_TAPE_H
#define AS_TAPE_H

#include "core/trace/trace.h"

#define AS_VERSION_SIZE 65 /* "0", or 64 hex digits, and the NUL */

/* One recorded call. Borrowed from the tape. */
typedef struct as_tape_row {
	assay_str group;   /* servers that share state */
	assay_str version; /* of the group before the call */
	assay_str server, tool;
	assay_str canonical; /* canonical arguments */
	assay_str stored;    /* the text that their recorder has of them, which may be another; ptr NULL: none */
	const assay_json *arguments; /* NULL: none */
	const assay_json *result;    /* NULL: none */
	const assay_json *error;     /* StepError or NULL */
	uint32_t status;
	bool write;                 /* effect class of the tool */
	bool filled;                /* made by the recorder's fill, not by the reference itself */
	assay_str next;             /* version afterwards; equals version unless a successful write */
	const struct as_near *near; /* the arguments as near look-ups compare them; of a finished tape only */
} as_tape_row;

typedef struct as_tape as_tape;

int as_tape_new(as_tape **out, assay_error *err);
/* Name a server: its group and the version that the group starts at, the same for all of the group's servers. Before
 * any of its rows. */
int as_tape_add_server(as_tape *t, assay_str server, assay_str group, assay_str initial_version, assay_error *err);
/* Which tools of a server write (true) or read. */
int as_tape_add_tool(as_tape *t, assay_str server, assay_str tool, bool write, assay_error *err);
/* Append a row; everything is copied. group, canonical, write and near are filled in by the tape. */
int as_tape_add_row(as_tape *t, const as_tape_row *row, assay_error *err);
/* Checks the whole (ASSAY_EDATA with pointer), builds the indexes and the id. Whoever changes the tape after it gets
 * ASSAY_EINTERNAL. */
int as_tape_finish(as_tape *t, assay_error *err);
void as_tape_free(as_tape *t);

/* The version after a successful write where no environment digest is offered: H(version, server, tool, canonical). */
void as_next_version(assay_str version, assay_str server, assay_str tool, assay_str canonical,
		     char out[AS_VERSION_SIZE]);

/* Stored form: one JSON object {"assay_tape": 1, "servers": {...}, "rows": [...]}; the id is a hash of it. */
const assay_json *as_tape_document(const as_tape *t);
assay_str as_tape_id(const as_tape *t);
int as_tape_parse(assay_str text, as_tape **out, assay_error *err);

/* The tape as the reference's replay takes it: its rows are looked up by what their recorder has stored (reference page
 * part 2), not by their arguments. Borrowed; most often the tape itself. */
const as_tape *as_tape_as_stored(const as_tape *t);

/* Looking up. Rows come in recorded order; look-ups are binary searches. */
size_t as_tape_count(const as_tape *t);
const as_tape_row *as_tape_row_at(const as_tape *t, size_t i);
/* Group and initial version of a server; false when the tape does not know it. */
bool as_tape_server(const as_tape *t, assay_str server, assay_str *group, assay_str *initial_version);
bool as_tape_writes(const as_tape *t, assay_str server, assay_str tool); /* unknown tools of known servers: true */
/* Indexes of all rows of (server, tool), in order; of (server, tool, canonical); of those at one version. Borrowed. */
size_t as_tape_of_tool(const as_tape *t, assay_str server, assay_str tool, const uint32_t **rows);
size_t as_tape_of_call(const as_tape *t, assay_str server, assay_str tool, assay_str canonical, const uint32_t **rows);
size_t as_tape_of_call_at(const as_tape *t, assay_str version, assay_str server, assay_str tool, assay_str canonical,
			  const uint32_t **rows);

#endif
