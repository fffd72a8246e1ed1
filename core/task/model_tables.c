/* The reference's models, field by field, in the order of its dumps (reference page part 1). */
#include "core/task/model.h"

#include <stddef.h>

#define REQUIRED AS_FIELD_REQUIRED
#define NULLABLE AS_FIELD_NULLABLE
#define END                                                                                                            \
	{                                                                                                              \
		NULL, AS_FIELD_ANY, 0, NULL, NULL, NULL                                                                \
	}
#define FIELD(key, type, flags, otherwise)                                                                             \
	{                                                                                                              \
		key, AS_FIELD_##type, flags, otherwise, NULL, NULL                                                     \
	}
#define WORDS(key, flags, otherwise, words)                                                                            \
	{                                                                                                              \
		key, AS_FIELD_ENUM, flags, otherwise, words, NULL                                                      \
	}
#define PARTS(key, type, flags, otherwise, model)                                                                      \
	{                                                                                                              \
		key, AS_FIELD_##type, flags, otherwise, NULL, model                                                    \
	}

static const char *const transports[] = {"stdio", "sse", "streamable_http", NULL};
static const char *const dynamisms[] = {"static", "live_read", "stateful_write", NULL};
static const char *const step_kinds[] = {"list_tools", "call_tool_agent", "call_tool_server_internal", NULL};
static const char *const statuses[] = {"success", "error", "timeout", NULL};
static const char *const scopes[] = {"any_tool_result", "final_assistant_message", NULL};
static const char *const checkpoint_kinds[] = {"tool_effect", "value_produced", "state_condition", NULL};

/* Trace, 1.1. */

static const as_field fingerprint_fields[] = {
	FIELD("server_id", TEXT, REQUIRED, NULL),
	WORDS("transport", REQUIRED, NULL, transports),
	FIELD("endpoint", TEXT, REQUIRED, NULL),
	FIELD("server_name", TEXT, NULLABLE, NULL),
	FIELD("server_version", TEXT, NULLABLE, NULL),
	FIELD("protocol_version", TEXT, NULLABLE, NULL),
	FIELD("capabilities", OBJECT, NULLABLE, NULL),
	FIELD("tool_count", INT, 0, "0"),
	FIELD("tool_surface_hash", TEXT, 0, "\"\""),
	FIELD("observed_at", TIME, 0, NULL),
	END,
};
static const as_model fingerprint = {"server fingerprint", true, fingerprint_fields, NULL};

static const as_field tool_spec_fields[] = {
	FIELD("name", TEXT, REQUIRED, NULL),
	FIELD("description", TEXT, NULLABLE, NULL),
	FIELD("input_schema", OBJECT, NULLABLE, NULL),
	FIELD("output_schema", OBJECT, NULLABLE, NULL),
	END,
};
static const as_model tool_spec = {"tool", true, tool_spec_fields, NULL};

static const as_field step_error_fields[] = {
	FIELD("code", TEXT, NULLABLE, NULL),
	FIELD("message", TEXT, REQUIRED, NULL),
	FIELD("raw", OBJECT, NULLABLE, NULL),
	END,
};
static const as_model step_error = {"step error", true, step_error_fields, NULL};

static const as_field step_fields[] = {
	FIELD("step_id", INT, REQUIRED, NULL),
	FIELD("parent_step_id", INT, NULLABLE, NULL),
	WORDS("kind", REQUIRED, NULL, step_kinds),
	FIELD("server_id", TEXT, REQUIRED, NULL),
	FIELD("tool_name", TEXT, NULLABLE, NULL),
	FIELD("arguments", OBJECT, NULLABLE, NULL),
	FIELD("arguments_canonical", TEXT, 0, "\"\""),
	FIELD("result", OBJECT, NULLABLE, NULL),
	FIELD("result_truncated", BOOL, 0, "false"),
	FIELD("started_at", TIME, 0, NULL),
	FIELD("ended_at", TIME, 0, NULL),
	FIELD("latency_ms", REAL, 0, "0.0"),
	WORDS("status", REQUIRED, NULL, statuses),
	PARTS("error", MODEL, NULLABLE, NULL, &step_error),
	END,
};
static const as_model step = {"step", true, step_fields, NULL};

static const as_field trace_fields[] = {
	FIELD("trace_id", UUID, 0, NULL),
	FIELD("schema_version", TEXT, 0, "\"0.1.0\""),
	FIELD("recorder_version", TEXT, 0, "\"\""),
	FIELD("goal", TEXT, NULLABLE, NULL),
	FIELD("seed_metadata", OBJECT, 0, "{}"),
	PARTS("servers", MODELS, 0, "[]", &fingerprint),
	PARTS("tool_specs", MODEL_LISTS, 0, "{}", &tool_spec),
	PARTS("steps", MODELS, 0, "[]", &step),
	FIELD("started_at", TIME, 0, NULL),
	FIELD("ended_at", TIME, NULLABLE, NULL),
	END,
};
const as_model as_model_trace = {"trace", true, trace_fields, NULL};

/* TaskSpec, 1.2. */

static const as_field complexity_fields[] = {
	FIELD("trace_depth", INT, REQUIRED, NULL),
	FIELD("distinct_servers", INT, REQUIRED, NULL),
	FIELD("cross_server", BOOL, REQUIRED, NULL),
	FIELD("runtime_branching", BOOL, REQUIRED, NULL),
	FIELD("state_coupling", BOOL, REQUIRED, NULL),
	FIELD("recovery_required", BOOL, REQUIRED, NULL),
	END,
};
static const as_model complexity = {"complexity profile", false, complexity_fields, NULL};

static const as_field tool_ref_fields[] = {
	FIELD("server_id", TEXT, REQUIRED, NULL),
	FIELD("tool_name", TEXT, REQUIRED, NULL),
	END,
};
static const as_model tool_ref = {"tool reference", false, tool_ref_fields, NULL};

static const as_field matcher_fields[] = {
	FIELD("equals", ANY, NULLABLE, NULL),
	FIELD("starts_with", TEXT, NULLABLE, NULL),
	FIELD("contains", TEXT, NULLABLE, NULL),
	FIELD("regex", TEXT, NULLABLE, NULL),
	END,
};
static const as_model matcher = {"matcher", false, matcher_fields, NULL};

static const as_field args_predicate_fields[] = {
	FIELD("must_include", OBJECT, 0, "{}"),
	PARTS("must_match", MODEL_MAP, 0, "{}", &matcher),
	END,
};
static const as_model args_predicate = {"argument predicate", false, args_predicate_fields, NULL};

static const as_field value_predicate_fields[] = {
	FIELD("contains_any", TEXTS, NULLABLE, NULL),
	FIELD("contains_all", TEXTS, NULLABLE, NULL),
	FIELD("regex", TEXT, NULLABLE, NULL),
	END,
};
static const as_model value_predicate = {"value predicate", false, value_predicate_fields, NULL};

#define CHECKPOINT_HEAD                                                                                                \
	FIELD("kind", TEXT, REQUIRED, NULL), FIELD("checkpoint_id", TEXT, REQUIRED, NULL),                             \
		FIELD("description", TEXT, REQUIRED, NULL)

static const as_field tool_effect_fields[] = {
	CHECKPOINT_HEAD,
	PARTS("equivalence_set", MODELS, REQUIRED, NULL, &tool_ref),
	PARTS("arg_predicate", MODEL, NULLABLE, NULL, &args_predicate),
	FIELD("must_succeed", BOOL, 0, "true"),
	END,
};
static const as_field value_produced_fields[] = {
	CHECKPOINT_HEAD,
	PARTS("predicate", MODEL, REQUIRED, NULL, &value_predicate),
	WORDS("scope", 0, "\"any_tool_result\"", scopes),
	END,
};
static const as_field state_condition_fields[] = {CHECKPOINT_HEAD, FIELD("probe", OBJECT, 0, "{}"), END};

static const as_model checkpoints[] = {
	{"tool_effect", false, tool_effect_fields, NULL},
	{"value_produced", false, value_produced_fields, NULL},
	{"state_condition", false, state_condition_fields, NULL},
	{NULL, false, NULL, NULL},
};

static const as_field minefield_fields[] = {
	FIELD("minefield_id", TEXT, REQUIRED, NULL),
	FIELD("description", TEXT, REQUIRED, NULL),
	PARTS("forbidden_tool", MODEL, NULLABLE, NULL, &tool_ref),
	PARTS("forbidden_arg_predicate", MODEL, NULLABLE, NULL, &args_predicate),
	END,
};
static const as_model minefield = {"minefield", false, minefield_fields, NULL};

static const as_field ordering_fields[] = {
	FIELD("before_id", TEXT, REQUIRED, NULL),
	FIELD("after_id", TEXT, REQUIRED, NULL),
	END,
};
static const as_model ordering = {"constraint", false, ordering_fields, NULL};

static const as_field task_fields[] = {
	FIELD("task_id", UUID, 0, NULL),
	FIELD("schema_version", TEXT, 0, "\"0.2.0\""),
	FIELD("distiller_version", TEXT, 0, "\"0.1.0\""),
	FIELD("source_trace_id", UUID, REQUIRED, NULL),
	FIELD("prompt", TEXT, REQUIRED, NULL),
	WORDS("dynamism", REQUIRED, NULL, dynamisms),
	FIELD("servers_used", TEXTS, REQUIRED, NULL),
	PARTS("complexity", MODEL, REQUIRED, NULL, &complexity),
	PARTS("checkpoints", UNION, REQUIRED, NULL, checkpoints),
	PARTS("minefields", MODELS, 0, "[]", &minefield),
	PARTS("ordering", MODELS, 0, "[]", &ordering),
	FIELD("notes", TEXT, NULLABLE, NULL),
	FIELD("provenance", OBJECT, 0, "{}"),
	FIELD("created_at", TIME, 0, NULL),
	END,
};
const as_model as_model_task = {"task", false, task_fields, NULL};

/* EvaluationResult, 1.3. */

static const as_field check_result_fields[] = {
	FIELD("checkpoint_id", TEXT, REQUIRED, NULL),
	WORDS("kind", REQUIRED, NULL, checkpoint_kinds),
	FIELD("passed", BOOL, REQUIRED, NULL),
	FIELD("reason", TEXT, REQUIRED, NULL),
	FIELD("matched_step_id", INT, NULLABLE, NULL),
	FIELD("tier", INT, 0, "1"),
	END,
};
static const as_model check_result = {"checkpoint result", false, check_result_fields, NULL};

static const as_field mine_result_fields[] = {
	FIELD("minefield_id", TEXT, REQUIRED, NULL),
	FIELD("hit", BOOL, REQUIRED, NULL),
	FIELD("reason", TEXT, REQUIRED, NULL),
	FIELD("tripped_step_id", INT, NULLABLE, NULL),
	END,
};
static const as_model mine_result = {"minefield result", false, mine_result_fields, NULL};

static const as_field result_fields[] = {
	FIELD("schema_version", TEXT, 0, "\"0.1.0\""),
	FIELD("evaluator_version", TEXT, 0, "\"0.1.0\""),
	FIELD("task_id", UUID, REQUIRED, NULL),
	FIELD("candidate_trace_id", UUID, REQUIRED, NULL),
	FIELD("candidate_model", TEXT, NULLABLE, NULL),
	FIELD("evaluation_mode", TEXT, NULLABLE, NULL),
	FIELD("repeat_index", INT, 0, "0"),
	FIELD("had_sae", BOOL, 0, "false"),
	FIELD("passed", BOOL, REQUIRED, NULL),
	PARTS("checkpoint_results", MODELS, REQUIRED, NULL, &check_result),
	PARTS("minefield_results", MODELS, REQUIRED, NULL, &mine_result),
	FIELD("ordering_ok", BOOL, REQUIRED, NULL),
	FIELD("ordering_failures", TEXTS, 0, "[]"),
	FIELD("summary", OBJECT, 0, "{}"),
	FIELD("evaluated_at", TIME, 0, NULL),
	END,
};
const as_model as_model_result = {"evaluation result", false, result_fields, NULL};

/* Goals, 1.4, and server manifest, 1.5: their further rules are in model_files.c. */

int as_check_goals(const assay_json *made, assay_error *err);
int as_check_manifest(const assay_json *made, assay_error *err);

static const as_field goal_fields[] = {
	FIELD("goal_id", TEXT, REQUIRED, NULL),
	FIELD("goal", TEXT, REQUIRED, NULL),
	FIELD("servers", TEXTS, REQUIRED | AS_FIELD_NOT_EMPTY, NULL),
	FIELD("persona", TEXT, NULLABLE, NULL),
	FIELD("tags", TEXTS, 0, "[]"),
	FIELD("budget", INT, NULLABLE, NULL),
	END,
};
static const as_model goal = {"goal", false, goal_fields, NULL};

static const as_field goals_fields[] = {
	FIELD("goals_version", TEXT, 0, "\"0.1.0\""),
	PARTS("entries", MODELS, REQUIRED, NULL, &goal),
	END,
};
const as_model as_model_goals = {"file of goals", false, goals_fields, as_check_goals};

static const as_field server_fields[] = {
	FIELD("server_id", TEXT, REQUIRED, NULL),
	WORDS("transport", REQUIRED, NULL, transports),
	WORDS("dynamism", REQUIRED, NULL, dynamisms),
	FIELD("sandbox", BOOL, 0, "false"),
	FIELD("description", TEXT, NULLABLE, NULL),
	FIELD("tags", TEXTS, 0, "[]"),
	FIELD("command", TEXT, NULLABLE, NULL),
	FIELD("args", TEXTS, 0, "[]"),
	FIELD("env", TEXT_MAP, NULLABLE, NULL),
	FIELD("endpoint", TEXT, NULLABLE, NULL),
	FIELD("headers", TEXT_MAP, NULLABLE, NULL),
	FIELD("package", OBJECT, NULLABLE, NULL),
	FIELD("tool_count", INT, NULLABLE, NULL),
	FIELD("requires_env", TEXTS, 0, "[]"),
	END,
};
static const as_model server = {"server entry", false, server_fields, NULL};

static const as_field manifest_fields[] = {
	FIELD("manifest_version", TEXT, 0, "\"0.1.0\""),
	PARTS("servers", MODELS, REQUIRED, NULL, &server),
	END,
};
const as_model as_model_manifest = {"server manifest", false, manifest_fields, as_check_manifest};

/* Catalogue, 1.6. */

static const char *const package_kinds[] = {"npm", "pypi", NULL};
static const char *const tool_states[] = {"ok", "skipped", "error", "timeout", NULL};

static const as_field package_fields[] = {
	WORDS("kind", REQUIRED, NULL, package_kinds),
	FIELD("identifier", TEXT, REQUIRED, NULL),
	FIELD("version", TEXT, NULLABLE, NULL),
	FIELD("entrypoint", TEXT, NULLABLE, NULL),
	END,
};
static const as_model package = {"package", true, package_fields, NULL};

static const as_field tool_state_fields[] = {
	FIELD("name", TEXT, REQUIRED, NULL),
	WORDS("status", REQUIRED, NULL, tool_states),
	END,
};
static const as_model tool_state = {"tool", true, tool_state_fields, NULL};

static const as_field dependency_fields[] = {
	FIELD("producer", TEXT, REQUIRED, NULL),
	FIELD("consumer", TEXT, REQUIRED, NULL),
	FIELD("field", TEXT, NULLABLE, NULL),
	FIELD("via_key", TEXT, NULLABLE, NULL),
	END,
};
static const as_model dependency = {"dependency", true, dependency_fields, NULL};

static const as_field catalogue_fields[] = {
	PARTS("package", MODEL, NULLABLE, NULL, &package),
	FIELD("tool_count", INT, 0, "0"),
	FIELD("pass_rate", REAL, NULLABLE, NULL),
	PARTS("tools", MODELS, 0, "[]", &tool_state),
	PARTS("dependencies", MODELS, 0, "[]", &dependency),
	FIELD("domain", TEXT, NULLABLE, NULL),
	END,
};
const as_model as_model_catalogue_entry = {"catalogue entry", true, catalogue_fields, NULL};
