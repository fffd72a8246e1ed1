/* assay servers: import, check, tools, call. */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/cli/servers.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const as_option options[] = {
	{"manifest", "FILE", "check, tools, call: the manifest (default: assay.json)"},
	{"trust", NULL,
	 "check, tools, call: trust the commands of the manifest, now and from now on, without being asked"},
	{"jobs", "N", "check: so many servers at once (default: one a processor)"},
	{"vet", NULL, "check: try every tool, propose the class, list what is odd"},
	{"allow-writes", NULL, "check: with --vet, try tools that write where nothing holds what they do, too"},
	{"into", "FILE", "import: the manifest to write (default: assay.json)"},
	{"class", "CLASS", "import: static, live_read or stateful_write (default), for servers that are new"},
	{"replace", NULL, "import: a server of the same name gives way"},
	{"keep-secrets", NULL, "import: add secrets that stand in FILE to .env beside the manifest"},
	{NULL, NULL, NULL}};

int as_visit_open(as_cli *cli, as_visit *v, assay_error *err)
{
	const char *path = as_cli_option(cli, "manifest");
	as_engine_options o = {.log = cli->log, .cancel = cli->cancel, .progress = cli->progress};
	as_manifest_overrides overrides = {0};
	int64_t jobs = 0;
	int rc = as_cli_number(cli, "jobs", 1, 1024, 0, &jobs, err);
	overrides.jobs = (uint32_t)jobs;
	rc = rc < 0 ? rc : as_manifest_load(path ? path : "assay.json", &overrides, &v->manifest, err);
	rc = rc < 0 ? rc : as_cli_registry(cli, false, &o.registry, err);
	rc = rc < 0 ? rc : as_cli_trust(cli, v->manifest, o.registry, err);
	o.manifest = v->manifest;
	rc = rc < 0 ? rc : as_engine_open(&o, &v->engine, err);
	v->workers = rc < 0 ? NULL : as_new(v->engine->jobs + 1, sizeof(as_worker *));
	if (rc == 0 && !v->workers) {
		rc = as_fail_memory(err);
	}
	for (uint32_t i = 0; rc == 0 && i < v->engine->jobs; i++) {
		rc = as_worker_new(v->engine, &v->workers[i], err);
	}
	return rc;
}

void as_visit_close(as_visit *v)
{
	for (size_t i = 0; v->workers && v->workers[i]; i++) {
		as_worker_free(v->workers[i]);
	}
	free(v->workers);
	as_engine_close(v->engine);
	as_manifest_free(v->manifest);
}

bool as_visit_wants(const as_cli *cli, const char *id)
{
	for (size_t i = 1; i < cli->n_arguments; i++) {
		if (strcmp(cli->arguments[i], id) == 0) {
			return true;
		}
	}
	return cli->n_arguments <= 1;
}

int as_visit_world(const as_visit *v, uint32_t worker, const char *id, as_context *c, assay_error *err)
{
	assay_json *ids = as_json_array();
	int rc = as_json_append(ids, as_json_cstring(id)) < 0 ? as_fail_memory(err) : 0;
	as_context_init(c, v->workers[worker], "servers", id, 0, 0);
	rc = rc < 0 ? rc : as_live_open(&v->engine->estate, ids, &c->call, &c->world, err);
	as_json_free(ids);
	return rc;
}

void as_visit_leave(as_context *c)
{
	as_world_close(c->world, &c->call);
	c->world = NULL;
}

/* First sentence of a description, for lists. */
static void first_sentence(const char *text, char out[120])
{
	size_t n = 0;
	while (text[n] && text[n] != '\n' && n < 110 && !(text[n] == '.' && (text[n + 1] == ' ' || !text[n + 1]))) {
		out[n] = text[n];
		n++;
	}
	out[n] = '\0';
}

/* What one server offers, as rows and under its name; *exit: of what kept it from us, which is no error of the whole.
 */
static int tools_of(const as_visit *v, const char *id, assay_json *table, assay_json *all, int *exit, assay_error *err)
{
	assay_json *described = NULL, *failure = NULL;
	assay_error why = {0};
	as_context c = {0};
	char line[1400];
	int set = 0, rc = as_visit_world(v, 0, id, &c, &why);
	rc = rc < 0 ? rc : as_live_describe(c.world, &c.call, as_str(id), &described, &why);
	as_visit_leave(&c);
	if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM) {
		*err = why;
		return rc;
	}
	if (rc < 0) {
		as_error_format(&why, line, sizeof line);
		fprintf(stderr, "assay: %s\n", line);
		failure = as_json_object();
		set = as_json_set(failure, "error", as_json_cstring(line));
		set |= as_json_set(all, id, failure);
		*exit = as_exit_worse(*exit, as_exit_code(rc, &why));
		return set < 0 ? as_fail_memory(err) : 0;
	}
	for (const assay_json *t = as_json_first(as_json_get(described, "tools")); t; t = as_json_next(t)) {
		char text[120];
		const char *cells[] = {id, as_json_cstr(as_json_get(t, "name"), ""), text};
		first_sentence(as_json_cstr(as_json_get(t, "description"), ""), text);
		set |= as_table_row(table, cells, 3);
	}
	set |= as_json_set(all, id, as_json_detach(described, "tools"));
	as_json_free(described);
	return set < 0 ? as_fail_memory(err) : 0;
}

static int tools(as_cli *cli, const as_visit *v, assay_error *err)
{
	assay_json *table = as_table_new(), *all = as_json_object();
	int exit = AS_EXIT_OK, rc = table && all ? 0 : as_fail_memory(err);
	if (rc == 0 && (as_table_column(table, "server", false) < 0 || as_table_column(table, "tool", false) < 0 ||
			as_table_column(table, "description", false) < 0)) {
		rc = as_fail_memory(err);
	}
	for (size_t i = 0; i < v->manifest->n_servers && rc == 0; i++) {
		const char *id = v->manifest->servers[i].id;
		rc = as_visit_wants(cli, id) ? tools_of(v, id, table, all, &exit, err) : 0;
	}
	if (rc < 0) {
		as_json_free(table);
		as_json_free(all);
		return rc;
	}
	rc = as_say_table(cli, table, err);
	rc = rc < 0 ? (as_json_free(all), rc) : as_say_json(cli, all, err);
	return rc < 0 ? rc : exit;
}

static const as_server_spec *find_server(const as_visit *v, const char *id)
{
	for (size_t i = 0; i < v->manifest->n_servers; i++) {
		if (strcmp(v->manifest->servers[i].id, id) == 0) {
			return &v->manifest->servers[i];
		}
	}
	return NULL;
}

/* On a terminal a server's words must not be commands to it; into a file or a pipe they go as they are. */
static void say_result(const as_cli *cli, assay_str text)
{
	bool raw = !isatty(fileno(cli->out));
	for (size_t i = 0; raw && !cli->json && !cli->quiet && i < text.len; i++) {
		bool nul = (unsigned char)text.ptr[i] == 0xC0; /* C0 80, as strings of the JSON layer hold it */
		fputc(nul ? '\0' : text.ptr[i], cli->out);
		i += nul;
	}
	if (raw || text.len == 0) {
		as_say(cli, "\n");
	}
	for (size_t i = 0; !raw && i < text.len;) {
		const char *end = memchr(text.ptr + i, '\n', text.len - i);
		size_t n = end ? (size_t)(end - text.ptr) - i : text.len - i;
		as_say_line(cli, "%.*s", (int)n, text.ptr + i);
		i += n + 1;
	}
}

/* What a part of an answer is that is no text: "[image, image/png, 1234 bytes]", "[resource_link, file:///x]". */
static void add_part(as_buf *out, const assay_json *part)
{
	const assay_json *inner = as_json_get(part, "resource") ? as_json_get(part, "resource") : part;
	assay_str data = as_json_str(as_json_get(part, "data")), text = as_json_str(as_json_get(inner, "text"));
	assay_str facts[] = {as_json_str(as_json_get(inner, "uri")), as_json_str(as_json_get(inner, "mimeType"))};
	size_t bytes;
	data = data.len ? data : as_json_str(as_json_get(inner, "blob"));
	while (data.len > 0 && data.ptr[data.len - 1] == '=') {
		data.len--;
	}
	bytes = data.len ? data.len / 4 * 3 + data.len % 4 * 3 / 4 : text.len; /* of base64 */
	as_buf_printf(out, "[%s", as_json_cstr(as_json_get(part, "type"), "a part without a type"));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (facts[i].len > 0) {
			as_buf_printf(out, ", %.*s", ASSAY_FMT(facts[i]));
		}
	}
	if (bytes > 0) {
		as_buf_printf(out, ", %zu bytes", bytes);
	}
	as_buf_byte(out, ']');
}

/* An answer for people: its texts, and of all else what there is of it. One without a text whose content is structured,
 * or that has none, is shown as it came. */
static int render(const assay_json *result, as_buf *out, assay_error *err)
{
	const assay_json *content = as_json_get(result, "content");
	size_t texts = 0;
	for (const assay_json *p = as_json_first(content); p; p = as_json_next(p)) {
		texts += as_str_is(as_json_str(as_json_get(p, "type")), "text");
	}
	if (as_json_count(content) == 0 || (texts == 0 && as_json_get(result, "structuredContent"))) {
		as_json_write(out, result, ASSAY_JSON_COMPACT); /* numbers as they came */
		return as_buf_check(out, err);
	}
	for (const assay_json *p = as_json_first(content); p; p = as_json_next(p)) {
		if (p != as_json_first(content)) {
			as_buf_byte(out, '\n');
		}
		if (as_str_is(as_json_str(as_json_get(p, "type")), "text")) {
			as_buf_add(out, as_json_str(as_json_get(p, "text")));
		} else {
			add_part(out, p);
		}
	}
	return as_buf_check(out, err);
}

static int call(as_cli *cli, const as_visit *v, assay_error *err)
{
	const char *id = cli->arguments[1], *tool = cli->arguments[2];
	assay_json *arguments = NULL, *described = NULL;
	as_answer answer = {0};
	int64_t begun;
	as_context c = {0};
	as_buf text = {0};
	int rc = 0;
	if (!find_server(v, id)) {
		return as_fail(err, ASSAY_EINVAL, "the manifest has no server \"%s\"", id);
	}
	if (cli->n_arguments > 3) {
		rc = as_json_parse(as_str(cli->arguments[3]), ASSAY_JSON_STRICT, &arguments, err);
		if (rc == 0 && as_json_type(arguments) != ASSAY_JSON_OBJECT) {
			rc = as_fail(err, ASSAY_EINVAL, "the arguments are no JSON object");
		}
		if (rc < 0 && rc != ASSAY_ENOMEM) {
			as_error_where(err, "ARGUMENTS", 0);
			rc = err->code = ASSAY_EINVAL; /* it is the command line that is wrong, no file */
		}
	}
	rc = rc < 0 ? rc : as_visit_world(v, 0, id, &c, err);
	/* Started and listed first, so that the call is timed by itself. */
	rc = rc < 0 ? rc : as_live_describe(c.world, &c.call, as_str(id), &described, err);
	begun = as_now_us();
	rc = rc < 0 ? rc : as_world_call(c.world, &c.call, as_str(id), as_str(tool), arguments, &answer, err);
	as_log_put(cli->log, "servers", ASSAY_LOG_INFO, "%s of %s took %.1f ms", tool, id,
		   (double)(as_now_us() - begun) / 1000.0);
	as_visit_leave(&c);
	rc = rc < 0 ? rc : render(answer.result, &text, err);
	if (rc == 0) {
		say_result(cli, as_buf_str(&text));
		rc = as_say_json(cli, answer.result ? as_json_clone(answer.result) : as_json_null(), err);
	}
	if (rc == 0 && answer.status != ASSAY_STEP_SUCCESS) {
		rc = AS_EXIT_NO;
	}
	as_answer_clear(&answer);
	as_buf_free(&text);
	as_json_free(described);
	as_json_free(arguments);
	return rc;
}

static int check_names(const as_cli *cli, const as_visit *v, size_t from, size_t to, assay_error *err)
{
	for (size_t i = from; i < to; i++) {
		if (!find_server(v, cli->arguments[i])) {
			as_fail(err, ASSAY_EINVAL, "the manifest has no server \"%s\"", cli->arguments[i]);
			return ASSAY_EINVAL;
		}
	}
	return 0;
}

static int run(as_cli *cli, assay_error *err)
{
	static const char *const whats[] = {"check", "tools", "call", "import", NULL};
	const char *what = cli->n_arguments > 0 ? cli->arguments[0] : "check";
	as_visit v = {0};
	bool is_call = strcmp(what, "call") == 0;
	int rc;
	if (strcmp(what, "import") == 0) {
		rc = as_cli_check_options(cli, whats, what, err);
		return rc < 0 ? rc : as_servers_import(cli, err);
	}
	if ((strcmp(what, "check") != 0 && strcmp(what, "tools") != 0 && !is_call) ||
	    (is_call && (cli->n_arguments < 3 || cli->n_arguments > 4))) {
		return as_fail(
			err, ASSAY_EINVAL,
			"expected \"servers import FILE\", \"servers check [SERVER...]\", \"servers tools [SERVER...]\" "
			"or \"servers call SERVER TOOL [ARGUMENTS]\"");
	}
	rc = as_cli_check_options(cli, whats, what, err);
	if (rc == 0 && as_cli_option(cli, "allow-writes") && !as_cli_option(cli, "vet")) {
		rc = as_fail(err, ASSAY_EINVAL, "--allow-writes does nothing without --vet");
	}
	rc = rc < 0 ? rc : as_visit_open(cli, &v, err);
	if (rc == 0 && !is_call) {
		rc = check_names(cli, &v, 1, cli->n_arguments, err);
	}
	if (rc == 0) {
		rc = is_call                      ? call(cli, &v, err)
		     : strcmp(what, "tools") == 0 ? tools(cli, &v, err)
						  : as_servers_check(cli, &v, err);
	}
	as_visit_close(&v);
	return rc;
}

const as_verb as_verb_servers = {
	.name = "servers",
	.group = "Surroundings",
	.summary = "take servers over from other clients, check them, list their tools, call one",
	.arguments = "[import FILE | check [SERVER...] | tools [SERVER...] | call SERVER TOOL [ARGUMENTS]]",
	.description =
		"import reads the servers of another MCP client: \"mcpServers\" (Claude Desktop, Cursor, .mcp.json, Windsurf) or\n"
		"\"servers\" with \"inputs\" (VS Code), with comments. They are added to the manifest, which is made if need be and\n"
		"written whole or not at all. ${VAR}, ${VAR:-default}, ${env:VAR} and ${input:id} become variables, and so do secrets\n"
		"that stand in the file, where a name, a scheme or their look tells them, in scripts, JSON and addresses, too: no\n"
		"value of theirs is written into the manifest. Servers that are new may write, and get an environment that is thrown\n"
		"away: it holds what they write once their record names it (${env:ID.dir}). Which ones do not is told.\n\n"
		"check starts each server in a fresh environment, several at once, shakes hands, lists its tools and, where one\n"
		"reads and needs no argument, makes one call: the exit status is 1 when that fails, 5 when nothing answers it. With\n"
		"--vet every tool is tried once, with arguments from its schema and from what other tools have answered, those that\n"
		"write only where a sandbox, or an environment that the launch record names (${env:ID.dir}), holds what they do, and\n"
		"never at a URL; it proposes the class, tells which credentials are missing, and\n"
		"lists what is odd in descriptions and schemas.\n\n"
		"tools shows the tools of all servers that can be reached; call makes one call (ARGUMENTS is a JSON object) and\n"
		"prints the result, of what is no text a line that says what it is; --json has all. Nothing is kept.",
	.options = options,
	.examples = "  assay servers import ~/.cursor/mcp.json --into assay.json\n  assay servers check --vet\n"
		    "  assay servers call almanac list_cities '{}'\n",
	.run = run,
};
