/* SHA-256 by libcrypto, and identifiers made from content. Thread: any. */
#ifndef AS_HASH_H
#define AS_HASH_H

#include "core/base/memory.h"

typedef struct as_sha256 as_sha256; /* running digest */
as_sha256 *as_sha256_new(void);     /* NULL when memory is out */
void as_sha256_add(as_sha256 *h, assay_str bytes);
void as_sha256_end(as_sha256 *h, unsigned char out[32]); /* frees h */
void as_sha256_end_hex(as_sha256 *h, char out[65]);      /* frees h */

void as_sha256_hex(assay_str bytes, char out[65]);
int as_sha256_file(const char *path, char out[65], assay_error *err);

/* H(label, parts...): digest of label and parts, each preceded by its length, so that no two lists collide. `parts` is
 * an array of n. */
void as_hash_parts(const char *label, const assay_str *parts, size_t n, char out[65]);

/* A lower-case hyphenated UUID (version 8) from the first 128 bits of as_hash_parts. */
void as_uuid_parts(const char *label, const assay_str *parts, size_t n, char out[37]);

/* The low 31 bits of a UUID text (reference page part 6, task seed); 0 and false when it is none. */
bool as_uuid_seed(assay_str uuid, uint32_t *seed);

/* The first 64 bits of a hex digest. */
uint64_t as_hash_u64(const char hex[65]);

#endif
