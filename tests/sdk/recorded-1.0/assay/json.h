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
#define ASSAY_JSON_CANONICAL 2u     /* keys sorted by code point, numbers normalised (reference page, section 2) */
#define ASSAY_JSON_PYTHON 3u        /* ", " and ": ", non-ASCII as \uXXXX, insertion order, numbers normalised */
#define ASSAY_JSON_PYTHON_RAW 4u    /* as PYTHON, non-ASCII raw */
#define ASSAY_JSON_PYTHON_SORTED 5u /* as PYTHON, keys sorted */

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
} assay_json_api;

#ifdef __cplusplus
}
#endif
#endif
