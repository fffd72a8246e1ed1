/* The three demo servers as live worlds have them, on the demo's states, and their catalogue: for programs that need
 * real servers and no project around them. Whatever goes wrong ends the program. Thread: one. */
#ifndef DEMO_ESTATE_H
#define DEMO_ESTATE_H

#include "core/world/live.h"

enum { DEMO_NOTES, DEMO_SHOP, DEMO_ALMANAC, DEMO_SERVERS };

typedef struct demo_estate {
	as_registry *registry;
	as_server_spec servers[DEMO_SERVERS];
	as_environment_spec environments[2];
	as_estate estate;
	as_buf work;
	as_catalogue *catalogue;
} demo_estate;

void demo_estate_open(demo_estate *d);
void demo_estate_close(demo_estate *d);
as_world *demo_world_open(demo_estate *d);
void demo_world_close(as_world *w); /* NULL is fine */

/* Make a call and take it down. told: with its versions, as the recorder does. */
void demo_record(as_world *w, as_trace *trace, bool told, assay_str server, assay_str tool,
		 const assay_json *arguments);

/* Everything here has to work. */
void demo_must(int rc, const assay_error *err);
assay_json *demo_json(const char *text);

#endif
