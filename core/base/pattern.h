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
#define AS_PATTERN_MAX_RANGES 1000u  /* in one set, other cases included: PCRE2 looks through them one by one */
#define AS_PATTERN_MAX_REPEAT 65535u /* PCRE2's */

/* Append the PCRE2 pattern to out. own_words: do not use \w and \b of PCRE2, which take marks for word characters from
 * 10.43 on. *widest: ranges in its largest set. A callout numbered n stands before a reference to group n, 255
 * before one to a higher group or without regard to case; all others have number 0. ASSAY_EDATA: Python refuses the
 * pattern (detail = byte offset); ASSAY_ELIMIT: too long, deep or large. */
int as_pattern_translate(assay_str pattern, bool own_words, as_buf *out, size_t *widest, assay_error *err);

/* as_regex_compile (regex.c), with the choice that it leaves to PCRE2's version; both mean the same. For tests. */
int as_regex_compile_words(assay_str pattern, bool own_words, as_regex **out, assay_error *err);

#endif
