/* The roles: their names, the size of their operations table, and which operations a module must fill in
 * (sdk/assay/roles). Constant data; thread: any. */
#ifndef AS_ROLE_H
#define AS_ROLE_H

#include "core/base/json.h"
#include <assay/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct as_operation {
	const char *name;
	size_t offset; /* of the pointer within the table */
	bool required;
	bool is_data; /* a text rather than a function */
} as_operation;

typedef struct as_role {
	const char *name;
	size_t size; /* of the table that this program knows; 0: a role whose table is not defined yet */
	const as_operation *operations;
	size_t n_operations;
} as_role;

const as_role *as_role_get(uint32_t role); /* NULL when unknown */

/* Does the table at `ops`, `size` bytes of which are there, fill in this operation? */
bool as_role_has(const void *ops, size_t size, const as_operation *operation);

/* What is wrong with a reporter's file_name, which is written beside the manifest and the store: "begins with a dot".
 * NULL: nothing. */
const char *as_role_file_name(const char *name);

#define AS_ROLE_SETS_MAX 100000u /* seed sets that a sampler may emit */

/* What is wrong with n_picked picks of a sampler that was asked for n of `count` candidates: ASSAY_EPLUGIN, "picks tool
 * 7 of 5". 0: nothing. */
int as_role_picks(const uint32_t *picked, size_t n_picked, size_t n, size_t count, assay_error *err);

/* What is wrong with a scorer's verdict: "the verdict's \"lo\" and \"hi\" are no bounds within 0 and 1". NULL: nothing,
 * and the rest of the program can rely on it. */
const char *as_role_verdict(const assay_json *verdict);

#endif
