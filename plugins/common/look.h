/* Calls of tools by those who look around on the servers before there is a task. Thread: that of the call. */
#ifndef PLUGINS_COMMON_LOOK_H
#define PLUGINS_COMMON_LOOK_H

#include <assay/host.h>
#include <stdbool.h>

/* A tool that failed is passed over. Does this failure end the whole operation instead? Nothing can follow when it was
 * cancelled, memory or its own time is out; that one call had no answer in time is the tool's affair. */
static inline bool look_ends_all(const assay_host *host, const assay_call *call, int rc)
{
	return rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM || rc == ASSAY_EINTERNAL ||
	       (rc == ASSAY_ETIMEOUT && host->remaining_ms(call) <= 0);
}

#endif
