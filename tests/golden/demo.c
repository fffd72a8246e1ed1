/* The demo files of the reference: one expected outcome, and beside it the specification and the trace that it is of.
 */
#include "tests/golden/golden.h"

#include "core/base/file.h"
#include "core/task/task.h"
#include "tests/unit/effects_kit.h"

typedef struct demo {
	assay_text line; /* the trace as it stands in its file */
	as_trace *trace;
	assay_json *spec, *manifest;
	as_catalogue *catalogue;
} demo;

static int read_line(const char *folder, const char *name, assay_text *out, assay_error *err)
{
	as_buf path = {0}, copy = {0};
	as_jsonl *lines = NULL;
	assay_str line;
	uint32_t number;
	uint64_t offset;
	int code;

	as_path_join(&path, as_str(folder), as_str(name));
	code = as_buf_check(&path, err);
	code = code == 0 ? as_jsonl_open(path.ptr, 0, &lines, err) : code;
	code = code == 0 ? as_jsonl_next(lines, &line, &number, &offset, err) : code;
	if (code == 0) {
		as_buf_add(&copy, line);
		code = as_buf_take(&copy, out, err);
	}
	as_jsonl_close(lines);
	as_buf_free(&path);
	return code;
}

/* The catalogue that the recording saw: surfaces out of the trace, classes out of the manifest. */
static int make_catalogue(demo *d, assay_error *err)
{
	const assay_json *surfaces = as_json_get(as_trace_document(d->trace), "tool_specs");
	assay_json *records = as_json_array();
	int bad = 0;

	for (const assay_json *s = as_json_first(as_json_get(d->manifest, "servers")); s; s = as_json_next(s)) {
		assay_json *record = as_json_object();
		const assay_json *tools = as_json_get_n(surfaces, as_json_str(as_json_get(s, "server_id")));

		bad |= as_json_set(record, "server_id", as_json_clone(as_json_get(s, "server_id")));
		bad |= as_json_set(record, "class", as_json_clone(as_json_get(s, "dynamism")));
		bad |= as_json_set(record, "tags", as_json_clone(as_json_get(s, "tags")));
		bad |= as_json_set(record, "tools", tools ? as_json_clone(tools) : as_json_array());
		bad |= as_json_append(records, record);
	}
	if (bad != 0) {
		as_json_free(records);
		return as_fail_memory(err);
	}
	return as_catalogue_new(records, &d->catalogue, err);
}

static int load(demo *d, const char *folder, assay_error *err)
{
	assay_text spec = {0};
	as_buf path = {0};
	int code = read_line(folder, "traces.jsonl", &d->line, err);

	code = code == 0 ? as_trace_parse(as_text_str(d->line), &d->trace, err) : code;
	code = code == 0 ? read_line(folder, "specs.jsonl", &spec, err) : code;
	code = code == 0 ? as_json_parse(as_text_str(spec), ASSAY_JSON_STRICT, &d->spec, err) : code;
	as_path_join(&path, as_str(folder), ASSAY_STR("manifest.json"));
	code = code == 0 ? as_buf_check(&path, err) : code;
	code = code == 0 ? as_json_read_file(path.ptr, 0, &d->manifest, err) : code;
	code = code == 0 ? make_catalogue(d, err) : code;
	as_text_free(&spec);
	as_buf_free(&path);
	return code;
}

static void demo_free(demo *d)
{
	as_text_free(&d->line);
	as_trace_free(d->trace);
	as_json_free(d->spec);
	as_json_free(d->manifest);
	as_catalogue_free(d->catalogue);
}

static void put_checks(golden_case *c, const assay_json *verdict)
{
	as_buf *out = &c->got;

	as_buf_puts(out, "passed ");
	as_buf_puts(out, as_str_is(as_json_str(as_json_get(verdict, "verdict")), "pass") ? "true" : "false");
	for (const assay_json *v = as_json_first(as_json_get(verdict, "checks")); v; v = as_json_next(v)) {
		as_buf_byte(out, ' ');
		golden_member(out, v, "id");
		golden_member(out, v, "passed");
		golden_member(out, v, "step");
	}
	as_buf_puts(out, " correct ");
	golden_member(out, as_json_pointer(verdict, "/summary/sae"), "correct_type_calls");
}

static void put_expected(golden_case *c)
{
	as_buf *out = &c->expected;

	as_buf_puts(out, "passed ");
	golden_member(out, c->one, "passed");
	for (const assay_json *v = as_json_first(as_json_get(c->one, "checkpoints")); v; v = as_json_next(v)) {
		as_buf_byte(out, ' ');
		golden_member(out, v, "checkpoint_id");
		golden_member(out, v, "passed");
		golden_member(out, v, "matched_step_id");
	}
	as_buf_puts(out, " correct ");
	golden_member(out, c->one, "correct_type_calls");
}

/* The complexity that the reference wrote into the specification comes out again, and so does what the expectation says
 * of it. */
static int put_complexity(golden_case *c, const demo *d, assay_error *err)
{
	static const char *const said[] = {"recovery_required", "trace_depth", "distinct_servers", "runtime_branching"};
	assay_json *complexity = NULL;
	size_t n;
	const assay_step *steps = as_trace_steps(d->trace, &n);
	int code = as_task_complexity(steps, n, d->catalogue, &complexity, err);

	if (code == 0) {
		golden_member(&c->expected, d->spec, "complexity");
		as_json_write(&c->got, complexity, ASSAY_JSON_COMPACT);
		for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
			golden_member(&c->expected, c->one, said[i]);
			golden_member(&c->got, complexity, said[i]);
		}
	}
	as_json_free(complexity);
	return code;
}

static void run_demo(golden_case *c)
{
	demo d = {0};
	assay_error err = {0};
	assay_json *verdict = NULL;
	as_buf folder = {0}, again = {0};
	int code;

	as_buf_add(&folder, as_path_dir(as_str(c->path)));
	code = as_buf_check(&folder, &err);
	code = code == 0 ? load(&d, folder.ptr, &err) : code;
	code = code == 0 ? effects_verdict(d.spec, d.trace, NULL, &verdict, &err) : code;
	if (code == 0) {
		put_expected(c);
		put_checks(c, verdict);
		code = put_complexity(c, &d, &err);
	}
	if (code == 0) {
		as_json_write(&again, as_trace_document(d.trace), ASSAY_JSON_COMPACT);
		if (!as_str_eq(as_buf_str(&again), as_text_str(d.line))) {
			as_buf_puts(&c->got, " the trace does not write back as it was read");
		}
	} else {
		as_buf_printf(&c->got, "%s: %s", as_error_name(code), err.message);
	}
	as_json_free(verdict);
	as_buf_free(&folder);
	as_buf_free(&again);
	demo_free(&d);
}

const golden_kind golden_demo[] = {
	{"expected_reference_check", "checkpoints correct_type_calls", run_demo},
	{0},
};
