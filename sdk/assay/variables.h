/* Assay SDK, service "variables" (host->service("variables", 1)), for operations that reach a model.
 *
 * A plugin does not read the environment, and it does not see keys. It writes ${NAME} in the URL or a header's value of
 * an HTTP request, or in a variable of a child process, and the host puts the value of the variable NAME there: from
 * the environment, else from the file .env beside the manifest. In a header, a value with commas is a list of keys,
 * which take turns from request to request; a key that was refused or is used up is left out as long as there is
 * another. In front of a slash, a value loses those at its end. Values that were put in like this never come back: what
 * a peer answers is cleaned of them. */
#ifndef ASSAY_VARIABLES_H
#define ASSAY_VARIABLES_H

#include <assay/types.h>

typedef struct assay_variables_api {
	uint32_t size;
	uint32_t reserved;
	/* 1: set, and not empty; 0: not; ASSAY_ENOTSUP where there are none. */
	int (*is_set)(assay_call *call, const char *name);
} assay_variables_api;

#endif
