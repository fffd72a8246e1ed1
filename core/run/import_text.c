/* Texts of other programs' server lists: ${env:NAME}, ${input:id}, ${workspaceFolder} and the like become what the
 * manifest knows; a secret that stands there literally becomes a variable. */
#include "core/run/import_text.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int as_import_note(importer *x, const char *format, ...)
{
	as_buf text = {0};
	char line[400];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	as_printable(&text, as_str(line));
	int rc = as_json_append(x->notes, as_json_string(as_buf_str(&text)));
	as_buf_free(&text);
	return rc;
}

int as_import_fail(importer *x, const assay_json *at, const char *key, assay_error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_failv(err, ASSAY_EDATA, format, args);
	va_end(args);
	as_error_pointer(err, "%s%s%s", x->pointer.ptr ? x->pointer.ptr : "", key[0] ? "/" : "", key);
	as_error_where(err, x->o->file, as_json_line(at));
	return ASSAY_EDATA;
}

/* --- secrets ------------------------------------------------------------------------------------------------------ */

static bool has_word(assay_str words, const char *const *list)
{
	for (size_t i = 0; i < words.len;) {
		size_t end = i;
		while (end < words.len && words.ptr[end] != ' ') {
			end++;
		}
		for (size_t k = 0; list[k]; k++) {
			if (as_str_is((assay_str){words.ptr + i, end - i}, list[k])) {
				return true;
			}
		}
		i = end + 1;
	}
	return false;
}

static assay_str last_word(assay_str words)
{
	size_t from = words.len;
	while (from > 0 && words.ptr[from - 1] != ' ') {
		from--;
	}
	return (assay_str){words.ptr + from, words.len - from};
}

/* Does the name of a variable, header, flag or query field say that its value is a secret? */
static bool secret_name(assay_str name)
{
	static const char *const secret[] = {"key",    "apikey",      "token",         "secret",     "password",
					     "passwd", "pwd",         "passphrase",    "credential", "credentials",
					     "auth",   "accesstoken", "authorization", "cookie",     "pat",
					     "dsn",    NULL};
	static const char *const about[] = {"file",  "path", "dir",  "folder", "limit",
					    "count", "name", "type", "url",    NULL};
	static const char *const ends[] = {"password", "passwd", "secret", "token", "apikey"}; /* PGPASSWORD */
	as_buf words = {0};
	as_words(&words, name);
	assay_str last = last_word(as_buf_str(&words));
	bool yes = has_word(as_buf_str(&words), secret) && !has_word(last, about);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n = strlen(ends[i]);
		yes = yes || (last.len > n && memcmp(last.ptr + last.len - n, ends[i], n) == 0);
	}
	as_buf_free(&words);
	return yes;
}

/* Length of a scheme like "Bearer " that may stay in front of a header's secret. */
static size_t scheme_length(assay_str s)
{
	static const char *const schemes[] = {"Bearer ", "Basic ", "Token ", "token ", "bearer "};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (as_str_starts(s, as_str(schemes[i]))) {
			return strlen(schemes[i]);
		}
	}
	return 0;
}

/* Values that tell what they are. */
static bool secret_value(assay_str s)
{
	static const char *const marks[] = {"sk-",  "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-",  "AKIA",
					    "AIza", "hf_",  "npm_", "pypi-",       "eyJ",    "ntn_",  "dop_v1_"};
	size_t scheme = scheme_length(s);
	assay_str rest = {s.ptr + scheme, s.len - scheme};
	bool yes = scheme > 0;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		yes = yes || as_str_starts(rest, as_str(marks[i]));
	}
	return yes && rest.len >= 16 && !memchr(rest.ptr, ' ', rest.len);
}

static void upper_name(as_buf *out, assay_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = (char)toupper((unsigned char)text.ptr[i]);
		bool good = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (good) {
			as_buf_byte(out, c);
		} else if (out->len > 0 && out->ptr[out->len - 1] != '_') {
			as_buf_byte(out, '_');
		}
	}
	while (out->len > 0 && out->ptr[out->len - 1] == '_') {
		out->ptr[--out->len] = '\0';
	}
	if (out->len == 0 || (out->ptr[0] >= '0' && out->ptr[0] <= '9')) {
		as_buf_puts(out, "V");
	}
}

/* The variable's entry in the report, made on first sight. */
static int add_variable(importer *x, assay_str name, bool secret, bool optional, const assay_json *description)
{
	const assay_json *known = as_json_get_n(x->variables, name);
	assay_json *v = as_json_edit(known), *servers;
	as_buf key = {0};
	int rc = 0;
	if (!v) {
		as_buf_add(&key, name);
		const char *value = key.failed ? NULL : as_variable(x->known, key.ptr);
		v = as_json_object();
		rc |= as_json_set(v, "name", as_json_string(name));
		rc |= as_json_set(v, "secret", as_json_truth(secret));
		rc |= as_json_set(v, "optional", as_json_truth(optional));
		rc |= as_json_set(v, "set", as_json_truth(value && value[0]));
		rc |= as_json_set(v, "servers", as_json_array());
		rc |= as_json_set(v, "description", description ? as_json_clone(description) : as_json_null());
		rc |= as_json_set_n(x->variables, name, v);
		rc |= key.failed ? ASSAY_ENOMEM : 0;
		as_buf_free(&key);
	}
	if (rc < 0) {
		return ASSAY_ENOMEM;
	}
	servers = as_json_edit(as_json_get(v, "servers"));
	if (!as_str_eq(as_json_str(as_json_at(servers, as_json_count(servers) - 1)), x->id)) {
		rc = as_json_append(servers, as_json_string(x->id));
	}
	return rc < 0 ? ASSAY_ENOMEM : 0;
}

/* Does the name stand for another value already: in this file, in .env, or in the environment? */
static bool is_taken(const importer *x, const as_buf *name, assay_str secret)
{
	const assay_json *here = as_json_get_n(x->secrets, as_buf_str(name));
	const char *set = name->failed ? NULL : as_variable(x->known, name->ptr);
	return (here && !as_str_eq(as_json_str(here), secret)) || (set && set[0] && !as_str_is(secret, set));
}

/* Put a secret into a variable, which is named after the server and `key`, or (as_named) after `key` alone when that is
 * free; ${NAME} is appended. */
static int hide(importer *x, assay_str secret, assay_str key, bool as_named, as_buf *out)
{
	as_buf name = {0}, whole = {0};
	int rc = 0;
	for (int n = as_named ? 0 : 1; n < 100; n++) {
		as_buf_clear(&name);
		as_buf_clear(&whole);
		if (n > 0) {
			as_buf_printf(&whole, "%.*s_", ASSAY_FMT(x->id));
		}
		as_buf_add(&whole, key);
		if (n > 1) {
			as_buf_printf(&whole, "_%d", n);
		}
		upper_name(&name, as_buf_str(&whole));
		if (!is_taken(x, &name, secret)) {
			break;
		}
	}
	rc |= name.failed || whole.failed ? ASSAY_ENOMEM : 0;
	rc |= as_json_set_n(x->secrets, as_buf_str(&name), as_json_string(secret));
	rc |= add_variable(x, as_buf_str(&name), true, false, NULL);
	as_buf_printf(out, "${%s}", name.ptr ? name.ptr : "");
	as_buf_free(&name);
	as_buf_free(&whole);
	return rc < 0 ? ASSAY_ENOMEM : 0;
}

/* Where the password of "scheme://user:password@host" stands, or a "token@" that is too long for a user's name; false
 * when there is none. */
static bool find_password(assay_str s, size_t *from, size_t *to)
{
	size_t i = 0, colon = SIZE_MAX, end = SIZE_MAX;
	while (i + 2 < s.len && memcmp(s.ptr + i, "://", 3) != 0) {
		i++;
	}
	size_t start = i += 3;
	for (; i < s.len && !strchr("/?# ", s.ptr[i]); i++) {
		if (s.ptr[i] == ':' && colon == SIZE_MAX) {
			colon = i;
		} else if (s.ptr[i] == '@') {
			end = i;
		}
	}
	*from = colon < end ? colon + 1 : start;
	*to = end;
	if (colon > end || colon == SIZE_MAX) {
		return end != SIZE_MAX && end - start >= 20;
	}
	return colon < end && end != SIZE_MAX && end > colon + 1;
}

/* The next "&name=value" of a URL's query whose name says that it is a secret. */
static bool find_query_secret(assay_str s, size_t start, size_t *name, size_t *from, size_t *to)
{
	for (size_t i = start; i < s.len; i++) {
		size_t eq = i + 1, end;
		if (s.ptr[i] != '?' && s.ptr[i] != '&') {
			continue;
		}
		while (eq < s.len && s.ptr[eq] != '=' && s.ptr[eq] != '&') {
			eq++;
		}
		end = eq + 1;
		while (end < s.len && s.ptr[end] != '&' && s.ptr[end] != '#') {
			end++;
		}
		if (eq + 1 < s.len && s.ptr[eq] == '=' && end > eq + 1 &&
		    secret_name((assay_str){s.ptr + i + 1, eq - i - 1})) {
			*name = i + 1;
			*from = eq + 1;
			*to = end;
			return true;
		}
	}
	return false;
}

/* A URL with what is secret in it taken out. */
static int hide_in_url(importer *x, assay_str s, as_buf *out)
{
	size_t at = 0, name = 0, from = 0, to = 0;
	int rc = 0;
	if (find_password(s, &from, &to)) {
		as_buf_add(out, (assay_str){s.ptr, from});
		rc = hide(x, (assay_str){s.ptr + from, to - from}, ASSAY_STR("password"), false, out);
		at = to;
	}
	while (rc == 0 && find_query_secret(s, at, &name, &from, &to)) {
		as_buf_add(out, (assay_str){s.ptr + at, from - at});
		rc = hide(x, (assay_str){s.ptr + from, to - from}, (assay_str){s.ptr + name, from - name - 1}, false,
			  out);
		at = to;
	}
	as_buf_add(out, (assay_str){s.ptr + at, s.len - at});
	return rc;
}

/* --- variables ---------------------------------------------------------------------------------------------------- */

static bool is_variable_name(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		bool letter = isalpha((unsigned char)s.ptr[i]) || s.ptr[i] == '_';
		if (!letter && !(i > 0 && isdigit((unsigned char)s.ptr[i]))) {
			return false;
		}
	}
	return s.len > 0;
}

static int use_variable(importer *x, assay_str name, assay_str fallback, bool secret, const assay_json *description,
			as_buf *out)
{
	as_buf_printf(out, "${%.*s", ASSAY_FMT(name));
	if (fallback.ptr && !secret) {
		as_buf_printf(out, ":-%.*s", ASSAY_FMT(fallback));
	}
	as_buf_byte(out, '}');
	return add_variable(x, name, secret, fallback.ptr && !secret, description);
}

/* ${input:id}: what VS Code asks its user for becomes a variable. */
static int use_input(importer *x, assay_str id, const assay_json *at, const char *key, as_buf *out, assay_error *err)
{
	const assay_json *input = NULL, *otherwise;
	const char *ids[64], *near;
	as_buf name = {0};
	size_t n = 0;
	for (const assay_json *i = as_json_first(x->inputs); i; i = as_json_next(i)) {
		const assay_json *its = as_json_get(i, "id");
		if (as_str_eq(as_json_str(its), id)) {
			input = i;
		} else if (n < 64 && as_json_type(its) == ASSAY_JSON_STRING) {
			ids[n++] = as_json_cstr(its, "");
		}
	}
	if (!input) {
		near = as_nearest(id, ids, n);
		as_import_fail(x, at, key, err, "\"inputs\" has no input \"%.*s\"", ASSAY_FMT(id));
		if (near) {
			as_error_hint(err, "did you mean \"%s\"?", near);
		} else {
			as_error_hint(err, "add it to \"inputs\", or write ${NAME}");
		}
		return ASSAY_EDATA;
	}
	upper_name(&name, id);
	otherwise = as_json_get(input, "default");
	bool secret = as_json_boolean(as_json_get(input, "password"), 0) ||
		      (as_json_type(otherwise) != ASSAY_JSON_STRING && secret_name(id));
	int rc = use_variable(x, as_buf_str(&name),
			      as_json_type(otherwise) == ASSAY_JSON_STRING ? as_json_str(otherwise)
									   : (assay_str){NULL, 0},
			      secret, as_json_get(input, "description"), out);
	as_buf_free(&name);
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* "NAME" or "NAME:-default". */
static int use_plain(importer *x, assay_str reference, const assay_json *at, const char *key, as_buf *out,
		     assay_error *err)
{
	assay_str name = reference, fallback = {NULL, 0};
	for (size_t i = 0; i + 1 < reference.len; i++) {
		if (reference.ptr[i] == ':' && reference.ptr[i + 1] == '-') {
			name.len = i;
			fallback = (assay_str){reference.ptr + i + 2, reference.len - i - 2};
			break;
		}
	}
	if (!is_variable_name(name)) {
		as_import_fail(x, at, key, err, "\"${%.*s}\" is not known here", ASSAY_FMT(name));
		as_error_hint(err, "expected ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:ID}, ${userHome} or "
				   "${workspaceFolder}");
		return ASSAY_EDATA;
	}
	/* A default is no secret, or its writer has told everybody. */
	return use_variable(x, name, fallback, !fallback.ptr && secret_name(name), NULL, out) < 0 ? as_fail_memory(err)
												  : 0;
}

static int use_reference(importer *x, assay_str r, const assay_json *at, const char *key, as_buf *out, assay_error *err)
{
	assay_str folder = as_buf_str(&x->workspace);
	if (as_str_starts(r, ASSAY_STR("env:"))) {
		return use_plain(x, (assay_str){r.ptr + 4, r.len - 4}, at, key, out, err);
	}
	if (as_str_starts(r, ASSAY_STR("input:"))) {
		return use_input(x, (assay_str){r.ptr + 6, r.len - 6}, at, key, out, err);
	}
	if (as_str_is(r, "workspaceFolder") || as_str_is(r, "workspaceRoot")) {
		as_buf_add(out, folder);
		return 0;
	}
	if (as_str_is(r, "workspaceFolderBasename")) {
		as_buf_add(out, as_path_base(folder));
		return 0;
	}
	if (as_str_is(r, "pathSeparator") || as_str_is(r, "/")) {
		as_buf_byte(out, '/');
		return 0;
	}
	return use_plain(x, as_str_is(r, "userHome") ? ASSAY_STR("HOME") : r, at, key, out, err);
}

static int expand(importer *x, const assay_json *value, const char *key, as_buf *out, assay_error *err)
{
	assay_str text = as_json_str(value);
	size_t i = 0;
	int rc = 0;
	while (i < text.len && rc == 0) {
		const char *end;
		if (i + 1 >= text.len || text.ptr[i] != '$' || text.ptr[i + 1] != '{') {
			as_buf_byte(out, text.ptr[i++]);
			continue;
		}
		end = memchr(text.ptr + i, '}', text.len - i);
		if (!end) {
			return as_import_fail(x, value, key, err, "\"${\" without a closing \"}\"");
		}
		rc = use_reference(x, (assay_str){text.ptr + i + 2, (size_t)(end - text.ptr) - i - 2}, value, key, out,
				   err);
		i = (size_t)(end - text.ptr) + 1;
	}
	return rc;
}

int as_import_text(importer *x, const assay_json *value, const char *key, assay_json **out, assay_error *err)
{
	assay_str text = as_json_str(value), name = as_path_base(as_str(key));
	as_buf made = {0};
	int rc = 0;
	*out = NULL;
	if (as_str_contains(text, ASSAY_STR("${"))) {
		rc = expand(x, value, key, &made, err);
	} else if (text.len > 0 && (secret_name(name) || secret_value(text))) {
		size_t scheme = scheme_length(text);
		name = isdigit((unsigned char)name.ptr[0]) ? ASSAY_STR("secret") : name;
		as_buf_add(&made, (assay_str){text.ptr, scheme});
		rc = hide(x, (assay_str){text.ptr + scheme, text.len - scheme}, name, strncmp(key, "env/", 4) == 0,
			  &made);
	} else {
		rc = hide_in_url(x, text, &made);
	}
	if (rc == 0) {
		*out = as_json_string(as_buf_str(&made));
	}
	as_buf_free(&made);
	return rc < 0 ? rc == ASSAY_ENOMEM ? as_fail_memory(err) : rc : *out ? 0 : as_fail_memory(err);
}

/* --- arguments of commands ---------------------------------------------------------------------------------------- */

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool takes_header(assay_str flag)
{
	return as_str_is(flag, "H") || as_str_is(flag, "header") || as_str_is(flag, "headers");
}

/* Where the secret of an argument starts: of "--token=V", of "NAME=V" (as env and docker's -e take it), of "Name: V"
 * after --header, of "V" after --token. `name` is what tells that it is one. */
static bool find_argument_secret(assay_str arg, assay_str before, assay_str *name, size_t *from)
{
	bool header = takes_header(before);
	if (arg.len > 0 && arg.ptr[0] != '-' && before.len > 0 && secret_name(before)) {
		*name = before;
		*from = 0;
		return true;
	}
	for (size_t at = 0; at < arg.len;) {
		size_t end;
		while (at < arg.len && arg.ptr[at] == '-') {
			at++;
		}
		for (end = at; end < arg.len && is_name_byte(arg.ptr[end]); end++) {
		}
		if (end == at || end >= arg.len || (arg.ptr[end] != '=' && !(header && arg.ptr[end] == ':'))) {
			return false;
		}
		*name = (assay_str){arg.ptr + at, end - at};
		for (*from = end + 1; *from < arg.len && arg.ptr[*from] == ' '; ++*from) {
		}
		assay_str value = {arg.ptr + *from, arg.len - *from};
		bool script = at == 0 && arg.ptr[end] == '=' && memchr(value.ptr, ' ', value.len); /* sh -c "A=1 x" */
		if (value.len > 0 && !script && (secret_name(*name) || secret_value(value))) {
			return true;
		}
		header = takes_header(*name);
		at = arg.ptr[end] == '=' ? end + 1 : arg.len;
	}
	return false;
}

int as_import_argument(importer *x, const assay_json *value, const char *key, assay_str before, assay_json **out,
		       assay_error *err)
{
	assay_str arg = as_json_str(value), name = {NULL, 0};
	as_buf made = {0};
	size_t from = 0;
	int rc;
	if (as_str_contains(arg, ASSAY_STR("${")) || !find_argument_secret(arg, before, &name, &from)) {
		return as_import_text(x, value, key, out, err);
	}
	from += scheme_length((assay_str){arg.ptr + from, arg.len - from});
	as_buf_add(&made, (assay_str){arg.ptr, from});
	rc = hide(x, (assay_str){arg.ptr + from, arg.len - from}, name, false, &made);
	*out = rc < 0 ? NULL : as_json_string(as_buf_str(&made));
	as_buf_free(&made);
	return *out ? 0 : as_fail_memory(err);
}
