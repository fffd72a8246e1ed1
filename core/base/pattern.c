/* Sequences, repeats, groups and references. */
#include "core/base/pattern.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REPEAT UINT32_MAX /* Python's "without end" */
#define STRAIGHT 64u          /* items between two callouts at most */

/* What the last item of a sequence is to a quantifier. */
enum item_kind {
	ITEM_NONE,
	ITEM_ONE,    /* one character or reference: repeats cost nothing */
	ITEM_GROUP,  /* something in parentheses or brackets */
	ITEM_LOOSE,  /* needs a group around it first */
	ITEM_AT,     /* an assertion such as ^: cannot be repeated */
	ITEM_REPEAT, /* has been repeated */
};

typedef struct item {
	enum item_kind kind;
	size_t at; /* in the output */
	as_extent extent;
} item;

typedef struct sequence {
	as_extent before; /* the last item */
	item last;
} sequence;

static int parse_alternatives(as_pattern *p, bool outermost, as_extent *extent);
static int parse_sequence(as_pattern *p, bool first, as_extent *extent);

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

static int too_large(as_pattern *p, size_t at, const char *what, unsigned limit)
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
	return a + b < MAX_REPEAT ? a + b : MAX_REPEAT; /* neither is above it */
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return a != 0 && b > MAX_REPEAT / a ? MAX_REPEAT : a * b;
}

static as_extent after(as_extent a, as_extent b)
{
	return (as_extent){add_to(a.least, b.least), add_to(a.most, b.most), add_to(a.cost, b.cost)};
}

static as_extent either(as_extent a, as_extent b)
{
	return (as_extent){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
			   add_to(a.cost, b.cost)};
}

/* Is what the extent stands for of one width only? What is clipped has none. */
static bool is_fixed(as_extent e)
{
	return e.least == e.most && e.most < MAX_REPEAT - 1;
}

static void write_callout(as_pattern *p, size_t number)
{
	as_buf_printf(p->out, "(?C%u)", number < 255 ? (unsigned)number : 255u);
	p->straight = 0;
}

/* Begin the next item at the end of the output. */
static item *push(as_pattern *p, sequence *s, enum item_kind kind, uint64_t width)
{
	if (++p->straight >= STRAIGHT) {
		write_callout(p, 0);
	}
	s->before = after(s->before, s->last.extent);
	s->last = (item){kind, p->out->len, {width, width, 1}};
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
	*most = MAX_REPEAT;
	if (as_pattern_is(p, '}')) {
		return false;
	}
	for (;; as_pattern_take(p)) {
		if (!p->next.end && !p->next.escaped && p->next.c >= '0' && p->next.c <= '9') {
			*bound = digits ? *bound : 0;
			*bound = *bound > MAX_REPEAT ? *bound : *bound * 10 + (p->next.c - '0');
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
	} else if (digits && *most == MAX_REPEAT) { /* a number as large as that is refused */
		*most += 1;
	}
	return true;
}

static void write_bounds(as_pattern *p, uint64_t least, uint64_t most)
{
	if (most != MAX_REPEAT) {
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

static int repeat(as_pattern *p, sequence *s, size_t at, uint64_t least, uint64_t most)
{
	item *last = &s->last;

	if (least == MAX_REPEAT || least > MAX_REPEAT || most > MAX_REPEAT) {
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
	if (least > AS_PATTERN_MAX_REPEAT || (most != MAX_REPEAT && most > AS_PATTERN_MAX_REPEAT)) {
		return too_large(p, at, "repeats too often", AS_PATTERN_MAX_REPEAT);
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
		last->extent.cost = times(last->extent.cost, most != MAX_REPEAT ? most : least + 1);
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
	write_callout(p, 0);
	return last->extent.cost > AS_PATTERN_MAX_COST ? too_large(p, at, "is too large", AS_PATTERN_MAX_COST) : 0;
}

static int parse_quantifier(as_pattern *p, sequence *s, const as_token *t)
{
	uint64_t least = t->c == '+', most = t->c == '?' ? 1 : MAX_REPEAT;

	if (t->c == '{' && !take_bounds(p, &least, &most)) {
		push(p, s, ITEM_ONE, 1);
		as_buf_puts(p->out, "\\{");
		return 0;
	}
	return repeat(p, s, t->at, least, most);
}

/* --- names and references --- */

/* The text up to `end`, which is consumed. */
static int take_name(as_pattern *p, char end, assay_str *name)
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
static bool is_identifier(assay_str name)
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
static size_t find_group(const as_pattern *p, assay_str name)
{
	for (size_t i = 1; i < p->n_groups; i++) {
		if (p->groups[i].name.len > 0 && as_str_eq(p->groups[i].name, name)) {
			return i;
		}
	}
	return 0;
}

static int named_group(as_pattern *p, size_t at, assay_str name, size_t *group)
{
	if (!is_identifier(name)) {
		return as_pattern_refuse(p, at, "bad character in group name '%.*s'", ASSAY_FMT(name));
	}
	*group = find_group(p, name);
	if (*group == 0) {
		return as_pattern_refuse(p, at, "unknown group name '%.*s'", ASSAY_FMT(name));
	}
	return 0;
}

/* May a lookbehind refer to the group? It must have been complete before the lookbehind began. */
static int check_lookbehind(as_pattern *p, size_t at, size_t group)
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

static int write_reference(as_pattern *p, sequence *s, size_t at, size_t group)
{
	/* The scope is not caseless when ASCII folding is asked for, but this is as near as PCRE2 gets. */
	bool ascii_case = (p->flags & AS_FLAG_IGNORECASE) && (p->flags & AS_FLAG_ASCII);
	int code;

	if (!p->groups[group].closed) {
		return as_pattern_refuse(p, at, "cannot refer to an open group");
	}
	code = check_lookbehind(p, at, group);
	if (code == 0) {
		/* A comparison that fails late leaves no other trace. */
		write_callout(p, p->flags & AS_FLAG_IGNORECASE ? 255 : group);
		push(p, s, ITEM_ONE, 0)->extent = p->groups[group].extent;
		s->last.extent.cost = 1;
		as_buf_printf(p->out, ascii_case ? "(?i:\\g{%zu})" : "\\g{%zu}", group);
	}
	return code;
}

/* "\1" to "\99", or three octal digits. */
static int parse_number_escape(as_pattern *p, sequence *s, const as_token *t)
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
			push(p, s, ITEM_ONE, 1);
			return as_pattern_literal(p, number, &loose);
		}
		number = number * 10 + (second.c - '0');
	}
	if (number >= p->n_groups) {
		return as_pattern_refuse(p, t->at, "invalid group reference %u", (unsigned)number);
	}
	return write_reference(p, s, t->at, number);
}

static int parse_escape(as_pattern *p, sequence *s, const as_token *t)
{
	bool loose = false;
	uint32_t c = 0;
	int code = 0;

	if (t->c >= '1' && t->c <= '9') {
		return parse_number_escape(p, s, t);
	}
	if (t->c != 0 && t->c < 0x80 && strchr("dDsSwW", (int)t->c)) {
		push(p, s, ITEM_ONE, 1);
		code = as_pattern_category(p, (char)t->c, &loose);
	} else if (t->c == 'A' || t->c == 'Z') {
		push(p, s, ITEM_AT, 0);
		as_buf_puts(p->out, t->c == 'A' ? "\\A" : "\\z");
	} else if (t->c == 'b' || t->c == 'B') {
		push(p, s, ITEM_AT, 0);
		as_pattern_boundary(p, t->c == 'B');
	} else {
		code = as_pattern_escape(p, t, false, &c);
		if (code == 0) {
			push(p, s, ITEM_ONE, 1);
			code = as_pattern_literal(p, c, &loose);
		}
	}
	if (loose) {
		s->last.kind = ITEM_LOOSE;
	}
	return code;
}

/* --- flags --- */

static unsigned flag_of(const as_token *t)
{
	static const char letters[] = "aimsux"; /* in the order of the bits */
	const char *at = t->escaped || t->end || t->c == 0 || t->c >= 0x80 ? NULL : strchr(letters, (int)t->c);

	return at ? 1u << (at - letters) : 0;
}

/* A run of flag letters, of which *t is the first; *t is what ends it. */
static int take_flags(as_pattern *p, as_token *t, unsigned *flags)
{
	const unsigned type = AS_FLAG_ASCII | AS_FLAG_UNICODE;

	*flags = 0;
	for (;;) {
		unsigned flag = flag_of(t);

		if (flag == 0) {
			assay_str text = as_pattern_text(p, t);

			return t->end ? as_pattern_refuse(p, t->at, "missing -, : or )")
				      : as_pattern_refuse(p, t->at, "unknown flag '%.*s'", ASSAY_FMT(text));
		}
		*flags |= flag;
		if ((*flags & type) == type) {
			return as_pattern_refuse(p, t->at, "bad inline flags: flags 'a' and 'u' are incompatible");
		}
		*t = as_pattern_take(p);
		if (!t->end && !t->escaped && (t->c == ')' || t->c == ':' || t->c == '-')) {
			return 0;
		}
	}
}

/* What PCRE2 is told of the flags; the others take effect in what is written. */
static unsigned engine_flags(unsigned flags)
{
	unsigned engine = flags & (AS_FLAG_MULTILINE | AS_FLAG_DOTALL);

	return (flags & AS_FLAG_IGNORECASE) && !(flags & AS_FLAG_ASCII) ? engine | AS_FLAG_IGNORECASE : engine;
}

/* "(?ims-ims", what changes from the flags in force. */
static void write_flags(as_pattern *p, unsigned flags)
{
	unsigned was = engine_flags(p->flags), is = engine_flags(flags);
	static const struct {
		unsigned flag;
		char letter;
	} known[] = {{AS_FLAG_IGNORECASE, 'i'}, {AS_FLAG_MULTILINE, 'm'}, {AS_FLAG_DOTALL, 's'}};

	as_buf_puts(p->out, "(?");
	for (size_t i = 0; i < 3; i++) {
		if (is & ~was & known[i].flag) {
			as_buf_byte(p->out, known[i].letter);
		}
	}
	if (was & ~is) {
		as_buf_byte(p->out, '-');
	}
	for (size_t i = 0; i < 3; i++) {
		if (was & ~is & known[i].flag) {
			as_buf_byte(p->out, known[i].letter);
		}
	}
}

/* Flags for the whole pattern: only in front of everything else. */
static int set_global_flags(as_pattern *p, size_t at, bool allowed, unsigned flags)
{
	const unsigned type = AS_FLAG_ASCII | AS_FLAG_UNICODE;

	if (!allowed) {
		return as_pattern_refuse(p, at, "global flags not at the start of the expression");
	}
	flags |= p->flags;
	if ((flags & type) == type) {
		return as_pattern_refuse(p, at, "ASCII and UNICODE flags are incompatible");
	}
	write_flags(p, flags);
	as_buf_byte(p->out, ')');
	p->flags = flags;
	return 0;
}

/* --- groups --- */

static int parse_body(as_pattern *p, size_t at, as_extent *extent)
{
	int code = parse_alternatives(p, false, extent);

	if (code == 0 && !as_pattern_match(p, ')')) {
		code = as_pattern_refuse(p, at, "missing ), unterminated subpattern");
	}
	as_buf_byte(p->out, ')');
	return code;
}

static int parse_capture(as_pattern *p, sequence *s, size_t at, assay_str name)
{
	size_t group = p->n_groups;
	as_extent extent;
	int code;

	if (name.len > 0 && find_group(p, name) != 0) {
		return as_pattern_refuse(p, at, "redefinition of group name '%.*s'", ASSAY_FMT(name));
	}
	if (!as_grow(&p->groups, &p->groups_cap, group + 1, sizeof *p->groups)) {
		return as_fail_memory(p->err);
	}
	p->groups[group] = (as_pattern_group){.name = name};
	p->n_groups++;
	push(p, s, ITEM_GROUP, 0);
	as_buf_byte(p->out, '(');
	code = parse_body(p, at, &extent);
	p->groups[group].extent = s->last.extent = extent;
	p->groups[group].closed = true;
	return code;
}

static int parse_lookaround(as_pattern *p, sequence *s, size_t at, bool behind, bool negate)
{
	size_t before = p->lookbehind;
	as_extent extent;
	int code;

	push(p, s, ITEM_LOOSE, 0);
	as_buf_puts(p->out, behind ? "(?<" : "(?");
	as_buf_byte(p->out, negate ? '!' : '=');
	if (behind) {
		write_callout(p, 0);
		p->lookbehind = before != 0 ? before : p->n_groups;
	}
	code = parse_body(p, at, &extent);
	p->lookbehind = before;
	s->last.extent.cost = extent.cost;
	if (code == 0 && behind && !is_fixed(extent)) {
		code = as_pattern_refuse(p, at, "look-behind requires fixed-width pattern");
	}
	return code;
}

/* The group that "(?(...)" names. */
static int take_condition(as_pattern *p, size_t *group)
{
	size_t at = p->next.at;
	assay_str name = {0};
	int code = take_name(p, ')', &name);

	if (code == 0 && is_identifier(name)) {
		return named_group(p, at, name, group);
	}
	*group = 0;
	for (size_t i = 0; code == 0 && i < name.len; i++) {
		if (name.ptr[i] < '0' || name.ptr[i] > '9') {
			return as_pattern_refuse(p, at, "bad character in group name '%.*s'", ASSAY_FMT(name));
		}
		*group = *group > p->in.len ? *group : *group * 10 + (size_t)(name.ptr[i] - '0');
	}
	if (code == 0 && *group == 0) {
		return as_pattern_refuse(p, at, "bad group number");
	}
	if (*group > p->condition) { /* there may still come that many */
		p->condition = *group;
		p->condition_at = at;
	}
	return code;
}

static int parse_condition(as_pattern *p, sequence *s, size_t at)
{
	as_extent yes = {0}, no = {0};
	size_t group = 0;
	int code = take_condition(p, &group);

	if (code == 0) {
		code = check_lookbehind(p, at, group);
	}
	if (code != 0) {
		return code;
	}
	push(p, s, ITEM_GROUP, 0);
	as_buf_printf(p->out, "(?(%zu)", group);
	code = parse_sequence(p, false, &yes);
	if (code == 0 && as_pattern_match(p, '|')) {
		as_buf_byte(p->out, '|');
		write_callout(p, 0);
		code = parse_sequence(p, false, &no);
		if (code == 0 && as_pattern_is(p, '|')) {
			code = as_pattern_refuse(p, at, "conditional backref with more than two branches");
		}
	}
	if (code == 0 && !as_pattern_match(p, ')')) {
		code = as_pattern_refuse(p, at, "missing ), unterminated subpattern");
	}
	as_buf_byte(p->out, ')');
	s->last.extent = either(yes, no);
	return code;
}

/* "(?flags)", or "(?flags-flags:...)", whose first letter or "-" is *t. */
static int parse_flags(as_pattern *p, sequence *s, size_t at, as_token t, bool first)
{
	unsigned on = 0, off = 0, was = p->flags, flags;
	int code = 0;

	if (t.c != '-') {
		code = take_flags(p, &t, &on);
		if (code == 0 && t.c == ')') {
			return set_global_flags(p, at, first && s->last.kind == ITEM_NONE, on);
		}
	}
	if (code == 0 && t.c == '-') {
		t = as_pattern_take(p);
		code = take_flags(p, &t, &off);
		if (code == 0 && (t.c != ':' || (off & (AS_FLAG_ASCII | AS_FLAG_UNICODE)))) {
			code = as_pattern_refuse(
				p, t.at, "bad inline flags: cannot turn off flags 'a' and 'u', and a : must follow");
		}
	}
	if (code == 0 && (on & off)) {
		code = as_pattern_refuse(p, at, "bad inline flags: flag turned on and off");
	}
	if (code != 0) {
		return code;
	}
	flags = was;
	if (on & (AS_FLAG_ASCII | AS_FLAG_UNICODE)) {
		flags &= ~(AS_FLAG_ASCII | AS_FLAG_UNICODE);
	}
	flags = (flags | on) & ~off;
	push(p, s, ITEM_GROUP, 0);
	write_flags(p, flags);
	as_buf_byte(p->out, ':');
	p->flags = flags;
	code = parse_body(p, at, &s->last.extent);
	p->flags = was;
	return code;
}

/* After "(?P". */
static int parse_extension(as_pattern *p, sequence *s, size_t at)
{
	size_t name_at, group;
	assay_str name;
	int code;

	if (as_pattern_match(p, '<')) {
		name_at = p->next.at;
		code = take_name(p, '>', &name);
		if (code == 0 && !is_identifier(name)) {
			code = as_pattern_refuse(p, name_at, "bad character in group name '%.*s'", ASSAY_FMT(name));
		}
		return code == 0 ? parse_capture(p, s, at, name) : code;
	}
	if (as_pattern_match(p, '=')) {
		name_at = p->next.at;
		code = take_name(p, ')', &name);
		if (code == 0) {
			code = named_group(p, name_at, name, &group);
		}
		return code == 0 ? write_reference(p, s, name_at, group) : code;
	}
	return as_pattern_refuse(p, at, "unknown extension ?P: only (?P<name>...) and (?P=name) are known");
}

/* After "(?". */
static int parse_special(as_pattern *p, sequence *s, size_t at, bool first)
{
	as_token t = as_pattern_take(p);
	assay_str text = as_pattern_text(p, &t);
	bool behind = !t.escaped && t.c == '<';

	if (t.end) {
		return as_pattern_refuse(p, t.at, "unexpected end of pattern");
	}
	if (flag_of(&t) != 0) {
		return parse_flags(p, s, at, t, first);
	}
	switch (t.escaped ? 0 : t.c) {
	case 'P':
		return parse_extension(p, s, at);
	case ':':
	case '>':
		push(p, s, ITEM_GROUP, 0);
		as_buf_puts(p->out, t.c == ':' ? "(?:" : "(?>");
		return parse_body(p, at, &s->last.extent);
	case '#':
		while (!p->next.end && !as_pattern_is(p, ')')) {
			as_pattern_take(p);
		}
		return as_pattern_match(p, ')') ? 0 : as_pattern_refuse(p, at, "missing ), unterminated comment");
	case '(':
		return parse_condition(p, s, at);
	case '-':
		return parse_flags(p, s, at, t, first);
	case '=':
	case '!':
	case '<':
		if (behind) {
			t = as_pattern_take(p);
			text = as_pattern_text(p, &t);
		}
		if (!t.escaped && !t.end && (t.c == '=' || t.c == '!')) {
			return parse_lookaround(p, s, at, behind, t.c == '!');
		}
		break;
	default:
		break;
	}
	return as_pattern_refuse(p, at, "unknown extension ?%s%.*s", behind ? "<" : "", ASSAY_FMT(text));
}

static int parse_group(as_pattern *p, sequence *s, size_t at, bool first)
{
	int code;

	if (p->depth >= AS_PATTERN_MAX_DEPTH) {
		return too_large(p, at, "is nested too deeply", AS_PATTERN_MAX_DEPTH);
	}
	p->depth++;
	code = as_pattern_match(p, '?') ? parse_special(p, s, at, first) : parse_capture(p, s, at, (assay_str){0});
	p->depth--;
	return code;
}

/* --- sequences --- */

/* White space and comments of the verbose form. */
static bool skips(as_pattern *p, const as_token *t)
{
	if (!(p->flags & AS_FLAG_VERBOSE) || t->escaped) {
		return false;
	}
	if (t->c == ' ' || (t->c >= '\t' && t->c <= '\r')) {
		return true;
	}
	if (t->c != '#') {
		return false;
	}
	while (!p->next.end && !as_pattern_is(p, '\n')) {
		as_pattern_take(p);
	}
	as_pattern_match(p, '\n');
	return true;
}

static int parse_item(as_pattern *p, sequence *s, const as_token *t, bool first)
{
	bool loose = false;
	int code;

	if (t->escaped) {
		return parse_escape(p, s, t);
	}
	switch (t->c) {
	case '*':
	case '+':
	case '?':
	case '{':
		return parse_quantifier(p, s, t);
	case '(':
		return parse_group(p, s, t->at, first);
	case '^':
	case '$':
		push(p, s, ITEM_AT, 0);
		as_buf_byte(p->out, (char)t->c);
		return 0;
	case '.':
		push(p, s, ITEM_ONE, 1);
		as_buf_byte(p->out, '.');
		return 0;
	default:
		break;
	}
	push(p, s, ITEM_ONE, 1);
	code = t->c == '[' ? as_pattern_set(p, t->at, &loose) : as_pattern_literal(p, t->c, &loose);
	if (loose) {
		s->last.kind = ITEM_LOOSE;
	}
	return code;
}

static int parse_sequence(as_pattern *p, bool first, as_extent *extent)
{
	sequence s = {0};
	int code = 0;

	while (code == 0 && !p->next.end && !as_pattern_is(p, '|') && !as_pattern_is(p, ')')) {
		as_token t = as_pattern_take(p);

		if (!skips(p, &t)) {
			code = parse_item(p, &s, &t, first);
		}
		if (code == 0 && p->out->failed) {
			code = as_fail_memory(p->err);
		}
	}
	*extent = after(s.before, s.last.extent);
	return code;
}

static int parse_alternatives(as_pattern *p, bool outermost, as_extent *extent)
{
	int code = parse_sequence(p, outermost, extent);

	while (code == 0 && as_pattern_match(p, '|')) {
		as_extent other = {0};

		as_buf_byte(p->out, '|');
		write_callout(p, 0);
		code = parse_sequence(p, false, &other);
		*extent = either(*extent, other);
	}
	return code;
}

/* Every backslash has something to escape. */
static int check_last_backslash(as_pattern *p)
{
	size_t i = 0;

	while (i < p->in.len) {
		if (p->in.ptr[i] == '\\' && ++i == p->in.len) {
			return as_pattern_refuse(p, i - 1, "bad escape (end of pattern)");
		}
		i++;
	}
	return 0;
}

int as_pattern_translate(assay_str pattern, bool own_words, as_buf *out, size_t *widest, assay_error *err)
{
	as_pattern p = {.in = pattern, .own_words = own_words, .out = out, .n_groups = 1, .err = err};
	as_extent extent;
	int code;

	if (pattern.len > AS_PATTERN_MAX_BYTES) {
		return too_large(&p, 0, "is too long", AS_PATTERN_MAX_BYTES);
	}
	code = check_last_backslash(&p);
	if (code != 0) {
		return code;
	}
	as_pattern_seek(&p, 0);
	write_callout(&p, 0); /* each place where a match is tried counts */
	code = parse_alternatives(&p, true, &extent);
	if (code == 0 && !p.next.end) {
		code = as_pattern_refuse(&p, p.next.at, "unbalanced parenthesis");
	}
	if (code == 0 && p.condition >= p.n_groups) {
		code = as_pattern_refuse(&p, p.condition_at, "invalid group reference %zu", p.condition);
	}
	if (code == 0 && extent.cost > AS_PATTERN_MAX_COST) {
		code = too_large(&p, 0, "is too large", AS_PATTERN_MAX_COST);
	}
	free(p.groups);
	*widest = p.widest;
	return code == 0 ? as_buf_check(out, err) : code;
}
