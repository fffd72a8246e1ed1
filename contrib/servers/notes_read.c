/* The reading tools of assay-notes. */
#include "contrib/servers/notes.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

#define SNIPPET_CHARACTERS 120u

int notes_put_tags(assay_json *object, const note *one)
{
	assay_json *tags = as_json_array();
	assay_str rest = one->tags, tag;
	int bad = 0;
	while (note_next_tag(&rest, &tag)) {
		bad |= as_json_append(tags, as_json_string(tag));
	}
	return bad | as_json_set(object, "tags", tags);
}

static int64_t count_words(assay_str text)
{
	int64_t words = 0;
	bool inside = false;
	for (size_t i = 0; i < text.len;) {
		bool space = as_is_space(as_utf8_next(text, &i));
		words += !space && !inside;
		inside = !space;
	}
	return words;
}

static assay_str next_line(assay_str *rest)
{
	const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
	assay_str line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
	size_t skip = line.len + (end ? 1 : 0);
	*rest = (assay_str){rest->ptr ? rest->ptr + skip : NULL, rest->len - skip};
	return line;
}

static int64_t count_lines(assay_str text)
{
	int64_t lines = 0;
	while (text.len > 0) {
		next_line(&text);
		lines++;
	}
	return lines;
}

/* The text of the first heading, or the empty text. */
static assay_str first_heading(assay_str body)
{
	while (body.len > 0) {
		assay_str line = next_line(&body);
		size_t marks = 0;
		while (marks < line.len && line.ptr[marks] == '#') {
			marks++;
		}
		if (marks > 0 && marks < line.len && line.ptr[marks] == ' ') {
			return as_trim((assay_str){line.ptr + marks, line.len - marks});
		}
	}
	return (assay_str){0};
}

/* --- list_notes -------------------------------------------------------------------------------------------------- */

static int put_listed(assay_json *list, const char *title, const note *one)
{
	assay_json *entry = as_json_object();
	int bad = demo_put_text(entry, "title", title);
	bad |= notes_put_tags(entry, one);
	bad |= demo_put_int(entry, "words", count_words(one->body));
	return bad | as_json_append(list, entry);
}

static int remember_tags(demo_names *tags, const note *one, assay_error *err)
{
	assay_str rest = one->tags, tag;
	int status = 0;
	while (status == 0 && note_next_tag(&rest, &tag)) {
		if (!demo_names_has(tags, tag)) {
			status = demo_names_add(tags, tag, err);
		}
	}
	return status;
}

/* List the notes tagged so (no tag: all), and remember the tags that were met. */
static int list_tagged(const notes *n, const demo_names *titles, assay_str tag, demo_names *tags, assay_json *list,
		       assay_error *err)
{
	int status = 0;
	for (size_t i = 0; i < titles->n && status == 0; i++) {
		note one;
		status = notes_load(n, titles->items[i], &one, err);
		if (status == ASSAY_ENOENT) {
			as_error_clear(err);
			status = 0;
			continue;
		}
		if (status == 0) {
			status = remember_tags(tags, &one, err);
		}
		if (status == 0 && (tag.len == 0 || note_has_tag(&one, tag)) &&
		    put_listed(list, titles->items[i], &one) != 0) {
			status = as_fail_memory(err);
		}
		note_free(&one);
	}
	return status;
}

int notes_call_list(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str tag = demo_arg(arguments, "tag");
	demo_names titles = {0}, tags = {0};
	assay_json *root = as_json_object(), *list = as_json_array();
	int bad, status = notes_titles(payload, &titles, err);
	if (status == 0) {
		status = list_tagged(payload, &titles, tag, &tags, list, err);
	}
	if (status != 0) {
		goto out;
	}
	if (tag.len > 0 && as_json_count(list) == 0) {
		status = demo_refuse_unknown(answer, "tag", tag, &tags,
					     "list_notes without a tag shows the tags in use");
		goto out;
	}
	bad = demo_put_int(root, "count", (int64_t)as_json_count(list));
	bad |= as_json_set(root, "notes", list);
	list = NULL;
	status = demo_finish(answer, root, bad, err);
	root = NULL;
out:
	as_json_free(root);
	as_json_free(list);
	demo_names_free(&tags);
	demo_names_free(&titles);
	return status;
}

/* --- read_note, get_details -------------------------------------------------------------------------------------- */

/* Find and load the note that the arguments name: as notes_find. */
static int load_named(const notes *n, assay_str title, note *out, as_mcp_answer *answer, assay_error *err)
{
	demo_names titles = {0};
	char *name = NULL;
	int found = notes_find(n, title, &titles, answer, err);
	if (found == 1) {
		int status;
		name = as_strndup(title);
		status = name ? notes_load(n, name, out, err) : as_fail_memory(err);
		found = status != 0 ? status : 1;
	}
	free(name);
	demo_names_free(&titles);
	return found;
}

int notes_call_read(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title");
	note one = {0};
	int bad, found = load_named(payload, title, &one, answer, err);
	if (found == 1) {
		assay_json *root = as_json_object();
		bad = demo_put_str(root, "title", title);
		bad |= notes_put_tags(root, &one);
		bad |= demo_put_str(root, "content", one.body);
		found = demo_finish(answer, root, bad, err);
	}
	note_free(&one);
	return found;
}

int notes_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str title = demo_arg(arguments, "title");
	note one = {0};
	int bad, found = load_named(payload, title, &one, answer, err);
	if (found == 1) {
		assay_json *root = as_json_object();
		bad = demo_put_str(root, "title", title);
		bad |= demo_put_str(root, "heading", first_heading(one.body));
		bad |= demo_put_str(root, "date", one.date);
		bad |= notes_put_tags(root, &one);
		bad |= demo_put_int(root, "size_bytes", (int64_t)one.text.len);
		bad |= demo_put_int(root, "words", count_words(one.body));
		bad |= demo_put_int(root, "lines", count_lines(one.body));
		found = demo_finish(answer, root, bad, err);
	}
	note_free(&one);
	return found;
}

/* --- search ------------------------------------------------------------------------------------------------------ */

typedef struct hit {
	const char *title;
	assay_str snippet; /* in the arena */
	int64_t hits;
	bool in_title;
} hit;

typedef struct finding {
	assay_str words, tag;
	hit *hits;
	size_t n, cap;
	as_arena arena;
	as_buf folded;
} finding;

static int64_t count_in(assay_str folded, assay_str words)
{
	assay_str word;
	int64_t hits = 0;
	while (demo_next_word(&words, &word)) {
		for (size_t i = 0; i + word.len <= folded.len;) {
			bool same = memcmp(folded.ptr + i, word.ptr, word.len) == 0;
			hits += same;
			i += same ? word.len : 1;
		}
	}
	return hits;
}

static assay_str fold(as_buf *folded, assay_str text)
{
	as_buf_clear(folded);
	as_buf_puts(folded, "");
	as_normalise(folded, text);
	return as_buf_str(folded);
}

/* The line with most hits, else the first line of text below the heading. */
static assay_str snippet_of(finding *f, assay_str body)
{
	assay_str best = {0};
	int64_t most = 0;
	while (body.len > 0) {
		assay_str line = as_trim(next_line(&body));
		int64_t hits = count_in(fold(&f->folded, line), f->words);
		if (hits > most || (best.len == 0 && line.len > 0 && line.ptr[0] != '#')) {
			best = line;
			most = hits;
		}
	}
	return (assay_str){best.ptr, as_utf8_prefix(best, SNIPPET_CHARACTERS)};
}

static int look_into(finding *f, const char *title, const note *one, assay_error *err)
{
	hit found = {.title = title};
	assay_str folded;
	if (f->tag.len > 0 && !note_has_tag(one, f->tag)) {
		return 0;
	}
	found.in_title = demo_has_words(fold(&f->folded, as_str(title)), f->words);
	as_buf_clear(&f->folded);
	as_normalise(&f->folded, as_str(title));
	as_buf_byte(&f->folded, ' ');
	as_normalise(&f->folded, as_buf_str(&one->text));
	folded = as_buf_str(&f->folded);
	if (!demo_has_words(folded, f->words)) {
		return as_buf_check(&f->folded, err);
	}
	found.hits = count_in(folded, f->words);
	found.snippet = as_arena_str(&f->arena, snippet_of(f, one->body));
	if (f->folded.failed || f->arena.failed || !as_grow(&f->hits, &f->cap, f->n + 1, sizeof *f->hits)) {
		return as_fail_memory(err);
	}
	f->hits[f->n++] = found;
	return 0;
}

/* Titles that say it first, then by how often it is said, then by title. */
static int best_first(const void *a, const void *b)
{
	const hit *x = a, *y = b;
	if (x->in_title != y->in_title) {
		return x->in_title ? -1 : 1;
	}
	if (x->hits != y->hits) {
		return x->hits > y->hits ? -1 : 1;
	}
	return strcmp(x->title, y->title);
}

static int find_all(const notes *n, const demo_names *titles, finding *f, assay_error *err)
{
	int status = 0;
	for (size_t i = 0; i < titles->n && status == 0; i++) {
		note one;
		status = notes_load(n, titles->items[i], &one, err);
		if (status == 0) {
			status = look_into(f, titles->items[i], &one, err);
			note_free(&one);
		} else if (status == ASSAY_ENOENT) {
			as_error_clear(err);
			status = 0;
		}
	}
	if (status == 0 && f->n > 1) {
		qsort(f->hits, f->n, sizeof *f->hits, best_first);
	}
	return status;
}

static int put_found(assay_json *root, const finding *f, int64_t limit)
{
	assay_json *list = as_json_array();
	int bad = demo_put_int(root, "count", (int64_t)f->n);
	for (size_t i = 0; i < f->n && (int64_t)i < limit; i++) {
		assay_json *entry = as_json_object();
		bad |= demo_put_text(entry, "title", f->hits[i].title);
		bad |= demo_put_str(entry, "snippet", f->hits[i].snippet);
		bad |= demo_put_int(entry, "hits", f->hits[i].hits);
		bad |= as_json_append(list, entry);
	}
	return bad | as_json_set(root, "notes", list);
}

int notes_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	finding f = {.tag = demo_arg(arguments, "tag")};
	as_buf words = {0};
	demo_names titles = {0};
	int status;
	as_buf_puts(&words, "");
	as_normalise(&words, demo_arg(arguments, "query"));
	status = as_buf_check(&words, err);
	if (status == 0 && words.len == 0) {
		status = as_mcp_refuse(answer, "query is blank; give one or more words to look for");
		goto out;
	}
	f.words = as_buf_str(&words);
	if (status == 0) {
		status = notes_titles(payload, &titles, err);
	}
	if (status == 0) {
		status = find_all(payload, &titles, &f, err);
	}
	if (status == 0) {
		assay_json *root = as_json_object();
		int bad = put_found(root, &f, as_json_i64(as_json_get(arguments, "limit"), 10));
		status = demo_finish(answer, root, bad, err);
	}
out:
	free(f.hits);
	as_arena_free(&f.arena);
	as_buf_free(&f.folded);
	as_buf_free(&words);
	demo_names_free(&titles);
	return status;
}
