#include "core/base/json.h"

/* C's bool is not int in a function's type. */
static int equal(const assay_json *a, const assay_json *b)
{
	return as_json_equal(a, b);
}

const assay_json_api as_json_table = {
	.size = sizeof as_json_table,
	.parse = as_json_parse,
	.dump = as_json_dump,
	.text_free = as_text_free,
	.type = as_json_type,
	.get = as_json_get,
	.get_n = as_json_get_n,
	.at = as_json_at,
	.pointer = as_json_pointer,
	.first = as_json_first,
	.next = as_json_next,
	.key = as_json_key,
	.count = as_json_count,
	.str = as_json_str,
	.spelling = as_json_spelling,
	.i64 = as_json_i64,
	.f64 = as_json_f64,
	.boolean = as_json_boolean,
	.equal = equal,
	.object = as_json_object,
	.array = as_json_array,
	.string = as_json_string,
	.integer = as_json_integer,
	.real = as_json_real,
	.truth = as_json_truth,
	.null = as_json_null,
	.clone = as_json_clone,
	.set = as_json_set,
	.set_n = as_json_set_n,
	.append = as_json_append,
	.detach = as_json_detach,
	.free = as_json_free,
	.record = as_json_record,
	.freeze = as_json_freeze,
};

const assay_json_api *as_json_api(void)
{
	return &as_json_table;
}
