/* Gates about single checkpoints: spoiled references must fail, answers must not be given away, every checkpoint must
 * be about something that the goal needs. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include "core/task/predicate.h"
#include <assay/roles/scorer.h>
#include <string.h>

#define MIN_FED 2 /* bytes of a value from which on its place in an earlier result is no accident */

static bool is_kind(const assay_json *checkpoint, const char *kind)
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
	return is_kind(checkpoint, "tool_effect") && as_gate_in_set(checkpoint, step->server, step->tool) &&
	       as_args_match(as_json_get(checkpoint, "arg_predicate"), step->arguments, NULL) == 1;
}

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

bool as_gate_holds(assay_str text, assay_str value)
{
	for (size_t i = 0; value.len > 0 && value.len <= text.len && i <= text.len - value.len; i++) {
		bool before = i > 0 && is_word_byte(text.ptr[i - 1]) && is_word_byte(value.ptr[0]);
		bool after = i + value.len < text.len && is_word_byte(text.ptr[i + value.len]) &&
			     is_word_byte(value.ptr[value.len - 1]);
		if (!before && !after && memcmp(text.ptr + i, value.ptr, value.len) == 0) {
			return true;
		}
	}
	return false;
}

/* The text of a scalar; empty for others. */
static assay_str scalar(const assay_json *v)
{
	return as_json_type(v) == ASSAY_JSON_NUMBER ? as_json_spelling(v) : as_json_str(v);
}

static bool leaf_from(const gate_input *in, const assay_step *step, const assay_json *v)
{
	assay_str value = scalar(v), prompt = as_json_str(as_json_get(in->task, "prompt"));
	if (value.len >= MIN_FED) {
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

/* --- Mutants -------------------------------------------------------------------------------------------------------
 */

/* Another value of the same type. */
static assay_json *spoil(const assay_json *v)
{
	assay_json *out;
	int rc = 0;
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING:
		return as_json_cstring("\xe2\x80\x94");
	case ASSAY_JSON_NUMBER:
		return as_json_integer(as_json_i64(v, 0) + 1000003);
	case ASSAY_JSON_BOOL:
		return as_json_truth(!as_json_boolean(v, 0));
	case ASSAY_JSON_ARRAY:
		out = as_json_array();
		for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
			rc = as_json_append(out, spoil(m));
		}
		break;
	case ASSAY_JSON_OBJECT:
		out = as_json_object();
		for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
			bool fixed = as_str_is(as_json_key(m), "type"); /* a part's kind is no value of it */
			rc = as_json_set_n(out, as_json_key(m), fixed ? as_json_clone(m) : spoil(m));
		}
		break;
	default:
		return as_json_null();
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static int blank_step(assay_json *step)
{
	return as_json_set(step, "result", spoil(as_json_get(step, "result")));
}

static int corrupt_step(assay_json *step, const assay_json *checkpoint)
{
	const assay_json *predicate = as_json_get(checkpoint, "arg_predicate");
	bool checked = as_json_count(as_json_get(predicate, "must_include")) > 0 ||
		       as_json_count(as_json_get(predicate, "must_match")) > 0;
	return checked ? as_json_set(step, "arguments", spoil(as_json_get(step, "arguments")))
		       : as_json_set(step, "status", as_json_cstring("error"));
}

static int swap_step(assay_json *step, const assay_tool *other)
{
	int rc = as_json_set(step, "server_id",
			     other ? as_json_string(other->server) : as_json_clone(as_json_get(step, "server_id")));
	return rc |
	       as_json_set(step, "tool_name", other ? as_json_string(other->name) : as_json_cstring("no such tool"));
}

static const assay_step *step_of(const gate_input *in, const assay_json *step)
{
	int64_t id = as_json_i64(as_json_get(step, "step_id"), -1);
	for (size_t i = 0; i < in->n_steps; i++) {
		if (in->steps[i].id == id) {
			return &in->steps[i];
		}
	}
	return NULL;
}

static int spoil_steps(const gate_input *in, const assay_json *checkpoint, int way, const assay_tool *other,
		       assay_json *kept)
{
	int rc = 0;
	for (const assay_json *s = as_json_first(as_json_get(as_trace_document(in->trace), "steps")); s && rc == 0;
	     s = as_json_next(s)) {
		const assay_step *step = step_of(in, s);
		bool meets = step && as_gate_meets(checkpoint, step);
		assay_json *copy;
		if (meets && way == AS_MUTANT_DROP) {
			continue;
		}
		copy = as_json_clone(s);
		rc = !copy                               ? ASSAY_ENOMEM
		     : step && way == AS_MUTANT_BLANK    ? blank_step(copy)
		     : meets && way == AS_MUTANT_SWAP    ? swap_step(copy, other)
		     : meets && way == AS_MUTANT_CORRUPT ? corrupt_step(copy, checkpoint)
							 : 0;
		if (rc < 0) {
			as_json_free(copy);
		} else {
			rc = as_json_append(kept, copy);
		}
	}
	return rc;
}

int as_gate_mutant(const gate_input *in, const assay_json *checkpoint, int way, const assay_tool *other, bool *passes,
		   assay_error *err)
{
	assay_json *document = as_json_clone(as_trace_document(in->trace)), *kept = as_json_array();
	as_trace *mutant = NULL;
	int rc = document && kept ? spoil_steps(in, checkpoint, way, other, kept) : ASSAY_ENOMEM;
	if (rc == 0) {
		rc = as_json_set(document, "steps", kept);
		kept = NULL;
	}
	if (rc == 0 && way == AS_MUTANT_BLANK) {
		assay_json *exploration = as_json_edit(as_json_pointer(document, "/seed_metadata/exploration"));
		rc = exploration ? as_json_set(exploration, "final_message", as_json_cstring("")) : 0;
		rc |= exploration ? as_json_set(exploration, "messages", as_json_array()) : 0;
	}
	as_json_free(kept);
	if (rc < 0) {
		as_json_free(document);
		return as_fail_memory(err);
	}
	rc = as_trace_from_json(document, &mutant, err);
	rc = rc < 0 ? rc : as_gate_score(in, mutant, passes, NULL, err);
	as_trace_free(mutant);
	return rc;
}

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

static int count_caught(const gate_input *in, int way, assay_json *evidence, bool *passed, assay_error *err)
{
	static const char *const names[] = {"drop", "swap", "corrupt", "blank"};
	int64_t caught = 0, made = 0;
	assay_json *missed = as_json_array(), *entry = as_json_object();
	int rc = missed && entry ? 0 : as_fail_memory(err);
	for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
		bool passes = true;
		if (!is_kind(c, way == AS_MUTANT_BLANK ? "value_produced" : "tool_effect")) {
			continue;
		}
		rc = as_gate_mutant(in, c, way, way == AS_MUTANT_SWAP ? stranger(in, c) : NULL, &passes, err);
		made++;
		caught += !passes;
		if (rc == 0 && passes) {
			*passed = false;
			rc = as_json_append(missed, as_json_clone(as_json_get(c, "checkpoint_id")));
		}
	}
	rc |= as_json_set(entry, "made", as_json_integer(made));
	rc |= as_json_set(entry, "caught", as_json_integer(caught));
	rc |= as_json_set(entry, "missed", missed);
	rc |= as_json_set(evidence, names[way], entry);
	return rc < 0 ? (err && err->code ? rc : as_fail_memory(err)) : 0;
}

/* The reference with the calls behind one checkpoint dropped, swapped for another tool's, or corrupted fails; and so
 * does one whose results say nothing, where a value is asked for. */
int as_gate_mutants_caught(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	int rc = 0;
	*passed = first_checkpoint(in) != NULL;
	for (int way = AS_MUTANT_DROP; way <= AS_MUTANT_BLANK && rc == 0; way++) {
		rc = count_caught(in, way, evidence, passed, err);
	}
	return rc;
}

/* --- Answers in the prompt -----------------------------------------------------------------------------------------
 */

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
		if (!is_kind(c, "value_produced")) {
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

/* --- Necessity -----------------------------------------------------------------------------------------------------
 */

/* Does an argument hold something of the prompt that no other call holds? */
static bool carries_goal(const gate_input *in, const assay_step *step)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt"));
	for (const assay_json *a = as_json_first(step->arguments); a; a = as_json_next(a)) {
		assay_str value = scalar(a);
		bool alone = value.len >= MIN_FED && as_gate_holds(prompt, value);
		for (size_t i = 0; i < in->n_steps && alone; i++) {
			for (const assay_json *b = as_json_first(in->steps[i].arguments); b && alone;
			     b = as_json_next(b)) {
				alone = &in->steps[i] == step || in->steps[i].status != ASSAY_STEP_SUCCESS ||
					!as_str_eq(scalar(b), value);
			}
		}
		if (alone) {
			return true;
		}
	}
	return false;
}

/* Does its result hold a value that is asked for, or a rare one that the last message tells? */
static bool is_shown(const gate_input *in, const assay_step *step)
{
	assay_str prompt = as_json_str(as_json_get(in->task, "prompt")), said = as_trace_final_message(in->trace);
	for (const assay_json *c = first_checkpoint(in); c; c = as_json_next(c)) {
		if (is_kind(c, "value_produced") &&
		    as_value_match(as_json_get(c, "predicate"), step->text, NULL) == 1) {
			return true;
		}
	}
	for (size_t i = 0, end; i < said.len; i = end) { /* words of the message */
		assay_str word;
		bool rare;
		for (end = i + 1; end < said.len && is_word_byte(said.ptr[end - 1]) && is_word_byte(said.ptr[end]);
		     end++) {
		}
		word = (assay_str){said.ptr + i, end - i};
		rare = word.len > 2 && as_gate_holds(step->text, word) && !as_gate_holds(prompt, word);
		for (size_t k = 0; k < in->n_steps && rare; k++) {
			rare = &in->steps[k] == step || !as_gate_holds(in->steps[k].text, word);
		}
		if (rare) {
			return true;
		}
	}
	return false;
}

static bool is_needed(const gate_input *in, const assay_step *step)
{
	const assay_tool *tool = as_catalogue_find(in->context->engine->catalogue, step->server, step->tool);
	if ((tool && (tool->flags & ASSAY_TOOL_WRITES)) || carries_goal(in, step) || is_shown(in, step)) {
		return true;
	}
	for (size_t i = 0; i < in->n_steps; i++) {
		if (as_gate_feeds(in, step, &in->steps[i])) {
			return true;
		}
	}
	return false;
}

/* Leave one out: without the call behind a checkpoint something would be missing, a change, a value that a later call
 * or the answer needs, or a part of what the goal names. */
int as_gate_necessary(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	assay_json *needless = as_json_array();
	int rc = needless ? 0 : ASSAY_ENOMEM;
	for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
		bool needed = !is_kind(c, "tool_effect");
		for (size_t i = 0; i < in->n_steps && !needed; i++) {
			needed = as_gate_meets(c, &in->steps[i]) && is_needed(in, &in->steps[i]);
		}
		rc = needed ? 0 : as_json_append(needless, as_json_clone(as_json_get(c, "checkpoint_id")));
	}
	*passed = rc == 0 && as_json_count(needless) == 0;
	rc |= as_json_set(evidence, "needless", needless);
	return rc < 0 ? as_fail_memory(err) : 0;
}
