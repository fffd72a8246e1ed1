/* What a server in a sandbox asks its gate (gate.h) for: the head of one HTTP proxy request. No memory is taken.
 * Thread: any. Source: RFC 9110 section 9.3.6, RFC 9112 sections 2, 3.2 and 9.6. */
#ifndef AS_GATE_REQUEST_H
#define AS_GATE_REQUEST_H

#include "core/world/destination.h"

#define AS_GATE_HEAD ((size_t)16 << 10) /* bytes of the longest head */

typedef struct as_gate_request {
	bool tunnel; /* CONNECT; otherwise the request is passed on */
	as_destination target;
	assay_str method, path, fields; /* into the head; path may lack its "/", fields are whole lines */
} as_gate_request;

/* Read a head, its blank line included. Only two forms are taken: "CONNECT HOST:PORT" and "METHOD http://HOST..."; what
 * could be read in two ways (user names, line ends of one byte, blanks before a colon) is refused. NULL, or what is
 * wrong. */
const char *as_gate_read(assay_str head, as_gate_request *out);

/* The head that the destination gets in place of it: its path, the host that was checked, and no more requests after
 * this one. Bytes written, or 0 when there is no room (AS_GATE_HEAD + 512 is enough). */
size_t as_gate_forward(const as_gate_request *r, char *out, size_t cap);

#endif
