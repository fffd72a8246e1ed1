/* The live world on servers that misbehave: what it notes of their answers, and what it does when they die. */
#include "core/world/live.h"
#include "tests/unit/model_kit.h"

#include <stdio.h>

typedef struct stage {
	as_registry *registry;
	as_catalogue *catalogue;
	assay_json *launch;
	as_server_spec server;
	as_estate estate;
	as_world *world;
	as_call call;
} stage;

/* A world on tests/mcp/bad-server BEHAVIOUR, whose tool "a" has that output schema. */
static void set_up(stage *s, const char *behaviour, const char *output_schema)
{
	const as_registry_options where = {.lib_dir = TEST_BUILDDIR "/lib"};
	assay_error err = {0};
	char text[4096];
	*s = (stage){0};
	as_call_init(&s->call);
	ck_ok(as_registry_new(&where, &s->registry, &err));
	snprintf(text, sizeof text,
		 "[{'server_id':'bad','class':'static','group':'bad','tags':[],'effects':null,'tools':[{'name':'a',"
		 "'inputSchema':{'type':'object'},'outputSchema':%s}]}]",
		 output_schema);
	ck_ok(as_catalogue_new(json(text), &s->catalogue, &err));
	snprintf(text, sizeof text, "{'command':'%s/tests/mcp/bad-server','args':['%s']}", TEST_BUILDDIR, behaviour);
	s->launch = json(text);
	s->server = (as_server_spec){.id = "bad",
				     .use = "transport/stdio",
				     .launch = s->launch,
				     .server_class = AS_CLASS_STATIC,
				     .session = {.elicitation = AS_MCP_ELICIT_DECLINE}};
	s->estate = (as_estate){.registry = s->registry,
				.servers = &s->server,
				.n_servers = 1,
				.base_dir = TEST_BUILDDIR,
				.work_dir = "/tmp",
				.catalogue = s->catalogue};
	ck_ok(as_live_open(&s->estate, NULL, &s->call, &s->world, &err));
}

static void tear_down(stage *s)
{
	as_world_close(s->world, &s->call);
	as_json_free(s->launch);
	as_catalogue_free(s->catalogue);
	as_registry_free(s->registry);
}

static void check_unfit(const char *schema, const char *expected)
{
	stage s;
	as_answer a = {0};
	assay_error err = {0};
	set_up(&s, "call-structured", schema);
	ck_ok(as_world_call(s.world, &s.call, ASSAY_STR("bad"), ASSAY_STR("a"), NULL, &a, &err));
	ck_assert_uint_eq(a.status, ASSAY_STEP_SUCCESS);
	ck_assert_str_eq(as_json_cstr(a.unfit, ""), expected);
	ck_assert_str_eq(text_of(as_json_get(a.result, "structuredContent")), "{'n':'seven'}");
	as_answer_clear(&a);
	tear_down(&s);
}

START_TEST(test_output_schemas)
{
	check_unfit("{'type':'object','properties':{'n':{'type':'string'}}}", "");
	check_unfit("{'type':'object','properties':{'n':{'type':'integer'}}}",
		    "/n: found string \"seven\", expected integer");
	check_unfit("{'type':'object','required':['m']}", "member \"m\" is missing");
	check_unfit("{'type':7}", ""); /* no schema, no promise */
	check_unfit("null", "");
}
END_TEST

START_TEST(test_questions)
{
	stage s;
	as_answer a = {0};
	assay_error err = {0};
	set_up(&s, "call-asks", "null");
	ck_ok(as_world_call(s.world, &s.call, ASSAY_STR("bad"), ASSAY_STR("a"), NULL, &a, &err));
	ck_assert_uint_eq(as_json_count(a.asked), 3);
	ck_assert_ptr_null(a.unfit);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(a.asked, "/2/result/action"), ""), "decline");
	as_answer_clear(&a);
	tear_down(&s);
}
END_TEST

/* Each call finds a server, though the one before has killed it: none of them hears that its session is over. */
START_TEST(test_dead_servers_are_replaced)
{
	stage s;
	set_up(&s, "call-dies", "null");
	for (int i = 0; i < 3; i++) {
		as_answer a = {0};
		assay_error err = {0};
		ck_assert_int_eq(as_world_call(s.world, &s.call, ASSAY_STR("bad"), ASSAY_STR("a"), NULL, &a, &err),
				 ASSAY_EUNREACH);
		ck_assert_str_eq(err.where, "bad");
		ck_assert_msg(strstr(err.message, "(stderr: bad-server: segmentation fault"), "%s", err.message);
		as_answer_clear(&a);
	}
	tear_down(&s);
}
END_TEST

UNIT_SUITE(suite, "live world", test_output_schemas, test_questions, test_dead_servers_are_replaced)
UNIT_MAIN(suite)
