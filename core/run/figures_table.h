/* The tables of the report model. Private to figures. Each answers NULL when memory is out. */
#ifndef AS_FIGURES_TABLE_H
#define AS_FIGURES_TABLE_H

#include "core/run/figures.h"

#define SERVED_LEVELS 7 /* ASSAY_SERVED_LIVE .. ASSAY_SERVED_REFUSED */

typedef struct figure_goal {
	assay_str category, state, reason;
} figure_goal;

typedef struct figure_gate {
	assay_str name;
	bool required;
	uint64_t passed, failed;
} figure_gate;

typedef struct figure_task {
	assay_str id, category;
	assay_json *summary;
} figure_task;

/* One try of one attempt. */
typedef struct figure_try {
	size_t task;
	bool voided, unknown;
	bool pending;           /* the last try, void for want of a judge or the like: in no rate but in its bounds */
	bool passed, passed_hi; /* at either bound */
	assay_str end;
	uint32_t served[SERVED_LEVELS];
	uint32_t calls, mines;
	int64_t turns;
	uint32_t tools, checkpoints, reachable; /* of the exposure; 0 of 0: not told */
	/* Calls of a needed name: those that succeeded (the reference's server attribution), and all. */
	struct figure_attribution {
		uint32_t wrong, expected, right; /* expected: wrong ones, on a server like the right one */
	} done, tried;
} figure_try;

typedef struct figure_row {
	assay_str condition, candidate;
	figure_try *tries;
	size_t n, cap;
	char last[65]; /* the attempt of the last try */
} figure_row;

typedef struct figure_metric {
	assay_str name;
	double sum;
	uint64_t n;
} figure_metric;

/* A scorer that does not decide, on the attempts of one candidate under one condition. */
typedef struct figure_scores {
	assay_str condition, candidate;
	size_t scorer; /* place in the manifest */
	uint64_t attempts, unknown, passed;
	double lo, hi; /* sums */
	figure_metric *metrics;
	size_t n_metrics, cap_metrics;
} figure_scores;

struct as_figures {
	const assay_json *manifest; /* borrowed */
	const char *bench_id;
	uint64_t seed; /* of the bootstrap */
	as_arena arena;
	assay_json *servers, *plugins;
	assay_json *defaults; /* of exposures' options, by use */
	figure_goal *goals;
	size_t n_goals, cap_goals;
	figure_gate *gates;
	size_t n_gates, cap_gates;
	figure_task *tasks;
	size_t n_tasks, cap_tasks;
	figure_row *rows;
	size_t n_rows, cap_rows;
	figure_scores *scores;
	size_t n_scores, cap_scores;
};

assay_json *as_funnel_table(const as_figures *f);
assay_json *as_gate_table(as_figures *f);
assay_json *as_leaderboard_table(const as_figures *f);
assay_json *as_scorer_table(const as_figures *f);
assay_json *as_category_table(const as_figures *f);
assay_json *as_task_table(const as_figures *f);

int as_condition_rank(const as_figures *f, assay_str name); /* place of a condition in the manifest */
bool as_figures_has_task(const as_figures *f, assay_str task_id);

#endif
