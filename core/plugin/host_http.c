/* The host's HTTP services: one request, or several at once. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"

#include <stdlib.h>

/* A sink may have had enough, which ends the transfer and is no failure. */
typedef struct body {
	assay_sink *sink;
	bool enough;
} body;

static int on_body(void *payload, assay_str bytes, assay_error *err)
{
	body *b = payload;
	int rc = b->sink ? b->sink->write(b->sink, bytes, err) : 0;
	if (rc > 0) {
		b->enough = true;
	}
	return rc;
}

static int http_request(assay_call *call, const assay_http_request *request, assay_http_reply *reply, assay_sink *sink,
			assay_error *err)
{
	as_call *c = as_call_of(call);
	const as_http_ops *ops = NULL;
	as_http_client *client = NULL;
	as_http_reply got = {0};
	as_arena arena = {0};
	assay_error why = {0};
	body b = {sink, false};
	if (!c->hooks || !c->hooks->http) {
		return as_host_no_service("http->request", err);
	}
	int rc = as_host_may_go_on(c, err);
	if (rc == 0 && (!ASSAY_HAS(request, max_body) || !request->url || !ASSAY_HAS(reply, headers))) {
		rc = as_fail(err, ASSAY_EINVAL,
			     "http->request: the request has no URL, or a struct its size is not set");
	}
	rc = rc < 0 ? rc : c->hooks->http(c->context, &ops, &client, err);
	if (rc < 0) {
		return rc;
	}
	const char *url = as_host_expand(c, &arena, request->url, err);
	const char *const *headers = url ? as_host_expand_list(c, &arena, request->headers, err) : NULL;
	if (!url || (request->headers && !headers)) {
		as_arena_free(&arena);
		return ASSAY_EAUTH;
	}
	const as_http_request full = {.method = request->method ? request->method : "GET",
				      .url = url,
				      .headers = headers,
				      .body = request->body,
				      .deadline_ms = as_host_deadline(c, request->timeout_ms > 0 ? request->timeout_ms
												 : AS_FOREVER),
				      .max_body = request->max_body,
				      .cancel = c->cancel,
				      .on_body = on_body,
				      .payload = &b};
	rc = ops->request(client, &full, &got, &why);
	as_arena_free(&arena);
	if (rc != 0 && !b.enough) {
		if (err && err->code == 0) {
			*err = why;
		}
		as_json_free(got.headers);
		return rc;
	}
	reply->status = got.status;
	reply->headers = got.headers;
	return 0;
}

/* The plugin's handles are the service's own exchanges, with the table that made them. */
struct assay_http_group {
	const as_http_ops *ops;
	as_http_client *client;
	struct assay_http_exchange *list;
};

struct assay_http_exchange {
	struct assay_http_exchange *next;
	assay_http_group *group;
	as_http_exchange *exchange;
	as_buf body; /* kept for its memory */
};

static int http_group_new(assay_call *call, assay_http_group **out, assay_error *err)
{
	as_call *c = as_call_of(call);
	as_http_client *shared = NULL;
	assay_http_group *g;
	int rc;
	*out = NULL;
	if (!c->hooks || !c->hooks->http) {
		return as_host_no_service("http->group_new", err);
	}
	g = as_new(1, sizeof *g);
	if (!g) {
		return as_fail_memory(err);
	}
	/* The thread's own client is for single requests; streams get one that lives as long as they do. */
	rc = c->hooks->http(c->context, &g->ops, &shared, err);
	rc = rc < 0 ? rc : g->ops->open(&g->client, err);
	if (rc < 0) {
		free(g);
		return rc;
	}
	*out = g;
	return 0;
}

static void http_end(assay_http_exchange *x)
{
	if (x) {
		assay_http_exchange **at = &x->group->list;
		while (*at && *at != x) {
			at = &(*at)->next;
		}
		if (*at) {
			*at = x->next;
		}
		x->group->ops->end(x->exchange);
		as_buf_free(&x->body);
		free(x);
	}
}

static void http_group_free(assay_http_group *g)
{
	if (g) {
		while (g->list) {
			http_end(g->list);
		}
		g->ops->close(g->client);
		free(g);
	}
}

static int http_begin(assay_http_group *g, const assay_http_request *request, assay_http_exchange **out,
		      assay_error *err)
{
	assay_http_exchange *x;
	int rc;
	*out = NULL;
	if (!ASSAY_HAS(request, max_body) || !request->url) {
		return as_fail(err, ASSAY_EINVAL, "http->begin: the request has no URL, or its size is not set");
	}
	x = as_new(1, sizeof *x);
	if (!x) {
		return as_fail_memory(err);
	}
	const as_http_request full = {.method = request->method ? request->method : "GET",
				      .url = request->url,
				      .headers = request->headers,
				      .body = request->body,
				      .deadline_ms = AS_FOREVER,
				      .max_body = request->max_body};
	rc = g->ops->begin(g->client, &full, &x->exchange, err);
	if (rc < 0) {
		free(x);
		return rc;
	}
	x->group = g;
	x->next = g->list;
	g->list = x;
	*out = x;
	return 0;
}

static int http_wait(assay_call *call, assay_http_group *g, int64_t timeout_ms, assay_error *err)
{
	if (!call) {
		return g->ops->wait(g->client, as_deadline(timeout_ms), NULL, err);
	}
	const as_call *c = as_call_of_const(call);
	return g->ops->wait(g->client, as_host_deadline(c, timeout_ms), c->cancel, err);
}

static int http_take(assay_http_exchange *x, assay_http_progress *progress, assay_sink *sink, assay_error *err)
{
	as_http_progress got = {0};
	int rc;
	if (!ASSAY_HAS(progress, ended)) {
		return as_fail(err, ASSAY_EINVAL, "http->take: the size of the progress is not set");
	}
	as_buf_clear(&x->body);
	rc = x->group->ops->take(x->exchange, &got, &x->body, err);
	progress->status = got.status;
	progress->headers = got.headers;
	progress->ended = got.ended;
	if (ASSAY_HAS(progress, address)) {
		progress->address = got.address;
	}
	if (rc == 0 && x->body.len > 0 && sink) {
		rc = sink->write(sink, as_buf_str(&x->body), err);
	}
	return rc;
}

const assay_http_api as_host_http = {.size = sizeof as_host_http,
				     .request = http_request,
				     .group_new = http_group_new,
				     .group_free = http_group_free,
				     .begin = http_begin,
				     .wait = http_wait,
				     .take = http_take,
				     .end = http_end};
