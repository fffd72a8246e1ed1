/* goalgen/template: words. */
#include "template.h"
#include <string.h>

static bool ascii_word(char c)
{
	return text_letter(c) || text_digit(c);
}

/* Does a new word begin at i, inside letters and digits? fooBar, HTTPServer. */
static bool hump(assay_str t, size_t i)
{
	bool low_before = (t.ptr[i - 1] >= 'a' && t.ptr[i - 1] <= 'z') || text_digit(t.ptr[i - 1]);
	bool low_after = i + 1 < t.len && t.ptr[i + 1] >= 'a' && t.ptr[i + 1] <= 'z';
	return text_upper(t.ptr[i]) && (low_before || (text_upper(t.ptr[i - 1]) && low_after));
}

void tmpl_split(struct text_arena *a, assay_str text, struct tmpl_words *out)
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
		char *p = i - from <= 40 ? text_alloc(a, i - from, 1) : NULL;
		for (size_t k = 0; p && k < i - from; k++) {
			p[k] = text_lower(text.ptr[from + k]);
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

assay_str tmpl_singular(struct text_arena *a, assay_str word)
{
	const char *tail;
	assay_str stem = stem_of(word, &tail);
	return *tail ? text_format(a, "%.*s%s", ASSAY_FMT(stem), tail) : stem;
}

assay_str tmpl_plural(struct text_arena *a, assay_str word)
{
	const char *tail;
	if (word.len == 0 || stem_of(word, &tail).len < word.len || ends(word, "data") || ends(word, "info")) {
		return word;
	}
	if (ends(word, "y") && word.len > 1 && !vowel(word.ptr[word.len - 2])) {
		return text_format(a, "%.*sies", (int)word.len - 1, word.ptr);
	}
	bool hissing = ends(word, "s") || ends(word, "x") || ends(word, "ch") || ends(word, "sh");
	return text_format(a, "%.*s%s", ASSAY_FMT(word), hissing ? "es" : "s");
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

assay_str tmpl_join(struct text_arena *a, const struct tmpl_words *words, size_t from)
{
	struct text_buf b = {.arena = a};
	for (size_t i = from; i < words->n; i++) {
		text_puts(&b, i > from ? " " : "");
		text_add(&b, words->list[i]);
	}
	return text_of(&b);
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
