#include "core/task/checks.h"

#include "core/base/error.h"
#include <stdlib.h>

#define FIRST_SLOTS 64u
#define MAX_KEPT 4096u /* predicates; then they are read anew, so that memory stays within bounds */

struct as_checks_slot {
	const assay_json *json; /* NULL: free */
	as_predicate *predicate;
};

typedef int (*compile_fn)(const assay_json *predicate, as_predicate **out, assay_error *err);

void as_checks_begin(as_checks *c)
{
	c->work = AS_CHECK_WORK;
}

static void clear(as_checks *c)
{
	for (size_t i = 0; i < c->cap; i++) {
		as_predicate_free(c->slots[i].predicate);
		c->slots[i] = (struct as_checks_slot){0};
	}
	c->n = 0;
}

void as_checks_free(as_checks *c)
{
	clear(c);
	free(c->slots);
	*c = (as_checks){0};
}

/* Its slot, or the free one where it belongs. There is always a free one. */
static struct as_checks_slot *slot_of(const as_checks *c, const assay_json *json)
{
	size_t i = (size_t)(((uintptr_t)json >> 4) * UINT32_C(0x9E3779B1));
	for (;; i++) {
		struct as_checks_slot *s = &c->slots[i & (c->cap - 1)];
		if (!s->json || s->json == json) {
			return s;
		}
	}
}

static bool grow(as_checks *c)
{
	as_checks larger = {.cap = c->cap ? c->cap * 2 : FIRST_SLOTS};
	larger.slots = as_new(larger.cap, sizeof *larger.slots);
	if (!larger.slots) {
		return false;
	}
	for (size_t i = 0; i < c->cap; i++) {
		if (c->slots[i].json) {
			*slot_of(&larger, c->slots[i].json) = c->slots[i];
		}
	}
	free(c->slots);
	c->slots = larger.slots;
	c->cap = larger.cap;
	return true;
}

static int find(as_checks *c, const assay_json *json, compile_fn compile, as_predicate **out, assay_error *err)
{
	struct as_checks_slot *s;
	int rc;
	if (c->n >= MAX_KEPT) {
		clear(c);
	}
	if (c->n * 2 >= c->cap && !grow(c)) {
		return as_fail_memory(err);
	}
	s = slot_of(c, json);
	rc = s->json ? 0 : compile(json, &s->predicate, err);
	if (rc == 0 && !s->json) {
		s->json = json;
		c->n++;
	}
	*out = s->predicate;
	return rc;
}

int as_checks_args(as_checks *c, const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	as_predicate *p;
	int rc;
	if (!predicate) {
		return 1;
	}
	rc = find(c, predicate, as_args_compile, &p, err);
	return rc < 0 ? rc : as_args_met(p, arguments, &c->work, err);
}

int as_checks_value(as_checks *c, const assay_json *predicate, assay_str text, assay_error *err)
{
	as_predicate *p;
	int rc;
	if (!predicate) {
		return 0;
	}
	rc = find(c, predicate, as_value_compile, &p, err);
	return rc < 0 ? rc : as_value_met(p, text, &c->work, err);
}
