/* One instance of an implementation under test, and calls of its operations with everything lent to it guarded.
 * Used in the child process that checks a module (core/contract/suite.c). */
#ifndef AS_TRIAL_H
#define AS_TRIAL_H

#include "core/contract/region.h"
#include "core/contract/surroundings.h"
#include "core/plugin/call.h"
#include "core/plugin/module.h"
#include "core/plugin/registry.h"

#define AS_TRIAL_CANCELLED 1u   /* the call is cancelled before it begins */
#define AS_TRIAL_CANCEL 2u      /* it is cancelled while the first service of the run waits */
#define AS_TRIAL_DEADLINE 4u    /* the first service of the run waits until the deadline has passed */
#define AS_TRIAL_STOP 8u        /* the sink answers ASSAY_STOP */
#define AS_TRIAL_SINK_FAILS 16u /* the sink fails */
#define AS_TRIAL_NO_ERROR 32u   /* err is NULL */
#define AS_TRIAL_LENIENT 64u    /* what comes out need not be in order: the input is not, or memory is short */

#define AS_TRIAL_MUST 128u /* the input is a plain one: it must be taken */

#define AS_TRIAL_CLOSED 78 /* exit status when there is nowhere left to tell anything: the module has closed it */

/* Where findings go: to the parent process, a line each; tabs part the fields of a line. */
typedef struct as_trial_report {
	int fd;
	int noise;      /* what the module prints comes out here */
	bool any;       /* something was found wrong */
	size_t notices; /* bytes of a sanitizer's log that were told */
	pid_t pid;      /* of the child that tells */
	as_surroundings around;
} as_trial_report;
void as_trial_tell(as_trial_report *r, const char *word, const char *format, ...) ASSAY_PRINTF(3, 4);

typedef struct as_trial {
	const as_module_impl *mi;
	const assay_host *host;
	as_registry *registry; /* NULL: there is nobody to speak HTTP with */
	const as_http_ops *http;
	as_http_client *client; /* NULL until it is used */
	as_trial_report *report;
	const char *operation; /* that is running */
	const char *ran;       /* the last one that was the matter of a check; NULL: none */
	void *ops;             /* zero-extended table */
	void *self;
	bool open;
	/* Of the current call. */
	uint32_t mode;
	uint64_t seed;
	const char *workdir;
	const char *beside; /* folder where programs start; NULL: the work folder */
	const assay_json *input;
	as_call call;
	as_call_hooks hooks; /* of it */
	as_rng rng;
	as_cancel *cancel;
	bool told; /* a service has answered that the call is over */
	size_t n_asked, n_acts;
	as_region *lent;
	assay_error *err; /* handed to operations: NULL with AS_TRIAL_NO_ERROR */
	assay_error error;
	const assay_json *offers;
} as_trial;

/* What an operation does with an input: fills `out` with all that it answered, in a form that can be compared, and
 * answers its result code. */
typedef struct as_trial_operation {
	uint32_t role;
	const char *name;
	size_t offset; /* of the function in the table; an absent one is not run */
	bool plain_only;
	int (*run)(as_trial *t, as_buf *out);
} as_trial_operation;
extern const as_trial_operation as_trial_operations[]; /* ended by role 0 */

/* Say that something is wrong with the running operation. */
void as_trial_wrong(as_trial *t, const char *format, ...) ASSAY_PRINTF(2, 3);
/* Another operation begins: what the one before has printed, or done to memory, is told first. */
void as_trial_enter(as_trial *t, const char *operation);
void as_trial_settle(as_trial *t); /* tell it now */

/* Open with options (complete, as the host would give them); false and a finding when that is not in order. */
bool as_trial_open(as_trial *t, const assay_json *options, uint32_t mode);
void as_trial_close(as_trial *t);

/* Run one operation; out may be NULL. `lent` is filled, sealed and, unless the caller wants it later, killed. */
int as_trial_run(as_trial *t, const as_trial_operation *op, const assay_json *input, uint32_t mode, as_buf *out);

/* A sink that collects, checks each value against the role's schema and answers as the mode says. */
typedef struct as_trial_sink {
	as_collect got;
	as_trial *trial;
	assay_json *written; /* the schema of the role's values; NULL: none */
	as_schema *schema;   /* compiled */
	bool stopped;
} as_trial_sink;
void as_trial_sink_init(as_trial_sink *s, as_trial *t);
/* Check what was collected and append it to out: `least` to `most` values in order when rc is 0. */
void as_trial_sink_done(as_trial_sink *s, int rc, size_t least, size_t most, as_buf *out);

/* Answers codes must be 0 or a known negative one with a message. */
void as_trial_code(as_trial *t, int rc);

#endif
