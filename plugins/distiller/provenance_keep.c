/* distiller/provenance, rule 4: which calls the goal needed. */
#include "provenance.h"
#include <string.h>

enum { MAX_PHRASE = 200 }; /* bytes of what somebody searches for */

bool prov_writes(const struct prov_call *c)
{
	return c->tool && (c->tool->flags & ASSAY_TOOL_WRITES);
}

bool prov_is_rare(const struct prov *p, const struct prov_leaf *leaf)
{
	size_t from, to;
	if ((!leaf->number && !prov_is_id(leaf->text)) || leaf->text.len < 2 || prov_is_date(leaf->spelled) ||
	    prov_in_goal(p, leaf->text, leaf->number)) {
		return false;
	}
	prov_look_up(p, leaf->text, &from, &to);
	for (size_t i = from; i < to; i++) {
		if (p->index[i]->call != leaf->call) {
			return false;
		}
	}
	return true;
}

static bool same_name(const struct prov_call *a, const struct prov_call *b)
{
	return text_same(a->server, b->server) && text_same(a->name, b->name);
}

static void keep_written(struct prov *p)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		p->calls[i].kept = prov_counts(p, i) && prov_writes(&p->calls[i]);
	}
}

static void keep_shown(struct prov *p)
{
	for (size_t i = 0; i < p->n_leaves; i++) {
		const struct prov_leaf *leaf = &p->leaves[i];
		if (!p->calls[leaf->call].kept && prov_in_answer(p, leaf) && prov_is_rare(p, leaf)) {
			p->calls[leaf->call].kept = true;
		}
	}
}

static bool carries(const struct prov_call *c, assay_str text)
{
	for (size_t i = 0; i < c->n_inputs; i++) {
		bool of_goal = c->inputs[i].origin == PROV_GOAL || c->inputs[i].origin == PROV_FOLDED;
		if (of_goal && text_same(c->inputs[i].text, text)) {
			return true;
		}
	}
	return false;
}

static bool carries_alone(const struct prov *p, size_t call)
{
	const struct prov_call *c = &p->calls[call];
	for (size_t i = 0; i < c->n_inputs; i++) {
		size_t others = 0;
		if (c->inputs[i].origin != PROV_GOAL && c->inputs[i].origin != PROV_FOLDED) {
			continue;
		}
		for (size_t k = 0; k < p->n_calls && others == 0; k++) {
			others += k != call && prov_counts(p, k) && carries(&p->calls[k], c->inputs[i].text);
		}
		if (others == 0) {
			return true;
		}
	}
	return false;
}

static bool feeds_any(const struct prov *p, size_t call)
{
	for (size_t i = call + 1; i < p->n_calls; i++) {
		for (size_t k = 0; k < p->calls[i].n_inputs && prov_counts(p, i); k++) {
			const struct prov_input *in = &p->calls[i].inputs[k];
			if (in->origin == PROV_RESULT && in->producer == call) {
				return true;
			}
		}
	}
	return false;
}

static bool overlap(const struct prov_call *a, const struct prov_call *b)
{
	for (size_t i = 0; i < a->n_inputs; i++) {
		for (size_t k = 0; k < b->n_inputs; k++) {
			assay_str x = a->inputs[i].text, y = b->inputs[k].text;
			if (!a->inputs[i].element && !b->inputs[k].element && x.len <= MAX_PHRASE &&
			    y.len <= MAX_PHRASE && text_same(a->inputs[i].parameter, b->inputs[k].parameter) &&
			    (prov_find_word(x, y, 0) != PROV_NONE || prov_find_word(y, x, 0) != PROV_NONE)) {
				return true;
			}
		}
	}
	return false;
}

/* A value that the goal puts in quotes is meant. */
static bool is_quoted(const struct prov *p, const struct prov_call *c)
{
	static const char quotes[] = {'\'', '"', '`', '\x98', '\x9c'}; /* the last two end UTF-8's curly ones */
	for (size_t i = 0; i < c->n_inputs; i++) {
		size_t at = prov_find_word(p->prompt, c->inputs[i].text, 0);
		if (c->inputs[i].origin == PROV_GOAL && at != PROV_NONE && at > 0 &&
		    memchr(quotes, p->prompt.ptr[at - 1], sizeof quotes)) {
			return true;
		}
	}
	return false;
}

/* {"count": 0, "notes": []} */
static bool gave_nothing(const struct prov *p, size_t call)
{
	for (size_t i = 0; i < p->n_leaves; i++) {
		if (p->leaves[i].call == call && !text_is(p->leaves[i].text, "0")) {
			return false;
		}
	}
	return true;
}

/* A search that was of no use, and was asked again in other words, is a failed call and its repair. */
static bool was_repaired(const struct prov *p, size_t call)
{
	const struct prov_call *c = &p->calls[call];
	bool nothing;
	if (feeds_any(p, call)) {
		return false;
	}
	nothing = gave_nothing(p, call) && !is_quoted(p, c);
	for (size_t i = call + 1; i < p->n_calls; i++) {
		const struct prov_call *d = &p->calls[i];
		if (same_name(c, d) && prov_counts(p, i) &&
		    (nothing ? !gave_nothing(p, i) : overlap(c, d) && (d->kept || feeds_any(p, i)))) {
			return true;
		}
	}
	return false;
}

static void keep_sole_carriers(struct prov *p)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		if (prov_counts(p, i) && !p->calls[i].kept) {
			p->calls[i].kept = carries_alone(p, i) && !p->calls[i].repaired;
		}
	}
}

static bool keep_feeders(struct prov *p)
{
	bool changed = false;
	for (size_t i = p->n_calls; i-- > 0;) { /* backwards: a chain is kept in one go */
		const struct prov_call *c = &p->calls[i];
		for (size_t k = 0; k < c->n_inputs && c->kept; k++) {
			size_t from = c->inputs[k].producer;
			if (c->inputs[k].origin == PROV_RESULT && !p->calls[from].kept) {
				p->calls[from].kept = true;
				changed = true;
			}
		}
	}
	return changed;
}

/* From one call, or from two of one tool. */
static bool same_producer(const struct prov *p, const struct prov_input *x, const struct prov_input *y)
{
	return x->producer == y->producer || same_name(&p->calls[x->producer], &p->calls[y->producer]);
}

static bool are_siblings(const struct prov *p, const struct prov_call *a, const struct prov_call *b)
{
	bool known = false;
	if (!same_name(a, b) || a->n_inputs != b->n_inputs) {
		return false;
	}
	for (size_t i = 0; i < a->n_inputs; i++) {
		const struct prov_input *x = &a->inputs[i], *y = &b->inputs[i];
		if (!text_same(x->parameter, y->parameter) || x->origin != y->origin ||
		    (x->origin == PROV_RESULT && !same_producer(p, x, y))) {
			return false;
		}
		known = known || (x->origin != PROV_FREE && x->origin != PROV_DEFAULT);
	}
	return known; /* two guesses have nothing in common */
}

static bool keep_siblings(struct prov *p)
{
	bool changed = false;
	for (size_t i = 0; i < p->n_calls; i++) {
		for (size_t k = 0; k < p->n_calls && p->calls[i].kept; k++) {
			if (!p->calls[k].kept && prov_counts(p, k) && are_siblings(p, &p->calls[i], &p->calls[k]) &&
			    !p->calls[k].repaired) {
				p->calls[k].kept = changed = true;
			}
		}
	}
	return changed;
}

bool prov_feeds(const struct prov *p, size_t call)
{
	for (size_t i = call + 1; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		for (size_t k = 0; k < c->n_inputs && c->kept; k++) {
			if (c->inputs[k].origin == PROV_RESULT && c->inputs[k].producer == call) {
				return true;
			}
		}
	}
	return false;
}

/* --- What was tried and never done ------------------------------------------------------------------------------- */

/* Did a later call do what this one failed to do? The same tool, or for a write another write of that server. */
static bool made_good(const struct prov *p, size_t call)
{
	const struct prov_call *c = &p->calls[call];
	for (size_t i = call + 1; i < p->n_calls; i++) {
		const struct prov_call *d = &p->calls[i];
		if (d->success &&
		    (same_name(c, d) || (prov_writes(c) && prov_writes(d) && text_same(c->server, d->server)))) {
			return true;
		}
	}
	return false;
}

/* Does a failed call hold a value of the goal that no successful one does? */
static bool lost_value(const struct prov *p, size_t call)
{
	const struct prov_call *c = &p->calls[call];
	for (size_t i = 0; i < c->n_inputs; i++) {
		bool carried = c->inputs[i].origin != PROV_GOAL && c->inputs[i].origin != PROV_FOLDED;
		for (size_t k = 0; k < p->n_calls && !carried; k++) {
			carried = prov_counts(p, k) && carries(&p->calls[k], c->inputs[i].text);
		}
		if (!carried) {
			return true;
		}
	}
	return false;
}

/* A reference that left a part of its goal undone shows nothing of that part. */
static int check_failures(struct prov *p)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		if (!c->success && (prov_writes(c) || lost_value(p, i)) && !made_good(p, i)) {
			return prov_reject(p, "step %lld, %.*s on %.*s, failed and was never made good",
					   (long long)c->step_id, ASSAY_FMT(text_head(c->name, 80)),
					   ASSAY_FMT(text_head(c->server, 80)));
		}
	}
	return 0;
}

static int check_kept(struct prov *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		if (c->kept && !c->tool) {
			return prov_reject(p, "step %lld calls %.*s on %.*s, which the catalogue does not have",
					   (long long)c->step_id, ASSAY_FMT(text_head(c->name, 80)),
					   ASSAY_FMT(text_head(c->server, 80)));
		}
		kept += c->kept;
	}
	if (kept == 0) {
		return prov_reject(p, "no call writes, carries a value of the goal or gives a value of the answer");
	}
	return kept <= PROV_MAX_KEPT
		       ? 0
		       : prov_reject(p, "the goal takes %zu calls; at most %d make a task", kept, PROV_MAX_KEPT);
}

int prov_keep_calls(struct prov *p, assay_error *err)
{
	bool changed = true;
	int rc = check_failures(p);
	(void)err;
	if (rc != 0) {
		return rc;
	}
	keep_written(p);
	keep_shown(p);
	for (size_t i = 0; i < p->n_calls; i++) {
		p->calls[i].repaired = prov_counts(p, i) && was_repaired(p, i);
	}
	keep_sole_carriers(p);
	while (changed) {
		changed = keep_feeders(p);
		changed = keep_siblings(p) || changed;
	}
	return check_kept(p);
}
