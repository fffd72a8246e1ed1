/* What pack and verify agree on: names, bounds and the shapes of rows in a release.
 *
 * A release is one folder NAME-VERSION of plain files, packed as NAME-VERSION.tar.zst. release.json lists every other
 * file with its digest and, for JSON lines, the digest of every line; the identity of a release is the digest of that
 * list, so compression and time are outside it. Rows that belong together stand on the same line of their files:
 * tasks, certificates, references and tapes; attempts and traces. verdicts.jsonl has one line per scorer of the
 * manifest for each line of attempts.jsonl, in the manifest's order. Thread: any. */
#ifndef AS_RELEASE_FORMAT_H
#define AS_RELEASE_FORMAT_H

#include "core/base/hash.h"
#include "core/base/json.h"

#define AS_RELEASE_FORMAT 1
#define AS_RELEASE_RECORD "release.json"
#define AS_RELEASE_MAX_BYTES ((uint64_t)16 << 30) /* of all files */
#define AS_RELEASE_MAX_FILES 256u
#define AS_RELEASE_MAX_RECORD ((size_t)256 << 20) /* bytes of release.json: 19 a line of the other files */
#define AS_LINE_DIGEST 16                         /* hex digits of a line's digest */

/* Is this a name that a file of a release may have: letters, digits, ".", "_", "-", not starting with ".", at most 128
 * bytes, no folders? */
bool as_release_is_name(assay_str name);

/* Hex digest of a line without its line feed. */
void as_line_digest(assay_str line, char out[AS_LINE_DIGEST + 1]);

/* One more file of the list whose digest is the identity, in the order of names: "name\0digest\n". */
void as_identity_add(as_sha256 *sum, const char *name, const char *digest);

/* Rows. Reading checks the type of every member and refuses unknown ones: ASSAY_EDATA with pointer; what is read is
 * borrowed from the value. The writers answer NULL when memory is out. */
typedef struct as_certificate_line {
	assay_str task_id, category, tape_id;
	int64_t index;
	const assay_json *certificate; /* array */
} as_certificate_line;
int as_certificate_line_read(const assay_json *v, as_certificate_line *out, assay_error *err);
assay_json *as_certificate_line_json(const as_certificate_line *line);

typedef struct as_funnel_line {
	assay_str category, state, reason, goal_id, trace_id, task_id; /* the last three may be empty */
	int64_t index;
	const assay_json *gates; /* {gate: did it pass} of a task without a certificate; NULL: there is none */
} as_funnel_line;
int as_funnel_line_read(const assay_json *v, as_funnel_line *out, assay_error *err);
assay_json *as_funnel_line_json(const as_funnel_line *line);

typedef struct as_attempt_line {
	assay_str attempt_id, task_id, candidate, condition, end, end_class, trace_id;
	int64_t repeat, try_number;
	bool voided;
} as_attempt_line;
int as_attempt_line_read(const assay_json *v, as_attempt_line *out, assay_error *err);
assay_json *as_attempt_line_json(const as_attempt_line *line);

typedef struct as_verdict_line {
	assay_str attempt_id, scorer;
	int64_t try_number;
	const assay_json *verdict; /* object */
} as_verdict_line;
int as_verdict_line_read(const assay_json *v, as_verdict_line *out, assay_error *err);
assay_json *as_verdict_line_json(const as_verdict_line *line);

typedef struct as_plugin_entry {
	assay_str use, version, module, digest;
	const assay_json *defaults; /* of an exposure's options; NULL: none */
	bool foreign;               /* its module does not ship; left out when false */
} as_plugin_entry;
int as_plugin_entry_read(const assay_json *v, as_plugin_entry *out, assay_error *err);
assay_json *as_plugin_entry_json(const as_plugin_entry *entry);

#endif
