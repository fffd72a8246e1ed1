/* assay: the program. Finds the verb, sets the surroundings up, prints what went wrong. */
#include "config.h"
#include "core/base/called.h"
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/cli/cli.h"
#include "core/cli/endings.h"
#include "core/run/pool.h"
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The handler can reach nothing but this; it is set once, before the handlers are. */
static as_cancel *interrupted;

static void on_signal(int number)
{
	(void)number;
	if (as_cancel_is_set(interrupted)) {
		_Exit(AS_EXIT_INTERRUPTED); /* asked twice: the store is safe at any moment */
	}
	as_cancel_set(interrupted);
	as_endings_interrupted();
}

static int catch_signals(as_cancel *cancel, assay_error *err)
{
	struct sigaction action = {0};
	interrupted = cancel;
	sigemptyset(&action.sa_mask);
	action.sa_handler = on_signal;
	if (sigaction(SIGINT, &action, NULL) < 0 || sigaction(SIGTERM, &action, NULL) < 0 ||
	    sigaction(SIGHUP, &action, NULL) < 0) {
		return as_fail(err, ASSAY_EINTERNAL, "cannot catch signals");
	}
	/* Whoever started us may have had it ignored, and then no child could be waited for. */
	action.sa_handler = SIG_DFL;
	if (sigaction(SIGCHLD, &action, NULL) < 0) {
		return as_fail(err, ASSAY_EINTERNAL, "cannot reset SIGCHLD");
	}
	action.sa_handler = SIG_IGN; /* a server that goes away, a full file: errors of a write, not our end */
	if (sigaction(SIGPIPE, &action, NULL) < 0 || sigaction(SIGXFSZ, &action, NULL) < 0) {
		return as_fail(err, ASSAY_EINTERNAL, "cannot ignore SIGPIPE and SIGXFSZ");
	}
	return 0;
}

static int unknown_verb(const char *name, assay_error *err)
{
	const char *names[AS_MAX_OPTIONS], *near;
	size_t n = 0;
	for (; n < AS_MAX_OPTIONS && as_verbs[n]; n++) {
		names[n] = as_verbs[n]->name;
	}
	near = as_nearest(as_str(name), names, n);
	as_fail(err, ASSAY_EINVAL, "unknown verb \"%s\"", name);
	if (near) {
		as_error_hint(err, "did you mean \"%s\"?", near);
	} else {
		as_error_hint(err, "\"assay --help\" lists them");
	}
	return ASSAY_EINVAL;
}

/* On a terminal, unless somebody said no. */
static bool wants_progress(const as_cli *cli)
{
	return isatty(STDERR_FILENO) && !cli->quiet && !as_cli_option(cli, "no-progress");
}

static int print_error_json(const as_cli *cli, const assay_error *error)
{
	assay_json *e = as_json_object(), *outer = as_json_object();
	as_buf text = {0};
	int rc = as_json_set(e, "code", as_json_cstring(as_error_name(error->code)));
	rc |= as_json_set(e, "where", as_json_cstring(error->where));
	rc |= as_json_set(e, "line", as_json_integer(error->line));
	rc |= as_json_set(e, "pointer", as_json_cstring(error->pointer));
	rc |= as_json_set(e, "message", as_json_cstring(error->message));
	rc |= as_json_set(e, "hint", as_json_cstring(error->hint));
	rc |= as_json_set(outer, "error", e);
	if (rc == 0) {
		as_json_write(&text, outer, ASSAY_JSON_COMPACT);
		fprintf(cli->out, "%s\n", text.ptr ? text.ptr : "{}");
	}
	as_buf_free(&text);
	as_json_free(outer);
	return rc;
}

static int report_error(const as_cli *cli, int rc, const assay_error *error)
{
	char line[1400];
	if (error->code == 0) {
		fprintf(stderr, "assay: internal defect: an error (%s) without a message\n", as_error_name(rc));
		return as_exit_code(rc, error);
	}
	as_error_format(error, line, sizeof line);
	fprintf(stderr, "assay: %s\n", line);
	if (rc == ASSAY_ECANCELED && cli->verb->continues) {
		fputs("assay: what is finished is kept; the same command goes on from there\n", stderr);
	}
	if (cli->json && !cli->answered) {
		print_error_json(cli, error);
	}
	return as_exit_code(rc, error);
}

static int run_verb(as_cli *cli, int argc, char **argv, assay_error *err)
{
	const char *levels;
	int rc = as_cli_parse(cli, argc, argv, err);
	if (rc != 0) {
		return rc < 0 ? rc : 0;
	}
	levels = as_cli_option(cli, "log") ? as_cli_option(cli, "log") : getenv("ASSAY_LOG");
	rc = as_log_new(stderr, levels, &cli->log, err);
	if (rc == 0) {
		rc = as_progress_new(stderr, wants_progress(cli), &cli->progress, err);
	}
	if (rc == 0) {
		rc = as_cancel_new(&cli->cancel, err);
	}
	if (rc == 0) {
		rc = catch_signals(cli->cancel, err);
	}
	rc = rc < 0 ? rc : as_cli_check_log(cli, err);
	return rc < 0 ? rc : cli->verb->run(cli, err);
}

/* Words that are no verbs. Answers the exit code, or -1. */
static int before_verbs(int argc, char **argv)
{
	if (argc < 2) {
		as_cli_overview(stderr);
		return AS_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts(PACKAGE_STRING);
		return AS_EXIT_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    (strcmp(argv[1], "help") == 0 && argc == 2)) {
		as_cli_overview(stdout);
		return AS_EXIT_OK;
	}
	if (strcmp(argv[1], "help") == 0 && argc >= 3) {
		bool man = strcmp(argv[2], "--man") == 0;
		const as_verb *verb = as_verb_find(man ? (argc > 3 ? argv[3] : "") : argv[2]);
		if (man && (verb || argc == 3)) {
			as_cli_man(verb, stdout);
			return AS_EXIT_OK;
		}
		if (verb) {
			as_cli_help(verb, stdout);
			return AS_EXIT_OK;
		}
		argv[1] = argv[2]; /* told as an unknown verb */
	}
	return -1;
}

/* Whoever reads us may have had enough; anything else that keeps output from being written is an error. */
static int flush_output(FILE *out, int rc)
{
	bool failed = ferror(out) != 0; /* of what was too long to wait for the end */
	errno = 0;
	failed = fflush(out) != 0 || failed;
	if (failed && errno != EPIPE && rc == 0) {
		fputs("assay: cannot write to standard output\n", stderr);
		return AS_EXIT_INPUT;
	}
	return rc;
}

/* Threads that wait by the hundred share a few heaps, enough for those at work at once: what is free in one heap is of
 * no use to another. */
static void limit_heaps(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, 2 * (int)as_pool_cores());
#endif
}

/* Take standard output for ourselves: what a plugin prints must not stand between two lines of ours, or in our JSON.
 * Where that cannot be had, all is as it was. */
static FILE *keep_output(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		(void)close(fd);
		return stdout;
	}
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	return out;
}

int main(int argc, char **argv)
{
	as_cli cli = {0};
	assay_error error = {0};
	unsigned char spare[AS_CALLED_STACK];
	int rc = before_verbs(argc, argv);
	if (rc >= 0) {
		return flush_output(stdout, rc);
	}
	limit_heaps();
	cli.pid = getpid();
	cli.out = keep_output();
	as_called_lend(spare, sizeof spare);
	as_endings_watch(&cli);
	for (int i = 1; i < argc; i++) {
		cli.json =
			cli.json || strcmp(argv[i], "--json") == 0; /* so that a wrong command line is told so, too */
	}
	cli.verb = as_verb_find(argv[1]);
	rc = cli.verb ? run_verb(&cli, argc - 1, argv + 1, &error) : unknown_verb(argv[1], &error);
	if (rc < 0) {
		rc = report_error(&cli, rc, &error);
	}
	as_registry_free(cli.registry);
	as_progress_free(cli.progress);
	as_log_free(cli.log);
	rc = flush_output(cli.out, rc);
	as_endings_over();
	return rc; /* cli.cancel stays: a signal may come until the very end */
}
