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
	s->host->free(list);
	return all_or_nothing(J, out, list ? rc : ASSAY_ENOMEM);
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
	assay_json *correct = correct_servers(s, step->tool);
	const char *subtype = subtype_of(s, step, correct);
	const assay_member members[] = {assay_with_text("tool_name", step->tool),
					assay_with_text("called_server", step->server),
					assay_with_value("correct_servers", correct),
					assay_with_text("subtype", (assay_str){subtype, strlen(subtype)})};
	*expected += strcmp(subtype, "expected") == 0;
	return J->append(events, J->record(members, N_OF(members)));
}

static double share(int64_t part, int64_t whole)
{
	return part ? rounded((double)part / (double)whole, 4) : 0.0;
}

/* Server attribution errors among successful calls (the reference's), or among all attempted ones (ours). */
static assay_json *attribution_object(const scoring *s, int attempted)
{
	const assay_json_api *J = s->host->json;
	assay_json *events = J->array();
	int64_t total = 0, expected = 0, correct = 0;
	int rc = 0;
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		const assay_step *step = &s->subject->steps[i];
		if (!s->attribution || (!attempted && step->status != ASSAY_STEP_SUCCESS)) {
			continue; /* nothing was compared, or it is not to be counted */
		}
		correct += s->attribution[i] == STEP_RIGHT_SERVER;
		if (s->attribution[i] == STEP_WRONG_SERVER) {
			total++;
			rc |= add_event(s, step, events, &expected);
		}
	}
	const assay_member members[] = {assay_with_integer("total", total),
					assay_with_integer("expected", expected),
					assay_with_integer("random", total - expected),
					assay_with_integer("correct_type_calls", correct),
					assay_with_real("conditional_rate", share(total, total + correct)),
					assay_with_value("events", all_or_nothing(J, events, rc))};
	return J->record(members, N_OF(members));
}

static assay_json *aggregation_object(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *events = J->array();
	int64_t total = 0, opportunities = 0;
	int rc = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		const check_result *r = &s->checks[i];
		if (r->kind != CHECK_VALUE) {
			continue;
		}
		opportunities++;
		if (!r->lo) {
			const assay_member event[] = {assay_with_copy("checkpoint_id",
								      J->get(r->checkpoint, "checkpoint_id")),
						      assay_with_text("reason",
								      (assay_str){r->reason, strlen(r->reason)})};
			total++;
			rc |= J->append(events, J->record(event, N_OF(event)));
		}
	}
	const assay_member members[] = {assay_with_integer("total", total),
					assay_with_integer("opportunities", opportunities),
					opportunities ? assay_with_real("rate", share(total, opportunities))
						      : assay_with_copy("rate", NULL),
					assay_with_value("events", all_or_nothing(J, events, rc))};
	return J->record(members, N_OF(members));
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

static const char *const codes[N_CODES] = {"E1", "E2", "E3", "E4", "E5", "E6", "E7"};

int make_taxonomy(effects *e)
{
	const assay_json_api *J = e->host->json;
	assay_member weights[N_CODES], names[N_CODES];
	for (int i = 0; i < N_CODES; i++) {
		weights[i] = assay_with_real(codes[i], code_weights[i]);
		names[i] = assay_with_text(codes[i], (assay_str){code_names[i], strlen(code_names[i])});
	}
	e->weights = J->freeze(J->record(weights, N_CODES));
	e->names = J->freeze(J->record(names, N_CODES));
	return e->weights && e->names ? 0 : ASSAY_ENOMEM;
}

static assay_json *taxonomy_object(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_member counts[N_CODES];
	int64_t n[N_CODES] = {0};
	double sum = 0.0;
	count_errors(s, n);
	for (int i = 0; i < N_CODES; i++) {
		sum += (double)n[i] * code_weights[i];
		counts[i] = assay_with_integer(codes[i], n[i]);
	}
	const assay_member members[] = {assay_with_value("counts", J->record(counts, N_CODES)),
					assay_with_copy("weights", s->scorer->weights),
					assay_with_copy("names", s->scorer->names),
					assay_with_real("weighted_score", sum > 0 ? rounded(sum, 3) : 0.0)};
	return J->record(members, N_OF(members));
}

static assay_json *ours(const scoring *s)
{
	int64_t refused = 0;
	for (size_t i = 0; i < s->subject->n_refused; i++) { /* an exposure's own answers are no refusals */
		refused += s->subject->refused[i].status != ASSAY_STEP_SUCCESS;
	}
	const assay_member members[] = {assay_with_value("attempted_sae", attribution_object(s, 1)),
					assay_with_integer("refused_calls", refused),
					assay_with_copy("judge", s->judge)};
	return s->host->json->record(members, N_OF(members) - (s->judge ? 0 : 1));
}

assay_json *make_summary(const scoring *s)
{
	int64_t passed = 0, hit = 0, good = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		passed += s->checks[i].lo;
	}
	for (size_t i = 0; i < s->n_mines; i++) {
		hit += s->mines[i].step != NO_STEP;
	}
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		good += s->subject->steps[i].status == ASSAY_STEP_SUCCESS;
	}
	const assay_member members[] = {assay_with_integer("checkpoints_total", (int64_t)s->n_checks),
					assay_with_integer("checkpoints_passed", passed),
					assay_with_integer("minefields_total", (int64_t)s->n_mines),
					assay_with_integer("minefields_hit", hit),
					assay_with_integer("agent_call_count", (int64_t)s->subject->n_steps),
					assay_with_integer("agent_call_success_count", good),
					assay_with_value("sae", attribution_object(s, 0)),
					assay_with_value("iae", aggregation_object(s)),
					assay_with_value("error_taxonomy", taxonomy_object(s)),
					assay_with_value("assay", ours(s))};
	return s->host->json->record(members, N_OF(members));
}
