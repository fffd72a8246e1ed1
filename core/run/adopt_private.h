/* What the survey hands to storing. Private to adoption. */
#ifndef AS_ADOPT_PRIVATE_H
#define AS_ADOPT_PRIVATE_H

#include "core/run/adopt.h"

/* Where a document stands. */
typedef struct adopted_place {
	const char *path;
	uint32_t line; /* 0: it is all of the file */
	uint64_t offset;
} adopted_place;

typedef struct adopted_task {
	assay_json *document;
	adopted_place at;
	assay_str id, source; /* the document's */
	bool twice;           /* an earlier one has its id */
} adopted_task;

/* A trace, as the survey remembers it. */
typedef struct adopted_trace {
	assay_str id, task_id; /* task_id: what its metadata say; may be empty */
	assay_str model;
	bool has_model;
	adopted_place at;
	uint64_t digest; /* of its text */
	uint32_t place;  /* among the traces of the corpus: of several with one id the first counts */
} adopted_trace;

/* What results say of a model or a mode, and what a manifest calls it. */
typedef struct adopted_name {
	assay_str said;
	bool absent; /* nothing is said */
	const char *name;
} adopted_name;
typedef struct adopted_names {
	adopted_name *list;
	size_t n, cap;
	assay_json *index; /* {text: place in the list} */
} adopted_names;

/* How names are made of texts. */
typedef struct adopted_rule {
	const char *before;    /* what they begin with */
	const char *otherwise; /* for nothing */
	const char *allowed;   /* besides letters and digits */
	size_t most;           /* bytes */
} adopted_rule;

/* The place of a text (NULL: nothing is said), put down on first sight. */
int as_adopt_note_name(adopted_names *x, as_arena *arena, const assay_str *said, uint32_t *out, assay_error *err);
/* Name all of them, differently from each other and from the keys of `taken`, which gets theirs. The same texts always
 * get the same names, and those that can keep theirs do. */
int as_adopt_give_names(adopted_names *x, const adopted_rule *rule, as_arena *arena, assay_json *taken,
			assay_error *err);
void as_adopt_names_free(adopted_names *x);

/* An attempt that was made elsewhere: a result, with its trace or without; or a candidate's trace without a result. */
typedef struct adopted_attempt {
	assay_str task_id, trace_id;
	uint32_t model, mode; /* places in the lists of names */
	uint32_t repeat;
	uint32_t ordinal; /* among the results of the corpus; NO_RESULT: none */
	bool known;       /* its task is there */
	bool has_trace;
} adopted_attempt;
#define NO_RESULT UINT32_MAX

struct as_adoption {
	const char *folder;
	as_lines *lines;
	as_arena arena;
	char digest[65];
	adopted_task *tasks; /* in the corpus' order */
	size_t n_tasks, cap_tasks;
	adopted_task **by_id; /* each once */
	size_t n_ids;
	adopted_trace *traces; /* sorted by id in the end */
	size_t n_traces, cap_traces;
	adopted_attempt *attempts; /* the results first, in the corpus' order */
	size_t n_attempts, cap_attempts, n_results;
	adopted_names models, modes; /* they have names once there is a manifest */
	assay_json *servers;         /* {id: {"tools", "fingerprint"}} from traces */
	assay_json *entries;         /* {id: entry} from server manifests */
	assay_json *goals;           /* {goal_id: goal} */
};

/* Tell a defect of what stands there; at NULL: somewhere in the folder. */
void as_adopt_defect(const as_adoption *a, const adopted_place *at, assay_error *flaw);

const adopted_task *as_adopted_task(const as_adoption *a, assay_str id);   /* NULL: none */
const adopted_trace *as_adopted_trace(const as_adoption *a, assay_str id); /* NULL: none */

/* What traces say of servers: surfaces, fingerprints, and servers that are only called. */
int as_adopt_note_servers(as_adoption *a, const assay_json *trace, const as_line *line, assay_error *err);
/* The catalogue's records (core/task/catalogue.h) of all servers, as an array. */
int as_adopt_records(const as_adoption *a, assay_json **out, assay_error *err);

#endif
