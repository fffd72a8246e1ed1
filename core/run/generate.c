/* Generation: rounds of goal slots until every category has its count. A slot's row says how far it came, so a stopped
 * run goes on where it was; what is accepted depends on the order of the slots, never on which was ready first. */
#include "core/run/generate.h"

#include "core/base/error.h"
#include "core/base/similarity.h"
#include "core/base/text.h"
#include "core/run/makers.h"
#include "core/run/seeds.h"
#include <stdlib.h>
#include <string.h>

#define NEAR_GOAL 0.9  /* share of common words from which on two goals are one */
#define NEAR_SHAPE 0.5 /* the same for those that want the same tools used, and values left out */

typedef struct category_state {
	uint32_t accepted, next; /* next: first slot not yet scheduled, as the category counts them */
} category_state;

typedef struct generation {
	as_engine *engine;
	as_worker **workers;
	int upto;
	as_slot *slots; /* of this round */
	size_t n_slots, cap_slots;
	as_goal_memory *memory; /* rows that an earlier run left */
	category_state *categories;
	uint64_t scheduled;
	assay_json *prompts; /* object: normalised prompt -> true, of accepted tasks */
	assay_json *effects; /* object: what a task checks -> true, likewise */
	assay_json *shapes;  /* object: the tools that a task wants used -> array of prompts without values, likewise */
} generation;

static void generation_free(generation *g)
{
	for (uint32_t i = 0; g->workers && i < g->engine->jobs; i++) {
		as_worker_free(g->workers[i]);
	}
	for (size_t i = 0; i < g->n_slots; i++) {
		as_slot_clear(&g->slots[i]);
	}
	free(g->workers);
	free(g->slots);
	free(g->categories);
	as_goal_memory_free(g->memory);
	as_json_free(g->prompts);
	as_json_free(g->effects);
	as_json_free(g->shapes);
}

static int work_slot(void *context, uint32_t worker, size_t index, assay_error *err)
{
	generation *g = context;
	int rc = as_slot_advance(g->workers[worker], &g->slots[index], g->upto, err);
	as_progress_step(g->engine->progress, 1);
	return rc;
}

/* One slot for every task that is still missing, as long as the goal budget lasts. */
static int schedule(generation *g, assay_error *err)
{
	const as_manifest *m = g->engine->manifest;
	for (size_t i = 0; i < g->n_slots; i++) {
		as_slot_clear(&g->slots[i]);
	}
	g->n_slots = 0;
	for (uint32_t c = 0; c < m->n_categories; c++) {
		uint32_t missing = m->categories[c].count - g->categories[c].accepted;
		for (uint32_t i = 0; i < missing && g->scheduled < m->max_goals; i++, g->scheduled++) {
			int rc;
			if (!as_grow(&g->slots, &g->cap_slots, g->n_slots + 1, sizeof *g->slots)) {
				return as_fail_memory(err);
			}
			rc = as_slot_init(&g->slots[g->n_slots++], g->engine, c,
					  m->categories[c].first + m->categories[c].stride * g->categories[c].next++,
					  g->memory, err);
			if (rc < 0) {
				return rc;
			}
		}
	}
	return 0;
}

/* Has an accepted task this prompt, or one that hardly differs from it? */
static bool asked_before(const generation *g, assay_str prompt)
{
	if (as_json_get_n(g->prompts, prompt)) {
		return true;
	}
	for (const assay_json *p = as_json_first(g->prompts); p; p = as_json_next(p)) {
		if (as_jaccard(as_json_key(p), prompt) >= NEAR_GOAL) {
			return true;
		}
	}
	return false;
}

/* The tools of an equivalence set, in no order: an object. NULL when memory is out. */
static assay_json *tools_of_set(const assay_json *set)
{
	assay_json *tools = as_json_object();
	int bad = 0;
	for (const assay_json *member = as_json_first(set); member && !bad; member = as_json_next(member)) {
		as_buf tool = {0};
		as_buf_printf(&tool, "%.*s %.*s", ASSAY_FMT(as_json_str(as_json_get(member, "server_id"))),
			      ASSAY_FMT(as_json_str(as_json_get(member, "tool_name"))));
		bad = tool.failed || as_json_set_n(tools, as_buf_str(&tool), as_json_truth(1)) < 0;
		as_buf_free(&tool);
	}
	if (bad) {
		as_json_free(tools);
	}
	return bad ? NULL : tools;
}

/* A checkpoint without what it is called. */
static int put_effect(assay_json *effects, const assay_json *checkpoint)
{
	assay_json *effect = as_json_object();
	int bad = 0;
	for (const assay_json *m = as_json_first(checkpoint); m; m = as_json_next(m)) {
		assay_str key = as_json_key(m);
		if (as_str_is(key, "equivalence_set")) {
			bad |= as_json_set_n(effect, key, tools_of_set(m));
		} else if (!as_str_is(key, "checkpoint_id") && !as_str_is(key, "description")) {
			bad |= as_json_set_n(effect, key, as_json_clone(m));
		}
	}
	return bad | as_json_append(effects, effect);
}

/* What a task checks, as text: two tasks with the same one cannot be told apart by any candidate's score. */
static int write_effects(const assay_json *task, as_buf *out, assay_error *err)
{
	assay_json *effects = as_json_array();
	int bad = effects ? 0 : ASSAY_ENOMEM;
	const assay_json *checkpoint = as_json_first(as_json_get(task, "checkpoints"));
	for (; checkpoint && !bad; checkpoint = as_json_next(checkpoint)) {
		bad = put_effect(effects, checkpoint);
	}
	if (!bad) {
		as_json_write(out, effects, ASSAY_JSON_CANONICAL);
	}
	as_json_free(effects);
	return bad ? as_fail_memory(err) : as_buf_check(out, err);
}

/* The tools that a task wants used and the arguments that it looks at, whatever their values. */
static int write_shape(const assay_json *task, as_buf *out, assay_error *err)
{
	static const char *const parts[] = {"must_include", "must_match"};
	const assay_json *c = as_json_first(as_json_get(task, "checkpoints"));
	int bad = 0;
	for (; c && !bad; c = as_json_next(c)) {
		assay_json *tools = tools_of_set(as_json_get(c, "equivalence_set"));
		bad = !tools;
		if (as_json_count(tools) > 0) {
			as_json_write(out, tools, ASSAY_JSON_CANONICAL);
		}
		as_json_free(tools);
		for (size_t i = 0; i < 2; i++) {
			const assay_json *arguments = as_json_get(as_json_get(c, "arg_predicate"), parts[i]);
			for (const assay_json *a = as_json_first(arguments); a; a = as_json_next(a)) {
				as_buf_printf(out, " %.*s", ASSAY_FMT(as_json_key(a)));
			}
		}
	}
	return bad ? as_fail_memory(err) : as_buf_check(out, err);
}

static bool is_value_word(assay_str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] >= '0' && word.ptr[i] <= '9') {
			return true;
		}
	}
	return false;
}

/* The prompt without what stands in quotes, and without words with digits. */
static void write_without_values(assay_str prompt, as_buf *out)
{
	for (size_t i = 0, end; i < prompt.len; i = end + 1) {
		char close = prompt.ptr[i] == '"' ? '"' : ' ';
		assay_str word;
		i += close == '"';
		for (end = i; end < prompt.len && prompt.ptr[end] != close; end++) {
		}
		word = (assay_str){prompt.ptr + i, end - i};
		if (close == ' ' && !is_value_word(word)) {
			as_buf_add(out, word);
			as_buf_puts(out, " ");
		}
	}
}

/* Note what the task is like. *near: an accepted one wants the same tools used in about the same words. */
static int compare_shape(generation *g, const assay_json *task, bool keep, bool *near, assay_error *err)
{
	as_buf shape = {0}, words = {0};
	const assay_json *known;
	int rc = write_shape(task, &shape, err);
	write_without_values(as_json_str(as_json_get(task, "prompt")), &words);
	rc = rc < 0 ? rc : as_buf_check(&words, err);
	known = rc < 0 ? NULL : as_json_get_n(g->shapes, as_buf_str(&shape));
	*near = false;
	for (const assay_json *w = as_json_first(known); w && !*near; w = as_json_next(w)) {
		*near = as_jaccard(as_json_str(w), as_buf_str(&words)) >= NEAR_SHAPE;
	}
	if (rc == 0 && keep) {
		assay_json *list = known ? as_json_edit(known) : as_json_array();
		int bad = known ? 0 : as_json_set_n(g->shapes, as_buf_str(&shape), list);
		rc = bad || as_json_append(list, as_json_string(as_buf_str(&words))) ? as_fail_memory(err) : 0;
	}
	as_buf_free(&shape);
	as_buf_free(&words);
	return rc;
}

/* Take the task in, or say why not: its category is full, or another task asks for the same. */
static int accept(generation *g, as_slot *s, assay_error *err)
{
	const as_category_spec *category = &g->engine->manifest->categories[s->category];
	category_state *state = &g->categories[s->category];
	as_buf prompt = {0}, effects = {0};
	bool near = false;
	int rc;
	as_normalise(&prompt, as_json_str(as_json_get(s->task, "prompt")));
	rc = as_buf_check(&prompt, err);
	rc = rc < 0 ? rc : write_effects(s->task, &effects, err);
	rc = rc < 0 ? rc : compare_shape(g, s->task, false, &near, err);
	if (rc < 0) {
		goto out;
	}
	if (near || asked_before(g, as_buf_str(&prompt)) || as_json_get_n(g->effects, as_buf_str(&effects))) {
		rc = as_slot_settle(s, g->engine, "rejected", "duplicate", err);
	} else if (state->accepted >= category->count) {
		rc = as_slot_settle(s, g->engine, "surplus", "", err);
	} else {
		state->accepted++;
		rc = as_json_set_n(g->prompts, as_buf_str(&prompt), as_json_truth(1));
		rc |= as_json_set_n(g->effects, as_buf_str(&effects), as_json_truth(1));
		rc = rc < 0 ? as_fail_memory(err) : compare_shape(g, s->task, true, &near, err);
		if (rc == 0) {
			rc = as_slot_settle(s, g->engine, "certified", "", err);
		}
	}
out:
	as_buf_free(&prompt);
	as_buf_free(&effects);
	return rc;
}

static int run_round(generation *g, assay_error *err)
{
	int rc;
	as_progress_begin(g->engine->progress, "goals", g->n_slots);
	rc = as_pool_run(g->n_slots, g->engine->jobs, work_slot, g, g->engine->cancel, err);
	as_progress_end(g->engine->progress);
	for (size_t i = 0; i < g->n_slots && rc == 0; i++) {
		if (as_slot_passed(&g->slots[i])) {
			rc = accept(g, &g->slots[i], err);
		}
	}
	return rc;
}

static int prepare(generation *g, assay_error *err)
{
	int rc = 0;
	g->workers = as_new(g->engine->jobs, sizeof(as_worker *));
	g->categories = as_new(g->engine->manifest->n_categories + 1, sizeof *g->categories);
	g->prompts = as_json_object();
	g->effects = as_json_object();
	g->shapes = as_json_object();
	if (!g->workers || !g->categories || !g->prompts || !g->effects || !g->shapes) {
		return as_fail_memory(err);
	}
	for (uint32_t i = 0; i < g->engine->jobs && rc == 0; i++) {
		rc = as_worker_new(g->engine, &g->workers[i], err);
	}
	return rc < 0 ? rc : as_goal_memory_load(g->engine, &g->memory, err);
}

/* What nothing holds stays from attempt to attempt, and afterwards. */
static void warn_of_unheld(const as_engine *e)
{
	for (size_t i = 0; i < e->manifest->n_servers; i++) {
		const as_server_spec *s = &e->manifest->servers[i];
		const char *why = as_manifest_unheld(e->manifest, s);
		if (!why || s->sandbox || s->server_class != AS_CLASS_STATEFUL_WRITE) {
			continue;
		}
		if (as_json_get(s->launch, "url")) {
			as_log_put(e->log, "run", ASSAY_LOG_WARN,
				   "server \"%s\" may write, and %s: what it writes stays (\"class\": \"live_read\" "
				   "is for one that only reads)",
				   s->id, why);
		} else {
			as_log_put(e->log, "run", ASSAY_LOG_WARN,
				   "server \"%s\" may write, and %s: what it writes stays where it writes it (put "
				   "${env:%s.dir} where it is told its folder, or give it \"sandbox\": {})",
				   s->id, why, s->id);
		}
	}
}

int as_stage_generate(as_engine *e, int upto, uint64_t *shortfall, assay_error *err)
{
	const as_manifest *m = e->manifest;
	generation g = {.engine = e, .upto = upto};
	bool begun = false;
	int rc;
	*shortfall = 0;
	if (m->imported) {
		return 0; /* its tasks are another benchmark's */
	}
	rc = as_check_models(e, true, err);
	rc = rc < 0 ? rc : prepare(&g, err);
	while (rc == 0) {
		rc = schedule(&g, err);
		if (rc < 0 || g.n_slots == 0) {
			break;
		}
		if (!begun) {
			warn_of_unheld(e);
			rc = as_note_named(e, true, err);
			begun = true;
		}
		rc = rc < 0 ? rc : run_round(&g, err);
		if (upto < AS_STEP_GATE) {
			break; /* the steps before the gates fill no category: one round shows what they do */
		}
	}
	for (size_t c = 0; c < m->n_categories && rc == 0; c++) {
		*shortfall += m->categories[c].count - g.categories[c].accepted;
	}
	generation_free(&g);
	return rc;
}

static int plan_row(as_worker *w, as_engine *e, uint32_t category, assay_json *rows, assay_error *err)
{
	const as_category_spec *spec = &e->manifest->categories[category];
	as_seed_count n;
	as_context c;
	assay_json *row;
	int rc;
	as_context_init(&c, w, spec->sampler.use, spec->name,
			as_derive_seed(e->manifest->seed, "plan", as_str(spec->name)), 0);
	rc = as_seeds_count(&c, category, &n, err);
	if (rc < 0) {
		return rc;
	}
	row = as_json_object();
	rc = as_json_set(row, "category", as_json_cstring(spec->name));
	rc |= as_json_set(row, "complexity", as_json_cstring(spec->complexity));
	rc |= as_json_set(row, "sampler", as_json_cstring(spec->sampler.use));
	rc |= as_json_set(row, "size", as_json_integer(spec->size));
	rc |= as_json_set(row, "wanted", as_json_integer(spec->count));
	rc |= as_json_set(row, "seed_sets", as_json_integer((int64_t)n.sets));
	rc |= as_json_set(row, "whole", as_json_integer((int64_t)n.whole));
	rc |= as_json_set(row, "missing", as_json_integer(n.sets < spec->count ? (int64_t)(spec->count - n.sets) : 0));
	if (rc < 0) {
		as_json_free(row);
		return as_fail_memory(err);
	}
	return as_json_append(rows, row) < 0 ? as_fail_memory(err) : 0;
}

int as_stage_plan(as_engine *e, assay_json **rows, assay_error *err)
{
	as_worker *w = NULL;
	int rc = as_worker_new(e, &w, err);
	*rows = as_json_array();
	rc = rc == 0 && !*rows ? as_fail_memory(err) : rc;
	for (uint32_t i = 0; i < e->manifest->n_categories && rc == 0; i++) {
		rc = plan_row(w, e, i, *rows, err);
	}
	as_worker_free(w);
	if (rc < 0) {
		as_json_free(*rows);
		*rows = NULL;
	}
	return rc;
}
