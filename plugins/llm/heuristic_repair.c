/* llm/heuristic, rule 7: what an error tells about the next try. */
#include "heuristic.h"
#include <string.h>

struct trouble {
	struct heur_run *r;
	struct heur_clause *clause;
	const struct heur_tool *tool;
	const assay_json *arguments;
	assay_str text;
	int param; /* the one to blame, -1: unknown */
	assay_str given;
};

static void add_fix(struct trouble *t, enum heur_fix_kind kind, int param, assay_str text)
{
	struct heur_fix *f = text_alloc(&t->r->arena, 1, sizeof *f);
	if (f) {
		/* Behind the older ones: the last fix of a parameter counts. */
		struct heur_fix **end = &t->clause->fixes;
		while (*end) {
			end = &(*end)->next;
		}
		*f = (struct heur_fix){.kind = kind, .param = param, .text = text};
		*end = f;
	}
}

static size_t find_fold(assay_str hay, const char *needle)
{
	size_t n = strlen(needle);
	for (size_t i = 0; i + n <= hay.len; i++) {
		if (text_starts(heur_sub(hay, i, hay.len), needle)) {
			return i;
		}
	}
	return SIZE_MAX;
}

static bool says(assay_str text, const char *const *phrases)
{
	for (; *phrases; phrases++) {
		if (find_fold(text, *phrases) != SIZE_MAX) {
			return true;
		}
	}
	return false;
}

/* --- Who is to blame --- */

static assay_str argument_text(const struct trouble *t, size_t param)
{
	const struct heur_param *p = &t->tool->params[param];
	const assay_json *v = p->parent < 0 ? t->r->json->get_n(t->arguments, p->name) : NULL;
	return heur_scalar(t->r, v);
}

/* The parameter that the error names, else the one whose value it quotes. */
static void find_blame(struct trouble *t)
{
	size_t first = SIZE_MAX;
	t->param = -1;
	for (size_t i = 0; i < t->tool->n_params; i++) {
		size_t at = text_find_word(t->text, t->tool->params[i].name);
		if (at < first) {
			first = at;
			t->param = (int)i;
		}
	}
	for (size_t i = 0; i < t->tool->n_params; i++) {
		assay_str given = argument_text(t, i);
		/* A quoted value says more than a name that may be an ordinary word. */
		if (given.len >= 2 && text_find_word(t->text, given) != SIZE_MAX) {
			t->param = (int)i;
			break;
		}
	}
	t->given = t->param >= 0 ? argument_text(t, (size_t)t->param) : (assay_str){0};
}

static int only_text_param(const struct trouble *t)
{
	int found = -1;
	for (size_t i = 0; i < t->tool->n_params; i++) {
		if (argument_text(t, i).len > 0 && (t->tool->params[i].types & HEUR_T_STRING)) {
			if (found >= 0) {
				return -1;
			}
			found = (int)i;
		}
	}
	return found;
}

/* --- Lists in errors --- */

enum { MAX_ITEMS = 40 };

static size_t quoted_items(assay_str text, assay_str *items)
{
	size_t n = 0;
	for (size_t i = 0; i < text.len && n < MAX_ITEMS; i++) {
		char q = text.ptr[i];
		if ((q != '"' && q != '\'' && q != '`') || (i > 0 && text_word_byte(text.ptr[i - 1]))) {
			continue;
		}
		const char *end = i + 1 < text.len ? memchr(text.ptr + i + 1, q, text.len - i - 1) : NULL;
		if (!end) {
			break;
		}
		size_t to = (size_t)(end - text.ptr);
		if (to > i + 1) {
			items[n++] = heur_sub(text, i + 1, to);
		}
		i = to;
	}
	return n;
}

/* a, b, c or d; up to the end of the sentence or bracket. */
static size_t plain_items(assay_str text, assay_str *items)
{
	size_t n = 0, from = 0;
	while (from < text.len &&
	       (text.ptr[from] == ':' || text.ptr[from] == ' ' || text.ptr[from] == '[' || text.ptr[from] == '(')) {
		from++;
	}
	for (size_t i = from; i <= text.len && n < MAX_ITEMS; i++) {
		bool sentence = i < text.len && (text.ptr[i] == '.' || text.ptr[i] == '?') &&
				(i + 1 == text.len || text.ptr[i + 1] == ' ' || text.ptr[i + 1] == '\n');
		bool end = i == text.len || sentence || strchr("])}\n;", text.ptr[i]) != NULL;
		bool join = !end && (text.ptr[i] == ',' || text.ptr[i] == '|' ||
				     text_starts(heur_sub(text, i, text.len), " or ") ||
				     text_starts(heur_sub(text, i, text.len), " and "));
		if (!end && !join) {
			continue;
		}
		assay_str item = text_trim(heur_sub(text, from, i));
		if (text_starts(item, "or ") || text_starts(item, "and ")) {
			item = text_trim(heur_sub(item, 3, item.len));
		}
		if (item.len > 0 && item.len <= 80) {
			items[n++] = item;
		}
		if (end) {
			break;
		}
		from = text.ptr[i] == ' ' ? i + 4 : i + 1;
	}
	return n;
}

static size_t items_after(assay_str text, size_t at, assay_str *items)
{
	assay_str rest = heur_sub(text, at, text.len);
	size_t n = quoted_items(rest, items);
	return n > 0 ? n : plain_items(rest, items);
}

/* The item that the goal mentions, else the one nearest to what was given. */
static assay_str best_item(const struct trouble *t, const assay_str *items, size_t n, double least)
{
	assay_str best = {0};
	double most = least;
	for (size_t i = 0; i < n; i++) {
		if (text_same(items[i], t->given)) {
			continue;
		}
		double score = t->given.len > 0 ? t->r->host->text->ratio(t->given, items[i]) : 0;
		if (text_find_word(t->clause->text, items[i]) != SIZE_MAX) {
			score += 1;
		} else if (text_find_word(t->r->goal, items[i]) != SIZE_MAX) {
			score += 0.4;
		}
		if (score > most) {
			most = score;
			best = items[i];
		}
	}
	return best;
}

/* --- Kinds of trouble --- */

static bool suggestion(struct trouble *t)
{
	static const char *const marks[] = {"did you mean", "do you mean", "closest match", "perhaps",
					    "similar",      "maybe",       "nearest",       NULL};
	assay_str items[MAX_ITEMS];
	int param = t->param >= 0 ? t->param : only_text_param(t);
	for (size_t i = 0; marks[i] && param >= 0; i++) {
		size_t at = find_fold(t->text, marks[i]);
		if (at == SIZE_MAX) {
			continue;
		}
		size_t n = items_after(t->text, at + strlen(marks[i]), items);
		assay_str item = best_item(t, items, n, -1);
		if (item.len > 0 && heur_type_fits(t->r, &t->tool->params[param], item)) {
			add_fix(t, HEUR_SET, param, item);
			return true;
		}
	}
	return false;
}

static bool is_type_word(assay_str item)
{
	static const char *const words[] = {"integer",    "number",   "string",   "boolean",   "array",    "object",
					    "an integer", "a number", "a string", "a boolean", "an array", NULL};
	return text_in(item, words);
}

static bool allowed_values(struct trouble *t)
{
	static const char *const marks[] = {"one of",      "valid values", "allowed values", "allowed",
					    "choose from", "supported",    "available",      "expected",
					    "must be",     "known",        "options",        "valid",
					    "in use",      "there are",    "possible",       NULL};
	assay_str items[MAX_ITEMS];
	int param = t->param >= 0 ? t->param : only_text_param(t);
	for (size_t i = 0; marks[i] && param >= 0; i++) {
		size_t at = text_find_word(t->text, (assay_str){marks[i], strlen(marks[i])});
		size_t n = at == SIZE_MAX ? 0 : items_after(t->text, at + strlen(marks[i]), items);
		if (n < 1 || is_type_word(items[0])) {
			continue;
		}
		assay_str item = best_item(t, items, n, n > 1 ? 0.34 : 0.5);
		if (item.len > 0 && heur_type_fits(t->r, &t->tool->params[param], item)) {
			add_fix(t, HEUR_SET, param, item);
			return true;
		}
	}
	return false;
}

/* "between 1 and 50", "at most 10": the bound that was passed. */
static bool out_of_range(struct trouble *t)
{
	static const char *const marks[] = {"between",  "at most", "maximum", "no more than",
					    "at least", "minimum", "only",    "less than or equal to",
					    "<=",       ">=",      NULL};
	double given, number;
	if (t->param < 0 || !heur_number(t->given, &given)) {
		return false;
	}
	for (size_t i = 0; marks[i]; i++) {
		size_t at = find_fold(t->text, marks[i]);
		struct heur_words words = {0};
		if (at == SIZE_MAX) {
			continue;
		}
		heur_split(&t->r->arena, heur_sub(t->text, at, at + 60), &words);
		assay_str pick = {0};
		for (size_t k = 0; k < words.n; k++) {
			if (heur_number(words.list[k].lower, &number) &&
			    (pick.len == 0 || (i == 0 && given > number))) {
				pick = words.list[k].lower;
			}
		}
		if (pick.len > 0 && !text_same(pick, t->given)) {
			add_fix(t, HEUR_SET, t->param, pick);
			return true;
		}
	}
	return false;
}

static bool unknown_argument(struct trouble *t)
{
	static const char *const marks[] = {"unexpected",        "additional",
					    "unknown key",       "unknown argument",
					    "unknown parameter", "unrecognized",
					    "unrecognised",      "not allowed",
					    "unknown property",  NULL};
	if (t->param < 0 || heur_needed(t->tool, t->param) || !says(t->text, marks)) {
		return false;
	}
	add_fix(t, HEUR_DROP, t->param, (assay_str){0});
	return true;
}

static bool something_missing(struct trouble *t)
{
	static const char *const marks[] = {"required",  "missing", "must give", "needs a",
					    "must have", "provide", NULL};
	if (!says(t->text, marks) || t->given.len > 0) {
		return false;
	}
	if (t->param >= 0) {
		add_fix(t, HEUR_SUPPLY, t->param, (assay_str){0});
	}
	t->clause->wide = true;
	return t->param >= 0;
}

/* What was given names the thing but does not identify it: look it up. */
static bool not_found(struct trouble *t)
{
	static const char *const marks[] = {"not found", "no such",     "does not exist", "doesn't exist", "unknown",
					    "no ",       "cannot find", "could not find", "invalid",       "not exist",
					    NULL};
	int param = t->param >= 0 ? t->param : only_text_param(t);
	if (param < 0 || !says(t->text, marks) ||
	    !heur_can_produce(t->r, t->tool, (size_t)param, (int)(t->clause - t->r->clauses))) {
		return false;
	}
	add_fix(t, HEUR_SUPPLY, param, argument_text(t, (size_t)param));
	return true;
}

/* Learn from the clause's last error. False: it says nothing that helps. */
bool heur_repair(struct heur_run *r, struct heur_clause *c)
{
	const struct heur_step *s = &r->steps[c->last_error];
	if (s->call.tool < 0) {
		return false;
	}
	struct trouble t = {
		.r = r, .clause = c, .tool = &r->tools[s->call.tool], .arguments = s->call.arguments, .text = s->text};
	heur_read_params(r, &r->tools[s->call.tool]);
	t.text = heur_sub(t.text, 0, text_head(t.text, 2000).len);
	find_blame(&t);
	/* An id that the user gave is no slip of the pen when something would be changed by it. */
	if (heur_writes(t.tool->act) && heur_id_like(t.given) && text_find_word(r->goal, t.given) != SIZE_MAX) {
		return false;
	}
	return suggestion(&t) || unknown_argument(&t) || out_of_range(&t) || allowed_values(&t) ||
	       something_missing(&t) || not_found(&t);
}
