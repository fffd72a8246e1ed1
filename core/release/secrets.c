#include "core/release/secrets.h"

#include "core/base/error.h"
#include <stdlib.h>
#include <string.h>

typedef struct secret {
	const char *name;
	assay_str plain, escaped; /* escaped: as in JSON; empty when it is the same */
} secret;

struct as_secrets {
	as_arena arena;
	as_variables *variables; /* while they are collected */
	secret *list;
	size_t n, cap;
};

static bool is_name_start(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static size_t name_length(assay_str s)
{
	size_t n = 0;
	if (s.len > 0 && is_name_start(s.ptr[0])) {
		while (n < s.len && (is_name_start(s.ptr[n]) || (s.ptr[n] >= '0' && s.ptr[n] <= '9'))) {
			n++;
		}
	}
	return n;
}

static assay_str escape(as_secrets *s, assay_str plain)
{
	as_buf text = {0};
	assay_str out = {NULL, 0};
	as_json_write_string(&text, plain, false);
	if (!text.failed && text.len >= 2 && text.len - 2 != plain.len) {
		out = as_arena_str(&s->arena, (assay_str){text.ptr + 1, text.len - 2});
	}
	s->arena.failed = s->arena.failed || text.failed;
	as_buf_free(&text);
	return out;
}

static int add_variable(as_secrets *s, assay_str name)
{
	char *copy = as_arena_cstr(&s->arena, name);
	const char *value = copy ? as_variable(s->variables, copy) : NULL;
	secret *entry;
	if (!copy) {
		return ASSAY_ENOMEM;
	}
	if (!value || strlen(value) < AS_SECRET_MIN) {
		return 0;
	}
	if (!as_grow(&s->list, &s->cap, s->n + 1, sizeof *s->list)) {
		return ASSAY_ENOMEM;
	}
	entry = &s->list[s->n++];
	*entry = (secret){.name = copy, .plain = as_arena_str(&s->arena, as_str(value))};
	entry->escaped = escape(s, entry->plain);
	return s->arena.failed ? ASSAY_ENOMEM : 0;
}

/* Every ${NAME} and ${NAME:-default} of a text; ${env:...} is no variable. */
static int collect_text(as_secrets *s, assay_str text)
{
	int rc = 0;
	for (size_t i = 0; i + 2 < text.len && rc == 0; i++) {
		assay_str rest = {text.ptr + i + 2, text.len - i - 2};
		size_t n;
		if (text.ptr[i] != '$' || text.ptr[i + 1] != '{') {
			continue;
		}
		n = name_length(rest);
		if (n > 0 && n < rest.len && (rest.ptr[n] == '}' || (rest.ptr[n] == ':' && rest.ptr[n + 1] == '-'))) {
			rc = add_variable(s, (assay_str){rest.ptr, n});
		}
	}
	return rc;
}

/* names: a text that is a name as a whole counts, too. */
static int collect(as_secrets *s, const assay_json *v, bool names)
{
	int rc = 0;
	if (as_json_type(v) == ASSAY_JSON_STRING) {
		assay_str text = as_json_str(v);
		return names && text.len > 0 && name_length(text) == text.len ? add_variable(s, text)
									      : collect_text(s, text);
	}
	if (as_json_type(v) != ASSAY_JSON_ARRAY && as_json_type(v) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		rc = collect(s, m, names);
	}
	return rc;
}

int as_secrets_collect(const as_manifest *m, as_variables *variables, as_secrets **out, assay_error *err)
{
	as_secrets *s = as_new(1, sizeof *s);
	int rc = s ? 0 : ASSAY_ENOMEM;
	*out = NULL;
	if (s) {
		s->variables = variables;
		rc = collect(s, m->document, false);
		rc = rc < 0 ? rc : collect(s, as_json_get(m->document, "models"), true);
		s->variables = NULL;
	}
	if (rc < 0) {
		as_secrets_free(s);
		return as_fail_memory(err);
	}
	*out = s;
	return 0;
}

void as_secrets_free(as_secrets *s)
{
	if (s) {
		free(s->list);
		as_arena_free(&s->arena);
		free(s);
	}
}

int as_secrets_check(const as_secrets *s, assay_str text, assay_error *err)
{
	for (size_t i = 0; i < s->n; i++) {
		const secret *x = &s->list[i];
		if (as_str_contains(text, x->plain) || (x->escaped.len > 0 && as_str_contains(text, x->escaped))) {
			as_fail(err, ASSAY_EDATA, "the value of the variable %s would be published", x->name);
			as_error_hint(err, "find out how it got there; nothing was packed");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

/* "/a" stands for everything; only a folder that says something of its owner counts. */
static bool tells_much(const char *folder)
{
	const char *slash = strrchr(folder, '/');
	return folder[0] == '/' && slash && slash != folder && slash[1] != '\0';
}

static bool names_folder(assay_str text, const char *folder)
{
	assay_str f = as_str(folder);
	for (size_t i = 0; f.len > 1 && i + f.len <= text.len; i++) {
		if (memcmp(text.ptr + i, f.ptr, f.len) == 0 && (i + f.len == text.len || text.ptr[i + f.len] == '/')) {
			return true;
		}
	}
	return false;
}

static int check_text(const as_manifest *m, assay_str text, assay_error *err)
{
	const char *home = getenv("HOME"), *found = NULL;
	if (tells_much(m->base_dir) && names_folder(text, m->base_dir)) {
		found = m->base_dir;
	} else if (home && home[0] == '/' && names_folder(text, home)) {
		found = home;
	}
	if (!found) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "a path of this machine would be published: %s", found);
	as_error_hint(err, "write it relative to the manifest, or as a ${VARIABLE}");
	return ASSAY_EDATA;
}

int as_paths_check(const as_manifest *m, const assay_json *document, assay_error *err)
{
	size_t i = 0;
	if (as_json_type(document) == ASSAY_JSON_STRING) {
		return check_text(m, as_json_str(document), err);
	}
	if (as_json_type(document) != ASSAY_JSON_ARRAY && as_json_type(document) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *v = as_json_first(document); v; v = as_json_next(v), i++) {
		int rc = as_paths_check(m, v, err);
		if (rc < 0) {
			assay_str key = as_json_key(v);
			if (as_json_type(document) == ASSAY_JSON_OBJECT) {
				as_error_pointer(err, "/%.*s", ASSAY_FMT(key));
			} else {
				as_error_pointer(err, "/%zu", i);
			}
			return rc;
		}
	}
	return 0;
}
