/* How alike two texts are. Reference page sections 3 (difflib), 5.3 (Jaccard), 7.2 (diversity). Thread: any; a bm25
 * index is built by one thread and may then be read by many. */
#ifndef AS_SIMILARITY_H
#define AS_SIMILARITY_H

#include "core/base/memory.h"

/* difflib.SequenceMatcher(None, a, b).ratio() with default autojunk, over code points. Not symmetric. -1: no memory.
 * -2: the texts are so long and have so much in common that the search was given up after AS_RATIO_WORK steps. */
#define AS_RATIO_WORK 500000000u
double as_ratio(assay_str a, assay_str b);

/* The distinct [a-z0-9]{2,} runs of a lower-cased text, sorted. Zero-initialise; false: no memory. */
typedef struct as_word_set {
	as_buf text;
	assay_str *at; /* into text */
	size_t n, cap;
} as_word_set;
bool as_word_set_of(assay_str s, as_word_set *out);
void as_word_set_free(as_word_set *w);

/* Jaccard of the sets of [a-z0-9]{2,} runs in the lower-cased texts; 0 when a side is empty. -1: no memory. */
double as_jaccard(assay_str a, assay_str b);

/* Okapi BM25 (k1 = 1.2, b = 0.75; idf = ln(1 + (N - n + 0.5)/(n + 0.5))) over lower-cased alphanumeric words. A word
 * that the query holds twice counts twice. */
typedef struct assay_bm25 as_bm25; /* the SDK's name for it */
int as_bm25_new(as_bm25 **out, assay_error *err);
int as_bm25_add(as_bm25 *index, assay_str document, assay_error *err);
int as_bm25_scores(const as_bm25 *index, assay_str query, double *scores, assay_error *err); /* one per document */
size_t as_bm25_count(const as_bm25 *index);
void as_bm25_free(as_bm25 *index);

/* dot / (|a| |b|) of two vectors, in a fixed order of additions; 0 when one is all zeros. */
double as_cosine(const float *a, const float *b, size_t n);

/* Edit distance of two short texts in code points, or `limit` + 1 when it is larger (or memory is out). */
size_t as_edit_distance(assay_str a, assay_str b, size_t limit);

#endif
