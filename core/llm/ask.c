/* One request through an implementation, asked again when that may help. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/llm/hub.h"
#include <assay/roles/llm.h>
#include <stdio.h>

#define MAX_BACKOFF_MS 60000
#define MAX_RETRY_AFTER_MS 600000 /* whoever asks for more is out of service: the attempt ends, and is tried again */

const char *as_llm_reason(uint32_t reason)
{
	static const char *const names[] = {"not said",        "refused key",      "quota used up", "rate limit",
					    "overload",        "unreachable",      "malformed",     "empty reply",
					    "refused request", "context overflow", "content filter"};
	return reason < sizeof names / sizeof *names ? names[reason] : names[0];
}

/* Where the implementation gave no reason, its code gives one. */
static void settle_reason(assay_error *why, int rc)
{
	why->code = rc;
	if (why->reason == 0) {
		bool lost = rc == ASSAY_EUNREACH || rc == ASSAY_ETIMEOUT;
		why->reason = lost                 ? ASSAY_LLM_UNREACHABLE
			      : rc == ASSAY_EAUTH  ? ASSAY_LLM_AUTH
			      : rc == ASSAY_EAGAIN ? ASSAY_LLM_RATE
			      : rc == ASSAY_EPROTO ? ASSAY_LLM_MALFORMED
						   : ASSAY_LLM_REFUSED;
	}
}

static int once(as_llm_dialogue *d, as_llm_asking *a, const assay_json *request, assay_json **reply, assay_error *why)
{
	const assay_llm_ops *ops = as_instance_ops(d->instance);
	int64_t seconds = as_json_i64(as_json_get(a->endpoint->settings->limits, "seconds"), AS_LLM_SECONDS);
	as_called before;
	as_collect got;
	int rc;
	as_collect_init(&got, 1, 0);
	/* The request's own time, not what is left of the attempt's: silence is never the agent's doing. */
	a->call.deadline_ms = as_deadline(seconds * 1000);
	before = as_instance_enter(d->instance, "complete");
	rc = ops->complete(as_instance_self(d->instance), &a->call.pub, request, &got.sink, why);
	rc = as_called_end(before, rc, why);
	if (rc == 0) {
		rc = as_collect_one(&got, a->endpoint->settings->use, reply, why);
	}
	as_collect_free(&got);
	if (rc == 0) {
		rc = as_redact_json(d->hub->options.redactor, reply, why);
	}
	if (rc < 0) {
		as_redact_error(d->hub->options.redactor, why);
		settle_reason(why, rc);
	}
	return rc;
}

/* How long to wait before asking again: what the provider says, else longer each time, and not all at once. The same
 * request waits the same time, so that runs are alike. */
static int64_t pause_before(const as_llm_dialogue *d, const as_llm_endpoint *e, const assay_error *why, int64_t number)
{
	double base = as_json_f64(as_json_get(e->settings->limits, "backoff"), AS_LLM_BACKOFF_MS / 1000.0) * 1000.0;
	char key[96], hex[65];
	assay_str parts[] = {d->subject, {NULL, 0}};
	double factor = 1;
	int64_t ms;
	if (why->detail > 0 && (why->reason == ASSAY_LLM_RATE || why->reason == ASSAY_LLM_OVERLOAD)) {
		return why->detail;
	}
	for (int64_t i = 0; i < number && i < 16; i++) {
		factor *= 2;
	}
	snprintf(key, sizeof key, "%lld/%lld/%lld", (long long)d->try_number, (long long)d->ordinal, (long long)number);
	parts[1] = as_str(key);
	as_hash_parts("llm backoff", parts, 2, hex);
	ms = (int64_t)(base * factor * (0.75 + (double)(as_hash_u64(hex) % 1000) / 2000.0));
	return ms < MAX_BACKOFF_MS ? ms : MAX_BACKOFF_MS;
}

static bool may_help(const as_llm_dialogue *d, const assay_error *why)
{
	return (why->flags & ASSAY_ERR_RETRYABLE) && why->detail <= MAX_RETRY_AFTER_MS &&
	       why->code != ASSAY_ECANCELED && why->code != ASSAY_ENOMEM && !as_cancel_is_set(d->call->cancel);
}

static void give_back(as_llm_endpoint *e, uint64_t ticket, int rc, const assay_error *why)
{
	bool too_many =
		rc < 0 && (why->reason == ASSAY_LLM_RATE || (why->reason == ASSAY_LLM_OVERLOAD && why->detail > 0));
	int64_t pause = too_many && why->detail > 0 && why->detail <= MAX_RETRY_AFTER_MS ? why->detail : 0;
	as_window_give(e->window, ticket, rc == 0 ? AS_WENT_WELL : too_many ? AS_WENT_TOO_MANY : AS_WENT_WRONG, pause);
}

/* One try, in the window. *again: it used one of several keys that is no good, and another may be. */
static int try_once(as_llm_dialogue *d, const assay_json *request, assay_json **reply, int64_t *begun, bool *again,
		    assay_error *why)
{
	as_llm_endpoint *e = &d->hub->endpoints[d->model];
	as_llm_asking a;
	uint64_t ticket = 0;
	int rc = as_window_take(e->window, AS_FOREVER, d->call->cancel, &ticket, why);
	*again = false;
	if (rc < 0) {
		return rc;
	}
	*begun = as_now_ms();
	as_llm_asking_begin(&a, d->hub, d->model, d->call);
	rc = once(d, &a, request, reply, why);
	give_back(e, ticket, rc, why);
	if (rc < 0 && (why->reason == ASSAY_LLM_AUTH || why->reason == ASSAY_LLM_QUOTA)) {
		*again = as_llm_drop_key(&a);
	}
	as_llm_asking_end(&a);
	return rc;
}

/* *begun: when the last try was sent off. */
static int try_often(as_llm_dialogue *d, const assay_json *request, assay_json **reply, int64_t *begun,
		     assay_error *err)
{
	as_llm_endpoint *e = &d->hub->endpoints[d->model];
	int64_t tries = as_json_i64(as_json_get(e->settings->limits, "tries"), AS_LLM_TRIES), number = 0;
	for (;;) {
		assay_error why = {0};
		bool again;
		int64_t pause;
		int rc;
		rc = try_once(d, request, reply, begun, &again, &why);
		if (rc == 0) {
			return 0;
		}
		if (again) {
			continue;
		}
		as_log_put(d->hub->options.log, e->settings->name, ASSAY_LOG_INFO, "%s: %s", as_llm_reason(why.reason),
			   why.message);
		if (!may_help(d, &why) || ++number >= tries) {
			if (err) {
				*err = why;
			}
			return rc;
		}
		pause = pause_before(d, e, &why, number - 1);
		rc = as_wait_fd(-1, 0, as_deadline(pause), d->call->cancel, err);
		if (rc == ASSAY_ECANCELED) {
			return rc;
		}
		if (err) {
			*err = (assay_error){0}; /* of the wait, which ended in time */
		}
	}
}

/* What the provider's filter leaves of a reply: nothing, and that it was the filter. */
static assay_json *filtered_reply(const as_llm_dialogue *d)
{
	assay_json *reply = as_json_object(), *message = as_json_object();
	int rc = as_json_set(message, "role", as_json_cstring("assistant"));
	rc |= as_json_set(message, "content", as_json_cstring(""));
	rc |= as_json_set(reply, "message", message);
	rc |= as_json_set(reply, "finish_reason", as_json_cstring("content_filter"));
	rc |= as_json_set(reply, "model", as_json_cstring(d->hub->options.models[d->model].name));
	rc |= as_json_set(reply, "usage", as_json_null());
	if (rc < 0) {
		as_json_free(reply);
		return NULL;
	}
	return reply;
}

int as_llm_ask(as_llm_dialogue *d, const assay_json *request, assay_json **reply, assay_error *err)
{
	const assay_llm_dialect *dialect = ((const assay_llm_ops *)as_instance_ops(d->instance))->dialect;
	int64_t begun = as_now_ms(), last = begun;
	assay_json *sent = NULL;
	as_llm_offer *offer = NULL;
	int rc = as_llm_offer_take(d->hub, d->model, dialect, as_json_get(request, "tools"), &offer, err);
	*reply = NULL;
	if (rc == 0) {
		rc = as_llm_request_out(offer, dialect, request, &sent, err);
	}
	if (rc == 0) {
		rc = try_often(d, sent, reply, &last, err);
	}
	if (rc < 0 && err && err->reason == ASSAY_LLM_FILTER) {
		*err = (assay_error){0};
		*reply = filtered_reply(d);
		rc = *reply ? 0 : as_fail_memory(err);
	}
	if (rc == 0) {
		rc = as_llm_reply_in(offer->names, d->ordinal, *reply, err);
	}
	if (d->call->deadline_ms != AS_FOREVER) {
		d->call->deadline_ms += (rc == 0 ? last : as_now_ms()) - begun;
	}
	if (rc < 0) {
		as_json_free(*reply);
		*reply = NULL;
	}
	as_json_free(sent);
	as_llm_offer_give(d->hub, d->model, offer);
	return rc;
}
