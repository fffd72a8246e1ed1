/* llm/heuristic: the tool for a clause, once it is clear what each could be given. */
#include "heuristic.h"

static bool strong(const struct heur_value *v)
{
	return v->kind != HEUR_COUNT && v->kind != HEUR_NAME && v->kind != HEUR_PHRASE;
}

/* The share of the clause's values that a call would use. */
static double used_share(const struct heur_run *r, int clause, const struct heur_binding *b)
{
	double used = 0, all = 0;
	for (size_t i = 0; i < r->n_values; i++) {
		if (r->values[i].clause == clause) {
			double weight = strong(&r->values[i]) ? 1.0 : r->values[i].kind == HEUR_NAME ? 0.5 : 0.25;
			all += weight;
			used += b->taken[i] ? weight : 0;
		}
	}
	return all > 0 ? used / all : 0;
}

/* Words of the clause that name its parameters: "update the address", "change the status". */
static double named_params(const struct heur_clause *c, const struct heur_tool *t)
{
	double score = 0;
	for (size_t i = 0; i < t->n_params && score < 0.2; i++) {
		for (size_t k = 0; k < t->params[i].words.n; k++) {
			bool said = heur_entity(&t->params[i], t->params[i].words.list[k].stem) &&
				    heur_has(&c->words, t->params[i].words.list[k].stem);
			score += said ? 0.1 : 0;
		}
	}
	return score;
}

/* "the latest one", "its details": of the things that were found last. */
static double follows_up(const struct heur_run *r, const struct heur_clause *c, const struct heur_tool *t)
{
	const struct heur_step *last = NULL;
	for (size_t i = r->n_steps; i-- > 0 && !last;) {
		last = r->steps[i].failed || r->steps[i].n_records == 0 ? NULL : &r->steps[i];
	}
	if (!last || !(c->refers || c->possessive || heur_generic_noun(c->object))) {
		return 0;
	}
	for (size_t i = 0; i < c->words.n; i++) {
		if (heur_known_noun(r, c->words.list[i].stem)) {
			return 0; /* it says itself what it is about */
		}
	}
	for (size_t i = last->first_record; i < last->first_record + last->n_records; i++) {
		if (text_same(r->records[i].noun, t->head)) {
			return 0.4;
		}
	}
	bool home = last->call.tool >= 0 && text_same(r->tools[last->call.tool].server, t->server);
	return home ? 0 : -0.2;
}

static double fit(struct heur_run *r, int clause, size_t rank, struct heur_binding *b)
{
	const struct heur_clause *c = &r->clauses[clause];
	int tool = c->ranked[rank];
	struct heur_intent how = {.clause = clause, .focus = -1};
	heur_bind(r, tool, &how, b);
	const struct heur_tool *t = &r->tools[tool];
	double score = c->scores[rank] + 0.6 * used_share(r, clause, b) + named_params(c, t) + follows_up(r, c, t);
	for (size_t i = 0; i < b->n_needs; i++) {
		size_t param = (size_t)b->needs[i];
		bool composed = t->params[param].sense == HEUR_S_CONTENT && heur_writes(t->act) && r->n_leaves > 0;
		bool supply = composed || heur_can_produce(r, t, param, clause);
		double detour = c->act == HEUR_SEARCH || c->act == HEUR_LIST ? 0.4 : 0.1;
		score -= supply ? detour : heur_needed(t, (int)param) ? 0.7 : 0.2;
	}
	return score;
}

static bool was_tried(const struct heur_clause *c, int tool)
{
	for (int i = 0; i < c->tries && i < HEUR_MAX_TRIES; i++) {
		if (c->tried[i] == tool) {
			return true;
		}
	}
	return false;
}

/* May the tool be tried after another one failed? It must be about the same, and do the same if it does anything. */
static bool stands_in(const struct heur_clause *c, const struct heur_tool *t)
{
	bool does = heur_writes(c->act) || c->act == HEUR_DO || heur_writes(t->act) || t->act == HEUR_DO;
	bool about = heur_has(&c->words, t->head);
	for (size_t i = 0; i < t->words.n && !about && !does; i++) {
		about = heur_verb_form(t->words.list[i].lower, NULL) == HEUR_NONE &&
			heur_has(&c->words, t->words.list[i].stem);
	}
	return c->tries == 0 || (about && (!does || c->act == t->act));
}

int heur_choose_tool(struct heur_run *r, int clause)
{
	struct heur_clause *c = &r->clauses[clause];
	struct heur_binding *b = text_alloc(&r->arena, 1, sizeof *b);
	int best = -1;
	double most = -0.2; /* worse than that is none at all */
	if (!c->ranked) {
		heur_rank(r, c);
	}
	for (size_t i = 0; b && i < c->n_ranked; i++) {
		if (was_tried(c, c->ranked[i]) || !stands_in(c, &r->tools[c->ranked[i]])) {
			continue;
		}
		if (r->policy == HEUR_GREEDY) {
			return c->ranked[i];
		}
		double score = fit(r, clause, i, b);
		if (score > most) {
			most = score;
			best = c->ranked[i];
		}
	}
	return best;
}

/* --- Clauses that need no call --- */

static bool seen(const struct heur_run *r, assay_str text)
{
	for (size_t i = 0; i < r->n_leaves; i++) {
		if (text_same_fold(r->leaves[i].text, text)) {
			return true;
		}
	}
	for (size_t i = 0; i < r->n_steps; i++) {
		const assay_json *m = r->json->first(r->steps[i].call.arguments);
		for (; m; m = r->json->next(m)) {
			if (text_same_fold(r->json->str(m), text)) {
				return true;
			}
		}
	}
	return false;
}

static bool has_leaf_named(const struct heur_run *r, assay_str stem)
{
	for (size_t i = 0; i < r->n_leaves; i++) {
		if (heur_has(&r->leaves[i].words, stem)) {
			return true;
		}
	}
	return false;
}

/* Does a noun of the clause ask for what only a tool that was not called yet can tell? */
static bool asks_for_more(const struct heur_run *r, const struct heur_clause *c)
{
	for (size_t i = 0; i < c->words.n; i++) {
		assay_str stem = c->words.list[i].stem;
		bool plain = heur_stop_word(c->words.list[i].lower) || i == c->verb;
		for (size_t k = 0; !plain && k < r->n_tools; k++) {
			const struct heur_tool *t = &r->tools[k];
			bool named = heur_has(&t->words, stem) && !heur_generic_noun(stem) &&
				     heur_verb_form(stem, NULL) == HEUR_NONE;
			bool called = false;
			for (size_t s = 0; s < r->n_steps; s++) {
				const struct heur_step *step = &r->steps[s];
				called = called ||
					 (step->call.tool >= 0 && heur_about(&r->tools[step->call.tool], stem));
			}
			if (named && !heur_writes(t->act) && !called) {
				return true;
			}
		}
	}
	return false;
}

static bool own_values(const struct heur_run *r, int clause)
{
	for (size_t i = 0; i < r->n_values; i++) {
		if (r->values[i].clause == clause && r->values[i].kind != HEUR_COUNT &&
		    r->values[i].kind != HEUR_NUMBER) {
			return true;
		}
	}
	return false;
}

/* It is about what was found, and nothing was. */
bool heur_lacks_referent(const struct heur_run *r, int clause)
{
	const struct heur_clause *c = &r->clauses[clause];
	const struct heur_step *last = NULL;
	for (size_t i = r->n_steps; i-- > 0 && !last;) {
		last = r->steps[i].call.purpose == HEUR_MAIN ? &r->steps[i] : NULL;
	}
	bool talk = c->act == HEUR_TELL || c->question;
	bool held = heur_writes(c->act) ? false : own_values(r, clause);
	return last && (last->empty || heur_beside_the_point(r, last)) && c->refers && !talk && !held;
}

bool heur_satisfied(struct heur_run *r, int clause)
{
	const struct heur_clause *c = &r->clauses[clause];
	if ((c->act != HEUR_TELL && !c->question) || r->n_leaves == 0) {
		return false;
	}
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		bool rank = v->n_before > 0 && heur_superlative(v->before[0]); /* the first 3 */
		if (v->clause == clause && strong(v) && !rank && !seen(r, v->text)) {
			return false;
		}
	}
	for (size_t i = 0; i < c->words.n; i++) {
		bool plain = heur_stop_word(c->words.list[i].lower) || i == c->verb;
		if (!plain && has_leaf_named(r, c->words.list[i].stem)) {
			return true;
		}
	}
	return !asks_for_more(r, c);
}
