/* assay doctor: is everything in place? */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {{"manifest", "FILE", "the manifest (default: assay.json, if there is one)"},
				    {NULL, NULL, NULL}};

typedef struct examination {
	assay_json *table, *list;
	bool failed;
} examination;

static int note(examination *x, const char *what, bool good, const char *finding)
{
	const char *cells[] = {what, good ? "ok" : "problem", finding};
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "check", as_json_cstring(what));
	rc |= as_json_set(o, "ok", as_json_truth(good));
	rc |= as_json_set(o, "finding", as_json_cstring(finding));
	x->failed = x->failed || !good;
	rc |= as_json_append(x->list, o);
	rc |= as_table_row(x->table, cells, 3);
	return rc < 0 ? ASSAY_ENOMEM : 0;
}

static int note_result(examination *x, const char *what, int rc, const assay_error *why, const char *good)
{
	char line[1200];
	if (rc == 0) {
		return note(x, what, true, good);
	}
	as_error_format(why, line, sizeof line);
	return note(x, what, false, line);
}

static int examine_plugins(examination *x, as_registry *registry)
{
	assay_json *all = NULL;
	assay_error why = {0};
	char good[64];
	size_t n = 0;
	int rc = as_registry_survey(registry, 0, &all, &why), answer = 0;
	for (const assay_json *m = as_json_first(all); m && answer == 0; m = as_json_next(m)) {
		if (as_str_is(as_json_str(as_json_get(m, "state")), "broken")) {
			answer = note(x, as_json_cstr(as_json_get(m, "module"), "plugin"), false,
				      as_json_cstr(as_json_get(m, "reason"), ""));
		} else {
			n++;
		}
	}
	snprintf(good, sizeof good, "%zu modules", n);
	if (rc == 0 && n == 0) {
		rc = as_fail(&why, ASSAY_EPLUGIN, "no plugins found; is the program installed?");
	}
	as_json_free(all);
	return answer < 0 ? answer : note_result(x, "plugins", rc, &why, good);
}

static int examine_services(examination *x, as_registry *registry)
{
	const as_http_ops *http;
	const as_archive_ops *archive;
	assay_error why = {0};
	int rc = as_service_http(registry, &http, &why);
	int answer = note_result(x, "http client", rc, &why, "loads");
	why = (assay_error){0};
	rc = as_service_archive(registry, &archive, &why);
	return answer < 0 ? answer : note_result(x, "archives", rc, &why, "loads");
}

/* Can a command be run? Starting one takes a program of ours, and a sandbox one that may lack permissions. */
static int examine_command(examination *x, const char *what, const char *const *argv, const char *good)
{
	const as_process_spec spec = {.argv = argv};
	assay_text out = {0};
	assay_error why = {0};
	int status = 0;
	int rc = as_process_run(&spec, ASSAY_STR(""), 4096, as_deadline(10000), NULL, &out, &status, &why);
	if (rc == 0 && status != 0) {
		rc = as_fail(&why, ASSAY_EIO, "%s ended with exit status %d", argv[0], status);
	}
	as_text_free(&out);
	return note_result(x, what, rc, &why, good);
}

static int examine_sandbox(examination *x, const as_manifest *m)
{
	static const char *const argv[] = {"bwrap", "--ro-bind", "/", "/", "--unshare-all", "true", NULL};
	for (size_t i = 0; i < m->n_servers; i++) {
		if (m->servers[i].sandbox) {
			return examine_command(x, "sandbox", argv, "bubblewrap works");
		}
	}
	return 0;
}

/* How authors and judges ask a model for an answer of a given shape. */
static const char *way_of(const as_model_spec *model)
{
	const char *answers = model->answers ? model->answers : "tool";
	return strcmp(answers, "tool") == 0     ? "forced tool call"
	       : strcmp(answers, "schema") == 0 ? "answer by a schema"
						: "answer as JSON in words";
}

static int note_model(examination *x, const as_model_spec *model, int rc, const assay_error *why,
		      const as_model_abilities *can)
{
	bool shaped = rc < 0 || !can->needs_shaped || can->shaped;
	char what[160], finding[160], last[64] = "";
	snprintf(what, sizeof what, "model %s", model->name);
	if (rc < 0 || can->rules) {
		return note_result(x, what, rc, why, "rules: nothing to ask");
	}
	if (can->needs_shaped) {
		snprintf(last, sizeof last, ", %s%s", shaped ? "" : "NO ", way_of(model));
	}
	snprintf(finding, sizeof finding, "%s, %s, %s%s", can->plain ? "plain reply" : "NO plain reply",
		 can->tool_call ? "tool call" : "NO tool call",
		 can->parallel_calls ? "parallel tool calls" : "no parallel tool calls", last);
	return note(x, what, can->plain && can->tool_call && shaped, finding);
}

static int examine_embedder(examination *x, as_engine *e, const as_model_spec *model)
{
	char what[160], good[64];
	assay_error why = {0};
	size_t length = 0;
	int rc = as_probe_embedder(e, model, &length, &why);
	snprintf(what, sizeof what, "model %s", model->name);
	snprintf(good, sizeof good, "vectors of %zu numbers", length);
	return note_result(x, what, rc, &why, good);
}

/* Three requests to each model, four to one that authors or judges ask, one to an embedder. */
static int examine_models(examination *x, const as_cli *cli, const as_manifest *m, as_registry *registry)
{
	const as_engine_options how = {.manifest = m, .registry = registry, .log = cli->log, .cancel = cli->cancel};
	as_engine *e = NULL;
	assay_error why = {0};
	int answer = 0, rc = as_engine_open(&how, &e, &why);
	if (rc < 0) {
		return note_result(x, "models", rc, &why, "");
	}
	for (size_t i = 0; i < m->n_models && answer == 0; i++) {
		as_model_abilities can;
		assay_error error = {0};
		if (strncmp(m->models[i].llm.use, "llm/", 4) == 0) {
			rc = as_probe_model(e, &m->models[i], &can, &error);
			answer = note_model(x, &m->models[i], rc, &error, &can);
		} else {
			answer = examine_embedder(x, e, &m->models[i]);
		}
	}
	as_engine_close(e);
	return answer;
}

static int examine_manifest(examination *x, const as_cli *cli, const char *path, as_registry *registry)
{
	as_manifest *m = NULL;
	assay_error why = {0};
	char good[128];
	int answer, rc = as_manifest_load(path, NULL, &m, &why);
	rc = rc < 0 ? rc : as_cli_trust(cli, m, registry, &why); /* models may be programs */
	rc = rc < 0 ? rc : as_manifest_check_plugins(m, registry, &why);
	if (rc == 0) {
		snprintf(good, sizeof good, "%zu servers, %zu categories, %zu candidates", m->n_servers,
			 m->n_categories, m->n_candidates);
	}
	answer = note_result(x, path, rc, &why, good);
	if (rc == 0 && answer == 0) {
		answer = examine_sandbox(x, m);
	}
	if (rc == 0 && answer == 0) {
		answer = examine_models(x, cli, m, registry);
	}
	as_manifest_free(m);
	return answer;
}

static int examine_temp(examination *x)
{
	as_buf dir = {0};
	assay_error why = {0};
	int answer, rc = as_make_temp_dir(as_temp_root(), "assay-doctor-", &dir, &why);
	if (rc == 0) {
		as_remove_tree(dir.ptr, NULL);
	}
	answer = note_result(x, "temporary folder", rc, &why, as_temp_root());
	as_buf_free(&dir);
	return answer;
}

static int run(as_cli *cli, assay_error *err)
{
	examination x = {as_table_new(), as_json_array(), false};
	const char *path = as_cli_option(cli, "manifest");
	as_registry *registry;
	int rc = x.table && x.list ? as_cli_registry(cli, false, &registry, err) : as_fail_memory(err);
	int answer = 0;
	if (rc == 0) {
		answer |= as_table_column(x.table, "check", false);
		answer |= as_table_column(x.table, "state", false);
		answer |= as_table_column(x.table, "finding", false);
		answer |= examine_plugins(&x, registry);
		answer |= examine_services(&x, registry);
		answer |= examine_temp(&x);
		answer |= examine_command(&x, "child processes", (const char *const[]){"true", NULL}, "can be started");
		if (path || as_file_exists("assay.json")) {
			answer |= examine_manifest(&x, cli, path ? path : "assay.json", registry);
		}
	}
	if (rc < 0 || answer < 0) {
		as_json_free(x.table);
		as_json_free(x.list);
		return rc < 0 ? rc : as_fail_memory(err);
	}
	rc = as_say_table(cli, x.table, err);
	rc = rc < 0 ? (as_json_free(x.list), rc) : as_say_json(cli, x.list, err);
	return rc < 0 ? rc : x.failed ? AS_EXIT_NO : AS_EXIT_OK;
}

const as_verb as_verb_doctor = {
	.name = "doctor",
	.group = "Surroundings",
	.summary = "check plugins, services, temporary folder, manifest and models",
	.arguments = "",
	.description =
		"Looks at everything that a run needs, without starting a server, and says what is wrong with it. Every\n"
		"model of the manifest is asked three times, before money is spent on more: for a plain reply, for a tool\n"
		"call, and for two tool calls in one reply; and, where an author, a judge or a world of the manifest asks\n"
		"for that, for an answer of a given shape, in the way that its \"answers\" says. What it cannot do is told.\n"
		"An embedder is asked for the vector of one text. The exit status is 1 when anything is a problem, a model that\n"
		"is out of reach, too.",
	.options = options,
	.examples = "",
	.run = run,
};
