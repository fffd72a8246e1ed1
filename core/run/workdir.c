#include "core/run/workdir.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "assay-run-" /* carried only by folders whose lock is held, or was by a process that is gone */
#define FRESH "assay-new-"
#define LOCK "lock"

/* Open (and with O_CREAT make) the lock file of a folder and try to hold it. -1: somebody else does, or there is none.
 */
static int take_lock(const char *dir, int flags)
{
	as_buf path = {0};
	int fd = -1;
	as_path_join(&path, as_str(dir), ASSAY_STR(LOCK));
	if (!path.failed) {
		fd = open(path.ptr, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	}
	as_buf_free(&path);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Remove the folder if it is ours and nobody lives in it. */
static void clear_one(const char *root, const char *name)
{
	as_buf path = {0};
	struct stat st;
	int fd;
	as_path_join(&path, as_str(root), as_str(name));
	if (!path.failed && lstat(path.ptr, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid()) {
		fd = take_lock(path.ptr, 0);
		if (fd >= 0) {
			as_remove_tree(path.ptr, NULL); /* what cannot be removed now is tried again next time */
			close(fd);
		}
	}
	as_buf_free(&path);
}

static void clear_abandoned(const char *root)
{
	DIR *d = opendir(root);
	const struct dirent *entry;
	while (d && (entry = readdir(d)) != NULL) {
		if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0) {
			clear_one(root, entry->d_name);
		}
	}
	if (d) {
		closedir(d);
	}
}

/* From its first name to the one that says "locked". */
static int settle(as_workdir *w, const char *root, assay_error *err)
{
	assay_str base = as_path_base(as_buf_str(&w->path));
	as_buf name = {0}, path = {0};
	int rc;
	as_buf_puts(&name, PREFIX);
	as_buf_add(&name, (assay_str){base.ptr + sizeof FRESH - 1, base.len - (sizeof FRESH - 1)});
	as_path_join(&path, as_str(root), as_buf_str(&name));
	rc = name.failed ? as_fail_memory(err) : as_buf_check(&path, err);
	if (rc == 0 && rename(w->path.ptr, path.ptr) < 0) {
		rc = as_fail_errno(err, errno, path.ptr, "name the work folder");
	}
	if (rc == 0) {
		as_buf_free(&w->path);
		w->path = path;
		path = (as_buf){0};
	}
	as_buf_free(&name);
	as_buf_free(&path);
	return rc;
}

int as_workdir_open(as_workdir *w, assay_error *err)
{
	const char *root = as_temp_root();
	int rc;
	*w = (as_workdir){.lock = -1};
	clear_abandoned(root);
	rc = as_make_temp_dir(root, FRESH, &w->path, err);
	if (rc == 0) {
		w->lock = take_lock(w->path.ptr, O_CREAT);
		rc = w->lock < 0 ? as_fail_errno(err, errno, w->path.ptr, "lock the work folder")
				 : settle(w, root, err);
	}
	if (rc < 0) {
		as_workdir_close(w);
	}
	return rc;
}

void as_workdir_close(as_workdir *w)
{
	if (w->path.len > 0) {
		as_remove_tree(w->path.ptr, NULL);
	}
	if (w->lock >= 0) {
		close(w->lock);
	}
	as_buf_free(&w->path);
	w->lock = -1;
}
