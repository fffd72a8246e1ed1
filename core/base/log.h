/* Log lines on stderr. Thread: a log may be shared. */
#ifndef AS_LOG_H
#define AS_LOG_H

#include "core/base/redact.h"
#include <stdio.h>

typedef struct as_log as_log;
/* levels: "info" or "loader:debug,llm:trace" (ASSAY_LOG); NULL: warnings and errors. colour and timestamps are the
 * caller's to decide. */
int as_log_new(FILE *stream, const char *levels, as_log **out, assay_error *err);
void as_log_free(as_log *log);
/* What every line is cleaned by; borrowed, NULL: nothing. Set while no other thread uses the log. A NULL log is fine.
 */
void as_log_set_redactor(as_log *log, as_redactor *redactor);
/* A rule names a component, or what comes before the "/" of one ("llm" is every "llm/..."). Is each of them one of the
 * names, or behind one and a "/"? ASSAY_EINVAL with the names. A NULL log is fine. */
int as_log_check(const as_log *log, const char *const *names, size_t n, assay_error *err);
bool as_log_on(const as_log *log, const char *component, int level); /* false for NULL */
void as_log_put(as_log *log, const char *component, int level, const char *format, ...) ASSAY_PRINTF(4, 5);
void as_log_putv(as_log *log, const char *component, int level, const char *format, va_list args) ASSAY_PRINTF(4, 0);
/* Nothing when the log has said it already, in the same words: several instances of a plugin find the same thing. */
void as_log_put_once(as_log *log, const char *component, int level, const char *format, va_list args)
	ASSAY_PRINTF(4, 0);

#endif
