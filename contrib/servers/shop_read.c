/* The reading tools of assay-shop. */
#include "contrib/servers/shop.h"
#include "core/base/text.h"
#include <math.h>

static int64_t limit_of(const assay_json *arguments)
{
	return as_json_i64(as_json_get(arguments, "limit"), 20);
}

/* {"count": all there are, KEY: the first of them}; list is taken over. */
static int answer_list(as_mcp_answer *answer, const char *key, int64_t count, assay_json *list, int bad,
		       assay_error *err)
{
	assay_json *root = as_json_object();
	bad |= demo_put_int(root, "count", count);
	bad |= as_json_set(root, key, list);
	return demo_finish(answer, root, bad, err);
}

/* --- search, get_product ----------------------------------------------------------------------------------------- */

static int64_t hundredths(const assay_json *arguments, const char *key, int64_t otherwise)
{
	const assay_json *price = as_json_get(arguments, key);
	return price ? (int64_t)llround(as_json_f64(price, 0) * 100) : otherwise;
}

static int category_exists(const shop *s, assay_str category, as_mcp_answer *answer, assay_error *err)
{
	shop_query q;
	bool found;
	shop_ask(&q, s, "SELECT 1 FROM products WHERE ?1 IS NULL OR category = ?1 LIMIT 1", err);
	shop_bind_text(&q, 1, category);
	found = shop_next(&q);
	if (shop_done(&q) != 0) {
		return q.status;
	}
	if (found || category.len == 0) {
		return 1;
	}
	return shop_refuse(s, "category", category,
			   "SELECT DISTINCT category, category FROM products ORDER BY category", answer, err);
}

/* The columns of every product in a list: 0 id, 1 name, 2 category, 3 price, 4 stock; 5 is what can be searched too. */
#define PRODUCT_ROWS                                                                                                   \
	"SELECT product_id, name, category, price_cents, stock, description || ' ' || supplier FROM products"          \
	" WHERE (?1 IS NULL OR category = ?1) AND price_cents BETWEEN ?2 AND ?3 ORDER BY product_id"

static int put_product(assay_json *list, const shop_query *q)
{
	assay_json *entry = as_json_object();
	int bad = shop_put_text(entry, "product_id", q, 0);
	bad |= shop_put_text(entry, "name", q, 1);
	bad |= shop_put_text(entry, "category", q, 2);
	bad |= shop_put_money(entry, "price", shop_int(q, 3));
	bad |= shop_put_int(entry, "stock", q, 4);
	return bad | as_json_append(list, entry);
}

static bool row_has_words(const shop_query *q, as_buf *folded, assay_str words)
{
	static const int columns[] = {0, 1, 2, 5};
	as_buf_clear(folded);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		as_normalise(folded, shop_text(q, columns[i]));
		as_buf_byte(folded, ' ');
	}
	return demo_has_words(as_buf_str(folded), words);
}

int shop_call_search(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str category = demo_arg(arguments, "category");
	as_buf words = {0}, folded = {0};
	int64_t found = 0;
	shop_query q;
	assay_json *list;
	int bad = 0, status = category_exists(payload, category, answer, err);
	if (status != 1) {
		return status;
	}
	as_buf_puts(&words, "");
	as_normalise(&words, demo_arg(arguments, "query"));
	list = as_json_array();
	shop_ask(&q, payload, PRODUCT_ROWS, err);
	shop_bind_text(&q, 1, category);
	shop_bind_int(&q, 2, hundredths(arguments, "min_price", 0));
	shop_bind_int(&q, 3, hundredths(arguments, "max_price", INT64_MAX));
	while (shop_next(&q)) {
		if (row_has_words(&q, &folded, as_buf_str(&words)) && found++ < limit_of(arguments)) {
			bad |= put_product(list, &q);
		}
	}
	status = shop_done(&q);
	if (status == 0) {
		status = answer_list(answer, "products", found, list, bad | words.failed | folded.failed, err);
	} else {
		as_json_free(list);
	}
	as_buf_free(&words);
	as_buf_free(&folded);
	return status;
}

/* One product: all of it, or what it costs and how much of it is there. */
static int answer_product(const shop *s, assay_str product_id, bool whole, as_mcp_answer *answer, assay_error *err)
{
	assay_json *root = NULL;
	shop_query q;
	int bad = 0;
	shop_ask(&q, s,
		 "SELECT product_id, name, category, price_cents, stock, weight_grams, supplier, description,"
		 " (SELECT value FROM settings WHERE name = 'currency') FROM products WHERE product_id = ?1",
		 err);
	shop_bind_text(&q, 1, product_id);
	if (shop_next(&q)) {
		root = as_json_object();
		bad = shop_put_text(root, "product_id", &q, 0);
		bad |= whole ? shop_put_text(root, "name", &q, 1) : 0;
		bad |= whole ? shop_put_text(root, "category", &q, 2) : 0;
		bad |= shop_put_money(root, "price", shop_int(&q, 3));
		bad |= shop_put_text(root, "currency", &q, 8);
		bad |= shop_put_int(root, "stock", &q, 4);
		bad |= whole ? shop_put_int(root, "weight_grams", &q, 5) : 0;
		bad |= whole ? shop_put_text(root, "supplier", &q, 6) : 0;
		bad |= whole ? shop_put_text(root, "description", &q, 7) : 0;
		bad |= !root;
	}
	if (shop_done(&q) != 0) {
		as_json_free(root);
		return q.status;
	}
	if (root || bad) {
		return demo_finish(answer, root, bad, err);
	}
	return shop_refuse(s, "product", product_id, SHOP_PRODUCTS, answer, err);
}

int shop_call_product(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	return answer_product(payload, demo_arg(arguments, "product_id"), true, answer, err);
}

int shop_call_stock(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	return answer_product(payload, demo_arg(arguments, "product_id"), false, answer, err);
}

/* --- list_customers, list_orders --------------------------------------------------------------------------------- */

static int put_customer(assay_json *list, const shop_query *q)
{
	assay_json *entry = as_json_object();
	int bad = shop_put_text(entry, "customer_id", q, 0);
	bad |= shop_put_text(entry, "name", q, 1);
	bad |= shop_put_text(entry, "email", q, 2);
	bad |= shop_put_text(entry, "address", q, 3);
	bad |= shop_put_text(entry, "city", q, 4);
	bad |= shop_put_text(entry, "customer_since", q, 5);
	return bad | as_json_append(list, entry);
}

static bool holds(as_buf *folded, assay_str text, assay_str wanted)
{
	as_buf_clear(folded);
	as_normalise(folded, text);
	return demo_has_words(as_buf_str(folded), wanted);
}

int shop_call_customers(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	as_buf name = {0}, city = {0}, folded = {0};
	assay_json *list = as_json_array();
	int64_t found = 0;
	shop_query q;
	int bad = 0, status;
	as_normalise(&name, demo_arg(arguments, "name"));
	as_normalise(&city, demo_arg(arguments, "city"));
	shop_ask(&q, payload,
		 "SELECT customer_id, name, email, address, city, since FROM customers ORDER BY customer_id", err);
	while (shop_next(&q)) {
		if (holds(&folded, shop_text(&q, 1), as_buf_str(&name)) &&
		    holds(&folded, shop_text(&q, 4), as_buf_str(&city)) && found++ < limit_of(arguments)) {
			bad |= put_customer(list, &q);
		}
	}
	status = shop_done(&q);
	if (status == 0) {
		bad |= name.failed | city.failed | folded.failed;
		status = answer_list(answer, "customers", found, list, bad, err);
	} else {
		as_json_free(list);
	}
	as_buf_free(&name);
	as_buf_free(&city);
	as_buf_free(&folded);
	return status;
}

int shop_has_customer(const shop *s, assay_str customer_id, as_mcp_answer *answer, assay_error *err)
{
	shop_query q;
	bool found;
	shop_ask(&q, s, "SELECT 1 FROM customers WHERE customer_id = ?1", err);
	shop_bind_text(&q, 1, customer_id);
	found = shop_next(&q);
	if (shop_done(&q) != 0) {
		return q.status;
	}
	if (found || customer_id.len == 0) {
		return 1;
	}
	return shop_refuse(s, "customer", customer_id, SHOP_CUSTOMERS, answer, err);
}

#define ORDER_ROWS                                                                                                     \
	"SELECT o.order_id, o.customer_id, c.name, o.order_date, o.status,"                                            \
	" (SELECT coalesce(sum(quantity * price_cents), 0) FROM order_items i WHERE i.order_id = o.order_id),"         \
	" count(*) OVER () FROM orders o LEFT JOIN customers c USING (customer_id)"                                    \
	" WHERE (?1 IS NULL OR o.customer_id = ?1) AND (?2 IS NULL OR o.status = ?2)"                                  \
	" ORDER BY o.order_id DESC LIMIT ?3"

static int put_order(assay_json *object, const shop_query *q)
{
	int bad = shop_put_int(object, "order_id", q, 0);
	bad |= shop_put_text(object, "customer_id", q, 1);
	bad |= shop_put_text(object, "customer_name", q, 2);
	bad |= shop_put_text(object, "order_date", q, 3);
	bad |= shop_put_text(object, "status", q, 4);
	return bad | shop_put_money(object, "total", shop_int(q, 5));
}

int shop_call_orders(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	assay_str customer_id = demo_arg(arguments, "customer_id");
	assay_json *list;
	int64_t count = 0;
	shop_query q;
	int bad = 0, status = shop_has_customer(payload, customer_id, answer, err);
	if (status != 1) {
		return status;
	}
	list = as_json_array();
	shop_ask(&q, payload, ORDER_ROWS, err);
	shop_bind_text(&q, 1, customer_id);
	shop_bind_text(&q, 2, demo_arg(arguments, "status"));
	shop_bind_int(&q, 3, limit_of(arguments));
	while (shop_next(&q)) {
		assay_json *entry = as_json_object();
		count = shop_int(&q, 6);
		bad |= put_order(entry, &q);
		bad |= as_json_append(list, entry);
	}
	status = shop_done(&q);
	if (status == 0) {
		return answer_list(answer, "orders", count, list, bad, err);
	}
	as_json_free(list);
	return status;
}

/* --- get_details ------------------------------------------------------------------------------------------------- */

int shop_refuse_order(const shop *s, int64_t order_id, as_mcp_answer *answer, assay_error *err)
{
	shop_query q;
	int64_t first = 0, last = 0;
	shop_ask(&q, s, "SELECT min(order_id), max(order_id) FROM orders", err);
	if (shop_next(&q)) {
		first = shop_int(&q, 0);
		last = shop_int(&q, 1);
	}
	if (shop_done(&q) != 0) {
		return q.status;
	}
	return as_mcp_refuse(answer, "there is no order %lld; the orders run from %lld to %lld", (long long)order_id,
			     (long long)first, (long long)last);
}

static int put_items(const shop *s, int64_t order_id, assay_json *root, assay_error *err)
{
	assay_json *list = as_json_array();
	shop_query q;
	int bad = 0;
	shop_ask(&q, s,
		 "SELECT i.product_id, p.name, i.quantity, i.price_cents FROM order_items i LEFT JOIN products p"
		 " USING (product_id) WHERE i.order_id = ?1 ORDER BY i.product_id",
		 err);
	shop_bind_int(&q, 1, order_id);
	while (shop_next(&q)) {
		assay_json *entry = as_json_object();
		bad |= shop_put_text(entry, "product_id", &q, 0);
		bad |= shop_put_text(entry, "name", &q, 1);
		bad |= shop_put_int(entry, "quantity", &q, 2);
		bad |= shop_put_money(entry, "unit_price", shop_int(&q, 3));
		bad |= as_json_append(list, entry);
	}
	bad |= as_json_set(root, "items", list);
	if (shop_done(&q) != 0) {
		return q.status;
	}
	return bad ? as_fail_memory(err) : 0;
}

int shop_call_details(void *payload, const assay_json *arguments, as_mcp_answer *answer, assay_error *err)
{
	int64_t order_id = as_json_i64(as_json_get(arguments, "order_id"), 0);
	assay_json *root = NULL;
	shop_query q;
	int bad = 0, status;
	shop_ask(&q, payload,
		 "SELECT o.order_id, o.customer_id, c.name, o.order_date, o.status,"
		 " (SELECT coalesce(sum(quantity * price_cents), 0) FROM order_items i WHERE i.order_id = o.order_id),"
		 " c.city, (SELECT value FROM settings WHERE name = 'currency')"
		 " FROM orders o LEFT JOIN customers c USING (customer_id) WHERE o.order_id = ?1",
		 err);
	shop_bind_int(&q, 1, order_id);
	if (shop_next(&q)) {
		root = as_json_object();
		bad = put_order(root, &q);
		bad |= shop_put_text(root, "currency", &q, 7);
		bad |= shop_put_text(root, "city", &q, 6);
	}
	status = shop_done(&q);
	if (status == 0 && !root && !bad) {
		return shop_refuse_order(payload, order_id, answer, err);
	}
	if (status == 0) {
		status = put_items(payload, order_id, root, err);
	}
	if (status == 0) {
		return demo_finish(answer, root, bad, err);
	}
	as_json_free(root);
	return status;
}
