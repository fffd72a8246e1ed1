/* The host table: what a plugin gets to see of the program. */
#include "tests/unit/plugin_dirs.h"
#include "tests/unit/unit.h"

#include "core/plugin/call.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#undef fail /* a macro of Check's, and a member of the host table */

START_TEST(test_table)
{
	const assay_host *h = as_host();
	ck_assert_uint_eq(h->size, sizeof *h);
	ck_assert_uint_eq(h->abi_major, ASSAY_ABI_MAJOR);
	ck_assert_uint_eq(h->abi_minor, ASSAY_ABI_MINOR);
	ck_assert_str_ne(h->version, "");
	ck_assert(ASSAY_HAS(h, http));
	ck_assert_uint_eq(h->json->size, sizeof(assay_json_api));
	ck_assert_uint_eq(h->text->size, sizeof(assay_text_api));
	ck_assert_uint_eq(h->rng->size, sizeof(assay_rng_api));
	ck_assert_uint_eq(h->agent->size, sizeof(assay_agent_api));
	ck_assert_uint_eq(h->world->size, sizeof(assay_world_api));
	ck_assert_uint_eq(h->llm->size, sizeof(assay_llm_api));
	ck_assert_uint_eq(h->check->size, sizeof(assay_check_api));
	ck_assert_uint_eq(h->sampler->size, sizeof(assay_sampler_api));
	ck_assert_uint_eq(h->process->size, sizeof(assay_process_api));
	ck_assert_uint_eq(h->file->size, sizeof(assay_file_api));
	ck_assert_uint_eq(h->http->size, sizeof(assay_http_api));
	ck_assert_ptr_null(h->service("embed", 2));
	ck_assert_ptr_nonnull(h->service("embed", 1));
}
END_TEST

/* No slot of any table is empty: a plugin may call them all. */
START_TEST(test_no_gaps)
{
	const assay_host *h = as_host();
	const void *tables[] = {h->json,  h->text,    h->rng,     h->agent, h->world, h->llm,
				h->check, h->sampler, h->process, h->file,  h->http};
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		uint32_t size;
		memcpy(&size, tables[t], sizeof size);
		for (size_t at = 8; at < size; at += sizeof(void *)) {
			void *slot;
			memcpy(&slot, (const char *)tables[t] + at, sizeof slot);
			ck_assert_msg(slot != NULL, "table %zu, offset %zu", t, at);
		}
	}
}
END_TEST

START_TEST(test_memory_and_errors)
{
	const assay_host *h = as_host();
	assay_error err = {0};
	char *p = h->alloc(16);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(p[0] | p[15], 0);
	p = h->resize(p, 32);
	ck_assert_ptr_nonnull(p);
	p = h->resize(p, 0);
	h->free(p);
	h->free(NULL);
	ck_assert_int_eq(h->fail(&err, ASSAY_EDATA, "%s %d", "bad", 7), ASSAY_EDATA);
	ck_assert_str_eq(err.message, "bad 7");
	ck_assert_int_eq(h->fail(NULL, ASSAY_EIO, "nobody listens"), ASSAY_EIO);
}
END_TEST

START_TEST(test_log)
{
	assay_error err = {0};
	char text[512] = "";
	FILE *stream = tmpfile();
	as_call call;
	as_call_init(&call);
	as_host()->log(&call.pub, ASSAY_LOG_ERROR, "silent");
	as_host()->log(NULL, ASSAY_LOG_ERROR, "silent");
	ck_ok(as_log_new(stream, NULL, &call.log, &err));
	call.component = "explorer/loop";
	as_host()->log(&call.pub, ASSAY_LOG_WARN, "step %d", 3);
	as_host()->log(&call.pub, ASSAY_LOG_WARN, "step %s", "3"); /* another instance says so, too */
	as_host()->log(&call.pub, ASSAY_LOG_WARN, "step %d", 4);
	as_host()->log(&call.pub, ASSAY_LOG_TRACE, "too quiet");
	as_log_free(call.log);
	rewind(stream);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, stream));
	ck_assert_ptr_nonnull(strstr(text, "explorer/loop"));
	ck_assert_ptr_nonnull(strstr(text, "step 3"));
	ck_assert_ptr_nonnull(fgets(text, sizeof text, stream));
	ck_assert_ptr_nonnull(strstr(text, "step 4"));
	ck_assert_ptr_null(fgets(text, sizeof text, stream));
	fclose(stream);
}
END_TEST

START_TEST(test_deadline)
{
	assay_error err = {0};
	as_cancel *cancel = NULL;
	as_call call;
	as_call_init(&call);
	ck_assert_uint_eq(call.pub.size, sizeof(assay_call));
	ck_assert_ptr_eq(call.pub.host, as_host());
	ck_assert_int_eq(as_host()->remaining_ms(&call.pub), INT64_MAX);
	ck_assert_int_eq(as_host()->cancelled(&call.pub), 0);
	call.deadline_ms = as_deadline(60000);
	ck_assert_int_gt(as_host()->remaining_ms(&call.pub), 50000);
	ck_assert_int_le(as_host()->remaining_ms(&call.pub), 60000);
	ck_assert_int_eq(as_host()->cancelled(&call.pub), 0);
	call.deadline_ms = as_now_ms() - 1;
	ck_assert_int_eq(as_host()->remaining_ms(&call.pub), 0);
	ck_assert_int_eq(as_host()->cancelled(&call.pub), 1);
	call.deadline_ms = AS_FOREVER;
	ck_ok(as_cancel_new(&cancel, &err));
	call.cancel = cancel;
	ck_assert_int_eq(as_host()->cancelled(&call.pub), 0);
	as_cancel_set(cancel);
	ck_assert_int_eq(as_host()->cancelled(&call.pub), 1);
	as_cancel_free(cancel);
}
END_TEST

START_TEST(test_text)
{
	const assay_text_api *t = as_host()->text;
	assay_error err = {0};
	assay_text lower = {0};
	char hex[65];
	int found = -1;
	double scores[2] = {-1, -1};
	assay_bm25 *index = NULL;
	ck_ok(t->lower(ASSAY_STR("ÄbC"), &lower, &err));
	ck_assert_str_eq(lower.ptr, "äbc");
	as_host()->json->text_free(&lower);
	ck_ok(t->regex_search(ASSAY_STR("b+"), ASSAY_STR("abbc"), &found, &err));
	ck_assert_int_eq(found, 1);
	ck_ok(t->regex_search(ASSAY_STR("^b"), ASSAY_STR("abbc"), &found, &err));
	ck_assert_int_eq(found, 0);
	found = 5;
	ck_assert_int_eq(t->regex_search(ASSAY_STR("("), ASSAY_STR("x"), &found, &err), ASSAY_EDATA);
	ck_assert_int_eq(found, 5);
	as_error_clear(&err);
	t->sha256_hex(ASSAY_STR("abc"), hex);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_double_eq(t->ratio(ASSAY_STR("same"), ASSAY_STR("same")), 1.0);
	ck_assert_double_eq(t->jaccard(ASSAY_STR("read file"), ASSAY_STR("write file")), 1.0 / 3.0);
	ck_ok(t->bm25_new(&index, &err));
	ck_ok(t->bm25_add(index, ASSAY_STR("weather in town"), &err));
	ck_ok(t->bm25_add(index, ASSAY_STR("files in folders"), &err));
	ck_ok(t->bm25_scores(index, ASSAY_STR("weather"), scores, &err));
	ck_assert_double_gt(scores[0], scores[1]);
	t->bm25_free(index);
}
END_TEST

START_TEST(test_rng)
{
	const assay_rng_api *g = as_host()->rng;
	as_rng rng, same;
	as_call call;
	uint32_t items[5] = {0, 1, 2, 3, 4}, expected[5] = {0, 1, 2, 3, 4};
	as_call_init(&call);
	ck_assert_uint_eq(g->below(&call.pub, 10), 0);
	g->shuffle(&call.pub, items, 5);
	ck_assert_mem_eq(items, expected, sizeof items);
	as_rng_seed(&rng, 42);
	as_rng_seed(&same, 42);
	call.rng = &rng;
	ck_assert_uint_eq(g->below(&call.pub, 1000), as_rng_below(&same, 1000));
	ck_assert_uint_eq(g->below(&call.pub, 0), 0);
	(void)as_rng_below(&same, 0);
	g->shuffle(&call.pub, items, 5);
	as_rng_shuffle(&same, expected, 5);
	ck_assert_mem_eq(items, expected, sizeof items);
}
END_TEST

static void expect_no_service(int rc, assay_error *err, const char *service)
{
	char line[128];
	snprintf(line, sizeof line, "%s is not offered here: this operation has no use for it", service);
	ck_assert_int_eq(rc, ASSAY_ENOTSUP);
	ck_assert_str_eq(err->message, line);
	as_error_clear(err);
}

static void expect_no_services(as_call *c)
{
	const assay_host *h = as_host();
	const assay_json *tools = NULL;
	assay_json *out = NULL;
	assay_text text = {0};
	int flag = 0;
	size_t n = 0;
	assay_error err = {0};
	const assay_http_request request = {.size = sizeof request, .url = "http://localhost/"};
	assay_http_reply reply = {.size = sizeof reply};
	expect_no_service(h->agent->offers(&c->pub, &tools, &err), &err, "agent->offers");
	expect_no_service(h->agent->act(&c->pub, ASSAY_STR("x"), NULL, &text, &flag, &err), &err, "agent->act");
	expect_no_service(h->world->call(&c->pub, ASSAY_STR("s"), ASSAY_STR("t"), NULL, &out, &flag, &err), &err,
			  "world->call");
	expect_no_service(h->world->reset(&c->pub, &err), &err, "world->reset");
	expect_no_service(h->llm->chat(&c->pub, NULL, &out, &err), &err, "llm->chat");
	expect_no_service(h->check->score(&c->pub, NULL, NULL, -1, &flag, &err), &err, "check->score");
	expect_no_service(h->sampler->draw(&c->pub, "random", (assay_tools){0}, (assay_tools){0}, 0, 0, NULL, &n, &err),
			  &err, "sampler->draw");
	expect_no_service(h->http->request(&c->pub, &request, &reply, NULL, &err), &err, "http->request");
}

START_TEST(test_no_hooks)
{
	static const as_call_hooks none = {0};
	as_call call;
	as_call_init(&call);
	expect_no_services(&call);
	call.hooks = &none;
	expect_no_services(&call);
}
END_TEST

/* Hooks that note in the context what reached them. */
typedef struct seen {
	int calls;
	int64_t without;
	uint64_t seed;
	char name[32];
	as_http_request http;
} seen;

static int hook_reset(void *context, assay_error *err)
{
	seen *s = context;
	(void)err;
	s->calls++;
	return 0;
}

static int hook_act(void *context, assay_str name, const assay_json *arguments, assay_text *text, int *is_error,
		    assay_error *err)
{
	seen *s = context;
	(void)arguments, (void)text, (void)err;
	s->calls++;
	snprintf(s->name, sizeof s->name, "%.*s", ASSAY_FMT(name));
	*is_error = 1;
	return 0;
}

static int hook_score(void *context, const assay_json *task, const assay_json *trace, int64_t without, int *passed,
		      assay_error *err)
{
	seen *s = context;
	(void)task, (void)trace, (void)err;
	s->calls++;
	s->without = without;
	*passed = 1;
	return 0;
}

static int hook_draw(void *context, const char *name, assay_tools required, assay_tools candidates, size_t n,
		     uint64_t seed, uint32_t *picked, size_t *n_picked, assay_error *err)
{
	seen *s = context;
	(void)required, (void)candidates, (void)n, (void)err;
	s->calls++;
	s->seed = seed;
	snprintf(s->name, sizeof s->name, "%s", name);
	picked[0] = 3;
	*n_picked = 1;
	return 0;
}

static int fake_request(as_http_client *c, const as_http_request *request, as_http_reply *reply, assay_error *err)
{
	seen *s = (seen *)(void *)c;
	s->http = *request;
	for (int i = 0; i < 3; i++) {
		int rc = request->on_body(request->payload, ASSAY_STR("abc"), err);
		if (rc != 0) {
			return rc < 0 ? rc : as_fail(err, ASSAY_ECANCELED, "the reader had enough");
		}
	}
	reply->status = 204;
	reply->headers = as_json_object();
	return 0;
}

static int hook_http(void *context, const as_http_ops **ops, as_http_client **client, assay_error *err)
{
	static const as_http_ops fake = {.size = sizeof fake, .request = fake_request};
	(void)err;
	*ops = &fake;
	*client = context; /* stands for the client */
	return 0;
}

static const as_call_hooks hooks = {
	.act = hook_act, .world_reset = hook_reset, .score = hook_score, .draw = hook_draw, .http = hook_http};

START_TEST(test_hooks)
{
	const assay_host *h = as_host();
	seen s = {0};
	as_call call;
	assay_error err = {0};
	assay_text text = {0};
	int flag = 0;
	uint32_t picked[1] = {0};
	size_t n = 0;
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = &s;
	ck_ok(h->agent->act(&call.pub, ASSAY_STR("read"), NULL, &text, &flag, &err));
	ck_assert_str_eq(s.name, "read");
	ck_assert_int_eq(flag, 1);
	ck_ok(h->check->score(&call.pub, NULL, NULL, 4, &flag, &err));
	ck_assert_int_eq(s.without, 4);
	ck_ok(h->sampler->draw(&call.pub, "same_name", (assay_tools){0}, (assay_tools){0}, 1, 99, picked, &n, &err));
	ck_assert_uint_eq(s.seed, 99);
	ck_assert_uint_eq(picked[0], 3);
	ck_ok(h->world->reset(&call.pub, &err));
	ck_assert_int_eq(s.calls, 4);
	/* Out of time: nothing is begun any more. */
	call.deadline_ms = as_now_ms() - 1;
	ck_assert_int_eq(h->world->reset(&call.pub, &err), ASSAY_ETIMEOUT);
	ck_assert_str_eq(err.message, "out of time");
	as_error_clear(&err);
	ck_assert_int_eq(s.calls, 4);
	expect_no_service(h->llm->chat(&call.pub, NULL, NULL, &err), &err, "llm->chat");
}
END_TEST

typedef struct stopping_sink {
	assay_sink sink;
	int left, answer;
} stopping_sink;

static int stopping_write(assay_sink *sink, assay_str text, assay_error *err)
{
	stopping_sink *s = (stopping_sink *)sink;
	(void)text;
	if (s->left-- > 0) {
		return 0;
	}
	return s->answer < 0 ? as_fail(err, s->answer, "the sink broke") : s->answer;
}

START_TEST(test_http)
{
	const assay_http_api *http = as_host()->http;
	static const char *const headers[] = {"Accept: text/plain", NULL};
	seen s = {0};
	as_call call;
	assay_error err = {0};
	as_collect body;
	stopping_sink stop = {.sink = {sizeof(assay_sink), 0, NULL, stopping_write}, .left = 1, .answer = ASSAY_STOP};
	assay_http_request request = {.size = sizeof request,
				      .method = "POST",
				      .url = "http://localhost/x",
				      .headers = headers,
				      .body = ASSAY_STR("hello"),
				      .timeout_ms = 5000,
				      .max_body = 77};
	assay_http_reply reply = {.size = sizeof reply};
	as_call_init(&call);
	call.hooks = &hooks;
	call.context = &s;
	as_collect_init(&body, 0, 0);
	ck_ok(http->request(&call.pub, &request, &reply, &body.sink, &err));
	ck_assert_int_eq(reply.status, 204);
	ck_assert_int_eq(as_json_type(reply.headers), ASSAY_JSON_OBJECT);
	as_json_free(reply.headers);
	ck_assert_str_eq(body.text.ptr, "abcabcabc");
	ck_assert_str_eq(s.http.method, "POST");
	ck_assert_str_eq(s.http.url, "http://localhost/x");
	ck_assert_ptr_eq(s.http.headers, headers);
	ck_assert_uint_eq(s.http.max_body, 77);
	ck_assert_int_le(s.http.deadline_ms, as_deadline(5000));
	call.deadline_ms = as_deadline(10);
	ck_ok(http->request(&call.pub, &request, &reply, NULL, &err));
	ck_assert_int_eq(s.http.deadline_ms, call.deadline_ms);
	as_json_free(reply.headers);
	call.deadline_ms = AS_FOREVER;
	/* A reader that has had enough is no failure; one that breaks is. */
	ck_ok(http->request(&call.pub, &request, &reply, &stop.sink, &err));
	stop.answer = ASSAY_EIO;
	stop.left = 1;
	ck_assert_int_eq(http->request(&call.pub, &request, &reply, &stop.sink, &err), ASSAY_EIO);
	ck_assert_str_eq(err.message, "the sink broke");
	as_error_clear(&err);
	request.url = NULL;
	ck_assert_int_eq(http->request(&call.pub, &request, &reply, NULL, &err), ASSAY_EINVAL);
	as_collect_free(&body);
}
END_TEST

START_TEST(test_files)
{
	const assay_file_api *f = as_host()->file;
	char *dir = temp_dir();
	assay_error err = {0};
	assay_text text = {0};
	as_call call;
	as_call_init(&call);
	call.cwd = dir;
	ck_ok(f->make_dirs(&call.pub, "a/b", &err));
	ck_ok(f->write(&call.pub, "a/b/c", ASSAY_STR("content"), &err));
	ck_ok(f->copy_tree(&call.pub, "a", "copy", &err));
	ck_ok(f->remove_tree(&call.pub, "a", &err));
	ck_ok(f->read(&call.pub, in_dir(dir, "copy/b/c"), 100, &text, &err));
	ck_assert_str_eq(text.ptr, "content");
	as_text_free(&text);
	ck_assert_int_eq(f->read(&call.pub, "copy/b/c", 3, &text, &err), ASSAY_ELIMIT);
	as_error_clear(&err);
	ck_assert_int_eq(f->read(&call.pub, "a/b/c", 100, &text, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.where, in_dir(dir, "a/b/c"));
	as_error_clear(&err);
	ck_assert_int_eq(f->read(&call.pub, NULL, 100, &text, &err), ASSAY_EINVAL);
	as_error_clear(&err);
	ck_assert_int_eq(f->write(&call.pub, "", ASSAY_STR(""), &err), ASSAY_EINVAL);
	drop_dir(dir);
}
END_TEST

START_TEST(test_process)
{
	const assay_process_api *p = as_host()->process;
	static const char *const argv[] = {"sh", "-c", "pwd; echo $EXTRA; echo oops >&2; exec cat", NULL};
	static const char *const env[] = {"EXTRA=more", NULL};
	const assay_process_spec spec = {.size = sizeof spec, .argv = argv, .env = env};
	char *dir = temp_dir(), buf[4096];
	assay_error err = {0};
	assay_process *child = NULL;
	assay_text tail = {0};
	as_buf got = {0};
	size_t n = 0;
	as_call call;
	as_call_init(&call);
	call.cwd = dir;
	ck_ok(p->spawn(&call.pub, &spec, &child, &err));
	ck_ok(p->write(&call.pub, child, ASSAY_STR("echoed\n"), &err));
	while (!got.ptr || !strstr(got.ptr, "echoed\n")) {
		ck_ok(p->read(&call.pub, child, buf, sizeof buf, 10000, &n, &err));
		ck_assert_uint_gt(n, 0);
		as_buf_add(&got, (assay_str){buf, n});
	}
	ck_assert_ptr_nonnull(strstr(got.ptr, dir));
	ck_assert_ptr_nonnull(strstr(got.ptr, "\nmore\n"));
	ck_assert_int_eq(p->read(&call.pub, child, buf, sizeof buf, 20, &n, &err), ASSAY_ETIMEOUT);
	as_error_clear(&err);
	ck_ok(p->stderr_tail(child, &tail, &err));
	ck_assert_str_eq(tail.ptr, "oops\n");
	as_text_free(&tail);
	int64_t start = as_now_ms();
	p->stop(child);
	ck_assert_int_lt(as_now_ms() - start, 1500); /* cat ends with its input */
	p->stop(NULL);
	as_buf_free(&got);
	drop_dir(dir);
}
END_TEST

START_TEST(test_process_limits)
{
	const assay_process_api *p = as_host()->process;
	static const char *const argv[] = {"cat", NULL};
	static const char *const absent[] = {"no-such-command-anywhere", NULL};
	assay_process_spec spec = {.size = sizeof spec, .argv = argv};
	char buf[64];
	assay_error err = {0};
	assay_process *child = NULL;
	as_cancel *cancel = NULL;
	size_t n = 0;
	as_call call;
	as_call_init(&call);
	ck_ok(as_cancel_new(&cancel, &err));
	ck_ok(p->spawn(&call.pub, &spec, &child, &err));
	call.deadline_ms = as_deadline(30);
	ck_assert_int_eq(p->read(&call.pub, child, buf, sizeof buf, 60000, &n, &err), ASSAY_ETIMEOUT);
	as_error_clear(&err);
	call.deadline_ms = AS_FOREVER;
	call.cancel = cancel;
	as_cancel_set(cancel);
	ck_assert_int_eq(p->read(&call.pub, child, buf, sizeof buf, INT64_MAX, &n, &err), ASSAY_ECANCELED);
	as_error_clear(&err);
	p->stop(child);
	child = NULL;
	ck_assert_int_eq(p->spawn(&call.pub, &spec, &child, &err), ASSAY_ECANCELED);
	as_error_clear(&err);
	call.cancel = NULL;
	spec.argv = absent;
	ck_assert_int_eq(p->spawn(&call.pub, &spec, &child, &err), ASSAY_ENOENT);
	ck_assert_str_eq(err.where, "no-such-command-anywhere");
	as_error_clear(&err);
	spec.argv = NULL;
	ck_assert_int_eq(p->spawn(&call.pub, &spec, &child, &err), ASSAY_EINVAL);
	as_error_clear(&err);
	spec.argv = argv;
	spec.size = 8; /* of an SDK that never was */
	ck_assert_int_eq(p->spawn(&call.pub, &spec, &child, &err), ASSAY_EINVAL);
	ck_assert_ptr_null(child);
	as_cancel_free(cancel);
}
END_TEST

START_TEST(test_predicates)
{
	const assay_check_api *c = as_host()->check;
	assay_error err = {0};
	assay_json *contains = NULL;
	ck_ok(as_json_parse(ASSAY_STR("{\"contains_all\": [\"un\", \"rain\"]}"), ASSAY_JSON_STRICT, &contains, &err));
	ck_assert_int_eq(c->value(contains, ASSAY_STR("sun and rain"), &err), 1);
	ck_assert_int_eq(c->value(contains, ASSAY_STR("sun"), &err), 0);
	ck_assert_int_eq(c->args(NULL, NULL, &err), 1);
	as_json_free(contains);
}
END_TEST

UNIT_SUITE(host_suite, "host", test_table, test_no_gaps, test_memory_and_errors, test_log, test_deadline, test_text,
	   test_rng, test_no_hooks, test_hooks, test_http, test_files, test_process, test_process_limits,
	   test_predicates)
UNIT_MAIN(host_suite)
