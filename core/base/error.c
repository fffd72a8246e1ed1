#include "core/base/error.h"

#include "core/base/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Length of text without a character that the end cuts in two. */
static size_t whole_characters(const char *text, size_t len)
{
	size_t start = len;
	size_t need = 1;
	while (start > 0 && len - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) {
		start--;
	}
	if (start == 0) {
		return len;
	}
	unsigned char lead = (unsigned char)text[start - 1];
	if (lead >= 0xF0) {
		need = 4;
	} else if (lead >= 0xE0) {
		need = 3;
	} else if (lead >= 0xC0) {
		need = 2;
	}
	return len - (start - 1) < need ? start - 1 : len;
}

static void trim_to_character(char *text)
{
	text[whole_characters(text, strlen(text))] = '\0';
}

/* One line, whatever the texts that go into it hold. */
static void ASSAY_PRINTF(3, 0) print_into(char *out, size_t size, const char *format, va_list args)
{
	if (vsnprintf(out, size, format, args) < 0) {
		out[0] = '\0';
	}
	trim_to_character(out);
	for (char *p = out; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7F) {
			*p = *p == '\n' || *p == '\t' ? ' ' : '?';
		}
	}
}

int as_failv(assay_error *err, int code, const char *format, va_list args)
{
	if (err && err->code == 0) {
		err->code = code;
		print_into(err->message, sizeof err->message, format, args);
	}
	return code;
}

int as_fail(assay_error *err, int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_failv(err, code, format, args);
	va_end(args);
	return code;
}

int as_fail_errno(assay_error *err, int number, const char *path, const char *what)
{
	char reason[128];
	int code = number == ENOENT ? ASSAY_ENOENT : ASSAY_EIO;
	if (err && err->code == 0) {
		if (strerror_r(number, reason, sizeof reason) != 0) {
			snprintf(reason, sizeof reason, "error %d", number);
		}
		as_fail(err, code, "cannot %s: %s", what, reason);
		err->detail = number;
		as_error_where(err, path, 0);
	}
	return code;
}

int as_fail_memory(assay_error *err)
{
	return as_fail(err, ASSAY_ENOMEM, "out of memory");
}

int as_error_where(assay_error *err, const char *where, uint32_t line)
{
	if (!err) {
		return ASSAY_EINTERNAL;
	}
	if (where && err->where[0] == '\0') {
		snprintf(err->where, sizeof err->where, "%s", where);
		trim_to_character(err->where);
	} else if (where && strcmp(where, err->where) != 0) {
		return err->code; /* a line of another file than the one that is named */
	}
	if (err->line == 0) {
		err->line = line;
	}
	return err->code;
}

int as_error_pointer(assay_error *err, const char *format, ...)
{
	char joined[sizeof err->pointer];
	va_list args;
	if (!err) {
		return ASSAY_EINTERNAL;
	}
	va_start(args, format);
	print_into(joined, sizeof joined, format, args);
	va_end(args);
	size_t n = strlen(joined);
	snprintf(joined + n, sizeof joined - n, "%s", err->pointer);
	trim_to_character(joined);
	memcpy(err->pointer, joined, strlen(joined) + 1);
	return err->code;
}

int as_error_hint(assay_error *err, const char *format, ...)
{
	va_list args;
	if (!err) {
		return ASSAY_EINTERNAL;
	}
	if (err->hint[0] == '\0') {
		va_start(args, format);
		print_into(err->hint, sizeof err->hint, format, args);
		va_end(args);
	}
	return err->code;
}

void as_error_clear(assay_error *err)
{
	if (err) {
		memset(err, 0, sizeof *err);
	}
}

struct line {
	char *out;
	size_t size, len;
};

/* Would it move a terminal's cursor, turn the direction of text or fake a second line? */
static bool steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
	       (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || c == 0xFFFD;
}

/* Not as_printable: an error is shown when memory is out, too. */
static void line_add(struct line *line, const char *text)
{
	assay_str s = as_str(text);
	for (size_t i = 0; i < s.len;) {
		char bytes[4];
		uint32_t c = as_utf8_next(s, &i);
		if (c == '\n' || c == '\t' || c == '\r') {
			c = ' ';
		} else if (steers(c)) {
			c = '?';
		}
		size_t n = as_utf8_put(bytes, c);
		if (line->len + n >= line->size) {
			break;
		}
		memcpy(line->out + line->len, bytes, n);
		line->len += n;
	}
	line->out[line->len] = '\0';
}

void as_error_format(const assay_error *err, char *out, size_t size)
{
	struct line line = {out, size, 0};
	char number[16];
	if (size == 0) {
		return;
	}
	out[0] = '\0';
	if (!err) {
		return;
	}
	line_add(&line, err->where);
	if (err->line > 0) {
		snprintf(number, sizeof number, "%s%u", err->where[0] ? ":" : "line ", (unsigned)err->line);
		line_add(&line, number);
	}
	line_add(&line, line.len > 0 ? ": " : "");
	line_add(&line, err->pointer);
	line_add(&line, err->pointer[0] ? ": " : "");
	line_add(&line, err->message[0] ? err->message : as_error_name(err->code));
	if (err->hint[0]) {
		line_add(&line, " (");
		line_add(&line, err->hint);
		line_add(&line, ")");
	}
}

const char *as_error_name(int code)
{
	static const char *const names[] = {"OK",      "EINVAL",    "ENOMEM",  "ENOENT",   "EIO",       "EDATA",
					    "EPROTO",  "EAUTH",     "ELIMIT",  "ETIMEOUT", "ECANCELED", "EAGAIN",
					    "ENOTSUP", "EINTERNAL", "EPLUGIN", "EUNREACH"};
	const int count = (int)(sizeof names / sizeof *names);
	if (code == ASSAY_STOP) {
		return "STOP";
	}
	return code <= 0 && code > -count ? names[-code] : "unknown error";
}
