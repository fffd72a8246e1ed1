/* JSON as people write it for editors: comments, commas before a closing bracket, a byte order mark. All of it becomes
 * blanks, so that the strict parser does the reading and every line stays where it is. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"

typedef struct relaxing {
	assay_str in;
	as_buf *out;
	size_t i;
	uint32_t line;
	size_t comma; /* its place in out, when only blanks have followed it; SIZE_MAX: none */
} relaxing;

static void blank(relaxing *r)
{
	char c = r->in.ptr[r->i++];
	r->line += c == '\n';
	as_buf_byte(r->out, c == '\n' || c == '\r' ? c : ' ');
}

static bool at(const relaxing *r, char a, char b)
{
	return r->i + 1 < r->in.len && r->in.ptr[r->i] == a && r->in.ptr[r->i + 1] == b;
}

static int skip_comment(relaxing *r, assay_error *err)
{
	uint32_t begun = r->line;
	bool closed = false;
	if (at(r, '/', '/')) {
		while (r->i < r->in.len && r->in.ptr[r->i] != '\n') {
			blank(r);
		}
		return 0;
	}
	blank(r);
	blank(r);
	while (r->i < r->in.len && !closed) {
		closed = at(r, '*', '/');
		blank(r);
	}
	if (!closed) {
		as_fail(err, ASSAY_EDATA, "a comment is not closed by \"*/\"");
		return as_error_where(err, "", begun);
	}
	blank(r);
	return 0;
}

static void copy_string(relaxing *r)
{
	bool escaped = true; /* the opening quote does not close it */
	do {
		char c = r->in.ptr[r->i++];
		bool done = c == '"' && !escaped;
		escaped = c == '\\' && !escaped;
		r->line += c == '\n';
		as_buf_byte(r->out, c);
		if (done) {
			return;
		}
	} while (r->i < r->in.len);
}

static int relax(assay_str in, as_buf *out, assay_error *err)
{
	relaxing r = {in, out, 0, 1, SIZE_MAX};
	int rc = 0;
	for (int k = 0; k < 3 && as_str_starts(in, ASSAY_STR("\xEF\xBB\xBF")); k++) {
		blank(&r);
	}
	while (r.i < in.len && rc == 0) {
		char c = in.ptr[r.i];
		if (at(&r, '/', '/') || at(&r, '/', '*')) {
			rc = skip_comment(&r, err);
		} else if (c == '"') {
			r.comma = SIZE_MAX;
			copy_string(&r);
		} else {
			if ((c == '}' || c == ']') && r.comma != SIZE_MAX && r.comma < out->len) {
				out->ptr[r.comma] = ' ';
			}
			if (c == ',') {
				r.comma = out->len;
			} else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
				r.comma = SIZE_MAX;
			}
			r.line += c == '\n';
			as_buf_byte(out, c);
			r.i++;
		}
	}
	return rc < 0 ? rc : as_buf_check(out, err);
}

int as_json_read_relaxed(const char *path, size_t max_bytes, assay_json **out, assay_error *err)
{
	as_json_limits limits = {.max_bytes = max_bytes ? max_bytes : AS_JSON_MAX_BYTES};
	assay_text text = {0};
	as_buf plain = {0};
	int rc = as_file_read_text(path, limits.max_bytes, &text, err);
	*out = NULL;
	rc = rc < 0 ? rc : relax(as_text_str(text), &plain, err);
	rc = rc < 0 ? rc : as_json_parse_with(as_buf_str(&plain), ASSAY_JSON_STRICT, &limits, NULL, out, err);
	if (rc < 0) {
		as_error_where(err, path, 0);
	}
	as_buf_free(&plain);
	as_text_free(&text);
	return rc;
}
