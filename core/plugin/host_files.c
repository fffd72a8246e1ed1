/* The host's file services. */
#include "core/plugin/host_private.h"

#include "core/base/error.h"
#include "core/base/file.h"

/* Relative paths start where the call's children do. NULL: no memory. */
static const char *place(assay_call *call, const char *path, as_buf *out, assay_error *err)
{
	const char *cwd = as_call_of(call)->cwd;
	if (!path || !*path) {
		as_fail(err, ASSAY_EINVAL, "a file service was given no path");
		return NULL;
	}
	if (cwd) {
		as_path_join(out, as_str(cwd), as_str(path));
	} else {
		as_buf_puts(out, path);
	}
	return as_buf_check(out, err) < 0 ? NULL : out->ptr;
}

static int place_failed(const as_buf *b)
{
	return b->failed ? ASSAY_ENOMEM : ASSAY_EINVAL;
}

static int file_read(assay_call *call, const char *path, size_t max, assay_text *out, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_file_read(full, max, out, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_write(assay_call *call, const char *path, assay_str bytes, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_file_write(full, bytes, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_copy_tree(assay_call *call, const char *from, const char *to, assay_error *err)
{
	as_buf a = {0}, b = {0};
	const char *source = place(call, from, &a, err);
	const char *target = source ? place(call, to, &b, err) : NULL;
	int rc = target ? as_copy_tree(source, target, err) : place_failed(source ? &b : &a);
	as_buf_free(&a);
	as_buf_free(&b);
	return rc;
}

static int file_remove_tree(assay_call *call, const char *path, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_remove_tree(full, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

static int file_make_dirs(assay_call *call, const char *path, assay_error *err)
{
	as_buf b = {0};
	const char *full = place(call, path, &b, err);
	int rc = full ? as_make_dirs(full, err) : place_failed(&b);
	as_buf_free(&b);
	return rc;
}

const assay_file_api as_host_file = {sizeof as_host_file, 0, file_read, file_write, file_copy_tree, file_remove_tree,
				     file_make_dirs};
