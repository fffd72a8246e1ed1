#include "core/run/secrets.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/secret.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_MAX sizeof((as_written *)0)->pointer

/* Where a text stands. */
typedef struct place {
	assay_str command; /* of the launch record or the plugin at hand: its program's name */
	bool fills;        /* ${NAME} is filled in */
} place;

typedef struct collecting {
	const as_manifest *m;
	as_variables *variables;
	as_redactor *out;
	place at;
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

/* --- given to servers and models ---------------------------------------------------------------------------------- */

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
		if (value && value[0]) { /* else a default, which as_secrets_written finds */
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
	as_secret_scan scan = {.text = as_buf_str(&f.text), .key = key, .command = k->at.command};
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

/* What is done with each text of a launch record, or of a plugin's options. */
typedef int take_text(void *payload, const assay_json *at, assay_str key, const char *pointer);

/* The texts of one: members by their names, arguments by the flag before them. */
static int each_text(const assay_json *v, assay_str key, const char *pointer, take_text *take, void *payload)
{
	int type = as_json_type(v), rc = 0;
	size_t n = 0;
	if (type == ASSAY_JSON_STRING) {
		return take(payload, v, key, pointer);
	}
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m), n++) {
		assay_str text = as_json_str(m);
		char inner[POINTER_MAX];
		if (type == ASSAY_JSON_OBJECT) {
			snprintf(inner, sizeof inner, "%s/%.*s", pointer, ASSAY_FMT(as_json_key(m)));
			rc = each_text(m, as_json_key(m), inner, take, payload);
			continue;
		}
		bool flag = text.len > 0 && text.ptr[0] == '-';
		snprintf(inner, sizeof inner, "%s/%zu", pointer, n);
		rc = each_text(m, flag ? (assay_str){NULL, 0} : key, inner, take, payload);
		key = as_secret_flag(text);
	}
	return rc;
}

/* What says nothing about secrets: names look like anything (Qwen3-30B-A3B-Instruct-2507), a prompt says anything. */
static bool is_plain(assay_str option)
{
	static const char *const names[] = {"use", "name", "model", "family", "prompt"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (as_str_is(option, names[i])) {
			return true;
		}
	}
	return false;
}

/* What stands beside a "use". "key" is the name of a variable, and no secret for being called so. Of a program, only
 * the variables are filled in. */
static int each_option(const assay_json *use, place *at, const char *pointer, take_text *take, void *payload)
{
	const assay_json *argv = as_json_get(use, "argv");
	int rc = 0;
	at->command = as_path_base(as_json_str(as_json_first(argv)));
	for (const assay_json *o = as_json_first(use); o && rc == 0; o = as_json_next(o)) {
		assay_str name = as_json_key(o);
		char inner[POINTER_MAX];
		if (is_plain(name)) {
			continue;
		}
		at->fills = !argv || as_str_is(name, "env");
		snprintf(inner, sizeof inner, "%s/%.*s", pointer, ASSAY_FMT(name));
		rc = each_text(o, as_str_is(name, "key") ? (assay_str){NULL, 0} : name, inner, take, payload);
	}
	return rc;
}

/* Scorers, environments, agents and whatever else has a command line or variables, wherever it stands in v. */
static int each_program(const assay_json *v, place *at, const char *pointer, take_text *take, void *payload)
{
	size_t n = 0;
	int rc = 0;
	if (as_json_get(v, "use") && (as_json_get(v, "argv") || as_json_get(v, "args") || as_json_get(v, "env"))) {
		return each_option(v, at, pointer, take, payload);
	}
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m), n++) {
		char inner[POINTER_MAX];
		if (as_json_type(v) == ASSAY_JSON_ARRAY) {
			snprintf(inner, sizeof inner, "%s/%zu", pointer, n);
		} else {
			snprintf(inner, sizeof inner, "%s/%.*s", pointer, ASSAY_FMT(as_json_key(m)));
		}
		rc = each_program(m, at, inner, take, payload);
	}
	return rc;
}

/* What stands in launch records, and in the options of models and of programs; all of them are given secrets. */
static int each_place(const as_manifest *m, place *at, take_text *take, void *payload)
{
	int rc = 0;
	for (const assay_json *s = as_json_first(m->document); s && rc == 0; s = as_json_next(s)) {
		bool servers = as_str_is(as_json_key(s), "mcpServers"), models = as_str_is(as_json_key(s), "models");
		char pointer[POINTER_MAX / 2]; /* ids are short */
		snprintf(pointer, sizeof pointer, "/%.*s", ASSAY_FMT(as_json_key(s)));
		rc = servers || models ? 0 : each_program(s, at, pointer, take, payload);
		for (const assay_json *v = as_json_first(s); v && rc == 0 && (servers || models); v = as_json_next(v)) {
			snprintf(pointer, sizeof pointer, "/%.*s/%.*s", ASSAY_FMT(as_json_key(s)),
				 ASSAY_FMT(as_json_key(v)));
			*at = (place){as_path_base(as_json_str(as_json_get(v, "command"))), true};
			rc = servers ? each_text(v, (assay_str){NULL, 0}, pointer, take, payload)
				     : each_option(v, at, pointer, take, payload);
		}
	}
	return rc;
}

static int take_filled(void *payload, const assay_json *at, assay_str key, const char *pointer)
{
	(void)pointer;
	return add_text(payload, as_json_str(at), key);
}

static int add_kept(void *payload, const char *name, const char *value)
{
	const collecting *k = payload;
	return !is_secret(k->m, as_str(name)) || as_redactor_add(k->out, name, as_str(value)) ? 0 : ASSAY_ENOMEM;
}

int as_secrets_given(const as_manifest *m, as_variables *variables, as_redactor *out, assay_error *err)
{
	collecting k = {.m = m, .variables = variables, .out = out};
	int rc = as_variables_each(variables, add_kept, &k);
	rc = rc < 0 ? rc : each_place(m, &k.at, take_filled, &k);
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* --- written into the manifest ------------------------------------------------------------------------------------ */

typedef struct reading {
	const as_manifest *m;
	size_t least;
	as_redactor *out;
	as_written *written;
	place at;
} reading;

/* A model's "key" is a variable's name. */
static bool is_model_key(const assay_json *at, const char *pointer)
{
	return as_str_is(as_json_key(at), "key") && as_str_starts(as_str(pointer), ASSAY_STR("/models/"));
}

static int add_written(const reading *r, assay_str name, assay_str value, const assay_json *at, const char *pointer)
{
	char *copy = as_strndup(is_model_key(at, pointer) ? ASSAY_STR("key") : name);
	bool good = copy && (!r->out || as_redactor_add(r->out, copy, value));
	free(copy);
	if (value.len >= r->least && r->written->n++ == 0) {
		r->written->line = as_json_line(at);
		snprintf(r->written->pointer, sizeof r->written->pointer, "%s", pointer);
		r->written->instead = is_model_key(at, pointer) ? "NAME, that of a variable, there"
				      : r->at.fills             ? "${NAME} there"
								: "\"NAME\": \"${NAME}\" into \"env\" instead";
	}
	return good ? 0 : ASSAY_ENOMEM;
}

/* The default of a variable that is a secret, or one that looks like it, is one. */
static int take_default(const reading *r, assay_str reference, assay_str name, const assay_json *at,
			const char *pointer)
{
	size_t skipped = strlen("${") + name.len + strlen(":-");
	assay_str value = {reference.ptr + skipped, 0};
	as_secret found;
	if (reference.len <= skipped + 1) {
		return 0;
	}
	value.len = reference.len - skipped - 1;
	as_secret_scan scan = {.text = value, .key = name};
	return is_secret(r->m, name) || as_secret_next(&scan, &found) ? add_written(r, name, value, at, pointer) : 0;
}

static int take_written(void *payload, const assay_json *at, assay_str key, const char *pointer)
{
	const reading *r = payload;
	assay_str text = as_json_str(at), name;
	as_secret_scan scan = {.text = text, .key = key, .command = r->at.command};
	as_secret found;
	size_t end;
	int rc = 0;
	while (rc == 0 && as_secret_next(&scan, &found)) {
		rc = add_written(r, found.name, (assay_str){text.ptr + found.from, found.to - found.from}, at, pointer);
	}
	for (size_t i = 0; i < text.len && rc == 0; i++) {
		rc = read_reference(text, i, &name, &end)
			     ? take_default(r, (assay_str){text.ptr + i, end - i}, name, at, pointer)
			     : 0;
	}
	return rc;
}

int as_secrets_written(const as_manifest *m, size_t least, as_redactor *out, as_written *written, assay_error *err)
{
	reading r = {.m = m, .least = least, .out = out, .written = written};
	*written = (as_written){0};
	return each_place(m, &r.at, take_written, &r) < 0 ? as_fail_memory(err) : 0;
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
	const collecting k = {.m = m, .variables = variables, .out = out};
	int rc = add_all(&k, m->document, false);
	rc = rc < 0 ? rc : add_all(&k, as_json_get(m->document, "models"), true);
	return rc < 0 ? as_fail_memory(err) : 0;
}
