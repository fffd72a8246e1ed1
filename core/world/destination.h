/* Where a server in a sandbox may connect to: the entries of the manifest's list, and what a request asks for. No
 * memory is taken here: the gate (gate.c) is a program without the rest of the core. Thread: any. */
#ifndef AS_DESTINATION_H
#define AS_DESTINATION_H

#include <assay/types.h>
#include <stdbool.h>

#define AS_DESTINATION_TEXT 264 /* bytes of one as text: a name of 253, a port, brackets or "*.", NUL */

typedef struct as_destination {
	char name[254];            /* in lower case, without a dot at its end; empty: an address */
	bool below;                /* of an entry: what ends in ".NAME", at any depth, in place of NAME */
	bool v6;                   /* of an address */
	unsigned char address[16]; /* 4 or 16 bytes, in the order of the network */
	uint16_t port;             /* 0: none was given */
} as_destination;

/* "NAME", "NAME:PORT", "1.2.3.4:PORT" or "[::1]:PORT", as URLs and CONNECT have it; an entry may begin with "*.". A
 * name is of letters, digits, "-" and "_", and its last label has a letter, so that it can be no other spelling of an
 * address. NULL, or what is wrong with it. */
const char *as_destination_read(assay_str text, bool entry, as_destination *out);

/* An address of a resolver. IPv4 in IPv6 (::ffff:1.2.3.4) becomes IPv4, or a list could be gone round by it. */
void as_destination_address(as_destination *d, const void *address, bool v6);

/* Is it on the list? An entry without a port stands for the ports 80 and 443. */
bool as_destination_listed(const as_destination *list, size_t n, const as_destination *wanted);

/* As it is written in a list. */
void as_destination_write(const as_destination *d, char out[AS_DESTINATION_TEXT]);

#endif
