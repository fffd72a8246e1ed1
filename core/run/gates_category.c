/* Does the task have what its category is about? Paper, appendix B. */
#include "core/base/error.h"
#include "core/base/similarity.h"
#include "core/run/gates_private.h"
#include <assay/roles/scorer.h>
#include <stdlib.h>

static const assay_json *first_checkpoint(const gate_input *in)
{
	return as_json_first(as_json_get(in->task, "checkpoints"));
}

/* What the manifest's category expects; NULL: nothing. */
static const assay_json *expectation(const gate_input *in)
{
	const as_manifest *m = in->context->engine->manifest;
	assay_str name = as_json_str(as_json_pointer(in->task, "/provenance/assay/category"));
	for (size_t i = 0; i < m->n_categories; i++) {
		if (as_str_is(name, m->categories[i].name)) {
			return m->categories[i].expect;
		}
	}
	return NULL;
}

/* Calls in a row, each of which takes something from the result of the one before. */
static int chain_length(const gate_input *in, int64_t *out, assay_error *err)
{
	int64_t *longest = as_new(in->n_steps + 1, sizeof *longest);
	*out = 0;
	if (!longest) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < in->n_steps; i++) {
		longest[i] = in->steps[i].status == ASSAY_STEP_SUCCESS;
		for (size_t k = 0; k < i; k++) {
			if (longest[k] + 1 > longest[i] && as_gate_feeds(in, &in->steps[k], &in->steps[i])) {
				longest[i] = longest[k] + 1;
			}
		}
		*out = longest[i] > *out ? longest[i] : *out;
	}
	free(longest);
	return 0;
}

static int64_t failed_before_success(const gate_input *in)
{
	int64_t failed = 0, before = 0;
	for (size_t i = 0; i < in->n_steps; i++) {
		if (in->steps[i].status == ASSAY_STEP_SUCCESS) {
			before = failed;
		} else {
			failed++;
		}
	}
	return before;
}

static int untripped_minefields(const gate_input *in, int64_t *out, assay_error *err)
{
	assay_json *verdict = NULL;
	bool passes;
	int rc = as_gate_score(in, in->trace, &passes, &verdict, err);
	*out = 0;
	for (const assay_json *m = as_json_first(as_json_get(verdict, "minefields")); m; m = as_json_next(m)) {
		*out += !as_json_boolean(as_json_get(m, "hit"), 1);
	}
	as_json_free(verdict);
	return rc;
}

static int64_t largest_set(const gate_input *in)
{
	size_t most = 0;
	for (const assay_json *c = first_checkpoint(in); c; c = as_json_next(c)) {
		size_t n = as_json_count(as_json_get(c, "equivalence_set"));
		most = n > most ? n : most;
	}
	return (int64_t)most;
}

/* Servers that have a needed tool's name, where a call of it on each of the wrong ones makes the reference fail. */
static int count_namesakes(const gate_input *in, int64_t *out, assay_error *err)
{
	assay_tools all = as_catalogue_tools(in->context->engine->catalogue);
	int rc = 0;
	*out = 0;
	for (const assay_json *c = first_checkpoint(in); c && rc == 0; c = as_json_next(c)) {
		assay_str name = as_json_str(as_json_pointer(c, "/equivalence_set/0/tool_name"));
		int64_t servers = 0, wrong = 0;
		bool caught = true;
		for (size_t i = 0; i < all.count && rc == 0; i++) {
			bool passes = false;
			if (!as_str_eq(all.list[i]->name, name)) {
				continue;
			}
			servers++;
			if (!as_gate_in_set(c, all.list[i]->server, name)) {
				wrong++;
				rc = as_gate_mutant(in, c, AS_MUTANT_SWAP, all.list[i], &passes, err);
				caught = caught && !passes;
			}
		}
		if (wrong > 0 && caught && servers > *out) {
			*out = servers;
		}
	}
	return rc;
}

static bool share_tag(const assay_json *a, const assay_json *b)
{
	for (const assay_json *x = as_json_first(a); x; x = as_json_next(x)) {
		for (const assay_json *y = as_json_first(b); y; y = as_json_next(y)) {
			if (as_str_eq(as_json_str(x), as_json_str(y))) {
				return true;
			}
		}
	}
	return false;
}

/* Servers that were used, none of which shares a tag with another: two without tags are of two domains. */
static int64_t count_domains(const gate_input *in)
{
	const assay_json *tags = as_catalogue_tags(in->context->engine->catalogue);
	const assay_json *used = as_json_get(in->task, "servers_used");
	int64_t n = 0;
	for (const assay_json *s = as_json_first(used); s; s = as_json_next(s)) {
		bool other = true;
		for (const assay_json *e = as_json_first(used); e && e != s && other; e = as_json_next(e)) {
			other = !share_tag(as_json_get_n(tags, as_json_str(s)), as_json_get_n(tags, as_json_str(e)));
		}
		n += other;
	}
	return n;
}

static double likeness(const assay_tool *a, const assay_tool *b)
{
	as_buf x = {0}, y = {0};
	double s;
	as_buf_printf(&x, "%.*s %.*s", ASSAY_FMT(a->description), ASSAY_FMT(a->name));
	as_buf_printf(&y, "%.*s %.*s", ASSAY_FMT(b->description), ASSAY_FMT(b->name));
	s = as_jaccard(as_buf_str(&x), as_buf_str(&y));
	as_buf_free(&x);
	as_buf_free(&y);
	return s;
}

/* For some checkpoint the most similar tool that is not wanted does not pass in its place. */
static int look_alike_fails(const gate_input *in, bool *out, assay_error *err)
{
	const as_catalogue *catalogue = in->context->engine->catalogue;
	assay_tools all = as_catalogue_tools(catalogue);
	int rc = 0;
	*out = false;
	for (const assay_json *c = first_checkpoint(in); c && rc == 0 && !*out; c = as_json_next(c)) {
		const assay_json *member = as_json_pointer(c, "/equivalence_set/0");
		const assay_tool *right = as_catalogue_find(catalogue, as_json_str(as_json_get(member, "server_id")),
							    as_json_str(as_json_get(member, "tool_name")));
		const assay_tool *like = NULL;
		double best = 0;
		bool passes = true;
		for (size_t i = 0; i < all.count && right; i++) {
			double s = as_gate_in_set(c, all.list[i]->server, all.list[i]->name)
					   ? 0
					   : likeness(right, all.list[i]);
			if (s > best) {
				best = s;
				like = all.list[i];
			}
		}
		if (like) {
			rc = as_gate_mutant(in, c, AS_MUTANT_SWAP, like, &passes, err);
			*out = !passes;
		}
	}
	return rc;
}

static int measure(const gate_input *in, assay_str what, int64_t *out, assay_error *err)
{
	bool fails = false;
	int rc;
	if (as_str_is(what, "chain")) {
		return chain_length(in, out, err);
	}
	if (as_str_is(what, "minefields")) {
		return untripped_minefields(in, out, err);
	}
	if (as_str_is(what, "namesakes")) {
		return count_namesakes(in, out, err);
	}
	if (as_str_is(what, "look_alike")) {
		rc = look_alike_fails(in, &fails, err);
		*out = fails;
		return rc;
	}
	*out = as_str_is(what, "ordering")      ? (int64_t)as_json_count(as_json_get(in->task, "ordering"))
	       : as_str_is(what, "recoveries")  ? failed_before_success(in)
	       : as_str_is(what, "equivalents") ? largest_set(in)
	       : as_str_is(what, "domains")     ? count_domains(in)
	       : as_str_is(what, "servers")     ? (int64_t)as_json_count(as_json_get(in->task, "servers_used"))
						: 0;
	return 0;
}

/* Evidence: what was found of each thing that is expected. */
int as_gate_fits_category(const gate_input *in, bool *passed, assay_json *evidence, assay_error *err)
{
	int rc = 0;
	*passed = true;
	for (const assay_json *e = as_json_first(expectation(in)); e && rc == 0; e = as_json_next(e)) {
		bool wanted = as_json_type(e) == ASSAY_JSON_BOOL;
		int64_t found = 0, least = wanted ? as_json_boolean(e, 0) : as_json_i64(e, 0);
		rc = measure(in, as_json_key(e), &found, err);
		*passed = *passed && found >= least;
		if (rc == 0 && as_json_set_n(evidence, as_json_key(e), as_json_integer(found)) < 0) {
			rc = as_fail_memory(err);
		}
	}
	return rc;
}
