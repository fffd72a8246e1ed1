#include "core/release/read.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/run/workdir.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct as_release {
	assay_json *record;
	as_release_file *files;
	size_t n;
	as_workdir work; /* what it was unpacked in */
	as_buf dir;
};

/* ---- release.json ---- */

static int fail_at(const char *pointer, const char *message, assay_error *err)
{
	as_fail(err, ASSAY_EDATA, "%s", message);
	return as_error_pointer(err, "%s", pointer);
}

static bool is_hex(const assay_json *v, size_t len)
{
	assay_str s = as_json_str(v);
	for (size_t i = 0; i < s.len; i++) {
		if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f'))) {
			return false;
		}
	}
	return s.len == len;
}

static bool only_has(const assay_json *object, const char *const *keys)
{
	for (const assay_json *m = as_json_first(object); m; m = as_json_next(m)) {
		bool known = false;
		for (size_t i = 0; keys[i] && !known; i++) {
			known = as_str_is(as_json_key(m), keys[i]);
		}
		if (!known) {
			return false;
		}
	}
	return as_json_type(object) == ASSAY_JSON_OBJECT;
}

static bool is_short_text(const assay_json *v, size_t max)
{
	return as_json_str(v).len > 0 && as_json_str(v).len <= max;
}

static int check_head(const assay_json *r, assay_error *err)
{
	static const char *const keys[] = {"assay_release", "name",     "version", "license", "bench_id",
					   "generator",     "identity", "files",   NULL};
	const assay_json *license = as_json_get(r, "license");
	if (as_json_i64(as_json_get(r, "assay_release"), 0) != AS_RELEASE_FORMAT) {
		return fail_at("/assay_release", "not a release of format 1", err);
	}
	if (!only_has(r, keys)) {
		return fail_at("", "a member that a release of format 1 does not have", err);
	}
	if (!is_short_text(as_json_get(r, "name"), 64) || !as_release_is_name(as_json_str(as_json_get(r, "name")))) {
		return fail_at("/name", "expected a name of letters, digits, \".\", \"_\" and \"-\", at most 64", err);
	}
	if (!is_short_text(as_json_get(r, "version"), 32)) {
		return fail_at("/version", "expected a text of at most 32 bytes", err);
	}
	if (as_json_type(license) != ASSAY_JSON_NULL && as_json_type(license) != ASSAY_JSON_STRING) {
		return fail_at("/license", "expected a text or null", err);
	}
	if (!is_hex(as_json_get(r, "bench_id"), 64)) {
		return fail_at("/bench_id", "expected 64 hex digits", err);
	}
	if (!is_short_text(as_json_get(r, "generator"), 128)) {
		return fail_at("/generator", "expected a text", err);
	}
	if (!is_hex(as_json_get(r, "identity"), 64)) {
		return fail_at("/identity", "expected 64 hex digits", err);
	}
	if (as_json_type(as_json_get(r, "files")) != ASSAY_JSON_ARRAY ||
	    as_json_count(as_json_get(r, "files")) > AS_RELEASE_MAX_FILES) {
		return fail_at("/files", "expected an array of at most 256 files", err);
	}
	return 0;
}

static int check_lines(const as_release_file *f, assay_error *err)
{
	size_t n = strlen(f->name), i = 0;
	bool wants = n > 6 && strcmp(f->name + n - 6, ".jsonl") == 0;
	if (!wants) {
		return f->lines ? fail_at("/lines", "only JSON lines have digests of lines", err) : 0;
	}
	if (as_json_type(f->lines) != ASSAY_JSON_ARRAY) {
		return fail_at("/lines", "expected an array of digests", err);
	}
	for (const assay_json *d = as_json_first(f->lines); d; d = as_json_next(d), i++) {
		if (!is_hex(d, AS_LINE_DIGEST)) {
			fail_at("", "expected 16 hex digits", err);
			return as_error_pointer(err, "/lines/%zu", i);
		}
	}
	return 0;
}

static int read_file(const assay_json *v, const as_release_file *before, as_release_file *f, assay_error *err)
{
	static const char *const keys[] = {"path", "bytes", "sha256", "lines", NULL};
	const assay_json *path = as_json_get(v, "path"), *bytes = as_json_get(v, "bytes");
	if (!only_has(v, keys)) {
		return fail_at("", "expected an object of path, bytes, sha256, lines", err);
	}
	if (!as_release_is_name(as_json_str(path)) || as_str_is(as_json_str(path), AS_RELEASE_RECORD)) {
		return fail_at("/path", "expected the plain name of another file: no folder, nothing before it", err);
	}
	*f = (as_release_file){.name = as_json_cstr(path, ""), .lines = as_json_get(v, "lines")};
	if (before && strcmp(before->name, f->name) >= 0) {
		return fail_at("/path", "files must be sorted by name, each once", err);
	}
	if (as_json_type(bytes) != ASSAY_JSON_NUMBER || as_json_i64(bytes, -1) < 0) {
		return fail_at("/bytes", "expected a whole number", err);
	}
	f->bytes = (uint64_t)as_json_i64(bytes, 0);
	if (!is_hex(as_json_get(v, "sha256"), 64)) {
		return fail_at("/sha256", "expected 64 hex digits", err);
	}
	f->sha256 = as_json_cstr(as_json_get(v, "sha256"), "");
	return check_lines(f, err);
}

/* record is taken over by r in any case. */
static int read_record(as_release *r, assay_json *record, assay_error *err)
{
	const assay_json *files = as_json_get(record, "files");
	int rc;
	r->record = record;
	rc = check_head(record, err);
	if (rc < 0) {
		return rc;
	}
	r->files = as_new(as_json_count(files) + 1, sizeof *r->files);
	if (!r->files) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(files); v; v = as_json_next(v)) {
		rc = read_file(v, r->n ? &r->files[r->n - 1] : NULL, &r->files[r->n], err);
		if (rc < 0) {
			return as_error_pointer(err, "/files/%zu", r->n);
		}
		r->n++;
	}
	return 0;
}

static as_release *new_release(void)
{
	as_release *r = as_new(1, sizeof *r);
	if (r) {
		r->work.lock = -1;
	}
	return r;
}

int as_release_parse(assay_str text, as_release **out, assay_error *err)
{
	const as_json_limits limits = {.max_bytes = AS_RELEASE_MAX_RECORD};
	as_release *r = new_release();
	assay_json *record = NULL;
	int rc = r ? as_json_parse_with(text, ASSAY_JSON_STRICT, &limits, NULL, &record, err) : as_fail_memory(err);
	*out = NULL;
	rc = rc < 0 ? rc : read_record(r, record, err);
	if (rc < 0) {
		as_error_where(err, AS_RELEASE_RECORD, 0);
		as_release_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

/* ---- opening ---- */

/* The one folder that everything of an archive lies in. */
typedef struct top_folder {
	as_buf name;
	const char *archive;
} top_folder;

static int see_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	top_folder *t = payload;
	const char *slash = strchr(relative, '/');
	assay_str name = {relative, slash ? (size_t)(slash - relative) : 0};
	(void)path;
	if (name.len == 0 || (t->name.len > 0 && !as_str_eq(name, as_buf_str(&t->name)))) {
		as_fail(err, ASSAY_EDATA, "not a release: it is not one folder with files in it");
		return as_error_where(err, t->archive, 0);
	}
	if (t->name.len == 0) {
		as_buf_add(&t->name, name);
	}
	return as_buf_check(&t->name, err);
}

static int unpack(as_release *r, const char *path, as_registry *registry, assay_error *err)
{
	const as_archive_ops *archive;
	top_folder top = {.archive = path};
	as_buf to = {0};
	int rc = as_service_archive(registry, &archive, err);
	rc = rc < 0 ? rc : as_workdir_open(&r->work, err);
	as_path_join(&to, as_buf_str(&r->work.path), ASSAY_STR("release"));
	rc = rc < 0 ? rc : as_buf_check(&to, err);
	rc = rc < 0 ? rc : as_make_dirs(to.ptr, err);
	rc = rc < 0 ? rc : archive->unpack(path, to.ptr, AS_RELEASE_MAX_BYTES, AS_RELEASE_MAX_FILES + 2, err);
	rc = rc < 0 ? rc : as_walk(to.ptr, see_file, &top, err);
	if (rc == 0 && top.name.len == 0) {
		as_fail(err, ASSAY_EDATA, "not a release: the archive is empty");
		rc = as_error_where(err, path, 0);
	}
	if (rc == 0) {
		as_path_join(&r->dir, as_buf_str(&to), as_buf_str(&top.name));
		rc = as_buf_check(&r->dir, err);
	}
	as_buf_free(&to);
	as_buf_free(&top.name);
	return rc;
}

static int load_record(as_release *r, const char *given, assay_error *err)
{
	as_buf path = {0};
	assay_json *record = NULL;
	int rc;
	as_path_join(&path, as_buf_str(&r->dir), ASSAY_STR(AS_RELEASE_RECORD));
	rc = as_buf_check(&path, err);
	if (rc == 0 && !as_file_exists(path.ptr)) {
		as_fail(err, ASSAY_EDATA, "not a release: there is no %s in it", AS_RELEASE_RECORD);
		rc = as_error_where(err, given, 0);
	}
	rc = rc < 0 ? rc : as_json_read_file(path.ptr, AS_RELEASE_MAX_RECORD, &record, err);
	rc = rc < 0 ? rc : read_record(r, record, err);
	if (err && (rc == ASSAY_EDATA || rc == ASSAY_ELIMIT) && strcmp(err->where, given) != 0) {
		snprintf(err->where, sizeof err->where, "%s",
			 AS_RELEASE_RECORD); /* the folder may be a temporary one */
	}
	as_buf_free(&path);
	return rc;
}

int as_release_open(const char *path, as_registry *registry, as_release **out, assay_error *err)
{
	as_release *r = new_release();
	int rc = r ? 0 : as_fail_memory(err);
	*out = NULL;
	if (rc == 0 && as_dir_exists(path)) {
		as_buf_puts(&r->dir, path);
		rc = as_buf_check(&r->dir, err);
	} else if (rc == 0) {
		rc = unpack(r, path, registry, err);
	}
	rc = rc < 0 ? rc : load_record(r, path, err);
	if (rc < 0) {
		as_release_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

void as_release_close(as_release *r)
{
	if (!r) {
		return;
	}
	as_workdir_close(&r->work);
	as_buf_free(&r->dir);
	as_json_free(r->record);
	free(r->files);
	free(r);
}

/* ---- looking ---- */

const char *as_release_dir(const as_release *r)
{
	return r->dir.ptr ? r->dir.ptr : "";
}

const assay_json *as_release_record(const as_release *r)
{
	return r->record;
}

const char *as_release_name(const as_release *r)
{
	return as_json_cstr(as_json_get(r->record, "name"), "");
}

const char *as_release_version(const as_release *r)
{
	return as_json_cstr(as_json_get(r->record, "version"), "");
}

const char *as_release_identity(const as_release *r)
{
	return as_json_cstr(as_json_get(r->record, "identity"), "");
}

size_t as_release_files(const as_release *r, const as_release_file **out)
{
	*out = r->files;
	return r->n;
}

static int compare_file(const void *key, const void *file)
{
	return strcmp(key, ((const as_release_file *)file)->name);
}

const as_release_file *as_release_find(const as_release *r, const char *name)
{
	return r->n ? bsearch(name, r->files, r->n, sizeof *r->files, compare_file) : NULL;
}

int as_release_path(const as_release *r, const char *name, as_buf *out, assay_error *err)
{
	struct stat st;
	int rc = 0;
	as_buf_clear(out);
	as_path_join(out, as_buf_str(&r->dir), as_str(name));
	rc = as_buf_check(out, err);
	if (rc == 0 && !as_release_find(r, name)) {
		rc = as_fail(err, ASSAY_EDATA, "is missing: %s does not list it", AS_RELEASE_RECORD);
	} else if (rc == 0 && (lstat(out->ptr, &st) != 0 || !S_ISREG(st.st_mode))) {
		rc = as_fail(err, ASSAY_EDATA, "is missing, or no regular file");
	}
	if (rc < 0) {
		as_error_where(err, name, 0);
	}
	return rc < 0 ? rc : 0;
}

static int parse(assay_str text, size_t max_bytes, assay_json **out, assay_error *err)
{
	const as_json_limits limits = {.max_bytes = max_bytes};
	as_json_notes notes = {0};
	int rc = as_json_parse_with(text, ASSAY_JSON_PEER, &limits, &notes, out, err);
	if (rc == 0 && (notes.duplicate_keys || notes.lone_surrogates)) {
		as_json_free(*out);
		*out = NULL;
		rc = as_fail(err, ASSAY_EDATA, "%s, which readers understand in different ways",
			     notes.duplicate_keys ? "a key occurs twice in one object" : "half of a surrogate pair");
	}
	return rc;
}

int as_release_line(assay_str line, assay_json **out, assay_error *err)
{
	return parse(line, AS_JSON_MAX_BYTES, out, err);
}

int as_release_json(const as_release *r, const char *name, size_t max_bytes, assay_json **out, assay_error *err)
{
	as_buf path = {0};
	assay_text text = {0};
	assay_error found = {0};
	int rc = as_release_path(r, name, &path, &found);
	*out = NULL;
	rc = rc < 0 ? rc : as_file_read(path.ptr, max_bytes, &text, &found);
	rc = rc < 0 ? rc : parse(as_text_str(text), max_bytes, out, &found);
	if (rc < 0 && err) {
		*err = found;
		snprintf(err->where, sizeof err->where, "%s", name); /* the folder may be a temporary one */
	}
	as_text_free(&text);
	as_buf_free(&path);
	return rc;
}
