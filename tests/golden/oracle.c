/* Answers for an independent implementation of the same functions (oracle.py): a JSON line in, a JSON line out. */
#include "tests/golden/golden.h"

#include "core/base/pattern.h"
#include "core/base/similarity.h"
#include "core/base/text.h"
#include "core/trace/canonical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer_lower(as_buf *out, const assay_json *v)
{
	as_buf text = {0};

	as_lower(&text, as_json_str(v));
	as_json_write_string(out, as_buf_str(&text), true);
	as_buf_free(&text);
}

static void answer_normalise(as_buf *out, const assay_json *v)
{
	as_buf text = {0};

	as_normalise(&text, as_json_str(v));
	as_json_write_string(out, as_buf_str(&text), true);
	as_buf_free(&text);
}

static assay_str text_at(const assay_json *v, size_t i)
{
	return as_json_str(as_json_at(v, i));
}

static void answer_ratio(as_buf *out, const assay_json *v)
{
	as_json_write_double(out, as_ratio(text_at(v, 0), text_at(v, 1)));
}

static void answer_jaccard(as_buf *out, const assay_json *v)
{
	as_json_write_double(out, as_jaccard(text_at(v, 0), text_at(v, 1)));
}

static void answer_near(as_buf *out, const assay_json *v)
{
	as_json_write_double(out, as_near_score(text_at(v, 0), text_at(v, 1)));
}

/* The double whose 64 bits are given in hex. */
static void answer_repr(as_buf *out, const assay_json *v)
{
	uint64_t bits = strtoull(as_json_cstr(v, "0"), NULL, 16);
	double d;

	memcpy(&d, &bits, sizeof d);
	as_json_write_double(out, d);
}

/* [pattern, text...]: one letter a text: found, not found, given up; or "error" for the pattern. Both ways of writing
 * word characters are tried, and must agree. */
static void answer_regex(as_buf *out, const assay_json *v)
{
	as_buf answers[2] = {0};

	for (int own = 0; own < 2; own++) {
		as_regex *re;
		assay_error err = {0};
		int code = as_regex_compile_words(text_at(v, 0), own == 1, &re, &err);

		if (code != 0) {
			as_buf_puts(&answers[own], code == ASSAY_EDATA ? "error" : err.message);
			continue;
		}
		for (size_t i = 1; i < as_json_count(v); i++) {
			code = as_regex_search(re, text_at(v, i), &err);
			as_buf_byte(&answers[own], code == 1              ? 'y'
						   : code == 0            ? 'n'
						   : code == ASSAY_ELIMIT ? 'l'
									  : 'x');
		}
		as_regex_free(re);
	}
	if (!as_str_eq(as_buf_str(&answers[0]), as_buf_str(&answers[1]))) {
		as_buf_puts(&answers[0], " or ");
		as_buf_add(&answers[0], as_buf_str(&answers[1]));
	}
	as_json_write_string(out, as_buf_str(&answers[0]), true);
	as_buf_free(&answers[0]);
	as_buf_free(&answers[1]);
}

/* What PCRE2 is given, for a look at it. */
static void answer_pattern(as_buf *out, const assay_json *v)
{
	as_buf text = {0};
	size_t widest;
	assay_error err = {0};
	int code = as_pattern_translate(as_json_str(v), true, &text, &widest, &err);

	as_json_write_string(out, code == 0 ? as_buf_str(&text) : as_str(err.message), false);
	as_buf_free(&text);
}

int golden_oracle(const char *mode)
{
	static const struct {
		const char *mode;
		void (*answer)(as_buf *out, const assay_json *v);
	} modes[] = {{"lower", answer_lower},     {"normalise", answer_normalise}, {"ratio", answer_ratio},
		     {"jaccard", answer_jaccard}, {"near", answer_near},           {"repr", answer_repr},
		     {"regex", answer_regex},     {"pattern", answer_pattern},     {"score", golden_answer_score}};
	size_t k = 0, cap = 0;
	unsigned number = 0;
	char *line = NULL;
	ssize_t length;
	assay_error err = {0};
	as_buf out = {0};
	int code = 0;

	while (k < sizeof modes / sizeof *modes && strcmp(modes[k].mode, mode) != 0) {
		k++;
	}
	if (k == sizeof modes / sizeof *modes) {
		fprintf(stderr, "no such mode: --%s\n", mode);
		return 2;
	}
	while (code == 0 && (length = getline(&line, &cap, stdin)) > 0) {
		assay_json *v = NULL;

		number++;
		code = as_json_parse((assay_str){line, (size_t)length}, ASSAY_JSON_PEER, &v, &err);
		as_buf_clear(&out);
		if (code == 0) {
			modes[k].answer(&out, v);
			code = as_buf_check(&out, &err);
			printf("%.*s\n", ASSAY_FMT(as_buf_str(&out)));
		}
		as_json_free(v);
	}
	free(line);
	as_buf_free(&out);
	if (code != 0) {
		fprintf(stderr, "line %u: %s\n", number, err.message);
	}
	return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
