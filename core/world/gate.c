/* gate --allow ENTRY... -- BWRAP [OPTION]... -- gate --inside -- COMMAND [ARGUMENT]...: the way out of a sandbox whose
 * "network" is a list of hosts.
 *
 * The sandbox has a network of its own, with nothing in it. The second part of this program starts there, opens a
 * listening socket on that network's loopback, hands it to the first part over a socket pair, names it in the usual
 * variables of HTTP proxies and becomes the command. A socket belongs to the network that it was made in, whoever holds
 * it: the first part accepts the connections of the sandbox and makes those to the outside. So there is no file for it,
 * no process of ours in the sandbox, and no other way out.
 *
 * It is a proxy for CONNECT and for http:// requests, to what is listed and nothing else. Names are looked up out here.
 * A name may not lead to this machine or to its link (169.254.0.0/16, fe80::/10), whatever the resolver says, unless
 * that address is listed itself; of this machine, only what is listed as an address or as "localhost" can be reached.
 * What a listed host passes on to others is that host's affair.
 *
 * It lives as long as the command, whose exit status it takes over, and is the keeper's command in turn, so nothing is
 * left when assay is killed. It ignores TERM, which the command gets, too. */
#define _DEFAULT_SOURCE /* CMSG_SPACE */
#include "core/world/gate.h"
#include "core/world/gate_proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "assay-gate: cannot %s: %s\n", what, strerror(errno));
	return 127;
}

/* ---- the socket from one part to the other ---- */

typedef union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
} control;

static int send_socket(int to, int fd)
{
	char byte = 's';
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	control room = {.bytes = {0}};
	struct msghdr m = {.msg_iov = &data,
			   .msg_iovlen = 1,
			   .msg_control = room.bytes,
			   .msg_controllen = sizeof room.bytes};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	return sendmsg(to, &m, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* -1: the other part has ended without one. */
static int receive_socket(int from)
{
	char byte;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	control room = {.bytes = {0}};
	struct msghdr m = {.msg_iov = &data,
			   .msg_iovlen = 1,
			   .msg_control = room.bytes,
			   .msg_controllen = sizeof room.bytes};
	ssize_t n;
	int fd = -1;
	do {
		n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd)) {
		memcpy(&fd, CMSG_DATA(c), sizeof fd);
	}
	return fd;
}

/* ---- inside ---- */

/* Every program has its own idea of the name; NO_PROXY is emptied, as nothing can be reached without. */
static int name_proxy(uint16_t port)
{
	static const char *const names[] = {"HTTP_PROXY",  "http_proxy", "HTTPS_PROXY",
					    "https_proxy", "ALL_PROXY",  "all_proxy"};
	char url[40];
	int rc = 0;
	snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)port);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		rc |= setenv(names[i], url, 1);
	}
	rc |= setenv("NO_PROXY", "", 1);
	rc |= setenv("no_proxy", "", 1);
	return rc | setenv("NODE_USE_ENV_PROXY", "1", 1); /* Node does not look at the others unasked */
}

static int be_inside(char **command)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, SOMAXCONN) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
		return fail("listen in the sandbox");
	}
	if (send_socket(AS_GATE_SOCKET, fd) != 0) {
		return fail("hand over the socket of the sandbox");
	}
	close(fd);
	close(AS_GATE_SOCKET);
	if (name_proxy(ntohs(at.sin_port)) != 0) {
		return fail("set the variables of the proxy");
	}
	(void)execvp(command[0], command);
	return fail(command[0]);
}

/* ---- outside ---- */

static void set_signals(void (*handler)(int))
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
	struct sigaction action = {.sa_handler = handler};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		(void)sigaction(numbers[i], &action, NULL);
	}
}

static pid_t start(char **command, int ours, int theirs)
{
	pid_t pid = fork();
	if (pid != 0) {
		return pid;
	}
	set_signals(SIG_DFL);
	close(ours);
	if (theirs != AS_GATE_SOCKET) {
		(void)dup2(theirs, AS_GATE_SOCKET);
		close(theirs);
	}
	(void)execvp(command[0], command);
	_exit(fail(command[0]));
}

static int await(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			return 127;
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int be_outside(as_gate *gate, char **command)
{
	int pair[2] = {-1, -1};
	pthread_t thread;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
		return fail("make a socket pair");
	}
	set_signals(SIG_IGN);
	pid_t pid = start(command, pair[0], pair[1]);
	if (pid < 0) {
		return fail("start a process");
	}
	close(pair[1]);
	close(0); /* or the ends of the command's pipes would never be seen */
	close(1);
	gate->listener = receive_socket(pair[0]);
	close(pair[0]);
	if (gate->listener >= 0 && pthread_create(&thread, NULL, as_gate_serve, gate) != 0) {
		close(gate->listener);
	}
	return await(pid);
}

/* What follows the first "--"; NULL: there is none, or nothing follows. */
static char **command_of(char **argv)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "--") == 0) {
			return argv[1] ? argv + 1 : NULL;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char **command = argc > 2 ? command_of(argv + 1) : NULL;
	if (command && strcmp(argv[1], AS_GATE_INSIDE) == 0) {
		return be_inside(command);
	}
	as_gate gate = {.listener = -1};
	for (int i = 1; command && i + 1 < argc && strcmp(argv[i], AS_GATE_ALLOW) == 0; i += 2) {
		const assay_str entry = {argv[i + 1], strlen(argv[i + 1])};
		if (gate.n_allowed == AS_GATE_MOST_ENTRIES ||
		    as_destination_read(entry, true, &gate.allowed[gate.n_allowed++])) {
			command = NULL;
		}
	}
	if (!command || gate.n_allowed == 0) {
		fputs("assay-gate: assay starts this program, nobody else can\n", stderr);
		return 2;
	}
	int status = be_outside(&gate, command);
	fflush(stderr);
	_exit(status); /* connections end with us */
}
