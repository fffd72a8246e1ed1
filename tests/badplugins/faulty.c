/* Modules that load and then break the contract: one role each (-DROLE_scorer), one fault each (-DFAULT=LEAK), one
 * source for all, so that what is faulty stands out. tests/cli/faulty-plugins builds and checks them. */
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
#include <assay/text.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NONE,
	LEAK,
	LEAK_JSON,
	USE_AFTER_FREE,
	DOUBLE_FREE,
	OVERRUN,
	SHORT_BUFFER,
	WRITES_INPUT,
	KEEPS_POINTER,
	IGNORES_CANCEL,
	PRINTS,
	NO_OUTPUT,
	NOT_DETERMINISTIC,
	CRASHES_ON_EMPTY,
	BLOCKS,
	EXITS,
	NO_REASON,
	FORGETS_NULL,
	WRONG_SHAPE,
	OUT_OF_BOUNDS,
	CHANGES_FOLDER,
	SETS_VARIABLE,
	FORKS,
	LEAVES_OPEN,
	CLOSES,
	CLOSES_ALL
};

struct faulty {
	const assay_host *host;
	const char *kept;
	volatile int sum;
};

static int counter; /* a plugin must not have one */

static int open_faulty(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct faulty *f = host->alloc(sizeof *f);
	(void)options;
	if (!f) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	f->host = host;
	*self = f;
	return 0;
}

static void close_faulty(void *self)
{
	if (self) {
		((struct faulty *)self)->host->free(self);
	}
}

static void abuse_memory(struct faulty *f)
{
	char *p = f->host->alloc(24);
	if (!p || FAULT == LEAK) {
		return;
	}
	if (FAULT == OVERRUN) {
		p[24] = 1;
	}
	f->host->free(p);
	if (FAULT == USE_AFTER_FREE) {
		f->sum += p[0];
	}
	if (FAULT == DOUBLE_FREE) {
		f->host->free(p);
	}
}

static void change_surroundings(void)
{
	if (FAULT == CHANGES_FOLDER) {
		(void)chdir("/");
	}
	if (FAULT == SETS_VARIABLE) {
		setenv("TZ", "UTC+3", 1);
	}
	if (FAULT == FORKS) {
		(void)fork(); /* both go on */
	}
	if (FAULT == LEAVES_OPEN) {
		(void)open("/dev/null", O_RDONLY);
	}
	if (FAULT == CLOSES) {
		close(STDIN_FILENO);
	}
	for (int fd = 3; FAULT == CLOSES_ALL && fd < 1024; fd++) {
		close(fd);
	}
}

/* The fault, in the middle of an operation that was lent a text. 1: go on and emit nothing. */
static int misbehave(struct faulty *f, assay_str lent, assay_error *err)
{
	abuse_memory(f);
	if (FAULT == SHORT_BUFFER && lent.ptr) {
		char *room = f->host->alloc(200); /* as if no name and no text were longer */
		if (!room) {
			return f->host->fail(err, ASSAY_ENOMEM, "out of memory");
		}
		memcpy(room, lent.ptr, lent.len);
		f->host->free(room);
	}
	if (FAULT == LEAK_JSON) {
		(void)f->host->json->array();
	}
	if (FAULT == WRITES_INPUT && lent.len) {
		((char *)(uintptr_t)lent.ptr)[0] = '!';
	}
	if (FAULT == KEEPS_POINTER) {
		f->sum += f->kept ? f->kept[0] : 0;
		f->kept = lent.len ? lent.ptr : f->kept;
	}
	if (FAULT == PRINTS) {
		puts("working on it");
	}
	if (FAULT == CRASHES_ON_EMPTY && lent.len == 0) {
		f->sum += *(volatile const char *)lent.ptr;
	}
	for (; FAULT == BLOCKS;) {
		pause();
	}
	if (FAULT == EXITS) {
		exit(3);
	}
	change_surroundings();
	if (FAULT == NO_REASON) {
		return ASSAY_EDATA;
	}
	if (FAULT == NOT_DETERMINISTIC) {
		counter++;
	}
	(void)err;
	return FAULT == NO_OUTPUT;
}

/* What a run could do nothing with. */
#if defined(ROLE_distiller)
#define WRONG "{\"prompt\": \"do it\", \"checkpoints\": [{\"id\": \"c%d\", \"kind\": \"effect\"}]}"
#elif defined(ROLE_scorer)
#define WRONG "{\"verdict\": \"perhaps\", \"lo\": %d, \"hi\": 1}"
#elif defined(ROLE_explorer)
#define WRONG "{\"outcome\": \"completed\", \"turns\": %d}"
#elif defined(ROLE_llm)
#define WRONG "{\"message\": {\"content\": \"%d\"}}"
#else
#define WRONG "{\"goal\": \"do %d things\", \"servers\": \"all\"}"
#endif

/* Emit a constant document; the counter goes into it. */
static int emit(struct faulty *f, const char *format, assay_sink *out, assay_error *err)
{
	char text[512];
	assay_json *value = NULL;
	snprintf(text, sizeof text, FAULT == WRONG_SHAPE ? WRONG : format, counter);
	int rc = f->host->json->parse(assay_text_of_cstr(text), ASSAY_JSON_STRICT, &value, err);
	if (rc < 0 && FAULT != FORGETS_NULL) {
		return rc;
	}
	if (FAULT == FORGETS_NULL) {
		assay_json *copy = f->host->json->clone(value);
		f->sum += *(volatile const char *)copy; /* NULL when memory is out */
		f->host->json->free(copy);
	}
	rc = out->emit(out, value, err);
	return rc < 0 ? rc : 0;
}

#if defined(ROLE_sampler)
static int draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n, uint32_t *picked,
		size_t *n_picked, assay_error *err)
{
	int rc = misbehave(self, candidates.count ? candidates.list[0]->name : (assay_str){NULL, 0}, err);
	(void)required;
	if (FAULT == IGNORES_CANCEL) {
		size_t ignored;
		call->host->sampler->draw(call, "random", required, candidates, 1, 1, picked, &ignored, NULL);
	}
	if (rc < 0 || rc == 1) {
		return rc < 0 ? rc : 0;
	}
	*n_picked = n > 0 && candidates.count > 0;
	if (*n_picked) {
		picked[0] = FAULT == OUT_OF_BOUNDS ? 4000 : (uint32_t)counter % (uint32_t)candidates.count;
	}
	return 0;
}
#define OPS .draw = draw
#define TABLE assay_sampler_ops
#define ROLE ASSAY_ROLE_SAMPLER
#elif defined(ROLE_goalgen)
static int generate(void *self, assay_call *call, const assay_goal_request *request, assay_sink *goals,
		    assay_error *err)
{
	int rc = misbehave(self, request->category, err);
	if (FAULT == IGNORES_CANCEL) {
		int is_error;
		assay_json *answer = NULL;
		while (call->host->world->call(call, ASSAY_STR("wiki"), ASSAY_STR("search"), NULL, &answer, &is_error,
					       NULL) < 0) {
		}
		call->host->json->free(answer);
	}
	return rc < 0    ? rc
	       : rc == 1 ? emit(self, "{\"goal\": \"\", \"servers\": []}", goals, err)
			 : emit(self, "{\"goal\": \"do %d things\", \"servers\": []}", goals, err);
}
#define OPS .generate = generate
#define TABLE assay_goalgen_ops
#define ROLE ASSAY_ROLE_GOALGEN
#elif defined(ROLE_explorer)
static int run(void *self, assay_call *call, const assay_assignment *assignment, assay_sink *result, assay_error *err)
{
	int rc = misbehave(self, assignment->prompt, err), is_error;
	assay_text text = {0};
	int acted = call->host->agent->act(call, ASSAY_STR("search"), NULL, &text, &is_error, err);
	call->host->json->text_free(&text);
	if (acted < 0 && FAULT != IGNORES_CANCEL) {
		return acted;
	}
	return rc < 0    ? rc
	       : rc == 1 ? 0
			 : emit(self,
				"{\"outcome\": \"completed\", \"end\": \"finished\", \"final_message\": \"%d\", "
				"\"tool_call_count\": 1, \"successful_tool_calls\": 1, \"turns\": 1, \"messages\": []}",
				result, err);
}
#define OPS .run = run
#define TABLE assay_explorer_ops
#define ROLE ASSAY_ROLE_EXPLORER
#elif defined(ROLE_distiller)
static int distil(void *self, assay_call *call, const assay_distil_request *request, assay_sink *task, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	int passed, rc = misbehave(self, J->str(J->get(request->goal, "goal")), err);
	if (FAULT == IGNORES_CANCEL) {
		call->host->check->score(call, request->goal, request->trace, -1, &passed, NULL);
	}
	return rc < 0 ? rc : rc == 1 ? 0 : emit(self, "{\"rejected\": \"for reason %d\"}", task, err);
}
#define OPS .distil = distil
#define TABLE assay_distiller_ops
#define ROLE ASSAY_ROLE_DISTILLER
#elif defined(ROLE_scorer)
static int score(void *self, assay_call *call, const assay_subject *subject, assay_sink *verdict, assay_error *err)
{
	int rc = misbehave(self, subject->final_message, err);
	(void)call;
	return rc < 0    ? rc
	       : rc == 1 ? 0
			 : emit(self,
				FAULT == OUT_OF_BOUNDS
					? "{\"verdict\": \"fail\", \"lo\": 1, \"hi\": 0, \"metrics\": {\"n\": %d}}"
					: "{\"verdict\": \"fail\", \"lo\": 0, \"hi\": 0, \"metrics\": {\"n\": %d}}",
				verdict, err);
}
#define OPS .score = score
#define TABLE assay_scorer_ops
#define ROLE ASSAY_ROLE_SCORER
#elif defined(ROLE_llm)
static int complete(void *self, assay_call *call, const assay_json *request, assay_sink *reply, assay_error *err)
{
	const assay_json_api *J = call->host->json;
	int rc = misbehave(self, J->str(J->pointer(request, "/messages/1/content")), err);
	return rc < 0    ? rc
	       : rc == 1 ? 0
			 : emit(self,
				"{\"message\": {\"role\": \"assistant\", \"content\": \"%d\"}, \"finish_reason\": "
				"\"stop\"}",
				reply, err);
}
#define OPS .complete = complete
#define TABLE assay_llm_ops
#define ROLE ASSAY_ROLE_LLM
#elif defined(ROLE_transport)
static int connect_faulty(void *self, assay_call *call, assay_error *err)
{
	(void)self, (void)call, (void)err;
	return 0;
}
static int send(void *self, assay_call *call, assay_str message, assay_error *err)
{
	int rc = misbehave(self, message, err);
	(void)call;
	return rc < 0 ? rc : 0;
}
static int receive(void *self, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	char text[32];
	(void)self, (void)call, (void)timeout_ms;
	snprintf(text, sizeof text, "{\"id\": %d}", counter);
	int rc = FAULT == NO_OUTPUT ? 0 : messages->write(messages, assay_text_of_cstr(text), err);
	return rc < 0 ? rc : 0;
}
#define OPS .connect = connect_faulty, .send = send, .receive = receive
#define TABLE assay_transport_ops
#define ROLE ASSAY_ROLE_TRANSPORT
#elif defined(ROLE_exposure)
static int offer(void *self, assay_call *call, const assay_exposure_request *request, assay_offer_sink *offers,
		 assay_error *err)
{
	int rc = misbehave(self, request->prompt, err);
	(void)call;
	if (rc < 0 || rc == 1 || request->surface.count == 0) {
		return rc < 0 ? rc : 0;
	}
	return offers->add(offers, request->surface.list[(size_t)counter % request->surface.count],
			   (assay_str){NULL, 0}, (assay_str){NULL, 0}, NULL, err);
}
#define OPS .offer = offer
#define TABLE assay_exposure_ops
#define ROLE ASSAY_ROLE_EXPOSURE
#elif defined(ROLE_environment)
static int prepare(void *self, assay_call *call, const char *workdir, void **state, assay_sink *bindings,
		   assay_error *err)
{
	int rc = misbehave(self, assay_text_of_cstr(workdir), err);
	(void)call, (void)state;
	return rc < 0 ? rc : rc == 1 ? 0 : emit(self, "{\"port\": \"%d\"}", bindings, err);
}
static int cleanup(void *self, assay_call *call, void *state, assay_error *err)
{
	(void)self, (void)call, (void)state, (void)err;
	return 0;
}
#define OPS .prepare = prepare, .cleanup = cleanup
#define TABLE assay_environment_ops
#define ROLE ASSAY_ROLE_ENVIRONMENT
#elif defined(ROLE_embedder)
static int embed(void *self, assay_call *call, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		 assay_error *err)
{
	int rc = misbehave(self, n > 0 ? texts[0] : (assay_str){NULL, 0}, err);
	if (FAULT == FORGETS_NULL) {
		char *copy = call->host->alloc(n + 1);
		copy[n] = '\0'; /* NULL when memory is out */
		call->host->free(copy);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		const float size = FAULT == OUT_OF_BOUNDS ? HUGE_VALF : (float)texts[i].len;
		const float vector[] = {(float)(counter + 1), size};
		rc = vectors->add(vectors, vector, 2, err);
	}
	return rc < 0 ? rc : 0;
}
#define OPS .embed = embed
#define TABLE assay_embedder_ops
#define ROLE ASSAY_ROLE_EMBEDDER
#elif defined(ROLE_reporter)
static int render(void *self, assay_call *call, const assay_json *model, assay_sink *out, assay_error *err)
{
	char text[32];
	const assay_json_api *J = call->host->json;
	int rc = misbehave(self, J->str(J->get(model, "name")), err);
	snprintf(text, sizeof text, "report %d\n", counter);
	rc = rc != 0 ? rc : out->write(out, assay_text_of_cstr(text), err);
	return rc < 0 ? rc : 0;
}
#define OPS .file_name = "faulty.txt", .render = render
#define TABLE assay_reporter_ops
#define ROLE ASSAY_ROLE_REPORTER
#endif

static const TABLE ops = {.size = sizeof ops, .open = open_faulty, .close = close_faulty, OPS};
static const assay_impl impl = {.size = sizeof impl,
				.role = ROLE,
				.role_version = 1,
				.name = "faulty",
				.summary = "breaks the contract",
				.ops = &ops};

ASSAY_PLUGIN(faulty, "1.0", "Breaks the contract", "MIT", &impl)
