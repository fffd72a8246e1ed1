/* How many requests an endpoint gets at once: the window grows with every answer until the provider says "too many", is
 * halved then, and grows slowly from there (as TCP's does). Thread: shared by all that ask the endpoint. */
#ifndef AS_LLM_WINDOW_H
#define AS_LLM_WINDOW_H

#include "core/base/clock.h"

#define AS_WINDOW_START 20u
#define AS_WINDOW_MAX 1024u

typedef struct as_window as_window;
/* limit 0: AS_WINDOW_MAX. The window starts at AS_WINDOW_START, or at the limit when that is less. */
int as_window_new(uint32_t limit, as_window **out, assay_error *err);
void as_window_free(as_window *w);

/* Wait for a place. *ticket: to be given back with it. ASSAY_ECANCELED, ASSAY_ETIMEOUT. */
int as_window_take(as_window *w, int64_t deadline_ms, const as_cancel *cancel, uint64_t *ticket, assay_error *err);
/* How it went. pause_ms: the provider asked everybody to wait so long. */
#define AS_WENT_WELL 0
#define AS_WENT_TOO_MANY 1
#define AS_WENT_WRONG 2
void as_window_give(as_window *w, uint64_t ticket, int how, int64_t pause_ms);

uint32_t as_window_size(as_window *w);

#endif
