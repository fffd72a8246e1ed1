/* The catalogue: order, effects, look-ups, and records that make none. */
#include "tests/unit/catalogue_kit.h"

static uint32_t flags_of(const as_catalogue *c, const char *server, const char *tool)
{
	const assay_tool *t = as_catalogue_find(c, as_str(server), as_str(tool));
	ck_assert_ptr_nonnull(t);
	return t->flags;
}

START_TEST(test_order)
{
	static const char *const sorted[][2] = {{"almanac", "search_notes"}, {"almanac", "set_day"},
						{"index", "rebuild"},        {"index", "search_notes"},
						{"notes", "delete_note"},    {"notes", "look"},
						{"notes", "peek"},           {"notes", "poke"},
						{"notes", "read_note"},      {"notes", "save"}};
	as_catalogue *c = kit_catalogue();
	assay_tools tools = as_catalogue_tools(c);
	const as_catalogue_server *servers;
	ck_assert_uint_eq(tools.count, 10);
	for (size_t i = 0; i < tools.count; i++) {
		ck_str_is(tools.list[i]->server, sorted[i][0]);
		ck_str_is(tools.list[i]->name, sorted[i][1]);
	}
	ck_assert_uint_eq(as_catalogue_servers(c, &servers), 3);
	ck_str_is(servers[0].id, "almanac");
	ck_str_is(servers[0].group, "almanac"); /* none given: its own */
	ck_str_is(servers[2].id, "notes");
	ck_str_is(servers[2].group, "desk");
	ck_assert_uint_eq(servers[2].n_tags, 2);
	ck_assert_uint_eq(servers[2].tools.count, 6);      /* the second "save" does not count */
	ck_str_is(servers[2].tools.list[0]->name, "save"); /* the server's own order */
	ck_str_is(servers[2].tools.list[0]->description, "Save a note");
	as_catalogue_free(c);
	as_catalogue_free(NULL);
}
END_TEST

/* The manifest's word, then the annotation, then the name; otherwise a write. Nothing writes on a server that reads. */
START_TEST(test_effects)
{
	as_catalogue *c = kit_catalogue();
	ck_assert_uint_eq(flags_of(c, "notes", "save"), ASSAY_TOOL_WRITES);
	ck_assert_uint_eq(flags_of(c, "notes", "peek"), 0);
	ck_assert_uint_eq(flags_of(c, "notes", "look"), 0);
	ck_assert_uint_eq(flags_of(c, "notes", "read_note"), 0);
	ck_assert_uint_eq(flags_of(c, "notes", "poke"), ASSAY_TOOL_WRITES);
	ck_assert_uint_eq(flags_of(c, "notes", "delete_note"), ASSAY_TOOL_WRITES | ASSAY_TOOL_DESTRUCTIVE);
	ck_assert_uint_eq(flags_of(c, "index", "search_notes"), 0);
	ck_assert_uint_eq(flags_of(c, "index", "rebuild"), ASSAY_TOOL_WRITES);
	ck_assert_uint_eq(flags_of(c, "almanac", "set_day"), 0);
	as_catalogue_free(c);
}
END_TEST

START_TEST(test_look_ups)
{
	as_catalogue *c = kit_catalogue();
	ck_assert_ptr_null(as_catalogue_find(c, ASSAY_STR("notes"), ASSAY_STR("rebuild")));
	ck_assert_ptr_null(as_catalogue_find(c, ASSAY_STR(""), ASSAY_STR("")));
	ck_assert_ptr_null(as_catalogue_server_of(c, ASSAY_STR("nobody")));
	ck_assert_int_eq(as_catalogue_server_of(c, ASSAY_STR("almanac"))->server_class, AS_CLASS_LIVE_READ);
	ck_assert_str_eq(member_text(as_catalogue_tags(c), "/notes"), "['text','files']");
	ck_assert_str_eq(member_text(as_catalogue_tags(c), "/almanac"), "[]");
	as_catalogue_free(c);
}
END_TEST

START_TEST(test_surface)
{
	assay_error err = {0};
	as_arena arena = {0};
	assay_tools tools;
	assay_json *ids = json("['index','nobody','almanac']"), *specs;
	as_catalogue *c = kit_catalogue();
	ck_ok(as_catalogue_surface(c, ids, &arena, &tools, &err));
	ck_assert_uint_eq(tools.count, 4);
	ck_str_is(tools.list[0]->server, "almanac");
	ck_assert_ptr_eq(tools.list[2], as_catalogue_find(c, ASSAY_STR("index"), ASSAY_STR("rebuild")));
	ck_ok(as_catalogue_surface(c, NULL, &arena, &tools, &err));
	ck_assert_uint_eq(tools.count, 0);
	specs = as_catalogue_tool_specs(as_catalogue_server_of(c, ASSAY_STR("notes")));
	ck_assert_str_eq(
		member_text(specs, "/0"),
		"{'name':'save','description':'Save a note','input_schema':{'type':'object'},'output_schema':null}");
	ck_assert_str_eq(
		member_text(specs, "/1"),
		"{'name':'read_note','description':null,'input_schema':null,'output_schema':{'type':'object'}}");
	as_json_free(specs);
	as_json_free(ids);
	as_arena_free(&arena);
	as_catalogue_free(c);
}
END_TEST

static void refused(const char *records, const char *line)
{
	assay_error err = {0};
	as_catalogue *c = NULL;
	ck_assert_int_eq(as_catalogue_new(json(records), &c, &err), ASSAY_EDATA);
	ck_assert_str_eq(error_line(&err), line);
	ck_assert_ptr_null(c);
}

START_TEST(test_refusals)
{
	assay_error err = {0};
	as_catalogue *c = NULL;
	refused("{}", "a catalogue is an array of server records");
	refused("[{'class':'static'}]", "a server record needs \"server_id\" and a known \"class\"");
	refused("[{'server_id':'a','class':'fast'}]", "a server record needs \"server_id\" and a known \"class\"");
	refused("[7]", "a server record needs \"server_id\" and a known \"class\"");
	refused("[{'server_id':'a','class':'static','tags':'x'}]", "the \"tags\" of server \"a\" are not an array");
	refused("[{'server_id':'a','class':'static'},{'server_id':'a','class':'static'}]",
		"two servers are called \"a\"");
	ck_assert_int_eq(as_catalogue_new(NULL, &c, NULL), ASSAY_EDATA);
	ck_ok(as_catalogue_new(json("[]"), &c, &err));
	ck_assert_ptr_null(as_catalogue_find(c, ASSAY_STR("a"), ASSAY_STR("b")));
	ck_assert_ptr_null(as_catalogue_server_of(c, ASSAY_STR("a")));
	ck_assert_uint_eq(as_catalogue_tools(c).count, 0);
	as_catalogue_free(c);
	/* Tools that are none are passed over. */
	ck_ok(as_catalogue_new(
		json("[{'server_id':'a','class':'static','tools':[5,{},{'name':''},{'name':7},{'name':'t'}]}]"), &c,
		&err));
	ck_assert_uint_eq(as_catalogue_tools(c).count, 1);
	as_catalogue_free(c);
}
END_TEST

START_TEST(test_classes)
{
	for (int i = AS_CLASS_STATIC; i <= AS_CLASS_STATEFUL_WRITE; i++) {
		ck_assert_int_eq(as_class_from_name(as_str(as_class_name(i))), i);
	}
	ck_assert_int_eq(as_class_from_name(ASSAY_STR("x")), -1);
}
END_TEST

UNIT_SUITE(suite, "catalogue", test_order, test_effects, test_look_ups, test_surface, test_refusals, test_classes)
UNIT_MAIN(suite)
