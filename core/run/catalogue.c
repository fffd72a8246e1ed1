/* Taking the catalogue: every server is started once and asked for its tools. */
#include "core/base/error.h"
#include "core/run/context.h"
#include <stdlib.h>
#include <string.h>

typedef struct taking {
	as_engine *engine;
	as_worker **workers;
	assay_json **records; /* one per server of the manifest */
} taking;

/* Flags whose next argument is a resource, and what it is (reference page 1.5, sandbox_resources). */
static const char *const resource_flags[] = {"--repository", "--repo",  "--db-path",    "--database",      "--db",
					     "--path",       "--root",  "--workspace",  "--data-dir",      "--config",
					     "--file",       "--input", "--output-dir", "--local-timezone"};

static bool is_resource_flag(assay_str s)
{
	for (size_t i = 0; i < sizeof resource_flags / sizeof *resource_flags; i++) {
		if (as_str_is(s, resource_flags[i])) {
			return true;
		}
	}
	return false;
}

static int add_resource(assay_json *list, const char *kind, assay_str value)
{
	assay_json *r = as_json_object();
	if (as_json_set(r, "kind", as_json_cstring(kind)) < 0 || as_json_set(r, "value", as_json_string(value)) < 0) {
		as_json_free(r);
		return ASSAY_ENOMEM;
	}
	return as_json_append(list, r);
}

/* What a goal may name of a server's launch record. Values that an environment fills in differ from attempt to attempt
 * and are left out, and so is whatever may be a secret. */
static assay_json *resources_of(const assay_json *launch)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a && rc == 0; a = as_json_next(a)) {
		assay_str s = as_json_str(a), value = as_json_str(as_json_next(a));
		bool flag = is_resource_flag(s) && as_json_next(a);
		if (flag && !as_str_contains(value, ASSAY_STR("${"))) {
			rc = add_resource(list, as_json_cstr(a, "") + 2, value);
		} else if (!flag && s.len > 1 && s.ptr[0] == '/' && !as_str_contains(s, ASSAY_STR("${"))) {
			rc = add_resource(list, "path", s);
		}
		a = flag ? as_json_next(a) : a;
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}

static const assay_json *server_settings(const as_engine *e, const char *id)
{
	return as_json_get(as_json_get(e->manifest->document, "servers"), id);
}

static assay_json *clone_or(const assay_json *v, assay_json *otherwise)
{
	if (!v) {
		return otherwise;
	}
	as_json_free(otherwise);
	return as_json_clone(v);
}

/* {"server_id", ...} as core/task/catalogue.h has it. */
static assay_json *record_of(const as_engine *e, const as_server_spec *spec, assay_json *described)
{
	const assay_json *settings = server_settings(e, spec->id);
	assay_json *r = as_json_object();
	int rc = as_json_set(r, "server_id", as_json_cstring(spec->id));
	rc |= as_json_set(r, "class", as_json_cstring(as_class_name(spec->server_class)));
	rc |= as_json_set(r, "group", as_json_cstring(spec->environment ? spec->environment->name : spec->id));
	rc |= as_json_set(r, "tags", clone_or(as_json_get(settings, "tags"), as_json_array()));
	rc |= as_json_set(r, "description",
			  clone_or(as_json_get(settings, "description"), as_json_detach(described, "instructions")));
	rc |= as_json_set(r, "resources", clone_or(as_json_get(settings, "resources"), resources_of(spec->launch)));
	rc |= as_json_set(r, "effects", clone_or(as_json_get(settings, "effects"), as_json_null()));
	rc |= as_json_set(r, "fingerprint", as_json_detach(described, "fingerprint"));
	rc |= as_json_set(r, "tools", as_json_detach(described, "tools"));
	if (rc < 0) {
		as_json_free(r);
		return NULL;
	}
	return r;
}

/* A tool list ends up in releases, whose readers are strict: what they would refuse is refused here, with its server.
 */
static int check_kept(const char *server, assay_str body, assay_error *err)
{
	assay_json *again = NULL;
	assay_error why = {0};
	int rc = as_json_parse(body, ASSAY_JSON_STRICT, &again, &why);
	as_json_free(again);
	if (rc < 0) {
		as_fail(err, ASSAY_EPROTO, "its tool list cannot be kept: %s", why.message);
		as_error_hint(err, "mend the names, descriptions and schemas of its tools");
		as_error_where(err, server, 0);
		return ASSAY_EPROTO;
	}
	return 0;
}

static int take_server(void *context, uint32_t worker, size_t item, assay_error *err)
{
	taking *t = context;
	as_engine *e = t->engine;
	const as_server_spec *spec = &e->manifest->servers[item];
	as_context c;
	assay_json *ids = as_json_array(), *described = NULL;
	assay_text body = {0};
	int64_t wall = as_wall_us(), begun = as_now_us();
	int rc = as_json_append(ids, as_json_cstring(spec->id)) < 0 ? as_fail_memory(err) : 0;
	as_context_init(&c, t->workers[worker], "servers", spec->id, 0, 0);
	if (rc == 0) {
		rc = as_live_open(&e->estate, ids, &c.call, &c.world, err);
	}
	if (rc == 0) {
		rc = as_live_describe(c.world, &c.call, as_str(spec->id), &described, err);
	}
	if (rc == 0) {
		t->records[item] = record_of(e, spec, described);
		rc = t->records[item] ? as_json_dump(t->records[item], ASSAY_JSON_COMPACT, &body, err)
				      : as_fail_memory(err);
	}
	if (rc == 0) {
		rc = check_kept(spec->id, as_text_str(body), err);
	}
	if (rc == 0) {
		rc = as_store_put_part(e->store, as_str(e->manifest->bench_id), "server", as_str(spec->id),
				       as_text_str(body), err);
	}
	if (rc == 0) {
		rc = as_store_put_timing(e->store, as_str(e->manifest->bench_id), as_str(spec->id), "server_start",
					 wall, as_now_us() - begun, err);
	}
	as_world_close(c.world, &c.call);
	as_json_free(described);
	as_json_free(ids);
	as_text_free(&body);
	as_progress_step(e->progress, 1);
	return rc;
}

static int keep_part(void *payload, assay_str key, assay_str body, assay_error *err)
{
	assay_json *list = payload, *record = NULL;
	int rc = as_json_parse(body, ASSAY_JSON_PEER, &record, err);
	(void)key;
	if (rc == 0 && as_json_append(list, record) < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}

static int start_all(as_engine *e, assay_json *list, assay_error *err)
{
	size_t n = e->manifest->n_servers;
	taking t = {.engine = e};
	int rc = 0;
	t.workers = as_new(e->jobs, sizeof(as_worker *));
	t.records = as_new(n + 1, sizeof(assay_json *));
	if (!t.workers || !t.records) {
		rc = as_fail_memory(err);
	}
	for (uint32_t i = 0; i < e->jobs && rc == 0; i++) {
		rc = as_worker_new(e, &t.workers[i], err);
	}
	if (rc == 0) {
		as_progress_begin(e->progress, "servers", n);
		rc = as_pool_run(n, e->jobs, take_server, &t, e->cancel, err);
		as_progress_end(e->progress);
	}
	for (size_t i = 0; i < n && t.records; i++) {
		if (rc == 0) {
			rc = as_json_append(list, t.records[i]) < 0 ? as_fail_memory(err) : 0;
		} else {
			as_json_free(t.records[i]);
		}
	}
	for (uint32_t i = 0; i < e->jobs && t.workers; i++) {
		as_worker_free(t.workers[i]);
	}
	free(t.workers);
	free(t.records);
	return rc;
}

int as_stage_catalogue(as_engine *e, assay_error *err)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : as_fail_memory(err);
	if (rc == 0) {
		rc = as_store_parts(e->store, as_str(e->manifest->bench_id), "server", keep_part, list, err);
	}
	if (rc == 0 && !e->manifest->imported && as_json_count(list) < e->manifest->n_servers) {
		as_json_free(list); /* a part of them is of no use: the surface is taken as one */
		list = as_json_array();
		rc = list ? start_all(e, list, err) : as_fail_memory(err);
	}
	if (rc == 0) {
		rc = as_store_row(e->store, as_catalogue_new(list, &e->catalogue, err), "servers of",
				  as_str(e->manifest->bench_id), err);
		list = NULL;
	}
	as_json_free(list);
	if (rc == 0) {
		e->estate.catalogue = e->catalogue;
	}
	return rc;
}
