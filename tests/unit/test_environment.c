/* environment/folder: a copy of a template for every attempt. */
#include "core/base/file.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/environment.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

/* A prepared folder of its own, to be changed. */
typedef struct stage {
	place p;
	void *self, *state;
	as_call call;
} stage;

static void set_up(stage *s)
{
	fake_sink bindings;
	make_place(&s->p);
	s->state = NULL;
	ck_assert_int_eq(open_folder(s->p.template_dir, &s->self, NULL), 0);
	fake_call(&s->call, AS_FOREVER);
	fake_sink_init(&bindings);
	ck_assert_int_eq(ops()->prepare(s->self, &s->call.pub, s->p.work, &s->state, &bindings.sink, NULL), 0);
	fake_sink_free(&bindings);
}

static void tear_down(stage *s)
{
	ck_assert_int_eq(ops()->cleanup(s->self, &s->call.pub, s->state, NULL), 0);
	ops()->close(s->self);
	drop_place(&s->p);
}

static const char *digest(stage *s, char out[65])
{
	assay_error err = {0};
	ck_assert_msg(ops()->digest(s->self, &s->call.pub, s->state, out, &err) == 0, "%s", err.message);
	ck_assert_uint_eq(strlen(out), 64);
	return out;
}

static void path_in(const stage *s, const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", s->p.work, name);
}

/* What is in the files counts, when they were written does not. */
START_TEST(a_digest_of_files)
{
	stage s;
	char first[65], second[65], path[512];
	set_up(&s);
	digest(&s, first);
	put(s.p.work, "a note.md", "one"); /* the same, now */
	ck_assert_str_eq(digest(&s, second), first);
	put(s.p.work, "a note.md", "One");
	ck_assert_str_ne(digest(&s, second), first);
	put(s.p.work, "a note.md", "one");
	put(s.p.work, "inner/new", "");
	ck_assert_str_ne(digest(&s, second), first);
	path_in(&s, "inner/new", path);
	ck_assert_int_eq(remove(path), 0);
	ck_assert_str_eq(digest(&s, second), first);
	path_in(&s, "empty", path);
	ck_assert_int_eq(as_make_dirs(path, NULL), 0);
	ck_assert_str_ne(digest(&s, second), first);
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(symlink("a note.md", path), 0);
	ck_assert_str_ne(digest(&s, second), first);
	tear_down(&s);
}
END_TEST

/* Bytes that move from one file to the next make another state. */
START_TEST(a_digest_of_names)
{
	stage s;
	char first[65], second[65];
	set_up(&s);
	put(s.p.work, "x", "ab");
	put(s.p.work, "y", "c");
	digest(&s, first);
	put(s.p.work, "x", "a");
	put(s.p.work, "y", "bc");
	ck_assert_str_ne(digest(&s, second), first);
	tear_down(&s);
}
END_TEST

static void sql(sqlite3 *db, const char *text)
{
	char *message = NULL;
	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s", text, message);
}

static sqlite3 *open_database(const stage *s, const char *name)
{
	sqlite3 *db = NULL;
	char path[512];
	path_in(s, name, path);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

/* A database that a server has open, in either way of keeping a journal: its rows count, its pages do not. */
static void check_database(const char *journal)
{
	stage s;
	char first[65], second[65], pragma[80];
	sqlite3 *db;
	set_up(&s);
	db = open_database(&s, "shop.db");
	snprintf(pragma, sizeof pragma, "PRAGMA journal_mode = %s", journal);
	sql(db, pragma);
	sql(db, "CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
		"INSERT INTO t VALUES (1, 'x'), (2, x'00ff'), (3, 1.5), (4, NULL); INSERT INTO w VALUES ('k', 1)");
	digest(&s, first);
	sql(db, "INSERT INTO t VALUES (5, 'y')");
	ck_assert_str_ne(digest(&s, second), first);
	sql(db, "DELETE FROM t WHERE a = 5"); /* the file is not what it was, the content is */
	ck_assert_str_eq(digest(&s, second), first);
	sql(db, "UPDATE w SET v = '1'"); /* a text, no number */
	ck_assert_str_ne(digest(&s, second), first);
	sql(db, "UPDATE w SET v = 1; VACUUM");
	ck_assert_str_eq(digest(&s, second), first);
	sql(db, "CREATE INDEX i ON t (b)");
	ck_assert_str_ne(digest(&s, second), first);
	sql(db, "DROP INDEX i; BEGIN; INSERT INTO t VALUES (6, 'z')"); /* not yet there for anybody else */
	ck_assert_str_eq(digest(&s, second), first);
	sql(db, "ROLLBACK");
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	ck_assert_str_eq(digest(&s, second), first);
	ck_assert_str_eq(digest(&s, second), first); /* looking left nothing behind that counts */
	tear_down(&s);
}

START_TEST(a_database_with_a_rollback_journal)
{
	check_database("DELETE");
}
END_TEST

START_TEST(a_database_with_a_log)
{
	check_database("WAL");
}
END_TEST

/* What looks like a database and is none counts by its bytes; so does what only has a name like a log's. */
START_TEST(no_database)
{
	stage s;
	char first[65], second[65], path[512];
	static const char head[] = "SQLite format 3";
	set_up(&s);
	path_in(&s, "odd.db", path);
	ck_assert_int_eq(as_file_write(path, (assay_str){head, sizeof head}, NULL), 0);
	digest(&s, first);
	put(s.p.work, "note-wal", "x");
	ck_assert_str_ne(digest(&s, second), first);
	put(s.p.work, "odd.db-wal", "x");
	digest(&s, first);
	put(s.p.work, "odd.db-wal", "y"); /* this one belongs to a database as far as anybody can tell */
	ck_assert_str_eq(digest(&s, second), first);
	tear_down(&s);
}
END_TEST

START_TEST(snapshots)
{
	stage s;
	char first[65], second[65], path[512];
	struct stat info;
	sqlite3 *db;
	set_up(&s);
	db = open_database(&s, "d.db");
	sql(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	digest(&s, first);
	ck_assert_int_eq(ops()->snapshot(s.self, &s.call.pub, s.state, "one", NULL), 0);
	for (int i = 0; i < 2; i++) { /* as often as one likes */
		db = open_database(&s, "d.db");
		sql(db, "INSERT INTO t VALUES (2)");
		ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
		put(s.p.work, "inner/new", "x");
		ck_assert_str_ne(digest(&s, second), first);
		ck_assert_int_eq(ops()->restore(s.self, &s.call.pub, s.state, "one", NULL), 0);
		ck_assert_str_eq(digest(&s, second), first);
	}
	path_in(&s, "a note.md", path);
	ck_assert_int_eq(stat(path, &info), 0);
	ck_assert_int_eq(info.st_mtim.tv_sec, 1000000);
	put(s.p.work, "a note.md", "later");
	digest(&s, first);
	ck_assert_int_eq(ops()->snapshot(s.self, &s.call.pub, s.state, "one", NULL), 0); /* in place of the other */
	put(s.p.work, "a note.md", "x");
	ck_assert_int_eq(ops()->restore(s.self, &s.call.pub, s.state, "one", NULL), 0);
	ck_assert_str_eq(digest(&s, second), first);
	tear_down(&s);
}
END_TEST

START_TEST(bad_snapshots)
{
	static const char *const names[] = {"", "../x", "a/b", "A", "x y", "0123456789012345678901234567890123"};
	stage s;
	char first[65], second[65];
	set_up(&s);
	digest(&s, first);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ck_assert_int_eq(ops()->snapshot(s.self, &s.call.pub, s.state, names[i], NULL), ASSAY_EINVAL);
		ck_assert_int_eq(ops()->restore(s.self, &s.call.pub, s.state, names[i], NULL), ASSAY_EINVAL);
	}
	ck_assert_int_lt(ops()->restore(s.self, &s.call.pub, s.state, "none", NULL), 0);
	ck_assert_str_eq(digest(&s, second), first); /* a copy that is not there takes nothing away */
	tear_down(&s);
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
	   a_template_that_is_gone, a_digest_of_files, a_digest_of_names, a_database_with_a_rollback_journal,
	   a_database_with_a_log, no_database, snapshots, bad_snapshots, out_of_memory)
UNIT_MAIN(make_suite)
