/* goalgen/template: what a category expects of its tasks is built into the plan: a name that is half remembered, or a
 * question that more than one tool answers. Both are tried out at once; a plan that cannot have them makes no goal. */
#include "template.h"
#include <string.h>

enum { SHORTEST_NAME = 5, MAX_SLIPS = 3, MAX_ERRANDS = 2 };

static int64_t expected(const struct tmpl_run *r, const char *what)
{
	return r->json->i64(r->json->get(r->request->expect, what), 0);
}

/* --- A name that is half remembered ------------------------------------------------------------------------------ */

static bool has_text(const assay_json_api *J, const assay_json *v, assay_str text, int depth)
{
	if (J->type(v) == ASSAY_JSON_STRING) {
		return text_find_word(J->str(v), text) != SIZE_MAX;
	}
	for (const assay_json *m = J->first(v); m && depth < TMPL_MAX_DEPTH; m = J->next(m)) {
		if (has_text(J, m, text, depth + 1)) {
			return true;
		}
	}
	return false;
}

/* A letter left out, of the longest word and not its first one. */
static assay_str slip_of(struct tmpl_run *r, assay_str name)
{
	size_t from = 0, len = 0;
	for (size_t i = 0; i < name.len;) {
		size_t start = i;
		while (i < name.len && text_letter(name.ptr[i])) {
			i++;
		}
		if (i - start > len) {
			from = start;
			len = i - start;
		}
		i += i == start;
	}
	if (len < SHORTEST_NAME) {
		return (assay_str){0};
	}
	size_t at = from + 1 + tmpl_below(r, (uint32_t)len - 1);
	return text_format(&r->arena, "%.*s%.*s", (int)at, name.ptr, (int)(name.len - at - 1), name.ptr + at + 1);
}

/* Is the slip refused in words that tell what was meant? */
static bool is_set_right(struct tmpl_run *r, const struct tmpl_step *s, assay_str meant)
{
	int answer = tmpl_try(r, s->tool, tmpl_arguments(r, s));
	return answer >= 0 && r->answers[answer].failed && has_text(r->json, r->answers[answer].result, meant, 0);
}

static bool slip_in(struct tmpl_run *r, struct tmpl_step *s, size_t param)
{
	struct tmpl_slot meant = s->slots[param];
	bool name = meant.pick == TMPL_LITERAL && meant.leaf >= 0 && !meant.composed &&
		    tmpl_is_name(&r->leaves[meant.leaf]);
	for (int i = 0; i < MAX_SLIPS && name && tmpl_calls_left(r); i++) {
		assay_str said = slip_of(r, meant.text);
		assay_json *value = said.len > 0 ? tmpl_own(r, r->json->string(said)) : NULL;
		if (!value) {
			return false;
		}
		s->slots[param].text = said;
		s->slots[param].value = value;
		if (is_set_right(r, s, meant.text)) {
			r->slip = said;
			r->meant = meant.text;
			return true;
		}
	}
	s->slots[param] = meant;
	return false;
}

static bool add_slip(struct tmpl_run *r)
{
	for (size_t k = 0; k < r->n_steps; k++) {
		struct tmpl_step *s = &r->steps[k];
		for (size_t i = 0; i < r->tools[s->tool].n_params && s->answer >= 0 && s->n_more == 0; i++) {
			if (slip_in(r, s, i)) {
				return true;
			}
		}
	}
	return false;
}

/* --- A question that several tools answer ------------------------------------------------------------------------ */

static bool takes(const struct tmpl_run *r, const struct tmpl_tool *t, const assay_json *arguments)
{
	size_t known = 0;
	for (size_t i = 0; i < t->n_params; i++) {
		bool given = r->json->get_n(arguments, t->params[i].name) != NULL;
		if (t->params[i].required && !given) {
			return false;
		}
		known += given;
	}
	return known > 0 && known == r->json->count(arguments);
}

/* Does the answer have such a leaf? */
static bool gives(const struct tmpl_run *r, const struct tmpl_answer *a, const struct tmpl_leaf *leaf)
{
	for (size_t k = a->first_leaf; k < a->first_leaf + a->n_leaves; k++) {
		if (text_same(r->leaves[k].key, leaf->key) && text_same(r->leaves[k].text, leaf->text)) {
			return true;
		}
	}
	return false;
}

/* A number that both answers give under one name, beside something else that they have in common: it tells that the
 * thing itself was looked up. */
static int common_leaf(struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_answer *other)
{
	const struct tmpl_answer *mine = &r->answers[s->answer];
	int found = -1;
	uint32_t n = 0, common = 0;
	for (size_t i = mine->first_leaf; i < mine->first_leaf + mine->n_leaves; i++) {
		const struct tmpl_leaf *leaf = &r->leaves[i];
		if (!gives(r, other, leaf)) {
			continue;
		}
		common++;
		if (tmpl_worth_telling(r, s, leaf) && r->json->type(leaf->value) == ASSAY_JSON_NUMBER &&
		    tmpl_below(r, ++n) == 0) {
			found = (int)i;
		}
	}
	return common > 1 ? found : -1;
}

static bool answered_twice(struct tmpl_run *r, const struct tmpl_step *s)
{
	const assay_json *arguments = s->answer >= 0 && s->n_more == 0 ? r->answers[s->answer].arguments : NULL;
	for (size_t i = 0; i < r->n_tools && arguments && r->asked < 0; i++) {
		const struct tmpl_tool *t = &r->tools[i];
		if ((int)i == s->tool || !t->reads || t->odd || !takes(r, t, arguments)) {
			continue;
		}
		int answer = tmpl_try(r, (int)i, arguments);
		if (answer >= 0 && !r->answers[answer].failed) {
			r->asked = common_leaf(r, s, &r->answers[answer]);
		}
	}
	return r->asked >= 0;
}

/* The step by itself, with all that it is told written out. */
static bool stands_alone(struct tmpl_run *r, struct tmpl_step *s)
{
	for (size_t i = 0; i < r->tools[s->tool].n_params; i++) {
		struct tmpl_slot *slot = &s->slots[i];
		if (slot->pick == TMPL_NOT_BOUND) {
			continue;
		}
		if (slot->leaf >= 0 && r->leaves[slot->leaf].local) {
			return false;
		}
		slot->text = slot->leaf >= 0 ? r->leaves[slot->leaf].text : slot->text;
		slot->pick = TMPL_LITERAL;
		slot->measure = slot->of = false;
	}
	return true;
}

/* Does the answer of a step give away what is asked for? */
static bool tells_asked(const struct tmpl_run *r, const struct tmpl_step *s)
{
	const struct tmpl_answer *a = s->answer >= 0 ? &r->answers[s->answer] : NULL;
	for (size_t i = a ? a->first_leaf : 0; a && i < a->first_leaf + a->n_leaves; i++) {
		if (text_same(r->leaves[i].text, r->leaves[r->asked].text)) {
			return true;
		}
	}
	return !a;
}

/* The first of the steps that more than one tool can take, by itself, behind other errands: one look-up alone is found
 * by trying about. */
static bool ask_in_common(struct tmpl_run *r)
{
	struct tmpl_step common;
	size_t k = 0, n = 0;
	while (k < r->n_steps && !answered_twice(r, &r->steps[k])) {
		k++;
	}
	if (k == r->n_steps) {
		return false;
	}
	common = r->steps[k];
	for (size_t i = 0; i < r->n_steps && n < MAX_ERRANDS; i++) {
		struct tmpl_step errand = r->steps[i];
		if (i != k && !tells_asked(r, &errand) && stands_alone(r, &errand)) {
			r->steps[n++] = errand; /* n <= i */
		}
	}
	r->steps[n] = common;
	r->n_steps = n + 1;
	return n > 0 && stands_alone(r, &r->steps[n]);
}

void tmpl_take_aim(struct tmpl_run *r)
{
	bool hit = r->n_steps == 0 || ((expected(r, "recoveries") < 1 || add_slip(r)) &&
				       (expected(r, "equivalents") < 2 || ask_in_common(r)));
	r->n_steps = hit ? r->n_steps : 0;
}
