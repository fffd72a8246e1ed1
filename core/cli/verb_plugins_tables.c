/* assay plugins list --as markdown|man: every plugin with a table of its options, from its schema. The guide and the
 * page assay-plugins(7) are made of it when the program is built, so they cannot say anything else than the plugins do.
 */
#include "core/base/error.h"
#include "core/cli/verb_plugins.h"
#include <string.h>

/* A cell of a Markdown table: on one line, its bars escaped. */
static void add_cell(as_buf *out, assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '|') {
			as_buf_byte(out, '\\');
		}
		as_buf_byte(out, s.ptr[i] == '\n' ? ' ' : s.ptr[i]);
	}
}

/* A line of roff text: no request at its start, no escape in it. */
static void add_roff(as_buf *out, assay_str s)
{
	if (s.len && (s.ptr[0] == '.' || s.ptr[0] == '\'')) {
		as_buf_puts(out, "\\&");
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' || s.ptr[i] == '-') {
			as_buf_byte(out, '\\');
		}
		as_buf_byte(out, s.ptr[i] == '\n' ? ' ' : s.ptr[i]);
	}
}

void as_plugins_option_type(as_buf *out, const assay_json *option)
{
	const assay_json *type = as_json_get(option, "type"), *values = as_json_get(option, "enum");
	static const char *const bounds[] = {"minimum", "maximum", "minLength", "maxLength"};
	static const char *const words[] = {"at least ", "at most ", "at least ", "at most "};
	if (values) {
		for (const assay_json *v = as_json_first(values); v; v = as_json_next(v)) {
			as_buf_puts(out, v == as_json_first(values) ? "" : " or ");
			as_json_write(out, v, ASSAY_JSON_COMPACT);
		}
	} else if (as_json_type(type) == ASSAY_JSON_ARRAY) {
		for (const assay_json *t = as_json_first(type); t; t = as_json_next(t)) {
			as_buf_printf(out, "%s%s", t == as_json_first(type) ? "" : " or ", as_json_cstr(t, ""));
		}
	} else {
		as_buf_puts(out, as_json_cstr(type, "any"));
	}
	for (size_t i = 0; i < 4; i++) {
		const assay_json *bound = as_json_get(option, bounds[i]);
		if (bound) {
			as_buf_printf(out, ", %s%.*s%s", words[i], ASSAY_FMT(as_json_spelling(bound)),
				      i > 1 ? " characters" : "");
		}
	}
}

static bool is_required(const assay_json *schema, assay_str key)
{
	for (const assay_json *r = as_json_first(as_json_get(schema, "required")); r; r = as_json_next(r)) {
		if (as_str_eq(as_json_str(r), key)) {
			return true;
		}
	}
	return false;
}

void as_plugins_option_default(as_buf *out, const assay_json *schema, const assay_json *option)
{
	const assay_json *value = as_json_get(option, "default");
	if (value) {
		as_json_write(out, value, ASSAY_JSON_COMPACT);
	} else {
		as_buf_puts(out, is_required(schema, as_json_key(option)) ? "required" : "");
	}
}

static void add_option(as_buf *out, const assay_json *schema, const assay_json *option, bool man)
{
	as_buf type = {0}, otherwise = {0};
	assay_str text = as_json_str(as_json_get(option, "description"));
	as_plugins_option_type(&type, option);
	as_plugins_option_default(&otherwise, schema, option);
	if (man) {
		as_buf_puts(out, ".TP\n\\fB");
		add_roff(out, as_json_key(option));
		as_buf_puts(out, "\\fR (");
		add_roff(out, as_buf_str(&type));
		if (otherwise.len) {
			as_buf_puts(out, is_required(schema, as_json_key(option)) ? "; " : "; default ");
			add_roff(out, as_buf_str(&otherwise));
		}
		as_buf_puts(out, ")\n");
		add_roff(out, text.len ? text : ASSAY_STR("-"));
		as_buf_byte(out, '\n');
	} else {
		as_buf_puts(out, "| `");
		add_cell(out, as_json_key(option));
		as_buf_puts(out, "` | ");
		add_cell(out, as_buf_str(&type));
		as_buf_puts(out, " | ");
		add_cell(out, as_buf_str(&otherwise));
		as_buf_puts(out, " | ");
		add_cell(out, text);
		as_buf_puts(out, " |\n");
	}
	as_buf_free(&type);
	as_buf_free(&otherwise);
}

static void add_plugin(as_buf *out, const assay_json *impl, bool man)
{
	const assay_json *schema = as_json_get(impl, "options"), *options = as_json_get(schema, "properties");
	const char *role = as_json_cstr(as_json_get(impl, "role"), ""),
		   *name = as_json_cstr(as_json_get(impl, "name"), "");
	assay_str summary = as_json_str(as_json_get(impl, "summary"));
	if (man) {
		as_buf_printf(out, ".SS %s/%s\n", role, name);
		add_roff(out, summary);
		as_buf_byte(out, '\n');
	} else {
		as_buf_printf(out, "#### %s/%s\n\n%.*s\n\n", role, name, ASSAY_FMT(summary));
		as_buf_puts(out,
			    as_json_count(options) ? "| option | type | default | |\n| --- | --- | --- | --- |\n" : "");
	}
	for (const assay_json *o = as_json_first(options); o; o = as_json_next(o)) {
		add_option(out, schema, o, man);
	}
	as_buf_puts(out, man || as_json_count(options) == 0 ? "" : "\n");
}

int as_plugins_tables(as_cli *cli, const assay_json *modules, const char *format, assay_error *err)
{
	bool man = strcmp(format, "man") == 0;
	as_buf out = {0};
	if (!man && strcmp(format, "markdown") != 0) {
		return as_fail(err, ASSAY_EINVAL, "--as %s: expected markdown or man", format);
	}
	if (man) {
		as_buf_puts(&out, ".TH ASSAY-PLUGINS 7\n.SH NAME\nassay\\-plugins \\- the plugins of assay and their "
				  "options\n.SH DESCRIPTION\nOptions stand beside \\(dquse\\(dq in a manifest.\n"
				  ".SH PLUGINS\n");
	}
	for (const assay_json *m = as_json_first(modules); m; m = as_json_next(m)) {
		const assay_json *impls = as_json_get(m, "implementations");
		for (const assay_json *i = as_json_first(impls); i; i = as_json_next(i)) {
			add_plugin(&out, i, man);
		}
	}
	int rc = as_buf_check(&out, err);
	if (rc == 0) {
		as_say(cli, "%s", out.ptr ? out.ptr : "");
	}
	as_buf_free(&out);
	return rc;
}
