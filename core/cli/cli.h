/* What every verb is made of: a constant entry with its options, and the surroundings that it runs in. */
#ifndef AS_CLI_H
#define AS_CLI_H

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/plugin/registry.h"
#include "core/run/engine.h"
#include <stdio.h>

/* Exit codes (design page). */
#define AS_EXIT_OK 0
#define AS_EXIT_NO 1 /* done, and the answer is no */
#define AS_EXIT_USAGE 2
#define AS_EXIT_INPUT 3
#define AS_EXIT_PLUGIN 4
#define AS_EXIT_UNREACHABLE 5
#define AS_EXIT_INTERRUPTED 130
/* The exit status for one of several things that went wrong after another: what is out of reach counts most. */
int as_exit_worse(int exit, int other);
/* Of an ASSAY_E... code. What a server or a model did wrong (ASSAY_ERR_PEER) is 5, whatever the code says of it. */
int as_exit_code(int rc, const assay_error *err);

/* One option of a verb: --name, with an argument when `argument` names it. */
typedef struct as_option {
	const char *name, *argument, *help;
} as_option;

#define AS_MAX_OPTIONS 32

typedef struct as_cli {
	const struct as_verb *verb;
	const char *values[AS_MAX_OPTIONS]; /* by place in all options; "" for a given flag, NULL: not given */
	char **arguments;                   /* what is left of the command line, NULL-terminated */
	size_t n_arguments;
	bool json, quiet;
	FILE *out; /* what we print. Standard output itself is where standard error goes: plugins may print, too */
	bool expendable; /* a process in which a plugin is tried out: it may end it */
	pid_t pid;
	bool answered; /* the one JSON document is out: an error that follows is told on stderr alone */
	as_log *log;
	as_progress *progress;
	as_cancel *cancel;
	as_registry *registry; /* opened on first use: as_cli_registry */
	const char *plugin_dirs[16];
} as_cli;

typedef struct as_verb {
	const char *name, *group; /* group: heading in the list of verbs */
	const char *summary;      /* one line, no full stop */
	const char *arguments;    /* "RELEASE", "[FOLDER]", or "" */
	const char *description;  /* paragraphs for help and man page */
	const as_option *options; /* ended by a NULL name */
	const char *examples;     /* lines "command # what it does", or "" */
	bool continues;           /* interrupted, it keeps what is finished, and goes on from there */
	/* 0 or an AS_EXIT_ code of success; negative: an error that main prints. */
	int (*run)(as_cli *cli, assay_error *err);
} as_verb;

extern const as_verb *const as_verbs[]; /* NULL-terminated, in the order of the help */
const as_verb *as_verb_find(const char *name);

/* Options that all verbs share come first in values; those of the verb follow. */
const char *as_cli_option(const as_cli *cli, const char *name); /* NULL: not given */
/* A whole number option within bounds; ASSAY_EINVAL otherwise. */
int as_cli_number(const as_cli *cli, const char *name, int64_t low, int64_t high, int64_t otherwise, int64_t *out,
		  assay_error *err);

/* A verb does one of several things, named by its first argument: have the options that are for others refused. The
 * help of an option that is not for all of them begins with the names of those that it is for ("check, tools: ...").
 * whats: all the names, NULL-terminated. ASSAY_EINVAL. */
int as_cli_check_options(const as_cli *cli, const char *const *whats, const char *what, assay_error *err);

/* Read the command line of a verb. ASSAY_EINVAL with a hint; ASSAY_STOP: help was printed. */
int as_cli_parse(as_cli *cli, int argc, char **argv, assay_error *err);
void as_cli_help(const as_verb *verb, FILE *out); /* one verb */
void as_cli_overview(FILE *out);                  /* all verbs */
void as_cli_man(const as_verb *verb, FILE *out);  /* roff page; NULL: of the program */

/* Is whatever --log names there to be logged: a part of the program, a role, a server or a model of the manifest?
 * ASSAY_EINVAL. */
int as_cli_check_log(const as_cli *cli, assay_error *err);

int as_cli_registry(as_cli *cli, bool shipped_only, as_registry **out, assay_error *err);

/* Have the user agree to the commands of a manifest and the plugins outside the installed folder that are new or have
 * changed (core/run/trust.h): --trust, ASSAY_TRUST=1 (for this once) or a question on the terminal. ASSAY_EINVAL
 * without. Before any of them is opened. */
int as_cli_trust(const as_cli *cli, const as_manifest *m, as_registry *registry, assay_error *err);
/* The user has given the commands of this manifest himself. */
void as_cli_trust_written(const as_cli *cli, const char *path);

/* What the verbs of a run share: manifest, store, engine. */
typedef struct as_project {
	as_manifest *manifest;
	as_store *store, *replies; /* replies: NULL when none is given */
	as_engine *engine;
	as_buf out_dir, store_path;
	as_buf trial_dir; /* of a store that is thrown away; empty: none */
} as_project;
#define AS_PROJECT_READ 1u  /* the store must be there; nothing will be written but derived rows */
#define AS_PROJECT_TRIAL 2u /* a store that is not there is made elsewhere, and gone when the project closes */
/* Options used: AS_PROJECT_OPTIONS. */
int as_project_open(as_cli *cli, uint32_t flags, as_project *out, assay_error *err);
void as_project_close(as_project *p);

/* Printing: text on stdout unless --json or --quiet; one JSON document on stdout with --json (taken over). */
void as_say(const as_cli *cli, const char *format, ...) ASSAY_PRINTF(2, 3);
/* A line with words of strangers in it: fit for a terminal, newline added. */
void as_say_line(const as_cli *cli, const char *format, ...) ASSAY_PRINTF(2, 3);
int as_say_table(const as_cli *cli, assay_json *table, assay_error *err); /* taken over */
int as_say_json(const as_cli *cli, assay_json *value, assay_error *err);
/* The leaderboard of a report model as a table, with its captions. */
int as_say_leaderboard(const as_cli *cli, const assay_json *model, assay_error *err);
/* What the categories lack, by name. */
int as_say_shortfall(const as_cli *cli, const assay_json *model, uint64_t shortfall, assay_error *err);
/* Where there were attempts and every one is void, or some that this command should have made: ASSAY_EUNREACH, in
 * words. */
int as_check_valid(const as_engine *e, const assay_json *model, assay_error *err);
/* "void_causes" of a verb's JSON: why tries of this command were void. */
int as_add_void_causes(const as_engine *e, assay_json *out, assay_error *err);
/* The figures of a project: the leaderboard on the terminal, the whole report model as JSON. As as_check_valid. */
int as_say_figures(as_cli *cli, const as_project *p, assay_error *err);
/* Make the attempts that are wanted, *made of them. Where no money is left (ASSAY_ELIMIT), what is there is told all
 * the same. */
int as_evaluate(as_cli *cli, const as_project *p, uint64_t *made, assay_error *err);

/* What as_lines notes (core/run/lines.h) on stderr: a thousand lines at most, how many more at the end. The payload is
 * an as_notes. */
typedef struct as_notes {
	const as_cli *cli;
	uint64_t n;
} as_notes;
void as_notes_put(void *payload, const assay_error *what, bool passed_over);
void as_notes_end(const as_notes *notes);

/* Data that ships: contrib in the build tree (ASSAY_DATA_DIR), $(pkgdatadir) when installed. */
const char *as_data_dir(void);

#endif
