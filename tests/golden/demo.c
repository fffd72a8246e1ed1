/* The demo files of the reference: one expected outcome, and in the files of JSON lines beside it the specification and
 * the trace that it is of: the first specification with the expected checkpoints, and the trace that it names. */
#include "tests/golden/golden.h"

#include "core/base/file.h"
#include "core/task/task.h"
#include "tests/unit/effects_kit.h"

#include <string.h>

typedef struct demo {
	const assay_json *expected;
	as_trace *trace;
	assay_json *spec, *manifest;
	as_catalogue *catalogue;
} demo;

static bool has_expected_checks(const demo *d, const assay_json *spec)
{
	const assay_json *e = as_json_first(as_json_get(d->expected, "checkpoints"));
	const assay_json *c = as_json_first(as_json_get(spec, "checkpoints"));

	for (; c && e; c = as_json_next(c), e = as_json_next(e)) {
		if (!as_json_equal(as_json_get(c, "checkpoint_id"), as_json_get(e, "checkpoint_id"))) {
			return false;
		}
	}
	return spec && !c && !e;
}

/* Is the line wanted? It is taken over then. */
static int take_line(demo *d, assay_json *line, assay_error *err)
{
	if (!d->spec && as_json_get(line, "source_trace_id") && has_expected_checks(d, line)) {
		d->spec = line;
		return 0;
	}
	if (d->spec && !d->trace && as_json_get(line, "steps") &&
	    as_json_equal(as_json_get(line, "trace_id"), as_json_get(d->spec, "source_trace_id"))) {
		return as_trace_from_json(line, &d->trace, err);
	}
	as_json_free(line);
	return 0;
}

static int on_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	demo *d = payload;
	as_jsonl *lines = NULL;
	assay_json *line = NULL;
	size_t n = strlen(relative);
	int code;

	if (strcmp(relative, "manifest.json") == 0 && !d->manifest) {
		return as_json_read_file(path, 0, &d->manifest, err);
	}
	if (n < 6 || strcmp(relative + n - 6, ".jsonl") != 0) {
		return 0;
	}
	code = as_jsonl_open(path, 0, &lines, err);
	while (code == 0 && (code = as_jsonl_next_value(lines, ASSAY_JSON_PEER, &line, NULL, NULL, err)) == 0) {
		code = take_line(d, line, err);
	}
	as_jsonl_close(lines);
	return code == ASSAY_ENOENT ? 0 : code;
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

/* The specification first: it says which trace. */
static int load(demo *d, const char *folder, assay_error *err)
{
	int code = as_walk(folder, on_file, d, err);

	code = code == 0 && !d->trace ? as_walk(folder, on_file, d, err) : code;
	if (code == 0 && (!d->spec || !d->trace)) {
		code = as_fail(err, ASSAY_EDATA, "no specification with these checkpoints, or not its trace");
	}
	return code == 0 ? make_catalogue(d, err) : code;
}

static void demo_free(demo *d)
{
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
	as_buf_puts(out, " unsatisfied");
	for (const assay_json *v = as_json_first(as_json_get(verdict, "checks")); v; v = as_json_next(v)) {
		if (!as_json_boolean(as_json_get(v, "passed"), 0)) {
			as_buf_byte(out, ' ');
			golden_member(out, v, "id");
		}
	}
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
	as_buf_puts(out, " unsatisfied");
	for (const assay_json *v = as_json_first(as_json_get(c->one, "unsatisfied_reference_checkpoints")); v;
	     v = as_json_next(v)) {
		as_buf_byte(out, ' ');
		as_json_write(out, v, ASSAY_JSON_COMPACT);
	}
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
	demo d = {.expected = c->one};
	assay_error err = {0};
	assay_json *verdict = NULL;
	as_buf folder = {0};
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
	if (code != 0) {
		as_buf_printf(&c->got, "%s: %s", as_error_name(code), err.message);
	}
	as_json_free(verdict);
	as_buf_free(&folder);
	demo_free(&d);
}

const golden_kind golden_demo[] = {
	{"expected_reference_check", "checkpoints correct_type_calls", run_demo},
	{0},
};
