#include "core/base/error.h"
#include "core/plugin/registry.h"

static int collect_emit(assay_sink *sink, assay_json *value, assay_error *err)
{
	as_collect *c = (as_collect *)sink;
	if (!value) {
		return as_fail_memory(err);
	}
	if (c->max_values > 0 && c->n_values >= c->max_values) {
		c->n_refused++; /* the plugin may not care, as_collect_one does */
		as_json_free(value);
		return as_fail(err, ASSAY_ELIMIT, "more than %zu values were emitted", c->max_values);
	}
	if (!c->values) {
		c->values = as_json_array();
	}
	if (!c->values) {
		as_json_free(value);
		return as_fail_memory(err);
	}
	if (as_json_append(c->values, value) < 0) {
		return as_fail_memory(err);
	}
	c->n_values++;
	return 0;
}

static int collect_write(assay_sink *sink, assay_str text, assay_error *err)
{
	as_collect *c = (as_collect *)sink;
	if (c->max_bytes > 0 && (c->text.len > c->max_bytes || text.len > c->max_bytes - c->text.len)) {
		return as_fail(err, ASSAY_ELIMIT, "more than %zu bytes were written", c->max_bytes);
	}
	as_buf_add(&c->text, text);
	return as_buf_check(&c->text, err);
}

void as_collect_init(as_collect *c, size_t max_values, size_t max_bytes)
{
	*c = (as_collect){.sink = {sizeof(assay_sink), 0, collect_emit, collect_write},
			  .max_values = max_values,
			  .max_bytes = max_bytes};
}

int as_collect_one(as_collect *c, const char *who, assay_json **out, assay_error *err)
{
	if (c->n_values + c->n_refused != 1) {
		as_fail(err, ASSAY_EPLUGIN, "emitted %zu values, expected 1", c->n_values + c->n_refused);
		as_error_where(err, who, 0);
		return ASSAY_EPLUGIN;
	}
	*out = as_json_take_first(c->values);
	as_json_free(c->values);
	c->values = NULL;
	c->n_values = 0;
	return 0;
}

void as_collect_free(as_collect *c)
{
	if (!c) {
		return;
	}
	as_json_free(c->values);
	c->values = NULL;
	c->n_values = 0;
	as_buf_free(&c->text);
}
