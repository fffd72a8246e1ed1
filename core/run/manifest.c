/* Reading a manifest: parse, check its shape, fill in defaults, then read it into structs. */
#include "core/run/manifest.h"

#include "core/base/called.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/schema.h"
#include "core/run/manifest_read.h"
#include <stdlib.h>
#include <string.h>

static const unsigned char schema_text[] = {
#include "core/run/manifest_schema.inc"
};

assay_str as_manifest_schema(void)
{
	return (assay_str){(const char *)schema_text, sizeof schema_text};
}

static int check_shape(assay_json *document, assay_error *err)
{
	assay_json *schema = NULL;
	as_schema *compiled = NULL;
	int rc = as_json_parse(as_manifest_schema(), ASSAY_JSON_STRICT, &schema, err);
	if (rc == 0) {
		rc = as_schema_compile(schema, &compiled, err);
	}
	if (rc == 0) {
		rc = as_schema_validate(compiled, document, err);
	}
	if (rc == 0) {
		rc = as_schema_fill_defaults(compiled, document, err);
	}
	as_schema_free(compiled);
	as_json_free(schema);
	return rc;
}

static const char default_authors[] =
	"[{\"goalgen\":{\"use\":\"goalgen/template\"},\"explorer\":{\"use\":\"explorer/loop\",\"model\":\"rules\"},"
	"\"distiller\":{\"use\":\"distiller/provenance\"}}]";

/* What stands for what the user left out; each a whole entry, so that the document says everything. */
static const struct {
	const char *section, *key, *value;
} fallbacks[] = {
	{"generation", "authors", default_authors},
	{"generation", "budget", "{}"},
	{"generation", "max_goals", "400"},
	{"generation", "categories", "[{\"name\":\"random\",\"count\":10},{\"name\":\"hard_negative\",\"count\":10}]"},
	{"generation", "gates",
	 "{\"require\":[\"grounded\",\"replays\",\"no_tool_fails\",\"echo_fails\",\"mutants_caught\",\"no_answer_in_prompt\",\"fits_category\"]}"},
	{"evaluation", "attempts", "1"},
	{"evaluation", "retry_void", "2"},
	{"evaluation", "candidates", "[]"},
	{"evaluation", "conditions", "[{\"name\":\"main\"}]"},
	{"evaluation", "scorers", "[{\"use\":\"scorer/effects\",\"headline\":true}]"},
	{NULL, "reports", "[{\"use\":\"reporter/markdown\"}]"},
};

static int set_default(assay_json *object, const char *key, const char *value, assay_error *err)
{
	assay_json *v = NULL;
	int rc;
	if (as_json_get(object, key)) {
		return 0;
	}
	rc = as_json_parse(as_str(value), ASSAY_JSON_STRICT, &v, err);
	as_json_forget_lines(v);
	return rc < 0 ? rc : as_json_set(object, key, v) < 0 ? as_fail_memory(err) : 0;
}

/* "rules" is a model that everybody has. */
static int add_rules_model(assay_json *document, assay_error *err)
{
	assay_json *models = as_json_edit(as_json_get(document, "models"));
	return set_default(models, "rules", "{\"use\":\"llm/heuristic\",\"family\":\"assay-rules\"}", err);
}

static int fill_sections(assay_json *document, assay_error *err)
{
	int rc = set_default(document, "generation", "{}", err);
	rc = rc < 0 ? rc : set_default(document, "evaluation", "{}", err);
	for (size_t i = 0; i < sizeof fallbacks / sizeof *fallbacks && rc == 0; i++) {
		const char *section = fallbacks[i].section;
		assay_json *object = section ? as_json_edit(as_json_get(document, section)) : document;
		rc = set_default(object, fallbacks[i].key, fallbacks[i].value, err);
	}
	return rc < 0 ? rc : add_rules_model(document, err);
}

static bool is_object(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_OBJECT;
}

/* The member, made of `value` where there is none. *out NULL: there is one, and it is no object, as the schema will
 * say. */
static int profile_member(const assay_json *object, const char *key, const char *value, const assay_json **out,
			  assay_error *err)
{
	int rc = set_default(as_json_edit(object), key, value, err);
	*out = as_json_get(object, key);
	*out = is_object(*out) ? *out : NULL;
	return rc;
}

static int profile_condition(const assay_json *condition, assay_error *err)
{
	const assay_json *world = NULL, *exposure = NULL;
	int rc = profile_member(condition, "world", "{}", &world, err);
	rc = rc < 0 || !world ? rc : set_default(as_json_edit(world), "replay", "\"reference\"", err);
	rc = rc < 0 ? rc : profile_member(condition, "exposure", "{\"use\":\"exposure/target\"}", &exposure, err);
	if (rc == 0 && as_str_is(as_json_str(as_json_get(exposure, "use")), "exposure/target")) {
		rc = set_default(as_json_edit(exposure), "reference", "true", err);
	}
	return rc;
}

/* The reference knows no state conditions: one in a task could not be met there. */
static int profile_authors(const assay_json *document, assay_error *err)
{
	const assay_json *generation = NULL;
	int rc = profile_member(document, "generation", "{}", &generation, err);
	if (rc == 0 && generation && !as_json_get(generation, "authors")) {
		rc = set_default(as_json_edit(generation), "authors", default_authors, err);
	}
	for (const assay_json *a = as_json_first(as_json_get(generation, "authors")); a && rc == 0;
	     a = as_json_next(a)) {
		const assay_json *distiller = as_json_get(a, "distiller");
		if (as_str_is(as_json_str(as_json_get(distiller, "use")), "distiller/provenance")) {
			rc = set_default(as_json_edit(distiller), "state_conditions", "false", err);
		}
	}
	return rc;
}

/* What the profile decides where the user said nothing: before the schema's defaults say something for everybody. */
static int apply_profile(const assay_json *document, assay_error *err)
{
	const assay_json *evaluation = NULL;
	int rc;
	if (!as_str_is(as_json_str(as_json_get(document, "profile")), "dynamicmcpbench")) {
		return 0;
	}
	rc = profile_authors(document, err);
	rc = rc < 0 ? rc : profile_member(document, "evaluation", "{}", &evaluation, err);
	if (rc == 0 && evaluation && !as_json_get(evaluation, "conditions")) {
		rc = set_default(as_json_edit(evaluation), "conditions", "[{\"name\":\"main\"}]", err);
	}
	for (const assay_json *c = as_json_first(as_json_get(evaluation, "conditions")); c && rc == 0;
	     c = as_json_next(c)) {
		bool recorded = as_json_boolean(as_json_get(c, "recorded"), 0);
		rc = is_object(c) && !recorded ? profile_condition(c, err) : 0;
	}
	return rc;
}

static int override_seed(assay_json *document, const char *seed, assay_error *err)
{
	assay_json *n;
	if (!seed) {
		return 0;
	}
	n = as_json_number(as_str(seed));
	if (!n || !as_json_is_integer(n) || as_json_i64(n, -1) < 0) {
		as_json_free(n);
		as_fail(err, ASSAY_EINVAL, "\"%s\" is no seed: expected a whole number of 0 or more", seed);
		return as_error_where(err, "--seed", 0);
	}
	return as_json_set(document, "seed", n) < 0 ? as_fail_memory(err) : 0;
}

static int put_model(const as_manifest *m, const as_use *use, assay_json *out)
{
	assay_json *model;
	if (!use->model) {
		return 0;
	}
	model = as_json_clone(as_json_get(as_json_get(m->document, "models"), use->model));
	as_json_free(as_json_detach(model, "price"));
	as_json_free(as_json_detach(model, "limits"));
	return as_json_set(out, use->model, model);
}

/* The models that authors and gates use, as they stand in the manifest: a model that only a candidate uses decides no
 * task. */
static assay_json *author_models(const as_manifest *m)
{
	assay_json *out = as_json_object();
	int rc = out ? put_model(m, &m->second, out) : ASSAY_ENOMEM;
	rc = rc < 0 ? rc : put_model(m, &m->validator, out);
	for (size_t i = 0; i < m->n_authors && rc == 0; i++) {
		rc = put_model(m, &m->authors[i].goalgen, out);
		rc |= put_model(m, &m->authors[i].explorer, out);
		rc |= put_model(m, &m->authors[i].distiller, out);
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* Hash of the parts that decide what the tasks are. */
static int hash_bench(as_manifest *m, assay_error *err)
{
	static const char *const made[] = {"seed",         "profile",    "mcpServers", "servers",
					   "environments", "generation", NULL};
	static const char *const taken[] = {"imported", NULL};
	const char *const *parts = m->imported ? taken : made;
	assay_json *whole = as_json_object();
	assay_text text = {0};
	int rc = m->imported ? 0 : as_json_set(whole, "models", author_models(m));
	for (size_t i = 0; parts[i]; i++) {
		const assay_json *part = as_json_get(m->document, parts[i]);
		rc |= as_json_set(whole, parts[i], part ? as_json_clone(part) : as_json_null());
	}
	rc = rc < 0 ? as_fail_memory(err) : as_json_dump(whole, ASSAY_JSON_CANONICAL, &text, err);
	if (rc == 0) {
		assay_str one[] = {as_text_str(text)};
		as_hash_parts("bench", one, 1, m->bench_id);
	}
	as_text_free(&text);
	as_json_free(whole);
	return rc;
}

static int expand(assay_json *document, const char *base_dir, const char *seed, assay_error *err)
{
	int rc = apply_profile(document, err);
	if (rc == 0) {
		rc = check_shape(document, err);
	}
	if (rc == 0) {
		rc = fill_sections(document, err);
	}
	if (rc == 0) {
		rc = as_expand_categories(document, err);
	}
	if (rc == 0) {
		rc = as_expand_prompts(document, base_dir, err);
	}
	if (rc == 0) {
		rc = check_shape(document, err); /* defaults inside what was filled in */
	}
	return rc < 0 ? rc : override_seed(document, seed, err);
}

/* Takes the document over. */
static int from_document(assay_json *document, const char *path, const as_manifest_overrides *overrides,
			 as_manifest **out, assay_error *err)
{
	as_manifest_build *b = as_new(1, sizeof *b);
	int rc;
	*out = NULL;
	if (!b) {
		as_json_free(document);
		return as_fail_memory(err);
	}
	b->m.document = document;
	b->m.path = as_arena_cstr(&b->arena, as_str(path));
	rc = as_read_base_dir(b, err);
	if (rc == 0) {
		rc = expand(document, b->m.base_dir, overrides ? overrides->seed : NULL, err);
	}
	if (rc == 0) {
		rc = as_manifest_read(b, err);
	}
	if (rc == 0) {
		b->m.jobs = overrides && overrides->jobs ? overrides->jobs : b->m.jobs;
		rc = hash_bench(&b->m, err);
	}
	if (rc < 0) {
		as_error_where(err, path, 0);
		as_manifest_free(&b->m);
		return rc;
	}
	*out = &b->m;
	return 0;
}

int as_manifest_load(const char *path, const as_manifest_overrides *overrides, as_manifest **out, assay_error *err)
{
	assay_json *document = NULL;
	int rc = as_json_read_file(path, AS_MANIFEST_MAX, &document, err);
	*out = NULL;
	if (rc < 0) {
		if (rc == ASSAY_ENOENT) {
			as_error_hint(err, "name the manifest, or make one with \"assay init\"");
		}
		return as_error_where(err, path, 0);
	}
	return from_document(document, path, overrides, out, err);
}

int as_manifest_from_json(assay_json *document, const char *path, as_manifest **out, assay_error *err)
{
	return from_document(document, path, NULL, out, err);
}

int as_manifest_check(const assay_json *document, const char *path, assay_error *err)
{
	assay_json *copy = as_json_clone(document);
	as_manifest *m = NULL;
	int rc;
	as_json_forget_lines(copy);
	rc = copy ? as_manifest_from_json(copy, path, &m, err) : as_fail_memory(err);
	as_manifest_free(m);
	return rc;
}

void as_manifest_free(as_manifest *m)
{
	as_manifest_build *b = (as_manifest_build *)m; /* m is its first member */
	if (!b) {
		return;
	}
	as_called_forget();
	for (size_t i = 0; i < b->n_owned; i++) {
		as_json_free(b->owned[i]);
	}
	free(b->owned);
	as_json_free((assay_json *)(uintptr_t)b->m.document);
	as_arena_free(&b->arena);
	free(b);
}

const as_model_spec *as_manifest_model(const as_manifest *m, const char *name)
{
	for (size_t i = 0; name && i < m->n_models; i++) {
		if (strcmp(m->models[i].name, name) == 0) {
			return &m->models[i];
		}
	}
	return NULL;
}

bool as_manifest_pairs(const as_condition_spec *condition, const as_candidate_spec *candidate)
{
	return condition->recorded == candidate->recorded;
}

bool as_manifest_is_reference(const as_manifest *m)
{
	return strcmp(m->profile, "dynamicmcpbench") == 0;
}

bool as_manifest_voids(const as_manifest *m, assay_str end_class)
{
	return !as_str_is(end_class, "agent") && !as_manifest_is_reference(m);
}
