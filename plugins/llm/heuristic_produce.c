/* llm/heuristic, rule 5: calls that supply what another call needs. */
#include "heuristic.h"

/* "convert its weight": a number that a noun of the clause names, and that some tool says it tells. */
static int about_noun(const struct heur_tool *t, const struct heur_tool *user, const struct heur_clause *c)
{
	for (size_t i = 0; i < c->words.n; i++) {
		const struct heur_word *w = &c->words.list[i];
		bool plain = heur_stop_word(w->lower) || i == c->verb || heur_about(user, w->stem) > 0;
		if (!plain && heur_about(t, w->stem) > 0) {
			return 1;
		}
	}
	return 0;
}

/* How far a tool is about what the parameter identifies. */
static int about_param(const struct heur_tool *t, const struct heur_tool *user, const struct heur_param *p,
		       const struct heur_clause *c)
{
	int best = 0;
	if (p->sense == HEUR_S_AMOUNT) {
		return c->refers || c->possessive ? about_noun(t, user, c) : 0;
	}
	if (!heur_has_entity(p) || p->sense == HEUR_S_TITLE) {
		best = heur_about(t, user->head);
	}
	for (size_t i = 0; i < p->words.n; i++) {
		assay_str stem = p->words.list[i].stem;
		int about = heur_entity(p, stem) ? heur_about(t, stem) : 0;
		best = about > best ? about : best;
	}
	return best;
}

static bool may_produce(const struct heur_tool *t, const struct heur_tool *user)
{
	return t != user && !t->destructive && !t->router && !heur_writes(t->act) && t->act != HEUR_DO;
}

bool heur_can_produce(struct heur_run *r, const struct heur_tool *user, size_t param, int clause)
{
	const struct heur_param *p = &user->params[param];
	bool fresh = p->words.n > 0 && text_is(p->words.list[0].stem, "new");
	bool literal = fresh || p->sense == HEUR_S_CONTENT || p->sense == HEUR_S_QUERY || p->sense == HEUR_S_LIMIT ||
		       p->options || p->types == HEUR_T_BOOLEAN;
	for (size_t i = 0; i < r->n_tools && !literal; i++) {
		if (may_produce(&r->tools[i], user) && about_param(&r->tools[i], user, p, &r->clauses[clause]) > 0) {
			return true;
		}
	}
	return false;
}

struct candidate {
	int tool;
	double score;
};

static double judge(struct heur_run *r, const struct heur_tool *t, const struct heur_tool *user,
		    const struct heur_param *p, const struct heur_intent *how, struct heur_binding *b)
{
	int about = about_param(t, user, p, &r->clauses[how->clause]);
	double score = about * 2 + (text_same(t->server, user->server) ? 1.0 : 0.0);
	bool consumed = false;
	heur_bind(r, (int)(t - r->tools), how, b);
	for (size_t i = 0; i < t->n_params; i++) {
		const struct heur_slot *s = &b->slots[i];
		consumed = consumed || (how->focus >= 0 && s->bound && s->value == how->focus);
	}
	if (how->focus >= 0) {
		score += consumed ? 4 : -1;
		score += t->act == HEUR_SEARCH ? 0.6 : t->act == HEUR_LIST ? 0.3 : 0;
	} else {
		score += t->act == HEUR_LIST ? 0.5 : t->act == HEUR_SEARCH ? 0.2 : 0;
	}
	if (b->missing >= 0) {
		score -= 3;
	}
	return about > 0 ? score : HEUR_NEVER;
}

enum { MAX_CANDIDATES = 5 };

/* The best few producers, best first. */
static size_t candidates(struct heur_run *r, const struct heur_tool *user, const struct heur_param *p,
			 const struct heur_intent *how, struct heur_binding *b, struct candidate *out)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_tools; i++) {
		if (!may_produce(&r->tools[i], user) ||
		    about_param(&r->tools[i], user, p, &r->clauses[how->clause]) == 0) {
			continue;
		}
		struct candidate c = {(int)i, judge(r, &r->tools[i], user, p, how, b)};
		size_t at = n < MAX_CANDIDATES ? n++ : MAX_CANDIDATES;
		while (at > 0 && out[at - 1].score < c.score) {
			if (at < MAX_CANDIDATES) {
				out[at] = out[at - 1];
			}
			at--;
		}
		if (at < MAX_CANDIDATES) {
			out[at] = c;
		}
	}
	return n;
}

static bool plan_producer(struct heur_run *r, int tool, const struct heur_intent *how, int depth,
			  struct heur_plan *plan, struct heur_binding *b)
{
	struct heur_intent own = *how;
	heur_bind(r, tool, &own, b);
	for (size_t i = 0; i < b->n_needs && depth < HEUR_MAX_DEPTH && r->policy == HEUR_CAREFUL; i++) {
		if (heur_produce(r, &own, b, (size_t)b->needs[i], depth + 1, plan)) {
			return true;
		}
	}
	if (b->missing >= 0) {
		return false;
	}
	size_t n = heur_calls(r, b);
	bool ok, planned = false;
	for (size_t i = 0; i < n && plan->n < HEUR_MAX_FAN; i++) {
		const assay_json *arguments = heur_arguments(r, b, i);
		if (arguments && heur_planned(r, plan, tool, arguments)) {
			planned = true;
		} else if (arguments && !heur_was_called(r, tool, arguments, &ok)) {
			plan->calls[plan->n++] = (struct heur_call){tool, arguments, how->clause, HEUR_PRODUCER};
			planned = true;
		}
	}
	return planned;
}

/* Plan the call, or the call before it, that supplies parameter `need` of b's tool. False: there is none left. */
bool heur_produce(struct heur_run *r, const struct heur_intent *how, const struct heur_binding *b, size_t need,
		  int depth, struct heur_plan *plan)
{
	const struct heur_tool *user = &r->tools[b->tool];
	struct candidate best[MAX_CANDIDATES];
	bool *blocked = text_alloc(&r->arena, HEUR_MAX_VALUES, sizeof *blocked);
	struct heur_binding *own = text_alloc(&r->arena, 1, sizeof *own);
	if (!blocked || !own || !heur_can_produce(r, user, need, how->clause)) {
		return false;
	}
	for (size_t i = 0; i < HEUR_MAX_VALUES; i++) {
		blocked[i] = b->taken[i] || (how->blocked && how->blocked[i]);
	}
	struct heur_intent inner = {.clause = how->clause,
				    .producer = true,
				    .focus = b->slots[need].wanted,
				    .blocked = blocked};
	size_t n = candidates(r, user, &user->params[need], &inner, own, best);
	for (size_t i = 0; i < n; i++) {
		/* A tool of another server that only mentions the thing has to make use of what we look for. */
		if (best[i].score >= 2 && plan_producer(r, best[i].tool, &inner, depth, plan, own)) {
			return true;
		}
	}
	return false;
}
