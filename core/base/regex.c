#include "core/base/regex.h"

#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#define NEST_LIMIT 1000u /* above what AS_PATTERN_MAX_DEPTH can become */

struct as_regex {
	pcre2_code *code;
	uint64_t weight; /* of a character: PCRE2 looks through the ranges of a set one by one */
};

/* From 10.43 on PCRE2 counts marks and connectors as word characters, which Python does not. */
static bool has_other_words(void)
{
	char version[64] = "";
	char *end;
	long major, minor;

	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) <= 0 || pcre2_config(PCRE2_CONFIG_VERSION, NULL) > 64) {
		return true;
	}
	pcre2_config(PCRE2_CONFIG_VERSION, version);
	major = strtol(version, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	return major > 10 || (major == 10 && minor >= 43);
}

/* The pattern is right for Python, so PCRE2 refuses it only for its size. */
static int compile_error(int number, assay_error *err)
{
	unsigned char text[200] = "";

	if (number == PCRE2_ERROR_HEAP_FAILED) {
		return as_fail_memory(err);
	}
	pcre2_get_error_message(number, text, sizeof text);
	return as_fail(err, ASSAY_ELIMIT, "the pattern is more than PCRE2 can hold: %s", (const char *)text);
}

int as_regex_compile_words(assay_str pattern, bool own_words, as_regex **out, assay_error *err)
{
	const uint32_t options =
		PCRE2_UTF | PCRE2_UCP | PCRE2_ALT_CIRCUMFLEX | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	as_regex *re = as_new(1, sizeof *re);
	as_buf text = {0};
	size_t offset, widest;
	int number, code;

	*out = NULL;
	if (!context || !re) {
		code = as_fail_memory(err);
		goto out;
	}
	code = as_pattern_translate(pattern, own_words, &text, &widest, err);
	if (code != 0) {
		goto out;
	}
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(context, NEST_LIMIT);
	re->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, options, &number, &offset, context);
	if (!re->code) {
		code = compile_error(number, err);
		goto out;
	}
	re->weight = 1 + widest / 4;
	*out = re;
	re = NULL;
out:
	pcre2_compile_context_free(context);
	as_buf_free(&text);
	as_regex_free(re);
	return code;
}

int as_regex_compile(assay_str pattern, as_regex **out, assay_error *err)
{
	return as_regex_compile_words(pattern, has_other_words(), out, err);
}

void as_regex_free(as_regex *re)
{
	if (re) {
		pcre2_code_free(re->code);
		free(re);
	}
}

/* The work that one search may still do. */
typedef struct meter {
	uint64_t left, weight;
	size_t at;
} meter;

/* How far the comparison of a reference can go: for group n its length, or nothing where the subject is too short for
 * it. Number 255 stands for all other references: of high groups, and without case, which compare as far as there is
 * text. */
static size_t compared(const pcre2_callout_block *block, uint32_t n)
{
	size_t rest = block->subject_length - block->current_position, longest = 0;

	for (uint32_t i = n < 255 ? n : 1; i < block->capture_top && (i == n || n == 255); i++) {
		size_t from = block->offset_vector[2 * i], to = block->offset_vector[2 * i + 1];

		if (from != PCRE2_UNSET && to > from && to - from > longest) {
			longest = to - from;
		}
	}
	if (longest > rest) {
		return n < 255 ? 0 : rest;
	}
	return longest;
}

/* Called wherever matching branches, repeats or jumps. What lies between two calls is straight on, so that calls and
 * distance together bound the time whatever the pattern is; the match limit of PCRE2 starts anew at each place of the
 * subject. */
static int on_callout(pcre2_callout_block *block, void *payload)
{
	meter *m = payload;
	size_t at = block->current_position, way = at > m->at ? at - m->at : m->at - at;
	uint64_t cost;

	if (block->callout_number != 0) {
		way += compared(block, block->callout_number);
	}
	cost = m->weight * (1 + way / 16);
	m->at = at;
	if (cost > m->left) {
		return PCRE2_ERROR_CALLOUT;
	}
	m->left -= cost;
	return 0;
}

static int search_error(int number, assay_error *err)
{
	unsigned char text[200] = "";

	switch (number) {
	case PCRE2_ERROR_CALLOUT:
	case PCRE2_ERROR_MATCHLIMIT:
	case PCRE2_ERROR_DEPTHLIMIT:
		return as_fail(err, ASSAY_ELIMIT,
			       "the pattern backtracks too much on this text: the search was given up");
	case PCRE2_ERROR_HEAPLIMIT:
		return as_fail(err, ASSAY_ELIMIT,
			       "the pattern needs too much memory on this text: the search was given up");
	case PCRE2_ERROR_NOMEMORY:
		return as_fail_memory(err);
	default:
		pcre2_get_error_message(number, text, sizeof text);
		return as_fail(err, ASSAY_EINTERNAL, "PCRE2 failed: %s (%d)", (const char *)text, number);
	}
}

/* The text as valid UTF-8. */
static void mend(as_buf *out, assay_str s)
{
	for (size_t i = 0; i < s.len;) {
		char bytes[4];
		uint32_t c = as_utf8_next(s, &i);

		as_buf_add(out, (assay_str){bytes, as_utf8_put(bytes, c)});
	}
}

int as_regex_search(const as_regex *re, assay_str subject, assay_error *err)
{
	uint64_t stock = AS_REGEX_WORK;
	return as_regex_search_within(re, subject, &stock, err);
}

/* What a search took out of the stock beyond what its subject brought along. Whether it was the stock that ended it. */
static bool settle(uint64_t *stock, uint64_t given, uint64_t left, int code)
{
	bool scarce = *stock < AS_REGEX_WORK;
	uint64_t own = given - (scarce ? *stock : AS_REGEX_WORK), used = given - left;
	*stock -= used > own ? used - own : 0;
	if (code == PCRE2_ERROR_CALLOUT && scarce) {
		*stock = 0;
		return true;
	}
	return false;
}

int as_regex_search_within(const as_regex *re, assay_str subject, uint64_t *stock, assay_error *err)
{
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	uint64_t given = (*stock < AS_REGEX_WORK ? *stock : AS_REGEX_WORK) + 4 * (uint64_t)subject.len;
	meter m = {given, re->weight, 0};
	as_buf mended = {0};
	int code;

	if (as_utf8_check(subject) < subject.len) {
		mend(&mended, subject);
		subject = as_buf_str(&mended);
	}
	if (!context || !data || mended.failed) {
		code = as_fail_memory(err);
		goto out;
	}
	pcre2_set_match_limit(context, AS_REGEX_WORK);
	pcre2_set_heap_limit(context, AS_REGEX_HEAP_KIB);
	pcre2_set_callout(context, on_callout, &m);
	code = pcre2_match(re->code, (PCRE2_SPTR)(subject.ptr ? subject.ptr : ""), subject.len, 0, PCRE2_NO_UTF_CHECK,
			   data, context);
	if (settle(stock, given, m.left, code)) {
		code = as_fail(err, ASSAY_ELIMIT, "the work allowed for all these searches is used up");
		if (err) {
			err->detail = AS_REGEX_STOCK;
		}
	} else if (code >= 0) {
		code = 1;
	} else {
		code = code == PCRE2_ERROR_NOMATCH ? 0 : search_error(code, err);
	}
out:
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	as_buf_free(&mended);
	return code;
}

int as_regex_once(assay_str pattern, assay_str subject, assay_error *err)
{
	as_regex *re;
	int code = as_regex_compile(pattern, &re, err);

	if (code == 0) {
		code = as_regex_search(re, subject, err);
		as_regex_free(re);
	}
	return code;
}
