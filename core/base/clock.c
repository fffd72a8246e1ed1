#include "core/base/clock.h"

#include "core/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define POLL_SLICE_MS 3600000 /* the longest single poll: longer deadlines take several */

static int64_t read_clock_us(clockid_t id)
{
	struct timespec t = {0};
	if (clock_gettime(id, &t) != 0) {
		return 0;
	}
	return (int64_t)t.tv_sec * 1000000 + (int64_t)(t.tv_nsec / 1000);
}

int64_t as_now_us(void)
{
	return read_clock_us(CLOCK_MONOTONIC);
}

double as_us_to_ms(int64_t us)
{
	int64_t tenths = us / 100;
	return (double)tenths / 10.0;
}

int64_t as_now_ms(void)
{
	return as_now_us() / 1000;
}

int64_t as_wall_us(void)
{
	return read_clock_us(CLOCK_REALTIME);
}

void as_format_time(int64_t wall_us, char out[32])
{
	int64_t seconds = wall_us / 1000000;
	int64_t fraction = wall_us % 1000000;
	if (fraction < 0) { /* C rounds towards zero, a calendar rounds down */
		fraction += 1000000;
		seconds--;
	}
	time_t when = (time_t)seconds;
	struct tm parts;
	size_t n = 0;
	if (gmtime_r(&when, &parts) && parts.tm_year >= -1900 && parts.tm_year <= 9999 - 1900) {
		char year[8];
		snprintf(year, sizeof year, "%04u", (unsigned)(parts.tm_year + 1900) % 10000u);
		n = strftime(out + 4, 28, "-%m-%dT%H:%M:%S", &parts);
		for (size_t i = 0; n > 0 && i < 4; i++) { /* %Y of years before 1000 has no fixed width in C */
			out[i] = year[i];
		}
	}
	if (n == 0) {
		snprintf(out, 32, "1970-01-01T00:00:00Z");
	} else if (fraction == 0) {
		snprintf(out + 4 + n, 28 - n, "Z");
	} else {
		snprintf(out + 4 + n, 28 - n, ".%06ldZ", (long)fraction);
	}
}

int64_t as_deadline(int64_t timeout_ms)
{
	int64_t now = as_now_ms();
	if (timeout_ms >= AS_FOREVER - now) {
		return AS_FOREVER;
	}
	return timeout_ms < 0 ? now : now + timeout_ms;
}

int64_t as_remaining(int64_t deadline_ms)
{
	if (deadline_ms == AS_FOREVER) {
		return AS_FOREVER;
	}
	int64_t now = as_now_ms();
	return deadline_ms > now ? deadline_ms - now : 0;
}

/* The flag answers as_cancel_is_set without a system call; the pipe, which is never emptied, wakes pollers for good. */
struct as_cancel {
	atomic_bool set;
	int read_fd, write_fd;
};

int as_cancel_new(as_cancel **out, assay_error *err)
{
	*out = NULL;
	as_cancel *c = as_new(1, sizeof *c);
	if (!c) {
		return as_fail_memory(err);
	}
	atomic_init(&c->set, false);
	int fds[2];
	if (pipe(fds) != 0) {
		free(c);
		return as_fail_errno(err, errno, NULL, "make a pipe");
	}
	/* Children close what they inherit (process.c), so a fork between pipe and fcntl does no harm. */
	for (int i = 0; i < 2; i++) {
		(void)fcntl(fds[i], F_SETFD, FD_CLOEXEC);
		(void)fcntl(fds[i], F_SETFL, O_NONBLOCK); /* a signal handler must never block in write */
	}
	c->read_fd = fds[0];
	c->write_fd = fds[1];
	*out = c;
	return 0;
}

void as_cancel_set(as_cancel *c)
{
	if (c && !atomic_exchange(&c->set, true)) {
		int saved = errno;
		ssize_t n;
		do {
			n = write(c->write_fd, "!", 1);
		} while (n < 0 && errno == EINTR);
		errno = saved;
	}
}

bool as_cancel_is_set(const as_cancel *c)
{
	return c && atomic_load(&c->set);
}

int as_cancel_fd(const as_cancel *c)
{
	return c ? c->read_fd : -1;
}

void as_cancel_free(as_cancel *c)
{
	if (c) {
		close(c->read_fd);
		close(c->write_fd);
		free(c);
	}
}

int as_wait_fd(int fd, short events, int64_t deadline_ms, const as_cancel *cancel, assay_error *err)
{
	for (;;) {
		if (as_cancel_is_set(cancel)) {
			return as_fail(err, ASSAY_ECANCELED, "cancelled");
		}
		int64_t left = as_remaining(deadline_ms);
		/* A negative fd (no cancellation) is skipped by poll. */
		struct pollfd fds[2] = {{.fd = fd, .events = events}, {.fd = as_cancel_fd(cancel), .events = POLLIN}};
		int n = poll(fds, 2, (int)(left < POLL_SLICE_MS ? left : POLL_SLICE_MS));
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			return as_fail_errno(err, errno, NULL, "wait for a descriptor");
		}
		if (n > 0 && fds[1].revents == 0) {
			if (fds[0].revents & POLLNVAL) {
				return as_fail_errno(err, EBADF, NULL, "wait for a descriptor");
			}
			return 0; /* also after an error or a hang-up: the next read or write tells which */
		}
		if (n == 0 && as_remaining(deadline_ms) == 0) {
			return as_fail(err, ASSAY_ETIMEOUT, "timed out");
		}
	}
}
