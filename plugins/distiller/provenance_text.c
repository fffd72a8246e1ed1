/* distiller/provenance: what texts, names and numbers look like. */
#include "provenance.h"
#include <string.h>

assay_str prov_sub(assay_str s, size_t from, size_t to)
{
	return (assay_str){s.ptr ? s.ptr + from : "", to - from};
}

size_t prov_find(assay_str hay, assay_str needle, size_t from)
{
	while (needle.len > 0 && from <= hay.len && hay.len - from >= needle.len) {
		const char *p = memchr(hay.ptr + from, needle.ptr[0], hay.len - from - needle.len + 1);
		if (!p) {
			break;
		}
		if (memcmp(p, needle.ptr, needle.len) == 0) {
			return (size_t)(p - hay.ptr);
		}
		from = (size_t)(p - hay.ptr) + 1;
	}
	return PROV_NONE;
}

/* Is the character that starts at byte i part of a word? Of what is not ASCII everything is, but for Latin-1 signs,
 * general punctuation, currency signs and CJK punctuation. */
static bool word_at(assay_str s, size_t i)
{
	unsigned char c = (unsigned char)s.ptr[i], d = i + 1 < s.len ? (unsigned char)s.ptr[i + 1] : 0;
	if (c < 0x80) {
		return text_digit((char)c) || text_letter((char)c) || c == '_';
	}
	return !(c == 0xC2 && d < 0xC0) && !(c == 0xE2 && d >= 0x80 && d <= 0x82) && !(c == 0xE3 && d == 0x80);
}

static bool word_before(assay_str s, size_t i)
{
	size_t back = 0;
	while (i > 0 && back < 4) {
		i--;
		back++;
		if (((unsigned char)s.ptr[i] & 0xC0u) != 0x80u) {
			return word_at(s, i);
		}
	}
	return back > 0;
}

size_t prov_find_word(assay_str hay, assay_str needle, size_t from)
{
	size_t at = prov_find(hay, needle, from);
	for (; at != PROV_NONE; at = prov_find(hay, needle, at + 1)) {
		size_t end = at + needle.len;
		bool left = !word_at(hay, at) || !word_before(hay, at);
		bool right = end == hay.len || !word_before(hay, end) || !word_at(hay, end);
		if (left && right) {
			return at;
		}
	}
	return PROV_NONE;
}

bool prov_has_digit(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (text_digit(s.ptr[i])) {
			return true;
		}
	}
	return false;
}

bool prov_has_space(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (text_blank(s.ptr[i])) {
			return true;
		}
	}
	return false;
}

bool prov_is_id(assay_str s)
{
	return s.len >= 2 && s.len <= 80 && prov_has_digit(s) && !prov_has_space(s) && !memchr(s.ptr, '/', s.len) &&
	       !memchr(s.ptr, '\\', s.len);
}

/* Length of the run of digits at i. */
static size_t digits(assay_str s, size_t i)
{
	size_t n = 0;
	while (i + n < s.len && text_digit(s.ptr[i + n])) {
		n++;
	}
	return n;
}

bool prov_is_date(assay_str s)
{
	size_t a, b, c;
	if (s.len > 0 && (s.ptr[0] == '+' || s.ptr[0] == '-')) {
		s = prov_sub(s, 1, s.len);
	}
	a = digits(s, 0);
	if (a == 0 || a > 4 || a == s.len) {
		return false;
	}
	b = digits(s, a + 1);
	if (s.ptr[a] == ':') {
		return a <= 2 && b == 2; /* a time or an offset */
	}
	if (s.ptr[a] != '-' && s.ptr[a] != '/' && s.ptr[a] != '.') {
		return false;
	}
	c = a + 1 + b;
	if (a == 4) {
		return b >= 1 && b <= 2 && s.ptr[a] != '.' && (c == s.len || s.ptr[c] == s.ptr[a] || s.ptr[c] == 'T');
	}
	return a <= 2 && b >= 1 && b <= 2 && c < s.len && s.ptr[c] == s.ptr[a] &&
	       (digits(s, c + 1) == 2 || digits(s, c + 1) == 4);
}

assay_str prov_words(struct text_arena *a, assay_str name)
{
	struct text_buf out = {.arena = a};
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i], small = text_lower(c), before = i > 0 ? name.ptr[i - 1] : ' ';
		bool after_small = (before >= 'a' && before <= 'z') || text_digit(before);
		if (!text_letter(c) && !text_digit(c) && (unsigned char)c < 0x80) {
			small = ' ';
		}
		if (out.len > 0 && out.ptr[out.len - 1] != ' ' && (small == ' ' || (small != c && after_small))) {
			text_puts(&out, " ");
		}
		if (small != ' ') {
			text_add(&out, (assay_str){&small, 1});
		}
	}
	return text_trim(text_of(&out));
}

/* Does the name have this word, in snake, kebab or camel case? */
static bool has_word(assay_str name, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= name.len; i++) {
		size_t k = 0;
		while (k < n && text_lower(name.ptr[i + k]) == word[k]) {
			k++;
		}
		if (k == n) {
			char before = i > 0 ? name.ptr[i - 1] : '_', after = i + n < name.len ? name.ptr[i + n] : '_';
			bool starts = !text_letter(before) || (before >= 'a' && name.ptr[i] < 'a');
			bool ends = !text_letter(after) || after < 'a';
			if (starts && ends) {
				return true;
			}
		}
	}
	return false;
}

bool prov_is_volatile_key(assay_str key)
{
	static const char *const words[] = {"time",     "timestamp", "date",     "day",     "year",    "month",
					    "hour",     "minute",    "second",   "created", "updated", "modified",
					    "expires",  "elapsed",   "duration", "latency", "uptime",  "age",
					    "now",      "current",   "session",  "token",   "nonce",   "cursor",
					    "request",  "etag",      "random",   "rate",    "rates",   "temperature",
					    "humidity", "wind",      "weather",  "zone",    "offset",  "ms"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (has_word(key, words[i])) {
			return true;
		}
	}
	return false;
}

static bool ends_with(assay_str s, assay_str end)
{
	if (s.len <= end.len || end.len == 0) {
		return false;
	}
	for (size_t i = 0; i < end.len; i++) {
		if (text_lower(s.ptr[s.len - end.len + i]) != text_lower(end.ptr[i])) {
			return false;
		}
	}
	return true;
}

bool prov_keys_match(assay_str parameter, assay_str key)
{
	if (parameter.len == 0 || key.len == 0) {
		return false;
	}
	if (parameter.len == key.len) {
		for (size_t i = 0; i < key.len; i++) {
			if (text_lower(parameter.ptr[i]) != text_lower(key.ptr[i])) {
				return false;
			}
		}
		return true;
	}
	return ends_with(parameter, key) || ends_with(key, parameter);
}

uint64_t prov_hash(assay_str s)
{
	uint64_t h = 1469598103934665603u;
	for (size_t i = 0; i < s.len; i++) {
		h = (h ^ (unsigned char)s.ptr[i]) * 1099511628211u;
	}
	return h;
}

/* Tokens end at white space, at what is not ASCII, and at quotes, brackets and the like. */
static bool breaks(char c)
{
	return text_blank(c) || (unsigned char)c >= 0x80 || (unsigned char)c < 0x20 ||
	       strchr("\"'`()[]{}<>|*=,;", c) != NULL;
}

bool prov_next_token(assay_str text, size_t *at, assay_str *token)
{
	size_t i = *at;
	while (i < text.len) {
		size_t from, to;
		while (i < text.len && breaks(text.ptr[i])) {
			i++;
		}
		from = i;
		while (i < text.len &&
		       (!breaks(text.ptr[i]) ||
			(text.ptr[i] == ',' && i > from && text_digit(text.ptr[i - 1]) && digits(text, i + 1) == 3))) {
			i++;
		}
		to = i;
		while (from < to && !text_letter(text.ptr[from]) && !text_digit(text.ptr[from])) {
			from++;
		}
		while (to > from && !text_letter(text.ptr[to - 1]) && !text_digit(text.ptr[to - 1])) {
			to--;
		}
		*token = prov_sub(text, from, to);
		if (prov_is_id(*token)) {
			*at = i;
			return true;
		}
	}
	*at = text.len;
	return false;
}
