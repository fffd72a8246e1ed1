/* Assay SDK: what the program does for a plugin.
 *
 * A plugin links no symbol of the program: it reaches everything through the table below. All waiting happens inside
 * one of these functions, which observe the call's deadline and cancellation. Tables only ever grow at their end; test
 * for a newer member with ASSAY_HAS. All functions may be called from any thread, each call object from one.
 *
 * A service that the current operation has no use for answers ASSAY_ENOTSUP (for example agent->act in a sampler).
 */
#ifndef ASSAY_HOST_H
#define ASSAY_HOST_H

#include <assay/catalogue.h>
#include <assay/json.h>
#include <assay/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI_MAJOR 1u
#define ASSAY_ABI_MINOR 2u

/* Is `member` of the table that `p` points to present in this program? */
#define ASSAY_HAS(p, member)                                                                                           \
	((p) != NULL && (p)->size >= (size_t)((const char *)(&(p)->member + 1) - (const char *)(p)))

#if defined(__GNUC__)
#define ASSAY_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ASSAY_PRINTF(fmt, args)
#endif

/* Log levels. */
#define ASSAY_LOG_ERROR 0
#define ASSAY_LOG_WARN 1
#define ASSAY_LOG_INFO 2
#define ASSAY_LOG_DEBUG 3
#define ASSAY_LOG_TRACE 4

/* Text: similarity and hashing as the scores need them. Thread: any. */
typedef struct assay_bm25 assay_bm25;
typedef struct assay_text_api {
	uint32_t size;
	uint32_t reserved;
	double (*jaccard)(assay_str a, assay_str b); /* of the sets of [a-z0-9]{2,} runs in lower case; -1: no memory */
	double (*ratio)(assay_str a, assay_str b);   /* Python's difflib ratio; -1: no memory */
	int (*lower)(assay_str s, assay_text *out,
		     assay_error *err); /* Unicode lower case; free with json->text_free */
	int (*regex_search)(assay_str pattern, assay_str subject, int *found,
			    assay_error *err); /* as Python's re.search */
	void (*sha256_hex)(assay_str s, char out[65]);
	/* A ranking of documents for a query; documents are numbered from 0 in the order they were added. */
	int (*bm25_new)(assay_bm25 **out, assay_error *err);
	int (*bm25_add)(assay_bm25 *index, assay_str document, assay_error *err);
	int (*bm25_scores)(const assay_bm25 *index, assay_str query, double *scores,
			   assay_error *err); /* one per document */
	void (*bm25_free)(assay_bm25 *index);
} assay_text_api;

/* Random numbers of this call: MT19937 with the draws that Python derives from it. */
typedef struct assay_rng_api {
	uint32_t size;
	uint32_t reserved;
	uint32_t (*below)(assay_call *call, uint32_t n); /* uniform in [0, n); 0 when n is 0 */
	void (*shuffle)(assay_call *call, uint32_t *items, size_t n);
} assay_rng_api;

/* The agent's side of the world, for explorers. Everything here is recorded. */
typedef struct assay_agent_api {
	uint32_t size;
	uint32_t reserved;
	/* The tools on offer: an array of {name, description, parameters}. Borrowed until the operation returns. */
	int (*offers)(assay_call *call, const assay_json **tools, assay_error *err);
	/* Let the agent call `name` with `arguments` (NULL: none). `text` is what the model gets to read; is_error
	 * tells whether the call failed in the world. A refused call is an answer, not an error of this function, which
	 * fails only when the attempt cannot go on (server gone, cancelled, out of time). */
	int (*act)(assay_call *call, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		   assay_error *err);
} assay_agent_api;

/* Direct calls into a live world, for goal generators and distillers. Not part of any trace. */
typedef struct assay_world_api {
	uint32_t size;
	uint32_t reserved;
	/* The server's result object (MCP shape). is_error: the server said so. */
	int (*call)(assay_call *call, assay_str server, assay_str tool, const assay_json *arguments,
		    assay_json **result, int *is_error, assay_error *err);
	/* Put every environment back to its initial state before the next call. */
	int (*reset)(assay_call *call, assay_error *err);
} assay_world_api;

/* One chat request to the model that the manifest gave this implementation. The request and the reply have the shape
 * of assay/roles/llm.h. Retries, budgets and stored replies are the host's. */
typedef struct assay_llm_api {
	uint32_t size;
	uint32_t reserved;
	int (*chat)(assay_call *call, const assay_json *request, assay_json **reply, assay_error *err);
} assay_llm_api;

/* Predicates and scoring. args and value answer 1 (met), 0 (not met) or a negative code. */
typedef struct assay_check_api {
	uint32_t size;
	uint32_t reserved;
	int (*args)(const assay_json *predicate, const assay_json *arguments, assay_error *err);
	int (*value)(const assay_json *predicate, assay_str text, assay_error *err);
	/* Score `task` on a trace document with the pipeline's effect scorer, leaving out the step `without` (-1:
	 * none). State conditions are passed over: they need the world. */
	int (*score)(assay_call *call, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		     assay_error *err);
	/* The following since ABI 1.2. args and value for predicates that are parts of the task which a scorer was
	 * handed: they are read once for all attempts at it, and the work of all of one attempt is bounded.
	 * ASSAY_ELIMIT: a regular expression ran out of its match limit or, with detail 1, the attempt out of the work
	 * that all its checks together may take. */
	int (*args_of)(assay_call *call, const assay_json *predicate, const assay_json *arguments, assay_error *err);
	int (*value_of)(assay_call *call, const assay_json *predicate, assay_str text, assay_error *err);
	/* Is this what a distiller may emit: kinds, tools that exist, sound predicates, ids of its own, an order
	 * without circles? ASSAY_EDATA with pointer: its first defect. */
	int (*body)(assay_call *call, const assay_json *body, assay_error *err);
} assay_check_api;

/* Samplers by name ("same_name"), for exposures that pick distractors. picked holds indexes into candidates. */
typedef struct assay_sampler_api {
	uint32_t size;
	uint32_t reserved;
	int (*draw)(assay_call *call, const char *name, assay_tools required, assay_tools candidates, size_t n,
		    uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err);
	/* Since ABI 1.2. How alike each candidate is to that required tool which it is most alike to, out of an index
	 * of the catalogue. By words: text->jaccard of "description name". By names: 2 for the same, else text->ratio
	 * of its name and the required one's, or -1 below `least`. Also the candidates' places in the order of server
	 * and name. Answers 1; or 0 when it does not know them all, and they have to be compared one by one. */
	int (*rate)(assay_call *call, uint32_t by, double least, assay_tools required, assay_tools candidates,
		    double *scores, uint32_t *places, assay_error *err);
} assay_sampler_api;
#define ASSAY_LIKE_WORDS 0u
#define ASSAY_LIKE_NAMES 1u

/* A child process: its own process group, our end of its stdin and stdout, its stderr kept with a bound. */
typedef struct assay_process assay_process;
typedef struct assay_process_spec {
	uint32_t size;
	uint32_t reserved;
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env;  /* NULL-terminated "NAME=value" on top of the host's allow-list; NULL: none */
	const char *cwd;         /* NULL: the manifest's folder */
} assay_process_spec;
typedef struct assay_process_api {
	uint32_t size;
	uint32_t reserved;
	int (*spawn)(assay_call *call, const assay_process_spec *spec, assay_process **out, assay_error *err);
	int (*write)(assay_call *call, assay_process *p, assay_str bytes, assay_error *err); /* all of them */
	/* Some bytes, at most cap. *n is 0 at the end of its output. ASSAY_ETIMEOUT after timeout_ms. */
	int (*read)(assay_call *call, assay_process *p, char *buf, size_t cap, int64_t timeout_ms, size_t *n,
		    assay_error *err);
	int (*stderr_tail)(assay_process *p, assay_text *out, assay_error *err);
	/* Close its stdin, wait, TERM, wait, KILL, reap; frees p. NULL is fine. */
	void (*stop)(assay_process *p);
	/* The following since ABI 1.2. */
	/* How it ended, which is waited for up to wait_ms; what it still prints is thrown away. ASSAY_ETIMEOUT: it runs
	 * on. status: its exit status, or 128 + the number of the signal that ended it; words: "exited with status 3",
	 * "was killed by SIGSEGV". Either may be NULL. */
	int (*ended)(assay_process *p, int64_t wait_ms, int32_t *status, assay_text *words, assay_error *err);
} assay_process_api;

/* Files below the folders that the host handed to the operation. */
typedef struct assay_file_api {
	uint32_t size;
	uint32_t reserved;
	int (*read)(assay_call *call, const char *path, size_t max, assay_text *out, assay_error *err);
	int (*write)(assay_call *call, const char *path, assay_str bytes, assay_error *err);    /* atomic */
	int (*copy_tree)(assay_call *call, const char *from, const char *to, assay_error *err); /* times kept */
	int (*remove_tree)(assay_call *call, const char *path, assay_error *err);
	int (*make_dirs)(assay_call *call, const char *path, assay_error *err);
} assay_file_api;

/* One HTTP request. The reply's body goes to the sink's write as it arrives. */
typedef struct assay_http_request {
	uint32_t size;
	uint32_t reserved;
	const char *method;
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
	assay_str body;
	int64_t timeout_ms;
	size_t max_body;
} assay_http_request;
typedef struct assay_http_reply {
	uint32_t size;
	int32_t status;
	assay_json *headers; /* object, lower-case names; free it */
} assay_http_reply;
/* Several requests at once, each reply read piece by piece as it comes in: for event streams, and for what is said
 * beside them. A group keeps its connections and belongs to one thread. */
typedef struct assay_http_group assay_http_group;
typedef struct assay_http_exchange assay_http_exchange;
typedef struct assay_http_progress {
	uint32_t size;
	int32_t status;            /* 0: no reply yet */
	const assay_json *headers; /* as in assay_http_reply; borrowed until the exchange ends */
	int32_t ended;             /* nothing more will come */
	int32_t reserved;
	const char *address; /* since ABI 1.2: of who answers when a redirect led to another host, which gets no header
				of the request that may be a secret, or made a GET without a body of it (303); NULL
				otherwise. Borrowed until the exchange ends */
} assay_http_progress;
typedef struct assay_http_api {
	uint32_t size;
	uint32_t reserved;
	int (*request)(assay_call *call, const assay_http_request *request, assay_http_reply *reply, assay_sink *body,
		       assay_error *err);
	/* The following since ABI 1.1. */
	int (*group_new)(assay_call *call, assay_http_group **out, assay_error *err);
	void (*group_free)(assay_http_group *g); /* ends its exchanges; NULL is fine */
	/* Start an exchange. Everything of the request is copied; its timeout_ms is not looked at, max_body bounds what
	 * may wait to be taken. */
	int (*begin)(assay_http_group *g, const assay_http_request *request, assay_http_exchange **out,
		     assay_error *err);
	/* Let all exchanges of the group go on until there is news of one; ASSAY_ETIMEOUT after timeout_ms. call NULL:
	 * only timeout_ms ends the wait (for a close). */
	int (*wait)(assay_call *call, assay_http_group *g, int64_t timeout_ms, assay_error *err);
	/* What came in; new bytes of the body go to the sink in one piece, when `progress` is filled. The error of an
	 * exchange that failed, once all that came before was taken. */
	int (*take)(assay_http_exchange *x, assay_http_progress *progress, assay_sink *body, assay_error *err);
	void (*end)(assay_http_exchange *x); /* at any time; NULL is fine */
} assay_http_api;

struct assay_host {
	uint32_t size;
	uint16_t abi_major;
	uint16_t abi_minor;
	const char *version; /* of the program */

	void *(*alloc)(size_t size); /* zeroed */
	void *(*resize)(void *p, size_t size);
	void (*free)(void *p);

	/* Fill err (NULL is fine) and return code. */
	int (*fail)(assay_error *err, int code, const char *format, ...) ASSAY_PRINTF(3, 4);
	/* A warning is shown once, however many instances give it in the same words. */
	void (*log)(const assay_call *call, int level, const char *format, ...) ASSAY_PRINTF(3, 4);

	/* Milliseconds left to this call (INT64_MAX: no deadline), and whether it should stop now. */
	int64_t (*remaining_ms)(const assay_call *call);
	int (*cancelled)(const assay_call *call);
	/* A further service by name and lowest version, or NULL: for what is added later. */
	const void *(*service)(const char *name, uint32_t version);

	const assay_json_api *json;
	const assay_text_api *text;
	const assay_rng_api *rng;
	const assay_agent_api *agent;
	const assay_world_api *world;
	const assay_llm_api *llm;
	const assay_check_api *check;
	const assay_sampler_api *sampler;
	const assay_process_api *process;
	const assay_file_api *file;
	const assay_http_api *http;
};

#ifdef __cplusplus
}
#endif
#endif
