/* distiller/provenance: state conditions, found in a toy world that remembers which writes were made. */
#include "tests/unit/distiller_kit.h"
#include "tests/unit/unit.h"

/* What a write leaves behind is found by a read with the write and without it, and asked for in the end. */
START_TEST(test_states)
{
	static const kit_reply writes[] = {{"notes.create_note", "{\"ok\":true}", NULL},
					   {"notes.read_note",
					    "{\"title\":\"Kettle order\",\"content\":\"Two kettles\"}",
					    "notes.create_note"},
					   {"notes.read_note", NULL, NULL},
					   {NULL, NULL, NULL}};
	static const kit_reply buys[] = {{"shop.place_order", "{\"order_id\":51}", NULL},
					 {"shop.search", "{\"count\":0}", NULL},
					 {"shop.get_product", "{\"product_id\":\"P-1008\",\"stock\":4}",
					  "shop.place_order"},
					 {"shop.get_product", "{\"product_id\":\"P-1008\",\"stock\":46}", NULL},
					 {NULL, NULL, NULL}};
	static const kit_reply removes[] = {{"notes.delete_note", "{\"ok\":true}", NULL},
					    {"notes.read_note", NULL, "notes.delete_note"},
					    {"notes.read_note", "{\"content\":\"x\"}", NULL},
					    {"notes.search", "{\"count\":0}", NULL},
					    {"notes.list_notes", "{\"notes\":[\"Rent\"]}", "notes.delete_note"},
					    {"notes.list_notes", "{\"notes\":[\"Old list (2)\",\"Rent\"]}", NULL},
					    {NULL, NULL, NULL}};
	static const kit_reply idle[] = {{"notes.create_note", "{\"ok\":true}", NULL},
					 {"notes.read_note", "{\"title\":\"Kettle order\"}", NULL},
					 {"notes.search", "{\"notes\":[\"Kettle order\"]}", NULL},
					 {"notes.list_notes", "{\"notes\":[\"Kettle order\"]}", NULL},
					 {NULL, NULL, NULL}};
	static const kit_reply refuses[] = {{"notes.create_note", NULL, NULL}, {NULL, NULL, NULL}};
	kit_case c = {.goal = "Create a note titled \"Kettle order\" with the content \"Two kettles\".",
		      .steps = "[{\"t\":\"notes.create_note\",\"a\":{\"title\":\"Kettle order\",\"content\":\"Two "
			       "kettles\"},\"r\":{\"ok\":true}}]",
		      .options = "{}",
		      .world = writes};
	kit_expect_part(&c, "\ns1_read_note notes.read_note {\"title\":\"Kettle order\"} shows Kettle order shows Two "
			    "kettles\n");
	c.options = "{\"state_conditions\":false}";
	c.world = NULL;
	kit_expect(&c, "c1_create_note notes.create_note title~\"Kettle order\" content~\"Two kettles\"\n");
	c.options = "{}";
	c.world = idle; /* as it was before: nothing is seen of it */
	kit_expect(&c, "c1_create_note notes.create_note title~\"Kettle order\" content~\"Two kettles\"\n");
	c.world = refuses; /* a fresh environment does not do it again */
	kit_expect(&c, "c1_create_note notes.create_note title~\"Kettle order\" content~\"Two kettles\"\n");
	/* The agent's own words are nobody's business. */
	c.goal = "Create a note titled \"Kettle order\".";
	c.world = writes;
	kit_expect_part(&c, "s1_read_note notes.read_note {\"title\":\"Kettle order\"} shows Kettle order\n");
	c = (kit_case){
		.goal = "Order 2 pieces of P-1008 for customer C-204.",
		.steps = "[{\"t\":\"shop.place_order\",\"a\":{\"customer_id\":\"C-204\",\"items\":[{\"product_id\":"
			 "\"P-1008\",\"quantity\":2}]},\"r\":{\"order_id\":51}}]",
		.options = "{}",
		.world = buys};
	kit_expect_part(&c, "s1_get_product shop.get_product {\"product_id\":\"P-1008\"} shows \"stock\":4}\n");
	c = (kit_case){.goal = "Delete the note \"Old list (2)\".",
		       .steps =
			       "[{\"t\":\"notes.delete_note\",\"a\":{\"title\":\"Old list (2)\"},\"r\":{\"ok\":true}}]",
		       .options = "{}",
		       .world = removes};
	kit_run_out_of_memory(c);
	kit_expect_part(&c, "s1_list_notes notes.list_notes {} matches \\A(?![\\s\\S]*Old list \\(2\\))\n");
	c.world_fails = ASSAY_EUNREACH; /* a world that breaks down shows nothing */
	kit_expect(&c, "c1_delete_note notes.delete_note title~\"Old list (2)\"\n");
}
END_TEST

UNIT_SUITE(states_suite, "distiller states", test_states)
UNIT_MAIN(states_suite)
