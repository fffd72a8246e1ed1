/* Files of the reference: every document is read by its model and written back. What was there is there again with the
 * same value, and reading what was written gives the same bytes. */
#include "tests/golden/golden.h"

#include "core/task/model.h"

/* Does `written` have everything that was read? Fields that were left out are added, so it may have more. A null that
 * is gone was dropped by the manifest's writer. */
static bool covers(const assay_json *written, const assay_json *was)
{
	int type = as_json_type(was);

	if (type == ASSAY_JSON_NULL && !written) {
		return true;
	}
	if (type != as_json_type(written) ||
	    (type == ASSAY_JSON_ARRAY && as_json_count(was) != as_json_count(written))) {
		return false;
	}
	if (type != ASSAY_JSON_ARRAY && type != ASSAY_JSON_OBJECT) {
		return as_json_equal(written, was);
	}
	const assay_json *at = as_json_first(written);
	for (const assay_json *v = as_json_first(was); v; v = as_json_next(v)) {
		if (!covers(type == ASSAY_JSON_OBJECT ? as_json_get_n(written, as_json_key(v)) : at, v)) {
			return false;
		}
		at = as_json_next(at);
	}
	return true;
}

typedef int (*read_fn)(const assay_json *document, assay_json **out, assay_error *err);

static int write_compact(const assay_json *v, as_buf *out)
{
	as_json_write(out, v, ASSAY_JSON_COMPACT);
	return as_buf_check(out, NULL);
}

static void put_file(golden_case *c, read_fn read, int (*write)(const assay_json *, as_buf *))
{
	assay_json *made = NULL, *again = NULL, *twice = NULL;
	as_buf text = {0}, second = {0};
	assay_error err = {0};
	int code = read(c->one, &made, &err);

	code = code == 0 ? write(made, &text) : code;
	code = code == 0 ? as_json_parse(as_buf_str(&text), AS_JSON_PYDANTIC, &again, &err) : code;
	code = code == 0 ? read(again, &twice, &err) : code;
	code = code == 0 ? write(twice, &second) : code;
	as_buf_puts(&c->expected, "as it was");
	if (code != 0) {
		as_buf_printf(&c->got, "%s: %s %s", as_error_name(code), err.pointer, err.message);
	} else if (!covers(again, c->one)) {
		as_buf_puts(&c->got, "something is lost or changed: ");
		as_buf_add(&c->got, as_buf_str(&text));
	} else {
		as_buf_puts(&c->got, as_str_eq(as_buf_str(&text), as_buf_str(&second))
					     ? "as it was"
					     : "another text when read again");
	}
	as_json_free(made);
	as_json_free(again);
	as_json_free(twice);
	as_buf_free(&text);
	as_buf_free(&second);
}

#define READER(name)                                                                                                   \
	static int read_##name(const assay_json *document, assay_json **out, assay_error *err)                         \
	{                                                                                                              \
		return as_model_read(&as_model_##name, document, out, err);                                            \
	}
READER(trace)
READER(task)
READER(result)
READER(goals)
READER(manifest)

static void run_trace(golden_case *c)
{
	put_file(c, read_trace, write_compact);
}

static void run_task(golden_case *c)
{
	put_file(c, read_task, write_compact);
}

static void run_result(golden_case *c)
{
	put_file(c, read_result, write_compact);
}

static void run_goals(golden_case *c)
{
	put_file(c, read_goals, write_compact);
}

static void run_manifest(golden_case *c)
{
	put_file(c, read_manifest, as_model_write_manifest);
}

static void run_catalogue(golden_case *c)
{
	put_file(c, as_catalogue_file_read, write_compact);
}

/* {"model", "read": JSON text, "written": JSON text, or null where it is refused}, by pydantic (vectors.py). */
static void run_model(golden_case *c)
{
	static const as_model *const models[] = {&as_model_trace, &as_model_task,     &as_model_result,
						 &as_model_goals, &as_model_manifest, &as_model_catalogue_entry};
	assay_str name = as_json_str(as_json_get(c->one, "model")),
		  wanted = as_json_str(as_json_get(c->one, "written"));
	assay_json *document = NULL, *made = NULL;
	const as_model *model = NULL;
	int code;

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		model = as_str_is(name, models[i]->name) ? models[i] : model;
	}
	code = as_json_parse(as_json_str(as_json_get(c->one, "read")), AS_JSON_PYDANTIC, &document, NULL);
	if (code == 0 && model) {
		code = as_model_read(model, document, &made, NULL);
	}
	as_buf_add(&c->expected, wanted.len > 0 ? wanted : ASSAY_STR("refused"));
	if (code == 0 && made) {
		as_json_write(&c->got, made, ASSAY_JSON_COMPACT);
	} else {
		as_buf_puts(&c->got, code == ASSAY_EDATA || code == ASSAY_ELIMIT ? "refused" : "no such model");
	}
	as_json_free(document);
	as_json_free(made);
}

const golden_kind golden_files[] = {
	{"models", "model read", run_model},
	{"specs", "source_trace_id checkpoints", run_task},
	{"eval", "candidate_trace_id checkpoint_results", run_result},
	{"traces", "steps", run_trace},
	{"goals", "entries", run_goals},
	{"manifest", "servers", run_manifest},
	{"catalog", "*tools *pass_rate", run_catalogue},
	{0},
};
