/* The leaderboard. */
#include "core/base/error.h"
#include "core/run/figures_rate.h"
#include "core/stats/stats.h"
#include <stdlib.h>
#include <string.h>

static int compare_text(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

/* {end: n}, ends in alphabetical order; void tries are counted too, or alone. */
static assay_json *count_ends(const figure_row *row, bool voids)
{
	assay_str *ends = as_new(row->n + 1, sizeof *ends);
	assay_json *o = as_json_object();
	int rc = ends && o ? 0 : ASSAY_ENOMEM;
	size_t n = 0;
	for (size_t i = 0; i < row->n && rc == 0; i++) {
		if (!voids || row->tries[i].voided) {
			ends[n++] = row->tries[i].end;
		}
	}
	if (rc == 0) {
		qsort(ends, n, sizeof *ends, compare_text);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = as_json_set_n(o, ends[i], as_json_integer(as_json_i64(as_json_get_n(o, ends[i]), 0) + 1));
	}
	free(ends);
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static bool is_listed(const as_figures *f, assay_str candidate)
{
	for (const assay_json *c = as_json_first(as_json_pointer(f->manifest, "/evaluation/candidates")); c;
	     c = as_json_next(c)) {
		if (as_str_eq(as_json_str(as_json_get(c, "name")), candidate)) {
			return as_json_boolean(as_json_get(c, "listed"), 1);
		}
	}
	return false;
}

static assay_json *mean_of(uint64_t sum, uint64_t n)
{
	return as_json_real(n ? as_round((double)sum / (double)n, 6) : 0.0);
}

/* The exposure with what it takes where the manifest says nothing. Takes it over. */
static assay_json *with_defaults(const as_figures *f, assay_json *exposure)
{
	const assay_json *d = as_json_first(as_json_get_n(f->defaults, as_json_str(as_json_get(exposure, "use"))));
	int rc = exposure ? 0 : ASSAY_ENOMEM;
	for (; d && rc == 0; d = as_json_next(d)) {
		rc = as_json_get_n(exposure, as_json_key(d))
			     ? 0
			     : as_json_set_n(exposure, as_json_key(d), as_json_clone(d));
	}
	if (rc < 0) {
		as_json_free(exposure);
		return NULL;
	}
	return exposure;
}

static const assay_json *first_condition(const as_figures *f)
{
	return as_json_first(as_json_pointer(f->manifest, "/evaluation/conditions"));
}

static const assay_json *condition_of(const as_figures *f, assay_str name)
{
	const assay_json *c = first_condition(f);
	while (c && !as_str_eq(as_json_str(as_json_get(c, "name")), name)) {
		c = as_json_next(c);
	}
	return c;
}

/* The condition's exposure, as the manifest has it. */
static assay_json *exposure_of(const as_figures *f, const assay_json *condition)
{
	const assay_json *exposure = as_json_get(condition, "exposure");
	if (as_json_boolean(as_json_get(condition, "recorded"), 0)) {
		return as_json_null(); /* whoever recorded it knows */
	}
	if (exposure) {
		return with_defaults(f, as_json_clone(exposure));
	}
	assay_json *fallback = as_json_object();
	if (as_json_set(fallback, "use", as_json_cstring("exposure/target")) < 0) {
		as_json_free(fallback);
		return NULL;
	}
	return with_defaults(f, fallback);
}

static void add_use(as_buf *out, const char *what, const assay_json *use)
{
	if (use) {
		as_buf_printf(out, "%s%s by %s with model %s", out->len ? "; " : "", what,
			      as_json_cstr(as_json_get(use, "use"), ""), as_json_cstr(as_json_get(use, "model"), ""));
	}
}

/* What conditions have in common tells none from another. */
static void add_where_it_differs(const as_figures *f, as_buf *out, const char *what, const char *pointer,
				 const assay_json *condition)
{
	const assay_json *value = as_json_pointer(condition, pointer);
	bool differs = false;
	for (const assay_json *c = first_condition(f); c; c = as_json_next(c)) {
		const assay_json *other = as_json_pointer(c, pointer);
		differs = differs || !value != !other || (value && !as_json_equal(value, other));
	}
	if (differs && value && !(as_json_type(value) == ASSAY_JSON_OBJECT && as_json_count(value) == 0)) {
		as_buf_printf(out, "%s%s ", out->len ? "; " : "", what);
		as_json_write(out, value, ASSAY_JSON_COMPACT);
	}
}

/* What makes the condition beside its exposure, in words; may be empty. */
static void setting_of(const as_figures *f, const assay_json *condition, as_buf *out)
{
	add_use(out, "descriptions", as_json_get(condition, "descriptions"));
	add_use(out, "replies that the tape lacks", as_json_pointer(condition, "/world/simulate"));
	add_where_it_differs(f, out, "replay", "/world/replay", condition);
	add_where_it_differs(f, out, "near recordings from", "/world/near", condition);
	add_where_it_differs(f, out, "budget", "/budget", condition);
}

/* What stands in a row only where there is something to say: figures without it are as they were before. */
static int set_rarities(const as_figures *f, const figure_row *row, const figure_counts *c, assay_json *r)
{
	as_buf setting = {0};
	int rc = c->pending > 0 ? as_json_set(r, "pending", as_json_integer((int64_t)c->pending)) : 0;
	if (c->voided + c->pending > 0) {
		rc |= as_json_set(r, "voids", count_ends(row, true));
	}
	setting_of(f, condition_of(f, row->condition), &setting);
	if (setting.len > 0) {
		rc |= as_json_set(r, "setting", as_json_string(as_buf_str(&setting)));
	}
	rc = setting.failed ? ASSAY_ENOMEM : rc;
	as_buf_free(&setting);
	return rc;
}

/* Null when no attempt tells. */
static assay_json *reachability(const figure_counts *c)
{
	assay_json *o;
	double checkpoints = c->checkpoints ? (double)c->reachable / (double)c->checkpoints : 1.0;
	int rc;
	if (c->attempts == 0) {
		return as_json_null();
	}
	o = as_json_object();
	rc = as_json_set(o, "checkpoints", as_json_real(as_round(checkpoints, 6)));
	rc |= as_json_set(o, "tasks", as_json_real(as_round((double)c->full / (double)c->attempts, 6)));
	rc |= as_json_set(o, "mean_tools", mean_of(c->tools, c->attempts));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

/* Server attribution errors; the rate is over calls of a needed name. */
static assay_json *attribution(const figure_counts *c, uint64_t attempts, uint64_t wrong, uint64_t expected,
			       uint64_t right)
{
	assay_json *o = as_json_object();
	int rc = as_json_set(o, "attempts", as_json_integer((int64_t)attempts));
	rc |= as_json_set(o, "share", mean_of(attempts, c->attempts));
	rc |= as_json_set(o, "calls", as_json_integer((int64_t)wrong));
	rc |= as_json_set(o, "expected", as_json_integer((int64_t)expected));
	rc |= as_json_set(o, "random", as_json_integer((int64_t)(wrong - expected)));
	rc |= as_json_set(o, "conditional_rate", mean_of(wrong, wrong + right));
	if (rc < 0) {
		as_json_free(o);
		return NULL;
	}
	return o;
}

static assay_json *board_row(const as_figures *f, const figure_row *row)
{
	assay_json *r = as_json_object();
	figure_counts c;
	int rc = as_count_tries(f, row, (assay_str){NULL, 0}, &c);
	if (rc == 0) {
		rc = as_json_set(r, "condition", as_json_string(row->condition));
		rc |= as_json_set(r, "candidate", as_json_string(row->candidate));
		rc |= as_json_set(r, "listed", as_json_truth(is_listed(f, row->candidate)));
		rc |= as_json_set(r, "k", as_json_integer((int64_t)c.k));
		rc |= as_json_set(r, "tasks", as_json_integer((int64_t)c.n_tasks));
		rc |= as_json_set(r, "attempts", as_json_integer((int64_t)c.attempts));
		rc |= as_json_set(r, "void", as_json_integer((int64_t)c.voided));
		rc |= as_json_set(r, "unknown", as_json_integer((int64_t)c.unknown));
		rc |= as_json_set(r, "pass_rate", as_attempt_rate(&c));
		rc |= as_json_set(r, "pass_hat_k", as_task_rate(&c, true));
		rc |= as_json_set(r, "pass_at_k", as_task_rate(&c, false));
		rc |= as_json_set(r, "served", as_served_shares(c.served));
		rc |= as_json_set(r, "ends", count_ends(row, false));
		rc |= as_json_set(r, "mean_calls", mean_of(c.calls, c.attempts));
		rc |= as_json_set(r, "mean_turns", mean_of(c.turns, c.attempts));
		rc |= as_json_set(r, "tool_hallucinations", as_json_integer((int64_t)c.served[ASSAY_SERVED_REFUSED]));
		rc |= as_json_set(r, "minefields_hit", as_json_integer((int64_t)c.mines));
		rc |= as_json_set(r, "wrong_server_calls", as_json_integer((int64_t)c.tried.wrong));
		rc |= as_json_set(r, "sae",
				  attribution(&c, c.done.attempts, c.done.wrong, c.done.expected, c.done.right));
		rc |= as_json_set(r, "attempted_sae",
				  attribution(&c, c.tried.attempts, c.tried.wrong, c.tried.expected, c.tried.right));
		rc |= as_json_set(r, "exposure", exposure_of(f, condition_of(f, row->condition)));
		rc |= as_json_set(r, "reachability", reachability(&c));
		rc |= set_rarities(f, row, &c, r);
	}
	as_counts_free(&c);
	if (rc < 0) {
		as_json_free(r);
		return NULL;
	}
	return r;
}

static double lo_of(const assay_json *row, const char *rate)
{
	return as_json_f64(as_json_get(as_json_get(row, rate), "lo"), 0.0);
}

int as_condition_rank(const as_figures *f, assay_str name)
{
	int i = 0;
	for (const assay_json *c = as_json_first(as_json_pointer(f->manifest, "/evaluation/conditions")); c;
	     c = as_json_next(c), i++) {
		if (as_str_eq(as_json_str(as_json_get(c, "name")), name)) {
			return i;
		}
	}
	return i;
}

/* Does row a stand above row b? */
static bool stands_above(const as_figures *f, const assay_json *a, const assay_json *b)
{
	int ca = as_condition_rank(f, as_json_str(as_json_get(a, "condition")));
	int cb = as_condition_rank(f, as_json_str(as_json_get(b, "condition")));
	static const char *const rates[] = {"pass_hat_k", "pass_rate"};
	if (ca != cb) {
		return ca < cb;
	}
	for (size_t i = 0; i < 2; i++) {
		double x = lo_of(a, rates[i]), y = lo_of(b, rates[i]);
		if (x > y || x < y) {
			return x > y;
		}
	}
	return as_str_cmp(as_json_str(as_json_get(a, "candidate")), as_json_str(as_json_get(b, "candidate"))) < 0;
}

assay_json *as_leaderboard_table(const as_figures *f)
{
	assay_json **rows = as_new(f->n_rows + 1, sizeof(assay_json *));
	assay_json *list = as_json_array();
	int rc = rows && list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < f->n_rows && rc == 0; i++) {
		size_t k = i;
		assay_json *row = board_row(f, &f->rows[i]);
		rc = row ? 0 : ASSAY_ENOMEM;
		for (; row && k > 0 && stands_above(f, row, rows[k - 1]); k--) {
			rows[k] = rows[k - 1];
		}
		rows[k] = row;
	}
	for (size_t i = 0; rows && i < f->n_rows; i++) {
		if (rc == 0) {
			rc = as_json_append(list, rows[i]);
		} else {
			as_json_free(rows[i]);
		}
	}
	free(rows);
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}
