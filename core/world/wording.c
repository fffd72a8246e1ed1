#include "core/world/wording.h"

#include "core/base/error.h"
#include <stdlib.h>

static int word_tools(as_wording *w, as_describe_fn *describe, void *describer, as_call *call, assay_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < w->originals.count && rc == 0; i++) {
		assay_text said = {0};
		w->tools[i] = *w->originals.list[i];
		rc = describe(describer, call, w->originals.list[i], &said, err);
		if (rc == 0) {
			w->tools[i].description = as_arena_str(&w->arena, (assay_str){said.ptr, said.len});
			rc = w->arena.failed ? as_fail_memory(err) : 0;
		}
		as_text_free(&said);
	}
	return rc;
}

/* The tool of the wording for a tool of the catalogue; any other one is itself. */
static const assay_tool *worded(const as_wording *w, const assay_tool *tool)
{
	for (size_t i = 0; i < w->originals.count; i++) {
		if (w->originals.list[i] == tool) {
			return &w->tools[i];
		}
	}
	return tool;
}

static assay_tools list_of(const as_wording *w, assay_tools from, const assay_tool **to)
{
	for (size_t i = 0; i < from.count; i++) {
		to[i] = worded(w, from.list[i]);
	}
	return (assay_tools){to, from.count};
}

int as_wording_make(const assay_exposure_request *request, as_describe_fn *describe, void *describer, as_call *call,
		    as_wording *out, assay_error *err)
{
	const assay_tools all = request->catalogue, required = request->required, surface = request->surface;
	int rc;
	*out = (as_wording){.request = *request, .originals = all};
	out->tools = as_new(all.count + 1, sizeof *out->tools);
	out->lists = as_new(all.count + required.count + surface.count + 1, sizeof *out->lists);
	if (!out->tools || !out->lists) {
		return as_fail_memory(err);
	}
	rc = word_tools(out, describe, describer, call, err);
	if (rc == 0) {
		for (size_t i = 0; i < all.count; i++) {
			out->lists[i] = &out->tools[i];
		}
		out->request.catalogue = (assay_tools){out->lists, all.count};
		out->request.required = list_of(out, required, out->lists + all.count);
		out->request.surface = list_of(out, surface, out->lists + all.count + required.count);
	}
	return rc;
}

const assay_tool *as_wording_original(const as_wording *w, const assay_tool *tool)
{
	for (size_t i = 0; w->tools && i < w->originals.count; i++) {
		if (&w->tools[i] == tool) {
			return w->originals.list[i];
		}
	}
	return tool;
}

void as_wording_free(as_wording *w)
{
	free(w->tools);
	free((void *)(uintptr_t)w->lists);
	as_arena_free(&w->arena);
	*w = (as_wording){0};
}
