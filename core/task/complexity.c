/* The complexity profile (reference page 7.3). */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/task/task.h"
#include <string.h>

#define WINDOW 6 /* digits that must agree for a number to count as taken from a result */

static void digits_of(assay_str s, as_buf *out)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] >= '0' && s.ptr[i] <= '9') {
			as_buf_byte(out, s.ptr[i]);
		}
	}
}

/* An earlier result, as text and as its digits alone. */
typedef struct earlier_result {
	as_buf dump, digits;
} earlier_result;

static bool digits_occur(assay_str value, const earlier_result *earlier)
{
	as_buf mine = {0};
	bool found = false;
	digits_of(value, &mine);
	for (size_t i = 0; i + WINDOW <= mine.len && !found; i++) {
		found = as_str_contains(as_buf_str(&earlier->digits), (assay_str){mine.ptr + i, WINDOW});
	}
	as_buf_free(&mine);
	return found;
}

/* Does a top-level text argument of `step` come from the earlier result? */
static bool feeds_on(const assay_step *step, const earlier_result *earlier)
{
	for (const assay_json *v = as_json_first(step->arguments); v; v = as_json_next(v)) {
		assay_str s = as_json_str(v);
		if (as_json_type(v) == ASSAY_JSON_STRING && as_utf8_length(s) >= 3 &&
		    (as_str_contains(as_buf_str(&earlier->dump), s) || digits_occur(s, earlier))) {
			return true;
		}
	}
	return false;
}

static int branches_at_runtime(const assay_step *steps, size_t n, bool *out)
{
	earlier_result earlier = {{0}, {0}};
	int rc = 0;
	*out = false;
	for (size_t i = 0; i + 1 < n && rc == 0 && !*out; i++) {
		if (steps[i].status != ASSAY_STEP_SUCCESS || !steps[i].result) {
			continue;
		}
		as_buf_clear(&earlier.dump);
		as_buf_clear(&earlier.digits);
		as_json_write(&earlier.dump, steps[i].result, ASSAY_JSON_PYTHON);
		digits_of(as_buf_str(&earlier.dump), &earlier.digits);
		rc = earlier.dump.failed || earlier.digits.failed ? ASSAY_ENOMEM : 0;
		for (size_t k = i + 1; k < n && !*out && rc == 0; k++) {
			*out = feeds_on(&steps[k], &earlier);
		}
	}
	as_buf_free(&earlier.dump);
	as_buf_free(&earlier.digits);
	return rc;
}

static bool recovers(const assay_step *steps, size_t n)
{
	bool failed = false;
	for (size_t i = 0; i < n; i++) {
		if (failed && steps[i].status == ASSAY_STEP_SUCCESS) {
			return true;
		}
		failed = failed || steps[i].status == ASSAY_STEP_ERROR;
	}
	return false;
}

int as_task_complexity(const assay_step *steps, size_t n, const as_catalogue *catalogue, assay_json **out,
		       assay_error *err)
{
	size_t depth = 0, servers = 0;
	bool branching = false, coupled = false;
	assay_json *c = as_json_object();
	int rc = branches_at_runtime(steps, n, &branching);
	for (size_t i = 0; i < n; i++) {
		const as_catalogue_server *s = as_catalogue_server_of(catalogue, steps[i].server);
		bool known = steps[i].status != ASSAY_STEP_SUCCESS;
		depth += !known;
		for (size_t k = 0; k < i && !known; k++) {
			known = steps[k].status == ASSAY_STEP_SUCCESS && as_str_eq(steps[k].server, steps[i].server);
		}
		servers += !known;
		coupled = coupled ||
			  (steps[i].status == ASSAY_STEP_SUCCESS && s && s->server_class == AS_CLASS_STATEFUL_WRITE);
	}
	rc |= as_json_set(c, "trace_depth", as_json_integer((int64_t)depth));
	rc |= as_json_set(c, "distinct_servers", as_json_integer((int64_t)servers));
	rc |= as_json_set(c, "cross_server", as_json_truth(servers > 1));
	rc |= as_json_set(c, "runtime_branching", as_json_truth(branching));
	rc |= as_json_set(c, "state_coupling", as_json_truth(coupled));
	rc |= as_json_set(c, "recovery_required", as_json_truth(recovers(steps, n)));
	if (rc < 0) {
		as_json_free(c);
		*out = NULL;
		return as_fail_memory(err);
	}
	*out = c;
	return 0;
}
