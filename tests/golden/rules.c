/* Vectors of the rules about names. */
#include "tests/golden/golden.h"

#include "core/task/catalogue.h"
#include "core/task/rules.h"

#include <stdlib.h>

static void run_namespacing(golden_case *c)
{
	assay_str server, tool;

	golden_member(&c->expected, c->one, "split");
	if (!as_qualified_split(as_json_str(as_json_get(c->one, "qualified")), &server, &tool)) {
		as_buf_puts(&c->got, "null");
		return;
	}
	as_buf_byte(&c->got, '[');
	as_json_write_string(&c->got, server, false);
	as_buf_byte(&c->got, ',');
	as_json_write_string(&c->got, tool, false);
	as_buf_byte(&c->got, ']');
}

static void run_goal_id(golden_case *c)
{
	as_buf_add(&c->expected, as_json_str(as_json_get(c->one, "id")));
	as_goal_slug(&c->got, as_json_str(as_json_get(c->one, "raw")), as_json_str(as_json_get(c->one, "prefix")));
}

static void run_server_id(golden_case *c)
{
	as_buf_add(&c->expected, as_json_str(as_json_get(c->one, "server_id")));
	as_server_slug(&c->got, as_json_str(as_json_get(c->one, "name")));
}

static void run_destructive(golden_case *c)
{
	golden_member(&c->expected, c->one, "destructive");
	as_buf_puts(&c->got, as_is_destructive_name(as_json_str(as_json_get(c->one, "tool"))) ? "true" : "false");
}

static void run_dynamism(golden_case *c)
{
	const assay_json *tools = as_json_get(c->one, "tools");
	assay_str *names = as_new(as_json_count(tools), sizeof *names);
	size_t n = 0;
	int server_class;

	as_buf_add(&c->expected, as_json_str(as_json_get(c->one, "dynamism")));
	if (!names) {
		return;
	}
	for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
		names[n++] = as_json_str(t);
	}
	server_class = as_guess_class(names, n);
	as_buf_puts(&c->got, server_class < 0 ? as_error_name(server_class) : as_class_name(server_class));
	free(names);
}

const golden_kind golden_rules[] = {
	{"namespacing", "qualified split", run_namespacing}, {"goal_id", "raw prefix id", run_goal_id},
	{"server_id", "name server_id", run_server_id},      {"destructive", "tool destructive", run_destructive},
	{"dynamism", "tools dynamism", run_dynamism},        {0},
};
