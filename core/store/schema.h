/* The tables and views of a store, as SQL text, and the statements that the store uses. Internal to core/store. */
#ifndef AS_STORE_SCHEMA_H
#define AS_STORE_SCHEMA_H

#define AS_STORE_APPLICATION_ID 0x41535359 /* "ASSY", in the header of the file */
#define AS_STORE_SCHEMA_VERSION 2          /* user_version */

/* Creates everything in an empty database; ends by setting application_id and user_version. */
extern const char *const as_store_schema[]; /* NULL-terminated */

/* Every statement is prepared once per open store. */
enum as_sql {
	AS_SQL_BEGIN,
	AS_SQL_COMMIT,
	AS_SQL_ROLLBACK,
	AS_SQL_PUT_RUN,
	AS_SQL_RUNS,
	AS_SQL_PUT_PART,
	AS_SQL_PARTS,
	AS_SQL_PUT_GOAL,
	AS_SQL_GOALS,
	AS_SQL_PUT_DOCUMENT,
	AS_SQL_REPLACE_DOCUMENT,
	AS_SQL_GET_DOCUMENT,
	AS_SQL_CLEAR_SLOT,
	AS_SQL_PUT_TASK,
	AS_SQL_TASKS,
	AS_SQL_PUT_ATTEMPT,
	AS_SQL_PUT_TRACE,
	AS_SQL_GET_TRACE,
	AS_SQL_ATTEMPTS,
	AS_SQL_NEXT_ATTEMPT,
	AS_SQL_FIND_ATTEMPT,
	AS_SQL_CLEAR_VERDICTS,
	AS_SQL_PUT_VERDICT,
	AS_SQL_VERDICTS,
	AS_SQL_PUT_REPLY,
	AS_SQL_GET_REPLY,
	AS_SQL_SPENT,
	AS_SQL_PUT_TIMING,
	AS_SQL_TIMINGS,
	AS_SQL_COUNT
};
extern const char *const as_store_statements[AS_SQL_COUNT];

#endif
