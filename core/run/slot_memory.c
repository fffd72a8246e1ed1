/* What an earlier run left of a goal slot. */
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/generate.h"
#include <stdlib.h>
#include <string.h>

typedef struct remembered {
	assay_str category, goal, state, reason, trace_id, task_id;
	assay_str task, certificate, tape_id; /* empty until distilled */
	int64_t index;
} remembered;

struct as_goal_memory {
	as_arena arena;
	remembered *list;
	size_t n, cap;
};

static remembered *find(const as_goal_memory *m, assay_str category, int64_t index)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->list[i].index == index && as_str_eq(m->list[i].category, category)) {
			return &m->list[i];
		}
	}
	return NULL;
}

static int keep_goal(void *payload, const as_goal_row *row, assay_error *err)
{
	as_goal_memory *m = payload;
	if (!as_grow(&m->list, &m->cap, m->n + 1, sizeof *m->list)) {
		return as_fail_memory(err);
	}
	m->list[m->n++] = (remembered){.category = as_arena_str(&m->arena, row->category),
				       .goal = as_arena_str(&m->arena, row->body),
				       .state = as_arena_str(&m->arena, row->state),
				       .reason = as_arena_str(&m->arena, row->reason),
				       .trace_id = as_arena_str(&m->arena, row->trace_id),
				       .task_id = as_arena_str(&m->arena, row->task_id),
				       .index = row->index};
	return m->arena.failed ? as_fail_memory(err) : 0;
}

static int keep_task(void *payload, const as_task_row *row, assay_error *err)
{
	as_goal_memory *m = payload;
	remembered *r = find(m, row->category, row->index);
	if (r && as_str_eq(r->task_id, row->task_id)) {
		r->task = as_arena_str(&m->arena, row->body);
		r->certificate = as_arena_str(&m->arena, row->certificate);
		r->tape_id = as_arena_str(&m->arena, row->tape_id);
	}
	return m->arena.failed ? as_fail_memory(err) : 0;
}

int as_goal_memory_load(as_engine *e, as_goal_memory **out, assay_error *err)
{
	as_goal_memory *m = as_new(1, sizeof *m);
	int rc;
	if (!m) {
		return as_fail_memory(err);
	}
	rc = as_store_goals(e->store, as_str(e->manifest->bench_id), keep_goal, m, err);
	if (rc == 0) {
		rc = as_store_tasks(e->store, as_str(e->manifest->bench_id), false, keep_task, m, err);
	}
	if (rc < 0) {
		as_goal_memory_free(m);
		m = NULL;
	}
	*out = m;
	return rc;
}

void as_goal_memory_free(as_goal_memory *m)
{
	if (m) {
		free(m->list);
		as_arena_free(&m->arena);
		free(m);
	}
}

static void copy_text(char *to, size_t size, assay_str from)
{
	snprintf(to, size, "%.*s", ASSAY_FMT(from));
}

static int restore(as_slot *s, const remembered *r, assay_error *err)
{
	int rc = 0;
	copy_text(s->state, sizeof s->state, r->state);
	copy_text(s->reason, sizeof s->reason, r->reason);
	copy_text(s->trace_id, sizeof s->trace_id, r->trace_id);
	copy_text(s->task_id, sizeof s->task_id, r->task_id);
	copy_text(s->tape_id, sizeof s->tape_id, r->tape_id);
	if (r->goal.len > 0 && !as_str_is(r->goal, "null")) {
		rc = as_json_parse(r->goal, ASSAY_JSON_PEER, &s->goal, err);
	}
	if (rc == 0 && r->task.len > 0) {
		rc = as_json_parse(r->task, ASSAY_JSON_PEER, &s->task, err);
	}
	if (rc == 0 && r->certificate.len > 0) {
		rc = as_json_parse(r->certificate, ASSAY_JSON_PEER, &s->certificate, err);
	}
	return rc;
}

int as_slot_init(as_slot *s, as_engine *e, uint32_t category, uint32_t index, const as_goal_memory *memory,
		 assay_error *err)
{
	const char *name = e->manifest->categories[category].name;
	const remembered *r = find(memory, as_str(name), index);
	*s = (as_slot){.category = category, .index = index};
	snprintf(s->key, sizeof s->key, "goal/%s/%u", name, index);
	return r ? restore(s, r, err) : 0;
}
