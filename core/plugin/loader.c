#include "core/plugin/loader.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <ltdl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOADER_NAME "assay"
#define FILE_MAX ((size_t)64 << 20) /* read of a module whose getter is missing */

/* Programs that link no module in do not define the table. */
extern LT_DLSYM_CONST lt_dlsymlist lt_preloaded_symbols[] __attribute__((weak));

/* The one variable that changes in the core: libltdl's state is one for the process, so must its lock be. */
static pthread_mutex_t ltdl_lock = PTHREAD_MUTEX_INITIALIZER;

/* libltdl's own loader binds lazily: a module with an undefined symbol would open, and die in its first call. */
static lt_module module_open(lt_user_data data, const char *filename, lt_dladvise advise)
{
	(void)data;
	(void)advise;
	return filename ? dlopen(filename, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* Modules stay mapped: their constant data is referred to until the end, and a leak report can name its function. */
static int module_close(lt_user_data data, lt_module module)
{
	(void)data;
	(void)module;
	return 0;
}

static void *module_symbol(lt_user_data data, lt_module module, const char *name)
{
	(void)data;
	return dlsym(module, name);
}

/* Put our loader in front and take the lazy one away, which would be tried next and open what ours has refused. */
static int install_loader(assay_error *err)
{
	if (lt_dlloader_find(LOADER_NAME)) {
		return 0;
	}
	lt_dlvtable *table = calloc(1, sizeof *table); /* freed by lt_dlexit */
	if (!table) {
		return as_fail_memory(err);
	}
	table->name = LOADER_NAME;
	table->module_open = module_open;
	table->module_close = module_close;
	table->find_sym = module_symbol;
	table->priority = LT_DLLOADER_PREPEND;
	if (lt_dlloader_add(table) != 0) {
		free(table);
		return as_fail(err, ASSAY_EINTERNAL, "libltdl refused the loader: %s", lt_dlerror());
	}
	free(lt_dlloader_remove("lt_dlopen"));
	return 0;
}

int as_loader_start(assay_error *err)
{
	int rc;
	pthread_mutex_lock(&ltdl_lock);
	if (lt_preloaded_symbols) {
		LTDL_SET_PRELOADED_SYMBOLS();
	}
	if (lt_dlinit() != 0) {
		rc = as_fail(err, ASSAY_EINTERNAL, "libltdl does not start: %s", lt_dlerror());
	} else {
		rc = install_loader(err);
		if (rc < 0) {
			lt_dlexit();
		}
	}
	pthread_mutex_unlock(&ltdl_lock);
	return rc;
}

void as_loader_stop(void)
{
	pthread_mutex_lock(&ltdl_lock);
	lt_dlexit();
	pthread_mutex_unlock(&ltdl_lock);
}

pid_t as_loader_fork(void)
{
	pthread_mutex_lock(&ltdl_lock);
	pid_t pid = fork();
	int number = errno;
	pthread_mutex_unlock(&ltdl_lock);
	errno = number;
	return pid;
}

int as_loader_linked(const char *symbol, int (*fn)(void *payload, assay_str stem), void *payload)
{
	int rc = 0;
	size_t tail = strlen(symbol) + strlen("_LTX_");
	for (const lt_dlsymlist *s = lt_preloaded_symbols; s && s->name && rc == 0; s++) {
		size_t len = strlen(s->name);
		if (!s->address || len <= tail) {
			continue;
		}
		const char *end = s->name + (len - tail);
		if (strncmp(end, "_LTX_", 5) == 0 && strcmp(end + 5, symbol) == 0) {
			rc = fn(payload, (assay_str){s->name, len - tail});
		}
	}
	return rc;
}

/* The first bytes of an ELF file: class and byte order, then, at 18, the machine. */
static bool elf_head(const char *path, unsigned char head[20])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	ssize_t n = read(fd, head, 20);
	close(fd);
	return n == 20 && memcmp(head, "\177ELF", 4) == 0;
}

/* glibc calls a file for another processor "no such file". */
static bool for_another_machine(const char *path)
{
	unsigned char ours[20], theirs[20];
	return elf_head("/proc/self/exe", ours) && elf_head(path, theirs) &&
	       (memcmp(ours + 4, theirs + 4, 2) != 0 || memcmp(ours + 18, theirs + 18, 2) != 0);
}

#define SANITIZER_HINT                                                                                                 \
	"it was built with a sanitizer: \"make check SANITIZE=address\" checks such a build; build it without to use it"

static int refuse(const char *path, const char *reason, assay_error *err)
{
	static const struct {
		const char *sign, *hint;
	} hints[] = {
		{"libclang_rt.", SANITIZER_HINT},
		{"undefined symbol: __asan", SANITIZER_HINT},
		{"undefined symbol: __ubsan", SANITIZER_HINT},
		{"undefined symbol",
		 "link it with the library that defines the symbol; -Wl,-z,defs shows this when it is built"},
		{"invalid ELF header", "it is no shared object: build it again or remove it"},
		{"file too short", "it is no shared object: build it again or remove it"},
		{"another machine", "build it on a machine like this one"},
		{"Permission denied", "make it readable"},
		{"No such file", "install that library, or add its folder to LD_LIBRARY_PATH"},
	};
	size_t len = strlen(path);
	if (strncmp(reason, path, len) == 0 && reason[len] == ':') {
		reason += len + 1 + strspn(reason + len + 1, " ");
	}
	if (for_another_machine(path)) {
		reason = "it was built for another machine";
	}
	int rc = as_fail(err, ASSAY_EPLUGIN, "cannot be loaded: %s", reason);
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
		if (strstr(reason, hints[i].sign)) {
			as_error_hint(err, "%s", hints[i].hint);
			break;
		}
	}
	as_error_hint(err, "build it again or remove it");
	as_error_where(err, path, 0);
	return rc;
}

static bool is_stem_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The file exports no getter of its own name. Its dynamic string table tells whether it has one of another name. */
static int refuse_name(const char *path, const char *stem, const char *symbol, assay_error *err)
{
	assay_text bytes = {0};
	int rc = as_fail(err, ASSAY_EPLUGIN, "exports no function %s_LTX_%s", stem, symbol);
	as_error_where(err, path ? path : stem, 0);
	if (path && as_file_read(path, FILE_MAX, &bytes, NULL) == 0) {
		size_t tail = strlen(symbol);
		for (size_t i = 5; i + tail < bytes.len; i++) {
			if (memcmp(bytes.ptr + i - 5, "_LTX_", 5) == 0 &&
			    memcmp(bytes.ptr + i, symbol, tail + 1) == 0) {
				size_t start = i - 5;
				while (start > 0 && is_stem_char(bytes.ptr[start - 1])) {
					start--;
				}
				as_error_hint(err, "it was built as %.*s.so: give it that name back",
					      (int)(i - 5 - start), bytes.ptr + start);
				break;
			}
		}
	}
	as_text_free(&bytes);
	as_error_hint(err, "end its source with ASSAY_PLUGIN(%s, ...)", stem);
	return rc;
}

/* Loading half a file crashes where its other half should be mapped. What ends an ELF file is, as all linkers write it,
 * the table of its sections. */
static bool is_cut_short(const char *path, off_t size)
{
	ElfW(Ehdr) head;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &head, sizeof head);
	if (fd >= 0) {
		close(fd);
	}
	return n == (ssize_t)sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && !for_another_machine(path) &&
	       (head.e_shoff > (uint64_t)size ||
		(uint64_t)size - head.e_shoff < (uint64_t)head.e_shnum * head.e_shentsize);
}

/* Opening anything but a regular file could block for ever (a FIFO) or would be answered in riddles (a folder). */
static int check_file(const char *path, assay_error *err)
{
	struct stat st;
	if (stat(path, &st) != 0) {
		as_fail_errno(err, errno, path, "look at the plugin");
		return as_error_hint(err, "repair the link or remove it");
	}
	if (!S_ISREG(st.st_mode)) {
		as_fail(err, ASSAY_EPLUGIN, "is %s, not a shared object",
			S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
		as_error_hint(err, "remove it or give it another name");
		as_error_where(err, path, 0);
		return ASSAY_EPLUGIN;
	}
	if (is_cut_short(path, st.st_size)) {
		as_fail(err, ASSAY_EPLUGIN, "cannot be loaded: it is cut off after %lld bytes", (long long)st.st_size);
		as_error_hint(err, "build or copy it again");
		as_error_where(err, path, 0);
		return ASSAY_EPLUGIN;
	}
	return 0;
}

int as_loader_sanitized(const char *path, assay_error *err)
{
	assay_text bytes = {0};
	int rc = 0;
	if (as_file_read(path, FILE_MAX, &bytes, NULL) == 0 &&
	    as_str_contains(as_text_str(bytes), ASSAY_STR("__asan_init"))) {
		rc = as_fail(err, ASSAY_EPLUGIN, "cannot be loaded: the runtime of its sanitizer is not there yet");
		as_error_hint(err, "%s", SANITIZER_HINT);
		as_error_where(err, path, 0);
	}
	as_text_free(&bytes);
	return rc;
}

static lt_dlhandle open_handle(const char *path, const char *stem)
{
	lt_dlhandle handle = NULL;
	lt_dladvise advise;
	if (path) {
		return lt_dlopen(path);
	}
	if (lt_dladvise_init(&advise) == 0) {
		if (lt_dladvise_preload(&advise) == 0) {
			handle = lt_dlopenadvise(stem, advise);
		}
		lt_dladvise_destroy(&advise);
	}
	return handle;
}

int as_loader_open(const char *path, const char *stem, const char *symbol, as_getter **out, assay_error *err)
{
	as_buf name = {0};
	void *address = NULL;
	int rc = path ? check_file(path, err) : 0;
	if (rc < 0) {
		return rc;
	}
	as_buf_printf(&name, "%s_LTX_%s", stem, symbol);
	rc = as_buf_check(&name, err);
	if (rc < 0) {
		return rc;
	}
	pthread_mutex_lock(&ltdl_lock);
	lt_dlhandle handle = open_handle(path, stem);
	if (handle) {
		address = lt_dlsym(handle, name.ptr);
	} else {
		/* libltdl overwrites its message with that of the next loader; the system's own is still there. */
		const char *reason = dlerror();
		reason = reason ? reason : lt_dlerror();
		rc = refuse(path ? path : stem, reason ? reason : "no reason given", err);
	}
	pthread_mutex_unlock(&ltdl_lock);
	as_buf_free(&name);
	if (rc == 0 && !address) {
		rc = refuse_name(path, stem, symbol, err);
	}
	if (rc == 0) {
		memcpy(out, &address, sizeof address); /* ISO C has no conversion from void * to a function */
	}
	return rc;
}
