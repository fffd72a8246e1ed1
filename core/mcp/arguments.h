/* Checking the arguments of a tool call, with a complaint that lets a model mend its call. Thread: any. */
#ifndef AS_MCP_ARGUMENTS_H
#define AS_MCP_ARGUMENTS_H

#include "core/base/schema.h"

/* Fill in defaults and validate. 0; ASSAY_EDATA when the arguments do not fit, with the whole complaint (which
 * parameter, what was expected, nearest known names, all parameters) appended to `complaint`; ASSAY_ENOMEM. `document`
 * is what `schema` was compiled from. */
int as_mcp_check_arguments(const char *tool, const as_schema *schema, const assay_json *document, assay_json *arguments,
			   as_buf *complaint, assay_error *err);

#endif
