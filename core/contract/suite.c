/* The checks themselves, in the child process. */
#include "core/contract/contract.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/contract/fence.h"
#include "core/contract/inputs.h"
#include "core/contract/suite.h"
#include "core/plugin/role.h"
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define AS_OWN_HEAP 1
#endif
#elif defined __SANITIZE_ADDRESS__
#define AS_OWN_HEAP 1
#endif
#ifdef AS_OWN_HEAP
#include <sanitizer/allocator_interface.h>
#endif

#define SEED 20260514u
#define CYCLES 40u      /* of a leak check */
#define WARM_UP 10u     /* of them, which may fill caches */
#define FAILURES_MAX 96 /* allocations made to fail, one after another */

/* Set once, before any module runs: the handler of memory faults has nothing else to ask. */
static int tell_fd = -1;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGSEGV && as_fence_service_fault(info->si_addr)) {
		return;
	}
	const char *why = as_fence_explain(info->si_addr);
	why = why ? why : as_region_explain(info->si_addr);
	why = why                                 ? why
	      : (uintptr_t)info->si_addr < 65536u ? "crashes: follows a NULL pointer"
						  : "crashes: follows a pointer that leads nowhere";
	ssize_t ignored = write(tell_fd, "wrong\t", 6);
	ignored = write(tell_fd, why, strlen(why));
	ignored = write(tell_fd, "\n", 1);
	(void)ignored;
	_exit(AS_SUITE_FAULT);
}

/* --- one run --- */

/* The environment's folder is there, empty, and always of the same name. */
static void fresh_workdir(const suite *s)
{
	if (s->mi->impl->role == ASSAY_ROLE_ENVIRONMENT) {
		as_remove_tree(s->workdir, NULL);
		as_make_dirs(s->workdir, NULL);
	}
}

/* After an instance is closed nothing of it may be left, in memory or around us. */
static void check_remains(as_trial *t)
{
	const char *operation;
	char change[512];
	size_t bytes, n = as_fence_live(&bytes, &operation);
	as_trial_settle(t);
	while (as_surroundings_changed(&t->report->around, change, sizeof change)) {
		as_trial_enter(t, t->ran ? t->ran : "open");
		as_trial_wrong(t, "%s", change);
	}
	if (n > 0) {
		as_trial_enter(t, operation ? operation : "open");
		as_trial_wrong(t, "leaks: %zu bytes in %zu block%s from host->alloc are never freed", bytes, n,
			       n == 1 ? "" : "s");
		as_fence_forget();
	}
}

static void trial_init(suite *s, as_trial *t)
{
	*t = (as_trial){.mi = s->mi,
			.host = s->host,
			.registry = s->given ? s->registry : NULL,
			.report = &s->report,
			.seed = SEED,
			.workdir = s->workdir,
			.beside = s->given ? s->beside : NULL,
			.operation = ""};
}

/* Open, run once, close, look. */
static int run_once(suite *s, const as_trial_operation *op, const assay_json *input, uint32_t mode, as_buf *out)
{
	as_trial t;
	int rc = ASSAY_EPLUGIN;
	trial_init(s, &t);
	fresh_workdir(s);
	if (as_trial_open(&t, s->options, mode & AS_TRIAL_NO_ERROR)) {
		rc = as_trial_run(&t, op, input, mode, out);
		as_trial_close(&t);
	}
	check_remains(&t);
	return rc;
}

/* --- the checks --- */

static void check_open(suite *s)
{
	as_trial t, other;
	for (uint32_t mode = 0; mode <= AS_TRIAL_NO_ERROR; mode += AS_TRIAL_NO_ERROR) {
		trial_init(s, &t);
		trial_init(s, &other);
		bool both = as_trial_open(&t, s->options, mode) && as_trial_open(&other, s->options, mode);
		if (!both && !s->given) {
			as_trial_wrong(&t, "refuses the defaults of its own schema: %s", t.error.message);
		}
		as_trial_close(&t);
		as_trial_close(&other);
		const struct ops_head {
			ASSAY_OPS_HEAD;
		} *head = s->mi->impl->ops;
		if (head->close) {
			as_trial_enter(&t, "close");
			head->close(NULL); /* close accepts NULL */
		}
		check_remains(&t);
	}
}

static void check_input(suite *s, const as_trial_operation *op, const as_input *input)
{
	uint32_t mode = input == s->inputs ? AS_TRIAL_MUST : 0; /* the first is the plain one */
	run_once(s, op, input->doc, input->malformed ? AS_TRIAL_LENIENT : mode, NULL);
}

/* One instance, several calls: what was lent for one is gone when the next begins. */
static void check_again(suite *s, const as_trial_operation *op)
{
	as_trial t;
	trial_init(s, &t);
	if (as_trial_open(&t, s->options, 0)) {
		for (size_t i = 0; i < 4; i++) {
			as_trial_run(&t, op, s->inputs[i % 2].doc, i % 2 ? AS_TRIAL_LENIENT : 0, NULL);
		}
		as_trial_close(&t);
	}
	check_remains(&t);
}

static void compare(suite *s, const as_trial_operation *op, int rc, int rc_again, const as_buf *a, const as_buf *b,
		    const char *what)
{
	if (rc != rc_again || a->len != b->len || (a->len && memcmp(a->ptr, b->ptr, a->len) != 0)) {
		size_t at = 0;
		while (at < a->len && at < b->len && a->ptr[at] == b->ptr[at]) {
			at++;
		}
		as_trial_tell(&s->report, "at", "%s", op->name);
		as_trial_tell(&s->report, "wrong", "%s: \"%.40s\" once and \"%.40s\" then", what,
			      at < a->len ? a->ptr + at : "", at < b->len ? b->ptr + at : "");
	}
}

static void check_same(suite *s, const as_trial_operation *op)
{
	for (size_t i = 0; i < (op->plain_only ? 1 : 3); i++) {
		as_buf a = {0}, b = {0};
		int rc = run_once(s, op, s->inputs[i].doc, i ? AS_TRIAL_LENIENT : 0, &a);
		int rc_again = run_once(s, op, s->inputs[i].doc, i ? AS_TRIAL_LENIENT : 0, &b);
		if (!as_fence_outside()) {
			compare(s, op, rc, rc_again, &a, &b, "is not deterministic: same options, input and seed");
		}
		as_buf_free(&a);
		as_buf_free(&b);
	}
}

/* Two instances take turns; neither may notice the other. */
static void check_turns(suite *s, const as_trial_operation *op)
{
	as_trial t, other;
	as_buf alone = {0}, beside = {0};
	int rc = run_once(s, op, s->inputs[0].doc, 0, &alone);
	trial_init(s, &t);
	trial_init(s, &other);
	if (as_trial_open(&t, s->options, 0) && as_trial_open(&other, s->options, 0)) {
		as_trial_run(&other, op, s->inputs[1].doc, AS_TRIAL_LENIENT, NULL);
		int rc_again = as_trial_run(&t, op, s->inputs[0].doc, 0, &beside);
		as_trial_run(&other, op, s->inputs[0].doc, 0, NULL);
		if (!as_fence_outside()) {
			compare(s, op, rc, rc_again, &alone, &beside,
				"answers otherwise when another instance was used");
		}
	}
	as_trial_close(&other);
	as_trial_close(&t);
	check_remains(&t);
	as_buf_free(&alone);
	as_buf_free(&beside);
}

typedef struct racer {
	suite *s;
	const as_trial_operation *op;
	as_buf out;
	int rc;
} racer;

static void *race(void *payload)
{
	racer *r = payload;
	as_trial t;
	for (int i = 0; i < 4; i++) {
		as_buf_clear(&r->out);
		trial_init(r->s, &t);
		if (as_trial_open(&t, r->s->options, 0)) {
			r->rc = as_trial_run(&t, r->op, r->s->inputs[0].doc, 0, &r->out);
			as_trial_close(&t);
		}
	}
	return NULL;
}

static void check_threads(suite *s, const as_trial_operation *op)
{
	racer racers[2] = {{.s = s, .op = op}, {.s = s, .op = op}};
	pthread_t threads[2];
	as_trial t;
	int started = 0;
	while (started < 2 && pthread_create(&threads[started], NULL, race, &racers[started]) == 0) {
		started++;
	}
	for (int i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
	}
	if (!as_fence_outside()) {
		compare(s, op, racers[0].rc, racers[1].rc, &racers[0].out, &racers[1].out,
			"two instances in two threads answer differently");
	}
	as_buf_free(&racers[0].out);
	as_buf_free(&racers[1].out);
	trial_init(s, &t);
	t.ran = op->name;
	check_remains(&t);
}

/* The n-th and all later allocations fail: a negative code, or the same answer as ever. */
static void check_allocations(suite *s, const as_trial_operation *op)
{
	as_buf plain = {0};
	as_fence_fail_from(AS_FENCE_NEVER);
	int rc = run_once(s, op, s->inputs[0].doc, 0, &plain);
	int64_t n = as_fence_count(), step = n > FAILURES_MAX ? n / FAILURES_MAX + 1 : 1;
	for (int64_t k = 0; k < n && !s->report.any; k += step) {
		as_buf out = {0};
		as_fence_fail_from(k);
		int got = run_once(s, op, s->inputs[0].doc, AS_TRIAL_LENIENT, &out);
		as_fence_fail_from(AS_FENCE_NEVER);
		if (rc == 0 && got == 0 && !as_fence_outside()) {
			compare(s, op, rc, got, &plain, &out, "answers 0 with another result when memory is out");
		}
		as_buf_free(&out);
	}
	as_fence_fail_from(AS_FENCE_NEVER);
	as_buf_free(&plain);
}

/* Bytes of the heap; a build with sanitizers has a heap of its own. */
static size_t in_use(void)
{
#ifdef AS_OWN_HEAP
	return __sanitizer_get_current_allocated_bytes();
#elif defined __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

/* Bytes by which the heap has grown over the cycles behind the warm-up. op NULL: only open and close. */
static size_t growth(suite *s, const as_trial_operation *op)
{
	size_t before = 0;
	for (size_t i = 0; i < CYCLES; i++) {
		as_trial t;
		trial_init(s, &t);
		if (i == WARM_UP) {
			before = in_use();
		}
		fresh_workdir(s);
		if (as_trial_open(&t, s->options, 0)) {
			if (op) {
				as_trial_run(&t, op, s->inputs[0].doc, 0, NULL);
			}
			as_trial_close(&t);
		}
	}
	size_t after = in_use();
	return after > before ? after - before : 0;
}

static void check_leaks(suite *s, const as_trial_operation *op)
{
	const size_t least = (size_t)(CYCLES - WARM_UP) * 16;
	size_t opening = growth(s, NULL), whole = growth(s, op);
	as_trial t;
	trial_init(s, &t);
	t.ran = op->name;
	if (opening >= least) {
		as_trial_enter(&t, "open");
		as_trial_wrong(&t, "leaks: open and close leave %zu bytes behind each time",
			       opening / (CYCLES - WARM_UP));
	} else if (whole >= least) {
		as_trial_enter(&t, op->name);
		as_trial_wrong(&t, "leaks: each call leaves %zu bytes behind", whole / (CYCLES - WARM_UP));
	}
	check_remains(&t);
}

/* --- running them --- */

typedef struct special {
	const char *input;
	void (*run)(suite *s, const as_trial_operation *op);
	uint32_t mode; /* when run is NULL */
	bool twice;    /* needs an instance that can be used again, and no folder of its own */
} special;

static const special specials[] = {
	{"plain, err is NULL", NULL, AS_TRIAL_NO_ERROR, false},
	{"plain, the sink answers ASSAY_STOP", NULL, AS_TRIAL_STOP, false},
	{"plain, the sink fails", NULL, AS_TRIAL_SINK_FAILS, false},
	{"plain, cancelled before the call", NULL, AS_TRIAL_CANCELLED, false},
	{"plain, cancelled while a service waits", NULL, AS_TRIAL_CANCEL, false},
	{"plain, the deadline passes while a service waits", NULL, AS_TRIAL_DEADLINE, false},
	{"plain, several calls of one instance", check_again, 0, true},
	{"plain, empty and huge, each twice with the same seed", check_same, 0, false},
	{"plain, two instances in turn", check_turns, 0, true},
	{"plain, two instances in two threads", check_threads, 0, true},
	{"plain, memory runs out", check_allocations, 0, false},
	{"plain, forty times", check_leaks, 0, false},
};

/* Announce a check; false when it lies before the one to begin with. */
bool as_suite_begin(suite *s, const char *operation, const char *input)
{
	if (s->number++ < s->from) {
		return false;
	}
	s->report.any = false;
	as_trial_tell(&s->report, "case", "%s/%s\t%s\t%s", as_role_name(s->mi->impl->role), s->mi->impl->name,
		      operation, input);
	return true;
}

static void run_operation(suite *s, const as_trial_operation *op)
{
	for (size_t i = 0; i < s->n_inputs && (i == 0 || !(op->plain_only || s->trial)); i++) {
		if (as_suite_begin(s, op->name, s->inputs[i].name)) {
			check_input(s, op, &s->inputs[i]);
			as_trial_tell(&s->report, "end", "%s", "");
		}
	}
	for (size_t i = 0; !s->trial && i < sizeof specials / sizeof *specials; i++) {
		const special *c = &specials[i];
		if ((c->twice && op->plain_only) || !as_suite_begin(s, op->name, c->input)) {
			continue;
		}
		if (c->run) {
			c->run(s, op);
		} else {
			run_once(s, op, s->inputs[0].doc, c->mode, NULL);
		}
		as_trial_tell(&s->report, "end", "%s", "");
	}
}

static void run_implementation(suite *s)
{
	const assay_impl *impl = s->mi->impl;
	const char *text = as_input_text(as_role_name(impl->role));
	as_buf services = {0};
	if (!as_suite_options(s)) {
		return;
	}
	if (as_suite_begin(s, "open", "its options, two instances at once")) {
		check_open(s);
		as_trial_tell(&s->report, "end", "%s", "");
	}
	if (!s->trial) {
		as_suite_option_values(s);
	}
	if (text && as_inputs_make(text, &s->inputs, &s->n_inputs, NULL) == 0) {
		for (const as_trial_operation *op = as_trial_operations; op->role; op++) {
			const as_operation whole = {op->name, op->offset, false, false};
			uint32_t size;
			memcpy(&size, impl->ops, sizeof size);
			if (op->role == impl->role && as_role_has(impl->ops, size, &whole)) {
				run_operation(s, op);
			}
		}
		as_inputs_free(s->inputs, s->n_inputs);
	}
	as_fence_services(&services);
	as_trial_tell(&s->report, "services", "%s", services.ptr ? services.ptr : "");
	as_buf_free(&services);
	as_json_free(s->options);
	s->options = NULL;
}

/* Standard output and error become one pipe that nobody prints to. */
static void redirect(suite *s, int out)
{
	static char alternate[64 << 10];
	const struct rlimit none = {0, 0};
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	int noise[2];
	tell_fd = s->report.fd = fcntl(out, F_DUPFD_CLOEXEC, 10);
	if (tell_fd < 0 || pipe(noise) != 0) {
		_exit(EXIT_FAILURE);
	}
	for (int i = 0; i < 2; i++) {
		fcntl(noise[i], F_SETFD, FD_CLOEXEC);
		fcntl(noise[i], F_SETFL, O_NONBLOCK);
	}
	dup2(noise[1], STDOUT_FILENO);
	dup2(noise[1], STDERR_FILENO);
	s->report.noise = noise[0];
	s->report.pid = getpid();
	setrlimit(RLIMIT_CORE, &none);
	sigaltstack(&stack, NULL);
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

_Noreturn void as_contract_worker(as_registry *registry, const char *file, const assay_json *options,
				  const char *beside, size_t from, uint32_t flags, int out)
{
	char stem[128];
	const char *base = strrchr(file, '/');
	suite s = {.registry = registry,
		   .from = from,
		   .all_options = options,
		   .beside = beside,
		   .trial = (flags & AS_CONTRACT_TRIAL) != 0};
	as_module m = {.path = base ? file : ""};
	as_buf workdir = {0}, folder = {0}; /* in a TMPDIR that the starter removes, however this ends */
	redirect(&s, out);
	snprintf(stem, sizeof stem, "%s", base ? base + 1 : file);
	stem[strcspn(stem, ".")] = '\0';
	m.stem = stem;
	if (as_make_temp_dir(as_temp_root(), "assay-check.", &folder, NULL) < 0) {
		_exit(EXIT_FAILURE);
	}
	as_path_join(&workdir, as_buf_str(&folder), ASSAY_STR("work"));
	s.workdir = workdir.ptr;
	s.host = as_fence_start((flags & AS_CONTRACT_WATCH) != 0);
	if (!s.workdir || as_make_dirs(s.workdir, NULL) < 0) {
		_exit(EXIT_FAILURE);
	}
	as_surroundings_note(&s.report.around);
	as_trial_tell(&s.report, "load", "%s", file);
	if (as_module_load(&m, NULL) < 0) {
		char line[1200];
		as_error_format(&m.reason, line, sizeof line);
		as_trial_tell(&s.report, "broken", "%s", line);
	} else {
		as_trial_tell(&s.report, "module", "%s\t%s", m.plugin->name, m.plugin->version);
		bool ready = as_suite_given(&s, &m);
		for (size_t i = 0; ready && i < m.n_impls; i++) {
			s.mi = &m.impls[i];
			as_trial_tell(&s.report, "impl", "%s/%s", as_role_name(s.mi->impl->role), s.mi->impl->name);
			run_implementation(&s);
		}
	}
	as_trial_tell(&s.report, "bye", "%s", "");
	as_remove_tree(folder.ptr, NULL);
	_exit(EXIT_SUCCESS);
}
