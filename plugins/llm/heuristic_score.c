/* llm/heuristic, rule 4: how well a value of the goal suits a parameter. */
#include "heuristic.h"
#include <string.h>

/* --- Kinds against senses --- */

/* Columns in the order of enum heur_kind: quoted, path, URL, e-mail, date, time, id, code, number, name, count, phrase.
 */
static const signed char kind_fits[][12] = {
	[HEUR_S_OTHER] = {3, 0, -3, -3, -2, -2, 2, 2, -2, 2, -2, 1},
	[HEUR_S_ID] = {4, -5, -5, -5, -5, -5, 5, 3, 0, 4, -9, -9},
	[HEUR_S_QUERY] = {5, 0, 0, 0, -3, -3, 1, 2, -3, 4, -9, 4},
	[HEUR_S_TITLE] = {5, 2, -3, -3, -4, -4, 1, 1, -4, 4, -9, 2},
	[HEUR_S_CONTENT] = {4, -2, -2, -2, -3, -3, -3, -2, -4, 0, -9, 1},
	[HEUR_S_PATH] = {2, 7, -5, -5, -5, -5, -3, -5, -5, -5, -9, -5},
	[HEUR_S_URL] = {0, -2, 8, -6, -6, -6, -6, -6, -6, -6, -9, -6},
	[HEUR_S_EMAIL] = {-2, -6, -6, 8, -6, -6, -6, -6, -6, -6, -9, -6},
	[HEUR_S_DATE] = {0, -6, -6, -6, 7, -2, -4, -6, -6, -4, -9, -6},
	[HEUR_S_TIME] = {0, -6, -6, -6, 2, 7, -4, -6, -6, -4, -9, -6},
	[HEUR_S_LIMIT] = {-9, -9, -9, -9, -9, -9, -2, -9, -1, -9, 0, -9},
	[HEUR_S_AMOUNT] = {-3, -9, -9, -9, -9, -9, 0, -9, 4, -9, 4, -9},
	[HEUR_S_PLACE] = {4, -4, -6, -6, -6, -6, -2, 1, -6, 5, -9, 4},
	[HEUR_S_CODE] = {2, -4, -6, -6, -6, -6, 2, 6, -4, 1, -9, 0},
	[HEUR_S_LOW] = {-9, -9, -9, -9, 3, -9, 0, -9, 0, -9, -2, -9},
	[HEUR_S_HIGH] = {-9, -9, -9, -9, 3, -9, 0, -9, 0, -9, -2, -9},
};

/* Words that stand in front of a value of that sense. */
static const char *const *hints_of(enum heur_sense sense)
{
	static const char *const none[] = {NULL};
	static const char *const query[] = {"for",        "about",   "contain",  "containing", "mention",
					    "mentioning", "match",   "matching", "word",       "search",
					    "regarding",  "keyword", "with",     NULL};
	static const char *const title[] = {"titl", "title", "call", "name", NULL};
	static const char *const content[] = {"text",   "content", "say", "saying", "reading", "body",
					      "messag", "that",    "add", "append", NULL};
	static const char *const date[] = {"on",    "by",    "due", "sinc", "until",   "from", "before",
					   "befor", "after", "day", "date", "between", NULL};
	static const char *const limit[] = {"top", "most", "first", "limit", NULL};
	static const char *const amount[] = {"to", "by", NULL};
	static const char *const place[] = {"in", "at", "near", "from", "to", NULL};
	static const char *const code[] = {"in", "to", "from", "into", NULL};
	static const char *const low[] = {"least", "above", "over", "minimum", "than", "between", "from", "sinc", NULL};
	static const char *const high[] = {"most", "below", "under", "maximum", "than", "until", NULL};
	switch (sense) {
	case HEUR_S_QUERY:
		return query;
	case HEUR_S_TITLE:
		return title;
	case HEUR_S_CONTENT:
		return content;
	case HEUR_S_DATE:
		return date;
	case HEUR_S_LIMIT:
		return limit;
	case HEUR_S_AMOUNT:
		return amount;
	case HEUR_S_PLACE:
		return place;
	case HEUR_S_CODE:
		return code;
	case HEUR_S_LOW:
		return low;
	case HEUR_S_HIGH:
		return high;
	default:
		return none;
	}
}

/* Words of a name that say nothing about which thing it is. */
static bool vague(assay_str stem)
{
	static const char *const words[] = {"id",  "key", "code", "name", "number", "ref", "identifier", "uuid",
					    "new", "old", "from", "to",   "valu",   "sku", NULL};
	return text_in(stem, words);
}

bool heur_entity(const struct heur_param *p, assay_str stem)
{
	for (size_t i = 0; i < p->words.n; i++) {
		if (text_same(p->words.list[i].stem, stem) && !vague(stem)) {
			return true;
		}
	}
	return false;
}

bool heur_has_entity(const struct heur_param *p)
{
	for (size_t i = 0; i < p->words.n; i++) {
		if (!vague(p->words.list[i].stem)) {
			return true;
		}
	}
	return false;
}

bool heur_id_like(assay_str text)
{
	bool digit = false, joint = false;
	for (size_t i = 0; i < text.len; i++) {
		digit = digit || text_digit(text.ptr[i]);
		joint = joint || text.ptr[i] == '-' || text.ptr[i] == '_';
		if (text.ptr[i] == ' ') {
			return false;
		}
	}
	return digit || joint;
}

/* --- Words around the value --- */

static double name_hint(const struct heur_param *p, const struct heur_value *v)
{
	double best = 0, sum = 0;
	for (size_t d = 0; d < v->n_before; d++) {
		if (heur_has(&p->words, v->before[d])) {
			double s = (vague(v->before[d]) ? 4.0 : 8.0) - (double)d;
			sum += s > 0 ? s : 0;
			best = s > best ? s : best;
		}
	}
	for (size_t d = 0; d < v->n_after; d++) {
		if (heur_has(&p->words, v->after[d])) {
			double s = d == 0 ? 6.0 : 3.0;
			sum += s;
			best = s > best ? s : best;
		}
	}
	return best + (sum > best ? 1.0 : 0.0);
}

static double sense_hint(const struct heur_param *p, const struct heur_value *v)
{
	static const char *const pieces[] = {"unit", "copy", "piec", "piece", "item", "pack", "of", NULL};
	const char *const *hints = hints_of(p->sense);
	size_t reach = p->sense == HEUR_S_PLACE || p->sense == HEUR_S_CODE ? 1 : 3;
	for (size_t d = 0; d < v->n_before && d < reach; d++) {
		if (text_in(v->before[d], hints)) {
			return 5.0 - (double)d;
		}
	}
	return p->sense == HEUR_S_AMOUNT && v->n_after > 0 && text_in(v->after[0], pieces) ? 3.0 : 0.0;
}

static bool before_in(const struct heur_value *v, const char *const *words)
{
	return v->n_before > 0 && text_in(v->before[0], words);
}

/* "from A to B", "rename A to B". */
static double direction_hint(const struct heur_param *p, const struct heur_value *v)
{
	static const char *const from[] = {"from", "between", "sinc", "after", "start", NULL};
	static const char *const to[] = {"to", "into", "until", "as", NULL};
	double score = 0;
	if (p->from) {
		score += before_in(v, from) ? 4 : before_in(v, to) ? -6 : 1;
	}
	if (p->to) {
		score += before_in(v, to) ? 6 : before_in(v, from) ? -6 : 0;
	} else if (!p->from && before_in(v, to) && p->sense != HEUR_S_AMOUNT && p->sense != HEUR_S_PLACE) {
		score -= 1;
	}
	return score;
}

/* "below 30" is no minimum. */
static double bound_hint(const struct heur_param *p, const struct heur_value *v)
{
	static const char *const below[] = {"below",   "under",   "most",  "less", "fewer",
					    "cheaper", "maximum", "until", "to",   NULL};
	static const char *const above[] = {"above",   "over", "least",  "more", "greater",
					    "minimum", "from", "exceed", NULL};
	bool than = v->n_before > 1 && text_is(v->before[0], "than");
	assay_str word = v->n_before == 0 ? (assay_str){0} : v->before[than ? 1 : 0];
	bool low = text_in(word, above), high = text_in(word, below);
	if (p->sense == HEUR_S_LOW) {
		return low ? 4 : high ? -20 : 0;
	}
	return p->sense != HEUR_S_HIGH ? 0 : high ? 4 : low ? -20 : 0;
}

/* "about copper kettles" is a topic, not a title. */
static bool topical(const struct heur_value *v)
{
	static const char *const words[] = {"about",    "contain", "containing", "mention", "mentioning",
					    "matching", "match",   "regarding",  "word",    NULL};
	static const char *const of[] = {"of", "from", "by", "for", NULL};
	return before_in(v, words) || v->kind == HEUR_PHRASE || (v->kind == HEUR_NAME && before_in(v, of));
}

/* The thing that the words before the value name: "for customer 'Ada'". Empty: none. */
assay_str heur_named_thing(const struct heur_run *r, const struct heur_value *v)
{
	for (size_t d = 0; d < v->n_before && d < 4; d++) {
		if (heur_known_noun(r, v->before[d])) {
			return v->before[d];
		}
	}
	return (assay_str){0};
}

/* --- Types --- */

bool heur_same_option(assay_str option, assay_str text)
{
	if (option.len != text.len || text.len == 0) {
		return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		char a = text_lower(option.ptr[i]), b = text_lower(text.ptr[i]);
		bool joint = (a == '_' || a == '-' || a == ' ') && (b == '_' || b == '-' || b == ' ');
		if (a != b && !joint) {
			return false;
		}
	}
	return true;
}

static bool has_option(const struct heur_run *r, const struct heur_param *p, assay_str text)
{
	for (const assay_json *e = r->json->first(p->options); e; e = r->json->next(e)) {
		if (heur_same_option(r->json->type(e) == ASSAY_JSON_NUMBER ? r->json->spelling(e) : r->json->str(e),
				     text)) {
			return true;
		}
	}
	return false;
}

/* May the parameter hold this text at all? */
bool heur_type_fits(const struct heur_run *r, const struct heur_param *p, assay_str text)
{
	double number;
	bool numeric = heur_number(text, &number);
	if (p->inner || text.len == 0) {
		return false;
	}
	if (p->options) {
		return has_option(r, p, text);
	}
	if ((p->types & HEUR_T_STRING) == 0) {
		bool whole = numeric && number >= -9e15 && number <= 9e15 && number - (double)(int64_t)number == 0.0;
		bool truth = text_is(text, "true") || text_is(text, "false");
		return ((p->types & HEUR_T_NUMBER) && numeric) || ((p->types & HEUR_T_INTEGER) && whole) ||
		       ((p->types & HEUR_T_BOOLEAN) && truth);
	}
	assay_str pattern = r->json->str(r->json->get(p->schema, "pattern"));
	int found = 1;
	if (pattern.len > 0 && pattern.len < 200 && text.len < 400 &&
	    r->host->text->regex_search(pattern, text, &found, NULL) != 0) {
		found = 1; /* not ours to judge */
	}
	return found != 0;
}

/* --- Score --- */

/* "the customer 'Ada'" says who, and is not what the address becomes. */
static double clash(const struct heur_run *r, const struct heur_tool *t, const struct heur_param *p,
		    const struct heur_value *v)
{
	bool open = p->sense == HEUR_S_QUERY || p->sense == HEUR_S_CONTENT || p->sense == HEUR_S_ID;
	if (v->n_before == 0 || open || !heur_known_noun(r, v->before[0]) || heur_has(&p->words, v->before[0])) {
		return 0;
	}
	return text_same(v->before[0], t->head) ? 0 : -4;
}

/* What an identifier must be about for the value to be one of its kind. */
static double entity_fit(const struct heur_run *r, const struct heur_tool *t, const struct heur_param *p,
			 const struct heur_value *v)
{
	assay_str thing = heur_named_thing(r, v);
	if (p->sense != HEUR_S_ID || thing.len == 0 || heur_entity(p, thing)) {
		return 0;
	}
	return !heur_has_entity(p) && text_same(thing, t->head) ? 3 : -8;
}

double heur_value_score(const struct heur_run *r, const struct heur_tool *t, const struct heur_param *p,
			const struct heur_value *v, int clause)
{
	bool server = v->kind == HEUR_NAME && text_find_word(t->server, v->text) != SIZE_MAX; /* "search Wikipedia" */
	if (v->clause > clause || v->clause == HEUR_APART || server || !heur_type_fits(r, p, v->text)) {
		return HEUR_NEVER;
	}
	double hint = name_hint(p, v), score = kind_fits[p->sense][v->kind];
	bool id = p->sense == HEUR_S_ID;
	if (p->options) {
		score = 9;
	} else if (id && (p->types & (HEUR_T_INTEGER | HEUR_T_NUMBER)) && v->kind == HEUR_NUMBER) {
		score = 4;
	} else if (id && (v->kind == HEUR_QUOTED || v->kind == HEUR_NAME) && !heur_id_like(v->text) &&
		   !(v->n_before > 0 && text_is(v->before[0], "id"))) {
		score = -9; /* names a thing: its id has to be looked up */
	} else if (p->sense == HEUR_S_TITLE && topical(v)) {
		score -= 7;
	} else if (p->sense == HEUR_S_OTHER && (p->types & HEUR_T_STRING) == 0) {
		score = 3;
	}
	if (v->bound && p->sense != HEUR_S_LOW && p->sense != HEUR_S_HIGH) {
		return HEUR_NEVER;
	}
	if (v->key.len > 0) {
		hint = heur_has(&p->words, v->key) || text_same_fold(v->key, p->name) ? 14 : -6;
	}
	if (hint <= 0 && t->head.len > 0 && !topical(v) && (p->sense == HEUR_S_TITLE || p->sense == HEUR_S_PATH)) {
		hint = text_same(heur_named_thing(r, v), t->head) ? 3 : 0;
	}
	double soft = sense_hint(p, v);
	if (p->sense == HEUR_S_PLACE && soft <= 0 && v->n_before > 0 && text_is(v->before[0], "of")) {
		soft = 1; /* the cities of Portugal */
	}
	if (!p->required && hint <= 0 && soft <= 0 && p->sense != HEUR_S_QUERY && p->sense != HEUR_S_TITLE) {
		bool plain = p->sense == HEUR_S_ID || p->sense == HEUR_S_DATE || p->sense == HEUR_S_PATH ||
			     p->sense == HEUR_S_EMAIL || p->sense == HEUR_S_URL; /* its looks tell enough */
		score -= plain ? 0 : 3;
	}
	score += (hint > soft ? hint : soft) + direction_hint(p, v) + entity_fit(r, t, p, v) + clash(r, t, p, v) +
		 bound_hint(p, v);
	if (v->clause == clause) {
		return score + 2;
	}
	if (v->clause < 0) {
		return score - 1;
	}
	/* Another clause's: what came of it counts when this clause refers to it. */
	return hint > 0 && !r->clauses[clause].refers ? score - 3 : HEUR_NEVER;
}
