#include "core/world/gate_proxy.h"
#include "core/world/gate.h"
#include "core/world/gate_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256u
#define HEAD_SECONDS 30
#define CONNECT_SECONDS 20 /* for each address of a name */
#define LINGER_SECONDS 2   /* for the client to take in a refusal */
#define MAX_ADDRESSES 16u
#define MAX_TEXT 800u

typedef struct connection {
	as_gate *gate;
	int client, server;
	size_t head_len, taken; /* bytes of the head, and all that came with it */
	char taken_in[AS_GATE_HEAD];
	as_gate_request request;
} connection;

/* ---- time and sockets ---- */

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether it is ready before the deadline. */
static bool await(int fd, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		int64_t left = deadline - now_ms();
		int n = poll(&p, 1, left > 0 ? (int)left : 0);
		if (n > 0) {
			return true;
		}
		if (n == 0 || errno != EINTR) {
			return false;
		}
	}
}

static bool set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static bool try_again(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static bool send_all(int fd, const char *bytes, size_t n, int64_t deadline)
{
	while (n > 0) {
		ssize_t some = send(fd, bytes, n, MSG_NOSIGNAL);
		if (some > 0) {
			bytes += some;
			n -= (size_t)some;
		} else if (!try_again() || !await(fd, POLLOUT, deadline)) {
			return false;
		}
	}
	return true;
}

/* ---- refusals ---- */

/* To the client, in the first line, which many clients show, and as the body; and to the server's stderr, where assay
 * finds it, when it was against the list. */
static void refuse(const connection *c, int status, const char *text)
{
	char reply[2048], rest[512];
	int64_t deadline = now_ms() + LINGER_SECONDS * 1000;
	int n = snprintf(reply, sizeof reply, "%s%s\n", AS_GATE_SAYS, text);
	if (status == 403 && n > 0) {
		(void)!write(STDERR_FILENO, reply, (size_t)n);
	}
	n = snprintf(
		reply, sizeof reply,
		"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
		status, text, strlen(text) + 1, text);
	if (n <= 0 || !send_all(c->client, reply, (size_t)n, deadline)) {
		return;
	}
	/* To close what has unread input would take the reply back. */
	(void)shutdown(c->client, SHUT_WR);
	while (now_ms() < deadline && await(c->client, POLLIN, deadline)) {
		ssize_t some = recv(c->client, rest, sizeof rest, 0);
		if (some == 0 || (some < 0 && !try_again())) {
			break;
		}
	}
}

static void refuse_unread(const connection *c, int status, const char *fault)
{
	char text[MAX_TEXT];
	snprintf(text, sizeof text, "the sandbox passes no such request on: %s", fault);
	refuse(c, status, text);
}

static void refuse_unlisted(const connection *c)
{
	char text[MAX_TEXT], name[AS_DESTINATION_TEXT];
	as_destination_write(&c->request.target, name);
	snprintf(text, sizeof text, "%s is not listed in the \"network\" of the sandbox", name);
	refuse(c, 403, text);
}

static void refuse_local(const connection *c, const as_destination *address)
{
	char text[MAX_TEXT], name[AS_DESTINATION_TEXT], at[AS_DESTINATION_TEXT];
	as_destination_write(&c->request.target, name);
	as_destination_write(address, at);
	snprintf(text, sizeof text,
		 "%s leads to %s, which is this machine or its link and not listed in the \"network\" of the sandbox",
		 name, at);
	refuse(c, 403, text);
}

static void refuse_failed(const connection *c, const char *why)
{
	char text[MAX_TEXT], name[AS_DESTINATION_TEXT];
	as_destination_write(&c->request.target, name);
	snprintf(text, sizeof text, "%s cannot be reached from the sandbox: %s", name, why);
	refuse(c, 502, text);
}

/* ---- where to ---- */

/* The addresses of a name. Those of "localhost" are known, whatever a resolver says. NULL, or why there are none. */
static const char *look_up(const as_destination *target, as_destination *out, size_t *n)
{
	static const unsigned char loopback[16] = {[15] = 1}, loopback4[4] = {127, 0, 0, 1};
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *all = NULL;
	*n = 0;
	if (!target->name[0]) {
		out[(*n)++] = *target;
		return NULL;
	}
	if (strcmp(target->name, "localhost") == 0) {
		as_destination_address(&out[(*n)++], loopback4, false);
		as_destination_address(&out[(*n)++], loopback, true);
		return NULL;
	}
	int number = getaddrinfo(target->name, NULL, &hints, &all);
	if (number != 0) {
		return gai_strerror(number);
	}
	for (const struct addrinfo *a = all; a && *n < MAX_ADDRESSES; a = a->ai_next) {
		if (a->ai_family == AF_INET) {
			struct sockaddr_in in;
			memcpy(&in, a->ai_addr, sizeof in);
			as_destination_address(&out[(*n)++], &in.sin_addr, false);
		} else if (a->ai_family == AF_INET6) {
			struct sockaddr_in6 in;
			memcpy(&in, a->ai_addr, sizeof in);
			as_destination_address(&out[(*n)++], &in.sin6_addr, true);
		}
	}
	freeaddrinfo(all);
	return *n > 0 ? NULL : "it has no address";
}

static socklen_t to_sockaddr(const as_destination *d, struct sockaddr_storage *out)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(d->port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(d->port)};
	*out = (struct sockaddr_storage){0};
	if (d->v6) {
		memcpy(&in6.sin6_addr, d->address, 16);
		memcpy(out, &in6, sizeof in6);
		return sizeof in6;
	}
	memcpy(&in.sin_addr, d->address, 4);
	memcpy(out, &in, sizeof in);
	return sizeof in;
}

/* This machine is what a socket can be bound to; also 0.0.0.0, which connects to it. */
static bool is_local(const as_destination *d)
{
	as_destination any = *d;
	struct sockaddr_storage at;
	any.port = 0;
	socklen_t size = to_sockaddr(&any, &at);
	int fd = socket(d->v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
	bool bound = fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0;
	if (fd >= 0) {
		close(fd);
	}
	return bound || (d->v6 ? d->address[0] == 0xFE && (d->address[1] & 0xC0) == 0x80
			       : d->address[0] == 169 && d->address[1] == 254);
}

/* A listed name leads to where its owner likes: to the world, but not to us. */
static bool may_lead_to(const connection *c, const as_destination *address)
{
	const as_gate *g = c->gate;
	return as_destination_listed(g->allowed, g->n_allowed, address) ||
	       strcmp(c->request.target.name, "localhost") == 0 || !is_local(address);
}

/* A connected socket, or -1 and errno. */
static int connect_to(const as_destination *address)
{
	struct sockaddr_storage at;
	socklen_t size = to_sockaddr(address, &at);
	int number = 0, fd = socket(address->v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	socklen_t length = sizeof number;
	if (fd < 0) {
		return -1;
	}
	if (!set_nonblocking(fd)) {
		number = errno;
	} else if (connect(fd, (struct sockaddr *)&at, size) != 0) {
		number = errno;
		if (number == EINPROGRESS && !await(fd, POLLOUT, now_ms() + CONNECT_SECONDS * 1000)) {
			number = ETIMEDOUT;
		} else if (number == EINPROGRESS && getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &length) != 0) {
			number = errno;
		}
	}
	if (number != 0) {
		close(fd);
		errno = number;
		return -1;
	}
	return fd;
}

/* Connect, or refuse. What is connected to is what was checked: a name is looked up once. */
static bool reach(connection *c)
{
	as_destination found[MAX_ADDRESSES] = {{.port = 0}};
	const as_destination *kept_back = NULL;
	char why[128] = "";
	size_t n;
	if (!as_destination_listed(c->gate->allowed, c->gate->n_allowed, &c->request.target)) {
		refuse_unlisted(c);
		return false;
	}
	const char *fault = look_up(&c->request.target, found, &n);
	for (size_t i = 0; i < n && c->server < 0; i++) {
		found[i].port = c->request.target.port;
		if (!may_lead_to(c, &found[i])) {
			kept_back = &found[i];
			continue;
		}
		c->server = connect_to(&found[i]);
		if (c->server < 0 && strerror_r(errno, why, sizeof why) != 0) {
			why[0] = '\0';
		}
	}
	if (c->server < 0 && kept_back) {
		refuse_local(c, kept_back);
	} else if (c->server < 0) {
		refuse_failed(c, fault ? fault : why);
	}
	return c->server >= 0;
}

/* ---- a connection ---- */

/* One direction of it. */
typedef struct flow {
	int from, to;
	bool ended, closed; /* nothing more comes; and the other side knows */
	size_t at, n;       /* bytes not yet passed on: [at, n) */
	char bytes[AS_GATE_HEAD];
} flow;

/* Move what can be moved now. False when one side is broken. */
static bool move_on(flow *f)
{
	if (f->n == 0 && !f->ended) {
		ssize_t some = recv(f->from, f->bytes, sizeof f->bytes, 0);
		if (some < 0 && !try_again()) {
			return false;
		}
		f->ended = some == 0;
		f->n = some > 0 ? (size_t)some : 0;
	}
	while (f->at < f->n) {
		ssize_t some = send(f->to, f->bytes + f->at, f->n - f->at, MSG_NOSIGNAL);
		if (some < 0) {
			return try_again();
		}
		f->at += (size_t)some;
	}
	f->at = f->n = 0;
	if (f->ended && !f->closed) {
		f->closed = true;
		(void)shutdown(f->to, SHUT_WR);
	}
	return true;
}

static void relay(flow *up, flow *down)
{
	while (move_on(up) && move_on(down) && !(up->closed && down->closed)) {
		struct pollfd fds[2] = {{.fd = up->from}, {.fd = down->from}};
		fds[0].events = (short)((up->n == 0 && !up->ended ? POLLIN : 0) | (down->n > 0 ? POLLOUT : 0));
		fds[1].events = (short)((down->n == 0 && !down->ended ? POLLIN : 0) | (up->n > 0 ? POLLOUT : 0));
		for (int i = 0; i < 2; i++) {
			fds[i].fd = fds[i].events ? fds[i].fd : -1; /* one that has hung up would not let us wait */
		}
		if (poll(fds, 2, -1) < 0 && errno != EINTR) {
			return;
		}
	}
}

/* Offset behind the first blank line, or 0. */
static size_t end_of_head(const char *bytes, size_t n)
{
	for (size_t i = 3; i < n; i++) {
		if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0) {
			return i + 1;
		}
	}
	return 0;
}

static bool take_head(connection *c)
{
	int64_t deadline = now_ms() + HEAD_SECONDS * 1000;
	while (c->head_len == 0) {
		if (c->taken == sizeof c->taken_in) {
			refuse_unread(c, 431, "its head is too long");
			return false;
		}
		if (now_ms() >= deadline || !await(c->client, POLLIN, deadline)) {
			return false;
		}
		ssize_t some = recv(c->client, c->taken_in + c->taken, sizeof c->taken_in - c->taken, 0);
		if (some == 0 || (some < 0 && !try_again())) {
			return false;
		}
		c->taken += some > 0 ? (size_t)some : 0;
		c->head_len = end_of_head(c->taken_in, c->taken);
	}
	return true;
}

/* Answer CONNECT, or send the head on; then whatever comes. */
static void pass_on(connection *c)
{
	static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	const as_gate_request *r = &c->request;
	int64_t deadline = now_ms() + HEAD_SECONDS * 1000;
	char head[AS_GATE_HEAD + 512];
	size_t n = r->tunnel ? 0 : as_gate_forward(r, head, sizeof head);
	flow up = {.from = c->client, .to = c->server, .n = c->taken - c->head_len};
	flow down = {.from = c->server, .to = c->client};
	memcpy(up.bytes, c->taken_in + c->head_len, up.n);
	if (r->tunnel ? send_all(c->client, established, sizeof established - 1, deadline)
		      : n > 0 && send_all(c->server, head, n, deadline)) {
		relay(&up, &down);
	}
}

static void *serve_one(void *payload)
{
	connection *c = payload;
	const char *fault = NULL;
	if (set_nonblocking(c->client) && take_head(c)) {
		fault = as_gate_read((assay_str){c->taken_in, c->head_len}, &c->request);
		if (fault) {
			refuse_unread(c, 400, fault);
		} else if (reach(c)) {
			pass_on(c);
		}
	}
	close(c->client);
	if (c->server >= 0) {
		close(c->server);
	}
	(void)sem_post(&c->gate->places);
	free(c);
	return NULL;
}

/* Takes the socket over. */
static void begin(as_gate *g, int client)
{
	connection *c = calloc(1, sizeof *c);
	pthread_attr_t detached;
	pthread_t thread;
	bool running = false;
	if (c && pthread_attr_init(&detached) == 0) {
		c->gate = g;
		c->client = client;
		c->server = -1;
		running = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
			  pthread_create(&thread, &detached, serve_one, c) == 0;
		(void)pthread_attr_destroy(&detached);
	}
	if (!running) {
		close(client);
		free(c);
		(void)sem_post(&g->places);
	}
}

void *as_gate_serve(void *gate)
{
	as_gate *g = gate;
	static const struct timespec a_while = {0, 50000000};
	if (sem_init(&g->places, 0, MAX_CONNECTIONS) != 0) {
		return NULL;
	}
	for (;;) {
		while (sem_wait(&g->places) != 0) {
		}
		int client = accept(g->listener, NULL, NULL);
		if (client >= 0) {
			begin(g, client);
			continue;
		}
		(void)sem_post(&g->places);
		if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
			return NULL;
		}
		(void)nanosleep(&a_while, NULL); /* out of descriptors, say */
	}
}
