/* The strict JSON layer: the only place in the tree that reads or writes JSON, and the only one that sees cJSON.
 * Semantics: sdk/assay/json.h (the same functions, named). */
#ifndef AS_JSON_H
#define AS_JSON_H

#include "core/base/memory.h"
#include <assay/json.h>

#define AS_JSON_MAX_DEPTH 256u               /* nesting accepted by default */
#define AS_JSON_MAX_BYTES ((size_t)32 << 20) /* document size accepted by default */

/* Profiles of the parser besides those of sdk/assay/json.h, for what Python programs write: NaN, Infinity and -Infinity
 * are numbers, without a value for as_json_f64, and null in the styles that spell numbers as they were read. */
#define AS_JSON_PYTHON 2u /* as json.loads: else like ASSAY_JSON_PEER */
#define AS_JSON_PYDANTIC                                                                                               \
	3u /* as pydantic's models: lone surrogates, integers with more than AS_JSON_MAX_DIGITS digits and             \
	      sign, and more than AS_JSON_PYDANTIC_DEPTH levels are errors */
#define AS_JSON_MAX_DIGITS 4300u
#define AS_JSON_PYDANTIC_DEPTH 201u

/* What the parser met and mended (all profiles but the strict one). */
typedef struct as_json_notes {
	bool duplicate_keys, lone_surrogates, nul;
	bool huge;      /* a number that is too large for a double */
	bool constants; /* NaN, Infinity or -Infinity */
} as_json_notes;

/* Members that are checked and not kept, of an object or of the elements of an array. The list ends with a NULL key. */
typedef struct as_json_without {
	assay_str key;                        /* "*", alone in its list: any key, or any element */
	const struct as_json_without *inside; /* what is left out of its value; NULL: all of it, of a member */
} as_json_without;
#define AS_JSON_WITHOUT(key, inside)                                                                                   \
	{                                                                                                              \
		{key, sizeof(key) - 1}, inside                                                                         \
	}
#define AS_JSON_WITHOUT_END                                                                                            \
	{                                                                                                              \
		{NULL, 0}, NULL                                                                                        \
	}

typedef struct as_json_limits {
	size_t max_bytes;               /* 0: AS_JSON_MAX_BYTES */
	uint32_t max_depth;             /* 0: AS_JSON_MAX_DEPTH */
	const as_json_without *without; /* NULL: all is kept */
	struct as_json_room *room;      /* NULL: the document has memory of its own */
} as_json_limits;

/* Memory that documents read one after another use again. Zero-initialise; the documents have to be freed before it.
 * Thread: one. */
typedef struct as_json_room {
	struct as_json_block *kept;
} as_json_room;
void as_json_room_free(as_json_room *room);
/* Zeroed memory for any type that goes with a parsed document; NULL when it is none, or memory is out. */
void *as_json_with(assay_json *document, size_t size);

/* Parse one document. On failure: ASSAY_EDATA (what was found and expected; line = line within text, detail = byte
 * offset), ASSAY_ELIMIT (size, depth), ASSAY_ENOMEM. limits and notes may be NULL. */
int as_json_parse(assay_str text, uint32_t profile, assay_json **out, assay_error *err);
int as_json_parse_with(assay_str text, uint32_t profile, const as_json_limits *limits, as_json_notes *notes,
		       assay_json **out, assay_error *err);

/* Read a file as one strict document; where = path. */
int as_json_read_file(const char *path, size_t max_bytes, assay_json **out, assay_error *err);
/* The same for a file that people wrote for an editor: comments, commas before a closing bracket and a byte order mark
 * are passed over. Lines are those of the file. */
int as_json_read_relaxed(const char *path, size_t max_bytes, assay_json **out, assay_error *err);

/* Append the text of v (NULL is written as null). */
void as_json_write(as_buf *b, const assay_json *v, uint32_t style);
int as_json_dump(const assay_json *v, uint32_t style, assay_text *out, assay_error *err);
void as_json_write_string(as_buf *b, assay_str s, bool ascii); /* one quoted string */
void as_json_write_integer(as_buf *b, int64_t n);              /* its decimal digits */
void as_json_write_double(as_buf *b,
			  double d); /* shortest digits that read back, as Python's repr: 1.0, 1e-05, 1e+16 */

int as_json_type(const assay_json *v);
const assay_json *as_json_get(const assay_json *object, const char *key);
const assay_json *as_json_get_n(const assay_json *object, assay_str key);
/* What a member has to be. */
typedef struct as_member_rule {
	assay_str key;
	int type;      /* ASSAY_JSON_...; ASSAY_JSON_NONE: any */
	bool required; /* else it may be null or missing, but not of another type */
} as_member_rule;
#define AS_MEMBER(key, type, required)                                                                                 \
	{                                                                                                              \
		{key, sizeof(key) - 1}, type, required                                                                 \
	}
/* Find members, in one pass over the object: found[i] belongs to rules[i], NULL when it is missing. It is quickest
 * where the rules stand in the object's order. */
void as_json_find(const assay_json *object, const as_member_rule *rules, size_t n, const assay_json **found);
const assay_json *as_json_at(const assay_json *array, size_t index);
const assay_json *as_json_pointer(const assay_json *v, const char *json_pointer);
const assay_json *as_json_first(const assay_json *container);
const assay_json *as_json_last(const assay_json *container);
const assay_json *as_json_next(const assay_json *v);
assay_str as_json_key(const assay_json *member);
size_t as_json_count(const assay_json *container);
assay_str as_json_str(const assay_json *v);
const char *as_json_cstr(const assay_json *v, const char *otherwise); /* NUL-terminated text of a string value */
assay_str as_json_spelling(const assay_json *number);
bool as_json_is_integer(const assay_json *v);                /* spelled without fraction and exponent */
int64_t as_json_i64(const assay_json *v, int64_t otherwise); /* 3.0 and 3e0 are 3, too */
double as_json_f64(const assay_json *v, double otherwise);
int as_json_boolean(const assay_json *v, int otherwise);
bool as_json_equal(const assay_json *a, const assay_json *b); /* Python ==: 1 == 1.0 == true, integers exact */
bool as_json_same(const assay_json *a,
		  const assay_json *b); /* JSON Schema's equality: 1 == 1.0, but true is no number */
int as_json_number_cmp(const assay_json *a,
		       const assay_json *b); /* order of two numbers, exact; both must be numbers */

/* 1-based line on which a value started in the text it was parsed from, 0 when unknown (built values). */
uint32_t as_json_line(const assay_json *v);
/* Forget the lines of v and all in it: for a value that stands in for what a file left out. */
void as_json_forget_lines(assay_json *v);

assay_json *as_json_object(void);
assay_json *as_json_array(void);
assay_json *as_json_string(assay_str s);
assay_json *as_json_cstring(const char *s); /* NULL gives JSON null */
assay_json *as_json_integer(int64_t n);
assay_json *as_json_number(assay_str spelling); /* NULL when it is no JSON number */
assay_json *as_json_real(double d);             /* NaN and infinities give null */
assay_json *as_json_truth(int b);
assay_json *as_json_null(void);
assay_json *as_json_clone(const assay_json *v);
int as_json_set(assay_json *object, const char *key, assay_json *value);
int as_json_set_n(assay_json *object, assay_str key, assay_json *value);
int as_json_append(assay_json *array, assay_json *value);
assay_json *as_json_record(const assay_member *members, size_t n);
assay_json *as_json_detach(assay_json *object, const char *key);
/* A member in the stead of the whole document, which is in no container, is not frozen and is taken over. What
 * as_json_detach copies out of a parsed document stays where it is, if that is small: of what is large, nothing is kept
 * that the member does not need. NULL: there is no such member, or memory is out. */
assay_json *as_json_narrow(assay_json *document, const char *key);
assay_json *as_json_take_first(assay_json *array); /* the first element, out of the array; NULL when it is empty */
void as_json_free(assay_json *v);

/* Freeze a value: neither it nor anything in it is changed from now on, and copies of it and of what lies in it share
 * its memory, whoever is freed first. A copy may be changed itself; what lies deeper in it may not (ASSAY_EINVAL). v,
 * which is in no container, is taken over; NULL when memory is out. Thread: any may copy, and change its own copy. */
assay_json *as_json_freeze(assay_json *v);
/* Are both of them the same frozen value, or copies of it? */
bool as_json_shares(const assay_json *a, const assay_json *b);

/* A copy of v within `room`, which has as_json_image_size bytes and fits any type. It goes with that memory, is never
 * freed and never changed. NULL for NULL. */
size_t as_json_image_size(const assay_json *v);
const assay_json *as_json_image(const assay_json *v, void *room);

/* The value, mutable, when the owner wants to change a part of its own tree. */
assay_json *as_json_edit(const assay_json *part);

/* The table for the host; an object of its own, so that the host's constant table can point to it. */
extern const assay_json_api as_json_table;
const assay_json_api *as_json_api(void);

/* JSON lines: one record after another, each bounded. */
typedef struct as_jsonl as_jsonl;
/* Open a file (or "-" for standard input). max_line 0: AS_JSON_MAX_BYTES. */
int as_jsonl_open(const char *path, size_t max_line, as_jsonl **out, assay_error *err);
/* The next non-blank line as text (borrowed until the next call) and its 1-based number. ASSAY_ENOENT at the end (err
 * untouched), ASSAY_ELIMIT for an over-long line (skipped: the next call goes on behind it). */
int as_jsonl_next(as_jsonl *r, assay_str *line, uint32_t *number, uint64_t *offset, assay_error *err);
/* The next line as a value, in a profile of the parser; number and offset may be NULL. A line that is no JSON is
 * ASSAY_EDATA (or ASSAY_ELIMIT) with where, line and the byte offset in the file as detail; reading may go on. */
int as_jsonl_next_value(as_jsonl *r, uint32_t profile, assay_json **out, uint32_t *number, uint64_t *offset,
			assay_error *err);
void as_jsonl_close(as_jsonl *r);

#endif
