/* A catalogue of 10,000 tools on 500 servers: loading it, ranking it by words and by vectors, drawing pools from it.
 * Prints nanoseconds an operation, and what the catalogue takes of memory. */
#include "core/base/random.h"
#include "core/base/similarity.h"
#include "core/plugin/call.h"
#include "core/task/catalogue.h"
#include "tests/bench/sample.h"
#include <assay/roles/exposure.h>
#include <assay/roles/sampler.h>
#include <malloc.h>
#include <string.h>

#define SERVERS 500
#define TOOLS 20 /* of each */
#define DIMENSIONS 1024

extern const assay_plugin *sampler_base_LTX_assay_plugin_v1(void);
extern const assay_plugin *exposure_pool_LTX_assay_plugin_v1(void);

static const char *const words[] = {"order",   "invoice",  "customer", "ticket", "branch",  "commit",
				    "weather", "forecast", "station",  "route",  "letter",  "folder",
				    "note",    "event",    "price",    "stock",  "paper",   "author",
				    "image",   "chart",    "payment",  "refund", "session", "archive"};
static const char *const verbs[] = {"get", "list", "find", "create", "update", "delete", "search", "convert"};
#define N_WORDS (sizeof words / sizeof *words)
#define N_VERBS (sizeof verbs / sizeof *verbs)

typedef struct bench {
	assay_text text; /* the records */
	as_catalogue *catalogue;
	as_bm25 *index;
	double *scores;
	float *vectors, *query;
	double best;
	as_rng rng;
} bench;

static const char *word(as_rng *r)
{
	return words[as_rng_below(r, N_WORDS)];
}

static void make_records(bench *b)
{
	as_buf out = {0};
	as_rng_seed(&b->rng, 1);
	as_buf_puts(&out, "[");
	for (int s = 0; s < SERVERS; s++) {
		as_buf_printf(
			&out,
			"%s{\"server_id\":\"server-%03d\",\"class\":\"live_read\",\"tags\":[\"domain:%s\"],\"tools\":[",
			s ? "," : "", s, words[(size_t)s % N_WORDS]);
		for (int t = 0; t < TOOLS; t++) {
			as_buf_printf(
				&out,
				"%s{\"name\":\"%s_%s_%d\",\"description\":\"%s the %s of a %s, with its %s and %s, by %s or %s.\","
				"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"%s_id\":{\"type\":\"string\","
				"\"description\":\"which %s\"},\"limit\":{\"type\":\"integer\"}},\"required\":[\"%s_id\"]}}",
				t ? "," : "", verbs[as_rng_below(&b->rng, N_VERBS)], word(&b->rng), t,
				verbs[as_rng_below(&b->rng, N_VERBS)], word(&b->rng), word(&b->rng), word(&b->rng),
				word(&b->rng), word(&b->rng), word(&b->rng), word(&b->rng), word(&b->rng),
				word(&b->rng));
		}
		as_buf_puts(&out, "]}");
	}
	as_buf_puts(&out, "]");
	bench_must(as_buf_take(&out, &b->text, NULL), "records");
}

static void load(void *context)
{
	bench *b = context;
	assay_json *records = NULL;
	as_catalogue_free(b->catalogue);
	bench_must(as_json_parse(as_text_str(b->text), ASSAY_JSON_PEER, &records, NULL), "parse");
	bench_must(as_catalogue_new(records, &b->catalogue, NULL), "catalogue");
}

static void rank_words(void *context)
{
	bench *b = context;
	bench_must(as_bm25_scores(
			   b->index,
			   ASSAY_STR("please find the invoice of this customer and archive the refund of that order"),
			   b->scores, NULL),
		   "scores");
}

static void rank_vectors(void *context)
{
	bench *b = context;
	for (size_t i = 0; i < SERVERS * TOOLS; i++) {
		double c = as_cosine(b->query, b->vectors + i * DIMENSIONS, DIMENSIONS);
		b->best = c > b->best ? c : b->best;
	}
}

static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_impl *const *impls = sampler_base_LTX_assay_plugin_v1()->impls;
	as_call call;
	as_rng rng;
	as_call_init(&call);
	as_rng_seed(&rng, seed);
	call.rng = &rng;
	call.catalogue = ((bench *)context)->catalogue;
	while (strcmp((*impls)->name, name) != 0) {
		impls++;
	}
	return ((const assay_sampler_ops *)(*impls)->ops)
		->draw((void *)(uintptr_t)as_host(), &call.pub, required, candidates, n, picked, n_picked, err);
}

static int count_offer(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		       const assay_json *parameters, assay_error *err)
{
	(void)sink;
	(void)tool;
	(void)name;
	(void)description;
	(void)parameters;
	(void)err;
	return 0;
}

static void draw_pool(void *context)
{
	static const as_call_hooks hooks = {.draw = hook_draw};
	bench *b = context;
	assay_tools all = as_catalogue_tools(b->catalogue);
	const assay_exposure_ops *ops = exposure_pool_LTX_assay_plugin_v1()->impls[0]->ops;
	const assay_tool *required[2] = {all.list[as_rng_below(&b->rng, (uint32_t)all.count)],
					 all.list[as_rng_below(&b->rng, (uint32_t)all.count)]};
	assay_exposure_request request = {.size = sizeof request,
					  .seed = as_rng_u32(&b->rng) >> 1,
					  .prompt = ASSAY_STR("x"),
					  .required = {required, 2},
					  .catalogue = all};
	assay_offer_sink sink = {sizeof sink, 0, count_offer};
	void *self = NULL;
	as_call call;
	as_call_init(&call);
	call.rng = &b->rng;
	call.hooks = &hooks;
	call.context = b;
	bench_must(ops->open(as_host(), NULL, &self, NULL), "open");
	bench_must(ops->offer(self, &call.pub, &request, &sink, NULL), "offer");
	ops->close(self);
}

static size_t held(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

int main(void)
{
	bench b = {.scores = calloc(SERVERS * TOOLS, sizeof(double)),
		   .vectors = calloc((size_t)SERVERS * TOOLS * DIMENSIONS, sizeof(float)),
		   .query = calloc(DIMENSIONS, sizeof(float))};
	size_t before;
	assay_tools all;
	bench_must(b.scores && b.vectors && b.query ? 0 : -1, "memory");
	make_records(&b);
	before = held();
	bench_print("catalogue: load 10000 tools", bench_measure(load, &b, 1));
	printf("catalogue of 10000 tools: %zu bytes of text, %zu bytes held\n", b.text.len, held() - before);
	all = as_catalogue_tools(b.catalogue);
	bench_must(as_bm25_new(&b.index, NULL), "index");
	for (size_t i = 0; i < all.count; i++) {
		bench_must(as_bm25_add(b.index, all.list[i]->description, NULL), "document");
	}
	bench_print("bm25: 13 words over 10000 tools", bench_measure(rank_words, &b, 20));
	for (size_t i = 0; i < (size_t)SERVERS * TOOLS * DIMENSIONS; i++) {
		b.vectors[i] = (float)(as_rng_unit(&b.rng) - 0.5);
	}
	memcpy(b.query, b.vectors, DIMENSIONS * sizeof(float));
	bench_print("cosine: 10000 vectors of 1024", bench_measure(rank_vectors, &b, 1));
	bench_print("pool: target over 10000 tools", bench_measure(draw_pool, &b, 10));
	as_bm25_free(b.index);
	as_catalogue_free(b.catalogue);
	as_text_free(&b.text);
	free(b.scores);
	free(b.vectors);
	free(b.query);
	return b.best > 0.99 ? EXIT_SUCCESS : EXIT_FAILURE;
}
