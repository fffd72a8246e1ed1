/* Requests and replies, between everybody's names and schemas and those of one provider. */
#include "core/base/error.h"
#include "core/llm/hub.h"
#include "core/llm/schema.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_TOKENS 1000000000 /* of one request; more is a mistake */

static int put_name(const as_names *names, assay_json *object, assay_error *err)
{
	as_buf alias = {0};
	int rc = as_names_put(names, as_json_str(as_json_get(object, "name")), &alias, err);
	if (rc == 0 && as_json_set(object, "name", as_json_string(as_buf_str(&alias))) < 0) {
		rc = as_fail_memory(err);
	}
	as_buf_free(&alias);
	return rc;
}

static int put_schema(assay_json *object, const char *key, uint32_t rules, assay_error *err)
{
	const assay_json *schema = as_json_get(object, key);
	assay_json *made;
	if (!schema && !(rules & ASSAY_LLM_SCHEMA_OBJECT)) {
		return 0;
	}
	made = as_llm_schema(schema, rules);
	if (made && (rules & ASSAY_LLM_SCHEMA_NO_EMPTY) && as_json_count(as_json_get(made, "properties")) == 0) {
		as_json_free(made);
		as_json_free(as_json_detach(object, key));
		return 0;
	}
	return as_json_set(object, key, made) < 0 ? as_fail_memory(err) : 0;
}

static int put_calls(const as_names *names, const assay_json *messages, assay_error *err)
{
	int rc = 0;
	for (const assay_json *m = as_json_first(messages); m && rc == 0; m = as_json_next(m)) {
		const assay_json *calls = as_json_get(m, "tool_calls");
		for (const assay_json *c = as_json_first(calls); c && rc == 0; c = as_json_next(c)) {
			rc = put_name(names, as_json_edit(c), err);
		}
	}
	return rc;
}

/* One member of the request, to be set in what is sent. */
static int put_member(const as_llm_offer *offer, uint32_t rules, const assay_json *member, assay_json *out,
		      assay_error *err)
{
	assay_str key = as_json_key(member);
	bool is_tools = as_str_is(key, "tools") && offer->tools;
	assay_json *v = as_json_clone(is_tools ? offer->tools : member);
	int rc = v ? 0 : as_fail_memory(err);
	if (rc == 0 && as_str_is(key, "messages")) {
		rc = put_calls(offer->names, v, err);
	} else if (rc == 0 && as_str_is(key, "tool_choice") && as_json_type(v) == ASSAY_JSON_OBJECT) {
		rc = put_name(offer->names, v, err);
	} else if (rc == 0 && rules && as_str_is(key, "response_format")) {
		rc = put_schema(v, "schema", rules & ~ASSAY_LLM_SCHEMA_NO_EMPTY, err);
	}
	if (rc < 0) {
		as_json_free(v);
		return rc;
	}
	return as_json_set_n(out, key, v) < 0 ? as_fail_memory(err) : 0;
}

int as_llm_request_out(const as_llm_offer *offer, const assay_llm_dialect *dialect, const assay_json *request,
		       assay_json **out, assay_error *err)
{
	assay_json *r = as_json_object();
	int rc = r ? 0 : as_fail_memory(err);
	*out = NULL;
	for (const assay_json *m = as_json_first(request); m && rc == 0; m = as_json_next(m)) {
		rc = put_member(offer, dialect ? dialect->schema : 0, m, r, err);
	}
	if (rc < 0) {
		as_json_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

/* --- Offers --- */

/* What a tool in a dialect hangs on: its alias, which may hang on other names, and all that it is. */
static int offer_key(const as_llm_offer *offer, uint32_t rules, const assay_json *tool, as_buf *alias, as_buf *key,
		     assay_error *err)
{
	int rc = as_names_put(offer->names, as_json_str(as_json_get(tool, "name")), alias, err);
	if (rc == 0) {
		as_buf_printf(key, "%u ", (unsigned)rules);
		as_buf_add(key, as_buf_str(alias));
		as_json_write(key, tool, ASSAY_JSON_COMPACT);
		rc = as_buf_check(key, err);
	}
	return rc;
}

/* A tool with its alias and its schema in the dialect. */
static int tool_out(const as_llm_offer *offer, as_json_pool *pool, uint32_t rules, const assay_json *tool,
		    assay_json **out, assay_error *err)
{
	as_buf alias = {0}, key = {0};
	assay_json *t = NULL;
	int rc = offer_key(offer, rules, tool, &alias, &key, err);
	*out = rc == 0 ? as_json_pool_get(pool, as_buf_str(&key)) : NULL;
	if (rc == 0 && !*out) {
		t = as_json_clone(tool);
		rc = as_json_set(t, "name", as_json_string(as_buf_str(&alias))) < 0 ? as_fail_memory(err) : 0;
		rc = rc < 0 || !rules ? rc : put_schema(t, "parameters", rules, err);
		if (rc == 0) {
			*out = as_json_pool_put(pool, as_buf_str(&key), t);
			rc = *out ? 0 : as_fail_memory(err);
			t = NULL;
		}
	}
	as_json_free(t);
	as_buf_free(&alias);
	as_buf_free(&key);
	return rc;
}

static int render(as_llm_offer *offer, as_json_pool *pool, uint32_t rules, const assay_json *tools, assay_error *err)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : as_fail_memory(err);
	for (const assay_json *t = as_json_first(tools); t && rc == 0; t = as_json_next(t)) {
		assay_json *made;
		rc = tool_out(offer, pool, rules, t, &made, err);
		rc = rc < 0 ? rc : as_json_append(list, made) < 0 ? as_fail_memory(err) : 0;
	}
	if (rc < 0) {
		as_json_free(list);
		return rc;
	}
	offer->tools = as_json_freeze(list);
	return offer->tools ? 0 : as_fail_memory(err);
}

int as_llm_offer_new(as_json_pool *pool, const assay_llm_dialect *dialect, const assay_json *tools, as_llm_offer **out,
		     assay_error *err)
{
	as_llm_offer *offer = as_new(1, sizeof *offer);
	int rc = offer ? as_names_new(tools, dialect, &offer->names, err) : as_fail_memory(err);
	*out = NULL;
	if (rc == 0 && tools) {
		rc = render(offer, pool, dialect ? dialect->schema : 0, tools, err);
	}
	if (rc < 0) {
		as_llm_offer_free(offer);
		return rc;
	}
	*out = offer;
	return 0;
}

void as_llm_offer_free(as_llm_offer *offer)
{
	if (offer) {
		as_json_free(offer->source);
		as_json_free(offer->tools);
		as_names_free(offer->names);
		free(offer);
	}
}

/* A call whose id is missing, or is that of a call before it, gets one of its own. */
static int settle_id(const assay_json *calls, const assay_json *call, int64_t ordinal, size_t index)
{
	assay_str id = as_json_str(as_json_get(call, "id"));
	bool good = id.len > 0;
	char text[64];
	for (const assay_json *c = as_json_first(calls); c != call && good; c = as_json_next(c)) {
		good = !as_str_eq(as_json_str(as_json_get(c, "id")), id);
	}
	if (good) {
		return 0;
	}
	snprintf(text, sizeof text, "call_%lld_%zu", (long long)ordinal, index);
	return as_json_set(as_json_edit(call), "id", as_json_cstring(text));
}

int as_llm_reply_in(const as_names *names, int64_t ordinal, assay_json *reply, assay_error *err)
{
	assay_json *message = as_json_edit(as_json_get(reply, "message"));
	const assay_json *calls = as_json_get(message, "tool_calls");
	size_t index = 0;
	int rc = 0;
	if (as_json_type(message) != ASSAY_JSON_OBJECT ||
	    (calls && as_json_type(calls) != ASSAY_JSON_ARRAY && as_json_type(calls) != ASSAY_JSON_NULL)) {
		return as_fail(err, ASSAY_EPLUGIN, "the reply is not of the shape of assay/roles/llm.h");
	}
	for (const assay_json *c = as_json_first(calls); c && rc == 0; c = as_json_next(c), index++) {
		assay_str name = as_names_get(names, as_json_str(as_json_get(c, "name")));
		rc = as_json_set(as_json_edit(c), "name", as_json_string(name));
		rc = rc < 0 ? rc : settle_id(calls, c, ordinal, index + 1);
	}
	if (rc == 0 && as_json_count(calls) == 0) {
		as_json_free(as_json_detach(message, "tool_calls"));
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* Somebody else's numbers: a negative one must not win money back, and no sum of them overflows. */
static int64_t tokens_of(const assay_json *usage, const char *name)
{
	int64_t n = as_json_i64(as_json_get(usage, name), 0);
	return n < 0 || n > MAX_TOKENS ? 0 : n;
}

as_llm_usage as_llm_usage_of(const assay_json *reply, const assay_json *price)
{
	const assay_json *usage = as_json_get(reply, "usage");
	as_llm_usage u = {.prompt = tokens_of(usage, "prompt_tokens"),
			  .completion = tokens_of(usage, "completion_tokens"),
			  .cached = tokens_of(usage, "cached_tokens"),
			  .reasoning = tokens_of(usage, "reasoning_tokens")};
	double in = as_json_f64(as_json_get(price, "in"), 0), out = as_json_f64(as_json_get(price, "out"), 0);
	double cached = as_json_f64(as_json_get(price, "cached"), in);
	u.cached = u.cached > u.prompt ? u.prompt : u.cached;
	u.usd = ((double)(u.prompt - u.cached) * in + (double)u.cached * cached + (double)u.completion * out) / 1e6;
	return u;
}
