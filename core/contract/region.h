/* What is lent to a plugin for one call: built, sealed against writing, and taken away after the call, so that who
 * writes to it, or comes back to it later, is caught in the act. Thread: a region belongs to one thread; the
 * list of those there were is the process's, as the handler of memory faults has nothing else to ask. */
#ifndef AS_REGION_H
#define AS_REGION_H

#include "core/base/json.h"
#include <assay/catalogue.h>

typedef struct as_region {
	char *base;
	size_t used, size;
	struct as_region_tool *tools; /* made so far, within the region */
	bool failed;                  /* too small, or no memory */
} as_region;

/* Room for `size` bytes; pages are only taken when they are used. */
void as_region_open(as_region *r, size_t size);
void *as_region_alloc(as_region *r, size_t size); /* zeroed, aligned; NULL sets failed */
assay_str as_region_str(as_region *r, assay_str s);
const char *as_region_cstr(as_region *r, assay_str s);
const assay_json *as_region_json(as_region *r, const assay_json *v);
/* An array of {"server","name","description","input_schema","tags","flags"}; what is missing is left empty. A tool that
 * is in several lists of one region is one object, as in a run. */
assay_tools as_region_tools(as_region *r, const assay_json *list);

void as_region_seal(as_region *r); /* from now on it can only be read */
void as_region_kill(as_region *r); /* and now not even that; its place stays reserved */
bool as_region_holds(const as_region *r, const void *address);
/* What the address of a memory fault means, or NULL. Async-signal-safe. */
const char *as_region_explain(const void *address);

#endif
