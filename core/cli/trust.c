/* Asking for trust in a manifest's commands, and refusing without it. */
#include "core/run/trust.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* It is a convenience: what cannot be remembered is asked for again. */
static void remember(const as_cli *cli, const assay_json *missing)
{
	assay_error why = {0};
	char line[1200];
	if (as_trust_remember(missing, &why) < 0) {
		as_error_format(&why, line, sizeof line);
		as_log_put(cli->log, "trust", ASSAY_LOG_WARN, "not remembered: %s", line);
	}
}

static int refuse(const as_manifest *m, const assay_json *missing, assay_error *err)
{
	const assay_json *first = as_json_first(missing);
	size_t n = as_json_count(missing);
	char more[40] = "";
	if (n > 1) {
		snprintf(more, sizeof more, " (and %zu more)", n - 1);
	}
	assay_str command = as_json_str(as_json_get(first, "command"));
	assay_str shown = {command.ptr, as_utf8_prefix(command, 200)};
	as_fail(err, ASSAY_EINVAL, "%s is not trusted yet%s: %.*s%s", as_json_cstr(as_json_get(first, "what"), ""),
		more, ASSAY_FMT(shown), shown.len < command.len ? " ... (cut)" : "");
	as_error_hint(
		err,
		"it would run on this machine: read the manifest, then give --trust once, or answer on a terminal");
	return as_error_where(err, m->path, 0);
}

static bool ask(const as_manifest *m, const assay_json *missing)
{
	char answer[16] = "";
	fprintf(stderr, "%s would run on this machine, for the first time or changed:\n", m->path);
	for (const assay_json *i = as_json_first(missing); i; i = as_json_next(i)) {
		fprintf(stderr, "  %s: %s\n", as_json_cstr(as_json_get(i, "what"), ""),
			as_json_cstr(as_json_get(i, "command"), ""));
	}
	fputs("Trust it, now and from now on? [y/N] ", stderr);
	if (!fgets(answer, sizeof answer, stdin)) {
		fputc('\n', stderr);
		return false;
	}
	return strcmp(answer, "y\n") == 0 || strcmp(answer, "Y\n") == 0 || strcmp(answer, "yes\n") == 0;
}

int as_cli_trust(const as_cli *cli, const as_manifest *m, as_registry *registry, assay_error *err)
{
	const char *trust = getenv("ASSAY_TRUST");
	assay_json *missing = NULL;
	int rc = 0;
	if (trust && strcmp(trust, "1") == 0) {
		return 0;
	}
	rc = as_trust_missing(m, registry, &missing, err);
	if (rc == 0 && as_json_count(missing) > 0) {
		if (as_cli_option(cli, "trust")) {
			remember(cli, missing);
		} else if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
			rc = refuse(m, missing, err);
		} else if (ask(m, missing)) {
			remember(cli, missing);
		} else if (as_cancel_is_set(cli->cancel)) {
			rc = as_fail(err, ASSAY_ECANCELED, "cancelled");
		} else {
			rc = as_fail(err, ASSAY_EINVAL, "not trusted, so nothing was started");
		}
	}
	as_json_free(missing);
	return rc;
}

void as_cli_trust_written(const as_cli *cli, const char *path)
{
	as_manifest *m = NULL;
	assay_json *missing = NULL;
	if (as_manifest_load(path, NULL, &m, NULL) == 0 && as_trust_missing(m, NULL, &missing, NULL) == 0 &&
	    as_json_count(missing) > 0) {
		remember(cli, missing);
	}
	as_json_free(missing);
	as_manifest_free(m);
}
