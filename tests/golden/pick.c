/* Vectors of what is picked by chance: personas, distractors, target pools. */
#include "tests/golden/golden.h"

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/plugin/call.h"
#include <assay/roles/exposure.h>
#include <assay/roles/sampler.h>

#include <string.h>

#define MAX_TOOLS 64

extern const assay_plugin *sampler_base_LTX_assay_plugin_v1(void);
extern const assay_plugin *exposure_pool_LTX_assay_plugin_v1(void);

static void run_personas(golden_case *c)
{
	static const char *const ids[] = {"backend-dev", "data-analyst", "sre",           "researcher", "pm",
					  "journalist",  "finance-ops",  "support-agent", "student",    "release-eng"};
	uint32_t order[10];
	int64_t n = as_json_i64(as_json_get(c->one, "n"), 0);
	as_rng r;

	for (uint32_t i = 0; i < 10; i++) {
		order[i] = i;
	}
	as_rng_seed(&r, (uint64_t)as_json_i64(as_json_get(c->one, "seed"), 0));
	as_rng_shuffle(&r, order, 10);
	golden_member(&c->expected, c->one, "ids");
	as_buf_puts(&c->got, "[");
	for (int64_t i = 0; i < n; i++) {
		as_buf_printf(&c->got, "%s\"%s\"", i > 0 ? "," : "", ids[order[i % 10]]);
	}
	as_buf_puts(&c->got, "]");
}

/* --- The catalogue of the vectors -------------------------------------------------------------------------------- */

typedef struct shelf {
	assay_tool tools[MAX_TOOLS];
	assay_str tags[MAX_TOOLS][4];
	const assay_tool *all[MAX_TOOLS], *required[MAX_TOOLS], *others[MAX_TOOLS];
	size_t n, n_catalogue, n_required, n_others;
} shelf;

static void add_tool(shelf *s, const assay_json *entry)
{
	assay_tool *t = &s->tools[s->n];
	const assay_json *tags = as_json_get(entry, "tags");

	t->size = sizeof *t;
	t->server = as_json_str(as_json_get(entry, "server_id"));
	t->name = as_json_str(as_json_get(entry, "tool_name"));
	t->description = as_json_str(as_json_get(entry, "description"));
	t->tags = s->tags[s->n];
	for (const assay_json *tag = as_json_first(tags); tag && t->n_tags < 4; tag = as_json_next(tag)) {
		s->tags[s->n][t->n_tags++] = as_json_str(tag);
	}
	s->all[s->n++] = t;
}

/* A required tool that the catalogue does not have is one without description and tags. */
static const assay_tool *find_tool(shelf *s, const assay_json *pair)
{
	assay_str server = as_json_str(as_json_at(pair, 0)), name = as_json_str(as_json_at(pair, 1));

	for (size_t i = 0; i < s->n; i++) {
		if (as_str_eq(s->tools[i].server, server) && as_str_eq(s->tools[i].name, name)) {
			return &s->tools[i];
		}
	}
	s->tools[s->n] = (assay_tool){.size = sizeof(assay_tool), .server = server, .name = name};
	return &s->tools[s->n++];
}

/* The catalogue stands in sample_distractors.json; target_pool.json uses the same one. */
static assay_json *catalogue_of(golden_case *c)
{
	const assay_json *own = as_json_get(c->file, "catalog");
	assay_json *document = NULL, *catalogue;
	as_buf path = {0};

	if (own) {
		return as_json_clone(own);
	}
	as_buf_add(&path, as_path_dir(as_str(c->path)));
	as_buf_puts(&path, "/sample_distractors.json");
	if (path.failed || as_json_read_file(path.ptr, 0, &document, NULL) != 0) {
		as_buf_puts(&c->got, "no sample_distractors.json beside it");
	}
	catalogue = as_json_detach(document, "catalog");
	as_json_free(document);
	as_buf_free(&path);
	return catalogue;
}

static void fill(shelf *s, const golden_case *c, const assay_json *catalogue)
{
	*s = (shelf){.n = 0};
	for (const assay_json *e = as_json_first(catalogue); e && s->n < MAX_TOOLS / 2; e = as_json_next(e)) {
		add_tool(s, e);
	}
	s->n_catalogue = s->n;
	for (const assay_json *e = as_json_first(as_json_get(c->one, "required")); e && s->n < MAX_TOOLS;
	     e = as_json_next(e)) {
		s->required[s->n_required++] = find_tool(s, e);
	}
	for (size_t i = 0; i < s->n_catalogue; i++) {
		bool needed = false;

		for (size_t k = 0; k < s->n_required; k++) {
			needed = needed || s->required[k] == s->all[i];
		}
		if (!needed) {
			s->others[s->n_others++] = s->all[i];
		}
	}
}

static void add_key(as_buf *out, const assay_tool *t)
{
	as_buf_printf(out, "%s\"%.*s::%.*s\"", out->len > 1 ? "," : "", ASSAY_FMT(t->server), ASSAY_FMT(t->name));
}

/* --- Samplers ---------------------------------------------------------------------------------------------------- */

static const as_call_hooks hooks = {.draw = golden_draw};

static void start_call(as_call *call, as_rng *rng, uint64_t seed)
{
	as_call_init(call);
	as_rng_seed(rng, seed);
	call->rng = rng;
	call->hooks = &hooks;
}

int golden_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n, uint64_t seed,
		uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_impl *const *impls = sampler_base_LTX_assay_plugin_v1()->impls;
	as_call call;
	as_rng rng;

	start_call(&call, &rng, seed);
	call.catalogue = context;
	for (; *impls; impls++) {
		const assay_sampler_ops *ops = (*impls)->ops;
		void *self = NULL;

		if (strcmp((*impls)->name, name) == 0 && ops->open(as_host(), NULL, &self, err) == 0) {
			int rc = ops->draw(self, &call.pub, required, candidates, n, picked, n_picked, err);

			ops->close(self);
			return rc;
		}
	}
	return as_fail(err, ASSAY_ENOENT, "no sampler %s", name);
}

static void run_sample(golden_case *c)
{
	assay_str strategy = as_json_str(as_json_get(c->one, "strategy"));
	const char *name = as_json_cstr(as_json_get(c->one, "strategy"), "");
	uint32_t picked[MAX_TOOLS];
	size_t got = 0, n = (size_t)as_json_i64(as_json_get(c->one, "n"), 0);
	assay_json *catalogue = catalogue_of(c);
	assay_error err = {0};
	shelf s;

	fill(&s, c, catalogue);
	if (golden_draw(NULL, as_str_is(strategy, "hard_neg") ? "hard_negative" : name,
			(assay_tools){s.required, s.n_required}, (assay_tools){s.others, s.n_others}, n,
			(uint64_t)as_json_i64(as_json_get(c->one, "seed"), 0), picked, &got, &err) != 0) {
		as_buf_puts(&c->got, err.message);
	}
	golden_member(&c->expected, c->one, "result");
	as_buf_puts(&c->got, "[");
	for (size_t i = 0; i < got; i++) {
		add_key(&c->got, s.others[picked[i]]);
	}
	as_buf_puts(&c->got, "]");
	as_json_free(catalogue);
}

/* --- Target pools ------------------------------------------------------------------------------------------------ */

typedef struct writer {
	assay_offer_sink sink;
	as_buf *out;
} writer;

static int on_offer(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		    const assay_json *parameters, assay_error *err)
{
	(void)name;
	(void)description;
	(void)parameters;
	(void)err;
	add_key(((writer *)(void *)sink)->out, tool);
	return 0;
}

/* The pool as it is shown: server by server, in the order in which they come up first (reference page part 6). */
static void show_pool(as_buf *out, const assay_json *pool)
{
	as_buf_puts(out, "[");
	for (const assay_json *p = as_json_first(pool); p; p = as_json_next(p)) {
		assay_str name = as_json_str(p), server = name;
		bool first = true;

		while (server.len > 2 && memcmp(server.ptr + server.len - 2, "::", 2) != 0) {
			server.len--;
		}
		for (const assay_json *q = as_json_first(pool); q != p; q = as_json_next(q)) {
			first = first && !as_str_starts(as_json_str(q), server);
		}
		for (const assay_json *q = p; q && first; q = as_json_next(q)) {
			if (as_str_starts(as_json_str(q), server)) {
				as_buf_printf(out, "%s\"%.*s\"", out->len > 1 ? "," : "", ASSAY_FMT(as_json_str(q)));
			}
		}
	}
	as_buf_puts(out, "]");
}

static void run_target_pool(golden_case *c)
{
	const assay_exposure_ops *ops = exposure_pool_LTX_assay_plugin_v1()->impls[0]->ops;
	assay_json *catalogue = catalogue_of(c), *options = as_json_object();
	assay_exposure_request request = {.size = sizeof request};
	writer w = {.sink = {.size = sizeof w.sink, .add = on_offer}, .out = &c->got};
	assay_error err = {0};
	void *self = NULL;
	as_call call;
	as_rng rng;
	shelf s;
	int bad;

	fill(&s, c, catalogue);
	bad = as_json_set(options, "distractors", as_json_clone(as_json_get(c->one, "pool_size")));
	bad |= as_json_set(options, "p_alt", as_json_clone(as_json_get(c->one, "p_alt")));
	bad |= as_json_set(options, "reference", as_json_truth(1));
	request.seed = (uint32_t)as_json_i64(as_json_get(c->one, "seed"), 0);
	request.required = (assay_tools){s.required, s.n_required};
	request.catalogue = (assay_tools){s.all, s.n_catalogue};
	show_pool(&c->expected, as_json_get(c->one, "result"));
	as_buf_puts(&c->got, "[");
	start_call(&call, &rng, 0);
	if (bad || ops->open(as_host(), options, &self, &err) != 0 ||
	    ops->offer(self, &call.pub, &request, &w.sink, &err) != 0) {
		as_buf_puts(&c->got, err.message);
	}
	as_buf_puts(&c->got, "]");
	ops->close(self);
	as_json_free(options);
	as_json_free(catalogue);
}

const golden_kind golden_pick[] = {
	{"personas", "n seed ids", run_personas},
	{"sample_distractors", "strategy required n seed result", run_sample},
	{"target_pool", "required p_alt pool_size seed result", run_target_pool},
	{0},
};
