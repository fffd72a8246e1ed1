/* The contract suite: does a module keep to what sdk/assay asks of plugins? Every implementation in it is put through
 * every operation with plain, empty, huge, wordy and malformed inputs; cancelled, timed out and short of memory; twice,
 * with the same seed; two at once. What the module does is watched: memory (fence.h), what it is lent (region.h), what
 * it prints, whether it comes back. All of this happens in a child process, which is started again behind what killed
 * it.
 */
#ifndef AS_CONTRACT_H
#define AS_CONTRACT_H

#include "core/plugin/registry.h"

typedef struct as_contract_options {
	const char *file;          /* absolute path of a module, or the name of one that is linked in */
	const assay_json *options; /* {"ROLE/NAME": {...}}; NULL: none */
	const char *options_file;  /* where they stand, for messages; NULL: nowhere */
	/* "NAME=value": what ${NAME} in the options stands for, where a run would fill it in; NULL-terminated, NULL:
	 * none. */
	const char *const *variables;
	int64_t limit_ms;          /* for one check; 0: 10 s */
	const char *const *worker; /* argv that runs as_contract_worker from the number that is appended on */
	const char *log;           /* file that a tool such as valgrind in `worker` writes to; NULL: none */
	const as_cancel *cancel;
} as_contract_options;

/* Check it. *report:
 * {"file","module","version","checks":n,"failures":n,"implementations":[{"use","services","checks":n,
 * "failures":[{"operation","input","problem"}],"notes":[text]}]}. ASSAY_EPLUGIN: it cannot be loaded. ASSAY_EDATA: the
 * options are not in order. */
int as_contract_check(const as_contract_options *options, assay_json **report, assay_error *err);

/* The child's side: run the checks from number `from` on, telling each step as a line on `out`. Ends the
 * process. */
#define AS_CONTRACT_WATCH 1u /* notice which services are looked at: not under valgrind, which would object */
#define AS_CONTRACT_TRIAL 2u /* only open it, and run each operation once with a plain input */
/* registry: for the HTTP service, which implementations with options of their own are offered: these say whom to ask.
 * beside: folder in which programs start that such options name; NULL: the folder of the check. */
_Noreturn void as_contract_worker(as_registry *registry, const char *file, const assay_json *options,
				  const char *beside, size_t from, uint32_t flags, int out);

#endif
