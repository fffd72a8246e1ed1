/* scorer/example: the share of checkpoints of which some tool was called with success. Arguments are not looked at. */
#include <assay/plugin.h>
#include <assay/roles/scorer.h>
#include <assay/text.h>

struct scorer {
	const assay_host *host;
	double pass_at;
};

static int open_scorer(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct scorer *s = (struct scorer *)host->alloc(sizeof *s);
	if (!s) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	s->host = host;
	s->pass_at = host->json->f64(host->json->get(options, "pass_at"), 1); /* checked, its default filled in */
	*self = s;
	return 0;
}

static void close_scorer(void *self)
{
	if (self) {
		((struct scorer *)self)->host->free(self);
	}
}

static int is_met(const assay_json_api *J, const assay_json *checkpoint, const assay_subject *subject)
{
	const assay_json *pair = J->first(J->get(checkpoint, "equivalence_set"));
	for (; pair; pair = J->next(pair)) {
		for (size_t i = 0; i < subject->n_steps; i++) {
			const assay_step *step = &subject->steps[i];
			if (step->status == ASSAY_STEP_SUCCESS &&
			    assay_text_same(J->str(J->get(pair, "server_id")), step->server) &&
			    assay_text_same(J->str(J->get(pair, "tool_name")), step->tool)) {
				return 1;
			}
		}
	}
	return 0;
}

static int score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	const assay_json *c = J->first(J->get(subject->task, "checkpoints"));
	assay_json *out = J->object();
	double all = (double)J->count(J->get(subject->task, "checkpoints")), met = 0;
	for (; c; c = J->next(c)) {
		met += is_met(J, c, subject);
	}
	double share = all > 0 ? met / all : 0;
	int pass = share >= ((const struct scorer *)self)->pass_at;
	int bad = J->set(out, "verdict", J->string(pass ? ASSAY_STR("pass") : ASSAY_STR("fail")));
	bad |= J->set(out, "lo", J->real(share)) | J->set(out, "hi", J->real(share));
	if (bad) {
		J->free(out);
		return call->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = verdict->emit(verdict, out, err);
	return rc < 0 ? rc : 0;
}

/* JSON Schema: checked and filled in with its defaults before open; the source of the documentation. */
static const char options_schema[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"pass_at\": {\"type\": \"number\", "
	"\"minimum\": 0, \"maximum\": 1, \"default\": 1, \"description\": \"share that passes\"}}}";
static const assay_scorer_ops ops = {.size = sizeof ops, .open = open_scorer, .close = close_scorer, .score = score};
ASSAY_IMPL(impl, SCORER, "example", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "the share of checkpoints met",
	   options_schema, &ops);
ASSAY_PLUGIN(scorer_example, "0.1.0", "A scorer", "Apache-2.0", &impl)
