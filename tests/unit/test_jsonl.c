#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "test_jsonl.tmp";

static as_jsonl *open_with(const char *text, size_t len, size_t max_line)
{
	as_jsonl *r = NULL;
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, len, f), len);
	fclose(f);
	ck_assert_int_eq(as_jsonl_open(path, max_line, &r, NULL), 0);
	remove(path);
	return r;
}

static void expect(as_jsonl *r, const char *text, uint32_t number, uint64_t offset)
{
	assay_str line;
	uint32_t n = 0;
	uint64_t o = 99;
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, NULL), 0);
	ck_assert_msg(as_str_is(line, text), "%.*s", ASSAY_FMT(line));
	ck_assert_uint_eq(n, number);
	ck_assert_uint_eq(o, offset);
}

static void expect_end(as_jsonl *r)
{
	assay_str line;
	uint32_t n;
	uint64_t o;
	assay_error err = {0};
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, &err), ASSAY_ENOENT);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, &err), ASSAY_ENOENT);
	ck_assert_int_eq(err.code, 0);
	as_jsonl_close(r);
}

START_TEST(test_lines)
{
	static const char text[] = "{}\n\n \t\r\n[1]\r\n\"x\"";
	as_jsonl *r = open_with(text, sizeof text - 1, 0);
	expect(r, "{}", 1, 0);
	expect(r, "[1]", 4, 8);
	expect(r, "\"x\"", 5, 13);
	expect_end(r);
	expect_end(open_with("", 0, 0));
	expect_end(open_with("\n\n", 2, 0));
	r = open_with("1\n", 2, 0);
	expect(r, "1", 1, 0);
	expect_end(r);
	r = open_with("a\0b\n\0", 5, 0);
	assay_str line;
	uint32_t n;
	uint64_t o;
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, NULL), 0);
	ck_assert_uint_eq(line.len, 3);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, NULL), 0);
	ck_assert_uint_eq(line.len, 1);
	expect_end(r);
	as_jsonl_close(NULL);
}
END_TEST

START_TEST(test_long_lines)
{
	as_buf b = {0};
	assay_str line;
	uint32_t n;
	uint64_t o;
	assay_error err = {0};
	as_buf_puts(&b, "1234567890\n12345678901\n");
	for (int i = 0; i < 500000; i++) {
		as_buf_byte(&b, 'x');
	}
	as_buf_puts(&b, "\nok\n");
	for (int i = 0; i < 200000; i++) {
		as_buf_byte(&b, 'y');
	}
	as_jsonl *r = open_with(b.ptr, b.len, 10);
	expect(r, "1234567890", 1, 0);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, &err), ASSAY_ELIMIT);
	char text[200];
	as_error_format(&err, text, sizeof text);
	ck_assert_str_eq(text, "test_jsonl.tmp:2: line is longer than 10 bytes");
	ck_assert_int_eq(err.detail, 11);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, NULL), ASSAY_ELIMIT);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(o, 23);
	expect(r, "ok", 4, 500024);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, NULL), ASSAY_ELIMIT);
	ck_assert_uint_eq(o, 500027);
	expect_end(r);
	as_buf_free(&b);
}
END_TEST

START_TEST(test_many_lines)
{
	as_buf b = {0};
	char text[32];
	for (int i = 0; i < 50000; i++) {
		as_buf_printf(&b, "{\"n\":%05d}\n", i);
	}
	as_jsonl *r = open_with(b.ptr, b.len, 0);
	for (uint32_t i = 0; i < 50000; i++) {
		snprintf(text, sizeof text, "{\"n\":%05u}", (unsigned)i);
		expect(r, text, i + 1, i * 12u);
	}
	expect_end(r);
	as_buf_free(&b);
}
END_TEST

START_TEST(test_values)
{
	static const char text[] = "{\"a\":1}\n{\"a\":}\n{\"a\":1,\"a\":2}\n12345678901234567890123\n7";
	as_jsonl *r = open_with(text, sizeof text - 1, 20);
	assay_json *v;
	uint32_t n;
	uint64_t o;
	char line[200];
	assay_error err = {0};
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_STRICT, &v, &n, &o, &err), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(v, "a"), 0), 1);
	as_json_free(v);
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_STRICT, &v, &n, &o, &err), ASSAY_EDATA);
	ck_assert_ptr_null(v);
	as_error_format(&err, line, sizeof line);
	ck_assert_str_eq(line, "test_jsonl.tmp:2: expected a value, found '}'");
	ck_assert_int_eq(err.detail, 13);
	ck_assert_uint_eq(o, 8);
	as_error_clear(&err);
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_PEER, &v, NULL, NULL, &err), 0);
	ck_assert_int_eq(as_json_i64(as_json_get(v, "a"), 0), 2);
	as_json_free(v);
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_PEER, &v, &n, NULL, &err), ASSAY_ELIMIT);
	ck_assert_uint_eq(n, 4);
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_PEER, &v, NULL, &o, NULL), 0);
	ck_assert_uint_eq(o, 53);
	as_json_free(v);
	ck_assert_int_eq(as_jsonl_next_value(r, ASSAY_JSON_PEER, &v, NULL, NULL, NULL), ASSAY_ENOENT);
	as_jsonl_close(r);
}
END_TEST

START_TEST(test_files)
{
	as_jsonl *r;
	assay_str line;
	uint32_t n;
	uint64_t o;
	assay_error err = {0};
	ck_assert_int_eq(as_jsonl_open("no/such.jsonl", 0, &r, &err), ASSAY_ENOENT);
	ck_assert_ptr_null(r);
	ck_assert_str_eq(err.where, "no/such.jsonl");
	as_error_clear(&err);
	ck_assert_int_eq(as_jsonl_open(".", 0, &r, NULL), 0);
	ck_assert_int_eq(as_jsonl_next(r, &line, &n, &o, &err), ASSAY_EIO);
	ck_assert_int_eq(err.detail, EISDIR);
	ck_assert_str_eq(err.where, ".");
	as_jsonl_close(r);
	/* Standard input, in two writes that cut a line. */
	int ends[2];
	int saved = dup(0);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "[1,", 3), 3);
	ck_assert_int_eq(write(ends[1], "2]\n3", 4), 4);
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	ck_assert_int_eq(as_jsonl_open("-", 0, &r, NULL), 0);
	expect(r, "[1,2]", 1, 0);
	expect(r, "3", 2, 6);
	expect_end(r);
	ck_assert_int_eq(dup2(saved, 0), 0);
	close(saved);
}
END_TEST

/* What a log writes. */
static void check_log(const char *levels, const char *expected)
{
	char text[8192];
	as_log *log;
	FILE *f = tmpfile();
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(as_log_new(f, levels, &log, NULL), 0);
	as_log_put(log, "llm", ASSAY_LOG_ERROR, "e%d", 1);
	as_log_put(log, "llm", ASSAY_LOG_WARN, "w");
	as_log_put(log, NULL, ASSAY_LOG_INFO, "i");
	as_log_put(log, "loader", ASSAY_LOG_DEBUG, "d");
	as_log_put(log, "llm", ASSAY_LOG_TRACE, "t");
	as_log_free(log);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(text, expected);
}

START_TEST(test_log_levels)
{
	check_log(NULL, "error: llm: e1\nwarning: llm: w\n");
	check_log("", "error: llm: e1\nwarning: llm: w\n");
	check_log("error", "error: llm: e1\n");
	check_log("info", "error: llm: e1\nwarning: llm: w\ninfo: i\n");
	check_log("loader:debug,llm:error", "error: llm: e1\ndebug: loader: d\n");
	check_log("loader:debug, info ,llm:trace,",
		  "error: llm: e1\nwarning: llm: w\ninfo: i\ndebug: loader: d\ntrace: llm: t\n");
	check_log("trace,llm:trace,llm:error", "error: llm: e1\ninfo: i\ndebug: loader: d\n");
	check_log("warn", "error: llm: e1\nwarning: llm: w\n");
	ck_assert(!as_log_on(NULL, "llm", ASSAY_LOG_ERROR));
	as_log_put(NULL, "llm", ASSAY_LOG_ERROR, "nowhere");
	as_log_free(NULL);
}
END_TEST

START_TEST(test_log_bad_levels)
{
	as_log *log;
	assay_error err = {0};
	char line[400];
	ck_assert_int_eq(as_log_new(stderr, "llm:debgu", &log, &err), ASSAY_EINVAL);
	ck_assert_ptr_null(log);
	as_error_format(&err, line, sizeof line);
	ck_assert_str_eq(line,
			 "log level: found \"llm:debgu\", expected LEVEL or COMPONENT:LEVEL (did you mean \"debug\"?)");
	as_error_clear(&err);
	ck_assert_int_eq(as_log_new(stderr, "loud", &log, &err), ASSAY_EINVAL);
	ck_assert_str_eq(err.hint, "levels are: error, warning, info, debug, trace");
	ck_assert_int_eq(as_log_new(stderr, ":info", &log, NULL), ASSAY_EINVAL);
	ck_assert_int_eq(as_log_new(stderr, "llm:", &log, NULL), ASSAY_EINVAL);
}
END_TEST

START_TEST(test_log_is_harmless)
{
	char text[8192];
	char big[6000];
	as_log *log;
	FILE *f = tmpfile();
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\0';
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(as_log_new(f, "trace", &log, NULL), 0);
	as_log_put(log, "a\nb", ASSAY_LOG_TRACE, "one\n%s", "two\x1b[2J\xff\r");
	as_log_put(log, "c", ASSAY_LOG_WARN, "%s", big);
	as_log_free(log);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	char *feed = strchr(text, '\n');
	ck_assert_ptr_nonnull(feed);
	*feed = '\0';
	ck_assert_ptr_null(strchr(text, '\x1b'));
	ck_assert_ptr_null(strchr(text, '\r'));
	ck_assert_ptr_nonnull(strstr(text, "one two\xEF\xBF\xBD[2J\xEF\xBF\xBD"));
	ck_assert_int_eq(strncmp(text, "trace: a b: ", 12), 0);
	size_t n = strlen(feed + 1);
	ck_assert_uint_gt(n, 4000);
	ck_assert_uint_lt(n, 4200);
	ck_assert_str_eq(feed + 1 + n - 6, "xx...\n");
}
END_TEST

UNIT_SUITE(jsonl_suite, "jsonl", test_lines, test_long_lines, test_many_lines, test_values, test_files, test_log_levels,
	   test_log_bad_levels, test_log_is_harmless)
UNIT_MAIN(jsonl_suite)
