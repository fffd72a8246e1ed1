/* sampler/example: tools that take the same arguments. A tool that shares a parameter's name with a needed one is
 * easily mistaken for it, or can go on where the other stopped. What is left is filled up at random. */
#include <assay/plugin.h>
#include <assay/roles/sampler.h>

static const assay_json *parameters(const assay_json_api *J, const assay_tool *tool)
{
	return J->get(tool->input_schema, "properties"); /* NULL goes through all of J */
}

static int shares_parameter(const assay_json_api *J, const assay_tool *a, const assay_tool *b)
{
	const assay_json *p;
	for (p = J->first(parameters(J, a)); p; p = J->next(p)) {
		if (J->get_n(parameters(J, b), J->key(p))) {
			return 1;
		}
	}
	return 0;
}

static int draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n, uint32_t *picked,
		size_t *n_picked, assay_error *err)
{
	const assay_host *host = call->host;
	uint32_t *order = (uint32_t *)host->alloc((candidates.count + 1) * sizeof *order);
	size_t i, k, front = 0;
	(void)self;
	if (!order) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	/* All random numbers come from the host: the same seed draws the same tools, next year too. */
	for (i = 0; i < candidates.count; i++) {
		order[i] = (uint32_t)i;
	}
	host->rng->shuffle(call, order, candidates.count);
	for (i = 0; i < candidates.count; i++) {
		for (k = 0; k < required.count; k++) {
			if (shares_parameter(host->json, required.list[k], candidates.list[order[i]])) {
				uint32_t index = order[i];
				order[i] = order[front];
				order[front++] = index;
				break;
			}
		}
	}
	for (i = 0; i < n && i < candidates.count; i++) {
		picked[i] = order[i];
	}
	*n_picked = i;
	host->free(order);
	return 0;
}

static const assay_sampler_ops ops = {.size = sizeof ops, .draw = draw};

ASSAY_IMPL(impl, SAMPLER, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "tools that take the same arguments", NULL,
	   &ops);
ASSAY_PLUGIN(sampler_example, "0.1.0", "A sampler", "Apache-2.0", &impl)
