/* The two ways of turning a result into text: for scoring, and for a model to read. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/trace/trace.h"

static bool is_text_part(const assay_json *part, const assay_json **text)
{
	assay_str type = {"", 0};
	*text = NULL;
	for (const assay_json *m = as_json_type(part) == ASSAY_JSON_OBJECT ? as_json_first(part) : NULL; m;
	     m = as_json_next(m)) {
		assay_str key = as_json_key(m);
		if (as_str_is(key, "type")) {
			type = as_json_str(m);
		} else if (as_str_is(key, "text")) {
			*text = m;
		}
	}
	return as_str_is(type, "text");
}

bool as_render_is_part(const assay_json *result, assay_str *out)
{
	const assay_json *content = as_json_get(result, "content"), *first = as_json_first(content), *text;
	bool only = as_json_type(content) == ASSAY_JSON_ARRAY && first && !as_json_next(first) &&
		    is_text_part(first, &text);
	if (only) {
		*out = as_json_str(text);
	}
	return only;
}

bool as_has_text_part(const assay_json *result)
{
	const assay_json *content = as_json_get(result, "content"), *text;
	if (as_json_type(content) != ASSAY_JSON_ARRAY) {
		return false;
	}
	for (const assay_json *p = as_json_first(content); p; p = as_json_next(p)) {
		if (is_text_part(p, &text)) {
			return true;
		}
	}
	return false;
}

/* Appends the text parts joined by LF; tells whether there was any. */
static bool join_text_parts(const assay_json *result, as_buf *out)
{
	const assay_json *content = as_json_get(result, "content");
	bool any = false;
	if (as_json_type(content) != ASSAY_JSON_ARRAY) {
		return false;
	}
	for (const assay_json *p = as_json_first(content); p; p = as_json_next(p)) {
		const assay_json *text;
		if (is_text_part(p, &text)) {
			if (any) {
				as_buf_byte(out, '\n');
			}
			as_buf_add(out, as_json_str(text));
			any = true;
		}
	}
	return any;
}

int as_render_result(const assay_json *result, as_buf *out)
{
	if (result && as_json_type(result) != ASSAY_JSON_NULL && !join_text_parts(result, out)) {
		as_json_write(out, result, ASSAY_JSON_PYTHON);
	}
	return as_buf_check(out, NULL);
}

int as_render_for_model(const assay_json *result, bool is_error, size_t cut, as_buf *out)
{
	as_buf text = {0};
	size_t length, kept;
	int rc;
	if (is_error) {
		as_buf_puts(&text, "[tool error] ");
	}
	if (!join_text_parts(result, &text)) {
		as_json_write(&text, result, ASSAY_JSON_PYTHON_RAW);
	}
	rc = as_buf_check(&text, NULL);
	if (rc == 0) {
		kept = cut ? as_utf8_prefix(as_buf_str(&text), cut) : text.len;
		as_buf_add(out, (assay_str){text.ptr, kept});
		if (kept < text.len) {
			length = as_utf8_length((assay_str){text.ptr + kept, text.len - kept});
			as_buf_printf(out, "\n[... %zu more characters cut]", length);
		}
		rc = as_buf_check(out, NULL);
	}
	as_buf_free(&text);
	return rc;
}
