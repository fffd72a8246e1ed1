/* The base samplers of DynamicMCPBench (reference page 5.3): random, hard_negative (there hard_neg), cross_domain,
 * same_name, sibling and stratified. They pick seed tools around an anchor and distractors around the needed ones
 * alike. */
#include "../common/option.h"
#include <assay/roles/sampler.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_NAME 0.85 /* difflib ratio from which on another name counts as nearly the same */

/* A candidate with its rank. Sorting is by falling score, then by (server, name), which no two tools share. */
typedef struct ranked {
	const assay_tool *tool;
	double score;
	uint32_t index; /* in the candidates */
	uint32_t place; /* by server and name, when the host has rated them */
} ranked;

static int plain_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	(void)options;
	(void)err;
	*self = (void *)(uintptr_t)host; /* a sampler remembers nothing */
	return 0;
}

static void plain_close(void *self)
{
	(void)self;
}

static int compare_text(assay_str a, assay_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static int same_text(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static int compare_ranked(const void *a, const void *b)
{
	const ranked *x = a, *y = b;
	int c = (x->score < y->score) - (x->score > y->score);
	c = c ? c : compare_text(x->tool->server, y->tool->server);
	return c ? c : compare_text(x->tool->name, y->tool->name);
}

static int compare_placed(const void *a, const void *b)
{
	const ranked *x = a, *y = b;
	int c = (x->score < y->score) - (x->score > y->score);
	return c ? c : (x->place > y->place) - (x->place < y->place);
}

/* Take one into the list of the best, which has room for `wanted` and is in order once it is full. */
static void offer(ranked *list, size_t *kept, size_t wanted, ranked one)
{
	size_t k = *kept;
	if (k < wanted) {
		list[(*kept)++] = one;
		if (*kept == wanted) {
			qsort(list, wanted, sizeof *list, compare_placed);
		}
		return;
	}
	if (k == 0 || compare_placed(&one, &list[k - 1]) > 0) {
		return;
	}
	for (; k > 1 && compare_placed(&one, &list[k - 2]) < 0; k--) {
		list[k - 1] = list[k - 2];
	}
	list[k - 1] = one;
}

/* Candidates as the host rates them: first the best `wanted` of those that share something, then those that share
 * nothing, by server and name. *n is SIZE_MAX when the host cannot. */
static int rank_by_host(const assay_host *host, assay_call *call, uint32_t by, assay_tools required,
			assay_tools candidates, size_t wanted, ranked **out, size_t *n, assay_error *err)
{
	double *scores = host->alloc((candidates.count + 1) * sizeof *scores);
	uint32_t *places = host->alloc((candidates.count + 1) * sizeof *places);
	ranked *list = host->alloc((candidates.count + 1) * sizeof *list);
	size_t alike = 0, count;
	int rc = ASSAY_HAS(host->sampler, rate) && host->sampler->rate ? 1 : 0;
	*n = SIZE_MAX;
	if (!scores || !places || !list) {
		rc = host->fail(err, ASSAY_ENOMEM, "out of memory");
	} else if (rc == 1) {
		rc = host->sampler->rate(call, by, NEAR_NAME, required, candidates, scores, places, err);
	}
	for (size_t i = 0; i < candidates.count && rc == 1; i++) {
		if (scores[i] > 0) {
			offer(list, &alike, wanted, (ranked){candidates.list[i], scores[i], (uint32_t)i, places[i]});
		}
	}
	count = alike;
	for (size_t i = 0; i < candidates.count && rc == 1; i++) {
		if (scores[i] >= 0 && !(scores[i] > 0)) {
			list[count++] = (ranked){candidates.list[i], scores[i], (uint32_t)i, places[i]};
		}
	}
	if (rc == 1) {
		int ordered = 1;
		if (alike < wanted) {
			qsort(list, alike, sizeof *list, compare_placed);
		}
		for (size_t i = alike + 1; i < count && ordered; i++) {
			ordered = list[i - 1].place < list[i].place;
		}
		if (!ordered) {
			qsort(list + alike, count - alike, sizeof *list, compare_placed);
		}
		*out = list;
		*n = count;
		list = NULL;
	}
	host->free(list);
	host->free(places);
	host->free(scores);
	return rc < 0 ? rc : 0;
}

/* All candidates, ranked by a score that `rate` gives (negative: left out). */
typedef double (*rate_fn)(const assay_host *host, assay_tools required, const assay_tool *candidate);

static int rank(const assay_host *host, assay_tools required, assay_tools candidates, rate_fn rate, ranked **out,
		size_t *n, assay_error *err)
{
	ranked *list = host->alloc((candidates.count + 1) * sizeof *list);
	size_t count = 0;
	if (!list) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < candidates.count; i++) {
		double score = rate(host, required, candidates.list[i]);
		if (score >= 0) {
			list[count++] = (ranked){candidates.list[i], score, (uint32_t)i, 0};
		}
	}
	qsort(list, count, sizeof *list, compare_ranked);
	*out = list;
	*n = count;
	return 0;
}

/* Append indexes list[from..to) to what is picked: in order, or shuffled; the whole run is shuffled before it is cut.
 */
static int take(const assay_host *host, assay_call *call, const ranked *list, size_t from, size_t to, int shuffled,
		size_t limit, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	size_t count = to - from;
	uint32_t *order = host->alloc((count + 1) * sizeof *order);
	if (!order) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < count; i++) {
		order[i] = list[from + i].index;
	}
	if (shuffled) {
		host->rng->shuffle(call, order, count);
	}
	for (size_t i = 0; i < count && *n_picked < limit; i++) {
		picked[(*n_picked)++] = order[i];
	}
	host->free(order);
	return 0;
}

/* By the host's index, or where there is none one by one. */
static int rank_alike(const assay_host *host, assay_call *call, uint32_t by, rate_fn rate, assay_tools required,
		      assay_tools candidates, size_t wanted, ranked **out, size_t *n, assay_error *err)
{
	int rc = rank_by_host(host, call, by, required, candidates, wanted, out, n, err);
	return rc < 0 || *n != SIZE_MAX ? rc : rank(host, required, candidates, rate, out, n, err);
}

static double rate_equal(const assay_host *host, assay_tools required, const assay_tool *candidate)
{
	(void)host;
	(void)required;
	(void)candidate;
	return 0.0;
}

/* random: sort by key, shuffle, take n. */
static int draw_random(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
		       uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_host *host = self;
	ranked *list;
	size_t count;
	int rc = rank(host, required, candidates, rate_equal, &list, &count, err);
	*n_picked = 0;
	if (rc == 0) {
		rc = take(host, call, list, 0, count, 1, n, picked, n_picked, err);
		host->free(list);
	}
	return rc;
}

/* "description name" of a tool, for token overlap. NULL: no memory. */
static char *describe(const assay_host *host, const assay_tool *tool, assay_str *out)
{
	size_t size = tool->description.len + 1 + tool->name.len;
	char *text = host->alloc(size + 1);
	if (text) {
		if (tool->description.len) {
			memcpy(text, tool->description.ptr, tool->description.len);
		}
		text[tool->description.len] = ' ';
		if (tool->name.len) {
			memcpy(text + tool->description.len + 1, tool->name.ptr, tool->name.len);
		}
		*out = (assay_str){text, size};
	}
	return text;
}

/* The greatest overlap with any required tool. Out of memory rates 0, which the caller's own allocations will notice.
 */
static double rate_similar(const assay_host *host, assay_tools required, const assay_tool *candidate)
{
	double best = 0.0;
	assay_str mine, theirs;
	char *a = describe(host, candidate, &mine);
	for (size_t i = 0; i < required.count && a; i++) {
		char *b = describe(host, required.list[i], &theirs);
		double s = b ? host->text->jaccard(mine, theirs) : 0.0;
		best = s > best ? s : best;
		host->free(b);
	}
	host->free(a);
	return best;
}

/* hard_negative: the most similar first, then those that share nothing, shuffled. */
static int draw_hard_negative(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			      uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_host *host = self;
	ranked *list;
	size_t count, similar = 0;
	int rc = rank_alike(host, call, ASSAY_LIKE_WORDS, rate_similar, required, candidates, n, &list, &count, err);
	*n_picked = 0;
	if (rc < 0) {
		return rc;
	}
	while (similar < count && list[similar].score > 0) {
		similar++;
	}
	rc = take(host, call, list, 0, similar, 0, n, picked, n_picked, err);
	if (rc == 0) {
		rc = take(host, call, list, similar, count, 1, n, picked, n_picked, err);
	}
	host->free(list);
	return rc;
}

static int shares_tag(const assay_tool *a, const assay_tool *b)
{
	for (size_t i = 0; i < a->n_tags; i++) {
		for (size_t k = 0; k < b->n_tags; k++) {
			if (same_text(a->tags[i], b->tags[k])) {
				return 1;
			}
		}
	}
	return 0;
}

/* Left out when it is of the required tools' domain: by tags, or by server when these carry none. */
static double rate_foreign(const assay_host *host, assay_tools required, const assay_tool *candidate)
{
	int tagged = 0;
	(void)host;
	for (size_t i = 0; i < required.count; i++) {
		tagged = tagged || required.list[i]->n_tags > 0;
	}
	for (size_t i = 0; i < required.count; i++) {
		const assay_tool *r = required.list[i];
		if (tagged ? shares_tag(candidate, r) : same_text(candidate->server, r->server)) {
			return -1.0;
		}
	}
	return 0.0;
}

static int draw_cross_domain(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			     uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_host *host = self;
	ranked *list;
	size_t count;
	int rc = rank(host, required, candidates, rate_foreign, &list, &count, err);
	*n_picked = 0;
	if (rc == 0) {
		rc = take(host, call, list, 0, count, 1, n, picked, n_picked, err);
		host->free(list);
	}
	return rc;
}

/* 2 for exactly a required name, else the best ratio where that is near enough. */
static double rate_name(const assay_host *host, assay_tools required, const assay_tool *candidate)
{
	double best = 0.0;
	for (size_t i = 0; i < required.count; i++) {
		double s;
		if (same_text(candidate->name, required.list[i]->name)) {
			return 2.0;
		}
		s = host->text->ratio(candidate->name, required.list[i]->name);
		best = s > best ? s : best;
	}
	return best >= NEAR_NAME ? best : -1.0;
}

/* same_name: exact names shuffled, then near ones by falling ratio. */
static int draw_same_name(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			  uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_host *host = self;
	ranked *list;
	size_t count, exact = 0;
	int rc = rank_alike(host, call, ASSAY_LIKE_NAMES, rate_name, required, candidates, candidates.count, &list,
			    &count, err);
	*n_picked = 0;
	if (rc < 0) {
		return rc;
	}
	while (exact < count && list[exact].score > 1.5) {
		exact++;
	}
	rc = take(host, call, list, 0, exact, 1, n, picked, n_picked, err);
	if (rc == 0) {
		rc = take(host, call, list, exact, count, 0, n, picked, n_picked, err);
	}
	host->free(list);
	return rc;
}

static double rate_sibling(const assay_host *host, assay_tools required, const assay_tool *candidate)
{
	(void)host;
	for (size_t i = 0; i < required.count; i++) {
		if (same_text(candidate->server, required.list[i]->server)) {
			return 0.0;
		}
	}
	return -1.0;
}

static int draw_sibling(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const assay_host *host = self;
	ranked *list;
	size_t count;
	int rc = rank(host, required, candidates, rate_sibling, &list, &count, err);
	*n_picked = 0;
	if (rc == 0) {
		rc = take(host, call, list, 0, count, 1, n, picked, n_picked, err);
		host->free(list);
	}
	return rc;
}

/* --- stratified: some of each of other samplers ------------------------------------------------------------------ */

#define MAX_STRATA 16

typedef struct stratified {
	const assay_host *host;
	assay_text names[MAX_STRATA]; /* of samplers */
	size_t n;
} stratified;

static const char *const usual_strata[] = {"hard_negative", "same_name", "sibling", "cross_domain", "random"};

static void stratified_close(void *self)
{
	stratified *s = self;
	for (size_t i = 0; s && i < s->n; i++) {
		s->host->free(s->names[i].ptr);
	}
	if (s) {
		s->host->free(s);
	}
}

static int add_stratum(stratified *s, assay_str name, assay_error *err)
{
	int rc = option_keep(s->host, name, &s->names[s->n], err);
	s->n += rc == 0 && s->names[s->n].ptr;
	return rc;
}

static int stratified_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	const assay_json_api *J = host->json;
	const assay_json *name = J->first(J->get(options, "strata"));
	stratified *s = host->alloc(sizeof *s);
	int rc = 0;
	if (!s) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	*s = (stratified){.host = host};
	for (; name && rc == 0 && s->n < MAX_STRATA; name = J->next(name)) {
		rc = add_stratum(s, J->str(name), err);
	}
	for (size_t i = 0; s->n < sizeof usual_strata / sizeof *usual_strata && !J->get(options, "strata") && rc == 0;
	     i++) {
		rc = add_stratum(s, (assay_str){usual_strata[i], strlen(usual_strata[i])}, err);
	}
	if (rc < 0) {
		stratified_close(s);
		s = NULL;
	}
	*self = s;
	return rc;
}

/* Lists of indexes that take turns. */
typedef struct turns {
	uint32_t *lists[MAX_STRATA];
	size_t counts[MAX_STRATA], next[MAX_STRATA], n;
	unsigned char *taken; /* by index */
} turns;

/* One of each list after the other, none twice. */
static void take_turns(turns *t, size_t n, uint32_t *picked, size_t *n_picked)
{
	for (int more = 1; more && *n_picked < n;) {
		more = 0;
		for (size_t i = 0; i < t->n && *n_picked < n; i++) {
			while (t->next[i] < t->counts[i] && t->taken[t->lists[i][t->next[i]]]) {
				t->next[i]++;
			}
			if (t->next[i] < t->counts[i]) {
				uint32_t index = t->lists[i][t->next[i]++];
				t->taken[index] = 1;
				picked[(*n_picked)++] = index;
				more = 1;
			}
		}
	}
}

/* stratified: the others in turn, each with a generator of its own. */
static int draw_stratified(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			   uint32_t *picked, size_t *n_picked, assay_error *err)
{
	const stratified *s = self;
	const assay_host *host = s->host;
	size_t most = n < candidates.count ? n : candidates.count;
	uint32_t *room = host->alloc((s->n * most + 1) * sizeof *room);
	turns t = {.n = s->n, .taken = host->alloc(candidates.count + 1)};
	int rc = room && t.taken ? 0 : host->fail(err, ASSAY_ENOMEM, "out of memory");
	*n_picked = 0;
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		uint64_t seed = (uint64_t)host->rng->below(call, 0x80000000u) + i;
		t.lists[i] = room + i * most;
		rc = host->sampler->draw(call, s->names[i].ptr, required, candidates, most, seed, t.lists[i],
					 &t.counts[i], err);
		for (size_t k = 0; k < t.counts[i] && rc == 0; k++) {
			if (t.lists[i][k] >= candidates.count) {
				rc = host->fail(err, ASSAY_EPLUGIN, "sampler/%s picked tool %u of %zu", s->names[i].ptr,
						t.lists[i][k], candidates.count);
			}
		}
	}
	if (rc == 0) {
		take_turns(&t, most, picked, n_picked);
	}
	host->free(t.taken);
	host->free(room);
	return rc;
}

#define SAMPLER(id, draw_function, text)                                                                               \
	static const assay_sampler_ops id##_ops = {.size = sizeof id##_ops,                                            \
						   .open = plain_open,                                                 \
						   .close = plain_close,                                               \
						   .draw = draw_function};                                             \
	static const assay_impl id##_impl = {.size = sizeof id##_impl,                                                 \
					     .role = ASSAY_ROLE_SAMPLER,                                               \
					     .role_version = 1,                                                        \
					     .flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,                          \
					     .name = #id,                                                              \
					     .summary = text,                                                          \
					     .ops = &id##_ops}

SAMPLER(random, draw_random, "any tools");
SAMPLER(hard_negative, draw_hard_negative, "tools with the most similar descriptions");
SAMPLER(cross_domain, draw_cross_domain, "tools of other domains");
SAMPLER(same_name, draw_same_name, "tools of the same or nearly the same name on other servers");
SAMPLER(sibling, draw_sibling, "other tools of the same servers");

static const assay_sampler_ops stratified_ops = {.size = sizeof stratified_ops,
						 .open = stratified_open,
						 .close = stratified_close,
						 .draw = draw_stratified};
static const assay_impl stratified_impl = {
	.size = sizeof stratified_impl,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "stratified",
	.summary = "some of each of other samplers in turn",
	.options =
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"strata\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":16,"
		"\"items\":{\"type\":\"string\",\"pattern\":\"^[a-z][a-z0-9_-]*$\",\"not\":{\"const\":\"stratified\","
		"\"description\":\"a mixture of samplers cannot be one of its own strata: name another sampler\"},"
		"\"format\":\"sampler\"},"
		"\"description\":\"samplers by their names; where nothing is said, DynamicMCPBench's five: "
		"hard_negative, same_name, sibling, cross_domain, random\"}}}",
	.ops = &stratified_ops};

ASSAY_PLUGIN(sampler_base, "0.1.0", "The base samplers of DynamicMCPBench", "Apache-2.0", &random_impl,
	     &hard_negative_impl, &cross_domain_impl, &same_name_impl, &sibling_impl, &stratified_impl)
