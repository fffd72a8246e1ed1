/* assay-shop: a shop in an SQLite database. The day and the currency come from the database (table settings), so that
 * the same calls on the same database give the same answers on any day. */
#ifndef ASSAY_SERVERS_SHOP_H
#define ASSAY_SERVERS_SHOP_H

#include "contrib/servers/common.h"
#include <sqlite3.h>

typedef struct shop {
	sqlite3 *db;
} shop;

/* Open the database, made from the SQL script `seed` first when it does not exist (NULL: ASSAY_ENOENT then). A file
 * that is no shop is ASSAY_EDATA. */
int shop_open(const char *path, const char *seed, shop *out, assay_error *err);
void shop_close(shop *s);

/* --- one statement; failure is sticky and comes out of shop_done ------------------------------------------------- */

typedef struct shop_query {
	const shop *shop;
	sqlite3_stmt *statement;
	int status;
	assay_error *err;
} shop_query;

void shop_ask(shop_query *q, const shop *s, const char *sql, assay_error *err);
/* The empty text is bound as NULL, so that "?1 IS NULL OR ..." leaves a filter out. */
void shop_bind_text(shop_query *q, int index, assay_str text);
void shop_bind_int(shop_query *q, int index, int64_t n);
bool shop_next(shop_query *q); /* is there a (next) row? */
int shop_done(shop_query *q);  /* ends the statement; 0, or what went wrong */

assay_str shop_text(const shop_query *q, int column); /* borrowed until the next step */
int64_t shop_int(const shop_query *q, int column);

/* Put a column into an object. Money is kept in hundredths and told as a number with decimals. */
int shop_put_text(assay_json *object, const char *key, const shop_query *q, int column);
int shop_put_int(assay_json *object, const char *key, const shop_query *q, int column);
int shop_put_money(assay_json *object, const char *key, int64_t hundredths);

/* Run a tool's work as one transaction: kept when it answers 1, taken back when it refuses (0) or fails. */
typedef int (*shop_work)(const shop *s, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_change(const shop *s, shop_work work, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);

/* Refuse a value that is not among the names that sql selects (two columns: the name to suggest, and a text that it
 * also goes by). Returns 0 or an error. */
int shop_refuse(const shop *s, const char *kind, assay_str value, const char *sql, as_mcp_answer *answer,
		assay_error *err);
#define SHOP_PRODUCTS "SELECT product_id, name FROM products ORDER BY product_id"
#define SHOP_CUSTOMERS "SELECT customer_id, name FROM customers ORDER BY customer_id"

/* 1: there is such a customer, or none is named (empty id). 0: refused. */
int shop_has_customer(const shop *s, assay_str customer_id, as_mcp_answer *answer, assay_error *err);
/* Refuse an order number that there is none of. */
int shop_refuse_order(const shop *s, int64_t order_id, as_mcp_answer *answer, assay_error *err);

/* --- the tools; payload is a shop -------------------------------------------------------------------------------- */

int shop_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_stock(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_product(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_customers(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_orders(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_place(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_cancel(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_address(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);
int shop_call_delete(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err);

#endif
