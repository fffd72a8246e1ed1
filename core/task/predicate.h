/* Argument and value predicates (reference page 4.1 to 4.4), as data: JSON objects of the task. Thread: any. */
#ifndef AS_PREDICATE_H
#define AS_PREDICATE_H

#include "core/base/json.h"

/* 1 met, 0 not met; ASSAY_ENOMEM, or ASSAY_ELIMIT when a regular expression ran out of its limits. A predicate of the
 * wrong shape or a pattern that does not compile counts as not met; as_predicate_check names it. predicate NULL or JSON
 * null: matches anything. arguments NULL or null: only the empty predicate matches. */
int as_args_match(const assay_json *predicate, const assay_json *arguments, assay_error *err);
int as_value_match(const assay_json *predicate, assay_str text, assay_error *err);

/* Is this predicate well-formed? ASSAY_EDATA with pointer and reason otherwise. */
int as_args_predicate_check(const assay_json *predicate, assay_error *err);
int as_value_predicate_check(const assay_json *predicate, assay_error *err);

#endif
