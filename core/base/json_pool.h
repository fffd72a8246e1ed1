/* A pool of frozen values: equal ones that are put into it lie in memory once. It forgets what nobody else holds any
 * more. Thread: any. */
#ifndef AS_JSON_POOL_H
#define AS_JSON_POOL_H

#include "core/base/json.h"

typedef struct as_json_pool as_json_pool;
int as_json_pool_new(as_json_pool **out, assay_error *err);
void as_json_pool_free(as_json_pool *p); /* values that came out of it live on */

/* What lies under a key, NULL: nothing (any more). The key says all that the value depends on. */
assay_json *as_json_pool_get(as_json_pool *p, assay_str key);
/* Freeze v (taken over, also on failure) and put it under a key, by which it is found next time; answers it, or what
 * lies there already. An empty key: its own text. With p NULL it is frozen and nothing else. NULL when v is, or when
 * memory is out. */
assay_json *as_json_pool_put(as_json_pool *p, assay_str key, assay_json *v);

#endif
