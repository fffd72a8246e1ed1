#include "core/release/verify.h"

#include "core/base/error.h"
#include "core/mcp/session.h"
#include "core/release/card.h"
#include "core/release/descriptions.h"
#include "core/release/difference.h"
#include "core/release/verify_private.h"
#include <stdlib.h>
#include <string.h>

#define MAX_MANIFEST ((size_t)4 << 20)
#define MAX_SERVERS ((size_t)64 << 20)
#define MAX_CELLS 30000u /* candidates × conditions × categories: tables are searched for each cell */
#define MAX_TOOLS 20000u /* of one server: the catalogue compares each with each */

/* ---- rows ---- */

int as_rows_open(verification *v, const char *file, rows *r, assay_error *err)
{
	as_buf path = {0};
	assay_error found = {0};
	int rc;
	*r = (rows){.v = v, .file = file};
	rc = as_release_path(v->release, file, &path, &found);
	rc = rc < 0 ? rc : as_jsonl_open(path.ptr, 0, &r->lines, &found);
	if (rc < 0) {
		v->broken = true;
		rc = as_finding_of(v->out, file, 0, NULL, &found, err);
	}
	as_buf_free(&path);
	return rc;
}

void as_rows_close(rows *r)
{
	as_jsonl_close(r->lines);
	r->lines = NULL;
}

int as_rows_text(rows *r, assay_str *text, assay_error *err)
{
	uint64_t offset;
	assay_error found = {0};
	int rc;
	*text = (assay_str){NULL, 0};
	if (!r->lines) {
		return 0;
	}
	if (as_cancel_is_set(r->v->options->cancel)) {
		return as_fail(err, ASSAY_ECANCELED, "interrupted");
	}
	rc = as_jsonl_next(r->lines, text, &r->line, &offset, &found);
	if (rc == ASSAY_ENOENT) {
		return 0;
	}
	if (rc < 0) {
		*text = (assay_str){NULL, 0};
		r->v->broken = true;
		rc = as_finding_of(r->v->out, r->file, r->line, NULL, &found, err);
	}
	return rc < 0 ? rc : 1;
}

int as_rows_value(rows *r, assay_json **value, assay_error *err)
{
	assay_str text;
	assay_error found = {0};
	int rc = as_rows_text(r, &text, err);
	*value = NULL;
	if (rc <= 0 || !text.ptr) {
		return rc;
	}
	rc = as_release_line(text, value, &found);
	if (rc < 0) {
		r->v->broken = true;
		rc = as_finding_of(r->v->out, r->file, r->line, NULL, &found, err);
	}
	return rc < 0 ? rc : 1;
}

int as_rows_end(rows *r, assay_error *err)
{
	assay_str text;
	int rc = as_rows_text(r, &text, err);
	if (rc > 0) {
		as_finding(r->v->out, r->file, r->line, NULL, "belongs to nothing: a line more than there should be");
	}
	return rc < 0 ? rc : 0;
}

bool as_verify_same(verification *v, const char *file, uint32_t line, const char *prefix, const char *whose,
		    const assay_json *expected, const assay_json *found)
{
	as_difference d;
	char pointer[192];
	if (!as_values_differ(expected, found, &d)) {
		return true;
	}
	snprintf(pointer, sizeof pointer, "%.60s%.130s", prefix ? prefix : "", d.pointer);
	as_finding(v->out, file, line ? line : d.line, pointer, "%s follows from %s, the release says %s", d.expected,
		   whose, d.found);
	return false;
}

/* ---- what everything else is read with ---- */

/* 1: there it is; 0: a finding says why not. */
static int load_manifest(verification *v, assay_error *err)
{
	as_buf path = {0};
	assay_json *document = NULL, *copy = NULL;
	assay_error found = {0};
	int rc = as_release_json(v->release, "manifest.json", MAX_MANIFEST, &document, &found);
	if (rc == 0) {
		copy = as_json_clone(document);
		as_buf_printf(&path, "%s/manifest.json", as_release_dir(v->release));
		rc = copy && !path.failed ? 0 : as_fail_memory(&found);
	}
	if (rc == 0) {
		rc = as_manifest_from_json(document, path.ptr, &v->manifest, &found);
		document = NULL;
	}
	if (rc < 0) {
		rc = as_finding_of(v->out, "manifest.json", found.line, NULL, &found, err);
	} else {
		as_verify_same(v, "manifest.json", 0, NULL, "filling in its defaults", v->manifest->document, copy);
		rc = 1;
	}
	as_json_free(document);
	as_json_free(copy);
	as_buf_free(&path);
	return rc;
}

/* What takes hours to work out is no release: bounds beyond anything that people read. 1: within them. */
static int check_size(verification *v)
{
	const as_manifest *m = v->manifest;
	uint64_t cells = (uint64_t)m->n_candidates * m->n_conditions;
	if (cells > MAX_CELLS || cells * (m->n_categories + 1) > MAX_CELLS) {
		as_finding(v->out, "manifest.json", 0, NULL,
			   "%zu candidates, %zu conditions, %zu categories: too many to work out", m->n_candidates,
			   m->n_conditions, m->n_categories);
		return 0;
	}
	return 1;
}

bool as_verify_category(const verification *v, assay_str name)
{
	for (size_t i = 0; i < v->manifest->n_categories; i++) {
		if (as_str_is(name, v->manifest->categories[i].name)) {
			return true;
		}
	}
	return false;
}

static void check_record(verification *v)
{
	const assay_json *record = as_release_record(v->release);
	const as_manifest *m = v->manifest;
	const struct {
		const char *pointer, *said, *follows;
	} checks[] = {
		{"/name", as_release_name(v->release), m->name},
		{"/version", as_release_version(v->release), m->version},
		{"/bench_id", as_json_cstr(as_json_get(record, "bench_id"), ""), m->bench_id},
		{"/license", as_json_cstr(as_json_get(record, "license"), ""), as_release_license(m)},
	};
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		if (strcmp(checks[i].said, checks[i].follows) != 0) {
			as_finding(v->out, AS_RELEASE_RECORD, 0, checks[i].pointer,
				   "\"%.80s\" follows from the manifest, the release says \"%.80s\"", checks[i].follows,
				   checks[i].said);
		}
	}
}

/* Are the catalogue's servers the manifest's, and are they what their fingerprints say? */
static int check_servers(verification *v, assay_error *err)
{
	const as_manifest *m = v->manifest;
	const as_catalogue_server *servers;
	size_t n = as_catalogue_servers(v->engine.catalogue, &servers);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_json *said = as_json_pointer(servers[i].record, "/fingerprint/tool_surface_hash");
		char pointer[64], hash[17] = "";
		assay_error found = {0};
		snprintf(pointer, sizeof pointer, "/%zu", i);
		bool ours = !m->imported; /* an imported benchmark's servers are those that its traces name */
		if (ours && (i >= m->n_servers || !as_str_is(servers[i].id, m->servers[i].id) ||
			     servers[i].server_class != m->servers[i].server_class)) {
			as_finding(v->out, "servers.json", as_json_line(servers[i].record), pointer,
				   "this server, or its class, is not the manifest's");
		}
		rc = said ? as_tool_surface_hash(as_json_get(servers[i].record, "tools"), hash, &found) : 0;
		if (rc < 0) {
			rc = as_finding_of(v->out, "servers.json", 0, pointer, &found, err);
		} else if (said && !as_str_is(as_json_str(said), hash)) {
			snprintf(pointer, sizeof pointer, "/%zu/fingerprint/tool_surface_hash", i);
			as_finding(v->out, "servers.json", as_json_line(said), pointer, "%s follows from its tools",
				   hash);
		}
		rc = rc < 0 ? rc : as_figures_add_server(v->figures, servers[i].record, err);
	}
	if (n < m->n_servers && !m->imported) {
		as_finding(v->out, "servers.json", 0, NULL, "%zu servers, the manifest has %zu", n, m->n_servers);
	}
	v->out->servers = n;
	return rc;
}

static int check_tool_counts(const assay_json *records, assay_error *err)
{
	if (as_json_type(records) != ASSAY_JSON_ARRAY) {
		return as_fail(err, ASSAY_EDATA, "expected an array of servers");
	}
	for (const assay_json *r = as_json_first(records); r; r = as_json_next(r)) {
		if (as_json_count(as_json_get(r, "tools")) > MAX_TOOLS) {
			return as_fail(err, ASSAY_ELIMIT, "a server of more than %u tools", MAX_TOOLS);
		}
	}
	return 0;
}

/* 1: there it is; 0: a finding says why not. */
static int load_catalogue(verification *v, assay_error *err)
{
	assay_json *records = NULL;
	assay_error found = {0};
	int rc = as_release_json(v->release, "servers.json", MAX_SERVERS, &records, &found);
	rc = rc < 0 ? rc : check_tool_counts(records, &found);
	if (rc == 0) {
		rc = as_catalogue_new(records, &v->engine.catalogue, &found);
		records = NULL;
	}
	as_json_free(records);
	if (rc < 0) {
		return as_finding_of(v->out, "servers.json", found.line, NULL, &found, err);
	}
	rc = check_servers(v, err);
	return rc < 0 ? rc : 1;
}

/* Only what is pure is run: it can do nothing but compute, and it alone must say the same again. A scorer that asks a
 * model is pure, too, once what the model said is given: it is the verdict's evidence. */
static int open_scorer(verification *v, size_t i, assay_error *err)
{
	const as_use *use = &v->manifest->scorers[i];
	const as_impl_info *info;
	assay_error found = {0};
	int rc = as_registry_find(v->options->registry, use->use, ASSAY_ROLE_SCORER, &info, &found);
	if (rc == ASSAY_EPLUGIN) {
		as_finding(v->out, "manifest.json", use->line, use->pointer,
			   "its verdicts cannot be recomputed: scorer %s is not shipped", use->use);
		return 0;
	}
	if (rc == 0 && !(info->impl->flags & (ASSAY_IMPL_PURE | ASSAY_IMPL_NEEDS_MODEL))) {
		return 0;
	}
	rc = rc < 0 ? rc : as_worker_instance(v->worker, use, ASSAY_ROLE_SCORER, &v->scorers[i], &found);
	if (rc < 0) {
		v->scorers[i] = NULL;
		return as_finding_of(v->out, "manifest.json", use->line, NULL, &found, err);
	}
	return 0;
}

static int prepare(verification *v, assay_error *err)
{
	const as_manifest *m = v->manifest;
	const as_engine_options models = {.manifest = m, .offline = true};
	int rc;
	v->engine.manifest = m;
	v->engine.descriptions = as_json_object();
	if (!v->engine.descriptions) {
		return as_fail_memory(err);
	}
	rc = as_engine_open_models(&v->engine, &models, err);
	rc = rc < 0 ? rc : as_worker_new(&v->engine, &v->worker, err);
	rc = rc < 0 ? rc : as_figures_new(m->document, m->bench_id, &v->figures, err);
	if (rc == 0) {
		v->scorers = as_new(m->n_scorers + 1, sizeof(as_instance *));
		rc = v->scorers ? 0 : as_fail_memory(err);
	}
	for (size_t i = 0; i < m->n_scorers && rc == 0; i++) {
		rc = open_scorer(v, i, err);
	}
	return rc;
}

static int check_content(verification *v, assay_error *err)
{
	int rc = load_manifest(v, err);
	if (rc <= 0) {
		return rc;
	}
	check_record(v);
	if (!check_size(v)) {
		return 0;
	}
	rc = prepare(v, err);
	rc = rc < 0 ? rc : load_catalogue(v, err);
	if (rc <= 0) {
		return rc;
	}
	rc = as_verify_descriptions(v, err);
	rc = rc < 0 ? rc : as_verify_tasks(v, err);
	rc = rc < 0 ? rc : as_verify_parts(v, err);
	rc = rc < 0 ? rc : as_verify_attempts(v, err);
	return rc < 0 ? rc : as_verify_figures(v, err);
}

static void close_all(verification *v)
{
	for (size_t i = 0; i < v->n_tasks; i++) {
		as_json_free(v->tasks[i].document);
		as_tape_free(v->tasks[i].tape);
	}
	free(v->tasks);
	free(v->scorers);
	as_worker_free(v->worker);
	as_figures_free(v->figures);
	as_engine_close_models(&v->engine);
	as_json_free(v->engine.descriptions);
	as_catalogue_free(v->engine.catalogue);
	as_manifest_free(v->manifest);
	as_release_close(v->release);
	as_arena_free(&v->arena);
}

int as_release_verify(const as_release_verify_options *options, as_release_findings *out, assay_error *err)
{
	verification v = {.options = options, .out = out, .engine.describing = PTHREAD_MUTEX_INITIALIZER};
	int rc;
	*out = (as_release_findings){0};
	v.engine.registry = options->registry;
	v.engine.log = options->log;
	v.engine.cancel = options->cancel;
	v.engine.progress = options->progress;
	v.engine.jobs = 1;
	rc = as_release_open(options->path, options->registry, &v.release, err);
	if (rc == 0) {
		snprintf(out->name, sizeof out->name, "%s", as_release_name(v.release));
		snprintf(out->version, sizeof out->version, "%s", as_release_version(v.release));
		snprintf(out->identity, sizeof out->identity, "%s", as_release_identity(v.release));
		rc = as_verify_files(&v, err);
	}
	rc = rc < 0 ? rc : check_content(&v, err);
	close_all(&v);
	return rc < 0 ? rc : 0;
}
