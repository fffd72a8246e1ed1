/* exposure/flat: every tool of the task's servers, as they are. */
#include <assay/roles/exposure.h>

static int flat_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	(void)options;
	(void)err;
	*self = (void *)(uintptr_t)host; /* nothing else to remember */
	return 0;
}

static void flat_close(void *self)
{
	(void)self;
}

static int flat_offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		      assay_error *err)
{
	static const assay_str none = {NULL, 0};
	int rc = 0;
	(void)self;
	(void)call;
	for (size_t i = 0; i < request->surface.count && rc == 0; i++) {
		rc = offers->add(offers, request->surface.list[i], none, none, NULL, err);
	}
	return rc < 0 ? rc : 0;
}

static const assay_exposure_ops ops = {.size = sizeof ops, .open = flat_open, .close = flat_close, .offer = flat_offer};

static const assay_impl impl = {.size = sizeof impl,
				.role = ASSAY_ROLE_EXPOSURE,
				.role_version = 1,
				.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
				.name = "flat",
				.summary = "every tool of the task's servers",
				.ops = &ops};

ASSAY_PLUGIN(exposure_flat, "0.1.0", "The whole surface of a task's servers", "Apache-2.0", &impl)
