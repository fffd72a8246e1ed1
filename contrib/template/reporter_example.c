/* reporter/example: the leaderboard as comma-separated values. */
#include <assay/plugin.h>
#include <assay/roles/reporter.h>
#include <assay/text.h>
#include <stdio.h>

/* Write a text in quotes, its own quotes doubled. */
static int write_quoted(assay_sink *out, assay_str s, assay_error *err)
{
	int rc = out->write(out, ASSAY_STR("\""), err);
	size_t i, from = 0;
	for (i = 0; i < s.len && rc == 0; i++) {
		if (s.ptr[i] == '"') { /* up to and with the quote; the next piece begins with it again */
			rc = out->write(out, assay_text_of(s.ptr + from, i + 1 - from), err);
			from = i;
		}
	}
	if (rc == 0 && s.len > from) {
		rc = out->write(out, assay_text_of(s.ptr + from, s.len - from), err);
	}
	return rc ? rc : out->write(out, ASSAY_STR("\","), err);
}

static int write_row(const assay_json_api *J, const assay_json *row, assay_sink *out, assay_error *err)
{
	char numbers[128];
	int rc = write_quoted(out, J->str(J->get(row, "condition")), err);
	rc = rc ? rc : write_quoted(out, J->str(J->get(row, "candidate")), err);
	if (rc) {
		return rc;
	}
	snprintf(numbers, sizeof numbers, "%lld,%lld,%.6f,%.6f\n", (long long)J->i64(J->get(row, "tasks"), 0),
		 (long long)J->i64(J->get(row, "attempts"), 0), J->f64(J->get(J->get(row, "pass_rate"), "lo"), 0),
		 J->f64(J->get(J->get(row, "pass_hat_k"), "lo"), 0));
	return out->write(out, assay_text_of_cstr(numbers), err);
}

static int render(void *self, assay_call *call, const assay_json *model, assay_sink *out, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	const assay_json *row = J->first(J->get(model, "leaderboard"));
	int rc = out->write(out, ASSAY_STR("condition,candidate,tasks,attempts,pass_rate,pass_hat_k\n"), err);
	(void)self;
	for (; row && rc == 0; row = J->next(row)) {
		rc = write_row(J, row, out, err);
	}
	return rc < 0 ? rc : 0; /* ASSAY_STOP from the sink: enough was written */
}

static const assay_reporter_ops ops = {.size = sizeof ops, .file_name = "leaderboard.csv", .render = render};

ASSAY_IMPL(impl, REPORTER, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "the leaderboard as CSV", NULL, &ops);
ASSAY_PLUGIN(reporter_example, "0.1.0", "A reporter", "Apache-2.0", &impl)
