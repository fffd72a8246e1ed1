#include "core/contract/trial.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include "core/contract/fence.h"
#include "core/contract/inputs.h"
#include "core/contract/log.h"
#include "core/plugin/role.h"
#include "core/task/task.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REGION_BYTES ((size_t)16 << 20) /* several times the largest input */
#define DEADLINE_MS 60                  /* of a call whose services wait too long */

typedef struct ops_head {
	ASSAY_OPS_HEAD;
} ops_head;

/* --- findings --- */

void as_trial_tell(as_trial_report *r, const char *word, const char *format, ...)
{
	char text[1400];
	as_buf line = {0};
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	as_buf_printf(&line, "%s\t", word);
	for (const char *field = text;; field++) {
		size_t n = strcspn(field, "\t");
		as_printable(&line, (assay_str){field, n});
		field += n;
		as_buf_byte(&line, *field ? '\t' : '\n');
		if (!*field) {
			break;
		}
	}
	for (size_t at = 0; !line.failed && at < line.len;) {
		ssize_t n = write(r->fd, line.ptr + at, line.len - at);
		if (n <= 0 && errno == EBADF) {
			_exit(AS_TRIAL_CLOSED); /* all that can still be told */
		} else if (n <= 0) {
			break; /* the parent is gone */
		}
		at += (size_t)n;
	}
	as_buf_free(&line);
}

void as_trial_wrong(as_trial *t, const char *format, ...)
{
	char text[1200];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	t->report->any = true;
	if (t->operation && t->operation[0]) { /* another thread may have told of another one since */
		as_trial_tell(t->report, "at", "%s\t%s", t->operation, text);
	} else {
		as_trial_tell(t->report, "wrong", "%s", text);
	}
}

static void tell_noise(as_trial *t)
{
	char text[512];
	fflush(stdout);
	fflush(stderr);
	ssize_t n = read(t->report->noise, text, sizeof text - 1);
	if (n <= 0) {
		return;
	}
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	as_trial_wrong(t, "prints to standard output or error: \"%.200s\"", text);
	while (read(t->report->noise, text, sizeof text) > 0) {
	}
}

static int tell_notice(void *payload, const char *problem, assay_error *err)
{
	(void)err;
	as_trial_wrong(payload, "%s", problem);
	return 0;
}

/* A module that was built with a sanitizer: what its runtime notes, and goes on. */
static void tell_notices(as_trial *t)
{
	as_buf path = {0};
	assay_text text = {0};
	struct stat st;
	as_buf_printf(&path, "%s/" AS_SANITIZER_LOG ".%ld", as_temp_root(), (long)getpid());
	if (!path.failed && stat(path.ptr, &st) == 0 && (uint64_t)st.st_size > t->report->notices &&
	    as_file_read(path.ptr, AS_LOG_BYTES, &text, NULL) == 0 && text.len > t->report->notices) {
		assay_str news = {text.ptr + t->report->notices, text.len - t->report->notices};
		t->report->notices = text.len;
		(void)as_log_findings(news, tell_notice, t, NULL);
	}
	as_text_free(&text);
	as_buf_free(&path);
}

void as_trial_settle(as_trial *t)
{
	if (getpid() != t->report->pid) {
		_exit(EXIT_SUCCESS); /* a copy that the module has made of us has nothing to tell */
	}
	const char *complaint = as_fence_complaint();
	if (complaint) {
		as_trial_wrong(t, "%s", complaint);
	}
	tell_noise(t);
	tell_notices(t);
}

void as_trial_enter(as_trial *t, const char *operation)
{
	as_trial_settle(t);
	t->operation = operation;
	as_fence_operation(operation);
	as_trial_tell(t->report, "at", "%s", operation);
}

void as_trial_code(as_trial *t, int rc)
{
	if (rc > 0) {
		as_trial_wrong(t, "answers %d, expected 0 or a negative ASSAY_E code", rc);
	} else if (rc < ASSAY_EUNREACH) {
		as_trial_wrong(t, "answers %d, which is no ASSAY_E code", rc);
	} else if (rc < 0 && t->err && t->err->message[0] == '\0') {
		as_trial_wrong(t, "fails (%s) and does not say why: fill err with host->fail", as_error_name(rc));
	} else if (rc < 0 && t->err && t->err->code != 0 && t->err->code != rc) {
		as_trial_wrong(t, "answers %s but says %s in err->code", as_error_name(rc),
			       as_error_name(t->err->code));
	}
}

/* --- opening --- */

bool as_trial_open(as_trial *t, const assay_json *options, uint32_t mode)
{
	const assay_impl *impl = t->mi->impl;
	const ops_head *theirs = impl->ops;
	size_t size = as_role_get(impl->role)->size;
	as_region lent;
	t->ops = as_new(1, size);
	as_region_open(&lent, REGION_BYTES);
	const assay_json *given = as_region_json(&lent, options);
	as_region_seal(&lent);
	if (!t->ops || lent.failed) {
		abort(); /* no memory for the check itself */
	}
	memcpy(t->ops, theirs, theirs->size < size ? theirs->size : size);
	as_trial_enter(t, "open");
	t->error = (assay_error){0};
	t->err = mode & AS_TRIAL_NO_ERROR ? NULL : &t->error;
	t->self = NULL;
	t->lent = &lent;
	int rc = theirs->open ? theirs->open(t->host, given, &t->self, t->err) : 0;
	as_trial_code(t, rc);
	t->open = rc == 0;
	if (rc < 0) {
		free(t->ops);
		t->ops = NULL;
	}
	t->lent = NULL;
	/* The options were lent for this call only. The pages stay reserved: nothing else may get their place. */
	as_region_kill(&lent);
	return rc == 0;
}

void as_trial_close(as_trial *t)
{
	if (t->open) {
		const ops_head *head = t->ops;
		as_trial_enter(t, "close");
		if (head->close) {
			head->close(t->self);
		}
		free(t->ops);
		t->ops = NULL;
		t->self = NULL;
		t->open = false;
	}
	if (t->client) {
		t->http->close(t->client);
		t->client = NULL;
	}
}

/* --- the world around a call --- */

/* Before a service answers: what the mode has in store. Every service that a plugin can wait in comes through here. */
static int wait_in_service(as_trial *t, assay_error *err)
{
	t->n_asked++;
	if (t->mode & AS_TRIAL_CANCEL) {
		as_cancel_set(t->cancel);
		t->told = true;
		return as_fail(err, ASSAY_ECANCELED, "cancelled");
	}
	if (t->mode & AS_TRIAL_DEADLINE) {
		as_wait_fd(-1, 0, t->call.deadline_ms, NULL, NULL);
		t->told = true;
		return as_fail(err, ASSAY_ETIMEOUT, "out of time");
	}
	return 0;
}

static int hook_offers(void *context, const assay_json **tools, assay_error *err)
{
	as_trial *t = context;
	(void)err;
	*tools = t->offers;
	return 0;
}

static int hook_act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	as_trial *t = context;
	bool known = false;
	int rc = wait_in_service(t, err);
	(void)arguments;
	if (rc < 0) {
		return rc;
	}
	for (const assay_json *tool = as_json_first(t->offers); tool; tool = as_json_next(tool)) {
		known = known || as_str_eq(as_json_str(as_json_get(tool, "name")), name);
	}
	t->n_acts++;
	*is_error = !known;
	*text = as_fence_text(known ? as_json_str(as_json_get(t->input, "answer")) : ASSAY_STR("no such tool"));
	return text->ptr ? 0 : as_fail_memory(err);
}

static int hook_world_call(void *context, assay_str server, assay_str tool, const assay_json *arguments,
			   assay_json **result, int *is_error, assay_error *err)
{
	as_trial *t = context;
	int rc = wait_in_service(t, err);
	(void)server, (void)tool, (void)arguments;
	if (rc == 0) {
		const assay_json *answer = as_json_get(t->input, "answer");
		*result = answer ? as_json_clone(answer) : as_json_object();
		*is_error = 0;
		rc = *result ? 0 : as_fail_memory(err);
	}
	return rc;
}

static int hook_world_reset(void *context, assay_error *err)
{
	return wait_in_service(context, err);
}

/* A model that asks for a tool first and answers then. */
static int hook_chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	as_trial *t = context;
	int rc = wait_in_service(t, err);
	if (rc == 0 && as_json_type(as_json_get(request, "messages")) != ASSAY_JSON_ARRAY) {
		as_trial_wrong(t, "asks the model without an array of messages");
	}
	if (rc == 0) {
		const assay_json *say = as_json_get(t->input, t->n_acts == 0 && t->n_asked < 4 ? "ask" : "end");
		*reply = as_json_clone(say ? say : t->input);
		rc = *reply ? 0 : as_fail_memory(err);
	}
	return rc;
}

/* Every step of a trace is needed. */
static int hook_score(void *context, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		      assay_error *err)
{
	(void)task, (void)trace;
	*passed = without < 0;
	return wait_in_service(context, err);
}

static int hook_body(void *context, const assay_json *body, assay_error *err)
{
	(void)context;
	return as_task_check(body, NULL, err);
}

static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	(void)name, (void)required;
	int rc = wait_in_service(context, err);
	*n_picked = 0;
	for (size_t i = 0; rc == 0 && i < n && i < candidates.count; i++) {
		picked[(*n_picked)++] = (uint32_t)((i + seed) % candidates.count);
	}
	return rc;
}

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	as_trial *t = context;
	int rc = 0;
	if (!t->registry) {
		return as_fail(err, ASSAY_ENOTSUP, "a check has HTTP only when --options say whom to ask");
	}
	rc = wait_in_service(t, err);
	if (rc == 0 && !t->client) {
		rc = as_service_http(t->registry, &t->http, err);
		rc = rc < 0 ? rc : t->http->open(&t->client, err);
	}
	*ops = t->http;
	*client = t->client;
	return rc;
}

/* The check's own variables are those that the options name. */
static const char *hook_variable(void *context, const char *name, bool taking)
{
	(void)context;
	(void)taking;
	return getenv(name);
}

/* Where a run fills ${NAME} in: in what models are asked with, and in launch records, before they get to a transport.
 * Anywhere else, only for programs. */
static bool fills_in(uint32_t role)
{
	return role == ASSAY_ROLE_LLM || role == ASSAY_ROLE_EMBEDDER || role == ASSAY_ROLE_TRANSPORT;
}

static const as_call_hooks hooks = {.offers = hook_offers,
				    .act = hook_act,
				    .world_call = hook_world_call,
				    .world_reset = hook_world_reset,
				    .chat = hook_chat,
				    .score = hook_score,
				    .body = hook_body,
				    .draw = hook_draw,
				    .http = hook_http,
				    .program_variable = hook_variable};

/* --- running --- */

/* What must hold of an operation whose services said that the call is over. */
static void check_told(as_trial *t, int rc)
{
	if (t->told && rc >= 0) {
		as_trial_wrong(t, "answers 0 although a service answered %s: pass the code on",
			       t->mode & AS_TRIAL_CANCEL ? "ECANCELED" : "ETIMEOUT");
	}
}

int as_trial_run(as_trial *t, const as_trial_operation *op, const assay_json *input, uint32_t mode, as_buf *out)
{
	as_region lent;
	as_buf own = {0};
	as_region_open(&lent, REGION_BYTES);
	as_call_init(&t->call);
	t->call.pub.host = t->host;
	t->hooks = hooks;
	t->hooks.variable = fills_in(t->mi->impl->role) ? hook_variable : NULL;
	t->call.hooks = &t->hooks;
	t->call.context = t;
	t->call.rng = &t->rng;
	t->call.cwd = t->beside ? t->beside : t->workdir;
	t->call.component = "check";
	t->mode = mode;
	t->input = input;
	t->told = false;
	t->n_asked = t->n_acts = 0;
	t->error = (assay_error){0};
	t->err = mode & AS_TRIAL_NO_ERROR ? NULL : &t->error;
	t->offers = as_region_json(&lent, as_json_get(input, "tools"));
	t->lent = &lent;
	as_rng_seed(&t->rng, t->seed);
	if (mode & (AS_TRIAL_CANCELLED | AS_TRIAL_CANCEL)) {
		as_cancel_new(&t->cancel, NULL);
		t->call.cancel = t->cancel;
	}
	if (mode & AS_TRIAL_CANCELLED) {
		as_cancel_set(t->cancel);
	}
	if (mode & AS_TRIAL_DEADLINE) {
		t->call.deadline_ms = as_deadline(DEADLINE_MS);
	}
	as_trial_enter(t, op->name);
	t->ran = op->name;
	int rc = op->run(t, out ? out : &own);
	as_trial_code(t, rc);
	check_told(t, rc);
	if (rc < 0 && (mode & AS_TRIAL_MUST)) {
		bool hint = t->err && t->err->hint[0];
		as_trial_wrong(t, "refuses an input that is in order: %s%s%s%s",
			       t->err ? t->err->message : as_error_name(rc), hint ? " (" : "", hint ? t->err->hint : "",
			       hint ? ")" : "");
	}
	as_region_kill(&lent);
	as_buf_free(&own);
	as_cancel_free(t->cancel);
	t->cancel = NULL;
	t->lent = NULL;
	return rc;
}

/* --- sinks --- */

/* What the values of the role are held to. */
static void set_schema(as_trial_sink *s, const char *role)
{
	const char *text = as_output_schema(role);
	s->written = NULL;
	s->schema = NULL;
	if (text && (as_json_parse(as_str(text), ASSAY_JSON_STRICT, &s->written, NULL) < 0 ||
		     as_schema_compile(s->written, &s->schema, NULL) < 0)) {
		abort(); /* no memory for the check itself */
	}
}

static void check_value(as_trial_sink *s, const assay_json *value)
{
	as_trial *t = s->trial;
	assay_error why = {0};
	if (!s->schema || (t->mode & AS_TRIAL_LENIENT)) {
		return;
	}
	int rc = as_schema_validate(s->schema, value, &why);
	if (rc == 0 && t->mi->impl->role == ASSAY_ROLE_DISTILLER && !as_json_get(value, "rejected")) {
		rc = as_task_check(value, NULL, &why); /* what a run would refuse */
	}
	if (rc == 0 && t->mi->impl->role == ASSAY_ROLE_SCORER && as_role_verdict(value)) {
		rc = as_fail(&why, ASSAY_EPLUGIN, "%s", as_role_verdict(value));
	}
	if (rc < 0) {
		char line[1024];
		as_error_format(&why, line, sizeof line);
		as_trial_wrong(t, "emits a value that is not in order: %s", line);
	}
}

static int sink_answer(as_trial_sink *s, assay_error *err)
{
	if (s->stopped) {
		as_trial_wrong(s->trial, "goes on although the sink answered ASSAY_STOP");
	}
	if (s->trial->mode & AS_TRIAL_SINK_FAILS) {
		return as_fail(err, ASSAY_ELIMIT, "the sink takes no more (the check said so)");
	}
	s->stopped = (s->trial->mode & AS_TRIAL_STOP) != 0;
	return s->stopped ? ASSAY_STOP : 0;
}

/* The functions of the collecting sink, which do the work. */
static int trial_emit(assay_sink *sink, assay_json *value, assay_error *err)
{
	as_trial_sink *s = (as_trial_sink *)sink;
	as_collect plain;
	as_collect_init(&plain, 0, 0);
	if (value) {
		check_value(s, value);
	}
	int rc = plain.sink.emit(sink, value, err);
	return rc < 0 ? rc : sink_answer(s, err);
}

static int trial_write(assay_sink *sink, assay_str text, assay_error *err)
{
	as_trial_sink *s = (as_trial_sink *)sink;
	as_collect plain;
	as_collect_init(&plain, 0, 0);
	int rc = plain.sink.write(sink, text, err);
	return rc < 0 ? rc : sink_answer(s, err);
}

void as_trial_sink_init(as_trial_sink *s, as_trial *t)
{
	as_collect_init(&s->got, AS_ROLE_SETS_MAX, (size_t)64 << 20);
	s->got.sink.emit = trial_emit;
	s->got.sink.write = trial_write;
	s->trial = t;
	set_schema(s, as_role_name(t->mi->impl->role));
	s->stopped = false;
}

void as_trial_sink_done(as_trial_sink *s, int rc, size_t least, size_t most, as_buf *out)
{
	as_trial *t = s->trial;
	size_t n = s->got.n_values;
	if (rc == 0 && (t->mode & AS_TRIAL_SINK_FAILS) && n > 0) {
		as_trial_wrong(t, "answers 0 although the sink failed: pass the code on");
	}
	if (rc == 0 && n < least) {
		as_trial_wrong(t, "returns success without output: %zu values emitted, expected %zu", n, least);
	} else if (rc == 0 && n > most) {
		as_trial_wrong(t, "emits %zu values, expected at most %zu", n, most);
	}
	if (s->got.values) {
		as_json_write(out, s->got.values, ASSAY_JSON_CANONICAL);
	}
	as_buf_add(out, as_buf_str(&s->got.text));
	as_collect_free(&s->got);
	as_schema_free(s->schema);
	as_json_free(s->written);
}
