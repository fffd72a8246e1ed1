#include "core/llm/names.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include <stdlib.h>
#include <string.h>

#define MARK_MIN 8 /* hex digits of the name's digest in an alias that is not the name */

typedef struct pair {
	assay_str name, alias;
} pair;

struct as_names {
	const assay_llm_dialect *dialect;
	as_arena arena;
	pair *list;
	size_t n, cap;
};

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool fits_char(const assay_llm_dialect *d, char c)
{
	return !d->name_marks || is_letter(c) || (c >= '0' && c <= '9') || (c != '\0' && strchr(d->name_marks, c));
}

static bool fits(const assay_llm_dialect *d, assay_str name)
{
	if (name.len == 0 || (d->name_max > 0 && name.len > d->name_max)) {
		return false;
	}
	if ((d->name_rules & ASSAY_LLM_NAME_LETTER_FIRST) && !is_letter(name.ptr[0]) && name.ptr[0] != '_') {
		return false;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (!fits_char(d, name.ptr[i])) {
			return false;
		}
	}
	return true;
}

/* As much of the name as fits, and `digits` of its digest. */
static void mark(const assay_llm_dialect *d, assay_str name, size_t digits, as_buf *out)
{
	char hex[65];
	size_t room = d->name_max > digits + 1 ? d->name_max - digits - 1 : 0;
	as_sha256_hex(name, hex);
	as_buf_clear(out);
	if ((d->name_rules & ASSAY_LLM_NAME_LETTER_FIRST) && name.len > 0 && !is_letter(name.ptr[0])) {
		as_buf_byte(out, '_');
	}
	for (size_t i = 0; i < name.len && (d->name_max == 0 || out->len < room); i++) {
		as_buf_byte(out, fits_char(d, name.ptr[i]) ? name.ptr[i] : '_');
	}
	as_buf_byte(out, '_');
	as_buf_add(out, (assay_str){hex, digits});
}

static bool is_taken(const as_names *n, assay_str alias)
{
	for (size_t i = 0; i < n->n; i++) {
		if (as_str_eq(n->list[i].alias, alias)) {
			return true;
		}
	}
	return false;
}

static int add(as_names *n, assay_str name, assay_str alias, assay_error *err)
{
	if (!as_grow(&n->list, &n->cap, n->n + 1, sizeof *n->list)) {
		return as_fail_memory(err);
	}
	n->list[n->n++] = (pair){as_arena_str(&n->arena, name), as_arena_str(&n->arena, alias)};
	return n->arena.failed ? as_fail_memory(err) : 0;
}

/* An alias that no tool has. More digits tell two names apart that share their first ones. */
static int make_alias(const as_names *n, assay_str name, as_buf *out, assay_error *err)
{
	for (size_t digits = MARK_MIN; digits <= 32; digits += 8) {
		mark(n->dialect, name, digits, out);
		if (out->failed || !is_taken(n, as_buf_str(out))) {
			return as_buf_check(out, err);
		}
	}
	return as_fail(err, ASSAY_EINVAL, "two tools are called \"%.*s\"", ASSAY_FMT(name));
}

static const pair *find(const as_names *n, assay_str name)
{
	for (size_t i = 0; i < n->n; i++) {
		if (as_str_eq(n->list[i].name, name)) {
			return &n->list[i];
		}
	}
	return NULL;
}

/* Names that fit go first, so that no alias takes one of theirs. */
static int add_all(as_names *n, const assay_json *tools, bool fitting, assay_error *err)
{
	as_buf alias = {0};
	int rc = 0;
	for (const assay_json *t = as_json_first(tools); t && rc == 0; t = as_json_next(t)) {
		assay_str name = as_json_str(as_json_get(t, "name"));
		if (fits(n->dialect, name) != fitting || find(n, name)) {
			continue;
		}
		rc = fitting ? 0 : make_alias(n, name, &alias, err);
		rc = rc < 0 ? rc : add(n, name, fitting ? name : as_buf_str(&alias), err);
	}
	as_buf_free(&alias);
	return rc;
}

int as_names_new(const assay_json *tools, const assay_llm_dialect *dialect, as_names **out, assay_error *err)
{
	as_names *n = as_new(1, sizeof *n);
	int rc;
	*out = NULL;
	if (!n) {
		return as_fail_memory(err);
	}
	n->dialect = dialect;
	rc = dialect ? add_all(n, tools, true, err) : 0;
	rc = rc < 0 || !dialect ? rc : add_all(n, tools, false, err);
	if (rc < 0) {
		as_names_free(n);
		return rc;
	}
	*out = n;
	return 0;
}

void as_names_free(as_names *n)
{
	if (n) {
		free(n->list);
		as_arena_free(&n->arena);
		free(n);
	}
}

int as_names_put(const as_names *n, assay_str name, as_buf *out, assay_error *err)
{
	const pair *known = find(n, name);
	as_buf_clear(out);
	if (known || !n->dialect || fits(n->dialect, name)) {
		as_buf_add(out, known ? known->alias : name);
		return as_buf_check(out, err);
	}
	return make_alias(n, name, out, err);
}

assay_str as_names_get(const as_names *n, assay_str alias)
{
	for (size_t i = 0; i < n->n; i++) {
		if (as_str_eq(n->list[i].alias, alias)) {
			return n->list[i].name;
		}
	}
	return alias;
}
