/* assay plugins check: the contract suite, and what it found, for people. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/verb_plugins.h"
#include "core/contract/contract.h"
#include "core/run/variables.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The module's file, as the child shall open it: an absolute path, or the name of a linked-in module. */
static int find_file(as_cli *cli, const char *what, as_buf *out, assay_error *err)
{
	const as_impl_info *info;
	as_registry *registry;
	const char *slash = strchr(what, '/');
	size_t len = strlen(what);
	struct stat st; /* a folder or a link to nothing that is called as a module: the loader says what is wrong with
			   it */
	if (as_file_exists(what) || (len > 3 && strcmp(what + len - 3, ".so") == 0 && lstat(what, &st) == 0)) {
		return as_path_absolute(what, out, err);
	}
	size_t role = slash ? (size_t)(slash - what) : 0;
	if (!slash || as_role_from_name((assay_str){what, role}) == 0 || strchr(slash + 1, '/')) {
		as_fail(err, ASSAY_ENOENT, "there is no such module");
		as_error_hint(err, "give the path of a .so file, or ROLE/NAME of a plugin on the list");
		return as_error_where(err, what, 0);
	}
	int rc = as_cli_registry(cli, false, &registry, err);
	rc = rc < 0 ? rc : as_registry_find(registry, what, 0, &info, err);
	if (rc == 0) {
		as_buf_puts(out, info->path[0] ? info->path : info->module);
		rc = as_buf_check(out, err);
	}
	return rc;
}

static int own_program(char *out, size_t size, assay_error *err)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	if (n <= 0) {
		return as_fail(err, ASSAY_EIO, "cannot find the program's own file");
	}
	out[n] = '\0';
	return 0;
}

static bool same_failure(const assay_json *a, const assay_json *b)
{
	return as_json_equal(as_json_get(a, "operation"), as_json_get(b, "operation")) &&
	       as_json_equal(as_json_get(a, "problem"), as_json_get(b, "problem"));
}

/* One fault shows with many inputs: it is told once, with the first of them. */
static void say_failures(const as_cli *cli, const assay_json *failures)
{
	for (const assay_json *f = as_json_first(failures); f; f = as_json_next(f)) {
		const assay_json *other = as_json_first(failures);
		char more[48] = "";
		size_t n = 0;
		while (other != f && !same_failure(other, f)) {
			other = as_json_next(other);
		}
		if (other != f) {
			continue;
		}
		for (other = as_json_next(f); other; other = as_json_next(other)) {
			n += same_failure(other, f);
		}
		if (n > 0) {
			snprintf(more, sizeof more, " (and %zu time%s more)", n, n > 1 ? "s" : "");
		}
		as_say_line(cli, "  %s, input \"%s\": %s%s", as_json_cstr(as_json_get(f, "operation"), ""),
			    as_json_cstr(as_json_get(f, "input"), ""), as_json_cstr(as_json_get(f, "problem"), ""),
			    more);
	}
}

static void say_report(const as_cli *cli, const assay_json *report)
{
	for (const assay_json *i = as_json_first(as_json_get(report, "implementations")); i; i = as_json_next(i)) {
		const assay_json *failures = as_json_get(i, "failures");
		const char *services = as_json_cstr(as_json_get(i, "services"), "");
		int64_t checks = as_json_i64(as_json_get(i, "checks"), 0);
		const char *use = as_json_cstr(as_json_get(i, "use"), "");
		if (checks == 0) {
			as_say(cli, "%s: not checked\n", use);
		} else {
			as_say(cli, "%s: %lld checks, %s%s%s\n", use, (long long)checks,
			       as_json_count(failures) > 0 ? "FAULTY" : "in order", services[0] ? ", uses " : "",
			       services);
		}
		say_failures(cli, failures);
		for (const assay_json *n = as_json_first(as_json_get(i, "notes")); n; n = as_json_next(n)) {
			as_say_line(cli, "  note: %s", as_json_cstr(n, ""));
		}
	}
}

/* The command that runs the suite in a child, ended by the option whose argument is added to it. */
typedef struct command {
	char self[4096], log[32], log_option[64];
	const char *argv[16];
} command;

static int make_command(const as_cli *cli, const char *file, bool trial, command *c, assay_error *err)
{
	const char *options = as_cli_option(cli, "options");
	size_t n = 0;
	memcpy(c->log, "/tmp/assay-valgrind.XXXXXX", 27);
	if (as_cli_option(cli, "valgrind") && !trial) {
		int fd = mkstemp(c->log);
		if (fd < 0) {
			return as_fail_errno(err, errno, c->log, "make a file for valgrind");
		}
		close(fd);
		snprintf(c->log_option, sizeof c->log_option, "--log-file=%s", c->log);
		c->argv[n++] = "valgrind";
		c->argv[n++] = "-q";
		c->argv[n++] = "--leak-check=full";
		c->argv[n++] = "--errors-for-leak-kinds=definite";
		c->argv[n++] = c->log_option;
	}
	c->argv[n++] = c->self;
	c->argv[n++] = "plugins";
	c->argv[n++] = "check";
	c->argv[n++] = file;
	if (options) {
		c->argv[n++] = "--options";
		c->argv[n++] = options;
	}
	if (c->log_option[0]) {
		c->argv[n++] = "--valgrind";
	}
	c->argv[n++] = trial ? "--trial" : "--in-process";
	c->argv[n] = NULL;
	return own_program(c->self, sizeof c->self, err);
}

static int folder_of(const char *path, as_buf *out, assay_error *err)
{
	as_buf whole = {0};
	int rc = as_path_absolute(path, &whole, err);
	as_buf_add(out, as_path_dir(as_buf_str(&whole)));
	as_buf_free(&whole);
	return rc < 0 ? rc : as_buf_check(out, err);
}

/* "NAME=value" of the variables that the options name, as ${NAME} or, as options of models do, by the bare name. */
typedef struct named {
	as_arena arena;
	as_variables *known;
	const char **list; /* NULL-terminated once it is whole */
	size_t n, cap;
} named;

static int add_named(named *v, assay_str name, assay_error *err)
{
	const char *key = as_arena_cstr(&v->arena, name);
	const char *value = key ? as_variable(v->known, key) : NULL;
	if (key && !value) {
		return 0; /* told when it is asked for */
	}
	const char *both = value ? as_arena_printf(&v->arena, "%s=%s", key, value) : NULL;
	if (!both || !as_grow(&v->list, &v->cap, v->n + 2, sizeof *v->list)) {
		return as_fail_memory(err);
	}
	v->list[v->n++] = both;
	v->list[v->n] = NULL;
	return 0;
}

static int find_named(named *v, const assay_json *options, assay_error *err)
{
	assay_str text = as_json_str(options);
	int rc = 0;
	if (text.len > 0 && strspn(text.ptr, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == text.len) {
		return add_named(v, text, err);
	}
	for (const char *at = text.ptr, *end; rc == 0 && text.len > 0 && (at = strstr(at, "${")) != NULL; at = end) {
		end = strchr(at, '}');
		if (!end) {
			break;
		}
		rc = add_named(v, (assay_str){at + 2, (size_t)(end - at) - 2}, err);
	}
	for (const assay_json *m = as_json_first(options); m && rc == 0; m = as_json_next(m)) {
		rc = find_named(v, m, err);
	}
	return rc;
}

static int check_with(as_cli *cli, const char *file, const assay_json *given, int64_t seconds, bool trial,
		      assay_json **report, assay_error *err)
{
	command c = {.log_option = ""};
	named variables = {.list = NULL};
	const char *options_file = given ? as_cli_option(cli, "options") : NULL;
	as_buf beside = {0};
	int rc = options_file ? folder_of(options_file, &beside, err) : 0;
	rc = rc < 0 || !options_file ? rc : as_variables_load(beside.ptr, &variables.known, err);
	rc = rc < 0 || !options_file ? rc : find_named(&variables, given, err);
	rc = rc < 0 ? rc : make_command(cli, file, trial, &c, err);
	const bool valgrind = c.log_option[0] != '\0';
	const as_contract_options o = {.file = file,
				       .options = given,
				       .options_file = options_file,
				       .variables = variables.list,
				       .limit_ms = seconds * 1000 * (valgrind ? 10 : 1),
				       .worker = c.argv,
				       .log = valgrind ? c.log : NULL,
				       .cancel = cli->cancel};
	rc = rc < 0 ? rc : as_contract_check(&o, report, err);
	if (valgrind) {
		unlink(c.log);
	}
	as_buf_free(&beside);
	free(variables.list);
	as_variables_free(variables.known);
	as_arena_free(&variables.arena);
	return rc;
}

void as_plugins_services(as_cli *cli, const as_impl_info *info, as_buf *out)
{
	assay_json *report = NULL;
	const char *file = info->path[0] ? info->path : info->module;
	if (check_with(cli, file, NULL, 5, true, &report, NULL) == 0) {
		const assay_json *impls = as_json_get(report, "implementations");
		for (const assay_json *i = as_json_first(impls); i; i = as_json_next(i)) {
			if (as_str_is(as_json_str(as_json_get(i, "use")), info->use)) {
				as_buf_add(out, as_json_i64(as_json_get(i, "checks"), 0) > 0
							? as_json_str(as_json_get(i, "services"))
							: ASSAY_STR("not known: it was not run, as it needs options"));
			}
		}
	}
	as_json_free(report);
}

int as_plugins_check(as_cli *cli, const char *what, assay_error *err)
{
	const char *options_file = as_cli_option(cli, "options"), *trial = as_cli_option(cli, "trial");
	assay_json *given = NULL, *report = NULL;
	as_buf file = {0}, beside = {0};
	int64_t seconds = 10, from = 0;
	int rc = as_cli_number(cli, "limit", 1, 3600, 10, &seconds, err);
	rc = rc < 0 ? rc : as_cli_number(cli, trial ? "trial" : "in-process", 0, 1000000, 0, &from, err);
	rc = rc < 0 || !options_file ? rc : as_json_read_file(options_file, (size_t)1 << 20, &given, err);
	if (rc == 0 && options_file && as_json_type(given) != ASSAY_JSON_OBJECT) {
		as_fail(err, ASSAY_EDATA, "expected an object with the options of each plugin");
		as_error_hint(err, "write {\"ROLE/NAME\": {...}}");
		rc = as_error_where(err, options_file, as_json_line(given));
	}
	if (rc == 0 && (trial || as_cli_option(cli, "in-process"))) {
		as_registry *registry; /* brings the loader up */
		rc = as_cli_registry(cli, false, &registry, err);
		rc = rc < 0 || !options_file ? rc : folder_of(options_file, &beside, err);
		if (rc == 0) {
			cli->expendable = true;
			as_contract_worker(registry, what, given, beside.ptr, (size_t)from,
					   (as_cli_option(cli, "valgrind") ? 0 : AS_CONTRACT_WATCH) |
						   (trial ? AS_CONTRACT_TRIAL : 0),
					   fileno(cli->out));
		}
	}
	rc = rc < 0 ? rc : find_file(cli, what, &file, err);
	rc = rc < 0 ? rc : check_with(cli, file.ptr, given, seconds, false, &report, err);
	if (rc == 0) {
		bool good = as_json_i64(as_json_get(report, "failures"), 0) == 0;
		say_report(cli, report);
		rc = as_say_json(cli, report, err);
		rc = rc < 0 ? rc : good ? AS_EXIT_OK : AS_EXIT_NO;
	}
	as_buf_free(&file);
	as_buf_free(&beside);
	as_json_free(given);
	return rc;
}
