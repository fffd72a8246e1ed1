/* What is in a corpus, and what the manifest for it has to say. */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/adopt_private.h"
#include <stdlib.h>
#include <string.h>

/* ---- one document after the other ---- */

typedef struct survey {
	as_adoption *a;
	as_sha256 *sum;
} survey;

/* Of documents that come file by file; the arena's. */
static adopted_place place_of(as_adoption *a, const as_line *line)
{
	const char *path = a->n_tasks ? a->tasks[a->n_tasks - 1].at.path : NULL;
	path = a->n_traces && !(path && strcmp(path, line->path) == 0) ? a->traces[a->n_traces - 1].at.path : path;
	path = path && strcmp(path, line->path) == 0 ? path : as_arena_cstr(&a->arena, as_str(line->path));
	return (adopted_place){path, line->number, line->offset};
}

void as_adopt_defect(const as_adoption *a, const adopted_place *at, assay_error *flaw)
{
	const as_line line = {.path = at ? at->path : a->folder,
			      .number = at ? at->line : 0,
			      .offset = at ? at->offset : 0};
	as_lines_defect(a->lines, &line, flaw);
}

static int note_task(as_adoption *a, const as_line *line, assay_json **made, assay_error *err)
{
	const adopted_place at = place_of(a, line);
	adopted_task *t;
	if (!as_grow(&a->tasks, &a->cap_tasks, a->n_tasks + 1, sizeof *a->tasks)) {
		return as_fail_memory(err);
	}
	t = &a->tasks[a->n_tasks++];
	*t = (adopted_task){.document = *made,
			    .at = at,
			    .id = as_json_str(as_json_get(*made, "task_id")),
			    .source = as_json_str(as_json_get(*made, "source_trace_id"))};
	*made = NULL;
	return a->arena.failed ? as_fail_memory(err) : 0;
}

static int note_trace(as_adoption *a, const as_line *line, assay_str text, const assay_json *made, assay_error *err)
{
	const adopted_place at = place_of(a, line);
	char digest[65];
	const assay_json *meta = as_json_get(made, "seed_metadata"), *model = as_json_get(meta, "llm_model");
	if (!as_grow(&a->traces, &a->cap_traces, a->n_traces + 1, sizeof *a->traces)) {
		return as_fail_memory(err);
	}
	as_sha256_hex(text, digest);
	a->traces[a->n_traces] = (adopted_trace){as_arena_str(&a->arena, as_json_str(as_json_get(made, "trace_id"))),
						 as_arena_str(&a->arena, as_json_str(as_json_get(meta, "task_id"))),
						 as_arena_str(&a->arena, as_json_str(model)),
						 as_json_type(model) == ASSAY_JSON_STRING,
						 at,
						 as_hash_u64(digest),
						 (uint32_t)a->n_traces};
	a->n_traces++;
	return a->arena.failed ? as_fail_memory(err) : as_adopt_note_servers(a, made, line, err);
}

/* model, mode: NULL where nothing is said. */
static adopted_attempt *new_attempt(as_adoption *a, assay_str task_id, assay_str trace_id, const assay_str *model,
				    const assay_str *mode, assay_error *err)
{
	adopted_attempt *t;
	if (!as_grow(&a->attempts, &a->cap_attempts, a->n_attempts + 1, sizeof *a->attempts)) {
		as_fail_memory(err);
		return NULL;
	}
	t = &a->attempts[a->n_attempts++];
	*t = (adopted_attempt){.task_id = as_arena_str(&a->arena, task_id),
			       .trace_id = as_arena_str(&a->arena, trace_id),
			       .ordinal = NO_RESULT};
	if (a->arena.failed || as_adopt_note_name(&a->models, &a->arena, model, &t->model, err) < 0 ||
	    as_adopt_note_name(&a->modes, &a->arena, mode, &t->mode, err) < 0) {
		as_fail_memory(err);
		return NULL;
	}
	return t;
}

static int note_result(as_adoption *a, const assay_json *made, assay_error *err)
{
	const assay_json *m = as_json_get(made, "candidate_model"), *e = as_json_get(made, "evaluation_mode");
	const assay_str model = as_json_str(m), mode = as_json_str(e);
	adopted_attempt *t = new_attempt(a, as_json_str(as_json_get(made, "task_id")),
					 as_json_str(as_json_get(made, "candidate_trace_id")),
					 as_json_type(m) == ASSAY_JSON_STRING ? &model : NULL,
					 as_json_type(e) == ASSAY_JSON_STRING ? &mode : NULL, err);
	if (t) {
		t->ordinal = (uint32_t)a->n_results++;
	}
	return t ? 0 : ASSAY_ENOMEM;
}

static int note_members(assay_json *into, const assay_json *list, const char *key, assay_error *err)
{
	int rc = 0;
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		assay_str id = as_json_str(as_json_get(v, key));
		rc = as_json_get_n(into, id) ? 0 : as_json_set_n(into, id, as_json_clone(v));
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int take(void *payload, const as_corpus_item *item, assay_error *what)
{
	survey *s = payload;
	as_sha256_add(s->sum, item->text);
	as_sha256_add(s->sum, ASSAY_STR("\n"));
	switch (item->kind) {
	case AS_CORPUS_TASK:
		return note_task(s->a, item->line, item->made, what);
	case AS_CORPUS_TRACE:
		return note_trace(s->a, item->line, item->text, *item->made, what);
	case AS_CORPUS_RESULT:
		return note_result(s->a, *item->made, what);
	case AS_CORPUS_GOALS:
		return note_members(s->a->goals, as_json_get(*item->made, "entries"), "goal_id", what);
	case AS_CORPUS_MANIFEST:
		return note_members(s->a->entries, as_json_get(*item->made, "servers"), "server_id", what);
	case AS_CORPUS_CATALOGUE: /* names tools without their schemas: nothing that a trace does not say better */
		break;
	}
	return 0;
}

/* ---- what belongs together ---- */

static int compare_tasks(const void *a, const void *b)
{
	const adopted_task *x = *(adopted_task *const *)a, *y = *(adopted_task *const *)b;
	int c = as_str_cmp(x->id, y->id);
	return c ? c : (x > y) - (x < y);
}

static int compare_traces(const void *a, const void *b)
{
	const adopted_trace *x = a, *y = b;
	int c = as_str_cmp(x->id, y->id);
	return c ? c : (x->place > y->place) - (x->place < y->place);
}

const adopted_task *as_adopted_task(const as_adoption *a, assay_str id)
{
	size_t low = 0, high = a->n_ids;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = as_str_cmp(a->by_id[middle]->id, id);
		if (c == 0) {
			return a->by_id[middle];
		}
		low = c < 0 ? middle + 1 : low;
		high = c < 0 ? high : middle;
	}
	return NULL;
}

/* The first of that id. */
const adopted_trace *as_adopted_trace(const as_adoption *a, assay_str id)
{
	size_t low = 0, high = a->n_traces;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (as_str_cmp(a->traces[middle].id, id) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < a->n_traces && as_str_eq(a->traces[low].id, id) ? &a->traces[low] : NULL;
}

/* A folder may hold a document twice; of tasks with one id the first counts, and the other is told. */
static int index_tasks(as_adoption *a, assay_error *err)
{
	size_t kept = 0;
	a->by_id = as_new(a->n_tasks + 1, sizeof(adopted_task *));
	if (!a->by_id) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < a->n_tasks; i++) {
		a->by_id[i] = &a->tasks[i];
	}
	qsort(a->by_id, a->n_tasks, sizeof *a->by_id, compare_tasks);
	for (size_t i = 0; i < a->n_tasks; i++) {
		if (kept > 0 && as_str_eq(a->by_id[kept - 1]->id, a->by_id[i]->id)) {
			assay_error flaw = {0};
			as_fail(&flaw, ASSAY_EDATA, "task %.*s is there twice: the first counts",
				ASSAY_FMT(a->by_id[i]->id));
			as_adopt_defect(a, &a->by_id[i]->at, &flaw);
			a->by_id[i]->twice = true;
		} else {
			a->by_id[kept++] = a->by_id[i];
		}
	}
	a->n_ids = kept;
	return 0;
}

/* One that is in two files is one; another of its id is told. Sorted by id, then as they came. */
static void tell_other_traces(const as_adoption *a)
{
	for (size_t i = 1, first = 0; i < a->n_traces; i++) {
		const adopted_trace *t = &a->traces[i];
		assay_error flaw = {0};
		if (!as_str_eq(t->id, a->traces[first].id)) {
			first = i;
		} else if (t->digest != a->traces[first].digest) {
			as_fail(&flaw, ASSAY_EDATA, "another trace has the id %.*s: the first counts",
				ASSAY_FMT(t->id));
			as_adopt_defect(a, &t->at, &flaw);
		}
	}
}

static int compare_places(const void *a, const void *b)
{
	const adopted_attempt *x = *(adopted_attempt *const *)a, *y = *(adopted_attempt *const *)b;
	int c = as_str_cmp(x->task_id, y->task_id);
	c = c ? c : (x->mode > y->mode) - (x->mode < y->mode);
	c = c ? c : (x->model > y->model) - (x->model < y->model);
	return c ? c : (x > y) - (x < y);
}

/* Attempts of one candidate on one task are numbered as they come: files of several runs number theirs from 0 on. */
static int number_repeats(as_adoption *a, assay_error *err)
{
	adopted_attempt **sorted = as_new(a->n_attempts + 1, sizeof *sorted);
	if (!sorted) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < a->n_attempts; i++) {
		adopted_attempt *t = &a->attempts[i];
		t->known = as_adopted_task(a, t->task_id) != NULL;
		t->has_trace = as_adopted_trace(a, t->trace_id) != NULL;
		sorted[i] = t;
	}
	qsort(sorted, a->n_attempts, sizeof *sorted, compare_places);
	for (size_t i = 1; i < a->n_attempts; i++) {
		bool same = as_str_eq(sorted[i]->task_id, sorted[i - 1]->task_id) &&
			    sorted[i]->mode == sorted[i - 1]->mode && sorted[i]->model == sorted[i - 1]->model;
		sorted[i]->repeat = same ? sorted[i - 1]->repeat + 1 : 0;
	}
	free(sorted);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	return as_str_cmp(*(const assay_str *)a, *(const assay_str *)b);
}

/* Traces that say which task they are an attempt on, and have no result. */
static int add_unscored(as_adoption *a, assay_error *err)
{
	size_t n = a->n_attempts;
	assay_str *scored = as_new(n + 1, sizeof *scored);
	int rc = scored ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		scored[i] = a->attempts[i].trace_id;
	}
	if (rc == 0) {
		qsort(scored, n, sizeof *scored, compare_ids);
	}
	for (size_t i = 0; i < a->n_traces && rc == 0; i++) {
		const adopted_trace *t = &a->traces[i];
		const adopted_task *task = t->task_id.len ? as_adopted_task(a, t->task_id) : NULL;
		bool twice = i > 0 && as_str_eq(t->id, a->traces[i - 1].id);
		if (task && !twice && !as_str_eq(task->source, t->id) &&
		    !bsearch(&t->id, scored, n, sizeof *scored, compare_ids)) {
			rc = new_attempt(a, t->task_id, t->id, t->has_model ? &t->model : NULL, NULL, err)
				     ? 0
				     : ASSAY_ENOMEM;
		}
	}
	free(scored);
	return rc;
}

int as_adopt_survey(const char *folder, as_lines *lines, as_corpus_counts *counts, as_adoption **out, assay_error *err)
{
	as_adoption *a = as_new(1, sizeof *a);
	survey s = {.a = a, .sum = as_sha256_new()};
	const as_corpus_options options = {.folder = folder, .take = take, .payload = &s};
	int rc = a && s.sum ? 0 : as_fail_memory(err);
	*out = NULL;
	if (rc == 0) {
		a->folder = folder;
		a->lines = lines;
		a->servers = as_json_object();
		a->entries = as_json_object();
		a->goals = as_json_object();
		rc = a->servers && a->entries && a->goals ? 0 : as_fail_memory(err);
	}
	rc = rc < 0 ? rc : as_corpus_read(&options, lines, counts, err);
	if (s.sum) {
		char digest[65];
		as_sha256_end_hex(s.sum, digest);
		memcpy(a ? a->digest : digest, digest, sizeof digest);
	}
	if (rc == 0) {
		if (a->n_traces > 1) {
			qsort(a->traces, a->n_traces, sizeof *a->traces, compare_traces);
		}
		tell_other_traces(a);
		rc = index_tasks(a, err);
	}
	rc = rc < 0 ? rc : add_unscored(a, err);
	rc = rc < 0 ? rc : number_repeats(a, err);
	if (rc < 0) {
		as_adopt_free(a);
		return rc;
	}
	*out = a;
	return 0;
}

void as_adopt_free(as_adoption *a)
{
	if (!a) {
		return;
	}
	for (size_t i = 0; i < a->n_tasks; i++) {
		as_json_free(a->tasks[i].document);
	}
	free(a->tasks);
	free(a->by_id);
	free(a->traces);
	free(a->attempts);
	as_adopt_names_free(&a->models);
	as_adopt_names_free(&a->modes);
	as_json_free(a->servers);
	as_json_free(a->entries);
	as_json_free(a->goals);
	as_arena_free(&a->arena);
	free(a);
}

/* ---- the manifest ---- */

static assay_json *parse(const char *text)
{
	assay_json *v = NULL;
	as_json_parse(as_str(text), ASSAY_JSON_STRICT, &v, NULL);
	return v;
}

static assay_json *starter(const char *name)
{
	assay_json *m =
		parse("{\"assay\":1,\"name\":\"\",\"version\":\"0.1.0\",\"profile\":\"dynamicmcpbench\","
		      "\"imported\":{},\"mcpServers\":{},\"generation\":{\"gates\":{\"require\":[]}},"
		      "\"evaluation\":{\"candidates\":["
		      "{\"name\":\"careful\",\"use\":\"explorer/loop\",\"model\":\"rules\",\"policy\":\"careful\"},"
		      "{\"name\":\"greedy\",\"use\":\"explorer/loop\",\"model\":\"rules\",\"policy\":\"greedy\"}],"
		      "\"conditions\":[{\"name\":\"main\"}]}}");
	if (as_json_set(m, "name", as_json_cstring(name)) < 0) {
		as_json_free(m);
		return NULL;
	}
	return m;
}

static assay_json *member(assay_json *object, const char *key, assay_json *(*make)(void))
{
	if (!as_json_get(object, key) && as_json_set(object, key, make()) < 0) {
		return NULL;
	}
	return as_json_edit(as_json_get(object, key));
}

/* A list without the entries of an earlier import. */
static assay_json *unrecorded(const assay_json *list)
{
	assay_json *out = as_json_array();
	int rc = out ? 0 : ASSAY_ENOMEM;
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		rc = as_json_boolean(as_json_get(v, "recorded"), 0) ? 0 : as_json_append(out, as_json_clone(v));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* The entry of that name, added when there is none. NULL: no memory. */
static assay_json *recorded_entry(assay_json *list, const char *name)
{
	assay_json *entry;
	for (const assay_json *v = as_json_first(list); v; v = as_json_next(v)) {
		if (as_str_is(as_json_str(as_json_get(v, "name")), name) && as_json_get(v, "recorded")) {
			return as_json_edit(v);
		}
	}
	entry = as_json_object();
	if (as_json_set(entry, "name", as_json_cstring(name)) < 0 ||
	    as_json_set(entry, "recorded", as_json_truth(1)) < 0) {
		as_json_free(entry);
		return NULL;
	}
	return as_json_append(list, entry) < 0 ? NULL : entry;
}

/* {name: true} of a list's entries. */
static assay_json *names_of(const assay_json *list)
{
	assay_json *out = as_json_object();
	int rc = 0;
	for (const assay_json *v = as_json_first(list); v && rc == 0; v = as_json_next(v)) {
		rc = as_json_set_n(out, as_json_str(as_json_get(v, "name")), as_json_truth(1));
	}
	if (rc < 0) {
		as_json_free(out);
		return NULL;
	}
	return out;
}

/* A candidate that nobody has asked for gives its name to one that came along. */
static int give_way(assay_json *candidates, assay_json *taken)
{
	as_buf name = {0};
	int rc = 0;
	for (const assay_json *v = as_json_first(candidates); v && rc == 0; v = as_json_next(v)) {
		const char *called = as_json_cstr(as_json_get(v, "name"), "");
		as_buf_clear(&name);
		as_buf_puts(&name, called);
		for (int n = 2; as_json_get_n(taken, as_buf_str(&name)); n++) {
			as_buf_clear(&name);
			as_buf_printf(&name, "%s-%d", called, n);
		}
		rc = name.failed ? ASSAY_ENOMEM : as_json_set_n(taken, as_buf_str(&name), as_json_truth(1));
		rc = rc < 0 ? rc : as_json_set(as_json_edit(v), "name", as_json_string(as_buf_str(&name)));
	}
	as_buf_free(&name);
	return rc;
}

static int give_names(as_adoption *a, bool fresh, assay_json *candidates, const assay_json *conditions,
		      assay_error *err)
{
	static const adopted_rule models = {"", "unknown", "._:/-", 96}, modes = {"recorded-", "recorded", "._-", 64};
	assay_json *taken = fresh ? as_json_object() : names_of(candidates), *also = names_of(conditions);
	int rc = taken && also ? 0 : as_fail_memory(err);
	rc = rc < 0 ? rc : as_adopt_give_names(&a->models, &models, &a->arena, taken, err);
	rc = rc < 0 ? rc : as_adopt_give_names(&a->modes, &modes, &a->arena, also, err);
	if (rc == 0 && fresh && give_way(candidates, taken) < 0) {
		rc = as_fail_memory(err);
	}
	as_json_free(taken);
	as_json_free(also);
	return rc;
}

/* Candidates and conditions of the attempts that came along. */
static int add_recorded(as_adoption *a, bool fresh, assay_json *evaluation, assay_error *err)
{
	assay_json *candidates = unrecorded(as_json_get(evaluation, "candidates"));
	assay_json *conditions = unrecorded(as_json_get(evaluation, "conditions"));
	int rc = 0;
	if (as_json_count(conditions) == 0) {
		rc = recorded_entry(conditions, "main") ? 0 : ASSAY_ENOMEM; /* an empty list is no list */
		as_json_free(as_json_detach(as_json_edit(as_json_first(conditions)), "recorded"));
	}
	rc = rc < 0 ? rc : give_names(a, fresh, candidates, conditions, err);
	for (size_t i = 0; i < a->n_attempts && rc == 0; i++) {
		const adopted_attempt *t = &a->attempts[i];
		assay_json *condition;
		if (!t->known) {
			continue;
		}
		condition = recorded_entry(conditions, a->modes.list[t->mode].name);
		rc = condition && recorded_entry(candidates, a->models.list[t->model].name) ? 0 : ASSAY_ENOMEM;
		if (rc == 0 && as_json_i64(as_json_get(condition, "attempts"), 0) <= (int64_t)t->repeat) {
			rc = as_json_set(condition, "attempts", as_json_integer((int64_t)t->repeat + 1));
		}
	}
	rc |= as_json_set(evaluation, "candidates", candidates);
	rc |= as_json_set(evaluation, "conditions", conditions);
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int set_tasks(const as_adoption *a, assay_json *m)
{
	assay_json *generation = member(m, "generation", as_json_object), *category = as_json_object();
	assay_json *list = as_json_array(), *sampler = as_json_object(), *imported = as_json_object();
	int rc = as_json_set(sampler, "use", as_json_cstring("sampler/random"));
	rc |= as_json_set(category, "name", as_json_cstring(AS_ADOPT_CATEGORY));
	rc |= as_json_set(category, "count", as_json_integer((int64_t)a->n_ids));
	rc |= as_json_set(category, "sampler", sampler);
	rc |= as_json_append(list, category);
	rc |= as_json_set(generation, "categories", list);
	rc |= as_json_set(imported, "from", as_json_cstring("dynamicmcpbench"));
	rc |= as_json_set(imported, "digest", as_json_cstring(a->digest));
	return rc | as_json_set(m, "imported", imported);
}

int as_adopt_manifest(as_adoption *a, assay_json *old, const char *name, assay_json **out, assay_error *err)
{
	assay_json *m = old ? old : starter(name), *evaluation;
	int rc;
	*out = NULL;
	if (old && !as_json_get(old, "imported")) {
		rc = as_fail(err, ASSAY_EDATA, "this is the manifest of a benchmark that was not imported");
	} else {
		rc = set_tasks(a, m) < 0 ? as_fail_memory(err) : 0;
	}
	evaluation = rc < 0 ? NULL : member(m, "evaluation", as_json_object);
	rc = rc < 0 ? rc : evaluation ? add_recorded(a, !old, evaluation, err) : as_fail_memory(err);
	if (rc < 0) {
		as_json_free(m);
		return rc;
	}
	*out = m;
	return 0;
}
