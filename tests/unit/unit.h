/* What every unit program shares: a main that runs one suite under Check and prints TAP. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/* How many times slower than usual programs run here: what bounds the time of a hard case must wait so much longer, and
 * what goes through a million cases may take fewer. The environment says so; 1 otherwise. */
static inline int unit_slow(void)
{
	const char *said = getenv("UNIT_SLOW");
	long n = said ? strtol(said, NULL, 10) : 1;
	return n > 1 && n < 1000 ? (int)n : 1;
}

#define UNIT_MAIN(make_suite)                                                                                          \
	int main(void)                                                                                                 \
	{                                                                                                              \
		SRunner *runner = srunner_create(make_suite());                                                        \
		int failed;                                                                                            \
		srunner_set_tap(runner, "-");                                                                          \
		srunner_run_all(runner, CK_SILENT);                                                                    \
		failed = srunner_ntests_failed(runner);                                                                \
		srunner_free(runner);                                                                                  \
		return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;                                                      \
	}

/* A suite of one case: UNIT_SUITE("json", test_a, test_b). */
#define UNIT_SUITE(function, name, ...)                                                                                \
	static Suite *function(void)                                                                                   \
	{                                                                                                              \
		const TTest *const tests[] = {__VA_ARGS__};                                                            \
		Suite *suite = suite_create(name);                                                                     \
		TCase *tcase = tcase_create(name);                                                                     \
		tcase_set_timeout(tcase, 60);                                                                          \
		for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                              \
			tcase_add_test(tcase, tests[i]);                                                               \
		suite_add_tcase(suite, tcase);                                                                         \
		return suite;                                                                                          \
	}

#endif
