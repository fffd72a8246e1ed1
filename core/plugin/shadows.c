/* Names that several modules have: which of them counts. The rules are as_registry_find's. */
#include "core/plugin/registry_private.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <string.h>

/* The next one of the same name in the list of shadowed files of a description. File names can be anything. */
static int add_file(const assay_json *description, const as_module *m)
{
	as_buf name = {0};
	as_printable(&name, as_str(as_module_label(m)));
	assay_json *files = as_json_edit(as_json_get(description, "shadows"));
	int rc = name.failed || !files ? ASSAY_ENOMEM : as_json_append(files, as_json_string(as_buf_str(&name)));
	as_buf_free(&name);
	return rc;
}

/* 0: the module is called ROLE_NAME, 1: its name begins with the role, 2: any other. */
static int closeness(const as_module *m, assay_str role, assay_str name)
{
	const char *stem = m->stem;
	if (strncmp(stem, role.ptr, role.len) != 0 || stem[role.len] != '_') {
		return 2;
	}
	stem += role.len + 1;
	for (size_t i = 0; i < name.len; i++, stem++) {
		if (*stem != (name.ptr[i] == '-' ? '_' : name.ptr[i])) {
			return 1;
		}
	}
	return *stem ? 1 : 0;
}

/* Is `a` asked before `b` for this implementation? Both lie in one array in search order. */
static bool comes_before(const as_module *a, const as_module *b, assay_str role, assay_str name)
{
	int x = closeness(a, role, name), y = closeness(b, role, name);
	return x != y ? x < y : x < 2 ? a < b : strcmp(a->stem, b->stem) < 0;
}

static const assay_json *implementation(const assay_json *description, assay_str role, assay_str name)
{
	const assay_json *i = as_json_first(as_json_get(description, "implementations"));
	while (i && !(as_str_eq(as_json_str(as_json_get(i, "role")), role) &&
		      as_str_eq(as_json_str(as_json_get(i, "name")), name))) {
		i = as_json_next(i);
	}
	return i;
}

/* One implementation of open[self] against those of all other modules. */
static int mark_implementation(as_module *const *open, size_t n, size_t self, const assay_json *descriptions,
			       const assay_json *impl)
{
	assay_str role = as_json_str(as_json_get(impl, "role")), name = as_json_str(as_json_get(impl, "name"));
	const as_module *first = open[self];
	const assay_json *d = as_json_first(descriptions);
	int rc = as_json_set(as_json_edit(impl), "shadows", as_json_array());
	for (size_t i = 0; i < n && rc == 0; i++, d = as_json_next(d)) {
		if (i == self || !implementation(d, role, name)) {
			continue;
		}
		if (comes_before(open[self], open[i], role, name)) {
			rc = add_file(impl, open[i]);
		} else if (comes_before(open[i], first, role, name)) {
			first = open[i];
		}
	}
	if (rc == 0 && first != open[self]) {
		as_buf by = {0};
		as_printable(&by, as_str(as_module_label(first)));
		rc = as_json_set(as_json_edit(impl), "shadowed_by", by.failed ? NULL : as_json_string(as_buf_str(&by)));
		rc = rc < 0 ? rc : as_json_set(as_json_edit(impl), "shadows", as_json_array());
		as_buf_free(&by);
	}
	return rc;
}

int as_shadows_mark(const as_registry *r, as_module *const *open, size_t n, assay_json *descriptions, assay_error *err)
{
	const assay_json *d = as_json_first(descriptions);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++, d = as_json_next(d)) {
		const assay_json *impl = as_json_first(as_json_get(d, "implementations"));
		rc = as_json_set(as_json_edit(d), "shadows", as_json_array());
		for (const as_module *m = open[i] + 1; m < r->modules + r->n_modules && rc == 0; m++) {
			if (m->state == AS_MODULE_SHADOWED && strcmp(m->stem, open[i]->stem) == 0) {
				rc = add_file(d, m);
			}
		}
		for (; impl && rc == 0; impl = as_json_next(impl)) {
			rc = mark_implementation(open, n, i, descriptions, impl);
		}
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}
