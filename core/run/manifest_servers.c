/* The manifest's servers and environments. */
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/run/manifest_read.h"
#include "core/world/sandbox.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int read_environments(as_manifest_build *b, assay_error *err)
{
	static const char *const reserved[] = {"use", "capacity", NULL};
	const assay_json *all = as_json_get(b->m.document, "environments");
	as_environment_spec *list = as_arena_alloc(&b->arena, (as_json_count(all) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(all); v; v = as_json_next(v)) {
		as_environment_spec *e = &list[n++];
		char pointer[160];
		as_use use;
		int rc;
		snprintf(pointer, sizeof pointer, "/environments/%.*s", ASSAY_FMT(as_json_key(v)));
		rc = as_read_use(b, v, "environment", NULL, reserved, pointer, &use, err);
		if (rc < 0) {
			return rc;
		}
		*e = (as_environment_spec){as_json_key(v).ptr, use.use, use.options,
					   (uint32_t)as_json_i64(as_json_get(v, "capacity"), 0)};
	}
	b->m.environments = list;
	b->m.n_environments = n;
	return 0;
}

static int find_environment(const as_manifest_build *b, const assay_json *name, const char *pointer,
			    const as_environment_spec **out, assay_error *err)
{
	const char *names[64];
	const char *near;
	size_t n = 0;
	*out = NULL;
	if (!name) {
		return 0;
	}
	for (size_t i = 0; i < b->m.n_environments; i++) {
		if (as_str_is(as_json_str(name), b->m.environments[i].name)) {
			*out = &b->m.environments[i];
			return 0;
		}
		if (n < 64) {
			names[n++] = b->m.environments[i].name;
		}
	}
	near = as_nearest(as_json_str(name), names, n);
	as_manifest_fail(name, err, pointer, "no environment called \"%s\"", as_json_cstr(name, ""));
	if (near) {
		as_error_hint(err, "did you mean \"%s\"?", near);
	} else {
		as_error_hint(err, "add it to \"environments\"");
	}
	return ASSAY_EDATA;
}

static int64_t milliseconds(const assay_json *limits, const char *key)
{
	double seconds = as_json_f64(as_json_get(limits, key), 0.0);
	return seconds > 0 && seconds < 1e6 ? (int64_t)(seconds * 1000.0) : 0;
}

/* How to speak to it: "protocol" may pin the era, "elicitation" tells what a form that it sends is answered with. What
 * is found out about it is kept for its next sessions. */
static int read_session(as_manifest_build *b, const assay_json *settings, as_mcp_options *o, assay_error *err)
{
	assay_str protocol = as_json_str(as_json_get(settings, "protocol"));
	assay_str elicitation = as_json_str(as_json_get(settings, "elicitation"));
	o->era = as_str_is(protocol, "handshake")   ? AS_MCP_ERA_HANDSHAKE
		 : as_str_is(protocol, "stateless") ? AS_MCP_ERA_STATELESS
						    : AS_MCP_ERA_AUTO;
	o->elicitation = as_str_is(elicitation, "decline")    ? AS_MCP_ELICIT_DECLINE
			 : as_str_is(elicitation, "defaults") ? AS_MCP_ELICIT_DEFAULTS
							      : AS_MCP_ELICIT_NONE;
	o->memory = as_arena_alloc(&b->arena, sizeof *o->memory);
	return o->memory ? 0 : as_fail_memory(err);
}

static const char *transport_of(const assay_json *launch, const assay_json *settings)
{
	assay_str type = as_json_str(as_json_get(launch, "type"));
	if (as_json_get(settings, "transport")) {
		return as_json_cstr(as_json_get(settings, "transport"), "");
	}
	if (as_str_is(type, "sse")) {
		return "transport/sse";
	}
	if (as_json_get(launch, "url")) {
		return "transport/streamable-http";
	}
	return "transport/stdio";
}

/* Headers that each request has of its own: nobody else may set these. */
static bool is_own_header(assay_str name)
{
	static const char *const own[] = {"content-length",      "transfer-encoding", "connection",
					  "mcp-session-id",      "mcp-method",        "last-event-id",
					  "mcp-protocol-version"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		if (name.len == strlen(own[i]) && strncasecmp(name.ptr, own[i], name.len) == 0) {
			return true;
		}
	}
	return false;
}

const char *as_header_fault(assay_str name, assay_str value)
{
	bool good = name.len > 0;
	for (size_t i = 0; i < name.len && good; i++) {
		unsigned char c = (unsigned char)name.ptr[i];
		good = c > 0x20 && c < 0x7F && !strchr("\"(),/:;<=>?@[\\]{}", c);
	}
	if (!good) {
		return "this is no name of a header";
	}
	for (size_t i = 0; i < value.len; i++) { /* a line break would begin a header of its own */
		unsigned char c = (unsigned char)value.ptr[i];
		if ((c < 0x20 && c != '\t') || c == 0x7F) {
			return "a header's value holds a line break or another control character";
		}
	}
	return is_own_header(name) ? "this header cannot be set: each request has its own" : NULL;
}

static int check_headers(const assay_json *launch, assay_error *err)
{
	for (const assay_json *v = as_json_first(as_json_get(launch, "headers")); v; v = as_json_next(v)) {
		const char *fault = as_header_fault(as_json_key(v), as_json_str(v));
		char pointer[160];
		if (fault) {
			snprintf(pointer, sizeof pointer, "/mcpServers/%.*s/headers/%.*s",
				 ASSAY_FMT(as_json_key(launch)), ASSAY_FMT(as_json_key(v)));
			as_manifest_fail(v, err, pointer, "%s", fault);
			as_error_hint(err, "take it away");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

/* Other clients' keys ("autoApprove") may stay in a launch record, but not one that is a slip of the pen. */
static int check_launch(const assay_json *launch, assay_error *err)
{
	static const char *const known[] = {"type", "command", "args", "env", "cwd", "url", "headers"};
	const size_t n = sizeof known / sizeof *known;
	char pointer[160];
	snprintf(pointer, sizeof pointer, "/mcpServers/%.*s", ASSAY_FMT(as_json_key(launch)));
	if (as_json_get(launch, "command") && as_json_get(launch, "url")) {
		as_manifest_fail(launch, err, pointer, "it has a command and a url");
		as_error_hint(err, "a server is started by \"command\" and \"args\", or reached at a \"url\"");
		return ASSAY_EDATA;
	}
	for (const assay_json *v = as_json_first(launch); v; v = as_json_next(v)) {
		const char *near = as_nearest(as_json_key(v), known, n);
		if (near && !as_str_is(as_json_key(v), near)) {
			as_manifest_fail(v, err, pointer, "unknown member \"%.*s\"", ASSAY_FMT(as_json_key(v)));
			as_error_hint(err, "did you mean \"%s\"?", near);
			return ASSAY_EDATA;
		}
	}
	return check_headers(launch, err);
}

/* The hosts that a sandbox lets through. */
static int check_hosts(const as_server_spec *s, assay_error *err)
{
	const assay_json *network = as_json_get(s->sandbox, "network");
	size_t n = 0;
	if (as_json_type(network) != ASSAY_JSON_ARRAY) {
		return 0;
	}
	for (const assay_json *e = as_json_first(network); e; e = as_json_next(e), n++) {
		const char *fault = as_sandbox_check_host(e);
		char pointer[160];
		if (fault) {
			snprintf(pointer, sizeof pointer, "/servers/%s/sandbox/network/%zu", s->id, n);
			as_manifest_fail(e, err, pointer, "\"%s\" is no host to be reached: %s", as_json_cstr(e, ""),
					 fault);
			as_error_hint(
				err,
				"write \"NAME\" for its ports 80 and 443, \"NAME:PORT\", \"*.NAME\", \"1.2.3.4:PORT\" "
				"or \"[::1]:PORT\"; \"network\": \"host\" is for all hosts");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

/* What may change state does so in a state of its own, or in a sandbox. */
static int check_confinement(const as_server_spec *s, const assay_json *settings, assay_error *err)
{
	char pointer[160];
	if (s->sandbox && !as_json_get(s->launch, "command")) {
		snprintf(pointer, sizeof pointer, "/servers/%s/sandbox", s->id);
		as_manifest_fail(s->sandbox, err, pointer, "server \"%s\" has no command that could run in a sandbox",
				 s->id);
		as_error_hint(err, "take \"sandbox\" away; a server behind a URL cannot be confined from here");
		return ASSAY_EDATA;
	}
	if (s->server_class == AS_CLASS_STATEFUL_WRITE && !s->environment && !s->sandbox) {
		snprintf(pointer, sizeof pointer, "/servers/%s", s->id);
		as_manifest_fail(settings ? settings : s->launch, err, pointer,
				 "server \"%s\" may change state%s but has no environment or sandbox to do it in",
				 s->id, as_json_get(settings, "class") ? "" : " (it declares no \"class\")");
		as_error_hint(
			err,
			"give it an \"environment\" or a \"sandbox\", or \"class\": \"live_read\" if it only reads");
		return ASSAY_EDATA;
	}
	return 0;
}

/* Is it this environment that the NAME of a "${env:NAME.key}" stands for (launch.c)? */
static bool is_environment(const as_manifest *m, assay_str name, const as_environment_spec *e)
{
	for (size_t i = 0; i < m->n_servers; i++) {
		if (as_str_is(name, m->servers[i].id)) {
			return m->servers[i].environment == e;
		}
	}
	return as_str_is(name, e->name);
}

/* Does a text in a launch record speak of this environment? */
static bool refers(const as_manifest *m, const assay_json *v, const as_environment_spec *e)
{
	const assay_str mark = ASSAY_STR("${env:");
	assay_str text = as_json_str(v);
	bool found = false;
	for (size_t i = 0; i + mark.len < text.len && !found; i++) {
		assay_str name = {text.ptr + i, 0};
		if (!as_str_starts((assay_str){name.ptr, text.len - i}, mark)) {
			continue;
		}
		name.ptr += mark.len;
		while (i + mark.len + name.len < text.len && name.ptr[name.len] != '.' && name.ptr[name.len] != '}') {
			name.len++;
		}
		found = is_environment(m, name, e);
	}
	for (const assay_json *part = as_json_first(v); part && !found; part = as_json_next(part)) {
		found = refers(m, part, e);
	}
	return found;
}

const char *as_manifest_unheld(const as_manifest *m, const as_server_spec *s)
{
	assay_str network = as_json_str(as_json_get(s->sandbox, "network"));
	if (as_json_get(s->launch, "url")) {
		return "the server is reached at a URL";
	}
	if (s->environment && refers(m, s->launch, s->environment)) {
		return NULL;
	}
	if (s->sandbox) {
		bool apart = !as_json_get(s->sandbox, "network") || as_str_is(network, "off");
		return apart ? NULL : "the server's sandbox lets it reach others";
	}
	return s->environment ? "the server's launch record names nothing of its environment"
			      : "the server has no environment or sandbox";
}

static int read_server(as_manifest_build *b, const assay_json *launch, as_server_spec *s, assay_error *err)
{
	const assay_json *settings = as_json_get_n(as_json_get(b->m.document, "servers"), as_json_key(launch));
	const assay_json *limits = as_json_get(settings, "limits"), *said = as_json_get(settings, "class");
	char pointer[160];
	int rc;
	*s = (as_server_spec){.id = as_json_key(launch).ptr, .use = transport_of(launch, settings), .launch = launch};
	s->server_class = said ? as_class_from_name(as_json_str(said)) : AS_CLASS_STATEFUL_WRITE;
	s->limits.start_ms = milliseconds(limits, "start_seconds");
	s->limits.list_ms = milliseconds(limits, "list_seconds");
	s->limits.call_ms = milliseconds(limits, "call_seconds");
	rc = read_session(b, settings, &s->session, err);
	snprintf(pointer, sizeof pointer, "/servers/%s/environment", s->id);
	rc = rc < 0 ? rc : find_environment(b, as_json_get(settings, "environment"), pointer, &s->environment, err);
	s->sandbox = as_json_get(settings, "sandbox");
	if (rc == 0 && !as_json_get(settings, "transport")) { /* another transport has keys of its own */
		rc = check_launch(launch, err);
	}
	rc = rc < 0 ? rc : check_hosts(s, err);
	return rc < 0 ? rc : check_confinement(s, settings, err);
}

static int compare_servers(const void *a, const void *b)
{
	return strcmp(((const as_server_spec *)a)->id, ((const as_server_spec *)b)->id);
}

/* Settings for a server that is not there are a slip of the pen. */
static int check_settings(const as_manifest_build *b, assay_error *err)
{
	const assay_json *servers = as_json_get(b->m.document, "mcpServers");
	for (const assay_json *v = as_json_first(as_json_get(b->m.document, "servers")); v; v = as_json_next(v)) {
		char pointer[160];
		const char *names[64], *near;
		size_t n = 0;
		if (as_json_get_n(servers, as_json_key(v))) {
			continue;
		}
		for (const assay_json *s = as_json_first(servers); s && n < 64; s = as_json_next(s)) {
			names[n++] = as_json_key(s).ptr;
		}
		near = as_nearest(as_json_key(v), names, n);
		snprintf(pointer, sizeof pointer, "/servers/%.*s", ASSAY_FMT(as_json_key(v)));
		as_manifest_fail(v, err, pointer, "\"mcpServers\" has no server called \"%.*s\"",
				 ASSAY_FMT(as_json_key(v)));
		if (near) {
			as_error_hint(err, "did you mean \"%s\"?", near);
		}
		return ASSAY_EDATA;
	}
	return 0;
}

int as_read_servers(as_manifest_build *b, assay_error *err)
{
	const assay_json *all = as_json_get(b->m.document, "mcpServers");
	as_server_spec *list = as_arena_alloc(&b->arena, (as_json_count(all) + 1) * sizeof *list);
	size_t n = 0;
	int rc = list ? read_environments(b, err) : as_fail_memory(err);
	if (rc == 0 && as_json_count(all) == 0 && !b->m.imported) {
		rc = as_manifest_fail(all, err, "/mcpServers", "no server is named");
		as_error_hint(err, "add one, or take over what another client has: \"assay servers import FILE\"");
	}
	if (rc == 0) {
		rc = check_settings(b, err);
	}
	for (const assay_json *v = as_json_first(all); v && rc == 0; v = as_json_next(v)) {
		rc = read_server(b, v, &list[n++], err);
	}
	if (rc == 0) {
		qsort(list, n, sizeof *list, compare_servers);
		b->m.servers = list;
		b->m.n_servers = n;
	}
	return rc;
}
