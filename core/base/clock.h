/* Time, deadlines and cancellation. Wall-clock values never enter ids or releases. Thread: any. */
#ifndef AS_CLOCK_H
#define AS_CLOCK_H

#include "core/base/memory.h"

#define AS_FOREVER INT64_MAX

int64_t as_now_ms(void);                            /* monotonic */
int64_t as_now_us(void);                            /* monotonic */
double as_us_to_ms(int64_t us);                     /* to a tenth, as tables show it */
int64_t as_wall_us(void);                           /* since 1970, UTC */
void as_format_time(int64_t wall_us, char out[32]); /* "YYYY-MM-DDTHH:MM:SS[.ffffff]Z" (reference page part 1) */
int64_t as_deadline(int64_t timeout_ms);            /* now + timeout (below 0: now); AS_FOREVER stays */
int64_t as_remaining(int64_t deadline_ms);          /* >= 0; AS_FOREVER stays */

/* Something that can be told to stop, from a signal handler too. Its descriptor becomes readable then and stays so, so
 * that poll returns. Thread: may be shared. */
typedef struct as_cancel as_cancel;
int as_cancel_new(as_cancel **out, assay_error *err);
void as_cancel_set(as_cancel *c);          /* async-signal-safe */
bool as_cancel_is_set(const as_cancel *c); /* false for NULL */
int as_cancel_fd(const as_cancel *c);      /* -1 for NULL */
void as_cancel_free(as_cancel *c);

/* Wait until fd is ready for `events` (POLLIN, POLLOUT), at its end or broken. 0, ASSAY_ETIMEOUT, ASSAY_ECANCELED or
 * ASSAY_EIO. A deadline that has passed asks once. */
int as_wait_fd(int fd, short events, int64_t deadline_ms, const as_cancel *cancel, assay_error *err);

#endif
