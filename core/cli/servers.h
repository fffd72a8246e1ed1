/* What the parts of "assay servers" share. */
#ifndef AS_CLI_SERVERS_H
#define AS_CLI_SERVERS_H

#include "core/cli/cli.h"
#include "core/run/context.h"

/* A manifest with an engine, but without a store: nothing is kept. */
typedef struct as_visit {
	as_manifest *manifest;
	as_engine *engine;
	as_worker **workers; /* engine->jobs of them */
} as_visit;

int as_visit_open(as_cli *cli, as_visit *v, assay_error *err);
void as_visit_close(as_visit *v);
/* Is a server among those that the command line names? Naming none means all. */
bool as_visit_wants(const as_cli *cli, const char *id);

/* A world with one server, and the context that it runs in. */
int as_visit_world(const as_visit *v, uint32_t worker, const char *id, as_context *c, assay_error *err);
void as_visit_leave(as_context *c);

int as_servers_check(as_cli *cli, const as_visit *v, assay_error *err);
int as_servers_import(as_cli *cli, assay_error *err);

#endif
