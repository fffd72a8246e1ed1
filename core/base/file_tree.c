/* Whole folders. Everything goes through descriptors of open folders and never through a link, so that nothing which
 * changes the tree meanwhile leads out of it. */
#include "core/base/error.h"
#include "core/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 100 /* open descriptors grow with it */
#define COPY_CHUNK ((size_t)64 << 10)
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

struct entry {
	char *name;
	mode_t mode;
};

struct listing {
	struct entry *items;
	size_t n, cap;
};

/* A folder sorts as if its name ended in a slash: so the walk meets whole paths in byte order. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t i = 0;
	while (x->name[i] && x->name[i] == y->name[i]) {
		i++;
	}
	unsigned char p = (unsigned char)x->name[i], q = (unsigned char)y->name[i];
	p = p == 0 && S_ISDIR(x->mode) ? '/' : p;
	q = q == 0 && S_ISDIR(y->mode) ? '/' : q;
	return (p > q) - (p < q);
}

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
	}
	free(l->items);
	*l = (struct listing){0};
}

/* errno value, 0 when added or gone meanwhile. */
static int listing_add(struct listing *l, int dir, const char *name)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		return errno == ENOENT ? 0 : errno;
	}
	char *copy = as_grow(&l->items, &l->cap, l->n + 1, sizeof *l->items) ? as_strdup(name) : NULL;
	if (!copy) {
		return ENOMEM;
	}
	l->items[l->n++] = (struct entry){copy, st.st_mode};
	return 0;
}

/* The entries of an open folder, sorted. Answers an errno value. */
static int list_folder(int dir, struct listing *l)
{
	/* fdopendir takes its descriptor over; a fresh open, unlike dup, has a position of its own. */
	int fd = openat(dir, ".", OPEN_DIR);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		int number = errno;
		if (fd >= 0) {
			close(fd);
		}
		return number;
	}
	int number = 0;
	while (number == 0) {
		errno = 0;
		const struct dirent *e = readdir(d);
		if (!e) {
			number = errno;
			break;
		}
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			number = listing_add(l, dir, e->d_name);
		}
	}
	closedir(d);
	if (number == 0 && l->n > 1) {
		qsort(l->items, l->n, sizeof *l->items, compare_entries);
	}
	return number;
}

/* A path that grows and shrinks with the descent. */
static size_t path_enter(as_buf *path, const char *name)
{
	size_t before = path->len;
	if (before > 0 && path->ptr[before - 1] != '/') {
		as_buf_byte(path, '/');
	}
	as_buf_puts(path, name);
	return before;
}

static void path_leave(as_buf *path, size_t before)
{
	if (!path->failed) {
		path->len = before;
		path->ptr[before] = '\0';
	}
}

static int fail_at(assay_error *err, int code, const as_buf *path, const char *message)
{
	as_fail(err, code, "%s", message);
	as_error_where(err, path->ptr, 0);
	return code;
}

static int fail_depth(assay_error *err, const as_buf *path)
{
	as_fail(err, ASSAY_ELIMIT, "folders are nested more than %d deep", MAX_DEPTH);
	as_error_where(err, path->ptr, 0);
	return ASSAY_ELIMIT;
}

/* ---- walk ---- */

struct walk {
	as_walk_fn fn;
	void *payload;
	as_buf path;
	size_t root; /* length of the root's path and its slash */
};

static int walk_folder(struct walk *w, int dir, int depth, assay_error *err);

static int walk_entry(struct walk *w, int dir, const struct entry *e, int depth, assay_error *err)
{
	int rc = 0;
	size_t before = path_enter(&w->path, e->name);
	if (w->path.failed) {
		return as_fail_memory(err);
	}
	if (S_ISREG(e->mode)) {
		rc = w->fn(w->payload, w->path.ptr + w->root, w->path.ptr, err);
	} else if (S_ISDIR(e->mode)) {
		int sub = openat(dir, e->name, OPEN_DIR);
		if (sub < 0) {
			rc = as_fail_errno(err, errno, w->path.ptr, "open the folder");
		} else {
			rc = walk_folder(w, sub, depth + 1, err);
			close(sub);
		}
	}
	path_leave(&w->path, before);
	return rc;
}

static int walk_folder(struct walk *w, int dir, int depth, assay_error *err)
{
	struct listing l = {0};
	int rc = 0;
	if (depth > MAX_DEPTH) {
		return fail_depth(err, &w->path);
	}
	int number = list_folder(dir, &l);
	if (number != 0) {
		rc = as_fail_errno(err, number, w->path.ptr, "read the folder");
	}
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = walk_entry(w, dir, &l.items[i], depth, err);
	}
	listing_free(&l);
	return rc;
}

int as_walk(const char *root, as_walk_fn fn, void *payload, assay_error *err)
{
	struct walk w = {.fn = fn, .payload = payload};
	int rc = 0;
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		return as_fail_errno(err, errno, root, "open the folder");
	}
	as_buf_puts(&w.path, root);
	if (w.path.len > 0 && w.path.ptr[w.path.len - 1] != '/') {
		as_buf_byte(&w.path, '/');
	}
	w.root = w.path.len;
	rc = w.path.failed ? as_fail_memory(err) : walk_folder(&w, dir, 0, err);
	as_buf_free(&w.path);
	close(dir);
	return rc;
}

/* ---- copy ---- */

struct copy {
	as_buf path; /* of the source's entry, for messages */
	char *chunk;
	dev_t to_dev; /* the copy itself, which must not be copied into itself */
	ino_t to_ino;
};

/* The owner's set-id bits stay behind: who owns the copy is somebody else, who may write it even where the original is
 * read-only (installed, or of a store that locks its files). Access times are nobody's business. */
static int set_mode_and_time(int fd, const struct stat *st)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, st->st_mtim};
	const mode_t owner = S_ISDIR(st->st_mode) ? S_IRWXU : S_IRUSR | S_IWUSR;
	return fchmod(fd, (st->st_mode & (S_ISVTX | 0777)) | owner) != 0 || futimens(fd, times) != 0 ? errno : 0;
}

static int copy_bytes(int from, int to, off_t size, char *chunk)
{
	/* Not to the end of the file but as much as there was: somebody may keep appending. */
	for (off_t left = size; left > 0;) {
		ssize_t n = read(from, chunk, left < (off_t)COPY_CHUNK ? (size_t)left : COPY_CHUNK);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n < 0 ? errno : 0;
		}
		for (ssize_t done = 0; done < n;) {
			ssize_t w = write(to, chunk + done, (size_t)(n - done));
			if (w < 0 && errno != EINTR) {
				return errno;
			}
			done += w > 0 ? w : 0;
		}
		left -= n;
	}
	return 0;
}

static int copy_file(struct copy *c, int from, int to, const char *name, assay_error *err)
{
	struct stat st;
	int number = 0;
	int out = -1;
	int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (in < 0 || fstat(in, &st) != 0) {
		number = errno;
		goto out;
	}
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
	number = out < 0 ? errno : copy_bytes(in, out, st.st_size, c->chunk);
	if (number == 0) {
		number = set_mode_and_time(out, &st);
	}
	if (out >= 0 && close(out) != 0 && number == 0) {
		number = errno;
	}
out:
	if (in >= 0) {
		close(in);
	}
	return number == 0 ? 0 : as_fail_errno(err, number, c->path.ptr, "copy");
}

/* Does a link in a folder `depth` levels below the root stay inside? A ".." behind a name could climb out through
 * another link, so only leading ones are counted and others refused. */
static bool link_stays(const char *target, int depth)
{
	int up = 0;
	bool named = false;
	if (*target == '/') {
		return false;
	}
	while (*target) {
		size_t n = strcspn(target, "/");
		if (n == 2 && target[0] == '.' && target[1] == '.') {
			if (named || ++up > depth) {
				return false;
			}
		} else if (n > 0 && !(n == 1 && target[0] == '.')) {
			named = true;
		}
		target += n + (target[n] == '/');
	}
	return true;
}

static int copy_link(struct copy *c, int from, int to, const char *name, int depth, assay_error *err)
{
	char target[4096];
	struct stat st;
	ssize_t n = readlinkat(from, name, target, sizeof target);
	if (n < 0 || fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		return as_fail_errno(err, errno, c->path.ptr, "copy");
	}
	if ((size_t)n == sizeof target) {
		return as_fail_errno(err, ENAMETOOLONG, c->path.ptr, "copy");
	}
	target[n] = '\0';
	if (!link_stays(target, depth)) {
		return fail_at(err, ASSAY_EDATA, &c->path, "is a link that may lead out of the folder");
	}
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, st.st_mtim};
	if (symlinkat(target, to, name) != 0 || utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) != 0) {
		return as_fail_errno(err, errno, c->path.ptr, "copy");
	}
	return 0;
}

static int copy_folder(struct copy *c, int from, int to, int depth, assay_error *err);

static int copy_subfolder(struct copy *c, int from, int to, const char *name, int depth, assay_error *err)
{
	int rc = 0;
	int out = -1;
	int in = openat(from, name, OPEN_DIR);
	if (in >= 0 && mkdirat(to, name, S_IRWXU) == 0) {
		out = openat(to, name, OPEN_DIR);
	}
	if (out < 0) {
		rc = as_fail_errno(err, errno, c->path.ptr, "copy");
	} else {
		rc = copy_folder(c, in, out, depth + 1, err);
		close(out);
	}
	if (in >= 0) {
		close(in);
	}
	return rc;
}

static int copy_entry(struct copy *c, int from, int to, const struct entry *e, int depth, assay_error *err)
{
	int rc;
	size_t before = path_enter(&c->path, e->name);
	if (c->path.failed) {
		return as_fail_memory(err);
	}
	if (S_ISREG(e->mode)) {
		rc = copy_file(c, from, to, e->name, err);
	} else if (S_ISDIR(e->mode)) {
		rc = copy_subfolder(c, from, to, e->name, depth, err);
	} else if (S_ISLNK(e->mode)) {
		rc = copy_link(c, from, to, e->name, depth, err);
	} else {
		rc = fail_at(err, ASSAY_EDATA, &c->path, "is a device, socket or pipe, which cannot be copied");
	}
	path_leave(&c->path, before);
	return rc;
}

static int copy_folder(struct copy *c, int from, int to, int depth, assay_error *err)
{
	struct listing l = {0};
	struct stat st;
	int rc = 0;
	if (depth > MAX_DEPTH) {
		return fail_depth(err, &c->path);
	}
	int number = fstat(from, &st) != 0 ? errno : list_folder(from, &l);
	if (number == 0 && st.st_dev == c->to_dev && st.st_ino == c->to_ino) {
		rc = fail_at(err, ASSAY_EINVAL, &c->path, "a folder cannot be copied into itself");
	}
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = copy_entry(c, from, to, &l.items[i], depth, err);
	}
	if (number == 0 && rc == 0) {
		number = set_mode_and_time(to, &st); /* last: making entries changes the time */
	}
	if (number != 0) {
		rc = as_fail_errno(err, number, c->path.ptr, "copy");
	}
	listing_free(&l);
	return rc;
}

/* Open the folder `to`, made if need be, and see that nothing is in it. */
static int open_empty(const char *to, int *fd, assay_error *err)
{
	struct listing l = {0};
	int rc = as_make_dirs(to, err);
	if (rc != 0) {
		return rc;
	}
	*fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int number = *fd < 0 ? errno : list_folder(*fd, &l);
	if (number != 0) {
		rc = as_fail_errno(err, number, to, "read the folder");
	} else if (l.n > 0) {
		rc = as_fail(err, ASSAY_EINVAL, "is not empty, expected a new or empty folder");
		as_error_where(err, to, 0);
	}
	listing_free(&l);
	return rc;
}

int as_copy_tree(const char *from, const char *to, assay_error *err)
{
	struct copy c = {0};
	struct stat st;
	int out = -1;
	int rc = 0;
	int in = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in < 0) {
		return as_fail_errno(err, errno, from, "open the folder");
	}
	rc = open_empty(to, &out, err);
	if (rc != 0) {
		goto out;
	}
	if (fstat(out, &st) != 0) {
		rc = as_fail_errno(err, errno, to, "read the folder");
		goto out;
	}
	c.to_dev = st.st_dev;
	c.to_ino = st.st_ino;
	c.chunk = as_new(COPY_CHUNK, 1);
	as_buf_puts(&c.path, from);
	rc = !c.chunk || c.path.failed ? as_fail_memory(err) : copy_folder(&c, in, out, 0, err);
out:
	if (out >= 0) {
		close(out);
	}
	close(in);
	free(c.chunk);
	as_buf_free(&c.path);
	return rc;
}

/* ---- remove ---- */

struct removal {
	int root;
	unsigned long moved; /* folders brought up to the root because they lay too deep */
	as_buf path;
};

static int remove_content(struct removal *r, int dir, int depth, assay_error *err);

/* A folder that lies too deep to descend to goes up to the root, where the next round finds it: any depth can be
 * removed with a bounded number of descriptors. */
static int move_up(struct removal *r, int dir, const char *name, assay_error *err)
{
	char up[48];
	struct stat st;
	do {
		snprintf(up, sizeof up, ".assay-removing-%lu", r->moved++);
	} while (fstatat(r->root, up, &st, AT_SYMLINK_NOFOLLOW) == 0);
	(void)fchmodat(dir, name, S_IRWXU, AT_SYMLINK_NOFOLLOW); /* a folder must be writable to get a new parent */
	if (renameat(dir, name, r->root, up) != 0) {
		return as_fail_errno(err, errno, r->path.ptr, "remove");
	}
	return 0;
}

static int remove_folder(struct removal *r, int dir, const char *name, int depth, assay_error *err)
{
	/* A copy of a read-only tree must be removable, so take the right to list and change the folder. */
	int sub = openat(dir, name, OPEN_DIR);
	if (sub < 0 && errno == EACCES && fchmodat(dir, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0) {
		sub = openat(dir, name, OPEN_DIR);
	}
	if (sub < 0) {
		return as_fail_errno(err, errno, r->path.ptr, "remove");
	}
	int rc = remove_content(r, sub, depth + 1, err);
	close(sub);
	if (rc == 0 && unlinkat(dir, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
		rc = as_fail_errno(err, errno, r->path.ptr, "remove");
	}
	return rc;
}

static int remove_entry(struct removal *r, int dir, const struct entry *e, int depth, assay_error *err)
{
	int rc = 0;
	size_t before = path_enter(&r->path, e->name);
	if (r->path.failed) {
		return as_fail_memory(err);
	}
	if (!S_ISDIR(e->mode)) {
		if (unlinkat(dir, e->name, 0) != 0 && errno != ENOENT) {
			rc = as_fail_errno(err, errno, r->path.ptr, "remove");
		}
	} else if (depth >= MAX_DEPTH) {
		rc = move_up(r, dir, e->name, err);
	} else {
		rc = remove_folder(r, dir, e->name, depth, err);
	}
	path_leave(&r->path, before);
	return rc;
}

static int remove_content(struct removal *r, int dir, int depth, assay_error *err)
{
	struct listing l = {0};
	struct stat st;
	int rc = 0;
	if (fstat(dir, &st) == 0 && (st.st_mode & S_IRWXU) != S_IRWXU) {
		(void)fchmod(dir, S_IRWXU);
	}
	int number = list_folder(dir, &l);
	if (number != 0) {
		rc = as_fail_errno(err, number, r->path.ptr, "read the folder");
	}
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		rc = remove_entry(r, dir, &l.items[i], depth, err);
	}
	listing_free(&l);
	return rc;
}

static int remove_root(const char *path, assay_error *err)
{
	struct removal r = {0};
	int rc = 0;
	unsigned long before;
	r.root = open(path, OPEN_DIR);
	if (r.root < 0 && errno == EACCES && chmod(path, S_IRWXU) == 0) {
		r.root = open(path, OPEN_DIR);
	}
	if (r.root < 0) {
		return as_fail_errno(err, errno, path, "remove");
	}
	as_buf_puts(&r.path, path);
	if (r.path.failed) {
		rc = as_fail_memory(err);
		goto out;
	}
	do {
		before = r.moved;
		rc = remove_content(&r, r.root, 0, err);
	} while (rc == 0 && r.moved != before);
	if (rc == 0 && rmdir(path) != 0 && errno != ENOENT) {
		rc = as_fail_errno(err, errno, path, "remove");
	}
out:
	as_buf_free(&r.path);
	close(r.root);
	return rc;
}

int as_remove_tree(const char *path, assay_error *err)
{
	struct stat st;
	if (lstat(path, &st) != 0) {
		return errno == ENOENT ? 0 : as_fail_errno(err, errno, path, "remove");
	}
	if (S_ISDIR(st.st_mode)) {
		return remove_root(path, err);
	}
	if (unlink(path) != 0 && errno != ENOENT) {
		return as_fail_errno(err, errno, path, "remove");
	}
	return 0;
}
