/* llm/heuristic: what to do next. Called once for every reply of the past, which brings back how far things are, and
 * once for the reply that is due. */
#include "heuristic.h"
#include <string.h>

/* --- Calls --- */

bool heur_was_called(struct heur_run *r, int tool, const assay_json *arguments, bool *worked)
{
	for (size_t i = r->n_steps; i-- > 0;) {
		const struct heur_step *s = &r->steps[i];
		if (s->call.tool == tool && r->json->equal(s->call.arguments, arguments)) {
			*worked = !s->failed;
			return true;
		}
	}
	return false;
}

bool heur_planned(struct heur_run *r, const struct heur_plan *plan, int tool, const assay_json *arguments)
{
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->calls[i].tool == tool && r->json->equal(plan->calls[i].arguments, arguments)) {
			return true;
		}
	}
	return false;
}

static void fail(struct heur_clause *c, assay_str reason)
{
	c->state = HEUR_FAILED;
	if (c->reason.len == 0) {
		c->reason = reason;
	}
}

static void next_tool(struct heur_clause *c)
{
	if (c->tries < HEUR_MAX_TRIES) {
		c->tried[c->tries] = c->tool;
	}
	c->tries++;
	c->tool = c->last_error = -1;
	c->repairs = 0;
	c->fixes = NULL;
}

/* Rule 6: one call a value, never the same call twice. */
static void plan_main(struct heur_run *r, int clause, const struct heur_binding *b, struct heur_plan *plan)
{
	struct heur_clause *c = &r->clauses[clause];
	size_t n = heur_calls(r, b), worked = 0;
	for (size_t i = 0; i < n && plan->n < HEUR_MAX_FAN; i++) {
		bool ok = false;
		const assay_json *arguments = heur_arguments(r, b, i);
		if (!arguments || heur_was_called(r, b->tool, arguments, &ok)) {
			worked += ok;
		} else if (!heur_planned(r, plan, b->tool, arguments)) {
			plan->calls[plan->n++] = (struct heur_call){b->tool, arguments, clause, HEUR_MAIN};
		}
	}
	if (plan->n == 0 && worked > 0) {
		c->state = HEUR_DONE; /* an earlier call told it all */
	} else if (plan->n == 0) {
		next_tool(c);
	}
}

/* --- One clause --- */

static size_t produced(const struct heur_run *r, int clause)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_steps; i++) {
		n += r->steps[i].call.clause == clause && r->steps[i].call.purpose == HEUR_PRODUCER;
	}
	return n;
}

/* Rule 5: first the calls that supply what is missing. */
static void plan_producers(struct heur_run *r, const struct heur_intent *how, const struct heur_binding *b,
			   struct heur_plan *plan)
{
	for (size_t i = 0; i < b->n_needs && produced(r, how->clause) + plan->n < 8; i++) {
		heur_produce(r, how, b, (size_t)b->needs[i], 1, plan);
	}
}

static void plan_call(struct heur_run *r, int clause, struct heur_plan *plan)
{
	struct heur_clause *c = &r->clauses[clause];
	struct heur_intent how = {.clause = clause, .focus = -1, .fixes = c->fixes, .wide = c->repairs > 0 && c->wide};
	struct heur_binding *b = text_alloc(&r->arena, 1, sizeof *b);
	if (!b) {
		return;
	}
	heur_bind(r, c->tool, &how, b);
	if (b->n_needs > 0) {
		plan_producers(r, &how, b, plan);
		if (plan->n > 0) {
			return;
		}
		how.lax = true;
		how.sought = produced(r, clause) > 0;
		heur_bind(r, c->tool, &how, b);
	}
	if (b->missing >= 0) {
		c->missing = r->tools[c->tool].params[b->missing].name;
		next_tool(c);
		return;
	}
	plan_main(r, clause, b, plan);
}

/* Conditions hold or not once the clauses before have been worked on. */
static void open_clause(struct heur_run *r, int clause)
{
	struct heur_clause *c = &r->clauses[clause];
	c->opened = true;
	if (r->policy == HEUR_GREEDY) {
		return;
	}
	const struct heur_clause *before = clause > 0 ? &r->clauses[clause - 1] : NULL;
	bool unmet = c->only_if.compare != HEUR_ANY && heur_judge(r, &c->only_if, -1) == 0;
	bool other = c->otherwise && before && before->only_if.compare != HEUR_ANY && before->state != HEUR_SKIPPED;
	if (unmet || other) {
		c->state = HEUR_SKIPPED;
	} else if (heur_lacks_referent(r, clause)) {
		fail(c, ASSAY_STR("nothing was found that it could be about"));
	} else if (heur_satisfied(r, clause)) {
		c->state = HEUR_DONE;
	}
}

static void without_tool(struct heur_run *r, struct heur_clause *c)
{
	bool talk = c->act == HEUR_TELL || c->act == HEUR_COMPUTE || c->question;
	if (talk && r->n_leaves > 0 && c->tries == 0) {
		c->state = HEUR_DONE;
	} else if (c->missing.len > 0) {
		fail(c, text_format(&r->arena, "nothing tells me the %.*s", ASSAY_FMT(c->missing)));
	} else {
		fail(c, ASSAY_STR("no tool on offer fits"));
	}
}

static void advance(struct heur_run *r, int clause, struct heur_plan *plan)
{
	struct heur_clause *c = &r->clauses[clause];
	if (!c->opened) {
		open_clause(r, clause);
	}
	for (int guard = 0; c->state == HEUR_TODO && plan->n == 0 && guard < 12 && !r->arena.failed; guard++) {
		if (heur_plan_route(r, clause, plan)) {
			return;
		}
		if (c->last_error >= 0) {
			c->reason = r->steps[c->last_error].text;
			bool again = r->policy == HEUR_CAREFUL && c->repairs < HEUR_MAX_REPAIRS && heur_repair(r, c);
			c->repairs++;
			c->last_error = -1;
			if (!again) {
				next_tool(c);
			}
			continue;
		}
		if (c->tool < 0) {
			bool more = c->tries < (r->policy == HEUR_GREEDY ? 1 : HEUR_MAX_TRIES);
			c->tool = more ? heur_choose_tool(r, clause) : -1;
			if (c->tool < 0) {
				without_tool(r, c);
				return;
			}
		}
		plan_call(r, clause, plan);
	}
}

void heur_decide(struct heur_run *r, struct heur_plan *plan)
{
	plan->n = 0;
	for (size_t c = 0; c < r->n_clauses && plan->n == 0 && !r->arena.failed; c++) {
		if (r->clauses[c].state == HEUR_TODO && r->n_steps + HEUR_MAX_FAN < HEUR_MAX_STEPS) {
			advance(r, (int)c, plan);
		}
		if (plan->n == 0 && r->clauses[c].state == HEUR_TODO) {
			fail(&r->clauses[c], ASSAY_STR("no way forward"));
		}
	}
}

/* What the calls of one reply, from first_step on, mean for their clause. */
void heur_settle(struct heur_run *r, int clause, size_t first_step)
{
	if (clause < 0 || (size_t)clause >= r->n_clauses) {
		return;
	}
	struct heur_clause *c = &r->clauses[clause];
	size_t worked = 0;
	int failed = -1;
	for (size_t i = first_step; i < r->n_steps; i++) {
		const struct heur_step *s = &r->steps[i];
		if (s->call.clause == clause && s->call.purpose == HEUR_MAIN) {
			worked += !s->failed;
			failed = s->failed ? (int)i : failed;
		}
	}
	if (worked > 0) {
		c->state = HEUR_DONE;
		c->reason = failed >= 0 ? r->steps[failed].text : (assay_str){0};
	} else if (failed >= 0) {
		c->last_error = failed;
		c->tool = r->steps[failed].call.tool;
	}
}
