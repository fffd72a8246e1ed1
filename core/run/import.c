#include "core/run/import.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/secret.h"
#include "core/base/text.h"
#include "core/run/import_text.h"
#include "core/run/manifest.h"
#include "core/task/rules.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE AS_MANIFEST_MAX /* a catalogue of servers with their tools has four million bytes */

/* --- where to start ----------------------------------------------------------------------------------------------- */

assay_json *as_starter_manifest(assay_error *err)
{
	assay_json *doc = NULL;
	as_json_parse(
		ASSAY_STR(
			"{\"assay\":1,\"name\":\"my-benchmark\",\"version\":\"0.1.0\",\"seed\":7,"
			"\"mcpServers\":{},\"servers\":{},\"environments\":{},"
			"\"generation\":{\"categories\":[{\"name\":\"random\",\"count\":5,\"size\":2},"
			"{\"name\":\"hard_negative\",\"count\":5,\"size\":2}]},"
			"\"evaluation\":{\"attempts\":3,\"candidates\":["
			"{\"name\":\"careful\",\"use\":\"explorer/loop\",\"model\":\"rules\",\"policy\":\"careful\"},"
			"{\"name\":\"greedy\",\"use\":\"explorer/loop\",\"model\":\"rules\",\"policy\":\"greedy\"}]}}"),
		ASSAY_JSON_STRICT, &doc, err);
	return doc;
}

/* A member, made when it is missing. NULL when memory is out. */
static assay_json *section(assay_json *manifest, const char *key, assay_json *(*make)(void))
{
	if (!as_json_get(manifest, key) && as_json_set(manifest, key, make()) < 0) {
		return NULL;
	}
	return as_json_edit(as_json_get(manifest, key));
}

int as_starter_settings(assay_json *manifest, assay_str id, const char *server_class, assay_error *err)
{
	assay_json *servers = section(manifest, "servers", as_json_object),
		   *environments = section(manifest, "environments", as_json_object), *s;
	bool writes = !server_class || strcmp(server_class, "stateful_write") == 0;
	int rc = servers && environments ? 0 : ASSAY_ENOMEM;
	if (rc == 0 && as_json_get_n(servers, id)) {
		return 0; /* somebody has thought about it */
	}
	s = as_json_object();
	rc |= as_json_set(s, "class", as_json_cstring(server_class ? server_class : "stateful_write"));
	rc |= writes ? as_json_set(s, "environment", as_json_cstring("scratch")) : 0;
	rc |= as_json_set_n(servers, id, s);
	if (rc == 0 && writes && !as_json_get(environments, "scratch")) {
		s = as_json_object();
		rc |= as_json_set(s, "use", as_json_cstring("environment/folder"));
		rc |= as_json_set(environments, "scratch", s);
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* --- one server --------------------------------------------------------------------------------------------------- */

static bool is_id_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* A name that the manifest takes as it is, or an id made of it. */
static void make_id(assay_str name, as_buf *out)
{
	bool good = name.len > 0 && name.len <= 64 && is_id_byte(name.ptr[0]);
	for (size_t i = 0; i < name.len && good; i++) {
		good = is_id_byte(name.ptr[i]) || strchr("_.-", name.ptr[i]) != NULL;
	}
	if (good) {
		as_buf_add(out, name);
		return;
	}
	as_server_slug(out, name);
	if (out->len > 64) {
		out->ptr[out->len = 64] = '\0';
	}
}

/* Has another server of the file got this id? */
static bool is_given(const importer *x, assay_str id, assay_str name)
{
	const assay_json *from = as_json_get_n(x->given, id);
	return from && !as_str_eq(as_json_str(from), name);
}

/* Names that differ in what no id can hold get ids with numbers, the same ones the next time. */
static void make_own_id(const importer *x, assay_str name, as_buf *out)
{
	make_id(name, out);
	size_t length = out->len < 60 ? out->len : 60;
	for (int n = 2; n < 1000 && is_given(x, as_buf_str(out), name); n++) {
		out->ptr[out->len = length] = '\0';
		as_buf_printf(out, "_%d", n);
	}
}

static const assay_json *said(const assay_json *entry, const char *const *keys)
{
	for (size_t i = 0; keys[i]; i++) {
		const assay_json *v = as_json_get(entry, keys[i]);
		if (v && as_json_type(v) != ASSAY_JSON_NULL) {
			return v;
		}
	}
	return NULL;
}

static const char *const url_keys[] = {"url", "serverUrl", "httpUrl", NULL};
static const char *const type_keys[] = {"type", "transport", "transportType", NULL};

/* A string of the entry into the launch record. */
static int take_text(importer *x, const assay_json *v, const char *key, assay_json *launch, assay_error *err)
{
	assay_json *text = NULL;
	int rc;
	if (as_json_type(v) != ASSAY_JSON_STRING || as_json_str(v).len == 0) {
		return as_import_fail(x, v, key, err, "expected a text that is not empty");
	}
	rc = as_import_text(x, v, key, (assay_str){NULL, 0}, &text, err);
	return rc < 0 ? rc : as_json_set(launch, key, text) < 0 ? as_fail_memory(err) : 0;
}

/* A text, or a number or truth value as one; a secret may be any of them. */
static int take_scalar(importer *x, const assay_json *v, const char *key, assay_str name, assay_json **out,
		       assay_error *err)
{
	int type = as_json_type(v), rc;
	assay_json *text = type == ASSAY_JSON_NUMBER ? as_json_string(as_json_spelling(v))
			   : type == ASSAY_JSON_BOOL ? as_json_cstring(as_json_boolean(v, 0) ? "true" : "false")
						     : NULL;
	if (type == ASSAY_JSON_STRING) {
		return as_import_text(x, v, key, name, out, err);
	}
	if (type != ASSAY_JSON_NUMBER && type != ASSAY_JSON_BOOL) {
		return as_import_fail(x, v, key, err, "expected a text");
	}
	rc = text ? as_import_text(x, text, key, name, out, err) : as_fail_memory(err);
	as_json_free(text);
	return rc;
}

static int take_args(importer *x, const assay_json *args, assay_json *launch, assay_error *err)
{
	assay_json *list = as_json_array();
	assay_str before = {NULL, 0}; /* the flag that the argument before was, when it had no value yet */
	size_t n = 0;
	int rc = list ? 0 : as_fail_memory(err);
	if (rc == 0 && as_json_type(args) != ASSAY_JSON_ARRAY) {
		rc = as_import_fail(x, args, "args", err, "expected an array of texts");
	}
	for (const assay_json *a = as_json_first(args); a && rc == 0; a = as_json_next(a), n++) {
		assay_json *made = NULL;
		as_buf key = {0};
		as_buf_printf(&key, "args/%zu", n);
		before.len = as_json_cstr(a, "")[0] == '-' ? 0 : before.len; /* another flag is no value */
		rc = take_scalar(x, a, key.ptr ? key.ptr : "args", before, &made, err);
		before = as_str_eq(as_json_str(made), as_json_str(a)) ? as_secret_flag(as_json_str(a))
								      : (assay_str){NULL, 0};
		if (rc == 0 && as_json_append(list, made) < 0) {
			rc = as_fail_memory(err);
		}
		as_buf_free(&key);
	}
	if (rc == 0) {
		return as_json_set(launch, "args", list) < 0 ? as_fail_memory(err) : 0;
	}
	as_json_free(list);
	return rc;
}

/* What the transports take neither as a variable nor as a header is told here, where it stands. */
static int check_entry(importer *x, const assay_json *v, const char *key, bool header, assay_error *err)
{
	assay_str name = as_json_key(v);
	const char *fault = NULL;
	if (header) {
		fault = as_header_fault(name, as_json_str(v));
	} else if (name.len == 0 || memchr(name.ptr, '=', name.len) || memchr(name.ptr, '\0', name.len)) {
		fault = "this is no name of a variable";
	}
	if (!fault) {
		return 0;
	}
	as_import_fail(x, v, key, err, "%s", fault);
	as_error_hint(err, "take it away");
	return ASSAY_EDATA;
}

/* "env" and "headers": texts; numbers and truth values as text, null left out. */
static int take_map(importer *x, const assay_json *map, const char *what, assay_json *launch, assay_error *err)
{
	assay_json *made = as_json_object();
	int rc = made ? 0 : as_fail_memory(err);
	if (rc == 0 && as_json_type(map) != ASSAY_JSON_OBJECT) {
		rc = as_import_fail(x, map, what, err, "expected an object of texts");
	}
	for (const assay_json *v = as_json_first(map); v && rc == 0; v = as_json_next(v)) {
		assay_json *text = NULL;
		as_buf key = {0};
		int type = as_json_type(v);
		as_buf_printf(&key, "%s/%.*s", what, ASSAY_FMT(as_json_key(v)));
		rc = as_buf_check(&key, err);
		if (rc == 0 && type != ASSAY_JSON_NULL) {
			rc = check_entry(x, v, key.ptr, strcmp(what, "headers") == 0, err);
		}
		if (rc == 0 && type != ASSAY_JSON_NULL) {
			rc = take_scalar(x, v, key.ptr, as_json_key(v), &text, err);
		}
		if (rc == 0 && type != ASSAY_JSON_NULL && as_json_set_n(made, as_json_key(v), text) < 0) {
			rc = as_fail_memory(err);
		}
		as_buf_free(&key);
	}
	if (rc == 0) {
		return as_json_set(launch, what, made) < 0 ? as_fail_memory(err) : 0;
	}
	as_json_free(made);
	return rc;
}

static int type_of(importer *x, const assay_json *entry, const char **out, assay_error *err)
{
	static const struct {
		const char *theirs, *ours;
	} names[] = {{"stdio", "stdio"},          {"local", "stdio"},          {"http", "http"},
		     {"streamable-http", "http"}, {"streamable_http", "http"}, {"streamableHttp", "http"},
		     {"streamableHTTP", "http"},  {"remote", "http"},          {"sse", "sse"}};
	const assay_json *type = said(entry, type_keys);
	*out = NULL;
	for (size_t i = 0; type && i < sizeof names / sizeof *names; i++) {
		if (as_str_is(as_json_str(type), names[i].theirs)) {
			*out = names[i].ours;
		}
	}
	if (!type || *out) {
		return 0;
	}
	as_import_fail(x, type, as_json_cstr(type, "")[0] ? as_json_key(type).ptr : "type", err,
		       "a transport that is not known here");
	as_error_hint(err, "expected \"stdio\", \"http\" or \"sse\"");
	return ASSAY_EDATA;
}

/* Where a relative command, argument or folder of a project's file starts from: that project, not the manifest. */
static int settle_folder(importer *x, const assay_json *entry, assay_json *launch, assay_error *err)
{
	const assay_json *cwd = as_json_get(launch, "cwd");
	const char *command = as_json_cstr(as_json_get(launch, "command"), "");
	bool relative = command[0] != '/' && strchr(command, '/') && command[0] != '$', wanted = relative;
	as_buf path = {0};
	int rc = 0;
	if (as_str_eq(as_buf_str(&x->workspace), as_buf_str(&x->target))) {
		return 0;
	}
	for (const assay_json *a = as_json_first(as_json_get(entry, "args")); a && !wanted; a = as_json_next(a)) {
		assay_str arg = as_json_str(a);
		as_buf_clear(&path);
		as_path_join(&path, as_buf_str(&x->workspace), arg);
		wanted = arg.len > 0 && arg.ptr[0] != '/' && arg.ptr[0] != '-' && path.ptr && as_file_exists(path.ptr);
	}
	as_buf_clear(&path);
	if (cwd && as_json_str(cwd).ptr[0] != '/' && as_json_str(cwd).ptr[0] != '$') {
		as_path_join(&path, as_buf_str(&x->workspace), as_json_str(cwd));
	} else if (!cwd && wanted) {
		as_buf_add(&path, as_buf_str(&x->workspace));
	}
	if (path.len > 0) {
		rc = as_json_set(launch, "cwd", as_json_string(as_buf_str(&path)));
	}
	if (relative && rc == 0) {
		as_buf_clear(&path);
		as_path_join(&path, as_buf_str(&x->workspace), as_str(command));
		rc = as_json_set(launch, "command", as_json_string(as_buf_str(&path)));
	}
	rc |= path.failed ? ASSAY_ENOMEM : 0;
	as_buf_free(&path);
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int note_ignored(importer *x, const assay_json *entry)
{
	static const char *const known[] = {"command", "args",      "env",           "cwd",
					    "url",     "serverUrl", "httpUrl",       "headers",
					    "type",    "transport", "transportType", "disabled",
					    "enabled", "name",      "description",   NULL};
	static const char *const of_commands[] = {"args", "env", "cwd", NULL}, *const of_urls[] = {"headers", NULL};
	const char *const *strange = said(entry, url_keys) ? of_commands : of_urls;
	int rc = 0;
	for (const assay_json *v = as_json_first(entry); v && rc == 0; v = as_json_next(v)) {
		bool is_known = false;
		for (size_t i = 0; known[i]; i++) {
			is_known = is_known || as_str_is(as_json_key(v), known[i]);
		}
		for (size_t i = 0; strange[i] && as_json_count(v) > 0; i++) {
			is_known = is_known && !as_str_is(as_json_key(v), strange[i]);
		}
		if (as_str_is(as_json_key(v), "envFile")) {
			rc = as_import_note(x,
					    "its \"envFile\" is not read: name what it needs in \"env\", as ${NAME}");
		} else if (!is_known) {
			rc = as_import_note(x, "\"%.*s\" is left out", ASSAY_FMT(as_json_key(v)));
		}
	}
	return rc;
}

/* What begins with a variable is no address that a manifest takes. */
static int take_url(importer *x, const assay_json *url, assay_json *launch, assay_error *err)
{
	int rc = take_text(x, url, "url", launch, err);
	assay_str made = as_json_str(as_json_get(launch, "url"));
	if (rc == 0 && !as_str_starts(made, ASSAY_STR("http://")) && !as_str_starts(made, ASSAY_STR("https://"))) {
		return as_import_fail(x, url, as_json_key(url).ptr, err,
				      "expected an address that begins with http:// or https://");
	}
	return rc;
}

static int make_launch(importer *x, const assay_json *entry, assay_json *launch, assay_error *err)
{
	const assay_json *url = said(entry, url_keys), *command = as_json_get(entry, "command"), *part;
	const char *type = NULL;
	int rc = type_of(x, entry, &type, err);
	command = as_json_type(command) == ASSAY_JSON_NULL ? NULL : command;
	if (rc == 0 && !url == !command) {
		as_import_fail(x, entry, "", err,
			       url ? "it has a command and a url" : "it has neither a command nor a url");
		as_error_hint(err, "a server is started by \"command\" and \"args\", or reached at a \"url\"");
		return ASSAY_EDATA;
	}
	if (rc == 0 && type && !url != (strcmp(type, "stdio") == 0)) {
		return as_import_fail(x, entry, "", err, "its transport \"%s\" does not go with its %s", type,
				      url ? "url" : "command");
	}
	if (rc < 0 || command) {
		rc = rc < 0 ? rc : take_text(x, command, "command", launch, err);
		part = as_json_get(entry, "args");
		x->command = as_path_base(as_json_str(command));
		rc = rc < 0 || !part ? rc : take_args(x, part, launch, err);
		x->command = (assay_str){NULL, 0};
		part = as_json_get(entry, "env");
		rc = rc < 0 || as_json_count(part) == 0 ? rc : take_map(x, part, "env", launch, err);
		part = as_json_get(entry, "cwd");
		rc = rc < 0 || !part ? rc : take_text(x, part, "cwd", launch, err);
		return rc < 0 ? rc : settle_folder(x, entry, launch, err);
	}
	/* Without a type a url is http, and whoever speaks the older way only is found out by trying. */
	rc = as_json_set(launch, "type", as_json_cstring(type ? type : "http")) < 0 ? as_fail_memory(err) : 0;
	rc = rc < 0 ? rc : take_url(x, url, launch, err);
	part = as_json_get(entry, "headers");
	return rc < 0 || as_json_count(part) == 0 ? rc : take_map(x, part, "headers", launch, err);
}

/* "added", "replaced", "unchanged"; the launch record is taken over. */
static int place(importer *x, const assay_json *entry, assay_json *manifest, assay_json *launch, const char **state,
		 assay_error *err)
{
	assay_json *servers = section(manifest, "mcpServers", as_json_object);
	const assay_json *there = servers ? as_json_get_n(servers, x->id) : NULL;
	int rc = servers ? 0 : as_fail_memory(err);
	*state = "added";
	if (there && as_json_equal(there, launch)) {
		*state = "unchanged";
		as_json_free(launch);
		return rc;
	}
	if (there && !x->o->replace) {
		as_json_free(launch);
		as_import_fail(x, entry, "", err, "the manifest has another server \"%.*s\"", ASSAY_FMT(x->id));
		as_error_hint(err, "--replace takes this one instead; or rename one of them");
		return ASSAY_EDATA;
	}
	*state = there ? "replaced" : *state;
	rc = as_json_set_n(servers, x->id, launch) < 0 ? as_fail_memory(err) : 0;
	rc = rc < 0 ? rc : as_starter_settings(manifest, x->id, x->o->server_class, err);
	if (rc == 0 && as_json_get(launch, "url") && !x->o->server_class &&
	    as_import_note(x, "it is remote: no folder here can undo what its tools write. If it only reads, say "
			      "\"class\": \"live_read\"") < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}

static int report_server(importer *x, assay_json *report, assay_str from, const char *state, assay_error *err)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "server", as_json_string(x->id));
	rc |= as_json_set(o, "from", as_json_string(from));
	rc |= as_json_set(o, "state", as_json_cstring(state));
	rc |= as_json_set(o, "notes", x->notes);
	x->notes = NULL;
	rc |= as_json_append(as_json_edit(as_json_get(report, "servers")), o);
	rc |= as_json_set_n(x->given, x->id, as_json_string(from));
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int import_one(importer *x, const assay_json *entry, const char *where, as_import *out, assay_error *err)
{
	const char *state = "skipped";
	assay_json *launch = as_json_object();
	as_buf id = {0};
	int rc = launch ? 0 : as_fail_memory(err);
	x->notes = as_json_array();
	make_own_id(x, as_json_key(entry), &id);
	as_buf_clear(&x->pointer);
	as_buf_printf(&x->pointer, "%s/%.*s", where, ASSAY_FMT(as_json_key(entry)));
	x->id = as_buf_str(&id);
	rc = rc < 0 ? rc : as_buf_check(&id, err);
	if (rc == 0 && as_json_type(entry) != ASSAY_JSON_OBJECT) {
		rc = as_import_fail(x, entry, "", err, "expected an object");
	}
	if (rc == 0 && (as_json_boolean(as_json_get(entry, "disabled"), 0) ||
			!as_json_boolean(as_json_get(entry, "enabled"), 1))) {
		rc = as_import_note(x, "it is switched off") < 0 ? as_fail_memory(err) : 0;
	} else if (rc == 0) {
		if (!as_str_eq(x->id, as_json_key(entry)) &&
		    as_import_note(x, "called \"%.*s\" there", ASSAY_FMT(as_json_key(entry))) < 0) {
			rc = as_fail_memory(err);
		}
		rc = rc < 0 ? rc : note_ignored(x, entry) < 0 ? as_fail_memory(err) : 0;
		rc = rc < 0 ? rc : make_launch(x, entry, launch, err);
		if (rc == 0) {
			rc = place(x, entry, out->manifest, launch, &state, err);
			launch = NULL;
		}
	}
	rc = rc < 0 ? rc : report_server(x, out->report, as_json_key(entry), state, err);
	as_json_free(launch);
	as_json_free(x->notes);
	x->notes = NULL;
	as_buf_free(&id);
	return rc;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static int import_list(importer *x, const assay_json *list, const char *where, as_import *out, assay_error *err)
{
	int rc = 0;
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		rc = as_cancel_is_set(x->o->cancel) ? as_fail(err, ASSAY_ECANCELED, "interrupted")
						    : import_one(x, v, where, out, err);
	}
	return rc;
}

/* A name that stands in an earlier list too says two things of one server. */
static int check_twice(importer *x, const assay_json *root, const char *const *places, size_t i, assay_error *err)
{
	const assay_json *list = as_json_pointer(root, places[i]);
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		for (size_t k = 0; k < i; k++) {
			if (!as_json_get_n(as_json_pointer(root, places[k]), as_json_key(v))) {
				continue;
			}
			as_buf_clear(&x->pointer);
			as_buf_printf(&x->pointer, "%s/%.*s", places[i], ASSAY_FMT(as_json_key(v)));
			as_import_fail(x, v, "", err, "server \"%.*s\" stands under \"%s\", too",
				       ASSAY_FMT(as_json_key(v)), places[k] + 1);
			as_error_hint(err, "rename one of them, or take it away");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

/* The places that the clients have for their lists. */
static int import_document(importer *x, const assay_json *root, as_import *out, assay_error *err)
{
	static const char *const places[] = {"/mcpServers", "/servers", "/mcp/servers", "/mcp/mcpServers"};
	size_t n = 0, found = 0;
	int rc = 0;
	if (as_json_type(root) == ASSAY_JSON_ARRAY) {
		for (const assay_json *e = as_json_first(root); e && rc == 0; e = as_json_next(e), n++) {
			const assay_json *list = as_json_pointer(e, "/config/mcpServers");
			char where[64];
			snprintf(where, sizeof where, "/%zu/config/mcpServers", n);
			found += as_json_count(list);
			rc = import_list(x, list, where, out, err);
		}
	}
	for (size_t i = 0; i < sizeof places / sizeof *places && rc == 0; i++) {
		const assay_json *list = as_json_pointer(root, places[i]);
		if (as_json_type(list) == ASSAY_JSON_OBJECT) {
			found += as_json_count(list);
			rc = check_twice(x, root, places, i, err);
			rc = rc < 0 ? rc : import_list(x, list, places[i], out, err);
		}
	}
	if (rc == 0 && found == 0) {
		as_buf_clear(&x->pointer);
		as_import_fail(x, root, "", err, "it lists no server");
		as_error_hint(
			err, "expected \"mcpServers\": {NAME: {\"command\" or \"url\"}}, or \"servers\" as in VS Code");
		rc = ASSAY_EDATA;
	}
	return rc;
}

/* The absolute folder that a file's relative paths start from: .vscode/mcp.json belongs to the folder above. */
static int folder_of(const char *file, bool workspace, as_buf *out, assay_error *err)
{
	static const char *const inner[] = {".vscode", ".cursor"};
	as_buf dir = {0}, absolute = {0};
	assay_str folder;
	int rc;
	as_buf_add(&dir, as_path_dir(as_str(file)));
	rc = as_buf_check(&dir, err);
	rc = rc < 0 ? rc : as_path_absolute(dir.ptr, &absolute, err);
	folder = as_buf_str(&absolute);
	for (size_t i = 0; i < 2 && workspace && rc == 0; i++) {
		if (as_str_is(as_path_base(folder), inner[i])) {
			folder = as_path_dir(folder);
		}
	}
	as_buf_add(out, folder);
	rc = rc < 0 ? rc : as_buf_check(out, err);
	as_buf_free(&dir);
	as_buf_free(&absolute);
	return rc;
}

static int start(importer *x, as_import *out, assay_error *err)
{
	int rc = folder_of(x->o->file, true, &x->workspace, err);
	rc = rc < 0 ? rc : folder_of(x->o->into, false, &x->target, err);
	rc = rc < 0 ? rc : as_variables_load(x->target.ptr, &x->known, err);
	x->secrets = as_json_object();
	x->variables = as_json_object();
	x->given = as_json_object();
	out->report = as_json_object();
	if (rc == 0 && (!x->secrets || !x->variables || !x->given ||
			as_json_set(out->report, "manifest", as_json_cstring(x->o->into)) < 0 ||
			as_json_set(out->report, "servers", as_json_array()) < 0)) {
		rc = as_fail_memory(err);
	}
	if (rc == 0 && as_file_exists(x->o->into)) {
		rc = as_json_read_file(x->o->into, MAX_FILE, &out->manifest, err);
		if (rc == 0 && as_json_type(as_json_get(out->manifest, "assay")) != ASSAY_JSON_NUMBER) {
			as_fail(err, ASSAY_EDATA, "this is no manifest: it has no \"assay\": 1");
			rc = as_error_where(err, x->o->into, 0);
		}
	} else if (rc == 0) {
		out->manifest = as_starter_manifest(err);
		rc = out->manifest ? 0 : as_fail_memory(err);
	}
	return rc;
}

/* A variable that holds a secret, and whose name does not say so, is listed in the manifest. */
static int mark_secrets(const importer *x, assay_json *manifest, assay_error *err)
{
	const assay_json *list = as_json_get(manifest, "secrets");
	assay_json *listed = as_json_object();
	int rc = listed ? 0 : ASSAY_ENOMEM;
	for (const assay_json *s = as_json_first(list); s && rc == 0; s = as_json_next(s)) {
		rc = as_json_set_n(listed, as_json_str(s), as_json_null());
	}
	for (const assay_json *v = as_json_first(x->variables); v && rc == 0; v = as_json_next(v)) {
		assay_str name = as_json_key(v);
		if (!as_json_boolean(as_json_get(v, "secret"), 0) || as_secret_name(name) ||
		    as_json_get_n(listed, name)) {
			continue;
		}
		list = section(manifest, "secrets", as_json_array);
		rc = as_json_append(as_json_edit(list), as_json_string(name));
	}
	as_json_free(listed);
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int list_variables(const importer *x, assay_json *report, assay_error *err)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (const assay_json *v = as_json_first(x->variables); v && rc == 0; v = as_json_next(v)) {
		rc = as_json_append(list, as_json_clone(v));
	}
	rc |= as_json_set(report, "variables", list);
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* Of several with one id the last counts. */
static int list_inputs(importer *x, const assay_json *root, assay_error *err)
{
	const assay_json *list = as_json_get(root, "inputs");
	int rc = 0;
	x->inputs = as_json_object();
	list = list ? list : as_json_pointer(root, "/mcp/inputs");
	for (const assay_json *i = as_json_first(list); i && rc == 0; i = as_json_next(i)) {
		const assay_json *id = as_json_get(i, "id");
		rc = as_json_type(id) == ASSAY_JSON_STRING ? as_json_set_n(x->inputs, as_json_str(id), as_json_clone(i))
							   : 0;
	}
	return rc < 0 || !x->inputs || as_import_name_inputs(x) < 0 ? as_fail_memory(err) : 0;
}

/* Those of the file that may write where nothing holds it: what is to be done is the user's to decide. */
static int list_unheld(const importer *x, as_import *out, assay_error *err)
{
	assay_json *copy = as_json_clone(out->manifest), *list = as_json_array();
	as_manifest *m = NULL;
	int rc = copy && list ? 0 : as_fail_memory(err);
	as_json_forget_lines(copy);
	/* An old mistake in it is told before anything is written. */
	rc = rc < 0 ? (as_json_free(copy), rc) : as_manifest_from_json(copy, x->o->into, &m, err);
	for (size_t i = 0; rc == 0 && i < m->n_servers; i++) {
		const as_server_spec *s = &m->servers[i];
		if (as_json_get(x->given, s->id) && s->server_class == AS_CLASS_STATEFUL_WRITE &&
		    as_manifest_unheld(m, s) && as_json_append(list, as_json_cstring(s->id)) < 0) {
			rc = as_fail_memory(err);
		}
	}
	as_manifest_free(m);
	rc = rc < 0 ? (as_json_free(list), rc) : as_json_set(out->report, "unheld", list);
	return rc == ASSAY_ENOMEM ? as_fail_memory(err) : rc;
}

int as_import_read(const as_import_options *options, as_import *out, assay_error *err)
{
	importer x = {.o = options};
	assay_json *root = NULL;
	int rc;
	*out = (as_import){0};
	rc = as_json_read_relaxed(options->file, MAX_FILE, &root, err);
	rc = rc < 0 ? rc : start(&x, out, err);
	rc = rc < 0 ? rc : list_inputs(&x, root, err);
	rc = rc < 0 ? rc : import_document(&x, root, out, err);
	if (rc == 0 && as_json_count(as_json_get(out->manifest, "mcpServers")) == 0) {
		as_buf_clear(&x.pointer);
		as_import_fail(&x, root, "", err, "all of its servers are switched off");
		rc = as_error_hint(err, "take \"disabled\" away from those that are wanted");
	}
	rc = rc < 0 ? rc : mark_secrets(&x, out->manifest, err);
	rc = rc < 0 ? rc : list_variables(&x, out->report, err);
	rc = rc < 0 ? rc : list_unheld(&x, out, err);
	out->secrets = x.secrets;
	if (rc < 0) {
		as_import_free(out);
	}
	as_json_free(x.variables);
	as_json_free(x.given);
	as_json_free(x.inputs);
	as_variables_free(x.known);
	as_buf_free(&x.workspace);
	as_buf_free(&x.target);
	as_buf_free(&x.pointer);
	as_json_free(root);
	return rc;
}

void as_import_free(as_import *x)
{
	as_json_free(x->manifest);
	as_json_free(x->report);
	as_json_free(x->secrets);
	*x = (as_import){0};
}

static int add_secrets(const as_import *x, as_variables *known, as_buf *out, assay_error *err)
{
	assay_json *kept = as_json_array();
	int rc = as_json_set(x->report, "kept", kept);
	for (const assay_json *v = as_json_first(x->secrets); v && rc == 0; v = as_json_next(v)) {
		assay_str name = as_json_key(v), value = as_json_str(v);
		const char *there = as_variable(known, name.ptr);
		if (there && there[0]) {
			continue;
		}
		as_variables_write(out, name, value);
		rc = as_json_append(kept, as_json_string(name));
	}
	return rc < 0 ? as_fail_memory(err) : as_buf_check(out, err);
}

int as_import_keep_secrets(const as_import *x, const char *into, assay_error *err)
{
	as_buf folder = {0}, path = {0}, lines = {0};
	as_file_draft draft = {.fd = -1};
	as_variables *known = NULL;
	assay_text old = {0};
	size_t before;
	int rc = folder_of(into, false, &folder, err);
	as_path_join(&path, as_buf_str(&folder), ASSAY_STR(".env"));
	rc = rc < 0 ? rc : as_buf_check(&path, err);
	rc = rc < 0 ? rc : as_variables_load(folder.ptr, &known, err);
	if (rc == 0 && as_file_exists(path.ptr)) {
		rc = as_file_read(path.ptr, AS_DOTENV_MAX, &old, err);
	}
	as_buf_add(&lines, as_text_str(old));
	if (lines.len > 0 && lines.ptr[lines.len - 1] != '\n') {
		as_buf_byte(&lines, '\n');
	}
	before = lines.len;
	rc = rc < 0 ? rc : add_secrets(x, known, &lines, err);
	if (rc == 0 && lines.len > AS_DOTENV_MAX) {
		as_fail(err, ASSAY_ELIMIT, "it would have %zu bytes, more than the %zu that can be read", lines.len,
			AS_DOTENV_MAX);
		rc = as_error_where(err, path.ptr, 0);
	}
	if (rc == 0 && lines.len > before) {
		rc = as_file_begin(path.ptr, &draft, err);
		if (rc == 0 && (fchmod(draft.fd, S_IRUSR | S_IWUSR) < 0 ||
				write(draft.fd, lines.ptr, lines.len) != (ssize_t)lines.len)) {
			rc = as_fail(err, ASSAY_EIO, "cannot write %s", path.ptr);
		}
		rc = rc < 0 ? (as_file_abandon(&draft), rc) : as_file_commit(&draft, err);
	}
	as_variables_free(known);
	as_text_free(&old);
	as_buf_free(&folder);
	as_buf_free(&path);
	as_buf_free(&lines);
	return rc;
}
