/* exposure/target: the tools that a task needs among distractors (DynamicMCPBench, target pool; reference page part 6).
 * Unlike the reference, distractors carry their real schemas and the offer is shuffled by the task's seed, so that
 * neither an empty schema nor a place in the list gives the right tools away; "reference": true restores its ways. */
#include "offer.h"
#include <string.h>

typedef struct target {
	const assay_host *host;
	uint32_t distractors;
	double p_alt;
	char *strategy; /* one sampler for all distractors; NULL: namesakes, then look-alikes */
	int reference;
} target;

/* A pool being put together: tools in order, none twice. */
typedef struct pool {
	const assay_tool **list;
	size_t count, required;
} pool;

static int target_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	target *t = host->alloc(sizeof *t);
	if (!t) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	t->host = host;
	t->distractors = (uint32_t)host->json->i64(host->json->get(options, "distractors"), 8);
	t->p_alt = host->json->f64(host->json->get(options, "p_alt"), 0.5);
	t->reference = host->json->boolean(host->json->get(options, "reference"), 0);
	if (stand_option(host, options, "strategy", &t->strategy, err) < 0) {
		host->free(t);
		return ASSAY_ENOMEM;
	}
	*self = t;
	return 0;
}

static void target_close(void *self)
{
	target *t = self;
	if (t) {
		t->host->free(t->strategy);
		t->host->free(t);
	}
}

static int in_pool(const pool *p, const assay_tool *tool)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i] == tool) {
			return 1;
		}
	}
	return 0;
}

/* Python's round: half to even. The product is small, so the conversion is exact enough. */
static uint32_t round_half_even(double x)
{
	uint32_t whole = (uint32_t)x;
	double rest = x - (double)whole;
	if (rest > 0.5 || (!(rest < 0.5) && whole % 2 == 1)) {
		whole++;
	}
	return whole;
}

/* Add what a sampler draws, at most until the pool holds `limit` tools. */
static int add_sample(const target *t, assay_call *call, const char *sampler, const assay_exposure_request *request,
		      assay_tools candidates, size_t n, size_t limit, uint32_t *picked, pool *p, assay_error *err)
{
	size_t got = 0;
	int rc = t->host->sampler->draw(call, sampler, request->required, candidates, n, request->seed, picked, &got,
					err);
	for (size_t i = 0; i < got && rc == 0 && p->count < limit; i++) {
		if (picked[i] >= candidates.count) {
			return t->host->fail(err, ASSAY_EPLUGIN, "sampler/%s picked tool %u of %zu", sampler,
					     (unsigned)picked[i], candidates.count);
		}
		const assay_tool *tool = candidates.list[picked[i]];
		if (!in_pool(p, tool)) {
			p->list[p->count++] = tool;
		}
	}
	return rc;
}

static int fill_pool(const target *t, assay_call *call, const assay_exposure_request *request, assay_tools candidates,
		     uint32_t *picked, pool *p, assay_error *err)
{
	size_t n_alt = round_half_even(t->p_alt * (double)t->distractors), limit = p->required + t->distractors;
	size_t alternatives;
	int rc;
	if (t->strategy) {
		return add_sample(t, call, t->strategy, request, candidates, t->distractors, limit, picked, p, err);
	}
	rc = add_sample(t, call, "same_name", request, candidates, n_alt, p->required + n_alt, picked, p, err);
	alternatives = p->count - p->required;
	if (rc == 0) {
		rc = add_sample(t, call, "hard_negative", request, candidates, t->distractors + alternatives, limit,
				picked, p, err);
	}
	return rc;
}

static int target_offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
			assay_error *err)
{
	const target *t = self;
	const assay_host *host = t->host;
	size_t room = request->catalogue.count + request->required.count + 1;
	pool p = {host->alloc(room * sizeof(const assay_tool *)), 0, 0};
	const assay_tool **others = host->alloc(room * sizeof(const assay_tool *));
	uint32_t *numbers = host->alloc(room * sizeof *numbers);
	stand s = {host, call, request, offers};
	size_t n_others = 0;
	int rc = 0;
	if (!p.list || !others || !numbers) {
		rc = host->fail(err, ASSAY_ENOMEM, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < request->required.count; i++) {
		p.list[p.count++] = request->required.list[i];
	}
	p.required = p.count;
	for (size_t i = 0; i < request->catalogue.count; i++) {
		if (!in_pool(&p, request->catalogue.list[i])) {
			others[n_others++] = request->catalogue.list[i];
		}
	}
	rc = fill_pool(t, call, request, (assay_tools){others, n_others}, numbers, &p, err);
	if (rc == 0) {
		rc = stand_offer(&s, p.list, p.count, t->reference, err);
	}
out:
	host->free(numbers);
	host->free((void *)(uintptr_t)others);
	host->free((void *)(uintptr_t)p.list);
	return rc;
}

static const assay_exposure_ops ops = {.size = sizeof ops,
				       .open = target_open,
				       .close = target_close,
				       .offer = target_offer};

const assay_impl expo_target = {
	.size = sizeof expo_target,
	.role = ASSAY_ROLE_EXPOSURE,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "target",
	.summary = "the needed tools among distractors, shuffled",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,"
		   "\"not\":{\"required\":[\"strategy\",\"p_alt\"],\"description\":\"\\\"strategy\\\" names the "
		   "sampler of all distractors, beside which \\\"p_alt\\\" has no effect: leave one of them out\"},"
		   "\"properties\":{"
		   "\"distractors\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":10000,\"default\":8,"
		   "\"description\":\"tools beside the needed ones\"},"
		   "\"p_alt\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"default\":0.5,"
		   "\"description\":\"share of them that have a needed tool's name on another server\"},"
		   "\"strategy\":{\"type\":\"string\",\"pattern\":\"^[a-z][a-z0-9_-]*$\",\"format\":\"sampler\","
		   "\"description\":\"one sampler for all of them, by its name, in place of p_alt\"},"
		   "\"reference\":{\"type\":\"boolean\",\"default\":false,"
		   "\"description\":\"as DynamicMCPBench: needed tools first, those of servers that the task does "
		   "not use without schemas\"}}}",
	.ops = &ops};
