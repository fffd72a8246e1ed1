/* What the contract suite gives to plugins: a plain input of each operation, and what can be made of it. Data only. */
#ifndef AS_INPUTS_H
#define AS_INPUTS_H

#include "core/base/json.h"

typedef struct as_input {
	assay_json *doc;
	char name[160]; /* "plain", "empty", "huge", "long texts", "malformed: /trace/steps/0/tool_name is 7" */
	bool malformed;
} as_input;

/* The text of a document by its name: a role, or a part that several share. NULL when there is none. */
const char *as_input_text(const char *name);
const char *as_output_schema(const char *role); /* of each value that the role's main operation emits; NULL: none */

/* All inputs made of one plain document. ASSAY_ENOMEM. */
int as_inputs_make(const char *text, as_input **out, size_t *n, assay_error *err);
void as_inputs_free(as_input *list, size_t n);

#endif
