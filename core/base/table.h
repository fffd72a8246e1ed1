/* The one table writer: for terminals and for Markdown. Thread: any. */
#ifndef AS_TABLE_H
#define AS_TABLE_H

#include "core/base/json.h"

#define AS_TABLE_TERMINAL 0u /* aligned columns, headings underlined */
#define AS_TABLE_MARKDOWN 1u

/* table: {"columns": [{"title": text, "align": "left"|"right"}], "rows": [[text, ...], ...]}. Short rows are filled up,
 * control characters made harmless, "|" escaped in Markdown. ASSAY_EINVAL for another shape. */
int as_table_render(const assay_json *table, uint32_t style, as_buf *out, assay_error *err);

/* Building one: both answer 0 or ASSAY_ENOMEM. as_table_new answers NULL when memory is out. */
assay_json *as_table_new(void);
int as_table_column(assay_json *table, const char *title, bool right);
int as_table_row(assay_json *table, const char *const *cells, size_t n);

#endif
