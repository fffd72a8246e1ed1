/* distiller/provenance on toy traces, scored by the real effect scorer. */
#include "tests/unit/distiller_kit.h"
#include "tests/unit/unit.h"
#include <assay/types.h>
#include <stdio.h>
#include <string.h>

#define STEPS(...) "[" __VA_ARGS__ "]"
#define CALL(tool, arguments, result) "{\"t\":\"" tool "\",\"a\":" arguments ",\"r\":" result "}"
#define TEXT(tool, arguments, text) "{\"t\":\"" tool "\",\"a\":" arguments ",\"x\":\"" text "\"}"
#define FAILED(tool, arguments, text) "{\"t\":\"" tool "\",\"a\":" arguments ",\"e\":\"" text "\"}"

#define KETTLE "{\"products\":[{\"product_id\":\"P-1043\",\"name\":\"Copper kettle\",\"price\":24.90}]}"
#define PRODUCT "{\"product_id\":\"P-1043\",\"stock\":417}"
#define CREATED "{\"title\":\"Kettle\",\"created\":true}"

static const kit_case chain = {
	.goal = "Find the copper kettle, look at it closely and write a note titled 'Kettle' about it.",
	.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE) "," CALL(
		"shop.get_product", "{\"product_id\":\"P-1043\"}",
		PRODUCT) "," CALL("notes.create_note", "{\"title\":\"Kettle\",\"content\":\"There are 417 pieces.\"}",
				  CREATED)),
	.answer = "Done.",
	.options = "{\"try_alternatives\":false}",
};

/* --- Rules 2, 5 and 6: chains ------------------------------------------------------------------------------------ */

START_TEST(test_chain)
{
	kit_expect(&chain, "c1_search shop.search query~\"copper kettle\"\n"
			   "c2_get_product shop.get_product product_id=\"P-1043\"\n"
			   "c3_create_note notes.create_note title~\"Kettle\" content~\"417\"\n"
			   "c1_search < c2_get_product\n"
			   "c2_get_product < c3_create_note\n"
			   "# Alternatives that were not tried: mirror.search, notes.search, mirror.get_product\n");
}
END_TEST

/* Results that are plain text, and JSON in a text part. */
START_TEST(test_text_results)
{
	kit_case c = {
		.goal = "Look up the open orders of customer C-207 and open the first one.",
		.steps = STEPS(TEXT(
			"shop.list_orders", "{\"customer_id\":\"C-207\",\"status\":\"open\"}",
			"Orders of C-207:\\n- Order 5017 (2026-04-02), 3 pieces\\n") "," CALL("shop.get_order",
											      "{\"order_id\":5017}",
											      "{\"order_id\":5017,\"total\":99.5}")),
		.answer = "Order 5017 costs 99.5.",
	};
	const char *lines = "c1_list_orders shop.list_orders customer_id=\"C-207\" status=\"open\"\n"
			    "c2_get_order shop.get_order order_id=5017\n"
			    "c2_get_order_shows shows 99.5\n"
			    "c1_list_orders < c2_get_order\n"
			    "! shop.cancel_order\n"
			    "! shop.delete_customer\n";
	kit_expect(&c, lines);
	c.steps = STEPS(TEXT("shop.list_orders", "{\"customer_id\":\"C-207\",\"status\":\"open\"}",
			     "{\\\"orders\\\":[{\\\"order_id\\\":5017}]}") "," TEXT("shop.get_order",
										    "{\"order_id\":5017}",
										    "{\\\"total\\\":99.5}"));
	kit_expect(&c, lines);
	c.steps = STEPS(CALL(
		"shop.list_orders", "{\"customer_id\":\"C-207\",\"status\":\"open\"}",
		"{\"result\":\" {\\\"orders\\\":[{\\\"order_id\\\":5017}]}\"}") "," CALL("shop.get_order",
											 "{\"order_id\":5017}",
											 "{\"result\":\"Total: 99.5\"}"));
	kit_expect(&c, lines);
}
END_TEST

START_TEST(test_goal_wins_over_results)
{
	const kit_case c = {
		.goal = "Search the shop for kettles, then get product P-1043 and tell its stock.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"kettles\"}",
				    KETTLE) "," CALL("shop.get_product", "{\"product_id\":\"P-1043\"}", PRODUCT)),
		.answer = "There are 417.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c,
			"c2_get_product shop.get_product product_id=\"P-1043\"\nc2_get_product_shows shows 417\n! ");
}
END_TEST

/* Both searches had shown the id: neither must come first. The chain a -> b -> c leaves a -> c out. */
START_TEST(test_order)
{
	kit_case c = {
		.goal = "Find the copper kettle and the old lantern, then order the kettle for the customer who asked.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE) "," CALL(
			"shop.search", "{\"query\":\"old lantern\"}",
			"{\"products\":[{\"product_id\":\"P-1043\"},{\"product_id\":\"P-2\"}]}") "," CALL("shop.get_product",
													  "{\"product_id\":\"P-1043\"}",
													  "{\"stock\":312}")),
		.answer = "312 are left.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c3_get_product_shows shows 312\n! ");
	c.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE) "," CALL(
		"shop.get_product", "{\"product_id\":\"P-1043\"}",
		"{\"asked_by\":\"C-9001\"}") "," CALL("shop.place_order",
						      "{\"customer_id\":\"C-9001\",\"items\":[{\"product_id\":\"P-1043\",\"quantity\":1}]}",
						      "{\"order_id\":6000}"));
	kit_expect_part(&c, "c3_place_order shop.place_order customer_id=\"C-9001\" items~\"P-1043\"\n"
			    "c1_search < c2_get_product\n"
			    "c2_get_product < c3_place_order\n");
}
END_TEST

/* A number of one digit is no link unless the names fit. */
START_TEST(test_short_values)
{
	const kit_case c = {
		.goal = "Open the order of Lisbon and archive the rest in a note titled 'Rest'.",
		.steps = STEPS(CALL("notes.search", "{\"query\":\"Lisbon\"}", "{\"count\":7,\"hits\":3}") "," CALL(
			"shop.list_orders", "{\"status\":\"open\"}",
			"{\"orders\":[{\"id\":7}]}") "," CALL("shop.get_order", "{\"order_id\":7}",
							      "{\"total\":88.5}") "," CALL("notes.create_note",
											   "{\"title\":\"Rest\",\"content\":\"Nothing\"}",
											   "{}")),
		.answer = "It costs 88.5.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c2_list_orders < c3_get_order\n# ");
}
END_TEST

/* --- Rule 1: repeats and repairs --------------------------------------------------------------------------------- */

START_TEST(test_repeats)
{
	const kit_case c = {
		.goal = "Find the copper kettle and look at it.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE) "," CALL(
			"shop.search", "{\"query\":\"copper kettle\"}",
			KETTLE) "," CALL("shop.get_product", "{\"product_id\":\"P-1043\"}",
					 PRODUCT) "," CALL("shop.get_product", "{\"product_id\":\"P-1043\"}", PRODUCT)),
		.answer = "417 left.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c1_search shop.search query~\"copper kettle\"\n"
			    "c2_get_product shop.get_product product_id=\"P-1043\"\n"
			    "c2_get_product_shows shows 417\n"
			    "c1_search < c2_get_product\n");
}
END_TEST

/* A default that is left out is the same call. */
START_TEST(test_repeats_with_defaults)
{
	const kit_case c = {
		.goal = "Search my notes for kettle.",
		.steps = STEPS(CALL("notes.search", "{\"query\":\"kettle\",\"limit\":10}", "{\"count\":2}") "," CALL(
			"notes.search", "{\"query\":\"kettle\"}",
			"{\"count\":2}") "," CALL("notes.search", "{\"query\":\"kettle\",\"limit\":10}",
						  "{\"count\":2}")),
	};
	kit_expect_part(&c, "c1_search notes.search query~\"kettle\"\n!");
}
END_TEST

START_TEST(test_repair)
{
	const kit_case c = {
		.goal = "Read the note about the coper kettle and add 'sold out' to it.",
		.steps = STEPS(
			FAILED("notes.read_note", "{\"title\":\"coper kettle\"}", "no note is called 'coper kettle'; did you mean 'Copper kettle'?") "," CALL(
				"notes.read_note", "{\"title\":\"Copper kettle\"}",
				"{\"content\":\"Shiny.\"}") "," CALL("notes.append_note",
								     "{\"title\":\"Copper kettle\",\"content\":\"sold out\"}",
								     "{\"appended\":true}")),
		.answer = "Added.",
	};
	kit_expect(&c, "c1_append_note notes.append_note title=\"Copper kettle\" content~\"sold out\"\n");
}
END_TEST

/* --- Rule 2: defaults, case, numbers, free text ------------------------------------------------------------------ */

START_TEST(test_defaults_and_free)
{
	const kit_case c = {
		.goal = "Search my notes for the word kettle and keep a summary in a new note.",
		.steps = STEPS(CALL(
			"notes.search", "{\"query\":\"kettle\",\"limit\":10}",
			"{\"count\":2,\"notes\":[{\"title\":\"Kettle A\"}]}") "," CALL("notes.create_note",
										       "{\"title\":\"Overview\",\"content\":\"All that I found, in my own words.\"}",
										       "{\"title\":\"Overview\"}")),
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect(&c, "c1_search notes.search query~\"kettle\"\n"
		       "c2_create_note notes.create_note\n");
}
END_TEST

START_TEST(test_numbers_and_enums)
{
	kit_case c = {
		.goal = "How many kilometres are 1,250.50 nautical miles?",
		.steps = STEPS(CALL(
			"almanac.convert_units",
			"{\"value\":1250.5,\"from_unit\":\"nautical_miles\",\"to_unit\":\"kilometres\",\"decimals\":4}",
			"{\"value\":1250.5,\"result\":2315.926}")),
		.answer = "2,315.926 km",
	};
	kit_expect(&c, "c1_convert_units almanac.convert_units value=1250.5 from_unit=\"nautical_miles\" "
		       "to_unit=\"kilometres\"\n"
		       "c1_convert_units_shows shows 2315.926\n");
	c.goal = "How many kilometres are two nautical miles?";
	c.steps = STEPS(CALL("almanac.convert_units",
			     "{\"value\":2,\"from_unit\":\"nautical_miles\",\"to_unit\":\"kilometres\",\"decimals\":4}",
			     "{\"value\":2,\"result\":3.704}"));
	kit_expect_part(&c, "c1_convert_units almanac.convert_units value=2 from_unit");
	c.steps = STEPS(CALL("almanac.convert_units",
			     "{\"value\":7,\"from_unit\":\"nautical_miles\",\"to_unit\":\"kilometres\",\"decimals\":2}",
			     "{\"value\":7,\"result\":12.964}"));
	c.answer = NULL;
	c.goal = "Two ships: how many kilometres are 7 nautical miles?"; /* no decimals are asked for */
	kit_expect(
		&c,
		"c1_convert_units almanac.convert_units value=7 from_unit=\"nautical_miles\" to_unit=\"kilometres\"\n");
	c.steps = STEPS(CALL("almanac.convert_units",
			     "{\"value\":2,\"from_unit\":\"nautical_miles\",\"to_unit\":\"kilometres\",\"decimals\":4}",
			     "{\"value\":2,\"result\":3.704}"));
	c.goal = "How many kilometres are 12-2 nautical miles, or v2.2, or P-2?"; /* no 2 stands for itself */
	kit_expect_part(&c, "c1_convert_units almanac.convert_units from_unit");
}
END_TEST

START_TEST(test_folded)
{
	const kit_case c = {
		.goal = "Get the details of LISBON.",
		.steps = STEPS(CALL("almanac.get_details", "{\"city\":\"Lisbon\"}",
				    "{\"city\":\"Lisbon\",\"country\":\"Portugal\"}")),
		.answer = "It lies in Portugal.",
	};
	kit_expect(&c, "c1_get_details almanac.get_details city~\"Lisbon\"\n");
}
END_TEST

/* Rule 3: get_product says P-1043 back; the search gave it. */
START_TEST(test_echo)
{
	const kit_case c = {
		.goal = "Order one kettle for C-207.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"kettle\"}", KETTLE) "," CALL(
			"shop.get_product", "{\"product_id\":\"P-1043\"}",
			PRODUCT) "," CALL("shop.place_order",
					  "{\"customer_id\":\"C-207\",\"items\":[{\"product_id\":\"P-1043\",\"quantity\":1}]}",
					  "{\"order_id\":6000,\"customer_id\":\"C-207\"}")),
		.answer = "Ordered.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect(&c, "c1_search shop.search query~\"kettle\"\n"
		       "c2_place_order shop.place_order customer_id=\"C-207\" items~\"P-1043\"\n"
		       "c1_search < c2_place_order\n"
		       "# Alternatives that were not tried: mirror.search, notes.search\n");
}
END_TEST

/* What a note says back of the number that was written into it is no second source. */
START_TEST(test_echo_of_parts)
{
	kit_case c = chain;
	c.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE) "," CALL(
		"shop.get_product", "{\"product_id\":\"P-1043\"}",
		PRODUCT) "," CALL("notes.append_note", "{\"title\":\"Kettle\",\"content\":\"There are 417 pieces.\"}",
				  "{\"content\":\"Kettle: There are 417 pieces.\"}") "," CALL("notes.create_note",
											      "{\"title\":\"Kettle\",\"content\":\"Again 417.\"}",
											      CREATED));
	kit_expect_part(&c, "c2_get_product < c3_append_note\nc2_get_product < c4_create_note\n");
}
END_TEST

/* --- Rule 4: what is kept ---------------------------------------------------------------------------------------- */

START_TEST(test_exploration_is_dropped)
{
	const kit_case c = {
		.goal = "Add 'paid' to the note Rent.",
		.steps = STEPS(CALL("notes.list_notes", "{}", "{\"count\":20}") "," CALL(
			"shop.list_orders", "{}",
			"{\"orders\":[{\"order_id\":5017}]}") "," CALL("notes.append_note",
								       "{\"title\":\"Rent\",\"content\":\"paid\"}",
								       "{\"size\":3121}")),
		.answer = "Done.",
	};
	kit_expect(&c, "c1_append_note notes.append_note title~\"Rent\" content~\"paid\"\n");
}
END_TEST

/* A search for a word that nobody meant gave nothing; one for a word in quotes was meant. */
START_TEST(test_empty_results)
{
	kit_case c = {
		.goal = "For a friend of mine: look for 'kettle'.",
		.steps = STEPS(CALL("notes.search", "{\"query\":\"mine\"}",
				    "{\"count\":0,\"notes\":[]}") "," CALL("notes.search", "{\"query\":\"kettle\"}",
									   "{\"count\":2,\"notes\":[\"a\",\"b\"]}")),
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c1_search notes.search query~\"kettle\"\n! ");
	c.goal = "For a friend: look for 'mine' and 'kettle'.";
	kit_expect_part(&c, "c1_search notes.search query~\"mine\"\nc2_search notes.search query~\"kettle\"\n! ");
}
END_TEST

START_TEST(test_siblings)
{
	const kit_case c = {
		.goal = "List the orders of C-207 and tell me the total of every one that matters.",
		.steps = STEPS(
			CALL("shop.list_orders", "{\"customer_id\":\"C-207\"}", "{\"orders\":[{\"order_id\":5017},{\"order_id\":5018}]}") "," CALL(
				"shop.get_order", "{\"order_id\":5017}",
				"{\"order_id\":5017,\"total\":99.5}") "," CALL("shop.get_order", "{\"order_id\":5018}",
									       "{\"order_id\":5018,\"total\":12}")),
		.answer = "The first costs 99.5.",
	};
	kit_expect(&c, "c1_list_orders shop.list_orders customer_id=\"C-207\"\n"
		       "c2_get_order shop.get_order order_id=5017\n"
		       "c2_get_order_shows shows 99.5\n"
		       "c3_get_order shop.get_order order_id=5018\n"
		       "c1_list_orders < c2_get_order\n"
		       "c1_list_orders < c3_get_order\n"
		       "! shop.cancel_order\n"
		       "! shop.delete_customer\n");
}
END_TEST

/* --- Rule 5: arrays ---------------------------------------------------------------------------------------------- */

START_TEST(test_arrays)
{
	const kit_case c = {
		.goal = "Create a note titled 'Plan' with the tags spring and tea.",
		.steps = STEPS(
			CALL("notes.create_note",
			     "{\"title\":\"Plan\",\"content\":\"Anything.\",\"tags\":[\"spring\",\"tea\",\"extra\"]}",
			     "{}")),
	};
	kit_expect(&c, "c1_create_note_1 notes.create_note title~\"Plan\" tags~\"spring\"\n"
		       "c1_create_note_2 notes.create_note title~\"Plan\" tags~\"tea\"\n");
}
END_TEST

/* --- Rule 7 ------------------------------------------------------------------------------------------------------ */

START_TEST(test_values)
{
	const kit_case c = {
		.goal = "Get the details of Lisbon.",
		.steps = STEPS(
			CALL("almanac.get_details", "{\"city\":\"Lisbon\"}",
			     "{\"population\":545796,\"founded\":\"1147-10-25\",\"code\":\"PT-11\",\"area\":100.05,"
			     "\"temperature\":21.4,\"elevation\":2}")),
		.answer = "545796 people, PT-11, 100.05 km2, 1147-10-25, 21.4 degrees, 2 m.",
	};
	kit_expect(
		&c,
		"c1_get_details almanac.get_details city~\"Lisbon\"\nc1_get_details_shows shows PT-11 shows 545796\n");
}
END_TEST

/* --- Rule 8 ------------------------------------------------------------------------------------------------------ */

START_TEST(test_alternatives)
{
	static const kit_reply same[] = {{"mirror.search", KETTLE, NULL},
					 {"notes.search", "{\"notes\":[]}", NULL},
					 {"mirror.get_product", "{\"stock\":1}", NULL},
					 {NULL, NULL, NULL}};
	static const kit_reply none[] = {{"mirror.search", NULL, NULL},
					 {"notes.search", NULL, NULL},
					 {"mirror.get_product", NULL, NULL},
					 {NULL, NULL, NULL}};
	kit_case c = chain;
	kit_run run;
	c.options = NULL;
	c.world = same;
	kit_distil(&c, &run);
	ck_assert_int_eq(run.rc, 0);
	ck_assert_ptr_nonnull(strstr(run.text, "c1_search shop.search mirror.search query~\"copper kettle\"\n"
					       "c2_get_product shop.get_product product_id"));
	ck_assert_ptr_null(strchr(run.text, '#'));
	ck_assert_uint_eq(run.calls, 3);
	ck_assert_uint_eq(run.resets, 3);
	kit_free(&run);
	c.world = none; /* errors of the tools: they are no alternatives */
	kit_expect_part(&c, "c1_search shop.search query~");
	c.world_fails = ASSAY_EUNREACH;
	kit_expect_part(&c, "# Alternatives that were not tried: mirror.search, notes.search, mirror.get_product\n");
	c.world_fails = ASSAY_ECANCELED;
	kit_distil(&c, &run);
	ck_assert_int_eq(run.rc, ASSAY_ECANCELED);
	ck_assert_str_eq(run.error, "the toy world fails");
	kit_free(&run);
}
END_TEST

/* A tool of another name does the same when what is needed stands in its answer under the same key. */
START_TEST(test_other_names)
{
	static const kit_reply same[] = {{"almanac.daily_figures", "{\"wind\":3,\"population\":545796}", NULL},
					 {NULL, NULL, NULL}};
	static const kit_reply chance[] = {{"almanac.daily_figures", "{\"visits\":545796}", NULL}, {NULL, NULL, NULL}};
	kit_case c = {
		.goal = "Get the details of Lisbon.",
		.steps = STEPS(CALL("almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"population\":545796}")),
		.answer = "545796 people.",
		.world = same,
	};
	kit_expect(&c, "c1_get_details almanac.get_details almanac.daily_figures city~\"Lisbon\"\n"
		       "c1_get_details_shows shows 545796\n");
	c.world = chance;
	kit_expect(&c, "c1_get_details almanac.get_details city~\"Lisbon\"\nc1_get_details_shows shows 545796\n");
}
END_TEST

/* The same value of something else is another answer. The lists are tried with notes.list_notes, which asks for
 * nothing. */
START_TEST(test_other_things)
{
	static const struct {
		const char *tool, *arguments, *result, *other_tool, *other, *answer;
		bool same;
	} cases[] = {
#define ORDERS "[{\"order_id\":5017,\"customer_id\":\"C-207\"},{\"order_id\":5018,\"customer_id\":\"C-209\"}]"
#define CUSTOMERS "[{\"customer_id\":\"C-207\"},{\"customer_id\":\"C-209\"}]"
		/* an order names its customer, and is none: in neither direction */
		{"shop.list_orders", "{}", "{\"orders\":" ORDERS "}", "notes.list_notes",
		 "{\"customers\":" CUSTOMERS "}", "C-209", false},
		{"shop.list_orders", "{}", "{\"customers\":" CUSTOMERS "}", "notes.list_notes",
		 "{\"orders\":" ORDERS "}", "C-209", false},
		/* the same orders in another shape and order, and one too few of them */
		{"shop.list_orders", "{}", "{\"orders\":" ORDERS "}", "notes.list_notes",
		 "[{\"order_id\":5018,\"by\":{\"customer_id\":\"C-209\"}},"
		 "{\"order_id\":5017,\"by\":{\"customer_id\":\"C-207\"}}]",
		 "C-209", true},
		{"shop.list_orders", "{}", "{\"orders\":" ORDERS "}", "notes.list_notes",
		 "{\"order_id\":5018,\"customer_id\":\"C-209\"}", "C-209", false},
		/* as many of this as of that */
		{"shop.list_orders", "{}", "{\"count\":120}", "notes.list_notes", "{\"count\":120}", "120", false},
		/* one city's people, another city's, and who knows whose */
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"city\":\"Lisbon\",\"population\":545796}",
		 "almanac.daily_figures", "{\"place\":{\"city\":\"Lisbon\"},\"population\":545796}", "545796", false},
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"city\":\"Lisbon\",\"population\":545796}",
		 "almanac.daily_figures", "{\"city\":\"Lisbon\",\"now\":{\"population\":545796}}", "545796", true},
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"city\":\"Lisbon\",\"population\":545796}",
		 "almanac.daily_figures", "{\"city\":\"Porto\",\"population\":545796}", "545796", false},
		/* too short to be checked, and yet what was asked for */
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"city\":\"Lisbon\",\"hills\":7}",
		 "almanac.daily_figures", "{\"city\":\"Lisbon\",\"hills\":7}", "7", true},
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"city\":\"Lisbon\",\"hills\":7}",
		 "almanac.daily_figures", "{\"city\":\"Lisbon\",\"hills\":8}", "7", false},
		{"almanac.get_details", "{\"city\":\"Lisbon\"}", "{\"hills\":7}", "almanac.daily_figures",
		 "{\"hills\":7}", "7", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const kit_reply world[] = {{cases[i].other_tool, cases[i].other, NULL}, {NULL, NULL, NULL}};
		char steps[400];
		kit_case c = {.goal = "Tell me about Lisbon.",
			      .steps = steps,
			      .answer = cases[i].answer,
			      .world = world};
		kit_run run;
		snprintf(steps, sizeof steps, "[{\"t\":\"%s\",\"a\":%s,\"r\":%s}]", cases[i].tool, cases[i].arguments,
			 cases[i].result);
		kit_distil(&c, &run);
		ck_assert_int_eq(run.rc, 0);
		ck_assert_msg((strstr(run.text, cases[i].other_tool) != NULL) == cases[i].same, "case %zu: %s", i,
			      run.text);
		kit_free(&run);
	}
}
END_TEST

/* No live world at all: nothing is tried, and the notes say so. */
START_TEST(test_no_world)
{
	kit_case c = chain;
	c.options = NULL;
	kit_expect_part(&c, "# Alternatives that were not tried: mirror.search, notes.search, mirror.get_product\n");
}
END_TEST

/* list_orders of the mirror asks for other arguments: it is no candidate. Nor is what writes. */
START_TEST(test_schema_admits)
{
	const kit_case c = {
		.goal = "List the orders of C-207.",
		.steps = STEPS(
			CALL("shop.list_orders", "{\"customer_id\":\"C-207\"}", "{\"orders\":[{\"order_id\":5017}]}")),
		.answer = "Order 5017.",
	};
	kit_expect(&c, "c1_list_orders shop.list_orders customer_id=\"C-207\"\n"
		       "c1_list_orders_shows shows 5017\n"
		       "! shop.cancel_order\n"
		       "! shop.delete_customer\n");
}
END_TEST

/* --- Rule 9 ------------------------------------------------------------------------------------------------------ */

START_TEST(test_minefields)
{
	kit_case c = {
		.goal = "Add 'paid' to the note Rent.",
		.steps = STEPS(CALL("notes.append_note", "{\"title\":\"Rent\",\"content\":\"paid\"}", "{}")),
		.tags = "[\"strategy:destructive_adjacent\"]",
	};
	kit_expect_part(&c, "\n! notes.delete_note\n");
	c.tags = "[\"strategy:random\",7]";
	kit_expect(&c, "c1_append_note notes.append_note title~\"Rent\" content~\"paid\"\n");
	c.goal = "Delete the note Rent.";
	c.tags = "[\"strategy:destructive_adjacent\"]";
	c.steps = STEPS(CALL("notes.delete_note", "{\"title\":\"Rent\"}", "{}"));
	kit_expect(&c, "c1_delete_note notes.delete_note title~\"Rent\"\n");
}
END_TEST

/* --- Rule 10 ----------------------------------------------------------------------------------------------------- */

static void expect_prompt(const char *goal, const char *prompt)
{
	const kit_case c = {
		.goal = goal,
		.steps = STEPS(CALL("notes.append_note", "{\"title\":\"Rent\",\"content\":\"paid\"}", "{}")),
	};
	kit_run run;
	kit_distil(&c, &run);
	ck_assert_int_eq(run.rc, 0);
	ck_assert_str_eq(as_json_cstr(as_json_get(run.body, "prompt"), ""), prompt);
	kit_free(&run);
}

START_TEST(test_prompt)
{
	expect_prompt(" Use notes__append_note to add 'paid' to Rent. ", "Use append note to add 'paid' to Rent.");
	expect_prompt("Call append_note() with Rent, then notes.read_note.",
		      "Call append note with Rent, then read note.");
	expect_prompt("Call `append_note` for Rent and `search` for `x`.",
		      "Call append note for Rent and search for `x`.");
	expect_prompt("Rent: shop/get_product, shop::get_order, shop:search.", "Rent: get product, get order, search.");
	expect_prompt("search Rent with my_append_note-x or append_notes",
		      "search Rent with my_append_note-x or append_notes");
	expect_prompt("R\xc3\xa9sum\xc3\xa9 of Rent by append_note- and __append_note",
		      "R\xc3\xa9sum\xc3\xa9 of Rent by append note- and __append_note");
}
END_TEST

/* The first search gave nothing and was asked again; but it meets the second one's check, which so tells nothing. */
START_TEST(test_redundant_checks)
{
	const kit_case c = {
		.goal = "Find the kettle made of copper and order it for C-207.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"kettle made\"}", "{\"products\":[]}") "," CALL(
			"shop.search", "{\"query\":\"kettle\"}",
			KETTLE) "," CALL("shop.place_order",
					 "{\"customer_id\":\"C-207\",\"items\":[{\"product_id\":\"P-1043\"}]}",
					 "{\"order_id\":6000}")),
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c1_place_order shop.place_order customer_id=\"C-207\" items~\"P-1043\"\n# ");
}
END_TEST

START_TEST(test_rejections)
{
	kit_case c = chain;
	c.goal = "  ";
	kit_expect_rejected(&c, "the goal has no text");
	c = chain;
	c.steps = "[]";
	kit_expect_rejected(&c, "the trace has no successful call");
	c.steps = STEPS(FAILED("shop.search", "{\"query\":\"x\"}", "no"));
	kit_expect_rejected(&c, "the trace has no successful call");
	c.steps = STEPS(CALL("notes.list_notes", "{}", "{\"count\":20}"));
	kit_expect_rejected(&c, "no call writes, carries a value of the goal or gives a value of the answer");
	c.steps = STEPS(CALL("attic.find\\nit", "{\"q\":\"copper kettle\"}", "{}"));
	kit_expect_rejected(&c, "step 0 calls find it on attic, which the catalogue does not have");
	c.goal = "Add two remarks to the note Rent.";
	c.steps = STEPS(CALL("notes.append_note", "{\"title\":\"Rent\",\"content\":\"a\"}",
			     "{}") "," CALL("notes.append_note", "{\"title\":\"Rent\",\"content\":\"b\"}", "{}"));
	kit_expect_rejected(&c, "the task passes without step 0, append_note on notes, which writes");
	c = chain;
	c.score_says = -1;
	kit_expect_rejected(&c, "the reference does not pass its own checks");
	c.score_says = 1;
	c.steps = STEPS(CALL("shop.search", "{\"query\":\"copper kettle\"}", KETTLE));
	kit_expect_rejected(&c, "every kept call can be left out");
}
END_TEST

/* Each page was found by a search of its own: the pages are siblings all the same. A year is no evidence. */
START_TEST(test_siblings_of_different_calls)
{
	const kit_case c = {
		.goal = "Search the shop for lanterns and for kettles, and look at one of each.",
		.steps = STEPS(CALL("shop.search", "{\"query\":\"lanterns\"}", "[{\"product_id\":\"P-1\"}]") "," CALL(
			"shop.search", "{\"query\":\"kettles\"}",
			"[{\"product_id\":\"P-2\"}]") "," CALL("shop.get_product", "{\"product_id\":\"P-1\"}",
							       "{\"about\":\"Made since 1987, sold 4711 times\"}") "," CALL("shop.get_product",
															    "{\"product_id\":\"P-2\"}",
															    "{\"about\":\"Made of copper\"}")),
		.answer = "1987, 4711.",
		.options = "{\"try_alternatives\":false}",
	};
	kit_expect_part(&c, "c3_get_product shop.get_product product_id=\"P-1\"\n"
			    "c3_get_product_shows shows 4711\n"
			    "c4_get_product shop.get_product product_id=\"P-2\"\n"
			    "c1_search < c3_get_product\n"
			    "c2_search < c4_get_product\n");
}
END_TEST

/* What the goal asked for was tried and never done: such a reference shows nothing of it. */
START_TEST(test_unrepaired)
{
	kit_case c = {
		.goal = "List the open orders and order product P-1150 for C-207.",
		.steps = STEPS(
			CALL("shop.list_orders", "{\"status\":\"open\"}", "{\"orders\":[{\"order_id\":5017}]}") "," FAILED(
				"shop.place_order", "{\"customer_id\":\"C-207\",\"items\":[\"P-1150\"]}",
				"out of stock")),
		.answer = "5017 is open, the rest could not be done.",
	};
	kit_expect_rejected(&c, "step 1, place_order on shop, failed and was never made good");
	c.steps = STEPS(CALL("shop.list_orders", "{\"status\":\"open\"}",
			     "{\"orders\":[{\"order_id\":5017}]}") "," FAILED("shop.get_product",
									      "{\"product_id\":\"P-1150\"}",
									      "no such product"));
	kit_expect_rejected(&c, "step 1, get_product on shop, failed and was never made good");
	c.steps = STEPS(FAILED("shop.get_product", "{\"product_id\":\"P-9\"}",
			       "no such product") "," CALL("shop.list_orders", "{\"status\":\"open\"}",
							   "{\"orders\":[{\"order_id\":5017}]}"));
	kit_expect_part(&c, "c1_list_orders shop.list_orders status=\"open\"\n");
}
END_TEST

START_TEST(test_many_calls)
{
	as_buf steps = {0};
	kit_case c = chain;
	as_buf_puts(&steps, "[");
	for (int i = 0; i < 60; i++) {
		as_buf_printf(&steps,
			      "%s{\"t\":\"notes.append_note\",\"a\":{\"title\":\"t%d\",\"content\":\"c\"},\"r\":{}}",
			      i ? "," : "", i);
	}
	as_buf_puts(&steps, "]");
	c.steps = steps.ptr;
	kit_expect_rejected(&c, "the goal takes 60 calls; at most 48 make a task");
	steps.len--;
	for (int i = 0; i < 200; i++) {
		as_buf_printf(&steps, ",{\"t\":\"notes.list_notes\",\"a\":{\"tag\":\"%d\"},\"r\":{}}", i);
	}
	as_buf_puts(&steps, "]");
	c.steps = steps.ptr;
	kit_expect_rejected(&c, "the trace has more than 256 calls");
	as_buf_free(&steps);
}
END_TEST

START_TEST(test_scorer_failures)
{
	kit_case c = chain;
	kit_run run;
	c.fail_score = ASSAY_ENOTSUP;
	kit_distil(&c, &run);
	ck_assert_int_eq(run.rc, ASSAY_ENOTSUP);
	ck_assert_str_eq(run.error, "the toy scorer fails");
	ck_assert_ptr_null(run.body);
	kit_free(&run);
	c = chain;
	c.cancelled = true;
	kit_distil(&c, &run);
	ck_assert_int_eq(run.rc, ASSAY_ECANCELED);
	ck_assert_str_eq(run.error, "cancelled");
	kit_free(&run);
	c = chain;
	c.no_time = true;
	kit_expect_rejected(&c, "there was not enough time to check the task");
}
END_TEST

/* --- Hostile input ----------------------------------------------------------------------------------------------- */

START_TEST(test_garbage)
{
	static const char *const traces[] = {
		"null",
		"[]",
		"{}",
		"{\"steps\":7}",
		"{\"steps\":[1,null,\"x\",[],{}]}",
		"{\"steps\":[{\"kind\":\"call_tool_agent\"}]}",
		"{\"steps\":[{\"kind\":\"call_tool_agent\",\"status\":\"success\"}]}",
		"{\"steps\":[{\"kind\":\"call_tool_agent\",\"status\":\"success\",\"server_id\":7,\"tool_name\":[],\"arguments\":"
		"\"copper kettle\",\"result\":[1,2]}]}",
		"{\"steps\":[{\"kind\":\"call_tool_agent\",\"status\":\"success\",\"server_id\":\"shop\",\"tool_name\":\"search\","
		"\"arguments\":{\"\":{\"\":[[[\"copper kettle\"]]]},\"query\":null},\"result\":{\"content\":[null,7,{\"type\":"
		"\"text\"},{\"type\":\"text\",\"text\":7},{\"type\":\"text\",\"text\":\"{\\\"a\\\":\"},{\"type\":\"text\",\"text\":"
		"\"[[[[1e999,-0,0042,99999999999999999999999999999999999999999999,\\\"\\\\u0000 5017\\\"]]]]\"}]}}],"
		"\"seed_metadata\":{\"exploration\":{\"final_message\":7}}}",
		"{\"steps\":[{\"kind\":\"call_tool_agent\",\"status\":\"success\",\"server_id\":\"shop\",\"tool_name\":\"search\","
		"\"arguments\":{\"query\":\"copper kettle\"},\"result\":{\"content\":\"x\",\"structuredContent\":[[],{},[7,\"-\",\".\","
		"\"1.\",\"-.\",\",\",\"1,2\",\"12:\",\"2026-\",\"--1\",\"`\",\"P-\\u00e9\"]]}}]}",
	};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		kit_case c = chain;
		kit_run run;
		c.score_says = -1;
		c.trace = traces[i];
		kit_distil(&c, &run);
		ck_assert_int_eq(run.rc, 0);
		ck_assert_msg(strncmp(run.text, "rejected: ", 10) == 0, "%s: %s", traces[i], run.text);
		kit_free(&run);
	}
}
END_TEST

/* A deep, wide and long result is read up to its bounds. */
START_TEST(test_huge_result)
{
	as_buf steps = {0};
	kit_case c = {.goal = "Find the copper kettle.", .options = "{\"try_alternatives\":false}"};
	as_buf_puts(&steps, "[{\"t\":\"shop.search\",\"a\":{\"query\":\"copper kettle\",\"x\":[");
	for (int i = 0; i < 3000; i++) {
		as_buf_printf(&steps, "%s%d", i ? "," : "", i);
	}
	as_buf_puts(&steps, "]},\"r\":{\"deep\":");
	for (int i = 0; i < 60; i++) {
		as_buf_puts(&steps, "[");
	}
	for (int i = 0; i < 60; i++) {
		as_buf_puts(&steps, "]");
	}
	as_buf_puts(&steps, ",\"wide\":[");
	for (int i = 0; i < 20000; i++) {
		as_buf_printf(&steps, "%s\"value %d of many\"", i ? "," : "", i * 7);
	}
	as_buf_puts(&steps, "]}}]");
	c.steps = steps.ptr;
	kit_expect_part(&c, "c1_search shop.search query~\"copper kettle\"\n");
	as_buf_free(&steps);
}
END_TEST

START_TEST(test_determinism)
{
	kit_run a, b;
	assay_text x = {0}, y = {0};
	kit_distil(&chain, &a);
	kit_distil(&chain, &b);
	ck_assert_int_eq(as_json_dump(a.body, ASSAY_JSON_COMPACT, &x, NULL), 0);
	ck_assert_int_eq(as_json_dump(b.body, ASSAY_JSON_COMPACT, &y, NULL), 0);
	ck_assert_str_eq(x.ptr, y.ptr);
	ck_assert_ptr_nonnull(
		strstr(x.ptr, "{\"kind\":\"tool_effect\",\"checkpoint_id\":\"c2_get_product\",\"description\":"
			      "\"Get product with product id \\\"P-1043\\\"\",\"equivalence_set\":[{\"server_id\":"
			      "\"shop\",\"tool_name\":\"get_product\"}],\"arg_predicate\":{\"must_include\":{"
			      "\"product_id\":\"P-1043\"},\"must_match\":{}},\"must_succeed\":true}"));
	as_text_free(&x);
	as_text_free(&y);
	kit_free(&a);
	kit_free(&b);
}
END_TEST

/* Memory that runs out anywhere is told, and nothing leaks. */
START_TEST(test_out_of_memory)
{
	kit_run_out_of_memory(chain);
}
END_TEST

UNIT_SUITE(distiller_suite, "distiller", test_chain, test_text_results, test_goal_wins_over_results, test_order,
	   test_short_values, test_repeats, test_repeats_with_defaults, test_repair, test_defaults_and_free,
	   test_numbers_and_enums, test_folded, test_echo, test_echo_of_parts, test_exploration_is_dropped,
	   test_empty_results, test_siblings, test_siblings_of_different_calls, test_unrepaired, test_arrays,
	   test_values, test_alternatives, test_other_names, test_other_things, test_no_world, test_schema_admits,
	   test_minefields, test_prompt, test_redundant_checks, test_rejections, test_many_calls, test_scorer_failures,
	   test_garbage, test_huge_result, test_determinism, test_out_of_memory)
UNIT_MAIN(distiller_suite)
