/* Assay SDK: the table writer, for reporters. host->service("table", 1) answers a const assay_table_api *, or NULL. */
#ifndef ASSAY_TABLE_H
#define ASSAY_TABLE_H

#include <assay/json.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_TABLE_TERMINAL 0u
#define ASSAY_TABLE_MARKDOWN 1u

typedef struct assay_table_api {
	uint32_t size;
	uint32_t reserved;
	/* table: {"columns": [{"title": text, "align": "left"|"right"}], "rows": [[text, ...], ...]}. Free with
	 * json->text_free. */
	int (*render)(const assay_json *table, uint32_t style, assay_text *out, assay_error *err);
} assay_table_api;

#ifdef __cplusplus
}
#endif
#endif
