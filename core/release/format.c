#include "core/release/format.h"

#include "core/base/error.h"
#include <string.h>

#define MAX_NAME 128

bool as_release_is_name(assay_str name)
{
	if (name.len == 0 || name.len > MAX_NAME || name.ptr[0] == '.') {
		return false;
	}
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
			     c == '_' || c == '-';
		if (!plain) {
			return false;
		}
	}
	return true;
}

void as_line_digest(assay_str line, char out[AS_LINE_DIGEST + 1])
{
	char hex[65];
	as_sha256_hex(line, hex);
	memcpy(out, hex, AS_LINE_DIGEST);
	out[AS_LINE_DIGEST] = '\0';
}

void as_identity_add(as_sha256 *sum, const char *name, const char *digest)
{
	as_sha256_add(sum, (assay_str){name, strlen(name) + 1}); /* the NUL ends the name */
	as_sha256_add(sum, as_str(digest));
	as_sha256_add(sum, ASSAY_STR("\n"));
}

/* A row is described by its members; where one lives in the struct is its offset. */
typedef enum member_kind { TEXT, MAYBE_TEXT, WHOLE, TRUTH, MAYBE_TRUE, LIST, OBJECT, MAYBE_OBJECT } member_kind;
typedef struct row_member {
	const char *key;
	member_kind kind;
	size_t offset;
} row_member;

static int fail_member(const row_member *m, const char *expected, assay_error *err)
{
	as_fail(err, ASSAY_EDATA, "\"%s\" is missing or not %s", m->key, expected);
	return as_error_pointer(err, "/%s", m->key);
}

static int read_member(const assay_json *v, const row_member *m, void *row, assay_error *err)
{
	const assay_json *value = as_json_get(v, m->key);
	int type = as_json_type(value);
	char *at = (char *)row + m->offset;
	assay_str text = as_json_str(value);
	const int64_t none = -1;
	int64_t number;
	bool truth;
	switch (m->kind) {
	case TEXT:
	case MAYBE_TEXT:
		if (type != ASSAY_JSON_STRING || (m->kind == TEXT && text.len == 0)) {
			return fail_member(m, m->kind == TEXT ? "a text that says something" : "a text", err);
		}
		memcpy(at, &text, sizeof text);
		return 0;
	case WHOLE:
		number = as_json_i64(value, none);
		if (type != ASSAY_JSON_NUMBER || !as_json_is_integer(value) || number < 0) {
			return fail_member(m, "a whole number of 0 or more", err);
		}
		memcpy(at, &number, sizeof number);
		return 0;
	case TRUTH:
	case MAYBE_TRUE:
		if (!value && m->kind == MAYBE_TRUE) {
			return 0;
		}
		truth = as_json_boolean(value, 0) != 0;
		if (type != ASSAY_JSON_BOOL) {
			return fail_member(m, "true or false", err);
		}
		memcpy(at, &truth, sizeof truth);
		return 0;
	default:
		if (!value && m->kind == MAYBE_OBJECT) {
			return 0;
		}
		if (type != (m->kind == LIST ? ASSAY_JSON_ARRAY : ASSAY_JSON_OBJECT)) {
			return fail_member(m, m->kind == LIST ? "an array" : "an object", err);
		}
		memcpy(at, &value, sizeof value);
		return 0;
	}
}

static int read_row(const assay_json *v, const row_member *members, size_t n, void *row, assay_error *err)
{
	if (as_json_type(v) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "expected an object");
	}
	for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
		bool known = false;
		for (size_t i = 0; i < n && !known; i++) {
			known = as_str_is(as_json_key(m), members[i].key);
		}
		if (!known) {
			return as_fail(err, ASSAY_EDATA, "unknown member \"%.*s\"",
				       (int)(as_json_key(m).len < 64 ? as_json_key(m).len : 64), as_json_key(m).ptr);
		}
	}
	for (size_t i = 0; i < n; i++) {
		int rc = read_member(v, &members[i], row, err);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static assay_json *member_json(const row_member *m, const void *row)
{
	const char *at = (const char *)row + m->offset;
	const assay_json *value;
	assay_str text;
	int64_t number;
	bool truth;
	switch (m->kind) {
	case TEXT:
	case MAYBE_TEXT:
		memcpy(&text, at, sizeof text);
		return as_json_string(text);
	case WHOLE:
		memcpy(&number, at, sizeof number);
		return as_json_integer(number);
	case TRUTH:
	case MAYBE_TRUE:
		memcpy(&truth, at, sizeof truth);
		return truth || m->kind == TRUTH ? as_json_truth(truth) : NULL;
	default:
		memcpy(&value, at, sizeof value);
		return as_json_clone(value);
	}
}

static assay_json *row_json(const row_member *members, size_t n, const void *row)
{
	assay_json *o = as_json_object();
	int rc = o ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		assay_json *member = member_json(&members[i], row);
		if (member || (members[i].kind != MAYBE_OBJECT && members[i].kind != MAYBE_TRUE)) {
			rc = as_json_set(o, members[i].key, member);
		}
	}
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

#define ROW(name, type, members)                                                                                       \
	int name##_read(const assay_json *v, type *out, assay_error *err)                                              \
	{                                                                                                              \
		*out = (type){0};                                                                                      \
		return read_row(v, members, sizeof members / sizeof *members, out, err);                               \
	}                                                                                                              \
	assay_json *name##_json(const type *row)                                                                       \
	{                                                                                                              \
		return row_json(members, sizeof members / sizeof *members, row);                                       \
	}

static const row_member certificate_members[] = {
	{"task_id", TEXT, offsetof(as_certificate_line, task_id)},
	{"category", TEXT, offsetof(as_certificate_line, category)},
	{"index", WHOLE, offsetof(as_certificate_line, index)},
	{"tape_id", TEXT, offsetof(as_certificate_line, tape_id)},
	{"certificate", LIST, offsetof(as_certificate_line, certificate)},
};
ROW(as_certificate_line, as_certificate_line, certificate_members)

static const row_member funnel_members[] = {
	{"category", TEXT, offsetof(as_funnel_line, category)},
	{"index", WHOLE, offsetof(as_funnel_line, index)},
	{"state", TEXT, offsetof(as_funnel_line, state)},
	{"reason", MAYBE_TEXT, offsetof(as_funnel_line, reason)},
	{"goal_id", MAYBE_TEXT, offsetof(as_funnel_line, goal_id)},
	{"trace_id", MAYBE_TEXT, offsetof(as_funnel_line, trace_id)},
	{"task_id", MAYBE_TEXT, offsetof(as_funnel_line, task_id)},
	{"gates", MAYBE_OBJECT, offsetof(as_funnel_line, gates)},
};
ROW(as_funnel_line, as_funnel_line, funnel_members)

static const row_member attempt_members[] = {
	{"attempt_id", TEXT, offsetof(as_attempt_line, attempt_id)},
	{"task_id", TEXT, offsetof(as_attempt_line, task_id)},
	{"candidate", TEXT, offsetof(as_attempt_line, candidate)},
	{"condition", TEXT, offsetof(as_attempt_line, condition)},
	{"repeat", WHOLE, offsetof(as_attempt_line, repeat)},
	{"try", WHOLE, offsetof(as_attempt_line, try_number)},
	{"end", TEXT, offsetof(as_attempt_line, end)},
	{"class", TEXT, offsetof(as_attempt_line, end_class)},
	{"void", TRUTH, offsetof(as_attempt_line, voided)},
	{"trace_id", TEXT, offsetof(as_attempt_line, trace_id)},
};
ROW(as_attempt_line, as_attempt_line, attempt_members)

static const row_member verdict_members[] = {
	{"attempt_id", TEXT, offsetof(as_verdict_line, attempt_id)},
	{"try", WHOLE, offsetof(as_verdict_line, try_number)},
	{"scorer", TEXT, offsetof(as_verdict_line, scorer)},
	{"verdict", OBJECT, offsetof(as_verdict_line, verdict)},
};
ROW(as_verdict_line, as_verdict_line, verdict_members)

static const row_member plugin_members[] = {
	{"use", TEXT, offsetof(as_plugin_entry, use)},
	{"version", TEXT, offsetof(as_plugin_entry, version)},
	{"module", TEXT, offsetof(as_plugin_entry, module)},
	{"digest", TEXT, offsetof(as_plugin_entry, digest)},
	{"defaults", MAYBE_OBJECT, offsetof(as_plugin_entry, defaults)},
	{"foreign", MAYBE_TRUE, offsetof(as_plugin_entry, foreign)},
};
ROW(as_plugin_entry, as_plugin_entry, plugin_members)
