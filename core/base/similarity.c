#include "core/base/similarity.h"

#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text as code points. */
typedef struct points {
	uint32_t *at;
	size_t n;
} points;

static bool decode(assay_str s, points *out)
{
	out->n = 0;
	out->at = as_new(s.len + 1, sizeof *out->at);
	if (!out->at) {
		return false;
	}
	for (size_t i = 0; i < s.len;) {
		out->at[out->n++] = as_utf8_next(s, &i);
	}
	return true;
}

/* Where each character stands in b, and the state of the search for the longest common block. */
typedef struct matcher {
	points a, b;
	uint32_t *chars; /* the distinct characters of b, sorted */
	uint32_t *
		starts; /* places[starts[k]] to places[starts[k + 1] - 1] belong to chars[k]; none when it is popular */
	uint32_t *places; /* ascending for each character */
	size_t n_chars;
	uint32_t *length; /* of the block that ends at b[j - 1], valid when row[j] is the row before the current one */
	uint64_t *row;
	uint64_t rows; /* counted over the whole run, so that nothing needs to be cleared between searches */
	uint64_t work;
} matcher;

typedef struct block {
	size_t a, b, size;
} block;

typedef struct region {
	size_t a_low, a_high, b_low, b_high;
} region;

/* Sorting (character, place) pairs as one number each puts the places of a character in order. */
static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static bool index_b(matcher *m)
{
	size_t n = m->b.n, popular = n >= 200 ? n / 100 + 1 : n; /* autojunk: used more often than that */
	uint64_t *pairs = as_new(n + 1, sizeof *pairs);
	size_t kept = 0;

	m->chars = as_new(n + 1, sizeof *m->chars);
	m->starts = as_new(n + 2, sizeof *m->starts);
	m->places = as_new(n + 1, sizeof *m->places);
	m->length = as_new(n + 1, sizeof *m->length);
	m->row = as_new(n + 1, sizeof *m->row);
	if (!pairs || !m->chars || !m->starts || !m->places || !m->length || !m->row) {
		free(pairs);
		return false;
	}
	for (size_t j = 0; j < n; j++) {
		pairs[j] = (uint64_t)m->b.at[j] << 32 | (uint32_t)j;
	}
	qsort(pairs, n, sizeof *pairs, by_value);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && pairs[end] >> 32 == pairs[i] >> 32; end++) {
		}
		m->chars[m->n_chars] = (uint32_t)(pairs[i] >> 32);
		m->starts[m->n_chars++] = (uint32_t)kept;
		for (size_t k = i; k < end && end - i <= popular; k++) {
			m->places[kept++] = (uint32_t)pairs[k];
		}
	}
	m->starts[m->n_chars] = (uint32_t)kept;
	free(pairs);
	return true;
}

/* Index of the first of n sorted values that is not below `value`. */
static size_t lower_bound(const uint32_t *values, size_t n, size_t value)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (values[middle] < value) {
			low = middle + 1;
		} else {
			n = middle;
		}
	}
	return low;
}

/* Places of c in b from `from` on; *n of them. */
static const uint32_t *places_of(const matcher *m, uint32_t c, size_t from, size_t *n)
{
	size_t k = lower_bound(m->chars, m->n_chars, c), skipped;
	const uint32_t *places;

	*n = 0;
	if (k == m->n_chars || m->chars[k] != c) {
		return m->places;
	}
	places = m->places + m->starts[k];
	*n = m->starts[k + 1] - m->starts[k];
	skipped = lower_bound(places, *n, from);
	*n -= skipped;
	return places + skipped;
}

/* Extend every block that ends before a[i] by a[i], and keep the longest, the earliest in a, then in b. */
static void scan_row(matcher *m, const region *r, size_t i, block *best)
{
	size_t n;
	const uint32_t *places = places_of(m, m->a.at[i], r->b_low, &n);
	size_t before = SIZE_MAX; /* the place handled last, whose entry of the row before is in `kept` */
	uint32_t kept = 0;

	m->rows++;
	m->work++;
	for (size_t k = 0; k < n && places[k] < r->b_high; k++) {
		size_t j = places[k];
		uint32_t diagonal = 0, own;

		m->work++;
		if (before + 1 == j) {
			diagonal = kept;
		} else if (j > 0 && m->row[j - 1] == m->rows - 1) {
			diagonal = m->length[j - 1];
		}
		own = m->row[j] == m->rows - 1 ? m->length[j] : 0;
		before = j;
		kept = own;
		m->length[j] = diagonal + 1;
		m->row[j] = m->rows;
		if (m->length[j] > best->size) {
			best->size = m->length[j];
			best->a = i + 1 - best->size;
			best->b = j + 1 - best->size;
		}
	}
}

static block longest(matcher *m, const region *r)
{
	block best = {r->a_low, r->b_low, 0};

	m->rows++; /* nothing reaches in from an earlier search */
	for (size_t i = r->a_low; i < r->a_high && m->work <= AS_RATIO_WORK; i++) {
		scan_row(m, r, i, &best);
	}
	/* Popular characters start no block but may lengthen one. */
	while (best.a > r->a_low && best.b > r->b_low && m->a.at[best.a - 1] == m->b.at[best.b - 1]) {
		best.a--;
		best.b--;
		best.size++;
	}
	while (best.a + best.size < r->a_high && best.b + best.size < r->b_high &&
	       m->a.at[best.a + best.size] == m->b.at[best.b + best.size]) {
		best.size++;
	}
	return best;
}

/* Characters in matching blocks; -1: no memory, -2: too much work. */
static int64_t matching(matcher *m)
{
	region *regions = NULL;
	size_t cap = 0, n = 0;
	int64_t total = 0;

	if (!as_grow(&regions, &cap, 1, sizeof *regions)) {
		return -1;
	}
	regions[n++] = (region){0, m->a.n, 0, m->b.n};
	while (n > 0) {
		region r = regions[--n];
		block found = longest(m, &r);

		if (m->work > AS_RATIO_WORK || !as_grow(&regions, &cap, n + 2, sizeof *regions)) {
			total = m->work > AS_RATIO_WORK ? -2 : -1;
			break;
		}
		if (found.size == 0) {
			continue;
		}
		total += (int64_t)found.size;
		if (found.a > r.a_low && found.b > r.b_low) {
			regions[n++] = (region){r.a_low, found.a, r.b_low, found.b};
		}
		if (found.a + found.size < r.a_high && found.b + found.size < r.b_high) {
			regions[n++] = (region){found.a + found.size, r.a_high, found.b + found.size, r.b_high};
		}
	}
	free(regions);
	return total;
}

double as_ratio(assay_str a, assay_str b)
{
	matcher m = {0};
	double ratio = -1;

	if (a.len >= UINT32_MAX || b.len >= UINT32_MAX) {
		return -2;
	}
	if (a.len == 0 && b.len == 0) {
		return 1;
	}
	if (decode(a, &m.a) && decode(b, &m.b) && index_b(&m)) {
		int64_t total = matching(&m);

		ratio = total < 0 ? (double)total : 2.0 * (double)total / (double)(m.a.n + m.b.n);
	}
	free(m.a.at);
	free(m.b.at);
	free(m.chars);
	free(m.starts);
	free(m.places);
	free(m.length);
	free(m.row);
	return ratio;
}

static int by_bytes(const void *x, const void *y)
{
	return as_str_cmp(*(const assay_str *)x, *(const assay_str *)y);
}

static bool is_token_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool as_word_set_of(assay_str s, as_word_set *out)
{
	size_t kept = 0;

	as_lower(&out->text, s);
	if (out->text.failed) {
		return false;
	}
	for (size_t i = 0; i < out->text.len;) {
		size_t start = i;

		while (i < out->text.len && is_token_byte(out->text.ptr[i])) {
			i++;
		}
		if (i - start >= 2) {
			if (!as_grow(&out->at, &out->cap, out->n + 1, sizeof *out->at)) {
				return false;
			}
			out->at[out->n++] = (assay_str){out->text.ptr + start, i - start};
		}
		i++; /* past what ended the run */
	}
	if (out->n == 0) {
		return true;
	}
	qsort(out->at, out->n, sizeof *out->at, by_bytes);
	for (size_t i = 0; i < out->n; i++) {
		if (kept == 0 || !as_str_eq(out->at[kept - 1], out->at[i])) {
			out->at[kept++] = out->at[i];
		}
	}
	out->n = kept;
	return true;
}

void as_word_set_free(as_word_set *w)
{
	as_buf_free(&w->text);
	free(w->at);
	*w = (as_word_set){0};
}

double as_jaccard(assay_str a, assay_str b)
{
	as_word_set x = {0}, y = {0};
	size_t common = 0;
	double result = -1;

	if (!as_word_set_of(a, &x) || !as_word_set_of(b, &y)) {
		goto out;
	}
	for (size_t i = 0, j = 0; i < x.n && j < y.n;) {
		int order = as_str_cmp(x.at[i], y.at[j]);

		common += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	result = x.n == 0 || y.n == 0 ? 0 : (double)common / (double)(x.n + y.n - common);
out:
	as_word_set_free(&x);
	as_word_set_free(&y);
	return result;
}

size_t as_edit_distance(assay_str a, assay_str b, size_t limit)
{
	points x = {0}, y = {0};
	size_t *row = NULL, distance = limit + 1;

	if (!decode(a, &x) || !decode(b, &y)) {
		goto out;
	}
	if ((x.n > y.n ? x.n - y.n : y.n - x.n) > limit) {
		goto out;
	}
	row = as_new(y.n + 1, sizeof *row);
	if (!row) {
		goto out;
	}
	for (size_t j = 0; j <= y.n; j++) {
		row[j] = j;
	}
	for (size_t i = 1; i <= x.n; i++) {
		size_t diagonal = row[0], least = i;

		row[0] = i;
		for (size_t j = 1; j <= y.n; j++) {
			size_t change = diagonal + (x.at[i - 1] != y.at[j - 1]);
			size_t insert = row[j - 1] + 1, leave = row[j] + 1;

			diagonal = row[j];
			row[j] = change < insert ? change : insert;
			row[j] = row[j] < leave ? row[j] : leave;
			least = row[j] < least ? row[j] : least;
		}
		if (least > limit) { /* it never gets smaller again */
			goto out;
		}
	}
	distance = row[y.n] > limit ? limit + 1 : row[y.n];
out:
	free(x.at);
	free(y.at);
	free(row);
	return distance;
}

/* Sixteen sums side by side: their order is fixed, whatever the compiler and the machine make of them. */
#define LANES 16u
#define HALF (LANES / 2)
typedef float lanes __attribute__((vector_size(HALF * sizeof(float))));
#define ALWAYS_INLINE inline __attribute__((always_inline)) /* into each of the machines it is compiled for */

static ALWAYS_INLINE double sum_of(const lanes *low, const lanes *high)
{
	double sum = 0;

	for (size_t k = 0; k < LANES; k++) {
		sum += (double)(k < HALF ? *low : *high)[k % HALF];
	}
	return sum;
}

static ALWAYS_INLINE void add_lanes(const float *a, const float *b, lanes *dot, lanes *aa, lanes *bb)
{
	lanes p, q;

	memcpy(&p, a, sizeof p);
	memcpy(&q, b, sizeof q);
	*dot += p * q;
	*aa += p * p;
	*bb += q * q;
}

static ALWAYS_INLINE double cosine(const float *a, const float *b, size_t n)
{
	lanes dot0 = {0}, dot1 = {0}, aa0 = {0}, aa1 = {0}, bb0 = {0}, bb1 = {0};
	double d, x, y;
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		/* Vectors mostly lie one behind the other, and waiting for memory is most of the work. Reading ahead of
		 * what is there does no harm. */
		__builtin_prefetch((const void *)((uintptr_t)(b + i) + n * sizeof *b));
		add_lanes(a + i, b + i, &dot0, &aa0, &bb0);
		add_lanes(a + i + HALF, b + i + HALF, &dot1, &aa1, &bb1);
	}
	d = sum_of(&dot0, &dot1);
	x = sum_of(&aa0, &aa1);
	y = sum_of(&bb0, &bb1);
	for (; i < n; i++) {
		d += (double)a[i] * (double)b[i];
		x += (double)a[i] * (double)a[i];
		y += (double)b[i] * (double)b[i];
	}
	return x > 0 && y > 0 ? d / (sqrt(x) * sqrt(y)) : 0.0;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static double cosine_wide(const float *a, const float *b, size_t n)
{
	return cosine(a, b, n);
}

double as_cosine(const float *a, const float *b, size_t n)
{
	return __builtin_cpu_supports("avx2") ? cosine_wide(a, b, n) : cosine(a, b, n);
}
#else
double as_cosine(const float *a, const float *b, size_t n)
{
	return cosine(a, b, n);
}
#endif
