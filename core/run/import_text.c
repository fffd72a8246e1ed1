/* Texts of other programs' server lists: ${env:NAME}, ${input:id}, ${workspaceFolder} and the like become what the
 * manifest knows; a secret that stands there literally becomes a variable. */
#include "core/run/import_text.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include "core/base/secret.h"
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

#define MAX_ALIKE 1000 /* secrets of one server under one name */

/* --- secrets ------------------------------------------------------------------------------------------------------ */

/* A name of a variable, made of a text: empty when nothing of that can stand in one. */
static void upper_name(as_buf *out, assay_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = (char)toupper((unsigned char)text.ptr[i]);
		bool digit = c >= '0' && c <= '9';
		if ((c >= 'A' && c <= 'Z') || digit) {
			as_buf_puts(out, digit && out->len == 0 ? "V_" : "");
			as_buf_byte(out, c);
		} else if (out->len > 0 && out->ptr[out->len - 1] != '_') {
			as_buf_byte(out, '_');
		}
	}
	while (out->len > 0 && out->ptr[out->len - 1] == '_') {
		out->ptr[--out->len] = '\0';
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
	if (!as_str_eq(as_json_str(as_json_last(servers)), x->id)) {
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
 * free; ${NAME} is appended. ASSAY_ELIMIT: no name is free. */
static int hide(importer *x, assay_str secret, assay_str key, bool as_named, as_buf *out)
{
	as_buf name = {0}, whole = {0};
	bool unused = false;
	int rc = 0;
	for (int n = as_named ? 0 : 1; n <= MAX_ALIKE && !unused; n++) {
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
		as_buf_puts(&name, name.len == 0 ? "V" : "");
		unused = !is_taken(x, &name, secret);
	}
	if (!unused) {
		rc = ASSAY_ELIMIT;
		goto out;
	}
	rc |= name.failed || whole.failed ? ASSAY_ENOMEM : 0;
	rc |= as_json_set_n(x->secrets, as_buf_str(&name), as_json_string(secret));
	rc |= add_variable(x, as_buf_str(&name), true, false, NULL);
	rc = rc < 0 ? ASSAY_ENOMEM : 0;
	as_buf_printf(out, "${%s}", name.ptr ? name.ptr : "");
out:
	as_buf_free(&name);
	as_buf_free(&whole);
	return rc;
}

/* A text may be as long as a file. */
static int go_on(const importer *x, assay_error *err)
{
	return as_cancel_is_set(x->o->cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted") : 0;
}

/* A text with what is secret in it taken out. key: what the text is the value of; is_env: of a variable of that name.
 */
static int hide_secrets(importer *x, assay_str text, assay_str key, bool is_env, as_buf *out)
{
	as_secret_scan scan = {.text = text, .key = key, .command = x->command, .cancel = x->o->cancel};
	as_secret found;
	size_t done = 0;
	int rc = 0;
	while (rc == 0 && as_secret_next(&scan, &found)) {
		bool whole = is_env && found.name.ptr == key.ptr;
		assay_str name = as_str_is(found.name, "k") ? ASSAY_STR("key") : found.name;
		as_buf_add(out, (assay_str){text.ptr + done, found.from - done});
		rc = hide(x, (assay_str){text.ptr + found.from, found.to - found.from}, name, whole, out);
		done = found.to;
	}
	as_buf_add(out, (assay_str){text.ptr + done, text.len - done});
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

/* A default of what is a secret is one, too: it is taken out like any other, unless the variable has a value. */
static int use_variable(importer *x, assay_str name, assay_str fallback, bool secret, const assay_json *description,
			as_buf *out)
{
	as_secret_scan scan = {.text = fallback, .key = name, .cancel = x->o->cancel};
	as_secret found;
	int rc;
	secret = secret || as_secret_name(name) || as_secret_next(&scan, &found);
	as_buf_printf(out, "${%.*s", ASSAY_FMT(name));
	if (fallback.ptr && (!secret || fallback.len == 0)) {
		as_buf_printf(out, ":-%.*s", ASSAY_FMT(fallback));
	}
	as_buf_byte(out, '}');
	rc = add_variable(x, name, secret, fallback.ptr && (!secret || fallback.len == 0), description);
	if (rc == 0 && secret && fallback.len > 0 && !as_json_get_n(x->secrets, name) &&
	    !as_json_boolean(as_json_get(as_json_get_n(x->variables, name), "set"), 0)) {
		rc = as_json_set_n(x->secrets, name, as_json_string(fallback)) < 0 ? ASSAY_ENOMEM : 0;
	}
	return rc;
}

/* ${input:id}: what VS Code asks its user for becomes a variable. */
static int use_input(importer *x, assay_str id, const assay_json *at, const char *key, as_buf *out, assay_error *err)
{
	const assay_json *input = as_json_get_n(x->inputs, id), *otherwise;
	const char *ids[64], *near;
	assay_str fallback = {NULL, 0};
	as_buf name = {0};
	size_t n = 0;
	int rc = 0;
	if (!input) {
		for (const assay_json *i = as_json_first(x->inputs); i && n < 64; i = as_json_next(i)) {
			ids[n++] = as_json_key(i).ptr;
		}
		near = as_nearest(id, ids, n);
		as_import_fail(x, at, key, err, "\"inputs\" has no input \"%.*s\"", ASSAY_FMT(id));
		if (near) {
			as_error_hint(err, "did you mean \"%s\"?", near);
		} else {
			as_error_hint(err, "add it to \"inputs\", or write ${NAME}");
		}
		return ASSAY_EDATA;
	}
	as_buf_add(&name, as_json_str(as_json_get(input, AS_INPUT_NAME)));
	otherwise = as_json_get(input, "default");
	if (as_json_type(otherwise) == ASSAY_JSON_STRING) {
		fallback = as_json_str(otherwise);
	}
	if (as_str_contains(fallback, ASSAY_STR("}"))) { /* it would end there */
		fallback = (assay_str){NULL, 0};
		rc = as_import_note(
			x, "the default of its input \"%.*s\" holds \"}\", which none can in a manifest: set %s",
			ASSAY_FMT(id), name.ptr ? name.ptr : "");
	}
	rc = rc < 0 ? rc
		    : use_variable(x, as_buf_str(&name), fallback, as_json_boolean(as_json_get(input, "password"), 0),
				   as_json_get(input, "description"), out);
	rc |= name.failed ? ASSAY_ENOMEM : 0;
	as_buf_free(&name);
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* A variable that means something to every program: what an input is asked for is not its value. */
static bool is_well_known(assay_str name)
{
	static const char *const names[] = {"PATH",       "HOME",     "USER",      "LOGNAME", "SHELL",  "PWD",
					    "OLDPWD",     "LANG",     "LANGUAGE",  "TERM",    "TMPDIR", "TMP",
					    "TEMP",       "TZ",       "EDITOR",    "DISPLAY", "MAIL",   "HOSTNAME",
					    "IFS",        "NODE_ENV", "NODE_PATH", "PAGER",   "VISUAL", "HOST",
					    "HTTP_PROXY", "NO_PROXY", "EMAIL",     "NAME"};
	static const char *const families[] = {"LC_",    "LD_",         "XDG_",      "SSH_",
					       "PYTHON", "HTTPS_PROXY", "ALL_PROXY", "ASSAY"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (as_str_is(name, names[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (as_str_starts(name, as_str(families[i]))) {
			return true;
		}
	}
	return false;
}

int as_import_name_inputs(importer *x)
{
	assay_json *given = as_json_object();
	as_buf name = {0};
	int rc = given ? 0 : ASSAY_ENOMEM;
	for (const assay_json *i = as_json_first(x->inputs); i && rc == 0; i = as_json_next(i)) {
		as_buf_clear(&name);
		upper_name(&name, as_json_key(i));
		if (name.len == 0 || is_well_known(as_buf_str(&name))) {
			as_buf_clear(&name);
			as_buf_puts(&name, "INPUT ");
			as_buf_add(&name, as_json_key(i));
			as_buf whole = name;
			name = (as_buf){0};
			upper_name(&name, as_buf_str(&whole));
			as_buf_free(&whole);
		}
		size_t length = name.len;
		for (int n = 2; name.ptr && as_json_get_n(given, as_buf_str(&name)); n++) {
			name.ptr[name.len = length] = '\0';
			as_buf_printf(&name, "_%d", n);
		}
		rc = name.failed ? ASSAY_ENOMEM : as_json_set_n(given, as_buf_str(&name), as_json_null());
		rc |= as_json_set(as_json_edit(i), AS_INPUT_NAME, as_json_string(as_buf_str(&name)));
	}
	as_buf_free(&name);
	as_json_free(given);
	return rc < 0 ? ASSAY_ENOMEM : 0;
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
	if (as_str_contains(fallback, ASSAY_STR("${"))) {
		as_import_fail(x, at, key, err, "the default of ${%.*s} holds another ${...}", ASSAY_FMT(name));
		as_error_hint(err,
			      "write ${%.*s} alone, and give it its value in the environment or in a file .env "
			      "beside the manifest",
			      ASSAY_FMT(name));
		return ASSAY_EDATA;
	}
	return use_variable(x, name, fallback, false, NULL, out) < 0 ? as_fail_memory(err) : 0;
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
		rc = go_on(x, err);
		rc = rc < 0 ? rc
			    : use_reference(x, (assay_str){text.ptr + i + 2, (size_t)(end - text.ptr) - i - 2}, value,
					    key, out, err);
		i = (size_t)(end - text.ptr) + 1;
	}
	return rc;
}

int as_import_text(importer *x, const assay_json *value, const char *key, assay_str name, assay_json **out,
		   assay_error *err)
{
	as_buf expanded = {0}, made = {0};
	int rc = expand(x, value, key, &expanded, err);
	*out = NULL;
	rc = rc < 0 ? rc : as_buf_check(&expanded, err);
	if (rc == 0) {
		rc = hide_secrets(x, as_buf_str(&expanded), name, strncmp(key, "env/", 4) == 0, &made);
		*out = rc < 0 ? NULL : as_json_string(as_buf_str(&made));
		if (rc == ASSAY_ELIMIT) {
			as_import_fail(x, value, key, err, "its server has more than %d secrets of one name",
				       MAX_ALIKE);
			as_error_hint(err, "write ${NAME} instead, each under a name of its own");
			rc = ASSAY_EDATA;
		} else {
			rc = *out && !made.failed ? go_on(x, err) : as_fail_memory(err);
		}
		if (rc < 0) {
			as_json_free(*out);
			*out = NULL;
		}
	}
	as_buf_free(&expanded);
	as_buf_free(&made);
	return rc;
}
