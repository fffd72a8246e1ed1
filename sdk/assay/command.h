/* Assay SDK, service "command" (host->service("command", 1)): a program that fills a role in a language of its own.
 *
 * The program is started as a child and talks JSON, one document a line, on its standard input and output. Its standard
 * error is for people. The protocol, version 1 (sdk/command.md has it with examples):
 *
 *   ours   {"assay": 1, "role": "llm", "options": {...}}
 *   its    {"assay": 1, "name": "...", "version": "..."}            within start_ms
 *   ours   {"id": 1, "op": "complete", "params": ..., "deadline_ms": 300000}
 *   its    {"id": 1, "result": ...}   or   {"id": 1, "error": {"message": "...", "reason"?, "retryable"?,
 *                                                              "retry_after_ms"?}}
 *   its    {"log": "...", "level"?: "info"}                         at any time
 *   its    {"ask": "...", "id": 7, "params": ...}                   while it works on a request, where the role has
 *   ours   {"answer": 7, "result": ...} or {"answer": 7, "error": {"message": "..."}}         something to ask for
 *
 * One request at a time. A program that is late, or breaks the protocol, is stopped; the next request starts it anew,
 * so it keeps nothing in its memory that a later request needs. */
#ifndef ASSAY_COMMAND_H
#define ASSAY_COMMAND_H

#include <assay/types.h>

#define ASSAY_COMMAND_VERSION 1

typedef struct assay_command assay_command;

typedef struct assay_command_spec {
	uint32_t size;
	uint32_t reserved;
	const char *const *argv;   /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env;    /* "NAME=value", NULL-terminated; NULL: none beyond the usual few */
	const char *role;          /* as in the greeting */
	const assay_json *options; /* object; NULL: {} */
	int64_t start_ms;          /* for the greeting; 0: 30 seconds */
	/* What the program asks for. NULL: it may not ask. A failure is told to the program, and is no failure of ask.
	 */
	int (*question)(void *payload, assay_call *call, assay_str op, const assay_json *params, assay_json **result,
			assay_error *err);
	void *payload;
	int64_t answer_ms; /* for an answer, in calls without a deadline; 0: for ever. Since ABI 1.2 */
} assay_command_spec;

typedef struct assay_command_api {
	uint32_t size;
	uint32_t reserved;
	/* Start it and greet. Everything of the spec is copied but `question` and `payload`. ASSAY_ENOENT,
	 * ASSAY_EPROTO, ASSAY_ETIMEOUT, ASSAY_EUNREACH (it ended), with the last of what it wrote to standard error as
	 * hint. */
	int (*open)(assay_call *call, const assay_command_spec *spec, assay_command **out, assay_error *err);
	/* One request. *refusal (NULL is fine): the program's own error object, with ASSAY_EINVAL; free it. Any other
	 * failure leaves a program that is of no use: close it. */
	int (*ask)(assay_call *call, assay_command *c, const char *op, const assay_json *params, assay_json **result,
		   assay_json **refusal, assay_error *err);
	void (*close)(assay_command *c); /* NULL is fine */
} assay_command_api;

#endif
