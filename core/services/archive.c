/* Release archives by libarchive: the only file that sees it.
 *
 * Reading treats the archive as hostile. libarchive's own disk writer knows owners, links, flags and more that a
 * release never has; here a regular file or a folder is made below an open descriptor, component by component, never
 * through a link, and never over something that is there already.
 *
 * The decompressor and the tar reader are two objects of libarchive with our callback between them, which bounds the
 * work: whatever a small file claims to expand to, no more comes out than the limits allow for. */
#include "core/base/archive.h"

#include "core/base/error.h"
#include "core/base/file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVEL "10" /* of zstd; part of the format, since it decides the bytes */
#define CHUNK ((size_t)64 << 10)
#define MAX_PATH_BYTES 1024
#define MAX_COMPONENTS 64
#define FILE_OVERHEAD 8192u /* bytes of headers and padding allowed for each file */

const as_archive_ops *service_archive_LTX_assay_service_v1(void);

/* ---- names ---- */

static bool is_component(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '/' || (unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f) {
			return false;
		}
	}
	return s.len > 0 && s.len <= 255 && !as_str_is(s, ".") && !as_str_is(s, "..");
}

/* What is wrong with an entry's path, or NULL. */
static const char *fault_of_path(const char *path)
{
	size_t len = strlen(path);
	size_t components = 0;
	if (len == 0) {
		return "has no name";
	}
	if (path[0] == '/') {
		return "has an absolute path";
	}
	if (len > MAX_PATH_BYTES) {
		return "has a path of more than 1024 bytes";
	}
	while (len > 0) {
		size_t n = strcspn(path, "/");
		if (!is_component((assay_str){path, n})) {
			return "has a path that is not plain: no \".\", \"..\", empty, over-long or unprintable part";
		}
		if (++components > MAX_COMPONENTS) {
			return "has a path of more than 64 parts";
		}
		n += path[n] == '/';
		path += n;
		len -= n;
	}
	return NULL;
}

/* ---- packing ---- */

/* Answers an errno value. */
static int write_out(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno != EINTR) {
			return errno;
		}
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

struct pack {
	struct archive *out;
	struct archive_entry *entry;
	const char *name, *to;
	int fd;
	bool failed; /* what is still to be written is for nobody */
	int64_t time;
	char *chunk;
	as_buf path;
	bool wide_names; /* some name is more than ASCII */
};

static int fail_archive(struct archive *a, int code, const char *where, assay_error *err)
{
	const char *reason = archive_error_string(a);
	if (archive_errno(a) == ENOMEM) {
		return as_fail_memory(err);
	}
	int rc = as_fail(err, code, "%s", reason ? reason : "libarchive gave no reason");
	as_error_where(err, where, 0);
	return rc;
}

/* libarchive reports the errno of a failed write; ENOSPC is the one that happens. */
static int fail_output(const struct pack *p, assay_error *err)
{
	int number = archive_errno(p->out);
	return number > 0 ? as_fail_errno(err, number, p->to, "write") : fail_archive(p->out, ASSAY_EIO, p->to, err);
}

/* SOURCE_DATE_EPOCH, the convention of reproducible builds. */
static int read_time(int64_t *time, assay_error *err)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	*time = 0;
	if (!text || !*text) {
		return 0;
	}
	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 10) {
		return as_fail(err, ASSAY_EINVAL, "SOURCE_DATE_EPOCH is \"%.40s\", expected seconds since 1970", text);
	}
	*time = (int64_t)strtoll(text, NULL, 10);
	return 0;
}

static int write_data(struct pack *p, int fd, int64_t size, const char *path, assay_error *err)
{
	int64_t done = 0;
	for (;;) {
		ssize_t n = read(fd, p->chunk, CHUNK);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return as_fail_errno(err, errno, path, "read");
		}
		done += n;
		if (n == 0 || done > size) {
			break;
		}
		if (archive_write_data(p->out, p->chunk, (size_t)n) != n) {
			return fail_output(p, err);
		}
	}
	if (done != size) {
		as_fail(err, ASSAY_EDATA, "changed while it was being packed");
		as_error_where(err, path, 0);
		return ASSAY_EDATA;
	}
	return 0;
}

static int pack_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	struct pack *p = payload;
	struct stat st;
	int rc = 0;
	as_buf_clear(&p->path);
	as_buf_printf(&p->path, "%s/%s", p->name, relative);
	if (p->path.failed) {
		return as_fail_memory(err);
	}
	const char *fault = fault_of_path(p->path.ptr); /* what is packed must unpack */
	if (fault) {
		as_fail(err, ASSAY_EDATA, "%s", fault);
		as_error_where(err, path, 0);
		return ASSAY_EDATA;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = as_fail_errno(err, errno, path, "read");
		goto out;
	}
	archive_entry_clear(p->entry);
	archive_entry_copy_pathname(p->entry, p->path.ptr);
	archive_entry_set_filetype(p->entry, AE_IFREG);
	archive_entry_set_perm(p->entry, 0644);
	archive_entry_set_size(p->entry, st.st_size);
	archive_entry_set_mtime(p->entry, (time_t)p->time, 0);
	archive_entry_set_uid(p->entry, 0);
	archive_entry_set_gid(p->entry, 0);
	if (archive_write_header(p->out, p->entry) < ARCHIVE_WARN) {
		rc = fail_output(p, err);
		goto out;
	}
	rc = write_data(p, fd, st.st_size, path, err);
out:
	if (fd >= 0) {
		close(fd);
	}
	return rc;
}

/* libarchive frees everything only when it can finish, so after a failure it may finish into nothing. */
static la_ssize_t take_output(struct archive *a, void *payload, const void *bytes, size_t n)
{
	const struct pack *p = payload;
	int number = p->failed ? 0 : write_out(p->fd, bytes, n);
	if (number != 0) {
		archive_set_error(a, number, "cannot write");
		return -1;
	}
	return (la_ssize_t)n;
}

static int open_output(struct pack *p, assay_error *err)
{
	p->out = archive_write_new();
	p->entry = archive_entry_new();
	p->chunk = as_new(CHUNK, 1);
	if (!p->out || !p->entry || !p->chunk) {
		return as_fail_memory(err);
	}
	/* hdrcharset: names are bytes, whatever the locale; GNU tar complains about it, so it is left out where it says
	 * nothing. A warning of the filter means an external program. */
	if (archive_write_set_format_pax_restricted(p->out) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(p->out) != ARCHIVE_OK ||
	    archive_write_set_filter_option(p->out, "zstd", "compression-level", LEVEL) != ARCHIVE_OK ||
	    (p->wide_names && archive_write_set_format_option(p->out, "pax", "hdrcharset", "BINARY") != ARCHIVE_OK)) {
		return as_fail(err, ASSAY_ENOTSUP, "this libarchive cannot write .tar.zst");
	}
	/* A device would get its last block padded; a file does not. */
	if (archive_write_set_bytes_in_last_block(p->out, 1) != ARCHIVE_OK ||
	    archive_write_open(p->out, p, NULL, take_output, NULL) != ARCHIVE_OK) {
		return fail_output(p, err);
	}
	return 0;
}

static bool is_wide(const char *name)
{
	while (*name && (unsigned char)*name < 0x80) {
		name++;
	}
	return *name != '\0';
}

static int note_name(void *payload, const char *relative, const char *path, assay_error *err)
{
	struct pack *p = payload;
	(void)path;
	(void)err;
	p->wide_names = p->wide_names || is_wide(relative);
	return 0;
}

static int pack(const char *root, const char *name, const char *to, assay_error *err)
{
	struct pack p = {.name = name, .to = to, .wide_names = is_wide(name)};
	as_file_draft draft = {.fd = -1};
	int rc = 0;
	if (!is_component(as_str(name))) {
		return as_fail(err, ASSAY_EINVAL, "\"%s\" is no name for an archive's folder", name);
	}
	rc = read_time(&p.time, err);
	if (rc == 0) {
		rc = as_walk(root, note_name, &p, err);
	}
	if (rc != 0) {
		return rc;
	}
	rc = as_file_begin(to, &draft, err);
	if (rc != 0) {
		return rc;
	}
	p.fd = draft.fd;
	rc = open_output(&p, err);
	if (rc == 0) {
		rc = as_walk(root, pack_file, &p, err);
	}
	if (rc == 0 && archive_write_close(p.out) != ARCHIVE_OK) {
		rc = fail_output(&p, err);
	}
	p.failed = rc != 0;
	(void)archive_write_free(p.out);
	if (rc == 0) {
		rc = as_file_commit(&draft, err);
	}
	archive_entry_free(p.entry);
	as_file_abandon(&draft);
	as_buf_free(&p.path);
	free(p.chunk);
	return rc;
}

/* ---- unpacking ---- */

struct unpack {
	struct archive *zstd, *tar;
	const char *archive; /* its path, for messages */
	char *between;       /* decompressed bytes on their way to the tar reader */
	char *chunk;
	uint64_t expanded, max_expanded; /* decompressed bytes so far */
	uint64_t bytes, max_bytes;       /* of files' content so far */
	uint32_t files, max_files;
	int fd, root;
};

/* All refusals name the entry: "ENTRY: message". */
static int refuse(const struct unpack *u, const char *entry, int code, const char *message, assay_error *err)
{
	int rc = entry ? as_fail(err, code, "entry \"%.200s\" %s", entry, message) : as_fail(err, code, "%s", message);
	as_error_where(err, u->archive, 0);
	return rc;
}

static la_ssize_t read_between(struct archive *a, void *payload, const void **bytes)
{
	struct unpack *u = payload;
	la_ssize_t n = archive_read_data(u->zstd, u->between, CHUNK);
	if (n < 0) {
		archive_set_error(a, archive_errno(u->zstd), "%s", archive_error_string(u->zstd));
		return -1;
	}
	u->expanded += (uint64_t)n;
	if (u->expanded > u->max_expanded) {
		archive_set_error(a, EFBIG, "the archive expands to more than its limits allow for");
		return -1;
	}
	*bytes = u->between;
	return n;
}

static int fail_tar(const struct unpack *u, const char *entry, assay_error *err)
{
	const char *reason = archive_error_string(u->tar);
	if (archive_errno(u->tar) == ENOMEM) {
		return as_fail_memory(err);
	}
	return refuse(u, entry, archive_errno(u->tar) == EFBIG ? ASSAY_ELIMIT : ASSAY_EDATA,
		      reason ? reason : "cannot be read", err);
}

/* Open the compressed stream: zstd once, and nothing else (filters in filters multiply). */
static int open_zstd(struct unpack *u, assay_error *err)
{
	struct archive_entry *entry;
	struct stat st;
	if (archive_read_support_filter_zstd(u->zstd) != ARCHIVE_OK ||
	    archive_read_support_format_raw(u->zstd) != ARCHIVE_OK) {
		return as_fail(err, ASSAY_ENOTSUP, "this libarchive cannot read .tar.zst");
	}
	u->fd = open(u->archive, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (u->fd < 0 || fstat(u->fd, &st) != 0) {
		return as_fail_errno(err, errno, u->archive, "read");
	}
	if (!S_ISREG(st.st_mode) || archive_read_open_fd(u->zstd, u->fd, CHUNK) != ARCHIVE_OK) {
		return refuse(u, NULL, ASSAY_EDATA, "is not a .tar.zst archive", err);
	}
	bool zstd = archive_filter_count(u->zstd) == 2 && archive_filter_code(u->zstd, 0) == ARCHIVE_FILTER_ZSTD;
	int rc = zstd ? archive_read_next_header(u->zstd, &entry) : ARCHIVE_EOF;
	if (rc == ARCHIVE_EOF) {
		return refuse(u, NULL, ASSAY_EDATA, "is not a .tar.zst archive", err);
	}
	return rc == ARCHIVE_OK ? 0 : fail_archive(u->zstd, ASSAY_EDATA, u->archive, err);
}

static int open_input(struct unpack *u, assay_error *err)
{
	u->zstd = archive_read_new();
	u->tar = archive_read_new();
	u->between = as_new(CHUNK, 1);
	u->chunk = as_new(CHUNK, 1);
	if (!u->zstd || !u->tar || !u->between || !u->chunk) {
		return as_fail_memory(err);
	}
	int rc = open_zstd(u, err);
	if (rc != 0) {
		return rc;
	}
	(void)archive_read_support_format_tar(u->tar);
	if (archive_read_open(u->tar, u, NULL, read_between, NULL) != ARCHIVE_OK) {
		return fail_tar(u, NULL, err);
	}
	return 0;
}

static const char *fault_of_entry(struct archive_entry *e)
{
	if (archive_entry_hardlink(e)) {
		return "is a hard link, expected regular files and folders only";
	}
	switch (archive_entry_filetype(e)) {
	case AE_IFREG:
	case AE_IFDIR:
		return NULL;
	case AE_IFLNK:
		return "is a symbolic link, expected regular files and folders only";
	default:
		return "is a device or pipe, expected regular files and folders only";
	}
}

/* Count a file or folder that is made. */
static int count_one(struct unpack *u, assay_error *err)
{
	if (u->files >= u->max_files) {
		as_fail(err, ASSAY_ELIMIT, "has more than %u files and folders", (unsigned)u->max_files);
		as_error_where(err, u->archive, 0);
		return ASSAY_ELIMIT;
	}
	u->files++;
	return 0;
}

/* Replace *dir by its subfolder `name`, made if it is missing. */
static int enter_folder(struct unpack *u, const char *name, int *dir, const char *path, assay_error *err)
{
	if (mkdirat(*dir, name, 0777) == 0) {
		int rc = count_one(u, err);
		if (rc != 0) {
			return rc;
		}
	} else if (errno != EEXIST) {
		return as_fail_errno(err, errno, path, "unpack");
	}
	int next = openat(*dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0) {
		return errno == ENOTDIR || errno == ELOOP
			       ? refuse(u, path, ASSAY_EDATA, "needs a folder where there is a file", err)
			       : as_fail_errno(err, errno, path, "unpack");
	}
	close(*dir);
	*dir = next;
	return 0;
}

/* Open the folder named by the first n bytes of path, making what is missing. */
static int enter_folders(struct unpack *u, const char *path, size_t n, int *dir, assay_error *err)
{
	int rc = 0;
	*dir = fcntl(u->root, F_DUPFD_CLOEXEC, 3);
	if (*dir < 0) {
		return as_fail_errno(err, errno, path, "unpack");
	}
	for (size_t i = 0; i < n && rc == 0;) {
		char name[256];
		size_t len = strcspn(path + i, "/"); /* at most 255: fault_of_path has seen to that */
		memcpy(name, path + i, len);
		name[len] = '\0';
		rc = enter_folder(u, name, dir, path, err);
		i += len + 1;
	}
	if (rc != 0) {
		close(*dir);
		*dir = -1;
	}
	return rc;
}

/* Holes of sparse entries come out as zeros and count like any other bytes. */
static int unpack_data(struct unpack *u, int fd, const char *path, assay_error *err)
{
	for (;;) {
		la_ssize_t n = archive_read_data(u->tar, u->chunk, CHUNK);
		if (n < 0) {
			return fail_tar(u, path, err);
		}
		if (n == 0) {
			return 0;
		}
		u->bytes += (uint64_t)n;
		if (u->bytes > u->max_bytes) {
			return refuse(u, path, ASSAY_ELIMIT, "brings the files to more bytes than allowed", err);
		}
		int number = write_out(fd, u->chunk, (size_t)n);
		if (number != 0) {
			return as_fail_errno(err, number, path, "unpack");
		}
	}
}

static int unpack_file(struct unpack *u, const char *path, assay_error *err)
{
	int dir = -1;
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	if (!*base) {
		return refuse(u, path, ASSAY_EDATA, "is a file with a folder's name", err);
	}
	int rc = count_one(u, err);
	rc = rc != 0 ? rc : enter_folders(u, path, (size_t)(base - path), &dir, err);
	if (rc != 0) {
		return rc;
	}
	int fd = openat(dir, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0) {
		rc = errno == EEXIST ? refuse(u, path, ASSAY_EDATA, "is there twice", err)
				     : as_fail_errno(err, errno, path, "unpack");
	} else {
		rc = unpack_data(u, fd, path, err);
		if (close(fd) != 0 && rc == 0) {
			rc = as_fail_errno(err, errno, path, "unpack");
		}
	}
	close(dir);
	return rc;
}

static int unpack_entry(struct unpack *u, struct archive_entry *e, assay_error *err)
{
	const char *path = archive_entry_pathname(e);
	const char *fault = path ? fault_of_path(path) : "has a name that cannot be read";
	fault = fault ? fault : fault_of_entry(e);
	if (fault) {
		return refuse(u, path ? path : "?", ASSAY_EDATA, fault, err);
	}
	if (archive_entry_filetype(e) == AE_IFREG) {
		return unpack_file(u, path, err);
	}
	int dir = -1;
	int rc = enter_folders(u, path, strlen(path), &dir, err);
	if (dir >= 0) {
		close(dir);
	}
	return rc;
}

static int unpack_all(struct unpack *u, assay_error *err)
{
	for (;;) {
		struct archive_entry *e = NULL;
		int rc = archive_read_next_header(u->tar, &e);
		if (rc == ARCHIVE_EOF) {
			return 0;
		}
		/* A warning is about a name that the locale lacks; its bytes are there nevertheless. */
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN) {
			return fail_tar(u, NULL, err);
		}
		rc = unpack_entry(u, e, err);
		if (rc != 0) {
			return rc;
		}
	}
}

static int unpack(const char *archive, const char *to, uint64_t max_bytes, uint32_t max_files, assay_error *err)
{
	struct unpack u = {.archive = archive, .max_bytes = max_bytes, .max_files = max_files, .fd = -1, .root = -1};
	const uint64_t overhead = (uint64_t)max_files * FILE_OVERHEAD + ((uint64_t)1 << 20);
	u.max_expanded = max_bytes > UINT64_MAX - overhead ? UINT64_MAX : max_bytes + overhead;
	int rc = open_input(&u, err);
	if (rc != 0) {
		goto out;
	}
	u.root = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = u.root < 0 ? as_fail_errno(err, errno, to, "open the folder") : unpack_all(&u, err);
out:
	if (u.root >= 0) {
		close(u.root);
	}
	(void)archive_read_free(u.tar);
	(void)archive_read_free(u.zstd);
	if (u.fd >= 0) {
		close(u.fd);
	}
	free(u.between);
	free(u.chunk);
	return rc;
}

__attribute__((visibility("default"))) const as_archive_ops *service_archive_LTX_assay_service_v1(void)
{
	static const as_archive_ops ops = {sizeof ops, pack, unpack};
	return &ops;
}
