/* Assay SDK: what a module exports.
 *
 * A module is a shared object STEM.so (STEM: a lower-case letter, then lower-case letters, digits and _). It exports
 * one function, STEM_LTX_assay_plugin_v1, made by ASSAY_PLUGIN, which returns constant data; nothing else of the module
 * runs before the host has checked that data. Modules stay loaded until the program ends. No plugin prints, exits,
 * forks, changes directory or reads the environment.
 */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <assay/host.h>
#include <assay/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_PLUGIN_MAGIC 0x59415341u /* "ASAY" */

/* Bits of assay_impl.flags. */
#define ASSAY_IMPL_REENTRANT 1u   /* one instance may serve several threads at once */
#define ASSAY_IMPL_PURE 2u        /* same input, same output: the host may recompute instead of storing */
#define ASSAY_IMPL_NEEDS_LIVE 4u  /* scorer: wants the live state, runs once before it is reset */
#define ASSAY_IMPL_NEEDS_MODEL 8u /* asks a model: the manifest must give one */

/* One way to fill one role. ops points to the role's table of operations (assay/roles/...), which starts with its size.
 */
typedef struct assay_impl {
	uint32_t size;
	uint32_t role;
	uint32_t role_version; /* 1 */
	uint32_t flags;
	const char *name;    /* as in "sampler/NAME": [a-z][a-z0-9_-]* */
	const char *summary; /* one line */
	const char *options; /* JSON Schema (text) of the options object; NULL: takes none */
	const void *ops;
} assay_impl;

typedef struct assay_plugin {
	uint32_t magic;
	uint32_t size;
	uint16_t abi_major;
	uint16_t abi_minor;
	uint32_t reserved; /* 0 */
	const char *name;  /* = STEM */
	const char *version;
	const char *summary;
	const char *license;
	const assay_impl *const *impls; /* NULL-terminated */
} assay_plugin;

#if defined(_WIN32)
#define ASSAY_EXPORT __declspec(dllexport)
#else
#define ASSAY_EXPORT __attribute__((visibility("default")))
#endif

/* ASSAY_PLUGIN(scorer_brevity, "0.1.0", "Brevity scorer", "MIT", &brevity, &other); at file scope. */
#define ASSAY_PLUGIN(stem, plugin_version, plugin_summary, plugin_license, ...)                                        \
	ASSAY_EXPORT const assay_plugin *stem##_LTX_assay_plugin_v1(void);                                             \
	const assay_plugin *stem##_LTX_assay_plugin_v1(void)                                                           \
	{                                                                                                              \
		static const assay_impl *const impls[] = {__VA_ARGS__, NULL};                                          \
		static const assay_plugin plugin = {ASSAY_PLUGIN_MAGIC,                                                \
						    sizeof(assay_plugin),                                              \
						    ASSAY_ABI_MAJOR,                                                   \
						    ASSAY_ABI_MINOR,                                                   \
						    0,                                                                 \
						    #stem,                                                             \
						    plugin_version,                                                    \
						    plugin_summary,                                                    \
						    plugin_license,                                                    \
						    impls};                                                            \
		return &plugin;                                                                                        \
	}

/* Every role's table begins with these two. open makes an instance from validated options (defaults filled in, paths
 * resolved; borrowed for the call) and may keep `host`. close accepts NULL. */
#define ASSAY_OPS_HEAD                                                                                                 \
	uint32_t size;                                                                                                 \
	uint32_t reserved;                                                                                             \
	int (*open)(const assay_host *host, const assay_json *options, void **self, assay_error *err);                 \
	void (*close)(void *self)

#ifdef __cplusplus
}
#endif
#endif
