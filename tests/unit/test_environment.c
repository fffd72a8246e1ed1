/* environment/folder: a copy of a template for every attempt. */
#include "core/base/file.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/environment.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const assay_environment_ops *ops(void)
{
	return fake_load("environment_folder", ASSAY_ROLE_ENVIRONMENT, "folder")->ops;
}

/* A place of the test's own, with a template of two files in it. */
typedef struct place {
	as_buf dir;
	char template_dir[256], work[256];
} place;

static void put(const char *dir, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_int_eq(as_file_write(path, as_str(text), NULL), 0);
}

static void make_place(place *p)
{
	char inner[300];
	*p = (place){{0}, "", ""};
	ck_assert_int_eq(as_make_temp_dir("/tmp", "assay-folder-", &p->dir, NULL), 0);
	snprintf(p->template_dir, sizeof p->template_dir, "%s/template", p->dir.ptr);
	snprintf(p->work, sizeof p->work, "%s/work", p->dir.ptr);
	snprintf(inner, sizeof inner, "%s/inner", p->template_dir);
	ck_assert_int_eq(as_make_dirs(inner, NULL), 0);
	ck_assert_int_eq(as_make_dirs(p->work, NULL), 0);
	put(p->template_dir, "a note.md", "one");
	put(inner, "b.txt", "two");
	const struct timespec then[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000, .tv_nsec = 500}};
	char path[512];
	snprintf(path, sizeof path, "%s/a note.md", p->template_dir);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void drop_place(place *p)
{
	ck_assert_int_eq(as_remove_tree(p->dir.ptr, NULL), 0);
	as_buf_free(&p->dir);
	ck_assert_int_eq(fake_live_blocks(), 0);
}

static int open_folder(const char *template_dir, void **self, assay_error *err)
{
	assay_json *options = as_json_object();
	if (template_dir) {
		ck_assert_int_eq(as_json_set(options, "template", as_json_cstring(template_dir)), 0);
	}
	*self = NULL;
	int rc = ops()->open(fake_host(), options, self, err);
	as_json_free(options); /* borrowed for the call only */
	return rc;
}

static int prepare(void *self, const char *work, fake_sink *bindings, assay_error *err)
{
	void *state = NULL;
	as_call call;
	fake_call(&call, AS_FOREVER);
	fake_sink_init(bindings);
	int rc = ops()->prepare(self, &call.pub, work, &state, &bindings->sink, err);
	ck_assert_int_eq(ops()->cleanup(self, &call.pub, state, NULL), 0);
	return rc;
}

static void check_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	assay_text bytes = {0};
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_int_eq(as_file_read(path, 100, &bytes, NULL), 0);
	ck_assert_str_eq(bytes.ptr, text);
	as_text_free(&bytes);
}

START_TEST(a_copy_with_its_times)
{
	place p;
	fake_sink bindings;
	assay_error err = {0};
	struct stat info;
	char path[512];
	void *self;
	make_place(&p);
	ck_assert_int_eq(open_folder(p.template_dir, &self, &err), 0);
	ck_assert_int_eq(prepare(self, p.work, &bindings, &err), 0);
	check_file(p.work, "a note.md", "one");
	check_file(p.work, "inner/b.txt", "two");
	snprintf(path, sizeof path, "%s/a note.md", p.work);
	ck_assert_int_eq(stat(path, &info), 0);
	ck_assert_int_eq(info.st_mtim.tv_sec, 1000000);
	ck_assert_int_eq(info.st_mtim.tv_nsec, 500);
	ck_assert_uint_eq(as_json_count(bindings.values), 1);
	ck_assert_uint_eq(as_json_count(as_json_at(bindings.values, 0)), 1);
	ck_assert(as_str_is(as_json_str(as_json_get(as_json_at(bindings.values, 0), "dir")), p.work));
	fake_sink_free(&bindings);
	ops()->close(self);
	drop_place(&p);
}
END_TEST

START_TEST(copies_are_apart)
{
	place p;
	fake_sink bindings;
	assay_error err = {0};
	char second[300];
	void *self;
	make_place(&p);
	snprintf(second, sizeof second, "%s/second", p.dir.ptr);
	ck_assert_int_eq(as_make_dirs(second, NULL), 0);
	ck_assert_int_eq(open_folder(p.template_dir, &self, &err), 0);
	ck_assert_int_eq(prepare(self, p.work, &bindings, &err), 0);
	fake_sink_free(&bindings);
	put(p.work, "a note.md", "changed");
	ck_assert_int_eq(prepare(self, second, &bindings, &err), 0);
	fake_sink_free(&bindings);
	check_file(second, "a note.md", "one");
	check_file(p.template_dir, "a note.md", "one");
	ops()->close(self);
	drop_place(&p);
}
END_TEST

START_TEST(without_a_template_it_starts_empty)
{
	place p;
	fake_sink bindings;
	assay_error err = {0};
	void *self;
	make_place(&p);
	ck_assert_int_eq(open_folder(NULL, &self, &err), 0);
	ck_assert_int_eq(prepare(self, p.work, &bindings, &err), 0);
	ck_assert(as_str_is(as_json_str(as_json_get(as_json_at(bindings.values, 0), "dir")), p.work));
	ck_assert_int_eq(as_remove_tree(p.work, NULL), 0);
	fake_sink_free(&bindings);
	ops()->close(self);
	drop_place(&p);
}
END_TEST

START_TEST(a_template_that_is_gone)
{
	place p;
	fake_sink bindings;
	assay_error err = {0};
	char missing[300];
	void *self;
	make_place(&p);
	snprintf(missing, sizeof missing, "%s/no-such-folder", p.dir.ptr);
	ck_assert_int_eq(open_folder(missing, &self, &err), 0); /* the program has checked it; it went away since */
	int rc = prepare(self, p.work, &bindings, &err);
	ck_assert_msg(rc == ASSAY_ENOENT || rc == ASSAY_EIO, "%d %s", rc, err.message);
	ck_assert_msg(strstr(err.where, "no-such-folder") || strstr(err.message, "no-such-folder"), "%s: %s", err.where,
		      err.message);
	ck_assert_uint_eq(as_json_count(bindings.values), 0);
	fake_sink_free(&bindings);
	ops()->close(self);
	drop_place(&p);
}
END_TEST

START_TEST(out_of_memory)
{
	assay_error err = {0};
	void *self;
	for (long n = 0; n < 3; n++) {
		fake_fail_alloc(n);
		int rc = open_folder("/tmp", &self, &err);
		fake_fail_alloc(-1);
		ck_assert_int_eq(rc, n < 2 ? ASSAY_ENOMEM : 0);
		ops()->close(n < 2 ? NULL : self);
		ck_assert_int_eq(fake_live_blocks(), 0);
	}
}
END_TEST

UNIT_SUITE(make_suite, "environment", a_copy_with_its_times, copies_are_apart, without_a_template_it_starts_empty,
	   a_template_that_is_gone, out_of_memory)
UNIT_MAIN(make_suite)
