/* From text to a tree, without recursion. */
#include "core/base/error.h"
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Values in one document: a node takes some twenty times the two bytes that its text may have. */
#define MAX_VALUES ((size_t)4 << 20)
#define FEW_MEMBERS 24u
#define EXPECTED_NODES(bytes) ((bytes) / 24 + 4) /* in a text of so many bytes; more are no harm */
#define FIRST_FRAMES 32u

/* A container that is open. */
struct frame {
	cJSON *container; /* NULL: it is passed over */
	cJSON *last;      /* what is in it so far ends with this */
	const as_json_without *without;
	uint64_t keys;    /* which have been seen: a bit each, of few bits */
	uint32_t letters; /* with which `without` begins: a bit each */
	uint32_t members;
	char close;
	bool fresh;    /* nothing in it has been read */
	bool doubtful; /* a key may occur twice */
};

struct tree {
	struct as_json_scan scan;
	as_json_block *block;
	const char *original; /* the text as it was handed in */
	cJSON *root;
	uint32_t max_depth;
	struct frame *frames; /* first, or memory of its own */
	size_t n_frames, cap_frames;
	size_t n_values;
	struct frame first[FIRST_FRAMES];
};

/* What stands before a value. */
struct slot {
	assay_text key;                 /* ptr NULL: none */
	const as_json_without *without; /* of the members of the value */
	bool kept, fresh;
};

static uint32_t letter(char c)
{
	return (uint32_t)1 << ((unsigned char)c % 32);
}

/* Does the list name this member (key.ptr NULL: an element)? */
static const as_json_without *find_without(const as_json_without *list, assay_text key)
{
	for (const as_json_without *w = list; w->key.ptr; w++) {
		if (*w->key.ptr == '*' && w->key.len == 1) {
			return w;
		}
		if (key.ptr && w->key.len == key.len && memcmp(w->key.ptr, key.ptr, key.len) == 0) {
			return w;
		}
	}
	return NULL;
}

static void look_up(const struct frame *f, struct slot *slot)
{
	const as_json_without *w;
	if (!(f->letters & (letter('*') | (slot->key.ptr ? letter(*slot->key.ptr) : 0)))) {
		return;
	}
	w = find_without(f->without, slot->key);
	if (w) {
		slot->kept = w->inside || !slot->key.ptr;
		slot->without = w->inside;
	}
}

/* Keys. */

static int by_key_then_place(const void *a, const void *b)
{
	const cJSON *left = *(cJSON *const *)a, *right = *(cJSON *const *)b;
	int order = strcmp(left->string, right->string);
	return order ? order : (left->string > right->string) - (left->string < right->string);
}

static int duplicate(const struct tree *t, const cJSON *member)
{
	assay_str key = as_json_node_key(member);
	size_t offset = (size_t)(member->string - 1 - t->scan.text);
	uint32_t line = 1;
	for (size_t i = 0; i < offset; i++) {
		line += t->original[i] == '\n';
	}
	key.len = as_utf8_prefix(key, 100);
	return as_json_scan_fail(&t->scan, ASSAY_EDATA, line, offset, "key \"%.*s\" occurs twice in one object",
				 ASSAY_FMT(key));
}

/* Equal keys among sorted members. The last value wins, at the first one's place; or the earliest is told. */
static int settle(struct tree *t, cJSON *object, cJSON **members, size_t n)
{
	const cJSON *earliest = NULL;
	size_t first = 0;
	for (size_t i = 1; i < n; i++) {
		if (strcmp(members[first]->string, members[i]->string) != 0) {
			first = i;
		} else if (t->scan.profile == ASSAY_JSON_STRICT) {
			earliest = !earliest || members[i]->string < earliest->string ? members[i] : earliest;
		} else {
			t->scan.notes.duplicate_keys = true;
			as_json_node_unlink(object, members[i]);
			as_json_node_replace(object, members[first], members[i]);
			members[first] = members[i];
		}
	}
	return earliest ? duplicate(t, earliest) : 0;
}

/* Sorting finds duplicates in n log n whatever keys a peer thinks up. */
static int check_keys(struct tree *t, const struct frame *f)
{
	size_t n = 0;
	cJSON **members = as_new(f->members, sizeof *members);
	int rc;
	if (!members) {
		return as_fail_memory(t->scan.err);
	}
	for (cJSON *m = f->container->child; m; m = m->next) {
		members[n++] = m;
	}
	qsort(members, n, sizeof *members, by_key_then_place);
	rc = settle(t, f->container, members, n);
	free(members);
	return rc;
}

static bool has_key(const cJSON *object, assay_text key)
{
	for (const cJSON *m = object->child; m; m = m->next) {
		assay_str other = as_json_node_key(m);
		if (other.len == key.len && memcmp(other.ptr, key.ptr, key.len) == 0) {
			return true;
		}
	}
	return false;
}

/* Few keys share a bit, and those are compared at once; where there are many they are sorted in the end. */
static void note_key(struct frame *f, assay_text key)
{
	uint32_t head = 0, tail = 0;
	uint64_t bit;
	if (key.len >= sizeof head) {
		memcpy(&head, key.ptr, sizeof head);
		memcpy(&tail, key.ptr + key.len - sizeof tail, sizeof tail);
	} else if (key.len > 0) {
		head = (unsigned char)*key.ptr;
		tail = (unsigned char)key.ptr[key.len - 1];
	}
	bit = UINT64_C(1) << (((head ^ tail * 31 ^ (uint32_t)key.len) * UINT32_C(0x9E3779B1)) >> 26);
	if (f->keys & bit) {
		f->doubtful = f->doubtful || f->members > FEW_MEMBERS || has_key(f->container, key);
	}
	f->keys |= bit;
	f->members++;
}

/* Values. */

static int place(struct tree *t, const struct slot *slot, cJSON *node, uint32_t line, const char *at)
{
	struct frame *f;
	if (!node) {
		return as_fail_memory(t->scan.err);
	}
	if (++t->n_values > MAX_VALUES) {
		return as_json_scan_fail(&t->scan, ASSAY_ELIMIT, line, (size_t)(at - t->scan.text),
					 "more than %zu values in one document", MAX_VALUES);
	}
	node->valueint |= line < AS_NODE_LINE ? (int)line : AS_NODE_LINE;
	if (t->n_frames == 0) {
		t->root = node;
		return 0;
	}
	f = &t->frames[t->n_frames - 1];
	if (slot->key.ptr) {
		note_key(f, slot->key);
		as_json_node_point_key(node, slot->key.ptr, slot->key.len);
		node->valueint |= AS_NODE_KEY_IN_BLOCK;
	}
	if (f->last) {
		f->last->next = node;
		node->prev = f->last;
	} else {
		f->container->child = node;
	}
	f->last = node;
	return 0;
}

static int read_string(struct tree *t, const struct slot *slot)
{
	uint32_t line = t->scan.line;
	const char *at = t->scan.p;
	assay_text text;
	cJSON *node;
	int rc = as_json_scan_string(&t->scan, &text);
	if (rc < 0 || !slot->kept) {
		return rc;
	}
	text.ptr[text.len] = '\0';
	node = as_json_block_node(t->block, cJSON_String);
	if (node) {
		node->valuestring = text.ptr;
		node->valuedouble = (double)text.len;
	}
	return place(t, slot, node, line, at);
}

/* A number has no place of its own to end in. Most are short. */
static char *keep_spelling(struct tree *t, assay_str spelling)
{
	char *kept;
	if (spelling.len >= AS_JSON_SCAN_PAD) {
		return as_json_block_text(t->block, spelling);
	}
	kept = as_json_block_bytes(t->block, AS_JSON_SCAN_PAD);
	if (kept) {
		memcpy(kept, spelling.ptr, AS_JSON_SCAN_PAD);
		kept[spelling.len] = '\0';
	}
	return kept;
}

static int read_number(struct tree *t, const struct slot *slot)
{
	uint32_t line = t->scan.line;
	const char *at = t->scan.p;
	assay_str spelling;
	cJSON *node;
	int rc = as_json_scan_number(&t->scan, &spelling);
	if (rc < 0 || !slot->kept) {
		return rc;
	}
	node = as_json_block_node(t->block, cJSON_Number);
	if (node) {
		node->valuestring = keep_spelling(t, spelling);
	}
	rc = place(t, slot, node && node->valuestring ? node : NULL, line, at);
	if (rc < 0) {
		return rc;
	}
	node->valuedouble = as_json_node_double(node->valuestring);
	if (isinf(node->valuedouble) && !as_json_is_integer(as_json_value(node))) {
		if (t->scan.profile == ASSAY_JSON_STRICT) {
			return as_json_scan_fail(&t->scan, ASSAY_EDATA, line, (size_t)(at - t->scan.text),
						 "number %.40s is too large for a double", node->valuestring);
		}
		t->scan.notes.huge = true;
	}
	return 0;
}

/* Inline, so that the comparison is one of constant length. */
static inline int read_word(struct tree *t, const struct slot *slot, const char *literal, size_t n, int type)
{
	const char *at = t->scan.p;
	if (memcmp(at, literal, n) != 0 || as_json_scan_is_word(at[n])) {
		return as_json_scan_unexpected(&t->scan, "a value");
	}
	t->scan.p += n;
	return slot->kept ? place(t, slot, as_json_block_node(t->block, type), t->scan.line, at) : 0;
}

static bool grow_frames(struct tree *t)
{
	struct frame *more;
	if (t->n_frames < t->cap_frames) {
		return true;
	}
	more = as_new(t->cap_frames * 2, sizeof *more);
	if (!more) {
		return false;
	}
	memcpy(more, t->frames, t->n_frames * sizeof *more);
	if (t->frames != t->first) {
		free(t->frames);
	}
	t->frames = more;
	t->cap_frames *= 2;
	return true;
}

static int open_container(struct tree *t, const struct slot *slot, int type)
{
	struct frame f = {.without = slot->without, .close = type == cJSON_Object ? '}' : ']', .fresh = true};
	int rc = 0;
	if (t->n_frames >= t->max_depth) {
		return as_json_scan_fail(&t->scan, ASSAY_ELIMIT, t->scan.line, (size_t)(t->scan.p - t->scan.text),
					 "nested deeper than %u levels", (unsigned)t->max_depth);
	}
	if (slot->kept) {
		f.container = as_json_block_node(t->block, type);
		rc = place(t, slot, f.container, t->scan.line, t->scan.p);
	}
	if (rc == 0 && !grow_frames(t)) {
		rc = as_fail_memory(t->scan.err);
	}
	if (rc < 0) {
		return rc;
	}
	for (const as_json_without *w = f.without; w && w->key.ptr; w++) {
		f.letters |= letter(*w->key.ptr);
	}
	t->frames[t->n_frames++] = f;
	t->scan.p++;
	return 0;
}

static int close_container(struct tree *t, const struct frame *f)
{
	t->scan.p++;
	t->n_frames--;
	if (f->last) {
		f->container->child->prev = f->last;
	}
	int rc = f->doubtful ? check_keys(t, f) : 0;
	if (rc == 0 && f->members >= AS_INDEX_LEAST) {
		as_json_index_make(f->container, t->block, f->members);
	}
	return rc;
}

/* Something that is no value. */
static int no_value(const struct tree *t, const struct slot *slot)
{
	bool element = t->n_frames > 0 && !slot->key.ptr;
	return as_json_scan_unexpected(&t->scan, !element      ? "a value"
						 : slot->fresh ? "a value or ']'"
							       : "a value after ','");
}

static int read_value(struct tree *t, const struct slot *slot)
{
	switch (*t->scan.p) {
	case '"':
		return read_string(t, slot);
	case '{':
		return open_container(t, slot, cJSON_Object);
	case '[':
		return open_container(t, slot, cJSON_Array);
	case 't':
		return read_word(t, slot, "true", 4, cJSON_True);
	case 'f':
		return read_word(t, slot, "false", 5, cJSON_False);
	case 'n':
		return read_word(t, slot, "null", 4, cJSON_NULL);
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return read_number(t, slot);
	default:
		return no_value(t, slot);
	}
}

/* Up to the value behind a key. */
static int read_key(struct tree *t, struct slot *slot)
{
	struct as_json_scan *s = &t->scan;
	int rc;
	if (*s->p != '"') {
		return as_json_scan_unexpected(s, slot->fresh ? "a key or '}'" : "a key after ','");
	}
	rc = as_json_scan_string(s, &slot->key);
	if (rc < 0) {
		return rc;
	}
	slot->key.ptr[slot->key.len] = '\0';
	as_json_scan_space(s);
	if (*s->p != ':') {
		return as_json_scan_unexpected(s, "':' after a key");
	}
	s->p++;
	as_json_scan_space(s);
	return 0;
}

/* What comes next in the innermost container: a member or an element, or its end. */
static int read_item(struct tree *t)
{
	struct as_json_scan *s = &t->scan;
	struct frame *f = &t->frames[t->n_frames - 1];
	struct slot slot = {.kept = f->container, .fresh = f->fresh};
	bool object = f->close == '}';
	int rc = 0;
	as_json_scan_space(s);
	if (*s->p == f->close) {
		return close_container(t, f);
	}
	if (!f->fresh) {
		if (*s->p != ',') {
			return as_json_scan_unexpected(s, object ? "',' or '}' after a member"
								 : "',' or ']' after an element");
		}
		s->p++;
		as_json_scan_space(s);
	}
	f->fresh = false;
	if (object) {
		rc = read_key(t, &slot);
	}
	if (f->letters && rc == 0) {
		look_up(f, &slot);
	}
	return rc < 0 ? rc : read_value(t, &slot);
}

static int build(struct tree *t, const as_json_without *without)
{
	const struct slot slot = {.kept = true, .without = without};
	int rc;
	as_json_scan_space(&t->scan);
	rc = read_value(t, &slot);
	while (rc == 0 && t->n_frames > 0) {
		rc = read_item(t);
	}
	if (rc == 0) {
		as_json_scan_space(&t->scan);
		if (t->scan.p != t->scan.end) {
			rc = as_json_scan_unexpected(&t->scan, "the end of the text");
		}
	}
	return rc;
}

int as_json_parse_with(assay_str text, uint32_t profile, const as_json_limits *limits, as_json_notes *notes,
		       assay_json **out, assay_error *err)
{
	size_t max_bytes = limits && limits->max_bytes ? limits->max_bytes : AS_JSON_MAX_BYTES;
	struct tree t;
	char *copy;
	int rc;
	*out = NULL;
	if (notes) {
		*notes = (as_json_notes){0};
	}
	if (text.len > max_bytes) {
		return as_fail(err, ASSAY_ELIMIT, "document of %zu bytes, at most %zu are accepted", text.len,
			       max_bytes);
	}
	/* All but the frames, which are set when they are opened. */
	memset(&t, 0, offsetof(struct tree, first));
	t.block = as_json_block_new(text.len + AS_JSON_SCAN_PAD + EXPECTED_NODES(text.len) * sizeof(cJSON),
				    limits ? limits->room : NULL);
	copy = t.block ? as_json_block_bytes(t.block, text.len + AS_JSON_SCAN_PAD) : NULL;
	if (!copy) {
		as_json_block_free(t.block);
		return as_fail_memory(err);
	}
	if (text.len > 0) {
		memcpy(copy, text.ptr, text.len);
	}
	memset(copy + text.len, 0, AS_JSON_SCAN_PAD);
	t.scan = (struct as_json_scan){
		.text = copy, .end = copy + text.len, .p = copy, .profile = profile, .line = 1, .err = err};
	t.original = text.ptr;
	t.max_depth = limits && limits->max_depth ? limits->max_depth : AS_JSON_MAX_DEPTH;
	t.frames = t.first;
	t.cap_frames = FIRST_FRAMES;
	rc = build(&t, limits ? limits->without : NULL);
	if (rc < 0) {
		as_json_block_free(t.block);
	} else {
		*out = as_json_value(t.root);
		if (notes) {
			*notes = t.scan.notes;
		}
	}
	if (t.frames != t.first) {
		free(t.frames);
	}
	return rc;
}

int as_json_parse(assay_str text, uint32_t profile, assay_json **out, assay_error *err)
{
	return as_json_parse_with(text, profile, NULL, NULL, out, err);
}
