/* What the broken modules share: a sampler that is in order, and the getter. Each file breaks one thing. */
#ifndef BAD_H
#define BAD_H

#include <assay/plugin.h>
#include <assay/roles/sampler.h>

/* Overriding a member is the point of the macros below. */
#pragma GCC diagnostic ignored "-Woverride-init"

static int draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n, uint32_t *picked,
		size_t *n_picked, assay_error *err)
{
	(void)self, (void)call, (void)required, (void)candidates, (void)n, (void)picked, (void)err;
	*n_picked = 0;
	return 0;
}

static const assay_sampler_ops bad_ops = {.size = sizeof bad_ops, .draw = draw};

/* A sampler called "one"; further arguments override members. */
#define BAD_IMPL(...)                                                                                                  \
	{                                                                                                              \
		.size = sizeof(assay_impl), .role = ASSAY_ROLE_SAMPLER, .role_version = 1, .name = "one",              \
		.summary = "One sampler", .ops = &bad_ops, __VA_ARGS__                                                 \
	}

/* A descriptor of it, again with overrides. */
#define BAD_PLUGIN(stem, ...)                                                                                          \
	ASSAY_EXPORT const assay_plugin *stem##_LTX_assay_plugin_v1(void);                                             \
	const assay_plugin *stem##_LTX_assay_plugin_v1(void)                                                           \
	{                                                                                                              \
		static const assay_plugin plugin = {.magic = ASSAY_PLUGIN_MAGIC,                                       \
						    .size = sizeof(assay_plugin),                                      \
						    .abi_major = ASSAY_ABI_MAJOR,                                      \
						    .abi_minor = ASSAY_ABI_MINOR,                                      \
						    .name = #stem,                                                     \
						    .version = "1.0",                                                  \
						    .summary = "Broken on purpose",                                    \
						    .license = "MIT",                                                  \
						    .impls = impls,                                                    \
						    __VA_ARGS__};                                                      \
		return &plugin;                                                                                        \
	}

#endif
