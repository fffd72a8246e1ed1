#include "core/base/error.h"
#include "core/base/file.h"
#include "core/plugin/call.h"
#include "core/plugin/prompts.h"
#include "core/plugin/registry_private.h"
#include "core/plugin/role.h"
#include <stdlib.h>
#include <string.h>

#define PATH_DEPTH 32u /* nesting of options in which paths are looked for */

typedef struct ops_head {
	ASSAY_OPS_HEAD;
} ops_head;

struct as_instance {
	const as_impl_info *info;
	void *self;
	void (*close)(void *self);
	_Alignas(max_align_t) unsigned char ops[]; /* the role's table */
};

/* Where the options are rewritten: every string whose schema says "format": "path". */
typedef struct paths {
	const assay_json *root; /* of the schema */
	const char *base_dir;
	assay_error *err;
	int rc;
} paths;

static assay_json *with_paths(paths *p, const assay_json *schema, const assay_json *value, unsigned depth);

static const assay_json *dereference(const paths *p, const assay_json *schema)
{
	for (unsigned hops = 0; hops < PATH_DEPTH; hops++) {
		const char *ref = as_json_cstr(as_json_get(schema, "$ref"), "");
		if (ref[0] != '#') {
			break;
		}
		schema = as_json_pointer(p->root, ref + 1);
	}
	return schema;
}

static assay_json *resolve(paths *p, const assay_json *schema, const assay_json *value)
{
	assay_str text = as_json_str(value);
	as_buf path = {0};
	if (text.len == 0 || !p->base_dir) {
		as_buf_add(&path, text);
	} else {
		as_path_join(&path, as_str(p->base_dir), text);
	}
	if (as_json_boolean(as_json_get(schema, "must-exist"), 0) && path.ptr && !as_file_exists(path.ptr) &&
	    !as_dir_exists(path.ptr)) {
		p->rc = as_fail(p->err, ASSAY_ENOENT, "there is no file or folder %s", path.ptr);
	}
	assay_json *out = path.failed ? NULL : as_json_string(as_buf_str(&path));
	as_buf_free(&path);
	return out;
}

static assay_json *object_with_paths(paths *p, const assay_json *schema, const assay_json *value, unsigned depth)
{
	const assay_json *properties = as_json_get(schema, "properties");
	assay_json *out = as_json_object();
	for (const assay_json *m = as_json_first(value); m && out; m = as_json_next(m)) {
		const assay_json *sub = as_json_get_n(properties, as_json_key(m));
		int before = p->rc;
		sub = sub ? sub : as_json_get(schema, "additionalProperties");
		if (as_json_set_n(out, as_json_key(m), with_paths(p, sub, m, depth)) < 0) {
			as_json_free(out);
			out = NULL;
		}
		if (before == 0 && p->rc < 0) {
			as_error_pointer(p->err, "/%.*s", ASSAY_FMT(as_json_key(m)));
			break;
		}
	}
	return out;
}

static assay_json *array_with_paths(paths *p, const assay_json *schema, const assay_json *value, unsigned depth)
{
	assay_json *out = as_json_array();
	size_t index = 0;
	for (const assay_json *m = as_json_first(value); m && out; m = as_json_next(m), index++) {
		int before = p->rc;
		if (as_json_append(out, with_paths(p, as_json_get(schema, "items"), m, depth)) < 0) {
			as_json_free(out);
			out = NULL;
		}
		if (before == 0 && p->rc < 0) {
			as_error_pointer(p->err, "/%zu", index);
			break;
		}
	}
	return out;
}

/* A copy of value with its paths resolved; NULL when memory is out. p->rc holds the first missing file. */
static assay_json *with_paths(paths *p, const assay_json *schema, const assay_json *value, unsigned depth)
{
	schema = dereference(p, schema);
	if (as_json_type(schema) == ASSAY_JSON_OBJECT && depth < PATH_DEPTH) {
		switch (as_json_type(value)) {
		case ASSAY_JSON_OBJECT:
			return object_with_paths(p, schema, value, depth + 1);
		case ASSAY_JSON_ARRAY:
			return array_with_paths(p, schema, value, depth + 1);
		case ASSAY_JSON_STRING:
			if (as_str_is(as_json_str(as_json_get(schema, "format")), "path")) {
				return resolve(p, schema, value);
			}
			break;
		default:
			break;
		}
	}
	return as_json_clone(value);
}

/* Where the schema has an option "prompt" and none is given: the prompt that ships under the implementation's name. */
static int fill_prompt(const as_module_impl *mi, assay_json *options, assay_error *err)
{
	as_buf use = {0};
	assay_json *prompt;
	int rc = 0;
	if (!as_json_pointer(mi->options, "/properties/prompt") || as_json_get(options, "prompt")) {
		return 0;
	}
	as_buf_printf(&use, "%s/%s", as_role_name(mi->impl->role), mi->impl->name);
	rc = as_buf_check(&use, err);
	if (rc == 0 && as_prompt_shipped(as_buf_str(&use), &prompt)) {
		rc = as_json_set(options, "prompt", prompt) < 0 ? as_fail_memory(err) : 0;
	}
	as_buf_free(&use);
	return rc;
}

/* A default that its own schema refuses is the plugin's fault, not that of whoever left the option out. */
static int check_defaults(const as_module_impl *mi, const assay_json *filled, assay_error *err)
{
	assay_error why = {0};
	char line[sizeof why.message];
	if (as_schema_validate(mi->schema, filled, &why) == 0) {
		return 0;
	}
	as_error_format(&why, line, sizeof line);
	as_fail(err, ASSAY_EPLUGIN, "the defaults of its schema do not fit the schema: %s", line);
	as_error_hint(err, "correct the plugin, or give the option");
	return ASSAY_EPLUGIN;
}

int as_module_options(const as_module_impl *mi, const assay_json *given, const char *base_dir, assay_json **out,
		      assay_error *err)
{
	assay_json *filled = given ? as_json_clone(given) : as_json_object();
	int rc = filled ? 0 : as_fail_memory(err);
	if (rc == 0) {
		/* The caller's own value is checked, not the copy: it knows the lines of its file. */
		rc = as_schema_validate(mi->schema, given ? given : filled, err);
	}
	rc = rc < 0 ? rc : as_schema_fill_defaults(mi->schema, filled, err);
	rc = rc < 0 ? rc : check_defaults(mi, filled, err);
	rc = rc < 0 ? rc : fill_prompt(mi, filled, err);
	if (rc == 0) {
		paths p = {mi->options, base_dir, err, 0};
		*out = with_paths(&p, mi->options, filled, 0);
		rc = p.rc < 0 ? p.rc : *out ? 0 : as_fail_memory(err);
		if (rc < 0) {
			as_json_free(*out);
			*out = NULL;
		}
	}
	as_json_free(filled);
	return rc;
}

/* Hold a plugin to the contract of open: 0 or a negative code with a message. */
static int checked_open(as_instance *i, const assay_json *options, assay_error *err)
{
	const ops_head *head = (const ops_head *)(const void *)i->ops;
	if (!head->open) {
		return 0; /* it keeps nothing */
	}
	as_called before = as_instance_enter(i, "open");
	int rc = as_called_status(head->open(as_host(), options, &i->self, err), err);
	as_called_leave(before);
	if (rc == ASSAY_EINVAL) { /* options stand in a file: what is wrong with them is no wrong use of ours */
		rc = ASSAY_EDATA;
		if (err && err->code == ASSAY_EINVAL) {
			err->code = rc;
		}
	}
	return rc;
}

int as_instance_open(as_registry *r, const char *use, uint32_t role, const assay_json *options, const char *base_dir,
		     as_instance **out, assay_error *err)
{
	const as_impl_info *info = NULL;
	assay_json *ready = NULL;
	as_instance *i = NULL;
	int rc = as_registry_find(r, use, role, &info, err);
	if (rc < 0) {
		return rc;
	}
	const as_module_impl *mi = as_registry_impl(r, info);
	rc = as_module_options(mi, options, base_dir, &ready, err);
	if (rc < 0) {
		return rc;
	}
	const ops_head *theirs = info->impl->ops;
	size_t size = as_role_get(info->impl->role)->size;
	i = as_new(1, sizeof *i + size);
	if (!i) {
		rc = as_fail_memory(err);
		goto out;
	}
	memcpy(i->ops, theirs, theirs->size < size ? theirs->size : size);
	i->info = info;
	i->close = theirs->close;
	rc = checked_open(i, ready, err);
out:
	as_json_free(ready);
	if (rc < 0) {
		free(i);
		return rc;
	}
	*out = i;
	return 0;
}

void as_instance_close(as_instance *i)
{
	if (!i) {
		return;
	}
	if (i->close) {
		as_called before = as_instance_enter(i, "close");
		i->close(i->self);
		as_called_leave(before);
	}
	free(i);
}

void *as_instance_self(const as_instance *i)
{
	return i->self;
}

const void *as_instance_ops(const as_instance *i)
{
	return i->ops;
}

const as_impl_info *as_instance_info(const as_instance *i)
{
	return i->info;
}

as_called as_instance_enter(const as_instance *i, const char *operation)
{
	return as_called_enter(i->info->use, operation);
}
