#include "core/store/query.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

int as_store_enter(as_store *s, bool writing, assay_error *err)
{
	int rc = pthread_mutex_lock(&s->mutex);
	if (rc == EDEADLK) {
		return as_fail(err, ASSAY_EINVAL, "the callback of a listing called the store");
	}
	if (rc != 0) {
		return as_fail(err, ASSAY_EINTERNAL, "cannot lock the store's mutex: error %d", rc);
	}
	if (writing && (s->flags & AS_STORE_READ_ONLY)) {
		pthread_mutex_unlock(&s->mutex);
		as_fail(err, ASSAY_EINVAL, "the store is open for reading only");
		as_error_where(err, s->path, 0);
		return ASSAY_EINVAL;
	}
	return 0;
}

void as_store_leave(as_store *s)
{
	pthread_mutex_unlock(&s->mutex);
}

static int errno_of(sqlite3_file *file)
{
	int number = 0;
	if (file && file->pMethods &&
	    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK) {
		return 0;
	}
	return number;
}

/* The errno behind a failure of the file system. SQLite's own answer is errno as it stands after the cleaning up, which
 * is often 0; its files remember better. */
static int system_error(const as_store *s, int code)
{
	sqlite3_file *wal = NULL, *file = NULL;
	if ((code & 0xFF) == SQLITE_READONLY) {
		return EACCES;
	}
	int number = s->db ? sqlite3_system_errno(s->db) : 0;
	if (number == 0 && s->db && (code & 0xFF) == SQLITE_IOERR) {
		if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal) == SQLITE_OK) {
			number = errno_of(wal);
		}
		if (number == 0 && sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK) {
			number = errno_of(file);
		}
	}
	return number;
}

static int fail_system(const as_store *s, int code, const char *what, assay_error *err)
{
	int number = system_error(s, code);
	if (number == ENOENT) {
		return as_fail_errno(err, number, s->path, what);
	}
	if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
		as_fail_errno(err, number, s->path, what);
		as_error_hint(err, "what was committed is safe; make room and run the same command again");
		return ASSAY_EIO;
	}
	if (number == EACCES || number == EPERM || number == EROFS) {
		as_fail_errno(err, number, s->path, what);
		as_error_hint(err, "the file and its folder must be writable: SQLite keeps files beside the store");
		return ASSAY_EIO;
	}
	if (number != 0) {
		as_fail_errno(err, number, s->path, what);
		return ASSAY_EIO;
	}
	return as_fail(err, ASSAY_EIO, "cannot %s: %s", what, sqlite3_errstr(code));
}

static int fail_damaged(const as_store *s, int code, assay_error *err)
{
	/* The text of the database is better than the text of the code, if it is about this code. */
	const char *text =
		s->db && sqlite3_errcode(s->db) == (code & 0xFF) ? sqlite3_errmsg(s->db) : sqlite3_errstr(code);
	as_fail(err, ASSAY_EDATA, "the store is damaged: %s", text);
	as_error_hint(err, "go back to a copy, or save what is readable with the sqlite3 command .recover");
	return ASSAY_EDATA;
}

void as_store_retryable(assay_error *err)
{
	if (err && err->code == ASSAY_EAGAIN) {
		err->flags |= ASSAY_ERR_RETRYABLE;
	}
}

int as_store_fail(const as_store *s, int code, const char *what, assay_error *err)
{
	int result;
	switch (code & 0xFF) {
	case SQLITE_NOMEM:
		result = as_fail_memory(err);
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		result = as_fail(err, ASSAY_EAGAIN, "another process has been writing to the store for over %d s",
				 AS_STORE_BUSY_MS / 1000);
		as_error_hint(err, "wait for it to end, or use another store");
		as_store_retryable(err);
		break;
	case SQLITE_FULL:
		result = as_fail(err, ASSAY_EIO, "cannot %s: the disk is full", what);
		as_error_hint(err, "what was committed is safe; make room and run the same command again");
		break;
	case SQLITE_NOTADB:
		result = as_fail(err, ASSAY_EDATA, "not an Assay store: no SQLite database");
		break;
	case SQLITE_CORRUPT:
	case SQLITE_FORMAT:
	case SQLITE_SCHEMA:
	case SQLITE_ERROR: /* a table or column that should be there is not: our statements are fixed */
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		result = fail_damaged(s, code, err);
		break;
	case SQLITE_TOOBIG:
		result = as_fail(err, ASSAY_ELIMIT, "cannot %s: larger than a store can hold", what);
		break;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_IOERR:
	case SQLITE_NOLFS:
		result = code == SQLITE_IOERR_NOMEM ? as_fail_memory(err) : fail_system(s, code, what, err);
		break;
	default:
		result = as_fail(err, ASSAY_EINTERNAL, "cannot %s: %s", what, sqlite3_errstr(code));
	}
	as_error_where(err, s->path, 0);
	return result;
}

int as_store_row(const as_store *s, int rc, const char *kind, assay_str id, assay_error *err)
{
	char where[sizeof err->where];
	if (rc == ASSAY_EDATA) {
		snprintf(where, sizeof where, "%s, %s %.*s", s->path, kind, ASSAY_FMT(id));
		as_error_where(err, where, err ? err->line : 0);
	}
	return rc;
}

static const char *purpose(const struct as_query *q)
{
	return q->reads ? "read the store" : "write the store";
}

static void settle(struct as_query *q, int code)
{
	if (q->code == 0 && code != SQLITE_OK) {
		q->code = as_store_fail(q->store, code, purpose(q), q->err);
	}
}

void as_query_start(struct as_query *q, as_store *s, enum as_sql which, assay_error *err)
{
	*q = (struct as_query){.store = s, .err = err};
	if (!s->statements[which]) {
		settle(q, sqlite3_prepare_v3(s->db, as_store_statements[which], -1, SQLITE_PREPARE_PERSISTENT,
					     &s->statements[which], NULL));
	}
	q->stmt = s->statements[which];
	/* A commit is no writer to SQLite, though it is what fails on a full disk. */
	q->reads = which > AS_SQL_ROLLBACK && q->stmt && sqlite3_stmt_readonly(q->stmt);
}

static void bind_text(struct as_query *q, assay_str text, size_t max, const char *what)
{
	q->bound++;
	if (q->code != 0) {
		return;
	}
	if (text.len > max) {
		q->code = as_fail(q->err, ASSAY_ELIMIT, "%s of %zu bytes, at most %zu can be stored", what, text.len,
				  max);
		as_error_where(q->err, q->store->path, 0);
		return;
	}
	/* A NULL pointer would bind NULL and not the empty text. */
	settle(q,
	       sqlite3_bind_text64(q->stmt, q->bound, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8));
}

void as_query_name(struct as_query *q, assay_str text)
{
	bind_text(q, text, AS_STORE_MAX_NAME, "a name");
}

void as_query_body(struct as_query *q, assay_str text)
{
	bind_text(q, text, AS_STORE_MAX_BODY, "a body");
}

void as_query_int(struct as_query *q, int64_t n)
{
	q->bound++;
	if (q->code == 0) {
		settle(q, sqlite3_bind_int64(q->stmt, q->bound, n));
	}
}

void as_query_real(struct as_query *q, double d)
{
	q->bound++;
	if (q->code != 0) {
		return;
	}
	if (isnan(d)) { /* SQLite would make it NULL */
		q->code = as_fail(q->err, ASSAY_EINVAL, "NaN cannot be stored");
		return;
	}
	settle(q, sqlite3_bind_double(q->stmt, q->bound, d));
}

int as_query_next(struct as_query *q)
{
	if (q->code != 0) {
		return q->code;
	}
	int code = sqlite3_step(q->stmt);
	if (code == SQLITE_ROW) {
		return 1;
	}
	if (code != SQLITE_DONE) {
		settle(q, code);
	}
	return q->code;
}

int as_query_end(struct as_query *q)
{
	if (q->stmt) {
		sqlite3_reset(q->stmt);
		sqlite3_clear_bindings(q->stmt);
		q->stmt = NULL;
	}
	return q->code;
}

int as_query_run(struct as_query *q)
{
	while (as_query_next(q) == 1) {
	}
	return as_query_end(q);
}

assay_str as_query_text(struct as_query *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q->stmt, column);
	if (!text && sqlite3_errcode(q->store->db) == SQLITE_NOMEM) {
		settle(q, SQLITE_NOMEM);
	}
	/* After column_text, so that the length is that of the text. */
	size_t len = text ? (size_t)sqlite3_column_bytes(q->stmt, column) : 0;
	return (assay_str){text ? text : "", len};
}

int64_t as_query_int_at(const struct as_query *q, int column)
{
	return sqlite3_column_int64(q->stmt, column);
}

double as_query_real_at(const struct as_query *q, int column)
{
	return sqlite3_column_double(q->stmt, column);
}

int as_query_get(struct as_query *q, assay_text *body)
{
	as_buf text = {0};
	int found = as_query_next(q);
	*body = (assay_text){NULL, 0};
	if (found == 1) {
		as_buf_add(&text, as_query_text(q, 0));
	}
	int rc = as_query_end(q);
	if (rc == 0) {
		rc = found == 1 ? as_buf_take(&text, body, q->err) : ASSAY_ENOENT;
	}
	as_buf_free(&text);
	return rc;
}

static int run_plain(as_store *s, enum as_sql which, assay_error *err)
{
	struct as_query q;
	as_query_start(&q, s, which, err);
	return as_query_run(&q);
}

static int end_transaction(as_store *s, int code, assay_error *err)
{
	if (code == 0) {
		code = run_plain(s, AS_SQL_COMMIT, err);
	}
	/* Some errors (disk full, I/O) have rolled back by themselves. */
	if (code != 0 && !sqlite3_get_autocommit(s->db)) {
		run_plain(s, AS_SQL_ROLLBACK, NULL);
	}
	return code;
}

int as_store_begin(as_store *s, assay_error *err)
{
	return s->grouped ? 0 : run_plain(s, AS_SQL_BEGIN, err);
}

int as_store_end(as_store *s, int code, assay_error *err)
{
	return s->grouped ? code : end_transaction(s, code, err);
}

int as_store_group(as_store *s, assay_error *err)
{
	int rc = as_store_enter(s, true, err);
	if (rc < 0) {
		return rc;
	}
	rc = s->grouped ? as_fail(err, ASSAY_EINTERNAL, "the store's puts are grouped already")
			: as_store_begin(s, err);
	s->grouped = s->grouped || rc == 0;
	as_store_leave(s);
	return rc;
}

int as_store_group_end(as_store *s, int code, assay_error *err)
{
	int rc = as_store_enter(s, true, code < 0 ? NULL : err);
	if (rc < 0) {
		return code < 0 ? code : rc;
	}
	s->grouped = false;
	rc = end_transaction(s, code, err);
	as_store_leave(s);
	return rc;
}
