/* A request with its budget and its stored reply.
 *
 * A row's request is the whole request, but for what the store has already: "tools" is {"document": id} (documents of
 * kind "tools"), and where the messages begin as those of the operation's request before, "messages_from" tells how
 * many are left out. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/llm/hub.h"
#include <assay/roles/llm.h>
#include <string.h>

static int merge_members(assay_json *into, const assay_json *from)
{
	int rc = 0;
	for (const assay_json *m = as_json_first(from); m && rc == 0; m = as_json_next(m)) {
		rc = as_json_set_n(into, as_json_key(m), as_json_clone(m));
	}
	return rc;
}

/* The request with what the manifest says of sampling: the model's, and over it the candidate's; and of forced calls.
 * *out is NULL when it says nothing: a request may be large, and hundreds wait for their replies at once. */
static int with_sampling(const as_llm_dialogue *d, const assay_json *request, assay_json **out, assay_error *err)
{
	const as_llm_settings *s = &d->hub->options.models[d->model];
	bool forced = as_llm_is_forced(s, request);
	int rc = 0;
	*out = NULL;
	if (!d->sampling && !s->sampling && !forced) {
		return 0;
	}
	*out = as_json_clone(request);
	if (!*out || merge_members(*out, s->sampling) < 0 || merge_members(*out, d->sampling) < 0) {
		rc = as_fail_memory(err);
	}
	if (rc == 0 && forced) {
		rc = as_llm_unforce(s, *out, err);
	}
	if (rc < 0) {
		as_json_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Implementation, options and request: whatever is changed makes another row. */
static int request_hash(const as_llm_dialogue *d, const assay_json *request, char out[65], assay_error *err)
{
	const as_llm_settings *s = &d->hub->options.models[d->model];
	assay_text text = {0}, options = {0};
	int rc = as_json_dump(request, ASSAY_JSON_CANONICAL, &text, err);
	if (rc == 0) {
		rc = as_json_dump(s->options, ASSAY_JSON_CANONICAL, &options, err);
	}
	if (rc == 0) {
		assay_str parts[] = {as_str(s->use), as_text_str(options), as_text_str(text)};
		as_hash_parts("llm request", parts, 3, out);
	}
	as_text_free(&text);
	as_text_free(&options);
	return rc;
}

/* --- The row --- */

static int add_to_chain(char chain[65], const assay_json *message, assay_error *err)
{
	assay_text text = {0};
	int rc = as_json_dump(message, ASSAY_JSON_CANONICAL, &text, err);
	if (rc == 0) {
		assay_str parts[] = {as_str(chain), as_text_str(text)};
		char next[65];
		as_hash_parts("messages", parts, 2, next);
		memcpy(chain, next, sizeof next);
	}
	as_text_free(&text);
	return rc;
}

/* How many messages of the request are those of the one before; remembers this one's. */
static int follow_chain(as_llm_dialogue *d, const assay_json *messages, size_t *same, assay_error *err)
{
	char chain[65] = "";
	size_t n = 0;
	int rc = 0;
	*same = 0;
	for (const assay_json *m = as_json_first(messages); m && rc == 0; m = as_json_next(m)) {
		rc = add_to_chain(chain, m, err);
		if (++n == d->n_messages && strcmp(chain, d->chain) == 0) {
			*same = n;
		}
	}
	d->n_messages = n;
	memcpy(d->chain, chain, sizeof chain);
	return rc;
}

static int put_tools(const as_llm_dialogue *d, assay_json *row, const assay_json *tools, assay_error *err)
{
	assay_json *reference = as_json_object();
	assay_text text = {0};
	char id[65];
	int rc = reference ? as_json_dump(tools, ASSAY_JSON_COMPACT, &text, err) : as_fail_memory(err);
	if (rc == 0) {
		as_sha256_hex(as_text_str(text), id);
		rc = as_store_put_document(d->hub->options.store, "tools", as_str(id), as_text_str(text), err);
	}
	if (rc == 0) {
		rc = as_json_set(reference, "document", as_json_cstring(id));
		rc |= as_json_set(row, "tools", reference);
		reference = NULL;
		rc = rc < 0 ? as_fail_memory(err) : 0;
	}
	as_json_free(reference);
	as_text_free(&text);
	return rc;
}

static int put_messages(assay_json *row, const assay_json *messages, size_t same)
{
	assay_json *list = as_json_array();
	size_t n = 0;
	int rc = same > 0 ? as_json_set(row, "messages_from", as_json_integer((int64_t)same)) : 0;
	for (const assay_json *m = as_json_first(messages); m; m = as_json_next(m)) {
		if (n++ >= same) {
			rc |= as_json_append(list, as_json_clone(m));
		}
	}
	return rc | as_json_set(row, "messages", list);
}

static int row_of(const as_llm_dialogue *d, const assay_json *request, size_t same, assay_text *out, assay_error *err)
{
	assay_json *row = as_json_object();
	int rc = row ? 0 : as_fail_memory(err);
	for (const assay_json *m = as_json_first(request); m && rc == 0; m = as_json_next(m)) {
		if (as_str_is(as_json_key(m), "tools")) {
			rc = put_tools(d, row, m, err);
		} else if (as_str_is(as_json_key(m), "messages")) {
			rc = put_messages(row, m, same) < 0 ? as_fail_memory(err) : 0;
		} else {
			rc = as_json_set_n(row, as_json_key(m), as_json_clone(m)) < 0 ? as_fail_memory(err) : 0;
		}
	}
	if (rc == 0) {
		rc = as_json_dump(row, ASSAY_JSON_COMPACT, out, err);
	}
	as_json_free(row);
	return rc;
}

static int commit(const as_llm_dialogue *d, const char *hash, const assay_json *request, size_t same,
		  const assay_json *reply, assay_error *err)
{
	const as_llm_settings *s = &d->hub->options.models[d->model];
	as_llm_usage u = as_llm_usage_of(reply, s->price);
	assay_text asked = {0}, body = {0};
	int rc = row_of(d, request, same, &asked, err);
	if (rc == 0) {
		rc = as_json_dump(reply, ASSAY_JSON_COMPACT, &body, err);
	}
	if (rc == 0) {
		const as_reply_row row = {.attempt_id = d->subject,
					  .try_number = d->try_number,
					  .ordinal = d->ordinal,
					  .request_hash = as_str(hash),
					  .model = as_str(s->name),
					  .request = as_text_str(asked),
					  .body = as_text_str(body),
					  .prompt_tokens = u.prompt,
					  .completion_tokens = u.completion,
					  .cached_tokens = u.cached,
					  .reasoning_tokens = u.reasoning,
					  .usd = u.usd};
		rc = as_store_put_reply(d->hub->options.store, &row, err);
	}
	as_text_free(&asked);
	as_text_free(&body);
	return rc;
}

static int find_stored(const as_llm_dialogue *d, const char *hash, assay_json **reply, assay_error *err)
{
	as_store *stores[] = {d->hub->options.store, d->hub->options.replies};
	for (size_t i = 0; i < 2; i++) {
		assay_text body = {0};
		int rc = stores[i] ? as_store_get_reply(stores[i], d->subject, d->try_number, d->ordinal, as_str(hash),
							&body, err)
				   : ASSAY_ENOENT;
		if (rc != ASSAY_ENOENT) {
			rc = rc < 0 ? rc : as_json_parse(as_text_str(body), ASSAY_JSON_PEER, reply, err);
			as_text_free(&body);
			return rc;
		}
	}
	return ASSAY_ENOENT;
}

/* --- Money and tokens --- */

static int check_budget(as_llm_dialogue *d, assay_error *err)
{
	if (d->max_tokens > 0 && d->spent.prompt + d->spent.completion >= d->max_tokens) {
		d->end = "token_limit";
		return as_fail(err, ASSAY_ELIMIT, "the attempt's %lld tokens are used up", (long long)d->max_tokens);
	}
	if (d->max_usd > 0 && d->spent.usd >= d->max_usd) {
		d->end = "cost_limit";
		return as_fail(err, ASSAY_ELIMIT, "the attempt's %g US dollars are used up", d->max_usd);
	}
	return 0;
}

static int check_run_budget(as_llm_hub *hub, assay_error *err)
{
	double spent;
	pthread_mutex_lock(&hub->lock);
	spent = hub->spent;
	pthread_mutex_unlock(&hub->lock);
	if (hub->options.max_usd > 0 && spent >= hub->options.max_usd) {
		as_fail(err, ASSAY_ELIMIT, "%.4f US dollars are spent, and the manifest allows %g", spent,
			hub->options.max_usd);
		as_error_hint(err, "raise \"limits\": {\"usd\": ...}; the same command goes on from here");
		return ASSAY_ELIMIT;
	}
	return 0;
}

/* Once a model. */
static void warn_unknown_cost(const as_llm_dialogue *d)
{
	const as_llm_hub_options *o = &d->hub->options;
	as_llm_endpoint *e = &d->hub->endpoints[d->model];
	bool told = true;
	if (o->max_usd > 0 || d->max_usd > 0 || d->max_tokens > 0) {
		pthread_mutex_lock(&e->lock);
		told = e->told_cost;
		e->told_cost = true;
		pthread_mutex_unlock(&e->lock);
	}
	if (!told) {
		as_log_put(o->log, "llm", ASSAY_LOG_WARN,
			   "%s does not say how many tokens a reply took: it counts as free, and no budget can be kept",
			   o->models[d->model].name);
	}
}

static void note_usage(as_llm_dialogue *d, const assay_json *reply, bool paid_now)
{
	as_llm_usage u = as_llm_usage_of(reply, d->hub->options.models[d->model].price);
	if (paid_now && u.prompt + u.completion == 0) {
		warn_unknown_cost(d);
	}
	d->spent.prompt += u.prompt;
	d->spent.completion += u.completion;
	d->spent.cached += u.cached;
	d->spent.reasoning += u.reasoning;
	d->spent.usd += u.usd;
	if (paid_now) {
		pthread_mutex_lock(&d->hub->lock);
		d->hub->spent += u.usd;
		pthread_mutex_unlock(&d->hub->lock);
	}
}

/* --- Asking --- */

static int ask_new(as_llm_dialogue *d, const char *hash, const assay_json *request, size_t same, assay_json **reply,
		   assay_error *err)
{
	int rc;
	if (d->hub->options.offline) {
		as_fail(err, ASSAY_ENOENT, "there is no stored reply to request %lld of %.*s",
			(long long)d->ordinal + 1, ASSAY_FMT(d->subject));
		as_error_hint(err,
			      "--offline sends nothing: the prompt, the model or a parameter is another than it was");
		return ASSAY_ENOENT;
	}
	rc = check_run_budget(d->hub, err);
	if (rc < 0) {
		return rc;
	}
	d->end = "model_unreachable"; /* for as long as it is out there */
	rc = as_llm_ask(d, request, reply, err);
	if (rc < 0) {
		/* What no provider said is a matter of the manifest or a defect: no attempt can be had like this. */
		bool ours = rc == ASSAY_EAUTH || rc == ASSAY_EINVAL || rc == ASSAY_ENOTSUP || rc == ASSAY_ENOENT;
		if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM || rc == ASSAY_EPLUGIN || rc == ASSAY_EINTERNAL ||
		    (ours && !(err->flags & ASSAY_ERR_PEER))) {
			d->end = NULL;
		} else if (err->reason == ASSAY_LLM_CONTEXT) {
			d->end = "context_overflow";
		}
		return rc;
	}
	d->end = NULL;
	rc = d->hub->options.store ? commit(d, hash, request, same, *reply, err) : 0;
	if (rc < 0) {
		as_json_free(*reply);
		*reply = NULL;
	}
	return rc;
}

static int ask_stored(as_llm_dialogue *d, const assay_json *request, assay_json **reply, assay_error *err)
{
	char hash[65];
	size_t same = 0;
	int rc = request_hash(d, request, hash, err);
	if (rc == 0) {
		rc = follow_chain(d, as_json_get(request, "messages"), &same, err);
	}
	if (rc < 0) {
		return rc;
	}
	rc = find_stored(d, hash, reply, err);
	if (rc == 0) {
		note_usage(d, *reply, false);
	} else if (rc == ASSAY_ENOENT) {
		rc = ask_new(d, hash, request, same, reply, err);
		if (rc == 0) {
			note_usage(d, *reply, true);
		}
	}
	return rc;
}

int as_llm_chat(as_llm_dialogue *d, const assay_json *request, assay_json **reply, assay_error *err)
{
	assay_json *full = NULL;
	assay_error unheard = {0};
	int rc;
	*reply = NULL;
	d->end = NULL;
	err = err ? err : &unheard; /* an attempt's end hangs on the reason */
	rc = check_budget(d, err);
	if (rc == 0) {
		rc = with_sampling(d, request, &full, err);
	}
	request = full ? full : request;
	if (rc == 0 && (as_instance_info(d->instance)->impl->flags & ASSAY_IMPL_PURE)) {
		rc = as_llm_ask(d, request, reply, err); /* recomputing is cheaper than storing */
	} else if (rc == 0) {
		rc = ask_stored(d, request, reply, err);
	}
	d->ordinal++;
	as_json_free(full);
	if (rc < 0) {
		as_error_where(err, d->hub->options.models[d->model].name, 0);
	}
	return rc;
}
