/* What the two HTTP transports share: one server's address, its streams, and the messages that came in. A stream is one
 * HTTP exchange whose reply is JSON or an event stream. Thread: one. */
#ifndef TRANSPORT_LINK_H
#define TRANSPORT_LINK_H

#include "events.h"

#include <assay/roles/transport.h>

#define LINK_MAX_MESSAGE ((size_t)16 << 20)
#define LINK_MAX_QUEUE ((size_t)32 << 20) /* memory of messages that nobody has asked for yet */
#define LINK_MAX_REFUSAL ((size_t)64 << 10)

typedef struct link_message {
	struct link_message *next;
	size_t len;
	char text[];
} link_message;

typedef enum stream_kind { STREAM_NONE, STREAM_JSON, STREAM_EVENTS, STREAM_OTHER } stream_kind;

typedef struct link link;

typedef struct stream {
	link *owner;
	assay_http_exchange *exchange; /* NULL: not open */
	int status;                    /* 0: no reply yet */
	stream_kind kind;
	events_text body; /* of a reply that is no event stream */
	events parser;
	assay_error *fault; /* where that of the event at hand is told */
	int64_t again_ms;   /* when it is taken up again; 0: it is not waiting for that */
	int tries;          /* since an event came */
	char *elsewhere;    /* the address that a redirect led to without all that was sent; NULL: none */
	int resumed;        /* goes on where another broke off */
	int handed_on;      /* a reply that is over, whose body is a message by now: no other will come */
} stream;

struct link {
	const assay_host *host;
	char *url, *endpoint; /* endpoint: where messages go in the older way; NULL until the server has told */
	char **headers;       /* of every request, NULL-terminated */
	char *session;        /* "MCP-Session-Id: ..."; NULL: none */
	char *revision;       /* "MCP-Protocol-Version: ..."; NULL: none agreed on */
	assay_http_group *group;
	stream request, listener, aside; /* aside: what goes on while the others do: notifications, responses */
	char *standing,
		*standing_header; /* the request whose reply is the listener's, in stateless revisions; NULL: none */
	link_message *first, *last;
	size_t queued;   /* bytes, with what keeps them */
	int overfull;    /* the queue refused a message */
	int older;       /* HTTP+SSE: all messages of the server come by the listener */
	int begins;      /* the open request is the first of a session: its reply may name one */
	int32_t refused; /* status of the last refusal */
	char *refusal;   /* body of it */
	size_t refusal_len;
};

extern const char link_options[];

int link_open(const assay_host *host, const assay_json *options, void **instance, assay_error *err);
void link_close(void *instance);

int64_t link_now(void);

char *link_copy(const assay_host *host, assay_str s);
/* A new string of host memory out of up to three parts, or NULL. */
char *link_join(const assay_host *host, const char *a, const char *b, const char *c);

/* Start an exchange in `s`. method GET or POST; extra: further headers, NULL-terminated. */
int link_begin(link *l, stream *s, const char *method, const char *url, assay_str body, const char *const *extra,
	       assay_error *err);
void link_end(link *l, stream *s);

/* Take what came in on `s`. *over: nothing more will come. The error of a failed exchange; ASSAY_ELIMIT. */
int link_take(link *l, stream *s, int *over, assay_error *err);

/* A message for whoever receives. */
int link_push(link *l, assay_str text);
/* Hand queued messages to the sink. 1: some were, 0: none, negative: the sink's error. *stop: it had enough. */
int link_deliver(link *l, assay_sink *sink, int *stop, assay_error *err);

/* The reply in `s` is a refusal: keep it, end the stream, ASSAY_EDATA. */
int link_refuse(link *l, stream *s, assay_error *err);
void link_refusal(void *instance, int32_t *status, assay_str *body);

/* *out: base with `reference`, which an endpoint event names, resolved against it, on the same origin, as a new string.
 * ASSAY_EPROTO, and ASSAY_ENOMEM, leave NULL there. */
int link_resolve(const assay_host *host, const char *base, assay_str reference, char **out, assay_error *err);

/* The older transport (http_older.c). */
int older_connect(link *l, assay_call *call, assay_error *err);
int older_send(link *l, assay_call *call, const assay_message *m, assay_error *err);
int older_receive(link *l, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err);

/* Send what is no request, or what is answered elsewhere, and wait for its 2xx. */
int link_post_aside(link *l, assay_call *call, const char *url, assay_str text, const char *const *extra,
		    assay_error *err);

#endif
