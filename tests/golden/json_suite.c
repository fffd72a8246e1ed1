/* json_suite: JSON lines {name, input} of the JSON parsing test suite on standard input. What is named y_... must be
 * accepted in the peer profile, n_... refused in both, with a place and a message; i_... may go either way, but only
 * with an answer. Prints every failure and "N passed, N failed". */
#include "core/base/error.h"
#include "core/base/json.h"
#include <stdio.h>
#include <string.h>

static bool accepted(assay_str text, uint32_t profile, assay_error *err)
{
	assay_json *v;
	as_error_clear(err);
	int rc = as_json_parse(text, profile, &v, err);
	as_json_free(v);
	return rc == 0;
}

static bool is_right(const char *name, assay_str text)
{
	assay_error err;
	bool peer = accepted(text, ASSAY_JSON_PEER, &err);
	bool answered = peer || (err.message[0] && err.line > 0 && err.detail <= (int64_t)text.len);
	bool strict = accepted(text, ASSAY_JSON_STRICT, &err);
	if (name[0] == 'y') {
		return peer;
	}
	return answered && (name[0] == 'i' || (!peer && !strict));
}

int main(void)
{
	as_jsonl *lines;
	assay_json *v;
	unsigned passed = 0;
	unsigned failed = 0;
	assay_error err = {0};
	int rc = as_jsonl_open("-", 0, &lines, &err);
	while (rc == 0) {
		rc = as_jsonl_next_value(lines, ASSAY_JSON_PEER, &v, NULL, NULL, &err);
		if (rc < 0) {
			break;
		}
		const char *name = as_json_cstr(as_json_get(v, "name"), "");
		if (is_right(name, as_json_str(as_json_get(v, "input")))) {
			passed++;
		} else {
			failed++;
			printf("# %s\n", name);
		}
		as_json_free(v);
	}
	as_jsonl_close(lines);
	if (rc != ASSAY_ENOENT) {
		char line[1200];
		as_error_format(&err, line, sizeof line);
		printf("# %s\n", line);
		failed++;
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 && passed > 0 ? 0 : 1;
}
