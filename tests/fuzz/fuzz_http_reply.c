/* The HTTP transports and the session above them, fed with replies: each exchange that is begun takes its status,
 * content type and body from the input. Whatever comes, the session ends. */
#include "core/mcp/session.h"
#include "core/plugin/call.h"
#include <assay/plugin.h>

#include <stdlib.h>
#include <string.h>

#define MAX_INPUT ((size_t)1 << 16)
#define MAX_BEGINS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const assay_plugin *transport_http_LTX_assay_plugin_v1(void);

struct assay_http_exchange {
	assay_http_exchange *next;
	assay_http_group *group;
	int status, pieces;
	assay_json *headers;
	int ended;
};

struct assay_http_group {
	const uint8_t *data;
	size_t left;
	int begins;
	assay_http_exchange *list;
};

/* The input of the run under way, for the hosts' functions that get no context. */
typedef struct input {
	const uint8_t *data;
	size_t size;
} input;

static int group_new(assay_call *call, assay_http_group **out, assay_error *err)
{
	const as_call *c = (const as_call *)(void *)call;
	const input *in = c->context;

	(void)err;
	*out = calloc(1, sizeof **out);
	if (!*out) {
		abort();
	}
	**out = (assay_http_group){.data = in->data, .left = in->size};
	return 0;
}

static uint8_t next_byte(assay_http_group *g)
{
	if (g->left == 0) {
		return 0;
	}
	g->left--;
	return *g->data++;
}

static void end(assay_http_exchange *x)
{
	if (x) {
		as_json_free(x->headers);
		x->headers = NULL;
		x->ended = 2; /* the group's list keeps it: handles stay valid until the group goes */
	}
}

static void group_free(assay_http_group *g)
{
	while (g && g->list) {
		assay_http_exchange *next = g->list->next;

		as_json_free(g->list->headers);
		free(g->list);
		g->list = next;
	}
	free(g);
}

static int begin(assay_http_group *g, const assay_http_request *request, assay_http_exchange **out, assay_error *err)
{
	static const short statuses[] = {200, 200, 200, 202, 204, 400, 404, 405, 500, 307};
	static const char *const types[] = {"application/json", "text/event-stream", "text/event-stream; charset=utf-8",
					    "text/html"};
	uint8_t a = next_byte(g), b = next_byte(g);
	assay_http_exchange *x;

	for (const char *const *h = request->headers; h && *h; h++) {
		if (strpbrk(*h, "\r\n")) {
			abort(); /* a header of its own */
		}
	}
	*out = NULL;
	if (++g->begins > MAX_BEGINS) {
		return as_host()->fail(err, ASSAY_EUNREACH, "enough");
	}
	x = calloc(1, sizeof *x);
	if (!x) {
		abort();
	}
	x->status = statuses[a % (sizeof statuses / sizeof *statuses)];
	x->headers = as_json_object();
	as_json_set(x->headers, "content-type", as_json_cstring(types[b % 4]));
	if (b & 16) {
		as_json_set(x->headers, "mcp-session-id", as_json_cstring(b & 32 ? "s1" : "s \xC3\xA9"));
	}
	x->pieces = 1 + (b >> 6);
	x->group = g;
	x->next = g->list;
	g->list = x;
	*out = x;
	return 0;
}

static int wait_news(assay_call *call, assay_http_group *g, int64_t timeout_ms, assay_error *err)
{
	(void)call;
	(void)timeout_ms;
	for (assay_http_exchange *x = g->list; x; x = x->next) {
		if (x->ended == 0) {
			return 0;
		}
	}
	return as_host()->fail(err, ASSAY_ETIMEOUT, "nothing more");
}

/* One piece of the input as long as its first byte says. */
static int take(assay_http_exchange *x, assay_http_progress *p, assay_sink *sink, assay_error *err)
{
	assay_http_group *g = x->group;
	size_t n = (size_t)next_byte(g) * 4;
	int rc = 0;

	n = n < g->left ? n : g->left;
	p->status = x->status;
	p->headers = x->headers;
	if (n > 0 && x->ended == 0) {
		rc = sink->write(sink, (assay_str){(const char *)g->data, n}, err);
		g->data += n;
		g->left -= n;
	}
	if (n == 0 || --x->pieces <= 0) {
		x->ended = x->ended ? x->ended : 1;
	}
	p->ended = n == 0 && x->ended;
	return rc;
}

static int64_t no_time(const assay_call *call)
{
	(void)call;
	return 0;
}

static void run(const assay_transport_ops *ops, const assay_host *host, input *in, const as_mcp_options *options)
{
	as_call call;
	assay_json *launch = as_json_object(), *tools = NULL, *result = NULL;
	as_mcp_session *session = NULL;
	void *transport = NULL;
	bool rpc_error;

	as_call_init(&call);
	call.pub.host = host;
	call.context = in;
	as_json_set(launch, "url", as_json_cstring("http://h/mcp"));
	if (ops->open(host, launch, &transport, NULL) == 0 &&
	    as_mcp_open_with("fuzz", ops, transport, &(as_mcp_limits){.start_ms = 6, .list_ms = 2, .call_ms = 2},
			     options, &call.pub, &session, NULL) == 0) {
		as_mcp_list_tools(session, &call.pub, &tools, NULL);
		as_mcp_call_tool(session, &call.pub, ASSAY_STR("a"), NULL, 0, &result, &rpc_error, NULL);
	}
	as_mcp_close(session);
	ops->close(transport);
	as_json_free(tools);
	as_json_free(result);
	as_json_free(launch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const assay_http_api api = {.size = sizeof api,
					   .group_new = group_new,
					   .group_free = group_free,
					   .begin = begin,
					   .wait = wait_news,
					   .take = take,
					   .end = end};
	assay_host host = *as_host();
	as_mcp_options options = {.elicitation = AS_MCP_ELICIT_DEFAULTS};
	input in;

	if (size < 2 || size > MAX_INPUT) {
		return 0;
	}
	host.http = &api;
	host.remaining_ms = no_time;
	options.era = (as_mcp_era)(data[0] % 3);
	in = (input){data + 1, size - 1};
	run(transport_http_LTX_assay_plugin_v1()->impls[data[0] / 3 % 2]->ops, &host, &in, &options);
	return 0;
}
