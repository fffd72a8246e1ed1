/* Assay SDK, role reporter: turns the figures of a run into something to read. */
#ifndef ASSAY_ROLES_REPORTER_H
#define ASSAY_ROLES_REPORTER_H

#include <assay/plugin.h>

typedef struct assay_reporter_ops {
	ASSAY_OPS_HEAD;
	/* Name of its output, such as "report.md": no path, no leading dot, neither the manifest's nor the store's. */
	const char *file_name;
	/* Write the report of `model` (its shape: the guide, "Documents") piece by piece. Pure: the same
	 * model gives the same bytes. */
	int (*render)(void *self, assay_call *call, const assay_json *model, assay_sink *out, assay_error *err);
} assay_reporter_ops; /* required: file_name, render */

#endif
