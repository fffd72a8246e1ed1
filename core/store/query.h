/* One statement of an open store: bind, step, read. Internal to core/store; the only users of sqlite3.h. Failure is
 * sticky: bind as you like and check the answer of as_query_run or as_query_next. */
#ifndef AS_STORE_QUERY_H
#define AS_STORE_QUERY_H

#include "core/base/error.h"
#include "core/store/schema.h"
#include "core/store/store.h"
#include <pthread.h>
#include <sqlite3.h>

#define AS_STORE_BUSY_MS 10000 /* how long another writer is waited for */

struct as_store {
	sqlite3 *db;
	char *path;
	uint32_t flags;
	pthread_mutex_t mutex; /* error-checking, so that a callback that calls the store fails and does not hang */
	bool has_mutex;
	bool grouped; /* between as_store_group and its end */
	int lock_fd;  /* -1: no lock */
	char *lock_path;
	sqlite3_stmt *statements[AS_SQL_COUNT];
};

/* Begin and end a public function: the mutex, and for `writing` the refusal of a store that is open for reading. */
int as_store_enter(as_store *s, bool writing, assay_error *err);
void as_store_leave(as_store *s);

/* Drop the lock that as_store_lock took, if any. */
void as_store_unlock(as_store *s);

/* Fill err from the SQLite result `code`; `what` completes "cannot ...". where = path. */
int as_store_fail(const as_store *s, int code, const char *what, assay_error *err);
void as_store_retryable(assay_error *err); /* mark an ASSAY_EAGAIN so */

/* A transaction around several statements; within a group the group's. end: commit when code is 0, else roll back;
 * returns code or the commit's. */
int as_store_begin(as_store *s, assay_error *err);
int as_store_end(as_store *s, int code, assay_error *err);

struct as_query {
	as_store *store;
	sqlite3_stmt *stmt;
	int bound;  /* parameters bound so far */
	int code;   /* sticky, ASSAY_E... */
	bool reads; /* it changes nothing */
	assay_error *err;
};

/* bind in the order of the parameters. Text is borrowed until the query ends. */
void as_query_start(struct as_query *q, as_store *s, enum as_sql which, assay_error *err);
void as_query_name(struct as_query *q, assay_str text); /* ids, names: at most AS_STORE_MAX_NAME */
void as_query_body(struct as_query *q, assay_str text); /* at most AS_STORE_MAX_BODY */
void as_query_int(struct as_query *q, int64_t n);
void as_query_real(struct as_query *q, double d);

int as_query_next(struct as_query *q); /* 1: a row, 0: no more, or negative */
int as_query_run(struct as_query *q);  /* step over all rows and end */
int as_query_end(struct as_query *q);  /* the sticky code */

/* Columns of the current row; text is borrowed until the next step. */
assay_str as_query_text(struct as_query *q, int column);
int64_t as_query_int_at(const struct as_query *q, int column);
double as_query_real_at(const struct as_query *q, int column);

/* Run a query that finds one body. ASSAY_ENOENT without a message when there is none. */
int as_query_get(struct as_query *q, assay_text *body);

#endif
