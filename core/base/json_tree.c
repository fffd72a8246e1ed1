/* From text to a tree, without recursion. */
#include "core/base/error.h"
#include "core/base/json_node.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Values in one document: a node takes some twenty times the two bytes that its text may have. */
#define MAX_VALUES ((size_t)4 << 20)
#define FEW_MEMBERS 24u
#define EXPECTED_NODES(bytes) ((bytes) / 24 + 4) /* in a text of so many bytes; more are no harm */
#define ANYTHING UINT32_MAX                      /* is left out */
#define FIRST_FRAMES 32u
#define SHORT_NUMBER 8u /* no more than AS_JSON_SCAN_PAD */
#define SHAPES_DEEP 6u
#define SHAPES_WIDE 2u
#define SHAPE_KEYS 20u
#define NO_KEY UINT32_MAX

/* What has been found out about a key. */
struct known_key {
	const char *at; /* in the text, where it stands as it is */
	uint64_t bit;
	const as_json_without *inside; /* what is left out of its value */
	uint32_t len;
	bool kept;
};

/* Most objects have the keys of the one before them, in its order: what was found out about those need not be found
 * out again. */
struct shape {
	const as_json_without *without;        /* what is left out of these objects */
	uint32_t left_out;                     /* what it names: a bit each, of few bits; all of them: anything */
	struct known_key keys[SHAPE_KEYS + 1]; /* up to one of length NO_KEY; no two of those that are kept are alike */
};

/* A container that is open. */
struct frame {
	cJSON *container; /* NULL: it is passed over */
	cJSON *last;      /* what is in it so far ends with this */
	const as_json_without *without, *expected;
	struct shape *shape;    /* NULL: there is none */
	struct known_key *next; /* of the shape, behind those read so far; NULL: it has no more */
	uint64_t keys;          /* which have been kept: a bit each, of few bits */
	uint32_t left_out;      /* as in a shape */
	uint32_t members;       /* kept ones */
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
	struct shape shapes[SHAPES_DEEP][SHAPES_WIDE]; /* by depth, and by the place within the parent */
};

/* What is known of a value before it is read. */
struct slot {
	assay_text key;                 /* ptr NULL: none */
	uint64_t bit;                   /* of the key */
	const as_json_without *without; /* of the members of the value */
	const char *at;                 /* where it begins, and on which line */
	uint32_t line;
	bool kept, fresh, known;
};

static uint32_t left_out_bit(assay_str key)
{
	return (uint32_t)1 << (((unsigned char)*key.ptr + key.len * 7) % 32);
}

/* The entry for a member, or the list's end. */
static const as_json_without *find_left_out(const as_json_without *w, assay_text key)
{
	while (w->key.ptr && !as_str_eq(w->key, as_text_str(key))) {
		w++;
	}
	return w;
}

/* Documents mostly have their members in the order of the list, so the search goes on where the last one was found. */
static void look_up(struct frame *f, struct slot *slot)
{
	const as_json_without *w = f->expected;
	if (f->left_out != ANYTHING) {
		if (!slot->key.ptr || !(f->left_out & left_out_bit(as_text_str(slot->key)))) {
			return;
		}
		w = find_left_out(w, slot->key);
		w = w->key.ptr ? w : find_left_out(f->without, slot->key);
		if (!w->key.ptr) {
			return;
		}
		f->expected = w + 1;
	}
	slot->kept = w->inside || !slot->key.ptr;
	slot->without = w->inside;
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
		if (as_str_eq(as_json_node_key(m), as_text_str(key))) {
			return true;
		}
	}
	return false;
}

/* Few keys share a bit, and those are compared at once; where there are many they are sorted in the end. */
static void note_key(struct frame *f, const struct slot *slot)
{
	if ((f->keys & slot->bit) && !slot->known && !f->doubtful) {
		f->doubtful = f->members > FEW_MEMBERS || has_key(f->container, slot->key);
		if (f->doubtful && f->shape) {
			f->shape->keys[0].len = NO_KEY;
			f->next = NULL;
		}
	}
	f->keys |= slot->bit;
	f->members++;
}

/* Is the key that p stands before the one that is next in the object's shape? */
static bool is_next(const struct tree *t, const struct frame *f)
{
	const struct known_key *k = f->next;
	const char *p = t->scan.p + 1;
	return k && (size_t)(t->scan.end - p) > k->len && p[k->len] == '"' && as_bytes_eq(p, k->at, k->len);
}

/* Into the shape, from which the object departs here. A key that was decoded does not stand there as it is written. */
static void learn(const struct tree *t, struct frame *f, const struct slot *slot)
{
	struct known_key *k = f->next;
	bool as_written = slot->key.ptr + slot->key.len + 1 == t->scan.p;
	if (k && k < f->shape->keys + SHAPE_KEYS && as_written && slot->key.len < NO_KEY) {
		*k++ = (struct known_key){slot->key.ptr, slot->bit, slot->without, (uint32_t)slot->key.len, slot->kept};
		k->len = NO_KEY;
		f->next = k;
	} else {
		f->next = NULL;
	}
}

/* Values. What is called from one place only is inlined, and this is where the time goes. */

static int no_place(const struct tree *t, const struct slot *slot, const cJSON *node)
{
	return !node ? as_fail_memory(t->scan.err)
		     : as_json_scan_fail(&t->scan, ASSAY_ELIMIT, slot->line, (size_t)(slot->at - t->scan.text),
					 "more than %zu values in one document", MAX_VALUES);
}

static int place(struct tree *t, const struct slot *slot, cJSON *node)
{
	struct frame *f;
	if (!node || ++t->n_values > MAX_VALUES) {
		return no_place(t, slot, node);
	}
	node->valueint |= slot->line < AS_NODE_LINE ? (int)slot->line : AS_NODE_LINE;
	if (t->n_frames == 0) {
		t->root = node;
		return 0;
	}
	f = &t->frames[t->n_frames - 1];
	if (slot->key.ptr) {
		note_key(f, slot);
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

/* A number has no place of its own to end in. Most are short. */
static char *keep_spelling(struct tree *t, assay_str spelling)
{
	char *kept;
	if (spelling.len >= SHORT_NUMBER) {
		return as_json_block_text(t->block, spelling);
	}
	kept = as_json_block_bytes(t->block, SHORT_NUMBER);
	if (kept) {
		memcpy(kept, spelling.ptr, SHORT_NUMBER);
		kept[spelling.len] = '\0';
	}
	return kept;
}

/* Make the node's text, of which the scanner has told the place, its own. False: no memory. */
static bool keep_text(struct tree *t, cJSON *node, assay_text text)
{
	if (as_json_kind(node) == cJSON_String) {
		text.ptr[text.len] = '\0';
		node->valuestring = text.ptr;
		node->valuedouble = (double)text.len;
		return true;
	}
	node->valuestring = keep_spelling(t, as_text_str(text));
	if (node->valuestring) {
		node->valuedouble = as_json_node_double(node->valuestring);
	}
	return node->valuestring;
}

/* Is it no integer, and too large for a double? What stands behind it ends it. */
static bool is_huge(assay_text number)
{
	bool exponent = number.len >= sizeof "1e309" - 1 &&
			(memchr(number.ptr, 'e', number.len) || memchr(number.ptr, 'E', number.len));
	return (exponent || (number.len > DBL_MAX_10_EXP && memchr(number.ptr, '.', number.len))) &&
	       isinf(strtod(number.ptr, NULL));
}

/* Python gives up on integers of that many digits, also on those before a point. */
static int check_digits(const struct tree *t, const struct slot *slot, assay_text number)
{
	size_t n = number.len > AS_JSON_MAX_DIGITS ? strcspn(number.ptr, ".eE") : 0;
	if (n <= AS_JSON_MAX_DIGITS || t->scan.profile != AS_JSON_PYDANTIC) {
		return 0;
	}
	return as_json_scan_fail(&t->scan, ASSAY_EDATA, slot->line, (size_t)(slot->at - t->scan.text),
				 "an integer of more than %u digits", AS_JSON_MAX_DIGITS);
}

static int too_large(struct tree *t, const struct slot *slot, assay_text number)
{
	if (t->scan.profile == ASSAY_JSON_STRICT) {
		return as_json_scan_fail(&t->scan, ASSAY_EDATA, slot->line, (size_t)(slot->at - t->scan.text),
					 "number %.*s is too large for a double",
					 number.len < 40 ? (int)number.len : 40, number.ptr);
	}
	t->scan.notes.huge = true;
	return 0;
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

static uint32_t left_out_of(const as_json_without *without)
{
	uint32_t bits = 0;
	for (const as_json_without *w = without; w && w->key.ptr; w++) {
		bits |= *w->key.ptr == '*' ? ANYTHING : left_out_bit(w->key);
	}
	return bits;
}

/* The shape of what is about to be opened; NULL: none is kept. */
static struct shape *shape_of(struct tree *t, const struct slot *slot)
{
	struct shape *s = NULL;
	if (t->n_frames < SHAPES_DEEP) {
		s = &t->shapes[t->n_frames][t->n_frames > 0 ? t->frames[t->n_frames - 1].members % SHAPES_WIDE : 0];
		if (s->without != slot->without) {
			s->without = slot->without;
			s->left_out = left_out_of(slot->without);
			s->keys[0].len = NO_KEY;
		}
	}
	return s;
}

/* node NULL: it is passed over. */
static int open_container(struct tree *t, const struct slot *slot, cJSON *node)
{
	struct shape *shape;
	struct frame *f;
	if (t->n_frames >= t->max_depth) {
		return as_json_scan_fail(&t->scan, ASSAY_ELIMIT, slot->line, (size_t)(slot->at - t->scan.text),
					 "nested deeper than %u levels", (unsigned)t->max_depth);
	}
	if (!grow_frames(t)) {
		return as_fail_memory(t->scan.err);
	}
	shape = node ? shape_of(t, slot) : NULL;
	f = &t->frames[t->n_frames++];
	*f = (struct frame){.container = node,
			    .without = slot->without,
			    .expected = slot->without,
			    .shape = shape,
			    .next = shape ? shape->keys : NULL,
			    .left_out = shape ? shape->left_out : left_out_of(slot->without),
			    .close = *slot->at == '{' ? '}' : ']',
			    .fresh = true};
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

/* true, false or null; compared by a constant length, and mostly ended by a mark. */
static int scan_word(struct tree *t, int type)
{
	const char *p = t->scan.p;
	size_t n = type == cJSON_False ? 5 : 4;
	bool good = type == cJSON_NULL   ? memcmp(p, "null", 4) == 0
		    : type == cJSON_True ? memcmp(p, "true", 4) == 0
					 : memcmp(p + 1, "alse", 4) == 0;
	if (!good || (p[n] != ',' && as_json_scan_is_word(p[n]))) {
		return as_json_scan_unexpected(&t->scan, "a value");
	}
	t->scan.p += n;
	return 0;
}

/* The type of what begins with a character; cJSON_Invalid: nothing does. */
static int type_by(char c)
{
	switch (c) {
	case '"':
		return cJSON_String;
	case '{':
		return cJSON_Object;
	case '[':
		return cJSON_Array;
	case 't':
		return cJSON_True;
	case 'f':
		return cJSON_False;
	case 'n':
		return cJSON_NULL;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? cJSON_Number : cJSON_Invalid;
	}
}

/* Up to its end; of a container only over the bracket. */
static int scan_value(struct tree *t, const struct slot *slot, int *type, assay_text *text)
{
	switch (*type) {
	case cJSON_String:
		return as_json_scan_string(&t->scan, text);
	case cJSON_Number:
		return as_json_scan_number(&t->scan, text);
	case cJSON_Object:
	case cJSON_Array:
		t->scan.p++;
		return 0;
	case cJSON_Invalid:
		if (!as_json_scan_constant(&t->scan, text)) {
			return no_value(t, slot);
		}
		*type = cJSON_Number;
		return 0;
	default:
		return scan_word(t, *type);
	}
}

static int read_value(struct tree *t, struct slot *slot)
{
	assay_text text = {NULL, 0};
	cJSON *node = NULL;
	int type = type_by(*t->scan.p), rc;
	slot->at = t->scan.p;
	slot->line = t->scan.line;
	rc = scan_value(t, slot, &type, &text);
	if (rc == 0 && slot->kept) {
		node = as_json_block_node(t->block, type);
		if (node && (type & (cJSON_String | cJSON_Number)) && !keep_text(t, node, text)) {
			node = NULL;
		}
		rc = place(t, slot, node);
	}
	if (rc < 0) {
		return rc;
	}
	if (type & (cJSON_Object | cJSON_Array)) {
		return open_container(t, slot, node);
	}
	if (type == cJSON_Number && (!node || isinf(node->valuedouble))) {
		rc = check_digits(t, slot, text);
		return rc < 0 || !is_huge(text) ? rc : too_large(t, slot, text);
	}
	return 0;
}

/* A key that is not known yet, and what is to become of its value. */
static int read_new_key(struct tree *t, struct frame *f, struct slot *slot)
{
	int rc = as_json_scan_string(&t->scan, &slot->key);
	if (rc < 0) {
		return rc;
	}
	if (f->left_out) {
		look_up(f, slot);
	}
	if (slot->kept) {
		slot->bit = as_json_key_bit(as_text_str(slot->key));
	}
	learn(t, f, slot);
	return 0;
}

static void take_known_key(struct tree *t, const struct known_key *k, struct slot *slot)
{
	slot->key = (assay_text){t->scan.p + 1, k->len};
	slot->bit = k->bit;
	slot->kept = k->kept;
	slot->without = k->inside;
	slot->known = true;
	t->scan.p += k->len + 2;
}

/* Up to the value behind a key. */
static int read_key(struct tree *t, struct frame *f, struct slot *slot)
{
	struct as_json_scan *s = &t->scan;
	int rc = 0;
	if (*s->p != '"') {
		return as_json_scan_unexpected(s, slot->fresh ? "a key or '}'" : "a key after ','");
	}
	if (is_next(t, f)) {
		take_known_key(t, f->next++, slot);
	} else {
		rc = read_new_key(t, f, slot);
	}
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

enum { VALUE, CLOSED };

/* What comes next in the innermost container: a value, to whose begin it is read, or the end. */
static int read_item(struct tree *t, struct slot *slot)
{
	struct as_json_scan *s = &t->scan;
	struct frame *f = &t->frames[t->n_frames - 1];
	bool object = f->close == '}';
	int rc = VALUE;
	as_json_scan_space(s);
	if (*s->p == f->close) {
		rc = close_container(t, f);
		return rc < 0 ? rc : CLOSED;
	}
	if (!f->fresh) {
		if (*s->p != ',') {
			return as_json_scan_unexpected(s, object ? "',' or '}' after a member"
								 : "',' or ']' after an element");
		}
		s->p++;
		as_json_scan_space(s);
	}
	slot->key.ptr = NULL;
	slot->without = NULL;
	slot->kept = f->container;
	slot->fresh = f->fresh;
	slot->known = false;
	f->fresh = false;
	if (object) {
		return read_key(t, f, slot);
	}
	if (f->left_out) {
		look_up(f, slot);
	}
	return VALUE;
}

static int build(struct tree *t, const as_json_without *without)
{
	struct slot slot = {.kept = true, .without = without};
	int rc = VALUE;
	as_json_scan_space(&t->scan);
	while (rc >= 0) {
		rc = rc == VALUE ? read_value(t, &slot) : 0;
		if (rc < 0 || t->n_frames == 0) {
			break;
		}
		rc = read_item(t, &slot);
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
	/* All but the frames, which are set when they are opened, and what is behind the first of a shape's members. */
	memset(&t, 0, offsetof(struct tree, first));
	for (size_t i = 0; i < SHAPES_DEEP * SHAPES_WIDE; i++) {
		struct shape *s = &t.shapes[i / SHAPES_WIDE][i % SHAPES_WIDE];
		s->without = NULL;
		s->left_out = 0;
		s->keys[0].len = NO_KEY;
	}
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
	t.max_depth = limits && limits->max_depth   ? limits->max_depth
		      : profile == AS_JSON_PYDANTIC ? AS_JSON_PYDANTIC_DEPTH
						    : AS_JSON_MAX_DEPTH;
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
