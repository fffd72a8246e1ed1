#include "core/run/engine.h"

#include "core/base/error.h"
#include "core/run/secrets.h"
#include <stdlib.h>

/* Limits in the order that as_estate.quota counts in. */
static int make_quota(as_engine *e, assay_error *err)
{
	const as_manifest *m = e->manifest;
	uint32_t *limits = as_new(m->n_environments + 1, sizeof *limits);
	int rc;
	if (!limits) {
		return as_fail_memory(err);
	}
	limits[0] = m->server_processes;
	for (size_t i = 0; i < m->n_environments; i++) {
		limits[1 + i] = m->environments[i].capacity;
	}
	rc = as_quota_new(limits, m->n_environments + 1, &e->quota, err);
	free(limits);
	return rc;
}

static int make_redactor(as_engine *e, assay_error *err)
{
	as_written written;
	int rc = as_redactor_new(&e->redactor, err);
	rc = rc < 0 ? rc : as_secrets_given(e->manifest, e->variables, e->redactor, err);
	rc = rc < 0 ? rc : as_secrets_written(e->manifest, 1, e->redactor, &written, err);
	as_log_set_redactor(e->log, e->redactor);
	if (rc == 0 && written.n > 0) {
		as_log_put(e->log, "run", ASSAY_LOG_WARN,
			   "%s:%u: %s holds a secret%s (write %s, and NAME=value into .env beside the "
			   "manifest)",
			   e->manifest->path, (unsigned)written.line, written.pointer,
			   written.n > 1 ? ", and so do others" : "", written.instead);
	}
	return rc;
}

int as_engine_open_models(as_engine *e, const as_engine_options *options, assay_error *err)
{
	const as_manifest *m = e->manifest;
	as_llm_hub_options hub = {.n_models = m->n_models + 1, /* with the gates' own */
				  .variable = as_variable,
				  .payload = e->variables,
				  .store = e->store,
				  .replies = options->replies,
				  .offline = options->offline,
				  .max_usd = m->usd,
				  .log = e->log,
				  .redactor = e->redactor};
	e->models = as_new(m->n_models + 1, sizeof *e->models);
	for (size_t i = 0; e->models && i <= m->n_models; i++) {
		const as_model_spec *s = &m->models[i];
		e->models[i] = (as_llm_settings){s->name,   s->llm.use,  s->llm.options, s->price,
						 s->limits, s->sampling, s->answers};
	}
	hub.models = e->models;
	return e->models ? as_llm_hub_new(&hub, &e->llm, err) : as_fail_memory(err);
}

void as_engine_close_models(as_engine *e)
{
	as_llm_hub_free(e->llm);
	free(e->models);
}

/* What workers share under a lock. */
static int open_locks(as_engine *e, assay_error *err)
{
	if (pthread_mutex_init(&e->embedding, NULL) != 0) {
		return as_fail_memory(err);
	}
	if (pthread_mutex_init(&e->describing, NULL) != 0) {
		pthread_mutex_destroy(&e->embedding);
		return as_fail_memory(err);
	}
	if (as_silence_open(&e->silence, err) < 0) {
		pthread_mutex_destroy(&e->describing);
		pthread_mutex_destroy(&e->embedding);
		return ASSAY_ENOMEM;
	}
	return 0;
}

int as_engine_open(const as_engine_options *options, as_engine **out, assay_error *err)
{
	as_engine *e = as_new(1, sizeof *e);
	const as_manifest *m = options->manifest;
	int rc;
	*out = NULL;
	if (!e) {
		return as_fail_memory(err);
	}
	rc = open_locks(e, err);
	if (rc < 0) {
		free(e);
		return rc;
	}
	e->work.lock = -1;
	e->manifest = m;
	e->registry = options->registry;
	e->store = options->store;
	e->log = options->log;
	e->cancel = options->cancel;
	e->progress = options->progress;
	e->offline = options->offline;
	e->jobs = m->jobs ? m->jobs : as_pool_cores();
	e->descriptions = as_json_object();
	rc = e->descriptions ? as_variables_load(m->base_dir, &e->variables, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : make_redactor(e, err);
	if (rc == 0) {
		rc = as_json_pool_new(&e->pool, err);
	}
	if (rc == 0) {
		rc = as_workdir_open(&e->work, err);
	}
	if (rc == 0) {
		rc = make_quota(e, err);
	}
	if (rc == 0) {
		rc = as_engine_open_models(e, options, err);
	}
	if (rc < 0) {
		as_engine_close(e);
		return rc;
	}
	e->estate = (as_estate){.registry = e->registry,
				.servers = m->servers,
				.n_servers = m->n_servers,
				.base_dir = m->base_dir,
				.work_dir = e->work.path.ptr,
				.quota = e->quota,
				.environments = m->environments,
				.n_environments = m->n_environments,
				.variable = as_variable,
				.payload = e->variables,
				.redactor = e->redactor};
	*out = e;
	return 0;
}

void as_engine_close(as_engine *e)
{
	if (!e) {
		return;
	}
	as_workdir_close(&e->work);
	as_engine_close_models(e);
	as_quota_free(e->quota);
	as_variables_free(e->variables);
	as_log_set_redactor(e->log, NULL);
	as_redactor_free(e->redactor);
	as_catalogue_free(e->catalogue);
	as_json_pool_free(e->pool);
	as_json_free(e->descriptions);
	as_json_free(e->void_causes);
	as_silence_close(&e->silence);
	pthread_mutex_destroy(&e->describing);
	pthread_mutex_destroy(&e->embedding);
	free(e);
}
