/* Assay SDK, role embedder: texts to vectors. */
#ifndef ASSAY_ROLES_EMBEDDER_H
#define ASSAY_ROLES_EMBEDDER_H

#include <assay/embed.h>
#include <assay/plugin.h>

typedef struct assay_embedder_ops {
	ASSAY_OPS_HEAD;
	/* Give a vector for each text, in order, all of one length. Of a batch that is too long for the provider the
	 * host learns by max_batch. An implementation that is not ASSAY_IMPL_PURE answers for each text alone, so that
	 * the host can keep its vector; a pure one may weigh the texts of a batch against each other, and sees all of
	 * them at once. With no text nothing is sent, and ASSAY_EAUTH tells that the key to ask with is not set. No
	 * retries: set ASSAY_ERR_RETRYABLE and detail (a delay in ms). Required operation. */
	int (*embed)(void *self, assay_call *call, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		     assay_error *err);
	/* Most texts of one request; NULL or 0: 256. */
	size_t (*max_batch)(void *self);
} assay_embedder_ops;

#endif
