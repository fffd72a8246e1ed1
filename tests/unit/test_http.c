/* The HTTP service, compiled in, against a server of a few lines on loopback. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/http.h"
#include "core/base/process.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

const as_http_ops *service_http_LTX_assay_service_v1(void);

/* ---- the server ---- */

struct server {
	int fd, port, other_port;
	pthread_t thread;
	atomic_int connections, requests;
	assay_text bomb; /* ten megabytes of zeros, gzipped */
};

struct query {
	char method[16], path[64];
	as_buf text; /* request line, headers, body */
	size_t body_at;
};

static void reply_bytes(int fd, assay_str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
		if (n <= 0) {
			return;
		}
		bytes = (assay_str){bytes.ptr + n, bytes.len - (size_t)n};
	}
}

static void reply(int fd, const char *status, const char *headers, assay_str body)
{
	as_buf b = {0};
	as_buf_printf(&b, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, headers, body.len);
	as_buf_add(&b, body);
	reply_bytes(fd, as_buf_str(&b));
	as_buf_free(&b);
}

static bool read_query(int fd, struct query *q)
{
	size_t length = 0;
	as_buf_clear(&q->text);
	q->body_at = 0;
	for (;;) {
		char chunk[4096];
		char *end = q->text.ptr && q->body_at == 0 ? strstr(q->text.ptr, "\r\n\r\n") : NULL;
		if (end) {
			q->body_at = (size_t)(end - q->text.ptr) + 4;
			const char *l = strstr(q->text.ptr, "Content-Length: ");
			length = l && l < end ? (size_t)strtoul(l + 16, NULL, 10) : 0;
		}
		if (q->body_at > 0 && q->text.len >= q->body_at + length) {
			return sscanf(q->text.ptr, "%15s %63s", q->method, q->path) == 2;
		}
		ssize_t n = recv(fd, chunk, sizeof chunk, 0);
		if (n <= 0) {
			return false;
		}
		as_buf_add(&q->text, (assay_str){chunk, (size_t)n});
		if (q->text.ptr[0] == 0x16) { /* a TLS greeting */
			reply_bytes(fd, ASSAY_STR("no TLS here\r\n"));
			return false;
		}
	}
}

static void wait_for_close(int fd)
{
	char byte;
	while (recv(fd, &byte, 1, 0) > 0) {
	}
}

static void redirect(int fd, const char *status, const char *target)
{
	char line[200];
	snprintf(line, sizeof line, "Location: %s\r\n", target);
	reply(fd, status, line, ASSAY_STR("moved, and this text is not for you"));
}

static void redirect_by(struct server *s, int fd, const char *path)
{
	char target[100];
	if (path[1] == 'n') { /* /n5: five more */
		int left = path[2] - '0';
		snprintf(target, sizeof target, left > 1 ? "/n%d" : "/echo", left - 1);
		redirect(fd, "307 Temporary", target);
	} else if (strcmp(path, "/loop") == 0) {
		redirect(fd, "302 Found", "/loop");
	} else if (strncmp(path, "/30", 3) == 0) {
		redirect(fd, path + 1, "/echo");
	} else if (strcmp(path, "/file") == 0) {
		redirect(fd, "302 Found", "file:///etc/passwd");
	} else {
		snprintf(target, sizeof target, "http://127.0.0.1:%d/echo?secret=1", s->other_port);
		redirect(fd, "307 Temporary", target);
	}
}

/* Answers whether the connection goes on. */
static bool misbehave(int fd, const char *path)
{
	if (strcmp(path, "/garbage") == 0) {
		reply_bytes(fd, ASSAY_STR("what do you want?\r\n\r\n"));
	} else if (strcmp(path, "/short") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"));
	} else if (strcmp(path, "/stall") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nstall"));
		wait_for_close(fd);
	} else if (strcmp(path, "/never") == 0) {
		wait_for_close(fd);
	} else if (strcmp(path, "/headers") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 200 OK\r\n"));
		for (int i = 0; i < 20000; i++) {
			reply_bytes(fd, ASSAY_STR("X-Filler: 0123456789012345678901234567890123456789\r\n"));
		}
	} else if (strcmp(path, "/bad-gzip") == 0) {
		reply(fd, "200 OK", "Content-Encoding: gzip\r\n", ASSAY_STR("this is not gzip at all"));
	} else {
		reply(fd, "404 Not Found", "", ASSAY_STR("no such page"));
		return true;
	}
	return false;
}

static bool answer(struct server *s, int fd, const struct query *q)
{
	const char *path = q->path;
	if (strncmp(path, "/echo", 5) == 0) {
		reply(fd, "200 OK", "Content-Type: text/plain\r\n", as_buf_str(&q->text));
	} else if (strcmp(path, "/head") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
	} else if (strcmp(path, "/multi") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n"));
		reply(fd, "201 Created", "X-A: 1\r\nx-a:2\r\nX-B:  caf\xe9 \t\r\nx-Empty:\r\n", ASSAY_STR(""));
	} else if (strcmp(path, "/chunks") == 0) {
		reply_bytes(fd, ASSAY_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"));
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
		reply_bytes(fd, ASSAY_STR("3\r\ntwo\r\n0\r\nX-Trailer: 1\r\n\r\n"));
	} else if (strcmp(path, "/bomb") == 0) {
		reply(fd, "200 OK", "Content-Encoding: gzip\r\n", as_text_str(s->bomb));
	} else if (strchr("nl3fo", path[1]) && strcmp(path, "/never") != 0) {
		redirect_by(s, fd, path);
	} else {
		return misbehave(fd, path);
	}
	return true;
}

static void *serve(void *payload)
{
	struct server *s = payload;
	struct query q = {0};
	for (;;) {
		int fd = accept(s->fd, NULL, NULL);
		if (fd < 0) {
			break;
		}
		atomic_fetch_add(&s->connections, 1);
		while (read_query(fd, &q)) {
			atomic_fetch_add(&s->requests, 1);
			if (!answer(s, fd, &q)) {
				break;
			}
		}
		close(fd);
	}
	as_buf_free(&q.text);
	return NULL;
}

static void start(struct server *s)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(s->fd, (struct sockaddr *)&address, size), 0);
	ck_assert_int_eq(listen(s->fd, 8), 0);
	ck_assert_int_eq(getsockname(s->fd, (struct sockaddr *)&address, &size), 0);
	s->port = ntohs(address.sin_port);
	ck_assert_int_eq(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(s->thread, NULL), 0);
	close(s->fd);
	atomic_store(&s->connections, 0);
	atomic_store(&s->requests, 0);
	as_text_free(&s->bomb);
}

/* ---- the client's side ---- */

static struct server here, there;
static const as_http_ops *ops;
static as_http_client *client;
static as_buf body;
static as_http_reply got;

static void setup(void)
{
	static const char *const proxies[] = {"http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"};
	for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) {
		unsetenv(proxies[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	start(&here);
	start(&there);
	here.other_port = there.port;
	ops = service_http_LTX_assay_service_v1();
	ck_assert_ptr_nonnull(ops);
	ck_assert_uint_eq(ops->size, sizeof *ops);
	ck_assert_int_eq(ops->open(&client, NULL), 0);
}

static void teardown(void)
{
	ops->close(client);
	ops->close(NULL);
	as_json_free(got.headers);
	got = (as_http_reply){0};
	as_buf_free(&body);
	stop(&here);
	stop(&there);
}

static int collect(void *payload, assay_str bytes, assay_error *err)
{
	(void)err;
	ck_assert_ptr_eq(payload, &body);
	ck_assert_int_ne(got.status, 0); /* filled before the body comes */
	ck_assert_ptr_nonnull(got.headers);
	as_buf_add(&body, bytes);
	return 0;
}

/* A request to `path` of the server, with the further members of `r`. */
static int send_request(as_http_request r, const char *path, assay_error *err)
{
	as_buf url = {0};
	as_buf_printf(&url, "http://127.0.0.1:%d%s", here.port, path);
	r.method = r.method ? r.method : "GET";
	r.url = url.ptr;
	r.deadline_ms = r.deadline_ms ? r.deadline_ms : as_deadline(20000);
	if (!r.on_body) {
		r.on_body = collect;
		r.payload = &body;
	}
	as_json_free(got.headers);
	got = (as_http_reply){0};
	as_buf_clear(&body);
	if (err) {
		as_error_clear(err);
	}
	int rc = ops->request(client, &r, &got, err);
	ck_assert(rc == 0 || (got.status == 0 && got.headers == NULL));
	as_buf_free(&url);
	as_buf_puts(&body, "");
	return rc;
}

static void check_get(const char *path, int status, const char *text)
{
	assay_error err = {0};
	ck_assert_msg(send_request((as_http_request){0}, path, &err) == 0, "%s: %s", err.where, err.message);
	ck_assert_int_eq(got.status, status);
	ck_assert_str_eq(body.ptr, text);
}

static void check_failure(const char *path, int code, uint32_t flags, const char *message)
{
	assay_error err = {0};
	char where[100];
	ck_assert_int_eq(send_request((as_http_request){0}, path, &err), code);
	ck_assert_str_eq(err.message, message);
	ck_assert_uint_eq(err.flags, flags);
	snprintf(where, sizeof where, "http://127.0.0.1:%d%s", here.port, path);
	ck_assert_str_eq(err.where, where);
}

static bool sent(const char *text)
{
	return strstr(body.ptr, text) != NULL;
}

START_TEST(test_get)
{
	check_get("/missing", 404, "no such page");
	ck_assert(as_str_is(as_json_str(as_json_get(got.headers, "content-length")), "12"));
	ck_assert_int_eq(send_request((as_http_request){0}, "/echo?q=a%20b#fragment", NULL), 0);
	ck_assert(sent("GET /echo?q=a%20b HTTP/1.1\r\n"));
	ck_assert(sent("User-Agent: assay/"));
	ck_assert(sent("Accept-Encoding: "));
	ck_assert(!sent("Content-Type") && !sent("Cookie"));
}
END_TEST

START_TEST(test_post)
{
	assay_error err = {0};
	as_http_request r = {
		.method = "POST",
		.headers = (const char *const[]){"Content-Type: application/json", "X-Empty;", "X-Blank:", "X-Key:  v ",
						 NULL},
		.body = ASSAY_STR("{\"a\":1}"),
	};
	ck_assert_int_eq(send_request(r, "/echo", &err), 0);
	ck_assert(sent("POST /echo HTTP/1.1\r\n"));
	ck_assert(sent("\r\nContent-Type: application/json\r\n"));
	ck_assert(sent("\r\nX-Empty:\r\n") && sent("\r\nX-Blank:\r\n") && sent("\r\nX-Key:  v"));
	ck_assert(sent("\r\n\r\n{\"a\":1}"));
	ck_assert(!sent("Expect"));
	r = (as_http_request){.method = "POST"};
	ck_assert_int_eq(send_request(r, "/echo", &err), 0);
	ck_assert(sent("Content-Length: 0\r\n") && !sent("Content-Type"));
	r = (as_http_request){.method = "DELETE"};
	ck_assert_int_eq(send_request(r, "/echo", &err), 0);
	ck_assert(sent("DELETE /echo "));
	static char big[3000000];
	memset(big, 'b', sizeof big);
	r = (as_http_request){.method = "PUT", .body = {big, sizeof big}};
	ck_assert_int_eq(send_request(r, "/echo", &err), 0);
	ck_assert_uint_gt(body.len, sizeof big);
	ck_assert(!sent("Expect") && !sent("Content-Type"));
	r = (as_http_request){.method = "HEAD"};
	ck_assert_int_eq(send_request(r, "/head", &err), 0);
	ck_assert(as_str_is(as_json_str(as_json_get(got.headers, "content-length")), "1000"));
	ck_assert_uint_eq(body.len, 0);
}
END_TEST

static void check_header_refused(const char *line)
{
	as_http_request r = {.headers = (const char *const[]){line, NULL}};
	assay_error err = {0};
	ck_assert_msg(send_request(r, "/echo", &err) == ASSAY_EINVAL, "header: %s", line);
	ck_assert_str_eq(err.message, "a header is not of the form \"Name: value\"");
}

START_TEST(test_bad_requests)
{
	check_header_refused("X: a\r\nEvil: 1");
	check_header_refused("X: a\nEvil: 1");
	check_header_refused("no colon");
	check_header_refused(": value");
	check_header_refused("");
	check_header_refused("A B: value");
	check_header_refused("X; value");
	static const char *const urls[] = {
		"file:///etc/passwd", "ftp://127.0.0.1/",          "127.0.0.1",  "", "http://",
		"http://[::1",        "http://127.0.0.1/\r\nX: 1", "http://a b/"};
	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
		const as_http_request r = {.method = "GET", .url = urls[i], .deadline_ms = as_deadline(20000)};
		ck_assert_msg(ops->request(client, &r, &got, NULL) == ASSAY_EINVAL, "%s", urls[i]);
	}
	as_http_request r = {.method = "GET /x HTTP/1.1\r\nX: 1\r\n\r\nGET"};
	ck_assert_int_eq(send_request(r, "/echo", NULL), ASSAY_EINVAL);
	ck_assert_int_eq(atomic_load(&here.requests), 0);
}
END_TEST

START_TEST(test_reply_headers)
{
	check_get("/multi", 201, "");
	ck_assert(as_str_is(as_json_str(as_json_get(got.headers, "x-a")), "1, 2"));
	ck_assert(as_str_is(as_json_str(as_json_get(got.headers, "x-b")), "caf\xef\xbf\xbd"));
	ck_assert(as_str_is(as_json_str(as_json_get(got.headers, "x-empty")), ""));
	ck_assert_int_eq(as_json_type(as_json_get(got.headers, "x-empty")), ASSAY_JSON_STRING);
	ck_assert_int_eq(as_json_type(as_json_get(got.headers, "x-early")), ASSAY_JSON_NONE);
	check_get("/chunks", 200, "onetwo");
	ck_assert_int_eq(as_json_type(as_json_get(got.headers, "x-trailer")), ASSAY_JSON_NONE);
	check_failure("/headers", ASSAY_ELIMIT, ASSAY_ERR_PEER, "the answer's headers are larger than 262144 bytes");
}
END_TEST

START_TEST(test_connection_is_kept)
{
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(send_request((as_http_request){0}, "/echo", NULL), 0);
	}
	ck_assert_int_eq(atomic_load(&here.connections), 1);
	ck_assert_int_eq(atomic_load(&here.requests), 20);
}
END_TEST

START_TEST(test_redirects)
{
	as_http_request r = {.method = "POST",
			     .headers = (const char *const[]){"X-Api-Key: secret", "Content-Type: a/b",
							      "Authorization: Bearer secret", "Accept: c/d", NULL},
			     .body = ASSAY_STR("the body")};
	ck_assert_int_eq(send_request(r, "/n5", NULL), 0); /* 307 keeps method, body and, on this host, headers */
	ck_assert_int_eq(got.status, 200);
	ck_assert(sent("POST /echo ") && sent("\r\n\r\nthe body") && sent("X-Api-Key: secret") &&
		  sent("Content-Type: a/b"));
	for (int i = 0; i < 2; i++) { /* and so do 301 and 302 */
		ck_assert_int_eq(send_request(r, i ? "/302" : "/301", NULL), 0);
		ck_assert(sent("POST /echo ") && sent("\r\n\r\nthe body") && sent("Content-Type: a/b"));
	}
	ck_assert_int_eq(send_request(r, "/303", NULL), 0);
	ck_assert(sent("GET /echo ") && !sent("the body") && sent("X-Api-Key: secret") && !sent("Content-Type"));
	ck_assert_int_eq(send_request(r, "/other", NULL), 0);
	ck_assert_int_eq(atomic_load(&there.requests), 1);
	ck_assert(sent("POST /echo?secret=1 ") && sent("\r\n\r\nthe body") && sent("Content-Type: a/b") &&
		  sent("Accept: c/d"));
	ck_assert(!sent("X-Api-Key") && !sent("Authorization"));
	check_failure("/loop", ASSAY_EPROTO, ASSAY_ERR_PEER, "the server redirects more than 5 times");
	ck_assert_int_eq(send_request(r, "/n6", NULL), ASSAY_EPROTO);
	check_failure("/file", ASSAY_EPROTO, ASSAY_ERR_PEER,
		      "the server redirects to something that is no web address");
}
END_TEST

START_TEST(test_broken_servers)
{
	const uint32_t again = ASSAY_ERR_RETRYABLE | ASSAY_ERR_PEER;
	check_failure("/garbage", ASSAY_EPROTO, ASSAY_ERR_PEER, "Received HTTP/0.9 when not allowed");
	check_failure("/short", ASSAY_EUNREACH, again, "the connection broke off");
	assay_error err = {0};
	ck_assert_int_eq(send_request((as_http_request){0}, "/bad-gzip", &err), ASSAY_EPROTO);
	check_get("/missing", 404, "no such page"); /* the client goes on */
}
END_TEST

START_TEST(test_unreachable)
{
	assay_error err = {0};
	as_http_request r = {.method = "GET",
			     .url = "http://u:p@127.0.0.1:1/x?key=k#f",
			     .deadline_ms = as_deadline(20000)};
	ck_assert_int_eq(ops->request(client, &r, &got, &err), ASSAY_EUNREACH);
	ck_assert_str_eq(err.message, "the host does not accept the connection");
	ck_assert_str_eq(err.where, "http://127.0.0.1:1/x"); /* nothing secret */
	ck_assert_uint_eq(err.flags, ASSAY_ERR_RETRYABLE | ASSAY_ERR_PEER);
	as_error_clear(&err);
	r.url = "http://no-such-host.invalid/";
	r.deadline_ms = as_deadline(3000);
	int rc = ops->request(client, &r, &got, &err);
	if (rc != ASSAY_ETIMEOUT) { /* without a network the resolver may take its time */
		ck_assert_int_eq(rc, ASSAY_EUNREACH);
		ck_assert_str_eq(err.message, "the host's name is not known");
	}
	as_error_clear(&err);
	r.deadline_ms = as_deadline(20000);
	as_buf url = {0};
	as_buf_printf(&url, "https://127.0.0.1:%d/echo", here.port); /* which speaks no TLS */
	r.url = url.ptr;
	ck_assert_int_eq(ops->request(client, &r, &got, &err), ASSAY_EUNREACH);
	as_buf_free(&url);
}
END_TEST

/* A port that is free now; the listener that found it is closed again. */
static int free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	close(fd);
	return ntohs(address.sin_port);
}

/* With a certificate of its own making, for "localhost" and no other name. */
static as_process *start_tls(const char *dir, int port)
{
	as_buf script = {0};
	as_process *p = NULL;
	as_buf_printf(&script,
		      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
		      "-addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null && "
		      "exec openssl s_server -accept %d -www -quiet -key key.pem -cert cert.pem",
		      port);
	const as_process_spec spec = {.argv = (const char *const[]){"sh", "-c", script.ptr, NULL}, .cwd = dir};
	ck_assert_int_eq(as_process_spawn(&spec, &p, NULL), 0);
	as_buf_free(&script);
	return p;
}

static int get_url(const char *host, int port, assay_error *err)
{
	as_buf url = {0};
	as_buf_printf(&url, "https://%s:%d/", host, port);
	const as_http_request r = {.method = "GET", .url = url.ptr, .deadline_ms = as_deadline(20000)};
	as_error_clear(err);
	as_json_free(got.headers);
	int rc = ops->request(client, &r, &got, err);
	as_buf_free(&url);
	return rc;
}

START_TEST(test_certificates)
{
	as_buf dir = {0}, cert = {0};
	assay_error err = {0};
	int status, port = free_port();
	assay_text version = {0};
	const as_process_spec spec = {.argv = (const char *const[]){"openssl", "version", NULL}};
	if (as_process_run(&spec, ASSAY_STR(""), 1000, as_deadline(20000), NULL, &version, &status, NULL) != 0) {
		return; /* no openssl command here */
	}
	as_text_free(&version);
	ck_assert_int_eq(as_make_temp_dir(TEST_BUILDDIR, "test-http-", &dir, NULL), 0);
	as_buf_printf(&cert, "%s/cert.pem", dir.ptr);
	as_process *server = start_tls(dir.ptr, port);
	unsetenv("SSL_CERT_FILE");
	unsetenv("CURL_CA_BUNDLE");
	for (int i = 0; i < 200 && get_url("localhost", port, &err) == ASSAY_EUNREACH &&
			strcmp(err.message, "the host does not accept the connection") == 0;
	     i++) {
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	ck_assert_int_eq(err.code, ASSAY_EUNREACH);
	ck_assert_uint_eq(err.flags, ASSAY_ERR_PEER); /* trying again will not help */
	ck_assert_ptr_nonnull(strstr(err.message, "self"));
	ck_assert_str_eq(err.hint, "SSL_CERT_FILE names a file of further certificate authorities");
	ck_assert_int_eq(setenv("SSL_CERT_FILE", cert.ptr, 1), 0);
	ck_assert_msg(get_url("localhost", port, &err) == 0, "%s", err.message);
	ck_assert_int_eq(got.status, 200);
	ck_assert_int_eq(get_url("127.0.0.1", port, &err), ASSAY_EUNREACH); /* the certificate has another name */
	as_process_stop(server, 0);
	ck_assert_int_eq(as_remove_tree(dir.ptr, NULL), 0);
	as_buf_free(&cert);
	as_buf_free(&dir);
}
END_TEST

START_TEST(test_deadline)
{
	assay_error err = {0};
	static const char *const paths[] = {"/never", "/stall"};
	for (size_t i = 0; i < 2; i++) {
		int64_t begun = as_now_ms();
		as_http_request r = {.deadline_ms = as_deadline(60)};
		ck_assert_int_eq(send_request(r, paths[i], &err), ASSAY_ETIMEOUT);
		ck_assert_str_eq(err.message, "no complete answer in time");
		ck_assert(as_now_ms() - begun >= 60 && as_now_ms() - begun < 5000);
	}
	as_http_request r = {.deadline_ms = 1};
	ck_assert_int_eq(send_request(r, "/never", &err), ASSAY_ETIMEOUT);
	check_get("/missing", 404, "no such page");
}
END_TEST

static void *cancel_soon(void *cancel)
{
	nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
	as_cancel_set(cancel);
	return NULL;
}

START_TEST(test_cancel)
{
	as_cancel *c = NULL;
	pthread_t thread;
	int64_t begun = as_now_ms();
	ck_assert_int_eq(as_cancel_new(&c, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, c), 0);
	as_http_request r = {.cancel = c, .deadline_ms = AS_FOREVER};
	ck_assert_int_eq(send_request(r, "/never", NULL), ASSAY_ECANCELED);
	ck_assert(as_now_ms() - begun < 5000);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(send_request(r, "/never", NULL), ASSAY_ECANCELED);
	as_cancel_free(c);
}
END_TEST

static int stop_at_once(void *payload, assay_str bytes, assay_error *err)
{
	(void)bytes;
	(void)err;
	return *(const int *)payload;
}

static int refuse_body(void *payload, assay_str bytes, assay_error *err)
{
	(void)payload;
	return as_fail(err, ASSAY_EDATA, "no taste for %zu bytes", bytes.len);
}

START_TEST(test_callback)
{
	assay_error err = {0};
	int answer_code = ASSAY_STOP;
	as_http_request r = {.on_body = stop_at_once, .payload = &answer_code};
	ck_assert_int_eq(send_request(r, "/stall", &err), 0); /* enough: no waiting for the rest */
	ck_assert_int_eq(got.status, 200);
	r = (as_http_request){.on_body = refuse_body};
	ck_assert_int_eq(send_request(r, "/missing", &err), ASSAY_EDATA);
	ck_assert_str_eq(err.message, "no taste for 12 bytes");
}
END_TEST

START_TEST(test_body_limit)
{
	assay_error err = {0};
	int status;
	as_http_request r = {.max_body = 11};
	ck_assert_int_eq(send_request(r, "/missing", &err), ASSAY_ELIMIT);
	ck_assert_str_eq(err.message, "the answer's body is larger than 11 bytes");
	r.max_body = 12;
	ck_assert_int_eq(send_request(r, "/missing", &err), 0);
	const as_process_spec gzip = {.argv = (const char *const[]){"gzip", "-9", NULL}};
	static const char zeros[10 << 20];
	ck_assert_int_eq(as_process_run(&gzip, (assay_str){zeros, sizeof zeros}, 1 << 20, as_deadline(20000), NULL,
					&here.bomb, &status, NULL),
			 0);
	ck_assert_uint_lt(here.bomb.len, 20000);
	r.max_body = 100000;
	ck_assert_int_eq(send_request(r, "/bomb", &err), ASSAY_ELIMIT);
	ck_assert_uint_le(body.len, 100000);
	r.max_body = 0;
	ck_assert_int_eq(send_request(r, "/bomb", &err), 0);
	ck_assert_uint_eq(body.len, sizeof zeros);
}
END_TEST

START_TEST(test_proxy)
{
	/* The usual variables: the other server plays the proxy. */
	char address[64];
	snprintf(address, sizeof address, "http://127.0.0.1:%d", there.port);
	ck_assert_int_eq(setenv("http_proxy", address, 1), 0);
	ck_assert_int_eq(unsetenv("no_proxy") | unsetenv("NO_PROXY"), 0);
	assay_error err = {0};
	as_http_request r = {.method = "GET", .url = "http://somewhere.invalid/x", .deadline_ms = as_deadline(20000)};
	ck_assert_int_eq(ops->request(client, &r, &got, &err), 0);
	ck_assert_int_eq(atomic_load(&there.requests), 1);
	ck_assert_int_eq(setenv("no_proxy", "127.0.0.1", 1), 0);
	check_get("/missing", 404, "no such page");
	ck_assert_int_eq(atomic_load(&here.requests), 1);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		test_get,       test_post,           test_bad_requests, test_reply_headers, test_connection_is_kept,
		test_redirects, test_broken_servers, test_unreachable,  test_certificates,  test_deadline,
		test_cancel,    test_callback,       test_body_limit,   test_proxy};
	Suite *s = suite_create("http");
	TCase *tcase = tcase_create("http");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		tcase_add_test(tcase, tests[i]);
	}
	suite_add_tcase(s, tcase);
	return s;
}
UNIT_MAIN(suite)
