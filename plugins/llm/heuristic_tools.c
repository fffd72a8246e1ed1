/* llm/heuristic, rule 3: what tools are about, and which of them suit a clause. */
#include "heuristic.h"
#include <string.h>

/* --- Names --- */

static const char *const generic_nouns[] = {"detail",  "info",     "information", "item",  "data",
					    "status",  "summary",  "record",      "entry", "result",
					    "content", "object",   "resource",    "tool",  "current",
					    "full",    "metadata", "text",        NULL};
static const char *const prepositions[] = {"by", "for", "from", "with", "in",      "of",    "to",
					   "on", "at",  "into", "via",  "between", "about", NULL};

bool heur_generic_noun(assay_str stem)
{
	return text_in(stem, generic_nouns);
}

static bool noun_like(const struct heur_word *w, bool first)
{
	bool ambiguous = false, verb = heur_verb_form(w->lower, &ambiguous) != HEUR_NONE;
	return (!verb || (ambiguous && !first)) && !heur_stop_word(w->lower) && !text_digit(w->lower.ptr[0]);
}

/* The noun of "Search the products of the shop for words", "Get the details of one order by its number". */
static assay_str head_of_summary(const struct heur_tool *t)
{
	static const char *const ends[] = {"by",   "for", "given", "with",   "without", "within", "optionally", "using",
					   "from", "at",  "to",    "return", "that",    "which",  NULL};
	assay_str vague = {0};
	for (size_t i = 1; i < t->summary_words.n && i < 10; i++) {
		const struct heur_word *w = &t->summary_words.list[i];
		if (text_in(w->lower, ends)) {
			break;
		}
		if (!noun_like(w, false) || text_in(w->lower, prepositions) || text_is(w->stem, "titl")) {
			continue;
		}
		if (!heur_generic_noun(w->stem) && !heur_has(&t->server_words, w->stem)) {
			return w->stem;
		}
		vague = heur_generic_noun(w->stem) ? vague : w->stem;
	}
	return vague;
}

/* The noun that a tool is about: the last one of its name in front of a preposition; else what its description says. */
static assay_str head_of(const struct heur_tool *t)
{
	assay_str head = {0};
	for (size_t i = 0; i < t->words.n && !text_in(t->words.list[i].lower, prepositions); i++) {
		const struct heur_word *w = &t->words.list[i];
		if (noun_like(w, i == 0 && t->words.n > 1) && (head.len == 0 || !heur_generic_noun(w->stem))) {
			head = w->stem;
		}
	}
	bool bare = head.len == 0 || heur_generic_noun(head) || (t->words.n == 1 && heur_verb(head, NULL) != HEUR_NONE);
	assay_str told = bare ? head_of_summary(t) : (assay_str){0};
	if (told.len > 0) {
		return told;
	}
	return bare && t->server_words.n > 0 ? t->server_words.list[t->server_words.n - 1].stem : head;
}

/* What its name, or else its description, says that a tool does. */
static enum heur_act act_of(const struct heur_tool *t)
{
	enum heur_act weak = HEUR_NONE;
	for (size_t i = 0; i < t->words.n; i++) {
		bool ambiguous;
		enum heur_act act = heur_verb_form(t->words.list[i].lower, &ambiguous);
		if (act != HEUR_NONE && act != HEUR_TELL && (!ambiguous || (i == 0 && t->words.n == 1))) {
			return act;
		}
		weak = weak == HEUR_NONE && i == 0 && act != HEUR_TELL ? act : weak;
	}
	for (size_t i = 0; i < t->summary_words.n && i < 2; i++) {
		enum heur_act act = heur_verb_form(t->summary_words.list[i].lower, NULL);
		if (act != HEUR_NONE) {
			return act == HEUR_TELL ? HEUR_GET : act;
		}
	}
	return weak;
}

static assay_str first_sentence(assay_str text)
{
	size_t cut = text_head(text, 400).len;
	for (size_t i = 0; i + 1 < cut; i++) {
		if ((text.ptr[i] == '.' && text.ptr[i + 1] == ' ') || text.ptr[i] == '\n') {
			return heur_sub(text, 0, i);
		}
	}
	return heur_sub(text, 0, cut);
}

/* server__tool, parted at the last "__". */
static void part_name(struct heur_tool *t)
{
	size_t at = t->name.len;
	for (size_t i = 0; i + 3 < t->name.len; i++) {
		if (t->name.ptr[i] == '_' && t->name.ptr[i + 1] == '_' && i > 0) {
			at = i;
		}
	}
	if (at < t->name.len) {
		t->server = heur_sub(t->name, 0, at);
		t->tool = heur_sub(t->name, at + 2, t->name.len);
	} else {
		t->tool = t->name;
	}
}

void heur_add_tool(struct heur_run *r, assay_str name, assay_str description, const assay_json *parameters)
{
	struct heur_tool *t = name.len > 0 && name.len <= 512 && r->n_tools < HEUR_MAX_TOOLS
				      ? text_push(&r->arena, &r->tools, &r->n_tools, &r->cap_tools, sizeof *t)
				      : NULL;
	if (!t) {
		return;
	}
	*t = (struct heur_tool){.name = name, .parameters = parameters, .via = -1};
	t->description = description;
	t->summary = first_sentence(description);
	part_name(t);
	heur_split_name(&r->arena, t->tool, &t->words);
	heur_split_name(&r->arena, t->server, &t->server_words);
	heur_split(&r->arena, t->summary, &t->summary_words);
	t->act = act_of(t);
	if (t->act == HEUR_NONE && t->words.n > 1 && t->summary_words.n > 0 &&
	    text_same(t->words.list[0].stem, t->summary_words.list[0].stem)) {
		t->act = HEUR_DO; /* renew_loan: "Renew a loan." */
	}
	t->head = head_of(t);
	for (size_t i = 0; i < t->words.n; i++) {
		t->destructive = t->destructive || heur_destructive_word(t->words.list[i].lower);
		t->whole = t->whole || text_is(t->words.list[i].lower, "all") ||
			   text_is(t->words.list[i].lower, "everything");
	}
}

/* "Renew a loan.", "Lends a book to a member.": verbs that only these tools have. */
void heur_learn_verbs(struct heur_run *r)
{
	static const char *const objects[] = {"a",    "an",   "the",     "one", "all", "every",
					      "some", "this", "several", "its", NULL};
	size_t cap = 0;
	for (size_t i = 0; i < r->n_tools; i++) {
		const struct heur_tool *t = &r->tools[i];
		const struct heur_words *said = &t->summary_words;
		bool verbal = said->n > 1 && text_in(said->list[1].lower, objects);
		if (!verbal || heur_verb_form(said->list[0].lower, NULL) != HEUR_NONE ||
		    heur_stop_word(said->list[0].lower) || heur_learnt_verb(r, said->list[0].stem) != HEUR_NONE) {
			continue;
		}
		struct heur_word *w = text_push(&r->arena, &r->verbs.list, &r->verbs.n, &r->verbs.cap, sizeof *w);
		size_t n = r->verbs.n > 0 ? r->verbs.n - 1 : 0;
		enum heur_act *act = text_push(&r->arena, &r->verb_acts, &n, &cap, sizeof *act);
		if (!w || !act) {
			return;
		}
		*w = said->list[0];
		*act = t->act == HEUR_NONE ? HEUR_DO : t->act;
	}
}

enum heur_act heur_learnt_verb(const struct heur_run *r, assay_str stem)
{
	for (size_t i = 0; i < r->verbs.n; i++) {
		if (text_same(r->verbs.list[i].stem, stem)) {
			return r->verb_acts[i];
		}
	}
	return HEUR_NONE;
}

int heur_find_tool(const struct heur_run *r, assay_str name)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		if (r->tools[i].via < 0 && text_same(r->tools[i].name, name)) {
			return (int)i;
		}
	}
	return -1;
}

/* How far a tool is about what `stem` names: 3 its head, 2 its name, 1 its server or description, 0 not at all. */
int heur_about(const struct heur_tool *t, assay_str stem)
{
	if (stem.len == 0) {
		return 0;
	}
	if (text_same(t->head, stem)) {
		return 3;
	}
	if (heur_has(&t->words, stem)) {
		return 2;
	}
	return heur_has(&t->server_words, stem) || heur_has(&t->summary_words, stem);
}

bool heur_known_noun(const struct heur_run *r, assay_str stem)
{
	for (size_t i = 0; i < r->n_tools; i++) {
		if (text_same(r->tools[i].head, stem)) {
			return true;
		}
	}
	return false;
}

/* --- Parameters --- */

struct sense_words {
	enum heur_sense sense;
	const char *const words[14];
};

/* The first row that holds the last word of a name, then the first that holds any. */
static const struct sense_words senses[] = {
	{HEUR_S_ID, {"id", "identifier", "uuid", "key", "sku", "isbn", "ref", "referenc", "iban"}},
	{HEUR_S_URL, {"url", "uri", "link", "href"}},
	{HEUR_S_EMAIL, {"email", "mail"}},
	{HEUR_S_LIMIT, {"limit", "top", "page", "offset", "k", "n"}},
	{HEUR_S_QUERY, {"query", "q", "search", "keyword", "term", "phras", "pattern", "prompt", "question"}},
	{HEUR_S_PATH, {"path", "file", "filenam", "directory", "folder", "dir"}},
	{HEUR_S_DATE, {"date", "day", "deadlin", "due", "month", "since", "until", "when"}},
	{HEUR_S_TIME, {"time", "hour", "timestamp"}},
	{HEUR_S_CODE, {"code", "currency", "symbol", "ticker", "unit", "languag", "locale", "iso", "zone", "timezon"}},
	{HEUR_S_TITLE, {"titl", "name", "subject", "heading"}},
	{HEUR_S_CONTENT,
	 {"content", "body", "text", "messag", "description", "note", "comment", "detail", "reason", "summary",
	  "markdown"}},
	{HEUR_S_PLACE, {"city", "country", "place", "location", "address", "region", "town", "plac"}},
	{HEUR_S_AMOUNT,
	 {"quantity", "qty", "amount", "count", "number", "value", "pric", "price", "total", "copy", "size", "percent",
	  "stock"}},
};

static enum heur_sense sense_by_word(assay_str stem)
{
	for (size_t i = 0; i < sizeof senses / sizeof *senses; i++) {
		for (size_t k = 0; k < 13 && senses[i].words[k]; k++) {
			if (text_is(stem, senses[i].words[k])) {
				return senses[i].sense;
			}
		}
	}
	return HEUR_S_OTHER;
}

static enum heur_sense sense_by_format(assay_str format)
{
	static const struct {
		const char *format;
		enum heur_sense sense;
	} formats[] = {{"date", HEUR_S_DATE}, {"date-time", HEUR_S_DATE}, {"time", HEUR_S_TIME}, {"uri", HEUR_S_URL},
		       {"url", HEUR_S_URL},   {"email", HEUR_S_EMAIL},    {"uuid", HEUR_S_ID}};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (text_is(format, formats[i].format)) {
			return formats[i].sense;
		}
	}
	return HEUR_S_OTHER;
}

/* "Where the file goes": the description names what the name does not. */
static enum heur_sense sense_by_description(struct heur_run *r, const struct heur_param *p)
{
	static const struct {
		const char *const words[6];
		enum heur_sense sense;
	} told[] = {{{"path", "file", "filename", "directory", "folder"}, HEUR_S_PATH},
		    {{"url", "uri", "link"}, HEUR_S_URL},
		    {{"email"}, HEUR_S_EMAIL},
		    {{"date"}, HEUR_S_DATE}};
	struct heur_words words = {0};
	assay_str text = r->json->str(r->json->get(p->schema, "description"));
	heur_split(&r->arena, heur_sub(text, 0, text_head(text, 120).len), &words);
	for (size_t i = 0; i < sizeof told / sizeof *told && words.n > 0; i++) {
		if (heur_has_any(&words, told[i].words)) {
			return told[i].sense;
		}
	}
	return HEUR_S_OTHER;
}

static void read_sense(struct heur_run *r, const struct heur_tool *t, struct heur_param *p)
{
	static const char *const lows[] = {"min", "minimum", "low", "lowest", NULL};
	static const char *const highs[] = {"max", "maximum", "high", "highest", NULL};
	static const char *const files[] = {"file", "directory", "folder", "path", NULL};
	static const char *const counts[] = {"result", "item", "row", "limit", "hit", NULL};
	static const char *const froms[] = {"from", "sourc", "source", "src",   "origin", "start",
					    "base", "since", "after",  "begin", "old",    NULL};
	static const char *const tos[] = {"to",    "target", "dest",   "destination", "end",
					  "until", "befor",  "before", "new",         NULL};
	bool numeric = (p->types & (HEUR_T_INTEGER | HEUR_T_NUMBER)) != 0 && (p->types & HEUR_T_STRING) == 0;
	p->sense = sense_by_format(r->json->str(r->json->get(p->schema, "format")));
	if (p->sense == HEUR_S_OTHER && p->words.n > 0) {
		p->sense = sense_by_word(p->words.list[p->words.n - 1].stem);
		for (size_t i = p->words.n; p->sense == HEUR_S_OTHER && i-- > 0;) {
			p->sense = sense_by_word(p->words.list[i].stem);
		}
	}
	if (p->sense == HEUR_S_OTHER) {
		p->sense = sense_by_description(r, p);
	}
	if (p->sense == HEUR_S_AMOUNT && p->words.n > 1 && text_is(p->words.list[p->words.n - 1].stem, "number")) {
		p->sense = HEUR_S_ID; /* issue_number */
	} else if (numeric && heur_has_any(&p->words, counts)) {
		p->sense = HEUR_S_LIMIT;
	} else if (heur_has_any(&p->words, lows)) {
		p->sense = HEUR_S_LOW;
	} else if (heur_has_any(&p->words, highs)) {
		p->sense = HEUR_S_HIGH;
	} else if (numeric && p->sense != HEUR_S_ID && p->sense != HEUR_S_LIMIT) {
		p->sense = HEUR_S_AMOUNT; /* days, size, year */
	} else if (p->sense == HEUR_S_OTHER &&
		   heur_is_date(r->json->str(r->json->first(r->json->get(p->schema, "examples"))))) {
		p->sense = HEUR_S_DATE;
	}
	p->from = heur_has_any(&p->words, froms);
	p->to = heur_has_any(&p->words, tos);
	if (p->sense == HEUR_S_OTHER && (p->from || p->to) && text_in(t->head, files)) {
		p->sense = HEUR_S_PATH; /* the source of move_file */
	}
}

/* Follow a local $ref and look through unions for the alternative that is not null. */
static const assay_json *resolve(const struct heur_run *r, const assay_json *root, const assay_json *schema)
{
	static const char *const unions[] = {"anyOf", "oneOf", "allOf"};
	for (int hops = 0; hops < 8; hops++) {
		assay_str ref = r->json->str(r->json->get(schema, "$ref"));
		const assay_json *next = NULL;
		char pointer[200];
		if (ref.len > 1 && ref.ptr[0] == '#' && ref.len < sizeof pointer) {
			memcpy(pointer, ref.ptr + 1, ref.len - 1);
			pointer[ref.len - 1] = '\0';
			next = r->json->pointer(root, pointer);
		}
		for (size_t i = 0; !next && i < sizeof unions / sizeof *unions; i++) {
			const assay_json *each = r->json->first(r->json->get(schema, unions[i]));
			while (each && text_is(r->json->str(r->json->get(each, "type")), "null")) {
				each = r->json->next(each);
			}
			next = r->json->get(schema, "type") ? NULL : each;
		}
		if (!next) {
			break;
		}
		schema = next;
	}
	return schema;
}

static unsigned type_bit(assay_str name)
{
	static const char *const names[] = {"string", "integer", "number", "boolean", "array", "object"};
	for (unsigned i = 0; i < 6; i++) {
		if (text_is(name, names[i])) {
			return 1u << i;
		}
	}
	return 0;
}

static unsigned types_of(const struct heur_run *r, const assay_json *schema)
{
	const assay_json *type = r->json->get(schema, "type");
	unsigned bits = type_bit(r->json->str(type));
	for (const assay_json *t = r->json->type(type) == ASSAY_JSON_ARRAY ? r->json->first(type) : NULL; t;
	     t = r->json->next(t)) {
		bits |= type_bit(r->json->str(t));
	}
	if (bits == 0 && r->json->get(schema, "properties")) {
		bits = HEUR_T_OBJECT;
	} else if (bits == 0 && r->json->get(schema, "items")) {
		bits = HEUR_T_ARRAY;
	} else if (bits == 0 && r->json->get(schema, "enum")) {
		bits = HEUR_T_STRING;
	}
	return bits ? bits : HEUR_T_ANY;
}

static bool listed(const struct heur_run *r, const assay_json *list, assay_str name)
{
	for (const assay_json *e = r->json->first(list); e; e = r->json->next(e)) {
		if (text_same(r->json->str(e), name)) {
			return true;
		}
	}
	return false;
}

static void read_properties(struct heur_run *r, struct heur_tool *t, size_t *cap, const assay_json *schema, int parent,
			    int depth);

static void read_param(struct heur_run *r, struct heur_tool *t, size_t *cap, const assay_json *member, int parent,
		       bool required, int depth)
{
	struct heur_param *p = text_push(&r->arena, &t->params, &t->n_params, cap, sizeof *p);
	int index = (int)t->n_params - 1;
	if (!p) {
		return;
	}
	*p = (struct heur_param){.name = r->json->key(member), .parent = parent, .required = required};
	p->schema = resolve(r, t->parameters, member);
	p->types = types_of(r, p->schema);
	p->otherwise = r->json->get(member, "default");
	p->list = p->types == HEUR_T_ARRAY;
	const assay_json *inside = p->list ? resolve(r, t->parameters, r->json->get(p->schema, "items")) : p->schema;
	if (p->list && inside) {
		p->types = types_of(r, inside);
		p->schema = inside;
	}
	p->options = r->json->get(inside, "enum");
	heur_split_name(&r->arena, p->name, &p->words);
	read_sense(r, t, p);
	p->inner = p->types == HEUR_T_OBJECT && r->json->count(r->json->get(inside, "properties")) > 0;
	if (p->inner) {
		read_properties(r, t, cap, inside, index, depth + 1); /* p may have moved */
	}
}

static void read_properties(struct heur_run *r, struct heur_tool *t, size_t *cap, const assay_json *schema, int parent,
			    int depth)
{
	const assay_json *required = r->json->get(schema, "required");
	const assay_json *properties = r->json->get(schema, "properties");
	if (depth >= HEUR_MAX_NESTING || r->json->type(properties) != ASSAY_JSON_OBJECT) {
		return;
	}
	for (const assay_json *m = r->json->first(properties); m && t->n_params < HEUR_MAX_PARAMS;
	     m = r->json->next(m)) {
		read_param(r, t, cap, m, parent, listed(r, required, r->json->key(m)), depth);
	}
}

void heur_read_params(struct heur_run *r, struct heur_tool *t)
{
	size_t cap = 0;
	if (!t->parsed) {
		t->parsed = true;
		read_properties(r, t, &cap, resolve(r, t->parameters, t->parameters), -1, 0);
	}
}

bool heur_needed(const struct heur_tool *t, int param)
{
	while (param >= 0 && t->params[param].required) {
		param = t->params[param].parent;
	}
	return param < 0;
}
