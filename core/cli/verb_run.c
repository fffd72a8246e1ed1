/* assay run: the main job, from servers to a release. */
#include "core/base/error.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/release/pack.h"
#include "core/run/makers.h"
#include <stdlib.h>

static const as_option options[] = {AS_PROJECT_OPTIONS, {"no-pack", NULL, "make no release"}, {NULL, NULL, NULL}};

static int tell(const as_cli *cli, const as_project *p, const assay_json *model, assay_json *paths, const char *release,
		const char *identity, assay_error *err)
{
	assay_json *out;
	int rc = as_say_leaderboard(cli, model, err);
	if (rc < 0) {
		as_json_free(paths);
		return rc;
	}
	as_say(cli, "\n");
	for (const assay_json *path = as_json_first(paths); path; path = as_json_next(path)) {
		as_say(cli, "report   %s\n", as_json_cstr(path, ""));
	}
	as_say(cli, "store    %s\n", p->store_path.ptr);
	if (release) {
		as_say(cli, "release  %s\nidentity sha256:%s\n", release, identity);
	}
	out = as_json_object();
	rc = as_json_set(out, "reports", paths);
	rc |= as_json_set(out, "store", as_json_cstring(p->store_path.ptr));
	rc |= as_json_set(out, "release", as_json_cstring(release));
	rc |= as_json_set(out, "identity", as_json_cstring(release ? identity : NULL));
	rc |= as_json_set(out, "leaderboard", as_json_clone(as_json_get(model, "leaderboard")));
	rc = rc < 0 ? as_fail_memory(err) : as_add_void_causes(p->engine, out, err);
	if (rc < 0) {
		as_json_free(out);
		return rc;
	}
	return as_say_json(cli, out, err);
}

static int finish(as_cli *cli, as_project *p, uint64_t shortfall, assay_error *err)
{
	assay_json *model = NULL, *paths = as_json_array();
	as_buf release = {0};
	char identity[65] = "";
	assay_error why = {0};
	int valid = 0, rc = paths ? as_stage_figures(p->engine, true, &model, err) : as_fail_memory(err);
	if (rc == 0) {
		rc = as_stage_report(p->engine, model, p->out_dir.ptr, paths, err);
	}
	if (rc == 0) {
		valid = as_check_valid(p->engine, model, &why);
	}
	if (rc == 0 && !as_cli_option(cli, "no-pack")) {
		rc = as_release_pack(p->engine, model, p->out_dir.ptr, &release, identity, err);
		if (rc == ASSAY_EDATA &&
		    valid < 0) { /* void attempts make no release; the figures are told all the same */
			why = *err;
			why.code = ASSAY_EUNREACH;
			as_error_clear(err);
			as_buf_free(&release);
			rc = 0;
		}
	}
	if (rc == 0) {
		rc = tell(cli, p, model, paths, release.len ? release.ptr : NULL, identity, err);
		paths = NULL;
		cli->answered = rc == 0;
	}
	if (rc == 0 && shortfall > 0) {
		rc = as_say_shortfall(cli, model, shortfall, err);
		rc = rc < 0 ? rc : AS_EXIT_NO;
	}
	if (rc >= 0 && valid < 0) {
		*err = why;
		rc = valid;
	}
	as_json_free(paths);
	as_json_free(model);
	as_buf_free(&release);
	return rc;
}

static int run(as_cli *cli, assay_error *err)
{
	as_project p;
	uint64_t shortfall = 0, made = 0;
	int rc = as_project_open(cli, 0, &p, err);
	if (rc < 0) {
		return rc;
	}
	/* A key that only the candidates miss is told before the authors are paid. */
	rc = as_check_models(p.engine, true, err);
	rc = rc < 0 ? rc : as_check_models(p.engine, false, err);
	rc = rc < 0 ? rc : as_check_makers(p.engine, err);
	rc = rc < 0 ? rc : as_stage_catalogue(p.engine, err);
	rc = rc < 0 ? rc : as_stage_generate(p.engine, AS_STEP_GATE, &shortfall, err);
	rc = rc < 0 ? rc : as_evaluate(cli, &p, &made, err);
	rc = rc < 0 ? rc : finish(cli, &p, shortfall, err);
	as_project_close(&p);
	return rc;
}

const as_verb as_verb_run = {
	.name = "run",
	.group = "The whole job",
	.summary = "generate, evaluate, report and pack, going on where an earlier run stopped",
	.arguments = "",
	.description =
		"Does everything that the manifest says: starts the servers and takes their tools, samples seed tools, writes\n"
		"goals, pursues them live, distils and gates tasks, evaluates all candidates under replay, scores, reports, and\n"
		"packs a release. What the store holds already is not done again, so a stopped run goes on where it was.",
	.options = options,
	.examples = "  assay run                      # the manifest assay.json of this folder\n"
		    "  assay run --seed 8 --out s8    # other tasks, into another folder\n",
	.continues = true,
	.run = run,
};
