/* The one process spawner. A child gets its own process group, only the descriptors 0-2, and only the environment that
 * it is given. Whatever it starts in turn, in whatever session, ends with it, and it ends with us, however we end: each
 * child has a keeper (core/base/keeper.c), a small program that lies in ASSAY_LIB_DIR, or else in $(pkglibdir).
 * Thread: a process object is used by one thread at a time. */
#ifndef AS_PROCESS_H
#define AS_PROCESS_H

#include "core/base/clock.h"

typedef struct as_process as_process;

#define AS_PROCESS_STDIN 1u    /* a pipe to its stdin (else /dev/null) */
#define AS_PROCESS_STDOUT 2u   /* a pipe from its stdout (else /dev/null) */
#define AS_PROCESS_STDERR 4u   /* keep the end of its stderr (else /dev/null) */
#define AS_PROCESS_PASS_OUT 8u /* its stdout goes to our stderr */

typedef struct as_process_spec {
	const char *const *argv; /* NULL-terminated; argv[0] without a slash is looked up in PATH of `env` */
	const char *const *env;  /* NULL-terminated, complete; NULL: the allow-list of as_process_env */
	const char *cwd;         /* NULL: ours */
	uint32_t flags;
	size_t stderr_keep; /* bytes of stderr kept; 0: 16 KiB */
} as_process_spec;

/* ASSAY_ENOENT: no such command (where = argv[0]) or folder (where = cwd); ASSAY_EIO otherwise. exec failures are
 * reported here. The child starts with default signal handling. SIGPIPE of writes to it is dealt with, whatever the
 * program does with that signal when this is called; SIGCHLD must not be ignored. */
int as_process_spawn(const as_process_spec *spec, as_process **out, assay_error *err);

int as_process_pid(const as_process *p); /* its keeper's */
/* Write all bytes, reading its output meanwhile so that neither side blocks for ever. ASSAY_EUNREACH when it has ended
 * or closed its input, ASSAY_ELIMIT when it printed more than 32 MiB meanwhile. */
int as_process_write(as_process *p, assay_str bytes, int64_t deadline_ms, const as_cancel *cancel, assay_error *err);
/* Some bytes of its stdout. *n = 0 at its end: nobody holds the pipe any more, or the process has ended and the pipe is
 * empty (a relative of it may hold it open). ASSAY_ETIMEOUT, ASSAY_ECANCELED. Drains stderr while waiting. */
int as_process_read(as_process *p, char *buf, size_t cap, int64_t deadline_ms, const as_cancel *cancel, size_t *n,
		    assay_error *err);
assay_str as_process_stderr(as_process *p); /* what is kept of it; borrowed until the next call */
void as_process_close_stdin(as_process *p);
/* Wait for its end: what it left behind has been ended, too (TERM, half a second, KILL). status: exit code, or 128 +
 * signal. ASSAY_ETIMEOUT, ASSAY_ECANCELED. Drains stderr meanwhile, and throws away stdout. */
int as_process_wait(as_process *p, int64_t deadline_ms, const as_cancel *cancel, int *status, assay_error *err);
/* A status in words: "exited with status 3", "was killed by SIGSEGV". */
void as_process_say_status(as_buf *out, int status);
const char *as_signal_name(int number); /* "SIGSEGV"; NULL for one that ends nothing */
/* Close stdin, wait grace_ms, TERM to it and all that has come of it, wait grace_ms, KILL, reap, free. NULL is fine.
 * Returns at once when the process has ended. */
void as_process_stop(as_process *p, int64_t grace_ms);

/* Run to the end, collecting stdout (at most max bytes; ASSAY_ELIMIT). Input that it does not read is no error. *status
 * as above. Whatever happens, the process and all that came of it are gone afterwards. */
int as_process_run(const as_process_spec *spec, assay_str input, size_t max, int64_t deadline_ms,
		   const as_cancel *cancel, assay_text *out, int *status, assay_error *err);

/* Where a command would be found: the file that NAME stands for in `path` (colon-separated; NULL or "": the default),
 * or NAME itself when it holds a slash. Nothing is added to `out` when there is no such program. */
void as_process_find(const char *name, const char *path, as_buf *out);

/* The file of a program that only we start, such as the keeper. Appends to out. */
void as_process_own(const char *name, as_buf *out);

/* The environment children get: PATH HOME USER LOGNAME LANG LC_* TZ TMPDIR TERM SHELL of ours, then `extra`
 * ("NAME=value", NULL-terminated, NULL: none), which win. NULL-terminated array in the arena; NULL: no memory. */
const char *const *as_process_env(as_arena *a, const char *const *extra);

#endif
