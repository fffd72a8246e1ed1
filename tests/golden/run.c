/* run FILE-OR-FOLDER...: check the program against golden vectors; ends with "N passed, N failed".
 * run --MODE: answer JSON lines (golden.h). */
#include "tests/golden/golden.h"

#include "core/base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const golden_kind *const families[] = {golden_text, golden_rules,   golden_model, golden_demo,   golden_stats,
					      golden_pick, golden_numbers, golden_files, golden_shelves};

typedef struct totals {
	size_t passed, failed;
} totals;

void golden_number(as_buf *out, double value)
{
	as_json_write_double(out, value);
}

void golden_member(as_buf *out, const assay_json *object, const char *key)
{
	as_json_write(out, as_json_get(object, key), ASSAY_JSON_COMPACT);
}

void golden_near(golden_case *c, double expected, double got, double tolerance)
{
	golden_number(&c->expected, expected);
	golden_number(&c->got, fabs(got - expected) <= tolerance ? expected : got);
}

/* Does the case have every one of the members that `keys` lists? */
static bool has_keys(const assay_json *one, const char *keys)
{
	while (*keys != '\0') {
		size_t n = strcspn(keys, " ");
		bool deeper = *keys == '*';
		const assay_json *object = deeper ? as_json_first(one) : one;

		if (!as_json_get_n(object, (assay_str){keys + deeper, n - deeper})) {
			return false;
		}
		keys += n + (keys[n] == ' ');
	}
	return true;
}

static const golden_kind *kind_of(const char *path, const assay_json *first)
{
	assay_str name = as_path_base(as_str(path));

	for (int by_name = 1; by_name >= 0; by_name--) {
		for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
			for (const golden_kind *k = families[f]; k->name; k++) {
				size_t n = strlen(k->name);

				if (by_name ? name.len == n + 5 && as_str_starts(name, as_str(k->name))
					    : has_keys(first, k->keys)) {
					return k;
				}
			}
		}
	}
	return NULL;
}

static void run_case(const golden_kind *kind, golden_case *c, const char *path, size_t number, totals *t)
{
	as_buf shown = {0};
	bool failed;

	c->expected.len = c->got.len = 0;
	kind->run(c);
	failed = c->expected.failed || c->got.failed;
	if (!failed && as_str_eq(as_buf_str(&c->expected), as_buf_str(&c->got))) {
		t->passed++;
		return;
	}
	t->failed++;
	as_json_write(&shown, c->one, ASSAY_JSON_COMPACT);
	printf("FAIL %s case %zu\n  case     %.*s\n  expected %.*s\n  got      %.*s\n", path, number,
	       (int)(shown.len < 400 ? shown.len : 400), shown.ptr ? shown.ptr : "",
	       ASSAY_FMT(as_buf_str(&c->expected)), ASSAY_FMT(as_buf_str(&c->got)));
	as_buf_free(&shown);
}

static int run_file(const char *path, totals *t, assay_error *err)
{
	assay_json *document = NULL;
	const assay_json *cases;
	const golden_kind *kind;
	totals own = {0};
	size_t number = 0;
	assay_text text = {0};
	int code = as_file_read(path, AS_JSON_MAX_BYTES, &text, err);

	code = code == 0 ? as_json_parse(as_text_str(text), AS_JSON_PYTHON, &document, err) : code;
	as_text_free(&text);
	if (code != 0) {
		as_error_where(err, path, 0);
		return code;
	}
	cases = as_json_get(document, "cases");
	kind = kind_of(path, cases ? as_json_first(cases) : document);
	if (!kind || (cases && as_json_count(cases) == 0)) {
		code = as_fail(err, ASSAY_EDATA, "no kind of golden vector that is known here");
		as_error_where(err, path, 0);
	} else if (!kind->run) {
		printf("%-60s %zu not yet\n", path, as_json_count(cases));
	} else {
		golden_case c = {.file = document, .path = path};

		for (c.one = cases ? as_json_first(cases) : document; c.one; c.one = as_json_next(c.one)) {
			run_case(kind, &c, path, ++number, &own);
		}
		printf("%-60s %zu passed, %zu failed\n", path, own.passed, own.failed);
		as_buf_free(&c.expected);
		as_buf_free(&c.got);
	}
	t->passed += own.passed;
	t->failed += own.failed;
	as_json_free(document);
	return code;
}

/* Every line is a case of its own. */
static int run_lines(const char *path, totals *t, assay_error *err)
{
	golden_case c = {.path = path};
	as_jsonl *lines = NULL;
	totals own = {0};
	uint32_t number = 0;
	uint64_t offset;
	int code = as_jsonl_open(path, 0, &lines, err);

	while (code == 0 && (code = as_jsonl_next(lines, &c.text, &number, &offset, err)) == 0) {
		assay_json *line = NULL;
		const golden_kind *kind;

		code = as_json_parse(c.text, AS_JSON_PYTHON, &line, err);
		kind = code == 0 ? kind_of("", line) : NULL;
		c.one = line;
		if (kind && kind->run) {
			run_case(kind, &c, path, number, &own);
		} else if (code == 0) {
			code = as_fail(err, ASSAY_EDATA, "no kind of line that is known here");
		}
		if (code != 0) {
			as_error_where(err, path, number);
		}
		as_json_free(line);
	}
	if (code == ASSAY_ENOENT && number > 0) {
		code = 0;
	}
	printf("%-60s %zu passed, %zu failed\n", path, own.passed, own.failed);
	as_buf_free(&c.expected);
	as_buf_free(&c.got);
	as_jsonl_close(lines);
	t->passed += own.passed;
	t->failed += own.failed;
	return code;
}

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && strcmp(path + n - m, end) == 0;
}

static void run_path(const char *path, totals *t);

static int on_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	(void)err;
	if (ends_with(relative, ".json") || ends_with(relative, ".jsonl")) {
		run_path(path, payload);
	}
	return 0;
}

/* A file or folder that cannot be read counts as one failure; the others are run all the same. */
static void run_path(const char *path, totals *t)
{
	assay_error err = {0};
	int code = as_dir_exists(path)         ? as_walk(path, on_file, t, &err)
		   : ends_with(path, ".jsonl") ? run_lines(path, t, &err)
					       : run_file(path, t, &err);

	if (code != 0) {
		char text[1024];

		as_error_format(&err, text, sizeof text);
		printf("FAIL %s\n", text);
		t->failed++;
	}
}

int main(int argc, char **argv)
{
	totals t = {0};

	if (argc == 2 && strncmp(argv[1], "--", 2) == 0) {
		return golden_oracle(argv[1] + 2);
	}
	if (argc < 2) {
		fprintf(stderr, "usage: run FILE-OR-FOLDER...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		run_path(argv[i], &t);
	}
	printf("%zu passed, %zu failed\n", t.passed, t.failed);
	return t.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
