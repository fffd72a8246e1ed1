/* assay-shop DB [--seed FILE]: an MCP server for a shop with products, customers and orders. */
#include "contrib/servers/shop.h"
#include "config.h"
#include "contrib/servers/schema_text.h"

#define READS (AS_MCP_READ_ONLY | AS_MCP_IDEMPOTENT | AS_MCP_CLOSED_WORLD)

#define PRODUCT_ID                                                                                                     \
	S_STRING("product_id", "Id of the product, as search gives it.", S_SIZE("1", "40") S_EXAMPLE(Q("P-1043")))
#define CUSTOMER_ID(about) S_STRING("customer_id", about, S_SIZE("1", "40") S_EXAMPLE(Q("C-207")))
#define THE_CUSTOMER CUSTOMER_ID("Id of the customer, as list_customers gives it.")
#define ORDER_ID                                                                                                       \
	S_INTEGER("order_id", "Number of the order, as list_orders gives it.",                                         \
		  S_RANGE("1", "999999999") S_EXAMPLE("5017"))
#define STATUSES "\"open\",\"packed\",\"shipped\",\"delivered\",\"cancelled\""
#define LIMIT(what) S_INTEGER("limit", "How many " what " to return at most.", S_RANGE("1", "100") S_DEFAULT("20"))
#define PRICE(name, about) S_NUMBER(name, about, S_RANGE("0", "1000000"))

#define OUT(name, about) S_STRING(name, about, "")
#define OUT_PRODUCT_ID OUT("product_id", "Id of the product.")
#define OUT_NAME OUT("name", "Name of the product.")
#define OUT_CATEGORY OUT("category", "Category of the product.")
#define OUT_PRICE S_NUMBER("price", "Price of one piece.", "")
#define OUT_CURRENCY OUT("currency", "Currency of the prices.")
#define OUT_STOCK S_INTEGER("stock", "Pieces in stock.", "")
#define OUT_QUANTITY S_INTEGER("quantity", "Number of pieces.", "")
#define OUT_CUSTOMER_ID OUT("customer_id", "Id of the customer.")
#define OUT_CUSTOMER_NAME OUT("customer_name", "Name of the customer.")
#define OUT_ORDER_ID S_INTEGER("order_id", "Number of the order.", "")
#define OUT_ORDER_DATE OUT("order_date", "Day on which it was ordered.")
#define OUT_STATUS S_STRING("status", "State of the order.", S_ENUM(STATUSES))
#define OUT_TOTAL S_NUMBER("total", "What the order costs.", "")
#define OUT_COUNT(what) S_INTEGER("count", "Number of " what " that match.", "")

#define FOUND                                                                                                          \
	S_OBJECT(S_JOIN(Q("product_id"), Q("name"), Q("category"), Q("price"), Q("stock")), OUT_PRODUCT_ID, OUT_NAME,  \
		 OUT_CATEGORY, OUT_PRICE, OUT_STOCK)
#define LISTED_CUSTOMER                                                                                                \
	S_OBJECT(S_JOIN(Q("customer_id"), Q("name"), Q("email"), Q("address"), Q("city"), Q("customer_since")),        \
		 OUT_CUSTOMER_ID, OUT("name", "Name of the customer."), OUT("email", "Email address."),                \
		 OUT("address", "Street address."), OUT("city", "City the customer lives in."),                        \
		 OUT("customer_since", "Day of the first order."))
#define LISTED_ORDER                                                                                                   \
	S_OBJECT(S_JOIN(Q("order_id"), Q("customer_id"), Q("customer_name"), Q("order_date"), Q("status"),             \
			Q("total")),                                                                                   \
		 OUT_ORDER_ID, OUT_CUSTOMER_ID, OUT_CUSTOMER_NAME, OUT_ORDER_DATE, OUT_STATUS, OUT_TOTAL)
#define ITEM                                                                                                           \
	S_OBJECT(S_JOIN(Q("product_id"), Q("name"), Q("quantity"), Q("unit_price")), OUT_PRODUCT_ID, OUT_NAME,         \
		 OUT_QUANTITY, S_NUMBER("unit_price", "Price of one piece in this order.", ""))
#define RETURNED S_OBJECT(S_JOIN(Q("product_id"), Q("quantity"), Q("stock")), OUT_PRODUCT_ID, OUT_QUANTITY, OUT_STOCK)

static const as_mcp_tool tools[] = {
	{
		.name = "search",
		.title = "Search products",
		.description = "Search the products of the shop for words in their name, category and description, "
			       "optionally within a category or a price range, and return the matching products.",
		.input_schema = S_INPUT(Q("query"),
					S_STRING("query", "Words to look for in the products.",
						 S_SIZE("1", "200") S_EXAMPLE(Q("lantern"))),
					S_STRING("category", "Only products of this category.",
						 S_SIZE("1", "40") S_EXAMPLE(Q("kitchen"))),
					PRICE("min_price", "Only products that cost at least this."),
					PRICE("max_price", "Only products that cost at most this."), LIMIT("products")),
		.output_schema = S_OBJECT(S_JOIN(Q("count"), Q("products")), OUT_COUNT("products"),
					  S_LIST("products", "The products, sorted by id.", FOUND)),
		.hints = READS,
		.call = shop_call_search,
	},
	{
		.name = "get_product",
		.title = "Get a product",
		.description =
			"Get one product by its id: name, category, price, stock, weight, supplier and description.",
		.input_schema = S_INPUT(Q("product_id"), PRODUCT_ID),
		.output_schema = S_OBJECT(S_JOIN(Q("product_id"), Q("name"), Q("category"), Q("price"), Q("currency"),
						 Q("stock"), Q("weight_grams"), Q("supplier"), Q("description")),
					  OUT_PRODUCT_ID, OUT_NAME, OUT_CATEGORY, OUT_PRICE, OUT_CURRENCY, OUT_STOCK,
					  S_INTEGER("weight_grams", "Weight of one piece in grams.", ""),
					  OUT("supplier", "Who makes it."), OUT("description", "What it is.")),
		.hints = READS,
		.call = shop_call_product,
	},
	{
		.name = "check_stock",
		.title = "Check the stock",
		.description = "Get the stock and the price of one product by its id.",
		.input_schema = S_INPUT(Q("product_id"), PRODUCT_ID),
		.output_schema = S_OBJECT(S_JOIN(Q("product_id"), Q("price"), Q("currency"), Q("stock")),
					  OUT_PRODUCT_ID, OUT_PRICE, OUT_CURRENCY, OUT_STOCK),
		.hints = READS,
		.call = shop_call_stock,
	},
	{
		.name = "list_customers",
		.title = "List customers",
		.description =
			"List the customers of the shop with their ids, email and postal addresses, optionally only "
			"those of one city or with a certain name.",
		.input_schema =
			S_INPUT("",
				S_STRING("city", "Only customers who live in this city.",
					 S_SIZE("1", "60") S_EXAMPLE(Q("Lisbon"))),
				S_STRING("name", "Only customers whose name holds these words.", S_SIZE("1", "100")),
				LIMIT("customers")),
		.output_schema = S_OBJECT(S_JOIN(Q("count"), Q("customers")), OUT_COUNT("customers"),
					  S_LIST("customers", "The customers, sorted by id.", LISTED_CUSTOMER)),
		.hints = READS,
		.call = shop_call_customers,
	},
	{
		.name = "list_orders",
		.title = "List orders",
		.description =
			"List the orders of the shop, newest first, optionally only those of one customer or with one "
			"status.",
		.input_schema =
			S_INPUT("", CUSTOMER_ID("Only orders of the customer with this id."),
				S_STRING("status", "Only orders in this state.", S_ENUM(STATUSES)), LIMIT("orders")),
		.output_schema = S_OBJECT(S_JOIN(Q("count"), Q("orders")), OUT_COUNT("orders"),
					  S_LIST("orders", "The orders, newest first.", LISTED_ORDER)),
		.hints = READS,
		.call = shop_call_orders,
	},
	{
		.name = "get_details",
		.title = "Get details of an order",
		.description =
			"Get the details of one order by its number: customer, date, status, total and the items with "
			"quantity and price.",
		.input_schema = S_INPUT(Q("order_id"), ORDER_ID),
		.output_schema = S_OBJECT(S_JOIN(Q("order_id"), Q("customer_id"), Q("customer_name"), Q("order_date"),
						 Q("status"), Q("total"), Q("currency"), Q("city"), Q("items")),
					  OUT_ORDER_ID, OUT_CUSTOMER_ID, OUT_CUSTOMER_NAME, OUT_ORDER_DATE, OUT_STATUS,
					  OUT_TOTAL, OUT_CURRENCY, OUT("city", "City the customer lives in."),
					  S_LIST("items", "What was ordered, sorted by product id.", ITEM)),
		.hints = READS,
		.call = shop_call_details,
	},
	{
		.name = "place_order",
		.title = "Place an order",
		.description =
			"Place a new order of one product for a customer. The stock falls by the quantity; refused when "
			"there is not enough.",
		.input_schema =
			S_INPUT(S_JOIN(Q("customer_id"), Q("product_id"), Q("quantity")), THE_CUSTOMER, PRODUCT_ID,
				S_INTEGER("quantity", "Number of pieces.", S_RANGE("1", "1000") S_EXAMPLE("2"))),
		.output_schema =
			S_OBJECT(S_JOIN(Q("order_id"), Q("customer_id"), Q("product_id"), Q("quantity"), Q("total"),
					Q("order_date"), Q("status"), Q("stock_left")),
				 OUT_ORDER_ID, OUT_CUSTOMER_ID, OUT_PRODUCT_ID, OUT_QUANTITY, OUT_TOTAL, OUT_ORDER_DATE,
				 OUT_STATUS, S_INTEGER("stock_left", "Pieces left in stock.", "")),
		.hints = AS_MCP_CLOSED_WORLD,
		.call = shop_call_place,
	},
	{
		.name = "cancel_order",
		.title = "Cancel an order",
		.description =
			"Cancel an order that is open or packed. Its items go back into stock. This cannot be undone.",
		.input_schema = S_INPUT(Q("order_id"), ORDER_ID),
		.output_schema = S_OBJECT(S_JOIN(Q("order_id"), Q("status"), Q("returned")), OUT_ORDER_ID, OUT_STATUS,
					  S_LIST("returned", "What went back into stock.", RETURNED)),
		.hints = AS_MCP_DESTRUCTIVE | AS_MCP_CLOSED_WORLD,
		.call = shop_call_cancel,
	},
	{
		.name = "update_address",
		.title = "Update an address",
		.description =
			"Update the postal address of a customer: the street address and, when it changes, the city.",
		.input_schema = S_INPUT(S_JOIN(Q("customer_id"), Q("address")), THE_CUSTOMER,
					S_STRING("address", "New street address.",
						 S_SIZE("1", "200") S_EXAMPLE(Q("12 Quay Street"))),
					S_STRING("city", "New city; left as it is when not given.", S_SIZE("1", "60"))),
		.output_schema =
			S_OBJECT(S_JOIN(Q("customer_id"), Q("name"), Q("address"), Q("city"), Q("old_address")),
				 OUT_CUSTOMER_ID, OUT("name", "Name of the customer."),
				 OUT("address", "Street address now."), OUT("city", "City now."),
				 OUT("old_address", "Street address before.")),
		.hints = AS_MCP_CLOSED_WORLD,
		.call = shop_call_address,
	},
	{
		.name = "delete_customer",
		.title = "Delete a customer",
		.description = "Delete a customer and all orders of that customer for good. This cannot be undone.",
		.input_schema = S_INPUT(Q("customer_id"), THE_CUSTOMER),
		.output_schema = S_OBJECT(S_JOIN(Q("customer_id"), Q("name"), Q("deleted_orders")), OUT_CUSTOMER_ID,
					  OUT("name", "Name the customer had."),
					  S_INTEGER("deleted_orders", "How many orders went with it.", "")),
		.hints = AS_MCP_DESTRUCTIVE | AS_MCP_CLOSED_WORLD,
		.call = shop_call_delete,
	},
};

static const demo_program program = {
	.name = "assay-shop",
	.operand = "DB",
	.option = "seed",
	.value = "FILE",
	.help = "Serve the shop in the SQLite database DB over MCP on stdin and stdout.\n"
		"\n"
		"      --seed FILE  make DB from this SQL script when it does not exist\n"
		"      --help       print this and leave\n"
		"      --version    print the version and leave\n"
		"\n"
		"Exit status: 0 when stdin ended, 2 wrong usage, 3 DB or FILE cannot be used, 1 any other failure.\n",
};

int main(int argc, char **argv)
{
	demo_options options;
	shop store = {0};
	assay_error err = {0};
	int status = demo_options_read(&program, argc, argv, &options);
	if (status >= 0) {
		return status;
	}
	if (shop_open(options.operand, options.option, &store, &err) != 0) {
		return demo_fail(&program, &err);
	}
	as_mcp_server server = {
		.name = "assay-shop",
		.title = "Shop",
		.version = PACKAGE_VERSION,
		.instructions = "A shop. Products, customers and orders are named by their ids.",
		.tools = tools,
		.n_tools = sizeof tools / sizeof tools[0],
		.payload = &store,
	};
	status = demo_serve(&program, &server);
	shop_close(&store);
	return status;
}
