/* assay plugins: what is there. */
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/base/table.h"
#include "core/cli/cli.h"
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {{"role", "ROLE", "only this role (sampler, scorer, llm, ...)"}, {NULL, NULL, NULL}};

static int implementation_line(assay_json *table, const assay_json *module, const assay_json *impl)
{
	as_buf use = {0};
	const char *state = as_json_cstr(as_json_get(module, "state"), "");
	const char *reason = as_json_cstr(as_json_get(module, "reason"), "");
	const char *cells[5];
	int rc;
	if (impl) {
		as_buf_printf(&use, "%s/%s", as_json_cstr(as_json_get(impl, "role"), ""),
			      as_json_cstr(as_json_get(impl, "name"), ""));
	}
	cells[0] = use.ptr ? use.ptr : "-";
	cells[1] = as_json_cstr(as_json_get(module, "version"), "");
	cells[2] = as_json_cstr(as_json_get(module, "module"), "");
	cells[3] = state;
	cells[4] = impl && !reason[0] ? as_json_cstr(as_json_get(impl, "summary"), "") : reason;
	rc = use.failed ? ASSAY_ENOMEM : as_table_row(table, cells, 5);
	as_buf_free(&use);
	return rc;
}

static int list(as_cli *cli, as_registry *registry, uint32_t role, assay_error *err)
{
	static const char *const titles[] = {"plugin", "version", "module", "state", ""};
	assay_json *all = NULL, *table = as_table_new();
	int rc = table ? as_registry_survey(registry, role, &all, err) : as_fail_memory(err);
	for (size_t i = 0; i < 5 && rc == 0; i++) {
		rc = as_table_column(table, titles[i], false) < 0 ? as_fail_memory(err) : 0;
	}
	for (const assay_json *m = as_json_first(all); m && rc == 0; m = as_json_next(m)) {
		const assay_json *impls = as_json_get(m, "implementations");
		if (as_json_count(impls) == 0) {
			rc = implementation_line(table, m, NULL);
		}
		for (const assay_json *i = as_json_first(impls); i && rc == 0; i = as_json_next(i)) {
			rc = implementation_line(table, m, i);
		}
		rc = rc < 0 ? as_fail_memory(err) : 0;
	}
	if (rc < 0) {
		as_json_free(table);
		as_json_free(all);
		return rc;
	}
	rc = as_say_table(cli, table, err);
	return rc < 0 ? (as_json_free(all), rc) : as_say_json(cli, all, err);
}

static void show_options(const as_cli *cli, const assay_json *schema)
{
	const assay_json *properties = as_json_get(schema, "properties");
	if (as_json_count(properties) == 0) {
		as_say(cli, "options        none\n");
		return;
	}
	as_say(cli, "options\n");
	for (const assay_json *p = as_json_first(properties); p; p = as_json_next(p)) {
		as_buf fallback = {0};
		const assay_json *value = as_json_get(p, "default");
		if (value) {
			as_json_write(&fallback, value, ASSAY_JSON_COMPACT);
		}
		as_say(cli, "  %-14.*s %-9s %s%s%s%s\n", ASSAY_FMT(as_json_key(p)),
		       as_json_cstr(as_json_get(p, "type"), ""), as_json_cstr(as_json_get(p, "description"), ""),
		       value ? " (default: " : "", fallback.ptr ? fallback.ptr : "", value ? ")" : "");
		as_buf_free(&fallback);
	}
}

static int show(as_cli *cli, as_registry *registry, const char *use, assay_error *err)
{
	const as_impl_info *info;
	assay_json *schema = NULL, *out = NULL;
	int rc = as_registry_find(registry, use, 0, &info, err);
	if (rc == 0 && info->impl->options) {
		rc = as_json_parse(as_str(info->impl->options), ASSAY_JSON_STRICT, &schema, err);
	}
	if (rc < 0) {
		return rc;
	}
	as_say(cli, "%s: %s\nmodule         %s %s\nfile           %s\nsha256         %s\n", info->use,
	       info->impl->summary, info->module, info->version, info->path[0] ? info->path : "(linked in)",
	       info->digest);
	as_say(cli, "flags          %s%s%s%s\n", info->impl->flags & ASSAY_IMPL_PURE ? "pure " : "",
	       info->impl->flags & ASSAY_IMPL_REENTRANT ? "reentrant " : "",
	       info->impl->flags & ASSAY_IMPL_NEEDS_LIVE ? "needs-live " : "",
	       info->impl->flags & ASSAY_IMPL_NEEDS_MODEL ? "needs-model" : "");
	show_options(cli, schema);
	out = as_json_object();
	rc = as_json_set(out, "use", as_json_cstring(info->use));
	rc |= as_json_set(out, "summary", as_json_cstring(info->impl->summary));
	rc |= as_json_set(out, "module", as_json_cstring(info->module));
	rc |= as_json_set(out, "version", as_json_cstring(info->version));
	rc |= as_json_set(out, "file", as_json_cstring(info->path));
	rc |= as_json_set(out, "sha256", as_json_cstring(info->digest));
	rc |= as_json_set(out, "flags", as_json_integer(info->impl->flags));
	rc |= as_json_set(out, "options", schema ? schema : as_json_null());
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	return as_say_json(cli, out, err);
}

static int run(as_cli *cli, assay_error *err)
{
	const char *what = cli->n_arguments > 0 ? cli->arguments[0] : "list";
	const char *role_name = as_cli_option(cli, "role");
	uint32_t role = role_name ? as_role_from_name(as_str(role_name)) : 0;
	as_registry *registry;
	int rc;
	if (role_name && !role) {
		return as_fail(err, ASSAY_EINVAL, "there is no role \"%s\"", role_name);
	}
	rc = as_cli_registry(cli, false, &registry, err);
	if (rc < 0) {
		return rc;
	}
	if (strcmp(what, "list") == 0 && cli->n_arguments <= 1) {
		return list(cli, registry, role, err);
	}
	if (strcmp(what, "show") == 0 && cli->n_arguments == 2) {
		return show(cli, registry, cli->arguments[1], err);
	}
	return as_fail(err, ASSAY_EINVAL, "expected \"plugins list\" or \"plugins show ROLE/NAME\"");
}

const as_verb as_verb_plugins = {
	.name = "plugins",
	.group = "Surroundings",
	.summary = "list plugins, or show one",
	.arguments = "[list | show ROLE/NAME]",
	.description =
		"Lists all modules in the plugin folders with what they implement, broken ones with the reason; or shows one\n"
		"implementation with its options. Folders: --plugin-dir, ASSAY_PLUGIN_PATH, the installed one.",
	.options = options,
	.examples = "  assay plugins list --role sampler\n  assay plugins show exposure/target\n",
	.run = run,
};
