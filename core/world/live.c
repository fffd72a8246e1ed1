/* The live world: environments are prepared when it opens, servers start on their first call. */
#include "core/world/live.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include "core/trace/canonical.h"
#include "core/world/sandbox.h"
#include <assay/roles/environment.h>
#include <assay/roles/transport.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOLD 20u /* refusals of one sandbox */

/* One environment in use by this world. */
typedef struct live_environment {
	const as_environment_spec *spec;
	as_instance *instance;
	void *state;
	bool prepared; /* prepare was called, so cleanup must be */
	char version[AS_VERSION_SIZE];
	char kept[AS_VERSION_SIZE]; /* of the snapshot */
} live_environment;

typedef struct live_server {
	const as_server_spec *spec;
	live_environment *environment; /* NULL: none */
	as_instance *transport;        /* borrowed by the session, closed after it */
	as_mcp_session *session;
	char version[AS_VERSION_SIZE]; /* of the server's own group when it has no environment */
} live_server;

typedef struct live_world {
	as_world base;
	const as_estate *estate;
	as_buf work_dir; /* below estate->work_dir, private to this world */
	assay_json *bindings;
	live_environment *environments;
	size_t n_environments;
	live_server *servers;
	size_t n_servers;
	uint32_t *taken; /* of the estate's quota; NULL: nothing was taken */
} live_world;

static live_server *find_server(live_world *w, assay_str id)
{
	for (size_t i = 0; i < w->n_servers; i++) {
		if (as_str_is(id, w->servers[i].spec->id)) {
			return &w->servers[i];
		}
	}
	return NULL;
}

/* What the server's sandbox has refused, by what is kept of its stderr: into the log, and as the hint to an error that
 * it may be the reason of. Either may be NULL. */
static void tell_refusals(const live_server *s, as_log *log, assay_error *err)
{
	const assay_transport_ops *ops = as_instance_ops(s->transport);
	assay_text said = {0};
	assay_str rest, line;
	assay_json *told;
	as_called before;
	int rc;
	if (!s->spec->sandbox || !ASSAY_HAS(ops, diagnostics) || !ops->diagnostics) {
		return;
	}
	before = as_instance_enter(s->transport, "diagnostics");
	rc = ops->diagnostics(as_instance_self(s->transport), &said, NULL);
	as_called_leave(before);
	if (rc < 0) {
		return;
	}
	told = as_json_object();
	rest = as_text_str(said);
	while (told && as_json_count(told) < MAX_TOLD && (line = as_sandbox_refusal(&rest)).len > 0) {
		as_buf text = {0};
		as_printable(&text, line);
		if (!text.failed && !as_json_get_n(told, line)) {
			as_log_put(log, "world", ASSAY_LOG_WARN, "server %s: %s", s->spec->id, text.ptr);
			as_error_hint(err, "%s", text.ptr);
		}
		if (as_json_set_n(told, line, as_json_truth(1)) < 0) {
			as_json_free(told);
			told = NULL;
		}
		as_buf_free(&text);
	}
	as_json_free(told);
	as_text_free(&said);
}

static void stop_server(live_server *s, const as_call *call)
{
	if (s->transport) {
		tell_refusals(s, call->log, NULL);
	}
	as_mcp_close(s->session); /* ends the child before the transport goes */
	s->session = NULL;
	as_instance_close(s->transport);
	s->transport = NULL;
}

static void stop_servers(live_world *w, const as_call *call)
{
	for (size_t i = 0; i < w->n_servers; i++) {
		stop_server(&w->servers[i], call);
	}
}

/* The environment's own word for its state. False where it has none: then the path to the state must do. */
static bool take_digest(live_environment *e, as_call *call, char version[AS_VERSION_SIZE])
{
	const assay_environment_ops *ops = as_instance_ops(e->instance);
	char digest[AS_VERSION_SIZE] = "";
	assay_error err = {0};
	if (!ASSAY_HAS(ops, digest) || !ops->digest) {
		return false;
	}
	as_called before = as_instance_enter(e->instance, "digest");
	int rc = ops->digest(as_instance_self(e->instance), &call->pub, e->state, digest, &err);
	rc = as_called_end(before, rc, &err);
	if (rc < 0) {
		if (rc != ASSAY_ENOTSUP) {
			as_log_put(call->log, "world", ASSAY_LOG_WARN, "environment %s has no digest now: %s",
				   e->spec->name, err.message);
		}
		return false;
	}
	digest[sizeof digest - 1] = '\0';
	if (digest[0] == '\0' || digest[strspn(digest, "0123456789abcdefghijklmnopqrstuvwxyz")]) {
		as_log_put(call->log, "world", ASSAY_LOG_WARN,
			   "environment %s: a digest is 1 to 64 digits and small letters", e->spec->name);
		return false;
	}
	memcpy(version, digest, sizeof digest);
	return true;
}

static int prepare_environment(live_world *w, live_environment *e, as_call *call, assay_error *err)
{
	const assay_environment_ops *ops = as_instance_ops(e->instance);
	as_collect made;
	as_buf dir = {0};
	assay_json *bindings = NULL;
	as_called before;
	int rc;
	as_collect_init(&made, 1, 0);
	as_path_join(&dir, as_buf_str(&w->work_dir), as_str(e->spec->name));
	rc = as_buf_check(&dir, err);
	if (rc == 0) {
		rc = as_make_dirs(dir.ptr, err);
	}
	if (rc < 0) {
		goto out;
	}
	e->prepared = true;
	before = as_instance_enter(e->instance, "prepare");
	rc = ops->prepare(as_instance_self(e->instance), &call->pub, dir.ptr, &e->state, &made.sink, err);
	rc = as_called_end(before, rc, err);
	if (rc < 0) {
		as_error_where(err, e->spec->name, 0);
		goto out;
	}
	rc = as_collect_one(&made, e->spec->use, &bindings, err);
	if (rc == 0) {
		rc = as_json_set(w->bindings, e->spec->name, bindings);
	}
	memcpy(e->version, "0", 2);
	if (rc == 0) {
		take_digest(e, call, e->version);
	}
out:
	as_collect_free(&made);
	as_buf_free(&dir);
	return rc;
}

static void clean_environment(live_environment *e, as_call *call)
{
	const assay_environment_ops *ops;
	as_called before;
	assay_error err = {0};
	int rc;
	if (!e->prepared) {
		return;
	}
	ops = as_instance_ops(e->instance);
	before = as_instance_enter(e->instance, "cleanup");
	rc = ops->cleanup(as_instance_self(e->instance), &call->pub, e->state, &err);
	if (as_called_end(before, rc, &err) < 0) {
		as_log_put(call->log, "world", ASSAY_LOG_WARN, "environment %s: clean-up failed: %s", e->spec->name,
			   err.message);
	}
	e->prepared = false;
	e->state = NULL;
}

static void live_close(as_world *base, as_call *call)
{
	live_world *w = (live_world *)base;
	stop_servers(w, call);
	for (size_t i = 0; i < w->n_environments; i++) {
		clean_environment(&w->environments[i], call);
		as_instance_close(w->environments[i].instance);
	}
	if (w->work_dir.len > 0) {
		as_remove_tree(w->work_dir.ptr, NULL);
	}
	if (w->taken) {
		as_quota_give(w->estate->quota, w->taken);
	}
	free(w->taken);
	as_buf_free(&w->work_dir);
	as_json_free(w->bindings);
	free(w->environments);
	free(w->servers);
	free(w);
}

static int live_reset(as_world *base, as_call *call, assay_error *err)
{
	live_world *w = (live_world *)base;
	int rc = 0;
	stop_servers(w, call);
	for (size_t i = 0; i < w->n_environments && rc == 0; i++) {
		live_environment *e = &w->environments[i];
		as_buf dir = {0};
		clean_environment(e, call);
		as_path_join(&dir, as_buf_str(&w->work_dir), as_str(e->spec->name));
		rc = as_buf_check(&dir, err);
		if (rc == 0) {
			rc = as_remove_tree(dir.ptr, err);
		}
		as_buf_free(&dir);
		if (rc == 0) {
			rc = prepare_environment(w, e, call, err);
		}
	}
	for (size_t i = 0; i < w->n_servers; i++) {
		memcpy(w->servers[i].version, "0", 2);
	}
	return rc;
}

static int blame(const live_world *w, const live_server *s, int rc, assay_error *err)
{
	as_error_where(err, s->spec->id, 0);
	if (s->transport) {
		tell_refusals(s, NULL, err);
	}
	as_redact_error(w->estate->redactor, err); /* a transport may quote the launch record, a refusal anything */
	return rc;
}

/* The launch record to start a server from: expanded, and in a sandbox where the manifest asks for one. */
static int make_launch(const live_world *w, const live_server *s, assay_json **out, assay_error *err)
{
	as_buf state = {0};
	int rc = as_launch_expand(w->estate, s->spec, w->bindings, out, err);
	if (rc == 0 && s->spec->sandbox) {
		as_sandbox_place place = {.server = s->spec->id, .base_dir = w->estate->base_dir};
		if (s->environment) {
			as_path_join(&state, as_buf_str(&w->work_dir), as_str(s->environment->spec->name));
			rc = as_buf_check(&state, err);
			place.state = state.ptr;
		}
		rc = rc < 0 ? rc : as_sandbox_wrap(s->spec->sandbox, &place, *out, err);
	}
	as_buf_free(&state);
	return rc;
}

static int start_server(live_world *w, live_server *s, as_call *call, assay_error *err)
{
	assay_json *launch = NULL;
	as_mcp_options options = s->spec->session;
	int rc;
	if (s->session && !as_mcp_is_dead(s->session)) {
		return 0;
	}
	options.redactor = w->estate->redactor;
	options.use = s->spec->use;
	stop_server(s, call);
	rc = make_launch(w, s, &launch, err);
	rc = rc < 0 ? rc
		    : as_instance_open(w->estate->registry, s->spec->use, ASSAY_ROLE_TRANSPORT, launch,
				       w->estate->base_dir, &s->transport, err);
	if (rc == 0) {
		call->cwd = w->estate->base_dir;
		rc = as_mcp_open_with(s->spec->id, as_instance_ops(s->transport), as_instance_self(s->transport),
				      &s->spec->limits, &options, &call->pub, &s->session, err);
	}
	as_json_free(launch);
	if (rc == ASSAY_EINVAL) { /* what is wrong stands in the launch record */
		rc = ASSAY_EDATA;
		if (err && err->code == ASSAY_EINVAL) {
			err->code = rc;
		}
	}
	return rc < 0 ? blame(w, s, rc, err) : 0;
}

static int refuse_unknown(as_answer *out, assay_str server, assay_error *err)
{
	as_buf text = {0};
	as_buf_printf(&text, "no server called \"%.*s\"", ASSAY_FMT(server));
	out->error = as_json_object();
	if (as_json_set(out->error, "code", as_json_cstring("UnknownServer")) < 0 ||
	    as_json_set(out->error, "message", as_json_string(as_buf_str(&text))) < 0 ||
	    as_json_set(out->error, "raw", as_json_null()) < 0) {
		as_buf_free(&text);
		return as_fail_memory(err);
	}
	as_buf_free(&text);
	out->status = ASSAY_STEP_ERROR;
	return 0;
}

/* The state after a write, by its digest or by the way there. */
static int next_version(live_server *s, as_call *call, assay_str tool, const assay_json *arguments, char *version,
			assay_error *err)
{
	as_buf canonical = {0};
	int rc;
	if (s->environment && take_digest(s->environment, call, version)) {
		return 0;
	}
	rc = as_canonical_arguments(arguments, &canonical) < 0 ? as_fail_memory(err) : 0;
	if (rc == 0) {
		char before[AS_VERSION_SIZE];
		memcpy(before, version, sizeof before);
		as_next_version(as_str(before), as_str(s->spec->id), tool, as_buf_str(&canonical), version);
	}
	as_buf_free(&canonical);
	return rc;
}

/* A promise that the server has broken is noted; what it answered is the agent's all the same. */
static int check_output(const assay_tool *known, as_answer *out, assay_error *err)
{
	const assay_json *content = as_json_get(out->result, "structuredContent");
	as_schema *schema = NULL;
	assay_error why = {0};
	as_buf text = {0};
	int rc;
	if (!known || !known->output_schema || !content || out->status != ASSAY_STEP_SUCCESS) {
		return 0;
	}
	rc = as_schema_compile(known->output_schema, &schema, &why);
	if (rc == 0) {
		rc = as_schema_validate(schema, content, &why);
	}
	if (rc == ASSAY_EDATA && schema) {
		as_buf_printf(&text, "%s%s%s", why.pointer, why.pointer[0] ? ": " : "", why.message);
		out->unfit = as_json_string(as_buf_str(&text));
		rc = out->unfit && !text.failed ? 0 : ASSAY_ENOMEM;
	}
	as_buf_free(&text);
	as_schema_free(schema); /* one that cannot be read is no promise */
	return rc == ASSAY_ENOMEM ? as_fail_memory(err) : 0;
}

/* A successful write moves the version of the server's group; nothing else does (design page "replay", rule 3). */
static int move_version(live_server *s, as_call *call, const assay_tool *known, assay_str tool,
			const assay_json *arguments, as_answer *out, assay_error *err)
{
	char *version = s->environment ? s->environment->version : s->version;
	int rc = 0;
	if (out->status == ASSAY_STEP_SUCCESS && (!known || (known->flags & ASSAY_TOOL_WRITES))) {
		rc = next_version(s, call, tool, arguments, version, err);
	}
	memcpy(out->next, version, AS_VERSION_SIZE);
	return rc;
}

static int live_call(as_world *base, as_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		     as_answer *out, assay_error *err)
{
	live_world *w = (live_world *)base;
	live_server *s = find_server(w, server);
	const assay_tool *known = w->estate->catalogue ? as_catalogue_find(w->estate->catalogue, server, tool) : NULL;
	bool rpc_error = false;
	int rc;
	*out = (as_answer){.served = ASSAY_SERVED_LIVE};
	if (!s) {
		return refuse_unknown(out, server, err);
	}
	memcpy(out->version, s->environment ? s->environment->version : s->version, AS_VERSION_SIZE);
	memcpy(out->next, out->version, AS_VERSION_SIZE);
	rc = start_server(w, s, call, err);
	if (rc < 0) {
		return rc;
	}
	rc = as_mcp_call_tool(s->session, &call->pub, tool, arguments, 0, &out->result, &rpc_error, err);
	out->asked = as_mcp_take_asked(s->session);
	if (rc < 0) {
		return blame(w, s, rc, err);
	}
	if (as_json_boolean(as_json_get(out->result, "isError"), 0)) {
		out->status = ASSAY_STEP_ERROR;
		out->error = as_tool_error(out->result);
		if (!out->error) {
			return as_fail_memory(err);
		}
	}
	rc = check_output(known, out, err);
	return rc < 0 ? rc : move_version(s, call, known, tool, arguments, out, err);
}

static const as_world_ops live_ops = {live_call, live_reset, live_close};

static bool wanted(const assay_json *servers, const char *id)
{
	if (!servers) {
		return true;
	}
	for (const assay_json *v = as_json_first(servers); v; v = as_json_next(v)) {
		if (as_str_is(as_json_str(v), id)) {
			return true;
		}
	}
	return false;
}

/* The world's entry for an environment, opened on first sight. The array has room for one per server. */
static int add_environment(live_world *w, const as_environment_spec *spec, live_environment **out, assay_error *err)
{
	live_environment *e;
	*out = NULL;
	for (size_t i = 0; spec && i < w->n_environments; i++) {
		if (w->environments[i].spec == spec) {
			*out = &w->environments[i];
		}
	}
	if (!spec || *out) {
		return 0;
	}
	e = &w->environments[w->n_environments];
	e->spec = spec;
	*out = e;
	w->n_environments++;
	return as_instance_open(w->estate->registry, spec->use, ASSAY_ROLE_ENVIRONMENT, spec->options,
				w->estate->base_dir, &e->instance, err);
}

static int add_servers(live_world *w, const assay_json *servers, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < w->estate->n_servers && rc == 0; i++) {
		const as_server_spec *spec = &w->estate->servers[i];
		if (wanted(servers, spec->id)) {
			live_server *s = &w->servers[w->n_servers++];
			s->spec = spec;
			memcpy(s->version, "0", 2);
			rc = add_environment(w, spec->environment, &s->environment, err);
		}
	}
	return rc;
}

/* Places for all servers and environments of this world, before any of them is touched. */
static int take_places(live_world *w, const as_call *call, assay_error *err)
{
	const as_estate *e = w->estate;
	uint32_t *amounts = as_new(e->n_environments + 1, sizeof *amounts);
	size_t kind = 0;
	int rc;
	if (!amounts) {
		return as_fail_memory(err);
	}
	amounts[0] = (uint32_t)w->n_servers;
	for (size_t i = 0; i < w->n_environments; i++) {
		amounts[1 + (size_t)(w->environments[i].spec - e->environments)] = 1;
	}
	rc = as_quota_take(e->quota, amounts, call->cancel, &kind, err);
	if (rc == ASSAY_EDATA) {
		as_error_hint(err, kind == 0 ? "raise limits.server_processes" : "raise the environment's capacity");
	}
	if (rc < 0) {
		free(amounts);
	} else {
		w->taken = amounts;
	}
	return rc;
}

int as_live_open(const as_estate *estate, const assay_json *servers, as_call *call, as_world **out, assay_error *err)
{
	live_world *w = as_new(1, sizeof *w);
	int rc;
	if (!w) {
		return as_fail_memory(err);
	}
	w->base.ops = &live_ops;
	w->estate = estate;
	w->bindings = as_json_object();
	w->environments = as_new(estate->n_servers + 1, sizeof *w->environments);
	w->servers = as_new(estate->n_servers + 1, sizeof *w->servers);
	if (!w->bindings || !w->environments || !w->servers) {
		rc = as_fail_memory(err);
		goto out;
	}
	rc = add_servers(w, servers, err);
	if (rc == 0 && estate->quota) {
		rc = take_places(w, call, err);
	}
	if (rc == 0) {
		rc = as_make_temp_dir(estate->work_dir, "world-", &w->work_dir, err);
	}
	for (size_t i = 0; i < w->n_environments && rc == 0; i++) {
		rc = prepare_environment(w, &w->environments[i], call, err);
	}
out:
	if (rc < 0) {
		live_close(&w->base, call);
		w = NULL;
	}
	*out = w ? &w->base : NULL;
	return rc;
}

bool as_live_restorable(as_world *base, assay_str server)
{
	const live_server *s = find_server((live_world *)base, server);
	return s && s->environment;
}

bool as_live_readable(as_world *base, assay_str server)
{
	const live_server *s = find_server((live_world *)base, server);
	return s && (s->environment || s->spec->server_class != AS_CLASS_STATEFUL_WRITE);
}

const char *as_live_version(as_world *base, assay_str server)
{
	const live_server *s = find_server((live_world *)base, server);
	return !s ? "" : s->environment ? s->environment->version : s->version;
}

#define SNAPSHOT "world"

int as_live_snapshot(as_world *base, as_call *call, assay_error *err)
{
	live_world *w = (live_world *)base;
	int rc = 0;
	stop_servers(w, call);
	for (size_t i = 0; i < w->n_environments && rc == 0; i++) {
		live_environment *e = &w->environments[i];
		const assay_environment_ops *ops = as_instance_ops(e->instance);
		if (!ASSAY_HAS(ops, restore) || !ops->snapshot || !ops->restore) {
			return as_fail(err, ASSAY_ENOTSUP, "environment %s keeps no copies of its state",
				       e->spec->name);
		}
		as_called before = as_instance_enter(e->instance, "snapshot");
		rc = ops->snapshot(as_instance_self(e->instance), &call->pub, e->state, SNAPSHOT, err);
		rc = as_called_end(before, rc, err);
		memcpy(e->kept, e->version, sizeof e->kept);
	}
	return rc;
}

int as_live_restore(as_world *base, as_call *call, assay_error *err)
{
	live_world *w = (live_world *)base;
	int rc = 0;
	stop_servers(w, call);
	for (size_t i = 0; i < w->n_environments && rc == 0; i++) {
		live_environment *e = &w->environments[i];
		const assay_environment_ops *ops = as_instance_ops(e->instance);
		as_called before = as_instance_enter(e->instance, "restore");
		rc = ops->restore(as_instance_self(e->instance), &call->pub, e->state, SNAPSHOT, err);
		rc = as_called_end(before, rc, err);
		memcpy(e->version, e->kept, sizeof e->version);
	}
	return rc;
}

/* What is spoken, in one of the three words of the reference's formats, which know no transports of other people's. */
static const char *transport_of(const live_server *s)
{
	if (as_mcp_is_older(s->session) || strcmp(s->spec->use, "transport/sse") == 0) {
		return "sse";
	}
	return as_json_get(s->spec->launch, "url") ? "streamable_http" : "stdio";
}

/* ServerFingerprint (reference page 1.1) without the times of observation. */
static assay_json *fingerprint_of(const live_server *s, const assay_json *launch, const assay_json *tools,
				  assay_error *err)
{
	const assay_json *info = as_mcp_info(s->session);
	assay_json *f = as_json_object();
	as_buf endpoint = {0};
	char hash[17] = "";
	int rc = as_tool_surface_hash(tools, hash, err);
	if (as_json_get(launch, "url")) {
		as_buf_add(&endpoint, as_json_str(as_json_get(launch, "url")));
	} else {
		as_buf_add(&endpoint, as_json_str(as_json_get(launch, "command")));
		for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a; a = as_json_next(a)) {
			as_buf_byte(&endpoint, ' ');
			as_buf_add(&endpoint, as_json_str(a));
		}
	}
	rc |= as_json_set(f, "server_id", as_json_cstring(s->spec->id));
	rc |= as_json_set(f, "transport", as_json_cstring(transport_of(s)));
	rc |= as_json_set(f, "endpoint", as_json_string(as_buf_str(&endpoint)));
	rc |= as_json_set(f, "server_name", as_json_clone(as_json_get(info, "server_name")));
	rc |= as_json_set(f, "server_version", as_json_clone(as_json_get(info, "server_version")));
	rc |= as_json_set(f, "protocol_version", as_json_clone(as_json_get(info, "protocol_version")));
	rc |= as_json_set(f, "capabilities", as_json_clone(as_json_get(info, "capabilities")));
	rc |= as_json_set(f, "tool_count", as_json_integer((int64_t)as_json_count(tools)));
	rc |= as_json_set(f, "tool_surface_hash", as_json_cstring(hash));
	if (rc < 0 || endpoint.failed) {
		as_json_free(f);
		f = NULL;
	}
	as_buf_free(&endpoint);
	return f;
}

int as_live_describe(as_world *base, as_call *call, assay_str server, assay_json **out, assay_error *err)
{
	live_world *w = (live_world *)base;
	live_server *s = find_server(w, server);
	assay_json *tools = NULL, *d = NULL;
	int64_t begun = as_now_us(), started = begun;
	int rc;
	*out = NULL;
	if (!s) {
		return as_fail(err, ASSAY_ENOENT, "no server called \"%.*s\" in the manifest", ASSAY_FMT(server));
	}
	rc = start_server(w, s, call, err);
	started = as_now_us();
	if (rc == 0) {
		rc = as_mcp_list_tools(s->session, &call->pub, &tools, err);
	}
	if (rc < 0) {
		return blame(w, s, rc, err);
	}
	d = as_json_object();
	rc |= as_json_set(d, "start_ms", as_json_real(as_us_to_ms(started - begun)));
	rc |= as_json_set(d, "list_ms", as_json_real(as_us_to_ms(as_now_us() - started)));
	/* The record as written, so that neither a secret nor a private folder gets into it. */
	rc |= as_json_set(d, "fingerprint", fingerprint_of(s, s->spec->launch, tools, err));
	rc |= as_json_set(d, "tools", tools);
	rc |= as_json_set(d, "instructions", as_json_clone(as_json_get(as_mcp_info(s->session), "instructions")));
	rc |= as_json_set(d, "noise", as_json_integer(as_mcp_noise(s->session)));
	if (rc < 0) {
		as_json_free(d);
		return as_fail_memory(err);
	}
	*out = d;
	return 0;
}
