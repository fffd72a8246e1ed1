/* Assay SDK: JSON values through the host's table.
 *
 * A value is immutable for everybody but its owner. Numbers keep the spelling that they were read with, so writing a
 * value that was read gives the same number text. A NUL inside a string (peer profile only) is held as the two bytes
 * C0 80, which no valid UTF-8 contains, and is written back as \u0000.
 *
 * All accessors accept NULL, so look-ups can be chained: J->str(J->get(J->get(v, "a"), "b")).
 * Thread rule: values may be read from several threads at once, changed from one.
 */
#ifndef ASSAY_JSON_H
#define ASSAY_JSON_H

#include <assay/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of a value. */
#define ASSAY_JSON_NONE 0 /* NULL was given */
#define ASSAY_JSON_NULL 1
#define ASSAY_JSON_BOOL 2
#define ASSAY_JSON_NUMBER 3
#define ASSAY_JSON_STRING 4
#define ASSAY_JSON_ARRAY 5
#define ASSAY_JSON_OBJECT 6

/* Profiles of the parser. */
#define ASSAY_JSON_STRICT 0u /* our own files: duplicate keys, NUL and lone surrogates are errors */
#define ASSAY_JSON_PEER 1u   /* servers and models: last duplicate wins, NUL kept, lone surrogates become U+FFFD */

/* Styles of the writer. */
#define ASSAY_JSON_COMPACT 0u       /* no spaces, non-ASCII raw, insertion order, numbers as spelled */
#define ASSAY_JSON_PRETTY 1u        /* two-space indent */
#define ASSAY_JSON_CANONICAL 2u     /* keys sorted by code point, numbers as Python writes them */
#define ASSAY_JSON_PYTHON 3u        /* ", " and ": ", non-ASCII as \uXXXX, insertion order, numbers normalised */
#define ASSAY_JSON_PYTHON_RAW 4u    /* as PYTHON, non-ASCII raw */
#define ASSAY_JSON_PYTHON_SORTED 5u /* as PYTHON, keys sorted */
#define ASSAY_JSON_PRETTY_ASCII 6u  /* as PRETTY, non-ASCII as \uXXXX */

/* A member of an object that is made at once: made by assay_with_..., below. */
typedef struct assay_member {
	const char *key;
	uint32_t kind; /* ASSAY_WITH_... */
	uint32_t reserved;
	assay_str text;
	int64_t integer;
	double real;
	assay_json *value;
	const assay_json *copied;
} assay_member;

#define ASSAY_WITH_COPY 0u
#define ASSAY_WITH_TEXT 1u
#define ASSAY_WITH_INTEGER 2u
#define ASSAY_WITH_REAL 3u
#define ASSAY_WITH_TRUTH 4u
#define ASSAY_WITH_VALUE 5u

typedef struct assay_json_api {
	uint32_t size;
	uint32_t reserved;

	/* Reading and writing. parse takes one whole document; detail of the error is the byte offset. */
	int (*parse)(assay_str text, uint32_t profile, assay_json **out, assay_error *err);
	int (*dump)(const assay_json *v, uint32_t style, assay_text *out, assay_error *err);
	void (*text_free)(assay_text *text);

	/* Looking. get/at/pointer answer NULL when there is no such member; str answers an empty text for what is not a
	 * string; the number and boolean readers answer the default for what is not one (or does not fit). */
	int (*type)(const assay_json *v);
	const assay_json *(*get)(const assay_json *object, const char *key);
	const assay_json *(*get_n)(const assay_json *object, assay_str key);
	const assay_json *(*at)(const assay_json *array, size_t index);
	const assay_json *(*pointer)(const assay_json *v, const char *json_pointer);
	const assay_json *(*first)(const assay_json *container); /* first element or member */
	const assay_json *(*next)(const assay_json *v);          /* its next sibling */
	assay_str (*key)(const assay_json *member);
	size_t (*count)(const assay_json *container);
	assay_str (*str)(const assay_json *v);
	assay_str (*spelling)(const assay_json *number);
	int64_t (*i64)(const assay_json *v, int64_t otherwise);
	double (*f64)(const assay_json *v, double otherwise);
	int (*boolean)(const assay_json *v, int otherwise);
	int (*equal)(const assay_json *a, const assay_json *b); /* deep equality as Python's ==; 1 or 0 */

	/* Building. The makers answer NULL when memory is out; set, append and insert take the value over even when
	 * they fail, and fail with ASSAY_ENOMEM when it is NULL: a chain of makers needs one check at its end. */
	assay_json *(*object)(void);
	assay_json *(*array)(void);
	assay_json *(*string)(assay_str s);
	assay_json *(*integer)(int64_t n);
	assay_json *(*real)(double d);
	assay_json *(*truth)(int b);
	assay_json *(*null)(void);
	assay_json *(*clone)(const assay_json *v);
	int (*set)(assay_json *object, const char *key,
		   assay_json *value); /* replaces a member of that name in place */
	int (*set_n)(assay_json *object, assay_str key, assay_json *value);
	int (*append)(assay_json *array, assay_json *value);
	assay_json *(*detach)(assay_json *object, const char *key); /* NULL when absent; the caller owns it now */
	void (*free)(assay_json *v);

	/* Since ABI 1.2. An object of members whose keys differ, made in one go; cheaper than to set one after another.
	 * Its values are taken over even when it fails: NULL when memory is out, also when a value is NULL. */
	assay_json *(*record)(const assay_member *members, size_t n);
	/* Since ABI 1.2. What is the same in many values, made once: v (taken over, in no container) is never changed
	 * from now on, and clones of it, and of values in it, share its memory. NULL when memory is out. */
	assay_json *(*freeze)(assay_json *v);
} assay_json_api;

static inline assay_member assay_with(const char *key, uint32_t kind)
{
	assay_member m;
	m.key = key;
	m.kind = kind;
	m.reserved = 0;
	m.text.ptr = 0;
	m.text.len = 0;
	m.integer = 0;
	m.real = 0;
	m.value = 0;
	m.copied = 0;
	return m;
}
static inline assay_member assay_with_copy(const char *key, const assay_json *v) /* NULL: null */
{
	assay_member m = assay_with(key, ASSAY_WITH_COPY);
	m.copied = v;
	return m;
}
static inline assay_member assay_with_text(const char *key, assay_str text)
{
	assay_member m = assay_with(key, ASSAY_WITH_TEXT);
	m.text = text;
	return m;
}
static inline assay_member assay_with_integer(const char *key, int64_t n)
{
	assay_member m = assay_with(key, ASSAY_WITH_INTEGER);
	m.integer = n;
	return m;
}
static inline assay_member assay_with_real(const char *key, double d) /* null for what is not finite */
{
	assay_member m = assay_with(key, ASSAY_WITH_REAL);
	m.real = d;
	return m;
}
static inline assay_member assay_with_truth(const char *key, int b)
{
	assay_member m = assay_with(key, ASSAY_WITH_TRUTH);
	m.integer = b;
	return m;
}
static inline assay_member assay_with_value(const char *key, assay_json *v) /* taken over */
{
	assay_member m = assay_with(key, ASSAY_WITH_VALUE);
	m.value = v;
	return m;
}

#ifdef __cplusplus
}
#endif
#endif
