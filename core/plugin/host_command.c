/* The host's command service: programs that fill a role. Protocol: sdk/command.md. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

#define MAX_LINE ((size_t)32 << 20)
#define READ_CHUNK ((size_t)64 << 10)
#define START_MS 30000
#define END_MS 1000  /* from the end of its output to its own */
#define MAX_TOLD 200 /* bytes of standard error in a hint */

struct assay_command {
	assay_process *process;
	as_buf in;        /* read and not yet taken */
	size_t looked_at; /* of it: no newline in there */
	int64_t number;   /* of the last request */
	char *name;       /* argv[0] */
	int (*question)(void *payload, assay_call *call, assay_str op, const assay_json *params, assay_json **result,
			assay_error *err);
	void *payload;
	int64_t answer_ms;
};

/* --- Lines --- */

/* It reads or writes no more: how it ended says more than which of the two was noticed first. */
static int fail_ended(const assay_command *c, const char *otherwise, assay_error *err)
{
	assay_text how = {0};
	(void)as_host_process.ended(c->process, END_MS, NULL, &how, NULL);
	as_fail(err, ASSAY_EUNREACH, "%s %s instead of answering", c->name, how.ptr ? how.ptr : otherwise);
	as_text_free(&how);
	return ASSAY_EUNREACH;
}

static int send_line(assay_call *call, assay_command *c, const assay_json *v, assay_error *err)
{
	as_buf line = {0};
	assay_error why = {0};
	int rc;
	as_json_write(&line, v, ASSAY_JSON_COMPACT);
	as_buf_byte(&line, '\n');
	rc = as_buf_check(&line, err);
	if (rc == 0) {
		rc = as_host_process.write(call, c->process, as_buf_str(&line), &why);
		if (rc == ASSAY_EUNREACH) {
			rc = fail_ended(c, "closed its input", err);
		} else if (rc < 0 && err) {
			*err = why;
		}
	}
	as_buf_free(&line);
	return rc;
}

static int read_more(assay_call *call, assay_command *c, int64_t deadline_ms, assay_error *err)
{
	size_t n = 0;
	int rc;
	if (c->in.len > MAX_LINE) {
		return as_fail(err, ASSAY_ELIMIT, "%s wrote a line of more than %zu bytes", c->name, MAX_LINE);
	}
	if (!as_buf_reserve(&c->in, READ_CHUNK)) {
		return as_fail_memory(err);
	}
	rc = as_host_process.read(call, c->process, c->in.ptr + c->in.len, READ_CHUNK, as_remaining(deadline_ms), &n,
				  err);
	if (rc == 0 && n == 0) {
		rc = fail_ended(c, "closed its output", err);
	}
	c->in.len += rc == 0 ? n : 0;
	return rc;
}

/* The next line that is not blank, as a value. */
static int read_value(assay_call *call, assay_command *c, int64_t deadline_ms, assay_json **out, assay_error *err)
{
	for (;;) {
		char *end = c->in.len > c->looked_at ? memchr(c->in.ptr + c->looked_at, '\n', c->in.len - c->looked_at)
						     : NULL;
		if (end) {
			assay_str line = {c->in.ptr, (size_t)(end - c->in.ptr)};
			size_t used = line.len + 1;
			bool blank = as_trim(line).len == 0;
			assay_error why = {0};
			int rc = blank ? 0 : as_json_parse(line, ASSAY_JSON_PEER, out, &why);
			memmove(c->in.ptr, c->in.ptr + used, c->in.len - used);
			c->in.len -= used;
			c->looked_at = 0;
			if (rc < 0) {
				rc = rc == ASSAY_ENOMEM ? rc : ASSAY_EPROTO;
				return as_fail(err, rc, "%s wrote a line that is no JSON: %s", c->name, why.message);
			}
			if (!blank) {
				return 0;
			}
			continue;
		}
		c->looked_at = c->in.len;
		int rc = read_more(call, c, deadline_ms, err);
		if (rc < 0) {
			return rc;
		}
	}
}

/* --- What it says beside its answers --- */

static void put_log(assay_call *call, const assay_command *c, const assay_json *line)
{
	static const char *const levels[] = {"error", "warn", "info", "debug", "trace"};
	assay_str said = as_json_str(as_json_get(line, "level")), text = as_json_str(as_json_get(line, "log"));
	int level = ASSAY_LOG_INFO;
	for (int i = 0; i < 5; i++) {
		level = as_str_is(said, levels[i]) ? i : level;
	}
	call->host->log(call, level, "%s: %.*s", c->name, ASSAY_FMT(text));
}

static int answer_question(assay_call *call, assay_command *c, const assay_json *asked, assay_error *err)
{
	assay_str op = as_json_str(as_json_get(asked, "ask"));
	assay_json *result = NULL, *line = as_json_object(), *why;
	assay_error refused = {0};
	int rc, bad = as_json_set(line, "answer", as_json_clone(as_json_get(asked, "id")));
	rc = c->question ? c->question(c->payload, call, op, as_json_get(asked, "params"), &result, &refused)
			 : as_fail(&refused, ASSAY_ENOTSUP, "there is nothing to ask for in this role");
	if (rc == 0) {
		bad |= as_json_set(line, "result", result ? result : as_json_null());
	} else {
		why = as_json_object();
		bad |= as_json_set(why, "message", as_json_cstring(refused.message));
		bad |= as_json_set(line, "error", why);
	}
	rc = bad < 0 ? as_fail_memory(err) : send_line(call, c, line, err);
	as_json_free(line);
	return rc;
}

/* The next line that is neither log nor question. */
static int read_answer(assay_call *call, assay_command *c, int64_t deadline_ms, assay_json **out, assay_error *err)
{
	for (;;) {
		assay_json *v = NULL;
		int rc = read_value(call, c, deadline_ms, &v, err);
		if (rc == 0 && as_json_get(v, "log")) {
			put_log(call, c, v);
		} else if (rc == 0 && as_json_get(v, "ask")) {
			rc = answer_question(call, c, v, err);
		} else {
			*out = v;
			return rc;
		}
		as_json_free(v);
		if (rc < 0) {
			return rc;
		}
	}
}

/* --- The service --- */

static void command_close(assay_command *c)
{
	if (c) {
		as_host_process.stop(c->process);
		as_buf_free(&c->in);
		free(c->name);
		free(c);
	}
}

/* What it last wrote for people says most about why it failed. */
static void tell_stderr(assay_command *c, assay_error *err)
{
	assay_text text = {0};
	assay_str last;
	if (!err || err->hint[0] || as_host_process.stderr_tail(c->process, &text, NULL) < 0) {
		return;
	}
	last = as_trim(as_text_str(text));
	if (last.len > MAX_TOLD) {
		last = (assay_str){last.ptr + last.len - MAX_TOLD, MAX_TOLD};
		while (last.len > 0 && ((unsigned char)last.ptr[0] & 0xC0) == 0x80) {
			last = (assay_str){last.ptr + 1, last.len - 1};
		}
	}
	if (last.len > 0) {
		as_error_hint(err, "it said: %.*s", ASSAY_FMT(last));
	}
	as_text_free(&text);
}

static int greet(assay_call *call, assay_command *c, const assay_command_spec *spec, assay_error *err)
{
	int64_t deadline = as_deadline(spec->start_ms > 0 ? spec->start_ms : START_MS), version;
	assay_json *hello = as_json_object(), *answer = NULL;
	int rc = as_json_set(hello, "assay", as_json_integer(ASSAY_COMMAND_VERSION));
	rc |= as_json_set(hello, "role", as_json_cstring(spec->role));
	rc |= as_json_set(hello, "options", spec->options ? as_json_clone(spec->options) : as_json_object());
	rc = rc < 0 ? as_fail_memory(err) : send_line(call, c, hello, err);
	rc = rc < 0 ? rc : read_answer(call, c, deadline, &answer, err);
	if (rc == 0) {
		version = as_json_i64(as_json_get(answer, "assay"), 0);
		if (version != ASSAY_COMMAND_VERSION) {
			rc = as_fail(err, ASSAY_EPROTO, "%s speaks version %lld of the command protocol, expected %d",
				     c->name, (long long)version, ASSAY_COMMAND_VERSION);
		}
	}
	as_json_free(hello);
	as_json_free(answer);
	return rc;
}

/* Its variables are the manifest's, so ${NAME} is filled in there. */
static int spawn(assay_call *call, const assay_process_spec *spec, assay_process **out, assay_error *err)
{
	as_call own = *as_call_of(call);
	as_call_hooks hooks = {0};
	if (own.hooks && !own.hooks->variable) {
		hooks = *own.hooks;
		hooks.variable = hooks.program_variable;
		own.hooks = &hooks;
	}
	return as_host_process.spawn(&own.pub, spec, out, err);
}

static int command_open(assay_call *call, const assay_command_spec *spec, assay_command **out, assay_error *err)
{
	assay_process_spec process = {.size = sizeof process, .argv = spec->argv, .env = spec->env};
	assay_command *c = as_new(1, sizeof *c);
	int rc;
	*out = NULL;
	if (!c) {
		return as_fail_memory(err);
	}
	c->question = spec->question;
	c->payload = spec->payload;
	c->answer_ms = ASSAY_HAS(spec, answer_ms) ? spec->answer_ms : 0;
	c->name = as_strdup(spec->argv[0]);
	rc = c->name ? spawn(call, &process, &c->process, err) : as_fail_memory(err);
	if (rc == 0) {
		rc = greet(call, c, spec, err);
		if (rc < 0) {
			tell_stderr(c, err);
		}
	}
	if (rc < 0) {
		command_close(c);
		return rc;
	}
	*out = c;
	return 0;
}

/* {"id", "result"} or {"id", "error"}. */
static int take_answer(const assay_command *c, assay_json *answer, assay_json **result, assay_json **refusal,
		       assay_error *err)
{
	const assay_json *why = as_json_get(answer, "error");
	if (as_json_i64(as_json_get(answer, "id"), -1) != c->number) {
		return as_fail(err, ASSAY_EPROTO, "%s answered something else than request %lld", c->name,
			       (long long)c->number);
	}
	if (why) {
		as_fail(err, ASSAY_EINVAL, "%.*s", ASSAY_FMT(as_json_str(as_json_get(why, "message"))));
		if (refusal) {
			*refusal = as_json_detach(answer, "error");
		}
		return ASSAY_EINVAL;
	}
	if (!as_json_get(answer, "result")) {
		return as_fail(err, ASSAY_EPROTO, "%s answered with neither \"result\" nor \"error\"", c->name);
	}
	*result = as_json_detach(answer, "result");
	return *result ? 0 : as_fail_memory(err);
}

static int command_ask(assay_call *call, assay_command *c, const char *op, const assay_json *params,
		       assay_json **result, assay_json **refusal, assay_error *err)
{
	int64_t deadline = as_call_of(call)->deadline_ms;
	if (deadline == AS_FOREVER && c->answer_ms > 0) {
		deadline = as_deadline(c->answer_ms);
	}
	assay_json *line = as_json_object(), *answer = NULL;
	int rc = as_json_set(line, "id", as_json_integer(++c->number));
	*result = NULL;
	if (refusal) {
		*refusal = NULL;
	}
	rc |= as_json_set(line, "op", as_json_cstring(op));
	rc |= as_json_set(line, "params", params ? as_json_clone(params) : as_json_object());
	if (deadline != AS_FOREVER) {
		rc |= as_json_set(line, "deadline_ms", as_json_integer(as_remaining(deadline)));
	}
	rc = rc < 0 ? as_fail_memory(err) : send_line(call, c, line, err);
	rc = rc < 0 ? rc : read_answer(call, c, deadline, &answer, err);
	if (rc < 0) {
		tell_stderr(c, err);
	} else {
		rc = take_answer(c, answer, result, refusal, err);
	}
	as_json_free(line);
	as_json_free(answer);
	return rc;
}

const assay_command_api as_host_command = {sizeof as_host_command, 0, command_open, command_ask, command_close};
