/* goalgen/llm: what the model gets to see, and what of it is known to exist. */
#include "llm.h"

#include "../common/look.h"

enum { MAX_DEPTH = 32 };

/* Ids as in reference page 7.2, the words are ours. */
const struct goal_persona goal_personas[GOAL_PERSONAS] = {
	{"backend-dev", "backend developer", "wants exact data to build an integration on, or to see that one works"},
	{"data-analyst", "data analyst", "wants figures that can be compared, and where they come from"},
	{"sre", "site reliability engineer", "wants to know quickly what state something is in, and to set it right"},
	{"researcher", "researcher", "wants facts and their connections, gathered carefully"},
	{"pm", "product manager", "wants to be prepared for a decision: what there is, what is open, what comes next"},
	{"journalist", "journalist", "wants to verify a claim before it is printed"},
	{"finance-ops", "finance clerk", "wants amounts, orders and records to be complete and to agree"},
	{"support-agent", "support agent", "wants to solve one customer's concrete case"},
	{"student", "student", "wants to understand something by looking at examples of it"},
	{"release-eng", "release engineer", "wants a check list worked off, with every change noted"},
};

/* --- What is known to exist -------------------------------------------------------------------------------------- */

static void add_line(struct goal_run *r, assay_str s)
{
	if (s.len > 0 && r->known.len + s.len < GOAL_MAX_KNOWN) {
		text_add(&r->known, s);
		text_puts(&r->known, "\n");
	}
}

static void add_known(struct goal_run *r, const assay_json *v, unsigned depth)
{
	const assay_json_api *J = r->J;
	switch (J->type(v)) {
	case ASSAY_JSON_STRING:
		add_line(r, J->str(v));
		break;
	case ASSAY_JSON_NUMBER:
		add_line(r, J->spelling(v));
		break;
	case ASSAY_JSON_ARRAY:
	case ASSAY_JSON_OBJECT:
		for (const assay_json *m = J->first(v); m && depth < MAX_DEPTH; m = J->next(m)) {
			add_known(r, m, depth + 1);
		}
		break;
	default:
		break;
	}
}

/* A schema's closed lists and defaults are real; the examples in its descriptions need not be. */
static void add_choices(struct goal_run *r, const assay_json *schema, unsigned depth)
{
	const assay_json_api *J = r->J;
	for (const assay_json *m = J->first(schema); m && depth < MAX_DEPTH; m = J->next(m)) {
		assay_str key = J->key(m);
		if (text_is(key, "enum") || text_is(key, "const") || text_is(key, "default")) {
			add_known(r, m, depth);
		} else if (J->type(m) >= ASSAY_JSON_ARRAY) {
			add_choices(r, m, depth + 1);
		}
	}
}

/* --- Looking around ---------------------------------------------------------------------------------------------- */

/* The text parts of a result, or the whole of it. */
static assay_str result_text(struct goal_run *r, const assay_json *result)
{
	const assay_json_api *J = r->J;
	struct text_buf out = {.arena = &r->arena};
	for (const assay_json *part = J->first(J->get(result, "content")); part; part = J->next(part)) {
		if (text_is(J->str(J->get(part, "type")), "text")) {
			text_puts(&out, out.len ? "\n" : "");
			text_add(&out, J->str(J->get(part, "text")));
		}
	}
	if (out.len == 0) {
		assay_text text = {0};
		if (J->dump(result, ASSAY_JSON_COMPACT, &text, NULL) < 0) {
			r->arena.failed = true;
		} else {
			text_add(&out, (assay_str){text.ptr, text.len});
		}
		J->text_free(&text);
	}
	return text_of(&out);
}

static int look(struct goal_run *r, const assay_tool *tool, assay_json *observed, bool *seen, assay_error *err)
{
	const assay_json_api *J = r->J;
	assay_json *arguments = J->object(), *result = NULL, *entry;
	assay_error unheard = {0};
	int is_error = 0, bad = 0, rc;
	*seen = false;
	if (!arguments) {
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = r->host->world->call(r->call, tool->server, tool->name, arguments, &result, &is_error, &unheard);
	J->free(arguments);
	if (rc < 0 && look_ends_all(r->host, r->call, rc)) {
		return r->host->fail(err, rc, "%s", unheard.message);
	}
	if (rc == 0 && !is_error) { /* a tool that does not work just is no help */
		assay_str text = text_head(result_text(r, result), GOAL_MAX_RESULT);
		entry = J->object();
		bad |= J->set(entry, "server_id", J->string(tool->server));
		bad |= J->set(entry, "tool", J->string(tool->name));
		bad |= J->set(entry, "result", J->string(text));
		bad |= J->append(observed, entry);
		add_line(r, text); /* what was cut off was not shown: it counts as unknown */
		*seen = true;
	}
	J->free(result);
	return bad || r->arena.failed ? r->host->fail(err, ASSAY_ENOMEM, "out of memory") : 0;
}

static bool is_in(assay_tools list, const assay_tool *tool)
{
	for (size_t i = 0; i < list.count; i++) {
		if (text_same(list.list[i]->server, tool->server) && text_same(list.list[i]->name, tool->name)) {
			return true;
		}
	}
	return false;
}

static bool may_look(const struct goal_run *r, const assay_tool *tool)
{
	return !(tool->flags & (ASSAY_TOOL_WRITES | ASSAY_TOOL_DESTRUCTIVE)) &&
	       r->J->count(r->J->get(tool->input_schema, "required")) == 0;
}

int goal_look_around(struct goal_run *r, uint32_t most, assay_json **observed, assay_error *err)
{
	const assay_tools lists[] = {r->request->seeds, r->request->surface};
	uint32_t n = 0;
	int rc = 0;
	*observed = r->J->array();
	if (!*observed) {
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < lists[k].count && n < most && rc == 0; i++) {
			const assay_tool *tool = lists[k].list[i];
			bool seen = false;
			if (may_look(r, tool) && (k == 0 || !is_in(lists[0], tool))) {
				rc = look(r, tool, *observed, &seen, err);
				n += seen;
			}
		}
	}
	return rc;
}

/* --- The document ------------------------------------------------------------------------------------------------ */

static assay_json *tool_view(struct goal_run *r, const assay_tool *tool)
{
	const assay_json_api *J = r->J;
	assay_json *view = J->object();
	assay_str words = text_head(tool->description, GOAL_TOOL_WORDS);
	assay_text schema = {0};
	int bad = J->set(view, "name", J->string(tool->name));
	bad |= J->set(view, "description", J->string(words));
	if (tool->input_schema) {
		bad |= J->dump(tool->input_schema, ASSAY_JSON_COMPACT, &schema, NULL);
		if (!bad && schema.len <= GOAL_MAX_SCHEMA) {
			bad |= J->set(view, "input_schema", J->clone(tool->input_schema));
			add_choices(r, tool->input_schema, 0);
		}
		J->text_free(&schema);
	}
	if (bad) {
		J->free(view);
		return NULL;
	}
	return view;
}

/* Up to GOAL_MAX_TOOLS of a server, seed tools first, and how many more there are. */
static int put_tools(struct goal_run *r, assay_json *view, assay_str server)
{
	const assay_json_api *J = r->J;
	const assay_goal_request *q = r->request;
	assay_json *tools = J->array();
	size_t shown = 0, left = 0;
	int bad = 0;
	for (size_t k = 0; k < 2; k++) {
		const assay_tools list = k == 0 ? q->seeds : q->surface;
		for (size_t i = 0; i < list.count; i++) {
			const assay_tool *tool = list.list[i];
			if (!text_same(tool->server, server) || (k == 1 && is_in(q->seeds, tool))) {
				continue;
			}
			if (shown == GOAL_MAX_TOOLS) {
				left++;
				continue;
			}
			bad |= J->append(tools, tool_view(r, tool));
			shown++;
		}
	}
	bad |= J->set(view, "tools", tools);
	if (left > 0) {
		bad |= J->set(view, "tools_not_shown", J->integer((int64_t)left));
	}
	return bad;
}

static int put_server(struct goal_run *r, assay_json *list, const assay_json *server)
{
	const assay_json_api *J = r->J;
	assay_json *view = J->object();
	assay_str server_class = J->str(J->get(server, "class"));
	const assay_json *resources = J->get(server, "resources");
	int bad = J->set(view, "server_id", J->string(J->key(server)));
	bad |= J->set(view, "class", J->string(server_class));
	bad |= J->set(view, "allows_changes", J->truth(text_is(server_class, "stateful_write")));
	bad |= J->set(view, "description", J->string(J->str(J->get(server, "description"))));
	bad |= J->set(view, "resources", J->type(resources) == ASSAY_JSON_ARRAY ? J->clone(resources) : J->array());
	bad |= put_tools(r, view, J->key(server));
	add_line(r, J->str(J->get(server, "description")));
	for (const assay_json *e = J->first(resources); e; e = J->next(e)) {
		add_known(r, J->get(e, "value"), 0);
	}
	return bad | J->append(list, view);
}

static int put_seeds(struct goal_run *r, assay_json *document)
{
	const assay_json_api *J = r->J;
	assay_json *list = J->array();
	int bad = 0;
	for (size_t i = 0; i < r->request->seeds.count; i++) {
		const assay_tool *tool = r->request->seeds.list[i];
		assay_json *pair = J->object();
		bad |= J->set(pair, "server_id", J->string(tool->server));
		bad |= J->set(pair, "tool", J->string(tool->name));
		bad |= J->append(list, pair);
	}
	return bad | J->set(document, "seed_tools", list);
}

static int put_wishes(struct goal_run *r, assay_json *document)
{
	const assay_json_api *J = r->J;
	const assay_goal_request *q = r->request;
	assay_json *persona = J->object();
	int bad = J->set(persona, "label", J->string(text_cstr(r->persona->label)));
	bad |= J->set(persona, "intent", J->string(text_cstr(r->persona->intent)));
	bad |= J->set(document, "persona", persona);
	bad |= J->set(document, "category", J->string(q->category));
	bad |= q->challenge.len ? J->set(document, "challenge", J->string(q->challenge)) : 0;
	bad |= q->complexity.len ? J->set(document, "complexity", J->string(q->complexity)) : 0;
	bad |= q->framing.len ? J->set(document, "framing", J->string(q->framing)) : 0;
	bad |= q->expect ? J->set(document, "expect", J->clone(q->expect)) : 0;
	add_line(r, q->framing);
	add_line(r, q->challenge);
	return bad;
}

int goal_view(struct goal_run *r, assay_json *observed, assay_text *out, assay_error *err)
{
	const assay_json_api *J = r->J;
	assay_json *document = J->object(), *servers = J->array();
	int bad = put_wishes(r, document) | put_seeds(r, document);
	for (const assay_json *s = J->first(r->request->servers); s; s = J->next(s)) {
		bad |= put_server(r, servers, s);
	}
	bad |= J->set(document, "servers", servers);
	if (J->count(observed) > 0) {
		bad |= J->set(document, "observed", observed);
		observed = NULL;
	}
	J->free(observed);
	bad |= r->arena.failed;
	int rc = bad ? r->host->fail(err, ASSAY_ENOMEM, "out of memory")
		     : J->dump(document, ASSAY_JSON_PRETTY, out, err);
	J->free(document);
	return rc;
}
