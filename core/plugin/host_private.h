/* The parts that the host table is put together from. */
#ifndef AS_HOST_PRIVATE_H
#define AS_HOST_PRIVATE_H

#include "core/plugin/call.h"
#include <assay/command.h>
#include <assay/structured.h>
#include <assay/variables.h>

extern const assay_text_api as_host_text;
extern const assay_embed_api as_host_embed;
extern const assay_process_api as_host_process;
extern const assay_file_api as_host_file;
extern const assay_http_api as_host_http;

/* The public struct is the first member of ours, and only the core makes calls. */
static inline as_call *as_call_of(assay_call *call)
{
	return (as_call *)call;
}
static inline const as_call *as_call_of_const(const assay_call *call)
{
	return (const as_call *)call;
}

/* "text with ${NAME}" with the values of variables, where the call has any; else `text` itself. NULL and an error when
 * one is not set or memory is out. The answer is the arena's or the caller's own. */
const char *as_host_expand(const as_call *call, as_arena *arena, const char *text, assay_error *err);
/* The same for a NULL-terminated list. */
const char *const *as_host_expand_list(const as_call *call, as_arena *arena, const char *const *list, assay_error *err);
extern const assay_variables_api as_host_variables;
extern const assay_command_api as_host_command;
extern const assay_structured_api as_host_structured;

/* ASSAY_ENOTSUP: this operation has no use for `service`. */
int as_host_no_service(const char *service, assay_error *err);

/* ASSAY_ECANCELED or ASSAY_ETIMEOUT when the call should be over, else 0. */
int as_host_may_go_on(const as_call *call, assay_error *err);

/* The sooner of the call's deadline and `timeout_ms` from now. */
int64_t as_host_deadline(const as_call *call, int64_t timeout_ms);

#endif
