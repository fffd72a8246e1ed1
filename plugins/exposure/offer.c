#include "offer.h"
#include <stdlib.h>
#include <string.h>

static int same_text(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static int on_surface(const assay_exposure_request *request, const assay_tool *tool)
{
	for (size_t i = 0; i < request->surface.count; i++) {
		if (request->surface.list[i] == tool) {
			return 1;
		}
	}
	return 0;
}

/* Servers in the order in which they come up first, the tools of each together. */
static void group_by_server(const assay_tool *const *list, size_t n, uint32_t *order)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		size_t first = 0;
		while (!same_text(list[first]->server, list[i]->server)) {
			first++;
		}
		for (size_t k = i; first == i && k < n; k++) {
			if (same_text(list[k]->server, list[i]->server)) {
				order[used++] = (uint32_t)k;
			}
		}
	}
}

int stand_offer(const stand *s, const assay_tool *const *list, size_t n, int reference, assay_error *err)
{
	static const assay_str none = {NULL, 0};
	const assay_json_api *J = s->host->json;
	uint32_t *order = s->host->alloc((n + 1) * sizeof *order);
	assay_json *empty = J->object();
	int rc = 0;
	if (!order || J->set(empty, "type", J->string(ASSAY_STR("object"))) < 0) {
		rc = s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	} else if (reference) {
		group_by_server(list, n, order);
	} else {
		for (size_t i = 0; i < n; i++) {
			order[i] = (uint32_t)i;
		}
		s->host->rng->shuffle(s->call, order, n);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_tool *tool = list[order[i]];
		int bare = reference && !on_surface(s->request, tool);
		rc = s->offers->add(s->offers, tool, none, none, bare ? empty : NULL, err);
	}
	J->free(empty);
	s->host->free(order);
	return rc < 0 ? rc : 0;
}

void entries_free(const assay_host *host, entry *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++) {
		host->free(list[i].text.ptr);
	}
	host->free(list);
}

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static assay_str trim(assay_str s)
{
	while (s.len > 0 && is_space(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && is_space(s.ptr[s.len - 1])) {
		s.len--;
	}
	return s;
}

int entry_text(const assay_host *host, assay_str a, assay_str b, assay_text *out, assay_error *err)
{
	b = trim(b);
	a = trim(a);
	out->ptr = host->alloc(a.len + b.len + 3);
	if (!out->ptr) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	if (a.len > 0) {
		memcpy(out->ptr, a.ptr, a.len);
	}
	out->ptr[a.len] = ':';
	out->len = a.len + 1;
	if (b.len > 0) {
		out->ptr[out->len++] = ' ';
		memcpy(out->ptr + out->len, b.ptr, b.len);
		out->len += b.len;
	}
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	int c = (x->score < y->score) - (x->score > y->score);
	return c ? c : (x->place > y->place) - (x->place < y->place);
}

static int score_by_words(const stand *s, entry *list, size_t n, assay_error *err)
{
	const assay_text_api *text = s->host->text;
	double *scores = s->host->alloc((n + 1) * sizeof *scores);
	assay_bm25 *index = NULL;
	int rc = scores ? text->bm25_new(&index, err) : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = text->bm25_add(index, (assay_str){list[i].text.ptr, list[i].text.len}, err);
	}
	if (rc == 0) {
		rc = text->bm25_scores(index, s->request->prompt, scores, err);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		list[i].score = scores[i];
	}
	text->bm25_free(index);
	s->host->free(scores);
	return rc;
}

/* Takes the prompt's vector first, then rates every other by its cosine. */
typedef struct vector_rater {
	assay_vector_sink sink;
	const stand *s;
	const assay_embed_api *embed;
	entry *list;
	float *prompt;
	size_t size, n, taken; /* of the vectors; of the list; vectors so far */
} vector_rater;

static int on_vector(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	vector_rater *r = (vector_rater *)sink;
	const assay_host *host = r->s->host;
	if (r->taken == 0) {
		r->prompt = host->alloc((n + 1) * sizeof *r->prompt);
		if (!r->prompt) {
			return host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		if (n > 0) {
			memcpy(r->prompt, vector, n * sizeof *vector);
		}
		r->size = n;
	} else if (n != r->size || r->taken > r->n) {
		return host->fail(err, ASSAY_EPLUGIN, "an embedder gave vectors of %zu and of %zu numbers", r->size, n);
	} else {
		r->list[r->taken - 1].score = r->embed->cosine(r->prompt, vector, n);
	}
	r->taken++;
	return 0;
}

static int score_by_vectors(const stand *s, const char *embedder, entry *list, size_t n, assay_error *err)
{
	const assay_embed_api *embed = s->host->service("embed", 1);
	assay_str *texts = s->host->alloc((n + 1) * sizeof *texts);
	vector_rater r = {.sink = {sizeof r.sink, 0, on_vector}, .s = s, .embed = embed, .list = list, .n = n};
	int rc = 0;
	if (!texts) {
		return s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	if (!embed) {
		s->host->free(texts);
		return s->host->fail(err, ASSAY_ENOTSUP, "this program knows no embedders");
	}
	texts[0] = s->request->prompt;
	for (size_t i = 0; i < n; i++) {
		texts[i + 1] = (assay_str){list[i].text.ptr, list[i].text.len};
	}
	rc = embed->vectors(s->call, embedder, texts, n + 1, &r.sink, err);
	if (rc == 0 && r.taken != n + 1) {
		rc = s->host->fail(err, ASSAY_EPLUGIN, "%s gave %zu vectors for %zu texts", embedder, r.taken, n + 1);
	}
	s->host->free(r.prompt);
	s->host->free(texts);
	return rc < 0 ? rc : 0;
}

int entries_rank(const stand *s, const char *embedder, entry *list, size_t n, assay_error *err)
{
	int rc = embedder ? score_by_vectors(s, embedder, list, n, err) : score_by_words(s, list, n, err);
	if (rc == 0 && n > 0) {
		qsort(list, n, sizeof *list, compare_entries);
	}
	return rc;
}

int stand_option(const assay_host *host, const assay_json *options, const char *key, char **out, assay_error *err)
{
	assay_str value = host->json->str(host->json->get(options, key));
	*out = NULL;
	if (value.len == 0) {
		return 0;
	}
	*out = host->alloc(value.len + 1);
	if (!*out) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	memcpy(*out, value.ptr, value.len);
	return 0;
}
