/* goalgen/template: goals from clause templates. Design page "without-llm", section goalgen/template.
 *
 * One request makes at most one goal. The tools are read; a few calls of reading tools tell what there is; a plan of up
 * to five steps is laid through the seed tools, in which every reading step is tried out at once, so that later steps
 * can be fed from what earlier ones answer; the plan is put into words. Every value comes from a resource, an answer or
 * a schema. A run lives in an arena; the plugin keeps nothing between requests. Thread: a run belongs to one thread. */
#ifndef GOALGEN_TEMPLATE_H
#define GOALGEN_TEMPLATE_H

#include "../common/text.h"
#include <assay/roles/goalgen.h>
#include <stdbool.h>

/* Bounds on what others hand us. */
enum {
	TMPL_MAX_TOOLS = 512,
	TMPL_MAX_PARAMS = 24,
	TMPL_MAX_WORDS = 24,    /* of a name or a phrase */
	TMPL_MAX_CALLS = 12,    /* discovery and trials together */
	TMPL_MAX_SURVEY = 5,    /* of them before there is a plan */
	TMPL_MAX_LEAVES = 3000, /* of all answers together */
	TMPL_MAX_PER_CALL = 800,
	TMPL_MAX_DEPTH = 6,    /* of an answer */
	TMPL_MAX_TEXT = 65536, /* bytes of an answer that are read */
	TMPL_MAX_VALUE = 80,   /* bytes of a value in a goal */
	TMPL_MAX_STEPS = 5,
	TMPL_MAX_FAN = 3,
	TMPL_MAX_GOAL = 4000
};

/* --- template_text.c: words -------------------------------------------------------------------------------------- */

/* Words in lower case, in the arena. */
struct tmpl_words {
	assay_str list[TMPL_MAX_WORDS];
	size_t n;
};
/* Words of a name: camelCase, snake_case, kebab-case, or of running text; ASCII letters and digits only. */
void tmpl_split(struct text_arena *a, assay_str text, struct tmpl_words *out);
bool tmpl_has(const struct tmpl_words *words, assay_str stem); /* compares stems */
assay_str tmpl_join(struct text_arena *a, const struct tmpl_words *words, size_t from);
assay_str tmpl_singular(struct text_arena *a, assay_str word);
assay_str tmpl_plural(struct text_arena *a, assay_str word);
bool tmpl_same_stem(assay_str a, assay_str b); /* equal but for number */
assay_str tmpl_last_word(assay_str phrase);

/* --- template_tool.c: what tools do and take --------------------------------------------------------------------- */

enum tmpl_act { TMPL_NONE, TMPL_SEARCH, TMPL_LIST, TMPL_GET, TMPL_COMPUTE, TMPL_CREATE, TMPL_CHANGE, TMPL_REMOVE };

enum tmpl_act tmpl_verb(assay_str word); /* base form or third person */
bool tmpl_stop_word(assay_str lower);
bool tmpl_generic_noun(assay_str lower); /* details, info ... */

/* What a parameter is about. */
enum tmpl_sense {
	TMPL_OTHER,
	TMPL_ID,
	TMPL_QUERY,
	TMPL_TITLE,
	TMPL_CONTENT,
	TMPL_PATH,
	TMPL_URL,
	TMPL_EMAIL,
	TMPL_DATE,
	TMPL_TIME,
	TMPL_PLACE,
	TMPL_AMOUNT,
	TMPL_OPTION, /* one of an enum */
	TMPL_SWITCH,
	TMPL_LIMIT /* left alone when optional: limits, pages, formats */
};

enum { TMPL_STRING = 1, TMPL_INTEGER = 2, TMPL_NUMBER = 4, TMPL_BOOLEAN = 8, TMPL_ARRAY = 16, TMPL_OBJECT = 32 };

struct tmpl_param {
	assay_str name;
	struct tmpl_words words;
	const assay_json *schema; /* of the value; of the elements when `list` */
	unsigned types;           /* likewise */
	enum tmpl_sense sense;
	bool required, list;
	bool fresh; /* names something that does not exist yet */
};

struct tmpl_tool {
	const assay_tool *tool;
	enum tmpl_act act;
	bool reads;                     /* may be called while looking around */
	bool whole;                     /* acts on everything there is */
	assay_str noun;                 /* singular: what it is about, words; may be empty */
	struct tmpl_words words, about; /* of its name; of the first sentence of its description */
	struct tmpl_param params[TMPL_MAX_PARAMS];
	size_t n_params;
	bool odd; /* needs what no template can give: nested objects, too many parameters */
	bool seed, failing;
	bool pending; /* its step is being made */
};

/* --- template_pool.c: values that were seen ---------------------------------------------------------------------- */

struct tmpl_record {
	int answer; /* -1: a resource */
	int parent; /* -1: none */
	bool listed;
	assay_str noun; /* last word of the key that it stands under, or of its tool's noun */
};

struct tmpl_leaf {
	assay_str key, text; /* text: as it is written in a goal */
	struct tmpl_words words;
	const assay_json *value;
	int record;
	assay_str server;
	bool plain; /* can be written in a goal: short, one line, no quotes, no tool's name */
	bool local; /* a path that may be another one next time: only referred to */
};

struct tmpl_answer {
	int tool;
	const assay_json *arguments, *result; /* result: NULL when there is none */
	bool failed, prose;                   /* prose: it says something that is no leaf */
	size_t first_leaf, n_leaves;
};

/* --- template_plan.c --------------------------------------------------------------------------------------------- */

enum tmpl_pick {
	TMPL_NOT_BOUND,
	TMPL_LITERAL, /* written out */
	TMPL_IT,      /* the only one that an earlier step gives */
	TMPL_FIRST,   /* the first of those */
	TMPL_BY_NAME  /* the one whose name is written out */
};

struct tmpl_slot {
	enum tmpl_pick pick;
	assay_str text;          /* the value as written; for TMPL_BY_NAME the name */
	const assay_json *value; /* the argument */
	assay_str noun;          /* of the thing referred to, may be empty */
	int leaf;                /* where it comes from, -1: schema or composed */
	bool composed;
	bool measure; /* a date or a number that an earlier step found: `noun` is what it is called */
	bool of;      /* by a name that is not its own: the order of "Ada" */
};

struct tmpl_step {
	int tool;
	struct tmpl_slot slots[TMPL_MAX_PARAMS];
	int answer; /* of the trial, -1: none */
	int fan;    /* parameter with several values, -1: none */
	struct tmpl_slot more[TMPL_MAX_FAN - 1];
	size_t n_more;
};

struct tmpl_run {
	struct text_arena arena;
	const assay_host *host;
	const assay_json_api *json;
	assay_call *call;
	const assay_goal_request *request;
	struct tmpl_tool *tools; /* seeds first, in their order, then the rest of the surface */
	size_t n_tools, n_seeds;
	struct tmpl_record *records;
	size_t n_records, cap_records;
	struct tmpl_leaf *leaves;
	size_t n_leaves, cap_leaves;
	struct tmpl_answer *answers;
	size_t n_answers, cap_answers;
	assay_json **owned; /* freed with the run */
	size_t n_owned, cap_owned;
	struct tmpl_step steps[TMPL_MAX_STEPS];
	size_t n_steps, max_steps, wanted_steps;
	size_t link_from;      /* steps before this one feed nothing for now */
	bool careful;          /* only reading may be asked for */
	assay_str slip, meant; /* a name as the goal has it, and as it should be; both empty: every name is right */
	int asked;             /* the leaf that is asked for, -1: any */
	int fatal;             /* a code that ends the run: cancelled, out of time */
};

uint32_t tmpl_below(struct tmpl_run *r, uint32_t n);
/* Hand a document over to the run. NULL when it was NULL or memory is out. */
assay_json *tmpl_own(struct tmpl_run *r, assay_json *v);

/* template_tool.c */
void tmpl_read_tool(struct tmpl_run *r, const assay_tool *tool, struct tmpl_tool *out);
/* template_pool.c */
void tmpl_add_resources(struct tmpl_run *r);
void tmpl_add_result(struct tmpl_run *r, int answer, const assay_json *result);
bool tmpl_plain(const struct tmpl_run *r, assay_str text);
bool tmpl_date_like(assay_str text);
bool tmpl_type_fits(const struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf);
/* The schema of the property `name` in a schema or in what is nested in it; NULL when there is none. */
const assay_json *tmpl_property(const struct tmpl_run *r, const assay_json *schema, assay_str name, int depth);
/* Is the thing that a leaf belongs to in the state that the tool asks for ("an order that is open or packed")?
 * Positive: it is said to be; negative: it is in another one; 0: nothing is known. */
int tmpl_state_fit(const struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf);
/* How sure it is that a leaf is a value for a parameter: 0 not at all, 5 and more by its name. */
int tmpl_name_fit(const struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_param *p,
		  const struct tmpl_leaf *leaf);
/* template_discover.c */
bool tmpl_calls_left(const struct tmpl_run *r);
/* Call a reading tool; the index of the answer, or -1 when it could not be called. */
int tmpl_try(struct tmpl_run *r, int tool, const assay_json *arguments);
void tmpl_survey(struct tmpl_run *r);
/* template_bind.c */
assay_json *tmpl_arguments(struct tmpl_run *r, const struct tmpl_step *s); /* owned by the run */
/* Give a parameter a value from the pool or its schema. False: there is none. */
bool tmpl_bind(struct tmpl_run *r, const struct tmpl_step *s, size_t param, struct tmpl_slot *out);
bool tmpl_is_name(const struct tmpl_leaf *leaf);
/* The option of a tool's parameters that is the unit of a number, as its key or its tool says; NULL: not known. */
const assay_json *tmpl_unit(struct tmpl_run *r, const struct tmpl_tool *t, const struct tmpl_leaf *leaf);
bool tmpl_looks_right(const struct tmpl_run *r, const struct tmpl_param *p, const struct tmpl_leaf *leaf);
void tmpl_bind_optional(struct tmpl_run *r, struct tmpl_step *s);
/* template_plan.c */
void tmpl_make_plan(struct tmpl_run *r);
/* template_aim.c: what the category expects; without steps afterwards when these seeds do not lend themselves to it. */
void tmpl_take_aim(struct tmpl_run *r);
/* template_phrase.c, template_voice.c */
/* Is a leaf of a step's answer something that a user asks for: a short value of the thing itself, and no argument? */
bool tmpl_worth_telling(const struct tmpl_run *r, const struct tmpl_step *s, const struct tmpl_leaf *leaf);
assay_str tmpl_clause(struct tmpl_run *r, const struct tmpl_step *s, bool first);
assay_str tmpl_question(struct tmpl_run *r); /* what to tell in the end; may be empty */
assay_str tmpl_voice(struct tmpl_run *r, uint32_t persona, const assay_str *clauses, size_t n, assay_str question);
const char *tmpl_persona(uint32_t persona);
enum { TMPL_PERSONAS = 10 };

#endif
