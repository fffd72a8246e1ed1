/* The live world: real MCP servers on freshly prepared environments. Servers start on their first call. */
#ifndef AS_LIVE_H
#define AS_LIVE_H

#include "core/mcp/session.h"
#include "core/plugin/registry.h"
#include "core/task/catalogue.h"
#include "core/world/quota.h"
#include "core/world/world.h"

typedef struct as_environment_spec {
	const char *name; /* as in the manifest */
	const char *use;  /* "environment/folder" */
	const assay_json *options;
	uint32_t capacity; /* most in use at once; 0: no limit */
} as_environment_spec;

typedef struct as_server_spec {
	const char *id;
	const char *use;                        /* "transport/stdio" */
	const assay_json *launch;               /* the record of mcpServers, variables not yet expanded */
	int server_class;                       /* AS_CLASS_... */
	const as_environment_spec *environment; /* NULL: none */
	const assay_json *sandbox;              /* core/world/sandbox.h; NULL: none */
	as_mcp_limits limits;
	as_mcp_options session; /* its memory outlives all worlds */
} as_server_spec;

/* What live worlds share. Borrowed by them. */
typedef struct as_estate {
	as_registry *registry;
	const as_server_spec *servers;
	size_t n_servers;
	const char *base_dir; /* the manifest's folder: relative commands, paths and children start here */
	const char *work_dir; /* environments are made below it, each in a folder of its own */
	/* The value of a ${NAME} variable (environment, then .env), or NULL. */
	const char *(*variable)(void *payload, const char *name);
	void *payload;
	as_redactor *redactor; /* the secrets among these values: servers' texts are cleaned of them; NULL: none */
	as_quota *quota;       /* kind 0: server processes; kind 1 + i: environments[i]; NULL: no limits */
	const as_environment_spec *environments; /* array that the servers' environments point into */
	size_t n_environments;
	const as_catalogue *catalogue; /* for effect classes; NULL while the catalogue is being taken */
} as_estate;

/* Only servers named in `servers` (array of ids; NULL: all) can be called. Environments are prepared here. */
int as_live_open(const as_estate *estate, const assay_json *servers, as_call *call, as_world **out, assay_error *err);

/* Start one server of a live world and describe it: {"fingerprint": ServerFingerprint without wall clock, "tools":
 * [...], "instructions": text or null, "noise": n, "start_ms": until it was ready, "list_ms"}. */
int as_live_describe(as_world *w, as_call *call, assay_str server, assay_json **out, assay_error *err);

/* For the fill (fill.h). Does a server's state lie in an environment, so that a reset brings it back? */
bool as_live_restorable(as_world *w, assay_str server);
/* Or has it none that calls change, so that it can be read at any time? */
bool as_live_readable(as_world *w, assay_str server);
/* The version that a server's group is at; empty for servers that this world has not. */
const char *as_live_version(as_world *w, assay_str server);
/* Keep a copy of all environments' state, in place of an earlier one, and put it back, versions included; servers are
 * stopped and start again on their next call. ASSAY_ENOTSUP: an environment keeps none. */
int as_live_snapshot(as_world *w, as_call *call, assay_error *err);
int as_live_restore(as_world *w, as_call *call, assay_error *err);

/* Expand ${NAME}, ${NAME:-default} and ${env:SERVER_OR_ENVIRONMENT.key} in every string of a launch record. bindings:
 * {environment name: {key: value}}. ASSAY_EDATA names the variable that is missing and where it is used. */
int as_launch_expand(const as_estate *estate, const as_server_spec *server, const assay_json *bindings,
		     assay_json **out, assay_error *err);

#endif
