#include "core/release/writer.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AT ((size_t)1 << 20)

typedef struct written {
	char *name;
	uint64_t bytes;
	char digest[65];
	assay_json *lines; /* array of digests, NULL: not lines */
} written;

struct as_release_writer {
	char *dir;
	as_redactor *secrets;
	written *files;
	size_t n, cap;
};

struct as_release_lines {
	as_release_writer *w;
	char *name;
	int fd; /* -1: not open */
	as_buf buf, path;
	as_sha256 *sha;
	assay_json *digests;
	uint64_t bytes;
	uint32_t number;
};

int as_release_writer_new(const char *dir, as_redactor *secrets, as_release_writer **out, assay_error *err)
{
	as_release_writer *w = as_new(1, sizeof *w);
	*out = NULL;
	if (w) {
		w->dir = as_strdup(dir);
		w->secrets = secrets;
	}
	if (!w || !w->dir) {
		as_release_writer_free(w);
		return as_fail_memory(err);
	}
	*out = w;
	return 0;
}

void as_release_writer_free(as_release_writer *w)
{
	if (!w) {
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		free(w->files[i].name);
		as_json_free(w->files[i].lines);
	}
	free(w->files);
	free(w->dir);
	free(w);
}

static int check_name(const as_release_writer *w, const char *name, assay_error *err)
{
	bool taken = strcmp(name, AS_RELEASE_RECORD) == 0;
	for (size_t i = 0; i < w->n && !taken; i++) {
		taken = strcmp(w->files[i].name, name) == 0;
	}
	if (taken) {
		return as_fail(err, ASSAY_EINVAL, "two files of the release would be called %s", name);
	}
	if (!as_release_is_name(as_str(name))) {
		return as_fail(err, ASSAY_EINVAL, "\"%s\" is no name for a file of a release", name);
	}
	return w->n + 1 < AS_RELEASE_MAX_FILES ? 0 : as_fail(err, ASSAY_ELIMIT, "too many files for a release");
}

/* lines is taken over, also on failure. */
static int note_file(as_release_writer *w, const char *name, uint64_t bytes, const char *digest, assay_json *lines,
		     assay_error *err)
{
	written *f;
	if (!as_grow(&w->files, &w->cap, w->n + 1, sizeof *w->files)) {
		as_json_free(lines);
		return as_fail_memory(err);
	}
	f = &w->files[w->n++];
	*f = (written){.name = as_strdup(name), .bytes = bytes, .lines = lines};
	memcpy(f->digest, digest, sizeof f->digest);
	return f->name ? 0 : as_fail_memory(err);
}

/* What is written here is packed and thrown away: it need not survive a crash, so that nothing waits for the disk. */
static int open_new(const char *path, int *fd, assay_error *err)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	return *fd < 0 ? as_fail_errno(err, errno, path, "write") : 0;
}

static int write_all(int fd, assay_str bytes, const char *path, assay_error *err)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);
		if (n < 0 && errno != EINTR) {
			return as_fail_errno(err, errno, path, "write");
		}
		bytes.ptr += n > 0 ? n : 0;
		bytes.len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int close_written(int *fd, const char *path, assay_error *err)
{
	int rc = close(*fd);
	*fd = -1;
	return rc < 0 ? as_fail_errno(err, errno, path, "write") : 0;
}

static int write_new(const char *path, assay_str bytes, assay_error *err)
{
	int fd, rc = open_new(path, &fd, err);
	if (rc == 0) {
		int done;
		rc = write_all(fd, bytes, path, err);
		done = close_written(&fd, path, err);
		rc = rc < 0 ? rc : done;
	}
	return rc;
}

int as_release_put(as_release_writer *w, const char *name, assay_str bytes, assay_error *err)
{
	as_buf path = {0};
	char digest[65];
	int rc = check_name(w, name, err);
	as_path_join(&path, as_str(w->dir), as_str(name));
	rc = rc < 0 ? rc : as_buf_check(&path, err);
	if (rc == 0) {
		rc = as_secrets_check(w->secrets, bytes, err);
		if (rc < 0) {
			as_error_where(err, name, 0);
		}
	}
	rc = rc < 0 ? rc : write_new(path.ptr, bytes, err);
	if (rc == 0) {
		as_sha256_hex(bytes, digest);
		rc = note_file(w, name, bytes.len, digest, NULL, err);
	}
	as_buf_free(&path);
	return rc;
}

int as_release_put_json(as_release_writer *w, const char *name, const assay_json *v, assay_error *err)
{
	as_buf text = {0};
	int rc;
	as_json_write(&text, v, ASSAY_JSON_PRETTY);
	as_buf_byte(&text, '\n');
	rc = as_buf_check(&text, err);
	rc = rc < 0 ? rc : as_release_put(w, name, as_buf_str(&text), err);
	as_buf_free(&text);
	return rc;
}

int as_release_lines_begin(as_release_writer *w, const char *name, as_release_lines **out, assay_error *err)
{
	as_release_lines *l;
	int rc = check_name(w, name, err);
	*out = NULL;
	if (rc < 0) {
		return rc;
	}
	l = as_new(1, sizeof *l);
	if (!l) {
		return as_fail_memory(err);
	}
	l->w = w;
	l->fd = -1;
	l->name = as_strdup(name);
	l->sha = as_sha256_new();
	l->digests = as_json_array();
	as_path_join(&l->path, as_str(w->dir), as_str(name));
	rc = l->name && l->sha && l->digests && !l->path.failed ? 0 : as_fail_memory(err);
	rc = rc < 0 ? rc : open_new(l->path.ptr, &l->fd, err);
	if (rc < 0) {
		as_release_lines_drop(l);
		return rc;
	}
	*out = l;
	return 0;
}

static int flush(as_release_lines *l, assay_error *err)
{
	int rc = as_buf_check(&l->buf, err);
	if (rc == 0) {
		as_sha256_add(l->sha, as_buf_str(&l->buf));
		l->bytes += l->buf.len;
		rc = write_all(l->fd, as_buf_str(&l->buf), l->path.ptr, err);
		as_buf_clear(&l->buf);
	}
	return rc;
}

int as_release_lines_add(as_release_lines *l, assay_str line, assay_error *err)
{
	char digest[AS_LINE_DIGEST + 1];
	int rc = 0;
	l->number++;
	if (line.len > AS_JSON_MAX_BYTES) {
		rc = as_fail(err, ASSAY_ELIMIT, "a row of %zu bytes is too large for a release", line.len);
	} else if (line.len == 0 || memchr(line.ptr, '\n', line.len)) {
		rc = as_fail(err, ASSAY_EDATA, "a stored row is not compact JSON");
	} else {
		rc = as_secrets_check(l->w->secrets, line, err);
	}
	if (rc < 0) {
		as_error_where(err, l->name, l->number);
		return rc;
	}
	as_line_digest(line, digest);
	if (as_json_append(l->digests, as_json_cstring(digest)) < 0) {
		return as_fail_memory(err);
	}
	as_buf_add(&l->buf, line);
	as_buf_byte(&l->buf, '\n');
	return l->buf.len < FLUSH_AT ? as_buf_check(&l->buf, err) : flush(l, err);
}

int as_release_lines_add_json(as_release_lines *l, assay_json *v, assay_error *err)
{
	assay_text text = {0};
	int rc = v ? as_json_dump(v, ASSAY_JSON_COMPACT, &text, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : as_release_lines_add(l, as_text_str(text), err);
	as_text_free(&text);
	as_json_free(v);
	return rc;
}

int as_release_lines_end(as_release_lines *l, assay_error *err)
{
	char digest[65];
	int rc;
	if (!l) {
		return 0;
	}
	rc = flush(l, err);
	if (rc == 0) {
		as_sha256_end_hex(l->sha, digest);
		l->sha = NULL;
		rc = close_written(&l->fd, l->path.ptr, err);
	}
	if (rc == 0) {
		rc = note_file(l->w, l->name, l->bytes, digest, l->digests, err);
		l->digests = NULL;
	}
	as_release_lines_drop(l);
	return rc;
}

void as_release_lines_drop(as_release_lines *l)
{
	unsigned char unused[32];
	if (!l) {
		return;
	}
	if (l->sha) {
		as_sha256_end(l->sha, unused);
	}
	if (l->fd >= 0) {
		close(l->fd);
	}
	as_json_free(l->digests);
	as_buf_free(&l->buf);
	as_buf_free(&l->path);
	free(l->name);
	free(l);
}

static int compare_written(const void *a, const void *b)
{
	return strcmp(((const written *)a)->name, ((const written *)b)->name);
}

static assay_json *file_entry(written *f)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "path", as_json_cstring(f->name));
	rc |= as_json_set(o, "bytes", as_json_integer((int64_t)f->bytes));
	rc |= as_json_set(o, "sha256", as_json_cstring(f->digest));
	if (f->lines) {
		rc |= as_json_set(o, "lines", f->lines);
		f->lines = NULL;
	}
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

int as_release_writer_finish(as_release_writer *w, assay_json *head, char identity[65], assay_error *err)
{
	assay_json *files = as_json_array();
	as_sha256 *sha = as_sha256_new();
	int rc = files && sha && head ? 0 : ASSAY_ENOMEM;
	if (w->n > 0) {
		qsort(w->files, w->n, sizeof *w->files, compare_written);
	}
	for (size_t i = 0; i < w->n && rc == 0; i++) {
		as_identity_add(sha, w->files[i].name, w->files[i].digest);
		rc = as_json_append(files, file_entry(&w->files[i]));
	}
	if (sha) {
		as_sha256_end_hex(sha, identity);
	}
	rc = rc < 0 ? rc : as_json_set(head, "identity", as_json_cstring(identity));
	if (rc == 0) {
		rc = as_json_set(head, "files", files);
		files = NULL;
	}
	rc = rc < 0 ? as_fail_memory(err) : 0;
	as_json_free(files);
	if (rc == 0) {
		as_buf text = {0}, path = {0};
		as_json_write(&text, head, ASSAY_JSON_PRETTY);
		as_buf_byte(&text, '\n');
		as_path_join(&path, as_str(w->dir), ASSAY_STR(AS_RELEASE_RECORD));
		rc = as_buf_check(&text, err);
		rc = rc < 0 ? rc : as_buf_check(&path, err);
		rc = rc < 0 ? rc : as_secrets_check(w->secrets, as_buf_str(&text), err);
		rc = rc < 0 ? rc : write_new(path.ptr, as_buf_str(&text), err);
		as_buf_free(&text);
		as_buf_free(&path);
	}
	as_json_free(head);
	return rc;
}
