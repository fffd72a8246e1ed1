/* Vectors of random numbers, hashes, canonical texts and similarity. */
#include "tests/golden/golden.h"

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/similarity.h"
#include "core/trace/canonical.h"

#include <stdlib.h>

static as_rng seeded(const golden_case *c)
{
	as_rng r;

	as_rng_seed(&r, (uint64_t)as_json_i64(as_json_get(c->one, "seed"), 0));
	return r;
}

static void run_mt19937(golden_case *c)
{
	static const uint32_t bounds[] = {1, 2, 3, 5, 7, 100, 1000};
	as_rng r = seeded(c);
	uint32_t items[12];

	golden_member(&c->expected, c->one, "getrandbits32");
	as_buf_printf(&c->got, "[%u,", (unsigned)as_rng_bits(&r, 32));
	as_buf_printf(&c->got, "%u,", (unsigned)as_rng_bits(&r, 32));
	as_buf_printf(&c->got, "%u,", (unsigned)as_rng_bits(&r, 32));
	as_buf_printf(&c->got, "%u]", (unsigned)as_rng_bits(&r, 32));

	golden_member(&c->expected, c->one, "shuffle_0_11");
	r = seeded(c);
	for (uint32_t i = 0; i < 12; i++) {
		items[i] = i;
	}
	as_rng_shuffle(&r, items, 12);
	for (uint32_t i = 0; i < 12; i++) {
		as_buf_printf(&c->got, "%c%u", i == 0 ? '[' : ',', (unsigned)items[i]);
	}

	golden_member(&c->expected, c->one, "randrange_2p31");
	r = seeded(c);
	for (uint32_t i = 0; i < 5; i++) {
		as_buf_printf(&c->got, "%s%u", i == 0 ? "][" : ",", (unsigned)as_rng_below(&r, 0x80000000u));
	}
	golden_member(&c->expected, c->one, "choice_0_9");
	r = seeded(c);
	for (uint32_t i = 0; i < 6; i++) {
		as_buf_printf(&c->got, "%s%u", i == 0 ? "][" : ",", (unsigned)as_rng_below(&r, 10));
	}
	golden_member(&c->expected, c->one, "randrange_1_2_3_5_7_100_1000");
	r = seeded(c);
	for (uint32_t i = 0; i < 7; i++) {
		as_buf_printf(&c->got, "%s%u", i == 0 ? "][" : ",", (unsigned)as_rng_below(&r, bounds[i]));
	}
	as_buf_byte(&c->got, ']');
}

static void run_task_seed(golden_case *c)
{
	uint32_t seed;

	golden_member(&c->expected, c->one, "seed");
	if (as_uuid_seed(as_json_str(as_json_get(c->one, "task_id")), &seed)) {
		as_buf_printf(&c->got, "%u", (unsigned)seed);
	}
}

static int by_bytes(const void *x, const void *y)
{
	return as_str_cmp(*(const assay_str *)x, *(const assay_str *)y);
}

static void run_tool_surface_hash(golden_case *c)
{
	const assay_json *tools = as_json_get(c->one, "tools");
	size_t count = as_json_count(tools), n = 0;
	assay_str *names = as_new(count, sizeof *names);
	as_buf joined = {0};
	char hex[65];

	golden_member(&c->expected, c->one, "hash");
	if (!names) {
		return;
	}
	for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
		names[n++] = as_json_str(t);
	}
	qsort(names, n, sizeof *names, by_bytes);
	for (size_t i = 0; i < n; i++) {
		as_buf_puts(&joined, i == 0 ? "" : "\n");
		as_buf_add(&joined, names[i]);
	}
	as_sha256_hex(as_buf_str(&joined), hex);
	as_buf_printf(&c->got, "\"%.16s\"", hex);
	as_buf_free(&joined);
	free(names);
}

static void run_difflib_ratio(golden_case *c)
{
	double ratio = as_ratio(as_json_str(as_json_get(c->one, "a")), as_json_str(as_json_get(c->one, "b")));

	golden_near(c, as_json_f64(as_json_get(c->one, "ratio"), -9), ratio, 0);
	golden_member(&c->expected, c->one, "ge_0_85");
	as_buf_puts(&c->got, ratio >= 0.85 ? "true" : "false");
}

static void run_canonical_args(golden_case *c)
{
	assay_json *arguments = NULL;
	assay_error err = {0};

	as_buf_add(&c->expected, as_json_str(as_json_get(c->one, "canonical")));
	if (as_json_parse(as_json_str(as_json_get(c->one, "json")), AS_JSON_PYTHON, &arguments, &err) != 0) {
		as_buf_printf(&c->got, "cannot be parsed: %s", err.message);
	} else {
		as_canonical_arguments(arguments, &c->got);
	}
	as_json_free(arguments);
}

static void run_tier2_score(golden_case *c)
{
	double score = as_near_score(as_json_str(as_json_get(c->one, "candidate")),
				     as_json_str(as_json_get(c->one, "cached")));

	golden_near(c, as_json_f64(as_json_get(c->one, "score"), -9), score, 1e-12);
	golden_member(&c->expected, c->one, "hit_at_0_75");
	as_buf_puts(&c->got, score >= 0.75 ? "true" : "false");
}

const golden_kind golden_text[] = {
	{"mt19937", "seed getrandbits32 shuffle_0_11", run_mt19937},
	{"task_seed", "task_id seed", run_task_seed},
	{"tool_surface_hash", "tools hash", run_tool_surface_hash},
	{"difflib_ratio", "a b ratio", run_difflib_ratio},
	{"canonical_args", "json canonical", run_canonical_args},
	{"tier2_score", "candidate cached score", run_tier2_score},
	{0},
};
