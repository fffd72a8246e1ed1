/* transport/example: a server as a child process without arguments, one message a line. */
#include <assay/plugin.h>
#include <assay/roles/transport.h>
#include <assay/text.h>
#include <string.h>

#define ROOM 65536u /* for the longest message */
struct link {
	const assay_host *host;
	char command[1024];
	assay_process *child;
	char line[ROOM]; /* what has come in of the next message */
	size_t len;
};

static void close_link(void *self)
{
	struct link *l = (struct link *)self;
	if (l) {
		l->host->process->stop(l->child); /* NULL is fine */
		l->host->free(l);
	}
}

static int open_link(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	assay_str command = host->json->str(host->json->get(options, "command"));
	struct link *l = (struct link *)host->alloc(sizeof *l);
	if (!l) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	l->host = host;
	memcpy(l->command, command.ptr, command.len); /* at most 250 characters, says the schema */
	*self = l;
	return 0;
}

static int connect_link(void *self, assay_call *call, assay_error *err)
{
	struct link *l = (struct link *)self;
	const char *argv[] = {l->command, NULL};
	const assay_process_spec spec = {.size = sizeof spec, .argv = argv};
	return l->host->process->spawn(call, &spec, &l->child, err);
}

static int send(void *self, assay_call *call, assay_str message, assay_error *err)
{
	struct link *l = (struct link *)self;
	int rc = l->host->process->write(call, l->child, message, err);
	return rc < 0 ? rc : l->host->process->write(call, l->child, ASSAY_STR("\n"), err);
}

static int receive(void *self, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	struct link *l = (struct link *)self;
	char *end;
	size_t n;
	while ((end = (char *)memchr(l->line, '\n', l->len)) == NULL) {
		int rc = l->host->process->read(call, l->child, l->line + l->len, ROOM - l->len, timeout_ms, &n, err);
		if (rc < 0 || n == 0) {
			return rc < 0 ? rc : l->host->fail(err, ASSAY_EUNREACH, "it has ended");
		}
		l->len += n;
	}
	n = (size_t)(end - l->line);
	int rc = messages->write(messages, assay_text_of(l->line, n), err);
	l->len -= n + 1;
	memmove(l->line, end + 1, l->len);
	return rc < 0 ? rc : 0;
}

static const char options_schema[] =
	"{\"type\": \"object\", \"required\": [\"command\"], \"properties\": {\"command\": {\"type\": \"string\", \"maxLength\": 250}}}";
/* clang-format off */
static const assay_transport_ops ops = {.size = sizeof ops, .open = open_link, .close = close_link,
	.connect = connect_link, .send = send, .receive = receive};
ASSAY_IMPL(impl, TRANSPORT, "example", 0, "a child process, one message a line", options_schema, &ops);
ASSAY_PLUGIN(transport_example, "0.1.0", "A transport", "Apache-2.0", &impl)
