/* Files of JSON lines that others have made: one line is in memory at a time, a bad one is told with its place and, if
 * wanted, passed over. */
#ifndef AS_LINES_H
#define AS_LINES_H

#include "core/base/clock.h"
#include "core/base/json.h"

typedef struct as_line {
	assay_str text;
	const char *path;
	uint32_t number;
	uint64_t offset; /* of its first byte in the file */
} as_line;

typedef struct as_lines {
	bool keep_going; /* pass over bad lines; else the first ends the reading */
	/* An error or a defect, with where, line, and the byte as detail and in the hint. passed_over: of a line. */
	void (*note)(void *payload, const assay_error *what, bool passed_over);
	void *payload;
	const as_cancel *cancel;
	uint64_t errors, defects; /* lines passed over; defects noted */
} as_lines;

/* Call take for every line. Its error is the line's when it is ASSAY_EDATA or ASSAY_ELIMIT (detail: the byte within the
 * line), and ends the reading otherwise. */
typedef int (*as_line_fn)(void *payload, const as_line *line, assay_error *what);
int as_lines_each(as_lines *lines, const char *path, as_line_fn take, void *payload, assay_error *err);

/* Note a defect of a line that is used all the same. */
void as_lines_defect(as_lines *lines, const as_line *line, assay_error *what);
/* Parse a line as peers write JSON; what had to be mended is noted as defects. */
void as_lines_mended(as_lines *lines, const as_line *line, const as_json_notes *notes);
int as_lines_parse(as_lines *lines, const as_line *line, assay_json **out, assay_error *what);

#endif
