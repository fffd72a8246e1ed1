#include "core/run/trust.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef AS_BINDIR
#define AS_BINDIR "/usr/bin"
#endif
#define SHIPPED "assay-" /* how the names of the servers that ship begin */
#define MAX_REMEMBERED ((size_t)16 << 20)
#define MAX_DEPTH 16

typedef struct survey {
	const as_manifest *m;
	assay_str remembered; /* the file of digests */
	assay_json *missing;
	assay_error *err;
} survey;

/* ---- what is remembered ---- */

static int find_file(as_buf *out, assay_error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/') { /* the specification has relative ones ignored */
		as_path_join(out, as_str(state), ASSAY_STR("assay/trusted"));
	} else if (home && home[0]) {
		as_path_join(out, as_str(home), ASSAY_STR(".local/state/assay/trusted"));
	} else {
		as_fail(err, ASSAY_ENOENT, "there is no folder to remember trusted commands in");
		return as_error_hint(err, "set HOME or XDG_STATE_HOME");
	}
	return as_buf_check(out, err);
}

/* No file, or no place for one: nothing is remembered. */
static int read_remembered(assay_text *out, assay_error *err)
{
	as_buf path = {0};
	struct stat st;
	int rc = find_file(&path, NULL);
	*out = (assay_text){0};
	if (rc == 0 && lstat(path.ptr, &st) == 0) {
		rc = as_file_read(path.ptr, MAX_REMEMBERED, out, err);
		if (rc < 0) {
			as_error_hint(err, "what you agreed to is kept there: make it a file that you can read, or "
					   "take it away and agree again");
		}
	} else {
		rc = rc == ASSAY_ENOMEM ? as_fail_memory(err) : 0;
	}
	as_buf_free(&path);
	return rc;
}

static bool is_remembered(const survey *s, const char digest[65])
{
	for (assay_str rest = s->remembered; rest.len >= 64;) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		if (memcmp(rest.ptr, digest, 64) == 0) {
			return true;
		}
		if (!end) {
			break;
		}
		rest.len -= (size_t)(end + 1 - rest.ptr);
		rest.ptr = end + 1;
	}
	return false;
}

int as_trust_remember(const assay_json *missing, assay_error *err)
{
	as_buf path = {0}, dir = {0}, all = {0};
	assay_text old = {0};
	int rc = find_file(&path, err);
	rc = rc < 0 ? rc : read_remembered(&old, err);
	if (rc == 0) {
		as_buf_add(&all, as_text_str(old));
		if (all.len > 0 && all.ptr[all.len - 1] != '\n') {
			as_buf_byte(&all, '\n');
		}
		for (const assay_json *i = as_json_first(missing); i; i = as_json_next(i)) {
			as_buf_printf(&all, "%s %s: %s\n", as_json_cstr(as_json_get(i, "digest"), ""),
				      as_json_cstr(as_json_get(i, "what"), ""),
				      as_json_cstr(as_json_get(i, "command"), ""));
		}
		as_buf_add(&dir, as_path_dir(as_buf_str(&path)));
		rc = as_buf_check(&all, err);
		rc = rc < 0 ? rc : as_buf_check(&dir, err);
	}
	rc = rc < 0 ? rc : as_make_dirs(dir.ptr, err);
	rc = rc < 0 ? rc : as_file_write(path.ptr, as_buf_str(&all), err);
	as_text_free(&old);
	as_buf_free(&path);
	as_buf_free(&dir);
	as_buf_free(&all);
	return rc;
}

/* ---- what is there ---- */

static int note(survey *s, const char *what, assay_str command, const char digest[65])
{
	assay_json *item;
	as_buf text = {0};
	int rc = 0;
	if (is_remembered(s, digest)) {
		return 0;
	}
	item = as_json_object();
	as_printable(&text, as_str(what));
	rc |= as_json_set(item, "what", as_json_string(as_buf_str(&text)));
	as_buf_clear(&text);
	as_printable(&text, command);
	rc |= as_json_set(item, "command", as_json_string(as_buf_str(&text)));
	rc |= as_json_set(item, "digest", as_json_cstring(digest));
	rc |= as_json_append(s->missing, item);
	rc = rc < 0 || text.failed ? as_fail_memory(s->err) : 0;
	as_buf_free(&text);
	return rc;
}

static int digest_of(survey *s, const char *label, const char *folder, const assay_json *record, char out[65])
{
	assay_text text = {0};
	int rc = as_json_dump(record, ASSAY_JSON_CANONICAL, &text, s->err);
	if (rc == 0) {
		const assay_str parts[] = {as_str(folder), as_text_str(text)};
		as_hash_parts(label, parts, 2, out);
	}
	as_text_free(&text);
	return rc;
}

/* As a shell would take it, roughly: for reading. */
static void add_word(as_buf *out, assay_str word)
{
	bool plain = word.len > 0;
	for (size_t i = 0; i < word.len; i++) {
		plain = plain && (isalnum((unsigned char)word.ptr[i]) || strchr("-_./:=@,+%${}", word.ptr[i]));
	}
	as_buf_printf(out, plain ? "%s%.*s" : "%s'%.*s'", out->len > 0 ? " " : "", ASSAY_FMT(word));
}

static bool is_shipped_argument(assay_str a)
{
	bool bound = as_str_starts(a, ASSAY_STR("${env:"));
	for (size_t i = 0; i < a.len; i++) {
		if ((i + 1 < a.len && a.ptr[i] == '.' && a.ptr[i + 1] == '.') || (!bound && strchr("/$", a.ptr[i]))) {
			return false;
		}
	}
	return true;
}

/* A variable of the server's own: ALMANAC_DAY of assay-almanac. */
static bool is_shipped_variable(const char *server, assay_str key)
{
	size_t n = strlen(server);
	for (size_t i = 0; i < n; i++) {
		if (i >= key.len || key.ptr[i] != toupper((unsigned char)server[i])) {
			return false;
		}
	}
	return key.len > n && key.ptr[n] == '_';
}

static bool is_same_file(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];
	return realpath(a, x) && realpath(b, y) && strcmp(x, y) == 0;
}

/* Does the command stand for the program of that name in our installation, or in our build tree? */
static bool is_shipped_file(const char *command, const char *name)
{
	const char *lib = getenv("ASSAY_LIB_DIR");
	as_buf file = {0}, ours = {0};
	bool same;
	as_process_find(command, getenv("PATH"), &file);
	as_buf_printf(&ours, AS_BINDIR "/%s", name);
	same = file.len > 0 && ours.len > 0 && is_same_file(file.ptr, ours.ptr);
	if (file.len > 0 && !same && lib && lib[0]) {
		as_buf_clear(&ours);
		as_buf_printf(&ours, "%s/../contrib/servers/%s", lib, name);
		same = ours.len > 0 && is_same_file(file.ptr, ours.ptr);
	}
	as_buf_free(&file);
	as_buf_free(&ours);
	return same;
}

static bool is_shipped(const assay_json *launch)
{
	const char *command = as_json_cstr(as_json_get(launch, "command"), "");
	if (!as_str_starts(as_str(command), ASSAY_STR(SHIPPED)) || strchr(command, '/')) {
		return false;
	}
	for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a; a = as_json_next(a)) {
		if (!is_shipped_argument(as_json_str(a))) {
			return false;
		}
	}
	for (const assay_json *v = as_json_first(as_json_get(launch, "env")); v; v = as_json_next(v)) {
		if (!is_shipped_variable(command + strlen(SHIPPED), as_json_key(v))) {
			return false;
		}
	}
	return is_shipped_file(command, command);
}

static void describe_launch(const assay_json *launch, as_buf *out)
{
	const assay_json *env = as_json_get(launch, "env"), *cwd = as_json_get(launch, "cwd");
	add_word(out, as_json_str(as_json_get(launch, "command")));
	for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a; a = as_json_next(a)) {
		add_word(out, as_json_str(a));
	}
	for (const assay_json *v = as_json_first(env); v; v = as_json_next(v)) {
		as_buf_printf(out, "%s%.*s", v == as_json_first(env) ? " (with " : ", ", ASSAY_FMT(as_json_key(v)));
	}
	as_buf_puts(out, as_json_count(env) > 0 ? ")" : "");
	if (cwd) {
		as_buf_printf(out, " (in %s)", as_json_cstr(cwd, ""));
	}
}

static int survey_server(survey *s, const as_server_spec *server)
{
	static const char *const keys[] = {"command", "args", "env", "cwd"};
	assay_json *record;
	as_buf what = {0}, text = {0};
	char digest[65];
	int rc = 0;
	if (!as_json_get(server->launch, "command") || is_shipped(server->launch)) {
		return 0;
	}
	record = as_json_object();
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const assay_json *value = as_json_get(server->launch, keys[i]);
		rc |= value ? as_json_set(record, keys[i], as_json_clone(value)) : 0;
	}
	rc |= server->sandbox ? as_json_set(record, "sandbox", as_json_clone(server->sandbox)) : 0;
	as_buf_printf(&what, "server \"%s\"", server->id);
	describe_launch(server->launch, &text);
	rc = rc < 0 || what.failed || text.failed ? as_fail_memory(s->err) : 0;
	rc = rc < 0 ? rc : digest_of(s, "server command", s->m->base_dir, record, digest);
	rc = rc < 0 ? rc : note(s, what.ptr, as_buf_str(&text), digest);
	as_json_free(record);
	as_buf_free(&what);
	as_buf_free(&text);
	return rc;
}

/* Implementations that run a command of the manifest's: whatever has "use" and one of these. */
static int survey_uses(survey *s, const assay_json *value, int depth)
{
	const assay_json *use = as_json_get(value, "use"), *command = as_json_get(value, "argv");
	command = command ? command : as_json_get(value, "command");
	int rc = 0;
	if (as_json_type(use) == ASSAY_JSON_STRING && command) {
		assay_text text = {0};
		char digest[65];
		rc = as_json_dump(command, ASSAY_JSON_COMPACT, &text, s->err);
		rc = rc < 0 ? rc : digest_of(s, "plugin command", s->m->base_dir, value, digest);
		rc = rc < 0 ? rc : note(s, as_json_cstr(use, ""), as_text_str(text), digest);
		as_text_free(&text);
	}
	for (const assay_json *v = depth < MAX_DEPTH ? as_json_first(value) : NULL; v && rc == 0; v = as_json_next(v)) {
		rc = survey_uses(s, v, depth + 1);
	}
	return rc;
}

static int survey_modules(survey *s, as_registry *registry)
{
	assay_json *paths = NULL;
	int rc = as_registry_foreign(registry, &paths, s->err);
	for (const assay_json *p = as_json_first(paths); p && rc == 0; p = as_json_next(p)) {
		char digest[65];
		rc = as_sha256_file(as_json_cstr(p, ""), digest, s->err);
		rc = rc < 0 ? rc : note(s, "plugin", as_json_str(p), digest);
	}
	as_json_free(paths);
	return rc;
}

int as_trust_missing(const as_manifest *m, as_registry *registry, assay_json **out, assay_error *err)
{
	assay_text remembered = {0};
	survey s = {.m = m, .missing = as_json_array(), .err = err};
	int rc = s.missing ? read_remembered(&remembered, err) : as_fail_memory(err);
	s.remembered = as_text_str(remembered);
	for (size_t i = 0; i < m->n_servers && rc == 0; i++) {
		rc = survey_server(&s, &m->servers[i]);
	}
	rc = rc < 0 ? rc : survey_uses(&s, m->document, 0);
	rc = rc < 0 || !registry ? rc : survey_modules(&s, registry);
	as_text_free(&remembered);
	if (rc < 0) {
		as_json_free(s.missing);
		s.missing = NULL;
	}
	*out = s.missing;
	return rc;
}
