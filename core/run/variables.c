#include "core/run/variables.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct variable {
	const char *name, *value;
} variable;

struct as_variables {
	as_arena arena;
	variable *list;
	size_t n, cap;
	const variable **sorted; /* n of them, by name */
};

static bool valid_name(assay_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
		if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
			return false;
		}
	}
	return name.len > 0;
}

/* What stands between two quotes at the beginning of a value; behind the second one there may be a comment. NULL: there
 * is no second one. */
static const char *closing_quote(assay_str value)
{
	for (size_t i = 1; i < value.len; i++) {
		if (value.ptr[i] == '\\' && value.ptr[0] == '"') {
			i++;
		} else if (value.ptr[i] == value.ptr[0]) {
			assay_str rest = as_trim((assay_str){value.ptr + i + 1, value.len - i - 1});
			if (rest.len == 0 || rest.ptr[0] == '#') {
				return value.ptr + i;
			}
		}
	}
	return NULL;
}

/* In double quotes \n, \r, \t, \" and \\ stand for what they do elsewhere; in single ones nothing does. */
static void unescape(assay_str quoted, bool escapes, as_buf *out)
{
	static const char from[] = "nrt\"\\", to[] = "\n\r\t\"\\";
	for (size_t i = 0; i < quoted.len; i++) {
		const char *escaped = escapes && quoted.ptr[i] == '\\' && i + 1 < quoted.len
					      ? memchr(from, quoted.ptr[i + 1], sizeof from - 1)
					      : NULL;
		as_buf_byte(out, escaped ? to[escaped - from] : quoted.ptr[i]);
		i += escaped != NULL;
	}
}

/* Where a comment begins: "#" behind a blank. The length of the text when there is none. */
static size_t comment_at(assay_str text)
{
	for (size_t i = 1; i < text.len; i++) {
		if (text.ptr[i] == '#' && (text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\t')) {
			return i;
		}
	}
	return text.len;
}

/* raw: what is behind the "=". */
static int read_value(assay_str raw, as_buf *out, assay_error *err)
{
	assay_str value = as_trim(raw);
	const char *end;
	if (value.len == 0 || !strchr("\"'", value.ptr[0])) {
		as_buf_add(out, as_trim((assay_str){raw.ptr, comment_at(raw)}));
		return as_buf_check(out, err);
	}
	end = closing_quote(value);
	if (!end) {
		as_fail(err, ASSAY_EDATA, "a value begins with %s that nothing closes at the end of its line",
			value.ptr[0] == '"' ? "a double quote" : "a single quote");
		return as_error_hint(err,
				     "a value of several lines is written in double quotes on one line, with \\n "
				     "for each end of a line; a quote that is meant is written as \\\" within them");
	}
	unescape((assay_str){value.ptr + 1, (size_t)(end - value.ptr) - 1}, value.ptr[0] == '"', out);
	return as_buf_check(out, err);
}

void as_variables_write(as_buf *out, assay_str name, assay_str value)
{
	bool plain = as_str_eq(as_trim(value), value) && !memchr(value.ptr, '\n', value.len) &&
		     !memchr(value.ptr, '\r', value.len) && comment_at(value) == value.len &&
		     !(value.len > 0 && strchr("\"'", value.ptr[0]));
	as_buf_printf(out, "%.*s=%s", ASSAY_FMT(name), plain ? "" : "\"");
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];
		if (!plain && strchr("\n\r\"\\", c)) {
			as_buf_byte(out, '\\');
			c = c == '\n' ? 'n' : c == '\r' ? 'r' : c;
		}
		as_buf_byte(out, c);
	}
	as_buf_puts(out, plain ? "\n" : "\"\n");
}

static int add_line(as_variables *v, assay_str line, uint32_t number, const char *path, assay_error *err)
{
	as_buf value = {0};
	size_t eq = 0;
	assay_str name;
	int rc;
	line = as_trim(line);
	if (line.len == 0 || line.ptr[0] == '#') {
		return 0;
	}
	if (as_str_starts(line, ASSAY_STR("export "))) {
		line = as_trim((assay_str){line.ptr + 7, line.len - 7});
	}
	while (eq < line.len && line.ptr[eq] != '=') {
		eq++;
	}
	name = as_trim((assay_str){line.ptr, eq});
	if (eq == line.len || !valid_name(name) || memchr(line.ptr, '\0', line.len)) {
		as_fail(err, ASSAY_EDATA, "expected NAME=value"); /* without the line: it may hold a secret */
		return as_error_where(err, path, number);
	}
	rc = read_value((assay_str){line.ptr + eq + 1, line.len - eq - 1}, &value, err);
	if (rc == 0 && as_grow(&v->list, &v->cap, v->n + 1, sizeof *v->list)) {
		v->list[v->n].name = as_arena_cstr(&v->arena, name);
		v->list[v->n++].value = as_arena_cstr(&v->arena, as_buf_str(&value));
		rc = v->arena.failed ? as_fail_memory(err) : 0;
	} else if (rc == 0) {
		rc = as_fail_memory(err);
	}
	as_buf_free(&value);
	return rc < 0 ? as_error_where(err, path, number) : 0;
}

static int compare_names(const void *a, const void *b)
{
	const variable *x = *(const variable *const *)a, *y = *(const variable *const *)b;
	int order = strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

/* So that many are found quickly; of one name the last counts. */
static int sort_names(as_variables *v, assay_error *err)
{
	v->sorted = as_new(v->n + 1, sizeof(const variable *));
	if (!v->sorted) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < v->n; i++) {
		v->sorted[i] = &v->list[i];
	}
	qsort(v->sorted, v->n, sizeof(const variable *), compare_names);
	return 0;
}

static int load_file(as_variables *v, const char *path, assay_error *err)
{
	assay_text text = {0};
	uint32_t number = 0;
	int rc = as_file_read_text(path, AS_DOTENV_MAX, &text, err);
	size_t mark = rc == 0 && as_str_starts(as_text_str(text), ASSAY_STR("\xEF\xBB\xBF")) ? 3 : 0;
	for (size_t i = mark; rc == 0 && i < text.len;) {
		size_t end = i;
		while (end < text.len && text.ptr[end] != '\n') {
			end++;
		}
		rc = add_line(v, (assay_str){text.ptr + i, end - i}, ++number, path, err);
		i = end + 1;
	}
	as_text_free(&text);
	return rc;
}

int as_variables_load(const char *dir, as_variables **out, assay_error *err)
{
	as_variables *v = as_new(1, sizeof *v);
	as_buf path = {0};
	int rc;
	*out = NULL;
	if (!v) {
		return as_fail_memory(err);
	}
	as_path_join(&path, as_str(dir), ASSAY_STR(".env"));
	rc = as_buf_check(&path, err);
	/* A folder of that name, or what may not be read, is told. */
	if (rc == 0 && access(path.ptr, F_OK) == 0) {
		rc = load_file(v, path.ptr, err);
	}
	rc = rc < 0 ? rc : sort_names(v, err);
	if (rc < 0) {
		as_variables_free(v);
		v = NULL;
	}
	as_buf_free(&path);
	*out = v;
	return rc;
}

void as_variables_free(as_variables *v)
{
	if (v) {
		free(v->list);
		free(v->sorted);
		as_arena_free(&v->arena);
		free(v);
	}
}

const char *as_variable(void *variables, const char *name)
{
	const as_variables *v = variables;
	const char *value = getenv(name);
	size_t low, high;
	if (value) {
		return value;
	}
	low = 0;
	high = v ? v->n : 0;
	while (low < high) { /* behind the last of that name */
		size_t middle = low + (high - low) / 2;
		if (strcmp(v->sorted[middle]->name, name) <= 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low > 0 && strcmp(v->sorted[low - 1]->name, name) == 0 ? v->sorted[low - 1]->value : NULL;
}

int as_variables_each(const as_variables *v, int (*take)(void *payload, const char *name, const char *value),
		      void *payload)
{
	int rc = 0;
	for (size_t i = 0; i < v->n && rc == 0; i++) {
		rc = take(payload, v->list[i].name, v->list[i].value);
	}
	return rc;
}
