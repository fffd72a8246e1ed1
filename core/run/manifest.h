/* The manifest: what users write (design page, manifest-example.json), read strictly and expanded.
 * Thread: constant once loaded. */
#ifndef AS_MANIFEST_H
#define AS_MANIFEST_H

#include "core/plugin/registry.h"
#include "core/world/fill.h"
#include "core/world/live.h"
#include "core/world/replay.h"

/* "ROLE/NAME" with its options (what stands beside "use", less the keys that the core reads itself). */
typedef struct as_use {
	const char *use;
	const assay_json *options; /* object */
	const char *model;         /* key of "models"; NULL: none */
	const char *pointer;       /* where it stands in the manifest */
	uint32_t line;
} as_use;

typedef struct as_model_spec {
	const char *name;
	as_use llm;                                  /* "llm/..." or "embedder/..." */
	const char *family;                          /* "unknown" when not given */
	const assay_json *price, *limits, *sampling; /* objects or NULL; core/llm/llm.h */
	const char *answers;                         /* "tool", "schema" or "text"; NULL: "tool" */
} as_model_spec;

typedef struct as_author_spec {
	as_use goalgen, explorer, distiller;
} as_author_spec;

typedef struct as_category_spec {
	const char *name;
	as_use sampler;
	uint32_t size;            /* of a seed set, anchor included */
	uint32_t count;           /* tasks wanted */
	const char *framing;      /* "" when none */
	const char *challenge;    /* "" when none */
	const char *complexity;   /* "" when none */
	const assay_json *expect; /* object: what gate fits_category asks for; NULL: nothing */
	uint32_t first, stride;   /* its slots are first, first + stride, ...: levels of one name share the numbers */
} as_category_spec;

typedef struct as_candidate_spec {
	const char *name;
	as_use explorer;
	const assay_json *sampling; /* object or NULL */
	bool listed;
	bool recorded;            /* its attempts came with an import; it has no explorer and is never run */
	const assay_json *record; /* the candidate as written and expanded: part of the attempt's id */
	/* Digest of its explorer's module, also part of it; NULL: one that ships, whose work goes by its version, or
	 * not known yet: as_manifest_check_plugins finds it out, of a release as_verify_parts. Borrowed. */
	const char *module;
} as_candidate_spec;

typedef struct as_budget {
	uint32_t turns;   /* 12 */
	uint32_t seconds; /* 600; 300 when generating */
	int64_t tokens;   /* 0: no bound */
	double usd;       /* 0: no bound */
} as_budget;

typedef struct as_condition_spec {
	const char *name;
	as_replay_options replay; /* task and simulator not set */
	as_use describer;         /* likewise */
	as_use simulator;         /* its use is NULL: none */
	as_use exposure;
	as_budget budget;
	uint32_t attempts;        /* repeats in this condition */
	bool recorded;            /* of the recorded candidates, and of them only */
	const assay_json *record; /* part of the attempt's id */
} as_condition_spec;

typedef struct as_manifest {
	const char *path, *base_dir; /* base_dir: absolute folder of the manifest */
	const char *name, *version, *profile;
	uint64_t seed;
	const assay_json *document; /* expanded: defaults filled in; no secret is ever expanded in it */
	bool imported;              /* the tasks are another benchmark's: nothing is generated, no server is needed */

	const as_server_spec *servers; /* sorted by id */
	size_t n_servers;
	const as_environment_spec *environments;
	size_t n_environments;
	const as_model_spec *models; /* one more than n_models: the last is dice_model */
	size_t n_models;
	as_use dice;                     /* the random agent of the gates */
	const as_model_spec *dice_model; /* rules that throw dice */

	const as_author_spec *authors; /* at least one */
	size_t n_authors;
	const as_category_spec *categories;
	size_t n_categories;
	as_budget generation_budget;
	uint32_t max_goals;
	as_fill_options fill;     /* its task is each task's own */
	const char *const *gates; /* required ones */
	as_use validator;         /* the scorer of the gate valid; its use is NULL: none */
	as_use second;            /* the explorer of the gate second_agrees; its use is NULL: none */
	size_t n_gates;

	uint32_t retry_void;
	as_candidate_spec *candidates;
	size_t n_candidates;
	const as_condition_spec *conditions;
	size_t n_conditions;
	const as_use *scorers; /* the first one marked "headline", or the first, leads */
	size_t n_scorers, headline;

	const as_use *reports;
	size_t n_reports;
	uint32_t jobs, server_processes; /* 0: as many as cores; 0: no limit */
	double usd;                      /* for all models of a store; 0: no bound */

	char bench_id[65]; /* hash of all that decides the tasks: servers, environments, models, generation, profile,
			      seed; of imported ones what was imported */
} as_manifest;

#define AS_MANIFEST_MAX AS_JSON_MAX_BYTES /* bytes of a manifest that can be read */

typedef struct as_manifest_overrides {
	const char *seed; /* --seed; NULL: none */
	uint32_t jobs;    /* --jobs; 0: none */
} as_manifest_overrides;

/* Read, check, expand. Every mistake that can be seen without starting anything is found here: ASSAY_EDATA (exit 3)
 * with file, line, pointer, expectation, remedy; ASSAY_ENOENT when the file itself is missing. overrides may be NULL.
 */
int as_manifest_load(const char *path, const as_manifest_overrides *overrides, as_manifest **out, assay_error *err);
void as_manifest_free(as_manifest *m);

/* The same for a document that is not a file's own (a release's expanded manifest): no path has to exist. Taken over.
 */
int as_manifest_from_json(assay_json *document, const char *path, as_manifest **out, assay_error *err);
/* Would a document that is to be written to path be a manifest? Errors have no line: it is no file's yet. */
int as_manifest_check(const assay_json *document, const char *path, assay_error *err);

/* Find every plugin it names and check their options against their schemas. ASSAY_EPLUGIN (exit 4) or ASSAY_EDATA. */
int as_manifest_check_plugins(const as_manifest *m, as_registry *registry, assay_error *err);
/* May each report be written beside the manifest, the store (a path, or NULL) and the other reports? */
int as_manifest_check_reports(const as_manifest *m, as_registry *registry, const char *store, assay_error *err);

/* Why this cannot go along with each request to a server behind a URL; NULL: it can. What ${...} stands for in the
 * value is the transport's to look at. */
const char *as_header_fault(assay_str name, assay_str value);

/* Why what a server writes may stay: what nothing holds that is thrown away afterwards, as "the server is reached at a
 * URL". NULL: its launch record refers to its environment, or its sandbox lets it write and reach nothing else. Whether
 * the server writes at all is another question. */
const char *as_manifest_unheld(const as_manifest *m, const as_server_spec *s);

const as_model_spec *as_manifest_model(const as_manifest *m, const char *name); /* NULL: none */
/* Does this candidate have attempts in this condition? */
bool as_manifest_pairs(const as_condition_spec *condition, const as_candidate_spec *candidate);
/* Is its profile "dynamicmcpbench"? What fails is then what fails there: a call that a server breaks down in is an
 * error that the agent reads, and no attempt is void. */
bool as_manifest_is_reference(const as_manifest *m);
/* Is a fail with this class of end void? */
bool as_manifest_voids(const as_manifest *m, assay_str end_class);
assay_str as_manifest_schema(void); /* the JSON Schema that ships */

#endif
