/* What a provider's answer means when it is no reply. The kinds are those of assay/roles/llm.h; which of them help to
 * try again is decided here, and nothing else. */
#include "provider.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SAID = sizeof((assay_error *)NULL)->message }; /* a message is full with so much of what was said */
#define MAX_NAME 60                                       /* bytes of what can be a kind or a parameter */

struct verdict {
	uint32_t reason;
	int code;
	bool again;
};

static bool has(assay_str text, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= text.len; i++) {
		size_t k = 0;
		while (k < n && tolower((unsigned char)text.ptr[i + k]) == (unsigned char)word[k]) {
			k++;
		}
		if (k == n) {
			return true;
		}
	}
	return false;
}

static bool has_one(assay_str text, const char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		if (has(text, words[i])) {
			return true;
		}
	}
	return false;
}

/* --- What was said --- */

/* {"error": {"message"}}, {"error": text}, {"message"}, {"detail"}: the words of an error. */
static assay_str words_of(const struct provider *p, const assay_json *answer)
{
	static const char *const places[] = {"/error/message", "/error", "/message", "/detail", "/0/error/message"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		assay_str s = p->json->str(p->json->pointer(answer, places[i]));
		if (s.len > 0) {
			return s;
		}
	}
	return (assay_str){NULL, 0};
}

static assay_str member(const struct provider *p, const assay_json *answer, const char *name)
{
	const assay_json *error = p->json->get(answer, "error");
	return p->json->str(p->json->get(error ? error : answer, name));
}

/* --- When to come back --- */

static int64_t days_of(int year, int month, int day) /* since 1970-01-01 */
{
	int y = month <= 2 ? year - 1 : year, m = (month + 9) % 12;
	int64_t era = y / 400, yoe = y % 400, doy = (153 * m + 2) / 5 + day - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" as milliseconds from now. */
static int64_t from_date(const char *text)
{
	struct tm t = {.tm_mday = 0};
	if (!strptime(text, "%a, %d %b %Y %H:%M:%S", &t)) {
		return 0;
	}
	int64_t days = days_of(t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
	int64_t then = days * 86400 + (int64_t)t.tm_hour * 3600 + (int64_t)t.tm_min * 60 + t.tm_sec;
	int64_t ms = (then - (int64_t)time(NULL)) * 1000;
	return ms > 0 ? ms : 1;
}

static int64_t from_number(const char *text, double unit)
{
	char *end;
	double n = strtod(text, &end);
	if (end == text || !(n >= 0) || n > 1e9) {
		return 0;
	}
	return (int64_t)(n * unit) > 0 ? (int64_t)(n * unit) : 1;
}

/* Milliseconds; 0: not told. Gemini writes it into the body: a detail with "retryDelay": "12s". */
static int64_t wait_of(const struct provider *p, const assay_json *headers, const assay_json *answer)
{
	const assay_json *ms = p->json->get(headers, "retry-after-ms"), *s = p->json->get(headers, "retry-after");
	if (p->json->str(ms).len > 0) {
		return from_number(p->json->str(ms).ptr, 1);
	}
	if (p->json->str(s).len > 0) {
		const char *text = p->json->str(s).ptr;
		return isdigit((unsigned char)text[0]) ? from_number(text, 1000) : from_date(text);
	}
	const assay_json *details = p->json->pointer(answer, "/error/details");
	for (const assay_json *d = p->json->first(details); d; d = p->json->next(d)) {
		assay_str delay = p->json->str(p->json->get(d, "retryDelay"));
		if (delay.len > 0) {
			return from_number(delay.ptr, 1000);
		}
	}
	return 0;
}

/* --- What it means --- */

static bool is_quota(assay_str words, assay_str code, assay_str type)
{
	static const char *const said[] = {"credit balance is too low", "insufficient credits", "insufficient balance",
					   "billing hard limit", NULL};
	return has(code, "insufficient_quota") || has(type, "insufficient_quota") || has(type, "billing_error") ||
	       has(code, "billing_hard_limit") || has_one(words, said);
}

static bool is_context(assay_str words, assay_str code, assay_str type)
{
	static const char *const said[] = {"maximum context length",
					   "context window",
					   "prompt is too long",
					   "context length exceeded",
					   "exceeds the maximum number of tokens",
					   "exceeds the available context size",
					   "input is too long",
					   NULL};
	return has(code, "context_length_exceeded") || has(type, "exceed_context_size") ||
	       has(type, "request_too_large") || has_one(words, said);
}

static struct verdict judge(int status, assay_str words, assay_str code, assay_str type)
{
	if (status == 402 || is_quota(words, code, type)) {
		return (struct verdict){ASSAY_LLM_QUOTA, ASSAY_ELIMIT, false};
	}
	if (status == 413 || (status < 500 && status != 429 && is_context(words, code, type)) ||
	    (status == 500 && has(type, "exceed_context_size"))) {
		return (struct verdict){ASSAY_LLM_CONTEXT, ASSAY_ELIMIT, false};
	}
	if (status == 401 || status == 403 || has(type, "authentication_error")) {
		return (struct verdict){ASSAY_LLM_AUTH, ASSAY_EAUTH, false};
	}
	if (status == 429 || has(code, "rate_limit") || has(type, "rate_limit")) {
		return (struct verdict){ASSAY_LLM_RATE, ASSAY_EAGAIN, true};
	}
	if (status >= 500 || status == 408 || status == 409 || status == 425 || has(type, "overloaded") ||
	    has(code, "server_error") || has(type, "server_error")) {
		return (struct verdict){ASSAY_LLM_OVERLOAD, ASSAY_EUNREACH, true};
	}
	if (has(code, "content_filter") || has(code, "content_policy") || has(type, "content_filter")) {
		return (struct verdict){ASSAY_LLM_FILTER, ASSAY_EINVAL, false};
	}
	return (struct verdict){ASSAY_LLM_REFUSED, ASSAY_EINVAL, false};
}

static void give_hint(const struct provider *p, const struct verdict *v, const assay_json *answer, assay_error *err)
{
	assay_str parameter = member(p, answer, "param");
	if (v->reason == ASSAY_LLM_AUTH) {
		snprintf(err->hint, sizeof err->hint, "is the key of the right account, and of this provider?");
	} else if (v->reason == ASSAY_LLM_REFUSED && parameter.len > 0 && parameter.len <= MAX_NAME) {
		snprintf(err->hint, sizeof err->hint,
			 "when the model does not take it: \"omit\": [\"%s\"] beside \"model\" in the manifest",
			 parameter.ptr);
	}
}

/* The words come last and are not cut here: they may repeat the key, and the program finds no half of one, except at a
 * message's end. */
static int fail(const struct provider *p, int status, const assay_json *headers, const assay_json *answer,
		assay_str body, assay_error *err)
{
	assay_str words = words_of(p, answer), code = member(p, answer, "code"), type = member(p, answer, "type");
	struct verdict v = judge(status, words.len ? words : body, code, type.len ? type : member(p, answer, "status"));
	bool typed = type.len > 0 && type.len <= MAX_NAME;
	words = words.len ? words : body;
	p->host->fail(err, v.code, "HTTP %d%s%s%s%.*s", status, typed ? " (" : "", typed ? type.ptr : "",
		      typed ? "): " : ": ", (int)(words.len < MAX_SAID ? words.len : MAX_SAID),
		      words.len ? words.ptr : "");
	if (err) {
		err->reason = v.reason;
		err->flags |= ASSAY_ERR_PEER | (v.again ? ASSAY_ERR_RETRYABLE : 0);
		err->detail = v.again ? wait_of(p, headers, answer) : 0;
		give_hint(p, &v, answer, err);
	}
	return v.code;
}

int provider_refusal(const struct provider *p, int status, const assay_json *answer, assay_error *err)
{
	const assay_json *error = p->json->get(answer, "error");
	int64_t code = p->json->i64(p->json->get(error, "code"), 0);
	return fail(p,
		    status != 200               ? status
		    : code >= 400 && code < 600 ? (int)code
						: 500,
		    NULL, answer, (assay_str){NULL, 0}, err);
}

static int odd_answer(assay_error *err, uint32_t reason, int code)
{
	if (err) {
		err->reason = reason;
		err->flags |= ASSAY_ERR_PEER | ASSAY_ERR_RETRYABLE;
	}
	return code;
}

int provider_malformed(const struct provider *p, const char *what, assay_error *err)
{
	p->host->fail(err, ASSAY_EPROTO, "the answer is none of %s: %s", p->api->use, what);
	return odd_answer(err, ASSAY_LLM_MALFORMED, ASSAY_EPROTO);
}

static bool is_blank(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!isspace((unsigned char)s.ptr[i])) {
			return false;
		}
	}
	return true;
}

/* Some endpoints answer an error with status 200. */
static bool is_error_object(const struct provider *p, const assay_json *answer)
{
	int type = p->json->type(p->json->get(answer, "error"));
	return type == ASSAY_JSON_OBJECT || type == ASSAY_JSON_STRING;
}

int provider_read(const struct provider *p, const assay_http_reply *reply, assay_str body, assay_json **answer,
		  assay_error *err)
{
	assay_error why = {0};
	bool good = reply->status >= 200 && reply->status < 300;
	int rc;
	if (good && is_blank(body)) {
		p->host->fail(err, ASSAY_EPROTO, "HTTP %d without a body", (int)reply->status);
		return odd_answer(err, ASSAY_LLM_EMPTY, ASSAY_EPROTO);
	}
	rc = p->json->parse(body, ASSAY_JSON_PEER, answer, &why);
	if (rc == ASSAY_ENOMEM) {
		return provider_no_memory(p, err);
	}
	if (!good || is_error_object(p, *answer)) {
		int status = good ? 200 : reply->status;
		rc = good ? provider_refusal(p, status, *answer, err)
			  : fail(p, status, reply->headers, *answer, body, err);
		p->json->free(*answer);
		*answer = NULL;
		return rc;
	}
	if (rc < 0 || p->json->type(*answer) != ASSAY_JSON_OBJECT) {
		p->host->fail(err, ASSAY_EPROTO, "the answer is no JSON object, but: %.*s",
			      (int)(body.len < MAX_SAID ? body.len : MAX_SAID), body.ptr ? body.ptr : "");
		p->json->free(*answer);
		*answer = NULL;
		return odd_answer(err, ASSAY_LLM_MALFORMED, ASSAY_EPROTO);
	}
	return 0;
}
