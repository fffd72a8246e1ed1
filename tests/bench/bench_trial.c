/* The trial of the design page "replay": random sessions on the demo's notebook and shop are recorded; each is played
 * again with some calls changed, on tapes made in four ways. What a tape serves is judged against the live server,
 * which makes the same calls but for those that the tape missed (a miss says that nothing was changed). Prints a row a
 * way. bench_trial [REFERENCES [RUNS [SEED]]] */
#include "core/base/random.h"
#include "core/world/fill.h"
#include "core/world/replay.h"
#include "tests/bench/clock.h"
#include "tests/unit/demo_estate.h"

#include <string.h>

#define MAX_CALLS 16
#define LENGTH 7u /* calls of a session */

/* What sessions are made of. Some of these calls fail, at first or after others. */
static const struct {
	const char *server, *tool, *arguments;
} pool[] = {
	{"notes", "list_notes", "{}"},
	{"notes", "list_notes", "{\"tag\":\"supplier\"}"},
	{"notes", "read_note", "{\"title\":\"Courier prices\"}"},
	{"notes", "read_note", "{\"title\":\"Opening hours\"}"},
	{"notes", "read_note", "{\"title\":\"Spring list\"}"},
	{"notes", "search", "{\"query\":\"kettle\"}"},
	{"notes", "search", "{\"query\":\"kettle\",\"limit\":10}"},
	{"notes", "search", "{\"query\":\"kettle\",\"limit\":2}"},
	{"notes", "get_details", "{\"title\":\"Courier prices\"}"},
	{"notes", "get_details", "{\"title\":\"Spring list\"}"},
	{"notes", "create_note", "{\"title\":\"Spring list\",\"content\":\"A kettle.\"}"},
	{"notes", "create_note", "{\"title\":\"Opening hours\",\"content\":\"Never.\"}"},
	{"notes", "append_note", "{\"title\":\"Courier prices\",\"content\":\"Checked in May.\"}"},
	{"notes", "append_note", "{\"title\":\"Spring list\",\"content\":\"And a spoon.\"}"},
	{"notes", "rename_note", "{\"title\":\"Courier prices\",\"new_title\":\"Prices of couriers\"}"},
	{"notes", "archive_note", "{\"title\":\"Opening hours\"}"},
	{"notes", "delete_note", "{\"title\":\"Courier prices\"}"},
	{"shop", "search", "{\"query\":\"kettle\"}"},
	{"shop", "get_product", "{\"product_id\":\"P-1008\"}"},
	{"shop", "get_product", "{\"product_id\":\"P-1012\"}"},
	{"shop", "list_customers", "{}"},
	{"shop", "list_customers", "{\"city\":\"Lisbon\"}"},
	{"shop", "list_orders", "{\"customer_id\":\"C-207\"}"},
	{"shop", "list_orders", "{\"customer_id\":\"C-207\",\"limit\":10}"},
	{"shop", "list_orders", "{\"status\":\"open\"}"},
	{"shop", "place_order", "{\"customer_id\":\"C-207\",\"product_id\":\"P-1008\",\"quantity\":1}"},
	{"shop", "place_order", "{\"customer_id\":\"C-207\",\"product_id\":\"P-1012\",\"quantity\":5}"},
	{"shop", "place_order", "{\"customer_id\":\"C-207\",\"product_id\":\"P-1008\",\"quantity\":900}"},
	{"shop", "cancel_order", "{\"order_id\":5005}"},
	{"shop", "update_address", "{\"customer_id\":\"C-207\",\"address\":\"12 Quay Street\"}"},
	{"shop", "update_address", "{\"customer_id\":\"C-207\",\"address\":\"12 Quay Street\",\"city\":\"Lisbon\"}"},
	{"shop", "delete_customer", "{\"customer_id\":\"C-201\"}"},
};
#define POOL (sizeof pool / sizeof *pool)

typedef struct session {
	uint32_t calls[MAX_CALLS]; /* into the pool */
	size_t n;
} session;

enum { REFERENCE, VERSIONS, DIGESTS, FULL, N_WAYS };
static const char *const way_names[N_WAYS] = {"reference mode", "versions alone", "digests, reads filled",
					      "digests, all filled"};

typedef struct tally {
	uint64_t asked, missed, wrong, runs, with_miss, with_wrong, rows;
} tally;

typedef struct trial {
	demo_estate demo;
	as_world *live;
	as_call call;
	as_rng rng;
	assay_json *arguments[POOL];
	as_tape *tapes[N_WAYS];
	tally tallies[N_WAYS];
} trial;

static uint32_t below(trial *t, size_t n)
{
	return as_rng_below(&t->rng, (uint32_t)n);
}

/* Calls of one server, so that they have to do with each other. */
static uint32_t any_call(trial *t, const char *server)
{
	for (;;) {
		uint32_t i = below(t, POOL);
		if (strcmp(pool[i].server, server) == 0) {
			return i;
		}
	}
}

static void draw(trial *t, session *s)
{
	const char *server = below(t, 2) ? "notes" : "shop";
	s->n = LENGTH;
	for (size_t i = 0; i < s->n; i++) {
		s->calls[i] = any_call(t, server);
	}
}

static void insert(session *s, size_t at, uint32_t call)
{
	if (s->n < MAX_CALLS) {
		memmove(&s->calls[at + 1], &s->calls[at], (s->n - at) * sizeof *s->calls);
		s->calls[at] = call;
		s->n++;
	}
}

/* Another call of the same tool: other values, or with an optional argument more or less. */
static uint32_t variant(trial *t, uint32_t call)
{
	for (int i = 0; i < 50; i++) {
		uint32_t other = any_call(t, pool[call].server);
		if (other != call && strcmp(pool[other].tool, pool[call].tool) == 0) {
			return other;
		}
	}
	return call;
}

/* What an agent does otherwise than the reference: order, omission, repetition, another look, other arguments. */
static void perturb(trial *t, session *s)
{
	size_t at = below(t, s->n), other = below(t, s->n);
	uint32_t call = s->calls[at];
	switch (below(t, 5)) {
	case 0:
		s->calls[at] = s->calls[other];
		s->calls[other] = call;
		break;
	case 1:
		memmove(&s->calls[at], &s->calls[at + 1], (s->n - at - 1) * sizeof *s->calls);
		s->n--;
		break;
	case 2:
		insert(s, at, call);
		break;
	case 3:
		insert(s, other, call);
		break;
	default:
		s->calls[at] = variant(t, call);
		break;
	}
}

static void reset(trial *t)
{
	assay_error err = {0};
	demo_must(t->live->ops->reset(t->live, &t->call, &err), &err);
}

static as_trace *record(trial *t, const session *s, bool told)
{
	assay_error err = {0};
	as_trace *trace = NULL;
	demo_must(as_trace_new(ASSAY_STR("trial"), NULL, &trace, &err), &err);
	reset(t);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t c = s->calls[i];
		demo_record(t->live, trace, told, as_str(pool[c].server), as_str(pool[c].tool), t->arguments[c]);
	}
	demo_must(as_trace_finish(trace, &err), &err);
	return trace;
}

static as_tape *tape(trial *t, const session *s, bool told, uint32_t parts)
{
	const as_fill_options options = {.parts = parts, .max_calls = 400};
	assay_error err = {0};
	as_trace *trace = record(t, s, told);
	as_taping *taping = NULL;
	as_tape *made = NULL;
	demo_must(as_taping_new(trace, t->demo.catalogue, &taping, &err), &err);
	demo_must(as_tape_fill(taping, trace, t->live, &t->call, &options, &err), &err);
	demo_must(as_taping_finish(taping, &made, &err), &err);
	as_taping_free(taping);
	as_trace_free(trace);
	return made;
}

/* Did the tape say what the server says? Reference mode marks what it serves. */
static bool is_right(as_answer *told, const as_answer *truth)
{
	static const char *const marks[] = {"replay_tier", "replay_tier2_source_args", "replay_tier2_score"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		as_json_free(as_json_detach(told->result, marks[i]));
	}
	return told->status == truth->status && as_json_equal(told->result, truth->result);
}

static void play(trial *t, const session *s, int way)
{
	const as_replay_options options = {.mode = way == REFERENCE ? AS_REPLAY_REFERENCE : AS_REPLAY_STATEFUL,
					   .near_threshold = 0.75};
	tally *sum = &t->tallies[way];
	uint64_t missed = sum->missed, wrong = sum->wrong;
	assay_error err = {0};
	as_world *world = NULL;
	demo_must(as_replay_open(t->tapes[way], &options, &world, &err), &err);
	reset(t);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t c = s->calls[i];
		as_answer told = {0}, truth = {0};
		demo_must(as_world_call(world, &t->call, as_str(pool[c].server), as_str(pool[c].tool), t->arguments[c],
					&told, &err),
			  &err);
		sum->asked++;
		if (told.served == ASSAY_SERVED_MISS) {
			sum->missed++;
		} else {
			demo_must(as_world_call(t->live, &t->call, as_str(pool[c].server), as_str(pool[c].tool),
						t->arguments[c], &truth, &err),
				  &err);
			sum->wrong += !is_right(&told, &truth);
		}
		as_answer_clear(&told);
		as_answer_clear(&truth);
	}
	sum->runs++;
	sum->with_miss += sum->missed > missed;
	sum->with_wrong += sum->wrong > wrong;
	as_world_close(world, &t->call);
}

static void one_reference(trial *t, unsigned runs)
{
	session reference;
	draw(t, &reference);
	t->tapes[REFERENCE] = t->tapes[VERSIONS] = tape(t, &reference, false, 0);
	t->tapes[DIGESTS] = tape(t, &reference, true, AS_FILL_WALKS);
	t->tapes[FULL] = tape(t, &reference, true, AS_FILL_WALKS | AS_FILL_COPIES);
	for (unsigned r = 0; r < runs; r++) {
		session changed = reference;
		perturb(t, &changed);
		perturb(t, &changed);
		for (int way = 0; way < N_WAYS; way++) {
			play(t, &changed, way);
		}
	}
	for (int way = 0; way < N_WAYS; way++) {
		t->tallies[way].rows += as_tape_count(t->tapes[way]);
	}
	as_tape_free(t->tapes[VERSIONS]);
	as_tape_free(t->tapes[DIGESTS]);
	as_tape_free(t->tapes[FULL]);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

int main(int argc, char **argv)
{
	unsigned references = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 40;
	unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 6;
	trial t = {0};
	demo_estate_open(&t.demo);
	as_call_init(&t.call);
	as_rng_seed(&t.rng, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	t.live = demo_world_open(&t.demo);
	for (size_t i = 0; i < POOL; i++) {
		t.arguments[i] = demo_json(pool[i].arguments);
	}
	for (unsigned i = 0; i < references; i++) {
		one_reference(&t, runs);
	}
	printf("%u references of %u calls, %u perturbed runs of each, judged by the live server\n", references, LENGTH,
	       runs);
	printf("%-24s %12s %12s %14s %14s %12s\n", "way", "wrong/served", "missed/asked", "runs with a", "runs with a",
	       "rows a tape");
	printf("%-24s %12s %12s %14s %14s\n", "", "", "", "wrong result", "miss");
	for (int way = 0; way < N_WAYS; way++) {
		const tally *s = &t.tallies[way];
		printf("%-24s %11.1f%% %11.1f%% %13.1f%% %13.1f%% %12.1f\n", way_names[way],
		       percent(s->wrong, s->asked - s->missed), percent(s->missed, s->asked),
		       percent(s->with_wrong, s->runs), percent(s->with_miss, s->runs),
		       references ? (double)s->rows / references : 0.0);
	}
	for (size_t i = 0; i < POOL; i++) {
		as_json_free(t.arguments[i]);
	}
	demo_world_close(t.live);
	demo_estate_close(&t.demo);
	return 0;
}
