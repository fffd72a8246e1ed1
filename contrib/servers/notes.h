/* assay-notes: a folder of Markdown notes. A note is DIR/TITLE.md; its first lines may be "tags: a, b" and
 * "date: YYYY-MM-DD". */
#ifndef ASSAY_SERVERS_NOTES_H
#define ASSAY_SERVERS_NOTES_H

#include "contrib/servers/common.h"

#define NOTES_MAX_BYTES ((size_t)1 << 20) /* of one note */
#define NOTES_MAX_COUNT 5000u             /* in one folder */

typedef struct notes {
	const char *dir;
} notes;

/* The titles there are, sorted. Files that no title could name, or that are too large, are left out. */
int notes_titles(const notes *n, demo_names *out, assay_error *err);

/* One note in memory. tags, date and body point into text. */
typedef struct note {
	as_buf text; /* the whole file, made valid UTF-8 */
	assay_str tags, date, body;
} note;

/* Load a note; its title comes from notes_titles. A note that has just gone is ASSAY_ENOENT. */
int notes_load(const notes *n, const char *title, note *out, assay_error *err);
void note_free(note *one);

/* The next tag of a note's tags (false at the end); *rest moves on. */
bool note_next_tag(assay_str *rest, assay_str *tag);
bool note_has_tag(const note *one, assay_str tag);

/* NULL, or why this cannot be a title: nothing that could lead out of the folder is one. */
const char *notes_title_fault(assay_str title);

/* The file of a title, appended to out. folder: NULL, or a folder inside. */
void notes_path(const notes *n, const char *folder, assay_str title, as_buf *out);

/* Is there a file of that name, note or not? */
bool notes_taken(const notes *n, const char *folder, assay_str title);

int notes_write(const notes *n, assay_str title, assay_str text, assay_error *err);
int notes_move(const notes *n, assay_str title, const char *to_folder, assay_str to_title, assay_error *err);
int notes_remove(const notes *n, assay_str title, assay_error *err);

/* The tools; payload is a notes. */
int notes_call_list(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_read(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_create(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_append(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_rename(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_archive(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_delete(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int notes_call_delete_all(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);

/* 1: titles holds the note called so. 0: it does not, and the refusal has been given. Negative: an error.
 * titles is to be freed in every case. */
int notes_find(const notes *n, assay_str title, demo_names *titles, as_mcp_answer *answer, assay_error *err);

/* Put the tags of a note as an array. */
int notes_put_tags(assay_json *object, const note *one);

#endif
