/* The names of the gates, in a file of their own for those who only list them. */
#include "core/run/gates.h"

#include <stddef.h>

const char *const *as_gate_names(void)
{
	static const char *const names[] = {"grounded",      "replays",        "no_tool_fails",       "echo_fails",
					    AS_GATE_RANDOM,  "mutants_caught", "no_answer_in_prompt", "necessary",
					    "fits_category", AS_GATE_SECOND,   AS_GATE_VALID,         NULL};
	return names;
}
