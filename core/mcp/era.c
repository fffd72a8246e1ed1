/* Finding out how a server wants to be spoken to, and agreeing on a revision. Source: mcp-protocol reference, sections
 * 3 and 4. */
#include "config.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mcp/policy.h"
#include "core/mcp/session_private.h"
#include <string.h>

/* A server has this long to answer a question that it may not know. It must exceed the start of a slow one. */
#define PROBE_MS 10000

/* --- handshake --------------------------------------------------------------------------------------------------- */

static assay_json *initialize_params(const char *version, as_mcp_elicitation elicitation)
{
	assay_json *params = as_json_object(), *client = as_json_object();
	int rc = as_json_set(client, "name", as_json_cstring(PACKAGE_NAME));

	rc = as_json_set(client, "version", as_json_cstring(PACKAGE_VERSION)) || rc;
	rc = as_json_set(params, "protocolVersion", as_json_cstring(version)) || rc;
	rc = as_json_set(params, "capabilities", as_policy_capabilities(elicitation, false)) || rc;
	rc = as_json_set(params, "clientInfo", client) || rc;
	if (rc) {
		as_json_free(params);
		return NULL;
	}
	return params;
}

static assay_json *text_or_null(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_STRING ? as_json_clone(v) : as_json_null();
}

static int take_info(as_mcp_session *s, const assay_json *result, const assay_json *server, assay_error *err)
{
	const assay_json *capabilities = as_json_get(result, "capabilities");
	int rc;

	as_json_free(s->info);
	s->info = as_json_object();
	s->has_tools = as_json_type(as_json_get(capabilities, "tools")) == ASSAY_JSON_OBJECT;
	s->tells_changes = as_json_boolean(as_json_pointer(capabilities, "/tools/listChanged"), 0);
	s->has_tasks = s->revision->handshake &&
		       as_json_type(as_json_pointer(capabilities, "/tasks/requests/tools/call")) == ASSAY_JSON_OBJECT;
	rc = as_json_set(s->info, "server_name", as_json_string(as_json_str(as_json_get(server, "name"))));
	rc = as_json_set(s->info, "server_version", as_json_string(as_json_str(as_json_get(server, "version")))) || rc;
	rc = as_json_set(s->info, "protocol_version", as_json_cstring(s->revision->name)) || rc;
	rc = as_json_set(s->info, "capabilities",
			 as_json_type(capabilities) == ASSAY_JSON_OBJECT ? as_json_clone(capabilities)
									 : as_json_object()) ||
	     rc;
	rc = as_json_set(s->info, "instructions", text_or_null(as_json_get(result, "instructions"))) || rc;
	return rc ? as_fail_memory(err) : 0;
}

/* The newest of our revisions with or without a handshake in a list of names, or NULL. */
static const as_mcp_revision *best_of(const assay_json *supported, bool handshake)
{
	const as_mcp_revision *best = NULL;

	for (const assay_json *v = as_json_first(supported); v; v = as_json_next(v)) {
		const as_mcp_revision *r = as_mcp_revision_find(as_json_str(v));

		/* The table is sorted, newest first. */
		if (r && r->handshake == handshake && (!best || r < best)) {
			best = r;
		}
	}
	return best;
}

/* The newest of our revisions among those that an error answer names as supported, or NULL. */
static const as_mcp_revision *offered_instead(const assay_json *error)
{
	return best_of(as_json_get(as_json_get(error, "data"), "supported"), true);
}

/* Revisions that a server names, none of which is ours: what a handshake that it refuses too is due to. */
static void note_strange(as_mcp_session *s, const as_wire_answer *answer)
{
	const assay_json *list = as_json_get(answer->result, "supportedVersions");
	as_buf names = {0};
	list = list ? list : as_json_get(as_json_get(answer->error, "data"), "supported");
	for (const assay_json *v = as_json_first(list); v && names.len < sizeof s->strange; v = as_json_next(v)) {
		as_buf_puts(&names, names.len > 0 ? ", " : "");
		as_printable(&names, as_json_str(v));
	}
	s->strange[0] = '\0';
	if (names.len > 0 && !best_of(list, true) && !best_of(list, false)) {
		as_utf8_cut(s->strange, sizeof s->strange, as_buf_str(&names));
	}
	as_buf_free(&names);
}

static int agree(as_mcp_session *s, const assay_json *result, assay_error *err)
{
	const assay_json *version = as_json_get(result, "protocolVersion");
	assay_str name = as_json_str(version);

	if (as_json_type(version) != ASSAY_JSON_STRING) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "its answer to initialize names no protocolVersion");
	}
	s->revision = as_mcp_revision_find(name);
	if (!s->revision || !s->revision->handshake) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO,
				    "it wants to speak MCP revision \"%.*s\", which is not one of ours (%s)",
				    (int)(name.len < 64 ? name.len : 64), name.ptr, as_mcp_revision_list());
	}
	s->wire.batches = s->revision->batches;
	s->wire.revision = s->revision->name;
	return take_info(s, result, as_json_get(result, "serverInfo"), err);
}

/* Ask for one revision; another may be offered instead. */
static int initialize(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err)
{
	const as_mcp_revision *asked = as_mcp_revision_newest();
	int rc;

	for (int round = 0;; round++) {
		as_wire_request request = {.method = "initialize",
					   .params = initialize_params(asked->name, s->options.elicitation),
					   .timeout_ms = as_remaining(deadline),
					   .limit_ms = s->limits.start_ms,
					   .not_cancel = true};
		const as_mcp_revision *instead;
		as_wire_answer answer;

		rc = as_wire_ask(&s->wire, call, &request, &answer, err);
		as_json_free(request.params);
		if (rc) {
			return rc;
		}
		instead = answer.error && round == 0 ? offered_instead(answer.error) : NULL;
		if (instead && instead != asked) {
			asked = instead;
			as_json_free(answer.message);
			continue;
		}
		if (answer.error && !s->strange[0]) {
			note_strange(s, &answer);
		}
		s->wants_stateless = as_json_i64(as_json_get(answer.error, "code"), 0) == AS_RPC_NO_VERSION;
		rc = answer.error ? as_session_refused(s, "initialize", answer.error, err)
				  : agree(s, answer.result, err);
		as_json_free(answer.message);
		return rc;
	}
}

/* Servers of 2024 know nothing at the address that messages are posted to, and say so in one of these ways. */
static bool may_be_older(const as_mcp_session *s)
{
	int status = s->wire.refused;

	return ASSAY_HAS(s->wire.ops, fall_back) && s->wire.ops->fall_back &&
	       (status == 400 || status == 404 || status == 405);
}

/* After a refusal, which stands where the older way does not go either. A fault in it says more. */
static int go_older(as_mcp_session *s, assay_call *call, int64_t deadline, int rc, assay_error *why)
{
	assay_error older = {0};
	int status = s->wire.refused, gone = as_wire_fall_back(&s->wire, call, as_remaining(deadline), &older);

	if (gone == 0 || gone == ASSAY_EPROTO) {
		as_error_clear(why);
	}
	if (gone == ASSAY_EPROTO) {
		as_wire_fail(&s->wire, why, rc, "initialize was refused with HTTP status %d; in the older way, %s",
			     status, older.message);
	}
	return gone == 0 ? initialize(s, call, deadline, why) : rc;
}

int as_session_shake_hands(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err)
{
	assay_error why = {0};
	int rc;

	s->wire.stateless = false;
	s->wire.revision = NULL;
	rc = initialize(s, call, deadline, &why);
	if (rc && may_be_older(s)) {
		rc = go_older(s, call, deadline, rc, &why);
	}
	if (rc) {
		if (err && err->code == 0) {
			*err = why;
		}
		return rc;
	}
	rc = as_wire_tell(&s->wire, call, "notifications/initialized", NULL, err);
	return rc ? rc : as_wire_listen(&s->wire, call, err);
}

/* --- stateless --------------------------------------------------------------------------------------------------- */

static int be_stateless(as_mcp_session *s, const assay_json *discovered, assay_error *err)
{
	const assay_json *server = as_json_get(as_json_get(discovered, "_meta"), AS_MCP_META_SERVER);
	int rc;

	s->revision = as_mcp_revision_stateless();
	s->wire.revision = s->revision->name;
	s->wire.stateless = true;
	s->wire.batches = false;
	rc = take_info(s, discovered, server, err);
	s->has_tools = s->has_tools || !discovered;
	return rc;
}

typedef enum finding { FOUND_STATELESS, FOUND_HANDSHAKE, FOUND_TRY_AGAIN } finding;

/* What an answer to server/discover tells. Any error but those that only a stateless server knows, and any result that
 * is none of server/discover, are those of a server that wants a handshake. */
static finding read_discovery(const as_wire_answer *answer, bool first)
{
	const assay_json *supported = as_json_get(answer->result, "supportedVersions");
	int64_t code = as_json_i64(as_json_get(answer->error, "code"), 0);

	if (answer->result) {
		return best_of(supported, false) ? FOUND_STATELESS : FOUND_HANDSHAKE;
	}
	if (code == AS_RPC_NO_VERSION) {
		bool ours = best_of(as_json_get(as_json_get(answer->error, "data"), "supported"), false) != NULL;

		return !ours ? FOUND_HANDSHAKE : first ? FOUND_TRY_AGAIN : FOUND_STATELESS;
	}
	return code == AS_RPC_HEADER_MISMATCH || code == AS_RPC_NEEDS_CAPABILITY ? FOUND_STATELESS : FOUND_HANDSHAKE;
}

static int discover(as_mcp_session *s, assay_call *call, int64_t timeout_ms, as_wire_answer *answer, assay_error *err)
{
	static const char *const headers[] = {"Mcp-Method: server/discover", NULL};
	as_wire_request request = {.method = "server/discover",
				   .headers = headers,
				   .params = as_json_object(),
				   .timeout_ms = timeout_ms};
	int rc;

	s->wire.revision = as_mcp_revision_stateless()->name;
	s->wire.stateless = true;
	rc = as_wire_ask(&s->wire, call, &request, answer, err);
	as_json_free(request.params);
	return rc;
}

/* *stateless: it is; its info has been taken. A failure is one of the connection. */
static int probe(as_mcp_session *s, assay_call *call, int64_t deadline, bool *stateless, assay_error *err)
{
	finding found = FOUND_TRY_AGAIN;
	int rc = 0;

	for (int round = 0; found == FOUND_TRY_AGAIN; round++) {
		int64_t half = as_remaining(deadline) / 2;
		as_wire_answer answer;
		assay_error why = {0};

		rc = discover(s, call, half < PROBE_MS ? half : PROBE_MS, &answer, &why);
		if (rc) {
			bool refused = rc != ASSAY_EAUTH && s->wire.refused != 0;
			bool silent = rc == ASSAY_ETIMEOUT && !as_call_is_over(call);

			if (!s->wire.dead && (refused || silent || rc == ASSAY_EPROTO)) {
				return 0; /* not stateless, and nothing is lost */
			}
			if (err && err->code == 0) {
				*err = why;
			}
			return rc;
		}
		found = read_discovery(&answer, round == 0);
		note_strange(s, &answer);
		if (found == FOUND_STATELESS) {
			*stateless = true;
			rc = be_stateless(s, answer.result, err);
		}
		as_json_free(answer.message);
	}
	return rc;
}

static as_mcp_era remembered(const as_mcp_session *s)
{
	as_mcp_era era = s->options.era;

	if (era == AS_MCP_ERA_AUTO && s->options.memory && s->options.memory->era == AS_MCP_ERA_HANDSHAKE) {
		return AS_MCP_ERA_HANDSHAKE; /* the other one is asked for what it has to tell of itself */
	}
	return era;
}

/* A handshake with a server that did not take the question for a stateless one. A slow starter may have taken it all
 * the same, too late for us, and refuse the handshake from then on: it is asked once more. */
static int fall_back(as_mcp_session *s, assay_call *call, int64_t deadline, bool *stateless, assay_error *err)
{
	assay_error why = {0}, again = {0};
	int rc = as_session_shake_hands(s, call, deadline, &why);

	if (rc && s->wants_stateless && !s->wire.dead && s->options.era == AS_MCP_ERA_AUTO &&
	    probe(s, call, deadline, stateless, &again) == 0 && *stateless) {
		return 0;
	}
	if (rc && s->strange[0] && rc != ASSAY_ECANCELED && rc != ASSAY_ENOMEM) {
		return as_wire_fail(
			&s->wire, err, ASSAY_EPROTO,
			"it speaks MCP revision %s, which is not one of ours (%s, %s), and does not shake hands",
			s->strange, as_mcp_revision_stateless()->name, as_mcp_revision_list());
	}
	if (rc && err && err->code == 0) {
		*err = why;
	}
	return rc;
}

int as_session_begin(as_mcp_session *s, assay_call *call, int64_t deadline, assay_error *err)
{
	bool stateless = false;
	int rc = 0;

	switch (remembered(s)) {
	case AS_MCP_ERA_STATELESS:
		return be_stateless(s, NULL, err);
	case AS_MCP_ERA_AUTO:
		rc = probe(s, call, deadline, &stateless, err);
		break;
	case AS_MCP_ERA_HANDSHAKE:
		break;
	}
	if (rc) {
		/* A server that the question has killed is not asked it again. */
		if (s->wire.dead && s->options.memory && !as_call_is_over(call)) {
			s->options.memory->era = AS_MCP_ERA_HANDSHAKE;
		}
		return rc;
	}
	if (!stateless) {
		rc = fall_back(s, call, deadline, &stateless, err);
	}
	if (!rc && s->options.memory) {
		s->options.memory->era = stateless ? AS_MCP_ERA_STATELESS : AS_MCP_ERA_HANDSHAKE;
	}
	return rc;
}
