#include "core/mcp/mirror.h"
#include "core/base/error.h"

#include <string.h>
#include <strings.h>

#define KEYWORD "x-mcp-header"
#define MAX_SAFE (((int64_t)1 << 53) - 1)
#define MAX_DEPTH 64u
#define MAX_HEADERS 128u
#define OPENING "=?base64?"
#define CLOSING "?="

/* --- values ------------------------------------------------------------------------------------------------------ */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_base64(as_buf *out, assay_str s)
{
	for (size_t i = 0; i < s.len; i += 3) {
		size_t n = s.len - i < 3 ? s.len - i : 3;
		uint32_t v = (uint32_t)(unsigned char)s.ptr[i] << 16;

		v |= n > 1 ? (uint32_t)(unsigned char)s.ptr[i + 1] << 8 : 0;
		v |= n > 2 ? (uint32_t)(unsigned char)s.ptr[i + 2] : 0;
		as_buf_byte(out, digits[v >> 18]);
		as_buf_byte(out, digits[v >> 12 & 63]);
		as_buf_byte(out, n > 1 ? digits[v >> 6 & 63] : '=');
		as_buf_byte(out, n > 2 ? digits[v & 63] : '=');
	}
}

static bool has_sentinel(assay_str s)
{
	return s.len >= sizeof OPENING + sizeof CLOSING - 2 && as_str_starts(s, ASSAY_STR(OPENING)) &&
	       memcmp(s.ptr + s.len - 2, CLOSING, 2) == 0;
}

static bool is_plain(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < 0x20 || s.ptr[i] > 0x7E) {
			return false;
		}
	}
	return s.len == 0 || (s.ptr[0] != ' ' && s.ptr[s.len - 1] != ' ' && !has_sentinel(s));
}

/* JSON strings hold a NUL as C0 80 (assay/json.h); in the header it is the NUL itself. */
static void add_bytes(as_buf *out, assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		bool nul = i + 1 < s.len && memcmp(s.ptr + i, "\xC0\x80", 2) == 0;

		as_buf_byte(out, nul ? '\0' : s.ptr[i]);
		i += nul;
	}
}

void as_mirror_encode(as_buf *out, assay_str value)
{
	as_buf bytes = {0};

	if (is_plain(value)) {
		as_buf_add(out, value);
		return;
	}
	add_bytes(&bytes, value);
	as_buf_puts(out, OPENING);
	add_base64(out, as_buf_str(&bytes));
	as_buf_puts(out, CLOSING);
	out->failed = out->failed || bytes.failed;
	as_buf_free(&bytes);
}

bool as_mirror_decode(assay_str value, as_buf *out)
{
	uint32_t v = 0;
	size_t n = 0, pad = 0;

	if (!has_sentinel(value)) {
		as_buf_add(out, value);
		return true;
	}
	value = (assay_str){value.ptr + sizeof OPENING - 1, value.len - (sizeof OPENING + sizeof CLOSING - 2)};
	if (value.len % 4 != 0) {
		return false;
	}
	for (size_t i = 0; i < value.len; i++) {
		const char *digit = value.ptr[i] ? strchr(digits, value.ptr[i]) : NULL;

		if (value.ptr[i] == '=' && i + 2 >= value.len) {
			pad++;
		} else if (!digit || pad > 0) {
			return false;
		}
		v = v << 6 | (digit ? (uint32_t)(digit - digits) : 0);
		if (++n % 4 == 0) {
			as_buf_byte(out, (char)(v >> 16 & 255));
			if (pad < 2) {
				as_buf_byte(out, (char)(v >> 8 & 255));
			}
			if (pad < 1) {
				as_buf_byte(out, (char)(v & 255));
			}
		}
	}
	return true;
}

/* --- the rules of x-mcp-header ----------------------------------------------------------------------------------- */

static bool is_token(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c <= 0x20 || c >= 0x7F || strchr("\"(),/:;<=>?@[\\]{}", c)) {
			return false;
		}
	}
	return s.len > 0;
}

typedef struct scan {
	assay_json *map;
	assay_json *path; /* names from the root to the schema that is looked at */
	uint32_t depth;
	assay_error *err;
} scan;

static int add_header(scan *s, const assay_json *schema, const assay_json *said, bool reachable)
{
	assay_str name = as_json_str(said), type = as_json_str(as_json_get(schema, "type"));
	assay_json *entry;
	int rc;

	if (as_json_type(said) != ASSAY_JSON_STRING || !is_token(name)) {
		return as_fail(s->err, ASSAY_EDATA, KEYWORD " is not the name of a header");
	}
	if (!reachable || as_json_count(s->path) == 0) {
		return as_fail(s->err, ASSAY_EDATA, KEYWORD " \"%.*s\" stands where properties alone do not lead",
			       (int)(name.len < 64 ? name.len : 64), name.ptr);
	}
	if (!as_str_is(type, "string") && !as_str_is(type, "integer") && !as_str_is(type, "boolean")) {
		return as_fail(s->err, ASSAY_EDATA,
			       KEYWORD " \"%.*s\" is on a value that is no string, integer or boolean",
			       (int)(name.len < 64 ? name.len : 64), name.ptr);
	}
	for (const assay_json *e = as_json_first(s->map); e; e = as_json_next(e)) {
		assay_str other = as_json_str(as_json_get(e, "header"));

		if (other.len == name.len && strncasecmp(other.ptr, name.ptr, name.len) == 0) {
			return as_fail(s->err, ASSAY_EDATA, KEYWORD " \"%.*s\" is there twice",
				       (int)(name.len < 64 ? name.len : 64), name.ptr);
		}
	}
	if (as_json_count(s->map) >= MAX_HEADERS) {
		return as_fail(s->err, ASSAY_EDATA, "it has more than %u " KEYWORD, MAX_HEADERS);
	}
	entry = as_json_object();
	rc = as_json_set(entry, "header", as_json_string(name));
	rc = as_json_set(entry, "path", as_json_clone(s->path)) || rc;
	if (rc) {
		as_json_free(entry);
		return as_fail_memory(s->err);
	}
	return as_json_append(s->map, entry) ? as_fail_memory(s->err) : 0;
}

/* Values that are data, in which the keyword has no meaning. */
static bool is_data(assay_str key)
{
	static const char *const names[] = {"enum", "const", "default", "examples"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (as_str_is(key, names[i])) {
			return true;
		}
	}
	return false;
}

static int visit(scan *s, const assay_json *schema, bool reachable);

/* Members of "properties" are schemas under names; the path grows by the name while one is looked at. */
static int visit_properties(scan *s, const assay_json *properties, bool reachable)
{
	int rc = 0;

	for (const assay_json *p = as_json_first(properties); p && !rc; p = as_json_next(p)) {
		assay_json *outer = s->path;

		s->path = as_json_clone(outer);
		rc = as_json_append(s->path, as_json_string(as_json_key(p))) ? as_fail_memory(s->err) : 0;
		if (!rc) {
			rc = visit(s, p, reachable);
		}
		as_json_free(s->path);
		s->path = outer;
	}
	return rc;
}

static int visit(scan *s, const assay_json *schema, bool reachable)
{
	int rc = 0;

	if (s->depth >= MAX_DEPTH) {
		return as_fail(s->err, ASSAY_EDATA, "its schema is nested more than %u deep", MAX_DEPTH);
	}
	s->depth++;
	for (const assay_json *v = as_json_first(schema); v && !rc; v = as_json_next(v)) {
		assay_str key = as_json_type(schema) == ASSAY_JSON_OBJECT ? as_json_key(v) : (assay_str){0};
		int type = as_json_type(v);

		if (as_str_is(key, KEYWORD)) {
			rc = add_header(s, schema, v, reachable);
		} else if (as_str_is(key, "properties") && type == ASSAY_JSON_OBJECT) {
			rc = visit_properties(s, v, reachable);
		} else if ((type == ASSAY_JSON_OBJECT || type == ASSAY_JSON_ARRAY) && !is_data(key)) {
			rc = visit(s, v, false);
		}
	}
	s->depth--;
	return rc;
}

int as_mirror_scan(const assay_json *tool, assay_json **map, assay_error *err)
{
	return as_mirror_scan_schema(as_json_get(tool, "inputSchema"), map, err);
}

int as_mirror_scan_schema(const assay_json *schema, assay_json **map, assay_error *err)
{
	scan s = {.map = as_json_array(), .path = as_json_array(), .err = err};
	int rc = s.map && s.path ? visit(&s, schema, true) : as_fail_memory(err);

	as_json_free(s.path);
	*map = NULL;
	if (!rc && as_json_count(s.map) > 0) {
		*map = s.map;
	} else {
		as_json_free(s.map);
	}
	return rc;
}

/* --- headers ----------------------------------------------------------------------------------------------------- */

static const assay_json *follow(const assay_json *arguments, const assay_json *path)
{
	for (const assay_json *name = as_json_first(path); name; name = as_json_next(name)) {
		arguments = as_json_get_n(arguments, as_json_str(name));
	}
	return arguments;
}

const assay_json *as_mirror_argument(const assay_json *entry, const assay_json *arguments)
{
	return follow(arguments, as_json_get(entry, "path"));
}

/* "Mcp-Param-X: value", or NULL: nothing to say of that argument. */
static int add_parameter(as_arena *arena, const assay_json *entry, const assay_json *arguments, const char **out,
			 assay_error *err)
{
	const assay_json *v = follow(arguments, as_json_get(entry, "path"));
	const char *name = as_json_cstr(as_json_get(entry, "header"), "");
	as_buf value = {0};
	int64_t n;

	*out = NULL;
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING:
		as_mirror_encode(&value, as_json_str(v));
		break;
	case ASSAY_JSON_BOOL:
		as_buf_puts(&value, as_json_boolean(v, 0) ? "true" : "false");
		break;
	case ASSAY_JSON_NUMBER:
		n = as_json_i64(v, INT64_MIN);
		if (n > MAX_SAFE || n < -MAX_SAFE) {
			return 0; /* the server will say what it thinks of it */
		}
		as_buf_printf(&value, "%lld", (long long)n);
		break;
	default:
		return 0;
	}
	*out = as_arena_printf(arena, "Mcp-Param-%s: %s", name, value.len ? value.ptr : "");
	if (value.failed || !*out) {
		as_buf_free(&value);
		return as_fail_memory(err);
	}
	as_buf_free(&value);
	return 0;
}

/* The parameter that names what a request is about; NULL: it has none. */
static const char *name_key(const char *method)
{
	if (!strcmp(method, "tools/call") || !strcmp(method, "prompts/get")) {
		return "name";
	}
	if (!strcmp(method, "resources/read")) {
		return "uri";
	}
	return strncmp(method, "tasks/", 6) ? NULL : "taskId";
}

int as_mirror_headers(as_arena *arena, const char *method, const assay_json *params, const assay_json *map,
		      const char *const **out, assay_error *err)
{
	const char **lines = as_arena_alloc(arena, (as_json_count(map) + 3) * sizeof *lines);
	const char *key = name_key(method);
	as_buf name = {0};
	size_t n = 0;
	int rc = 0;

	*out = lines;
	if (!lines) {
		return as_fail_memory(err);
	}
	lines[n++] = as_arena_printf(arena, "Mcp-Method: %s", method);
	if (key && as_json_type(as_json_get(params, key)) == ASSAY_JSON_STRING) {
		as_mirror_encode(&name, as_json_str(as_json_get(params, key)));
		lines[n++] = name.failed ? NULL : as_arena_printf(arena, "Mcp-Name: %s", name.len ? name.ptr : "");
		as_buf_free(&name);
	}
	if (!lines[n - 1]) {
		return as_fail_memory(err);
	}
	for (const assay_json *e = as_json_first(map); e && !rc; e = as_json_next(e)) {
		rc = add_parameter(arena, e, as_json_get(params, "arguments"), &lines[n], err);
		n += !rc && lines[n] ? 1 : 0;
	}
	return rc;
}
