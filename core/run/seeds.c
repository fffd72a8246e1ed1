#include "core/run/seeds.h"

#include "core/base/error.h"
#include "core/plugin/role.h"
#include <assay/roles/sampler.h>
#include <stdlib.h>
#include <string.h>

/* The list without one of its tools. */
static int all_but(assay_tools all, const assay_tool *tool, as_arena *a, assay_tools *out, assay_error *err)
{
	const assay_tool **list = as_arena_alloc(a, (all.count + 1) * sizeof(const assay_tool *));
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < all.count; i++) {
		if (all.list[i] != tool) {
			list[n++] = all.list[i];
		}
	}
	*out = (assay_tools){list, n};
	return 0;
}

int as_draw(const as_instance *sampler, const char *use, as_call *call, assay_tools required, assay_tools candidates,
	    size_t n, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_sampler_ops *ops = as_instance_ops(sampler);
	assay_error why = {0};
	as_called before = as_instance_enter(sampler, "draw");
	int rc;
	*n_picked = 0;
	rc = ops->draw(as_instance_self(sampler), &call->pub, required, candidates, n, picked, n_picked, err);
	rc = as_called_end(before, rc, err);
	if (rc == 0 && as_role_picks(picked, *n_picked, n, candidates.count, &why) < 0) {
		rc = as_fail(err, why.code, "%s %s", use, why.message); /* it is not taken at its word */
	}
	*n_picked = rc < 0 ? 0 : *n_picked;
	return rc;
}

static int draw_around(as_context *c, const as_category_spec *category, const as_instance *sampler,
		       const assay_tool *anchor, as_seeds *out, assay_error *err)
{
	assay_tools all = as_catalogue_tools(c->engine->catalogue), candidates;
	size_t wanted = category->size > 1 ? category->size - 1 : 1, n = 0;
	const assay_tool **list = as_arena_alloc(&out->arena, (wanted + 1) * sizeof(const assay_tool *));
	uint32_t *picked = as_arena_alloc(&out->arena, wanted * sizeof *picked);
	int rc;
	if (!list || !picked) {
		return as_fail_memory(err);
	}
	list[0] = anchor;
	rc = all_but(all, list[0], &out->arena, &candidates, err);
	if (rc == 0) {
		rc = as_draw(sampler, category->sampler.use, &c->call, (assay_tools){list, 1}, candidates, wanted,
			     picked, &n, err);
	}
	for (size_t i = 0; i < n; i++) {
		list[i + 1] = candidates.list[picked[i]];
	}
	out->tools = (assay_tools){list, 1 + n};
	return rc;
}

/* An anchor that nothing stands beside is no set, but where there is nothing else. */
static bool is_set(as_context *c, const as_seeds *seeds)
{
	return seeds->tools.count > (as_catalogue_tools(c->engine->catalogue).count > 1 ? 1 : 0);
}

/* Anchors at random, none twice, until one has a set. */
static int draw_around_anchor(as_context *c, const as_category_spec *category, const as_instance *sampler,
			      as_seeds *out, assay_error *err)
{
	assay_tools all = as_catalogue_tools(c->engine->catalogue);
	const assay_tool **left = as_new(all.count + 1, sizeof(const assay_tool *));
	int rc = left ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		left[i] = all.list[i];
	}
	for (size_t n = all.count; n > 0 && rc == 0 && !is_set(c, out); n--) {
		uint32_t k = as_rng_below(&c->rng, (uint32_t)n);
		const assay_tool *anchor = left[k];
		left[k] = left[n - 1];
		as_seeds_clear(out);
		rc = draw_around(c, category, sampler, anchor, out, err);
	}
	if (rc == 0 && !is_set(c, out)) {
		as_seeds_clear(out);
	}
	free(left);
	return rc;
}

static int take_seed_set(as_context *c, const as_category_spec *category, const assay_json *set, as_seeds *out,
			 assay_error *err)
{
	const assay_tool **list = as_arena_alloc(&out->arena, (as_json_count(set) + 1) * sizeof(const assay_tool *));
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *t = as_json_first(set); t; t = as_json_next(t)) {
		assay_str server = as_json_str(as_json_get(t, "server")), name = as_json_str(as_json_get(t, "tool"));
		list[n] = as_catalogue_find(c->engine->catalogue, server, name);
		if (!list[n++]) {
			return as_fail(err, ASSAY_EPLUGIN, "%s named %.*s.%.*s, which is not in the catalogue",
				       category->sampler.use, ASSAY_FMT(server), ASSAY_FMT(name));
		}
	}
	out->tools = (assay_tools){list, n};
	return 0;
}

static int compare_text(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

static int note_servers(as_context *c, as_seeds *out, assay_error *err)
{
	assay_str *ids = as_arena_alloc(&out->arena, (out->tools.count + 1) * sizeof *ids);
	int rc = 0;
	out->servers = as_json_array();
	if (!ids || !out->servers) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < out->tools.count; i++) {
		ids[i] = out->tools.list[i]->server;
	}
	qsort(ids, out->tools.count, sizeof *ids, compare_text);
	for (size_t i = 0; i < out->tools.count && rc == 0; i++) {
		if (i == 0 || !as_str_eq(ids[i], ids[i - 1])) {
			rc = as_json_append(out->servers, as_json_string(ids[i]));
		}
	}
	return rc < 0 ? as_fail_memory(err)
		      : as_catalogue_surface(c->engine->catalogue, out->servers, &out->arena, &out->surface, err);
}

/* All sets that a sampler has of its own. */
static int seed_sets(as_context *c, const as_instance *sampler, assay_sink *sets, assay_error *err)
{
	const assay_sampler_ops *ops = as_instance_ops(sampler);
	as_called before = as_instance_enter(sampler, "seed_sets");
	int rc = ops->seed_sets(as_instance_self(sampler), &c->call.pub, as_catalogue_tools(c->engine->catalogue), sets,
				err);
	return as_called_end(before, rc, err);
}

int as_seeds_draw(as_context *c, uint32_t category, as_seeds *out, assay_error *err)
{
	const as_category_spec *spec = &c->engine->manifest->categories[category];
	const assay_sampler_ops *ops;
	as_instance *sampler;
	as_collect sets;
	int rc = as_worker_instance(c->worker, &spec->sampler, ASSAY_ROLE_SAMPLER, &sampler, err);
	*out = (as_seeds){0};
	as_collect_init(&sets, AS_ROLE_SETS_MAX, 0);
	if (rc == 0) {
		ops = as_instance_ops(sampler);
		if (!ops->seed_sets) {
			rc = draw_around_anchor(c, spec, sampler, out, err);
		} else {
			rc = seed_sets(c, sampler, &sets.sink, err);
			if (rc == 0 && sets.n_values > 0) {
				uint32_t n = as_rng_below(&c->rng, (uint32_t)sets.n_values);
				rc = take_seed_set(c, spec, as_json_at(sets.values, n), out, err);
			}
		}
	}
	if (rc == 0) {
		rc = note_servers(c, out, err);
	} else {
		as_error_where(err, spec->sampler.use, 0);
	}
	as_collect_free(&sets);
	return rc;
}

/* The set as a key, whatever the order of its tools. */
static int key_of(assay_tools tools, as_buf *key, assay_error *err)
{
	assay_str *names = as_new(tools.count + 1, sizeof *names);
	as_arena a = {0};
	if (!names) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < tools.count; i++) {
		const assay_tool *t = tools.list[i];
		names[i] = as_str(as_arena_printf(&a, "%.*s\n%.*s\n", ASSAY_FMT(t->server), ASSAY_FMT(t->name)));
	}
	qsort(names, tools.count, sizeof *names, compare_text);
	for (size_t i = 0; i < tools.count; i++) {
		as_buf_add(key, names[i]);
	}
	key->failed = key->failed || a.failed;
	as_arena_free(&a);
	free(names);
	return as_buf_check(key, err);
}

static int count_around_all(as_context *c, const as_category_spec *spec, const as_instance *sampler, as_seed_count *out,
			    assay_error *err)
{
	assay_tools all = as_catalogue_tools(c->engine->catalogue);
	assay_json *seen = as_json_object();
	int rc = seen ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		as_seeds s = {0};
		as_buf key = {0};
		rc = draw_around(c, spec, sampler, all.list[i], &s, err);
		rc = rc < 0 ? rc : key_of(s.tools, &key, err);
		if (rc == 0 && is_set(c, &s) && !as_json_get_n(seen, as_buf_str(&key))) {
			out->sets++;
			out->whole += s.tools.count >= spec->size;
			rc = as_json_set_n(seen, as_buf_str(&key), as_json_truth(1)) < 0 ? as_fail_memory(err) : 0;
		}
		as_buf_free(&key);
		as_seeds_clear(&s);
	}
	as_json_free(seen);
	return rc;
}

int as_seeds_count(as_context *c, uint32_t category, as_seed_count *out, assay_error *err)
{
	const as_category_spec *spec = &c->engine->manifest->categories[category];
	const assay_sampler_ops *ops;
	as_instance *sampler;
	as_collect sets;
	int rc = as_worker_instance(c->worker, &spec->sampler, ASSAY_ROLE_SAMPLER, &sampler, err);
	*out = (as_seed_count){0};
	as_collect_init(&sets, AS_ROLE_SETS_MAX, 0);
	if (rc == 0) {
		ops = as_instance_ops(sampler);
		rc = ops->seed_sets ? seed_sets(c, sampler, &sets.sink, err)
				    : count_around_all(c, spec, sampler, out, err);
		out->sets += sets.n_values;
		out->whole += sets.n_values;
	}
	as_collect_free(&sets);
	return rc;
}

void as_seeds_clear(as_seeds *s)
{
	as_json_free(s->servers);
	as_arena_free(&s->arena);
	*s = (as_seeds){0};
}
