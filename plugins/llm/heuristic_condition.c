/* llm/heuristic: conditions ("if the stock is below 10"), filters ("with fewer than 5 copies") and superlatives. */
#include "heuristic.h"
#include <string.h>

/* --- Reading --- */

struct comparison {
	const char *words[3];
	enum heur_compare compare;
};

static const struct comparison comparisons[] = {
	{{"less", "than", NULL}, HEUR_LESS},    {{"fewer", "than", NULL}, HEUR_LESS},
	{{"lower", "than", NULL}, HEUR_LESS},   {{"smaller", "than", NULL}, HEUR_LESS},
	{{"cheaper", "than", NULL}, HEUR_LESS}, {{"below", NULL, NULL}, HEUR_LESS},
	{{"under", NULL, NULL}, HEUR_LESS},     {{"no", "more", "than"}, HEUR_AT_MOST},
	{{"more", "than", NULL}, HEUR_MORE},    {{"greater", "than", NULL}, HEUR_MORE},
	{{"higher", "than", NULL}, HEUR_MORE},  {{"larger", "than", NULL}, HEUR_MORE},
	{{"above", NULL, NULL}, HEUR_MORE},     {{"over", NULL, NULL}, HEUR_MORE},
	{{"exceeds", NULL, NULL}, HEUR_MORE},   {{"exceed", NULL, NULL}, HEUR_MORE},
	{{"at", "most", NULL}, HEUR_AT_MOST},   {{"at", "least", NULL}, HEUR_AT_LEAST},
};

static size_t comparison_at(const struct heur_words *w, size_t k, enum heur_compare *compare)
{
	for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
		size_t n = 0;
		while (n < 3 && comparisons[i].words[n] && k + n < w->n &&
		       text_is(w->list[k + n].lower, comparisons[i].words[n])) {
			n++;
		}
		if (n > 0 && (n == 3 || !comparisons[i].words[n])) {
			*compare = comparisons[i].compare;
			return n;
		}
	}
	return 0;
}

static const struct heur_value *value_from(const struct heur_run *r, const struct heur_clause *c, size_t from)
{
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		if (v->from >= from && v->from < c->to && v->kind != HEUR_PHRASE) {
			return v;
		}
	}
	return NULL;
}

static void read_topic(struct heur_run *r, struct heur_condition *out, const struct heur_words *w, size_t from,
		       size_t to)
{
	size_t cap = 0;
	for (size_t i = from; i < to; i++) {
		struct heur_word *copy =
			heur_stop_word(w->list[i].lower)
				? NULL
				: text_push(&r->arena, &out->words.list, &out->words.n, &cap, sizeof *copy);
		if (copy) {
			*copy = w->list[i];
		}
	}
}

/* The comparison in words [from, to) of a clause, if there is one. */
static bool read_comparison(struct heur_run *r, const struct heur_clause *c, size_t from, size_t to,
			    struct heur_condition *out)
{
	for (size_t k = from; k < to; k++) {
		enum heur_compare compare;
		size_t n = comparison_at(&c->words, k, &compare);
		const struct heur_value *v = n > 0 ? value_from(r, c, c->words.list[k + n - 1].to) : NULL;
		double number;
		if (!v || !heur_number(v->text, &number) || v->from > c->words.list[k + n - 1].to + 3) {
			continue;
		}
		*out = (struct heur_condition){.compare = compare, .numeric = true, .number = number, .text = v->text};
		read_topic(r, out, &c->words, from, k);
		if (out->words.n == 0 && v->n_after > 0) {
			size_t cap = 0;
			struct heur_word *unit =
				text_push(&r->arena, &out->words.list, &out->words.n, &cap, sizeof *unit);
			if (unit) {
				*unit = (struct heur_word){.stem = v->after[0], .lower = v->after[0]};
			}
		}
		return true;
	}
	return false;
}

/* "is 'open'", "is pending", "there are any", "exists". */
static void read_equality(struct heur_run *r, const struct heur_clause *c, size_t from, size_t to,
			  struct heur_condition *out)
{
	static const char *const being[] = {"is", "are", "equals", "equal", "was", NULL};
	static const char *const there[] = {"exists", "exist", "any", "found", NULL};
	for (size_t k = from; k < to && out->compare == HEUR_ANY; k++) {
		assay_str w = c->words.list[k].lower;
		if (text_in(w, there)) {
			out->compare = HEUR_EXISTS;
			read_topic(r, out, &c->words, from, k);
		} else if (text_in(w, being) && k > from && k + 1 < to) {
			size_t next = k + 1;
			out->negated = text_is(c->words.list[next].lower, "not");
			next += out->negated;
			const struct heur_value *v = value_from(r, c, c->words.list[k].to);
			bool close = v && next < c->words.n && v->from <= c->words.list[next].from + 1;
			out->compare = HEUR_EQUAL;
			out->text = close ? v->text : next < to ? c->words.list[next].lower : (assay_str){0};
			out->numeric = heur_number(out->text, &out->number);
			read_topic(r, out, &c->words, from, k);
		}
	}
}

struct superlative {
	const char *word;
	int direction;
	const char *keys[5];
};

static const struct superlative superlatives[] = {
	{"cheapest", -1, {"pric", "price", "cost", "total"}},
	{"priciest", 1, {"pric", "price", "cost", "total"}},
	{"latest", 1, {"date", "creat", "time", "day"}},
	{"newest", 1, {"date", "creat", "time", "day"}},
	{"recent", 1, {"date", "creat", "time", "day"}},
	{"oldest", -1, {"date", "creat", "time", "day"}},
	{"earliest", -1, {"date", "creat", "time", "day"}},
	{"longest", 1, {"length", "word", "size", "duration", "line"}},
	{"shortest", -1, {"length", "word", "size", "duration", "line"}},
	{"largest", 1, {"size", "area", "population", "total", "count"}},
	{"biggest", 1, {"size", "area", "population", "total", "count"}},
	{"smallest", -1, {"size", "area", "population", "total", "count"}},
	{"heaviest", 1, {"weight", "mass"}},
	{"lightest", -1, {"weight", "mass"}},
	{"highest", 1, {NULL}},
	{"lowest", -1, {NULL}},
	{"greatest", 1, {NULL}},
	{"most", 1, {NULL}},
	{"fewest", -1, {NULL}},
	{"least", -1, {NULL}},
	{"first", HEUR_FIRST, {NULL}},
	{"last", HEUR_LAST, {NULL}},
};

bool heur_comparing(assay_str lower)
{
	for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
		if (text_is(lower, comparisons[k].words[0])) {
			return true;
		}
	}
	return text_is(lower, "than");
}

bool heur_superlative(assay_str lower)
{
	for (size_t k = 0; k < sizeof superlatives / sizeof *superlatives; k++) {
		if (text_is(lower, superlatives[k].word)) {
			return true;
		}
	}
	return false;
}

static void read_choice(struct heur_clause *c)
{
	for (size_t i = 0; i < c->words.n && c->choice.direction == 0; i++) {
		for (size_t k = 0; k < sizeof superlatives / sizeof *superlatives; k++) {
			const struct superlative *s = &superlatives[k];
			if (!text_is(c->words.list[i].lower, s->word) || (i == 0 && s->direction > 1)) {
				continue;
			}
			assay_str next = i + 1 < c->words.n ? c->words.list[i + 1].stem : (assay_str){0};
			bool expensive = text_starts(next, "expensiv");
			/* "at most 5" and "at least 5" are bounds. */
			if (i > 0 && text_is(c->words.list[i - 1].lower, "at")) {
				continue;
			}
			if (text_is(c->words.list[i].lower, "most") && text_is(next, "recent")) {
				continue;
			}
			c->choice.direction = s->direction;
			c->choice.keys = expensive ? superlatives[0].keys : s->keys[0] ? s->keys : NULL;
			c->choice.word = next;
			break;
		}
	}
}

/* What a condition compares with is no value for a call. */
static void mark_bound(struct heur_run *r, const struct heur_clause *c)
{
	for (size_t i = 0; i < r->n_values; i++) {
		struct heur_value *v = &r->values[i];
		bool here = v->from >= c->from && v->to <= c->to;
		v->bound = v->bound || (here && c->filter.compare != HEUR_ANY && v->text.ptr == c->filter.text.ptr);
	}
}

static void set_apart(struct heur_run *r, const struct heur_clause *c, size_t from, size_t to)
{
	size_t low = from < c->words.n ? c->words.list[from].from : c->to;
	size_t high = to < c->words.n ? c->words.list[to].from : c->to;
	for (size_t i = 0; i < r->n_values; i++) {
		struct heur_value *v = &r->values[i];
		if (v->from >= low && v->to <= high && v->clause == (int)(c - r->clauses)) {
			v->clause = HEUR_APART;
		}
	}
}

void heur_read_condition(struct heur_run *r, struct heur_clause *c)
{
	static const char *const filters[] = {"with", "whose", "that", "having", "where", "which", "priced", NULL};
	size_t from = SIZE_MAX, to = c->words.n;
	for (size_t i = 0; i < c->words.n && from == SIZE_MAX; i++) {
		assay_str w = c->words.list[i].lower;
		if (text_is(w, "if") || text_is(w, "unless") || (text_is(w, "when") && i == 0)) {
			from = i + 1;
			c->only_if.negated = text_is(w, "unless");
			to = c->verb > from && c->verb < c->words.n ? c->verb : c->words.n;
		}
	}
	if (from != SIZE_MAX) {
		bool unless = c->only_if.negated;
		set_apart(r, c, from, to);
		if (!read_comparison(r, c, from, to, &c->only_if)) {
			read_equality(r, c, from, to, &c->only_if);
		}
		c->only_if.negated = c->only_if.negated != unless;
	} else {
		for (from = 0; from < c->words.n && !text_in(c->words.list[from].lower, filters); from++) {
		}
		read_comparison(r, c, from < c->words.n ? from : c->words.n, c->words.n, &c->filter);
		if (c->filter.compare == HEUR_ANY) {
			read_comparison(r, c, c->verb < c->words.n ? c->verb + 1 : 0, c->words.n, &c->filter);
			c->filter.words.n = c->filter.words.n > 2 ? 0 : c->filter.words.n;
		}
		mark_bound(r, c);
	}
	read_choice(c);
}

/* --- Judging --- */

static bool compares(const struct heur_condition *k, const struct heur_leaf *leaf)
{
	switch (k->compare) {
	case HEUR_LESS:
		return leaf->number < k->number;
	case HEUR_MORE:
		return leaf->number > k->number;
	case HEUR_AT_MOST:
		return leaf->number <= k->number;
	case HEUR_AT_LEAST:
		return leaf->number >= k->number;
	case HEUR_EQUAL:
		return k->numeric && leaf->numeric
			       ? leaf->number <= k->number && leaf->number >= k->number
			       : text_same_fold(leaf->text, k->text) || text_find_word(leaf->text, k->text) != SIZE_MAX;
	default:
		return true;
	}
}

static bool on_topic(const struct heur_condition *k, const struct heur_leaf *leaf)
{
	static const char *const money[] = {"pric", "price", "cost", "total", "amount", NULL};
	bool numeric = k->compare != HEUR_EQUAL || k->numeric;
	if (numeric && !leaf->numeric) {
		return false;
	}
	for (size_t i = 0; i < leaf->words.n; i++) {
		if (heur_has(&k->words, leaf->words.list[i].stem)) {
			return true;
		}
	}
	return k->words.n == 0 && k->numeric && heur_has_any(&leaf->words, money);
}

/* 1 met, 0 not met, -1 nothing is known about it. record -1: the latest leaf on the topic decides. */
int heur_judge(const struct heur_run *r, const struct heur_condition *k, int record)
{
	if (k->compare == HEUR_EXISTS && record < 0) {
		for (size_t i = r->n_steps; i-- > 0;) {
			if (r->steps[i].call.purpose == HEUR_MAIN) {
				return (!r->steps[i].failed && r->steps[i].n_leaves > 1) != k->negated;
			}
		}
		return -1;
	}
	for (size_t i = r->n_leaves; i-- > 0 && k->compare != HEUR_ANY;) {
		const struct heur_leaf *leaf = &r->leaves[i];
		if ((record < 0 || leaf->record == record) && on_topic(k, leaf)) {
			return compares(k, leaf) != k->negated;
		}
	}
	return -1;
}

static const struct heur_leaf *choice_leaf(const struct heur_run *r, const struct heur_choice *choice, int record)
{
	const struct heur_step *s = &r->steps[r->records[record].step];
	for (size_t i = s->first_leaf; i < s->first_leaf + s->n_leaves; i++) {
		const struct heur_leaf *leaf = &r->leaves[i];
		bool named = choice->keys ? heur_has_any(&leaf->words, choice->keys)
					  : choice->word.len > 0 && heur_has(&leaf->words, choice->word);
		if (leaf->record == record && named) {
			return leaf;
		}
	}
	return NULL;
}

/* Is record a to be preferred to record b? 1 yes, -1 no, 0 alike or unknown. */
int heur_prefers(const struct heur_run *r, const struct heur_choice *choice, int a, int b)
{
	if (choice->direction == HEUR_FIRST || choice->direction == HEUR_LAST) {
		int later = r->records[a].index > r->records[b].index ? 1 : -1;
		return choice->direction == HEUR_LAST ? later : -later;
	}
	const struct heur_leaf *x = choice_leaf(r, choice, a), *y = choice_leaf(r, choice, b);
	if (choice->direction == 0 || !x || !y) {
		return 0;
	}
	if (x->numeric && y->numeric) {
		return x->number > y->number ? choice->direction : x->number < y->number ? -choice->direction : 0;
	}
	size_t n = x->text.len < y->text.len ? x->text.len : y->text.len;
	int order = memcmp(x->text.ptr, y->text.ptr, n);
	return order > 0 ? choice->direction : order < 0 ? -choice->direction : 0;
}
