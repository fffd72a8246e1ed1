/* llm/heuristic, rule 3: ranking the tools for a clause. */
#include "heuristic.h"
#include <string.h>

static void add_stems(struct text_buf *b, const struct heur_words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		text_add(b, words->list[i].stem);
		text_puts(b, " ");
	}
}

static void add_property_names(struct heur_run *r, struct text_buf *b, const struct heur_tool *t)
{
	const assay_json *properties = r->json->get(t->parameters, "properties");
	size_t n = 0;
	for (const assay_json *m = r->json->first(properties); m && n < HEUR_MAX_PARAMS; m = r->json->next(m), n++) {
		struct heur_words words = {0};
		heur_split_name(&r->arena, r->json->key(m), &words);
		add_stems(b, &words);
	}
}

static assay_str document(struct heur_run *r, const struct heur_tool *t)
{
	struct text_buf b = {.arena = &r->arena};
	add_stems(&b, &t->words);
	if (r->policy != HEUR_GREEDY) {
		add_stems(&b, &t->words);
		add_stems(&b, &t->words);
		add_stems(&b, &t->server_words);
		add_stems(&b, &t->summary_words);
		add_property_names(r, &b, t);
	}
	return text_of(&b);
}

/* The index is made on first use, and again when a router has told us of more tools. */
static bool have_index(struct heur_run *r)
{
	if (r->index && r->n_indexed == r->n_tools) {
		return true;
	}
	r->host->text->bm25_free(r->index);
	r->index = NULL;
	if (r->host->text->bm25_new(&r->index, NULL) != 0) {
		r->arena.failed = true;
		return false;
	}
	for (size_t i = 0; i < r->n_tools; i++) {
		if (r->host->text->bm25_add(r->index, document(r, &r->tools[i]), NULL) != 0) {
			r->arena.failed = true;
			return false;
		}
	}
	r->n_indexed = r->n_tools;
	return !r->arena.failed;
}

static assay_str query_of(struct heur_run *r, const struct heur_clause *c)
{
	struct text_buf b = {.arena = &r->arena};
	for (size_t i = 0; i < c->words.n; i++) {
		const struct heur_word *w = &c->words.list[i];
		if (!heur_stop_word(w->lower) && !heur_in_value(r, w)) {
			text_add(&b, w->stem);
			text_puts(&b, " ");
		}
	}
	return text_of(&b);
}

/* How well what the tool does agrees with what the clause asks for. */
static double act_fit(const struct heur_clause *c, const struct heur_tool *t)
{
	enum heur_act want = c->act, does = t->act;
	if (want == HEUR_DO || does == HEUR_DO) {
		return heur_reads(want) || heur_reads(does) ? -0.1 : 0;
	}
	bool asks = heur_reads(want) || want == HEUR_TELL;
	if (heur_writes(want) != heur_writes(does)) {
		return want == HEUR_COMPUTE && heur_writes(does) ? -0.3 : -0.6;
	}
	if (want == does) {
		return 0.35;
	}
	if (heur_writes(want)) {
		return want == HEUR_REMOVE || does == HEUR_REMOVE ? -0.3 : -0.1;
	}
	return asks && heur_reads(does) ? 0.2 : 0.1;
}

static double name_fit(const struct heur_run *r, const struct heur_clause *c, const struct heur_tool *t)
{
	double score = 0;
	assay_str verb = c->verb < c->words.n ? c->words.list[c->verb].stem : (assay_str){0};
	bool told = t->summary_words.n > 0 && text_same(t->summary_words.list[0].stem, verb);
	if (verb.len > 0 && (heur_has(&t->words, verb) || told)) {
		score += 0.25;
	}
	if (c->object.len > 0 && text_same(c->object, t->head)) {
		score += 0.3;
	} else if (c->object.len > 0 && heur_known_noun(r, c->object)) {
		score -= 0.35; /* it asks for customers, and these are orders */
	} else if (heur_has(&c->words, t->head)) {
		score += 0.2;
	}
	for (size_t i = 0; i < t->words.n; i++) {
		const struct heur_word *w = &t->words.list[i];
		bool said = heur_has(&c->words, w->stem);
		bool acts = heur_verb_form(w->lower, NULL) != HEUR_NONE;
		score += said && !acts ? 0.08 : !acts && !heur_stop_word(w->lower) ? -0.05 : 0;
	}
	return score;
}

/* Rule 3: a destructive tool needs a destructive verb, and one that empties the shop the word "all". */
bool heur_admitted(const struct heur_run *r, const struct heur_clause *c, const struct heur_tool *t)
{
	if (t->router) {
		return false;
	}
	if (!t->destructive) {
		return true;
	}
	/* It must be the thing that is named, or the only thing that "it" can be. */
	bool meant = heur_has(&c->words, t->head);
	if (c->object.len > 0 && heur_known_noun(r, c->object) && !text_same(c->object, t->head)) {
		return false;
	}
	if (!meant && c->refers) {
		meant = true;
		for (size_t i = 0; i < c->words.n; i++) {
			meant = meant && !heur_known_noun(r, c->words.list[i].stem);
		}
	}
	return c->destructive && meant && (!t->whole || (c->each && c->each_noun.len > 0));
}

static void insert(struct heur_clause *c, int tool, double score, double *scores)
{
	size_t at = c->n_ranked;
	while (at > 0 && scores[at - 1] < score) {
		at--;
	}
	if (at >= HEUR_MAX_RANKED) {
		return;
	}
	size_t last = c->n_ranked < HEUR_MAX_RANKED ? c->n_ranked++ : HEUR_MAX_RANKED - 1;
	for (; last > at; last--) {
		c->ranked[last] = c->ranked[last - 1];
		scores[last] = scores[last - 1];
	}
	c->ranked[at] = tool;
	scores[at] = score;
}

void heur_rank(struct heur_run *r, struct heur_clause *c)
{
	double most = 0;
	c->n_ranked = 0;
	c->ranked = text_alloc(&r->arena, HEUR_MAX_RANKED, sizeof *c->ranked);
	c->scores = text_alloc(&r->arena, HEUR_MAX_RANKED, sizeof *c->scores);
	double *hits = text_alloc(&r->arena, r->n_tools, sizeof *hits);
	if (!c->ranked || !c->scores || !hits || !have_index(r)) {
		return;
	}
	if (r->host->text->bm25_scores(r->index, query_of(r, c), hits, NULL) != 0) {
		r->arena.failed = true;
		return;
	}
	for (size_t i = 0; i < r->n_tools; i++) {
		most = heur_admitted(r, c, &r->tools[i]) && hits[i] > most ? hits[i] : most;
	}
	/* When no word is shared, what a tool does has to decide. */
	for (size_t i = 0; i < r->n_tools; i++) {
		const struct heur_tool *t = &r->tools[i];
		double share = most > 0 ? hits[i] / most : 0;
		double score = most > 0 ? 2 * share / (1 + share) : -0.5; /* words are not everything */
		bool guess = most <= 0 && heur_reads(c->act) && !heur_writes(t->act) && r->policy != HEUR_GREEDY;
		if ((hits[i] <= 0 && !guess) || !heur_admitted(r, c, t)) {
			continue;
		}
		if (r->policy != HEUR_GREEDY) {
			score += act_fit(c, t) + name_fit(r, c, t);
		}
		insert(c, (int)i, score, c->scores);
	}
}
