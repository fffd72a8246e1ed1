/* libFuzzer target: a hostile predicate (up to the first line feed) on hostile arguments or text (the rest). What the
 * checks let through must be answered; equal arguments must get equal answers. */
#include "core/task/predicate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static void require_answer(int met)
{
	REQUIRE(met == 0 || met == 1 || met == ASSAY_ELIMIT);
}

static void require_complaint(int rc, const assay_error *err)
{
	REQUIRE(rc == 0 || (rc == ASSAY_EDATA && err->message[0] != '\0' && !strchr(err->message, '\n')));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	assay_str first = {(const char *)data, end ? (size_t)(end - data) : size};
	assay_str rest = {end ? (const char *)end + 1 : "", end ? size - first.len - 1 : 0};
	assay_json *predicate = NULL, *arguments = NULL, *copy = NULL;
	assay_error args_err = {0}, value_err = {0};
	if (as_json_parse(first, ASSAY_JSON_PEER, &predicate, NULL) < 0) {
		return 0;
	}
	require_complaint(as_args_predicate_check(predicate, &args_err), &args_err);
	require_complaint(as_value_predicate_check(predicate, &value_err), &value_err);
	require_answer(as_value_match(predicate, rest, NULL));
	if (as_json_parse(rest, ASSAY_JSON_PEER, &arguments, NULL) == 0) {
		int met = as_args_match(predicate, arguments, NULL);
		require_answer(met);
		copy = as_json_clone(arguments);
		REQUIRE(copy && as_args_match(predicate, copy, NULL) == met);
	}
	as_json_free(copy);
	as_json_free(arguments);
	as_json_free(predicate);
	return 0;
}
