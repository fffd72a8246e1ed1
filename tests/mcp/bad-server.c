/* bad-server NAME: an MCP server that does one thing wrong (or odd but allowed). It writes its lines by hand, so that
 * nothing of the core can mend them. NAMEs are the rows of `behaviours` at the end of the file. */
#include "bad.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INIT_RESULT(version)                                                                                           \
	"{\"protocolVersion\":\"" version "\",\"capabilities\":{\"tools\":{}},"                                        \
	"\"serverInfo\":{\"name\":\"bad\",\"version\":\"0\"}}"

char line[LINE_SIZE]; /* the line that was read last */
long counter;

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void answer(long id, const char *result)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}", id, result);
}

void refuse(long id, int code, const char *message)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":%d,\"message\":\"%s\"}}", id, code, message);
}

static void notify(const char *method)
{
	say("{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", method);
}

static void pause_ms(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

int next(void)
{
	return fgets(line, sizeof line, stdin) != NULL;
}

static long number_after(const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

int is(const char *method)
{
	char wanted[80];

	snprintf(wanted, sizeof wanted, "\"method\":\"%s\"", method);
	return strstr(line, wanted) != NULL;
}

/* Ask the client and wait for its answer, whose text must hold `expected`. */
void ask(long id, const char *method, const char *expected)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"%s\"}", id, method);
	if (!next() || number_after("\"id\":") != id || !strstr(line, expected)) {
		fprintf(stderr, "bad answer to %s\n", method);
		exit(9);
	}
}

/* --- the well-behaved way --------------------------------------------------------------------------------------- */

static void good_init(long id)
{
	answer(id, INIT_RESULT("2025-11-25"));
}

static void good_list(long id)
{
	answer(id, "{\"tools\":[" TOOL("a") "," TOOL("b") "]}");
}

void good_call(long id)
{
	answer(id, SAID("fine"));
}

/* --- at the start ----------------------------------------------------------------------------------------------- */

static void banner(void)
{
	say("bad-server is listening\n\n  on stdio...\r\n{\"level\":\"info\",\"msg\":\"ready\"}\n{\"id\":1,\"method\":7}");
}

static void deaf(void)
{
	while (1) {
		pause();
	}
}

static void exits(void)
{
	fputs("loading\nbad-server: cannot open \033[1m/no/such/vault\033[0m\n\n", stderr);
	exit(3);
}

static void long_words(void)
{
	for (int i = 0; i < 5000; i++) {
		fputs("word ", stderr);
	}
	fputs("the end\n", stderr);
	exit(3);
}

static void stubborn(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

/* A relative in the same group that keeps our stdout open. */
static void parent(void)
{
	if (fork() == 0) {
		stubborn();
		deaf();
	}
}

/* --- initialize ------------------------------------------------------------------------------------------------- */

static void silent(long id)
{
	(void)id;
}

static void init_early(long id)
{
	notify("notifications/message");
	notify("notifications/tools/list_changed");
	ask(id, "ping", "\"result\":{}");
	ask(2, "sampling/createMessage", "-32601");
	good_init(id);
}

static void init_version(long id)
{
	answer(id, INIT_RESULT("1999-01-01"));
}

static void init_downgrade(long id)
{
	answer(id, INIT_RESULT("2024-10-07"));
}

static void init_no_version(long id)
{
	answer(id, "{\"capabilities\":{}}");
}

static void init_old(long id)
{
	answer(id, INIT_RESULT("2024-11-05"));
}

static void init_march(long id)
{
	answer(id, INIT_RESULT("2025-03-26"));
}

static void init_error(long id)
{
	refuse(id, -32603, "no licence");
}

static void init_string(long id)
{
	answer(id, "\"ok\"");
}

static void init_supported(long id)
{
	if (!strstr(line, "2025-06-18")) {
		say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32602,\"message\":\"version\",\"data\":{\"supported\":["
		    "\"1999-01-01\",\"2024-11-05\",\"2025-06-18\"]}}}",
		    id);
	} else {
		answer(id, INIT_RESULT("2025-06-18"));
	}
}

#define WIDE                                                                                                           \
	"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC" /* 24 bytes \
													    */
#define VERY_WIDE WIDE WIDE WIDE WIDE WIDE WIDE WIDE WIDE

static void init_wide(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32602,\"message\":\"version\",\"data\":{\"supported\":["
	    "\"" VERY_WIDE "\",\"" VERY_WIDE "\"]}}}",
	    id);
}

static void init_bare(long id)
{
	answer(id, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":7}");
}

/* --- tools/list ------------------------------------------------------------------------------------------------- */

static void half_line(long id)
{
	printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"resu", id);
	fflush(stdout);
	fputs("bad-server: out of paper\n", stderr);
	exit(1);
}

static void list_pages(long id)
{
	/* The second cursor is the empty string. */
	const char *cursor = strstr(line, "\"cursor\":\"");

	if (!cursor) {
		answer(id, "{\"tools\":[" TOOL("a") "],\"nextCursor\":\"p1\"}");
	} else if (!strncmp(cursor, "\"cursor\":\"p1\"", 13)) {
		answer(id, "{\"tools\":[],\"nextCursor\":\"\"}");
	} else {
		answer(id, "{\"tools\":[" TOOL("b") "],\"nextCursor\":null}");
	}
}

static void list_endless(long id)
{
	char page[200];

	snprintf(page, sizeof page, "{\"tools\":[],\"nextCursor\":\"%ld\"}", ++counter);
	answer(id, page);
}

static void list_many(long id)
{
	char page[400];

	counter++;
	snprintf(page, sizeof page, "{\"tools\":[%s,%s,%s],\"nextCursor\":\"%ld\"}", TOOL("a"), TOOL("b"), TOOL("c"),
		 counter);
	answer(id, page);
}

static void list_circle(long id)
{
	answer(id, ++counter % 2 ? "{\"tools\":[],\"nextCursor\":\"x\"}" : "{\"tools\":[],\"nextCursor\":\"y\"}");
}

static void list_heavy(long id)
{
	printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"nextCursor\":\"%ld\",\"tools\":[{\"name\":\"", id,
	       ++counter);
	for (int i = 0; i < 60000; i++) {
		putchar('n');
	}
	say("\"}]}}");
}

static void list_roots(long id)
{
	for (long i = 0; i < 15; i++) {
		ask(i, "roots/list", "-32601");
	}
	good_list(id);
}

static void list_no_array(long id)
{
	answer(id, "{\"tools\":{\"a\":1}}");
}

static void list_no_name(long id)
{
	answer(id, "{\"tools\":[" TOOL("a") ",{\"title\":\"b\"}]}");
}

static void list_bad_cursor(long id)
{
	answer(id, "{\"tools\":[],\"nextCursor\":7}");
}

/* It says that its tools changed whenever it is asked for them. */
static void list_changing(long id)
{
	notify("notifications/tools/list_changed");
	good_list(id);
}

static void list_deaf(long id)
{
	(void)id;
	deaf();
}

static void list_unknown(long id)
{
	refuse(id, -32601, "Method not found");
}

/* --- tools/call ------------------------------------------------------------------------------------------------- */

static void call_twice(long id)
{
	answer(id, counter++ ? SAID("second") : SAID("first"));
	answer(id, SAID("again"));
}

static void call_wrong_id(long id)
{
	answer(id + 1000, SAID("lost"));
}

static void call_wide_id(long id)
{
	(void)id;
	say("{\"jsonrpc\":\"2.0\",\"id\":\"" VERY_WIDE "\",\"result\":" SAID("lost") "}");
}

static void call_string_id(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":\"%ld\",\"result\":" SAID("lost") "}", id);
}

static void call_float_id(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld.0,\"result\":" SAID("fine") "}", id);
}

static void call_unversioned(long id)
{
	say("{\"id\":%ld,\"result\":" SAID("lost") "}", id);
}

static void call_no_id(long id)
{
	(void)id;
	say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"what?\"}}");
	say("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"what?\"}}");
}

static void call_null_error(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":null,\"result\":" SAID("fine") "}", id);
}

static void call_both(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":1,\"message\":\"x\"},\"result\":{}}", id);
}

static void call_array(long id)
{
	answer(id, "[1,2]");
}

static void call_error(long id)
{
	refuse(id, -32602, "Unknown tool: zz");
}

static void call_error_bare(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32603}}", id);
}

static void long_answer(long id, long bytes)
{
	printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[],\"x\":\"", id);
	for (long i = 0; i < bytes; i++) {
		putchar('x');
	}
	say("\"}}");
}

static void call_long(long id)
{
	long_answer(id, 2L << 20);
}

static void call_huge(long id)
{
	long_answer(id, 300L << 20);
}

static void call_deep(long id)
{
	printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"x\":", id);
	for (int i = 0; i < 100000; i++) {
		putchar('[');
	}
	for (int i = 0; i < 100000; i++) {
		putchar(']');
	}
	say("}}");
}

static void call_bytes(long id)
{
	say("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"x\":\"\xC3\x28\xFF\"}}", id);
}

static void call_flood(long id)
{
	(void)id;
	while (1) {
		notify("notifications/message");
	}
}

static void call_noise(long id)
{
	(void)id;
	while (1) {
		say("%ld bottles of beer on the wall", ++counter);
	}
}

static void call_blank(long id)
{
	(void)id;
	while (1) {
		say(" \r");
	}
}

static void call_pings(long id)
{
	(void)id;
	while (1) {
		say("{\"jsonrpc\":\"2.0\",\"id\":\"%ld\",\"method\":\"ping\"}", ++counter);
	}
}

static void call_drip(long id)
{
	(void)id;
	while (1) {
		putchar('{');
		fflush(stdout);
		pause_ms(5);
	}
}

/* An answer in good order, but a byte a second. */
static void call_drop(long id)
{
	char text[80];

	snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{}}\n", id);
	for (const char *c = text; *c; c++) {
		putchar(*c);
		fflush(stdout);
		pause_ms(1000);
	}
}

/* It ends, but a child of it keeps the pipe open. */
static void call_orphan(long id)
{
	(void)id;
	parent();
	exit(1);
}

static void stops(long id)
{
	(void)id;
	raise(SIGSTOP);
}

/* The first call is answered only when it is cancelled; then comes the late answer and late progress. */
static void call_late(long id)
{
	if (counter++) {
		good_call(id);
		return;
	}
	while (next() && !is("notifications/cancelled")) {
	}
	if (number_after("\"requestId\":") == id) {
		say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%ld,\"progress\":1}}",
		    id);
		answer(id, SAID("late"));
	}
}

static void progress(long times)
{
	long token = number_after("\"progressToken\":");

	for (long i = 1; i <= times; i++) {
		pause_ms(60);
		say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%ld,\"progress\":%ld.5}}",
		    token, i);
	}
}

static void call_progress(long id)
{
	progress(8);
	good_call(id);
}

static void call_progress_other(long id)
{
	(void)id;
	while (1) {
		pause_ms(60);
		say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"x\",\"progress\":1}}");
	}
}

static void call_progress_endless(long id)
{
	(void)id;
	progress(1000000);
}

static void call_batch(long id)
{
	say("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"},{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":" SAID(
		    "fine") "},{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"},17]",
	    id);
}

static void call_dies(long id)
{
	(void)id;
	fputs("bad-server: segmentation fault, they say\n", stderr);
	raise(SIGKILL);
}

static void call_closes(long id)
{
	(void)id;
	fclose(stdout);
	deaf();
}

static void call_structured(long id)
{
	answer(id, "{\"content\":[],\"structuredContent\":{\"n\":\"seven\"}}");
}

static void call_list_changed(long id)
{
	for (int i = 0; i < 4; i++) {
		notify("notifications/tools/list_changed");
	}
	good_call(id);
}

/* --- questions ----------------------------------------------------------------------------------------- */

static void call_asks(long id)
{
	ask(1, "roots/list", "-32601");
	say("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":7}}");
	next();
	ask(3, "elicitation/create", "\"action\":\"decline\"");
	good_call(id);
}

/* More than is worth keeping. */
static void call_asks_much(long id)
{
	for (long i = 0; i < 100; i++) {
		printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"elicitation/create\",\"params\":{\"message\":\"",
		       i);
		for (int n = 0; n < (i ? 3 : 70000); n++) {
			putchar('m');
		}
		say("\"}}");
		next();
	}
	good_call(id);
}

static const struct behaviour {
	const char *name;
	void (*start)(void);
	void (*init)(long id);
	void (*list)(long id);
	void (*call)(long id);
	void (*discover)(long id);
	void (*other)(long id); /* what is asked besides */
} behaviours[] = {
	{.name = "good"},
	{.name = "banner", .start = banner},
	{.name = "deaf", .start = deaf},
	{.name = "exits", .start = exits},
	{.name = "long-words", .start = long_words},
	{.name = "stubborn", .start = stubborn},
	{.name = "parent", .start = parent},
	{.name = "init-silent", .init = silent},
	{.name = "init-early", .init = init_early},
	{.name = "init-version", .init = init_version},
	{.name = "init-stops", .init = stops},
	{.name = "init-downgrade", .init = init_downgrade},
	{.name = "init-no-version", .init = init_no_version},
	{.name = "init-old", .init = init_old},
	{.name = "init-error", .init = init_error},
	{.name = "init-string", .init = init_string},
	{.name = "init-supported", .init = init_supported},
	{.name = "init-wide", .init = init_wide},
	{.name = "init-bare", .init = init_bare, .list = list_unknown},
	{.name = "half-line", .list = half_line},
	{.name = "list-deaf", .list = list_deaf},
	{.name = "list-changing", .list = list_changing},
	{.name = "list-silent", .list = silent},
	{.name = "list-pages", .list = list_pages},
	{.name = "list-endless", .list = list_endless},
	{.name = "list-many", .list = list_many},
	{.name = "list-circle", .list = list_circle},
	{.name = "list-heavy", .list = list_heavy},
	{.name = "list-roots", .list = list_roots},
	{.name = "list-no-array", .list = list_no_array},
	{.name = "list-no-name", .list = list_no_name},
	{.name = "list-bad-cursor", .list = list_bad_cursor},
	{.name = "list-unknown", .list = list_unknown},
	{.name = "call-silent", .call = silent},
	{.name = "call-twice", .call = call_twice},
	{.name = "call-wrong-id", .call = call_wrong_id},
	{.name = "call-wide-id", .call = call_wide_id},
	{.name = "call-string-id", .call = call_string_id},
	{.name = "call-float-id", .call = call_float_id},
	{.name = "call-unversioned", .call = call_unversioned},
	{.name = "call-no-id", .call = call_no_id},
	{.name = "call-null-error", .call = call_null_error},
	{.name = "call-both", .call = call_both},
	{.name = "call-array", .call = call_array},
	{.name = "call-error", .call = call_error},
	{.name = "call-error-bare", .call = call_error_bare},
	{.name = "call-long", .call = call_long},
	{.name = "call-huge", .call = call_huge},
	{.name = "call-deep", .call = call_deep},
	{.name = "call-bytes", .call = call_bytes},
	{.name = "call-flood", .call = call_flood},
	{.name = "call-noise", .call = call_noise},
	{.name = "call-blank", .call = call_blank},
	{.name = "call-pings", .call = call_pings},
	{.name = "call-drip", .call = call_drip},
	{.name = "call-drop", .call = call_drop},
	{.name = "call-orphan", .call = call_orphan},
	{.name = "call-stops", .call = stops},
	{.name = "call-late", .call = call_late},
	{.name = "call-progress", .call = call_progress},
	{.name = "call-progress-other", .call = call_progress_other},
	{.name = "call-progress-endless", .call = call_progress_endless},
	{.name = "call-batch", .init = init_march, .call = call_batch},
	{.name = "call-batch-new", .call = call_batch},
	{.name = "call-dies", .call = call_dies},
	{.name = "call-closes", .call = call_closes},
	{.name = "call-structured", .call = call_structured},
	{.name = "call-list-changed", .call = call_list_changed},
	{.name = "call-asks", .call = call_asks},
	{.name = "call-asks-much", .call = call_asks_much},
	{.name = "task", .init = task_init, .list = task_list, .call = task_call, .other = task_other},
	{.name = "task-asks", .init = task_init, .list = task_list, .call = task_call, .other = task_asks},
	{.name = "task-endless", .init = task_init, .list = task_list, .call = task_call, .other = task_endless},
	{.name = "task-strange", .init = task_init, .list = task_list, .call = task_call, .other = task_strange},
	{.name = "task-lost", .init = task_init, .list = task_list, .call = task_call},
	{.name = "task-nameless", .init = task_init, .list = task_list, .call = task_nameless},
	{.name = "modern-task", .discover = modern_discover, .call = modern_call, .other = modern_task},
	{.name = "modern-failed", .discover = modern_discover, .call = modern_call, .other = modern_failed},
	{.name = "modern-insatiable", .discover = modern_discover, .call = modern_call, .other = modern_insatiable},
	{.name = "modern-wordy", .discover = modern_discover, .call = modern_call, .other = modern_wordy},
	{.name = "modern-empty", .discover = modern_discover, .call = modern_call, .other = modern_empty},
	{.name = "modern-news",
	 .discover = modern_discover,
	 .list = modern_list,
	 .call = modern_changing_call,
	 .other = modern_news},
};

static void serve(const struct behaviour *b)
{
	if (b->start) {
		b->start();
	}
	while (next()) {
		long id = number_after("\"id\":");

		if (is("initialize")) {
			(b->init ? b->init : good_init)(id);
		} else if (is("tools/list")) {
			(b->list ? b->list : good_list)(id);
		} else if (is("tools/call")) {
			(b->call ? b->call : good_call)(id);
		} else if (is("server/discover")) {
			(b->discover ? b->discover : list_unknown)(id);
		} else if (is("ping")) {
			answer(id, "{}");
		} else if (b->other && id >= 0) {
			b->other(id);
		}
	}
}

int main(int argc, char **argv)
{
	alarm(300); /* a test that fails half-way cannot stop us any more */
	for (size_t i = 0; argc == 2 && i < sizeof behaviours / sizeof *behaviours; i++) {
		if (!strcmp(argv[1], behaviours[i].name)) {
			serve(&behaviours[i]);
			if (behaviours[i].start == stubborn) {
				deaf();
			}
			return EXIT_SUCCESS;
		}
	}
	fprintf(stderr, "usage: bad-server NAME, one of\n");
	for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
		fprintf(stderr, "  %s\n", behaviours[i].name);
	}
	return 2;
}
