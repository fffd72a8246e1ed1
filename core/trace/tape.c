#include "core/trace/tape.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/trace/canonical.h"
#include "core/trace/document.h"
#include <stdlib.h>
#include <string.h>

/* Rows sorted three ways; a look-up is two binary searches and answers a run of one of these arrays. */
#define BY_TOOL 0
#define BY_CALL 1
#define BY_CALL_AT 2

/* A server of a finished tape, with its tools sorted by name. */
typedef struct tape_server {
	assay_str id, group, initial;
	const assay_json **tools;
	size_t n_tools;
} tape_server;

struct as_tape {
	assay_json *document;
	as_tape *as_stored;   /* the same document, looked up by what recorders have stored; NULL: no different */
	bool is_as_stored;    /* it is one of these, and the document is the other's */
	tape_server *servers; /* sorted by id; NULL until the tape is finished */
	size_t n_servers;
	as_arena arena;
	as_tape_row *rows;
	size_t n_rows, cap_rows;
	uint32_t *index[3];
	as_near **near; /* one for each different call */
	size_t n_near;
	char id[65];
};

/* What a row is looked up by; empty parts are not compared. */
typedef struct tape_key {
	assay_str server, tool, canonical, version;
	int order;
} tape_key;

int as_tape_new(as_tape **out, assay_error *err)
{
	as_tape *t = as_new(1, sizeof *t);
	assay_json *d = as_json_object();
	int rc = as_json_set(d, "assay_tape", as_json_integer(1));
	rc |= as_json_set(d, "servers", as_json_object());
	rc |= as_json_set(d, "rows", as_json_array());
	if (!t || rc < 0) {
		as_json_free(d);
		free(t);
		*out = NULL;
		return as_fail_memory(err);
	}
	t->document = d;
	*out = t;
	return 0;
}

void as_tape_free(as_tape *t)
{
	if (t) {
		for (int i = 0; i < 3; i++) {
			free(t->index[i]);
		}
		for (size_t i = 0; i < t->n_near; i++) {
			as_near_free(t->near[i]);
		}
		free(t->near);
		free(t->rows);
		as_tape_free(t->as_stored);
		as_json_free(t->is_as_stored ? NULL : t->document);
		as_arena_free(&t->arena);
		free(t);
	}
}

static const assay_json *server_entry(const as_tape *t, assay_str server)
{
	return as_json_get_n(as_json_get(t->document, "servers"), server);
}

/* A version has its place in structs of a fixed size. */
static int check_version(assay_str version, assay_error *err)
{
	return version.len < AS_VERSION_SIZE
		       ? 0
		       : as_fail(err, ASSAY_EDATA, "a version has at most %d bytes", AS_VERSION_SIZE - 1);
}

/* Changes come before the end; a defect of the caller otherwise. */
static int check_open(const as_tape *t, assay_error *err)
{
	return t->servers ? as_fail(err, ASSAY_EINTERNAL, "the tape is finished already") : 0;
}

int as_tape_add_server(as_tape *t, assay_str server, assay_str group, assay_str initial_version, assay_error *err)
{
	assay_json *s;
	int rc = check_open(t, err);
	if (rc < 0) {
		return rc;
	}
	s = as_json_object();
	rc = as_json_set(s, "group", as_json_string(group));
	rc |= as_json_set(s, "initial", as_json_string(initial_version));
	rc |= as_json_set(s, "tools", as_json_object());
	if (rc < 0) {
		as_json_free(s);
		return as_fail_memory(err);
	}
	rc = as_json_set_n(as_json_edit(as_json_get(t->document, "servers")), server, s);
	return rc < 0 ? as_fail_memory(err) : 0;
}

int as_tape_add_tool(as_tape *t, assay_str server, assay_str tool, bool write, assay_error *err)
{
	assay_json *tools = as_json_edit(as_json_get(server_entry(t, server), "tools"));
	int rc = check_open(t, err);
	if (rc < 0) {
		return rc;
	}
	if (!tools) {
		return as_fail(err, ASSAY_EINVAL, "the tape does not know a server \"%.*s\"", ASSAY_FMT(server));
	}
	return as_json_set_n(tools, tool, as_json_cstring(write ? "write" : "read")) < 0 ? as_fail_memory(err) : 0;
}

static assay_json *clone_or_null(const assay_json *v)
{
	return v ? as_json_clone(v) : as_json_null();
}

/* What a recorder has stored goes along where it is not what it should be. */
static int add_stored(assay_json *r, const as_tape_row *row)
{
	as_buf canonical = {0};
	assay_str stored = row->stored.len > 0 ? row->stored : ASSAY_STR("{}");
	int rc = row->stored.ptr ? as_canonical_arguments(row->arguments, &canonical) : 0;
	if (rc == 0 && row->stored.ptr && !as_str_eq(stored, as_buf_str(&canonical))) {
		rc = as_json_set(r, "stored", as_json_string(stored));
	}
	as_buf_free(&canonical);
	return rc;
}

int as_tape_add_row(as_tape *t, const as_tape_row *row, assay_error *err)
{
	assay_json *r;
	int rc = check_open(t, err);
	if (rc < 0) {
		return rc;
	}
	r = as_json_object();
	rc = as_json_set(r, "version", as_json_string(row->version));
	rc |= as_json_set(r, "server", as_json_string(row->server));
	rc |= as_json_set(r, "tool", as_json_string(row->tool));
	rc |= as_json_set(r, "arguments", clone_or_null(row->arguments));
	rc |= as_json_set(r, "result", clone_or_null(row->result));
	rc |= as_json_set(r, "status", as_json_cstring(as_status_name(row->status)));
	if (row->error) {
		rc |= as_json_set(r, "error", as_json_clone(row->error));
	}
	if (!as_str_eq(row->next, row->version)) {
		rc |= as_json_set(r, "next", as_json_string(row->next));
	}
	rc |= add_stored(r, row);
	if (row->filled) {
		rc |= as_json_set(r, "filled", as_json_truth(1));
	}
	if (rc < 0) {
		as_json_free(r);
		return as_fail_memory(err);
	}
	rc = as_json_append(as_json_edit(as_json_get(t->document, "rows")), r);
	return rc < 0 ? as_fail_memory(err) : 0;
}

static int compare_servers(const void *a, const void *b)
{
	return as_str_cmp(((const tape_server *)a)->id, ((const tape_server *)b)->id);
}

static int compare_tools(const void *a, const void *b)
{
	return as_str_cmp(as_json_key(*(const assay_json *const *)a), as_json_key(*(const assay_json *const *)b));
}

static const tape_server *find_server(const as_tape *t, assay_str id)
{
	const tape_server key = {.id = id};
	return bsearch(&key, t->servers, t->n_servers, sizeof key, compare_servers);
}

/* "read" or "write"; NULL: not listed. */
static const assay_json *find_tool(const tape_server *s, assay_str name)
{
	size_t low = 0, high = s->n_tools;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = as_str_cmp(as_json_key(s->tools[middle]), name);
		if (order == 0) {
			return s->tools[middle];
		}
		low = order < 0 ? middle + 1 : low;
		high = order < 0 ? high : middle;
	}
	return NULL;
}

static int view_server(as_tape *t, const assay_json *s, tape_server *out, assay_error *err)
{
	const assay_json *tools = as_json_get(s, "tools");
	if (as_json_type(as_json_get(s, "group")) != ASSAY_JSON_STRING ||
	    as_json_type(as_json_get(s, "initial")) != ASSAY_JSON_STRING || as_json_type(tools) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA,
			       "a server has texts \"group\" and \"initial\" and an object \"tools\"");
	}
	out->id = as_json_key(s);
	out->group = as_json_str(as_json_get(s, "group"));
	out->initial = as_json_str(as_json_get(s, "initial"));
	out->tools = as_arena_alloc(&t->arena, (as_json_count(tools) + 1) * sizeof(const assay_json *));
	if (!out->tools) {
		return as_fail_memory(err);
	}
	for (const assay_json *tool = as_json_first(tools); tool; tool = as_json_next(tool)) {
		if (!as_str_is(as_json_str(tool), "read") && !as_str_is(as_json_str(tool), "write")) {
			return as_fail(err, ASSAY_EDATA, "a tool's effect is \"read\" or \"write\"");
		}
		out->tools[out->n_tools++] = tool;
	}
	qsort(out->tools, out->n_tools, sizeof(const assay_json *), compare_tools);
	return check_version(out->initial, err);
}

static int compare_groups(const void *a, const void *b)
{
	const tape_server *x = *(const tape_server *const *)a, *y = *(const tape_server *const *)b;
	return as_str_cmp(x->group, y->group);
}

/* Servers of one group start in one state. */
static int check_groups(as_tape *t, assay_error *err)
{
	const tape_server **sorted = as_new(t->n_servers + 1, sizeof(const tape_server *));
	int rc = sorted ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < t->n_servers && rc == 0; i++) {
		sorted[i] = &t->servers[i];
	}
	if (rc == 0) {
		qsort(sorted, t->n_servers, sizeof(const tape_server *), compare_groups);
	}
	for (size_t i = 1; i < t->n_servers && rc == 0; i++) {
		if (as_str_eq(sorted[i]->group, sorted[i - 1]->group) &&
		    !as_str_eq(sorted[i]->initial, sorted[i - 1]->initial)) {
			rc = as_fail(err, ASSAY_EDATA, "servers of one group start at different versions");
			as_error_pointer(err, "/servers");
		}
	}
	free(sorted);
	return rc;
}

static int view_servers(as_tape *t, assay_error *err)
{
	const assay_json *servers = as_json_get(t->document, "servers");
	int rc = 0;
	t->servers = as_arena_alloc(&t->arena, (as_json_count(servers) + 1) * sizeof *t->servers);
	if (!t->servers) {
		return as_fail_memory(err);
	}
	for (const assay_json *s = as_json_first(servers); s && rc == 0; s = as_json_next(s)) {
		rc = view_server(t, s, &t->servers[t->n_servers++], err);
		if (rc < 0) {
			as_error_pointer(err, "/servers/%.*s", ASSAY_FMT(as_json_key(s)));
		}
	}
	if (rc == 0) {
		qsort(t->servers, t->n_servers, sizeof *t->servers, compare_servers);
		rc = check_groups(t, err);
	}
	return rc;
}

enum { VERSION, SERVER, TOOL, STATUS, ARGUMENTS, RESULT, ERROR, NEXT, FILLED, STORED, ROW_MEMBERS };

static int check_row(const assay_json *r, const assay_json **found, uint32_t *status, assay_error *err)
{
	static const as_member_rule rules[ROW_MEMBERS] = {
		AS_MEMBER("version", ASSAY_JSON_STRING, true),    AS_MEMBER("server", ASSAY_JSON_STRING, true),
		AS_MEMBER("tool", ASSAY_JSON_STRING, true),       AS_MEMBER("status", ASSAY_JSON_STRING, true),
		AS_MEMBER("arguments", ASSAY_JSON_OBJECT, false), AS_MEMBER("result", ASSAY_JSON_OBJECT, false),
		AS_MEMBER("error", ASSAY_JSON_OBJECT, false),     AS_MEMBER("next", ASSAY_JSON_STRING, false),
		AS_MEMBER("filled", ASSAY_JSON_BOOL, false),      AS_MEMBER("stored", ASSAY_JSON_STRING, false),
	};
	if (as_json_type(r) != ASSAY_JSON_OBJECT) {
		return as_fail(err, ASSAY_EDATA, "a row is not an object");
	}
	if (as_check_members(r, rules, ROW_MEMBERS, found, err) < 0) {
		return ASSAY_EDATA;
	}
	return as_read_status(found[STATUS], status, err);
}

/* The members of a checked row as the struct that look-ups answer. */
static int fill_row(as_tape *t, const assay_json *const *found, as_tape_row *row, assay_error *err)
{
	const tape_server *server = find_server(t, as_json_str(found[SERVER]));
	as_buf canonical = {0};
	if (!server) {
		as_fail(err, ASSAY_EDATA, "a row of a server that is not listed under \"servers\"");
		as_error_pointer(err, "/server");
		return ASSAY_EDATA;
	}
	row->group = server->group;
	row->version = as_json_str(found[VERSION]);
	row->server = server->id;
	row->tool = as_json_str(found[TOOL]);
	row->arguments = as_object_or_null(found[ARGUMENTS]);
	row->result = as_object_or_null(found[RESULT]);
	row->error = as_object_or_null(found[ERROR]);
	row->write = as_tape_writes(t, row->server, row->tool);
	row->filled = as_json_boolean(found[FILLED], 0);
	row->next = as_json_type(found[NEXT]) == ASSAY_JSON_STRING ? as_json_str(found[NEXT]) : row->version;
	row->stored =
		as_json_type(found[STORED]) == ASSAY_JSON_STRING ? as_json_str(found[STORED]) : (assay_str){NULL, 0};
	if (t->is_as_stored && row->stored.ptr) {
		row->canonical = row->stored;
	} else if (as_canonical_arguments(row->arguments, &canonical) == 0) {
		row->canonical = as_arena_str(&t->arena, as_buf_str(&canonical));
	}
	as_buf_free(&canonical);
	return t->arena.failed || !row->canonical.ptr ? as_fail_memory(err) : 0;
}

static int view_row(as_tape *t, const assay_json *r, size_t index, assay_error *err)
{
	as_tape_row row = {.status = ASSAY_STEP_SUCCESS};
	const assay_json *found[ROW_MEMBERS];
	int rc = check_row(r, found, &row.status, err);
	if (rc == 0) {
		rc = fill_row(t, found, &row, err);
	}
	if (rc == 0) {
		rc = check_version(row.version, err);
	}
	if (rc == 0) {
		rc = check_version(row.next, err);
	}
	if (rc < 0) {
		as_error_pointer(err, "/rows/%zu", index);
		return rc;
	}
	if (!as_grow(&t->rows, &t->cap_rows, t->n_rows + 1, sizeof *t->rows)) {
		return as_fail_memory(err);
	}
	t->rows[t->n_rows++] = row;
	return 0;
}

static int compare_part(assay_str a, assay_str b, int found)
{
	return found ? found : as_str_cmp(a, b);
}

/* Compares a row with what is looked for. */
static int compare_key(const as_tape_row *row, const tape_key *key)
{
	int c = key->order == BY_CALL_AT ? as_str_cmp(row->version, key->version) : 0;
	c = compare_part(row->server, key->server, c);
	c = compare_part(row->tool, key->tool, c);
	return key->order == BY_TOOL ? c : compare_part(row->canonical, key->canonical, c);
}

static tape_key key_of(const as_tape_row *row, int order)
{
	return (tape_key){row->server, row->tool, row->canonical, row->version, order};
}

/* Rows of one key stay in recorded order: a stable merge sort (qsort promises nothing). */
static void sort_index(const as_tape *t, uint32_t *items, uint32_t *spare, size_t n, int order)
{
	size_t half = n / 2, i = 0, k = half, out = 0;
	if (n < 2) {
		return;
	}
	sort_index(t, items, spare, half, order);
	sort_index(t, items + half, spare, n - half, order);
	while (i < half && k < n) {
		tape_key right = key_of(&t->rows[items[k]], order);
		spare[out++] = compare_key(&t->rows[items[i]], &right) <= 0 ? items[i++] : items[k++];
	}
	while (i < half) {
		spare[out++] = items[i++];
	}
	memcpy(items, spare, out * sizeof *items); /* what is left on the right is in place already */
}

static int build_indexes(as_tape *t, assay_error *err)
{
	uint32_t *spare = as_new(t->n_rows + 1, sizeof *spare);
	int rc = spare ? 0 : as_fail_memory(err);
	for (int order = 0; order < 3 && rc == 0; order++) {
		t->index[order] = as_new(t->n_rows + 1, sizeof *t->index[order]);
		if (!t->index[order]) {
			rc = as_fail_memory(err);
			break;
		}
		for (size_t i = 0; i < t->n_rows; i++) {
			t->index[order][i] = (uint32_t)i;
		}
		sort_index(t, t->index[order], spare, t->n_rows, order);
	}
	free(spare);
	return rc;
}

/* Arguments are read once for all look-ups; calls that stand in many rows share what was read. */
static int prepare_near(as_tape *t, assay_error *err)
{
	const uint32_t *order = t->index[BY_CALL];
	t->near = as_new(t->n_rows + 1, sizeof(as_near *));
	if (!t->near) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		as_tape_row *row = &t->rows[order[i]];
		tape_key key = key_of(row, BY_CALL);
		if (i > 0 && compare_key(&t->rows[order[i - 1]], &key) == 0) {
			row->near = t->rows[order[i - 1]].near;
			continue;
		}
		t->near[t->n_near] = as_near_new(row->canonical);
		if (!t->near[t->n_near]) {
			return as_fail_memory(err);
		}
		row->near = t->near[t->n_near++];
	}
	return 0;
}

static int make_view(as_tape *t, assay_error *err)
{
	size_t index = 0;
	int rc = view_servers(t, err);
	for (const assay_json *r = as_json_first(as_json_get(t->document, "rows")); r && rc == 0; r = as_json_next(r)) {
		rc = view_row(t, r, index++, err);
	}
	if (rc == 0) {
		rc = build_indexes(t, err);
	}
	return rc < 0 ? rc : prepare_near(t, err);
}

static int view_as_stored(as_tape *t, assay_error *err)
{
	bool differs = false;
	for (size_t i = 0; i < t->n_rows && !differs; i++) {
		differs = t->rows[i].stored.ptr != NULL;
	}
	if (!differs) {
		return 0;
	}
	t->as_stored = as_new(1, sizeof *t->as_stored);
	if (!t->as_stored) {
		return as_fail_memory(err);
	}
	t->as_stored->document = t->document;
	t->as_stored->is_as_stored = true;
	return make_view(t->as_stored, err);
}

const as_tape *as_tape_as_stored(const as_tape *t)
{
	return t->as_stored ? t->as_stored : t;
}

int as_tape_finish(as_tape *t, assay_error *err)
{
	assay_text text = {0};
	int rc = check_open(t, err);
	if (rc == 0) {
		rc = make_view(t, err);
	}
	if (rc == 0) {
		rc = view_as_stored(t, err);
	}
	if (rc == 0) {
		rc = as_json_dump(t->document, ASSAY_JSON_CANONICAL, &text, err);
	}
	if (rc == 0) {
		assay_str parts[] = {as_text_str(text)};
		as_hash_parts("tape", parts, 1, t->id);
	}
	as_text_free(&text);
	return rc;
}

void as_next_version(assay_str version, assay_str server, assay_str tool, assay_str canonical,
		     char out[AS_VERSION_SIZE])
{
	assay_str parts[] = {version, server, tool, canonical};
	char hex[65];
	as_hash_parts("world version", parts, 4, hex);
	memcpy(out, hex, AS_VERSION_SIZE);
}

const assay_json *as_tape_document(const as_tape *t)
{
	return t->document;
}

assay_str as_tape_id(const as_tape *t)
{
	return as_str(t->id);
}

static int check_document(const as_tape *t, assay_error *err)
{
	if (as_json_i64(as_json_get(t->document, "assay_tape"), 0) != 1) {
		as_fail(err, ASSAY_EDATA, "not a tape of version 1");
		as_error_pointer(err, "/assay_tape");
		return ASSAY_EDATA;
	}
	if (as_json_type(as_json_get(t->document, "servers")) != ASSAY_JSON_OBJECT ||
	    as_json_type(as_json_get(t->document, "rows")) != ASSAY_JSON_ARRAY) {
		return as_fail(err, ASSAY_EDATA, "a tape has an object \"servers\" and an array \"rows\"");
	}
	return 0;
}

int as_tape_parse(assay_str text, as_tape **out, assay_error *err)
{
	as_tape *t = as_new(1, sizeof *t);
	int rc;
	*out = NULL;
	if (!t) {
		return as_fail_memory(err);
	}
	rc = as_json_parse(text, ASSAY_JSON_PEER, &t->document, err);
	if (rc == 0) {
		rc = check_document(t, err);
	}
	if (rc == 0) {
		rc = as_tape_finish(t, err);
	}
	if (rc < 0) {
		as_tape_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

size_t as_tape_count(const as_tape *t)
{
	return t->n_rows;
}

const as_tape_row *as_tape_row_at(const as_tape *t, size_t i)
{
	return i < t->n_rows ? &t->rows[i] : NULL;
}

bool as_tape_server(const as_tape *t, assay_str server, assay_str *group, assay_str *initial_version)
{
	const tape_server *found = t->servers ? find_server(t, server) : NULL;
	const assay_json *entry = t->servers ? NULL : server_entry(t, server);
	*group = found ? found->group : as_json_str(as_json_get(entry, "group"));
	*initial_version = found ? found->initial : as_json_str(as_json_get(entry, "initial"));
	return found || entry;
}

bool as_tape_writes(const as_tape *t, assay_str server, assay_str tool)
{
	const tape_server *found = t->servers ? find_server(t, server) : NULL;
	const assay_json *effect =
		found ? find_tool(found, tool) : as_json_get_n(as_json_get(server_entry(t, server), "tools"), tool);
	return !as_str_is(as_json_str(effect), "read");
}

/* Number of rows that come before the key, or (`behind`) before whatever follows it. */
static size_t bound(const as_tape *t, const tape_key *key, bool behind)
{
	const uint32_t *index = t->index[key->order];
	size_t low = 0, high = t->n_rows;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_key(&t->rows[index[middle]], key);
		if (order < 0 || (behind && order == 0)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* The run of rows that match the key. */
static size_t find_run(const as_tape *t, const tape_key *key, const uint32_t **rows)
{
	size_t first = bound(t, key, false);
	*rows = t->index[key->order] + first;
	return bound(t, key, true) - first;
}

size_t as_tape_of_tool(const as_tape *t, assay_str server, assay_str tool, const uint32_t **rows)
{
	tape_key key = {.server = server, .tool = tool, .order = BY_TOOL};
	return find_run(t, &key, rows);
}

size_t as_tape_of_call(const as_tape *t, assay_str server, assay_str tool, assay_str canonical, const uint32_t **rows)
{
	tape_key key = {.server = server, .tool = tool, .canonical = canonical, .order = BY_CALL};
	return find_run(t, &key, rows);
}

size_t as_tape_of_call_at(const as_tape *t, assay_str version, assay_str server, assay_str tool, assay_str canonical,
			  const uint32_t **rows)
{
	tape_key key = {server, tool, canonical, version, BY_CALL_AT};
	return find_run(t, &key, rows);
}
