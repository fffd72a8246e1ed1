/* The host's process service: child processes that observe the call's deadline and cancellation. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include <stdlib.h>

#define GRACE_MS 2000

struct assay_process {
	as_process *child;
};

static int process_spawn(assay_call *call, const assay_process_spec *spec, assay_process **out, assay_error *err)
{
	const as_call *c = as_call_of(call);
	as_arena arena = {0};
	assay_process *p = NULL;
	int rc = as_host_may_go_on(c, err);
	if (rc == 0 && (!ASSAY_HAS(spec, cwd) || !spec->argv || !spec->argv[0])) {
		rc = as_fail(err, ASSAY_EINVAL, "process->spawn: the spec names no command");
	}
	if (rc < 0) {
		return rc;
	}
	const char *const *given = as_host_expand_list(c, &arena, spec->env, err);
	if (spec->env && !given) {
		as_arena_free(&arena);
		return ASSAY_EAUTH;
	}
	const char *const *env = as_process_env(&arena, given);
	p = as_new(1, sizeof *p);
	if (!env || !p) {
		rc = as_fail_memory(err);
	} else {
		const as_process_spec full = {.argv = spec->argv,
					      .env = env,
					      .cwd = spec->cwd ? spec->cwd : c->cwd,
					      .flags = AS_PROCESS_STDIN | AS_PROCESS_STDOUT | AS_PROCESS_STDERR};
		rc = as_process_spawn(&full, &p->child, err);
	}
	as_arena_free(&arena);
	if (rc < 0) {
		free(p);
		return rc;
	}
	*out = p;
	return 0;
}

static int process_write(assay_call *call, assay_process *p, assay_str bytes, assay_error *err)
{
	const as_call *c = as_call_of(call);
	return as_process_write(p->child, bytes, c->deadline_ms, c->cancel, err);
}

static int process_read(assay_call *call, assay_process *p, char *buf, size_t cap, int64_t timeout_ms, size_t *n,
			assay_error *err)
{
	const as_call *c = as_call_of(call);
	return as_process_read(p->child, buf, cap, as_host_deadline(c, timeout_ms), c->cancel, n, err);
}

static int process_stderr(assay_process *p, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	as_buf_add(&b, as_process_stderr(p->child));
	return as_buf_take(&b, out, err);
}

static void process_stop(assay_process *p)
{
	if (p) {
		as_process_stop(p->child, GRACE_MS);
		free(p);
	}
}

static int process_ended(assay_process *p, int64_t wait_ms, int32_t *status, assay_text *words, assay_error *err)
{
	as_buf said = {0};
	int found = 0;
	int rc = as_process_wait(p->child, as_deadline(wait_ms), NULL, &found, err);
	if (rc == 0 && status) {
		*status = found;
	}
	if (rc == 0 && words) {
		as_process_say_status(&said, found);
		rc = as_buf_take(&said, words, err);
	}
	return rc;
}

const assay_process_api as_host_process = {sizeof as_host_process, 0,
					   process_spawn,          process_write,
					   process_read,           process_stderr,
					   process_stop,           process_ended};
