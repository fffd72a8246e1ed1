/* Requests that go on beside each other and are read piece by piece: event streams, and what is said meanwhile. Each
 * has an easy handle of its own in the client's multi handle; nothing moves but inside as_http_exchange_wait. */
#include "core/services/http_transfer.h"

#include "core/base/error.h"

#include <stdlib.h>
#include <string.h>

#define POLL_SLICE_MS 60000

struct as_http_exchange {
	as_http_exchange *next;
	struct transfer t;
	as_http_request request; /* of t: its strings are in the arena */
	as_http_reply reply;
	as_arena arena;
	as_buf pending; /* came in and was not taken yet */
	bool fresh;     /* something happened since it was looked at */
	bool headed;    /* the reply's headers are news no more */
	bool linked;    /* is in the multi handle */
	bool ended;
	int rc; /* how it ended */
	assay_error fault;
};

static int keep_bytes(void *payload, assay_str bytes, assay_error *err)
{
	as_http_exchange *x = payload;
	as_buf_add(&x->pending, bytes);
	x->fresh = true;
	return as_buf_check(&x->pending, err);
}

static int copy_request(as_http_exchange *x, const as_http_request *request, assay_error *err)
{
	size_t n = 0;
	while (request->headers && request->headers[n]) {
		n++;
	}
	const char **headers = as_arena_alloc(&x->arena, (n + 1) * sizeof *headers);
	char *body = as_arena_alloc(&x->arena, request->body.len + 1);
	x->request = (as_http_request){.method = as_arena_cstr(&x->arena, as_str(request->method)),
				       .url = as_arena_cstr(&x->arena, as_str(request->url)),
				       .headers = headers,
				       .body = {body, request->body.len},
				       .deadline_ms = AS_FOREVER,
				       .max_body = request->max_body,
				       .on_body = keep_bytes,
				       .payload = x};
	if (!headers || !body || !x->request.method || !x->request.url) {
		return as_fail_memory(err);
	}
	if (request->body.len > 0) {
		memcpy(body, request->body.ptr, request->body.len);
	}
	for (size_t i = 0; i < n; i++) {
		headers[i] = as_arena_cstr(&x->arena, as_str(request->headers[i]));
		if (!headers[i]) {
			return as_fail_memory(err);
		}
	}
	return 0;
}

static int start(as_http_exchange *x)
{
	int rc = as_transfer_prepare(&x->t);
	x->linked = rc == 0;
	if (rc == 0) {
		(void)curl_easy_setopt(x->t.easy, CURLOPT_PRIVATE, (char *)x);
	}
	return rc;
}

int as_http_exchange_begin(as_http_client *c, const as_http_request *request, as_http_exchange **out, assay_error *err)
{
	as_http_exchange *x;
	int rc;
	*out = NULL;
	if (!request->url || !request->method) {
		return as_fail(err, ASSAY_EINVAL, "a request needs a method and a web address");
	}
	x = as_new(1, sizeof *x);
	if (!x) {
		return as_fail_memory(err);
	}
	x->next = c->exchanges;
	c->exchanges = x;
	x->t = (struct transfer){.client = c,
				 .easy = curl_easy_init(),
				 .request = &x->request,
				 .reply = &x->reply,
				 .err = &x->fault,
				 .max_body = request->max_body ? request->max_body : DEFAULT_MAX_BODY};
	rc = x->t.easy ? copy_request(x, request, &x->fault) : as_fail_memory(&x->fault);
	x->t.method = x->request.method;
	x->t.body = x->request.body;
	rc = rc == 0 ? as_transfer_begin(&x->t, &x->request) : rc;
	rc = rc == 0 ? start(x) : rc;
	if (rc != 0) {
		if (err && err->code == 0) {
			*err = x->fault;
		}
		as_http_exchange_end(x);
		return rc;
	}
	*out = x;
	return 0;
}

static void unlink_handle(as_http_exchange *x)
{
	if (x->linked) {
		(void)curl_multi_remove_handle(x->t.client->multi, x->t.easy);
		x->linked = false;
	}
}

/* libcurl is done with it: it goes where a redirect points, or has ended. */
static void finish(as_http_exchange *x, CURLcode result)
{
	int rc = x->t.rc;
	unlink_handle(x);
	if (rc == 0 && result != CURLE_OK) {
		rc = as_transfer_fail(&x->t, result);
	}
	if (rc == 0 && x->t.redirect) {
		rc = as_transfer_follow(&x->t);
		rc = rc == 0 ? start(x) : rc;
		if (rc == 0) {
			return;
		}
	}
	if (rc == 0 && !x->t.final) {
		rc = as_transfer_say(&x->t, ASSAY_EPROTO, ASSAY_ERR_PEER, "the server gave no answer that HTTP knows");
	}
	x->ended = x->fresh = true;
	x->rc = rc;
}

/* Whether anything can be looked at. */
static bool has_news(const as_http_client *c)
{
	for (const as_http_exchange *x = c->exchanges; x; x = x->next) {
		if (x->fresh) {
			return true;
		}
	}
	return false;
}

static int drive(as_http_client *c, assay_error *err)
{
	int running = 0, left = 0;
	const CURLMsg *message;
	CURLMcode rc = curl_multi_perform(c->multi, &running);
	while (rc == CURLM_OK && (message = curl_multi_info_read(c->multi, &left)) != NULL) {
		char *x = NULL;
		if (message->msg == CURLMSG_DONE) {
			CURLcode result = message->data.result;
			(void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
			if (x) {
				finish((as_http_exchange *)(void *)x, result);
			}
		}
	}
	for (as_http_exchange *x = c->exchanges; x; x = x->next) {
		if (x->t.final && !x->headed) {
			x->headed = x->fresh = true;
		}
	}
	if (rc != CURLM_OK) {
		return rc == CURLM_OUT_OF_MEMORY ? as_fail_memory(err)
						 : as_fail(err, ASSAY_EIO, "%s", curl_multi_strerror(rc));
	}
	return 0;
}

int as_http_exchange_wait(as_http_client *c, int64_t deadline_ms, const as_cancel *cancel, assay_error *err)
{
	struct curl_waitfd stop = {.fd = as_cancel_fd(cancel), .events = CURL_WAIT_POLLIN};
	for (;;) {
		CURLMcode polled;
		int rc = drive(c, err);
		if (rc != 0 || has_news(c)) {
			return rc;
		}
		if (as_cancel_is_set(cancel)) {
			return as_fail(err, ASSAY_ECANCELED, "cancelled");
		}
		int64_t slice = as_remaining(deadline_ms);
		if (slice == 0) {
			return as_fail(err, ASSAY_ETIMEOUT, "nothing came in in time");
		}
		slice = slice < POLL_SLICE_MS ? slice : POLL_SLICE_MS;
		polled = curl_multi_poll(c->multi, &stop, stop.fd >= 0, (int)slice, NULL);
		if (polled != CURLM_OK) {
			return as_fail(err, ASSAY_EIO, "%s", curl_multi_strerror(polled));
		}
	}
}

int as_http_exchange_take(as_http_exchange *x, as_http_progress *progress, as_buf *body, assay_error *err)
{
	bool had_bytes = x->pending.len > 0;
	bool moved = x->t.elsewhere || strcmp(x->t.method, x->request.method) != 0;
	if (body->len == 0) { /* what may be large is not copied */
		as_buf came = x->pending;
		x->pending = *body;
		*body = came;
	} else {
		as_buf_add(body, as_buf_str(&x->pending));
		as_buf_clear(&x->pending);
	}
	if (as_buf_check(body, err) != 0) {
		return ASSAY_ENOMEM;
	}
	x->t.body_bytes = 0;              /* the limit is for what waits, not for a stream without end */
	x->fresh = x->ended && had_bytes; /* how it ended is told when everything was taken */
	*progress = (as_http_progress){.status = x->reply.status,
				       .headers = x->reply.headers,
				       .ended = x->ended && !had_bytes,
				       .address = moved ? x->t.shown : NULL};
	if (progress->ended && x->rc < 0) {
		if (err && err->code == 0) {
			*err = x->fault;
		}
		return x->rc;
	}
	return 0;
}

void as_http_exchange_end(as_http_exchange *x)
{
	if (!x) {
		return;
	}
	as_http_exchange **at = &x->t.client->exchanges;
	while (*at && *at != x) {
		at = &(*at)->next;
	}
	if (*at) {
		*at = x->next;
	}
	unlink_handle(x);
	if (x->t.easy) {
		curl_easy_cleanup(x->t.easy);
	}
	as_transfer_clear(&x->t);
	as_json_free(x->reply.headers);
	as_buf_free(&x->pending);
	as_arena_free(&x->arena);
	free(x);
}
