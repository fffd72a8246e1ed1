#include "http_link.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CLOSE_MS 2000
#define ENDPOINT_EVENT "endpoint"
#define MAX_ENDPOINT ((size_t)8192)

const char link_options[] =
	"{\"type\":\"object\",\"required\":[\"url\"],\"properties\":{"
	"\"url\":{\"type\":\"string\",\"pattern\":\"^[hH][tT][tT][pP][sS]?://\",\"description\":\"where the server listens\"},"
	"\"headers\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
	"\"description\":\"headers of every request\"},"
	"\"type\":{\"type\":\"string\",\"description\":\"may be said, need not be\"}},"
	/* Launch records are read as other programs wrote them, with keys of their own. */
	"\"additionalProperties\":true}";

int64_t link_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int no_memory(const link *l, assay_error *err)
{
	return l->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

char *link_join(const assay_host *host, const char *a, const char *b, const char *c)
{
	size_t n = strlen(a), m = strlen(b), k = strlen(c);
	char *s = host->alloc(n + m + k + 1);

	if (s) {
		memcpy(s, a, n);
		memcpy(s + n, b, m);
		memcpy(s + n + m, c, k);
	}
	return s;
}

char *link_copy(const assay_host *host, assay_str s)
{
	char *c = host->alloc(s.len + 1);

	if (c && s.len > 0) {
		memcpy(c, s.ptr, s.len);
	}
	return c;
}

/* --- options ----------------------------------------------------------------------------------------------------- */

static int is_among(assay_str name, const char *const *list)
{
	for (size_t i = 0; list[i]; i++) {
		if (name.len == strlen(list[i]) && strncasecmp(name.ptr, list[i], name.len) == 0) {
			return 1;
		}
	}
	return 0;
}

/* What variables made of a header's value goes out as it is: a line break would begin a header of its own. */
static int is_clean(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < 0x20 && c != '\t') || c == 0x7F) {
			return 0;
		}
	}
	return 1;
}

/* What other clients' files often hold, and where ours are meant to win. */
static const char *const own_headers[] = {"Accept", "Content-Type", NULL};

static int read_headers(link *l, const assay_json *headers, assay_error *err)
{
	const assay_json_api *J = l->host->json;
	size_t n = 0;

	l->headers = l->host->alloc((J->count(headers) + 1) * sizeof *l->headers);
	if (!l->headers) {
		return no_memory(l, err);
	}
	for (const assay_json *v = J->first(headers); v; v = J->next(v)) {
		assay_str name = J->key(v), value = J->str(v);
		char *key, *text;

		if (!is_clean(value)) {
			return l->host->fail(
				err, ASSAY_EINVAL,
				"the value of header \"%.*s\" holds a line break or another control character",
				(int)(name.len < 64 ? name.len : 64), name.ptr);
		}
		if (is_among(name, own_headers)) {
			continue;
		}
		key = link_copy(l->host, name);
		text = link_copy(l->host, value);
		l->headers[n] = key && text ? link_join(l->host, key, ": ", text) : NULL;
		l->host->free(key);
		l->host->free(text);
		if (!l->headers[n++]) {
			return no_memory(l, err);
		}
	}
	return 0;
}

static void on_release_queue(link *l)
{
	while (l->first) {
		link_message *next = l->first->next;

		l->host->free(l->first);
		l->first = next;
	}
	l->last = NULL;
	l->queued = 0;
}

static void free_stream(link *l, stream *s)
{
	link_end(l, s);
	events_free(&s->parser, l->host->free);
	l->host->free(s->body.ptr);
}

/* A session is ended in good order: what the server keeps for it is not for ever. Nobody waits long for that. */
static void say_goodbye(link *l)
{
	int64_t end = link_now() + CLOSE_MS;
	int over = 0;

	if (link_begin(l, &l->aside, "DELETE", l->url, (assay_str){0}, NULL, NULL)) {
		return;
	}
	while (!over && link_take(l, &l->aside, &over, NULL) == 0 && !over) {
		int64_t left = end - link_now();

		if (left <= 0 || l->host->http->wait(NULL, l->group, left, NULL)) {
			return;
		}
	}
}

void link_close(void *instance)
{
	link *l = instance;

	if (!l) {
		return;
	}
	link_end(l, &l->request);
	link_end(l, &l->listener);
	link_end(l, &l->aside);
	if (l->group && l->session && !l->older) {
		say_goodbye(l);
	}
	free_stream(l, &l->request);
	free_stream(l, &l->listener);
	free_stream(l, &l->aside);
	l->host->http->group_free(l->group);
	on_release_queue(l);
	for (size_t i = 0; l->headers && l->headers[i]; i++) {
		l->host->free(l->headers[i]);
	}
	l->host->free(l->headers);
	l->host->free(l->url);
	l->host->free(l->endpoint);
	l->host->free(l->session);
	l->host->free(l->revision);
	l->host->free(l->standing);
	l->host->free(l->standing_header);
	l->host->free(l->refusal);
	l->host->free(l);
}

static int on_event(void *payload, assay_str name, assay_str data)
{
	stream *s = payload;
	link *l = s->owner;

	s->tries = 0;
	if (l->older && name.len == strlen(ENDPOINT_EVENT) && memcmp(name.ptr, ENDPOINT_EVENT, name.len) == 0) {
		return l->endpoint ? 0 : link_resolve(l->host, l->url, data, &l->endpoint, s->fault);
	}
	return link_push(l, data);
}

static void init_stream(link *l, stream *s)
{
	s->owner = l;
	s->parser = (events){.resize = l->host->resize, .max = LINK_MAX_MESSAGE, .on_event = on_event, .payload = s};
}

int link_open(const assay_host *host, const assay_json *options, void **instance, assay_error *err)
{
	const assay_json_api *J = host->json;
	assay_str url = J->str(J->get(options, "url"));
	link *l;
	int rc;

	if (!ASSAY_HAS(host->http, end)) {
		return host->fail(err, ASSAY_ENOTSUP, "this program has no HTTP exchanges");
	}
	l = host->alloc(sizeof *l);
	if (!l) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	l->host = host;
	init_stream(l, &l->request);
	init_stream(l, &l->listener);
	init_stream(l, &l->aside);
	/* A fragment is not for the server. */
	for (size_t i = 0; i < url.len; i++) {
		if (url.ptr[i] == '#') {
			url.len = i;
		}
	}
	l->url = link_copy(host, url);
	rc = l->url ? read_headers(l, J->get(options, "headers"), err) : no_memory(l, err);
	if (!rc && !is_clean(url)) {
		rc = host->fail(err, ASSAY_EINVAL, "the url holds control characters");
	}
	if (rc) {
		link_close(l);
		return rc;
	}
	*instance = l;
	return 0;
}

/* --- streams ----------------------------------------------------------------------------------------------------- */

void link_end(link *l, stream *s)
{
	l->host->http->end(s->exchange);
	s->exchange = NULL;
	s->status = 0;
	s->kind = STREAM_NONE;
	s->body.len = 0;
	s->again_ms = 0;
	s->handed_on = 0;
	l->host->free(s->elsewhere);
	s->elsewhere = NULL;
}

static size_t count_lines(const char *const *list)
{
	size_t n = 0;

	while (list && list[n]) {
		n++;
	}
	return n;
}

int link_begin(link *l, stream *s, const char *method, const char *url, assay_str body, const char *const *extra,
	       assay_error *err)
{
	size_t n = 0, fixed = count_lines((const char *const *)l->headers), more = count_lines(extra);
	assay_str last = events_last_id(&s->parser);
	const char **lines = l->host->alloc((fixed + more + 6) * sizeof *lines);
	assay_http_request request = {.size = sizeof request,
				      .method = method,
				      .url = url,
				      .headers = lines,
				      .body = body,
				      .max_body = LINK_MAX_MESSAGE + ((size_t)1 << 20)};
	char *id = NULL;
	int rc;

	link_end(l, s);
	if (!lines) {
		return no_memory(l, err);
	}
	memcpy(lines, l->headers, fixed * sizeof *lines);
	n = fixed;
	lines[n++] = method[0] == 'P' && !l->older ? "Accept: application/json, text/event-stream"
		     : method[0] == 'G'            ? "Accept: text/event-stream"
						   : "Accept: */*";
	if (method[0] == 'P') {
		lines[n++] = "Content-Type: application/json";
	}
	if (l->session && !l->older) {
		lines[n++] = l->session;
	}
	if (l->revision && !l->older) {
		lines[n++] = l->revision;
	}
	if (method[0] == 'G' && last.len > 0 && is_clean(last)) {
		id = link_join(l->host, "Last-Event-ID: ", last.ptr, "");
		lines[n++] = id ? id : "Last-Event-ID:";
	}
	if (more > 0) {
		memcpy(lines + n, extra, more * sizeof *lines);
	}
	events_restart(&s->parser);
	rc = l->host->http->begin(l->group, &request, &s->exchange, err);
	l->host->free(id);
	l->host->free(lines);
	return rc;
}

static int type_is(assay_str type, const char *wanted)
{
	size_t n = strlen(wanted);

	return type.len >= n && strncasecmp(type.ptr, wanted, n) == 0 &&
	       (type.len == n || strchr("; \t,", type.ptr[n]) != NULL);
}

/* The id of the session: visible ASCII, or it is none. */
static int keep_session(link *l, const assay_json *headers, assay_error *err)
{
	assay_str id = l->host->json->str(l->host->json->get(headers, "mcp-session-id"));
	char *text;

	if (!l->begins || id.len == 0) {
		return 0;
	}
	if (id.len > 4096) {
		return l->host->fail(err, ASSAY_EPROTO, "its MCP-Session-Id has %zu bytes, more than 4096", id.len);
	}
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] < 0x21 || id.ptr[i] > 0x7E) {
			return l->host->fail(err, ASSAY_EPROTO, "its MCP-Session-Id is not visible ASCII");
		}
	}
	text = link_copy(l->host, id);
	l->host->free(l->session);
	l->session = text ? link_join(l->host, "MCP-Session-Id: ", text, "") : NULL;
	l->host->free(text);
	return l->session ? 0 : no_memory(l, err);
}

static int take_head(link *l, stream *s, const assay_http_progress *p, assay_error *err)
{
	assay_str type = l->host->json->str(l->host->json->get(p->headers, "content-type"));

	s->status = p->status;
	if (p->address) {
		s->elsewhere = link_join(l->host, p->address, "", "");
	}
	if (s->status < 200 || s->status > 299) {
		s->kind = STREAM_OTHER;
	} else if (type_is(type, "text/event-stream")) {
		s->kind = STREAM_EVENTS;
	} else {
		s->kind = type_is(type, "application/json") ? STREAM_JSON : STREAM_OTHER;
	}
	return s == &l->request && s->status == 200 ? keep_session(l, p->headers, err) : 0;
}

static int grow(const assay_host *host, events_text *t, assay_str more)
{
	if (t->cap - t->len < more.len + 1) {
		size_t cap = t->len + more.len + 1;
		char *p;

		cap = cap < t->cap * 2 ? t->cap * 2 : cap;
		p = host->resize(t->ptr, cap);
		if (!p) {
			return ASSAY_ENOMEM;
		}
		t->ptr = p;
		t->cap = cap;
	}
	if (more.len > 0) {
		memcpy(t->ptr + t->len, more.ptr, more.len);
	}
	t->len += more.len;
	t->ptr[t->len] = '\0';
	return 0;
}

static int take_bytes(link *l, stream *s, assay_str bytes, assay_error *err)
{
	int rc;

	if (s->kind == STREAM_EVENTS) {
		s->fault = err;
		rc = events_feed(&s->parser, bytes);
		s->fault = NULL;
		if (rc == ASSAY_EPROTO) {
			return rc; /* link_resolve has said it */
		}
	} else {
		if (s->kind == STREAM_OTHER && s->body.len + bytes.len > LINK_MAX_REFUSAL) {
			bytes.len = LINK_MAX_REFUSAL - s->body.len;
		}
		rc = s->body.len + bytes.len > LINK_MAX_MESSAGE ? ASSAY_ELIMIT : grow(l->host, &s->body, bytes);
	}
	if (rc == ASSAY_ELIMIT && l->overfull) {
		return l->host->fail(err, rc, "more than %zu bytes of messages that nobody waited for", LINK_MAX_QUEUE);
	}
	if (rc == ASSAY_ELIMIT) {
		return l->host->fail(err, rc, "a message of more than %zu bytes", LINK_MAX_MESSAGE);
	}
	return rc ? l->host->fail(err, rc, "out of memory") : 0;
}

typedef struct taker {
	assay_sink sink; /* first: the host holds a pointer to it */
	link *l;
	stream *s;
	const assay_http_progress *progress;
} taker;

static int look_at_head(const taker *t, assay_error *err)
{
	return t->s->status == 0 && t->progress->status != 0 ? take_head(t->l, t->s, t->progress, err) : 0;
}

static int taker_write(assay_sink *sink, assay_str bytes, assay_error *err)
{
	taker *t = (taker *)(void *)sink;
	int rc = look_at_head(t, err);

	return rc ? rc : take_bytes(t->l, t->s, bytes, err);
}

int link_take(link *l, stream *s, int *over, assay_error *err)
{
	assay_http_progress p = {.size = sizeof p};
	taker t = {{.size = sizeof t.sink, .write = taker_write}, l, s, &p};
	int rc = l->host->http->take(s->exchange, &p, &t.sink, err);

	rc = rc ? rc : look_at_head(&t, err); /* that nothing follows yet */
	*over = p.ended;
	return rc;
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

/* What a message takes of memory: of a short one most is what keeps it. */
static size_t cost_of(size_t length)
{
	const size_t block = 16;

	return (sizeof(link_message) + length + 1 + sizeof(size_t) + block - 1) / block * block;
}

int link_push(link *l, assay_str text)
{
	link_message *m;

	if (cost_of(text.len) > LINK_MAX_QUEUE - l->queued) {
		l->overfull = 1;
		return ASSAY_ELIMIT;
	}
	m = l->host->alloc(sizeof *m + text.len + 1);
	if (!m) {
		return ASSAY_ENOMEM;
	}
	memcpy(m->text, text.ptr, text.len);
	m->len = text.len;
	l->queued += cost_of(text.len);
	*(l->last ? &l->last->next : &l->first) = m;
	l->last = m;
	return 0;
}

int link_deliver(link *l, assay_sink *sink, int *stop, assay_error *err)
{
	int some = 0;

	*stop = 0;
	while (l->first && !*stop) {
		link_message *m = l->first;
		int rc;

		l->first = m->next;
		l->last = l->first ? l->last : NULL;
		l->queued -= cost_of(m->len);
		rc = sink->write(sink, (assay_str){m->text, m->len}, err);
		l->host->free(m);
		if (rc < 0) {
			return rc;
		}
		*stop = rc > 0;
		some = 1;
	}
	return some;
}

int link_refuse(link *l, stream *s, assay_error *err)
{
	assay_error *target = err;
	int status = s->status;
	const char *with = s->handed_on                                 ? " with a body that holds no answer"
			   : s->kind == STREAM_OTHER && s->body.len > 0 ? " with a body that is neither JSON nor an "
									  "event stream"
									: " without a message";
	char *elsewhere = s->elsewhere;

	s->elsewhere = NULL;
	l->refused = s->status;
	l->host->free(l->refusal);
	l->refusal = link_copy(l->host, (assay_str){s->body.ptr, s->body.len});
	l->refusal_len = l->refusal ? s->body.len : 0;
	link_end(l, s);
	l->host->fail(target, ASSAY_EDATA, "HTTP status %d%s%s%s", status, elsewhere ? " by " : "",
		      elsewhere ? elsewhere : "", status >= 200 && status < 300 ? with : "");
	if (target) {
		target->detail = status;
	}
	if (target && elsewhere && !target->hint[0]) {
		snprintf(
			target->hint, sizeof target->hint,
			"a redirect led there without the headers, as to any other host, or without the message (303): "
			"name its address as the \"url\"");
	}
	l->host->free(elsewhere);
	return ASSAY_EDATA;
}

void link_refusal(void *instance, int32_t *status, assay_str *body)
{
	const link *l = instance;

	*status = l->refused;
	*body = (assay_str){l->refusal, l->refusal_len};
}

int link_post_aside(link *l, assay_call *call, const char *url, assay_str text, const char *const *extra,
		    assay_error *err)
{
	int over = 0;
	int rc = link_begin(l, &l->aside, "POST", url, text, extra, err);

	while (!rc && !over) {
		rc = link_take(l, &l->aside, &over, err);
		/* A 2xx is all that is asked for; what may follow it is nobody's business. */
		if (!rc && l->aside.status >= 200 && l->aside.status < 300) {
			break;
		}
		if (!rc && !over) {
			rc = l->host->http->wait(call, l->group, l->host->remaining_ms(call), err);
		}
		/* News of the other streams stay news until they are looked at, so they are: a busy loop otherwise. */
		if (!rc && !over && l->request.exchange && l->request.status != 0 && l->request.kind == STREAM_EVENTS) {
			int other = 0;

			rc = link_take(l, &l->request, &other, err);
		}
		if (!rc && !over && l->listener.exchange && l->listener.status != 0) {
			int other = 0;

			rc = link_take(l, &l->listener, &other, err);
		}
	}
	if (!rc && (l->aside.status < 200 || l->aside.status > 299)) {
		return link_refuse(l, &l->aside, err);
	}
	link_end(l, &l->aside);
	return rc;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

/* Where the path begins: behind "scheme://authority". */
static size_t origin_length(assay_str url)
{
	size_t i = 0;

	while (i + 2 < url.len && memcmp(url.ptr + i, "://", 3) != 0) {
		i++;
	}
	if (i + 2 >= url.len) {
		return 0;
	}
	for (i += 3; i < url.len && !strchr("/?#", url.ptr[i]); i++) {
	}
	return i;
}

/* "http" and port 80, and a user's name, are to be said in both or in neither. */
static int same_origin(const char *a, size_t n, assay_str b)
{
	size_t m = origin_length(b);

	return m == n && strncasecmp(a, b.ptr, n) == 0;
}

static int is_address(assay_str s)
{
	return s.len > 0 && s.len <= MAX_ENDPOINT && is_clean(s) && !memchr(s.ptr, ' ', s.len) &&
	       !memchr(s.ptr, '\t', s.len);
}

/* Is it no path, but "SCHEME:..." (RFC 3986, section 3.1) or "//HOST..."? */
static int has_origin(assay_str reference)
{
	size_t i = 0;

	while (i < reference.len && (isalnum((unsigned char)reference.ptr[i]) || strchr("+-.", reference.ptr[i]))) {
		i++;
	}
	return (i > 0 && i < reference.len && reference.ptr[i] == ':') ||
	       (reference.len > 1 && reference.ptr[0] == '/' && reference.ptr[1] == '/');
}

/* Told as a whole or not at all: what may be a secret in it is known by its whole value. */
static int refuse_endpoint(const assay_host *host, assay_str reference, assay_error *err)
{
	char named[200];

	if (reference.len + 3 > sizeof named) {
		snprintf(named, sizeof named, "an address of %zu bytes", reference.len);
	} else {
		snprintf(named, sizeof named, "\"%.*s\"", (int)reference.len, reference.ptr);
	}
	return host->fail(
		err, ASSAY_EPROTO,
		"its endpoint event names %s (expected a path, or an address with the scheme, host and port of its "
		"\"url\", of at most %zu bytes and without blanks)",
		named, MAX_ENDPOINT);
}

int link_resolve(const assay_host *host, const char *base, assay_str reference, char **out, assay_error *err)
{
	size_t origin = origin_length((assay_str){base, strlen(base)}), keep = origin;
	char *head, *tail;

	*out = NULL;
	if (!is_address(reference) || (has_origin(reference) && !same_origin(base, origin, reference))) {
		return refuse_endpoint(host, reference, err);
	}
	if (has_origin(reference)) {
		*out = link_copy(host, reference);
		return *out ? 0 : host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	if (reference.ptr[0] != '/') {
		size_t end = origin + strcspn(base + origin, "?#");

		keep = end;
		while (reference.ptr[0] != '?' && keep > origin && base[keep - 1] != '/') {
			keep--;
		}
	}
	head = link_copy(host, (assay_str){base, keep});
	tail = link_copy(host, reference);
	if (head && tail) {
		*out = link_join(host, head, keep == origin && tail[0] != '/' && tail[0] != '?' ? "/" : "", tail);
	}
	host->free(head);
	host->free(tail);
	return *out ? 0 : host->fail(err, ASSAY_ENOMEM, "out of memory");
}
