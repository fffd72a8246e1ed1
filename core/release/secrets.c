#include "core/release/secrets.h"

#include "core/base/error.h"
#include <stdlib.h>
#include <string.h>

int as_secrets_check(as_redactor *secrets, assay_str text, assay_error *err)
{
	const char *name = as_redact_find(secrets, text);
	if (!name) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "the value of the variable %s would be published", name);
	as_error_hint(err, "find out how it got there; nothing was packed");
	return ASSAY_EDATA;
}

/* "/a" stands for everything; only a folder that says something of its owner counts. */
static bool tells_much(const char *folder)
{
	const char *slash = strrchr(folder, '/');
	return folder[0] == '/' && slash && slash != folder && slash[1] != '\0';
}

static bool names_folder(assay_str text, const char *folder)
{
	assay_str f = as_str(folder);
	for (size_t i = 0; f.len > 1 && i + f.len <= text.len; i++) {
		if (memcmp(text.ptr + i, f.ptr, f.len) == 0 && (i + f.len == text.len || text.ptr[i + f.len] == '/')) {
			return true;
		}
	}
	return false;
}

static int check_text(const as_manifest *m, assay_str text, assay_error *err)
{
	const char *home = getenv("HOME"), *found = NULL;
	if (tells_much(m->base_dir) && names_folder(text, m->base_dir)) {
		found = m->base_dir;
	} else if (home && home[0] == '/' && names_folder(text, home)) {
		found = home;
	}
	if (!found) {
		return 0;
	}
	as_fail(err, ASSAY_EDATA, "a path of this machine would be published: %s", found);
	as_error_hint(err, "write it relative to the manifest, or as a ${VARIABLE}");
	return ASSAY_EDATA;
}

int as_paths_check(const as_manifest *m, const assay_json *document, assay_error *err)
{
	size_t i = 0;
	if (as_json_type(document) == ASSAY_JSON_STRING) {
		return check_text(m, as_json_str(document), err);
	}
	if (as_json_type(document) != ASSAY_JSON_ARRAY && as_json_type(document) != ASSAY_JSON_OBJECT) {
		return 0;
	}
	for (const assay_json *v = as_json_first(document); v; v = as_json_next(v), i++) {
		int rc = as_paths_check(m, v, err);
		if (rc < 0) {
			assay_str key = as_json_key(v);
			if (as_json_type(document) == ASSAY_JSON_OBJECT) {
				as_error_pointer(err, "/%.*s", ASSAY_FMT(key));
			} else {
				as_error_pointer(err, "/%zu", i);
			}
			return rc;
		}
	}
	return 0;
}
