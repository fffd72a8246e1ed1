/* Servers in a sandbox: bubblewrap (bwrap), which uses the kernel's namespaces and needs no privilege.
 *
 * What a server in it can do: read the file system, but not other people's temporary files, /run (sockets of services)
 * or the manifest's .env, nor sockets of services elsewhere that were there when it started and are known by an
 * absolute path; write to its environment's folder and to a private /tmp, which goes when it does; see its own
 * processes. It reaches no network, not even loopback ("network": "off"), or all that we do ("host"), or the hosts of a
 * list by way of a proxy (gate.c): that takes a server that heeds HTTP_PROXY and HTTPS_PROXY. */
#ifndef AS_SANDBOX_H
#define AS_SANDBOX_H

#include "core/base/json.h"

typedef struct as_sandbox_place {
	const char *server;   /* for messages */
	const char *base_dir; /* the manifest's folder, where the command starts unless its record says otherwise */
	const char *state;    /* its environment's folder, which it may write to; NULL: none */
} as_sandbox_place;

/* What is wrong with an entry of a list of hosts ("NAME:PORT", destination.h); NULL: nothing. */
const char *as_sandbox_check_host(const assay_json *entry);

/* Turn an expanded launch record into one that starts its command in a sandbox. settings: the manifest's "sandbox".
 * ASSAY_ENOENT: bwrap is not installed. */
int as_sandbox_wrap(const assay_json *settings, const as_sandbox_place *place, assay_json *launch, assay_error *err);

/* The next line of a server's stderr that tells what its sandbox has refused, without its marking; *rest moves on.
 * Empty: there is no more. The server could have written it itself. */
assay_str as_sandbox_refusal(assay_str *rest);

#endif
