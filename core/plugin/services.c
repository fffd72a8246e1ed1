/* Service modules: parts of the program whose libraries are not worth loading before they are needed. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/plugin/loader.h"
#include "core/plugin/registry_private.h"
#include <string.h>

#define SERVICE_SYMBOL "assay_service_v1"

typedef struct wanted {
	const char *stem;
} wanted;

static int is_wanted(void *payload, assay_str stem)
{
	const wanted *w = payload;
	return as_str_is(stem, w->stem);
}

/* LIB_DIR/STEM.so, LIB_DIR/.libs/STEM.so, or linked in (NULL). */
static int locate(const as_registry *r, const char *stem, as_buf *path, bool *linked, assay_error *err)
{
	static const char *const folders[] = {"", "/.libs"};
	wanted w = {stem};
	*linked = false;
	for (size_t i = 0; i < 2; i++) {
		as_buf_clear(path);
		as_buf_printf(path, "%s%s/%s.so", r->lib_dir, folders[i], stem);
		if (path->failed) {
			return as_fail_memory(err);
		}
		if (as_file_exists(path->ptr)) {
			return 0;
		}
	}
	*linked = as_loader_linked(SERVICE_SYMBOL, is_wanted, &w) > 0;
	if (!*linked) {
		as_fail(err, ASSAY_EPLUGIN, "the module %s.so is not in %s", stem, r->lib_dir);
		return as_error_hint(err, "install the program again, or set ASSAY_LIB_DIR to its library folder");
	}
	return 0;
}

/* A table of a service begins with its size; ours must be covered. */
static int open_service(const as_registry *r, const char *stem, uint32_t size, const void **out, assay_error *err)
{
	as_buf path = {0};
	bool linked = false;
	as_getter *getter = NULL;
	int rc = locate(r, stem, &path, &linked, err);
	if (rc == 0) {
		rc = as_loader_open(linked ? NULL : path.ptr, stem, SERVICE_SYMBOL, &getter, err);
	}
	if (rc == 0) {
		const void *table = getter();
		uint32_t theirs = 0;
		if (table) {
			memcpy(&theirs, table, sizeof theirs);
		}
		if (theirs != size) {
			rc = as_fail(err, ASSAY_EPLUGIN, "its table has %u bytes, expected %u", (unsigned)theirs,
				     (unsigned)size);
			as_error_hint(err, "it is of another version of the program: install the program again");
			as_error_where(err, linked ? stem : path.ptr, 0);
		} else {
			*out = table;
		}
	}
	as_buf_free(&path);
	return rc;
}

int as_service_http(as_registry *r, const as_http_ops **out, assay_error *err)
{
	const void *table = NULL;
	int rc = 0;
	pthread_mutex_lock(&r->lock);
	if (!r->http) {
		rc = open_service(r, "service_http", sizeof(as_http_ops), &table, err);
		r->http = table;
	}
	*out = r->http;
	pthread_mutex_unlock(&r->lock);
	return rc;
}

int as_service_archive(as_registry *r, const as_archive_ops **out, assay_error *err)
{
	const void *table = NULL;
	int rc = 0;
	pthread_mutex_lock(&r->lock);
	if (!r->archive) {
		rc = open_service(r, "service_archive", sizeof(as_archive_ops), &table, err);
		r->archive = table;
	}
	*out = r->archive;
	pthread_mutex_unlock(&r->lock);
	return rc;
}
