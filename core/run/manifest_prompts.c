/* Prompts in the manifest: "prompt" beside "use" names a file beside the manifest; where nothing is named, the prompt
 * that ships stands. Either way its text is put into the document, so that it counts in every id made of that, and a
 * stored manifest needs no file. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/plugin/prompts.h"
#include "core/run/manifest_read.h"

#define MAX_PROMPT ((size_t)256 << 10)
#define MAX_DEPTH 16u /* of "use" objects inside each other */

static int read_prompt(assay_json *use, const assay_json *given, const char *base_dir, assay_error *err)
{
	assay_str name = as_json_str(given);
	as_buf path = {0};
	assay_text content = {0};
	assay_json *prompt = NULL;
	int rc;
	as_path_join(&path, as_str(base_dir), name);
	rc = as_buf_check(&path, err);
	rc = rc < 0 ? rc : as_file_read(path.ptr, MAX_PROMPT, &content, err);
	if (rc == 0 && (as_trim(as_text_str(content)).len == 0 || as_utf8_check(as_text_str(content)) < content.len)) {
		rc = ASSAY_EDATA;
	}
	if (rc == 0) {
		prompt = as_prompt_of(name, as_text_str(content));
		rc = as_json_set(use, "prompt", prompt) < 0 ? as_fail_memory(err) : 0;
	} else if (rc != ASSAY_ENOMEM) {
		rc = ASSAY_EDATA; /* of the manifest: as_file_read's own code tells about another file */
		if (err) {
			*err = (assay_error){.line = as_json_line(given)};
		}
		as_fail(err, rc, "no prompt can be read from %s", path.ptr);
		as_error_hint(err, "expected the path of a text file, from the manifest's folder on");
	}
	as_text_free(&content);
	as_buf_free(&path);
	return rc;
}

static int expand(assay_json *value, const char *base_dir, unsigned depth, assay_error *err)
{
	const assay_json *use = as_json_get(value, "use"), *prompt = as_json_get(value, "prompt");
	size_t n = 0;
	int rc = 0;
	if (as_json_type(use) == ASSAY_JSON_STRING && as_json_type(prompt) == ASSAY_JSON_STRING) {
		rc = read_prompt(value, prompt, base_dir, err);
	} else if (as_json_type(use) == ASSAY_JSON_STRING && !prompt) {
		assay_json *text;
		if (as_prompt_shipped(as_json_str(use), &text)) {
			rc = as_json_set(value, "prompt", text) < 0 ? as_fail_memory(err) : 0;
		}
	}
	if (rc < 0) {
		as_error_pointer(err, "/prompt");
	}
	for (const assay_json *m = as_json_first(value); m && rc == 0 && depth < MAX_DEPTH; m = as_json_next(m), n++) {
		rc = expand(as_json_edit(m), base_dir, depth + 1, err);
		if (rc < 0 && as_json_type(value) == ASSAY_JSON_ARRAY) {
			as_error_pointer(err, "/%zu", n);
		} else if (rc < 0) {
			as_error_pointer(err, "/%.*s", ASSAY_FMT(as_json_key(m)));
		}
	}
	return rc;
}

int as_expand_prompts(assay_json *document, const char *base_dir, assay_error *err)
{
	static const char *const sections[] = {"generation", "evaluation"};
	int rc = 0;
	for (size_t i = 0; i < sizeof sections / sizeof *sections && rc == 0; i++) {
		rc = expand(as_json_edit(as_json_get(document, sections[i])), base_dir, 0, err);
		if (rc < 0) {
			as_error_pointer(err, "/%s", sections[i]);
		}
	}
	return rc;
}
