/* environment/folder: what its files share. */
#ifndef FOLDER_H
#define FOLDER_H

#include <assay/roles/environment.h>

/* A hex digest of what a folder holds: names, bytes of files, targets of links; of an SQLite database its content. */
int folder_digest_of(const assay_host *host, assay_call *call, const char *dir, char out[65], assay_error *err);

/* A digest in the making: whatever is put into it counts, and how it was cut into pieces does too. */
#define HASHER_CHAIN 64u
#define HASHER_SIZE 65536u
typedef struct hasher {
	const assay_host *host;
	size_t n;
	char buffer[HASHER_SIZE]; /* begins with the digest of all that went before */
} hasher;
void hasher_start(hasher *h, const assay_host *host);
void hasher_put(hasher *h, const void *bytes, size_t n);
void hasher_put_part(hasher *h, const void *bytes, size_t n); /* with its length before it */
void hasher_end(hasher *h, char out[65]);

/* Put the content of an SQLite database: schema and rows, whatever its pages and its journal look like. Answers 1; 0
 * when it cannot be read as a database, then nothing that was put counts; or a negative code. */
int database_put(hasher *h, assay_call *call, const char *path, assay_error *err);

#endif
