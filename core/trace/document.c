#include "core/trace/document.h"

#include "core/base/error.h"
#include <string.h>

static const char *type_name(int type)
{
	switch (type) {
	case ASSAY_JSON_BOOL:
		return "true or false";
	case ASSAY_JSON_NUMBER:
		return "a number";
	case ASSAY_JSON_STRING:
		return "a text";
	case ASSAY_JSON_ARRAY:
		return "an array";
	default:
		return "an object";
	}
}

int as_check_members(const assay_json *object, const as_member_rule *rules, size_t n, const assay_json **found,
		     assay_error *err)
{
	as_json_find(object, rules, n, found);
	for (size_t i = 0; i < n; i++) {
		int type = as_json_type(found[i]);
		bool absent = type == ASSAY_JSON_NONE || type == ASSAY_JSON_NULL;
		if (type == rules[i].type || (!rules[i].required && (absent || rules[i].type == ASSAY_JSON_NONE))) {
			continue;
		}
		as_fail(err, ASSAY_EDATA, absent ? "\"%s\" is missing: expected %s" : "\"%s\" is not %s",
			rules[i].key.ptr, type_name(rules[i].type));
		as_error_pointer(err, "/%s", rules[i].key.ptr);
		return ASSAY_EDATA;
	}
	return 0;
}

const char *as_status_name(uint32_t status)
{
	return status == ASSAY_STEP_SUCCESS ? "success" : status == ASSAY_STEP_TIMEOUT ? "timeout" : "error";
}

int as_read_status(const assay_json *member, uint32_t *status, assay_error *err)
{
	assay_str name = as_json_str(member);
	for (uint32_t s = ASSAY_STEP_SUCCESS; s <= ASSAY_STEP_TIMEOUT; s++) {
		if (as_str_is(name, as_status_name(s))) {
			*status = s;
			return 0;
		}
	}
	as_fail(err, ASSAY_EDATA, "\"status\" is neither \"success\" nor \"error\" nor \"timeout\"");
	as_error_pointer(err, "/status");
	return ASSAY_EDATA;
}

const assay_json *as_object_or_null(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_OBJECT ? v : NULL;
}
