#include "core/mcp/arguments.h"

#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

/* A complaint is for a model to read, not for a log: it stays this short whatever the schema and the arguments are. */
#define MAX_LISTED 40u
#define MAX_VALUE 80u

/* `v` as JSON, cut when it is long. */
static void add_value(as_buf *b, const assay_json *v)
{
	as_buf text = {0};

	as_json_write(&text, v, ASSAY_JSON_COMPACT);
	if (text.failed) {
		b->failed = true;
	} else if (text.len <= MAX_VALUE) {
		as_buf_add(b, as_buf_str(&text));
	} else {
		as_buf_add(b, (assay_str){text.ptr, as_utf8_within(as_buf_str(&text), MAX_VALUE)});
		as_buf_puts(b, "...");
	}
	as_buf_free(&text);
}

static void add_values(as_buf *b, const assay_json *values)
{
	size_t n = 0;

	for (const assay_json *v = as_json_first(values); v; v = as_json_next(v)) {
		as_buf_puts(b, n ? ", " : "one of ");
		if (++n > MAX_LISTED) {
			as_buf_puts(b, "...");
			return;
		}
		add_value(b, v);
	}
}

/* "string", "string or null", "array of string"; "value" when the schema says nothing at all. */
static void add_type(as_buf *b, const assay_json *property)
{
	const assay_json *type = as_json_get(property, "type");
	const assay_json *items = as_json_get(as_json_get(property, "items"), "type");
	size_t n = 0;

	if (as_json_type(type) == ASSAY_JSON_STRING) {
		as_buf_add(b, as_json_str(type));
		n++;
	}
	for (const assay_json *t = as_json_type(type) == ASSAY_JSON_ARRAY ? as_json_first(type) : NULL; t;
	     t = as_json_next(t)) {
		as_buf_puts(b, n++ ? " or " : "");
		as_buf_add(b, as_json_str(t));
	}
	if (n == 0 && !as_json_get(property, "enum")) {
		as_buf_puts(b, "value");
	}
	if (as_json_type(items) == ASSAY_JSON_STRING) {
		as_buf_puts(b, " of ");
		as_buf_add(b, as_json_str(items));
	}
}

static bool is_required(const assay_json *document, assay_str name)
{
	const assay_json *required = as_json_get(document, "required");

	for (const assay_json *r = as_json_first(required); r; r = as_json_next(r)) {
		if (as_str_eq(as_json_str(r), name)) {
			return true;
		}
	}
	return false;
}

static void add_parameters(as_buf *b, const assay_json *document)
{
	const assay_json *properties = as_json_get(document, "properties");
	size_t n = 0;

	if (as_json_count(properties) == 0) {
		as_buf_puts(b, "\nIt takes no parameters.");
		return;
	}
	as_buf_puts(b, "\nParameters: ");
	for (const assay_json *p = as_json_first(properties); p; p = as_json_next(p)) {
		as_buf_puts(b, n ? "; " : "");
		if (++n > MAX_LISTED) {
			as_buf_puts(b, "...");
			break;
		}
		as_buf_add(b, as_json_key(p));
		as_buf_puts(b, " (");
		add_type(b, p);
		if (as_json_get(p, "enum")) {
			as_buf_puts(b, as_json_get(p, "type") ? ", " : "");
			add_values(b, as_json_get(p, "enum"));
		}
		if (is_required(document, as_json_key(p))) {
			as_buf_puts(b, ", required");
		}
		if (as_json_get(p, "default")) {
			as_buf_puts(b, ", default ");
			add_value(b, as_json_get(p, "default"));
		}
		as_buf_byte(b, ')');
	}
	as_buf_byte(b, '.');
}

/* One sentence for every argument that is no parameter. Extra arguments alone are no fault unless the schema says so,
 * but beside another fault they are most likely its cause: a misspelt name. */
static void add_unknown(as_buf *b, const assay_json *document, const assay_json *arguments)
{
	const assay_json *properties = as_json_get(document, "properties");
	size_t n_names = as_json_count(properties), i = 0, n = 0;
	const char **names = as_new(n_names ? n_names : 1, sizeof *names);
	as_arena arena = {0};

	if (!names) {
		b->failed = true;
		return;
	}
	for (const assay_json *p = as_json_first(properties); p; p = as_json_next(p)) {
		names[i] = as_arena_cstr(&arena, as_json_key(p));
		if (!names[i++]) {
			b->failed = true;
			goto out;
		}
	}
	for (const assay_json *a = as_json_first(arguments); a && n < MAX_LISTED; a = as_json_next(a)) {
		assay_str key = as_json_key(a);
		const char *near;

		if (as_json_get_n(properties, key)) {
			continue;
		}
		n++;
		near = as_nearest(key, names, n_names);
		as_buf_puts(b, "\nThere is no parameter \"");
		as_buf_add(b, key.len <= MAX_VALUE ? key : ASSAY_STR("..."));
		if (near) {
			as_buf_printf(b, "\"; did you mean \"%s\"?", near);
		} else {
			as_buf_puts(b, "\".");
		}
	}
out:
	as_arena_free(&arena);
	free(names);
}

int as_mcp_check_arguments(const char *tool, const as_schema *schema, const assay_json *document, assay_json *arguments,
			   as_buf *complaint, assay_error *err)
{
	assay_error fault = {0};
	int rc = as_schema_fill_defaults(schema, arguments, err);

	if (rc) {
		return rc;
	}
	rc = as_schema_validate(schema, arguments, &fault);
	if (rc != ASSAY_EDATA && rc != ASSAY_ELIMIT) {
		if (err) {
			*err = fault;
		}
		return rc;
	}
	as_buf_printf(complaint, "Invalid arguments for %s: %s%s%s", tool, fault.pointer, fault.pointer[0] ? ": " : "",
		      fault.message);
	if (fault.hint[0] && strchr(fault.pointer + 1, '/')) { /* unknown names of the top level are named below */
		as_buf_printf(complaint, " (%s)", fault.hint);
	}
	add_unknown(complaint, document, arguments);
	add_parameters(complaint, document);
	rc = as_buf_check(complaint, err);
	return rc ? rc : ASSAY_EDATA;
}
