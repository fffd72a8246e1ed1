/* exposure/rag: the k tools of the whole catalogue that are nearest to the prompt (reference page part 6). */
#include "offer.h"
#include <string.h>

typedef struct rag {
	const assay_host *host;
	size_t k;
	char *embedder; /* NULL: BM25 */
	int reference;
} rag;

static void rag_close(void *self)
{
	rag *r = self;
	if (r) {
		r->host->free(r->embedder);
		r->host->free(r);
	}
}

static int rag_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	rag *r = host->alloc(sizeof *r);
	int rc;
	if (!r) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	r->host = host;
	r->k = (size_t)host->json->i64(host->json->get(options, "k"), 8);
	r->reference = host->json->boolean(host->json->get(options, "reference"), 0);
	rc = stand_option(host, options, "embedder", &r->embedder, err);
	if (rc < 0) {
		rag_close(r);
		return rc;
	}
	*self = r;
	return 0;
}

/* The nearest k as a list in catalogue order. */
static int choose(const rag *r, const stand *s, const assay_tool **list, size_t *n, assay_error *err)
{
	assay_tools all = s->request->catalogue;
	entry *entries = r->host->alloc((all.count + 1) * sizeof *entries);
	unsigned char *chosen = r->host->alloc(all.count + 1);
	int rc = entries && chosen ? 0 : r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		entries[i].place = i;
		rc = entry_text(r->host, all.list[i]->name, all.list[i]->description, &entries[i].text, err);
	}
	if (rc == 0 && r->k < all.count) {
		rc = entries_rank(s, r->embedder, entries, all.count, err);
	}
	for (size_t i = 0; i < all.count && i < r->k && rc == 0; i++) {
		chosen[entries[i].place] = 1;
	}
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		if (chosen[i]) {
			list[(*n)++] = all.list[i];
		}
	}
	r->host->free(chosen);
	entries_free(r->host, entries, all.count);
	return rc;
}

static int rag_offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		     assay_error *err)
{
	const rag *r = self;
	stand s = {r->host, call, request, offers};
	const assay_tool **list = r->host->alloc((request->catalogue.count + 1) * sizeof(const assay_tool *));
	size_t n = 0;
	int rc = list ? choose(r, &s, list, &n, err) : r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	if (rc == 0) {
		rc = stand_offer(&s, list, n, r->reference, err);
	}
	r->host->free((void *)(uintptr_t)list);
	return rc;
}

static const assay_exposure_ops ops = {.size = sizeof ops, .open = rag_open, .close = rag_close, .offer = rag_offer};

const assay_impl expo_rag = {
	.size = sizeof expo_rag,
	.role = ASSAY_ROLE_EXPOSURE,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT,
	.name = "rag",
	.summary = "the tools that are nearest to the prompt",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000,\"default\":8,"
		"\"description\":\"how many tools\"},"
		"\"embedder\":{\"type\":\"string\",\"format\":\"embedder\",\"description\":\"a key of models, or embedder/lexical; none: "
		"BM25 over names and descriptions\"},"
		"\"reference\":{\"type\":\"boolean\",\"default\":false,"
		"\"description\":\"as DynamicMCPBench: not shuffled, tools of other servers without schemas\"}}}",
	.ops = &ops};
