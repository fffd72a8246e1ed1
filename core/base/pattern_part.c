/* The parts of a pattern that hold no others: tokens, repeats, names, references and escapes. */
#include "core/base/pattern_part.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <string.h>

#define STRAIGHT 64u /* items between two callouts at most */

/* --- the tokens --- */

static as_token token_at(const as_pattern *p, size_t at)
{
	as_token t = {.at = at, .next = at};

	if (at >= p->in.len) {
		t.end = true;
		return t;
	}
	t.c = as_utf8_next(p->in, &t.next);
	if (t.c == '\\' && t.next < p->in.len) {
		t.escaped = true;
		t.c = as_utf8_next(p->in, &t.next);
	}
	return t;
}

void as_pattern_seek(as_pattern *p, size_t at)
{
	p->next = token_at(p, at);
}

as_token as_pattern_take(as_pattern *p)
{
	as_token t = p->next;

	as_pattern_seek(p, t.next);
	return t;
}

bool as_pattern_is(const as_pattern *p, char c)
{
	return !p->next.end && !p->next.escaped && p->next.c == (unsigned char)c;
}

bool as_pattern_match(as_pattern *p, char c)
{
	bool is = as_pattern_is(p, c);

	if (is) {
		as_pattern_take(p);
	}
	return is;
}

assay_str as_pattern_text(const as_pattern *p, const as_token *t)
{
	return (assay_str){p->in.ptr + t->at, t->next - t->at};
}

int as_pattern_refuse(as_pattern *p, size_t at, const char *format, ...)
{
	va_list args;
	int code;

	va_start(args, format);
	code = as_failv(p->err, ASSAY_EDATA, format, args);
	va_end(args);
	if (p->err) {
		p->err->detail = (int64_t)at;
	}
	return code;
}

int as_pattern_too_large(as_pattern *p, size_t at, const char *what, unsigned limit)
{
	int code = as_fail(p->err, ASSAY_ELIMIT, "the pattern %s, the limit is %u", what, limit);

	if (p->err) {
		p->err->detail = (int64_t)at;
	}
	return code;
}

/* --- how much a part matches --- */

static uint64_t add_to(uint64_t a, uint64_t b)
{
	return a + b < AS_PATTERN_WITHOUT_END ? a + b : AS_PATTERN_WITHOUT_END; /* neither is above it */
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return a != 0 && b > AS_PATTERN_WITHOUT_END / a ? AS_PATTERN_WITHOUT_END : a * b;
}

as_extent as_extent_after(as_extent a, as_extent b)
{
	return (as_extent){add_to(a.least, b.least), add_to(a.most, b.most), add_to(a.cost, b.cost)};
}

as_extent as_extent_either(as_extent a, as_extent b)
{
	return (as_extent){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
			   add_to(a.cost, b.cost)};
}

/* Is what the extent stands for of one width only? What is clipped has none. */
bool as_extent_is_fixed(as_extent e)
{
	return e.least == e.most && e.most < AS_PATTERN_WITHOUT_END - 1;
}

void as_pattern_callout(as_pattern *p, size_t number)
{
	as_buf_printf(p->out, "(?C%u)", number < 255 ? (unsigned)number : 255u);
	p->straight = 0;
}

/* Begin the next item at the end of the output. */
as_item *as_pattern_push(as_pattern *p, as_sequence *s, enum as_item_kind kind, uint64_t width)
{
	if (++p->straight >= STRAIGHT) {
		as_pattern_callout(p, 0);
	}
	s->before = as_extent_after(s->before, s->last.extent);
	s->last = (as_item){kind, p->out->len, {width, width, 1}};
	return &s->last;
}

/* --- repeats --- */

/* The numbers of "{m,n}", whose "{" has been consumed. False when it is no quantifier (nothing else is consumed then).
 */
static bool take_bounds(as_pattern *p, uint64_t *least, uint64_t *most)
{
	size_t start = p->next.at;
	uint64_t *bound = least;
	bool digits = false;

	*least = 0;
	*most = AS_PATTERN_WITHOUT_END;
	if (as_pattern_is(p, '}')) {
		return false;
	}
	for (;; as_pattern_take(p)) {
		if (!p->next.end && !p->next.escaped && p->next.c >= '0' && p->next.c <= '9') {
			*bound = digits ? *bound : 0;
			*bound = *bound > AS_PATTERN_WITHOUT_END ? *bound : *bound * 10 + (p->next.c - '0');
			digits = true;
		} else if (bound == least && as_pattern_is(p, ',')) {
			bound = most;
			digits = false;
		} else {
			break;
		}
	}
	if (!as_pattern_match(p, '}')) {
		as_pattern_seek(p, start);
		return false;
	}
	if (bound == least) { /* "{m}" */
		*most = *least;
	} else if (digits && *most == AS_PATTERN_WITHOUT_END) { /* a number as large as that is refused */
		*most += 1;
	}
	return true;
}

static void write_bounds(as_pattern *p, uint64_t least, uint64_t most)
{
	if (most != AS_PATTERN_WITHOUT_END) {
		as_buf_printf(p->out, "{%u,%u}", (unsigned)least, (unsigned)most);
	} else if (least > 1) {
		as_buf_printf(p->out, "{%u,}", (unsigned)least);
	} else {
		as_buf_byte(p->out, least == 1 ? '+' : '*');
	}
}

/* Put a group around everything from `at` on. */
static void wrap(as_pattern *p, size_t at, assay_str before, const char *behind)
{
	if (as_buf_reserve(p->out, before.len)) {
		memmove(p->out->ptr + at + before.len, p->out->ptr + at, p->out->len - at);
		memcpy(p->out->ptr + at, before.ptr, before.len);
		p->out->len += before.len;
		as_buf_puts(p->out, behind);
	}
}

/* In a lookbehind PCRE2 does not see that a repeat of what has no width has none either. Once is as good as often. */
static void repeat_nothing(as_pattern *p, size_t at, uint64_t least)
{
	bool lazy = as_pattern_match(p, '?'), possessive = !lazy && as_pattern_match(p, '+');

	if (least > 0) {
		return;
	}
	if (lazy) {
		wrap(p, at, ASSAY_STR("(?:|"), ")");
	} else {
		wrap(p, at, possessive ? ASSAY_STR("(?>") : ASSAY_STR("(?:"), "|)");
	}
}

static int repeat(as_pattern *p, as_sequence *s, size_t at, uint64_t least, uint64_t most)
{
	as_item *last = &s->last;

	if (least >= AS_PATTERN_WITHOUT_END || most > AS_PATTERN_WITHOUT_END) {
		return as_pattern_refuse(p, at, "the repetition number is too large");
	}
	if (most < least) {
		return as_pattern_refuse(p, at, "min repeat greater than max repeat");
	}
	if (last->kind == ITEM_NONE || last->kind == ITEM_AT) {
		return as_pattern_refuse(p, at, "nothing to repeat");
	}
	if (last->kind == ITEM_REPEAT) {
		return as_pattern_refuse(p, at, "multiple repeat");
	}
	if (least > AS_PATTERN_MAX_REPEAT || (most != AS_PATTERN_WITHOUT_END && most > AS_PATTERN_MAX_REPEAT)) {
		return as_pattern_too_large(p, at, "repeats too often", AS_PATTERN_MAX_REPEAT);
	}
	if (p->lookbehind != 0 && last->extent.most == 0) {
		repeat_nothing(p, last->at, least);
		last->kind = ITEM_REPEAT;
		return 0;
	}
	if (last->kind == ITEM_LOOSE) {
		wrap(p, last->at, ASSAY_STR("(?:"), ")");
	}
	if (last->kind != ITEM_ONE) { /* PCRE2 writes a repeated group out that many times */
		last->extent.cost = times(last->extent.cost, most != AS_PATTERN_WITHOUT_END ? most : least + 1);
	}
	last->extent.least = times(last->extent.least, least);
	last->extent.most = times(last->extent.most, most);
	last->kind = ITEM_REPEAT;
	write_bounds(p, least, most);
	if (as_pattern_match(p, '?')) {
		as_buf_byte(p->out, '?');
	} else if (as_pattern_match(p, '+')) {
		as_buf_byte(p->out, '+');
	}
	as_pattern_callout(p, 0);
	return last->extent.cost > AS_PATTERN_MAX_COST
		       ? as_pattern_too_large(p, at, "is too large", AS_PATTERN_MAX_COST)
		       : 0;
}

int as_pattern_quantifier(as_pattern *p, as_sequence *s, const as_token *t)
{
	uint64_t least = t->c == '+', most = t->c == '?' ? 1 : AS_PATTERN_WITHOUT_END;

	if (t->c == '{' && !take_bounds(p, &least, &most)) {
		as_pattern_push(p, s, ITEM_ONE, 1);
		as_buf_puts(p->out, "\\{");
		return 0;
	}
	return repeat(p, s, t->at, least, most);
}

/* --- names and references --- */

/* The text up to `end`, which is consumed. */
int as_pattern_take_name(as_pattern *p, char end, assay_str *name)
{
	size_t start = p->next.at;

	while (!p->next.end && !as_pattern_is(p, end)) {
		as_pattern_take(p);
	}
	*name = (assay_str){p->in.ptr + start, p->next.at - start};
	if (name->len == 0) {
		return as_pattern_refuse(p, start, "missing group name");
	}
	if (!as_pattern_match(p, end)) {
		return as_pattern_refuse(p, start, "missing %c, unterminated name", end);
	}
	return 0;
}

/* Near enough to str.isidentifier: the two differ in a few characters that nobody names groups with. */
bool as_pattern_is_name(assay_str name)
{
	for (size_t i = 0; i < name.len;) {
		bool first = i == 0;
		uint32_t c = as_utf8_next(name, &i);

		if (c != '_' && (!as_is_alnum(c) || (first && c >= '0' && c <= '9'))) {
			return false;
		}
	}
	return name.len > 0;
}

/* Number of the group of that name, 0 when there is none. */
size_t as_pattern_find_group(const as_pattern *p, assay_str name)
{
	for (size_t i = 1; i < p->n_groups; i++) {
		if (p->groups[i].name.len > 0 && as_str_eq(p->groups[i].name, name)) {
			return i;
		}
	}
	return 0;
}

int as_pattern_named_group(as_pattern *p, size_t at, assay_str name, size_t *group)
{
	if (!as_pattern_is_name(name)) {
		return as_pattern_refuse(p, at, "bad character in group name '%.*s'", ASSAY_FMT(name));
	}
	*group = as_pattern_find_group(p, name);
	if (*group == 0) {
		return as_pattern_refuse(p, at, "unknown group name '%.*s'", ASSAY_FMT(name));
	}
	return 0;
}

/* May a lookbehind refer to the group? It must have been complete before the lookbehind began. */
int as_pattern_check_lookbehind(as_pattern *p, size_t at, size_t group)
{
	if (p->lookbehind == 0) {
		return 0;
	}
	if (group >= p->n_groups || !p->groups[group].closed) {
		return as_pattern_refuse(p, at, "cannot refer to an open group");
	}
	if (group >= p->lookbehind) {
		return as_pattern_refuse(p, at, "cannot refer to group defined in the same lookbehind subpattern");
	}
	return 0;
}

int as_pattern_reference(as_pattern *p, as_sequence *s, size_t at, size_t group)
{
	/* The scope is not caseless when ASCII folding is asked for, but this is as near as PCRE2 gets. */
	bool ascii_case = (p->flags & AS_FLAG_IGNORECASE) && (p->flags & AS_FLAG_ASCII);
	int code;

	if (!p->groups[group].closed) {
		return as_pattern_refuse(p, at, "cannot refer to an open group");
	}
	code = as_pattern_check_lookbehind(p, at, group);
	if (code == 0) {
		/* A comparison that fails late leaves no other trace. */
		as_pattern_callout(p, p->flags & AS_FLAG_IGNORECASE ? 255 : group);
		as_pattern_push(p, s, ITEM_ONE, 0)->extent = p->groups[group].extent;
		s->last.extent.cost = 1;
		as_buf_printf(p->out, ascii_case ? "(?i:\\g{%zu})" : "\\g{%zu}", group);
	}
	return code;
}

/* "\1" to "\99", or three octal digits. */
static int parse_number_escape(as_pattern *p, as_sequence *s, const as_token *t)
{
	uint32_t number = t->c - '0';
	bool loose;

	if (!p->next.end && !p->next.escaped && p->next.c >= '0' && p->next.c <= '9') {
		as_token second = as_pattern_take(p);

		if (t->c < '8' && second.c < '8' && !p->next.end && !p->next.escaped && p->next.c >= '0' &&
		    p->next.c < '8') {
			as_token third = as_pattern_take(p);

			number = number * 64 + (second.c - '0') * 8 + (third.c - '0');
			if (number > 0377) {
				return as_pattern_refuse(p, t->at, "octal escape value outside of range 0-0o377");
			}
			as_pattern_push(p, s, ITEM_ONE, 1);
			return as_pattern_literal(p, number, &loose);
		}
		number = number * 10 + (second.c - '0');
	}
	if (number >= p->n_groups) {
		return as_pattern_refuse(p, t->at, "invalid group reference %u", (unsigned)number);
	}
	return as_pattern_reference(p, s, t->at, number);
}

int as_pattern_parse_escape(as_pattern *p, as_sequence *s, const as_token *t)
{
	bool loose = false;
	uint32_t c = 0;
	int code = 0;

	if (t->c >= '1' && t->c <= '9') {
		return parse_number_escape(p, s, t);
	}
	if (t->c != 0 && t->c < 0x80 && strchr("dDsSwW", (int)t->c)) {
		as_pattern_push(p, s, ITEM_ONE, 1);
		code = as_pattern_category(p, (char)t->c, &loose);
	} else if (t->c == 'A' || t->c == 'Z') {
		as_pattern_push(p, s, ITEM_AT, 0);
		as_buf_puts(p->out, t->c == 'A' ? "\\A" : "\\z");
	} else if (t->c == 'b' || t->c == 'B') {
		as_pattern_push(p, s, ITEM_AT, 0);
		as_pattern_boundary(p, t->c == 'B');
	} else {
		code = as_pattern_escape(p, t, false, &c);
		if (code == 0) {
			as_pattern_push(p, s, ITEM_ONE, 1);
			code = as_pattern_literal(p, c, &loose);
		}
	}
	if (loose) {
		s->last.kind = ITEM_LOOSE;
	}
	return code;
}
