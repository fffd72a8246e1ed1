#include "core/plugin/role.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/plugin/registry.h"
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
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define REQUIRED(role, member) {#member, offsetof(assay_##role##_ops, member), true, false}
#define OPTIONAL(role, member) {#member, offsetof(assay_##role##_ops, member), false, false}
#define TEXT(role, member)     {#member, offsetof(assay_##role##_ops, member), true, true}

static const as_operation sampler[] = {REQUIRED(sampler, draw), OPTIONAL(sampler, seed_sets)};
static const as_operation goalgen[] = {REQUIRED(goalgen, generate)};
static const as_operation explorer[] = {REQUIRED(explorer, run)};
static const as_operation distiller[] = {REQUIRED(distiller, distil)};
static const as_operation scorer[] = {REQUIRED(scorer, score)};
static const as_operation llm[] = {REQUIRED(llm, complete)};
static const as_operation transport[] = {REQUIRED(transport, connect), REQUIRED(transport, send),
                                         REQUIRED(transport, receive), OPTIONAL(transport, diagnostics),
                                         OPTIONAL(transport, send_message), OPTIONAL(transport, refusal),
                                         OPTIONAL(transport, abandon), OPTIONAL(transport, listen),
                                         OPTIONAL(transport, fall_back), OPTIONAL(transport, restart)};
static const as_operation exposure[] = {REQUIRED(exposure, offer), OPTIONAL(exposure, route)};
static const as_operation embedder[] = {REQUIRED(embedder, embed), OPTIONAL(embedder, max_batch)};
static const as_operation environment[] = {REQUIRED(environment, prepare), REQUIRED(environment, cleanup),
                                           OPTIONAL(environment, digest), OPTIONAL(environment, snapshot),
                                           OPTIONAL(environment, restore)};
static const as_operation reporter[] = {TEXT(reporter, file_name), REQUIRED(reporter, render)};

#define ROLE(role) {#role, sizeof(assay_##role##_ops), role, sizeof role / sizeof *role}

static const as_role roles[ASSAY_ROLE_COUNT + 1] = {
	[ASSAY_ROLE_SAMPLER] = ROLE(sampler),
	[ASSAY_ROLE_GOALGEN] = ROLE(goalgen),
	[ASSAY_ROLE_EXPLORER] = ROLE(explorer),
	[ASSAY_ROLE_DISTILLER] = ROLE(distiller),
	[ASSAY_ROLE_SCORER] = ROLE(scorer),
	[ASSAY_ROLE_LLM] = ROLE(llm),
	[ASSAY_ROLE_TRANSPORT] = ROLE(transport),
	[ASSAY_ROLE_EXPOSURE] = ROLE(exposure),
	[ASSAY_ROLE_EMBEDDER] = ROLE(embedder),
	[ASSAY_ROLE_ENVIRONMENT] = ROLE(environment),
	[ASSAY_ROLE_IMPORTER] = {"importer", 0, NULL, 0},
	[ASSAY_ROLE_REPORTER] = ROLE(reporter),
};
/* clang-format on */

const as_role *as_role_get(uint32_t role)
{
	return role >= 1 && role <= ASSAY_ROLE_COUNT ? &roles[role] : NULL;
}

bool as_role_has(const void *ops, size_t size, const as_operation *operation)
{
	/* Functions and texts alike are pointers of one size on POSIX, and NULL is all zero bits (dlsym relies on it
	 * too). */
	uintptr_t pointer;
	if (size < operation->offset + sizeof pointer) {
		return false;
	}
	memcpy(&pointer, (const char *)ops + operation->offset, sizeof pointer);
	return pointer != 0;
}

const char *as_role_name(uint32_t role)
{
	const as_role *known = as_role_get(role);
	return known ? known->name : NULL;
}

uint32_t as_role_from_name(assay_str name)
{
	for (uint32_t role = 1; role <= ASSAY_ROLE_COUNT; role++) {
		if (roles[role].size > 0 && as_str_is(name, roles[role].name)) {
			return role;
		}
	}
	return 0;
}

const char *as_role_file_name(const char *name)
{
	static const char *const taken[] = {"assay.json", "assay.db", "assay.db-wal", "assay.db-shm",
					    "assay.db-journal"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		if (strcmp(name, taken[i]) == 0) {
			return "is that of the manifest or the store";
		}
	}
	return !name[0] ? "is empty" : name[0] == '.' ? "begins with a dot" : strchr(name, '/') ? "has a slash" : NULL;
}

int as_role_picks(const uint32_t *picked, size_t n_picked, size_t n, size_t count, assay_error *err)
{
	bool *seen;
	int rc = 0;
	if (n_picked > n) {
		return as_fail(err, ASSAY_EPLUGIN, "picks %zu tools, and was asked for %zu", n_picked, n);
	}
	seen = as_new(count + 1, sizeof *seen);
	if (!seen) {
		return as_fail_memory(err);
	}
	for (size_t i = 0; i < n_picked && rc == 0; i++) {
		if (picked[i] >= count) {
			rc = as_fail(err, ASSAY_EPLUGIN, "picks tool %u of %zu", picked[i], count);
		} else if (seen[picked[i]]) {
			rc = as_fail(err, ASSAY_EPLUGIN, "picks tool %u twice", picked[i]);
		} else {
			seen[picked[i]] = true;
		}
	}
	free(seen);
	return rc;
}

static bool is_unit(const assay_json *v)
{
	double d = as_json_f64(v, -1.0);
	return as_json_type(v) == ASSAY_JSON_NUMBER && d >= 0.0 && d <= 1.0;
}

static bool is_of_type(const assay_json *v, int type)
{
	return !v || as_json_type(v) == ASSAY_JSON_NULL || as_json_type(v) == type;
}

static bool has_good_metrics(const assay_json *verdict)
{
	const assay_json *metrics = as_json_get(verdict, "metrics");
	bool good = is_of_type(metrics, ASSAY_JSON_OBJECT);
	for (const assay_json *m = as_json_first(metrics); m && good; m = as_json_next(m)) {
		good = is_of_type(m, ASSAY_JSON_NUMBER);
	}
	return good;
}

const char *as_role_verdict(const assay_json *v)
{
	assay_str word = as_json_str(as_json_get(v, "verdict"));
	if (!as_str_is(word, "pass") && !as_str_is(word, "fail") && !as_str_is(word, "unknown")) {
		return "the verdict is neither \"pass\" nor \"fail\" nor \"unknown\"";
	}
	if (!is_unit(as_json_get(v, "lo")) || !is_unit(as_json_get(v, "hi")) ||
	    as_json_f64(as_json_get(v, "lo"), 0) > as_json_f64(as_json_get(v, "hi"), 0)) {
		return "the verdict's \"lo\" and \"hi\" are no bounds within 0 and 1";
	}
	if (!is_of_type(as_json_get(v, "checks"), ASSAY_JSON_ARRAY) ||
	    !is_of_type(as_json_get(v, "minefields"), ASSAY_JSON_ARRAY)) {
		return "the verdict's \"checks\" and \"minefields\" are no arrays";
	}
	if (!is_of_type(as_json_get(v, "ordering"), ASSAY_JSON_OBJECT) ||
	    !is_of_type(as_json_get(v, "summary"), ASSAY_JSON_OBJECT)) {
		return "the verdict's \"ordering\" and \"summary\" are no objects";
	}
	return has_good_metrics(v) ? NULL : "the verdict's \"metrics\" is no object of numbers";
}
