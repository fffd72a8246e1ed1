/* llm/heuristic, rule 1: the goal as a list of instructions. */
#include "heuristic.h"
#include <string.h>

/* Everything about words of the goal, by index into goal_words. */
struct reading {
	struct heur_run *r;
	const struct heur_words *words;
	bool *covered;   /* the word lies in a value */
	size_t *gap;     /* where the text before the word begins: the end of what stands before it */
	size_t *gap_end; /* and where it ends: where the word, or the value that it opens, begins */
};

static const char *const determiners[] = {"the",   "a",     "an",    "all",   "any",  "its",     "their",
					  "it",    "them",  "my",    "our",   "your", "this",    "that",
					  "these", "those", "each",  "every", "both", "me",      "if",
					  "for",   "how",   "what",  "which", "who",  "whether", "up",
					  "whose", "where", "there", "out",   "as",   "one",     NULL};
static const char *const lead_ins[] = {"then",    "also",   "please",   "finally",   "next", "now",   "first",
				       "firstly", "second", "third",    "lastly",    "and",  "after", "afterwards",
				       "kindly",  "once",   "so",       "but",       "or",   "plus",  "just",
				       "last",    "done",   "secondly", "otherwise", "else", NULL};
static const char *const asking[] = {"what", "which", "who", "where", "when", "how", "whose", "why", NULL};
static const char *const asking_too[] = {"is", "are", "does", "do", "did", "has", "have", NULL}; /* with a "?" */

static assay_str lower(const struct reading *g, size_t k)
{
	return k < g->words->n ? g->words->list[k].lower : (assay_str){0};
}

static bool word_in(const struct reading *g, size_t k, const char *const *list)
{
	return k < g->words->n && !g->covered[k] && text_in(lower(g, k), list);
}

static bool word_is(const struct reading *g, size_t k, const char *word)
{
	return k < g->words->n && !g->covered[k] && text_is(lower(g, k), word);
}

static assay_str gap_text(const struct reading *g, size_t k)
{
	return heur_sub(g->r->goal, g->gap[k], g->gap_end[k]);
}

static bool gap_has(const struct reading *g, size_t k, char c)
{
	assay_str gap = gap_text(g, k);
	return gap.len > 0 && memchr(gap.ptr, c, gap.len) != NULL;
}

/* Which words lie in values, and where the gap before each begins. */
static bool cover(struct reading *g)
{
	size_t v = 0, end = 0;
	struct heur_run *r = g->r;
	g->covered = text_alloc(&r->arena, g->words->n + 1, sizeof *g->covered);
	g->gap = text_alloc(&r->arena, g->words->n + 1, sizeof *g->gap);
	g->gap_end = text_alloc(&r->arena, g->words->n + 1, sizeof *g->gap_end);
	if (!g->covered || !g->gap || !g->gap_end) {
		return false;
	}
	for (size_t k = 0; k < g->words->n; k++) {
		const struct heur_word *w = &g->words->list[k];
		for (; v < r->n_values && r->values[v].to <= w->from; v++) {
			end = r->values[v].to > end ? r->values[v].to : end;
		}
		g->covered[k] = v < r->n_values && r->values[v].from < w->to;
		size_t from = g->covered[k] ? r->values[v].from : w->from;
		g->gap[k] = end;
		g->gap_end[k] = from > end ? from : end; /* within a value there are no gaps */
		end = w->to > end ? w->to : end;
	}
	return true;
}

/* --- Where a clause may begin --- */

/* A full stop ends a sentence unless it ends an abbreviation. */
static bool sentence_ends(const struct reading *g, size_t k)
{
	static const char *const short_forms[] = {"e",  "g",   "i",  "etc", "vs", "approx",
						  "mr", "mrs", "ms", "dr",  "st", NULL};
	assay_str gap = gap_text(g, k);
	for (size_t i = 0; i < gap.len; i++) {
		char c = gap.ptr[i];
		bool wide = i + 1 >= gap.len || strchr(" \t\r\n)\"'", gap.ptr[i + 1]) != NULL;
		if (c == ';' || ((c == '!' || c == '?') && wide)) {
			return true;
		}
		if (c == '.' && wide && i + 1 < gap.len && (k == 0 || !text_in(lower(g, k - 1), short_forms))) {
			return true;
		}
		if (c == ')' && k > 0 && text_digit(lower(g, k - 1).ptr[0]) && lower(g, k - 1).len <= 2 &&
		    !g->covered[k - 1]) {
			return true; /* 1) */
		}
	}
	return false;
}

/* A line break that does more than wrap a sentence. */
static bool line_ends(const struct reading *g, size_t k)
{
	assay_str gap = gap_text(g, k);
	const char *at = gap.len > 0 ? memchr(gap.ptr, '\n', gap.len) : NULL;
	if (!at) {
		return false;
	}
	size_t rest = gap.len - (size_t)(at - gap.ptr) - 1;
	bool plain = text_trim((assay_str){at + 1, rest}).len == 0;
	bool wraps = plain && memchr(at + 1, '\n', rest) == NULL &&
		     !text_upper(g->r->goal.ptr[g->words->list[k].from]) &&
		     !text_digit(g->r->goal.ptr[g->words->list[k].from]);
	return !wraps;
}

static enum heur_act verb_at(const struct reading *g, size_t k, bool *ambiguous)
{
	*ambiguous = false;
	if (k >= g->words->n || g->covered[k]) {
		return HEUR_NONE;
	}
	enum heur_act act = heur_verb(lower(g, k), ambiguous);
	if (act == HEUR_NONE) {
		*ambiguous = true;
		act = heur_learnt_verb(g->r, g->words->list[k].stem);
	}
	return act;
}

/* Does something that the verb could act on follow? "order 2", "list the", "list notes", not "order status". */
static bool has_object(const struct reading *g, size_t k)
{
	if (k + 1 >= g->words->n) {
		return false;
	}
	assay_str gap = gap_text(g, k + 1), next = lower(g, k + 1);
	if (g->covered[k + 1] || memchr(gap.len ? gap.ptr : "", '"', gap.len) != NULL) {
		return true;
	}
	return text_in(next, determiners) ||
	       (next.len > 3 && next.ptr[next.len - 1] == 's' && next.ptr[next.len - 2] != 's' &&
		text_trim(gap).len == 0 && !text_is(next, "status"));
}

static bool starts_action(const struct reading *g, size_t k)
{
	bool ambiguous;
	enum heur_act act;
	while (word_in(g, k, lead_ins)) {
		k++;
	}
	act = verb_at(g, k, &ambiguous);
	return act != HEUR_NONE && (!ambiguous || has_object(g, k));
}

/* A verb in the middle of a clause: not after an article or "you". */
static bool acts_inside(const struct reading *g, size_t k, size_t start)
{
	static const char *const openers[] = {"to", "please", "and", "then", "just", NULL};
	static const char *const blockers[] = {"i",     "we",   "they", "you",  "he",    "she",  "of",   "by",
					       "in",    "with", "a",    "an",   "the",   "no",   "any",  "its",
					       "their", "my",   "your", "each", "every", "this", "that", "which",
					       "is",    "was",  "are",  "were", "be",    "not",  NULL};
	static const char *const modals[] = {"can", "could", "would", "should", "will", "must", NULL};
	bool ambiguous, comma = gap_has(g, k, ',') || gap_has(g, k, ':');
	if (verb_at(g, k, &ambiguous) == HEUR_NONE) {
		return false;
	}
	if (k == start) {
		return true;
	}
	if (word_is(g, k - 1, "you") && k >= 2 && word_in(g, k - 2, modals)) {
		return true;
	}
	if (word_in(g, k - 1, blockers) && !comma) {
		return false;
	}
	return !ambiguous || word_in(g, k - 1, openers) || (comma && has_object(g, k));
}

static bool after_that(const struct reading *g, size_t k)
{
	return k > 0 && word_is(g, k - 1, "after") && (word_is(g, k, "that") || word_is(g, k, "this"));
}

/* "Renew the loan": a word that is no verb we know, in the place of one. */
static bool acts_unknown(const struct reading *g, size_t k)
{
	static const char *const objects[] = {"the", "a",    "an",   "all",  "every", "each", "its", "their",
					      "my",  "this", "that", "both", "them",  "it",   NULL};
	const struct heur_word *w = &g->words->list[k];
	return !g->covered[k] && heur_alpha(w->lower.ptr[0]) && !heur_stop_word(w->lower) &&
	       !text_in(w->lower, asking) && (k == 0 || !heur_known_noun(g->r, w->stem)) &&
	       word_in(g, k + 1, objects) && text_trim(gap_text(g, k + 1)).len == 0;
}

/* The verb of words [start, end), or end. *start moves behind the lead-ins. */
static size_t find_verb(const struct reading *g, size_t *start, size_t end)
{
	while (*start < end && (word_in(g, *start, lead_ins) || after_that(g, *start))) {
		(*start)++;
	}
	for (size_t k = *start; k < end; k++) {
		if (acts_inside(g, k, *start)) {
			return k;
		}
	}
	return end > *start + 1 && acts_unknown(g, *start) ? *start : end;
}

static bool purposive(const struct reading *g, size_t k)
{
	static const char *const who[] = {"that", "i", "we", "you", NULL};
	return word_is(g, k, "so") && word_in(g, k + 1, who) && k > 0;
}

/* ", and what is ..." */
static bool asks_anew(const struct reading *g, size_t k)
{
	static const char *const questions[] = {"what", "which", "who", "how", "when", NULL};
	static const char *const being[] = {"is", "are", "was", "does", "do", "many", "much", "did", NULL};
	while (word_in(g, k, lead_ins)) {
		k++;
	}
	return word_in(g, k, questions) && word_in(g, k + 1, being);
}

/* May a clause begin at word k, when the one before began at `start`? */
static bool begins(const struct reading *g, size_t start, size_t k)
{
	static const char *const joins[] = {"and",        "then", "also", "finally", "next",
					    "afterwards", "but",  "or",   "plus",    NULL};
	size_t from = start;
	if (k == 0 || sentence_ends(g, k) || line_ends(g, k) || purposive(g, k)) {
		return true;
	}
	if (g->covered[k]) {
		return false;
	}
	if ((word_is(g, k, "otherwise") || word_is(g, k, "else")) && gap_has(g, k, ',')) {
		return true;
	}
	bool joined = word_in(g, k, joins) || gap_has(g, k, ',');
	/* Only what has a verb already can be followed by a second instruction. */
	bool whole = find_verb(g, &from, k) < k || word_in(g, from, asking);
	bool fresh = starts_action(g, k) || asks_anew(g, k);
	return joined && fresh && whole && !word_in(g, k - 1, joins);
}

/* --- What a clause says --- */

static void read_object(struct heur_clause *c)
{
	for (size_t i = c->verb + 1; i < c->words.n; i++) {
		assay_str w = c->words.list[i].lower;
		bool superlative = w.len > 4 && memcmp(w.ptr + w.len - 3, "est", 3) == 0;
		if (!heur_stop_word(w) && !superlative && !text_digit(w.ptr[0]) && !text_is(w, "most") &&
		    !text_is(w, "new")) {
			c->object = c->words.list[i].stem;
			return;
		}
	}
}

static void read_each(struct heur_clause *c)
{
	static const char *const every[] = {"each", "every", "all", "both", NULL};
	static const char *const several[] = {"them", "their", "those", "these", "they", NULL};
	static const char *const refer[] = {"it",     "its",   "their", "them",  "that", "those", "this",
					    "these",  "found", "same",  "one",   "ones", "him",   "her",
					    "result", "they",  "his",   "there", NULL};
	static const char *const whose[] = {"its", "their", "his", NULL};
	for (size_t i = 0; i < c->words.n; i++) {
		assay_str w = c->words.list[i].lower;
		c->possessive = c->possessive || text_in(w, whose);
		c->refers = c->refers || text_in(w, refer) || text_in(c->words.list[i].stem, refer);
		c->plural = c->plural || text_in(w, several);
		if (text_in(w, every)) {
			size_t k = i + 1;
			while (k < c->words.n && (heur_stop_word(c->words.list[k].lower) ||
						  heur_verb(c->words.list[k].lower, NULL) == HEUR_TELL)) {
				k++;
			}
			c->each = true;
			c->each_noun = k < c->words.n && k <= i + 4 ? c->words.list[k].stem : (assay_str){0};
		}
	}
}

/* Two-word verbs, and what else the words around the verb change. */
static void read_verb(const struct heur_run *r, struct heur_clause *c)
{
	const struct heur_word *w = c->words.list;
	assay_str verb = c->verb < c->words.n ? w[c->verb].lower : (assay_str){0};
	assay_str next = c->verb + 1 < c->words.n ? w[c->verb + 1].lower : (assay_str){0};
	c->act = heur_verb(verb, NULL);
	if (c->act == HEUR_NONE && verb.len > 0) {
		c->act = heur_learnt_verb(r, w[c->verb].stem);
		c->act = c->act == HEUR_NONE ? HEUR_DO : c->act;
	}
	if (text_is(verb, "look") && text_is(next, "for")) {
		c->act = HEUR_SEARCH;
	} else if (text_is(verb, "sum") && text_is(next, "up")) {
		c->act = HEUR_TELL;
	} else if (text_is(verb, "take") && text_is(next, "note")) {
		c->act = HEUR_TELL;
	}
	c->destructive = c->act == HEUR_REMOVE;
	for (size_t i = 0; i < c->words.n && !c->destructive; i++) {
		bool ambiguous = false;
		bool removes = heur_verb(w[i].lower, &ambiguous) == HEUR_REMOVE && !ambiguous;
		/* "do not delete anything" asks for nothing. */
		bool denied = i > 0 && (text_is(w[i - 1].lower, "not") || text_is(w[i - 1].lower, "without") ||
					text_is(w[i - 1].lower, "never") || text_is(w[i - 1].lower, "don't"));
		c->destructive = removes && !denied && i <= c->verb;
	}
	if (c->verb > 0 && c->verb < c->words.n &&
	    (text_is(w[c->verb - 1].lower, "not") || text_is(w[c->verb - 1].lower, "don't") ||
	     text_is(w[c->verb - 1].lower, "never"))) {
		c->act = HEUR_NONE;
	}
}

/* Words [first, end) with their verb (end: none) as a clause; from: where its text begins, gaps included. */
static struct heur_clause *push_clause(struct reading *g, size_t from, size_t first, size_t end, size_t verb)
{
	struct heur_run *r = g->r;
	struct heur_clause *c = r->n_clauses < HEUR_MAX_CLAUSES
					? text_push(&r->arena, &r->clauses, &r->n_clauses, &r->cap_clauses, sizeof *c)
					: NULL;
	if (!c) {
		return NULL;
	}
	size_t to = end < g->words->n ? g->gap[end] : r->goal.len;
	*c = (struct heur_clause){.from = from, .to = to, .tool = -1, .last_error = -1};
	c->text = text_trim(heur_sub(r->goal, g->words->list[first].from, to));
	c->words = (struct heur_words){g->words->list + first, end - first, end - first};
	c->verb = verb < end ? verb - first : c->words.n;
	read_verb(r, c);
	return c;
}

/* "If the stock of 'Copper kettle' is below 10, ...": finding out is an instruction of its own. */
static bool has_condition(const struct reading *g, size_t first, size_t verb)
{
	if (!word_is(g, first, "if") && !word_is(g, first, "unless")) {
		return false;
	}
	size_t low = g->words->list[first].to, high = g->words->list[verb].from;
	for (size_t i = 0; i < g->r->n_values; i++) {
		const struct heur_value *v = &g->r->values[i];
		if (v->from >= low && v->to <= high && v->kind != HEUR_NUMBER && v->kind != HEUR_COUNT) {
			return true;
		}
	}
	return false;
}

/* Where the thing to find out ends and the comparison begins. */
static size_t topic_end(const struct reading *g, size_t from, size_t to)
{
	static const char *const being[] = {"is", "are", "was", "has", "have", "exists", "exceeds", "equals", NULL};
	for (size_t k = from + 1; k < to; k++) {
		if (!g->covered[k] && (word_in(g, k, being) || heur_comparing(lower(g, k)))) {
			return k;
		}
	}
	return to;
}

static void add_clause(struct reading *g, size_t start, size_t end)
{
	struct heur_run *r = g->r;
	size_t first = start, verb = find_verb(g, &first, end), from = g->gap[start];
	bool marked = end < g->words->n ? gap_has(g, end, '?') : memchr(r->goal.ptr, '?', r->goal.len) != NULL;
	bool question = word_in(g, first, asking) || (marked && word_in(g, first, asking_too));
	bool bare = verb < end && end - first == 1 && r->n_clauses == 0; /* "Note: ..." */
	if (first >= end || purposive(g, start) || (verb >= end && !question) || bare) {
		return;
	}
	if (verb < end && verb > first + 1 && has_condition(g, first, verb)) {
		size_t stop = topic_end(g, first + 1, verb);
		struct heur_clause *known = push_clause(g, from, first + 1, stop, stop);
		if (known) {
			known->act = HEUR_GET;
			read_object(known);
			from = known->to;
		}
	}
	struct heur_clause *c = push_clause(g, from, first, end, verb);
	if (!c) {
		return;
	}
	c->question = question;
	c->otherwise = word_is(g, start, "otherwise") || word_is(g, start, "else");
	if (c->act == HEUR_NONE && (question || verb >= end)) {
		c->act = HEUR_GET;
	}
	if (c->act == HEUR_NONE) {
		r->n_clauses--;
		return;
	}
	read_object(c);
	read_each(c);
}

/* --- Values and clauses together --- */

static bool joins_only(assay_str t)
{
	static const char *const between[] = {"and", "or", "plus", NULL};
	struct heur_word w = {0};
	size_t words = 0;
	for (size_t i = 0; i < t.len;) {
		size_t from = i;
		while (i < t.len && text_word_byte(t.ptr[i])) {
			i++;
		}
		if (i > from) {
			w.lower = heur_sub(t, from, i);
			words++;
			if (!text_in(w.lower, between)) {
				return false;
			}
		} else if (t.ptr[i] != ' ' && t.ptr[i] != ',' && t.ptr[i] != '&' && t.ptr[i] != '\n') {
			return false;
		} else {
			i++;
		}
	}
	return words <= 1 && t.len > 0 && (words == 1 || memchr(t.ptr, ',', t.len) || memchr(t.ptr, '&', t.len));
}

static bool alike(enum heur_kind a, enum heur_kind b)
{
	bool texts = (a == HEUR_QUOTED || a == HEUR_NAME || a == HEUR_ID || a == HEUR_CODE || a == HEUR_PHRASE) &&
		     (b == HEUR_QUOTED || b == HEUR_NAME || b == HEUR_ID || b == HEUR_CODE || b == HEUR_PHRASE);
	return a == b || texts;
}

static bool opens_range(const struct heur_run *r, const struct heur_value *v)
{
	assay_str before = text_trim(heur_sub(r->goal, 0, v->from));
	return (before.len >= 7 && text_starts(heur_sub(before, before.len - 7, before.len), "between")) ||
	       (before.len >= 4 && text_starts(heur_sub(before, before.len - 4, before.len), "from"));
}

static void group_values(struct heur_run *r)
{
	for (size_t i = 1; i < r->n_values; i++) {
		struct heur_value *a = &r->values[i - 1], *b = &r->values[i];
		if (a->clause != b->clause || !alike(a->kind, b->kind) || (a->group < 0 && opens_range(r, a)) ||
		    b->from < a->to || !joins_only(heur_sub(r->goal, a->to, b->from))) {
			continue;
		}
		a->group = a->group >= 0 ? a->group : (int)i - 1;
		b->group = a->group;
	}
}

static bool article(assay_str w)
{
	return text_is(w, "the") || text_is(w, "a") || text_is(w, "an");
}

/* The words around a value say what it is for. */
static void read_hints(const struct reading *g, size_t i)
{
	struct heur_run *r = g->r;
	struct heur_value *v = &r->values[i];
	size_t low = v->clause >= 0 ? r->clauses[v->clause].from : 0, k = 0;
	size_t high = v->clause >= 0 ? r->clauses[v->clause].to : r->goal.len;
	if (i > 0 && r->values[i - 1].to > low) {
		low = r->values[i - 1].to;
	}
	if (i + 1 < r->n_values && r->values[i + 1].from < high) {
		high = r->values[i + 1].from;
	}
	while (k < g->words->n && g->words->list[k].to <= v->from) {
		k++;
	}
	for (size_t b = k; b > 0 && v->n_before < HEUR_BEFORE && g->words->list[b - 1].from >= low; b--) {
		if (!article(lower(g, b - 1)) && g->words->list[b - 1].to <= v->from) {
			v->before[v->n_before++] = g->words->list[b - 1].stem;
		}
	}
	while (k < g->words->n && g->words->list[k].from < v->to) {
		k++;
	}
	for (; k < g->words->n && v->n_after < HEUR_AFTER && g->words->list[k].to <= high; k++) {
		assay_str gap = heur_sub(r->goal, v->to, g->words->list[k].from);
		if (gap.len > 0 && (memchr(gap.ptr, ',', gap.len) || memchr(gap.ptr, '.', gap.len))) {
			break;
		}
		if (!article(lower(g, k))) {
			v->after[v->n_after++] = g->words->list[k].stem;
		}
	}
}

static void share_hints(struct heur_run *r)
{
	for (size_t i = 1; i < r->n_values; i++) {
		struct heur_value *v = &r->values[i];
		if (v->group >= 0 && v->group != (int)i) {
			memcpy(v->before, r->values[v->group].before, sizeof v->before);
			v->n_before = r->values[v->group].n_before;
		}
	}
}

static void assign_values(struct heur_run *r)
{
	size_t c = 0;
	for (size_t i = 0; i < r->n_values; i++) {
		while (c < r->n_clauses && r->clauses[c].to <= r->values[i].from) {
			c++;
		}
		bool inside = c < r->n_clauses && r->values[i].from >= r->clauses[c].from;
		r->values[i].clause = inside ? (int)c : -1;
	}
}

/* --- Phrases: the list after the innermost about/for/of/named --- */

static const char *const openers[] = {"about",    "for",        "of",      "named",      "called",
				      "on",       "containing", "contain", "mentioning", "mention",
				      "mentions", "matching",   "titled",  "regarding",  "contains",
				      "like",     "concerning", "in",      NULL};
static const char *const enders[] = {"that",  "which", "to",   "with",   "using", "so", "by",  "from", "whose",
				     "where", "when",  "into", "within", "at",    "if", "who", "as",   NULL};
static const char *const no_phrase[] = {"the",  "this",  "that", "each", "every", "all",   "my",    "your", "our",
					"its",  "their", "them", "it",   "these", "those", "which", "what", "me",
					"both", "any",   "him",  "her",  "us",    "you",   "how",   NULL};

static void add_phrase(struct heur_run *r, int clause, size_t from, size_t to, int group)
{
	assay_str text = text_trim(heur_sub(r->goal, from, to));
	if (text_starts(text, "a ") || text_starts(text, "an ")) {
		text = text_trim(heur_sub(text, 2, text.len));
	}
	while (text.len > 0 && strchr(".,;:!?", text.ptr[text.len - 1])) {
		text.len--;
	}
	struct heur_value *v = text.len > 1 && r->n_values < HEUR_MAX_VALUES
				       ? text_push(&r->arena, &r->values, &r->n_values, &r->cap_values, sizeof *v)
				       : NULL;
	if (v) {
		size_t at = (size_t)(text.ptr - r->goal.ptr);
		*v = (struct heur_value){.text = text,
					 .kind = HEUR_PHRASE,
					 .from = at,
					 .to = at + text.len,
					 .clause = clause,
					 .group = group};
	}
}

static bool value_behind(const struct heur_run *r, int clause, size_t from)
{
	for (size_t i = 0; i < r->n_values; i++) {
		const struct heur_value *v = &r->values[i];
		if (v->clause == clause && v->from >= from && v->kind != HEUR_COUNT) {
			return true;
		}
	}
	return false;
}

/* Cut [from, to) of the goal at commas and "and". */
static void add_phrases(struct heur_run *r, int clause, size_t from, size_t to, assay_str opener)
{
	size_t first = r->n_values, at = from;
	int group = (int)first;
	for (size_t i = from; i <= to; i++) {
		assay_str rest = heur_sub(r->goal, i, to);
		size_t join = text_starts(rest, ", and ") ? 6 : text_starts(rest, ", ") ? 2 : 0;
		join = join ? join : text_starts(rest, " and ") ? 5 : text_starts(rest, " or ") ? 4 : 0;
		if (join > 0 || i == to) {
			add_phrase(r, clause, at, i, group);
			at = i + join;
			i = join > 0 ? at - 1 : i;
		}
	}
	for (size_t i = first; i < r->n_values; i++) {
		r->values[i].group = r->n_values - first > 1 ? group : -1;
		r->values[i].before[0] = opener;
		r->values[i].n_before = 1;
	}
}

static void find_phrase(struct heur_run *r, int clause)
{
	const struct heur_clause *c = &r->clauses[clause];
	for (size_t k = c->words.n; k-- > 0;) {
		const struct heur_word *w = &c->words.list[k];
		if (!text_in(w->lower, openers) || k == c->verb || k + 1 >= c->words.n || heur_in_value(r, w)) {
			continue;
		}
		size_t end = k + 1;
		if (value_behind(r, clause, w->to) || text_in(c->words.list[end].lower, no_phrase)) {
			return;
		}
		while (end < c->words.n && end - k <= 14 && !text_in(c->words.list[end].lower, enders)) {
			end++;
		}
		size_t to = end < c->words.n ? c->words.list[end].from : c->to;
		if (end > k + 1) {
			add_phrases(r, clause, c->words.list[k + 1].from, to, w->stem);
		}
		return;
	}
}

/* "Show me the notes" asks for all of them. */
static void read_plurals(struct heur_run *r)
{
	for (size_t i = 0; i < r->n_clauses; i++) {
		struct heur_clause *c = &r->clauses[i];
		bool plural = false, named = c->refers || c->possessive;
		for (size_t k = 0; k < c->words.n && c->object.len > 0; k++) {
			const struct heur_word *w = &c->words.list[k];
			plural = plural || (k > c->verb && text_same(w->stem, c->object) &&
					    w->lower.len > w->stem.len && w->lower.ptr[w->lower.len - 1] == 's');
		}
		for (size_t v = 0; v < r->n_values; v++) {
			bool own = r->values[v].clause == (int)i;
			named = named ||
				(own && (r->values[v].kind == HEUR_ID ||
					 (r->values[v].n_before > 0 && text_same(r->values[v].before[0], c->object))));
		}
		if (c->act == HEUR_GET && plural && !named && heur_known_noun(r, c->object)) {
			c->act = HEUR_LIST;
		}
	}
}

void heur_find_clauses(struct heur_run *r)
{
	struct reading g = {.r = r, .words = &r->goal_words};
	size_t start = 0;
	heur_split(&r->arena, r->goal, &r->goal_words);
	if (g.words->n == 0 || !cover(&g)) {
		return;
	}
	for (size_t k = 1; k <= g.words->n; k++) {
		if (k == g.words->n || begins(&g, start, k)) {
			add_clause(&g, start, k);
			start = k;
		}
	}
	assign_values(r);
	group_values(r);
	for (size_t i = 0; i < r->n_values; i++) {
		read_hints(&g, i);
	}
	share_hints(r);
	read_plurals(r);
	for (size_t c = 0; c < r->n_clauses; c++) {
		find_phrase(r, (int)c);
		heur_read_condition(r, &r->clauses[c]);
	}
}
