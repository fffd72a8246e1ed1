#include "contrib/servers/common.h"
#include "config.h"
#include "core/base/schema.h"
#include "core/base/text.h"
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beyond any letter, so that optopt tells a short option from a long one. */
enum { OPTION_HELP = 256, OPTION_VERSION, OPTION_OWN };

static void print_usage(const demo_program *program, FILE *stream)
{
	fprintf(stream, "Usage: %s", program->name);
	if (program->operand) {
		fprintf(stream, " %s", program->operand);
	}
	if (program->option) {
		fprintf(stream, " [--%s %s]", program->option, program->value);
	}
	fputc('\n', stream);
}

static int usage_error(const demo_program *program, const char *what, assay_str value)
{
	as_buf shown = {0};
	demo_quote(&shown, value);
	fprintf(stderr, "%s: %s %s\n", program->name, what, shown.ptr ? shown.ptr : "");
	print_usage(program, stderr);
	as_buf_free(&shown);
	return 2;
}

static int say_and_leave(const demo_program *program, bool help)
{
	if (help) {
		print_usage(program, stdout);
		fputs(program->help, stdout);
	} else {
		printf("%s %s\n", program->name, PACKAGE_VERSION);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}

/* getopt_long has met something it does not know: `?`, or `:` for a missing value. */
static int option_error(const demo_program *program, int c, char **argv)
{
	if (c == ':') {
		return usage_error(program, "a value is missing after", as_str(argv[optind - 1]));
	}
	if (optopt > ' ' && optopt < 127) {
		char letter[3] = {'-', (char)optopt, 0};
		return usage_error(program, "unknown option", as_str(letter));
	}
	return usage_error(program, "unknown option", as_str(argv[optind - 1]));
}

int demo_options_read(const demo_program *program, int argc, char **argv, demo_options *out)
{
	struct option known[] = {{"help", no_argument, NULL, OPTION_HELP},
				 {"version", no_argument, NULL, OPTION_VERSION},
				 {program->option, required_argument, NULL, OPTION_OWN},
				 {NULL, 0, NULL, 0}};
	int c;
	*out = (demo_options){0};
	opterr = 0;
	/* "-": operands come in their place as 1, whatever POSIXLY_CORRECT says; ":" tells a missing value apart. */
	while ((c = getopt_long(argc, argv, "-:", known, NULL)) != -1) {
		if (c == OPTION_HELP || c == OPTION_VERSION) {
			return say_and_leave(program, c == OPTION_HELP);
		}
		if (c == OPTION_OWN) {
			out->option = optarg;
		} else if (c != 1) {
			return option_error(program, c, argv);
		} else if (!program->operand || out->operand) {
			return usage_error(program, "unexpected operand", as_str(optarg));
		} else {
			out->operand = optarg;
		}
	}
	for (; optind < argc; optind++) { /* what stands behind "--" */
		if (!program->operand || out->operand) {
			return usage_error(program, "unexpected operand", as_str(argv[optind]));
		}
		out->operand = argv[optind];
	}
	if (program->operand && !out->operand) {
		return usage_error(program, "missing operand", as_str(program->operand));
	}
	return -1;
}

int demo_fail(const demo_program *program, const assay_error *err)
{
	char line[1200];
	as_error_format(err, line, sizeof line);
	fprintf(stderr, "%s: %s\n", program->name, line);
	switch (err->code) {
	case ASSAY_EINVAL:
		return 2;
	case ASSAY_ENOENT:
	case ASSAY_EDATA:
	case ASSAY_EIO:
	case ASSAY_ELIMIT:
		return 3;
	default:
		return 1;
	}
}

int demo_serve(const demo_program *program, const as_mcp_server *server)
{
	/* A client that goes away shows as EPIPE, not as our death. */
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	assay_error err = {0};
	sigaction(SIGPIPE, &ignore, NULL);
	if (as_mcp_serve(server, STDIN_FILENO, STDOUT_FILENO, &err) == 0) {
		return 0;
	}
	demo_fail(program, &err);
	return 1;
}

int demo_put_text(assay_json *object, const char *key, const char *text)
{
	return as_json_set(object, key, as_json_cstring(text));
}

int demo_put_str(assay_json *object, const char *key, assay_str text)
{
	return as_json_set(object, key, as_json_string(text));
}

int demo_put_int(assay_json *object, const char *key, int64_t n)
{
	return as_json_set(object, key, as_json_integer(n));
}

int demo_put_real(assay_json *object, const char *key, double d)
{
	return as_json_set(object, key, as_json_real(d));
}

int demo_finish(as_mcp_answer *answer, assay_json *root, int bad, assay_error *err)
{
	if (!root || bad) {
		as_json_free(root);
		return as_fail_memory(err);
	}
	answer->structured = root;
	return 0;
}

int demo_names_add(demo_names *names, assay_str name, assay_error *err)
{
	char *copy = NULL;
	if (as_grow(&names->items, &names->cap, names->n + 1, sizeof *names->items)) {
		copy = as_strndup(name);
	}
	if (!copy) {
		return as_fail_memory(err);
	}
	names->items[names->n++] = copy;
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void demo_names_sort(demo_names *names)
{
	if (names->n > 1) {
		qsort(names->items, names->n, sizeof *names->items, by_bytes);
	}
}

bool demo_names_has(const demo_names *names, assay_str name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (as_str_is(name, names->items[i])) {
			return true;
		}
	}
	return false;
}

void demo_names_free(demo_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->items[i]);
	}
	free(names->items);
	*names = (demo_names){0};
}

/* A name that holds every word of value: so a title is found by the part of it that somebody remembers. */
static const char *guess_by_words(assay_str value, const demo_names *known)
{
	const char *found = NULL;
	as_buf words = {0}, folded = {0};
	as_normalise(&words, value);
	for (size_t i = 0; i < known->n && !found && words.len > 0; i++) {
		as_buf_clear(&folded);
		as_normalise(&folded, as_str(known->items[i]));
		if (demo_has_words(as_buf_str(&folded), as_buf_str(&words))) {
			found = known->items[i];
		}
	}
	as_buf_free(&words);
	as_buf_free(&folded);
	return found;
}

const char *demo_guess(assay_str value, const demo_names *known)
{
	const char *near = NULL;
	if (value.len > 200) {
		return NULL;
	}
	near = as_nearest(value, (const char *const *)known->items, known->n);
	return near ? near : guess_by_words(value, known);
}

int demo_refuse_unknown(as_mcp_answer *answer, const char *kind, assay_str value, const demo_names *known,
			const char *advice)
{
	const char *near = demo_guess(value, known);
	as_buf shown = {0};
	demo_quote(&shown, value);
	if (near) {
		as_mcp_refuse(answer, "no %s is called %s; did you mean '%s'?", kind, shown.ptr ? shown.ptr : "that",
			      near);
	} else {
		as_mcp_refuse(answer, "no %s is called %s; %s", kind, shown.ptr ? shown.ptr : "that", advice);
	}
	as_buf_free(&shown);
	return 0;
}

assay_str demo_arg(const assay_json *arguments, const char *key)
{
	return as_json_str(as_json_get(arguments, key));
}

bool demo_check_text(as_mcp_answer *answer, const char *key, assay_str text)
{
	if (as_utf8_check(text) == text.len) { /* NUL comes as C0 80, which is no UTF-8 */
		return true;
	}
	as_mcp_refuse(answer, "%s holds a NUL or broken character at byte %zu; plain UTF-8 text is expected", key,
		      as_utf8_check(text));
	return false;
}

void demo_quote(as_buf *out, assay_str value)
{
	assay_str head = {value.ptr, as_utf8_prefix(value, 60)};
	as_buf_byte(out, '\'');
	as_printable(out, head);
	as_buf_puts(out, head.len < value.len ? "...'" : "'");
}

bool demo_next_word(assay_str *rest, assay_str *word)
{
	size_t start = 0, end;
	while (start < rest->len && rest->ptr[start] == ' ') {
		start++;
	}
	for (end = start; end < rest->len && rest->ptr[end] != ' '; end++) {
	}
	*word = (assay_str){rest->ptr ? rest->ptr + start : NULL, end - start};
	*rest = (assay_str){rest->ptr ? rest->ptr + end : NULL, rest->len - end};
	return word->len > 0;
}

bool demo_has_words(assay_str folded, assay_str words)
{
	assay_str word;
	while (demo_next_word(&words, &word)) {
		if (!as_str_contains(folded, word)) {
			return false;
		}
	}
	return true;
}
