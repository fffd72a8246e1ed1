/* Starting a child process: the part of process.c that runs between fork and exec. Thread: any. */
#ifndef AS_SPAWN_H
#define AS_SPAWN_H

#include "core/base/memory.h"
#include <sys/types.h>

typedef struct as_spawn {
	const char *const *argv; /* argv[0] without a slash is looked up in PATH of env */
	const char *const *env;
	const char *cwd; /* NULL: ours */
	int fds[3];      /* become its descriptors 0-2; each is above 2, or one of ours 0-2 that stays in place */
	int lifeline;    /* of the keeper (keeper.h); above 2 */
} as_spawn;

/* Start the keeper, and through it the command; *pid is the keeper's. The command leads a new process group, has
 * default signal handling and nothing open but 0-2. Returns when exec succeeded. ASSAY_ENOENT: no such command (where =
 * argv[0]) or folder (where = cwd); ASSAY_EIO otherwise. */
int as_spawn_child(const as_spawn *s, pid_t *pid, assay_error *err);

/* Set close-on-exec and make sure that fd is above 2 (else it is closed and a copy returned); -1 and errno on failure.
 */
int as_spawn_lift(int fd);

#endif
