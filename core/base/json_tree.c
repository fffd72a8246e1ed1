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

struct frame {
	cJSON *container;
	size_t first_member; /* index into members */
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
};

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
	int rc = place(t, node, e);
	if (rc < 0) {
		return rc;
	}
	if (!as_grow(&t->frames, &t->cap_frames, t->n_frames + 1, sizeof *t->frames)) {
		return as_fail_memory(t->scan.err);
	}
	t->frames[t->n_frames++] = (struct frame){node, t->n_members};
	return 0;
}

static int close_frame(struct tree *t)
{
	const struct frame *f = &t->frames[--t->n_frames];
	return f->container->type == cJSON_Object ? check_keys(t, f) : 0;
}

static int take_key(struct tree *t, const struct as_json_event *e)
{
	t->key = as_strndup(e->text);
	t->key_offset = e->offset;
	t->key_line = e->line;
	return t->key ? 0 : as_fail_memory(t->scan.err);
}

static int take_number(struct tree *t, const struct as_json_event *e)
{
	cJSON *node = as_json_node_number(e->text);
	int rc = place(t, node, e);
	if (rc == 0 && isinf(node->valuedouble) && !as_json_is_integer(as_json_value(node)) &&
	    t->scan.profile == ASSAY_JSON_STRICT) {
		return as_json_scan_fail(&t->scan, ASSAY_EDATA, e->line, e->offset,
					 "number %.40s is too large for a double", node->valuestring);
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
