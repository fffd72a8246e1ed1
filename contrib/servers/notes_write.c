/* The writing tools of assay-notes. */
#include "contrib/servers/notes.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include <stdlib.h>

#define ARCHIVE "archive"

/* A title for a note that does not exist yet: 1, or 0 with the refusal given. */
static int check_new_title(const notes *n, const char *key, assay_str title, as_mcp_answer *answer)
{
	const char *fault = notes_title_fault(title);
	as_buf shown = {0};
	int good = 0;
	demo_quote(&shown, title);
	if (fault) {
		as_mcp_refuse(answer, "%s %s cannot be used: %s", key, shown.ptr ? shown.ptr : "", fault);
	} else if (notes_taken(n, NULL, title)) {
		as_mcp_refuse(answer, "a note called %s exists already; choose another %s or use append_note",
			      shown.ptr ? shown.ptr : "that", key);
	} else {
		good = 1;
	}
	as_buf_free(&shown);
	return good;
}

static void add_tags(as_buf *text, const assay_json *tags)
{
	const char *before = "tags: ";
	for (const assay_json *tag = as_json_first(tags); tag; tag = as_json_next(tag)) {
		as_buf_puts(text, before);
		as_buf_add(text, as_json_str(tag));
		before = ", ";
	}
	if (as_json_count(tags) > 0) {
		as_buf_puts(text, "\n\n");
	}
}

static void end_line(as_buf *text)
{
	if (text->len > 0 && text->ptr[text->len - 1] != '\n') {
		as_buf_byte(text, '\n');
	}
}

static int answer_written(as_mcp_answer *answer, assay_str title, const char *what, size_t size, assay_error *err)
{
	assay_json *root = as_json_object();
	int bad = demo_put_str(root, "title", title);
	bad |= as_json_set(root, what, as_json_truth(1));
	bad |= demo_put_int(root, "size_bytes", (int64_t)size);
	return demo_finish(answer, root, bad, err);
}

int notes_call_create(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title"), content = demo_arg(arguments, "content");
	demo_names titles = {0};
	as_buf text = {0};
	int status = 0;
	if (!check_new_title(payload, "title", title, answer) || !demo_check_text(answer, "content", content)) {
		return 0;
	}
	status = notes_titles(payload, &titles, err);
	if (status == 0 && titles.n >= NOTES_MAX_COUNT) {
		as_mcp_refuse(answer, "the folder is full: it holds %zu notes, the most there may be", titles.n);
		goto out;
	}
	add_tags(&text, as_json_get(arguments, "tags"));
	as_buf_add(&text, content);
	end_line(&text);
	if (status == 0) {
		status = as_buf_check(&text, err);
	}
	if (status == 0) {
		status = notes_write(payload, title, as_buf_str(&text), err);
	}
	if (status == 0) {
		status = answer_written(answer, title, "created", text.len, err);
	}
out:
	demo_names_free(&titles);
	as_buf_free(&text);
	return status;
}

int notes_call_append(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title"), content = demo_arg(arguments, "content");
	demo_names titles = {0};
	note one = {0};
	char *name = as_strndup(title);
	int status = name ? notes_find(payload, title, &titles, answer, err) : as_fail_memory(err);
	if (status != 1 || !demo_check_text(answer, "content", content)) {
		status = status < 0 ? status : 0;
		goto out;
	}
	status = notes_load(payload, name, &one, err);
	if (status == 0 && one.text.len + content.len + 2 > NOTES_MAX_BYTES) {
		as_mcp_refuse(answer, "the note would grow past %zu bytes; begin a new one", NOTES_MAX_BYTES);
		goto out;
	}
	end_line(&one.text);
	as_buf_add(&one.text, content);
	end_line(&one.text);
	if (status == 0) {
		status = as_buf_check(&one.text, err);
	}
	if (status == 0) {
		status = notes_write(payload, title, as_buf_str(&one.text), err);
	}
	if (status == 0) {
		status = answer_written(answer, title, "appended", one.text.len, err);
	}
out:
	note_free(&one);
	demo_names_free(&titles);
	free(name);
	return status;
}

int notes_call_rename(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title"), new_title = demo_arg(arguments, "new_title");
	demo_names titles = {0};
	int bad, status = notes_find(payload, title, &titles, answer, err);
	demo_names_free(&titles);
	if (status != 1) {
		return status;
	}
	if (!check_new_title(payload, "new_title", new_title, answer)) {
		return 0;
	}
	status = notes_move(payload, title, NULL, new_title, err);
	if (status == 0) {
		assay_json *root = as_json_object();
		bad = demo_put_str(root, "title", new_title);
		bad |= demo_put_str(root, "old_title", title);
		status = demo_finish(answer, root, bad, err);
	}
	return status;
}

static int make_archive(const notes *n, assay_error *err)
{
	as_buf path = {0};
	int status;
	as_path_join(&path, as_str(n->dir), as_str(ARCHIVE));
	status = as_buf_check(&path, err);
	if (status == 0) {
		status = as_make_dirs(path.ptr, err);
	}
	as_buf_free(&path);
	return status;
}

/* How many notes are left, told with every removal. */
static int answer_removed(const notes *n, as_mcp_answer *answer, assay_str title, const char *what, assay_error *err)
{
	demo_names titles = {0};
	int status = notes_titles(n, &titles, err);
	if (status == 0) {
		assay_json *root = as_json_object();
		int bad = demo_put_str(root, "title", title);
		bad |= as_json_set(root, what, as_json_truth(1));
		bad |= demo_put_int(root, "notes_left", (int64_t)titles.n);
		status = demo_finish(answer, root, bad, err);
	}
	demo_names_free(&titles);
	return status;
}

int notes_call_archive(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title");
	demo_names titles = {0};
	int status = notes_find(payload, title, &titles, answer, err);
	demo_names_free(&titles);
	if (status != 1) {
		return status;
	}
	if (notes_taken(payload, ARCHIVE, title)) {
		return as_mcp_refuse(answer,
				     "the archive holds a note of that title already; rename_note this one first");
	}
	status = make_archive(payload, err);
	if (status == 0) {
		status = notes_move(payload, title, ARCHIVE, title, err);
	}
	return status == 0 ? answer_removed(payload, answer, title, "archived", err) : status;
}

int notes_call_delete(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title");
	demo_names titles = {0};
	int status = notes_find(payload, title, &titles, answer, err);
	demo_names_free(&titles);
	if (status != 1) {
		return status;
	}
	status = notes_remove(payload, title, err);
	return status == 0 ? answer_removed(payload, answer, title, "deleted", err) : status;
}

int notes_call_delete_all(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	demo_names titles = {0};
	int status;
	if (as_json_boolean(as_json_get(arguments, "confirm"), 0) != 1) {
		return as_mcp_refuse(answer,
				     "nothing was deleted: confirm is false; it must be true to delete every note");
	}
	status = notes_titles(payload, &titles, err);
	for (size_t i = 0; i < titles.n && status == 0; i++) {
		status = notes_remove(payload, as_str(titles.items[i]), err);
	}
	if (status == 0) {
		assay_json *root = as_json_object();
		status = demo_finish(answer, root, demo_put_int(root, "deleted_notes", (int64_t)titles.n), err);
	}
	demo_names_free(&titles);
	return status;
}
