/* Releases: packing twice gives the same bytes, and whatever is changed afterwards is found, digests mended or not. */
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/release/difference.h"
#include "core/release/read.h"
#include "core/run/attempt.h"
#include "tests/unit/release_kit.h"
#include <stdio.h>

/* ---- honest ones ---- */

START_TEST(test_honest)
{
	struct kit k;
	const char *text;
	char *dir = kit_release(&k);
	const as_release_findings *f = check_release(k.archive.ptr, &text);
	ck_assert_msg(f->total == 0, "%s", text);
	ck_assert_str_eq(f->name, "toy");
	ck_assert_str_eq(f->identity, k.identity);
	ck_assert_uint_eq(f->files, 15);
	ck_assert_uint_eq(f->tasks, 2);
	ck_assert_uint_eq(f->certificates, 2);
	ck_assert_uint_eq(f->attempts, 9); /* 2 × 2 × 2, and a void try */
	ck_assert_uint_eq(f->traces, 9);
	ck_assert_uint_eq(f->replays, 9);
	ck_assert_uint_eq(f->verdicts, 9);
	ck_assert_uint_eq(f->verdicts_stored, 0);
	ck_assert_uint_gt(f->figures, 100);
	ck_assert_uint_eq(f->reports, 2);
	f = check_release(dir, &text); /* unpacked as well */
	ck_assert_msg(f->total == 0, "%s", text);
	free(dir);
	kit_close(&k);
}
END_TEST

/* In another folder, at another time, in another process's temporary folders. */
START_TEST(test_same_bytes)
{
	struct kit a, b;
	assay_error err = {0};
	assay_text one = {0}, two = {0};
	free(kit_release(&a));
	free(kit_release(&b));
	ck_assert_str_eq(a.identity, b.identity);
	ck_ok(as_file_read(a.archive.ptr, (size_t)1 << 26, &one, &err));
	ck_ok(as_file_read(b.archive.ptr, (size_t)1 << 26, &two, &err));
	ck_assert(as_str_eq(as_text_str(one), as_text_str(two)));
	as_text_free(&one);
	as_text_free(&two);
	kit_close(&a);
	kit_close(&b);
}
END_TEST

START_TEST(test_reader)
{
	struct kit k;
	assay_error err = {0};
	as_release *r = NULL;
	assay_json *v = NULL;
	const as_release_file *files;
	char *temp;
	free(kit_release(&k));
	ck_ok(as_release_open(k.archive.ptr, k.registry, &r, &err));
	ck_assert_str_eq(as_release_version(r), "1.0.0");
	ck_assert_uint_eq(as_release_files(r, &files), 15);
	ck_assert_str_eq(files[0].name, "README.md");
	ck_assert_ptr_nonnull(as_release_find(r, "tasks.jsonl")->lines);
	ck_assert_ptr_null(as_release_find(r, "nothing"));
	ck_ok(as_release_json(r, "figures.json", (size_t)1 << 20, &v, &err));
	ck_assert_uint_eq(as_json_count(as_json_get(v, "tasks")), 2);
	as_json_free(v);
	ck_assert_int_eq(as_release_json(r, "../assay.json", 100, &v, &err), ASSAY_EDATA);
	temp = as_strdup(as_release_dir(r));
	ck_assert(as_dir_exists(temp));
	as_release_close(r);
	ck_assert(!as_dir_exists(temp)); /* nothing is left of it */
	free(temp);
	kit_close(&k);
}
END_TEST

/* ---- what packing refuses ---- */

static void expect_refusal(struct kit *k, const char *text)
{
	assay_error err = {0};
	as_buf path = {0};
	ck_assert_int_lt(kit_pack(k, &err), 0);
	ck_assert_msg(strstr(error_line(&err), text) != NULL, "%s", error_line(&err));
	as_buf_printf(&path, "%s/toy-1.0.0.tar.zst", k->dir.ptr);
	ck_assert(!as_file_exists(path.ptr));
	as_buf_free(&path);
}

START_TEST(test_missing_attempts)
{
	struct kit k;
	kit_open(&k, NULL, NULL);
	expect_refusal(&k,
		       "8 of 8 attempts are missing, void or wait for a judge, the first: good under condition main");
	kit_close(&k);
}
END_TEST

START_TEST(test_other_scorer)
{
	struct kit k;
	kit_open(&k, NULL, NULL);
	kit_attempts(&k);
	as_verdict_row v = {ASSAY_STR("scorer/other"), ASSAY_STR("pass"), 1, 1, ASSAY_STR("{}")};
	char id[65];
	assay_error err = {0};
	ck_ok(as_attempt_id(as_json_str(as_json_get(k.tasks[1], "task_id")), &k.manifest->candidates[0],
			    &k.manifest->conditions[0], 0, id, &err));
	ck_ok(as_store_put_verdicts(k.store, as_str(id), 1, &v, 1, &err));
	expect_refusal(&k, "has no verdict of scorer/effects");
	kit_close(&k);
}
END_TEST

/* Scored again, and what was void is a pass now: a release of it would not verify. */
START_TEST(test_stale_void)
{
	struct kit k;
	assay_error err = {0};
	as_verdict_row v = {ASSAY_STR("scorer/effects"), ASSAY_STR("pass"), 1, 1, ASSAY_STR("{\"verdict\":\"pass\"}")};
	char id[65];
	kit_open(&k, NULL, NULL);
	kit_attempts(&k);
	ck_ok(as_attempt_id(as_json_str(as_json_get(k.tasks[0], "task_id")), &k.manifest->candidates[1],
			    &k.manifest->conditions[0], 1, id, &err));
	ck_ok(as_store_put_verdicts(k.store, as_str(id), 1, &v, 1, &err));
	expect_refusal(&k, "(lazy, main) is void, which does not follow from its verdict and its end");
	kit_close(&k);
}
END_TEST

START_TEST(test_secret)
{
	struct kit k;
	ck_assert_int_eq(setenv("TOY_KEY", "ann@example.org", 1), 0); /* as if a server had answered it */
	kit_open(&k, NULL, "{'command':'toy-mail','env':{'KEY':'${TOY_KEY}'}}");
	kit_attempts(&k);
	expect_refusal(&k, "tasks.jsonl:1: the value of the variable TOY_KEY would be published");
	ck_assert_int_eq(unsetenv("TOY_KEY"), 0);
	assay_error err = {0};
	ck_ok(kit_pack(&k, &err)); /* the name alone is no secret */
	kit_close(&k);
}
END_TEST

/* A secret with a quote in it is written in another way in JSON. */
START_TEST(test_escaped_secret)
{
	struct kit k;
	ck_assert_int_eq(setenv("TOY_KEY", "a \"toy\"\\", 1), 0);
	kit_open(&k, NULL, "{'command':'toy-mail','args':['a \\\"toy\\\"\\\\'],'env':{'KEY':'${TOY_KEY:-none}'}}");
	kit_attempts(&k);
	expect_refusal(&k, "manifest.json: the value of the variable TOY_KEY would be published");
	ck_assert_int_eq(unsetenv("TOY_KEY"), 0);
	kit_close(&k);
}
END_TEST

START_TEST(test_paths)
{
	struct kit k;
	ck_assert_int_eq(setenv("HOME", "/home/toymaker", 1), 0);
	kit_open(&k, NULL, "{'command':'/home/toymaker/bin/toy-mail'}");
	kit_attempts(&k);
	expect_refusal(&k, "/mcpServers/mail/command: a path of this machine would be published: /home/toymaker");
	ck_assert_int_eq(setenv("HOME", "/home/toy", 1), 0); /* the beginning of a name is no folder */
	assay_error err = {0};
	ck_ok(kit_pack(&k, &err));
	kit_close(&k);
}
END_TEST

/* ---- one byte ---- */

static const char *const all_files[] = {"README.md",        "attempts.jsonl", "certificates.jsonl", "figures.json",
					"funnel.jsonl",     "goals.jsonl",    "manifest.json",      "plugins.json",
					"references.jsonl", "report.md",      "servers.json",       "tapes.jsonl",
					"tasks.jsonl",      "traces.jsonl",   "verdicts.jsonl"};

static uint32_t line_at(assay_text text, size_t offset)
{
	uint32_t line = 1;
	for (size_t i = 0; i < offset; i++) {
		line += text.ptr[i] == '\n';
	}
	return line;
}

/* Flip a bit of one byte in each file in turn: the file, and in JSON lines the line, is told. */
START_TEST(test_flips)
{
	struct kit k;
	char *dir = kit_release(&k);
	for (size_t i = 0; i < sizeof all_files / sizeof *all_files; i++) {
		bool lines = strstr(all_files[i], ".jsonl") != NULL;
		for (size_t part = 1; part <= 3; part++) {
			assay_text text = read_file(dir, all_files[i]);
			size_t at = text.len * part / 4;
			at -= text.ptr[at] == '\n';
			text.ptr[at] ^= 1;
			write_file(dir, all_files[i], as_text_str(text));
			expect_finding(dir, all_files[i], lines ? line_at(text, at) : 0,
				       "its digest differs from release.json");
			text.ptr[at] ^= 1;
			write_file(dir, all_files[i], as_text_str(text));
			as_text_free(&text);
		}
	}
	free(dir);
	kit_close(&k);
}
END_TEST

/* ---- forgers who mend the digests ---- */

/* What is changed, and where it comes out. line_of: 0 the line changed, else this one; -1: none is told. */
static const struct forgery {
	const char *file, *from, *to;
	size_t nth;
	const char *found_in;
	int found_line;
	const char *text;
} forgeries[] = {
	{"tasks.jsonl", "a.txt", "c.txt", 0, "tasks.jsonl", 0, "/task_id: "},
	{"tasks.jsonl", "\"trace_depth\":2", "\"trace_depth\":3", 0, "tasks.jsonl", 0,
	 "/complexity/trace_depth: 2 follows from"},
	{"certificates.jsonl", "\"passed\":true", "\"passed\":false", 1, "certificates.jsonl", 0,
	 "/certificate/1/passed: true follows from"},
	{"certificates.jsonl", "\"index\":2", "\"index\":1", 0, "funnel.jsonl", 3,
	 "/task_id: is not task 2 of tasks.jsonl"},
	{"references.jsonl", "ann@example.org", "bob@example.org", 0, "references.jsonl", 0, "/trace_id: "},
	{"tapes.jsonl", "ann@example.org", "bob@example.org", 0, "tapes.jsonl", 0, "not the tape_id of line 1"},
	{"goals.jsonl", "Tell the code", "Show the code", 0, "goals.jsonl", 0, "/goal: is not the goal"},
	{"goals.jsonl", "auto-2", "auto-3", 0, "goals.jsonl", 0, "/goal_id: is not the one of line 3 of funnel.jsonl"},
	{"funnel.jsonl", "certified", "surplus", 0, "funnel.jsonl", 3, "is not task 1 of tasks.jsonl"},
	{"funnel.jsonl", "no successful call", "no call", 0, "figures.json", -1,
	 "/funnel/0/reasons/successful/no call: 1 follows from the rows"},
	{"attempts.jsonl", "\"repeat\":0", "\"repeat\":1", 0, "attempts.jsonl", 0, "/attempt_id: "},
	{"attempts.jsonl", "\"void\":true", "\"void\":false", 0, "attempts.jsonl", 0, "/void: does not follow"},
	{"attempts.jsonl", "\"class\":\"agent\"", "\"class\":\"infra\"", 4, "attempts.jsonl", 0,
	 "/void: does not follow"},
	{"attempts.jsonl", "\"class\":\"agent\"", "\"class\":\"infra\"", 4, "attempts.jsonl", 0,
	 "/class: such an end is the agent's"},
	{"attempts.jsonl", "\"end\":\"finished\"", "\"end\":\"model_unreachable\"", 0, "attempts.jsonl", 0,
	 "/end: \"finished\" follows from its trace"},
	{"attempts.jsonl", "\"end\":\"finished\",\"class\":\"agent\",\"void\":false",
	 "\"end\":\"model_unreachable\",\"class\":\"infra\",\"void\":true", 4, "attempts.jsonl", -1,
	 "1 attempts are missing or were not tried again when void, the first: lazy"},
	{"attempts.jsonl", "\"try\":2", "\"try\":3", 0, "attempts.jsonl", 0,
	 "/try: try 3 of an attempt, expected try 2"},
	{"attempts.jsonl", "\"end\":\"finished\"", "\"end\":\"gave_up\"", 0, "figures.json", -1,
	 "/ends/finished: 3 follows from the rows, the release says 4"},
	{"traces.jsonl", "the code is 4711", "the code is 4712", 0, "traces.jsonl", 0, "/trace_id: "},
	{"verdicts.jsonl", "\"verdict\":\"fail\"", "\"verdict\":\"pass\"", 0, "verdicts.jsonl", 0,
	 "/verdict/verdict: \"fail\" follows from the trace of attempt"},
	{"verdicts.jsonl", "\"passed\":false", "\"passed\":true", 1, "verdicts.jsonl", 0,
	 "/passed: false follows from"},
	{"figures.json", "\"lo\": 0.25", "\"lo\": 0.75", 0, "figures.json", 0,
	 "/pass_rate/lo: 0.25 follows from the rows"},
	{"figures.json", "\"passed\": 2", "\"passed\": 1", 0, "figures.json", 0,
	 "/gates/0/passed: 2 follows from the rows"},
	{"report.md", "0.250", "0.750", 0, "report.md", 0, "something else follows from the figures"},
	{"README.md", "2 tasks", "9 tasks", 0, "README.md", 0, "something else follows from the figures"},
	{"manifest.json", "\"seed\": 3", "\"seed\": 4", 0, "release.json", -1, "/bench_id: "},
	{"manifest.json", "\"policy\": \"greedy\"", "\"policy\": \"greebo\"", 0, "attempts.jsonl", 5, "/attempt_id: "},
	{"servers.json", "find_contact", "find_contbct", 0, "servers.json", -1, "/fingerprint/tool_surface_hash: "},
	{"plugins.json", "\"version\": \"0.1.0\"", "\"version\": \"0.1.1\"", 0, "figures.json", -1,
	 "/plugins/0/version: \"0.1.1\""},
	{"release.json", "\"license\": \"CC-BY-4.0\"", "\"license\": \"MIT\"", 0, "release.json", -1, "/license: "},
};

START_TEST(test_forgery)
{
	assay_error err = {0};
	struct kit k;
	char *dir = kit_release(&k);
	as_buf copy = {0};
	as_buf_printf(&copy, "%s/copy", k.dir.ptr);
	for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
		const struct forgery *f = &forgeries[i];
		uint32_t line;
		ck_ok(as_copy_tree(dir, copy.ptr, &err));
		line = edit_file(copy.ptr, f->file, f->from, f->to, f->nth);
		mend(copy.ptr);
		expect_finding(copy.ptr, f->found_in,
			       f->found_line < 0 ? 0
			       : f->found_line   ? (uint32_t)f->found_line
						 : line,
			       f->text);
		ck_ok(as_remove_tree(copy.ptr, &err));
	}
	as_buf_free(&copy);
	free(dir);
	kit_close(&k);
}
END_TEST

/* The line of a trace again with the id that its content has, and that id in attempts.jsonl. */
static void mend_trace(const char *dir, uint32_t line)
{
	assay_error err = {0};
	assay_text traces = read_file(dir, "traces.jsonl"), canonical = {0}, compact = {0};
	assay_json *document = NULL;
	const char *start = traces.ptr, *end;
	as_buf out = {0};
	char old[64], id[37];
	for (uint32_t i = 1; i < line; i++) {
		start = strchr(start, '\n') + 1;
	}
	end = strchr(start, '\n');
	ck_ok(as_json_parse((assay_str){start, (size_t)(end - start)}, ASSAY_JSON_PEER, &document, &err));
	snprintf(old, sizeof old, "%s", as_json_cstr(as_json_get(document, "trace_id"), ""));
	ck_assert_int_eq(as_json_set(document, "trace_id", as_json_cstring("")), 0);
	ck_ok(as_json_dump(document, ASSAY_JSON_CANONICAL, &canonical, &err));
	as_uuid_parts("trace", (assay_str[]){as_text_str(canonical)}, 1, id);
	ck_assert_int_eq(as_json_set(document, "trace_id", as_json_cstring(id)), 0);
	ck_ok(as_json_dump(document, ASSAY_JSON_COMPACT, &compact, &err));
	as_buf_add(&out, (assay_str){traces.ptr, (size_t)(start - traces.ptr)});
	as_buf_add(&out, as_text_str(compact));
	as_buf_puts(&out, end);
	write_file(dir, "traces.jsonl", as_buf_str(&out));
	edit_file(dir, "attempts.jsonl", old, id, 0);
	as_buf_free(&out);
	as_json_free(document);
	as_text_free(&canonical);
	as_text_free(&compact);
	as_text_free(&traces);
}

/* Whoever mends ids, too, has an answer that is on no tape. */
START_TEST(test_deep_forgery)
{
	struct kit k;
	char *dir = kit_release(&k);
	uint32_t line = edit_file(dir, "traces.jsonl", "the code is 4711", "the code is 4711!", 0);
	mend_trace(dir, line);
	mend(dir);
	expect_finding(
		dir, "traces.jsonl", line,
		"/steps/0/result/content/0/text: \"the code is 4711\" follows from the tape, the release says \"the code is 4711!\"");
	free(dir);
	kit_close(&k);
}
END_TEST

/* A call that was made up is on no tape either; and the verdict does not follow. */
START_TEST(test_made_up_call)
{
	struct kit k;
	char *dir = kit_release(&k);
	uint32_t line = edit_file(dir, "traces.jsonl", "z.txt", "b.txt", 0);
	mend_trace(dir, line);
	mend(dir);
	expect_finding(dir, "traces.jsonl", line, "follows from the tape");
	free(dir);
	kit_close(&k);
}
END_TEST

static void drop_line(const char *dir, const char *file, uint32_t line)
{
	assay_text text = read_file(dir, file);
	char *start = text.ptr, *end;
	as_buf out = {0};
	for (uint32_t i = 1; i < line; i++) {
		start = strchr(start, '\n') + 1;
	}
	end = strchr(start, '\n') + 1;
	as_buf_add(&out, (assay_str){text.ptr, (size_t)(start - text.ptr)});
	as_buf_puts(&out, end);
	write_file(dir, file, as_buf_str(&out));
	as_buf_free(&out);
	as_text_free(&text);
}

/* Leaving the failures out. */
START_TEST(test_cherry_picking)
{
	static const char *const files[] = {"attempts.jsonl", "traces.jsonl", "verdicts.jsonl"};
	struct kit k;
	char *dir = kit_release(&k);
	for (size_t i = 0; i < 3; i++) {
		drop_line(dir, files[i], 5);
	}
	mend(dir);
	expect_finding(
		dir, "attempts.jsonl", 0,
		"1 attempts are missing or were not tried again when void, the first: lazy under condition main, task ");
	drop_line(dir, "traces.jsonl", 5);
	mend(dir);
	expect_finding(dir, "traces.jsonl", 7, "ends here, but there are more attempts");
	free(dir);
	kit_close(&k);
}
END_TEST

START_TEST(test_twice)
{
	static const char *const files[] = {"attempts.jsonl", "traces.jsonl", "verdicts.jsonl"};
	struct kit k;
	char *dir = kit_release(&k);
	for (size_t i = 0; i < 3; i++) { /* a success counted twice */
		assay_text text = read_file(dir, files[i]);
		char *end = strchr(text.ptr, '\n') + 1;
		as_buf out = {0};
		as_buf_add(&out, (assay_str){text.ptr, (size_t)(end - text.ptr)});
		as_buf_add(&out, as_text_str(text));
		write_file(dir, files[i], as_buf_str(&out));
		as_buf_free(&out);
		as_text_free(&text);
	}
	mend(dir);
	expect_finding(dir, "attempts.jsonl", 2, "/try: a further try of an attempt that has one that counts");
	free(dir);
	kit_close(&k);
}
END_TEST

/* ---- differences ---- */

START_TEST(test_difference)
{
	static const struct {
		const char *expected, *found, *pointer, *e, *f;
	} cases[] = {
		{"{'a':[1,{'b/c':2}]}", "{'a':[1,{'b/c':3}]}", "/a/1/b~1c", "2", "3"},
		{"{'a':1}", "{'a':1,'b':true}", "/b", "nothing", "true"},
		{"{'a':1,'b':2}", "{'a':1}", "/b", "2", "nothing"},
		{"[1,2]", "[1]", "/1", "2", "nothing"},
		{"[1]", "[1,2]", "/1", "nothing", "2"},
		{"[1]", "[true]", "/0", "1", "true"},
		{"'x'", "'y'", "", "\"x\"", "\"y\""},
		{"null", "0", "", "null", "0"},
	};
	as_difference d;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assay_json *e = json(cases[i].expected), *f = json(cases[i].found);
		ck_assert(as_values_differ(e, f, &d));
		ck_assert_str_eq(d.pointer, cases[i].pointer);
		ck_assert_str_eq(d.expected, cases[i].e);
		ck_assert_str_eq(d.found, cases[i].f);
		as_json_free(e);
		as_json_free(f);
	}
	assay_json *a = json("{'x':1.0,'y':[true,null,'é'],'z':{}}"), *b = json("{'z':{},'y':[true,null,'é'],'x':1}");
	ck_assert(!as_values_differ(a, b, &d)); /* order of members and spelling of numbers say nothing */
	ck_assert_uint_eq(as_count_numbers(a), 1);
	as_json_free(a);
	as_json_free(b);
}
END_TEST

UNIT_SUITE(suite, "release", test_honest, test_same_bytes, test_reader, test_missing_attempts, test_other_scorer,
	   test_stale_void, test_secret, test_escaped_secret, test_paths, test_flips, test_forgery, test_deep_forgery,
	   test_made_up_call, test_cherry_picking, test_twice, test_difference)
UNIT_MAIN(suite)
