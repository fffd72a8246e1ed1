/* Filling and passing on assay_error (sdk/assay/types.h). All functions accept a NULL err. Thread: any. */
#ifndef AS_ERROR_H
#define AS_ERROR_H

#include <assay/host.h>
#include <assay/types.h>
#include <stdarg.h>

/* Fill err with code and message and return code. The first message written stays: a caller further up adds context
 * with as_error_where and friends. Text that does not fit is cut at a character's end. */
int as_fail(assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(3, 4);
int as_failv(assay_error *err, int code, const char *format, va_list args) ASSAY_PRINTF(3, 0);

/* ASSAY_EIO (ENOENT: ASSAY_ENOENT) from errno value `number`: "cannot WHAT: REASON", where = path. */
int as_fail_errno(assay_error *err, int number, const char *path, const char *what);

/* ASSAY_ENOMEM. */
int as_fail_memory(assay_error *err);

/* Add context where there is none yet. Only for errors: they answer err->code (ASSAY_EINTERNAL for NULL), so that they
 * can end a return statement. */
int as_error_where(assay_error *err, const char *where, uint32_t line);
int as_error_pointer(assay_error *err, const char *format, ...) ASSAY_PRINTF(2, 3); /* put before an existing pointer */
int as_error_hint(assay_error *err, const char *format, ...) ASSAY_PRINTF(2, 3);

void as_error_clear(assay_error *err);

/* "where:line: pointer: message (hint)" without control characters, cut to size; for terminals and logs. */
void as_error_format(const assay_error *err, char *out, size_t size);

/* "EDATA" for ASSAY_EDATA, and so on. */
const char *as_error_name(int code);

#endif
