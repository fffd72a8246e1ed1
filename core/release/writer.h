/* Writing the files of a release into a folder: digests of files and lines are taken, and every byte is looked through
 * for secrets, while they are written. Thread: one object, one thread. */
#ifndef AS_RELEASE_WRITER_H
#define AS_RELEASE_WRITER_H

#include "core/release/format.h"
#include "core/release/secrets.h"

typedef struct as_release_writer as_release_writer;
/* dir exists and is empty; secrets are borrowed. */
int as_release_writer_new(const char *dir, as_redactor *secrets, as_release_writer **out, assay_error *err);
void as_release_writer_free(as_release_writer *w);

/* A whole file. ASSAY_EINVAL: no name for a file of a release, or one that is there. */
int as_release_put(as_release_writer *w, const char *name, assay_str bytes, assay_error *err);
/* A whole file of pretty JSON. */
int as_release_put_json(as_release_writer *w, const char *name, const assay_json *v, assay_error *err);

/* A file of JSON lines, several of which may be open at once. */
typedef struct as_release_lines as_release_lines;
int as_release_lines_begin(as_release_writer *w, const char *name, as_release_lines **out, assay_error *err);
int as_release_lines_add(as_release_lines *l, assay_str line, assay_error *err); /* compact JSON, no line feed */
int as_release_lines_add_json(as_release_lines *l, assay_json *v,
			      assay_error *err);                 /* taken over; NULL: ASSAY_ENOMEM */
int as_release_lines_end(as_release_lines *l, assay_error *err); /* closes it, in any case; NULL is fine */
void as_release_lines_drop(as_release_lines *l);                 /* NULL is fine */

/* Write release.json: `head` (taken over) with "identity" and "files" added. */
int as_release_writer_finish(as_release_writer *w, assay_json *head, char identity[65], assay_error *err);

#endif
