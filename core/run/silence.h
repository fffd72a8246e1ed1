/* Tools that give no answer to those who look around on the servers (authors, distillers): told once, and passed over
 * after the second time, so that one of them costs a run little. Thread: shared by all workers. */
#ifndef AS_SILENCE_H
#define AS_SILENCE_H

#include "core/base/json.h"
#include "core/base/log.h"
#include <pthread.h>

typedef struct as_silence {
	pthread_mutex_t lock;
	assay_json *tools; /* {"SERVER TOOL": times} */
} as_silence;

int as_silence_open(as_silence *s, assay_error *err);
void as_silence_close(as_silence *s); /* one that was opened */

/* Has it been silent twice? */
bool as_silence_is(as_silence *s, assay_str server, assay_str tool);
/* A call had no answer. why: names the server and what happened. */
void as_silence_note(as_silence *s, as_log *log, assay_str server, assay_str tool, const assay_error *why);

#endif
