/* The toy worlds: a library, a folder of files, an issue tracker, and a router in front of other servers. */
#include "tests/unit/heuristic_kit.h"

/* --- Library: ids, a chain of three, each, destructive tools --- */

static const toy_tool library_tools[] = {
	{"lib__search_books", "Search the books of the library by words in title or author.", "query! limit:integer"},
	{"lib__get_book", "Get one book with its year, pages and shelf.", "book_id!"},
	{"lib__find_member", "Find members by name.", "name!"},
	{"lib__list_loans", "List the loans of a member.", "member_id!"},
	{"lib__renew_loan", "Renew a loan.", "loan_id!"},
	{"lib__create_loan", "Lend a book to a member.", "member_id! book_id! due_date:date"},
	{"lib__update_member", "Change the email or phone of a member.", "member_id! email phone"},
	{"lib__delete_member", "Delete a member for good.", "member_id!"},
	{"lib__delete_all_loans", "Delete all loans.", "confirm:boolean!"},
	{0},
};

static const toy_reply library_replies[] = {
	{"lib__search_books", "Dune",
	 "{\"count\":2,\"books\":[{\"book_id\":\"B-70\",\"title\":\"Dune Messiah\",\"year\":1969},"
	 "{\"book_id\":\"B-71\",\"title\":\"Dune\",\"year\":1965}]}"},
	{"lib__search_books", "Emma",
	 "{\"count\":1,\"books\":[{\"book_id\":\"B-12\",\"title\":\"Emma\",\"year\":1815}]}"},
	{"lib__search_books", NULL, "{\"count\":0,\"books\":[]}"},
	{"lib__get_book", "B-71",
	 "{\"book_id\":\"B-71\",\"title\":\"Dune\",\"year\":1965,\"pages\":612,\"shelf\":\"K4\"}"},
	{"lib__get_book", "B-70", "{\"book_id\":\"B-70\",\"title\":\"Dune Messiah\",\"year\":1969,\"pages\":256}"},
	{"lib__get_book", "B-12", "{\"book_id\":\"B-12\",\"title\":\"Emma\",\"year\":1815,\"pages\":474}"},
	{"lib__get_book", NULL, "[tool error] book not found"},
	{"lib__find_member", "Ada",
	 "{\"members\":[{\"id\":\"M-3\",\"name\":\"Ada Lovelace\",\"email\":\"ada@x.org\"}]}"},
	{"lib__find_member", "Alan", "{\"members\":[{\"id\":\"M-8\",\"name\":\"Alan Kay\",\"email\":\"alan@x.org\"}]}"},
	{"lib__find_member", NULL, "{\"members\":[]}"},
	{"lib__list_loans", "M-3",
	 "{\"loans\":[{\"loan_id\":\"L-1\",\"title\":\"Emma\",\"due_date\":\"2026-03-01\"},"
	 "{\"loan_id\":\"L-2\",\"title\":\"Dune\",\"due_date\":\"2026-05-01\"}]}"},
	{"lib__list_loans", NULL, "{\"loans\":[]}"},
	{"lib__renew_loan", NULL, "{\"renewed\":true,\"due_date\":\"2026-06-01\"}"},
	{"lib__create_loan", NULL, "{\"loan_id\":\"L-9\",\"due_date\":\"2026-04-01\"}"},
	{"lib__update_member", NULL, "{\"id\":\"M-3\",\"updated\":true}"},
	{"lib__delete_member", NULL, "{\"deleted\":true}"},
	{"lib__delete_all_loans", NULL, "{\"deleted\":7}"},
	{0},
};

/* --- Files: paths, text results --- */

static const toy_tool files_tools[] = {
	{"fs__list_directory", "List the files in a directory.", "path!"},
	{"fs__read_file", "Read the whole text of a file.", "path!"},
	{"fs__write_file", "Create a file with the given content, or replace it.", "path! content!"},
	{"fs__move_file", "Move or rename a file.", "source! destination!"},
	{"fs__delete_file", "Delete a file.", "path!"},
	{"fs__search_files", "Search a directory for files whose text holds a pattern.", "path! pattern!"},
	{0},
};

static const toy_reply files_replies[] = {
	{"fs__list_directory", NULL, "[FILE] a.txt\n[FILE] b.txt\n[DIR] old"},
	{"fs__read_file", "missing", "[tool error] ENOENT: no such file, '/data/missing.txt'"},
	{"fs__read_file", NULL, "Owner: Ada\nBudget: 1200\nStatus: draft"},
	{"fs__write_file", NULL, "Successfully wrote to the file"},
	{"fs__move_file", NULL, "Successfully moved"},
	{"fs__delete_file", NULL, "Deleted"},
	{"fs__search_files", NULL, "/data/a.txt\n/data/b.txt"},
	{0},
};

/* --- Tracker: enums, nested objects, errors that teach --- */

static const toy_tool tracker_tools[] = {
	{"bugs__search_issues", "Search issues by text, optionally only those in one state.",
	 "query! state:open|in_progress|closed"},
	{"bugs__get_issue", "Get an issue with its comments.", "issue_number:integer!"},
	{"bugs__create_issue", "Create an issue.", "title! body labels:list priority!"},
	{"bugs__set_state", "Set the state of an issue.", "issue_number:integer! state:open|in_progress|closed!"},
	{"bugs__assign", "Assign an issue to a user.", "issue_number:integer! assignee!"},
	{"bugs__log_work", "Log work on an issue.", "issue_number:integer! entry{ minutes:integer! comment }!"},
	{0},
};

static const toy_reply tracker_replies[] = {
	{"bugs__search_issues", "\"login\"",
	 "[{\"number\":41,\"issue_number\":41,\"title\":\"login fails\",\"votes\":3},"
	 "{\"number\":57,\"issue_number\":57,\"title\":\"login is slow\",\"votes\":9}]"},
	{"bugs__search_issues", NULL, "[]"},
	{"bugs__get_issue", "41", "{\"issue_number\":41,\"title\":\"login fails\",\"state\":\"open\",\"votes\":3}"},
	{"bugs__get_issue", NULL, "{\"issue_number\":57,\"title\":\"login is slow\",\"state\":\"open\",\"votes\":9}"},
	{"bugs__create_issue", "\"urgent\"", "[tool error] priority must be one of: low, medium, high"},
	{"bugs__create_issue", NULL, "{\"issue_number\":99}"},
	{"bugs__assign", "u-77", "[tool error] unknown user 'u-77'; did you mean 'u-78'?"},
	{"bugs__assign", "\"ada\"", "[tool error] unknown user 'ada'; did you mean 'ada.l'?"},
	{"bugs__assign", NULL, "{\"ok\":true}"},
	{"bugs__set_state", NULL, "{\"ok\":true}"},
	{"bugs__log_work", NULL, "{\"ok\":true}"},
	{0},
};

/* --- Router: tools behind a tool --- */

static const toy_tool router_tools[] = {
	{"hub__route", "Find servers and tools that fit a query.", "query!"},
	{"hub__execute-tool", "Run a tool of a server.", "server_name! tool_name! params:object!"},
	{0},
};

#define ROUTED                                                                                                         \
	"success: true\nmatched_tools:\n- server_name: weather\n  tool_name: get_forecast\n"                           \
	"  tool_description: Get the weather forecast of a city,\n    day by day.\n  inputschema:\n"                   \
	"    type: object\n    properties:\n      city:\n        type: string\n      days:\n        type: integer\n"   \
	"    required:\n    - city\n- server_name: mail\n  tool_name: send_mail\n  tool_description: 'Send a mail.'\n" \
	"  inputschema:\n    to: '(string) address'\n    subject: '(Optional, string) '\n    body: '(string) '\n"

static const toy_reply router_replies[] = {
	{"hub__route", NULL, ROUTED},
	{"hub__execute-tool", "get_forecast",
	 "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"city\\\":\\\"Oslo\\\",\\\"high\\\":17}\"}],"
	 "\"isError\":false}"},
	{"hub__execute-tool", NULL, "{\"content\":[{\"type\":\"text\",\"text\":\"sent\"}],\"isError\":false}"},
	{0},
};

const toy_world toy_library = {{library_tools}, {library_replies}};
const toy_world toy_files = {{files_tools}, {files_replies}};
const toy_world toy_tracker = {{tracker_tools}, {tracker_replies}};
const toy_world toy_router = {{router_tools}, {router_replies}};
const toy_world toy_all = {{library_tools, files_tools, tracker_tools},
			   {library_replies, files_replies, tracker_replies}};
