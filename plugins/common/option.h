/* Texts among a module's options, which do not outlive its opening: kept for the instance. In the header, as most
 * modules need nothing else of what they share. Thread: any. */
#ifndef PLUGINS_COMMON_OPTION_H
#define PLUGINS_COMMON_OPTION_H

#include <assay/host.h>
#include <string.h>

/* A copy for host->free; none of an empty text. ASSAY_ENOMEM. */
static inline int option_keep(const assay_host *host, assay_str text, assay_text *out, assay_error *err)
{
	if (text.len == 0) {
		return 0;
	}
	out->ptr = host->alloc(text.len + 1);
	if (!out->ptr) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	memcpy(out->ptr, text.ptr, text.len);
	out->len = text.len;
	return 0;
}

/* What a model is told: the option "prompt", whose text the host reads from its file (guide, "Prompts"). */
static inline int option_keep_prompt(const assay_host *host, const assay_json *options, assay_text *out,
				     assay_error *err)
{
	const assay_json_api *J = host->json;
	return option_keep(host, J->str(J->get(J->get(options, "prompt"), "text")), out, err);
}

/* The same in the schema of a module's options. about: a literal. */
#define OPTION_PROMPT(about)                                                                                           \
	"\"prompt\":{\"type\":\"object\",\"additionalProperties\":false,\"description\":\"" about                      \
	"\",\"properties\":{\"file\":{\"type\":\"string\"},\"label\":{\"type\":\"string\"},"                           \
	"\"text\":{\"type\":\"string\",\"minLength\":1}}}"

#endif
