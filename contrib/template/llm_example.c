/* llm/example: a model without a mind. It asks for the first tool on offer until a result has come back, and says then
 * what the result was: enough to try everything else with, without a network. */
#include <assay/plugin.h>
#include <assay/roles/llm.h>
#include <assay/text.h>

static int ask_for_tool(const assay_json_api *J, const assay_json *tool, assay_json *message)
{
	assay_json *calls = J->array(), *one = J->object();
	int bad = J->set(one, "id", J->string(ASSAY_STR("call_1")));
	bad |= J->set(one, "name", J->string(J->str(J->get(tool, "name"))));
	bad |= J->set(one, "arguments", J->string(ASSAY_STR("{}"))); /* the text of an object */
	bad |= J->append(calls, one);
	bad |= J->set(message, "content", J->string(ASSAY_STR("")));
	return J->set(message, "tool_calls", calls) | bad;
}

static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	const assay_json *m, *tool = J->first(J->get(request, "tools")), *result = NULL;
	assay_json *out = J->object(), *message = J->object();
	assay_str finish = ASSAY_STR("stop");
	int bad, rc;
	(void)self;
	for (m = J->first(J->get(request, "messages")); m; m = J->next(m)) {
		if (assay_text_is(J->str(J->get(m, "role")), "tool")) {
			result = m;
		}
	}
	bad = J->set(message, "role", J->string(ASSAY_STR("assistant")));
	if (tool && !result) {
		bad |= ask_for_tool(J, tool, message);
		finish = ASSAY_STR("tool_calls");
	} else {
		assay_str said = J->str(J->get(result, "content"));
		bad |= J->set(message, "content", J->string(said.len ? said : ASSAY_STR("There is nothing to do.")));
	}
	bad |= J->set(out, "message", message);
	bad |= J->set(out, "finish_reason", J->string(finish));
	bad |= J->set(out, "model", J->string(ASSAY_STR("example")));
	bad |= J->set(out, "usage", J->null());
	if (bad) {
		J->free(out);
		return call->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = reply->emit(reply, out, err);
	return rc < 0 ? rc : 0;
}

static const assay_llm_ops ops = {.size = sizeof ops, .complete = complete};

ASSAY_IMPL(impl, LLM, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	   "asks for the first tool, then repeats its result", NULL, &ops);
ASSAY_PLUGIN(llm_example, "0.1.0", "A model", "Apache-2.0", &impl)
