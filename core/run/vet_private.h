/* Private to the vetting. */
#ifndef AS_VET_PRIVATE_H
#define AS_VET_PRIVATE_H

#include "core/run/vet.h"

/* Values that may serve as arguments: {"key", "value", "tool"}, oldest first. */
typedef struct vet_pool {
	assay_json *seen;
	assay_json *dependencies; /* {"producer", "consumer", "field", "via_key"} */
} vet_pool;

/* Arguments for the required properties of a tool. try 0: of values that fit alike the first that was seen; 1: the
 * last, 2: the last but one, and so on. *ready: every id-like parameter found a value. consumer: dependencies are noted
 * under its name; empty: none are. */
int vet_arguments(const vet_pool *pool, const assay_tool *tool, size_t try, assay_str consumer, assay_json **out,
		  bool *ready, assay_error *err);
/* Keep id-like scalars of an answer, and of the arguments that made it. */
int vet_harvest(vet_pool *pool, assay_str tool, const assay_json *arguments, const assay_json *result);

/* The class that a tool suggests by itself; what its annotations say comes before its name, unless that destroys:
 * a hint is the server's own word. camelCase is taken apart first. */
int vet_class_of(const assay_tool *t);
/* What a class is proposed for: {"declared", "proposed", "reason"}. */
assay_json *vet_class(const as_server_spec *server, assay_tools tools);
/* "credentials", "program" or "configuration" when an answer says that something like that is missing, or NULL. */
const char *vet_missing(assay_str text);
/* What is odd in descriptions, schemas and annotations, appended to smells. */
int vet_smells(assay_tools tools, const assay_json *listed, assay_json *smells);
int vet_smell(assay_json *smells, assay_str tool, const char *where, const char *format, ...) ASSAY_PRINTF(4, 5);
/* Does an answer fit the tool's own output schema? */
int vet_check_output(const assay_tool *tool, const assay_json *result, assay_json *smells);

#endif
