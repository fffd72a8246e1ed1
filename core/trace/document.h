/* Checking documents of traces and tapes. Private to core/trace. */
#ifndef AS_TRACE_DOCUMENT_H
#define AS_TRACE_DOCUMENT_H

#include "core/base/json.h"
#include <assay/roles/scorer.h>

/* Find and check members, as as_json_find does. ASSAY_EDATA with pointer and reason. */
int as_check_members(const assay_json *object, const as_member_rule *rules, size_t n, const assay_json **found,
		     assay_error *err);

const char *as_status_name(uint32_t status); /* "success", "error", "timeout" */
/* What the member "status" of a step or a row says. ASSAY_EDATA when it is none of the three. */
int as_read_status(const assay_json *member, uint32_t *status, assay_error *err);

/* v when it is an object, else NULL. */
const assay_json *as_object_or_null(const assay_json *v);

#endif
