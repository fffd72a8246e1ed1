/* What the exposures share: putting tools on offer, and ranking them for a prompt. */
#ifndef EXPOSURE_OFFER_H
#define EXPOSURE_OFFER_H

#include <assay/embed.h>
#include <assay/roles/exposure.h>

typedef struct stand {
	const assay_host *host;
	assay_call *call;
	const assay_exposure_request *request;
	assay_offer_sink *offers;
} stand;

/* Put tools on offer. Shuffled by the task's seed and with their real schemas, so that neither a place in the list nor
 * an empty schema tells which tools are needed; `reference`: as DynamicMCPBench does, in the order given, server by
 * server, those that are not of the task's servers with an empty schema (reference page part 6). */
int stand_offer(const stand *s, const assay_tool *const *list, size_t n, int reference, assay_error *err);

/* A text to be ranked. */
typedef struct entry {
	assay_text text; /* freed by entries_free */
	double score;
	size_t place;
} entry;
void entries_free(const assay_host *host, entry *list, size_t n);

/* "a: b" of two trimmed texts, trimmed. */
int entry_text(const assay_host *host, assay_str a, assay_str b, assay_text *out, assay_error *err);

/* Sort by falling likeness to the prompt, ties by place: cosine of vectors by the embedder, or BM25 when it is NULL. */
int entries_rank(const stand *s, const char *embedder, entry *list, size_t n, assay_error *err);

/* A copy of a text option; NULL when it is not given. Fails only for want of memory. */
int stand_option(const assay_host *host, const assay_json *options, const char *key, char **out, assay_error *err);

/* The implementations of this module. */
extern const assay_impl expo_target, expo_full, expo_rag, expo_hier;

#endif
