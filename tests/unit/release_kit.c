#include "tests/unit/release_kit.h"

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/mcp/session.h"
#include "core/release/format.h"
#include "core/run/attempt.h"
#include "core/run/gates.h"
#include "core/run/score.h"
#include "core/task/task.h"
#include "core/world/taping.h"
#include <stdio.h>

static const char manifest_text[] =
	"{'assay':1,'name':'toy','version':'1.0.0','caption':'A toy.','seed':3,"
	"'mcpServers':{'files':{'command':'toy-files','args':['${env:files.dir}']},'mail':{'command':'toy-mail'}},"
	"'servers':{'files':{'class':'stateful_write','environment':'box'},'mail':{'class':'static','tags':['domain:mail']}},"
	"'environments':{'box':{'use':'environment/folder'}},"
	"'generation':{'categories':[{'name':'random','count':2,'size':2}]},"
	"'evaluation':{'attempts':2,'candidates':["
	"{'name':'good','use':'explorer/loop','model':'rules'},"
	"{'name':'lazy','use':'explorer/loop','model':'rules','policy':'greedy','listed':false}]},"
	"'release':{'license':'CC-BY-4.0'}}";

static const char *const records[] = {
	"{'server_id':'files','class':'stateful_write','group':'box','tags':[],'description':null,'resources':[],"
	"'effects':null,'fingerprint':{'server_id':'files','server_name':'toy-files','server_version':'1','protocol_version':"
	"'2025-06-18','tool_surface_hash':''},'tools':[{'name':'read_file','description':'Read a file','inputSchema':{'type':"
	"'object'}},{'name':'write_file','description':'Write <b>a</b> file','inputSchema':{'type':'object'}}]}",
	"{'server_id':'mail','class':'static','group':'mail','tags':['domain:mail'],'description':'Contacts','resources':[],"
	"'effects':null,'fingerprint':{'server_id':'mail','server_name':'toy-mail','server_version':'1','protocol_version':"
	"'2025-06-18','tool_surface_hash':''},'tools':[{'name':'find_contact','description':'Find a contact','inputSchema':"
	"{'type':'object'}}]}",
};

typedef struct toy_call {
	const char *server, *tool, *arguments, *text;
} toy_call;

static const toy_call find_ann = {"mail", "find_contact", "{'name':'Ann'}", "ann@example.org"};
static const toy_call write_ann = {"files", "write_file", "{'path':'a.txt','text':'ann@example.org'}", "written"};
static const toy_call read_code = {"files", "read_file", "{'path':'b.txt'}", "the code is 4711"};
static const toy_call read_wrong = {"files", "read_file", "{'path':'z.txt'}", ""};

static const struct {
	const char *goal, *body, *final;
	const toy_call *calls[2];
} toys[2] = {
	{"Write Ann's address into a.txt.",
	 "{'prompt':'Please write the address of Ann into the file a.txt.','checkpoints':["
	 "{'kind':'value_produced','checkpoint_id':'c1','description':'found','predicate':{'contains_any':['ann@example.org']}},"
	 "{'kind':'tool_effect','checkpoint_id':'c2','description':'written','equivalence_set':[{'server_id':'files','tool_name':"
	 "'write_file'}],'arg_predicate':{'must_include':{'path':'a.txt'}}}],"
	 "'minefields':[{'minefield_id':'m1','description':'no reading','forbidden_tool':{'server_id':'files','tool_name':"
	 "'read_file'}}],'ordering':[{'before_id':'c1','after_id':'c2'}]}",
	 "Done.",
	 {&find_ann, &write_ann}},
	{"Tell the code in b.txt.",
	 "{'prompt':'What is the code in b.txt?','checkpoints':[{'kind':'value_produced','checkpoint_id':'c1','description':"
	 "'read','predicate':{'contains_any':['4711']}}]}",
	 "It is 4711.",
	 {&read_code, NULL}},
};

/* ---- the author's side ---- */

static assay_json *result_of(const char *text)
{
	assay_json *r = json("{'content':[{'type':'text','text':''}]}");
	ck_assert_int_eq(as_json_set(as_json_edit(as_json_pointer(r, "/content/0")), "text", as_json_cstring(text)), 0);
	return r;
}

static void put_servers(struct kit *k)
{
	assay_error err = {0};
	for (size_t i = 0; i < 2; i++) {
		assay_json *r = json(records[i]);
		assay_text text = {0};
		char hash[17];
		ck_ok(as_tool_surface_hash(as_json_get(r, "tools"), hash, &err));
		ck_assert_int_eq(as_json_set(as_json_edit(as_json_get(r, "fingerprint")), "tool_surface_hash",
					     as_json_cstring(hash)),
				 0);
		ck_ok(as_json_dump(r, ASSAY_JSON_COMPACT, &text, &err));
		ck_ok(as_store_put_part(k->store, as_str(k->manifest->bench_id), "server",
					as_json_str(as_json_get(r, "server_id")), as_text_str(text), &err));
		as_text_free(&text);
		as_json_free(r);
	}
	ck_ok(as_stage_catalogue(k->engine, &err));
}

static as_trace *make_reference(struct kit *k, size_t i)
{
	assay_error err = {0};
	const as_catalogue_server *servers;
	as_trace *t = NULL;
	size_t n = as_catalogue_servers(k->engine->catalogue, &servers);
	ck_ok(as_trace_new(as_str(toys[i].goal), json("{'llm_model':'rules'}"), &t, &err));
	for (size_t s = 0; s < n; s++) {
		ck_ok(as_trace_add_server(t, servers[s].id,
					  as_json_clone(as_json_get(servers[s].record, "fingerprint")),
					  as_catalogue_tool_specs(&servers[s]), &err));
	}
	for (size_t c = 0; c < 2 && toys[i].calls[c]; c++) {
		const toy_call *call = toys[i].calls[c];
		as_call_record record = {.server = as_str(call->server),
					 .tool = as_str(call->tool),
					 .arguments = json(call->arguments),
					 .result = result_of(call->text),
					 .served = ASSAY_SERVED_LIVE,
					 .version = ASSAY_STR("0")};
		ck_ok(as_trace_add_call(t, &record, NULL, &err));
	}
	ck_ok(as_trace_set_metadata(t, "exploration", json("{'final_message':'done','turns':2,'end':'finished'}"),
				    &err));
	ck_ok(as_trace_finish(t, &err));
	return t;
}

static assay_text compact(const assay_json *v)
{
	assay_error err = {0};
	assay_text text = {0};
	ck_ok(as_json_dump(v, ASSAY_JSON_COMPACT, &text, &err));
	return text;
}

static void make_task(struct kit *k, size_t i)
{
	assay_error err = {0};
	as_task_frame frame = {.category = ASSAY_STR("random"),
			       .provenance = json("{'assay':{'category':'random','servers':['files','mail']}}")};
	assay_json *body = json(toys[i].body);
	k->references[i] = make_reference(k, i);
	frame.steps = as_trace_steps(k->references[i], &frame.n_steps);
	frame.trace_id = as_trace_id(k->references[i]);
	ck_ok(as_task_make(body, &frame, k->engine->catalogue, &k->tasks[i], &err));
	ck_ok(as_tape_of_trace(k->references[i], k->engine->catalogue, &k->tapes[i], &err));
	as_json_free((assay_json *)(uintptr_t)frame.provenance);
	as_json_free(body);
}

static void put_task(struct kit *k, size_t i)
{
	assay_error err = {0};
	assay_json *certificate = NULL,
		   *goal = json("{'goal_id':'','goal':'','servers':['files'],'persona':null,'tags':[],"
				"'budget':null}");
	assay_text task, trace, tape, gates, body;
	as_task_row row = {.run_id = as_str(k->manifest->bench_id), .category = ASSAY_STR("random"), .certified = true};
	as_goal_row goal_row = {.run_id = row.run_id, .category = row.category, .state = ASSAY_STR("certified")};
	const char *reason;
	char id[16];
	bool passed;
	ck_ok(as_gates_run(k->worker, k->tasks[i], k->references[i], k->tapes[i], "test", NULL, &certificate, &passed,
			   &reason, &err));
	ck_assert_msg(passed, "gate %s", reason);
	snprintf(id, sizeof id, "auto-%zu", i + 1);
	ck_assert_int_eq(as_json_set(goal, "goal_id", as_json_cstring(id)), 0);
	ck_assert_int_eq(as_json_set(goal, "goal", as_json_cstring(toys[i].goal)), 0);
	task = compact(k->tasks[i]);
	trace = compact(as_trace_document(k->references[i]));
	tape = compact(as_tape_document(k->tapes[i]));
	gates = compact(certificate);
	body = compact(goal);
	row.index = goal_row.index = (int64_t)i * 2;
	row.task_id = goal_row.task_id = as_json_str(as_json_get(k->tasks[i], "task_id"));
	row.trace_id = goal_row.trace_id = as_trace_id(k->references[i]);
	row.tape_id = as_tape_id(k->tapes[i]);
	row.body = as_text_str(task);
	row.certificate = as_text_str(gates);
	goal_row.goal_id = as_str(id);
	goal_row.body = as_text_str(body);
	ck_ok(as_store_put_document(k->store, "trace", row.trace_id, as_text_str(trace), &err));
	ck_ok(as_store_put_document(k->store, "tape", row.tape_id, as_text_str(tape), &err));
	ck_ok(as_store_put_task(k->store, &row, &err));
	ck_ok(as_store_put_goal(k->store, &goal_row, &err));
	as_text_free(&task);
	as_text_free(&trace);
	as_text_free(&tape);
	as_text_free(&gates);
	as_text_free(&body);
	as_json_free(certificate);
	as_json_free(goal);
}

/* Goals that became nothing. */
static void put_dropped(struct kit *k)
{
	assay_error err = {0};
	as_goal_row row = {.run_id = as_str(k->manifest->bench_id),
			   .category = ASSAY_STR("random"),
			   .index = 1,
			   .goal_id = ASSAY_STR("auto-x"),
			   .body = ASSAY_STR("{\"goal_id\":\"auto-x\",\"goal\":\"Do *nothing* [now](http://x.y).\"}"),
			   .state = ASSAY_STR("unexplored"),
			   .reason = ASSAY_STR("no successful call")};
	ck_ok(as_store_put_goal(k->store, &row, &err));
	row.index = 3;
	row.goal_id = ASSAY_STR("");
	row.body = ASSAY_STR("null");
	row.state = ASSAY_STR("empty");
	row.reason = ASSAY_STR("no goal fits these seed tools");
	ck_ok(as_store_put_goal(k->store, &row, &err));
}

static void open_engine(struct kit *k)
{
	assay_error err = {0};
	const as_registry_options plugins = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
	as_engine_options options = {.manifest = k->manifest};
	as_buf path = {0};
	assay_text text = compact(k->manifest->document);
	as_run_row run = {.run_id = as_str(k->manifest->bench_id),
			  .name = as_str(k->manifest->name),
			  .version = as_str(k->manifest->version),
			  .manifest = as_text_str(text),
			  .seed = k->manifest->seed};
	as_buf_printf(&path, "%s/run.db", k->dir.ptr);
	ck_ok(as_registry_new(&plugins, &k->registry, &err));
	ck_ok(as_store_open(path.ptr, AS_STORE_CREATE, &k->store, &err));
	ck_ok(as_store_put_run(k->store, &run, &err));
	options.registry = k->registry;
	options.store = k->store;
	ck_ok(as_engine_open(&options, &k->engine, &err));
	ck_ok(as_worker_new(k->engine, &k->worker, &err));
	as_buf_free(&path);
	as_text_free(&text);
}

void kit_open(struct kit *k, const char *evaluation, const char *launch)
{
	assay_error err = {0};
	assay_json *document = json(manifest_text), *changes = evaluation ? json(evaluation) : NULL;
	as_buf path = {0};
	*k = (struct kit){0};
	for (const assay_json *c = as_json_first(changes); c; c = as_json_next(c)) {
		ck_assert_int_eq(as_json_set_n(as_json_edit(as_json_get(document, "evaluation")), as_json_key(c),
					       as_json_clone(c)),
				 0);
	}
	as_json_free(changes);
	if (launch) {
		ck_assert_int_eq(as_json_set(as_json_edit(as_json_get(document, "mcpServers")), "mail", json(launch)),
				 0);
	}
	ck_ok(as_make_temp_dir("/tmp", "assay-test-release-", &k->dir, &err));
	as_buf_printf(&path, "%s/assay.json", k->dir.ptr);
	ck_ok(as_manifest_from_json(document, path.ptr, &k->manifest, &err));
	as_buf_free(&path);
	open_engine(k);
	put_servers(k);
	for (size_t i = 0; i < 2; i++) {
		make_task(k, i);
		put_task(k, i);
	}
	put_dropped(k);
}

void kit_close(struct kit *k)
{
	for (size_t i = 0; i < 2; i++) {
		as_json_free(k->tasks[i]);
		as_trace_free(k->references[i]);
		as_tape_free(k->tapes[i]);
	}
	as_worker_free(k->worker);
	as_engine_close(k->engine);
	as_store_close(k->store);
	as_registry_free(k->registry);
	as_manifest_free(k->manifest);
	ck_assert_int_eq(as_remove_tree(k->dir.ptr, NULL), 0);
	as_buf_free(&k->dir);
	as_buf_free(&k->archive);
}

/* ---- the candidates' side ---- */

static assay_json *attempt_metadata(const struct kit *k, size_t candidate, size_t task, uint32_t repeat)
{
	assay_json *meta = json("{'assay':{'condition':'main'}}"), *ours = as_json_edit(as_json_get(meta, "assay"));
	int rc = as_json_set(ours, "candidate", as_json_cstring(k->manifest->candidates[candidate].name));
	rc |= as_json_set(ours, "repeat", as_json_integer(repeat));
	rc |= as_json_set(meta, "task_id", as_json_clone(as_json_get(k->tasks[task], "task_id")));
	ck_assert_int_eq(rc, 0);
	return meta;
}

/* One call of an attempt, answered by the task's tape. */
static void play(struct kit *k, as_world *world, as_trace *trace, const toy_call *call)
{
	assay_error err = {0};
	as_context c;
	as_answer answer = {0};
	as_call_record record = {.server = as_str(call->server),
				 .tool = as_str(call->tool),
				 .arguments = json(call->arguments)};
	as_context_init(&c, k->worker, "test", "test", 0, 0);
	ck_ok(as_world_call(world, &c.call, record.server, record.tool, record.arguments, &answer, &err));
	record.result = answer.result;
	record.error = answer.error;
	record.status = answer.status;
	record.served = answer.served;
	record.version = as_str(answer.version);
	ck_ok(as_trace_add_call(trace, &record, NULL, &err));
}

static as_trace *play_attempt(struct kit *k, size_t candidate, size_t task, uint32_t repeat, bool nothing)
{
	assay_error err = {0};
	as_replay_options options = k->manifest->conditions[0].replay;
	as_world *world = NULL;
	as_trace *trace = NULL;
	bool lazy = candidate == 1 && !(task == 1 && repeat == 0);
	options.task = k->tasks[task];
	ck_ok(as_replay_open(k->tapes[task], &options, &world, &err));
	ck_ok(as_trace_new(as_json_str(as_json_get(k->tasks[task], "prompt")),
			   attempt_metadata(k, candidate, task, repeat), &trace, &err));
	for (size_t i = 0; i < 2 && toys[task].calls[i] && !nothing && !lazy; i++) {
		play(k, world, trace, toys[task].calls[i]);
	}
	if (lazy && !nothing) {
		play(k, world, trace, &read_wrong);
		ck_ok(as_trace_add_refused(trace, ASSAY_STR("mail__send"), NULL, ASSAY_STR("no such tool"), &err));
	}
	ck_ok(as_trace_set_metadata(trace, "exploration",
				    json(nothing ? "{'final_message':null,'turns':0,'end':null}"
						 : "{'final_message':'It is done.','turns':2,'end':'finished'}"),
				    &err));
	ck_ok(as_trace_finish(trace, &err));
	as_world_close(world, NULL);
	return trace;
}

static void put_attempt(struct kit *k, size_t candidate, size_t task, uint32_t repeat, int64_t number, bool lost)
{
	assay_error err = {0};
	const as_manifest *m = k->manifest;
	as_trace *trace = play_attempt(k, candidate, task, repeat, lost);
	assay_json *verdict = NULL;
	as_instance *scorer;
	as_context c;
	as_verdict_row v;
	as_attempt_row row;
	assay_text text = compact(as_trace_document(trace)), said;
	char id[65];
	as_context_init(&c, k->worker, "test", "test", 0, 0);
	ck_ok(as_worker_instance(k->worker, &m->scorers[0], ASSAY_ROLE_SCORER, &scorer, &err));
	ck_ok(as_score_trace(scorer, &c.call, k->tasks[task], trace, as_catalogue_tags(k->engine->catalogue), &verdict,
			     &err));
	ck_ok(as_attempt_id(as_json_str(as_json_get(k->tasks[task], "task_id")), &m->candidates[candidate],
			    &m->conditions[0], repeat, id, &err));
	said = compact(verdict);
	v = (as_verdict_row){as_str(m->scorers[0].use), as_json_str(as_json_get(verdict, "verdict")),
			     as_json_f64(as_json_get(verdict, "lo"), 0), as_json_f64(as_json_get(verdict, "hi"), 0),
			     as_text_str(said)};
	row = (as_attempt_row){as_str(id),
			       as_str(m->bench_id),
			       as_json_str(as_json_get(k->tasks[task], "task_id")),
			       as_str(m->candidates[candidate].name),
			       ASSAY_STR("main"),
			       repeat,
			       number,
			       as_str(lost ? "model_unreachable" : "finished"),
			       as_str(lost ? "infra" : "agent"),
			       lost,
			       as_text_str(text),
			       &v,
			       1};
	ck_ok(as_store_put_attempt(k->store, &row, &err));
	as_text_free(&text);
	as_text_free(&said);
	as_json_free(verdict);
	as_trace_free(trace);
}

void kit_attempts(struct kit *k)
{
	const as_manifest *m = k->manifest;
	for (size_t c = 0; c < m->n_candidates; c++) {
		for (size_t t = 0; t < 2; t++) {
			for (uint32_t r = 0; r < m->conditions[0].attempts; r++) {
				bool void_first = c == 1 && t == 0 && r == 1;
				if (void_first) {
					put_attempt(k, c, t, r, 1, true);
				}
				put_attempt(k, c, t, r, void_first ? 2 : 1, false);
			}
		}
	}
}

int kit_pack(struct kit *k, assay_error *err)
{
	assay_json *model = NULL;
	int rc = as_stage_figures(k->engine, true, &model, err);
	as_buf_clear(&k->archive);
	rc = rc < 0 ? rc : as_release_pack(k->engine, model, k->dir.ptr, &k->archive, k->identity, err);
	as_json_free(model);
	return rc;
}

char *kit_release(struct kit *k)
{
	assay_error err = {0};
	const as_archive_ops *archive;
	as_buf dir = {0};
	char *out;
	kit_open(k, NULL, NULL);
	kit_attempts(k);
	ck_ok(kit_pack(k, &err));
	as_buf_printf(&dir, "%s/unpacked", k->dir.ptr);
	ck_ok(as_make_dirs(dir.ptr, &err));
	ck_ok(as_service_archive(k->registry, &archive, &err));
	ck_ok(archive->unpack(k->archive.ptr, dir.ptr, (uint64_t)1 << 30, 100, &err));
	as_buf_puts(&dir, "/toy-1.0.0");
	ck_assert(!dir.failed);
	out = as_strdup(dir.ptr);
	as_buf_free(&dir);
	return out;
}

/* ---- an unpacked release ---- */

static const char *path_in(const char *dir, const char *file)
{
	static char path[512];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	return path;
}

assay_text read_file(const char *dir, const char *file)
{
	assay_error err = {0};
	assay_text text = {0};
	ck_ok(as_file_read(path_in(dir, file), (size_t)1 << 26, &text, &err));
	return text;
}

void write_file(const char *dir, const char *file, assay_str bytes)
{
	FILE *f = fopen(path_in(dir, file), "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes.ptr, 1, bytes.len, f), bytes.len);
	ck_assert_int_eq(fclose(f), 0);
}

uint32_t edit_file(const char *dir, const char *file, const char *from, const char *to, size_t nth)
{
	assay_text text = read_file(dir, file);
	const char *at = text.ptr;
	as_buf out = {0};
	uint32_t line = 1;
	for (size_t i = 0; at && i <= nth; i++) {
		at = strstr(i ? at + 1 : at, from);
	}
	ck_assert_msg(at != NULL, "%s has no %s", file, from);
	for (const char *p = text.ptr; p < at; p++) {
		line += *p == '\n';
	}
	as_buf_add(&out, (assay_str){text.ptr, (size_t)(at - text.ptr)});
	as_buf_puts(&out, to);
	as_buf_puts(&out, at + strlen(from));
	write_file(dir, file, as_buf_str(&out));
	as_buf_free(&out);
	as_text_free(&text);
	return line;
}

static assay_json *digests_of(assay_str text)
{
	assay_json *list = as_json_array();
	size_t start = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n') {
			char digest[AS_LINE_DIGEST + 1];
			as_line_digest((assay_str){text.ptr + start, i - start}, digest);
			ck_assert_int_eq(as_json_append(list, as_json_cstring(digest)), 0);
			start = i + 1;
		}
	}
	return list;
}

void mend(const char *dir)
{
	assay_error err = {0};
	assay_json *record = NULL;
	as_sha256 *sum = as_sha256_new();
	assay_text text = {0};
	char hex[65];
	ck_ok(as_json_read_file(path_in(dir, "release.json"), (size_t)1 << 26, &record, &err));
	for (const assay_json *f = as_json_first(as_json_get(record, "files")); f; f = as_json_next(f)) {
		const char *name = as_json_cstr(as_json_get(f, "path"), "");
		assay_text bytes = read_file(dir, name);
		as_sha256_hex(as_text_str(bytes), hex);
		ck_assert_int_eq(as_json_set(as_json_edit(f), "sha256", as_json_cstring(hex)), 0);
		ck_assert_int_eq(as_json_set(as_json_edit(f), "bytes", as_json_integer((int64_t)bytes.len)), 0);
		if (as_json_get(f, "lines")) {
			ck_assert_int_eq(as_json_set(as_json_edit(f), "lines", digests_of(as_text_str(bytes))), 0);
		}
		as_identity_add(sum, name, hex);
		as_text_free(&bytes);
	}
	as_sha256_end_hex(sum, hex);
	ck_assert_int_eq(as_json_set(record, "identity", as_json_cstring(hex)), 0);
	text = compact(record);
	write_file(dir, "release.json", as_text_str(text));
	as_text_free(&text);
	as_json_free(record);
}

const as_release_findings *check_release(const char *path, const char **text)
{
	static as_release_findings found;
	static char lines[AS_MAX_FINDINGS * 1400];
	const as_registry_options plugins = {.lib_dir = TEST_BUILDDIR "/lib", .shipped_only = true};
	as_release_verify_options options = {.path = path};
	assay_error err = {0};
	size_t used = 0;
	ck_ok(as_registry_new(&plugins, &options.registry, &err));
	ck_ok(as_release_verify(&options, &found, &err));
	as_registry_free(options.registry);
	lines[0] = '\0';
	for (size_t i = 0; i < found.n; i++) {
		char line[1400];
		as_error_format(&found.list[i], line, sizeof line);
		used += (size_t)snprintf(lines + used, sizeof lines - used, "%s\n", line);
	}
	*text = lines;
	return &found;
}

void expect_finding(const char *dir, const char *file, uint32_t line, const char *text)
{
	const char *all;
	const as_release_findings *f = check_release(dir, &all);
	for (size_t i = 0; i < f->n; i++) {
		const assay_error *e = &f->list[i];
		char formatted[1400];
		as_error_format(e, formatted, sizeof formatted);
		if (strcmp(e->where, file) == 0 && (line == 0 || e->line == line) && strstr(formatted, text)) {
			return;
		}
	}
	ck_abort_msg("expected %s:%u ... %s, found:\n%s", file, line, text, all);
}
