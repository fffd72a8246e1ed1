/* A trace: one recorded session as a document in DynamicMCPBench's format (reference page 1.1, an open model), with a
 * typed view of the agent's calls. What is ours lies under "seed_metadata"/"assay" and, per step, under "assay":
 * {"served": "live"|"exact"|..., "version": text, "next": text where the call moved it, "asked": [{"method","params",
 * "result" or "error"}] where the server asked something of its client meanwhile, "unfit": text where structuredContent
 * does not fit the tool's outputSchema}. Calls that never reached the world
 * are listed under "seed_metadata"/"assay"/"refused" as {"name","arguments","text","before_step"}; they are no steps.
 * Among them are the calls that an exposure answered itself, with "answered": true.
 *
 * Time stamps in a stored trace are virtual (epoch plus one second a step), so that equal sessions give equal bytes;
 * the wall clock is in the store's timing rows. Thread: a finished trace is constant. */
#ifndef AS_TRACE_H
#define AS_TRACE_H

#include "core/base/json.h"
#include <assay/roles/scorer.h>

typedef struct as_trace as_trace;

/* Take over a parsed document. ASSAY_EDATA with pointer: not a trace (fields of wrong type). Missing optional fields
 * are fine, unknown ones are kept. */
int as_trace_from_json(assay_json *document, as_trace **out, assay_error *err);
int as_trace_parse(assay_str text, as_trace **out, assay_error *err);
/* As as_trace_parse, with no more of the document than scoring needs: what only other uses need is checked to be JSON
 * and left out. Limits and notes as in as_json_parse_with (their `without` is not used); both may be NULL. */
int as_trace_parse_lean(assay_str text, const as_json_limits *limits, as_json_notes *notes, as_trace **out,
			assay_error *err);
void as_trace_free(as_trace *t);

/* What a recorder starts from. seed_metadata is taken over (NULL: {}). */
int as_trace_new(assay_str goal, assay_json *seed_metadata, as_trace **out, assay_error *err);

/* One call to append. All values are taken over; all but arguments may be NULL. */
typedef struct as_call_record {
	assay_str server, tool;
	assay_json *arguments;
	assay_json *result;
	assay_json *error; /* StepError */
	assay_json *asked; /* what the server asked of its client meanwhile, and was told; NULL: nothing */
	assay_json *unfit; /* how the result breaks its tool's outputSchema, a string; NULL: it does not */
	uint32_t status;   /* ASSAY_STEP_... */
	uint32_t served;   /* ASSAY_SERVED_... */
	assay_str version; /* world version of the server's group before the call; may be empty */
	assay_str next;    /* and after it; empty: as before */
} as_call_record;
int as_trace_add_call(as_trace *t, as_call_record *record, int64_t *step_id, assay_error *err);
/* A call that never reached the world: nothing of that name is on offer. */
int as_trace_add_refused(as_trace *t, assay_str name, const assay_json *arguments, assay_str text, assay_error *err);
/* A call that never reached the world because the exposure answered it itself. */
int as_trace_add_answered(as_trace *t, assay_str name, const assay_json *arguments, assay_str text, assay_error *err);
/* Server surface and fingerprint: tools is an array of ToolSpec, fingerprint a ServerFingerprint. Both are taken over,
 * also on failure; NULL stands for memory that was out. A second one of the same server is dropped. */
int as_trace_add_server(as_trace *t, assay_str server, assay_json *fingerprint, assay_json *tools, assay_error *err);
/* Set seed_metadata[key]; value is taken over. */
int as_trace_set_metadata(as_trace *t, const char *key, assay_json *value, assay_error *err);
/* Set seed_metadata.assay[key]; value is taken over. */
int as_trace_set_ours(as_trace *t, const char *key, assay_json *value, assay_error *err);
/* Fix the id (UUID from the content) and the view. Whoever changes it after that gets ASSAY_EINTERNAL. */
int as_trace_finish(as_trace *t, assay_error *err);

/* The id that follows from a trace's content, its "trace_id" being empty meanwhile. */
int as_trace_content_id(const assay_json *document, char out[37], assay_error *err);

const assay_json *as_trace_document(const as_trace *t);
assay_str as_trace_id(const as_trace *t);
const assay_step *as_trace_steps(const as_trace *t, size_t *n); /* agent calls in trace order */
/* tool = the name asked for, server empty; success when the exposure answered it, else error */
const assay_step *as_trace_refused(const as_trace *t, size_t *n);
assay_str as_trace_final_message(const as_trace *t); /* empty when there is none */

/* The subject that scorers get; borrows everything. server_tags may be NULL. */
void as_trace_subject(const as_trace *t, const assay_json *task, const assay_json *server_tags, assay_subject *out);

/* Rendered text of a result (reference page 4.4): text parts joined by LF, else the JSON fallback. */
int as_render_result(const assay_json *result, as_buf *out);
bool as_has_text_part(const assay_json *result);
/* Is that text the one of a single part, as it stands there? Then *out borrows it. */
bool as_render_is_part(const assay_json *result, assay_str *out);
/* What the model gets to read (reference page 7.1): text parts joined by LF else raw JSON; "[tool error] " before an
 * error; cut at `cut` characters (0: never) with a suffix that tells how many are missing. */
int as_render_for_model(const assay_json *result, bool is_error, size_t cut, as_buf *out);

const char *as_served_name(uint32_t served);  /* "exact" */
uint32_t as_served_from_name(assay_str name); /* ASSAY_SERVED_LIVE when unknown */

#endif
