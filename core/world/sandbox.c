#include "core/world/sandbox.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/world/destination.h"
#include "core/world/gate.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM "bwrap"
#define MAX_SOCKETS ((size_t)8 << 20) /* bytes of the list of sockets */

/* bwrap's arguments as they grow. */
typedef struct mounts {
	assay_json *args;
	assay_json *shown;   /* folders that a private /tmp or /run would hide */
	assay_json *covered; /* files that /dev/null lies on, as keys */
	int rc;
} mounts;

static void word(mounts *m, const char *text)
{
	m->rc |= as_json_append(m->args, as_json_cstring(text));
}

/* --OPTION FROM TO, where both are the same. */
static void at_its_place(mounts *m, const char *option, const char *path)
{
	word(m, option);
	word(m, path);
	word(m, path);
}

/* Show a folder that the private /tmp or /run would hide. Never one of these itself, or one above them. */
static void show_hidden(mounts *m, assay_str folder)
{
	as_buf path = {0};
	if ((as_str_starts(folder, ASSAY_STR("/tmp/")) || as_str_starts(folder, ASSAY_STR("/run/"))) &&
	    folder.len > 5) {
		as_buf_add(&path, folder);
		m->rc |= path.failed ? ASSAY_ENOMEM : 0;
		at_its_place(m, "--ro-bind", path.ptr);
		m->rc |= as_json_append(m->shown, as_json_string(folder));
	}
	as_buf_free(&path);
}

static void add_system(mounts *m, bool network)
{
	static const char *const fixed[] = {"--ro-bind", "/",       "/",    "--dev",   "/dev", "--proc",
					    "/proc",     "--tmpfs", "/tmp", "--tmpfs", "/run"};
	/* What root may set here is the whole machine's; bwrap covers only what its own check finds writable: not
	 * these. */
	static const char *const machine[] = {"/proc/sys", "/proc/mtrr"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		word(m, fixed[i]);
	}
	for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
		at_its_place(m, "--ro-bind-try", machine[i]);
	}
	if (network) {
		at_its_place(m, "--ro-bind-try", "/run/systemd/resolve"); /* /etc/resolv.conf may lead there */
	}
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* Lay /dev/null on a file, once. */
static void cover_at(mounts *m, const char *path)
{
	if (!as_json_get(m->covered, path)) {
		word(m, "--ro-bind");
		word(m, "/dev/null");
		word(m, path);
		m->rc |= as_json_set(m->covered, path, as_json_null());
	}
}

/* Cover a file, by its real path, wherever a server would see it: where it is, unless that is gone, and in the folders
 * that are shown again, which may be called by a link to them. bwrap itself would not follow an absolute link. */
static void cover(mounts *m, const char *real)
{
	static const char *const gone[] = {"/tmp", "/run", "/dev", "/proc"};
	bool seen = true;
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		seen = seen && !is_below(real, gone[i]);
	}
	if (seen) {
		cover_at(m, real);
	}
	for (const assay_json *f = as_json_first(m->shown); f; f = as_json_next(f)) {
		char *folder = realpath(as_json_cstr(f, ""), NULL);
		as_buf path = {0};
		if (folder && is_below(real, folder)) {
			as_path_join(&path, as_json_str(f), as_str(real + strlen(folder) + 1));
			m->rc |= path.failed ? ASSAY_ENOMEM : 0;
			cover_at(m, path.ptr ? path.ptr : "");
		}
		as_buf_free(&path);
		free(folder);
	}
}

/* Later mounts lie on top of earlier ones: what may be written to on what may be read, what is secret on all. */
static void add_places(mounts *m, const as_sandbox_place *place, const char *folder, const char *program)
{
	as_buf secrets = {0};
	char *real;
	show_hidden(m, as_str(place->base_dir));
	show_hidden(m, as_str(folder));
	show_hidden(m, as_path_dir(as_str(program)));
	if (place->state) {
		at_its_place(m, "--bind", place->state);
	}
	as_path_join(&secrets, as_str(place->base_dir), ASSAY_STR(".env"));
	real = secrets.ptr && as_file_exists(secrets.ptr) ? realpath(secrets.ptr, NULL) : NULL;
	if (real) {
		cover(m, real);
	}
	free(real);
	m->rc |= secrets.failed ? ASSAY_ENOMEM : 0;
	as_buf_free(&secrets);
}

/* Is it a socket of somebody else's? What lies in its environment's folder is its own. */
static bool is_foreign(const char *path, const as_sandbox_place *place)
{
	struct stat st;
	return !(place->state && is_below(path, place->state)) && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* The path in a line of /proc/net/unix, behind seven fields; empty: it has none. */
static assay_str socket_of(assay_str line)
{
	size_t i = 0;
	for (int field = 0; field < 7; field++) {
		while (i < line.len && line.ptr[i] == ' ') {
			i++;
		}
		while (i < line.len && line.ptr[i] != ' ') {
			i++;
		}
	}
	i++;
	return i < line.len && line.ptr[i] == '/' ? (assay_str){line.ptr + i, line.len - i} : (assay_str){NULL, 0};
}

/* A namespace of the network keeps nobody from a service's socket in the file system, and neither does a mount that can
 * only be read. Those that there are now are covered, as far as the system lists them with their whole path: one that
 * was bound by a relative name could lie anywhere. */
static void cover_sockets(mounts *m, const as_sandbox_place *place)
{
	assay_text text = {0};
	assay_str rest;
	m->rc |= as_file_read("/proc/net/unix", MAX_SOCKETS, &text, NULL) == ASSAY_ENOMEM ? ASSAY_ENOMEM : 0;
	for (rest = as_text_str(text); rest.len > 0 && m->rc == 0;) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		assay_str line = {rest.ptr, end ? (size_t)(end - rest.ptr) : rest.len}, path = socket_of(line);
		char *name = path.len > 0 ? as_strndup(path) : NULL, *real = name ? realpath(name, NULL) : NULL;
		if (real && is_foreign(real, place)) {
			cover(m, real);
		}
		free(real);
		free(name);
		rest.ptr += line.len + (end != NULL);
		rest.len -= line.len + (end != NULL);
	}
	as_text_free(&text);
}

/* What a sandbox is made of, beside its settings. */
typedef struct parts {
	as_buf bwrap, program, gate, folder; /* files, and the folder that the command starts in */
} parts;

static void free_parts(parts *p)
{
	as_buf_free(&p->bwrap);
	as_buf_free(&p->program);
	as_buf_free(&p->gate);
	as_buf_free(&p->folder);
}

static void add_confinement(mounts *m, const assay_json *network, const as_sandbox_place *place, const parts *p)
{
	static const char *const fixed[] = {"--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL",
					    "--setenv",          "TMPDIR",        "/tmp"};
	bool host = as_str_is(as_json_str(network), "host");
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		word(m, fixed[i]);
	}
	if (host) {
		word(m, "--share-net");
	}
	add_system(m, host);
	if (as_json_type(network) == ASSAY_JSON_ARRAY) {
		show_hidden(m, as_path_dir(as_buf_str(&p->gate)));
	}
	add_places(m, place, p->folder.ptr, p->program.ptr);
	cover_sockets(m, place);
	word(m, "--chdir");
	word(m, p->folder.ptr);
	word(m, "--");
}

/* The arguments of bwrap, or of the gate, which starts it and then itself within (gate.c). */
static assay_json *make_args(const assay_json *network, const as_sandbox_place *place, const assay_json *launch,
			     const parts *p)
{
	bool gated = as_json_type(network) == ASSAY_JSON_ARRAY;
	mounts m = {.args = as_json_array(), .shown = as_json_array(), .covered = as_json_object()};
	m.rc = m.args && m.shown && m.covered ? 0 : ASSAY_ENOMEM;
	for (const assay_json *e = gated ? as_json_first(network) : NULL; e; e = as_json_next(e)) {
		word(&m, AS_GATE_ALLOW);
		m.rc |= as_json_append(m.args, as_json_clone(e));
	}
	if (gated) {
		word(&m, "--");
		word(&m, p->bwrap.ptr);
	}
	add_confinement(&m, network, place, p);
	if (gated) {
		word(&m, p->gate.ptr);
		word(&m, AS_GATE_INSIDE);
		word(&m, "--");
	}
	m.rc |= as_json_append(m.args, as_json_clone(as_json_get(launch, "command")));
	for (const assay_json *a = as_json_first(as_json_get(launch, "args")); a; a = as_json_next(a)) {
		m.rc |= as_json_append(m.args, as_json_clone(a));
	}
	as_json_free(m.shown);
	as_json_free(m.covered);
	if (m.rc < 0) {
		as_json_free(m.args);
		m.args = NULL;
	}
	return m.args;
}

static int find_parts(const as_sandbox_place *place, const assay_json *launch, parts *p, assay_error *err)
{
	const char *path = getenv("PATH"), *command = as_json_cstr(as_json_get(launch, "command"), "");
	as_process_find(PROGRAM, path, &p->bwrap);
	if (strchr(command, '/')) {
		as_buf_puts(&p->program, command); /* may be relative to a folder that we are not in */
	} else {
		as_process_find(command, path, &p->program);
	}
	as_process_own(AS_GATE_PROGRAM, &p->gate);
	as_path_join(&p->folder, as_str(place->base_dir), as_json_str(as_json_get(launch, "cwd")));
	if (p->bwrap.failed || p->program.failed || p->gate.failed || p->folder.failed) {
		return as_fail_memory(err);
	}
	if (p->bwrap.len == 0) {
		as_fail(err, ASSAY_ENOENT, "server \"%s\" asks for a sandbox, but " PROGRAM " is not installed",
			place->server);
		return as_error_hint(err, "install the package \"bubblewrap\", or take the server's \"sandbox\" away");
	}
	if (p->program.len == 0) {
		as_fail(err, ASSAY_ENOENT, "command not found: %s", command);
		return as_error_hint(err, "install it, or add its folder to PATH");
	}
	return 0;
}

int as_sandbox_wrap(const assay_json *settings, const as_sandbox_place *place, assay_json *launch, assay_error *err)
{
	const assay_json *network = as_json_get(settings, "network");
	parts p = {.bwrap = {0}};
	int rc = find_parts(place, launch, &p, err);
	if (rc == 0) {
		bool gated = as_json_type(network) == ASSAY_JSON_ARRAY;
		assay_json *args = make_args(network, place, launch, &p);
		/* The whole path: the record's environment may have a PATH of its own. */
		if (!args || as_json_set(launch, "args", args) < 0 ||
		    as_json_set(launch, "command", as_json_string(as_buf_str(gated ? &p.gate : &p.bwrap))) < 0) {
			rc = as_fail_memory(err);
		}
	}
	free_parts(&p);
	return rc;
}

const char *as_sandbox_check_host(const assay_json *entry)
{
	as_destination d;
	return as_destination_read(as_json_str(entry), true, &d);
}

assay_str as_sandbox_refusal(assay_str *rest)
{
	static const char mark[] = AS_GATE_SAYS;
	while (rest->len > 0) {
		const char *end = memchr(rest->ptr, '\n', rest->len);
		assay_str line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
		size_t whole = line.len + (end ? 1 : 0);
		*rest = (assay_str){rest->ptr + whole, rest->len - whole};
		if (as_str_starts(line, ASSAY_STR(AS_GATE_SAYS)) && line.len > sizeof mark - 1) {
			return (assay_str){line.ptr + (sizeof mark - 1), line.len - (sizeof mark - 1)};
		}
	}
	return ASSAY_STR("");
}
