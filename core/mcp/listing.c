/* tools/list: all pages of it. */
#include "core/base/error.h"
#include "core/mcp/mirror.h"
#include "core/mcp/session_private.h"

#define MAX_PAGES 1000u
#define MAX_LISTINGS 3 /* in a row, when the tools change while they are listed */
#define RELIST_MS 1000 /* a list that is younger is not taken again before a call */
#define MAX_FRESH_MS ((int64_t)3600 * 1000)
#define LIST_FACTOR 4u /* all pages of a list together may be this many times the largest message */

/* A list being put together from its pages. */
typedef struct listing {
	assay_json *tools;
	assay_json *cursors; /* those that were followed */
	uint32_t n_tools;
	size_t bytes;
	int64_t fresh_ms; /* until when the pages are fresh, by the one that is so for the shortest time */
} listing;

static int add_tools(as_mcp_session *s, listing *l, const assay_json *tools, assay_error *err)
{
	for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
		if (as_json_str(as_json_get(t, "name")).len == 0) {
			return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "number %u of its tools has no name",
					    l->n_tools + 1);
		}
		if (l->n_tools++ >= s->limits.max_tools) {
			return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "it has more than %u tools",
					    s->limits.max_tools);
		}
		if (as_json_append(l->tools, as_json_clone(t))) {
			return as_fail_memory(err);
		}
	}
	return 0;
}

/* Follow nextCursor. *more: there is another page. An empty string is a cursor like any other. */
static int next_page(as_mcp_session *s, listing *l, const assay_json *cursor, bool *more, assay_error *err)
{
	*more = as_json_type(cursor) != ASSAY_JSON_NONE && as_json_type(cursor) != ASSAY_JSON_NULL;
	if (!*more) {
		return 0;
	}
	if (as_json_type(cursor) != ASSAY_JSON_STRING) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "nextCursor of its tools/list is not a string");
	}
	for (const assay_json *c = as_json_first(l->cursors); c; c = as_json_next(c)) {
		if (as_str_eq(as_json_str(c), as_json_str(cursor))) {
			return as_wire_fail(&s->wire, err, ASSAY_EPROTO,
					    "its tools/list goes round in a circle: page %zu has a cursor "
					    "that was followed before",
					    as_json_count(l->cursors) + 1);
		}
	}
	if (as_json_count(l->cursors) + 1 >= MAX_PAGES) {
		return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "its tools/list has more than %u pages", MAX_PAGES);
	}
	return as_json_append(l->cursors, as_json_clone(cursor)) ? as_fail_memory(err) : 0;
}

static int take_page(as_mcp_session *s, listing *l, const as_wire_answer *answer, bool *more, assay_error *err)
{
	const assay_json *tools = as_json_get(answer->result, "tools");
	int rc;

	if (answer->error) {
		bool no_method = as_json_i64(as_json_get(answer->error, "code"), 0) == AS_RPC_NO_METHOD;

		*more = false;
		return no_method && !s->has_tools ? 0 : as_session_refused(s, "tools/list", answer->error, err);
	}
	l->bytes += answer->bytes;
	if (l->bytes / LIST_FACTOR > s->limits.max_message) {
		return as_wire_fail(&s->wire, err, ASSAY_ELIMIT, "the pages of its tools/list have more than %zu bytes",
				    s->limits.max_message * LIST_FACTOR);
	}
	if (as_json_type(tools) != ASSAY_JSON_ARRAY) {
		return as_wire_fail(&s->wire, err, ASSAY_EPROTO, "its answer to tools/list has no array \"tools\"");
	}
	rc = add_tools(s, l, tools, err);
	return rc ? rc : next_page(s, l, as_json_get(answer->result, "nextCursor"), more, err);
}

/* ttlMs of a page: absent, negative and what is no number are 0. */
static void note_freshness(listing *l, const assay_json *result)
{
	int64_t ttl = as_json_i64(as_json_get(result, "ttlMs"), 0), until;

	ttl = ttl < 0 ? 0 : ttl < MAX_FRESH_MS ? ttl : MAX_FRESH_MS;
	until = ttl > 0 ? as_deadline(ttl) : 0;
	l->fresh_ms = until < l->fresh_ms ? until : l->fresh_ms;
}

/* Over HTTP a tool must be left out whose schema wants headers that the rules do not allow; elsewhere nobody sends
 * them. */
static int note_mirrors(as_mcp_session *s, const assay_call *call, assay_json **tools, assay_error *err)
{
	bool has_headers = ASSAY_HAS(s->wire.ops, send_message) && s->wire.ops->send_message;
	assay_json *kept = as_json_array(), *mirrors = as_json_object();
	int rc = kept && mirrors ? 0 : as_fail_memory(err);

	for (const assay_json *t = as_json_first(*tools); t && !rc && has_headers; t = as_json_next(t)) {
		assay_str name = as_json_str(as_json_get(t, "name"));
		assay_json *map = NULL;
		assay_error why = {0};

		rc = as_mirror_scan(t, &map, &why);
		if (rc == ASSAY_EDATA) {
			as_log_put(((const as_call *)(const void *)call)->log, s->server_id, ASSAY_LOG_WARN,
				   "its tool \"%.*s\" is left out: %s", ASSAY_FMT(name), why.message);
			rc = 0;
			continue;
		}
		if (!rc && as_json_append(kept, as_json_clone(t))) {
			rc = ASSAY_ENOMEM;
		}
		if (!rc && map) {
			rc = as_json_set_n(mirrors, name, map);
		} else {
			as_json_free(map);
		}
		rc = rc ? as_fail_memory(err) : 0;
	}
	if (!rc && has_headers) {
		as_json_free(*tools);
		*tools = kept;
		kept = NULL;
		as_json_free(s->mirrors);
		s->mirrors = mirrors;
		mirrors = NULL;
	}
	as_json_free(kept);
	as_json_free(mirrors);
	return rc;
}

/* Which tools are only called as tasks. */
static int note_tasks(as_mcp_session *s, const assay_json *tools, assay_error *err)
{
	assay_json *tasks = as_json_object();
	int rc = tasks ? 0 : ASSAY_ENOMEM;

	for (const assay_json *t = as_json_first(tools); t && !rc; t = as_json_next(t)) {
		if (as_str_is(as_json_str(as_json_pointer(t, "/execution/taskSupport")), "required")) {
			rc = as_json_set_n(tasks, as_json_str(as_json_get(t, "name")), as_json_truth(1));
		}
	}
	if (rc) {
		as_json_free(tasks);
		return as_fail_memory(err);
	}
	as_json_free(s->tasks);
	s->tasks = tasks;
	return 0;
}

/* All pages, once. */
static int list_once(as_mcp_session *s, assay_call *call, int64_t deadline, listing *l, assay_error *err)
{
	bool more = true;
	int rc = l->tools && l->cursors ? 0 : as_fail_memory(err);

	while (!rc && more) {
		size_t page = as_json_count(l->cursors);
		as_wire_request request = {.method = "tools/list",
					   .params = as_json_object(),
					   .timeout_ms = as_remaining(deadline),
					   .limit_ms = s->limits.list_ms};
		as_wire_answer answer;

		if (page > 0 &&
		    as_json_set(request.params, "cursor", as_json_clone(as_json_at(l->cursors, page - 1)))) {
			as_json_free(request.params);
			return as_fail_memory(err);
		}
		rc = as_session_ask(s, call, &request, &answer, err);
		as_json_free(request.params);
		if (!rc) {
			rc = take_page(s, l, &answer, &more, err);
			note_freshness(l, answer.result);
			as_json_free(answer.message);
		}
	}
	return rc;
}

/* What a list tells for the calls to come, and the list itself while it is fresh. */
static int keep(as_mcp_session *s, const assay_call *call, listing *l, assay_error *err)
{
	int rc = 0;

	if (s->wire.stateless) {
		rc = note_mirrors(s, call, &l->tools, err);
	} else if (s->has_tasks) {
		rc = note_tasks(s, l->tools, err);
	}
	as_json_free(s->tools);
	s->tools = NULL;
	s->fresh_ms = s->wire.stateless ? l->fresh_ms : 0;
	if (!rc && s->fresh_ms > 0) {
		s->tools = as_json_clone(l->tools);
		rc = s->tools ? 0 : as_fail_memory(err);
	}
	s->listed = s->listed || rc == 0;
	return rc;
}

int as_session_list(as_mcp_session *s, assay_call *call, assay_json **tools, assay_error *err)
{
	int64_t deadline = as_deadline(s->limits.list_ms);
	bool again;
	int rc = 0;

	*tools = NULL;
	s->listed_ms = as_now_ms();
	if (s->wire.stateless && s->tells_changes && s->wire.standing_id == 0) {
		rc = as_wire_subscribe(&s->wire, call, err); /* before the list, so that no change escapes */
	}
	again = !rc;
	for (int round = 0; again; round++) {
		listing l = {.tools = as_json_array(), .cursors = as_json_array(), .fresh_ms = INT64_MAX};

		s->wire.tools_changed = false;
		rc = list_once(s, call, deadline, &l, err);
		rc = rc ? rc : keep(s, call, &l, err);
		as_json_free(*tools);
		*tools = l.tools;
		as_json_free(l.cursors);
		/* Where a list takes its time, an old one is better than none. */
		again = !rc && s->wire.tools_changed && round + 1 < MAX_LISTINGS &&
			as_remaining(deadline) > s->limits.list_ms / 2;
	}
	if (rc) {
		as_json_free(*tools);
		*tools = NULL;
	}
	return rc;
}

int as_mcp_list_tools(as_mcp_session *s, assay_call *call, assay_json **tools, assay_error *err)
{
	if (s->tools && !s->wire.tools_changed && as_remaining(s->fresh_ms) > 0) {
		*tools = as_json_clone(s->tools);
		return *tools ? 0 : as_fail_memory(err);
	}
	return as_session_list(s, call, tools, err);
}

int as_session_know_tools(as_mcp_session *s, assay_call *call, assay_error *err)
{
	bool needed = !s->listed && s->has_tasks;
	bool stale = s->listed && s->wire.tools_changed && as_now_ms() - s->listed_ms >= RELIST_MS;
	assay_json *tools = NULL;
	int rc = 0;

	if (needed || stale) {
		rc = as_session_list(s, call, &tools, err);
		as_json_free(tools);
	}
	return rc;
}
