/* From rows to figures: the report model. The same code serves the report of a run and the verification of a release,
 * so a figure can only be what its attempts say. Pure; the same rows give the same bytes. Thread: one object, one
 * thread.
 *
 * The report model that comes out is described in the guide of the SDK, "Documents". */
#ifndef AS_FIGURES_H
#define AS_FIGURES_H

#include "core/base/json.h"
#include "core/trace/trace.h"

typedef struct as_figures as_figures;

/* manifest: the expanded document. */
int as_figures_new(const assay_json *manifest, const char *bench_id, as_figures **out, assay_error *err);
void as_figures_free(as_figures *f);

/* Rows, in the listing order of core/store/store.h. All are borrowed for the call. */
int as_figures_add_server(as_figures *f, const assay_json *record, assay_error *err); /* as core/task/catalogue.h */
/* defaults: of an exposure's options; NULL: none */
int as_figures_add_plugin(as_figures *f, assay_str use, assay_str version, const assay_json *defaults,
			  assay_error *err);
/* gates: {gate: did it pass} of its task when that has no certificate; NULL: it has one, or there is no task */
int as_figures_add_goal(as_figures *f, assay_str category, assay_str state, assay_str reason, const assay_json *gates,
			assay_error *err);
int as_figures_add_task(as_figures *f, assay_str category, int64_t index, const assay_json *task,
			const assay_json *certificate, assay_error *err);
typedef struct as_figure_attempt {
	assay_str attempt_id; /* tries of an attempt follow each other */
	assay_str task_id, candidate, condition, end;
	bool voided;
	const as_trace *trace;     /* NULL: there is none */
	const assay_json *verdict; /* of the headline scorer: assay/roles/scorer.h; NULL: there is none */
} as_figure_attempt;
int as_figures_add_attempt(as_figures *f, const as_figure_attempt *a, assay_error *err);
/* What a scorer that is not the headline said of the attempt. scorer: its place in the manifest. */
int as_figures_add_verdict(as_figures *f, const as_figure_attempt *a, size_t scorer, const assay_json *verdict,
			   assay_error *err);

int as_figures_finish(as_figures *f, assay_json **model, assay_error *err);

#endif
