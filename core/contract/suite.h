/* What the parts of the suite share, within the child process. */
#ifndef AS_SUITE_H
#define AS_SUITE_H

#include "core/contract/inputs.h"
#include "core/contract/trial.h"

#define AS_SUITE_FAULT 77 /* exit status after a memory fault that was explained */

typedef struct suite {
	const as_module_impl *mi;
	const assay_host *host;
	as_registry *registry;
	as_trial_report report;
	size_t number, from; /* of checks: the next one, the first to run */
	const char *workdir;
	const char *beside;            /* folder of the file of options; NULL: there is none */
	const assay_json *all_options; /* {"ROLE/NAME": {...}} or NULL */
	bool trial;                    /* plain inputs only */
	bool given;                    /* there are options for this implementation */
	assay_json *options;           /* complete */
	as_input *inputs;
	size_t n_inputs;
} suite;

/* Announce the next check; false: it is not to be run. */
bool as_suite_begin(suite *s, const char *operation, const char *input);

/* Are the options that were given in order, and for plugins that there are? What is wrong is told. */
bool as_suite_given(suite *s, as_module *m);
/* Find the options to open the implementation with; false, and a note, when it needs some that nobody gave. */
bool as_suite_options(suite *s);
/* Open it with each option at its limits. */
void as_suite_option_values(suite *s);

#endif
