/* Reading a release, packed or unpacked. Whatever is in it is hostile. Thread: one object, one thread. */
#ifndef AS_RELEASE_READ_H
#define AS_RELEASE_READ_H

#include "core/plugin/registry.h"
#include "core/release/format.h"

typedef struct as_release_file {
	const char *name;
	uint64_t bytes;
	const char *sha256;
	const assay_json *lines; /* array of line digests; NULL: not JSON lines */
} as_release_file;

typedef struct as_release as_release;
/* path: a .tar.zst, which is unpacked into a temporary folder until close, or an unpacked release's folder. Only
 * release.json is read and checked, strictly: ASSAY_EDATA with pointer. The other files need not even be there. */
int as_release_open(const char *path, as_registry *registry, as_release **out, assay_error *err);
void as_release_close(as_release *r);

/* What a text of a release.json says, checked; there is no folder. */
int as_release_parse(assay_str text, as_release **out, assay_error *err);

const char *as_release_dir(const as_release *r);
const assay_json *as_release_record(const as_release *r); /* release.json */
const char *as_release_name(const as_release *r);
const char *as_release_version(const as_release *r);
const char *as_release_identity(const as_release *r);                          /* as it says */
size_t as_release_files(const as_release *r, const as_release_file **out);     /* sorted by name */
const as_release_file *as_release_find(const as_release *r, const char *name); /* NULL: not listed */

/* Path of a file of the release in `out` (cleared first). ASSAY_EDATA: it is not listed, not there, or no regular file.
 */
int as_release_path(const as_release *r, const char *name, as_buf *out, assay_error *err);
/* One JSON document. NUL is kept, but duplicate keys are ASSAY_EDATA. where = name. */
int as_release_json(const as_release *r, const char *name, size_t max_bytes, assay_json **out, assay_error *err);
/* One line of JSON in the same way; the line is a whole document. */
int as_release_line(assay_str line, assay_json **out, assay_error *err);

#endif
