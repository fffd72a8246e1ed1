/* Launch records: variables expanded, and the secrets among them remembered by nobody. */
#include "core/world/live.h"

#include "core/base/error.h"
#include <string.h>

typedef struct expansion {
	const as_estate *estate;
	const as_server_spec *server;
	const assay_json *bindings;
	assay_error *err;
} expansion;

/* The bindings that "env:NAME.key" speaks of: NAME is a server (its environment) or an environment. */
static const assay_json *bindings_of(const expansion *x, assay_str name)
{
	for (size_t i = 0; i < x->estate->n_servers; i++) {
		const as_server_spec *s = &x->estate->servers[i];
		if (as_str_is(name, s->id)) {
			return s->environment ? as_json_get(x->bindings, s->environment->name) : NULL;
		}
	}
	return as_json_get_n(x->bindings, name);
}

static int expand_binding(const expansion *x, assay_str reference, as_buf *out)
{
	size_t dot = 0;
	const assay_json *value;
	while (dot < reference.len && reference.ptr[dot] != '.') {
		dot++;
	}
	if (dot == 0 || dot + 1 >= reference.len) {
		as_fail(x->err, ASSAY_EDATA, "\"${env:%.*s}\" is not of the form ${env:NAME.key}",
			ASSAY_FMT(reference));
		return as_error_where(x->err, x->server->id, 0);
	}
	value = as_json_get_n(bindings_of(x, (assay_str){reference.ptr, dot}),
			      (assay_str){reference.ptr + dot + 1, reference.len - dot - 1});
	if (as_json_type(value) != ASSAY_JSON_STRING) {
		as_fail(x->err, ASSAY_EDATA, "${env:%.*s} is given by no environment", ASSAY_FMT(reference));
		as_error_hint(x->err, "give server \"%s\" an \"environment\" whose bindings have it", x->server->id);
		return as_error_where(x->err, x->server->id, 0);
	}
	as_buf_add(out, as_json_str(value));
	return 0;
}

/* "NAME" or "NAME:-default". */
static int expand_variable(const expansion *x, assay_str reference, as_buf *out)
{
	assay_str name = reference, fallback = {NULL, 0};
	bool has_fallback = false;
	as_buf key = {0};
	const char *value;
	int rc;
	for (size_t i = 0; i + 1 < reference.len; i++) {
		if (reference.ptr[i] == ':' && reference.ptr[i + 1] == '-') {
			name.len = i;
			fallback = (assay_str){reference.ptr + i + 2, reference.len - i - 2};
			has_fallback = true;
			break;
		}
	}
	as_buf_add(&key, name);
	rc = as_buf_check(&key, x->err);
	if (rc == 0 && as_str_contains(reference, ASSAY_STR("${"))) {
		rc = as_fail(x->err, ASSAY_EDATA, "the default of ${%.*s} holds another ${...}", ASSAY_FMT(name));
		as_error_hint(x->err,
			      "write ${%.*s} alone, and set it in the environment or in a file .env beside the "
			      "manifest",
			      ASSAY_FMT(name));
		as_error_where(x->err, x->server->id, 0);
	}
	if (rc < 0) {
		goto out;
	}
	value = key.len > 0 ? x->estate->variable(x->estate->payload, key.ptr) : NULL;
	if (value && value[0]) {
		as_buf_puts(out, value);
	} else if (has_fallback) {
		as_buf_add(out, fallback);
	} else {
		rc = as_fail(x->err, ASSAY_EAUTH, "variable %s is not set, or empty", key.ptr ? key.ptr : "\"\"");
		as_error_hint(x->err, "set it in the environment or in a file .env beside the manifest");
		as_error_where(x->err, x->server->id, 0);
	}
out:
	as_buf_free(&key);
	return rc;
}

static int expand_text(const expansion *x, assay_str text, as_buf *out)
{
	size_t i = 0;
	int rc = 0;
	while (i < text.len && rc == 0) {
		size_t end = i + 2;
		if (text.ptr[i] != '$' || i + 1 >= text.len || text.ptr[i + 1] != '{') {
			as_buf_byte(out, text.ptr[i++]);
			continue;
		}
		while (end < text.len && text.ptr[end] != '}') {
			end++;
		}
		if (end >= text.len) {
			as_fail(x->err, ASSAY_EDATA, "\"${\" without a closing \"}\"");
			return as_error_where(x->err, x->server->id, 0);
		}
		if (as_str_starts((assay_str){text.ptr + i + 2, end - i - 2}, ASSAY_STR("env:"))) {
			rc = expand_binding(x, (assay_str){text.ptr + i + 6, end - i - 6}, out);
		} else {
			rc = expand_variable(x, (assay_str){text.ptr + i + 2, end - i - 2}, out);
		}
		i = end + 1;
	}
	return rc < 0 ? rc : as_buf_check(out, x->err);
}

/* Copies `value` with every string expanded; launch records are shallow, so the depth the parser allows is fine. */
static int expand_value(const expansion *x, const assay_json *value, assay_json **out)
{
	as_buf text = {0};
	assay_json *made = NULL;
	int type = as_json_type(value), rc = 0;
	if (type == ASSAY_JSON_STRING) {
		rc = expand_text(x, as_json_str(value), &text);
		made = rc == 0 ? as_json_string(as_buf_str(&text)) : NULL;
	} else if (type == ASSAY_JSON_ARRAY || type == ASSAY_JSON_OBJECT) {
		made = type == ASSAY_JSON_ARRAY ? as_json_array() : as_json_object();
		for (const assay_json *v = as_json_first(value); v && made && rc == 0; v = as_json_next(v)) {
			assay_json *part = NULL;
			rc = expand_value(x, v, &part);
			if (rc == 0) {
				rc = type == ASSAY_JSON_ARRAY ? as_json_append(made, part)
							      : as_json_set_n(made, as_json_key(v), part);
			}
		}
	} else {
		made = as_json_clone(value);
	}
	if (rc == 0 && !made) {
		rc = as_fail_memory(x->err);
	}
	if (rc < 0) {
		as_json_free(made);
		made = NULL;
	}
	*out = made;
	as_buf_free(&text);
	return rc;
}

int as_launch_expand(const as_estate *estate, const as_server_spec *server, const assay_json *bindings,
		     assay_json **out, assay_error *err)
{
	expansion x = {estate, server, bindings, err};
	return expand_value(&x, server->launch, out);
}
