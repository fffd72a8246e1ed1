#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/mcp/session.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

int as_tool_surface_hash(const assay_json *tools, char out[17], assay_error *err)
{
	size_t n = as_json_count(tools), i = 0;
	assay_str *names = as_new(n ? n : 1, sizeof *names);
	as_buf joined = {0};
	char hex[65];
	int rc = 0;

	if (!names) {
		return as_fail_memory(err);
	}
	for (const assay_json *tool = as_json_first(tools); tool; tool = as_json_next(tool)) {
		const assay_json *name = as_json_get(tool, "name");

		if (as_json_type(name) != ASSAY_JSON_STRING) {
			rc = as_fail(err, ASSAY_EDATA, "tool without a name");
			as_error_pointer(err, "/%zu/name", i);
			goto out;
		}
		names[i++] = as_json_str(name);
	}
	qsort(names, n, sizeof *names, by_bytes);
	for (i = 0; i < n; i++) {
		if (i > 0) {
			as_buf_byte(&joined, '\n');
		}
		as_buf_add(&joined, names[i]);
	}
	rc = as_buf_check(&joined, err);
	if (!rc) {
		as_sha256_hex(as_buf_str(&joined), hex);
		memcpy(out, hex, 16);
		out[16] = '\0';
	}
out:
	as_buf_free(&joined);
	free(names);
	return rc;
}
