/* assay pack: a run as a release. */
#include "core/base/error.h"
#include "core/cli/cli.h"
#include "core/cli/project_options.h"
#include "core/release/pack.h"

static const as_option options[] = {AS_PROJECT_OPTIONS, {NULL, NULL, NULL}};

static int say(as_cli *cli, const char *path, const char *identity, assay_error *err)
{
	assay_json *out;
	int rc;
	as_say(cli, "release  %s\nidentity sha256:%s\n", path, identity);
	out = as_json_object();
	rc = as_json_set(out, "release", as_json_cstring(path));
	rc |= as_json_set(out, "identity", as_json_cstring(identity));
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	return as_say_json(cli, out, err);
}

static int run(as_cli *cli, assay_error *err)
{
	as_project p;
	assay_json *model = NULL;
	as_buf path = {0};
	char identity[65];
	int rc = as_project_open(cli, AS_PROJECT_READ, &p, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_stage_figures(p.engine, true, &model, err);
	rc = rc < 0 ? rc : as_release_pack(p.engine, model, p.out_dir.ptr, &path, identity, err);
	rc = rc < 0 ? rc : say(cli, path.ptr, identity, err);
	as_json_free(model);
	as_buf_free(&path);
	as_project_close(&p);
	return rc;
}

const as_verb as_verb_pack = {
	.name = "pack",
	.group = "Releasing",
	.summary = "pack tasks, tapes, attempts and figures as a release",
	.arguments = "",
	.description =
		"Writes NAME-VERSION.tar.zst with everything that its figures follow from, so that anybody can check them with\n"
		"\"assay verify\". Packing the same run again gives the same bytes. Refuses when attempts are missing, and when\n"
		"the value of a variable of the manifest, or a path of this machine, would be published.",
	.options = options,
	.examples = "  assay pack --out releases\n",
	.run = run,
};
