/* explorer/example: an agent that needs no model. It calls every tool on offer that asks for no argument, and tells
 * what the last answer was: the floor that any real agent should stand above. */
#include <assay/plugin.h>
#include <assay/roles/explorer.h>

static int emit(const assay_host *host, int64_t calls, int64_t successes, assay_text *last, assay_sink *result,
		assay_error *err)
{
	const assay_json_api *J = host->json;
	assay_json *out = J->object();
	assay_str said = {last->ptr, last->len};
	int bad = J->set(out, "outcome", J->string(calls ? ASSAY_STR("completed") : ASSAY_STR("no_tools_called")));
	int rc;
	bad |= J->set(out, "end", J->string(calls ? ASSAY_STR("finished") : ASSAY_STR("gave_up")));
	bad |= J->set(out, "final_message", last->ptr ? J->string(said) : J->null());
	bad |= J->set(out, "tool_call_count", J->integer(calls));
	bad |= J->set(out, "successful_tool_calls", J->integer(successes));
	bad |= J->set(out, "turns", J->integer(calls));
	bad |= J->set(out, "messages", J->array());
	if (bad) {
		J->free(out);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = result->emit(result, out, err);
	return rc < 0 ? rc : 0;
}

static int run(void *self, assay_call *call, const assay_assignment *assignment, assay_sink *result, assay_error *err)
{
	const assay_host *host = call->host;
	const assay_json_api *J = host->json;
	const assay_json *tools = NULL, *t;
	assay_text last = {NULL, 0};
	int64_t calls = 0, successes = 0;
	int rc = host->agent->offers(call, &tools, err);
	(void)self;
	for (t = J->first(tools); t && rc == 0 && calls < assignment->turns; t = J->next(t)) {
		int is_error = 0;
		if (J->count(J->get(J->get(t, "parameters"), "required")) > 0) {
			continue;
		}
		J->text_free(&last);
		/* All waiting is in here. A negative code (cancelled, out of time) ends the run: pass it on. */
		rc = host->agent->act(call, J->str(J->get(t, "name")), NULL, &last, &is_error, err);
		calls += rc == 0;
		successes += rc == 0 && !is_error;
	}
	if (rc == 0) {
		rc = emit(host, calls, successes, &last, result, err);
	}
	J->text_free(&last);
	return rc;
}

static const assay_explorer_ops ops = {.size = sizeof ops, .run = run};

ASSAY_IMPL(impl, EXPLORER, "example", ASSAY_IMPL_REENTRANT, "calls what needs no argument", NULL, &ops);
ASSAY_PLUGIN(explorer_example, "0.1.0", "An explorer", "Apache-2.0", &impl)
