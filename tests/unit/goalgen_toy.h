/* The toy world that the tests of goalgen/template generate in. One test program includes it. */
#ifndef TESTS_GOALGEN_TOY_H
#define TESTS_GOALGEN_TOY_H

#include "core/base/error.h"
#include "core/plugin/registry.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/unit.h"
#include <assay/roles/goalgen.h>
#include <stdio.h>
#include <string.h>

#define WRITES ASSAY_TOOL_WRITES
#define DESTROYS (ASSAY_TOOL_WRITES | ASSAY_TOOL_DESTRUCTIVE)
#define MAX_TOOLS 16

/* --- The toy world ----------------------------------------------------------------------------------------------- */

struct toy_tool {
	const char *server, *name, *description, *input;
	uint32_t flags;
};

#define BOOK_ID "\"book_id\":{\"type\":\"string\",\"description\":\"Id of the book.\"}"
#define MEMBER_ID "\"member_id\":{\"type\":\"integer\",\"description\":\"Number of the member.\"}"

static const struct toy_tool toys[] = {
	{"library", "search_books", "Search the books of the library for words in title and author.",
	 "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"},\"limit\":{\"type\":\"integer\"}},"
	 "\"required\":[\"query\"]}",
	 0},
	{"library", "get_book", "Get one book by its id: title, author, year and shelf.",
	 "{\"type\":\"object\",\"properties\":{" BOOK_ID "},\"required\":[\"book_id\"]}", 0},
	{"library", "list_members", "List the members of the library, optionally only those of one city.",
	 "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}", 0},
	{"library", "list_shelf", "List what stands on a shelf.",
	 "{\"type\":\"object\",\"properties\":{\"shelf\":{\"type\":\"string\"}},\"required\":[\"shelf\"]}", 0},
	{"library", "lend_book", "Lend a book to a member.",
	 "{\"type\":\"object\",\"properties\":{" BOOK_ID "," MEMBER_ID "},\"required\":[\"book_id\",\"member_id\"]}",
	 WRITES},
	{"library", "write_review", "Write a review of a book.",
	 "{\"type\":\"object\",\"properties\":{" BOOK_ID
	 ",\"text\":{\"type\":\"string\"}},\"required\":[\"book_id\",\"text\"]}",
	 WRITES},
	{"library", "delete_member", "Delete a member who has left the library.",
	 "{\"type\":\"object\",\"properties\":{" MEMBER_ID "},\"required\":[\"member_id\"]}", DESTROYS},
	{"library", "delete_all_books", "Delete every book.",
	 "{\"type\":\"object\",\"properties\":{\"confirm\":{\"type\":\"boolean\"}},\"required\":[\"confirm\"]}",
	 DESTROYS},
	{"weather", "get_forecast", "Get the forecast of a city for a day.",
	 "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"day\":{\"type\":\"string\","
	 "\"format\":\"date\"}},\"required\":[\"city\"]}",
	 0},
	{"weather", "convertTemperature", "Convert a temperature from one scale to another.",
	 "{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"number\",\"examples\":[36.6]},"
	 "\"from_scale\":{\"type\":\"string\",\"enum\":[\"celsius\",\"fahrenheit\",\"kelvin\"]},"
	 "\"to_scale\":{\"type\":\"string\",\"enum\":[\"celsius\",\"fahrenheit\",\"kelvin\"]}},"
	 "\"required\":[\"value\",\"from_scale\",\"to_scale\"]}",
	 0},
	{"files", "list_roots", "List the folders that may be looked at.", "{\"type\":\"object\"}", 0},
	{"files", "list_folder", "List what is in a folder.",
	 "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}", 0},
	{"files", "frobnicate", "Frobnicates.", "{\"type\":\"object\"}", 0},
	{"files", "get_time", "Get the time in a zone.",
	 "{\"type\":\"object\",\"properties\":{\"zone\":{\"type\":\"string\",\"description\":\"IANA name of the zone (e.g. "
	 "'Europe/Lisbon')\"}},\"required\":[\"zone\"]}",
	 0},
};
#define N_TOYS (sizeof toys / sizeof *toys)
enum { LIST_ROOTS = 10, LIST_FOLDER, FROBNICATE, GET_TIME };

static const char books[] =
	"{\"books\":[{\"book_id\":\"B-17\",\"title\":\"The Salt Road\",\"author\":\"Imani Okafor\",\"year\":1987},"
	"{\"book_id\":\"B-23\",\"title\":\"Winter Maps\",\"author\":\"Jonas Lind\",\"year\":2004},"
	"{\"book_id\":\"B-31\",\"title\":\"Rivers of Glass\",\"author\":\"Imani Okafor\",\"year\":1999}]}";
static const char members[] =
	"{\"members\":[{\"member_id\":301,\"name\":\"Ana Sousa\",\"city\":\"Porto\",\"joined\":\"2021-03-04\"},"
	"{\"member_id\":305,\"name\":\"Piet Boer\",\"city\":\"Utrecht\",\"joined\":\"2022-11-19\"}]}";

struct toy {
	as_buf seen;  /* everything that the generator could have a value from */
	as_buf calls; /* "name\n" each */
	size_t n_calls;
	int status;         /* of every call, 0: fine */
	const char *mute;   /* a tool that gives no answer in time */
	bool late;          /* the operation's own time is out */
	const char *always; /* answer to every call instead of the real ones */
	assay_tool tools[MAX_TOOLS];
	const assay_tool *list[MAX_TOOLS];
	assay_json *schemas[MAX_TOOLS];
	assay_json *servers;
};

static bool says(const assay_json *arguments, const char *key, const char *text)
{
	const assay_json *v = as_json_get(arguments, key);
	return as_str_is(as_json_type(v) == ASSAY_JSON_NUMBER ? as_json_spelling(v) : as_json_str(v), text);
}

static const char *reply(assay_str tool, const assay_json *arguments)
{
	assay_str query = as_json_str(as_json_get(arguments, "query"));
	if (as_str_is(tool, "search_books")) {
		return as_str_contains(as_str(books), query) ? books : "{\"books\":[]}";
	}
	if (as_str_is(tool, "get_book")) {
		return says(arguments, "book_id", "B-23")
			       ? "{\"book_id\":\"B-23\",\"title\":\"Winter Maps\",\"shelf\":\"Shelf-C2\",\"pages\":240}"
		       : says(arguments, "book_id", "B-17") || says(arguments, "book_id", "B-31")
			       ? "{\"book_id\":\"B-17\",\"title\":\"The Salt Road\",\"shelf\":\"Shelf-B7\",\"pages\":312}"
			       : NULL;
	}
	if (as_str_is(tool, "list_members")) {
		return members;
	}
	if (as_str_is(tool, "list_shelf")) {
		return says(arguments, "shelf", "Shelf-B7") || says(arguments, "shelf", "Shelf-C2") ? books : NULL;
	}
	if (as_str_is(tool, "get_forecast")) {
		return says(arguments, "city", "Porto") || says(arguments, "city", "Utrecht")
			       ? "{\"temperature\":18.5,\"sky\":\"clear\",\"day\":\"2026-02-11\"}"
			       : NULL;
	}
	if (as_str_is(tool, "list_roots")) {
		return "Folders:\n/tmp/copy-77/docs\n/tmp/copy-77/data";
	}
	if (as_str_is(tool, "list_folder")) {
		return as_str_starts(as_json_str(as_json_get(arguments, "path")), ASSAY_STR("/"))
			       ? "[FILE] plan.txt\n[DIR] old"
			       : NULL;
	}
	if (as_str_is(tool, "get_time")) {
		return says(arguments, "zone", "Europe/Lisbon") ? "{\"time\":\"09:30\",\"offset\":0}" : NULL;
	}
	return as_str_is(tool, "convertTemperature") && !says(arguments, "from_scale", "kelvin") ? "{\"result\":291.65}"
												 : NULL;
}

static int hook_world(void *context, assay_str server, assay_str tool, const assay_json *arguments, assay_json **result,
		      int *is_error, assay_error *err)
{
	struct toy *t = context;
	const char *text = t->always ? t->always : reply(tool, arguments);
	assay_json *content = as_json_array(), *part = as_json_object();
	ck_assert(server.len > 0);
	t->n_calls++;
	as_buf_printf(&t->calls, "%.*s\n", ASSAY_FMT(tool));
	if (t->status != 0) {
		as_json_free(content);
		as_json_free(part);
		return as_fail(err, t->status, "the world went away");
	}
	if (t->mute && as_str_is(tool, t->mute)) {
		as_json_free(content);
		as_json_free(part);
		return as_fail(err, ASSAY_ETIMEOUT, "not answered within 1000 ms");
	}
	as_buf_puts(&t->seen, text ? text : "");
	as_json_set(part, "type", as_json_cstring("text"));
	as_json_set(part, "text", as_json_cstring(text ? text : "no such thing"));
	as_json_append(content, part);
	*result = as_json_object();
	as_json_set(*result, "content", content);
	*is_error = text == NULL;
	return 0;
}

static const as_call_hooks hooks = {.world_call = hook_world};

static assay_json *parsed(const char *text)
{
	assay_json *v = NULL;
	ck_assert_msg(as_json_parse(as_str(text), ASSAY_JSON_PEER, &v, NULL) == 0, "%s", text);
	return v;
}

static void toy_open(struct toy *t)
{
	*t = (struct toy){0};
	for (size_t i = 0; i < N_TOYS; i++) {
		t->schemas[i] = parsed(toys[i].input);
		t->tools[i] = (assay_tool){.size = sizeof(assay_tool),
					   .flags = toys[i].flags,
					   .server = as_str(toys[i].server),
					   .name = as_str(toys[i].name),
					   .description = as_str(toys[i].description),
					   .input_schema = t->schemas[i]};
		t->list[i] = &t->tools[i];
		as_buf_puts(&t->seen, toys[i].input);
	}
	t->servers = parsed("{\"library\":{\"class\":\"stateful_write\",\"description\":\"Books\",\"resources\":["
			    "{\"kind\":\"shelf\",\"value\":\"Shelf-B7\"}]},\"weather\":{\"class\":\"live_read\"},"
			    "\"files\":{\"class\":\"live_read\"}}");
	as_buf_puts(&t->seen, "Shelf-B7");
}

static void toy_close(struct toy *t)
{
	for (size_t i = 0; i < N_TOYS; i++) {
		as_json_free(t->schemas[i]);
	}
	as_json_free(t->servers);
	as_buf_free(&t->seen);
	as_buf_free(&t->calls);
}

static const assay_goalgen_ops *ops(void)
{
	return fake_load("goalgen_template", ASSAY_ROLE_GOALGEN, "template")->ops;
}

/* What a request asks for beside the seeds. */
struct frame {
	const char *category, *framing, *complexity;
};

/* One goal from the seeds that `names` lists (indexes of toys, -1 ends), or NULL. */
static assay_json *generate(struct toy *t, const int *seeds, uint64_t seed, const struct frame *frame, int *status)
{
	const assay_tool *list[MAX_TOOLS];
	assay_goal_request request = {.size = sizeof request};
	assay_json *goal = NULL;
	assay_error err = {0};
	as_collect got;
	as_call call;
	as_rng rng;
	void *self = NULL;
	size_t n = 0;
	for (; seeds[n] >= 0; n++) {
		list[n] = &t->tools[seeds[n]];
	}
	request.seeds = (assay_tools){list, n};
	request.surface = (assay_tools){t->list, N_TOYS};
	request.servers = t->servers;
	request.category = as_str(frame ? frame->category : "random");
	request.framing = as_str(frame ? frame->framing : "");
	request.complexity = as_str(frame ? frame->complexity : "");
	as_rng_seed(&rng, seed);
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = t;
	call.rng = &rng;
	call.deadline_ms = t->late ? 0 : AS_FOREVER;
	as_collect_init(&got, 2, 0);
	t->n_calls = 0;
	ck_assert_int_eq(ops()->open(as_host(), NULL, &self, &err), 0);
	*status = ops()->generate(self, &call.pub, &request, &got.sink, &err);
	ops()->close(self);
	if (as_json_count(got.values) > 0) {
		ck_assert_int_eq(as_collect_one(&got, "goalgen/template", &goal, &err), 0);
	}
	as_collect_free(&got);
	return goal;
}

static assay_json *must_generate(struct toy *t, const int *seeds, uint64_t seed, const struct frame *frame)
{
	int status;
	assay_json *goal = generate(t, seeds, seed, frame, &status);
	ck_assert_int_eq(status, 0);
	return goal;
}

static assay_str text_of(const assay_json *goal)
{
	return as_json_str(as_json_get(goal, "goal"));
}

/* Seed sets that the tests go through: every tool is an anchor once, others follow it. */
static void seed_set(size_t n, int out[4])
{
	out[0] = (int)(n % N_TOYS);
	out[1] = (int)((n + 1 + n / N_TOYS) % N_TOYS);
	out[2] = (int)((n + 4) % N_TOYS);
	out[3] = -1;
}

#endif
