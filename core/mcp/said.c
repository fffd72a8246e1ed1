/* What a server has said on stderr before it failed: of many lines the one that tells why. */
#include "core/mcp/wire.h"

#include "core/base/called.h"
#include "core/base/text.h"
#include <string.h>

/* The last line of a text, without what surrounds it; *text gets what stands before. */
static assay_str take_last(assay_str *text)
{
	size_t begin = text->len;
	assay_str line;
	while (begin > 0 && text->ptr[begin - 1] != '\n') {
		begin--;
	}
	line = (assay_str){text->ptr + begin, text->len - begin};
	text->len = begin > 0 ? begin - 1 : 0;
	return line;
}

/* Lines of Node and npm that tell nothing of the reason: where in a program it was, its version, the log's name. */
static bool is_chaff(assay_str line)
{
	static const char *const begins[] = {"at ",
					     "Node.js v",
					     "npm notice",
					     "npm error A complete log",
					     "npm ERR! A complete log",
					     "npm error code ",
					     "npm ERR! code ",
					     "npm error syscall ",
					     "npm error path ",
					     "npm error errno ",
					     "npm error dest "};
	bool words = false;
	for (size_t i = 0; i < line.len && !words; i++) {
		words = strchr("{}[]()^~,; \t\r", line.ptr[i]) == NULL;
	}
	for (size_t i = 0; i < sizeof begins / sizeof *begins && words; i++) {
		words = !as_str_starts(line, as_str(begins[i]));
	}
	return !words;
}

/* "Error: ...", "TypeError [CODE]: ...", "ERROR: ...", "fatal error", "panic: ..." */
static bool is_reason(assay_str line)
{
	as_buf low = {0};
	bool is;
	as_lower(&low, (assay_str){line.ptr, line.len < AS_WIRE_SAID ? line.len : AS_WIRE_SAID});
	is = as_str_contains(as_buf_str(&low), ASSAY_STR("error")) ||
	     as_str_contains(as_buf_str(&low), ASSAY_STR("exception")) ||
	     as_str_contains(as_buf_str(&low), ASSAY_STR("panic"));
	as_buf_free(&low);
	return is;
}

/* The last line, as a rule. When that tells nothing, the last before it that speaks of an error, and of npm's, which
 * all do, the first: "npm error 404 Not Found" stands before what could be done about it. */
static assay_str telling_line(assay_str text)
{
	assay_str last = as_trim(take_last(&text)), best = last;
	bool found = false, npm = false;
	if (!is_chaff(last)) {
		return last;
	}
	while (text.len > 0 && (!found || npm)) {
		assay_str line = as_trim(take_last(&text));
		bool ours = as_str_starts(line, ASSAY_STR("npm e")) || as_str_starts(line, ASSAY_STR("npm E"));
		if (npm && !ours) {
			break;
		}
		if (is_chaff(line)) {
			continue;
		}
		best = best.ptr == last.ptr ? line
					    : best; /* the last that is a line at all, for want of a better one */
		if (ours || is_reason(line)) {
			npm = ours;
			found = true;
			best = line;
		}
	}
	return best;
}

/* All that is kept, line by line, for who wants to know. */
static void log_all(const as_wire *w, assay_str text)
{
	while (text.len > 0 && as_log_on(w->log, w->server_id, ASSAY_LOG_INFO)) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end ? (size_t)(end - text.ptr) : text.len;
		as_log_put(w->log, w->server_id, ASSAY_LOG_INFO, "stderr: %.*s", (int)(n < 2000 ? n : 2000), text.ptr);
		text.ptr += n + (end != NULL);
		text.len -= n + (end != NULL);
	}
}

void as_wire_said(const as_wire *w, as_buf *out)
{
	assay_text text = {0};
	as_buf clean = {0};
	assay_str all, s;
	int rc;

	if (!w->ops->diagnostics) {
		return;
	}
	as_called before = as_called_enter(w->use, "diagnostics");
	rc = w->ops->diagnostics(w->transport, &text, NULL);
	as_called_leave(before);
	if (rc) {
		return;
	}
	as_buf_add(&clean, as_text_str(text));
	as_redact(w->redactor, &clean); /* before it is cut */
	log_all(w, as_trim(as_buf_str(&clean)));
	all = as_trim(as_buf_str(&clean));
	s = telling_line(all);
	if (s.len > AS_WIRE_SAID && s.ptr + s.len == all.ptr + all.len) { /* of what it said last, the end */
		s = (assay_str){s.ptr + s.len - AS_WIRE_SAID, AS_WIRE_SAID};
		while (s.len > 0 && ((unsigned char)s.ptr[0] & 0xC0u) == 0x80u) {
			s = (assay_str){s.ptr + 1, s.len - 1};
		}
		s = as_trim(s);
	}
	s.len = as_utf8_prefix(s, AS_WIRE_SAID);
	if (s.len > 0) {
		as_buf_puts(out, " (stderr: ");
		as_printable(out, s);
		as_buf_byte(out, ')');
	}
	as_buf_free(&clean);
	as_text_free(&text);
}
