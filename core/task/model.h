/* The file formats of DynamicMCPBench (reference page part 1), as tables, and one reader for all of them. Thread: any;
 * the tables are constant. */
#ifndef AS_MODEL_H
#define AS_MODEL_H

#include "core/base/json.h"

/* What a field holds. Values are taken as pydantic takes them: an int also as "3", 3.0 and true, a real also as "1.5",
 * a bool also as 0, 1 and the words yes, no, on, off, t, f, y, n. Texts and enums are exact. */
enum as_field_type {
	AS_FIELD_ANY,
	AS_FIELD_TEXT,
	AS_FIELD_INT,
	AS_FIELD_REAL,
	AS_FIELD_BOOL,
	AS_FIELD_UUID,
	AS_FIELD_TIME,
	AS_FIELD_ENUM,   /* words: the members */
	AS_FIELD_OBJECT, /* free */
	AS_FIELD_LIST,   /* free */
	AS_FIELD_TEXTS,
	AS_FIELD_TEXT_MAP,
	AS_FIELD_MODEL,
	AS_FIELD_MODELS,      /* list of model */
	AS_FIELD_MODEL_MAP,   /* object of model */
	AS_FIELD_MODEL_LISTS, /* object of lists of model */
	AS_FIELD_UNION        /* list of models told apart by their member "kind" */
};

#define AS_FIELD_REQUIRED 1u
#define AS_FIELD_NULLABLE 2u
#define AS_FIELD_NOT_EMPTY 4u /* of a list */

typedef struct as_field {
	const char *key;
	enum as_field_type type;
	uint32_t flags;
	const char *otherwise;        /* JSON text of the default; NULL: null. Of a UUID: made of the content */
	const char *const *words;     /* ended by NULL */
	const struct as_model *model; /* UNION: an array ended by a NULL name, whose names are the kinds */
} as_field;

typedef struct as_model {
	const char *name;
	bool open;                                              /* keeps unknown keys; else they are an error */
	const as_field *fields;                                 /* ended by a NULL key */
	int (*check)(const assay_json *made, assay_error *err); /* what the fields cannot say; may be NULL */
} as_model;

/* Read a document as the model says: checks every field, fills in defaults, puts the keys in the model's order, and
 * spells scalars as a dump of the reference does, so that ASSAY_JSON_COMPACT writes its bytes. *out is the caller's.
 * ASSAY_EDATA with pointer: what was found and what was expected. */
int as_model_read(const as_model *model, const assay_json *document, assay_json **out, assay_error *err);

/* A copy with every number spelled as in a dump: 1.50 becomes 1.5, 1E3 becomes 1000.0, NaN null. NULL: no memory. */
assay_json *as_model_free_value(const assay_json *v);

extern const as_model as_model_trace, as_model_task, as_model_result, as_model_goals, as_model_manifest,
	as_model_catalogue_entry;

/* The files "catalog.json": an object of catalogue entries by server id. */
int as_catalogue_file_read(const assay_json *document, assay_json **out, assay_error *err);

/* Text of a manifest as the reference writes it: nulls left out, two-space indent, non-ASCII escaped. */
int as_model_write_manifest(const assay_json *manifest, as_buf *out);

#endif
