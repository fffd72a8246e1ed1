/* The keywords for arrays and objects. */
#include "core/base/error.h"
#include "core/base/schema_check.h"
#include "core/base/text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_count(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
		       const struct as_place *at, size_t count)
{
	bool array = as_json_type(v) == ASSAY_JSON_ARRAY;
	int64_t n = (int64_t)count;
	int64_t least = node->sizes[array ? AS_MIN_ITEMS : AS_MIN_PROPERTIES];
	int64_t most = node->sizes[array ? AS_MAX_ITEMS : AS_MAX_PROPERTIES];
	if (n < least) {
		return as_schema_found(c, v, at, "expected at least %lld", (long long)least);
	}
	if (most >= 0 && n > most) {
		return as_schema_found(c, v, at, "expected at most %lld", (long long)most);
	}
	return 0;
}

/* Arrays. */

struct hashed {
	uint64_t hash;
	size_t index;
	const assay_json *v;
};

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

static uint64_t hash_bytes(uint64_t h, assay_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		h = mix(h, (unsigned char)s.ptr[i]);
	}
	return h;
}

/* Values that are the same have the same hash: numbers by value, members in any order. */
static uint64_t hash_value(const assay_json *v)
{
	uint64_t h = mix(7, (uint64_t)as_json_type(v));
	double d = as_json_f64(v, HUGE_VAL) + 0.0;
	uint64_t bits, sum = 0;
	switch (as_json_type(v)) {
	case ASSAY_JSON_BOOL:
		return mix(h, (uint64_t)as_json_boolean(v, 0));
	case ASSAY_JSON_NUMBER:
		memcpy(&bits, &d, sizeof bits);
		return mix(h, bits);
	case ASSAY_JSON_STRING:
		return hash_bytes(h, as_json_str(v));
	case ASSAY_JSON_ARRAY:
		for (const assay_json *e = as_json_first(v); e; e = as_json_next(e)) {
			h = mix(h, hash_value(e));
		}
		return h;
	case ASSAY_JSON_OBJECT:
		for (const assay_json *m = as_json_first(v); m; m = as_json_next(m)) {
			sum += mix(hash_bytes(11, as_json_key(m)), hash_value(m));
		}
		return mix(h, sum);
	default:
		return h;
	}
}

static int by_hash(const void *a, const void *b)
{
	const struct hashed *left = a;
	const struct hashed *right = b;
	if (left->hash != right->hash) {
		return left->hash < right->hash ? -1 : 1;
	}
	return (left->index > right->index) - (left->index < right->index);
}

/* Only values of one hash are compared; made-up collisions run into the bound of work. */
static int find_twins(struct as_schema_check *c, const struct hashed *items, size_t n, const struct hashed **first,
		      const struct hashed **second)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n && items[k].hash == items[i].hash; k++) {
			int rc = as_schema_spend(c, 1);
			if (rc < 0) {
				return rc;
			}
			if (as_json_same(items[i].v, items[k].v)) {
				*first = &items[i];
				*second = &items[k];
				return 0;
			}
		}
	}
	return 0;
}

static int check_unique(struct as_schema_check *c, const assay_json *v, const struct as_place *at, size_t count)
{
	const struct hashed *first = NULL;
	const struct hashed *second = NULL;
	struct hashed *items = count > 1 ? as_new(count, sizeof *items) : NULL;
	size_t n = 0;
	if (count < 2) {
		return 0;
	}
	if (!items) {
		return as_fail_memory(c->failure);
	}
	for (const assay_json *e = as_json_first(v); e; e = as_json_next(e), n++) {
		items[n] = (struct hashed){hash_value(e), n, e};
	}
	qsort(items, n, sizeof *items, by_hash);
	int rc = find_twins(c, items, n, &first, &second);
	if (rc == 0 && first) {
		struct as_place below = {.up = at, .index = second->index};
		rc = as_schema_misfit(c, second->v, &below, "item %zu is the same as item %zu, expected unique items",
				      second->index, first->index);
	}
	free(items);
	return rc;
}

static int check_contains(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			  const struct as_place *at)
{
	int64_t least = node->sizes[AS_MIN_CONTAINS] >= 0 ? node->sizes[AS_MIN_CONTAINS] : 1;
	int64_t most = node->sizes[AS_MAX_CONTAINS] >= 0 ? node->sizes[AS_MAX_CONTAINS] : INT64_MAX;
	int64_t n = 0;
	struct as_place below = {.up = at};
	for (const assay_json *e = as_json_first(v); e; e = as_json_next(e), below.index++) {
		int rc = as_schema_try(c, node->contains, e, &below);
		if (rc < 0) {
			return rc;
		}
		n += rc == 0;
	}
	if (n < least) {
		return as_schema_misfit(c, v, at,
					"found %lld items of the kind in \"contains\", expected at least %lld",
					(long long)n, (long long)least);
	}
	if (n > most) {
		return as_schema_misfit(c, v, at, "found %lld items of the kind in \"contains\", expected at most %lld",
					(long long)n, (long long)most);
	}
	return 0;
}

int as_schema_check_array(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			  const struct as_place *at)
{
	size_t count = as_json_count(v);
	struct as_place below = {.up = at};
	int rc = check_count(c, node, v, at, count);
	rc = rc ? rc : as_schema_spend(c, count);
	if (rc) {
		return rc;
	}
	for (const assay_json *e = as_json_first(v); e; e = as_json_next(e), below.index++) {
		const struct as_schema_node *item =
			below.index < node->prefix.n ? node->prefix.items[below.index] : node->rest_items;
		if (!item) {
			break;
		}
		rc = as_schema_check(c, item, e, &below);
		if (rc) {
			return rc;
		}
	}
	rc = node->unique ? check_unique(c, v, at, count) : 0;
	return rc || !node->contains ? rc : check_contains(c, node, v, at);
}

/* Objects. */

/* "did you mean "x"?", or what there is. */
static void hint_known(assay_error *err, const struct as_schema_map *known, const char *key)
{
	as_buf list = {0};
	const char *near = NULL;
	const char **names = known->n ? as_new(known->n, sizeof *names) : NULL;
	if (!err || err->hint[0] || !names) {
		free(names);
		return;
	}
	for (size_t i = 0; i < known->n; i++) {
		names[i] = known->entries[i].key;
		as_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	near = as_nearest(as_str(key), names, known->n);
	if (near) {
		as_error_hint(err, "did you mean \"%s\"?", near);
	} else if (list.ptr && list.len < 200) {
		as_error_hint(err, "known are: %s", list.ptr);
	}
	as_buf_free(&list);
	free(names);
}

static int unknown_member(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *m,
			  const struct as_place *at)
{
	assay_str key = as_json_key(m);
	bool fresh = c->err && c->err->code == 0;
	int rc = as_schema_misfit(c, m, at, "unknown member \"%.*s\"", (int)as_utf8_prefix(key, 80), key.ptr);
	if (fresh) {
		hint_known(c->err, &node->properties, key.ptr);
	}
	return rc;
}

static int check_name(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *m,
		      const struct as_place *at)
{
	assay_str key = as_json_key(m);
	assay_json *name = as_json_string(key);
	if (!name) {
		return as_fail_memory(c->failure);
	}
	int rc = as_schema_try(c, node->names, name, at);
	as_json_free(name);
	if (rc > 0) {
		return as_schema_misfit(c, m, at, "member name \"%.*s\" is not allowed (propertyNames)",
					(int)as_utf8_prefix(key, 80), key.ptr);
	}
	return rc;
}

static int check_patterns(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *m,
			  const struct as_place *at, bool *known)
{
	for (size_t i = 0; i < node->patterns.n; i++) {
		const struct as_schema_entry *e = &node->patterns.entries[i];
		int rc = as_schema_spend(c, 10);
		if (rc == 0) {
			rc = as_regex_search(e->regex, as_json_key(m), c->failure);
		}
		if (rc > 0) {
			*known = true;
			rc = as_schema_check(c, e->schema, m, at);
		}
		if (rc) {
			return rc;
		}
	}
	return 0;
}

static int check_member(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *m,
			const struct as_place *at)
{
	const struct as_schema_entry *e = as_schema_lookup(&node->properties, as_json_key(m).ptr);
	bool known = e != NULL;
	int rc = node->names ? check_name(c, node, m, at) : 0;
	rc = rc || !e ? rc : as_schema_check(c, e->schema, m, at);
	rc = rc ? rc : check_patterns(c, node, m, at, &known);
	if (rc || known || !node->additional) {
		return rc;
	}
	return node->additional->never ? unknown_member(c, node, m, at) : as_schema_check(c, node->additional, m, at);
}

static int check_required(struct as_schema_check *c, const assay_json *names, const assay_json *v,
			  const struct as_place *at, size_t count, const char *because)
{
	for (const assay_json *n = as_json_first(names); n; n = as_json_next(n)) {
		const char *name = as_json_cstr(n, "");
		int rc = as_schema_spend(c, 1 + count / 16); /* a look-up walks the members */
		if (rc < 0) {
			return rc;
		}
		if (as_json_get(v, name)) {
			continue;
		}
		if (because) {
			return as_schema_misfit(c, v, at, "member \"%.100s\" is missing, which \"%.100s\" asks for",
						name, because);
		}
		return as_schema_misfit(c, v, at, "member \"%.100s\" is missing", name);
	}
	return 0;
}

static int check_dependents(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			    const struct as_place *at, size_t count)
{
	int rc = 0;
	for (const assay_json *d = as_json_first(node->dependent_keys); d && rc == 0; d = as_json_next(d)) {
		const char *key = as_json_key(d).ptr;
		rc = as_schema_spend(c, 1 + count / 16);
		if (rc == 0 && as_json_type(d) == ASSAY_JSON_ARRAY && as_json_get(v, key)) {
			rc = check_required(c, d, v, at, count, key);
		}
	}
	for (size_t i = 0; i < node->dependents.n && rc == 0; i++) {
		rc = as_schema_spend(c, 1 + count / 16);
		if (rc == 0 && as_json_get(v, node->dependents.entries[i].key)) {
			rc = as_schema_check(c, node->dependents.entries[i].schema, v, at);
		}
	}
	return rc;
}

int as_schema_check_object(struct as_schema_check *c, const struct as_schema_node *node, const assay_json *v,
			   const struct as_place *at)
{
	size_t count = as_json_count(v);
	int rc = as_schema_spend(c, count);
	/* Unknown members first: a misspelt one tells more than the missing one that it stands for. */
	for (const assay_json *m = as_json_first(v); m && rc == 0; m = as_json_next(m)) {
		struct as_place below = {.up = at, .key = as_json_key(m).ptr};
		rc = check_member(c, node, m, &below);
	}
	rc = rc ? rc : check_required(c, node->required, v, at, count, NULL);
	rc = rc ? rc : check_dependents(c, node, v, at, count);
	return rc ? rc : check_count(c, node, v, at, count);
}
