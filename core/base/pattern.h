/* From a pattern of Python's re module to one of PCRE2: reads what Python 3.11 reads, refuses what it refuses, and
 * writes a pattern that means the same under PCRE2_UTF, PCRE2_UCP, PCRE2_ALT_CIRCUMFLEX and newline LF. Inside of
 * regex.c.
 *
 * Written so that nothing depends on where the two engines disagree: sets are spelled out character by character where
 * classes or case folding differ, groups are only referred to by number. Callouts stand wherever matching can branch,
 * repeat or jump; regex.c counts them to bound the work. Thread: any. */
#ifndef AS_PATTERN_H
#define AS_PATTERN_H

#include "core/base/regex.h"

#define AS_PATTERN_MAX_BYTES 65536u
#define AS_PATTERN_MAX_DEPTH 200u
#define AS_PATTERN_MAX_COST 1000000u /* counted repeats of groups written out */
#define AS_PATTERN_MAX_REPEAT 65535u /* PCRE2's */

/* Append the PCRE2 pattern to out. own_words: do not use \w and \b of PCRE2, which take marks for word characters from
 * 10.43 on. *widest: ranges in its largest set. A callout numbered n stands before a reference to group n, 255 for 255
 * and above; all others have number 0. ASSAY_EDATA: Python refuses the pattern (detail = byte offset); ASSAY_ELIMIT:
 * too long, deep or large. */
int as_pattern_translate(assay_str pattern, bool own_words, as_buf *out, size_t *widest, assay_error *err);

/* as_regex_compile (regex.c), with the choice that it leaves to PCRE2's version; both mean the same. For tests. */
int as_regex_compile_words(assay_str pattern, bool own_words, as_regex **out, assay_error *err);

/* --- shared by pattern.c and pattern_set.c --- */

#define AS_FLAG_ASCII 1u
#define AS_FLAG_IGNORECASE 2u
#define AS_FLAG_MULTILINE 4u
#define AS_FLAG_DOTALL 8u
#define AS_FLAG_UNICODE 16u
#define AS_FLAG_VERBOSE 32u

/* One character of the pattern, with the backslash before it if there is one. */
typedef struct as_token {
	uint32_t c;
	bool escaped;
	bool end; /* of the pattern; c is 0 */
	size_t at, next;
} as_token;

/* Least and most characters that a part matches, and how large it gets. */
typedef struct as_extent {
	uint64_t least, most, cost;
} as_extent;

typedef struct as_pattern_group {
	assay_str name; /* empty: none */
	as_extent extent;
	bool closed;
} as_pattern_group;

typedef struct as_pattern {
	assay_str in;
	as_token next; /* not consumed yet */
	as_buf *out;
	unsigned flags; /* in force here */
	bool own_words;
	as_pattern_group *groups; /* from 1 on */
	size_t n_groups, groups_cap;
	size_t lookbehind;              /* groups there were when the outermost lookbehind began; 0 outside of one */
	size_t condition, condition_at; /* highest group number that a condition names, and where */
	size_t widest;                  /* ranges in a set so far */
	unsigned straight;              /* items since the last callout */
	unsigned depth;
	assay_error *err;
} as_pattern;

void as_pattern_seek(as_pattern *p, size_t at);
as_token as_pattern_take(as_pattern *p);
bool as_pattern_is(const as_pattern *p, char c); /* is the next token an unescaped c? */
bool as_pattern_match(as_pattern *p, char c);    /* ... then consume it */
/* ASSAY_EDATA with detail = at. */
int as_pattern_refuse(as_pattern *p, size_t at, const char *format, ...) ASSAY_PRINTF(3, 4);

/* The text of a token, for messages. */
assay_str as_pattern_text(const as_pattern *p, const as_token *t);

/* The character that an escape stands for which is neither a class, an assertion nor a reference. in_set: \b is a
 * backspace and \1 to \7 are octal. */
int as_pattern_escape(as_pattern *p, const as_token *t, bool in_set, uint32_t *c);

/* Write one character. *loose: a quantifier needs a group around it. */
int as_pattern_literal(as_pattern *p, uint32_t c, bool *loose);
/* Write \d \D \s \S \w or \W. */
int as_pattern_category(as_pattern *p, char name, bool *loose);
/* Read a set whose "[" (at `at`) has been consumed, and write it. */
int as_pattern_set(as_pattern *p, size_t at, bool *loose);
/* Write \b or \B. */
void as_pattern_boundary(as_pattern *p, bool negate);

#endif
