/* A mock of Chat Completions for the bench: one thread, every reply DELAY ms after its request; a connection's first
 * one up to as much later, so that the attempts are not in step, as they would not be with a provider. The first
 * replies of a conversation call the first tool on offer; after TURNS results it answers. Measures what lies between
 * the last byte of a reply and the first byte of the next request on its connection, from when IN_FLIGHT requests were
 * under way at once. Prints its port; at the end of its input, one line of JSON. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LINKS = 1024, MAX_SAMPLES = 1 << 20, DELAY_MS = 2000, TURNS = 3 };

struct link {
	int fd;
	char *in;
	size_t len, cap;
	int64_t due_us;   /* when the reply goes out; 0: no request */
	int64_t ended_us; /* when the last reply had gone out; 0: none yet */
};

struct mock {
	struct link links[MAX_LINKS];
	size_t n, in_flight, most, wanted, requests, opened;
	bool counting;
	double *lags; /* ms */
	size_t n_lags;
};

static int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The whole request is there: headers, and as many bytes as they announce. */
static bool is_whole(const struct link *k)
{
	const char *end = k->len ? strstr(k->in, "\r\n\r\n") : NULL;
	const char *length = end ? strstr(k->in, "Content-Length: ") : NULL;
	return length && length < end && k->len >= (size_t)(end + 4 - k->in) + strtoul(length + 16, NULL, 10);
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;
	for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
		n++;
	}
	return n;
}

static void reply(const struct link *k)
{
	const char *tools = strstr(k->in, "\"function\":{\"name\":\"");
	char message[512], body[1024], text[2048];
	size_t had = count(k->in, "\"role\":\"tool\"");
	if (tools && had < TURNS) {
		tools += 20;
		snprintf(
			message, sizeof message,
			"\"content\":null,\"tool_calls\":[{\"id\":\"c%zu\",\"type\":\"function\",\"function\":{\"name\":\"%.*s\","
			"\"arguments\":\"{}\"}}]",
			had, (int)strcspn(tools, "\""), tools);
	} else {
		snprintf(message, sizeof message, "\"content\":\"done\"");
	}
	int n = snprintf(body, sizeof body,
			 "{\"model\":\"bench\",\"choices\":[{\"message\":{\"role\":\"assistant\",%s},\"finish_reason\":"
			 "\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}",
			 message);
	n = snprintf(text, sizeof text,
		     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", n, body);
	if (send(k->fd, text, (size_t)n, MSG_NOSIGNAL) != n) {
		fprintf(stderr, "llm_mock: a reply could not be sent: %s\n", strerror(errno));
	}
}

static void take_bytes(struct mock *m, struct link *k, const char *bytes, size_t n)
{
	if (k->len == 0 && k->ended_us && m->counting && m->n_lags < MAX_SAMPLES) {
		m->lags[m->n_lags++] = (double)(now_us() - k->ended_us) / 1000.0;
	}
	if (k->len + n + 1 > k->cap) {
		k->cap = (k->len + n + 1) * 2;
		k->in = realloc(k->in, k->cap);
		if (!k->in) {
			abort();
		}
	}
	memcpy(k->in + k->len, bytes, n);
	k->len += n;
	k->in[k->len] = '\0';
	if (!k->due_us && is_whole(k)) {
		k->due_us = now_us() + DELAY_MS * 1000;
		if (!k->ended_us) {
			k->due_us += (int64_t)(m->opened++ * 97 % m->wanted) * DELAY_MS * 1000 / (int64_t)m->wanted;
		}
		m->requests++;
		m->in_flight++;
		m->most = m->in_flight > m->most ? m->in_flight : m->most;
		m->counting = m->counting || m->in_flight >= m->wanted;
	}
}

static void drop(struct mock *m, struct link *k)
{
	m->in_flight -= k->due_us != 0;
	close(k->fd);
	free(k->in);
	*k = m->links[--m->n];
}

static void read_link(struct mock *m, struct link *k)
{
	static char bytes[1 << 16];
	ssize_t n = recv(k->fd, bytes, sizeof bytes, 0);
	if (n > 0) {
		take_bytes(m, k, bytes, (size_t)n);
	} else if (n == 0 || errno != EAGAIN) {
		drop(m, k);
	}
}

static void send_due(struct mock *m)
{
	int64_t now = now_us();
	for (size_t i = 0; i < m->n; i++) {
		struct link *k = &m->links[i];
		if (k->due_us && k->due_us <= now) {
			k->due_us = 0;
			m->in_flight--;
			reply(k);
			k->len = 0;
			k->ended_us = now_us();
		}
	}
}

static void take_link(struct mock *m, int listener)
{
	int fd = accept(listener, NULL, NULL), one = 1;
	if (fd < 0) {
		return;
	}
	if (m->n == MAX_LINKS) {
		close(fd);
		return;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	m->links[m->n++] = (struct link){.fd = fd};
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int serve(struct mock *m, int listener)
{
	static struct pollfd fds[MAX_LINKS + 2];
	for (;;) {
		size_t n = m->n;
		fds[0] = (struct pollfd){listener, POLLIN, 0};
		fds[1] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
		for (size_t i = 0; i < n; i++) {
			fds[2 + i] = (struct pollfd){m->links[i].fd, POLLIN, 0};
		}
		poll(fds, n + 2, 1);
		if (fds[1].revents) {
			return 0;
		}
		for (size_t i = n; i-- > 0;) { /* from the end: dropping one moves the last */
			if (fds[2 + i].revents) {
				read_link(m, &m->links[i]);
			}
		}
		if (fds[0].revents) {
			take_link(m, listener);
		}
		send_due(m);
	}
}

int main(int argc, char **argv)
{
	static struct mock m;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	m.wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	m.lags = malloc(MAX_SAMPLES * sizeof *m.lags);
	if (!m.lags || listener < 0 || bind(listener, (struct sockaddr *)&at, size) != 0 ||
	    listen(listener, 1024) != 0 || getsockname(listener, (struct sockaddr *)&at, &size) != 0) {
		perror("llm_mock");
		return 1;
	}
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	serve(&m, listener);
	qsort(m.lags, m.n_lags, sizeof *m.lags, compare);
	printf("{\"requests\": %zu, \"most\": %zu, \"samples\": %zu, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f}\n",
	       m.requests, m.most, m.n_lags, m.n_lags ? m.lags[m.n_lags / 2] : -1,
	       m.n_lags ? m.lags[m.n_lags * 99 / 100] : -1, m.n_lags ? m.lags[m.n_lags - 1] : -1);
	free(m.lags);
	return 0;
}
