/* Scalars of the reference's files, taken and written as pydantic does. Private to core/task. */
#ifndef AS_MODEL_SCALAR_H
#define AS_MODEL_SCALAR_H

#include "core/base/json.h"

/* The value in the spelling of a dump. *out stays NULL when v is none of its kind; ASSAY_ENOMEM only. */
int as_scalar_int(const assay_json *v, assay_json **out);
int as_scalar_real(const assay_json *v, assay_json **out);
int as_scalar_bool(const assay_json *v, assay_json **out);
int as_scalar_uuid(const assay_json *v, assay_json **out);
int as_scalar_time(const assay_json *v, assay_json **out);

/* A double as in a dump; null when it is not finite. NULL: no memory. */
assay_json *as_scalar_double(double d);

#endif
