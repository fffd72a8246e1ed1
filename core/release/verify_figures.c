/* Figures, and what is made of them. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/release/card.h"
#include "core/release/difference.h"
#include "core/release/verify_private.h"
#include <assay/roles/reporter.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIGURES ((size_t)256 << 20)
#define MAX_REPORT ((size_t)256 << 20)

/* Beside these a release holds its reports only. */
static const char *const files[] = {"README.md",    "attempts.jsonl",   "certificates.jsonl", "descriptions.json",
				    "figures.json", "funnel.jsonl",     "goals.jsonl",        "manifest.json",
				    "plugins.json", "references.jsonl", "servers.json",       "tapes.jsonl",
				    "tasks.jsonl",  "traces.jsonl",     "verdicts.jsonl"};

static int check_figures(verification *v, const assay_json *model, assay_error *err)
{
	assay_json *said = NULL;
	assay_error found = {0};
	int rc = as_release_json(v->release, "figures.json", MAX_FIGURES, &said, &found);
	if (rc < 0) {
		return as_finding_of(v->out, "figures.json", found.line, NULL, &found, err);
	}
	as_verify_same(v, "figures.json", 0, NULL, "the rows", model, said);
	v->out->figures = as_count_numbers(model);
	as_json_free(said);
	return 0;
}

/* Line of the first difference, from 1 on. */
static uint32_t first_difference(assay_str a, assay_str b)
{
	uint32_t line = 1;
	for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++) {
		line += a.ptr[i] == '\n';
	}
	return line;
}

static int check_text(verification *v, const char *name, assay_str expected, assay_error *err)
{
	as_buf path = {0};
	assay_text said = {0};
	assay_error found = {0};
	int rc = as_release_path(v->release, name, &path, &found);
	rc = rc < 0 ? rc : as_file_read(path.ptr, MAX_REPORT, &said, &found);
	if (rc < 0) {
		rc = as_finding_of(v->out, name, 0, NULL, &found, err);
	} else if (!as_str_eq(expected, as_text_str(said))) {
		as_finding(v->out, name, first_difference(expected, as_text_str(said)), NULL,
			   "something else follows from the figures");
	}
	v->out->reports++;
	as_text_free(&said);
	as_buf_free(&path);
	return rc;
}

static int check_card(verification *v, const assay_json *model, assay_error *err)
{
	as_buf card = {0};
	int rc = as_release_card(v->manifest, model, &card, err);
	rc = rc < 0 ? rc : check_text(v, "README.md", as_buf_str(&card), err);
	as_buf_free(&card);
	return rc;
}

/* ---- reports ---- */

typedef struct reports {
	verification *v;
	as_use *list; /* of the manifest's those that can be rendered again */
	size_t n;
	bool all;
	as_workdir work;
	bool *known; /* by place in the release's list of files */
} reports;

/* Only what is pure is run: it can do nothing but compute. */
static int choose_reports(reports *r, assay_error *err)
{
	verification *v = r->v;
	const as_manifest *m = v->manifest;
	r->list = as_new(m->n_reports + 1, sizeof *r->list);
	r->all = true;
	if (!r->list) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < m->n_reports; i++) {
		const as_use *use = &m->reports[i];
		const as_impl_info *info;
		assay_error found = {0};
		int rc = as_registry_find(v->options->registry, use->use, ASSAY_ROLE_REPORTER, &info, &found);
		if (rc == 0 && (info->impl->flags & ASSAY_IMPL_PURE)) {
			r->list[r->n++] = *use;
			continue;
		}
		r->all = false;
		if (rc < 0 && rc != ASSAY_EPLUGIN) {
			rc = as_finding_of(v->out, "manifest.json", use->line, NULL, &found, err);
		} else {
			as_finding(v->out, "manifest.json", use->line, use->pointer,
				   "its report cannot be rendered again: %s is %s", use->use,
				   rc < 0 ? "not shipped" : "not pure");
			rc = 0;
		}
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

static int check_report(void *payload, const char *relative, const char *path, assay_error *err)
{
	reports *r = payload;
	const as_release_file *list, *f = as_release_find(r->v->release, relative);
	assay_text text = {0};
	int rc = as_file_read(path, MAX_REPORT, &text, err);
	as_release_files(r->v->release, &list);
	if (f) {
		r->known[f - list] = true;
	}
	rc = rc < 0 ? rc : check_text(r->v, relative, as_text_str(text), err);
	as_text_free(&text);
	return rc;
}

static int render(reports *r, const assay_json *model, assay_error *err)
{
	as_manifest some = *r->v->manifest; /* the same with fewer reports */
	as_engine engine = r->v->engine;
	as_buf dir = {0};
	assay_error found = {0};
	int rc = as_workdir_open(&r->work, err);
	as_path_join(&dir, as_buf_str(&r->work.path), ASSAY_STR("reports"));
	rc = rc < 0 ? rc : as_buf_check(&dir, err);
	rc = rc < 0 ? rc : as_make_dirs(dir.ptr, err);
	if (rc == 0) {
		some.reports = r->list;
		some.n_reports = r->n;
		engine.manifest = &some;
		rc = as_stage_report(&engine, model, dir.ptr, NULL, &found);
		rc = rc < 0 ? as_finding_of(r->v->out, "manifest.json", 0, NULL, &found, err)
			    : as_walk(dir.ptr, check_report, r, err);
	}
	as_buf_free(&dir);
	return rc;
}

/* A file that nothing follows from, and that follows from nothing, has no place in a release. */
static void check_strangers(const reports *r)
{
	const as_release_file *list;
	size_t n = as_release_files(r->v->release, &list);
	for (size_t i = 0; i < n && r->all; i++) {
		bool known = r->known[i];
		for (size_t k = 0; k < sizeof files / sizeof *files && !known; k++) {
			known = strcmp(files[k], list[i].name) == 0;
		}
		if (!known) {
			as_finding(r->v->out, list[i].name, 0, NULL,
				   "is no part of a release, and no report of its manifest");
		}
	}
}

static int check_reports(verification *v, const assay_json *model, assay_error *err)
{
	const as_release_file *list;
	reports r = {.v = v,
		     .work = {.lock = -1},
		     .known = as_new(as_release_files(v->release, &list) + 1, sizeof(bool))};
	int rc = r.known ? choose_reports(&r, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : render(&r, model, err);
	if (rc == 0) {
		check_strangers(&r);
	}
	as_workdir_close(&r.work);
	free(r.list);
	free(r.known);
	return rc;
}

int as_verify_figures(verification *v, assay_error *err)
{
	assay_json *model = NULL;
	int rc;
	if (v->broken) {
		return 0; /* what is wrong has been said; figures of the rest would be other figures */
	}
	rc = as_figures_finish(v->figures, &model, err);
	rc = rc < 0 ? rc : check_figures(v, model, err);
	rc = rc < 0 ? rc : check_card(v, model, err);
	rc = rc < 0 ? rc : check_reports(v, model, err);
	as_json_free(model);
	return rc;
}
