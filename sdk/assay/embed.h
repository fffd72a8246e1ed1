/* Assay SDK: vectors of texts, host->service("embed", 1). */
#ifndef ASSAY_EMBED_H
#define ASSAY_EMBED_H

#include <assay/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where vectors go; borrowed for the call. */
typedef struct assay_vector_sink assay_vector_sink;
struct assay_vector_sink {
	uint32_t size;
	uint32_t reserved;
	int (*add)(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err);
};

typedef struct assay_embed_api {
	uint32_t size;
	uint32_t reserved;
	/* One vector for each text, in order, by the embedder of that name: a key of the manifest's "models", or
	 * "embedder/NAME" without options. What was embedded before comes out of the store. */
	int (*vectors)(assay_call *call, const char *embedder, const assay_str *texts, size_t n,
		       assay_vector_sink *vectors, assay_error *err);
	/* dot / (|a| |b|); 0 for vectors of zeros. The same on every machine. */
	double (*cosine)(const float *a, const float *b, size_t n);
} assay_embed_api;

#ifdef __cplusplus
}
#endif
#endif
