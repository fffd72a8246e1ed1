#include "core/task/likeness.h"

#include "core/base/error.h"
#include "core/base/similarity.h"
#include "core/base/text.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS 42u /* of characters, three bits each */

/* A name that one tool or more have. What two names can have in common is bounded by their characters: `seen` has a
 * bit for the first three of each bucket, and `more` counts the others. */
struct name {
	assay_str text;
	size_t points;
	uint64_t seen[2];
	size_t more;
};

struct as_likeness {
	assay_tools all;
	struct name *names;
	uint32_t *name_of; /* by tool */
	size_t n_names;
	uint32_t *words; /* word_from[t] to word_from[t + 1] - 1: those of tool t */
	uint32_t *word_from;
	/* holder_from[w] to holder_to[w] - 1: tools that have word w, ascending; of a word that most tools have those
	 * that lack it. */
	uint32_t *holders, *holder_from, *holder_to;
	bool *lacking; /* by word: its tools are those that lack it */
	size_t n_words;
};

void as_likeness_free(as_likeness *l)
{
	if (l) {
		free(l->names);
		free(l->name_of);
		free(l->words);
		free(l->word_from);
		free(l->holders);
		free(l->holder_from);
		free(l->holder_to);
		free(l->lacking);
		free(l);
	}
}

/* ---- building ---- */

/* A text of a tool: its name or one of its words. */
struct entry {
	assay_str text;
	uint32_t tool;
};

static int by_text(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = as_str_cmp(x->text, y->text);
	return c ? c : (x->tool > y->tool) - (x->tool < y->tool);
}

static void count_characters(struct name *n)
{
	for (size_t i = 0; i < n->text.len; n->points++) {
		uint32_t bucket = as_utf8_next(n->text, &i) % BUCKETS;
		unsigned shift = bucket % (BUCKETS / 2) * 3;
		uint64_t *word = &n->seen[bucket / (BUCKETS / 2)], had = *word >> shift & 7;
		n->more += had == 7;
		*word |= (had << 1 | 1) << shift & UINT64_C(7) << shift;
	}
}

static bool index_names(as_likeness *l)
{
	size_t n = l->all.count;
	struct entry *list = as_new(n, sizeof *list);
	l->names = as_new(n, sizeof *l->names);
	l->name_of = as_new(n, sizeof *l->name_of);
	if (!list || !l->names || !l->name_of) {
		free(list);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		list[i] = (struct entry){l->all.list[i]->name, (uint32_t)i};
	}
	qsort(list, n, sizeof *list, by_text);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !as_str_eq(list[i].text, list[i - 1].text)) {
			l->names[l->n_names].text = list[i].text;
			count_characters(&l->names[l->n_names++]);
		}
		l->name_of[list[i].tool] = (uint32_t)(l->n_names - 1);
	}
	free(list);
	return true;
}

struct word_list {
	struct entry *list;
	size_t n, cap;
	as_arena texts;
};

static bool add_words(const assay_tool *t, uint32_t number, struct word_list *out)
{
	as_buf text = {0};
	as_word_set set = {0};
	bool good;
	as_buf_add(&text, t->description);
	as_buf_byte(&text, ' ');
	as_buf_add(&text, t->name);
	good = !text.failed && as_word_set_of(as_buf_str(&text), &set) &&
	       as_grow(&out->list, &out->cap, out->n + set.n, sizeof *out->list);
	for (size_t i = 0; i < set.n && good; i++) {
		out->list[out->n++] = (struct entry){as_arena_str(&out->texts, set.at[i]), number};
	}
	as_word_set_free(&set);
	as_buf_free(&text);
	return good && !out->texts.failed;
}

/* Sorted by word and tool, the list is that of the holders; turned round it is that of the words. */
static bool file_words(as_likeness *l, const struct word_list *w)
{
	size_t n = l->all.count, word = 0;
	l->words = as_new(w->n, sizeof *l->words);
	l->word_from = as_new(n + 2, sizeof *l->word_from);
	l->holders = as_new(w->n, sizeof *l->holders);
	l->holder_from = as_new(w->n + 1, sizeof *l->holder_from);
	if (!l->words || !l->word_from || !l->holders || !l->holder_from) {
		return false;
	}
	for (size_t i = 0; i < w->n; i++) {
		l->holders[i] = w->list[i].tool;
		l->word_from[w->list[i].tool + 2]++;
	}
	for (size_t t = 2; t < n + 2; t++) {
		l->word_from[t] += l->word_from[t - 1];
	}
	for (size_t i = 0; i < w->n; i++) {
		if (i > 0 && !as_str_eq(w->list[i].text, w->list[i - 1].text)) {
			l->holder_from[++word] = (uint32_t)i;
		}
		l->words[l->word_from[w->list[i].tool + 1]++] = (uint32_t)word;
	}
	l->n_words = w->n > 0 ? word + 1 : 0;
	l->holder_from[l->n_words] = (uint32_t)w->n;
	return true;
}

/* Turn the lists of frequent words round: whoever walks through one passes half of the tools at most. */
static bool turn_frequent(as_likeness *l)
{
	size_t n = l->all.count;
	uint32_t *lack = as_new(n, sizeof *lack);
	l->holder_to = as_new(l->n_words, sizeof *l->holder_to);
	l->lacking = as_new(l->n_words, sizeof *l->lacking);
	for (size_t w = 0; w < l->n_words && lack && l->holder_to && l->lacking; w++) {
		uint32_t *list = l->holders + l->holder_from[w];
		size_t have = l->holder_from[w + 1] - l->holder_from[w], next = 0, kept = 0;
		l->lacking[w] = have > n / 2;
		for (size_t t = 0; t < n && l->lacking[w]; t++) {
			if (next < have && list[next] == t) {
				next++;
			} else {
				lack[kept++] = (uint32_t)t;
			}
		}
		if (kept > 0) {
			memcpy(list, lack, kept * sizeof *lack);
		}
		l->holder_to[w] = l->holder_from[w] + (uint32_t)(l->lacking[w] ? kept : have);
	}
	free(lack);
	return lack && l->holder_to && l->lacking;
}

static bool index_words(as_likeness *l)
{
	struct word_list w = {0};
	bool good = true;
	for (size_t i = 0; i < l->all.count && good; i++) {
		good = add_words(l->all.list[i], (uint32_t)i, &w);
	}
	if (good && w.n > 0) {
		qsort(w.list, w.n, sizeof *w.list, by_text);
	}
	good = good && w.n < UINT32_MAX && file_words(l, &w) && turn_frequent(l);
	free(w.list);
	as_arena_free(&w.texts);
	return good;
}

int as_likeness_new(assay_tools all, as_likeness **out, assay_error *err)
{
	as_likeness *l = as_new(1, sizeof *l);
	*out = NULL;
	if (!l) {
		return as_fail_memory(err);
	}
	l->all = all;
	if (all.count >= UINT32_MAX || !index_names(l) || !index_words(l)) {
		as_likeness_free(l);
		return as_fail_memory(err);
	}
	*out = l;
	return 0;
}

/* ---- asking ---- */

static int compare_tools(const void *a, const void *b)
{
	const assay_tool *x = *(const assay_tool *const *)a, *y = *(const assay_tool *const *)b;
	int c = as_str_cmp(x->server, y->server);
	return c ? c : as_str_cmp(x->name, y->name);
}

/* Its number; SIZE_MAX: it is another's. Candidates mostly come in order, so it is looked for behind the last one. */
static size_t number_of(const as_likeness *l, const assay_tool *t, size_t expected)
{
	const assay_tool *const *found;
	for (size_t k = expected; k < l->all.count && k < expected + 4; k++) {
		if (l->all.list[k] == t) {
			return k;
		}
	}
	found = l->all.count ? bsearch(&t, l->all.list, l->all.count, sizeof(const assay_tool *), compare_tools) : NULL;
	return found && *found == t ? (size_t)(found - l->all.list) : SIZE_MAX;
}

/* Scores of all tools by their words. common: room for a number each, small ones, as all of it is walked through for
 * every word. */
static void rate_words(const as_likeness *l, size_t required, uint16_t *common, double *scores)
{
	size_t n = l->all.count, own = l->word_from[required + 1] - l->word_from[required];
	uint16_t all = 0; /* to be added to each; both wrap around */
	memset(common, 0, n * sizeof *common);
	for (size_t w = l->word_from[required]; w < l->word_from[required + 1]; w++) {
		uint32_t word = l->words[w];
		const uint32_t *h = l->holders + l->holder_from[word], *end = l->holders + l->holder_to[word];
		uint16_t step = l->lacking[word] ? UINT16_MAX : 1;
		all = (uint16_t)(all + l->lacking[word]);
		for (; h < end; h++) {
			common[*h] = (uint16_t)(common[*h] + step);
		}
	}
	for (size_t i = 0; i < n; i++) {
		size_t theirs = l->word_from[i + 1] - l->word_from[i], both = (uint16_t)(common[i] + all);
		double score = both ? (double)both / (double)(theirs + own - both) : 0.0;
		scores[i] = score > scores[i] ? score : scores[i];
	}
}

static bool rate_by_words(const as_likeness *l, const size_t *required, size_t n, double *scores)
{
	uint16_t *common = as_new(l->all.count, sizeof *common);
	for (size_t i = 0; i < n && common; i++) {
		rate_words(l, required[i], common, scores);
	}
	free(common);
	return common != NULL;
}

/* What a ratio of the two can be at most: by their lengths alone, and by their characters. */
static double most_by_length(const struct name *a, const struct name *b)
{
	return 2.0 * (double)(a->points < b->points ? a->points : b->points) / (double)(a->points + b->points);
}

static double most_alike(const struct name *a, const struct name *b)
{
	size_t shared = (size_t)__builtin_popcountll(a->seen[0] & b->seen[0]) +
			(size_t)__builtin_popcountll(a->seen[1] & b->seen[1]) + (a->more < b->more ? a->more : b->more);
	return 2.0 * (double)shared / (double)(a->points + b->points);
}

/* Scores of all names; 2 for the same. Candidates come first in the ratio, which is not symmetric. */
static void rate_names(const as_likeness *l, size_t required, double least, double *scores)
{
	const struct name *own = &l->names[l->name_of[required]];
	for (size_t i = 0; i < l->n_names; i++) {
		const struct name *other = &l->names[i];
		if (other == own) {
			scores[i] = 2.0;
		} else if (scores[i] < 2.0 && most_by_length(other, own) >= least && most_alike(other, own) >= least) {
			double score = as_ratio(other->text, own->text);
			scores[i] = score >= least && score > scores[i] ? score : scores[i];
		}
	}
}

/* The numbers of the required tools. 0: one is another's, or has more words than can be counted here. */
static int number_all(const as_likeness *l, assay_tools required, size_t *numbers)
{
	for (size_t i = 0; i < required.count; i++) {
		size_t k = number_of(l, required.list[i], 0);
		if (k == SIZE_MAX || l->word_from[k + 1] - l->word_from[k] > UINT16_MAX) {
			return 0;
		}
		numbers[i] = k;
	}
	return 1;
}

/* Into all: the score of each tool, or of each name. */
static int rate_all(const as_likeness *l, uint32_t by, double least, assay_tools required, double *all)
{
	size_t *numbers = as_new(required.count + 1, sizeof *numbers);
	int rc = numbers ? number_all(l, required, numbers) : ASSAY_ENOMEM;
	for (size_t i = 0; i < l->n_names && rc == 1 && by == ASSAY_LIKE_NAMES; i++) {
		all[i] = -1.0;
	}
	for (size_t i = 0; i < required.count && rc == 1 && by == ASSAY_LIKE_NAMES; i++) {
		rate_names(l, numbers[i], least, all);
	}
	if (rc == 1 && by == ASSAY_LIKE_WORDS && !rate_by_words(l, numbers, required.count, all)) {
		rc = ASSAY_ENOMEM;
	}
	free(numbers);
	return rc;
}

int as_likeness_rate(const as_likeness *l, uint32_t by, double least, assay_tools required, assay_tools candidates,
		     double *scores, uint32_t *places, assay_error *err)
{
	double *all = as_new(l->all.count, sizeof *all);
	size_t next = 0;
	int rc = all ? rate_all(l, by, least, required, all) : ASSAY_ENOMEM;
	for (size_t i = 0; i < candidates.count && rc == 1; i++) {
		bool is_next = next < l->all.count && l->all.list[next] == candidates.list[i];
		size_t number = is_next ? next : number_of(l, candidates.list[i], next);
		if (number == SIZE_MAX) {
			rc = 0;
			break;
		}
		places[i] = (uint32_t)number;
		scores[i] = all[by == ASSAY_LIKE_WORDS ? number : l->name_of[number]];
		next = number + 1;
	}
	free(all);
	return rc < 0 ? as_fail_memory(err) : rc;
}
