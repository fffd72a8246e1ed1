#include "core/run/variables.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

#define MAX_DOTENV ((size_t)1 << 20)

typedef struct variable {
	const char *name, *value;
} variable;

struct as_variables {
	as_arena arena;
	variable *list;
	size_t n, cap;
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

static assay_str unquote(assay_str value)
{
	if (value.len >= 2 && (value.ptr[0] == '"' || value.ptr[0] == '\'') &&
	    value.ptr[value.len - 1] == value.ptr[0]) {
		return (assay_str){value.ptr + 1, value.len - 2};
	}
	return value;
}

static int add_line(as_variables *v, assay_str line, uint32_t number, const char *path, assay_error *err)
{
	size_t eq = 0;
	assay_str name;
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
	if (!as_grow(&v->list, &v->cap, v->n + 1, sizeof *v->list)) {
		return as_fail_memory(err);
	}
	v->list[v->n].name = as_arena_cstr(&v->arena, name);
	v->list[v->n].value =
		as_arena_cstr(&v->arena, unquote(as_trim((assay_str){line.ptr + eq + 1, line.len - eq - 1})));
	v->n++;
	return v->arena.failed ? as_fail_memory(err) : 0;
}

static int load_file(as_variables *v, const char *path, assay_error *err)
{
	assay_text text = {0};
	uint32_t number = 0;
	int rc = as_file_read(path, MAX_DOTENV, &text, err);
	for (size_t i = 0; rc == 0 && i < text.len;) {
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
	if (rc == 0 && as_file_exists(path.ptr)) {
		rc = load_file(v, path.ptr, err);
	}
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
		as_arena_free(&v->arena);
		free(v);
	}
}

const char *as_variable(void *variables, const char *name)
{
	const as_variables *v = variables;
	const char *value = getenv(name);
	if (value) {
		return value;
	}
	for (size_t i = v ? v->n : 0; i-- > 0;) {
		if (strcmp(v->list[i].name, name) == 0) {
			return v->list[i].value;
		}
	}
	return NULL;
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
