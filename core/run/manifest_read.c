#include "core/run/manifest_read.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TURNS 12

int as_manifest_fail(const assay_json *at, assay_error *err, const char *pointer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_failv(err, ASSAY_EDATA, format, args);
	va_end(args);
	as_error_pointer(err, "%s", pointer);
	if (err && err->line == 0) {
		err->line = as_json_line(at);
	}
	return ASSAY_EDATA;
}

static bool is_reserved(const char *const *reserved, assay_str key)
{
	for (size_t i = 0; reserved && reserved[i]; i++) {
		if (as_str_is(key, reserved[i])) {
			return true;
		}
	}
	return false;
}

int as_take_options(as_manifest_build *b, const assay_json *object, const char *const *reserved, const assay_json **out,
		    assay_error *err)
{
	assay_json *options = as_json_object();
	int rc = options ? 0 : ASSAY_ENOMEM;
	for (const assay_json *v = as_json_first(object); v && rc == 0; v = as_json_next(v)) {
		if (!is_reserved(reserved, as_json_key(v))) {
			rc = as_json_set_n(options, as_json_key(v), as_json_clone(v));
		}
	}
	if (rc < 0 || !as_grow(&b->owned, &b->cap_owned, b->n_owned + 1, sizeof(assay_json *))) {
		as_json_free(options);
		return as_fail_memory(err);
	}
	b->owned[b->n_owned++] = options;
	*out = options;
	return 0;
}

/* A named model must exist; the near miss is told. */
static int check_model(const as_manifest_build *b, const assay_json *object, const char *pointer, const char **out,
		       assay_error *err)
{
	const assay_json *models = as_json_get(b->m.document, "models"), *name = as_json_get(object, "model");
	const char *names[64];
	const char *near;
	size_t n = 0;
	*out = NULL;
	if (!name) {
		return 0;
	}
	*out = as_json_cstr(name, "");
	if (as_json_get(models, *out)) {
		return 0;
	}
	for (const assay_json *m = as_json_first(models); m && n < 64; m = as_json_next(m)) {
		names[n++] = as_json_key(m).ptr;
	}
	near = as_nearest(as_str(*out), names, n);
	as_manifest_fail(name, err, pointer, "no model called \"%s\" under \"models\"", *out);
	if (near) {
		as_error_hint(err, "did you mean \"%s\"?", near);
	} else {
		as_error_hint(err, "add it to \"models\"");
	}
	return ASSAY_EDATA;
}

as_budget as_read_budget(const assay_json *budget, uint32_t seconds)
{
	return (as_budget){.turns = (uint32_t)as_json_i64(as_json_get(budget, "turns"), DEFAULT_TURNS),
			   .seconds = (uint32_t)as_json_i64(as_json_get(budget, "seconds"), seconds),
			   .tokens = as_json_i64(as_json_get(budget, "tokens"), 0),
			   .usd = as_json_f64(as_json_get(budget, "usd"), 0)};
}

int as_read_use(as_manifest_build *b, const assay_json *object, const char *role, const char *fallback,
		const char *const *reserved, const char *pointer, as_use *out, assay_error *err)
{
	const char *use = object ? as_json_cstr(as_json_get(object, "use"), "") : fallback;
	size_t n = strlen(role);
	int rc;
	*out = (as_use){.use = use, .pointer = as_arena_cstr(&b->arena, as_str(pointer)), .line = as_json_line(object)};
	if (!out->pointer) {
		return as_fail_memory(err);
	}
	if (strncmp(use, role, n) != 0 || use[n] != '/') {
		as_manifest_fail(as_json_get(object, "use"), err, pointer, "\"%s\" is no %s", use, role);
		as_error_hint(err, "expected \"%s/NAME\"; \"assay plugins list\" shows what there is", role);
		return ASSAY_EDATA;
	}
	rc = check_model(b, object, pointer, &out->model, err);
	return rc < 0 ? rc : as_take_options(b, object, reserved, &out->options, err);
}

/* Whose model it is, where the manifest does not say: by the provider's own API, or by the owner that aggregators put
 * in front of a model's id (reference page 7.5). */
static const char *family_of(const assay_json *model)
{
	static const struct {
		const char *prefix, *family;
	} owners[] = {{"openai/", "openai"},   {"anthropic/", "anthropic"}, {"google/", "google"},
		      {"qwen/", "qwen"},       {"moonshotai/", "moonshot"}, {"z-ai/", "z-ai"},
		      {"minimax/", "minimax"}, {"deepseek/", "deepseek"},   {"x-ai/", "x-ai"},
		      {"meta-llama/", "meta"}};
	assay_str use = as_json_str(as_json_get(model, "use")), id = as_json_str(as_json_get(model, "model"));
	const char *given = as_json_cstr(as_json_get(model, "family"), NULL);
	if (given) {
		return given;
	}
	for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
		if (as_str_starts(id, as_str(owners[i].prefix))) {
			return owners[i].family;
		}
	}
	return as_str_is(use, "llm/anthropic") ? "anthropic" : as_str_is(use, "llm/gemini") ? "google" : "unknown";
}

/* The random agent is not the manifest's: gates mean the same in every one. */
static int make_dice(as_manifest_build *b, as_model_spec *model, assay_error *err)
{
	assay_json *policy = as_json_object();
	int rc = as_json_set(policy, "policy", as_json_cstring("random")) < 0 ? as_fail_memory(err) : 0;
	*model = (as_model_spec){.name = "dice",
				 .family = "assay-rules",
				 .llm = {.use = "llm/heuristic", .pointer = ""}};
	rc = rc < 0 ? rc : as_take_options(b, policy, NULL, &model->llm.options, err);
	as_json_free(policy);
	b->m.dice = (as_use){.use = "explorer/loop", .pointer = ""};
	b->m.dice_model = model;
	return rc;
}

static int read_models(as_manifest_build *b, assay_error *err)
{
	static const char *const reserved[] = {"use", "family", "price", "limits", "sampling", "answers", NULL};
	const assay_json *models = as_json_get(b->m.document, "models");
	as_model_spec *list = as_arena_alloc(&b->arena, (as_json_count(models) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(models); v; v = as_json_next(v)) {
		as_model_spec *m = &list[n++];
		const char *use = as_json_cstr(as_json_get(v, "use"), "");
		char pointer[160];
		int rc;
		m->name = as_json_key(v).ptr;
		m->family = family_of(v);
		m->price = as_json_get(v, "price");
		m->limits = as_json_get(v, "limits");
		m->sampling = as_json_get(v, "sampling");
		m->answers = as_json_cstr(as_json_get(v, "answers"), NULL);
		snprintf(pointer, sizeof pointer, "/models/%s", m->name);
		m->llm = (as_use){.use = use,
				  .pointer = as_arena_cstr(&b->arena, as_str(pointer)),
				  .line = as_json_line(v)};
		rc = as_take_options(b, v, reserved, &m->llm.options, err);
		if (rc < 0 || !m->llm.pointer) {
			return as_fail_memory(err);
		}
	}
	b->m.models = list;
	b->m.n_models = n;
	return make_dice(b, &list[n], err);
}

static int read_reports(as_manifest_build *b, assay_error *err)
{
	static const char *const reserved[] = {"use", "model", NULL};
	const assay_json *reports = as_json_get(b->m.document, "reports");
	as_use *list = as_arena_alloc(&b->arena, (as_json_count(reports) + 1) * sizeof *list);
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(reports); v; v = as_json_next(v), n++) {
		char pointer[64];
		int rc;
		snprintf(pointer, sizeof pointer, "/reports/%zu", n);
		rc = as_read_use(b, v, "reporter", NULL, reserved, pointer, &list[n], err);
		if (rc < 0) {
			return rc;
		}
	}
	b->m.reports = list;
	b->m.n_reports = n;
	return 0;
}

int as_read_base_dir(as_manifest_build *b, assay_error *err)
{
	as_buf dir = {0}, text = {0};
	int rc;
	as_buf_add(&text, as_path_dir(as_str(b->m.path)));
	rc = as_buf_check(&text, err);
	if (rc == 0) {
		rc = as_path_absolute(text.ptr, &dir, err);
	}
	if (rc == 0) {
		b->m.base_dir = as_arena_cstr(&b->arena, as_buf_str(&dir));
		rc = b->m.base_dir ? 0 : as_fail_memory(err);
	}
	as_buf_free(&dir);
	as_buf_free(&text);
	return rc;
}

int as_manifest_read(as_manifest_build *b, assay_error *err)
{
	const assay_json *d = b->m.document, *limits = as_json_get(d, "limits");
	int rc;
	b->m.name = as_json_cstr(as_json_get(d, "name"), "");
	b->m.version = as_json_cstr(as_json_get(d, "version"), "");
	b->m.profile = as_json_cstr(as_json_get(d, "profile"), "");
	b->m.imported = as_json_get(d, "imported") != NULL;
	b->m.seed = (uint64_t)as_json_i64(as_json_get(d, "seed"), 0);
	b->m.jobs = (uint32_t)as_json_i64(as_json_get(limits, "jobs"), 0);
	b->m.server_processes = (uint32_t)as_json_i64(as_json_get(limits, "server_processes"), 0);
	b->m.usd = as_json_f64(as_json_get(limits, "usd"), 0);
	rc = read_models(b, err);
	rc = rc < 0 ? rc : as_read_servers(b, err);
	rc = rc < 0 ? rc : as_read_generation(b, err);
	rc = rc < 0 ? rc : as_read_evaluation(b, err);
	return rc < 0 ? rc : read_reports(b, err);
}
