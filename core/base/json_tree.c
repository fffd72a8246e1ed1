/* From the scanner's events to a tree, without recursion. */
#include "core/base/error.h"
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values in one document: a node takes some twenty times the two bytes that its text may have. */
#define MAX_VALUES ((size_t)4 << 20)
#define FEW_MEMBERS 24u
#define EXPECTED_NODES(bytes) ((bytes) / 24 + 4) /* in a text of so many bytes; more are no harm */

/* Which members are not kept: pointers in their parts. */
#define MAX_POINTERS 32
#define MAX_PARTS 8

struct without {
	assay_str parts[MAX_POINTERS][MAX_PARTS];
	size_t n_parts[MAX_POINTERS];
	uint32_t all; /* a bit for each pointer */
	/* Which have a part at this depth that begins so (modulo 32), and which one that is any key. */
	uint32_t first[MAX_PARTS][32], any[MAX_PARTS];
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
	uint32_t line, mark; /* mark: different ones, different keys */
};

struct tree {
	struct as_json_scan scan;
	struct as_json_block *block;
	char *copy; /* of the whole text, in the block: strings stay in their places */
	cJSON *root;
	struct frame *frames;
	size_t n_frames, cap_frames;
	struct member *members;
	size_t n_members, cap_members;
	size_t n_values;
	char *key; /* of the value to come */
	uint32_t key_mark;
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
			if (n == 1 && *p == '*') {
				w->any[w->n_parts[i]] |= (uint32_t)1 << i;
			} else {
				w->first[w->n_parts[i]][(unsigned char)*p % 32] |= (uint32_t)1 << i;
			}
			w->parts[i][w->n_parts[i]++] = (assay_str){p, n};
			p += n;
		}
		w->all |= (uint32_t)1 << i;
	}
}

/* The lowest bit that is set, taken out. */
static size_t take_bit(uint32_t *bits)
{
	size_t i = 0;
	for (uint32_t rest = *bits; !(rest & 1); rest >>= 1) {
		i++;
	}
	*bits &= *bits - 1;
	return i;
}

/* Follow the pointers that lead to the innermost container one step further. Is one at its end? */
static bool step_pointers(struct tree *t, assay_str key)
{
	const struct without *w = &t->without;
	size_t depth = t->n_frames - 1;
	uint32_t left = t->frames[depth].matching;
	t->matching = 0;
	if (!left || depth >= MAX_PARTS) {
		return false;
	}
	left &= w->any[depth] | (key.ptr && key.len > 0 ? w->first[depth][(unsigned char)*key.ptr % 32] : 0);
	while (left) {
		size_t i = take_bit(&left);
		const assay_str *part = &w->parts[i][depth];
		if (!(w->any[depth] >> i & 1) && !as_str_eq(*part, key)) {
			continue;
		}
		if (key.ptr && depth + 1 == w->n_parts[i]) {
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

/* Are there two equal keys? Few enough members are compared each with each. */
static bool all_differ(const struct member *m, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (m[i].mark == m[k].mark && strcmp(m[i].node->string, m[k].node->string) == 0) {
				return false;
			}
		}
	}
	return true;
}

/* The object's members are complete. Sorting them finds duplicates in n log n whatever keys a peer thinks up. */
static int check_keys(struct tree *t, const struct frame *f)
{
	size_t n = t->n_members - f->first_member;
	size_t first = 0;
	const struct member *earliest = NULL;
	struct member *m;
	t->n_members = f->first_member;
	if (n < 2) {
		return 0;
	}
	m = t->members + f->first_member;
	if (n <= FEW_MEMBERS && all_differ(m, n)) {
		return 0;
	}
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

/* The event's text, in the block for good. A string stands in the copy already, at its own place unless it had escapes;
 * what follows it there, its closing quote at the least, has been read. */
static char *keep_string(struct tree *t, const struct as_json_event *e)
{
	char *place = t->copy + e->offset + 1;
	if (e->text.len > 0 && e->text.ptr != place) {
		memcpy(place, e->text.ptr, e->text.len);
	}
	place[e->text.len] = '\0';
	return place;
}

/* Put a new value where it belongs. */
static int place(struct tree *t, cJSON *node, const struct as_json_event *e)
{
	if (!node) {
		return as_fail_memory(t->scan.err);
	}
	if (++t->n_values > MAX_VALUES) {
		return as_json_scan_fail(&t->scan, ASSAY_ELIMIT, e->line, e->offset,
					 "more than %zu values in one document", MAX_VALUES);
	}
	node->valueint |= e->line < AS_NODE_LINE ? (int)e->line : AS_NODE_LINE;
	if (t->n_frames == 0) {
		t->root = node;
		return 0;
	}
	cJSON *container = t->frames[t->n_frames - 1].container;
	as_json_node_append(container, node);
	if (container->type != cJSON_Object) {
		return 0;
	}
	node->string = t->key;
	node->valueint |= AS_NODE_KEY_IN_BLOCK;
	if (!as_grow(&t->members, &t->cap_members, t->n_members + 1, sizeof *t->members)) {
		return as_fail_memory(t->scan.err);
	}
	t->members[t->n_members++] = (struct member){node, t->key_offset, t->key_line, t->key_mark};
	return 0;
}

static int open_frame(struct tree *t, int type, const struct as_json_event *e)
{
	cJSON *node = as_json_block_node(t->block, type);
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
	uint32_t head = 0;
	if (step_pointers(t, e->text)) {
		return as_json_scan_skip(&t->scan);
	}
	memcpy(&head, e->text.ptr, e->text.len < sizeof head ? e->text.len : sizeof head);
	t->key_mark = head ^ (uint32_t)(e->text.len * 2654435761u);
	if (e->text.len > sizeof head) {
		uint32_t tail;
		memcpy(&tail, e->text.ptr + e->text.len - sizeof tail, sizeof tail);
		t->key_mark ^= tail * 0x9E3779B1u;
	}
	t->key = keep_string(t, e);
	t->key_offset = e->offset;
	t->key_line = e->line;
	return 0;
}

static int take_string(struct tree *t, const struct as_json_event *e)
{
	cJSON *node = as_json_block_node(t->block, cJSON_String);
	if (node) {
		node->valuestring = keep_string(t, e);
	}
	return place(t, node, e);
}

static int take_number(struct tree *t, const struct as_json_event *e)
{
	cJSON *node = as_json_block_node(t->block, cJSON_Number);
	int rc;
	if (node) {
		node->valuestring = as_json_block_text(t->block, e->text);
	}
	rc = place(t, node && node->valuestring ? node : NULL, e);
	if (rc < 0) {
		return rc;
	}
	node->valuedouble = as_json_node_double(node->valuestring);
	if (isinf(node->valuedouble) && !as_json_is_integer(as_json_value(node))) {
		if (t->scan.profile == ASSAY_JSON_STRICT) {
			return as_json_scan_fail(&t->scan, ASSAY_EDATA, e->line, e->offset,
						 "number %.40s is too large for a double", node->valuestring);
		}
		t->scan.notes.huge = true;
	}
	return 0;
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
		return take_string(t, e);
	case AS_JSON_EV_NUMBER:
		return take_number(t, e);
	case AS_JSON_EV_TRUE:
		return place(t, as_json_block_node(t->block, cJSON_True), e);
	case AS_JSON_EV_FALSE:
		return place(t, as_json_block_node(t->block, cJSON_False), e);
	default:
		return place(t, as_json_block_node(t->block, cJSON_NULL), e);
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
	as_json_block_start(&t.block, text.len + 1 + EXPECTED_NODES(text.len) * sizeof(cJSON));
	t.copy = t.block ? as_json_block_text(t.block, text) : NULL;
	if (!t.copy) {
		as_json_block_free(t.block);
		return as_fail_memory(err);
	}
	as_json_scan_start(&t.scan, (assay_str){t.copy, text.len}, profile, max_depth, err);
	read_pointers(&t.without, limits ? limits->without : NULL);
	int rc = build(&t);
	if (rc < 0) {
		as_json_block_free(t.block);
	} else {
		*out = as_json_value(t.root);
		if (notes) {
			*notes = t.scan.notes;
		}
	}
	free(t.frames);
	free(t.members);
	as_json_scan_free(&t.scan);
	return rc;
}

int as_json_parse(assay_str text, uint32_t profile, assay_json **out, assay_error *err)
{
	return as_json_parse_with(text, profile, NULL, NULL, out, err);
}
