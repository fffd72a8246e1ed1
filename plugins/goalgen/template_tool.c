/* goalgen/template: what tools do and take, from their names, descriptions and schemas. */
#include "template.h"
#include <string.h>

/* --- Verbs and nouns --------------------------------------------------------------------------------------------- */

struct verb {
	enum tmpl_act act;
	const char *const words[48];
};

static const struct verb verbs[] = {
	{TMPL_SEARCH, {"search", "find", "query", "lookup", "locate", "discover", "match"}},
	{TMPL_LIST, {"list", "browse", "enumerate"}},
	{TMPL_GET, {"get",  "read",    "fetch",  "show",    "view", "describe", "retrieve", "inspect",
		    "load", "tell",    "return", "give",    "look", "check",    "display",  "download",
		    "open", "explain", "report", "provide", "stat", "identify"}},
	{TMPL_COMPUTE,
	 {"convert",  "calculate", "compute",   "count",     "compare",  "parse",   "validate", "estimate",
	  "encode",   "decode",    "transform", "translate", "sum",      "measure", "multiply", "divide",
	  "subtract", "hash",      "format",    "determine", "evaluate", "solve",   "analyze",  "analyse"}},
	{TMPL_CREATE, {"create", "add",      "append",   "place",  "write",   "make",    "insert", "send",   "post",
		       "book",   "schedule", "register", "submit", "publish", "reserve", "save",   "put",    "upload",
		       "order",  "buy",      "generate", "store",  "log",     "record",  "copy",   "import", "invite"}},
	{TMPL_CHANGE,
	 {"update",   "rename", "set",     "edit",       "change", "modify",  "move",     "replace", "mark",
	  "assign",   "close",  "reopen",  "restore",    "enable", "disable", "increase", "reduce",  "merge",
	  "transfer", "apply",  "patch",   "push",       "commit", "run",     "execute",  "start",   "stop",
	  "pay",      "refund", "ship",    "initialize", "init",   "stash",   "checkout", "switch",  "stage",
	  "unstage",  "pull",   "install", "configure",  "toggle", "trigger", "click",    "type",    "navigate"}},
	{TMPL_REMOVE,
	 {"delete", "remove", "cancel", "drop", "clear", "purge", "wipe", "destroy", "truncate", "reset", "revoke",
	  "uninstall", "archive", "erase", "discard", "trash", "void", "kill", "unsubscribe"}},
};

static enum tmpl_act exact_verb(assay_str word)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		if (text_in(word, verbs[i].words)) {
			return verbs[i].act;
		}
	}
	return TMPL_NONE;
}

enum tmpl_act tmpl_verb(assay_str word)
{
	enum tmpl_act act = exact_verb(word);
	if (act == TMPL_NONE && word.len > 3 && word.ptr[word.len - 1] == 's') {
		word.len--; /* lists */
		act = exact_verb(word);
		if (act == TMPL_NONE && word.ptr[word.len - 1] == 'e') {
			word.len--; /* searches */
			act = exact_verb(word);
		}
	}
	return act;
}

bool tmpl_stop_word(assay_str lower)
{
	static const char *const words[] = {"a",     "about", "after", "all",  "also", "an",    "and",   "any",  "are",
					    "as",    "at",    "be",    "been", "but",  "by",    "can",   "each", "for",
					    "from",  "had",   "has",   "have", "her",  "his",   "if",    "in",   "into",
					    "is",    "it",    "its",   "no",   "not",  "of",    "on",    "one",  "only",
					    "or",    "our",   "out",   "so",   "some", "than",  "that",  "the",  "them",
					    "then",  "they",  "their", "this", "to",   "under", "until", "up",   "was",
					    "were",  "what",  "when",  "with", "you",  "your",  "above", "over", "when",
					    "which", NULL};
	return text_in(lower, words);
}

bool tmpl_generic_noun(assay_str lower)
{
	static const char *const words[] = {"detail",  "details",  "info",      "information", "item",     "items",
					    "data",    "status",   "summary",   "record",      "records",  "entry",
					    "entries", "result",   "results",   "content",     "contents", "object",
					    "objects", "resource", "resources", "all",         "full",     "text",
					    "number",  "tool",     "metadata",  NULL};
	return text_in(lower, words);
}

static const char *const prepositions[] = {"by", "for",  "from", "with", "in",      "of",    "to", "on",
					   "at", "into", "via",  "and",  "between", "about", NULL};

/* --- Parameters -------------------------------------------------------------------------------------------------- */

/* Look through unions for the first alternative that is not null, a few levels deep. */
static const assay_json *resolve(const struct tmpl_run *r, const assay_json *schema)
{
	const assay_json_api *J = r->json;
	for (int depth = 0; depth < 4; depth++) {
		const assay_json *any = J->get(schema, "anyOf"), *inner = NULL;
		any = any ? any : J->get(schema, "oneOf");
		for (const assay_json *e = J->first(any); e && !inner; e = J->next(e)) {
			inner = text_is(J->str(J->get(e, "type")), "null") ? NULL : e;
		}
		if (!inner) {
			break;
		}
		schema = inner;
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

static unsigned types_of(const struct tmpl_run *r, const assay_json *schema)
{
	const assay_json *type = r->json->get(schema, "type"), *first;
	unsigned bits = type_bit(r->json->str(type));
	for (const assay_json *e = r->json->first(type); e; e = r->json->next(e)) {
		bits |= type_bit(r->json->str(e));
	}
	if (bits == 0 && (first = r->json->first(r->json->get(schema, "enum"))) != NULL) {
		bits = r->json->type(first) == ASSAY_JSON_NUMBER ? TMPL_NUMBER : TMPL_STRING;
	}
	return bits;
}

struct sense_words {
	enum tmpl_sense sense;
	const char *const words[16];
};

static const struct sense_words senses[] = {
	{TMPL_ID, {"id", "identifier", "uuid", "key", "sku", "isbn", "ref", "ids", "guid", "iban"}},
	{TMPL_URL, {"url", "uri", "link", "href"}},
	{TMPL_EMAIL, {"email", "mail"}},
	{TMPL_LIMIT,
	 {"limit", "page", "offset", "cursor", "top", "results", "format", "sort", "order", "fields", "decimals",
	  "depth"}},
	{TMPL_QUERY, {"query", "q", "search", "keyword", "keywords", "term", "terms", "phrase", "question", "pattern"}},
	{TMPL_PATH, {"path", "file", "filename", "directory", "folder", "dir", "paths"}},
	{TMPL_DATE, {"date", "day", "since", "until", "deadline", "due"}},
	{TMPL_TIME, {"time", "timestamp", "instant", "datetime"}},
	{TMPL_TITLE, {"title", "name", "subject", "heading"}},
	{TMPL_CONTENT,
	 {"content", "body", "text", "message", "comment", "note", "description", "reason", "markdown", "input",
	  "string", "sentence"}},
	{TMPL_PLACE, {"city", "country", "place", "location", "region", "town"}},
};

static enum tmpl_sense sense_by_word(assay_str word)
{
	while (word.len > 2 && text_digit(word.ptr[word.len - 1])) {
		word.len--; /* text1, date2 */
	}
	for (size_t i = 0; i < sizeof senses / sizeof *senses; i++) {
		if (text_in(word, senses[i].words)) {
			return senses[i].sense;
		}
	}
	return TMPL_OTHER;
}

static enum tmpl_sense sense_of(const struct tmpl_run *r, const struct tmpl_param *p)
{
	assay_str format = r->json->str(r->json->get(p->schema, "format"));
	assay_str example = r->json->str(r->json->first(r->json->get(p->schema, "examples")));
	enum tmpl_sense sense = TMPL_OTHER;
	if (r->json->count(r->json->get(p->schema, "enum")) > 0) {
		bool manner = !p->required && sense_by_word(p->words.list[0]) == TMPL_LIMIT; /* sort_by */
		return manner ? TMPL_LIMIT : TMPL_OPTION;
	}
	if (p->types == TMPL_BOOLEAN) {
		return TMPL_SWITCH;
	}
	for (size_t i = p->words.n; i-- > 0 && sense == TMPL_OTHER;) {
		sense = sense_by_word(p->words.list[i]);
	}
	if ((p->types & TMPL_STRING) == 0 && sense != TMPL_ID && sense != TMPL_LIMIT) {
		return TMPL_AMOUNT;
	}
	if (text_is(format, "date") || text_is(format, "date-time")) {
		return text_is(format, "date") ? TMPL_DATE : TMPL_TIME;
	}
	if (text_is(format, "uri") || text_is(format, "email")) {
		return text_is(format, "uri") ? TMPL_URL : TMPL_EMAIL;
	}
	return sense == TMPL_OTHER && tmpl_date_like(example) ? TMPL_DATE : sense;
}

static bool is_required(const struct tmpl_run *r, const assay_json *schema, assay_str name)
{
	for (const assay_json *e = r->json->first(r->json->get(schema, "required")); e; e = r->json->next(e)) {
		if (text_same(r->json->str(e), name)) {
			return true;
		}
	}
	return false;
}

static void read_param(struct tmpl_run *r, struct tmpl_tool *t, const assay_json *schema, const assay_json *member)
{
	assay_str name = r->json->key(member);
	bool required = is_required(r, schema, name);
	struct tmpl_param *p = &t->params[t->n_params];
	if (t->n_params == TMPL_MAX_PARAMS || name.len == 0 || name.len > 60) {
		t->odd = t->odd || required;
		return;
	}
	*p = (struct tmpl_param){.name = name, .required = required, .schema = resolve(r, member)};
	p->types = types_of(r, p->schema);
	if (p->types == TMPL_ARRAY) {
		p->list = true;
		p->schema = resolve(r, r->json->get(p->schema, "items"));
		p->types = types_of(r, p->schema);
	}
	if (p->types == 0 || (p->types & (TMPL_ARRAY | TMPL_OBJECT)) != 0) {
		t->odd = t->odd || required;
		return;
	}
	tmpl_split(&r->arena, name, &p->words);
	if (p->words.n == 0) {
		t->odd = t->odd || required;
		return;
	}
	p->sense = sense_of(r, p);
	/* The name of what is being made, and "new_name", are no names that exist. */
	bool names = p->sense == TMPL_TITLE || p->sense == TMPL_PATH;
	bool own = p->words.n == 1 || tmpl_has(&p->words, t->noun);
	bool adds = t->words.n > 0 && (text_is(t->words.list[0], "append") || text_is(t->words.list[0], "add"));
	p->fresh = names && ((t->act == TMPL_CREATE && own && !adds) || text_is(p->words.list[0], "new"));
	t->n_params++;
}

/* --- Tools ------------------------------------------------------------------------------------------------------- */

static assay_str first_sentence(assay_str text)
{
	size_t cut = text.len < 300 ? text.len : 300;
	for (size_t i = 0; i < cut; i++) {
		bool stop =
			text.ptr[i] == '.' && (i + 1 == text.len || text.ptr[i + 1] == ' ' || text.ptr[i + 1] == '\n');
		if (stop || text.ptr[i] == '\n') {
			return (assay_str){text.ptr, i};
		}
	}
	return (assay_str){text.ptr, cut};
}

static enum tmpl_act act_of(const struct tmpl_tool *t)
{
	enum tmpl_act act = t->words.n > 0 ? exact_verb(t->words.list[0]) : TMPL_NONE;
	if (act == TMPL_NONE && t->about.n > 0) {
		act = tmpl_verb(t->about.list[0]);
	}
	for (size_t i = 1; i < t->words.n && act == TMPL_NONE; i++) {
		act = exact_verb(t->words.list[i]); /* note_create */
	}
	return act;
}

/* The key of the one list of objects that the tool says it returns. */
static assay_str listed_key(const struct tmpl_run *r, const assay_tool *tool)
{
	assay_str found = {0};
	const assay_json *properties = r->json->get(tool->output_schema, "properties");
	for (const assay_json *m = r->json->first(properties); m; m = r->json->next(m)) {
		const assay_json *items = r->json->get(m, "items");
		if (text_is(r->json->str(r->json->get(m, "type")), "array") && r->json->get(items, "properties")) {
			if (found.len > 0) {
				return (assay_str){0};
			}
			found = r->json->key(m);
		}
	}
	return found;
}

/* "Get the details of one order by its number": order. Lists and searches are about something plural. */
static assay_str noun_of_description(struct tmpl_run *r, const struct tmpl_tool *t)
{
	static const char *const ends[] = {"by",    "for",        "given",   "with", "without", "using",
					   "from",  "return",     "returns", "that", "and",     "which",
					   "whose", "optionally", "when",    "as",   NULL};
	bool many = t->act == TMPL_LIST || t->act == TMPL_SEARCH;
	for (size_t i = 1; i < t->about.n && i < 10 && !text_in(t->about.list[i], ends); i++) {
		assay_str w = t->about.list[i];
		bool vague = tmpl_stop_word(w) || tmpl_generic_noun(w) || text_digit(w.ptr[0]);
		bool inner = i + 1 < t->about.n && !tmpl_stop_word(t->about.list[i + 1]) &&
			     !text_in(t->about.list[i + 1], ends) && !text_in(t->about.list[i + 1], prepositions);
		bool plural = tmpl_singular(&r->arena, w).len < w.len;
		if (!vague && !inner && (!many || plural)) {
			return tmpl_singular(&r->arena, w);
		}
	}
	return (assay_str){0};
}

static assay_str noun_of_name(struct tmpl_run *r, const struct tmpl_tool *t)
{
	struct tmpl_words rest = {.n = 0}, server = {.n = 0};
	tmpl_split(&r->arena, t->tool->server, &server);
	for (size_t i =
		     t->words.n > 1 && tmpl_has(&server, t->words.list[0]) && exact_verb(t->words.list[0]) == TMPL_NONE;
	     i < t->words.n && !(i > 0 && text_in(t->words.list[i], prepositions)); i++) {
		assay_str w = t->words.list[i];
		bool verb = (i == 0 || rest.n == 0) && exact_verb(w) != TMPL_NONE;
		if (!verb && !text_is(w, "all") && !tmpl_stop_word(w)) {
			rest.list[rest.n++] = w;
		}
	}
	/* note_create */
	if (rest.n > 1 && exact_verb(rest.list[rest.n - 1]) == t->act) {
		rest.n--;
	}
	if (rest.n == 0 || rest.n > 3 || tmpl_generic_noun(rest.list[rest.n - 1])) {
		return (assay_str){0};
	}
	rest.list[rest.n - 1] = tmpl_singular(&r->arena, rest.list[rest.n - 1]);
	return tmpl_join(&r->arena, &rest, 0);
}

static void read_noun(struct tmpl_run *r, struct tmpl_tool *t)
{
	t->noun = noun_of_name(r, t);
	if (t->noun.len == 0 && (t->act == TMPL_LIST || t->act == TMPL_SEARCH)) {
		struct tmpl_words words = {.n = 0};
		tmpl_split(&r->arena, listed_key(r, t->tool), &words);
		if (words.n > 0 && words.n <= 3 && !tmpl_generic_noun(words.list[words.n - 1])) {
			words.list[words.n - 1] = tmpl_singular(&r->arena, words.list[words.n - 1]);
			t->noun = tmpl_join(&r->arena, &words, 0);
		}
	}
	if (t->noun.len == 0) {
		t->noun = noun_of_description(r, t);
	}
}

void tmpl_read_tool(struct tmpl_run *r, const assay_tool *tool, struct tmpl_tool *out)
{
	*out = (struct tmpl_tool){.tool = tool};
	tmpl_split(&r->arena, tool->name, &out->words);
	tmpl_split(&r->arena, first_sentence(tool->description), &out->about);
	out->act = act_of(out);
	bool safe = (tool->flags & (ASSAY_TOOL_WRITES | ASSAY_TOOL_DESTRUCTIVE)) == 0;
	bool says_so = r->json->boolean(r->json->get(tool->annotations, "readOnlyHint"), 0) != 0;
	bool does = out->act == TMPL_CREATE || out->act == TMPL_CHANGE || out->act == TMPL_REMOVE;
	/* What is not known to read is not called. */
	out->reads = safe && (says_so || (!does && out->act != TMPL_NONE));
	if (out->reads && does) {
		out->act = TMPL_COMPUTE; /* adds days to a date */
	}
	if (out->act == TMPL_NONE) {
		out->act = out->reads ? TMPL_GET : TMPL_CHANGE;
	}
	for (size_t i = 0; i < out->words.n && (tool->flags & ASSAY_TOOL_DESTRUCTIVE); i++) {
		out->whole =
			out->whole || text_is(out->words.list[i], "all") || text_is(out->words.list[i], "everything");
	}
	read_noun(r, out);
	const assay_json *properties = r->json->get(tool->input_schema, "properties");
	for (const assay_json *m = r->json->first(properties); m; m = r->json->next(m)) {
		read_param(r, out, tool->input_schema, m);
	}
	for (const assay_json *m = r->json->first(r->json->get(tool->input_schema, "required")); m;
	     m = r->json->next(m)) {
		bool known = false;
		for (size_t i = 0; i < out->n_params && !known; i++) {
			known = text_same(out->params[i].name, r->json->str(m));
		}
		out->odd = out->odd || !known;
	}
}
