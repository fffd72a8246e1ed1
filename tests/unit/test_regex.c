#include "tests/unit/unit.h"

#include "core/base/pattern.h"
#include "core/base/regex.h"

#include <string.h>
#include <time.h>

/* Outcomes are Python 3.11's: re.search(pattern, text). 'e': re.compile refuses. */
typedef struct example {
	const char *pattern, *text;
	char outcome;
} example;

static void check(const example *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assay_error err = {0};
		int code = as_regex_once(as_str(e[i].pattern), as_str(e[i].text), &err);
		char got = code == 1 ? 'y' : code == 0 ? 'n' : code == ASSAY_EDATA ? 'e' : '?';

		ck_assert_msg(got == e[i].outcome, "%s on '%s': %c instead of %c (%s)", e[i].pattern, e[i].text, got,
			      e[i].outcome, err.message);
		ck_assert_int_eq(got == 'e', err.message[0] != '\0');
	}
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof *(examples))

START_TEST(basics)
{
	static const example examples[] = {
		{"", "", 'y'},
		{"", "x", 'y'},
		{"b", "abc", 'y'},
		{"^b", "abc", 'n'},
		{"\\d+%", "up 12% now", 'y'},
		{"a|b", "xb", 'y'},
		{"a.c", "a\nc", 'n'},
		{"(?s)a.c", "a\nc", 'y'},
		{"a$", "a", 'y'},
		{"a$", "a\n", 'y'},
		{"a$", "a\n\n", 'n'},
		{"a$", "a\nb", 'n'},
		{"(?m)a$", "a\nb", 'y'},
		{"(?m)^b", "a\nb", 'y'},
		{"^b", "a\nb", 'n'},
		{"a\\Z", "a\n", 'n'},
		{"a\\Z", "ba", 'y'},
		{"(?m)^$", "a\n", 'y'},
		{"(?m)\\n^", "a\n", 'y'},
		{"\\Aa", "ba", 'n'},
		{"\\Bx", "ax", 'y'},
		{"\\B", "", 'n'},
		{"\\b", "", 'n'},
		{"a{,2}b", "b", 'y'},
		{"^a{,2}b", "aaab", 'n'},
		{"a{2}", "aa", 'y'},
		{"a{}", "a{}", 'y'},
		{"a{,}b", "aaab", 'y'},
		{"a{1", "a{1", 'y'},
		{"a{1,b}", "a{1,b}", 'y'},
		{"x*", "", 'y'},
		{"a++a", "aaa", 'n'},
		{"(?>a+)a", "aaa", 'n'},
		{"a{2}+a", "aaa", 'y'},
		{"a*?b", "aab", 'y'},
		{"#(?#note)b", "#b", 'y'},
		{"\\.", "a", 'n'},
		{"\\-\\ \\/", "- /", 'y'},
		{"}]", "}]", 'y'},
	};

	CHECK(examples);
}
END_TEST

START_TEST(unicode)
{
	static const example examples[] = {
		{"^\\w+$",
		 "gr\xc3\xb6\xc3\x9f"
		 "e",
		 'y'},
		{"(?a)^\\w+$",
		 "gr\xc3\xb6\xc3\x9f"
		 "e",
		 'n'},
		{"\\d", "\xd9\xa3", 'y'}, /* ARABIC-INDIC DIGIT THREE */
		{"(?a)\\d", "\xd9\xa3", 'n'},
		{"[\\d]", "\xd9\xa3", 'y'},
		{"\\s", "\xc2\xa0", 'y'},
		{"\\s", "\x1c", 'y'},
		{"[^\\S]", "\xc2\x85", 'y'},
		{"(?a)\\s", "\xc2\xa0", 'n'},
		{"\\s", "\xe1\xa0\x8e", 'n'}, /* MONGOLIAN VOWEL SEPARATOR: white space for PCRE2 */
		{"\\w", "\xcc\x81", 'n'},     /* a combining accent: a word character for newer PCRE2 */
		{"a\\b", "a\xcc\x81", 'y'},
		{"[\\W]", "\xcc\x81", 'y'},
		{"^.$", "\xf0\x9f\x98\x80", 'y'},
		{"^\\U0001f600\\u00e9\\xe9$", "\xf0\x9f\x98\x80\xc3\xa9\xc3\xa9", 'y'},
		{"(?i)stra\xc3\x9f"
		 "e",
		 "STRA\xe1\xba\x9e"
		 "E",
		 'y'},
		{"(?i)^i$", "\xc4\xb0", 'y'}, /* dotted and dotless i */
		{"(?i)^i$", "\xc4\xb1", 'y'},
		{"(?i)[a-z]", "\xe2\x84\xaa", 'y'}, /* KELVIN SIGN */
		{"(?i)^[^k]$", "\xe2\x84\xaa", 'n'},
		{"(?ai)k", "\xe2\x84\xaa", 'n'},
		{"(?ai)K", "k", 'y'},
		{"(?i)(a)\\1", "aA", 'y'},
		{"(a)(?i:\\1)", "aA", 'y'},
		{"\\ud800", "x", 'n'},
		{"[\\ud800]", "x", 'n'},
		{"[^\\ud800]", "x", 'y'},
		{"[\\ud000-\\ue000]", "\xed\x95\x9c", 'y'},
	};

	CHECK(examples);
}
END_TEST

START_TEST(sets)
{
	static const example examples[] = {
		{"[]a]", "]", 'y'},
		{"[^]a]", "]", 'n'},
		{"[a-]", "-", 'y'},
		{"[\\w-]", "-", 'y'},
		{"[a\\-z]", "-", 'y'},
		{"[[:alpha:]]", "a]", 'y'},
		{"[[:alpha:]]", "b]", 'n'},
		{"[[:alpha:]]", ":", 'n'},
		{"[\\b]", "\b", 'y'},
		{"[\\101]", "A", 'y'},
		{"[a-c&&b]", "&", 'y'},
		{"[a-c&&b]", "d]", 'n'},
		{"[^\\w\\W]", "x", 'n'},
		{"[\\w\\W]", "\n", 'y'},
		{"[.]", "x", 'n'},
		{"[^a]", "\n", 'y'},
		{"[\\n-\\r]", "\v", 'y'},
		{"[b-a]", "", 'e'},
		{"[\\d-z]", "", 'e'},
		{"[a-\\d]", "", 'e'},
		{"[", "", 'e'},
		{"[]", "", 'e'},
		{"[^]", "", 'e'},
		{"[a-", "", 'e'},
		{"[\\", "", 'e'},
		{"[\\q]", "", 'e'},
		{"[\\8]", "", 'e'},
		{"[\\400]", "", 'e'},
		{"[\\x4]", "", 'e'},
		{"[a", "", 'e'},
		{"[\\Z]", "", 'e'},
	};

	CHECK(examples);
}
END_TEST

START_TEST(groups)
{
	static const example examples[] = {
		{"(a)\\1", "aa", 'y'},
		{"(?P<x>a)(?P=x)", "aa", 'y'},
		{"(?P<x>a)(?P<x>b)", "", 'e'},
		{"(?P=x)", "", 'e'},
		{"(?P<1x>a)", "", 'e'},
		{"(?P<>a)", "", 'e'},
		{"(?P<x", "", 'e'},
		{"(?P<\xc3\xa9>a)(?P=\xc3\xa9)", "aa", 'y'},
		{"(?P>x)", "", 'e'},
		{"\\1", "", 'e'},
		{"(a\\1)", "", 'e'},
		{"(a)?(?(1)b|c)", "c", 'y'},
		{"^(a)?(?(1)b|c)$", "ac", 'n'},
		{"(?P<n>a)?(?(n)b)$", "ab", 'y'},
		{"(?(1)a)", "", 'e'},
		{"(?(0)a)", "", 'e'},
		{"(?(x)a)", "", 'e'},
		{"(a)(?(1)b|c|d)", "", 'e'},
		{"(?(2)a|b)(x)(y)", "bxy", 'y'},
		{"(?:a|b)+$", "abab", 'y'},
		{"((a)|b)*\\2", "aba", 'y'},
		{"\\01", "\1", 'y'},
		{"\\101", "A", 'y'},
		{"\\777", "", 'e'},
		{"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10", "abcdefghijj", 'y'},
		{"(a)\\18", "", 'e'},
	};

	CHECK(examples);
}
END_TEST

START_TEST(lookaround)
{
	static const example examples[] = {
		{"a(?=b)", "ab", 'y'},
		{"a(?!b)", "ab", 'n'},
		{"(?<=a)b", "ab", 'y'},
		{"(?<!a)b", "ab", 'n'},
		{"(?<=a|b)c", "bc", 'y'},
		{"(?<=a|bc)c", "", 'e'},
		{"(?<=a+)b", "", 'e'},
		{"(?<=a{2})b", "aab", 'y'},
		{"(?<=(?:ab|cd))e", "cde", 'y'},
		{"(?<=^)a", "a", 'y'},
		{"(?<=a*)", "", 'e'},
		{"(?<=)a", "a", 'y'},
		{"(a)(?<=\\1)b", "ab", 'y'},
		{"(?<=(a)\\1)b", "", 'e'},
		{"(?<=(?=a)?)a", "a", 'y'},
		{"(?=a)*b", "b", 'y'},
		{"(?<=\\b)a", "a", 'y'},
		{"(?!)", "", 'n'},
		{"(?=)", "", 'y'},
		{"(?<=(?<!b){2})a", "a", 'y'},
		{"(?<=(?i:[\\W]|k))b",
		 "\xe2\x84\xaa"
		 "b",
		 'y'},
	};

	CHECK(examples);
}
END_TEST

START_TEST(flags)
{
	static const example examples[] = {
		{"(?i)a", "A", 'y'},
		{"(?i:a)b", "Ab", 'y'},
		{"(?i:a)b", "AB", 'n'},
		{"(?i)a(?-i:b)", "AB", 'n'},
		{"(?i)(?s)A.", "a\n", 'y'},
		{"a(?i)b", "", 'e'},
		{"(?:(?i)a)", "", 'e'},
		{"a|(?i)b", "", 'e'},
		{"(?i)a|b", "B", 'y'},
		{"(?x) a b # c\n c", "abc", 'y'},
		{"(?x)a\\ b", "a b", 'y'},
		{"(?x)[ ]", " ", 'y'},
		{"(?x:a b)c d", "abc d", 'y'},
		{"(?x)a +", "aa", 'y'},
		{"(?x)a(?-x: )b", "a b", 'y'},
		{"(?L)a", "", 'e'},
		{"(?a)(?u)a", "", 'e'},
		{"(?au:a)", "", 'e'},
		{"(?u:\\w)", "\xc3\xa9", 'y'},
		{"(?a:\\w)", "\xc3\xa9", 'n'},
		{"(?-a:b)", "", 'e'},
		{"(?i-i:a)", "", 'e'},
		{"(?-)", "", 'e'},
		{"(?-i)", "", 'e'},
		{"(?i", "", 'e'},
		{"(?z)", "", 'e'},
		{"(?i-:a)", "", 'e'},
		{"(?m:^a)", "b\na", 'y'},
		{"(?s:.)", "\n", 'y'},
		{"(?s:a.)(?-s:.)", "a\n\n", 'n'},
		{"(?x)#", "", 'y'},
		{"(?#c)(?i)a", "A", 'y'},
		{"(?x) (?i)a", "A", 'y'},
	};

	CHECK(examples);
}
END_TEST

static const char *const refusals[] = {"\\",
				       "a\\",
				       "(",
				       ")",
				       "a)",
				       "(a",
				       "*",
				       "+a",
				       "?",
				       "a**",
				       "a+*",
				       "a{1}{2}",
				       "a???",
				       "^*",
				       "\\b+",
				       "$?",
				       "(?",
				       "(?P",
				       "(?P<a)",
				       "(?<name>a)",
				       "(?'name'a)",
				       "(?|a)",
				       "(?R)",
				       "(?1)",
				       "(?&x)",
				       "(?#",
				       "(*UTF)a",
				       "a{2,1}",
				       "|*",
				       "(|*)",
				       "\\h",
				       "\\H",
				       "\\R",
				       "\\K",
				       "\\z",
				       "\\G",
				       "\\Q",
				       "\\E",
				       "\\X",
				       "\\C",
				       "\\p{L}",
				       "\\e",
				       "\\c",
				       "\\g",
				       "\\k<a>",
				       "\\i",
				       "\\x",
				       "\\xg0",
				       "\\u12",
				       "\\U0011ffff",
				       "\\U1234567",
				       "\\N{DASH}",
				       "a{4294967295}",
				       "a{1,4294967296}",
				       "(?i)*",
				       "(?#c)*",
				       "(?<a)",
				       "(?=a",
				       "(?<=a",
				       "(?>a",
				       "(?:",
				       "(?(1",
				       "(?i:a"};

START_TEST(refused)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		assay_error err = {0};
		as_regex *re;

		ck_assert_msg(as_regex_compile(as_str(refusals[i]), &re, &err) == ASSAY_EDATA, "%s", refusals[i]);
		ck_assert_ptr_null(re);
		ck_assert(err.message[0] != '\0' && !strchr(err.message, '\n'));
		ck_assert(err.detail >= 0 && (size_t)err.detail <= strlen(refusals[i]));
	}
}
END_TEST

START_TEST(complaints)
{
	static const struct {
		const char *pattern, *message;
		int64_t at;
	} cases[] = {
		{"ab(cd", "missing ), unterminated subpattern", 2},
		{"a\\hb", "bad escape \\h", 1},
		{"abc(?i)", "global flags not at the start of the expression", 3},
		{"[z-a]", "bad character range z-a", 1},
		{"x(?P<n>a)(?P<n>b)", "redefinition of group name 'n'", 9},
		{"(?<name>a)", "unknown extension ?<n", 0},
		{"(?<=a+)b", "look-behind requires fixed-width pattern", 0},
		{"a**", "multiple repeat", 2},
		{"(a)\\2", "invalid group reference 2", 3},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_error err = {0};
		as_regex *re;

		ck_assert_int_eq(as_regex_compile(as_str(cases[i].pattern), &re, &err), ASSAY_EDATA);
		ck_assert_str_eq(err.message, cases[i].message);
		ck_assert_int_eq(err.detail, cases[i].at);
	}
	ck_assert_int_eq(as_regex_once(ASSAY_STR("("), ASSAY_STR(""), NULL), ASSAY_EDATA);
	as_regex_free(NULL);
}
END_TEST

static void fill(as_buf *b, const char *part, size_t times)
{
	as_buf_clear(b);
	for (size_t i = 0; i < times; i++) {
		as_buf_puts(b, part);
	}
	ck_assert(!b->failed);
}

START_TEST(limits)
{
	static const struct {
		const char *part;
		size_t times;
		const char *message;
	} cases[] = {
		{"a", AS_PATTERN_MAX_BYTES + 1, "the pattern is too long, the limit is 65536"},
		{"(", AS_PATTERN_MAX_DEPTH + 1, "the pattern is nested too deeply, the limit is 200"},
		{"a{65536}", 1, "the pattern repeats too often, the limit is 65535"},
		{"(?:(?:a{1000}b){1000}c){1000}", 1, "the pattern is too large, the limit is 1000000"},
	};
	as_buf b = {0};
	as_regex *re;
	assay_error err = {0};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(&err, 0, sizeof err);
		fill(&b, cases[i].part, cases[i].times);
		ck_assert_int_eq(as_regex_compile(as_buf_str(&b), &re, &err), ASSAY_ELIMIT);
		ck_assert_str_eq(err.message, cases[i].message);
	}
	fill(&b, "(", AS_PATTERN_MAX_DEPTH);
	as_buf_puts(&b, "a");
	for (size_t i = 0; i < AS_PATTERN_MAX_DEPTH; i++) {
		as_buf_puts(&b, ")?");
	}
	ck_assert_int_eq(as_regex_once(as_buf_str(&b), ASSAY_STR("a"), NULL), 1);
	as_buf_clear(&b);
	for (uint32_t c = 0x4e00; c <= 0x4e00 + 2 * AS_PATTERN_MAX_RANGES; c += 2) {
		as_buf_printf(&b, "%s\\u%x", b.len == 0 ? "x[" : "", (unsigned)c);
	}
	as_buf_puts(&b, "]");
	memset(&err, 0, sizeof err);
	ck_assert_int_eq(as_regex_compile(as_buf_str(&b), &re, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "the pattern has too many ranges in a set, the limit is 1000");
	ck_assert_int_eq(err.detail, 1);
	/* more than fits into a compiled pattern of PCRE2 as it is usually built */
	fill(&b, "(?:a|bc|[x-z]){50}", 600);
	ck_assert_int_eq(as_regex_compile(as_buf_str(&b), &re, NULL), ASSAY_ELIMIT);
	as_buf_free(&b);
}
END_TEST

/* Of this process: wall-clock time says more about what else the machine does. */
static long cpu_ms(void)
{
	return (long)(clock() / (CLOCKS_PER_SEC / 1000));
}

typedef struct catastrophe {
	const char *pattern, *part;
	size_t times;
} catastrophe;

/* Whatever the pattern, the search ends. */
static void check_end(const catastrophe *c, size_t n)
{
	as_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		long began = cpu_ms();
		assay_error err = {0};
		int code;

		fill(&b, c[i].part, c[i].times);
		code = as_regex_once(as_str(c[i].pattern), as_buf_str(&b), &err);
		ck_assert_msg(code == 0 || code == ASSAY_ELIMIT, "%s: %d %s", c[i].pattern, code, err.message);
		ck_assert_int_eq(code == 0, err.message[0] == '\0');
		ck_assert_msg(cpu_ms() - began < 8000L * unit_slow(), "%s: %ld ms", c[i].pattern, cpu_ms() - began);
	}
	as_buf_free(&b);
}

START_TEST(backtracking)
{
	static const catastrophe cases[] = {
		{"(a+)+[bc]", "a", 100},
		{"(a|a)*[bc]", "a", 100},
		{"(\\w+\\s*)+[:;]", "word ", 100},
		{"(a?){40}a{40}[bc]", "a", 40},
		{"((((((((a|b)*)*)*)*)*)*)*)*[cd]", "ab", 60},
	};
	as_buf b = {0};

	check_end(cases, sizeof cases / sizeof *cases);
	fill(&b, "a", 100);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("(a+)+[bc]"), as_buf_str(&b), NULL), ASSAY_ELIMIT);
	as_buf_free(&b);
}
END_TEST

/* Little backtracking, but much work at each of many places. */
START_TEST(quadratic)
{
	static const catastrophe cases[] = {
		{"a*[bc]", "a", 300000},           {"\\w+\\s+\\d", "a", 300000},
		{"(?=(a+))*[bc]\\1", "a", 100000}, {"(?<=.{60000})[bc]", "a", 300000},
		{"(a*)(?:b|\\1c)", "a", 100000},   {"(?i)(a*)(?:b|\\1c)", "a", 100000},
	};

	check_end(cases, sizeof cases / sizeof *cases);
}
END_TEST

/* Long stretches without a branch: literals, and sets of many ranges. */
START_TEST(long_patterns)
{
	as_buf pattern = {0}, text = {0};
	long began = cpu_ms();

	fill(&pattern, "a", 20000);
	as_buf_puts(&pattern, "[bc]");
	fill(&text, "a", 2000000);
	ck_assert_int_eq(as_regex_once(as_buf_str(&pattern), as_buf_str(&text), NULL), ASSAY_ELIMIT);
	as_buf_clear(&pattern);
	as_buf_puts(&pattern, "[");
	for (uint32_t c = 0x4e00; c < 0x4e00 + 2 * AS_PATTERN_MAX_RANGES; c += 2) {
		as_buf_printf(&pattern, "\\u%x", (unsigned)c);
	}
	as_buf_puts(&pattern, "]*[xy]");
	fill(&text, "\xe5\x80\x80", 200000); /* U+5000 */
	ck_assert_int_eq(as_regex_once(as_buf_str(&pattern), as_buf_str(&text), NULL), ASSAY_ELIMIT);
	ck_assert_msg(cpu_ms() - began < 8000L * unit_slow(), "%ld ms", cpu_ms() - began);
	as_buf_free(&pattern);
	as_buf_free(&text);
}
END_TEST

/* What real checks do must not run into the limits. */
START_TEST(long_texts)
{
	static const char *const patterns[] = {"needle",       "\\bneedle\\b",       "(?i)NEEDLE",
					       ".*needle",     "\\d+ needle",        "^.*needle.*$",
					       "(?s).*needle", "[a-z]+ \\d+ needle", "(?:lorem|ipsum) 42 needle"};
	as_buf b = {0};

	fill(&b, "lorem ipsum dolor sit amet 42, consectetur\n", 50000 / (size_t)unit_slow());
	as_buf_puts(&b, "ipsum 42 needle");
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		assay_error err = {0};
		bool whole = patterns[i][0] == '^'; /* the first line is another */

		ck_assert_msg(as_regex_once(as_str(patterns[i]), as_buf_str(&b), &err) == !whole, "%s: %s", patterns[i],
			      err.message);
	}
	as_buf_free(&b);
}
END_TEST

START_TEST(hostile_bytes)
{
	ck_assert_int_eq(as_regex_once(ASSAY_STR("^a.b$"),
				       ASSAY_STR("a\xff"
						 "b"),
				       NULL),
			 1);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("\xef\xbf\xbd"),
				       ASSAY_STR("a\xff"
						 "b"),
				       NULL),
			 1);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("\xff"),
				       ASSAY_STR("a\xff"
						 "b"),
				       NULL),
			 1);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("a\\0b"),
				       ASSAY_STR("a\xc0\x80"
						 "b"),
				       NULL),
			 1); /* NUL as JSON holds it */
	ck_assert_int_eq(as_regex_once(ASSAY_STR("a\xc0\x80"
						 "b"),
				       ASSAY_STR("a\0b"), NULL),
			 1);
	ck_assert_int_eq(as_regex_once((assay_str){NULL, 0}, (assay_str){NULL, 0}, NULL), 1);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("x"), (assay_str){NULL, 0}, NULL), 0);
	ck_assert_int_eq(as_regex_once(ASSAY_STR("^\xe2\x82"), ASSAY_STR("\xe2\x82"), NULL), 1);
}
END_TEST

/* The way of writing that newer PCRE2 needs, whatever is installed. */
START_TEST(own_words)
{
	static const example examples[] = {
		{"^\\w+$",
		 "gr\xc3\xb6\xc3\x9f"
		 "e_1",
		 'y'},
		{"\\w", "\xcc\x81", 'n'},
		{"\\W", "\xcc\x81", 'y'},
		{"[\\W]", "\xcc\x81", 'y'},
		{"[^\\W]", "a", 'y'},
		{"[^\\W]", "-", 'n'},
		{"[\\Wa]", "a", 'y'},
		{"[\\Wa]", "b", 'n'},
		{"[^\\Wa]", "a", 'n'},
		{"[^\\Wa]", "b", 'y'},
		{"[^\\Wa]", "-", 'n'},
		{"[\\W\\w]", "x", 'y'},
		{"a\\b", "a\xcc\x81", 'y'},
		{"a\\B", "a\xcc\x81", 'n'},
		{"\\B", "", 'n'},
		{"\\bfoo\\b", "a foo b", 'y'},
		{"(?<=[\\Wx])b", "xb", 'y'},
		{"(?<=[^\\Wx])b", "ab", 'y'},
		{"[\\ud800\\W]+", "--", 'y'},
	};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		as_regex *re;

		ck_assert_int_eq(as_regex_compile_words(as_str(examples[i].pattern), true, &re, NULL), 0);
		ck_assert_msg(as_regex_search(re, as_str(examples[i].text), NULL) == (examples[i].outcome == 'y'),
			      "%s on %s", examples[i].pattern, examples[i].text);
		as_regex_free(re);
	}
}
END_TEST

UNIT_SUITE(suite, "regex", basics, unicode, sets, groups, lookaround, flags, refused, complaints, limits, backtracking,
	   quadratic, long_patterns, long_texts, hostile_bytes, own_words)
UNIT_MAIN(suite)
