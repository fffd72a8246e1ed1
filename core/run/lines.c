#include "core/run/lines.h"

#include "core/base/error.h"

/* The whole place of an error that knows only its part of the line. */
static void place(assay_error *what, const as_line *line)
{
	if (what->detail < (int64_t)line->offset) {
		what->detail += (int64_t)line->offset;
	}
	what->line = line->number;
	as_error_where(what, line->path, line->number);
	if (line->number == 0) {
		return; /* of a file or folder as a whole */
	}
	as_error_hint(what, "at byte %lld of the file", (long long)what->detail);
}

void as_lines_defect(as_lines *lines, const as_line *line, assay_error *what)
{
	lines->defects++;
	place(what, line);
	lines->note(lines->payload, what, false);
}

void as_lines_mended(as_lines *lines, const as_line *line, const as_json_notes *notes)
{
	static const char *const words[] = {"a key occurs twice in one object: the last value counts",
					    "a text holds the character U+0000", "a number is too large for a double",
					    "NaN or an infinity is no JSON: it is written as null"};
	const bool met[] = {notes->duplicate_keys, notes->nul, notes->huge, notes->constants};
	for (size_t i = 0; i < sizeof met / sizeof *met; i++) {
		if (met[i]) {
			assay_error what = {0};
			as_fail(&what, ASSAY_EDATA, "%s", words[i]);
			as_lines_defect(lines, line, &what);
		}
	}
}

int as_lines_parse(as_lines *lines, const as_line *line, assay_json **out, assay_error *what)
{
	as_json_notes notes;
	int rc = as_json_parse_with(line->text, AS_JSON_PYDANTIC, NULL, &notes, out, what);
	if (rc == 0) {
		as_lines_mended(lines, line, &notes);
	}
	return rc;
}

/* A bad line: told and passed over, or the end. Memory that is out always is. */
static int bad_line(as_lines *lines, const assay_error *what, assay_error *err)
{
	if (!lines->keep_going || (what->code != ASSAY_EDATA && what->code != ASSAY_ELIMIT)) {
		if (err) {
			*err = *what;
		}
		return what->code;
	}
	lines->errors++;
	lines->note(lines->payload, what, true);
	return 0;
}

int as_lines_each(as_lines *lines, const char *path, as_line_fn take, void *payload, assay_error *err)
{
	as_jsonl *file = NULL;
	int rc = as_jsonl_open(path, 0, &file, err);
	while (rc == 0) {
		assay_error what = {0};
		as_line line = {.path = path};
		if (as_cancel_is_set(lines->cancel)) {
			rc = as_fail(err, ASSAY_ECANCELED, "interrupted");
			break;
		}
		rc = as_jsonl_next(file, &line.text, &line.number, &line.offset, &what);
		if (rc == ASSAY_ENOENT) {
			rc = 0;
			break;
		}
		rc = rc < 0 ? rc : take(payload, &line, &what);
		if (rc < 0) {
			place(&what, &line);
			rc = bad_line(lines, &what, err);
		}
	}
	as_jsonl_close(file);
	return rc;
}
