/* exposure/flat and exposure/target: which tools are offered, in which order, and with which schemas. */
#include "core/base/error.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/exposure.h>

#include <string.h>

#define N_TOOLS 12

/* Tools t0 to t11; the first two are needed, the first four are those of the task's servers. */
typedef struct stage {
	assay_tool tools[N_TOOLS];
	const assay_tool *list[N_TOOLS];
	char names[N_TOOLS][8];
	assay_exposure_request request;
	as_call call;
	as_rng rng;
	/* What was asked of the samplers, and how they answer. */
	char asked[256];
	int status;
	bool wild; /* they pick what is not there */
} stage;

/* The first n of the candidates, however they are called. */
static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	stage *s = context;
	size_t used = strlen(s->asked);
	ck_assert_uint_eq(required.count, s->request.required.count);
	for (size_t i = 0; i < candidates.count; i++) {
		ck_assert(candidates.list[i] != required.list[0]);
	}
	snprintf(s->asked + used, sizeof s->asked - used, "%s %zu %llu;", name, n, (unsigned long long)seed);
	if (s->status != 0) {
		return as_fail(err, s->status, "no sampler today");
	}
	*n_picked = 0;
	for (size_t i = 0; i < n && i < candidates.count; i++) {
		picked[(*n_picked)++] = s->wild ? 1000 : (uint32_t)i;
	}
	return 0;
}

static const as_call_hooks hooks = {.draw = hook_draw};

static void make_stage(stage *s)
{
	*s = (stage){.status = 0};
	for (size_t i = 0; i < N_TOOLS; i++) {
		snprintf(s->names[i], sizeof s->names[i], "t%zu", i);
		s->tools[i] =
			(assay_tool){.size = sizeof(assay_tool), .server = ASSAY_STR("s"), .name = as_str(s->names[i])};
		s->list[i] = &s->tools[i];
	}
	s->request = (assay_exposure_request){.size = sizeof s->request,
					      .seed = 77,
					      .required = {s->list, 2},
					      .surface = {s->list, 4},
					      .catalogue = {s->list, N_TOOLS}};
	fake_call(&s->call, AS_FOREVER);
	as_rng_seed(&s->rng, 5);
	s->call.rng = &s->rng;
	s->call.hooks = &hooks;
	s->call.context = s;
}

/* Offers as "t0 t5* t1": a star for an overridden schema. */
typedef struct offered {
	assay_offer_sink sink;
	char text[256];
	int status; /* of every add */
	size_t n;
} offered;

static int on_add(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		  const assay_json *parameters, assay_error *err)
{
	offered *o = (offered *)(void *)sink;
	size_t used = strlen(o->text);
	(void)err;
	ck_assert(name.len == 0 && description.len == 0 && tool);
	if (parameters) {
		ck_assert_uint_eq(as_json_count(parameters), 1);
		ck_assert(as_str_is(as_json_str(as_json_get(parameters, "type")), "object"));
	}
	snprintf(o->text + used, sizeof o->text - used, "%s%.*s%s", used ? " " : "", ASSAY_FMT(tool->name),
		 parameters ? "*" : "");
	o->n++;
	return o->status;
}

static int offer(stage *s, const char *module, const char *name, const char *options, offered *out)
{
	const assay_exposure_ops *ops = fake_load(module, ASSAY_ROLE_EXPOSURE, name)->ops;
	assay_json *v = NULL;
	assay_error err = {0};
	void *self = NULL;
	int status = out->status;
	*out = (offered){.sink = {.size = sizeof out->sink, .add = on_add}, .status = status};
	ck_assert_int_eq(as_json_parse(as_str(options), ASSAY_JSON_STRICT, &v, NULL), 0);
	int rc = ops->open(fake_host(), v, &self, &err);
	if (rc == 0) {
		rc = ops->offer(self, &s->call.pub, &s->request, &out->sink, &err);
	}
	ops->close(self);
	as_json_free(v);
	ck_assert_int_eq(fake_live_blocks(), 0);
	return rc;
}

static void target(stage *s, const char *options, const char *expected)
{
	offered o = {.status = 0};
	ck_assert_int_eq(offer(s, "exposure_pool", "target", options, &o), 0);
	ck_assert_str_eq(o.text, expected);
}

START_TEST(flat_offers_the_surface_as_it_is)
{
	stage s;
	offered o = {.status = 0};
	make_stage(&s);
	ck_assert_int_eq(offer(&s, "exposure_flat", "flat", "{}", &o), 0);
	ck_assert_str_eq(o.text, "t0 t1 t2 t3");
	ck_assert_str_eq(s.asked, "");
	s.request.surface.count = 0;
	ck_assert_int_eq(offer(&s, "exposure_flat", "flat", "{}", &o), 0);
	ck_assert_str_eq(o.text, "");
}
END_TEST

START_TEST(a_sink_may_have_enough_or_fail)
{
	static const char *const which[][2] = {{"exposure_flat", "flat"}, {"exposure_pool", "target"}};
	for (size_t i = 0; i < 2; i++) {
		stage s;
		offered o = {.status = ASSAY_STOP};
		make_stage(&s);
		ck_assert_int_eq(offer(&s, which[i][0], which[i][1], "{}", &o), 0);
		ck_assert_uint_eq(o.n, 1);
		o.status = ASSAY_ENOMEM;
		ck_assert_int_eq(offer(&s, which[i][0], which[i][1], "{}", &o), ASSAY_ENOMEM);
		ck_assert_uint_eq(o.n, 1);
	}
}
END_TEST

START_TEST(reference_pools_keep_their_order)
{
	stage s;
	make_stage(&s);
	/* t2 and t3 are of the task's own servers and keep their schemas */
	target(&s, "{\"distractors\":4,\"p_alt\":0.5,\"reference\":true}", "t0 t1 t2 t3 t4* t5*");
	ck_assert_str_eq(s.asked, "same_name 2 77;hard_negative 6 77;");
}
END_TEST

START_TEST(half_is_rounded_to_even)
{
	static const struct {
		const char *options, *asked;
	} cases[] = {{"{\"distractors\":5,\"p_alt\":0.5}", "same_name 2 77;hard_negative 7 77;"},
		     {"{\"distractors\":3,\"p_alt\":0.5}", "same_name 2 77;hard_negative 5 77;"},
		     {"{\"distractors\":1,\"p_alt\":0.5}", "same_name 0 77;hard_negative 1 77;"},
		     {"{\"distractors\":8,\"p_alt\":0.2}", "same_name 2 77;hard_negative 10 77;"},
		     {"{\"distractors\":8,\"p_alt\":1}", "same_name 8 77;hard_negative 16 77;"},
		     {"{\"distractors\":8,\"p_alt\":0}", "same_name 0 77;hard_negative 8 77;"},
		     {"{}", "same_name 4 77;hard_negative 12 77;"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		stage s;
		offered o = {.status = 0};
		make_stage(&s);
		ck_assert_int_eq(offer(&s, "exposure_pool", "target", cases[i].options, &o), 0);
		ck_assert_str_eq(s.asked, cases[i].asked);
	}
}
END_TEST

START_TEST(sizes_of_pools)
{
	stage s;
	make_stage(&s);
	target(&s, "{\"distractors\":0,\"reference\":true}", "t0 t1");
	target(&s, "{\"distractors\":1,\"reference\":true}", "t0 t1 t2");
	target(&s, "{\"distractors\":100,\"reference\":true}", "t0 t1 t2 t3 t4* t5* t6* t7* t8* t9* t10* t11*");
	s.request.catalogue.count = 0;
	target(&s, "{\"reference\":true}", "t0 t1");
	s.request.required.count = s.request.surface.count = 0;
	target(&s, "{}", "");
}
END_TEST

START_TEST(pools_are_shuffled_and_keep_their_schemas)
{
	offered a = {.status = 0}, b = {.status = 0};
	size_t different = 0;
	for (uint64_t seed = 0; seed < 10; seed++) {
		stage s;
		make_stage(&s);
		as_rng_seed(&s.rng, seed);
		ck_assert_int_eq(offer(&s, "exposure_pool", "target", "{}", &a), 0);
		as_rng_seed(&s.rng, seed);
		ck_assert_int_eq(offer(&s, "exposure_pool", "target", "{}", &b), 0);
		ck_assert_str_eq(a.text, b.text);
		ck_assert_uint_eq(a.n, 10);
		ck_assert_ptr_null(strchr(a.text, '*'));
		different += strncmp(a.text, "t0 t1 ", 6) != 0;
	}
	ck_assert_uint_ge(different, 8);
}
END_TEST

START_TEST(samplers_that_fail)
{
	stage s;
	offered o = {.status = 0};
	make_stage(&s);
	s.status = ASSAY_EPLUGIN;
	ck_assert_int_eq(offer(&s, "exposure_pool", "target", "{}", &o), ASSAY_EPLUGIN);
	ck_assert_uint_eq(o.n, 0);
	s.status = 0;
	s.wild = true;
	ck_assert_int_eq(offer(&s, "exposure_pool", "target", "{}", &o), ASSAY_EPLUGIN);
	s.call.hooks = NULL;
	ck_assert_int_eq(offer(&s, "exposure_pool", "target", "{}", &o), ASSAY_ENOTSUP);
}
END_TEST

START_TEST(out_of_memory)
{
	bool worked = false;
	for (long n = 0; n < 50 && !worked; n++) {
		stage s;
		offered o = {.status = 0};
		make_stage(&s);
		fake_fail_alloc(n);
		int rc = offer(&s, "exposure_pool", "target", "{}", &o);
		fake_fail_alloc(-1);
		ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
		worked = rc == 0;
	}
	ck_assert(worked);
}
END_TEST

UNIT_SUITE(make_suite, "exposure", flat_offers_the_surface_as_it_is, a_sink_may_have_enough_or_fail,
	   reference_pools_keep_their_order, half_is_rounded_to_even, sizes_of_pools,
	   pools_are_shuffled_and_keep_their_schemas, samplers_that_fail, out_of_memory)
UNIT_MAIN(make_suite)
