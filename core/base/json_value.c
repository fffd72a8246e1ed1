#include "core/base/json_node.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int as_json_type(const assay_json *v)
{
	static const unsigned char types[256] = {[cJSON_NULL] = ASSAY_JSON_NULL,     [cJSON_False] = ASSAY_JSON_BOOL,
						 [cJSON_True] = ASSAY_JSON_BOOL,     [cJSON_Number] = ASSAY_JSON_NUMBER,
						 [cJSON_String] = ASSAY_JSON_STRING, [cJSON_Array] = ASSAY_JSON_ARRAY,
						 [cJSON_Object] = ASSAY_JSON_OBJECT};
	return v ? types[as_json_kind(as_json_node(v))] : ASSAY_JSON_NONE;
}

/* A key as kept against one as given: a NUL in the latter is C0 80 in the former. */
static bool key_is(const char *kept, assay_str key)
{
	for (size_t i = 0; i < key.len; i++, kept++) {
		if (key.ptr[i] == '\0') {
			if (memcmp(kept, "\xC0", 1) != 0) {
				return false;
			}
			kept++;
		} else if (*kept != key.ptr[i]) {
			return false;
		}
	}
	return *kept == '\0';
}

const assay_json *as_json_get_n(const assay_json *object, assay_str key)
{
	if (as_json_type(object) != ASSAY_JSON_OBJECT) {
		return NULL;
	}
	bool plain = key.len > 0 && !memchr(key.ptr, 0, key.len);
	const as_json_index *index = as_json_node_index(as_json_node(object));
	if (index && plain) {
		cJSON **found = as_json_index_find(index, key);
		return found ? as_json_value(*found) : NULL;
	}
	for (cJSON *m = as_json_node(object)->child; m; m = m->next) {
		if (plain) {
			assay_str kept = as_json_node_key(m);
			if (as_str_eq(kept, key)) {
				return as_json_value(m);
			}
		} else if (key_is(m->string, key)) {
			return as_json_value(m);
		}
	}
	return NULL;
}

const assay_json *as_json_get(const assay_json *object, const char *key)
{
	if (!key || !object || as_json_kind(as_json_node(object)) != cJSON_Object) {
		return NULL;
	}
	if (as_json_node_index(as_json_node(object))) {
		return as_json_get_n(object, as_str(key));
	}
	size_t n = strlen(key);
	for (cJSON *m = as_json_node(object)->child; m; m = m->next) {
		if (as_str_eq(as_json_node_key(m), (assay_str){key, n})) {
			return as_json_value(m);
		}
	}
	return NULL;
}

static const as_member_rule *rule_of(const as_member_rule *rules, const as_member_rule *end, assay_str key)
{
	while (rules < end && !as_str_eq(rules->key, key)) {
		rules++;
	}
	return rules;
}

/* Members mostly come in the order of the rules: the one behind the last that was found is looked at first. */
void as_json_find(const assay_json *object, const as_member_rule *rules, size_t n, const assay_json **found)
{
	const as_member_rule *next = rules, *end = rules + n;
	memset((void *)found, 0, n * sizeof *found);
	for (cJSON *m = as_json_type(object) == ASSAY_JSON_OBJECT ? as_json_node(object)->child : NULL; m;
	     m = m->next) {
		assay_str key = as_json_node_key(m);
		const as_member_rule *r = next < end && as_str_eq(next->key, key) ? next : rule_of(rules, end, key);
		if (r < end) {
			found[r - rules] = as_json_value(m);
			next = r + 1;
		}
	}
}

const assay_json *as_json_at(const assay_json *array, size_t index)
{
	if (as_json_type(array) != ASSAY_JSON_ARRAY) {
		return NULL;
	}
	const assay_json *v = as_json_first(array);
	for (; v && index > 0; index--) {
		v = as_json_next(v);
	}
	return v;
}

/* One reference token against a key, ~0 and ~1 undone on the way. False also for a ~ followed by anything else. */
static bool token_is(assay_str token, const char *key)
{
	for (size_t i = 0; i < token.len; i++, key++) {
		char c = token.ptr[i];
		if (c == '~') {
			i++;
			if (i >= token.len || (token.ptr[i] != '0' && token.ptr[i] != '1')) {
				return false;
			}
			c = token.ptr[i] == '0' ? '~' : '/';
		}
		if (*key != c) {
			return false;
		}
	}
	return *key == '\0';
}

static const assay_json *step(const assay_json *v, assay_str token)
{
	if (as_json_type(v) == ASSAY_JSON_OBJECT) {
		if (!memchr(token.ptr, '~', token.len)) {
			return as_json_get_n(v, token);
		}
		for (const cJSON *m = as_json_node(v)->child; m; m = m->next) {
			if (token_is(token, m->string)) {
				return (const assay_json *)m;
			}
		}
		return NULL;
	}
	if (token.len == 0 || token.len > 9 || (token.len > 1 && token.ptr[0] == '0')) {
		return NULL;
	}
	size_t index = 0;
	for (size_t i = 0; i < token.len; i++) {
		if (token.ptr[i] < '0' || token.ptr[i] > '9') {
			return NULL;
		}
		index = index * 10 + (size_t)(token.ptr[i] - '0');
	}
	return as_json_at(v, index);
}

const assay_json *as_json_pointer(const assay_json *v, const char *json_pointer)
{
	const char *p = json_pointer;
	if (!p || (*p && *p != '/')) {
		return NULL;
	}
	while (v && *p) {
		size_t n = strcspn(p + 1, "/");
		v = step(v, (assay_str){p + 1, n});
		p += 1 + n;
	}
	return v;
}

const assay_json *as_json_first(const assay_json *container)
{
	return container ? as_json_value(as_json_node(container)->child) : NULL;
}

const assay_json *as_json_last(const assay_json *container)
{
	const cJSON *first = as_json_node(as_json_first(container));
	return first ? as_json_value(first->prev) : NULL;
}

const assay_json *as_json_next(const assay_json *v)
{
	return v ? as_json_value(as_json_node(v)->next) : NULL;
}

assay_str as_json_key(const assay_json *member)
{
	return member && as_json_node(member)->string ? as_json_node_key(as_json_node(member)) : ASSAY_STR("");
}

size_t as_json_count(const assay_json *container)
{
	size_t n = 0;
	for (const assay_json *v = as_json_first(container); v; v = as_json_next(v)) {
		n++;
	}
	return n;
}

const char *as_json_cstr(const assay_json *v, const char *otherwise)
{
	return as_json_type(v) == ASSAY_JSON_STRING ? as_json_node(v)->valuestring : otherwise;
}

assay_str as_json_str(const assay_json *v)
{
	bool text = v && as_json_kind(as_json_node(v)) == cJSON_String;
	return text ? as_json_node_text(as_json_node(v)) : ASSAY_STR("");
}

assay_str as_json_spelling(const assay_json *number)
{
	return as_str(as_json_type(number) == ASSAY_JSON_NUMBER ? as_json_node(number)->valuestring : "");
}

bool as_json_is_integer(const assay_json *v)
{
	if (as_json_type(v) != ASSAY_JSON_NUMBER) {
		return false;
	}
	for (const char *p = as_json_node(v)->valuestring; *p; p++) {
		if (*p == '.' || *p > '9') { /* an exponent, or one of the words of Python */
			return false;
		}
	}
	return true;
}

int64_t as_json_i64(const assay_json *v, int64_t otherwise)
{
	if (as_json_type(v) != ASSAY_JSON_NUMBER) {
		return otherwise;
	}
	const cJSON *node = as_json_node(v);
	const double exact = 9007199254740992.0; /* below it, a double is the number that was spelled */
	if (node->valuedouble > -exact && node->valuedouble < exact) {
		int64_t whole = (int64_t)node->valuedouble;
		return (double)whole == node->valuedouble ? whole : otherwise;
	}
	if (!as_json_is_integer(v)) {
		const double two_to_63 = 9223372036854775808.0;
		double d = node->valuedouble;
		return d >= -two_to_63 && d < two_to_63 && floor(d) == d ? (int64_t)d : otherwise;
	}
	errno = 0;
	long long n = strtoll(node->valuestring, NULL, 10);
	return errno == ERANGE || n < INT64_MIN || n > INT64_MAX ? otherwise : (int64_t)n;
}

double as_json_f64(const assay_json *v, double otherwise)
{
	if (as_json_type(v) != ASSAY_JSON_NUMBER) {
		return otherwise;
	}
	double d = as_json_node(v)->valuedouble;
	return isfinite(d) ? d : otherwise;
}

int as_json_boolean(const assay_json *v, int otherwise)
{
	return as_json_type(v) == ASSAY_JSON_BOOL ? as_json_kind(as_json_node(v)) == cJSON_True : otherwise;
}

uint32_t as_json_line(const assay_json *v)
{
	return v ? (uint32_t)(as_json_node(v)->valueint & AS_NODE_LINE) : 0;
}

/* Recursion is as deep as the parser allowed. */
void as_json_forget_lines(assay_json *v)
{
	if (v) {
		as_json_node(v)->valueint &= ~AS_NODE_LINE;
		for (const assay_json *c = as_json_first(v); c; c = as_json_next(c)) {
			as_json_forget_lines(as_json_edit(c));
		}
	}
}
