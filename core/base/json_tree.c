/* From the scanner's events to a tree, without recursion. */
#include "core/base/error.h"
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values in one document: a node takes some twenty times the two bytes that its text may have. */
#define MAX_VALUES ((size_t)4 << 20)

/* Which members are not kept: pointers in their parts. */
#define MAX_POINTERS 32
#define MAX_PARTS 8

struct without {
	assay_str parts[MAX_POINTERS][MAX_PARTS];
	size_t n_parts[MAX_POINTERS];
	uint32_t all; /* a bit for each pointer */
};

struct frame {
	cJSON *container;
	size_t first_member; /* index into members */
	uint32_t matching;   /* pointers that lead here or further */
};

/* A member of an object that is still open. */
struct member {
	cJSON *node;
	size_t offset;
	uint32_t line;
};

struct tree {
	struct as_json_scan scan;
	cJSON *root;
	struct frame *frames;
	size_t n_frames, cap_frames;
	struct member *members;
	size_t n_members, cap_members;
	size_t n_values;
	char *key; /* of the value to come */
	size_t key_offset;
	uint32_t key_line;
	struct without without;
	uint32_t matching; /* pointers that lead to the value to come or further */
};

static void read_pointers(struct without *w, const char *const *pointers)
{
	for (size_t i = 0; pointers && pointers[i] && i < MAX_POINTERS; i++) {
		const char *p = pointers[i];
		while (*p == '/' && w->n_parts[i] < MAX_PARTS) {
			size_t n = strcspn(++p, "/");
			w->parts[i][w->n_parts[i]++] = (assay_str){p, n};
			p += n;
		}
		w->all |= (uint32_t)1 << i;
	}
}

/* Follow the pointers that lead to the innermost container one step further. Is one at its end? */
static bool step_pointers(struct tree *t, assay_str key)
{
	size_t depth = t->n_frames - 1;
	uint32_t left = t->frames[depth].matching;
	t->matching = 0;
	for (size_t i = 0; left; i++, left >>= 1) {
		const assay_str *part = &t->without.parts[i][depth];
		if (!(left & 1) || depth >= t->without.n_parts[i] ||
		    !(as_str_is(*part, "*") || (key.ptr && as_str_eq(*part, key)))) {
			continue;
		}
		if (key.ptr && depth + 1 == t->without.n_parts[i]) {
			return true;
		}
		t->matching |= (uint32_t)1 << i;
	}
	return false;
}

static int by_key_then_place(const void *a, const void *b)
{
	const struct member *left = a;
	const struct member *right = b;
	int order = strcmp(left->node->string, right->node->string);
	return order ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

static int duplicate(struct tree *t, const struct member *m)
{
	assay_str key = as_str(m->node->string);
	key.len = as_utf8_prefix(key, 100);
	return as_json_scan_fail(&t->scan, ASSAY_EDATA, m->line, m->offset, "key \"%.*s\" occurs twice in one object",
				 ASSAY_FMT(key));
}

/* The object's members are complete. Sorting them finds duplicates in n log n whatever keys a peer thinks up. */
static int check_keys(struct tree *t, const struct frame *f)
{
	size_t n = t->n_members - f->first_member;
	size_t first = 0;
	const struct member *earliest = NULL;
	t->n_members = f->first_member;
	if (n < 2) {
		return 0;
	}
	struct member *m = t->members + f->first_member;
	qsort(m, n, sizeof *m, by_key_then_place);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(m[first].node->string, m[i].node->string) != 0) {
			first = i;
		} else if (t->scan.profile == ASSAY_JSON_STRICT) {
			earliest = !earliest || m[i].offset < earliest->offset ? &m[i] : earliest;
		} else {
			/* The last value wins, at the first one's place. */
			t->scan.notes.duplicate_keys = true;
			as_json_node_unlink(f->container, m[i].node);
			as_json_node_replace(f->container, m[first].node, m[i].node);
			m[first].node = m[i].node;
		}
	}
	return earliest ? duplicate(t, earliest) : 0;
}

/* Put a new value where it belongs. The tree owns it afterwards, whatever happens. */
static int place(struct tree *t, cJSON *node, const struct as_json_event *e)
{
	if (!node) {
		return as_fail_memory(t->scan.err);
	}
	if (++t->n_values > MAX_VALUES) {
		cJSON_Delete(node);
		return as_json_scan_fail(&t->scan, ASSAY_ELIMIT, e->line, e->offset,
					 "more than %zu values in one document", MAX_VALUES);
	}
	node->valueint = e->line < INT_MAX ? (int)e->line : INT_MAX;
	if (t->n_frames == 0) {
		t->root = node;
		return 0;
	}
	cJSON *container = t->frames[t->n_frames - 1].container;
	node->string = t->key;
	t->key = NULL;
	as_json_node_append(container, node);
	if (container->type != cJSON_Object) {
		return 0;
	}
	if (!as_grow(&t->members, &t->cap_members, t->n_members + 1, sizeof *t->members)) {
		return as_fail_memory(t->scan.err);
	}
	t->members[t->n_members++] = (struct member){node, t->key_offset, t->key_line};
	return 0;
}

static int open_frame(struct tree *t, int type, const struct as_json_event *e)
{
	cJSON *node = as_json_node_new(type, (assay_str){0});
	int rc;
	if (t->n_frames == 0) {
		t->matching = t->without.all;
	} else if (t->frames[t->n_frames - 1].container->type == cJSON_Array) {
		step_pointers(t, (assay_str){NULL, 0});
	}
	rc = place(t, node, e);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&t->frames, &t->cap_frames, t->n_frames + 1, sizeof *t->frames)) {
		return as_fail_memory(t->scan.err);
	}
	t->frames[t->n_frames++] = (struct frame){node, t->n_members, t->matching};
	return 0;
}

static int close_frame(struct tree *t)
{
	const struct frame *f = &t->frames[--t->n_frames];
	return f->container->type == cJSON_Object ? check_keys(t, f) : 0;
}

static int take_key(struct tree *t, const struct as_json_event *e)
{
	if (step_pointers(t, e->text)) {
		return as_json_scan_skip(&t->scan);
	}
	t->key = as_strndup(e->text);
	t->key_offset = e->offset;
	t->key_line = e->line;
	return t->key ? 0 : as_fail_memory(t->scan.err);
}

static int take_number(struct tree *t, const struct as_json_event *e)
{
	cJSON *node = as_json_node_number(e->text);
	int rc = place(t, node, e);
	if (rc == 0 && isinf(node->valuedouble) && !as_json_is_integer(as_json_value(node))) {
		if (t->scan.profile == ASSAY_JSON_STRICT) {
			return as_json_scan_fail(&t->scan, ASSAY_EDATA, e->line, e->offset,
						 "number %.40s is too large for a double", node->valuestring);
		}
		t->scan.notes.huge = true;
	}
	return rc;
}

static int take(struct tree *t, const struct as_json_event *e)
{
	switch (e->kind) {
	case AS_JSON_EV_OBJECT:
		return open_frame(t, cJSON_Object, e);
	case AS_JSON_EV_ARRAY:
		return open_frame(t, cJSON_Array, e);
	case AS_JSON_EV_OBJECT_END:
	case AS_JSON_EV_ARRAY_END:
		return close_frame(t);
	case AS_JSON_EV_KEY:
		return take_key(t, e);
	case AS_JSON_EV_STRING:
		return place(t, as_json_node_new(cJSON_String, e->text), e);
	case AS_JSON_EV_NUMBER:
		return take_number(t, e);
	case AS_JSON_EV_TRUE:
		return place(t, as_json_node_new(cJSON_True, (assay_str){0}), e);
	case AS_JSON_EV_FALSE:
		return place(t, as_json_node_new(cJSON_False, (assay_str){0}), e);
	default:
		return place(t, as_json_node_new(cJSON_NULL, (assay_str){0}), e);
	}
}

static int build(struct tree *t)
{
	struct as_json_event event;
	for (;;) {
		int rc = as_json_scan_next(&t->scan, &event);
		if (rc < 0 || event.kind == AS_JSON_EV_END) {
			return rc;
		}
		rc = take(t, &event);
		if (rc < 0) {
			return rc;
		}
	}
}

int as_json_parse_with(assay_str text, uint32_t profile, const as_json_limits *limits, as_json_notes *notes,
		       assay_json **out, assay_error *err)
{
	size_t max_bytes = limits && limits->max_bytes ? limits->max_bytes : AS_JSON_MAX_BYTES;
	uint32_t max_depth = limits && limits->max_depth ? limits->max_depth : AS_JSON_MAX_DEPTH;
	struct tree t = {0};
	*out = NULL;
	if (notes) {
		*notes = (as_json_notes){0};
	}
	if (text.len > max_bytes) {
		return as_fail(err, ASSAY_ELIMIT, "document of %zu bytes, at most %zu are accepted", text.len,
			       max_bytes);
	}
	as_json_scan_start(&t.scan, text, profile, max_depth, err);
	read_pointers(&t.without, limits ? limits->without : NULL);
	int rc = build(&t);
	if (rc < 0) {
		cJSON_Delete(t.root);
	} else {
		*out = as_json_value(t.root);
		if (notes) {
			*notes = t.scan.notes;
		}
	}
	free(t.key);
	free(t.frames);
	free(t.members);
	as_json_scan_free(&t.scan);
	return rc;
}

int as_json_parse(assay_str text, uint32_t profile, assay_json **out, assay_error *err)
{
	return as_json_parse_with(text, profile, NULL, NULL, out, err);
}
