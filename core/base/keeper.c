/* keeper COMMAND [ARGUMENT]...: run COMMAND as a child, and leave nothing of it.
 *
 * A process group or PR_SET_PDEATHSIG reaches the command itself, but not what a launcher (npx, sh -c, a daemon's
 * double fork) starts in a session of its own. The keeper is a subreaper: whatever the command starts stays among the
 * keeper's descendants, however often its parents end. It ends when the last of them has, with the command's exit
 * status (128 + signal when a signal ended it), so whoever waits for the keeper has waited for all of them.
 *
 * Three things end them: an order on the lifeline (keeper.h); the end of the lifeline, as whoever holds the other end
 * is gone, also by KILL; the end of the command, as what it left behind can be of no use to anybody. TERM comes first.
 *
 * A program of its own rather than a fork without exec: it shares no memory with a large parent, and a listing of
 * processes shows what it is. It ignores the signals by which terminals and users end programs: they go to whom they
 * are meant for, and the lifeline tells. */
#define _GNU_SOURCE /* ppoll is newer than the POSIX that we ask for elsewhere */
#include "core/base/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define AGAIN_MS 10 /* between two looks for what is still to be killed */

typedef struct keeper {
	pid_t command;
	bool ended;       /* the command has; status is set */
	bool ending;      /* TERM has been sent for good: KILL follows at `deadline` */
	bool killing;     /* until none is left, or `deadline` */
	int status;       /* to exit with */
	int64_t deadline; /* of ending or killing */
	int lifeline;     /* -1: at its end */
} keeper;

typedef struct process {
	pid_t pid, parent;
	bool ours;
} process;

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the table of processes ---- */

/* The parent, from the fourth word of /proc/PID/stat; the second is a name that may hold anything. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -1;
	}
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : -1;
}

/* All processes there are; the caller frees the list. 0 when the table cannot be read. */
static size_t read_table(process **out)
{
	size_t n = 0, cap = 0;
	DIR *dir = opendir("/proc");
	*out = NULL;
	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		pid_t parent = pid > 1 ? parent_of(e->d_name) : -1;
		if (parent <= 0) {
			continue;
		}
		if (n == cap) {
			process *more = realloc(*out, (cap = cap ? cap * 2 : 256) * sizeof **out);
			if (!more) {
				break;
			}
			*out = more;
		}
		(*out)[n++] = (process){pid, parent, parent == getpid()};
	}
	if (dir) {
		closedir(dir);
	}
	return n;
}

static int by_pid(const void *a, const void *b)
{
	const process *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_ours(const process *table, size_t n, pid_t pid)
{
	const process key = {.pid = pid};
	const process *found = bsearch(&key, table, n, sizeof *table, by_pid);
	return found && found->ours;
}

static void mark_descendants(process *table, size_t n)
{
	if (n > 1) {
		qsort(table, n, sizeof *table, by_pid);
	}
	for (bool more = n > 0; more;) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (!table[i].ours && is_ours(table, n, table[i].parent)) {
				table[i].ours = more = true;
			}
		}
	}
}

/* To all that has come of the command. For a number to be somebody else's by now, its process would have to have ended,
 * been waited for, and all other numbers been given out, since the table was read. */
static void signal_all(const keeper *k, int number)
{
	process *table;
	size_t n = read_table(&table);
	mark_descendants(table, n);
	for (size_t i = 0; i < n; i++) {
		if (table[i].ours) {
			(void)kill(table[i].pid, number);
		}
	}
	free(table);
	if (n == 0 && !k->ended) { /* no /proc: at least its group */
		(void)kill(-k->command, number);
	}
}

/* ---- the command ---- */

static void reset_signals(void)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD};
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
		(void)sigaction(ignored[i], &action, NULL);
	}
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Try all places as execvp does, but run no shell on what is no program; answers the errno value worth telling. */
static int execute(char **argv)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	int number = ENOENT;
	bool everywhere = argv[0][0] && !strchr(argv[0], '/');
	for (const char *at = path && *path ? path : AS_KEEPER_PATH;; at++) {
		int len = (int)strcspn(at, ":");
		int n = !everywhere ? snprintf(file, sizeof file, "%s", argv[0])
			: len == 0  ? snprintf(file, sizeof file, "./%s", argv[0])
				    : snprintf(file, sizeof file, "%.*s/%s", len, at, argv[0]);
		errno = ENAMETOOLONG;
		if (n > 0 && (size_t)n < sizeof file) {
			(void)execve(file, argv, environ);
		}
		if (errno != ENOENT && errno != ENOTDIR && (errno != EACCES || number == ENOENT)) {
			number = errno;
			if (number != EACCES && number != ENAMETOOLONG) {
				break;
			}
		}
		at += len;
		if (!everywhere || !*at) {
			break;
		}
	}
	return number;
}

static _Noreturn void be_command(pid_t parent, char **argv)
{
	(void)setpgid(0, 0);
#ifdef __linux__
	/* Should somebody kill the keeper, at least the command goes, too. It has one thread only, so it is right here.
	 */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0L, 0L, 0L);
#endif
	if (getppid() != parent) {
		_exit(127);
	}
	reset_signals();
	const struct as_spawn_report r = {AS_SPAWN_EXEC, execute(argv)};
	while (write(AS_KEEPER_REPORT, &r, sizeof r) < 0 && errno == EINTR) {
	}
	_exit(127);
}

/* ---- keeping ---- */

static void on_child(int number)
{
	(void)number; /* only to wake ppoll */
}

static int prepare_signals(sigset_t *unblocked)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
	struct sigaction action = {.sa_handler = SIG_IGN};
	sigset_t child;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
		if (sigaction(ignored[i], &action, NULL) != 0) {
			return -1;
		}
	}
	action.sa_handler = on_child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	return sigaction(SIGCHLD, &action, NULL) == 0 ? sigprocmask(SIG_BLOCK, &child, unblocked) : -1;
}

static void end_all(keeper *k)
{
	if (!k->ending && !k->killing) {
		k->ending = true;
		k->deadline = now_ms() + AS_KEEPER_GRACE_MS;
		signal_all(k, SIGTERM);
		signal_all(k, SIGCONT);
	}
}

static void kill_all(keeper *k)
{
	if (!k->killing) {
		k->killing = true;
		k->deadline = now_ms() + AS_KEEPER_KILLED_MS;
	}
	signal_all(k, SIGKILL);
}

/* Wait for those that have ended. Whether any is left. */
static bool reap(keeper *k)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == k->command) {
			k->ended = true;
			k->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	}
	return pid == 0 || errno != ECHILD;
}

static void take_orders(keeper *k)
{
	char order;
	ssize_t n = read(k->lifeline, &order, 1);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		close(k->lifeline);
		k->lifeline = -1;
		end_all(k);
	} else if (n > 0 && order == AS_KEEPER_KILL) {
		kill_all(k);
	} else if (n > 0) {
		signal_all(k, SIGTERM);
		signal_all(k, SIGCONT); /* a stopped process cannot take the hint */
	}
}

static void keep(keeper *k, const sigset_t *unblocked)
{
	while (reap(k)) {
		struct pollfd fd = {.fd = k->lifeline, .events = POLLIN};
		if (k->ended) {
			end_all(k);
		}
		int64_t left = k->deadline - now_ms();
		if (k->killing && left <= 0) {
			return;
		}
		if (k->killing || (k->ending && left <= 0)) {
			kill_all(k); /* again and again: a process may have come while we looked */
		}
		int64_t ms = k->killing ? AGAIN_MS : left > 0 ? left : 0;
		const struct timespec wait = {ms / 1000, ms % 1000 * 1000000};
		if (ppoll(&fd, 1, k->killing || k->ending ? &wait : NULL, unblocked) > 0) {
			take_orders(k);
		}
	}
}

int main(int argc, char **argv)
{
	keeper k = {.lifeline = AS_KEEPER_LIFELINE, .status = 127};
	sigset_t unblocked;
	pid_t self = getpid();
	struct as_spawn_report r = {AS_SPAWN_KEEPER, EINVAL};
	if (argc < 2 || fcntl(AS_KEEPER_REPORT, F_SETFD, FD_CLOEXEC) != 0 ||
	    fcntl(AS_KEEPER_LIFELINE, F_SETFD, FD_CLOEXEC) != 0) {
		fputs("keeper: assay starts this program, nobody else can\n", stderr);
		return 2;
	}
#ifdef __linux__
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
#endif
	k.command = prepare_signals(&unblocked) == 0 ? fork() : -1;
	if (k.command == 0) {
		be_command(self, argv + 1);
	}
	if (k.command < 0) {
		r.number = errno;
		(void)!write(AS_KEEPER_REPORT, &r, sizeof r);
		return 127;
	}
	for (int i = 1; i < argc; i++) { /* who looks for the command by its words ("pkill -f") does not mean us */
		memset(argv[i], 0, strlen(argv[i]));
	}
	for (int fd = 0; fd <= AS_KEEPER_REPORT; fd++) {
		close(fd); /* or the ends of its pipes would never be seen */
	}
	keep(&k, &unblocked);
	return k.status;
}
