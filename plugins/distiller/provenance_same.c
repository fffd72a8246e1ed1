/* distiller/provenance, rule 8: other tools that do the same, tried in a fresh environment. What decides is what they
 * return, so any reading tool that takes the arguments is a candidate; those of the same name are tried first. The same
 * value is not enough: it has to be told of the same thing. */
#include "provenance.h"

/* A result, taken apart. */
struct prov_answer {
	struct prov_leaf *leaves;
	size_t n, cap;
};

struct prov_trial {
	size_t call; /* the one that is to be stood in for */
	const assay_tool *tool;
	bool namesake; /* of that call's tool */
	const struct prov_texts *needed;
	const struct prov_answer *own; /* of that call */
};

/* The name's word, or the server's own. */
bool prov_destroys(const struct prov *p, const assay_tool *tool)
{
	return (tool->flags & ASSAY_TOOL_DESTRUCTIVE) ||
	       p->J->boolean(p->J->get(tool->annotations, "destructiveHint"), 0);
}

/* Does the value have the schema's simple type? Unknown types admit anything: the server has the last word. */
static bool has_type(const assay_json_api *J, const assay_json *schema, const assay_json *value)
{
	assay_str type = J->str(J->get(schema, "type"));
	int kind = J->type(value);
	if (J->type(J->get(schema, "enum")) == ASSAY_JSON_ARRAY) {
		bool listed = false;
		for (const assay_json *e = J->first(J->get(schema, "enum")); e; e = J->next(e)) {
			listed = listed || J->equal(e, value);
		}
		if (!listed) {
			return false;
		}
	}
	return type.len == 0 || (text_is(type, "string") && kind == ASSAY_JSON_STRING) ||
	       (text_is(type, "number") && kind == ASSAY_JSON_NUMBER) ||
	       (text_is(type, "integer") && kind == ASSAY_JSON_NUMBER) ||
	       (text_is(type, "boolean") && kind == ASSAY_JSON_BOOL) ||
	       (text_is(type, "array") && kind == ASSAY_JSON_ARRAY) ||
	       (text_is(type, "object") && kind == ASSAY_JSON_OBJECT) ||
	       (text_is(type, "null") && kind == ASSAY_JSON_NULL);
}

bool prov_admits(const assay_json_api *J, const assay_json *schema, const assay_json *arguments)
{
	const assay_json *properties = J->get(schema, "properties");
	for (const assay_json *r = J->first(J->get(schema, "required")); r; r = J->next(r)) {
		if (!J->get_n(arguments, J->str(r))) {
			return false;
		}
	}
	for (const assay_json *a = J->first(arguments); a; a = J->next(a)) {
		const assay_json *property = J->get_n(properties, J->key(a));
		if (!property || !has_type(J, property, a)) {
			return false;
		}
	}
	return true;
}

static int need(struct prov *p, struct prov_texts *out, assay_str text)
{
	bool number;
	assay_str normal = prov_normal(p, text, &number), *slot;
	if (prov_has_text(out, normal)) {
		return 0;
	}
	slot = text_push(&p->arena, &out->list, &out->n, &out->cap, sizeof *out->list);
	if (!slot) {
		return ASSAY_ENOMEM;
	}
	*slot = normal;
	return 0;
}

/* What a call was needed for: the values that kept calls take from it, those that its own check looks for, or else
 * those that the answer tells. */
static int needed_values(struct prov *p, size_t call, struct prov_texts *out)
{
	int rc = 0;
	for (size_t i = call + 1; i < p->n_calls; i++) {
		for (size_t k = 0; k < p->calls[i].n_inputs && p->calls[i].kept && rc == 0; k++) {
			const struct prov_input *in = &p->calls[i].inputs[k];
			rc = in->origin == PROV_RESULT && in->producer == call ? need(p, out, in->text) : 0;
		}
	}
	for (size_t i = 0; i < p->n_checks; i++) {
		for (size_t k = 0; k < p->checks[i].values.n && p->checks[i].call == call && rc == 0; k++) {
			rc = need(p, out, p->checks[i].values.list[k]);
		}
	}
	for (size_t i = 0, before = out->n; i < p->n_leaves && before == 0 && rc == 0; i++) {
		const struct prov_leaf *leaf = &p->leaves[i];
		rc = leaf->call == call && prov_in_answer(p, leaf) ? need(p, out, leaf->text) : 0;
	}
	return p->arena.failed ? ASSAY_ENOMEM : rc;
}

/* --- Is it the same value of the same thing? --------------------------------------------------------------------- */

static bool same_member(const struct prov_leaf *x, const struct prov_leaf *y)
{
	return x->hash == y->hash && text_same(x->text, y->text) && text_same(x->key, y->key);
}

/* Does the leaf stand in this record or around it? */
static bool is_told_of(const struct prov_leaf *leaf, const struct prov_record *record)
{
	while (record && record != leaf->record) {
		record = record->around;
	}
	return record == leaf->record;
}

static size_t times(const struct prov_answer *a, const struct prov_leaf *leaf)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n; i++) {
		n += same_member(&a->leaves[i], leaf);
	}
	return n;
}

/* How many values stand under a key, and which, in any order. */
static size_t sum_column(const struct prov_answer *a, assay_str key, uint64_t *sum)
{
	size_t n = 0;
	*sum = 0;
	for (size_t i = 0; i < a->n; i++) {
		if (text_same(a->leaves[i].key, key)) {
			*sum += a->leaves[i].hash;
			n++;
		}
	}
	return n;
}

/* What tells a leaf's record from the others of its answer: an argument that is said back, in the record or around it;
 * else its first member that stands nowhere else. NULL: nothing does. */
static const struct prov_leaf *find_subject(const struct prov_call *c, const struct prov_answer *a,
					    const struct prov_leaf *leaf)
{
	const struct prov_leaf *first = NULL;
	for (size_t i = 0; i < a->n; i++) {
		const struct prov_leaf *x = &a->leaves[i];
		bool echo = is_told_of(x, leaf->record) && prov_is_echo(c, x);
		if ((echo || (!first && x->record == leaf->record)) && times(a, x) == 1) {
			if (echo) {
				return x;
			}
			first = x;
		}
	}
	return first;
}

static bool tells(const struct prov_answer *a, const struct prov_record *record, const struct prov_leaf *subject)
{
	for (size_t i = 0; i < a->n && subject; i++) {
		if (same_member(&a->leaves[i], subject) && is_told_of(&a->leaves[i], record)) {
			return true;
		}
	}
	return false;
}

/* A value that nothing else stands beside is of the same thing when it is an id, one of several that are the same, or
 * no small number that two questions about the arguments may have in common. */
static bool tells_itself(const struct prov_call *c, const struct prov_leaf *leaf, size_t column)
{
	return column > 1 || (prov_is_id(leaf->text) && !leaf->number) || (c->n_inputs > 0 && leaf->text.len >= 3);
}

/* x of the call's own answer, y of the other's: one member, one column, and records about one thing. Where there are
 * several records, that has to hold from both sides: an order names its customer, and is none. */
static bool is_same(const struct prov_call *c, const struct prov_answer *own, const struct prov_leaf *x,
		    const struct prov_answer *other, const struct prov_leaf *y)
{
	uint64_t own_sum, other_sum;
	size_t n;
	const struct prov_leaf *subject;
	if (prov_is_echo(c, y)) {
		return false;
	}
	n = sum_column(own, x->key, &own_sum);
	if (sum_column(other, y->key, &other_sum) != n || own_sum != other_sum) {
		return false;
	}
	subject = find_subject(c, own, x);
	return (subject != x || tells_itself(c, x, n)) && tells(other, y->record, subject) &&
	       (n == 1 || tells(own, x->record, find_subject(c, other, y)));
}

static bool returns(const struct prov_trial *t, const struct prov_call *c, const struct prov_answer *other,
		    assay_str text)
{
	const struct prov_answer *own = t->own;
	size_t pairs = 0;
	for (size_t i = 0; i < own->n; i++) {
		for (size_t k = 0; k < other->n && text_same(own->leaves[i].text, text); k++) {
			if (!same_member(&own->leaves[i], &other->leaves[k])) {
				continue;
			}
			if (pairs++ == PROV_MAX_PAIRS) {
				return false;
			}
			if (is_same(c, own, &own->leaves[i], other, &other->leaves[k])) {
				return true;
			}
		}
	}
	return false;
}

static int take_apart(struct prov *p, const assay_json *result, struct prov_answer *out, assay_error *err)
{
	*out = (struct prov_answer){0};
	return prov_flatten_result(p, result, &out->leaves, &out->n, &out->cap, err);
}

static int returns_all(struct prov *p, const struct prov_trial *t, const assay_json *result, bool *all,
		       assay_error *err)
{
	struct prov_answer other;
	int rc = take_apart(p, result, &other, err);
	*all = rc == 0;
	for (size_t i = 0; i < t->needed->n && *all; i++) {
		*all = returns(t, &p->calls[t->call], &other, t->needed->list[i]);
	}
	return rc;
}

/* --- The trials -------------------------------------------------------------------------------------------------- */

/* Out of memory and cancelled end the distillation; other failures, silence among them, only leave the tool untried. */
static bool is_fatal(int rc)
{
	return rc == ASSAY_ENOMEM || rc == ASSAY_ECANCELED || rc == ASSAY_EINTERNAL;
}

static int try_tool(struct prov *p, const struct prov_trial *t, bool *tried, bool *same, assay_error *err)
{
	const assay_tool *tool = t->tool;
	assay_error local = {0};
	assay_json *result = NULL;
	int is_error = 0, rc = p->host->world->reset(p->call, &local);
	*tried = *same = false;
	if (rc == 0) {
		rc = p->host->world->call(p->call, tool->server, tool->name, p->calls[t->call].arguments, &result,
					  &is_error, &local);
	}
	if (rc == 0) {
		*tried = true;
		rc = is_error ? 0 : returns_all(p, t, result, same, &local);
		*same = *same && !is_error;
	}
	p->J->free(result);
	if (rc < 0 && is_fatal(rc)) {
		if (err) {
			*err = local;
		}
		return rc;
	}
	return 0;
}

static int note_untried(struct prov *p, const assay_tool *tool)
{
	assay_str name = text_format(&p->arena, "%.*s.%.*s", ASSAY_FMT(tool->server), ASSAY_FMT(tool->name)), *slot;
	if (prov_has_text(&p->untried, name)) {
		return 0;
	}
	slot = text_push(&p->arena, &p->untried.list, &p->untried.n, &p->untried.cap, sizeof *p->untried.list);
	if (!slot) {
		return ASSAY_ENOMEM;
	}
	*slot = name;
	return 0;
}

static int add_same(struct prov *p, struct prov_call *c, const assay_tool *tool)
{
	const assay_tool **slot = text_push(&p->arena, &c->same, &c->n_same, &c->cap_same, sizeof(const assay_tool *));
	if (!slot) {
		return ASSAY_ENOMEM;
	}
	*slot = tool;
	return 0;
}

/* What writes elsewhere changes something else; what is needed for nothing can be compared with nothing. */
static bool is_comparable(const struct prov *p, const struct prov_trial *t, size_t tries)
{
	return p->try_alternatives && tries < PROV_MAX_TRIES && t->needed->n > 0 &&
	       !(t->tool->flags & ASSAY_TOOL_WRITES);
}

static int try_candidate(struct prov *p, const struct prov_trial *t, size_t *tries, assay_error *err)
{
	bool tried = false, same = false;
	int rc = 0;
	if (is_comparable(p, t, *tries)) {
		++*tries;
		rc = try_tool(p, t, &tried, &same, err);
	}
	if (rc < 0) {
		return rc;
	}
	rc = same ? add_same(p, &p->calls[t->call], t->tool) : !tried && t->namesake ? note_untried(p, t->tool) : 0;
	return rc < 0 ? prov_fail_memory(p, err) : 0;
}

static int try_call(struct prov *p, size_t call, bool namesakes, size_t *tries, assay_error *err)
{
	const struct prov_call *c = &p->calls[call];
	struct prov_texts needed = {0};
	struct prov_answer own = {0};
	int rc = needed_values(p, call, &needed);
	if (rc < 0) {
		return prov_fail_memory(p, err);
	}
	rc = take_apart(p, c->result, &own, err);
	for (size_t i = 0; i < p->request->surface.count && rc == 0; i++) {
		const assay_tool *tool = p->request->surface.list[i];
		struct prov_trial t = {call, tool, text_same(tool->name, c->name), &needed, &own};
		bool itself = t.namesake && text_same(tool->server, c->server);
		if (t.namesake == namesakes && !itself && !prov_destroys(p, tool) &&
		    prov_admits(p->J, tool->input_schema, c->arguments)) {
			rc = try_candidate(p, &t, tries, err);
		}
	}
	return rc;
}

int prov_try_same(struct prov *p, assay_error *err)
{
	size_t tries = 0;
	int rc = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < p->n_calls && rc == 0; i++) {
			if (p->calls[i].kept && !prov_writes(&p->calls[i])) {
				rc = try_call(p, i, pass == 0, &tries, err);
			}
		}
	}
	return rc;
}
