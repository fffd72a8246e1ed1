/* exposure/full, rag and hier, embedder/lexical, and reachability on ten catalogues whose recall is known. */
#include "core/base/similarity.h"
#include "core/run/reach.h"
#include "core/task/catalogue.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/model_kit.h"
#include <assay/roles/embedder.h>
#include <assay/roles/exposure.h>

#include <math.h>

#define N_MAX 64

/* What was asked of the embedder and of the router. */
typedef struct stage {
	as_catalogue *catalogue;
	assay_exposure_request request;
	as_call call;
	as_rng rng;
	const char *router_says;
	char router_read[4096];
	size_t embedded;
} stage;

static int hook_embed(void *context, const char *embedder, const assay_str *texts, size_t n, assay_vector_sink *vectors,
		      assay_error *err)
{
	stage *s = context;
	const assay_embedder_ops *ops = fake_load("embedder_lexical", ASSAY_ROLE_EMBEDDER, "lexical")->ops;
	void *self = NULL;
	assay_json *options = json("{'dimensions':4096}");
	int rc;
	ck_assert_str_eq(embedder, "mine");
	s->embedded += n;
	ck_assert_int_eq(ops->open(fake_host(), options, &self, err), 0);
	rc = ops->embed(self, &s->call.pub, texts, n, vectors, err);
	ops->close(self);
	as_json_free(options);
	return rc;
}

static int hook_chat(void *context, const assay_json *request, assay_json **reply, assay_error *err)
{
	stage *s = context;
	assay_json *message = as_json_object();
	(void)err;
	snprintf(s->router_read, sizeof s->router_read, "%s",
		 as_json_cstr(as_json_pointer(request, "/messages/1/content"), ""));
	*reply = as_json_object();
	as_json_set(message, "content", as_json_cstring(s->router_says));
	as_json_set(*reply, "message", message);
	return 0;
}

static const as_call_hooks hooks = {.embed = hook_embed, .chat = hook_chat};

/* "server: name=description|name=description; server: ..." */
static assay_json *records_of(const char *text)
{
	assay_json *records = as_json_array();
	char *copy = as_strdup(text), *rest = copy;
	for (char *server; (server = strtok_r(rest, ";", &rest));) {
		assay_json *r = as_json_object(), *tools = as_json_array();
		char *tail = strchr(server, ':');
		*tail++ = '\0';
		while (*server == ' ') {
			server++;
		}
		for (char *tool; (tool = strtok_r(tail, "|", &tail));) {
			assay_json *t = as_json_object();
			char *description = strchr(tool, '=');
			*description++ = '\0';
			while (*tool == ' ') {
				tool++;
			}
			as_json_set(t, "name", as_json_cstring(tool));
			as_json_set(t, "description", as_json_cstring(description));
			as_json_append(tools, t);
		}
		as_json_set(r, "server_id", as_json_cstring(server));
		as_json_set(r, "class", as_json_cstring("live_read"));
		as_json_set(r, "tools", tools);
		as_json_append(records, r);
	}
	free(copy);
	return records;
}

static void set_stage(stage *s, const char *catalogue, const char *prompt)
{
	*s = (stage){.router_says = ""};
	ck_assert_int_eq(as_catalogue_new(records_of(catalogue), &s->catalogue, NULL), 0);
	s->request = (assay_exposure_request){.size = sizeof s->request,
					      .seed = 3,
					      .prompt = as_str(prompt),
					      .catalogue = as_catalogue_tools(s->catalogue)};
	fake_call(&s->call, AS_FOREVER);
	as_rng_seed(&s->rng, 1);
	s->call.rng = &s->rng;
	s->call.hooks = &hooks;
	s->call.context = s;
}

typedef struct offered {
	assay_offer_sink sink;
	const assay_tool *list[N_MAX];
	size_t n, bare;
} offered;

static int on_add(assay_offer_sink *sink, const assay_tool *tool, assay_str name, assay_str description,
		  const assay_json *parameters, assay_error *err)
{
	offered *o = (offered *)(void *)sink;
	(void)name;
	(void)description;
	(void)err;
	ck_assert_uint_lt(o->n, N_MAX);
	o->list[o->n++] = tool;
	o->bare += parameters != NULL;
	return 0;
}

static int offer(stage *s, const char *name, const char *options, offered *o)
{
	const assay_exposure_ops *ops = fake_load("exposure_pool", ASSAY_ROLE_EXPOSURE, name)->ops;
	assay_json *v = json(options);
	assay_error err = {0};
	void *self = NULL;
	int rc = ops->open(fake_host(), v, &self, &err);
	*o = (offered){.sink = {.size = sizeof o->sink, .add = on_add}};
	rc = rc < 0 ? rc : ops->offer(self, &s->call.pub, &s->request, &o->sink, &err);
	ops->close(self);
	as_json_free(v);
	ck_assert_int_eq(fake_live_blocks(), 0);
	return rc;
}

static const char *names(const offered *o)
{
	static char out[2048];
	out[0] = '\0';
	for (size_t i = 0; i < o->n; i++) {
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%.*s.%.*s", i ? " " : "",
			 ASSAY_FMT(o->list[i]->server), ASSAY_FMT(o->list[i]->name));
	}
	return out;
}

static void expect(stage *s, const char *name, const char *options, const char *expected)
{
	offered o;
	ck_assert_int_eq(offer(s, name, options, &o), 0);
	ck_assert_str_eq(names(&o), expected);
}

#define OFFICE                                                                                                         \
	"cal: add_event=Put an event into the calendar|list_events=Events of a day;"                                   \
	"mail: send=Send a letter to somebody|search=Find letters;"                                                    \
	"sky: forecast=Weather of tomorrow in a city|tides=High water at a coast"

START_TEST(everything_there_is)
{
	stage s;
	offered o;
	set_stage(&s, OFFICE, "x");
	s.request.required = (assay_tools){&s.request.catalogue.list[3], 1};
	s.request.surface = (assay_tools){&s.request.catalogue.list[2], 2};
	expect(&s, "full", "{'reference':true}",
	       "mail.send mail.search cal.add_event cal.list_events sky.forecast sky.tides");
	ck_assert_int_eq(offer(&s, "full", "{'reference':true}", &o), 0);
	ck_assert_uint_eq(o.bare, 4);
	ck_assert_int_eq(offer(&s, "full", "{}", &o), 0);
	ck_assert_uint_eq(o.n, 6);
	ck_assert_uint_eq(o.bare, 0);
	as_catalogue_free(s.catalogue);
}
END_TEST

START_TEST(nearest_tools)
{
	static const char *const ways[] = {"", ",'embedder':'mine'"};
	for (size_t i = 0; i < 2; i++) {
		char options[96];
		stage s;
		set_stage(&s, OFFICE, "What is the weather in the city of Oslo tomorrow, and when is high water?");
		snprintf(options, sizeof options, "{'k':%d,'reference':true%s}", 1, ways[i]);
		expect(&s, "rag", options, "sky.forecast");
		snprintf(options, sizeof options, "{'k':%d,'reference':true%s}", 2, ways[i]);
		expect(&s, "rag", options, "sky.forecast sky.tides");
		ck_assert_uint_eq(s.embedded, i == 0 ? 0 : 14); /* seven texts a time */
		snprintf(options, sizeof options, "{'k':%d,'reference':true%s}", 6, ways[i]);
		expect(&s, "rag", options,
		       "cal.add_event cal.list_events mail.search mail.send sky.forecast sky.tides");
		ck_assert_uint_eq(s.embedded, i == 0 ? 0 : 14); /* all there is needs no vectors */
		as_catalogue_free(s.catalogue);
	}
}
END_TEST

START_TEST(ties_go_by_place)
{
	stage s;
	set_stage(&s, "a: x=same|y=same; b: x=same", "nothing of this");
	expect(&s, "rag", "{'k':2,'reference':true}", "a.x a.y");
	as_catalogue_free(s.catalogue);
	set_stage(&s, "a: x=same", "");
	s.request.catalogue.count = 0;
	expect(&s, "rag", "{'k':2}", "");
	expect(&s, "hier", "{}", "");
	expect(&s, "full", "{}", "");
	as_catalogue_free(s.catalogue);
}
END_TEST

START_TEST(servers_by_retrieval)
{
	stage s;
	set_stage(&s, OFFICE, "weather in Oslo");
	expect(&s, "hier", "{'reference':true}", "sky.forecast sky.tides");
	expect(&s, "hier", "{'reference':true,'embedder':'mine'}", "sky.forecast sky.tides");
	s.request.prompt = ASSAY_STR("Send a letter about the weather of tomorrow");
	expect(&s, "hier", "{'reference':true,'servers':2}", "mail.search mail.send sky.forecast sky.tides");
	as_catalogue_free(s.catalogue);
}
END_TEST

START_TEST(servers_by_a_model)
{
	static const struct {
		const char *says, *expected;
	} cases[] = {{"{\"server_id\":\"mail\"}", "mail.search mail.send"},
		     {"{\"server_id\":\"nobody\"}", "cal.add_event cal.list_events"},
		     {"I would take sky, not mail.", "mail.search mail.send"}, /* the first listed one that occurs */
		     {"no idea", "cal.add_event cal.list_events"},
		     {"", "cal.add_event cal.list_events"},
		     {"[7]", "cal.add_event cal.list_events"}};
	stage s;
	set_stage(&s, OFFICE, "do something");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		s.router_says = cases[i].says;
		expect(&s, "hier", "{'reference':true,'router':'model'}", cases[i].expected);
	}
	ck_assert_ptr_nonnull(strstr(s.router_read, "do something"));
	ck_assert_ptr_nonnull(strstr(s.router_read, "- mail (2 tools): search, send\n"));
	s.router_says = "{\"server_ids\":[\"sky\",\"mail\",\"cal\"]}";
	expect(&s, "hier", "{'reference':true,'router':'model','servers':2}",
	       "mail.search mail.send sky.forecast sky.tides");
	as_catalogue_free(s.catalogue);
	set_stage(&s, "big: a=x|b=x|c=x|d=x|e=x|f=x|g=x|h=x|i=x|j=x", "p");
	s.router_says = "big";
	expect(&s, "hier", "{'reference':true,'router':'model'}",
	       "big.a big.b big.c big.d big.e big.f big.g big.h big.i big.j");
	ck_assert_ptr_nonnull(strstr(s.router_read, "- big (10 tools): a, b, c, d, e, f, g, h, +2 more\n"));
	s.call.hooks = NULL;
	offered o;
	ck_assert_int_eq(offer(&s, "hier", "{'router':'model'}", &o), ASSAY_ENOTSUP);
	as_catalogue_free(s.catalogue);
}
END_TEST

static bool on_list(const void *context, assay_str server, assay_str tool)
{
	const offered *o = context;
	for (size_t i = 0; i < o->n; i++) {
		if (as_str_eq(o->list[i]->name, tool) && as_str_eq(o->list[i]->server, server)) {
			return true;
		}
	}
	return false;
}

/* Ten catalogues with a task each. What an exposure offers of them is written out by hand, and so is how many of the
 * checkpoints that leaves in reach. A checkpoint is a word: the tools that it takes, or "-" for one that takes none. */
static const struct known {
	const char *name, *catalogue, *prompt, *exposure, *options, *router_says, *offered, *checkpoints;
	uint32_t of, reachable;
} known[] = {
	{"office", OFFICE, "weather tomorrow", "rag", "{'k':1}", "", "sky.forecast", "sky.forecast mail.send", 2, 1},
	{"twins", "one: go=Go somewhere; two: go=Go somewhere", "go", "rag", "{'k':1}", "", "one.go",
	 "two.go two.go|one.go", 2, 1},
	{"kitchen",
	 "oven: heat=Heat the oven|timer=Set a timer; fridge: look=See what food is cold; shop: order=Order food by van",
	 "set the timer, heat the oven", "rag", "{'k':2}", "", "oven.heat oven.timer",
	 "oven.heat oven.timer shop.order -", 3, 2},
	{"library",
	 "books: find=Find books by their author|lend=Lend a book; films: find=Find films by director|rate=Rate a film;"
	 "music: play=Play a song",
	 "lend me books of this author", "hier", "{'servers':1}", "", "books.find books.lend",
	 "books.find books.lend films.rate films.find|books.find", 4, 3},
	{"port",
	 "tides: table=High water of a harbour; ships: berth=Berth of a ship|leave=When a ship leaves;"
	 "cranes: lift=Lift a container|lower=Lower a container; taxi: call=Call a car",
	 "when does the ship leave its berth, and when is high water in the harbour", "hier", "{'servers':2}", "",
	 "ships.berth ships.leave tides.table", "tides.table ships.leave cranes.lift taxi.call", 4, 2},
	{"bank", "accounts: balance=Balance|close=Close; cards: block=Block|order=Order; loans: offer=Offer",
	 "anything", "full", "{}", "", "accounts.balance accounts.close cards.block cards.order loans.offer",
	 "accounts.close cards.order loans.offer", 3, 3},
	{"garden", "beds: dig=Dig|plant=Plant; water: on=Water on|off=Water off; sky: rain=Rain to come",
	 "no word of it", "hier", "{'router':'model'}", "{\"server_id\":\"water\"}", "water.off water.on",
	 "beds.dig water.on sky.rain water.off -", 4, 2},
	{"solo", "solo: act=Do the one thing that there is", "whatever", "rag", "{'k':5}", "", "solo.act",
	 "solo.act gone.act", 2, 1},
	{"museum", "halls: open=When halls are open|guide=Book a guide; vault: door=Open the vault door", "guide",
	 "rag", "{'k':1,'embedder':'mine'}", "", "halls.guide", "- vault.door|halls.open -", 1, 0},
	{"station", "trains: next=Next train|seat=Take a seat; lost: found=What was found", "the next train", "rag",
	 "{'k':1}", "", "trains.next", "- -", 0, 0},
};

/* The next word of a list, NULL: no more. */
static const char *next_word(const char **rest, char *out, size_t size, const char *separators)
{
	size_t n;
	*rest += strspn(*rest, separators);
	n = strcspn(*rest, separators);
	ck_assert_uint_lt(n, size);
	memcpy(out, *rest, n);
	out[n] = '\0';
	*rest += n;
	return n > 0 ? out : NULL;
}

static bool has_word(const char *list, const char *word)
{
	char one[64];
	while (next_word(&list, one, sizeof one, " ")) {
		if (strcmp(one, word) == 0) {
			return true;
		}
	}
	return false;
}

static void put_checkpoint(as_buf *task, const char *tools)
{
	char tool[64];
	if (strcmp(tools, "-") == 0) {
		as_buf_puts(task, "{'kind':'value_produced','predicate':{}},");
		return;
	}
	as_buf_puts(task, "{'kind':'tool_effect','equivalence_set':[");
	while (next_word(&tools, tool, sizeof tool, "|")) {
		char *dot = strchr(tool, '.');
		*dot = '\0';
		as_buf_printf(task, "{'server_id':'%s','tool_name':'%s'}%s", tool, dot + 1, *tools ? "," : "");
	}
	as_buf_puts(task, "]},");
}

/* The task, and how many of its checkpoints the offer that is written down reaches. */
static assay_json *known_task(const struct known *k, uint32_t *of, uint32_t *reachable)
{
	const char *rest = k->checkpoints;
	char tools[128], tool[64];
	as_buf task = {0};
	assay_json *v;
	*of = *reachable = 0;
	as_buf_puts(&task, "{'checkpoints':[");
	while (next_word(&rest, tools, sizeof tools, " ")) {
		const char *each = tools;
		bool reached = false;
		put_checkpoint(&task, tools);
		while (next_word(&each, tool, sizeof tool, "|")) {
			reached = reached || has_word(k->offered, tool);
		}
		*of += strcmp(tools, "-") != 0;
		*reachable += reached;
	}
	task.ptr[task.len - 1] = ']'; /* the last comma */
	as_buf_puts(&task, "}");
	v = json(task.ptr);
	as_buf_free(&task);
	return v;
}

START_TEST(ten_catalogues_with_known_recall)
{
	ck_assert_uint_eq(sizeof known / sizeof *known, 10);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct known *k = &known[i];
		const char *rest = k->offered;
		uint32_t of, reachable, tools = 0;
		char tool[64];
		stage s;
		offered o;
		assay_json *task = known_task(k, &of, &reachable);
		as_reach r;
		set_stage(&s, k->catalogue, k->prompt);
		s.router_says = k->router_says;
		ck_assert_int_eq(offer(&s, k->exposure, k->options, &o), 0);
		for (; next_word(&rest, tool, sizeof tool, " "); tools++) {
			ck_assert_msg(has_word(names(&o), tool), "%s: %s is not among %s", k->name, tool, names(&o));
		}
		r = as_reach_count(task, on_list, &o);
		ck_assert_msg(o.n == tools, "%s: %s", k->name, names(&o));
		ck_assert_msg(of == k->of && reachable == k->reachable, "%s: %u of %u by the list", k->name, reachable,
			      of);
		ck_assert_msg(r.checkpoints == k->of && r.reachable == k->reachable, "%s: %u of %u", k->name,
			      r.reachable, r.checkpoints);
		as_json_free(task);
		as_catalogue_free(s.catalogue);
	}
}
END_TEST

/* --- Vectors --------------------------------------------------------------------------------------------------- */

typedef struct vectors {
	assay_vector_sink sink;
	float v[8][256];
	size_t n, size;
} vectors;

static int on_vector(assay_vector_sink *sink, const float *vector, size_t n, assay_error *err)
{
	vectors *all = (vectors *)(void *)sink;
	(void)err;
	ck_assert_uint_lt(all->n, 8);
	ck_assert_uint_eq(n, 256);
	memcpy(all->v[all->n++], vector, n * sizeof *vector);
	all->size = n;
	return 0;
}

START_TEST(words_as_vectors)
{
	const assay_str texts[] = {ASSAY_STR("Red kettle, red pot"), ASSAY_STR("a RED kettle and a red pot"),
				   ASSAY_STR("blue whale"), ASSAY_STR("")};
	const assay_embedder_ops *ops = fake_load("embedder_lexical", ASSAY_ROLE_EMBEDDER, "lexical")->ops;
	assay_json *options = json("{'dimensions':256}");
	vectors all = {.sink = {sizeof all.sink, 0, on_vector}};
	as_call call;
	void *self = NULL;
	double length = 0;
	fake_call(&call, AS_FOREVER);
	ck_assert_int_eq(ops->open(fake_host(), options, &self, NULL), 0);
	ck_assert_int_eq(ops->embed(self, &call.pub, texts, 4, &all.sink, NULL), 0);
	ck_assert_uint_eq(all.n, 4);
	for (size_t i = 0; i < 256; i++) {
		length += (double)all.v[0][i] * (double)all.v[0][i];
		ck_assert(all.v[3][i] >= 0 && all.v[3][i] <= 0);
	}
	ck_assert(fabs(length - 1.0) < 1e-5);
	ck_assert(as_cosine(all.v[0], all.v[1], 256) > 0.4);
	ck_assert(fabs(as_cosine(all.v[0], all.v[2], 256)) < 0.2);
	ck_assert(fabs(as_cosine(all.v[0], all.v[0], 256) - 1.0) < 1e-6);
	ck_assert(fabs(as_cosine(all.v[0], all.v[3], 256)) <= 0);
	ops->close(self);
	as_json_free(options);
	ck_assert_int_eq(fake_live_blocks(), 0);
}
END_TEST

START_TEST(cosines)
{
	float a[37], b[37];
	double d = 0, x = 0, y = 0;
	for (size_t i = 0; i < 37; i++) {
		a[i] = (float)((double)(i % 7) - 2.5);
		b[i] = (float)((double)(i % 5) - 1.25);
		d += (double)a[i] * (double)b[i];
		x += (double)a[i] * (double)a[i];
		y += (double)b[i] * (double)b[i];
	}
	ck_assert(fabs(as_cosine(a, b, 37) - d / sqrt(x * y)) < 1e-6);
	ck_assert(fabs(as_cosine(a, b, 0)) <= 0);
}
END_TEST

START_TEST(out_of_memory)
{
	static const char *const which[][2] = {{"full", "{}"},
					       {"rag", "{'k':2}"},
					       {"rag", "{'k':2,'embedder':'mine'}"},
					       {"hier", "{'servers':2}"}};
	for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
		bool worked = false;
		for (long n = 0; n < 200 && !worked; n++) {
			stage s;
			offered o;
			set_stage(&s, OFFICE, "weather");
			fake_fail_alloc(n);
			const assay_exposure_ops *ops =
				fake_load("exposure_pool", ASSAY_ROLE_EXPOSURE, which[i][0])->ops;
			assay_json *v = json(which[i][1]);
			void *self = NULL;
			int rc = ops->open(fake_host(), v, &self, NULL);
			o = (offered){.sink = {.size = sizeof o.sink, .add = on_add}};
			rc = rc < 0 || i == 2 ? rc : ops->offer(self, &s.call.pub, &s.request, &o.sink, NULL);
			ops->close(self);
			fake_fail_alloc(-1);
			as_json_free(v);
			ck_assert(rc == 0 || rc == ASSAY_ENOMEM);
			ck_assert_int_eq(fake_live_blocks(), 0);
			worked = rc == 0;
			as_catalogue_free(s.catalogue);
		}
		ck_assert(worked);
	}
}
END_TEST

UNIT_SUITE(make_suite, "retrieval", everything_there_is, nearest_tools, ties_go_by_place, servers_by_retrieval,
	   servers_by_a_model, ten_catalogues_with_known_recall, words_as_vectors, cosines, out_of_memory)
UNIT_MAIN(make_suite)
