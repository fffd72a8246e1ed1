/* The engine: what all stages of a run share. Stages read rows from the store and write rows to it; nothing else passes
 * between them, so each can be stopped and continued. */
#ifndef AS_ENGINE_H
#define AS_ENGINE_H

#include "core/base/json_pool.h"
#include "core/base/log.h"
#include "core/llm/llm.h"
#include "core/run/manifest.h"
#include "core/run/pool.h"
#include "core/run/progress.h"
#include "core/run/silence.h"
#include "core/run/variables.h"
#include "core/run/workdir.h"
#include "core/store/store.h"
#include <pthread.h>

typedef struct as_engine {
	const as_manifest *manifest;
	as_registry *registry;
	as_store *store;
	as_log *log;
	const as_cancel *cancel;
	as_progress *progress;
	uint32_t jobs;
	as_llm_hub *llm; /* the manifest's models, in its order, and the gates' own */
	as_llm_settings *models;

	as_variables *variables;
	as_redactor *redactor;   /* the secrets among them, and the keys of models once they are used */
	as_catalogue *catalogue; /* after as_stage_catalogue */
	as_quota *quota;
	as_estate estate;
	as_workdir work;
	as_json_pool *pool;         /* what attempts have in common */
	pthread_mutex_t describing; /* likewise, for what descriptions are made anew: guards descriptions */
	assay_json *descriptions;   /* object: name of the request -> text */
	as_silence silence;         /* tools that authors had no answer from */
	bool offline;               /* as the options say */
	assay_json *void_causes;    /* object: why tries of this command were void -> how many; NULL: none was */
	uint64_t attempts,
		voided; /* after as_stage_evaluate: those of the manifest, and those without a try that counts */
	pthread_mutex_t embedding; /* one worker at a time asks for vectors, so that none is asked for twice */
} as_engine;

typedef struct as_engine_options {
	const as_manifest *manifest; /* all borrowed until close */
	as_registry *registry;
	as_store *store;
	as_log *log;
	const as_cancel *cancel;
	as_progress *progress;
	as_store *replies; /* model replies are looked for there, too; NULL: none */
	bool offline;      /* no model is asked: stored replies only */
} as_engine_options;

int as_engine_open(const as_engine_options *options, as_engine **out, assay_error *err);
void as_engine_close(as_engine *e);

/* The models alone, of an engine that is put together otherwise. After its manifest and before any gate. */
int as_engine_open_models(as_engine *e, const as_engine_options *options, assay_error *err);
void as_engine_close_models(as_engine *e);

/* Can the models be asked that authors (or candidates and scorers) use? Nothing is sent. ASSAY_EAUTH names the variable
 * that is not set. Part of the stages that ask them. */
int as_check_models(as_engine *e, bool authors, assay_error *err);
/* Is a model asked for answers of a given shape, by an author, a judge or a world? */
bool as_asks_for_shape(const as_manifest *m, const char *model);

/* What a model of the manifest can do: found out with three requests, which are not stored, and a fourth where an
 * author or a judge of the manifest asks it for answers of a given shape. The error of the first one that fails. */
typedef struct as_model_abilities {
	bool rules; /* no language model: nothing was asked */
	bool plain, tool_call, parallel_calls;
	bool shaped, needs_shaped; /* asked for as its "answers" says; needs_shaped false: not tried */
} as_model_abilities;
int as_probe_model(as_engine *e, const as_model_spec *model, as_model_abilities *out, assay_error *err);
/* Likewise an embedder of "models": one text. *length: of its vector. */
int as_probe_embedder(as_engine *e, const as_model_spec *model, size_t *length, assay_error *err);

/* Start every server once, take its tools and fingerprint into the store; read them from there when they are in it. */
int as_stage_catalogue(as_engine *e, assay_error *err);

/* Goals, traces, tasks and their gates, in rounds, until every category has its count or the goals are used up.
 * upto: the last step to take. *shortfall: how many tasks are missing in all (0: filled; only after AS_STEP_GATE). */
#define AS_STEP_GOALS 1
#define AS_STEP_EXPLORE 2
#define AS_STEP_DISTIL 3
#define AS_STEP_GATE 4
int as_stage_generate(as_engine *e, int upto, uint64_t *shortfall, assay_error *err);

/* What generation could draw, without writing a goal: array of {"category","complexity","wanted","seed_sets","whole",
 * "missing"}, missing: tasks for which there is no seed set of their own. */
int as_stage_plan(as_engine *e, assay_json **rows, assay_error *err);

/* Run the gates again on every task of this run in the store, and nothing else. A task that does not pass loses its
 * certificate, and gets it back when it passes again. *lost: those that should have one (they had it once, or are
 * imported) and do not pass. *tasks: array of
 * {"task_id","category","index","passed","certified","refused_by","failed":[gate]}. */
int as_stage_gates(as_engine *e, assay_json **tasks, uint64_t *lost, assay_error *err);

/* {task id: {gate: did it pass}} of the tasks of this run that have no certificate. The caller frees it. */
int as_refused_gates(as_engine *e, assay_json **out, assay_error *err);

/* Every task × candidate × condition × repeat that is not in the store yet. *made: attempts made now. */
int as_stage_evaluate(as_engine *e, uint64_t *made, assay_error *err);

/* What each condition's exposure puts in reach, without an attempt: an array of
 * {"condition","exposure","tasks","tools", "checkpoints","reachable","tasks_reachable"}, sums over the tasks; the
 * caller frees it. */
int as_stage_reach(as_engine *e, assay_json **rows, assay_error *err);

/* Score all stored attempts again with the manifest's scorers. *changed: verdicts, of any of them, that differ from
 * before in anything, a bound or a reason. */
int as_stage_rescore(as_engine *e, uint64_t *scored, uint64_t *changed, assay_error *err);

/* The report model of what the store holds of this run. provable: only what follows from traces, as in a release;
 * results that an import brought without their traces are left out then. */
int as_stage_figures(as_engine *e, bool provable, assay_json **model, assay_error *err);

/* The verdict of an attempt that leads, of its row in the store; NULL: it has none. Attempts that were recorded
 * elsewhere have that one alone. */
const as_verdict_row *as_headline(const as_manifest *m, const as_attempt_row *row);

/* Render the manifest's reports below `dir`; appends the paths written to *paths (array of text). */
int as_stage_report(as_engine *e, const assay_json *model, const char *dir, assay_json *paths, assay_error *err);

#endif
