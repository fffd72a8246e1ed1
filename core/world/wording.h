/* The catalogue in other words: what an exposure gets to read where a condition has descriptions of its own, so that it
 * ranks by what it shows. Thread: belongs to one attempt. */
#ifndef AS_WORDING_H
#define AS_WORDING_H

#include "core/base/memory.h"
#include "core/plugin/call.h"
#include <assay/roles/exposure.h>

/* Another description of a tool than its server's; the caller frees it. */
typedef int as_describe_fn(void *payload, as_call *call, const assay_tool *tool, assay_text *out, assay_error *err);

typedef struct as_wording {
	assay_exposure_request request; /* the one given, about tools in other words */
	assay_tools originals;          /* its catalogue, borrowed */
	assay_tool *tools;              /* in the same order */
	const assay_tool **lists;       /* the request's three lists, one after the other */
	as_arena arena;
} as_wording;

/* Asks `describe` about each tool of the request's catalogue. To be freed also after a failure. */
int as_wording_make(const assay_exposure_request *request, as_describe_fn *describe, void *describer, as_call *call,
		    as_wording *out, assay_error *err);
/* The tool that a tool of the wording stands for; any other one is itself. */
const assay_tool *as_wording_original(const as_wording *w, const assay_tool *tool);
void as_wording_free(as_wording *w);

#endif
