/* Before a stage spends anything: can its models be asked? */
#include "core/base/error.h"
#include "core/run/context.h"
#include "core/run/embed.h"
#include <string.h>

typedef struct check {
	as_engine *engine;
	as_worker *worker;
	assay_error *err;
} check;

static int check_one(const check *k, const as_use *use)
{
	const as_manifest *m = k->engine->manifest;
	const as_model_spec *model = as_manifest_model(m, use->model);
	as_instance *instance;
	as_context c;
	int rc;
	if (!model) {
		return 0;
	}
	as_context_init(&c, k->worker, model->llm.use, "", 0, 0);
	rc = as_worker_instance(k->worker, &model->llm, ASSAY_ROLE_LLM, &instance, k->err);
	if (rc == 0) {
		rc = as_llm_ready(k->engine->llm, (size_t)(model - m->models), instance, &c.call, k->err);
	}
	if (rc < 0) {
		as_error_pointer(k->err, "%s", model->llm.pointer);
	}
	return rc;
}

/* The embedder that an exposure names, where it is one of "models". */
static int check_embedder(const check *k, const as_use *exposure)
{
	const as_manifest *m = k->engine->manifest;
	const char *name = as_json_cstr(as_json_get(exposure->options, "embedder"), NULL);
	const as_model_spec *model = name ? as_manifest_model(m, name) : NULL;
	as_context c;
	int rc;
	if (!model || strncmp(model->llm.use, "embedder/", 9) != 0 || k->engine->offline) {
		return 0;
	}
	as_context_init(&c, k->worker, model->llm.use, "", 0, 0);
	rc = as_embed_ready(&c, model, k->err);
	if (rc < 0) {
		as_error_pointer(k->err, "%s", model->llm.pointer);
	}
	return rc;
}

static int check_authors(const check *k)
{
	const as_manifest *m = k->engine->manifest;
	int rc = m->second.use ? check_one(k, &m->second) : 0;
	rc = rc == 0 && m->validator.use ? check_one(k, &m->validator) : rc;
	for (size_t i = 0; i < m->n_authors && rc == 0; i++) {
		rc = check_one(k, &m->authors[i].goalgen);
		rc = rc < 0 ? rc : check_one(k, &m->authors[i].explorer);
		rc = rc < 0 ? rc : check_one(k, &m->authors[i].distiller);
	}
	return rc;
}

static int check_candidates(const check *k)
{
	const as_manifest *m = k->engine->manifest;
	int rc = 0;
	for (size_t i = 0; i < m->n_candidates && rc == 0; i++) {
		rc = check_one(k, &m->candidates[i].explorer);
	}
	for (size_t i = 0; i < m->n_conditions && rc == 0; i++) {
		rc = check_one(k, &m->conditions[i].exposure);
		rc = rc < 0 ? rc : check_embedder(k, &m->conditions[i].exposure);
		rc = rc < 0 ? rc : check_one(k, &m->conditions[i].simulator);
		rc = rc < 0 ? rc : check_one(k, &m->conditions[i].describer);
	}
	for (size_t i = 0; i < m->n_scorers && rc == 0; i++) {
		rc = check_one(k, &m->scorers[i]);
	}
	return rc;
}

int as_check_models(as_engine *e, bool authors, assay_error *err)
{
	check k = {.engine = e, .err = err};
	int rc = as_worker_new(e, &k.worker, err);
	if (rc == 0) {
		rc = authors ? check_authors(&k) : check_candidates(&k);
	}
	as_worker_free(k.worker);
	return rc;
}

static bool is_of(const as_use *use, const char *model)
{
	return use->use && use->model && strcmp(use->model, model) == 0;
}

bool as_asks_for_shape(const as_manifest *m, const char *model)
{
	bool found = is_of(&m->validator, model);
	for (size_t i = 0; i < m->n_authors && !found; i++) {
		found = is_of(&m->authors[i].goalgen, model) || is_of(&m->authors[i].distiller, model);
	}
	for (size_t i = 0; i < m->n_conditions && !found; i++) {
		found = is_of(&m->conditions[i].simulator, model) || is_of(&m->conditions[i].describer, model);
	}
	for (size_t i = 0; i < m->n_scorers && !found; i++) {
		found = is_of(&m->scorers[i], model);
	}
	return found;
}
