/* The summary of reference page 4.7 and 4.8: server attribution, information aggregation, error taxonomy. */
#include "effects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CODES 7

static const char *const code_names[N_CODES] = {"missing_prerequisite",  "wrong_branch",    "incomplete_aggregation",
						"server_confusion",      "order_violation", "tool_blindness",
						"argument_hallucination"};
static const double code_weights[N_CODES] = {1.0, 0.8, 0.6, 1.0, 0.4, 1.0, 0.7};

/* Python's round to a few digits; the values are small and the digits few, so the printed form decides. */
static double rounded(double x, int digits)
{
	char text[64];
	snprintf(text, sizeof text, "%.*f", digits, x);
	return strtod(text, NULL);
}

static int compare_text(const void *a, const void *b)
{
	const assay_str *x = a, *y = b;
	size_t n = x->len < y->len ? x->len : y->len;
	int c = n ? memcmp(x->ptr, y->ptr, n) : 0;
	return c ? c : (x->len > y->len) - (x->len < y->len);
}

/* The servers that a tool name was expected from, sorted. */
static assay_json *correct_servers(const scoring *s, assay_str tool)
{
	const assay_json_api *J = s->host->json;
	assay_json *out = J->array();
	size_t n = 0, cap = 1;
	assay_str *list;
	int rc = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		cap += s->checks[i].n_set;
	}
	list = s->host->alloc(cap * sizeof *list);
	for (size_t i = 0; i < s->n_checks && list; i++) {
		const check_result *r = &s->checks[i];
		for (size_t k = 0; r->kind == CHECK_EFFECT && k < r->n_set; k++) {
			if (same_text(r->set[k].tool, tool)) {
				list[n++] = r->set[k].server;
			}
		}
	}
	if (list) {
		qsort(list, n, sizeof *list, compare_text);
	}
	for (size_t i = 0; i < n && list; i++) {
		if (i == 0 || !same_text(list[i], list[i - 1])) {
			rc |= J->append(out, J->string(list[i]));
		}
	}
	if (rc < 0 || !list) {
		J->free(out);
		out = NULL;
	}
	s->host->free(list);
	return out;
}

static int share_a_tag(const assay_json_api *J, const assay_json *a, const assay_json *b)
{
	for (const assay_json *x = J->first(a); x; x = J->next(x)) {
		for (const assay_json *y = J->first(b); y; y = J->next(y)) {
			if (same_text(J->str(x), J->str(y))) {
				return 1;
			}
		}
	}
	return 0;
}

/* "expected" when the called server shares a tag with a correct one. */
static const char *subtype_of(const scoring *s, const assay_step *step, const assay_json *correct)
{
	const assay_json_api *J = s->host->json;
	const assay_json *tags = s->subject->server_tags;
	for (const assay_json *c = J->first(correct); c; c = J->next(c)) {
		if (share_a_tag(J, J->get_n(tags, step->server), J->get_n(tags, J->str(c)))) {
			return "expected";
		}
	}
	return "random";
}

static int add_event(const scoring *s, const assay_step *step, assay_json *events, int64_t *expected)
{
	const assay_json_api *J = s->host->json;
	assay_json *event = J->object(), *correct = correct_servers(s, step->tool);
	const char *subtype = subtype_of(s, step, correct);
	int rc = J->set(event, "tool_name", J->string(step->tool));
	rc |= J->set(event, "called_server", J->string(step->server));
	rc |= J->set(event, "correct_servers", correct);
	rc |= J->set(event, "subtype", J->string((assay_str){subtype, strlen(subtype)}));
	*expected += strcmp(subtype, "expected") == 0;
	if (rc < 0) {
		J->free(event);
		return ASSAY_ENOMEM;
	}
	return J->append(events, event);
}

/* Server attribution errors among successful calls (the reference's), or among all attempted ones (ours). */
static assay_json *attribution_object(const scoring *s, int attempted)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object(), *events = J->array();
	int64_t total = 0, expected = 0, correct = 0;
	int rc = 0;
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		const assay_step *step = &s->subject->steps[i];
		if (!attempted && step->status != ASSAY_STEP_SUCCESS) {
			continue;
		}
		correct += s->attribution[i] == STEP_RIGHT_SERVER;
		if (s->attribution[i] == STEP_WRONG_SERVER) {
			total++;
			rc |= add_event(s, step, events, &expected);
		}
	}
	rc |= J->set(o, "total", J->integer(total));
	rc |= J->set(o, "expected", J->integer(expected));
	rc |= J->set(o, "random", J->integer(total - expected));
	rc |= J->set(o, "correct_type_calls", J->integer(correct));
	rc |= J->set(o, "conditional_rate",
		     J->real(total ? rounded((double)total / (double)(total + correct), 4) : 0.0));
	rc |= J->set(o, "events", events);
	if (rc < 0) {
		J->free(o);
		return NULL;
	}
	return o;
}

static assay_json *aggregation_object(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object(), *events = J->array();
	int64_t total = 0, opportunities = 0;
	int rc = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		const check_result *r = &s->checks[i];
		if (r->kind != CHECK_VALUE) {
			continue;
		}
		opportunities++;
		if (!r->lo) {
			assay_json *e = J->object();
			total++;
			rc |= J->set(e, "checkpoint_id", copy_or_null(J, J->get(r->checkpoint, "checkpoint_id")));
			rc |= J->set(e, "reason", J->string((assay_str){r->reason, strlen(r->reason)}));
			rc |= J->append(events, e);
		}
	}
	rc |= J->set(o, "total", J->integer(total));
	rc |= J->set(o, "opportunities", J->integer(opportunities));
	rc |= J->set(o, "rate",
		     opportunities ? J->real(total ? rounded((double)total / (double)opportunities, 4) : 0.0)
				   : J->null());
	rc |= J->set(o, "events", events);
	if (rc < 0) {
		J->free(o);
		return NULL;
	}
	return o;
}

/* The definition that classifies a failure: with duplicate ids the last one. */
static const check_result *definition(const scoring *s, const check_result *r)
{
	for (size_t i = s->n_checks; i-- > 0;) {
		if (same_text(s->checks[i].id, r->id)) {
			return &s->checks[i];
		}
	}
	return r;
}

static int is_prerequisite(const scoring *s, assay_str id)
{
	const assay_json_api *J = s->host->json;
	for (const assay_json *o = J->first(J->get(s->subject->task, "ordering")); o; o = J->next(o)) {
		if (same_text(J->str(J->get(o, "before_id")), id)) {
			return 1;
		}
	}
	return 0;
}

/* Index of the code of a failed tool_effect: E4, else E7, else E1, else E6. */
static int effect_code(const scoring *s, const check_result *r)
{
	int attempted = 0;
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		const assay_step *step = &s->subject->steps[i];
		int same_name = 0, inside = in_set(r, step);
		for (size_t k = 0; k < r->n_set; k++) {
			same_name = same_name || same_text(r->set[k].tool, step->tool);
		}
		if (same_name && !inside && step->status == ASSAY_STEP_SUCCESS) {
			return 3;
		}
		attempted = attempted || inside;
	}
	if (attempted) {
		return 6;
	}
	return is_prerequisite(s, r->id) ? 0 : 5;
}

static void count_errors(const scoring *s, int64_t counts[N_CODES])
{
	for (size_t i = 0; i < s->n_checks; i++) {
		const check_result *r;
		if (s->checks[i].lo) {
			continue;
		}
		r = definition(s, &s->checks[i]);
		if (r->kind == CHECK_EFFECT) {
			counts[effect_code(s, r)]++;
		} else if (r->kind == CHECK_VALUE) {
			counts[2]++;
		}
	}
	counts[4] += !s->order_lo;
}

static void name_code(int i, char code[3])
{
	code[0] = 'E';
	code[1] = (char)('1' + i);
	code[2] = '\0';
}

int make_taxonomy(effects *e)
{
	const assay_json_api *J = e->host->json;
	int rc = 0;
	e->weights = J->object();
	e->names = J->object();
	for (int i = 0; i < N_CODES; i++) {
		char code[3];
		name_code(i, code);
		rc |= J->set(e->weights, code, J->real(code_weights[i]));
		rc |= J->set(e->names, code, J->string((assay_str){code_names[i], strlen(code_names[i])}));
	}
	return rc < 0 ? ASSAY_ENOMEM : 0;
}

static assay_json *taxonomy_object(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object(), *counts = J->object();
	int64_t n[N_CODES] = {0};
	double sum = 0.0;
	int rc = 0;
	count_errors(s, n);
	for (int i = 0; i < N_CODES; i++) {
		char code[3];
		name_code(i, code);
		sum += (double)n[i] * code_weights[i];
		rc |= J->set(counts, code, J->integer(n[i]));
	}
	rc |= J->set(o, "counts", counts);
	rc |= J->set(o, "weights", J->clone(s->scorer->weights));
	rc |= J->set(o, "names", J->clone(s->scorer->names));
	rc |= J->set(o, "weighted_score", J->real(sum > 0 ? rounded(sum, 3) : 0.0));
	if (rc < 0) {
		J->free(o);
		return NULL;
	}
	return o;
}

static assay_json *ours(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object();
	int64_t refused = 0;
	int rc = J->set(o, "attempted_sae", attribution_object(s, 1));
	for (size_t i = 0; i < s->subject->n_refused; i++) { /* an exposure's own answers are no refusals */
		refused += s->subject->refused[i].status != ASSAY_STEP_SUCCESS;
	}
	rc |= J->set(o, "refused_calls", J->integer(refused));
	if (s->judge) {
		rc |= J->set(o, "judge", J->clone(s->judge));
	}
	if (rc < 0) {
		J->free(o);
		return NULL;
	}
	return o;
}

assay_json *make_summary(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *o = J->object();
	int64_t passed = 0, hit = 0, good = 0;
	int rc;
	for (size_t i = 0; i < s->n_checks; i++) {
		passed += s->checks[i].lo;
	}
	for (size_t i = 0; i < s->n_mines; i++) {
		hit += s->mines[i].step >= 0;
	}
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		good += s->subject->steps[i].status == ASSAY_STEP_SUCCESS;
	}
	rc = J->set(o, "checkpoints_total", J->integer((int64_t)s->n_checks));
	rc |= J->set(o, "checkpoints_passed", J->integer(passed));
	rc |= J->set(o, "minefields_total", J->integer((int64_t)s->n_mines));
	rc |= J->set(o, "minefields_hit", J->integer(hit));
	rc |= J->set(o, "agent_call_count", J->integer((int64_t)s->subject->n_steps));
	rc |= J->set(o, "agent_call_success_count", J->integer(good));
	rc |= J->set(o, "sae", attribution_object(s, 0));
	rc |= J->set(o, "iae", aggregation_object(s));
	rc |= J->set(o, "error_taxonomy", taxonomy_object(s));
	rc |= J->set(o, "assay", ours(s));
	if (rc < 0) {
		J->free(o);
		return NULL;
	}
	return o;
}
