#include "core/llm/redact.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct secret {
	assay_str name, plain, escaped; /* escaped: as in JSON; empty when it is the same */
} secret;

struct as_redactor {
	pthread_mutex_t lock;
	as_arena arena;
	secret *list;
	size_t n, cap;
};

int as_redactor_new(as_redactor **out, assay_error *err)
{
	as_redactor *r = as_new(1, sizeof *r);
	*out = NULL;
	if (!r || pthread_mutex_init(&r->lock, NULL) != 0) {
		free(r);
		return as_fail_memory(err);
	}
	*out = r;
	return 0;
}

void as_redactor_free(as_redactor *r)
{
	if (r) {
		pthread_mutex_destroy(&r->lock);
		as_arena_free(&r->arena);
		free(r->list);
		free(r);
	}
}

static assay_str escape(as_arena *arena, assay_str plain)
{
	as_buf text = {0};
	assay_str out = {NULL, 0};
	as_json_write_string(&text, plain, false);
	if (!text.failed && text.len >= 2 && text.len - 2 != plain.len) {
		out = as_arena_str(arena, (assay_str){text.ptr + 1, text.len - 2});
	}
	arena->failed = arena->failed || text.failed;
	as_buf_free(&text);
	return out;
}

static bool add(as_redactor *r, const char *name, assay_str value)
{
	size_t at = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (as_str_eq(r->list[i].plain, value)) {
			return true;
		}
		at += r->list[i].plain.len >= value.len; /* longest first: one may be part of another */
	}
	if (!as_grow(&r->list, &r->cap, r->n + 1, sizeof *r->list)) {
		return false;
	}
	memmove(&r->list[at + 1], &r->list[at], (r->n - at) * sizeof *r->list);
	r->list[at] = (secret){as_arena_str(&r->arena, as_str(name)), as_arena_str(&r->arena, value), {NULL, 0}};
	r->list[at].escaped = escape(&r->arena, value);
	r->n++;
	return !r->arena.failed;
}

bool as_redactor_add(as_redactor *r, const char *name, assay_str value)
{
	bool good = true;
	if (value.len < AS_REDACT_MIN) {
		return true;
	}
	pthread_mutex_lock(&r->lock);
	good = add(r, name, value);
	pthread_mutex_unlock(&r->lock);
	return good;
}

static bool replace(as_buf *text, assay_str what, assay_str name)
{
	as_buf out = {0};
	bool found = false;
	if (what.len == 0 || !as_str_contains(as_buf_str(text), what)) {
		return false;
	}
	for (size_t i = 0; i < text->len;) {
		if (i + what.len <= text->len && memcmp(text->ptr + i, what.ptr, what.len) == 0) {
			as_buf_printf(&out, "\xC2\xABsecret:%.*s\xC2\xBB", ASSAY_FMT(name));
			i += what.len;
			found = true;
		} else {
			as_buf_byte(&out, text->ptr[i++]);
		}
	}
	as_buf_free(text);
	*text = out; /* with its failure, if any: better no text than one with a secret */
	return found;
}

bool as_redact(as_redactor *r, as_buf *text)
{
	bool found = false;
	if (!r) {
		return false;
	}
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->n; i++) {
		found |= replace(text, r->list[i].plain, r->list[i].name);
		found |= replace(text, r->list[i].escaped, r->list[i].name);
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

/* A text that was cut in the middle of a secret ends with the beginning of one. */
static bool redact_end(as_redactor *r, as_buf *text)
{
	bool found = false;
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->n && !found; i++) {
		assay_str plain = r->list[i].plain;
		for (size_t n = plain.len - 1; n >= AS_REDACT_MIN && !found; n--) {
			if (n <= text->len && memcmp(text->ptr + text->len - n, plain.ptr, n) == 0) {
				text->len -= n;
				text->ptr[text->len] = '\0';
				found = true;
			}
		}
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

void as_redact_array(as_redactor *r, char *text, size_t size)
{
	as_buf b = {0};
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
