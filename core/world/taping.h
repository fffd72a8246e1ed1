/* Taping: calls as they were made, with the states that they were made in and led to, until they become a tape (design
 * page "replay", rules 2 to 5). Calls come in walks that start at the initial state. Thread: one. */
#ifndef AS_TAPING_H
#define AS_TAPING_H

#include "core/task/catalogue.h"
#include "core/world/world.h"

typedef struct as_taping as_taping;

/* The calls of a finished trace, the first walk. A trace that says no versions gets those of the path. */
int as_taping_new(const as_trace *trace, const as_catalogue *catalogue, as_taping **out, assay_error *err);
void as_taping_free(as_taping *t);

/* Where the next call is made: in the initial state; or where the mark was set. */
void as_taping_rewind(as_taping *t);
void as_taping_mark(as_taping *t);
void as_taping_return(as_taping *t);

/* A call that was made to fill the tape. restored: not at the end of a walk of its own, but in a copy of a state. The
 * answer's parts are copied. */
int as_taping_fill(as_taping *t, assay_str server, assay_str tool, const assay_json *arguments, const as_answer *answer,
		   bool restored, assay_error *err);
/* Is there an answer to this call at a version? canonical: of its arguments. */
bool as_taping_knows(const as_taping *t, const char *version, assay_str server, assay_str tool, assay_str canonical);
/* The version that a server's group starts at as far as any call tells; empty: none does. */
assay_str as_taping_initial(const as_taping *t, assay_str server);
bool as_taping_writes(const as_taping *t, assay_str server, assay_str tool); /* unknown tools: true */
/* Is it a read whose schema takes these arguments? */
bool as_taping_can_read(const as_taping *t, assay_str server, assay_str tool, const assay_json *arguments);

/* The tape. In a group where one read shows two results at one version, versions are those of the path, and calls in
 * copies of a state are left out: whatever it was that differed, a copy may not have had it. */
int as_taping_finish(const as_taping *t, as_tape **out, assay_error *err);

/* All of it for a trace and no fill. */
int as_tape_of_trace(const as_trace *trace, const as_catalogue *catalogue, as_tape **out, assay_error *err);

#endif
