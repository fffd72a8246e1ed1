#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not of POSIX 2008 */
#include "core/contract/fence.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/plugin/call.h"
#include <assay/table.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN _Alignof(max_align_t)
#define MAGIC 0x41535346454E4345u
#define SLACK 0xA5             /* between a block's end and the page behind it */
#define PAGED_MAX 6000u        /* blocks with pages of their own: a process may have some 65,000 mappings */
#define PAGED_BYTES (1u << 22) /* larger ones lie in the heap */
#define DEAD_MAX 4096u

/* Stands right before a block. */
typedef struct block {
	_Alignas(max_align_t) uint64_t magic;
	struct block *next, *previous;
	const char *operation;
	char *base; /* of its pages; NULL: from the heap */
	size_t length, size;
	uint64_t serial;
} block;

typedef struct range {
	const char *base;
	size_t length;
} range;

enum { TEXT, RNG, AGENT, WORLD, LLM, CHECK, SAMPLER, PROCESS, FILES, HTTP, N_SERVICES };
static const char *const service_names[N_SERVICES] = {"text",  "rng",     "agent",   "world", "llm",
						      "check", "sampler", "process", "file",  "http"};

static struct fence {
	pthread_mutex_t lock;
	block *oldest, *newest;
	size_t n_paged, page;
	int64_t count, fail_from;
	uint64_t serial;
	const char *operation, *complaint;
	range dead[DEAD_MAX];
	size_t next_dead;
	char *tables[N_SERVICES]; /* a page each */
	volatile sig_atomic_t used[N_SERVICES];
	assay_host host;
	assay_json_api json;
	assay_table_api table;
	const assay_table_api *plain_table;
} fence = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_from = AS_FENCE_NEVER};

/* --- memory --- */

static bool may_allocate(void)
{
	pthread_mutex_lock(&fence.lock);
	bool may = fence.fail_from == AS_FENCE_NEVER || fence.count < fence.fail_from;
	fence.count++;
	pthread_mutex_unlock(&fence.lock);
	return may;
}

static void complain(const char *what)
{
	fence.complaint = fence.complaint ? fence.complaint : what;
}

/* Pages for the block, the last of which nobody may touch; the block's end lies as near to it as alignment lets it. */
static block *new_paged(size_t size)
{
	size_t padded = (size + ALIGN - 1) / ALIGN * ALIGN;
	size_t pages = (sizeof(block) + padded + fence.page - 1) / fence.page;
	size_t length = (pages + 1) * fence.page;
	char *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED) {
		return NULL;
	}
	mprotect(base + length - fence.page, fence.page, PROT_NONE);
	block *b = (block *)(void *)(base + length - fence.page - padded - sizeof *b);
	memset((char *)(b + 1) + size, SLACK, padded - size);
	b->base = base;
	b->length = length;
	return b;
}

static void *new_block(size_t size)
{
	pthread_mutex_lock(&fence.lock);
	bool paged = fence.n_paged < PAGED_MAX && size < PAGED_BYTES;
	block *b = paged ? new_paged(size) : as_new(1, sizeof *b + size);
	if (b) {
		b->magic = MAGIC;
		b->size = size;
		b->operation = fence.operation;
		b->serial = fence.serial++;
		b->next = NULL;
		b->previous = fence.newest;
		if (fence.newest) {
			fence.newest->next = b;
		} else {
			fence.oldest = b;
		}
		fence.newest = b;
		fence.n_paged += b->base ? 1 : 0;
	}
	pthread_mutex_unlock(&fence.lock);
	return b ? b + 1 : NULL;
}

static void unlink_block(block *b)
{
	if (b->previous) {
		b->previous->next = b->next;
	} else {
		fence.oldest = b->next;
	}
	if (b->next) {
		b->next->previous = b->previous;
	} else {
		fence.newest = b->previous;
	}
}

static void check_slack(const block *b)
{
	if (!b->base) {
		return;
	}
	const unsigned char *end = (const unsigned char *)(b + 1) + b->size;
	const unsigned char *stop = (const unsigned char *)b->base + b->length - fence.page;
	for (; end < stop; end++) {
		if (*end != SLACK) {
			complain("writes behind the end of memory that it got from host->alloc");
			return;
		}
	}
}

/* Freed pages stay reserved for a while, so that a late look at them is seen. */
static void bury(const block *b)
{
	range *r = &fence.dead[fence.next_dead++ % DEAD_MAX];
	if (r->base) {
		munmap((void *)(uintptr_t)r->base, r->length);
	}
	*r = (range){b->base, b->length};
	fence.n_paged--;
	mprotect(b->base, b->length, PROT_NONE);
}

void as_fence_free(void *p)
{
	if (!p) {
		return;
	}
	block *b = (block *)p - 1;
	pthread_mutex_lock(&fence.lock);
	if (b->magic != MAGIC) { /* faults when it lies in a block that was freed: as_fence_explain */
		complain("frees with host->free what is not from host->alloc, or writes before its start");
	} else {
		check_slack(b);
		unlink_block(b);
		b->magic = 0;
		if (b->base) {
			bury(b);
		} else {
			free(b);
		}
	}
	pthread_mutex_unlock(&fence.lock);
}

static void *fenced_alloc(size_t size)
{
	return may_allocate() ? new_block(size) : NULL;
}

static void *fenced_resize(void *p, size_t size)
{
	void *q = may_allocate() ? new_block(size) : NULL;
	if (p && q) {
		size_t old = ((block *)p - 1)->size;
		memcpy(q, p, old < size ? old : size);
		as_fence_free(p);
	}
	return q;
}

assay_text as_fence_text(assay_str s)
{
	char *p = new_block(s.len + 1);
	if (p && s.len) {
		memcpy(p, s.ptr, s.len);
	}
	return (assay_text){p, p ? s.len : 0};
}

/* --- services that allocate --- */

static int no_memory(assay_error *err)
{
	return as_fail(err, ASSAY_ENOMEM, "out of memory (the check took it away)");
}

/* What the host's own services hand out moves behind the fence. */
static int refence(int rc, assay_text *text, assay_error *err)
{
	if (rc != 0 || !text->ptr) {
		return rc;
	}
	assay_text plain = *text;
	*text = as_fence_text(as_text_str(plain));
	as_text_free(&plain);
	return text->ptr ? 0 : as_fail_memory(err);
}

static void fenced_text_free(assay_text *text)
{
	if (text) {
		as_fence_free(text->ptr);
		*text = (assay_text){0};
	}
}

static int fenced_parse(assay_str text, uint32_t profile, assay_json **out, assay_error *err)
{
	return may_allocate() ? as_json_parse(text, profile, out, err) : no_memory(err);
}

static int fenced_dump(const assay_json *v, uint32_t style, assay_text *out, assay_error *err)
{
	return may_allocate() ? refence(as_json_dump(v, style, out, err), out, err) : no_memory(err);
}

#define MAKER(name, parameters, arguments)                                                                             \
	static assay_json *fenced_##name parameters                                                                    \
	{                                                                                                              \
		return may_allocate() ? as_json_##name arguments : NULL;                                               \
	}
MAKER(object, (void), ())
MAKER(array, (void), ())
MAKER(string, (assay_str s), (s))
MAKER(integer, (int64_t n), (n))
MAKER(real, (double d), (d))
MAKER(truth, (int b), (b))
MAKER(null, (void), ())
MAKER(clone, (const assay_json *v), (v))

static assay_json *fenced_record(const assay_member *members, size_t n)
{
	if (may_allocate()) {
		return as_json_record(members, n);
	}
	for (size_t i = 0; i < n; i++) {
		as_json_free(members[i].kind == ASSAY_WITH_VALUE ? members[i].value : NULL);
	}
	return NULL;
}

static assay_json *fenced_freeze(assay_json *v)
{
	if (may_allocate()) {
		return as_json_freeze(v);
	}
	as_json_free(v);
	return NULL;
}

static int fenced_lower(assay_str s, assay_text *out, assay_error *err)
{
	return may_allocate() ? refence(as_host()->text->lower(s, out, err), out, err) : no_memory(err);
}

static int fenced_read(assay_call *call, const char *path, size_t max, assay_text *out, assay_error *err)
{
	return may_allocate() ? refence(as_host()->file->read(call, path, max, out, err), out, err) : no_memory(err);
}

static int fenced_stderr(assay_process *p, assay_text *out, assay_error *err)
{
	return may_allocate() ? refence(as_host()->process->stderr_tail(p, out, err), out, err) : no_memory(err);
}

static int fenced_render(const assay_json *table, uint32_t style, assay_text *out, assay_error *err)
{
	return may_allocate() ? refence(fence.plain_table->render(table, style, out, err), out, err) : no_memory(err);
}

static const void *fenced_service(const char *name, uint32_t version)
{
	const void *found = as_host()->service(name, version);
	return found && found == fence.plain_table ? &fence.table : found;
}

/* --- the table --- */

/* A copy of a service's table in a page of its own, closed until somebody looks at it. */
static const void *shelve(bool watch, int which, const void *table, size_t size)
{
	char *page = mmap(NULL, fence.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || size > fence.page) {
		abort(); /* no memory for the check itself */
	}
	memcpy(page, table, size);
	mprotect(page, fence.page, watch ? PROT_NONE : PROT_READ);
	fence.tables[which] = page;
	return page;
}

static void make_json(void)
{
	fence.json = *as_host()->json;
	fence.json.parse = fenced_parse;
	fence.json.dump = fenced_dump;
	fence.json.text_free = fenced_text_free;
	fence.json.object = fenced_object;
	fence.json.array = fenced_array;
	fence.json.string = fenced_string;
	fence.json.integer = fenced_integer;
	fence.json.real = fenced_real;
	fence.json.truth = fenced_truth;
	fence.json.null = fenced_null;
	fence.json.clone = fenced_clone;
	fence.json.record = fenced_record;
	fence.json.freeze = fenced_freeze;
}

const assay_host *as_fence_start(bool watch)
{
	const assay_host *plain = as_host();
	assay_text_api text = *plain->text;
	assay_file_api file = *plain->file;
	assay_process_api process = *plain->process;
	if (fence.host.size) {
		return &fence.host;
	}
	fence.page = (size_t)sysconf(_SC_PAGESIZE);
	fence.host = *plain;
	fence.host.alloc = fenced_alloc;
	fence.host.resize = fenced_resize;
	fence.host.free = as_fence_free;
	fence.host.service = fenced_service;
	fence.plain_table = plain->service("table", 1);
	fence.table = *fence.plain_table;
	fence.table.render = fenced_render;
	make_json();
	fence.host.json = &fence.json;
	text.lower = fenced_lower;
	file.read = fenced_read;
	process.stderr_tail = fenced_stderr;
	fence.host.text = shelve(watch, TEXT, &text, sizeof text);
	fence.host.rng = shelve(watch, RNG, plain->rng, sizeof *plain->rng);
	fence.host.agent = shelve(watch, AGENT, plain->agent, sizeof *plain->agent);
	fence.host.world = shelve(watch, WORLD, plain->world, sizeof *plain->world);
	fence.host.llm = shelve(watch, LLM, plain->llm, sizeof *plain->llm);
	fence.host.check = shelve(watch, CHECK, plain->check, sizeof *plain->check);
	fence.host.sampler = shelve(watch, SAMPLER, plain->sampler, sizeof *plain->sampler);
	fence.host.process = shelve(watch, PROCESS, &process, sizeof process);
	fence.host.file = shelve(watch, FILES, &file, sizeof file);
	fence.host.http = shelve(watch, HTTP, plain->http, sizeof *plain->http);
	return &fence.host;
}

bool as_fence_service_fault(const void *address)
{
	for (int i = 0; i < N_SERVICES; i++) {
		uintptr_t at = (uintptr_t)fence.tables[i];
		if (at && (uintptr_t)address >= at && (uintptr_t)address < at + fence.page && !fence.used[i]) {
			fence.used[i] = 1;
			mprotect(fence.tables[i], fence.page, PROT_READ);
			return true;
		}
	}
	return false;
}

void as_fence_services(as_buf *out)
{
	for (int i = 0; i < N_SERVICES; i++) {
		if (fence.used[i]) {
			as_buf_printf(out, "%s%s", out->len ? " " : "", service_names[i]);
		}
	}
}

bool as_fence_outside(void)
{
	return fence.used[PROCESS] || fence.used[HTTP];
}

/* --- accounts --- */

void as_fence_operation(const char *name)
{
	fence.operation = name;
}

void as_fence_fail_from(int64_t number)
{
	pthread_mutex_lock(&fence.lock);
	fence.count = 0;
	fence.fail_from = number;
	pthread_mutex_unlock(&fence.lock);
}

int64_t as_fence_count(void)
{
	return fence.count;
}

size_t as_fence_live(size_t *bytes, const char **operation)
{
	size_t n = 0;
	*bytes = 0;
	*operation = fence.oldest ? fence.oldest->operation : NULL;
	for (const block *b = fence.oldest; b; b = b->next) {
		*bytes += b->size;
		n++;
	}
	return n;
}

void as_fence_forget(void)
{
	fence.oldest = fence.newest = NULL;
	fence.n_paged = 0;
}

const char *as_fence_complaint(void)
{
	const char *what = fence.complaint;
	fence.complaint = NULL;
	return what;
}

const char *as_fence_explain(const void *address)
{
	uintptr_t a = (uintptr_t)address;
	for (size_t i = 0; i < DEAD_MAX; i++) {
		uintptr_t base = (uintptr_t)fence.dead[i].base;
		if (base && a >= base && a < base + fence.dead[i].length) {
			return "touches memory after it was freed (or frees it twice)";
		}
	}
	for (const block *b = fence.oldest; b; b = b->next) {
		uintptr_t end = b->base ? (uintptr_t)b->base + b->length : 0;
		if (end && a >= end - fence.page && a < end) {
			return "runs over the end of memory that it got from host->alloc";
		}
	}
	return NULL;
}
