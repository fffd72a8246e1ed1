#include "core/base/error.h"
#include "core/store/query.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* flock and not a record lock: it survives that other code of this process opens and closes the file. It ends with the
 * process, however that ends. The file beside the store holds the process id as text. */

static long read_pid(int fd)
{
	char text[24] = {0};
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= 0) {
		return 0;
	}
	long pid = strtol(text, NULL, 10);
	return pid > 0 ? pid : 0;
}

/* The holder writes its id just after taking the lock, so an empty or a dead one may only be early. */
static long holder_pid(int fd)
{
	const struct timespec moment = {0, 5000000};
	long pid = 0;
	for (int i = 0; i < 20; i++) {
		pid = read_pid(fd);
		if (pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM)) {
			return pid;
		}
		nanosleep(&moment, NULL);
	}
	return pid;
}

static int fail_held(const as_store *s, int fd, assay_error *err)
{
	long pid = holder_pid(fd);
	if (pid > 0) {
		as_fail(err, ASSAY_EAGAIN, "process %ld is working on this store", pid);
	} else {
		as_fail(err, ASSAY_EAGAIN, "another process is working on this store");
	}
	as_error_where(err, s->path, 0);
	as_error_hint(err, "wait for it to end, or use another store");
	as_store_retryable(err);
	return ASSAY_EAGAIN;
}

/* 1: locked, 0: the file went away meanwhile, try again; or negative. */
static int try_lock(as_store *s, int fd, assay_error *err)
{
	struct stat mine, there;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK ? fail_held(s, fd, err)
					    : as_fail_errno(err, errno, s->lock_path, "lock the store");
	}
	if (fstat(fd, &mine) != 0) {
		return as_fail_errno(err, errno, s->lock_path, "lock the store");
	}
	/* The holder before may have removed the file between our open and our lock. */
	return stat(s->lock_path, &there) == 0 && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

static int write_pid(const as_store *s, int fd, assay_error *err)
{
	as_buf text = {0};
	as_buf_printf(&text, "%ld\n", (long)getpid());
	int rc = as_buf_check(&text, err);
	if (rc == 0 && (ftruncate(fd, 0) != 0 || pwrite(fd, text.ptr, text.len, 0) != (ssize_t)text.len)) {
		rc = as_fail_errno(err, errno, s->lock_path, "write the lock file");
	}
	as_buf_free(&text);
	return rc;
}

static int take_lock(as_store *s, assay_error *err)
{
	if (!s->lock_path) {
		as_buf path = {0};
		assay_text text;
		/* SQLite's name has links resolved, so that one store has one lock. */
		as_buf_puts(&path, sqlite3_db_filename(s->db, "main"));
		as_buf_puts(&path, "-lock");
		if (as_buf_take(&path, &text, err) != 0) {
			return ASSAY_ENOMEM;
		}
		s->lock_path = text.ptr;
	}
	for (int i = 0; i < 100; i++) {
		int fd = open(s->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0) {
			return as_fail_errno(err, errno, s->lock_path, "open the lock file");
		}
		int rc = try_lock(s, fd, err);
		if (rc == 1) {
			rc = write_pid(s, fd, err);
			if (rc == 0) {
				s->lock_fd = fd;
				return 0;
			}
		}
		close(fd);
		if (rc < 0) {
			return rc;
		}
	}
	return as_fail(err, ASSAY_EAGAIN, "the lock file %s keeps changing", s->lock_path);
}

int as_store_lock(as_store *s, assay_error *err)
{
	int rc = as_store_enter(s, true, err);
	if (rc != 0) {
		return rc;
	}
	if (s->lock_fd < 0) {
		rc = take_lock(s, err);
	}
	as_store_leave(s);
	return rc;
}

void as_store_unlock(as_store *s)
{
	if (s->lock_fd >= 0) {
		unlink(s->lock_path); /* while it is ours */
		close(s->lock_fd);
		s->lock_fd = -1;
	}
	free(s->lock_path);
	s->lock_path = NULL;
}
