/* Flags, groups and sequences. */
#include "core/base/error.h"
#include "core/base/pattern_part.h"

#include <stdlib.h>
#include <string.h>

static int parse_alternatives(as_pattern *p, bool outermost, as_extent *extent);
static int parse_sequence(as_pattern *p, bool first, as_extent *extent);

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

static int parse_capture(as_pattern *p, as_sequence *s, size_t at, assay_str name)
{
	size_t group = p->n_groups;
	as_extent extent;
	int code;

	if (name.len > 0 && as_pattern_find_group(p, name) != 0) {
		return as_pattern_refuse(p, at, "redefinition of group name '%.*s'", ASSAY_FMT(name));
	}
	if (!as_grow(&p->groups, &p->groups_cap, group + 1, sizeof *p->groups)) {
		return as_fail_memory(p->err);
	}
	p->groups[group] = (as_pattern_group){.name = name};
	p->n_groups++;
	as_pattern_push(p, s, ITEM_GROUP, 0);
	as_buf_byte(p->out, '(');
	code = parse_body(p, at, &extent);
	p->groups[group].extent = s->last.extent = extent;
	p->groups[group].closed = true;
	return code;
}

static int parse_lookaround(as_pattern *p, as_sequence *s, size_t at, bool behind, bool negate)
{
	size_t before = p->lookbehind;
	as_extent extent;
	int code;

	as_pattern_push(p, s, ITEM_LOOSE, 0);
	as_buf_puts(p->out, behind ? "(?<" : "(?");
	as_buf_byte(p->out, negate ? '!' : '=');
	if (behind) {
		as_pattern_callout(p, 0);
		p->lookbehind = before != 0 ? before : p->n_groups;
	}
	code = parse_body(p, at, &extent);
	p->lookbehind = before;
	s->last.extent.cost = extent.cost;
	if (code == 0 && behind && !as_extent_is_fixed(extent)) {
		code = as_pattern_refuse(p, at, "look-behind requires fixed-width pattern");
	}
	return code;
}

/* The group that "(?(...)" names. */
static int take_condition(as_pattern *p, size_t *group)
{
	size_t at = p->next.at;
	assay_str name = {0};
	int code = as_pattern_take_name(p, ')', &name);

	if (code == 0 && as_pattern_is_name(name)) {
		return as_pattern_named_group(p, at, name, group);
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

static int parse_condition(as_pattern *p, as_sequence *s, size_t at)
{
	as_extent yes = {0}, no = {0};
	size_t group = 0;
	int code = take_condition(p, &group);

	if (code == 0) {
		code = as_pattern_check_lookbehind(p, at, group);
	}
	if (code != 0) {
		return code;
	}
	as_pattern_push(p, s, ITEM_GROUP, 0);
	as_buf_printf(p->out, "(?(%zu)", group);
	code = parse_sequence(p, false, &yes);
	if (code == 0 && as_pattern_match(p, '|')) {
		as_buf_byte(p->out, '|');
		as_pattern_callout(p, 0);
		code = parse_sequence(p, false, &no);
		if (code == 0 && as_pattern_is(p, '|')) {
			code = as_pattern_refuse(p, at, "conditional backref with more than two branches");
		}
	}
	if (code == 0 && !as_pattern_match(p, ')')) {
		code = as_pattern_refuse(p, at, "missing ), unterminated subpattern");
	}
	as_buf_byte(p->out, ')');
	s->last.extent = as_extent_either(yes, no);
	return code;
}

/* "(?flags)", or "(?flags-flags:...)", whose first letter or "-" is *t. */
static int parse_flags(as_pattern *p, as_sequence *s, size_t at, as_token t, bool first)
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
	as_pattern_push(p, s, ITEM_GROUP, 0);
	write_flags(p, flags);
	as_buf_byte(p->out, ':');
	p->flags = flags;
	code = parse_body(p, at, &s->last.extent);
	p->flags = was;
	return code;
}

/* After "(?P". */
static int parse_extension(as_pattern *p, as_sequence *s, size_t at)
{
	size_t name_at, group;
	assay_str name;
	int code;

	if (as_pattern_match(p, '<')) {
		name_at = p->next.at;
		code = as_pattern_take_name(p, '>', &name);
		if (code == 0 && !as_pattern_is_name(name)) {
			code = as_pattern_refuse(p, name_at, "bad character in group name '%.*s'", ASSAY_FMT(name));
		}
		return code == 0 ? parse_capture(p, s, at, name) : code;
	}
	if (as_pattern_match(p, '=')) {
		name_at = p->next.at;
		code = as_pattern_take_name(p, ')', &name);
		if (code == 0) {
			code = as_pattern_named_group(p, name_at, name, &group);
		}
		return code == 0 ? as_pattern_reference(p, s, name_at, group) : code;
	}
	return as_pattern_refuse(p, at, "unknown extension ?P: only (?P<name>...) and (?P=name) are known");
}

/* After "(?". */
static int parse_special(as_pattern *p, as_sequence *s, size_t at, bool first)
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
		as_pattern_push(p, s, ITEM_GROUP, 0);
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

static int parse_group(as_pattern *p, as_sequence *s, size_t at, bool first)
{
	int code;

	if (p->depth >= AS_PATTERN_MAX_DEPTH) {
		return as_pattern_too_large(p, at, "is nested too deeply", AS_PATTERN_MAX_DEPTH);
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

static int parse_item(as_pattern *p, as_sequence *s, const as_token *t, bool first)
{
	bool loose = false;
	int code;

	if (t->escaped) {
		return as_pattern_parse_escape(p, s, t);
	}
	switch (t->c) {
	case '*':
	case '+':
	case '?':
	case '{':
		return as_pattern_quantifier(p, s, t);
	case '(':
		return parse_group(p, s, t->at, first);
	case '^':
	case '$':
		as_pattern_push(p, s, ITEM_AT, 0);
		as_buf_byte(p->out, (char)t->c);
		return 0;
	case '.':
		as_pattern_push(p, s, ITEM_ONE, 1);
		as_buf_byte(p->out, '.');
		return 0;
	default:
		break;
	}
	as_pattern_push(p, s, ITEM_ONE, 1);
	code = t->c == '[' ? as_pattern_set(p, t->at, &loose) : as_pattern_literal(p, t->c, &loose);
	if (loose) {
		s->last.kind = ITEM_LOOSE;
	}
	return code;
}

static int parse_sequence(as_pattern *p, bool first, as_extent *extent)
{
	as_sequence s = {0};
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
	*extent = as_extent_after(s.before, s.last.extent);
	return code;
}

static int parse_alternatives(as_pattern *p, bool outermost, as_extent *extent)
{
	int code = parse_sequence(p, outermost, extent);

	while (code == 0 && as_pattern_match(p, '|')) {
		as_extent other = {0};

		as_buf_byte(p->out, '|');
		as_pattern_callout(p, 0);
		code = parse_sequence(p, false, &other);
		*extent = as_extent_either(*extent, other);
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
		return as_pattern_too_large(&p, 0, "is too long", AS_PATTERN_MAX_BYTES);
	}
	code = check_last_backslash(&p);
	if (code != 0) {
		return code;
	}
	as_pattern_seek(&p, 0);
	as_pattern_callout(&p, 0); /* each place where a match is tried counts */
	code = parse_alternatives(&p, true, &extent);
	if (code == 0 && !p.next.end) {
		code = as_pattern_refuse(&p, p.next.at, "unbalanced parenthesis");
	}
	if (code == 0 && p.condition >= p.n_groups) {
		code = as_pattern_refuse(&p, p.condition_at, "invalid group reference %zu", p.condition);
	}
	if (code == 0 && extent.cost > AS_PATTERN_MAX_COST) {
		code = as_pattern_too_large(&p, 0, "is too large", AS_PATTERN_MAX_COST);
	}
	free(p.groups);
	*widest = p.widest;
	return code == 0 ? as_buf_check(out, err) : code;
}
