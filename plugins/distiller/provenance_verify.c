/* distiller/provenance, rule 10: the reference passes, and not without any of the kept calls. */
#include "provenance.h"

/* The trace without repeats: leaving out one of two identical calls would leave out nothing. */
static int without_repeats(struct prov *p, assay_json **out, assay_error *err)
{
	const assay_json_api *J = p->J;
	assay_json *copy = J->clone(p->request->trace), *steps = J->array();
	size_t call = 0;
	int rc = copy && steps ? 0 : ASSAY_ENOMEM;
	for (const assay_json *s = J->first(J->get(p->request->trace, "steps")); s && rc == 0; s = J->next(s)) {
		bool repeat = false;
		if (text_is(J->str(J->get(s, "kind")), "call_tool_agent")) {
			repeat = p->calls[call].first != call;
			call++;
		}
		rc = repeat ? 0 : J->append(steps, J->clone(s));
	}
	if (rc == 0) {
		rc = J->set(copy, "steps", steps);
		steps = NULL;
	}
	J->free(steps);
	if (rc < 0) {
		J->free(copy);
		return prov_fail_memory(p, err);
	}
	*out = copy;
	return 0;
}

static int passes(struct prov *p, const assay_json *trace, int64_t without, bool *passed, assay_error *err)
{
	assay_json *body;
	int yes = 0, rc;
	*passed = false;
	rc = prov_check_time(p, err);
	if (rc != 0) {
		return rc;
	}
	body = prov_make_body(p);
	rc = body ? 0 : prov_fail_memory(p, err);
	if (rc == 0) {
		rc = p->host->check->score(p->call, body, trace, without, &yes, err);
	}
	p->J->free(body);
	*passed = rc == 0 && yes;
	return rc;
}

static bool has_checks(const struct prov *p, size_t call)
{
	for (size_t i = 0; i < p->n_checks; i++) {
		if (p->checks[i].call == call && !p->checks[i].dropped) {
			return true;
		}
	}
	return false;
}

static void drop_checks(struct prov *p, size_t call)
{
	for (size_t i = 0; i < p->n_checks; i++) {
		p->checks[i].dropped = p->checks[i].dropped || p->checks[i].call == call;
	}
}

/* Checks of a call that nothing depends on are no checks. Taking them away may free others, hence the rounds. */
static int drop_redundant(struct prov *p, const assay_json *trace, assay_error *err)
{
	bool changed = true;
	int rc = 0;
	while (changed && rc == 0) {
		changed = false;
		for (size_t i = 0; i < p->n_calls && rc == 0; i++) {
			bool passed = false;
			if (!has_checks(p, i)) {
				continue;
			}
			rc = passes(p, trace, p->calls[i].step_id, &passed, err);
			if (rc == 0 && passed) {
				drop_checks(p, i);
				changed = true;
			}
		}
	}
	return rc;
}

/* A write may only be left to another check of the same tool. */
static bool is_covered(const struct prov *p, size_t call)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		if (has_checks(p, i) && text_same(p->calls[i].server, p->calls[call].server) &&
		    text_same(p->calls[i].name, p->calls[call].name)) {
			return true;
		}
	}
	return false;
}

static int check_cover(struct prov *p)
{
	bool any = false;
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct prov_call *c = &p->calls[i];
		any = any || has_checks(p, i);
		if (c->kept && prov_writes(c) && !is_covered(p, i)) {
			return prov_reject(p, "the task passes without step %lld, %.*s on %.*s, which writes",
					   (long long)c->step_id, ASSAY_FMT(text_head(c->name, 80)),
					   ASSAY_FMT(text_head(c->server, 80)));
		}
	}
	return any ? 0 : prov_reject(p, "every kept call can be left out: the checks tell nothing");
}

int prov_verify(struct prov *p, assay_json **body, assay_error *err)
{
	assay_json *trace = NULL;
	bool passed = false;
	int rc;
	*body = NULL;
	prov_find_matches(p);
	rc = passes(p, p->request->trace, -1, &passed, err);
	if (rc == 0 && !passed) {
		return prov_reject(p, "the reference does not pass its own checks");
	}
	if (rc == 0) {
		rc = without_repeats(p, &trace, err);
	}
	if (rc == 0) {
		rc = passes(p, trace, -1, &passed, err);
	}
	if (rc == 0 && !passed) {
		rc = prov_reject(p, "the reference passes only with its repeated calls");
	}
	if (rc == 0) {
		rc = drop_redundant(p, trace, err);
	}
	if (rc == 0) {
		rc = check_cover(p);
	}
	if (rc == 0) {
		*body = prov_make_body(p);
		rc = *body ? 0 : prov_fail_memory(p, err);
	}
	p->J->free(trace);
	return rc;
}
