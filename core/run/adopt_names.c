/* What results say of who was evaluated and how, as names of a manifest: what differs there has different names here.
 */
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/run/adopt_private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK 8u /* digits of a digest that tell names apart */

int as_adopt_note_name(adopted_names *x, as_arena *arena, const assay_str *said, uint32_t *out, assay_error *err)
{
	as_buf key = {0};
	const assay_json *known;
	int rc;
	as_buf_puts(&key, said ? "=" : "");
	as_buf_add(&key, said ? *said : ASSAY_STR(""));
	x->index = x->index ? x->index : as_json_object();
	rc = x->index ? as_buf_check(&key, err) : as_fail_memory(err);
	known = rc < 0 ? NULL : as_json_get_n(x->index, as_buf_str(&key));
	*out = known ? (uint32_t)as_json_i64(known, 0) : (uint32_t)x->n;
	if (rc == 0 && !known) {
		rc = as_grow(&x->list, &x->cap, x->n + 1, sizeof *x->list) &&
				     as_json_set_n(x->index, as_buf_str(&key), as_json_integer((int64_t)x->n)) == 0
			     ? 0
			     : as_fail_memory(err);
		if (rc == 0) {
			x->list[x->n++] = (adopted_name){.said = as_arena_str(arena, said ? *said : ASSAY_STR("")),
							 .absent = !said};
			rc = arena->failed ? as_fail_memory(err) : 0;
		}
	}
	as_buf_free(&key);
	return rc;
}

void as_adopt_names_free(adopted_names *x)
{
	free(x->list);
	as_json_free(x->index);
	*x = (adopted_names){0};
}

/* What a manifest cannot hold becomes "-", and is left out at the beginning. True: nothing had to be changed. */
static bool spell(const adopted_rule *rule, const adopted_name *name, as_buf *out)
{
	as_buf_clear(out);
	if (name->absent) {
		as_buf_puts(out, rule->otherwise);
		return false;
	}
	as_buf_puts(out, rule->before);
	for (size_t i = 0; i < name->said.len && out->len < rule->most; i++) {
		char c = name->said.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (plain || out->len > 0) {
			as_buf_byte(out, plain || (c && strchr(rule->allowed, c)) ? c : '-');
		}
	}
	return name->said.len > 0 && !out->failed &&
	       as_str_eq(name->said, (assay_str){out->ptr + strlen(rule->before), out->len - strlen(rule->before)});
}

/* The name with digits of its text's digest behind it, which are others in every round. */
static void mark(const adopted_rule *rule, const adopted_name *name, unsigned round, as_buf *out)
{
	assay_str parts[2] = {name->said, {NULL, 0}};
	char digest[65], number[16];
	parts[1] = (assay_str){number, (size_t)snprintf(number, sizeof number, "%u", round)};
	as_hash_parts(name->absent ? "absent" : "said", parts, 2, digest);
	if (out->len == strlen(rule->before)) {
		as_buf_clear(out);
		as_buf_puts(out, rule->otherwise);
	}
	if (out->len + 1 + MARK > rule->most) {
		out->ptr[out->len = rule->most - MARK - 1] = '\0';
	}
	as_buf_printf(out, "-%.*s", (int)MARK, digest);
}

static int give(const adopted_rule *rule, as_arena *arena, adopted_name *name, assay_json *taken, assay_error *err)
{
	as_buf made = {0};
	bool nothing_left;
	int rc;
	spell(rule, name, &made);
	nothing_left = made.len == strlen(rule->before) && !name->absent;
	for (unsigned round = 0; !made.failed && (nothing_left || as_json_get_n(taken, as_buf_str(&made))); round++) {
		spell(rule, name, &made);
		mark(rule, name, round, &made);
		nothing_left = false;
	}
	rc = as_buf_check(&made, err);
	if (rc == 0 && as_json_set_n(taken, as_buf_str(&made), as_json_truth(1)) < 0) {
		rc = as_fail_memory(err);
	}
	name->name = rc < 0 ? NULL : as_arena_cstr(arena, as_buf_str(&made));
	as_buf_free(&made);
	return rc < 0 ? rc : name->name ? 0 : as_fail_memory(err);
}

static int compare(const void *a, const void *b)
{
	const adopted_name *x = *(adopted_name *const *)a, *y = *(adopted_name *const *)b;
	return x->absent != y->absent ? (x->absent ? -1 : 1) : as_str_cmp(x->said, y->said);
}

int as_adopt_give_names(adopted_names *x, const adopted_rule *rule, as_arena *arena, assay_json *taken,
			assay_error *err)
{
	adopted_name **sorted = as_new(x->n + 1, sizeof *sorted);
	as_buf made = {0};
	int rc = sorted ? 0 : as_fail_memory(err);
	for (size_t i = 0; i < x->n && rc == 0; i++) {
		sorted[i] = &x->list[i];
	}
	if (rc == 0) {
		qsort(sorted, x->n, sizeof *sorted, compare);
	}
	for (int changed = 0; changed < 2; changed++) { /* who can be called what it is, is */
		for (size_t i = 0; i < x->n && rc == 0; i++) {
			if (spell(rule, sorted[i], &made) == !changed) {
				rc = give(rule, arena, sorted[i], taken, err);
			}
		}
	}
	as_buf_free(&made);
	free(sorted);
	return rc;
}
