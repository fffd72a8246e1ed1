/* Variables in what plugins send out: they write ${NAME}, and the value is put in here. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include <string.h>

static int is_set(assay_call *call, const char *name)
{
	const as_call *c = as_call_of_const(call);
	const char *value;
	if (!c->hooks || !c->hooks->variable) {
		return ASSAY_ENOTSUP;
	}
	value = c->hooks->variable(c->context, name, false);
	return value && value[0];
}

const assay_variables_api as_host_variables = {sizeof as_host_variables, 0, is_set};

static int put_value(const as_call *call, assay_str name, as_buf *out, assay_error *err)
{
	as_buf key = {0};
	const char *value = NULL;
	int rc;
	as_buf_add(&key, name);
	rc = key.len > 0 ? as_buf_check(&key, err) : as_fail(err, ASSAY_EINVAL, "\"${}\" names no variable");
	if (rc == 0) {
		value = call->hooks->variable(call->context, key.ptr, true);
		if (value && value[0]) {
			as_buf_puts(out, value);
		} else {
			rc = as_fail(err, ASSAY_EAUTH, "the variable %s is not set, or empty", key.ptr);
			as_error_hint(err, "set it in the environment or in a file .env beside the manifest");
		}
	}
	as_buf_free(&key);
	return rc;
}

const char *as_host_expand(const as_call *call, as_arena *arena, const char *text, assay_error *err)
{
	as_buf out = {0};
	const char *made = NULL;
	int rc = 0;
	if (!text || !call->hooks || !call->hooks->variable || !strstr(text, "${")) {
		return text;
	}
	for (const char *p = text; *p && rc == 0;) {
		const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
		if (!end) {
			as_buf_byte(&out, *p++);
			continue;
		}
		rc = put_value(call, (assay_str){p + 2, (size_t)(end - p - 2)}, &out, err);
		p = end + 1;
		while (rc == 0 && *p == '/' && out.len > 0 && out.ptr[out.len - 1] == '/') {
			out.len--; /* an address may end with a slash or not */
		}
	}
	if (rc == 0 && as_buf_check(&out, err) == 0) {
		made = as_arena_cstr(arena, as_buf_str(&out));
		if (!made) {
			as_fail_memory(err);
		}
	}
	as_buf_free(&out);
	return made;
}

const char *const *as_host_expand_list(const as_call *call, as_arena *arena, const char *const *list, assay_error *err)
{
	size_t n = 0;
	const char **out;
	if (!list || !call->hooks || !call->hooks->variable) {
		return list;
	}
	while (list[n]) {
		n++;
	}
	out = as_arena_alloc(arena, (n + 1) * sizeof *out);
	if (!out) {
		as_fail_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		out[i] = as_host_expand(call, arena, list[i], err);
		if (!out[i]) {
			return NULL;
		}
	}
	return out;
}
