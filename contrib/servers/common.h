/* What the three demo servers share: command line, serving, answers, and helpful refusals.
 * Thread: each server is one thread. */
#ifndef ASSAY_SERVERS_COMMON_H
#define ASSAY_SERVERS_COMMON_H

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/mcp/server.h"

/* The command line of a server: at most one operand and at most one option beside --help and --version. */
typedef struct demo_program {
	const char *name;    /* of the command */
	const char *operand; /* what the usage line calls the required operand; NULL: none is taken */
	const char *option;  /* name of the option, without dashes; NULL: none */
	const char *value;   /* what the usage line calls its value */
	const char *help;    /* what --help prints below the usage line */
} demo_program;

typedef struct demo_options {
	const char *operand, *option; /* borrowed from argv; NULL when not given */
} demo_options;

/* Read the command line. -1: go on. Else the exit status, everything having been said: 0 after --help and --version, 2
 * after a usage error. */
int demo_options_read(const demo_program *program, int argc, char **argv, demo_options *out);

/* Print "NAME: ERROR" on stderr. Returns the exit status: 2 for ASSAY_EINVAL, 3 for a bad or missing file, else 1. */
int demo_fail(const demo_program *program, const assay_error *err);

/* Serve on stdin and stdout until stdin ends. Returns the exit status. */
int demo_serve(const demo_program *program, const as_mcp_server *server);

/* Members of an answer. Results are to be or-ed together and handed to demo_finish, which is the one check. */
int demo_put_text(assay_json *object, const char *key, const char *text);
int demo_put_str(assay_json *object, const char *key, assay_str text);
int demo_put_int(assay_json *object, const char *key, int64_t n);
int demo_put_real(assay_json *object, const char *key, double d);

/* Make root (taken over, also on failure) the answer. bad: the or-ed results of whatever was put into it. */
int demo_finish(as_mcp_answer *answer, assay_json *root, int bad, assay_error *err);

/* A list of owned strings; zero-initialise. */
typedef struct demo_names {
	char **items;
	size_t n, cap;
} demo_names;

int demo_names_add(demo_names *names, assay_str name, assay_error *err);
void demo_names_sort(demo_names *names); /* by bytes */
bool demo_names_has(const demo_names *names, assay_str name);
void demo_names_free(demo_names *names);

/* Refuse a value that names nothing: "no KIND is called 'VALUE'; did you mean 'NEAREST'?", or without a near one
 * "...; ADVICE". Always returns 0. */
int demo_refuse_unknown(as_mcp_answer *answer, const char *kind, assay_str value, const demo_names *known,
			const char *advice);

/* The known name that was probably meant: near by spelling, equal but for case, or holding every word; or NULL. */
const char *demo_guess(assay_str value, const demo_names *known);

/* A string argument; the empty text when it was not given. */
assay_str demo_arg(const assay_json *arguments, const char *key);

/* False, with the refusal given, when a text holds NUL or is no UTF-8. */
bool demo_check_text(as_mcp_answer *answer, const char *key, assay_str text);

/* Append value for a message: printable, in quotes, cut to 60 characters. */
void demo_quote(as_buf *out, assay_str value);

/* Does folded text hold every word of `words`? Both as as_normalise makes them. No words: yes. */
bool demo_has_words(assay_str folded, assay_str words);

/* The next word of a normalised text (false at its end); *rest moves on behind it. */
bool demo_next_word(assay_str *rest, assay_str *word);

#endif
