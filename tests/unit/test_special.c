/* The cross-server specials: which sets they find in a catalogue, in a file and in recorded sessions. */
#include "core/base/file.h"
#include "core/plugin/registry.h"
#include "core/task/catalogue.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/model_kit.h"
#include <assay/roles/sampler.h>

#include <unistd.h>

#define RECORDS                                                                                                          \
	"[{'server_id':'crm','class':'live_read','tools':["                                                              \
	"{'name':'findCustomer','inputSchema':{'properties':{'query':{}}},"                                              \
	"'outputSchema':{'properties':{'customerId':{},'email':{}}}},"                                                   \
	"{'name':'search','inputSchema':{'properties':{'query':{}}}}]},"                                                 \
	"{'server_id':'mail','class':'live_read','tools':["                                                              \
	"{'name':'send','inputSchema':{'properties':{'email':{},'body':{}}}},"                                           \
	"{'name':'search','inputSchema':{'properties':{'text':{}}}}]},"                                                  \
	"{'server_id':'web','class':'live_read','tools':[{'name':'search'},{'name':'get_forecast'},"                     \
	"{'name':'pack','inputSchema':{'properties':{'forecast':{}}}},{'name':'label','inputSchema':{'properties':{'x':" \
	"{}}}}]}]"

static const char *folder_file(const char *name, const char *text)
{
	static char paths[4][64];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	char *copy = as_strdup(text);
	for (char *c = copy; *c; c++) {
		*c = (char)(*c == '\'' ? '"' : *c);
	}
	snprintf(path, sizeof paths[0], "test_special.%d.%s", (int)getpid(), name);
	ck_assert_int_eq(as_file_write(path, as_str(copy), NULL), 0);
	free(copy);
	return path;
}

static const assay_sampler_ops *ops(const char *name)
{
	return fake_load("sampler_special", ASSAY_ROLE_SAMPLER, name)->ops;
}

/* Every set as "server.tool+server.tool", one after the other. */
static int sets(const char *name, const char *options, char *out, size_t room, assay_error *err)
{
	as_catalogue *c = NULL;
	fake_sink sink;
	as_call call;
	void *self = NULL;
	assay_json *o = json(options);
	size_t used = 0;
	int rc;
	*err = (assay_error){0};
	ck_assert_int_eq(as_catalogue_new(json(RECORDS), &c, NULL), 0);
	fake_call(&call, AS_FOREVER);
	fake_sink_init(&sink);
	rc = ops(name)->open(fake_host(), o, &self, err);
	rc = rc < 0 ? rc : ops(name)->seed_sets(self, &call.pub, as_catalogue_tools(c), &sink.sink, err);
	ops(name)->close(self);
	out[0] = '\0';
	for (const assay_json *s = as_json_first(sink.values); s; s = as_json_next(s)) {
		for (const assay_json *t = as_json_first(s); t; t = as_json_next(t)) {
			used += (size_t)snprintf(out + used, room - used, "%s%s.%s",
						 t != as_json_first(s) ? "+"
						 : used                ? " "
								       : "",
						 as_json_cstr(as_json_get(t, "server"), "?"),
						 as_json_cstr(as_json_get(t, "tool"), "?"));
		}
	}
	fake_sink_free(&sink);
	as_json_free(o);
	as_catalogue_free(c);
	ck_assert_int_eq(fake_live_blocks(), 0);
	return rc;
}

static void expect_sets(const char *name, const char *options, const char *expected)
{
	char out[1024];
	assay_error err;
	ck_ok(sets(name, options, out, sizeof out, &err));
	ck_assert_str_eq(out, expected);
}

START_TEST(names_that_several_servers_have)
{
	expect_sets("cross_server_alt", "{}", "crm.search+mail.search+web.search");
}
END_TEST

/* "customerId" and "email" come out of one tool; a tool without an output schema says its own name's words. */
START_TEST(what_one_answers_and_another_takes)
{
	expect_sets("complementary", "{}", "crm.findCustomer+mail.send web.get_forecast+web.pack");
}
END_TEST

START_TEST(sets_of_a_file)
{
	char options[256];
	const char *path =
		folder_file("json", "[[{'server':'crm','tool':'search'},{'server':'web','tool':'search'}],"
				    "{'members':[{'server_id':'mail','tool':'send'},{'server_id':'web','tool':'pack'},"
				    "{'server_id':'gone','tool':'gone'}],'reviewed':false},"
				    "[{'server':'web','tool':'pack'},{'server':'web','tool':'label'}],"
				    "[{'server':'crm','tool':'search'},{'server':'crm','tool':'nothing'}]]");
	snprintf(options, sizeof options, "{'file':'%s'}", path);
	/* a group is on two servers; a pair need not be; what the catalogue lacks is left out */
	expect_sets("cross_server_alt", options, "crm.search+web.search mail.send+web.pack");
	expect_sets("complementary", options, "crm.search+web.search mail.send+web.pack web.pack+web.label");
	snprintf(options, sizeof options, "{'file':'%s','mine':true}", path);
	expect_sets("cross_server_alt", options,
		    "crm.search+web.search mail.send+web.pack crm.search+mail.search+web.search");
	unlink(path);
}
END_TEST

START_TEST(files_that_are_none)
{
	static const char *const texts[][2] = {
		{"{'a':1}", ""},
		{"[", ""},
		{"7", ""},
		{"[1]", "/0"},
		{"[[],'x']", "/1"},
		{"[{'member':[]}]", "/0/members"},
		{"[[{'server':'crm','tool':'search'},7]]", "/0/1"},
		{"[{'members':[{'server':'crm'}]}]", "/0/members/0"},
		{"[[{'server':1,'tool':'search'}]]", "/0/0"},
	};
	char options[256], out[64];
	assay_error err;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *path = folder_file("json", texts[i][0]);
		snprintf(options, sizeof options, "{'file':'%s'}", path);
		ck_assert_int_eq(sets("complementary", options, out, sizeof out, &err), ASSAY_EDATA);
		ck_assert_str_eq(err.where, path);
		ck_assert_msg(strcmp(err.pointer, texts[i][1]) == 0, "%s: %s", texts[i][0], err.pointer);
		unlink(path);
	}
	ck_assert_int_lt(sets("complementary", "{'file':'nowhere.json'}", out, sizeof out, &err), 0);
}
END_TEST

/* A result's keys are words of its tool; an argument that an earlier result holds, and the goal does not, is an edge.
 */
START_TEST(what_sessions_show)
{
	char options[256], out[256];
	assay_error err;
	const char *path = folder_file(
		"jsonl",
		"{'goal':'tell wombat','steps':["
		"{'kind':'call_tool_agent','status':'success','server_id':'web','tool_name':'label','arguments':{'x':'wombat'},"
		"'result':{'content':[{'type':'text','text':'Parcel PX-4711 of wombat'}],'structuredContent':{'body':1}}},"
		"{'kind':'call_tool_agent','status':'error','server_id':'crm','tool_name':'search','arguments':{'query':'PX-4711'}},"
		"{'kind':'call_tool_agent','status':'success','server_id':'mail','tool_name':'search','arguments':{'text':'wombat'}},"
		"{'kind':'call_tool_agent','status':'success','server_id':'web','tool_name':'search','arguments':{'q':'PX-4711'}}]}\n"
		"\n");
	snprintf(options, sizeof options, "{'traces':'%s'}", path);
	expect_sets("complementary", options,
		    "crm.findCustomer+mail.send web.get_forecast+web.pack web.label+mail.send web.label+web.search");
	unlink(path);
	path = folder_file("jsonl", "{'goal':'x'}\nno json\n");
	snprintf(options, sizeof options, "{'traces':'%s'}", path);
	ck_assert_int_eq(sets("complementary", options, out, sizeof out, &err), ASSAY_EDATA);
	ck_assert_ptr_nonnull(strstr(err.message, "line 2 of "));
	unlink(path);
}
END_TEST

/* As a distractor selector: what stands in one set with a needed tool. */
static void draw(const char *name, size_t needed, size_t n, const char *expected)
{
	as_catalogue *c = NULL;
	assay_tools all;
	const assay_tool *others[16];
	uint32_t picked[16];
	size_t n_others = 0, got = 99;
	as_call call;
	as_rng rng;
	void *self = NULL;
	assay_json *o = json("{}");
	assay_error err = {0};
	char out[256] = "";
	ck_ok(as_catalogue_new(json(RECORDS), &c, &err));
	all = as_catalogue_tools(c);
	for (size_t i = all.count; i-- > 0;) {
		if (i != needed) {
			others[n_others++] = all.list[i];
		}
	}
	fake_call(&call, AS_FOREVER);
	as_rng_seed(&rng, 4);
	call.rng = &rng;
	ck_ok(ops(name)->open(fake_host(), o, &self, &err));
	ck_ok(ops(name)->draw(self, &call.pub, (assay_tools){&all.list[needed], 1}, (assay_tools){others, n_others}, n,
			      picked, &got, &err));
	for (size_t i = 0; i < got; i++) {
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%.*s.%.*s", i ? " " : "",
			 ASSAY_FMT(others[picked[i]]->server), ASSAY_FMT(others[picked[i]]->name));
	}
	ck_assert_str_eq(out, expected);
	ops(name)->close(self);
	as_json_free(o);
	as_catalogue_free(c);
	ck_assert_int_eq(fake_live_blocks(), 0);
}

START_TEST(as_selectors_of_distractors)
{
	draw("cross_server_alt", 1, 1, "web.search"); /* of crm.search */
	draw("cross_server_alt", 1, 9, "web.search mail.search");
	draw("cross_server_alt", 0, 9, "");
	draw("complementary", 0, 9, "mail.send");
	draw("complementary", 3, 9, "crm.findCustomer"); /* either side of the pair */
	draw("complementary", 3, 0, "");
}
END_TEST

START_TEST(out_of_memory)
{
	bool worked = false;
	for (long n = 0; n < 200 && !worked; n++) {
		char out[256];
		assay_error err;
		fake_fail_alloc(n);
		int rc = sets("complementary", "{}", out, sizeof out, &err);
		fake_fail_alloc(-1);
		ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
		worked = rc == 0;
	}
	ck_assert(worked);
}
END_TEST

UNIT_SUITE(make_suite, "special", names_that_several_servers_have, what_one_answers_and_another_takes, sets_of_a_file,
	   files_that_are_none, what_sessions_show, as_selectors_of_distractors, out_of_memory)
UNIT_MAIN(make_suite)
