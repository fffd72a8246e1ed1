/* Reading command lines, and telling about them. getopt_long does the reading. */
#include "core/cli/cli.h"

#include "core/base/error.h"
#include "core/base/schema.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const as_option common[] = {
	{"help", NULL, "show this help"},
	{"json", NULL, "print one JSON document on standard output, nothing else"},
	{"quiet", NULL, "print nothing but errors"},
	{"no-progress", NULL, "show no progress line"},
	{"plugin-dir", "DIR", "look for plugins in DIR first (may be given several times)"},
	{"log", "LEVELS",
	 "log to standard error: \"info\", \"debug\" or \"world:debug,llm:trace\" (parts, roles, servers, models)"},
	{NULL, NULL, NULL},
};

static size_t count(const as_option *options)
{
	size_t n = 0;
	while (options && options[n].name) {
		n++;
	}
	return n;
}

/* Option number i of a verb: the common ones first. */
static const as_option *option_at(const as_verb *verb, size_t i)
{
	size_t n = count(common);
	return i < n ? &common[i] : &verb->options[i - n];
}

static size_t count_all(const as_verb *verb)
{
	return count(common) + count(verb->options);
}

const char *as_cli_option(const as_cli *cli, const char *name)
{
	size_t n = count_all(cli->verb);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(option_at(cli->verb, i)->name, name) == 0) {
			return cli->values[i];
		}
	}
	return NULL;
}

/* The names that the help of an option begins with, up to the colon; empty when it is for all of them. */
static assay_str names_of(const char *help, const char *const *whats)
{
	for (size_t i = 0; whats[i]; i++) {
		size_t n = strlen(whats[i]);
		if (strncmp(help, whats[i], n) == 0 && help[n] && strchr(":, ", help[n])) {
			return (assay_str){help, strcspn(help, ":")};
		}
	}
	return (assay_str){NULL, 0};
}

int as_cli_check_options(const as_cli *cli, const char *const *whats, const char *what, assay_error *err)
{
	size_t n = count(common), all = count_all(cli->verb);
	for (size_t i = n; i < all; i++) {
		const as_option *o = option_at(cli->verb, i);
		assay_str names = names_of(o->help, whats);
		bool meant = names.len == 0;
		for (size_t k = 0; k < names.len; k += 2) {
			size_t end = k;
			while (end < names.len && names.ptr[end] != ',' && names.ptr[end] != ' ') {
				end++;
			}
			meant = meant || as_str_is((assay_str){names.ptr + k, end - k}, what);
			k = end;
		}
		if (cli->values[i] && !meant) {
			as_fail(err, ASSAY_EINVAL, "%s %s: --%s does nothing here", cli->verb->name, what, o->name);
			as_error_hint(err, "it is for \"%s %.*s\"", cli->verb->name, ASSAY_FMT(names));
			return ASSAY_EINVAL;
		}
	}
	return 0;
}

int as_cli_number(const as_cli *cli, const char *name, int64_t low, int64_t high, int64_t otherwise, int64_t *out,
		  assay_error *err)
{
	const char *text = as_cli_option(cli, name);
	char *end = NULL;
	long long n;
	*out = otherwise;
	if (!text) {
		return 0;
	}
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < low || n > high) {
		return as_fail(err, ASSAY_EINVAL, "--%s %s: expected a whole number from %lld to %lld", name, text,
			       (long long)low, (long long)high);
	}
	*out = n;
	return 0;
}

static int unknown_option(const as_verb *verb, const char *given, assay_error *err)
{
	const char *names[AS_MAX_OPTIONS], *near;
	size_t n = count_all(verb);
	while (*given == '-') {
		given++;
	}
	for (size_t i = 0; i < n; i++) {
		names[i] = option_at(verb, i)->name;
	}
	near = as_nearest(as_str(given), names, n);
	as_fail(err, ASSAY_EINVAL, "%s: unknown option \"--%s\"", verb->name, given);
	if (near) {
		as_error_hint(err, "did you mean \"--%s\"?", near);
	} else {
		as_error_hint(err, "\"assay %s --help\" lists them", verb->name);
	}
	return ASSAY_EINVAL;
}

static int take_value(as_cli *cli, size_t index, const char *value, assay_error *err)
{
	cli->values[index] = value ? value : "";
	if (strcmp(option_at(cli->verb, index)->name, "plugin-dir") == 0) {
		size_t n = 0;
		while (cli->plugin_dirs[n]) {
			n++;
		}
		if (n + 1 >= sizeof cli->plugin_dirs / sizeof *cli->plugin_dirs) {
			return as_fail(err, ASSAY_EINVAL, "--plugin-dir was given too often");
		}
		cli->plugin_dirs[n] = value;
	}
	return 0;
}

int as_cli_parse(as_cli *cli, int argc, char **argv, assay_error *err)
{
	struct option longs[AS_MAX_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
	size_t n = count_all(cli->verb);
	int found;
	for (size_t i = 0; i < n; i++) {
		const as_option *o = option_at(cli->verb, i);
		longs[i] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, (int)i + 256};
	}
	opterr = 0;
	optind = 1;
	while ((found = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
		int rc;
		if (found == 'h') {
			found = 256;
		}
		if (found == ':') {
			return as_fail(err, ASSAY_EINVAL, "%s: option \"%s\" needs an argument", cli->verb->name,
				       argv[optind - 1]);
		}
		if (found < 256) {
			return unknown_option(cli->verb, argv[optind - 1], err);
		}
		rc = take_value(cli, (size_t)found - 256, optarg, err);
		if (rc < 0) {
			return rc;
		}
	}
	cli->arguments = argv + optind;
	cli->n_arguments = (size_t)(argc - optind);
	cli->json = as_cli_option(cli, "json") != NULL;
	cli->quiet = as_cli_option(cli, "quiet") != NULL;
	if (as_cli_option(cli, "help")) {
		as_cli_help(cli->verb, cli->out);
		return ASSAY_STOP;
	}
	if (cli->n_arguments > 0 && !cli->verb->arguments[0]) {
		as_fail(err, ASSAY_EINVAL, "%s takes no arguments, found \"%s\"", cli->verb->name, cli->arguments[0]);
		as_error_hint(err, "a manifest is named with --manifest FILE");
		return ASSAY_EINVAL;
	}
	return 0;
}

static void print_options(const as_option *options, FILE *out)
{
	for (size_t i = 0; options && options[i].name; i++) {
		char left[48];
		snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
			 options[i].argument ? options[i].argument : "");
		fprintf(out, "  %-24s %s\n", left, options[i].help);
	}
}

void as_cli_help(const as_verb *verb, FILE *out)
{
	fprintf(out, "Usage: assay %s [OPTIONS]%s%s\n\n%s\n", verb->name, verb->arguments[0] ? " " : "",
		verb->arguments, verb->description);
	if (count(verb->options)) {
		fputs("\nOptions:\n", out);
		print_options(verb->options, out);
	}
	fputs("\nCommon options:\n", out);
	print_options(common, out);
	if (verb->examples[0]) {
		fprintf(out, "\nExamples:\n%s", verb->examples);
	}
	fprintf(out,
		"\nExit status: 0 done; 1 done, and the answer is no; 2 wrong usage; 3 bad input file; 4 plugin missing or\n"
		"failed; 5 server or model unreachable; 130 interrupted%s.\n"
		"An interrupt (^C) waits for the plugins' operations under way; a second one ends at once.\n",
		verb->continues ? " (the same command goes on)" : "");
}

void as_cli_overview(FILE *out)
{
	const char *group = "";
	fputs("Usage: assay VERB [OPTIONS] [ARGUMENTS]\n\nBenchmarks for tool-using agents out of live MCP servers.\n",
	      out);
	for (size_t i = 0; as_verbs[i]; i++) {
		if (strcmp(group, as_verbs[i]->group) != 0) {
			group = as_verbs[i]->group;
			fprintf(out, "\n%s:\n", group);
		}
		fprintf(out, "  %-10s %s\n", as_verbs[i]->name, as_verbs[i]->summary);
	}
	fputs("\n\"assay VERB --help\" tells about one of them; \"assay --version\" prints the version.\n", out);
}

/* Text for roff: backslashes and leading dots made harmless, hyphens kept as typed. */
static void roff(const char *text, FILE *out)
{
	bool start = true;
	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\'')) {
			fputs("\\&", out);
		}
		if (*text == '\\') {
			fputs("\\e", out);
		} else if (*text == '-') {
			fputs("\\-", out);
		} else {
			fputc(*text, out);
		}
		start = *text == '\n';
	}
}

static void man_options(const as_option *options, FILE *out)
{
	for (size_t i = 0; options && options[i].name; i++) {
		fputs(".TP\n\\fB\\-\\-", out);
		roff(options[i].name, out);
		fputs("\\fR", out);
		if (options[i].argument) {
			fprintf(out, " \\fI%s\\fR", options[i].argument);
		}
		fputc('\n', out);
		roff(options[i].help, out);
		fputc('\n', out);
	}
}

static void man_program(FILE *out)
{
	fputs(".TH ASSAY 1\n.SH NAME\nassay \\- benchmarks for tool\\-using agents out of live MCP servers\n.SH SYNOPSIS\n"
	      ".B assay\n\\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n.SH VERBS\n",
	      out);
	for (size_t i = 0; as_verbs[i]; i++) {
		fprintf(out, ".TP\n\\fBassay\\-%s\\fR(1)\n", as_verbs[i]->name);
		roff(as_verbs[i]->summary, out);
		fputc('\n', out);
	}
}

void as_cli_man(const as_verb *verb, FILE *out)
{
	if (!verb) {
		man_program(out);
		return;
	}
	fprintf(out, ".TH ASSAY\\-%s 1\n.SH NAME\nassay\\-%s \\- ", verb->name, verb->name);
	roff(verb->summary, out);
	fprintf(out, "\n.SH SYNOPSIS\n\\fBassay %s\\fR [\\fIOPTIONS\\fR] %s\n.SH DESCRIPTION\n", verb->name,
		verb->arguments);
	roff(verb->description, out);
	fputs("\n.SH OPTIONS\n", out);
	man_options(verb->options, out);
	fputs(".SH COMMON OPTIONS\n", out);
	man_options(common, out);
	if (verb->examples[0]) {
		fputs(".SH EXAMPLES\n.nf\n", out);
		roff(verb->examples, out);
		fputs(".fi\n", out);
	}
	fputs(".SH EXIT STATUS\n0 done; 1 done, and the answer is no; 2 wrong usage; 3 bad input file; 4 plugin missing or failed; "
	      "5 server or model unreachable; 130 interrupted.\n"
	      "An interrupt (^C) waits for the plugins' operations under way; a second one ends at once.\n.SH SEE ALSO\n.BR assay (1)\n",
	      out);
}
