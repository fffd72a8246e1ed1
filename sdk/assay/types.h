/* Assay SDK: the few types that everything else is made of.
 *
 * Rules that hold for every header of the SDK:
 *  - a struct that crosses the plugin boundary starts with its own size; new members are only ever appended;
 *  - inputs are borrowed for the duration of the call, outputs go to a sink or into the caller's storage;
 *  - functions return 0 or a negative code of this page and fill a caller-owned assay_error (NULL is allowed).
 */
#ifndef ASSAY_TYPES_H
#define ASSAY_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text or bytes borrowed from somebody else: UTF-8 unless said otherwise, not NUL-terminated. ptr may be NULL when
 * len is 0. */
typedef struct assay_str {
	const char *ptr;
	size_t len;
} assay_str;

#ifdef __cplusplus
#define ASSAY_STR(literal) (assay_str{("" literal), sizeof(literal) - 1})
#else
#define ASSAY_STR(literal) ((assay_str){("" literal), sizeof(literal) - 1})
#endif

/* Arguments for a "%.*s" conversion. */
#define ASSAY_FMT(s) (int)(s).len, ((s).ptr ? (s).ptr : "")

/* Text owned by whoever holds it; released with the host's text_free. Always NUL-terminated past len. */
typedef struct assay_text {
	char *ptr;
	size_t len;
} assay_text;

/* A JSON value. Opaque: see assay/json.h. */
typedef struct assay_json assay_json;

/* Result codes. 0 is success; a sink may answer ASSAY_STOP to say "enough". */
#define ASSAY_OK 0
#define ASSAY_STOP 1
#define ASSAY_EINVAL (-1)     /* the caller asked for something that makes no sense: bad option, bad usage */
#define ASSAY_ENOMEM (-2)     /* an allocation failed */
#define ASSAY_ENOENT (-3)     /* no such thing */
#define ASSAY_EIO (-4)        /* the operating system refused; detail holds errno */
#define ASSAY_EDATA (-5)      /* input data is unusable: a file, a record, a manifest */
#define ASSAY_EPROTO (-6)     /* a peer broke its protocol */
#define ASSAY_EAUTH (-7)      /* a peer refused our credentials, or they are missing */
#define ASSAY_ELIMIT (-8)     /* a bound was reached: size, depth, count, budget */
#define ASSAY_ETIMEOUT (-9)   /* a deadline passed */
#define ASSAY_ECANCELED (-10) /* somebody asked us to stop */
#define ASSAY_EAGAIN (-11)    /* not now; trying again may help; detail may hold a delay in milliseconds */
#define ASSAY_ENOTSUP (-12)   /* not offered here */
#define ASSAY_EINTERNAL (-13) /* a defect of the program itself */
#define ASSAY_EPLUGIN (-14)   /* a plugin is missing, was refused, or broke its contract */
#define ASSAY_EUNREACH (-15)  /* a server or a model cannot be reached, or went away */

/* Bits of assay_error.flags. */
#define ASSAY_ERR_RETRYABLE 1u /* the same call may succeed later */
#define ASSAY_ERR_PEER 2u      /* a server's, model's or other peer's fault, not ours and not the agent's */
#define ASSAY_ERR_AGENT 4u     /* the agent under test is to blame */

/* What went wrong, in one line a user can act on. Owned by the caller, never allocated; zero it before use.
 * Printed as "WHERE:LINE: POINTER: MESSAGE (HINT)", empty parts left out. */
typedef struct assay_error {
	int32_t code;
	uint32_t flags;
	uint32_t line;     /* 1-based line of `where`, 0 when unknown */
	uint32_t reason;   /* finer than the code, as the role says (ASSAY_LLM_... of roles/llm.h); 0: not said */
	int64_t detail;    /* errno, HTTP status or delay in ms, as the code says; or a byte offset for EDATA */
	char where[256];   /* file, server, model or plugin */
	char pointer[192]; /* JSON pointer into it */
	char message[512]; /* what happened and what was expected */
	char hint[256];    /* what to do about it */
} assay_error;

/* Roles. */
#define ASSAY_ROLE_SAMPLER 1u
#define ASSAY_ROLE_GOALGEN 2u
#define ASSAY_ROLE_EXPLORER 3u
#define ASSAY_ROLE_DISTILLER 4u
#define ASSAY_ROLE_SCORER 5u
#define ASSAY_ROLE_LLM 6u
#define ASSAY_ROLE_TRANSPORT 7u
#define ASSAY_ROLE_EXPOSURE 8u
#define ASSAY_ROLE_EMBEDDER 9u
#define ASSAY_ROLE_ENVIRONMENT 10u
#define ASSAY_ROLE_IMPORTER 11u /* kept for later: no program uses it, and it has no operations yet */
#define ASSAY_ROLE_REPORTER 12u
#define ASSAY_ROLE_COUNT 12u

/* Everything that belongs to one call of one operation: deadline, cancellation, random numbers, budget, and what the
 * host services need to know. Plugins see the host only; the rest is the core's. */
typedef struct assay_host assay_host;
typedef struct assay_call {
	uint32_t size;
	uint32_t reserved;
	const assay_host *host;
} assay_call;

/* Where an operation puts its results, one value or one piece of text after another. Either function may answer
 * ASSAY_STOP; stop producing then and return 0. */
typedef struct assay_sink assay_sink;
struct assay_sink {
	uint32_t size;
	uint32_t reserved;
	int (*emit)(assay_sink *sink, assay_json *value, assay_error *err); /* takes value over, also on failure */
	int (*write)(assay_sink *sink, assay_str text, assay_error *err);
};

#ifdef __cplusplus
}
#endif
#endif
