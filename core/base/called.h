/* Where a thread is: in which operation of which plugin. It is what can still be told when a plugin crashes or ends the
 * program (core/cli/endings.c), and it names the operation whose answer is no status code. Thread: each has its own. */
#ifndef AS_CALLED_H
#define AS_CALLED_H

#include <assay/types.h>

typedef struct as_called {
	const char *use;       /* "scorer/effects"; NULL: in no plugin */
	const char *operation; /* "score" */
} as_called;

/* The thread enters an operation, by the two texts, which must last until it leaves. Answers where it was: operations
 * use services that call other plugins. */
as_called as_called_enter(const char *use, const char *operation);
/* Back to where it was. */
void as_called_leave(as_called before);
as_called as_called_now(void); /* in handlers of signals, too */

/* Of all threads, as far as there is room for them; in handlers of signals, too.
 * Whose operation has neither ended nor called anything for longest, and for how long; NULL: none for least_ms. */
as_called as_called_stuck(int64_t least_ms, int64_t *ms);
/* The operation that was entered last, then others that are under way; how many, at most n. */
size_t as_called_recent(as_called *out, size_t n);
/* Before texts are freed that operations were entered by: the one entered last is remembered after it was left. */
void as_called_forget(void);

/* Lends the thread a stack for the handlers of signals, so that one is left when a plugin has used all of the thread's
 * own: an array in the first frame of the thread, which costs nothing while nobody writes to it. One that the thread
 * has already stays. */
#define AS_CALLED_STACK 32768 /* frames of signals have up to 12 KiB, where processors have many registers */
void as_called_lend(void *bytes, size_t size);

/* The status that the operation under way has answered, held to the contract: ASSAY_EPLUGIN in words for what is no
 * status code, words for a failure that comes without any. Otherwise rc. */
int as_called_status(int rc, assay_error *err);
/* Both at the end of an operation. ASSAY_EINVAL becomes ASSAY_EPLUGIN, for between the program and a plugin nothing
 * that is asked is the user's wrong usage; unless a peer said it (ASSAY_ERR_PEER): a provider that refuses a request.
 */
int as_called_end(as_called before, int rc, assay_error *err);

#endif
