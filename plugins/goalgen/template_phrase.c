/* goalgen/template: one clause for one step. What a description says in its first words is the pattern: "Get the
 * details of one order by its number" becomes "get the details of the order 5039". */
#include "template.h"
#include <string.h>

enum { MAX_TOKENS = 12 };

/* The words between the verb of a description and what explains it. */
struct phrase {
	assay_str verb;
	assay_str token[MAX_TOKENS];
	int param[MAX_TOKENS]; /* whose value stands at that noun, -1: none */
	bool dropped[MAX_TOKENS];
	size_t n;
	bool said[TMPL_MAX_PARAMS];
};

/* --- Values ------------------------------------------------------------------------------------------------------ */

static bool is_bare(assay_str text)
{
	bool digit = false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		digit = digit || text_digit(c);
		if (!text_letter(c) && !text_digit(c) && c != '-' && c != ':' && c != '+') {
			return false;
		}
	}
	return digit;
}

static void add_literal(struct tmpl_run *r, struct text_buf *b, const struct tmpl_param *p, const struct tmpl_slot *v)
{
	bool quiet = p->sense == TMPL_ID || p->sense == TMPL_DATE || p->sense == TMPL_TIME;
	bool number = r->json->type(v->value) == ASSAY_JSON_NUMBER;
	bool bare = v->pick != TMPL_BY_NAME && (number || (quiet && is_bare(v->text)));
	text_puts(b, bare ? "" : "\"");
	text_add(b, v->text);
	text_puts(b, bare ? "" : "\"");
}

/* The value of a slot with the others that the same is asked of. */
static void add_values(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, size_t i)
{
	const struct tmpl_param *p = &r->tools[s->tool].params[i];
	text_puts(b, s->slots[i].of ? "of " : "");
	add_literal(r, b, p, &s->slots[i]);
	for (size_t k = 0; s->fan == (int)i && k < s->n_more; k++) {
		text_puts(b, k + 1 < s->n_more ? ", " : " and ");
		add_literal(r, b, p, &s->more[k]);
	}
}

static bool written(const struct tmpl_slot *v)
{
	return v->pick == TMPL_LITERAL || v->pick == TMPL_BY_NAME;
}

/* --- Nouns of parameters ----------------------------------------------------------------------------------------- */

static bool vague(assay_str word)
{
	static const char *const words[] = {"id",   "ids",  "key",  "code", "name",       "number", "title",
					    "uuid", "path", "file", "ref",  "identifier", "url",    NULL};
	return text_in(word, words);
}

/* What a parameter identifies: "customer" of customer_id, the tool's own noun of id. */
static assay_str entity_of(struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_param *p)
{
	struct tmpl_words rest = {.n = 0};
	for (size_t i = 0; i < p->words.n; i++) {
		if (!vague(p->words.list[i])) {
			rest.list[rest.n++] = p->words.list[i];
		}
	}
	return rest.n > 0 ? tmpl_join(&r->arena, &rest, 0) : t->noun;
}

/* --- The pattern ------------------------------------------------------------------------------------------------- */

static bool is_ender(assay_str w)
{
	static const char *const words[] = {"by",  "for",  "given", "with",   "without", "optionally", "using", "from",
					    "and", "that", "which", "whose",  "when",    "as",         "or",    "if",
					    "so",  "per",  "via",   "return", "returns", "including",  "based", NULL};
	return text_in(w, words);
}

static assay_str next_word(struct tmpl_run *r, assay_str text, size_t *at)
{
	size_t from = *at;
	while (*at < text.len && (text_letter(text.ptr[*at]) || text.ptr[*at] == '-' || text.ptr[*at] == '\'' ||
				  (*at > from && text_digit(text.ptr[*at])))) {
		(*at)++;
	}
	char *p = *at > from && *at - from <= 24 ? text_alloc(&r->arena, *at - from, 1) : NULL;
	for (size_t i = from; p && i < *at; i++) {
		p[i - from] = text_lower(text.ptr[i]);
	}
	return p ? (assay_str){p, *at - from} : (assay_str){0};
}

static bool is_article(assay_str w)
{
	static const char *const words[] = {"a",     "an",   "one",  "the", "any", "each",
					    "every", "some", "your", "its", NULL};
	return text_in(w, words);
}

/* "of the shop", where the server is called that. */
static void strip_server(struct tmpl_run *r, const struct tmpl_tool *t, struct phrase *f)
{
	struct tmpl_words server = {.n = 0};
	tmpl_split(&r->arena, t->tool->server, &server);
	if (f->n > 3 && tmpl_has(&server, f->token[f->n - 1]) && !tmpl_same_stem(f->token[f->n - 1], t->noun) &&
	    is_article(f->token[f->n - 2])) {
		f->n -= 3;
	}
}

/* "Encode or decode texts": encode texts. */
static void skip_second_verb(struct tmpl_run *r, assay_str text, size_t *at)
{
	size_t to = *at + 1;
	assay_str join = *at < text.len && text.ptr[*at] == ' ' ? next_word(r, text, &to) : (assay_str){0};
	if ((text_is(join, "and") || text_is(join, "or")) && to < text.len && text.ptr[to] == ' ') {
		to++;
		*at = tmpl_verb(next_word(r, text, &to)) != TMPL_NONE ? to : *at;
	}
}

static bool read_pattern(struct tmpl_run *r, const struct tmpl_tool *t, struct phrase *f)
{
	assay_str text = text_trim(t->tool->description);
	size_t at = 0;
	*f = (struct phrase){.n = 0};
	f->verb = next_word(r, text, &at);
	if (f->verb.len == 0 || tmpl_verb(f->verb) == TMPL_NONE) {
		return false;
	}
	skip_second_verb(r, text, &at);
	while (f->n < MAX_TOKENS && at < text.len && text.ptr[at] == ' ') {
		at++;
		assay_str w = next_word(r, text, &at);
		bool given = text_is(w, "given") && f->n > 0 && is_article(f->token[f->n - 1]);
		if (w.len == 0 || (is_ender(w) && !given)) {
			break;
		}
		if (!given && !text_is(w, "existing") && !text_is(w, "specified") && !text_is(w, "single")) {
			f->param[f->n] = -1;
			f->token[f->n++] = w;
		}
	}
	strip_server(r, t, f);
	while (f->n > 0 && tmpl_stop_word(f->token[f->n - 1]) && !text_is(f->token[f->n - 1], "between")) {
		f->n--;
	}
	return f->n > 0 && f->n <= 10;
}

/* Without a usable description: the words of the name. */
static void make_pattern(struct tmpl_run *r, const struct tmpl_tool *t, struct phrase *f)
{
	static const char *const plain[] = {"look up",  "look up", "list",   "get",
					    "work out", "create",  "change", "remove"};
	struct tmpl_words noun = {.n = 0};
	bool verb = t->words.n > 0 && tmpl_verb(t->words.list[0]) != TMPL_NONE;
	*f = (struct phrase){.verb = verb ? t->words.list[0] : text_cstr(plain[t->act])};
	tmpl_split(&r->arena, t->noun, &noun);
	f->param[f->n] = -1;
	f->token[f->n++] = text_cstr(t->act == TMPL_CREATE ? "a" : "the");
	for (size_t i = 0; i < noun.n && f->n < MAX_TOKENS; i++) {
		f->param[f->n] = -1;
		f->token[f->n++] = noun.list[i];
	}
	f->n = f->n > 1 ? f->n : 0;
}

/* --- Which value stands where ------------------------------------------------------------------------------------ */

static bool content_word(assay_str w)
{
	static const char *const words[] = {"text", "content", "message", "body", "comment", "line", "lines", NULL};
	return text_in(w, words);
}

static bool names(const struct tmpl_param *p, assay_str w)
{
	for (size_t i = 0; i < p->words.n; i++) {
		if (!vague(p->words.list[i]) && tmpl_same_stem(p->words.list[i], w)) {
			return true;
		}
	}
	return false;
}

/* Is the noun w what parameter p is about? The tool's own noun is where the thing itself is named. */
static bool stands_at(const struct tmpl_tool *t, const struct tmpl_param *p, assay_str w)
{
	bool own = p->words.n == 1 && vague(p->words.list[0]);
	if (names(p, w) || (p->sense == TMPL_CONTENT && content_word(w))) {
		return true;
	}
	assay_str last = tmpl_last_word(t->noun);
	return own && last.len > 0 && tmpl_same_stem(last, w);
}

static bool is_target(const struct tmpl_tool *t, size_t i)
{
	const struct tmpl_param *p = &t->params[i];
	return t->act == TMPL_CHANGE && i > 0 && p->sense != TMPL_ID;
}

/* Is what is referred to called something else than this noun? */
static bool other_kind(const struct tmpl_slot *v, assay_str noun)
{
	bool refers = v->pick == TMPL_IT || v->pick == TMPL_FIRST;
	return refers && !v->measure && v->noun.len > 0 && !tmpl_same_stem(tmpl_last_word(v->noun), noun);
}

static void attach(const struct tmpl_tool *t, const struct tmpl_step *s, struct phrase *f)
{
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		if (s->slots[i].pick == TMPL_NOT_BOUND || is_target(t, i) || p->fresh || p->sense == TMPL_SWITCH) {
			continue;
		}
		for (size_t k = f->n; k-- > 0 && !f->said[i];) {
			bool other = other_kind(&s->slots[i], f->token[k]) && k + 1 < f->n && !names(p, f->token[k]);
			if (f->param[k] < 0 && !other && stands_at(t, p, f->token[k])) {
				f->param[k] = (int)i;
				f->said[i] = true;
			}
		}
	}
	/* "a number of days" with a number in front: 30 days */
	for (size_t k = 0; k + 1 < f->n; k++) {
		if (text_is(f->token[k], "number") && text_is(f->token[k + 1], "of") && k + 2 < f->n &&
		    f->param[k + 2] >= 0) {
			f->dropped[k] = f->dropped[k + 1] = true;
			f->dropped[k > 0 ? k - 1 : 0] = true;
		}
	}
}

/* --- Writing it -------------------------------------------------------------------------------------------------- */

static bool counted(const struct tmpl_tool *t, const struct tmpl_param *p, assay_str noun)
{
	static const char *const measures[] = {"value", "amount", "number", "quantity", "price",
					       "total", "size",   "year",   NULL};
	(void)t;
	return p->sense == TMPL_AMOUNT && !text_in(noun, measures);
}

static const char *article(const struct tmpl_tool *t, const struct tmpl_slot *slot, assay_str w, size_t k)
{
	if (slot && slot->pick == TMPL_IT) {
		return slot->measure ? "the" : "that";
	}
	if (slot && slot->pick == TMPL_FIRST) {
		return "the first";
	}
	bool makes = t->act == TMPL_CREATE && k == 0 && !slot;
	return makes && !text_is(w, "the") ? (text_is(w, "an") ? "an" : "a") : "the";
}

static void add_pattern(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, const struct phrase *f)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	for (size_t k = 0; k < f->n; k++) {
		const struct tmpl_slot *slot = f->param[k] >= 0 ? &s->slots[f->param[k]] : NULL;
		const struct tmpl_param *p = slot ? &t->params[f->param[k]] : NULL;
		bool before = p && written(slot) && counted(t, p, f->token[k]);
		/* The article of the noun that a value stands at; there may be an adjective between. */
		size_t noun = k + 1 < f->n && f->param[k + 1] >= 0 ? k + 1 : k + 2;
		const struct tmpl_slot *next = noun < f->n && f->param[noun] >= 0 ? &s->slots[f->param[noun]] : NULL;
		bool next_counts = next && counted(t, &t->params[f->param[noun]], f->token[noun]);
		bool bare = p && !before &&
			    (k == 0 || (!is_article(f->token[k - 1]) && (k < 2 || !is_article(f->token[k - 2]))));
		if (f->dropped[k] || (is_article(f->token[k]) && next_counts && written(next))) {
			continue;
		}
		text_puts(b, " ");
		if (is_article(f->token[k])) {
			text_puts(b, article(t, next, f->token[k], k));
			continue;
		}
		if (before) {
			add_values(r, b, s, (size_t)f->param[k]);
			text_puts(b, " ");
		} else if (bare) {
			text_puts(b, article(t, slot, ASSAY_STR("the"), 1));
			text_puts(b, " ");
		}
		bool many = s->fan >= 0 && f->param[k] == s->fan;
		bool renamed = slot && p->sense == TMPL_PATH && other_kind(slot, f->token[k]);
		text_add(b, slot && (slot->measure || renamed) ? slot->noun
			    : many                             ? tmpl_plural(&r->arena, f->token[k])
							       : f->token[k]);
		if (slot && written(slot) && !before) {
			text_puts(b, " ");
			add_values(r, b, s, (size_t)f->param[k]);
		} else if (slot && slot->pick == TMPL_FIRST) {
			text_puts(b, " you found");
		}
	}
}

/* ' of the customer C-207', ' of that customer', ' of the first customer' */
static void add_thing(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, size_t i, const char *lead)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	const struct tmpl_slot *v = &s->slots[i];
	bool path = t->params[i].sense == TMPL_PATH && !written(v);
	assay_str thing = v->measure || (path && v->noun.len > 0) ? v->noun : entity_of(r, t, &t->params[i]);
	text_puts(b, lead);
	text_puts(b, v->measure              ? "the "
		     : v->pick == TMPL_IT    ? "that "
		     : v->pick == TMPL_FIRST ? "the first "
					     : "the ");
	thing = thing.len > 0 ? thing : ASSAY_STR("one");
	text_add(b, s->fan == (int)i ? tmpl_plural(&r->arena, thing) : thing);
	if (written(v)) {
		text_puts(b, " ");
		add_values(r, b, s, i);
	} else if (v->pick == TMPL_FIRST) {
		text_puts(b, " you found");
	}
}

/* ' with the quantity 2', ' and the status "open"' */
static void add_named(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, size_t i, bool *with)
{
	const struct tmpl_param *p = &r->tools[s->tool].params[i];
	text_puts(b, *with ? " and the " : " with the ");
	*with = true;
	text_add(b, s->slots[i].measure ? s->slots[i].noun : tmpl_join(&r->arena, &p->words, 0));
	if (written(&s->slots[i])) {
		text_puts(b, " ");
		add_values(r, b, s, i);
	} else {
		text_puts(b, " you found");
	}
}

static bool has_word(const struct tmpl_param *p, const char *word)
{
	return tmpl_has(&p->words, text_cstr(word));
}

static void add_mention(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, size_t i, bool *with)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	const struct tmpl_param *p = &t->params[i];
	bool finds = t->act == TMPL_LIST || t->act == TMPL_SEARCH;
	bool from = has_word(p, "from") || has_word(p, "source"), to = has_word(p, "to") || has_word(p, "target");
	if (p->fresh && t->act == TMPL_CREATE &&
	    (has_word(p, "title") || has_word(p, "name") || p->sense == TMPL_PATH)) {
		text_puts(b, has_word(p, "title") ? " titled " : " named ");
		add_values(r, b, s, i);
	} else if ((from || to) && p->words.n > 1 && written(&s->slots[i])) {
		text_puts(b, from ? " from " : " to ");
		add_values(r, b, s, i);
	} else if (p->sense == TMPL_ID) {
		add_thing(r, b, s, i, t->act == TMPL_CREATE ? " for " : finds ? " of " : " for ");
	} else if (p->sense == TMPL_PLACE) {
		add_thing(r, b, s, i, " in ");
	} else if (p->sense == TMPL_DATE) {
		add_thing(r, b, s, i, " for ");
	} else if (p->sense == TMPL_PATH) {
		add_thing(r, b, s, i, " in ");
	} else if (t->reads && p->required && s->slots[i].noun.len > 0 && tmpl_has(&p->words, s->slots[i].noun)) {
		add_thing(r, b, s, i, " of "); /* the records of the table "orders" */
	} else {
		add_named(r, b, s, i, with);
	}
}

static size_t unsaid(const struct tmpl_tool *t, const struct tmpl_step *s, const struct phrase *f)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n_params; i++) {
		n += s->slots[i].pick != TMPL_NOT_BOUND && !f->said[i];
	}
	return n;
}

/* "the days between two dates" with both of them */
static bool add_between(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, struct phrase *f)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	size_t at = 0, pair[2] = {0, 0}, n = 0;
	while (at < f->n && !text_is(f->token[at], "between")) {
		at++;
	}
	for (size_t i = 0; i < t->n_params; i++) {
		if (written(&s->slots[i]) && t->params[i].required) {
			pair[n < 2 ? n : 1] = i;
			n++;
		}
	}
	if (at == f->n || n != 2 || t->params[pair[0]].sense != t->params[pair[1]].sense) {
		return false;
	}
	for (size_t k = at; k < f->n; k++) {
		f->param[k] = -1;
	}
	f->n = at + 1;
	add_pattern(r, b, s, f);
	text_puts(b, " ");
	add_values(r, b, s, pair[0]);
	text_puts(b, " and ");
	add_values(r, b, s, pair[1]);
	f->said[pair[0]] = f->said[pair[1]] = true;
	return true;
}

static void add_rest(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, const struct phrase *f)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	bool with = false, alone = unsaid(t, s, f) == 1;
	for (size_t i = 0; i < t->n_params; i++) {
		if (s->slots[i].pick == TMPL_NOT_BOUND || f->said[i]) {
			continue;
		}
		if (is_target(t, i) && alone && written(&s->slots[i])) {
			text_puts(b, " to ");
			add_values(r, b, s, i);
		} else {
			add_mention(r, b, s, i, &with);
		}
	}
}

/* --- Verbs ------------------------------------------------------------------------------------------------------- */

static void add_verb(struct tmpl_run *r, struct text_buf *b, const struct tmpl_tool *t, assay_str verb)
{
	static const char *const reading[] = {"read", "open", "read"}, *const getting[] = {"get", "look up", "fetch",
											   "get"};
	if (text_is(verb, "read") || text_is(verb, "reads")) {
		text_puts(b, reading[tmpl_below(r, 3)]);
	} else if (t->act == TMPL_GET) {
		text_puts(b, getting[tmpl_below(r, 4)]);
	} else {
		bool third = verb.len > 3 && verb.ptr[verb.len - 1] == 's' && verb.ptr[verb.len - 2] != 's';
		text_add(b, third ? (assay_str){verb.ptr, verb.len - 1} : verb);
	}
}

/* --- Finding and listing ----------------------------------------------------------------------------------------- */

static int query_param(const struct tmpl_tool *t, const struct tmpl_step *s)
{
	for (size_t i = 0; i < t->n_params; i++) {
		if (t->params[i].sense == TMPL_QUERY && s->slots[i].pick != TMPL_NOT_BOUND) {
			return (int)i;
		}
	}
	return -1;
}

/* What is listed is what the thing itself holds: list_directory of a path. */
static int container(const struct tmpl_tool *t, const struct tmpl_step *s)
{
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		bool own = p->words.n == 1 && vague(p->words.list[0]) && p->required;
		if (own && s->slots[i].pick != TMPL_NOT_BOUND && t->noun.len > 0) {
			return (int)i;
		}
	}
	return -1;
}

static void add_finding(struct tmpl_run *r, struct text_buf *b, const struct tmpl_step *s, struct phrase *f)
{
	static const char *const before[] = {"find the ", "look for ", "find ", "look for the "};
	static const char *const after[] = {" that match ", " about ", " that mention ", " matching "};
	static const char *const listing[] = {"list the ", "show me a list of the ", "list the "};
	const struct tmpl_tool *t = &r->tools[s->tool];
	int query = query_param(t, s);
	uint32_t k = tmpl_below(r, 4);
	int place = query < 0 && t->act == TMPL_LIST ? container(t, s) : -1;
	if (place >= 0) {
		add_thing(r, b, s, (size_t)place, "list the contents of ");
		f->said[place] = true;
		return;
	}
	text_puts(b, t->act == TMPL_LIST && query < 0 ? listing[tmpl_below(r, 3)] : before[query < 0 ? 0 : k]);
	text_add(b, t->noun.len > 0 ? tmpl_plural(&r->arena, t->noun) : ASSAY_STR("entries"));
	if (query >= 0) {
		text_puts(b, after[k]);
		add_values(r, b, s, (size_t)query);
		f->said[query] = true;
	}
}

assay_str tmpl_clause(struct tmpl_run *r, const struct tmpl_step *s, bool first)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	struct text_buf b = {.arena = &r->arena};
	struct phrase f;
	(void)first;
	if (t->act == TMPL_LIST || t->act == TMPL_SEARCH) {
		f = (struct phrase){.n = 0};
		add_finding(r, &b, s, &f);
	} else {
		if (!read_pattern(r, t, &f)) {
			make_pattern(r, t, &f);
		}
		add_verb(r, &b, t, f.verb);
		if (!add_between(r, &b, s, &f)) {
			attach(t, s, &f);
			add_pattern(r, &b, s, &f);
		}
	}
	add_rest(r, &b, s, &f);
	return text_of(&b);
}

/* --- What to tell in the end ------------------------------------------------------------------------------------- */

/* "weight grams" is read as "weight in grams". */
static assay_str spoken(struct tmpl_run *r, const struct tmpl_words *words)
{
	static const char *const units[] = {"bytes", "kb",  "mb",      "grams",   "kg",     "km",      "cm",
					    "mm",    "ms",  "seconds", "minutes", "hours",  "percent", "celsius",
					    "eur",   "usd", "cents",   "metres",  "meters", NULL};
	if (words->n < 2 || !text_in(words->list[words->n - 1], units)) {
		return tmpl_join(&r->arena, words, 0);
	}
	struct tmpl_words front = *words;
	front.n--;
	return text_format(&r->arena, "%.*s in %.*s", ASSAY_FMT(tmpl_join(&r->arena, &front, 0)),
			   ASSAY_FMT(words->list[words->n - 1]));
}

static bool is_participle(assay_str w)
{
	return w.len > 3 && w.ptr[w.len - 1] == 'd' && w.ptr[w.len - 2] == 'e';
}

bool tmpl_worth_telling(const struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_leaf *leaf)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	if (r->records[leaf->record].parent >= 0 || !leaf->plain || leaf->words.n == 0 || leaf->words.n > 3 ||
	    vague(leaf->words.list[leaf->words.n - 1]) || is_participle(leaf->words.list[leaf->words.n - 1])) {
		return false;
	}
	for (size_t i = 0; i < t->n_params; i++) {
		if (text_same(t->params[i].name, leaf->key)) {
			return false;
		}
	}
	return true;
}

/* Of what was listed: how many, or what they are called. */
static assay_str ask_of_list(struct tmpl_run *r, const struct tmpl_answer *a)
{
	assay_str name = {0};
	for (size_t i = a->first_leaf; i < a->first_leaf + a->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool top = r->records[leaf->record].parent < 0;
		if (top && leaf->words.n == 1 &&
		    (tmpl_has(&leaf->words, ASSAY_STR("count")) || tmpl_has(&leaf->words, ASSAY_STR("total")))) {
			return ASSAY_STR("how many there are");
		}
		if (!top && name.len == 0 && leaf->words.n > 0 && leaf->words.n <= 2 && tmpl_is_name(leaf)) {
			name = tmpl_join(&r->arena, &leaf->words, 0);
		}
	}
	return name.len > 0 ? text_format(&r->arena, "the %.*s of each", ASSAY_FMT(name)) : name;
}

/* Some of what a thing is said to be. */
static assay_str ask_of_thing(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_answer *a)
{
	int picked[2] = {-1, -1};
	uint32_t n = 0;
	for (size_t i = a->first_leaf; i < a->first_leaf + a->n_leaves; i++) {
		if (!tmpl_worth_telling(r, s, &r->leaves[i])) {
			continue;
		}
		if (tmpl_below(r, ++n) == 0) {
			picked[1] = picked[0];
			picked[0] = (int)i;
		} else if (picked[1] < 0) {
			picked[1] = (int)i;
		}
	}
	struct text_buf b = {.arena = &r->arena};
	bool two = picked[1] >= 0 && tmpl_below(r, 2) == 0;
	for (int k = 0; k < 2 && picked[k] >= 0 && (k == 0 || two); k++) {
		text_puts(&b, k > 0 ? " and the " : "the ");
		text_add(&b, spoken(r, &r->leaves[picked[k]].words));
	}
	if (b.len > 0 && s->n_more > 0) {
		text_puts(&b, " of each");
	}
	return text_of(&b);
}

static bool names_a_value(const struct tmpl_run *r)
{
	for (size_t k = 0; k < r->n_steps; k++) {
		for (size_t i = 0; i < TMPL_MAX_PARAMS; i++) {
			if (written(&r->steps[k].slots[i])) {
				return true;
			}
		}
	}
	return false;
}

assay_str tmpl_question(struct tmpl_run *r)
{
	const struct tmpl_step *s = &r->steps[r->n_steps - 1];
	const struct tmpl_tool *t = &r->tools[s->tool];
	const struct tmpl_answer *a = s->answer >= 0 ? &r->answers[s->answer] : NULL;
	bool finds = t->act == TMPL_LIST || t->act == TMPL_SEARCH;
	if (r->asked >= 0) {
		return text_format(&r->arena, "the %.*s", ASSAY_FMT(spoken(r, &r->leaves[r->asked].words)));
	}
	/* A goal that names nothing has to want to know something. */
	if (!a || (names_a_value(r) && tmpl_below(r, 4) < (finds ? 2u : 1u))) {
		return (assay_str){0};
	}
	return finds ? (s->n_more == 0 ? ask_of_list(r, a) : (assay_str){0}) : ask_of_thing(r, s, a);
}
