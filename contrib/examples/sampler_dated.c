/* sampler/dated: tools whose input schema has a date. A category of it is about when things happen: seeds and
 * distractors are tools with a parameter of the format "date" or "date-time", or with "date" or "day" as a word of its
 * name. */
#include <assay/plugin.h>
#include <assay/roles/sampler.h>
#include <assay/text.h>

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is `word` a word of a name such as "start_date", "startDate" or "date"? */
static int has_word(assay_str name, const char *word)
{
	assay_str w = assay_text_of_cstr(word);
	for (size_t i = 0; i + w.len <= name.len; i++) {
		size_t k = 0;
		while (k < w.len && (name.ptr[i + k] | 0x20) == w.ptr[k]) {
			k++;
		}
		int begins = i == 0 || !is_letter(name.ptr[i - 1]) || (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z');
		int ends = i + w.len == name.len || !(name.ptr[i + w.len] >= 'a' && name.ptr[i + w.len] <= 'z');
		if (k == w.len && begins && ends) {
			return 1;
		}
	}
	return 0;
}

static int has_date(const assay_json_api *J, const assay_tool *tool)
{
	const assay_json *p = J->first(J->get(tool->input_schema, "properties"));
	for (; p; p = J->next(p)) {
		assay_str format = J->str(J->get(p, "format"));
		if (assay_text_is(format, "date") || assay_text_is(format, "date-time") ||
		    has_word(J->key(p), "date") || has_word(J->key(p), "day")) {
			return 1;
		}
	}
	return 0;
}

static int draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n, uint32_t *picked,
		size_t *n_picked, assay_error *err)
{
	const assay_host *host = call->host;
	uint32_t *dated = (uint32_t *)host->alloc((candidates.count + 1) * sizeof *dated);
	size_t count = 0, i;
	(void)self, (void)required;
	if (!dated) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (i = 0; i < candidates.count; i++) {
		if (has_date(host->json, candidates.list[i])) {
			dated[count++] = (uint32_t)i;
		}
	}
	host->rng->shuffle(call, dated, count);
	for (i = 0; i < n && i < count; i++) {
		picked[i] = dated[i];
	}
	*n_picked = i; /* too few is no error */
	host->free(dated);
	return 0;
}

static int add_name(const assay_json_api *J, const assay_tool *tool, assay_json *set)
{
	assay_json *pair = J->object();
	int bad = J->set(pair, "server", J->string(tool->server));
	bad |= J->set(pair, "tool", J->string(tool->name));
	return J->append(set, pair) | bad;
}

/* Without this the core would take any tool as the anchor of a seed set and draw dated ones around it. Here each dated
 * tool is an anchor, together with the dated ones that follow it. */
static int seed_sets(void *self, assay_call *call, assay_tools catalogue, assay_sink *sets, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	int rc = 0;
	(void)self;
	for (size_t i = 0; i < catalogue.count && rc == 0; i++) {
		if (!has_date(J, catalogue.list[i])) {
			continue;
		}
		assay_json *set = J->array();
		int bad = add_name(J, catalogue.list[i], set);
		for (size_t k = i + 1, more = 0; k < catalogue.count && more < 2; k++) {
			if (has_date(J, catalogue.list[k])) {
				bad |= add_name(J, catalogue.list[k], set);
				more++;
			}
		}
		if (bad) {
			J->free(set);
			return call->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		rc = sets->emit(sets, set, err);
	}
	return rc < 0 ? rc : 0;
}

static const assay_sampler_ops ops = {.size = sizeof ops, .draw = draw, .seed_sets = seed_sets};
ASSAY_IMPL(dated, SAMPLER, "dated", ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT, "tools whose input schema has a date", NULL,
	   &ops);
ASSAY_PLUGIN(sampler_dated, "1.0.0", "Categories about when things happen", "Apache-2.0", &dated)
