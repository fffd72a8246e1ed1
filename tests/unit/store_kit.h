/* What the programs that test the store share: a folder of their own, and rows made from numbers. */
#ifndef TESTS_STORE_KIT_H
#define TESTS_STORE_KIT_H

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/store/store.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

struct kit {
	as_buf folder;
	char path[512]; /* of a store in it that does not exist yet */
};

static inline void kit_open(struct kit *kit)
{
	assay_error err = {0};
	*kit = (struct kit){0};
	ck_assert_msg(as_make_temp_dir("/tmp", "assay-store", &kit->folder, &err) == 0, "%s", err.message);
	snprintf(kit->path, sizeof kit->path, "%s/t.db", kit->folder.ptr);
}

static inline void kit_close(struct kit *kit)
{
	ck_assert_int_eq(as_remove_tree(kit->folder.ptr, NULL), 0);
	as_buf_free(&kit->folder);
}

static inline as_store *kit_store(const struct kit *kit, uint32_t flags)
{
	assay_error err = {0};
	as_store *s = NULL;
	ck_assert_msg(as_store_open(kit->path, flags, &s, &err) == 0, "%s (%d)", err.message, err.code);
	ck_assert_ptr_nonnull(s);
	return s;
}

/* An attempt numbered n on task "t0" of run "r", with one verdict. `text` holds the id. */
struct kit_attempt {
	char id[32];
	as_verdict_row verdict;
	as_attempt_row row;
};

static inline void kit_attempt(struct kit_attempt *a, long n, assay_str trace)
{
	*a = (struct kit_attempt){0};
	snprintf(a->id, sizeof a->id, "a%ld", n);
	a->verdict = (as_verdict_row){ASSAY_STR("scorer/effects"), ASSAY_STR("pass"), 1.0, 1.0, ASSAY_STR("{}")};
	a->row = (as_attempt_row){.attempt_id = as_str(a->id),
				  .run_id = ASSAY_STR("r"),
				  .task_id = ASSAY_STR("t0"),
				  .candidate = ASSAY_STR("c"),
				  .condition = ASSAY_STR("main"),
				  .repeat = n,
				  .end = ASSAY_STR("finished"),
				  .end_class = ASSAY_STR("agent"),
				  .trace = trace,
				  .verdicts = &a->verdict,
				  .n_verdicts = 1};
}

#endif
