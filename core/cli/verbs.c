/* All verbs, in the order of the help. */
#include "core/cli/cli.h"

extern const as_verb as_verb_init, as_verb_run, as_verb_generate, as_verb_goals, as_verb_explore, as_verb_distill,
	as_verb_gate, as_verb_eval, as_verb_score, as_verb_report, as_verb_pack, as_verb_verify, as_verb_import,
	as_verb_export, as_verb_servers, as_verb_plugins, as_verb_doctor;

const as_verb *const as_verbs[] = {
	&as_verb_init,   &as_verb_run,    &as_verb_generate, &as_verb_goals,   &as_verb_explore, &as_verb_distill,
	&as_verb_gate,   &as_verb_eval,   &as_verb_score,    &as_verb_report,  &as_verb_pack,    &as_verb_verify,
	&as_verb_import, &as_verb_export, &as_verb_servers,  &as_verb_plugins, &as_verb_doctor,  NULL,
};
