/* Options: what an implementation is opened with, and each option at its limits. */
#include "core/contract/suite.h"

#include "core/base/error.h"
#include "core/contract/fence.h"
#include "core/plugin/role.h"
#include <string.h>

#define LONG_OPTION 4096u

/* Where it stands in the file of options; the parent knows the file. */
static bool refuse(suite *s, const assay_json *given, assay_error *why)
{
	as_buf place = {0};
	for (assay_str key = as_json_key(given); key.len > 0; key.ptr++, key.len--) {
		as_buf_puts(&place, *key.ptr == '/' ? "~1" : *key.ptr == '~' ? "~0" : "");
		if (*key.ptr != '/' && *key.ptr != '~') {
			as_buf_byte(&place, *key.ptr);
		}
	}
	as_error_pointer(why, "/%s", place.ptr ? place.ptr : "");
	as_trial_tell(&s->report, "refused", "%d\t%u\t%s\t%s\t%s", why->code == ASSAY_EINVAL ? ASSAY_EDATA : why->code,
		      (unsigned)(why->line ? why->line : as_json_line(given)), why->pointer, why->message, why->hint);
	as_buf_free(&place);
	return false;
}

bool as_suite_given(suite *s, as_module *m)
{
	for (const assay_json *g = as_json_first(s->all_options); g; g = as_json_next(g)) {
		const as_module_impl *mi = NULL;
		const as_impl_info *elsewhere;
		assay_json *options = NULL;
		assay_error why = {0};
		as_buf use = {0};
		int rc = 0;
		as_buf_add(&use, as_json_key(g));
		for (size_t i = 0; i < m->n_impls; i++) {
			const assay_impl *impl = m->impls[i].impl;
			const char *role = as_role_name(impl->role), *name = use.ptr ? strchr(use.ptr, '/') : NULL;
			if (name && strncmp(use.ptr, role, strlen(role)) == 0 && use.ptr + strlen(role) == name &&
			    strcmp(name + 1, impl->name) == 0) {
				mi = &m->impls[i];
			}
		}
		if (mi && as_json_type(g) != ASSAY_JSON_OBJECT) {
			rc = as_fail(&why, ASSAY_EDATA, "options are an object");
		} else if (mi) {
			rc = as_module_options(mi, g, s->beside, &options, &why);
		} else { /* one file may serve several modules */
			rc = as_registry_find(s->registry, use.ptr ? use.ptr : "", 0, &elsewhere, &why);
		}
		as_json_free(options);
		as_buf_free(&use);
		if (rc < 0 && (!mi || why.code != ASSAY_EPLUGIN)) { /* else its own schema is at fault */
			return refuse(s, g, &why);
		}
	}
	return true;
}

bool as_suite_options(suite *s)
{
	const assay_impl *impl = s->mi->impl;
	as_buf use = {0};
	assay_json *fallback = NULL;
	assay_error why = {0};
	as_buf_printf(&use, "%s/%s", as_role_name(impl->role), impl->name);
	const assay_json *given = as_json_get(s->all_options, use.ptr ? use.ptr : "");
	s->given = given != NULL;
	if (!given && as_json_pointer(s->mi->options, "/properties/command") && impl->role == ASSAY_ROLE_TRANSPORT) {
		/* A peer that echoes. */
		as_json_parse(ASSAY_STR("{\"command\":\"cat\"}"), ASSAY_JSON_STRICT, &fallback, NULL);
		given = fallback;
	}
	int rc = as_module_options(s->mi, given, s->given ? s->beside : NULL, &s->options, &why);
	as_buf_free(&use);
	as_json_free(fallback);
	if (rc < 0) {
		char line[1024];
		as_error_format(&why, line, sizeof line);
		if (why.code == ASSAY_EPLUGIN) {
			as_suite_begin(s, "options", "defaults");
			as_trial_tell(&s->report, "wrong", "%s", line);
		} else if (as_json_count(as_json_get(s->mi->options, "required")) > 0) {
			as_trial_tell(&s->report, "note", "it needs options, see --options: %s", line);
		} else {
			as_suite_begin(s, "options", "defaults");
			as_trial_tell(&s->report, "wrong", "the defaults of its schema do not fit the schema: %s",
				      line);
		}
	}
	return rc == 0;
}

static void try_value(suite *s, const char *key, assay_json *value)
{
	assay_json *given = as_json_clone(s->options), *filled = NULL;
	as_buf name = {0};
	if (as_json_set(given, key, value) == 0 && as_schema_validate(s->mi->schema, given, NULL) == 0 &&
	    as_module_options(s->mi, given, NULL, &filled, NULL) == 0) {
		as_buf_printf(&name, "option %s is ", key);
		as_json_write(&name, as_json_get(given, key), ASSAY_JSON_COMPACT);
		if (name.len > 80) {
			name.len = 77;
			as_buf_puts(&name, "...");
		}
		if (as_buf_check(&name, NULL) == 0 && as_suite_begin(s, "open", name.ptr)) {
			as_trial t = {.mi = s->mi, .host = s->host, .report = &s->report, .operation = ""};
			size_t bytes;
			const char *operation;
			as_trial_open(&t, filled, 0); /* it may refuse, with a message */
			as_trial_close(&t);
			if (as_fence_live(&bytes, &operation) > 0) {
				as_trial_wrong(&t, "leaks: %zu bytes from host->alloc are never freed", bytes);
				as_fence_forget();
			}
			as_trial_tell(&s->report, "end", "%s", "");
		}
	}
	as_buf_free(&name);
	as_json_free(filled);
	as_json_free(given);
}

static assay_json *long_text(void)
{
	char text[LONG_OPTION];
	memset(text, 'x', sizeof text);
	return as_json_string((assay_str){text, sizeof text});
}

void as_suite_option_values(suite *s)
{
	const assay_json *properties = as_json_get(s->mi->options, "properties");
	for (const assay_json *p = as_json_first(properties); p; p = as_json_next(p)) {
		static const char *const limits[] = {"default", "minimum", "maximum", "const"};
		as_buf key = {0};
		as_buf_add(&key, as_json_key(p));
		if (as_buf_check(&key, NULL) < 0 || key.len == 0) {
			as_buf_free(&key);
			continue;
		}
		for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
			if (as_json_get(p, limits[i])) {
				try_value(s, key.ptr, as_json_clone(as_json_get(p, limits[i])));
			}
		}
		for (const assay_json *e = as_json_first(as_json_get(p, "enum")); e; e = as_json_next(e)) {
			try_value(s, key.ptr, as_json_clone(e));
		}
		try_value(s, key.ptr, as_json_truth(1));
		try_value(s, key.ptr, as_json_truth(0));
		try_value(s, key.ptr, as_json_integer(0));
		try_value(s, key.ptr, as_json_string(ASSAY_STR("")));
		try_value(s, key.ptr, as_json_array());
		try_value(s, key.ptr, long_text());
		as_buf_free(&key);
	}
	assay_json *unknown = as_json_clone(s->options);
	if (as_json_set(unknown, "no-such-option", as_json_null()) == 0 &&
	    as_schema_validate(s->mi->schema, unknown, NULL) == 0 && s->from == 0) {
		as_trial_tell(&s->report, "note",
			      "its schema lets unknown options pass, so a misspelt one is not found: add "
			      "\"additionalProperties\": false");
	}
	as_json_free(unknown);
}
