/* distiller/provenance, rule 8: other tools that do the same, tried in a fresh environment. What decides is what they
 * return, so any reading tool that takes the arguments is a candidate; those of the same name are tried first. */
#include "provenance.h"

struct prov_trial {
	size_t call; /* the one that is to be stood in for */
	const assay_tool *tool;
	bool namesake; /* of that call's tool */
	const struct prov_texts *needed;
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

/* What a call was needed for: the values that kept calls take from it, and those that its own check looks for. */
static int needed_values(struct prov *p, size_t call, struct prov_texts *out)
{
	for (size_t i = call + 1; i < p->n_calls; i++) {
		for (size_t k = 0; k < p->calls[i].n_inputs && p->calls[i].kept; k++) {
			const struct prov_input *in = &p->calls[i].inputs[k];
			bool number;
			assay_str text = prov_normal(p, in->text, &number), *slot;
			if (in->origin != PROV_RESULT || in->producer != call || prov_has_text(out, text)) {
				continue;
			}
			slot = text_push(&p->arena, &out->list, &out->n, &out->cap, sizeof *out->list);
			if (!slot) {
				return ASSAY_ENOMEM;
			}
			*slot = text;
		}
	}
	for (size_t i = 0; i < p->n_checks; i++) {
		for (size_t k = 0; k < p->checks[i].values.n && p->checks[i].call == call; k++) {
			bool number;
			assay_str *slot = text_push(&p->arena, &out->list, &out->n, &out->cap, sizeof *out->list);
			if (!slot) {
				return ASSAY_ENOMEM;
			}
			*slot = prov_normal(p, p->checks[i].values.list[k], &number);
		}
	}
	return p->arena.failed ? ASSAY_ENOMEM : 0;
}

/* Does the call itself give the value under the same key? A number may be equal by chance. */
static bool is_same_member(const struct prov *p, size_t call, const struct prov_leaf *leaf)
{
	size_t from, to;
	prov_look_up(p, leaf->text, &from, &to);
	for (size_t i = from; i < to; i++) {
		if (p->index[i]->call == call && text_same(p->index[i]->key, leaf->key)) {
			return true;
		}
	}
	return false;
}

static int returns_all(struct prov *p, const struct prov_trial *t, const assay_json *result, bool *all,
		       assay_error *err)
{
	const struct prov_call *c = &p->calls[t->call];
	const struct prov_texts *needed = t->needed;
	struct prov_leaf *leaves = NULL;
	size_t n = 0, cap = 0;
	int rc = prov_flatten_result(p, result, &leaves, &n, &cap, err);
	*all = true;
	for (size_t i = 0; i < needed->n && rc == 0 && *all; i++) {
		bool found = false;
		for (size_t k = 0; k < n && !found; k++) {
			found = text_same(leaves[k].text, needed->list[i]) && !prov_is_echo(c, &leaves[k]) &&
				(t->namesake || is_same_member(p, t->call, &leaves[k]));
		}
		*all = found;
	}
	return rc;
}

/* Out of memory, cancelled and out of time end the distillation; other failures only leave the tool untried. */
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
	int rc = needed_values(p, call, &needed);
	if (rc < 0) {
		return prov_fail_memory(p, err);
	}
	for (size_t i = 0; i < p->request->surface.count && rc == 0; i++) {
		const assay_tool *tool = p->request->surface.list[i];
		struct prov_trial t = {call, tool, text_same(tool->name, c->name), &needed};
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
