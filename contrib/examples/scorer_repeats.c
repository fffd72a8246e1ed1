/* scorer/repeats: penalises repeated identical calls. The score starts at 1 and loses `penalty` for each call that says
 * the same as an earlier one: same server, same tool, equal arguments. It tells how well an agent keeps in mind what it
 * has done; whether the task was done is another scorer's business. */
#include <assay/plugin.h>
#include <assay/roles/scorer.h>
#include <assay/text.h>

struct repeats {
	const assay_host *host;
	double penalty, pass_at;
};

static int open_repeats(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct repeats *r = (struct repeats *)host->alloc(sizeof *r);
	if (!r) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	r->host = host;
	r->penalty = host->json->f64(host->json->get(options, "penalty"), 0);
	r->pass_at = host->json->f64(host->json->get(options, "pass_at"), 0);
	*self = r;
	return 0;
}

static void close_repeats(void *self)
{
	if (self) {
		((struct repeats *)self)->host->free(self);
	}
}

static int same_call(const assay_json_api *J, const assay_step *a, const assay_step *b)
{
	/* Arguments that are not there are none, as {} is. */
	int none = J->count(a->arguments) == 0 && J->count(b->arguments) == 0;
	return assay_text_same(a->server, b->server) && assay_text_same(a->tool, b->tool) &&
	       (none || J->equal(a->arguments, b->arguments));
}

static int emit(const struct repeats *r, double repeats, size_t calls, assay_sink *verdict, assay_error *err)
{
	const assay_json_api *J = r->host->json;
	assay_json *out = J->object(), *metrics = J->object();
	double left = 1 - r->penalty * repeats, score = left > 0 ? left : 0;
	int bad = J->set(out, "verdict", J->string(score >= r->pass_at ? ASSAY_STR("pass") : ASSAY_STR("fail")));
	bad |= J->set(out, "lo", J->real(score)) | J->set(out, "hi", J->real(score));
	bad |= J->set(metrics, "repeated_calls", J->real(repeats));
	bad |= J->set(metrics, "calls", J->integer((int64_t)calls));
	bad |= J->set(out, "metrics", metrics);
	if (bad) {
		J->free(out);
		return r->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	int rc = verdict->emit(verdict, out, err);
	return rc < 0 ? rc : 0;
}

static int score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	const struct repeats *r = (const struct repeats *)self;
	double repeats = 0;
	for (size_t i = 0; i < subject->n_steps; i++) {
		for (size_t k = 0; k < i; k++) {
			if (same_call(r->host->json, &subject->steps[i], &subject->steps[k])) {
				repeats += 1;
				break;
			}
		}
		if (r->host->cancelled(call)) {
			return r->host->fail(err, ASSAY_ECANCELED, "cancelled");
		}
	}
	return emit(r, repeats, subject->n_steps, verdict, err);
}

static const char options_schema[] =
	"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
	"\"penalty\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1, \"default\": 0.25,"
	" \"description\": \"what each repeated call costs\"},"
	"\"pass_at\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1, \"default\": 1,"
	" \"description\": \"score from which on the verdict is pass\"}}}";

static const assay_scorer_ops ops = {.size = sizeof ops, .open = open_repeats, .close = close_repeats, .score = score};
ASSAY_IMPL(repeats, SCORER, "repeats", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "penalises repeated identical calls",
	   options_schema, &ops);
ASSAY_PLUGIN(scorer_repeats, "1.0.0", "Does the agent repeat itself?", "Apache-2.0", &repeats)
