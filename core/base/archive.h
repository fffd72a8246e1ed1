/* Reading and writing release archives, by libarchive, loaded only when needed: a service module
 * (core/services/archive.c) behind this table. Thread: any. */
#ifndef AS_ARCHIVE_H
#define AS_ARCHIVE_H

#include "core/base/memory.h"

typedef struct as_archive_ops {
	uint32_t size;
	/* Pack the regular files below `root` as NAME/relative into a reproducible .tar.zst: names sorted, owner 0,
	 * mode 0644, times 0 (or SOURCE_DATE_EPOCH), one thread, fixed level; written atomically. */
	int (*pack)(const char *root, const char *name, const char *to, assay_error *err);
	/* Unpack below `to` (exists, empty). Only regular files and folders, inside the folder, at most max_bytes in
	 * all and max_files; anything else is ASSAY_EDATA that names the entry. */
	int (*unpack)(const char *archive, const char *to, uint64_t max_bytes, uint32_t max_files, assay_error *err);
} as_archive_ops;

#endif
