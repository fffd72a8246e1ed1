/* Hostile releases: each is refused or found out with a clear line, and none does anything else. */
#include "core/base/file.h"
#include "core/release/format.h"
#include "core/release/read.h"
#include "tests/unit/release_kit.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Verification fails, with an error that says so. */
static void expect_error(const char *path, int code, const char *text)
{
	const as_registry_options plugins = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
	as_release_verify_options options = {.path = path};
	as_release_findings found;
	assay_error err = {0};
	int rc;
	ck_assert_int_eq(as_registry_new(&plugins, &options.registry, NULL), 0);
	rc = as_release_verify(&options, &found, &err);
	ck_assert_msg(rc == code, "%d: %s", rc, error_line(&err));
	ck_assert_msg(strstr(error_line(&err), text) != NULL, "expected %s, got %s", text, error_line(&err));
	as_registry_free(options.registry);
}

/* ---- release.json ---- */

#define D64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEAD                                                                                                           \
	"{'assay_release':1,'name':'toy','version':'1','license':null,'bench_id':'" D64                                \
	"','generator':'assay','identity':'" D64 "'"
#define ENTRY(path) "{'path':'" path "','bytes':1,'sha256':'" D64 "'}"

START_TEST(test_record)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "release.json"},
		{"[]", "release.json: /assay_release: not a release of format 1"},
		{"{'assay_release':2}", "release.json: /assay_release: not a release of format 1"},
		{HEAD ",'extra':1,'files':[]}", "a member that a release of format 1 does not have"},
		{"{'assay_release':1}", "release.json: /name: expected a name"},
		{HEAD "}", "release.json: /files: expected an array of at most 256 files"},
		{HEAD ",'files':{}}", "release.json: /files: expected an array"},
		{HEAD ",'files':[3]}", "release.json: /files/0: expected an object of path, bytes, sha256, lines"},
		{HEAD ",'files':[{'path':'a','bytes':1}]}", "release.json: /files/0/sha256: expected 64 hex digits"},
		{HEAD ",'files':[{'path':'a','bytes':-1,'sha256':'" D64 "'}]}",
		 "/files/0/bytes: expected a whole number"},
		{HEAD ",'files':[{'path':'a','bytes':1,'sha256':'" D64 "','mode':7}]}", "/files/0: expected an object"},
		{HEAD ",'files':[" ENTRY("../a") "]}", "/files/0/path: expected the plain name of another file"},
		{HEAD ",'files':[" ENTRY("/etc/passwd") "]}", "/files/0/path: expected the plain name"},
		{HEAD ",'files':[" ENTRY("a/b") "]}", "/files/0/path: expected the plain name"},
		{HEAD ",'files':[" ENTRY(".hidden") "]}", "/files/0/path: expected the plain name"},
		{HEAD ",'files':[" ENTRY("") "]}", "/files/0/path: expected the plain name"},
		{HEAD ",'files':[" ENTRY("release.json") "]}",
		 "/files/0/path: expected the plain name of another file"},
		{HEAD ",'files':[" ENTRY("b") "," ENTRY("a") "]}",
		 "/files/1/path: files must be sorted by name, each once"},
		{HEAD ",'files':[" ENTRY("a") "," ENTRY("a") "]}",
		 "/files/1/path: files must be sorted by name, each once"},
		{HEAD ",'files':[" ENTRY("a.jsonl") "]}", "/files/0/lines: expected an array of digests"},
		{HEAD ",'files':[{'path':'a.jsonl','bytes':1,'sha256':'" D64 "','lines':['x']}]}",
		 "/files/0/lines/0: expected 16 hex digits"},
		{HEAD ",'files':[{'path':'a','bytes':1,'sha256':'" D64 "','lines':[]}]}",
		 "/lines: only JSON lines have"},
		{HEAD ",'files':[],'files':[]}", "occurs twice"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_error err = {0};
		as_release *r = NULL;
		char *text = as_strdup(cases[i].text);
		for (char *c = text; *c; c++) {
			*c = (char)(*c == '\'' ? '"' : *c);
		}
		ck_assert_int_lt(as_release_parse(as_str(text), &r, &err), 0);
		ck_assert_ptr_null(r);
		ck_assert_msg(strstr(error_line(&err), cases[i].error) != NULL, "expected %s, got %s", cases[i].error,
			      error_line(&err));
		free(text);
	}
}
END_TEST

START_TEST(test_too_many_files)
{
	as_buf text = {0};
	assay_error err = {0};
	as_release *r = NULL;
	as_buf_puts(&text, HEAD ",'files':[");
	for (int i = 0; i < 300; i++) {
		as_buf_printf(&text, "%s{'path':'f%03d','bytes':1,'sha256':'" D64 "'}", i ? "," : "", i);
	}
	as_buf_puts(&text, "]}");
	for (size_t i = 0; i < text.len; i++) {
		text.ptr[i] = (char)(text.ptr[i] == '\'' ? '"' : text.ptr[i]);
	}
	ck_assert_int_eq(as_release_parse(as_buf_str(&text), &r, &err), ASSAY_EDATA);
	as_buf_free(&text);
}
END_TEST

/* ---- archives ---- */

START_TEST(test_archives)
{
	struct kit k;
	assay_error err = {0};
	assay_text text = {0};
	as_buf path = {0};
	free(kit_release(&k));
	ck_ok(as_file_read(k.archive.ptr, (size_t)1 << 26, &text, &err));
	as_buf_printf(&path, "%s/broken.tar.zst", k.dir.ptr);
	for (size_t part = 0; part < 8; part++) { /* a truncated one, at eight places */
		write_file(k.dir.ptr, "broken.tar.zst", (assay_str){text.ptr, text.len * part / 8});
		expect_error(path.ptr, ASSAY_EDATA, "broken.tar.zst");
	}
	for (size_t i = 0; i < text.len; i += text.len / 16) { /* bytes changed in the middle of it */
		as_release_findings found;
		const as_registry_options plugins = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
		as_release_verify_options options = {.path = path.ptr};
		text.ptr[i] = (char)(text.ptr[i] ^ 0x55);
		write_file(k.dir.ptr, "broken.tar.zst", as_text_str(text));
		text.ptr[i] = (char)(text.ptr[i] ^ 0x55);
		ck_ok(as_registry_new(&plugins, &options.registry, &err));
		if (as_release_verify(&options, &found, NULL) == 0 && found.total == 0) {
			ck_assert_str_eq(found.identity, k.identity); /* a byte that says nothing: a time, an owner */
		}
		as_registry_free(options.registry);
	}
	write_file(k.dir.ptr, "broken.tar.zst", ASSAY_STR("no archive at all"));
	expect_error(path.ptr, ASSAY_EDATA, "broken.tar.zst");
	as_buf_puts(&path, "-not-there");
	expect_error(path.ptr, ASSAY_ENOENT, "broken.tar.zst-not-there");
	expect_error(k.dir.ptr, ASSAY_EDATA, "not a release: there is no release.json in it");
	as_text_free(&text);
	as_buf_free(&path);
	kit_close(&k);
}
END_TEST

/* Archives that are well-formed, but no releases. */
START_TEST(test_other_archives)
{
	struct kit k;
	assay_error err = {0};
	const as_archive_ops *archive;
	as_buf folder = {0}, path = {0};
	kit_open(&k, NULL, NULL);
	as_buf_printf(&folder, "%s/other", k.dir.ptr);
	as_buf_printf(&path, "%s/other.tar.zst", k.dir.ptr);
	ck_ok(as_make_dirs(folder.ptr, &err));
	ck_ok(as_service_archive(k.registry, &archive, &err));
	ck_ok(archive->pack(folder.ptr, "other", path.ptr, &err));
	expect_error(path.ptr, ASSAY_EDATA, "not a release: the archive is empty");
	write_file(folder.ptr, "file", ASSAY_STR("x"));
	ck_ok(archive->pack(folder.ptr, "other", path.ptr, &err));
	expect_error(path.ptr, ASSAY_EDATA, "not a release: there is no release.json in it");
	write_file(folder.ptr, "release.json", ASSAY_STR("{\"assay_release\":1,"));
	ck_ok(archive->pack(folder.ptr, "other", path.ptr, &err));
	expect_error(path.ptr, ASSAY_EDATA, "release.json:1: ");
	for (int i = 0; i < 300; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%d", i);
		write_file(folder.ptr, name, ASSAY_STR("x"));
	}
	ck_ok(archive->pack(folder.ptr, "other", path.ptr, &err));
	expect_error(path.ptr, ASSAY_ELIMIT, "files and folders");
	as_buf_free(&folder);
	as_buf_free(&path);
	kit_close(&k);
}
END_TEST

/* ---- files ---- */

static const char *in(const char *dir, const char *file)
{
	static char path[512];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	return path;
}

START_TEST(test_missing_and_extra)
{
	struct kit k;
	char *dir = kit_release(&k);
	char target[512];
	write_file(dir, "notes.txt", ASSAY_STR("hello"));
	expect_finding(dir, "notes.txt", 0, "is not listed in release.json");
	ck_assert_int_eq(unlink(in(dir, "notes.txt")), 0);
	snprintf(target, sizeof target, "%s", in(dir, "tapes.jsonl"));
	ck_assert_int_eq(rename(target, in(dir, "moved")), 0);
	expect_finding(dir, "tapes.jsonl", 0, "is missing, or no regular file");
	ck_assert_int_eq(symlink("moved", target), 0); /* a link is no file of a release */
	expect_finding(dir, "tapes.jsonl", 0, "is missing, or no regular file");
	ck_assert_int_eq(unlink(target), 0);
	ck_assert_int_eq(mkfifo(target, 0600), 0); /* nor is a pipe, and nobody waits for it */
	expect_finding(dir, "tapes.jsonl", 0, "is missing, or no regular file");
	free(dir);
	kit_close(&k);
}
END_TEST

/* A file that release.json lists, but that has no place in a release. */
START_TEST(test_stranger)
{
	struct kit k;
	assay_error err = {0};
	char *dir = kit_release(&k);
	assay_json *record = NULL;
	as_buf text = {0};
	ck_ok(as_json_read_file(in(dir, "release.json"), (size_t)1 << 20, &record, &err));
	assay_json *files = as_json_edit(as_json_get(record, "files"));
	ck_assert_int_eq(as_json_append(files, json("{'path':'zebra.sh','bytes':5,'sha256':'" D64 "'}")), 0);
	as_json_write(&text, record, ASSAY_JSON_COMPACT);
	write_file(dir, "release.json", as_buf_str(&text));
	write_file(dir, "zebra.sh", ASSAY_STR("hello"));
	mend(dir);
	expect_finding(dir, "zebra.sh", 0, "is no part of a release");
	as_buf_free(&text);
	as_json_free(record);
	free(dir);
	kit_close(&k);
}
END_TEST

/* Every file in turn is something else altogether, digests mended: never more than findings. */
START_TEST(test_nonsense_files)
{
	static const char *const contents[] = {"",
					       "\n",
					       "{}\n",
					       "[]\n",
					       "null\n",
					       "[[[[",
					       "{\"a\":1}\n{\"a\":1}\n",
					       "{\"task_id\":1,\"trace_id\":2,\"steps\":3,\"attempt_id\":4}\n",
					       "\xff\xfe\n",
					       "{\"a\":1,\"a\":2}\n"};
	struct kit k;
	assay_error err = {0};
	as_release *r = NULL;
	const as_release_file *files;
	char *dir = kit_release(&k);
	size_t n;
	ck_ok(as_release_open(dir, k.registry, &r, &err));
	n = as_release_files(r, &files);
	for (size_t i = 0; i < n; i++) {
		assay_text kept = read_file(dir, files[i].name);
		for (size_t c = 0; c < sizeof contents / sizeof *contents; c++) {
			const char *text;
			const as_release_findings *f;
			write_file(dir, files[i].name, as_str(contents[c]));
			mend(dir);
			f = check_release(dir, &text);
			ck_assert_msg(f->total > 0, "%s: %s", files[i].name, contents[c]);
		}
		write_file(dir, files[i].name, as_text_str(kept));
		as_text_free(&kept);
	}
	as_release_close(r);
	free(dir);
	kit_close(&k);
}
END_TEST

/* A line of more than anybody needs is passed over, not read. */
START_TEST(test_long_line)
{
	struct kit k;
	char *dir = kit_release(&k);
	FILE *f = fopen(in(dir, "verdicts.jsonl"), "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, (200L << 20) - 1, SEEK_SET), 0); /* 200 MB of NUL, on disk a hole */
	ck_assert_int_eq(fputc('\n', f), '\n');
	ck_assert_int_eq(fclose(f), 0);
	expect_finding(dir, "verdicts.jsonl", 1, "line is longer than");
	free(dir);
	kit_close(&k);
}
END_TEST

/* ---- rows ---- */

static const struct edit {
	const char *file, *from, *to, *found_in, *text;
} edits[] = {
	{"tasks.jsonl", "\"before_id\":\"c1\",\"after_id\":\"c2\"}",
	 "\"before_id\":\"c1\",\"after_id\":\"c2\"},{\"before_id\":\"c2\",\"after_id\":\"c1\"}", "tasks.jsonl",
	 "/ordering: the order of the checkpoints runs in a circle"},
	{"tasks.jsonl", "\"checkpoints\":[", "\"checkpoints\":[],\"x\":[", "tasks.jsonl", "/checkpoints: "},
	{"tasks.jsonl", "\"tool_name\":\"write_file\"", "\"tool_name\":\"rm\"", "tasks.jsonl",
	 "there is no tool rm on server files"},
	{"tasks.jsonl", "\"task_id\":\"", "\"task_id\":7,\"was\":\"", "tasks.jsonl", "/task_id: "},
	{"certificates.jsonl", "\"certificate\":[", "\"certificate\":7,\"was\":[", "certificates.jsonl",
	 "unknown member \"was\""},
	{"certificates.jsonl", "\"index\":0", "\"index\":\"0\"", "certificates.jsonl",
	 "/index: \"index\" is missing or not a whole number"},
	{"references.jsonl", "\"steps\":[", "\"steps\":{},\"was\":[", "references.jsonl", "/steps: "},
	{"tapes.jsonl", "\"assay_tape\":1", "\"assay_tape\":9", "tapes.jsonl", "/assay_tape: "},
	{"tapes.jsonl", "\"assay_tape\":1", "\"assay_tape\":1,\"assay_tape\":1", "tapes.jsonl",
	 "a key occurs twice in one object"},
	{"attempts.jsonl", "\"candidate\":\"good\"", "\"candidate\":\"best\"", "attempts.jsonl",
	 "/candidate: the manifest has no such candidate"},
	{"attempts.jsonl", "\"condition\":\"main\"", "\"condition\":\"easy\"", "attempts.jsonl",
	 "/condition: the manifest has no such condition"},
	{"attempts.jsonl", "\"repeat\":0", "\"repeat\":4294967296", "attempts.jsonl",
	 "/repeat: the manifest asks for fewer repeats"},
	{"attempts.jsonl", "\"class\":\"agent\"", "\"class\":\"luck\"", "attempts.jsonl", "/class: expected \"agent\""},
	{"attempts.jsonl", "\"void\":false", "\"void\":0", "attempts.jsonl",
	 "/void: \"void\" is missing or not true or false"},
	{"traces.jsonl", "\"kind\":\"call_tool_agent\"", "\"kind\":\"thought\"", "traces.jsonl",
	 "/steps/0/kind: \"kind\" is none of"},
	{"traces.jsonl", "\"kind\":\"call_tool_agent\"", "\"kind\":\"list_tools\"", "traces.jsonl",
	 "step 0 is no call of the agent"},
	{"traces.jsonl", "\"steps\":[{", "\"steps\":[7,{", "traces.jsonl", "/steps/0"},
	{"verdicts.jsonl", "\"scorer\":\"scorer/effects\"", "\"scorer\":\"scorer/x\"", "verdicts.jsonl",
	 "expected the verdict of scorer/effects on line 1 of attempts.jsonl"},
	{"verdicts.jsonl", "\"verdict\":{", "\"verdict\":[],\"was\":{", "verdicts.jsonl", "unknown member \"was\""},
	{"funnel.jsonl", "\"category\":\"random\"", "\"category\":\"remote\"", "funnel.jsonl",
	 "/category: the manifest has no such category"},
	{"funnel.jsonl", "\"index\":1", "\"index\":0", "funnel.jsonl",
	 "goals are sorted by category and index, each once"},
	{"plugins.json", "\"digest\"", "\"digits\"", "plugins.json", "unknown member \"digits\""},
	{"servers.json", "\"server_id\": \"mail\"", "\"server_id\": \"files\"", "servers.json", ""},
	{"servers.json", "\"class\": \"static\"", "\"class\": \"live_read\"", "servers.json", "is not the manifest's"},
	{"manifest.json", "\"assay\": 1", "\"assay\": 2", "manifest.json", "/assay"},
	{"manifest.json", "scorer/effects", "scorer/witch", "manifest.json",
	 "/evaluation/scorers/0: its verdicts cannot be recomputed: scorer scorer/witch is not shipped"},
	{"manifest.json", "reporter/markdown", "reporter/witch", "manifest.json",
	 "/reports/0: its report cannot be rendered again: reporter/witch is not shipped"},
	{"manifest.json", "\"attempts\": 2", "\"attempts\": 900", "attempts.jsonl",
	 "3592 attempts are missing or were"},
};

START_TEST(test_rows)
{
	assay_error err = {0};
	struct kit k;
	char *dir = kit_release(&k);
	as_buf copy = {0};
	as_buf_printf(&copy, "%s/copy", k.dir.ptr);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		ck_ok(as_copy_tree(dir, copy.ptr, &err));
		edit_file(copy.ptr, edits[i].file, edits[i].from, edits[i].to, 0);
		mend(copy.ptr);
		expect_finding(copy.ptr, edits[i].found_in, 0, edits[i].text);
		ck_ok(as_remove_tree(copy.ptr, &err));
	}
	as_buf_free(&copy);
	free(dir);
	kit_close(&k);
}
END_TEST

static void add_candidates(const char *dir, int n)
{
	as_buf many = {0};
	as_buf_puts(&many, "\"candidates\": [");
	for (int i = 0; i < n; i++) {
		as_buf_printf(&many,
			      "{\"name\":\"c%d\",\"use\":\"explorer/loop\",\"model\":\"rules\",\"listed\":true},", i);
	}
	edit_file(dir, "manifest.json", "\"candidates\": [", many.ptr, 0);
	edit_file(dir, "manifest.json", "\"attempts\": 2", "\"attempts\": 1000", 0);
	mend(dir);
	as_buf_free(&many);
}

/* A manifest that asks for more attempts than there is time or memory for. */
START_TEST(test_too_much_wanted)
{
	struct kit k;
	char *dir = kit_release(&k);
	add_candidates(dir, 3000);
	expect_finding(dir, "manifest.json", 0, "the manifest asks for more than");
	free(dir);
	kit_close(&k);
}
END_TEST

START_TEST(test_too_many_candidates)
{
	struct kit k;
	char *dir = kit_release(&k);
	add_candidates(dir, 20000);
	expect_finding(dir, "manifest.json", 0, "20002 candidates, 1 conditions, 1 categories: too many to work out");
	free(dir);
	kit_close(&k);
}
END_TEST

/* Of a thousand findings twenty are kept. */
START_TEST(test_bounded)
{
	struct kit k;
	char *dir = kit_release(&k);
	const char *text;
	const as_release_findings *f;
	as_buf lines = {0};
	for (int i = 0; i < 1000; i++) {
		as_buf_puts(&lines, "7\n");
	}
	write_file(dir, "attempts.jsonl", as_buf_str(&lines));
	mend(dir);
	f = check_release(dir, &text);
	ck_assert_uint_eq(f->n, AS_MAX_FINDINGS);
	ck_assert_uint_ge(f->total, 1000);
	as_buf_free(&lines);
	free(dir);
	kit_close(&k);
}
END_TEST

START_TEST(test_cancelled)
{
	struct kit k;
	assay_error err = {0};
	as_release_findings found;
	as_cancel *cancel = NULL;
	char *dir = kit_release(&k);
	as_release_verify_options options = {.path = dir, .registry = k.registry};
	ck_ok(as_cancel_new(&cancel, &err));
	as_cancel_set(cancel);
	options.cancel = cancel;
	ck_assert_int_eq(as_release_verify(&options, &found, &err), ASSAY_ECANCELED);
	as_cancel_free(cancel);
	free(dir);
	kit_close(&k);
}
END_TEST

UNIT_SUITE(suite, "hostile release", test_record, test_too_many_files, test_archives, test_other_archives,
	   test_missing_and_extra, test_stranger, test_nonsense_files, test_long_line, test_rows, test_too_much_wanted,
	   test_too_many_candidates, test_bounded, test_cancelled)
UNIT_MAIN(suite)
