#include "core/task/catalogue.h"

#include "core/base/error.h"
#include "core/task/rules.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct as_catalogue {
	assay_json *records;
	assay_json *tags; /* {server: [tag]} */
	as_arena arena;
	as_catalogue_server *servers;
	size_t n_servers;
	const assay_tool **sorted; /* all tools by (server, name) */
	size_t n_tools;
	as_likeness *likeness;
	pthread_mutex_t lock; /* guards likeness */
};

static const char *const class_names[] = {"static", "live_read", "stateful_write"};

const char *as_class_name(int server_class)
{
	return server_class >= 0 && server_class <= 2 ? class_names[server_class] : "stateful_write";
}

int as_class_from_name(assay_str name)
{
	for (int i = 0; i < 3; i++) {
		if (as_str_is(name, class_names[i])) {
			return i;
		}
	}
	return -1;
}

/* Design page "replay", rule 1: the manifest's word first, then annotation and name, else a write. */
static bool tool_writes(const as_catalogue_server *s, const assay_json *tool)
{
	assay_str name = as_json_str(as_json_get(tool, "name"));
	assay_str said = as_json_str(as_json_get_n(as_json_get(s->record, "effects"), name));
	if (s->server_class != AS_CLASS_STATEFUL_WRITE || as_str_is(said, "read")) {
		return false;
	}
	if (said.len > 0) {
		return true;
	}
	if (as_json_boolean(as_json_pointer(tool, "/annotations/readOnlyHint"), 0)) {
		return false;
	}
	return !as_is_read_name(name);
}

static void make_tool(const as_catalogue_server *s, const assay_json *tool, assay_tool *out)
{
	*out = (assay_tool){.size = sizeof *out,
			    .server = s->id,
			    .name = as_json_str(as_json_get(tool, "name")),
			    .description = as_json_str(as_json_get(tool, "description")),
			    .input_schema = as_json_get(tool, "inputSchema"),
			    .output_schema = as_json_get(tool, "outputSchema"),
			    .annotations = as_json_get(tool, "annotations"),
			    .tags = s->tags,
			    .n_tags = s->n_tags};
	if (tool_writes(s, tool)) {
		out->flags |= ASSAY_TOOL_WRITES;
	}
	if (as_is_destructive_name(out->name)) {
		out->flags |= ASSAY_TOOL_DESTRUCTIVE;
	}
}

static bool seen_before(const assay_tool *const *list, size_t n, assay_str name)
{
	for (size_t i = 0; i < n; i++) {
		if (as_str_eq(list[i]->name, name)) {
			return true;
		}
	}
	return false;
}

static int make_tools(as_catalogue *c, as_catalogue_server *s, assay_error *err)
{
	const assay_json *tools = as_json_get(s->record, "tools");
	size_t cap = as_json_count(tools) + 1, n = 0;
	const assay_tool **list = as_arena_alloc(&c->arena, cap * sizeof(const assay_tool *));
	assay_tool *made = as_arena_alloc(&c->arena, cap * sizeof *made);
	if (!list || !made) {
		return as_fail_memory(err);
	}
	for (const assay_json *t = as_json_first(tools); t; t = as_json_next(t)) {
		assay_str name = as_json_str(as_json_get(t, "name"));
		if (name.len > 0 && !seen_before(list, n, name)) {
			make_tool(s, t, &made[n]);
			list[n] = &made[n];
			n++;
		}
	}
	s->tools = (assay_tools){list, n};
	c->n_tools += n;
	return 0;
}

static int make_server(as_catalogue *c, const assay_json *record, as_catalogue_server *s, assay_error *err)
{
	const assay_json *tags = as_json_get(record, "tags");
	assay_str *list = as_arena_alloc(&c->arena, (as_json_count(tags) + 1) * sizeof *list);
	assay_str group = as_json_str(as_json_get(record, "group"));
	if (!list) {
		return as_fail_memory(err);
	}
	s->record = record;
	s->id = as_json_str(as_json_get(record, "server_id"));
	s->server_class = as_class_from_name(as_json_str(as_json_get(record, "class")));
	s->group = group.len ? group : s->id;
	if (s->id.len == 0 || s->server_class < 0) {
		return as_fail(err, ASSAY_EDATA, "a server record needs \"server_id\" and a known \"class\"");
	}
	if (tags && as_json_type(tags) != ASSAY_JSON_ARRAY) {
		as_fail(err, ASSAY_EDATA, "the \"tags\" of server \"%.*s\" are not an array", ASSAY_FMT(s->id));
		return ASSAY_EDATA;
	}
	for (const assay_json *t = as_json_first(tags); t; t = as_json_next(t)) {
		list[s->n_tags++] = as_json_str(t);
	}
	s->tags = list;
	if (as_json_set_n(c->tags, s->id, tags ? as_json_clone(tags) : as_json_array()) < 0) {
		return as_fail_memory(err);
	}
	return make_tools(c, s, err);
}

static int compare_servers(const void *a, const void *b)
{
	return as_str_cmp(((const as_catalogue_server *)a)->id, ((const as_catalogue_server *)b)->id);
}

static int compare_tools(const void *a, const void *b)
{
	const assay_tool *x = *(const assay_tool *const *)a, *y = *(const assay_tool *const *)b;
	int c = as_str_cmp(x->server, y->server);
	return c ? c : as_str_cmp(x->name, y->name);
}

static int sort_tools(as_catalogue *c, assay_error *err)
{
	size_t n = 0;
	c->sorted = as_arena_alloc(&c->arena, (c->n_tools + 1) * sizeof(const assay_tool *));
	if (!c->sorted) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < c->n_servers; i++) {
		for (size_t k = 0; k < c->servers[i].tools.count; k++) {
			c->sorted[n++] = c->servers[i].tools.list[k];
		}
	}
	qsort(c->sorted, n, sizeof(const assay_tool *), compare_tools);
	return 0;
}

int as_catalogue_new(assay_json *records, as_catalogue **out, assay_error *err)
{
	as_catalogue *c = as_new(1, sizeof *c);
	int rc = 0;
	*out = NULL;
	if (c && pthread_mutex_init(&c->lock, NULL) != 0) {
		free(c);
		c = NULL;
	}
	if (!c) {
		as_json_free(records);
		return as_fail_memory(err);
	}
	c->records = records = as_json_freeze(records); /* schemas go into each offer, trace and request */
	if (as_json_type(records) != ASSAY_JSON_ARRAY) {
		as_catalogue_free(c);
		return as_fail(err, ASSAY_EDATA, "a catalogue is an array of server records");
	}
	c->tags = as_json_object();
	c->servers = as_arena_alloc(&c->arena, (as_json_count(records) + 1) * sizeof *c->servers);
	if (!c->tags || !c->servers) {
		rc = as_fail_memory(err);
	}
	for (const assay_json *r = as_json_first(records); r && rc == 0; r = as_json_next(r)) {
		rc = make_server(c, r, &c->servers[c->n_servers++], err);
	}
	if (rc == 0) {
		qsort(c->servers, c->n_servers, sizeof *c->servers, compare_servers);
		for (size_t i = 1; i < c->n_servers && rc == 0; i++) {
			if (as_str_eq(c->servers[i].id, c->servers[i - 1].id)) {
				rc = as_fail(err, ASSAY_EDATA, "two servers are called \"%.*s\"",
					     ASSAY_FMT(c->servers[i].id));
			}
		}
	}
	if (rc == 0) {
		rc = sort_tools(c, err);
	}
	if (rc < 0) {
		as_catalogue_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void as_catalogue_free(as_catalogue *c)
{
	if (c) {
		as_json_free(c->records);
		as_json_free(c->tags);
		as_arena_free(&c->arena);
		as_likeness_free(c->likeness);
		pthread_mutex_destroy(&c->lock);
		free(c);
	}
}

int as_catalogue_likeness(as_catalogue *c, const as_likeness **out, assay_error *err)
{
	int rc = 0;
	pthread_mutex_lock(&c->lock);
	if (!c->likeness) {
		rc = as_likeness_new(as_catalogue_tools(c), &c->likeness, err);
	}
	*out = c->likeness;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

const assay_json *as_catalogue_records(const as_catalogue *c)
{
	return c->records;
}

assay_tools as_catalogue_tools(const as_catalogue *c)
{
	return (assay_tools){c->sorted, c->n_tools};
}

const assay_tool *as_catalogue_find(const as_catalogue *c, assay_str server, assay_str tool)
{
	const assay_tool key = {.server = server, .name = tool}, *key_p = &key;
	const assay_tool *const *found =
		c->n_tools ? bsearch(&key_p, c->sorted, c->n_tools, sizeof(const assay_tool *), compare_tools) : NULL;
	return found ? *found : NULL;
}

size_t as_catalogue_servers(const as_catalogue *c, const as_catalogue_server **out)
{
	*out = c->servers;
	return c->n_servers;
}

const as_catalogue_server *as_catalogue_server_of(const as_catalogue *c, assay_str server)
{
	const as_catalogue_server key = {.id = server};
	return c->n_servers ? bsearch(&key, c->servers, c->n_servers, sizeof key, compare_servers) : NULL;
}

const assay_json *as_catalogue_tags(const as_catalogue *c)
{
	return c->tags;
}

static bool listed(const assay_json *ids, assay_str id)
{
	for (const assay_json *v = as_json_first(ids); v; v = as_json_next(v)) {
		if (as_str_eq(as_json_str(v), id)) {
			return true;
		}
	}
	return false;
}

int as_catalogue_surface(const as_catalogue *c, const assay_json *server_ids, as_arena *a, assay_tools *out,
			 assay_error *err)
{
	const assay_tool **list = as_arena_alloc(a, (c->n_tools + 1) * sizeof(const assay_tool *));
	size_t n = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < c->n_tools; i++) {
		if (listed(server_ids, c->sorted[i]->server)) {
			list[n++] = c->sorted[i];
		}
	}
	*out = (assay_tools){list, n};
	return 0;
}

static assay_json *clone_or_null(const assay_json *v)
{
	return v ? as_json_clone(v) : as_json_null();
}

assay_json *as_catalogue_tool_specs(const as_catalogue_server *server)
{
	assay_json *list = as_json_array();
	int rc = list ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < server->tools.count && rc == 0; i++) {
		const assay_tool *t = server->tools.list[i];
		assay_json *spec = as_json_object();
		rc = as_json_set(spec, "name", as_json_string(t->name));
		rc |= as_json_set(spec, "description",
				  t->description.len > 0 ? as_json_string(t->description) : as_json_null());
		rc |= as_json_set(spec, "input_schema", clone_or_null(t->input_schema));
		rc |= as_json_set(spec, "output_schema", clone_or_null(t->output_schema));
		if (rc < 0) {
			as_json_free(spec);
		} else {
			rc = as_json_append(list, spec);
		}
	}
	if (rc < 0) {
		as_json_free(list);
		return NULL;
	}
	return list;
}
