/* Lines over two descriptors, as the server side reads and writes them. Thread: a reader belongs to one thread. */
#ifndef AS_MCP_LINES_H
#define AS_MCP_LINES_H

#include "core/base/memory.h"
#include <signal.h>

/* Set fd and max, zero the rest. */
typedef struct as_line_reader {
	int fd;
	size_t max; /* bytes of one line */
	as_buf buf;
	size_t start, scanned; /* the line being read starts at start and has no newline before scanned */
	bool skipping;         /* inside a line that was too long */
	bool ended;
} as_line_reader;

/* The next line without its newline, borrowed until the next call; what stands behind the last newline is a line too.
 * *overlong: there was a line, too long to keep. ASSAY_ENOENT at the end (err untouched), ASSAY_EIO, ASSAY_ENOMEM. */
int as_line_next(as_line_reader *r, assay_str *line, bool *overlong, assay_error *err);
void as_line_free(as_line_reader *r);

/* Between these two, a reader that has left is an error code in the calling thread, not the end of the program. */
void as_line_hold_signal(sigset_t *before);
void as_line_release_signal(const sigset_t *before);

/* Write all bytes, in one write(2) when the descriptor takes them. ASSAY_EUNREACH when nobody reads any more. */
int as_line_send(int fd, assay_str bytes, assay_error *err);

#endif
