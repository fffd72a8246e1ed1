/* The catalogue of a corpus: what its traces show of servers, and what its server manifests say of them. */
#include "core/base/error.h"
#include "core/mcp/session.h"
#include "core/run/adopt_private.h"
#include "core/task/rules.h"
#include <stdlib.h>

#define MAX_ID 256 /* bytes of a server's id */

/* A ToolSpec as MCP would have listed it. */
static assay_json *tool_of(const assay_json *spec)
{
	static const char *const keys[][2] = {{"name", "name"},
					      {"description", "description"},
					      {"input_schema", "inputSchema"},
					      {"output_schema", "outputSchema"}};
	assay_json *tool = as_json_object();
	int rc = tool ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && rc == 0; i++) {
		const assay_json *v = as_json_get(spec, keys[i][0]);
		if (v && as_json_type(v) != ASSAY_JSON_NULL) {
			rc = as_json_set(tool, keys[i][1], as_json_clone(v));
		}
	}
	if (rc < 0) {
		as_json_free(tool);
		return NULL;
	}
	return tool;
}

/* The server's tools, and what the trace's fingerprint of it says but for the wall clock. */
static assay_json *surface_of(const assay_json *trace, assay_str id, const assay_json *specs)
{
	assay_json *s = as_json_object(), *tools = as_json_array(), *print = NULL;
	int rc = tools ? 0 : ASSAY_ENOMEM;
	for (const assay_json *spec = as_json_first(specs); spec && rc == 0; spec = as_json_next(spec)) {
		rc = as_json_append(tools, tool_of(spec));
	}
	for (const assay_json *f = as_json_first(as_json_get(trace, "servers")); f && !print; f = as_json_next(f)) {
		if (as_str_eq(as_json_str(as_json_get(f, "server_id")), id)) {
			print = as_json_clone(f);
			as_json_free(as_json_detach(print, "observed_at"));
			rc |= print ? 0 : ASSAY_ENOMEM;
		}
	}
	rc |= as_json_set(s, "tools", tools);
	rc |= as_json_set(s, "fingerprint", print ? print : as_json_null());
	if (rc < 0) {
		as_json_free(s);
		return NULL;
	}
	return s;
}

/* A fingerprint whose hash is not that of the tools beside it is told, and its hash put right. */
static int check_hash(as_adoption *a, assay_json *surface, const as_line *line, assay_error *err)
{
	const assay_json *print = as_json_get(surface, "fingerprint"), *said = as_json_get(print, "tool_surface_hash");
	assay_error flaw = {0};
	char hash[17];
	int rc;
	if (!said) {
		return 0;
	}
	rc = as_tool_surface_hash(as_json_get(surface, "tools"), hash, err);
	if (rc < 0 || as_str_is(as_json_str(said), hash)) {
		return rc;
	}
	if (as_json_str(said).len > 0) {
		as_fail(&flaw, ASSAY_EDATA, "the tools of server \"%.*s\" hash to %s, its fingerprint says %.*s",
			ASSAY_FMT(as_json_str(as_json_get(print, "server_id"))), hash, ASSAY_FMT(as_json_str(said)));
		as_lines_defect(a->lines, line, &flaw);
	}
	rc = as_json_set(as_json_edit(print), "tool_surface_hash", as_json_cstring(hash));
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* Is it an id that a catalogue holds? Others are nobody's server. */
static bool is_id(assay_str id)
{
	bool fine = id.len > 0 && id.len <= MAX_ID;
	for (size_t i = 0; i < id.len && fine; i++) {
		fine = (unsigned char)id.ptr[i] >= 0x20 && (unsigned char)id.ptr[i] != 0xC0; /* C0 80: U+0000 */
	}
	return fine;
}

/* What a release's strict readers would refuse is told, and left out: the server is there, without its tools. */
static int check_kept(as_adoption *a, const assay_json *trace, assay_str id, const as_line *line, assay_json **surface,
		      assay_error *err)
{
	assay_text text = {0};
	assay_json *again = NULL;
	assay_error why = {0}, flaw = {0};
	int rc = as_json_dump(*surface, ASSAY_JSON_COMPACT, &text, err);
	if (rc == 0 && as_json_parse(as_text_str(text), ASSAY_JSON_STRICT, &again, &why) < 0) {
		as_fail(&flaw, ASSAY_EDATA, "the tools of server \"%.*s\" cannot be kept: %s", ASSAY_FMT(id),
			why.message);
		as_lines_defect(a->lines, line, &flaw);
		as_json_free(*surface);
		*surface = surface_of(trace, id, NULL);
		rc = as_json_set(*surface, "fingerprint", as_json_null()) < 0 ? as_fail_memory(err) : 0;
	}
	as_json_free(again);
	as_text_free(&text);
	return rc;
}

static int note_surface(as_adoption *a, const assay_json *trace, const assay_json *specs, const as_line *line,
			assay_error *err)
{
	assay_str id = as_json_key(specs);
	assay_json *surface = surface_of(trace, id, specs);
	int rc = surface ? check_hash(a, surface, line, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : check_kept(a, trace, id, line, &surface, err);
	if (rc < 0) {
		as_json_free(surface);
		return rc;
	}
	return as_json_set_n(a->servers, id, surface) < 0 ? as_fail_memory(err) : 0;
}

int as_adopt_note_servers(as_adoption *a, const assay_json *trace, const as_line *line, assay_error *err)
{
	int rc = 0;
	for (const assay_json *t = as_json_first(as_json_get(trace, "tool_specs")); t && rc == 0; t = as_json_next(t)) {
		const assay_json *known = as_json_get_n(a->servers, as_json_key(t));
		if (is_id(as_json_key(t)) && as_json_count(as_json_get(known, "tools")) == 0) {
			rc = note_surface(a, trace, t, line, err);
		}
	}
	for (const assay_json *s = as_json_first(as_json_get(trace, "steps")); s && rc == 0; s = as_json_next(s)) {
		assay_str id = as_json_str(as_json_get(s, "server_id"));
		if (is_id(id) && !as_json_get_n(a->servers, id) &&
		    as_json_set_n(a->servers, id, surface_of(trace, id, NULL)) < 0) {
			rc = as_fail_memory(err);
		}
	}
	return rc;
}

/* What a server may do: what its manifest says, else what its tool names suggest. Negative: no memory. */
static int class_of(const assay_json *entry, const assay_json *tools)
{
	size_t n = 0;
	int c = as_class_from_name(as_json_str(as_json_get(entry, "dynamism")));
	assay_str *names;
	if (c >= 0) {
		return c;
	}
	names = as_new(as_json_count(tools) + 1, sizeof *names);
	for (const assay_json *t = as_json_first(tools); t && names; t = as_json_next(t)) {
		names[n++] = as_json_str(as_json_get(t, "name"));
	}
	c = names ? as_guess_class(names, n) : ASSAY_ENOMEM;
	free(names);
	return c;
}

/* Where a server was, as a fingerprint has it: an address, or a command with its arguments. */
static int put_endpoint(as_buf *out, const assay_json *entry)
{
	assay_str address = as_json_str(as_json_get(entry, "endpoint"));
	as_buf_add(out, address.len ? address : as_json_str(as_json_get(entry, "command")));
	for (const assay_json *a = as_json_first(as_json_get(entry, "args")); a && address.len == 0;
	     a = as_json_next(a)) {
		as_buf_byte(out, ' ');
		as_buf_add(out, as_json_str(a));
	}
	return out->failed ? ASSAY_ENOMEM : 0;
}

/* For a server that no trace has a fingerprint of. */
static assay_json *fingerprint_of(assay_str id, const assay_json *entry, const assay_json *tools)
{
	assay_json *f = as_json_object();
	const assay_json *transport = as_json_get(entry, "transport");
	as_buf endpoint = {0};
	int rc = put_endpoint(&endpoint, entry);
	rc |= as_json_set(f, "server_id", as_json_string(id));
	rc |= as_json_set(f, "transport", transport ? as_json_clone(transport) : as_json_cstring("stdio"));
	rc |= as_json_set(f, "endpoint", as_json_string(as_buf_str(&endpoint)));
	rc |= as_json_set(f, "tool_count", as_json_integer((int64_t)as_json_count(tools)));
	as_buf_free(&endpoint);
	if (rc < 0) {
		as_json_free(f);
		return NULL;
	}
	return f;
}

static assay_json *copy_or(const assay_json *v, assay_json *(*otherwise)(void))
{
	return v && as_json_type(v) != ASSAY_JSON_NULL ? as_json_clone(v) : otherwise();
}

static assay_json *record_of(assay_str id, const assay_json *entry, const assay_json *surface)
{
	const assay_json *tools = as_json_get(surface, "tools"), *print = as_json_get(surface, "fingerprint");
	assay_json *r = as_json_object();
	int c = class_of(entry, tools), rc = c < 0 ? c : 0;
	rc |= as_json_set(r, "server_id", as_json_string(id));
	rc |= as_json_set(r, "class", as_json_cstring(c < 0 ? NULL : as_class_name(c)));
	rc |= as_json_set(r, "group", as_json_string(id));
	rc |= as_json_set(r, "tags", copy_or(as_json_get(entry, "tags"), as_json_array));
	rc |= as_json_set(r, "description", copy_or(as_json_get(entry, "description"), as_json_null));
	rc |= as_json_set(r, "resources", as_json_array());
	rc |= as_json_set(r, "effects", as_json_null());
	rc |= as_json_set(r, "fingerprint",
			  print && as_json_type(print) != ASSAY_JSON_NULL ? as_json_clone(print)
									  : fingerprint_of(id, entry, tools));
	rc |= as_json_set(r, "tools", copy_or(tools, as_json_array));
	if (rc < 0) {
		as_json_free(r);
		return NULL;
	}
	return r;
}

int as_adopt_records(const as_adoption *a, assay_json **out, assay_error *err)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (const assay_json *s = as_json_first(a->servers); s && rc == 0; s = as_json_next(s)) {
		assay_str id = as_json_key(s);
		rc = as_json_append(list, record_of(id, as_json_get_n(a->entries, id), s));
	}
	for (const assay_json *e = as_json_first(a->entries); e && rc == 0; e = as_json_next(e)) {
		assay_str id = as_json_key(e);
		rc = as_json_get_n(a->servers, id) || !is_id(id) ? 0 : as_json_append(list, record_of(id, e, NULL));
	}
	*out = list;
	return rc < 0 ? as_fail_memory(err) : 0;
}
