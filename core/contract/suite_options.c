/* Options: what an implementation is opened with, and each option at its limits. */
#include "core/contract/suite.h"

#include "core/base/error.h"
#include "core/contract/fence.h"
#include "core/plugin/role.h"
#include <string.h>

#define LONG_OPTION 4096u

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
	int rc = as_module_options(s->mi, given, NULL, &s->options, &why);
	as_buf_free(&use);
	as_json_free(fallback);
	if (rc < 0) {
		char line[1024];
		as_error_format(&why, line, sizeof line);
		if (why.code == ASSAY_EPLUGIN) {
			as_suite_begin(s, "options", "defaults");
			as_trial_tell(&s->report, "wrong", "%s", line);
		} else if (s->given) {
			as_trial_tell(&s->report, "note", "the options given are not in order: %s", line);
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
