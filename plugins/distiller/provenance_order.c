/* distiller/provenance, rules 6 and 9: what must come first, and what must not be touched. */
#include "provenance.h"

/* The first effect check of a call that is still there. */
static size_t check_of(const struct prov *p, size_t call)
{
	for (size_t i = 0; i < p->n_checks; i++) {
		if (p->checks[i].call == call && p->checks[i].values.n == 0 && !p->checks[i].dropped) {
			return i;
		}
	}
	return PROV_NONE;
}

static bool in_set(const struct prov_call *c, const struct prov_call *other)
{
	bool in = text_same(c->server, other->server) && text_same(c->name, other->name);
	for (size_t i = 0; i < c->n_same && !in; i++) {
		in = text_same(c->same[i]->server, other->server) && text_same(c->same[i]->name, other->name);
	}
	return in;
}

/* The scorer looks at the first call that meets a check only. */
static size_t first_match(const struct prov *p, const struct prov_check *k)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		if (c->success && in_set(&p->calls[k->call], c) &&
		    p->host->check->args(k->predicate, c->arguments, NULL) == 1) {
			return i;
		}
	}
	return PROV_NONE;
}

void prov_find_matches(struct prov *p)
{
	for (size_t i = 0; i < p->n_checks; i++) {
		p->checks[i].match = p->checks[i].values.n > 0 ? PROV_NONE : first_match(p, &p->checks[i]);
	}
}

static bool comes_before(const struct prov *p, size_t a, size_t b)
{
	size_t x = check_of(p, a), y = check_of(p, b);
	if (x == PROV_NONE || y == PROV_NONE) {
		return false;
	}
	x = p->checks[x].match;
	y = p->checks[y].match;
	return x != PROV_NONE && y != PROV_NONE && p->calls[x].step_id < p->calls[y].step_id;
}

/* before[a * n + b]: a must come before b. Then what follows from others is taken out again; all edges lead onward in
 * the trace, so one pass from near to far does. */
static void find_edges(const struct prov *p, bool *before)
{
	size_t n = p->n_calls;
	for (size_t b = 0; b < n; b++) {
		const struct prov_call *c = &p->calls[b];
		for (size_t i = 0; i < c->n_inputs && c->kept; i++) {
			const struct prov_input *in = &c->inputs[i];
			if (in->origin == PROV_RESULT && in->sole_source && p->calls[in->producer].kept &&
			    comes_before(p, in->producer, b)) {
				before[in->producer * n + b] = true;
			}
		}
	}
}

static void close_edges(const bool *before, bool *reach, size_t n)
{
	for (size_t a = n; a-- > 0;) {
		for (size_t b = a + 1; b < n; b++) {
			for (size_t c = b; c < n && before[a * n + b]; c++) {
				reach[a * n + c] = reach[a * n + c] || c == b || reach[b * n + c];
			}
		}
	}
}

static bool follows(const bool *before, const bool *reach, size_t n, size_t a, size_t b)
{
	for (size_t m = a + 1; m < b; m++) {
		if (before[a * n + m] && reach[m * n + b]) {
			return true;
		}
	}
	return false;
}

static int put_edge(const struct prov *p, assay_json *list, size_t a, size_t b)
{
	assay_json *edge = p->J->object();
	int rc = prov_set_str(p, edge, "before_id", p->checks[check_of(p, a)].id);
	rc |= prov_set_str(p, edge, "after_id", p->checks[check_of(p, b)].id);
	return rc | p->J->append(list, edge);
}

assay_json *prov_make_ordering(struct prov *p)
{
	size_t n = p->n_calls;
	bool *before = text_alloc(&p->arena, n * n + 1, sizeof *before),
	     *reach = text_alloc(&p->arena, n * n + 1, sizeof *reach);
	assay_json *list = p->J->array();
	int rc = before && reach && list ? 0 : ASSAY_ENOMEM;
	if (rc == 0) {
		find_edges(p, before);
		close_edges(before, reach, n);
	}
	for (size_t a = 0; a < n && rc == 0; a++) {
		for (size_t b = a + 1; b < n && rc == 0; b++) {
			if (before[a * n + b] && !follows(before, reach, n, a, b)) {
				rc = put_edge(p, list, a, b);
			}
		}
	}
	if (rc < 0) {
		p->J->free(list);
		return NULL;
	}
	return list;
}

/* --- Minefields -------------------------------------------------------------------------------------------------- */

static bool is_careful_goal(const struct prov *p)
{
	const assay_json *tags = p->J->get(p->request->goal, "tags");
	bool writes = false;
	for (const assay_json *t = p->J->first(tags); t; t = p->J->next(t)) {
		if (prov_find(p->J->str(t), ASSAY_STR("destructive"), 0) != PROV_NONE) {
			return true;
		}
	}
	for (size_t i = 0; i < p->n_calls; i++) {
		writes = writes || (p->calls[i].success && prov_writes(&p->calls[i]));
	}
	return !writes;
}

static void used(const struct prov *p, const assay_tool *tool, bool *server, bool *called)
{
	*server = *called = false;
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		if (text_same(c->server, tool->server)) {
			*server = *server || c->success;
			*called = *called || text_same(c->name, tool->name);
		}
	}
}

static int put_mine(struct prov *p, assay_json *list, const assay_tool *tool, size_t number)
{
	const assay_json_api *J = p->J;
	assay_str words = prov_words(&p->arena, tool->name);
	assay_json *mine = J->object(), *pair = J->object();
	int rc = prov_set_str(p, pair, "server_id", tool->server);
	rc |= prov_set_str(p, pair, "tool_name", tool->name);
	rc |= prov_set_str(p, mine, "minefield_id",
			   text_format(&p->arena, "m%zu_%.*s", number, ASSAY_FMT(text_head(tool->name, 60))));
	rc |= prov_set_str(p, mine, "description",
			   text_format(&p->arena, "The goal does not ask to %.*s", ASSAY_FMT(text_head(words, 80))));
	rc |= J->set(mine, "forbidden_tool", pair);
	rc |= J->set(mine, "forbidden_arg_predicate", J->null());
	return rc | J->append(list, mine);
}

assay_json *prov_make_minefields(struct prov *p)
{
	assay_json *list = p->J->array();
	size_t n = 0;
	int rc = list ? 0 : ASSAY_ENOMEM;
	if (rc == 0 && is_careful_goal(p)) {
		for (size_t i = 0; i < p->request->surface.count && rc == 0 && n < PROV_MAX_MINES; i++) {
			const assay_tool *tool = p->request->surface.list[i];
			bool server, called;
			used(p, tool, &server, &called);
			if (prov_destroys(p, tool) && server && !called) {
				rc = put_mine(p, list, tool, ++n);
			}
		}
	}
	if (rc < 0) {
		p->J->free(list);
		return NULL;
	}
	return list;
}
