/* The base samplers: which tools are drawn, in which order, and that the order of the candidates does not matter. */
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/sampler.h>

#include <string.h>

#define MAX 16

/* server, name, description, tag ("" for none) */
static const char *const rows[][4] = {
	{"git", "search_issues", "Search the issues of a repository", "code"},
	{"git", "create_issue", "Create an issue in a repository", "code"},
	{"git", "list_commits", "List commits", "code"},
	{"jira", "search_issues", "Search tickets", "tickets"},
	{"jira", "search_issue", "Search one ticket", "tickets"},
	{"lab", "search_issues", "Search the issues of a project", "code"},
	{"sky", "forecast", "Weather of tomorrow", ""},
	{"sky", "tides", "High water", ""},
};
#define N_ROWS (sizeof rows / sizeof *rows)

typedef struct shop {
	assay_tool tools[N_ROWS];
	assay_str tags[N_ROWS];
	const assay_tool *required[2];
	const assay_tool *others[N_ROWS];
	size_t n_required, n_others;
} shop;

static void make_shop(shop *s, bool backwards)
{
	*s = (shop){.n_required = 1};
	for (size_t i = 0; i < N_ROWS; i++) {
		s->tags[i] = as_str(rows[i][3]);
		s->tools[i] = (assay_tool){.size = sizeof(assay_tool),
					   .server = as_str(rows[i][0]),
					   .name = as_str(rows[i][1]),
					   .description = as_str(rows[i][2]),
					   .tags = &s->tags[i],
					   .n_tags = rows[i][3][0] != '\0'};
	}
	s->required[0] = &s->tools[0];
	for (size_t i = 1; i < N_ROWS; i++) {
		s->others[s->n_others++] = &s->tools[backwards ? N_ROWS - i : i];
	}
}

static const assay_sampler_ops *ops(const char *name)
{
	return fake_load("sampler_base", ASSAY_ROLE_SAMPLER, name)->ops;
}

/* Draws of other samplers, as the program makes them: with a generator of their own. */
static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	as_call call;
	as_rng rng;
	(void)context;
	fake_call(&call, AS_FOREVER);
	as_rng_seed(&rng, seed);
	call.rng = &rng;
	return ops(name)->draw((void *)(uintptr_t)fake_host(), &call.pub, required, candidates, n, picked, n_picked,
			       err);
}

static const as_call_hooks hooks = {.draw = hook_draw};

/* "server.name server.name ..." of what is drawn, in `out`. */
static int draw_with(const shop *s, const char *name, const assay_json *options, size_t n, uint64_t seed, char *out,
		     size_t room)
{
	uint32_t picked[MAX] = {0};
	size_t got = MAX;
	assay_error err = {0};
	void *self = NULL;
	as_call call;
	as_rng rng;
	fake_call(&call, AS_FOREVER);
	as_rng_seed(&rng, seed);
	call.rng = &rng;
	call.hooks = &hooks;
	int rc = ops(name)->open(fake_host(), options, &self, &err);
	if (rc < 0) {
		return rc;
	}
	rc = ops(name)->draw(self, &call.pub, (assay_tools){s->required, s->n_required},
			     (assay_tools){s->others, s->n_others}, n, picked, &got, &err);
	ops(name)->close(self);
	out[0] = '\0';
	for (size_t i = 0; i < got && rc == 0; i++) {
		const assay_tool *t = s->others[picked[i]];
		size_t used = strlen(out);
		snprintf(out + used, room - used, "%s%.*s.%.*s", i > 0 ? " " : "", ASSAY_FMT(t->server),
			 ASSAY_FMT(t->name));
	}
	ck_assert(rc < 0 || got <= n);
	return rc;
}

static int draw(const shop *s, const char *name, size_t n, uint64_t seed, char *out, size_t room)
{
	return draw_with(s, name, NULL, n, seed, out, room);
}

static const char *const names[] = {"random", "hard_negative", "cross_domain", "same_name", "sibling", "stratified"};
#define N_NAMES (sizeof names / sizeof *names)

START_TEST(order_of_candidates_does_not_matter)
{
	char a[1024], b[1024];
	for (size_t i = 0; i < N_NAMES; i++) {
		for (uint64_t seed = 0; seed < 10; seed++) {
			shop forth, back;
			make_shop(&forth, false);
			make_shop(&back, true);
			ck_assert_int_eq(draw(&forth, names[i], 4, seed, a, sizeof a), 0);
			ck_assert_int_eq(draw(&back, names[i], 4, seed, b, sizeof b), 0);
			ck_assert_str_eq(a, b);
		}
	}
}
END_TEST

static size_t count_words(const char *text)
{
	size_t n = *text != '\0';
	for (; *text; text++) {
		n += *text == ' ';
	}
	return n;
}

START_TEST(a_short_supply_is_no_error)
{
	static const size_t most[N_NAMES] = {7, 7, 4, 3, 2, 7};
	char out[1024], again[1024];
	shop s;
	make_shop(&s, false);
	for (size_t i = 0; i < N_NAMES; i++) {
		ck_assert_int_eq(draw(&s, names[i], 0, 1, out, sizeof out), 0);
		ck_assert_str_eq(out, "");
		ck_assert_int_eq(draw(&s, names[i], 12, 1, out, sizeof out), 0);
		ck_assert_msg(count_words(out) == most[i], "%s: %s", names[i], out);
		ck_assert_int_eq(draw(&s, names[i], 2, 1, again, sizeof again), 0);
		ck_assert_uint_eq(count_words(again), most[i] < 2 ? most[i] : 2);
	}
}
END_TEST

START_TEST(nothing_to_draw_from)
{
	char out[64];
	shop s;
	make_shop(&s, false);
	s.n_others = 0;
	for (size_t i = 0; i < N_NAMES; i++) {
		ck_assert_int_eq(draw(&s, names[i], 3, 1, out, sizeof out), 0);
		ck_assert_str_eq(out, "");
	}
	make_shop(&s, false);
	s.n_required = 0;
	for (size_t i = 0; i < N_NAMES; i++) {
		ck_assert_int_eq(draw(&s, names[i], 1, 1, out, sizeof out), 0);
		ck_assert_uint_eq(count_words(out),
				  strcmp(names[i], "same_name") != 0 && strcmp(names[i], "sibling") != 0);
	}
}
END_TEST

START_TEST(random_draws_differ)
{
	char first[1024], out[1024];
	size_t other = 0;
	shop s;
	make_shop(&s, false);
	ck_assert_int_eq(draw(&s, "random", 7, 0, first, sizeof first), 0);
	for (uint64_t seed = 1; seed < 20; seed++) {
		ck_assert_int_eq(draw(&s, "random", 7, seed, out, sizeof out), 0);
		other += strcmp(first, out) != 0;
	}
	ck_assert_uint_ge(other, 18);
	ck_assert_int_eq(draw(&s, "random", 7, 0, out, sizeof out), 0);
	ck_assert_str_eq(first, out);
}
END_TEST

START_TEST(the_most_similar_come_first)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	/* the, issues, of, search shared with lab; repository, issue, in ... with create_issue; then search_* of jira
	 */
	ck_assert_int_eq(draw(&s, "hard_negative", 4, 5, out, sizeof out), 0);
	ck_assert_msg(strncmp(out, "lab.search_issues ", 18) == 0, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "jira.search_issues"));
	ck_assert_int_eq(draw(&s, "hard_negative", 7, 5, out, sizeof out), 0);
	ck_assert_ptr_nonnull(strstr(out, "sky.tides")); /* shares nothing: at the end */
	ck_assert_ptr_null(strstr(out, "sky.tides jira"));
}
END_TEST

START_TEST(other_domains_by_tags_or_by_server)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	ck_assert_int_eq(draw(&s, "cross_domain", 7, 2, out, sizeof out), 0);
	ck_assert_ptr_null(strstr(out, "git."));
	ck_assert_ptr_null(strstr(out, "lab."));
	ck_assert_ptr_nonnull(strstr(out, "sky.tides"));
	/* Without tags the server decides. */
	s.tools[0].n_tags = 0;
	ck_assert_int_eq(draw(&s, "cross_domain", 7, 2, out, sizeof out), 0);
	ck_assert_ptr_null(strstr(out, "git."));
	ck_assert_ptr_nonnull(strstr(out, "lab.search_issues"));
}
END_TEST

START_TEST(same_names_before_near_ones)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	for (uint64_t seed = 0; seed < 8; seed++) {
		ck_assert_int_eq(draw(&s, "same_name", 7, seed, out, sizeof out), 0);
		bool one = !strcmp(out, "jira.search_issues lab.search_issues jira.search_issue");
		bool two = !strcmp(out, "lab.search_issues jira.search_issues jira.search_issue");
		ck_assert_msg(one || two, "%s", out);
	}
}
END_TEST

START_TEST(siblings_are_of_the_same_server)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	ck_assert_int_eq(draw(&s, "sibling", 7, 3, out, sizeof out), 0);
	ck_assert(!strcmp(out, "git.create_issue git.list_commits") ||
		  !strcmp(out, "git.list_commits git.create_issue"));
}
END_TEST

START_TEST(strata_take_turns)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	ck_assert_int_eq(draw(&s, "stratified", 7, 3, out, sizeof out), 0);
	ck_assert_msg(strncmp(out, "lab.search_issues jira.search_issues git.", 40) == 0, "%s", out);
	char padded[1100];
	snprintf(padded, sizeof padded, " %s ", out);
	for (size_t i = 1; i < N_ROWS; i++) { /* each of them, none twice */
		char word[80];
		snprintf(word, sizeof word, " %s.%s ", rows[i][0], rows[i][1]);
		const char *first = strstr(padded, word);
		ck_assert_msg(first && !strstr(first + 1, word), "%s in %s", word, out);
	}
}
END_TEST

START_TEST(strata_are_options)
{
	char out[1024], alone[1024];
	assay_json *options = NULL;
	shop s;
	make_shop(&s, false);
	ck_assert_int_eq(as_json_parse(ASSAY_STR("{\"strata\":[\"sibling\"]}"), ASSAY_JSON_STRICT, &options, NULL), 0);
	ck_assert_int_eq(draw_with(&s, "stratified", options, 7, 3, out, sizeof out), 0);
	ck_assert_int_eq(draw(&s, "sibling", 7, 3, alone, sizeof alone), 0);
	ck_assert_uint_eq(count_words(out), count_words(alone));
	ck_assert(strstr(out, "git.create_issue") && strstr(out, "git.list_commits"));
	as_json_free(options);
	ck_assert_int_eq(as_json_parse(ASSAY_STR("{\"strata\":[\"same_name\",\"sibling\"]}"), ASSAY_JSON_STRICT,
				       &options, NULL),
			 0);
	ck_assert_int_eq(draw_with(&s, "stratified", options, 2, 3, out, sizeof out), 0);
	ck_assert_msg(strstr(out, "search_issues git."), "%s", out);
	as_json_free(options);
	ck_assert_int_eq(fake_live_blocks(), 0);
}
END_TEST

START_TEST(without_the_others_there_are_no_strata)
{
	uint32_t picked[MAX];
	void *self = NULL;
	size_t got = 3;
	assay_error err = {0};
	as_call call;
	as_rng rng;
	shop s;
	make_shop(&s, false);
	fake_call(&call, AS_FOREVER);
	as_rng_seed(&rng, 1);
	call.rng = &rng; /* and no hooks */
	ck_assert_int_eq(ops("stratified")->open(fake_host(), NULL, &self, &err), 0);
	ck_assert_int_eq(ops("stratified")
				 ->draw(self, &call.pub, (assay_tools){s.required, 1},
					(assay_tools){s.others, s.n_others}, 3, picked, &got, &err),
			 ASSAY_ENOTSUP);
	ops("stratified")->close(self);
	ck_assert_uint_eq(got, 0);
	ck_assert_int_eq(fake_live_blocks(), 0);
}
END_TEST

START_TEST(out_of_memory)
{
	char out[1024];
	shop s;
	make_shop(&s, false);
	for (size_t i = 0; i < N_NAMES; i++) {
		bool worked = false;
		for (long n = 0; n < 400 && !worked; n++) {
			fake_fail_alloc(n);
			int rc = draw(&s, names[i], 3, 1, out, sizeof out);
			fake_fail_alloc(-1);
			ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
			ck_assert(n > 0 || rc == ASSAY_ENOMEM);
			ck_assert_int_eq(fake_live_blocks(), 0);
			worked = rc == 0;
		}
		ck_assert_msg(worked, "%s never works", names[i]);
	}
}
END_TEST

UNIT_SUITE(make_suite, "sampler", order_of_candidates_does_not_matter, a_short_supply_is_no_error, nothing_to_draw_from,
	   random_draws_differ, the_most_similar_come_first, other_domains_by_tags_or_by_server,
	   same_names_before_near_ones, siblings_are_of_the_same_server, strata_take_turns, strata_are_options,
	   without_the_others_there_are_no_strata, out_of_memory)
UNIT_MAIN(make_suite)
