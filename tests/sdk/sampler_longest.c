/* Draws the candidates with the longest descriptions first. A complete plugin: it is built with the SDK's headers
 * alone, cc -shared -fPIC -I"$(pkg-config --variable=includedir assay)" -o sampler_longest.so sampler_longest.c and
 * found through ASSAY_PLUGIN_PATH as sampler/longest. */
#include <assay/plugin.h>
#include <assay/roles/sampler.h>
#include <string.h>

/* Longest first; of one length, the one that comes first in the catalogue. */
static int comes_before(const assay_tools *tools, uint32_t a, uint32_t b)
{
	size_t la = tools->list[a]->description.len;
	size_t lb = tools->list[b]->description.len;
	return la != lb ? la > lb : a < b;
}

static int longest_draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			uint32_t *picked, size_t *n_picked, assay_error *err)
{
	(void)self, (void)call, (void)required, (void)err;
	size_t kept = 0;
	/* Insertion into the n best so far: no memory needed. */
	for (uint32_t i = 0; i < candidates.count; i++) {
		size_t at = kept;
		while (at > 0 && comes_before(&candidates, i, picked[at - 1])) {
			at--;
		}
		if (at >= n) {
			continue;
		}
		if (kept < n) {
			kept++;
		}
		memmove(picked + at + 1, picked + at, (kept - at - 1) * sizeof *picked);
		picked[at] = i;
	}
	*n_picked = kept;
	return 0;
}

static const assay_sampler_ops longest_ops = {.size = sizeof longest_ops, .draw = longest_draw};

static const assay_impl longest = {
	.size = sizeof longest,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_PURE,
	.name = "longest",
	.summary = "the candidates with the longest descriptions",
	.ops = &longest_ops,
};

ASSAY_PLUGIN(sampler_longest, "1.0.0", "Draws by length of description", "MIT", &longest)
