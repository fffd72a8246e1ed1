/* The parent: starts the child, reads what it tells, and starts another one behind the check that killed it. */
#include "core/contract/contract.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/contract/log.h"
#include "core/contract/suite.h"
#include "core/plugin/loader.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_MS 10000
#define LOAD_FACTOR 3   /* loading may take this many times the limit of a check */
#define DEATHS_MAX 24u  /* of children, for one module */
#define HANGS_MAX 2u    /* each costs the whole limit */
#define FAILURES_MAX 40 /* of one implementation that are kept */
#define LINE_BYTES ((size_t)64 << 10)

typedef struct checking {
	const as_contract_options *o;
	int64_t limit_ms;
	as_process *child;
	as_buf pending;
	as_buf folder; /* for what the children leave behind */
	size_t next;   /* number of the next check that a child will announce */
	size_t checks, failures, deaths, hangs;
	bool loaded, bye, in_check, blamed;
	off_t log_read;
	char operation[64], input[256], module[128], version[128];
	assay_json *impls; /* of the report */
	assay_json *impl;  /* the current one, within impls */
	assay_error broken;
} checking;

/* --- what is found --- */

static int add_failure(checking *c, const char *problem, assay_error *err)
{
	assay_json *list = as_json_edit(as_json_get(c->impl, "failures")), *f = as_json_object();
	int bad = as_json_set(f, "operation", as_json_cstring(c->operation));
	bad |= as_json_set(f, "input", as_json_cstring(c->input));
	bad |= as_json_set(f, "problem", as_json_cstring(problem));
	c->failures++;
	c->blamed = true;
	if (bad || !list || as_json_count(list) >= FAILURES_MAX) {
		as_json_free(f);
		return bad ? as_fail_memory(err) : 0;
	}
	return as_json_append(list, f) < 0 ? as_fail_memory(err) : 0;
}

static int add_note(checking *c, const char *text, assay_error *err)
{
	assay_json *list = as_json_edit(as_json_get(c->impl, "notes"));
	for (const assay_json *n = as_json_first(list); n; n = as_json_next(n)) {
		if (as_str_is(as_json_str(n), text)) {
			return 0; /* an earlier child has said so */
		}
	}
	return list && as_json_append(list, as_json_cstring(text)) < 0 ? as_fail_memory(err) : 0;
}

static int enter_impl(checking *c, const char *use, assay_error *err)
{
	for (const assay_json *i = as_json_first(c->impls); i; i = as_json_next(i)) {
		if (as_str_is(as_json_str(as_json_get(i, "use")), use)) {
			c->impl = as_json_edit(i);
			return 0;
		}
	}
	assay_json *impl = as_json_object();
	int bad = as_json_set(impl, "use", as_json_cstring(use));
	bad |= as_json_set(impl, "services", as_json_cstring(""));
	bad |= as_json_set(impl, "checks", as_json_integer(0));
	bad |= as_json_set(impl, "failures", as_json_array());
	bad |= as_json_set(impl, "notes", as_json_array());
	if (bad) {
		as_json_free(impl);
		return as_fail_memory(err);
	}
	c->impl = impl;
	return as_json_append(c->impls, impl) < 0 ? as_fail_memory(err) : 0;
}

static int tell_log(void *payload, const char *problem, assay_error *err)
{
	return add_failure(payload, problem, err);
}

/* Where valgrind writes, or the sanitizers' runtime, which adds the number of its process. Empty: nowhere. */
static int find_log(const checking *c, as_buf *path, assay_error *err)
{
	DIR *folder = c->o->log ? NULL : opendir(c->folder.ptr);
	const struct dirent *entry;
	if (c->o->log) {
		as_buf_puts(path, c->o->log);
	}
	while (folder && path->len == 0 && (entry = readdir(folder)) != NULL) {
		if (strncmp(entry->d_name, AS_SANITIZER_LOG ".", sizeof AS_SANITIZER_LOG) == 0) {
			as_path_join(path, as_buf_str(&c->folder), as_str(entry->d_name));
		}
	}
	if (folder) {
		closedir(folder);
	}
	return as_buf_check(path, err);
}

/* What valgrind has written since the last look is about the operation that has just ended; what a sanitizer has, about
 * the one that the process ended in: its notices the child has told itself. */
static int read_log(checking *c, assay_error *err)
{
	struct stat st;
	assay_text text = {0};
	as_buf path = {0};
	int rc = c->impl ? find_log(c, &path, err) : 0;
	if (rc == 0 && path.len > 0 && stat(path.ptr, &st) == 0 && st.st_size > c->log_read &&
	    as_file_read(path.ptr, AS_LOG_BYTES, &text, NULL) == 0 && text.len > (size_t)c->log_read) {
		assay_str news = {text.ptr + c->log_read, text.len - (size_t)c->log_read};
		size_t told = c->o->log ? 0 : as_log_notices(news).len;
		c->log_read = (off_t)text.len;
		news = (assay_str){news.ptr + told, news.len - told};
		rc = as_log_findings(news, tell_log, c, err);
		if (rc == 0 && as_log_unreadable(news)) {
			rc = add_note(c,
				      "valgrind cannot read some debug information, so it names no places there: build "
				      "with -gdwarf-4, or use a newer valgrind",
				      err);
		}
	}
	as_text_free(&text);
	as_buf_free(&path);
	return rc;
}

/* The next child begins another one. */
static void drop_log(checking *c)
{
	as_buf path = {0};
	if (!c->o->log && find_log(c, &path, NULL) == 0 && path.len > 0) {
		unlink(path.ptr);
	}
	as_buf_free(&path);
	c->log_read = 0;
}

/* --- what the child tells --- */

static int begin_check(checking *c, char *rest, assay_error *err)
{
	char *save = NULL;
	const char *use = strtok_r(rest, "\t", &save);
	const char *operation = strtok_r(NULL, "\t", &save), *input = strtok_r(NULL, "\t", &save);
	int rc = enter_impl(c, use ? use : "", err);
	snprintf(c->operation, sizeof c->operation, "%s", operation ? operation : "");
	snprintf(c->input, sizeof c->input, "%s", input ? input : "");
	c->in_check = true;
	c->blamed = false;
	c->next++;
	c->checks++;
	if (rc == 0) {
		int64_t n = as_json_i64(as_json_get(c->impl, "checks"), 0);
		rc = as_json_set(c->impl, "checks", as_json_integer(n + 1)) < 0 ? as_fail_memory(err) : 0;
	}
	return rc;
}

/* Code, line, pointer, message and hint about the file of options. */
static void refuse_options(checking *c, char *rest)
{
	char *save = NULL;
	const char *code = strtok_r(rest, "\t", &save), *number = strtok_r(NULL, "\t", &save);
	const char *pointer = strtok_r(NULL, "\t", &save), *message = strtok_r(NULL, "\t", &save);
	const char *hint = strtok_r(NULL, "\t", &save);
	as_fail(&c->broken, code ? (int)strtol(code, NULL, 10) : ASSAY_EDATA, "%s", message ? message : "");
	as_error_where(&c->broken, c->o->options_file, number ? (uint32_t)strtoul(number, NULL, 10) : 0);
	as_error_pointer(&c->broken, "%s", pointer ? pointer : "");
	if (hint) {
		as_error_hint(&c->broken, "%s", hint);
	}
}

static int take_line(checking *c, char *line, assay_error *err)
{
	char *rest = strchr(line, '\t');
	rest = rest ? (*rest = '\0', rest + 1) : line + strlen(line);
	if (strcmp(line, "case") == 0) {
		return begin_check(c, rest, err);
	}
	if (strcmp(line, "at") == 0) { /* the operation, and what is wrong with it, if anything */
		size_t name = strcspn(rest, "\t");
		if (c->o->log && read_log(c, err) < 0) {
			return ASSAY_ENOMEM;
		}
		snprintf(c->operation, sizeof c->operation, "%.*s", (int)name, rest);
		return rest[name] && c->impl ? add_failure(c, rest + name + 1, err) : 0;
	}
	if (strcmp(line, "wrong") == 0 && c->impl) {
		return add_failure(c, rest, err);
	} else if (strcmp(line, "note") == 0 && c->impl) {
		return add_note(c, rest, err);
	} else if (strcmp(line, "end") == 0) {
		c->in_check = false;
		return c->o->log ? read_log(c, err) : 0;
	} else if (strcmp(line, "impl") == 0) {
		return enter_impl(c, rest, err);
	} else if (strcmp(line, "services") == 0 && c->impl) {
		return as_json_set(c->impl, "services", as_json_cstring(rest)) < 0 ? as_fail_memory(err) : 0;
	} else if (strcmp(line, "module") == 0) {
		size_t name = strcspn(rest, "\t");
		snprintf(c->module, sizeof c->module, "%.*s", (int)name, rest);
		snprintf(c->version, sizeof c->version, "%s", rest + name + (rest[name] ? 1 : 0));
		c->loaded = true;
	} else if (strcmp(line, "broken") == 0) {
		as_fail(&c->broken, ASSAY_EPLUGIN, "%s", rest);
	} else if (strcmp(line, "refused") == 0) {
		refuse_options(c, rest);
	} else if (strcmp(line, "bye") == 0) {
		c->bye = true;
	}
	return 0;
}

static int take_lines(checking *c, assay_error *err)
{
	int rc = as_buf_check(&c->pending, err);
	size_t start = 0;
	while (rc == 0) {
		char *line = c->pending.ptr + start;
		char *end = c->pending.len > start ? memchr(line, '\n', c->pending.len - start) : NULL;
		if (!end) {
			break;
		}
		*end = '\0';
		start = (size_t)(end - c->pending.ptr) + 1;
		rc = take_line(c, line, err);
	}
	if (start > 0) {
		memmove(c->pending.ptr, c->pending.ptr + start, c->pending.len - start);
		c->pending.len -= start;
	}
	return rc == 0 && c->pending.len > LINE_BYTES
		       ? as_fail(err, ASSAY_EPLUGIN, "the checked module floods its pipe")
		       : rc;
}

/* Until the child says bye (0), ends (ASSAY_EUNREACH), or a check takes too long (ASSAY_ETIMEOUT). */
static int listen_to_child(checking *c, assay_error *err)
{
	size_t seen = SIZE_MAX;
	int64_t deadline = 0;
	while (!c->bye) {
		char bytes[4096];
		size_t n = 0;
		if (seen != c->next + (c->in_check ? 1 : 0)) {
			seen = c->next + (c->in_check ? 1 : 0);
			deadline = as_deadline(c->in_check ? c->limit_ms : LOAD_FACTOR * c->limit_ms);
		}
		int rc = as_process_read(c->child, bytes, sizeof bytes, deadline, c->o->cancel, &n, err);
		if (rc < 0) {
			return rc;
		}
		if (n == 0) {
			return ASSAY_EUNREACH;
		}
		as_buf_add(&c->pending, (assay_str){bytes, n});
		rc = take_lines(c, err);
		if (rc < 0) {
			return rc;
		}
	}
	return 0;
}

/* --- how it ended --- */

static void describe_end(const checking *c, int heard, int status, char *out, size_t size)
{
	int number = status - 128;
	if (heard == ASSAY_ETIMEOUT) {
		snprintf(out, size, "does not come back within %lld ms",
			 (long long)(c->in_check ? c->limit_ms : LOAD_FACTOR * c->limit_ms));
	} else if (number > 0 && number < 65) {
		snprintf(out, size, "crashes (%s)", strsignal(number));
	} else if (status == AS_TRIAL_CLOSED) {
		snprintf(out, size, "closes descriptors that are not its own");
	} else {
		snprintf(out, size, "ends the program: it calls exit or _exit (status %d)", status);
	}
}

/* The child is gone before its time: the check it was at is to blame. */
static int blame(checking *c, int heard, int status, assay_error *err)
{
	char problem[128];
	describe_end(c, heard, status, problem, sizeof problem);
	if (!c->loaded && heard != ASSAY_ETIMEOUT && as_loader_sanitized(c->o->file, err) < 0) {
		return ASSAY_EPLUGIN;
	}
	if (!c->loaded || !c->impl) {
		as_fail(err, ASSAY_EPLUGIN, "%s when it is opened", problem);
		as_error_hint(err, "a getter only returns constant data, and constructors do nothing");
		return as_error_where(err, c->o->file, 0);
	}
	c->deaths++;
	c->hangs += heard == ASSAY_ETIMEOUT;
	bool told = c->blamed && (status == AS_SUITE_FAULT || c->log_read > 0); /* what it died of */
	int rc = told ? 0 : add_failure(c, problem, err);
	c->in_check = false;
	if (rc == 0 && (c->deaths >= DEATHS_MAX || c->hangs >= HANGS_MAX)) {
		rc = add_note(c, "the rest was left out: it has ended the check too often", err);
		c->bye = true;
	}
	return rc;
}

static int start_child(checking *c, assay_error *err)
{
	as_arena arena = {0};
	static const char *const passed[] = {"ASSAY_LIB_DIR", "ASSAY_DATA_DIR", "ASSAY_PLUGIN_PATH", "LD_PRELOAD"};
	size_t n = 0, n_variables = 0, k = 0;
	while (c->o->worker[n]) {
		n++;
	}
	while (c->o->variables && c->o->variables[n_variables]) {
		n_variables++;
	}
	const char **argv = as_new(n + 2, sizeof *argv);
	const char **extra = as_arena_alloc(&arena, (n_variables + 8) * sizeof *extra);
	if (!argv || !extra) {
		free(argv);
		as_arena_free(&arena);
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n_variables; i++) { /* in front: the last of a name wins, and these names may be ours */
		extra[k++] = c->o->variables[i];
	}
	extra[k++] = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0";
	extra[k++] = as_arena_printf(&arena, "TMPDIR=%s", c->folder.ptr);
	/* Of a module that was built with sanitizers. What is lost the suite finds itself. */
	extra[k++] =
		as_arena_printf(&arena, "ASAN_OPTIONS=detect_leaks=0:log_path=%s/" AS_SANITIZER_LOG, c->folder.ptr);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		const char *value = getenv(passed[i]);
		if (value) {
			extra[k++] = as_arena_printf(&arena, "%s=%s", passed[i], value);
		}
	}
	as_process_spec spec = {.flags = AS_PROCESS_STDOUT | AS_PROCESS_STDERR};
	memcpy(argv, c->o->worker, n * sizeof *argv);
	argv[n] = as_arena_printf(&arena, "%zu", c->next);
	spec.argv = argv;
	spec.env = as_process_env(&arena, extra);
	drop_log(c);
	as_buf_clear(&c->pending);
	int rc = argv[n] && spec.env ? as_process_spawn(&spec, &c->child, err) : as_fail_memory(err);
	free(argv);
	as_arena_free(&arena);
	return rc;
}

static int run_child(checking *c, assay_error *err)
{
	assay_error why = {0}, ignored = {0};
	int status = 128 + SIGKILL;
	int rc = start_child(c, err);
	if (rc < 0) {
		return rc;
	}
	int heard = listen_to_child(c, &why);
	if (heard == 0 || heard == ASSAY_EUNREACH) {
		as_process_wait(c->child, as_deadline(LOAD_FACTOR * c->limit_ms), NULL, &status, &ignored);
		if (heard == 0) { /* what was lost is known at the end */
			snprintf(c->operation, sizeof c->operation, "%s", "all");
			snprintf(c->input, sizeof c->input, "%s", "all");
		}
		rc = read_log(c, err);
	}
	as_process_stop(c->child, 0);
	c->child = NULL;
	if (rc < 0 || c->bye) {
		return rc;
	}
	if (heard != ASSAY_EUNREACH && heard != ASSAY_ETIMEOUT) {
		if (err) {
			*err = why;
		}
		return heard;
	}
	return blame(c, heard, status, err);
}

static int make_report(checking *c, assay_json **report, assay_error *err)
{
	assay_json *out = as_json_object();
	int bad = as_json_set(out, "file", as_json_cstring(c->o->file));
	bad |= as_json_set(out, "module", as_json_cstring(c->module));
	bad |= as_json_set(out, "version", as_json_cstring(c->version));
	bad |= as_json_set(out, "checks", as_json_integer((int64_t)c->checks));
	bad |= as_json_set(out, "failures", as_json_integer((int64_t)c->failures));
	bad |= as_json_set(out, "implementations", c->impls);
	c->impls = NULL;
	if (bad) {
		as_json_free(out);
		return as_fail_memory(err);
	}
	*report = out;
	return 0;
}

int as_contract_check(const as_contract_options *options, assay_json **report, assay_error *err)
{
	checking c = {.o = options, .limit_ms = options->limit_ms > 0 ? options->limit_ms : LIMIT_MS};
	c.impls = as_json_array();
	int rc = c.impls ? as_make_temp_dir(as_temp_root(), "assay-check-", &c.folder, err) : as_fail_memory(err);
	while (rc == 0 && !c.bye) {
		rc = run_child(&c, err);
	}
	if (rc == 0 && c.broken.code != 0) {
		rc = c.broken.code;
		if (err) {
			*err = c.broken;
		}
	}
	rc = rc < 0 ? rc : make_report(&c, report, err);
	if (c.folder.len > 0) {
		as_remove_tree(c.folder.ptr, NULL);
	}
	as_json_free(c.impls);
	as_buf_free(&c.pending);
	as_buf_free(&c.folder);
	return rc;
}
