#include "core/world/world.h"

assay_json *as_tool_error(const assay_json *result)
{
	assay_json *e = as_json_object();
	if (as_json_set(e, "code", as_json_cstring("ToolError")) < 0 ||
	    as_json_set(e, "message", as_json_cstring("the tool reported an error")) < 0 ||
	    as_json_set(e, "raw", result ? as_json_clone(result) : as_json_null()) < 0) {
		as_json_free(e);
		return NULL;
	}
	return e;
}

void as_answer_clear(as_answer *a)
{
	as_json_free(a->result);
	as_json_free(a->error);
	as_json_free(a->asked);
	as_json_free(a->unfit);
	*a = (as_answer){0};
}

void as_world_close(as_world *w, as_call *call)
{
	if (w) {
		w->ops->close(w, call);
	}
}
