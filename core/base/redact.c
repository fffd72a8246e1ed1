#include "core/base/redact.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEAD sizeof(uint32_t) /* bytes that a text is looked at by; no spelling is shorter */
#define HEADS ((size_t)1 << 16)

/* A way to write a secret. */
typedef struct spelling {
	const char *name;
	assay_str text;
	const struct spelling *inner; /* the longest other one that it begins with; NULL: none */
} spelling;

/* However many there are, a text is looked through once: at most places no spelling begins with the next bytes, which
 * a bit each tells. */
struct as_redactor {
	pthread_rwlock_t lock;
	as_arena arena;
	const spelling **list; /* by their bytes */
	size_t n, cap;
	uint64_t heads[HEADS / 64];
};

int as_redactor_new(as_redactor **out, assay_error *err)
{
	as_redactor *r = as_new(1, sizeof *r);
	*out = NULL;
	if (!r || pthread_rwlock_init(&r->lock, NULL) != 0) {
		free(r);
		return as_fail_memory(err);
	}
	*out = r;
	return 0;
}

void as_redactor_free(as_redactor *r)
{
	if (r) {
		pthread_rwlock_destroy(&r->lock);
		as_arena_free(&r->arena);
		free(r->list);
		free(r);
	}
}

static size_t head_of(const char *text)
{
	uint32_t head;
	memcpy(&head, text, HEAD);
	return (size_t)(head * UINT32_C(0x9E3779B1) >> 16);
}

/* How many spellings come before this text, or are equal to it. */
static size_t place_of(const as_redactor *r, assay_str text)
{
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (as_str_cmp(r->list[middle]->text, text) <= 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* The longest spelling that the text begins with. What stands between it and the text begins with it, too. */
static const spelling *longest_at(const as_redactor *r, assay_str text)
{
	size_t place = place_of(r, text);
	const spelling *s = place > 0 ? r->list[place - 1] : NULL;
	while (s && !as_str_starts(text, s->text)) {
		s = s->inner;
	}
	return s;
}

static bool add(as_redactor *r, const char *name, assay_str text)
{
	const spelling *inner = longest_at(r, text);
	size_t at = place_of(r, text), head = head_of(text.ptr);
	spelling *s;
	if (inner && inner->text.len == text.len) {
		return true;
	}
	s = as_arena_alloc(&r->arena, sizeof *s);
	if (!s || !as_grow(&r->list, &r->cap, r->n + 1, sizeof *r->list)) {
		return false;
	}
	*s = (spelling){as_arena_cstr(&r->arena, as_str(name)), as_arena_str(&r->arena, text), inner};
	if (r->arena.failed) {
		return false;
	}
	memmove(&r->list[at + 1], &r->list[at], (r->n - at) * sizeof *r->list);
	r->list[at] = s;
	r->n++;
	r->heads[head / 64] |= UINT64_C(1) << head % 64;
	for (size_t i = at + 1; i < r->n && as_str_starts(r->list[i]->text, text); i++) {
		spelling *longer = (spelling *)(uintptr_t)r->list[i];
		longer->inner = longer->inner == inner ? s : longer->inner;
	}
	return true;
}

/* As JSON writes it; with_slashes: as those writers do that put a backslash before a slash; ascii: with \u escapes. */
static void write_json(as_buf *out, assay_str plain, bool with_slashes, bool ascii)
{
	as_buf text = {0};
	as_json_write_string(&text, plain, ascii);
	for (size_t i = 1; i + 1 < text.len; i++) {
		if (with_slashes && text.ptr[i] == '/') {
			as_buf_byte(out, '\\');
		}
		as_buf_byte(out, text.ptr[i]);
	}
	out->failed = out->failed || text.failed;
	as_buf_free(&text);
}

/* As a URL writes it. kept: what stays beside letters, digits and "-._~", a blank as + where + is among it. */
static void write_url(as_buf *out, assay_str plain, const char *kept, bool lower)
{
	for (size_t i = 0; i < plain.len; i++) {
		unsigned char c = (unsigned char)plain.ptr[i];
		if (isalnum(c) || strchr("-._~", c) || (c != '+' && strchr(kept, c))) {
			as_buf_byte(out, (char)c);
		} else if (c == ' ' && strchr(kept, '+')) {
			as_buf_byte(out, '+');
		} else {
			as_buf_printf(out, lower ? "%%%02x" : "%%%02X", c);
		}
	}
}

/* As a URL within a URL writes it. */
static void write_url_twice(as_buf *out, assay_str plain, const char *kept, bool lower)
{
	as_buf once = {0};
	write_url(&once, plain, kept, lower);
	for (size_t i = 0; i < once.len; i++) {
		char c = once.ptr[i];
		as_buf_add(out, c == '%'   ? ASSAY_STR("%25")
				: c == '+' ? ASSAY_STR("%2B")
					   : (assay_str){&once.ptr[i], 1});
	}
	out->failed = out->failed || once.failed;
	as_buf_free(&once);
}

/* As it looks within the base64 of a longer text, which has `before` bytes, or three, six, ... more, in front of it:
 * the characters that it alone decides. plus, slash: how the last two of the alphabet are written. */
static void write_base64(as_buf *out, assay_str plain, size_t before, const char *plus, const char *slash)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	size_t bits = 8 * plain.len, skipped = 8 * before;
	for (size_t at = (skipped + 5) / 6 * 6 - skipped; at + 6 <= bits; at += 6) {
		unsigned two = (unsigned)(unsigned char)plain.ptr[at / 8] << 8;
		two |= at / 8 + 1 < plain.len ? (unsigned char)plain.ptr[at / 8 + 1] : 0;
		unsigned six = two >> (10 - at % 8) & 63u;
		if (six < 62) {
			as_buf_byte(out, letters[six]);
		} else {
			as_buf_puts(out, six == 62 ? plus : slash);
		}
	}
}

/* The ways that servers are seen to write a value. False: there is no such way. */
static bool write_way(as_buf *out, assay_str plain, unsigned way)
{
	static const char *const kept[] = {"", "/", "+", "/+"};
	static const char *const ends[][2] = {{"+", "/"}, {"-", "_"}, {"+", "\\/"}, {"%2B", "%2F"}};
	if (way < 4) {
		write_json(out, plain, (way & 1) != 0, (way & 2) != 0);
	} else if (way < 12) {
		write_url(out, plain, kept[way % 4], way >= 8);
	} else if (way < 20) {
		write_url_twice(out, plain, kept[way % 4], way >= 16);
	} else if (way < 32) {
		write_base64(out, plain, way % 3, ends[(way - 20) / 3][0], ends[(way - 20) / 3][1]);
	}
	return way < 32;
}

bool as_redactor_add(as_redactor *r, const char *name, assay_str value)
{
	bool good = true;
	if (value.len < AS_REDACT_MIN) {
		return true;
	}
	pthread_rwlock_wrlock(&r->lock);
	good = add(r, name, value);
	for (unsigned way = 0; good; way++) {
		as_buf text = {0};
		if (!write_way(&text, value, way)) {
			break;
		}
		good = !text.failed && add(r, name, as_buf_str(&text));
		as_buf_free(&text);
	}
	pthread_rwlock_unlock(&r->lock);
	return good;
}

/* The first place in [i, end) where one may begin, or end. */
static size_t next_head(const as_redactor *r, const char *text, size_t i, size_t end)
{
	for (; i < end; i++) {
		size_t head = head_of(text + i);
		if (r->heads[head / 64] >> head % 64 & 1) {
			return i;
		}
	}
	return end;
}

/* The first place at or behind *at where a secret stands: [*at, *end). Of those that overlap all is taken, and the
 * longest is named. */
static const spelling *next_secret(const as_redactor *r, assay_str text, size_t *at, size_t *end)
{
	size_t last = r->n > 0 && text.len >= HEAD ? text.len - HEAD + 1 : 0;
	const spelling *found = NULL;
	for (size_t i = next_head(r, text.ptr, *at, last); i < last; i = next_head(r, text.ptr, i + 1, last)) {
		const spelling *s = longest_at(r, (assay_str){text.ptr + i, text.len - i});
		if (!s) {
			continue;
		}
		*at = found ? *at : i;
		*end = found && *end > i + s->text.len ? *end : i + s->text.len;
		last = *end < last ? *end : last;
		found = found && found->text.len >= s->text.len ? found : s;
	}
	return found;
}

static const spelling *find(const as_redactor *r, assay_str text)
{
	size_t at = 0, end;
	return next_secret(r, text, &at, &end);
}

const char *as_redact_find(as_redactor *r, assay_str text)
{
	const spelling *found = NULL;
	if (r) {
		pthread_rwlock_rdlock(&r->lock);
		found = find(r, text);
		pthread_rwlock_unlock(&r->lock);
	}
	return found ? found->name : NULL;
}

static bool redact(const as_redactor *r, as_buf *text)
{
	size_t done = 0, at = 0, end = 0;
	const spelling *s = next_secret(r, as_buf_str(text), &at, &end);
	as_buf out = {0};
	if (!s) {
		return false;
	}
	while (s) {
		as_buf_add(&out, (assay_str){text->ptr + done, at - done});
		as_buf_printf(&out, "\xC2\xABsecret:%s\xC2\xBB", s->name);
		done = at = end;
		s = next_secret(r, as_buf_str(text), &at, &end);
	}
	as_buf_add(&out, (assay_str){text->ptr + done, text->len - done});
	as_buf_free(text);
	*text = out; /* with its failure, if any: better no text than one with a secret */
	return true;
}

bool as_redact(as_redactor *r, as_buf *text)
{
	bool found = false;
	if (r) {
		pthread_rwlock_rdlock(&r->lock);
		found = redact(r, text);
		pthread_rwlock_unlock(&r->lock);
	}
	return found;
}

/* A text that was cut in the middle of a secret ends with the beginning of one. */
static bool redact_end(as_redactor *r, as_buf *text)
{
	size_t most = 0;
	pthread_rwlock_rdlock(&r->lock);
	for (size_t i = 0; i < r->n; i++) {
		assay_str plain = r->list[i]->text;
		for (size_t n = plain.len - 1; n >= AS_REDACT_MIN && n > most; n--) {
			most = n <= text->len && memcmp(text->ptr + text->len - n, plain.ptr, n) == 0 ? n : most;
		}
	}
	pthread_rwlock_unlock(&r->lock);
	if (most > 0) {
		text->len -= most;
		text->ptr[text->len] = '\0';
	}
	return most > 0;
}

void as_redact_array(as_redactor *r, char *text, size_t size)
{
	as_buf b = {0};
	if (!r || !text[0]) {
		return;
	}
	as_buf_puts(&b, text);
	bool changed = as_redact(r, &b);
	if (strlen(text) + 8 >= size) {
		changed |= redact_end(r, &b);
	}
	if (changed || b.failed) {
		size_t n = b.failed ? 0 : b.len < size ? b.len : size - 1;
		memcpy(text, n ? b.ptr : "", n);
		text[as_utf8_check((assay_str){text, n})] = '\0';
	}
	as_buf_free(&b);
}

void as_redact_error(as_redactor *r, assay_error *err)
{
	if (err && r) {
		as_redact_array(r, err->where, sizeof err->where);
		as_redact_array(r, err->pointer, sizeof err->pointer);
		as_redact_array(r, err->message, sizeof err->message);
		as_redact_array(r, err->hint, sizeof err->hint);
	}
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static bool is_secret_number(const as_redactor *r, const assay_json *v)
{
	const spelling *s = as_json_type(v) == ASSAY_JSON_NUMBER ? find(r, as_json_spelling(v)) : NULL;
	return s && as_str_eq(s->text, as_json_spelling(v));
}

static bool holds_secret(const as_redactor *r, const assay_json *v)
{
	int type = as_json_type(v);
	if (type == ASSAY_JSON_STRING) {
		return find(r, as_json_str(v)) != NULL;
	}
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return is_secret_number(r, v);
	}
	for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
		if ((type == ASSAY_JSON_OBJECT && find(r, as_json_key(m))) || holds_secret(r, m)) {
			return true;
		}
	}
	return false;
}

static assay_json *clean_text(const as_redactor *r, assay_str text)
{
	as_buf b = {0};
	assay_json *made = NULL;
	as_buf_add(&b, text);
	redact(r, &b);
	if (!b.failed) {
		made = as_json_string(as_buf_str(&b));
	}
	as_buf_free(&b);
	return made;
}

/* Documents are no deeper than their parser allows. NULL: no memory. */
static assay_json *clean(const as_redactor *r, const assay_json *v)
{
	int type = as_json_type(v), rc = 0;
	assay_json *made;
	if (!holds_secret(r, v)) {
		return as_json_clone(v);
	}
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return clean_text(r, type == ASSAY_JSON_STRING ? as_json_str(v) : as_json_spelling(v));
	}
	made = type == ASSAY_JSON_ARRAY ? as_json_array() : as_json_object();
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		assay_json *part = clean(r, m);
		if (type == ASSAY_JSON_ARRAY) {
			rc = as_json_append(made, part);
		} else {
			assay_json *key = clean_text(r, as_json_key(m));
			rc = key ? as_json_set_n(made, as_json_str(key), part) : (as_json_free(part), ASSAY_ENOMEM);
			as_json_free(key);
		}
	}
	if (rc < 0) {
		as_json_free(made);
		made = NULL;
	}
	return made;
}

int as_redact_json(as_redactor *r, assay_json **doc, assay_error *err)
{
	assay_json *made = NULL;
	bool found;
	if (!r) {
		return 0;
	}
	pthread_rwlock_rdlock(&r->lock);
	found = r->n > 0 && holds_secret(r, *doc);
	made = found ? clean(r, *doc) : NULL;
	pthread_rwlock_unlock(&r->lock);
	if (!found) {
		return 0;
	}
	if (!made) {
		return as_fail_memory(err);
	}
	as_json_free(*doc);
	*doc = made;
	return 0;
}
