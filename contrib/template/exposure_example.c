/* exposure/example: the tools that the task needs, among others of the same servers, no more than `most` in all. */
#include <assay/plugin.h>
#include <assay/roles/exposure.h>

struct exposure {
	const assay_host *host;
	size_t most;
};

static int open_exposure(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct exposure *e = (struct exposure *)host->alloc(sizeof *e);
	if (!e) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	e->host = host;
	e->most = (size_t)host->json->i64(host->json->get(options, "most"), 16); /* the schema keeps it in range */
	*self = e;
	return 0;
}

static void close_exposure(void *self)
{
	if (self) {
		((struct exposure *)self)->host->free(self);
	}
}

static int is_in(assay_tools list, const assay_tool *tool)
{
	for (size_t i = 0; i < list.count; i++) {
		if (list.list[i] == tool) {
			return 1;
		}
	}
	return 0;
}

static int offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		 assay_error *err)
{
	const struct exposure *e = (const struct exposure *)self;
	const assay_str as_it_is = {NULL, 0};
	size_t room = e->most > request->required.count ? e->most - request->required.count : 0;
	int rc = 0;
	(void)call;
	/* In the order of the surface, so that a needed tool does not stand out by its place. */
	for (size_t i = 0; i < request->surface.count && rc == 0; i++) {
		const assay_tool *tool = request->surface.list[i];
		int needed = is_in(request->required, tool);
		if (needed || room > 0) {
			room -= needed ? 0 : 1;
			rc = offers->add(offers, tool, as_it_is, as_it_is, NULL, err);
		}
	}
	return rc < 0 ? rc : 0;
}

/* JSON Schema: checked and filled in with its defaults before open; the source of the documentation. */
static const char options_schema[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"most\": {\"type\": \"integer\", "
	"\"minimum\": 1, \"maximum\": 10000, \"default\": 16, \"description\": \"tools offered, needed ones included\"}}}";
static const assay_exposure_ops ops = {.size = sizeof ops,
				       .open = open_exposure,
				       .close = close_exposure,
				       .offer = offer};
ASSAY_IMPL(impl, EXPOSURE, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	   "the needed tools among some of their neighbours", options_schema, &ops);
ASSAY_PLUGIN(exposure_example, "0.1.0", "An exposure", "Apache-2.0", &impl)
