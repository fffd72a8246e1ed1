/* llm/heuristic, rule 2: the values that stand in the goal. */
#include "heuristic.h"
#include <string.h>

struct scan {
	struct heur_run *r;
	assay_str text;
	size_t at;
	assay_str key; /* of a key= that ran into a quote */
};

static struct heur_value *add_value(struct scan *s, enum heur_kind kind, size_t from, size_t to, assay_str text)
{
	struct heur_run *r = s->r;
	struct heur_value *v = text.len > 0 && r->n_values < HEUR_MAX_VALUES
				       ? text_push(&r->arena, &r->values, &r->n_values, &r->cap_values, sizeof *v)
				       : NULL;
	if (v) {
		*v = (struct heur_value){
			.text = text, .kind = kind, .from = from, .to = to, .clause = -1, .group = -1, .key = s->key};
		heur_number(text, &v->number);
	}
	s->key = (assay_str){0};
	s->at = to;
	return v;
}

static bool space_at(assay_str t, size_t i)
{
	return i >= t.len || t.ptr[i] == ' ' || (t.ptr[i] >= '\t' && t.ptr[i] <= '\r');
}

/* --- Quotes --- */

static const struct {
	const char *open, *close;
} quotes[] = {
	{"\"", "\""},
	{"`", "`"},
	{"'", "'"},
	{"\xE2\x80\x9C", "\xE2\x80\x9D"}, /* curly double */
	{"\xE2\x80\x98", "\xE2\x80\x99"}, /* curly single */
	{"\xC2\xAB", "\xC2\xBB"},         /* guillemets */
};

static bool stands_at(assay_str t, size_t i, const char *what)
{
	size_t n = strlen(what);
	return i + n <= t.len && memcmp(t.ptr + i, what, n) == 0;
}

/* A closing quote that is no apostrophe, or SIZE_MAX. */
static size_t closing(assay_str t, size_t from, const char *close)
{
	bool letters = close[0] == '\'' || strcmp(close, "\xE2\x80\x99") == 0;
	for (size_t i = from; i < t.len && i - from < 4096; i++) {
		if (stands_at(t, i, close)) {
			size_t after = i + strlen(close);
			if (!letters || after >= t.len || !text_word_byte(t.ptr[after])) {
				return i;
			}
		}
	}
	return SIZE_MAX;
}

static bool scan_quote(struct scan *s)
{
	for (size_t q = 0; q < sizeof quotes / sizeof *quotes; q++) {
		size_t from = s->at + strlen(quotes[q].open);
		if (!stands_at(s->text, s->at, quotes[q].open)) {
			continue;
		}
		if (quotes[q].open[0] == '\'' && s->at > 0 && text_word_byte(s->text.ptr[s->at - 1])) {
			return false;
		}
		size_t end = closing(s->text, from, quotes[q].close);
		if (end == SIZE_MAX || end == from) {
			return false;
		}
		assay_str inside = heur_sub(s->text, from, end);
		double number;
		/* "Do it," he said: punctuation that belongs to the sentence. */
		if (inside.len > 1 && inside.ptr[inside.len - 1] == ',') {
			inside.len--;
		}
		add_value(s, heur_number(inside, &number) ? HEUR_ID : HEUR_QUOTED, s->at, end + strlen(quotes[q].close),
			  inside);
		return true;
	}
	return false;
}

/* --- Kinds of a token --- */

struct shape {
	size_t digits, letters, uppers, dots, slashes, dashes, underscores, others;
};

static struct shape shape_of(assay_str t)
{
	struct shape s = {0};
	for (size_t i = 0; i < t.len; i++) {
		char c = t.ptr[i];
		s.digits += text_digit(c);
		s.letters += heur_alpha(c);
		s.uppers += text_upper(c);
		s.dots += c == '.';
		s.slashes += c == '/';
		s.dashes += c == '-';
		s.underscores += c == '_';
		s.others += !text_word_byte(c) && c != '.' && c != '/' && c != '-';
	}
	return s;
}

/* Does t fit the picture? d is a digit, ? ends it early, * takes the rest. */
static bool fits(assay_str t, const char *picture)
{
	size_t i = 0;
	for (; *picture; picture++) {
		if (*picture == '*') {
			return true;
		}
		if (*picture == '?') {
			if (i == t.len) {
				return true;
			}
			continue;
		}
		if (i >= t.len || (*picture == 'd' ? !text_digit(t.ptr[i]) : t.ptr[i] != *picture)) {
			return false;
		}
		i++;
	}
	return i == t.len;
}

bool heur_is_date(assay_str t)
{
	return fits(t, "dddd-dd-dd?T*") || fits(t, "dddd/dd/dd") || fits(t, "dddd-dd") || fits(t, "dd/dd/dddd");
}

static bool is_time(assay_str t)
{
	return fits(t, "d:dd?:dd") || fits(t, "dd:dd?:dd?.*");
}

static bool is_email(assay_str t)
{
	const char *at = memchr(t.ptr, '@', t.len);
	size_t left = at ? (size_t)(at - t.ptr) : 0;
	return at && left > 0 && left + 3 < t.len && memchr(at, '.', t.len - left) != NULL;
}

static bool is_path(assay_str t, const struct shape *s)
{
	if (text_starts(t, "./") || text_starts(t, "../") || text_starts(t, "~/") || (t.len > 1 && t.ptr[0] == '/')) {
		return true;
	}
	if (s->others > 0 || s->dots == 0 || s->letters == 0) {
		return s->slashes > 1 && s->letters > 0;
	}
	size_t dot = t.len;
	while (dot > 0 && t.ptr[dot - 1] != '.') {
		dot--;
	}
	assay_str tail = heur_sub(t, dot, t.len);
	bool lower = tail.len >= 2 && tail.len <= 5 && heur_alpha(tail.ptr[0]);
	for (size_t i = 0; i < tail.len; i++) {
		lower = lower && !text_upper(tail.ptr[i]) && text_word_byte(tail.ptr[i]);
	}
	return lower && dot > 2;
}

static bool is_id(assay_str t, const struct shape *s)
{
	static const char *const ordinals[] = {"st", "nd", "rd", "th", NULL};
	if (s->others > 0 || (s->slashes > 0 && s->digits == 0)) {
		return false;
	}
	if (s->digits > 0 && s->letters > 0) {
		return s->letters != 2 || s->digits + 2 != t.len || !text_in(heur_sub(t, t.len - 2, t.len), ordinals);
	}
	return s->underscores > 0 && s->letters > 0 && text_word_byte(t.ptr[0]);
}

static bool is_code(assay_str t, const struct shape *s)
{
	static const char *const plain[] = {"ID",  "IDS",  "OK", "API", "APIS", "URL", "URLS", "JSON",
					    "SKU", "SKUS", "AM", "PM",  "FAQ",  "AND", "OR",   NULL};
	return s->uppers == t.len && t.len >= 2 && t.len <= 6 && !text_in(t, plain);
}

/* --- Numbers --- */

/* A number with thousands' commas, a currency sign or a unit glued to it. */
static bool scan_number(struct scan *s, size_t from, assay_str token)
{
	struct text_buf clean = {.arena = &s->r->arena};
	size_t i = 0, skip = 0;
	while (skip < token.len && (token.ptr[skip] == '$' || token.ptr[skip] == '#')) {
		skip++;
	}
	if (text_starts(token, "\xE2\x82\xAC")) { /* the euro */
		skip = 3;
	} else if (text_starts(token, "\xC2\xA3")) { /* the pound */
		skip = 2;
	}
	for (i = skip; i < token.len; i++) {
		char c = token.ptr[i];
		bool sign = (c == '-' || c == '+') && i == skip;
		bool point = c == '.' && i + 1 < token.len && text_digit(token.ptr[i + 1]);
		if (text_digit(c) || sign || point) {
			text_add(&clean, heur_sub(token, i, i + 1));
		} else if (c != ',' || i + 1 >= token.len || !text_digit(token.ptr[i + 1])) {
			break;
		}
	}
	assay_str rest = heur_sub(token, i, token.len);
	struct shape tail = shape_of(rest);
	double number;
	bool unit = rest.len <= 5 && tail.letters == rest.len && tail.uppers <= 1;
	if ((rest.len > 0 && !unit && !text_is(rest, "%")) || !heur_number(text_of(&clean), &number)) {
		return false;
	}
	if (rest.len == 2 && tail.letters == 2 &&
	    (text_is(rest, "st") || text_is(rest, "nd") || text_is(rest, "rd") || text_is(rest, "th"))) {
		return false;
	}
	add_value(s, HEUR_NUMBER, from, from + token.len - rest.len, text_of(&clean));
	s->at = from + token.len;
	return true;
}

/* "1." at the start of a line and "1)" anywhere number the clauses. */
static bool is_marker(assay_str text, size_t from, assay_str token)
{
	size_t end = from + token.len, back = from;
	struct shape s = shape_of(token);
	if (s.digits != token.len || token.len > 2 || end >= text.len || !space_at(text, end + 1)) {
		return false;
	}
	while (back > 0 && (text.ptr[back - 1] == ' ' || text.ptr[back - 1] == '\t')) {
		back--;
	}
	bool fresh = back == 0 || strchr("\n.!?:;", text.ptr[back - 1]) != NULL;
	return (text.ptr[end] == ')' && (from == 0 || text.ptr[from - 1] != '(')) || (text.ptr[end] == '.' && fresh);
}

/* --- Dates in words --- */

static unsigned month_of(assay_str word)
{
	static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
					     "july",    "august",   "september", "october", "november", "december"};
	for (unsigned i = 0; word.len >= 3 && i < 12; i++) {
		size_t n = strlen(months[i]);
		if ((word.len == n || word.len == 3) && text_same_fold(word, (assay_str){months[i], word.len}) &&
		    text_upper(word.ptr[0])) {
			return i + 1;
		}
	}
	return 0;
}

/* The next word from `at` behind blanks and commas; *end is where it ends. */
static assay_str peek(assay_str t, size_t at, size_t *end)
{
	while (at < t.len && (t.ptr[at] == ' ' || t.ptr[at] == ',')) {
		at++;
	}
	size_t from = at;
	while (at < t.len && text_word_byte(t.ptr[at])) {
		at++;
	}
	*end = at;
	return heur_sub(t, from, at);
}

static unsigned small_number(assay_str w, unsigned max)
{
	unsigned n = 0;
	size_t i = 0;
	for (; i < w.len && i < 4 && text_digit(w.ptr[i]); i++) {
		n = n * 10 + (unsigned)(w.ptr[i] - '0');
	}
	bool ordinal = i > 0 && i + 2 == w.len && heur_alpha(w.ptr[i]) && max < 100;
	return i > 0 && (i == w.len || ordinal) && n <= max ? n : 0;
}

/* "March 3, 2025", "3 March 2025" and "March 2025" are read as ISO dates. */
static bool scan_month(struct scan *s)
{
	size_t end, after, last;
	assay_str first = peek(s->text, s->at, &end), second = peek(s->text, end, &after);
	assay_str third = peek(s->text, after, &last);
	unsigned month = month_of(first), day = small_number(month ? second : first, 31), year;
	if (!month) {
		month = month_of(second);
	}
	if (!month || end == s->at) {
		return false;
	}
	year = day ? small_number(third, 2999) : 0;
	if (day && year >= 1000) {
		add_value(s, HEUR_DATE, s->at, last, text_format(&s->r->arena, "%04u-%02u-%02u", year, month, day));
		return true;
	}
	year = small_number(second, 2999);
	if (month_of(first) && year >= 1000) {
		add_value(s, HEUR_DATE, s->at, after, text_format(&s->r->arena, "%04u-%02u", year, month));
		return true;
	}
	return false;
}

/* --- Names --- */

static bool starts_sentence(assay_str t, size_t at)
{
	while (at > 0 && (t.ptr[at - 1] == ' ' || t.ptr[at - 1] == '\t')) {
		at--;
	}
	return at == 0 || strchr(".!?:;\n\r-*)", t.ptr[at - 1]) != NULL;
}

static assay_str without_possessive(assay_str t)
{
	if (t.len > 2 && t.ptr[t.len - 1] == 's' && t.ptr[t.len - 2] == '\'') {
		t.len -= 2;
	} else if (t.len > 4 && memcmp(t.ptr + t.len - 4, "\xE2\x80\x99s", 4) == 0) {
		t.len -= 4;
	}
	return t;
}

/* The end of the word at `at`, without the punctuation behind it. */
static size_t token_end(assay_str t, size_t at)
{
	size_t end = at;
	while (end < t.len && !space_at(t, end) && !strchr("\"`()[]{}<>;|", t.ptr[end]) &&
	       !stands_at(t, end, "\xE2\x80\x9C") && !stands_at(t, end, "\xE2\x80\x9D") &&
	       !stands_at(t, end, "\xC2\xAB")) {
		if (t.ptr[end] == ',' &&
		    !(end > at && end + 1 < t.len && text_digit(t.ptr[end - 1]) && text_digit(t.ptr[end + 1]))) {
			break;
		}
		end++;
	}
	while (end > at && strchr(".,:!?'", t.ptr[end - 1])) {
		end--;
	}
	return end;
}

/* "Ada Lovelace", "East Asia & Pacific". */
static bool scan_name(struct scan *s, assay_str token)
{
	static const char *const links[] = {"of", "de", "la", "van", "von", "&", "the", NULL};
	assay_str t = s->text, first = without_possessive(token);
	size_t from = s->at, to = from + first.len;
	if (!text_upper(token.ptr[0]) || token.len < 2 || token.ptr[1] == '\'' || starts_sentence(t, from)) {
		return false;
	}
	for (bool whole = first.len == token.len; whole;) {
		size_t next = to + 1, end;
		if (to >= t.len || t.ptr[to] != ' ' || next >= t.len) {
			break;
		}
		end = token_end(t, next);
		if (text_in(heur_sub(t, next, end), links)) {
			next = end + 1;
			end = next < t.len ? token_end(t, next) : next;
		}
		if (end <= next || !text_upper(t.ptr[next]) || month_of(heur_sub(t, next, end))) {
			break;
		}
		assay_str word = without_possessive(heur_sub(t, next, end));
		to = next + word.len;
		whole = word.len == end - next;
	}
	add_value(s, HEUR_NAME, from, to, heur_sub(t, from, to));
	return true;
}

static bool scan_count(struct scan *s, assay_str token)
{
	static const char *const counts[] = {"two",   "three", "four", "five",   "six",   "seven",
					     "eight", "nine",  "ten",  "eleven", "twelve"};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (text_is(token, counts[i])) {
			add_value(s, HEUR_COUNT, s->at, s->at + token.len, text_format(&s->r->arena, "%zu", i + 2));
			return true;
		}
	}
	return false;
}

/* --- Tokens --- */

static bool scan_key(struct scan *s, assay_str token)
{
	size_t n = 0;
	while (n < token.len && (text_word_byte(token.ptr[n]) || token.ptr[n] == '-')) {
		n++;
	}
	if (n == 0 || n >= token.len || token.ptr[n] != '=' || text_digit(token.ptr[0])) {
		return false;
	}
	s->key = heur_stem(&s->r->arena, heur_sub(token, 0, n));
	s->at += n + 1;
	return true;
}

static bool scan_word(struct scan *s, assay_str token)
{
	struct shape shape = shape_of(token);
	size_t from = s->at, to = from + token.len;
	if (is_marker(s->text, from, token)) {
		s->at = to;
		return true;
	}
	enum heur_kind kind;
	if (shape.others > 0 && text_find_word(token, ASSAY_STR("://")) != SIZE_MAX) {
		kind = HEUR_URL;
	} else if (is_email(token)) {
		kind = HEUR_EMAIL;
	} else if (heur_is_date(token)) {
		kind = HEUR_DATE;
	} else if (is_time(token)) {
		kind = HEUR_TIME;
	} else if (scan_number(s, from, token)) {
		return true;
	} else if (is_path(token, &shape)) {
		kind = HEUR_PATH;
	} else if (is_id(token, &shape)) {
		kind = HEUR_ID;
	} else if (is_code(token, &shape)) {
		kind = HEUR_CODE;
	} else {
		return scan_name(s, token) || scan_count(s, token);
	}
	add_value(s, kind, from, to, token);
	return true;
}

static void scan_token(struct scan *s)
{
	size_t end = token_end(s->text, s->at);
	if (end == s->at) {
		s->at++;
		return;
	}
	assay_str token = heur_sub(s->text, s->at, end);
	if (s->key.len == 0 && scan_key(s, token)) {
		if (s->at < end) {
			scan_token(s);
		}
		return;
	}
	if (s->key.len > 0) {
		double number;
		add_value(s, heur_number(token, &number) ? HEUR_NUMBER : HEUR_ID, s->at, end, token);
		return;
	}
	if (!scan_month(s) && !scan_word(s, token)) {
		s->at = end;
	}
}

bool heur_is_text(enum heur_kind kind)
{
	return kind == HEUR_QUOTED || kind == HEUR_NAME || kind == HEUR_PHRASE || kind == HEUR_ID || kind == HEUR_CODE;
}

void heur_find_values(struct heur_run *r)
{
	struct scan s = {.r = r, .text = r->goal};
	while (s.at < s.text.len) {
		char before = s.at > 0 ? s.text.ptr[s.at - 1] : ' ';
		if (scan_quote(&s)) {
			continue;
		}
		if (space_at(s.text, s.at) || (text_word_byte(before) && text_word_byte(s.text.ptr[s.at]))) {
			s.at++;
		} else {
			scan_token(&s);
		}
	}
}

/* Is the word part of a value that is none of the goal's own words? */
bool heur_in_value(const struct heur_run *r, const struct heur_word *w)
{
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		if (v->from <= w->from && w->to <= v->to && v->kind != HEUR_NAME && v->kind != HEUR_PHRASE) {
			return true;
		}
	}
	return false;
}
