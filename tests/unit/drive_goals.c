/* drive_goals [-v] [-n GOALS] [-s SEED] [-k SIZE] [-p POLICY] [-m PERCENT] [SAMPLER...]: how good are the goals of
 * goalgen/template? Draws seed tools of the three demo servers, has goals written, lets explorer/loop with
 * llm/heuristic pursue each on fresh states, and counts for how many goals the intended tools were called with success.
 * -m: fails when all of them were called for less than PERCENT of the seed sets of a sampler. */
#include "core/plugin/call.h"
#include "tests/unit/demo_estate.h"
#include <assay/roles/explorer.h>
#include <assay/roles/goalgen.h>
#include <assay/roles/llm.h>
#include <assay/roles/sampler.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURNS 12

/* One call of the agent. */
typedef struct made {
	assay_str server, tool;
	bool ok;
} made;

typedef struct driver {
	demo_estate demo;
	as_instance *goalgen, *explorer, *model;
	uint32_t size;
	bool verbose;
	as_world *world;
	assay_json *offers, *log; /* log: arrays [name, arguments, ok] */
	unsigned discovery;
} driver;

typedef struct tally {
	unsigned seeds, goals, some, all, single, intended, discovery;
} tally;

/* --- Hooks ------------------------------------------------------------------------------------------------------- */

static int world_call(void *context, assay_str server, assay_str tool, const assay_json *arguments, assay_json **result,
		      int *is_error, assay_error *err)
{
	driver *d = context;
	as_answer answer = {0};
	as_call call;
	as_call_init(&call);
	int rc = as_world_call(d->world, &call, server, tool, arguments, &answer, err);
	d->discovery++;
	if (rc == 0) {
		*result = answer.result;
		answer.result = NULL;
		*is_error = answer.status != ASSAY_STEP_SUCCESS;
	}
	as_answer_clear(&answer);
	return rc;
}

static int offers(void *context, const assay_json **tools, assay_error *err)
{
	driver *d = context;
	(void)err;
	*tools = d->offers;
	return 0;
}

static int act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
	       assay_error *err)
{
	driver *d = context;
	as_buf out = {0};
	assay_json *result = NULL, *entry = as_json_array();
	size_t at = name.len;
	for (size_t i = 0; i + 2 < name.len; i++) {
		at = name.ptr[i] == '_' && name.ptr[i + 1] == '_' ? i : at;
	}
	assay_str server = {name.ptr, at}, tool = {name.ptr + at + 2, name.len - at - 2};
	int rc = world_call(d, server, tool, arguments, &result, is_error, err);
	if (rc < 0) {
		as_json_free(entry);
		return rc;
	}
	for (const assay_json *p = as_json_first(as_json_get(result, "content")); p; p = as_json_next(p)) {
		as_buf_add(&out, as_json_str(as_json_get(p, "text")));
	}
	as_json_append(entry, as_json_string(name));
	as_json_append(entry, as_json_clone(arguments));
	as_json_append(entry, as_json_truth(!*is_error));
	as_json_append(d->log, entry);
	as_json_free(result);
	return as_buf_take(&out, text, err);
}

static int chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	driver *d = context;
	const assay_llm_ops *ops = as_instance_ops(d->model);
	as_collect got;
	as_call call;
	as_call_init(&call);
	as_collect_init(&got, 1, 0);
	int rc = ops->complete(as_instance_self(d->model), &call.pub, request, &got.sink, err);
	rc = rc < 0 ? rc : as_collect_one(&got, "model", reply, err);
	as_collect_free(&got);
	return rc;
}

static const as_call_hooks hooks = {.offers = offers, .act = act, .chat = chat, .world_call = world_call};

/* --- Getting ready ----------------------------------------------------------------------------------------------- */

static as_instance *opened(driver *d, const char *use, uint32_t role, assay_json *options)
{
	as_instance *i = NULL;
	assay_error err = {0};
	demo_must(as_instance_open(d->demo.registry, use, role, options, TEST_SRCDIR, &i, &err), &err);
	as_json_free(options);
	return i;
}

static void open_world(driver *d)
{
	d->world = demo_world_open(&d->demo);
}

static void close_world(driver *d)
{
	demo_world_close(d->world);
	d->world = NULL;
}

static void get_ready(driver *d, const char *policy)
{
	assay_json *model = as_json_object();
	demo_estate_open(&d->demo);
	as_json_set(model, "policy", as_json_cstring(policy));
	d->goalgen = opened(d, "goalgen/template", ASSAY_ROLE_GOALGEN, NULL);
	d->explorer = opened(d, "explorer/loop", ASSAY_ROLE_EXPLORER, NULL);
	d->model = opened(d, "llm/heuristic", ASSAY_ROLE_LLM, model);
}

static void tidy_up(driver *d)
{
	as_instance_close(d->goalgen);
	as_instance_close(d->explorer);
	as_instance_close(d->model);
	demo_estate_close(&d->demo);
}

/* --- One goal ---------------------------------------------------------------------------------------------------- */

static size_t draw_seeds(driver *d, const char *sampler, as_call *call, const assay_tool **seeds)
{
	char use[80];
	snprintf(use, sizeof use, "sampler/%s", sampler);
	as_instance *s = opened(d, use, ASSAY_ROLE_SAMPLER, NULL);
	const assay_sampler_ops *ops = as_instance_ops(s);
	assay_tools all = as_catalogue_tools(d->demo.catalogue);
	const assay_tool *rest[128];
	uint32_t picked[128];
	size_t n = 0, got = 0;
	assay_error err = {0};
	seeds[0] = all.list[as_rng_below(call->rng, (uint32_t)all.count)];
	for (size_t i = 0; i < all.count && n < 128; i++) {
		if (all.list[i] != seeds[0]) {
			rest[n++] = all.list[i];
		}
	}
	demo_must(ops->draw(as_instance_self(s), &call->pub, (assay_tools){seeds, 1}, (assay_tools){rest, n},
			    d->size - 1, picked, &got, &err),
		  &err);
	for (size_t i = 0; i < got; i++) {
		seeds[i + 1] = rest[picked[i]];
	}
	as_instance_close(s);
	return got + 1;
}

static bool among(assay_tools tools, assay_str server)
{
	for (size_t i = 0; i < tools.count; i++) {
		if (as_str_eq(tools.list[i]->server, server)) {
			return true;
		}
	}
	return false;
}

static assay_json *views(driver *d, assay_tools seeds)
{
	const as_catalogue_server *servers;
	size_t n = as_catalogue_servers(d->demo.catalogue, &servers);
	assay_json *out = as_json_object();
	for (size_t i = 0; i < n; i++) {
		if (among(seeds, servers[i].id)) {
			assay_json *view = as_json_object();
			as_json_set(view, "class", as_json_cstring(as_class_name(servers[i].server_class)));
			as_json_set(view, "description", as_json_null());
			as_json_set(view, "resources", as_json_array());
			as_json_set_n(out, servers[i].id, view);
		}
	}
	return out;
}

static assay_json *write_goal(driver *d, as_call *call, const char *sampler, assay_tools seeds, uint32_t index)
{
	const assay_goalgen_ops *ops = as_instance_ops(d->goalgen);
	assay_tools all = as_catalogue_tools(d->demo.catalogue);
	const assay_tool *surface[128];
	assay_goal_request request = {.size = sizeof request,
				      .index = index,
				      .seeds = seeds,
				      .category = as_str(sampler)};
	assay_json *servers = views(d, seeds), *goal = NULL;
	assay_error err = {0};
	as_collect got;
	size_t n = 0;
	for (size_t i = 0; i < all.count && n < 128; i++) {
		if (among(seeds, all.list[i]->server)) {
			surface[n++] = all.list[i];
		}
	}
	request.surface = (assay_tools){surface, n};
	request.servers = servers;
	as_collect_init(&got, 1, 0);
	demo_must(ops->generate(as_instance_self(d->goalgen), &call->pub, &request, &got.sink, &err), &err);
	if (as_json_count(got.values) > 0) {
		demo_must(as_collect_one(&got, "goalgen", &goal, &err), &err);
	}
	as_collect_free(&got);
	as_json_free(servers);
	return goal;
}

/* What the agent is offered: the tools of the goal's servers. */
static assay_json *offer(driver *d, const assay_json *goal)
{
	assay_tools all = as_catalogue_tools(d->demo.catalogue);
	assay_json *list = as_json_array();
	for (size_t i = 0; i < all.count; i++) {
		const assay_tool *t = all.list[i];
		bool wanted = false;
		for (const assay_json *s = as_json_first(as_json_get(goal, "servers")); s; s = as_json_next(s)) {
			wanted = wanted || as_str_eq(as_json_str(s), t->server);
		}
		if (wanted) {
			as_buf name = {0};
			assay_json *o = as_json_object();
			as_buf_printf(&name, "%.*s__%.*s", ASSAY_FMT(t->server), ASSAY_FMT(t->name));
			as_json_set(o, "name", as_json_string(as_buf_str(&name)));
			as_json_set(o, "description", as_json_string(t->description));
			as_json_set(o, "parameters", as_json_clone(t->input_schema));
			as_json_append(list, o);
			as_buf_free(&name);
		}
	}
	return list;
}

static void pursue(driver *d, as_call *call, const assay_json *goal, uint64_t seed)
{
	const assay_explorer_ops *ops = as_instance_ops(d->explorer);
	assay_assignment assignment = {.size = sizeof assignment, .turns = TURNS, .seed = seed};
	assay_error err = {0};
	as_collect got;
	assignment.prompt = as_json_str(as_json_get(goal, "goal"));
	d->offers = offer(d, goal);
	d->log = as_json_array();
	as_collect_init(&got, 1, 0);
	open_world(d);
	demo_must(ops->run(as_instance_self(d->explorer), &call->pub, &assignment, &got.sink, &err), &err);
	close_world(d);
	as_json_free(d->offers);
	as_collect_free(&got);
}

static unsigned successes(const driver *d, const assay_json *step)
{
	as_buf name = {0};
	unsigned n = 0;
	as_buf_printf(&name, "%.*s__%.*s", ASSAY_FMT(as_json_str(as_json_get(step, "server"))),
		      ASSAY_FMT(as_json_str(as_json_get(step, "tool"))));
	for (const assay_json *e = as_json_first(d->log); e; e = as_json_next(e)) {
		n += as_str_eq(as_json_str(as_json_at(e, 0)), as_buf_str(&name)) &&
		     as_json_boolean(as_json_at(e, 2), 0);
	}
	as_buf_free(&name);
	return n;
}

static void show(const driver *d, const assay_json *goal, const char *verdict)
{
	assay_text log = {0}, notes = {0};
	as_json_dump(d->log, ASSAY_JSON_COMPACT, &log, NULL);
	as_json_dump(as_json_get(as_json_get(goal, "notes"), "steps"), ASSAY_JSON_COMPACT, &notes, NULL);
	printf("%-5s %s\n      %s\n      %s\n", verdict, as_json_cstr(as_json_get(goal, "goal"), ""), notes.ptr,
	       log.ptr);
	as_text_free(&log);
	as_text_free(&notes);
}

static void judge(driver *d, const assay_json *goal, tally *t)
{
	const assay_json *steps = as_json_get(as_json_get(goal, "notes"), "steps");
	unsigned met = 0, all = 0, calls = 0;
	for (const assay_json *s = as_json_first(steps); s; s = as_json_next(s)) {
		unsigned wanted = (unsigned)as_json_i64(as_json_get(s, "calls"), 1);
		met += successes(d, s) >= wanted;
		calls += wanted;
		all++;
	}
	t->goals++;
	t->intended += calls;
	t->single += calls == 1;
	t->some += met > 0;
	t->all += met == all;
	if (d->verbose) {
		show(d, goal, met == all ? "all" : met > 0 ? "some" : "NONE");
	}
}

/* The share of seed sets, in percent, that gave a goal of which every intended tool was called with success. */
static unsigned drive(driver *d, const char *sampler, unsigned n, uint64_t seed)
{
	tally t = {0};
	for (unsigned i = 0; i < n; i++) {
		const assay_tool *seeds[16];
		as_rng rng;
		as_call call;
		as_rng_seed(&rng, seed + i);
		as_call_init(&call);
		call.hooks = &hooks;
		call.context = d;
		call.rng = &rng;
		size_t count = draw_seeds(d, sampler, &call, seeds);
		d->discovery = 0;
		open_world(d);
		assay_json *goal = write_goal(d, &call, sampler, (assay_tools){seeds, count}, i);
		close_world(d);
		t.seeds++;
		t.discovery += d->discovery;
		if (goal) {
			pursue(d, &call, goal, i);
			judge(d, goal, &t);
			as_json_free(d->log);
		} else if (d->verbose) {
			printf("empty");
			for (size_t k = 0; k < count; k++) {
				printf(" %.*s.%.*s", ASSAY_FMT(seeds[k]->server), ASSAY_FMT(seeds[k]->name));
			}
			printf("\n");
		}
		as_json_free(goal);
	}
	printf("%-14s %3u seed sets, %3u goals, %3u with an intended call, %3u with all of them; %u of one call, %.1f calls a "
	       "goal, %.1f for discovery\n",
	       sampler, t.seeds, t.goals, t.some, t.all, t.single, t.goals ? (double)t.intended / t.goals : 0,
	       t.seeds ? (double)t.discovery / t.seeds : 0);
	return t.seeds ? 100 * t.all / t.seeds : 0;
}

int main(int argc, char **argv)
{
	static const char *const all[] = {"random", "hard_negative", "cross_domain", "same_name", "sibling"};
	driver d = {.size = 3};
	unsigned n = 25, least = 0;
	int status = 0;
	uint64_t seed = 1;
	const char *policy = "careful";
	int option;
	while ((option = getopt(argc, argv, "vn:s:k:p:m:")) != -1) {
		switch (option) {
		case 'v':
			d.verbose = true;
			break;
		case 'n':
			n = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'k':
			d.size = (uint32_t)strtoul(optarg, NULL, 10);
			d.size = d.size < 2 ? 2 : d.size > 8 ? 8 : d.size;
			break;
		case 'm':
			least = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'p':
			policy = optarg;
			break;
		default:
			return 2;
		}
	}
	get_ready(&d, policy);
	for (size_t i = 0; i < (argc > optind ? (size_t)(argc - optind) : sizeof all / sizeof *all); i++) {
		status |= drive(&d, argc > optind ? argv[optind + (int)i] : all[i], n, seed) < least;
	}
	tidy_up(&d);
	return status;
}
