/* Does every plugin that a manifest names exist, and does it take the options that the manifest gives? */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include "core/plugin/role.h"
#include "core/run/manifest.h"
#include <assay/roles/reporter.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_DEPTH 32u /* nesting of options in which names are looked for */

/* An option that names an implementation of another role, with or without "ROLE/" before it; of embedders only those
 * with it, as others are keys of "models". */
static int check_named(as_registry *registry, const assay_json *schema, assay_str name, assay_error *err)
{
	static const struct {
		const char *format, *prefix;
		uint32_t role;
	} roles[] = {{"sampler", "sampler/", ASSAY_ROLE_SAMPLER}, {"embedder", "embedder/", ASSAY_ROLE_EMBEDDER}};
	assay_str format = as_json_str(as_json_get(schema, "format"));
	int rc = 0;
	for (size_t i = 0; i < sizeof roles / sizeof *roles && rc == 0; i++) {
		const as_impl_info *info;
		bool whole = as_str_starts(name, as_str(roles[i].prefix));
		as_buf use = {0};
		if (!as_str_is(format, roles[i].format) || (!whole && roles[i].role == ASSAY_ROLE_EMBEDDER)) {
			continue;
		}
		as_buf_puts(&use, whole ? "" : roles[i].prefix);
		as_buf_add(&use, name);
		rc = as_buf_check(&use, err);
		rc = rc < 0 ? rc : as_registry_find(registry, use.ptr, roles[i].role, &info, err);
		as_buf_free(&use);
	}
	return rc;
}

/* What no schema can tell of the options: do the plugins exist that they name, and is there a model where they want one
 * ("asks-model": the value that does)? */
static int check_values(as_registry *registry, const as_use *use, const assay_json *schema, const assay_json *options,
			unsigned depth, assay_error *err)
{
	bool list = as_json_type(options) == ASSAY_JSON_ARRAY;
	size_t index = 0;
	int rc = 0;
	for (const assay_json *v = as_json_first(options); v && rc == 0 && depth < OPTIONS_DEPTH;
	     v = as_json_next(v), index++) {
		const assay_json *own = list ? as_json_get(schema, "items")
					     : as_json_get_n(as_json_get(schema, "properties"), as_json_key(v));
		const assay_json *asks = as_json_get(own, "asks-model");
		if (asks && as_json_equal(asks, v) && !use->model) {
			rc = as_fail(err, ASSAY_EDATA, "\"%.*s\" asks a model, and none is given",
				     ASSAY_FMT(as_json_str(v)));
			as_error_hint(err, "add \"model\": a name from \"models\"");
		}
		if (rc == 0) {
			rc = as_json_type(v) == ASSAY_JSON_STRING ? check_named(registry, own, as_json_str(v), err)
								  : check_values(registry, use, own, v, depth + 1, err);
		}
		if (rc < 0 && list) {
			as_error_pointer(err, "/%zu", index);
		} else if (rc < 0) {
			as_error_pointer(err, "/%.*s", ASSAY_FMT(as_json_key(v)));
		}
	}
	return rc;
}

static int check_options(as_registry *registry, const as_impl_info *info, const as_use *use, assay_error *err)
{
	assay_json *schema = NULL;
	as_schema *compiled = NULL;
	int rc;
	if (!info->impl->options) {
		if (as_json_count(use->options) > 0) {
			return as_fail(err, ASSAY_EDATA, "%s takes no options, found \"%.*s\"", use->use,
				       ASSAY_FMT(as_json_key(as_json_first(use->options))));
		}
		return 0;
	}
	rc = as_json_parse(as_str(info->impl->options), ASSAY_JSON_STRICT, &schema, err);
	if (rc == 0) {
		rc = as_schema_compile(schema, &compiled, err);
	}
	if (rc == 0) {
		rc = as_schema_validate(compiled, use->options, err);
	}
	if (rc == 0) {
		rc = check_values(registry, use, schema, use->options, 0, err);
	}
	as_schema_free(compiled);
	as_json_free(schema);
	return rc;
}

/* Not every model can do what it is named for: an embedder answers nothing, and rules answer no questions. */
static int check_able(const as_manifest *m, const as_use *use, uint32_t role, assay_error *err)
{
	bool judges = role == ASSAY_ROLE_SCORER || role == ASSAY_ROLE_GOALGEN || role == ASSAY_ROLE_DISTILLER;
	for (size_t i = 0; use->model && (judges || role == ASSAY_ROLE_EXPLORER) && i < m->n_models; i++) {
		const char *made = m->models[i].llm.use;
		bool embeds = strncmp(made, "embedder/", 9) == 0;
		if (strcmp(m->models[i].name, use->model) == 0 &&
		    (embeds || (judges && strcmp(made, "llm/heuristic") == 0))) {
			as_fail(err, ASSAY_EDATA, "%s asks a model, and \"%s\" is %s, which answers no questions",
				use->use, use->model, made);
			as_error_hint(err, "name a model of another kind");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

static int check_use(const as_manifest *m, as_registry *registry, const as_use *use, uint32_t role, assay_error *err)
{
	const as_impl_info *info;
	int rc = as_registry_find(registry, use->use, role, &info, err);
	if (rc == 0) {
		rc = check_options(registry, info, use, err);
		if (rc < 0 && (role == ASSAY_ROLE_LLM || role == ASSAY_ROLE_EMBEDDER) &&
		    strcmp(err->pointer, "/key") == 0) {
			as_error_hint(
				err, "write the NAME of a variable here, and NAME=value into .env beside the manifest");
		}
	}
	if (rc == 0 && (info->impl->flags & ASSAY_IMPL_NEEDS_MODEL) && !use->model) {
		rc = as_fail(err, ASSAY_EDATA, "%s asks a model, and none is given", use->use);
		as_error_hint(err, "add \"model\": a name from \"models\"");
	}
	if (rc == 0 && (info->impl->flags & ASSAY_IMPL_NEEDS_MODEL)) {
		rc = check_able(m, use, role, err);
	}
	if (rc < 0) {
		as_error_pointer(err, "%s", use->pointer);
		as_error_where(err, m->path, use->line);
	}
	return rc;
}

/* Opening finds what no schema can: a template folder that is not there. */
static int check_opens(const as_manifest *m, as_registry *registry, const as_use *use, uint32_t role, assay_error *err)
{
	as_instance *instance = NULL;
	int rc = as_instance_open(registry, use->use, role, use->options, m->base_dir, &instance, err);
	as_instance_close(instance);
	if (rc < 0) {
		as_error_pointer(err, "%s", use->pointer);
		as_error_where(err, m->path, use->line);
	}
	return rc;
}

/* Environments and transports are no as_use: look them up by name. */
static int check_servers(const as_manifest *m, as_registry *registry, assay_error *err)
{
	for (size_t i = 0; i < m->n_environments; i++) {
		char pointer[160];
		as_use use = {.use = m->environments[i].use, .options = m->environments[i].options, .pointer = pointer};
		int rc;
		snprintf(pointer, sizeof pointer, "/environments/%s", m->environments[i].name);
		use.line = as_json_line(as_json_pointer(m->document, pointer));
		rc = check_use(m, registry, &use, ASSAY_ROLE_ENVIRONMENT, err);
		if (rc == 0) {
			rc = check_opens(m, registry, &use, ASSAY_ROLE_ENVIRONMENT, err);
		}
		if (rc < 0) {
			return rc;
		}
	}
	for (size_t i = 0; i < m->n_servers; i++) {
		char pointer[160];
		as_use use = {.use = m->servers[i].use, .options = m->servers[i].launch, .pointer = pointer};
		int rc;
		snprintf(pointer, sizeof pointer, "/mcpServers/%s", m->servers[i].id);
		use.line = as_json_line(m->servers[i].launch);
		rc = check_use(m, registry, &use, ASSAY_ROLE_TRANSPORT, err);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static bool uses_model(const as_use *use, const as_model_spec *model)
{
	return use->model && strcmp(use->model, model->name) == 0;
}

static bool bounds_money(const as_manifest *m)
{
	bool bound = m->usd > 0 || m->generation_budget.usd > 0;
	for (size_t i = 0; i < m->n_conditions; i++) {
		bound = bound || m->conditions[i].budget.usd > 0;
	}
	return bound;
}

/* A bound on money that does not know what a model costs would bound nothing. */
static int check_price(const as_manifest *m, as_registry *registry, const as_model_spec *model, assay_error *err)
{
	const as_impl_info *info;
	int rc;
	if (model->price || !bounds_money(m)) {
		return 0;
	}
	rc = as_registry_find(registry, model->llm.use, ASSAY_ROLE_LLM, &info, err);
	if (rc < 0 || (info->impl->flags & ASSAY_IMPL_PURE)) {
		return rc;
	}
	as_fail(err, ASSAY_EDATA, "the manifest bounds US dollars, and the model \"%s\" has no price", model->name);
	as_error_hint(err, "add \"price\": {\"in\": ..., \"out\": ...}, per million tokens; 0 where it costs nothing");
	as_error_pointer(err, "%s", model->llm.pointer);
	as_error_where(err, m->path, model->llm.line);
	return ASSAY_EDATA;
}

static int check_models(const as_manifest *m, as_registry *registry, assay_error *err)
{
	for (size_t i = 0; i < m->n_models; i++) {
		/* "rules" is there for everybody; whoever does not use it need not have its plugin. */
		bool used = as_json_line(as_json_get(as_json_get(m->document, "models"), m->models[i].name)) > 0;
		for (size_t k = 0; k < m->n_candidates && !used; k++) {
			used = uses_model(&m->candidates[k].explorer, &m->models[i]);
		}
		used = used || (m->second.model && as_str_is(as_str(m->second.model), m->models[i].name));
		used = used || (m->validator.model && as_str_is(as_str(m->validator.model), m->models[i].name));
		for (size_t k = 0; k < m->n_authors && !used; k++) {
			used = uses_model(&m->authors[k].goalgen, &m->models[i]) ||
			       uses_model(&m->authors[k].explorer, &m->models[i]) ||
			       uses_model(&m->authors[k].distiller, &m->models[i]);
		}
		if (used) {
			bool embeds = strncmp(m->models[i].llm.use, "embedder/", 9) == 0;
			int rc = check_use(m, registry, &m->models[i].llm,
					   embeds ? ASSAY_ROLE_EMBEDDER : ASSAY_ROLE_LLM, err);
			rc = rc < 0 || embeds ? rc : check_price(m, registry, &m->models[i], err);
			if (rc < 0) {
				return rc;
			}
		}
	}
	return 0;
}

typedef struct use_list {
	const as_use *use;
	uint32_t role;
} use_list;

static int check_generation(const as_manifest *m, as_registry *registry, assay_error *err)
{
	int rc = m->second.use ? check_use(m, registry, &m->second, ASSAY_ROLE_EXPLORER, err) : 0;
	rc = rc == 0 && m->validator.use ? check_use(m, registry, &m->validator, ASSAY_ROLE_SCORER, err) : rc;
	for (size_t i = 0; i < m->n_authors && rc == 0; i++) {
		const use_list uses[] = {{&m->authors[i].goalgen, ASSAY_ROLE_GOALGEN},
					 {&m->authors[i].explorer, ASSAY_ROLE_EXPLORER},
					 {&m->authors[i].distiller, ASSAY_ROLE_DISTILLER}};
		for (size_t k = 0; k < 3 && rc == 0; k++) {
			rc = check_use(m, registry, uses[k].use, uses[k].role, err);
		}
	}
	for (size_t i = 0; i < m->n_categories && rc == 0; i++) {
		rc = check_use(m, registry, &m->categories[i].sampler, ASSAY_ROLE_SAMPLER, err);
	}
	return rc;
}

static int file_name_of(as_registry *registry, const as_use *use, const char **out, assay_error *err)
{
	const as_impl_info *info;
	int rc = as_registry_find(registry, use->use, ASSAY_ROLE_REPORTER, &info, err);
	*out = rc == 0 ? ((const assay_reporter_ops *)info->impl->ops)->file_name : NULL;
	return rc;
}

/* Is it the file at `path`, or what SQLite keeps beside that? */
static bool is_name_of(const char *name, const char *path)
{
	assay_str base = as_path_base(as_str(path));
	const char *rest = as_str_starts(as_str(name), base) ? name + base.len : "no";
	return !rest[0] || strcmp(rest, "-wal") == 0 || strcmp(rest, "-shm") == 0 || strcmp(rest, "-journal") == 0;
}

int as_manifest_check_reports(const as_manifest *m, as_registry *registry, const char *store, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < m->n_reports && rc == 0; i++) {
		const as_use *use = &m->reports[i];
		const char *name, *other, *wrong;
		rc = file_name_of(registry, use, &name, err);
		wrong = rc == 0 ? as_role_file_name(name) : NULL;
		if (rc == 0 && !wrong && (is_name_of(name, m->path) || (store && is_name_of(name, store)))) {
			wrong = "is that of the manifest or the store";
		}
		if (wrong) {
			rc = as_fail(err, ASSAY_EPLUGIN, "the file_name \"%s\" of %s %s", name, use->use, wrong);
			as_error_hint(err, "its author has to give it another one");
		}
		for (size_t k = 0; k < i && rc == 0; k++) {
			rc = file_name_of(registry, &m->reports[k], &other, err);
			if (rc == 0 && strcmp(name, other) == 0) {
				rc = as_fail(err, ASSAY_EDATA, "%s writes the file \"%s\", and so does %s before it",
					     use->use, name, m->reports[k].use);
				as_error_hint(err, "leave one of the two out");
			}
		}
		if (rc < 0) {
			as_error_pointer(err, "%s", use->pointer);
			as_error_where(err, m->path, use->line);
		}
	}
	return rc;
}

static int check_candidate(const as_manifest *m, as_registry *registry, as_candidate_spec *candidate, assay_error *err)
{
	const as_impl_info *info;
	int rc = check_use(m, registry, &candidate->explorer, ASSAY_ROLE_EXPLORER, err);
	rc = rc < 0 ? rc : as_registry_find(registry, candidate->explorer.use, ASSAY_ROLE_EXPLORER, &info, err);
	if (rc == 0) {
		candidate->module = info->shipped ? NULL : info->digest;
	}
	return rc;
}

static int check_evaluation(const as_manifest *m, as_registry *registry, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < m->n_candidates && rc == 0; i++) {
		rc = m->candidates[i].recorded ? 0 : check_candidate(m, registry, &m->candidates[i], err);
	}
	for (size_t i = 0; i < m->n_conditions && rc == 0; i++) {
		rc = check_use(m, registry, &m->conditions[i].exposure, ASSAY_ROLE_EXPOSURE, err);
	}
	for (size_t i = 0; i < m->n_scorers && rc == 0; i++) {
		rc = check_use(m, registry, &m->scorers[i], ASSAY_ROLE_SCORER, err);
	}
	for (size_t i = 0; i < m->n_reports && rc == 0; i++) {
		rc = check_use(m, registry, &m->reports[i], ASSAY_ROLE_REPORTER, err);
	}
	return rc;
}

/* Compares "1.10.2" and "1.9" number by number. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		char *end_a = (char *)(uintptr_t)a, *end_b = (char *)(uintptr_t)b;
		unsigned long x = *a ? strtoul(a, &end_a, 10) : 0, y = *b ? strtoul(b, &end_b, 10) : 0;
		if (x != y) {
			return x < y ? -1 : 1;
		}
		if (end_a == a && end_b == b) {
			return strcmp(a, b); /* no numbers any more */
		}
		a = *end_a == '.' ? end_a + 1 : end_a;
		b = *end_b == '.' ? end_b + 1 : end_b;
	}
	return 0;
}

/* "plugins": {"ROLE/NAME": "1.1.0" (exactly) or ">=0.2"}. */
static int check_versions(const as_manifest *m, as_registry *registry, assay_error *err)
{
	for (const assay_json *v = as_json_first(as_json_get(m->document, "plugins")); v; v = as_json_next(v)) {
		const char *wanted = as_json_cstr(v, ""), *use = as_json_key(v).ptr;
		bool at_least = strncmp(wanted, ">=", 2) == 0;
		const as_impl_info *info;
		int rc = as_registry_find(registry, use, 0, &info, err);
		if (rc == 0) {
			int c = compare_versions(info->version, at_least ? wanted + 2 : wanted);
			if (at_least ? c < 0 : c != 0) {
				rc = as_fail(err, ASSAY_EPLUGIN, "%s is of version %s, and the manifest asks for %s",
					     use, info->version, wanted);
			}
		}
		if (rc < 0) {
			as_error_pointer(err, "/plugins/%s", use);
			as_error_where(err, m->path, as_json_line(v));
			return rc;
		}
	}
	return 0;
}

int as_manifest_check_plugins(const as_manifest *m, as_registry *registry, assay_error *err)
{
	int rc = check_versions(m, registry, err);
	rc = rc < 0 ? rc : check_servers(m, registry, err);
	rc = rc < 0 ? rc : check_models(m, registry, err);
	rc = rc < 0 ? rc : check_generation(m, registry, err);
	rc = rc < 0 ? rc : check_evaluation(m, registry, err);
	return rc < 0 ? rc : as_manifest_check_reports(m, registry, NULL, err);
}
