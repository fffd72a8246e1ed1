/* assay servers: check, tools, call. */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include "core/run/context.h"
#include "core/stats/stats.h"
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {{"manifest", "FILE", "the manifest (default: assay.json)"}, {NULL, NULL, NULL}};

/* A manifest with an engine, but without a store: nothing is kept. */
typedef struct visit {
	as_manifest *manifest;
	as_engine *engine;
	as_worker *worker;
	as_context context;
} visit;

static int open_visit(as_cli *cli, visit *v, assay_error *err)
{
	const char *path = as_cli_option(cli, "manifest");
	as_engine_options o = {.log = cli->log, .cancel = cli->cancel, .progress = cli->progress};
	int rc = as_manifest_load(path ? path : "assay.json", NULL, &v->manifest, err);
	rc = rc < 0 ? rc : as_cli_registry(cli, false, &o.registry, err);
	o.manifest = v->manifest;
	rc = rc < 0 ? rc : as_engine_open(&o, &v->engine, err);
	rc = rc < 0 ? rc : as_worker_new(v->engine, &v->worker, err);
	if (rc == 0) {
		as_context_init(&v->context, v->worker, "servers", "servers", 0, 0);
	}
	return rc;
}

static void close_visit(visit *v)
{
	as_worker_free(v->worker);
	as_engine_close(v->engine);
	as_manifest_free(v->manifest);
}

static bool is_asked_for(const as_cli *cli, const char *id)
{
	for (size_t i = 1; i < cli->n_arguments; i++) {
		if (strcmp(cli->arguments[i], id) == 0) {
			return true;
		}
	}
	return cli->n_arguments <= 1;
}

static int open_world(visit *v, const char *id, assay_error *err)
{
	assay_json *ids = as_json_array();
	int rc = as_json_append(ids, as_json_cstring(id)) < 0 ? as_fail_memory(err) : 0;
	rc = rc < 0 ? rc : as_live_open(&v->engine->estate, ids, &v->context.call, &v->context.world, err);
	as_json_free(ids);
	return rc;
}

static void close_world(visit *v)
{
	as_world_close(v->context.world, &v->context.call);
	v->context.world = NULL;
}

/* Handshake and tools of one server, as an object for both kinds of output. An unreachable server is an answer. */
static int check_one(visit *v, const as_server_spec *s, assay_json **out, bool *failed, assay_error *err)
{
	assay_json *described = NULL, *o = as_json_object();
	assay_error why = {0};
	int64_t begun = as_now_us();
	char line[900] = "";
	int rc = open_world(v, s->id, &why);
	rc = rc < 0 ? rc : as_live_describe(v->context.world, &v->context.call, as_str(s->id), &described, &why);
	close_world(v);
	if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM) {
		as_json_free(o);
		*err = why;
		return rc;
	}
	*failed = rc < 0;
	if (rc < 0) {
		as_error_format(&why, line, sizeof line);
	}
	rc = as_json_set(o, "server", as_json_cstring(s->id));
	rc |= as_json_set(o, "ok", as_json_truth(!*failed));
	rc |= as_json_set(o, "class", as_json_cstring(as_class_name(s->server_class)));
	rc |= as_json_set(o, "start_ms", as_json_real(as_round((double)(as_now_us() - begun) / 1000.0, 1)));
	rc |= as_json_set(o, "fingerprint", described ? as_json_detach(described, "fingerprint") : as_json_null());
	rc |= as_json_set(o, "noise", described ? as_json_detach(described, "noise") : as_json_null());
	rc |= as_json_set(o, "tools", described ? as_json_detach(described, "tools") : as_json_array());
	rc |= as_json_set(o, "error", as_json_cstring(*failed ? line : NULL));
	as_json_free(described);
	if (rc < 0) {
		as_json_free(o);
		return as_fail_memory(err);
	}
	*out = o;
	return 0;
}

static int check_line(assay_json *table, const assay_json *o)
{
	char ms[32], tools[24];
	const assay_json *print = as_json_get(o, "fingerprint");
	const char *cells[] = {as_json_cstr(as_json_get(o, "server"), ""),
			       as_json_boolean(as_json_get(o, "ok"), 0) ? "ok" : "failed",
			       as_json_cstr(as_json_get(o, "class"), ""),
			       as_json_cstr(as_json_get(print, "protocol_version"), "-"),
			       tools,
			       ms,
			       as_json_cstr(as_json_get(print, "tool_surface_hash"), "-"),
			       as_json_cstr(as_json_get(o, "error"), "")};
	snprintf(ms, sizeof ms, "%.1f", as_json_f64(as_json_get(o, "start_ms"), 0));
	snprintf(tools, sizeof tools, "%zu", as_json_count(as_json_get(o, "tools")));
	return as_table_row(table, cells, sizeof cells / sizeof *cells);
}

static int check(as_cli *cli, visit *v, assay_error *err)
{
	static const char *const titles[] = {"server", "state",    "class",   "protocol",
					     "tools",  "start ms", "surface", ""};
	assay_json *table = as_table_new(), *all = as_json_array();
	bool any_failed = false;
	int rc = table && all ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < 8 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], i == 4 || i == 5) < 0 ? as_fail_memory(err) : 0;
	}
	for (size_t i = 0; i < v->manifest->n_servers && rc == 0; i++) {
		assay_json *o = NULL;
		bool failed = false;
		if (!is_asked_for(cli, v->manifest->servers[i].id)) {
			continue;
		}
		rc = check_one(v, &v->manifest->servers[i], &o, &failed, err);
		if (rc == 0) {
			any_failed = any_failed || failed;
			rc = check_line(table, o) < 0 || as_json_append(all, o) < 0 ? as_fail_memory(err) : 0;
		}
	}
	if (rc < 0) {
		as_json_free(table);
		as_json_free(all);
		return rc;
	}
	rc = as_say_table(cli, table, err);
	rc = rc < 0 ? (as_json_free(all), rc) : as_say_json(cli, all, err);
	return rc < 0 ? rc : any_failed ? AS_EXIT_UNREACHABLE : AS_EXIT_OK;
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

static int tools(as_cli *cli, visit *v, assay_error *err)
{
	assay_json *table = as_table_new(), *all = as_json_object();
	int rc = table && all ? 0 : as_fail_memory(err);
	if (rc == 0 && (as_table_column(table, "server", false) < 0 || as_table_column(table, "tool", false) < 0 ||
			as_table_column(table, "description", false) < 0)) {
		rc = as_fail_memory(err);
	}
	for (size_t i = 0; i < v->manifest->n_servers && rc == 0; i++) {
		const char *id = v->manifest->servers[i].id;
		assay_json *described = NULL;
		if (!is_asked_for(cli, id)) {
			continue;
		}
		rc = open_world(v, id, err);
		rc = rc < 0 ? rc : as_live_describe(v->context.world, &v->context.call, as_str(id), &described, err);
		close_world(v);
		for (const assay_json *t = as_json_first(as_json_get(described, "tools")); t && rc == 0;
		     t = as_json_next(t)) {
			char text[120];
			const char *cells[] = {id, as_json_cstr(as_json_get(t, "name"), ""), text};
			first_sentence(as_json_cstr(as_json_get(t, "description"), ""), text);
			rc = as_table_row(table, cells, 3) < 0 ? as_fail_memory(err) : 0;
		}
		if (rc == 0 && as_json_set(all, id, as_json_detach(described, "tools")) < 0) {
			rc = as_fail_memory(err);
		}
		as_json_free(described);
	}
	if (rc < 0) {
		as_json_free(table);
		as_json_free(all);
		return rc;
	}
	rc = as_say_table(cli, table, err);
	return rc < 0 ? (as_json_free(all), rc) : as_say_json(cli, all, err);
}

static const as_server_spec *find_server(const visit *v, const char *id)
{
	for (size_t i = 0; i < v->manifest->n_servers; i++) {
		if (strcmp(v->manifest->servers[i].id, id) == 0) {
			return &v->manifest->servers[i];
		}
	}
	return NULL;
}

static int call(as_cli *cli, visit *v, assay_error *err)
{
	const char *id = cli->arguments[1], *tool = cli->arguments[2];
	assay_json *arguments = NULL;
	as_answer answer = {0};
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
		as_error_where(rc < 0 ? err : NULL, "ARGUMENTS", 0);
	}
	rc = rc < 0 ? rc : open_world(v, id, err);
	rc = rc < 0 ? rc
		    : as_world_call(v->context.world, &v->context.call, as_str(id), as_str(tool), arguments, &answer,
				    err);
	close_world(v);
	if (rc == 0) {
		as_render_result(answer.result, &text);
		as_say(cli, "%s\n", text.ptr ? text.ptr : "");
		rc = as_say_json(cli, answer.result ? as_json_clone(answer.result) : as_json_null(), err);
	}
	if (rc == 0 && answer.status != ASSAY_STEP_SUCCESS) {
		rc = AS_EXIT_NO;
	}
	as_answer_clear(&answer);
	as_buf_free(&text);
	as_json_free(arguments);
	return rc;
}

static int check_names(const as_cli *cli, const visit *v, size_t from, size_t to, assay_error *err)
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
	const char *what = cli->n_arguments > 0 ? cli->arguments[0] : "check";
	visit v = {0};
	bool is_call = strcmp(what, "call") == 0;
	int rc;
	if ((strcmp(what, "check") != 0 && strcmp(what, "tools") != 0 && !is_call) ||
	    (is_call && (cli->n_arguments < 3 || cli->n_arguments > 4))) {
		return as_fail(
			err, ASSAY_EINVAL,
			"expected \"servers check [SERVER...]\", \"servers tools [SERVER...]\" or \"servers call SERVER TOOL "
			"[ARGUMENTS]\"");
	}
	rc = open_visit(cli, &v, err);
	if (rc == 0 && !is_call) {
		rc = check_names(cli, &v, 1, cli->n_arguments, err);
	}
	if (rc == 0) {
		rc = is_call                      ? call(cli, &v, err)
		     : strcmp(what, "tools") == 0 ? tools(cli, &v, err)
						  : check(cli, &v, err);
	}
	close_visit(&v);
	return rc;
}

const as_verb as_verb_servers = {
	.name = "servers",
	.group = "Surroundings",
	.summary = "start the manifest's servers: check them, list their tools, call one",
	.arguments = "[check [SERVER...] | tools [SERVER...] | call SERVER TOOL [ARGUMENTS]]",
	.description =
		"check starts each server in a fresh environment, shakes hands and lists its tools; tools shows them; call makes\n"
		"one call (ARGUMENTS is a JSON object) and prints the result. Nothing is kept.",
	.options = options,
	.examples = "  assay servers check\n  assay servers call almanac list_cities '{}'\n",
	.run = run,
};
