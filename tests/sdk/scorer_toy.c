/* A scorer whose verdict is what its options say, for tests/unit/test_score.c. */
#include <assay/roles/scorer.h>

struct toy {
	const assay_host *host;
	assay_json *options;
};

static int toy_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct toy *t = host->alloc(sizeof *t);
	if (!t) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	t->host = host;
	t->options = host->json->clone(options);
	*self = t;
	return 0;
}

static void toy_close(void *self)
{
	struct toy *t = self;
	if (t) {
		const assay_host *host = t->host;
		host->json->free(t->options);
		host->free(t);
	}
}

static int toy_score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	const struct toy *t = self;
	const assay_json_api *J = t->host->json;
	int rc = 0;
	(void)call;
	(void)subject;
	if (J->boolean(J->get(t->options, "fail"), 0)) {
		return t->host->fail(err, ASSAY_EDATA, "cannot judge this");
	}
	for (int64_t i = J->i64(J->get(t->options, "times"), 1); i > 0 && rc == 0; i--) {
		rc = verdict->emit(verdict, J->clone(J->get(t->options, "verdict")), err);
	}
	return rc < 0 ? rc : 0;
}

static const assay_scorer_ops ops = {.size = sizeof ops, .open = toy_open, .close = toy_close, .score = toy_score};
static const assay_impl impl = {
	.size = sizeof impl,
	.role = ASSAY_ROLE_SCORER,
	.role_version = 1,
	.name = "toy",
	.summary = "says what its options say",
	.options = "{\"type\":\"object\",\"properties\":{\"verdict\":{},\"times\":{\"type\":\"integer\"},"
		   "\"fail\":{\"type\":\"boolean\"}}}",
	.ops = &ops};

ASSAY_PLUGIN(scorer_toy, "1.0.0", "A scorer for tests", "Apache-2.0", &impl)
