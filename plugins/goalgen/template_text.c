/* goalgen/template: memory, strings and words. */
#include "template.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- Memory --------------------------------------------------------------------------------------------------------
 */

struct tmpl_block {
	struct tmpl_block *next;
	size_t used, size;
	max_align_t data[];
};

#define BLOCK_SIZE ((size_t)64 << 10)

void *tmpl_alloc(struct tmpl_arena *a, size_t count, size_t size)
{
	if (a->failed || (size > 0 && count > (SIZE_MAX / 2) / size)) {
		a->failed = true;
		return NULL;
	}
	size_t unit = _Alignof(max_align_t), need = (count * size + unit) / unit * unit;
	if (!a->head || a->head->size - a->head->used < need) {
		size_t room = need > BLOCK_SIZE ? need : BLOCK_SIZE;
		struct tmpl_block *b = a->host->alloc(sizeof *b + room);
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

void tmpl_arena_free(struct tmpl_arena *a)
{
	while (a->head) {
		struct tmpl_block *next = a->head->next;
		a->host->free(a->head);
		a->head = next;
	}
}

assay_str tmpl_copy(struct tmpl_arena *a, assay_str s)
{
	char *p = tmpl_alloc(a, s.len + 1, 1);
	if (!p) {
		return (assay_str){0};
	}
	if (s.len > 0) {
		memcpy(p, s.ptr, s.len);
	}
	return (assay_str){p, s.len};
}

assay_str tmpl_format(struct tmpl_arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	char *p = n < 0 ? NULL : tmpl_alloc(a, (size_t)n + 1, 1);
	if (p) {
		vsnprintf(p, (size_t)n + 1, format, again);
	}
	va_end(again);
	va_end(args);
	return p ? (assay_str){p, (size_t)n} : (assay_str){0};
}

void *tmpl_push(struct tmpl_arena *a, void *items, size_t *n, size_t *cap, size_t size)
{
	char *old;
	memcpy(&old, items, sizeof old);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		char *grown = tmpl_alloc(a, more, size);
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

void tmpl_add(struct tmpl_buf *b, assay_str s)
{
	if (s.len >= b->cap - b->len) {
		size_t cap = (b->cap + s.len) * 2 + 64;
		char *grown = tmpl_alloc(b->arena, cap, 1);
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

void tmpl_puts(struct tmpl_buf *b, const char *s)
{
	tmpl_add(b, tmpl_cstr(s));
}

assay_str tmpl_text(const struct tmpl_buf *b)
{
	return (assay_str){b->ptr, b->len};
}

/* --- Strings -------------------------------------------------------------------------------------------------------
 */

assay_str tmpl_cstr(const char *s)
{
	return (assay_str){s, strlen(s)};
}

bool tmpl_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

char tmpl_lower(char c)
{
	return upper(c) ? (char)(c - 'A' + 'a') : c;
}

bool tmpl_letter(char c)
{
	return upper(c) || (c >= 'a' && c <= 'z');
}

/* Bytes of other scripts count as letters, so that a word is never cut inside a character. */
static bool word_byte(char c)
{
	return tmpl_letter(c) || tmpl_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

bool tmpl_same(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same_fold(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (tmpl_lower(a[i]) != tmpl_lower(b[i])) {
			return false;
		}
	}
	return true;
}

bool tmpl_same_fold(assay_str a, assay_str b)
{
	return a.len == b.len && same_fold(a.ptr, b.ptr, a.len);
}

bool tmpl_is(assay_str a, const char *b)
{
	return tmpl_same(a, tmpl_cstr(b));
}

bool tmpl_in(assay_str a, const char *const *list)
{
	for (; *list; list++) {
		if (tmpl_is(a, *list)) {
			return true;
		}
	}
	return false;
}

bool tmpl_starts(assay_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.len >= n && same_fold(s.ptr, prefix, n);
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

assay_str tmpl_trim(assay_str s)
{
	while (s.len > 0 && blank(s.ptr[s.len - 1])) {
		s.len--;
	}
	while (s.len > 0 && blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	return s;
}

size_t tmpl_find_word(assay_str hay, assay_str needle)
{
	for (size_t i = 0; needle.len > 0 && i + needle.len <= hay.len; i++) {
		size_t end = i + needle.len;
		bool starts = i == 0 || !word_byte(hay.ptr[i - 1]) || !word_byte(needle.ptr[0]);
		bool ends = end == hay.len || !word_byte(hay.ptr[end]) || !word_byte(needle.ptr[needle.len - 1]);
		if (starts && ends && same_fold(hay.ptr + i, needle.ptr, needle.len)) {
			return i;
		}
	}
	return SIZE_MAX;
}

/* --- Words ---------------------------------------------------------------------------------------------------------
 */

static bool ascii_word(char c)
{
	return tmpl_letter(c) || tmpl_digit(c);
}

/* Does a new word begin at i, inside letters and digits? fooBar, HTTPServer. */
static bool hump(assay_str t, size_t i)
{
	bool low_before = (t.ptr[i - 1] >= 'a' && t.ptr[i - 1] <= 'z') || tmpl_digit(t.ptr[i - 1]);
	bool low_after = i + 1 < t.len && t.ptr[i + 1] >= 'a' && t.ptr[i + 1] <= 'z';
	return upper(t.ptr[i]) && (low_before || (upper(t.ptr[i - 1]) && low_after));
}

void tmpl_split(struct tmpl_arena *a, assay_str text, struct tmpl_words *out)
{
	out->n = 0;
	for (size_t i = 0; i < text.len && out->n < TMPL_MAX_WORDS;) {
		size_t from = i;
		while (i < text.len && ascii_word(text.ptr[i]) && (i == from || !hump(text, i))) {
			i++;
		}
		if (i == from) {
			i++;
			continue;
		}
		char *p = i - from <= 40 ? tmpl_alloc(a, i - from, 1) : NULL;
		for (size_t k = 0; p && k < i - from; k++) {
			p[k] = tmpl_lower(text.ptr[from + k]);
		}
		if (p) {
			out->list[out->n++] = (assay_str){p, i - from};
		}
	}
}

static bool ends(assay_str s, const char *tail)
{
	size_t n = strlen(tail);
	return s.len > n && memcmp(s.ptr + s.len - n, tail, n) == 0;
}

static bool vowel(char c)
{
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

/* The bytes of the singular that the word and its plural share, and what follows them. */
static assay_str stem_of(assay_str w, const char **tail)
{
	*tail = "";
	if (w.len <= 3 || ends(w, "ss") || ends(w, "us") || ends(w, "is")) {
		return w;
	}
	if (ends(w, "ies")) {
		*tail = "y";
		w.len -= 3;
	} else if (ends(w, "ses") || ends(w, "xes") || ends(w, "ches") || ends(w, "shes")) {
		/* "buses" is rare in names, "databases" and "houses" are not */
		w.len -= ends(w, "ses") && !ends(w, "sses") ? 1 : 2;
	} else if (ends(w, "s")) {
		w.len--;
	}
	return w;
}

assay_str tmpl_singular(struct tmpl_arena *a, assay_str word)
{
	const char *tail;
	assay_str stem = stem_of(word, &tail);
	return *tail ? tmpl_format(a, "%.*s%s", ASSAY_FMT(stem), tail) : stem;
}

assay_str tmpl_plural(struct tmpl_arena *a, assay_str word)
{
	const char *tail;
	if (word.len == 0 || stem_of(word, &tail).len < word.len || ends(word, "data") || ends(word, "info")) {
		return word;
	}
	if (ends(word, "y") && word.len > 1 && !vowel(word.ptr[word.len - 2])) {
		return tmpl_format(a, "%.*sies", (int)word.len - 1, word.ptr);
	}
	bool hissing = ends(word, "s") || ends(word, "x") || ends(word, "ch") || ends(word, "sh");
	return tmpl_format(a, "%.*s%s", ASSAY_FMT(word), hissing ? "es" : "s");
}

bool tmpl_same_stem(assay_str a, assay_str b)
{
	const char *tail_a, *tail_b;
	assay_str x = stem_of(a, &tail_a), y = stem_of(b, &tail_b);
	if (x.len + strlen(tail_a) != y.len + strlen(tail_b)) {
		return false;
	}
	size_t shared = x.len < y.len ? x.len : y.len;
	if (shared == 0) {
		return a.len == b.len;
	}
	if (memcmp(x.ptr, y.ptr, shared) != 0) {
		return false;
	}
	return x.len == y.len || (x.len < y.len ? y.ptr[y.len - 1] == *tail_a : x.ptr[x.len - 1] == *tail_b);
}

bool tmpl_has(const struct tmpl_words *words, assay_str stem)
{
	for (size_t i = 0; i < words->n; i++) {
		if (tmpl_same_stem(words->list[i], stem)) {
			return true;
		}
	}
	return false;
}

assay_str tmpl_join(struct tmpl_arena *a, const struct tmpl_words *words, size_t from)
{
	struct tmpl_buf b = {.arena = a};
	for (size_t i = from; i < words->n; i++) {
		tmpl_puts(&b, i > from ? " " : "");
		tmpl_add(&b, words->list[i]);
	}
	return tmpl_text(&b);
}

assay_str tmpl_last_word(assay_str phrase)
{
	size_t at = phrase.len;
	if (at == 0) {
		return phrase;
	}
	while (at > 0 && phrase.ptr[at - 1] != ' ') {
		at--;
	}
	return (assay_str){phrase.ptr + at, phrase.len - at};
}
