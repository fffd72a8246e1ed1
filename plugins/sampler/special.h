/* The two cross-server specials of DynamicMCPBench (reference page 5.4): what both share. Seed sets are found in the
 * catalogue, or a file names them. */
#ifndef SAMPLER_SPECIAL_H
#define SAMPLER_SPECIAL_H

#include <assay/roles/sampler.h>

#define SEED_MEMBERS 4      /* the first so many of a group are its seeds */
#define SEED_SETS_MAX 50000 /* what a sampler can hand to the program, with room to spare */

typedef struct seed_set {
	uint32_t tool[SEED_MEMBERS]; /* in seed_list.tools */
	uint32_t n;
} seed_set;

typedef struct seed_list {
	const assay_host *host;
	assay_tools tools;
	seed_set *sets;
	size_t n, cap;
} seed_list;

typedef struct special {
	const assay_host *host;
	char *file;   /* sets that somebody chose; NULL: none */
	char *traces; /* recorded sessions to learn from; NULL: none */
	int mine;     /* look into the catalogue, too */
	/* Finds sets of its kind in list->tools. */
	int (*find)(const struct special *s, assay_call *call, seed_list *list, assay_error *err);
	int across; /* a set spans two servers at least */
} special;

int special_same_text(assay_str a, assay_str b);
int special_compare_tools(const assay_tool *a, const assay_tool *b); /* by (server, name) */

/* Append a set; sets beyond SEED_SETS_MAX are dropped. */
int special_add(seed_list *list, const seed_set *set, assay_error *err);

/* Groups of one name on two servers or more. */
int special_find_groups(const special *s, assay_call *call, seed_list *list, assay_error *err);

/* Pairs (producer, consumer): what the one answers is what the other asks for, by their schemas and names, and by what
 * recorded sessions show. */
int special_find_edges(const special *s, assay_call *call, seed_list *list, assay_error *err);

/* What a tool says or takes, as one number a word. */
typedef struct token {
	uint64_t word;
	uint32_t tool;
	uint32_t output; /* 1: it says so; 0: it takes it */
} token;
typedef struct token_list {
	const assay_host *host;
	token *list;
	size_t n, cap;
	int failed;
} token_list;
void special_add_words(token_list *t, assay_str name, uint32_t tool, uint32_t output, int whole);

/* Pairs that a recorded session shows, one (producer << 32 | consumer) each. */
typedef struct pair_list {
	const assay_host *host;
	uint64_t *list;
	size_t n, cap;
	int failed;
} pair_list;
void special_add_pair(pair_list *p, uint32_t producer, uint32_t consumer);

/* Read recorded sessions (JSON lines, reference page 1.1): the keys of observed results are words of their tools, and
 * an argument that stands in an earlier result of another tool, and not in the goal, makes a pair. */
int special_observe(const special *s, assay_call *call, assay_tools tools, token_list *words, pair_list *pairs,
		    assay_error *err);

#endif
