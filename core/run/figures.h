/* From rows to figures: the report model. The same code serves the report of a run and the verification of a release,
 * so a figure can only be what its attempts say. Pure; the same rows give the same bytes. Thread: one object, one
 * thread.
 *
 * Report model (what reporters get and figures.json holds):
 * {"name","version","seed","bench_id","profile","captions":[text],
 *  "servers":[{"server_id","class","name","version","protocol","tools","tool_surface_hash"}],
 *  "plugins":[{"use","version"}],
 *  "funnel":[{"category","wanted","slots","goals","traces","successful","distilled","valid","certified","pending",
 *     "reasons":{stage:{reason:n}}}],  slots that passed each stage; pending ones are under way, all others that did
 * not pass a stage are among its reasons "gates":[{"gate","required","passed","failed"}],
 *  "leaderboard":[{"condition","candidate","listed","k","tasks","attempts","void","unknown",
 *     "pass_rate":R,"pass_hat_k":R,"pass_at_k":R,"served":{level:share},"ends":{end:n},"mean_calls","mean_turns",
 *     "tool_hallucinations","minefields_hit","wrong_server_calls","sae":A,"attempted_sae":A,"exposure":{"use",options}
 * or null, "reachability":{"checkpoints":share,"tasks":share,"mean_tools"}}],  in order of condition, then
 * pass_hat_k.lo and pass_rate.lo falling, name;
 * "categories":[{"condition","candidate","category","tasks","attempts","pass_rate":R, "served"}],
 *  "tasks":[{"task_id","category","index","prompt","servers","checkpoints","minefields","trace_depth",
 *     "passes":[{"condition","candidate","passed","passed_hi","attempts","served"}]}]}
 * A = {"attempts","share","calls","expected","random","conditional_rate"}: server attribution errors, calls of a needed
 * tool's name on another server (reference page 4.7), "sae" among those that succeeded, "attempted_sae" among all.
 * R = {"lo","hi","interval_lo":[a,b],"interval_hi":[a,b]}: bounds of design page "replay" rule 8, each with its own 95
 * % interval (Wilson over attempts for pass_rate; bootstrap over tasks for the k figures). Numbers are rounded to 6
 * decimals. */
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
int as_figures_add_plugin(as_figures *f, assay_str use, assay_str version, assay_error *err);
int as_figures_add_goal(as_figures *f, assay_str category, assay_str state, assay_str reason, assay_error *err);
int as_figures_add_task(as_figures *f, assay_str category, int64_t index, const assay_json *task,
			const assay_json *certificate, assay_error *err);
typedef struct as_figure_attempt {
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
