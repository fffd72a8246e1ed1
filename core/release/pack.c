#include "core/release/pack.h"

#include "config.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/release/card.h"
#include "core/release/pack_rows.h"
#include "core/run/secrets.h"
#include <stdlib.h>
#include <string.h>

#define MAX_REPORT ((size_t)256 << 20)

typedef struct pack {
	as_engine *e;
	const assay_json *model;
	as_release_writer *w;
	as_redactor *secrets;
	as_buf stage, content, reports; /* folders: content and reports lie in stage */
} pack;

static int make_folders(pack *p, assay_error *err)
{
	int rc = as_make_temp_dir(p->e->work.path.ptr, "pack-", &p->stage, err);
	if (rc < 0) {
		return rc;
	}
	as_path_join(&p->content, as_buf_str(&p->stage), ASSAY_STR("content"));
	as_path_join(&p->reports, as_buf_str(&p->stage), ASSAY_STR("reports"));
	rc = as_buf_check(&p->content, err);
	rc = rc < 0 ? rc : as_buf_check(&p->reports, err);
	rc = rc < 0 ? rc : as_make_dirs(p->content.ptr, err);
	return rc < 0 ? rc : as_make_dirs(p->reports.ptr, err);
}

static int put_manifest(pack *p, assay_error *err)
{
	const as_manifest *m = p->e->manifest;
	int rc = as_paths_check(m, m->document, err);
	if (rc < 0) {
		return as_error_where(err, m->path, 0);
	}
	return as_release_put_json(p->w, "manifest.json", m->document, err);
}

static int put_report(void *payload, const char *relative, const char *path, assay_error *err)
{
	pack *p = payload;
	assay_text text = {0};
	int rc = as_file_read(path, MAX_REPORT, &text, err);
	rc = rc < 0 ? rc : as_release_put(p->w, relative, as_text_str(text), err);
	as_text_free(&text);
	return rc;
}

static int put_card(pack *p, assay_error *err)
{
	as_buf card = {0};
	int rc = as_release_card(p->e->manifest, p->model, &card, err);
	rc = rc < 0 ? rc : as_release_put(p->w, "README.md", as_buf_str(&card), err);
	as_buf_free(&card);
	return rc;
}

static int put_record(pack *p, char identity[65], assay_error *err)
{
	const as_manifest *m = p->e->manifest;
	const char *license = as_release_license(m);
	assay_json *head = as_json_object();
	int rc = as_json_set(head, "assay_release", as_json_integer(AS_RELEASE_FORMAT));
	rc |= as_json_set(head, "name", as_json_cstring(m->name));
	rc |= as_json_set(head, "version", as_json_cstring(m->version));
	rc |= as_json_set(head, "license", license[0] ? as_json_cstring(license) : as_json_null());
	rc |= as_json_set(head, "bench_id", as_json_cstring(m->bench_id));
	rc |= as_json_set(head, "generator", as_json_cstring(PACKAGE_STRING));
	if (rc < 0) {
		as_json_free(head);
		return as_fail_memory(err);
	}
	return as_release_writer_finish(p->w, head, identity, err);
}

static int put_all(pack *p, char identity[65], assay_error *err)
{
	int rc = put_manifest(p, err);
	rc = rc < 0 ? rc : as_pack_parts(p->e, p->w, err);
	rc = rc < 0 ? rc : as_pack_rows(p->e, p->w, err);
	rc = rc < 0 ? rc : as_release_put_json(p->w, "figures.json", p->model, err);
	rc = rc < 0 ? rc : put_card(p, err);
	rc = rc < 0 ? rc : as_stage_report(p->e, p->model, p->reports.ptr, NULL, err);
	rc = rc < 0 ? rc : as_walk(p->reports.ptr, put_report, p, err); /* after ours, whose names are taken then */
	return rc < 0 ? rc : put_record(p, identity, err);
}

static int write_archive(pack *p, const char *out_dir, as_buf *path, assay_error *err)
{
	const as_manifest *m = p->e->manifest;
	const as_archive_ops *archive;
	as_buf name = {0}, file = {0};
	int rc;
	as_buf_printf(&name, "%s-%s", m->name, m->version);
	as_buf_printf(&file, "%s-%s.tar.zst", m->name, m->version);
	rc = as_buf_check(&name, err);
	rc = rc < 0 ? rc : as_buf_check(&file, err);
	if (rc == 0) {
		as_path_join(path, as_str(out_dir), as_buf_str(&file));
		rc = as_buf_check(path, err);
	}
	rc = rc < 0 ? rc : as_make_dirs(out_dir, err);
	rc = rc < 0 ? rc : as_service_archive(p->e->registry, &archive, err);
	rc = rc < 0 ? rc : archive->pack(p->content.ptr, name.ptr, path->ptr, err);
	as_buf_free(&name);
	as_buf_free(&file);
	return rc;
}

/* What stands in the manifest itself would stand in the release's. */
static int check_written(const as_manifest *m, assay_error *err)
{
	as_written written;
	int rc = as_secrets_written(m, AS_REDACT_MIN, NULL, &written, err);
	if (rc < 0 || written.n == 0) {
		return rc;
	}
	as_fail(err, ASSAY_EDATA, "a secret that stands in the manifest would be published");
	as_error_hint(err, "write %s, and NAME=value into .env beside the manifest; nothing was packed",
		      written.instead);
	as_error_pointer(err, "%s", written.pointer);
	return as_error_where(err, m->path, written.line);
}

int as_release_pack(as_engine *engine, const assay_json *model, const char *out_dir, as_buf *path, char identity[65],
		    assay_error *err)
{
	pack p = {.e = engine, .model = model};
	int rc = check_written(engine->manifest, err);
	rc = rc < 0 ? rc : make_folders(&p, err);
	rc = rc < 0 ? rc : as_redactor_new(&p.secrets, err);
	rc = rc < 0 ? rc : as_secrets_named(engine->manifest, engine->variables, p.secrets, err);
	rc = rc < 0 ? rc : as_release_writer_new(p.content.ptr, p.secrets, &p.w, err);
	rc = rc < 0 ? rc : put_all(&p, identity, err);
	rc = rc < 0 ? rc : write_archive(&p, out_dir, path, err);
	as_release_writer_free(p.w);
	as_redactor_free(p.secrets);
	if (p.stage.len > 0) {
		as_remove_tree(p.stage.ptr, NULL);
	}
	as_buf_free(&p.stage);
	as_buf_free(&p.content);
	as_buf_free(&p.reports);
	return rc;
}
