/* The predicates of tasks, read once for all attempts at them, and the work that one attempt's checks may take. */
#ifndef AS_CHECKS_H
#define AS_CHECKS_H

#include "core/task/predicate.h"

/* Zero-initialise. The tasks have to live as long as it: a predicate is known by where it lies. Thread: one. */
typedef struct as_checks {
	struct as_checks_slot *slots;
	size_t n, cap;
	uint64_t work; /* left for the attempt at hand */
} as_checks;

void as_checks_begin(as_checks *c); /* an attempt begins */
/* As as_args_match and as_value_match. */
int as_checks_args(as_checks *c, const assay_json *predicate, const assay_json *arguments, assay_error *err);
int as_checks_value(as_checks *c, const assay_json *predicate, assay_str text, assay_error *err);
void as_checks_free(as_checks *c);

#endif
