/* The archive service, compiled in. Hostile archives are made with libarchive itself, which writes what it is told. */
#include "core/base/archive.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const as_archive_ops *service_archive_LTX_assay_service_v1(void);

static const as_archive_ops *ops;
static as_buf home;
static as_buf joined[4];
static unsigned turn;

static void setup(void)
{
	ops = service_archive_LTX_assay_service_v1();
	ck_assert_int_eq(unsetenv("SOURCE_DATE_EPOCH"), 0);
	ck_assert_int_eq(as_make_temp_dir(TEST_BUILDDIR, "test-archive-", &home, NULL), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(as_remove_tree(home.ptr, NULL), 0);
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
	assay_error err = {0};
	ck_assert_msg(as_file_read(in(name), 1 << 20, &t, &err) == 0, "%s: %s", name, err.message);
	ck_assert_str_eq(t.ptr, text);
	as_text_free(&t);
}

static assay_text read_file(const char *name)
{
	assay_text t = {0};
	ck_assert_int_eq(as_file_read(in(name), 64 << 20, &t, NULL), 0);
	return t;
}

static void make_tree(const char *root)
{
	char name[64];
	snprintf(name, sizeof name, "%s/sub/deep", root);
	ck_assert_int_eq(as_make_dirs(in(name), NULL), 0);
	snprintf(name, sizeof name, "%s/sub/deep/x", root);
	put(name, "x");
	snprintf(name, sizeof name, "%s/a", root);
	put(name, "alpha");
	snprintf(name, sizeof name, "%s/sub-b", root);
	put(name, "");
	snprintf(name, sizeof name, "%s/sub/caf\xc3\xa9", root);
	put(name, "utf-8");
}

static void check_pack(const char *root, const char *to)
{
	assay_error err = {0};
	ck_assert_msg(ops->pack(in(root), "rel-1.0", in(to), &err) == 0, "%s: %s", err.where, err.message);
}

START_TEST(test_round_trip)
{
	assay_error err = {0};
	ck_assert_uint_eq(ops->size, sizeof *ops);
	make_tree("tree");
	check_pack("tree", "out.tar.zst");
	ck_assert_int_eq(as_make_dirs(in("to"), NULL), 0);
	ck_assert_msg(ops->unpack(in("out.tar.zst"), in("to"), 100, 100, &err) == 0, "%s", err.message);
	check_content("to/rel-1.0/a", "alpha");
	check_content("to/rel-1.0/sub-b", "");
	check_content("to/rel-1.0/sub/deep/x", "x");
	check_content("to/rel-1.0/sub/caf\xc3\xa9", "utf-8");
}
END_TEST

START_TEST(test_equal_bytes)
{
	make_tree("one");
	make_tree("two");
	const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 2, .tv_nsec = 3}};
	ck_assert_int_eq(utimensat(AT_FDCWD, in("two/a"), old, 0), 0);
	ck_assert_int_eq(chmod(in("two/sub-b"), 0700), 0);
	ck_assert_int_eq(symlink("a", in("two/link")), 0); /* not a regular file: not packed */
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(in("two/a"), 1234, 1234), 0);
	}
	check_pack("one", "one.tar.zst");
	check_pack("two", "two.tar.zst");
	assay_text one = read_file("one.tar.zst"), two = read_file("two.tar.zst");
	ck_assert_uint_eq(one.len, two.len);
	ck_assert_int_eq(memcmp(one.ptr, two.ptr, one.len), 0);
	as_text_free(&two);
	ck_assert_int_eq(setenv("SOURCE_DATE_EPOCH", "1000000000", 1), 0);
	check_pack("one", "two.tar.zst");
	two = read_file("two.tar.zst");
	ck_assert(one.len != two.len || memcmp(one.ptr, two.ptr, one.len) != 0);
	as_text_free(&one);
	as_text_free(&two);
	ck_assert_int_eq(setenv("SOURCE_DATE_EPOCH", "yesterday", 1), 0);
	assay_error err = {0};
	ck_assert_int_eq(ops->pack(in("one"), "n", in("x"), &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.message, "SOURCE_DATE_EPOCH is \"yesterday\", expected seconds since 1970");
}
END_TEST

START_TEST(test_listing)
{
	/* As another reader sees it. */
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	as_buf list = {0};
	make_tree("tree");
	check_pack("tree", "out.tar.zst");
	ck_assert_int_eq(archive_read_support_filter_zstd(a), ARCHIVE_OK);
	ck_assert_int_eq(archive_read_support_format_tar(a), ARCHIVE_OK);
	ck_assert_int_eq(archive_read_open_filename(a, in("out.tar.zst"), 10240), ARCHIVE_OK);
	while (archive_read_next_header(a, &e) != ARCHIVE_EOF) {
		as_buf_printf(&list, "%s;", archive_entry_pathname(e));
		ck_assert_uint_eq(archive_entry_perm(e), 0644);
		ck_assert_int_eq(archive_entry_uid(e), 0);
		ck_assert_int_eq(archive_entry_gid(e), 0);
		ck_assert_int_eq(archive_entry_mtime(e), 0);
		ck_assert(!archive_entry_atime_is_set(e) && !archive_entry_ctime_is_set(e));
		ck_assert(!archive_entry_uname(e) || !*archive_entry_uname(e));
	}
	ck_assert_str_eq(list.ptr, "rel-1.0/a;rel-1.0/sub-b;rel-1.0/sub/caf\xc3\xa9;rel-1.0/sub/deep/x;");
	as_buf_free(&list);
	archive_read_free(a);
}
END_TEST

START_TEST(test_pack_refuses)
{
	assay_error err = {0};
	static const char *const names[] = {"", ".", "..", "a/b", "/", "a\nb"};
	make_tree("tree");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ck_assert_int_eq(ops->pack(in("tree"), names[i], in("x"), NULL), ASSAY_EINVAL);
	}
	ck_assert_int_eq(ops->pack(in("none"), "n", in("x"), &err), ASSAY_ENOENT);
	ck_assert(!as_file_exists(in("x")));
	as_error_clear(&err);
	ck_assert_int_eq(ops->pack(in("tree"), "n", in("none/x"), &err), ASSAY_ENOENT);
	put("tree/new\nline", "");
	as_error_clear(&err);
	ck_assert_int_eq(ops->pack(in("tree"), "n", in("x"), &err), ASSAY_EDATA);
	ck_assert(!as_file_exists(in("x")));
}
END_TEST

START_TEST(test_disk_full)
{
	assay_error err = {0};
	struct rlimit limit = {.rlim_cur = 1000, .rlim_max = RLIM_INFINITY};
	unsigned char noise[20000];
	unsigned state = 1;
	for (size_t i = 0; i < sizeof noise; i++) {
		state = state * 1664525u + 1013904223u;
		noise[i] = (unsigned char)(state >> 24);
	}
	ck_assert_int_eq(as_make_dirs(in("tree"), NULL), 0);
	ck_assert_int_eq(as_file_write(in("tree/noise"), (assay_str){(char *)noise, sizeof noise}, NULL), 0);
	put("out.tar.zst", "old");
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* No check while the limit is on: Check itself writes a file. */
	int packed = ops->pack(in("tree"), "n", in("out.tar.zst"), &err);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(packed, ASSAY_EIO);
	ck_assert_str_eq(err.message, "cannot write: File too large");
	check_content("out.tar.zst", "old");
}
END_TEST

/* ---- hostile archives ---- */

struct item {
	const char *path;
	mode_t type;
	const char *target; /* of links */
	const char *data;
	int64_t hole; /* a sparse file with that much of nothing in front */
};

static struct archive *begin_archive(const char *name)
{
	struct archive *a = archive_write_new();
	ck_assert_int_eq(archive_write_set_format_pax(a), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_add_filter_zstd(a), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_filename(a, in(name)), ARCHIVE_OK);
	return a;
}

static void add_item(struct archive *a, const struct item *i)
{
	struct archive_entry *e = archive_entry_new();
	size_t n = i->data ? strlen(i->data) : 0;
	archive_entry_set_pathname(e, i->path);
	archive_entry_set_filetype(e, i->type ? i->type : AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (int64_t)n + i->hole);
	if (i->hole) {
		archive_entry_sparse_add_entry(e, i->hole, (int64_t)n);
	}
	if (i->target && i->type == AE_IFLNK) {
		archive_entry_set_symlink(e, i->target);
	} else if (i->target) {
		archive_entry_set_hardlink(e, i->target);
	}
	ck_assert_int_ge(archive_write_header(a, e), ARCHIVE_WARN);
	if (n > 0) {
		static const char zeros[65536];
		for (int64_t left = i->hole; left > 0; left -= (int64_t)sizeof zeros) { /* skipped by the writer */
			(void)archive_write_data(a, zeros, left < 65536 ? (size_t)left : sizeof zeros);
		}
		(void)archive_write_data(a, i->data, n);
	}
	archive_entry_free(e);
}

static void make_archive(const char *name, const struct item *items, size_t n)
{
	struct archive *a = begin_archive(name);
	for (size_t i = 0; i < n; i++) {
		add_item(a, &items[i]);
	}
	ck_assert_int_eq(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
}

static void check_unpack(uint64_t max_bytes, uint32_t max_files, int code, const char *message)
{
	assay_error err = {0};
	ck_assert_int_eq(as_remove_tree(in("to"), NULL), 0);
	ck_assert_int_eq(as_make_dirs(in("to"), NULL), 0);
	int rc = ops->unpack(in("bad.tar.zst"), in("to"), max_bytes, max_files, &err);
	ck_assert_msg(rc == code, "%d: %s", rc, err.message);
	ck_assert_str_eq(err.message, message);
	ck_assert(code == 0 || err.where[0]);
}

#define CHECK_ITEMS(code, message, ...)                                                                                \
	do {                                                                                                           \
		static const struct item items_[] = {__VA_ARGS__};                                                     \
		make_archive("bad.tar.zst", items_, sizeof items_ / sizeof *items_);                                   \
		check_unpack(1000, 10, code, message);                                                                 \
	} while (0)

#define NOT_PLAIN "has a path that is not plain: no \".\", \"..\", empty, over-long or unprintable part"

START_TEST(test_bad_paths)
{
	CHECK_ITEMS(ASSAY_EDATA, "entry \"/etc/x\" has an absolute path", {.path = "/etc/x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"../x\" " NOT_PLAIN, {.path = "../x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"a/../../x\" " NOT_PLAIN, {.path = "a/../../x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"./x\" " NOT_PLAIN, {.path = "./x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"a//x\" " NOT_PLAIN, {.path = "a//x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"../\" " NOT_PLAIN, {.path = "..", .type = AE_IFDIR});
	ck_assert(!as_file_exists(in("x")));
	char name[1100];
	memset(name, 'n', sizeof name);
	name[256] = '\0';
	struct item item = {.path = name};
	make_archive("bad.tar.zst", &item, 1);
	assay_error err = {0};
	ck_assert_int_eq(ops->unpack(in("bad.tar.zst"), in("to"), 1000, 10, &err), ASSAY_EDATA);
	ck_assert_ptr_nonnull(strstr(err.message, NOT_PLAIN));
	memset(name, 'n', sizeof name);
	for (size_t i = 99; i < sizeof name; i += 100) {
		name[i] = '/';
	}
	name[1099] = '\0';
	make_archive("bad.tar.zst", &item, 1);
	as_error_clear(&err);
	ck_assert_int_eq(ops->unpack(in("bad.tar.zst"), in("to"), 1000, 10, &err), ASSAY_EDATA);
	ck_assert_ptr_nonnull(strstr(err.message, "has a path of more than 1024 bytes"));
	for (size_t i = 0; i < 200; i += 2) {
		name[i] = 'd';
		name[i + 1] = '/';
	}
	name[199] = '\0';
	make_archive("bad.tar.zst", &item, 1);
	as_error_clear(&err);
	ck_assert_int_eq(ops->unpack(in("bad.tar.zst"), in("to"), 1000, 1000, &err), ASSAY_EDATA);
	ck_assert_ptr_nonnull(strstr(err.message, "has a path of more than 64 parts"));
}
END_TEST

START_TEST(test_bad_kinds)
{
	CHECK_ITEMS(ASSAY_EDATA, "entry \"l\" is a symbolic link, expected regular files and folders only",
		    {.path = "l", .type = AE_IFLNK, .target = "/etc"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"h\" is a hard link, expected regular files and folders only",
		    {.path = "f", .data = "x"}, {.path = "h", .target = "f"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"p\" is a device or pipe, expected regular files and folders only",
		    {.path = "p", .type = AE_IFIFO});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"c\" is a device or pipe, expected regular files and folders only",
		    {.path = "c", .type = AE_IFCHR});
}
END_TEST

START_TEST(test_bad_order)
{
	CHECK_ITEMS(ASSAY_EDATA, "entry \"d/f\" is there twice", {.path = "d/f", .data = "1"}, {.path = "d/f"});
	check_content("to/d/f", "1");
	CHECK_ITEMS(ASSAY_EDATA, "entry \"f/x\" needs a folder where there is a file", {.path = "f", .data = "1"},
		    {.path = "f/x"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"d\" is there twice", {.path = "d/x"}, {.path = "d"});
	CHECK_ITEMS(ASSAY_EDATA, "entry \"f/\" needs a folder where there is a file", {.path = "f"},
		    {.path = "f", .type = AE_IFDIR});
	CHECK_ITEMS(0, "", {.path = "d", .type = AE_IFDIR}, {.path = "d/x"}, {.path = "d", .type = AE_IFDIR});
}
END_TEST

START_TEST(test_link_in_the_way)
{
	/* Somebody put a link where the archive wants a folder. */
	static const struct item items[] = {{.path = "d/x", .data = "1"}};
	make_archive("bad.tar.zst", items, 1);
	ck_assert_int_eq(as_make_dirs(in("to"), NULL), 0);
	ck_assert_int_eq(as_make_dirs(in("other"), NULL), 0);
	ck_assert_int_eq(symlink("../other", in("to/d")), 0);
	ck_assert_int_eq(ops->unpack(in("bad.tar.zst"), in("to"), 1000, 10, NULL), ASSAY_EDATA);
	ck_assert(!as_file_exists(in("other/x")));
}
END_TEST

START_TEST(test_limits)
{
	static const struct item items[] = {{.path = "a", .data = "12345"}, {.path = "b/c", .data = "67890"}};
	make_archive("bad.tar.zst", items, 2);
	check_unpack(10, 3, 0, "");
	check_unpack(9, 3, ASSAY_ELIMIT, "entry \"b/c\" brings the files to more bytes than allowed");
	check_unpack(10, 2, ASSAY_ELIMIT, "has more than 2 files and folders");
	check_unpack(0, 0, ASSAY_ELIMIT, "has more than 0 files and folders");
	check_unpack(UINT64_MAX, UINT32_MAX, 0, "");
}
END_TEST

START_TEST(test_bombs)
{
	CHECK_ITEMS(ASSAY_ELIMIT, "entry \"sparse\" brings the files to more bytes than allowed",
		    {.path = "sparse", .data = "x", .hole = 100000});
	/* A gigabyte of nothing in a few kilobytes. */
	struct archive *a = begin_archive("bad.tar.zst");
	struct archive_entry *e = archive_entry_new();
	static const char zeros[1 << 20];
	archive_entry_set_pathname(e, "zeros");
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_size(e, 1 << 30);
	ck_assert_int_eq(archive_write_header(a, e), ARCHIVE_OK);
	for (int i = 0; i < 1024; i++) {
		ck_assert_int_eq(archive_write_data(a, zeros, sizeof zeros), sizeof zeros);
	}
	ck_assert_int_eq(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	archive_entry_free(e);
	check_unpack(1000000, 10, ASSAY_ELIMIT, "entry \"zeros\" brings the files to more bytes than allowed");
	/* Folders named again and again make no files and no bytes, but work. */
	static const struct item folder = {.path = "d", .type = AE_IFDIR};
	a = begin_archive("bad.tar.zst");
	for (int i = 0; i < 5000; i++) {
		add_item(a, &folder);
	}
	ck_assert_int_eq(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	check_unpack(1000, 10, ASSAY_ELIMIT, "the archive expands to more than its limits allow for");
}
END_TEST

static void shell(const char *script)
{
	assay_text out = {0};
	int status = -1;
	const as_process_spec spec = {.argv = (const char *const[]){"sh", "-c", script, NULL}, .cwd = home.ptr};
	ck_assert_int_eq(as_process_run(&spec, ASSAY_STR(""), 1000, as_deadline(20000), NULL, &out, &status, NULL), 0);
	ck_assert_int_eq(status, 0);
	as_text_free(&out);
}

START_TEST(test_broken)
{
	make_tree("tree");
	check_pack("tree", "bad.tar.zst");
	assay_text whole = read_file("bad.tar.zst");
	for (size_t n = 0; n < whole.len; n++) { /* cut anywhere: an error, and never more than that */
		ck_assert_int_eq(as_file_write(in("bad.tar.zst"), (assay_str){whole.ptr, n}, NULL), 0);
		ck_assert_int_eq(as_remove_tree(in("to"), NULL), 0);
		ck_assert_int_eq(as_make_dirs(in("to"), NULL), 0);
		assay_error err = {0};
		int rc = ops->unpack(in("bad.tar.zst"), in("to"), 1000, 10, &err);
		ck_assert_msg(rc == ASSAY_EDATA, "%zu bytes: %d %s", n, rc, err.message);
		ck_assert(err.message[0] && err.where[0]);
	}
	for (size_t n = 0; n < whole.len; n++) { /* one byte wrong: whatever comes of it, it stays inside */
		whole.ptr[n] ^= 0x55;
		ck_assert_int_eq(as_file_write(in("bad.tar.zst"), as_text_str(whole), NULL), 0);
		whole.ptr[n] ^= 0x55;
		ck_assert_int_eq(as_remove_tree(in("to"), NULL), 0);
		ck_assert_int_eq(as_make_dirs(in("to"), NULL), 0);
		(void)ops->unpack(in("bad.tar.zst"), in("to"), 1000, 10, NULL);
	}
	as_text_free(&whole);
}
END_TEST

START_TEST(test_other_formats)
{
	ck_assert_int_eq(as_file_write(in("bad.tar.zst"), ASSAY_STR(""), NULL), 0);
	check_unpack(1000, 10, ASSAY_EDATA, "is not a .tar.zst archive");
	ck_assert_int_eq(as_file_write(in("bad.tar.zst"), ASSAY_STR("just text"), NULL), 0);
	check_unpack(1000, 10, ASSAY_EDATA, "is not a .tar.zst archive");
	put("f", "x");
	shell("tar -cf bad.tar.zst f");
	check_unpack(1000, 10, ASSAY_EDATA, "is not a .tar.zst archive");
	shell("tar -czf bad.tar.zst f");
	check_unpack(1000, 10, ASSAY_EDATA, "is not a .tar.zst archive");
	assay_error err = {0};
	ck_assert_int_eq(ops->unpack(in("none"), in("to"), 1, 1, &err), ASSAY_ENOENT);
	ck_assert_ptr_nonnull(strstr(err.where, "/none"));
	as_error_clear(&err);
	ck_assert_int_eq(ops->unpack(home.ptr, in("to"), 1, 1, &err), ASSAY_EDATA);
	check_pack("to", "bad.tar.zst"); /* empty */
	check_unpack(0, 0, 0, "");
	as_error_clear(&err);
	ck_assert_int_eq(ops->unpack(in("bad.tar.zst"), in("none"), 1, 1, &err), ASSAY_ENOENT);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {test_round_trip,      test_equal_bytes, test_listing,   test_pack_refuses,
				      test_disk_full,       test_bad_paths,   test_bad_kinds, test_bad_order,
				      test_link_in_the_way, test_limits,      test_bombs,     test_broken,
				      test_other_formats};
	Suite *s = suite_create("archive");
	TCase *tcase = tcase_create("archive");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		tcase_add_test(tcase, tests[i]);
	}
	suite_add_tcase(s, tcase);
	return s;
}
UNIT_MAIN(suite)
