/* assay init: a folder to start from. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/cli.h"
#include "core/run/import.h"
#include "core/run/manifest.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {{"server", "ID=COMMAND",
				     "start from this server instead of the demo (a command line, split at blanks)"},
				    {"force", NULL, "write into a folder that has a manifest already"},
				    {NULL, NULL, NULL}};

/* A manifest for one server of the user's, with the careful default: it may write, so it gets a folder of its own. */
static int write_starter(const char *id, size_t id_len, const char *command, const char *path, assay_error *err)
{
	assay_json *doc = NULL, *launch = as_json_object(), *args = as_json_array();
	as_buf text = {0}, word = {0};
	bool first = true;
	int rc = launch && args && (doc = as_starter_manifest(err)) ? 0 : as_fail_memory(err);
	for (const char *c = command; rc == 0; c++) {
		if (*c && *c != ' ') {
			as_buf_byte(&word, *c);
			continue;
		}
		if (word.len > 0) {
			rc = first ? as_json_set(launch, "command", as_json_string(as_buf_str(&word)))
				   : as_json_append(args, as_json_string(as_buf_str(&word)));
			first = false;
			as_buf_clear(&word);
		}
		if (!*c) {
			break;
		}
	}
	rc |= as_json_set(launch, "args", args);
	rc |= as_json_set_n(as_json_edit(as_json_get(doc, "mcpServers")), (assay_str){id, id_len}, launch);
	rc = rc < 0 ? rc : as_starter_settings(doc, (assay_str){id, id_len}, NULL, err);
	if (rc == 0) {
		as_json_write(&text, doc, ASSAY_JSON_PRETTY);
		as_buf_byte(&text, '\n');
		rc = as_buf_check(&text, err);
	}
	rc = rc < 0 ? rc : as_file_write(path, as_buf_str(&text), err);
	as_json_free(doc);
	as_buf_free(&text);
	as_buf_free(&word);
	return rc;
}

static int copy_demo(const char *folder, const char *path, assay_error *err)
{
	as_buf from = {0}, to = {0};
	assay_text text = {0};
	int rc;
	as_path_join(&from, as_str(as_data_dir()), ASSAY_STR("demo/states"));
	as_path_join(&to, as_str(folder), ASSAY_STR("states"));
	rc = as_buf_check(&from, err);
	rc = rc < 0 ? rc : as_buf_check(&to, err);
	if (rc == 0 && !as_dir_exists(to.ptr)) {
		rc = as_copy_tree(from.ptr, to.ptr, err);
	}
	as_buf_clear(&from);
	as_path_join(&from, as_str(as_data_dir()), ASSAY_STR("demo/assay.json"));
	rc = rc < 0 ? rc : as_buf_check(&from, err);
	rc = rc < 0 ? rc : as_file_read(from.ptr, (size_t)1 << 20, &text, err);
	rc = rc < 0 ? rc : as_file_write(path, as_text_str(text), err);
	as_text_free(&text);
	as_buf_free(&from);
	as_buf_free(&to);
	return rc;
}

static bool is_server_id(const char *id, size_t n)
{
	return n > 0 && n <= 64 && isalnum((unsigned char)id[0]) &&
	       strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") >= n;
}

/* The environment that it gets holds what it writes only if the command names it. */
static void say_unheld(const as_cli *cli, const char *path)
{
	as_manifest *m = NULL;
	const char *why;
	if (as_manifest_load(path, NULL, &m, NULL) == 0 && (why = as_manifest_unheld(m, &m->servers[0])) != NULL) {
		as_say(cli,
		       "%s may write, and %s: write ${env:%s.dir} where it is told its folder, or give\n"
		       "it \"sandbox\": {}, or, if it only reads, \"class\": \"live_read\"\n",
		       m->servers[0].id, why, m->servers[0].id);
	}
	as_manifest_free(m);
}

static int run(as_cli *cli, assay_error *err)
{
	const char *folder = cli->n_arguments > 0 ? cli->arguments[0] : ".";
	const char *server = as_cli_option(cli, "server"), *eq = server ? strchr(server, '=') : NULL;
	as_buf path = {0};
	assay_json *out;
	int rc;
	if (cli->n_arguments > 1) {
		return as_fail(err, ASSAY_EINVAL, "expected one folder at most");
	}
	if (server && (!eq || !eq[1 + strspn(eq + 1, " ")] || !is_server_id(server, (size_t)(eq - server)))) {
		return as_fail(err, ASSAY_EINVAL,
			       "--server %s: expected ID=COMMAND, ID of letters, digits, \"_\", \".\" and \"-\"",
			       server);
	}
	as_path_join(&path, as_str(folder), ASSAY_STR("assay.json"));
	rc = as_buf_check(&path, err);
	if (rc == 0 && as_file_exists(path.ptr) && !as_cli_option(cli, "force")) {
		as_fail(err, ASSAY_EINVAL, "there is a manifest already");
		as_error_hint(err, "--force writes over it");
		rc = as_error_where(err, path.ptr, 0);
	}
	rc = rc < 0 ? rc : as_make_dirs(folder, err);
	if (rc == 0) {
		rc = server ? write_starter(server, (size_t)(eq - server), eq + 1, path.ptr, err)
			    : copy_demo(folder, path.ptr, err);
	}
	if (rc == 0 && server) {
		as_cli_trust_written(cli, path.ptr);
	}
	if (rc == 0) {
		as_say(cli, "wrote %s\n", path.ptr);
		if (server) {
			say_unheld(cli, path.ptr);
		}
		as_say(cli, "next: assay servers check, then assay run%s%s\n",
		       strcmp(folder, ".") == 0 ? "" : ", both in ", strcmp(folder, ".") == 0 ? "" : folder);
		out = as_json_object();
		rc = as_json_set(out, "manifest", as_json_string(as_buf_str(&path))) < 0
			     ? (as_json_free(out), as_fail_memory(err))
			     : as_say_json(cli, out, err);
	}
	as_buf_free(&path);
	return rc;
}

const as_verb as_verb_init = {
	.name = "init",
	.group = "The whole job",
	.summary = "make a folder with a manifest to start from",
	.arguments = "[FOLDER]",
	.description =
		"Writes assay.json: the demo (three small servers that ship with Assay and a sandbox state for them), or, with\n"
		"--server, a manifest for a server of yours. Servers whose \"class\" you do not know may write, and get an\n"
		"environment that is thrown away; ${env:ID.dir} in the COMMAND is its folder.",
	.options = options,
	.examples =
		"  assay init demo\n  assay init mine --server 'files=npx -y @modelcontextprotocol/server-filesystem ${env:files.dir}'\n",
	.run = run,
};
