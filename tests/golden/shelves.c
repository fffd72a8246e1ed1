/* LiveMCPBench's catalogue, 70 servers and 527 tools: what each sampler draws there has the property that defines it,
 * and is the same whoever compiled it. */
#include "tests/golden/golden.h"

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/similarity.h"
#include "core/plugin/call.h"
#include "core/plugin/registry.h"
#include "core/task/catalogue.h"
#include <assay/roles/sampler.h>

#include <stdlib.h>
#include <string.h>

#define ANCHORS 60
#define SIZE 6 /* of a hard seed set */

/* Of everything drawn below. Another compiler, library or processor must draw the same. */
static const char drawn_digest[] = "364632c7ecd1f9e6f72b9b9393e8491525a154772d68775ca5723b406af32cdf";

extern const assay_plugin *sampler_special_LTX_assay_plugin_v1(void);

typedef struct shelf_case {
	golden_case *c;
	as_catalogue *catalogue;
	assay_tools all;
	const char *sampler;
	const assay_tool *anchor;
	assay_tools others; /* all but the anchor */
	const assay_tool *drawn[SIZE];
	size_t n;
} shelf_case;

static void complain(const shelf_case *s, const char *what, const assay_tool *t)
{
	as_buf_printf(&s->c->got, "%s around %.*s.%.*s: %.*s.%.*s %s; ", s->sampler, ASSAY_FMT(s->anchor->server),
		      ASSAY_FMT(s->anchor->name), ASSAY_FMT(t->server), ASSAY_FMT(t->name), what);
}

static double likeness(const assay_tool *a, const assay_tool *b)
{
	as_buf x = {0}, y = {0};
	double s;

	as_buf_printf(&x, "%.*s %.*s", ASSAY_FMT(a->description), ASSAY_FMT(a->name));
	as_buf_printf(&y, "%.*s %.*s", ASSAY_FMT(b->description), ASSAY_FMT(b->name));
	s = as_jaccard(as_buf_str(&x), as_buf_str(&y));
	as_buf_free(&x);
	as_buf_free(&y);
	return s;
}

/* No tool that was left out is more like the anchor than one that was drawn. */
static void check_hard_negative(const shelf_case *s)
{
	double least = 1.0;

	for (size_t i = 0; i < s->n; i++) {
		double l = likeness(s->anchor, s->drawn[i]);

		if (l > least + 1e-12) {
			complain(s, "comes after a tool that is less alike", s->drawn[i]);
		}
		least = l < least ? l : least;
	}
	for (size_t i = 0; i < s->others.count; i++) {
		bool in = false;

		for (size_t k = 0; k < s->n; k++) {
			in = in || s->drawn[k] == s->others.list[i];
		}
		if (!in && likeness(s->anchor, s->others.list[i]) > least + 1e-12) {
			complain(s, "is more alike and was left out", s->others.list[i]);
			return;
		}
	}
}

static bool shares_tag(const assay_tool *a, const assay_tool *b)
{
	for (size_t i = 0; i < a->n_tags; i++) {
		for (size_t k = 0; k < b->n_tags; k++) {
			if (as_str_eq(a->tags[i], b->tags[k])) {
				return true;
			}
		}
	}
	return false;
}

static void check_drawn(const shelf_case *s)
{
	bool same_name = strcmp(s->sampler, "same_name") == 0, sibling = strcmp(s->sampler, "sibling") == 0;
	bool cross = strcmp(s->sampler, "cross_domain") == 0;

	for (size_t i = 0; i < s->n; i++) {
		const assay_tool *t = s->drawn[i];

		if (same_name && as_str_eq(t->name, s->anchor->name) && as_str_eq(t->server, s->anchor->server)) {
			complain(s, "has the name on the same server", t);
		}
		if (same_name && as_ratio(t->name, s->anchor->name) < 0.85) {
			complain(s, "has another name", t);
		}
		if (sibling && !as_str_eq(t->server, s->anchor->server)) {
			complain(s, "is of another server", t);
		}
		if (cross && shares_tag(t, s->anchor)) {
			complain(s, "is of the same domain", t);
		}
		for (size_t k = 0; k < i; k++) {
			if (s->drawn[k] == t) {
				complain(s, "was drawn twice", t);
			}
		}
	}
	if (strcmp(s->sampler, "hard_negative") == 0) {
		check_hard_negative(s);
	}
}

static void add_drawn(const shelf_case *s, as_buf *all)
{
	as_buf_printf(all, "%s", s->sampler);
	for (size_t i = 0; i < s->n; i++) {
		as_buf_printf(all, " %.*s.%.*s", ASSAY_FMT(s->drawn[i]->server), ASSAY_FMT(s->drawn[i]->name));
	}
	as_buf_puts(all, "\n");
}

static size_t draw_around(shelf_case *s, uint64_t seed, as_buf *all)
{
	const assay_tool **others = as_new(s->all.count, sizeof(const assay_tool *));
	uint32_t picked[SIZE];
	assay_error err = {0};
	size_t n = 0;

	if (!others) {
		return 0;
	}
	for (size_t i = 0; i < s->all.count; i++) {
		if (s->all.list[i] != s->anchor) {
			others[n++] = s->all.list[i];
		}
	}
	s->others = (assay_tools){others, n};
	s->n = 0;
	if (golden_draw(s->catalogue, s->sampler, (assay_tools){&s->anchor, 1}, s->others, SIZE - 1, seed, picked,
			&s->n, &err) != 0) {
		as_buf_puts(&s->c->got, err.message);
	}
	for (size_t i = 0; i < s->n; i++) {
		s->drawn[i] = others[picked[i]];
	}
	check_drawn(s);
	add_drawn(s, all);
	free(others);
	return s->n;
}

/* What a sampler offers as whole sets. Groups: one name, all on different servers. Pairs: two tools. */
static void check_sets(golden_case *c, const as_catalogue *catalogue, size_t which, as_buf *all)
{
	const assay_impl *impl = sampler_special_LTX_assay_plugin_v1()->impls[which];
	const assay_sampler_ops *ops = impl->ops;
	as_collect sets;
	as_call call;
	void *self = NULL;
	assay_error err = {0};
	size_t fewest = which == 0 ? 13 : 100; /* names on two servers or more: counted with other means */

	as_call_init(&call);
	as_collect_init(&sets, 0, 0);
	if (ops->open(as_host(), NULL, &self, &err) != 0 ||
	    ops->seed_sets(self, &call.pub, as_catalogue_tools(catalogue), &sets.sink, &err) != 0) {
		as_buf_puts(&c->got, err.message);
	}
	if (as_json_count(sets.values) < fewest || (which == 0 && as_json_count(sets.values) != fewest)) {
		as_buf_printf(&c->got, "%s found %zu sets; ", impl->name, as_json_count(sets.values));
	}
	for (const assay_json *s = as_json_first(sets.values); s; s = as_json_next(s)) {
		const assay_json *first = as_json_first(s), *second = as_json_next(first);
		bool same_name =
			as_str_eq(as_json_str(as_json_get(first, "tool")), as_json_str(as_json_get(second, "tool")));
		bool same_server = as_str_eq(as_json_str(as_json_get(first, "server")),
					     as_json_str(as_json_get(second, "server")));

		if (which == 0 ? !same_name || same_server : (same_name && same_server) || as_json_count(s) != 2) {
			as_buf_printf(&c->got, "%s made a set that is none; ", impl->name);
		}
		as_json_write(all, s, ASSAY_JSON_COMPACT);
		as_buf_puts(all, "\n");
	}
	ops->close(self);
	as_collect_free(&sets);
}

/* Records as core/task/catalogue.h wants them, out of LiveMCPBench's. The servers' field of work is their tag. */
static assay_json *records_of(const assay_json *document)
{
	assay_json *records = as_json_array();

	for (const assay_json *d = as_json_first(document); d; d = as_json_next(d)) {
		for (const assay_json *s = as_json_first(as_json_get(d, "tools")); s; s = as_json_next(s)) {
			assay_json *r = as_json_object(), *tags = as_json_array();
			int bad = as_json_append(tags, as_json_clone(as_json_get(d, "category")));

			bad |= as_json_set(r, "server_id", as_json_string(as_json_key(s)));
			bad |= as_json_set(r, "class", as_json_cstring("live_read"));
			bad |= as_json_set(r, "tags", tags);
			bad |= as_json_set(r, "tools", as_json_clone(as_json_get(s, "tools")));
			bad |= as_json_append(records, r);
			if (bad < 0) {
				as_json_free(records);
				return NULL;
			}
		}
	}
	return records;
}

static void draw_all(golden_case *c, as_catalogue *catalogue, as_buf *all)
{
	static const char *const samplers[] = {"random",    "hard_negative", "cross_domain",
					       "same_name", "sibling",       "stratified"};
	size_t fewest[] = {ANCHORS * (SIZE - 1), ANCHORS * (SIZE - 1), ANCHORS * (SIZE - 1), 1, ANCHORS,
			   ANCHORS * (SIZE - 1)};
	shelf_case s = {.c = c, .catalogue = catalogue, .all = as_catalogue_tools(catalogue)};
	as_rng rng;

	for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++) {
		size_t n = 0;

		s.sampler = samplers[k];
		as_rng_seed(&rng, 7);
		for (uint64_t i = 0; i < ANCHORS; i++) {
			s.anchor = s.all.list[as_rng_below(&rng, (uint32_t)s.all.count)];
			n += draw_around(&s, i, all);
		}
		if (n < fewest[k]) {
			as_buf_printf(&c->got, "%s drew only %zu; ", s.sampler, n);
		}
	}
}

static void run_tools(golden_case *c)
{
	as_catalogue *catalogue = NULL;
	as_buf all = {0};
	assay_error err = {0};
	char digest[65] = "";

	as_buf_printf(&c->expected, "527 tools, %s", drawn_digest);
	if (as_catalogue_new(records_of(c->one), &catalogue, &err) != 0) {
		as_buf_puts(&c->got, err.message);
		return;
	}
	draw_all(c, catalogue, &all);
	check_sets(c, catalogue, 0, &all);
	check_sets(c, catalogue, 1, &all);
	as_sha256_hex(as_buf_str(&all), digest);
	as_buf_printf(&c->got, "%zu tools, %s", as_catalogue_tools(catalogue).count, all.failed ? "" : digest);
	as_buf_free(&all);
	as_catalogue_free(catalogue);
}

const golden_kind golden_shelves[] = {
	{"tools", "no member of a case", run_tools},
	{0},
};
