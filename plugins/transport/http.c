/* transport/streamable-http: every message is a POST to one address, answered by JSON or by an event stream. Source:
 * reference page "MCP for a C implementer", sections 6 and 8. Servers that only know the older way are spoken to by
 * that (fall_back). transport/sse: the older way from the start. */
#include "http_link.h"

#include <string.h>

#define RETRY_MS 1000      /* when the server asks for nothing else */
#define LEAST_RETRY_MS 100 /* whatever it asks for */
#define MAX_TRIES 5        /* to take up a stream that brings nothing */

/* Revisions are dates. From this one on there are no sessions, and a stream that broke is not taken up again. */
#define STATELESS_SINCE "2026-07-28"

static int stream_connect(void *instance, assay_call *call, assay_error *err)
{
	link *l = instance;

	if (l->group) {
		return l->host->fail(err, ASSAY_EINVAL, "already connected");
	}
	return l->host->http->group_new(call, &l->group, err);
}

static int note_revision(link *l, const char *revision, assay_error *err)
{
	static const char name[] = "MCP-Protocol-Version: ";

	l->begins = revision == NULL;
	if (l->revision && revision && strcmp(l->revision + sizeof name - 1, revision) == 0) {
		return 0;
	}
	l->host->free(l->revision);
	l->revision = revision ? link_join(l->host, name, revision, "") : NULL;
	return revision && !l->revision ? l->host->fail(err, ASSAY_ENOMEM, "out of memory") : 0;
}

/* The listener's stream: a GET where there are sessions, else the reply to the request that stands. */
static int open_listener(link *l, assay_error *err)
{
	const char *const headers[] = {l->standing_header, NULL};

	return l->standing ? link_begin(l, &l->listener, "POST", l->url, (assay_str){l->standing, strlen(l->standing)},
					headers, err)
			   : link_begin(l, &l->listener, "GET", l->url, (assay_str){0}, NULL, err);
}

static int keep_standing(link *l, const assay_message *m, assay_error *err)
{
	const char *header = m->headers ? m->headers[0] : NULL;

	l->host->free(l->standing);
	l->host->free(l->standing_header);
	l->standing = link_copy(l->host, m->text);
	l->standing_header = header ? link_join(l->host, header, "", "") : NULL;
	if (!l->standing || (header && !l->standing_header)) {
		return l->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	return open_listener(l, err);
}

static int stream_send_message(void *instance, assay_call *call, const assay_message *m, assay_error *err)
{
	link *l = instance;
	int rc;

	if (!l->group) {
		return l->host->fail(err, ASSAY_EINVAL, "not connected");
	}
	if (l->older) {
		return older_send(l, call, m, err);
	}
	rc = note_revision(l, m->revision, err);
	if (rc) {
		return rc;
	}
	if (m->kind == ASSAY_MESSAGE_STANDING) {
		return keep_standing(l, m, err);
	}
	if (m->kind != ASSAY_MESSAGE_REQUEST) {
		return link_post_aside(l, call, l->url, m->text, m->headers, err);
	}
	/* The next stream begins without a past. */
	l->request.parser.id.len = 0;
	l->request.parser.has_retry = 0;
	l->request.resumed = l->request.tries = 0;
	return link_begin(l, &l->request, "POST", l->url, m->text, m->headers, err);
}

static int stream_send(void *instance, assay_call *call, assay_str text, assay_error *err)
{
	const assay_message m = {.size = sizeof m, .kind = ASSAY_MESSAGE_NOTIFICATION, .text = text};

	return stream_send_message(instance, call, &m, err);
}

static int64_t retry_time(const stream *s)
{
	int64_t pause = s->parser.has_retry ? s->parser.retry_ms : RETRY_MS;

	return link_now() + (pause > LEAST_RETRY_MS ? pause : LEAST_RETRY_MS);
}

/* The stream of the open request ended without its answer: it may be taken up where it broke off. */
static int ended_early(link *l, stream *s, const assay_error *why, assay_error *err)
{
	int stateless = l->revision && strcmp(strchr(l->revision, ' ') + 1, STATELESS_SINCE) >= 0;
	int64_t again = retry_time(s);

	if (events_last_id(&s->parser).len == 0 || stateless) {
		return l->host->fail(err, ASSAY_EUNREACH, "its event stream %s before the answer",
				     why ? "broke off" : "ended");
	}
	if (s->tries++ >= MAX_TRIES) {
		return l->host->fail(err, ASSAY_EUNREACH,
				     "its event stream was taken up %d times and still brings no answer", MAX_TRIES);
	}
	link_end(l, s);
	s->again_ms = again;
	return 0;
}

/* Take what the stream of the open request brings. */
static int look_at_request(link *l, assay_error *err)
{
	stream *s = &l->request;
	assay_error why = {0};
	int over = 0, rc;

	if (s->handed_on && !l->first) {
		return link_refuse(l, s, err); /* whoever asked has read it, and waits on */
	}
	if (!s->exchange) {
		return 0;
	}
	rc = link_take(l, s, &over, &why);
	if (rc == ASSAY_EUNREACH && s->kind == STREAM_EVENTS) {
		return ended_early(l, s, &why, err);
	}
	if (rc) {
		if (err && err->code == 0) {
			*err = why;
		}
		return rc;
	}
	if (s->kind == STREAM_EVENTS) {
		s->resumed = 0;
		return over && !l->first ? ended_early(l, s, NULL, err) : 0;
	}
	if (!over) {
		return 0;
	}
	if (s->resumed) {
		return l->host->fail(err, ASSAY_EUNREACH, "its event stream cannot be taken up again: HTTP status %d",
				     s->status);
	}
	if (s->kind == STREAM_JSON && s->body.len > 0) {
		rc = link_push(l, (assay_str){s->body.ptr, s->body.len});
		l->host->http->end(s->exchange);
		s->exchange = NULL;
		s->handed_on = 1;
		return rc ? l->host->fail(err, rc, "too many messages at once") : 0;
	}
	return link_refuse(l, s, err);
}

/* The stream for what the server says unasked. It is a convenience: whatever goes wrong with it, it is done without. */
static void look_at_listener(link *l)
{
	stream *s = &l->listener;
	int over = 0, rc;

	if (!s->exchange) {
		return;
	}
	rc = link_take(l, s, &over, NULL);
	if (rc == 0 && !over && (s->status == 0 || s->kind == STREAM_EVENTS)) {
		return;
	}
	if (s->kind == STREAM_EVENTS && s->tries++ < MAX_TRIES) {
		int64_t again = retry_time(s);

		link_end(l, s);
		s->again_ms = again;
	} else {
		link_end(l, s);
	}
}

/* Streams whose time has come are taken up again. The time until the next one's: */
static int64_t take_up(link *l, int64_t left, assay_error *err, int *rc)
{
	stream *all[] = {&l->request, &l->listener};

	*rc = 0;
	for (size_t i = 0; i < 2; i++) {
		stream *s = all[i];
		int64_t wait = s->again_ms ? s->again_ms - link_now() : left;

		if (s->again_ms && wait <= 0) {
			s->resumed = 1;
			*rc = s == &l->listener ? open_listener(l, err)
						: link_begin(l, s, "GET", l->url, (assay_str){0}, NULL, err);
			if (*rc) {
				return 0;
			}
		} else {
			left = wait < left ? wait : left;
		}
	}
	return left > 0 ? left : 0;
}

static int stream_receive(void *instance, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	link *l = instance;
	int64_t end = link_now() + (timeout_ms < 86400000 ? timeout_ms : 86400000);

	if (l->older) {
		return older_receive(l, call, timeout_ms, messages, err);
	}
	for (;;) {
		assay_error none = {0};
		int stop = 0;
		int64_t left;
		int rc = link_deliver(l, messages, &stop, err);

		if (rc) {
			if (stop) {
				link_end(l, &l->request);
			}
			return rc < 0 ? rc : 0;
		}
		rc = look_at_request(l, err);
		if (rc) {
			return rc;
		}
		look_at_listener(l);
		if (l->first) {
			continue;
		}
		left = end - link_now();
		if (left < 0) {
			return l->host->fail(err, ASSAY_ETIMEOUT, "no message within %lld ms", (long long)timeout_ms);
		}
		left = take_up(l, left, err, &rc);
		if (!rc) {
			rc = l->host->http->wait(call, l->group, left, &none);
		}
		/* The wait may have been for a stream to be taken up. */
		if (rc && (rc != ASSAY_ETIMEOUT || end - link_now() <= 0 || l->host->remaining_ms(call) == 0)) {
			return none.code ? l->host->fail(err, rc, "%s", none.message) : rc;
		}
	}
}

static void stream_abandon(void *instance)
{
	link *l = instance;

	link_end(l, &l->request);
}

static int stream_listen(void *instance, assay_call *call, assay_error *err)
{
	link *l = instance;

	(void)call;
	return l->older ? 0 : open_listener(l, err);
}

static int stream_fall_back(void *instance, assay_call *call, assay_error *err)
{
	link *l = instance;

	if (l->older) {
		return l->host->fail(err, ASSAY_ENOTSUP, "there is no older way");
	}
	link_end(l, &l->request);
	return older_connect(l, call, err);
}

static void stream_restart(void *instance)
{
	link *l = instance;

	link_end(l, &l->request);
	link_end(l, &l->listener);
	l->listener.parser.id.len = 0;
	l->host->free(l->session);
	l->session = NULL;
}

static const assay_transport_ops stream_ops = {.size = sizeof stream_ops,
					       .open = link_open,
					       .close = link_close,
					       .connect = stream_connect,
					       .send = stream_send,
					       .receive = stream_receive,
					       .send_message = stream_send_message,
					       .refusal = link_refusal,
					       .abandon = stream_abandon,
					       .listen = stream_listen,
					       .fall_back = stream_fall_back,
					       .restart = stream_restart};

static const assay_impl stream_impl = {.size = sizeof stream_impl,
				       .role = ASSAY_ROLE_TRANSPORT,
				       .role_version = 1,
				       .name = "streamable-http",
				       .summary = "speaks to an MCP server by HTTP requests to one address",
				       .options = link_options,
				       .ops = &stream_ops};

/* --- the older way from the start --------------------------------------------------------------------------------- */

static int sse_connect(void *instance, assay_call *call, assay_error *err)
{
	link *l = instance;
	int rc = l->group ? l->host->fail(err, ASSAY_EINVAL, "already connected")
			  : l->host->http->group_new(call, &l->group, err);

	return rc ? rc : older_connect(l, call, err);
}

static int sse_send_message(void *instance, assay_call *call, const assay_message *m, assay_error *err)
{
	return older_send(instance, call, m, err);
}

static int sse_send(void *instance, assay_call *call, assay_str text, assay_error *err)
{
	const assay_message m = {.size = sizeof m, .kind = ASSAY_MESSAGE_NOTIFICATION, .text = text};

	return older_send(instance, call, &m, err);
}

static int sse_receive(void *instance, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	return older_receive(instance, call, timeout_ms, messages, err);
}

static const assay_transport_ops sse_ops = {.size = sizeof sse_ops,
					    .open = link_open,
					    .close = link_close,
					    .connect = sse_connect,
					    .send = sse_send,
					    .receive = sse_receive,
					    .send_message = sse_send_message,
					    .refusal = link_refusal,
					    .abandon = stream_abandon};

static const assay_impl sse_impl = {.size = sizeof sse_impl,
				    .role = ASSAY_ROLE_TRANSPORT,
				    .role_version = 1,
				    .name = "sse",
				    .summary = "speaks to an MCP server by HTTP and one event stream, as in 2024",
				    .options = link_options,
				    .ops = &sse_ops};

ASSAY_PLUGIN(transport_http, "0.1.0", "MCP servers by HTTP", "Apache-2.0", &stream_impl, &sse_impl)
