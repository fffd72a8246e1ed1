/* The one HTTP client. libcurl and what it drags in load only when the first request is made: the client is a service
 * module (core/services/http.c) behind this table. Thread: a client belongs to one thread and keeps its connections. */
#ifndef AS_HTTP_H
#define AS_HTTP_H

#include "core/base/clock.h"
#include "core/base/json.h"

typedef struct as_http_client as_http_client;

typedef struct as_http_request {
	const char *method, *url;
	const char *const *headers; /* "Name: value", NULL-terminated; NULL: none. "Name;" sends an empty value */
	assay_str body;
	int64_t deadline_ms;
	size_t max_body; /* 0: 64 MiB; more is ASSAY_ELIMIT */
	const as_cancel *cancel;
	/* Called as bytes of the body come in; a non-zero answer ends the transfer. */
	int (*on_body)(void *payload, assay_str bytes, assay_error *err);
	void *payload;
} as_http_request;

typedef struct as_http_reply {
	int status;
	assay_json *headers; /* object, lower-case names; repeated ones joined by ", "; the caller frees it */
} as_http_reply;

typedef struct as_http_ops {
	uint32_t size;
	int (*open)(as_http_client **out, assay_error *err);
	/* 0 for any HTTP status. ASSAY_EUNREACH, ASSAY_ETIMEOUT, ASSAY_ECANCELED, ASSAY_EPROTO, ASSAY_ELIMIT otherwise. */
	int (*request)(as_http_client *c, const as_http_request *request, as_http_reply *reply, assay_error *err);
	void (*close)(as_http_client *c);
} as_http_ops;

#endif
