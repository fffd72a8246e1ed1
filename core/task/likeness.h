/* How alike the tools of a catalogue are, by their words and by their names (reference page 5.3): worked out over an
 * index that is made once, with the same results as as_jaccard and as_ratio give. Thread: constant once built. */
#ifndef AS_LIKENESS_H
#define AS_LIKENESS_H

#include "core/base/memory.h"
#include <assay/host.h>

typedef struct as_likeness as_likeness;

/* Of all tools, sorted by (server, name), which have to live as long as it. */
int as_likeness_new(assay_tools all, as_likeness **out, assay_error *err);
void as_likeness_free(as_likeness *l);

/* As sampler->rate of assay/host.h. */
int as_likeness_rate(const as_likeness *l, uint32_t by, double least, assay_tools required, assay_tools candidates,
		     double *scores, uint32_t *places, assay_error *err);

#endif
