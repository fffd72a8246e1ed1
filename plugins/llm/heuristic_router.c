/* llm/heuristic, rule 8: tools behind a tool. A router takes a server, a tool and parameters; its search partner tells
 * which there are. What the partner says becomes offers like any other, called through the router. */
#include "heuristic.h"
#include <string.h>

static const char *const server_names[] = {"server", "server_name", "server_id", "serverName", "serverId", NULL};
static const char *const tool_names[] = {"tool", "tool_name", "toolName", "tool_id", "toolId", "name", NULL};
static const char *const params_names[] = {"params",    "parameters", "arguments",  "args",
					   "tool_args", "input",      "tool_input", NULL};

static assay_str property_of(const struct heur_run *r, const assay_json *object, const char *const *names)
{
	for (; *names; names++) {
		const assay_json *m = r->json->get(object, *names);
		if (m) {
			return r->json->key(m);
		}
	}
	return (assay_str){0};
}

static bool routes(const struct heur_run *r, const struct heur_tool *t)
{
	const assay_json *properties = r->json->get(t->parameters, "properties");
	return property_of(r, properties, tool_names).len > 0 && property_of(r, properties, params_names).len > 0 &&
	       property_of(r, properties, server_names).len > 0;
}

static int query_param(struct heur_run *r, struct heur_tool *t)
{
	int found = -1;
	heur_read_params(r, t);
	for (size_t i = 0; i < t->n_params; i++) {
		if ((t->params[i].types & HEUR_T_STRING) && !t->params[i].inner && !t->params[i].options &&
		    (found < 0 || t->params[i].sense == HEUR_S_QUERY)) {
			found = (int)i;
		}
	}
	return found;
}

/* The partner: it finds or routes, and takes a text. */
static int partner_of(struct heur_run *r, int router)
{
	static const char *const stems[] = {"rout",     "route", "search", "find", "retriev",
					    "discover", "list",  "lookup", "tool", NULL};
	int best = -1, most = 0;
	for (size_t i = 0; i < r->n_tools; i++) {
		struct heur_tool *t = &r->tools[i];
		int score = heur_has_any(&t->words, stems) + heur_has(&t->summary_words, ASSAY_STR("tool")) +
			    text_same(t->server, r->tools[router].server);
		bool taker = (int)i != router && !t->destructive && query_param(r, t) >= 0;
		if (taker && score > most && (heur_has_any(&t->words, stems) || r->n_tools == 2)) {
			most = score;
			best = (int)i;
		}
	}
	return best;
}

void heur_find_router(struct heur_run *r)
{
	r->router = r->route = -1;
	for (size_t i = 0; i < r->n_tools && r->router < 0; i++) {
		if (routes(r, &r->tools[i])) {
			r->router = (int)i;
		}
	}
	if (r->router >= 0) {
		r->tools[r->router].router = true;
		r->route = partner_of(r, r->router);
	}
	if (r->route >= 0) {
		r->tools[r->route].router = true;
	}
}

/* --- Asking for tools --- */

static assay_str question(struct heur_run *r, const struct heur_clause *c)
{
	assay_str description = r->tools[r->route].description;
	if (text_find_word(description, ASSAY_STR("tool_assistant")) == SIZE_MAX) {
		return c->text;
	}
	/* Some want the two halves of the question between tags. */
	assay_str object = c->object.len > 0 ? c->object : c->text;
	return text_format(&r->arena, "<tool_assistant>\nserver: %.*s\ntool: %.*s\n</tool_assistant>",
			   ASSAY_FMT(object), ASSAY_FMT(c->text));
}

bool heur_plan_route(struct heur_run *r, int clause, struct heur_plan *plan)
{
	struct heur_clause *c = &r->clauses[clause];
	bool worked;
	if (r->route < 0 || c->routed) {
		return false;
	}
	c->routed = true;
	struct heur_tool *t = &r->tools[r->route];
	int param = query_param(r, t);
	struct heur_binding *b = text_alloc(&r->arena, 1, sizeof *b);
	if (!b || param < 0) {
		return false;
	}
	b->tool = r->route;
	b->slots[param].bound = true;
	b->slots[param].members[0] = question(r, c);
	b->slots[param].n_members = 1;
	const assay_json *arguments = heur_arguments(r, b, 0);
	if (!arguments || heur_was_called(r, r->route, arguments, &worked)) {
		return false;
	}
	plan->calls[plan->n++] = (struct heur_call){r->route, arguments, clause, HEUR_ROUTE};
	return true;
}

/* --- Reading the reply --- */

/* {"a": "(Optional, string) what it is"}: the short form of a schema. */
static assay_json *schema_of_short(struct heur_run *r, const assay_json *shorthand)
{
	static const char *const types[] = {"string", "integer", "number", "boolean", "array", "object"};
	assay_json *schema = r->json->object(), *properties = r->json->object(), *required = r->json->array();
	int bad = 0;
	for (const assay_json *m = r->json->first(shorthand); m; m = r->json->next(m)) {
		assay_str text = r->json->str(m);
		assay_json *property = r->json->object();
		for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
			size_t at = text_find_word(heur_sub(text, 0, 40), (assay_str){types[i], strlen(types[i])});
			if (at != SIZE_MAX && !r->json->get(property, "type")) {
				bad |= r->json->set(property, "type",
						    r->json->string((assay_str){types[i], strlen(types[i])}));
			}
		}
		bad |= r->json->set_n(properties, r->json->key(m), property);
		if (!text_starts(text, "(optional")) {
			bad |= r->json->append(required, r->json->string(r->json->key(m)));
		}
	}
	bad |= r->json->set(schema, "type", r->json->string(ASSAY_STR("object")));
	bad |= r->json->set(schema, "properties", properties);
	bad |= r->json->set(schema, "required", required);
	r->arena.failed = r->arena.failed || bad != 0;
	return heur_own(r, schema);
}

static const assay_json *schema_in(struct heur_run *r, const assay_json *offer)
{
	static const char *const names[] = {"inputSchema", "input_schema", "inputschema", "parameters", "schema", NULL};
	const assay_json *schema = NULL;
	for (size_t i = 0; names[i] && !schema; i++) {
		schema = r->json->get(offer, names[i]);
	}
	if (schema && !r->json->get(schema, "properties") &&
	    r->json->type(r->json->first(schema)) == ASSAY_JSON_STRING && !r->json->get(schema, "type")) {
		return schema_of_short(r, schema);
	}
	return schema;
}

static bool known(const struct heur_run *r, assay_str server, assay_str tool)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		if (r->tools[i].via >= 0 && text_same(r->tools[i].server, server) &&
		    text_same(r->tools[i].tool, tool)) {
			return true;
		}
	}
	return false;
}

static void add_offer(struct heur_run *r, const assay_json *offer)
{
	static const char *const descriptions[] = {"tool_description", "description", "summary", NULL};
	assay_str server = r->json->str(r->json->get_n(offer, property_of(r, offer, server_names)));
	assay_str tool = r->json->str(r->json->get_n(offer, property_of(r, offer, tool_names)));
	assay_str description = r->json->str(r->json->get_n(offer, property_of(r, offer, descriptions)));
	if (tool.len == 0 || tool.len > 200 || server.len > 200 || known(r, server, tool)) {
		return;
	}
	size_t before = r->n_tools;
	heur_add_tool(r, text_format(&r->arena, "%.*s__%.*s", ASSAY_FMT(server), ASSAY_FMT(tool)), description,
		      schema_in(r, offer));
	if (r->n_tools > before) {
		struct heur_tool *t = &r->tools[r->n_tools - 1];
		t->via = r->router;
		t->server = server;
		t->tool = tool;
	}
}

static void walk_offers(struct heur_run *r, const assay_json *v, int depth)
{
	bool object = r->json->type(v) == ASSAY_JSON_OBJECT;
	bool offer = object && property_of(r, v, tool_names).len > 0 &&
		     (property_of(r, v, server_names).len > 0 || schema_in(r, v) != NULL);
	if (offer) {
		add_offer(r, v);
		return;
	}
	for (const assay_json *m = r->json->first(v); m && depth < 8; m = r->json->next(m)) {
		if (r->json->type(m) >= ASSAY_JSON_ARRAY) {
			walk_offers(r, m, depth + 1);
		}
	}
}

void heur_take_offers(struct heur_run *r, int step)
{
	struct heur_step *s = &r->steps[step];
	const assay_json *v = s->document ? s->document : heur_parse_yaml(r, s->text);
	int clause = s->call.clause;
	s->n_leaves = s->n_records = 0; /* tools are no findings */
	r->n_leaves = s->first_leaf;
	r->n_records = s->first_record;
	walk_offers(r, v, 0);
	if (clause >= 0 && (size_t)clause < r->n_clauses) {
		r->clauses[clause].ranked = NULL;
	}
}

/* --- Through the router --- */

assay_str heur_wire_name(const struct heur_run *r, const struct heur_call *call)
{
	const struct heur_tool *t = &r->tools[call->tool];
	return t->via >= 0 ? r->tools[t->via].name : t->name;
}

const assay_json *heur_wire_arguments(struct heur_run *r, const struct heur_call *call)
{
	const struct heur_tool *t = &r->tools[call->tool];
	if (t->via < 0) {
		return call->arguments;
	}
	const assay_json *properties = r->json->get(r->tools[t->via].parameters, "properties");
	assay_json *wrapped = r->json->object();
	int bad = 0;
	bad |= r->json->set_n(wrapped, property_of(r, properties, server_names), r->json->string(t->server));
	bad |= r->json->set_n(wrapped, property_of(r, properties, tool_names), r->json->string(t->tool));
	bad |= r->json->set_n(wrapped, property_of(r, properties, params_names), r->json->clone(call->arguments));
	r->arena.failed = r->arena.failed || bad != 0;
	return heur_own(r, wrapped);
}

int heur_unwire(struct heur_run *r, int tool, const assay_json **arguments)
{
	if (tool < 0 || tool != r->router) {
		return tool;
	}
	assay_str server = r->json->str(r->json->get_n(*arguments, property_of(r, *arguments, server_names)));
	assay_str name = r->json->str(r->json->get_n(*arguments, property_of(r, *arguments, tool_names)));
	for (size_t i = 0; i < r->n_tools; i++) {
		if (r->tools[i].via == tool && text_same(r->tools[i].server, server) &&
		    text_same(r->tools[i].tool, name)) {
			*arguments = r->json->get_n(*arguments, property_of(r, *arguments, params_names));
			return (int)i;
		}
	}
	return tool;
}
