/* exposure/full: every tool there is, whatever the task needs. */
#include "offer.h"

typedef struct full {
	const assay_host *host;
	int reference;
} full;

static int full_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	full *f = host->alloc(sizeof *f);
	if (!f) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	f->host = host;
	f->reference = host->json->boolean(host->json->get(options, "reference"), 0);
	*self = f;
	return 0;
}

static void full_close(void *self)
{
	full *f = self;
	if (f) {
		f->host->free(f);
	}
}

static int is_required(const assay_exposure_request *request, const assay_tool *tool)
{
	for (size_t i = 0; i < request->required.count; i++) {
		if (request->required.list[i] == tool) {
			return 1;
		}
	}
	return 0;
}

/* Required tools first, which only the reference order shows. */
static int full_offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		      assay_error *err)
{
	const full *f = self;
	stand s = {f->host, call, request, offers};
	size_t n = request->required.count;
	const assay_tool **list = f->host->alloc((n + request->catalogue.count + 1) * sizeof(const assay_tool *));
	int rc;
	if (!list) {
		return f->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		list[i] = request->required.list[i];
	}
	for (size_t i = 0; i < request->catalogue.count; i++) {
		if (!is_required(request, request->catalogue.list[i])) {
			list[n++] = request->catalogue.list[i];
		}
	}
	rc = stand_offer(&s, list, n, f->reference, err);
	f->host->free((void *)(uintptr_t)list);
	return rc;
}

static const assay_exposure_ops ops = {.size = sizeof ops, .open = full_open, .close = full_close, .offer = full_offer};

const assay_impl expo_full = {
	.size = sizeof expo_full,
	.role = ASSAY_ROLE_EXPOSURE,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "full",
	.summary = "every tool of every server, shuffled",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"reference\":{\"type\":\"boolean\",\"default\":false,"
		"\"description\":\"as DynamicMCPBench: needed tools first, those of other servers without schemas\"}}}",
	.ops = &ops};
