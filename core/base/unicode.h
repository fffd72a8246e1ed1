/* What Python knows about characters, from the tables of unicode_tables.h. Thread: any. */
#ifndef AS_UNICODE_H
#define AS_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_MAX_CODE_POINT 0x10ffffu
#define AS_REPLACEMENT 0xfffdu

/* Simple lower case: one character for one, U+0130 becomes "i". */
uint32_t as_char_lower(uint32_t code_point);
bool as_char_is_alnum(uint32_t code_point); /* str.isalnum */

/* For the final sigma: characters with a case, and characters that are skipped when looking for one. */
bool as_char_is_cased(uint32_t code_point);
bool as_char_is_ignorable(uint32_t code_point);

/* Report every character that re.IGNORECASE takes for one of first..last, and that lies outside or inside of it, as
 * inclusive ranges in no order and with repetitions. Characters without a case are not reported. Stops when fn answers
 * false, and answers that. */
typedef bool (*as_fold_fn)(void *payload, uint32_t first, uint32_t last);
bool as_char_fold(uint32_t first, uint32_t last, as_fold_fn fn, void *payload);

#endif
