/* A module in order, for tests/unit/test_plugin.c: implementations of several roles, options, and an instance that
 * tells what it was given. */
#include <assay/plugin.h>
#include <assay/roles/environment.h>
#include <assay/roles/reporter.h>
#include <assay/roles/sampler.h>
#include <assay/roles/scorer.h>
#include <string.h>

struct good {
	const assay_host *host;
	assay_json *options;
};

static int good_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	int64_t answer = host->json->i64(host->json->get(options, "answer"), 0);
	if (answer == 1) {
		return host->fail(err, ASSAY_EINVAL, "option answer must not be 1");
	}
	if (answer == 2) {
		return 7; /* breaks the contract */
	}
	if (answer == 3) {
		return ASSAY_EIO; /* without a word */
	}
	struct good *g = host->alloc(sizeof *g);
	if (!g) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	g->host = host;
	g->options = host->json->clone(options);
	*self = g;
	return 0;
}

static void good_close(void *self)
{
	struct good *g = self;
	if (g) {
		const assay_host *host = g->host;
		host->json->free(g->options);
		host->free(g);
	}
}

/* Everything that a call offers is passed through to the test: it picks `answer` first, then random numbers. */
static int good_draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
		     uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const struct good *g = self;
	(void)required, (void)err;
	for (size_t i = 0; i < n; i++) {
		picked[i] = i == 0 ? (uint32_t)g->host->json->i64(g->host->json->get(g->options, "answer"), 0)
				   : call->host->rng->below(call, (uint32_t)candidates.count);
	}
	*n_picked = n;
	return 0;
}

static int good_score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	const struct good *g = self;
	(void)call, (void)subject;
	return verdict->emit(verdict, g->host->json->clone(g->options), err);
}

static int good_render(void *self, assay_call *call, const assay_json *model, assay_sink *out, assay_error *err)
{
	(void)self, (void)call, (void)model;
	return out->write(out, ASSAY_STR("report\n"), err);
}

static const assay_sampler_ops sampler_ops = {.size = sizeof sampler_ops,
					      .open = good_open,
					      .close = good_close,
					      .draw = good_draw};
static const assay_scorer_ops scorer_ops = {.size = sizeof scorer_ops,
					    .open = good_open,
					    .close = good_close,
					    .score = good_score};
/* As an older module would have it: the table ends behind what it knows. */
static const assay_sampler_ops older_ops = {.size = offsetof(assay_sampler_ops, seed_sets), .draw = good_draw};
static const assay_reporter_ops reporter_ops = {.size = sizeof reporter_ops,
						.file_name = "report.txt",
						.render = good_render};

static const assay_impl sampler = {
	.size = sizeof sampler,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE,
	.name = "good",
	.summary = "a sampler in order",
	.options =
		"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
		"\"answer\": {\"type\": \"integer\", \"minimum\": 0, \"default\": 42}, \"name\": {\"type\": \"string\"}}}",
	.ops = &sampler_ops,
};
static const assay_impl older = {
	.size = sizeof older,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.name = "older",
	.summary = "a sampler of earlier days",
	.ops = &older_ops,
};
static const assay_impl scorer = {
	.size = sizeof scorer,
	.role = ASSAY_ROLE_SCORER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_NEEDS_LIVE,
	.name = "good",
	.summary = "a scorer in order",
	.options = "{\"type\": \"object\", \"properties\": {"
		   "\"file\": {\"type\": \"string\", \"format\": \"path\"},"
		   "\"sure\": {\"type\": \"string\", \"format\": \"path\", \"must-exist\": true},"
		   "\"inner\": {\"$ref\": \"#/$defs/inner\"},"
		   "\"many\": {\"type\": \"array\", \"items\": {\"type\": \"string\", \"format\": \"path\"}},"
		   "\"map\": {\"type\": \"object\", \"additionalProperties\": {\"format\": \"path\"}}},"
		   "\"$defs\": {\"inner\": {\"type\": \"object\", \"properties\": {"
		   "\"sure\": {\"type\": \"string\", \"format\": \"path\", \"must-exist\": true}}}}}",
	.ops = &scorer_ops,
};
static const assay_impl reporter = {
	.size = sizeof reporter,
	.role = ASSAY_ROLE_REPORTER,
	.role_version = 1,
	.name = "plain-text",
	.summary = "a reporter in order",
	.ops = &reporter_ops,
};

ASSAY_PLUGIN(good, "1.2.3", "In order", "MIT", &sampler, &older, &scorer, &reporter)
