/* Assay SDK, role environment: a server's state before, during and after an attempt. */
#ifndef ASSAY_ROLES_ENVIRONMENT_H
#define ASSAY_ROLES_ENVIRONMENT_H

#include <assay/plugin.h>

typedef struct assay_environment_ops {
	ASSAY_OPS_HEAD;
	/* Make a fresh state below `workdir` (exists, empty, private to this attempt) and emit one object of bindings,
	 * such as {"dir": "/path"}: launch records use them as ${env:NAME.dir}. *state is handed to the others. Cleanup
	 * follows in any case, also after a failure, with the *state that was set until then. */
	int (*prepare)(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
		       assay_error *err);
	int (*cleanup)(void *self, assay_call *call, void *state, assay_error *err);
	/* Optional: a hex digest (1 to 64 characters) of what the state holds: equal states, equal digests, whatever
	 * lies behind them; what a server keeps of no consequence (times, free pages, logs of a database) is better
	 * left out. Servers may be running, but none is answering a call. */
	int (*digest)(void *self, assay_call *call, void *state, char out[65], assay_error *err);
	/* Optional, both or none: keep a copy of the state under `name` ([a-z0-9_-], at most 32), in place of an
	 * earlier one of that name, and put it back, any number of times. No server runs meanwhile; the copies go when
	 * the state does. They may lie beside workdir, as WORKDIR~NAME.
	 *
	 * ASSAY_ENOTSUP from any of the three: this state has none, as if the operation were left out. */
	int (*snapshot)(void *self, assay_call *call, void *state, const char *name, assay_error *err);
	int (*restore)(void *self, assay_call *call, void *state, const char *name, assay_error *err);
} assay_environment_ops; /* required: prepare, cleanup */

#endif
