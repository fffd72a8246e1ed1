/* The host's file and HTTP services. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include "core/base/file.h"

/* Relative paths start where the call's children do. NULL: no memory. */
static const char *place(assay_call *call, const char *path, as_buf *out, assay_error *err)
{
	const char *cwd = as_call_of(call)->cwd;
	if (!path || !*path) {
		as_fail(err, ASSAY_EINVAL, "a file service was given no path");
		return NULL;
	}
	if (cwd) {
		as_path_join(out, as_str(cwd), as_str(path));
	} else {
		as_buf_puts(out, path);
	}
	return as_buf_check(out, err) < 0 ? NULL : out->ptr;
}

static int place_failed(const as_buf *b)
{
	return b->failed ? ASSAY_ENOMEM : ASSAY_EINVAL;
}

static int file_read(assay_call *call, const char *path, size_t max, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_file_read(full, max, out, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_write(assay_call *call, const char *path, assay_str bytes, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_file_write(full, bytes, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_copy_tree(assay_call *call, const char *from, const char *to, assay_error *err)
{
	as_buf a = {0}, b = {0};
	const char *source = place(call, from, &a, err);
	const char *target = source ? place(call, to, &b, err) : NULL;
	int rc = target ? as_copy_tree(source, target, err) : place_failed(source ? &b : &a);
	as_buf_free(&a);
	as_buf_free(&b);
	return rc;
}

static int file_remove_tree(assay_call *call, const char *path, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_remove_tree(full, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_make_dirs(assay_call *call, const char *path, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_make_dirs(full, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

const assay_file_api as_host_file = {sizeof as_host_file, 0, file_read, file_write, file_copy_tree, file_remove_tree,
				     file_make_dirs};

/* A sink may have had enough, which ends the transfer and is no failure. */
typedef struct body {
	assay_sink *sink;
	bool enough;
} body;

static int on_body(void *payload, assay_str bytes, assay_error *err)
{
	body *b = payload;
	int rc = b->sink ? b->sink->write(b->sink, bytes, err) : 0;
	if (rc > 0) {
		b->enough = true;
	}
	return rc;
}

static int http_request(assay_call *call, const assay_http_request *request, assay_http_reply *reply, assay_sink *sink,
			assay_error *err)
{
	as_call *c = as_call_of(call);
	const as_http_ops *ops = NULL;
	as_http_client *client = NULL;
	as_http_reply got = {0};
	assay_error why = {0};
	body b = {sink, false};
	if (!c->hooks || !c->hooks->http) {
		return as_host_no_service("http->request", err);
	}
	int rc = as_host_may_go_on(c, err);
	if (rc == 0 && (!ASSAY_HAS(request, max_body) || !request->url || !ASSAY_HAS(reply, headers))) {
		rc = as_fail(err, ASSAY_EINVAL,
			     "http->request: the request has no URL, or a struct its size is not set");
	}
	rc = rc < 0 ? rc : c->hooks->http(c->context, &ops, &client, err);
	if (rc < 0) {
		return rc;
	}
	const as_http_request full = {.method = request->method ? request->method : "GET",
				      .url = request->url,
				      .headers = request->headers,
				      .body = request->body,
				      .deadline_ms = as_host_deadline(c, request->timeout_ms > 0 ? request->timeout_ms
												 : AS_FOREVER),
				      .max_body = request->max_body,
				      .cancel = c->cancel,
				      .on_body = on_body,
				      .payload = &b};
	rc = ops->request(client, &full, &got, &why);
	if (rc != 0 && !b.enough) {
		if (err && err->code == 0) {
			*err = why;
		}
		as_json_free(got.headers);
		return rc;
	}
	reply->status = got.status;
	reply->headers = got.headers;
	return 0;
}

const assay_http_api as_host_http = {sizeof as_host_http, 0, http_request};
