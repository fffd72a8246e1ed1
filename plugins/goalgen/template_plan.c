/* goalgen/template: steps through the seed tools, each fed from the ones before where that is possible. */
#include "template.h"
#include <string.h>

enum { LINK_FIT = 5, MAX_TRIALS = 3, MAX_DETOUR = 2 };

/* --- What earlier steps give ------------------------------------------------------------------------------------- */

static bool may_refer(const struct tmpl_param *p)
{
	switch (p->sense) {
	case TMPL_ID:
	case TMPL_TITLE:
	case TMPL_PATH:
	case TMPL_URL:
	case TMPL_EMAIL:
	case TMPL_PLACE:
	case TMPL_OTHER:
		return !p->fresh;
	default:
		return false;
	}
}

/* The name of the thing that a leaf belongs to, if no other record of that answer has it: -1 when there is none. */
static int name_beside(const struct tmpl_run *r, int leaf, const struct tmpl_answer *a)
{
	for (size_t i = a->first_leaf; i < a->first_leaf + a->n_leaves; i++) {
		const struct tmpl_leaf *name = &r->leaves[i];
		if (name->record != r->leaves[leaf].record || (int)i == leaf || !name->plain || !tmpl_is_name(name) ||
		    name->text.len > 60) {
			continue;
		}
		bool unique = true;
		for (size_t k = a->first_leaf; k < a->first_leaf + a->n_leaves && unique; k++) {
			unique = k == i || !text_same_fold(r->leaves[k].text, name->text);
		}
		if (unique && (text_is(name->words.list[name->words.n - 1], "name") ||
			       text_is(name->words.list[name->words.n - 1], "title"))) {
			return (int)i;
		}
	}
	return -1;
}

/* Which of the fitting leaves of one answer is meant, and how it is called. */
static void refer(struct tmpl_run *r, const struct tmpl_answer *a, const int *fitting, size_t n, size_t distinct,
		  const struct tmpl_param *p, struct tmpl_slot *out)
{
	int leaf = fitting[0], name = -1;
	assay_str noun = r->records[r->leaves[leaf].record].noun;
	enum tmpl_pick pick = distinct == 1 ? TMPL_IT : TMPL_FIRST;
	bool named =
		p->sense == TMPL_TITLE || p->sense == TMPL_PLACE || p->sense == TMPL_PATH || p->sense == TMPL_OTHER;
	bool speaks = !r->leaves[leaf].local && (named || tmpl_is_name(&r->leaves[leaf]));
	if (distinct > 1 && tmpl_below(r, 2) == 0) {
		int other = fitting[tmpl_below(r, (uint32_t)n)];
		name = speaks ? other : name_beside(r, other, a);
		leaf = name >= 0 ? other : leaf;
		pick = name < 0 ? TMPL_FIRST : speaks ? TMPL_LITERAL : TMPL_BY_NAME;
	}
	*out = (struct tmpl_slot){.pick = pick,
				  .text = r->leaves[name >= 0 ? name : leaf].text,
				  .value = r->leaves[leaf].value,
				  .noun = noun,
				  .leaf = leaf};
	out->of = pick == TMPL_BY_NAME && r->leaves[name].words.n > 1 &&
		  !tmpl_same_stem(r->leaves[name].words.list[0], noun);
}

static bool among(const struct tmpl_run *r, const int *leaves, size_t n, assay_str text)
{
	for (size_t i = 0; i < n; i++) {
		if (text_same(r->leaves[leaves[i]].text, text)) {
			return true;
		}
	}
	return false;
}

/* Feed a parameter from the latest step that can. */
static bool link_param(struct tmpl_run *r, int tool, const struct tmpl_param *p, int fit, struct tmpl_slot *out)
{
	const struct tmpl_tool *t = &r->tools[tool];
	for (size_t k = r->n_steps; k-- > r->link_from;) {
		const struct tmpl_answer *a = r->steps[k].answer >= 0 ? &r->answers[r->steps[k].answer] : NULL;
		int fitting[64];
		size_t n = 0, distinct = 0;
		int best = 0;
		for (size_t i = a ? a->first_leaf : 0; a && i < a->first_leaf + a->n_leaves && n < 64; i++) {
			const struct tmpl_leaf *leaf = &r->leaves[i];
			if (!leaf->plain || tmpl_name_fit(r, t, p, leaf) < fit || !tmpl_type_fits(r, p, leaf)) {
				continue;
			}
			int state = t->reads ? 0 : tmpl_state_fit(r, t, leaf);
			if (state > best) {
				best = state;
				n = distinct = 0;
			}
			if (state == best) {
				distinct += !among(r, fitting, n, leaf->text);
				fitting[n++] = (int)i;
			}
		}
		/* Of several, of which only one can be meant, "the first" would be another one. */
		if (n > 0) {
			refer(r, a, fitting, n, distinct, p, out);
			bool odd = best > 0 && (out->pick == TMPL_IT || out->pick == TMPL_FIRST);
			out->pick = odd && !r->leaves[out->leaf].local ? TMPL_LITERAL : out->pick;
			return true;
		}
	}
	return false;
}

/* Is it one of the call's own arguments? */
static bool is_echo(const struct tmpl_run *r, const struct tmpl_answer *a, assay_str text)
{
	for (const assay_json *m = r->json->first(a->arguments); m; m = r->json->next(m)) {
		bool number = r->json->type(m) == ASSAY_JSON_NUMBER;
		if (text_same(number ? r->json->spelling(m) : r->json->str(m), text)) {
			return true;
		}
	}
	return false;
}

/* What a measure is called: weight_grams is the weight. */
static assay_str measure_name(struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf)
{
	struct tmpl_words words = leaf->words;
	assay_str unit = r->json->str(tmpl_unit(r, t, leaf));
	words.n -= words.n > 1 && text_same_fold(words.list[words.n - 1], unit);
	return tmpl_join(&r->arena, &words, 0);
}

/* A date or a number that the latest step found: "convert the temperature", "the weekday of the order date". */
static bool link_measure(struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_param *p,
			 struct tmpl_slot *out)
{
	const struct tmpl_step *last = r->n_steps > 0 ? &r->steps[r->n_steps - 1] : NULL;
	const struct tmpl_answer *a = last && last->answer >= 0 ? &r->answers[last->answer] : NULL;
	uint32_t n = 0;
	for (size_t i = a ? a->first_leaf : 0; a && i < a->first_leaf + a->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		const struct tmpl_record *rec = &r->records[leaf->record];
		if (rec->parent < 0 && !rec->listed && leaf->plain && leaf->words.n > 0 && leaf->words.n <= 3 &&
		    !is_echo(r, a, leaf->text) && tmpl_looks_right(r, p, leaf) && tmpl_type_fits(r, p, leaf) &&
		    (p->sense != TMPL_AMOUNT || tmpl_has(&leaf->words, p->words.list[0]) || tmpl_unit(r, t, leaf)) &&
		    tmpl_below(r, ++n) == 0) {
			*out = (struct tmpl_slot){.pick = TMPL_IT,
						  .text = leaf->text,
						  .value = leaf->value,
						  .noun = measure_name(r, t, leaf),
						  .leaf = (int)i,
						  .measure = true};
		}
	}
	return n > 0;
}

/* --- Steps ------------------------------------------------------------------------------------------------------- */

static bool add_step(struct tmpl_run *r, int tool, int depth);

static bool in_plan(const struct tmpl_run *r, int tool)
{
	for (size_t i = 0; i < r->n_steps; i++) {
		if (r->steps[i].tool == tool) {
			return true;
		}
	}
	return false;
}

static bool writes_allowed(const struct tmpl_run *r, const struct tmpl_tool *t)
{
	const assay_json *server = r->json->get_n(r->request->servers, t->tool->server);
	assay_str kind = r->json->str(r->json->get(server, "class"));
	if (t->reads) {
		return true;
	}
	/* A state that is not copied is not to be changed. */
	return text_is(kind, "stateful_write") && !t->whole && !r->careful;
}

/* May tool u supply parameter p of tool t? */
static bool may_supply(const struct tmpl_run *r, int u, int t, const struct tmpl_param *p)
{
	const struct tmpl_tool *from = &r->tools[u], *to = &r->tools[t];
	bool common = p->words.n == 1 && (p->sense == TMPL_TITLE || p->sense == TMPL_ID);
	bool home = text_same(from->tool->server, to->tool->server);
	if (u == t || !from->reads || from->odd || from->failing || in_plan(r, u)) {
		return false;
	}
	/* What has to be told of a thing first does not supply it. */
	for (size_t i = 0; i < from->n_params; i++) {
		if (from->params[i].required && text_same(from->params[i].name, p->name)) {
			return false;
		}
	}
	for (size_t i = 0; i < r->n_leaves; i++) {
		int answer = r->records[r->leaves[i].record].answer;
		if (answer >= 0 && r->answers[answer].tool == u && tmpl_name_fit(r, to, p, &r->leaves[i]) >= LINK_FIT) {
			return true;
		}
	}
	return (home || !common) && tmpl_property(r, from->tool->output_schema, p->name, 0) != NULL;
}

/* Is there a path that can be written out? One that was answered may be another one next time. */
static bool path_at_hand(const struct tmpl_run *r, int tool, const struct tmpl_param *p)
{
	for (size_t i = 0; i < r->n_leaves && p->sense == TMPL_PATH; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		if (leaf->plain && !leaf->local && r->records[leaf->record].answer < 0 &&
		    tmpl_name_fit(r, &r->tools[tool], p, leaf) >= LINK_FIT) {
			return true;
		}
	}
	return false;
}

/* A step before this one that supplies p: a seed if there is one, else sometimes another tool of the servers. */
static bool add_supplier(struct tmpl_run *r, int tool, const struct tmpl_param *p, int depth)
{
	if (depth >= MAX_DETOUR || r->n_steps + 2 > r->max_steps) {
		return false;
	}
	for (int pass = 0; pass < 2; pass++) {
		size_t from = pass == 0 ? 0 : r->n_seeds, to = pass == 0 ? r->n_seeds : r->n_tools;
		uint32_t n = 0;
		int best = -1;
		for (size_t u = from; u < to; u++) {
			/* Tools that look things up come before those that need to be told of one. */
			bool finds = r->tools[u].act == TMPL_LIST || r->tools[u].act == TMPL_SEARCH;
			if (may_supply(r, (int)u, tool, p) && (finds || pass == 0) && tmpl_below(r, ++n) == 0) {
				best = (int)u;
			}
		}
		if (best >= 0 && (pass == 0 || depth > 0 || tmpl_below(r, 4) != 0) && add_step(r, best, depth + 1)) {
			return true;
		}
	}
	return false;
}

static bool has_measure(const struct tmpl_step *s)
{
	for (size_t i = 0; i < TMPL_MAX_PARAMS; i++) {
		if (s->slots[i].measure) {
			return true;
		}
	}
	return false;
}

/* Of six times. Numbers have names that say which is meant; dates are all called alike, so they are mostly written out.
 */
static uint32_t measure_odds(const struct tmpl_param *p)
{
	return p->sense == TMPL_AMOUNT ? 5 : p->sense == TMPL_DATE ? 1 : 0;
}

/* A step before this one that finds a number in a unit that the tool knows. */
static bool add_measurer(struct tmpl_run *r, int tool, const struct tmpl_param *p, int depth)
{
	uint32_t n = 0;
	int best = -1;
	if (p->sense != TMPL_AMOUNT || depth >= MAX_DETOUR || r->n_steps + 2 > r->max_steps) {
		return false;
	}
	for (size_t i = 0; i < r->n_leaves; i++) {
		const struct tmpl_record *rec = &r->records[r->leaves[i].record];
		int source = rec->answer < 0 || rec->parent >= 0 || rec->listed ? -1 : r->answers[rec->answer].tool;
		bool usable = source >= 0 && source != tool && r->tools[source].reads && !in_plan(r, source);
		if (usable && tmpl_unit(r, &r->tools[tool], &r->leaves[i]) && tmpl_below(r, ++n) == 0) {
			best = source;
		}
	}
	return best >= 0 && add_step(r, best, depth + 1);
}

/* Earlier before later. */
static void sort_dates(const struct tmpl_tool *t, struct tmpl_step *s)
{
	for (size_t i = 0; i + 1 < t->n_params; i++) {
		struct tmpl_slot *a = &s->slots[i], *b = &s->slots[i + 1];
		if (t->params[i].sense == TMPL_DATE && t->params[i + 1].sense == TMPL_DATE && a->pick == TMPL_LITERAL &&
		    b->pick == TMPL_LITERAL && a->text.len == b->text.len &&
		    memcmp(a->text.ptr, b->text.ptr, a->text.len) > 0) {
			struct tmpl_slot c = *a;
			*a = *b;
			*b = c;
		}
	}
}

static bool bind_required(struct tmpl_run *r, struct tmpl_step *s, int depth)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		struct tmpl_slot *slot = &s->slots[i];
		if (!p->required || slot->pick != TMPL_NOT_BOUND) {
			continue;
		}
		/* What a change sets something to is not taken from the thing itself. */
		bool target = t->act == TMPL_CHANGE && i > 0 && p->sense != TMPL_ID;
		bool refers = may_refer(p) && !target && !p->list && !path_at_hand(r, s->tool, p);
		if (refers && link_param(r, s->tool, p, LINK_FIT, slot)) {
			continue;
		}
		size_t before = r->n_steps;
		if (refers && add_supplier(r, s->tool, p, depth) && link_param(r, s->tool, p, LINK_FIT, slot)) {
			continue;
		}
		r->n_steps = before;
		if (t->reads && !has_measure(s) && tmpl_below(r, 6) < measure_odds(p) &&
		    (link_measure(r, t, p, slot) ||
		     (add_measurer(r, s->tool, p, depth) && link_measure(r, t, p, slot)))) {
			continue;
		}
		r->n_steps = before;
		if (!tmpl_bind(r, s, i, slot)) {
			return false;
		}
	}
	sort_dates(t, s);
	return true;
}

/* An optional identifier that earlier steps can give: the orders of that customer. */
static void link_optional(struct tmpl_run *r, struct tmpl_step *s)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		if (!p->required && !p->list && p->sense == TMPL_ID && s->slots[i].pick == TMPL_NOT_BOUND &&
		    link_param(r, s->tool, p, LINK_FIT + 1, &s->slots[i])) {
			return;
		}
	}
	tmpl_bind_optional(r, s);
}

static bool is_empty(const struct tmpl_run *r, const struct tmpl_answer *a)
{
	const struct tmpl_tool *t = &r->tools[a->tool];
	bool finds = t->act == TMPL_LIST || t->act == TMPL_SEARCH;
	bool listed = false, none = a->n_leaves == 0;
	if (none && !a->prose) {
		return true;
	}
	for (size_t i = a->first_leaf; i < a->first_leaf + a->n_leaves; i++) {
		listed = listed || r->records[r->leaves[i].record].listed;
		none = none || (a->n_leaves <= 2 && text_is(r->leaves[i].text, "0"));
	}
	return finds && !listed && none;
}

/* Does it work, and does it find anything? Steps that write are not tried. */
static bool try_step(struct tmpl_run *r, struct tmpl_step *s)
{
	if (!r->tools[s->tool].reads) {
		return true;
	}
	s->answer = tmpl_try(r, s->tool, tmpl_arguments(r, s));
	return s->answer >= 0 && !r->answers[s->answer].failed && !is_empty(r, &r->answers[s->answer]);
}

/* Other values for what was not fed from a step. */
static void forget_values(const struct tmpl_run *r, struct tmpl_step *s)
{
	const struct tmpl_tool *t = &r->tools[s->tool];
	for (size_t i = 0; i < t->n_params; i++) {
		if (!t->params[i].required || s->slots[i].pick == TMPL_LITERAL) {
			s->slots[i].pick = TMPL_NOT_BOUND;
		}
	}
}

static bool make_step(struct tmpl_run *r, int tool, int depth)
{
	struct tmpl_step *s = text_alloc(&r->arena, 1, sizeof *s);
	if (!s) {
		return false;
	}
	*s = (struct tmpl_step){.tool = tool, .answer = -1, .fan = -1};
	for (int trial = 0; trial < MAX_TRIALS; trial++) {
		if (!bind_required(r, s, trial == 0 ? depth : MAX_DETOUR) || r->n_steps >= r->max_steps) {
			return false;
		}
		if (trial == 0) {
			link_optional(r, s);
		}
		if (try_step(r, s)) {
			r->steps[r->n_steps++] = *s;
			return true;
		}
		forget_values(r, s);
	}
	return false;
}

static bool add_step(struct tmpl_run *r, int tool, int depth)
{
	struct tmpl_tool *t = &r->tools[tool];
	size_t before = r->n_steps;
	if (t->odd || t->failing || t->pending || !writes_allowed(r, t) || in_plan(r, tool)) {
		return false;
	}
	t->pending = true;
	bool made = make_step(r, tool, depth);
	t->pending = false;
	r->n_steps = made ? r->n_steps : before;
	return made;
}

/* --- The plan ---------------------------------------------------------------------------------------------------- */

/* Can the tool take something from the steps so far? */
static bool connects(struct tmpl_run *r, int tool)
{
	const struct tmpl_tool *t = &r->tools[tool];
	struct tmpl_slot slot;
	for (size_t i = 0; i < t->n_params; i++) {
		const struct tmpl_param *p = &t->params[i];
		if (p->sense == TMPL_CONTENT && p->required) {
			return true; /* what was found can be written down */
		}
		if (may_refer(p) && !p->list && (p->required || p->sense == TMPL_ID) &&
		    link_param(r, tool, p, LINK_FIT, &slot)) {
			return true;
		}
		if (p->required && p->sense == TMPL_AMOUNT && t->reads && link_measure(r, t, p, &slot)) {
			return true;
		}
	}
	return false;
}

static bool ends_in_write(const struct tmpl_run *r)
{
	return r->n_steps > 0 && !r->tools[r->steps[r->n_steps - 1].tool].reads;
}

/* Go on with seeds that connect and read, or with one that writes. */
static void extend_with(struct tmpl_run *r, const uint32_t *order, bool reading)
{
	for (bool more = true; more && r->n_steps < r->max_steps;) {
		more = false;
		for (size_t i = 0; i < r->n_seeds && !more; i++) {
			int tool = (int)order[i];
			bool turn = r->tools[tool].reads == reading && !in_plan(r, tool);
			more = turn && connects(r, tool) && add_step(r, tool, 1);
		}
		more = more && reading; /* nothing follows what writes */
	}
}

/* Other tools of the same servers that go on from where the plan is. */
static void extend_beyond(struct tmpl_run *r)
{
	size_t others = r->n_tools - r->n_seeds, from = others > 0 ? tmpl_below(r, (uint32_t)others) : 0;
	for (size_t k = 0; k < others && r->n_steps == 1 && !ends_in_write(r) && tmpl_calls_left(r); k++) {
		int tool = (int)(r->n_seeds + (from + k) % others);
		if (r->tools[tool].reads && connects(r, tool)) {
			add_step(r, tool, 1);
		}
	}
}

/* Seeds that nothing may be asked of stand beside a task that only reads. */
static void read_beside(struct tmpl_run *r)
{
	size_t others = r->n_tools - r->n_seeds, from = others > 0 ? tmpl_below(r, (uint32_t)others) : 0;
	for (size_t k = 0; k < others && r->n_steps == 0 && tmpl_calls_left(r); k++) {
		int tool = (int)(r->n_seeds + (from + k) % others);
		if (r->tools[tool].reads) {
			add_step(r, tool, 0);
		}
	}
}

/* Is the parameter the only one of its kind in the step? Two dates belong together. */
static bool sole(const struct tmpl_tool *t, const struct tmpl_step *s, size_t param)
{
	for (size_t i = 0; i < t->n_params; i++) {
		if (i != param && s->slots[i].pick != TMPL_NOT_BOUND && t->params[i].sense == t->params[param].sense) {
			return false;
		}
	}
	return true;
}

/* The same question about two or three things. */
static void fan_out(struct tmpl_run *r)
{
	struct tmpl_step *s = &r->steps[r->n_steps - 1];
	const struct tmpl_tool *t = &r->tools[s->tool];
	for (size_t i = 0; i < t->n_params && s->fan < 0; i++) {
		const struct tmpl_param *p = &t->params[i];
		if (!t->reads || !p->required || p->list || s->slots[i].pick != TMPL_LITERAL || s->slots[i].leaf < 0 ||
		    s->slots[i].composed || !sole(t, s, i) ||
		    !(may_refer(p) || p->sense == TMPL_DATE || p->sense == TMPL_QUERY)) {
			continue;
		}
		struct tmpl_slot first = s->slots[i];
		for (size_t wanted = 1 + tmpl_below(r, TMPL_MAX_FAN - 1), k = 0; k < wanted; k++) {
			struct tmpl_slot other;
			struct tmpl_step copy = *s;
			copy.answer = -1;
			if (!tmpl_bind(r, s, i, &other) || text_same_fold(other.text, first.text)) {
				continue;
			}
			copy.slots[i] = other;
			bool fresh = s->n_more == 0 || !text_same_fold(s->more[0].text, other.text);
			if (fresh && try_step(r, &copy)) {
				s->more[s->n_more++] = other;
				s->fan = (int)i;
			}
		}
	}
}

/* Move the steps from `at` on to the front. */
static bool to_front(struct tmpl_run *r, size_t at)
{
	struct tmpl_step *copy = text_alloc(&r->arena, TMPL_MAX_STEPS, sizeof *copy);
	if (!copy) {
		return false;
	}
	memcpy(copy, r->steps, sizeof r->steps);
	for (size_t i = 0; i < r->n_steps; i++) {
		r->steps[i] = copy[(at + i) % r->n_steps];
	}
	return true;
}

/* Other seeds for their own sake, until the goal is as long as it should be. What writes stays last. */
static void lengthen(struct tmpl_run *r, const uint32_t *order)
{
	for (size_t i = 0; i < r->n_seeds && r->n_steps < r->wanted_steps; i++) {
		int tool = (int)order[i];
		size_t before = r->n_steps;
		bool writes = ends_in_write(r);
		if (!r->tools[tool].reads || in_plan(r, tool)) {
			continue;
		}
		r->link_from = writes ? before : 0;
		if (add_step(r, tool, 1)) {
			extend_with(r, order, true);
			if (writes && !to_front(r, before)) {
				r->n_steps = before;
			}
		}
		r->link_from = 0;
	}
	if (!ends_in_write(r)) {
		extend_with(r, order, false);
	}
}

static void set_length(struct tmpl_run *r)
{
	assay_str level = r->request->complexity;
	if (text_is(level, "simple")) {
		r->max_steps = 2;
		r->wanted_steps = 1;
	} else if (text_is(level, "medium") || text_is(level, "hard")) {
		r->max_steps = text_is(level, "hard") ? 5 : 3;
		r->wanted_steps = text_is(level, "hard") ? 4 : 2;
	} else {
		r->max_steps = 2 + tmpl_below(r, 3);
		r->wanted_steps = 1 + tmpl_below(r, 2);
	}
}

void tmpl_make_plan(struct tmpl_run *r)
{
	uint32_t *order = text_alloc(&r->arena, r->n_seeds + 1, sizeof *order);
	if (!order || r->n_seeds == 0) {
		return;
	}
	for (size_t i = 0; i < r->n_seeds; i++) {
		order[i] = (uint32_t)i;
	}
	r->host->rng->shuffle(r->call, order + 1, r->n_seeds - 1); /* the anchor stays first */
	set_length(r);
	for (size_t i = 0; i < r->n_seeds && r->n_steps == 0 && r->fatal == 0; i++) {
		const struct tmpl_tool *t = &r->tools[order[i]];
		bool destructive = (t->tool->flags & ASSAY_TOOL_DESTRUCTIVE) != 0;
		if (!destructive || tmpl_below(r, 2) == 0) {
			add_step(r, (int)order[i], 0);
		}
	}
	if (r->n_steps == 0) {
		read_beside(r);
	}
	if (r->n_steps == 0) {
		return;
	}
	if (!ends_in_write(r)) {
		extend_with(r, order, true);
	}
	if (r->n_steps == 1 && tmpl_below(r, 2) == 0) {
		extend_beyond(r);
	}
	if (r->n_steps == 1 && tmpl_below(r, 3) != 0) {
		fan_out(r);
	}
	if (r->n_steps > 1 || r->steps[0].n_more == 0) {
		lengthen(r, order);
	}
}
