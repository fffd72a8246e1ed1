/* llm/heuristic: goals in toy worlds, with the calls that they must lead to. */
#include "tests/unit/heuristic_kit.h"
#include "tests/unit/unit.h"
#include <string.h>

/* --- Rule 1 and 2: clauses and values --- */

START_TEST(test_one_clause)
{
	toy_expect(&toy_all, "Search the library for books about 'Dune'.", "lib__search_books {\"query\":\"Dune\"}\n",
		   "B-71");
	toy_expect(&toy_all, "Please read the file /data/plan.txt and tell me the budget.",
		   "fs__read_file {\"path\":\"/data/plan.txt\"}\n", "1200");
	toy_expect(&toy_all, "Could you get issue #57?", "bugs__get_issue {\"issue_number\":57}\n", "login is slow");
	toy_expect(&toy_all, "Get the book with book_id=B-12.", "lib__get_book {\"book_id\":\"B-12\"}\n", "474");
}
END_TEST

START_TEST(test_clauses)
{
	toy_expect(&toy_all, "Read /data/a.txt, then move it to /data/old/a.txt.",
		   "fs__read_file {\"path\":\"/data/a.txt\"}\n"
		   "fs__move_file {\"source\":\"/data/a.txt\",\"destination\":\"/data/old/a.txt\"}\n",
		   NULL);
	toy_expect(
		&toy_all,
		"1. List the files in the directory /data.\n2. Write a file /data/new.txt with the content \"Hi; there. "
		"Then go.\".\n3. Delete the file /data/b.txt.",
		"fs__list_directory {\"path\":\"/data\"}\n"
		"fs__write_file {\"path\":\"/data/new.txt\",\"content\":\"Hi; there. Then go.\"}\n"
		"fs__delete_file {\"path\":\"/data/b.txt\"}\n",
		NULL);
	toy_expect(&toy_all, "I was away. Set the state of issue 41 to closed; assign issue 57 to 'bob'",
		   "bugs__set_state {\"issue_number\":41,\"state\":\"closed\"}\n"
		   "bugs__assign {\"issue_number\":57,\"assignee\":\"bob\"}\n",
		   NULL);
}
END_TEST

START_TEST(test_small_talk)
{
	toy_expect(&toy_all,
		   "This is for a report of mine. My manager is waiting. Get the book B-12, so that I can go on.",
		   "lib__get_book {\"book_id\":\"B-12\"}\n", NULL);
	toy_expect(&toy_all, "Is the book B-12 a long one? I need to know how many pages it has.",
		   "lib__get_book {\"book_id\":\"B-12\"}\n", "474");
	/* What stands in quotes is read as a whole. */
	toy_expect(
		&toy_all, "Create an issue titled 'Plan for summer, then list all; delete it' with priority low.",
		"bugs__create_issue {\"title\":\"Plan for summer, then list all; delete it\",\"priority\":\"low\"}\n",
		NULL);
}
END_TEST

START_TEST(test_values)
{
	toy_expect(&toy_all, "Move the file /tmp/a.txt to /tmp/b.txt.",
		   "fs__move_file {\"source\":\"/tmp/a.txt\",\"destination\":\"/tmp/b.txt\"}\n", NULL);
	toy_expect(&toy_all, "Search the directory /data for files with the pattern 'TODO'.",
		   "fs__search_files {\"path\":\"/data\",\"pattern\":\"TODO\"}\n", "/data/a.txt");
	toy_expect(&toy_all, "Lend the book B-12 to member M-3 until March 3, 2026.",
		   "lib__create_loan {\"member_id\":\"M-3\",\"book_id\":\"B-12\",\"due_date\":\"2026-03-03\"}\n",
		   "L-9");
	toy_expect(&toy_all, "Change the email of member M-3 to ada@new.org",
		   "lib__update_member {\"member_id\":\"M-3\",\"email\":\"ada@new.org\"}\n", NULL);
}
END_TEST

START_TEST(test_phrases)
{
	toy_expect(&toy_library, "Search for books about Dune and Emma.",
		   "lib__search_books {\"query\":\"Dune\"}\nlib__search_books {\"query\":\"Emma\"}\n", "B-12");
	toy_expect(&toy_library, "Look for a book about gardening.", "lib__search_books {\"query\":\"gardening\"}\n",
		   NULL);
}
END_TEST

/* --- Rule 4: binding --- */

START_TEST(test_enum_and_nested)
{
	toy_expect(&toy_all, "Search the issues in progress for 'login'.",
		   "bugs__search_issues {\"query\":\"login\",\"state\":\"in_progress\"}\n", "login fails");
	toy_expect(&toy_all, "Log 45 minutes of work on issue 41 with the comment 'tests'.",
		   "bugs__log_work {\"issue_number\":41,\"entry\":{\"minutes\":45,\"comment\":\"tests\"}}\n", NULL);
	toy_expect(
		&toy_all, "Create an issue titled 'Crash on start' with priority 'high' and the labels 'bug' and 'ui'.",
		"bugs__create_issue {\"title\":\"Crash on start\",\"labels\":[\"bug\",\"ui\"],\"priority\":\"high\"}\n",
		"99");
}
END_TEST

START_TEST(test_earlier_results)
{
	toy_expect(&toy_all, "Find the book named 'Dune', then get its details.",
		   "lib__search_books {\"query\":\"Dune\"}\nlib__get_book {\"book_id\":\"B-71\"}\n", "K4");
	toy_expect(&toy_all,
		   "Create an issue titled 'Slow' with priority low and assign it to 'bob' using the number you got.",
		   "bugs__create_issue {\"title\":\"Slow\",\"priority\":\"low\"}\n"
		   "bugs__assign {\"issue_number\":99,\"assignee\":\"bob\"}\n",
		   NULL);
}
END_TEST

START_TEST(test_choice_and_filter)
{
	toy_expect(&toy_all,
		   "Search the issues for 'login' and set the state of the one with the most votes to closed.",
		   "bugs__search_issues {\"query\":\"login\"}\n"
		   "bugs__set_state {\"issue_number\":57,\"state\":\"closed\"}\n",
		   NULL);
	toy_expect(&toy_all, "Search for books about 'Dune' and get the details of each book with a year below 1968.",
		   "lib__search_books {\"query\":\"Dune\"}\nlib__get_book {\"book_id\":\"B-71\"}\n", "612");
}
END_TEST

/* --- Rule 5: producers --- */

START_TEST(test_producers)
{
	toy_expect(&toy_all, "Get the book 'Emma'.",
		   "lib__search_books {\"query\":\"Emma\"}\nlib__get_book {\"book_id\":\"B-12\"}\n", "1815");
	toy_expect(&toy_all, "List the loans of the member 'Ada Lovelace'.",
		   "lib__find_member {\"name\":\"Ada Lovelace\"}\nlib__list_loans {\"member_id\":\"M-3\"}\n", "L-2");
	/* Two at once. */
	toy_expect(&toy_all, "Lend the book 'Emma' to the member 'Alan Kay'.",
		   "lib__find_member {\"name\":\"Alan Kay\"}\nlib__search_books {\"query\":\"Emma\"}\n"
		   "lib__create_loan {\"member_id\":\"M-8\",\"book_id\":\"B-12\"}\n",
		   NULL);
}
END_TEST

START_TEST(test_chain_of_three)
{
	toy_expect(&toy_all, "Renew the first loan of the member 'Ada Lovelace'.",
		   "lib__find_member {\"name\":\"Ada Lovelace\"}\nlib__list_loans {\"member_id\":\"M-3\"}\n"
		   "lib__renew_loan {\"loan_id\":\"L-1\"}\n",
		   "2026-06-01");
}
END_TEST

/* A number that the clause names, told by a tool that mentions it. */
START_TEST(test_number_by_name)
{
	toy_expect(&toy_all, "Search for the book 'Emma' and log its pages as minutes on issue 41.",
		   "lib__search_books {\"query\":\"Emma\"}\nlib__get_book {\"book_id\":\"B-12\"}\n"
		   "bugs__log_work {\"issue_number\":41,\"entry\":{\"minutes\":474}}\n",
		   NULL);
}
END_TEST

/* "it" is nothing when nothing was found, and a change needs a reason for what it changes. */
START_TEST(test_no_referent)
{
	toy_expect(&toy_all, "Search for books about 'Nonesuch', then lend the first one to member M-3.",
		   "lib__search_books {\"query\":\"Nonesuch\"}\n", "nothing was found");
}
END_TEST

START_TEST(test_no_producer)
{
	toy_run run;
	toy_work(&toy_library, "Renew the loan of the member 'Nobody'.", "careful", 12, &run);
	ck_assert_str_eq(run.calls.ptr, "lib__find_member {\"name\":\"Nobody\"}\n");
	ck_assert_ptr_nonnull(strstr(run.answer.ptr, "could not be done"));
	toy_free(&run);
}
END_TEST

/* --- Rule 6: each --- */

START_TEST(test_each)
{
	toy_expect(&toy_all, "Find the member 'Ada Lovelace', list their loans and renew each of them.",
		   "lib__find_member {\"name\":\"Ada Lovelace\"}\nlib__list_loans {\"member_id\":\"M-3\"}\n"
		   "lib__renew_loan {\"loan_id\":\"L-1\"}\nlib__renew_loan {\"loan_id\":\"L-2\"}\n",
		   NULL);
	toy_expect(&toy_all, "Get the books B-12, B-70 and B-71.",
		   "lib__get_book {\"book_id\":\"B-12\"}\nlib__get_book {\"book_id\":\"B-70\"}\n"
		   "lib__get_book {\"book_id\":\"B-71\"}\n",
		   "256");
	toy_expect(&toy_all, "Get the books \"B-1\", \"B-2\", \"B-3\", \"B-4\", \"B-12\", \"B-70\" and \"B-71\".",
		   "lib__get_book {\"book_id\":\"B-1\"}\nlib__get_book {\"book_id\":\"B-2\"}\n"
		   "lib__get_book {\"book_id\":\"B-3\"}\nlib__get_book {\"book_id\":\"B-4\"}\n"
		   "lib__get_book {\"book_id\":\"B-12\"}\n",
		   NULL);
}
END_TEST

START_TEST(test_each_search)
{
	toy_expect(&toy_library, "Search for books about Dune and Emma, then get the details of each.",
		   "lib__search_books {\"query\":\"Dune\"}\nlib__search_books {\"query\":\"Emma\"}\n"
		   "lib__get_book {\"book_id\":\"B-71\"}\nlib__get_book {\"book_id\":\"B-12\"}\n",
		   NULL);
}
END_TEST

START_TEST(test_conversation)
{
	toy_run run;
	toy_work(&toy_all, "List the loans of the member 'Ada Lovelace'.", "careful", 12, &run);
	toy_go_on(&toy_all, "Thanks. Now renew the first one.", 12, &run);
	ck_assert_str_eq(run.calls.ptr, "lib__renew_loan {\"loan_id\":\"L-1\"}\n");
	toy_free(&run);
}
END_TEST

START_TEST(test_never_twice)
{
	toy_expect(&toy_all, "Read /data/a.txt. Read the file /data/a.txt again. Show me /data/a.txt.",
		   "fs__read_file {\"path\":\"/data/a.txt\"}\n", NULL);
}
END_TEST

/* --- Rule 7: repair --- */

START_TEST(test_repair)
{
	toy_expect(&toy_all, "Assign issue 41 to 'ada'.",
		   "bugs__assign {\"issue_number\":41,\"assignee\":\"ada\"}\n"
		   "bugs__assign {\"issue_number\":41,\"assignee\":\"ada.l\"}\n",
		   NULL);
	toy_expect(&toy_all, "Create an issue titled 'Typo' with the priority 'urgent'; it is no high matter.",
		   "bugs__create_issue {\"title\":\"Typo\",\"priority\":\"urgent\"}\n"
		   "bugs__create_issue {\"title\":\"Typo\",\"priority\":\"high\"}\n",
		   "99");
	/* But an id is no slip of the pen. */
	toy_expect(&toy_all, "Assign issue 41 to 'u-77'.", "bugs__assign {\"issue_number\":41,\"assignee\":\"u-77\"}\n",
		   "u-78");
	toy_run run;
	toy_work(&toy_files, "Read the file /data/missing.txt.", "careful", 12, &run);
	ck_assert_msg(strstr(run.answer.ptr, "could not be done: ENOENT"), "%s%s", run.calls.ptr, run.answer.ptr);
	toy_free(&run);
}
END_TEST

/* --- Rule 3: destructive tools --- */

START_TEST(test_destructive)
{
	static const char *const harmless[] = {
		"Tidy up member M-3.",
		"Show the member M-3 and their loans, but do not delete anything.",
		"Find the loans.",
		"Cancel the loan L-1.",
		"Check the deleted loans of member M-3.",
		"Update all loans.",
	};
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
		toy_run run;
		toy_work(&toy_library, harmless[i], "careful", 12, &run);
		ck_assert_msg(strstr(run.calls.ptr, "delete") == NULL, "%s\n%s", harmless[i], run.calls.ptr);
		toy_free(&run);
		toy_work(&toy_library, harmless[i], "random", 12, &run);
		ck_assert_msg(strstr(run.calls.ptr, "delete") == NULL, "%s\n%s", harmless[i], run.calls.ptr);
		toy_free(&run);
	}
	toy_expect(&toy_all, "Delete the member 'Alan Kay'.",
		   "lib__find_member {\"name\":\"Alan Kay\"}\nlib__delete_member {\"member_id\":\"M-8\"}\n", NULL);
	toy_expect(&toy_all, "Delete all loans.", "lib__delete_all_loans {\"confirm\":true}\n", "deleted 7");
}
END_TEST

START_TEST(test_conditions)
{
	toy_expect(
		&toy_all,
		"If the year of the book B-12 is below 1900, create an issue titled 'Old' with priority low; otherwise "
		"create an issue titled 'New' with priority low.",
		"lib__get_book {\"book_id\":\"B-12\"}\nbugs__create_issue {\"title\":\"Old\",\"priority\":\"low\"}\n",
		NULL);
	toy_expect(
		&toy_all,
		"Get the book B-71. If its pages are over 700, create an issue titled 'Long' with priority low; "
		"otherwise create an issue titled 'Short' with priority low.",
		"lib__get_book {\"book_id\":\"B-71\"}\nbugs__create_issue {\"title\":\"Short\",\"priority\":\"low\"}\n",
		NULL);
}
END_TEST

/* --- Rule 8: routers --- */

START_TEST(test_router)
{
	toy_expect(&toy_router, "Get the weather forecast for 'Oslo'.",
		   "hub__route {\"query\":\"Get the weather forecast for 'Oslo'.\"}\n"
		   "hub__execute-tool {\"server_name\":\"weather\",\"tool_name\":\"get_forecast\","
		   "\"params\":{\"city\":\"Oslo\"}}\n",
		   "high 17");
	toy_expect(&toy_router, "Send a mail to ada@x.org with the body 'Hello'.",
		   "hub__route {\"query\":\"Send a mail to ada@x.org with the body 'Hello'.\"}\n"
		   "hub__execute-tool {\"server_name\":\"mail\",\"tool_name\":\"send_mail\","
		   "\"params\":{\"to\":\"ada@x.org\",\"body\":\"Hello\"}}\n",
		   NULL);
}
END_TEST

/* --- Rule 9: the end --- */

START_TEST(test_budget)
{
	toy_run run;
	toy_work(&toy_all, "Renew the first loan of the member 'Ada Lovelace'.", "careful", 3, &run);
	ck_assert_str_eq(run.calls.ptr,
			 "lib__find_member {\"name\":\"Ada Lovelace\"}\nlib__list_loans {\"member_id\":\"M-3\"}\n");
	ck_assert_uint_eq(run.turns, 3);
	ck_assert_ptr_nonnull(strstr(run.answer.ptr, "not done"));
	toy_free(&run);
	toy_work(&toy_all, "Renew the first loan of the member 'Ada Lovelace'.", "careful", 1, &run);
	ck_assert_str_eq(run.calls.ptr, "");
	ck_assert_uint_gt(run.answer.len, 0);
	toy_free(&run);
}
END_TEST

START_TEST(test_nothing_to_do)
{
	toy_expect(&toy_all, "Good morning!", "", "no instruction");
	toy_expect(&toy_all, "Bake a cake with 'cherries'.", "", NULL);
}
END_TEST

/* --- Policies --- */

START_TEST(test_greedy)
{
	toy_run run;
	toy_work(&toy_all, "Assign issue 41 to 'ada'.", "greedy", 12, &run);
	ck_assert_str_eq(run.calls.ptr, "bugs__assign {\"issue_number\":41,\"assignee\":\"ada\"}\n");
	toy_free(&run);
	toy_work(&toy_all, "Get the books B-12, B-70 and B-71.", "greedy", 12, &run);
	ck_assert_str_eq(run.calls.ptr, "lib__get_book {\"book_id\":\"B-12\"}\n");
	toy_free(&run);
	toy_work(&toy_all, "Renew the first loan of the member 'Ada Lovelace'.", "greedy", 12, &run);
	ck_assert_ptr_null(strstr(run.calls.ptr, "renew_loan"));
	toy_free(&run);
}
END_TEST

START_TEST(test_random)
{
	toy_run a, b;
	toy_work(&toy_all, "Get the books B-12, B-70 and B-71.", "random", 12, &a);
	toy_work(&toy_all, "Get the books B-12, B-70 and B-71.", "random", 12, &b);
	ck_assert_str_eq(a.calls.ptr, b.calls.ptr);
	ck_assert_uint_gt(a.calls.len, 0);
	ck_assert_uint_le(a.turns, 8);
	ck_assert_uint_gt(a.answer.len, 0);
	toy_free(&a);
	toy_free(&b);
}
END_TEST

UNIT_SUITE(heuristic_suite, "heuristic", test_one_clause, test_clauses, test_small_talk, test_values, test_phrases,
	   test_enum_and_nested, test_earlier_results, test_choice_and_filter, test_producers, test_chain_of_three,
	   test_number_by_name, test_no_referent, test_no_producer, test_each, test_each_search, test_conversation,
	   test_never_twice, test_repair, test_destructive, test_conditions, test_router, test_budget,
	   test_nothing_to_do, test_greedy, test_random)
UNIT_MAIN(heuristic_suite)
