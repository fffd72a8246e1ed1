/* Looking at every module there is without suffering from any. A child process opens them one after another and writes
 * one line of JSON for each; when it dies or stays silent, the module it was at is to blame, and a new child goes on
 * behind it. The child is forked, not spawned (core/base/process.h): it has the registry in memory, which makes the
 * whole survey take milliseconds. */
#include "core/plugin/registry_private.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/plugin/loader.h"
#include "core/plugin/role.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 3000                    /* for one module */
#define LINE_MAX_BYTES ((size_t)8 << 20) /* the description of one module */

/* A member that cannot be set takes the whole value with it (NULL), so that one check at the end is enough. */
static void put(assay_json **object, const char *key, assay_json *value)
{
	if (as_json_set(*object, key, value) < 0) {
		as_json_free(*object);
		*object = NULL;
	}
}

static void add(assay_json **array, assay_json *value)
{
	if (as_json_append(*array, value) < 0) {
		as_json_free(*array);
		*array = NULL;
	}
}

/* File names can be anything; JSON is UTF-8. */
static assay_json *shown(const char *text)
{
	as_buf b = {0};
	as_printable(&b, as_str(text));
	assay_json *out = b.failed ? NULL : as_json_string(as_buf_str(&b));
	as_buf_free(&b);
	return out;
}

static assay_json *describe_flags(uint32_t flags)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {{ASSAY_IMPL_REENTRANT, "reentrant"},
		     {ASSAY_IMPL_PURE, "pure"},
		     {ASSAY_IMPL_NEEDS_LIVE, "needs_live"},
		     {ASSAY_IMPL_NEEDS_MODEL, "needs_model"}};
	assay_json *out = as_json_array();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (flags & names[i].bit) {
			add(&out, as_json_cstring(names[i].name));
		}
	}
	return out;
}

static assay_json *describe_operations(const assay_impl *impl, const as_role *role)
{
	uint32_t size;
	assay_json *out = as_json_array();
	memcpy(&size, impl->ops, sizeof size); /* the first member of every table */
	for (size_t i = 0; i < role->n_operations; i++) {
		if (!role->operations[i].is_data && as_role_has(impl->ops, size, &role->operations[i])) {
			add(&out, as_json_cstring(role->operations[i].name));
		}
	}
	return out;
}

static assay_json *describe_impl(const as_module_impl *mi)
{
	const assay_impl *impl = mi->impl;
	const as_role *role = as_role_get(impl->role);
	assay_json *out = as_json_object();
	put(&out, "role", as_json_cstring(role->name));
	put(&out, "name", as_json_cstring(impl->name));
	put(&out, "summary", as_json_cstring(impl->summary));
	put(&out, "options", as_json_clone(mi->options));
	put(&out, "flags", describe_flags(impl->flags));
	put(&out, "operations", describe_operations(impl, role));
	return out;
}

/* What there is to say about a module that was opened, or whose state is known anyhow. */
static assay_json *describe(const as_module *m, const char *reason)
{
	static const char *const states[] = {"broken", "ok", "broken", "shadowed"};
	char abi[32] = "";
	const assay_plugin *p = m->state == AS_MODULE_OK ? m->plugin : NULL;
	assay_json *out = as_json_object();
	assay_json *impls = as_json_array();
	if (p) {
		snprintf(abi, sizeof abi, "%u.%u", p->abi_major, p->abi_minor);
	}
	put(&out, "module", shown(m->stem));
	put(&out, "version", as_json_cstring(p ? p->version : NULL));
	put(&out, "summary", as_json_cstring(p ? p->summary : NULL));
	put(&out, "license", as_json_cstring(p ? p->license : NULL));
	put(&out, "file", shown(m->path));
	put(&out, "abi", as_json_cstring(p ? abi : NULL));
	put(&out, "state", as_json_cstring(states[m->state]));
	if (reason) {
		put(&out, "reason", shown(reason));
	}
	for (size_t i = 0; p && i < m->n_impls; i++) {
		add(&impls, describe_impl(&m->impls[i]));
	}
	put(&out, "implementations", impls);
	return out;
}

/* The reason without the file, which stands beside it. */
static void reason_text(const assay_error *reason, char *out, size_t size)
{
	assay_error e = *reason;
	e.where[0] = '\0';
	e.line = 0;
	as_error_format(&e, out, size);
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno != EINTR) {
			return false;
		}
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* In the child: nothing that a module does while it is opened may reach the terminal, our output, or a core file.
 * Answers the end of the pipe that its standard output became. */
static int quieten(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT};
	const struct rlimit none = {0, 0};
	sigset_t empty;
	int noise[2] = {-1, -1};
	int null = open("/dev/null", O_RDWR);
	if (null < 0 || pipe(noise) != 0) {
		_exit(EXIT_FAILURE);
	}
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	fcntl(noise[0], F_SETFL, O_NONBLOCK);
	fcntl(noise[1], F_SETFL, O_NONBLOCK);
	dup2(noise[1], STDOUT_FILENO);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
		signal(crashes[i], SIG_DFL);
	}
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	setrlimit(RLIMIT_CORE, &none);
	return noise[0];
}

/* Has anything been printed since the last time? */
static bool noisy(int noise)
{
	char buffer[4096];
	bool any = false;
	fflush(stdout);
	while (read(noise, buffer, sizeof buffer) > 0) {
		any = true;
	}
	return any;
}

static _Noreturn void child(as_module *const *list, size_t n, size_t from, int out)
{
	int noise = quieten();
	for (size_t i = from; i < n; i++) {
		char reason[1024];
		as_buf line = {0};
		const char *why = NULL;
		alarm(LIMIT_MS / 1000 + 1); /* should the parent be gone when this one hangs */
		if (as_module_load(list[i], NULL) < 0) {
			reason_text(&list[i]->reason, reason, sizeof reason);
			why = reason;
		}
		if (noisy(noise) && !why) {
			why = "it writes to standard output when it is opened, which a plugin must not do";
		}
		assay_json *description = describe(list[i], why);
		as_json_write(&line, description, ASSAY_JSON_COMPACT);
		as_buf_byte(&line, '\n');
		if (line.failed || !description || !write_all(out, line.ptr, line.len)) {
			_exit(EXIT_FAILURE);
		}
		as_json_free(description);
		as_buf_free(&line);
	}
	_exit(EXIT_SUCCESS);
}

typedef struct probe {
	as_module *const *list;
	size_t n, next; /* next: the module whose line is awaited */
	assay_json *out;
	pid_t pid;
	int fd;
	as_buf pending;
} probe;

static int start_child(probe *p, assay_error *err)
{
	int ends[2];
	if (pipe(ends) != 0) {
		return as_fail_errno(err, errno, NULL, "make a pipe");
	}
	for (int i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	}
	fflush(NULL); /* what is buffered is not for the child to write, too, should it exit */
	p->pid = as_loader_fork();
	if (p->pid == 0) {
		close(ends[0]);
		child(p->list, p->n, p->next, ends[1]);
	}
	int number = errno;
	close(ends[1]);
	if (p->pid < 0) {
		close(ends[0]);
		return as_fail_errno(err, number, NULL, "start a process");
	}
	p->fd = ends[0];
	as_buf_clear(&p->pending);
	return 0;
}

/* Take the complete lines out of what has come in. */
static int take_lines(probe *p, assay_error *err)
{
	size_t start = 0;
	int rc = as_buf_check(&p->pending, err);
	while (rc == 0 && p->next < p->n) {
		const char *line = p->pending.ptr + start;
		const char *end = memchr(line, '\n', p->pending.len - start);
		if (!end) {
			break;
		}
		assay_json *value = NULL;
		rc = as_json_parse((assay_str){line, (size_t)(end - line)}, ASSAY_JSON_STRICT, &value, err);
		if (rc == 0 && as_json_append(p->out, value) < 0) {
			rc = as_fail_memory(err);
		}
		start = (size_t)(end - p->pending.ptr) + 1;
		p->list[p->next++]->trusted = true;
	}
	if (rc == 0 && start > 0) {
		memmove(p->pending.ptr, p->pending.ptr + start, p->pending.len - start);
		p->pending.len -= start;
	}
	return rc;
}

/* Read what the child says until it ends, is silent for too long, or talks too much: 0 or the reason in err. */
static int listen_to_child(probe *p, assay_error *err)
{
	for (;;) {
		size_t awaited = p->next;
		int64_t deadline = as_deadline(LIMIT_MS);
		while (awaited == p->next) {
			int rc = as_wait_fd(p->fd, POLLIN, deadline, NULL, err);
			if (rc < 0) {
				return rc;
			}
			if (p->pending.len > LINE_MAX_BYTES || !as_buf_reserve(&p->pending, 65536)) {
				return as_fail(err, ASSAY_ELIMIT, "its description is larger than %zu bytes",
					       LINE_MAX_BYTES);
			}
			ssize_t n = read(p->fd, p->pending.ptr + p->pending.len, 65536);
			if (n < 0 && errno == EINTR) {
				continue;
			}
			if (n <= 0) {
				return 0;
			}
			p->pending.len += (size_t)n;
			rc = take_lines(p, err);
			if (rc < 0) {
				return rc;
			}
		}
	}
}

static void end_child(probe *p, int *status)
{
	*status = 0;
	close(p->fd);
	kill(p->pid, SIGKILL); /* it has nothing left to do, or is stuck */
	while (waitpid(p->pid, status, 0) < 0 && errno == EINTR) {
	}
}

/* The child did not get past module `next`: that one is broken, in this process too. */
static int blame(probe *p, int rc, int status, const assay_error *why, assay_error *err)
{
	as_module *m = p->list[p->next++];
	char reason[1024];
	m->state = AS_MODULE_BROKEN;
	m->reason = (assay_error){0};
	if (rc == ASSAY_ETIMEOUT) {
		as_fail(&m->reason, ASSAY_EPLUGIN, "it does not come back within %d ms when it is opened", LIMIT_MS);
	} else if (rc < 0) {
		as_fail(&m->reason, ASSAY_EPLUGIN, "%s", why->message);
	} else if (WIFSIGNALED(status)) {
		const char *name = as_signal_name(WTERMSIG(status));
		as_fail(&m->reason, ASSAY_EPLUGIN, "it crashes when it is opened (%s %d)", name ? name : "signal",
			WTERMSIG(status));
	} else if (as_loader_sanitized(m->path, &m->reason) == 0) {
		as_fail(&m->reason, ASSAY_EPLUGIN, "it ends the program when it is opened (exit status %d)",
			WEXITSTATUS(status));
	}
	as_error_hint(&m->reason,
		      "a getter only returns constant data, and constructors do nothing: repair or remove it");
	as_error_where(&m->reason, as_module_label(m), 0);
	reason_text(&m->reason, reason, sizeof reason);
	return as_json_append(p->out, describe(m, reason)) < 0 ? as_fail_memory(err) : 0;
}

/* Append a description of each module of the list to out. */
static int probe_modules(as_module *const *list, size_t n, assay_json *out, assay_error *err)
{
	probe p = {.list = list, .n = n, .out = out, .fd = -1};
	int rc = 0;
	while (rc == 0 && p.next < n) {
		assay_error why = {0};
		int status;
		rc = start_child(&p, err);
		if (rc < 0) {
			break;
		}
		int heard = listen_to_child(&p, &why);
		end_child(&p, &status);
		if (heard == ASSAY_ENOMEM) {
			rc = as_fail_memory(err);
		} else if (p.next < n) {
			rc = blame(&p, heard, status, &why, err);
		}
	}
	as_buf_free(&p.pending);
	return rc;
}

int as_registry_screen(as_module *const *list, size_t n, assay_error *err)
{
	size_t n_strange = 0;
	as_module **strange = as_new(n, sizeof(as_module *));
	assay_json *descriptions = as_json_array();
	int rc = strange && descriptions ? 0 : as_fail_memory(err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (list[i]->state == AS_MODULE_UNSEEN && !list[i]->trusted) {
			strange[n_strange++] = list[i];
		}
	}
	rc = rc < 0 ? rc : probe_modules(strange, n_strange, descriptions, err);
	free(strange);
	as_json_free(descriptions);
	return rc;
}

static int by_module(const void *a, const void *b)
{
	const as_module *const *x = a;
	const as_module *const *y = b;
	int order = strcmp((*x)->stem, (*y)->stem);
	/* Of one name, the first found first: all lie in one array in search order. */
	return order ? order : (*x > *y) - (*x < *y);
}

/* Leave out what has nothing of the role; a broken module counts by its name. */
static bool of_role(const assay_json *description, uint32_t role)
{
	assay_str name = as_str(as_role_name(role));
	assay_str module = as_json_str(as_json_get(description, "module"));
	if (!as_str_is(as_json_str(as_json_get(description, "state")), "ok")) {
		return as_str_starts(module, name) && module.len > name.len && module.ptr[name.len] == '_';
	}
	for (const assay_json *i = as_json_first(as_json_get(description, "implementations")); i; i = as_json_next(i)) {
		if (as_str_eq(as_json_str(as_json_get(i, "role")), name)) {
			return true;
		}
	}
	return false;
}

static int append_filtered(assay_json *out, const assay_json *description, uint32_t role, assay_error *err)
{
	if (role != 0 && !of_role(description, role)) {
		return 0;
	}
	assay_json *copy = as_json_clone(description);
	if (role != 0) {
		assay_json *kept = as_json_array();
		const assay_json *all = as_json_get(description, "implementations");
		for (const assay_json *i = as_json_first(all); i; i = as_json_next(i)) {
			if (as_str_is(as_json_str(as_json_get(i, "role")), as_role_name(role))) {
				add(&kept, as_json_clone(i));
			}
		}
		put(&copy, "implementations", kept);
	}
	return as_json_append(out, copy) < 0 ? as_fail_memory(err) : 0;
}

/* Put probed and shadowed modules together, in the order of `sorted`. */
static int assemble(as_module *const *sorted, size_t n, const assay_json *probed, uint32_t role, assay_json *out,
		    assay_error *err)
{
	const assay_json *next = as_json_first(probed);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const as_module *m = sorted[i];
		if (m->state == AS_MODULE_SHADOWED) {
			char reason[1024];
			snprintf(reason, sizeof reason, "%s comes first", m->shadow);
			assay_json *description = describe(m, reason);
			rc = append_filtered(out, description, role, err);
			as_json_free(description);
		} else {
			rc = append_filtered(out, next, role, err);
			next = as_json_next(next);
		}
	}
	return rc;
}

int as_registry_survey_locked(as_registry *r, uint32_t role, assay_json **out, assay_error *err)
{
	size_t n_open = 0;
	as_module **sorted = as_new(r->n_modules, sizeof(as_module *));
	as_module **open = as_new(r->n_modules, sizeof(as_module *));
	assay_json *probed = as_json_array();
	assay_json *result = as_json_array();
	int rc = sorted && open && probed && result ? 0 : as_fail_memory(err);
	if (rc < 0) {
		goto out;
	}
	for (size_t i = 0; i < r->n_modules; i++) {
		sorted[i] = &r->modules[i];
	}
	qsort(sorted, r->n_modules, sizeof *sorted, by_module);
	for (size_t i = 0; i < r->n_modules; i++) {
		if (sorted[i]->state != AS_MODULE_SHADOWED) {
			open[n_open++] = sorted[i];
		}
	}
	rc = probe_modules(open, n_open, probed, err);
	rc = rc < 0 ? rc : as_shadows_mark(r, open, n_open, probed, err);
	rc = rc < 0 ? rc : assemble(sorted, r->n_modules, probed, role, result, err);
out:
	free(sorted);
	free(open);
	as_json_free(probed);
	if (rc < 0) {
		as_json_free(result);
		return rc;
	}
	*out = result;
	return 0;
}

int as_registry_survey(as_registry *r, uint32_t role, assay_json **out, assay_error *err)
{
	pthread_mutex_lock(&r->lock);
	int rc = as_registry_scan(r, err);
	rc = rc < 0 ? rc : as_registry_survey_locked(r, role, out, err);
	pthread_mutex_unlock(&r->lock);
	return rc;
}
