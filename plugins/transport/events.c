#include "events.h"

#include <string.h>

static int append(events *e, events_text *t, const char *ptr, size_t n)
{
	if (n > e->max - t->len) {
		return ASSAY_ELIMIT;
	}
	if (t->cap - t->len < n + 1) {
		size_t cap = t->cap ? t->cap : 256;
		char *grown;

		while (cap < t->len + n + 1) {
			cap *= 2;
		}
		grown = e->resize(t->ptr, cap);
		if (!grown) {
			return ASSAY_ENOMEM;
		}
		t->ptr = grown;
		t->cap = cap;
	}
	memcpy(t->ptr + t->len, ptr, n);
	t->len += n;
	t->ptr[t->len] = '\0';
	return 0;
}

static assay_str text_of(const events_text *t)
{
	return (assay_str){t->ptr, t->len};
}

static int set(events *e, events_text *t, assay_str value)
{
	t->len = 0;
	return append(e, t, value.len ? value.ptr : "", value.len);
}

/* "retry" counts when it consists of digits alone; what is beyond an hour is an hour. */
static void take_retry(events *e, assay_str value)
{
	int64_t ms = 0;

	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '9') {
			return;
		}
		ms = ms * 10 + (value.ptr[i] - '0');
		ms = ms < 3600000 ? ms : 3600000;
	}
	if (value.len > 0) {
		e->retry_ms = ms;
		e->has_retry = 1;
	}
}

static int is(assay_str s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.ptr, word, s.len) == 0;
}

static int take_field(events *e, assay_str name, assay_str value)
{
	int rc = 0;

	if (is(name, "data")) {
		if (e->has_data) {
			rc = append(e, &e->data, "\n", 1);
		}
		e->has_data = 1;
		return rc ? rc : append(e, &e->data, value.len ? value.ptr : "", value.len);
	}
	if (is(name, "event")) {
		return set(e, &e->name, value);
	}
	if (is(name, "id")) {
		if (value.len > 0 && memchr(value.ptr, '\0', value.len)) {
			return 0;
		}
		e->has_id = 1;
		return set(e, &e->new_id, value);
	}
	if (is(name, "retry")) {
		take_retry(e, value);
	}
	return 0;
}

/* A blank line: the event is complete. Its id counts whether it has data or not. */
static int dispatch(events *e)
{
	static const char usual[] = "message";
	int rc = 0;

	if (e->has_id) {
		rc = set(e, &e->id, text_of(&e->new_id));
		e->has_id = 0;
	}
	if (!rc && e->data.len > 0) {
		rc = e->on_event(e->payload, e->name.len ? text_of(&e->name) : (assay_str){usual, sizeof usual - 1},
				 text_of(&e->data));
	}
	e->data.len = e->name.len = 0;
	e->has_data = 0;
	return rc;
}

static int take_line(events *e)
{
	assay_str line = text_of(&e->line), name, value = {0};
	const char *colon;

	if (!e->bom) {
		e->bom = 1;
		if (line.len >= 3 && memcmp(line.ptr, "\xEF\xBB\xBF", 3) == 0) {
			line.ptr += 3;
			line.len -= 3;
		}
	}
	if (line.len == 0) {
		return dispatch(e);
	}
	colon = memchr(line.ptr, ':', line.len);
	name = line;
	if (colon) {
		name.len = (size_t)(colon - line.ptr);
		value = (assay_str){colon + 1, line.len - name.len - 1};
		if (value.len > 0 && value.ptr[0] == ' ') {
			value.ptr++;
			value.len--;
		}
	}
	return name.len > 0 ? take_field(e, name, value) : 0; /* a comment keeps the connection alive */
}

int events_feed(events *e, assay_str bytes)
{
	const char *at = bytes.ptr, *end = bytes.ptr + bytes.len;
	int rc = 0;

	while (at < end && !rc) {
		const char *stop = at;

		if (e->after_cr) {
			e->after_cr = 0;
			if (*at == '\n') {
				at++;
				continue;
			}
		}
		while (stop < end && *stop != '\n' && *stop != '\r') {
			stop++;
		}
		rc = append(e, &e->line, at, (size_t)(stop - at));
		at = stop;
		if (!rc && stop < end) {
			e->after_cr = *stop == '\r';
			at++;
			rc = take_line(e);
			e->line.len = 0;
		}
	}
	return rc;
}

void events_restart(events *e)
{
	e->line.len = e->data.len = e->name.len = e->new_id.len = 0;
	e->has_data = e->has_id = e->after_cr = e->bom = 0;
}

assay_str events_last_id(const events *e)
{
	return text_of(&e->id);
}

void events_free(events *e, void (*release)(void *p))
{
	release(e->line.ptr);
	release(e->data.ptr);
	release(e->name.ptr);
	release(e->id.ptr);
	release(e->new_id.ptr);
	e->line = e->data = e->name = e->id = e->new_id = (events_text){0};
}
