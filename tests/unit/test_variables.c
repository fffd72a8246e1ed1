/* Variables from the environment and .env, and the progress line. */
#include "core/base/file.h"
#include "core/run/progress.h"
#include "core/run/variables.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

typedef struct place {
	as_buf dir;
	as_variables *variables;
} place;

static int load(place *p, assay_str dotenv, assay_error *err)
{
	as_buf file = {0};
	int rc;
	*p = (place){.variables = NULL};
	ck_assert_int_eq(as_make_temp_dir("/tmp", "assay-variables-", &p->dir, err), 0);
	as_path_join(&file, as_buf_str(&p->dir), ASSAY_STR(".env"));
	if (dotenv.ptr) {
		ck_assert_int_eq(as_file_write(file.ptr, dotenv, err), 0);
	}
	rc = as_variables_load(p->dir.ptr, &p->variables, err);
	as_buf_free(&file);
	return rc;
}

static void drop(place *p)
{
	as_variables_free(p->variables);
	ck_assert_int_eq(as_remove_tree(p->dir.ptr, NULL), 0);
	as_buf_free(&p->dir);
}

START_TEST(test_reading)
{
	assay_error err = {0};
	place p;
	ck_ok(load(
		&p,
		ASSAY_STR(
			"\xEF\xBB\xBFMARKED=1\n# a comment\n\nPLAIN=one two \r\nQUOTED=\"a = b\"\n  SINGLE = 'x'\nexport EXPORTED=yes\n"
			"EMPTY=\nTWICE=1\nTWICE=2\nURL=http://h/?a=b#c\nASSAY_TEST_SET=file\n_9=last\n"
			"LINES=\"a\\nb\\r\\t\\\"c\\\" \\\\ C:\\x\" # said\nRAW='a\\nb' #x\nJSON=\"{\"a\":1}\"\n"
			"INNER=5\" wide\nNONE=''\nNOTED=a b \t# said\nONLY= # said\nHASH=#a#b\n"),
		&err));
	setenv("ASSAY_TEST_SET", "environment", 1);
	ck_assert_str_eq(as_variable(p.variables, "PLAIN"), "one two");
	ck_assert_str_eq(as_variable(p.variables, "QUOTED"), "a = b");
	ck_assert_str_eq(as_variable(p.variables, "SINGLE"), "x");
	ck_assert_str_eq(as_variable(p.variables, "EXPORTED"), "yes");
	ck_assert_str_eq(as_variable(p.variables, "EMPTY"), "");
	ck_assert_str_eq(as_variable(p.variables, "TWICE"), "2");
	ck_assert_str_eq(as_variable(p.variables, "URL"), "http://h/?a=b#c");
	ck_assert_str_eq(as_variable(p.variables, "LINES"), "a\nb\r\t\"c\" \\ C:\\x");
	ck_assert_str_eq(as_variable(p.variables, "RAW"), "a\\nb");
	ck_assert_str_eq(as_variable(p.variables, "JSON"), "{\"a\":1}");
	ck_assert_str_eq(as_variable(p.variables, "INNER"), "5\" wide");
	ck_assert_str_eq(as_variable(p.variables, "NONE"), "");
	ck_assert_str_eq(as_variable(p.variables, "NOTED"), "a b");
	ck_assert_str_eq(as_variable(p.variables, "ONLY"), "");
	ck_assert_str_eq(as_variable(p.variables, "HASH"), "#a#b");
	ck_assert_str_eq(as_variable(p.variables, "MARKED"), "1");
	ck_assert_str_eq(as_variable(p.variables, "_9"), "last");
	ck_assert_str_eq(as_variable(p.variables, "ASSAY_TEST_SET"), "environment");
	ck_assert_ptr_null(as_variable(p.variables, "ASSAY_TEST_UNSET"));
	ck_assert_str_eq(as_variable(NULL, "ASSAY_TEST_SET"), "environment");
	drop(&p);
}
END_TEST

START_TEST(test_no_file)
{
	assay_error err = {0};
	place p;
	ck_ok(load(&p, (assay_str){NULL, 0}, &err));
	ck_assert_ptr_null(as_variable(p.variables, "ASSAY_TEST_UNSET"));
	drop(&p);
	as_variables_free(NULL);
}
END_TEST

/* The line itself is not shown: it may hold a secret. */
START_TEST(test_bad_lines)
{
	static const assay_str bad[] = {{"A=1\nsecret", 10},  {"\n9A=secret", 10},  {"\n=secret", 8},
					{"\nA B=secret", 11}, {"\nA=s\0ecret", 10}, {"\nexport secret", 14}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assay_error err = {0};
		place p;
		ck_assert_int_eq(load(&p, bad[i], &err), ASSAY_EDATA);
		ck_assert_ptr_null(p.variables);
		ck_assert_str_eq(err.message, "expected NAME=value");
		ck_assert_uint_eq(err.line, 2);
		ck_assert_ptr_nonnull(strstr(err.where, "/.env"));
		ck_assert_ptr_null(strstr(error_line(&err), "secret"));
		drop(&p);
	}
}
END_TEST

START_TEST(test_open_quotes)
{
	static const assay_str bad[] = {{"A=1\nB=\"secret\nC=2", 17},
					{"\nB='secret\n", 11},
					{"\nB=\"", 4},
					{"\nB=\"secret\\\"", 12},
					{"\nB='a\" # 'b", 11}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assay_error err = {0};
		place p;
		ck_assert_int_eq(load(&p, bad[i], &err), ASSAY_EDATA);
		ck_assert_ptr_nonnull(strstr(err.message, "that nothing closes"));
		ck_assert_uint_eq(err.line, 2);
		ck_assert_ptr_null(strstr(error_line(&err), "secret"));
		drop(&p);
	}
}
END_TEST

START_TEST(test_writing)
{
	static const char *const values[] = {"plain", " a ", "\"",     "'", "-----BEGIN\nKEY\\n\r\n-----END\n",
					     "a\"b",  "\\",  "# x",    "",  "a #b",
					     "\"a\"", "\t",  "C:\\new"};
	const size_t n = sizeof values / sizeof *values;
	assay_error err = {0};
	as_buf text = {0};
	place p;
	for (size_t i = 0; i < n; i++) {
		char name[8];
		snprintf(name, sizeof name, "V%zu", i);
		as_variables_write(&text, as_str(name), as_str(values[i]));
	}
	ck_ok(load(&p, as_buf_str(&text), &err));
	for (size_t i = 0; i < n; i++) {
		char name[8];
		snprintf(name, sizeof name, "V%zu", i);
		ck_assert_str_eq(as_variable(p.variables, name), values[i]);
	}
	as_buf_free(&text);
	drop(&p);
}
END_TEST

START_TEST(test_no_file_but_a_folder)
{
	assay_error err = {0};
	place p;
	as_buf path = {0};
	ck_ok(load(&p, (assay_str){NULL, 0}, &err));
	as_variables_free(p.variables);
	as_path_join(&path, as_buf_str(&p.dir), ASSAY_STR(".env"));
	ck_ok(as_make_dirs(path.ptr, &err));
	ck_assert_int_eq(as_variables_load(p.dir.ptr, &p.variables, &err), ASSAY_EDATA);
	ck_assert_ptr_nonnull(strstr(error_line(&err), "/.env"));
	as_buf_free(&path);
	drop(&p);
}
END_TEST

/* One line, drawn over and over; nothing at all when it is off. */
START_TEST(test_progress)
{
	assay_error err = {0};
	char text[1024];
	size_t n;
	for (int on = 0; on < 2; on++) {
		as_progress *p = NULL;
		FILE *f = tmpfile();
		ck_ok(as_progress_new(f, on, &p, &err));
		as_progress_begin(p, "attempts", 3);
		as_progress_step(p, 2);
		as_progress_step(p, 1);
		as_progress_end(p);
		rewind(f);
		n = fread(text, 1, sizeof text - 1, f);
		text[n] = '\0';
		fclose(f);
		ck_assert_int_eq(n > 0, on);
		if (on) {
			ck_assert_str_eq(strstr(text, "attempts 0/3"), "attempts 0/3  0 s\r\033[K");
		}
		as_progress_free(p);
	}
	as_progress_step(NULL, 1);
	as_progress_end(NULL);
	as_progress_free(NULL);
}
END_TEST

UNIT_SUITE(suite, "variables", test_reading, test_no_file, test_bad_lines, test_open_quotes, test_writing,
	   test_no_file_but_a_folder, test_progress)
UNIT_MAIN(suite)
