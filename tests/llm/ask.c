/* ask MANIFEST MODEL: requests to a model of the manifest, one JSON document a line on standard input, as an explorer
 * makes them; prints a line for each: {"reply": ...} or {"error": {"code","reason","message","hint"}, "end": text|null,
 * "class"}. A string "$last" among the messages stands for the reply before. */
#include "core/base/error.h"
#include "core/run/context.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static assay_json *outcome(const as_context *c, int rc, assay_json *reply, const assay_error *err)
{
	assay_json *out = as_json_object(), *why;
	int bad = 0;
	if (rc == 0) {
		bad = as_json_set(out, "reply", reply);
	} else {
		why = as_json_object();
		bad = as_json_set(why, "code", as_json_cstring(as_error_name(rc)));
		bad |= as_json_set(why, "reason", as_json_cstring(as_llm_reason(err->reason)));
		bad |= as_json_set(why, "message", as_json_cstring(err->message));
		bad |= as_json_set(why, "hint", as_json_cstring(err->hint));
		bad |= as_json_set(out, "error", why);
		bad |= as_json_set(out, "end", as_json_cstring(c->dialogue.end));
	}
	return bad ? NULL : out;
}

/* The request with the reply before in the place of "$last". */
static assay_json *fill(const assay_json *request, const assay_json *last)
{
	assay_json *copy = as_json_clone(request), *messages = as_json_array();
	for (const assay_json *m = as_json_first(as_json_get(request, "messages")); m; m = as_json_next(m)) {
		bool is_last = as_str_is(as_json_str(m), "$last");
		as_json_append(messages, as_json_clone(is_last ? as_json_get(last, "message") : m));
	}
	as_json_set(copy, "messages", messages);
	return copy;
}

static int converse(as_engine *e, const as_model_spec *model, assay_error *err)
{
	as_worker *w = NULL;
	as_jsonl *lines = NULL;
	as_context c;
	assay_json *request = NULL, *last = NULL;
	int rc = as_worker_new(e, &w, err);
	rc = rc < 0 ? rc : as_jsonl_open("-", 0, &lines, err);
	if (rc < 0) {
		goto out;
	}
	as_context_init(&c, w, "ask", "ask", 0, 600);
	c.model = model;
	while ((rc = as_jsonl_next_value(lines, ASSAY_JSON_STRICT, &request, NULL, NULL, err)) == 0) {
		assay_json *full = fill(request, last), *reply = NULL, *line;
		assay_error why = {0};
		assay_text text = {0};
		int answer = c.call.pub.host->llm->chat(&c.call.pub, full, &reply, &why);
		as_json_free(last);
		last = as_json_clone(reply);
		line = outcome(&c, answer, reply, &why);
		if (as_json_dump(line, ASSAY_JSON_COMPACT, &text, err) == 0) {
			puts(text.ptr);
			fflush(stdout);
		}
		as_text_free(&text);
		as_json_free(line);
		as_json_free(full);
		as_json_free(request);
	}
	rc = rc == ASSAY_ENOENT ? 0 : rc;
out:
	as_json_free(last);
	as_jsonl_close(lines);
	as_worker_free(w);
	return rc;
}

int main(int argc, char **argv)
{
	as_registry_options where = {.lib_dir = getenv("ASSAY_LIB_DIR"), .path = getenv("ASSAY_PLUGIN_PATH")};
	as_engine_options options = {0};
	as_registry *registry = NULL;
	as_manifest *m = NULL;
	as_engine *e = NULL;
	as_log *log = NULL;
	assay_error err = {0};
	char line[1200];
	int rc = argc == 3 ? 0 : as_fail(&err, ASSAY_EINVAL, "usage: ask MANIFEST MODEL");
	rc = rc < 0 ? rc : as_log_new(stderr, getenv("ASSAY_LOG"), &log, &err);
	rc = rc < 0 ? rc : as_registry_new(&where, &registry, &err);
	rc = rc < 0 ? rc : as_manifest_load(argv[1], NULL, &m, &err);
	if (rc == 0) {
		options = (as_engine_options){.manifest = m, .registry = registry, .log = log};
		rc = as_engine_open(&options, &e, &err);
	}
	if (rc == 0) {
		const as_model_spec *model = as_manifest_model(m, argv[2]);
		rc = model ? converse(e, model, &err) : as_fail(&err, ASSAY_ENOENT, "no model called %s", argv[2]);
	}
	if (rc < 0) {
		as_error_format(&err, line, sizeof line);
		fprintf(stderr, "ask: %s\n", line);
	}
	as_engine_close(e);
	as_manifest_free(m);
	as_registry_free(registry);
	as_log_free(log);
	return rc < 0 ? 1 : 0;
}
