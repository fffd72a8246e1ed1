/* llm/heuristic: strings and words. */
#include "heuristic.h"
#include <stdlib.h>
#include <string.h>

/* --- Characters and strings --- */

bool heur_alpha(char c)
{
	return text_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

assay_str heur_sub(assay_str s, size_t from, size_t to)
{
	to = to > s.len ? s.len : to;
	return from < to ? (assay_str){s.ptr + from, to - from} : (assay_str){0};
}

bool heur_number(assay_str s, double *out)
{
	size_t i = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'), digits = 0;
	bool point = false;
	if (s.len > 40) {
		return false;
	}
	for (; i < s.len; i++) {
		if (text_digit(s.ptr[i])) {
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

assay_str heur_stem(struct text_arena *a, assay_str word)
{
	assay_str copy = text_copy(a, word);
	char *w = (char *)copy.ptr; /* ours: just made */
	size_t n = copy.len;
	for (size_t i = 0; i < n; i++) {
		w[i] = text_lower(w[i]);
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

static void add_word(struct text_arena *a, struct heur_words *out, assay_str text, size_t from, size_t to)
{
	struct heur_word *w =
		out->n < HEUR_MAX_WORDS ? text_push(a, &out->list, &out->n, &out->cap, sizeof *out->list) : NULL;
	if (!w) {
		return;
	}
	assay_str word = heur_sub(text, from, to), lower = text_copy(a, word);
	for (size_t i = 0; i < lower.len; i++) {
		((char *)lower.ptr)[i] = text_lower(lower.ptr[i]);
	}
	*w = (struct heur_word){.stem = heur_stem(a, word), .lower = lower, .from = from, .to = to};
}

void heur_split(struct text_arena *a, assay_str text, struct heur_words *out)
{
	for (size_t i = 0; i < text.len;) {
		size_t from = i;
		while (i < text.len &&
		       (text_word_byte(text.ptr[i]) ||
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

void heur_split_name(struct text_arena *a, assay_str name, struct heur_words *out)
{
	for (size_t i = 0; i < name.len;) {
		size_t from = i;
		if (!heur_alpha(name.ptr[i]) && !text_digit(name.ptr[i])) {
			i++;
			continue;
		}
		for (i++; i < name.len && (heur_alpha(name.ptr[i]) || text_digit(name.ptr[i])); i++) {
			char before = name.ptr[i - 1];
			bool rises = text_upper(name.ptr[i]) && !text_upper(before);
			bool falls = text_upper(name.ptr[i]) && i + 1 < name.len && text_upper(before) &&
				     heur_alpha(name.ptr[i + 1]) && !text_upper(name.ptr[i + 1]);
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
		if (text_same(words->list[i].stem, stem)) {
			return true;
		}
	}
	return false;
}

bool heur_has_any(const struct heur_words *words, const char *const *stems)
{
	for (size_t i = 0; i < words->n; i++) {
		if (text_in(words->list[i].stem, stems) || text_in(words->list[i].lower, stems)) {
			return true;
		}
	}
	return false;
}
