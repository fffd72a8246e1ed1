#include "core/base/redact.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A way to write a secret. */
typedef struct spelling {
	const char *name;
	assay_str text;
} spelling;

struct as_redactor {
	pthread_rwlock_t lock;
	as_arena arena;
	spelling *list; /* longest first: one may be part of another */
	size_t n, cap;
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

static bool add(as_redactor *r, const char *name, assay_str text)
{
	size_t at = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (as_str_eq(r->list[i].text, text)) {
			return true;
		}
		at += r->list[i].text.len >= text.len;
	}
	if (!as_grow(&r->list, &r->cap, r->n + 1, sizeof *r->list)) {
		return false;
	}
	memmove(&r->list[at + 1], &r->list[at], (r->n - at) * sizeof *r->list);
	r->list[at] = (spelling){as_arena_cstr(&r->arena, as_str(name)), as_arena_str(&r->arena, text)};
	r->n++;
	return !r->arena.failed;
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

/* The ways that servers are seen to write a value. False: there is no such way. */
static bool write_way(as_buf *out, assay_str plain, unsigned way)
{
	static const char *const kept[] = {"", "/", "+", "/+"};
	if (way < 4) {
		write_json(out, plain, (way & 1) != 0, (way & 2) != 0);
	} else if (way < 8) {
		write_url(out, plain, kept[way - 4], false);
	} else if (way < 12) {
		write_url(out, plain, kept[way - 8], true);
	}
	return way < 12;
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

static const spelling *find(const as_redactor *r, assay_str text)
{
	for (size_t i = 0; i < r->n; i++) {
		if (as_str_contains(text, r->list[i].text)) {
			return &r->list[i];
		}
	}
	return NULL;
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

static bool replace(as_buf *text, const spelling *what)
{
	as_buf out = {0};
	size_t n = what->text.len, done = 0;
	if (!as_str_contains(as_buf_str(text), what->text)) {
		return false;
	}
	for (size_t i = 0; i + n <= text->len;) {
		const char *hit = memchr(text->ptr + i, what->text.ptr[0], text->len - n - i + 1);
		if (!hit) {
			break;
		}
		i = (size_t)(hit - text->ptr);
		if (memcmp(hit, what->text.ptr, n) != 0) {
			i++;
			continue;
		}
		as_buf_add(&out, (assay_str){text->ptr + done, i - done});
		as_buf_printf(&out, "\xC2\xABsecret:%s\xC2\xBB", what->name);
		done = i += n;
	}
	as_buf_add(&out, (assay_str){text->ptr + done, text->len - done});
	as_buf_free(text);
	*text = out; /* with its failure, if any: better no text than one with a secret */
	return true;
}

static bool redact(const as_redactor *r, as_buf *text)
{
	bool found = false;
	for (size_t i = 0; i < r->n; i++) {
		found |= replace(text, &r->list[i]);
	}
	return found;
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
	bool found = false;
	pthread_rwlock_rdlock(&r->lock);
	for (size_t i = 0; i < r->n && !found; i++) {
		assay_str plain = r->list[i].text;
		for (size_t n = plain.len - 1; n >= AS_REDACT_MIN && !found; n--) {
			if (n <= text->len && memcmp(text->ptr + text->len - n, plain.ptr, n) == 0) {
				text->len -= n;
				text->ptr[text->len] = '\0';
				found = true;
			}
		}
	}
	pthread_rwlock_unlock(&r->lock);
	return found;
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
