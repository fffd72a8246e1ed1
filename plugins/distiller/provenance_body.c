/* distiller/provenance: the task body, as reference page 1.2 has it. */
#include "provenance.h"
#include <string.h>

enum { SHOWN_VALUES = 3, SHOWN_BYTES = 60 };

static assay_str id_name(struct prov *p, assay_str tool)
{
	struct text_buf out = {.arena = &p->arena};
	tool = text_head(tool, 60);
	for (size_t i = 0; i < tool.len; i++) {
		char c = text_letter(tool.ptr[i]) || text_digit(tool.ptr[i]) ? tool.ptr[i] : '_';
		text_add(&out, (assay_str){&c, 1});
	}
	return text_of(&out);
}

/* c1_create_note; c1_create_note_1, _2 where an array gives several; c1_search_shows for what a result must show. */
static void name_checks(struct prov *p)
{
	size_t number = 0;
	for (size_t call = 0; call < p->n_calls; call++) {
		size_t effects = 0, k = 0;
		assay_str name;
		bool any = false;
		for (size_t i = 0; i < p->n_checks; i++) {
			if (p->checks[i].call == call && !p->checks[i].dropped) {
				effects += p->checks[i].values.n == 0;
				any = true;
			}
		}
		if (!any) {
			continue;
		}
		number++;
		name = id_name(p, p->calls[call].name);
		for (size_t i = 0; i < p->n_checks; i++) {
			struct prov_check *c = &p->checks[i];
			if (c->call != call || c->dropped) {
				continue;
			}
			if (c->values.n > 0) {
				c->id = text_format(&p->arena, "c%zu_%.*s_shows", number, ASSAY_FMT(name));
			} else if (effects == 1) {
				c->id = text_format(&p->arena, "c%zu_%.*s", number, ASSAY_FMT(name));
			} else {
				c->id = text_format(&p->arena, "c%zu_%.*s_%zu", number, ASSAY_FMT(name), ++k);
			}
		}
	}
}

static void add_value(struct prov *p, struct text_buf *out, assay_str parameter, assay_str text, size_t *shown)
{
	if (*shown == SHOWN_VALUES) {
		return;
	}
	text_puts(out, *shown ? ", " : " with ");
	if (parameter.len > 0) {
		text_add(out, prov_words(&p->arena, parameter));
		text_puts(out, " ");
	}
	text_puts(out, "\"");
	text_add(out, text_head(text, SHOWN_BYTES));
	text_puts(out, text.len > SHOWN_BYTES ? "...\"" : "\"");
	++*shown;
}

static assay_str describe_effect(struct prov *p, const struct prov_check *k)
{
	const struct prov_call *c = &p->calls[k->call];
	const assay_json *include = p->J->get(k->predicate, "must_include"),
			 *match = p->J->get(k->predicate, "must_match");
	struct text_buf out = {.arena = &p->arena};
	size_t shown = 0;
	text_add(&out, prov_words(&p->arena, c->name));
	if (out.len > 0 && out.ptr[0] >= 'a' && out.ptr[0] <= 'z') {
		out.ptr[0] = (char)(out.ptr[0] - 32);
	}
	for (const assay_json *v = p->J->first(include); v; v = p->J->next(v)) {
		bool number;
		add_value(p, &out, p->J->key(v), prov_scalar(p, v, &number), &shown);
	}
	for (const assay_json *v = p->J->first(match); v; v = p->J->next(v)) {
		add_value(p, &out, p->J->key(v), p->J->str(p->J->get(v, "contains")), &shown);
	}
	return text_of(&out);
}

static int put_pair(struct prov *p, assay_json *set, assay_str server, assay_str tool)
{
	assay_json *pair = p->J->object();
	int rc = prov_set_str(p, pair, "server_id", server);
	rc |= prov_set_str(p, pair, "tool_name", tool);
	return rc | p->J->append(set, pair);
}

static int put_effect(struct prov *p, assay_json *list, const struct prov_check *k)
{
	const assay_json_api *J = p->J;
	const struct prov_call *c = &p->calls[k->call];
	assay_json *item = J->object(), *set = J->array();
	int rc = prov_set_str(p, item, "kind", ASSAY_STR("tool_effect"));
	rc |= prov_set_str(p, item, "checkpoint_id", k->id);
	rc |= prov_set_str(p, item, "description", describe_effect(p, k));
	rc |= put_pair(p, set, c->server, c->name);
	for (size_t i = 0; i < c->n_same; i++) {
		rc |= put_pair(p, set, c->same[i]->server, c->same[i]->name);
	}
	rc |= J->set(item, "equivalence_set", set);
	rc |= J->set(item, "arg_predicate", k->predicate ? J->clone(k->predicate) : J->null());
	rc |= J->set(item, "must_succeed", J->truth(1));
	return rc | J->append(list, item);
}

static int put_value(struct prov *p, assay_json *list, const struct prov_check *k)
{
	const assay_json_api *J = p->J;
	assay_json *item = J->object(), *predicate = J->object(), *all = J->array();
	struct text_buf text = {.arena = &p->arena};
	int rc = prov_set_str(p, item, "kind", ASSAY_STR("value_produced"));
	text_puts(&text, "A result shows ");
	for (size_t i = 0; i < k->values.n; i++) {
		text_puts(&text, i ? " and " : "");
		text_add(&text, k->values.list[i]);
		rc |= J->append(all, J->string(k->values.list[i]));
	}
	rc |= prov_set_str(p, item, "checkpoint_id", k->id);
	rc |= prov_set_str(p, item, "description", text_of(&text));
	rc |= J->set(predicate, "contains_any", J->null());
	rc |= J->set(predicate, "contains_all", all);
	rc |= J->set(predicate, "regex", J->null());
	rc |= J->set(item, "predicate", predicate);
	rc |= prov_set_str(p, item, "scope", ASSAY_STR("any_tool_result"));
	return rc | J->append(list, item);
}

/* A regular expression that finds a text without this in it. */
static assay_str absent(struct prov *p, assay_str gone)
{
	struct text_buf out = {.arena = &p->arena};
	text_puts(&out, "\\A(?![\\s\\S]*");
	for (size_t i = 0; i < gone.len; i++) {
		text_puts(&out, strchr("\\^$.|?*+()[]{}", gone.ptr[i]) ? "\\" : "");
		text_add(&out, (assay_str){gone.ptr + i, 1});
	}
	text_puts(&out, ")");
	return text_of(&out);
}

static int put_state(struct prov *p, assay_json *list, const struct prov_state *s, size_t number)
{
	const assay_json_api *J = p->J;
	assay_json *item = J->object(), *probe = J->object(), *predicate = J->object();
	struct text_buf text = {.arena = &p->arena};
	int rc = prov_set_str(p, item, "kind", ASSAY_STR("state_condition"));
	text_puts(&text, "In the end ");
	text_add(&text, prov_words(&p->arena, s->probe->name));
	rc |= prov_set_str(p, item, "checkpoint_id",
			   text_format(&p->arena, "s%zu_%.*s", number, ASSAY_FMT(id_name(p, s->probe->name))));
	if (s->gone.len > 0) {
		text_puts(&text, " no longer shows ");
		text_add(&text, s->gone);
		rc |= prov_set_str(p, predicate, "regex", absent(p, s->gone));
	} else {
		assay_json *all = J->array();
		for (size_t i = 0; i < s->values.n; i++) {
			text_puts(&text, i ? " and " : " shows ");
			text_add(&text, s->values.list[i]);
			rc |= J->append(all, J->string(s->values.list[i]));
		}
		rc |= J->set(predicate, "contains_all", all);
	}
	rc |= prov_set_str(p, item, "description", text_of(&text));
	rc |= prov_set_str(p, probe, "server_id", s->probe->server);
	rc |= prov_set_str(p, probe, "tool_name", s->probe->name);
	rc |= J->set(probe, "arguments", J->clone(s->arguments));
	rc |= J->set(probe, "predicate", predicate);
	rc |= J->set(item, "probe", probe);
	return rc | J->append(list, item);
}

static assay_json *make_notes(struct prov *p)
{
	struct text_buf text = {.arena = &p->arena};
	if (p->untried.n == 0) {
		return p->J->null();
	}
	text_puts(&text, "Alternatives that were not tried: ");
	for (size_t i = 0; i < p->untried.n; i++) {
		text_puts(&text, i ? ", " : "");
		text_add(&text, p->untried.list[i]);
	}
	return p->J->string(text_of(&text));
}

assay_json *prov_make_body(struct prov *p)
{
	const assay_json_api *J = p->J;
	assay_json *body = J->object(), *list = J->array();
	int rc = 0;
	name_checks(p);
	for (size_t i = 0; i < p->n_checks; i++) {
		const struct prov_check *k = &p->checks[i];
		if (!k->dropped) {
			rc |= k->values.n > 0 ? put_value(p, list, k) : put_effect(p, list, k);
		}
	}
	for (size_t i = 0; i < p->n_states; i++) {
		rc |= put_state(p, list, &p->states[i], i + 1);
	}
	rc |= prov_set_str(p, body, "prompt", p->prompt);
	rc |= J->set(body, "checkpoints", list);
	rc |= J->set(body, "minefields", prov_make_minefields(p));
	rc |= J->set(body, "ordering", prov_make_ordering(p));
	rc |= J->set(body, "notes", make_notes(p));
	if (rc < 0 || p->arena.failed) {
		J->free(body);
		return NULL;
	}
	return body;
}
