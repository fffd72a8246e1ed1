/* What the tables cannot say of goals, manifests and catalogues. */
#include "core/base/error.h"
#include "core/task/model.h"
#include <stdlib.h>

int as_check_goals(const assay_json *made, assay_error *err);
int as_check_manifest(const assay_json *made, assay_error *err);

static int compare_id(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

/* No two elements of the list with the same id. */
static int check_distinct(const assay_json *list, const char *key, assay_error *err)
{
	size_t n = 0, count = as_json_count(list);
	assay_str *ids = as_new(count + 1, sizeof *ids);
	int rc = ids ? 0 : as_fail_memory(err);
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		ids[n++] = as_json_str(as_json_get(v, key));
	}
	if (rc == 0) {
		qsort(ids, n, sizeof *ids, compare_id);
	}
	for (size_t i = 1; i < n && rc == 0; i++) {
		if (as_str_eq(ids[i], ids[i - 1])) {
			rc = as_fail(err, ASSAY_EDATA, "the %s \"%.*s\" stands twice", key, ASSAY_FMT(ids[i]));
		}
	}
	free(ids);
	return rc;
}

int as_check_goals(const assay_json *made, assay_error *err)
{
	int rc = check_distinct(as_json_get(made, "entries"), "goal_id", err);
	if (rc < 0) {
		as_error_pointer(err, "/entries");
	}
	return rc;
}

static bool is_set(const assay_json *server, const char *key)
{
	return as_json_type(as_json_get(server, key)) != ASSAY_JSON_NULL;
}

static bool has_text(const assay_json *server, const char *key)
{
	return as_json_str(as_json_get(server, key)).len > 0;
}

/* NULL: the entry is in order. */
static const char *complaint_about(const assay_json *server)
{
	bool writes = as_str_is(as_json_str(as_json_get(server, "dynamism")), "stateful_write");
	bool stdio = as_str_is(as_json_str(as_json_get(server, "transport")), "stdio");
	if (writes && !as_json_boolean(as_json_get(server, "sandbox"), 0)) {
		return "a stateful_write server needs \"sandbox\": true";
	}
	if (stdio) {
		return !has_text(server, "command")                              ? "a stdio server needs a \"command\""
		       : is_set(server, "endpoint") || is_set(server, "headers") ? "a stdio server has neither "
										   "\"endpoint\" nor \"headers\""
										 : NULL;
	}
	if (!has_text(server, "endpoint")) {
		return "a server that is not stdio needs an \"endpoint\"";
	}
	return is_set(server, "command") || is_set(server, "env") || as_json_count(as_json_get(server, "args")) > 0
		       ? "a server that is not stdio has neither \"command\" nor \"args\" nor \"env\""
		       : NULL;
}

int as_check_manifest(const assay_json *made, assay_error *err)
{
	const assay_json *servers = as_json_get(made, "servers");
	size_t index = 0;
	int rc;
	for (const assay_json *s = as_json_first(servers); s; s = as_json_next(s), index++) {
		const char *complaint = complaint_about(s);
		if (complaint) {
			as_fail(err, ASSAY_EDATA, "%s", complaint);
			as_error_pointer(err, "/servers/%zu", index);
			return ASSAY_EDATA;
		}
	}
	rc = check_distinct(servers, "server_id", err);
	if (rc < 0) {
		as_error_pointer(err, "/servers");
	}
	return rc;
}

int as_catalogue_file_read(const assay_json *document, assay_json **out, assay_error *err)
{
	assay_json *made = NULL;
	int rc = 0;
	*out = NULL;
	if (as_json_type(document) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a catalogue is an object of entries by server id");
	}
	made = as_json_object();
	rc = made ? 0 : as_fail_memory(err);
	for (const assay_json *e = as_json_first(document); e && rc == 0; e = as_json_next(e)) {
		assay_json *entry = NULL;
		rc = as_model_read(&as_model_catalogue_entry, e, &entry, err);
		if (rc < 0) {
			as_error_pointer(err, "/%.*s", ASSAY_FMT(as_json_key(e)));
		} else if (as_json_set_n(made, as_json_key(e), entry) < 0) {
			rc = as_fail_memory(err);
		}
	}
	if (rc < 0) {
		as_json_free(made);
		return rc;
	}
	*out = made;
	return 0;
}

/* A copy without the members that are null. */
static assay_json *without_nulls(const assay_json *v)
{
	int type = as_json_type(v), rc = 0;
	assay_json *out;
	if (type != ASSAY_JSON_OBJECT && type != ASSAY_JSON_ARRAY) {
		return as_json_clone(v);
	}
	out = type == ASSAY_JSON_OBJECT ? as_json_object() : as_json_array();
	rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		if (type == ASSAY_JSON_ARRAY) {
			rc = as_json_append(out, without_nulls(m));
		} else if (as_json_type(m) != ASSAY_JSON_NULL) {
			rc = as_json_set_n(out, as_json_key(m), without_nulls(m));
		}
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

int as_model_write_manifest(const assay_json *manifest, as_buf *out)
{
	assay_json *lean = without_nulls(manifest);
	if (!lean) {
		return ASSAY_ENOMEM;
	}
	as_json_write(out, lean, ASSAY_JSON_PRETTY_ASCII);
	as_json_free(lean);
	return as_buf_check(out, NULL);
}
