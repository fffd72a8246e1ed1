/* Short hands for the tests of traces, tapes, tasks and worlds. What a test gets from them lives until the test's
 * process ends, unless it says otherwise. */
#ifndef TESTS_MODEL_KIT_H
#define TESTS_MODEL_KIT_H

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/unit/unit.h"

#include <string.h>

/* The message of a failed call, for assertions. */
static inline const char *error_line(const assay_error *err)
{
	static char line[1400];
	as_error_format(err, line, sizeof line);
	return line;
}

#define ck_ok(call)                                                                                                    \
	do {                                                                                                           \
		int rc_ = (call);                                                                                      \
		ck_assert_msg(rc_ == 0, "%d: %s", rc_, error_line(&err));                                              \
	} while (0)

/* Single quotes stand for double ones. The caller frees it. */
static inline assay_json *json(const char *text)
{
	assay_error err = {0};
	assay_json *out = NULL;
	char *copy = as_strdup(text);
	for (char *c = copy; *c; c++) {
		*c = (char)(*c == '\'' ? '"' : *c);
	}
	ck_ok(as_json_parse(as_str(copy), ASSAY_JSON_PEER, &out, &err));
	free(copy);
	return out;
}

/* Compact text with single quotes for double ones, in one of a few buffers in turn. */
static inline const char *text_of(const assay_json *v)
{
	static char buffers[4][8192];
	static unsigned turn;
	char *out = buffers[turn++ % 4];
	as_buf b = {0};
	as_json_write(&b, v, ASSAY_JSON_COMPACT);
	ck_assert(!b.failed && b.len < sizeof buffers[0]);
	memcpy(out, b.ptr, b.len + 1);
	as_buf_free(&b);
	for (char *c = out; *c; c++) {
		*c = (char)(*c == '"' ? '\'' : *c);
	}
	return out;
}

static inline const char *member_text(const assay_json *v, const char *pointer)
{
	return text_of(as_json_pointer(v, pointer));
}

#define ck_str_is(s, text) ck_assert_msg(as_str_is((s), (text)), "got \"%.*s\", expected \"%s\"", ASSAY_FMT(s), (text))

#endif
