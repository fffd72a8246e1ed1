/* The manifest's evaluation part. */
#include "core/base/error.h"
#include "core/run/manifest_read.h"
#include <string.h>

#define DEFAULT_SECONDS 600u

/* Who a candidate is hangs on its model, too: what it is, not what it costs or is called. */
static int record_model(const as_manifest_build *b, const as_use *use, assay_json *record, const char *key,
			assay_error *err)
{
	const as_model_spec *model = as_manifest_model(&b->m, use->model);
	assay_json *settings;
	int rc;
	if (!model) {
		return 0;
	}
	settings = as_json_object();
	rc = as_json_set(settings, "use", as_json_cstring(model->llm.use));
	rc |= as_json_set(settings, "options", as_json_clone(model->llm.options));
	if (model->sampling) {
		rc |= as_json_set(settings, "sampling", as_json_clone(model->sampling));
	}
	rc |= as_json_set(record, key, settings);
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* Attempts that were made elsewhere come with tasks that were made elsewhere. */
static int check_recorded(const as_manifest_build *b, const assay_json *at, const char *pointer, assay_error *err)
{
	if (b->m.imported) {
		return 0;
	}
	as_manifest_fail(at, err, pointer, "\"recorded\" goes with an imported benchmark");
	as_error_hint(err, "take it away");
	return ASSAY_EDATA;
}

static int read_candidate(as_manifest_build *b, const assay_json *v, size_t index, as_candidate_spec *c,
			  assay_error *err)
{
	static const char *const reserved[] = {"name", "use", "model", "listed", "sampling", "recorded", NULL};
	static const char *const no_part_of_candidate[] = {"listed", "recorded",
							   NULL}; /* whoever is unlisted is the same candidate */
	char pointer[96];
	*c = (as_candidate_spec){.name = as_json_cstr(as_json_get(v, "name"), ""),
				 .sampling = as_json_get(v, "sampling"),
				 .listed = as_json_boolean(as_json_get(v, "listed"), 1),
				 .recorded = as_json_boolean(as_json_get(v, "recorded"), 0)};
	snprintf(pointer, sizeof pointer, "/evaluation/candidates/%zu", index);
	if (as_take_options(b, v, no_part_of_candidate, &c->record, err) < 0) {
		return ASSAY_ENOMEM;
	}
	if (c->recorded != !as_json_get(v, "use")) {
		as_manifest_fail(v, err, pointer,
				 c->recorded ? "a candidate that is recorded is not run: it has no \"use\""
					     : "required member \"use\" is missing");
		return ASSAY_EDATA;
	}
	if (c->recorded) {
		return check_recorded(b, v, pointer, err);
	}
	int rc = as_read_use(b, v, "explorer", NULL, reserved, pointer, &c->explorer, err);
	return rc < 0 ? rc : record_model(b, &c->explorer, as_json_edit(c->record), "model", err);
}

static int read_candidates(as_manifest_build *b, const assay_json *all, assay_error *err)
{
	as_candidate_spec *list = as_arena_alloc(&b->arena, (as_json_count(all) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(all); v; v = as_json_next(v), n++) {
		char pointer[96];
		int rc = read_candidate(b, v, n, &list[n], err);
		if (rc < 0) {
			return rc;
		}
		for (size_t i = 0; i < n; i++) {
			if (strcmp(list[i].name, list[n].name) == 0) {
				snprintf(pointer, sizeof pointer, "/evaluation/candidates/%zu/name", n);
				return as_manifest_fail(v, err, pointer, "two candidates are called \"%s\"",
							list[n].name);
			}
		}
	}
	b->m.candidates = list;
	b->m.n_candidates = n;
	return 0;
}

/* The embedder that an exposure names: a key of "models", or "embedder/NAME" as it is. */
static int check_embedder(const as_manifest_build *b, const assay_json *exposure, const char *pointer, assay_error *err)
{
	const assay_json *name = as_json_get(exposure, "embedder");
	const assay_json *use =
		as_json_get(as_json_get_n(as_json_get(b->m.document, "models"), as_json_str(name)), "use");
	if (as_json_type(name) != ASSAY_JSON_STRING || as_str_starts(as_json_str(name), ASSAY_STR("embedder/")) ||
	    as_str_starts(as_json_str(use), ASSAY_STR("embedder/"))) {
		return 0;
	}
	as_manifest_fail(name, err, pointer, "no embedder called \"%.*s\" under \"models\"",
			 ASSAY_FMT(as_json_str(name)));
	as_error_hint(err, "add it there with \"use\": \"embedder/...\", or say \"embedder/lexical\"");
	return ASSAY_EDATA;
}

static int read_simulator(as_manifest_build *b, const assay_json *world, size_t index, as_condition_spec *c,
			  assay_error *err)
{
	static const char *const reserved[] = {"use", "model", NULL};
	const assay_json *simulate = as_json_get(world, "simulate");
	char pointer[96];
	int rc;
	if (!simulate) {
		return 0;
	}
	snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu/world/simulate", index);
	if (c->replay.mode != AS_REPLAY_STATEFUL) {
		as_manifest_fail(simulate, err, pointer, "the reference's replay simulates nothing");
		as_error_hint(err, "take \"simulate\" away, or \"replay\": \"reference\"");
		return ASSAY_EDATA;
	}
	rc = as_read_use(b, simulate, "world", NULL, reserved, pointer, &c->simulator, err);
	return rc < 0 ? rc : record_model(b, &c->simulator, as_json_edit(c->record), "simulator", err);
}

static int read_describer(as_manifest_build *b, const assay_json *describe, size_t index, as_condition_spec *c,
			  assay_error *err)
{
	static const char *const reserved[] = {"use", "model", NULL};
	char pointer[96];
	int rc;
	if (!describe) {
		return 0;
	}
	snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu/descriptions", index);
	rc = as_read_use(b, describe, "world", NULL, reserved, pointer, &c->describer, err);
	return rc < 0 ? rc : record_model(b, &c->describer, as_json_edit(c->record), "describer", err);
}

static int read_condition(as_manifest_build *b, const assay_json *v, size_t index, uint32_t attempts,
			  as_condition_spec *c, assay_error *err)
{
	static const char *const reserved[] = {"use", "model", NULL};
	const assay_json *world = as_json_get(v, "world");
	static const char *const no_part_of_condition[] = {"attempts", "recorded",
							   NULL}; /* more repeats leave the others as they are */
	char pointer[96];
	*c = (as_condition_spec){.name = as_json_cstr(as_json_get(v, "name"), ""),
				 .recorded = as_json_boolean(as_json_get(v, "recorded"), 0)};
	if (as_take_options(b, v, no_part_of_condition, &c->record, err) < 0) {
		return ASSAY_ENOMEM;
	}
	c->replay.mode = as_str_is(as_json_str(as_json_get(world, "replay")), "reference") ? AS_REPLAY_REFERENCE
											   : AS_REPLAY_STATEFUL;
	c->replay.near_threshold = as_json_f64(as_json_get(world, "near"), 0.75);
	c->budget = as_read_budget(as_json_get(v, "budget"), DEFAULT_SECONDS);
	c->attempts = (uint32_t)as_json_i64(as_json_get(v, "attempts"), attempts);
	if (read_simulator(b, world, index, c, err) < 0 ||
	    read_describer(b, as_json_get(v, "descriptions"), index, c, err) < 0) {
		return ASSAY_EDATA;
	}
	snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu", index);
	if (c->recorded && check_recorded(b, v, pointer, err) < 0) {
		return ASSAY_EDATA;
	}
	snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu/exposure/embedder", index);
	if (check_embedder(b, as_json_get(v, "exposure"), pointer, err) < 0) {
		return ASSAY_EDATA;
	}
	snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu/exposure", index);
	return as_read_use(b, as_json_get(v, "exposure"), "exposure", "exposure/target", reserved, pointer,
			   &c->exposure, err);
}

static int read_conditions(as_manifest_build *b, const assay_json *all, uint32_t attempts, assay_error *err)
{
	as_condition_spec *list = as_arena_alloc(&b->arena, (as_json_count(all) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(all); v; v = as_json_next(v), n++) {
		char pointer[96];
		int rc = read_condition(b, v, n, attempts, &list[n], err);
		if (rc < 0) {
			return rc;
		}
		for (size_t i = 0; i < n; i++) {
			if (strcmp(list[i].name, list[n].name) == 0) {
				snprintf(pointer, sizeof pointer, "/evaluation/conditions/%zu/name", n);
				return as_manifest_fail(v, err, pointer, "two conditions are called \"%s\"",
							list[n].name);
			}
		}
	}
	b->m.conditions = list;
	b->m.n_conditions = n;
	return 0;
}

static bool is_headline(const assay_json *scorer)
{
	return as_json_boolean(as_json_get(scorer, "headline"), 0);
}

/* Verdicts go by their scorer: what leads must be one alone, and nothing can be said twice. */
static int check_scorer(const assay_json *all, const assay_json *scorer, const char *pointer, assay_error *err)
{
	for (const assay_json *v = as_json_first(all); v != scorer; v = as_json_next(v)) {
		bool both = is_headline(v) && is_headline(scorer);
		if (both || as_json_equal(v, scorer)) {
			as_manifest_fail(scorer, err, pointer, "%s",
					 both ? "two scorers are marked \"headline\""
					      : "the same scorer stands there twice");
			as_error_hint(err,
				      both ? "leave the mark at the one that decides what passes" : "take one away");
			return ASSAY_EDATA;
		}
	}
	return 0;
}

static int read_scorers(as_manifest_build *b, const assay_json *all, assay_error *err)
{
	static const char *const reserved[] = {"use", "model", "headline", "calibration", NULL};
	as_use *list = as_arena_alloc(&b->arena, (as_json_count(all) + 1) * sizeof *list);
	size_t n = 0;
	bool led = false;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(all); v; v = as_json_next(v), n++) {
		char pointer[96];
		int rc;
		snprintf(pointer, sizeof pointer, "/evaluation/scorers/%zu", n);
		rc = check_scorer(all, v, pointer, err);
		rc = rc < 0 ? rc : as_read_use(b, v, "scorer", NULL, reserved, pointer, &list[n], err);
		if (rc == 0 && strcmp(list[n].use, "scorer/validity") == 0) {
			rc = as_manifest_fail(v, err, pointer, "scorer/validity judges tasks, not attempts");
			as_error_hint(err, "it goes to \"generation\": {\"gates\": {\"judge\": ...}}");
		}
		if (rc < 0) {
			return rc;
		}
		if (!led && is_headline(v)) {
			b->m.headline = n;
			led = true;
		}
	}
	b->m.scorers = list;
	b->m.n_scorers = n;
	return 0;
}

int as_read_evaluation(as_manifest_build *b, assay_error *err)
{
	const assay_json *e = as_json_get(b->m.document, "evaluation");
	uint32_t attempts = (uint32_t)as_json_i64(as_json_get(e, "attempts"), 1);
	int rc = read_candidates(b, as_json_get(e, "candidates"), err);
	b->m.retry_void = (uint32_t)as_json_i64(as_json_get(e, "retry_void"), 2);
	rc = rc < 0 ? rc : read_conditions(b, as_json_get(e, "conditions"), attempts, err);
	return rc < 0 ? rc : read_scorers(b, as_json_get(e, "scorers"), err);
}
