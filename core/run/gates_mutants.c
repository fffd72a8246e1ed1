/* Gates about single checkpoints: spoiled references must fail, answers must not be given away. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include "core/task/predicate.h"
#include "core/world/probe.h"
#include "core/world/replay.h"
#include <assay/roles/scorer.h>
#include <stdlib.h>
#include <string.h>

#define MIN_OTHERS 2 /* other answers that say something about a value */

/* Ways of spoiling what a checkpoint looks at. */
enum { VALUE_DROP, VALUE_SWAP, VALUE_CORRUPT };

bool as_gate_is_kind(const assay_json *checkpoint, const char *kind)
{
	return as_str_is(as_json_str(as_json_get(checkpoint, "kind")), kind);
}

static const assay_json *first_checkpoint(const gate_input *in)
{
	return as_json_first(as_json_get(in->task, "checkpoints"));
}

bool as_gate_in_set(const assay_json *checkpoint, assay_str server, assay_str tool)
{
	for (const assay_json *m = as_json_first(as_json_get(checkpoint, "equivalence_set")); m; m = as_json_next(m)) {
		if (as_str_eq(as_json_str(as_json_get(m, "server_id")), server) &&
		    as_str_eq(as_json_str(as_json_get(m, "tool_name")), tool)) {
			return true;
		}
	}
	return false;
}

bool as_gate_meets(const assay_json *checkpoint, const assay_step *step)
{
	return as_gate_is_kind(checkpoint, "tool_effect") && as_gate_in_set(checkpoint, step->server, step->tool) &&
	       as_args_match(as_json_get(checkpoint, "arg_predicate"), step->arguments, NULL) == 1;
}

bool as_gate_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

bool as_gate_holds(assay_str text, assay_str value)
{
	for (size_t i = 0; value.len > 0 && value.len <= text.len && i <= text.len - value.len; i++) {
		bool before = i > 0 && as_gate_is_word(text.ptr[i - 1]) && as_gate_is_word(value.ptr[0]);
		bool after = i + value.len < text.len && as_gate_is_word(text.ptr[i + value.len]) &&
			     as_gate_is_word(value.ptr[value.len - 1]);
		if (!before && !after && memcmp(text.ptr + i, value.ptr, value.len) == 0) {
			return true;
		}
	}
	return false;
}

assay_str as_gate_scalar(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_NUMBER ? as_json_spelling(v) : as_json_str(v);
}

static bool leaf_from(const gate_input *in, const assay_step *step, const assay_json *v)
{
	assay_str value = as_gate_scalar(v), prompt = as_json_str(as_json_get(in->task, "prompt"));
	if (value.len >= AS_GATE_MIN_FED) {
		return as_gate_holds(step->text, value) && !as_gate_holds(prompt, value);
	}
	for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
		if (leaf_from(in, step, m)) {
			return true;
		}
	}
	return false;
}

bool as_gate_feeds(const gate_input *in, const assay_step *step, const assay_step *later)
{
	return step->status == ASSAY_STEP_SUCCESS && later->status == ASSAY_STEP_SUCCESS && step->id < later->id &&
	       leaf_from(in, step, later->arguments);
}

/* --- Mutants ----------------------------------------------------------------------------------------------------- */

/* A tool that no checkpoint wants, of the same server if there is one. NULL: none. */
static const assay_tool *stranger(const gate_input *in, const assay_json *checkpoint)
{
	assay_tools all = as_catalogue_tools(in->context->engine->catalogue);
	assay_str server = as_json_str(as_json_pointer(checkpoint, "/equivalence_set/0/server_id"));
	const assay_tool *found = NULL;
	for (size_t i = 0; i < all.count; i++) {
		bool wanted = false;
		for (const assay_json *c = first_checkpoint(in); c; c = as_json_next(c)) {
			wanted = wanted || as_gate_in_set(c, all.list[i]->server, all.list[i]->name);
		}
		if (!wanted &&
		    (!found || (as_str_eq(all.list[i]->server, server) && !as_str_eq(found->server, server)))) {
			found = all.list[i];
		}
	}
	return found;
}

/* How many mutants of one kind there were, and which checkpoints did not notice theirs. */
typedef struct tally {
	int64_t made, caught;
	assay_json *missed; /* ids, each once */
} tally;

static int count_mutant(tally *t, const assay_json *checkpoint, bool caught)
{
	const assay_json *id = as_json_get(checkpoint, "checkpoint_id");
	size_t n = as_json_count(t->missed);
	t->made++;
	t->caught += caught;
	if (caught || (n > 0 && as_json_equal(as_json_at(t->missed, n - 1), id))) {
		return 0;
	}
	return as_json_append(t->missed, as_json_clone(id));
}

static int put_tally(tally *t, const char *name, assay_json *evidence)
{
	assay_json *entry = as_json_object();
	int rc = as_json_set(entry, "made", as_json_integer(t->made));
	rc |= as_json_set(entry, "caught", as_json_integer(t->caught));
	rc |= as_json_set(entry, "missed", t->missed);
	t->missed = NULL;
	return rc | as_json_set(evidence, name, entry);
}

/* A call is not made, or another one is, or with other arguments. */
static int spoil_call(const gate_input *in, const assay_json *checkpoint, int way, tally *t, assay_error *err)
{
	bool passes = true;
	int rc;
	if (!as_gate_is_kind(checkpoint, "tool_effect")) {
		return 0;
	}
	rc = as_gate_mutant(in, checkpoint, way, way == AS_MUTANT_SWAP ? stranger(in, checkpoint) : NULL, &passes, err);
	return rc < 0 ? rc : count_mutant(t, checkpoint, !passes) < 0 ? as_fail_memory(err) : 0;
}

/* A checkpoint that looks at values, on the reference with other ones: of the same form, under the same keys, and
 * beside what the prompt says. */
static int revalue(const gate_input *in, const assay_json *checkpoint, uint32_t shift, tally *t, assay_error *err)
{
	const as_mutation m = {.checkpoint = checkpoint,
			       .way = AS_MUTANT_VALUES,
			       .parts = AS_MUTANT_STEPS | AS_MUTANT_MESSAGE,
			       .prompt = as_json_str(as_json_get(in->task, "prompt")),
			       .shift = shift};
	as_trace *mutant = NULL;
	bool passes = true;
	int rc = as_gate_mutate(in, &m, &mutant, err);
	rc = rc < 0 ? rc : as_gate_score_part(in, mutant, checkpoint, true, &passes, err);
	as_trace_free(mutant);
	return rc < 0 ? rc : count_mutant(t, checkpoint, !passes) < 0 ? as_fail_memory(err) : 0;
}

/* A state that would be shown if nothing had been done is no effect. */
static int ask_at_once(const gate_input *in, const assay_json *checkpoint, tally *t, assay_error *err)
{
	const as_replay_options options = {.mode = AS_REPLAY_STATEFUL, .near_threshold = 1.0};
	as_world *world = NULL;
	as_trace *mutant = NULL;
	assay_json *probes = NULL;
	bool passes = true;
	int rc = as_replay_open(in->tape, &options, &world, err);
	rc = rc < 0 ? rc : as_probes_ask(world, &in->context->call, in->task, &probes, err);
	rc = rc < 0 ? rc : as_trace_with_probes(in->trace, probes, &mutant, err);
	rc = rc < 0 ? rc : as_gate_score_part(in, mutant, checkpoint, true, &passes, err);
	as_trace_free(mutant);
	as_world_close(world, NULL);
	return rc < 0 ? rc : count_mutant(t, checkpoint, !passes) < 0 ? as_fail_memory(err) : 0;
}

/* --- Values of other calls --------------------------------------------------------------------------------------- */

/* Was the row's answer to a call that the reference made, too? Rows mostly come in the order of its calls: the search
 * goes on behind the one that was found last. */
static bool is_reference_call(const gate_input *in, const as_tape_row *row, size_t *next)
{
	for (size_t n = 0; n < in->n_steps; n++) {
		const size_t i = (*next + n) % in->n_steps;
		if (as_str_eq(in->steps[i].server, row->server) && as_str_eq(in->steps[i].tool, row->tool) &&
		    as_json_equal(in->steps[i].arguments, row->arguments)) {
			*next = i + 1;
			return true;
		}
	}
	return false;
}

/* Which calls of the reference show a value; free it. NULL: no memory. */
static bool *shown_by(const gate_input *in, const assay_json *predicate)
{
	bool *shows = as_new(in->n_steps + 1, sizeof *shows);
	for (size_t k = 0; k < in->n_steps && shows; k++) {
		shows[k] = as_value_match(predicate, in->steps[k].text, NULL) == 1;
	}
	return shows;
}

/* Is it another call than the reference's, of a tool that shows the value? */
static bool is_another(const gate_input *in, const bool *shows, const as_tape_row *row, size_t *next)
{
	bool shown = false;
	for (size_t k = 0; k < in->n_steps && !shown; k++) {
		shown = shows[k] && as_str_eq(in->steps[k].server, row->server) &&
			as_str_eq(in->steps[k].tool, row->tool);
	}
	return shown && row->status == ASSAY_STEP_SUCCESS && !is_reference_call(in, row, next);
}

/* A value is what a call with these arguments answers: what most other calls of the tools that show it answer as well
 * is none. The tape knows other calls. */
static int swap_value(const gate_input *in, const assay_json *checkpoint, tally *t, assay_error *err)
{
	const assay_json *predicate = as_json_get(checkpoint, "predicate");
	bool *shows = shown_by(in, predicate);
	size_t others = 0, alike = 0, next = 0;
	int rc = shows ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < as_tape_count(in->tape) && rc == 0; i++) {
		const as_tape_row *row = as_tape_row_at(in->tape, i);
		as_buf text = {0};
		if (!is_another(in, shows, row, &next)) {
			continue;
		}
		rc = as_render_result(row->result, &text) < 0 ? as_fail_memory(err) : 0;
		others++;
		alike += rc == 0 && as_value_match(predicate, as_buf_str(&text), NULL) == 1;
		as_buf_free(&text);
	}
	free(shows);
	if (rc < 0 || others < MIN_OTHERS) {
		return rc;
	}
	return count_mutant(t, checkpoint, 2 * alike <= others) < 0 ? as_fail_memory(err) : 0;
}

static int spoil_values(const gate_input *in, const assay_json *checkpoint, int way, tally *t, assay_error *err)
{
	static const uint32_t shifts[] = {3, 5, 7};
	int rc = 0;
	if (as_gate_is_kind(checkpoint,
			    "state_condition")) { /* what it shows may well stand in the prompt, or be nothing */
		return way == VALUE_SWAP ? ask_at_once(in, checkpoint, t, err) : 0;
	}
	if (!as_gate_is_kind(checkpoint, "value_produced")) {
		return 0;
	}
	if (way == VALUE_DROP) {
		return revalue(in, checkpoint, 0, t, err);
	}
	if (way == VALUE_SWAP) {
		return swap_value(in, checkpoint, t, err);
	}
	for (size_t i = 0; i < sizeof shifts / sizeof *shifts && rc == 0; i++) {
		rc = revalue(in, checkpoint, shifts[i], t, err);
	}
	return rc;
}

/* The reference with the calls behind one checkpoint dropped, swapped for another tool's, or corrupted fails; and no
 * checkpoint that looks at values is met where they are dropped, corrupted, or those of other calls or states. */
int as_gate_mutants_caught(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	static const struct {
		const char *name;
		int (*spoil)(const gate_input *in, const assay_json *c, int way, tally *t, assay_error *err);
		int way;
	} kinds[] = {{"drop", spoil_call, AS_MUTANT_DROP},       {"swap", spoil_call, AS_MUTANT_SWAP},
		     {"corrupt", spoil_call, AS_MUTANT_CORRUPT}, {"value_drop", spoil_values, VALUE_DROP},
		     {"value_swap", spoil_values, VALUE_SWAP},   {"value_corrupt", spoil_values, VALUE_CORRUPT}};
	int rc = 0;
	*passed = first_checkpoint(in) != NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == 0; i++) {
		tally t = {.missed = as_json_array()};
		rc = t.missed ? 0 : as_fail_memory(err);
		for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
			rc = kinds[i].spoil(in, c, kinds[i].way, &t, err);
		}
		*passed = *passed && t.caught == t.made;
		if (rc == 0 && put_tally(&t, kinds[i].name, evidence) < 0) {
			rc = as_fail_memory(err);
		}
		as_json_free(t.missed);
	}
	return rc;
}

/* --- Answers in the prompt --------------------------------------------------------------------------------------- */

static int note_given(const assay_json *values, assay_str prompt, assay_json *given)
{
	int rc = 0;
	for (const assay_json *v = as_json_first(values); v && rc == 0; v = as_json_next(v)) {
		if (as_gate_holds(prompt, as_json_str(v))) {
			rc = as_json_append(given, as_json_clone(v));
		}
	}
	return rc;
}

/* No value that has to be found stands in the prompt, which would let an agent say it without looking. */
int as_gate_no_answer_in_prompt(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt"));
	assay_json *given = as_json_array();
	int rc = given ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
		const assay_json *p = as_json_get(c, "predicate"), *regex = as_json_get(p, "regex");
		if (!as_gate_is_kind(c, "value_produced")) {
			continue;
		}
		rc = note_given(as_json_get(p, "contains_any"), prompt, given);
		rc |= note_given(as_json_get(p, "contains_all"), prompt, given);
		if (rc == 0 && as_json_type(regex) == ASSAY_JSON_STRING && as_value_match(p, prompt, NULL) == 1) {
			rc = as_json_append(given, as_json_clone(regex));
		}
	}
	*passed = rc == 0 && as_json_count(given) == 0;
	rc |= as_json_set(evidence, "in_prompt", given);
	return rc < 0 ? as_fail_memory(err) : 0;
}
