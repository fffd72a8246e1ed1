#include "core/run/makers.h"

#include "core/base/error.h"
#include "core/base/schema.h"
#include <string.h>

static int note_defaults(const as_impl_info *info, assay_json *plugin)
{
	assay_json *schema = NULL, *defaults = as_json_object();
	as_schema *compiled = NULL;
	int rc = defaults ? 0 : ASSAY_ENOMEM;
	if (info->impl->options) {
		rc = rc < 0 ? rc : as_json_parse(as_str(info->impl->options), ASSAY_JSON_STRICT, &schema, NULL);
		rc = rc < 0 ? rc : as_schema_compile(schema, &compiled, NULL);
		rc = rc < 0 ? rc : as_schema_fill_defaults(compiled, defaults, NULL);
	}
	as_schema_free(compiled);
	as_json_free(schema);
	if (rc < 0) {
		as_json_free(defaults);
		return rc;
	}
	return as_json_set(plugin, "defaults", defaults);
}

static int put_plugin(as_engine *e, const as_impl_info *info, assay_error *err)
{
	assay_json *p = as_json_object();
	assay_text text = {0};
	int rc = as_json_set(p, "version", as_json_cstring(info->version));
	rc |= as_json_set(p, "module", as_json_cstring(info->module));
	rc |= as_json_set(p, "digest", as_json_cstring(info->digest));
	rc |= info->shipped ? 0 : as_json_set(p, "foreign", as_json_truth(true));
	if (rc == 0 && info->impl->role == ASSAY_ROLE_EXPOSURE) { /* captions tell them */
		rc = note_defaults(info, p);
	}
	rc = rc < 0 ? as_fail_memory(err) : as_json_dump(p, ASSAY_JSON_COMPACT, &text, err);
	if (rc == 0) {
		rc = as_store_put_part(e->store, as_str(e->manifest->bench_id), "plugin", as_str(info->use),
				       as_text_str(text), err);
	}
	as_text_free(&text);
	as_json_free(p);
	return rc;
}

static int take_part(void *payload, assay_str key, assay_str body, assay_error *err)
{
	assay_json *part = NULL;
	int rc = as_json_parse(body, ASSAY_JSON_PEER, &part, err);
	return rc < 0 ? rc : as_json_set_n(payload, key, part) < 0 ? as_fail_memory(err) : 0;
}

/* Object: use -> what put_plugin has written. */
static int list_makers(const as_engine *e, assay_json **out, assay_error *err)
{
	*out = as_json_object();
	int rc = *out ? as_store_parts(e->store, as_str(e->manifest->bench_id), "plugin", take_part, *out, err)
		      : as_fail_memory(err);
	if (rc < 0) {
		as_json_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Modules that ship change with the program, and go by its version; a reporter's work is never kept. */
static bool is_another(const as_impl_info *info, const assay_json *maker)
{
	bool foreign = !info->shipped || as_json_boolean(as_json_get(maker, "foreign"), 0);
	return maker && foreign && info->impl->role != ASSAY_ROLE_REPORTER &&
	       !as_str_is(as_json_str(as_json_get(maker, "digest")), info->digest);
}

/* Is it an agent that has done nothing but attempts? These know what module made them (as_attempt_id). */
static bool is_candidate_only(const as_manifest *m, const as_impl_info *info)
{
	bool other = info->impl->role != ASSAY_ROLE_EXPLORER || strcmp(info->use, m->dice.use) == 0 ||
		     (m->second.use && strcmp(info->use, m->second.use) == 0);
	for (size_t i = 0; i < m->n_authors && !other; i++) {
		other = strcmp(info->use, m->authors[i].explorer.use) == 0;
	}
	return !other;
}

static bool may_note(const as_engine *e, const as_impl_info *info, const assay_json *maker)
{
	return !is_another(info, maker) || is_candidate_only(e->manifest, info);
}

int as_note_plugin(as_engine *e, const as_impl_info *info, assay_error *err)
{
	assay_json *makers = NULL;
	int rc = e->store ? list_makers(e, &makers, err) : 0;
	if (rc == 0 && e->store && may_note(e, info, as_json_get(makers, info->use))) {
		rc = put_plugin(e, info, err);
	}
	as_json_free(makers);
	return rc;
}

/* Does it score attempts? A gate's judge alone has made certificates, which are not made anew with verdicts. */
static bool scores_attempts(const as_engine *e, const as_impl_info *info)
{
	for (size_t i = 0; i < e->manifest->n_scorers; i++) {
		if (strcmp(e->manifest->scorers[i].use, info->use) == 0) {
			return true;
		}
	}
	return false;
}

static int refuse(const as_engine *e, const as_impl_info *info, const assay_json *maker, assay_error *err)
{
	as_fail(err, ASSAY_EPLUGIN,
		"%s is version %s of sha256 %.12s now; what the store holds of this run was made with %s of %.12s",
		info->use, info->version, info->digest, as_json_cstr(as_json_get(maker, "version"), ""),
		as_json_cstr(as_json_get(maker, "digest"), ""));
	as_error_hint(err, info->impl->role == ASSAY_ROLE_SCORER && scores_attempts(e, info)
				   ? "\"assay score\" scores what is stored with the one that is there now"
				   : "put the other one back, or have all made anew in another store (--store FILE)");
	if (info->path[0]) {
		as_error_where(err, info->path, 0);
	}
	return ASSAY_EPLUGIN;
}

int as_check_makers(as_engine *e, assay_error *err)
{
	const as_impl_info *const *used;
	size_t n = as_registry_used(e->registry, &used);
	assay_json *makers = NULL;
	int rc = e->store ? list_makers(e, &makers, err) : 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_json *maker = as_json_get(makers, used[i]->use);
		rc = may_note(e, used[i], maker) ? 0 : refuse(e, used[i], maker, err);
	}
	as_json_free(makers);
	return rc;
}

int as_note_named(as_engine *e, bool serving, assay_error *err)
{
	const as_impl_info *const *used;
	size_t n = as_registry_used(e->registry, &used);
	assay_json *makers = NULL;
	int rc = e->store ? list_makers(e, &makers, err) : 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint32_t role = used[i]->impl->role;
		bool serves = role == ASSAY_ROLE_TRANSPORT || role == ASSAY_ROLE_ENVIRONMENT;
		bool made = role != ASSAY_ROLE_EXPLORER ||
			    (is_candidate_only(e->manifest, used[i]) && as_json_get(makers, used[i]->use));
		rc = serves || (!serving && made) ? as_note_plugin(e, used[i], err) : 0;
	}
	as_json_free(makers);
	return rc;
}

int as_note_scorers(as_engine *e, assay_error *err)
{
	const as_impl_info *const *used;
	size_t n = as_registry_used(e->registry, &used);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		bool ours = used[i]->impl->role == ASSAY_ROLE_SCORER && scores_attempts(e, used[i]);
		rc = ours ? put_plugin(e, used[i], err) : 0;
	}
	return rc;
}
