/* The tables of the Markdown report about how the tasks came to be, and what they stand on. */
#include "markdown.h"

#define REASON_CUT 160

/* Why slots of a category did not pass a stage. */
static size_t dropped_rows(markdown_report *r, assay_json *table, const assay_json *category, const assay_json *stage)
{
	size_t n = 0;
	for (const assay_json *reason = r->json->first(stage); reason; reason = r->json->next(reason), n++) {
		assay_json *row = row_new(r);
		row_add_text(r, &row, model_text(r, category, "category"), 0);
		row_add_text(r, &row, r->json->key(stage), 0);
		row_add_text(r, &row, r->json->key(reason), REASON_CUT);
		row_add_number(r, &row, r->json->i64(reason, 0));
		table_row(r, table, row);
	}
	return n;
}

static int dropped_table(markdown_report *r, assay_error *err)
{
	assay_json *table = table_new(r);
	size_t n = 0;
	table_column(r, table, "category", 0);
	table_column(r, table, "not", 0);
	table_column(r, table, "because", 0);
	table_column(r, table, "slots", 1);
	for (const assay_json *f = model_first(r, "funnel"); f; f = r->json->next(f)) {
		for (const assay_json *stage = r->json->first(r->json->get(f, "reasons")); stage;
		     stage = r->json->next(stage)) {
			n += dropped_rows(r, table, f, stage);
		}
	}
	if (n == 0) {
		r->json->free(table);
		return 0;
	}
	return put_table(r, table, err);
}

/* "invoices (simple 2 of 2, hard 1 of 1)" */
static void category_cell(markdown_report *r, assay_json **row, const assay_json *f)
{
	const assay_json *level = r->json->first(r->json->get(f, "levels"));
	markdown_clear(&r->cell);
	markdown_escape(&r->cell, model_text(r, f, "category"), 0);
	for (int n = 0; level; level = r->json->next(level), n++) {
		markdown_add(&r->cell, n ? ", " : " (");
		markdown_escape(&r->cell, r->json->key(level), 0);
		markdown_printf(&r->cell, " %lld of %lld%s", (long long)model_number(r, level, "certified"),
				(long long)model_number(r, level, "wanted"), r->json->next(level) ? "" : ")");
	}
	row_add(r, row, r->cell.ptr ? r->cell.ptr : "");
}

int put_funnel(markdown_report *r, assay_error *err)
{
	static const char *const keys[] = {"wanted",     "slots",     "goals", "traces",
					   "successful", "distilled", "valid", "certified"};
	const size_t n = sizeof keys / sizeof *keys;
	assay_json *table = table_new(r);
	int rc;
	put_heading(r, "From goals to tasks");
	table_column(r, table, "category", 0);
	for (size_t i = 0; i < n; i++) {
		table_column(r, table, keys[i], 1);
	}
	table_column(r, table, "mean calls", 1);
	table_column(r, table, "mean servers", 1);
	for (const assay_json *f = model_first(r, "funnel"); f; f = r->json->next(f)) {
		assay_json *row = row_new(r);
		category_cell(r, &row, f);
		for (size_t i = 0; i < n; i++) {
			row_add_number(r, &row, model_number(r, f, keys[i]));
		}
		row_add_mean(r, &row, r->json->get(f, "mean_depth"));
		row_add_mean(r, &row, r->json->get(f, "mean_servers"));
		table_row(r, table, row);
	}
	rc = put_table(r, table, err);
	return rc < 0 ? rc : dropped_table(r, err);
}

int put_gates(markdown_report *r, assay_error *err)
{
	assay_json *table;
	if (!model_first(r, "gates")) {
		return 0;
	}
	put_heading(r, "Gates");
	markdown_add(&r->out, "Over all tasks that were put to a gate, those that were refused among them.\n\n");
	table = table_new(r);
	table_column(r, table, "gate", 0);
	table_column(r, table, "required", 0);
	table_column(r, table, "tasks passed", 1);
	table_column(r, table, "tasks failed", 1);
	table_column(r, table, "pass rate", 1);
	for (const assay_json *g = model_first(r, "gates"); g; g = r->json->next(g)) {
		assay_json *row = row_new(r);
		row_add_text(r, &row, model_text(r, g, "gate"), 0);
		row_add(r, &row, r->json->boolean(r->json->get(g, "required"), 0) ? "yes" : "no");
		row_add_number(r, &row, model_number(r, g, "passed"));
		row_add_number(r, &row, model_number(r, g, "failed"));
		row_add_rate(r, &row, r->json->get(g, "pass_rate"),
			     model_number(r, g, "passed") + model_number(r, g, "failed"));
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}

/* ---- what it stands on ---- */

int put_servers(markdown_report *r, assay_error *err)
{
	static const char *const keys[] = {"server_id", "class", "name", "version", "protocol"};
	assay_json *table = table_new(r);
	put_heading(r, "Servers");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		table_column(r, table, i ? keys[i] : "server", 0);
	}
	table_column(r, table, "tools", 1);
	table_column(r, table, "tool surface", 0);
	for (const assay_json *s = model_first(r, "servers"); s; s = r->json->next(s)) {
		assay_json *row = row_new(r);
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
			row_add_text(r, &row, model_text(r, s, keys[i]), 80);
		}
		row_add_number(r, &row, model_number(r, s, "tools"));
		row_add_text(r, &row, model_text(r, s, "tool_surface_hash"), 16);
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}

int put_plugins(markdown_report *r, assay_error *err)
{
	assay_json *table = table_new(r);
	put_heading(r, "Plugins");
	table_column(r, table, "plugin", 0);
	table_column(r, table, "version", 0);
	for (const assay_json *p = model_first(r, "plugins"); p; p = r->json->next(p)) {
		assay_json *row = row_new(r);
		row_add_text(r, &row, model_text(r, p, "use"), 0);
		row_add_text(r, &row, model_text(r, p, "version"), 0);
		table_row(r, table, row);
	}
	return put_table(r, table, err);
}
