/* embedder/lexical: hashed TF-IDF, for retrieval without a model. Words are the lower-cased runs of letters and digits;
 * a word weighs (1 + ln times) * (1 + ln((texts + 1) / (texts with it + 1))), counted over the texts of one call; each
 * word's hash gives its place and its sign. */
#include <assay/roles/embedder.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lexical {
	const assay_host *host;
	size_t dimensions;
} lexical;

/* That a text holds a word, `times` times. */
typedef struct use {
	uint64_t word;
	uint32_t text, times;
} use;

typedef struct use_list {
	use *list;
	size_t n, cap;
} use_list;

static int lexical_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	lexical *l = host->alloc(sizeof *l);
	if (!l) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	l->host = host;
	l->dimensions = (size_t)host->json->i64(host->json->get(options, "dimensions"), 1024);
	*self = l;
	return 0;
}

static void lexical_close(void *self)
{
	lexical *l = self;
	if (l) {
		l->host->free(l);
	}
}

/* Letters of other scripts count byte by byte as part of a word. */
static int is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static int add_use(const lexical *l, use_list *u, uint64_t word, uint32_t text)
{
	if (u->n == u->cap) {
		size_t cap = u->cap ? 2 * u->cap : 1024;
		use *grown = l->host->resize(u->list, cap * sizeof *grown);
		if (!grown) {
			return ASSAY_ENOMEM;
		}
		u->list = grown;
		u->cap = cap;
	}
	u->list[u->n++] = (use){word, text, 1};
	return 0;
}

static int add_words(const lexical *l, use_list *u, assay_str text, uint32_t number, assay_error *err)
{
	assay_text lower = {NULL, 0};
	int rc = l->host->text->lower(text, &lower, err);
	for (size_t i = 0; i < lower.len && rc == 0; i++) {
		uint64_t hash = 14695981039346656037u; /* FNV-1a */
		size_t from = i;
		for (; i < lower.len && is_word_char(lower.ptr[i]); i++) {
			hash = (hash ^ (unsigned char)lower.ptr[i]) * 1099511628211u;
		}
		if (i > from && add_use(l, u, hash ^ hash >> 31, number) < 0) {
			rc = l->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
	}
	l->host->json->text_free(&lower);
	return rc;
}

static int by_word(const void *a, const void *b)
{
	const use *x = a, *y = b;
	int c = (x->word > y->word) - (x->word < y->word);
	return c ? c : (x->text > y->text) - (x->text < y->text);
}

static int by_text(const void *a, const void *b)
{
	const use *x = a, *y = b;
	int c = (x->text > y->text) - (x->text < y->text);
	return c ? c : (x->word > y->word) - (x->word < y->word);
}

/* One use for each word of each text, in order of words. */
static void merge(use_list *u)
{
	size_t n = 0;
	if (u->n == 0) {
		return;
	}
	qsort(u->list, u->n, sizeof *u->list, by_word);
	for (size_t i = 1; i < u->n; i++) {
		if (by_word(&u->list[i], &u->list[n]) == 0) {
			u->list[n].times++;
		} else {
			u->list[++n] = u->list[i];
		}
	}
	u->n = n + 1;
}

typedef struct weighed {
	use use;
	double weight;
} weighed;

static weighed *weigh(const lexical *l, const use_list *u, size_t n_texts)
{
	weighed *list = l->host->alloc((u->n + 1) * sizeof *list);
	for (size_t i = 0, end; list && i < u->n; i = end) {
		double rarity;
		for (end = i; end < u->n && u->list[end].word == u->list[i].word; end++) {
		}
		rarity = 1.0 + log((double)(n_texts + 1) / (double)(end - i + 1));
		for (size_t k = i; k < end; k++) {
			list[k] = (weighed){u->list[k], (1.0 + log((double)u->list[k].times)) * rarity};
		}
	}
	if (list && u->n > 0) {
		qsort(list, u->n, sizeof *list, by_text); /* `use` is its first member */
	}
	return list;
}

/* To length one; words may share a place, so only what stands there has a length. */
static void scale(float *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (double)v[i] * (double)v[i];
	}
	for (size_t i = 0; i < n && sum > 0; i++) {
		v[i] = (float)((double)v[i] / sqrt(sum));
	}
}

/* Vectors of length one, in the order of the texts; a text without words has one of zeros. */
static int emit(const lexical *l, const weighed *list, size_t n, size_t n_texts, assay_vector_sink *vectors,
		assay_error *err)
{
	size_t at = 0;
	float *v = l->host->alloc(l->dimensions * sizeof *v);
	int rc = v ? 0 : l->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (size_t t = 0; t < n_texts && rc == 0; t++) {
		memset(v, 0, l->dimensions * sizeof *v);
		for (; at < n && list[at].use.text == t; at++) {
			uint64_t word = list[at].use.word;
			v[word % l->dimensions] += (float)(word >> 63 ? -list[at].weight : list[at].weight);
		}
		scale(v, l->dimensions);
		rc = vectors->add(vectors, v, l->dimensions, err);
	}
	l->host->free(v);
	return rc < 0 ? rc : 0;
}

static int lexical_embed(void *self, assay_call *call, const assay_str *texts, size_t n, assay_vector_sink *vectors,
			 assay_error *err)
{
	const lexical *l = self;
	use_list u = {NULL, 0, 0};
	weighed *list = NULL;
	int rc = 0;
	(void)call;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = add_words(l, &u, texts[i], (uint32_t)i, err);
	}
	if (rc == 0) {
		merge(&u);
		list = weigh(l, &u, n);
		rc = list ? emit(l, list, u.n, n, vectors, err) : l->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	l->host->free(list);
	l->host->free(u.list);
	return rc;
}

static const assay_embedder_ops ops = {.size = sizeof ops,
				       .open = lexical_open,
				       .close = lexical_close,
				       .embed = lexical_embed};

static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_EMBEDDER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "lexical",
	.summary = "hashed TF-IDF over words, no model",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		   "\"dimensions\":{\"type\":\"integer\",\"minimum\":16,\"maximum\":65536,\"default\":1024}}}",
	.ops = &ops};

ASSAY_PLUGIN(embedder_lexical, "0.1.0", "Vectors from words alone", "Apache-2.0", &impl)
