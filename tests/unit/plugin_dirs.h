/* Folders of modules for the tests of core/plugin. */
#ifndef PLUGIN_DIRS_H
#define PLUGIN_DIRS_H

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/plugin/registry.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define BAD_DIR TEST_BUILDDIR "/tests/badplugins"
#define GOOD_DIR TEST_BUILDDIR "/tests/sdk"
#define NO_DIR TEST_BUILDDIR "/tests/no-such-folder"

/* The message of a failed call, for assertions. */
static inline const char *error_line(const assay_error *err)
{
	static char line[1200];
	as_error_format(err, line, sizeof line);
	return line;
}

#define ck_ok(call)                                                                                                    \
	do {                                                                                                           \
		int rc_ = (call);                                                                                      \
		ck_assert_msg(rc_ == 0, "%d: %s", rc_, error_line(&err));                                              \
	} while (0)

/* A registry over one folder (NULL: none) and nothing shipped. */
static inline as_registry *registry_over(const char *dir)
{
	const char *const dirs[] = {dir, NULL};
	const as_registry_options options = {.dirs = dirs, .lib_dir = NO_DIR};
	as_registry *r = NULL;
	ck_assert_int_eq(as_registry_new(&options, &r, NULL), 0);
	return r;
}

static inline char *temp_dir(void)
{
	as_buf path = {0};
	assay_text text;
	ck_assert_int_eq(as_make_temp_dir("/tmp", "assay-plugin-", &path, NULL), 0);
	ck_assert_int_eq(as_buf_take(&path, &text, NULL), 0);
	return text.ptr;
}

static inline void drop_dir(char *dir)
{
	ck_assert_int_eq(as_remove_tree(dir, NULL), 0);
	free(dir);
}

/* DIR/NAME, in one of a few buffers in turn. */
static inline const char *in_dir(const char *dir, const char *name)
{
	static char buffers[8][512];
	static unsigned turn;
	char *out = buffers[turn++ % 8];
	snprintf(out, sizeof buffers[0], "%s/%s", dir, name);
	return out;
}

static inline void put_file(const char *dir, const char *name, assay_str bytes)
{
	ck_assert_int_eq(as_file_write(in_dir(dir, name), bytes, NULL), 0);
}

static inline void copy_file(const char *from, const char *dir, const char *name)
{
	assay_text bytes = {0};
	ck_assert_int_eq(as_file_read(from, (size_t)1 << 26, &bytes, NULL), 0);
	put_file(dir, name, as_text_str(bytes));
	as_text_free(&bytes);
}

#endif
