/* llm/heuristic, rule 9: the final message, made of what was found. */
#include "heuristic.h"

enum { MAX_QUOTED = 8, MAX_RECORDS = 6, MAX_LEAF_TEXT = 300 };

/* --- Which leaves say something about a clause --- */

static bool named_in(const struct heur_words *said, const struct heur_leaf *leaf)
{
	for (size_t i = 0; i < leaf->words.n; i++) {
		if (heur_has(said, leaf->words.list[i].stem)) {
			return true;
		}
	}
	return false;
}

static double weight(const struct heur_run *r, const struct heur_clause *c, const struct heur_leaf *leaf)
{
	static const char *const telling[] = {"id",     "name",  "titl", "title", "result", "total", "statu",
					      "status", "count", "date", "price", "pric",   NULL};
	double score = named_in(&c->words, leaf) ? 3 : 0;
	score += heur_has_any(&leaf->words, telling) ? 1.5 : 0;
	score += leaf->numeric || heur_id_like(leaf->text) ? 1 : 0;
	score += text_find_word(r->goal, leaf->text) != SIZE_MAX ? 0.5 : 0;
	score -= leaf->text.len > 120 ? 2 : 0;
	return score;
}

static bool same_record_or_above(const struct heur_run *r, int record, int of)
{
	for (int rec = of; rec >= 0; rec = r->records[rec].parent) {
		if (rec == record) {
			return true;
		}
	}
	return false;
}

/* --- Writing --- */

static void put_leaf(struct text_buf *b, const struct heur_leaf *leaf, bool first)
{
	assay_str text = heur_sub(leaf->text, 0, text_head(leaf->text, MAX_LEAF_TEXT).len);
	text_puts(b, first ? "" : ", ");
	for (size_t i = 0; i < leaf->words.n; i++) {
		text_add(b, leaf->words.list[i].lower);
		text_puts(b, " ");
	}
	/* Lines of a text become one. */
	for (size_t at = 0; at < text.len;) {
		size_t to = at;
		while (to < text.len && text.ptr[to] != '\n' && text.ptr[to] != '\r') {
			to++;
		}
		text_add(b, heur_sub(text, at, to));
		while (to < text.len && (text.ptr[to] == '\n' || text.ptr[to] == '\r')) {
			to++;
		}
		text_puts(b, to < text.len ? " " : "");
		at = to;
	}
	text_puts(b, text.len < leaf->text.len ? " ..." : "");
}

/* The leaves of one record, those that matter most, in their order. */
static size_t put_record(const struct heur_run *r, const struct heur_clause *c, struct text_buf *b, int record,
			 size_t most)
{
	const struct heur_step *s = &r->steps[r->records[record].step];
	size_t n = 0;
	double least = -9;
	size_t all = 0;
	for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves; i++) {
		all += r->leaves[i].record == record;
	}
	for (int half = -18; all > most && half <= 8; half++) {
		size_t kept = 0;
		least = half / 2.0;
		for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves; i++) {
			kept += r->leaves[i].record == record && weight(r, c, &r->leaves[i]) >= least;
		}
		if (kept <= most) {
			break;
		}
	}
	for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves && n < most; i++) {
		const struct heur_leaf *leaf = &r->leaves[i];
		if (leaf->record == record && (all <= most || weight(r, c, leaf) >= least)) {
			put_leaf(b, leaf, n == 0);
			n++;
		}
	}
	return n;
}

/* Listed records in the order that the clause asks for: only those that pass its filter, the chosen one first. */
static size_t pick_records(const struct heur_run *r, const struct heur_clause *c, const struct heur_step *s, int *out)
{
	size_t n = 0;
	for (size_t i = s->first_record; i < s->first_record + s->n_records; i++) {
		const struct heur_record *rec = &r->records[i];
		if (!rec->listed || heur_judge(r, &c->filter, (int)i) == 0) {
			continue;
		}
		size_t at = n;
		while (at > 0 && c->choice.direction && heur_prefers(r, &c->choice, (int)i, out[at - 1]) > 0) {
			at--;
		}
		if (at >= MAX_RECORDS) {
			continue;
		}
		for (size_t k = n < MAX_RECORDS ? n : MAX_RECORDS - 1; k > at; k--) {
			out[k] = out[k - 1];
		}
		out[at] = (int)i;
		n = n < MAX_RECORDS ? n + 1 : n;
	}
	return c->choice.direction && n > 0 ? 1 : n;
}

static void put_step(const struct heur_run *r, const struct heur_clause *c, struct text_buf *b,
		     const struct heur_step *s)
{
	int records[MAX_RECORDS];
	if (s->n_records == 0) {
		return;
	}
	struct text_buf top = {.arena = b->arena};
	size_t said = put_record(r, c, &top, (int)s->first_record, MAX_QUOTED);
	size_t n = pick_records(r, c, s, records);
	text_puts(b, said > 0 ? " " : "");
	text_add(b, text_of(&top));
	text_puts(b, said > 0 ? "." : "");
	for (size_t i = s->first_record + 1; i < s->first_record + s->n_records && i < s->first_record + 4; i++) {
		if (!r->records[i].listed && same_record_or_above(r, (int)s->first_record, (int)i)) {
			text_puts(b, " ");
			text_puts(b, put_record(r, c, b, (int)i, 4) > 0 ? "." : "");
		}
	}
	for (size_t i = 0; i < n; i++) {
		text_puts(b, "\n- ");
		put_record(r, c, b, records[i], n > 1 ? 5 : MAX_QUOTED);
	}
	if (said == 0 && n == 0) {
		text_puts(b, " nothing.");
	}
}

/* What was asked for and is known from the calls of other clauses. */
static size_t put_known(const struct heur_run *r, const struct heur_clause *c, struct text_buf *b)
{
	size_t said = 0;
	int records[MAX_RECORDS];
	for (size_t i = r->n_steps; i-- > 0 && c->choice.direction;) {
		if (!r->steps[i].failed && pick_records(r, c, &r->steps[i], records) == 1) {
			return put_record(r, c, b, records[0], MAX_QUOTED);
		}
	}
	for (size_t i = r->n_leaves; i-- > 0 && said < MAX_QUOTED;) {
		const struct heur_leaf *leaf = &r->leaves[i];
		if (named_in(&c->words, leaf) && leaf->text.len <= MAX_LEAF_TEXT) {
			put_leaf(b, leaf, said == 0);
			said++;
		}
	}
	text_puts(b, said > 0 ? "." : "");
	return said;
}

static void put_clause(struct heur_run *r, int clause, struct text_buf *b)
{
	const struct heur_clause *c = &r->clauses[clause];
	size_t from = b->len, shown = 0;
	text_puts(b, b->len > 0 ? "\n" : "");
	assay_str text = text_trim(heur_sub(c->text, 0, text_head(c->text, 160).len));
	while (text.len > 0 && (text.ptr[text.len - 1] == '.' || text.ptr[text.len - 1] == ',')) {
		text.len--;
	}
	text_add(b, text);
	text_puts(b, ":");
	for (size_t i = 0; i < r->n_steps && shown < MAX_RECORDS; i++) {
		const struct heur_step *s = &r->steps[i];
		if (s->call.clause == clause && s->call.purpose == HEUR_MAIN && !s->failed) {
			put_step(r, c, b, s);
			shown++;
		}
	}
	if (c->state == HEUR_FAILED || c->state == HEUR_TODO) {
		assay_str reason = heur_sub(c->reason, 0, text_head(c->reason, 300).len);
		text_puts(b, c->state == HEUR_TODO ? " not done" : " could not be done");
		text_puts(b, reason.len > 0 ? ": " : "");
		text_add(b, reason);
		text_puts(b, ".");
	} else if (c->state == HEUR_SKIPPED) {
		text_puts(b, " not called for.");
	} else if (shown == 0) {
		text_puts(b, " ");
		shown = put_known(r, c, b);
	}
	bool silent = c->state == HEUR_DONE && shown == 0;
	if (silent || b->len > 16000) {
		b->len = from;
	}
}

assay_str heur_answer(struct heur_run *r)
{
	struct text_buf b = {.arena = &r->arena};
	for (size_t c = 0; c < r->n_clauses; c++) {
		put_clause(r, (int)c, &b);
	}
	if (r->n_clauses == 0) {
		text_puts(&b, r->goal.len == 0 ? "There is no request to work on."
					       : "I found no instruction in the request that a tool could carry out.");
	}
	return text_of(&b);
}

/* A few lines for a note or a message, from what the clauses before have found. */
assay_str heur_compose(struct heur_run *r, int clause)
{
	const struct heur_clause *c = &r->clauses[clause];
	struct text_buf b = {.arena = &r->arena};
	size_t said = 0;
	for (size_t i = r->n_leaves; i-- > 0 && said < 6;) {
		const struct heur_words *key = &r->leaves[i].words;
		assay_str last = key->n > 0 ? key->list[key->n - 1].stem : (assay_str){0};
		if (heur_has(&c->words, last) && !heur_known_noun(r, last) && r->leaves[i].text.len <= MAX_LEAF_TEXT) {
			put_leaf(&b, &r->leaves[i], said++ == 0);
		}
	}
	for (size_t i = r->n_steps; i-- > 0 && said == 0;) {
		if (!r->steps[i].failed && r->steps[i].n_leaves > 0) {
			put_step(r, c, &b, &r->steps[i]);
			said++;
		}
	}
	assay_str text = text_trim(text_of(&b));
	return text.len > 0 ? text : c->text;
}
