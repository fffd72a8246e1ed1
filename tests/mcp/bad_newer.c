/* Behaviours of bad-server that only newer revisions know: tasks, and what goes on without a handshake. */
#include "bad.h"

#include <stdio.h>
#include <string.h>

/* --- tasks of 2025-11-25 ----------------------------------------------------------------------------------------- */

void task_init(long id)
{
	answer(id,
	       "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"tasks\":{\"requests\":{\"tools\":{"
	       "\"call\":{}}}}},\"serverInfo\":{\"name\":\"bad\",\"version\":\"0\"}}");
}

void task_list(long id)
{
	answer(id, "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"},\"execution\":{\"taskSupport\":"
		   "\"required\"}}," TOOL("b") "]}");
}

#define TASK(status) "\"taskId\":\"t/1\",\"status\":\"" status "\",\"createdAt\":\"\",\"ttl\":60000,\"pollInterval\":30"

void task_call(long id)
{
	if (strstr(line, "\"name\":\"b\"")) {
		good_call(id);
	} else if (strstr(line, "\"task\":{}")) {
		answer(id, "{\"task\":{" TASK("working") "}}");
	} else {
		refuse(id, -32601, "only as a task");
	}
}

/* Any answer about a task is wrong when the request does not name it. */
static int task_named(long id)
{
	if (strstr(line, "\"taskId\":\"t/1\"")) {
		return 1;
	}
	refuse(id, -32602, "no such task");
	return 0;
}

void task_other(long id)
{
	if (!task_named(id)) {
	} else if (is("tasks/get")) {
		answer(id, ++counter < 3 ? "{" TASK("working") "}" : "{" TASK("completed") "}");
	} else if (is("tasks/result")) {
		answer(id, counter < 3 ? SAID("too early") : SAID("fine"));
	}
}

void task_asks(long id)
{
	if (is("tasks/get")) {
		answer(id, "{" TASK("input_required") "}");
	} else if (is("tasks/result")) {
		ask(3, "elicitation/create", "\"action\":\"decline\"");
		answer(id, "{\"content\":[],\"isError\":true}");
	}
}

void task_endless(long id)
{
	if (is("tasks/get")) {
		answer(id, "{" TASK("working") "}");
	} else if (is("tasks/cancel")) {
		fputs("cancelled as it should be\n", stderr);
		answer(id, "{" TASK("cancelled") "}");
	}
}

void task_strange(long id)
{
	answer(id, "{" TASK("dreaming") "}");
}

void task_nameless(long id)
{
	answer(id, "{\"task\":{\"taskId\":7,\"status\":\"working\"}}");
}

/* --- without a handshake ------------------------------------------------------------------------------------------ */

void modern_discover(long id)
{
	answer(id, "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{"
		   "\"listChanged\":true}}}");
}

void modern_call(long id)
{
	answer(id, strstr(line, "io.modelcontextprotocol/tasks\":{}")
			   ? "{\"resultType\":\"task\",\"taskId\":\"t/1\",\"status\":\"working\",\"pollIntervalMs\":20}"
			   : SAID("no tasks"));
}

#define STATE(status, more)                                                                                            \
	"{\"resultType\":\"complete\",\"taskId\":\"t/1\",\"status\":\"" status "\",\"pollIntervalMs\":20" more "}"
#define FORM                                                                                                           \
	"{\"method\":\"elicitation/create\",\"params\":{\"message\":\"which?\",\"requestedSchema\":{\"type\":\"object\"}}}"

void modern_task(long id)
{
	if (!task_named(id)) {
	} else if (is("tasks/update")) {
		counter += strstr(line, "\"inputResponses\":{\"k\":{\"action\":\"decline\"}}") ? 10 : 100;
		answer(id, "{\"resultType\":\"complete\"}");
	} else if (++counter < 3) {
		answer(id, counter < 2 ? STATE("working", "")
				       : STATE("input_required", ",\"inputRequests\":{\"k\":" FORM "}"));
	} else if (counter == 13) {
		/* It may be asked for what was answered already. */
		answer(id, STATE("input_required", ",\"inputRequests\":{\"k\":" FORM "}"));
	} else {
		answer(id, STATE("completed", ",\"result\":" SAID("fine")));
	}
}

/* A new question whenever it is asked. */
void modern_insatiable(long id)
{
	char state[400];

	if (is("tasks/update")) {
		answer(id, "{\"resultType\":\"complete\"}");
	} else {
		snprintf(
			state, sizeof state,
			"{\"taskId\":\"t/1\",\"status\":\"input_required\",\"pollIntervalMs\":5,\"inputRequests\":{\"k%ld\":%s}}",
			++counter, FORM);
		answer(id, state);
	}
}

void modern_wordy(long id)
{
	printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"taskId\":\"t/1\",\"status\":\"input_required\",\"inputRequests\":{\"",
	       id);
	for (int i = 0; i < 300; i++) {
		putchar('k');
	}
	say("\":%s}}}", FORM);
}

void modern_failed(long id)
{
	answer(id, STATE("failed", ",\"error\":{\"code\":-32603,\"message\":\"out of paper\"}"));
}

void modern_empty(long id)
{
	answer(id, STATE("completed", ""));
}

/* The first list is overtaken by a change, which is told only to whoever has subscribed; calls change them again. Each
 * list names itself. */
void modern_news(long id)
{
	if (is("subscriptions/listen")) {
		say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}");
		counter = id;
	}
}

static void modern_change(void)
{
	for (int i = 0; i < 4 && counter; i++) {
		say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":{"
		    "\"io.modelcontextprotocol/subscriptionId\":%ld}}}",
		    counter);
	}
}

void modern_list(long id)
{
	static long lists;
	char page[400];

	if (lists++ == 0) {
		modern_change();
	}
	snprintf(page, sizeof page,
		 "{\"tools\":[{\"name\":\"list%ld\",\"inputSchema\":{\"type\":\"object\"}}],\"ttlMs\":60000,"
		 "\"cacheScope\":\"private\"}",
		 lists);
	answer(id, page);
}

void modern_changing_call(long id)
{
	modern_change();
	good_call(id);
}
