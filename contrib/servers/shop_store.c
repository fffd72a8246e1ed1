/* The database behind assay-shop. */
#include "contrib/servers/shop.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SEED_BYTES ((size_t)16 << 20)
#define BUSY_MS 5000

static int database_failed(sqlite3 *db, int code, assay_error *err)
{
	if (sqlite3_errcode(db) == SQLITE_NOMEM) {
		return as_fail_memory(err);
	}
	return as_fail(err, code, "database: %s", sqlite3_errmsg(db));
}

/* --- statements -------------------------------------------------------------------------------------------------- */

static void note_failure(shop_query *q, int code)
{
	if (q->status == 0 && code != SQLITE_OK) {
		q->status = database_failed(q->shop->db, ASSAY_EIO, q->err);
	}
}

void shop_ask(shop_query *q, const shop *s, const char *sql, assay_error *err)
{
	*q = (shop_query){.shop = s, .err = err};
	note_failure(q, sqlite3_prepare_v2(s->db, sql, -1, &q->statement, NULL));
}

void shop_bind_text(shop_query *q, int index, assay_str text)
{
	if (q->status == 0 && text.len > 0) {
		note_failure(q, sqlite3_bind_text64(q->statement, index, text.ptr, text.len, SQLITE_TRANSIENT,
						    SQLITE_UTF8));
	}
}

void shop_bind_int(shop_query *q, int index, int64_t n)
{
	if (q->status == 0) {
		note_failure(q, sqlite3_bind_int64(q->statement, index, n));
	}
}

bool shop_next(shop_query *q)
{
	int code = q->status == 0 ? sqlite3_step(q->statement) : SQLITE_DONE;
	if (code != SQLITE_ROW && code != SQLITE_DONE) {
		note_failure(q, code);
	}
	return code == SQLITE_ROW;
}

int shop_done(shop_query *q)
{
	sqlite3_finalize(q->statement);
	q->statement = NULL;
	return q->status;
}

assay_str shop_text(const shop_query *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q->statement, column);
	return text ? (assay_str){text, (size_t)sqlite3_column_bytes(q->statement, column)} : ASSAY_STR("");
}

int64_t shop_int(const shop_query *q, int column)
{
	return sqlite3_column_int64(q->statement, column);
}

int shop_put_text(assay_json *object, const char *key, const shop_query *q, int column)
{
	return demo_put_str(object, key, shop_text(q, column));
}

int shop_put_int(assay_json *object, const char *key, const shop_query *q, int column)
{
	return demo_put_int(object, key, shop_int(q, column));
}

int shop_put_money(assay_json *object, const char *key, int64_t hundredths)
{
	return demo_put_real(object, key, (double)hundredths / 100);
}

int shop_change(const shop *s, shop_work work, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int status;
	if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
		return database_failed(s->db, ASSAY_EIO, err);
	}
	status = work(s, arguments, answer, err);
	if (status == 1) {
		status = 0;
		if (sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) {
			return 0;
		}
		status = database_failed(s->db, ASSAY_EIO, err);
	}
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

int shop_refuse(const shop *s, const char *kind, assay_str value, const char *sql, as_mcp_answer *answer,
		assay_error *err)
{
	demo_names ids = {0}, names = {0};
	char advice[200];
	const char *near = NULL;
	shop_query q;
	int status = 0;
	shop_ask(&q, s, sql, err);
	while (status == 0 && shop_next(&q)) {
		status = demo_names_add(&ids, shop_text(&q, 0), err);
		if (status == 0) {
			status = demo_names_add(&names, shop_text(&q, 1), err);
		}
	}
	if (shop_done(&q) != 0) {
		status = q.status;
	}
	if (status == 0) {
		near = demo_guess(value, &names);
		snprintf(advice, sizeof advice, "search and the list tools give what there is");
		for (size_t i = 0; i < names.n && near; i++) {
			if (near == names.items[i]) { /* somebody gave the name where the id belongs */
				snprintf(advice, sizeof advice, "did you mean '%.40s', %.100s?", ids.items[i], near);
				near = NULL;
			}
		}
		status = demo_refuse_unknown(answer, kind, value, &ids, advice);
	}
	demo_names_free(&ids);
	demo_names_free(&names);
	return status;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int open_database(const char *path, sqlite3 **out, assay_error *err)
{
	int status = 0;
	sqlite3 *db = NULL;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		status = db ? database_failed(db, ASSAY_EIO, err) : as_fail_memory(err);
		sqlite3_close(db);
		return status;
	}
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0); /* a script reaches no other file */
	*out = db;
	return 0;
}

static int check_shop(const shop *s, assay_error *err)
{
	shop_query q;
	bool good;
	shop_ask(
		&q, s,
		"SELECT value, (SELECT count(*) FROM products), (SELECT count(*) FROM customers),"
		" (SELECT count(*) FROM orders), (SELECT count(*) FROM order_items) FROM settings WHERE name = 'today'",
		NULL);
	good = shop_next(&q) && shop_text(&q, 0).len > 0;
	if (shop_done(&q) != 0) {
		return database_failed(s->db, ASSAY_EDATA, err);
	}
	return good ? 0 : as_fail(err, ASSAY_EDATA, "no shop: table settings has no row 'today'");
}

static int run_script(const char *path, assay_str script, assay_error *err)
{
	shop made = {0};
	int status = open_database(path, &made.db, err);
	if (status == 0 && sqlite3_exec(made.db, script.ptr, NULL, NULL, NULL) != SQLITE_OK) {
		status = database_failed(made.db, ASSAY_EDATA, err);
	}
	if (status == 0 && !sqlite3_get_autocommit(made.db)) {
		status = as_fail(err, ASSAY_EDATA, "the script leaves a transaction open; expected COMMIT at its end");
	}
	if (status == 0) {
		status = check_shop(&made, err);
	}
	shop_close(&made);
	return status;
}

/* Put a whole database in its place. Whoever else was first is as good. */
static int publish(const char *made, const char *path, assay_error *err)
{
	if (link(made, path) == 0 || errno == EEXIST) {
		return 0;
	}
	if (rename(made, path) == 0) { /* a file system without links */
		return 0;
	}
	return as_fail_errno(err, errno, path, "create database");
}

static int create_database(const char *path, const char *seed, assay_error *err)
{
	assay_text script = {0};
	as_buf made = {0};
	int fd = -1, status = as_file_read(seed, MAX_SEED_BYTES, &script, err);
	if (status == 0 && (script.len == 0 || memchr(script.ptr, 0, script.len))) {
		status = as_fail(err, ASSAY_EDATA, "no SQL script: it is empty or holds NUL bytes");
	}
	if (status != 0) {
		as_error_where(err, seed, 0);
		goto out;
	}
	as_buf_printf(&made, "%s.XXXXXX", path);
	status = as_buf_check(&made, err);
	if (status == 0 && (fd = mkstemp(made.ptr)) < 0) {
		status = as_fail_errno(err, errno, path, "create database");
	}
	if (fd >= 0) {
		close(fd);
		status = run_script(made.ptr, as_text_str(script), err);
		as_error_where(err, seed, 0);
		if (status == 0) {
			status = publish(made.ptr, path, err);
		}
		unlink(made.ptr);
	}
out:
	as_buf_free(&made);
	as_text_free(&script);
	return status;
}

int shop_open(const char *path, const char *seed, shop *out, assay_error *err)
{
	int status = 0;
	*out = (shop){0};
	if (!as_file_exists(path)) {
		if (!seed) {
			as_fail(err, ASSAY_ENOENT, "no such database");
			as_error_hint(err, "--seed FILE.sql makes it");
			return as_error_where(err, path, 0);
		}
		status = create_database(path, seed, err);
	}
	if (status == 0) {
		status = open_database(path, &out->db, err);
	}
	if (status == 0) {
		status = check_shop(out, err);
	}
	if (status != 0) {
		as_error_where(err, path, 0);
		shop_close(out);
	}
	return status;
}

void shop_close(shop *s)
{
	sqlite3_close(s->db);
	s->db = NULL;
}
