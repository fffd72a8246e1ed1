#include "core/run/secrets.h"

#include "core/base/error.h"
#include "core/base/secret.h"
#include <stdlib.h>
#include <string.h>

typedef struct collecting {
	const as_manifest *m;
	as_variables *variables;
	as_redactor *out;
} collecting;

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

/* The name in "${NAME}" or "${NAME:-default}" at i, and where that ends; false for anything else, as ${env:...}. */
static bool read_reference(assay_str text, size_t i, assay_str *name, size_t *end)
{
	const char *close;
	if (i + 2 >= text.len || text.ptr[i] != '$' || text.ptr[i + 1] != '{') {
		return false;
	}
	assay_str rest = {text.ptr + i + 2, text.len - i - 2};
	size_t n = name_length(rest);
	close = memchr(rest.ptr, '}', rest.len);
	if (n == 0 || !close ||
	    (rest.ptr[n] != '}' && !as_str_starts((assay_str){rest.ptr + n, rest.len - n}, ASSAY_STR(":-")))) {
		return false;
	}
	*name = (assay_str){rest.ptr, n};
	*end = (size_t)(close - text.ptr) + 1;
	return true;
}

/* --- of servers --------------------------------------------------------------------------------------------------- */

/* Where a variable's value stands in a text that was filled in. */
typedef struct filled {
	char *name;
	size_t from, to;
} filled;

typedef struct filling {
	as_arena arena;
	as_buf text;
	filled *list;
	size_t n, cap;
} filling;

static int fill(const collecting *k, assay_str text, filling *f)
{
	for (size_t i = 0; i < text.len;) {
		assay_str name;
		size_t end, from = f->text.len;
		if (!read_reference(text, i, &name, &end)) {
			as_buf_byte(&f->text, text.ptr[i++]);
			continue;
		}
		char *copy = as_arena_cstr(&f->arena, name);
		const char *value = copy ? as_variable(k->variables, copy) : NULL;
		if (!copy || !as_grow(&f->list, &f->cap, f->n + 1, sizeof *f->list)) {
			return ASSAY_ENOMEM;
		}
		if (value && value[0]) { /* else a default, which stands in the manifest */
			as_buf_puts(&f->text, value);
			f->list[f->n++] = (filled){copy, from, f->text.len};
		}
		i = end;
	}
	return f->text.failed ? ASSAY_ENOMEM : 0;
}

static bool is_listed(const as_manifest *m, assay_str name)
{
	const assay_json *list = as_json_get(m->document, "secrets");
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		if (as_str_eq(as_json_str(v), name)) {
			return true;
		}
	}
	return false;
}

static bool is_secret(const as_manifest *m, assay_str name)
{
	return as_secret_name(name) || is_listed(m, name);
}

static int add_text(const collecting *k, assay_str text, assay_str key)
{
	filling f = {0};
	as_secret found;
	bool good = fill(k, text, &f) == 0;
	for (size_t i = 0; i < f.n && good; i++) {
		const filled *v = &f.list[i];
		good = !is_secret(k->m, as_str(v->name)) ||
		       as_redactor_add(k->out, v->name, (assay_str){f.text.ptr + v->from, v->to - v->from});
	}
	as_secret_scan scan = {.text = as_buf_str(&f.text), .key = key};
	while (f.n > 0 && good && as_secret_next(&scan, &found)) {
		for (size_t i = 0; i < f.n && good; i++) {
			size_t from = f.list[i].from > found.from ? f.list[i].from : found.from;
			size_t to = f.list[i].to < found.to ? f.list[i].to : found.to;
			good = from >= to ||
			       as_redactor_add(k->out, f.list[i].name, (assay_str){f.text.ptr + from, to - from});
		}
	}
	as_arena_free(&f.arena);
	as_buf_free(&f.text);
	free(f.list);
	return good ? 0 : ASSAY_ENOMEM;
}

/* The texts of a launch record: members by their names, arguments by the flag before them. */
static int add_launch(const collecting *k, const assay_json *v, assay_str key)
{
	int type = as_json_type(v), rc = 0;
	if (type == ASSAY_JSON_STRING) {
		return add_text(k, as_json_str(v), key);
	}
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		assay_str text = as_json_str(m);
		if (type == ASSAY_JSON_OBJECT) {
			rc = add_launch(k, m, as_json_key(m));
			continue;
		}
		bool flag = text.len > 0 && text.ptr[0] == '-';
		rc = add_launch(k, m, flag ? (assay_str){NULL, 0} : key);
		key = as_secret_flag(text);
	}
	return rc;
}

static int add_kept(void *payload, const char *name, const char *value)
{
	const collecting *k = payload;
	return !is_secret(k->m, as_str(name)) || as_redactor_add(k->out, name, as_str(value)) ? 0 : ASSAY_ENOMEM;
}

int as_secrets_of_servers(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err)
{
	const collecting k = {m, variables, out};
	const assay_json *servers = as_json_get(m->document, "mcpServers");
	int rc = as_variables_each(variables, add_kept, (void *)&k);
	for (const assay_json *s = as_json_first(servers); s && rc == 0; s = as_json_next(s)) {
		rc = add_launch(&k, s, (assay_str){NULL, 0});
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* --- of everything ------------------------------------------------------------------------------------------------ */

static int add_variable(const collecting *k, assay_str name)
{
	char *copy = as_strndup(name);
	const char *value = copy ? as_variable(k->variables, copy) : NULL;
	bool good = copy && (!value || as_redactor_add(k->out, copy, as_str(value)));
	free(copy);
	return good ? 0 : ASSAY_ENOMEM;
}

static int add_named(const collecting *k, assay_str text)
{
	int rc = 0;
	for (size_t i = 0; i < text.len && rc == 0; i++) {
		assay_str name;
		size_t end;
		rc = read_reference(text, i, &name, &end) ? add_variable(k, name) : 0;
	}
	return rc;
}

/* names: a text that is a name as a whole counts, too. */
static int add_all(const collecting *k, const assay_json *v, bool names)
{
	int rc = 0;
	if (as_json_type(v) == ASSAY_JSON_STRING) {
		assay_str text = as_json_str(v);
		return names && text.len > 0 && name_length(text) == text.len ? add_variable(k, text)
									      : add_named(k, text);
	}
	if (as_json_type(v) != ASSAY_JSON_ARRAY && as_json_type(v) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		rc = add_all(k, m, names);
	}
	return rc;
}

int as_secrets_named(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err)
{
	const collecting k = {m, variables, out};
	int rc = add_all(&k, m->document, false);
	rc = rc < 0 ? rc : add_all(&k, as_json_get(m->document, "models"), true);
	return rc < 0 ? as_fail_memory(err) : 0;
}
