/* The layout of every struct that crosses the plugin boundary, on LP64. Numbers here may only ever be added: a member
 * that moves, or a struct that shrinks, breaks every plugin built before. */
#include "tests/unit/unit.h"

#include <assay/catalogue.h>
#include <assay/host.h>
#include <assay/json.h>
#include <assay/plugin.h>
#include <assay/roles/distiller.h>
#include <assay/roles/embedder.h>
#include <assay/roles/environment.h>
#include <assay/roles/explorer.h>
#include <assay/roles/exposure.h>
#include <assay/roles/goalgen.h>
#include <assay/roles/llm.h>
#include <assay/roles/reporter.h>
#include <assay/roles/sampler.h>
#include <assay/roles/scorer.h>
#include <assay/roles/transport.h>
#include <assay/types.h>
#include <stddef.h>

typedef struct layout {
	const char *what;
	size_t found, expected;
} layout;

/* clang-format off */
#define SIZE(type, expected) {"sizeof " #type, sizeof(type), expected}
#define AT(type, member, expected) {#type "." #member, offsetof(type, member), expected}

static const layout layouts[] = {
	SIZE(assay_str, 16),
	AT(assay_str, ptr, 0), AT(assay_str, len, 8),
	SIZE(assay_text, 16),
	AT(assay_text, ptr, 0), AT(assay_text, len, 8),
	SIZE(assay_error, 1240),
	AT(assay_error, code, 0), AT(assay_error, flags, 4), AT(assay_error, line, 8), AT(assay_error, reason, 12),
	AT(assay_error, detail, 16), AT(assay_error, where, 24), AT(assay_error, pointer, 280),
	AT(assay_error, message, 472), AT(assay_error, hint, 984),
	SIZE(assay_call, 16),
	AT(assay_call, size, 0), AT(assay_call, reserved, 4), AT(assay_call, host, 8),
	SIZE(assay_sink, 24),
	AT(assay_sink, size, 0), AT(assay_sink, reserved, 4), AT(assay_sink, emit, 8), AT(assay_sink, write, 16),
	SIZE(assay_json_api, 272),
	AT(assay_json_api, size, 0), AT(assay_json_api, reserved, 4), AT(assay_json_api, parse, 8),
	AT(assay_json_api, dump, 16), AT(assay_json_api, text_free, 24), AT(assay_json_api, type, 32),
	AT(assay_json_api, get, 40), AT(assay_json_api, get_n, 48), AT(assay_json_api, at, 56),
	AT(assay_json_api, pointer, 64), AT(assay_json_api, first, 72), AT(assay_json_api, next, 80),
	AT(assay_json_api, key, 88), AT(assay_json_api, count, 96), AT(assay_json_api, str, 104),
	AT(assay_json_api, spelling, 112), AT(assay_json_api, i64, 120), AT(assay_json_api, f64, 128),
	AT(assay_json_api, boolean, 136), AT(assay_json_api, equal, 144), AT(assay_json_api, object, 152),
	AT(assay_json_api, array, 160), AT(assay_json_api, string, 168), AT(assay_json_api, integer, 176),
	AT(assay_json_api, real, 184), AT(assay_json_api, truth, 192), AT(assay_json_api, null, 200),
	AT(assay_json_api, clone, 208), AT(assay_json_api, set, 216), AT(assay_json_api, set_n, 224),
	AT(assay_json_api, append, 232), AT(assay_json_api, detach, 240), AT(assay_json_api, free, 248),
	AT(assay_json_api, record, 256), AT(assay_json_api, freeze, 264),
	SIZE(assay_member, 64),
	AT(assay_member, key, 0), AT(assay_member, kind, 8), AT(assay_member, text, 16), AT(assay_member, integer, 32),
	AT(assay_member, real, 40), AT(assay_member, value, 48), AT(assay_member, copied, 56),
	SIZE(assay_tool, 96),
	AT(assay_tool, size, 0), AT(assay_tool, flags, 4), AT(assay_tool, server, 8), AT(assay_tool, name, 24),
	AT(assay_tool, description, 40), AT(assay_tool, input_schema, 56), AT(assay_tool, output_schema, 64),
	AT(assay_tool, annotations, 72), AT(assay_tool, tags, 80), AT(assay_tool, n_tags, 88),
	SIZE(assay_tools, 16),
	AT(assay_tools, list, 0), AT(assay_tools, count, 8),
	SIZE(assay_text_api, 80),
	AT(assay_text_api, size, 0), AT(assay_text_api, reserved, 4), AT(assay_text_api, jaccard, 8),
	AT(assay_text_api, ratio, 16), AT(assay_text_api, lower, 24), AT(assay_text_api, regex_search, 32),
	AT(assay_text_api, sha256_hex, 40), AT(assay_text_api, bm25_new, 48), AT(assay_text_api, bm25_add, 56),
	AT(assay_text_api, bm25_scores, 64), AT(assay_text_api, bm25_free, 72),
	SIZE(assay_rng_api, 24),
	AT(assay_rng_api, size, 0), AT(assay_rng_api, reserved, 4), AT(assay_rng_api, below, 8),
	AT(assay_rng_api, shuffle, 16),
	SIZE(assay_agent_api, 24),
	AT(assay_agent_api, size, 0), AT(assay_agent_api, reserved, 4), AT(assay_agent_api, offers, 8),
	AT(assay_agent_api, act, 16),
	SIZE(assay_world_api, 24),
	AT(assay_world_api, size, 0), AT(assay_world_api, reserved, 4), AT(assay_world_api, call, 8),
	AT(assay_world_api, reset, 16),
	SIZE(assay_llm_api, 16),
	AT(assay_llm_api, size, 0), AT(assay_llm_api, reserved, 4), AT(assay_llm_api, chat, 8),
	SIZE(assay_check_api, 56),
	AT(assay_check_api, size, 0), AT(assay_check_api, reserved, 4), AT(assay_check_api, args, 8),
	AT(assay_check_api, value, 16), AT(assay_check_api, score, 24),
	AT(assay_check_api, args_of, 32), AT(assay_check_api, value_of, 40),
	AT(assay_check_api, body, 48),
	SIZE(assay_sampler_api, 24),
	AT(assay_sampler_api, size, 0), AT(assay_sampler_api, reserved, 4), AT(assay_sampler_api, draw, 8), AT(assay_sampler_api, rate, 16),
	SIZE(assay_process_spec, 32),
	AT(assay_process_spec, size, 0), AT(assay_process_spec, reserved, 4), AT(assay_process_spec, argv, 8),
	AT(assay_process_spec, env, 16), AT(assay_process_spec, cwd, 24),
	SIZE(assay_process_api, 56),
	AT(assay_process_api, size, 0), AT(assay_process_api, reserved, 4), AT(assay_process_api, spawn, 8),
	AT(assay_process_api, write, 16), AT(assay_process_api, read, 24), AT(assay_process_api, stderr_tail, 32),
	AT(assay_process_api, stop, 40), AT(assay_process_api, ended, 48),
	SIZE(assay_file_api, 48),
	AT(assay_file_api, size, 0), AT(assay_file_api, reserved, 4), AT(assay_file_api, read, 8),
	AT(assay_file_api, write, 16), AT(assay_file_api, copy_tree, 24), AT(assay_file_api, remove_tree, 32),
	AT(assay_file_api, make_dirs, 40),
	SIZE(assay_http_request, 64),
	AT(assay_http_request, size, 0), AT(assay_http_request, reserved, 4), AT(assay_http_request, method, 8),
	AT(assay_http_request, url, 16), AT(assay_http_request, headers, 24), AT(assay_http_request, body, 32),
	AT(assay_http_request, timeout_ms, 48), AT(assay_http_request, max_body, 56),
	SIZE(assay_http_reply, 16),
	AT(assay_http_reply, size, 0), AT(assay_http_reply, status, 4), AT(assay_http_reply, headers, 8),
	SIZE(assay_http_progress, 32),
	AT(assay_http_progress, size, 0), AT(assay_http_progress, status, 4), AT(assay_http_progress, headers, 8),
	AT(assay_http_progress, ended, 16), AT(assay_http_progress, reserved, 20),
	AT(assay_http_progress, address, 24),
	SIZE(assay_http_api, 64),
	AT(assay_http_api, size, 0), AT(assay_http_api, reserved, 4), AT(assay_http_api, request, 8),
	AT(assay_http_api, group_new, 16), AT(assay_http_api, group_free, 24), AT(assay_http_api, begin, 32),
	AT(assay_http_api, wait, 40), AT(assay_http_api, take, 48), AT(assay_http_api, end, 56),
	SIZE(assay_host, 168),
	AT(assay_host, size, 0), AT(assay_host, abi_major, 4), AT(assay_host, abi_minor, 6),
	AT(assay_host, version, 8), AT(assay_host, alloc, 16), AT(assay_host, resize, 24), AT(assay_host, free, 32),
	AT(assay_host, fail, 40), AT(assay_host, log, 48), AT(assay_host, remaining_ms, 56),
	AT(assay_host, cancelled, 64), AT(assay_host, service, 72), AT(assay_host, json, 80), AT(assay_host, text, 88),
	AT(assay_host, rng, 96), AT(assay_host, agent, 104), AT(assay_host, world, 112), AT(assay_host, llm, 120),
	AT(assay_host, check, 128), AT(assay_host, sampler, 136), AT(assay_host, process, 144),
	AT(assay_host, file, 152), AT(assay_host, http, 160),
	SIZE(assay_impl, 48),
	AT(assay_impl, size, 0), AT(assay_impl, role, 4), AT(assay_impl, role_version, 8), AT(assay_impl, flags, 12),
	AT(assay_impl, name, 16), AT(assay_impl, summary, 24), AT(assay_impl, options, 32), AT(assay_impl, ops, 40),
	SIZE(assay_plugin, 56),
	AT(assay_plugin, magic, 0), AT(assay_plugin, size, 4), AT(assay_plugin, abi_major, 8),
	AT(assay_plugin, abi_minor, 10), AT(assay_plugin, reserved, 12), AT(assay_plugin, name, 16),
	AT(assay_plugin, version, 24), AT(assay_plugin, summary, 32), AT(assay_plugin, license, 40),
	AT(assay_plugin, impls, 48),
	SIZE(assay_distil_request, 56),
	AT(assay_distil_request, size, 0), AT(assay_distil_request, reserved, 4), AT(assay_distil_request, goal, 8),
	AT(assay_distil_request, trace, 16), AT(assay_distil_request, surface, 24),
	AT(assay_distil_request, catalogue, 40),
	SIZE(assay_distiller_ops, 32),
	AT(assay_distiller_ops, size, 0), AT(assay_distiller_ops, reserved, 4), AT(assay_distiller_ops, open, 8),
	AT(assay_distiller_ops, close, 16), AT(assay_distiller_ops, distil, 24),
	SIZE(assay_environment_ops, 64),
	AT(assay_environment_ops, size, 0), AT(assay_environment_ops, reserved, 4), AT(assay_environment_ops, open, 8),
	AT(assay_environment_ops, close, 16), AT(assay_environment_ops, prepare, 24),
	AT(assay_environment_ops, cleanup, 32), AT(assay_environment_ops, digest, 40),
	AT(assay_environment_ops, snapshot, 48), AT(assay_environment_ops, restore, 56),
	SIZE(assay_assignment, 48),
	AT(assay_assignment, size, 0), AT(assay_assignment, turns, 4), AT(assay_assignment, prompt, 8),
	AT(assay_assignment, persona, 24), AT(assay_assignment, seed, 40),
	SIZE(assay_explorer_ops, 32),
	AT(assay_explorer_ops, size, 0), AT(assay_explorer_ops, reserved, 4), AT(assay_explorer_ops, open, 8),
	AT(assay_explorer_ops, close, 16), AT(assay_explorer_ops, run, 24),
	SIZE(assay_exposure_request, 72),
	AT(assay_exposure_request, size, 0), AT(assay_exposure_request, seed, 4),
	AT(assay_exposure_request, prompt, 8), AT(assay_exposure_request, required, 24),
	AT(assay_exposure_request, surface, 40), AT(assay_exposure_request, catalogue, 56),
	SIZE(assay_offer_sink, 16),
	AT(assay_offer_sink, size, 0), AT(assay_offer_sink, reserved, 4), AT(assay_offer_sink, add, 8),
	SIZE(assay_route, 64),
	AT(assay_route, size, 0), AT(assay_route, kind, 4), AT(assay_route, server, 8), AT(assay_route, tool, 24),
	AT(assay_route, arguments, 40), AT(assay_route, answer, 48),
	SIZE(assay_exposure_ops, 40),
	AT(assay_exposure_ops, size, 0), AT(assay_exposure_ops, reserved, 4), AT(assay_exposure_ops, open, 8),
	AT(assay_exposure_ops, close, 16), AT(assay_exposure_ops, offer, 24), AT(assay_exposure_ops, route, 32),
	SIZE(assay_goal_request, 136),
	AT(assay_goal_request, size, 0), AT(assay_goal_request, index, 4), AT(assay_goal_request, seeds, 8),
	AT(assay_goal_request, surface, 24), AT(assay_goal_request, category, 40), AT(assay_goal_request, framing, 56),
	AT(assay_goal_request, complexity, 72), AT(assay_goal_request, servers, 88),
	AT(assay_goal_request, challenge, 96), AT(assay_goal_request, expect, 112), AT(assay_goal_request, catalogue, 120),
	SIZE(assay_embedder_ops, 40),
	AT(assay_embedder_ops, size, 0), AT(assay_embedder_ops, reserved, 4), AT(assay_embedder_ops, open, 8),
	AT(assay_embedder_ops, close, 16), AT(assay_embedder_ops, embed, 24), AT(assay_embedder_ops, max_batch, 32),
	SIZE(assay_vector_sink, 16),
	AT(assay_vector_sink, size, 0), AT(assay_vector_sink, reserved, 4), AT(assay_vector_sink, add, 8),
	SIZE(assay_embed_api, 24),
	AT(assay_embed_api, size, 0), AT(assay_embed_api, reserved, 4), AT(assay_embed_api, vectors, 8),
	AT(assay_embed_api, cosine, 16),
	SIZE(assay_goalgen_ops, 32),
	AT(assay_goalgen_ops, size, 0), AT(assay_goalgen_ops, reserved, 4), AT(assay_goalgen_ops, open, 8),
	AT(assay_goalgen_ops, close, 16), AT(assay_goalgen_ops, generate, 24),
	SIZE(assay_llm_ops, 48),
	AT(assay_llm_ops, size, 0), AT(assay_llm_ops, reserved, 4), AT(assay_llm_ops, open, 8),
	AT(assay_llm_ops, close, 16), AT(assay_llm_ops, complete, 24),
	AT(assay_llm_ops, dialect, 32), AT(assay_llm_ops, ready, 40),
	SIZE(assay_llm_dialect, 24),
	AT(assay_llm_dialect, size, 0), AT(assay_llm_dialect, schema, 4), AT(assay_llm_dialect, name_marks, 8),
	AT(assay_llm_dialect, name_max, 16), AT(assay_llm_dialect, name_rules, 20),
	SIZE(assay_reporter_ops, 40),
	AT(assay_reporter_ops, size, 0), AT(assay_reporter_ops, reserved, 4), AT(assay_reporter_ops, open, 8),
	AT(assay_reporter_ops, close, 16), AT(assay_reporter_ops, file_name, 24), AT(assay_reporter_ops, render, 32),
	SIZE(assay_sampler_ops, 40),
	AT(assay_sampler_ops, size, 0), AT(assay_sampler_ops, reserved, 4), AT(assay_sampler_ops, open, 8),
	AT(assay_sampler_ops, close, 16), AT(assay_sampler_ops, draw, 24), AT(assay_sampler_ops, seed_sets, 32),
	SIZE(assay_step, 88),
	AT(assay_step, size, 0), AT(assay_step, status, 4), AT(assay_step, id, 8), AT(assay_step, served, 16),
	AT(assay_step, reserved, 20), AT(assay_step, server, 24), AT(assay_step, tool, 40),
	AT(assay_step, arguments, 56), AT(assay_step, result, 64), AT(assay_step, text, 72),
	SIZE(assay_probe, 112),
	AT(assay_probe, size, 0), AT(assay_probe, reserved, 4), AT(assay_probe, checkpoint_id, 8),
	AT(assay_probe, answer, 24),
	SIZE(assay_subject, 96),
	AT(assay_subject, size, 0), AT(assay_subject, reserved, 4), AT(assay_subject, task, 8),
	AT(assay_subject, trace, 16), AT(assay_subject, steps, 24), AT(assay_subject, n_steps, 32),
	AT(assay_subject, refused, 40), AT(assay_subject, n_refused, 48), AT(assay_subject, final_message, 56),
	AT(assay_subject, server_tags, 72), AT(assay_subject, probes, 80), AT(assay_subject, n_probes, 88),
	SIZE(assay_scorer_ops, 32),
	AT(assay_scorer_ops, size, 0), AT(assay_scorer_ops, reserved, 4), AT(assay_scorer_ops, open, 8),
	AT(assay_scorer_ops, close, 16), AT(assay_scorer_ops, score, 24),
	SIZE(assay_message, 40),
	AT(assay_message, size, 0), AT(assay_message, kind, 4), AT(assay_message, text, 8),
	AT(assay_message, revision, 24), AT(assay_message, headers, 32),
	SIZE(assay_transport_ops, 104),
	AT(assay_transport_ops, size, 0), AT(assay_transport_ops, reserved, 4), AT(assay_transport_ops, open, 8),
	AT(assay_transport_ops, close, 16), AT(assay_transport_ops, connect, 24), AT(assay_transport_ops, send, 32),
	AT(assay_transport_ops, receive, 40), AT(assay_transport_ops, diagnostics, 48),
	AT(assay_transport_ops, send_message, 56), AT(assay_transport_ops, refusal, 64),
	AT(assay_transport_ops, abandon, 72), AT(assay_transport_ops, listen, 80),
	AT(assay_transport_ops, fall_back, 88), AT(assay_transport_ops, restart, 96),
};

#define CODE(name, expected) {#name " negated", (size_t)-(name), expected}
#define CONSTANT(name, expected) {#name, name, expected}

/* What else is compiled into plugins. */
static const layout constants[] = {
	CONSTANT(ASSAY_OK, 0), CONSTANT(ASSAY_STOP, 1), CODE(ASSAY_EINVAL, 1), CODE(ASSAY_ENOMEM, 2),
	CODE(ASSAY_ENOENT, 3), CODE(ASSAY_EIO, 4), CODE(ASSAY_EDATA, 5), CODE(ASSAY_EPROTO, 6), CODE(ASSAY_EAUTH, 7),
	CODE(ASSAY_ELIMIT, 8), CODE(ASSAY_ETIMEOUT, 9), CODE(ASSAY_ECANCELED, 10), CODE(ASSAY_EAGAIN, 11),
	CODE(ASSAY_ENOTSUP, 12), CODE(ASSAY_EINTERNAL, 13), CODE(ASSAY_EPLUGIN, 14), CODE(ASSAY_EUNREACH, 15),
	CONSTANT(ASSAY_ERR_RETRYABLE, 1), CONSTANT(ASSAY_ERR_PEER, 2), CONSTANT(ASSAY_ERR_AGENT, 4),
	CONSTANT(ASSAY_ROLE_SAMPLER, 1), CONSTANT(ASSAY_ROLE_GOALGEN, 2), CONSTANT(ASSAY_ROLE_EXPLORER, 3),
	CONSTANT(ASSAY_ROLE_DISTILLER, 4), CONSTANT(ASSAY_ROLE_SCORER, 5), CONSTANT(ASSAY_ROLE_LLM, 6),
	CONSTANT(ASSAY_ROLE_TRANSPORT, 7), CONSTANT(ASSAY_ROLE_EXPOSURE, 8), CONSTANT(ASSAY_ROLE_EMBEDDER, 9),
	CONSTANT(ASSAY_ROLE_ENVIRONMENT, 10), CONSTANT(ASSAY_ROLE_IMPORTER, 11), CONSTANT(ASSAY_ROLE_REPORTER, 12),
	CONSTANT(ASSAY_ROLE_COUNT, 12), CONSTANT(ASSAY_JSON_NONE, 0), CONSTANT(ASSAY_JSON_NULL, 1),
	CONSTANT(ASSAY_JSON_BOOL, 2), CONSTANT(ASSAY_JSON_NUMBER, 3), CONSTANT(ASSAY_JSON_STRING, 4),
	CONSTANT(ASSAY_JSON_ARRAY, 5), CONSTANT(ASSAY_JSON_OBJECT, 6), CONSTANT(ASSAY_JSON_STRICT, 0),
	CONSTANT(ASSAY_JSON_PEER, 1), CONSTANT(ASSAY_JSON_COMPACT, 0), CONSTANT(ASSAY_JSON_PRETTY, 1),
	CONSTANT(ASSAY_JSON_CANONICAL, 2), CONSTANT(ASSAY_JSON_PYTHON, 3), CONSTANT(ASSAY_JSON_PYTHON_RAW, 4),
	CONSTANT(ASSAY_JSON_PYTHON_SORTED, 5), CONSTANT(ASSAY_JSON_PRETTY_ASCII, 6), CONSTANT(ASSAY_TOOL_WRITES, 1), CONSTANT(ASSAY_TOOL_DESTRUCTIVE, 2),
	CONSTANT(ASSAY_ABI_MAJOR, 1), CONSTANT(ASSAY_ABI_MINOR, 2), CONSTANT(ASSAY_LOG_ERROR, 0),
	CONSTANT(ASSAY_LOG_WARN, 1), CONSTANT(ASSAY_LOG_INFO, 2), CONSTANT(ASSAY_LOG_DEBUG, 3),
	CONSTANT(ASSAY_LOG_TRACE, 4), CONSTANT(ASSAY_PLUGIN_MAGIC, 0x59415341), CONSTANT(ASSAY_IMPL_REENTRANT, 1),
	CONSTANT(ASSAY_IMPL_PURE, 2), CONSTANT(ASSAY_IMPL_NEEDS_LIVE, 4), CONSTANT(ASSAY_IMPL_NEEDS_MODEL, 8),
	CONSTANT(ASSAY_ROUTE_WORLD, 0), CONSTANT(ASSAY_ROUTE_ANSWER, 1), CONSTANT(ASSAY_ROUTE_REFUSE, 2),
	CONSTANT(ASSAY_SERVED_LIVE, 0), CONSTANT(ASSAY_SERVED_EXACT, 1), CONSTANT(ASSAY_SERVED_EQUIVALENT, 2),
	CONSTANT(ASSAY_SERVED_NEAR, 3), CONSTANT(ASSAY_SERVED_SIMULATED, 4), CONSTANT(ASSAY_SERVED_MISS, 5),
	CONSTANT(ASSAY_SERVED_REFUSED, 6), CONSTANT(ASSAY_STEP_SUCCESS, 0), CONSTANT(ASSAY_STEP_ERROR, 1),
	CONSTANT(ASSAY_STEP_TIMEOUT, 2),
};
/* clang-format on */

static void check_all(const layout *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(list[i].found == list[i].expected, "%s is %zu, was %zu", list[i].what, list[i].found,
			      list[i].expected);
	}
}

START_TEST(test_layouts)
{
	if (sizeof(void *) == 8 && sizeof(long) == 8) {
		check_all(layouts, sizeof layouts / sizeof *layouts);
	}
}
END_TEST

START_TEST(test_constants)
{
	check_all(constants, sizeof constants / sizeof *constants);
}
END_TEST

/* ASSAY_HAS tells a table that ends before a member from one that has it. */
START_TEST(test_has)
{
	assay_host host = {.size = offsetof(assay_host, http)};
	ck_assert(ASSAY_HAS(&host, file));
	ck_assert(!ASSAY_HAS(&host, http));
	host.size = sizeof host;
	ck_assert(ASSAY_HAS(&host, http));
	const assay_host *absent = NULL;
	ck_assert(!ASSAY_HAS(absent, size));
}
END_TEST

UNIT_SUITE(abi_suite, "abi", test_layouts, test_constants, test_has)
UNIT_MAIN(abi_suite)
