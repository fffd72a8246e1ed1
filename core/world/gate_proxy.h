/* The proxy of a gate (gate.c): what comes in by its listening socket is asked for, checked, connected and passed on,
 * each connection in a thread of its own. */
#ifndef AS_GATE_PROXY_H
#define AS_GATE_PROXY_H

#include "core/world/destination.h"

#include <semaphore.h>
#include <stddef.h>

#define AS_GATE_MOST_ENTRIES 256u /* of a list; the manifest's schema knows it, too */

typedef struct as_gate {
	int listener;
	sem_t places; /* for connections; the proxy's own */
	size_t n_allowed;
	as_destination allowed[AS_GATE_MOST_ENTRIES];
} as_gate;

/* For pthread_create, with an as_gate; returns when the socket is broken. SIGPIPE must be ignored. */
void *as_gate_serve(void *gate);

#endif
