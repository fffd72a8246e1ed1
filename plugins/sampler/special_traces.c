/* What recorded sessions show of the tools: which keys their results have, and whose results fed whose arguments. */
#include "special.h"
#include <string.h>

#define MAX_TRACES ((size_t)256 << 20)
#define MIN_VALUE 4 /* bytes of an argument from which on its place in a result is no accident */

/* One session while it is read. */
typedef struct session {
	const special *s;
	assay_tools tools;
	token_list *words;
	pair_list *pairs;
	assay_str goal;
} session;

static int contains(assay_str haystack, assay_str needle)
{
	for (size_t i = 0; needle.len <= haystack.len && i <= haystack.len - needle.len; i++) {
		if (memcmp(haystack.ptr + i, needle.ptr, needle.len) == 0) {
			return 1;
		}
	}
	return 0;
}

/* Does a text anywhere in v hold the value? The parser bounds the depth. */
static int holds(const assay_json_api *J, const assay_json *v, assay_str value)
{
	if (J->type(v) == ASSAY_JSON_STRING) {
		return contains(J->str(v), value);
	}
	for (const assay_json *m = J->first(v); m; m = J->next(m)) {
		if (holds(J, m, value)) {
			return 1;
		}
	}
	return 0;
}

static int64_t tool_of(const session *x, const assay_json *step)
{
	const assay_json_api *J = x->s->host->json;
	assay_str server = J->str(J->get(step, "server_id")), name = J->str(J->get(step, "tool_name"));
	for (size_t i = 0; i < x->tools.count && name.len > 0; i++) {
		if (special_same_text(x->tools.list[i]->name, name) &&
		    special_same_text(x->tools.list[i]->server, server)) {
			return (int64_t)i;
		}
	}
	return -1;
}

/* The keys of an object, or of the first object of an array. */
static void add_keys(const session *x, const assay_json *v, uint32_t tool)
{
	const assay_json_api *J = x->s->host->json;
	const assay_json *object = J->type(v) == ASSAY_JSON_ARRAY ? J->first(v) : v;
	if (J->type(object) != ASSAY_JSON_OBJECT) {
		return;
	}
	for (const assay_json *m = J->first(object); m; m = J->next(m)) {
		special_add_words(x->words, J->key(m), tool, 1, 1);
		if (J->type(m) == ASSAY_JSON_ARRAY && J->type(J->first(m)) == ASSAY_JSON_OBJECT) {
			add_keys(x, m, tool);
		}
	}
}

static void add_result(const session *x, const assay_json *result, uint32_t tool)
{
	const assay_json_api *J = x->s->host->json;
	add_keys(x, J->get(result, "structuredContent"), tool);
	for (const assay_json *c = J->first(J->get(result, "content")); c; c = J->next(c)) {
		assay_json *inner = NULL;
		if (J->parse(J->str(J->get(c, "text")), ASSAY_JSON_PEER, &inner, NULL) == 0) {
			add_keys(x, inner, tool);
		}
		J->free(inner);
	}
}

static int is_success(const session *x, const assay_json *step)
{
	const assay_json_api *J = x->s->host->json;
	return special_same_text(J->str(J->get(step, "status")), ASSAY_STR("success")) &&
	       special_same_text(J->str(J->get(step, "kind")), ASSAY_STR("call_tool_agent"));
}

/* Whose results hold a text argument of `step`? */
static void add_origins(const session *x, const assay_json *first, const assay_json *step, uint32_t consumer)
{
	const assay_json_api *J = x->s->host->json;
	for (const assay_json *a = J->first(J->get(step, "arguments")); a; a = J->next(a)) {
		assay_str value = J->str(a);
		if (value.len < MIN_VALUE || contains(x->goal, value)) {
			continue;
		}
		for (const assay_json *e = first; e && e != step; e = J->next(e)) {
			int64_t producer = is_success(x, e) ? tool_of(x, e) : -1;
			if (producer >= 0 && producer != (int64_t)consumer && holds(J, J->get(e, "result"), value)) {
				special_add_pair(x->pairs, (uint32_t)producer, consumer);
				break; /* where it came up first */
			}
		}
	}
}

static void read_session(session *x, const assay_json *trace)
{
	const assay_json_api *J = x->s->host->json;
	const assay_json *first = J->first(J->get(trace, "steps"));
	x->goal = J->str(J->get(trace, "goal"));
	for (const assay_json *step = first; step; step = J->next(step)) {
		int64_t tool = is_success(x, step) ? tool_of(x, step) : -1;
		if (tool >= 0) {
			add_result(x, J->get(step, "result"), (uint32_t)tool);
			add_origins(x, first, step, (uint32_t)tool);
		}
	}
}

int special_observe(const special *s, assay_call *call, assay_tools tools, token_list *words, pair_list *pairs,
		    assay_error *err)
{
	const assay_json_api *J = s->host->json;
	session x = {.s = s, .tools = tools, .words = words, .pairs = pairs};
	assay_text text = {NULL, 0};
	int rc = s->host->file->read(call, s->traces, MAX_TRACES, &text, err);
	for (size_t i = 0, end, line = 1; i < text.len && rc == 0; i = end + 1, line++) {
		assay_json *trace = NULL;
		const char *newline = memchr(text.ptr + i, '\n', text.len - i);
		end = newline ? (size_t)(newline - text.ptr) : text.len;
		if (s->host->cancelled(call)) {
			rc = s->host->fail(err, ASSAY_ECANCELED, "interrupted");
		} else if (end > i) {
			assay_error why = {0};
			rc = J->parse((assay_str){text.ptr + i, end - i}, ASSAY_JSON_PEER, &trace, &why);
			if (rc < 0) {
				s->host->fail(err, rc, "line %zu of %s: %s", line, s->traces, why.message);
			}
		}
		if (rc == 0) {
			read_session(&x, trace);
		}
		J->free(trace);
	}
	J->text_free(&text);
	return rc;
}
