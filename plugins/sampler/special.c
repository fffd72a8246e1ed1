/* cross_server_alt: the same tool on several servers. complementary: one tool's output is the other's input. */
#include "special.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)64 << 20)

int special_same_text(assay_str a, assay_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static int compare_text(assay_str a, assay_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
	return c ? c : (a.len > b.len) - (a.len < b.len);
}

int special_compare_tools(const assay_tool *a, const assay_tool *b)
{
	int c = compare_text(a->server, b->server);
	return c ? c : compare_text(a->name, b->name);
}

int special_add(seed_list *list, const seed_set *set, assay_error *err)
{
	if (list->n >= SEED_SETS_MAX) {
		return 0;
	}
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		seed_set *grown = list->host->resize(list->sets, cap * sizeof *grown);
		if (!grown) {
			return list->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		list->sets = grown;
		list->cap = cap;
	}
	list->sets[list->n++] = *set;
	return 0;
}

/* --- Groups of one name ------------------------------------------------------------------------------------------ */

typedef struct named {
	const assay_tool *tool;
	uint32_t index;
} named;

static int compare_named(const void *a, const void *b)
{
	const assay_tool *x = ((const named *)a)->tool, *y = ((const named *)b)->tool;
	int c = compare_text(x->name, y->name);
	return c ? c : compare_text(x->server, y->server);
}

int special_find_groups(const special *s, assay_call *call, seed_list *list, assay_error *err)
{
	size_t n = list->tools.count;
	named *sorted = s->host->alloc((n + 1) * sizeof *sorted);
	int rc = 0;
	(void)call;
	if (!sorted) {
		return s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		sorted[i] = (named){list->tools.list[i], (uint32_t)i};
	}
	qsort(sorted, n, sizeof *sorted, compare_named);
	for (size_t i = 0, end; i < n && rc == 0; i = end) {
		seed_set set = {.n = 0};
		for (end = i; end < n && special_same_text(sorted[end].tool->name, sorted[i].tool->name); end++) {
			if (set.n < SEED_MEMBERS) {
				set.tool[set.n++] = sorted[end].index;
			}
		}
		if (set.n > 1) { /* a server has a name once, so two tools are on two servers */
			rc = special_add(list, &set, err);
		}
	}
	s->host->free(sorted);
	return rc;
}

/* --- Sets that a file names -------------------------------------------------------------------------------------- */

/* What the file says that the catalogue does not bear out: counts, and where the first is. */
typedef struct remarks {
	size_t unknown; /* tools */
	char first[240];
	size_t narrow; /* groups that have not the tools that they should have */
	size_t first_narrow;
} remarks;

static int fail_at(const special *s, assay_error *err, const char *pointer, const char *message)
{
	int rc = s->host->fail(err, ASSAY_EDATA, "%s", message);
	if (err) {
		snprintf(err->where, sizeof err->where, "%s", s->file);
		snprintf(err->pointer, sizeof err->pointer, "%s", pointer);
	}
	return rc;
}

/* What a member is called: "server" or "server_id", and "tool". False: it is none. */
static bool read_member(const special *s, const assay_json *member, assay_tool *asked)
{
	const assay_json_api *J = s->host->json;
	const assay_json *server = J->get(member, "server");
	*asked = (assay_tool){.server = J->str(server ? server : J->get(member, "server_id")),
			      .name = J->str(J->get(member, "tool"))};
	return asked->server.len > 0 && asked->name.len > 0;
}

/* The place of a tool; -1: the catalogue does not have it. */
static int64_t find_member(const named *sorted, size_t n, const assay_tool *asked)
{
	const named key = {asked, 0};
	const named *found = n ? bsearch(&key, sorted, n, sizeof key, compare_named) : NULL;
	return found ? (int64_t)found->index : -1;
}

/* Instances say it in the same words, so that it is shown once. */
static void warn(const special *s, const assay_call *call, const remarks *r)
{
	if (r->unknown > 0) {
		s->host->log(call, ASSAY_LOG_WARN,
			     "%s: %zu of its tools are not in the catalogue and are left out, first %s", s->file,
			     r->unknown, r->first);
	}
	if (r->narrow > 0) {
		s->host->log(call, ASSAY_LOG_WARN,
			     "%s: %zu of its groups do not have two tools%s and are left out, first /%zu", s->file,
			     r->narrow, s->across ? " on two servers" : "", r->first_narrow);
	}
}

/* One group of the file: its members stand in it, or in its "members". */
typedef struct group {
	const assay_json *members;
	char pointer[64]; /* of these */
	size_t number;
} group;

static int take_group(const special *s, const named *sorted, seed_list *list, const group *g, remarks *r,
		      assay_error *err)
{
	const assay_json_api *J = s->host->json;
	seed_set set = {.n = 0};
	bool across = false;
	size_t known = 0, k = 0;
	for (const assay_json *m = J->first(g->members); m; m = J->next(m), k++) {
		assay_tool asked;
		int64_t at;
		char pointer[96];
		snprintf(pointer, sizeof pointer, "%s/%zu", g->pointer, k);
		if (!read_member(s, m, &asked)) {
			return fail_at(s, err, pointer, "found no tool, expected {\"server\": ID, \"tool\": NAME}");
		}
		at = find_member(sorted, list->tools.count, &asked);
		if (at < 0 && r->unknown++ == 0) {
			snprintf(r->first, sizeof r->first, "%s: %.*s.%.*s", pointer, ASSAY_FMT(asked.server),
				 ASSAY_FMT(asked.name));
		}
		if (at < 0 || known++ >= SEED_MEMBERS) {
			continue;
		}
		set.tool[set.n++] = (uint32_t)at;
		across = across ||
			 !special_same_text(list->tools.list[at]->server, list->tools.list[set.tool[0]]->server);
	}
	if ((k < 2 || (set.n > 1 && s->across && !across)) && r->narrow++ == 0) {
		r->first_narrow = g->number;
	}
	return set.n < 2 || (s->across && !across) ? 0 : special_add(list, &set, err);
}

static int take_groups(const special *s, const named *sorted, seed_list *list, const assay_json *document, remarks *r,
		       assay_error *err)
{
	const assay_json_api *J = s->host->json;
	size_t n = 0;
	int rc = 0;
	if (J->type(document) != ASSAY_JSON_ARRAY) {
		return fail_at(s, err, "", "found no array, expected one of groups of tools");
	}
	for (const assay_json *e = J->first(document); e && rc == 0; e = J->next(e), n++) {
		bool object = J->type(e) == ASSAY_JSON_OBJECT;
		group g = {.members = object ? J->get(e, "members") : e, .number = n};
		snprintf(g.pointer, sizeof g.pointer, "/%zu%s", n, object ? "/members" : "");
		rc = J->type(g.members) == ASSAY_JSON_ARRAY
			     ? take_group(s, sorted, list, &g, r, err)
			     : fail_at(s, err, g.pointer,
				       "found no group, expected an array of {\"server\": ID, \"tool\": NAME}, or an "
				       "object with one as \"members\"");
	}
	return rc;
}

static int read_sets(const special *s, assay_call *call, seed_list *list, assay_error *err)
{
	const assay_json_api *J = s->host->json;
	size_t n = list->tools.count;
	named *sorted = s->host->alloc((n + 1) * sizeof *sorted);
	assay_text text = {NULL, 0};
	assay_json *document = NULL;
	remarks found = {0};
	assay_error broken = {0};
	int rc = sorted ? 0 : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		sorted[i] = (named){list->tools.list[i], (uint32_t)i};
	}
	if (rc == 0) {
		qsort(sorted, n, sizeof *sorted, compare_named);
		rc = s->host->file->read(call, s->file, MAX_FILE, &text, err);
	}
	if (rc == 0) {
		rc = J->parse((assay_str){text.ptr, text.len}, ASSAY_JSON_PEER, &document, &broken);
		if (rc < 0 && err) {
			*err = broken;
			snprintf(err->where, sizeof err->where, "%s", s->file);
		}
	}
	rc = rc < 0 ? rc : take_groups(s, sorted, list, document, &found, err);
	if (rc == 0) {
		warn(s, call, &found);
	}
	J->free(document);
	J->text_free(&text);
	s->host->free(sorted);
	return rc;
}

/* --- The two operations ------------------------------------------------------------------------------------------ */

static int find_sets(const special *s, assay_call *call, seed_list *list, assay_error *err)
{
	int rc = s->file ? read_sets(s, call, list, err) : 0;
	return rc == 0 && s->mine ? s->find(s, call, list, err) : rc;
}

static assay_json *describe_set(const special *s, const seed_list *list, const seed_set *set)
{
	const assay_json_api *J = s->host->json;
	assay_json *out = J->array();
	int rc = 0;
	for (uint32_t i = 0; i < set->n && rc == 0; i++) {
		const assay_tool *t = list->tools.list[set->tool[i]];
		assay_json *member = J->object();
		rc = J->set(member, "server", J->string(t->server));
		rc |= J->set(member, "tool", J->string(t->name));
		if (rc < 0) {
			J->free(member);
			break;
		}
		rc = J->append(out, member);
	}
	if (rc < 0) {
		J->free(out);
		return NULL;
	}
	return out;
}

static int special_seed_sets(void *self, assay_call *call, assay_tools catalogue, assay_sink *sets, assay_error *err)
{
	special *s = self;
	seed_list list = {.host = s->host, .tools = catalogue};
	int rc = find_sets(s, call, &list, err);
	for (size_t i = 0; i < list.n && rc == 0; i++) {
		assay_json *set = describe_set(s, &list, &list.sets[i]);
		rc = set ? sets->emit(sets, set, err) : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	s->host->free(list.sets);
	return rc < 0 ? rc : 0;
}

/* Marks the candidates that are in a set with a required tool; candidates follow the required ones in list->tools. */
static void mark_related(const seed_list *list, size_t n_required, unsigned char *related)
{
	for (size_t i = 0; i < list->n; i++) {
		const seed_set *set = &list->sets[i];
		int needed = 0;
		for (uint32_t k = 0; k < set->n; k++) {
			needed |= set->tool[k] < n_required;
		}
		for (uint32_t k = 0; k < set->n && needed; k++) {
			if (set->tool[k] >= n_required) {
				related[set->tool[k] - n_required] = 1;
			}
		}
	}
}

static int pick_related(const special *s, assay_call *call, assay_tools candidates, const unsigned char *related,
			size_t n, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	named *sorted = s->host->alloc((candidates.count + 1) * sizeof *sorted);
	uint32_t *order = s->host->alloc((candidates.count + 1) * sizeof *order);
	size_t count = 0;
	int rc = sorted && order ? 0 : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	for (size_t i = 0; i < candidates.count && rc == 0; i++) {
		if (related[i]) {
			sorted[count++] = (named){candidates.list[i], (uint32_t)i};
		}
	}
	if (rc == 0) {
		qsort(sorted, count, sizeof *sorted, compare_named);
		for (size_t i = 0; i < count; i++) {
			order[i] = sorted[i].index;
		}
		s->host->rng->shuffle(call, order, count);
		for (size_t i = 0; i < count && *n_picked < n; i++) {
			picked[(*n_picked)++] = order[i];
		}
	}
	s->host->free(order);
	s->host->free(sorted);
	return rc;
}

/* The tools that stand in one set with a required tool, sorted and shuffled. */
static int special_draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n,
			uint32_t *picked, size_t *n_picked, assay_error *err)
{
	special *s = self;
	size_t total = required.count + candidates.count;
	const assay_tool **all = s->host->alloc((total + 1) * sizeof(const assay_tool *));
	unsigned char *related = s->host->alloc(candidates.count + 1);
	seed_list list = {.host = s->host, .tools = {all, total}};
	int rc = all && related ? 0 : s->host->fail(err, ASSAY_ENOMEM, "out of memory");
	*n_picked = 0;
	for (size_t i = 0; i < total && rc == 0; i++) {
		all[i] = i < required.count ? required.list[i] : candidates.list[i - required.count];
	}
	if (rc == 0) {
		rc = find_sets(s, call, &list, err);
	}
	if (rc == 0) {
		mark_related(&list, required.count, related);
		rc = pick_related(s, call, candidates, related, n, picked, n_picked, err);
	}
	s->host->free(list.sets);
	s->host->free(related);
	s->host->free((void *)(uintptr_t)all);
	return rc;
}

static void special_close(void *self)
{
	special *s = self;
	if (s) {
		s->host->free(s->file);
		s->host->free(s->traces);
		s->host->free(s);
	}
}

static int copy_option(const special *s, const assay_json *options, const char *key, char **out)
{
	assay_str value = s->host->json->str(s->host->json->get(options, key));
	if (value.len == 0) {
		return 0;
	}
	*out = s->host->alloc(value.len + 1);
	if (!*out) {
		return ASSAY_ENOMEM;
	}
	memcpy(*out, value.ptr, value.len);
	return 0;
}

static int special_open(const assay_host *host, const assay_json *options, special **out, assay_error *err)
{
	special *s = host->alloc(sizeof *s);
	if (!s) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	s->host = host;
	if (copy_option(s, options, "file", &s->file) < 0 || copy_option(s, options, "traces", &s->traces) < 0) {
		special_close(s);
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	s->mine = host->json->boolean(host->json->get(options, "mine"), !s->file);
	*out = s;
	return 0;
}

static int alt_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	special *s = NULL;
	int rc = special_open(host, options, &s, err);
	if (rc == 0) {
		s->find = special_find_groups;
		s->across = 1;
		*self = s;
	}
	return rc;
}

static int complementary_open(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	special *s = NULL;
	int rc = special_open(host, options, &s, err);
	if (rc == 0) {
		s->find = special_find_edges;
		*self = s;
	}
	return rc;
}

#define FILE_OPTIONS                                                                                                    \
	"\"file\":{\"type\":\"string\",\"format\":\"path\",\"must-exist\":true,\"description\":\"JSON array of seed "   \
	"sets: arrays of {server, tool}, or objects with such an array as members\"},"                                  \
	"\"mine\":{\"type\":\"boolean\",\"description\":\"look for sets in the catalogue; false by default when there " \
	"is a file\"}"

static const assay_sampler_ops alt_ops = {.size = sizeof alt_ops,
					  .open = alt_open,
					  .close = special_close,
					  .draw = special_draw,
					  .seed_sets = special_seed_sets};
static const assay_impl alt_impl = {
	.size = sizeof alt_impl,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "cross_server_alt",
	.summary = "tools of one name on two servers or more",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" FILE_OPTIONS "}}",
	.ops = &alt_ops};

static const assay_sampler_ops complementary_ops = {.size = sizeof complementary_ops,
						    .open = complementary_open,
						    .close = special_close,
						    .draw = special_draw,
						    .seed_sets = special_seed_sets};
static const assay_impl complementary_impl = {
	.size = sizeof complementary_impl,
	.role = ASSAY_ROLE_SAMPLER,
	.role_version = 1,
	.flags = ASSAY_IMPL_PURE | ASSAY_IMPL_REENTRANT,
	.name = "complementary",
	.summary = "two tools, of which one answers what the other asks for",
	.options = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" FILE_OPTIONS ","
		   "\"traces\":{\"type\":\"string\",\"format\":\"path\",\"must-exist\":true,\"description\":\"recorded "
		   "sessions, JSON lines: results and arguments in them show more pairs than schemas do\"}}}",
	.ops = &complementary_ops};

ASSAY_PLUGIN(sampler_special, "0.1.0", "The cross-server specials of DynamicMCPBench", "Apache-2.0", &alt_impl,
	     &complementary_impl)
