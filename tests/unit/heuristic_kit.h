/* A toy world for the rule-based agent: tools with scripted replies, and a loop that lets the agent work in it. */
#ifndef TESTS_HEURISTIC_KIT_H
#define TESTS_HEURISTIC_KIT_H

#include "core/base/json.h"
#include "core/plugin/call.h"
#include <assay/roles/llm.h>

extern const assay_plugin *llm_heuristic_LTX_assay_plugin_v1(void);

/* What a call of `tool` whose arguments hold `argument` (compact JSON; NULL: any) answers. The first that fits. A text
 * that starts with "[tool error]" is a failed call. */
typedef struct toy_reply {
	const char *tool, *argument, *text;
} toy_reply;

/* A tool. Parameters are parted by blanks: NAME[:TYPE][!]; TYPE is string (when not given), integer, boolean, object,
 * date, list (of strings) or options a|b|c; "!" says required; "NAME{ ... }" is an object with parameters of its own.
 */
typedef struct toy_tool {
	const char *name, *about, *params;
} toy_tool;

/* One list of tools and one of replies a server; both end with zeros. */
typedef struct toy_world {
	const toy_tool *tools[4];
	const toy_reply *replies[4];
} toy_world;

extern const toy_world toy_library, toy_files, toy_tracker, toy_router, toy_all;

/* What the world answers to a call. */
const char *toy_answer(const toy_world *world, const char *tool, const char *arguments);

/* What the agent did. */
typedef struct toy_run {
	as_buf calls;  /* "tool {arguments}\n" each */
	as_buf answer; /* empty: none within the turns */
	assay_json *messages;
	uint32_t turns;
} toy_run;

assay_json *toy_tools(const toy_world *world); /* all of them as one array */

/* A request {"messages", "tools", "extra"}; messages and tools are copied. */
assay_json *toy_request(const assay_json *messages, const assay_json *tools, const char *policy, uint32_t left);

/* The agent's reply, or NULL and err. options: of the instance, may be NULL. */
assay_json *toy_ask(const assay_json *options, const assay_json *request, assay_error *err);

/* Let the agent work on a goal. policy NULL: the instance's own. */
void toy_work(const toy_world *world, const char *goal, const char *policy, uint32_t turns, toy_run *out);
/* The user says one thing more; the calls of before are forgotten, the messages are not. */
void toy_go_on(const toy_world *world, const char *goal, uint32_t turns, toy_run *run);
void toy_free(toy_run *run);

/* Work on it and compare the calls ("tool {...}" lines) and what the answer must mention (NULL: do not look). */
void toy_expect(const toy_world *world, const char *goal, const char *calls, const char *answer_has);

#endif
