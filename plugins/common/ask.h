/* Asking the model for an answer of a given shape, for modules whose shape is a text. Thread: that of the call. */
#ifndef PLUGINS_COMMON_ASK_H
#define PLUGINS_COMMON_ASK_H

#include <assay/host.h>
#include <assay/structured.h>

/* As assay_structured_api's ask. question: without a schema; schema: JSON Schema as text, a literal of the module. */
static inline int ask_for(const assay_host *host, assay_call *call, assay_question question, assay_str schema,
			  assay_json **answer, assay_error *err)
{
	const assay_structured_api *structured = host->service("structured", 1);
	assay_json *shape = NULL;
	int rc;
	if (!structured) {
		return host->fail(err, ASSAY_ENOTSUP, "this host cannot ask for structured answers");
	}
	rc = host->json->parse(schema, ASSAY_JSON_STRICT, &shape, err);
	if (rc == 0) {
		question.schema = shape;
		rc = structured->ask(call, &question, answer, err);
	}
	host->json->free(shape);
	return rc;
}

#endif
