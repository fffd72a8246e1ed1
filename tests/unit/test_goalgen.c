/* goalgen/template on a toy library and a toy weather service: where the values of goals come from, what is called to
 * find them, and what happens when nothing that the servers say makes sense. */
#include "tests/unit/goalgen_toy.h"

/* --- Where values come from -------------------------------------------------------------------------------------- */

/* A quoted text is a value that was seen, or, as the text of something new, quotes one. */
static bool known(const struct toy *t, assay_str quoted)
{
	static const char *const names[] = {"The Salt Road", "Winter Maps", "Rivers of Glass", "Imani Okafor",
					    "Jonas Lind",    "Ana Sousa",   "Piet Boer",       "Porto",
					    "Utrecht",       "Shelf-B7",    "Shelf-C2",        NULL};
	if (as_str_contains(as_buf_str(&t->seen), quoted)) {
		return true;
	}
	for (const char *const *name = names; *name; name++) {
		if (as_str_contains(quoted, as_str(*name))) {
			return true;
		}
	}
	return false;
}

static bool has_digit(assay_str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] >= '0' && word.ptr[i] <= '9') {
			return true;
		}
	}
	return false;
}

static void check_values(const struct toy *t, assay_str goal)
{
	for (size_t i = 0; i < goal.len; i++) {
		size_t from = i;
		if (goal.ptr[i] == '"') {
			for (i++; i < goal.len && goal.ptr[i] != '"'; i++) {
			}
			ck_assert_msg(i < goal.len, "open quote: %.*s", ASSAY_FMT(goal));
			assay_str quoted = {goal.ptr + from + 1, i - from - 1};
			ck_assert_msg(known(t, quoted), "invented \"%.*s\": %.*s", ASSAY_FMT(quoted), ASSAY_FMT(goal));
			continue;
		}
		while (i < goal.len && !strchr(" ,;\"", goal.ptr[i])) {
			i++;
		}
		assay_str word = {goal.ptr + from, i - from};
		word.len -= word.len > 0 && word.ptr[word.len - 1] == '.';
		ck_assert_msg(!has_digit(word) || as_str_contains(as_buf_str(&t->seen), word), "invented %.*s: %.*s",
			      ASSAY_FMT(word), ASSAY_FMT(goal));
		i -= i < goal.len && goal.ptr[i] == '"';
	}
}

static void check_names(assay_str goal)
{
	for (size_t i = 0; i < N_TOYS; i++) {
		ck_assert_msg(!as_str_contains(goal, as_str(toys[i].name)), "names %s: %.*s", toys[i].name,
			      ASSAY_FMT(goal));
	}
	ck_assert(!as_str_contains(goal, ASSAY_STR("__")));
}

START_TEST(values_come_from_somewhere)
{
	size_t goals = 0;
	for (size_t n = 0; n < 120; n++) {
		struct toy t;
		int seeds[4];
		toy_open(&t);
		seed_set(n, seeds);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		if (goal) {
			check_values(&t, text_of(goal));
			check_names(text_of(goal));
			goals++;
		}
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(goals, 105);
}
END_TEST

/* --- What is called ---------------------------------------------------------------------------------------------- */

START_TEST(looking_around_changes_nothing)
{
	for (size_t n = 0; n < 120; n++) {
		struct toy t;
		int seeds[4];
		toy_open(&t);
		seed_set(n, seeds);
		as_json_free(must_generate(&t, seeds, n, NULL));
		ck_assert_uint_le(t.n_calls, 12);
		for (size_t i = 0; i < N_TOYS; i++) {
			bool called = as_str_contains(as_buf_str(&t.calls), as_str(toys[i].name));
			ck_assert_msg(!called || toys[i].flags == 0, "called %s", toys[i].name);
			ck_assert(!called || i != FROBNICATE); /* nobody knows what it does */
		}
		toy_close(&t);
	}
}
END_TEST

static const assay_json *steps_of(const assay_json *goal)
{
	return as_json_get(as_json_get(goal, "notes"), "steps");
}

static uint32_t flags_of(assay_str name)
{
	for (size_t i = 0; i < N_TOYS; i++) {
		if (as_str_is(name, toys[i].name)) {
			return toys[i].flags;
		}
	}
	return 0;
}

/* Flags of all tools that a goal asks for, or-ed. */
static uint32_t asked_for(const assay_json *goal)
{
	uint32_t flags = 0;
	for (const assay_json *s = as_json_first(steps_of(goal)); s; s = as_json_next(s)) {
		flags |= flags_of(as_json_str(as_json_get(s, "tool")));
	}
	return flags;
}

START_TEST(steps_are_few_and_writing_comes_last)
{
	uint32_t seen = 0;
	size_t several = 0;
	for (size_t n = 0; n < 120; n++) {
		struct toy t;
		int seeds[4];
		toy_open(&t);
		seed_set(n, seeds);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		size_t count = as_json_count(steps_of(goal));
		ck_assert_uint_le(count, 5);
		several += count > 1;
		for (size_t i = 0; i + 1 < count; i++) {
			assay_str tool = as_json_str(as_json_get(as_json_at(steps_of(goal), i), "tool"));
			ck_assert_uint_eq(flags_of(tool), 0);
		}
		ck_assert(!as_str_contains(text_of(goal), ASSAY_STR("every book")));
		seen |= asked_for(goal);
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_eq(seen & DESTROYS, DESTROYS); /* sandboxed: may be asked for */
	ck_assert_uint_ge(several, 50);
}
END_TEST

START_TEST(nothing_destructive_where_care_is_asked_for)
{
	const struct frame careful = {"destructive_adjacent", "", ""};
	const int seeds[] = {6, 4, 2, -1};
	for (uint64_t n = 0; n < 40; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, &careful);
		ck_assert_ptr_nonnull(goal);
		ck_assert_uint_eq(asked_for(goal) & ASSAY_TOOL_DESTRUCTIVE, 0);
		as_json_free(goal);
		toy_close(&t);
	}
}
END_TEST

START_TEST(no_writes_where_the_state_is_no_copy)
{
	const int seeds[] = {4, 5, 6, -1};
	for (uint64_t n = 0; n < 40; n++) {
		struct toy t;
		toy_open(&t);
		as_json_free(t.servers);
		t.servers = parsed("{\"library\":{\"class\":\"live_read\"},\"weather\":{\"class\":\"live_read\"}}");
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		ck_assert_uint_eq(asked_for(goal), 0);
		as_json_free(goal);
		toy_close(&t);
	}
}
END_TEST

START_TEST(what_empties_everything_is_never_asked_for)
{
	const int seeds[] = {7, -1};
	for (uint64_t n = 0; n < 30; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		ck_assert_uint_eq(asked_for(goal), 0); /* a task that only reads stands beside it */
		ck_assert_ptr_nonnull(goal);
		as_json_free(goal);
		toy_close(&t);
	}
}
END_TEST

/* A path below a copy is another one next time. */
START_TEST(paths_of_copies_are_only_referred_to)
{
	const int seeds[] = {LIST_FOLDER, -1};
	size_t chained = 0;
	for (uint64_t n = 0; n < 30; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		ck_assert_msg(!as_str_contains(text_of(goal), ASSAY_STR("/tmp")), "%.*s", ASSAY_FMT(text_of(goal)));
		chained += as_json_count(steps_of(goal)) > 1 && as_str_contains(text_of(goal), ASSAY_STR("root"));
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(chained, 20);
}
END_TEST

START_TEST(paths_of_resources_are_given)
{
	const int seeds[] = {LIST_FOLDER, -1};
	size_t given = 0;
	for (uint64_t n = 0; n < 30; n++) {
		struct toy t;
		toy_open(&t);
		as_json_free(t.servers);
		t.servers = parsed("{\"files\":{\"class\":\"live_read\",\"resources\":[{\"kind\":\"folder\","
				   "\"value\":\"/srv/share\"}]}}");
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		given += as_str_contains(text_of(goal), ASSAY_STR("\"/srv/share\""));
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(given, 3);
}
END_TEST

START_TEST(examples_of_descriptions_are_values)
{
	const int seeds[] = {GET_TIME, -1};
	struct toy t;
	toy_open(&t);
	assay_json *goal = must_generate(&t, seeds, 1, NULL);
	ck_assert_msg(as_str_contains(text_of(goal), ASSAY_STR("\"Europe/Lisbon\"")), "%.*s", ASSAY_FMT(text_of(goal)));
	as_json_free(goal);
	toy_close(&t);
}
END_TEST

/* --- Same and different ------------------------------------------------------------------------------------------ */

START_TEST(the_same_seed_gives_the_same_goal)
{
	for (size_t n = 0; n < 30; n++) {
		assay_text texts[2] = {{0}, {0}};
		for (int k = 0; k < 2; k++) {
			struct toy t;
			int seeds[4];
			toy_open(&t);
			seed_set(n, seeds);
			assay_json *goal = must_generate(&t, seeds, n, NULL);
			ck_assert_int_eq(as_json_dump(goal, ASSAY_JSON_COMPACT, &texts[k], NULL), 0);
			as_json_free(goal);
			toy_close(&t);
		}
		ck_assert_str_eq(texts[0].ptr, texts[1].ptr);
		as_text_free(&texts[0]);
		as_text_free(&texts[1]);
	}
}
END_TEST

START_TEST(other_seeds_give_other_goals)
{
	const int seeds[] = {1, 0, 2, -1};
	assay_json *texts = as_json_object(), *personas = as_json_object();
	for (uint64_t n = 0; n < 60; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		as_json_set_n(texts, text_of(goal), as_json_null());
		as_json_set_n(personas, as_json_str(as_json_get(goal, "persona")), as_json_null());
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(as_json_count(texts), 50);
	ck_assert_uint_eq(as_json_count(personas), 10);
	as_json_free(texts);
	as_json_free(personas);
}
END_TEST

/* --- Form -------------------------------------------------------------------------------------------------------- */

START_TEST(a_framing_leads_in)
{
	const struct frame framed = {"decoy", "  Several tools look alike here ", ""};
	const int seeds[] = {0, 1, -1};
	struct toy t;
	toy_open(&t);
	assay_json *goal = must_generate(&t, seeds, 3, &framed);
	ck_assert(as_str_starts(text_of(goal), ASSAY_STR("Several tools look alike here. ")));
	as_json_free(goal);
	toy_close(&t);
}
END_TEST

static size_t longest(const char *complexity)
{
	const struct frame frame = {"random", "", complexity};
	const int seeds[] = {2, 0, 1, 3, 8, -1};
	size_t most = 0;
	for (uint64_t n = 0; n < 40; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, &frame);
		size_t count = as_json_count(steps_of(goal));
		most = count > most ? count : most;
		as_json_free(goal);
		toy_close(&t);
	}
	return most;
}

START_TEST(complexity_bounds_the_steps)
{
	ck_assert_uint_le(longest("simple"), 2);
	ck_assert_uint_le(longest("medium"), 3);
	ck_assert_uint_ge(longest("hard"), 4);
}
END_TEST

START_TEST(a_goal_says_what_it_needs)
{
	const int seeds[] = {2, 8, -1};
	size_t crossing = 0;
	for (uint64_t n = 0; n < 40; n++) {
		struct toy t;
		toy_open(&t);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		const assay_json *servers = as_json_get(goal, "servers"), *tags = as_json_get(goal, "tags");
		ck_assert_uint_ge(as_json_count(servers), 1);
		ck_assert_int_eq(as_json_type(tags), ASSAY_JSON_ARRAY);
		ck_assert(text_of(goal).ptr[text_of(goal).len - 1] == '.');
		crossing += as_json_count(servers) == 2;
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(crossing, 10); /* the city of a member has a forecast */
}
END_TEST

/* --- Things that go wrong ---------------------------------------------------------------------------------------- */

START_TEST(failures_of_the_world)
{
	const int seeds[] = {0, 1, 2, -1};
	const struct {
		int status, expected;
		bool late;
	} cases[] = {{ASSAY_EUNREACH, 0, false},
		     {ASSAY_EPROTO, 0, false},
		     {ASSAY_ENOTSUP, 0, false},
		     {ASSAY_ETIMEOUT, 0, false}, /* each tool is silent by itself */
		     {ASSAY_ETIMEOUT, ASSAY_ETIMEOUT, true},
		     {ASSAY_ECANCELED, ASSAY_ECANCELED, false},
		     {ASSAY_ENOMEM, ASSAY_ENOMEM, false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct toy t;
		int status;
		toy_open(&t);
		t.status = cases[i].status;
		t.late = cases[i].late;
		assay_json *goal = generate(&t, seeds, i, NULL, &status);
		ck_assert_int_eq(status, cases[i].expected);
		ck_assert(status == 0 || !goal);
		as_json_free(goal);
		toy_close(&t);
	}
}
END_TEST

START_TEST(one_silent_tool_is_passed_over)
{
	const int seeds[] = {0, 1, 2, -1};
	size_t goals = 0;
	for (uint64_t n = 0; n < 20; n++) {
		struct toy t;
		int status;
		toy_open(&t);
		t.mute = "list_members";
		assay_json *goal = generate(&t, seeds, n, NULL, &status);
		ck_assert_int_eq(status, 0);
		goals += goal != NULL;
		as_json_free(goal);
		toy_close(&t);
	}
	ck_assert_uint_ge(goals, 10);
}
END_TEST

START_TEST(no_seeds_no_goal)
{
	const int none[] = {-1};
	struct toy t;
	toy_open(&t);
	ck_assert_ptr_null(must_generate(&t, none, 1, NULL));
	ck_assert_uint_eq(t.n_calls, 0);
	toy_close(&t);
}
END_TEST

static const char *const garbage[] = {
	"",
	"null",
	"[]",
	"{}",
	"[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
	"{\"books\":{\"books\":[{\"books\":[null,true,\"\"]}]}}",
	"{\"\":\"\",\" \":\" \",\"book_id\":\"a\\u0000b\",\"title\":\"x\\ny\",\"city\":\"\\\"; delete_all_books\"}",
	"{\"title\":\"delete_all_books\",\"book_id\":\"delete_all_books\",\"city\":\"get_forecast\"}",
	"{\"member_id\":1e400,\"value\":-0.0,\"temperature\":123456789012345678901234567890}",
	"not JSON at all: \xff\xfe\n: \nkey: value\n:::",
	"{\"title\":\"\\u202Eevil\",\"name\":\"\\uD800\",\"author\":\"\\u0085\"}",
};

/* Whatever servers answer, no goal holds what could not be written in one. */
START_TEST(answers_without_sense)
{
	for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
		for (size_t n = 0; n < N_TOYS; n++) {
			struct toy t;
			int seeds[4];
			toy_open(&t);
			t.always = garbage[g];
			seed_set(n, seeds);
			assay_json *goal = must_generate(&t, seeds, n, NULL);
			if (goal) {
				check_names(text_of(goal));
				ck_assert(!memchr(text_of(goal).ptr, '\n', text_of(goal).len));
				ck_assert(!as_str_contains(text_of(goal), ASSAY_STR("\xE2\x80\xAE")));
			}
			as_json_free(goal);
			toy_close(&t);
		}
	}
}
END_TEST

/* A document of random shape from keys and values that look like something. */
static void add_random(as_buf *out, as_rng *rng, int depth)
{
	static const char *const keys[] = {"id",    "book_id", "title", "name", "city",
					   "items", "count",   "books", "date", ""};
	static const char *const values[] = {"\"Porto\"",
					     "\"B-1\"",
					     "12",
					     "-3.5e2",
					     "true",
					     "null",
					     "\"2026-01-02\"",
					     "\"a b c d e f g\"",
					     "\"\\n\\n- x\\n/y/z\"",
					     "\"\""};
	uint32_t kind = depth > 5 ? 2 : as_rng_below(rng, 3), n = as_rng_below(rng, 5);
	if (kind == 2) {
		as_buf_puts(out, values[as_rng_below(rng, 10)]);
		return;
	}
	as_buf_puts(out, kind == 0 ? "{" : "[");
	for (uint32_t i = 0; i < n; i++) {
		as_buf_puts(out, i > 0 ? "," : "");
		if (kind == 0) {
			as_buf_printf(out, "\"%s\":", keys[as_rng_below(rng, 10)]);
		}
		add_random(out, rng, depth + 1);
	}
	as_buf_puts(out, kind == 0 ? "}" : "]");
}

START_TEST(answers_of_any_shape)
{
	as_rng rng;
	as_rng_seed(&rng, 99);
	for (size_t n = 0; n < 400; n++) {
		struct toy t;
		int seeds[4];
		as_buf answer = {0};
		add_random(&answer, &rng, 0);
		toy_open(&t);
		t.always = answer.ptr;
		seed_set(n, seeds);
		assay_json *goal = must_generate(&t, seeds, n, NULL);
		check_names(text_of(goal));
		as_json_free(goal);
		toy_close(&t);
		as_buf_free(&answer);
	}
}
END_TEST

static const char *const bad_schemas[] = {
	"null",
	"[]",
	"{\"properties\":[1,2]}",
	"{\"properties\":{\"\":{}},\"required\":[\"\",1,null,\"missing\"]}",
	"{\"properties\":{\"a\":true,\"b\":null,\"c\":{\"type\":\"array\"},\"d\":{\"type\":[]}},\"required\":[\"a\"]}",
	"{\"properties\":{\"x\":{\"enum\":[]},\"y\":{\"enum\":[null,{},[]]}},\"required\":[\"x\",\"y\"]}",
	"{\"properties\":{\"q\":{\"type\":\"string\",\"pattern\":\"((((\",\"examples\":[{}],\"maxLength\":-1}},\"required\":[\"q\"]}",
	"{\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"i\":{\"type\":\"string\"}}}},\"required\":[\"o\"]}",
	"{\"properties\":{\"u\":{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{}]}]}]}]}]}},\"required\":[\"u\"]}",
	"{\"properties\":{\"\\u00e9\\u00e9\":{\"type\":\"string\"}},\"required\":[\"\\u00e9\\u00e9\"]}",
};
static const char *const bad_texts[] = {"",
					" ",
					"Get",
					"get \xff",
					"Get\nGet",
					"....",
					"Get the the the the the the the the the",
					"Get and",
					"Encode or decode",
					"e.g. such as (e.g.",
					"\"Get\" of of of",
					"Delete, drop. Search"};

START_TEST(tools_without_sense)
{
	for (size_t k = 0; k < sizeof bad_schemas / sizeof *bad_schemas; k++) {
		for (size_t n = 0; n < N_TOYS; n++) {
			struct toy t;
			int seeds[4];
			toy_open(&t);
			seed_set(n, seeds);
			for (size_t i = 0; i < N_TOYS; i++) {
				as_json_free(t.schemas[i]);
				t.schemas[i] =
					parsed(bad_schemas[(k + i) % (sizeof bad_schemas / sizeof *bad_schemas)]);
				t.tools[i].input_schema = t.tools[i].output_schema = t.tools[i].annotations =
					t.schemas[i];
				t.tools[i].description =
					as_str(bad_texts[(k + i) % (sizeof bad_texts / sizeof *bad_texts)]);
			}
			assay_json *goal = must_generate(&t, seeds, n, NULL);
			check_names(text_of(goal));
			as_json_free(goal);
			toy_close(&t);
		}
	}
}
END_TEST

START_TEST(names_without_sense)
{
	static const char *const names[] = {"_",        "--",     "a",    "GET", "get_",
					    "\xc3\xa9", "delete", "x__y", "123", "ALLCAPSNAME"};
	for (size_t n = 0; n < 3 * N_TOYS; n++) {
		struct toy t;
		int seeds[4];
		toy_open(&t);
		seed_set(n, seeds);
		for (size_t i = 0; i < N_TOYS; i++) {
			t.tools[i].name = as_str(names[i % 10]);
			t.tools[i].description = (assay_str){NULL, 0};
			t.tools[i].input_schema = NULL;
		}
		t.always = books;
		as_json_free(must_generate(&t, seeds, n, NULL));
		toy_close(&t);
	}
}
END_TEST

/* Memory that runs out at any point is an error or a goal, and nothing is left behind. */
START_TEST(out_of_memory)
{
	for (long n = 0; n < 12; n++) {
		struct toy t;
		as_call call;
		as_rng rng;
		fake_sink sink;
		assay_goal_request request = {.size = sizeof request};
		assay_error err = {0};
		void *self = NULL;
		toy_open(&t);
		request.seeds = request.surface = (assay_tools){t.list, N_TOYS};
		request.servers = t.servers;
		fake_call(&call, AS_FOREVER);
		as_rng_seed(&rng, 5);
		call.hooks = &hooks;
		call.context = &t;
		call.rng = &rng;
		fake_sink_init(&sink);
		ck_assert_int_eq(ops()->open(fake_host(), NULL, &self, &err), 0);
		fake_fail_alloc(n < 11 ? n : -1);
		int rc = ops()->generate(self, &call.pub, &request, &sink.sink, &err);
		fake_fail_alloc(-1);
		ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
		ck_assert(n > 0 || rc == ASSAY_ENOMEM);
		ck_assert(n < 11 || (rc == 0 && as_json_count(sink.values) == 1));
		ops()->close(self);
		fake_sink_free(&sink);
		ck_assert_int_eq(fake_live_blocks(), 0);
		toy_close(&t);
	}
}
END_TEST

UNIT_SUITE(make_suite, "goalgen", values_come_from_somewhere, looking_around_changes_nothing,
	   steps_are_few_and_writing_comes_last, nothing_destructive_where_care_is_asked_for,
	   no_writes_where_the_state_is_no_copy, what_empties_everything_is_never_asked_for,
	   paths_of_copies_are_only_referred_to, paths_of_resources_are_given, examples_of_descriptions_are_values,
	   the_same_seed_gives_the_same_goal, other_seeds_give_other_goals, a_framing_leads_in,
	   complexity_bounds_the_steps, a_goal_says_what_it_needs, failures_of_the_world,
	   one_silent_tool_is_passed_over, no_seeds_no_goal, answers_without_sense, answers_of_any_shape,
	   tools_without_sense, names_without_sense, out_of_memory)
UNIT_MAIN(make_suite)
