/* distiller/provenance, rule 10: the goal in words that name no tool. */
#include "provenance.h"

static bool is_name_byte(char c)
{
	return text_letter(c) || text_digit(c) || c == '_' || c == '-';
}

static const assay_tool *find_tool(const struct prov *p, assay_str server, assay_str name, bool any_server)
{
	for (size_t i = 0; i < p->request->catalogue.count; i++) {
		const assay_tool *t = p->request->catalogue.list[i];
		if (text_same(t->name, name) && (any_server || text_same(t->server, server))) {
			return t;
		}
	}
	return NULL;
}

/* End of the name that starts at `from`; a hyphen or underscore at its end is none of it. */
static size_t name_end(assay_str s, size_t from)
{
	size_t to = from;
	while (to < s.len && is_name_byte(s.ptr[to])) {
		to++;
	}
	while (to > from && s.ptr[to - 1] == '-') {
		to--;
	}
	return to;
}

static bool is_plain_word(assay_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] < 'a' || name.ptr[i] > 'z') {
			return false;
		}
	}
	return true;
}

/* "server__tool" in one name. */
static const assay_tool *joined(const struct prov *p, assay_str name)
{
	size_t at = prov_find(name, ASSAY_STR("__"), 0);
	for (; at != PROV_NONE && at > 0; at = prov_find(name, ASSAY_STR("__"), at + 1)) {
		const assay_tool *t = find_tool(p, prov_sub(name, 0, at), prov_sub(name, at + 2, name.len), false);
		if (t) {
			return t;
		}
	}
	return NULL;
}

/* "server.tool", "server/tool", "server:tool", "server::tool"; *to moves behind it. */
static const assay_tool *dotted(const struct prov *p, assay_str s, size_t from, size_t *to)
{
	size_t mark = *to, next, end;
	const assay_tool *t;
	if (mark >= s.len || (s.ptr[mark] != '.' && s.ptr[mark] != '/' && s.ptr[mark] != ':')) {
		return NULL;
	}
	next = mark + 1 + (s.ptr[mark] == ':' && mark + 1 < s.len && s.ptr[mark + 1] == ':');
	end = name_end(s, next);
	t = end > next ? find_tool(p, prov_sub(s, from, mark), prov_sub(s, next, end), false) : NULL;
	if (t) {
		*to = end;
	}
	return t;
}

/* The tool that the name at `from` means, or NULL. An English word is only one where it is dressed as code. */
static const assay_tool *named_at(const struct prov *p, assay_str s, size_t from, size_t *to)
{
	assay_str name = prov_sub(s, from, *to);
	const assay_tool *t = dotted(p, s, from, to);
	bool code = from > 0 && s.ptr[from - 1] == '`';
	if (!t) {
		t = joined(p, name);
	}
	if (!t) {
		t = find_tool(p, (assay_str){"", 0}, name, true);
		code = code || (*to + 1 < s.len && s.ptr[*to] == '(' && s.ptr[*to + 1] == ')');
		t = t && is_plain_word(name) && !code ? NULL : t;
	}
	return t;
}

assay_str prov_make_prompt(struct prov *p, assay_str goal)
{
	struct text_buf out = {.arena = &p->arena};
	size_t i = 0;
	while (i < goal.len) {
		size_t to = name_end(goal, i);
		const assay_tool *t = to > i ? named_at(p, goal, i, &to) : NULL;
		if (!t) {
			to = to > i ? to : i + 1;
			text_add(&out, prov_sub(goal, i, to));
			i = to;
			continue;
		}
		if (i > 0 && goal.ptr[i - 1] == '`' && to < goal.len && goal.ptr[to] == '`') {
			out.len--; /* no code marks around plain words */
			to++;
		} else if (to + 1 < goal.len && goal.ptr[to] == '(' && goal.ptr[to + 1] == ')') {
			to += 2;
		}
		text_add(&out, prov_words(&p->arena, t->name));
		i = to;
	}
	return text_trim(text_of(&out));
}
