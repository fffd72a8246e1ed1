#include "core/cli/cli.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/plugin/role.h"
#include "core/run/voids.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int as_exit_code(int rc, const assay_error *err)
{
	if (rc < 0 && (err->flags & ASSAY_ERR_PEER) && rc != ASSAY_ECANCELED && rc != ASSAY_ENOMEM) {
		return AS_EXIT_UNREACHABLE;
	}
	switch (rc) {
	case ASSAY_EINVAL:
		return AS_EXIT_USAGE;
	case ASSAY_EPLUGIN:
	case ASSAY_ENOTSUP:
	case ASSAY_EINTERNAL:
		return AS_EXIT_PLUGIN;
	case ASSAY_EUNREACH:
	case ASSAY_ETIMEOUT:
	case ASSAY_EPROTO:
	case ASSAY_EAGAIN:
		return AS_EXIT_UNREACHABLE;
	case ASSAY_ECANCELED:
		return AS_EXIT_INTERRUPTED;
	default:
		return rc >= 0 ? rc : AS_EXIT_INPUT;
	}
}

int as_exit_worse(int exit, int other)
{
	return exit == AS_EXIT_UNREACHABLE || other == AS_EXIT_UNREACHABLE ? AS_EXIT_UNREACHABLE
	       : exit > other                                              ? exit
									   : other;
}

const as_verb *as_verb_find(const char *name)
{
	for (size_t i = 0; as_verbs[i]; i++) {
		if (strcmp(as_verbs[i]->name, name) == 0) {
			return as_verbs[i];
		}
	}
	return NULL;
}

const char *as_data_dir(void)
{
	const char *dir = getenv("ASSAY_DATA_DIR");
	return dir && dir[0] ? dir : ASSAY_PKGDATADIR;
}

int as_cli_registry(as_cli *cli, bool shipped_only, as_registry **out, assay_error *err)
{
	as_registry_options options = {.dirs = cli->plugin_dirs,
				       .path = getenv("ASSAY_PLUGIN_PATH"),
				       .lib_dir = getenv("ASSAY_LIB_DIR"),
				       .shipped_only = shipped_only,
				       .log = cli->log};
	int rc = 0;
	if (!cli->registry) {
		rc = as_registry_new(&options, &cli->registry, err);
	}
	*out = cli->registry;
	return rc;
}

static int check_log(const as_cli *cli, const as_manifest *m, assay_error *err)
{
	static const char *const parts[] = {"check",   "doctor", "gate",   "generate", "loader",
					    "servers", "trust",  "verify", "world"};
	const size_t n_parts = sizeof parts / sizeof *parts;
	size_t n = 0, most = n_parts + ASSAY_ROLE_COUNT + (m ? m->n_servers + m->n_models : 0);
	const char **names = as_new(most, sizeof *names);
	int rc;
	if (!names) {
		return as_fail_memory(err);
	}
	for (; n < n_parts; n++) {
		names[n] = parts[n];
	}
	for (uint32_t role = 1; role <= ASSAY_ROLE_COUNT; role++) {
		if (as_role_get(role)->size > 0) {
			names[n++] = as_role_name(role);
		}
	}
	for (size_t i = 0; m && i < m->n_servers; i++) {
		names[n++] = m->servers[i].id;
	}
	for (size_t i = 0; m && i < m->n_models; i++) {
		names[n++] = m->models[i].name;
	}
	rc = as_log_check(cli->log, names, n, err);
	free(names);
	return rc;
}

int as_cli_check_log(const as_cli *cli, assay_error *err)
{
	const char *given = as_cli_option(cli, "manifest"), *path = given ? given : "assay.json";
	as_manifest *m = NULL;
	int rc = check_log(cli, NULL, NULL);
	if (rc == 0) {
		return 0;
	}
	/* A name that only the manifest can know. If that cannot be read, whoever needs it says why. */
	if (as_manifest_load(path, NULL, &m, NULL) < 0 && as_file_exists(path)) {
		return 0;
	}
	rc = check_log(cli, m, err);
	as_manifest_free(m);
	return rc;
}

static int make_parent(const char *path, assay_error *err)
{
	as_buf dir = {0};
	int rc;
	as_buf_add(&dir, as_path_dir(as_str(path)));
	rc = as_buf_check(&dir, err);
	rc = rc < 0 ? rc : as_make_dirs(dir.ptr, err);
	as_buf_free(&dir);
	return rc;
}

static int open_store(as_cli *cli, uint32_t flags, as_project *p, assay_error *err)
{
	const char *given = as_cli_option(cli, "store");
	int rc;
	if (given) {
		as_buf_puts(&p->store_path, given);
	} else {
		as_path_join(&p->store_path, as_str(p->manifest->base_dir), ASSAY_STR("assay.db"));
	}
	rc = as_buf_check(&p->store_path, err);
	if (rc == 0 && (flags & AS_PROJECT_TRIAL) && !as_file_exists(p->store_path.ptr)) {
		rc = as_make_temp_dir(as_temp_root(), "assay-trial.", &p->trial_dir, err);
		as_buf_clear(&p->store_path);
		as_path_join(&p->store_path, as_buf_str(&p->trial_dir), ASSAY_STR("assay.db"));
		rc = rc < 0 ? rc : as_buf_check(&p->store_path, err);
	}
	if (rc == 0 && !(flags & AS_PROJECT_READ)) {
		rc = make_parent(p->store_path.ptr, err);
	}
	if (rc == 0) {
		rc = as_store_open(p->store_path.ptr, flags & AS_PROJECT_READ ? 0 : AS_STORE_CREATE, &p->store, err);
		if (rc == ASSAY_ENOENT && flags & AS_PROJECT_READ && !as_file_exists(p->store_path.ptr)) {
			as_error_hint(err, "run \"assay generate\" or \"assay run\" first");
		}
	}
	if (rc == 0) {
		rc = as_store_lock(p->store, err);
	}
	return rc;
}

static int open_replies(const as_cli *cli, as_project *p, assay_error *err)
{
	const char *path = as_cli_option(cli, "replies");
	return path ? as_store_open(path, AS_STORE_READ_ONLY, &p->replies, err) : 0;
}

/* The manifest without the secrets that stand in it. */
static int note_run(const as_project *p, assay_error *err)
{
	const as_manifest *m = p->manifest;
	assay_json *shown = as_json_clone(m->document);
	assay_text text = {0};
	as_run_row row = {.run_id = as_str(m->bench_id),
			  .name = as_str(m->name),
			  .version = as_str(m->version),
			  .seed = m->seed};
	int rc = shown ? as_redact_json(p->engine->redactor, &shown, err) : as_fail_memory(err);
	rc = rc < 0 ? rc : as_json_dump(shown, ASSAY_JSON_COMPACT, &text, err);
	if (rc == 0) {
		row.manifest = as_text_str(text);
		rc = as_store_put_run(p->store, &row, err);
	}
	as_text_free(&text);
	as_json_free(shown);
	return rc;
}

static int choose_out_dir(const as_cli *cli, as_project *p, assay_error *err)
{
	const char *given = as_cli_option(cli, "out");
	as_buf_puts(&p->out_dir, given ? given : p->manifest->base_dir);
	return as_buf_check(&p->out_dir, err);
}

int as_project_open(as_cli *cli, uint32_t flags, as_project *p, assay_error *err)
{
	const char *path = as_cli_option(cli, "manifest");
	as_manifest_overrides overrides = {.seed = as_cli_option(cli, "seed")};
	as_engine_options options = {.log = cli->log, .cancel = cli->cancel, .progress = cli->progress};
	as_registry *registry;
	int64_t jobs = 0;
	int rc;
	*p = (as_project){0};
	rc = as_cli_number(cli, "jobs", 1, 1024, 0, &jobs, err);
	overrides.jobs = (uint32_t)jobs;
	rc = rc < 0 ? rc : as_manifest_load(path ? path : "assay.json", &overrides, &p->manifest, err);
	rc = rc < 0 ? rc : as_cli_registry(cli, false, &registry, err);
	rc = rc < 0 ? rc : as_cli_trust(cli, p->manifest, registry, err);
	rc = rc < 0 ? rc : as_manifest_check_plugins(p->manifest, registry, err);
	rc = rc < 0 ? rc : choose_out_dir(cli, p, err);
	rc = rc < 0 ? rc : open_store(cli, flags, p, err);
	rc = rc < 0 ? rc : as_manifest_check_reports(p->manifest, registry, p->store_path.ptr, err);
	rc = rc < 0 ? rc : open_replies(cli, p, err);
	if (rc == 0) {
		options.replies = p->replies;
		options.offline = as_cli_option(cli, "offline") != NULL;
		options.manifest = p->manifest;
		options.registry = registry;
		options.store = p->store;
		rc = as_engine_open(&options, &p->engine, err);
	}
	rc = rc < 0 ? rc : note_run(p, err);
	if (rc < 0) {
		as_project_close(p);
	}
	return rc;
}

void as_project_close(as_project *p)
{
	as_engine_close(p->engine);
	as_store_close(p->store);
	as_store_close(p->replies);
	as_manifest_free(p->manifest);
	if (p->trial_dir.len > 0) {
		as_remove_tree(p->trial_dir.ptr, NULL);
	}
	as_buf_free(&p->trial_dir);
	as_buf_free(&p->out_dir);
	as_buf_free(&p->store_path);
	*p = (as_project){0};
}

void as_say(const as_cli *cli, const char *format, ...)
{
	va_list args;
	if (cli->json || cli->quiet) {
		return;
	}
	va_start(args, format);
	vfprintf(cli->out, format, args);
	va_end(args);
}

void as_say_line(const as_cli *cli, const char *format, ...)
{
	as_buf line = {0}, safe = {0};
	va_list args;
	va_start(args, format);
	as_buf_vprintf(&line, format, args);
	va_end(args);
	as_printable(&safe, as_buf_str(&line));
	as_say(cli, "%s\n", safe.ptr ? safe.ptr : "");
	as_buf_free(&line);
	as_buf_free(&safe);
}

int as_say_table(const as_cli *cli, assay_json *table, assay_error *err)
{
	as_buf text = {0};
	int rc = 0;
	if (!table) {
		return as_fail_memory(err);
	}
	if (!cli->json && !cli->quiet) {
		rc = as_table_render(table, AS_TABLE_TERMINAL, &text, err);
		if (rc == 0) {
			fwrite(text.ptr, 1, text.len, cli->out);
		}
	}
	as_buf_free(&text);
	as_json_free(table);
	return rc;
}

int as_say_json(const as_cli *cli, assay_json *value, assay_error *err)
{
	as_buf text = {0};
	int rc = value ? 0 : as_fail_memory(err);
	if (rc == 0 && cli->json) {
		as_json_write(&text, value, ASSAY_JSON_PRETTY);
		rc = as_buf_check(&text, err);
		if (rc == 0) {
			fwrite(text.ptr, 1, text.len, cli->out);
			fputc('\n', cli->out);
		}
	}
	as_buf_free(&text);
	as_json_free(value);
	return rc;
}

/* "0.83 [0.71, 0.91]", and the upper bound where it differs. */
static void rate_text(const assay_json *rate, char out[64])
{
	double lo = as_json_f64(as_json_get(rate, "lo"), 0), hi = as_json_f64(as_json_get(rate, "hi"), 0);
	const assay_json *around = as_json_get(rate, "interval_lo");
	int n = snprintf(out, 64, "%.3f [%.3f, %.3f]", lo, as_json_f64(as_json_at(around, 0), 0),
			 as_json_f64(as_json_at(around, 1), 0));
	if (hi > lo && n > 0) {
		snprintf(out + n, 64 - (size_t)n, " hi %.3f", hi);
	}
}

/* "exact 92 %, miss 8 %": the levels that there were. */
static void served_text(const assay_json *served, as_buf *out)
{
	for (const assay_json *s = as_json_first(served); s; s = as_json_next(s)) {
		if (as_json_f64(s, 0) > 0) {
			as_buf_printf(out, "%s%.*s %.0f %%", out->len ? ", " : "", ASSAY_FMT(as_json_key(s)),
				      100 * as_json_f64(s, 0));
		}
	}
}

static int board_line(assay_json *table, const assay_json *row)
{
	char hat[64], rate[64], any[64], k[24], tasks[24], attempts[64], voided[24], calls[24];
	long long pending = (long long)as_json_i64(as_json_get(row, "pending"), 0);
	as_buf served = {0};
	int rc;
	served_text(as_json_get(row, "served"), &served);
	const char *cells[] = {as_json_cstr(as_json_get(row, "condition"), ""),
			       as_json_cstr(as_json_get(row, "candidate"), ""),
			       hat,
			       rate,
			       any,
			       k,
			       tasks,
			       attempts,
			       voided,
			       calls,
			       served.ptr ? served.ptr : ""};
	rate_text(as_json_get(row, "pass_hat_k"), hat);
	rate_text(as_json_get(row, "pass_rate"), rate);
	rate_text(as_json_get(row, "pass_at_k"), any);
	snprintf(k, sizeof k, "%lld", (long long)as_json_i64(as_json_get(row, "k"), 0));
	snprintf(tasks, sizeof tasks, "%lld", (long long)as_json_i64(as_json_get(row, "tasks"), 0));
	snprintf(attempts, sizeof attempts, "%lld", (long long)as_json_i64(as_json_get(row, "attempts"), 0));
	if (pending > 0) {
		snprintf(attempts + strlen(attempts), sizeof attempts - 24, " (%lld pending)", pending);
	}
	snprintf(voided, sizeof voided, "%lld", (long long)as_json_i64(as_json_get(row, "void"), 0));
	snprintf(calls, sizeof calls, "%.2f", as_json_f64(as_json_get(row, "mean_calls"), 0));
	if (as_json_i64(as_json_get(row, "attempts"), 0) == 0) {
		snprintf(hat, sizeof hat, "no valid attempts");
		snprintf(rate, sizeof rate, "–");
		snprintf(any, sizeof any, "–");
	}
	rc = served.failed ? ASSAY_ENOMEM : as_table_row(table, cells, sizeof cells / sizeof *cells);
	as_buf_free(&served);
	return rc;
}

#define WRAP_AT 100 /* columns of running text */

/* Running text, broken at blanks. */
static void say_wrapped(const as_cli *cli, const char *text)
{
	size_t column = 0;
	while (*text) {
		size_t word = strcspn(text, " ");
		if (column > 0 && column + 1 + word > WRAP_AT) {
			as_say(cli, "\n");
			column = 0;
		}
		as_say(cli, "%s%.*s", column ? " " : "", (int)word, text);
		column += word + (column ? 1 : 0);
		text += word + strspn(text + word, " ");
	}
	as_say(cli, "\n");
}

/* "Condition main: exposure/rag, k 8; descriptions by ...", where there are several or one is not told by its exposure.
 */
static int say_condition(const as_cli *cli, const assay_json *row, assay_error *err)
{
	const assay_json *exposure = as_json_get(row, "exposure");
	as_buf text = {0};
	as_buf_printf(&text, "Condition %s: %s", as_json_cstr(as_json_get(row, "condition"), ""),
		      as_json_cstr(as_json_get(exposure, "use"), "as recorded elsewhere"));
	for (const assay_json *o = as_json_first(exposure); o; o = as_json_next(o)) {
		if (!as_str_is(as_json_key(o), "use")) {
			as_buf_printf(&text, ", %.*s ", ASSAY_FMT(as_json_key(o)));
			as_json_write(&text, o, ASSAY_JSON_COMPACT);
		}
	}
	if (as_json_get(row, "setting")) {
		as_buf_printf(&text, "; %s", as_json_cstr(as_json_get(row, "setting"), ""));
	}
	int rc = as_buf_check(&text, err);
	if (rc == 0) {
		say_wrapped(cli, text.ptr);
	}
	as_buf_free(&text);
	return rc;
}

/* The board is sorted by condition. */
static int say_conditions(const as_cli *cli, const assay_json *board, assay_error *err)
{
	const assay_json *last = NULL;
	size_t n = 0;
	bool set = false;
	int rc = 0;
	for (const assay_json *r = as_json_first(board); r; last = r, r = as_json_next(r)) {
		n += !last || !as_json_equal(as_json_get(last, "condition"), as_json_get(r, "condition"));
		set = set || as_json_get(r, "setting");
	}
	if (n < 2 && !set) {
		return 0;
	}
	as_say(cli, "\n");
	last = NULL;
	for (const assay_json *r = as_json_first(board); r && rc == 0; last = r, r = as_json_next(r)) {
		if (!last || !as_json_equal(as_json_get(last, "condition"), as_json_get(r, "condition"))) {
			rc = say_condition(cli, r, err);
		}
	}
	return rc;
}

int as_say_leaderboard(const as_cli *cli, const assay_json *model, assay_error *err)
{
	static const struct {
		const char *title;
		bool right;
	} columns[] = {{"condition", false}, {"candidate", false}, {"pass^k", false},  {"pass rate", false},
		       {"pass@k", false},    {"k", true},          {"tasks", true},    {"attempts", true},
		       {"void", true},       {"calls", true},      {"answered", false}};
	assay_json *table = as_table_new();
	int rc = table ? 0 : ASSAY_ENOMEM;
	for (size_t i = 0; i < sizeof columns / sizeof *columns && rc == 0; i++) {
		rc = as_table_column(table, columns[i].title, columns[i].right);
	}
	for (const assay_json *r = as_json_first(as_json_get(model, "leaderboard")); r && rc == 0;
	     r = as_json_next(r)) {
		rc = as_json_boolean(as_json_get(r, "listed"), 1) ? board_line(table, r) : 0;
	}
	if (rc < 0) {
		as_json_free(table);
		return as_fail_memory(err);
	}
	rc = as_say_table(cli, table, err);
	rc = rc < 0 ? rc : say_conditions(cli, as_json_get(model, "leaderboard"), err);
	for (const assay_json *c = as_json_first(as_json_get(model, "captions")); c && rc == 0; c = as_json_next(c)) {
		as_say(cli, "\n");
		say_wrapped(cli, as_json_cstr(c, ""));
	}
	return rc;
}

int as_say_shortfall(const as_cli *cli, const assay_json *model, uint64_t shortfall, assay_error *err)
{
	as_buf names = {0};
	int rc;
	for (const assay_json *f = as_json_first(as_json_get(model, "funnel")); f; f = as_json_next(f)) {
		int64_t wanted = as_json_i64(as_json_get(f, "wanted"), 0);
		int64_t certified = as_json_i64(as_json_get(f, "certified"), 0);
		if (certified < wanted) {
			as_buf_printf(&names, "%s%.*s %lld of %lld", names.len ? ", " : "",
				      ASSAY_FMT(as_json_str(as_json_get(f, "category"))), (long long)certified,
				      (long long)wanted);
		}
	}
	rc = as_buf_check(&names, err);
	if (rc == 0) {
		as_say_line(
			cli,
			"%llu task%s short of what the categories ask for (%s): raise generation.max_goals, or see why "
			"goals were dropped in the funnel",
			(unsigned long long)shortfall, shortfall == 1 ? "" : "s", names.ptr ? names.ptr : "");
	}
	as_buf_free(&names);
	return rc;
}

int as_check_valid(const as_engine *e, const assay_json *model, assay_error *err)
{
	int64_t valid = 0, voided = 0, waiting = 0;
	for (const assay_json *r = as_json_first(as_json_get(model, "leaderboard")); r; r = as_json_next(r)) {
		int64_t pending = as_json_i64(as_json_get(r, "pending"), 0);
		valid += as_json_i64(as_json_get(r, "attempts"), 0) - pending;
		voided += as_json_i64(as_json_get(r, "void"), 0) + pending;
		waiting += pending;
	}
	if ((valid > 0 || voided == 0) && e->voided == 0) {
		return 0;
	}
	if (valid > 0 || voided == 0) {
		as_fail(err, ASSAY_EUNREACH, "%llu of %llu attempts are void%s, for reasons outside the candidates",
			(unsigned long long)e->voided, (unsigned long long)e->attempts,
			waiting ? " or wait for a judge or a reply" : "");
		as_error_hint(err, "the same command tries them again");
		return ASSAY_EUNREACH;
	}
	as_fail(err, ASSAY_EUNREACH, "no valid attempts: all %lld ended%s for reasons outside the candidates",
		(long long)voided, waiting ? ", or wait," : "");
	as_error_hint(err,
		      "the report tells how they ended (\"How attempts ended\"); the same command tries them again");
	return ASSAY_EUNREACH;
}

int as_add_void_causes(const as_engine *e, assay_json *out, assay_error *err)
{
	assay_json *causes;
	int rc = as_voids_list(e, &causes, err);
	return rc < 0 ? rc : as_json_set(out, "void_causes", causes) < 0 ? as_fail_memory(err) : 0;
}

int as_say_figures(as_cli *cli, const as_project *p, assay_error *err)
{
	assay_json *model = NULL;
	assay_error none = {0};
	int valid, rc = as_stage_figures(p->engine, false, &model, err);
	rc = rc < 0 ? rc : as_say_leaderboard(cli, model, err);
	if (rc < 0) {
		as_json_free(model);
		return rc;
	}
	valid = as_check_valid(p->engine, model, &none);
	rc = as_add_void_causes(p->engine, model, err);
	if (rc < 0) {
		as_json_free(model);
		return rc;
	}
	rc = as_say_json(cli, model, err);
	cli->answered = rc == 0;
	if (rc == 0 && valid < 0) {
		*err = none;
		rc = valid;
	}
	return rc;
}
