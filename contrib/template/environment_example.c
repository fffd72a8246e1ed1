/* environment/example: a folder with one file in it, made anew for every attempt. Launch records find it as
 * ${env:NAME.dir}. */
#include <assay/plugin.h>
#include <assay/roles/environment.h>
#include <assay/text.h>
#include <stdio.h>

struct environment {
	const assay_host *host;
	assay_json *text;
};

static void close_environment(void *self)
{
	struct environment *e = (struct environment *)self;
	if (e) {
		e->host->json->free(e->text);
		e->host->free(e);
	}
}

static int open_environment(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct environment *e = (struct environment *)host->alloc(sizeof *e);
	assay_json *text =
		host->json->clone(host->json->get(options, "text")); /* options are lent for this call only */
	if (!e || !text) {
		host->free(e);
		host->json->free(text);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	e->host = host;
	e->text = text;
	*self = e;
	return 0;
}

static int prepare(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
		   assay_error *err)
{
	struct environment *e = (struct environment *)self;
	const assay_json_api *J = e->host->json;
	char path[4096];
	(void)state; /* cleanup gets what is put here; we need nothing */
	snprintf(path, sizeof path, "%s/notes.txt", workdir);
	int rc = e->host->file->write(call, path, J->str(e->text), err);
	if (rc < 0) {
		return rc;
	}
	assay_json *bound = J->object();
	if (J->set(bound, "dir", J->string(assay_text_of_cstr(workdir))) < 0) {
		J->free(bound);
		return e->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = bindings->emit(bindings, bound, err);
	return rc < 0 ? rc : 0;
}

static int cleanup(void *self, assay_call *call, void *state, assay_error *err)
{
	(void)self, (void)call, (void)state, (void)err;
	return 0; /* the folder itself is the host's to remove */
}

/* JSON Schema: checked and filled in with its defaults before open; the source of the documentation. */
static const char options_schema[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"text\": {\"type\": \"string\", "
	"\"default\": \"hello\\n\", \"description\": \"what stands in notes.txt\"}}}";
static const assay_environment_ops ops = {.size = sizeof ops,
					  .open = open_environment,
					  .close = close_environment,
					  .prepare = prepare,
					  .cleanup = cleanup};
ASSAY_IMPL(impl, ENVIRONMENT, "example", 0, "a folder with one file", options_schema, &ops);
ASSAY_PLUGIN(environment_example, "0.1.0", "An environment", "Apache-2.0", &impl)
