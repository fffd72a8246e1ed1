/* llm/heuristic: memory, strings and words. */
#include "heuristic.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Memory --- */

struct heur_block {
	struct heur_block *next;
	size_t used, size;
	max_align_t data[];
};

#define BLOCK_SIZE ((size_t)64 << 10)

void *heur_alloc(struct heur_arena *a, size_t count, size_t size)
{
	if (a->failed || (size > 0 && count > (SIZE_MAX / 2) / size)) {
		a->failed = true;
		return NULL;
	}
	size_t need = count * size + (count * size == 0);
	need = (need + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
	if (!a->head || a->head->size - a->head->used < need) {
		size_t room = need > BLOCK_SIZE ? need : BLOCK_SIZE;
		struct heur_block *b = a->host->alloc(sizeof *b + room);
		if (!b) {
			a->failed = true;
			return NULL;
		}
		b->next = a->head;
		b->size = room;
		a->head = b;
	}
	void *p = (char *)a->head->data + a->head->used;
	a->head->used += need;
	return p;
}

void heur_arena_free(struct heur_arena *a)
{
	while (a->head) {
		struct heur_block *next = a->head->next;
		a->host->free(a->head);
		a->head = next;
	}
}

assay_str heur_copy(struct heur_arena *a, assay_str s)
{
	char *p = heur_alloc(a, s.len + 1, 1);
	if (!p) {
		return (assay_str){0};
	}
	if (s.len > 0) {
		memcpy(p, s.ptr, s.len);
	}
	return (assay_str){p, s.len};
}

assay_str heur_format(struct heur_arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	char *p = n < 0 ? NULL : heur_alloc(a, (size_t)n + 1, 1);
	if (p) {
		vsnprintf(p, (size_t)n + 1, format, again);
	}
	va_end(again);
	va_end(args);
	return p ? (assay_str){p, (size_t)n} : (assay_str){0};
}

void *heur_push(struct heur_arena *a, void *items, size_t *n, size_t *cap, size_t size)
{
	char *old;
	memcpy(&old, items, sizeof old);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		char *grown = heur_alloc(a, more, size);
		if (!grown) {
			return NULL;
		}
		if (*n > 0) {
			memcpy(grown, old, *n * size);
		}
		memcpy(items, &grown, sizeof grown);
		*cap = more;
		old = grown;
	}
	return old + (*n)++ * size;
}

void heur_add(struct heur_buf *b, assay_str s)
{
	if (s.len >= b->cap - b->len) {
		size_t cap = (b->cap + s.len) * 2 + 64;
		char *grown = heur_alloc(b->arena, cap, 1);
		if (!grown) {
			return;
		}
		if (b->len > 0) {
			memcpy(grown, b->ptr, b->len);
		}
		b->ptr = grown;
		b->cap = cap;
	}
	if (s.len > 0) {
		memcpy(b->ptr + b->len, s.ptr, s.len);
	}
	b->len += s.len;
	b->ptr[b->len] = '\0';
}

void heur_puts(struct heur_buf *b, const char *s)
{
	heur_add(b, (assay_str){s, strlen(s)});
}

assay_str heur_text(const struct heur_buf *b)
{
	return (assay_str){b->ptr, b->len};
}

/* --- Characters and strings --- */

bool heur_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool heur_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

bool heur_alpha(char c)
{
	return heur_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

char heur_lower(char c)
{
	return heur_upper(c) ? (char)(c - 'A' + 'a') : c;
}

bool heur_word_byte(char c)
{
	return heur_alpha(c) || heur_digit(c) || c == '_';
}

bool heur_same(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool heur_is(assay_str a, const char *b)
{
	size_t i = 0;
	while (i < a.len && b[i] == a.ptr[i] && b[i] != '\0') {
		i++; /* mostly over at the first letter: no strlen */
	}
	return i == a.len && b[i] == '\0';
}

static bool same_fold_n(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (heur_lower(a[i]) != heur_lower(b[i])) {
			return false;
		}
	}
	return true;
}

bool heur_same_fold(assay_str a, assay_str b)
{
	return a.len == b.len && same_fold_n(a.ptr, b.ptr, a.len);
}

bool heur_starts(assay_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.len >= n && same_fold_n(s.ptr, prefix, n);
}

size_t heur_find_word(assay_str hay, assay_str needle)
{
	if (needle.len == 0 || needle.len > hay.len) {
		return SIZE_MAX;
	}
	for (size_t i = 0; i + needle.len <= hay.len; i++) {
		bool starts = i == 0 || !heur_word_byte(hay.ptr[i - 1]) || !heur_word_byte(needle.ptr[0]);
		size_t end = i + needle.len;
		if (starts && same_fold_n(hay.ptr + i, needle.ptr, needle.len) &&
		    (end == hay.len || !heur_word_byte(hay.ptr[end]) || !heur_word_byte(needle.ptr[needle.len - 1]))) {
			return i;
		}
	}
	return SIZE_MAX;
}

assay_str heur_sub(assay_str s, size_t from, size_t to)
{
	to = to > s.len ? s.len : to;
	return from < to ? (assay_str){s.ptr + from, to - from} : (assay_str){0};
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

assay_str heur_trim(assay_str s)
{
	while (s.len > 0 && blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && blank(s.ptr[s.len - 1])) {
		s.len--;
	}
	return s;
}

size_t heur_cut(assay_str s, size_t max)
{
	if (s.len <= max) {
		return s.len;
	}
	while (max > 0 && ((unsigned char)s.ptr[max] & 0xC0) == 0x80) {
		max--;
	}
	return max;
}

bool heur_number(assay_str s, double *out)
{
	size_t i = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'), digits = 0;
	bool point = false;
	if (s.len > 40) {
		return false;
	}
	for (; i < s.len; i++) {
		if (heur_digit(s.ptr[i])) {
			digits++;
		} else if (s.ptr[i] == '.' && !point && digits > 0 && i + 1 < s.len) {
			point = true;
		} else {
			return false;
		}
	}
	if (digits == 0) {
		return false;
	}
	char text[48];
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	*out = strtod(text, NULL);
	return true;
}

/* --- Words --- */

bool heur_in(assay_str word, const char *const *list)
{
	for (; *list; list++) {
		if (heur_is(word, *list)) {
			return true;
		}
	}
	return false;
}

static bool ends(const char *w, size_t n, const char *tail)
{
	size_t t = strlen(tail);
	return n >= t && memcmp(w + n - t, tail, t) == 0;
}

static size_t strip_plural(char *w, size_t n)
{
	if (n > 4 && ends(w, n, "ies")) {
		w[n - 3] = 'y';
		return n - 2;
	}
	if (n > 4 && (ends(w, n, "sses") || ends(w, n, "xes") || ends(w, n, "ches") || ends(w, n, "shes"))) {
		return n - 2;
	}
	if (n > 3 && ends(w, n, "s") && !ends(w, n, "ss") && !ends(w, n, "us") && !ends(w, n, "is")) {
		return n - 1;
	}
	return n;
}

assay_str heur_stem(struct heur_arena *a, assay_str word)
{
	assay_str copy = heur_copy(a, word);
	char *w = (char *)copy.ptr; /* ours: just made */
	size_t n = copy.len;
	for (size_t i = 0; i < n; i++) {
		w[i] = heur_lower(w[i]);
	}
	if (n > 2 && ends(w, n, "'s")) {
		n -= 2;
	}
	if (n >= 6 && ends(w, n, "ed") && !ends(w, n, "eed")) {
		n--; /* titled: title */
		if (n >= 5 && w[n - 2] == w[n - 3]) {
			n -= 2; /* tagged: tag */
		}
	} else {
		n = strip_plural(w, n);
	}
	if (n >= 5 && w[n - 1] == 'e') {
		n--; /* create and created, purchase and purchased */
	}
	return (assay_str){copy.ptr, n};
}

static void add_word(struct heur_arena *a, struct heur_words *out, assay_str text, size_t from, size_t to)
{
	struct heur_word *w =
		out->n < HEUR_MAX_WORDS ? heur_push(a, &out->list, &out->n, &out->cap, sizeof *out->list) : NULL;
	if (!w) {
		return;
	}
	assay_str word = heur_sub(text, from, to), lower = heur_copy(a, word);
	for (size_t i = 0; i < lower.len; i++) {
		((char *)lower.ptr)[i] = heur_lower(lower.ptr[i]);
	}
	*w = (struct heur_word){.stem = heur_stem(a, word), .lower = lower, .from = from, .to = to};
}

void heur_split(struct heur_arena *a, assay_str text, struct heur_words *out)
{
	for (size_t i = 0; i < text.len;) {
		size_t from = i;
		while (i < text.len &&
		       (heur_word_byte(text.ptr[i]) ||
			(text.ptr[i] == '\'' && i > from && i + 1 < text.len && heur_alpha(text.ptr[i + 1])))) {
			i++;
		}
		if (i > from) {
			add_word(a, out, text, from, i);
		} else {
			i++;
		}
	}
}

void heur_split_name(struct heur_arena *a, assay_str name, struct heur_words *out)
{
	for (size_t i = 0; i < name.len;) {
		size_t from = i;
		if (!heur_alpha(name.ptr[i]) && !heur_digit(name.ptr[i])) {
			i++;
			continue;
		}
		for (i++; i < name.len && (heur_alpha(name.ptr[i]) || heur_digit(name.ptr[i])); i++) {
			char before = name.ptr[i - 1];
			bool rises = heur_upper(name.ptr[i]) && !heur_upper(before);
			bool falls = heur_upper(name.ptr[i]) && i + 1 < name.len && heur_upper(before) &&
				     heur_alpha(name.ptr[i + 1]) && !heur_upper(name.ptr[i + 1]);
			if (rises || falls) {
				break;
			}
		}
		add_word(a, out, name, from, i);
	}
}

bool heur_has(const struct heur_words *words, assay_str stem)
{
	for (size_t i = 0; i < words->n; i++) {
		if (heur_same(words->list[i].stem, stem)) {
			return true;
		}
	}
	return false;
}

bool heur_has_any(const struct heur_words *words, const char *const *stems)
{
	for (size_t i = 0; i < words->n; i++) {
		if (heur_in(words->list[i].stem, stems) || heur_in(words->list[i].lower, stems)) {
			return true;
		}
	}
	return false;
}
