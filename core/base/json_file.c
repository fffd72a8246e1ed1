#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"

int as_json_read_file(const char *path, size_t max_bytes, assay_json **out, assay_error *err)
{
	as_json_limits limits = {.max_bytes = max_bytes ? max_bytes : AS_JSON_MAX_BYTES};
	assay_text text = {0};
	*out = NULL;
	int rc = as_file_read_text(path, limits.max_bytes, &text, err);
	if (rc == 0) {
		rc = as_json_parse_with(as_text_str(text), ASSAY_JSON_STRICT, &limits, NULL, out, err);
	}
	if (rc < 0) {
		as_error_where(err, path, 0);
	}
	as_text_free(&text);
	return rc;
}
