/* Finding and refusing modules: tests/badplugins, tests/sdk, and folders made here. */
#include "tests/unit/plugin_dirs.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static assay_json *survey(const char *dir, uint32_t role)
{
	assay_error err = {0};
	assay_json *out = NULL;
	as_registry *r = registry_over(dir);
	ck_ok(as_registry_survey(r, role, &out, &err));
	as_registry_free(r);
	return out;
}

static const assay_json *listed(const assay_json *all, const char *module)
{
	for (const assay_json *m = as_json_first(all); m; m = as_json_next(m)) {
		if (as_str_is(as_json_str(as_json_get(m, "module")), module)) {
			return m;
		}
	}
	ck_abort_msg("%s is not listed", module);
	return NULL;
}

static const char *text_of(const assay_json *object, const char *key)
{
	return as_json_cstr(as_json_get(object, key), "(none)");
}

static void expect_broken(const assay_json *all, const char *module, const char *reason)
{
	const assay_json *m = listed(all, module);
	ck_assert_str_eq(text_of(m, "state"), "broken");
	ck_assert_str_eq(text_of(m, "reason"), reason);
	ck_assert_uint_eq(as_json_count(as_json_get(m, "implementations")), 0);
	ck_assert_int_eq(as_json_type(as_json_get(m, "version")), ASSAY_JSON_NULL);
}

static void expect_error(const assay_error *err, int code, const char *line)
{
	ck_assert_int_eq(err->code, code);
	ck_assert_str_eq(error_line(err), line);
}

#define REBUILD " (rebuild it with the headers of this program)"
#define NEWER " (it needs a newer program, or rebuild it with the headers of this one)"
#define REPAIR " (a getter only returns constant data, and constructors do nothing: repair or remove it)"

#define THIS_MINOR "2" /* ASSAY_ABI_MINOR */

START_TEST(test_refused_descriptors)
{
	assay_json *all = survey(BAD_DIR, 0);
	expect_broken(all, "wrong_magic",
		      "magic is 0x12345678, expected 0x59415341 (end its source with ASSAY_PLUGIN)");
	expect_broken(all, "newer_minor", "it was built for ABI 1.3, this program has 1.2" NEWER);
	expect_broken(all, "other_major",
		      "it was built for ABI 2." THIS_MINOR ", this program has 1." THIS_MINOR NEWER);
	expect_broken(all, "short_struct", "its descriptor has 24 bytes, expected 56" REBUILD);
	expect_broken(all, "reserved_set", "the reserved member of its descriptor is 7, expected 0" REBUILD);
	expect_broken(all, "null_name", "its name is NULL (give it a text in the source)");
	expect_broken(
		all, "ugly_summary",
		"its summary is empty, too long (512 bytes at most) or no line of text (give it one line of text)");
	expect_broken(
		all, "other_name",
		"its descriptor calls it \"somebody\", its file \"other_name\" (make the name, the first argument of "
		"ASSAY_PLUGIN and the file's name the same)");
	expect_broken(all, "no_impls", "it offers no implementation (list its implementations in ASSAY_PLUGIN)");
	expect_broken(all, "null_descriptor", "its getter answers NULL (end its source with ASSAY_PLUGIN)");
	expect_broken(all, "no_getter",
		      "exports no function no_getter_LTX_assay_plugin_v1 (end its source with "
		      "ASSAY_PLUGIN(no_getter, ...))");
	as_json_free(all);
}
END_TEST

START_TEST(test_refused_implementations)
{
	assay_json *all = survey(BAD_DIR, 0);
	expect_broken(all, "short_impl",
		      "implementation 1 has 16 bytes, expected 48 (set its size to sizeof(assay_impl))");
	expect_broken(all, "unknown_role",
		      "implementation 1 is of the unknown role 99 (use one of the ASSAY_ROLE_ numbers)");
	expect_broken(all, "future_role",
		      "this program does not use the role importer of importer/one yet (it needs a newer program)");
	expect_broken(all, "role_version",
		      "sampler/one is of version 2 of its role, this program knows 1 (it needs a newer program)");
	expect_broken(all, "unknown_flags", "sampler/one has unknown flags 0x80 (use the ASSAY_IMPL_ flags)");
	expect_broken(
		all, "impl_name",
		"the name of sampler 1 is not valid: \"Bad Name\" (a name is a lower-case letter, then lower-case "
		"letters, digits, _ and -)");
	expect_broken(all, "null_impl_name", "the name of sampler 1 is NULL (name it)");
	expect_broken(all, "twice", "sampler/one is there twice (give each implementation a name of its own)");
	expect_broken(all, "no_ops", "sampler/one has no operations table (point ops to its table of operations)");
	expect_broken(all, "missing_operation",
		      "sampler/one lacks the required operation draw (fill it in: the role requires it)");
	expect_broken(all, "short_ops",
		      "sampler/one lacks the required operation draw (fill it in: the role requires it)");
	expect_broken(
		all, "reserved_ops",
		"the reserved member of the operations of sampler/one is 3, expected 0 (leave reserved members 0)");
	ck_assert_ptr_nonnull(strstr(text_of(listed(all, "broken_schema"), "reason"),
				     "the options schema of sampler/one is invalid: line 1: "));
	ck_assert_ptr_nonnull(strstr(text_of(listed(all, "wrong_schema"), "reason"),
				     "the options schema of sampler/one is invalid: "));
	ck_assert_str_eq(text_of(listed(all, "wrong_schema"), "state"), "broken");
	as_json_free(all);
}
END_TEST

START_TEST(test_misbehaviour)
{
	assay_json *all = survey(BAD_DIR, 0);
	expect_broken(all, "sampler_crash", "it crashes when it is opened (SIGSEGV 11)" REPAIR);
	expect_broken(all, "leaves", "it ends the program when it is opened (exit status 3)" REPAIR);
	expect_broken(
		all, "undefined_symbol",
		"cannot be loaded: undefined symbol: nobody_defines_this (link it with the library that defines the "
		"symbol; -Wl,-z,defs shows this when it is built)");
	expect_broken(all, "missing_library",
		      "cannot be loaded: libassay_absent.so: cannot open shared object file: No such file or directory "
		      "(install that library, or add its folder to LD_LIBRARY_PATH)");
	const assay_json *noisy = listed(all, "noisy");
	ck_assert_str_eq(text_of(noisy, "state"), "ok");
	ck_assert_str_eq(text_of(noisy, "reason"),
			 "it writes to standard output when it is opened, which a plugin must not do");
	as_json_free(all);
}
END_TEST

START_TEST(test_hanging)
{
	char *dir = temp_dir();
	copy_file(BAD_DIR "/slow/hang.so", dir, "hang.so");
	copy_file(GOOD_DIR "/good.so", dir, "good.so");
	copy_file(BAD_DIR "/twice.so", dir, "twice.so");
	assay_json *all = survey(dir, 0);
	expect_broken(all, "hang", "it does not come back within 3000 ms when it is opened" REPAIR);
	ck_assert_str_eq(text_of(listed(all, "good"), "state"), "ok");
	ck_assert_str_eq(text_of(listed(all, "twice"), "state"), "broken");
	as_json_free(all);
	drop_dir(dir);
}
END_TEST

/* Files that are no modules, or no modules for here. */
static char *odd_files(void)
{
	char *dir = temp_dir();
	put_file(dir, "text.so",
		 ASSAY_STR("This is a text that is longer than the head of a shared object would be.\n"));
	put_file(dir, "empty.so", ASSAY_STR(""));
	put_file(dir, "Odd-Name.so", ASSAY_STR(""));
	put_file(dir, "\x1B\xFF.so", ASSAY_STR(""));
	put_file(dir, "README", ASSAY_STR("not looked at"));
	put_file(dir, "backup.so~", ASSAY_STR("not looked at"));
	put_file(dir, ".hidden.so", ASSAY_STR("not looked at"));
	copy_file(GOOD_DIR "/good.so", dir, "renamed.so");
	copy_file(GOOD_DIR "/good.so", dir, "machine.so");
	int fd = open(in_dir(dir, "machine.so"), O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "\xF3", 1, 18),
			 1); /* RISC-V; this byte of ours is something else on every machine we run */
	close(fd);
	ck_assert_int_eq(mkdir(in_dir(dir, "folder.so"), 0755), 0);
	ck_assert_int_eq(mkfifo(in_dir(dir, "fifo.so"), 0644), 0);
	ck_assert_int_eq(symlink("nowhere", in_dir(dir, "dangling.so")), 0);
	return dir;
}

START_TEST(test_odd_files)
{
	char *dir = odd_files();
	assay_json *all = survey(dir, 0);
	ck_assert_uint_eq(as_json_count(all), 9);
	ck_assert_str_eq(text_of(listed(all, "\uFFFD\uFFFD"), "state"), "broken");
	expect_broken(all, "text",
		      "cannot be loaded: invalid ELF header (it is no shared object: build it again or remove it)");
	expect_broken(all, "empty",
		      "cannot be loaded: file too short (it is no shared object: build it again or remove it)");
	expect_broken(all, "Odd-Name",
		      "a module's name is a lower-case letter, then lower-case letters, digits and _ "
		      "(rename or remove it)");
	expect_broken(all, "renamed",
		      "exports no function renamed_LTX_assay_plugin_v1 (it was built as good.so: give it "
		      "that name back)");
	expect_broken(all, "machine",
		      "cannot be loaded: it was built for another machine (build it on a machine like this one)");
	expect_broken(all, "folder", "is a folder, not a shared object (remove it or give it another name)");
	expect_broken(all, "fifo", "is no regular file, not a shared object (remove it or give it another name)");
	expect_broken(all, "dangling",
		      "cannot look at the plugin: No such file or directory (repair the link or remove it)");
	as_json_free(all);
	drop_dir(dir);
}
END_TEST

/* In a child of its own, because a superuser may read everything. */
START_TEST(test_unreadable)
{
	char *dir = temp_dir();
	copy_file(GOOD_DIR "/good.so", dir, "sampler_good.so");
	ck_assert_int_eq(chmod(in_dir(dir, "sampler_good.so"), 0), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	pid_t pid = fork();
	if (pid == 0) {
		assay_error err = {0};
		const as_impl_info *info;
		if (geteuid() == 0 && seteuid(65534) != 0) {
			_exit(2);
		}
		as_registry *r = registry_over(dir);
		int rc = as_registry_find(r, "sampler/good", 0, &info, &err);
		bool same = rc == ASSAY_EPLUGIN && strcmp(err.hint, "make it readable") == 0 &&
			    strcmp(err.message,
				   "cannot be loaded: cannot open shared object file: Permission denied") == 0 &&
			    strcmp(err.where, in_dir(dir, "sampler_good.so")) == 0;
		_exit(same ? 0 : 1);
	}
	int status = -1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	drop_dir(dir);
}
END_TEST

START_TEST(test_survey_of_good)
{
	assay_json *all = survey(GOOD_DIR, 0);
	const assay_json *m = listed(all, "good");
	ck_assert_ptr_nonnull(listed(all, "sampler_longest"));
	for (const assay_json *one = as_json_first(all); as_json_next(one); one = as_json_next(one)) {
		ck_assert_int_lt(strcmp(text_of(one, "module"), text_of(as_json_next(one), "module")), 0); /* sorted */
	}
	ck_assert_str_eq(text_of(m, "state"), "ok");
	ck_assert_str_eq(text_of(m, "version"), "1.2.3");
	ck_assert_str_eq(text_of(m, "summary"), "In order");
	ck_assert_str_eq(text_of(m, "license"), "MIT");
	ck_assert_str_eq(text_of(m, "abi"), "1." THIS_MINOR);
	ck_assert_str_eq(text_of(m, "file"), GOOD_DIR "/good.so");
	ck_assert_ptr_null(as_json_get(m, "reason"));
	ck_assert_uint_eq(as_json_count(as_json_get(m, "implementations")), 4);
	const assay_json *scorer = as_json_pointer(m, "/implementations/2");
	ck_assert_str_eq(text_of(scorer, "role"), "scorer");
	ck_assert_str_eq(text_of(scorer, "name"), "good");
	ck_assert_str_eq(text_of(scorer, "summary"), "a scorer in order");
	ck_assert_str_eq(text_of(as_json_get(scorer, "options"), "type"), "object");
	ck_assert_uint_eq(as_json_count(as_json_get(scorer, "flags")), 2);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(scorer, "/flags/0"), ""), "pure");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(scorer, "/flags/1"), ""), "needs_live");
	ck_assert_str_eq(as_json_cstr(as_json_pointer(scorer, "/operations/0"), ""), "score");
	const assay_json *reporter = as_json_pointer(m, "/implementations/3");
	ck_assert_uint_eq(as_json_count(as_json_get(reporter, "operations")), 1);
	as_json_free(all);
}
END_TEST

START_TEST(test_survey_by_role)
{
	assay_json *all = survey(GOOD_DIR, ASSAY_ROLE_SAMPLER);
	ck_assert_uint_eq(as_json_count(all), 2);
	ck_assert_uint_eq(as_json_count(as_json_get(as_json_at(all, 0), "implementations")), 2);
	as_json_free(all);
	all = survey(GOOD_DIR, ASSAY_ROLE_REPORTER);
	ck_assert_uint_eq(as_json_count(all), 1);
	ck_assert_str_eq(as_json_cstr(as_json_pointer(all, "/0/implementations/0/name"), ""), "plain-text");
	as_json_free(all);
	all = survey(GOOD_DIR, ASSAY_ROLE_LLM);
	ck_assert_uint_eq(as_json_count(all), 0);
	as_json_free(all);
	/* A broken module has nothing but its name to go by. */
	char *dir = temp_dir();
	put_file(dir, "llm_torn.so", ASSAY_STR(""));
	all = survey(dir, ASSAY_ROLE_LLM);
	ck_assert_uint_eq(as_json_count(all), 1);
	as_json_free(all);
	drop_dir(dir);
}
END_TEST

START_TEST(test_survey_order)
{
	const char *const dirs[] = {GOOD_DIR, BAD_DIR, NULL};
	const as_registry_options options = {.dirs = dirs, .lib_dir = NO_DIR};
	assay_error err = {0};
	assay_json *all = NULL;
	as_registry *r = NULL;
	ck_ok(as_registry_new(&options, &r, &err));
	ck_ok(as_registry_survey(r, 0, &all, &err));
	for (size_t i = 1; i < as_json_count(all); i++) {
		ck_assert_int_lt(as_str_cmp(as_json_str(as_json_get(as_json_at(all, i - 1), "module")),
					    as_json_str(as_json_get(as_json_at(all, i), "module"))),
				 0);
	}
	/* What crashed in the child is not opened in this process either. */
	as_json_free(all);
	ck_ok(as_registry_survey(r, 0, &all, &err));
	expect_broken(all, "sampler_crash", "it crashes when it is opened (SIGSEGV 11)" REPAIR);
	as_json_free(all);
	as_registry_free(r);
}
END_TEST

START_TEST(test_find)
{
	assay_error err = {0};
	const as_impl_info *info = NULL, *again = NULL, *other = NULL;
	const as_impl_info *const *used = NULL;
	char digest[65];
	as_registry *r = registry_over(GOOD_DIR);
	ck_assert_uint_eq(as_registry_used(r, &used), 0);
	ck_ok(as_registry_find(r, "scorer/good", ASSAY_ROLE_SCORER, &info, &err));
	ck_assert_str_eq(info->use, "scorer/good");
	ck_assert_str_eq(info->module, "good");
	ck_assert_str_eq(info->version, "1.2.3");
	ck_assert_str_eq(info->path, GOOD_DIR "/good.so");
	ck_assert_str_eq(info->impl->summary, "a scorer in order");
	ck_ok(as_sha256_file(GOOD_DIR "/good.so", digest, &err));
	ck_assert_str_eq(info->digest, digest);
	ck_ok(as_registry_find(r, "sampler/longest", 0, &other, &err));
	ck_assert_str_eq(other->module, "sampler_longest");
	ck_ok(as_registry_find(r, "scorer/good", 0, &again, &err));
	ck_assert_ptr_eq(info, again);
	ck_ok(as_registry_find(r, "reporter/plain-text", 0, &again, &err));
	ck_assert_uint_eq(as_registry_used(r, &used), 3);
	ck_assert_str_eq(used[0]->use, "reporter/plain-text");
	ck_assert_str_eq(used[1]->use, "sampler/longest");
	ck_assert_str_eq(used[2]->use, "scorer/good");
	as_registry_free(r);
}
END_TEST

static void expect_find(as_registry *r, const char *use, uint32_t role, int code, const char *line)
{
	assay_error err = {0};
	const as_impl_info *info = NULL;
	ck_assert_int_eq(as_registry_find(r, use, role, &info, &err), code);
	expect_error(&err, code, line);
	ck_assert_ptr_null(info);
}

START_TEST(test_find_refused)
{
	as_registry *r = registry_over(GOOD_DIR);
	expect_find(r, "random", 0, ASSAY_EINVAL, "\"random\" names no plugin (write ROLE/NAME, such as sampler/NAME)");
	expect_find(r, NULL, ASSAY_ROLE_LLM, ASSAY_EINVAL, "\"\" names no plugin (write ROLE/NAME, such as llm/NAME)");
	expect_find(r, "sampler/", 0, ASSAY_EINVAL,
		    "\"sampler/\" names no plugin (write ROLE/NAME, such as sampler/NAME)");
	expect_find(r, "sampler/../x", 0, ASSAY_EINVAL,
		    "\"sampler/../x\" names no plugin (write ROLE/NAME, such as sampler/NAME)");
	expect_find(r, "simpler/random", 0, ASSAY_EINVAL,
		    "\"simpler/random\" begins with no role (did you mean sampler?)");
	expect_find(r, "importer/x", 0, ASSAY_EINVAL, "\"importer/x\" begins with no role (did you mean reporter?)");
	expect_find(r, "sampler/good", ASSAY_ROLE_SCORER, ASSAY_EINVAL,
		    "\"sampler/good\" is of the role sampler, expected one of the role scorer");
	expect_find(r, "sampler/goood", 0, ASSAY_EPLUGIN,
		    "there is no sampler/goood in " GOOD_DIR ", " NO_DIR
		    "/plugins-1 or the program (did you mean sampler/good?)");
	expect_find(r, "reporter/entirely-different", 0, ASSAY_EPLUGIN,
		    "there is no reporter/entirely-different in " GOOD_DIR ", " NO_DIR
		    "/plugins-1 or the program (there are reporter/plain-text)");
	expect_find(r, "llm/none", 0, ASSAY_EPLUGIN,
		    "there is no llm/none in " GOOD_DIR ", " NO_DIR
		    "/plugins-1 or the program (install a plugin that has it, or point --plugin-dir at its folder)");
	as_registry_free(r);
}
END_TEST

START_TEST(test_find_broken)
{
	char *dir = temp_dir(), line[1024];
	put_file(dir, "sampler_torn.so",
		 ASSAY_STR("no shared object at all, but long enough to have a head, if it were one"));
	as_registry *r = registry_over(dir);
	snprintf(line, sizeof line,
		 "%s/sampler_torn.so: cannot be loaded: invalid ELF header "
		 "(it is no shared object: build it again or remove it)",
		 dir);
	expect_find(r, "sampler/torn", 0, ASSAY_EPLUGIN, line);
	expect_find(r, "sampler/torn", 0, ASSAY_EPLUGIN, line); /* the second time, too */
	snprintf(line, sizeof line,
		 "there is no sampler/other in %s, " NO_DIR
		 "/plugins-1 or the program (some plugins are broken: \"assay plugins list\" says which and why)",
		 dir);
	expect_find(r, "sampler/other", 0, ASSAY_EPLUGIN, line);
	as_registry_free(r);
	drop_dir(dir);
}
END_TEST

/* A module that crashes does not take the program along when another one is asked for. */
START_TEST(test_find_beside_crash)
{
	char *dir = temp_dir(), line[1024];
	assay_error err = {0};
	const as_impl_info *info = NULL;

	copy_file(GOOD_DIR "/good.so", dir, "good.so");
	copy_file(BAD_DIR "/sampler_crash.so", dir, "sampler_crash.so");
	as_registry *r = registry_over(dir);
	ck_ok(as_registry_find(r, "scorer/good", 0, &info, &err));
	ck_ok(as_registry_find(r, "sampler/good", 0, &info, &err));
	ck_assert_int_eq(as_registry_find(r, "scorer/bad", 0, &info, &err), ASSAY_EPLUGIN);
	as_error_clear(&err);
	/* Not even when it is asked for itself. */
	ck_assert_int_eq(as_registry_find(r, "sampler/crash", 0, &info, &err), ASSAY_EPLUGIN);
	snprintf(line, sizeof line, "%s/sampler_crash.so: it crashes when it is opened (SIGSEGV 11)" REPAIR, dir);
	ck_assert_str_eq(error_line(&err), line);
	as_registry_free(r);
	drop_dir(dir);
}
END_TEST

START_TEST(test_order_and_shadowing)
{
	char *first = temp_dir(), *second = temp_dir(), *lib = temp_dir(), path[1024];
	assay_error err = {0};
	const as_impl_info *info = NULL;
	assay_json *all = NULL;
	as_registry *r = NULL;
	ck_ok(as_make_dirs(in_dir(lib, "plugins-1/.libs"), &err));
	copy_file(GOOD_DIR "/good.so", first, "good.so");
	copy_file(GOOD_DIR "/good.so", second, "good.so");
	copy_file(GOOD_DIR "/sampler_longest.so", second, "sampler_longest.so");
	copy_file(GOOD_DIR "/sampler_longest.so", lib, "plugins-1/.libs/sampler_longest.so");
	snprintf(path, sizeof path, ":/no/such/folder::%s:%s:", second, first);
	const char *const dirs[] = {first, NULL};
	as_registry_options options = {.dirs = dirs, .path = path, .lib_dir = lib};
	ck_ok(as_registry_new(&options, &r, &err));
	ck_ok(as_registry_find(r, "scorer/good", 0, &info, &err));
	ck_assert_str_eq(info->path, in_dir(first, "good.so"));
	ck_ok(as_registry_find(r, "sampler/longest", 0, &info, &err));
	ck_assert_str_eq(info->path, in_dir(second, "sampler_longest.so"));
	ck_ok(as_registry_survey(r, 0, &all, &err));
	ck_assert_uint_eq(as_json_count(all), 4);
	ck_assert_str_eq(text_of(as_json_at(all, 0), "state"), "ok");
	ck_assert_str_eq(text_of(as_json_at(all, 1), "state"), "shadowed");
	ck_assert_str_eq(text_of(as_json_at(all, 1), "file"), in_dir(second, "good.so"));
	snprintf(path, sizeof path, "%s/good.so comes first", first);
	ck_assert_str_eq(text_of(as_json_at(all, 1), "reason"), path);
	ck_assert_str_eq(text_of(as_json_at(all, 3), "state"), "shadowed");
	ck_assert_str_eq(text_of(as_json_at(all, 3), "file"), in_dir(lib, "plugins-1/.libs/sampler_longest.so"));
	as_json_free(all);
	as_registry_free(r);

	/* What was not shipped does not count when a release is verified. */
	options.shipped_only = true;
	ck_ok(as_registry_new(&options, &r, &err));
	ck_ok(as_registry_find(r, "sampler/longest", 0, &info, &err));
	ck_assert_str_eq(info->path, in_dir(lib, "plugins-1/.libs/sampler_longest.so"));
	ck_assert_int_eq(as_registry_find(r, "scorer/good", 0, &info, NULL), ASSAY_EPLUGIN);
	as_registry_free(r);
	drop_dir(first);
	drop_dir(second);
	drop_dir(lib);
}
END_TEST

/* Four threads, one registry: every one gets the same answers. Answers NULL when all is well. */
static void *find_many(void *payload)
{
	static const char *const uses[] = {"scorer/good", "sampler/longest", "sampler/good", "sampler/older"};
	as_registry *r = payload;
	for (size_t round = 0; round < 50; round++) {
		for (size_t i = 0; i < 4; i++) {
			const as_impl_info *info = NULL;
			as_instance *instance = NULL;
			if (as_registry_find(r, uses[(i + round) % 4], 0, &info, NULL) < 0 ||
			    strcmp(info->use, uses[(i + round) % 4]) != 0 ||
			    as_instance_open(r, info->use, 0, NULL, NULL, &instance, NULL) < 0) {
				return payload;
			}
			as_instance_close(instance);
		}
		if (round % 25 == 0 && as_registry_find(r, "sampler/none", 0, NULL, NULL) != ASSAY_EPLUGIN) {
			return payload;
		}
	}
	return NULL;
}

START_TEST(test_threads)
{
	pthread_t threads[4];
	const as_impl_info *const *used = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_create(&threads[i], NULL, find_many, r), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		void *answer = NULL;
		pthread_join(threads[i], &answer);
		ck_assert_ptr_null(answer);
	}
	ck_assert_uint_eq(as_registry_used(r, &used), 4);
	as_registry_free(r);
}
END_TEST

/* One registry after another, and two at once: libltdl starts and stops with the first and the last. */
START_TEST(test_registries)
{
	assay_error err = {0};
	const as_impl_info *info = NULL;
	as_registry *outer = registry_over(GOOD_DIR);
	for (int i = 0; i < 3; i++) {
		as_registry *inner = registry_over(GOOD_DIR);
		ck_ok(as_registry_find(inner, "scorer/good", 0, &info, &err));
		as_registry_free(inner);
	}
	ck_ok(as_registry_find(outer, "scorer/good", 0, &info, &err));
	as_registry_free(outer);
	outer = registry_over(GOOD_DIR);
	ck_ok(as_registry_find(outer, "scorer/good", 0, &info, &err));
	as_registry_free(outer);
	as_registry_free(NULL);
}
END_TEST

START_TEST(test_services)
{
	assay_error err = {0};
	const as_http_ops *http = NULL;
	as_registry *r = registry_over(GOOD_DIR);
	ck_assert_int_eq(as_service_http(r, &http, &err), ASSAY_EPLUGIN);
	expect_error(&err, ASSAY_EPLUGIN,
		     "the module service_http.so is not in " NO_DIR
		     " (install the program again, or set ASSAY_LIB_DIR to its library folder)");
	ck_assert_ptr_null(http);
	as_registry_free(r);
}
END_TEST

START_TEST(test_roles)
{
	for (uint32_t role = 1; role <= ASSAY_ROLE_COUNT; role++) {
		ck_assert_ptr_nonnull(as_role_name(role));
		bool used = role != ASSAY_ROLE_IMPORTER; /* which has no operations */
		ck_assert_uint_eq(as_role_from_name(as_str(as_role_name(role))), used ? role : 0);
	}
	ck_assert_str_eq(as_role_name(ASSAY_ROLE_EXPLORER), "explorer");
	ck_assert_ptr_null(as_role_name(0));
	ck_assert_ptr_null(as_role_name(ASSAY_ROLE_COUNT + 1));
	ck_assert_uint_eq(as_role_from_name(ASSAY_STR("")), 0);
	ck_assert_uint_eq(as_role_from_name(ASSAY_STR("samplers")), 0);
}
END_TEST

UNIT_SUITE(plugin_suite, "plugin", test_refused_descriptors, test_refused_implementations, test_misbehaviour,
	   test_hanging, test_odd_files, test_unreadable, test_survey_of_good, test_survey_by_role, test_survey_order,
	   test_find, test_find_refused, test_find_broken, test_find_beside_crash, test_order_and_shadowing,
	   test_threads, test_registries, test_services, test_roles)
UNIT_MAIN(plugin_suite)
