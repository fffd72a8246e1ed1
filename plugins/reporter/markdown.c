/* reporter/markdown: the figures of a run as a page to read, report.md. Whatever models and servers wrote is shown as
 * text and nothing else. The same model gives the same bytes. */
#include "markdown.h"
#include <string.h>

typedef struct reporter {
	const assay_host *host;
	int with_tasks;
} reporter;

static int reporter_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	reporter *p = host->alloc(sizeof *p);
	if (!p) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	p->host = host;
	p->with_tasks = host->json->boolean(host->json->get(options, "tasks"), 1);
	*self = p;
	return 0;
}

static void reporter_close(void *self)
{
	reporter *p = self;
	if (p) {
		p->host->free(p);
	}
}

static void put_head(markdown_report *r)
{
	const assay_json_api *J = r->json;
	assay_str bench = J->str(J->get(r->model, "bench_id"));
	markdown_add(&r->out, "# ");
	markdown_escape(&r->out, J->str(J->get(r->model, "name")), 0);
	markdown_add(&r->out, " ");
	markdown_escape(&r->out, J->str(J->get(r->model, "version")), 0);
	markdown_add(&r->out, "\n\n");
	for (const assay_json *c = J->first(J->get(r->model, "captions")); c; c = J->next(c)) {
		markdown_add(&r->out, "> ");
		markdown_escape(&r->out, J->str(c), 0);
		markdown_add(&r->out, J->next(c) ? "\n>\n" : "\n\n");
	}
	markdown_printf(&r->out, "%zu tasks, %zu servers. Seed %lld, profile ", J->count(J->get(r->model, "tasks")),
			J->count(J->get(r->model, "servers")), (long long)J->i64(J->get(r->model, "seed"), 0));
	markdown_escape(&r->out, J->str(J->get(r->model, "profile")), 0);
	markdown_add(&r->out, ", benchmark ");
	markdown_escape(&r->out, (assay_str){bench.ptr, bench.len < 16 ? bench.len : 16}, 0);
	markdown_add(&r->out, ".\n\n");
}

static int put_all(markdown_report *r, assay_error *err)
{
	int (*const parts[])(markdown_report *, assay_error *) = {put_leaderboard, put_comparison, put_scorers,
								  put_categories,  put_served,     put_attribution,
								  put_ends,        put_funnel,     put_gates,
								  put_tasks,       put_servers,    put_plugins};
	int rc = 0;
	put_head(r);
	for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == 0; i++) {
		rc = parts[i](r, err);
	}
	if (rc == 0 && (r->out.failed || r->cell.failed)) {
		rc = r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	return rc;
}

static int reporter_render(void *self, assay_call *call, const assay_json *model, assay_sink *out, assay_error *err)
{
	const reporter *p = self;
	markdown_report r = {.host = p->host,
			     .json = p->host->json,
			     .table = p->host->service("table", 1),
			     .model = model,
			     .with_tasks = p->with_tasks,
			     .out = {.host = p->host},
			     .cell = {.host = p->host}};
	int rc;
	if (!ASSAY_HAS(r.table, render)) {
		return p->host->fail(err, ASSAY_ENOTSUP, "this program has no table writer");
	}
	if (p->host->cancelled(call)) {
		return p->host->fail(err, ASSAY_ECANCELED, "interrupted");
	}
	rc = put_all(&r, err);
	if (rc == 0) {
		rc = out->write(out, (assay_str){r.out.ptr, r.out.len - 1}, err); /* but for the last empty line */
		rc = rc == ASSAY_STOP ? 0 : rc;
	}
	markdown_free(&r.out);
	markdown_free(&r.cell);
	return rc;
}

static const assay_reporter_ops ops = {
	.size = sizeof ops,
	.open = reporter_open,
	.close = reporter_close,
	.file_name = "report.md",
	.render = reporter_render,
};

static const assay_impl markdown = {
	.size = sizeof markdown,
	.role = ASSAY_ROLE_REPORTER,
	.role_version = 1,
	.flags = ASSAY_IMPL_REENTRANT | ASSAY_IMPL_PURE,
	.name = "markdown",
	.summary = "the figures of a run as a page of Markdown",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"tasks\":{\"type\":\"boolean\","
		"\"default\":true,\"description\":\"list every task\"}}}",
	.ops = &ops,
};

ASSAY_PLUGIN(reporter_markdown, "0.1.0", "Markdown report", "Apache-2.0", &markdown)
