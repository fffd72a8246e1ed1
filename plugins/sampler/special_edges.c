/* Which tool's output is which tool's input (reference page 5.4, tool graph; here with a direction): a word of what the
 * one answers is a word of what the other takes. */
#include "special.h"
#include <stdlib.h>
#include <string.h>

#define MAX_WORD 128
#define MAX_JOINED 2048 /* a word that joins more pairs than that says nothing */

static const char *const stop_words[] = {"get",      "list",   "fetch", "read", "search", "find", "show",
					 "describe", "set",    "put",   "post", "delete", "add",  "remove",
					 "update",   "create", "the",   "and",  "for",    "with", "from",
					 "into",     "by",     "of",    "to",   "all",    "tool", "tools"};

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_word_char(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static int is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static char to_lower(char c)
{
	return is_upper(c) ? (char)(c + 32) : c;
}

static void add_token(token_list *t, uint64_t word, uint32_t tool, uint32_t output)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 256;
		token *grown = t->host->resize(t->list, cap * sizeof *grown);
		if (!grown) {
			t->failed = 1;
			return;
		}
		t->list = grown;
		t->cap = cap;
	}
	t->list[t->n++] = (token){word, tool, output};
}

static void add_word(token_list *t, assay_str text, uint32_t tool, uint32_t output)
{
	char word[MAX_WORD];
	uint64_t hash = 14695981039346656037u; /* FNV-1a */
	if (text.len < 3 || text.len >= MAX_WORD) {
		return;
	}
	for (size_t i = 0; i < text.len; i++) {
		word[i] = to_lower(text.ptr[i]);
		hash = (hash ^ (unsigned char)word[i]) * 1099511628211u;
	}
	word[text.len] = '\0';
	for (size_t i = 0; i < sizeof stop_words / sizeof *stop_words; i++) {
		if (strcmp(word, stop_words[i]) == 0) {
			return;
		}
	}
	add_token(t, hash, tool, output);
}

void special_add_words(token_list *t, assay_str name, uint32_t tool, uint32_t output, int whole)
{
	if (whole) {
		add_word(t, name, tool, output);
	}
	for (size_t i = 0, end; i < name.len; i = end) {
		for (end = i + 1; end < name.len && is_word_char(name.ptr[end]); end++) {
			if (is_upper(name.ptr[end]) && !is_upper(name.ptr[end - 1])) {
				break;
			}
		}
		i += !is_word_char(name.ptr[i]);
		if (i < end && (i > 0 || end < name.len || !whole)) { /* a whole name is there already */
			add_word(t, (assay_str){name.ptr + i, end - i}, tool, output);
		}
	}
}

void special_add_pair(pair_list *p, uint32_t producer, uint32_t consumer)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 256;
		uint64_t *grown = p->host->resize(p->list, cap * sizeof *grown);
		if (!grown) {
			p->failed = 1;
			return;
		}
		p->list = grown;
		p->cap = cap;
	}
	p->list[p->n++] = (uint64_t)producer << 32 | consumer;
}

static size_t add_properties(token_list *t, const assay_json *schema, uint32_t tool, uint32_t output)
{
	const assay_json_api *J = t->host->json;
	size_t before = t->n;
	for (const assay_json *p = J->first(J->get(schema, "properties")); p; p = J->next(p)) {
		special_add_words(t, J->key(p), tool, output, 1);
	}
	return t->n - before;
}

/* What a tool takes stands in its input schema; what it answers in its output schema, else in its name. */
static void add_tool(token_list *t, const assay_tool *tool, uint32_t index)
{
	add_properties(t, tool->input_schema, index, 0);
	if (add_properties(t, tool->output_schema, index, 1) == 0) {
		special_add_words(t, tool->name, index, 1, 0);
	}
}

static int compare_tokens(const void *a, const void *b)
{
	const token *x = a, *y = b;
	int c = (x->word > y->word) - (x->word < y->word);
	c = c ? c : (x->output < y->output) - (x->output > y->output);
	return c ? c : (x->tool > y->tool) - (x->tool < y->tool);
}

/* list[from..to) is one word: its producers, then its consumers. */
static void join_word(const token_list *t, size_t from, size_t to, pair_list *pairs)
{
	size_t middle = from;
	while (middle < to && t->list[middle].output) {
		middle++;
	}
	if ((middle - from) * (to - middle) > MAX_JOINED) {
		return;
	}
	for (size_t i = from; i < middle; i++) {
		for (size_t k = middle; k < to; k++) {
			if (t->list[i].tool != t->list[k].tool) {
				special_add_pair(pairs, t->list[i].tool, t->list[k].tool);
			}
		}
	}
}

static void join_words(token_list *t, pair_list *pairs)
{
	size_t n = 0;
	if (t->n == 0) {
		return;
	}
	qsort(t->list, t->n, sizeof *t->list, compare_tokens);
	for (size_t i = 0; i < t->n; i++) { /* a tool may say a word twice */
		if (i == 0 || compare_tokens(&t->list[i], &t->list[n - 1]) != 0) {
			t->list[n++] = t->list[i];
		}
	}
	t->n = n;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && t->list[end].word == t->list[i].word; end++) {
		}
		join_word(t, i, end, pairs);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int special_find_edges(const special *s, assay_call *call, seed_list *list, assay_error *err)
{
	token_list words = {.host = s->host};
	pair_list pairs = {.host = s->host};
	int rc = 0;
	for (size_t i = 0; i < list->tools.count; i++) {
		add_tool(&words, list->tools.list[i], (uint32_t)i);
	}
	if (s->traces) {
		rc = special_observe(s, call, list->tools, &words, &pairs, err);
	}
	if (rc == 0) {
		join_words(&words, &pairs);
		rc = words.failed || pairs.failed ? s->host->fail(err, ASSAY_ENOMEM, "out of memory") : 0;
	}
	if (rc == 0 && pairs.n > 0) {
		qsort(pairs.list, pairs.n, sizeof *pairs.list, compare_pairs);
	}
	for (size_t i = 0; i < pairs.n && rc == 0; i++) {
		seed_set set = {{(uint32_t)(pairs.list[i] >> 32), (uint32_t)pairs.list[i]}, 2};
		if (i == 0 || pairs.list[i] != pairs.list[i - 1]) {
			rc = special_add(list, &set, err);
		}
	}
	s->host->free(words.list);
	s->host->free(pairs.list);
	return rc;
}
