/* transport/stdio: a server as a child process, one message a line (reference page "MCP for a C implementer", section
 * 5). The child, its descriptors and its end are the host's; this file only cuts its output into lines. */
#include <assay/roles/transport.h>
#include <string.h>
#include <time.h>

#define MAX_LINE ((size_t)16 << 20)
#define READ_CHUNK ((size_t)64 << 10)
#define END_MS 1000                 /* from the end of its stdout to its own */
#define KEEP_IDLE ((size_t)1 << 20) /* a larger buffer is given back once it is empty */

static const char options_schema[] =
	"{\"type\":\"object\",\"required\":[\"command\"],\"properties\":{"
	"\"command\":{\"type\":\"string\",\"minLength\":1,\"description\":\"program, looked up in PATH\"},"
	"\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"its arguments\"},"
	"\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
	"\"description\":\"variables on top of the few that every server gets\"},"
	"\"cwd\":{\"type\":\"string\",\"format\":\"path\",\"minLength\":1,\"description\":\"folder it starts in\"},"
	"\"type\":{\"enum\":[\"stdio\"],\"description\":\"may be said, need not be\"}},"
	/* Launch records are read as other programs wrote them, with keys of their own. */
	"\"additionalProperties\":true}";

typedef struct stdio {
	const assay_host *host;
	char **argv, **env; /* NULL-terminated */
	char *cwd;          /* NULL: the host's choice */
	assay_process *process;
	char *buf;
	size_t start, scanned, len, cap; /* unread bytes: [start, len); no newline in [start, scanned) */
} stdio;

/* --- options ----------------------------------------------------------------------------------------------------- */

/* a + b + c as one new string. */
static char *join(const assay_host *host, assay_str a, const char *b, assay_str c)
{
	size_t n = strlen(b);
	char *s = host->alloc(a.len + n + c.len + 1);

	if (s) {
		memcpy(s, a.len ? a.ptr : "", a.len);
		memcpy(s + a.len, b, n);
		memcpy(s + a.len + n, c.len ? c.ptr : "", c.len);
	}
	return s;
}

static void free_list(const assay_host *host, char **list)
{
	for (size_t i = 0; list && list[i]; i++) {
		host->free(list[i]);
	}
	host->free(list);
}

/* A NUL would cut the string short on its way to the child, and what was checked would not be what is started. */
static int check_text(const assay_host *host, const char *what, const assay_json *v, assay_error *err)
{
	assay_str s = host->json->str(v);

	if (host->json->type(v) != ASSAY_JSON_STRING) {
		return host->fail(err, ASSAY_EINVAL, "%s is not a string", what);
	}
	/* C0 80 is how assay/json.h holds a NUL. */
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\0' || (i + 1 < s.len && !memcmp(s.ptr + i, "\xC0\x80", 2))) {
			return host->fail(err, ASSAY_EINVAL, "%s contains a NUL character", what);
		}
	}
	return 0;
}

static int read_argv(stdio *self, const assay_json *options, assay_error *err)
{
	const assay_json_api *J = self->host->json;
	const assay_json *command = J->get(options, "command"), *args = J->get(options, "args");
	size_t n = 0;
	int rc = check_text(self->host, "command", command, err);

	if (rc) {
		return rc;
	}
	self->argv = self->host->alloc((J->count(args) + 2) * sizeof *self->argv);
	if (!self->argv) {
		return self->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	self->argv[n++] = join(self->host, J->str(command), "", (assay_str){0});
	for (const assay_json *a = J->first(args); a && self->argv[n - 1]; a = J->next(a)) {
		rc = check_text(self->host, "an argument", a, err);
		if (rc) {
			return rc;
		}
		self->argv[n++] = join(self->host, J->str(a), "", (assay_str){0});
	}
	return self->argv[n - 1] ? 0 : self->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

static int read_env(stdio *self, const assay_json *env, assay_error *err)
{
	const assay_json_api *J = self->host->json;
	size_t n = 0;

	self->env = self->host->alloc((J->count(env) + 1) * sizeof *self->env);
	if (!self->env) {
		return self->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (const assay_json *v = J->first(env); v; v = J->next(v)) {
		assay_str name = J->key(v);
		int rc = check_text(self->host, "a variable of env", v, err);

		if (rc) {
			return rc;
		}
		if (name.len == 0 || memchr(name.ptr, '=', name.len) || memchr(name.ptr, '\0', name.len)) {
			return self->host->fail(err, ASSAY_EINVAL,
						"env has a variable called \"%.*s\", which is no name",
						ASSAY_FMT(name));
		}
		self->env[n] = join(self->host, name, "=", J->str(v));
		if (!self->env[n++]) {
			return self->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
	}
	return 0;
}

static int read_cwd(stdio *self, const assay_json *cwd, assay_error *err)
{
	int rc;

	if (!cwd) {
		return 0;
	}
	rc = check_text(self->host, "cwd", cwd, err);
	if (rc) {
		return rc;
	}
	self->cwd = join(self->host, self->host->json->str(cwd), "", (assay_str){0});
	return self->cwd ? 0 : self->host->fail(err, ASSAY_ENOMEM, "out of memory");
}

static void stdio_close(void *instance)
{
	stdio *self = instance;

	if (!self) {
		return;
	}
	self->host->process->stop(self->process);
	free_list(self->host, self->argv);
	free_list(self->host, self->env);
	self->host->free(self->cwd);
	self->host->free(self->buf);
	self->host->free(self);
}

static int stdio_open(const assay_host *host, const assay_json *options, void **instance, assay_error *err)
{
	stdio *self = host->alloc(sizeof *self);
	int rc;

	if (!self) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	self->host = host;
	rc = read_argv(self, options, err);
	if (!rc) {
		rc = read_env(self, host->json->get(options, "env"), err);
	}
	if (!rc) {
		rc = read_cwd(self, host->json->get(options, "cwd"), err);
	}
	if (rc) {
		stdio_close(self);
		return rc;
	}
	*instance = self;
	return 0;
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static int stdio_connect(void *instance, assay_call *call, assay_error *err)
{
	stdio *self = instance;
	assay_process_spec spec = {.size = sizeof spec,
				   .argv = (const char *const *)self->argv,
				   .env = (const char *const *)self->env,
				   .cwd = self->cwd};

	if (self->process) {
		return self->host->fail(err, ASSAY_EINVAL, "already connected");
	}
	return self->host->process->spawn(call, &spec, &self->process, err);
}

static int not_connected(const stdio *self, assay_error *err)
{
	return self->host->fail(err, ASSAY_EINVAL, "not connected");
}

/* Nothing more can be said to it, or heard of it: how it ended, or what else is the matter. */
static int fail_gone(const stdio *self, const char *otherwise, assay_error *err)
{
	const assay_process_api *P = self->host->process;
	const char *half = self->len > self->start ? " in the middle of a line" : "";
	assay_text how = {0};

	if (ASSAY_HAS(P, ended) && P->ended(self->process, END_MS, NULL, &how, NULL) == 0) {
		self->host->fail(err, ASSAY_EUNREACH, "it %s%s", how.ptr, half);
	} else {
		self->host->fail(err, ASSAY_EUNREACH, "%s%s", otherwise, half);
	}
	self->host->json->text_free(&how);
	return ASSAY_EUNREACH;
}

static int stdio_send(void *instance, assay_call *call, assay_str message, assay_error *err)
{
	stdio *self = instance;
	assay_error why = {0};
	char *line;
	int rc;

	if (!self->process) {
		return not_connected(self, err);
	}
	if (message.len > MAX_LINE) {
		return self->host->fail(err, ASSAY_ELIMIT, "a message of %zu bytes; the limit is %zu", message.len,
					MAX_LINE);
	}
	if (message.len == 0 || memchr(message.ptr, '\n', message.len)) {
		return self->host->fail(err, ASSAY_EINVAL, "a message is one line that is not empty");
	}
	/* Message and newline leave in one write, so that the child never sees half a line for long. */
	line = join(self->host, message, "\n", (assay_str){0});
	if (!line) {
		return self->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = self->host->process->write(call, self->process, (assay_str){line, message.len + 1}, &why);
	self->host->free(line);
	if (rc == ASSAY_EUNREACH) {
		return fail_gone(self, "it closed its stdin", err);
	}
	if (rc && err) {
		*err = why;
	}
	return rc;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Hand every whole line in the buffer to the sink. 1: some were handed out, 0: none, negative: the sink failed. */
static int deliver(stdio *self, assay_sink *messages, assay_error *err)
{
	int some = 0;

	while (self->scanned < self->len) {
		char *newline = memchr(self->buf + self->scanned, '\n', self->len - self->scanned);
		assay_str line;
		int rc;

		if (!newline) {
			self->scanned = self->len;
			break;
		}
		line = (assay_str){self->buf + self->start, (size_t)(newline - self->buf) - self->start};
		self->start = self->scanned = (size_t)(newline - self->buf) + 1;
		if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
			line.len--;
		}
		if (strspn(line.ptr, " \t\r") >= line.len) {
			continue; /* strspn stops at the newline at the latest */
		}
		some = 1;
		rc = messages->write(messages, line, err);
		if (rc) {
			return rc < 0 ? rc : 1;
		}
	}
	return some;
}

/* Room for one more chunk behind what is unread. */
static int make_room(stdio *self, assay_error *err)
{
	size_t cap;
	char *buf;

	if (self->start > 0) {
		memmove(self->buf, self->buf + self->start, self->len - self->start);
		self->len -= self->start;
		self->scanned -= self->start;
		self->start = 0;
	}
	if (self->len == 0 && self->cap > KEEP_IDLE) {
		self->host->free(self->buf);
		self->buf = NULL;
		self->cap = 0;
	}
	if (self->cap - self->len >= READ_CHUNK) {
		return 0;
	}
	cap = self->cap ? self->cap * 2 : READ_CHUNK * 2;
	buf = self->host->resize(self->buf, cap);
	if (!buf) {
		return self->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	self->buf = buf;
	self->cap = cap;
	return 0;
}

static int stdio_receive(void *instance, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	stdio *self = instance;
	int64_t begin = now_ms(), end;

	if (!self->process) {
		return not_connected(self, err);
	}
	timeout_ms = timeout_ms > 0 ? timeout_ms : 0;
	end = timeout_ms > INT64_MAX - begin ? INT64_MAX : begin + timeout_ms;
	/* The end is looked at after every read: a child that drips bytes, or floods us with blank lines, must not
	 * renew the wait with each of them. */
	for (int64_t left = timeout_ms;; left = end - now_ms()) {
		int rc = deliver(self, messages, err);
		size_t n = 0;

		if (rc) {
			return rc < 0 ? rc : 0;
		}
		if (self->len - self->start > MAX_LINE) {
			return self->host->fail(err, ASSAY_ELIMIT, "a line of more than %zu bytes on its stdout",
						MAX_LINE);
		}
		if (left < 0) {
			return self->host->fail(err, ASSAY_ETIMEOUT, "no message within %lld ms",
						(long long)timeout_ms);
		}
		rc = make_room(self, err);
		if (!rc) {
			rc = self->host->process->read(call, self->process, self->buf + self->len,
						       self->cap - self->len, left, &n, err);
		}
		if (rc) {
			return rc;
		}
		if (n == 0) {
			return fail_gone(self, "it closed its stdout", err);
		}
		self->len += n;
	}
}

static int stdio_diagnostics(void *instance, assay_text *out, assay_error *err)
{
	stdio *self = instance;

	if (!self->process) {
		return not_connected(self, err);
	}
	return self->host->process->stderr_tail(self->process, out, err);
}

static const assay_transport_ops stdio_ops = {.size = sizeof stdio_ops,
					      .open = stdio_open,
					      .close = stdio_close,
					      .connect = stdio_connect,
					      .send = stdio_send,
					      .receive = stdio_receive,
					      .diagnostics = stdio_diagnostics};

static const assay_impl stdio_impl = {.size = sizeof stdio_impl,
				      .role = ASSAY_ROLE_TRANSPORT,
				      .role_version = 1,
				      .name = "stdio",
				      .summary = "starts an MCP server as a child process and speaks over its pipes",
				      .options = options_schema,
				      .ops = &stdio_ops};

ASSAY_PLUGIN(transport_stdio, "0.1.0", "MCP servers as child processes", "Apache-2.0", &stdio_impl)
