/* assay servers check: start, shake hands, list, call, time; with --vet, try everything. */
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/cli/servers.h"
#include "core/run/vet.h"
#include "core/stats/stats.h"
#include <stdlib.h>
#include <string.h>

typedef struct checking {
	as_cli *cli;
	const as_visit *visit;
	const as_server_spec **servers;
	assay_json **records; /* one a server */
	int *exits;           /* AS_EXIT_..., one a server */
} checking;

static double ms_since(int64_t us)
{
	return as_round((double)(as_now_us() - us) / 1000.0, 1);
}

static bool call_failed(const assay_json *call)
{
	assay_str status = as_json_str(as_json_get(call, "status"));
	return status.len > 0 && !as_str_is(status, "ok");
}

/* The call that a server's line tells of; of a vetting, that did not end well, the first that failed. */
static const assay_json *call_of(const assay_json *o)
{
	const assay_json *vetting = as_json_get(o, "vetting");
	if (!vetting || as_json_boolean(as_json_get(vetting, "ok"), 0)) {
		return as_json_get(o, "call");
	}
	for (const assay_json *t = as_json_first(as_json_get(vetting, "tools")); t; t = as_json_next(t)) {
		if (call_failed(t) && !as_str_is(as_json_str(as_json_get(t, "status")), "skipped")) {
			return t;
		}
	}
	return NULL;
}

/* Names that stand in a list of tools more than once. NULL: no memory. */
static assay_json *repeated(const assay_json *tools)
{
	assay_json *seen = as_json_object(), *again = as_json_object();
	int rc = again ? 0 : ASSAY_ENOMEM;
	for (const assay_json *t = as_json_first(tools); t && rc == 0; t = as_json_next(t)) {
		assay_str name = as_json_str(as_json_get(t, "name"));
		rc = as_json_set_n(as_json_get_n(seen, name) ? again : seen, name, as_json_null());
	}
	as_json_free(seen);
	seen = as_json_array();
	for (const assay_json *m = as_json_first(again); m && rc == 0; m = as_json_next(m)) {
		rc = as_json_append(seen, as_json_string(as_json_key(m)));
	}
	as_json_free(again);
	if (rc < 0) {
		as_json_free(seen);
		return NULL;
	}
	return seen;
}

/* What can be found out in an open world. *exit: what a call that failed makes of the status. */
static int look(const checking *k, as_context *c, const as_server_spec *s, assay_json *o, int *exit, assay_error *err)
{
	static const char *const parts[] = {"fingerprint", "noise", "start_ms", "list_ms"};
	as_vetting v = {.context = c, .server = s, .allow_writes = as_cli_option(k->cli, "allow-writes") != NULL};
	bool vet = as_cli_option(k->cli, "vet") != NULL, broken = false;
	assay_json *described = NULL, *found = NULL, *tools;
	int rc = as_live_describe(c->world, &c->call, as_str(s->id), &described, err);
	if (rc < 0) {
		return rc;
	}
	tools = as_json_detach(described, "tools");
	rc = as_json_set(o, "tools", tools);
	rc |= as_json_set(o, "repeated", repeated(tools));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		rc |= as_json_set(o, parts[i], as_json_detach(described, parts[i]));
	}
	if (as_str_is(as_json_str(as_json_pointer(o, "/fingerprint/transport")), "sse")) {
		rc |= as_json_set(o, "transport", as_json_cstring("sse")); /* whatever the manifest says */
	}
	as_json_free(described);
	v.tools = tools;
	rc = rc < 0 ? as_fail_memory(err)
	     : vet  ? as_vet_server(&v, &broken, &found, err)
		    : as_vet_probe(&v, &broken, &found, err);
	if (rc == 0 && (broken || (!vet && call_failed(found)))) {
		*exit = broken ? AS_EXIT_UNREACHABLE : AS_EXIT_NO;
	}
	if (rc == 0 && as_json_set(o, vet ? "vetting" : "call", found) < 0) {
		rc = as_fail_memory(err);
	}
	return rc;
}

static int check_one(void *context, uint32_t worker, size_t item, assay_error *err)
{
	checking *k = context;
	const as_server_spec *s = k->servers[item];
	const char *transport = strchr(s->use, '/');
	assay_json *o = as_json_object();
	assay_error why = {0};
	as_context c = {0};
	char line[900] = "";
	int64_t leaving;
	int exit = AS_EXIT_OK;
	int set = as_json_set(o, "server", as_json_cstring(s->id));
	set |= as_json_set(o, "ok", as_json_null()); /* its place in the object */
	set |= as_json_set(o, "class", as_json_cstring(as_class_name(s->server_class)));
	set |= as_json_set(o, "transport", as_json_cstring(transport ? transport + 1 : s->use));
	set |= as_json_set(o, "fingerprint", as_json_null());
	set |= as_json_set(o, "tools", as_json_array());
	int rc = set < 0 ? as_fail_memory(&why) : as_visit_world(k->visit, worker, s->id, &c, &why);
	rc = rc < 0 ? rc : look(k, &c, s, o, &exit, &why);
	leaving = as_now_us();
	as_visit_leave(&c);
	as_progress_step(k->visit->engine->progress, 1);
	if (rc == ASSAY_ECANCELED || rc == ASSAY_ENOMEM) {
		as_json_free(o);
		*err = why;
		return rc;
	}
	if (rc < 0) {
		as_error_format(&why, line, sizeof line);
	}
	set |= as_json_set(o, "ok", as_json_truth(rc == 0));
	set |= as_json_set(o, "stop_ms", as_json_real(ms_since(leaving)));
	set |= as_json_set(o, "error", as_json_cstring(rc < 0 ? line : NULL));
	k->exits[item] = rc < 0 ? as_exit_code(rc, &why) : exit;
	k->records[item] = o;
	return set < 0 ? as_fail_memory(err) : 0;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static int columns(assay_json *table, const char *const *titles, size_t n, const char *right)
{
	int rc = 0;
	for (size_t i = 0; i < n; i++) {
		rc |= as_table_column(table, titles[i], right[i] == 'r');
	}
	return rc;
}

static void number_cell(const assay_json *v, char out[24])
{
	if (as_json_type(v) == ASSAY_JSON_NUMBER) {
		snprintf(out, 24, "%.1f", as_json_f64(v, 0));
	} else {
		snprintf(out, 24, "-");
	}
}

static int check_line(assay_json *table, const assay_json *o)
{
	const assay_json *print = as_json_get(o, "fingerprint"), *called = call_of(o);
	char start[24], call[24], stop[24], tools[24];
	bool ok = as_json_boolean(as_json_get(o, "ok"), 0), failed = call_failed(called);
	as_buf said = {0};
	as_buf_puts(&said,
		    ok ? as_json_cstr(as_json_get(called, "name"), "") : as_json_cstr(as_json_get(o, "error"), ""));
	if (failed) {
		const char *reason = as_json_cstr(as_json_get(called, "reason"), "");
		as_buf_printf(&said, ": %s", reason[0] ? reason : "it failed, and did not say why");
	}
	const char *cells[] = {as_json_cstr(as_json_get(o, "server"), ""),
			       !ok      ? "failed"
			       : failed ? "call failed"
					: "ok",
			       as_json_cstr(as_json_get(o, "class"), ""),
			       as_json_cstr(as_json_get(o, "transport"), "-"),
			       as_json_cstr(as_json_get(print, "protocol_version"), "-"),
			       tools,
			       start,
			       call,
			       stop,
			       as_json_cstr(as_json_get(print, "tool_surface_hash"), "-"),
			       said.ptr ? said.ptr : ""};
	number_cell(as_json_get(o, "start_ms"), start);
	number_cell(as_json_get(called, "ms"), call);
	number_cell(as_json_get(o, "stop_ms"), stop);
	snprintf(tools, sizeof tools, "%zu", as_json_count(as_json_get(o, "tools")));
	int rc = said.failed ? ASSAY_ENOMEM : as_table_row(table, cells, sizeof cells / sizeof *cells);
	as_buf_free(&said);
	return rc;
}

static int say_checks(const checking *k, size_t n, assay_error *err)
{
	static const char *const titles[] = {"server",   "state",   "class",   "transport", "protocol", "tools",
					     "start ms", "call ms", "stop ms", "surface",   "called"};
	assay_json *table = as_table_new();
	int rc = columns(table, titles, 11, "lllllrrrrll");
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = check_line(table, k->records[i]);
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	return as_say_table(k->cli, table, err);
}

static int vet_lines(assay_json *table, const assay_json *vetting)
{
	int rc = 0;
	for (const assay_json *t = as_json_first(as_json_get(vetting, "tools")); t && rc == 0; t = as_json_next(t)) {
		char ms[24];
		const char *cells[] = {as_json_cstr(as_json_get(t, "name"), ""),
				       as_json_cstr(as_json_get(t, "status"), ""), ms,
				       as_json_cstr(as_json_get(t, "reason"), "")};
		number_cell(as_json_type(as_json_get(t, "arguments")) == ASSAY_JSON_OBJECT ? as_json_get(t, "ms")
											   : NULL,
			    ms);
		rc = as_table_row(table, cells, 4);
	}
	return rc;
}

static void say_findings(const as_cli *cli, const assay_json *vetting)
{
	const assay_json *c = as_json_get(vetting, "class");
	as_say_line(cli, "class: declared %s, proposed %s (%s)", as_json_cstr(as_json_get(c, "declared"), ""),
		    as_json_cstr(as_json_get(c, "proposed"), ""), as_json_cstr(as_json_get(c, "reason"), ""));
	for (const assay_json *d = as_json_first(as_json_get(vetting, "dependencies")); d; d = as_json_next(d)) {
		as_say_line(cli, "%s gives %s the %s", as_json_cstr(as_json_get(d, "producer"), ""),
			    as_json_cstr(as_json_get(d, "consumer"), ""), as_json_cstr(as_json_get(d, "via_key"), ""));
	}
	for (const assay_json *m = as_json_first(as_json_get(vetting, "missing")); m; m = as_json_next(m)) {
		as_say_line(cli, "missing %s: %s", as_json_cstr(as_json_get(m, "what"), ""),
			    as_json_cstr(as_json_get(m, "tool"), ""));
	}
	for (const assay_json *m = as_json_first(as_json_get(vetting, "smells")); m; m = as_json_next(m)) {
		const char *tool = as_json_cstr(as_json_get(m, "tool"), ""); /* none: it is about the whole list */
		as_say_line(cli, "smell  %s%s%s: %s", tool, tool[0] ? ": " : "",
			    as_json_cstr(as_json_get(m, "where"), ""), as_json_cstr(as_json_get(m, "what"), ""));
	}
}

static int say_vettings(const checking *k, size_t n, assay_error *err)
{
	static const char *const titles[] = {"tool", "status", "ms", "reason"};
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const assay_json *o = k->records[i], *vetting = as_json_get(o, "vetting");
		assay_json *table;
		if (!vetting) {
			continue;
		}
		as_say(k->cli, "\n%s: %lld of %lld tools answered as they should\n\n",
		       as_json_cstr(as_json_get(o, "server"), ""),
		       (long long)as_json_i64(as_json_get(vetting, "passed"), 0),
		       (long long)as_json_i64(as_json_get(vetting, "exercised"), 0));
		table = as_table_new();
		if (columns(table, titles, 4, "llrl") < 0 || vet_lines(table, vetting) < 0) {
			as_json_free(table);
			return as_fail_memory(err);
		}
		rc = as_say_table(k->cli, table, err);
		as_say(k->cli, "\n");
		say_findings(k->cli, vetting);
	}
	return rc;
}

/* What is tolerated is told all the same. */
static void say_noise(const checking *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (const assay_json *t = as_json_first(as_json_get(k->records[i], "repeated")); t;
		     t = as_json_next(t)) {
			as_say_line(k->cli, "%s: it lists more than one tool called \"%s\"; the first one is taken",
				    as_json_cstr(as_json_get(k->records[i], "server"), ""), as_json_cstr(t, ""));
		}
		long long lines = (long long)as_json_i64(as_json_get(k->records[i], "noise"), 0);
		if (lines > 0) {
			as_say_line(k->cli, "%s: %lld line%s of what it sent %s no message, and %s passed over",
				    as_json_cstr(as_json_get(k->records[i], "server"), ""), lines,
				    lines == 1 ? "" : "s", lines == 1 ? "was" : "were", lines == 1 ? "was" : "were");
		}
	}
}

static int tell(const checking *k, size_t n, assay_error *err)
{
	assay_json *all = as_json_array();
	int exit = AS_EXIT_OK;
	bool good = true;
	int rc = say_checks(k, n, err);
	say_noise(k, rc < 0 ? 0 : n);
	rc = rc < 0 ? rc : say_vettings(k, n, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		exit = as_exit_worse(exit, k->exits[i]);
		good = good && as_json_boolean(as_json_pointer(k->records[i], "/vetting/ok"), 1);
		rc = as_json_append(all, k->records[i]) < 0 ? as_fail_memory(err) : 0;
		k->records[i] = NULL;
	}
	rc = rc < 0 ? (as_json_free(all), rc) : as_say_json(k->cli, all, err);
	return rc < 0 ? rc : exit != AS_EXIT_OK ? exit : good ? AS_EXIT_OK : AS_EXIT_NO;
}

int as_servers_check(as_cli *cli, const as_visit *v, assay_error *err)
{
	checking k = {.cli = cli, .visit = v};
	size_t n = 0, all = v->manifest->n_servers;
	int rc = 0;
	k.servers = as_new(all + 1, sizeof(const as_server_spec *));
	k.records = as_new(all + 1, sizeof(assay_json *));
	k.exits = as_new(all + 1, sizeof *k.exits);
	if (!k.servers || !k.records || !k.exits) {
		rc = as_fail_memory(err);
	}
	for (size_t i = 0; i < all && rc == 0; i++) {
		if (as_visit_wants(cli, v->manifest->servers[i].id)) {
			k.servers[n++] = &v->manifest->servers[i];
		}
	}
	if (rc == 0) {
		as_progress_begin(v->engine->progress, "servers", n);
		rc = as_pool_run(n, v->engine->jobs, check_one, &k, v->engine->cancel, err);
		as_progress_end(v->engine->progress);
	}
	rc = rc < 0 ? rc : tell(&k, n, err);
	for (size_t i = 0; i < n && k.records; i++) {
		as_json_free(k.records[i]);
	}
	free(k.servers);
	free(k.records);
	free(k.exits);
	return rc;
}
