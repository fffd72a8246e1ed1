/* A plugin in C++, for tests/cli/sdk-headers: the headers and ASSAY_PLUGIN must work there too. */
#include <assay/plugin.h>
#include <assay/roles/sampler.h>

static int cxx_draw(void *, assay_call *call, assay_tools, assay_tools candidates, size_t n, uint32_t *picked,
		    size_t *n_picked, assay_error *)
{
	*n_picked = 0;
	if (n > 0 && candidates.count > 0) {
		picked[(*n_picked)++] = call->host->rng->below(call, static_cast<uint32_t>(candidates.count));
	}
	return 0;
}

static const assay_sampler_ops cxx_ops = {sizeof cxx_ops, 0, nullptr, nullptr, cxx_draw, nullptr};
static const assay_impl cxx = {sizeof cxx, ASSAY_ROLE_SAMPLER, 1, 0, "cxx", "one at random", nullptr, &cxx_ops};
ASSAY_PLUGIN(sampler_cxx, "1.0", "In C++", "MIT", &cxx)
