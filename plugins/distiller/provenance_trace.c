/* distiller/provenance, rule 1: the agent's calls, without identical repeats. */
#include "provenance.h"
#include <string.h>

static const assay_tool *find_tool(const struct prov *p, assay_str server, assay_str name)
{
	for (size_t i = 0; i < p->request->catalogue.count; i++) {
		const assay_tool *t = p->request->catalogue.list[i];
		if (text_same(t->server, server) && text_same(t->name, name)) {
			return t;
		}
	}
	return NULL;
}

/* What a scorer reads of a result (reference page 4.4): the recorder's rendering where it is, else the text parts. */
static assay_str render(struct prov *p, const assay_json *step, const assay_json *result)
{
	const assay_json_api *J = p->J;
	const assay_json *known = J->pointer(step, "/assay/text");
	struct text_buf out = {.arena = &p->arena};
	bool any = false;
	if (J->type(known) == ASSAY_JSON_STRING) {
		return J->str(known);
	}
	if (J->type(J->get(result, "content")) == ASSAY_JSON_ARRAY) {
		for (const assay_json *part = J->first(J->get(result, "content")); part; part = J->next(part)) {
			if (text_is(J->str(J->get(part, "type")), "text")) {
				text_puts(&out, any ? "\n" : "");
				text_add(&out, J->str(J->get(part, "text")));
				any = true;
			}
		}
	}
	if (!any && J->type(result) == ASSAY_JSON_OBJECT) {
		assay_text text = {0};
		if (J->dump(result, ASSAY_JSON_PYTHON, &text, NULL) < 0) {
			p->arena.failed = true;
			return (assay_str){"", 0};
		}
		text_add(&out, (assay_str){text.ptr, text.len});
		J->text_free(&text);
	}
	return text_of(&out);
}

/* Every argument of a stands in b, or is its default. */
static bool arguments_in(const struct prov *p, const struct prov_call *a, const struct prov_call *b)
{
	const assay_json_api *J = p->J;
	const assay_json *properties = b->tool ? J->get(b->tool->input_schema, "properties") : NULL;
	for (const assay_json *v = J->first(a->arguments); v; v = J->next(v)) {
		const assay_json *other = J->get_n(b->arguments, J->key(v));
		other = other ? other : J->get(J->get_n(properties, J->key(v)), "default");
		if (!other || !J->equal(v, other)) {
			return false;
		}
	}
	return true;
}

/* Was b asked in the same words? A default may be left out. */
static bool same_call(const struct prov *p, const struct prov_call *a, const struct prov_call *b)
{
	return a->success && text_same(a->server, b->server) && text_same(a->name, b->name) && arguments_in(p, a, b) &&
	       arguments_in(p, b, a);
}

static int read_call(struct prov *p, const assay_json *step, assay_error *err)
{
	const assay_json_api *J = p->J;
	size_t number = p->n_calls;
	struct prov_call *c;
	if (number == PROV_MAX_CALLS) {
		return prov_reject(p, "the trace has more than %d calls", PROV_MAX_CALLS);
	}
	c = text_push(&p->arena, &p->calls, &p->n_calls, &p->cap_calls, sizeof *p->calls);
	if (!c) {
		return prov_fail_memory(p, err);
	}
	c->step_id = J->i64(J->get(step, "step_id"), -1);
	c->server = J->str(J->get(step, "server_id"));
	c->name = J->str(J->get(step, "tool_name"));
	c->arguments = J->get(step, "arguments");
	c->result = J->get(step, "result");
	c->success = text_is(J->str(J->get(step, "status")), "success");
	c->tool = find_tool(p, c->server, c->name);
	c->text = text_head(render(p, step, c->result), p->text_left < PROV_MAX_TEXT ? p->text_left : PROV_MAX_TEXT);
	p->text_left -= c->text.len;
	c->first = number;
	for (size_t i = 0; i < number && c->success; i++) {
		if (same_call(p, &p->calls[i], c)) {
			c->first = i;
			break;
		}
	}
	return prov_flatten_arguments(p, c, err);
}

bool prov_counts(const struct prov *p, size_t call)
{
	return p->calls[call].success && p->calls[call].first == call;
}

/* Rule 3: what a result says back of the call's own arguments is nobody's product. */
static int read_leaves(struct prov *p, size_t call, assay_error *err)
{
	struct prov_call *c = &p->calls[call];
	size_t from = p->n_leaves, to = from;
	int rc = prov_flatten_result(p, c->result, &p->leaves, &p->n_leaves, &p->cap_leaves, err);
	for (size_t i = from; i < p->n_leaves; i++) {
		struct prov_leaf *leaf = &p->leaves[i];
		if (!prov_is_echo(c, leaf)) {
			leaf->call = c->first;
			leaf->at = call;
			p->leaves[to++] = *leaf;
		}
	}
	p->n_leaves = to;
	return rc;
}

int prov_read_trace(struct prov *p, assay_error *err)
{
	const assay_json_api *J = p->J;
	const assay_json *steps = J->get(p->request->trace, "steps");
	size_t good = 0;
	int rc = 0;
	if (J->type(steps) != ASSAY_JSON_ARRAY) {
		return prov_reject(p, "the trace has no steps");
	}
	for (const assay_json *s = J->first(steps); s && rc == 0; s = J->next(s)) {
		if (text_is(J->str(J->get(s, "kind")), "call_tool_agent")) {
			rc = read_call(p, s, err);
		}
	}
	for (size_t i = 0; i < p->n_calls && rc == 0; i++) {
		if (p->calls[i].success) {
			good++;
			rc = read_leaves(p, i, err);
		}
	}
	if (rc == 0 && good == 0) {
		return prov_reject(p, "the trace has no successful call");
	}
	return rc;
}
