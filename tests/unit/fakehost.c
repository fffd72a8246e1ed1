#include "tests/unit/fakehost.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/regex.h"
#include "core/base/similarity.h"
#include "core/base/text.h"

#include <check.h>
#include <errno.h>
#include <ltdl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GRACE_MS 300

/* The table's functions have no argument that could carry these, and every test runs in a process of its own. */
static long allocations_left = -1;
static long live_blocks;
static int last_pid;

static const as_call *core(const assay_call *call)
{
	return (const as_call *)(const void *)call;
}

/* --- memory, errors, time ---------------------------------------------------------------------------------------- */

static bool may_allocate(void)
{
	if (allocations_left == 0) {
		return false;
	}
	if (allocations_left > 0) {
		allocations_left--;
	}
	return true;
}

static void *fake_alloc(size_t size)
{
	void *p = may_allocate() ? calloc(1, size ? size : 1) : NULL;

	live_blocks += p != NULL;
	return p;
}

static void *fake_resize(void *old, size_t size)
{
	void *p = may_allocate() ? realloc(old, size ? size : 1) : NULL;

	live_blocks += p != NULL && old == NULL;
	return p;
}

static void fake_free(void *p)
{
	live_blocks -= p != NULL;
	free(p);
}

static int fake_fail(assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(3, 4);
static int fake_fail(assay_error *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	as_failv(err, code, format, args);
	va_end(args);
	return code;
}

static void fake_log(const assay_call *call, int level, const char *format, ...) ASSAY_PRINTF(3, 4);
static void fake_log(const assay_call *call, int level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (call && core(call)->log) {
		as_log_putv(core(call)->log, core(call)->component, level, format, args);
	}
	va_end(args);
}

static int64_t fake_remaining_ms(const assay_call *call)
{
	return as_remaining(core(call)->deadline_ms);
}

static int fake_cancelled(const assay_call *call)
{
	return as_cancel_is_set(core(call)->cancel);
}

static int fake_vectors(assay_call *call, const char *embedder, const assay_str *texts, size_t n,
			assay_vector_sink *vectors, assay_error *err)
{
	const as_call *c = core(call);

	return c->hooks && c->hooks->embed ? c->hooks->embed(c->context, embedder, texts, n, vectors, err)
					   : as_fail(err, ASSAY_ENOTSUP, "not offered to this operation");
}

static const void *fake_service(const char *name, uint32_t version)
{
	static const assay_embed_api embed = {sizeof embed, 0, fake_vectors, as_cosine};

	return strcmp(name, "embed") == 0 && version <= 1 ? &embed : NULL;
}

/* --- text and random numbers ------------------------------------------------------------------------------------- */

static int fake_lower(assay_str s, assay_text *out, assay_error *err)
{
	as_buf b = {0};

	as_lower(&b, s);
	return as_buf_take(&b, out, err);
}

static int fake_regex(assay_str pattern, assay_str subject, int *found, assay_error *err)
{
	int rc = as_regex_once(pattern, subject, err);

	*found = rc == 1;
	return rc < 0 ? rc : 0;
}

static const assay_text_api text_api = {.size = sizeof text_api,
					.jaccard = as_jaccard,
					.ratio = as_ratio,
					.lower = fake_lower,
					.regex_search = fake_regex,
					.sha256_hex = as_sha256_hex,
					.bm25_new = as_bm25_new,
					.bm25_add = as_bm25_add,
					.bm25_scores = as_bm25_scores,
					.bm25_free = as_bm25_free};

static uint32_t fake_below(assay_call *call, uint32_t n)
{
	return core(call)->rng ? as_rng_below(core(call)->rng, n) : 0;
}

static void fake_shuffle(assay_call *call, uint32_t *items, size_t n)
{
	if (core(call)->rng) {
		as_rng_shuffle(core(call)->rng, items, n);
	}
}

static const assay_rng_api rng_api = {.size = sizeof rng_api, .below = fake_below, .shuffle = fake_shuffle};

/* --- processes and files ----------------------------------------------------------------------------------------- */

static as_process *process_of(assay_process *p)
{
	return (as_process *)(void *)p;
}

static int fake_spawn(assay_call *call, const assay_process_spec *spec, assay_process **out, assay_error *err)
{
	as_arena arena = {0};
	as_process *p = NULL;
	as_process_spec real = {.argv = spec->argv,
				.env = as_process_env(&arena, spec->env),
				.cwd = spec->cwd ? spec->cwd : core(call)->cwd,
				.flags = AS_PROCESS_STDIN | AS_PROCESS_STDOUT | AS_PROCESS_STDERR};
	int rc = real.env ? as_process_spawn(&real, &p, err) : as_fail_memory(err);

	as_arena_free(&arena);
	*out = (assay_process *)(void *)p;
	last_pid = p ? as_process_pid(p) : 0;
	return rc;
}

static int fake_write(assay_call *call, assay_process *p, assay_str bytes, assay_error *err)
{
	return as_process_write(process_of(p), bytes, core(call)->deadline_ms, core(call)->cancel, err);
}

static int fake_read(assay_call *call, assay_process *p, char *buf, size_t cap, int64_t timeout_ms, size_t *n,
		     assay_error *err)
{
	int64_t deadline = as_deadline(timeout_ms);

	if (core(call)->deadline_ms < deadline) {
		deadline = core(call)->deadline_ms;
	}
	return as_process_read(process_of(p), buf, cap, deadline, core(call)->cancel, n, err);
}

static int fake_stderr_tail(assay_process *p, assay_text *out, assay_error *err)
{
	as_buf b = {0};

	as_buf_add(&b, as_process_stderr(process_of(p)));
	return as_buf_take(&b, out, err);
}

static void fake_stop(assay_process *p)
{
	as_process_stop(process_of(p), GRACE_MS);
}

static int fake_ended(assay_process *p, int64_t wait_ms, int32_t *status, assay_text *words, assay_error *err)
{
	as_buf said = {0};
	int found = 0, rc = as_process_wait(process_of(p), as_deadline(wait_ms), NULL, &found, err);
	ck_assert_ptr_null(status);
	if (rc == 0) {
		as_process_say_status(&said, found);
		rc = as_buf_take(&said, words, err);
	}
	return rc;
}

static const assay_process_api process_api = {.size = sizeof process_api,
					      .spawn = fake_spawn,
					      .write = fake_write,
					      .read = fake_read,
					      .stderr_tail = fake_stderr_tail,
					      .stop = fake_stop,
					      .ended = fake_ended};

static int fake_file_read(assay_call *call, const char *path, size_t max, assay_text *out, assay_error *err)
{
	(void)call;
	return as_file_read(path, max, out, err);
}

static int fake_file_write(assay_call *call, const char *path, assay_str bytes, assay_error *err)
{
	(void)call;
	return as_file_write(path, bytes, err);
}

static int fake_copy_tree(assay_call *call, const char *from, const char *to, assay_error *err)
{
	(void)call;
	return as_copy_tree(from, to, err);
}

static int fake_remove_tree(assay_call *call, const char *path, assay_error *err)
{
	(void)call;
	return as_remove_tree(path, err);
}

static int fake_make_dirs(assay_call *call, const char *path, assay_error *err)
{
	(void)call;
	return as_make_dirs(path, err);
}

static const assay_file_api file_api = {.size = sizeof file_api,
					.read = fake_file_read,
					.write = fake_file_write,
					.copy_tree = fake_copy_tree,
					.remove_tree = fake_remove_tree,
					.make_dirs = fake_make_dirs};

/* --- what belongs to a run --------------------------------------------------------------------------------------- */

static int not_offered(assay_error *err)
{
	return as_fail(err, ASSAY_ENOTSUP, "not offered to this operation");
}

#define HOOK(call, member) (core(call)->hooks ? core(call)->hooks->member : NULL)

static int fake_offers(assay_call *call, const assay_json **tools, assay_error *err)
{
	return HOOK(call, offers) ? HOOK(call, offers)(core(call)->context, tools, err) : not_offered(err);
}

static int fake_act(assay_call *call, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	return HOOK(call, act) ? HOOK(call, act)(core(call)->context, name, arguments, text, is_error, err)
			       : not_offered(err);
}

static int fake_world_call(assay_call *call, assay_str server, assay_str tool, const assay_json *arguments,
			   assay_json **result, int *is_error, assay_error *err)
{
	return HOOK(call, world_call)
		       ? HOOK(call, world_call)(core(call)->context, server, tool, arguments, result, is_error, err)
		       : not_offered(err);
}

static int fake_world_reset(assay_call *call, assay_error *err)
{
	return HOOK(call, world_reset) ? HOOK(call, world_reset)(core(call)->context, err) : not_offered(err);
}

static int fake_chat(assay_call *call, const assay_json *request, assay_json **reply, assay_error *err)
{
	return HOOK(call, chat) ? HOOK(call, chat)(core(call)->context, request, reply, err) : not_offered(err);
}

static int fake_predicate(const assay_json *predicate, const assay_json *arguments, assay_error *err)
{
	(void)predicate;
	(void)arguments;
	return not_offered(err);
}

static int fake_value(const assay_json *predicate, assay_str text, assay_error *err)
{
	(void)predicate;
	(void)text;
	return not_offered(err);
}

static int fake_score(assay_call *call, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		      assay_error *err)
{
	return HOOK(call, score) ? HOOK(call, score)(core(call)->context, task, trace, without, passed, err)
				 : not_offered(err);
}

static int fake_draw(assay_call *call, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	return HOOK(call, draw) ? HOOK(call, draw)(core(call)->context, name, required, candidates, n, seed, picked,
						   n_picked, err)
				: not_offered(err);
}

static int fake_request(assay_call *call, const assay_http_request *request, assay_http_reply *reply, assay_sink *body,
			assay_error *err)
{
	(void)call;
	(void)request;
	(void)reply;
	(void)body;
	return not_offered(err);
}

static const assay_agent_api agent_api = {.size = sizeof agent_api, .offers = fake_offers, .act = fake_act};
static const assay_world_api world_api = {.size = sizeof world_api, .call = fake_world_call, .reset = fake_world_reset};
static const assay_llm_api llm_api = {.size = sizeof llm_api, .chat = fake_chat};
static const assay_check_api check_api = {.size = sizeof check_api,
					  .args = fake_predicate,
					  .value = fake_value,
					  .score = fake_score};
static const assay_sampler_api sampler_api = {.size = sizeof sampler_api, .draw = fake_draw};
static const assay_http_api http_api = {.size = sizeof http_api, .request = fake_request};

/* --- the host ---------------------------------------------------------------------------------------------------- */

const assay_host *fake_host(void)
{
	static assay_host host = {.size = sizeof host,
				  .abi_major = ASSAY_ABI_MAJOR,
				  .abi_minor = ASSAY_ABI_MINOR,
				  .version = "0.0.0-test",
				  .alloc = fake_alloc,
				  .resize = fake_resize,
				  .free = fake_free,
				  .fail = fake_fail,
				  .log = fake_log,
				  .remaining_ms = fake_remaining_ms,
				  .cancelled = fake_cancelled,
				  .service = fake_service,
				  .text = &text_api,
				  .rng = &rng_api,
				  .agent = &agent_api,
				  .world = &world_api,
				  .llm = &llm_api,
				  .check = &check_api,
				  .sampler = &sampler_api,
				  .process = &process_api,
				  .file = &file_api,
				  .http = &http_api};

	host.json = as_json_api();
	return &host;
}

void fake_call(as_call *call, int64_t timeout_ms)
{
	*call = (as_call){.pub = {.size = sizeof call->pub, .host = fake_host()},
			  .deadline_ms = as_deadline(timeout_ms),
			  .component = "test"};
}

const assay_impl *fake_load(const char *stem, uint32_t role, const char *name)
{
	char path[4096];
	const assay_plugin *(*getter)(void) = NULL;
	const assay_plugin *plugin;
	lt_dlhandle module;
	void *symbol;

	LTDL_SET_PRELOADED_SYMBOLS();
	ck_assert_int_eq(lt_dlinit(), 0);
	ck_assert_int_lt(snprintf(path, sizeof path, "%s/lib/plugins-1/%s.la", TEST_BUILDDIR, stem), (int)sizeof path);
	module = lt_dlopen(path);
	ck_assert_msg(module != NULL, "%s: %s", path, lt_dlerror());
	symbol = lt_dlsym(module, "assay_plugin_v1");
	ck_assert_msg(symbol != NULL, "%s has no getter", path);
	/* ISO C has no conversion from an object's address to a function's; POSIX makes the copy work. */
	memcpy(&getter, &symbol, sizeof getter);
	plugin = getter();
	ck_assert_uint_eq(plugin->magic, ASSAY_PLUGIN_MAGIC);
	ck_assert_str_eq(plugin->name, stem);
	for (size_t i = 0; plugin->impls[i]; i++) {
		if (plugin->impls[i]->role == role && !strcmp(plugin->impls[i]->name, name)) {
			return plugin->impls[i];
		}
	}
	ck_abort_msg("%s has no implementation %s", path, name);
	return NULL;
}

void fake_fail_alloc(long n)
{
	allocations_left = n;
}

long fake_live_blocks(void)
{
	return live_blocks;
}

int fake_last_pid(void)
{
	return last_pid;
}

bool fake_group_gone(int pid)
{
	const struct timespec moment = {.tv_nsec = 10000000};

	for (int i = 0; pid > 0 && i < 300 && kill(-pid, 0) == 0; i++) {
		nanosleep(&moment, NULL);
	}
	return pid <= 0 || (kill(-pid, 0) < 0 && errno == ESRCH);
}

/* --- sinks ------------------------------------------------------------------------------------------------------- */

static int full(const fake_sink *s)
{
	size_t n = as_json_count(s->values) + as_json_count(s->texts);

	return s->stop_after && n >= s->stop_after ? ASSAY_STOP : ASSAY_OK;
}

static int sink_emit(assay_sink *sink, assay_json *value, assay_error *err)
{
	fake_sink *s = (fake_sink *)(void *)sink;

	return as_json_append(s->values, value) ? as_fail_memory(err) : full(s);
}

static int sink_write(assay_sink *sink, assay_str text, assay_error *err)
{
	fake_sink *s = (fake_sink *)(void *)sink;

	return as_json_append(s->texts, as_json_string(text)) ? as_fail_memory(err) : full(s);
}

void fake_sink_init(fake_sink *s)
{
	*s = (fake_sink){.sink = {.size = sizeof s->sink, .emit = sink_emit, .write = sink_write},
			 .values = as_json_array(),
			 .texts = as_json_array()};
}

void fake_sink_free(fake_sink *s)
{
	as_json_free(s->values);
	as_json_free(s->texts);
	*s = (fake_sink){0};
}
