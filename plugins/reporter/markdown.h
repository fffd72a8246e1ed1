/* Shared by the files of reporter_markdown. */
#ifndef REPORTER_MARKDOWN_H
#define REPORTER_MARKDOWN_H

#include <assay/roles/reporter.h>
#include <assay/table.h>

/* A growing text; failure is sticky. */
typedef struct markdown_text {
	const assay_host *host;
	char *ptr;
	size_t len, cap;
	int failed;
} markdown_text;

void markdown_add(markdown_text *t, const char *s);
void text_add_n(markdown_text *t, assay_str s);
void markdown_printf(markdown_text *t, const char *format, ...) ASSAY_PRINTF(2, 3);
/* Text of somebody else as nothing but text: one line, no markup of Markdown or HTML, no links, no control characters.
 * At most `cut` characters (0: all). */
void markdown_escape(markdown_text *t, assay_str s, size_t cut);
void markdown_clear(markdown_text *t);
void markdown_free(markdown_text *t);

/* A report while it is written. */
typedef struct markdown_report {
	const assay_host *host;
	const assay_json_api *json;
	const assay_table_api *table;
	const assay_json *model;
	int with_tasks;
	markdown_text out;  /* the report */
	markdown_text cell; /* the cell that is being made */
} markdown_report;

/* Tables are JSON values (assay/table.h). Cells are put into a row one after the other. A chain of calls fails by
 * itself when memory is out: put_table says so. */
assay_json *table_new(const markdown_report *r);
void table_column(const markdown_report *r, assay_json *table, const char *title, int right);
void table_column_text(markdown_report *r, assay_json *table, assay_str title, int right); /* escaped */
assay_json *row_new(const markdown_report *r);
void row_add(const markdown_report *r, assay_json **row, const char *text);
void row_add_text(markdown_report *r, assay_json **row, assay_str text, size_t cut); /* escaped */
void row_add_number(const markdown_report *r, assay_json **row, int64_t n);
void row_add_mean(const markdown_report *r, assay_json **row, const assay_json *mean); /* NULL: a dash */
void row_add_share(const markdown_report *r, assay_json **row, double share);
void row_add_rate(const markdown_report *r, assay_json **row, const assay_json *rate, int64_t n);
void table_row(const markdown_report *r, assay_json *table, assay_json *row); /* row is taken over */
/* Write the table with an empty line after it. Takes it over. */
int put_table(markdown_report *r, assay_json *table, assay_error *err);

/* Of the model: the first of one of its lists; a text, a whole number of an object. */
const assay_json *model_first(const markdown_report *r, const char *list);
assay_str model_text(const markdown_report *r, const assay_json *object, const char *key);
int64_t model_number(const markdown_report *r, const assay_json *object, const char *key);

/* The parts of the report. */
void put_heading(markdown_report *r, const char *text);
int put_leaderboard(markdown_report *r, assay_error *err);
int put_comparison(markdown_report *r, assay_error *err); /* nothing where there is one condition */
int put_scorers(markdown_report *r, assay_error *err);
int put_categories(markdown_report *r, assay_error *err);
int put_served(markdown_report *r, assay_error *err);
int put_attribution(markdown_report *r, assay_error *err);
int put_ends(markdown_report *r, assay_error *err);
int put_funnel(markdown_report *r, assay_error *err);
int put_gates(markdown_report *r, assay_error *err);
int put_tasks(markdown_report *r, assay_error *err);
int put_servers(markdown_report *r, assay_error *err);
int put_plugins(markdown_report *r, assay_error *err);

#endif
