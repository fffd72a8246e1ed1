/* The content of an SQLite database, read as any other client would read it: servers keep it open meanwhile, and pages,
 * free space and journals differ between databases that hold the same. */
#include "folder.h"
#include <sqlite3.h>
#include <string.h>

#define BUSY_MS 2000        /* how long a writer may hold us up */
#define STEPS_BETWEEN 10000 /* virtual machine steps between two looks at the deadline */

typedef struct reader {
	hasher *h;
	assay_call *call;
	sqlite3 *db;
} reader;

/* Says stop when the call is over: a database may be of any size. */
static int is_over(void *payload)
{
	const reader *r = payload;
	return r->h->host->cancelled(r->call) || r->h->host->remaining_ms(r->call) == 0;
}

static void put_column(hasher *h, sqlite3_stmt *q, int column)
{
	int type = sqlite3_column_type(q, column);
	char kind = (char)('0' + type);
	hasher_put(h, &kind, 1);
	if (type == SQLITE_INTEGER) {
		sqlite3_int64 n = sqlite3_column_int64(q, column);
		hasher_put(h, &n, sizeof n);
	} else if (type == SQLITE_FLOAT) {
		double d = sqlite3_column_double(q, column);
		hasher_put(h, &d, sizeof d);
	} else if (type != SQLITE_NULL) {
		const void *bytes = sqlite3_column_blob(q, column);
		hasher_put_part(h, bytes, (size_t)sqlite3_column_bytes(q, column));
	}
}

/* The rows that a statement answers, in its order. Takes the statement. */
static int put_rows(hasher *h, sqlite3_stmt *q)
{
	int status = sqlite3_step(q), columns = sqlite3_column_count(q);
	for (; status == SQLITE_ROW; status = sqlite3_step(q)) {
		for (int i = 0; i < columns; i++) {
			put_column(h, q, i);
		}
		hasher_put(h, "\n", 1);
	}
	sqlite3_finalize(q);
	return status;
}

static int put_query(const reader *r, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int status = sqlite3_prepare_v2(r->db, sql, -1, &q, NULL);
	return status == SQLITE_OK ? put_rows(r->h, q) : status;
}

/* A table's rows with their numbers, which decide the order of what a server lists; a table without them has a key. */
static int put_table(const reader *r, const char *name)
{
	static const char *const forms[] = {"SELECT _rowid_, * FROM \"%w\" ORDER BY _rowid_", "SELECT * FROM \"%w\""};
	int status = SQLITE_ERROR;
	for (size_t i = 0; i < sizeof forms / sizeof *forms && status == SQLITE_ERROR; i++) {
		char *sql = sqlite3_mprintf(forms[i], name);
		status = sql ? put_query(r, sql) : SQLITE_NOMEM;
		sqlite3_free(sql);
	}
	return status;
}

static int put_content(const reader *r)
{
	/* Statistics of the planner are no content; a virtual table's content is in the tables behind it. */
	static const char tables[] =
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_stat%' "
		"ESCAPE '~' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
	static const char *const whole[] = {"PRAGMA application_id", "PRAGMA user_version",
					    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"};
	sqlite3_stmt *q = NULL;
	int status = SQLITE_DONE;
	for (size_t i = 0; i < sizeof whole / sizeof *whole && status == SQLITE_DONE; i++) {
		status = put_query(r, whole[i]);
	}
	if (status == SQLITE_DONE) {
		status = sqlite3_prepare_v2(r->db, tables, -1, &q, NULL);
	}
	if (status != SQLITE_OK) {
		return status;
	}
	while ((status = sqlite3_step(q)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 0);
		hasher_put_part(r->h, name, strlen(name));
		status = put_table(r, name);
		if (status != SQLITE_DONE) {
			break;
		}
	}
	sqlite3_finalize(q);
	return status;
}

int database_put(hasher *h, assay_call *call, const char *path, assay_error *err)
{
	reader r = {h, call, NULL};
	int status =
		sqlite3_open_v2(path, &r.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
	if (status == SQLITE_OK) {
		sqlite3_busy_timeout(r.db, BUSY_MS);
		sqlite3_progress_handler(r.db, STEPS_BETWEEN, is_over, &r);
		sqlite3_db_config(r.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL); /* the file is a server's */
		status = put_query(&r, "BEGIN");
	}
	if (status == SQLITE_DONE) {
		status = put_content(&r);
	}
	sqlite3_close(r.db);
	switch (status) {
	case SQLITE_DONE:
		return 1;
	case SQLITE_NOMEM:
		return h->host->fail(err, ASSAY_ENOMEM, "out of memory");
	case SQLITE_INTERRUPT:
		return h->host->fail(err, h->host->cancelled(call) ? ASSAY_ECANCELED : ASSAY_ETIMEOUT,
				     "interrupted while reading database %s", path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return h->host->fail(err, ASSAY_EAGAIN, "database %s is being written", path);
	default:
		return 0; /* damaged, encrypted, of a later version: bytes are what is left */
	}
}
