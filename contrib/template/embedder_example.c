/* embedder/example: the words of a text, each hashed into one of `size` numbers. Texts that share words lie near each
 * other: enough for a router of tools, without a model. */
#include <assay/plugin.h>
#include <assay/roles/embedder.h>

struct embedder {
	const assay_host *host;
	size_t size;
};

static int open_embedder(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct embedder *e = (struct embedder *)host->alloc(sizeof *e);
	if (!e) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	e->host = host;
	e->size = (size_t)host->json->i64(host->json->get(options, "size"), 256); /* the schema keeps it in range */
	*self = e;
	return 0;
}

static void close_embedder(void *self)
{
	if (self) {
		((struct embedder *)self)->host->free(self);
	}
}

static void add_words(assay_str text, float *vector, size_t size)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (size_t i = 0; i <= text.len; i++) {
		unsigned char c = i < text.len ? (unsigned char)text.ptr[i] : ' ';
		if (c > ' ' && c != '_' && c != '.') {
			hash = (hash ^ (c | 0x20u)) * 16777619u;
		} else if (hash != 2166136261u) {
			vector[hash % size] += 1.0f;
			hash = 2166136261u;
		}
	}
}

static int embed(void *self, assay_call *call, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		 assay_error *err)
{
	const struct embedder *e = (const struct embedder *)self;
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		float *vector = (float *)call->host->alloc(e->size * sizeof *vector); /* zeroed */
		if (!vector) {
			return call->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		add_words(texts[i], vector, e->size);
		rc = vectors->add(vectors, vector, e->size, err);
		call->host->free(vector);
	}
	return rc < 0 ? rc : 0;
}

static const char options_schema[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"size\": {\"type\": \"integer\", "
	"\"minimum\": 8, \"maximum\": 4096, \"default\": 256, \"description\": \"numbers of a vector\"}}}";
static const assay_embedder_ops ops = {.size = sizeof ops,
				       .open = open_embedder,
				       .close = close_embedder,
				       .embed = embed};
ASSAY_IMPL(impl, EMBEDDER, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "words hashed into a vector",
	   options_schema, &ops);
ASSAY_PLUGIN(embedder_example, "0.1.0", "An embedder", "Apache-2.0", &impl)
