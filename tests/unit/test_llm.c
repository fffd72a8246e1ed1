/* The parts of asking models that need no model: names, schemas, the window, secrets, requests and replies. */
#include "unit.h"

#include "core/base/error.h"
#include "core/llm/hub.h"
#include "core/llm/schema.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static assay_json *parse(const char *text)
{
	assay_json *v = NULL;
	ck_assert_int_eq(as_json_parse(as_str(text), ASSAY_JSON_STRICT, &v, NULL), 0);
	return v;
}

static void is_json(const assay_json *v, const char *expected)
{
	assay_text text = {0};
	ck_assert_int_eq(as_json_dump(v, ASSAY_JSON_CANONICAL, &text, NULL), 0);
	ck_assert_str_eq(text.ptr, expected);
	as_text_free(&text);
}

/* --- Names --- */

static const assay_llm_dialect narrow = {.size = sizeof narrow, .name_marks = "_-", .name_max = 64};
static const assay_llm_dialect letters = {.size = sizeof letters,
					  .name_marks = "_",
					  .name_max = 20,
					  .name_rules = ASSAY_LLM_NAME_LETTER_FIRST};

static bool fits(const assay_llm_dialect *d, const char *alias)
{
	size_t n = strlen(alias);
	bool good = n > 0 && n <= d->name_max;
	for (size_t i = 0; i < n; i++) {
		char c = alias[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		good = good && (letter || (c >= '0' && c <= '9') || strchr(d->name_marks, c));
		good = good && (i > 0 || !(d->name_rules & ASSAY_LLM_NAME_LETTER_FIRST) || letter || c == '_');
	}
	return good;
}

/* Every name goes out in the dialect, no two alike, and comes back as it was. */
static void round_trip(const assay_llm_dialect *d, const char *const *list, size_t n)
{
	assay_json *tools = as_json_array();
	as_names *names = NULL;
	char seen[32][80];
	for (size_t i = 0; i < n; i++) {
		assay_json *t = as_json_object();
		ck_assert_int_eq(as_json_set(t, "name", as_json_cstring(list[i])), 0);
		ck_assert_int_eq(as_json_append(tools, t), 0);
	}
	ck_assert_int_eq(as_names_new(tools, d, &names, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		as_buf alias = {0};
		assay_str back;
		ck_assert_int_eq(as_names_put(names, as_str(list[i]), &alias, NULL), 0);
		ck_assert_msg(fits(d, alias.ptr), "%s became %s", list[i], alias.ptr);
		snprintf(seen[i], sizeof seen[i], "%s", alias.ptr);
		for (size_t k = 0; k < i; k++) {
			ck_assert_str_ne(seen[k], seen[i]);
		}
		back = as_names_get(names, as_buf_str(&alias));
		ck_assert_msg(as_str_is(back, list[i]), "%s came back as %.*s", list[i], ASSAY_FMT(back));
		as_buf_free(&alias);
	}
	as_names_free(names);
	as_json_free(tools);
}

START_TEST(test_names)
{
	static const char *const list[] = {
		"plain",
		"server__tool",
		"a.b",
		"a_b",
		"a b",
		"a/b",
		"1st",
		"-x",
		"_",
		"",
		"\xC3\xA4rger",
		"\xE6\x97\xA5\xE6\x9C\xAC",
		"a_b_91c65f8d",
		"a_very_long_name_of_a_tool_that_goes_on_and_on_and_on_beyond_sixty_four_characters_1",
		"a_very_long_name_of_a_tool_that_goes_on_and_on_and_on_beyond_sixty_four_characters_2",
		"exactly_sixty_four_characters_long_0123456789012345678901234567x"};
	round_trip(&narrow, list, sizeof list / sizeof *list);
	round_trip(&letters, list, sizeof list / sizeof *list);
}
END_TEST

START_TEST(test_names_stay)
{
	/* A name's alias does not hang on what else is on offer, and what nobody knows is let through. */
	assay_json *few = parse("[{\"name\":\"a.b\"}]"),
		   *many = parse("[{\"name\":\"x\"},{\"name\":\"a.b\"},{\"name\":\"c d\"}]");
	as_names *one = NULL, *two = NULL;
	as_buf a = {0}, b = {0};
	ck_assert_int_eq(as_names_new(few, &narrow, &one, NULL), 0);
	ck_assert_int_eq(as_names_new(many, &narrow, &two, NULL), 0);
	ck_assert_int_eq(as_names_put(one, ASSAY_STR("a.b"), &a, NULL), 0);
	ck_assert_int_eq(as_names_put(two, ASSAY_STR("a.b"), &b, NULL), 0);
	ck_assert_str_eq(a.ptr, b.ptr);
	ck_assert(as_str_is(as_names_get(two, ASSAY_STR("invented")), "invented"));
	ck_assert_int_eq(as_names_put(two, ASSAY_STR("not on offer!"), &a, NULL), 0);
	ck_assert(fits(&narrow, a.ptr));
	as_buf_free(&a);
	as_buf_free(&b);
	as_names_free(one);
	as_names_free(two);
	/* An alias that is another tool's name is not used: the digest gets longer. */
	as_names_new(few, &narrow, &one, NULL);
	ck_assert_int_eq(as_names_put(one, ASSAY_STR("a.b"), &a, NULL), 0);
	as_names_free(one);
	as_json_free(many);
	many = parse("[{\"name\":\"a.b\"}]");
	assay_json *twin = as_json_object();
	ck_assert_int_eq(as_json_set(twin, "name", as_json_string(as_buf_str(&a))), 0);
	ck_assert_int_eq(as_json_append(many, twin), 0);
	ck_assert_int_eq(as_names_new(many, &narrow, &two, NULL), 0);
	ck_assert_int_eq(as_names_put(two, ASSAY_STR("a.b"), &b, NULL), 0);
	ck_assert_str_ne(a.ptr, b.ptr);
	ck_assert(as_str_is(as_names_get(two, as_buf_str(&b)), "a.b"));
	ck_assert(as_str_eq(as_names_get(two, as_buf_str(&a)), as_buf_str(&a)));
	as_names_free(two);
	as_buf_free(&a);
	as_buf_free(&b);
	as_json_free(few);
	as_json_free(many);
}
END_TEST

/* --- Schemas --- */

#define GEMINI                                                                                                         \
	(ASSAY_LLM_SCHEMA_OBJECT | ASSAY_LLM_SCHEMA_NO_REF | ASSAY_LLM_SCHEMA_NO_CONST | ASSAY_LLM_SCHEMA_NULLABLE |   \
	 ASSAY_LLM_SCHEMA_OPENAPI | ASSAY_LLM_SCHEMA_ANY_OF_ONLY)

static void cleans(uint32_t rules, const char *schema, const char *expected)
{
	assay_json *given = parse(schema), *kept = as_json_clone(given);
	assay_json *made = as_llm_schema(given, rules);
	ck_assert_ptr_nonnull(made);
	is_json(made, expected);
	ck_assert(as_json_equal(given, kept)); /* the original is as it was */
	as_json_free(given);
	as_json_free(kept);
	as_json_free(made);
}

START_TEST(test_schemas)
{
	cleans(0, "{\"x-own\":1,\"$ref\":\"#/a\"}", "{\"$ref\":\"#/a\",\"x-own\":1}");
	cleans(ASSAY_LLM_SCHEMA_OBJECT, "{}", "{\"properties\":{},\"type\":\"object\"}");
	cleans(ASSAY_LLM_SCHEMA_OBJECT,
	       "{\"anyOf\":[{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"a\",\"b\"]},"
	       "{\"properties\":{\"a\":{},\"c\":{}},\"required\":[\"a\"]}]}",
	       "{\"properties\":{\"a\":{},\"b\":{},\"c\":{}},\"required\":[\"a\"],\"type\":\"object\"}");
	cleans(ASSAY_LLM_SCHEMA_NO_REF,
	       "{\"$defs\":{\"P\":{\"type\":\"integer\",\"minimum\":1}},\"properties\":{\"p\":{\"$ref\":\"#/$defs/P\","
	       "\"description\":\"page\"}}}",
	       "{\"properties\":{\"p\":{\"description\":\"page\",\"minimum\":1,\"type\":\"integer\"}}}");
	cleans(GEMINI,
	       "{\"type\":\"object\",\"additionalProperties\":false,\"$schema\":\"x\",\"properties\":{"
	       "\"c\":{\"const\":\"on\"},\"n\":{\"enum\":[1,2],\"type\":\"integer\"},"
	       "\"o\":{\"anyOf\":[{\"type\":\"string\",\"format\":\"uri\"},{\"type\":\"null\"}]},"
	       "\"t\":{\"type\":[\"string\",\"null\"]},\"u\":{\"type\":[\"string\",\"number\"]},"
	       "\"d\":{\"type\":\"string\",\"format\":\"date-time\"},\"l\":{\"type\":\"array\"},"
	       "\"e\":{\"type\":\"object\",\"properties\":{}},\"any\":true}}",
	       "{\"properties\":{\"any\":{},\"c\":{\"enum\":[\"on\"],\"type\":\"string\"},"
	       "\"d\":{\"format\":\"date-time\",\"type\":\"string\"},\"e\":{\"type\":\"object\"},"
	       "\"l\":{\"items\":{\"type\":\"string\"},\"type\":\"array\"},"
	       "\"n\":{\"description\":\"One of: 1, 2.\",\"type\":\"integer\"},"
	       "\"o\":{\"nullable\":true,\"type\":\"string\"},\"t\":{\"nullable\":true,\"type\":\"string\"},"
	       "\"u\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}},\"type\":\"object\"}");
	cleans(GEMINI, "{\"allOf\":[{\"properties\":{\"a\":{}},\"required\":[\"a\"]},{\"properties\":{\"b\":{}}}]}",
	       "{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"a\"],\"type\":\"object\"}");
}
END_TEST

START_TEST(test_hostile_schemas)
{
	/* A reference to itself, and one that doubles thirty times, end. */
	assay_json *given = parse("{\"properties\":{\"next\":{\"$ref\":\"#\"}}}");
	assay_json *made = as_llm_schema(given, GEMINI);
	ck_assert_ptr_nonnull(made);
	as_json_free(given);
	as_json_free(made);
	as_buf text = {0};
	as_buf_puts(&text, "{\"$defs\":{");
	for (int i = 0; i < 30; i++) {
		as_buf_printf(
			&text,
			"\"d%d\":{\"properties\":{\"a\":{\"$ref\":\"#/$defs/d%d\"},\"b\":{\"$ref\":\"#/$defs/d%d\"}}},",
			i, i + 1, i + 1);
	}
	as_buf_puts(&text, "\"d30\":{}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/d0\"}}}");
	given = parse(text.ptr);
	made = as_llm_schema(given, GEMINI);
	ck_assert_ptr_nonnull(made);
	as_json_free(given);
	as_json_free(made);
	as_buf_free(&text);
	given = parse("[1]");
	made = as_llm_schema(given, GEMINI);
	is_json(made, "{\"properties\":{},\"type\":\"object\"}");
	as_json_free(given);
	as_json_free(made);
}
END_TEST

/* --- The window --- */

START_TEST(test_window)
{
	as_window *w = NULL;
	uint64_t tickets[64], late;
	ck_assert_int_eq(as_window_new(0, &w, NULL), 0);
	ck_assert_uint_eq(as_window_size(w), AS_WINDOW_START);
	for (unsigned i = 0; i < AS_WINDOW_START; i++) {
		ck_assert_int_eq(as_window_take(w, AS_FOREVER, NULL, &tickets[i], NULL), 0);
	}
	ck_assert_int_eq(as_window_take(w, as_deadline(20), NULL, &late, NULL), ASSAY_ETIMEOUT);
	as_window_give(w, tickets[0], AS_WENT_WELL, 0); /* it was full: it grows */
	ck_assert_uint_eq(as_window_size(w), AS_WINDOW_START + 1);
	as_window_give(w, tickets[1], AS_WENT_TOO_MANY, 0);
	ck_assert_uint_eq(as_window_size(w), 10);
	as_window_give(w, tickets[2], AS_WENT_TOO_MANY, 0); /* of the same round: it is halved once */
	ck_assert_uint_eq(as_window_size(w), 10);
	for (unsigned i = 3; i < AS_WINDOW_START; i++) {
		as_window_give(w, tickets[i], AS_WENT_WRONG, 0);
	}
	/* Told to wait, everybody waits. */
	ck_assert_int_eq(as_window_take(w, AS_FOREVER, NULL, &late, NULL), 0);
	int64_t begun = as_now_ms();
	as_window_give(w, late, AS_WENT_TOO_MANY, 150);
	ck_assert_uint_eq(as_window_size(w), 5);
	ck_assert_int_eq(as_window_take(w, AS_FOREVER, NULL, &late, NULL), 0);
	ck_assert_int_ge(as_now_ms() - begun, 149);
	as_window_give(w, late, AS_WENT_WELL, 0);
	for (int i = 0; i < 10; i++) { /* down to one, never to none */
		ck_assert_int_eq(as_window_take(w, AS_FOREVER, NULL, &late, NULL), 0);
		as_window_give(w, late, AS_WENT_TOO_MANY, 0);
	}
	ck_assert_uint_eq(as_window_size(w), 1);
	as_window_free(w);
	ck_assert_int_eq(as_window_new(3, &w, NULL), 0);
	for (int i = 0; i < 50; i++) {
		for (unsigned k = 0; k < 3; k++) {
			ck_assert_int_eq(as_window_take(w, AS_FOREVER, NULL, &tickets[k], NULL), 0);
		}
		for (unsigned k = 0; k < 3; k++) {
			as_window_give(w, tickets[k], AS_WENT_WELL, 0);
		}
	}
	ck_assert_uint_eq(as_window_size(w), 3);
	as_window_free(w);
}
END_TEST

typedef struct crowd {
	as_window *window;
	pthread_mutex_t lock;
	unsigned inside, most, done;
} crowd;

static void *one_of_many(void *payload)
{
	crowd *c = payload;
	for (int i = 0; i < 50; i++) {
		uint64_t ticket;
		if (as_window_take(c->window, AS_FOREVER, NULL, &ticket, NULL) != 0) {
			return NULL;
		}
		pthread_mutex_lock(&c->lock);
		c->inside++;
		c->most = c->inside > c->most ? c->inside : c->most;
		pthread_mutex_unlock(&c->lock);
		pthread_mutex_lock(&c->lock);
		c->inside--;
		c->done++;
		pthread_mutex_unlock(&c->lock);
		as_window_give(c->window, ticket, i % 7 == 0 ? AS_WENT_TOO_MANY : AS_WENT_WELL, 0);
	}
	return NULL;
}

START_TEST(test_crowd)
{
	crowd c = {.lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_t threads[40];
	ck_assert_int_eq(as_window_new(8, &c.window, NULL), 0);
	for (int i = 0; i < 40; i++) {
		ck_assert_int_eq(pthread_create(&threads[i], NULL, one_of_many, &c), 0);
	}
	for (int i = 0; i < 40; i++) {
		pthread_join(threads[i], NULL);
	}
	ck_assert_uint_eq(c.done, 40 * 50); /* nobody was forgotten */
	ck_assert_uint_le(c.most, 8);
	as_window_free(c.window);
}
END_TEST

/* --- Requests and replies --- */

START_TEST(test_messages)
{
	static const assay_llm_dialect strict = {.size = sizeof strict,
						 .schema = GEMINI | ASSAY_LLM_SCHEMA_NO_EMPTY,
						 .name_marks = "_",
						 .name_max = 30};
	assay_json *request = parse(
		"{\"tools\":[{\"name\":\"a.b\",\"parameters\":{\"type\":\"object\"}},{\"name\":\"c\",\"parameters\":"
		"{\"properties\":{\"x\":{\"const\":1}}}}],\"tool_choice\":{\"name\":\"a.b\"},\"messages\":[{\"role\":"
		"\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"name\":\"a.b\",\"arguments\":\"{}\"}]}]}");
	assay_json *sent = NULL, *reply;
	as_llm_offer *offer = NULL;
	ck_assert_int_eq(as_llm_offer_new(NULL, &strict, as_json_get(request, "tools"), &offer, NULL), 0);
	ck_assert_int_eq(as_llm_request_out(offer, &strict, request, &sent, NULL), 0);
	const char *alias = as_json_cstr(as_json_pointer(sent, "/tools/0/name"), "");
	ck_assert(fits(&strict, alias));
	ck_assert_str_eq(as_json_cstr(as_json_pointer(sent, "/tool_choice/name"), ""), alias);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(sent, "/messages/0/tool_calls/0/name"), ""), alias);
	ck_assert_ptr_null(as_json_pointer(sent, "/tools/0/parameters"));
	is_json(as_json_pointer(sent, "/tools/1/parameters"),
		"{\"properties\":{\"x\":{\"description\":\"One of: 1.\"}},\"type\":\"object\"}");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(request, "/tools/0/name"), ""), "a.b");
	reply = parse(
		"{\"message\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"c\"},{\"id\":\"x\","
		"\"name\":\"nobody\"},{\"name\":\"c\"}]}}");
	ck_assert_int_eq(as_json_set(as_json_edit(as_json_pointer(reply, "/message/tool_calls/2")), "name",
				     as_json_cstring(alias)),
			 0);
	ck_assert_int_eq(as_llm_reply_in(offer->names, 4, reply, NULL), 0);
	is_json(as_json_pointer(reply, "/message/tool_calls"),
		"[{\"id\":\"x\",\"name\":\"c\"},{\"id\":\"call_4_2\",\"name\":\"nobody\"},{\"id\":\"call_4_3\",\"name\":\"a.b\"}]");
	as_json_free(reply);
	reply = parse("{\"message\":[]}");
	ck_assert_int_eq(as_llm_reply_in(offer->names, 0, reply, NULL), ASSAY_EPLUGIN);
	as_json_free(reply);
	as_json_free(sent);
	as_json_free(request);
	as_llm_offer_free(offer);
}
END_TEST

/* Who offers the same frozen tools gets the same of them; what is not frozen is nobody else's. */
START_TEST(test_offers)
{
	static const assay_llm_dialect dialect = {.size = sizeof dialect,
						  .schema = ASSAY_LLM_SCHEMA_OBJECT,
						  .name_marks = "_",
						  .name_max = 30};
	static const as_llm_settings settings = {.name = "m", .use = "llm/x"};
	static const char text[] =
		"[{\"name\":\"a.b\",\"parameters\":{\"anyOf\":[{\"properties\":{\"x\":{}}}]}},{\"name\":\"c\"}]";
	as_llm_hub_options options = {.models = &settings, .n_models = 1};
	as_llm_hub *hub;
	as_llm_offer *a, *b, *c;
	assay_json *tools = as_json_freeze(parse(text)), *same = as_json_clone(tools), *loose = parse(text);
	ck_assert_int_eq(as_llm_hub_new(&options, &hub, NULL), 0);
	ck_assert_int_eq(as_llm_offer_take(hub, 0, &dialect, tools, &a, NULL), 0);
	ck_assert_int_eq(as_llm_offer_take(hub, 0, &dialect, same, &b, NULL), 0);
	ck_assert_ptr_eq(a, b);
	ck_assert_int_eq(as_llm_offer_take(hub, 0, &dialect, loose, &c, NULL), 0);
	ck_assert_ptr_ne(a, c);
	ck_assert(as_json_equal(a->tools, c->tools));
	is_json(as_json_pointer(a->tools, "/0/parameters"),
		"{\"properties\":{\"x\":{}},\"required\":[],\"type\":\"object\"}");
	as_llm_offer_give(hub, 0, a);
	as_llm_offer_give(hub, 0, b);
	as_llm_offer_give(hub, 0, c);
	for (int i = 0; i < 200; i++) { /* more than are kept */
		assay_json *other = as_json_freeze(parse(text));
		ck_assert_int_eq(as_llm_offer_take(hub, 0, &dialect, other, &a, NULL), 0);
		ck_assert_uint_eq(as_json_count(a->tools), 2);
		as_llm_offer_give(hub, 0, a);
		as_json_free(other);
	}
	as_llm_hub_free(hub);
	as_json_free(tools);
	as_json_free(same);
	as_json_free(loose);
}
END_TEST

START_TEST(test_costs)
{
	assay_json *reply = parse("{\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":500,\"cached_tokens\":400,"
				  "\"reasoning_tokens\":100}}");
	assay_json *price = parse("{\"in\":1,\"out\":10,\"cached\":0.1}");
	as_llm_usage u = as_llm_usage_of(reply, price);
	ck_assert_double_eq_tol(u.usd, (600 * 1 + 400 * 0.1 + 500 * 10) / 1e6, 1e-12);
	ck_assert_double_eq(as_llm_usage_of(reply, NULL).usd, 0);
	as_json_free(reply);
	reply = parse("{\"usage\":{\"prompt_tokens\":-5,\"completion_tokens\":-1,\"cached_tokens\":9}}");
	u = as_llm_usage_of(reply, price);
	ck_assert_double_eq(u.usd, 0);
	as_json_free(reply);
	reply = parse("{\"usage\":{\"prompt_tokens\":9000000000000000000,\"completion_tokens\":1e30}}");
	u = as_llm_usage_of(reply, price);
	ck_assert_int_eq(u.prompt + u.completion, 0);
	as_json_free(reply);
	as_json_free(price);
}
END_TEST

UNIT_SUITE(make_suite, "llm", test_names, test_names_stay, test_schemas, test_hostile_schemas, test_window, test_crowd,
	   test_messages, test_offers, test_costs)
UNIT_MAIN(make_suite)
