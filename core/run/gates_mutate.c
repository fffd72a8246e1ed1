/* References that are spoiled on purpose. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/gates_private.h"
#include "core/task/predicate.h"
#include <assay/roles/scorer.h>
#include <string.h>

#define KEY 40u /* bytes within which a key ends */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Another byte of the same kind; the last byte of a character may be any other one of those that continue it. */
static char other_byte(char c, unsigned shift, bool last)
{
	unsigned char u = (unsigned char)c;
	if (is_digit(c)) {
		return (char)('0' + (c - '0' + (int)shift) % 10);
	}
	if (c >= 'a' && c <= 'z') {
		return (char)('a' + (c - 'a' + (int)shift) % 26);
	}
	if (c >= 'A' && c <= 'Z') {
		return (char)('A' + (c - 'A' + (int)shift) % 26);
	}
	return (u & 0xC0u) == 0x80u && last ? (char)(0x80u | ((u + shift) & 0x3Fu)) : c;
}

static void put_other(assay_str word, unsigned shift, as_buf *out)
{
	for (size_t i = 0; i < word.len && shift > 0; i++) {
		bool last = i + 1 == word.len || ((unsigned char)word.ptr[i + 1] & 0xC0u) != 0x80u;
		char c = other_byte(word.ptr[i], shift, last);
		as_buf_add(out, (assay_str){&c, 1});
	}
}

/* Is the word that ends here a part of a JSON object's key? What stands before a colon in other texts may be a value.
 */
static bool ends_in_key(assay_str text, size_t at)
{
	size_t end = at;
	while (end < text.len && end - at < KEY && text.ptr[end] &&
	       (as_gate_is_word(text.ptr[end]) || strchr("_- ", text.ptr[end]))) {
		end++;
	}
	return end + 1 < text.len && text.ptr[end] == '"' && text.ptr[end + 1] == ':';
}

/* The text with other values: words that are neither in a key nor the prompt's are replaced, or left out. */
static void put_revalued(assay_str text, assay_str prompt, unsigned shift, as_buf *out)
{
	for (size_t i = 0, end; i < text.len; i = end) {
		assay_str word;
		for (end = i; end < text.len && as_gate_is_word(text.ptr[end]); end++) {
		}
		word = (assay_str){text.ptr + i, end - i};
		if (word.len == 0) {
			as_buf_add(out, (assay_str){text.ptr + i, 1});
			end = i + 1;
		} else if (ends_in_key(text, end) || as_gate_holds(prompt, word)) {
			as_buf_add(out, word);
		} else {
			put_other(word, shift, out);
		}
	}
}

static const assay_json *needle_at(const as_mutation *m, assay_str text)
{
	for (const assay_json *v = m->first; v; v = v == m->last ? NULL : as_json_next(v)) {
		if (as_json_str(v).len > 0 && as_str_starts(text, as_json_str(v))) {
			return v;
		}
	}
	return NULL;
}

/* The text with other words wherever a needle stands. */
static void put_without(assay_str text, const as_mutation *m, as_buf *out)
{
	for (size_t i = 0; i < text.len;) {
		const assay_json *needle = needle_at(m, (assay_str){text.ptr + i, text.len - i});
		if (needle) {
			as_buf_puts(out, "\xe2\x80\x94"); /* where it has no word in it, too */
			put_other(as_json_str(needle), 1, out);
		} else {
			as_buf_add(out, (assay_str){text.ptr + i, 1});
		}
		i += needle ? as_json_str(needle).len : 1;
	}
}

static assay_json *other_text(assay_str text, const as_mutation *m)
{
	as_buf out = {0};
	assay_json *v;
	if (m->way == AS_MUTANT_CORRUPT) {
		return as_json_cstring("\xe2\x80\x94");
	}
	if (m->way == AS_MUTANT_NEEDLES) {
		put_without(text, m, &out);
	} else {
		put_revalued(text, m->prompt, m->shift, &out);
	}
	v = out.failed ? NULL : as_json_string(as_buf_str(&out));
	as_buf_free(&out);
	return v;
}

static assay_json *other_number(const assay_json *v, const as_mutation *m)
{
	assay_str spelled = as_json_spelling(v);
	as_buf out = {0};
	assay_json *other = NULL;
	if (m->way == AS_MUTANT_NEEDLES ? !needle_at(m, spelled)
					: m->way == AS_MUTANT_VALUES && as_gate_holds(m->prompt, spelled)) {
		return as_json_clone(v);
	}
	if (m->way == AS_MUTANT_VALUES) {
		put_other(spelled, m->shift, &out);
		other = m->shift == 0 ? as_json_null() : out.failed ? NULL : as_json_number(as_buf_str(&out));
	}
	as_buf_free(&out);
	return other ? other : as_json_integer(as_json_i64(v, 0) ^ 1000003);
}

static assay_json *other_scalar(const assay_json *v, const as_mutation *m)
{
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING:
		return other_text(as_json_str(v), m);
	case ASSAY_JSON_NUMBER:
		return other_number(v, m);
	case ASSAY_JSON_BOOL:
		return m->way == AS_MUTANT_NEEDLES ? as_json_clone(v) : as_json_truth(!as_json_boolean(v, 0));
	default:
		return as_json_null();
	}
}

/* The value with others in its leaves. */
static assay_json *other_value(const assay_json *v, const as_mutation *m)
{
	int type = as_json_type(v), rc = 0;
	assay_json *out;
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return other_scalar(v, m);
	}
	out = type == ASSAY_JSON_ARRAY ? as_json_array() : as_json_object();
	for (const assay_json *i = as_json_first(v); i && rc == 0; i = as_json_next(i)) {
		bool fixed = type == ASSAY_JSON_OBJECT && as_str_is(as_json_key(i), "type"); /* a part's kind */
		assay_json *value = fixed ? as_json_clone(i) : other_value(i, m);
		rc = type == ASSAY_JSON_ARRAY ? as_json_append(out, value) : as_json_set_n(out, as_json_key(i), value);
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* --- Steps ------------------------------------------------------------------------------------------------------- */

/* One argument, or with no key all of them. */
static int corrupt_arguments(assay_json *step, assay_str key)
{
	const as_mutation all = {.way = AS_MUTANT_CORRUPT};
	const assay_json *arguments = as_json_get(step, "arguments");
	assay_json *out = as_json_object();
	int rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *a = as_json_first(arguments); a && rc == 0; a = as_json_next(a)) {
		bool meant = key.len == 0 || as_str_eq(as_json_key(a), key);
		rc = as_json_set_n(out, as_json_key(a), meant ? other_value(a, &all) : as_json_clone(a));
	}
	if (rc < 0) {
		as_json_free(out);
		return rc;
	}
	return as_json_set(step, "arguments", out);
}

static int corrupt_step(assay_json *step, const as_mutation *m)
{
	const assay_json *predicate = as_json_get(m->checkpoint, "arg_predicate");
	bool checked = as_json_count(as_json_get(predicate, "must_include")) > 0 ||
		       as_json_count(as_json_get(predicate, "must_match")) > 0;
	return checked ? corrupt_arguments(step, m->argument) : as_json_set(step, "status", as_json_cstring("error"));
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
	int64_t id = as_json_i64(as_json_get(step, "step_id"), INT64_MIN);
	for (size_t i = 0; i < in->n_steps; i++) {
		if (in->steps[i].id == id) {
			return &in->steps[i];
		}
	}
	return NULL;
}

static int spoil_step(const as_mutation *m, bool meets, assay_json *step)
{
	switch (m->way) {
	case AS_MUTANT_SWAP:
		return meets ? swap_step(step, m->other) : 0;
	case AS_MUTANT_CORRUPT:
		return meets ? corrupt_step(step, m) : 0;
	case AS_MUTANT_VALUES:
	case AS_MUTANT_NEEDLES:
		return m->parts & AS_MUTANT_STEPS
			       ? as_json_set(step, "result", other_value(as_json_get(step, "result"), m))
			       : 0;
	default:
		return 0;
	}
}

static int spoil_steps(const gate_input *in, const as_mutation *m, assay_json *kept)
{
	int rc = 0;
	for (const assay_json *s = as_json_first(as_json_get(as_trace_document(in->trace), "steps")); s && rc == 0;
	     s = as_json_next(s)) {
		const assay_step *step = step_of(in, s);
		bool meets = step && as_gate_meets(m->checkpoint, step);
		assay_json *copy;
		if (meets && m->way == AS_MUTANT_DROP) {
			continue;
		}
		copy = as_json_clone(s);
		rc = !copy ? ASSAY_ENOMEM : step ? spoil_step(m, meets, copy) : 0;
		if (rc < 0) {
			as_json_free(copy);
		} else {
			rc = as_json_append(kept, copy);
		}
	}
	return rc;
}

static int spoil_message(const gate_input *in, const as_mutation *m, assay_json *document)
{
	assay_json *exploration = as_json_edit(as_json_pointer(document, "/seed_metadata/exploration"));
	int rc;
	if (!exploration || !(m->parts & AS_MUTANT_MESSAGE)) {
		return 0;
	}
	rc = as_json_set(exploration, "final_message", other_text(as_trace_final_message(in->trace), m));
	return rc | as_json_set(exploration, "messages", as_json_array());
}

static int spoil_probes(const as_mutation *m, assay_json *document)
{
	const assay_json *p = as_json_first(as_json_pointer(document, "/seed_metadata/assay/probes"));
	int rc = 0;
	for (; p && rc == 0 && (m->parts & AS_MUTANT_PROBES); p = as_json_next(p)) {
		rc = as_json_set(as_json_edit(p), "result", other_value(as_json_get(p, "result"), m));
	}
	return rc;
}

int as_gate_mutate(const gate_input *in, const as_mutation *m, as_trace **out, assay_error *err)
{
	assay_json *document = as_json_clone(as_trace_document(in->shown)), *kept = as_json_array();
	int rc = document && kept ? spoil_steps(in, m, kept) : ASSAY_ENOMEM;
	*out = NULL;
	if (rc == 0) {
		rc = as_json_set(document, "steps", kept);
		kept = NULL;
	}
	rc = rc < 0 ? rc : spoil_message(in, m, document);
	rc = rc < 0 ? rc : spoil_probes(m, document);
	as_json_free(kept);
	if (rc < 0) {
		as_json_free(document);
		return as_fail_memory(err);
	}
	return as_trace_from_json(document, out, err);
}

int as_gate_mutant(const gate_input *in, const assay_json *checkpoint, int way, const assay_tool *other, bool *passes,
		   assay_error *err)
{
	const as_mutation m = {.checkpoint = checkpoint, .way = way, .other = other};
	as_trace *mutant;
	int rc = as_gate_mutate(in, &m, &mutant, err);
	rc = rc < 0 ? rc : as_gate_score(in, mutant, passes, NULL, err);
	as_trace_free(mutant);
	return rc;
}
