#include "core/base/called.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PLACES 256u /* threads that others can see; those beyond them are not shown */

static _Thread_local as_called now;

/* What a handler of signals can see of other threads. It is for words to people: the parts of a place may be read while
 * another operation takes it. */
typedef struct place {
	atomic_bool taken;
	_Atomic(const char *) use, operation;
	_Atomic(int64_t) since_ms;
} place;

static place places[PLACES];
static _Atomic(const char *) last_use, last_operation;
static _Thread_local place *mine; /* while the thread is in an operation */

static void take_place(void)
{
	for (size_t i = 0; i < PLACES && !mine; i++) {
		if (!atomic_exchange(&places[i].taken, true)) {
			mine = &places[i];
		}
	}
}

/* Before every operation: without the order among all stores that atomic_store has, which takes a full barrier each. */
#define PUT(to, value) atomic_store_explicit(&(to), (value), memory_order_release)

static void show(as_called at)
{
	if (mine && at.use) {
		PUT(mine->since_ms, as_now_ms());
		PUT(mine->operation, at.operation);
		PUT(mine->use, at.use);
	} else if (mine) {
		PUT(mine->use, NULL);
		PUT(mine->taken, false);
		mine = NULL;
	}
}

as_called as_called_stuck(int64_t least_ms, int64_t *ms)
{
	as_called found = {NULL, NULL};
	int64_t at = as_now_ms();
	*ms = least_ms;
	for (size_t i = 0; i < PLACES; i++) {
		const char *use = atomic_load(&places[i].use);
		int64_t lasts = at - atomic_load(&places[i].since_ms);
		if (use && lasts >= *ms) {
			found = (as_called){use, atomic_load(&places[i].operation)};
			*ms = lasts;
		}
	}
	return found;
}

void as_called_forget(void)
{
	atomic_store(&last_use, NULL);
}

size_t as_called_recent(as_called *out, size_t n)
{
	const as_called last = {atomic_load(&last_use), atomic_load(&last_operation)};
	size_t found = 0;
	if (last.use && n > 0) {
		out[found++] = last;
	}
	for (size_t i = 0; i < PLACES && found < n; i++) {
		const as_called at = {atomic_load(&places[i].use), atomic_load(&places[i].operation)};
		bool said = !at.use;
		for (size_t k = 0; k < found; k++) {
			said = said || (out[k].use == at.use && out[k].operation == at.operation);
		}
		if (!said) {
			out[found++] = at;
		}
	}
	return found;
}

void as_called_lend(void *bytes, size_t size)
{
	const stack_t ours = {.ss_sp = bytes, .ss_size = size};
	stack_t theirs;
	/* A sanitizer's runtime brings a stack of its own, and would take ours for that one. */
	if (sigaltstack(NULL, &theirs) == 0 && (theirs.ss_flags & SS_DISABLE)) {
		(void)sigaltstack(&ours, NULL); /* without it, an overflow is silent */
	}
}

as_called as_called_enter(const char *use, const char *operation)
{
	as_called before = now;
	now = (as_called){use, operation};
	take_place();
	show(now);
	PUT(last_operation, operation);
	PUT(last_use, use);
	return before;
}

void as_called_leave(as_called before)
{
	now = before;
	show(now);
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
	if (rc == ASSAY_EINVAL && !(err && (err->flags & ASSAY_ERR_PEER))) {
		rc = ASSAY_EPLUGIN;
		if (err && err->code == ASSAY_EINVAL) {
			err->code = rc;
		}
	}
	as_called_leave(before);
	return rc;
}
