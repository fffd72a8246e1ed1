/* goalgen/template: values for parameters, from what was seen and from schemas. */
#include "template.h"
#include <string.h>

uint32_t tmpl_below(struct tmpl_run *r, uint32_t n)
{
	return n > 1 ? r->host->rng->below(r->call, n) : 0;
}

/* --- Choosing among leaves --------------------------------------------------------------------------------------- */

/* Leaves that may be taken, with the best of their ranks first; ties are broken at random. */
struct choice {
	int best, rank;
	uint32_t n;
};

static void offer(struct tmpl_run *r, struct choice *c, size_t leaf, int rank)
{
	if (rank > c->rank || c->n == 0) {
		*c = (struct choice){(int)leaf, rank, 1};
	} else if (rank == c->rank && tmpl_below(r, ++c->n) == 0) {
		c->best = (int)leaf; /* each of n with probability 1/n */
	}
}

static bool used_in_step(const struct tmpl_step *s, assay_str text)
{
	for (size_t i = 0; i < TMPL_MAX_PARAMS; i++) {
		if (s->slots[i].pick != TMPL_NOT_BOUND && text_same(s->slots[i].text, text)) {
			return true;
		}
	}
	for (size_t i = 0; i < s->n_more; i++) {
		if (text_same(s->more[i].text, text)) {
			return true;
		}
	}
	return false;
}

static void take(const struct tmpl_run *r, int leaf, struct tmpl_slot *out)
{
	*out = (struct tmpl_slot){.pick = TMPL_LITERAL,
				  .text = r->leaves[leaf].text,
				  .value = r->leaves[leaf].value,
				  .noun = r->records[r->leaves[leaf].record].noun,
				  .leaf = leaf};
}

/* What the tool itself answered is mostly what it was given. */
static bool own_answer(const struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_leaf *leaf)
{
	int answer = r->records[leaf->record].answer;
	return answer >= 0 && r->answers[answer].tool == s->tool;
}

/* By the name of the leaf. */
static bool bind_named(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p, struct tmpl_slot *out)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		int fit = leaf->plain ? tmpl_name_fit(r, t, p, leaf) : 0;
		int state = fit >= 5 && !t->reads ? tmpl_state_fit(r, t, leaf) : 0;
		if (leaf->local) {
			continue;
		}
		bool amount = p->sense == TMPL_AMOUNT || p->sense == TMPL_DATE;
		bool nothing = amount && (text_is(leaf->text, "0") || own_answer(r, s, leaf));
		if (fit >= 5 && state >= 0 && !nothing && tmpl_type_fits(r, p, leaf) && !used_in_step(s, leaf->text)) {
			offer(r, &c, i, fit * 8 + (state < 7 ? state : 7));
		}
	}
	if (c.best >= 0) {
		take(r, c.best, out);
	}
	return c.best >= 0;
}

static bool is_url(assay_str t)
{
	return text_starts(t, "http://") || text_starts(t, "https://");
}

static bool counts_things(const struct tmpl_leaf *leaf)
{
	static const char *const words[] = {"id", "ids", "count", "number", "index", "key", "year", NULL};
	for (size_t i = 0; i < leaf->words.n; i++) {
		if (text_in(leaf->words.list[i], words)) {
			return true;
		}
	}
	return false;
}

/* By the looks of its text: a date is a date, whatever it is called. */
bool tmpl_looks_right(const struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf)
{
	bool number = r->json->type(leaf->value) == ASSAY_JSON_NUMBER;
	double n = r->json->f64(leaf->value, 0);
	switch (p->sense) {
	case TMPL_DATE:
		return tmpl_date_like(leaf->text);
	case TMPL_URL:
		return is_url(leaf->text);
	case TMPL_EMAIL:
		return memchr(leaf->text.ptr, '@', leaf->text.len) != NULL;
	case TMPL_AMOUNT:
		return number && n > 0 && n <= ((p->types & TMPL_NUMBER) ? 100000 : 500) && !counts_things(leaf) &&
		       leaf->text.len <= 8;
	default:
		return false;
	}
}

static bool bind_by_looks(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p,
			  struct tmpl_slot *out)
{
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		if (leaf->plain && !own_answer(r, s, leaf) && tmpl_looks_right(r, p, leaf) &&
		    tmpl_type_fits(r, p, leaf) && !used_in_step(s, leaf->text)) {
			offer(r, &c, i, p->sense == TMPL_AMOUNT && tmpl_unit(r, &r->tools[s->tool], leaf) ? 2 : 1);
		}
	}
	if (c.best >= 0) {
		take(r, c.best, out);
	}
	return c.best >= 0;
}

/* --- Words to search for ----------------------------------------------------------------------------------------- */

bool tmpl_is_name(const struct tmpl_leaf *leaf)
{
	static const char *const words[] = {"name",    "title",    "heading", "subject", "label", "category", "city",
					    "country", "supplier", "tags",    "tag",     "topic", "author",   NULL};
	return leaf->words.n > 0 && text_in(leaf->words.list[leaf->words.n - 1], words);
}

/* One word of a name, or all of a short one. */
static assay_str word_of(struct tmpl_run *r, assay_str text)
{
	assay_str found = {0};
	uint32_t n = 0;
	if (text.len <= 28 && tmpl_below(r, 3) == 0) {
		return text;
	}
	for (size_t i = 0; i < text.len;) {
		size_t from = i;
		char low[40];
		while (i < text.len && (text_letter(text.ptr[i]) || (unsigned char)text.ptr[i] >= 0x80)) {
			low[(i - from) % sizeof low] = text_lower(text.ptr[i]);
			i++;
		}
		size_t len = i - from;
		if (len >= 4 && len < sizeof low && !tmpl_stop_word((assay_str){low, len}) && tmpl_below(r, ++n) == 0) {
			found = (assay_str){text.ptr + from, len};
		}
		i += len == 0;
	}
	return found;
}

static bool bind_query(struct tmpl_run *r, const struct tmpl_step *s, struct tmpl_slot *out)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool home = text_same(leaf->server, t->tool->server);
		bool kin = home && tmpl_same_stem(r->records[leaf->record].noun, t->noun);
		if (leaf->plain && tmpl_is_name(leaf) && r->json->type(leaf->value) == ASSAY_JSON_STRING) {
			offer(r, &c, i, kin ? 3 : home ? 2 : 1);
		}
	}
	assay_str word = c.best >= 0 ? word_of(r, r->leaves[c.best].text) : (assay_str){0};
	assay_json *value = word.len > 0 ? tmpl_own(r, r->json->string(word)) : NULL;
	if (value) {
		*out = (struct tmpl_slot){.pick = TMPL_LITERAL, .text = word, .value = value, .leaf = c.best};
	}
	return value != NULL;
}

/* --- From the schema --------------------------------------------------------------------------------------------- */

static bool take_schema(struct tmpl_run *r, const assay_json *value, struct tmpl_slot *out)
{
	int type = r->json->type(value);
	assay_str text = type == ASSAY_JSON_NUMBER ? r->json->spelling(value) : r->json->str(value);
	if (!tmpl_plain(r, text)) {
		return false;
	}
	*out = (struct tmpl_slot){.pick = TMPL_LITERAL, .text = text, .value = value, .leaf = -1};
	return true;
}

/* The index within an enum of what another parameter with the same one was given, -1: there is none. */
static int sibling_option(const struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	const assay_json *options = r->json->get(p->schema, "enum");
	for (size_t i = 0; i < t->n_params; i++) {
		const assay_json *theirs = r->json->get(t->params[i].schema, "enum");
		int index = 0;
		if (&t->params[i] == p || s->slots[i].pick == TMPL_NOT_BOUND || !r->json->equal(options, theirs)) {
			continue;
		}
		for (const assay_json *e = r->json->first(theirs); e; e = r->json->next(e), index++) {
			if (r->json->equal(e, s->slots[i].value)) {
				return index;
			}
		}
	}
	return -1;
}

/* The longest option that a key or a description holds: "kilometres per hour", not "kilometres". */
static const assay_json *said_option(struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf,
				     assay_str description)
{
	const assay_json *best = NULL;
	for (const assay_json *e = r->json->first(r->json->get(p->schema, "enum")); e; e = r->json->next(e)) {
		struct tmpl_words words;
		tmpl_split(&r->arena, r->json->str(e), &words);
		assay_str phrase = tmpl_join(&r->arena, &words, 0);
		bool said = text_find_word(description, phrase) != SIZE_MAX ||
			    (words.n == 1 && tmpl_has(&leaf->words, phrase));
		if (said && r->json->str(e).len > r->json->str(best).len) {
			best = e;
		}
	}
	return best;
}

static const assay_json *unit_in(struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf)
{
	int answer = r->records[leaf->record].answer;
	const assay_tool *source = answer < 0 ? NULL : r->tools[r->answers[answer].tool].tool;
	const assay_json *schema = source ? tmpl_property(r, source->output_schema, leaf->key, 0) : NULL;
	return said_option(r, p, leaf, r->json->str(r->json->get(schema, "description")));
}

const assay_json *tmpl_unit(struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf)
{
	const assay_json *found = NULL;
	for (size_t i = 0; i < t->n_params && !found; i++) {
		if (t->params[i].sense == TMPL_OPTION && r->json->type(leaf->value) == ASSAY_JSON_NUMBER) {
			found = unit_in(r, &t->params[i], leaf);
		}
	}
	return found;
}

/* The unit of a number in the same step: its key says it (weight_grams), or what its tool says about it. */
static const assay_json *unit_option(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p)
{
	const assay_json *found = NULL;
	for (size_t i = 0; i < TMPL_MAX_PARAMS && !found; i++) {
		const struct tmpl_slot *v = &s->slots[i];
		bool number = v->pick != TMPL_NOT_BOUND && v->leaf >= 0 && r->json->type(v->value) == ASSAY_JSON_NUMBER;
		found = number ? unit_in(r, p, &r->leaves[v->leaf]) : NULL;
	}
	return found;
}

/* Any option; one near by when it belongs with another, as units of one kind stand together. */
static bool bind_option(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p,
			struct tmpl_slot *out)
{
	const assay_json *options = r->json->get(p->schema, "enum");
	size_t count = r->json->count(options);
	int near = sibling_option(r, s, p);
	const assay_json *unit = near < 0 ? unit_option(r, s, p) : NULL;
	if (unit) {
		return take_schema(r, unit, out);
	}
	size_t index = tmpl_below(r, (uint32_t)(count < 1000 ? count : 1000));
	if (near >= 0) {
		size_t step = 1 + tmpl_below(r, 2), up = (size_t)near + step;
		index = (tmpl_below(r, 2) == 0 && up < count) || (size_t)near < step ? up : (size_t)near - step;
		index = index < count ? index : count - 1;
	}
	return take_schema(r, r->json->at(options, index), out);
}

/* The first value that a description gives as an example: "(e.g., 'Europe/London')". */
static bool bind_told(struct tmpl_run *r, const struct tmpl_param *p, struct tmpl_slot *out)
{
	static const char *const leads[] = {"e.g.", "for example", "such as", "example:"};
	assay_str text = r->json->str(r->json->get(p->schema, "description"));
	size_t at = SIZE_MAX;
	for (size_t i = 0; i < 4 && at == SIZE_MAX && (p->types & TMPL_STRING) && text.len < 2000; i++) {
		at = text_find_word(text, text_cstr(leads[i]));
		at = at == SIZE_MAX ? at : at + strlen(leads[i]);
	}
	while (at < text.len && strchr(" ,:", text.ptr[at])) {
		at++;
	}
	if (at >= text.len) {
		return false;
	}
	bool quoted = strchr("'\"`", text.ptr[at]) != NULL;
	const char *stops = quoted ? (char[]){text.ptr[at], '\0'} : ",;) ";
	size_t from = at + quoted, to = from;
	while (to < text.len && !strchr(stops, text.ptr[to])) {
		to++;
	}
	to -= !quoted && to > from && text.ptr[to - 1] == '.';
	assay_json *value = to > from ? tmpl_own(r, r->json->string((assay_str){text.ptr + from, to - from})) : NULL;
	return value && take_schema(r, value, out);
}

static bool bind_example(struct tmpl_run *r, const struct tmpl_param *p, struct tmpl_slot *out)
{
	const assay_json *examples = r->json->get(p->schema, "examples");
	size_t count = r->json->count(examples);
	if (r->json->get(p->schema, "const")) {
		return take_schema(r, r->json->get(p->schema, "const"), out);
	}
	if (count > 0 &&
	    take_schema(r, r->json->at(examples, tmpl_below(r, (uint32_t)(count < 100 ? count : 100))), out)) {
		return true;
	}
	return take_schema(r, r->json->get(p->schema, "example"), out) ||
	       take_schema(r, r->json->get(p->schema, "default"), out) || bind_told(r, p, out);
}

/* --- Texts of our own -------------------------------------------------------------------------------------------- */

/* A value worth quoting: best one of what the steps so far found, which the reader can make sense of. */
static int quotable(struct tmpl_run *r, const struct tmpl_step *s)
{
	static const char *const labels[] = {"tag", "tags", "category", "topic", NULL};
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < TMPL_MAX_PARAMS; i++) {
		if (s->slots[i].composed && s->slots[i].pick != TMPL_NOT_BOUND) {
			return s->slots[i].leaf; /* title and text are about one thing */
		}
	}
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool text =
			r->json->type(leaf->value) == ASSAY_JSON_STRING && leaf->text.len >= 4 && leaf->text.len <= 48;
		int rank = 1;
		for (size_t k = 0; k < r->n_steps; k++) {
			rank = r->records[leaf->record].answer == r->steps[k].answer && r->steps[k].answer >= 0 ? 2
														: rank;
		}
		if (leaf->plain && text && tmpl_is_name(leaf) &&
		    !text_in(leaf->words.list[leaf->words.n - 1], labels)) {
			offer(r, &c, i, rank);
		}
	}
	return c.best;
}

/* Before and after the name of a thing, to name another one. */
static const struct {
	const char *before, *after;
} titles[] = {{"Questions about ", ""}, {"", ", second look"}, {"Plan for ", ""}, {"", " to check"}};

/* Beside a file or folder that is there, under a name of its own. */
static bool bind_new_path(struct tmpl_run *r, const struct tmpl_step *s, struct tmpl_slot *out)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	bool folder = tmpl_has(&t->words, ASSAY_STR("directory")) || tmpl_has(&t->words, ASSAY_STR("folder"));
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool given = r->records[leaf->record].answer < 0 && text_same(leaf->server, t->tool->server);
		if (given && leaf->plain && leaf->text.len < 60 && tmpl_has(&leaf->words, ASSAY_STR("file"))) {
			offer(r, &c, i, 1);
		}
	}
	if (c.best < 0) {
		return false;
	}
	assay_str path = r->leaves[c.best].text;
	size_t base = path.len, dot = base;
	while (base > 0 && path.ptr[base - 1] != '/') {
		base--;
	}
	for (size_t i = base + 1; i < path.len; i++) {
		dot = path.ptr[i] == '.' ? i : dot;
	}
	uint32_t k = tmpl_below(r, sizeof titles / sizeof *titles);
	assay_str text =
		text_format(&r->arena, "%.*s%s%.*s%s%.*s", (int)base, path.ptr, titles[k].before, (int)(dot - base),
			    path.ptr + base, titles[k].after, folder ? 0 : (int)(path.len - dot), path.ptr + dot);
	assay_json *value = tmpl_own(r, r->json->string(text));
	*out = (struct tmpl_slot){.pick = TMPL_LITERAL, .text = text, .value = value, .leaf = c.best, .composed = true};
	return value != NULL;
}

static bool bind_composed(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p,
			  struct tmpl_slot *out)
{
	static const struct {
		const char *before, *after;
	} contents[] = {{"To do: ask about ", "."},
			{"", " needs another look."},
			{"Checked today: ", "."},
			{"Talk to the team about ", "."},
			{"", " was discussed on the phone."}};
	bool content = p->sense == TMPL_CONTENT;
	if (p->sense == TMPL_PATH) {
		return bind_new_path(r, s, out);
	}
	int leaf = quotable(r, s);
	if (leaf < 0 || (p->types & TMPL_STRING) == 0) {
		return false;
	}
	uint32_t k = tmpl_below(r, content ? 5 : 4);
	assay_str text = text_format(&r->arena, "%s%.*s%s", content ? contents[k].before : titles[k].before,
				     ASSAY_FMT(r->leaves[leaf].text), content ? contents[k].after : titles[k].after);
	assay_json *value = tmpl_own(r, r->json->string(text));
	*out = (struct tmpl_slot){.pick = TMPL_LITERAL, .text = text, .value = value, .leaf = leaf, .composed = true};
	return value != NULL;
}

/* A text to be looked at, as it was seen somewhere. */
static bool bind_text(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p, struct tmpl_slot *out)
{
	struct choice c = {-1, 0, 0};
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		bool text = r->json->type(leaf->value) == ASSAY_JSON_STRING && leaf->text.len >= 5 &&
			    leaf->text.ptr[0] != '/';
		if (text && leaf->plain && tmpl_type_fits(r, p, leaf) && !used_in_step(s, leaf->text)) {
			offer(r, &c, i, memchr(leaf->text.ptr, ' ', leaf->text.len) ? 2 : 1);
		}
	}
	if (c.best >= 0) {
		take(r, c.best, out);
	}
	return c.best >= 0 || bind_example(r, p, out);
}

/* --- All together ------------------------------------------------------------------------------------------------ */

static bool bind_scalar(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_param *p,
			struct tmpl_slot *out)
{
	bool reads = r->tools[s->tool].reads;
	if (p->fresh) {
		return bind_composed(r, s, p, out);
	}
	switch (p->sense) {
	case TMPL_OPTION:
		return bind_option(r, s, p, out);
	case TMPL_SWITCH:
		return false;
	case TMPL_QUERY:
		return bind_query(r, s, out) || bind_example(r, p, out);
	case TMPL_CONTENT:
		return (reads && bind_text(r, s, p, out)) || bind_composed(r, s, p, out);
	case TMPL_AMOUNT:
		return bind_named(r, s, p, out) || (tmpl_below(r, 4) == 0 && bind_example(r, p, out)) ||
		       (reads && bind_by_looks(r, s, p, out)) || bind_example(r, p, out);
	case TMPL_LIMIT:
		return bind_example(r, p, out);
	case TMPL_ID: /* of a thing that is to be changed: only one that exists */
		return bind_named(r, s, p, out) || (reads && bind_example(r, p, out));
	default:
		return bind_named(r, s, p, out) || bind_by_looks(r, s, p, out) || (reads && bind_example(r, p, out));
	}
}

bool tmpl_bind(struct tmpl_run *r, const struct tmpl_step *s, size_t param, struct tmpl_slot *out)
{
	const struct tmpl_param *p = &r->tools[s->tool].params[param];
	*out = (struct tmpl_slot){.pick = TMPL_NOT_BOUND, .leaf = -1};
	if (!bind_scalar(r, s, p, out) || (p->sense == TMPL_DATE && used_in_step(s, out->text))) {
		out->pick = TMPL_NOT_BOUND;
		return false;
	}
	return true;
}

/* At most one optional parameter, where a value of its name is known. */
void tmpl_bind_optional(struct tmpl_run *r, struct tmpl_step *s)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	uint32_t chance = t->act == TMPL_LIST ? 2 : 7, n = 0;
	struct tmpl_slot slot;
	size_t at = 0;
	if (tmpl_below(r, chance) == 1) {
		return;
	}
	if (t->act != TMPL_LIST && tmpl_below(r, 4) != 0) {
		return;
	}
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		bool usable = p->sense == TMPL_OPTION || p->sense == TMPL_PLACE || p->sense == TMPL_ID ||
			      p->sense == TMPL_OTHER || p->sense == TMPL_DATE;
		if (!p->required && !p->list && !p->fresh && usable && s->slots[i].pick == TMPL_NOT_BOUND &&
		    (p->sense == TMPL_OPTION || bind_named(r, s, p, &slot)) && tmpl_below(r, ++n) == 0) {
			at = i;
		}
	}
	if (n > 0) {
		tmpl_bind(r, s, at, &s->slots[at]);
	}
}

assay_json *tmpl_arguments(struct tmpl_run *r, const struct tmpl_step *s)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	assay_json *arguments = r->json->object();
	int bad = 0;
	for (size_t i = 0; i < t->n_params; i++) {
		if (s->slots[i].pick == TMPL_NOT_BOUND) {
			continue;
		}
		assay_json *value = r->json->clone(s->slots[i].value);
		if (t->params[i].list) {
			assay_json *list = r->json->array();
			bad |= r->json->append(list, value);
			value = list;
		}
		bad |= r->json->set_n(arguments, t->params[i].name, value);
	}
	if (bad) {
		r->json->free(arguments);
		r->arena.failed = true;
		return NULL;
	}
	return tmpl_own(r, arguments);
}
