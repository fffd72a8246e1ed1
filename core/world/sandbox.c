#include "core/world/sandbox.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include <stdlib.h>
#include <string.h>

#define PROGRAM "bwrap"

static void word(assay_json *args, int *rc, const char *text)
{
	*rc |= as_json_append(args, as_json_cstring(text));
}

/* --OPTION FROM TO, where both are the same. */
static void at_its_place(assay_json *args, int *rc, const char *option, const char *path)
{
	word(args, rc, option);
	word(args, rc, path);
	word(args, rc, path);
}

/* Show a folder that the private /tmp or /run would hide. Never one of these itself, or one above them. */
static void show_hidden(assay_json *args, int *rc, assay_str folder)
{
	as_buf path = {0};
	if ((as_str_starts(folder, ASSAY_STR("/tmp/")) || as_str_starts(folder, ASSAY_STR("/run/"))) &&
	    folder.len > 5) {
		as_buf_add(&path, folder);
		*rc |= path.failed ? ASSAY_ENOMEM : 0;
		at_its_place(args, rc, "--ro-bind", path.ptr);
	}
	as_buf_free(&path);
}

static void add_system(assay_json *args, int *rc, bool network)
{
	static const char *const mounts[] = {"--ro-bind", "/",       "/",    "--dev",   "/dev", "--proc",
					     "/proc",     "--tmpfs", "/tmp", "--tmpfs", "/run"};
	for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		word(args, rc, mounts[i]);
	}
	if (network) {
		at_its_place(args, rc, "--ro-bind-try", "/run/systemd/resolve"); /* /etc/resolv.conf may lead there */
	}
}

/* Later mounts lie on top of earlier ones: what may be written to on what may be read, what is secret on all. */
static void add_places(assay_json *args, int *rc, const as_sandbox_place *place, const char *folder,
		       const char *program)
{
	as_buf secrets = {0};
	show_hidden(args, rc, as_str(place->base_dir));
	show_hidden(args, rc, as_str(folder));
	show_hidden(args, rc, as_path_dir(as_str(program)));
	if (place->state) {
		at_its_place(args, rc, "--bind", place->state);
	}
	as_path_join(&secrets, as_str(place->base_dir), ASSAY_STR(".env"));
	if (as_file_exists(secrets.ptr ? secrets.ptr : "")) {
		word(args, rc, "--ro-bind");
		word(args, rc, "/dev/null");
		word(args, rc, secrets.ptr);
	}
	*rc |= secrets.failed ? ASSAY_ENOMEM : 0;
	as_buf_free(&secrets);
}

static assay_json *make_args(const assay_json *settings, const as_sandbox_place *place, const assay_json *launch,
			     const char *program)
{
	static const char *const fixed[] = {"--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL",
					    "--setenv",          "TMPDIR",        "/tmp"};
	bool network = as_str_is(as_json_str(as_json_get(settings, "network")), "host");
	as_buf folder = {0};
	assay_json *args = as_json_array();
	int rc = args ? 0 : ASSAY_ENOMEM;
	if (as_json_get(launch, "cwd")) {
		as_path_join(&folder, as_str(place->base_dir), as_json_str(as_json_get(launch, "cwd")));
	} else {
		as_buf_puts(&folder, place->base_dir);
	}
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		word(args, &rc, fixed[i]);
	}
	if (network) {
		word(args, &rc, "--share-net");
	}
	add_system(args, &rc, network);
	add_places(args, &rc, place, folder.ptr ? folder.ptr : "", program);
	word(args, &rc, "--chdir");
	word(args, &rc, folder.ptr);
	word(args, &rc, "--");
	rc |= as_json_append(args, as_json_clone(as_json_get(launch, "command")));
	for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a; a = as_json_next(a)) {
		rc |= as_json_append(args, as_json_clone(a));
	}
	if (rc < 0 || folder.failed) {
		as_json_free(args);
		args = NULL;
	}
	as_buf_free(&folder);
	return args;
}

static int find_programs(const char *server, const char *command, as_buf *bwrap, as_buf *program, assay_error *err)
{
	const char *path = getenv("PATH");
	as_process_find(PROGRAM, path, bwrap);
	if (strchr(command, '/')) {
		as_buf_puts(program, command); /* may be relative to a folder that we are not in */
	} else {
		as_process_find(command, path, program);
	}
	if (bwrap->failed || program->failed) {
		return as_fail_memory(err);
	}
	if (bwrap->len == 0) {
		as_fail(err, ASSAY_ENOENT, "server \"%s\" asks for a sandbox, but " PROGRAM " is not installed",
			server);
		return as_error_hint(err, "install the package \"bubblewrap\", or take the server's \"sandbox\" away");
	}
	if (program->len == 0) {
		as_fail(err, ASSAY_ENOENT, "command not found: %s", command);
		return as_error_hint(err, "install it, or add its folder to PATH");
	}
	return 0;
}

int as_sandbox_wrap(const assay_json *settings, const as_sandbox_place *place, assay_json *launch, assay_error *err)
{
	as_buf bwrap = {0}, program = {0};
	assay_json *args;
	int rc = find_programs(place->server, as_json_cstr(as_json_get(launch, "command"), ""), &bwrap, &program, err);
	if (rc < 0) {
		goto out;
	}
	args = make_args(settings, place, launch, program.ptr);
	/* The whole path: the record's environment may have a PATH of its own. */
	if (!args || as_json_set(launch, "args", args) < 0 ||
	    as_json_set(launch, "command", as_json_string(as_buf_str(&bwrap))) < 0) {
		rc = as_fail_memory(err);
	}
out:
	as_buf_free(&bwrap);
	as_buf_free(&program);
	return rc;
}
