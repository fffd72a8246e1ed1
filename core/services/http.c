/* The HTTP client by libcurl: the only file that sees it.
 *
 * One easy handle in one multi handle: the multi handle keeps the connections, and its poll can wait for the
 * cancellation too. Redirects are followed here, not by libcurl: it would send headers such as x-api-key on to whatever
 * host the answer names.
 *
 * libcurl must not touch signals here (CURLOPT_NOSIGNAL: there are threads), so the program ignores SIGPIPE. */
#include "config.h"

#include "core/services/http_transfer.h"

#include "core/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_HEADER_BYTES ((size_t)256 << 10)
#define MAX_REDIRECTS 5
#define CONNECT_MS 30000L   /* a host that does not answer is down, however long the request may take */
#define RECEIVE_BYTES 4096L /* hundreds of requests may wait for their answer at once */
#define POLL_SLICE_MS 60000
#define USER_AGENT "assay/" PACKAGE_VERSION

const as_http_ops *service_http_LTX_assay_service_v1(void);

/* ---- URLs ---- */

static char *url_part(CURLU *url, CURLUPart part, unsigned flags)
{
	char *text = NULL;
	return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

/* "scheme://host:port" and, when wanted, the path. NULL: not a URL, or no memory. */
static char *describe_url(const char *text, bool with_path)
{
	CURLU *url = curl_url();
	as_buf b = {0};
	assay_text out = {0};
	if (url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK) {
		char *scheme = url_part(url, CURLUPART_SCHEME, 0);
		char *host = url_part(url, CURLUPART_HOST, 0);
		char *port = url_part(url, CURLUPART_PORT, with_path ? CURLU_NO_DEFAULT_PORT : CURLU_DEFAULT_PORT);
		char *path = url_part(url, CURLUPART_PATH, 0);
		if (scheme && host && path) {
			as_buf_printf(&b, "%s://%s%s%s%s", scheme, host, port ? ":" : "", port ? port : "",
				      with_path ? path : "");
			(void)as_buf_take(&b, &out, NULL);
		}
		curl_free(scheme);
		curl_free(host);
		curl_free(port);
		curl_free(path);
	}
	curl_url_cleanup(url);
	as_buf_free(&b);
	return out.ptr;
}

static bool is_web_url(const char *url)
{
	return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

int as_transfer_say(const struct transfer *t, int code, uint32_t flags, const char *message)
{
	bool first = t->err && t->err->code == 0;
	int rc = as_fail(t->err, code, "%s", message);
	if (first) {
		t->err->flags |= flags;
		as_error_where(t->err, t->shown, 0);
	}
	return rc;
}

/* ---- request headers ---- */

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 ? *s != '\t' : *s == 0x7f) {
			return true;
		}
	}
	return false;
}

static bool is_token(assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if (c <= 0x20 || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c)) {
			return false;
		}
	}
	return s.len > 0;
}

static bool name_is(assay_str name, const char *other)
{
	return strlen(other) == name.len && strncasecmp(name.ptr, other, name.len) == 0;
}

static int add_line(struct transfer *t, const char *line)
{
	struct curl_slist *grown = curl_slist_append(t->headers, line);
	if (!grown) {
		return as_fail_memory(t->err);
	}
	t->headers = grown;
	return 0;
}

/* libcurl takes "Name:" for "leave that header out"; the caller means an empty value by it, as by "Name;". */
static int add_header(struct transfer *t, const char *line, assay_str name)
{
	const char *value = line + name.len + 1;
	value += strspn(value, " \t");
	if (*value) {
		return add_line(t, line);
	}
	as_buf empty = {0};
	as_buf_printf(&empty, "%.*s;", ASSAY_FMT(name));
	int rc = empty.failed ? as_fail_memory(t->err) : add_line(t, empty.ptr);
	as_buf_free(&empty);
	return rc;
}

/* Another host than the first gets nothing that may be a secret. */
static int add_headers(struct transfer *t, bool same_origin)
{
	bool has_type = false;
	for (const char *const *line = t->request->headers; line && *line; line++) {
		assay_str name = {*line, strcspn(*line, ":;")};
		if (!is_token(name) || name.len == strlen(*line) || has_control(*line) ||
		    ((*line)[name.len] == ';' && (*line)[name.len + 1])) {
			return as_transfer_say(t, ASSAY_EINVAL, 0, "a header is not of the form \"Name: value\"");
		}
		bool is_type = name_is(name, "content-type");
		if (is_type && t->body.len == 0 && t->redirects > 0) {
			continue; /* the body was dropped on the way */
		}
		if (same_origin || is_type || name_is(name, "accept")) {
			int rc = add_header(t, *line, name);
			if (rc != 0) {
				return rc;
			}
			has_type = has_type || is_type;
		}
	}
	/* Without these libcurl would invent a type, and wait for a "100 Continue" that few servers send. */
	int rc = has_type ? 0 : add_line(t, "Content-Type:");
	return rc == 0 ? add_line(t, "Expect:") : rc;
}

/* ---- what comes in ---- */

static int keep_header(struct transfer *t, assay_str name, assay_str value)
{
	as_buf b = {0};
	as_buf joined = {0};
	int rc;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		as_buf_byte(&b, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
	}
	const assay_json *old = as_json_get_n(t->heads, as_buf_str(&b));
	if (old) {
		as_buf_add(&joined, as_json_str(old));
		as_buf_puts(&joined, ", ");
		as_buf_add(&joined, value);
		value = as_buf_str(&joined);
	}
	assay_json *text = b.failed || joined.failed ? NULL : as_json_string(value);
	rc = text ? as_json_set_n(t->heads, as_buf_str(&b), text) : ASSAY_ENOMEM;
	as_buf_free(&b);
	as_buf_free(&joined);
	return rc == 0 ? 0 : as_fail_memory(t->err);
}

static bool is_followed(struct transfer *t, long status)
{
	bool moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
	return moved && as_json_get(t->heads, "location") != NULL;
}

/* The blank line after the headers: of an interim answer, a redirect, or the answer itself. */
static int end_headers(struct transfer *t)
{
	long status = 0;
	(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->redirect = is_followed(t, status);
	if (status >= 200 && !t->redirect && !t->final) {
		t->reply->status = (int)status;
		t->reply->headers = t->heads;
		t->heads = NULL;
		t->final = true;
	}
	return 0;
}

static int take_header(struct transfer *t, assay_str line)
{
	while (line.len > 0 && strchr("\r\n \t", line.ptr[line.len - 1])) {
		line.len--;
	}
	t->head_bytes += line.len + 2;
	if (t->head_bytes > MAX_HEADER_BYTES) {
		return as_transfer_say(t, ASSAY_ELIMIT, ASSAY_ERR_PEER,
				       "the answer's headers are larger than 262144 bytes");
	}
	if (line.len == 0) {
		return end_headers(t);
	}
	if (as_str_starts(line, ASSAY_STR("HTTP/"))) { /* another answer begins: after 100, 103 or a proxy's */
		as_json_free(t->heads);
		t->heads = as_json_object();
		return t->heads ? 0 : as_fail_memory(t->err);
	}
	const char *colon = memchr(line.ptr, ':', line.len);
	if (!colon || t->final) { /* trailers are nobody's business */
		return 0;
	}
	assay_str name = {line.ptr, (size_t)(colon - line.ptr)};
	assay_str value = {colon + 1, line.len - name.len - 1};
	while (value.len > 0 && (value.ptr[0] == ' ' || value.ptr[0] == '\t')) {
		value = (assay_str){value.ptr + 1, value.len - 1};
	}
	return is_token(name) ? keep_header(t, name, value) : 0;
}

static size_t on_header(char *bytes, size_t size, size_t n, void *payload)
{
	struct transfer *t = payload;
	(void)size; /* always 1 */
	if (t->rc == 0) {
		t->rc = take_header(t, (assay_str){bytes, n});
	}
	return t->rc == 0 ? n : n + 1; /* any other number than n stops the transfer */
}

static size_t on_body(char *bytes, size_t size, size_t n, void *payload)
{
	struct transfer *t = payload;
	(void)size;         /* always 1 */
	t->body_bytes += n; /* after decompression */
	if (t->rc == 0 && t->body_bytes > t->max_body) {
		bool first = t->err && t->err->code == 0;
		t->rc = as_fail(t->err, ASSAY_ELIMIT, "the answer's body is larger than %zu bytes", t->max_body);
		if (first) {
			t->err->flags |= ASSAY_ERR_PEER;
			as_error_where(t->err, t->shown, 0);
		}
	}
	if (t->rc == 0 && !t->redirect && t->request->on_body && n > 0) {
		t->rc = t->request->on_body(t->request->payload, (assay_str){bytes, n}, t->err);
	}
	return t->rc == 0 ? n : n + 1;
}

/* ---- one exchange ---- */

static CURLcode set_limits(CURL *easy)
{
	CURLcode rc = CURLE_OK;
#if LIBCURL_VERSION_NUM >= 0x075500
	rc = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	rc = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Else giving up would wait for the resolver's thread. */
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) : rc;
#endif
	/* As the curl tool and OpenSSL do: a certificate authority of one's own. */
	const char *authority = getenv("CURL_CA_BUNDLE");
	authority = authority && *authority ? authority : getenv("SSL_CERT_FILE");
	if (rc == CURLE_OK && authority && *authority) {
		rc = curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
	}
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_USERAGENT, USER_AGENT) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES) : rc;
	return rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "") : rc;
}

static CURLcode set_method(const struct transfer *t)
{
	CURL *easy = t->easy;
	CURLcode rc = CURLE_OK;
	if (strcmp(t->method, "HEAD") == 0) {
		return curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	}
	bool sends = t->body.len > 0 || strcmp(t->method, "POST") == 0 || strcmp(t->method, "PUT") == 0 ||
		     strcmp(t->method, "PATCH") == 0;
	if (sends) {
		rc = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body.len);
		rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_POSTFIELDS, t->body.ptr ? t->body.ptr : "") : rc;
	}
	return rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, t->method) : rc;
}

static CURLcode set_callbacks(struct transfer *t)
{
	CURL *easy = t->easy;
	CURLcode rc = curl_easy_setopt(easy, CURLOPT_URL, t->url);
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_HEADERDATA, t) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) : rc;
	rc = rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_WRITEDATA, t) : rc;
	return rc == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->reason) : rc;
}

/* libcurl's own words hold times and addresses: the same failure should read the same. NULL: take them anyway. */
static const char *words_for(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return "the host's name is not known";
	case CURLE_COULDNT_RESOLVE_PROXY:
		return "the proxy's name is not known";
	case CURLE_COULDNT_CONNECT:
		return "the host does not accept the connection";
	case CURLE_OPERATION_TIMEDOUT:
		return "no connection after 30 seconds";
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_PARTIAL_FILE:
		return "the connection broke off";
	default:
		return NULL;
	}
}

/* Who did not answer may have been a proxy that nobody thought of. */
static void hint_proxy(const struct transfer *t)
{
	static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"};
	bool secure = strncasecmp(t->url, "https", 5) == 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *proxy = i < 2 && !secure ? NULL : i == 2 && secure ? NULL : getenv(names[i]);
		if (proxy && proxy[0]) {
			as_error_hint(t->err,
				      "it is asked by way of the proxy that %s names, unless no_proxy excepts its host",
				      names[i]);
			return;
		}
	}
}

/* What libcurl says, as the header promises it. */
int as_transfer_fail(struct transfer *t, CURLcode code)
{
	const uint32_t again = ASSAY_ERR_RETRYABLE | ASSAY_ERR_PEER;
	long status = 0;
	bool by_proxy = strstr(t->reason, "CONNECT") != NULL; /* refused by it: what its status says is worth telling */
	const char *reason = by_proxy ? NULL : words_for(code);
	reason = reason ? reason : t->reason[0] ? t->reason : curl_easy_strerror(code);
	switch (code) {
	case CURLE_OUT_OF_MEMORY: /* also said of a header that libcurl finds too large */
		(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
		return status > 0 && !t->final
			       ? as_transfer_say(t, ASSAY_ELIMIT, ASSAY_ERR_PEER, "a header of the answer is too large")
			       : as_fail_memory(t->err);
	case CURLE_URL_MALFORMAT:
		return as_transfer_say(t, ASSAY_EINVAL, 0, reason);
	case CURLE_UNSUPPORTED_PROTOCOL: /* of the answer: the URL's was looked at before */
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
		return as_transfer_say(t, ASSAY_EPROTO, ASSAY_ERR_PEER, reason);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
		as_transfer_say(t, ASSAY_EUNREACH, ASSAY_ERR_PEER, reason);
		if (!strstr(reason, "host name")) { /* no authority makes it another's */
			as_error_hint(t->err, "SSL_CERT_FILE names a file of further certificate authorities");
		}
		return ASSAY_EUNREACH;
	default: /* not resolved, refused, connect time-out, broken off */
		as_transfer_say(t, ASSAY_EUNREACH, again, reason);
		hint_proxy(t);
		return ASSAY_EUNREACH;
	}
}

static int check_stop(const struct transfer *t)
{
	if (as_cancel_is_set(t->request->cancel)) {
		return as_transfer_say(t, ASSAY_ECANCELED, 0, "cancelled");
	}
	if (as_remaining(t->request->deadline_ms) == 0) {
		return as_transfer_say(t, ASSAY_ETIMEOUT, ASSAY_ERR_RETRYABLE | ASSAY_ERR_PEER,
				       "no complete answer in time");
	}
	return 0;
}

/* Let the transfer run to its end, the deadline or the cancellation. */
static int run(struct transfer *t, CURLcode *result)
{
	CURLM *multi = t->client->multi;
	struct curl_waitfd cancel = {.fd = as_cancel_fd(t->request->cancel), .events = CURL_WAIT_POLLIN};
	for (;;) {
		int running = 0, left = 0;
		const CURLMsg *message;
		CURLMcode rc = curl_multi_perform(multi, &running);
		while (rc == CURLM_OK && (message = curl_multi_info_read(multi, &left)) != NULL) {
			if (message->msg == CURLMSG_DONE) {
				*result = message->data.result;
				return 0;
			}
		}
		int stop = check_stop(t);
		if (stop != 0) {
			return stop;
		}
		int64_t slice = as_remaining(t->request->deadline_ms);
		slice = slice < POLL_SLICE_MS ? slice : POLL_SLICE_MS;
		if (rc == CURLM_OK) {
			rc = curl_multi_poll(multi, &cancel, cancel.fd >= 0, (int)slice, NULL);
		}
		if (rc != CURLM_OK) {
			return rc == CURLM_OUT_OF_MEMORY ? as_fail_memory(t->err)
							 : as_transfer_say(t, ASSAY_EIO, 0, curl_multi_strerror(rc));
		}
	}
}

int as_transfer_prepare(struct transfer *t)
{
	CURLcode result = CURLE_OK;
	curl_slist_free_all(t->headers);
	t->headers = NULL;
	t->reason[0] = '\0';
	t->head_bytes = t->body_bytes = 0;
	char *origin = describe_url(t->url, false);
	t->elsewhere = origin && strcmp(origin, t->origin) != 0;
	int rc = origin ? add_headers(t, !t->elsewhere) : as_fail_memory(t->err);
	free(origin);
	if (rc != 0) {
		return rc;
	}
	curl_easy_reset(t->easy);
	result = set_limits(t->easy);
	result = result == CURLE_OK ? set_method(t) : result;
	result = result == CURLE_OK ? set_callbacks(t) : result;
	if (result != CURLE_OK) {
		return as_transfer_fail(t, result);
	}
	return curl_multi_add_handle(t->client->multi, t->easy) == CURLM_OK ? 0 : as_fail_memory(t->err);
}

static int exchange(struct transfer *t)
{
	CURLcode result = CURLE_OK;
	int rc = as_transfer_prepare(t);
	if (rc != 0) {
		return rc;
	}
	rc = run(t, &result);
	(void)curl_multi_remove_handle(t->client->multi, t->easy);
	if (t->rc != 0) {
		return t->rc; /* a callback said so */
	}
	return rc != 0 || result == CURLE_OK ? rc : as_transfer_fail(t, result);
}

/* Go where a redirect points. */
int as_transfer_follow(struct transfer *t)
{
	char *next = NULL;
	if (++t->redirects > MAX_REDIRECTS) {
		return as_transfer_say(t, ASSAY_EPROTO, ASSAY_ERR_PEER, "the server redirects more than 5 times");
	}
	long status = 0;
	(void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	(void)curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &next);
	char *shown = next && is_web_url(next) ? describe_url(next, true) : NULL;
	if (!shown) {
		return as_transfer_say(t, ASSAY_EPROTO, ASSAY_ERR_PEER,
				       "the server redirects to something that is no web address");
	}
	free(t->shown);
	t->shown = shown;
	free(t->url);
	t->url = as_strdup(next);
	if (!t->url) {
		return as_fail_memory(t->err);
	}
	/* 301 and 302 keep the method and the body, as 307 does: a question to a service is none without them. */
	if (strcmp(t->method, "HEAD") != 0 && status == 303) {
		t->method = "GET";
		t->body = (assay_str){0};
	}
	return 0;
}

/* ---- the table ---- */

int as_transfer_begin(struct transfer *t, const as_http_request *request)
{
	if (!request->url || !is_web_url(request->url) || has_control(request->url)) {
		return as_fail(t->err, ASSAY_EINVAL, "a web address begins with http:// or https://");
	}
	if (!is_token(as_str(request->method))) {
		return as_fail(t->err, ASSAY_EINVAL, "the request's method is not a word");
	}
	t->shown = describe_url(request->url, true);
	t->origin = describe_url(request->url, false);
	if (!t->shown || !t->origin) {
		return as_fail(t->err, ASSAY_EINVAL, "the web address is not well-formed");
	}
	t->url = as_strdup(request->url);
	return t->url ? 0 : as_fail_memory(t->err);
}

void as_transfer_clear(struct transfer *t)
{
	as_json_free(t->heads);
	curl_slist_free_all(t->headers);
	free(t->shown);
	free(t->origin);
	free(t->url);
}

static int http_request(as_http_client *c, const as_http_request *request, as_http_reply *reply, assay_error *err)
{
	struct transfer t = {.client = c,
			     .easy = c->easy,
			     .request = request,
			     .reply = reply,
			     .err = err,
			     .method = request->method,
			     .body = request->body,
			     .max_body = request->max_body ? request->max_body : DEFAULT_MAX_BODY};
	*reply = (as_http_reply){0};
	if (c->exchanges) {
		return as_fail(err, ASSAY_EINVAL, "this client has exchanges under way");
	}
	int rc = as_transfer_begin(&t, request);
	while (rc == 0) {
		rc = exchange(&t);
		if (rc != 0 || !t.redirect) {
			break;
		}
		rc = as_transfer_follow(&t);
	}
	if (rc == 0 && !t.final) {
		rc = as_transfer_say(&t, ASSAY_EPROTO, ASSAY_ERR_PEER, "the server gave no answer that HTTP knows");
	}
	rc = rc > 0 ? 0 : rc; /* ASSAY_STOP: on_body has had enough */
	if (rc != 0) {
		as_json_free(reply->headers);
		*reply = (as_http_reply){0};
	}
	as_transfer_clear(&t);
	return rc;
}

static void http_close(as_http_client *c)
{
	if (c) {
		while (c->exchanges) {
			as_http_exchange_end(c->exchanges);
		}
		curl_easy_cleanup(c->easy);
		(void)curl_multi_cleanup(c->multi);
		free(c);
	}
}

static int http_open(as_http_client **out, assay_error *err)
{
	as_http_client *c = as_new(1, sizeof *c);
	*out = c;
	if (!c) {
		return as_fail_memory(err);
	}
	c->multi = curl_multi_init();
	c->easy = curl_easy_init();
	if (!c->multi || !c->easy) {
		http_close(c);
		*out = NULL;
		return as_fail_memory(err);
	}
	return 0;
}

/* Called once, under the loader's lock, before any client is opened: what curl_global_init asks for. */
__attribute__((visibility("default"))) const as_http_ops *service_http_LTX_assay_service_v1(void)
{
	static const as_http_ops ops = {.size = sizeof ops,
					.open = http_open,
					.request = http_request,
					.close = http_close,
					.begin = as_http_exchange_begin,
					.wait = as_http_exchange_wait,
					.take = as_http_exchange_take,
					.end = as_http_exchange_end};
	return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &ops : NULL;
}
