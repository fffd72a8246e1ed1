/* Argument and value predicates (reference page 4.1 to 4.4), as data: JSON objects of the task. Thread: any. */
#ifndef AS_PREDICATE_H
#define AS_PREDICATE_H

#include "core/base/json.h"

/* Work allowed for all checks of one attempt together: steps of regular expressions, pieces of text looked through,
 * leaves looked at. A second or so. */
#define AS_CHECK_WORK 40000000u

/* 1 met, 0 not met; ASSAY_ENOMEM, or ASSAY_ELIMIT when a regular expression ran out of its limits, or, with detail
 * AS_REGEX_STOCK, all of it ran out of AS_CHECK_WORK. A predicate of the wrong shape or a pattern that does not compile
 * counts as not met; as_predicate_check names it. predicate NULL or JSON null: matches anything. arguments NULL or
 * null: only the empty predicate matches. */
int as_args_match(const assay_json *predicate, const assay_json *arguments, assay_error *err);
int as_value_match(const assay_json *predicate, assay_str text, assay_error *err);

/* The same in two steps, for many questions: read once, and patterns compiled once; *work is lessened. The predicate
 * borrows the JSON. ASSAY_ENOMEM is the one failure of reading. Thread: one. */
typedef struct as_predicate as_predicate;
int as_args_compile(const assay_json *predicate, as_predicate **out, assay_error *err);
int as_value_compile(const assay_json *predicate, as_predicate **out, assay_error *err);
int as_args_met(as_predicate *p, const assay_json *arguments, uint64_t *work, assay_error *err);
int as_value_met(as_predicate *p, assay_str text, uint64_t *work, assay_error *err);
void as_predicate_free(as_predicate *p);

/* Is this predicate well-formed? ASSAY_EDATA with pointer and reason otherwise. */
int as_args_predicate_check(const assay_json *predicate, assay_error *err);
int as_value_predicate_check(const assay_json *predicate, assay_error *err);

#endif
