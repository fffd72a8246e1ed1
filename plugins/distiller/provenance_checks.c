/* distiller/provenance, rules 5 and 7: what must have happened. */
#include "provenance.h"
#include <string.h>

enum {
	MAX_LITERAL = 500, /* bytes of a text that is worth comparing whole */
	MAX_EVIDENCE = 8   /* values of a result that are looked for in all others */
};

int prov_set_str(const struct prov *p, assay_json *object, const char *key, assay_str s)
{
	return p->J->set(object, key, p->J->string(s));
}

static bool is_known(const struct prov_input *in)
{
	return in->origin == PROV_GOAL || in->origin == PROV_RESULT || in->origin == PROV_FOLDED ||
	       in->origin == PROV_HINT;
}

/* A value of a closed list is that value; a part of it would be another one. */
static bool is_enumerated(const struct prov *p, const struct prov_input *in)
{
	return p->J->get(in->schema, "enum") || p->J->get(in->schema, "const");
}

static bool is_literal(const struct prov *p, const struct prov_input *in)
{
	if (in->origin == PROV_RESULT || in->origin == PROV_HINT) {
		return true;
	}
	return in->number || prov_is_id(in->text) || is_enumerated(p, in);
}

/* {"contains": text}, with the four members of reference page 1.2. */
static int put_contains(const struct prov *p, assay_json *must_match, assay_str parameter, assay_str text)
{
	const assay_json_api *J = p->J;
	assay_json *match = J->object();
	int rc = J->set(match, "equals", J->null());
	rc |= J->set(match, "starts_with", J->null());
	rc |= prov_set_str(p, match, "contains", text);
	rc |= J->set(match, "regex", J->null());
	return rc | J->set_n(must_match, parameter, match);
}

/* As the scorer compares it: Python's str() of a number, the text itself of a text. */
static int put_element(struct prov *p, assay_json *must_match, const struct prov_input *in)
{
	assay_text text = {0};
	int rc;
	if (in->part || p->J->type(in->value) == ASSAY_JSON_STRING) {
		return put_contains(p, must_match, in->parameter, in->part ? in->text : p->J->str(in->value));
	}
	rc = p->J->dump(in->value, ASSAY_JSON_PYTHON, &text, NULL);
	rc = rc < 0 ? rc : put_contains(p, must_match, in->parameter, (assay_str){text.ptr, text.len});
	p->J->text_free(&text);
	return rc;
}

static int put_input(struct prov *p, assay_json *must_include, assay_json *must_match, const struct prov_input *in)
{
	const assay_json_api *J = p->J;
	if (in->element || !is_known(in) || in->text.len > MAX_LITERAL) {
		return 0;
	}
	if (is_literal(p, in) || J->type(in->value) != ASSAY_JSON_STRING) {
		return J->set_n(must_include, in->parameter, J->clone(in->value));
	}
	return put_contains(p, must_match, in->parameter, J->str(in->value));
}

static int make_predicate(struct prov *p, const struct prov_call *c, const struct prov_input *element, assay_json **out)
{
	const assay_json_api *J = p->J;
	assay_json *predicate = J->object(), *include = J->object(), *match = J->object();
	int rc = predicate && include && match ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < c->n_inputs && rc == 0; i++) {
		rc = put_input(p, include, match, &c->inputs[i]);
	}
	if (rc == 0 && element) {
		rc = put_element(p, match, element);
	}
	if (rc == 0 && J->count(include) == 0 && J->count(match) == 0) {
		J->free(include);
		J->free(match);
		J->free(predicate);
		return 0;
	}
	if (rc < 0) {
		J->free(include);
		J->free(match);
	} else {
		rc = J->set(predicate, "must_include", include);
		rc |= J->set(predicate, "must_match", match);
	}
	if (rc < 0) {
		J->free(predicate);
		return ASSAY_ENOMEM;
	}
	*out = predicate;
	return 0;
}

static struct prov_check *add_check(struct prov *p, size_t call)
{
	struct prov_check *k = text_push(&p->arena, &p->checks, &p->n_checks, &p->cap_checks, sizeof *p->checks);
	if (k) {
		k->call = call;
	}
	return k;
}

static int add_effect(struct prov *p, size_t call, struct prov_input *element)
{
	struct prov_check *k = add_check(p, call);
	if (!k) {
		return ASSAY_ENOMEM;
	}
	k->element = element;
	return make_predicate(p, &p->calls[call], element, &k->predicate);
}

static bool is_repeated(const struct prov_call *c, size_t input)
{
	for (size_t i = 0; i < input; i++) {
		const struct prov_input *x = &c->inputs[i], *y = &c->inputs[input];
		if (x->element && is_known(x) && text_same(x->parameter, y->parameter) && text_same(x->text, y->text)) {
			return true;
		}
	}
	return false;
}

static int add_effects(struct prov *p, size_t call)
{
	struct prov_call *c = &p->calls[call];
	size_t elements = 0, parts = 0;
	int rc = 0;
	for (size_t i = 0; i < c->n_inputs && rc == 0 && elements < PROV_MAX_ELEMENTS; i++) {
		struct prov_input *in = &c->inputs[i];
		if (!in->element || !is_known(in) || is_repeated(c, i) || in->text.len > MAX_LITERAL ||
		    (in->part && parts == PROV_MAX_PARTS)) {
			continue;
		}
		parts += in->part;
		elements++;
		rc = add_effect(p, call, in);
	}
	return rc == 0 && elements == 0 ? add_effect(p, call, NULL) : rc;
}

/* --- Rule 7 ------------------------------------------------------------------------------------------------------ */

/* A number in a text that is likely a year. */
static bool is_year(const struct prov_leaf *leaf)
{
	return leaf->part && leaf->number && leaf->spelled.len == 4 &&
	       (memcmp(leaf->spelled.ptr, "19", 2) == 0 || memcmp(leaf->spelled.ptr, "20", 2) == 0);
}

static bool shown_elsewhere(const struct prov *p, size_t call, assay_str text)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		if (p->calls[i].first != call && p->calls[i].success &&
		    prov_find(p->calls[i].text, text, 0) != PROV_NONE) {
			return true;
		}
	}
	return false;
}

/* Fit to be looked for as a piece of text: long enough, and the same tomorrow. */
static bool is_evidence(const struct prov *p, size_t call, const struct prov_leaf *leaf)
{
	return leaf->call == call && leaf->at == call && leaf->spelled.len >= 3 && prov_is_rare(p, leaf) &&
	       !prov_is_volatile_key(leaf->key) && !is_year(leaf) &&
	       prov_find_word(p->calls[call].text, leaf->spelled, 0) != PROV_NONE;
}

/* Ids before numbers, members before pieces of texts. */
static int rank(const struct prov_leaf *leaf)
{
	return (leaf->number ? 1 : 0) + (leaf->part ? 2 : 0);
}

static int choose_values(struct prov *p, size_t call, struct prov_texts *out)
{
	size_t tried = 0;
	for (int round = 0; round < 4 && out->n < PROV_MAX_VALUES; round++) {
		for (size_t i = 0; i < p->n_leaves && out->n < PROV_MAX_VALUES && tried < MAX_EVIDENCE; i++) {
			const struct prov_leaf *leaf = &p->leaves[i];
			assay_str *slot;
			if (leaf->call != call || rank(leaf) != round || !prov_in_answer(p, leaf) ||
			    !is_evidence(p, call, leaf)) {
				continue;
			}
			tried++;
			if (prov_has_text(out, leaf->spelled) || shown_elsewhere(p, call, leaf->spelled)) {
				continue;
			}
			slot = text_push(&p->arena, &out->list, &out->n, &out->cap, sizeof *out->list);
			if (!slot) {
				return ASSAY_ENOMEM;
			}
			*slot = leaf->spelled;
		}
	}
	return 0;
}

static int add_value(struct prov *p, size_t call)
{
	struct prov_texts values = {0};
	int rc = choose_values(p, call, &values);
	if (rc == 0 && values.n > 0) {
		struct prov_check *k = add_check(p, call);
		if (!k) {
			return ASSAY_ENOMEM;
		}
		k->values = values;
	}
	return rc;
}

int prov_make_checks(struct prov *p, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < p->n_calls && rc == 0; i++) {
		if (!p->calls[i].kept) {
			continue;
		}
		rc = add_effects(p, i);
		if (rc == 0 && !prov_writes(&p->calls[i]) && !prov_feeds(p, i)) {
			rc = add_value(p, i);
		}
	}
	if (rc < 0 || p->arena.failed) {
		return prov_fail_memory(p, err);
	}
	if (p->n_checks > PROV_MAX_CHECKS) {
		return prov_reject(p, "the goal takes %zu checkpoints; at most %d make a task", p->n_checks,
				   PROV_MAX_CHECKS);
	}
	return 0;
}
