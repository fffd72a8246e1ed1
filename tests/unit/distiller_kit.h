/* Toy traces for distiller/provenance: a small catalogue, a world that answers alternatives, and the real effect
 * scorer. */
#ifndef TESTS_UNIT_DISTILLER_KIT_H
#define TESTS_UNIT_DISTILLER_KIT_H

#include "core/base/json.h"
#include "core/base/memory.h"

/* What the world answers to an alternative call; the first that fits counts. */
typedef struct kit_reply {
	const char *tool;   /* "shop.search"; NULL ends the list */
	const char *result; /* structured content, or NULL: an error */
	const char *after;  /* only once this tool has been called since the environment was made; NULL: always */
} kit_reply;

typedef struct kit_case {
	const char *goal;
	const char *steps;      /* array of {"t": "shop.search", "a": arguments, and "r": structured content, "x": plain
				   text, or      "e": error text} */
	const char *answer;     /* final message; NULL: none */
	const char *tags;       /* array; NULL: [] */
	const char *options;    /* of the plugin; NULL: no state conditions, as the toy world makes no writes */
	const kit_reply *world; /* NULL: no live world */
	int world_fails;        /* code that every world call fails with */
	int fail_score;         /* code that every scoring fails with */
	int score_says;         /* 1, -1: what scoring answers whatever is asked (pass, fail) */
	bool cancelled, no_time;
	long fail_alloc;   /* number of the host's allocation or JSON value that fails, from 1; 0: none */
	const char *trace; /* a whole document instead of steps */
} kit_case;

typedef struct kit_run {
	int rc;
	char error[512];
	assay_json *body; /* what was emitted; NULL: nothing */
	char *text;       /* kit_show of it */
	unsigned calls, resets, scores;
	bool memory_ran_out;
} kit_run;

void kit_distil(const kit_case *c, kit_run *out); /* also checks the body as the core does */
void kit_free(kit_run *run);

/* A line each: "c1_search notes.search shop.search query~\"kettle\" limit=5", "c2_get_details_shows shows 5017",
 * "c1_search < c2_get_details", "! notes.delete_note", "# notes", or "rejected: reason". */
void kit_expect(const kit_case *c, const char *lines);
/* The same for what has to stand in it. */
void kit_expect_part(const kit_case *c, const char *part);
/* Fail each allocation in turn: out of memory is told, and nothing leaks. */
void kit_run_out_of_memory(kit_case c);
void kit_expect_rejected(const kit_case *c, const char *part);

#endif
