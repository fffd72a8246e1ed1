/* distiller/provenance: checkpoints from where each value came from. Design page "without-llm", its ten rules; the
 * format of what comes out is reference page 1.2.
 *
 * One distillation is one `struct prov`: the trace is read into calls, their arguments and results are taken apart into
 * leaves, every argument leaf gets an origin, calls are kept or not, checks are made of the kept ones, and the whole is
 * tried against the scorer before it is emitted. Everything but JSON values lives in an arena. The plugin keeps nothing
 * between operations. Thread: a distillation belongs to one thread. */
#ifndef DISTILLER_PROVENANCE_H
#define DISTILLER_PROVENANCE_H

#include "../common/text.h"
#include <assay/roles/distiller.h>
#include <stdbool.h>

/* Bounds on what others hand us. */
enum {
	PROV_MAX_GOAL = 16384,    /* bytes of the goal */
	PROV_MAX_CALLS = 256,     /* agent calls of a trace */
	PROV_MAX_KEPT = 48,       /* kept calls */
	PROV_MAX_CHECKS = 64,     /* checkpoints of a task */
	PROV_MAX_INPUTS = 64,     /* argument leaves of one call */
	PROV_MAX_LEAVES = 4096,   /* leaves of one result */
	PROV_MAX_ALL = 32768,     /* leaves of a trace */
	PROV_MAX_TEXT = 131072,   /* bytes of one text that are read */
	PROV_MAX_TEXTS = 4194304, /* bytes of all results that are searched */
	PROV_MAX_ANSWER = 32768,  /* bytes of the answer */
	PROV_MAX_ERROR = 4096,    /* bytes of an error that may name a value */
	PROV_MAX_NESTING = 32,
	PROV_MAX_ELEMENTS = 6, /* checkpoints that one call's arrays give */
	PROV_MAX_PARTS = 3,    /* values looked for inside one free text */
	PROV_MAX_MINES = 16,
	PROV_MAX_TRIES = 8,  /* alternative tools that are called */
	PROV_MAX_PAIRS = 16, /* places of one value that are held against each other */
	PROV_MAX_VALUES = 2, /* rule 7 */
	PROV_MAX_STATES = 2
};

#define PROV_NONE ((size_t)-1)
#define PROV_REJECTED 1 /* the trace gives no task; the reason is in prov.rejected */

/* --- Memory: an arena of the host's blocks. Sticky failure: NULL once memory is out. ------------------------------ */

struct prov_texts {
	assay_str *list;
	size_t n, cap;
};

/* --- Text -------------------------------------------------------------------------------------------------------- */

assay_str prov_sub(assay_str s, size_t from, size_t to);
size_t prov_find(assay_str hay, assay_str needle, size_t from); /* PROV_NONE: not there */
size_t prov_find_word(assay_str hay, assay_str needle, size_t from);
bool prov_has_digit(assay_str s);
bool prov_has_space(assay_str s);
bool prov_is_id(assay_str s);             /* one token with a digit in it, no path */
bool prov_is_date(assay_str s);           /* a date, a time or an offset from UTC */
bool prov_is_volatile_key(assay_str key); /* what it names changes by itself: time stamps, measurements, sessions */
bool prov_keys_match(assay_str parameter, assay_str key);   /* "order_id" and "id" or "order_id" */
assay_str prov_words(struct text_arena *a, assay_str name); /* "create_note", "createNote": "create note" */
uint64_t prov_hash(assay_str s);

/* --- What a trace is taken apart into ---------------------------------------------------------------------------- */

enum prov_origin {
	PROV_FREE,    /* from nowhere that we know of */
	PROV_DEFAULT, /* the schema's default */
	PROV_GOAL,    /* verbatim in the goal */
	PROV_RESULT,  /* equal to a leaf of an earlier result */
	PROV_FOLDED,  /* in the goal when case is folded */
	PROV_HINT     /* named by the error of an earlier call */
};

/* An object of a result, or the whole of it. */
struct prov_record {
	const struct prov_record *around; /* NULL: none */
};

/* A scalar of a result, or a token of a text in it. */
struct prov_leaf {
	const struct prov_record *record; /* that it stands in */
	assay_str key;                    /* innermost member name */
	assay_str text;                   /* as Python's str(), numbers in one spelling */
	assay_str spelled;
	uint64_t hash;
	size_t call; /* the call it counts for: the first of identical ones */
	size_t at;   /* the call that showed it */
	bool number;
	bool part; /* of a longer text */
};

/* A scalar of a call's arguments, or (part) a value inside a free text of them. */
struct prov_input {
	assay_str parameter; /* top-level name */
	assay_str key;       /* innermost member name */
	assay_str text;
	const assay_json *value;
	const assay_json *schema; /* of this value; NULL: unknown */
	bool element;             /* inside an array, an object or a text: checked by `contains` */
	bool part;                /* value is the text around it */
	bool number;
	enum prov_origin origin;
	size_t producer;  /* PROV_RESULT: the call that is taken to have given it */
	bool sole_source; /* no other call had given it */
};

struct prov_call {
	int64_t step_id;
	assay_str server, name;
	const assay_json *arguments, *result;
	const assay_tool *tool; /* NULL: not in the catalogue */
	assay_str text;         /* rendered result */
	bool success;
	size_t first; /* of the identical calls; itself when there was none before */
	struct prov_input *inputs;
	size_t n_inputs, cap_inputs;
	bool kept;
	bool repaired;           /* of no use, and asked again in other words */
	const assay_tool **same; /* tools that do the same */
	size_t n_same, cap_same;
};

struct prov_check {
	size_t call;
	struct prov_input *element; /* NULL: the call as a whole */
	assay_json *predicate;      /* owned; NULL: none */
	struct prov_texts values;   /* value_produced: what a result must show */
	size_t match;               /* the first call that meets it, as the scorer looks for it; PROV_NONE */
	assay_str id;
	bool dropped;
};

/* A state condition: a read of what a kept write has changed, and what it shows. */
struct prov_state {
	size_t call;
	const assay_tool *probe;
	assay_json *arguments; /* owned */
	struct prov_texts values;
	assay_str gone; /* where there are no values: what it shows no longer */
};

struct prov {
	const assay_host *host;
	const assay_json_api *J;
	assay_call *call;
	const assay_distil_request *request;
	struct text_arena arena;
	bool try_alternatives, find_states;
	assay_str goal, prompt, folded, answer;
	struct prov_texts goal_numbers, goal_words, answer_numbers; /* goal_words: "two", as "2" */
	struct prov_call *calls;
	size_t n_calls, cap_calls;
	size_t text_left; /* bytes of results that may still be kept */
	struct prov_leaf *leaves;
	size_t n_leaves, cap_leaves;
	struct prov_leaf **index; /* by hash, call, place */
	struct prov_check *checks;
	size_t n_checks, cap_checks;
	struct prov_texts untried; /* alternatives that nobody called */
	struct prov_state states[PROV_MAX_STATES];
	size_t n_states;
	assay_str rejected;
};

int prov_fail_memory(const struct prov *p, assay_error *err);
int prov_reject(struct prov *p, const char *format, ...) ASSAY_PRINTF(2, 3); /* PROV_REJECTED */
int prov_check_time(struct prov *p, assay_error *err);                       /* may this go on? */
bool prov_counts(const struct prov *p, size_t call);                         /* a successful call that is no repeat */
bool prov_writes(const struct prov_call *c);
bool prov_destroys(const struct prov *p, const assay_tool *tool);

/* --- The steps, in this order. 0, PROV_REJECTED, or a negative code ---------------------------------------------- */

assay_str prov_make_prompt(struct prov *p, assay_str goal);
int prov_read_trace(struct prov *p, assay_error *err);   /* rule 1 */
int prov_find_origins(struct prov *p, assay_error *err); /* rules 2 and 3 */
int prov_keep_calls(struct prov *p, assay_error *err);   /* rule 4 */
int prov_make_checks(struct prov *p, assay_error *err);  /* rules 5 and 7 */
int prov_try_same(struct prov *p, assay_error *err);     /* rule 8 */
int prov_find_states(struct prov *p, assay_error *err);
int prov_verify(struct prov *p, assay_json **body, assay_error *err); /* rule 10 */

/* --- Shared by the steps ----------------------------------------------------------------------------------------- */

/* Normalised spellings of the numbers that stand in a text, and of those that are words in it. */
int prov_numbers(struct prov *p, assay_str text, struct prov_texts *out);
int prov_number_words(struct prov *p, assay_str text, struct prov_texts *out);
bool prov_has_text(const struct prov_texts *list, assay_str s);
/* One spelling for every number; other texts as they are. */
assay_str prov_normal(struct prov *p, assay_str s, bool *number);
assay_str prov_scalar(struct prov *p, const assay_json *value, bool *number); /* empty: no text, null or boolean */
/* Values like ids and numbers inside running text, in order: the next one from *at on. False: no more. */
bool prov_next_token(assay_str text, size_t *at, assay_str *token);
/* The leaves of one result, appended to *list. */
int prov_flatten_result(struct prov *p, const assay_json *result, struct prov_leaf **list, size_t *n, size_t *cap,
			assay_error *err);
int prov_flatten_arguments(struct prov *p, struct prov_call *c, assay_error *err);
bool prov_is_echo(const struct prov_call *c, const struct prov_leaf *leaf);
bool prov_in_goal(const struct prov *p, assay_str text, bool number);
bool prov_in_answer(const struct prov *p, const struct prov_leaf *leaf);
/* Leaves with this text are index[from] to index[to - 1]. */
void prov_look_up(const struct prov *p, assay_str text, size_t *from, size_t *to);
/* Rule 4's rare value: like an id or a number, in one call's results only, not in the goal. */
bool prov_is_rare(const struct prov *p, const struct prov_leaf *leaf);
bool prov_feeds(const struct prov *p, size_t call); /* gives a value to a kept call */
assay_json *prov_make_body(struct prov *p);         /* of the checks that are not dropped; NULL: no memory */
void prov_find_matches(struct prov *p);             /* once, when equivalence sets are known */
/* Ordering and minefields of the body: arrays. NULL: no memory. */
assay_json *prov_make_ordering(struct prov *p);
assay_json *prov_make_minefields(struct prov *p);
/* Does a schema take these arguments, as far as names and simple types go? */
bool prov_admits(const assay_json_api *J, const assay_json *schema, const assay_json *arguments);
int prov_set_str(const struct prov *p, assay_json *object, const char *key, assay_str s);

#endif
