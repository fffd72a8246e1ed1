/* scorer/effects: what its files share. */
#ifndef EFFECTS_H
#define EFFECTS_H

#include <assay/roles/scorer.h>

/* What the scorer keeps: parts that are the same in each verdict. */
typedef struct effects {
	const assay_host *host;
	assay_json *weights, *names; /* of the error taxonomy */
	assay_text prompt;           /* of the judge; effects has none */
	uint32_t trust;              /* bit ASSAY_SERVED_...: levels that the lower bound may use */
} effects;

typedef struct tool_pair {
	assay_str server, tool;
} tool_pair;

/* What a check ran out of: a regular expression of its match limit, all checks of the attempt of their work. */
enum limit { LIMIT_NONE, LIMIT_OF_ONE, LIMIT_OF_ALL };

enum check_kind { CHECK_EFFECT, CHECK_VALUE, CHECK_STATE };

/* One checkpoint's outcome, at the lower and at the upper bound. */
typedef struct check_result {
	const assay_json *checkpoint;
	assay_str id;
	enum check_kind kind;
	const tool_pair *set; /* the equivalence set */
	size_t n_set;
	int lo, hi;
	int64_t step_lo, step_hi; /* NO_STEP: none */
	const char *reason;       /* why it is not met (of a final message: or met), without the step; constant */
	enum limit limit;
	const assay_json *judged; /* the judge's answer; NULL: it was not asked, or had none */
	int unjudged;             /* it could not be reached: it might have raised the check */
} check_result;

/* The id of no step; others have any. */
#define NO_STEP INT64_MIN

typedef struct mine_result {
	const assay_json *minefield;
	int64_t step; /* NO_STEP: not tripped */
	enum limit limit;
} mine_result;

/* What a step is to server attribution: its tool name is expected from some server; its own is one of them. */
enum { STEP_OTHER, STEP_WRONG_SERVER, STEP_RIGHT_SERVER };

typedef struct scoring {
	const effects *scorer;
	const assay_host *host;
	assay_call *call;
	const assay_subject *subject;
	check_result *checks;
	size_t n_checks;
	tool_pair *pairs;     /* of all checks */
	uint8_t *attribution; /* of each step */
	mine_result *mines;
	size_t n_mines;
	int order_lo, order_hi;
	assay_json *order_failures; /* array of texts */
	assay_json *judge;          /* array: what the judge was asked and said; NULL: there is none */
} scoring;

/* Tier 1, of both scorers: begin works out the checks, finish makes the verdict of what they are now; end frees.
 * *too_much: it would take minutes, and nothing was worked out; refuse makes the verdict. */
int scoring_begin(scoring *s, int *too_much, assay_error *err);
int scoring_refuse(scoring *s, assay_sink *verdict, assay_error *err);
int scoring_finish(scoring *s, assay_sink *verdict, assay_error *err);
void scoring_end(scoring *s);
/* The order again, when checks have changed. 0 or ASSAY_ENOMEM. */
int check_order(scoring *s);
/* Did the step succeed, as far as the lower bound is concerned? */
int is_good(const scoring *s, const assay_step *step);
int effects_open(const assay_host *host, const assay_json *options, void **self, assay_error *err);
void effects_close(void *self);
/* Members of the options' schema that both take. */
#define EFFECTS_OPTIONS                                                                                                \
	"\"trust\":{\"type\":\"array\",\"description\":"                                                               \
	"\"how a call must have been answered for the lower bound to use it (live, exact, equivalent, near); what "    \
	"was answered otherwise counts as a miss\",\"items\":{\"type\":\"string\",\"enum\":[\"live\",\"exact\","       \
	"\"equivalent\",\"near\",\"simulated\"]}}"
/* Scorer "equivalence": equivalence.c. */
extern const assay_impl equivalence_impl;

int same_text(assay_str a, assay_str b);
int is_text(assay_str a, const char *b);
/* Is the step's (server, tool) in a checkpoint's equivalence set? */
int in_set(const check_result *r, const assay_step *step);

assay_json *copy_or_null(const assay_json_api *J, const assay_json *v);
/* A list, or NULL when it could not be filled (rc). */
assay_json *all_or_nothing(const assay_json_api *J, assay_json *list, int rc);
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The taxonomy's constant parts. 0 or ASSAY_ENOMEM. */
int make_taxonomy(effects *e);
/* Summary object of reference page 4.8, with our own attempted attribution errors under "assay". NULL: no memory. */
assay_json *make_summary(const scoring *s);

#endif
