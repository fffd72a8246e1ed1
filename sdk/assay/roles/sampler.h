/* Assay SDK, role sampler: which tools a category is about, and which tools stand beside the right ones.
 * Paper: DynamicMCPBench, tool sampling. */
#ifndef ASSAY_ROLES_SAMPLER_H
#define ASSAY_ROLES_SAMPLER_H

#include <assay/plugin.h>

typedef struct assay_sampler_ops {
	ASSAY_OPS_HEAD;
	/* Draw at most n of `candidates` for the tools in `required`, best or first drawn first. A short supply is no
	 * error. Writes indexes into candidates->list to picked (room for n) and their number to n_picked. Random
	 * numbers come from host->rng only. candidates never contains a required tool. Required operation. */
	int (*draw)(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
		    uint32_t *picked, size_t *n_picked, assay_error *err);
	/* Emit whole seed sets instead: arrays of {"server", "tool"}, all that exist, in a fixed order, 100000 at most;
	 * the core takes one of them at random for each goal, as it is, whatever the category's size. None at all is no
	 * error: the category has no goals then. Optional (NULL): the core takes an anchor at random and draws the rest
	 * around it. */
	int (*seed_sets)(void *self, assay_call *call, assay_tools catalogue, assay_sink *sets, assay_error *err);
} assay_sampler_ops;

#endif
