/* The folder behind assay-notes. */
#include "contrib/servers/notes.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TITLE_BYTES 200u

const char *notes_title_fault(assay_str title)
{
	if (title.len == 0 || title.len > MAX_TITLE_BYTES) {
		return "a title has 1 to 200 bytes";
	}
	if (as_utf8_check(title) != title.len) {
		return "a title is plain UTF-8 text";
	}
	if (title.ptr[0] == '.' || title.ptr[0] == ' ' || title.ptr[title.len - 1] == ' ') {
		return "a title begins with no dot, and neither begins nor ends with a space";
	}
	for (size_t i = 0; i < title.len; i++) {
		unsigned char c = (unsigned char)title.ptr[i];
		if (c < ' ' || c == 127 || c == '/' || c == '\\') {
			return "a title holds no slash, backslash or control character";
		}
	}
	return NULL;
}

void notes_path(const notes *n, const char *folder, assay_str title, as_buf *out)
{
	as_buf_puts(out, n->dir);
	as_buf_byte(out, '/');
	if (folder) {
		as_buf_puts(out, folder);
		as_buf_byte(out, '/');
	}
	as_buf_add(out, title);
	as_buf_puts(out, ".md");
}

static bool is_note(const notes *n, assay_str title)
{
	struct stat st;
	as_buf path = {0};
	bool fit;
	notes_path(n, NULL, title, &path);
	/* lstat: a link could lead anywhere, so it is no note */
	fit = as_buf_check(&path, NULL) == 0 && lstat(path.ptr, &st) == 0 && S_ISREG(st.st_mode) &&
	      st.st_size <= (off_t)NOTES_MAX_BYTES;
	as_buf_free(&path);
	return fit;
}

static int add_entry(const notes *n, const char *file, demo_names *out, assay_error *err)
{
	size_t length = strlen(file);
	assay_str title = {file, length > 3 ? length - 3 : 0};
	if (title.len == 0 || strcmp(file + title.len, ".md") != 0 || notes_title_fault(title) || !is_note(n, title)) {
		return 0;
	}
	if (out->n >= NOTES_MAX_COUNT) {
		return as_fail(err, ASSAY_ELIMIT, "the folder holds more than %u notes", NOTES_MAX_COUNT);
	}
	return demo_names_add(out, title, err);
}

int notes_titles(const notes *n, demo_names *out, assay_error *err)
{
	DIR *dir = opendir(n->dir);
	const struct dirent *entry;
	int status = 0;
	if (!dir) {
		return as_fail_errno(err, errno, n->dir, "open folder");
	}
	while (status == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			break;
		}
		status = add_entry(n, entry->d_name, out, err);
	}
	if (status == 0 && errno != 0) {
		status = as_fail_errno(err, errno, n->dir, "read folder");
	}
	closedir(dir);
	demo_names_sort(out);
	return status;
}

int notes_find(const notes *n, assay_str title, demo_names *titles, as_mcp_answer *answer, assay_error *err)
{
	char advice[80];
	int status = notes_titles(n, titles, err);
	if (status != 0) {
		return status;
	}
	if (demo_names_has(titles, title)) {
		return 1;
	}
	snprintf(advice, sizeof advice, "list_notes shows the %zu notes there are", titles->n);
	return demo_refuse_unknown(answer, "note", title, titles, advice);
}

/* When the text at *rest starts with a line "KEY: value", the value; *rest moves behind the line. */
static bool front_line(assay_str *rest, const char *key, assay_str *value)
{
	assay_str line = *rest;
	size_t length = strlen(key);
	const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
	if (end) {
		line.len = (size_t)(end - line.ptr);
	}
	if (!as_str_starts(line, (assay_str){key, length})) {
		return false;
	}
	*value = as_trim((assay_str){line.ptr + length, line.len - length});
	*rest = (assay_str){rest->ptr + line.len, rest->len - line.len};
	if (rest->len > 0) {
		*rest = (assay_str){rest->ptr + 1, rest->len - 1};
	}
	return true;
}

static void split_note(note *one)
{
	assay_str rest = as_buf_str(&one->text);
	bool front = false;
	while (front_line(&rest, "tags:", &one->tags) || front_line(&rest, "date:", &one->date)) {
		front = true;
	}
	if (front && rest.len > 0 && rest.ptr[0] == '\n') {
		rest = (assay_str){rest.ptr + 1, rest.len - 1};
	}
	one->body = rest;
}

/* A file that somebody else put there may hold anything; an answer holds UTF-8. */
static void add_clean(as_buf *out, assay_str raw)
{
	char bytes[4];
	for (size_t i = 0; i < raw.len;) {
		uint32_t c = as_utf8_next(raw, &i);
		as_buf_add(out, (assay_str){bytes, as_utf8_put(bytes, c == 0 ? 0xFFFD : c)});
	}
}

int notes_load(const notes *n, const char *title, note *out, assay_error *err)
{
	as_buf path = {0};
	assay_text raw = {0};
	int status;
	*out = (note){0};
	notes_path(n, NULL, as_str(title), &path);
	status = as_buf_check(&path, err);
	if (status == 0) {
		status = as_file_read(path.ptr, NOTES_MAX_BYTES, &raw, err);
	}
	if (status == 0) {
		as_buf_puts(&out->text, "");
		if (as_utf8_check(as_text_str(raw)) == raw.len && !memchr(raw.ptr ? raw.ptr : "", 0, raw.len)) {
			as_buf_add(&out->text, as_text_str(raw));
		} else {
			add_clean(&out->text, as_text_str(raw));
		}
		status = as_buf_check(&out->text, err);
	}
	if (status == 0) {
		split_note(out);
	} else {
		note_free(out);
	}
	as_text_free(&raw);
	as_buf_free(&path);
	return status;
}

void note_free(note *one)
{
	as_buf_free(&one->text);
	*one = (note){0};
}

bool note_next_tag(assay_str *rest, assay_str *tag)
{
	while (rest->len > 0) {
		const char *comma = memchr(rest->ptr, ',', rest->len);
		size_t length = comma ? (size_t)(comma - rest->ptr) : rest->len;
		*tag = as_trim((assay_str){rest->ptr, length});
		length += comma ? 1 : 0;
		*rest = (assay_str){rest->ptr + length, rest->len - length};
		if (tag->len > 0) {
			return true;
		}
	}
	return false;
}

bool note_has_tag(const note *one, assay_str wanted)
{
	assay_str rest = one->tags, tag;
	while (note_next_tag(&rest, &tag)) {
		if (as_str_eq(tag, wanted)) {
			return true;
		}
	}
	return false;
}

bool notes_taken(const notes *n, const char *folder, assay_str title)
{
	struct stat st;
	as_buf path = {0};
	bool taken;
	notes_path(n, folder, title, &path);
	taken = as_buf_check(&path, NULL) == 0 && lstat(path.ptr, &st) == 0;
	as_buf_free(&path);
	return taken;
}

int notes_write(const notes *n, assay_str title, assay_str text, assay_error *err)
{
	as_buf path = {0};
	int status;
	notes_path(n, NULL, title, &path);
	status = as_buf_check(&path, err);
	if (status == 0) {
		status = as_file_write(path.ptr, text, err);
	}
	as_buf_free(&path);
	return status;
}

int notes_move(const notes *n, assay_str title, const char *to_folder, assay_str to_title, assay_error *err)
{
	as_buf from = {0}, to = {0};
	int status;
	notes_path(n, NULL, title, &from);
	notes_path(n, to_folder, to_title, &to);
	status = as_buf_check(&from, err);
	if (status == 0) {
		status = as_buf_check(&to, err);
	}
	if (status == 0 && rename(from.ptr, to.ptr) != 0) {
		status = as_fail_errno(err, errno, from.ptr, "move note");
	}
	as_buf_free(&from);
	as_buf_free(&to);
	return status;
}

int notes_remove(const notes *n, assay_str title, assay_error *err)
{
	as_buf path = {0};
	int status;
	notes_path(n, NULL, title, &path);
	status = as_buf_check(&path, err);
	if (status == 0 && unlink(path.ptr) != 0) {
		status = as_fail_errno(err, errno, path.ptr, "delete note");
	}
	as_buf_free(&path);
	return status;
}
