#include "core/world/gate_request.h"

#include <string.h>
#include <strings.h>

static bool is_token(assay_str s)
{
	static const char known[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (size_t i = 0; i < s.len; i++) {
		if (!s.ptr[i] || !strchr(known, s.ptr[i])) {
			return false;
		}
	}
	return s.len > 0;
}

/* The text up to `mark`, which goes too; all of it when there is none. */
static assay_str cut(assay_str *rest, char mark)
{
	assay_str all = *rest;
	const char *at = all.len > 0 ? memchr(all.ptr, mark, all.len) : NULL;
	if (!at) {
		*rest = (assay_str){NULL, 0};
		return all;
	}
	*rest = (assay_str){at + 1, all.len - (size_t)(at + 1 - all.ptr)};
	return (assay_str){all.ptr, (size_t)(at - all.ptr)};
}

/* One line without its CR LF. False when it ends in something else, or holds what no line may. */
static bool cut_line(assay_str *rest, assay_str *line)
{
	*line = cut(rest, '\n');
	if (line->len == 0 || line->ptr[line->len - 1] != '\r') {
		return false;
	}
	line->len--;
	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->ptr[i];
		if ((c < 0x20 && c != '\t') || c == 0x7F) {
			return false;
		}
	}
	return true;
}

static const char *read_fields(assay_str head, as_gate_request *out)
{
	out->fields = head;
	for (;;) {
		assay_str line, before = head, name;
		if (!cut_line(&head, &line)) {
			return "a line of its head is malformed";
		}
		if (line.len == 0) {
			out->fields.len = (size_t)(before.ptr - out->fields.ptr);
			return head.len == 0 ? NULL : "something follows its head";
		}
		name = cut(&line, ':');
		if (!is_token(name) || name.ptr + name.len == line.ptr) {
			return "a line of its head is malformed";
		}
	}
}

static const char *read_tunnel(assay_str target, as_gate_request *out)
{
	const char *fault = as_destination_read(target, false, &out->target);
	return fault || out->target.port ? fault : "CONNECT without a port";
}

static const char *read_url(assay_str url, as_gate_request *out)
{
	static const char scheme[] = "http://";
	size_t n = sizeof scheme - 1;
	const char *fault;
	if (url.len < n || strncasecmp(url.ptr, scheme, n) != 0) {
		return "neither CONNECT HOST:PORT nor an http:// URL: this is a proxy for those";
	}
	url = (assay_str){url.ptr + n, url.len - n};
	for (n = 0; n < url.len && !strchr("/?#", url.ptr[n]); n++) {
	}
	fault = as_destination_read((assay_str){url.ptr, n}, false, &out->target);
	out->path = (assay_str){url.ptr + n, url.len - n};
	out->target.port = out->target.port ? out->target.port : 80;
	return fault;
}

const char *as_gate_read(assay_str head, as_gate_request *out)
{
	assay_str line, version;
	*out = (as_gate_request){0};
	if (!cut_line(&head, &line)) {
		return "its first line is malformed";
	}
	out->method = cut(&line, ' ');
	version = line;
	line = cut(&version, ' ');
	if (!is_token(out->method) || version.len != 8 || memcmp(version.ptr, "HTTP/1.", 7) != 0) {
		return "its first line is not METHOD TARGET HTTP/1.1";
	}
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] <= ' ' || line.ptr[i] > '~') {
			return "its target has characters that no URL has";
		}
	}
	out->tunnel = out->method.len == 7 && memcmp(out->method.ptr, "CONNECT", 7) == 0;
	const char *fault = read_fields(head, out);
	return fault ? fault : out->tunnel ? read_tunnel(line, out) : read_url(line, out);
}

/* Fields that are for us, or that we write ourselves. */
static bool stays_here(assay_str name)
{
	static const char *const names[] = {"host",       "connection", "proxy-connection",
					    "keep-alive", "upgrade",    "proxy-authorization",
					    "te",         "trailer"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i]) == name.len && strncasecmp(names[i], name.ptr, name.len) == 0) {
			return true;
		}
	}
	return false;
}

typedef struct writing {
	char *out;
	size_t n, cap; /* n beyond cap: there was no room */
} writing;

static void put(writing *w, assay_str s)
{
	if (w->n <= w->cap && s.len <= w->cap - w->n) {
		memcpy(w->out + w->n, s.ptr, s.len);
		w->n += s.len;
	} else {
		w->n = w->cap + 1;
	}
}

size_t as_gate_forward(const as_gate_request *r, char *out, size_t cap)
{
	writing w = {.out = out, .cap = cap};
	as_destination host = r->target;
	char name[AS_DESTINATION_TEXT];
	assay_str rest = r->fields;
	host.port = host.port == 80 ? 0 : host.port;
	as_destination_write(&host, name);
	put(&w, r->method);
	put(&w, r->path.len > 0 && r->path.ptr[0] == '/' ? ASSAY_STR(" ") : ASSAY_STR(" /"));
	put(&w, r->path);
	put(&w, ASSAY_STR(" HTTP/1.1\r\nHost: "));
	put(&w, (assay_str){name, strlen(name)});
	put(&w, ASSAY_STR("\r\nConnection: close\r\n"));
	while (rest.len > 0) {
		assay_str line = cut(&rest, '\n'), after = line;
		if (!stays_here(cut(&after, ':'))) {
			put(&w, line);
			put(&w, ASSAY_STR("\n"));
		}
	}
	put(&w, ASSAY_STR("\r\n"));
	return w.n <= cap ? w.n : 0;
}
