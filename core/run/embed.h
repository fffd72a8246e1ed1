/* Vectors of texts for an operation: by which embedder, and which of them are known already. */
#ifndef AS_EMBED_H
#define AS_EMBED_H

#include "core/run/context.h"
#include <assay/embed.h>

/* As assay_embed_api.vectors. What a pure embedder gives is computed at once; the vectors of others are kept in the
 * store by what they are of (embedder, its options, text), each committed before it is used; c->embedded counts texts,
 * known or not, so that the same attempt always has the same count. */
int as_embed(as_context *c, const char *embedder, const assay_str *texts, size_t n, assay_vector_sink *vectors,
	     assay_error *err);

/* Could an embedder of "models" be asked as things are? It is given no text, so that nothing is sent. Only an
 * ASSAY_EAUTH of its own counts (its key is not set): what else it makes of no text is no answer. */
int as_embed_ready(as_context *c, const as_model_spec *model, assay_error *err);

#endif
