/* The JSON layer under libFuzzer: whatever is accepted must survive being written and read again, in every style whose
 * output is JSON, and what the strict profile accepts the peer profile must accept alike. */
#include "core/base/json.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static assay_text canonical(const assay_json *v)
{
	assay_text text;
	REQUIRE(as_json_dump(v, ASSAY_JSON_CANONICAL, &text, NULL) == 0);
	return text;
}

/* Written and read again, v is the same value, in the styles that normalise numbers too. A number beyond a double's
 * range is written as Infinity there, as the reference does, which is no JSON. */
static void check_style(const assay_json *v, uint32_t style, assay_str expected)
{
	assay_text text;
	assay_json *again = NULL;
	REQUIRE(as_json_dump(v, style, &text, NULL) == 0);
	if (as_json_parse(as_text_str(text), ASSAY_JSON_PEER, &again, NULL) == 0) {
		assay_text second = canonical(again);
		REQUIRE(as_json_same(v, again) && as_json_equal(again, v));
		REQUIRE(as_str_eq(as_text_str(second), expected));
		as_text_free(&second);
	} else {
		REQUIRE(strstr(text.ptr, "Infinity") != NULL);
	}
	as_json_free(again);
	as_text_free(&text);
}

static void check_value(const assay_json *v)
{
	assay_text expected = canonical(v);
	assay_json *copy = as_json_clone(v);
	REQUIRE(copy && as_json_same(v, copy));
	for (uint32_t style = ASSAY_JSON_COMPACT; style <= ASSAY_JSON_PYTHON_SORTED; style++) {
		check_style(v, style, as_text_str(expected));
	}
	as_json_free(copy);
	as_text_free(&expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	assay_str text = {(const char *)data, size};
	assay_json *strict = NULL;
	assay_json *peer = NULL;
	assay_error err = {0};
	as_json_notes notes;
	int rc = as_json_parse(text, ASSAY_JSON_STRICT, &strict, &err);
	REQUIRE((rc == 0) == (strict != NULL) && err.code == rc);
	REQUIRE(rc == 0 || (err.message[0] && err.detail >= 0 && (size_t)err.detail <= size));
	int peer_rc = as_json_parse_with(text, ASSAY_JSON_PEER, NULL, &notes, &peer, NULL);
	REQUIRE((peer_rc == 0) == (peer != NULL));
	if (strict) {
		REQUIRE(peer && as_json_same(strict, peer));
		REQUIRE(!notes.duplicate_keys && !notes.lone_surrogates && !notes.nul);
	}
	if (peer) {
		check_value(peer);
	}
	as_json_free(strict);
	as_json_free(peer);
	return 0;
}
