/* distiller/provenance, rule 11: what the world shows in the end. A read that shows what a kept write has changed
 * becomes a state condition: found by making the reference's writes again in a fresh environment, with that write and
 * without it, and kept when it shows the same once more. */
#include "provenance.h"
#include <string.h>

enum { MIN_VALUE = 3, MAX_VALUE = 120, MAX_PROBES = 4 }; /* bytes of a value; reads tried for one write */

static bool is_fatal(int rc)
{
	return rc == ASSAY_ENOMEM || rc == ASSAY_ECANCELED || rc == ASSAY_EINTERNAL;
}

/* The text parts of a result, as a predicate reads them. */
static assay_str result_text(struct prov *p, const assay_json *result)
{
	const assay_json_api *J = p->J;
	struct text_buf out = {.arena = &p->arena};
	for (const assay_json *part = J->first(J->get(result, "content")); part; part = J->next(part)) {
		if (text_is(J->str(J->get(part, "type")), "text")) {
			text_puts(&out, out.len ? "\n" : "");
			text_add(&out, J->str(J->get(part, "text")));
		}
	}
	return text_of(&out);
}

/* One call of a walk. *good: the server did it. */
static int step(struct prov *p, assay_str server, assay_str tool, const assay_json *arguments, assay_str *text,
		bool *good, assay_error *err)
{
	assay_error local = {0};
	assay_json *result = NULL;
	int is_error = 0;
	int rc = p->host->world->call(p->call, server, tool, arguments, &result, &is_error, &local);
	*good = rc == 0 && !is_error;
	if (*good && text) {
		*text = result_text(p, result);
	}
	p->J->free(result);
	if (rc < 0 && is_fatal(rc)) {
		if (err) {
			*err = local;
		}
		return rc;
	}
	return 0;
}

/* The reference's writes in a fresh environment, without one of them (PROV_NONE: all), then the probe. *good: all of
 * that was done; a write may fail that needs the one left out. */
static int walk(struct prov *p, size_t without, const struct prov_state *s, assay_str *text, bool *good,
		assay_error *err)
{
	assay_error local = {0};
	int rc = prov_check_time(p, err);
	*text = (assay_str){NULL, 0};
	if (rc != 0) {
		return rc;
	}
	*good = p->host->world->reset(p->call, &local) == 0;
	for (size_t i = 0; i < p->n_calls && rc == 0 && *good; i++) {
		const struct prov_call *c = &p->calls[i];
		bool done = true;
		if (c->success && prov_writes(c) && c->first != without) {
			rc = step(p, c->server, c->name, c->arguments, NULL, &done, err);
			*good = done || without != PROV_NONE;
		}
	}
	if (rc == 0 && *good) {
		bool shown;
		rc = step(p, s->probe->server, s->probe->name, s->arguments, text, &shown, err);
		*good = shown || without != PROV_NONE; /* what is not there yet may well be an error */
	}
	return rc;
}

/* --- Which values ------------------------------------------------------------------------------------------------ */

static int add_value(struct prov *p, struct prov_state *s, assay_str value)
{
	assay_str *slot;
	if (prov_has_text(&s->values, value) || s->values.n == PROV_MAX_VALUES) {
		return 0;
	}
	slot = text_push(&p->arena, &s->values.list, &s->values.n, &s->values.cap, sizeof *s->values.list);
	if (!slot) {
		return ASSAY_ENOMEM;
	}
	*slot = value;
	return 0;
}

static bool is_told(const struct prov_input *in)
{
	return in->origin == PROV_GOAL || in->origin == PROV_FOLDED || in->origin == PROV_RESULT;
}

/* What was written, where it stands in the text with the write and not in that without it. */
static int written_values(struct prov *p, struct prov_state *s, assay_str with, assay_str without)
{
	const struct prov_call *c = &p->calls[s->call];
	int rc = 0;
	for (size_t i = 0; i < c->n_inputs && rc == 0; i++) {
		const struct prov_input *in = &c->inputs[i];
		if (is_told(in) && !in->part && in->text.len >= MIN_VALUE && in->text.len <= MAX_VALUE &&
		    !prov_is_date(in->text) && prov_find_word(with, in->text, 0) != PROV_NONE &&
		    prov_find(without, in->text, 0) == PROV_NONE) {
			rc = add_value(p, s, in->text);
		}
	}
	return rc;
}

/* What was written away: it stands in the list without the write, and no longer in that with it. */
static void removed_value(struct prov *p, struct prov_state *s, assay_str with, assay_str without)
{
	const struct prov_call *c = &p->calls[s->call];
	for (size_t i = 0; i < c->n_inputs && s->gone.len == 0; i++) {
		const struct prov_input *in = &c->inputs[i];
		if (is_told(in) && !in->part && !in->number && in->text.len >= MIN_VALUE && in->text.len <= MAX_VALUE &&
		    prov_find_word(without, in->text, 0) != PROV_NONE && prov_find(with, in->text, 0) == PROV_NONE) {
			s->gone = in->text;
		}
	}
}

/* The next `"key": number` or truth value of a JSON text, with what ends it. */
static bool next_member(assay_str text, size_t *at, assay_str *key, assay_str *member)
{
	for (size_t i = *at; i < text.len; i++) {
		size_t end, value;
		if (text.ptr[i] != '"') {
			continue;
		}
		for (end = i + 1; end < text.len && text.ptr[end] != '"' && text.ptr[end] != '\\'; end++) {
		}
		for (value = end + 1; value < text.len && (text_blank(text.ptr[value]) || text.ptr[value] == ':');
		     value++) {
		}
		if (end >= text.len || text.ptr[end] != '"' || value >= text.len ||
		    !memchr(text.ptr + end, ':', value - end)) {
			i = end; /* a string that is no key */
			continue;
		}
		*key = prov_sub(text, i + 1, end);
		*at = value;
		if (strchr("0123456789-tf", text.ptr[value])) {
			for (end = value; end < text.len && !strchr(",}]\n", text.ptr[end]); end++) {
			}
			*member = prov_sub(text, i, end < text.len ? end + 1 : end);
			return true;
		}
		i = value - 1;
	}
	return false;
}

/* A number or a truth value that the write has changed in the thing that the probe names: `"stock":4,`. */
static int changed_member(struct prov *p, struct prov_state *s, assay_str with, assay_str without)
{
	const struct prov_call *c = &p->calls[s->call];
	size_t at = 0;
	assay_str key, member;
	for (size_t i = 0; i < c->n_inputs; i++) {
		if (c->inputs[i].number && !is_told(&c->inputs[i])) {
			return 0; /* an amount of the agent's own choice */
		}
	}
	while (s->values.n == 0 && next_member(with, &at, &key, &member)) {
		if (member.len <= MAX_VALUE && !prov_is_volatile_key(key) &&
		    prov_find(without, member, 0) == PROV_NONE) {
			return add_value(p, s, member);
		}
	}
	return 0;
}

/* --- Which reads ------------------------------------------------------------------------------------------------- */

/* A value of the write for a parameter of the probe; NULL: none. */
static const struct prov_input *input_for(const struct prov_call *c, assay_str parameter)
{
	static const char *const searches[] = {"query", "q", "search", "term", NULL};
	for (size_t i = 0; i < c->n_inputs; i++) {
		const struct prov_input *in = &c->inputs[i];
		if (is_told(in) && !in->part && text_same(in->element ? in->key : in->parameter, parameter)) {
			return in;
		}
	}
	for (size_t i = 0; i < c->n_inputs && text_in(parameter, searches); i++) {
		const struct prov_input *in = &c->inputs[i];
		if (is_told(in) && !in->part && !in->number && in->text.len >= MIN_VALUE && in->text.len <= MAX_VALUE) {
			return in;
		}
	}
	return NULL;
}

/* What a read that the write's values are enough for is asked with. NULL: they are not, or memory is out. */
static assay_json *bind(struct prov *p, const struct prov_call *c, const assay_tool *tool)
{
	const assay_json_api *J = p->J;
	assay_json *arguments = J->object();
	int rc = arguments ? 0 : ASSAY_ENOMEM;
	for (const assay_json *r = J->first(J->get(tool->input_schema, "required")); r && rc == 0; r = J->next(r)) {
		const struct prov_input *in = input_for(c, J->str(r));
		rc = in ? J->set_n(arguments, J->str(r), J->clone(in->value)) : ASSAY_ENOENT;
	}
	if (rc < 0 || !prov_admits(J, tool->input_schema, arguments)) {
		p->arena.failed = p->arena.failed || rc == ASSAY_ENOMEM;
		J->free(arguments);
		return NULL;
	}
	return arguments;
}

/* Try one read. It is the task's when it shows the write, twice. */
static int try_probe(struct prov *p, struct prov_state *s, bool *found, assay_error *err)
{
	assay_str with, without, again;
	bool good = false;
	int rc = walk(p, PROV_NONE, s, &with, &good, err);
	*found = false;
	if (rc != 0 || !good || with.len == 0) {
		return rc;
	}
	rc = walk(p, s->call, s, &without, &good, err);
	if (rc != 0 || !good) {
		return rc;
	}
	rc = written_values(p, s, with, without);
	if (rc == 0 && s->values.n == 0) {
		removed_value(p, s, with, without);
	}
	if (rc == 0 && s->values.n == 0 && s->gone.len == 0 && p->J->count(s->arguments) > 0) {
		rc = changed_member(p, s, with, without);
	}
	if (rc < 0) {
		return prov_fail_memory(p, err);
	}
	if (s->values.n > 0 || s->gone.len > 0) {
		rc = walk(p, PROV_NONE, s, &again, &good, err);
		*found = rc == 0 && good && (s->gone.len == 0 || prov_find(again, s->gone, 0) == PROV_NONE);
		for (size_t i = 0; i < s->values.n && *found; i++) {
			*found = prov_find(again, s->values.list[i], 0) != PROV_NONE;
		}
	}
	return rc;
}

static bool may_ask(const struct prov *p, const struct prov_call *c, const assay_tool *tool)
{
	return tool && text_same(tool->server, c->server) && !(tool->flags & ASSAY_TOOL_WRITES) &&
	       !prov_destroys(p, tool);
}

/* First what asks for the thing written, then what lists everything. */
static int find_state(struct prov *p, size_t call, assay_error *err)
{
	const struct prov_call *c = &p->calls[call];
	size_t tries = 0;
	int rc = 0;
	for (int lists = 0; lists < 2; lists++) {
		for (size_t i = 0; i < p->request->surface.count && rc == 0 && tries < MAX_PROBES; i++) {
			const assay_tool *tool = p->request->surface.list[i];
			struct prov_state s = {.call = call, .probe = tool};
			bool found = false;
			bool is_list = p->J->count(p->J->get(tool->input_schema, "required")) == 0;
			if (is_list != (lists == 1) || !may_ask(p, c, tool)) {
				continue;
			}
			s.arguments = bind(p, c, tool);
			if (!s.arguments) {
				continue;
			}
			tries++;
			rc = try_probe(p, &s, &found, err);
			if (rc == 0 && found) {
				p->states[p->n_states++] = s;
				return 0;
			}
			p->J->free(s.arguments);
		}
	}
	return rc;
}

int prov_find_states(struct prov *p, assay_error *err)
{
	int rc = 0;
	for (size_t i = p->n_calls; i-- > 0 && rc == 0 && p->find_states && p->n_states < PROV_MAX_STATES;) {
		const struct prov_call *c = &p->calls[i];
		if (c->kept && prov_writes(c)) { /* the last ones first: they are what stays */
			rc = find_state(p, i, err);
		}
	}
	return rc < 0 || !p->arena.failed ? rc : prov_fail_memory(p, err);
}
