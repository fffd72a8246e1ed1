/* An event stream (text/event-stream) taken apart, in pieces of any size. Source: reference page "MCP for a C
 * implementer", section 6, and the HTML standard, "Server-sent events". Thread: one parser, one thread. */
#ifndef TRANSPORT_EVENTS_H
#define TRANSPORT_EVENTS_H

#include <assay/types.h>

#include <stdint.h>

typedef struct events_text {
	char *ptr;
	size_t len, cap;
} events_text;

/* Set resize, max and on_event, zero the rest. */
typedef struct events {
	void *(*resize)(void *p, size_t size);
	size_t max; /* bytes of one line, and of the data of one event */
	/* An event with data. name is "message" when the stream gave none. Borrowed; a non-zero answer ends the
	 * parsing. */
	int (*on_event)(void *payload, assay_str name, assay_str data);
	void *payload;

	events_text line, data, name;
	events_text id, new_id; /* of the last event that was complete, and of the one being read */
	int64_t retry_ms;       /* what the stream last asked for, when has_retry */
	int has_data, has_id, after_cr, bom;
	int has_retry;
} events;

/* More of the stream. 0; the answer of on_event, behind which nothing was read; ASSAY_ELIMIT; ASSAY_ENOMEM. */
int events_feed(events *e, assay_str bytes);

/* Another stream begins, which goes on where this one broke off: the id is kept, half an event is not. */
void events_restart(events *e);

/* The last event's id: empty when there is none. */
assay_str events_last_id(const events *e);

void events_free(events *e, void (*release)(void *p));

#endif
