/* The digest of a folder. Times and modes are left out: copies of one state differ in them. */
#include "folder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LEVELS 100
#define MAX_PATH_BYTES 4096u
#define CHUNK 16384u

static const char database_head[16] = "SQLite format 3"; /* and a NUL, which counts */

void hasher_start(hasher *h, const assay_host *host)
{
	h->host = host;
	h->n = HASHER_CHAIN;
	memset(h->buffer, '0', HASHER_CHAIN);
}

static void fold(hasher *h)
{
	char digest[65];
	h->host->text->sha256_hex((assay_str){h->buffer, h->n}, digest);
	memcpy(h->buffer, digest, HASHER_CHAIN);
	h->n = HASHER_CHAIN;
}

void hasher_put(hasher *h, const void *bytes, size_t n)
{
	const char *from = bytes;
	while (n > 0) {
		size_t room = HASHER_SIZE - h->n, piece = n < room ? n : room;
		memcpy(h->buffer + h->n, from, piece);
		h->n += piece;
		from += piece;
		n -= piece;
		if (h->n == HASHER_SIZE) {
			fold(h);
		}
	}
}

void hasher_put_part(hasher *h, const void *bytes, size_t n)
{
	uint64_t length = n;
	hasher_put(h, &length, sizeof length);
	hasher_put(h, bytes, n);
}

void hasher_end(hasher *h, char out[65])
{
	fold(h);
	memcpy(out, h->buffer, HASHER_CHAIN);
	out[HASHER_CHAIN] = '\0';
}

/* The walk. path always holds the place that is being looked at. */
typedef struct walk {
	hasher *h;
	hasher *trial; /* for databases, of which one may turn out to be none */
	assay_call *call;
	assay_error *err;
	char path[MAX_PATH_BYTES];
	size_t root; /* bytes of path that are the folder's own */
} walk;

static int fail_at(const walk *w, const char *what)
{
	return w->h->host->fail(w->err, errno == ENOMEM ? ASSAY_ENOMEM : ASSAY_EIO, "cannot %s %s: %s", what, w->path,
				strerror(errno));
}

static void put_name(const walk *w, char kind)
{
	hasher_put(w->h, &kind, 1);
	hasher_put_part(w->h, w->path + w->root, strlen(w->path + w->root));
}

static int put_bytes(const walk *w, int fd)
{
	char chunk[CHUNK];
	uint64_t total = 0;
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return fail_at(w, "read");
		}
		if (n == 0) {
			hasher_put(w->h, &total, sizeof total); /* where the bytes end */
			return 0;
		}
		if (w->h->host->cancelled(w->call) || w->h->host->remaining_ms(w->call) == 0) {
			return w->h->host->fail(w->err,
						w->h->host->cancelled(w->call) ? ASSAY_ECANCELED : ASSAY_ETIMEOUT,
						"interrupted while reading %s", w->path);
		}
		hasher_put(w->h, chunk, (size_t)n);
		total += (uint64_t)n;
	}
}

static int is_database(int fd)
{
	char head[sizeof database_head];
	return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head && memcmp(head, database_head, sizeof head) == 0;
}

static int put_file(const walk *w)
{
	int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), rc, database;
	if (fd < 0) {
		return errno == ENOENT ? 0 : fail_at(w, "open"); /* gone meanwhile */
	}
	put_name(w, 'f');
	database = is_database(fd);
	if (database) {
		close(fd); /* closing it later would drop the locks of the connection below */
		memcpy(w->trial, w->h, sizeof *w->h);
		hasher_put(w->trial, "q", 1);
		rc = database_put(w->trial, w->call, w->path, w->err);
		if (rc != 0) {
			memcpy(w->h, w->trial, sizeof *w->h);
			return rc < 0 ? rc : 0;
		}
		fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
		if (fd < 0) {
			return fail_at(w, "open");
		}
	}
	rc = put_bytes(w, fd);
	close(fd);
	return rc;
}

static int put_link(const walk *w)
{
	char target[MAX_PATH_BYTES];
	ssize_t n = readlink(w->path, target, sizeof target);
	if (n < 0) {
		return fail_at(w, "read the link");
	}
	put_name(w, 'l');
	hasher_put_part(w->h, target, (size_t)n);
	return 0;
}

/* "x-wal", "x-shm" and "x-journal" beside a database "x" belong to it. */
static int is_side_file(const walk *w)
{
	static const char *const endings[] = {"-wal", "-shm", "-journal"};
	size_t length = strlen(w->path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(endings[i]);
		char owner[MAX_PATH_BYTES];
		int fd, found;
		if (length <= n || strcmp(w->path + length - n, endings[i]) != 0) {
			continue;
		}
		memcpy(owner, w->path, length - n);
		owner[length - n] = '\0';
		fd = open(owner, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
		found = fd >= 0 && is_database(fd);
		if (fd >= 0) {
			close(fd);
		}
		return found;
	}
	return 0;
}

static int put_folder(walk *w, int level);

static int put_entry(walk *w, const char *name, int level)
{
	size_t length = strlen(w->path);
	struct stat info;
	int rc = 0;
	if ((size_t)snprintf(w->path + length, sizeof w->path - length, "/%s", name) >= sizeof w->path - length) {
		rc = w->h->host->fail(w->err, ASSAY_ELIMIT, "a path below %.*s is too long", (int)w->root, w->path);
	} else if (lstat(w->path, &info) < 0) {
		rc = errno == ENOENT ? 0 : fail_at(w, "look at");
	} else if (S_ISDIR(info.st_mode)) {
		put_name(w, 'd');
		rc = put_folder(w, level + 1);
	} else if (S_ISLNK(info.st_mode)) {
		rc = put_link(w);
	} else if (S_ISREG(info.st_mode) && !is_side_file(w)) {
		rc = put_file(w);
	} /* sockets and pipes are no state */
	w->path[length] = '\0';
	return rc;
}

/* In byte order, wherever the program runs. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int put_folder(walk *w, int level)
{
	struct dirent **list = NULL;
	int n, rc = 0;
	if (level > MAX_LEVELS) {
		return w->h->host->fail(w->err, ASSAY_ELIMIT, "%s: more than %d levels of folders", w->path,
					MAX_LEVELS);
	}
	n = scandir(w->path, &list, is_entry, by_bytes);
	if (n < 0) {
		return fail_at(w, "list");
	}
	for (int i = 0; i < n; i++) {
		rc = rc == 0 ? put_entry(w, list[i]->d_name, level) : rc;
		free(list[i]);
	}
	free(list);
	hasher_put(w->h, "e", 1);
	return rc;
}

int folder_digest_of(const assay_host *host, assay_call *call, const char *dir, char out[65], assay_error *err)
{
	walk *w = host->alloc(sizeof *w);
	char *real = realpath(dir, NULL); /* a database is not opened through links */
	int rc = ASSAY_ENOMEM;
	if (w) {
		w->h = host->alloc(sizeof *w->h);
		w->trial = host->alloc(sizeof *w->trial);
	}
	if (!w || !w->h || !w->trial) {
		host->fail(err, rc, "out of memory");
	} else if (!real || strlen(real) >= sizeof w->path) {
		rc = host->fail(err, ASSAY_EIO, "cannot find %s", dir);
	} else {
		w->call = call;
		w->err = err;
		w->root = strlen(real);
		memcpy(w->path, real, w->root + 1);
		hasher_start(w->h, host);
		rc = put_folder(w, 0);
		hasher_end(w->h, out);
	}
	if (w) {
		host->free(w->h);
		host->free(w->trial);
	}
	host->free(w);
	free(real);
	return rc;
}
