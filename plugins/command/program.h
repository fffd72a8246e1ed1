/* What the command implementations of all roles share: options, and a program that is started when it is needed and
 * given up when it is of no use. Protocol: assay/command.h, sdk/command.md. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <assay/command.h>
#include <assay/plugin.h>
#include <assay/text.h>

/* Schema of the options, the same for all. */
extern const char program_options[];

/* What it may ask while it works on a request; payload as given to program_ask. NULL: nothing. */
typedef int program_question(void *payload, assay_call *call, assay_str op, const assay_json *params,
			     assay_json **result, assay_error *err);

struct program {
	const assay_host *host;
	const assay_json_api *json;
	const char *role;
	program_question *question;
	void *payload; /* of the request that is being worked on */
	assay_json *options;
	const char **argv;      /* NULL-terminated; the texts are the options' */
	char **env;             /* NULL-terminated, owned; NULL: none */
	assay_command *running; /* NULL: not running */
};

int program_open(const assay_host *host, const assay_json *options, const char *role, program_question *question,
		 void **self, assay_error *err);
void program_close(void *self);

/* Start it unless it is running. */
int program_start(struct program *p, assay_call *call, assay_error *err);

/* One request, to a program that is started for it. *refusal is the program's own error object (free it): it goes on.
 * After any other failure it was given up, and the next request starts another. */
int program_ask(struct program *p, assay_call *call, const char *op, const assay_json *params, void *payload,
		assay_json **result, assay_json **refusal, assay_error *err);
/* The same, for roles that make nothing of a refusal but an error with its message. */
int program_must(struct program *p, assay_call *call, const char *op, const assay_json *params, void *payload,
		 assay_json **result, assay_error *err);
/* No longer of use: what it said was not in order. Answers rc. */
int program_give_up(struct program *p, int rc);

#endif
