/* Text as the scores need it: UTF-8, and Python's idea of white space, lower case and str(). Reference page sections 3,
 * 4.1 and 5.3. Thread: any. */
#ifndef AS_TEXT_H
#define AS_TEXT_H

#include "core/base/memory.h"

/* One code point from s at *i (advanced); invalid bytes come out one by one as U+FFFD, the JSON layer's NUL (C0 80) as
 * 0.
 */
uint32_t as_utf8_next(assay_str s, size_t *i);
size_t as_utf8_put(char out[4], uint32_t code_point); /* bytes written; what is no character becomes U+FFFD */
size_t as_utf8_length(assay_str s);                   /* in code points */
/* Bytes of the longest prefix with at most `n` code points. */
size_t as_utf8_prefix(assay_str s, size_t n);
/* Bytes of the longest prefix of whole characters that has at most `bytes` of them. */
size_t as_utf8_within(assay_str s, size_t bytes);
/* A text in an array of `size` bytes, with its NUL: as much of it as fits, in whole characters. */
void as_utf8_cut(char *out, size_t size, assay_str s);
/* Offset of the first byte that is not part of valid UTF-8 (C0 80 is not), or s.len. */
size_t as_utf8_check(assay_str s);

bool as_is_space(uint32_t code_point);       /* Python's str.isspace set: 29 characters */
bool as_is_alnum(uint32_t code_point);       /* Python's str.isalnum */
void as_lower(as_buf *out, assay_str s);     /* full Unicode lower case with final sigma, as Python's str.lower */
void as_normalise(as_buf *out, assay_str s); /* trim, lower-case, collapse white space */
assay_str as_trim(assay_str s);

/* Text fit for a terminal: control characters become U+FFFD, newlines and tabs a space. */
void as_printable(as_buf *out, assay_str s);

/* Names: "getUserID" and "get_user-id" alike become "get user id" (lower-case words, single spaces). */
void as_words(as_buf *out, assay_str name);

#endif
