/* Regular expressions by PCRE2 under match limits, behaving as Python's re.search in the cases of reference page 4.3.
 * Thread: a compiled pattern may be used by many threads. */
#ifndef AS_REGEX_H
#define AS_REGEX_H

#include "core/base/memory.h"

typedef struct as_regex as_regex;

/* ASSAY_EDATA: Python would refuse it (message says why, detail = offset). ASSAY_ELIMIT: too long, deep or large for us
 * (core/base/pattern.h has the numbers). Characters by name, \N{...}, are the one thing of Python's that is not read.
 */
int as_regex_compile(assay_str pattern, as_regex **out, assay_error *err);
/* 1 found, 0 not found, ASSAY_ELIMIT when the work or memory allowed for one search was used up: AS_REGEX_WORK steps
 * plus 4 a byte of subject (half a second or so), and AS_REGEX_HEAP_KIB. The same search always ends the same way.
 * Bytes that are no UTF-8 are taken for U+FFFD. */
#define AS_REGEX_WORK 20000000u
#define AS_REGEX_HEAP_KIB 262144u
int as_regex_search(const as_regex *re, assay_str subject, assay_error *err);
/* The same out of a stock of steps for many searches, which it lessens; detail is AS_REGEX_STOCK when that ended it.
 * The 4 a byte of subject come on top. */
#define AS_REGEX_STOCK 1
int as_regex_search_within(const as_regex *re, assay_str subject, uint64_t *stock, assay_error *err);
void as_regex_free(as_regex *re);

/* Compile, search, free. A pattern that does not compile is ASSAY_EDATA. */
int as_regex_once(assay_str pattern, assay_str subject, assay_error *err);

#endif
