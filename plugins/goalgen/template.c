/* goalgen/template: the plugin. See template.h. */
#include "template.h"
#include <string.h>

static int template_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	(void)options;
	(void)err;
	*self = (void *)(uintptr_t)host; /* nothing else to remember */
	return 0;
}

static void template_close(void *self)
{
	(void)self;
}

/* --- Reading the request ----------------------------------------------------------------------------------------- */

static void add_tool(struct tmpl_run *r, const assay_tool *tool, bool seed)
{
	bool sane = tool && tool->name.len > 0 && tool->name.len <= 200 && r->n_tools < TMPL_MAX_TOOLS;
	for (size_t i = 0; i < r->n_tools && sane; i++) {
		const assay_tool *known = r->tools[i].tool;
		sane = !text_same(known->name, tool->name) || !text_same(known->server, tool->server);
	}
	if (sane) {
		tmpl_read_tool(r, tool, &r->tools[r->n_tools]);
		r->tools[r->n_tools++].seed = seed;
	}
}

static void read_request(struct tmpl_run *r)
{
	const assay_goal_request *q = r->request;
	size_t most = q->seeds.count + q->surface.count;
	r->tools = text_alloc(&r->arena, (most < TMPL_MAX_TOOLS ? most : TMPL_MAX_TOOLS) + 1, sizeof *r->tools);
	if (!r->tools) {
		return;
	}
	for (size_t i = 0; i < q->seeds.count; i++) {
		add_tool(r, q->seeds.list[i], true);
	}
	r->n_seeds = r->n_tools;
	for (size_t i = 0; i < q->surface.count; i++) {
		add_tool(r, q->surface.list[i], false);
	}
	r->careful = text_find_word(q->category, ASSAY_STR("destructive")) != SIZE_MAX ||
		     text_find_word(q->framing, ASSAY_STR("read-only")) != SIZE_MAX;
	for (size_t i = 0; i + 11 <= q->category.len && !r->careful; i++) {
		r->careful = text_starts((assay_str){q->category.ptr + i, q->category.len - i}, "destructive");
	}
}

/* --- Handing the goal over --------------------------------------------------------------------------------------- */

/* No goal gives a tool away by its name; ordinary words that happen to be one are no names. */
static bool gives_away(const struct tmpl_run *r, assay_str text)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		const struct tmpl_tool *t = &r->tools[i];
		if (t->words.n > 1 && text_find_word(text, t->tool->name) != SIZE_MAX) {
			return true;
		}
	}
	return false;
}

static int put_servers(const struct tmpl_run *r, assay_json *servers)
{
	int bad = 0;
	for (size_t i = 0; i < r->n_steps; i++) {
		assay_str server = r->tools[r->steps[i].tool].tool->server;
		bool known = false;
		for (const assay_json *e = r->json->first(servers); e && !known; e = r->json->next(e)) {
			known = text_same(r->json->str(e), server);
		}
		bad |= known ? 0 : r->json->append(servers, r->json->string(server));
	}
	return bad;
}

static int put_tags(const struct tmpl_run *r, assay_json *tags)
{
	size_t calls = 0;
	bool writes = false, finds = false;
	int bad = 0;
	for (size_t i = 0; i < r->n_steps; i++) {
		const struct tmpl_tool *t = &r->tools[r->steps[i].tool];
		calls += 1 + r->steps[i].n_more;
		writes = writes || !t->reads;
		finds = finds || t->act == TMPL_LIST || t->act == TMPL_SEARCH;
		bad |= r->steps[i].n_more > 0 ? r->json->append(tags, r->json->string(ASSAY_STR("parallel-calls"))) : 0;
	}
	bad |= calls == 1 ? r->json->append(tags, r->json->string(ASSAY_STR("shallow"))) : 0;
	bad |= calls >= 4 ? r->json->append(tags, r->json->string(ASSAY_STR("deep"))) : 0;
	bad |= writes ? 0 : r->json->append(tags, r->json->string(ASSAY_STR("read-only-usage")));
	bad |= finds ? r->json->append(tags, r->json->string(ASSAY_STR("discovery"))) : 0;
	return bad;
}

/* {"steps": [{"server", "tool", "calls"}], "discovery_calls": n, "slip": {"said", "meant"}}: what the goal was made to
 * ask for. */
static int put_slip(const struct tmpl_run *r, assay_json *notes)
{
	const assay_json_api *J = r->json;
	assay_json *slip = J->object();
	int bad = J->set(slip, "said", J->string(r->slip));
	bad |= J->set(slip, "meant", J->string(r->meant));
	return bad | J->set(notes, "slip", slip);
}

static int put_notes(const struct tmpl_run *r, assay_json *notes)
{
	const assay_json_api *J = r->json;
	assay_json *steps = J->array();
	int bad = 0;
	for (size_t i = 0; i < r->n_steps; i++) {
		const assay_tool *tool = r->tools[r->steps[i].tool].tool;
		assay_json *step = J->object();
		bad |= J->set(step, "server", J->string(tool->server));
		bad |= J->set(step, "tool", J->string(tool->name));
		bad |= J->set(step, "calls", J->integer((int64_t)(1 + r->steps[i].n_more)));
		bad |= J->append(steps, step);
	}
	bad |= J->set(notes, "steps", steps);
	bad |= J->set(notes, "discovery_calls", J->integer((int64_t)r->n_answers));
	return bad | (r->slip.len > 0 ? put_slip(r, notes) : 0);
}

static int emit_goal(struct tmpl_run *r, assay_str text, uint32_t persona, assay_sink *goals, assay_error *err)
{
	const assay_json_api *J = r->json;
	assay_json *goal = J->object(), *servers = J->array(), *tags = J->array(), *notes = J->object();
	int bad = put_servers(r, servers) | put_tags(r, tags) | put_notes(r, notes);
	bad |= J->set(goal, "goal", J->string(text));
	bad |= J->set(goal, "servers", servers);
	bad |= J->set(goal, "tags", tags);
	bad |= J->set(goal, "persona", J->string(text_cstr(tmpl_persona(persona))));
	bad |= J->set(goal, "notes", notes);
	if (bad) {
		J->free(goal);
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = goals->emit(goals, goal, err);
	return rc < 0 ? rc : 0;
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static int finish(struct tmpl_run *r, assay_sink *goals, assay_error *err)
{
	assay_str clauses[TMPL_MAX_STEPS];
	uint32_t persona = tmpl_below(r, TMPL_PERSONAS);
	for (size_t i = 0; i < r->n_steps; i++) {
		clauses[i] = tmpl_clause(r, &r->steps[i], i == 0);
	}
	assay_str text = tmpl_voice(r, persona, clauses, r->n_steps, tmpl_question(r));
	if (r->arena.failed) {
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	if (text.len > TMPL_MAX_GOAL || gives_away(r, text)) {
		return 0;
	}
	return emit_goal(r, text, persona, goals, err);
}

static int template_generate(void *self, assay_call *call, const assay_goal_request *request, assay_sink *goals,
			     assay_error *err)
{
	const assay_host *host = self;
	struct tmpl_run *r = host->alloc(sizeof *r);
	int rc = 0;
	if (!r) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*r = (struct tmpl_run){.arena = {.host = host},
			       .host = host,
			       .json = host->json,
			       .call = call,
			       .request = request,
			       .asked = -1};
	read_request(r);
	if (r->n_seeds > 0) {
		tmpl_add_resources(r);
		tmpl_survey(r);
		tmpl_make_plan(r);
		tmpl_take_aim(r);
	}
	if (r->fatal) {
		rc = host->fail(err, r->fatal, "looking around on the servers was cut short");
	} else if (r->arena.failed) {
		rc = host->fail(err, ASSAY_ENOMEM, "out of memory");
	} else if (r->n_steps > 0) {
		rc = finish(r, goals, err);
	}
	for (size_t i = 0; i < r->n_owned; i++) {
		host->json->free(r->owned[i]);
	}
	text_arena_free(&r->arena);
	host->free(r);
	return rc;
}

static const assay_goalgen_ops ops = {.size = sizeof ops,
				      .open = template_open,
				      .close = template_close,
				      .generate = template_generate};

static const assay_impl impl = {.size = sizeof impl,
				.role = ASSAY_ROLE_GOALGEN,
				.role_version = 1,
				.flags = ASSAY_IMPL_REENTRANT,
				.name = "template",
				.summary = "goals from clause templates, without a model",
				.ops = &ops};

ASSAY_PLUGIN(goalgen_template, "0.1.0", "Goals from clause templates", "Apache-2.0", &impl)
