/* The plain inputs, one document for each role. What they mean: sdk/assay/roles. */
#include "core/contract/inputs.h"

#include <string.h>

#define TEXT_PARAMETER "{\"type\":\"string\"}"
#define READ_FILE                                                                                                      \
	"{\"server\":\"files\",\"name\":\"read_file\",\"description\":\"Read a text file\",\"input_schema\":"          \
	"{\"type\":\"object\",\"properties\":{\"path\":" TEXT_PARAMETER "},\"required\":[\"path\"]},"                  \
	"\"tags\":[\"domain:files\"],\"flags\":0}"
#define WRITE_FILE                                                                                                     \
	"{\"server\":\"files\",\"name\":\"write_file\",\"description\":\"Write a text file\",\"input_schema\":"        \
	"{\"type\":\"object\",\"properties\":{\"path\":" TEXT_PARAMETER ",\"text\":" TEXT_PARAMETER "},"               \
	"\"required\":[\"path\",\"text\"]},\"tags\":[\"domain:files\"],\"flags\":1}"
#define CREATE_EVENT                                                                                                   \
	"{\"server\":\"calendar\",\"name\":\"create_event\",\"description\":\"Enter an event\",\"input_schema\":"      \
	"{\"type\":\"object\",\"properties\":{\"title\":" TEXT_PARAMETER ",\"day\":{\"type\":\"string\","              \
	"\"format\":\"date\"}},\"required\":[\"title\",\"day\"]},\"tags\":[\"domain:calendar\"],\"flags\":1}"
#define LIST_EVENTS                                                                                                    \
	"{\"server\":\"calendar\",\"name\":\"list_events\",\"description\":\"List the events of a day\","              \
	"\"input_schema\":{\"type\":\"object\",\"properties\":{\"day\":{\"type\":\"string\",\"format\":\"date\"}}},"   \
	"\"tags\":[\"domain:calendar\"],\"flags\":0}"
#define SEARCH                                                                                                         \
	"{\"server\":\"wiki\",\"name\":\"search\",\"description\":\"Find pages \\u00fc\\u4e2d\",\"input_schema\":"     \
	"{\"type\":\"object\",\"properties\":{\"query\":" TEXT_PARAMETER "}},\"tags\":[],\"flags\":0}"
#define BARE "{\"server\":\"wiki\",\"name\":\"random_page\",\"description\":\"\"}"
#define ALL_TOOLS "[" READ_FILE "," WRITE_FILE "," CREATE_EVENT "," LIST_EVENTS "," SEARCH "," BARE "]"
#define RESULT(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"isError\":false}"

#define OFFERED                                                                                                        \
	"[{\"name\":\"search\",\"description\":\"Find pages\",\"parameters\":{\"type\":\"object\",\"properties\":"     \
	"{\"query\":" TEXT_PARAMETER "}}},{\"name\":\"read_file\",\"description\":\"Read a text file\","               \
	"\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":" TEXT_PARAMETER "},\"required\":[\"path\"]}}]"

#define TRACE                                                                                                          \
	"{\"trace_id\":\"00000000-0000-4000-8000-000000000001\",\"schema_version\":\"0.1.0\",\"goal\":"                \
	"\"Note the opening hours\",\"servers\":[{\"server_id\":\"files\"},{\"server_id\":\"wiki\"}],"                 \
	"\"steps\":[{\"step_id\":0,\"kind\":\"list_tools\",\"server_id\":\"files\",\"status\":\"success\"},"           \
	"{\"step_id\":1,\"kind\":\"call_tool_agent\",\"server_id\":\"wiki\",\"tool_name\":\"search\",\"arguments\":"   \
	"{\"query\":\"opening hours\"},\"result\":" RESULT(                                                            \
		"open from 9 to 17") ",\"status\":\"success\",\"assay\":{\"text\":\"open from 9 to 17\"}},"            \
				     "{\"step_id\":2,\"kind\":\"call_tool_agent\",\"server_id\":\"files\","            \
				     "\"tool_name\":\"write_file\",\"arguments\":{\"path\":\"hours.txt\","             \
				     "\"text\":\"open from 9 to 17\"},\"result\":" RESULT(                             \
					     "written") ",\"status\":\"success\",\"assay\":{\"text\":\"written\"}}],"  \
							"\"seed_metadata\":{\"exploration\":{\"outcome\":"             \
							"\"completed\",\"final_message\":\"It opens from 9 to "        \
							"17.\",\"messages\":[]}}}"

static const struct document {
	const char *name, *text;
} documents[] = {
	{"sampler", "{\"n\":3,\"required\":[" READ_FILE "," CREATE_EVENT "],\"candidates\":[" WRITE_FILE "," LIST_EVENTS
		    "," SEARCH "," BARE "],\"catalogue\":" ALL_TOOLS "}"},
	{"goalgen", "{\"index\":0,\"category\":\"demo\",\"framing\":\"\",\"complexity\":\"medium\",\"seeds\":[" SEARCH
		    "," WRITE_FILE "],\"surface\":[" READ_FILE "," WRITE_FILE "," SEARCH "," BARE "],\"servers\":"
		    "{\"files\":{\"class\":\"stateful_write\",\"description\":\"Text files\",\"resources\":[{\"kind\":"
		    "\"path\",\"value\":\"hours.txt\"}]},\"wiki\":{\"class\":\"live_read\",\"description\":\"Pages\","
		    "\"resources\":[{\"kind\":\"query\",\"value\":\"opening hours\"}]}},\"answer\":" RESULT(
			    "open from 9 to 17") "}"},
	{"explorer",
	 "{\"turns\":4,\"prompt\":\"Find out the opening hours\",\"persona\":\"\",\"tools\":" OFFERED
	 ",\"answer\":\"open from 9 to 17\",\"ask\":{\"message\":{\"role\":\"assistant\",\"content\":\"\","
	 "\"tool_calls\":[{\"id\":\"call_1\",\"name\":\"search\",\"arguments\":\"{\\\"query\\\":\\\"opening "
	 "hours\\\"}\"}]},\"finish_reason\":\"tool_calls\",\"model\":\"check\",\"usage\":null},"
	 "\"end\":{\"message\":{\"role\":\"assistant\",\"content\":\"It opens from 9 to 17.\"},"
	 "\"finish_reason\":\"stop\",\"model\":\"check\",\"usage\":{\"prompt_tokens\":9,"
	 "\"completion_tokens\":7}}}"},
	{"distiller", "{\"goal\":{\"goal_id\":\"g1\",\"goal\":\"Note the opening hours\",\"servers\":[\"files\","
		      "\"wiki\"],\"tags\":[],\"persona\":null},\"trace\":" TRACE ",\"surface\":" ALL_TOOLS
		      ",\"catalogue\":" ALL_TOOLS "}"},
	{"scorer",
	 "{\"task\":{\"task_id\":\"00000000-0000-4000-8000-000000000002\",\"schema_version\":\"0.2.0\","
	 "\"prompt\":\"Note the opening hours\",\"dynamism\":\"stateful_write\",\"servers_used\":[\"files\",\"wiki\"],"
	 "\"complexity\":{\"trace_depth\":2,\"distinct_servers\":2,\"cross_server\":true,\"runtime_branching\":false,"
	 "\"state_coupling\":true,\"recovery_required\":false},\"checkpoints\":[{\"kind\":\"tool_effect\","
	 "\"checkpoint_id\":\"c1\",\"description\":\"the hours are noted\","
	 "\"equivalence_set\":[{\"server_id\":\"files\",\"tool_name\":\"write_file\"}],"
	 "\"arg_predicate\":{\"must_include\":{\"path\":\"hours.txt\"},"
	 "\"must_match\":{\"text\":{\"contains\":\"9\"}}},\"must_succeed\":true},{\"kind\":\"tool_effect\","
	 "\"checkpoint_id\":\"c2\",\"description\":\"the hours are looked up\","
	 "\"equivalence_set\":[{\"server_id\":\"wiki\",\"tool_name\":\"search\"}],\"arg_predicate\":null,"
	 "\"must_succeed\":true},{\"kind\":\"value_produced\",\"checkpoint_id\":\"c3\","
	 "\"description\":\"the hours are told\",\"predicate\":{\"contains_any\":[\"9 to 17\"]},"
	 "\"scope\":\"final_assistant_message\"}],\"minefields\":[{\"minefield_id\":\"m1\","
	 "\"description\":\"no event is made\",\"forbidden_tool\":{\"server_id\":\"calendar\","
	 "\"tool_name\":\"create_event\"},\"forbidden_arg_predicate\":null}],\"ordering\":[{\"before_id\":\"c2\","
	 "\"after_id\":\"c1\"}],\"notes\":null,\"provenance\":{}},\"trace\":" TRACE
	 ",\"steps\":[{\"id\":1,\"server\":\"wiki\",\"tool\":\"search\",\"arguments\":{\"query\":\"opening hours\"},"
	 "\"result\":" RESULT(
		 "open from 9 to 17") ",\"text\":\"open from 9 to 17\",\"status\":0,\"served\":1},"
				      "{\"id\":2,\"server\":\"files\",\"tool\":\"write_file\",\"arguments\":{\"path\":"
				      "\"hours.txt\",\"text\":\"open from 9 to 17\"},\"result\":" RESULT(
					      "written") ",\"text\":\"written\",\"status\":0,\"served\":5}],"
							 "\"refused\":[{\"id\":3,\"server\":\"\",\"tool\":\"fly\","
							 "\"text\":\"no such tool\",\"status\":1,\"served\":6}],"
							 "\"final_message\":\"It opens from 9 to 17.\","
							 "\"server_tags\":{\"files\":[\"domain:files\"]}}"},
	{"llm", "{\"request\":{\"messages\":[{\"role\":\"system\",\"content\":\"You are an agent. You have at most 4 "
		"turns.\"},{\"role\":\"user\",\"content\":\"Find out the opening hours\"}],\"tools\":" OFFERED
		",\"tool_choice\":\"auto\",\"temperature\":0.2,\"max_tokens\":256,\"seed\":7}}"},
	{"transport", "{\"message\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":\\\"ping\\\"}\"}"},
	{"exposure", "{\"seed\":7,\"prompt\":\"Note the opening hours\",\"required\":[" WRITE_FILE "," SEARCH
		     "],\"surface\":[" READ_FILE "," WRITE_FILE "," SEARCH "," BARE "],\"catalogue\":" ALL_TOOLS
		     ",\"name\":\"search\",\"arguments\":{\"query\":\"opening hours\"}}"},
	{"embedder", "{\"texts\":[\"Read a text file\",\"Enter an event\",\"\\u00fc\\u4e2d\",\"\"]}"},
	{"environment", "{\"name\":\"before\"}"},
	{"reporter",
	 "{\"name\":\"demo\",\"version\":\"0.1.0\",\"seed\":7,\"bench_id\":\"b\",\"profile\":\"assay\",\"captions\":"
	 "[\"A caption\"],\"servers\":[{\"server_id\":\"files\",\"class\":\"stateful_write\",\"name\":\"files\","
	 "\"version\":\"1\",\"protocol\":\"2025-06-18\",\"tools\":2,\"tool_surface_hash\":\"00\"}],\"plugins\":"
	 "[{\"use\":\"scorer/effects\",\"version\":\"0.1.0\"}],\"funnel\":[{\"category\":\"random\",\"wanted\":2,"
	 "\"slots\":3,\"goals\":3,\"traces\":3,\"successful\":3,\"distilled\":2,\"valid\":2,\"certified\":2,"
	 "\"pending\":0,\"reasons\":{\"distilled\":{\"too short\":1}}}],\"gates\":[{\"gate\":\"replays\",\"required\":true,\"passed\":2,\"failed\":0}],"
	 "\"leaderboard\":[{\"condition\":\"main\",\"candidate\":\"careful | one\",\"listed\":true,\"k\":3,\"tasks\":2,"
	 "\"attempts\":6,\"void\":0,\"unknown\":0,\"pass_rate\":{\"lo\":0.5,\"hi\":0.75,\"interval_lo\":[0.2,0.8],"
	 "\"interval_hi\":[0.3,0.9]},\"pass_hat_k\":{\"lo\":0.5,\"hi\":0.5,\"interval_lo\":[0.0,1.0],\"interval_hi\":"
	 "[0.0,1.0]},\"pass_at_k\":{\"lo\":1.0,\"hi\":1.0,\"interval_lo\":[0.5,1.0],\"interval_hi\":[0.5,1.0]},"
	 "\"served\":{\"exact\":1.0},\"ends\":{\"finished\":6},\"mean_calls\":2.5,\"mean_turns\":3.5,"
	 "\"tool_hallucinations\":0,\"minefields_hit\":0}],\"categories\":[{\"condition\":\"main\",\"candidate\":"
	 "\"careful | one\",\"category\":\"random\",\"tasks\":2,\"attempts\":6,\"pass_rate\":{\"lo\":0.5,\"hi\":0.5,"
	 "\"interval_lo\":[0.2,0.8],\"interval_hi\":[0.2,0.8]}}],\"tasks\":[{\"task_id\":\"t1\",\"category\":"
	 "\"random\",\"index\":0,\"prompt\":\"Note the opening hours\",\"servers\":[\"files\"],\"checkpoints\":2,"
	 "\"minefields\":0,\"trace_depth\":2,\"passes\":[{\"condition\":\"main\",\"candidate\":\"careful | one\","
	 "\"passed\":1,\"attempts\":3}]}]}"},
};

#define TEXT_OR_NULL "{\"type\":[\"string\",\"null\"]}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define UNIT "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}"

static const struct document outputs[] = {
	{"goalgen",
	 "{\"type\":\"object\",\"anyOf\":[{\"required\":[\"rejected\"],\"properties\":{\"rejected\":{\"type\":"
	 "\"string\",\"minLength\":1}}},{\"required\":[\"goal\",\"servers\"],\"properties\":{\"goal\":{\"type\":"
	 "\"string\",\"minLength\":1},\"servers\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	 "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"persona\":" TEXT_OR_NULL "}}]}"},
	{"explorer",
	 "{\"type\":\"object\",\"required\":[\"outcome\",\"end\",\"final_message\",\"tool_call_count\","
	 "\"successful_tool_calls\",\"turns\",\"messages\"],\"properties\":{\"outcome\":{\"enum\":[\"completed\","
	 "\"no_tools_called\",\"budget_exhausted\",\"llm_error\"]},\"end\":{\"enum\":[\"finished\",\"gave_up\","
	 "\"turn_limit\",\"malformed_call\",null]},\"final_message\":" TEXT_OR_NULL ",\"tool_call_count\":" COUNT
	 ",\"successful_tool_calls\":" COUNT ",\"turns\":" COUNT ",\"messages\":{\"type\":\"array\"}}}"},
	{"distiller",
	 "{\"type\":\"object\",\"anyOf\":[{\"required\":[\"rejected\"],\"properties\":{\"rejected\":{\"type\":"
	 "\"string\",\"minLength\":1}}},{\"required\":[\"prompt\",\"checkpoints\"],\"properties\":{\"prompt\":"
	 "{\"type\":\"string\",\"minLength\":1},\"checkpoints\":{\"type\":\"array\",\"items\":{\"type\":"
	 "\"object\"}},\"minefields\":{\"type\":\"array\"},\"ordering\":{\"type\":\"array\"}}}]}"},
	{"scorer",
	 "{\"type\":\"object\",\"required\":[\"verdict\",\"lo\",\"hi\"],\"properties\":{\"verdict\":{\"enum\":"
	 "[\"pass\",\"fail\",\"unknown\"]},\"lo\":" UNIT ",\"hi\":" UNIT ",\"checks\":{\"type\":\"array\","
	 "\"items\":{\"type\":\"object\",\"required\":[\"id\",\"passed\"],\"properties\":{\"passed\":"
	 "{\"type\":\"boolean\"}}}},\"minefields\":{\"type\":\"array\"},\"ordering\":{\"type\":[\"object\","
	 "\"null\"]},\"metrics\":{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":"
	 "[\"number\",\"null\"]}},\"summary\":{\"type\":[\"object\",\"null\"]}}}"},
	{"llm",
	 "{\"type\":\"object\",\"required\":[\"message\",\"finish_reason\"],\"properties\":{\"message\":{\"type\":"
	 "\"object\",\"required\":[\"role\"],\"properties\":{\"role\":{\"const\":\"assistant\"},\"content\":" TEXT_OR_NULL
	 ",\"tool_calls\":{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"object\",\"required\":"
	 "[\"id\",\"name\",\"arguments\"],\"properties\":{\"id\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
	 "\"arguments\":{\"type\":\"string\"}}}}}},\"finish_reason\":{\"enum\":[\"stop\",\"tool_calls\",\"length\","
	 "\"content_filter\"]}}}"},
	{"environment", "{\"type\":\"object\"}"},
	{"sampler", "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"server\",\"tool\"]}}"},
};

static const char *find(const struct document *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].name, name) == 0) {
			return list[i].text;
		}
	}
	return NULL;
}

const char *as_input_text(const char *name)
{
	return find(documents, sizeof documents / sizeof *documents, name);
}

const char *as_output_schema(const char *role)
{
	return find(outputs, sizeof outputs / sizeof *outputs, role);
}
