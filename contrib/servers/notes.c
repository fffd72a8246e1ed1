/* assay-notes DIR: an MCP server for a folder of Markdown notes. */
#include "contrib/servers/notes.h"
#include "config.h"
#include "contrib/servers/schema_text.h"
#include "core/base/file.h"

#define READS (AS_MCP_READ_ONLY | AS_MCP_IDEMPOTENT | AS_MCP_CLOSED_WORLD)

#define TITLE(about) S_STRING("title", about, S_SIZE("1", "200") S_EXAMPLE(Q("Packing checklist")))
#define THE_TITLE TITLE("Exact title of the note, as list_notes and search give it.")
#define CONTENT(about) S_STRING("content", about, S_SIZE("1", "100000"))
#define TAG S_STRING("tag", "Only notes with this tag.", S_SIZE("1", "30") S_EXAMPLE(Q("supplier")))
#define NEW_TAGS                                                                                                       \
	S_PROP("tags", "array", "Tags in lower case.", ",\"maxItems\":10,\"uniqueItems\":true,\"items\":" NEW_TAG)
#define NEW_TAG "{\"type\":\"string\",\"pattern\":\"^[a-z0-9][a-z0-9-]{0,29}$\"}"

#define OUT_TITLE S_STRING("title", "Title of the note.", "")
#define OUT_TAGS S_STRINGS("tags", "Tags of the note.")
#define OUT_SIZE S_INTEGER("size_bytes", "Size of the note in bytes.", "")
#define OUT_WORDS S_INTEGER("words", "Number of words in the note.", "")
#define OUT_WRITTEN(what)                                                                                              \
	S_OBJECT(S_JOIN(Q("title"), Q(what), Q("size_bytes")), OUT_TITLE, S_TRUTH(what, "Always true."), OUT_SIZE)
#define OUT_REMOVED(what)                                                                                              \
	S_OBJECT(S_JOIN(Q("title"), Q(what), Q("notes_left")), OUT_TITLE, S_TRUTH(what, "Always true."),               \
		 S_INTEGER("notes_left", "Number of notes that remain.", ""))

#define LISTED S_OBJECT(S_JOIN(Q("title"), Q("tags"), Q("words")), OUT_TITLE, OUT_TAGS, OUT_WORDS)
#define FOUND                                                                                                          \
	S_OBJECT(S_JOIN(Q("title"), Q("snippet"), Q("hits")), OUT_TITLE,                                               \
		 S_STRING("snippet", "The line that matches best.", ""),                                               \
		 S_INTEGER("hits", "How often the words occur.", ""))

static const as_mcp_tool tools[] = {
	{
		.name = "list_notes",
		.title = "List notes",
		.description = "List the titles of all notes in the notebook, with their tags and word counts. "
			       "Optionally only the notes with one tag.",
		.input_schema = S_INPUT("", TAG),
		.output_schema = S_OBJECT(S_JOIN(Q("count"), Q("notes")), S_INTEGER("count", "Number of notes.", ""),
					  S_LIST("notes", "The notes, sorted by title.", LISTED)),
		.hints = READS,
		.call = notes_call_list,
	},
	{
		.name = "read_note",
		.title = "Read a note",
		.description = "Read the full text of one note, given its title.",
		.input_schema = S_INPUT(Q("title"), THE_TITLE),
		.output_schema = S_OBJECT(S_JOIN(Q("title"), Q("tags"), Q("content")), OUT_TITLE, OUT_TAGS,
					  S_STRING("content", "The text in Markdown.", "")),
		.hints = READS,
		.call = notes_call_read,
	},
	{
		.name = "search",
		.title = "Search notes",
		.description = "Search the titles and text of the notes for words and return the matching notes, each "
			       "with its title and a snippet. All words must occur; case does not matter.",
		.input_schema = S_INPUT(Q("query"),
					S_STRING("query", "Words to look for in the notes.",
						 S_SIZE("1", "200") S_EXAMPLE(Q("copper kettle"))),
					TAG,
					S_INTEGER("limit", "How many notes to return at most.",
						  S_RANGE("1", "50") S_DEFAULT("10"))),
		.output_schema =
			S_OBJECT(S_JOIN(Q("count"), Q("notes")), S_INTEGER("count", "Number of notes that match.", ""),
				 S_LIST("notes", "The notes, best match first.", FOUND)),
		.hints = READS,
		.call = notes_call_search,
	},
	{
		.name = "get_details",
		.title = "Get details of a note",
		.description = "Get the details of one note without its text: heading, date, tags, size in bytes, "
			       "number of words and number of lines.",
		.input_schema = S_INPUT(Q("title"), THE_TITLE),
		.output_schema =
			S_OBJECT(S_JOIN(Q("title"), Q("heading"), Q("date"), Q("tags"), Q("size_bytes"), Q("words"),
					Q("lines")),
				 OUT_TITLE, S_STRING("heading", "First heading; empty when there is none.", ""),
				 S_STRING("date", "Date the note gives; empty when it gives none.", ""), OUT_TAGS,
				 OUT_SIZE, OUT_WORDS, S_INTEGER("lines", "Number of lines in the note.", "")),
		.hints = READS,
		.call = notes_call_details,
	},
	{
		.name = "create_note",
		.title = "Create a note",
		.description = "Create a new note with a title and content in Markdown, optionally with tags. Refused "
			       "when a note of that title exists.",
		.input_schema = S_INPUT(S_JOIN(Q("title"), Q("content")), TITLE("Title of the new note, no slashes."),
					CONTENT("Text of the note in Markdown."), NEW_TAGS),
		.output_schema = OUT_WRITTEN("created"),
		.hints = AS_MCP_CLOSED_WORLD,
		.call = notes_call_create,
	},
	{
		.name = "append_note",
		.title = "Append to a note",
		.description = "Append text to the end of an existing note. What the note holds already stays.",
		.input_schema = S_INPUT(S_JOIN(Q("title"), Q("content")), THE_TITLE,
					CONTENT("Text to add, as lines of its own.")),
		.output_schema = OUT_WRITTEN("appended"),
		.hints = AS_MCP_CLOSED_WORLD,
		.call = notes_call_append,
	},
	{
		.name = "rename_note",
		.title = "Rename a note",
		.description = "Rename a note: give it a new title. Its text stays as it is.",
		.input_schema = S_INPUT(S_JOIN(Q("title"), Q("new_title")), THE_TITLE,
					S_STRING("new_title", "The new title, no slashes.", S_SIZE("1", "200"))),
		.output_schema =
			S_OBJECT(S_JOIN(Q("title"), Q("old_title")), S_STRING("title", "The title it has now.", ""),
				 S_STRING("old_title", "The title it had.", "")),
		.hints = AS_MCP_CLOSED_WORLD,
		.call = notes_call_rename,
	},
	{
		.name = "archive_note",
		.title = "Archive a note",
		.description = "Archive one note: take it out of the notebook and put it away. It is not listed, found "
			       "or read any more.",
		.input_schema = S_INPUT(Q("title"), THE_TITLE),
		.output_schema = OUT_REMOVED("archived"),
		.hints = AS_MCP_DESTRUCTIVE | AS_MCP_CLOSED_WORLD,
		.call = notes_call_archive,
	},
	{
		.name = "delete_note",
		.title = "Delete a note",
		.description = "Delete one note for good, given its title. This cannot be undone.",
		.input_schema = S_INPUT(Q("title"), THE_TITLE),
		.output_schema = OUT_REMOVED("deleted"),
		.hints = AS_MCP_DESTRUCTIVE | AS_MCP_CLOSED_WORLD,
		.call = notes_call_delete,
	},
	{
		.name = "delete_all_notes",
		.title = "Delete all notes",
		.description = "Delete every note of the notebook for good. This cannot be undone.",
		.input_schema = S_INPUT(Q("confirm"), S_TRUTH("confirm", "Must be true to delete everything.")),
		.output_schema =
			S_OBJECT(Q("deleted_notes"), S_INTEGER("deleted_notes", "How many notes were deleted.", "")),
		.hints = AS_MCP_DESTRUCTIVE | AS_MCP_CLOSED_WORLD,
		.call = notes_call_delete_all,
	},
};

static const demo_program program = {
	.name = "assay-notes",
	.operand = "DIR",
	.help = "Serve the Markdown notes (*.md) of the folder DIR over MCP on stdin and stdout.\n"
		"\n"
		"      --help     print this and leave\n"
		"      --version  print the version and leave\n"
		"\n"
		"Exit status: 0 when stdin ended, 2 wrong usage, 3 DIR cannot be used, 1 any other failure.\n",
};

int main(int argc, char **argv)
{
	demo_options options;
	assay_error err = {0};
	int status = demo_options_read(&program, argc, argv, &options);
	if (status >= 0) {
		return status;
	}
	if (!as_dir_exists(options.operand)) {
		as_fail(&err, ASSAY_ENOENT, "no such folder");
		as_error_where(&err, options.operand, 0);
		return demo_fail(&program, &err);
	}
	notes folder = {options.operand};
	as_mcp_server server = {
		.name = "assay-notes",
		.title = "Notes",
		.version = PACKAGE_VERSION,
		.instructions = "A notebook of Markdown notes. A note is named by its title.",
		.tools = tools,
		.n_tools = sizeof tools / sizeof tools[0],
		.payload = &folder,
	};
	return demo_serve(&program, &server);
}
