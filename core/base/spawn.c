/* The parent has many threads, so the child may only call async-signal-safe functions before exec: everything that
 * needs memory is prepared before fork.
 *
 * Other threads may fork while this one has descriptors without close-on-exec. No child minds, because each closes
 * whatever it inherited above its standard descriptors.
 *
 * PR_SET_PDEATHSIG is not used: it fires when the thread that forked ends, not the process. A child notices the end of
 * ours by the end of its stdin. */
#ifndef AS_SPAWN_PORTABLE
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "core/base/spawn.h"

#include "core/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__) && !defined(AS_SPAWN_PORTABLE)
#include <sys/syscall.h>
#endif

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define LAST_SIGNAL 64
#define REPORT_FD 3 /* where the child has the pipe that reports failures */

enum stage { STAGE_DESCRIPTORS, STAGE_FOLDER, STAGE_EXEC };

/* What the child tells about a failure; written at once, being smaller than PIPE_BUF. */
struct report {
	int stage, number;
};

struct plan {
	const as_spawn *spawn;
	const char *const *files; /* what to try to execute, in this order */
	int report;
	int descriptors; /* how many a process may have */
	sigset_t mask;
};

const char *as_spawn_env(const char *const *env, const char *name)
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

/* Answers whether descriptors 0-2 and the report are in place. */
static bool place_descriptors(const struct plan *plan)
{
	/* Descriptor 2 of ours may be the source of 1: it is overwritten last. */
	for (int i = 0; i < 3; i++) {
		if (plan->spawn->fds[i] != i && dup2(plan->spawn->fds[i], i) < 0) {
			return false;
		}
	}
	if (plan->report != REPORT_FD && dup2(plan->report, REPORT_FD) < 0) {
		return false;
	}
	(void)fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
	close_above(REPORT_FD + 1, plan->descriptors);
	return true;
}

/* Try all files as execvp does; answers the errno value worth telling. */
static int execute(const struct plan *plan)
{
	int number = ENOENT;
	char *const *argv, *const *env;
	/* execve takes char *const * for historical reasons and changes nothing. */
	memcpy(&argv, &plan->spawn->argv, sizeof argv);
	memcpy(&env, &plan->spawn->env, sizeof env);
	for (const char *const *file = plan->files; *file; file++) {
		(void)execve(*file, argv, env);
		if (errno != ENOENT && errno != ENOTDIR && (errno != EACCES || number == ENOENT)) {
			number = errno;
			if (number != EACCES) {
				break;
			}
		}
	}
	return number;
}

static _Noreturn void be_child(const struct plan *plan)
{
	struct report r = {STAGE_DESCRIPTORS, 0};
	int report = plan->report;
	(void)setpgid(0, 0);
	if (!place_descriptors(plan)) {
		r.number = errno;
		goto failed;
	}
	report = REPORT_FD;
	if (plan->spawn->cwd && chdir(plan->spawn->cwd) != 0) {
		r = (struct report){STAGE_FOLDER, errno};
		goto failed;
	}
	reset_signals();
	r = (struct report){STAGE_EXEC, execute(plan)};
failed:
	while (write(report, &r, sizeof r) < 0 && errno == EINTR) {
	}
	_exit(127);
}

/* ---- in the parent ---- */

static const char *const *find_files(as_arena *a, const as_spawn *s)
{
	const char *name = s->argv[0];
	const char *path = as_spawn_env(s->env, "PATH");
	path = path ? path : getenv("PATH");
	path = path && *path ? path : DEFAULT_PATH;
	size_t n = 2;
	for (const char *p = path; *p; p++) {
		n += *p == ':';
	}
	const char **files = as_arena_alloc(a, (n + 1) * sizeof *files);
	if (!files) {
		return NULL;
	}
	if (strchr(name, '/') || !*name) {
		files[0] = name;
		return files;
	}
	for (size_t i = 0;; i++) {
		size_t len = strcspn(path, ":");
		files[i] = len > 0 ? as_arena_printf(a, "%.*s/%s", (int)len, path, name)
				   : as_arena_printf(a, "./%s", name);
		if (path[len] == '\0') {
			break;
		}
		path += len + 1;
	}
	return a->failed ? NULL : files;
}

static int fail_child(const struct plan *plan, const struct report *r, assay_error *err)
{
	const char *name = plan->spawn->argv[0];
	struct stat st;
	if (r->stage == STAGE_FOLDER) {
		return as_fail_errno(err, r->number, plan->spawn->cwd, "enter the folder");
	}
	if (r->stage == STAGE_DESCRIPTORS) {
		return as_fail_errno(err, r->number, name, "set up its descriptors");
	}
	if (r->number != ENOENT) {
		return as_fail_errno(err, r->number, name, "run the command");
	}
	int rc = as_fail(err, ASSAY_ENOENT, "command not found: %s", name);
	as_error_where(err, name, 0);
	for (const char *const *file = plan->files; *file; file++) {
		if ((*file)[0] == '/' && stat(*file, &st) == 0) {
			as_error_hint(err, "%s is there, but the interpreter that its first line names is not", *file);
		}
	}
	as_error_hint(err, strchr(name, '/') ? "check the path" : "install it, or add its folder to PATH");
	return rc;
}

/* The pipe closes when exec succeeds; else it brings a report. */
static int await_exec(const struct plan *plan, int fd, pid_t pid, assay_error *err)
{
	struct report r;
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
	struct plan plan = {.spawn = s, .files = find_files(&arena, s), .report = -1};
	int fds[2] = {-1, -1};
	int rc = 0;
	long limit = sysconf(_SC_OPEN_MAX);
	plan.descriptors = limit > 0 && limit < INT_MAX ? (int)limit : 1024;
	if (!plan.files) {
		rc = as_fail_memory(err);
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
