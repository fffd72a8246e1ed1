/* schema_suite FOLDER: run the official JSON Schema test suite's files of one draft (FOLDER/...json, groups of
 * {description, schema, tests: [{description, data, valid}]}). Groups that use a keyword of as_schema_unsupported(), or
 * refer to another document, are skipped and counted by reason. Prints every failure and "N passed, N failed, N
 * skipped". */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REASONS 32

struct tally {
	bool draft7;
	unsigned passed, failed, skipped;
	const char *reasons[MAX_REASONS]; /* of skips */
	unsigned groups[MAX_REASONS];
	size_t n_reasons;
};

static const char *text_of(const assay_json *v, const char *key)
{
	return as_json_cstr(as_json_get(v, key), "");
}

/* An unsupported keyword anywhere in the schema, or NULL. */
static const char *unsupported(const assay_json *v)
{
	for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
		for (const char *const *k = as_schema_unsupported(); *k; k++) {
			if (as_json_type(v) == ASSAY_JSON_OBJECT && as_str_is(as_json_key(m), *k)) {
				return *k;
			}
		}
		const char *below = unsupported(m);
		if (below) {
			return below;
		}
	}
	return NULL;
}

static void skip(struct tally *t, const assay_json *group, const char *reason)
{
	size_t i = 0;
	t->skipped += (unsigned)as_json_count(as_json_get(group, "tests"));
	while (i < t->n_reasons && strcmp(t->reasons[i], reason) != 0) {
		i++;
	}
	if (i < MAX_REASONS) {
		t->n_reasons = i == t->n_reasons ? i + 1 : t->n_reasons;
		t->reasons[i] = reason;
		t->groups[i]++;
	}
}

/* The files of draft-07 do not name their dialect; what stands beside a $ref depends on it. */
static void set_dialect(const struct tally *t, assay_json *schema)
{
	if (t->draft7 && as_json_type(schema) == ASSAY_JSON_OBJECT && !as_json_get(schema, "$schema")) {
		as_json_set(schema, "$schema", as_json_cstring("http://json-schema.org/draft-07/schema#"));
	}
}

static void run_group(struct tally *t, const char *file, const assay_json *group)
{
	as_schema *schema = NULL;
	assay_error err = {0};
	char line[1200];
	const char *keyword = unsupported(as_json_get(group, "schema"));
	const char *dialect = as_json_cstr(as_json_pointer(group, "/schema/$schema"), "//json-schema.org/");
	if (keyword || !strstr(dialect, "//json-schema.org/")) {
		skip(t, group, keyword ? keyword : "a metaschema of its own");
		return;
	}
	set_dialect(t, as_json_edit(as_json_get(group, "schema")));
	int rc = as_schema_compile(as_json_get(group, "schema"), &schema, &err);
	if (rc == ASSAY_ENOTSUP) {
		skip(t, group, "$ref to another document");
		return;
	}
	if (rc < 0) {
		as_error_format(&err, line, sizeof line);
		printf("# %s: %s: %s\n", file, text_of(group, "description"), line);
		t->failed += (unsigned)as_json_count(as_json_get(group, "tests"));
		return;
	}
	for (const assay_json *c = as_json_first(as_json_get(group, "tests")); c; c = as_json_next(c)) {
		int valid = as_json_boolean(as_json_get(c, "valid"), -1);
		as_error_clear(&err);
		rc = as_schema_validate(schema, as_json_get(c, "data"), &err);
		if (valid >= 0 && rc == (valid ? 0 : ASSAY_EDATA) && (valid || err.message[0])) {
			t->passed++;
			continue;
		}
		t->failed++;
		as_error_format(&err, line, sizeof line);
		printf("# %s: %s: %s: answered %s %s\n", file, text_of(group, "description"), text_of(c, "description"),
		       as_error_name(rc), line);
	}
	as_schema_free(schema);
}

static int run_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	struct tally *t = payload;
	assay_json *groups;
	if (strstr(relative, "optional/")) {
		return 0;
	}
	assay_text text;
	int rc = as_file_read(path, AS_JSON_MAX_BYTES, &text, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_json_parse(as_text_str(text), ASSAY_JSON_PEER, &groups, err); /* the suite has a NUL in a string */
	as_text_free(&text);
	if (rc < 0) {
		as_error_where(err, path, 0);
		return rc;
	}
	for (const assay_json *g = as_json_first(groups); g; g = as_json_next(g)) {
		run_group(t, relative, g);
	}
	as_json_free(groups);
	return 0;
}

int main(int argc, char **argv)
{
	struct tally t = {0};
	assay_error err = {0};
	char line[1200];
	if (argc != 2) {
		fprintf(stderr, "usage: schema_suite FOLDER\n");
		return 2;
	}
	t.draft7 = strstr(argv[1], "draft7") != NULL;
	if (as_walk(argv[1], run_file, &t, &err) < 0) {
		as_error_format(&err, line, sizeof line);
		fprintf(stderr, "%s\n", line);
		return 1;
	}
	for (size_t i = 0; i < t.n_reasons; i++) {
		printf("# skipped %u groups for %s\n", t.groups[i], t.reasons[i]);
	}
	printf("%u passed, %u failed, %u skipped\n", t.passed, t.failed, t.skipped);
	return t.failed == 0 && t.passed > 0 ? 0 : 1;
}
