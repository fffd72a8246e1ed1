/* The writing tools of assay-shop. Each is one transaction. */
#include "contrib/servers/shop.h"

/* --- place_order ------------------------------------------------------------------------------------------------- */

/* What an order needs to know, and what becomes of it. */
typedef struct placing {
	assay_str customer_id, product_id;
	int64_t quantity, price, stock, order_id;
} placing;

/* 1: there are enough; 0: refused. */
static int check_stock(const shop *s, placing *p, as_mcp_answer *answer, assay_error *err)
{
	shop_query q;
	int status = 1;
	shop_ask(&q, s, "SELECT price_cents, stock, name FROM products WHERE product_id = ?1", err);
	shop_bind_text(&q, 1, p->product_id);
	if (shop_next(&q)) {
		p->price = shop_int(&q, 0);
		p->stock = shop_int(&q, 1);
		if (p->stock < p->quantity) {
			status = as_mcp_refuse(answer, "only %lld of '%.*s' (%.*s) in stock, %lld asked for",
					       (long long)p->stock, ASSAY_FMT(p->product_id),
					       ASSAY_FMT(shop_text(&q, 2)), (long long)p->quantity);
		}
	} else if (q.status == 0) {
		status = shop_refuse(s, "product", p->product_id, SHOP_PRODUCTS, answer, err);
	}
	return shop_done(&q) != 0 ? q.status : status;
}

static int insert_order(const shop *s, placing *p, assay_error *err)
{
	shop_query q;
	shop_ask(&q, s, "SELECT coalesce(max(order_id), 5000) + 1 FROM orders", err);
	if (shop_next(&q)) {
		p->order_id = shop_int(&q, 0);
	}
	if (shop_done(&q) != 0) {
		return q.status;
	}
	shop_ask(&q, s,
		 "INSERT INTO orders (order_id, customer_id, order_date, status)"
		 " VALUES (?1, ?2, (SELECT value FROM settings WHERE name = 'today'), 'open')",
		 err);
	shop_bind_int(&q, 1, p->order_id);
	shop_bind_text(&q, 2, p->customer_id);
	shop_next(&q);
	if (shop_done(&q) != 0) {
		return q.status;
	}
	shop_ask(&q, s, "INSERT INTO order_items (order_id, product_id, quantity, price_cents) VALUES (?1, ?2, ?3, ?4)",
		 err);
	shop_bind_int(&q, 1, p->order_id);
	shop_bind_text(&q, 2, p->product_id);
	shop_bind_int(&q, 3, p->quantity);
	shop_bind_int(&q, 4, p->price);
	shop_next(&q);
	return shop_done(&q);
}

static int take_stock(const shop *s, const placing *p, assay_error *err)
{
	shop_query q;
	shop_ask(&q, s, "UPDATE products SET stock = stock - ?2 WHERE product_id = ?1", err);
	shop_bind_text(&q, 1, p->product_id);
	shop_bind_int(&q, 2, p->quantity);
	shop_next(&q);
	return shop_done(&q);
}

static int answer_placed(const shop *s, const placing *p, as_mcp_answer *answer, assay_error *err)
{
	assay_json *root = as_json_object();
	shop_query q;
	int bad = demo_put_int(root, "order_id", p->order_id), status;
	bad |= demo_put_str(root, "customer_id", p->customer_id);
	bad |= demo_put_str(root, "product_id", p->product_id);
	bad |= demo_put_int(root, "quantity", p->quantity);
	bad |= shop_put_money(root, "total", p->quantity * p->price);
	shop_ask(&q, s, "SELECT order_date, status FROM orders WHERE order_id = ?1", err);
	shop_bind_int(&q, 1, p->order_id);
	if (shop_next(&q)) {
		bad |= shop_put_text(root, "order_date", &q, 0);
		bad |= shop_put_text(root, "status", &q, 1);
	}
	bad |= demo_put_int(root, "stock_left", p->stock - p->quantity);
	if (shop_done(&q) != 0) {
		as_json_free(root);
		return q.status;
	}
	status = demo_finish(answer, root, bad, err);
	return status == 0 ? 1 : status;
}

static int place_order(const shop *s, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	placing p = {.customer_id = demo_arg(arguments, "customer_id"),
		     .product_id = demo_arg(arguments, "product_id"),
		     .quantity = as_json_i64(as_json_get(arguments, "quantity"), 0)};
	int status = shop_has_customer(s, p.customer_id, answer, err);
	if (status == 1) {
		status = check_stock(s, &p, answer, err);
	}
	if (status != 1) {
		return status;
	}
	status = insert_order(s, &p, err);
	if (status == 0) {
		status = take_stock(s, &p, err);
	}
	return status == 0 ? answer_placed(s, &p, answer, err) : status;
}

int shop_call_place(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	return shop_change(payload, place_order, arguments, answer, err);
}

/* --- cancel_order ------------------------------------------------------------------------------------------------ */

/* 1: the order may be cancelled; 0: refused. */
static int check_open(const shop *s, int64_t order_id, as_mcp_answer *answer, assay_error *err)
{
	shop_query q;
	int status = 1;
	shop_ask(&q, s, "SELECT status FROM orders WHERE order_id = ?1", err);
	shop_bind_int(&q, 1, order_id);
	if (!shop_next(&q)) {
		status = q.status == 0 ? shop_refuse_order(s, order_id, answer, err) : q.status;
	} else if (!as_str_is(shop_text(&q, 0), "open") && !as_str_is(shop_text(&q, 0), "packed")) {
		status = as_mcp_refuse(answer,
				       "order %lld is %.*s already; only open and packed orders can be cancelled",
				       (long long)order_id, ASSAY_FMT(shop_text(&q, 0)));
	}
	return shop_done(&q) != 0 ? q.status : status;
}

/* Bring the goods of an order back, and tell what the stock is then. */
static int return_stock(const shop *s, int64_t order_id, assay_json *returned, assay_error *err)
{
	shop_query q;
	int bad = 0;
	shop_ask(&q, s,
		 "UPDATE products SET stock = stock + (SELECT quantity FROM order_items i WHERE i.order_id = ?1"
		 " AND i.product_id = products.product_id)"
		 " WHERE product_id IN (SELECT product_id FROM order_items WHERE order_id = ?1)",
		 err);
	shop_bind_int(&q, 1, order_id);
	shop_next(&q);
	if (shop_done(&q) != 0) {
		return q.status;
	}
	shop_ask(&q, s,
		 "SELECT i.product_id, i.quantity, p.stock FROM order_items i JOIN products p USING (product_id)"
		 " WHERE i.order_id = ?1 ORDER BY i.product_id",
		 err);
	shop_bind_int(&q, 1, order_id);
	while (shop_next(&q)) {
		assay_json *entry = as_json_object();
		bad |= shop_put_text(entry, "product_id", &q, 0);
		bad |= shop_put_int(entry, "quantity", &q, 1);
		bad |= shop_put_int(entry, "stock", &q, 2);
		bad |= as_json_append(returned, entry);
	}
	if (shop_done(&q) != 0) {
		return q.status;
	}
	return bad ? as_fail_memory(err) : 0;
}

static int cancel_order(const shop *s, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t order_id = as_json_i64(as_json_get(arguments, "order_id"), 0);
	assay_json *root, *returned;
	shop_query q;
	int bad, status = check_open(s, order_id, answer, err);
	if (status != 1) {
		return status;
	}
	shop_ask(&q, s, "UPDATE orders SET status = 'cancelled' WHERE order_id = ?1", err);
	shop_bind_int(&q, 1, order_id);
	shop_next(&q);
	returned = as_json_array();
	status = shop_done(&q);
	if (status == 0) {
		status = return_stock(s, order_id, returned, err);
	}
	if (status != 0) {
		as_json_free(returned);
		return status;
	}
	root = as_json_object();
	bad = demo_put_int(root, "order_id", order_id);
	bad |= demo_put_text(root, "status", "cancelled");
	bad |= as_json_set(root, "returned", returned);
	status = demo_finish(answer, root, bad, err);
	return status == 0 ? 1 : status;
}

int shop_call_cancel(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	return shop_change(payload, cancel_order, arguments, answer, err);
}

/* --- update_address, delete_customer ----------------------------------------------------------------------------- */

static int update_address(const shop *s, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str customer_id = demo_arg(arguments, "customer_id"), address = demo_arg(arguments, "address");
	assay_json *root;
	shop_query q;
	int bad = 0, status = shop_has_customer(s, customer_id, answer, err);
	if (status != 1) {
		return status;
	}
	root = as_json_object();
	shop_ask(&q, s, "SELECT name, coalesce(?2, city), address FROM customers WHERE customer_id = ?1", err);
	shop_bind_text(&q, 1, customer_id);
	shop_bind_text(&q, 2, demo_arg(arguments, "city"));
	if (shop_next(&q)) {
		bad |= demo_put_str(root, "customer_id", customer_id);
		bad |= shop_put_text(root, "name", &q, 0);
		bad |= demo_put_str(root, "address", address);
		bad |= shop_put_text(root, "city", &q, 1);
		bad |= shop_put_text(root, "old_address", &q, 2);
	}
	status = shop_done(&q);
	if (status == 0) {
		shop_ask(&q, s, "UPDATE customers SET address = ?2, city = coalesce(?3, city) WHERE customer_id = ?1",
			 err);
		shop_bind_text(&q, 1, customer_id);
		shop_bind_text(&q, 2, address);
		shop_bind_text(&q, 3, demo_arg(arguments, "city"));
		shop_next(&q);
		status = shop_done(&q);
	}
	if (status != 0) {
		as_json_free(root);
		return status;
	}
	status = demo_finish(answer, root, bad, err);
	return status == 0 ? 1 : status;
}

int shop_call_address(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	if (!demo_check_text(answer, "address", demo_arg(arguments, "address")) ||
	    !demo_check_text(answer, "city", demo_arg(arguments, "city"))) {
		return 0;
	}
	return shop_change(payload, update_address, arguments, answer, err);
}

static int delete_customer(const shop *s, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	static const char *const deletes[] = {
		"DELETE FROM order_items WHERE order_id IN (SELECT order_id FROM orders WHERE customer_id = ?1)",
		"DELETE FROM orders WHERE customer_id = ?1",
		"DELETE FROM customers WHERE customer_id = ?1",
	};
	assay_str customer_id = demo_arg(arguments, "customer_id");
	assay_json *root;
	shop_query q;
	int bad = 0, status = shop_has_customer(s, customer_id, answer, err);
	if (status != 1) {
		return status;
	}
	root = as_json_object();
	shop_ask(&q, s,
		 "SELECT name, (SELECT count(*) FROM orders WHERE customer_id = ?1) FROM customers"
		 " WHERE customer_id = ?1",
		 err);
	shop_bind_text(&q, 1, customer_id);
	if (shop_next(&q)) {
		bad |= demo_put_str(root, "customer_id", customer_id);
		bad |= shop_put_text(root, "name", &q, 0);
		bad |= shop_put_int(root, "deleted_orders", &q, 1);
	}
	status = shop_done(&q);
	for (size_t i = 0; i < sizeof deletes / sizeof deletes[0] && status == 0; i++) {
		shop_ask(&q, s, deletes[i], err);
		shop_bind_text(&q, 1, customer_id);
		shop_next(&q);
		status = shop_done(&q);
	}
	if (status != 0) {
		as_json_free(root);
		return status;
	}
	status = demo_finish(answer, root, bad, err);
	return status == 0 ? 1 : status;
}

int shop_call_delete(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	return shop_change(payload, delete_customer, arguments, answer, err);
}
