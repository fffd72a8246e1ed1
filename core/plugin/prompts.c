#include "core/plugin/prompts.h"

#include "core/base/text.h"
#include <string.h>

/* {"ROLE/NAME", bytes, how many} */
static const struct {
	const char *use;
	const unsigned char *bytes;
	size_t size;
} shipped[] = {
#include "core/plugin/prompts.inc"
};

/* Take a first line "<!-- LABEL -->" off. */
static assay_str take_label(assay_str *content)
{
	static const char begin[] = "<!--", end[] = "-->";
	const char *line = content->len > 0 ? memchr(content->ptr, '\n', content->len) : NULL;
	size_t n = line ? (size_t)(line - content->ptr) : content->len;
	assay_str first = as_trim((assay_str){content->ptr, n});
	if (first.len < sizeof begin + sizeof end || memcmp(first.ptr, begin, sizeof begin - 1) != 0 ||
	    memcmp(first.ptr + first.len - (sizeof end - 1), end, sizeof end - 1) != 0) {
		return (assay_str){NULL, 0};
	}
	n += line != NULL;
	*content = (assay_str){content->ptr + n, content->len - n};
	return as_trim((assay_str){first.ptr + sizeof begin - 1, first.len - (sizeof begin - 1) - (sizeof end - 1)});
}

assay_json *as_prompt_of(assay_str file, assay_str content)
{
	assay_json *out = as_json_object();
	assay_str label = take_label(&content);
	int rc = file.len > 0 ? as_json_set(out, "file", as_json_string(file)) : 0;
	rc |= as_json_set(out, "label", as_json_string(label));
	rc |= as_json_set(out, "text", as_json_string(as_trim(content)));
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

bool as_prompt_shipped(assay_str use, assay_json **out)
{
	for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
		if (as_str_is(use, shipped[i].use)) {
			*out = as_prompt_of((assay_str){NULL, 0},
					    (assay_str){(const char *)shipped[i].bytes, shipped[i].size});
			return true;
		}
	}
	return false;
}
