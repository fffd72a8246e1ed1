/* assay servers import: servers of other MCP clients into the manifest. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/cli/servers.h"
#include "core/run/import.h"
#include <string.h>

static void join(const assay_json *texts, const char *between, as_buf *out)
{
	for (const assay_json *t = as_json_first(texts); t; t = as_json_next(t)) {
		as_buf_puts(out, out->len > 0 ? between : "");
		as_buf_add(out, as_json_str(t));
	}
}

static int say_servers(const as_cli *cli, const assay_json *report, assay_error *err)
{
	static const char *const titles[] = {"server", "state", "notes"};
	assay_json *table = as_table_new();
	int rc = table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < 3 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], false);
	}
	for (const assay_json *s = as_json_first(as_json_get(report, "servers")); s && rc == 0; s = as_json_next(s)) {
		as_buf notes = {0};
		join(as_json_get(s, "notes"), "; ", &notes);
		const char *cells[] = {as_json_cstr(as_json_get(s, "server"), ""),
				       as_json_cstr(as_json_get(s, "state"), ""), notes.ptr ? notes.ptr : ""};
		rc = as_table_row(table, cells, 3);
		as_buf_free(&notes);
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(cli, table, err);
}

/* What the user has to set before the servers start. */
static void say_variables(const as_cli *cli, const as_import *x, const as_import_options *o, bool kept)
{
	bool told = false;
	as_buf names = {0};
	for (const assay_json *v = as_json_first(as_json_get(x->report, "variables")); v; v = as_json_next(v)) {
		const char *name = as_json_cstr(as_json_get(v, "name"), "");
		as_buf users = {0};
		if (as_json_boolean(as_json_get(v, "set"), 0) || as_json_boolean(as_json_get(v, "optional"), 0) ||
		    (kept && as_json_get(x->secrets, name))) {
			continue;
		}
		join(as_json_get(v, "servers"), ", ", &users);
		bool secret = as_json_get(x->secrets, name) != NULL;
		as_say(cli, "%s  %s (%s)%s%s%s\n",
		       told ? "" : "\nto be set in the environment or in a file .env beside the manifest:\n", name,
		       users.ptr ? users.ptr : "", secret ? ": its value stands in " : "", secret ? o->file : "",
		       secret ? ", and was not copied" : "");
		told = true;
		as_buf_free(&users);
	}
	join(as_json_get(x->report, "kept"), ", ", &names);
	if (names.len > 0) {
		as_say(cli, "\nwrote .env beside the manifest, which only you may read: %s\n", names.ptr);
	}
	as_buf_clear(&names);
	join(as_json_get(x->report, "unheld"), ", ", &names);
	if (names.len > 0) {
		as_say(cli,
		       "\nmay write, and nothing here holds what they do: %s\n"
		       "  where one is told its folder, write ${env:ID.dir}; or give it \"sandbox\": {}; or, if it only "
		       "reads, \"class\": \"live_read\"\n",
		       names.ptr);
	}
	as_buf_free(&names);
	as_say(cli, "\nwrote %s\nnext: assay servers check\n", o->into);
}

int as_servers_import(as_cli *cli, assay_error *err)
{
	const char *into = as_cli_option(cli, "into"), *server_class = as_cli_option(cli, "class");
	bool keep = as_cli_option(cli, "keep-secrets") != NULL;
	as_import x = {0};
	as_buf text = {0};
	int rc;
	if (cli->n_arguments != 2) {
		return as_fail(err, ASSAY_EINVAL, "expected \"servers import FILE\"");
	}
	if (server_class && as_class_from_name(as_str(server_class)) < 0) {
		return as_fail(err, ASSAY_EINVAL, "--class %s: expected static, live_read or stateful_write",
			       server_class);
	}
	into = into ? into : "assay.json";
	if (strcmp(into, "-") == 0) {
		as_fail(err, ASSAY_EINVAL,
			"--into -: a manifest is read and written in its place, not to standard output");
		return as_error_hint(err, "name a file; ./- is one, too");
	}
	as_import_options o = {cli->arguments[1], into, server_class, as_cli_option(cli, "replace") != NULL,
			       cli->cancel};
	rc = as_import_read(&o, &x, err);
	if (rc == 0) {
		as_json_write(&text, x.manifest, ASSAY_JSON_PRETTY);
		as_buf_byte(&text, '\n');
		rc = as_buf_check(&text, err);
	}
	if (rc == 0 && text.len > AS_MANIFEST_MAX) {
		as_fail(err, ASSAY_ELIMIT, "the manifest would have %zu bytes, more than the %zu that can be read",
			text.len, AS_MANIFEST_MAX);
		as_error_hint(err, "take over fewer servers at once, each part into a manifest of its own");
		rc = as_error_where(err, into, 0);
	}
	if (rc == 0 && as_cancel_is_set(cli->cancel)) {
		rc = as_fail(err, ASSAY_ECANCELED, "interrupted"); /* from here on all of it is written */
	}
	rc = rc < 0 || !keep ? rc : as_import_keep_secrets(&x, into, err);
	rc = rc < 0 ? rc : as_file_write(into, as_buf_str(&text), err);
	rc = rc < 0 ? rc : say_servers(cli, x.report, err);
	if (rc == 0) {
		say_variables(cli, &x, &o, keep);
		rc = as_say_json(cli, x.report, err);
		x.report = NULL;
	}
	as_buf_free(&text);
	as_import_free(&x);
	return rc;
}
