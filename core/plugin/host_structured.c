/* Answers of a given shape: asked for as a forced call of a function, checked, and asked for again. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include <assay/roles/llm.h>
#include <string.h>

#define DEFAULT_REPLIES 3u
#define QUOTED_BYTES 2000u /* of a reply that was not usable, told to the model */

static assay_json *message_of(const char *role, assay_str content)
{
	assay_json *m = as_json_object();
	int rc = as_json_set(m, "role", as_json_cstring(role));
	rc |= as_json_set(m, "content", as_json_string(content));
	if (rc < 0) {
		as_json_free(m);
		return NULL;
	}
	return m;
}

static assay_json *forced_tool(const assay_question *q)
{
	assay_json *tools = as_json_array(), *tool = as_json_object();
	int rc = as_json_set(tool, "name", as_json_cstring(q->name));
	rc |= as_json_set(tool, "description", as_json_cstring(q->description ? q->description : ""));
	rc |= as_json_set(tool, "parameters", as_json_clone(q->schema));
	rc |= as_json_append(tools, tool);
	if (rc < 0) {
		as_json_free(tools);
		return NULL;
	}
	return tools;
}

/* complaint: about the reply before; empty: there was none. */
static assay_json *request_of(const assay_question *q, assay_str complaint)
{
	assay_json *request = as_json_object(), *messages = as_json_array(), *choice = as_json_object();
	int rc = as_json_append(messages, message_of("system", q->prompt));
	rc |= as_json_append(messages, message_of("user", q->input));
	if (complaint.len > 0) {
		rc |= as_json_append(messages, message_of("user", complaint));
	}
	rc |= as_json_set(choice, "name", as_json_cstring(q->name));
	rc |= as_json_set(request, "messages", messages);
	rc |= as_json_set(request, "tools", forced_tool(q));
	rc |= as_json_set(request, "tool_choice", choice);
	rc |= as_json_set(request, "temperature", as_json_real(q->temperature));
	if (q->max_tokens > 0) {
		rc |= as_json_set(request, "max_tokens", as_json_integer(q->max_tokens));
	}
	if (rc < 0) {
		as_json_free(request);
		return NULL;
	}
	return request;
}

/* --- Reading a reply --- */

/* The JSON object in a text that may have words or a fence around it. */
static int object_in(assay_str text, assay_json **out, assay_error *why)
{
	size_t from = 0, to = text.len;
	while (from < to && text.ptr[from] != '{') {
		from++;
	}
	while (to > from && text.ptr[to - 1] != '}') {
		to--;
	}
	if (from == to) {
		return as_fail(why, ASSAY_EDATA, "it holds no JSON object");
	}
	return as_json_parse((assay_str){text.ptr + from, to - from}, ASSAY_JSON_PEER, out, why);
}

/* *said: what the model put forward, for quoting it; borrowed from the reply. */
static int read_reply(const assay_question *q, const assay_json *reply, assay_str *said, assay_json **out,
		      assay_error *why)
{
	const assay_json *message = as_json_get(reply, "message"),
			 *call = as_json_first(as_json_get(message, "tool_calls"));
	const assay_json *first = call;
	int rc;
	*said = as_json_str(as_json_get(message, "content"));
	while (call && !as_str_is(as_json_str(as_json_get(call, "name")), q->name)) {
		call = as_json_next(call);
	}
	if (call) {
		*said = as_json_str(as_json_get(call, "arguments"));
		rc = as_json_parse(*said, ASSAY_JSON_PEER, out, why);
	} else if (first && as_trim(*said).len == 0) {
		return as_fail(why, ASSAY_EDATA, "it calls \"%.*s\", which is not offered",
			       ASSAY_FMT(as_json_str(as_json_get(first, "name"))));
	} else if (as_trim(*said).len == 0) {
		rc = as_fail(why, ASSAY_EDATA, "it is empty");
	} else {
		rc = object_in(*said, out, why);
	}
	if (rc < 0 && rc != ASSAY_ENOMEM && as_str_is(as_json_str(as_json_get(reply, "finish_reason")), "length")) {
		*why = (assay_error){0};
		return as_fail(why, ASSAY_EDATA, "it was cut off at the limit of its length: be brief");
	}
	return rc < 0 && rc != ASSAY_ENOMEM ? ASSAY_EDATA : rc;
}

static int judge(const assay_question *q, const as_schema *schema, const assay_json *reply, assay_str *said,
		 assay_json **answer, assay_error *why)
{
	int rc = read_reply(q, reply, said, answer, why);
	if (rc == 0 && as_json_type(*answer) != ASSAY_JSON_OBJECT) {
		rc = as_fail(why, ASSAY_EDATA, "it is no JSON object");
	}
	if (rc == 0) {
		rc = as_schema_validate(schema, *answer, why);
		rc = rc == ASSAY_ELIMIT ? ASSAY_EDATA : rc;
	}
	if (rc == 0 && q->check) {
		rc = q->check(q->payload, *answer, why);
	}
	if (rc < 0) {
		as_json_free(*answer);
		*answer = NULL;
	}
	return rc;
}

static void complain(as_buf *out, const assay_question *q, assay_str said, const assay_error *why)
{
	assay_error shown = *why;
	char line[1024];
	shown.line = 0; /* of a text that has but one */
	as_error_format(&shown, line, sizeof line);
	as_buf_clear(out);
	as_buf_printf(out, "Your last reply could not be used: %s\n", line);
	if (said.len > 0) {
		as_buf_puts(out, "It was:\n");
		as_buf_add(out, (assay_str){said.ptr, as_utf8_prefix(said, QUOTED_BYTES)});
		as_buf_puts(out, said.len > QUOTED_BYTES ? "...\n" : "\n");
	}
	as_buf_printf(out, "Answer again, completely, by calling %s.", q->name);
}

/* --- Asking --- */

static int give_up(uint32_t replies, const assay_error *why, assay_error *err)
{
	assay_error shown = *why;
	char line[400];
	shown.line = 0;
	as_error_format(&shown, line, sizeof line);
	as_fail(err, ASSAY_EDATA, "none of %u replies of the model was usable; of the last: %s", (unsigned)replies,
		line);
	if (err) {
		err->reason = ASSAY_LLM_MALFORMED;
		err->flags |= ASSAY_ERR_PEER;
	}
	return ASSAY_EDATA;
}

/* One reply. ASSAY_EDATA of *why: not usable, and `complaint` says so. */
static int ask_once(assay_call *call, const assay_question *q, const as_schema *schema, as_buf *complaint,
		    assay_json **answer, bool *unusable, assay_error *why)
{
	assay_json *request = request_of(q, as_buf_str(complaint)), *reply = NULL;
	assay_str said = {NULL, 0};
	int rc = request ? as_host()->llm->chat(call, request, &reply, why) : as_fail_memory(why);
	*unusable = false;
	if (rc == 0) {
		rc = judge(q, schema, reply, &said, answer, why);
		*unusable = rc == ASSAY_EDATA;
	}
	if (*unusable) {
		complain(complaint, q, said, why);
	}
	as_json_free(reply);
	as_json_free(request);
	return complaint->failed ? as_fail_memory(why) : rc;
}

static int ask(assay_call *call, const assay_question *question, assay_json **answer, assay_error *err)
{
	const uint32_t replies = question->replies > 0 ? question->replies : DEFAULT_REPLIES;
	as_schema *schema = NULL;
	as_buf complaint = {0};
	int rc = as_schema_compile(question->schema, &schema, err);
	*answer = NULL;
	for (uint32_t i = 1; rc == 0 && !*answer; i++) {
		assay_error why = {0};
		bool unusable;
		rc = ask_once(call, question, schema, &complaint, answer, &unusable, &why);
		if (unusable && i < replies) {
			rc = 0;
		} else if (unusable) {
			rc = give_up(replies, &why, err);
		} else if (rc < 0 && err) {
			*err = why;
		}
	}
	as_buf_free(&complaint);
	as_schema_free(schema);
	return rc;
}

const assay_structured_api as_host_structured = {sizeof as_host_structured, 0, ask};
