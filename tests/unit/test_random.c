#include "tests/unit/unit.h"

#include "core/base/random.h"

/* Expected values: Python 3.11's random.Random. */
START_TEST(streams)
{
	as_rng r;

	as_rng_seed(&r, 1);
	ck_assert_uint_eq(as_rng_u32(&r), 577090037u);
	ck_assert_uint_eq(as_rng_u32(&r), 2444712010u);
	as_rng_seed(&r, 0);
	ck_assert_uint_eq(as_rng_u32(&r), 3626764237u);
	as_rng_seed(&r, 7);
	ck_assert_uint_eq(as_rng_u32(&r), 1390851128u);
	/* two words of key */
	as_rng_seed(&r, 0x123456789abcdef0u);
	ck_assert_uint_eq(as_rng_u32(&r), 3646699384u);
	/* past one and two refills */
	as_rng_seed(&r, 5);
	for (int i = 0; i < 1300; i++) {
		as_rng_u32(&r);
	}
	ck_assert_uint_eq(as_rng_u32(&r), 162109303u);
}
END_TEST

START_TEST(units)
{
	as_rng r;

	as_rng_seed(&r, 42);
	ck_assert_double_eq(as_rng_unit(&r), 0.6394267984578837);
	ck_assert_double_eq(as_rng_unit(&r), 0.025010755222666936);
	for (int i = 0; i < 10000; i++) {
		double u = as_rng_unit(&r);

		ck_assert(u >= 0 && u < 1);
	}
}
END_TEST

START_TEST(bounds)
{
	as_rng r;

	as_rng_seed(&r, 3);
	ck_assert_uint_eq(as_rng_below(&r, 0), 0);
	ck_assert_uint_eq(as_rng_bits(&r, 0), 0);
	for (uint32_t n = 1; n < 300; n++) {
		ck_assert_uint_eq(as_rng_below(&r, 1), 0);
		ck_assert_uint_lt(as_rng_below(&r, n), n);
	}
	ck_assert_uint_lt(as_rng_bits(&r, 3), 8);
	ck_assert_uint_lt(as_rng_below(&r, UINT32_MAX), UINT32_MAX);
}
END_TEST

START_TEST(shuffles)
{
	static const uint32_t expected[12] = {7, 11, 0, 8, 5, 6, 3, 10, 4, 1, 9, 2};
	uint32_t items[12];
	as_rng r;

	for (uint32_t i = 0; i < 12; i++) {
		items[i] = i;
	}
	as_rng_seed(&r, 1);
	as_rng_shuffle(&r, items, 12);
	for (uint32_t i = 0; i < 12; i++) {
		ck_assert_uint_eq(items[i], expected[i]);
	}
	as_rng_shuffle(&r, items, 0);
	as_rng_shuffle(&r, NULL, 0);
	as_rng_shuffle(&r, items, 1);
	ck_assert_uint_eq(items[0], 7);
}
END_TEST

START_TEST(derived)
{
	uint64_t a = as_derive_seed(1, "pool", ASSAY_STR("x"));

	ck_assert_uint_eq(a, as_derive_seed(1, "pool", ASSAY_STR("x")));
	ck_assert_uint_ne(a, as_derive_seed(2, "pool", ASSAY_STR("x")));
	ck_assert_uint_ne(a, as_derive_seed(1, "goal", ASSAY_STR("x")));
	ck_assert_uint_ne(a, as_derive_seed(1, "pool", ASSAY_STR("y")));
	ck_assert_uint_ne(a, as_derive_seed(1, "poolx", ASSAY_STR("")));
	ck_assert_uint_ne(as_derive_seed(1, "1", ASSAY_STR("")), as_derive_seed(11, "", ASSAY_STR("")));
}
END_TEST

UNIT_SUITE(suite, "random", streams, units, bounds, shuffles, derived)
UNIT_MAIN(suite)
