#include "core/mcp/lines.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_CHUNK ((size_t)64 << 10)

void as_line_hold_signal(sigset_t *before)
{
	sigset_t broken;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, before);
}

void as_line_release_signal(const sigset_t *before)
{
	const struct timespec now = {0};
	sigset_t pending, broken;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) && !sigismember(before, SIGPIPE)) {
		while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR) {
		}
	}
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int as_line_send(int fd, assay_str bytes, assay_error *err)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n >= 0) {
			bytes.ptr += n;
			bytes.len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			int rc = as_wait_fd(fd, POLLOUT, AS_FOREVER, NULL, err);

			if (rc) {
				return rc;
			}
		} else if (errno == EPIPE) {
			return as_fail(err, ASSAY_EUNREACH, "the reader is gone");
		} else if (errno != EINTR) {
			return as_fail_errno(err, errno, NULL, "write");
		}
	}
	return 0;
}

/* One read(2) into the buffer, which first lets go of the lines that were handed out. */
static int fill(as_line_reader *r, assay_error *err)
{
	ssize_t n;

	if (r->skipping) {
		as_buf_clear(&r->buf);
		r->start = r->scanned = 0;
	} else if (r->start > 0) {
		r->buf.len -= r->start;
		memmove(r->buf.ptr, r->buf.ptr + r->start, r->buf.len);
		r->scanned -= r->start;
		r->start = 0;
	}
	if (!as_buf_reserve(&r->buf, READ_CHUNK)) {
		return as_fail_memory(err);
	}
	n = read(r->fd, r->buf.ptr + r->buf.len, READ_CHUNK);
	if (n > 0) {
		r->buf.len += (size_t)n;
	} else if (n == 0) {
		r->ended = true;
	} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
		return as_wait_fd(r->fd, POLLIN, AS_FOREVER, NULL, err);
	} else if (errno != EINTR) {
		return as_fail_errno(err, errno, NULL, "read");
	}
	return 0;
}

int as_line_next(as_line_reader *r, assay_str *line, bool *overlong, assay_error *err)
{
	for (;;) {
		size_t end = r->buf.len;
		char *newline = end > r->scanned ? memchr(r->buf.ptr + r->scanned, '\n', end - r->scanned) : NULL;
		int rc;

		if (newline || (r->ended && (end > r->start || r->skipping))) {
			size_t stop = newline ? (size_t)(newline - r->buf.ptr) : end;

			*line = (assay_str){r->buf.ptr + r->start, stop - r->start};
			*overlong = r->skipping || line->len > r->max;
			r->skipping = false;
			r->start = r->scanned = newline ? stop + 1 : stop;
			return 0;
		}
		if (r->ended) {
			return ASSAY_ENOENT;
		}
		r->scanned = end;
		r->skipping = r->skipping || end - r->start > r->max;
		rc = fill(r, err);
		if (rc) {
			return rc;
		}
	}
}

void as_line_free(as_line_reader *r)
{
	as_buf_free(&r->buf);
}
