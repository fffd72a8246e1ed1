/* The parts that the host table is put together from. */
#ifndef AS_HOST_PRIVATE_H
#define AS_HOST_PRIVATE_H

#include "core/plugin/call.h"

extern const assay_text_api as_host_text;
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

/* ASSAY_ENOTSUP: this operation has no use for `service`. */
int as_host_no_service(const char *service, assay_error *err);

/* ASSAY_ECANCELED or ASSAY_ETIMEOUT when the call should be over, else 0. */
int as_host_may_go_on(const as_call *call, assay_error *err);

/* The sooner of the call's deadline and `timeout_ms` from now. */
int64_t as_host_deadline(const as_call *call, int64_t timeout_ms);

#endif
