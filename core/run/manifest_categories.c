/* Categories are data: what the ones that ship consist of stands in contrib/categories.json, and the manifest may add
 * others or change these. */
#include "core/base/error.h"
#include "core/run/manifest_read.h"
#include <string.h>

#define MEDIUM 4u /* tools of a seed set, anchor included, where nothing else is said */

static const unsigned char preset_text[] = {
#include "core/run/categories.inc"
};

static const struct {
	const char *name;
	uint32_t size; /* paper, appendix E */
} levels[] = {{"simple", 2}, {"medium", 4}, {"hard", 6}};
#define N_LEVELS (sizeof levels / sizeof *levels)

/* The members of a shipped category that the manifest's entry leaves out. A complexity decides the size. */
static int fill_from_preset(assay_json *category, const assay_json *preset, bool named_sampler, assay_error *err)
{
	int rc = 0;
	for (const assay_json *v = as_json_first(preset); v && rc == 0; v = as_json_next(v)) {
		assay_str key = as_json_key(v);
		if (as_json_get_n(category, key) || (as_str_is(key, "size") && as_json_get(category, "complexity")) ||
		    (as_str_is(key, "size") && named_sampler)) {
			continue;
		}
		rc = as_json_set_n(category, key, as_json_clone(v));
	}
	return rc < 0 ? as_fail_memory(err) : 0;
}

/* "count" is the sum of what "complexity" says of each level. */
static int set_count(assay_json *category, const char *pointer, assay_error *err)
{
	const assay_json *complexity = as_json_get(category, "complexity"), *count = as_json_get(category, "count");
	int64_t sum = 0;
	if (as_json_type(complexity) != ASSAY_JSON_OBJECT) {
		return count ? 0 : as_manifest_fail(category, err, pointer, "how many tasks? \"count\" is missing");
	}
	for (const assay_json *v = as_json_first(complexity); v; v = as_json_next(v)) {
		sum += as_json_i64(v, 0);
	}
	if (count && as_json_i64(count, 0) != sum) {
		return as_manifest_fail(count, err, pointer, "the levels of \"complexity\" add up to %lld, not to %lld",
					(long long)sum, (long long)as_json_i64(count, 0));
	}
	return as_json_set(category, "count", as_json_integer(sum)) < 0 ? as_fail_memory(err) : 0;
}

int as_expand_categories(assay_json *document, assay_error *err)
{
	assay_json *presets = NULL;
	size_t n = 0;
	int rc = as_json_parse((assay_str){(const char *)preset_text, sizeof preset_text}, ASSAY_JSON_STRICT, &presets,
			       err);
	as_json_forget_lines(presets);
	for (const assay_json *c = as_json_first(as_json_pointer(document, "/generation/categories")); c && rc == 0;
	     c = as_json_next(c), n++) {
		assay_json *category = as_json_edit(c);
		const assay_json *preset = as_json_get_n(presets, as_json_str(as_json_get(c, "name")));
		bool named_sampler = as_json_get(c, "sampler") != NULL;
		char pointer[96];
		snprintf(pointer, sizeof pointer, "/generation/categories/%zu", n);
		rc = set_count(category, pointer, err);
		if (rc == 0 && preset) {
			rc = fill_from_preset(category, preset, named_sampler, err);
		}
	}
	as_json_free(presets);
	return rc;
}

static uint32_t size_of(const assay_json *category, const char *complexity)
{
	uint32_t size = MEDIUM;
	for (size_t i = 0; i < N_LEVELS; i++) {
		size = strcmp(levels[i].name, complexity) == 0 ? levels[i].size : size;
	}
	return (uint32_t)as_json_i64(as_json_get(category, "size"), size);
}

static int read_category(as_manifest_build *b, const assay_json *v, size_t index, as_category_spec *c, assay_error *err)
{
	static const char *const use_keys[] = {"use", "model", NULL};
	const char *name = as_json_cstr(as_json_get(v, "name"), "");
	const char *fallback = as_arena_printf(&b->arena, "sampler/%s", name);
	char pointer[96];
	if (!fallback) {
		return as_fail_memory(err);
	}
	*c = (as_category_spec){.name = name,
				.count = (uint32_t)as_json_i64(as_json_get(v, "count"), 0),
				.framing = as_json_cstr(as_json_get(v, "framing"), ""),
				.challenge = as_json_cstr(as_json_get(v, "challenge"), ""),
				.complexity = as_json_cstr(as_json_get(v, "complexity"), ""),
				.expect = as_json_get(v, "expect"),
				.stride = 1};
	if (as_json_get(v, "size") && as_json_get(v, "complexity")) {
		snprintf(pointer, sizeof pointer, "/generation/categories/%zu/size", index);
		as_manifest_fail(as_json_get(v, "size"), err, pointer,
				 "\"complexity\" decides how many tools a seed set has (simple 2, medium 4, hard 6)");
		as_error_hint(err, "take \"size\" away, or \"complexity\"");
		return ASSAY_EDATA;
	}
	c->size = size_of(v, c->complexity);
	snprintf(pointer, sizeof pointer, "/generation/categories/%zu/sampler", index);
	return as_read_use(b, as_json_get(v, "sampler"), "sampler", fallback, use_keys, pointer, &c->sampler, err);
}

/* A category with a quota for each level becomes one a level; their slots take turns. */
static size_t split_levels(const assay_json *v, as_category_spec *list)
{
	const assay_json *quotas = as_json_get(v, "complexity");
	const as_category_spec whole = list[0];
	size_t n = 0;
	if (as_json_type(quotas) != ASSAY_JSON_OBJECT) {
		return 1;
	}
	for (size_t i = 0; i < N_LEVELS; i++) {
		const assay_json *quota = as_json_get(quotas, levels[i].name);
		if (quota) {
			list[n] = whole;
			list[n].complexity = levels[i].name;
			list[n].size = size_of(v, levels[i].name);
			list[n].count = (uint32_t)as_json_i64(quota, 0);
			list[n].first = (uint32_t)n;
			n++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		list[i].stride = (uint32_t)n;
	}
	return n;
}

int as_read_categories(as_manifest_build *b, assay_error *err)
{
	const assay_json *all = as_json_pointer(b->m.document, "/generation/categories");
	as_category_spec *list = as_arena_alloc(&b->arena, (N_LEVELS * as_json_count(all) + 1) * sizeof *list);
	size_t n = 0, index = 0;
	if (!list) {
		return as_fail_memory(err);
	}
	for (const assay_json *v = as_json_first(all); v; v = as_json_next(v), index++) {
		char pointer[96];
		int rc = read_category(b, v, index, &list[n], err);
		if (rc < 0) {
			return rc;
		}
		for (size_t i = 0; i < n; i++) {
			if (strcmp(list[i].name, list[n].name) == 0) {
				snprintf(pointer, sizeof pointer, "/generation/categories/%zu/name", index);
				return as_manifest_fail(v, err, pointer, "two categories are called \"%s\"",
							list[n].name);
			}
		}
		n += split_levels(v, &list[n]);
	}
	b->m.categories = list;
	b->m.n_categories = n;
	return 0;
}
