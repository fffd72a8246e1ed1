/* Validation: one value against one node (schema_check.c), containers (schema_container.c), combinations
 * (schema_combine.c). */
#ifndef AS_SCHEMA_CHECK_H
#define AS_SCHEMA_CHECK_H

#include "core/base/schema_node.h"

#define AS_MISFIT 1 /* the value does not fit; negative codes are failures of the check itself */

/* What kind of misfit was met last: of a value that is of another sort altogether, or a fault in the right sort. */
enum as_misfit_kind { AS_MISFIT_SORT, AS_MISFIT_DETAIL };

struct as_schema_check {
	assay_error *err; /* where a misfit is described; NULL: only the answer is wanted */
	assay_error *failure;
	enum as_misfit_kind kind;
	uint64_t steps;
	unsigned depth;
};

int as_schema_check(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		    const struct as_place *at);
/* The same without a description. */
int as_schema_try(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		  const struct as_place *at);
int as_schema_check_array(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			  const struct as_place *at);
int as_schema_check_object(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			   const struct as_place *at);
int as_schema_check_combined(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			     const struct as_place *at);

/* Count work; ASSAY_ELIMIT when there was too much. */
int as_schema_spend(struct as_schema_check *c, uint64_t steps);

/* Describe a misfit (unless one is described already) and answer AS_MISFIT. */
int as_schema_misfit(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *format, ...)
	ASSAY_PRINTF(4, 5);
/* The same, beginning with "found VALUE, ". */
int as_schema_found(struct as_schema_check *c, const assay_json *v, const struct as_place *at, const char *format, ...)
	ASSAY_PRINTF(4, 5);

#endif
