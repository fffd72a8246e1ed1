/* Where two JSON values differ first. Thread: any. */
#ifndef AS_RELEASE_DIFFERENCE_H
#define AS_RELEASE_DIFFERENCE_H

#include "core/base/json.h"

typedef struct as_difference {
	char pointer[192];
	uint32_t line;                /* of what was found, within its document */
	char expected[96], found[96]; /* the two values, cut; "nothing" for a member that is not there */
} as_difference;

/* Equal are values of equal canonical text: members in any order, numbers by value, and true is no number. */
bool as_values_differ(const assay_json *expected, const assay_json *found, as_difference *out);

/* How many numbers a value holds at all depths. */
uint64_t as_count_numbers(const assay_json *v);

#endif
