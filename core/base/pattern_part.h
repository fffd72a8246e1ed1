/* What the files behind pattern.h share: pattern.c reads flags, groups and sequences, pattern_part.c what stands
 * between them, pattern_set.c characters and sets. All functions that answer int answer 0 or fill p->err. */
#ifndef AS_PATTERN_PART_H
#define AS_PATTERN_PART_H

#include "core/base/pattern.h"

/* Python's MAXREPEAT: a repeat without upper bound, and a width that is not known. */
#define AS_PATTERN_WITHOUT_END UINT32_MAX

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

/* --- pattern_part.c --- */

/* What the last item of a sequence is to a quantifier. */
enum as_item_kind {
	ITEM_NONE,
	ITEM_ONE,    /* one character or reference: repeats cost nothing */
	ITEM_GROUP,  /* something in parentheses or brackets */
	ITEM_LOOSE,  /* needs a group around it first */
	ITEM_AT,     /* an assertion such as ^: cannot be repeated */
	ITEM_REPEAT, /* has been repeated */
};

typedef struct as_item {
	enum as_item_kind kind;
	size_t at; /* in the output */
	as_extent extent;
} as_item;

typedef struct as_sequence {
	as_extent before; /* the last item */
	as_item last;
} as_sequence;

as_extent as_extent_after(as_extent a, as_extent b); /* a, then b */
as_extent as_extent_either(as_extent a, as_extent b);
bool as_extent_is_fixed(as_extent e); /* is all of it of one known width? */

int as_pattern_too_large(as_pattern *p, size_t at, const char *what, unsigned limit); /* ASSAY_ELIMIT */
void as_pattern_callout(as_pattern *p, size_t number);
/* Begin the next item at the end of the output. */
as_item *as_pattern_push(as_pattern *p, as_sequence *s, enum as_item_kind kind, uint64_t width);

/* Repeat the last item, or take a "{" that begins no quantifier for itself. */
int as_pattern_quantifier(as_pattern *p, as_sequence *s, const as_token *t);

/* The text up to `end`, which is consumed. */
int as_pattern_take_name(as_pattern *p, char end, assay_str *name);
bool as_pattern_is_name(assay_str name);
size_t as_pattern_find_group(const as_pattern *p, assay_str name); /* 0: none of that name */
int as_pattern_named_group(as_pattern *p, size_t at, assay_str name, size_t *group);
/* May a lookbehind refer to the group? It must have been complete before the lookbehind began. */
int as_pattern_check_lookbehind(as_pattern *p, size_t at, size_t group);
int as_pattern_reference(as_pattern *p, as_sequence *s, size_t at, size_t group);
/* An escape outside of sets: character, category, assertion or reference. */
int as_pattern_parse_escape(as_pattern *p, as_sequence *s, const as_token *t);

#endif
