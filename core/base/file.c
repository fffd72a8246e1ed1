#include "core/base/file.h"

#include "core/base/clock.h"
#include "core/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_CHUNK ((size_t)64 << 10)
#define TEMP_TRIES 100

static int read_all(int fd, size_t max, const char *path, as_buf *b, assay_error *err)
{
	for (;;) {
		size_t room = b->cap > b->len + 1 ? b->cap - b->len - 1 : READ_CHUNK;
		if (room > max - b->len) {
			room = max - b->len + 1; /* one more shows the excess */
		}
		if (!as_buf_reserve(b, room)) {
			return as_fail_memory(err);
		}
		ssize_t n = read(fd, b->ptr + b->len, room);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return as_fail_errno(err, errno, path, "read");
		}
		if (n == 0) {
			return 0;
		}
		b->len += (size_t)n;
		if (b->len > max) {
			as_fail(err, ASSAY_ELIMIT, "is larger than %zu bytes", max);
			as_error_where(err, path, 0);
			return ASSAY_ELIMIT;
		}
	}
}

int as_file_read(const char *path, size_t max, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	struct stat st;
	int rc = 0;
	*out = (assay_text){0};
	/* Not blocking: opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		return as_fail_errno(err, errno, path, "open");
	}
	if (fstat(fd, &st) != 0) {
		rc = as_fail_errno(err, errno, path, "read");
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = as_fail(err, ASSAY_EDATA, "is %s, expected a regular file",
			     S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
		as_error_where(err, path, 0);
		goto out;
	}
	if (st.st_size > 0 && (uintmax_t)st.st_size <= max) {
		(void)as_buf_reserve(&b,
				     (size_t)st.st_size + 1); /* one read without growing; its end shows in the next */
	}
	rc = read_all(fd, max, path, &b, err);
	if (rc == 0) {
		as_buf_puts(&b, ""); /* terminate what read put there */
		rc = as_buf_take(&b, out, err);
	}
out:
	close(fd);
	as_buf_free(&b);
	return rc;
}

int as_file_read_text(const char *path, size_t max, assay_text *out, assay_error *err)
{
	int rc = as_file_read(path, max, out, err);
	/* A mark of its order, or a character of ASCII with a NUL before or behind it. */
	bool wide = rc == 0 && out->len >= 2 &&
		    (memcmp(out->ptr, "\xFF\xFE", 2) == 0 || memcmp(out->ptr, "\xFE\xFF", 2) == 0 ||
		     (out->ptr[0] == '\0') != (out->ptr[1] == '\0'));
	if (!wide) {
		return rc;
	}
	as_text_free(out);
	as_fail(err, ASSAY_EDATA, "this text is UTF-16, expected UTF-8");
	as_error_hint(err, "save it as UTF-8, or turn it by \"iconv -f UTF-16 -t UTF-8\"");
	return as_error_where(err, path, 0);
}

static int write_all(int fd, assay_str bytes)
{
	size_t done = 0;
	while (done < bytes.len) {
		ssize_t n = write(fd, bytes.ptr + done, bytes.len - done);
		if (n < 0 && errno != EINTR) {
			return errno;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* A new file beside the target, whose name is short whatever the target's name. mkstemp would ignore the umask. */
static int open_temp(assay_str dir, as_buf *name)
{
	for (unsigned i = 0; i < TEMP_TRIES; i++) {
		as_buf_clear(name);
		as_buf_add(name, dir);
		as_buf_printf(name, "/.assay-%ld-%" PRId64 "-%u", (long)getpid(), as_now_us(), i);
		if (name->failed) {
			errno = ENOMEM;
			return -1;
		}
		int fd = open(name->ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0 || errno != EEXIST) {
			return fd;
		}
	}
	return -1;
}

/* Make a rename durable. Some file systems cannot sync folders; that is no failure of the write. */
static int sync_folder(assay_str dir)
{
	char *path = as_strndup(dir);
	if (!path) {
		return ENOMEM;
	}
	int number = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (fd >= 0) {
		if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
			number = errno;
		}
		close(fd);
	}
	free(path);
	return number;
}

/* What a write to `path` has to replace. Replacing a device or a pipe by a file would surprise everybody (think of
 * /dev/stdout), and so would replacing a link: that means the file it points to. *rights: those of what is there, which
 * stay; 0 when nothing is. */
static int find_target(const char *path, char **target, mode_t *rights, assay_error *err)
{
	struct stat st;
	*target = NULL;
	*rights = 0;
	if (lstat(path, &st) != 0) {
		if (errno != ENOENT) {
			return as_fail_errno(err, errno, path, "write");
		}
		*target = as_strdup(path);
		return *target ? 0 : as_fail_memory(err);
	}
	char *real = S_ISLNK(st.st_mode) ? realpath(path, NULL) : as_strdup(path);
	if (!real || stat(real, &st) != 0) {
		free(real);
		return as_fail_errno(err, errno, path, "write");
	}
	if (!S_ISREG(st.st_mode)) {
		free(real);
		as_fail(err, ASSAY_EINVAL, "is %s, expected a regular file or nothing",
			S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
		as_error_where(err, path, 0);
		return ASSAY_EINVAL;
	}
	*target = real;
	*rights = st.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
	return 0;
}

int as_file_begin(const char *path, as_file_draft *draft, assay_error *err)
{
	as_buf temp = {0};
	assay_text name = {0};
	*draft = (as_file_draft){.fd = -1};
	mode_t rights;
	int rc = find_target(path, &draft->target, &rights, err);
	if (rc != 0) {
		return rc;
	}
	draft->fd = open_temp(as_path_dir(as_str(draft->target)), &temp);
	if (draft->fd < 0) {
		rc = as_fail_errno(err, errno, path, "write");
		goto out;
	}
	rc = as_buf_take(&temp, &name, err);
	draft->temp = name.ptr;
	/* Some file systems have no rights to give. */
	if (rc == 0 && rights != 0 && fchmod(draft->fd, rights) != 0 && errno != EPERM && errno != ENOTSUP) {
		rc = as_fail_errno(err, errno, path, "keep the rights of");
	}
out:
	as_buf_free(&temp);
	if (rc != 0) {
		as_file_abandon(draft);
	}
	return rc;
}

void as_file_abandon(as_file_draft *draft)
{
	if (draft->temp) {
		close(draft->fd);
		(void)unlink(draft->temp);
	}
	free(draft->temp);
	free(draft->target);
	*draft = (as_file_draft){.fd = -1};
}

int as_file_commit(as_file_draft *draft, assay_error *err)
{
	int rc = 0;
	int number = fsync(draft->fd) != 0 && errno != EINVAL ? errno : 0;
	if (close(draft->fd) != 0 && number == 0) { /* NFS reports a full disk here */
		number = errno;
	}
	if (number == 0 && rename(draft->temp, draft->target) != 0) {
		number = errno;
	}
	if (number != 0) {
		(void)unlink(draft->temp);
	} else {
		number = sync_folder(as_path_dir(as_str(draft->target)));
	}
	if (number != 0) {
		rc = as_fail_errno(err, number, draft->target, "write");
	}
	free(draft->temp);
	free(draft->target);
	*draft = (as_file_draft){.fd = -1};
	return rc;
}

int as_file_write(const char *path, assay_str bytes, assay_error *err)
{
	as_file_draft draft;
	int rc = as_file_begin(path, &draft, err);
	if (rc != 0) {
		return rc;
	}
	int number = write_all(draft.fd, bytes);
	if (number != 0) {
		as_file_abandon(&draft);
		return as_fail_errno(err, number, path, "write");
	}
	return as_file_commit(&draft, err);
}

bool as_file_exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

bool as_file_is_same(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

bool as_dir_exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int as_make_dirs(const char *path, assay_error *err)
{
	char *copy = as_strdup(path);
	if (!copy) {
		return as_fail_memory(err);
	}
	int number = *path ? 0 : ENOENT;
	for (char *p = copy; *p && number == 0; p++) {
		if (p[1] != '/' && p[1] != '\0') {
			continue;
		}
		char kept = p[1];
		p[1] = '\0';
		/* Asked afterwards: on a read-only file system mkdir of an existing folder says EROFS. */
		if (mkdir(copy, 0777) != 0 && !as_dir_exists(copy)) {
			number = errno == EEXIST ? ENOTDIR : errno;
		}
		p[1] = kept;
	}
	free(copy);
	return number == 0 ? 0 : as_fail_errno(err, number, path, "make the folder");
}

const char *as_temp_root(void)
{
	const char *tmp = getenv("TMPDIR");
	return tmp && tmp[0] ? tmp : "/tmp";
}

int as_make_temp_dir(const char *parent, const char *prefix, as_buf *path, assay_error *err)
{
	as_buf_clear(path);
	as_path_join(path, as_str(parent), as_str(prefix));
	as_buf_puts(path, "XXXXXX");
	if (path->failed) {
		return as_fail_memory(err);
	}
	if (!mkdtemp(path->ptr)) {
		int rc = as_fail_errno(err, errno, parent, "make a folder in it");
		as_buf_clear(path);
		if (strcmp(parent, as_temp_root()) == 0) {
			as_error_hint(err, "set TMPDIR to a folder that can be written to");
		}
		return rc;
	}
	return 0;
}

void as_path_join(as_buf *out, assay_str a, assay_str b)
{
	bool absolute = b.len > 0 && b.ptr[0] == '/';
	if (!absolute && a.len > 0) {
		as_buf_add(out, a);
		if (a.ptr[a.len - 1] != '/' && b.len > 0) {
			as_buf_byte(out, '/');
		}
	}
	as_buf_add(out, b);
}

/* Length of path without its last component and the slashes round it; *base_end leaves out trailing slashes. */
static size_t dir_length(assay_str path, size_t *base_start, size_t *base_end)
{
	size_t end = path.len;
	while (end > 1 && path.ptr[end - 1] == '/') {
		end--;
	}
	size_t start = end;
	while (start > 0 && path.ptr[start - 1] != '/') {
		start--;
	}
	*base_start = start;
	*base_end = end;
	size_t dir = start;
	while (dir > 1 && path.ptr[dir - 1] == '/') {
		dir--;
	}
	return dir;
}

assay_str as_path_dir(assay_str path)
{
	size_t start, end;
	size_t n = dir_length(path, &start, &end);
	return n == 0 ? ASSAY_STR(".") : (assay_str){path.ptr, n};
}

assay_str as_path_base(assay_str path)
{
	size_t start, end;
	(void)dir_length(path, &start, &end);
	return start == end ? (assay_str){path.ptr, end} : (assay_str){path.ptr + start, end - start};
}

static bool current_dir(as_buf *out)
{
	for (size_t size = 256; size <= ((size_t)1 << 20); size *= 2) {
		if (!as_buf_reserve(out, size)) {
			errno = ENOMEM;
			return false;
		}
		if (getcwd(out->ptr + out->len, size)) {
			out->len += strlen(out->ptr + out->len);
			return true;
		}
		if (errno != ERANGE) {
			return false;
		}
	}
	return false;
}

/* Append the components of path to out, resolving "." and ".." by text. */
static void add_lexical(as_buf *out, size_t root, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (out->len > root && out->ptr[out->len - 1] != '/') {
				out->len--;
			}
			out->len -= out->len > root ? 1 : 0;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			as_buf_byte(out, '/');
			as_buf_add(out, (assay_str){path, n});
			if (out->failed) {
				return;
			}
		}
		path += n + (path[n] == '/');
	}
}

int as_path_absolute(const char *path, as_buf *out, assay_error *err)
{
	as_buf cwd = {0};
	size_t root = out->len;
	char *real = realpath(path, NULL);
	int rc = 0;
	if (real) {
		as_buf_puts(out, real);
		free(real);
		return as_buf_check(out, err);
	}
	if (path[0] != '/') {
		if (!current_dir(&cwd)) {
			rc = as_fail_errno(err, errno, NULL, "find the current folder");
			goto out;
		}
		add_lexical(out, root, cwd.ptr);
	}
	if (!out->failed) {
		add_lexical(out, root, path);
	}
	if (out->len == root) {
		as_buf_byte(out, '/');
	}
	as_buf_puts(out, ""); /* terminate what was cut back */
	rc = as_buf_check(out, err);
out:
	as_buf_free(&cwd);
	return rc;
}
