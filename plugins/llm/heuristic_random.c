/* llm/heuristic: the random policy. Any tool, bound as far as the goal goes, and after a few calls the answer. */
#include "heuristic.h"

static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15)); /* splitmix64 */
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static uint64_t seed_of(const struct heur_run *r, assay_str conversation)
{
	char hex[65];
	uint64_t seed = r->seed;
	r->host->text->sha256_hex(conversation, hex);
	for (size_t i = 0; i < 16; i++) {
		uint64_t digit = (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
		seed = (seed << 4 | seed >> 60) ^ digit;
	}
	return seed;
}

void heur_decide_randomly(struct heur_run *r, assay_str conversation, size_t calls_so_far, struct heur_plan *plan)
{
	uint64_t state = seed_of(r, conversation);
	struct heur_binding *b = text_alloc(&r->arena, 1, sizeof *b);
	plan->n = 0;
	/* One call in four is the last; never more than six. */
	bool enough = calls_so_far > 0 && (next(&state) % 4 == 0 || calls_so_far >= 6);
	for (int tries = 0; b && !enough && tries < 8 && r->n_tools > 0 && r->n_clauses > 0; tries++) {
		int tool = (int)(next(&state) % r->n_tools);
		int clause = (int)(next(&state) % r->n_clauses);
		struct heur_intent how = {.clause = clause, .focus = -1, .lax = true, .wide = true};
		if (!heur_admitted(r, &r->clauses[clause], &r->tools[tool])) {
			continue;
		}
		heur_bind(r, tool, &how, b);
		const assay_json *arguments = heur_arguments(r, b, 0);
		if (arguments) {
			plan->calls[plan->n++] = (struct heur_call){tool, arguments, clause, HEUR_MAIN};
			return;
		}
	}
}
