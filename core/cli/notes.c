#include "core/base/error.h"
#include "core/cli/cli.h"

#define MAX_NOTES 1000

void as_notes_put(void *payload, const assay_error *what, bool passed_over)
{
	as_notes *notes = payload;
	char line[2048];
	if (++notes->n > MAX_NOTES || notes->cli->quiet) {
		return;
	}
	as_error_format(what, line, sizeof line);
	fprintf(stderr, "assay: %s: %s\n", passed_over ? "passed over" : "defect", line);
}

void as_notes_end(const as_notes *notes)
{
	if (notes->n > MAX_NOTES && !notes->cli->quiet) {
		fprintf(stderr, "assay: and %llu more\n", (unsigned long long)(notes->n - MAX_NOTES));
	}
}
