/* libFuzzer target: a hostile pattern (up to the first line feed) on a hostile text (the rest). Both ways of writing
 * word characters must come to the same end. */
#include "core/base/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(assay_str pattern, assay_str text, bool own_words)
{
	as_regex *re;
	assay_error err = {0};
	int code = as_regex_compile_words(pattern, own_words, &re, &err);

	if (code != 0) {
		if ((code != ASSAY_EDATA && code != ASSAY_ELIMIT) || err.message[0] == '\0' ||
		    strchr(err.message, '\n')) {
			abort();
		}
		return code;
	}
	code = as_regex_search(re, text, &err);
	as_regex_free(re);
	if (code != 0 && code != 1 && code != ASSAY_ELIMIT) {
		abort();
	}
	return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	assay_str pattern = {(const char *)data, end ? (size_t)(end - data) : size};
	assay_str text = {end ? (const char *)end + 1 : "", end ? size - pattern.len - 1 : 0};
	int first = run(pattern, text, false), second = run(pattern, text, true);

	/* The longer way of writing may meet a limit that the other does not. */
	if (first != second && first != ASSAY_ELIMIT && second != ASSAY_ELIMIT) {
		abort();
	}
	return 0;
}
