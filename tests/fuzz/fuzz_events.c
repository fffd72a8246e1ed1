/* The reader of event streams. The input's first byte says how it is cut; the events must not depend on that. */
#include "core/base/memory.h"
#include "plugins/transport/events.h"

#include <stdlib.h>

#define MAX_EVENT ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_event(void *payload, assay_str name, assay_str data)
{
	as_buf *seen = payload;

	if (name.len == 0 || data.len == 0 || data.len > MAX_EVENT) {
		abort();
	}
	as_buf_printf(seen, "%zu:", name.len);
	as_buf_add(seen, name);
	as_buf_printf(seen, "%zu:", data.len);
	as_buf_add(seen, data);
	return 0;
}

/* All events, the last id and the retry time, as one text. */
static void read_all(const char *bytes, size_t n, size_t piece, as_buf *seen)
{
	events e = {.resize = realloc, .max = MAX_EVENT, .on_event = on_event, .payload = seen};
	int rc = 0;

	for (size_t at = 0; at < n && !rc; at += piece) {
		rc = events_feed(&e, (assay_str){bytes + at, n - at < piece ? n - at : piece});
	}
	if (rc != 0 && rc != ASSAY_ELIMIT && rc != ASSAY_ENOMEM) {
		abort();
	}
	as_buf_printf(seen, "|%d|%d|%lld|", rc, e.has_retry, e.has_retry ? (long long)e.retry_ms : 0);
	as_buf_add(seen, events_last_id(&e));
	events_free(&e, free);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_buf whole = {0}, cut = {0};

	if (size < 2) {
		return 0;
	}
	read_all((const char *)data + 1, size - 1, size, &whole);
	read_all((const char *)data + 1, size - 1, (size_t)data[0] % 7 + 1, &cut);
	if (!whole.failed && !cut.failed && !as_str_eq(as_buf_str(&whole), as_buf_str(&cut))) {
		abort();
	}
	as_buf_free(&whole);
	as_buf_free(&cut);
	return 0;
}
