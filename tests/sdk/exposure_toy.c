/* An exposure that does all an exposure can do, for tests/unit/test_recorder.c. */
#include <assay/roles/exposure.h>
#include <string.h>

struct toy {
	const assay_host *host;
	int nameless, fails;
};

static int toy_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct toy *t = host->alloc(sizeof *t);
	if (!t) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	t->host = host;
	t->nameless = host->json->boolean(host->json->get(options, "nameless"), 0);
	t->fails = host->json->boolean(host->json->get(options, "fails"), 0);
	*self = t;
	return 0;
}

static void toy_close(void *self)
{
	struct toy *t = self;
	if (t) {
		t->host->free(t);
	}
}

/* The surface as it is; its first tool once more under another name; tools of its own. */
static int toy_offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		     assay_error *err)
{
	static const char *const own[] = {"find", "via", "never", "array", "broken", "find"};
	static const assay_str none = {NULL, 0};
	const struct toy *t = self;
	assay_json *parameters = t->host->json->object();
	int rc = 0;
	(void)call;
	if (t->fails) {
		t->host->json->free(parameters);
		return t->host->fail(err, ASSAY_EDATA, "no tools today");
	}
	for (size_t i = 0; i < request->surface.count && rc == 0; i++) {
		rc = offers->add(offers, request->surface.list[i], none, none, NULL, err);
	}
	if (rc == 0 && request->surface.count > 0) {
		rc = offers->add(offers, request->surface.list[0], ASSAY_STR("alias"), ASSAY_STR("another name"),
				 parameters, err);
	}
	for (size_t i = 0; i < sizeof own / sizeof *own && rc == 0; i++) {
		rc = offers->add(offers, NULL, (assay_str){own[i], strlen(own[i])}, none, NULL, err);
	}
	if (rc == 0 && t->nameless) {
		rc = offers->add(offers, NULL, none, none, NULL, err);
	}
	t->host->json->free(parameters);
	return rc;
}

static int is_name(assay_str name, const char *text)
{
	return name.len == strlen(text) && memcmp(name.ptr, text, name.len) == 0;
}

static assay_text copy(const assay_host *host, const char *text)
{
	assay_text out = {host->alloc(strlen(text) + 1), strlen(text)};
	if (out.ptr) {
		memcpy(out.ptr, text, out.len + 1);
	}
	return out;
}

static int toy_route(void *self, assay_call *call, assay_str name, const assay_json *arguments, assay_route *route,
		     assay_error *err)
{
	const assay_host *host = ((const struct toy *)self)->host;
	const assay_json_api *J = host->json;
	(void)call;
	(void)arguments;
	if (is_name(name, "find")) {
		route->kind = ASSAY_ROUTE_ANSWER;
		route->answer = copy(host, "found: save");
	} else if (is_name(name, "via") || is_name(name, "array")) {
		route->kind = ASSAY_ROUTE_WORLD;
		route->server = copy(host, "notes");
		route->tool = copy(host, "save");
		route->arguments = is_name(name, "via") ? J->object() : J->array();
		J->set(route->arguments, "routed", J->truth(1));
	} else if (is_name(name, "broken")) {
		return host->fail(err, ASSAY_EDATA, "lost the way");
	}
	return 0;
}

static const assay_exposure_ops ops = {
	.size = sizeof ops, .open = toy_open, .close = toy_close, .offer = toy_offer, .route = toy_route};
static const assay_impl impl = {.size = sizeof impl,
				.role = ASSAY_ROLE_EXPOSURE,
				.role_version = 1,
				.name = "toy",
				.summary = "offers what a test wants to see",
				.options = "{\"type\":\"object\",\"properties\":{\"nameless\":{\"type\":\"boolean\"},"
					   "\"fails\":{\"type\":\"boolean\"}}}",
				.ops = &ops};

ASSAY_PLUGIN(exposure_toy, "1.0.0", "An exposure for tests", "Apache-2.0", &impl)
