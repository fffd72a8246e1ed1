/* The one HTTP client. libcurl and what it drags in load only when the first request is made: the client is a service
 * module (core/services/http.c) behind this table. Thread: a client belongs to one thread and keeps its connections. */
#ifndef AS_HTTP_H
#define AS_HTTP_H

#include "core/base/clock.h"
#include "core/base/json.h"

typedef struct as_http_client as_http_client;

typedef struct as_http_request {
	const char *method, *url;
	/* "Name: value", NULL-terminated; NULL: none. "Name;" and "Name:" send an empty value. When a redirect leads to
	 * another scheme, host or port, only Accept and Content-Type go along: the others may be secrets. */
	const char *const *headers;
	assay_str body;
	int64_t deadline_ms;
	size_t max_body; /* 0: 64 MiB; more is ASSAY_ELIMIT */
	const as_cancel *cancel;
	/* Called as bytes of the body come in, decompressed, when the reply has been filled. A non-zero answer ends the
	 * transfer: ASSAY_STOP successfully, a negative code becomes the request's. NULL: the body is thrown away. */
	int (*on_body)(void *payload, assay_str bytes, assay_error *err);
	void *payload;
} as_http_request;

typedef struct as_http_reply {
	int status;
	assay_json *headers; /* object, lower-case names; repeated ones joined by ", "; the caller frees it */
} as_http_reply;

/* A request that goes on beside others of its client and whose reply is read piece by piece. */
typedef struct as_http_exchange as_http_exchange;

typedef struct as_http_progress {
	int status;                /* 0: no reply yet */
	const assay_json *headers; /* as in the reply; borrowed until the exchange ends */
	bool ended;                /* nothing more will come */
	/* Of who answers, when a redirect led to another host than the request names, which gets none of its headers
	 * but those of the body, or made a GET of it (303), which has no body. NULL: nowhere else. Borrowed until the
	 * exchange ends. */
	const char *address;
} as_http_progress;

typedef struct as_http_ops {
	uint32_t size;
	int (*open)(as_http_client **out, assay_error *err);
	/* 0 for any HTTP status; redirects are followed, at most five. ASSAY_EUNREACH (not resolved, refused, broken
	 * off: retryable; bad certificate: not), ASSAY_ETIMEOUT, ASSAY_ECANCELED, ASSAY_EPROTO, ASSAY_ELIMIT,
	 * ASSAY_EINVAL otherwise, with where = the URL without user, query and fragment, and nothing in the reply. */
	int (*request)(as_http_client *c, const as_http_request *request, as_http_reply *reply, assay_error *err);
	void (*close)(as_http_client *c); /* ends its exchanges too */
	/* Start an exchange; everything of the request is copied, its on_body and deadline_ms are not looked at, and
	 * max_body bounds what may wait to be taken. While a client has exchanges, `request` is not for it. */
	int (*begin)(as_http_client *c, const as_http_request *request, as_http_exchange **out, assay_error *err);
	/* Let all exchanges of the client go on until there is news of one. 0, ASSAY_ETIMEOUT, ASSAY_ECANCELED,
	 * ASSAY_EIO. */
	int (*wait)(as_http_client *c, int64_t deadline_ms, const as_cancel *cancel, assay_error *err);
	/* What came in: the new bytes are appended to `body`. The error of an exchange that failed (codes as of
	 * `request`), once everything that came before was taken. */
	int (*take)(as_http_exchange *x, as_http_progress *progress, as_buf *body, assay_error *err);
	void (*end)(as_http_exchange *x); /* at any time; NULL is fine */
} as_http_ops;

#endif
