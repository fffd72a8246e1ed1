#include "core/base/error.h"
#include "core/base/similarity.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define K1 1.2
#define B 0.75

/* That a word stands `times` times in a document. */
typedef struct posting {
	uint32_t document, times;
} posting;

typedef struct word {
	char *text; /* ours */
	size_t len;
	uint64_t hash;
	posting *postings; /* by document, ascending */
	size_t n, cap;
} word;

struct assay_bm25 {
	word *words;
	size_t n_words, words_cap;
	uint32_t *slots; /* open hash table: index of a word plus one, 0 when free; a power of two, at most half full */
	size_t n_slots;
	uint32_t *lengths; /* words in each document */
	size_t n, lengths_cap;
	uint64_t total; /* of lengths */
};

int as_bm25_new(as_bm25 **out, assay_error *err)
{
	*out = as_new(1, sizeof **out);
	return *out ? 0 : as_fail_memory(err);
}

void as_bm25_free(as_bm25 *index)
{
	if (!index) {
		return;
	}
	for (size_t i = 0; i < index->n_words; i++) {
		free(index->words[i].text);
		free(index->words[i].postings);
	}
	free(index->words);
	free(index->slots);
	free(index->lengths);
	free(index);
}

size_t as_bm25_count(const as_bm25 *index)
{
	return index->n;
}

static uint64_t hash_of(assay_str s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < s.len; i++) {
		h = (h ^ (unsigned char)s.ptr[i]) * 1099511628211u;
	}
	return h ^ h >> 32;
}

/* The slot where the word is, or the free one where it would be. The table is not empty. */
static uint32_t *slot_of(const as_bm25 *index, assay_str s, uint64_t hash)
{
	size_t i = (size_t)hash & (index->n_slots - 1);

	for (;; i = (i + 1) & (index->n_slots - 1)) {
		const word *w;

		if (index->slots[i] == 0) {
			return &index->slots[i];
		}
		w = &index->words[index->slots[i] - 1];
		if (w->hash == hash && w->len == s.len && memcmp(w->text, s.ptr, s.len) == 0) {
			return &index->slots[i];
		}
	}
}

static bool grow_slots(as_bm25 *index)
{
	size_t n = index->n_slots ? 2 * index->n_slots : 1024;
	uint32_t *slots = as_new(n, sizeof *slots);

	if (!slots) {
		return false;
	}
	free(index->slots);
	index->slots = slots;
	index->n_slots = n;
	for (size_t i = 0; i < index->n_words; i++) {
		const word *w = &index->words[i];

		*slot_of(index, (assay_str){w->text, w->len}, w->hash) = (uint32_t)i + 1;
	}
	return true;
}

/* Count one more of a word in a document. */
static bool add_word(as_bm25 *index, assay_str s, uint32_t document)
{
	uint64_t hash = hash_of(s);
	uint32_t *slot;
	word *w;

	if (2 * (index->n_words + 1) > index->n_slots && !grow_slots(index)) {
		return false;
	}
	slot = slot_of(index, s, hash);
	if (*slot == 0) {
		char *text;

		if (!as_grow(&index->words, &index->words_cap, index->n_words + 1, sizeof *index->words)) {
			return false;
		}
		text = as_strndup(s);
		if (!text) {
			return false;
		}
		index->words[index->n_words] = (word){.text = text, .len = s.len, .hash = hash};
		*slot = (uint32_t)++index->n_words;
	}
	w = &index->words[*slot - 1];
	if (w->n == 0 || w->postings[w->n - 1].document != document) {
		if (!as_grow(&w->postings, &w->cap, w->n + 1, sizeof *w->postings)) {
			return false;
		}
		w->postings[w->n++] = (posting){document, 0};
	}
	w->postings[w->n - 1].times++;
	return true;
}

/* The next alphanumeric run of s from *i on; false when there is none. */
static bool next_word(assay_str s, size_t *i, assay_str *out)
{
	size_t start = s.len, at = *i;

	while (at < s.len) {
		size_t before = at;

		if (as_is_alnum(as_utf8_next(s, &at))) {
			start = start == s.len ? before : start;
		} else if (start != s.len) {
			*out = (assay_str){s.ptr + start, before - start};
			*i = at;
			return true;
		}
	}
	*out = (assay_str){s.len ? s.ptr + start : NULL, s.len - start};
	*i = s.len;
	return out->len > 0;
}

int as_bm25_add(as_bm25 *index, assay_str document, assay_error *err)
{
	as_buf text = {0};
	uint32_t number = (uint32_t)index->n, length = 0;
	assay_str s, w;
	int code = 0;

	if (index->n >= UINT32_MAX || document.len >= UINT32_MAX) {
		return as_fail(err, ASSAY_ELIMIT, "a document or the index is too large");
	}
	as_lower(&text, document);
	s = as_buf_str(&text);
	if (text.failed || !as_grow(&index->lengths, &index->lengths_cap, index->n + 1, sizeof *index->lengths)) {
		code = as_fail_memory(err);
		goto out;
	}
	/* Counted first: should memory run out below, the document is there, only with fewer words. */
	index->lengths[index->n++] = 0;
	for (size_t i = 0; next_word(s, &i, &w);) {
		if (!add_word(index, w, number)) {
			code = as_fail_memory(err);
			break;
		}
		length++;
	}
	index->lengths[number] = length;
	index->total += length;
out:
	as_buf_free(&text);
	return code;
}

static void add_scores(const as_bm25 *index, const word *w, double *scores)
{
	double n = (double)w->n;
	double idf = log(1 + ((double)index->n - n + 0.5) / (n + 0.5));
	double fixed = K1 * (1 - B), slope = K1 * B * (double)index->n / (double)index->total;

	for (size_t i = 0; i < w->n; i++) {
		const posting *p = &w->postings[i];
		double times = p->times;

		scores[p->document] +=
			idf * (K1 + 1) * times / (times + fixed + slope * (double)index->lengths[p->document]);
	}
}

int as_bm25_scores(const as_bm25 *index, assay_str query, double *scores, assay_error *err)
{
	as_buf text = {0};
	assay_str s, w;
	int code;

	for (size_t i = 0; i < index->n; i++) {
		scores[i] = 0;
	}
	as_lower(&text, query);
	s = as_buf_str(&text);
	code = as_buf_check(&text, err);
	for (size_t i = 0; code == 0 && index->n_slots > 0 && next_word(s, &i, &w);) {
		uint32_t slot = *slot_of(index, w, hash_of(w));

		if (slot != 0) {
			add_scores(index, &index->words[slot - 1], scores);
		}
	}
	as_buf_free(&text);
	return code;
}
