/* distiller/provenance, rule 2: where each argument leaf came from. */
#include "provenance.h"
#include <stdlib.h>
#include <string.h>

enum {
	SHORT = 3,     /* characters that a text needs to be more than a coincidence */
	MAX_ERRORS = 8 /* failed calls that are looked back at */
};

bool prov_has_text(const struct prov_texts *list, assay_str s)
{
	for (size_t i = 0; i < list->n; i++) {
		if (text_same(list->list[i], s)) {
			return true;
		}
	}
	return false;
}

static int put_text(struct prov *p, struct prov_texts *out, assay_str s)
{
	assay_str *slot =
		prov_has_text(out, s) ? NULL : text_push(&p->arena, &out->list, &out->n, &out->cap, sizeof *out->list);
	if (slot) {
		*slot = s;
	}
	return p->arena.failed ? ASSAY_ENOMEM : 0;
}

/* A number does not stand for itself inside an id, a date, a version or a path: 5 is not in "P-5", "2026-05-05", "1.5".
 */
static bool number_starts(assay_str s, size_t i)
{
	char before = i > 0 ? s.ptr[i - 1] : ' ', far = i > 1 ? s.ptr[i - 2] : ' ';
	bool joins = before != '\0' && strchr("-.,/:+", before) != NULL;
	if (text_digit(before) || text_letter(before) || before == '_') {
		return false;
	}
	return !joins || !(text_digit(far) || text_letter(far));
}

static size_t number_ends(assay_str s, size_t i)
{
	while (i < s.len && text_digit(s.ptr[i])) {
		i++;
		if (i + 1 < s.len && (s.ptr[i] == '.' || s.ptr[i] == ',') && text_digit(s.ptr[i + 1])) {
			i++;
		}
	}
	return i;
}

static bool ends_number(assay_str s, size_t i)
{
	char c = i < s.len ? s.ptr[i] : ' ', d = i + 1 < s.len ? s.ptr[i + 1] : ' ';
	if (text_letter(c) || text_digit(c) || c == '_') {
		return false;
	}
	return !((c == '-' || c == '/' || c == ':' || c == '.' || c == ',') && text_digit(d));
}

int prov_number_words(struct prov *p, assay_str text, struct prov_texts *out)
{
	static const char *const words[] = {"two",   "three", "four", "five",   "six",   "seven",
					    "eight", "nine",  "ten",  "eleven", "twelve"};
	int rc = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words && rc == 0; i++) {
		assay_str word = {words[i], strlen(words[i])};
		if (prov_find_word(text, word, 0) != PROV_NONE) {
			rc = put_text(p, out, text_format(&p->arena, "%zu", i + 2));
		}
	}
	return rc;
}

int prov_numbers(struct prov *p, assay_str text, struct prov_texts *out)
{
	int rc = 0;
	for (size_t i = 0; i < text.len && rc == 0 && out->n < PROV_MAX_LEAVES;) {
		size_t to;
		if (!text_digit(text.ptr[i]) || !number_starts(text, i)) {
			i++;
			continue;
		}
		to = number_ends(text, i);
		if (ends_number(text, to)) {
			bool negative = i > 0 && text.ptr[i - 1] == '-', number;
			assay_str normal = prov_normal(p, prov_sub(text, negative ? i - 1 : i, to), &number);
			rc = number ? put_text(p, out, normal) : 0;
		}
		i = to;
	}
	return rc;
}

bool prov_in_goal(const struct prov *p, assay_str text, bool number)
{
	if (number && prov_has_text(&p->goal_numbers, text)) {
		return true;
	}
	return text.len >= SHORT && prov_find_word(p->prompt, text, 0) != PROV_NONE;
}

bool prov_in_answer(const struct prov *p, const struct prov_leaf *leaf)
{
	if (leaf->number) {
		return prov_has_text(&p->answer_numbers, leaf->text);
	}
	return leaf->text.len >= 2 && prov_find_word(p->answer, leaf->text, 0) != PROV_NONE;
}

static int compare_leaves(const void *a, const void *b)
{
	const struct prov_leaf *x = *(struct prov_leaf *const *)a, *y = *(struct prov_leaf *const *)b;
	if (x->hash != y->hash) {
		return x->hash < y->hash ? -1 : 1;
	}
	return (x > y) - (x < y); /* the order of the trace */
}

static int make_index(struct prov *p, assay_error *err)
{
	p->index = text_alloc(&p->arena, p->n_leaves + 1, sizeof(struct prov_leaf *));
	if (!p->index) {
		return prov_fail_memory(p, err);
	}
	for (size_t i = 0; i < p->n_leaves; i++) {
		p->index[i] = &p->leaves[i];
	}
	qsort(p->index, p->n_leaves, sizeof(struct prov_leaf *), compare_leaves);
	return 0;
}

void prov_look_up(const struct prov *p, assay_str text, size_t *from, size_t *to)
{
	uint64_t hash = prov_hash(text);
	size_t low = 0, high = p->n_leaves;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->index[middle]->hash < hash) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	*from = low;
	while (low < p->n_leaves && p->index[low]->hash == hash && text_same(p->index[low]->text, text)) {
		low++;
	}
	*to = low;
}

/* Short values meet by chance; then the names must fit too. */
static bool fits(const struct prov_input *in, const struct prov_leaf *leaf)
{
	return leaf->text.len >= SHORT || prov_keys_match(in->key, leaf->key) ||
	       prov_keys_match(in->parameter, leaf->key);
}

/* Of several calls that had given the value, the one where it has the parameter's name, then the earliest. */
static bool find_producer(const struct prov *p, size_t call, struct prov_input *in, assay_str text)
{
	size_t from, to;
	bool named = false;
	in->producer = PROV_NONE;
	in->sole_source = true;
	prov_look_up(p, text, &from, &to);
	for (size_t i = from; i < to && i - from < PROV_MAX_LEAVES; i++) {
		const struct prov_leaf *leaf = p->index[i];
		bool fits_name = prov_keys_match(in->key, leaf->key) && !leaf->part;
		if (leaf->at >= call || leaf->call == call || !fits(in, leaf)) {
			continue;
		}
		if (in->producer != PROV_NONE && in->producer != leaf->call) {
			in->sole_source = false;
		}
		if (in->producer == PROV_NONE || (fits_name && !named)) {
			in->producer = leaf->call;
			named = fits_name;
		}
	}
	return in->producer != PROV_NONE;
}

static bool is_folded_in(const struct prov *p, assay_str text)
{
	assay_text low = {0};
	bool found = false;
	if (text.len < SHORT || text.len > PROV_MAX_GOAL || p->host->text->lower(text, &low, NULL) < 0) {
		return false;
	}
	found = prov_find_word(p->folded, (assay_str){low.ptr, low.len}, 0) != PROV_NONE;
	for (size_t i = 0; i < low.len && !found; i++) { /* nautical_miles: "nautical miles" */
		low.ptr[i] = low.ptr[i] == '_' ? ' ' : low.ptr[i];
	}
	found = found || prov_find_word(p->folded, (assay_str){low.ptr, low.len}, 0) != PROV_NONE;
	p->J->text_free(&low);
	return found;
}

/* An error mostly tells what it was asked for; that is no hint. */
static bool says_itself(const struct prov_call *c, assay_str text)
{
	for (size_t i = 0; i < c->n_inputs; i++) {
		if (text_same(c->inputs[i].text, text)) {
			return true;
		}
	}
	return false;
}

/* Rule 1's repair: an error shortly before had named the value ("did you mean 'Copper kettle'?"). */
static bool is_hinted(const struct prov *p, size_t call, assay_str text)
{
	size_t looked = 0;
	for (size_t i = call; i-- > 0 && text.len >= SHORT && looked < MAX_ERRORS;) {
		const struct prov_call *c = &p->calls[i];
		if (c->success || !text_same(c->server, p->calls[call].server)) {
			continue;
		}
		looked++;
		if (!says_itself(c, text) && prov_find_word(text_head(c->text, PROV_MAX_ERROR), text, 0) != PROV_NONE) {
			return true;
		}
	}
	return false;
}

/* "two" may mean many a 2; what a tool cannot do without is likely one. */
static bool is_word_of_goal(const struct prov *p, const struct prov_call *c, const struct prov_input *in)
{
	const assay_json *required = c->tool ? p->J->get(c->tool->input_schema, "required") : NULL;
	if (!in->number || in->element || !prov_has_text(&p->goal_words, in->text)) {
		return false;
	}
	for (const assay_json *r = p->J->first(required); r; r = p->J->next(r)) {
		if (text_same(p->J->str(r), in->parameter)) {
			return true;
		}
	}
	return false;
}

static bool is_default(const struct prov *p, const struct prov_input *in)
{
	const assay_json *fallback = p->J->get(in->schema, "default");
	return fallback && p->J->equal(fallback, in->value);
}

static void find_part_origin(struct prov *p, size_t call, struct prov_input *in)
{
	bool number;
	assay_str normal = prov_normal(p, in->text, &number);
	if (in->text.len < SHORT || prov_is_date(in->text)) {
		return;
	}
	if (prov_in_goal(p, normal, number)) {
		in->origin = number ? PROV_FREE : PROV_GOAL;
	} else if (find_producer(p, call, in, normal)) {
		in->origin = PROV_RESULT;
	}
}

static void find_origin(struct prov *p, size_t call, struct prov_input *in)
{
	in->origin = PROV_FREE;
	if (is_default(p, in)) {
		in->origin = PROV_DEFAULT;
	} else if (in->text.len == 0 || in->part) {
		if (in->part) {
			find_part_origin(p, call, in);
		}
	} else if (prov_in_goal(p, in->text, in->number) || is_word_of_goal(p, &p->calls[call], in)) {
		in->origin = PROV_GOAL;
	} else if (find_producer(p, call, in, in->text)) {
		in->origin = PROV_RESULT;
	} else if (is_folded_in(p, in->text)) {
		in->origin = PROV_FOLDED;
	} else if (is_hinted(p, call, in->text)) {
		in->origin = PROV_HINT;
	}
}

/* A text whose whole origin is known needs no look inside. */
static bool whole_is_known(const struct prov_call *c, const struct prov_input *part)
{
	for (size_t i = 0; i < c->n_inputs; i++) {
		if (!c->inputs[i].part && c->inputs[i].value == part->value) {
			return c->inputs[i].origin != PROV_FREE;
		}
	}
	return false;
}

int prov_find_origins(struct prov *p, assay_error *err)
{
	int rc = make_index(p, err);
	for (size_t i = 0; i < p->n_calls && rc == 0; i++) {
		struct prov_call *c = &p->calls[i];
		for (size_t k = 0; k < c->n_inputs && c->first == i; k++) {
			if (!c->inputs[k].part || !whole_is_known(c, &c->inputs[k])) {
				find_origin(p, i, &c->inputs[k]);
			}
		}
	}
	return rc < 0 ? rc : p->arena.failed ? prov_fail_memory(p, err) : 0;
}
