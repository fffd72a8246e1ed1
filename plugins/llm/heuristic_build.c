/* llm/heuristic: from a binding to the arguments of its calls. */
#include "heuristic.h"
#include <string.h>

static bool in_list(const struct heur_tool *t, size_t param)
{
	for (int p = (int)param; p >= 0; p = t->params[p].parent) {
		if (t->params[p].list) {
			return true;
		}
	}
	return false;
}

size_t heur_calls(const struct heur_run *r, const struct heur_binding *b)
{
	const struct heur_tool *t = &r->tools[b->tool];
	size_t most = 1;
	for (size_t i = 0; i < t->n_params; i++) {
		const struct heur_slot *s = &b->slots[i];
		if (s->bound && s->n_members > most && !in_list(t, i)) {
			most = s->n_members;
		}
	}
	return most;
}

/* Text as what the parameter takes. */
static assay_json *typed(struct heur_run *r, const struct heur_param *p, assay_str text)
{
	double number;
	assay_json *v = NULL;
	if (p->options) {
		for (const assay_json *e = r->json->first(p->options); e; e = r->json->next(e)) {
			if (heur_same_option(heur_scalar(r, e), text)) {
				return r->json->clone(e);
			}
		}
	}
	if ((p->types & HEUR_T_STRING) != 0) {
		return r->json->string(text);
	}
	if ((p->types & HEUR_T_BOOLEAN) && (text_is(text, "true") || text_is(text, "false"))) {
		return r->json->truth(text_is(text, "true"));
	}
	if ((p->types & (HEUR_T_INTEGER | HEUR_T_NUMBER)) && heur_number(text, &number)) {
		if (r->json->parse(text, ASSAY_JSON_PEER, &v, NULL) == 0) {
			return v;
		}
		bool whole = number > -9e15 && number < 9e15 && number - (double)(int64_t)number == 0.0;
		return whole ? r->json->integer((int64_t)number) : r->json->real(number);
	}
	return r->json->string(text);
}

static assay_json *slot_value(struct heur_run *r, const struct heur_param *p, const struct heur_slot *s, size_t index)
{
	if (s->json) {
		return r->json->clone(s->json);
	}
	if (!p->list) {
		return typed(r, p, s->members[index < s->n_members ? index : 0]);
	}
	assay_json *list = r->json->array();
	for (size_t i = 0; list && i < s->n_members; i++) {
		if (r->json->append(list, typed(r, p, s->members[i])) != 0) {
			r->arena.failed = true;
		}
	}
	return list;
}

static bool any_below(const struct heur_tool *t, const struct heur_binding *b, int parent)
{
	for (size_t i = 0; i < t->n_params; i++) {
		if (t->params[i].parent == parent &&
		    (b->slots[i].bound || (t->params[i].inner && any_below(t, b, (int)i)))) {
			return true;
		}
	}
	return false;
}

static size_t members_below(const struct heur_tool *t, const struct heur_binding *b, int parent)
{
	size_t most = 1;
	for (size_t i = 0; i < t->n_params; i++) {
		if (t->params[i].parent == parent && b->slots[i].bound && b->slots[i].n_members > most) {
			most = b->slots[i].n_members;
		}
	}
	return most;
}

static assay_json *build(struct heur_run *r, const struct heur_tool *t, const struct heur_binding *b, int parent,
			 size_t index)
{
	assay_json *object = r->json->object();
	int bad = 0;
	for (size_t i = 0; object && i < t->n_params; i++) {
		const struct heur_param *p = &t->params[i];
		if (p->parent != parent) {
			continue;
		}
		if (!p->inner && b->slots[i].bound) {
			bad |= r->json->set_n(object, p->name, slot_value(r, p, &b->slots[i], index));
		} else if (p->inner && !p->list && any_below(t, b, (int)i)) {
			bad |= r->json->set_n(object, p->name, build(r, t, b, (int)i, index));
		} else if (p->inner && any_below(t, b, (int)i)) {
			assay_json *list = r->json->array();
			size_t n = members_below(t, b, (int)i);
			for (size_t k = 0; list && k < n; k++) {
				bad |= r->json->append(list, build(r, t, b, (int)i, k));
			}
			bad |= r->json->set_n(object, p->name, list);
		}
	}
	r->arena.failed = r->arena.failed || bad != 0 || !object;
	return object;
}

assay_json *heur_arguments(struct heur_run *r, const struct heur_binding *b, size_t index)
{
	return heur_own(r, build(r, &r->tools[b->tool], b, -1, index));
}
