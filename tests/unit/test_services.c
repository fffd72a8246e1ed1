/* The service modules as the loader sees them: they open by themselves and show one function. */
#include "core/base/archive.h"
#include "core/base/file.h"
#include "core/base/http.h"
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <string.h>

/* The symbol's address as a function; C has no conversion between the two, POSIX says that they are alike. */
static const void *call_getter(void *module, const char *name)
{
	const void *(*getter)(void) = NULL;
	void *symbol = dlsym(module, name);
	ck_assert_msg(symbol != NULL, "no symbol %s", name);
	memcpy(&getter, &symbol, sizeof getter);
	return getter();
}

static void *open_module(const char *file)
{
	if (!as_file_exists(file)) {
		return NULL; /* --disable-shared: the program has them linked in */
	}
	void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(module != NULL, "%s", dlerror());
	ck_assert_ptr_null(dlsym(module, "as_fail")); /* its copy of the base layer is its own */
	return module;
}

START_TEST(test_http_module)
{
	void *module = open_module(TEST_BUILDDIR "/lib/.libs/service_http.so");
	if (module) {
		as_http_client *client = NULL;
		const as_http_ops *ops = call_getter(module, "service_http_LTX_assay_service_v1");
		ck_assert_uint_eq(ops->size, sizeof *ops);
		ck_assert_int_eq(ops->open(&client, NULL), 0);
		ops->close(client);
	}
}
END_TEST

START_TEST(test_archive_module)
{
	void *module = open_module(TEST_BUILDDIR "/lib/.libs/service_archive.so");
	if (module) {
		assay_error err = {0};
		const as_archive_ops *ops = call_getter(module, "service_archive_LTX_assay_service_v1");
		ck_assert_uint_eq(ops->size, sizeof *ops);
		ck_assert_int_eq(ops->unpack(TEST_BUILDDIR "/no-such-archive", "/", 1, 1, &err), ASSAY_ENOENT);
		ck_assert_str_eq(err.where, TEST_BUILDDIR "/no-such-archive");
	}
}
END_TEST

UNIT_SUITE(suite, "services", test_http_module, test_archive_module)
UNIT_MAIN(suite)
