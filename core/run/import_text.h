/* Private to the import: texts with variables in them, and what must not be copied. */
#ifndef AS_IMPORT_TEXT_H
#define AS_IMPORT_TEXT_H

#include "core/run/import.h"
#include "core/run/variables.h"

typedef struct importer {
	const as_import_options *o;
	assay_json *inputs;    /* VS Code's, {id: input} */
	as_buf workspace;      /* absolute folder that the file belongs to */
	as_buf target;         /* absolute folder of the manifest */
	as_variables *known;   /* what the environment and .env give */
	assay_json *secrets;   /* {NAME: value} */
	assay_json *variables; /* {NAME: {...}} of the report */
	assay_json *given;     /* {id: name in the file} */
	assay_json *notes;     /* of the server at hand */
	assay_str id;          /* of the server at hand */
	assay_str command;     /* its program's name */
	as_buf pointer;        /* to the server at hand */
} importer;

/* Translate ${...} of other programs into the manifest's; literal secrets become variables. `key` is where the text
 * stands ("args/0"); name: what it is the value of (a variable, a header, the flag before an argument), or empty. */
int as_import_text(importer *x, const assay_json *value, const char *key, assay_str name, assay_json **out,
		   assay_error *err);
/* Give each of the inputs the name of the variable that it becomes, as its member of this name. ASSAY_ENOMEM. */
#define AS_INPUT_NAME " variable"
int as_import_name_inputs(importer *x);
int as_import_note(importer *x, const char *format, ...) ASSAY_PRINTF(2, 3);
/* Fail at a value of the file: line, pointer to the server plus `key`. */
int as_import_fail(importer *x, const assay_json *at, const char *key, assay_error *err, const char *format, ...)
	ASSAY_PRINTF(5, 6);

#endif
