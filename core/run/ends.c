#include "core/run/ends.h"

#include <string.h>

const char *as_end_class(const char *end)
{
	static const char *const infra[] = {"model_unreachable", "server_unreachable", "judge_unreachable",
					    "simulator_unreachable"};
	static const char *const harness[] = {"setup_failed", "verifier_broken", "cancelled"};
	for (size_t i = 0; i < sizeof infra / sizeof *infra; i++) {
		if (strcmp(end, infra[i]) == 0) {
			return "infra";
		}
	}
	for (size_t i = 0; i < sizeof harness / sizeof *harness; i++) {
		if (strcmp(end, harness[i]) == 0) {
			return "harness";
		}
	}
	return "agent";
}

bool as_is_pending_end(assay_str end)
{
	return as_str_is(end, "judge_unreachable") || as_str_is(end, "simulator_unreachable");
}

const char *as_declared_end(assay_str said)
{
	static const char *const known[] = {"finished", "gave_up", "turn_limit", "malformed_call", "context_overflow"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (as_str_is(said, known[i])) {
			return known[i];
		}
	}
	return NULL;
}
