/* assay plugins new: a folder to start a plugin from, made of the template of its role. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cli/verb_plugins.h"
#include "core/plugin/module.h"
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_MAX ((size_t)256 << 10)

typedef struct placeholder {
	const char *mark;
	const char *text;
} placeholder;

/* Append the template with its marks replaced. */
static void fill_in(as_buf *out, assay_str text, const placeholder *marks, size_t n)
{
	for (size_t at = 0; at < text.len;) {
		size_t k = 0;
		while (k < n && !as_str_starts((assay_str){text.ptr + at, text.len - at}, as_str(marks[k].mark))) {
			k++;
		}
		if (k < n) {
			as_buf_puts(out, marks[k].text);
			at += strlen(marks[k].mark);
		} else {
			as_buf_byte(out, text.ptr[at++]);
		}
	}
}

static int make_file(const char *template_name, const char *folder, const char *name, const placeholder *marks,
		     size_t n, assay_error *err)
{
	as_buf from = {0}, to = {0}, text = {0};
	assay_text content = {0};
	as_buf_printf(&from, "%s/template/%s", as_data_dir(), template_name);
	as_path_join(&to, as_str(folder), as_str(name));
	int rc = as_buf_check(&from, err);
	rc = rc < 0 ? rc : as_buf_check(&to, err);
	rc = rc < 0 ? rc : as_file_read(from.ptr, TEMPLATE_MAX, &content, err);
	if (rc == 0) {
		fill_in(&text, as_text_str(content), marks, n);
		rc = as_buf_check(&text, err);
	}
	rc = rc < 0 ? rc : as_file_write(to.ptr, as_buf_str(&text), err);
	as_text_free(&content);
	as_buf_free(&from);
	as_buf_free(&to);
	as_buf_free(&text);
	return rc;
}

static int check_arguments(const as_cli *cli, const char *role, const char *name, assay_error *err)
{
	const char *language = as_cli_option(cli, "language");
	size_t most;
	if (as_role_from_name(as_str(role)) == 0) {
		return as_plugins_no_role(role, err);
	}
	most = AS_MODULE_NAME_MAX - strlen(role) - 1; /* the module is called ROLE_NAME */
	if (!as_module_name_ok(as_str(name), true) || strlen(name) > most) {
		return as_fail(
			err, ASSAY_EINVAL,
			"\"%.80s\" is no name for a plugin: a lower-case letter, then lower-case letters, digits, "
			"_ and -, at most %zu in all",
			name, most);
	}
	if (language && strcmp(language, "c") != 0 && strcmp(language, "c++") != 0) {
		return as_fail(err, ASSAY_EINVAL, "--language %s: expected c or c++", language);
	}
	return 0;
}

static int write_folder(const as_cli *cli, const char *role, const char *name, const char *stem, assay_error *err)
{
	const char *language = as_cli_option(cli, "language");
	const char *suffix = language && strcmp(language, "c++") == 0 ? "cpp" : "c";
	as_buf mark = {0}, quoted = {0}, source = {0}, original = {0};
	as_buf_printf(&mark, "%s_example", role);
	as_buf_printf(&quoted, "\"%s\"", name);
	as_buf_printf(&original, "%s_example.c", role);
	as_buf_printf(&source, "%s.%s", stem, suffix);
	const placeholder marks[] = {{mark.ptr, stem}, {"\"example\"", quoted.ptr}, {"@STEM@", stem}, {"@ROLE@", role},
				     {"@NAME@", name}, {"@SOURCE@", source.ptr}};
	const size_t n = sizeof marks / sizeof *marks;
	int rc = mark.failed || quoted.failed || source.failed || original.failed ? as_fail_memory(err) : 0;
	rc = rc < 0 ? rc : as_make_dirs(stem, err);
	rc = rc < 0 ? rc : make_file(original.ptr, stem, source.ptr, marks, n, err);
	rc = rc < 0 ? rc : make_file("Makefile.in", stem, "Makefile", marks, n, err);
	rc = rc < 0 ? rc : make_file("README.md.in", stem, "README.md", marks, n, err);
	if (rc == 0) {
		as_say(cli, "%s/: %s, Makefile, README.md\n  cd %s && make && make check\n", stem, source.ptr, stem);
	}
	as_buf_free(&mark);
	as_buf_free(&quoted);
	as_buf_free(&source);
	as_buf_free(&original);
	return rc;
}

int as_plugins_new(as_cli *cli, const char *role, const char *name, assay_error *err)
{
	as_buf stem = {0};
	assay_json *out;
	int rc = check_arguments(cli, role, name, err);
	as_buf_printf(&stem, "%s_%s", role, name);
	for (size_t i = 0; i < stem.len; i++) {
		stem.ptr[i] = stem.ptr[i] == '-' ? '_' : stem.ptr[i];
	}
	rc = rc < 0 ? rc : as_buf_check(&stem, err);
	if (rc == 0 && (as_dir_exists(stem.ptr) || as_file_exists(stem.ptr))) {
		as_fail(err, ASSAY_EINVAL, "there is something of this name already");
		rc = as_error_where(err, stem.ptr, 0);
	}
	if (rc == 0) {
		rc = write_folder(cli, role, name, stem.ptr, err);
		if (rc < 0) {
			(void)as_remove_tree(stem.ptr, NULL); /* it was not there before */
		}
	}
	out = rc == 0 ? as_json_object() : NULL;
	if (rc == 0) {
		rc = as_json_set(out, "folder", as_json_string(as_buf_str(&stem)));
		rc = rc < 0 ? (as_json_free(out), as_fail_memory(err)) : as_say_json(cli, out, err);
	}
	as_buf_free(&stem);
	return rc;
}
