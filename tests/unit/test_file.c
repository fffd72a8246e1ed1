#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A folder of the test's own, and paths in it. */
static as_buf home;
static as_buf joined[4];
static unsigned turn;

static void setup(void)
{
	ck_assert_int_eq(as_make_temp_dir(TEST_BUILDDIR, "test-file-", &home, NULL), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(as_remove_tree(home.ptr, NULL), 0);
	ck_assert(!as_dir_exists(home.ptr));
	as_buf_free(&home);
	for (size_t i = 0; i < 4; i++) {
		as_buf_free(&joined[i]);
	}
}

static const char *in(const char *name) /* good for the next three calls */
{
	as_buf *b = &joined[turn++ % 4];
	as_buf_clear(b);
	as_path_join(b, as_buf_str(&home), as_str(name));
	return b->ptr;
}

static void put(const char *name, const char *text)
{
	ck_assert_int_eq(as_file_write(in(name), as_str(text), NULL), 0);
}

static void check_content(const char *name, const char *text)
{
	assay_text t = {0};
	ck_assert_int_eq(as_file_read(in(name), 1000, &t, NULL), 0);
	ck_assert_str_eq(t.ptr, text);
	ck_assert_uint_eq(t.len, strlen(text));
	as_text_free(&t);
}

static size_t count_entries(const char *path)
{
	size_t n = 0;
	DIR *d = opendir(path);
	ck_assert_ptr_nonnull(d);
	while (readdir(d)) {
		n++;
	}
	closedir(d);
	return n - 2; /* "." and ".." */
}

START_TEST(test_write_and_read)
{
	assay_error err = {0};
	assay_text t = {0};
	mode_t mask = umask(027);
	put("a", "hello");
	umask(mask);
	check_content("a", "hello");
	struct stat st;
	ck_assert_int_eq(stat(in("a"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	put("a", "");
	check_content("a", "");
	ck_assert_int_eq(as_file_write(in("zero"), (assay_str){"a\0b", 3}, NULL), 0);
	ck_assert_int_eq(as_file_read(in("zero"), 3, &t, NULL), 0);
	ck_assert_uint_eq(t.len, 3);
	ck_assert_int_eq(memcmp(t.ptr, "a\0b", 4), 0);
	as_text_free(&t);
	ck_assert_int_eq(as_file_read(in("zero"), SIZE_MAX, &t, NULL), 0);
	as_text_free(&t);
	ck_assert_int_eq(as_file_read(in("zero"), 2, &t, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "is larger than 2 bytes");
	ck_assert_ptr_nonnull(strstr(err.where, "/zero"));
	ck_assert_ptr_null(t.ptr);
	ck_assert_int_eq(as_file_read(in("zero"), 2, &t, NULL), ASSAY_ELIMIT);
	ck_assert_uint_eq(count_entries(home.ptr), 2); /* no temporary file is left */
}
END_TEST

START_TEST(test_read_large)
{
	assay_text t = {0};
	size_t n = 3000001;
	char *bytes = malloc(n);
	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < n; i++) {
		bytes[i] = (char)(i * 7 + i / 251);
	}
	ck_assert_int_eq(as_file_write(in("big"), (assay_str){bytes, n}, NULL), 0);
	ck_assert_int_eq(as_file_read(in("big"), n, &t, NULL), 0);
	ck_assert_uint_eq(t.len, n);
	ck_assert_int_eq(memcmp(t.ptr, bytes, n), 0);
	as_text_free(&t);
	ck_assert_int_eq(as_file_read(in("big"), n - 1, &t, NULL), ASSAY_ELIMIT);
	ck_assert_int_eq(as_file_read("/proc/self/status", 1 << 20, &t, NULL), 0); /* says that its size is 0 */
	ck_assert(t.len > 100);
	as_text_free(&t);
	free(bytes);
}
END_TEST

START_TEST(test_read_refuses)
{
	assay_error err = {0};
	assay_text t = {0};
	ck_assert_int_eq(as_file_read(in("none"), 10, &t, &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.where, "/none"));
	as_error_clear(&err);
	ck_assert_int_eq(as_file_read(home.ptr, 10, &t, &err), ASSAY_EDATA);
	ck_assert_str_eq(err.message, "is a folder, expected a regular file");
	as_error_clear(&err);
	ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
	ck_assert_int_eq(as_file_read(in("fifo"), 10, &t, &err), ASSAY_EDATA); /* and does not wait for a writer */
	ck_assert_str_eq(err.message, "is a device or pipe, expected a regular file");
	ck_assert_int_eq(as_file_read("/dev/zero", 10, &t, NULL), ASSAY_EDATA);
	ck_assert_ptr_null(t.ptr);
}
END_TEST

START_TEST(test_write_refuses)
{
	assay_error err = {0};
	put("a", "old");
	ck_assert_int_eq(as_file_write(in("no/a"), ASSAY_STR("x"), &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.where, "/no/a"));
	as_error_clear(&err);
	ck_assert_int_eq(as_file_write(home.ptr, ASSAY_STR("x"), &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "is a folder, expected a regular file or nothing");
	as_error_clear(&err);
	ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
	ck_assert_int_eq(as_file_write(in("fifo"), ASSAY_STR("x"), &err), ASSAY_EINVAL);
	ck_assert_int_eq(as_file_write("/dev/null", ASSAY_STR("x"), NULL), ASSAY_EINVAL);
	ck_assert_int_eq(as_file_write("", ASSAY_STR("x"), NULL), ASSAY_ENOENT);

	char name[300];
	memset(name, 'n', sizeof name);
	name[255] = '\0'; /* the longest name there is: the temporary file beside it needs a shorter one */
	put(name, "long");
	check_content(name, "long");
	name[255] = 'n';
	name[256] = '\0';
	as_error_clear(&err);
	ck_assert_int_eq(as_file_write(in(name), ASSAY_STR("x"), &err), ASSAY_EIO);
	ck_assert_int_eq(err.detail, ENAMETOOLONG);
	ck_assert_uint_eq(count_entries(home.ptr), 3);
	check_content("a", "old");
}
END_TEST

START_TEST(test_write_keeps_rights)
{
	static const mode_t kept[] = {0600, 0644, 0444, 0660};
	struct stat st;
	put("f", "old");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		ck_assert_int_eq(chmod(in("f"), kept[i]), 0);
		put("f", "new");
		ck_assert_int_eq(stat(in("f"), &st), 0);
		ck_assert_uint_eq(st.st_mode & 0777, kept[i]);
	}
}
END_TEST

START_TEST(test_write_follows_a_link)
{
	put("real", "old");
	ck_assert_int_eq(symlink("real", in("link")), 0);
	put("link", "new");
	check_content("real", "new");
	struct stat st;
	ck_assert_int_eq(lstat(in("link"), &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_int_eq(symlink("nowhere", in("dangling")), 0);
	ck_assert_int_eq(as_file_write(in("dangling"), ASSAY_STR("x"), NULL), ASSAY_ENOENT);
}
END_TEST

/* A limit on the size of files fails where a full disk does. Check runs each test in a process of its own. */
static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(test_disk_full)
{
	assay_error err = {0};
	static const char big[5000];
	put("a", "old");
	ck_assert_int_eq(mkdir(in("tree"), 0777), 0);
	ck_assert_int_eq(as_file_write(in("tree/big"), (assay_str){big, sizeof big}, NULL), 0);
	/* No check while the limit is on: Check itself writes a file. */
	limit_file_size(1000);
	int written = as_file_write(in("a"), (assay_str){big, sizeof big}, &err);
	limit_file_size(RLIM_INFINITY);
	size_t entries = count_entries(home.ptr);
	assay_error copy_err = {0};
	limit_file_size(1000);
	int copied = as_copy_tree(in("tree"), in("copy"), &copy_err);
	limit_file_size(RLIM_INFINITY);
	ck_assert_int_eq(written, ASSAY_EIO);
	ck_assert_int_eq(err.detail, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.where, "/a"));
	check_content("a", "old");
	ck_assert_uint_eq(entries, 2); /* nothing half-written beside it */
	ck_assert_int_eq(copied, ASSAY_EIO);
	ck_assert_int_eq(copy_err.detail, EFBIG);
	ck_assert_ptr_nonnull(strstr(copy_err.where, "/tree/big"));
}
END_TEST

START_TEST(test_make_dirs)
{
	assay_error err = {0};
	ck_assert_int_eq(as_make_dirs(in("x/y//z/"), NULL), 0);
	ck_assert(as_dir_exists(in("x/y/z")));
	ck_assert_int_eq(as_make_dirs(in("x/y/z"), NULL), 0);
	ck_assert_int_eq(as_make_dirs("/", NULL), 0);
	put("f", "");
	ck_assert(as_file_exists(in("f")) && !as_dir_exists(in("f")));
	ck_assert(!as_file_exists(in("x")) && !as_file_exists(in("none")));
	ck_assert_int_eq(as_make_dirs(in("f"), &err), ASSAY_EIO);
	ck_assert_int_eq(err.detail, ENOTDIR);
	ck_assert_int_eq(as_make_dirs(in("f/g"), NULL), ASSAY_EIO);
	ck_assert_int_eq(as_make_dirs("", NULL), ASSAY_ENOENT);
}
END_TEST

START_TEST(test_temp_dir)
{
	as_buf a = {0}, b = {0};
	struct stat st;
	assay_error err = {0};
	ck_assert_int_eq(as_make_temp_dir(home.ptr, "p-", &a, NULL), 0);
	ck_assert_int_eq(as_make_temp_dir(home.ptr, "p-", &b, NULL), 0);
	ck_assert_str_ne(a.ptr, b.ptr);
	ck_assert_int_eq(stat(a.ptr, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
	ck_assert_int_eq(as_make_temp_dir(in("none"), "p", &a, &err), ASSAY_ENOENT);
	as_buf_free(&a);
	as_buf_free(&b);
}
END_TEST

static void check_join(const char *a, const char *b, const char *expected)
{
	as_buf out = {0};
	as_path_join(&out, as_str(a), as_str(b));
	ck_assert_str_eq(as_buf_str(&out).ptr, expected);
	as_buf_free(&out);
}

static void check_split(const char *path, const char *dir, const char *base)
{
	assay_str d = as_path_dir(as_str(path)), b = as_path_base(as_str(path));
	ck_assert_msg(as_str_is(d, dir), "dir of %s: %.*s", path, ASSAY_FMT(d));
	ck_assert_msg(as_str_is(b, base), "base of %s: %.*s", path, ASSAY_FMT(b));
}

START_TEST(test_paths)
{
	check_join("a", "b", "a/b");
	check_join("a/", "b", "a/b");
	check_join("a", "/b", "/b");
	check_join("", "b", "b");
	check_join("/", "b", "/b");
	check_join("a", "", "a");
	check_split("a/b", "a", "b");
	check_split("a", ".", "a");
	check_split("/a", "/", "a");
	check_split("/a/", "/", "a");
	check_split("a//b///", "a", "b");
	check_split("/", "/", "/");
	check_split("//", "/", "/");
	check_split("", ".", "");
}
END_TEST

static void check_absolute(const char *path, const char *expected)
{
	as_buf out = {0};
	ck_assert_int_eq(as_path_absolute(path, &out, NULL), 0);
	ck_assert_str_eq(out.ptr, expected);
	as_buf_free(&out);
}

START_TEST(test_absolute)
{
	as_buf expected = {0};
	check_absolute("/", "/");
	check_absolute("/nowhere/../..", "/");
	check_absolute("/nowhere/./a//b/../c/", "/nowhere/a/c");
	ck_assert_int_eq(chdir(home.ptr), 0);
	char *real = realpath(".", NULL);
	ck_assert_ptr_nonnull(real);
	check_absolute(".", real);
	as_path_join(&expected, as_str(real), ASSAY_STR("new/file"));
	check_absolute("new/./x/../file", expected.ptr);
	as_buf_free(&expected);
	free(real);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

struct seen {
	as_buf names;
	size_t stop_after, n;
};

static int note(void *payload, const char *relative, const char *path, assay_error *err)
{
	struct seen *s = payload;
	ck_assert(as_file_exists(path));
	as_buf_printf(&s->names, "%s;", relative);
	return ++s->n == s->stop_after ? as_fail(err, ASSAY_ELIMIT, "enough") : 0;
}

START_TEST(test_walk)
{
	struct seen s = {{0}, 0, 0};
	assay_error err = {0};
	static const char *const files[] = {"a/x", "a-b", "a.b", "a0", "B", "a/b/c", "a!/z", "\xff", "a/\xc3\xa9"};
	ck_assert_int_eq(as_make_dirs(in("a/b"), NULL), 0);
	ck_assert_int_eq(as_make_dirs(in("a!"), NULL), 0);
	ck_assert_int_eq(as_make_dirs(in("empty"), NULL), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		put(files[i], "");
	}
	ck_assert_int_eq(symlink("a", in("link")), 0);
	ck_assert_int_eq(symlink("B", in("file-link")), 0);
	ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
	ck_assert_int_eq(as_walk(home.ptr, note, &s, NULL), 0);
	ck_assert_str_eq(s.names.ptr, "B;a!/z;a-b;a.b;a/b/c;a/x;a/\xc3\xa9;a0;\xff;");
	s.stop_after = s.n + 2;
	ck_assert_int_eq(as_walk(home.ptr, note, &s, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "enough");
	ck_assert_uint_eq(s.n, s.stop_after);
	as_error_clear(&err);
	ck_assert_int_eq(as_walk(in("none"), note, &s, &err), ASSAY_ENOENT);
	ck_assert_int_eq(as_walk(in("B"), note, &s, NULL), ASSAY_EIO);
	as_buf_free(&s.names);
}
END_TEST

static void set_time(const char *name, time_t seconds, long ns)
{
	const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = seconds, .tv_nsec = ns}};
	ck_assert_int_eq(utimensat(AT_FDCWD, in(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static void check_stat(const char *name, mode_t mode, time_t seconds, long ns)
{
	struct stat st;
	ck_assert_int_eq(lstat(in(name), &st), 0);
	ck_assert_msg((st.st_mode & 07777) == mode || S_ISLNK(st.st_mode), "%s has mode %o", name, st.st_mode & 07777);
	ck_assert_msg(st.st_mtim.tv_sec == seconds && st.st_mtim.tv_nsec == ns, "%s has another time", name);
}

START_TEST(test_copy)
{
	char target[16] = "";
	ck_assert_int_eq(as_make_dirs(in("from/sub/ro"), NULL), 0);
	put("from/f", "one");
	put("from/sub/ro/g", "two");
	ck_assert_int_eq(symlink("../f", in("from/sub/up")), 0);
	ck_assert_int_eq(symlink("sub/ro", in("from/down")), 0);
	ck_assert_int_eq(chmod(in("from/f"), 04751), 0);
	set_time("from/f", 1000000, 123456789);
	set_time("from/sub/up", 1000001, 1);
	set_time("from/sub/ro/g", 1000004, 4);
	set_time("from/sub/ro", 1000002, 2);
	ck_assert_int_eq(chmod(in("from/sub/ro/g"), 0444), 0);
	ck_assert_int_eq(chmod(in("from/sub/ro"), 0555), 0);
	set_time("from/sub", 1000003, 999999999);
	set_time("from", -5, 3);
	ck_assert_int_eq(as_copy_tree(in("from"), in("made/to"), NULL), 0);
	check_content("made/to/f", "one");
	check_content("made/to/down/g", "two");
	check_stat("made/to/f", 0751, 1000000, 123456789); /* without the set-id bit */
	check_stat("made/to/sub/up", 0777, 1000001, 1);
	check_stat("made/to/sub/ro", 0755, 1000002, 2); /* its owner may write it */
	check_stat("made/to/sub/ro/g", 0644, 1000004, 4);
	check_stat("made/to/sub", 0755, 1000003, 999999999);
	check_stat("made/to", 0755, -5, 3);
	ck_assert_int_eq(readlink(in("made/to/sub/up"), target, sizeof target), 4);
	ck_assert_int_eq(memcmp(target, "../f", 4), 0);
}
END_TEST

static void check_copy_refused(int code, const char *message, const char *where)
{
	assay_error err = {0};
	ck_assert_int_eq(as_copy_tree(in("from"), in("to"), &err), code);
	ck_assert_str_eq(err.message, message);
	ck_assert_msg(strstr(err.where, where) != NULL, "where is %s", err.where);
	ck_assert_int_eq(as_remove_tree(in("to"), NULL), 0);
}

static void check_link_refused(const char *target)
{
	ck_assert_int_eq(symlink(target, in("from/sub/link")), 0);
	check_copy_refused(ASSAY_EDATA, "is a link that may lead out of the folder", "/from/sub/link");
	ck_assert_int_eq(unlink(in("from/sub/link")), 0);
}

START_TEST(test_copy_refuses)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	ck_assert_int_eq(as_make_dirs(in("from/sub"), NULL), 0);
	check_link_refused("/etc/passwd");
	check_link_refused("../..");
	check_link_refused("../../x");
	check_link_refused("./.././/../x");
	check_link_refused("other/../../x"); /* "other" may be a link itself */
	ck_assert_int_eq(mkfifo(in("from/sub/fifo"), 0600), 0);
	check_copy_refused(ASSAY_EDATA, "is a device, socket or pipe, which cannot be copied", "/from/sub/fifo");
	ck_assert_int_eq(unlink(in("from/sub/fifo")), 0);

	ck_assert_int_eq(chdir(in("from/sub")), 0); /* the address of a socket must be short */
	memcpy(address.sun_path, "socket", 7);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
	close(fd);
	ck_assert_int_eq(chdir("/"), 0);
	check_copy_refused(ASSAY_EDATA, "is a device, socket or pipe, which cannot be copied", "/from/sub/socket");
}
END_TEST

START_TEST(test_copy_into)
{
	assay_error err = {0};
	put("a", "");
	ck_assert_int_eq(as_make_dirs(in("from"), NULL), 0);
	ck_assert_int_eq(as_copy_tree(in("from"), home.ptr, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "is not empty, expected a new or empty folder");
	as_error_clear(&err);
	ck_assert_int_eq(as_copy_tree(in("from"), in("a"), &err), ASSAY_EIO);
	as_error_clear(&err);
	ck_assert_int_eq(as_copy_tree(in("none"), in("to"), &err), ASSAY_ENOENT);
	ck_assert(!as_dir_exists(in("to")));
	as_error_clear(&err);
	ck_assert_int_eq(as_copy_tree(in("from"), in("from/in/itself"), &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "a folder cannot be copied into itself");
	ck_assert_int_eq(as_remove_tree(in("from/in"), NULL), 0);
	ck_assert_int_eq(as_copy_tree(in("from"), in("to"), NULL), 0);
	ck_assert_int_eq(as_copy_tree(in("from"), in("to"), NULL), 0); /* empty */
}
END_TEST

/* Folders in folders, far deeper than a path can name. */
static void dig(const char *name, int depth)
{
	int dir = open(in(name), O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < depth; i++) {
		ck_assert_int_eq(mkdirat(dir, "deep", 0755), 0);
		int sub = openat(dir, "deep", O_RDONLY | O_DIRECTORY);
		int file = openat(dir, "file", O_WRONLY | O_CREAT, 0644);
		ck_assert(sub >= 0 && file >= 0);
		close(file);
		close(dir);
		dir = sub;
	}
	close(dir);
}

START_TEST(test_deep)
{
	struct seen s = {{0}, 0, 0};
	assay_error err = {0};
	struct rlimit few;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	few.rlim_cur = 256;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(as_make_dirs(in("from"), NULL), 0);
	dig("from", 1500);
	ck_assert_int_eq(as_walk(home.ptr, note, &s, &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "folders are nested more than 100 deep");
	as_error_clear(&err);
	ck_assert_int_eq(as_copy_tree(in("from"), in("to"), &err), ASSAY_ELIMIT);
	ck_assert_int_eq(as_remove_tree(in("from"), &err), 0);
	ck_assert(!as_dir_exists(in("from")));
	as_buf_free(&s.names);
}
END_TEST

START_TEST(test_remove)
{
	assay_error err = {0};
	ck_assert_int_eq(as_remove_tree(in("none"), NULL), 0);
	ck_assert_int_eq(as_make_dirs(in("kept"), NULL), 0);
	put("kept/file", "x");
	ck_assert_int_eq(as_make_dirs(in("gone/ro/sub"), NULL), 0);
	put("gone/ro/file", "x");
	ck_assert_int_eq(symlink("../kept", in("gone/link")), 0);
	ck_assert_int_eq(mkfifo(in("gone/fifo"), 0600), 0);
	ck_assert_int_eq(chmod(in("gone/ro"), 0), 0);
	ck_assert_int_eq(as_remove_tree(in("gone"), &err), 0);
	ck_assert(!as_dir_exists(in("gone")));
	ck_assert_int_eq(symlink("kept", in("link")), 0);
	ck_assert_int_eq(as_remove_tree(in("link"), NULL), 0);
	check_content("kept/file", "x");
	ck_assert_int_eq(as_remove_tree(in("kept/file"), NULL), 0);
	ck_assert_uint_eq(count_entries(in("kept")), 0);
}
END_TEST

START_TEST(test_unreadable_folder)
{
	struct seen s = {{0}, 0, 0};
	assay_error err = {0};
	if (geteuid() == 0) { /* root reads everything: become somebody */
		ck_assert_int_eq(chown(home.ptr, 12345, 12345), 0);
		ck_assert_int_eq(setegid(12345), 0);
		ck_assert_int_eq(seteuid(12345), 0);
	}
	if (chdir(home.ptr) != 0 || access(home.ptr, W_OK) != 0) {
		goto out; /* the build tree is private */
	}
	ck_assert_int_eq(as_make_dirs("from/locked", NULL), 0);
	ck_assert_int_eq(chmod("from/locked", 0), 0);
	ck_assert_int_eq(as_walk("from", note, &s, &err), ASSAY_EIO);
	ck_assert_str_eq(err.where, "from/locked");
	ck_assert_int_eq(err.detail, EACCES);
	as_error_clear(&err);
	ck_assert_int_eq(as_copy_tree("from", "to", &err), ASSAY_EIO);
	ck_assert_str_eq(err.where, "from/locked");
	ck_assert_int_eq(as_remove_tree("from", NULL), 0);
	ck_assert(!as_dir_exists("from"));
out:
	if (getuid() == 0) {
		ck_assert_int_eq(seteuid(0), 0);
	}
	as_buf_free(&s.names);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {test_write_and_read,
				      test_read_large,
				      test_read_refuses,
				      test_write_refuses,
				      test_write_keeps_rights,
				      test_write_follows_a_link,
				      test_disk_full,
				      test_make_dirs,
				      test_temp_dir,
				      test_paths,
				      test_absolute,
				      test_walk,
				      test_copy,
				      test_copy_refuses,
				      test_copy_into,
				      test_deep,
				      test_remove,
				      test_unreadable_folder};
	Suite *s = suite_create("file");
	TCase *tcase = tcase_create("file");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		tcase_add_test(tcase, tests[i]);
	}
	suite_add_tcase(s, tcase);
	return s;
}
UNIT_MAIN(suite)
