/* Files and folders. Whatever is written appears whole or not at all: write, fsync, rename. Thread: any. */
#ifndef AS_FILE_H
#define AS_FILE_H

#include "core/base/memory.h"

/* A regular file's content. ASSAY_ELIMIT: larger than max; ASSAY_EDATA: a folder, device or pipe. */
int as_file_read(const char *path, size_t max, assay_text *out, assay_error *err);
/* The same for a text: one that is UTF-16 is ASSAY_EDATA. */
int as_file_read_text(const char *path, size_t max, assay_text *out, assay_error *err);
/* Atomic and durable; the rights of what was there stay, a new file has 0666 less umask. A link stays, the file that it
 * points to is replaced. ASSAY_EINVAL: path is a folder, device or pipe. */
int as_file_write(const char *path, assay_str bytes, assay_error *err);
/* The same in pieces: write to fd, then commit or abandon, which free it. Zero-initialise. */
typedef struct as_file_draft {
	int fd;
	char *temp, *target;
} as_file_draft;
int as_file_begin(const char *path, as_file_draft *draft, assay_error *err);
int as_file_commit(as_file_draft *draft, assay_error *err); /* where = the path that is written */
void as_file_abandon(as_file_draft *draft);                 /* nothing begun is fine */
bool as_file_exists(const char *path);
bool as_dir_exists(const char *path);
/* Are both there, and one file? */
bool as_file_is_same(const char *a, const char *b);
int as_make_dirs(const char *path, assay_error *err);
int as_remove_tree(const char *path, assay_error *err); /* no such path is fine; never follows links */
/* Copy a folder's regular files, folders and links inside it; modes and modification times (ns) are kept, but that
 * the owner may write what is copied, and that there are no set-id bits. `to` must not exist or be empty. Devices,
 * sockets, pipes and links that may leave the folder are ASSAY_EDATA, more than 100 levels ASSAY_ELIMIT; what was
 * copied until then stays. */
int as_copy_tree(const char *from, const char *to, assay_error *err);

/* Every regular file below root, sorted by relative path in byte order. Links and devices are passed over. Stops at the
 * first non-zero answer. ASSAY_ELIMIT: more than 100 levels. */
typedef int (*as_walk_fn)(void *payload, const char *relative, const char *path, assay_error *err);
int as_walk(const char *root, as_walk_fn fn, void *payload, assay_error *err);

const char *as_temp_root(void); /* TMPDIR, or /tmp */
/* A new private folder below parent ("PREFIXxxxxxx"); its path replaces what is in `path`. */
int as_make_temp_dir(const char *parent, const char *prefix, as_buf *path, assay_error *err);

/* "a" + "b" -> "a/b"; an absolute b stands alone. Appends to out. */
void as_path_join(as_buf *out, assay_str a, assay_str b);
assay_str as_path_dir(assay_str path); /* "." when there is none */
assay_str as_path_base(assay_str path);
int as_path_absolute(const char *path, as_buf *out, assay_error *err); /* lexical when it does not exist */

#endif
