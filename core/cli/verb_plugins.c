/* assay plugins: what is there. */
#include "core/cli/verb_plugins.h"
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/base/table.h"
#include "core/plugin/role.h"
#include <stdlib.h>
#include <string.h>

static const as_option options[] = {{"role", "ROLE", "list: only this role (sampler, scorer, llm, ...)"},
				    {"as", "FORMAT", "list: with all options, as markdown or man"},
				    {"options", "FILE", "check: open with these options, {\"ROLE/NAME\": {...}}"},
				    {"limit", "SECONDS", "check: time for one check (10)"},
				    {"valgrind", NULL, "check: run the module under valgrind"},
				    {"in-process", "N",
				     "check: run checks from number N on in this process, for a debugger"},
				    {"trial", "N", "check: as --in-process, with plain inputs only"},
				    {"language", "LANGUAGE", "new: c (the default) or c++"},
				    {NULL, NULL, NULL}};

#define COLUMNS 8 /* of the list */

static void add_files(as_buf *out, const assay_json *files)
{
	for (const assay_json *f = as_json_first(files); f; f = as_json_next(f)) {
		as_buf_printf(out, "%s%s", out->len ? " " : "", as_json_cstr(f, ""));
	}
}

static int implementation_line(assay_json *table, const assay_json *module, const assay_json *impl)
{
	as_buf use = {0}, shadows = {0}, words = {0};
	const char *file = as_json_cstr(as_json_get(module, "file"), "");
	const char *by = as_json_cstr(as_json_get(impl, "shadowed_by"), NULL);
	if (impl) {
		as_buf_printf(&use, "%s/%s", as_json_cstr(as_json_get(impl, "role"), ""),
			      as_json_cstr(as_json_get(impl, "name"), ""));
	}
	as_buf_puts(&words, as_json_cstr(as_json_get(module, "reason"), ""));
	if (by) {
		as_buf_printf(&words, "%s%s comes first", words.len ? "; " : "", by);
	} else if (!words.len) {
		as_buf_puts(&words, as_json_cstr(as_json_get(impl, "summary"), ""));
	}
	add_files(&shadows, as_json_get(module, "shadows"));
	add_files(&shadows, as_json_get(impl, "shadows"));
	const char *const cells[COLUMNS] = {use.ptr ? use.ptr : "-",
					    as_json_cstr(as_json_get(module, "version"), ""),
					    as_json_cstr(as_json_get(module, "module"), ""),
					    as_json_cstr(as_json_get(module, "abi"), ""),
					    by ? "shadowed" : as_json_cstr(as_json_get(module, "state"), ""),
					    file[0] ? file : "(linked in)",
					    shadows.ptr ? shadows.ptr : "",
					    words.ptr ? words.ptr : ""};
	int rc = use.failed || shadows.failed || words.failed ? ASSAY_ENOMEM : as_table_row(table, cells, COLUMNS);
	as_buf_free(&use);
	as_buf_free(&shadows);
	as_buf_free(&words);
	return rc;
}

static int list(as_cli *cli, as_registry *registry, uint32_t role, assay_error *err)
{
	static const char *const titles[COLUMNS] = {"plugin", "version", "module",  "abi",
						    "state",  "file",    "shadows", "summary or reason"};
	assay_json *all = NULL, *table = as_table_new();
	int rc = table ? as_registry_survey(registry, role, &all, err) : as_fail_memory(err);
	if (rc == 0 && as_cli_option(cli, "as")) {
		rc = as_plugins_tables(cli, all, as_cli_option(cli, "as"), err);
		as_json_free(table);
		return rc < 0 ? (as_json_free(all), rc) : as_say_json(cli, all, err);
	}
	for (size_t i = 0; i < COLUMNS && rc == 0; i++) {
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
		as_buf type = {0}, otherwise = {0};
		as_plugins_option_type(&type, p);
		as_plugins_option_default(&otherwise, schema, p);
		as_say_line(cli, "  %-14.*s %s%s%s: %s", ASSAY_FMT(as_json_key(p)), type.ptr ? type.ptr : "",
			    otherwise.len ? ", default " : "", otherwise.len ? otherwise.ptr : "",
			    as_json_cstr(as_json_get(p, "description"), "-"));
		as_buf_free(&type);
		as_buf_free(&otherwise);
	}
}

/* The operations that it fills in. */
static void list_operations(const assay_impl *impl, as_buf *out)
{
	const as_role *role = as_role_get(impl->role);
	uint32_t size;
	memcpy(&size, impl->ops, sizeof size); /* the first member of every table */
	for (size_t i = 0; i < role->n_operations; i++) {
		if (!role->operations[i].is_data && as_role_has(impl->ops, size, &role->operations[i])) {
			as_buf_printf(out, "%s%s", out->len ? " " : "", role->operations[i].name);
		}
	}
}

static void list_flags(uint32_t flags, as_buf *out)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {{ASSAY_IMPL_PURE, "pure"},
		     {ASSAY_IMPL_REENTRANT, "reentrant"},
		     {ASSAY_IMPL_NEEDS_LIVE, "needs-live"},
		     {ASSAY_IMPL_NEEDS_MODEL, "needs-model"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (flags & names[i].bit) {
			as_buf_printf(out, "%s%s", out->len ? " " : "", names[i].name);
		}
	}
}

static void say_list(const as_cli *cli, const char *title, const as_buf *words)
{
	as_say(cli, "%-14s %s\n", title, words->len ? words->ptr : "none");
}

static int show_impl(as_cli *cli, const as_impl_info *info, assay_json *schema, assay_error *err)
{
	as_buf operations = {0}, services = {0}, flags = {0};
	assay_json *out = as_json_object();
	list_operations(info->impl, &operations);
	as_plugins_services(cli, info, &services);
	list_flags(info->impl->flags, &flags);
	as_say(cli, "%s: %s\nmodule         %s %s\nfile           %s\nsha256         %s\n", info->use,
	       info->impl->summary, info->module, info->version, info->path[0] ? info->path : "(linked in)",
	       info->digest);
	say_list(cli, "flags", &flags);
	say_list(cli, "operations", &operations);
	say_list(cli, "services used", &services);
	show_options(cli, schema);
	int rc = as_json_set(out, "use", as_json_cstring(info->use));
	rc |= as_json_set(out, "summary", as_json_cstring(info->impl->summary));
	rc |= as_json_set(out, "module", as_json_cstring(info->module));
	rc |= as_json_set(out, "version", as_json_cstring(info->version));
	rc |= as_json_set(out, "file", as_json_cstring(info->path));
	rc |= as_json_set(out, "sha256", as_json_cstring(info->digest));
	rc |= as_json_set(out, "flags", as_json_integer(info->impl->flags));
	rc |= as_json_set(out, "operations", as_json_string(as_buf_str(&operations)));
	rc |= as_json_set(out, "services", as_json_string(as_buf_str(&services)));
	rc |= as_json_set(out, "options", schema ? schema : as_json_null());
	as_buf_free(&operations);
	as_buf_free(&services);
	as_buf_free(&flags);
	if (rc < 0) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	return as_say_json(cli, out, err);
}

static int show(as_cli *cli, as_registry *registry, const char *use, assay_error *err)
{
	const as_impl_info *info;
	assay_json *schema = NULL;
	int rc = as_registry_find(registry, use, 0, &info, err);
	if (rc == 0 && info->impl->options) {
		rc = as_json_parse(as_str(info->impl->options), ASSAY_JSON_STRICT, &schema, err);
	}
	return rc < 0 ? rc : show_impl(cli, info, schema, err);
}

int as_plugins_no_role(const char *name, assay_error *err)
{
	as_buf roles = {0};
	for (uint32_t role = 1; role <= ASSAY_ROLE_COUNT; role++) {
		if (as_role_get(role)->size > 0) {
			as_buf_printf(&roles, "%s%s", roles.len ? ", " : "", as_role_name(role));
		}
	}
	as_fail(err, ASSAY_EINVAL, "there is no role \"%.80s\"", name);
	as_error_hint(err, "there are %s", roles.ptr ? roles.ptr : "none");
	as_buf_free(&roles);
	return ASSAY_EINVAL;
}

static int run(as_cli *cli, assay_error *err)
{
	static const char *const whats[] = {"list", "show", "check", "new", NULL};
	const char *what = cli->n_arguments > 0 ? cli->arguments[0] : "list";
	const char *role_name = as_cli_option(cli, "role");
	uint32_t role = role_name ? as_role_from_name(as_str(role_name)) : 0;
	as_registry *registry;
	int rc;
	rc = as_cli_check_options(cli, whats, what, err);
	if (rc < 0) {
		return rc;
	}
	if (role_name && !role) {
		return as_plugins_no_role(role_name, err);
	}
	if (strcmp(what, "new") == 0 && cli->n_arguments == 3) {
		return as_plugins_new(cli, cli->arguments[1], cli->arguments[2], err);
	}
	if (strcmp(what, "check") == 0 && cli->n_arguments == 2) {
		return as_plugins_check(cli, cli->arguments[1], err);
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
	return as_fail(err, ASSAY_EINVAL,
		       "expected \"plugins list\", \"show ROLE/NAME\", \"check FILE\" or \"new ROLE NAME\"");
}

const as_verb as_verb_plugins = {
	.name = "plugins",
	.group = "Surroundings",
	.summary = "list plugins, show one, check one, or begin one",
	.arguments = "[list | show ROLE/NAME | check FILE | new ROLE NAME]",
	.description =
		"list: all modules in the plugin folders with what they implement, broken ones with the reason.\n"
		"show: one implementation with its options. check: the contract suite of each implementation in a module, in a\n"
		"process of its own; each fault is named with its operation and input, and the exit code is 1 when there is\n"
		"one. new: a folder with a plugin that builds, passes its check and does something, to start from; the guide\n"
		"to writing one is where \"pkg-config --variable=guide assay\" says. Folders of plugins: --plugin-dir,\n"
		"ASSAY_PLUGIN_PATH, the installed one.",
	.options = options,
	.examples = "  assay plugins list --role sampler\n  assay plugins show exposure/target\n"
		    "  assay plugins new scorer brevity\n  assay plugins check ./scorer_brevity.so\n",
	.run = run,
};
