/* Streams of the HTTP server: a tool runs in a worker thread, its messages become events, and whoever asked reads them.
 */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/mcp/server_http_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_STREAMS 64u
#define MAX_BYTES ((size_t)32 << 20) /* of the events of one stream */
#define RETRY_MS 100

/* Call with the lock held. */
static int push(stream *s, const char *format_id, assay_str data, bool gap)
{
	as_buf text = {0};
	event *e;

	if (s->bytes + data.len > MAX_BYTES) {
		return ASSAY_ELIMIT;
	}
	if (s->session) {
		as_buf_printf(&text, "id: %" PRIu64 "-%" PRIu64 "\n%s", s->number, s->n_events, format_id);
	}
	as_buf_puts(&text, "data: ");
	as_buf_add(&text, data);
	as_buf_puts(&text, "\n\n");
	e = text.failed ? NULL : as_new(1, sizeof *e + text.len);
	if (!e) {
		as_buf_free(&text);
		return ASSAY_ENOMEM;
	}
	e->number = s->n_events++;
	e->gap = gap;
	e->len = gap ? 0 : text.len;
	memcpy(e->text, text.ptr, text.len);
	s->bytes += text.len;
	*(s->last ? &s->last->next : &s->first) = e;
	s->last = e;
	as_buf_free(&text);
	pthread_cond_broadcast(&s->hub->changed);
	return 0;
}

static int send_event(void *channel, assay_str message, assay_error *err)
{
	stream *s = channel;
	int rc;

	pthread_mutex_lock(&s->hub->lock);
	rc = push(s, "", message, false);
	pthread_mutex_unlock(&s->hub->lock);
	return rc ? as_fail(err, rc, "the stream takes no more") : 0;
}

static void interrupt(void *channel)
{
	stream *s = channel;

	if (s->session) {
		pthread_mutex_lock(&s->hub->lock);
		push(s, "", (assay_str){0}, true);
		pthread_mutex_unlock(&s->hub->lock);
	}
}

/* The lock is held. False when nothing happened until then. */
static bool wait_until(hub *h, int64_t deadline_ms)
{
	struct timespec t;
	int64_t left = as_remaining(deadline_ms);

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += (time_t)(left / 1000);
	t.tv_nsec += (long)(left % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return pthread_cond_timedwait(&h->changed, &h->lock, &t) != ETIMEDOUT;
}

static int ask_client(void *channel, const char *method, const assay_json *params, assay_json **answer,
		      assay_error *err)
{
	stream *s = channel;
	int64_t deadline = as_deadline(AS_MCP_ASK_MS);
	as_buf line = {0};
	int rc;

	pthread_mutex_lock(&s->hub->lock);
	s->asked = ++s->hub->last_question;
	as_rpc_write_request(&line, s->asked, method, params);
	rc = line.failed ? ASSAY_ENOMEM : push(s, "", as_buf_str(&line), false);
	while (!rc && !s->answer && !s->hub->closing) {
		if (!wait_until(s->hub, deadline) && !s->answer) {
			rc = ASSAY_ETIMEOUT;
		}
	}
	*answer = s->answer;
	s->answer = NULL;
	s->asked = 0;
	pthread_mutex_unlock(&s->hub->lock);
	as_buf_free(&line);
	return *answer ? 0 : as_fail(err, rc ? rc : ASSAY_ECANCELED, "the client has not answered %s", method);
}

void as_stream_answer(hub *h, const session *owner, const as_rpc_message *m)
{
	assay_json *answer = as_json_object();
	int rc = 0;

	if (m->result) {
		rc = as_json_set(answer, "result", as_json_clone(m->result));
	} else {
		rc = as_json_set(answer, "error", as_json_clone(m->error));
	}
	pthread_mutex_lock(&h->lock);
	for (stream *s = h->streams; s && !rc; s = s->next) {
		if (s->session == owner && s->asked && !s->answer && as_rpc_id_is(m->id, s->asked)) {
			s->answer = answer;
			answer = NULL;
			pthread_cond_broadcast(&h->changed);
			break;
		}
	}
	pthread_mutex_unlock(&h->lock);
	as_json_free(answer);
}

static void *work(void *payload)
{
	stream *s = payload;
	as_rpc_message m = as_rpc_read(s->doc);
	as_buf reply = {0};

	if (s->session) {
		as_server_message(&s->exchange, &m, &reply, false);
	} else {
		s->exchange.params = m.params;
		as_server_stateless_request(&s->exchange, &m, &reply);
	}
	pthread_mutex_lock(&s->hub->lock);
	if (!reply.failed) {
		push(s, "", as_buf_str(&reply), false);
	}
	s->finished = true;
	pthread_cond_broadcast(&s->hub->changed);
	pthread_mutex_unlock(&s->hub->lock);
	as_buf_free(&reply);
	return NULL;
}

int as_stream_start(hub *h, session *owner, assay_json *doc, stream **out)
{
	stream *s = h->n_streams < MAX_STREAMS ? as_new(1, sizeof *s) : NULL;

	*out = NULL;
	if (!s) {
		as_json_free(doc);
		return ASSAY_ELIMIT;
	}
	*s = (stream){.hub = h,
		      .session = owner,
		      .doc = doc,
		      .exchange = {.server = &h->server,
				   .peer = owner ? &owner->peer : NULL,
				   .stateless = !owner,
				   .send = send_event,
				   .ask = ask_client,
				   .interrupt = interrupt,
				   .channel = s}};
	pthread_mutex_lock(&h->lock);
	s->number = ++h->last_stream;
	/* The client may come back for what it has missed, and is told how soon: revisions from 2025-11-25 on know it.
	 */
	if (owner && owner->peer.revision == as_mcp_revision_newest()) {
		char retry[32];

		snprintf(retry, sizeof retry, "retry: %d\n", RETRY_MS);
		push(s, retry, (assay_str){0}, false);
	}
	if (pthread_create(&s->worker, NULL, work, s) != 0) {
		s->finished = true;
		free(s->first);
		free(s);
		pthread_mutex_unlock(&h->lock);
		as_json_free(doc);
		return ASSAY_ENOMEM;
	}
	s->next = h->streams;
	h->streams = s;
	h->n_streams++;
	pthread_mutex_unlock(&h->lock);
	*out = s;
	return 0;
}

stream *as_stream_find(hub *h, const session *owner, uint64_t number)
{
	for (stream *s = h->streams; s; s = s->next) {
		if (s->session == owner && s->number == number) {
			return s;
		}
	}
	return NULL;
}

static void free_stream(stream *s)
{
	while (s->first) {
		event *next = s->first->next;

		free(s->first);
		s->first = next;
	}
	as_json_free(s->answer);
	as_json_free(s->doc);
	free(s);
}

void as_stream_sweep(hub *h)
{
	stream *over = NULL;

	pthread_mutex_lock(&h->lock);
	for (stream **at = &h->streams; *at;) {
		stream *s = *at;
		/* With a session somebody may come back for it while there is room. */
		bool wanted = s->session && h->n_streams < MAX_STREAMS / 2;

		if (h->closing || (s->finished && s->read && !wanted)) {
			*at = s->next;
			h->n_streams--;
			s->next = over;
			over = s;
		} else {
			at = &s->next;
		}
	}
	pthread_mutex_unlock(&h->lock);
	while (over) {
		stream *next = over->next;

		pthread_join(over->worker, NULL);
		free_stream(over);
		over = next;
	}
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

typedef struct cursor {
	stream *stream;
	uint64_t next;
	size_t offset; /* into that event */
} cursor;

static const event *event_at(const stream *s, uint64_t number)
{
	const event *e = s->first;

	while (e && e->number < number) {
		e = e->next;
	}
	return e;
}

static ssize_t read_stream(void *payload, uint64_t pos, char *buf, size_t max)
{
	cursor *c = payload;
	hub *h = c->stream->hub;
	const event *e;
	ssize_t n = MHD_CONTENT_READER_END_OF_STREAM;

	(void)pos;
	pthread_mutex_lock(&h->lock);
	while (!(e = event_at(c->stream, c->next)) && !c->stream->finished && !h->closing) {
		pthread_cond_wait(&h->changed, &h->lock);
	}
	if (e && !e->gap && !h->closing) {
		size_t left = e->len - c->offset;

		n = (ssize_t)(left < max ? left : max);
		memcpy(buf, e->text + c->offset, (size_t)n);
		c->offset += (size_t)n;
		if (c->offset == e->len) {
			c->next++;
			c->offset = 0;
		}
	}
	pthread_mutex_unlock(&h->lock);
	return n;
}

static void end_reading(void *payload)
{
	cursor *c = payload;
	hub *h = c->stream->hub;

	pthread_mutex_lock(&h->lock);
	c->stream->read = true;
	pthread_mutex_unlock(&h->lock);
	free(c);
}

struct MHD_Response *as_stream_response(stream *s, uint64_t from)
{
	cursor *c = as_new(1, sizeof *c);
	struct MHD_Response *r;

	if (!c) {
		return NULL;
	}
	*c = (cursor){.stream = s, .next = from};
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, c, end_reading);
	if (!r) {
		free(c);
		return NULL;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
	return r;
}
