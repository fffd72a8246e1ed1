/* The parent has many threads, so the child may only call async-signal-safe functions before exec: everything that
 * needs memory is prepared before fork.
 *
 * Other threads may fork while this one has descriptors without close-on-exec. No child minds, because each closes
 * whatever it inherited above its standard descriptors.
 *
 * What is executed first is the keeper (keeper.c), which then starts the command. */
#ifndef AS_SPAWN_PORTABLE
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "core/base/spawn.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/keeper.h"
#include "core/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__) && !defined(AS_SPAWN_PORTABLE)
#include <sys/syscall.h>
#endif

#define LAST_SIGNAL 64
#define KEEPER "keeper"
#ifndef AS_PKGLIBDIR
#define AS_PKGLIBDIR "/usr/lib/assay"
#endif

struct plan {
	const as_spawn *spawn;
	const char *keeper; /* its file */
	char **argv;        /* of the keeper */
	int report;
	int descriptors; /* how many a process may have */
	sigset_t mask;
};

/* The value of NAME in a list of "NAME=value", or NULL. */
static const char *value_of(const char *const *env, const char *name)
{
	size_t n = strlen(name);
	for (; env && *env; env++) {
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
			return *env + n + 1;
		}
	}
	return NULL;
}

int as_spawn_lift(int fd)
{
	if (fd > 2) {
		return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
	}
	int lifted = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int number = errno;
	close(fd);
	errno = number;
	return lifted;
}

/* ---- in the child ---- */

static void close_above(int lowest, int count)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)lowest, UINT_MAX, 0u) == 0) {
		return;
	}
#endif
	for (int fd = lowest; fd < count; fd++) {
		close(fd);
	}
}

static void reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	sigemptyset(&action.sa_mask);
	for (int i = 1; i <= LAST_SIGNAL; i++) {
		(void)sigaction(i, &action, NULL); /* fails for KILL, STOP and those of the C library */
	}
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Answers whether descriptors 0-2, the report and the lifeline are in place. */
static bool place_descriptors(struct plan *plan)
{
	int report = fcntl(plan->report, F_DUPFD, AS_KEEPER_LIFELINE + 1);
	int lifeline = fcntl(plan->spawn->lifeline, F_DUPFD, AS_KEEPER_LIFELINE + 1);
	if (report < 0 || lifeline < 0) {
		return false;
	}
	/* Descriptor 2 of ours may be the source of 1: it is overwritten last. */
	for (int i = 0; i < 3; i++) {
		if (plan->spawn->fds[i] != i && dup2(plan->spawn->fds[i], i) < 0) {
			return false;
		}
	}
	if (dup2(report, AS_KEEPER_REPORT) < 0) {
		return false;
	}
	plan->report = AS_KEEPER_REPORT;
	if (dup2(lifeline, AS_KEEPER_LIFELINE) < 0) {
		return false;
	}
	close_above(AS_KEEPER_LIFELINE + 1, plan->descriptors);
	return true;
}

static _Noreturn void be_child(struct plan *plan)
{
	struct as_spawn_report r = {AS_SPAWN_DESCRIPTORS, 0};
	char *const *env;
	/* execve takes char *const * for historical reasons and changes nothing. */
	memcpy(&env, &plan->spawn->env, sizeof env);
	(void)setpgid(0, 0); /* signals of our terminal are for us */
	if (!place_descriptors(plan)) {
		r.number = errno;
		goto failed;
	}
	if (plan->spawn->cwd && chdir(plan->spawn->cwd) != 0) {
		r = (struct as_spawn_report){AS_SPAWN_FOLDER, errno};
		goto failed;
	}
	reset_signals();
	(void)execve(plan->keeper, plan->argv, env);
	r = (struct as_spawn_report){AS_SPAWN_KEEPER, errno};
failed:
	while (write(plan->report, &r, sizeof r) < 0 && errno == EINTR) {
	}
	_exit(127);
}

/* ---- in the parent ---- */

void as_process_own(const char *name, as_buf *out)
{
	const char *dir = getenv("ASSAY_LIB_DIR");
	as_buf_printf(out, "%s/%s", dir && *dir ? dir : AS_PKGLIBDIR, name);
}

static int make_plan(as_arena *a, const as_spawn *s, struct plan *plan, assay_error *err)
{
	as_buf keeper = {0};
	long limit = sysconf(_SC_OPEN_MAX);
	size_t n = 0;
	while (s->argv[n]) {
		n++;
	}
	as_process_own(KEEPER, &keeper);
	plan->keeper = as_arena_cstr(a, as_buf_str(&keeper));
	a->failed = a->failed || keeper.failed;
	as_buf_free(&keeper);
	plan->descriptors = limit > 0 && limit < INT_MAX ? (int)limit : 1024;
	plan->argv = as_arena_alloc(a, (n + 2) * sizeof *plan->argv);
	if (!plan->argv || !plan->keeper) {
		return as_fail_memory(err);
	}
	plan->argv[0] = as_arena_cstr(a, ASSAY_STR(KEEPER));
	for (size_t i = 0; i < n; i++) {
		plan->argv[i + 1] = as_arena_cstr(a, as_str(s->argv[i]));
	}
	return a->failed ? as_fail_memory(err) : 0;
}

/* A script whose interpreter is missing looks like a missing command. */
static void hint_missing(const struct plan *plan, assay_error *err)
{
	const char *name = plan->spawn->argv[0], *path = value_of(plan->spawn->env, "PATH");
	as_buf file = {0};
	if (strchr(name, '/') && plan->spawn->cwd) { /* it starts from where the child does */
		as_path_join(&file, as_str(plan->spawn->cwd), as_str(name));
	} else {
		as_process_find(name, path, &file);
	}
	if (file.len > 0 && file.ptr[0] == '/' && as_file_exists(file.ptr)) {
		as_error_hint(err, "%s is there, but the interpreter that its first line names is not", file.ptr);
	}
	if (strchr(name, ' ')) {
		as_error_hint(err, "it is taken as one name, blanks and all: its arguments belong apart from it");
	}
	as_error_hint(err, strchr(name, '/') ? "check the path" : "install it, or add its folder to PATH");
	as_buf_free(&file);
}

static int fail_child(const struct plan *plan, const struct as_spawn_report *r, assay_error *err)
{
	const char *name = plan->spawn->argv[0];
	if (r->stage == AS_SPAWN_FOLDER) {
		return as_fail_errno(err, r->number, plan->spawn->cwd, "enter the folder");
	}
	if (r->stage == AS_SPAWN_DESCRIPTORS) {
		return as_fail_errno(err, r->number, name, "set up its descriptors");
	}
	if (r->number == E2BIG) {
		as_fail(err, ASSAY_EIO,
			"its arguments and variables, or one of them, are longer than the system takes");
		as_error_where(err, name, 0);
		as_error_hint(err, "pass what is long in a file");
		return ASSAY_EIO;
	}
	if (r->stage == AS_SPAWN_KEEPER) {
		int rc = as_fail_errno(err, r->number, plan->keeper, "start the keeper of child processes");
		as_error_hint(err, "install the program again, or set ASSAY_LIB_DIR to its library folder");
		return rc;
	}
	if (r->number != ENOENT) {
		return as_fail_errno(err, r->number, name, "run the command");
	}
	int rc = as_fail(err, ASSAY_ENOENT, "command not found: %s", name);
	as_error_where(err, name, 0);
	hint_missing(plan, err);
	return rc;
}

/* The pipe closes when exec succeeds; else it brings a report. */
static int await_exec(const struct plan *plan, int fd, pid_t pid, assay_error *err)
{
	struct as_spawn_report r;
	ssize_t n;
	do {
		n = read(fd, &r, sizeof r);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof r) {
		return 0;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
	return fail_child(plan, &r, err);
}

static pid_t fork_child(struct plan *plan)
{
	sigset_t all;
	sigfillset(&all);
	/* The child must not run our signal handlers: they would act on what it shares with us. */
	(void)pthread_sigmask(SIG_SETMASK, &all, &plan->mask);
	pid_t pid = fork();
	if (pid == 0) {
		be_child(plan);
	}
	int number = errno;
	(void)pthread_sigmask(SIG_SETMASK, &plan->mask, NULL);
	errno = number;
	return pid;
}

int as_spawn_child(const as_spawn *s, pid_t *pid, assay_error *err)
{
	as_arena arena = {0};
	struct plan plan = {.spawn = s, .report = -1};
	int fds[2] = {-1, -1};
	int rc = make_plan(&arena, s, &plan, err);
	if (rc < 0) {
		goto out;
	}
	if (pipe(fds) != 0) {
		rc = as_fail_errno(err, errno, s->argv[0], "make a pipe");
		goto out;
	}
	fds[0] = as_spawn_lift(fds[0]);
	fds[1] = as_spawn_lift(fds[1]);
	plan.report = fds[1];
	*pid = fds[0] < 0 || fds[1] < 0 ? -1 : fork_child(&plan);
	if (*pid < 0) {
		rc = as_fail_errno(err, errno, s->argv[0], "start a process");
		goto out;
	}
	close(fds[1]);
	fds[1] = -1;
	rc = await_exec(&plan, fds[0], *pid, err);
out:
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0) {
			close(fds[i]);
		}
	}
	as_arena_free(&arena);
	return rc;
}
