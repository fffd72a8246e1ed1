/* Pipes to and from children, and their end. All our ends are non-blocking, and all waiting is one poll over stdin,
 * stdout, stderr, the process itself and the cancellation, so that neither side can block the other.
 *
 * SIGPIPE must not end us when a child stops reading. Whether the program ignores it is main's affair, and is looked
 * at when a child is started: where it does not, write_quietly blocks it for the thread and swallows one that its own
 * write raised.
 *
 * The end of a child is seen through a pidfd (no SIGCHLD handler, which would be global state); without one by looking
 * at short intervals. Our child is the keeper of the command (keeper.c), which ends as the command did, once nothing of
 * it is left; all signals are the keeper's to send. */
#ifndef AS_SPAWN_PORTABLE
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "core/base/process.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/keeper.h"
#include "core/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__) && !defined(AS_SPAWN_PORTABLE)
#include <sys/syscall.h>
#endif

#define CHUNK ((size_t)16 << 10)
#define DEFAULT_STDERR ((size_t)16 << 10)
#define MAX_STDERR ((size_t)16 << 20)
#define MAX_PENDING ((size_t)32 << 20) /* output taken in while writing */
#define POLL_SLICE_MS 3600000
#define LOOK_FIRST_MS 1 /* without a pidfd: the first and */
#define LOOK_LAST_MS 50 /* the longest interval of looking */
#define KILLED_MS (AS_KEEPER_KILLED_MS + 1000)
#define RUN_GRACE_MS 200

#define READY_IN 1u
#define READY_OUT 2u
#define READY_EXIT 4u

struct as_process {
	pid_t pid;
	int in, out, err; /* our ends; -1: none or closed */
	int lifeline;     /* our end of it */
	int pidfd;        /* -1: the system has none */
	bool ignores;     /* SIGPIPE does nothing */
	bool ended, lost; /* lost: somebody else reaped it, so its number may be another's now */
	int status;
	char *name;
	as_buf pending; /* output that came while writing */
	size_t pending_at, pending_max;
	char *tail; /* room for twice `keep`; the last `keep` bytes of tail_len are the tail */
	size_t tail_len, keep;
};

/* ---- starting ---- */

/* A pipe whose end `mine` (0 read, 1 write) is ours. */
static int open_pipe(int mine, int *ours, int *theirs)
{
	int fds[2];
	if (pipe(fds) != 0) {
		return -1;
	}
	*ours = as_spawn_lift(fds[mine]);
	*theirs = as_spawn_lift(fds[1 - mine]);
	if (*ours < 0 || *theirs < 0) {
		return -1;
	}
	int flags = fcntl(*ours, F_GETFL);
	return flags < 0 ? -1 : fcntl(*ours, F_SETFL, flags | O_NONBLOCK);
}

static int open_null(int flags)
{
	int fd = open("/dev/null", flags | O_CLOEXEC);
	return fd < 0 ? -1 : as_spawn_lift(fd);
}

static int open_stdio(as_process *p, uint32_t flags, int theirs[3])
{
	int rc = 0;
	if (flags & AS_PROCESS_STDIN) {
		rc = open_pipe(1, &p->in, &theirs[0]);
	} else {
		theirs[0] = open_null(O_RDONLY);
	}
	if (rc == 0 && (flags & AS_PROCESS_STDOUT)) {
		rc = open_pipe(0, &p->out, &theirs[1]);
	} else if (rc == 0 && (flags & AS_PROCESS_PASS_OUT) && fcntl(2, F_GETFD) >= 0) {
		theirs[1] = 2;
	} else if (rc == 0) {
		theirs[1] = open_null(O_WRONLY);
	}
	if (rc == 0 && (flags & AS_PROCESS_STDERR)) {
		rc = open_pipe(0, &p->err, &theirs[2]);
	} else if (rc == 0) {
		theirs[2] = open_null(O_WRONLY);
	}
	return rc == 0 && theirs[0] >= 0 && theirs[1] >= 0 && theirs[2] >= 0 ? 0 : -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0) {
		close(*fd);
		*fd = -1;
	}
}

static void free_process(as_process *p)
{
	close_fd(&p->in);
	close_fd(&p->out);
	close_fd(&p->err);
	close_fd(&p->lifeline);
	close_fd(&p->pidfd);
	as_buf_free(&p->pending);
	free(p->tail);
	free(p->name);
	free(p);
}

static as_process *new_process(const as_process_spec *spec)
{
	as_process *p = as_new(1, sizeof *p);
	struct sigaction action;
	if (!p) {
		return NULL;
	}
	p->in = p->out = p->err = p->lifeline = p->pidfd = -1;
	p->ignores = sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
	p->pending_max = MAX_PENDING;
	p->keep = spec->stderr_keep == 0 ? DEFAULT_STDERR : spec->stderr_keep;
	p->keep = p->keep < MAX_STDERR ? p->keep : MAX_STDERR;
	p->name = as_strndup(as_path_base(as_str(spec->argv[0])));
	p->tail = spec->flags & AS_PROCESS_STDERR ? as_new(2, p->keep) : NULL;
	if (!p->name || (!p->tail && (spec->flags & AS_PROCESS_STDERR))) {
		free_process(p);
		return NULL;
	}
	return p;
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0u); /* close-on-exec by itself */
#else
	(void)pid;
	return -1;
#endif
}

int as_process_spawn(const as_process_spec *spec, as_process **out, assay_error *err)
{
	as_arena arena = {0};
	int theirs[4] = {-1, -1, -1, -1}; /* 0-2, lifeline */
	int rc = 0;
	*out = NULL;
	if (!spec->argv || !spec->argv[0] || !spec->argv[0][0]) {
		return as_fail(err, ASSAY_EINVAL, "the command is empty");
	}
	as_process *p = new_process(spec);
	const char *const *env = spec->env ? spec->env : as_process_env(&arena, NULL);
	if (!p || !env) {
		rc = as_fail_memory(err);
		goto out;
	}
	if (open_stdio(p, spec->flags, theirs) != 0 || open_pipe(1, &p->lifeline, &theirs[3]) != 0) {
		rc = as_fail_errno(err, errno, spec->argv[0], "make its pipes");
		goto out;
	}
	const as_spawn spawn = {spec->argv, env, spec->cwd, {theirs[0], theirs[1], theirs[2]}, theirs[3]};
	rc = as_spawn_child(&spawn, &p->pid, err);
	if (rc == 0) {
		p->pidfd = open_pidfd(p->pid);
		*out = p;
		p = NULL;
	}
out:
	for (int i = 0; i < 4; i++) {
		if (theirs[i] > 2) {
			close(theirs[i]);
		}
	}
	if (p) {
		free_process(p);
	}
	as_arena_free(&arena);
	return rc;
}

int as_process_pid(const as_process *p)
{
	return (int)p->pid;
}

/* ---- moving bytes ---- */

static ssize_t write_quietly(const as_process *p, int fd, const char *bytes, size_t n)
{
	sigset_t only, old, pending;
	if (p->ignores) {
		return write(fd, bytes, n);
	}
	sigemptyset(&only);
	sigaddset(&only, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &only, &old);
	sigemptyset(&pending);
	(void)sigpending(&pending);
	ssize_t done = write(fd, bytes, n);
	int number = errno;
	if (done < 0 && number == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
		static const struct timespec now = {0};
		while (sigtimedwait(&only, NULL, &now) < 0 && errno == EINTR) {
		}
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = number;
	return done;
}

static void keep_tail(as_process *p, const char *bytes, size_t n)
{
	if (n >= p->keep) {
		memcpy(p->tail, bytes + (n - p->keep), p->keep);
		p->tail_len = p->keep;
		return;
	}
	if (p->tail_len + n > 2 * p->keep) {
		memmove(p->tail, p->tail + (p->tail_len - p->keep), p->keep);
		p->tail_len = p->keep;
	}
	memcpy(p->tail + p->tail_len, bytes, n);
	p->tail_len += n;
}

/* Read what is there, at most cap: bytes, 0 at the end (*fd is closed then), or -1 when there is nothing now. */
static ssize_t read_some(int *fd, char *buf, size_t cap)
{
	ssize_t n;
	do {
		n = read(*fd, buf, cap);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		return -1;
	}
	if (n <= 0) { /* any other error of a pipe is as good as its end */
		close_fd(fd);
		return 0;
	}
	return n;
}

/* One piece of stderr; whether there may be more. */
static bool drain_stderr(as_process *p)
{
	char chunk[CHUNK];
	if (p->err < 0) {
		return false;
	}
	ssize_t n = read_some(&p->err, chunk, sizeof chunk);
	if (n > 0) {
		keep_tail(p, chunk, (size_t)n);
	}
	return n > 0;
}

static int fail_gone(const as_process *p, const char *what, assay_error *err)
{
	bool first = err && err->code == 0;
	int rc = as_fail(err, ASSAY_EUNREACH, "%s %s", p->name, what);
	if (first) {
		err->flags |= ASSAY_ERR_PEER;
	}
	return rc;
}

/* ---- waiting ---- */

/* Has it ended? Notes the status and leaves the zombie. */
static bool look(as_process *p)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	if (p->ended) {
		return true;
	}
	if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
		if (errno == EINTR) {
			return false;
		}
		p->lost = true; /* SIGCHLD is ignored, say */
		p->status = 255;
	} else if (info.si_pid == 0) {
		return false;
	} else {
		p->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	}
	p->ended = true;
	return true;
}

/* One poll of at most `ms`; the READY_ bits of what happened out of `want`, or a negative code. */
static int poll_once(as_process *p, unsigned want, int ms, const as_cancel *cancel, assay_error *err)
{
	struct pollfd fds[5] = {
		{.fd = want & READY_IN ? p->in : -1, .events = POLLOUT},
		{.fd = want & READY_OUT ? p->out : -1, .events = POLLIN},
		{.fd = p->err, .events = POLLIN},
		{.fd = p->pidfd, .events = POLLIN},
		{.fd = as_cancel_fd(cancel), .events = POLLIN},
	};
	int ready = 0;
	int n = poll(fds, 5, ms);
	if (n < 0 && errno != EINTR && errno != EAGAIN) {
		return as_fail_errno(err, errno, p->name, "wait for the process");
	}
	if (n < 0) {
		return 0;
	}
	if (fds[4].revents) {
		return as_fail(err, ASSAY_ECANCELED, "cancelled");
	}
	if (fds[2].revents) {
		(void)drain_stderr(p);
	}
	ready |= fds[0].revents ? (int)READY_IN : 0;
	ready |= fds[1].revents ? (int)READY_OUT : 0;
	ready |= (fds[3].revents || p->pidfd < 0) && look(p) ? (int)READY_EXIT : 0;
	return ready;
}

/* Wait for one of `want` or the end of the process, taking in stderr meanwhile. The bits, or a negative code. */
static int await(as_process *p, unsigned want, int64_t deadline_ms, const as_cancel *cancel, assay_error *err)
{
	int look_ms = LOOK_FIRST_MS;
	for (;;) {
		int64_t left = as_remaining(deadline_ms);
		int64_t slice = p->pidfd >= 0 ? POLL_SLICE_MS : look_ms;
		slice = p->ended ? 0 : left < slice ? left : slice;
		int ready = poll_once(p, want, (int)slice, cancel, err);
		if (ready != 0) {
			return ready;
		}
		if (p->ended) {
			return (int)READY_EXIT;
		}
		if (left == 0) {
			return as_fail(err, ASSAY_ETIMEOUT, "%s did not answer in time", p->name);
		}
		look_ms = look_ms * 2 < LOOK_LAST_MS ? look_ms * 2 : LOOK_LAST_MS;
	}
}

/* ---- the interface ---- */

static int take_pending(as_process *p, assay_error *err)
{
	if (p->pending.len - p->pending_at > p->pending_max) {
		return as_fail(err, ASSAY_ELIMIT, "%s printed more than %zu bytes without reading its input", p->name,
			       p->pending_max);
	}
	if (!as_buf_reserve(&p->pending, CHUNK)) {
		return as_fail_memory(err);
	}
	ssize_t n = read_some(&p->out, p->pending.ptr + p->pending.len, CHUNK);
	p->pending.len += n > 0 ? (size_t)n : 0;
	return 0;
}

int as_process_write(as_process *p, assay_str bytes, int64_t deadline_ms, const as_cancel *cancel, assay_error *err)
{
	while (bytes.len > 0) {
		if (p->in < 0) {
			return fail_gone(p, "has no open input", err);
		}
		ssize_t n = write_quietly(p, p->in, bytes.ptr, bytes.len);
		if (n > 0) {
			bytes = (assay_str){bytes.ptr + n, bytes.len - (size_t)n};
			continue;
		}
		if (n < 0 && errno == EPIPE) {
			close_fd(&p->in);
			return fail_gone(p, look(p) ? "has ended" : "has closed its input", err);
		}
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
			return as_fail_errno(err, errno, p->name, "write to the process");
		}
		int ready = await(p, READY_IN | READY_OUT, deadline_ms, cancel, err);
		if (ready < 0) {
			return ready;
		}
		if ((unsigned)ready & READY_OUT) {
			int rc = take_pending(p, err);
			if (rc != 0) {
				return rc;
			}
		} else if (((unsigned)ready & READY_EXIT) && !((unsigned)ready & READY_IN)) {
			return fail_gone(p, "has ended", err); /* a relative of it may hold the pipe open */
		}
	}
	return 0;
}

int as_process_read(as_process *p, char *buf, size_t cap, int64_t deadline_ms, const as_cancel *cancel, size_t *n,
		    assay_error *err)
{
	*n = 0;
	if (as_cancel_is_set(cancel)) {
		return as_fail(err, ASSAY_ECANCELED, "cancelled");
	}
	if (p->pending_at < p->pending.len) {
		size_t left = p->pending.len - p->pending_at;
		*n = left < cap ? left : cap;
		memcpy(buf, p->pending.ptr + p->pending_at, *n);
		p->pending_at += *n;
		if (p->pending_at == p->pending.len) {
			as_buf_free(&p->pending);
			p->pending_at = 0;
		}
		return 0;
	}
	while (p->out >= 0 && cap > 0) {
		int ready = await(p, READY_OUT, deadline_ms, cancel, err);
		if (ready < 0) {
			return ready;
		}
		/* Its end was looked at before the read: what it wrote before that is in the pipe by then. */
		ssize_t some = read_some(&p->out, buf, cap);
		if (some >= 0 || ((unsigned)ready & READY_EXIT) != 0) {
			*n = some > 0 ? (size_t)some : 0;
			return 0;
		}
	}
	return 0;
}

assay_str as_process_stderr(as_process *p)
{
	/* What was printed before an end that the caller has seen is in the pipe: bounded, as it may go on and on. */
	for (int i = 0; i < 64 && drain_stderr(p); i++) {
	}
	size_t n = p->tail_len < p->keep ? p->tail_len : p->keep;
	return p->tail ? (assay_str){p->tail + (p->tail_len - n), n} : ASSAY_STR("");
}

void as_process_close_stdin(as_process *p)
{
	close_fd(&p->in);
}

int as_process_wait(as_process *p, int64_t deadline_ms, const as_cancel *cancel, int *status, assay_error *err)
{
	char chunk[CHUNK];
	while (!look(p)) {
		int ready = await(p, READY_OUT, deadline_ms, cancel, err);
		if (ready < 0) {
			return ready;
		}
		if ((unsigned)ready & READY_OUT) {
			(void)read_some(&p->out, chunk, sizeof chunk);
		}
	}
	*status = p->status;
	return 0;
}

const char *as_signal_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
		       {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
		       {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
		       {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
		       {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		if (signals[i].number == number) {
			return signals[i].name;
		}
	}
	return NULL;
}

void as_process_say_status(as_buf *out, int status)
{
	const char *name = as_signal_name(status - 128);
	if (name) {
		as_buf_printf(out, "was killed by %s", name);
	} else {
		as_buf_printf(out, "exited with status %d", status);
	}
}

void as_process_stop(as_process *p, int64_t grace_ms)
{
	static const char term = AS_KEEPER_TERM, killing = AS_KEEPER_KILL;
	int status;
	if (!p) {
		return;
	}
	close_fd(&p->in);
	int rc = as_process_wait(p, as_deadline(grace_ms), NULL, &status, NULL);
	if (rc != 0) { /* an order that cannot be written comes too late: the keeper has ended */
		(void)write_quietly(p, p->lifeline, &term, 1);
		rc = as_process_wait(p, as_deadline(grace_ms), NULL, &status, NULL);
	}
	if (rc != 0) {
		(void)write_quietly(p, p->lifeline, &killing, 1);
		rc = as_process_wait(p, as_deadline(KILLED_MS), NULL, &status, NULL);
	}
	if (rc == 0) {
		while (!p->lost && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
		}
	}
	free_process(p);
}

/* Feed the input and collect the output until stdout ends. */
static int converse(as_process *p, assay_str input, size_t max, int64_t deadline_ms, const as_cancel *cancel,
		    as_buf *output, assay_error *err)
{
	assay_error unread = {0};
	int rc = as_process_write(p, input, deadline_ms, cancel, &unread);
	if (rc != 0 && rc != ASSAY_EUNREACH) {
		if (err && err->code == 0) {
			*err = unread;
		}
		return rc;
	}
	as_process_close_stdin(p); /* a program need not read all of its input */
	for (;;) {
		size_t n = 0;
		if (!as_buf_reserve(output, CHUNK)) {
			return as_fail_memory(err);
		}
		rc = as_process_read(p, output->ptr + output->len, CHUNK, deadline_ms, cancel, &n, err);
		if (rc != 0 || n == 0) {
			break;
		}
		output->len += n;
		if (output->len > max) {
			return as_fail(err, ASSAY_ELIMIT, "%s printed more than %zu bytes", p->name, max);
		}
	}
	as_buf_puts(output, ""); /* terminate */
	return rc;
}

int as_process_run(const as_process_spec *spec, assay_str input, size_t max, int64_t deadline_ms,
		   const as_cancel *cancel, assay_text *out, int *status, assay_error *err)
{
	as_process_spec with_pipes = *spec;
	as_process *p = NULL;
	as_buf output = {0};
	*out = (assay_text){0};
	*status = -1;
	with_pipes.flags |= AS_PROCESS_STDOUT | (input.len > 0 ? AS_PROCESS_STDIN : 0);
	int rc = as_process_spawn(&with_pipes, &p, err);
	if (rc != 0) {
		return rc;
	}
	p->pending_max = max < MAX_PENDING ? max : MAX_PENDING;
	rc = converse(p, input, max, deadline_ms, cancel, &output, err);
	if (rc == 0) {
		rc = as_process_wait(p, deadline_ms, cancel, status, err);
	}
	if (rc == 0) {
		rc = as_buf_take(&output, out, err);
	}
	as_buf_free(&output);
	as_process_stop(p, RUN_GRACE_MS);
	return rc;
}

/* ---- the environment ---- */

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

void as_process_find(const char *name, const char *path, as_buf *out)
{
	as_buf file = {0};
	bool found = false;
	if (strchr(name, '/')) {
		as_buf_puts(&file, name);
		found = file.len > 0 && is_program(name);
	}
	for (const char *at = path && *path ? path : AS_KEEPER_PATH; !strchr(name, '/') && !found;) {
		size_t len = strcspn(at, ":");
		as_buf_clear(&file);
		as_buf_printf(&file, "%.*s/%s", len > 0 ? (int)len : 1, len > 0 ? at : ".", name);
		found = file.len > 0 && is_program(file.ptr);
		at += len;
		if (!*at++) {
			break;
		}
	}
	if (found) {
		as_buf_add(out, as_buf_str(&file));
	}
	as_buf_free(&file);
}

extern char **environ; /* POSIX wants programs to declare it */

static bool is_allowed(const char *entry)
{
	static const char *const names[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "TERM", "SHELL"};
	size_t n = strcspn(entry, "=");
	if (strncmp(entry, "LC_", 3) == 0) {
		return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i]) == n && strncmp(entry, names[i], n) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_named(const char *const *list, const char *entry)
{
	size_t n = strcspn(entry, "=");
	for (; list && *list; list++) {
		if (strncmp(*list, entry, n) == 0 && (*list)[n] == '=') {
			return true;
		}
	}
	return false;
}

const char *const *as_process_env(as_arena *a, const char *const *extra)
{
	size_t n = 1, used = 0;
	for (char **e = environ; e && *e; e++) {
		n += is_allowed(*e);
	}
	for (size_t i = 0; extra && extra[i]; i++) {
		n++;
	}
	const char **env = as_arena_alloc(a, n * sizeof *env);
	if (!env) {
		return NULL;
	}
	for (char **e = environ; e && *e; e++) {
		if (is_allowed(*e) && !is_named(extra, *e)) {
			env[used++] = as_arena_cstr(a, as_str(*e));
		}
	}
	for (size_t i = 0; extra && extra[i]; i++) {
		if (!is_named(extra + i + 1, extra[i])) { /* the last of a name wins */
			env[used++] = as_arena_cstr(a, as_str(extra[i]));
		}
	}
	return a->failed ? NULL : env;
}
