/* The tables of the Markdown report. */
#include "markdown.h"
#include <stdio.h>
#include <string.h>

#define MAX_COLUMNS 10 /* of candidates in one table */
#define PROMPT_CUT 120
#define METRIC_CUT 60

static int same(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

assay_str model_text(const markdown_report *r, const assay_json *object, const char *key)
{
	return r->json->str(r->json->get(object, key));
}

int64_t model_number(const markdown_report *r, const assay_json *object, const char *key)
{
	return r->json->i64(r->json->get(object, key), 0);
}

const assay_json *model_first(const markdown_report *r, const char *list)
{
	return r->json->first(r->json->get(r->model, list));
}

static int is_listed(const markdown_report *r, const assay_json *row)
{
	return r->json->boolean(r->json->get(row, "listed"), 1);
}

void put_heading(markdown_report *r, const char *text)
{
	markdown_printf(&r->out, "## %s\n\n", text);
}

static void condition_heading(markdown_report *r, assay_str condition)
{
	markdown_add(&r->out, "### Condition ");
	markdown_escape(&r->out, condition, 0);
	markdown_add(&r->out, "\n\n");
}

static void put_value(markdown_report *r, markdown_text *out, const assay_json *value)
{
	const assay_json_api *J = r->json;
	assay_text text = {NULL, 0};
	if (J->type(value) == ASSAY_JSON_STRING) {
		markdown_escape(out, J->str(value), 0);
	} else if (J->dump(value, ASSAY_JSON_COMPACT, &text, NULL) == 0) {
		markdown_escape(out, (assay_str){text.ptr, text.len}, 0);
		J->text_free(&text);
	}
}

/* Have all conditions the same value of an option of the exposure? */
static int is_common(const markdown_report *r, assay_str key, const assay_json *value)
{
	const assay_json_api *J = r->json;
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = J->next(b)) {
		const assay_json *other = J->get_n(J->get(b, "exposure"), key);
		if (!other || !J->equal(other, value)) {
			return 0;
		}
	}
	return 1;
}

/* "exposure/rag, k 8, reference false (shuffled)"; apart: only what is not the same in all conditions, but for the name
 * of the exposure. */
static void add_exposure(markdown_report *r, markdown_text *out, const assay_json *exposure, int apart)
{
	const assay_json_api *J = r->json;
	assay_str use = model_text(r, exposure, "use");
	markdown_escape(out, use, 0);
	for (const assay_json *o = J->first(exposure); o; o = J->next(o)) {
		if (same(J->key(o), ASSAY_STR("use")) || (apart && is_common(r, J->key(o), o))) {
			continue;
		}
		markdown_add(out, ", ");
		markdown_escape(out, J->key(o), 0);
		markdown_add(out, " ");
		put_value(r, out, o);
		if (same(J->key(o), ASSAY_STR("reference")) && !J->boolean(o, 1)) {
			markdown_add(out, " (shuffled)");
		}
	}
	if (!apart && same(use, ASSAY_STR("exposure/target")) && !J->get(exposure, "strategy")) {
		markdown_add(out, ", strategy namesakes by p_alt, then look-alikes");
	}
}

static const assay_json *next_of_condition(const markdown_report *r, const assay_json *board)
{
	const assay_json *b = r->json->next(board);
	while (b && !same(model_text(r, b, "condition"), model_text(r, board, "condition"))) {
		b = r->json->next(b);
	}
	return b;
}

/* What stands in front of every table of attempts. */
static void exposure_line(markdown_report *r, const assay_json *b)
{
	const assay_json_api *J = r->json;
	const assay_json *exposure = J->get(b, "exposure");
	if (J->type(exposure) != ASSAY_JSON_OBJECT) {
		return; /* a model that an older program made, or attempts that somebody else recorded */
	}
	markdown_add(&r->out, "Exposure: ");
	add_exposure(r, &r->out, exposure, 0);
	if (J->get(b, "setting")) {
		markdown_add(&r->out, "; ");
		markdown_escape(&r->out, model_text(r, b, "setting"), 0);
	}
	for (; b && model_number(r, b, "attempts") == 0; b = next_of_condition(r, b)) {
	}
	if (!b) {
		markdown_add(&r->out, "; no valid attempts.\n\n");
		return;
	}
	markdown_printf(&r->out,
			"; %.1f tools on offer; the needed tools of %.1f %% of the checkpoints are among them, and all "
			"that the task needs in %.1f %% of the attempts.\n\n",
			J->f64(J->pointer(b, "/reachability/mean_tools"), 0),
			100.0 * J->f64(J->pointer(b, "/reachability/checkpoints"), 1),
			100.0 * J->f64(J->pointer(b, "/reachability/tasks"), 1));
}

/* Is this the first row of its condition? The board is sorted by condition. */
static int begins_condition(const markdown_report *r, const assay_json *row)
{
	for (const assay_json *b = model_first(r, "leaderboard"); b && b != row; b = r->json->next(b)) {
		if (same(model_text(r, b, "condition"), model_text(r, row, "condition"))) {
			return 0;
		}
	}
	return 1;
}

/* "exact 75.0 %, miss 25.0 %", the levels that there were, appended to a text. */
static void add_levels(markdown_text *out, const assay_json_api *J, const assay_json *served)
{
	int n = 0;
	for (const assay_json *s = J->first(served); s; s = J->next(s)) {
		if (J->f64(s, 0) > 0) {
			markdown_add(out, n++ ? ", " : "");
			markdown_escape(out, J->key(s), 0);
			markdown_printf(out, " %.1f %%", 100 * J->f64(s, 0));
		}
	}
	markdown_add(out, n ? "" : "no calls");
}

/* "Calls answered: good exact 75.0 %, miss 25.0 %; floor ...": in front of a table of rates. */
static void levels_line(markdown_report *r, const assay_json **boards, size_t n)
{
	markdown_add(&r->out, "Calls answered: ");
	for (size_t i = 0; i < n; i++) {
		markdown_add(&r->out, i ? "; " : "");
		markdown_escape(&r->out, model_text(r, boards[i], "candidate"), 0);
		markdown_add(&r->out, " ");
		add_levels(&r->out, r->json, r->json->get(boards[i], "served"));
	}
	markdown_add(&r->out, ".\n\n");
}

/* "40 (2 pending)" */
static void attempts_cell(markdown_report *r, assay_json **row, const assay_json *b)
{
	char text[64];
	int64_t attempts = model_number(r, b, "attempts"), pending = model_number(r, b, "pending");
	if (pending == 0) {
		row_add_number(r, row, attempts);
		return;
	}
	snprintf(text, sizeof text, "%lld (%lld pending)", (long long)attempts, (long long)pending);
	row_add(r, row, text);
}

static void board_row(markdown_report *r, assay_json *table, const assay_json *b)
{
	const assay_json_api *J = r->json;
	int64_t attempts = model_number(r, b, "attempts"), k = model_number(r, b, "k");
	assay_json *row = row_new(r);
	row_add_text(r, &row, model_text(r, b, "candidate"), 0);
	row_add_rate(r, &row, J->get(b, "pass_hat_k"), k);
	row_add_rate(r, &row, J->get(b, "pass_rate"), attempts);
	row_add_rate(r, &row, J->get(b, "pass_at_k"), k);
	row_add_number(r, &row, k);
	row_add_number(r, &row, model_number(r, b, "tasks"));
	attempts_cell(r, &row, b);
	row_add_number(r, &row, model_number(r, b, "void"));
	row_add_number(r, &row, model_number(r, b, "unknown"));
	row_add_mean(r, &row, J->get(b, "mean_turns"));
	row_add_mean(r, &row, J->get(b, "mean_calls"));
	row_add_number(r, &row, model_number(r, b, "tool_hallucinations"));
	row_add_number(r, &row, model_number(r, b, "wrong_server_calls"));
	row_add_number(r, &row, model_number(r, b, "minefields_hit"));
	markdown_clear(&r->cell);
	add_levels(&r->cell, J, J->get(b, "served"));
	row_add(r, &row, r->cell.ptr ? r->cell.ptr : "");
	table_row(r, table, row);
}

static int board_table(markdown_report *r, assay_str condition, int listed, assay_error *err)
{
	static const char *const titles[] = {"candidate", "pass^k",   "pass rate",    "pass@k",     "k",
					     "tasks",     "attempts", "void",         "unknown",    "turns",
					     "calls",     "refused",  "wrong server", "minefields", "answered"};
	assay_json *table = table_new(r);
	size_t n = 0;
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		table_column(r, table, titles[i], i > 3 && i < 14);
	}
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = r->json->next(b)) {
		if (same(model_text(r, b, "condition"), condition) && is_listed(r, b) == listed) {
			board_row(r, table, b);
			n++;
		}
	}
	if (n == 0) {
		r->json->free(table);
		return 0;
	}
	if (!listed) {
		markdown_add(&r->out, "Beside the board, for comparison:\n\n");
	}
	return put_table(r, table, err);
}

/* The exposures of all conditions, in front of a table that has them all. */
static void exposure_lines(markdown_report *r)
{
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = r->json->next(b)) {
		if (begins_condition(r, b)) {
			markdown_add(&r->out, "Condition ");
			markdown_escape(&r->out, model_text(r, b, "condition"), 0);
			markdown_add(&r->out, ". ");
			exposure_line(r, b);
		}
	}
}

static void comparison_row(markdown_report *r, assay_json *table, const assay_json *b)
{
	const assay_json_api *J = r->json;
	const assay_json *reach = J->get(b, "reachability"), *wrong = J->get(b, "attempted_sae");
	int64_t attempts = model_number(r, b, "attempts");
	assay_json *row = row_new(r);
	row_add_text(r, &row, model_text(r, b, "candidate"), 0);
	row_add_text(r, &row, model_text(r, b, "condition"), 0);
	markdown_clear(&r->cell);
	add_exposure(r, &r->cell, J->get(b, "exposure"), 1);
	if (J->get(b, "setting")) {
		markdown_add(&r->cell, "; ");
		markdown_escape(&r->cell, model_text(r, b, "setting"), 0);
	}
	row_add(r, &row, r->cell.ptr ? r->cell.ptr : "");
	row_add_number(r, &row, model_number(r, b, "tasks"));
	attempts_cell(r, &row, b);
	row_add_rate(r, &row, J->get(b, "pass_rate"), attempts);
	if (attempts > 0) {
		row_add_mean(r, &row, J->get(reach, "mean_tools"));
		row_add_share(r, &row, J->f64(J->get(reach, "checkpoints"), 0));
		row_add_share(r, &row, J->f64(J->get(reach, "tasks"), 0));
	}
	for (int i = 0; i < 3 && attempts == 0; i++) {
		row_add(r, &row, "–");
	}
	row_add_number(r, &row, model_number(r, wrong, "calls"));
	row_add_number(r, &row, model_number(r, wrong, "attempts"));
	table_row(r, table, row);
}

/* Is b the first row of its candidate? */
static int begins_candidate(const markdown_report *r, const assay_json *row)
{
	for (const assay_json *b = model_first(r, "leaderboard"); b && b != row; b = r->json->next(b)) {
		if (same(model_text(r, b, "candidate"), model_text(r, row, "candidate"))) {
			return 0;
		}
	}
	return 1;
}

/* One table for all conditions: an ablation, a sweep, a matrix of exposures. */
int put_comparison(markdown_report *r, assay_error *err)
{
	static const char *const titles[] = {"candidate",
					     "condition",
					     "exposure",
					     "tasks",
					     "attempts",
					     "pass rate",
					     "tools",
					     "checkpoints in reach",
					     "tasks in reach",
					     "wrong-server calls",
					     "attempts with them"};
	const assay_json_api *J = r->json;
	const assay_json *start = model_first(r, "leaderboard");
	assay_json *table;
	size_t conditions = 0;
	for (const assay_json *b = start; b; b = J->next(b)) {
		conditions += begins_condition(r, b) != 0;
	}
	if (conditions < 2) {
		return 0;
	}
	put_heading(r, "Conditions compared");
	markdown_add(
		&r->out,
		"The exposure is named with what is not the same in all conditions. Wrong-server calls are all that "
		"were attempted of a needed tool's name on a server that is not the right one.\n\n");
	exposure_lines(r);
	table = table_new(r);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		table_column(r, table, titles[i], i > 2 && i != 5);
	}
	for (const assay_json *c = start; c; c = J->next(c)) {
		for (const assay_json *b = begins_candidate(r, c) ? c : NULL; b; b = J->next(b)) {
			if (same(model_text(r, b, "candidate"), model_text(r, c, "candidate"))) {
				comparison_row(r, table, b);
			}
		}
	}
	return put_table(r, table, err);
}

int put_leaderboard(markdown_report *r, assay_error *err)
{
	int rc = 0;
	put_heading(r, "Leaderboard");
	if (!model_first(r, "leaderboard")) {
		markdown_add(&r->out, "Nobody has attempted the tasks yet.\n\n");
		return 0;
	}
	markdown_add(
		&r->out,
		"A rate, and in parentheses its 95 % interval. Where calls could not be answered from the tape, a rate has two "
		"bounds. Void attempts ended for reasons outside the agent and are in no rate; refused are calls of "
		"tools that are not on offer.\n\n");
	for (const assay_json *b = model_first(r, "leaderboard"); b && rc == 0; b = r->json->next(b)) {
		if (begins_condition(r, b)) {
			condition_heading(r, model_text(r, b, "condition"));
			exposure_line(r, b);
			rc = board_table(r, model_text(r, b, "condition"), 1, err);
			rc = rc < 0 ? rc : board_table(r, model_text(r, b, "condition"), 0, err);
		}
	}
	return rc;
}

/* ---- categories: one row each, one column a candidate ---- */

static const assay_json *category_of(const markdown_report *r, const assay_json *board, assay_str category)
{
	for (const assay_json *c = model_first(r, "categories"); c; c = r->json->next(c)) {
		if (same(model_text(r, c, "condition"), model_text(r, board, "condition")) &&
		    same(model_text(r, c, "candidate"), model_text(r, board, "candidate")) &&
		    same(model_text(r, c, "category"), category)) {
			return c;
		}
	}
	return NULL;
}

/* Is c the first entry of its category? */
static int begins_category(const markdown_report *r, const assay_json *c)
{
	for (const assay_json *e = model_first(r, "categories"); e && e != c; e = r->json->next(e)) {
		if (same(model_text(r, e, "category"), model_text(r, c, "category"))) {
			return 0;
		}
	}
	return 1;
}

/* Up to MAX_COLUMNS rows of the board, from `from` on, of one condition. */
static size_t choose_columns(const markdown_report *r, const assay_json *from, const assay_json **out,
			     const assay_json **rest)
{
	size_t n = 0;
	const assay_json *b = from;
	for (; b && n < MAX_COLUMNS && same(model_text(r, b, "condition"), model_text(r, from, "condition"));
	     b = r->json->next(b)) {
		out[n++] = b;
	}
	*rest = b;
	return n;
}

static int category_table(markdown_report *r, const assay_json **columns, size_t n, assay_error *err)
{
	assay_json *table = table_new(r);
	table_column(r, table, "category", 0);
	for (size_t i = 0; i < n; i++) {
		table_column_text(r, table, model_text(r, columns[i], "candidate"), 0);
	}
	for (const assay_json *c = model_first(r, "categories"); c; c = r->json->next(c)) {
		assay_json *row;
		if (!begins_category(r, c)) {
			continue;
		}
		row = row_new(r);
		row_add_text(r, &row, model_text(r, c, "category"), 0);
		for (size_t i = 0; i < n; i++) {
			const assay_json *cell = category_of(r, columns[i], model_text(r, c, "category"));
			row_add_rate(r, &row, r->json->get(cell, "pass_rate"), model_number(r, cell, "attempts"));
		}
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}

int put_categories(markdown_report *r, assay_error *err)
{
	const assay_json *columns[MAX_COLUMNS];
	const assay_json *b = model_first(r, "leaderboard");
	int rc = 0;
	if (!b || !model_first(r, "categories")) {
		return 0;
	}
	put_heading(r, "Pass rate by category");
	while (b && rc == 0) {
		const assay_json *rest;
		size_t n = choose_columns(r, b, columns, &rest);
		if (begins_condition(r, b)) {
			condition_heading(r, model_text(r, b, "condition"));
			exposure_line(r, b);
		}
		levels_line(r, columns, n);
		rc = category_table(r, columns, n, err);
		b = rest;
	}
	return rc;
}

/* ---- one row of the board each ---- */

static void who(markdown_report *r, assay_json **row, const assay_json *b)
{
	row_add_text(r, row, model_text(r, b, "condition"), 0);
	row_add_text(r, row, model_text(r, b, "candidate"), 0);
}

int put_served(markdown_report *r, assay_error *err)
{
	static const char *const levels[] = {"live", "exact", "equivalent", "near", "simulated", "miss", "refused"};
	const size_t n = sizeof levels / sizeof *levels;
	assay_json *table;
	if (!model_first(r, "leaderboard")) {
		return 0;
	}
	put_heading(r, "How calls were answered");
	exposure_lines(r);
	markdown_add(
		&r->out,
		"Share of all calls: exactly as recorded, by an equivalent or a near recording, not at all (miss), or refused "
		"because there is no such tool.\n\n");
	table = table_new(r);
	table_column(r, table, "condition", 0);
	table_column(r, table, "candidate", 0);
	for (size_t i = 0; i < n; i++) {
		table_column(r, table, levels[i], 1);
	}
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = r->json->next(b)) {
		assay_json *row = row_new(r);
		who(r, &row, b);
		for (size_t i = 0; i < n; i++) {
			row_add_share(r, &row, r->json->f64(r->json->get(r->json->get(b, "served"), levels[i]), 0));
		}
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}

int put_attribution(markdown_report *r, assay_error *err)
{
	static const char *const titles[] = {"condition", "candidate", "counted", "attempts",       "share",
					     "calls",     "expected",  "random",  "of needed names"};
	static const char *const keys[][2] = {{"sae", "succeeded"}, {"attempted_sae", "attempted"}};
	const assay_json_api *J = r->json;
	assay_json *table;
	if (!model_first(r, "leaderboard")) {
		return 0;
	}
	put_heading(r, "Calls on the wrong server");
	exposure_lines(r);
	markdown_add(&r->out,
		     "Calls of a needed tool's name on a server that is not the right one: as DynamicMCPBench counts "
		     "them, only where they succeeded; and all that were attempted. Expected: the server shares a tag "
		     "with the right one.\n\n");
	table = table_new(r);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		table_column(r, table, titles[i], i > 2);
	}
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = J->next(b)) {
		for (size_t i = 0; i < 2; i++) {
			const assay_json *a = J->get(b, keys[i][0]);
			assay_json *row = row_new(r);
			who(r, &row, b);
			row_add(r, &row, keys[i][1]);
			row_add_number(r, &row, model_number(r, a, "attempts"));
			row_add_share(r, &row, J->f64(J->get(a, "share"), 0));
			row_add_number(r, &row, model_number(r, a, "calls"));
			row_add_number(r, &row, model_number(r, a, "expected"));
			row_add_number(r, &row, model_number(r, a, "random"));
			row_add_share(r, &row, J->f64(J->get(a, "conditional_rate"), 0));
			table_row(r, table, row);
		}
	}
	return put_table(r, table, err);
}

static int any_void(const markdown_report *r)
{
	const assay_json *b = model_first(r, "leaderboard");
	while (b && !r->json->get(b, "voids")) {
		b = r->json->next(b);
	}
	return b != NULL;
}

int put_ends(markdown_report *r, assay_error *err)
{
	assay_json *table;
	if (!model_first(r, "leaderboard")) {
		return 0;
	}
	put_heading(r, "How attempts ended");
	exposure_lines(r);
	if (any_void(r)) {
		markdown_add(
			&r->out,
			"Void tries are counted by what was out of reach: `model_unreachable` the model of a candidate "
			"or of an exposure, `server_unreachable` a server, `judge_unreachable` the scorer's model, "
			"`simulator_unreachable` that of the replayed world; other ends are the harness's own.\n\n");
	}
	table = table_new(r);
	table_column(r, table, "condition", 0);
	table_column(r, table, "candidate", 0);
	table_column(r, table, "end", 0);
	table_column(r, table, "attempts", 1);
	table_column(r, table, "void", 1);
	for (const assay_json *b = model_first(r, "leaderboard"); b; b = r->json->next(b)) {
		for (const assay_json *e = r->json->first(r->json->get(b, "ends")); e; e = r->json->next(e)) {
			assay_json *row = row_new(r);
			who(r, &row, b);
			row_add_text(r, &row, r->json->key(e), 0);
			row_add_number(r, &row, r->json->i64(e, 0));
			row_add_number(r, &row,
				       r->json->i64(r->json->get_n(r->json->get(b, "voids"), r->json->key(e)), 0));
			table_row(r, table, row);
		}
	}
	return put_table(r, table, err);
}

/* "repeats 0.5, tokens 812" */
static void metrics_cell(markdown_report *r, assay_json **row, const assay_json *metrics)
{
	markdown_clear(&r->cell);
	for (const assay_json *m = r->json->first(metrics); m; m = r->json->next(m)) {
		markdown_add(&r->cell, m == r->json->first(metrics) ? "" : ", ");
		markdown_escape(&r->cell, r->json->key(m), METRIC_CUT);
		markdown_printf(&r->cell, " %.4g", r->json->f64(m, 0));
	}
	row_add(r, row, r->cell.ptr && r->cell.len ? r->cell.ptr : "–");
}

int put_scorers(markdown_report *r, assay_error *err)
{
	static const char *const titles[] = {"condition", "scorer",  "candidate", "attempts",
					     "passed",    "unknown", "score"};
	assay_json *table;
	if (!model_first(r, "scorers")) {
		return 0;
	}
	put_heading(r, "Other scorers");
	exposure_lines(r);
	markdown_add(&r->out,
		     "What the scorers beside the one that decides say of the same attempts: how many pass, and the "
		     "means of their scores and of what they measure.\n\n");
	table = table_new(r);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		table_column(r, table, titles[i], i > 2);
	}
	table_column(r, table, "measured", 0);
	for (const assay_json *s = model_first(r, "scorers"); s; s = r->json->next(s)) {
		double lo = r->json->f64(r->json->get(s, "lo"), 0), hi = r->json->f64(r->json->get(s, "hi"), 0);
		char score[64];
		assay_json *row = row_new(r);
		int n = snprintf(score, sizeof score, "%.3f", lo);
		if (lo < hi && n > 0 && (size_t)n < sizeof score) {
			snprintf(score + n, sizeof score - (size_t)n, "–%.3f", hi);
		}
		row_add_text(r, &row, model_text(r, s, "condition"), 0);
		row_add_text(r, &row, model_text(r, s, "scorer"), 0);
		row_add_text(r, &row, model_text(r, s, "candidate"), 0);
		row_add_number(r, &row, model_number(r, s, "attempts"));
		row_add_number(r, &row, model_number(r, s, "passed"));
		row_add_number(r, &row, model_number(r, s, "unknown"));
		row_add(r, &row, score);
		metrics_cell(r, &row, r->json->get(s, "metrics"));
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}

/* ---- tasks ---- */

/* "a, b", escaped, into r->cell. */
static void join(markdown_report *r, const assay_json *texts)
{
	markdown_clear(&r->cell);
	for (const assay_json *t = r->json->first(texts); t; t = r->json->next(t)) {
		markdown_add(&r->cell, r->cell.len ? ", " : "");
		markdown_escape(&r->cell, r->json->str(t), 0);
	}
}

/* "gpt 2/3, floor 0–1/3", with both bounds where they differ, and the condition where there are several, into r->cell.
 */
static void join_passes(markdown_report *r, const assay_json *passes)
{
	const assay_json *start = r->json->first(passes);
	int several = 0;
	for (const assay_json *p = start; p; p = r->json->next(p)) {
		several = several || !same(model_text(r, p, "condition"), model_text(r, start, "condition"));
	}
	markdown_clear(&r->cell);
	for (const assay_json *p = start; p; p = r->json->next(p)) {
		markdown_add(&r->cell, r->cell.len ? ", " : "");
		markdown_escape(&r->cell, model_text(r, p, "candidate"), 0);
		if (several) {
			markdown_add(&r->cell, " in ");
			markdown_escape(&r->cell, model_text(r, p, "condition"), 0);
		}
		markdown_printf(&r->cell, " %lld", (long long)model_number(r, p, "passed"));
		if (model_number(r, p, "passed_hi") > model_number(r, p, "passed")) {
			markdown_printf(&r->cell, "–%lld", (long long)model_number(r, p, "passed_hi"));
		}
		markdown_printf(&r->cell, "/%lld", (long long)model_number(r, p, "attempts"));
	}
}

static void task_row(markdown_report *r, assay_json *table, const assay_json *t)
{
	assay_json *row = row_new(r);
	char place[32];
	markdown_clear(&r->cell);
	markdown_escape(&r->cell, model_text(r, t, "category"), 0);
	if (r->json->get(t, "level")) {
		markdown_add(&r->cell, ", ");
		markdown_escape(&r->cell, model_text(r, t, "level"), 0);
	}
	row_add(r, &row, r->cell.ptr ? r->cell.ptr : "");
	snprintf(place, sizeof place, "%lld", (long long)model_number(r, t, "index"));
	row_add(r, &row, place);
	row_add_text(r, &row, model_text(r, t, "prompt"), PROMPT_CUT);
	join(r, r->json->get(t, "servers"));
	row_add(r, &row, r->cell.ptr ? r->cell.ptr : "");
	row_add_number(r, &row, model_number(r, t, "checkpoints"));
	row_add_number(r, &row, model_number(r, t, "minefields"));
	row_add_number(r, &row, model_number(r, t, "trace_depth"));
	join_passes(r, r->json->get(t, "passes"));
	row_add(r, &row, r->cell.ptr ? r->cell.ptr : "");
	table_row(r, table, row);
}

/* How calls were answered, one line a condition. */
static void put_levels(markdown_report *r)
{
	const assay_json *columns[MAX_COLUMNS];
	const assay_json *b = model_first(r, "leaderboard");
	while (b) {
		const assay_json *rest;
		size_t n = choose_columns(r, b, columns, &rest);
		if (begins_condition(r, b)) {
			markdown_add(&r->out, "Condition ");
			markdown_escape(&r->out, model_text(r, b, "condition"), 0);
			markdown_add(&r->out, ". ");
		}
		levels_line(r, columns, n);
		b = rest;
	}
}

int put_tasks(markdown_report *r, assay_error *err)
{
	static const char *const titles[] = {"category",    "#",          "prompt", "servers",
					     "checkpoints", "minefields", "depth",  "passed of attempts"};
	assay_json *table;
	if (!r->with_tasks || !model_first(r, "tasks")) {
		return 0;
	}
	put_heading(r, "Tasks");
	exposure_lines(r);
	put_levels(r);
	table = table_new(r);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		table_column(r, table, titles[i], i == 1 || (i >= 4 && i <= 6));
	}
	for (const assay_json *t = model_first(r, "tasks"); t; t = r->json->next(t)) {
		task_row(r, table, t);
	}
	return put_table(r, table, err);
}
