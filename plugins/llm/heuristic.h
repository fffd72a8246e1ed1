/* llm/heuristic: a rule-based agent behind the interface of a model. Design page "without-llm", its nine rules.
 *
 * One request is one run: everything is derived anew from the messages and the offered tools. The user's text becomes
 * clauses and values; the earlier calls are walked through with the same decisions that made them, so that what was
 * done for which clause is known again; then the next calls are decided, or the answer is written. A run lives in an
 * arena; the plugin keeps nothing between requests. Thread: a run belongs to one thread. */
#ifndef LLM_HEURISTIC_H
#define LLM_HEURISTIC_H

#include "../common/text.h"
#include <assay/host.h>
#include <stdarg.h>
#include <stdbool.h>

/* Bounds on what others hand us. */
enum {
	HEUR_MAX_PROMPT = 16384, /* bytes of the goal that are read */
	HEUR_MAX_CLAUSES = 24,
	HEUR_MAX_VALUES = 96,
	HEUR_MAX_WORDS = 1024,
	HEUR_MAX_TOOLS = 4096,
	HEUR_MAX_PARAMS = 40, /* leaves of one tool's schema */
	HEUR_MAX_NESTING = 4, /* of one tool's schema */
	HEUR_MAX_STEPS = 160,
	HEUR_MAX_LEAVES = 6000,
	HEUR_MAX_TEXT = 131072, /* bytes of one result that are read */
	HEUR_MAX_FAN = 5,       /* rule 6 */
	HEUR_MAX_DEPTH = 3,     /* rule 5 */
	HEUR_MAX_REPAIRS = 2,   /* rule 7 */
	HEUR_MAX_RANKED = 6,    /* tools looked at for one clause */
	HEUR_MAX_TRIES = 3      /* tools tried for one clause */
};

/* --- Memory: an arena of the host's blocks. Sticky failure: NULL once memory is out. --- */

/* --- Words --- */

/* What a verb asks for. */
enum heur_act {
	HEUR_NONE,
	HEUR_SEARCH,
	HEUR_LIST,
	HEUR_GET,
	HEUR_COMPUTE,
	HEUR_CREATE,
	HEUR_CHANGE,
	HEUR_REMOVE,
	HEUR_DO,  /* something: the verb is not known */
	HEUR_TELL /* talk to the user: needs a tool only when nothing was found yet */
};

struct heur_word {
	assay_str stem;  /* lower case, singular, without -ed */
	assay_str lower; /* lower case */
	size_t from, to; /* bytes within the text it came from */
};

struct heur_words {
	struct heur_word *list;
	size_t n, cap;
};

assay_str heur_sub(assay_str s, size_t from, size_t to);
bool heur_number(assay_str s, double *out);
bool heur_alpha(char c);

assay_str heur_stem(struct text_arena *a, assay_str word);
/* Words of running text. */
void heur_split(struct text_arena *a, assay_str text, struct heur_words *out);
/* Words of a name: camelCase, snake_case, kebab-case. */
void heur_split_name(struct text_arena *a, assay_str name, struct heur_words *out);
bool heur_has(const struct heur_words *words, assay_str stem);
bool heur_has_any(const struct heur_words *words, const char *const *stems);
/* A base form that starts an instruction. ambiguous: it is as often a noun. */
enum heur_act heur_verb(assay_str lower, bool *ambiguous);
enum heur_act heur_verb_form(assay_str lower, bool *ambiguous); /* also "returns", "searches" */
bool heur_reads(enum heur_act act);
bool heur_writes(enum heur_act act);
bool heur_destructive_word(assay_str lower);
bool heur_stop_word(assay_str lower);

/* --- Values of the goal (rule 2) --- */

enum heur_kind {
	HEUR_QUOTED,
	HEUR_PATH,
	HEUR_URL,
	HEUR_EMAIL,
	HEUR_DATE,
	HEUR_TIME,
	HEUR_ID,
	HEUR_CODE, /* upper-case letters: USD */
	HEUR_NUMBER,
	HEUR_NAME,  /* capitalised words */
	HEUR_COUNT, /* a number word: three */
	HEUR_PHRASE /* the list after about/for/of/named */
};

enum { HEUR_BEFORE = 5, HEUR_AFTER = 2 };
enum { HEUR_APART = -2 }; /* part of a condition */

struct heur_value {
	assay_str text;
	enum heur_kind kind;
	size_t from, to; /* in the goal, with its quotes */
	int clause;      /* -1: context between the clauses; or: */
	int group;       /* values joined by commas and "and" share one; -1: alone */
	double number;
	bool bound;                    /* something is compared with it: "below 10" */
	assay_str key;                 /* of key=value, its stem; else empty */
	assay_str before[HEUR_BEFORE]; /* stems of the words before it in its clause, nearest first */
	assay_str after[HEUR_AFTER];   /* stems of the words after it, nearest first */
	size_t n_before, n_after;
};

/* --- Clauses (rule 1) --- */

enum heur_state { HEUR_TODO, HEUR_DONE, HEUR_FAILED, HEUR_SKIPPED };

/* A condition or filter: "stock below 10". */
enum heur_compare { HEUR_ANY, HEUR_LESS, HEUR_MORE, HEUR_AT_MOST, HEUR_AT_LEAST, HEUR_EQUAL, HEUR_EXISTS };

struct heur_condition {
	enum heur_compare compare;
	bool negated;
	struct heur_words words; /* what is compared */
	assay_str text;          /* with what */
	double number;
	bool numeric;
};

/* Which record of several: "the cheapest". */
enum { HEUR_FIRST = 2, HEUR_LAST = 3 };
struct heur_choice {
	int direction;           /* -1 smallest, 1 largest, 0 none; or: */
	const char *const *keys; /* stems of keys to look at; NULL: those of `words` */
	assay_str word;          /* the noun behind it */
};

struct heur_fix; /* a repair (rule 7), below */

struct heur_clause {
	assay_str text;
	size_t from, to;
	struct heur_words words; /* all of them */
	enum heur_act act;
	size_t verb;      /* index into words; words.n: none */
	assay_str object; /* stem of the noun behind the verb, may be empty */
	bool destructive, each, plural, refers, possessive, question, otherwise;
	assay_str each_noun; /* stem; empty: any */
	struct heur_condition only_if, filter;
	struct heur_choice choice;
	/* How far it is. */
	enum heur_state state;
	int tool, tries, repairs; /* tool -1: not chosen yet */
	int tried[HEUR_MAX_TRIES];
	int last_error; /* step, -1: none */
	bool opened, routed;
	bool wide; /* a repair: give optional parameters what is left, too */
	struct heur_fix *fixes;
	assay_str reason; /* why it failed */
	assay_str missing;
	int *ranked; /* tools, best first; NULL: not ranked yet */
	double *scores;
	size_t n_ranked;
};

/* --- Tools (rule 3) --- */

enum {
	HEUR_T_STRING = 1,
	HEUR_T_INTEGER = 2,
	HEUR_T_NUMBER = 4,
	HEUR_T_BOOLEAN = 8,
	HEUR_T_ARRAY = 16,
	HEUR_T_OBJECT = 32,
	HEUR_T_ANY = 63
};

/* What a parameter is about, from its name and format. */
enum heur_sense {
	HEUR_S_OTHER,
	HEUR_S_ID,
	HEUR_S_QUERY,
	HEUR_S_TITLE,
	HEUR_S_CONTENT,
	HEUR_S_PATH,
	HEUR_S_URL,
	HEUR_S_EMAIL,
	HEUR_S_DATE,
	HEUR_S_TIME,
	HEUR_S_LIMIT,
	HEUR_S_AMOUNT,
	HEUR_S_PLACE,
	HEUR_S_CODE,
	HEUR_S_LOW,
	HEUR_S_HIGH
};

struct heur_param {
	assay_str name;
	struct heur_words words; /* of its name */
	const assay_json *schema;
	int parent; /* the object or array of objects around it, -1: none */
	unsigned types;
	bool required; /* within its parent */
	bool inner;    /* has parameters of its own below it */
	bool list;     /* an array; of scalars unless inner */
	bool from, to; /* one end of a range or of a way */
	enum heur_sense sense;
	const assay_json *options, *otherwise; /* enum, default */
};

struct heur_tool {
	assay_str name; /* as offered */
	assay_str server, tool;
	assay_str description;
	assay_str summary; /* its first sentence */
	struct heur_words words, server_words, summary_words;
	enum heur_act act;
	assay_str head; /* stem of the noun that it is about */
	bool destructive;
	bool whole; /* acts on everything there is */
	struct heur_param *params;
	size_t n_params;
	const assay_json *parameters; /* the schema */
	bool parsed;
	/* Rule 8. */
	bool router; /* takes a server, a tool and parameters */
	int via;     /* a tool learnt from a route reply: the router to call it through; else -1 */
};

/* --- What was done and found --- */

enum heur_purpose { HEUR_MAIN, HEUR_PRODUCER, HEUR_ROUTE };

struct heur_call {
	int tool;
	const assay_json *arguments; /* of the tool itself, also when it goes through a router */
	int clause;
	enum heur_purpose purpose;
};

struct heur_step {
	struct heur_call call;
	assay_str text; /* of the result, without the error prefix */
	bool failed;
	bool empty;                 /* it worked, and found nothing */
	const assay_json *document; /* the text as JSON; NULL: it is none */
	size_t first_record, n_records;
	size_t first_leaf, n_leaves;
};

struct heur_record {
	int step;
	int parent;     /* record around it, -1: none */
	bool listed;    /* an element of an array */
	size_t index;   /* in that array */
	assay_str noun; /* stem of the key or of the tool's noun that says what it is */
};

struct heur_leaf {
	int record, step;
	assay_str key;
	struct heur_words words; /* of the key */
	const assay_json *value; /* NULL: text only */
	assay_str text;          /* as a string */
	bool numeric;
	double number;
};

/* --- Binding (rule 4) --- */

enum { HEUR_MAX_NEEDS = 6 };

/* What one parameter is given. Several members: one call each (rule 6), or one array. */
struct heur_slot {
	bool bound;
	assay_str members[HEUR_MAX_FAN];
	size_t n_members;
	const assay_json *json; /* instead of members: taken as it is */
	int value;              /* of the goal, -1: from elsewhere */
	int wanted;             /* the value that names the thing whose id is needed, -1: none */
	double score;
};

struct heur_binding {
	int tool;
	struct heur_slot slots[HEUR_MAX_PARAMS];
	int needs[HEUR_MAX_NEEDS]; /* parameters that another call has to supply */
	size_t n_needs;
	int missing; /* a needed parameter without anything; -1: none */
	bool taken[HEUR_MAX_VALUES];
};

/* How to bind. */
struct heur_intent {
	int clause;
	bool lax;            /* take what is there: no other call will supply it */
	bool sought;         /* what is wanted was looked for, in vain */
	bool wide;           /* give optional parameters what is left, too */
	bool producer;       /* to find something out for another tool */
	int focus;           /* producer: the value to look for, -1: none */
	const bool *blocked; /* values that are spoken for; NULL: none */
	const struct heur_fix *fixes;
};

enum heur_fix_kind { HEUR_SET, HEUR_DROP, HEUR_SUPPLY };

struct heur_fix {
	struct heur_fix *next;
	enum heur_fix_kind kind;
	int param;
	assay_str text;
};

/* --- A run --- */

enum heur_policy { HEUR_CAREFUL, HEUR_GREEDY, HEUR_RANDOM };

struct heur_run {
	struct text_arena arena;
	const assay_host *host;
	const assay_json_api *json;
	enum heur_policy policy;
	uint64_t seed;
	int64_t turns_left; /* with this one; INT64_MAX: unknown */
	assay_str goal;
	assay_str chosen; /* servers, as a router wants to have them; empty: no router asks */
	bool several;     /* it wants more than one */
	struct heur_words goal_words;
	struct heur_value *values;
	size_t n_values, cap_values;
	struct heur_clause *clauses;
	size_t n_clauses, cap_clauses;
	struct heur_tool *tools;
	size_t n_tools, cap_tools;
	struct heur_words verbs; /* that only these tools know */
	enum heur_act *verb_acts;
	int router, route; /* rule 8: the tool that executes and its search partner; -1: none */
	assay_bm25 *index; /* documents: the tools */
	size_t n_indexed;
	struct heur_step *steps;
	size_t n_steps, cap_steps;
	struct heur_record *records;
	size_t n_records, cap_records;
	struct heur_leaf *leaves;
	size_t n_leaves, cap_leaves;
	assay_json **owned; /* documents to be freed with the run */
	size_t n_owned, cap_owned;
};

/* Hand a document over to the run; NULL stays NULL (memory out: freed, NULL, and the arena has failed). */
assay_json *heur_own(struct heur_run *r, assay_json *v);
assay_json *heur_parse(struct heur_run *r, assay_str text); /* owned by the run; NULL when it is no JSON */
assay_str heur_dump(struct heur_run *r, const assay_json *v);
assay_str heur_scalar(struct heur_run *r, const assay_json *v); /* a scalar as text; empty for others */

/* heuristic_values.c, heuristic_clauses.c, heuristic_condition.c */
void heur_find_values(struct heur_run *r);
bool heur_is_date(assay_str t);
void heur_find_clauses(struct heur_run *r);
void heur_read_condition(struct heur_run *r, struct heur_clause *c);
bool heur_superlative(assay_str lower); /* cheapest */
bool heur_comparing(assay_str lower);   /* below */
bool heur_in_value(const struct heur_run *r, const struct heur_word *w);
bool heur_is_text(enum heur_kind kind); /* words of the user's, no number or address */
int heur_judge(const struct heur_run *r, const struct heur_condition *k, int record);
int heur_prefers(const struct heur_run *r, const struct heur_choice *choice, int a, int b);

/* heuristic_tools.c, heuristic_rank.c */
void heur_add_tool(struct heur_run *r, assay_str name, assay_str description, const assay_json *parameters);
void heur_learn_verbs(struct heur_run *r); /* once the tools are known */
enum heur_act heur_learnt_verb(const struct heur_run *r, assay_str stem);
int heur_find_tool(const struct heur_run *r, assay_str name);
void heur_read_params(struct heur_run *r, struct heur_tool *t); /* on first use */
bool heur_needed(const struct heur_tool *t, int param);         /* required, and all that is around it */
int heur_about(const struct heur_tool *t, assay_str stem);
bool heur_known_noun(const struct heur_run *r, assay_str stem); /* some tool is about it */
bool heur_generic_noun(assay_str stem);
bool heur_admitted(const struct heur_run *r, const struct heur_clause *c, const struct heur_tool *t);
void heur_rank(struct heur_run *r, struct heur_clause *c);

/* heuristic_memory.c */
void heur_remember(struct heur_run *r, int step);
int heur_record_says(const struct heur_run *r, int record, assay_str text);

/* heuristic_score.c */
#define HEUR_NEVER (-100.0)
double heur_value_score(const struct heur_run *r, const struct heur_tool *t, const struct heur_param *p,
			const struct heur_value *v, int clause);
bool heur_type_fits(const struct heur_run *r, const struct heur_param *p, assay_str text);
bool heur_same_option(assay_str option, assay_str text); /* case, "_" and "-" folded */
assay_str heur_named_thing(const struct heur_run *r, const struct heur_value *v);
bool heur_has_entity(const struct heur_param *p); /* its name says what it identifies */

/* heuristic_bind.c, heuristic_leaf.c, heuristic_build.c */
void heur_bind(struct heur_run *r, int tool, const struct heur_intent *how, struct heur_binding *out);
bool heur_entity(const struct heur_param *p, assay_str stem); /* the stem names what the parameter identifies */
bool heur_id_like(assay_str text);
bool heur_beside_the_point(const struct heur_run *r, const struct heur_step *s);
void heur_bind_leaves(struct heur_run *r, const struct heur_intent *how, struct heur_binding *b);
size_t heur_calls(const struct heur_run *r, const struct heur_binding *b); /* how many calls a binding stands for */
assay_json *heur_arguments(struct heur_run *r, const struct heur_binding *b, size_t index); /* owned by the run */

/* heuristic_plan.c, heuristic_choose.c, heuristic_produce.c */
struct heur_plan {
	struct heur_call calls[2 * HEUR_MAX_FAN];
	size_t n;
};
void heur_decide(struct heur_run *r, struct heur_plan *plan); /* no calls: time for the answer */
void heur_settle(struct heur_run *r, int clause, size_t first_step);
bool heur_was_called(struct heur_run *r, int tool, const assay_json *arguments, bool *worked);
bool heur_planned(struct heur_run *r, const struct heur_plan *plan, int tool, const assay_json *arguments);
int heur_choose_tool(struct heur_run *r, int clause);
bool heur_lacks_referent(const struct heur_run *r, int clause);
bool heur_satisfied(struct heur_run *r, int clause); /* what was found already answers it */
bool heur_produce(struct heur_run *r, const struct heur_intent *how, const struct heur_binding *b, size_t need,
		  int depth, struct heur_plan *plan);
bool heur_can_produce(struct heur_run *r, const struct heur_tool *t, size_t param, int clause);

/* heuristic_repair.c */
bool heur_repair(struct heur_run *r, struct heur_clause *c);

/* heuristic_servers.c */
bool heur_read_servers(struct heur_run *r);        /* is the goal a router's? Then their tools, and the request in it */
assay_str heur_choose_servers(struct heur_run *r); /* the answer that the router wants */

/* heuristic_router.c */
void heur_find_router(struct heur_run *r);
bool heur_plan_route(struct heur_run *r, int clause, struct heur_plan *plan);
void heur_take_offers(struct heur_run *r, int step);
/* The call as it goes over the wire. */
assay_str heur_wire_name(const struct heur_run *r, const struct heur_call *call);
const assay_json *heur_wire_arguments(struct heur_run *r, const struct heur_call *call);
/* Which tool a call through the router meant; -1: unknown. *arguments becomes the inner ones. */
int heur_unwire(struct heur_run *r, int tool, const assay_json **arguments);

/* heuristic_yaml.c */
assay_json *heur_parse_yaml(struct heur_run *r, assay_str text);

/* heuristic_answer.c */
assay_str heur_answer(struct heur_run *r);
assay_str heur_compose(struct heur_run *r, int clause); /* text for a note from what was found */

/* heuristic_random.c */
void heur_decide_randomly(struct heur_run *r, assay_str conversation, size_t calls_so_far, struct heur_plan *plan);
#endif
