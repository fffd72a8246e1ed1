/* The store and what goes wrong with files, disks and processes. Every refusal is one line that says what was found. */
#include "tests/unit/store_kit.h"

#include "core/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_us(long us)
{
	const struct timespec t = {us / 1000000, us % 1000000 * 1000};
	nanosleep(&t, NULL);
}

static void refused(const struct kit *kit, uint32_t flags, int code, const char *message)
{
	assay_error err = {0};
	as_store *s = NULL;
	int rc = as_store_open(kit->path, flags, &s, &err);
	ck_assert_msg(rc == code && strcmp(err.message, message) == 0, "%d %s", rc, err.message);
	ck_assert_ptr_null(s);
	ck_assert_str_eq(err.where, kit->path);
	ck_assert_int_eq(as_store_open(kit->path, flags, &s, NULL), code);
}

static void write_file(const struct kit *kit, assay_str bytes)
{
	ck_assert_int_eq(as_file_write(kit->path, bytes, NULL), 0);
}

static void raw(const struct kit *kit, const char *sql)
{
	sqlite3 *db = NULL;
	ck_assert_int_eq(sqlite3_open(kit->path, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static void put_some(as_store *s, long first, long n)
{
	struct kit_attempt a;
	assay_error err = {0};
	for (long i = first; i < first + n; i++) {
		kit_attempt(&a, i, ASSAY_STR("{\"trace\":\"0123456789012345678901234567890123456789\"}"));
		ck_assert_msg(as_store_put_attempt(s, &a.row, &err) == 0, "%s", err.message);
	}
}

static void make_store(const struct kit *kit, long attempts)
{
	as_store *s = kit_store(kit, AS_STORE_CREATE);
	put_some(s, 0, attempts);
	as_store_close(s);
}

static int on_attempt(void *payload, const as_attempt_row *row, assay_error *err)
{
	(void)err;
	(void)row;
	++*(long *)payload;
	return 0;
}

static long count_attempts(as_store *s)
{
	long n = 0;
	assay_error err = {0};
	ck_assert_msg(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &n, &err) == 0, "%s", err.message);
	return n;
}

START_TEST(test_not_a_store)
{
	struct kit kit;
	assay_error err = {0};
	as_store *s = NULL;
	kit_open(&kit);
	ck_assert_int_eq(as_store_open("", AS_STORE_CREATE, &s, &err), ASSAY_EINVAL);
	ck_assert_int_eq(as_store_open(kit.path, AS_STORE_CREATE | AS_STORE_READ_ONLY, &s, NULL), ASSAY_EINVAL);
	refused(&kit, 0, ASSAY_ENOENT, "cannot open the store: No such file or directory");
	write_file(&kit, ASSAY_STR(""));
	refused(&kit, 0, ASSAY_EDATA, "not an Assay store: the file is empty");
	refused(&kit, AS_STORE_READ_ONLY, ASSAY_EDATA, "not an Assay store: the file is empty");
	write_file(&kit, ASSAY_STR("{\"assay\":1}"));
	refused(&kit, 0, ASSAY_EDATA, "not an Assay store: no SQLite database");
	char text[8192];
	memset(text, 'x', sizeof text);
	write_file(&kit, (assay_str){text, sizeof text});
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "not an Assay store: no SQLite database");
	ck_assert_int_eq(unlink(kit.path), 0);
	ck_assert_int_eq(mkdir(kit.path, 0755), 0);
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "not an Assay store: a folder, expected a file");
	ck_assert_int_eq(rmdir(kit.path), 0);
	ck_assert_int_eq(mkfifo(kit.path, 0600), 0);
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "not an Assay store: no regular file");
	ck_assert_int_eq(unlink(kit.path), 0);
	raw(&kit, "CREATE TABLE t (a)");
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "not an Assay store: a SQLite database of another program");
	snprintf(kit.path, sizeof kit.path, "%s/no/folder/t.db", kit.folder.ptr);
	refused(&kit, AS_STORE_CREATE, ASSAY_ENOENT, "cannot create the store: No such file or directory");
	kit_close(&kit);
}
END_TEST

START_TEST(test_versions)
{
	struct kit kit;
	kit_open(&kit);
	raw(&kit, "VACUUM");
	raw(&kit, "CREATE TABLE t (a); DROP TABLE t;"); /* a database with nothing in it */
	refused(&kit, 0, ASSAY_EDATA, "not an Assay store: an empty database");
	make_store(&kit, 1);
	raw(&kit, "PRAGMA user_version = 7");
	refused(&kit, 0, ASSAY_EDATA, "the store has schema 7, this program knows schemas up to 2");
	raw(&kit, "PRAGMA user_version = 0");
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "the store is damaged: schema 0");
	raw(&kit, "PRAGMA user_version = 1");
	refused(&kit, AS_STORE_CREATE, ASSAY_EDATA, "the store has schema 1, this program makes schema 2");
	raw(&kit, "PRAGMA user_version = 2");
	as_store *s = kit_store(&kit, 0);
	ck_assert_int_eq(count_attempts(s), 1);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

START_TEST(test_names_are_only_names)
{
	static const char *const names[] = {":memory:", "file:x?mode=memory", "a b%41#?&\xC3\xA9.db", "%", "-x"};
	struct kit kit;
	kit_open(&kit);
	ck_assert_int_eq(chdir(kit.folder.ptr), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(kit.path, sizeof kit.path, "%s", names[i]);
		make_store(&kit, 1);
		ck_assert(as_file_exists(names[i]));
		snprintf(kit.path, sizeof kit.path, "%s//%s", kit.folder.ptr, names[i]);
		as_store *s = kit_store(&kit, AS_STORE_READ_ONLY);
		ck_assert_int_eq(count_attempts(s), 1);
		as_store_close(s);
	}
	ck_assert_int_eq(chdir("/"), 0);
	kit_close(&kit);
}
END_TEST

START_TEST(test_read_only)
{
	struct kit kit;
	struct kit_attempt a;
	assay_error err = {0};
	kit_open(&kit);
	make_store(&kit, 3);
	as_store *s = kit_store(&kit, AS_STORE_READ_ONLY);
	ck_assert_int_eq(count_attempts(s), 3);
	kit_attempt(&a, 9, ASSAY_STR("{}"));
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "the store is open for reading only");
	ck_assert_int_eq(as_store_lock(s, NULL), ASSAY_EINVAL);
	as_store *writer = kit_store(&kit, 0); /* reading does not keep others from writing */
	put_some(writer, 3, 1);
	ck_assert_int_eq(count_attempts(s), 4);
	as_store_close(writer);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

/* Run fn in a process that is not root, as root may write everywhere. */
static void as_nobody(void (*fn)(const struct kit *kit), const struct kit *kit)
{
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
			_exit(0);
		}
		fn(kit);
		_exit(0);
	}
	int status = 0;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* In a child process ck_assert would only be heard by its exit status. */
#define CHILD_CHECK(condition)                                                                                         \
	if (!(condition)) {                                                                                            \
		fprintf(stderr, "# line %d: %s\n", __LINE__, #condition);                                              \
		_exit(1);                                                                                              \
	}

static void in_locked_folder(const struct kit *kit)
{
	assay_error err = {0};
	as_store *s = NULL;
	long n = 0;
	CHILD_CHECK(as_store_open(kit->path, 0, &s, &err) == ASSAY_EIO)
	CHILD_CHECK(strcmp(err.message, "cannot write the store: Permission denied") == 0 ||
		    strcmp(err.message, "cannot open the store: Permission denied") == 0)
	CHILD_CHECK(strcmp(err.where, kit->path) == 0)
	as_error_clear(&err);
	CHILD_CHECK(as_store_open(kit->path, AS_STORE_READ_ONLY, &s, &err) == 0)
	CHILD_CHECK(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &n, &err) == 0 && n == 3)
	as_store_close(s);
	char other[600];
	snprintf(other, sizeof other, "%s2", kit->path);
	CHILD_CHECK(as_store_open(other, AS_STORE_CREATE, &s, &err) == ASSAY_EIO)
	CHILD_CHECK(strcmp(err.message, "cannot create the store: Permission denied") == 0)
}

START_TEST(test_read_only_folder)
{
	struct kit kit;
	kit_open(&kit);
	make_store(&kit, 3);
	ck_assert_int_eq(chmod(kit.folder.ptr, 0555), 0);
	as_nobody(in_locked_folder, &kit); /* file of another owner */
	ck_assert_int_eq(chmod(kit.path, 0666), 0);
	as_nobody(in_locked_folder, &kit); /* file writable, folder not */
	ck_assert_int_eq(chmod(kit.folder.ptr, 0755), 0);
	kit_close(&kit);
}
END_TEST

/* Whatever is done with a damaged store ends, and fails, if it fails, as EDATA. */
static void use_damaged(const struct kit *kit)
{
	assay_error err = {0};
	as_store *s = NULL;
	struct kit_attempt a;
	long n = 0;
	int rc = as_store_open(kit->path, 0, &s, &err);
	if (rc == 0) {
		rc = as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &n, &err);
	}
	if (rc == 0) {
		kit_attempt(&a, 5, ASSAY_STR("{}"));
		rc = as_store_put_attempt(s, &a.row, &err);
	}
	as_store_close(s);
	ck_assert_msg(rc == 0 || (rc == ASSAY_EDATA && err.message[0]), "%d %s", rc, err.message);
}

START_TEST(test_damage)
{
	struct kit kit;
	assay_text good;
	kit_open(&kit);
	make_store(&kit, 400);
	ck_assert_int_eq(as_file_read(kit.path, (size_t)1 << 24, &good, NULL), 0);
	write_file(&kit, (assay_str){good.ptr, good.len / 2});
	refused(&kit, 0, ASSAY_EDATA, "the store is damaged: database disk image is malformed");
	write_file(&kit, (assay_str){good.ptr, 50});
	refused(&kit, 0, ASSAY_EDATA, "the store is damaged: database disk image is malformed");
	char *bad = malloc(good.len);
	ck_assert_ptr_nonnull(bad);
	unsigned long state = 12345;
	for (int round = 0; round < 150; round++) {
		memcpy(bad, good.ptr, good.len);
		for (int i = 0; i < 40; i++) {
			state = state * 6364136223846793005UL + 1442695040888963407UL;
			/* half of them in the first pages, where the schema is */
			size_t span = i % 2 == 0 ? good.len : 16384;
			bad[(state >> 20) % span] = (char)(state >> 56);
		}
		write_file(&kit, (assay_str){bad, good.len});
		use_damaged(&kit);
	}
	/* A whole page in the middle. */
	memcpy(bad, good.ptr, good.len);
	memset(bad + good.len / 2 / 4096 * 4096, 0xAA, 4096);
	write_file(&kit, (assay_str){bad, good.len});
	use_damaged(&kit);
	free(bad);
	as_text_free(&good);
	kit_close(&kit);
}
END_TEST

START_TEST(test_hostile_schema)
{
	struct kit kit;
	struct kit_attempt a;
	assay_error err = {0};
	long n = 0;
	kit_open(&kit);
	make_store(&kit, 2);
	raw(&kit, "CREATE TRIGGER t AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END;"
		  "DROP VIEW v_timing; DROP TABLE timing;"
		  "DROP VIEW v_tasks; DROP VIEW v_attempts; DROP VIEW v_verdicts; DROP TABLE tasks;"
		  "CREATE VIEW tasks AS WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e)"
		  " SELECT 'r' AS run_id, x AS task_id, x AS category, x AS slot FROM e;");
	as_store *s = kit_store(&kit, 0);
	kit_attempt(&a, 9, ASSAY_STR("{}"));
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), 0);
	ck_assert_int_eq(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &n, &err), ASSAY_EDATA);
	ck_assert(as_str_starts(as_str(err.message), ASSAY_STR("the store is damaged: ")));
	as_error_clear(&err);
	ck_assert_int_eq(as_store_put_timing(s, ASSAY_STR("r"), ASSAY_STR("x"), "call", 0, 1, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.message, "the store is damaged: no such table: timing");
	as_store_close(s);
	raw(&kit, "DROP TRIGGER t; DROP VIEW tasks;"
		  "CREATE TABLE tasks (run_id TEXT, task_id TEXT, category TEXT, slot INTEGER) STRICT");
	s = kit_store(&kit, 0);
	ck_assert_int_eq(count_attempts(s), 3); /* the trigger did not run */
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static void fill_disk(const struct kit *kit)
{
	struct rlimit limit;
	struct kit_attempt a;
	assay_error err = {0};
	as_store *s = NULL;
	char trace[10000];
	long n = 0, listed = 0;
	int rc = 0;
	memset(trace, 't', sizeof trace);
	signal(SIGXFSZ, SIG_IGN);
	CHILD_CHECK(as_store_open(kit->path, AS_STORE_CREATE, &s, &err) == 0)
	CHILD_CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0)
	const rlim_t before = limit.rlim_cur;
	limit.rlim_cur = 2000000;
	CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0)
	for (; n < 1000 && rc == 0; n++) {
		kit_attempt(&a, n, (assay_str){trace, sizeof trace});
		rc = as_store_put_attempt(s, &a.row, &err);
	}
	n--;
	CHILD_CHECK(rc == ASSAY_EIO && n > 50)
	CHILD_CHECK(strcmp(err.message, "cannot write the store: File too large") == 0 && err.detail == EFBIG)
	CHILD_CHECK(err.hint[0] != '\0' && strcmp(err.where, kit->path) == 0)
	CHILD_CHECK(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &listed, NULL) == 0 && listed == n)
	limit.rlim_cur = before; /* there is room again: the same store goes on */
	CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0)
	CHILD_CHECK(as_store_put_attempt(s, &a.row, NULL) == 0)
	listed = 0;
	CHILD_CHECK(as_store_attempts(s, ASSAY_STR("r"), true, on_attempt, &listed, NULL) == 0 && listed == n + 1)
	as_store_close(s);
}

START_TEST(test_disk_full)
{
	struct kit kit;
	kit_open(&kit);
	ck_assert_int_eq(chmod(kit.folder.ptr, 0777), 0);
	as_nobody(fill_disk, &kit);
	raw(&kit, "PRAGMA integrity_check");
	kit_close(&kit);
}
END_TEST

START_TEST(test_other_writer)
{
	struct kit kit;
	struct kit_attempt a;
	assay_error err = {0};
	sqlite3 *db = NULL;
	kit_open(&kit);
	as_store *s = kit_store(&kit, AS_STORE_CREATE);
	ck_assert_int_eq(sqlite3_open(kit.path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	kit_attempt(&a, 1, ASSAY_STR("{}"));
	int64_t start = as_now_ms();
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, &err), ASSAY_EAGAIN);
	ck_assert_str_eq(err.message, "another process has been writing to the store for over 10 s");
	ck_assert_uint_eq(err.flags, ASSAY_ERR_RETRYABLE);
	int64_t waited = as_now_ms() - start;
	ck_assert_int_ge(waited, 9000);
	ck_assert_int_le(waited, 15000);
	ck_assert_int_eq(count_attempts(s), 0); /* reading goes on */
	ck_assert_int_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(as_store_put_attempt(s, &a.row, NULL), 0);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

/* Several processes make and fill the same store at the same time. */
START_TEST(test_shared_creation)
{
	struct kit kit;
	pid_t pids[6];
	kit_open(&kit);
	for (int i = 0; i < 6; i++) {
		pids[i] = fork();
		ck_assert_int_ge(pids[i], 0);
		if (pids[i] == 0) {
			assay_error err = {0};
			struct kit_attempt a;
			as_store *s = NULL;
			int rc = as_store_open(kit.path, AS_STORE_CREATE, &s, &err);
			for (long n = 0; n < 20 && rc == 0; n++) {
				kit_attempt(&a, i * 100 + n, ASSAY_STR("{}"));
				rc = as_store_put_attempt(s, &a.row, &err);
			}
			as_store_close(s);
			fprintf(stderr, "%s%s%s", rc ? "# " : "", err.message, rc ? "\n" : "");
			_exit(rc == 0 ? 0 : 1);
		}
	}
	for (int i = 0; i < 6; i++) {
		int status = 0;
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(status, 0);
	}
	as_store *s = kit_store(&kit, 0);
	ck_assert_int_eq(count_attempts(s), 120);
	as_store_close(s);
	kit_close(&kit);
}
END_TEST

static pid_t lock_in_child(const struct kit *kit)
{
	int ready[2];
	char byte = 0;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		as_store *s = NULL;
		CHILD_CHECK(as_store_open(kit->path, 0, &s, NULL) == 0)
		CHILD_CHECK(as_store_lock(s, NULL) == 0)
		CHILD_CHECK(write(ready[1], "x", 1) == 1)
		for (;;) {
			pause();
		}
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

START_TEST(test_lock)
{
	struct kit kit, link;
	assay_error err = {0};
	char expected[128];
	kit_open(&kit);
	make_store(&kit, 1);
	pid_t pid = lock_in_child(&kit);
	link = kit;
	snprintf(link.path, sizeof link.path, "%s/link.db", kit.folder.ptr);
	ck_assert_int_eq(symlink(kit.path, link.path), 0);
	as_store *s = kit_store(&link, 0); /* the same store by another name */
	ck_assert_int_eq(as_store_lock(s, &err), ASSAY_EAGAIN);
	snprintf(expected, sizeof expected, "process %ld is working on this store", (long)pid);
	ck_assert_str_eq(err.message, expected);
	ck_assert_str_eq(err.where, link.path);
	put_some(s, 1, 1); /* the lock is for those who ask for it */
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(as_store_lock(s, NULL), 0);
	ck_assert_int_eq(as_store_lock(s, NULL), 0);
	as_store *second = kit_store(&kit, 0);
	as_error_clear(&err);
	ck_assert_int_eq(as_store_lock(second, &err), ASSAY_EAGAIN);
	snprintf(expected, sizeof expected, "process %ld is working on this store", (long)getpid());
	ck_assert_str_eq(err.message, expected);
	as_store_close(s);
	ck_assert_int_eq(as_store_lock(second, NULL), 0);
	as_store_close(second);
	snprintf(expected, sizeof expected, "%.100s-lock", kit.path);
	ck_assert(!as_file_exists(expected));
	kit_close(&kit);
}
END_TEST

/* Whoever got the lock must be alone; eight processes take turns. */
START_TEST(test_lock_race)
{
	struct kit kit;
	char guard[600];
	kit_open(&kit);
	make_store(&kit, 1);
	snprintf(guard, sizeof guard, "%s/guard", kit.folder.ptr);
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			for (int turn = 0; turn < 40; turn++) {
				as_store *s = NULL;
				CHILD_CHECK(as_store_open(kit.path, 0, &s, NULL) == 0)
				if (as_store_lock(s, NULL) == 0) {
					int fd = open(guard, O_CREAT | O_EXCL | O_WRONLY, 0600);
					CHILD_CHECK(fd >= 0)
					close(fd);
					CHILD_CHECK(unlink(guard) == 0)
				}
				as_store_close(s);
			}
			_exit(0);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status = 0;
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	kit_close(&kit);
}
END_TEST

/* Puts attempts for ever and tells the number of each one that was committed. */
static void put_for_ever(const struct kit *kit, long first, int told)
{
	struct kit_attempt a;
	as_store *s = NULL;
	char trace[6000];
	memset(trace, 't', sizeof trace);
	CHILD_CHECK(as_store_open(kit->path, AS_STORE_CREATE, &s, NULL) == 0)
	for (long n = first;; n++) {
		kit_attempt(&a, n, (assay_str){trace, (size_t)(n * 97 % (long)sizeof trace)});
		CHILD_CHECK(as_store_put_attempt(s, &a.row, NULL) == 0)
		CHILD_CHECK(write(told, &n, sizeof n) == (ssize_t)sizeof n)
	}
}

/* The last number that a child told before it was killed after `us`, or `last`. */
static long kill_putting(const struct kit *kit, long last, long us)
{
	int told[2];
	long n = 0;
	ck_assert_int_eq(pipe(told), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		put_for_ever(kit, last + 1, told[1]);
	}
	close(told[1]);
	if (us % 2 == 0) { /* else it may be killed while it opens */
		ck_assert_int_eq(read(told[0], &n, sizeof n), sizeof n);
		last = n;
	}
	pause_us(us);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	while (read(told[0], &n, sizeof n) == (ssize_t)sizeof n) {
		last = n;
	}
	close(told[0]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	return last;
}

START_TEST(test_kill)
{
	struct kit kit;
	long last = -1;
	unsigned long state = 99;
	kit_open(&kit);
	for (int round = 0; round < 30; round++) {
		state = state * 6364136223846793005UL + 1442695040888963407UL;
		last = kill_putting(&kit, last, (long)(state >> 33) % 40000);
		as_store *s = kit_store(&kit, AS_STORE_CREATE);
		long n = count_attempts(s);
		/* All that was told, and at most one more: committed, but not told any more. */
		ck_assert_msg(n == last + 1 || n == last + 2, "%ld after %ld", n, last);
		last = n - 1;
		as_store_close(s);
		sqlite3 *db = NULL;
		sqlite3_stmt *stmt = NULL;
		ck_assert_int_eq(sqlite3_open(kit.path, &db), SQLITE_OK);
		ck_assert_int_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL), SQLITE_OK);
		ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
		ck_assert_str_eq((const char *)sqlite3_column_text(stmt, 0), "ok");
		sqlite3_finalize(stmt);
		ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	}
	ck_assert_int_gt(last, 100);
	kit_close(&kit);
}
END_TEST

UNIT_SUITE(store_faults_suite, "store_faults", test_not_a_store, test_versions, test_names_are_only_names,
	   test_read_only, test_read_only_folder, test_damage, test_hostile_schema, test_disk_full, test_other_writer,
	   test_shared_creation, test_lock, test_lock_race, test_kill)
UNIT_MAIN(store_faults_suite)
