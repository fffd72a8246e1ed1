/* goalgen/example: "use what is there". The anchor tool's description becomes the wish, and the first resource that the
 * manifest names for its server becomes the value in it. No value is made up. */
#include <assay/plugin.h>
#include <assay/roles/goalgen.h>
#include <assay/text.h>
#include <stdio.h>

#define GOAL_BYTES 1000

static int generate(void *self, assay_call *call, const assay_goal_request *request, assay_sink *goals,
		    assay_error *err)
{
	const assay_host *host = call->host;
	const assay_json_api *J = host->json;
	char text[GOAL_BYTES];
	const assay_tool *anchor;
	const assay_json *resource;
	assay_json *goal, *servers;
	assay_str value;
	int bad, rc;
	(void)self;
	if (request->seeds.count == 0 || request->seeds.list[0]->description.len == 0) {
		return 0; /* no goal is a fine answer: the core draws other seeds */
	}
	anchor = request->seeds.list[0];
	resource = J->first(J->get(J->get_n(request->servers, anchor->server), "resources"));
	value = J->str(J->get(resource, "value"));
	/* A text is not NUL-terminated: "%.*s" with ASSAY_FMT prints it, here at most 400 bytes of each. */
	snprintf(text, sizeof text, "Please do this: %.*s%s%.*s. Tell me what came of it.",
		 (int)(anchor->description.len < 400 ? anchor->description.len : 400), anchor->description.ptr,
		 value.len ? ", for " : "", (int)(value.len < 400 ? value.len : 400), value.len ? value.ptr : "");
	goal = J->object();
	servers = J->array();
	/* The makers answer NULL when memory is out and set fails on NULL: one check at the end is enough. */
	bad = J->append(servers, J->string(anchor->server));
	bad |= J->set(goal, "goal", J->string(assay_text_of_cstr(text)));
	bad |= J->set(goal, "servers", servers);
	bad |= J->set(goal, "tags", J->array());
	bad |= J->set(goal, "persona", J->null());
	if (bad) {
		J->free(goal);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	rc = goals->emit(goals, goal, err); /* takes the goal over */
	return rc < 0 ? rc : 0;
}

static const assay_goalgen_ops ops = {.size = sizeof ops, .generate = generate};

ASSAY_IMPL(impl, GOALGEN, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "asks for what the anchor tool does", NULL,
	   &ops);
ASSAY_PLUGIN(goalgen_example, "0.1.0", "A goal generator", "Apache-2.0", &impl)
