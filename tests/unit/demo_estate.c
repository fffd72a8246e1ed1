#include "tests/unit/demo_estate.h"

#include "core/base/error.h"
#include "core/base/file.h"

#include <stdio.h>
#include <stdlib.h>

#define STATES TEST_SRCDIR "/contrib/demo/states/"
#define SERVERS TEST_BUILDDIR "/contrib/servers/"

void demo_must(int rc, const assay_error *err)
{
	char line[1024];
	if (rc != 0) {
		as_error_format(err, line, sizeof line);
		fprintf(stderr, "demo servers: %s\n", line);
		exit(1);
	}
}

assay_json *demo_json(const char *text)
{
	assay_json *v = NULL;
	assay_error err = {0};
	demo_must(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &v, &err), &err);
	return v;
}

as_world *demo_world_open(demo_estate *d)
{
	as_world *w = NULL;
	assay_error err = {0};
	as_call call;
	as_call_init(&call);
	demo_must(as_live_open(&d->estate, NULL, &call, &w, &err), &err);
	return w;
}

void demo_world_close(as_world *w)
{
	as_call call;
	as_call_init(&call);
	as_world_close(w, &call);
}

static void take_catalogue(demo_estate *d)
{
	assay_json *records = as_json_array();
	assay_error err = {0};
	as_call call;
	as_world *w = demo_world_open(d);
	as_call_init(&call);
	for (size_t i = 0; i < DEMO_SERVERS; i++) {
		assay_json *described = NULL, *r = as_json_object();
		demo_must(as_live_describe(w, &call, as_str(d->servers[i].id), &described, &err), &err);
		as_json_set(r, "server_id", as_json_cstring(d->servers[i].id));
		as_json_set(r, "class", as_json_cstring(as_class_name(d->servers[i].server_class)));
		as_json_set(r, "group", as_json_cstring(d->servers[i].id)); /* its environment is called so, too */
		as_json_set(r, "tags", as_json_array());
		as_json_append((assay_json *)(uintptr_t)as_json_get(r, "tags"), as_json_cstring(d->servers[i].id));
		as_json_set(r, "description", as_json_detach(described, "instructions"));
		as_json_set(r, "resources", as_json_array());
		as_json_set(r, "effects", as_json_null());
		as_json_set(r, "fingerprint", as_json_detach(described, "fingerprint"));
		as_json_set(r, "tools", as_json_detach(described, "tools"));
		as_json_append(records, r);
		as_json_free(described);
	}
	demo_world_close(w);
	demo_must(as_catalogue_new(records, &d->catalogue, &err), &err);
	d->estate.catalogue = d->catalogue;
}

void demo_estate_open(demo_estate *d)
{
	*d = (demo_estate){0};
	const as_registry_options options = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
	assay_error err = {0};
	demo_must(as_registry_new(&options, &d->registry, &err), &err);
	demo_must(as_make_temp_dir("/tmp", "assay-estate-", &d->work, &err), &err);
	d->environments[0] = (as_environment_spec){"notes", "environment/folder",
						   demo_json("{\"template\": \"" STATES "notes\"}"), 0};
	d->environments[1] =
		(as_environment_spec){"shop", "environment/folder", demo_json("{\"template\": \"" STATES "shop\"}"), 0};
	d->servers[DEMO_NOTES] =
		(as_server_spec){.id = "notes",
				 .use = "transport/stdio",
				 .server_class = AS_CLASS_STATEFUL_WRITE,
				 .launch = demo_json("{\"command\": \"" SERVERS
						     "assay-notes\", \"args\": [\"${env:notes.dir}\"]}"),
				 .environment = &d->environments[0]};
	d->servers[DEMO_SHOP] =
		(as_server_spec){.id = "shop",
				 .use = "transport/stdio",
				 .server_class = AS_CLASS_STATEFUL_WRITE,
				 .launch = demo_json("{\"command\": \"" SERVERS
						     "assay-shop\", \"args\": [\"${env:shop.dir}/shop.db\","
						     "\"--seed\", \"${env:shop.dir}/shop.sql\"]}"),
				 .environment = &d->environments[1]};
	d->servers[DEMO_ALMANAC] =
		(as_server_spec){.id = "almanac",
				 .use = "transport/stdio",
				 .server_class = AS_CLASS_LIVE_READ,
				 .launch = demo_json("{\"command\": \"" SERVERS
						     "assay-almanac\", \"env\": {\"ALMANAC_DAY\": \"2026-05-14\"}}")};
	d->estate = (as_estate){.registry = d->registry,
				.servers = d->servers,
				.n_servers = DEMO_SERVERS,
				.base_dir = TEST_BUILDDIR,
				.work_dir = d->work.ptr,
				.environments = d->environments,
				.n_environments = 2};
	take_catalogue(d);
}

void demo_estate_close(demo_estate *d)
{
	as_catalogue_free(d->catalogue);
	for (size_t i = 0; i < DEMO_SERVERS; i++) {
		as_json_free((assay_json *)(uintptr_t)d->servers[i].launch);
	}
	as_json_free((assay_json *)(uintptr_t)d->environments[0].options);
	as_json_free((assay_json *)(uintptr_t)d->environments[1].options);
	as_remove_tree(d->work.ptr, NULL);
	as_buf_free(&d->work);
	as_registry_free(d->registry);
}

void demo_record(as_world *w, as_trace *trace, bool told, assay_str server, assay_str tool, const assay_json *arguments)
{
	as_answer a = {0};
	assay_error err = {0};
	as_call call;
	as_call_init(&call);
	demo_must(as_world_call(w, &call, server, tool, arguments, &a, &err), &err);
	as_call_record r = {.server = server,
			    .tool = tool,
			    .arguments = as_json_clone(arguments),
			    .result = a.result,
			    .error = a.error,
			    .status = a.status,
			    .served = a.served,
			    .version = told ? as_str(a.version) : ASSAY_STR(""),
			    .next = told ? as_str(a.next) : ASSAY_STR("")};
	demo_must(as_trace_add_call(trace, &r, NULL, &err), &err);
}
