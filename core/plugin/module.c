#include "core/plugin/module.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/plugin/loader.h"
#include "core/plugin/role.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 512u
#define OPTIONS_MAX_BYTES ((size_t)256 << 10)
#define IMPLS_MAX 256u
#define KNOWN_FLAGS (ASSAY_IMPL_REENTRANT | ASSAY_IMPL_PURE | ASSAY_IMPL_NEEDS_LIVE | ASSAY_IMPL_NEEDS_MODEL)

bool as_module_name_ok(assay_str name, bool dash)
{
	if (name.len == 0 || name.len > AS_MODULE_NAME_MAX || name.ptr[0] < 'a' || name.ptr[0] > 'z') {
		return false;
	}
	for (size_t i = 1; i < name.len; i++) {
		char c = name.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (dash && c == '-'))) {
			return false;
		}
	}
	return true;
}

const char *as_module_label(const as_module *m)
{
	return m->path[0] ? m->path : m->stem;
}

static int refuse(assay_error *err, const char *hint, const char *format, ...) ASSAY_PRINTF(3, 4);
static int refuse(assay_error *err, const char *hint, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_failv(err, ASSAY_EPLUGIN, format, args);
	va_end(args);
	as_error_hint(err, "%s", hint);
	return ASSAY_EPLUGIN;
}

/* A line of text that the descriptor must give: not NULL, not too long, UTF-8 without control characters. */
static int check_text(const char *text, const char *what, assay_error *err)
{
	if (!text) {
		return refuse(err, "give it a text in the source", "%s is NULL", what);
	}
	assay_str s = {text, strnlen(text, TEXT_MAX_BYTES + 1)};
	bool fine = s.len > 0 && s.len <= TEXT_MAX_BYTES && as_utf8_check(s) == s.len;
	for (size_t i = 0; fine && i < s.len; i++) {
		fine = (unsigned char)text[i] >= 0x20 && text[i] != 0x7F;
	}
	return fine ? 0
		    : refuse(err, "give it one line of text",
			     "%s is empty, too long (%u bytes at most) or no line of text", what, TEXT_MAX_BYTES);
}

static int check_descriptor(const as_module *m, const assay_plugin *p, assay_error *err)
{
	static const char rebuild[] = "rebuild it with the headers of this program";
	static const char newer[] = "it needs a newer program, or rebuild it with the headers of this one";
	if (!p) {
		return refuse(err, "end its source with ASSAY_PLUGIN", "its getter answers NULL");
	}
	if (p->magic != ASSAY_PLUGIN_MAGIC) {
		return refuse(err, "end its source with ASSAY_PLUGIN", "magic is 0x%08x, expected 0x%08x",
			      (unsigned)p->magic, ASSAY_PLUGIN_MAGIC);
	}
	/* Up to here every version of the struct is alike; the rest is only there when the size says so. */
	if (p->size < offsetof(assay_plugin, reserved)) {
		return refuse(err, rebuild, "its descriptor has %u bytes, expected %zu", (unsigned)p->size, sizeof *p);
	}
	if (p->abi_major != ASSAY_ABI_MAJOR || p->abi_minor > ASSAY_ABI_MINOR) {
		bool older = p->abi_major < ASSAY_ABI_MAJOR;
		return refuse(err, older ? rebuild : newer, "it was built for ABI %u.%u, this program has %u.%u",
			      p->abi_major, p->abi_minor, ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR);
	}
	if (p->size < sizeof *p) {
		return refuse(err, rebuild, "its descriptor has %u bytes, expected %zu", (unsigned)p->size, sizeof *p);
	}
	if (p->reserved != 0) {
		return refuse(err, rebuild, "the reserved member of its descriptor is %u, expected 0",
			      (unsigned)p->reserved);
	}
	if (check_text(p->name, "its name", err) < 0 || check_text(p->version, "its version", err) < 0 ||
	    check_text(p->summary, "its summary", err) < 0 || check_text(p->license, "its license", err) < 0) {
		return ASSAY_EPLUGIN;
	}
	if (strcmp(p->name, m->stem) != 0) {
		return refuse(err, "make the name, the first argument of ASSAY_PLUGIN and the file's name the same",
			      "its descriptor calls it \"%s\", its file \"%s\"", p->name, m->stem);
	}
	if (!p->impls || !p->impls[0]) {
		return refuse(err, "list its implementations in ASSAY_PLUGIN", "it offers no implementation");
	}
	return 0;
}

/* The head that all tables share, as the compiler lays it out in each of them. */
typedef struct ops_head {
	ASSAY_OPS_HEAD;
} ops_head;

static int check_operations(const assay_impl *impl, const as_role *role, assay_error *err)
{
	const ops_head *head = impl->ops;
	if (!head) {
		return refuse(err, "point ops to its table of operations", "%s/%s has no operations table", role->name,
			      impl->name);
	}
	if (head->size < sizeof *head) {
		return refuse(err, "set its size to sizeof the table",
			      "the operations table of %s/%s has %u bytes, expected %zu", role->name, impl->name,
			      (unsigned)head->size, role->size);
	}
	if (head->reserved != 0) {
		return refuse(err, "leave reserved members 0",
			      "the reserved member of the operations of %s/%s is %u, expected 0", role->name,
			      impl->name, (unsigned)head->reserved);
	}
	for (size_t i = 0; i < role->n_operations; i++) {
		const as_operation *op = &role->operations[i];
		if (op->required && !as_role_has(impl->ops, head->size, op)) {
			return refuse(err, "fill it in: the role requires it", "%s/%s lacks the required %s %s",
				      role->name, impl->name, op->is_data ? "text" : "operation", op->name);
		}
	}
	return 0;
}

/* Parse and compile the schema of its options; no schema means that it takes none. */
static int check_options(as_module_impl *mi, const as_role *role, assay_error *err)
{
	static const char none[] = "{\"type\":\"object\",\"additionalProperties\":false}";
	const char *text = mi->impl->options ? mi->impl->options : none;
	assay_error why = {0};
	int rc = 0;
	assay_str s = {text, strnlen(text, OPTIONS_MAX_BYTES + 1)};
	if (s.len > OPTIONS_MAX_BYTES) {
		rc = as_fail(&why, ASSAY_ELIMIT, "longer than %zu bytes", OPTIONS_MAX_BYTES);
	}
	rc = rc < 0 ? rc : as_json_parse(s, ASSAY_JSON_STRICT, &mi->options, &why);
	if (rc == 0 && as_json_type(mi->options) != ASSAY_JSON_OBJECT) {
		rc = as_fail(&why, ASSAY_EDATA, "not an object");
	}
	rc = rc < 0 ? rc : as_schema_compile(mi->options, &mi->schema, &why);
	if (rc < 0) {
		char line[sizeof err->message];
		as_error_format(&why, line, sizeof line);
		if (rc == ASSAY_ENOMEM) {
			return as_fail_memory(err);
		}
		return refuse(err, "options must be the text of a JSON Schema",
			      "the options schema of %s/%s is invalid: %s", role->name, mi->impl->name, line);
	}
	return 0;
}

static int check_identity(const as_module *m, size_t index, const assay_impl *impl, assay_error *err)
{
	if (impl->size < sizeof *impl) {
		return refuse(err, "set its size to sizeof(assay_impl)",
			      "implementation %zu has %u bytes, expected %zu", index + 1, (unsigned)impl->size,
			      sizeof *impl);
	}
	if (!as_role_name(impl->role)) {
		return refuse(err, "use one of the ASSAY_ROLE_ numbers", "implementation %zu is of the unknown role %u",
			      index + 1, (unsigned)impl->role);
	}
	const char *role = as_role_name(impl->role);
	if (!impl->name) {
		return refuse(err, "name it", "the name of %s %zu is NULL", role, index + 1);
	}
	assay_str name = {impl->name, strnlen(impl->name, AS_MODULE_NAME_MAX + 1)};
	if (!as_module_name_ok(name, true)) {
		return refuse(err, "a name is a lower-case letter, then lower-case letters, digits, _ and -",
			      "the name of %s %zu is not valid: \"%.*s\"", role, index + 1, ASSAY_FMT(name));
	}
	if (impl->role_version != 1) {
		return refuse(err, "it needs a newer program",
			      "%s/%s is of version %u of its role, this program knows 1", role, impl->name,
			      (unsigned)impl->role_version);
	}
	if ((impl->flags & ~KNOWN_FLAGS) != 0) {
		return refuse(err, "use the ASSAY_IMPL_ flags", "%s/%s has unknown flags 0x%x", role, impl->name,
			      (unsigned)(impl->flags & ~KNOWN_FLAGS));
	}
	for (size_t i = 0; i < index; i++) {
		const assay_impl *other = m->impls[i].impl;
		if (other->role == impl->role && strcmp(other->name, impl->name) == 0) {
			return refuse(err, "give each implementation a name of its own", "%s/%s is there twice", role,
				      impl->name);
		}
	}
	return 0;
}

static int check_impl(as_module *m, size_t index, const assay_impl *impl, assay_error *err)
{
	as_module_impl *mi = &m->impls[index];
	char what[128];
	if (check_identity(m, index, impl, err) < 0) {
		return ASSAY_EPLUGIN;
	}
	const as_role *role = as_role_get(impl->role);
	if (role->size == 0) {
		return refuse(err, "it needs a newer program", "this program does not use the role %s of %s/%s yet",
			      role->name, role->name, impl->name);
	}
	snprintf(what, sizeof what, "the summary of %s/%s", role->name, impl->name);
	if (check_text(impl->summary, what, err) < 0 || check_operations(impl, role, err) < 0) {
		return ASSAY_EPLUGIN;
	}
	mi->impl = impl;
	m->n_impls = index + 1;
	return check_options(mi, role, err);
}

static int check_impls(as_module *m, const assay_plugin *p, assay_error *err)
{
	size_t n = 0;
	while (n <= IMPLS_MAX && p->impls[n]) {
		n++;
	}
	if (n > IMPLS_MAX) {
		return refuse(err, "end the list with NULL", "it has more than %u implementations", IMPLS_MAX);
	}
	m->impls = as_new(n, sizeof *m->impls);
	if (!m->impls) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		int rc = check_impl(m, i, p->impls[i], err);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static int open_and_check(as_module *m, assay_error *err)
{
	as_getter *getter = NULL;
	if (!as_module_name_ok(as_str(m->stem), false)) {
		return refuse(err, "rename or remove it",
			      "a module's name is a lower-case letter, then lower-case letters, digits and _");
	}
	int rc = as_loader_open(m->path[0] ? m->path : NULL, m->stem, AS_PLUGIN_SYMBOL, &getter, err);
	if (rc < 0) {
		return rc;
	}
	const assay_plugin *p = getter();
	rc = check_descriptor(m, p, err);
	if (rc == 0) {
		m->plugin = p;
		rc = check_impls(m, p, err);
	}
	return rc;
}

static void drop_impls(as_module *m)
{
	for (size_t i = 0; i < m->n_impls; i++) {
		as_schema_free(m->impls[i].schema);
		as_json_free(m->impls[i].options);
	}
	free(m->impls);
	m->impls = NULL;
	m->n_impls = 0;
}

int as_module_load(as_module *m, assay_error *err)
{
	if (m->state == AS_MODULE_UNSEEN) {
		int rc = open_and_check(m, &m->reason);
		m->state = rc < 0 ? AS_MODULE_BROKEN : AS_MODULE_OK;
		if (rc < 0) {
			drop_impls(m);
			m->reason.code = rc == ASSAY_ENOMEM ? rc : ASSAY_EPLUGIN;
			as_error_where(&m->reason, as_module_label(m), 0);
		}
	}
	if (m->state == AS_MODULE_BROKEN) {
		if (err && err->code == 0) {
			*err = m->reason;
		}
		return m->reason.code;
	}
	return 0;
}

void as_module_free(as_module *m)
{
	drop_impls(m);
}
