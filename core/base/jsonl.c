#include "core/base/error.h"
#include "core/base/json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)64 << 10)

struct as_jsonl {
	int fd;
	char *path;
	size_t max_line;
	as_buf buf;      /* what was read and not yet given out, from `start` on */
	size_t start;    /* the next line */
	size_t searched; /* no line feed between start and here */
	uint64_t offset; /* of start in the file */
	uint32_t number; /* of the last line given out */
	bool ended;
};

int as_jsonl_open(const char *path, size_t max_line, as_jsonl **out, assay_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	as_jsonl *r = as_new(1, sizeof *r);
	*out = NULL;
	if (!r) {
		return as_fail_memory(err);
	}
	r->fd = STDIN_FILENO;
	r->max_line = max_line ? max_line : AS_JSON_MAX_BYTES;
	r->path = as_strdup(standard ? "standard input" : path);
	if (!r->path) {
		as_jsonl_close(r);
		return as_fail_memory(err);
	}
	if (!standard) {
		r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (r->fd < 0) {
		int number = errno;
		as_jsonl_close(r);
		return as_fail_errno(err, number, path, "open");
	}
	*out = r;
	return 0;
}

void as_jsonl_close(as_jsonl *r)
{
	if (!r) {
		return;
	}
	if (r->fd > STDIN_FILENO) {
		close(r->fd);
	}
	as_buf_free(&r->buf);
	free(r->path);
	free(r);
}

/* Read some more behind what is there; sets ended at the end. */
static int fill(as_jsonl *r, assay_error *err)
{
	if (r->start > 0) {
		size_t left = r->buf.len - r->start;
		memmove(r->buf.ptr, r->buf.ptr + r->start, left);
		r->buf.len = left;
		r->searched -= r->start;
		r->start = 0;
	}
	if (!as_buf_reserve(&r->buf, CHUNK)) {
		return as_fail_memory(err);
	}
	for (;;) {
		ssize_t n = read(r->fd, r->buf.ptr + r->buf.len, CHUNK);
		if (n >= 0) {
			r->buf.len += (size_t)n;
			r->ended = n == 0;
			return 0;
		}
		if (errno != EINTR) {
			return as_fail_errno(err, errno, r->path, "read");
		}
	}
}

/* Drop the bytes before `end`, which is a place in the buffer. */
static void advance(as_jsonl *r, size_t end)
{
	r->offset += end - r->start;
	r->start = end;
	r->searched = end;
}

/* Find the end of the next line. 1: there is one, [start, *end), which next_start follows. 0: end of the file. */
static int find_line(as_jsonl *r, size_t *end, size_t *next_start, bool *too_long, assay_error *err)
{
	*too_long = false;
	for (;;) {
		const char *feed = NULL;
		if (r->buf.len > r->searched) {
			feed = memchr(r->buf.ptr + r->searched, '\n', r->buf.len - r->searched);
		}
		*end = feed ? (size_t)(feed - r->buf.ptr) : r->buf.len;
		*next_start = feed ? *end + 1 : *end;
		*too_long = *too_long || *end - r->start > r->max_line;
		if (feed || (r->ended && (*end > r->start || *too_long))) {
			return 1;
		}
		if (r->ended) {
			return 0;
		}
		r->searched = r->buf.len;
		if (*too_long) {
			advance(r, r->buf.len); /* what will not be used is not kept */
		}
		int rc = fill(r, err);
		if (rc < 0) {
			return rc;
		}
	}
}

static bool is_blank(assay_str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr(" \t\r", line.ptr[i]) || line.ptr[i] == '\0') {
			return false;
		}
	}
	return true;
}

int as_jsonl_next(as_jsonl *r, assay_str *line, uint32_t *number, uint64_t *offset, assay_error *err)
{
	size_t end, next_start;
	bool too_long;
	*line = (assay_str){"", 0};
	for (;;) {
		uint64_t begin = r->offset;
		int rc = find_line(r, &end, &next_start, &too_long, err);
		if (rc <= 0) {
			return rc < 0 ? rc : ASSAY_ENOENT;
		}
		assay_str text = {r->buf.ptr + r->start, end - r->start};
		advance(r, next_start);
		r->number++;
		*number = r->number;
		*offset = begin;
		if (too_long) {
			if (err && err->code == 0) {
				as_fail(err, ASSAY_ELIMIT, "line is longer than %zu bytes", r->max_line);
				err->detail = (int64_t)begin;
				as_error_where(err, r->path, r->number);
			}
			return ASSAY_ELIMIT;
		}
		if (text.len > 0 && text.ptr[text.len - 1] == '\r') {
			text.len--;
		}
		if (!is_blank(text)) {
			*line = text;
			return 0;
		}
	}
}

int as_jsonl_next_value(as_jsonl *r, uint32_t profile, assay_json **out, uint32_t *number, uint64_t *offset,
			assay_error *err)
{
	assay_str line;
	uint32_t at_line = 0;
	uint64_t at = 0;
	bool fresh = err && err->code == 0;
	as_json_limits limits = {.max_bytes = r->max_line};
	*out = NULL;
	int rc = as_jsonl_next(r, &line, &at_line, &at, err);
	if (rc == 0) {
		rc = as_json_parse_with(line, profile, &limits, NULL, out, err);
		if (rc < 0 && fresh) {
			/* The parser counts within the line. */
			err->line = at_line;
			err->detail += (int64_t)at;
			as_error_where(err, r->path, 0);
		}
	}
	if (number) {
		*number = at_line;
	}
	if (offset) {
		*offset = at;
	}
	return rc;
}
