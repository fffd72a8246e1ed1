/* The store: one SQLite file (WAL) that holds everything a run knows; stages read rows and write rows. The only code
 * that speaks SQL. Documented views for users: v_tasks, v_attempts, v_verdicts, v_leaderboard, v_funnel, v_timing.
 *
 * The views, and what their columns mean, are described in schema.c.
 *
 * Every put is one transaction, committed when it returns: kill -9 afterwards loses nothing of it (but see group).
 * Putting a row that is there already (same key) replaces it unless said otherwise. Bodies are compact JSON text; they
 * are stored as they are, and only their size is checked (ASSAY_ELIMIT). Text is ordered by its bytes. Wall-clock
 * values live in the table `timing` only.
 *
 * Errors: ASSAY_ENOENT (no such file), ASSAY_EDATA (not our file, a newer schema, damaged), ASSAY_EIO (disk full,
 * permissions), ASSAY_EAGAIN (another process is writing for longer than 10 s), ASSAY_EINVAL (a put into a store that
 * is open for reading); where = path. A process should ignore SIGXFSZ, so that a file size limit is an error, too.
 *
 * Thread: a store may be used by several threads; calls are serialised inside. Text handed to callbacks is borrowed for
 * the call; callbacks must not call the store (ASSAY_EINVAL), nor wait for a thread that does. A callback's non-zero
 * answer ends the listing (ASSAY_STOP: as success). */
#ifndef AS_STORE_H
#define AS_STORE_H

#include "core/base/json.h"

typedef struct as_store as_store;
#define AS_STORE_MAX_BODY ((size_t)256 << 20) /* bytes of one body */
#define AS_STORE_MAX_NAME ((size_t)64 << 10)  /* bytes of an id, a name, a state */
#define AS_STORE_MAX_VERDICTS 1000            /* of one try */

#define AS_STORE_CREATE 1u    /* make the file when it is missing or empty */
#define AS_STORE_READ_ONLY 2u /* works in a folder that is not writable, too */
int as_store_open(const char *path, uint32_t flags, as_store **out, assay_error *err);
void as_store_close(as_store *s);

/* A run: one expanded manifest and seed. run_id is their hash. */
typedef struct as_run_row {
	assay_str run_id, name, version, manifest;
	uint64_t seed;
	int64_t ordinal; /* set by the store: the latest run is the one with the highest */
} as_run_row;
int as_store_put_run(as_store *s, const as_run_row *row, assay_error *err); /* again: becomes the latest */
typedef int (*as_run_fn)(void *payload, const as_run_row *row, assay_error *err);
int as_store_runs(as_store *s, as_run_fn fn, void *payload, assay_error *err); /* latest first */

/* Servers and plugins that a run used: body by key. kind: "server" or "plugin". Listed by key. */
typedef int (*as_part_fn)(void *payload, assay_str key, assay_str body, assay_error *err);
int as_store_put_part(as_store *s, assay_str run_id, const char *kind, assay_str key, assay_str body, assay_error *err);
int as_store_parts(as_store *s, assay_str run_id, const char *kind, as_part_fn fn, void *payload, assay_error *err);

/* A goal slot of a category and how far it came. Key: run, category, index. state: "written", "empty" (the generator
 * had none), "explored", "unexplored" (no successful call, or the explorer failed), "distilled", "undistilled",
 * "certified", "rejected", "surplus" (its category was full). Listed by (category, index). */
typedef struct as_goal_row {
	assay_str run_id, category;
	int64_t index;
	assay_str goal_id, body; /* body: the goal object, or null */
	assay_str state, reason;
	assay_str trace_id; /* "" until explored */
	assay_str task_id;  /* "" until distilled */
} as_goal_row;
typedef int (*as_goal_fn)(void *payload, const as_goal_row *row, assay_error *err);
int as_store_put_goal(as_store *s, const as_goal_row *row, assay_error *err);
int as_store_goals(as_store *s, assay_str run_id, as_goal_fn fn, void *payload, assay_error *err);

/* Documents by id, shared between runs: kind "trace", "tape". Putting an existing id is a no-op. get: ASSAY_ENOENT. */
int as_store_put_document(as_store *s, const char *kind, assay_str id, assay_str body, assay_error *err);
/* The same for a document that somebody else has named: what stood under that id gives way. */
int as_store_replace_document(as_store *s, const char *kind, assay_str id, assay_str body, assay_error *err);
int as_store_get_document(as_store *s, const char *kind, assay_str id, assay_text *body, assay_error *err);

/* A group of puts, which are seen by others, and survive, all or none: they are committed when it ends with a code of
 * 0, and as if they had never been when it ends with another one, which it gives back, or does not come to its end.
 * They cost a tenth of what they cost alone. Nothing that is paid for belongs into one. */
int as_store_group(as_store *s, assay_error *err);
int as_store_group_end(as_store *s, int code, assay_error *err);

/* Gives back rc, what a reader made of a row. An ASSAY_EDATA without a place gets the row's: "PATH, KIND ID"; the
 * listings of this page do so by themselves, for their callbacks. */
int as_store_row(const as_store *s, int rc, const char *kind, assay_str id, assay_error *err);

/* Tasks. certified tells whether all required gates passed. A run has a task once, and a slot (category, index) holds
 * one task: a put replaces what stood under either key. Listed by (category, index). */
typedef struct as_task_row {
	assay_str run_id, task_id, category;
	int64_t index;
	assay_str body;              /* reference page 1.2 */
	assay_str trace_id, tape_id; /* documents */
	bool certified;
	assay_str certificate; /* array of {"gate","passed","required","evidence"} */
} as_task_row;
typedef int (*as_task_fn)(void *payload, const as_task_row *row, assay_error *err);
int as_store_put_task(as_store *s, const as_task_row *row, assay_error *err);
int as_store_tasks(as_store *s, assay_str run_id, bool certified_only, as_task_fn fn, void *payload, assay_error *err);

/* Attempts with their verdicts: one transaction. Key: run, attempt, try; a void try is kept beside its successor.
 * Listed by (condition, candidate, category and index of the task, task, repeat, try, attempt), attempts on tasks that
 * the run does not have before those on tasks that it has; verdicts in the order in which they were put. */
typedef struct as_verdict_row {
	assay_str scorer;  /* "scorer/effects" */
	assay_str verdict; /* "pass", "fail", "unknown" */
	double lo, hi;
	assay_str body;
} as_verdict_row;
typedef struct as_attempt_row {
	assay_str attempt_id, run_id, task_id, candidate, condition;
	int64_t repeat, try_number;
	assay_str end, end_class; /* design page, "End" */
	bool voided;
	assay_str trace; /* the whole trace document; put with ptr NULL: the one that is there stays */
	const as_verdict_row *verdicts;
	size_t n_verdicts;
} as_attempt_row;
typedef int (*as_attempt_fn)(void *payload, const as_attempt_row *row, assay_error *err);
int as_store_put_attempt(as_store *s, const as_attempt_row *row, assay_error *err);
/* with_traces false leaves row->trace empty (cheap listing). */
int as_store_attempts(as_store *s, assay_str run_id, bool with_traces, as_attempt_fn fn, void *payload,
		      assay_error *err);
/* The try that follows a given one by attempt id and number (empty and 0: the first), with its trace. The store may be
 * written to between two. ASSAY_ENOENT, err untouched, when there is none. */
int as_store_next_attempt(as_store *s, assay_str run_id, assay_str after_id, int64_t after_try, as_attempt_fn fn,
			  void *payload, assay_error *err);
/* Replace the verdicts of one try (re-scoring), in every run that has it. ASSAY_ENOENT when none has. */
int as_store_put_verdicts(as_store *s, assay_str attempt_id, int64_t try_number, const as_verdict_row *rows, size_t n,
			  assay_error *err);

/* Requests to models and embedders with their replies, committed before use. A request is kept as it differs from the
 * one before it (core/llm/chat.c says how). get: ASSAY_ENOENT, err untouched, when there is none. */
typedef struct as_reply_row {
	assay_str attempt_id; /* or what else asked: "goal/random/3" */
	int64_t try_number, ordinal;
	assay_str request_hash, model, request, body;
	int64_t prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens;
	double usd; /* 0 when no price is known */
} as_reply_row;
int as_store_put_reply(as_store *s, const as_reply_row *row, assay_error *err);
int as_store_get_reply(as_store *s, assay_str attempt_id, int64_t try_number, int64_t ordinal, assay_str request_hash,
		       assay_text *body, assay_error *err);
/* What all replies of the store cost. */
int as_store_spent(as_store *s, double *usd, assay_error *err);

/* The time ledger: wall-clock start (µs since 1970) and length (µs) of what was done. subject: an attempt id, trace id,
 * stage name ...; what: "attempt", "call", "stage", "server_start". Every put adds a row. Listed by what. */
int as_store_put_timing(as_store *s, assay_str run_id, assay_str subject, const char *what, int64_t start_us,
			int64_t length_us, assay_error *err);
typedef int (*as_timing_fn)(void *payload, assay_str what, int64_t count, int64_t total_us, int64_t max_us,
			    assay_error *err);
int as_store_timings(as_store *s, assay_str run_id, as_timing_fn fn, void *payload,
		     assay_error *err); /* summed by what */

/* Only one process works on a store at a time: take the lock for a run, released by close or the end of the process
 * (a lock on the file PATH-lock, which holds the process id). Taking it again is fine. ASSAY_EAGAIN names the process
 * that holds it. */
int as_store_lock(as_store *s, assay_error *err);

#endif
