/* What one request of the HTTP service consists of, for its two ways to run it: to the end at once (http.c), and piece
 * by piece beside others (http_exchange.c). */
#ifndef AS_HTTP_TRANSFER_H
#define AS_HTTP_TRANSFER_H

#include "core/base/http.h"

#include <curl/curl.h>

#define DEFAULT_MAX_BODY ((size_t)64 << 20)

struct as_http_client {
	CURLM *multi;
	CURL *easy;                  /* of the requests that run to their end at once */
	as_http_exchange *exchanges; /* list */
};

/* One request, with what its callbacks need. */
struct transfer {
	as_http_client *client;
	CURL *easy;
	const as_http_request *request;
	as_http_reply *reply;
	assay_error *err;
	int rc; /* why a callback stopped the transfer */
	const char *method;
	assay_str body;
	char *url;    /* owned */
	char *origin; /* owned: "scheme://host:port" of the first URL, for which all headers are meant */
	char *shown;  /* owned: the URL without what may be secret */
	struct curl_slist *headers;
	assay_json *heads; /* of the answer that is coming in */
	size_t head_bytes, body_bytes, max_body;
	int redirects;
	bool elsewhere; /* they led to another host, which does not get all headers */
	bool redirect;  /* the answer is one that is followed: its body is of no interest */
	bool final;     /* the reply has been filled */
	char reason[CURL_ERROR_SIZE];
};

/* Look at the request and note its URL. */
int as_transfer_begin(struct transfer *t, const as_http_request *request);
/* Hand the transfer to the multi handle. */
int as_transfer_prepare(struct transfer *t);
/* Go where a redirect points. */
int as_transfer_follow(struct transfer *t);
/* Fill t->err with what libcurl says. */
int as_transfer_fail(struct transfer *t, CURLcode code);
int as_transfer_say(const struct transfer *t, int code, uint32_t flags, const char *message);
void as_transfer_clear(struct transfer *t);

int as_http_exchange_begin(as_http_client *c, const as_http_request *request, as_http_exchange **out, assay_error *err);
int as_http_exchange_wait(as_http_client *c, int64_t deadline_ms, const as_cancel *cancel, assay_error *err);
int as_http_exchange_take(as_http_exchange *x, as_http_progress *progress, as_buf *body, assay_error *err);
void as_http_exchange_end(as_http_exchange *x);

#endif
