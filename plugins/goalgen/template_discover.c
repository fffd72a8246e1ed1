/* goalgen/template: calls of reading tools, to see what there is and whether a step works. */
#include "template.h"

#include "../common/look.h"

bool tmpl_calls_left(const struct tmpl_run *r)
{
	return r->fatal == 0 && !r->arena.failed && r->n_answers < TMPL_MAX_CALLS;
}

/* The answer to the same call, if it was made before. */
static int earlier(const struct tmpl_run *r, int tool, const assay_json *arguments)
{
	for (size_t i = 0; i < r->n_answers; i++) {
		if (r->answers[i].tool == tool && r->json->equal(r->answers[i].arguments, arguments)) {
			return (int)i;
		}
	}
	return -1;
}

int tmpl_try(struct tmpl_run *r, int tool, const assay_json *arguments)
{
	struct tmpl_tool *t = &r->tools[tool];
	assay_json *result = NULL;
	int is_error = 0, known = earlier(r, tool, arguments);
	if (known >= 0 || !arguments || !t->reads || t->failing || !tmpl_calls_left(r)) {
		return known;
	}
	if (r->host->cancelled(r->call)) {
		/* out of time counts as cancelled, too */
		r->fatal = r->host->remaining_ms(r->call) <= 0 ? ASSAY_ETIMEOUT : ASSAY_ECANCELED;
		return -1;
	}
	struct tmpl_answer *a = text_push(&r->arena, &r->answers, &r->n_answers, &r->cap_answers, sizeof *a);
	if (!a) {
		return -1;
	}
	*a = (struct tmpl_answer){.tool = tool, .arguments = arguments, .first_leaf = r->n_leaves};
	int index = (int)r->n_answers - 1;
	int rc = r->host->world->call(r->call, t->tool->server, t->tool->name, arguments, &result, &is_error, NULL);
	a->failed = rc < 0 || is_error;
	if (rc < 0) {
		t->failing = true;
		r->fatal = look_ends_all(r->host, r->call, rc) ? rc : 0;
		return index;
	}
	a->result = result = tmpl_own(r, result);
	if (result && !a->failed) {
		tmpl_add_result(r, index, result);
	}
	return index;
}

/* --- The survey -------------------------------------------------------------------------------------------------- */

/* Does it say that it returns numbers? */
static bool measures(const struct tmpl_run *r, const struct tmpl_tool *u)
{
	const assay_json *m = r->json->first(r->json->get(u->tool->output_schema, "properties"));
	for (; m; m = r->json->next(m)) {
		if (text_is(r->json->str(r->json->get(m, "type")), "number")) {
			return true;
		}
	}
	return false;
}

/* How useful the answers of tool u would be for what the seeds need. */
static int use_of(const struct tmpl_run *r, const struct tmpl_tool *u)
{
	int use = u->seed ? 1 : 0;
	for (size_t i = 0; i < r->n_seeds; i++) {
		const struct tmpl_tool *t = &r->tools[i];
		for (size_t k = 0; k < t->n_params; k++) {
			const struct tmpl_param *p = &t->params[k];
			bool open = p->required && p->sense != TMPL_QUERY && p->sense != TMPL_CONTENT && !p->fresh;
			bool home = text_same(t->tool->server, u->tool->server);
			bool named = tmpl_property(r, u->tool->output_schema, p->name, 0) ||
				     (home && (tmpl_has(&p->words, u->noun) || tmpl_same_stem(t->noun, u->noun)));
			use += open && named ? (home ? 3 : 2) : 0;
			use += open && p->sense == TMPL_AMOUNT && u != t && measures(r, u) ? 2 : 0;
		}
		use += t->seed && text_same(t->tool->server, u->tool->server) && u->act == TMPL_LIST ? 1 : 0;
	}
	return use;
}

static bool was_called(const struct tmpl_run *r, int tool)
{
	for (size_t i = 0; i < r->n_answers; i++) {
		if (r->answers[i].tool == tool) {
			return true;
		}
	}
	return false;
}

/* A step with what is required, from what is known by now. */
static bool fillable(struct tmpl_run *r, int tool, struct tmpl_step *s)
{
	const struct tmpl_tool *t = &r->tools[tool];
	*s = (struct tmpl_step){.tool = tool, .answer = -1, .fan = -1};
	for (size_t i = 0; i < t->n_params; i++) {
		if (t->params[i].required && !tmpl_bind(r, s, i, &s->slots[i])) {
			return false;
		}
	}
	return true;
}

static bool requires_nothing(const struct tmpl_tool *t)
{
	for (size_t i = 0; i < t->n_params; i++) {
		if (t->params[i].required) {
			return false;
		}
	}
	return true;
}

/* The best tool to call next, or -1. */
static int next_tool(struct tmpl_run *r, const bool *passed)
{
	int best = -1, most = 0;
	for (size_t i = 0; i < r->n_tools; i++) {
		const struct tmpl_tool *t = &r->tools[i];
		if (!t->reads || t->odd || t->failing || passed[i] || was_called(r, (int)i)) {
			continue;
		}
		int use = use_of(r, t);
		use = use > 0 ? 2 * use + (requires_nothing(t) ? 8 : 0) + (int)tmpl_below(r, 3) : 0;
		if (use > most) {
			most = use;
			best = (int)i;
		}
	}
	return best;
}

void tmpl_survey(struct tmpl_run *r)
{
	bool *passed = text_alloc(&r->arena, r->n_tools + 1, sizeof *passed);
	struct tmpl_step *s = text_alloc(&r->arena, 1, sizeof *s);
	size_t called = 0;
	for (size_t guard = 0; passed && s && guard < r->n_tools && called < TMPL_MAX_SURVEY; guard++) {
		int tool = tmpl_calls_left(r) ? next_tool(r, passed) : -1;
		if (tool < 0) {
			return;
		}
		passed[tool] = true;
		if (fillable(r, tool, s)) {
			called += tmpl_try(r, tool, tmpl_arguments(r, s)) >= 0;
		}
	}
}
