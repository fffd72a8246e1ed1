#include "core/mcp/server_http.h"
#include "core/base/error.h"
#include "core/mcp/mirror.h"
#include "core/mcp/server_http_private.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_SESSIONS 64u
#define PATH "/mcp"
#define SESSION_HEADER "Mcp-Session-Id"
#define VERSION_HEADER "MCP-Protocol-Version"

/* One HTTP request while it comes in. */
typedef struct query {
	as_buf body;
	bool too_large;
} query;

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* --- replies ----------------------------------------------------------------------------------------------------- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, assay_str body, const char *session_id)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(body.len, (void *)(uintptr_t)body.ptr, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!r) {
		return MHD_NO;
	}
	if (body.len > 0) {
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	}
	if (session_id) {
		MHD_add_response_header(r, SESSION_HEADER, session_id);
	}
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "POST, GET, DELETE");
	}
	result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const assay_json *id, int code,
			      const char *text)
{
	as_buf b = {0};
	enum MHD_Result result;

	as_server_error(&b, id, code, "%s", text);
	result = b.failed ? MHD_NO : reply(c, status, as_buf_str(&b), NULL);
	as_buf_free(&b);
	return result;
}

static enum MHD_Result reply_stream(struct MHD_Connection *c, stream *s, uint64_t from)
{
	struct MHD_Response *r = as_stream_response(s, from);
	enum MHD_Result result = r ? MHD_queue_response(c, MHD_HTTP_OK, r) : MHD_NO;

	if (r) {
		MHD_destroy_response(r);
	}
	return result;
}

/* --- sessions ---------------------------------------------------------------------------------------------------- */

static bool fill_random(unsigned char *bytes, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && read(fd, bytes, n) == (ssize_t)n;

	if (fd >= 0) {
		close(fd);
	}
	return good;
}

static session *new_session(hub *h)
{
	unsigned char bytes[16];
	session *s = as_new(1, sizeof *s);

	if (!s || !fill_random(bytes, sizeof bytes)) {
		free(s);
		return NULL;
	}
	for (size_t i = 0; i < sizeof bytes; i++) {
		snprintf(s->id + 2 * i, 3, "%02x", bytes[i]);
	}
	pthread_mutex_lock(&h->lock);
	if (h->n_sessions >= MAX_SESSIONS) {
		pthread_mutex_unlock(&h->lock);
		free(s);
		return NULL;
	}
	s->next = h->sessions;
	h->sessions = s;
	h->n_sessions++;
	pthread_mutex_unlock(&h->lock);
	return s;
}

static void free_session(session *s)
{
	as_json_free(s->peer.capabilities);
	free(s);
}

/* Sessions stay where they are until the hub closes, so that no request has to fear for its own; an ended one has no
 * id. */
static session *find_session(hub *h, const char *id)
{
	session *s;

	pthread_mutex_lock(&h->lock);
	for (s = h->sessions; s && (!s->id[0] || strcmp(s->id, id) != 0); s = s->next) {
	}
	pthread_mutex_unlock(&h->lock);
	return s;
}

/* --- who may ask ------------------------------------------------------------------------------------------------- */

/* A name of this machine, with or without a port. */
static bool is_local(const char *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);

		if (strncasecmp(host, names[i], n) == 0 && (host[n] == '\0' || host[n] == ':')) {
			return true;
		}
	}
	return false;
}

/* Web pages of others must not reach a server on this machine by the name of theirs. */
static bool may_ask(struct MHD_Connection *c)
{
	const char *host = header(c, MHD_HTTP_HEADER_HOST), *origin = header(c, "Origin");
	const char *name = origin ? strstr(origin, "://") : NULL;

	return (!host || is_local(host)) && (!origin || (name && is_local(name + 3)));
}

/* --- stateless requests ------------------------------------------------------------------------------------------ */

static bool header_is(struct MHD_Connection *c, const char *name, assay_str wanted)
{
	const char *value = header(c, name);
	assay_str trimmed = value ? as_str(value) : (assay_str){0};
	as_buf plain = {0};
	bool same;

	while (trimmed.len > 0 && strchr(" \t", trimmed.ptr[trimmed.len - 1])) {
		trimmed.len--;
	}
	same = value && as_mirror_decode(trimmed, &plain) && !plain.failed && as_str_eq(as_buf_str(&plain), wanted);
	as_buf_free(&plain);
	return same;
}

/* The value that the header of an argument must have; false: it must not be there. */
static bool wanted_value(const assay_json *v, as_buf *out)
{
	switch (as_json_type(v)) {
	case ASSAY_JSON_STRING:
		as_buf_add(out, as_json_str(v));
		return true;
	case ASSAY_JSON_BOOL:
		as_buf_puts(out, as_json_boolean(v, 0) ? "true" : "false");
		return true;
	case ASSAY_JSON_NUMBER:
		as_buf_printf(out, "%lld", (long long)as_json_i64(v, 0));
		return true;
	default:
		return false;
	}
}

static const char *check_parameters(hub *h, struct MHD_Connection *c, const as_rpc_message *m)
{
	const as_server_tool *t = as_server_find(&h->server, as_json_str(as_json_get(m->params, "name")));
	const assay_json *arguments = as_json_get(m->params, "arguments");

	for (const assay_json *e = t ? as_json_first(t->mirrors) : NULL; e; e = as_json_next(e)) {
		as_buf name = {0}, value = {0};
		bool good;

		as_buf_printf(&name, "Mcp-Param-%s", as_json_cstr(as_json_get(e, "header"), ""));
		if (wanted_value(as_mirror_argument(e, arguments), &value)) {
			good = !name.failed && !value.failed && header_is(c, name.ptr, as_buf_str(&value));
		} else {
			good = !name.failed && !header(c, name.ptr);
		}
		as_buf_free(&name);
		as_buf_free(&value);
		if (!good) {
			return "a header Mcp-Param-... is not what the argument is";
		}
	}
	return NULL;
}

/* What is wrong with the headers that repeat the body; NULL: nothing. A body without its _meta is somebody else's
 * matter. */
static const char *check_headers(hub *h, struct MHD_Connection *c, const as_rpc_message *m)
{
	const assay_json *version = as_json_get(as_json_get(m->params, "_meta"), AS_MCP_META_VERSION);
	bool is_call = as_str_is(m->method, "tools/call");

	if (version && !header_is(c, VERSION_HEADER, as_json_str(version))) {
		return "the header " VERSION_HEADER " is not what _meta says";
	}
	if (!header_is(c, "Mcp-Method", m->method)) {
		return "the header Mcp-Method is not the method";
	}
	if (is_call && !header_is(c, "Mcp-Name", as_json_str(as_json_get(m->params, "name")))) {
		return "the header Mcp-Name is not the tool's name";
	}
	return is_call ? check_parameters(h, c, m) : NULL;
}

static unsigned status_of(const as_buf *message)
{
	assay_json *doc = NULL;
	int64_t code = 0;

	if (as_json_parse(as_buf_str(message), ASSAY_JSON_STRICT, &doc, NULL) == 0) {
		code = as_json_i64(as_json_pointer(doc, "/error/code"), 0);
	}
	as_json_free(doc);
	if (code == 0 || code == AS_RPC_INTERNAL) {
		return MHD_HTTP_OK;
	}
	return code == AS_RPC_NO_METHOD ? MHD_HTTP_NOT_FOUND : MHD_HTTP_BAD_REQUEST;
}

/* Does this request get a stream? Tools with an exchange may have more to say than their answer. */
static bool wants_stream(hub *h, const as_mcp_exchange *x, const as_rpc_message *m)
{
	const as_server_tool *t = as_str_is(m->method, "tools/call")
					  ? as_server_find(&h->server, as_json_str(as_json_get(m->params, "name")))
					  : NULL;

	return t && t->tool->run && (!x->stateless || !t->tool->needs || as_mcp_client_has(x, t->tool->needs));
}

static enum MHD_Result answer_in_stream(hub *h, struct MHD_Connection *c, session *s, assay_json **doc)
{
	stream *made = NULL;
	int rc = as_stream_start(h, s, *doc, &made);

	*doc = NULL;
	return rc ? reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, (assay_str){0}, NULL) : reply_stream(c, made, 0);
}

static enum MHD_Result answer_stateless(hub *h, struct MHD_Connection *c, const as_rpc_message *m, assay_json **doc)
{
	as_mcp_exchange x = {.server = &h->server, .stateless = true, .params = m->params};
	const assay_json *given = as_json_get(m->params, "_meta");
	const char *fault = check_headers(h, c, m);
	as_buf b = {0};
	enum MHD_Result result;

	if (m->kind != AS_RPC_REQUEST) {
		return reply(c, MHD_HTTP_ACCEPTED, (assay_str){0}, NULL);
	}
	if (fault && as_json_get(given, AS_MCP_META_VERSION) && as_json_get(given, AS_MCP_META_CAPABILITIES)) {
		return refuse(c, MHD_HTTP_BAD_REQUEST, m->id, AS_RPC_HEADER_MISMATCH, fault);
	}
	if (!fault && wants_stream(h, &x, m)) {
		return answer_in_stream(h, c, NULL, doc);
	}
	as_server_stateless_request(&x, m, &b);
	result = b.failed ? MHD_NO : reply(c, status_of(&b), as_buf_str(&b), NULL);
	as_buf_free(&b);
	return result;
}

/* --- requests of sessions ---------------------------------------------------------------------------------------- */

static enum MHD_Result answer_in_session(hub *h, struct MHD_Connection *c, const as_rpc_message *m, assay_json **doc)
{
	bool begins = as_str_is(m->method, "initialize") && m->kind == AS_RPC_REQUEST;
	const char *id = header(c, SESSION_HEADER);
	session *s;
	as_buf b = {0};
	enum MHD_Result result;

	if (!begins && !id) {
		return refuse(c, MHD_HTTP_BAD_REQUEST, m->id, AS_RPC_INVALID_REQUEST, "no " SESSION_HEADER);
	}
	s = begins ? new_session(h) : find_session(h, id);
	if (!s) {
		return begins ? reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, (assay_str){0}, NULL)
			      : refuse(c, MHD_HTTP_NOT_FOUND, m->id, AS_RPC_INVALID_REQUEST, "no such session");
	}
	as_mcp_exchange x = {.server = &h->server, .peer = &s->peer, .params = m->params};
	if (m->kind == AS_RPC_RESPONSE) {
		as_stream_answer(h, s, m);
	}
	if (m->kind == AS_RPC_RESPONSE || m->kind == AS_RPC_NOTIFICATION) {
		return reply(c, MHD_HTTP_ACCEPTED, (assay_str){0}, NULL);
	}
	if (wants_stream(h, &x, m)) {
		return answer_in_stream(h, c, s, doc);
	}
	as_server_message(&x, m, &b, false);
	result = b.failed ? MHD_NO : reply(c, MHD_HTTP_OK, as_buf_str(&b), begins ? s->id : NULL);
	as_buf_free(&b);
	return result;
}

/* --- HTTP -------------------------------------------------------------------------------------------------------- */

static bool accepts_both(struct MHD_Connection *c)
{
	const char *accept = header(c, MHD_HTTP_HEADER_ACCEPT);

	return accept &&
	       (strstr(accept, "*/*") || (strstr(accept, "application/json") && strstr(accept, "text/event-stream")));
}

static enum MHD_Result answer_post(hub *h, struct MHD_Connection *c, query *q)
{
	const char *version = header(c, VERSION_HEADER);
	const as_mcp_revision *revision = version ? as_mcp_revision_find(as_str(version)) : NULL;
	assay_json *doc = NULL;
	assay_error err = {0};
	as_rpc_message m;
	enum MHD_Result result;

	if (q->too_large || q->body.failed) {
		return reply(c, MHD_HTTP_CONTENT_TOO_LARGE, (assay_str){0}, NULL);
	}
	if (!accepts_both(c)) {
		return refuse(c, MHD_HTTP_NOT_ACCEPTABLE, NULL, AS_RPC_INVALID_REQUEST,
			      "Accept must name application/json and text/event-stream");
	}
	if (as_rpc_parse(as_buf_str(&q->body), 0, &doc, &err)) {
		return refuse(c, MHD_HTTP_BAD_REQUEST, NULL, AS_RPC_PARSE, err.message);
	}
	m = as_rpc_read(doc);
	if (m.kind == AS_RPC_MALFORMED || m.kind == AS_RPC_BATCH) {
		result = refuse(c, MHD_HTTP_BAD_REQUEST, m.id, AS_RPC_INVALID_REQUEST, "not one JSON-RPC 2.0 message");
	} else if (as_server_is_stateless(&m) || (version && (!revision || !revision->handshake))) {
		result = answer_stateless(h, c, &m, &doc);
	} else {
		result = answer_in_session(h, c, &m, &doc);
	}
	as_json_free(doc);
	return result;
}

/* "STREAM-EVENT" as two numbers. */
static bool read_event_id(const char *text, unsigned long long *number, unsigned long long *seen)
{
	char *end = NULL;
	if (!text || text[0] < '0' || text[0] > '9') {
		return false;
	}
	*number = strtoull(text, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9') {
		return false;
	}
	*seen = strtoull(end + 1, &end, 10);
	return *end == '\0';
}

/* A client comes back for the rest of a stream: "STREAM-EVENT". There is no stream for what the server says unasked. */
static enum MHD_Result answer_get(hub *h, struct MHD_Connection *c)
{
	const char *id = header(c, SESSION_HEADER), *last = header(c, "Last-Event-ID");
	session *s = id ? find_session(h, id) : NULL;
	unsigned long long number = 0, seen = 0;
	stream *found;

	if (id && !s) {
		return reply(c, MHD_HTTP_NOT_FOUND, (assay_str){0}, NULL);
	}
	if (!s || !read_event_id(last, &number, &seen)) {
		return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, (assay_str){0}, NULL);
	}
	pthread_mutex_lock(&h->lock);
	found = as_stream_find(h, s, number);
	if (found) {
		found->read = false;
		/* The gap that ended the reading before is behind the reader now. */
		for (const event *e = found->first; e; e = e->next) {
			seen += e->number == seen + 1 && e->gap ? 1 : 0;
		}
	}
	pthread_mutex_unlock(&h->lock);
	return found ? reply_stream(c, found, seen + 1) : reply(c, MHD_HTTP_BAD_REQUEST, (assay_str){0}, NULL);
}

static enum MHD_Result answer_delete(hub *h, struct MHD_Connection *c)
{
	const char *id = header(c, SESSION_HEADER);
	session *s = id ? find_session(h, id) : NULL;

	if (!id) {
		return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, (assay_str){0}, NULL);
	}
	if (s) {
		pthread_mutex_lock(&h->lock);
		s->id[0] = '\0';
		pthread_mutex_unlock(&h->lock);
	}
	return reply(c, s ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND, (assay_str){0}, NULL);
}

static enum MHD_Result on_request(void *payload, struct MHD_Connection *c, const char *url, const char *method,
				  const char *version, const char *data, size_t *size, void **state)
{
	hub *h = payload;
	query *q = *state;

	(void)version;
	if (!q) {
		*state = as_new(1, sizeof *q);
		return *state ? MHD_YES : MHD_NO;
	}
	if (*size > 0) {
		q->too_large = q->too_large || q->body.len + *size > AS_MCP_MAX_MESSAGE;
		if (!q->too_large) {
			as_buf_add(&q->body, (assay_str){data, *size});
		}
		*size = 0;
		return MHD_YES;
	}
	as_stream_sweep(h);
	if (!may_ask(c)) {
		return refuse(c, MHD_HTTP_FORBIDDEN, NULL, AS_RPC_INVALID_REQUEST,
			      "only pages of this machine may ask");
	}
	if (strcmp(url, PATH) != 0) {
		return reply(c, MHD_HTTP_NOT_FOUND, (assay_str){0}, NULL);
	}
	if (strcmp(method, "POST") == 0) {
		return answer_post(h, c, q);
	}
	if (strcmp(method, "GET") == 0) {
		return answer_get(h, c);
	}
	return strcmp(method, "DELETE") == 0 ? answer_delete(h, c)
					     : reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, (assay_str){0}, NULL);
}

static void on_end(void *payload, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
	query *q = *state;

	(void)payload;
	(void)c;
	(void)code;
	if (q) {
		as_buf_free(&q->body);
		free(q);
	}
	*state = NULL;
}

struct as_mcp_http {
	hub hub;
};

static int start_daemon(hub *h, uint16_t port, assay_error *err)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const union MHD_DaemonInfo *info;

	h->daemon = MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL,
				     on_request, h, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, on_end,
				     NULL, MHD_OPTION_CONNECTION_LIMIT, 128u, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
				     MHD_OPTION_END);
	info = h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info) {
		return as_fail(err, ASSAY_EIO, "cannot listen on 127.0.0.1:%u", (unsigned)port);
	}
	h->port = info->port;
	return 0;
}

int as_mcp_http_start(const as_mcp_server *def, uint16_t port, as_mcp_http **out, uint16_t *bound, assay_error *err)
{
	as_mcp_http *http = as_new(1, sizeof *http);
	int rc;

	*out = NULL;
	if (!http) {
		return as_fail_memory(err);
	}
	http->hub.server.def = def;
	pthread_mutex_init(&http->hub.lock, NULL);
	pthread_cond_init(&http->hub.changed, NULL);
	rc = as_server_load(&http->hub.server, err);
	rc = rc ? rc : start_daemon(&http->hub, port, err);
	if (rc) {
		as_mcp_http_stop(http);
		return rc;
	}
	*bound = http->hub.port;
	*out = http;
	return 0;
}

void as_mcp_http_stop(as_mcp_http *http)
{
	hub *h = http ? &http->hub : NULL;

	if (!h) {
		return;
	}
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
	if (h->daemon) {
		MHD_stop_daemon(h->daemon);
	}
	as_stream_sweep(h);
	while (h->sessions) {
		session *next = h->sessions->next;

		free_session(h->sessions);
		h->sessions = next;
	}
	as_server_unload(&h->server);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(http);
}
