/* llm/heuristic, rule 4: giving a tool's parameters what they need. */
#include "heuristic.h"
#include <string.h>

enum { NEEDED_AT = 3, OPTIONAL_AT = 7, FOCUS_BONUS = 6 };

static void give(struct heur_slot *s, assay_str text, double score)
{
	s->bound = text.len > 0;
	s->members[0] = text;
	s->n_members = 1;
	s->score = score;
}

/* --- Repairs come first --- */

static void apply_fixes(const struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			struct heur_binding *b, bool *dropped)
{
	for (const struct heur_fix *f = how->fixes; f; f = f->next) {
		if (f->param < 0 || (size_t)f->param >= t->n_params) {
			continue;
		}
		if (f->kind == HEUR_SET) {
			give(&b->slots[f->param], f->text, 100);
		}
		dropped[f->param] = f->kind != HEUR_SET;
		for (size_t v = 0; v < r->n_values && f->kind == HEUR_SUPPLY; v++) {
			if (text_same(r->values[v].text, f->text)) {
				b->slots[f->param].wanted = (int)v;
				b->taken[v] = true;
			}
		}
	}
}

/* --- Options and switches that the clause mentions --- */

static size_t mentioned_at(const struct heur_words *said, const struct heur_words *option, size_t from)
{
	for (size_t k = from; option->n > 0 && k + option->n <= said->n; k++) {
		size_t n = 0;
		while (n < option->n && text_same(said->list[k + n].stem, option->list[n].stem)) {
			n++;
		}
		if (n == option->n) {
			return k;
		}
	}
	return SIZE_MAX;
}

struct mention {
	assay_str option;
	size_t at, n;
	double score;
};

/* How well a mention suits one end of a conversion: "12 miles to kilometres", "how many miles are 12 kilometres". */
static double mention_score(const struct heur_param *p, const struct heur_clause *c, size_t at, size_t n)
{
	static const char *const toward[] = {"to", "into", "in", "as", "many", "much", NULL};
	assay_str before = at > 0 ? c->words.list[at - 1].lower : (assay_str){0};
	bool target = text_in(before, toward), counted = before.len > 0 && text_digit(before.ptr[0]);
	double score = (double)n * 2 - (double)at * 0.01;
	if (p->from) {
		score += (counted ? 2 : 0) - (target ? 3 : 0);
	}
	if (p->to) {
		score += (target ? 3 : 0) - (counted ? 2 : 0);
	}
	return score;
}

static bool find_mention(struct heur_run *r, const struct heur_param *p, const struct heur_clause *c,
			 const bool *claimed, struct mention *best)
{
	*best = (struct mention){.score = HEUR_NEVER};
	for (const assay_json *e = r->json->first(p->options); e; e = r->json->next(e)) {
		struct heur_words words = {0};
		assay_str option = heur_scalar(r, e);
		heur_split_name(&r->arena, option, &words);
		for (size_t at = mentioned_at(&c->words, &words, 0); at != SIZE_MAX;
		     at = mentioned_at(&c->words, &words, at + 1)) {
			double score = mention_score(p, c, at, words.n);
			if (score > best->score && !claimed[at] && at != c->verb) {
				*best = (struct mention){option, at, words.n, score};
			}
		}
	}
	return best->score > HEUR_NEVER;
}

/* The values that lie in the words of a mention are used up by it. */
static void claim(const struct heur_run *r, const struct heur_clause *c, const struct mention *m, bool *claimed,
		  struct heur_binding *b)
{
	size_t from = c->words.list[m->at].from, to = c->words.list[m->at + m->n - 1].to;
	for (size_t i = m->at; i < m->at + m->n; i++) {
		claimed[i] = true;
	}
	for (size_t i = 0; i < r->n_values; i++) {
		if (r->values[i].from < to && r->values[i].to > from && r->values[i].kind != HEUR_PHRASE) {
			b->taken[i] = true;
		}
	}
}

static void bind_options(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			 struct heur_binding *b, const bool *dropped)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	bool *claimed = text_alloc(&r->arena, c->words.n + 1, sizeof *claimed);
	for (size_t i = 0; claimed && i < t->n_params; i++) {
		const struct heur_param *p = &t->params[i];
		struct heur_slot *s = &b->slots[i];
		struct mention m;
		if (!p->options || s->bound || dropped[i] || how->producer) {
			continue;
		}
		bool several = p->list || (!p->from && !p->to && r->policy == HEUR_CAREFUL);
		while (s->n_members < (several ? HEUR_MAX_FAN : 1u) && find_mention(r, p, c, claimed, &m)) {
			claim(r, c, &m, claimed, b);
			s->members[s->n_members++] = m.option;
			s->bound = true;
			s->score = 9;
		}
	}
}

static void bind_switches(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			  struct heur_binding *b)
{
	static const char *const denying[] = {"not", "without", "no", "don't", "never", NULL};
	const struct heur_clause *c = &r->clauses[how->clause];
	for (size_t i = 0; i < t->n_params; i++) {
		const struct heur_param *p = &t->params[i];
		if (p->types != HEUR_T_BOOLEAN || p->list || b->slots[i].bound) {
			continue;
		}
		size_t at = mentioned_at(&c->words, &p->words, 0);
		if (at == SIZE_MAX && p->words.n > 1 && heur_verb(p->words.list[0].lower, NULL) == HEUR_TELL) {
			struct heur_words rest = {p->words.list + 1, p->words.n - 1, 0};
			at = mentioned_at(&c->words, &rest, 0); /* include_archived */
		}
		bool no = at != SIZE_MAX && at > 0 && text_in(c->words.list[at - 1].lower, denying);
		if (at != SIZE_MAX || heur_needed(t, (int)i)) {
			give(&b->slots[i], no ? ASSAY_STR("false") : ASSAY_STR("true"), 6);
		}
	}
}

/* --- Values --- */

struct pairing {
	double score;
	size_t param, value;
};

static bool allowed(const struct heur_intent *how, const struct heur_binding *b, size_t value)
{
	return !b->taken[value] && (!how->blocked || !how->blocked[value] || (int)value == how->focus);
}

static double pair_score(const struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how, size_t i,
			 size_t v)
{
	const struct heur_param *p = &t->params[i];
	double score = heur_value_score(r, t, p, &r->values[v], how->clause);
	bool words = p->sense == HEUR_S_QUERY || p->sense == HEUR_S_TITLE || p->sense == HEUR_S_OTHER ||
		     p->sense == HEUR_S_EMAIL || p->sense == HEUR_S_PLACE;
	if (score > HEUR_NEVER && how->producer && (int)v == how->focus && words) {
		score += FOCUS_BONUS + (p->sense == HEUR_S_TITLE ? 1 : 0);
	}
	/* What stands first goes to what is declared first. */
	return score - 0.01 * (double)i - 0.011 * (double)v;
}

static bool best_pair(const struct heur_run *r, const struct heur_tool *t, const struct heur_binding *b,
		      const struct heur_intent *how, const double *scores, const bool *dropped, struct pairing *out)
{
	out->score = HEUR_NEVER;
	for (size_t i = 0; i < t->n_params; i++) {
		double least = heur_needed(t, (int)i) || how->wide ? NEEDED_AT : OPTIONAL_AT;
		for (size_t v = 0; v < r->n_values && !b->slots[i].bound && !dropped[i]; v++) {
			double score = scores[i * r->n_values + v];
			if (score >= least && score > out->score && allowed(how, b, v)) {
				*out = (struct pairing){score, i, v};
			}
		}
	}
	return out->score > HEUR_NEVER;
}

static void bind_values(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			struct heur_binding *b, const bool *dropped)
{
	double *scores = text_alloc(&r->arena, t->n_params * r->n_values, sizeof *scores);
	struct pairing pair;
	if (!scores) {
		return;
	}
	for (size_t i = 0; i < t->n_params; i++) {
		for (size_t v = 0; v < r->n_values; v++) {
			scores[i * r->n_values + v] = pair_score(r, t, how, i, v);
		}
	}
	while (best_pair(r, t, b, how, scores, dropped, &pair)) {
		give(&b->slots[pair.param], r->values[pair.value].text, pair.score);
		b->slots[pair.param].value = (int)pair.value;
		b->taken[pair.value] = true;
	}
}

/* Rule 6: what is left of a group goes to the parameter that got the first of it. */
static void spread_groups(struct heur_run *r, const struct heur_tool *t, struct heur_binding *b)
{
	for (size_t i = 0; i < t->n_params; i++) {
		struct heur_slot *s = &b->slots[i];
		int group = s->bound && s->value >= 0 ? r->values[s->value].group : -1;
		if (group < 0 || (r->policy == HEUR_GREEDY && !t->params[i].list)) {
			continue;
		}
		size_t users = 0;
		for (size_t k = 0; k < t->n_params; k++) {
			users += b->slots[k].bound && b->slots[k].value >= 0 &&
				 r->values[b->slots[k].value].group == group;
		}
		for (size_t v = 0; v < r->n_values && users == 1 && s->n_members < HEUR_MAX_FAN; v++) {
			if (r->values[v].group == group && !b->taken[v] &&
			    heur_type_fits(r, &t->params[i], r->values[v].text)) {
				s->members[s->n_members++] = r->values[v].text;
				b->taken[v] = true;
			}
		}
	}
}

/* "with priority low": a word behind the name of a parameter. */
static void bind_named_words(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			     struct heur_binding *b, const bool *dropped)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	for (size_t i = 0; i < t->n_params; i++) {
		const struct heur_param *p = &t->params[i];
		size_t at = mentioned_at(&c->words, &p->words, 0);
		if (b->slots[i].bound || dropped[i] || p->options || how->producer || p->types != HEUR_T_STRING ||
		    at == SIZE_MAX || (p->sense != HEUR_S_OTHER && p->sense != HEUR_S_CODE) || p->inner) {
			continue;
		}
		size_t next = at + p->words.n, last = next - 1;
		if (next >= c->words.n || c->words.list[next].from > c->words.list[last].to + 2 ||
		    heur_stop_word(c->words.list[next].lower) || heur_comparing(c->words.list[next].lower) ||
		    heur_has(&t->words, c->words.list[next].stem) || heur_known_noun(r, c->words.list[next].stem)) {
			continue;
		}
		assay_str word = heur_sub(r->goal, c->words.list[next].from, c->words.list[next].to);
		char between = r->goal.ptr[c->words.list[last].to];
		if ((between == ' ' || between == ':') && heur_type_fits(r, p, word)) {
			give(&b->slots[i], word, OPTIONAL_AT);
		}
	}
}

/* --- Things whose identifier has to be found first --- */

static bool names_a_thing(const struct heur_value *v)
{
	return v->kind == HEUR_QUOTED || v->kind == HEUR_NAME || v->kind == HEUR_PHRASE || v->kind == HEUR_EMAIL ||
	       v->kind == HEUR_ID;
}

static bool wants_lookup(const struct heur_param *p)
{
	return p->sense == HEUR_S_ID || p->sense == HEUR_S_TITLE || p->sense == HEUR_S_PLACE || p->sense == HEUR_S_PATH;
}

/* The value that names what parameter i identifies: said so by the words before it, or the only one left. */
static int wanted_value(const struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			const struct heur_binding *b, size_t i, bool by_exclusion)
{
	const struct heur_param *p = &t->params[i];
	for (size_t v = 0; v < r->n_values; v++) {
		const struct heur_value *value = &r->values[v];
		if (value->clause != how->clause || !allowed(how, b, v) || !names_a_thing(value)) {
			continue;
		}
		assay_str thing = heur_named_thing(r, value);
		bool same =
			thing.len > 0 && (heur_entity(p, thing) || (!heur_has_entity(p) && text_same(thing, t->head)));
		bool free = thing.len == 0 || same || p->sense != HEUR_S_ID;
		bool server = text_find_word(t->server, value->text) != SIZE_MAX;
		if (by_exclusion ? free && !server : same && p->sense == HEUR_S_ID) {
			return (int)v;
		}
	}
	return -1;
}

static void find_wanted(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			struct heur_binding *b)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->n_params; i++) {
			struct heur_slot *s = &b->slots[i];
			bool open = !s->bound && s->wanted < 0 && wants_lookup(&t->params[i]) && !t->params[i].inner;
			if (open && (pass == 0 || heur_needed(t, (int)i))) {
				s->wanted = wanted_value(r, t, how, b, i, pass == 1);
			}
			if (open && s->wanted >= 0) {
				b->taken[s->wanted] = true;
			}
		}
	}
}

/* --- What is left --- */

/* The last argument of the same name in a call that worked. */
static const assay_json *earlier(const struct heur_run *r, const struct heur_param *p)
{
	for (size_t i = r->n_steps; i-- > 0;) {
		const assay_json *v = r->json->get_n(r->steps[i].call.arguments, p->name);
		if (!r->steps[i].failed && v) {
			return v;
		}
	}
	return NULL;
}

/* The words of a clause that say neither what to do nor with which tool. */
/* "Read it, then move it": the argument of that kind in the last call that worked. */
static const assay_json *same_kind(struct heur_run *r, const struct heur_param *p, const struct heur_binding *b)
{
	if (p->sense != HEUR_S_PATH && p->sense != HEUR_S_ID && p->sense != HEUR_S_TITLE && p->sense != HEUR_S_URL) {
		return NULL;
	}
	for (size_t i = r->n_steps; i-- > 0;) {
		const struct heur_step *s = &r->steps[i];
		const struct heur_tool *t = s->call.tool >= 0 ? &r->tools[s->call.tool] : NULL;
		for (size_t k = 0; t && !s->failed && k < t->n_params; k++) {
			const assay_json *v = r->json->get_n(s->call.arguments, t->params[k].name);
			bool alike = t->params[k].sense == p->sense && t->params[k].types == p->types && v &&
				     (p->sense != HEUR_S_ID || text_same(t->head, r->tools[b->tool].head));
			if (alike && r->json->type(v) == ASSAY_JSON_STRING) {
				return v;
			}
		}
	}
	return NULL;
}

static bool names_param(const struct heur_tool *t, assay_str stem)
{
	for (size_t i = 0; i < t->n_params; i++) {
		if (heur_has(&t->params[i].words, stem)) {
			return true;
		}
	}
	return false;
}

static assay_str topic_words(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
			     const struct heur_binding *b)
{
	const struct heur_clause *c = &r->clauses[how->clause];
	struct text_buf text = {.arena = &r->arena};
	for (size_t i = 0; i < c->words.n; i++) {
		const struct heur_word *w = &c->words.list[i];
		bool value = false;
		for (size_t v = 0; v < r->n_values; v++) {
			value = value || (r->values[v].from <= w->from && w->to <= r->values[v].to);
		}
		if (!value && !heur_stop_word(w->lower) && !heur_comparing(w->lower) && i != c->verb &&
		    heur_about(t, w->stem) < 1 && !names_param(t, w->stem) && !heur_superlative(w->lower)) {
			text_puts(&text, text.len > 0 ? " " : "");
			text_add(&text, w->lower);
		}
	}
	/* Better a value that has another use already than nothing. */
	for (size_t v = 0; v < r->n_values && text.len == 0; v++) {
		if (r->values[v].clause == how->clause && b->taken[v] && heur_is_text(r->values[v].kind)) {
			text_add(&text, r->values[v].text);
		}
	}
	return text_of(&text);
}

static void fill(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how, struct heur_binding *b,
		 size_t i)
{
	static const char *const quantity[] = {"quantity", "qty", "copy", NULL};
	const struct heur_param *p = &t->params[i];
	struct heur_slot *s = &b->slots[i];
	const assay_json *before = p->otherwise || !how->lax ? NULL : earlier(r, p);
	if (!before && !p->otherwise && r->clauses[how->clause].refers && !how->producer && s->wanted < 0 && !p->to) {
		before = same_kind(r, p, b);
	}
	if (p->otherwise || before) {
		s->json = p->otherwise ? p->otherwise : before;
		s->bound = true;
	} else if (r->json->count(p->options) == 1) {
		give(s, heur_scalar(r, r->json->first(p->options)), 1);
	} else if (how->lax && s->wanted >= 0 && !how->sought && heur_type_fits(r, p, r->values[s->wanted].text)) {
		give(s, r->values[s->wanted].text, 1);
		s->value = s->wanted;
	} else if (p->sense == HEUR_S_QUERY && (p->types & HEUR_T_STRING) && !how->producer) {
		give(s, topic_words(r, t, how, b), 1);
	} else if (p->sense == HEUR_S_AMOUNT && heur_has_any(&p->words, quantity)) {
		give(s, ASSAY_STR("1"), 1);
	} else if (p->sense == HEUR_S_CONTENT && (p->types & HEUR_T_STRING) && heur_writes(t->act) && how->lax) {
		give(s, heur_compose(r, how->clause), 1);
	} else if (how->lax && p->options) {
		give(s, heur_scalar(r, r->json->first(p->options)), 0);
	}
}

static bool supplied(const struct heur_intent *how, size_t param)
{
	for (const struct heur_fix *f = how->fixes; f; f = f->next) {
		if (f->kind == HEUR_SUPPLY && f->param == (int)param) {
			return true;
		}
	}
	return false;
}

/* Parameters of an object that is needed only because something else in it was given count as needed too. */
static bool needed_now(const struct heur_tool *t, const struct heur_binding *b, size_t i)
{
	if (heur_needed(t, (int)i)) {
		return true;
	}
	if (!t->params[i].required || t->params[i].parent < 0) {
		return false;
	}
	for (size_t k = 0; k < t->n_params; k++) {
		if (t->params[k].parent == t->params[i].parent && b->slots[k].bound) {
			return true;
		}
	}
	return false;
}

static void find_needs(struct heur_run *r, const struct heur_tool *t, const struct heur_intent *how,
		       struct heur_binding *b)
{
	for (size_t i = 0; i < t->n_params; i++) {
		struct heur_slot *s = &b->slots[i];
		bool needed = !t->params[i].inner && needed_now(t, b, i);
		if (s->bound || (!needed && s->wanted < 0 && !supplied(how, i))) {
			continue;
		}
		if (needed || how->lax) {
			fill(r, t, how, b, i);
		}
		if (!s->bound && b->n_needs < HEUR_MAX_NEEDS) {
			b->needs[b->n_needs++] = (int)i;
		}
		if (!s->bound && needed && b->missing < 0) {
			b->missing = (int)i;
		}
	}
}

void heur_bind(struct heur_run *r, int tool, const struct heur_intent *how, struct heur_binding *b)
{
	struct heur_tool *t = &r->tools[tool];
	bool dropped[HEUR_MAX_PARAMS] = {false};
	*b = (struct heur_binding){.tool = tool, .missing = -1};
	heur_read_params(r, t);
	for (size_t i = 0; i < HEUR_MAX_PARAMS; i++) {
		b->slots[i].value = b->slots[i].wanted = -1;
	}
	apply_fixes(r, t, how, b, dropped);
	bind_options(r, t, how, b, dropped);
	bind_values(r, t, how, b, dropped);
	bind_named_words(r, t, how, b, dropped);
	spread_groups(r, t, b);
	find_wanted(r, t, how, b);
	heur_bind_leaves(r, how, b);
	bind_switches(r, t, how, b);
	find_needs(r, t, how, b);
}
