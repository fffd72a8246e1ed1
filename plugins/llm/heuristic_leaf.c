/* llm/heuristic, rule 4: what was found before, for the parameters of the next call. */
#include "heuristic.h"
#include <string.h>

enum { NAMED_AT = 3 };

/* --- Names of leaves against names of parameters --- */

static bool same_words(const struct heur_words *a, const struct heur_words *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		if (!text_same(a->list[i].stem, b->list[i].stem)) {
			return false;
		}
	}
	return a->n == b->n && a->n > 0;
}

static bool ends_with(const struct heur_words *a, const struct heur_words *tail)
{
	if (tail->n == 0 || tail->n >= a->n) {
		return false;
	}
	struct heur_words end = {a->list + (a->n - tail->n), tail->n, 0};
	return same_words(&end, tail);
}

/* A name that every kind of thing has. */
static bool common(const struct heur_words *w)
{
	static const char *const names[] = {"id",      "name", "titl", "title",       "key",    "code",  "text",
					    "content", "date", "type", "statu",       "status", "value", "valu",
					    "count",   "url",  "path", "description", "number", "total", NULL};
	return w->n == 1 && text_in(w->list[0].stem, names);
}

/* Is the record one of the things that the tool is about? 2 yes, 1 maybe, 0 no. */
static int kin(const struct heur_run *r, const struct heur_tool *t, const struct heur_leaf *leaf)
{
	assay_str noun = r->records[leaf->record].noun;
	int from = r->steps[leaf->step].call.tool;
	bool home = from >= 0 && text_same(r->tools[from].server, t->server);
	if (text_same(noun, t->head)) {
		return 2;
	}
	if (noun.len > 0 && (heur_has(&t->words, noun) || (home && heur_has(&t->summary_words, noun)))) {
		return 2;
	}
	return home && (noun.len == 0 || heur_generic_noun(noun));
}

/* "convert the temperature": a number that the clause calls by its name. */
static bool mentioned(const struct heur_clause *c, const struct heur_param *p, const struct heur_leaf *leaf)
{
	for (size_t i = 0; i < leaf->words.n && p->sense == HEUR_S_AMOUNT && leaf->numeric; i++) {
		if (!common(&leaf->words) && heur_has(&c->words, leaf->words.list[i].stem)) {
			return true;
		}
	}
	return false;
}

static double name_score(const struct heur_run *r, const struct heur_tool *t, const struct heur_param *p,
			 const struct heur_leaf *leaf, const struct heur_clause *c)
{
	const struct heur_words *l = &leaf->words;
	assay_str noun = r->records[leaf->record].noun;
	bool identifies = l->n == 1 && (text_is(l->list[0].stem, "id") || text_is(l->list[0].stem, "key"));
	if (p->to && text_is(p->words.list[0].stem, "new")) {
		return 0;
	}
	if (same_words(&p->words, l)) {
		if (!common(l)) {
			return 7;
		}
		int near = kin(r, t, leaf);
		bool latest = c->refers && leaf->step == (int)r->n_steps - 1;
		return near == 2 ? 7 : near == 1 ? 5 : latest ? 4 : 1;
	}
	if (identifies && noun.len > 0 && heur_entity(p, noun)) {
		return 7; /* customer_id from the id of a customer */
	}
	if (p->sense == HEUR_S_ID && !heur_has_entity(p) && l->n == 2 && text_same(l->list[0].stem, t->head)) {
		return 7; /* id from note_id */
	}
	if (p->sense == HEUR_S_ID && l->n == 1 && heur_entity(p, l->list[0].stem) && heur_id_like(leaf->text)) {
		return 6; /* order_id from order */
	}
	if (p->words.n == 1 && noun.len > 0 && text_same(p->words.list[0].stem, noun) && common(l)) {
		return identifies || text_is(l->list[0].stem, "name") ? 5 : 0; /* city from the name of a city */
	}
	if (mentioned(c, p, leaf)) {
		return 5;
	}
	if (ends_with(l, &p->words) || ends_with(&p->words, l)) {
		return common(l) || common(&p->words) ? 0 : 4;
	}
	return 0;
}

/* --- Which leaf --- */

static bool call_says(struct heur_run *r, int step, assay_str text)
{
	for (const assay_json *m = r->json->first(r->steps[step].call.arguments); m; m = r->json->next(m)) {
		if (text_same_fold(heur_scalar(r, m), text)) {
			return true;
		}
	}
	return false;
}

static const struct heur_clause *clause_of(const struct heur_run *r, int step)
{
	int c = r->steps[step].call.clause;
	return c >= 0 && (size_t)c < r->n_clauses ? &r->clauses[c] : NULL;
}

/* Filters of the clause and of the clause that made the list. */
static bool passes(const struct heur_run *r, const struct heur_clause *c, const struct heur_leaf *leaf)
{
	const struct heur_clause *source = clause_of(r, leaf->step);
	return heur_judge(r, &c->filter, leaf->record) != 0 &&
	       (!source || source == c || heur_judge(r, &source->filter, leaf->record) != 0);
}

/* How many values of the goal the record holds. */
static double overlap(const struct heur_run *r, const struct heur_clause *c, const struct heur_leaf *leaf)
{
	const struct heur_clause *source = clause_of(r, leaf->step);
	double score = 0;
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		const struct heur_clause *of = v->clause >= 0 ? &r->clauses[v->clause] : NULL;
		bool strong = v->kind != HEUR_NUMBER && v->kind != HEUR_COUNT;
		if (strong && (!of || of == c || of == source)) {
			score += heur_record_says(r, leaf->record, v->text) * (of == c ? 2 : 1);
		}
	}
	return score;
}

static bool fits(const struct heur_run *r, const struct heur_param *p, const struct heur_leaf *leaf)
{
	return leaf->text.len <= 2000 && heur_type_fits(r, p, leaf->text) &&
	       !(p->sense == HEUR_S_ID && leaf->text.len > 120);
}

/* Two leaves of one kind: the same key of two elements of one list, or of two calls of the same tool for one clause. */
static bool siblings(const struct heur_run *r, const struct heur_leaf *a, const struct heur_leaf *b)
{
	const struct heur_record *x = &r->records[a->record], *y = &r->records[b->record];
	if (!text_same(a->key, b->key)) {
		return false;
	}
	if (a->step == b->step) {
		return (x->listed && y->listed && x->parent == y->parent) || a->record == b->record;
	}
	const struct heur_call *f = &r->steps[a->step].call, *g = &r->steps[b->step].call;
	return f->tool == g->tool && f->clause == g->clause && f->purpose == g->purpose;
}

/* Is leaf a a better choice than leaf b of the same kind? */
static bool better(const struct heur_run *r, const struct heur_clause *c, const struct heur_leaf *a,
		   const struct heur_leaf *b)
{
	const struct heur_clause *source = clause_of(r, a->step);
	const struct heur_choice *choice = c->choice.direction || !source ? &c->choice : &source->choice;
	double x = overlap(r, c, a), y = overlap(r, c, b);
	int prefers = heur_prefers(r, choice, a->record, b->record);
	if (choice->direction && prefers != 0 && choice->direction != HEUR_FIRST) {
		return prefers > 0;
	}
	return x > y;
}

/* A list of everything, in which what was asked for does not occur, tells nothing about it. */
bool heur_beside_the_point(const struct heur_run *r, const struct heur_step *s)
{
	int clause = s->call.clause;
	if (clause < 0 || r->json->count(s->call.arguments) > 0 || s->n_records == 0) {
		return false;
	}
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		bool names = v->kind == HEUR_QUOTED || v->kind == HEUR_EMAIL || v->kind == HEUR_ID;
		if (v->clause == clause && names && s->call.purpose == HEUR_MAIN &&
		    !heur_record_says(r, (int)s->first_record, v->text)) {
			return true;
		}
	}
	return false;
}

struct found {
	const struct heur_leaf *leaf;
	double score;
};

/* One of several that a list of everything holds, with nothing to tell which: no ground to change something on. */
static bool arbitrary(const struct heur_run *r, const struct heur_intent *how, const struct heur_tool *t,
		      const struct heur_leaf *leaf)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	const struct heur_call *source = &r->steps[leaf->step].call;
	size_t alike = 0;
	if (!heur_writes(t->act) || source->purpose != HEUR_PRODUCER || source->clause != how->clause ||
	    c->choice.direction || c->each || overlap(r, c, leaf) > 0) {
		return false;
	}
	for (size_t i = 0; i < r->n_leaves; i++) {
		alike += siblings(r, &r->leaves[i], leaf) && passes(r, c, &r->leaves[i]);
	}
	return alike > 1;
}

static struct found best_leaf(struct heur_run *r, const struct heur_intent *how, const struct heur_tool *t,
			      const struct heur_param *p, int wanted)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	struct found best = {NULL, 0};
	for (size_t i = r->n_leaves; i-- > 0;) {
		const struct heur_leaf *leaf = &r->leaves[i];
		double score = name_score(r, t, p, leaf, c);
		if (score < NAMED_AT || score < best.score || !fits(r, p, leaf) || !passes(r, c, leaf) ||
		    heur_beside_the_point(r, &r->steps[leaf->step])) {
			continue;
		}
		if (wanted >= 0 && !heur_record_says(r, leaf->record, r->values[wanted].text) &&
		    !call_says(r, leaf->step, r->values[wanted].text)) {
			continue;
		}
		/* Going backwards: of two alike the later step counts, within a step the earlier element. */
		bool sibling = best.leaf && siblings(r, leaf, best.leaf);
		if (score > best.score ||
		    (sibling && best.leaf->step == leaf->step && !better(r, c, best.leaf, leaf)) ||
		    (sibling && best.leaf->step != leaf->step && better(r, c, leaf, best.leaf))) {
			best = (struct found){leaf, score};
		}
	}
	return best;
}

/* --- Each --- */

static bool wants_each(const struct heur_run *r, const struct heur_clause *c, const struct heur_param *p,
		       const struct heur_leaf *leaf)
{
	assay_str noun = r->records[leaf->record].noun;
	bool before = r->steps[leaf->step].call.clause != (int)(c - r->clauses);
	if (r->policy == HEUR_GREEDY || (!c->each && !(c->plural && before))) {
		return false;
	}
	return c->each_noun.len == 0 || text_same(c->each_noun, noun) || heur_entity(p, c->each_noun) ||
	       heur_generic_noun(c->each_noun) || !heur_known_noun(r, c->each_noun);
}

static void add_member(struct heur_slot *s, assay_str text)
{
	for (size_t i = 0; i < s->n_members; i++) {
		if (text_same(s->members[i], text)) {
			return;
		}
	}
	if (s->n_members < HEUR_MAX_FAN) {
		s->members[s->n_members++] = text;
	}
}

/* Was the search made for several things? Then each of them is the best of its own results. */
static bool several_searches(const struct heur_run *r, int step)
{
	const struct heur_call *call = &r->steps[step].call;
	size_t n = 0;
	for (size_t i = 0; i < r->n_steps; i++) {
		n += r->steps[i].call.tool == call->tool && r->steps[i].call.clause == call->clause &&
		     !r->steps[i].empty;
	}
	return n > 1 && call->tool >= 0 && r->tools[call->tool].act == HEUR_SEARCH;
}

static bool first_of_step(const struct heur_run *r, const struct heur_clause *c, const struct heur_leaf *leaf)
{
	const struct heur_step *s = &r->steps[leaf->step];
	for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves; i++) {
		const struct heur_leaf *other = &r->leaves[i];
		if (other != leaf && siblings(r, other, leaf) &&
		    (better(r, c, other, leaf) || (other < leaf && !better(r, c, leaf, other)))) {
			return false;
		}
	}
	return true;
}

static void take_leaf(struct heur_run *r, const struct heur_intent *how, const struct heur_param *p,
		      struct heur_slot *s, struct found found)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	bool several = (wants_each(r, c, p, found.leaf) && s->wanted < 0) || p->list;
	s->bound = true;
	s->score = found.score;
	s->n_members = 0;
	double least = several ? overlap(r, c, found.leaf) : 0; /* those that were asked for, when some were */
	bool searched = several && several_searches(r, found.leaf->step);
	for (size_t i = 0; several && i < r->n_leaves; i++) {
		const struct heur_leaf *leaf = &r->leaves[i];
		if (!siblings(r, leaf, found.leaf) || !fits(r, p, leaf) || !passes(r, c, leaf)) {
			continue;
		}
		if (searched ? first_of_step(r, c, leaf) : overlap(r, c, leaf) >= least) {
			add_member(s, leaf->text);
		}
	}
	if (s->n_members == 0) {
		add_member(s, found.leaf->text);
	}
}

/* Several things were named: the others, too. */
static void take_group(struct heur_run *r, const struct heur_intent *how, const struct heur_tool *t,
		       const struct heur_param *p, struct heur_slot *s)
{
	int group = s->wanted >= 0 && (r->policy != HEUR_GREEDY || p->list) ? r->values[s->wanted].group : -1;
	for (size_t v = 0; v < r->n_values && group >= 0; v++) {
		struct found found = {0};
		if (r->values[v].group == group && (int)v != s->wanted) {
			found = best_leaf(r, how, t, p, (int)v);
		}
		if (found.leaf) {
			add_member(s, found.leaf->text);
		}
	}
}

/* Does the clause ask for this optional parameter to be what was found? */
static bool asks_for(const struct heur_run *r, const struct heur_intent *how, const struct heur_param *p)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	bool named = false;
	for (size_t i = 0; i < p->words.n; i++) {
		named = named || (heur_entity(p, p->words.list[i].stem) && heur_has(&c->words, p->words.list[i].stem));
	}
	return p->sense == HEUR_S_ID && !how->producer &&
	       (c->possessive || (c->refers && (named || !heur_known_noun(r, c->object))));
}

void heur_bind_leaves(struct heur_run *r, const struct heur_intent *how, struct heur_binding *b)
{
	struct heur_tool *t = &r->tools[b->tool];
	for (size_t i = 0; i < t->n_params; i++) {
		const struct heur_param *p = &t->params[i];
		struct heur_slot *s = &b->slots[i];
		bool needed = heur_needed(t, (int)i) || s->wanted >= 0 || asks_for(r, how, p);
		bool literal = p->sense == HEUR_S_QUERY || p->sense == HEUR_S_LIMIT || p->types == HEUR_T_BOOLEAN;
		if (s->bound || !needed || p->inner || literal || r->n_leaves == 0) {
			continue;
		}
		struct found found = best_leaf(r, how, t, p, s->wanted);
		if (found.leaf && (s->wanted >= 0 || !arbitrary(r, how, t, found.leaf))) {
			take_leaf(r, how, p, s, found);
			take_group(r, how, t, p, s);
		}
	}
}
