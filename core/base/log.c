#include "core/base/log.h"

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGE 4096
#define MAX_SAID 512 /* warnings that are remembered */

struct rule {
	const char *component; /* NULL: all that no other rule names */
	int level;
};

struct as_log {
	FILE *stream;
	as_arena arena;
	struct rule *rules;
	size_t n_rules, cap_rules;
	int level;             /* of the components without a rule */
	as_redactor *redactor; /* NULL: none */
	pthread_mutex_t lock;  /* of what follows */
	uint64_t said[MAX_SAID];
	size_t n_said;
};

static const char *const level_names[] = {"error", "warning", "info", "debug", "trace"};
#define N_LEVELS ((int)(sizeof level_names / sizeof *level_names))

static int level_of(assay_str name)
{
	if (as_str_is(name, "warn")) {
		return ASSAY_LOG_WARN;
	}
	for (int i = 0; i < N_LEVELS; i++) {
		if (as_str_is(name, level_names[i])) {
			return i;
		}
	}
	return -1;
}

/* "LEVEL" or "COMPONENT:LEVEL" */
static int add_rule(as_log *log, assay_str part, assay_error *err)
{
	const char *colon = part.len ? memchr(part.ptr, ':', part.len) : NULL;
	assay_str component = {part.ptr, colon ? (size_t)(colon - part.ptr) : 0};
	assay_str name = part;
	if (colon) {
		name = (assay_str){colon + 1, part.len - component.len - 1};
	}
	int level = level_of(name);
	if (level < 0 || (colon && component.len == 0)) {
		as_fail(err, ASSAY_EINVAL, "log level: found \"%.*s\", expected LEVEL or COMPONENT:LEVEL",
			(int)as_utf8_prefix(part, 60), part.ptr);
		const char *near = as_nearest(name, level_names, (size_t)N_LEVELS);
		as_error_hint(err, near ? "did you mean \"%s\"?" : "levels are: error, warning, info, debug, trace",
			      near);
		return ASSAY_EINVAL;
	}
	if (!colon) {
		log->level = level;
		return 0;
	}
	const char *copy = as_arena_cstr(&log->arena, component);
	if (!copy || !as_grow(&log->rules, &log->cap_rules, log->n_rules + 1, sizeof *log->rules)) {
		return as_fail_memory(err);
	}
	log->rules[log->n_rules++] = (struct rule){copy, level};
	return 0;
}

static int add_rules(as_log *log, const char *levels, assay_error *err)
{
	for (const char *p = levels; p && *p;) {
		size_t n = strcspn(p, ",");
		assay_str part = as_trim((assay_str){p, n});
		int rc = part.len > 0 ? add_rule(log, part, err) : 0;
		if (rc < 0) {
			return rc;
		}
		p += n + (p[n] == ',');
	}
	return 0;
}

int as_log_new(FILE *stream, const char *levels, as_log **out, assay_error *err)
{
	as_log *log = as_new(1, sizeof *log);
	*out = NULL;
	if (!log) {
		return as_fail_memory(err);
	}
	if (pthread_mutex_init(&log->lock, NULL) != 0) {
		free(log);
		return as_fail_memory(err);
	}
	log->stream = stream;
	log->level = ASSAY_LOG_WARN;
	int rc = add_rules(log, levels, err);
	if (rc < 0) {
		as_log_free(log);
		return rc;
	}
	*out = log;
	return 0;
}

void as_log_free(as_log *log)
{
	if (log) {
		as_arena_free(&log->arena);
		free(log->rules);
		pthread_mutex_destroy(&log->lock);
		free(log);
	}
}

void as_log_set_redactor(as_log *log, as_redactor *redactor)
{
	if (log) {
		log->redactor = redactor;
	}
}

int as_log_check(const as_log *log, const char *const *names, size_t n, assay_error *err)
{
	for (size_t i = 0; log && i < log->n_rules; i++) {
		const char *wanted = log->rules[i].component;
		assay_str first = {wanted, strcspn(wanted, "/")};
		as_buf all = {0};
		bool known = false;
		for (size_t k = 0; k < n; k++) {
			known = known || as_str_is(first, names[k]);
			as_buf_printf(&all, "%s%s", k > 0 ? " " : "", names[k]);
		}
		if (!known) {
			const char *near = as_nearest(as_str(wanted), names, n);
			as_fail(err, ASSAY_EINVAL, "log level: nothing called \"%s\" is logged", wanted);
			as_error_hint(err, near ? "did you mean \"%s\"?" : "there are: %s", near ? near : all.ptr);
		}
		as_buf_free(&all);
		if (!known) {
			return ASSAY_EINVAL;
		}
	}
	return 0;
}

/* "llm" stands for "llm/openai", too. */
static bool rule_is_for(const struct rule *rule, const char *component)
{
	size_t n = strlen(rule->component);
	return strncmp(rule->component, component, n) == 0 && (component[n] == '\0' || component[n] == '/');
}

bool as_log_on(const as_log *log, const char *component, int level)
{
	if (!log) {
		return false;
	}
	/* The last rule for a component counts, so that a caller can append to what the user gave. */
	for (size_t i = log->n_rules; component && i-- > 0;) {
		if (rule_is_for(&log->rules[i], component)) {
			return level <= log->rules[i].level;
		}
	}
	return level <= log->level;
}

static bool was_said(as_log *log, const as_buf *line)
{
	uint64_t hash = as_derive_seed(0, "log", as_buf_str(line));
	bool said = false;
	pthread_mutex_lock(&log->lock);
	for (size_t i = 0; i < log->n_said && !said; i++) {
		said = log->said[i] == hash;
	}
	if (!said && log->n_said < MAX_SAID) {
		log->said[log->n_said++] = hash;
	}
	pthread_mutex_unlock(&log->lock);
	return said;
}

static void put(as_log *log, const char *component, int level, bool once, const char *format, va_list args)
	ASSAY_PRINTF(5, 0);
static void put(as_log *log, const char *component, int level, bool once, const char *format, va_list args)
{
	as_buf message = {0}, line = {0};
	if (!as_log_on(log, component, level)) {
		return;
	}
	as_buf_vprintf(&message, format, args);
	as_redact(log->redactor, &message); /* before it is cut: half a secret is not found */
	as_buf_printf(&line, "%s: ", level_names[level < 0 ? 0 : level < N_LEVELS ? level : N_LEVELS - 1]);
	if (component) {
		as_printable(&line, as_str(component));
		as_buf_puts(&line, ": ");
	}
	assay_str text = as_buf_str(&message);
	text.len = text.len < MAX_MESSAGE ? text.len : MAX_MESSAGE; /* may cut a character, which comes out as U+FFFD */
	as_printable(&line, text);
	as_buf_puts(&line, text.len < message.len ? "...\n" : "\n");
	/* One write a line, so that lines of several threads and processes do not mix. */
	if (!line.failed && !message.failed && !(once && was_said(log, &line))) {
		fwrite(line.ptr, 1, line.len, log->stream);
		fflush(log->stream);
	}
	as_buf_free(&message);
	as_buf_free(&line);
}

void as_log_putv(as_log *log, const char *component, int level, const char *format, va_list args)
{
	put(log, component, level, false, format, args);
}

void as_log_put_once(as_log *log, const char *component, int level, const char *format, va_list args)
{
	put(log, component, level, true, format, args);
}

void as_log_put(as_log *log, const char *component, int level, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	as_log_putv(log, component, level, format, args);
	va_end(args);
}
