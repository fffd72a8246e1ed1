#include "core/world/fill.h"

#include "core/base/error.h"
#include "core/trace/canonical.h"
#include "core/world/live.h"
#include <stdlib.h>
#include <string.h>

#define NONE_LEFT_OUT SIZE_MAX

/* A call to make: one of the reference's, or a probe. */
typedef struct question {
	assay_str server, tool, canonical;
	const assay_json *arguments;
} question;

typedef struct list {
	question *items;
	size_t n, cap;
} list;

typedef struct filling {
	as_taping *taping;
	as_world *world;
	as_call *call;
	const as_fill_options *options;
	as_arena arena;
	list reads;  /* distinct: what is asked at each version */
	list writes; /* distinct: what is tried at each version */
	list path;   /* the successful writes, in order */
	uint32_t spent;
	bool tried; /* in this walk, states are tried as well */
} filling;

static bool spend(filling *f)
{
	return f->spent < f->options->max_calls && ++f->spent > 0;
}

static bool is_spent(const filling *f)
{
	return f->spent >= f->options->max_calls;
}

static bool is_in(const list *l, const question *q)
{
	for (size_t i = 0; i < l->n; i++) {
		const question *o = &l->items[i];
		if (as_str_eq(o->canonical, q->canonical) && as_str_eq(o->tool, q->tool) &&
		    as_str_eq(o->server, q->server)) {
			return true;
		}
	}
	return false;
}

static int add(list *l, const question *q, assay_error *err)
{
	if (!as_grow(&l->items, &l->cap, l->n + 1, sizeof *l->items)) {
		return as_fail_memory(err);
	}
	l->items[l->n++] = *q;
	return 0;
}

static int make_question(filling *f, assay_str server, assay_str tool, const assay_json *arguments, question *out,
			 assay_error *err)
{
	as_buf canonical = {0};
	int rc = as_canonical_arguments(arguments, &canonical);
	*out = (question){server, tool, as_arena_str(&f->arena, as_buf_str(&canonical)), arguments};
	as_buf_free(&canonical);
	return rc < 0 || f->arena.failed ? as_fail_memory(err) : 0;
}

static int list_step(filling *f, const assay_step *s, assay_error *err)
{
	question q;
	bool write = as_taping_writes(f->taping, s->server, s->tool);
	list *distinct = write ? &f->writes : &f->reads;
	int rc;
	if (!as_live_restorable(f->world, s->server)) {
		return 0;
	}
	rc = make_question(f, s->server, s->tool, s->arguments, &q, err);
	if (rc == 0 && !is_in(distinct, &q)) {
		rc = add(distinct, &q, err);
	}
	if (rc == 0 && write && s->status == ASSAY_STEP_SUCCESS) {
		rc = add(&f->path, &q, err);
	}
	return rc;
}

static int list_read(filling *f, assay_str server, assay_str tool, const assay_json *arguments, assay_error *err)
{
	question q;
	int rc;
	if (!as_live_readable(f->world, server) || as_taping_writes(f->taping, server, tool)) {
		return 0;
	}
	rc = make_question(f, server, tool, arguments, &q, err);
	return rc == 0 && !is_in(&f->reads, &q) ? add(&f->reads, &q, err) : rc;
}

/* A probe is a read whatever its tool is said to be, unless that one writes. */
static int list_probe(filling *f, const assay_json *probe, assay_error *err)
{
	return list_read(f, as_json_str(as_json_get(probe, "server_id")), as_json_str(as_json_get(probe, "tool_name")),
			 as_json_get(probe, "arguments"), err);
}

static bool is_member(const assay_json *set, assay_str server, assay_str tool)
{
	const assay_json *m = as_json_first(set);
	while (m && !(as_str_eq(as_json_str(as_json_get(m, "server_id")), server) &&
		      as_str_eq(as_json_str(as_json_get(m, "tool_name")), tool))) {
		m = as_json_next(m);
	}
	return m;
}

/* What may stand in for a call of the reference is asked what that one was asked: an agent may choose it. */
static int list_equivalents(filling *f, const assay_json *set, const assay_step *s, assay_error *err)
{
	int rc = 0;
	if (s->status != ASSAY_STEP_SUCCESS || !is_member(set, s->server, s->tool)) {
		return 0;
	}
	for (const assay_json *m = as_json_first(set); m && rc == 0; m = as_json_next(m)) {
		assay_str server = as_json_str(as_json_get(m, "server_id")),
			  tool = as_json_str(as_json_get(m, "tool_name"));
		if (as_taping_can_read(f->taping, server, tool, s->arguments)) {
			rc = list_read(f, server, tool, s->arguments, err);
		}
	}
	return rc;
}

static int list_questions(filling *f, const as_trace *trace, assay_error *err)
{
	size_t n;
	const assay_step *steps = as_trace_steps(trace, &n);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = list_step(f, &steps[i], err);
	}
	for (const assay_json *c = as_json_first(as_json_get(f->options->task, "checkpoints")); c && rc == 0;
	     c = as_json_next(c)) {
		rc = list_probe(f, as_json_get(c, "probe"), err);
		for (size_t i = 0; i < n && rc == 0; i++) {
			rc = list_equivalents(f, as_json_get(c, "equivalence_set"), &steps[i], err);
		}
	}
	return rc;
}

/* Make a call that the tape has not. *moved: it led to another version. */
static int ask(filling *f, const question *q, bool restored, bool *moved, assay_error *err)
{
	as_answer answer = {0};
	int rc = as_world_call(f->world, f->call, q->server, q->tool, q->arguments, &answer, err);
	if (rc == 0) {
		*moved = strcmp(answer.version, answer.next) != 0;
		rc = as_taping_fill(f->taping, q->server, q->tool, q->arguments, &answer, restored, err);
	}
	as_answer_clear(&answer);
	return rc;
}

static bool is_known(const filling *f, const question *q)
{
	return as_taping_knows(f->taping, as_live_version(f->world, q->server), q->server, q->tool, q->canonical);
}

static int ask_reads(filling *f, bool restored, assay_error *err)
{
	bool moved;
	int rc = 0;
	for (size_t i = 0; i < f->reads.n && rc == 0; i++) {
		if (!is_known(f, &f->reads.items[i]) && spend(f)) {
			rc = ask(f, &f->reads.items[i], restored, &moved, err);
		}
	}
	return rc;
}

/* Each write of the tape from a copy of this state, and the reads behind it; then the state as it was. */
static int try_writes(filling *f, assay_error *err)
{
	bool kept = false, moved = false;
	int rc = 0;
	for (size_t i = 0; i < f->writes.n && rc == 0; i++) {
		const question *q = &f->writes.items[i];
		if (is_known(f, q) || !spend(f)) {
			continue;
		}
		if (!kept) {
			spend(f);
			rc = as_live_snapshot(f->world, f->call, err);
			if (rc == ASSAY_ENOTSUP) {
				f->tried = false; /* so be it */
				return 0;
			}
			as_taping_mark(f->taping);
			kept = rc == 0;
		}
		rc = rc < 0 ? rc : ask(f, q, true, &moved, err);
		rc = rc < 0 ? rc : ask_reads(f, true, err);
		if (rc == 0) {
			/* Also after a failure: what a server does before it refuses is nobody's knowledge. */
			spend(f);
			rc = as_live_restore(f->world, f->call, err);
			as_taping_return(f->taping);
		}
	}
	return rc;
}

static int look_around(filling *f, assay_error *err)
{
	int rc = ask_reads(f, false, err);
	return rc == 0 && f->tried ? try_writes(f, err) : rc;
}

static int reset(filling *f, assay_error *err)
{
	spend(f);
	as_taping_rewind(f->taping);
	return f->world->ops->reset(f->world, f->call, err);
}

/* The path from the initial state on. A write that the tape knows is made all the same: the walk needs its state. */
static int walk(filling *f, size_t left_out, assay_error *err)
{
	int rc = reset(f, err);
	rc = rc < 0 ? rc : look_around(f, err);
	for (size_t i = 0; i < f->path.n && rc == 0 && !is_spent(f); i++) {
		bool moved;
		if (i == left_out) {
			continue;
		}
		spend(f);
		rc = ask(f, &f->path.items[i], false, &moved, err);
		rc = rc < 0 ? rc : look_around(f, err);
	}
	return rc;
}

static int walk_all(filling *f, bool tried, assay_error *err)
{
	int rc;
	f->tried = tried;
	rc = walk(f, NONE_LEFT_OUT, err);
	for (size_t i = 0; i < f->path.n && rc == 0 && !is_spent(f); i++) {
		rc = walk(f, i, err);
	}
	return rc;
}

/* Does a fresh world start where the reference started? */
static bool starts_alike(const filling *f)
{
	const list *lists[] = {&f->reads, &f->writes};
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < lists[i]->n; k++) {
			assay_str server = lists[i]->items[k].server, initial = as_taping_initial(f->taping, server);
			if (initial.len > 0 && !as_str_is(initial, as_live_version(f->world, server))) {
				return false;
			}
		}
	}
	return true;
}

static int fill(filling *f, assay_error *err)
{
	int rc = reset(f, err);
	if (rc == 0 && !starts_alike(f)) {
		as_log_put(
			f->call->log, "world", ASSAY_LOG_WARN,
			"a fresh environment is not in the state that the reference started from: nothing is filled");
		return 0;
	}
	rc = rc < 0 ? rc : walk_all(f, false, err);
	if (rc == 0 && (f->options->parts & AS_FILL_COPIES) && f->writes.n > 0 && !is_spent(f)) {
		rc = walk_all(f, true, err);
	}
	return rc;
}

int as_tape_fill(as_taping *t, const as_trace *trace, as_world *live, as_call *call, const as_fill_options *options,
		 assay_error *err)
{
	filling f = {.taping = t, .world = live, .call = call, .options = options};
	assay_error why = {0};
	int rc = options->parts && live->ops->reset ? list_questions(&f, trace, &why) : 0;
	if (rc == 0 && (f.reads.n > 0 || f.writes.n > 0)) {
		rc = fill(&f, &why);
	}
	free(f.reads.items);
	free(f.writes.items);
	free(f.path.items);
	as_arena_free(&f.arena);
	if (rc == ASSAY_ENOMEM || rc == ASSAY_ECANCELED) {
		if (err) {
			*err = why;
		}
		return rc;
	}
	if (rc < 0) {
		as_log_put(call->log, "world", ASSAY_LOG_WARN, "the tape is filled in part only: %s", why.message);
	}
	return 0;
}
