/* Is a distiller's body a task? Private to core/task. */
#ifndef AS_TASK_CHECK_H
#define AS_TASK_CHECK_H

#include "core/task/catalogue.h"

/* ASSAY_EDATA with pointer and reason; see as_task_make. */
int as_task_check_body(const assay_json *body, const as_catalogue *catalogue, assay_error *err);

#endif
