#include "core/base/called.h"

#include "core/base/error.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define STACK_BYTES 32768 /* frames of signals have up to 12 KiB, where processors have many registers */

static _Thread_local as_called now;

/* A sanitizer's runtime brings a stack of its own, and would take ours for that one. */
static void give_stack(void)
{
	static _Thread_local unsigned char bytes[STACK_BYTES];
	static _Thread_local bool done;
	const stack_t ours = {.ss_sp = bytes, .ss_size = sizeof bytes};
	stack_t theirs;
	if (!done && sigaltstack(NULL, &theirs) == 0 && (theirs.ss_flags & SS_DISABLE)) {
		(void)sigaltstack(&ours, NULL); /* without it, an overflow is silent */
	}
	done = true;
}

as_called as_called_enter(const char *use, const char *operation)
{
	as_called before = now;
	give_stack();
	now = (as_called){use, operation};
	return before;
}

void as_called_leave(as_called before)
{
	now = before;
}

as_called as_called_now(void)
{
	return now;
}

int as_called_status(int rc, assay_error *err)
{
	if (rc > 0 || rc < ASSAY_EUNREACH) {
		as_error_clear(err); /* what it says of a status that is none has no meaning */
		as_fail(err, ASSAY_EPLUGIN, "its operation %s answered %d, expected 0 or a negative ASSAY_E code",
			now.operation, rc);
		as_error_hint(err, "\"assay plugins check %s\" tells more", now.use);
		rc = ASSAY_EPLUGIN;
	} else if (rc < 0 && err && err->code == 0) {
		as_fail(err, rc, "its operation %s failed (%s) and does not say why", now.operation, as_error_name(rc));
	} else {
		return rc;
	}
	as_error_where(err, now.use, 0);
	return rc;
}

int as_called_end(as_called before, int rc, assay_error *err)
{
	rc = as_called_status(rc, err);
	if (rc == ASSAY_EINVAL) {
		rc = ASSAY_EPLUGIN;
		if (err && err->code == ASSAY_EINVAL) {
			err->code = rc;
		}
	}
	as_called_leave(before);
	return rc;
}
