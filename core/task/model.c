#include "core/task/model.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/task/model_scalar.h"
#include <math.h>

#define MAX_SHOWN 64                 /* bytes of a text that is not what was expected */
#define EPOCH "1970-01-01T00:00:00Z" /* for a time that is not given: the wall clock has no place in a document */

static const char *type_name(const as_field *f)
{
	static const char *const names[] = {
		[AS_FIELD_ANY] = "a value",
		[AS_FIELD_TEXT] = "a text",
		[AS_FIELD_INT] = "an integer",
		[AS_FIELD_REAL] = "a number",
		[AS_FIELD_BOOL] = "true or false",
		[AS_FIELD_UUID] = "a UUID",
		[AS_FIELD_TIME] = "a timestamp",
		[AS_FIELD_ENUM] = "one of its words",
		[AS_FIELD_OBJECT] = "an object",
		[AS_FIELD_LIST] = "an array",
		[AS_FIELD_TEXTS] = "an array of texts",
		[AS_FIELD_TEXT_MAP] = "an object of texts",
		[AS_FIELD_MODEL] = "an object",
		[AS_FIELD_MODELS] = "an array of objects",
		[AS_FIELD_MODEL_MAP] = "an object of objects",
		[AS_FIELD_MODEL_LISTS] = "an object of arrays",
		[AS_FIELD_UNION] = "an array of objects",
	};
	return names[f->type];
}

/* The type that a field's JSON value must have, 0 when scalars are looked at more closely. */
static int container_type(enum as_field_type type)
{
	switch (type) {
	case AS_FIELD_OBJECT:
	case AS_FIELD_TEXT_MAP:
	case AS_FIELD_MODEL:
	case AS_FIELD_MODEL_MAP:
	case AS_FIELD_MODEL_LISTS:
		return ASSAY_JSON_OBJECT;
	case AS_FIELD_LIST:
	case AS_FIELD_TEXTS:
	case AS_FIELD_MODELS:
	case AS_FIELD_UNION:
		return ASSAY_JSON_ARRAY;
	default:
		return 0;
	}
}

static assay_json *free_number(const assay_json *v)
{
	assay_str spelling = as_json_spelling(v);
	if (as_json_is_integer(v)) {
		return as_str_is(spelling, "-0") ? as_json_integer(0) : as_json_clone(v);
	}
	return as_scalar_double(as_json_f64(v, (double)NAN));
}

assay_json *as_model_free_value(const assay_json *v)
{
	int type = as_json_type(v), rc = 0;
	assay_json *out;
	if (type == ASSAY_JSON_NUMBER) {
		return free_number(v);
	}
	if (type != ASSAY_JSON_OBJECT && type != ASSAY_JSON_ARRAY) {
		return as_json_clone(v);
	}
	out = type == ASSAY_JSON_OBJECT ? as_json_object() : as_json_array();
	rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		assay_json *copy = as_model_free_value(m);
		rc = type == ASSAY_JSON_OBJECT ? as_json_set_n(out, as_json_key(m), copy) : as_json_append(out, copy);
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

static int wrong(const as_field *f, const assay_json *v, assay_error *err)
{
	assay_str found = as_json_str(v);
	as_buf words = {0};
	int rc;
	found.len = as_utf8_prefix(found, MAX_SHOWN);
	for (size_t i = 0; f->words && f->words[i]; i++) {
		as_buf_printf(&words, "%s%s", i ? ", " : "", f->words[i]);
	}
	if (!f->words || words.failed) {
		rc = as_fail(err, ASSAY_EDATA, "\"%s\" is not %s", f->key, type_name(f));
	} else if (as_json_type(v) == ASSAY_JSON_STRING) {
		rc = as_fail(err, ASSAY_EDATA, "\"%s\" is none of %s: \"%.*s\"", f->key, words.ptr, ASSAY_FMT(found));
	} else {
		rc = as_fail(err, ASSAY_EDATA, "\"%s\" is none of %s", f->key, words.ptr);
	}
	as_buf_free(&words);
	return rc;
}

static bool is_word(const char *const *words, assay_str word)
{
	for (size_t i = 0; words[i]; i++) {
		if (as_str_is(word, words[i])) {
			return true;
		}
	}
	return false;
}

/* Infinite numbers are written as null, as the reference does; where it would not read that again, they are refused. */
static int read_real(const as_field *f, const assay_json *v, assay_json **out)
{
	int rc = as_scalar_real(v, out);
	if (as_json_type(*out) == ASSAY_JSON_NULL && !(f->flags & AS_FIELD_NULLABLE)) {
		as_json_free(*out);
		*out = NULL;
	}
	return rc;
}

/* *out stays NULL when the value is not what the field holds. */
static int read_scalar(const as_field *f, const assay_json *v, assay_json **out)
{
	bool text = as_json_type(v) == ASSAY_JSON_STRING;
	*out = NULL;
	switch (f->type) {
	case AS_FIELD_INT:
		return as_scalar_int(v, out);
	case AS_FIELD_REAL:
		return read_real(f, v, out);
	case AS_FIELD_BOOL:
		return as_scalar_bool(v, out);
	case AS_FIELD_UUID:
		return as_scalar_uuid(v, out);
	case AS_FIELD_TIME:
		return as_scalar_time(v, out);
	case AS_FIELD_TEXT:
	case AS_FIELD_ENUM:
		if (!text || (f->words && !is_word(f->words, as_json_str(v)))) {
			return 0;
		}
		*out = as_json_clone(v);
		break;
	default:
		*out = as_model_free_value(v);
		break;
	}
	return *out ? 0 : ASSAY_ENOMEM;
}

static int read_field(const as_field *f, const assay_json *v, assay_json **out, assay_error *err);

/* One member of a union: the model whose name is its "kind". */
static int read_variant(const as_field *f, const assay_json *v, assay_json **out, assay_error *err)
{
	assay_str kind = as_json_str(as_json_get(v, "kind"));
	for (const as_model *m = f->model; m->name; m++) {
		if (as_str_is(kind, m->name)) {
			return as_model_read(m, v, out, err);
		}
	}
	as_fail(err, ASSAY_EDATA,
		as_json_get(v, "kind") ? "\"%.*s\" is no kind of what stands here" : "\"kind\" is missing",
		ASSAY_FMT(kind));
	as_error_pointer(err, "/kind");
	return ASSAY_EDATA;
}

/* One element of a container. */
static int read_element(const as_field *f, const assay_json *v, assay_json **out, assay_error *err)
{
	const as_field text = {.key = f->key, .type = AS_FIELD_TEXT};
	const as_field models = {.key = f->key, .type = AS_FIELD_MODELS, .model = f->model};
	switch (f->type) {
	case AS_FIELD_TEXTS:
	case AS_FIELD_TEXT_MAP:
		return read_field(&text, v, out, err);
	case AS_FIELD_MODEL_LISTS:
		return read_field(&models, v, out, err);
	case AS_FIELD_UNION:
		return read_variant(f, v, out, err);
	default:
		return as_model_read(f->model, v, out, err);
	}
}

static int read_elements(const as_field *f, const assay_json *v, assay_json **out, assay_error *err)
{
	bool object = as_json_type(v) == ASSAY_JSON_OBJECT;
	assay_json *made = object ? as_json_object() : as_json_array();
	size_t index = 0;
	int rc = made ? 0 : as_fail_memory(err);
	for (const assay_json *e = as_json_first(v); e && rc == 0; e = as_json_next(e), index++) {
		assay_json *element = NULL;
		rc = read_element(f, e, &element, err);
		if (rc < 0) {
			object ? as_error_pointer(err, "/%.*s", ASSAY_FMT(as_json_key(e)))
			       : as_error_pointer(err, "/%zu", index);
		} else if ((object ? as_json_set_n(made, as_json_key(e), element) : as_json_append(made, element)) <
			   0) {
			rc = as_fail_memory(err);
		}
	}
	if (rc < 0) {
		as_json_free(made);
		return rc;
	}
	*out = made;
	return 0;
}

static int read_field(const as_field *f, const assay_json *v, assay_json **out, assay_error *err)
{
	int wanted = container_type(f->type), rc;
	*out = NULL;
	if (as_json_type(v) == ASSAY_JSON_NULL && f->flags & AS_FIELD_NULLABLE) {
		*out = as_json_null();
		return *out ? 0 : as_fail_memory(err);
	}
	if (wanted && as_json_type(v) != wanted) {
		return wrong(f, v, err);
	}
	if (f->flags & AS_FIELD_NOT_EMPTY && as_json_count(v) == 0) {
		return as_fail(err, ASSAY_EDATA, "\"%s\" is empty", f->key);
	}
	if (f->type == AS_FIELD_MODEL) {
		return as_model_read(f->model, v, out, err);
	}
	if (wanted && f->type != AS_FIELD_OBJECT && f->type != AS_FIELD_LIST) {
		return read_elements(f, v, out, err);
	}
	rc = read_scalar(f, v, out);
	return rc < 0 ? as_fail_memory(err) : *out ? 0 : wrong(f, v, err);
}

/* A UUID that stands for the document: the reference draws one, we make it of the content. */
static assay_json *fresh_uuid(const as_model *model, const assay_json *document)
{
	assay_text text = {0};
	assay_json *v = NULL;
	char id[37];
	if (as_json_dump(document, ASSAY_JSON_CANONICAL, &text, NULL) == 0) {
		assay_str parts[] = {as_text_str(text)};
		as_uuid_parts(model->name, parts, 1, id);
		v = as_json_cstring(id);
	}
	as_text_free(&text);
	return v;
}

static int fill_in(const as_model *model, const as_field *f, const assay_json *document, assay_json **out,
		   assay_error *err)
{
	int rc = 0;
	*out = NULL;
	if (f->flags & AS_FIELD_REQUIRED) {
		return as_fail(err, ASSAY_EDATA, "\"%s\" is missing: expected %s", f->key, type_name(f));
	}
	if (f->type == AS_FIELD_UUID) {
		*out = fresh_uuid(model, document);
	} else if (f->otherwise) {
		rc = as_json_parse(as_str(f->otherwise), ASSAY_JSON_STRICT, out, NULL);
	} else {
		*out = f->type == AS_FIELD_TIME && !(f->flags & AS_FIELD_NULLABLE) ? as_json_cstring(EPOCH)
										   : as_json_null();
	}
	return rc < 0 || !*out ? as_fail_memory(err) : 0;
}

static const as_field *field_of(const as_model *model, assay_str key)
{
	for (const as_field *f = model->fields; f->key; f++) {
		if (as_str_is(key, f->key)) {
			return f;
		}
	}
	return NULL;
}

/* Keys that the model does not name: kept behind the others, or an error. */
static int keep_unknown(const as_model *model, const assay_json *document, assay_json *made, assay_error *err)
{
	for (const assay_json *m = as_json_first(document); m; m = as_json_next(m)) {
		assay_str key = as_json_key(m);
		if (field_of(model, key)) {
			continue;
		}
		if (!model->open) {
			as_fail(err, ASSAY_EDATA, "\"%.*s\" is no field of the format \"%s\"", ASSAY_FMT(key),
				model->name);
			as_error_pointer(err, "/%.*s", ASSAY_FMT(key));
			return ASSAY_EDATA;
		}
		if (as_json_set_n(made, key, as_model_free_value(m)) < 0) {
			return as_fail_memory(err);
		}
	}
	return 0;
}

int as_model_read(const as_model *model, const assay_json *document, assay_json **out, assay_error *err)
{
	assay_json *made = NULL;
	int rc = 0;
	*out = NULL;
	if (as_json_type(document) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a %s is an object", model->name);
	}
	made = as_json_object();
	rc = made ? 0 : as_fail_memory(err);
	for (const as_field *f = model->fields; f->key && rc == 0; f++) {
		const assay_json *v = as_json_get(document, f->key);
		assay_json *value = NULL;
		rc = v ? read_field(f, v, &value, err) : fill_in(model, f, document, &value, err);
		if (rc < 0) {
			as_error_pointer(err, "/%s", f->key);
		} else if (as_json_set(made, f->key, value) < 0) {
			rc = as_fail_memory(err);
		}
	}
	rc = rc < 0 ? rc : keep_unknown(model, document, made, err);
	rc = rc < 0 || !model->check ? rc : model->check(made, err);
	if (rc < 0) {
		as_json_free(made);
		return rc;
	}
	*out = made;
	return 0;
}
