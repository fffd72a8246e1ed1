/* The manifest's generation part. */
#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/run/gates.h"
#include "core/run/manifest_read.h"
#include <string.h>

#define DEFAULT_TURNS 12u
#define DEFAULT_SECONDS 300u
#define DEFAULT_FILL_CALLS 400u

static const char *const use_keys[] = {"use", "model", NULL};

/* A model that distils what one of its own family did sees its own habits as what the task needs (reference page 7.5):
 * refused, unless the manifest says that it is meant. Two of unknown family count as one. */
static int check_families(const as_manifest_build *b, const assay_json *author, const as_author_spec *a, size_t number,
			  assay_error *err)
{
	const as_model_spec *explorer = as_manifest_model(&b->m, a->explorer.model);
	const as_model_spec *distiller = as_manifest_model(&b->m, a->distiller.model);
	char pointer[64];
	if (!explorer || !distiller || strcmp(explorer->family, distiller->family) != 0 ||
	    as_json_boolean(as_json_get(author, "same_family"), 0)) {
		return 0;
	}
	snprintf(pointer, sizeof pointer, "/generation/authors/%zu/distiller", number);
	as_manifest_fail(as_json_get(author, "distiller"), err, pointer,
			 "explorer (\"%s\") and distiller (\"%s\") are of one family, \"%s\"", explorer->name,
			 distiller->name, explorer->family);
	as_error_hint(err, "take a model of another family, say of which \"family\" the models are, or set "
			   "\"same_family\": true beside it");
	return ASSAY_EDATA;
}

static int read_authors(as_manifest_build *b, const assay_json *authors, assay_error *err)
{
	as_author_spec *list = as_arena_alloc(&b->arena, (as_json_count(authors) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(authors); v; v = as_json_next(v), n++) {
		static const char *const roles[] = {"goalgen", "explorer", "distiller"};
		as_use *uses[] = {&list[n].goalgen, &list[n].explorer, &list[n].distiller};
		for (size_t i = 0; i < 3; i++) {
			char pointer[96];
			int rc;
			snprintf(pointer, sizeof pointer, "/generation/authors/%zu/%s", n, roles[i]);
			rc = as_read_use(b, as_json_get(v, roles[i]), roles[i], NULL, use_keys, pointer, uses[i], err);
			if (rc < 0) {
				return rc;
			}
		}
		if (check_families(b, v, &list[n], n, err) < 0) {
			return ASSAY_EDATA;
		}
	}
	b->m.authors = list;
	b->m.n_authors = n;
	return 0;
}

static int read_gates(as_manifest_build *b, const assay_json *required, assay_error *err)
{
	const char *const *known = as_gate_names();
	const char **list = as_arena_alloc(&b->arena, (as_json_count(required) + 1) * sizeof(const char *));
	size_t n = 0, n_known = 0;
	while (known[n_known]) {
		n_known++;
	}
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(required); v; v = as_json_next(v), n++) {
		const char *near = as_nearest(as_json_str(v), known, n_known);
		char pointer[96];
		bool found = false;
		list[n] = as_json_cstr(v, "");
		for (size_t i = 0; i < n_known; i++) {
			found = found || strcmp(known[i], list[n]) == 0;
		}
		if (!found) {
			snprintf(pointer, sizeof pointer, "/generation/gates/require/%zu", n);
			as_manifest_fail(v, err, pointer, "no gate called \"%s\"", list[n]);
			if (near) {
				as_error_hint(err, "did you mean \"%s\"?", near);
			} else {
				as_error_hint(err, "the README lists the gates");
			}
			return ASSAY_EDATA;
		}
	}
	b->m.gates = list;
	b->m.n_gates = n;
	return 0;
}

/* A gate that is required needs whom it asks. */
static int check_required(const as_manifest_build *b, const assay_json *generation, const char *gate, const char *key,
			  const char *what, assay_error *err)
{
	for (size_t i = 0; i < b->m.n_gates; i++) {
		if (strcmp(b->m.gates[i], gate) == 0) {
			as_manifest_fail(as_json_get(generation, "gates"), err, "/generation/gates",
					 "gate \"%s\" has no %s", gate, key);
			as_error_hint(err, "add \"%s\": %s", key, what);
			return ASSAY_EDATA;
		}
	}
	return 0;
}

static int read_validator(as_manifest_build *b, const assay_json *generation, assay_error *err)
{
	const assay_json *judge = as_json_pointer(generation, "/gates/judge");
	if (!judge) {
		return check_required(b, generation, AS_GATE_VALID, "judge",
				      "{\"use\": \"scorer/validity\", \"model\": ...}", err);
	}
	return as_read_use(b, judge, "scorer", NULL, use_keys, "/generation/gates/judge", &b->m.validator, err);
}

/* Whoever agrees with himself says nothing. */
static int read_second(as_manifest_build *b, const assay_json *generation, assay_error *err)
{
	static const char pointer[] = "/generation/gates/agent";
	const assay_json *agent = as_json_pointer(generation, "/gates/agent");
	if (!agent) {
		return check_required(b, generation, AS_GATE_SECOND, "agent", "an explorer other than the author's",
				      err);
	}
	for (const assay_json *v = as_json_first(as_json_get(generation, "authors")); v; v = as_json_next(v)) {
		if (as_json_equal(as_json_get(v, "explorer"), agent)) {
			as_manifest_fail(agent, err, pointer, "this is an author's own explorer");
			as_error_hint(err, "another explorer, model or policy has something to say");
			return ASSAY_EDATA;
		}
	}
	return as_read_use(b, agent, "explorer", NULL, use_keys, pointer, &b->m.second, err);
}

static as_fill_options read_fill(const assay_json *fill)
{
	assay_str parts = as_json_str(as_json_get(fill, "parts"));
	return (as_fill_options){.parts = as_str_is(parts, "none")    ? 0
					  : as_str_is(parts, "walks") ? AS_FILL_WALKS
								      : AS_FILL_WALKS | AS_FILL_COPIES,
				 .max_calls = (uint32_t)as_json_i64(as_json_get(fill, "calls"), DEFAULT_FILL_CALLS)};
}

int as_read_generation(as_manifest_build *b, assay_error *err)
{
	const assay_json *g = as_json_get(b->m.document, "generation");
	int rc = read_authors(b, as_json_get(g, "authors"), err);
	b->m.generation_budget = as_read_budget(as_json_get(g, "budget"), DEFAULT_SECONDS);
	b->m.max_goals = (uint32_t)as_json_i64(as_json_get(g, "max_goals"), 400);
	b->m.fill = read_fill(as_json_get(g, "fill"));
	rc = rc < 0 ? rc : as_read_categories(b, err);
	rc = rc < 0 ? rc : read_gates(b, as_json_pointer(g, "/gates/require"), err);
	rc = rc < 0 ? rc : read_second(b, g, err);
	return rc < 0 ? rc : read_validator(b, g, err);
}
