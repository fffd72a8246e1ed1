/* The host's text and embedding services. */
#include "core/plugin/host_private.h"

#include "core/base/hash.h"
#include "core/base/regex.h"
#include "core/base/similarity.h"
#include "core/base/text.h"

static int text_lower(assay_str s, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	as_lower(&b, s);
	return as_buf_take(&b, out, err);
}

static int text_regex(assay_str pattern, assay_str subject, int *found, assay_error *err)
{
	int rc = as_regex_once(pattern, subject, err);
	if (rc < 0) {
		return rc;
	}
	*found = rc;
	return 0;
}

const assay_text_api as_host_text = {
	.size = sizeof as_host_text,
	.jaccard = as_jaccard,
	.ratio = as_ratio,
	.lower = text_lower,
	.regex_search = text_regex,
	.sha256_hex = as_sha256_hex,
	.bm25_new = as_bm25_new,
	.bm25_add = as_bm25_add,
	.bm25_scores = as_bm25_scores,
	.bm25_free = as_bm25_free,
};

static int embed_vectors(assay_call *call, const char *embedder, const assay_str *texts, size_t n,
			 assay_vector_sink *vectors, assay_error *err)
{
	as_call *c = as_call_of(call);
	int rc;
	if (!c->hooks || !c->hooks->embed) {
		return as_host_no_service("embed->vectors", err);
	}
	rc = as_host_may_go_on(c, err);
	return rc < 0 ? rc : c->hooks->embed(c->context, embedder, texts, n, vectors, err);
}

const assay_embed_api as_host_embed = {
	.size = sizeof as_host_embed,
	.vectors = embed_vectors,
	.cosine = as_cosine,
};
