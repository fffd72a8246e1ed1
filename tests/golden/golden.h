/* Golden vectors: files {"about": ..., "cases": [...]} of inputs and the outcome that is right for them; a file without
 * "cases" is one case, and so is each line of a file of JSON lines. A kind of vector is a row of one of the tables
 * below; each family of kinds has a file of its own. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "core/base/error.h"
#include "core/base/json.h"
#include <assay/catalogue.h>

typedef struct golden_case {
	const char *path;
	const assay_json *file; /* the whole document, for what the cases share */
	const assay_json *one;
	assay_str text;       /* of a line */
	as_buf expected, got; /* to be filled, shown when they differ */
} golden_case;

typedef struct golden_kind {
	const char *name; /* of its file, without ".json" */
	const char *keys; /* members of a case, separated by spaces, by which a file of another name is known; with a
			   * star: members of the case's first member */
	void (*run)(
		golden_case *c); /* the case has passed when expected and got are equal; NULL: not implemented yet */
} golden_kind;

/* Ended by a row without name. */
extern const golden_kind golden_text[], golden_rules[], golden_model[], golden_demo[], golden_stats[], golden_pick[],
	golden_numbers[], golden_files[], golden_shelves[];

/* Both sides as text: numbers in the shortest form that reads back, values as compact JSON. */
void golden_member(as_buf *out, const assay_json *object, const char *key);
void golden_number(as_buf *out, double value);
/* Show `got` as what was expected when the two differ by rounding only. */
void golden_near(golden_case *c, double expected, double got, double tolerance);

/* A draw of a base sampler with a generator of its own, as the host makes it. context: the as_catalogue that the tools
 * are of, or NULL. */
int golden_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n, uint64_t seed,
		uint32_t *picked, size_t *n_picked, assay_error *err);

/* run --lower|--normalise|--ratio|--jaccard|--repr|--regex|--near|--score: answers for JSON lines on stdin, for
 * oracle.py. */
int golden_oracle(const char *mode);
/* [task, trace, {server: [tag]}, {server: class}] scored: what oracle_score.py answers. */
void golden_answer_score(as_buf *out, const assay_json *question);

#endif
