/* A host for the tests of plugins: the real base layer behind the SDK's table, and nothing of core/plugin. Services
 * that belong to a run (agent, world, llm ...) go to the hooks of the as_call, as in the program. Thread: one. */
#ifndef TESTS_FAKEHOST_H
#define TESTS_FAKEHOST_H

#include "core/plugin/call.h"
#include <assay/plugin.h>

const assay_host *fake_host(void);

/* A call with the fake host, no hooks, a deadline timeout_ms from now (AS_FOREVER: none) and no cancellation; change
 * the members as the test needs. Pass &call.pub. */
void fake_call(as_call *call, int64_t timeout_ms);

/* The implementation of a name and role in the module STEM of the build tree, loaded as the program would load it. Ends
 * the test when there is none. */
const assay_impl *fake_load(const char *stem, uint32_t role, const char *name);

/* Let the n-th allocation from now on fail (0: the next), and all after it; a negative n: none. */
void fake_fail_alloc(long n);
/* Blocks from alloc and resize that were not freed. */
long fake_live_blocks(void);

/* The child that was spawned last: its id, which is its group's too, or 0. */
int fake_last_pid(void);
/* Is nobody left of the group of that child? What was killed may take a moment to be gone. */
bool fake_group_gone(int pid);

/* A sink that keeps what it gets. stop_after: with that many, they answer ASSAY_STOP
 * (0: never). Release with fake_sink_free. */
typedef struct fake_sink {
	assay_sink sink;
	assay_json *values; /* array */
	assay_json *texts;  /* array of strings */
	size_t stop_after;
} fake_sink;
void fake_sink_init(fake_sink *s);
void fake_sink_free(fake_sink *s);

#endif
