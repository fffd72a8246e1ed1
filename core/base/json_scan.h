/* The pull scanner of the JSON layer: text in, one event after another out, nothing allocated but the scratch buffer
 * for strings with escapes. It checks everything that makes a text valid JSON; what needs a tree (duplicate keys) is
 * checked where the tree is built. Only json*.c include this. */
#ifndef AS_JSON_SCAN_H
#define AS_JSON_SCAN_H

#include "core/base/json.h"

enum as_json_event_kind {
	AS_JSON_EV_END, /* the document is over, nothing but white space followed */
	AS_JSON_EV_OBJECT,
	AS_JSON_EV_OBJECT_END,
	AS_JSON_EV_ARRAY,
	AS_JSON_EV_ARRAY_END,
	AS_JSON_EV_KEY,
	AS_JSON_EV_STRING,
	AS_JSON_EV_NUMBER,
	AS_JSON_EV_TRUE,
	AS_JSON_EV_FALSE,
	AS_JSON_EV_NULL
};

struct as_json_event {
	enum as_json_event_kind kind;
	assay_str text; /* key and string: decoded; number: as spelled. Borrowed until the next event */
	size_t offset;  /* of the first byte */
	uint32_t line;
};

struct as_json_scan {
	assay_str text;
	uint32_t profile, max_depth;
	as_json_notes notes;
	assay_error *err;
	size_t pos;
	uint32_t line;
	int state;
	as_buf open;    /* '{' and '[' of the containers around pos */
	as_buf scratch; /* the decoded string */
};

/* Zero the rest; release with as_json_scan_free, also after a failure. */
void as_json_scan_start(struct as_json_scan *s, assay_str text, uint32_t profile, uint32_t max_depth, assay_error *err);
int as_json_scan_next(struct as_json_scan *s, struct as_json_event *event);
/* Read over the value that comes next, checking it. After a key only. */
int as_json_scan_skip(struct as_json_scan *s);
void as_json_scan_free(struct as_json_scan *s);

/* Fail with the place: line and byte offset. */
int as_json_scan_fail(const struct as_json_scan *s, int code, uint32_t line, size_t offset, const char *format, ...)
	ASSAY_PRINTF(5, 6);

/* Bytes of the JSON number that text begins with, 0 when there is none. */
size_t as_json_number_span(assay_str text);

#endif
