/* scorer/effects: did the attempt reproduce the task's effects? Rules: reference page part 4 for the lower bound,
 * design page "replay" rule 8 for the upper one: there a call that the tape could not answer counts as a success that
 * meets any value predicate, while its own arguments are still checked. Minefields bite in both. */
#include "effects.h"
#include <stdio.h>
#include <string.h>

/* Where "trust" says nothing. */
#define TRUSTED                                                                                                        \
	(1u << ASSAY_SERVED_LIVE | 1u << ASSAY_SERVED_EXACT | 1u << ASSAY_SERVED_EQUIVALENT | 1u << ASSAY_SERVED_NEAR)

int same_text(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

int is_text(assay_str a, const char *b)
{
	return same_text(a, (assay_str){b, strlen(b)});
}

int in_set(const check_result *r, const assay_step *step)
{
	for (size_t i = 0; i < r->n_set; i++) {
		if (same_text(r->set[i].tool, step->tool) && same_text(r->set[i].server, step->server)) {
			return 1;
		}
	}
	return 0;
}

/* Is the answer one that the lower bound may not use? Then the step is as good as a miss. */
static int is_missed(const scoring *s, const assay_step *step)
{
	return step->served > ASSAY_SERVED_REFUSED || !(s->scorer->trust & (1u << step->served));
}

/* Did it succeed, as far as the lower bound is concerned? */
int is_good(const scoring *s, const assay_step *step)
{
	return step->status == ASSAY_STEP_SUCCESS && !is_missed(s, step);
}

/* What became of asking a predicate. */
typedef struct asked {
	enum limit limit; /* what ran out: not met */
	int rc;           /* what ends the scoring */
	assay_error err;
} asked;

static int settle(asked *a, int met)
{
	if (met == ASSAY_ELIMIT) {
		a->limit = a->err.detail == 1 ? LIMIT_OF_ALL : a->limit ? a->limit : LIMIT_OF_ONE;
		a->err = (assay_error){.code = 0};
		return 0;
	}
	if (met < 0) {
		a->rc = met;
	}
	return met == 1;
}

/* Of ABI 1.2: predicates that are read once for all attempts at a task. */
static int keeps_predicates(const assay_check_api *check)
{
	return ASSAY_HAS(check, value_of); /* the last of them */
}

/* Messages are left out: running out of limits is no error here, and running out of memory is told at the end. */
static int args_met(const scoring *s, asked *a, const assay_json *predicate, const assay_step *step)
{
	const assay_check_api *check = s->host->check;
	if (keeps_predicates(check)) {
		return settle(a, check->args_of(s->call, predicate, step->arguments, &a->err));
	}
	return settle(a, check->args(predicate, step->arguments, &a->err));
}

static int value_met(const scoring *s, asked *a, const assay_json *predicate, assay_str text)
{
	const assay_check_api *check = s->host->check;
	if (keeps_predicates(check)) {
		return settle(a, check->value_of(s->call, predicate, text, &a->err));
	}
	return settle(a, check->value(predicate, text, &a->err));
}

static assay_str limit_reason(enum limit limit)
{
	return limit == LIMIT_OF_ALL ? ASSAY_STR("the attempt's checks ran out of the work allowed for one attempt")
				     : ASSAY_STR("a regular expression ran out of its match limit");
}

static int check_effect(const scoring *s, check_result *r)
{
	const assay_json_api *J = s->host->json;
	const assay_json *predicate = J->get(r->checkpoint, "arg_predicate");
	int must_succeed = J->boolean(J->get(r->checkpoint, "must_succeed"), 1);
	asked a = {.limit = LIMIT_NONE};
	for (size_t i = 0; i < s->subject->n_steps && !r->lo && a.rc == 0; i++) {
		const assay_step *step = &s->subject->steps[i];
		int counts = is_good(s, step) || !must_succeed;
		int missed = is_missed(s, step);
		if (!(counts || (missed && !r->hi)) || !in_set(r, step) || !args_met(s, &a, predicate, step)) {
			continue;
		}
		if (!r->hi) {
			r->hi = 1;
			r->step_hi = step->id;
		}
		if (counts) {
			r->lo = 1;
			r->step_lo = step->id;
		}
	}
	r->limit = a.limit;
	r->reason = "no successful call with the wanted arguments of any of";
	return a.rc;
}

static int check_any_result(const scoring *s, check_result *r, const assay_json *predicate)
{
	asked a = {.limit = LIMIT_NONE};
	for (size_t i = 0; i < s->subject->n_steps && !r->lo && a.rc == 0; i++) {
		const assay_step *step = &s->subject->steps[i];
		if (is_missed(s, step) && !r->hi) {
			r->hi = 1;
			r->step_hi = step->id;
		}
		if (is_good(s, step) && step->text.len > 0 && value_met(s, &a, predicate, step->text)) {
			r->lo = 1;
			r->step_lo = step->id;
		}
	}
	if (r->lo && !r->hi) {
		r->hi = 1;
		r->step_hi = r->step_lo;
	}
	r->limit = a.limit;
	r->reason = "no successful result has the value";
	return a.rc;
}

static int check_final_message(const scoring *s, check_result *r, const assay_json *predicate)
{
	asked a = {.limit = LIMIT_NONE};
	int grounded = 0, missed = 0, found = 0;
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		grounded = grounded || is_good(s, &s->subject->steps[i]);
		missed = missed || is_missed(s, &s->subject->steps[i]);
	}
	if (s->subject->final_message.len > 0) {
		found = value_met(s, &a, predicate, s->subject->final_message);
	}
	r->lo = found && grounded;
	r->hi = r->lo || missed;
	r->limit = a.limit;
	r->reason = s->subject->final_message.len == 0 ? "there is no final message"
		    : !found                           ? "the final message lacks the value"
		    : !grounded                        ? "the final message has the value, but no call succeeded"
						       : "found in the final message";
	return a.rc;
}

static const assay_probe *probe_of(const scoring *s, assay_str checkpoint_id)
{
	for (size_t i = 0; ASSAY_HAS(s->subject, n_probes) && i < s->subject->n_probes; i++) {
		if (same_text(s->subject->probes[i].checkpoint_id, checkpoint_id)) {
			return &s->subject->probes[i];
		}
	}
	return NULL;
}

/* What the world showed in the end. What a miss may have kept from happening, or from being shown, passes above. */
static int check_state(const scoring *s, check_result *r)
{
	const assay_json_api *J = s->host->json;
	const assay_probe *p = probe_of(s, r->id);
	const assay_json *predicate = J->get(J->get(r->checkpoint, "probe"), "predicate");
	asked a = {.limit = LIMIT_NONE};
	if (!p) {
		r->reason = "a state condition needs a probe of the live state, and there is none";
		return 0;
	}
	r->lo = is_good(s, &p->answer) && value_met(s, &a, predicate, p->answer.text);
	r->hi = r->lo || is_missed(s, &p->answer);
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		r->hi = r->hi || is_missed(s, &s->subject->steps[i]);
	}
	r->limit = a.limit;
	r->reason = r->lo                                    ? "the state shows the value"
		    : is_missed(s, &p->answer)               ? "the tape does not know what the state shows"
		    : p->answer.status != ASSAY_STEP_SUCCESS ? "the probe failed"
							     : "the state does not show the value";
	return a.rc;
}

static int check_one(const scoring *s, check_result *r)
{
	const assay_json_api *J = s->host->json;
	const assay_json *predicate = J->get(r->checkpoint, "predicate");
	if (r->kind == CHECK_EFFECT) {
		return check_effect(s, r);
	}
	if (r->kind == CHECK_VALUE) {
		return is_text(J->str(J->get(r->checkpoint, "scope")), "final_assistant_message")
			       ? check_final_message(s, r, predicate)
			       : check_any_result(s, r, predicate);
	}
	return check_state(s, r);
}

/* The first call of exactly the forbidden tool with matching arguments, whatever its status. */
static int check_mine(const scoring *s, mine_result *m)
{
	const assay_json_api *J = s->host->json;
	const assay_json *tool = J->get(m->minefield, "forbidden_tool");
	const assay_json *predicate = J->get(m->minefield, "forbidden_arg_predicate");
	const tool_pair pair = {J->str(J->get(tool, "server_id")), J->str(J->get(tool, "tool_name"))};
	const check_result forbidden = {.set = &pair, .n_set = J->type(tool) == ASSAY_JSON_OBJECT};
	asked a = {.limit = LIMIT_NONE};
	m->step = NO_STEP;
	for (size_t i = 0; i < s->subject->n_steps && m->step == NO_STEP && a.rc == 0; i++) {
		const assay_step *step = &s->subject->steps[i];
		if (in_set(&forbidden, step) && args_met(s, &a, predicate, step)) {
			m->step = step->id;
		}
	}
	m->limit = a.limit;
	return a.rc;
}

/* Where a checkpoint was reached, at the lower or the upper bound; NO_STEP: nowhere. With duplicate ids the last one
 * that was reached counts, as a dictionary would have it. */
static int64_t position_of(const scoring *s, assay_str id, int hi)
{
	for (size_t i = s->n_checks; i-- > 0;) {
		int64_t step = hi ? s->checks[i].step_hi : s->checks[i].step_lo;
		if (step != NO_STEP && same_text(s->checks[i].id, id)) {
			return step;
		}
	}
	return NO_STEP;
}

static int in_order(int64_t before, int64_t after)
{
	return before != NO_STEP && after != NO_STEP && before < after;
}

/* "a before b: ..." */
static int note_disorder(const scoring *s, assay_str before, assay_str after, int64_t first, int64_t second)
{
	const assay_json_api *J = s->host->json;
	const char *why = first == NO_STEP || second == NO_STEP ? "one of them was not reached"
			  : first == second                     ? "one call meets both"
								: "it came later";
	size_t size = before.len + after.len + 64;
	char *text = s->host->alloc(size);
	int used, rc = ASSAY_ENOMEM;
	if (text) {
		used = snprintf(text, size, "%.*s before %.*s: %s", ASSAY_FMT(before), ASSAY_FMT(after), why);
		rc = J->append(s->order_failures, J->string((assay_str){text, (size_t)used}));
	}
	s->host->free(text);
	return rc;
}

int check_order(scoring *s)
{
	const assay_json_api *J = s->host->json;
	int rc = 0;
	J->free(s->order_failures);
	s->order_failures = J->array();
	s->order_lo = s->order_hi = 1;
	for (const assay_json *o = J->first(J->get(s->subject->task, "ordering")); o && rc == 0; o = J->next(o)) {
		assay_str before = J->str(J->get(o, "before_id")), after = J->str(J->get(o, "after_id"));
		int64_t first = position_of(s, before, 0), second = position_of(s, after, 0);
		int lo = in_order(first, second);
		int hi = lo || in_order(position_of(s, before, 1), position_of(s, after, 1));
		s->order_lo = s->order_lo && lo;
		s->order_hi = s->order_hi && hi;
		if (!lo) {
			rc = note_disorder(s, before, after, first, second);
		}
	}
	return rc;
}

assay_json *copy_or_null(const assay_json_api *J, const assay_json *v)
{
	return v ? J->clone(v) : J->null();
}

assay_json *all_or_nothing(const assay_json_api *J, assay_json *list, int rc)
{
	if (rc < 0) {
		J->free(list);
		return NULL;
	}
	return list;
}

#define MAX_COMPARISONS ((size_t)1 << 22) /* of names; some take up to a microsecond */
#define REASON_SIZE 512u

/* A reason in the making; what has no room is left out. */
typedef struct reason_text {
	char text[REASON_SIZE];
	size_t n;
} reason_text;

static void add_text(reason_text *r, assay_str s)
{
	if (s.len > 0 && s.len <= sizeof r->text - r->n) {
		memcpy(r->text + r->n, s.ptr, s.len);
		r->n += s.len;
	}
}

static void add_words(reason_text *r, const char *s)
{
	add_text(r, (assay_str){s, strlen(s)});
}

static void add_number(reason_text *r, int64_t n)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (n < 0) {
		digits[--at] = '-';
	}
	add_text(r, (assay_str){digits + at, sizeof digits - at});
}

static void add_tool(reason_text *r, assay_str server, assay_str tool)
{
	add_text(r, server);
	add_words(r, ".");
	add_text(r, tool);
}

/* "matched step #3 S.T" */
static void matched_reason(const scoring *s, int64_t id, reason_text *r)
{
	add_words(r, "matched step #");
	add_number(r, id);
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		const assay_step *step = &s->subject->steps[i];
		if (step->id == id && step->server.len + step->tool.len < 400) {
			add_words(r, " ");
			add_tool(r, step->server, step->tool);
			break;
		}
	}
}

/* The reason with the equivalence set behind it, "{S.T, S.T}", as far as there is room. */
static void missed_reason(const check_result *c, reason_text *r)
{
	add_words(r, c->reason);
	for (size_t i = 0; i < c->n_set && r->n < 400; i++) {
		if (c->set[i].server.len + c->set[i].tool.len < 90) {
			add_words(r, i == 0 ? " {" : ", ");
			add_tool(r, c->set[i].server, c->set[i].tool);
		}
	}
	if (c->n_set > 0) {
		add_words(r, "}");
	}
}

/* What the strict comparison said, and what the judge says of it. */
static void judged_reason(const scoring *s, const check_result *r, reason_text *t)
{
	const assay_json_api *J = s->host->json;
	assay_str why = J->str(J->get(r->judged, "reason"));
	if (why.len > 300) {
		for (why.len = 300; why.len > 0 && ((unsigned char)why.ptr[why.len] & 0xC0) == 0x80;) {
			why.len--;
		}
	}
	add_words(t, r->reason);
	add_words(t, r->lo ? "; judged equivalent, step #" : "; judged not equivalent: ");
	if (r->lo) {
		add_number(t, r->step_lo);
		add_words(t, ": ");
	}
	add_text(t, why);
}

static assay_str reason_of(const scoring *s, const check_result *r, reason_text *t)
{
	if (r->judged) {
		judged_reason(s, r, t);
	} else if (r->lo && r->step_lo == NO_STEP) {
		return (assay_str){r->reason, strlen(r->reason)};
	} else if (r->lo) {
		matched_reason(s, r->step_lo, t);
	} else if (r->limit) {
		return limit_reason(r->limit);
	} else {
		missed_reason(r, t);
	}
	return (assay_str){t->text, t->n};
}

static assay_member step_or_null(int64_t step)
{
	return step != NO_STEP ? assay_with_integer("step", step) : assay_with_copy("step", NULL);
}

static assay_json *check_object(const scoring *s, const check_result *r)
{
	const assay_json_api *J = s->host->json;
	reason_text t;
	t.n = 0; /* the text itself is set as far as it is used */
	const assay_member members[] = {assay_with_copy("id", J->get(r->checkpoint, "checkpoint_id")),
					assay_with_copy("kind", J->get(r->checkpoint, "kind")),
					assay_with_truth("passed", r->lo),
					assay_with_truth("hi", r->hi),
					assay_with_text("reason", reason_of(s, r, &t)),
					step_or_null(r->step_lo),
					assay_with_integer("tier", r->judged ? 2 : 1)};
	return J->record(members, N_OF(members));
}

static assay_json *check_list(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *list = J->array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < s->n_checks && rc == 0; i++) {
		rc = J->append(list, check_object(s, &s->checks[i]));
	}
	return all_or_nothing(J, list, rc);
}

static assay_str mine_reason(const mine_result *m, reason_text *t)
{
	if (m->step == NO_STEP) {
		return m->limit ? limit_reason(m->limit) : ASSAY_STR("not touched");
	}
	add_words(t, "forbidden call in step #");
	add_number(t, m->step);
	return (assay_str){t->text, t->n};
}

static assay_json *mine_list(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	assay_json *list = J->array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < s->n_mines && rc == 0; i++) {
		const mine_result *m = &s->mines[i];
		reason_text t;
		t.n = 0;
		const assay_member members[] = {assay_with_copy("id", J->get(m->minefield, "minefield_id")),
						assay_with_truth("hit", m->step != NO_STEP),
						assay_with_text("reason", mine_reason(m, &t)), step_or_null(m->step)};
		rc = J->append(list, J->record(members, N_OF(members)));
	}
	return all_or_nothing(J, list, rc);
}

static assay_json *order_object(scoring *s)
{
	const assay_member members[] = {assay_with_truth("ok", s->order_lo), assay_with_truth("hi", s->order_hi),
					assay_with_value("failures", s->order_failures)};
	s->order_failures = NULL;
	return s->host->json->record(members, N_OF(members));
}

static assay_json *metrics_of(const scoring *s)
{
	int64_t defects = 0, passed = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		defects += s->checks[i].limit != LIMIT_NONE;
		passed += s->checks[i].lo;
	}
	for (size_t i = 0; i < s->n_mines; i++) {
		defects += s->mines[i].limit != LIMIT_NONE;
	}
	const assay_member members[] = {s->n_checks ? assay_with_real("checkpoints_passed",
								      (double)passed / (double)s->n_checks)
						    : assay_with_copy("checkpoints_passed", NULL),
					assay_with_integer("defects", defects)};
	return s->host->json->record(members, N_OF(members));
}

static assay_json *make_verdict(scoring *s)
{
	int lo = s->order_lo, hi = 1, unjudged = 0;
	for (size_t i = 0; i < s->n_checks; i++) {
		lo = lo && s->checks[i].lo;
		hi = hi && (s->checks[i].hi || s->checks[i].unjudged);
		unjudged = unjudged || s->checks[i].unjudged;
	}
	hi = hi && (s->order_hi || unjudged); /* the order would have been that of the call which the judge names */
	for (size_t i = 0; i < s->n_mines; i++) {
		lo = lo && s->mines[i].step == NO_STEP;
		hi = hi && s->mines[i].step == NO_STEP;
	}
	const assay_member members[] = {assay_with_text("verdict", lo               ? ASSAY_STR("pass")
								   : unjudged && hi ? ASSAY_STR("unknown")
										    : ASSAY_STR("fail")),
					assay_with_integer("lo", lo),
					assay_with_integer("hi", hi),
					assay_with_value("checks", check_list(s)),
					assay_with_value("minefields", mine_list(s)),
					assay_with_value("ordering", order_object(s)),
					assay_with_value("metrics", metrics_of(s)),
					assay_with_value("summary", make_summary(s))};
	return s->host->json->record(members, N_OF(members));
}

static enum check_kind kind_of(assay_str name)
{
	return is_text(name, "tool_effect")      ? CHECK_EFFECT
	       : is_text(name, "value_produced") ? CHECK_VALUE
						 : CHECK_STATE;
}

/* Everything in the task is held against every call, and what is named in an order against every checkpoint. Tasks have
 * some ten checkpoints; a peer's may have a million. */
static int is_too_much(const scoring *s)
{
	const assay_json_api *J = s->host->json;
	const assay_json *checkpoints = J->get(s->subject->task, "checkpoints");
	size_t n_checks = J->count(checkpoints);
	size_t named = n_checks + J->count(J->get(s->subject->task, "minefields")) +
		       J->count(J->get(s->subject->task, "ordering"));
	for (const assay_json *c = J->first(checkpoints); c; c = J->next(c)) {
		named += J->count(J->get(c, "equivalence_set"));
	}
	return named >= MAX_COMPARISONS / (s->subject->n_steps + n_checks + 1);
}

/* Read the task once: the checkpoints with their sets, which lie in one array. */
static int prepare(scoring *s)
{
	const assay_json_api *J = s->host->json;
	const assay_json *checkpoints = J->get(s->subject->task, "checkpoints");
	const assay_json *minefields = J->get(s->subject->task, "minefields");
	size_t n_pairs = 0;
	for (const assay_json *c = J->first(checkpoints); c; c = J->next(c)) {
		n_pairs += J->count(J->get(c, "equivalence_set"));
	}
	s->checks = s->host->alloc((J->count(checkpoints) + 1) * sizeof *s->checks);
	s->mines = s->host->alloc((J->count(minefields) + 1) * sizeof *s->mines);
	s->pairs = s->host->alloc((n_pairs + 1) * sizeof *s->pairs);
	s->attribution = s->host->alloc(s->subject->n_steps + 1);
	s->order_failures = J->array();
	if (!s->checks || !s->mines || !s->pairs || !s->attribution || !s->order_failures) {
		return ASSAY_ENOMEM;
	}
	n_pairs = 0;
	for (const assay_json *c = J->first(checkpoints); c; c = J->next(c)) {
		check_result *r = &s->checks[s->n_checks++];
		*r = (check_result){.checkpoint = c,
				    .id = J->str(J->get(c, "checkpoint_id")),
				    .kind = kind_of(J->str(J->get(c, "kind"))),
				    .set = s->pairs + n_pairs,
				    .step_lo = NO_STEP,
				    .step_hi = NO_STEP};
		for (const assay_json *p = J->first(J->get(c, "equivalence_set")); p; p = J->next(p)) {
			s->pairs[n_pairs++] =
				(tool_pair){J->str(J->get(p, "server_id")), J->str(J->get(p, "tool_name"))};
			r->n_set++;
		}
	}
	for (const assay_json *m = J->first(minefields); m; m = J->next(m)) {
		s->mines[s->n_mines++].minefield = m;
	}
	return 0;
}

static void attribute(scoring *s)
{
	for (size_t i = 0; i < s->subject->n_steps; i++) {
		const assay_step *step = &s->subject->steps[i];
		uint8_t found = STEP_OTHER;
		for (size_t k = 0; k < s->n_checks && found != STEP_RIGHT_SERVER; k++) {
			const check_result *r = &s->checks[k];
			for (size_t p = 0; r->kind == CHECK_EFFECT && p < r->n_set; p++) {
				if (!same_text(r->set[p].tool, step->tool)) {
					continue;
				}
				if (same_text(r->set[p].server, step->server)) {
					found = STEP_RIGHT_SERVER;
					break;
				}
				found = STEP_WRONG_SERVER;
			}
		}
		s->attribution[i] = found;
	}
}

static int run_checks(scoring *s)
{
	int rc = 0;
	for (size_t i = 0; i < s->n_checks && rc == 0; i++) {
		rc = check_one(s, &s->checks[i]);
	}
	for (size_t i = 0; i < s->n_mines && rc == 0; i++) {
		rc = check_mine(s, &s->mines[i]);
	}
	attribute(s);
	return rc < 0 ? rc : check_order(s);
}

int scoring_begin(scoring *s, int *too_much, assay_error *err)
{
	int rc = 0;
	*too_much = is_too_much(s);
	if (!*too_much) {
		rc = prepare(s);
		rc = rc < 0 ? rc : run_checks(s);
	}
	return rc < 0 ? s->host->fail(err, rc, "out of memory") : 0;
}

static int emit(const scoring *s, assay_json *v, assay_sink *verdict, assay_error *err)
{
	int rc = v ? verdict->emit(verdict, v, err) : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	return rc < 0 ? rc : 0;
}

/* Nobody knows, and that is a defect. */
int scoring_refuse(scoring *s, assay_sink *verdict, assay_error *err)
{
	static const char why[] = "too many checkpoints against too many calls: nothing was compared";
	const assay_json_api *J = s->host->json;
	assay_json *failures = J->array();
	s->order_lo = 1; /* no order was found to be wrong */
	int rc = J->append(failures, J->string((assay_str){why, sizeof why - 1}));
	const assay_member order[] = {assay_with_truth("ok", 0), assay_with_truth("hi", 1),
				      assay_with_value("failures", all_or_nothing(J, failures, rc))};
	const assay_member metrics[] = {assay_with_integer("defects", 1)};
	const assay_member members[] = {assay_with_text("verdict", ASSAY_STR("unknown")),
					assay_with_integer("lo", 0),
					assay_with_integer("hi", 1),
					assay_with_value("checks", J->array()),
					assay_with_value("minefields", J->array()),
					assay_with_value("ordering", J->record(order, N_OF(order))),
					assay_with_value("metrics", J->record(metrics, N_OF(metrics))),
					assay_with_value("summary", make_summary(s))};
	return emit(s, J->record(members, N_OF(members)), verdict, err);
}

int scoring_finish(scoring *s, assay_sink *verdict, assay_error *err)
{
	return emit(s, make_verdict(s), verdict, err);
}

void scoring_end(scoring *s)
{
	s->host->json->free(s->order_failures);
	s->host->json->free(s->judge);
	s->host->free(s->checks);
	s->host->free(s->mines);
	s->host->free(s->pairs);
	s->host->free(s->attribution);
}

static int effects_score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict,
			 assay_error *err)
{
	const effects *e = self;
	scoring s = {.scorer = e, .host = e->host, .call = call, .subject = subject};
	int too_much, rc = scoring_begin(&s, &too_much, err);
	rc = rc < 0 ? rc : too_much ? scoring_refuse(&s, verdict, err) : scoring_finish(&s, verdict, err);
	scoring_end(&s);
	return rc;
}

void effects_close(void *self)
{
	effects *e = self;
	if (e) {
		e->host->json->free(e->weights);
		e->host->json->free(e->names);
		e->host->json->text_free(&e->prompt);
		e->host->free(e);
	}
}

/* The levels of "trust"; misses and refusals are never among them. A step that says no level was live. */
static uint32_t read_trust(const assay_json_api *J, const assay_json *trust)
{
	static const char *const levels[] = {"live", "exact", "equivalent", "near", "simulated"};
	uint32_t bits = 0;
	for (const assay_json *t = J->first(trust); t; t = J->next(t)) {
		for (uint32_t i = 0; i < sizeof levels / sizeof *levels; i++) {
			bits |= is_text(J->str(t), levels[i]) ? 1u << i : 0;
		}
	}
	return bits;
}

int effects_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	effects *e = host->alloc(sizeof *e);
	if (e) {
		const assay_json *trust = host->json->get(options, "trust");
		e->host = host;
		e->trust = trust ? read_trust(host->json, trust) : TRUSTED;
	}
	if (!e || make_taxonomy(e) < 0) {
		effects_close(e);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*self = e;
	return 0;
}

static const assay_scorer_ops ops = {.size = sizeof ops,
				     .open = effects_open,
				     .close = effects_close,
				     .score = effects_score};

static const char options_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" EFFECTS_OPTIONS "}}";

static const assay_impl impl = {.size = sizeof impl,
				.role = ASSAY_ROLE_SCORER,
				.role_version = 1,
				.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
				.name = "effects",
				.summary = "checkpoints, minefields and their order, by any path",
				.options = options_schema,
				.ops = &ops};

ASSAY_PLUGIN(scorer_effects, "0.1.0", "Effect scoring after DynamicMCPBench", "Apache-2.0", &impl, &equivalence_impl)
