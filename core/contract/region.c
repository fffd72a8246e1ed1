#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not of POSIX 2008 */
#include "core/contract/region.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN _Alignof(max_align_t)

/* Where regions are and were. A slot is taken by the thread that opens a region. */
#define SLOTS 4096u
typedef struct slot {
	_Atomic(char *) base;
	_Atomic size_t size;
	_Atomic bool dead;
} slot;
static slot slots[SLOTS];
static atomic_size_t next_slot;

static void note(char *base, size_t size)
{
	slot *s = &slots[atomic_fetch_add(&next_slot, 1) % SLOTS];
	char *old = s->base;
	if (old && s->dead) {
		munmap(old, s->size);
	}
	s->dead = false;
	s->size = size;
	s->base = base;
}

static slot *slot_of(const void *address)
{
	uintptr_t a = (uintptr_t)address;
	for (size_t i = 0; i < SLOTS; i++) {
		uintptr_t base = (uintptr_t)(char *)slots[i].base;
		if (base && a >= base && a < base + slots[i].size) {
			return &slots[i];
		}
	}
	return NULL;
}

void as_region_open(as_region *r, size_t size)
{
	*r = (as_region){.size = size};
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED) {
		r->failed = true;
		r->size = 0;
	} else {
		r->base = base;
		note(base, size);
	}
}

void *as_region_alloc(as_region *r, size_t size)
{
	size_t padded = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (r->failed || padded < size || padded > r->size - r->used) {
		r->failed = true;
		return NULL;
	}
	void *at = r->base + r->used;
	r->used += padded;
	return at;
}

assay_str as_region_str(as_region *r, assay_str s)
{
	/* No NUL behind it: a plugin must not rely on one. An empty text may have no address at all. */
	char *at = s.len ? as_region_alloc(r, s.len) : NULL;
	if (at) {
		memcpy(at, s.ptr, s.len);
	}
	return (assay_str){at, at ? s.len : 0};
}

const char *as_region_cstr(as_region *r, assay_str s)
{
	char *at = as_region_alloc(r, s.len + 1);
	if (at && s.len) {
		memcpy(at, s.ptr, s.len);
	}
	return at;
}

const assay_json *as_region_json(as_region *r, const assay_json *v)
{
	void *room = v ? as_region_alloc(r, as_json_image_size(v)) : NULL;
	return room ? as_json_image(v, room) : NULL;
}

static const assay_str *tags_of(as_region *r, const assay_json *tags, size_t *n)
{
	size_t count = as_json_count(tags);
	assay_str *list = count ? as_region_alloc(r, count * sizeof *list) : NULL;
	for (const assay_json *t = as_json_first(tags); t && list; t = as_json_next(t)) {
		list[(*n)++] = as_region_str(r, as_json_str(t));
	}
	return list;
}

typedef struct as_region_tool {
	assay_tool tool;
	struct as_region_tool *next;
} as_region_tool;

static const assay_tool *tool_of(as_region *r, const assay_json *t)
{
	assay_str server = as_json_str(as_json_get(t, "server")), name = as_json_str(as_json_get(t, "name"));
	for (const as_region_tool *known = r->tools; known; known = known->next) {
		if (as_str_eq(known->tool.server, server) && as_str_eq(known->tool.name, name)) {
			return &known->tool;
		}
	}
	as_region_tool *made = as_region_alloc(r, sizeof *made);
	if (!made) {
		return NULL;
	}
	assay_tool *tool = &made->tool;
	tool->size = sizeof *tool;
	tool->flags = (uint32_t)as_json_i64(as_json_get(t, "flags"), 0);
	tool->server = as_region_str(r, server);
	tool->name = as_region_str(r, name);
	tool->description = as_region_str(r, as_json_str(as_json_get(t, "description")));
	tool->input_schema = as_region_json(r, as_json_get(t, "input_schema"));
	tool->tags = tags_of(r, as_json_get(t, "tags"), &tool->n_tags);
	made->next = r->tools;
	r->tools = made;
	return tool;
}

assay_tools as_region_tools(as_region *r, const assay_json *list)
{
	size_t count = as_json_type(list) == ASSAY_JSON_ARRAY ? as_json_count(list) : 0;
	const assay_tool **pointers = count ? as_region_alloc(r, count * sizeof *pointers) : NULL;
	assay_tools out = {pointers, 0};
	for (const assay_json *t = as_json_first(list); t && pointers; t = as_json_next(t)) {
		const assay_tool *tool = tool_of(r, t);
		if (!tool) {
			break;
		}
		pointers[out.count++] = tool;
	}
	return out;
}

void as_region_seal(as_region *r)
{
	if (r->base && mprotect(r->base, r->size, PROT_READ) != 0) {
		r->failed = true;
	}
}

void as_region_kill(as_region *r)
{
	slot *s = r->base ? slot_of(r->base) : NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t kept = (r->used / page + 1) * page;
	if (s) {
		mprotect(r->base, r->size, PROT_NONE);
		if (kept < r->size) {
			munmap(r->base + kept, r->size - kept);
			s->size = kept;
		}
		s->dead = true;
	}
	*r = (as_region){0};
}

const char *as_region_explain(const void *address)
{
	const slot *s = slot_of(address);
	return !s        ? NULL
	       : s->dead ? "comes back to an input after the call: keeps a borrowed pointer"
			 : "writes to a borrowed input: inputs are read-only";
}

bool as_region_holds(const as_region *r, const void *address)
{
	uintptr_t a = (uintptr_t)address, base = (uintptr_t)r->base;
	return r->base && a >= base && a < base + r->size;
}
