/* Schemas as a provider takes them. Only the copy that is sent is changed: what a tool accepts stays what its server
 * says. Where a dialect cannot express a constraint it is left out, never made up: the schema gets wider, not other. */
#ifndef AS_LLM_SCHEMA_H
#define AS_LLM_SCHEMA_H

#include "core/base/json.h"
#include <assay/roles/llm.h>

/* rules: ASSAY_LLM_SCHEMA_... bits. NULL when memory is out. */
assay_json *as_llm_schema(const assay_json *schema, uint32_t rules);

#endif
