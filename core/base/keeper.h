/* What process.c, spawn.c and the keeper of a child process (keeper.c) have agreed upon.
 *
 * The keeper stands between us and each command that we start, and is what makes sure that nothing of the command
 * stays: neither when we stop it, nor when it ends and leaves something running, nor when we are killed and can do
 * nothing. */
#ifndef AS_KEEPER_H
#define AS_KEEPER_H

#define AS_KEEPER_REPORT 3   /* its descriptor to tell why the command cannot be executed: one as_spawn_report */
#define AS_KEEPER_LIFELINE 4 /* orders come in here; its end means that we are gone */

#define AS_KEEPER_PATH "/usr/local/bin:/usr/bin:/bin" /* when the command's environment has none */

#define AS_KEEPER_TERM 't'       /* order: TERM to the command and all that has come of it */
#define AS_KEEPER_KILL 'k'       /* order: KILL, until none of it is left */
#define AS_KEEPER_GRACE_MS 500   /* between TERM and KILL without an order: what the command left behind, or we did */
#define AS_KEEPER_KILLED_MS 5000 /* a killed process that is not gone after this hangs in the kernel: leave it */

enum as_spawn_stage { AS_SPAWN_DESCRIPTORS, AS_SPAWN_FOLDER, AS_SPAWN_KEEPER, AS_SPAWN_EXEC };

/* Written at once, being smaller than PIPE_BUF. */
struct as_spawn_report {
	int stage, number; /* number: errno */
};

#endif
