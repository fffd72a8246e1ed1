/* The files of a release: digests, identity, and the rows that only count. */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/release/verify_private.h"
#include <stdlib.h>
#include <string.h>

#define MAX_PLUGINS ((size_t)4 << 20)
#define MAX_GOALS 100000u /* each may have a reason of its own, which is looked for among the others */
#define MAX_FUNNEL_WORK ((uint64_t)1 << 28) /* goals times categories */

typedef struct seeing {
	verification *v;
	bool *found; /* by place in the list of files */
} seeing;

static int see_file(void *payload, const char *relative, const char *path, assay_error *err)
{
	seeing *s = payload;
	const as_release_file *files, *f = as_release_find(s->v->release, relative);
	(void)path;
	(void)err;
	as_release_files(s->v->release, &files);
	if (f) {
		s->found[f - files] = true;
	} else if (strcmp(relative, AS_RELEASE_RECORD) != 0) {
		as_finding(s->v->out, relative, 0, NULL, "is not listed in %s", AS_RELEASE_RECORD);
	}
	return 0;
}

/* Lines against their digests. *differ: how many do. */
static int check_lines(verification *v, const as_release_file *f, const char *path, uint64_t *differ, assay_error *err)
{
	const assay_json *digest = as_json_first(f->lines);
	as_jsonl *lines = NULL;
	uint32_t number = 0, last = 0, first = 0;
	uint64_t offset;
	int rc = as_jsonl_open(path, 0, &lines, err);
	while (rc == 0) {
		assay_error found = {0};
		assay_str line;
		char hex[AS_LINE_DIGEST + 1] = "";
		rc = as_jsonl_next(lines, &line, &number, &offset, &found);
		if (rc == ASSAY_ENOENT) {
			break;
		}
		if (rc == 0) {
			as_line_digest(line, hex);
		}
		rc = rc == ASSAY_ELIMIT ? 0 : rc < 0 ? as_finding_of(v->out, f->name, number, NULL, &found, err) : 0;
		if (number != last + 1 || !as_str_is(as_json_str(digest), hex)) {
			first = first ? first : number != last + 1 ? last + 1 : number; /* a blank line is one, too */
			(*differ)++;
		}
		last = number;
		digest = digest ? as_json_next(digest) : NULL;
	}
	as_jsonl_close(lines);
	if (rc < 0 && rc != ASSAY_ENOENT) {
		return rc;
	}
	if (*differ > 1) {
		as_finding(v->out, f->name, first, NULL, "its digest differs from %s, and those of %llu more lines",
			   AS_RELEASE_RECORD, (unsigned long long)(*differ - 1));
	} else if (*differ == 1) {
		as_finding(v->out, f->name, first, NULL, "its digest differs from %s", AS_RELEASE_RECORD);
	} else if (digest) {
		as_finding(v->out, f->name, 0, NULL, "has %u lines, %s lists %zu", last, AS_RELEASE_RECORD,
			   as_json_count(f->lines));
		*differ = 1;
	}
	return 0;
}

static int check_file(verification *v, const as_release_file *f, assay_error *err)
{
	as_buf path = {0};
	char digest[65];
	uint64_t differ = 0;
	assay_error found = {0};
	int rc = as_release_path(v->release, f->name, &path, &found);
	rc = rc < 0 ? rc : as_sha256_file(path.ptr, digest, &found);
	if (rc < 0) {
		rc = as_finding_of(v->out, f->name, 0, NULL, &found, err);
		as_buf_free(&path);
		return rc;
	}
	if (f->lines) {
		rc = check_lines(v, f, path.ptr, &differ, err);
	}
	if (rc == 0 && differ == 0 && strcmp(digest, f->sha256) != 0) {
		as_finding(v->out, f->name, 0, NULL, "its digest differs from %s", AS_RELEASE_RECORD);
	}
	v->out->files++;
	as_buf_free(&path);
	return rc;
}

static int check_identity(verification *v, assay_error *err)
{
	const as_release_file *files;
	size_t n = as_release_files(v->release, &files);
	as_sha256 *sum = as_sha256_new();
	char identity[65];
	if (!sum) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		as_identity_add(sum, files[i].name, files[i].sha256);
	}
	as_sha256_end_hex(sum, identity);
	if (strcmp(identity, as_release_identity(v->release)) != 0) {
		as_finding(v->out, AS_RELEASE_RECORD, 0, "/identity", "%.16s... follows from its list of files",
			   identity);
	}
	return 0;
}

int as_verify_files(verification *v, assay_error *err)
{
	const as_release_file *files;
	size_t n = as_release_files(v->release, &files);
	seeing s = {.v = v, .found = as_new(n + 1, sizeof(bool))};
	int rc = s.found ? as_walk(as_release_dir(v->release), see_file, &s, err) : as_fail_memory(err);
	as_progress_begin(v->options->progress, "digests", n);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (as_cancel_is_set(v->options->cancel)) {
			rc = as_fail(err, ASSAY_ECANCELED, "interrupted");
		} else if (!s.found[i]) {
			as_finding(v->out, files[i].name, 0, NULL, "is missing, or no regular file");
		} else {
			rc = check_file(v, &files[i], err);
		}
		as_progress_step(v->options->progress, 1);
	}
	as_progress_end(v->options->progress);
	free(s.found);
	return rc < 0 ? rc : check_identity(v, err);
}

/* ---- plugins and the funnel ---- */

/* Who made attempts, for their ids. */
static int note_module(verification *v, const as_plugin_entry *entry, assay_error *err)
{
	const char *digest = entry->foreign ? as_arena_cstr(&v->arena, entry->digest) : NULL;
	if (entry->foreign && !digest) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < v->manifest->n_candidates; i++) {
		as_candidate_spec *c = &v->manifest->candidates[i];
		if (!c->recorded && as_str_is(entry->use, c->explorer.use)) {
			c->module = digest;
		}
	}
	return 0;
}

static int check_plugins(verification *v, assay_error *err)
{
	assay_json *list = NULL;
	assay_error found = {0};
	assay_str last = {NULL, 0};
	size_t i = 0;
	int rc = as_release_json(v->release, "plugins.json", MAX_PLUGINS, &list, &found);
	if (rc == 0 && as_json_type(list) != ASSAY_JSON_ARRAY) {
		rc = as_fail(&found, ASSAY_EDATA, "expected an array of plugins");
	}
	for (const assay_json *p = as_json_first(list); p && rc == 0; p = as_json_next(p), i++) {
		as_plugin_entry entry;
		char pointer[32];
		snprintf(pointer, sizeof pointer, "/%zu", i);
		rc = as_plugin_entry_read(p, &entry, &found);
		if (rc == 0 && i > 0 && as_str_cmp(last, entry.use) >= 0) {
			as_finding(v->out, "plugins.json", as_json_line(p), pointer, "plugins are sorted, each once");
		}
		rc = rc < 0 ? rc : note_module(v, &entry, &found);
		rc = rc < 0 ? rc : as_figures_add_plugin(v->figures, entry.use, entry.version, entry.defaults, &found);
		last = entry.use;
	}
	if (rc < 0) {
		v->broken = true;
		rc = as_finding_of(v->out, "plugins.json", 0, NULL, &found, err);
	}
	as_json_free(list);
	return rc;
}

typedef struct funnel {
	verification *v;
	rows lines, goals;
	size_t certified; /* so far */
	as_buf category;  /* of the row before */
	int64_t index;
} funnel;

/* Rows are sorted, so none is there twice. */
static int check_place(funnel *f, const as_funnel_line *line, assay_error *err)
{
	int order = f->lines.line > 1 ? as_str_cmp(as_buf_str(&f->category), line->category) : -1;
	if (order > 0 || (order == 0 && f->index >= line->index)) {
		as_finding(f->v->out, f->lines.file, f->lines.line, NULL,
			   "goals are sorted by category and index, each once");
	}
	if (!as_verify_category(f->v, line->category)) {
		as_finding(f->v->out, f->lines.file, f->lines.line, "/category", "the manifest has no such category");
	}
	as_buf_clear(&f->category);
	as_buf_add(&f->category, line->category);
	f->index = line->index;
	return as_buf_check(&f->category, err);
}

/* A certified goal is the next task. */
static const checked_task *check_certified(funnel *f, const as_funnel_line *line)
{
	const checked_task *t = f->certified < f->v->n_tasks ? &f->v->tasks[f->certified] : NULL;
	f->certified++;
	if (!t || !t->document) {
		return NULL; /* said of the task, or counted at the end */
	}
	if (!as_str_eq(t->id, line->task_id) || !as_str_eq(t->category, line->category) || t->index != line->index) {
		as_finding(f->v->out, f->lines.file, f->lines.line, "/task_id", "is not task %zu of tasks.jsonl",
			   f->certified);
		return NULL;
	}
	if (!as_str_eq(as_json_str(as_json_get(t->document, "source_trace_id")), line->trace_id)) {
		as_finding(f->v->out, f->lines.file, f->lines.line, "/trace_id",
			   "is not the trace that the task was made from");
	}
	return t;
}

static int check_goal(funnel *f, const as_funnel_line *line, const checked_task *task, assay_error *err)
{
	assay_json *goal = NULL;
	int rc;
	if (line->goal_id.len == 0) {
		return 0;
	}
	rc = as_rows_value(&f->goals, &goal, err);
	if (rc == 0) {
		as_finding(f->v->out, f->lines.file, f->lines.line, "/goal_id", "is not in goals.jsonl");
	} else if (rc > 0 && goal && !as_str_eq(as_json_str(as_json_get(goal, "goal_id")), line->goal_id)) {
		as_finding(f->v->out, f->goals.file, f->goals.line, "/goal_id", "is not the one of line %u of %s",
			   f->lines.line, f->lines.file);
	} else if (rc > 0 && goal && task && !f->v->manifest->imported &&
		   !as_str_eq(as_json_str(as_json_get(goal, "goal")), task->goal)) {
		as_finding(f->v->out, f->goals.file, f->goals.line, "/goal",
			   "is not the goal that the task's reference pursued");
	}
	as_json_free(goal);
	return rc < 0 ? rc : 0;
}

static int check_funnel_row(funnel *f, const assay_json *value, assay_error *err)
{
	as_funnel_line line;
	assay_error found = {0};
	const checked_task *task = NULL;
	int rc = as_funnel_line_read(value, &line, &found);
	if (rc < 0) {
		f->v->broken = true;
		return as_finding_of(f->v->out, f->lines.file, f->lines.line, NULL, &found, err);
	}
	rc = check_place(f, &line, err);
	if (rc == 0 && as_str_is(line.state, "certified")) {
		task = check_certified(f, &line);
	}
	rc = rc < 0 ? rc : check_goal(f, &line, task, err);
	return rc < 0 ? rc
		      : as_figures_add_goal(f->v->figures, line.category, line.state, line.reason, line.gates, err);
}

static int check_funnel(verification *v, assay_error *err)
{
	funnel f = {.v = v};
	const as_release_file *file = as_release_find(v->release, "funnel.jsonl");
	int rc;
	size_t goals = file ? as_json_count(file->lines) : 0;
	if (goals > MAX_GOALS || goals * v->manifest->n_categories > MAX_FUNNEL_WORK) {
		v->broken = true;
		as_finding(v->out, "funnel.jsonl", 0, NULL, "too many goals and categories to work the funnel out");
		return 0;
	}
	rc = as_rows_open(v, "funnel.jsonl", &f.lines, err);
	rc = rc < 0 ? rc : as_rows_open(v, "goals.jsonl", &f.goals, err);
	while (rc == 0) {
		assay_json *value = NULL;
		rc = as_rows_value(&f.lines, &value, err);
		if (rc <= 0) {
			break;
		}
		rc = value ? check_funnel_row(&f, value, err) : 0;
		as_json_free(value);
	}
	rc = rc < 0 ? rc : as_rows_end(&f.goals, err);
	if (rc == 0 && !v->broken && f.certified != v->n_tasks) {
		as_finding(v->out, "funnel.jsonl", 0, NULL, "%zu goals are certified, but there are %zu tasks",
			   f.certified, v->n_tasks);
	}
	as_rows_close(&f.lines);
	as_rows_close(&f.goals);
	as_buf_free(&f.category);
	return rc;
}

int as_verify_parts(verification *v, assay_error *err)
{
	int rc = check_plugins(v, err);
	return rc < 0 ? rc : check_funnel(v, err);
}
