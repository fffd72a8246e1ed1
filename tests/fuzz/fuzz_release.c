/* What a release is read with, under libFuzzer: the input up to the first NUL byte is a release.json, what follows are
 * lines of rows. Whatever is accepted must have the shape that the rest of the program relies on, and say the same when
 * it is written and read again. */
#include "core/release/difference.h"
#include "core/release/read.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

static void check_record(assay_str text)
{
	assay_error err = {0};
	as_release *r = NULL;
	const as_release_file *files;
	int rc = as_release_parse(text, &r, &err);
	REQUIRE((rc == 0) == (r != NULL) && err.code == rc);
	if (!r) {
		REQUIRE(err.message[0] != '\0');
		return;
	}
	size_t n = as_release_files(r, &files);
	REQUIRE(n <= AS_RELEASE_MAX_FILES && strlen(as_release_identity(r)) == 64);
	for (size_t i = 0; i < n; i++) {
		REQUIRE(as_release_is_name(as_str(files[i].name)) && strchr(files[i].name, '/') == NULL);
		REQUIRE(strcmp(files[i].name, AS_RELEASE_RECORD) != 0 && strlen(files[i].sha256) == 64);
		REQUIRE(as_release_find(r, files[i].name) == &files[i]);
		REQUIRE(i == 0 || strcmp(files[i - 1].name, files[i].name) < 0);
	}
	as_release_close(r);
}

/* What a row says is what it said; expected is taken over. */
static void check_row(assay_json *expected, const assay_json *found)
{
	as_difference d;
	REQUIRE(expected && !as_values_differ(expected, found, &d));
	as_json_free(expected);
}

static void check_rows(const assay_json *v)
{
	as_certificate_line certificate;
	as_funnel_line funnel;
	as_attempt_line attempt;
	as_verdict_line verdict;
	as_plugin_entry plugin;
	if (as_certificate_line_read(v, &certificate, NULL) == 0) {
		check_row(as_certificate_line_json(&certificate), v);
	}
	if (as_funnel_line_read(v, &funnel, NULL) == 0) {
		check_row(as_funnel_line_json(&funnel), v);
	}
	if (as_attempt_line_read(v, &attempt, NULL) == 0) {
		check_row(as_attempt_line_json(&attempt), v);
	}
	if (as_verdict_line_read(v, &verdict, NULL) == 0) {
		check_row(as_verdict_line_json(&verdict), v);
	}
	if (as_plugin_entry_read(v, &plugin, NULL) == 0) {
		check_row(as_plugin_entry_json(&plugin), v);
	}
}

/* Two lines: their differences, both ways round, and of each with itself. */
static void check_difference(const assay_json *a, const assay_json *b)
{
	as_difference d, back;
	bool differ = as_values_differ(a, b, &d);
	REQUIRE(differ == as_values_differ(b, a, &back));
	REQUIRE(!as_values_differ(a, a, &back));
	REQUIRE(!differ || strlen(d.pointer) < sizeof d.pointer);
	(void)as_count_numbers(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *nul = size ? memchr(text, '\0', size) : NULL;
	size_t n = nul ? (size_t)(nul - text) : size;
	assay_json *last = NULL;
	check_record((assay_str){text, n});
	for (size_t at = nul ? n + 1 : size; at < size;) {
		const char *feed = memchr(text + at, '\n', size - at);
		size_t end = feed ? (size_t)(feed - text) : size;
		assay_json *v = NULL;
		if (as_release_line((assay_str){text + at, end - at}, &v, NULL) == 0) {
			check_rows(v);
			check_difference(v, last ? last : v);
			as_json_free(last);
			last = v;
		}
		at = end + 1;
	}
	as_json_free(last);
	return 0;
}
